/// JSON for the page of `midend report`: text that can stand in a page, whatever is in it.
#pragma once

#include <string>
#include <string_view>

namespace midend_tool {

/// Appends a JSON string. What may not be displayed is written as `\xHH`; `<`, `>` and `&` as numbers, so that the
/// string ends no element of a page.
void append_json_string(std::string& out, std::string_view text);

/// The same for `"key": text,` and the like: appends `separator`, `"key":` and the string.
void append_json_member(std::string& out, std::string_view separator, std::string_view key, std::string_view text);

/// Appends an array of the lines of a text.
void append_json_lines(std::string& out, std::string_view text);

} // namespace midend_tool
