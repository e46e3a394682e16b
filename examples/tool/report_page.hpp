/// The page of `midend report`: the files of `report/`, which the build makes a part of the tool.
#pragma once

#include <string>
#include <string_view>

namespace midend_tool {

extern const unsigned char report_page_html[];
extern const unsigned char report_page_css[];
extern const unsigned char report_page_js[];
extern const unsigned long long report_page_html_size;
extern const unsigned long long report_page_css_size;
extern const unsigned long long report_page_js_size;

/// The page with these data, which are JSON without `<`.
std::string report_page(std::string_view data);

} // namespace midend_tool
