#include <midend/support/display_text.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace {

bool displayable(const std::string& text) {
  return midend::is_displayable({text.data(), text.size()});
}

std::string in_utf8(unsigned code) {
  const auto tail = [](unsigned bits) { return static_cast<char>(0x80 | (bits & 0x3f)); };
  if (code < 0x80) {
    return {static_cast<char>(code)};
  }
  if (code < 0x800) {
    return {static_cast<char>(0xc0 | code >> 6), tail(code)};
  }
  if (code < 0x10000) {
    return {static_cast<char>(0xe0 | code >> 12), tail(code >> 6), tail(code)};
  }
  return {static_cast<char>(0xf0 | code >> 18), tail(code >> 12), tail(code >> 6), tail(code)};
}

} // namespace

TEST_CASE("which characters may be displayed: all but control characters and marks of direction") {
  std::size_t refused = 0;
  for (unsigned code = 0; code != 0x110000; ++code) {
    const std::string text = in_utf8(code);
    const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    const bool directs = code == 0x61c || code == 0x200e || code == 0x200f || code == 0x2028 || code == 0x2029 ||
                         (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    refused += is_control || directs ? 1u : 0u;
    if (displayable(text) == (is_control || directs)) {
      FAIL_CHECK("code point ", code);
    }
  }
  CHECK(refused == 32 + 33 + 3 + 7 + 4);
}

TEST_CASE("what is no UTF-8 may not be displayed") {
  CHECK(displayable(""));
  CHECK(displayable("plain, \xc3\xa4, \xe2\x82\xac"));
  for (const char* const text :
       {"\x9b", "\xff", "\xc3", "\xc3z", "\xe2\x82", "\xc0\x80", "a\x80", "\xf5\x80\x80\x80"}) {
    CAPTURE(text);
    CHECK_FALSE(displayable(text));
  }
}
