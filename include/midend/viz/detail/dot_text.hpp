/// Strings and attributes in the DOT language.
#pragma once

#include "midend/config.hpp"

#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Appends `words` as a quoted string that Graphviz shows unchanged: quotes, backslashes and text that looks like an
/// HTML entity have no special meaning. Newlines stay line breaks; other control characters, which no picture can show,
/// become spaces.
inline void append_dot_string(std::string& out, std::string_view words) {
  out += '"';
  for (const char c : words) {
    switch (c) {
    case '"':
    case '\\':
      out += '\\';
      out += c;
      break;
    case '&':
      out += "&amp;";
      break;
    case '\n':
      out += "\\n";
      break;
    default:
      out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
  }
  out += '"';
}

/// Appends a number, without a temporary.
inline void append_number(std::string& out, unsigned long long value) {
  char digits[20];
  char* first = digits + sizeof digits;
  do {
    *--first = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  out.append(first, digits + sizeof digits);
}

/// The attributes of a statement: `[a="x",b="y"]`, and nothing if there are none.
class dot_attributes {
public:
  explicit dot_attributes(std::string& out) : out_(out) {}

  dot_attributes(const dot_attributes&) = delete;
  dot_attributes& operator=(const dot_attributes&) = delete;

  ~dot_attributes() { out_ += used_ ? "];\n" : ";\n"; }

  dot_attributes& add(std::string_view name, std::string_view value) {
    out_ += used_ ? ", " : " [";
    used_ = true;
    out_ += name;
    out_ += '=';
    append_dot_string(out_, value);
    return *this;
  }

private:
  std::string& out_;
  bool used_ = false;
};

} // namespace detail

MIDEND_END_NAMESPACE
