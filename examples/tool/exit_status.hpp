/// The exit statuses of the tool.
#pragma once

#include <midend/support/display_text.hpp>

#include <cstddef>
#include <cstdio>
#include <string>

namespace midend_tool {

/// The exit statuses of the tool.
enum exit_status : int {
  exit_done = 0,
  exit_bad_input = 1, ///< the input is bad, or the output cannot be written
  exit_bad_usage = 2,
  exit_difference = 3, ///< `midend unroll --verify`: the program is worse than the trial of a loop
};

/// A text in which nothing changes what a terminal shows around it: bytes of other characters than newlines that may
/// not be displayed are written as `\xHH`.
inline std::string printable(const std::string& text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i != text.size();) {
    const std::size_t length = text[i] == '\n' ? 1 : midend::displayed_length({text.data(), text.size()}, i);
    if (length != 0) {
      out.append(text, i, length);
      i += length;
    } else {
      const auto byte = static_cast<unsigned char>(text[i++]);
      out += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    }
  }
  return out;
}

/// Prints the reason on standard error. It may quote what the user has written.
inline exit_status complain(exit_status status, const std::string& message) {
  std::fprintf(stderr, "%s\n", printable(message).c_str());
  return status;
}

} // namespace midend_tool
