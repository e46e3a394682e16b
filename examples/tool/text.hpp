/// Texts put together from words and numbers.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace midend_tool {

inline void append_part(std::string& out, std::string_view words) {
  out += words;
}

template <std::integral Number> void append_part(std::string& out, Number number) {
  out += std::to_string(number);
}

/// Appends texts and whole numbers.
template <class... Parts> void append(std::string& out, const Parts&... parts) {
  (append_part(out, parts), ...);
}

/// Appends lines, each two characters to the right.
inline void append_indented(std::string& out, std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    append(out, "  ", lines.substr(0, end), "\n");
    lines = end == std::string_view::npos ? std::string_view() : lines.substr(end + 1);
  }
}

} // namespace midend_tool
