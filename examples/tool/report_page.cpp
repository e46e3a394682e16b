#include "report_page.hpp"

namespace midend_tool {
namespace {

std::string_view bytes(const unsigned char* data, unsigned long long size) {
  return {reinterpret_cast<const char*>(data), static_cast<std::size_t>(size)};
}

} // namespace

std::string report_page(std::string_view data) {
  std::string_view page = bytes(report_page_html, report_page_html_size);
  std::string out;
  while (!page.empty()) {
    const std::size_t at = page.find("@@"); // @@CSS@@, @@JS@@, @@DATA@@
    out += page.substr(0, at);
    if (at == std::string_view::npos) {
      break;
    }
    const std::size_t end = page.find("@@", at + 2);
    const std::string_view name = page.substr(at + 2, end - at - 2);
    out += name == "CSS"  ? bytes(report_page_css, report_page_css_size)
           : name == "JS" ? bytes(report_page_js, report_page_js_size)
                          : data;
    page.remove_prefix(end + 2);
  }
  return out;
}

} // namespace midend_tool
