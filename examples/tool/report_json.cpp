#include "report_json.hpp"

#include <midend/support/display_text.hpp>

#include <cstddef>

namespace midend_tool {

void append_json_string(std::string& out, std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  out += '"';
  for (std::size_t i = 0; i != text.size();) {
    const char c = text[i];
    const std::size_t length = midend::displayed_length({text.data(), text.size()}, i);
    if (length == 0) {
      const auto byte = static_cast<unsigned char>(c);
      out += {'\\', '\\', 'x', digits[byte / 16], digits[byte % 16]};
      ++i;
      continue;
    }
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c == '<' || c == '>' || c == '&') {
      out += {'\\', 'u', '0', '0', digits[c / 16], digits[c % 16]};
    } else {
      out.append(text, i, length);
    }
    i += length;
  }
  out += '"';
}

void append_json_member(std::string& out, std::string_view separator, std::string_view key, std::string_view text) {
  out += separator;
  out += '"';
  out += key;
  out += "\":";
  append_json_string(out, text);
}

void append_json_lines(std::string& out, std::string_view text) {
  out += '[';
  for (bool is_first = true; !text.empty(); is_first = false) {
    const std::size_t end = text.find('\n');
    out += is_first ? "" : ",";
    append_json_string(out, text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  out += ']';
}

} // namespace midend_tool
