// Tokens of the Elbrus-like IR: kinds and places, and that nothing but blanks and comments is between them.
#include "kit/test_graph.hpp"

#include <midend/elbrus/text/lexer.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

using namespace midend::elbrus;
using midend_tests::random_source;

namespace {

std::vector<token> tokens_of(std::string_view text) {
  std::vector<token> all;
  lexer l(text);
  do {
    all.push_back(l.next());
  } while (all.back().kind != token_kind::end);
  return all;
}

/// A letter for each token.
std::string kinds_of(std::string_view text) {
  std::string kinds;
  for (const token& t : tokens_of(text)) {
    kinds += "ewnvxp>s?"[static_cast<std::size_t>(t.kind)];
  }
  return kinds;
}

} // namespace

TEST_CASE("lexer: kinds") {
  CHECK(kinds_of("") == "e");
  CHECK(kinds_of("add.i32 _x a.b. A9") == "wwwwe");
  CHECK(kinds_of("0 12 0x1F 1.5e-3 0x1.8p+1 1e+5 -1 -inf -nan.0x1") == "nnnnnnnnne");
  CHECK(kinds_of("%a %0 $x $12 @f @a.b") == "vvxxppe");
  CHECK(kinds_of("-> ( ) [ ] { } = : , + * ? ~ -") == ">sssssssssssssse");
  CHECK(kinds_of("% $ @ %.a %1a ! ;") == "???????e");
  CHECK(kinds_of("%a+%i*4-8") == "vsvsnne");
  CHECK(kinds_of("%a - 8") == "vsne");
  CHECK(kinds_of("0xe+4") == "nsne");        // hexadecimal digits have no exponent
  CHECK(kinds_of("1e+x 0x1p-") == "nswnse"); // nor has one without digits
  CHECK(kinds_of("a # b\n# c\n d") == "wwe");
  CHECK(kinds_of("#") == "e");
  CHECK(kinds_of("a\r\n\tb\r") == "wwe");
  CHECK(kinds_of("\xef\xbb\xbf"
                 "a") == "we");
  CHECK(kinds_of("a\xef\xbb\xbf") == "w?e");
  CHECK(kinds_of("\xd0\xb6\xd0\xb6") == "??e"); // two characters
  CHECK(kinds_of("\x80\x80\xff") == "??e");     // and none
  CHECK(kinds_of(std::string_view("a\0b", 3)) == "w?we");
}

TEST_CASE("lexer: places") {
  const auto all = tokens_of("ab  %c # x\n\n  -> \td");
  REQUIRE(all.size() == 5);
  CHECK((all[0].location == source_location{1, 1} && all[0].first_in_line && all[0].text == "ab"));
  CHECK((all[1].location == source_location{1, 5} && !all[1].first_in_line && all[1].name() == "c"));
  CHECK((all[2].location == source_location{3, 3} && all[2].first_in_line));
  CHECK((all[3].location == source_location{3, 7} && !all[3].first_in_line));
  CHECK((all[4].location == source_location{3, 8} && all[4].kind == token_kind::end));
}

TEST_CASE("lexer: the end comes again and again") {
  lexer l("x");
  l.next();
  CHECK(l.next().kind == token_kind::end);
  CHECK(l.next().kind == token_kind::end);
}

TEST_CASE("lexer: of any bytes, nothing is lost") {
  constexpr std::string_view pieces = "ab09.%$@->()[]{}=:,+*?~#\n\r\t ex_\xd0\xb6\x80!\"\\";
  random_source random(3);
  for (int i = 0; i != 5000; ++i) {
    std::string text;
    for (std::size_t length = random.below(40); length-- != 0;) {
      text += pieces[random.below(static_cast<std::uint32_t>(pieces.size()))];
    }
    std::size_t at = 0;
    for (const token& t : tokens_of(text)) {
      const auto begin = static_cast<std::size_t>(t.text.data() - text.data());
      REQUIRE(begin >= at);
      bool comment = false;
      for (; at != begin; ++at) {
        comment = text[at] != '\n' && (comment || text[at] == '#');
        REQUIRE((comment || std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos));
      }
      REQUIRE((t.kind == token_kind::end) == t.text.empty());
      at += t.text.size();
    }
    CHECK(at == text.size());
  }
}

TEST_CASE("lexer: names") {
  static_assert(is_identifier("a") && is_identifier("_.9") && is_identifier("i32"));
  static_assert(!is_identifier("") && !is_identifier("9a") && !is_identifier(".a") && !is_identifier("a b"));
  static_assert(is_anonymous("0") && is_anonymous("") && !is_anonymous("1a"));
}
