/// Texts put together from words and numbers.
#pragma once

#include <concepts>
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

} // namespace midend_tool
