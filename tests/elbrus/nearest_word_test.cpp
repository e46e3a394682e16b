#include <midend/elbrus/nearest_word.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string_view>

using midend::nearest_word;
using midend::spelling_distance;

static_assert(spelling_distance("", "") == 0);
static_assert(spelling_distance("rotate", "rotate") == 0);
static_assert(spelling_distance("", "abc") == 3);
static_assert(spelling_distance("abc", "") == 3);
static_assert(spelling_distance("kitten", "sitting") == 3);
static_assert(spelling_distance("rotaet", "rotate") == 1);
static_assert(spelling_distance("ca", "abc") == 3); // no character is changed twice

TEST_CASE("nearest_word") {
  const std::array<std::string_view, 4> words = {"rotate", "dce", "close-loops", "clean-control"};
  const auto nearest = [&](std::string_view wrong) {
    return nearest_word(wrong, words, [](std::string_view word) { return word; });
  };
  CHECK(nearest("rotaet") == "rotate");
  CHECK(nearest("rotate-loops") == "");
  CHECK(nearest("closeloops") == "close-loops");
  CHECK(nearest("clean_control") == "clean-control");
  CHECK(nearest("dec") == "dce");
  CHECK(nearest("xyz") == "");
  CHECK(nearest("") == "");
  CHECK(nearest("a word that is much longer than any word that has ever been compared") == "");
  const std::array<std::string_view, 3> equals = {"shl", "shr", "sar"};
  CHECK(nearest_word("sh", equals, [](std::string_view word) { return word; }) == "shl");
  CHECK(nearest_word("a", std::array<std::string_view, 1>{"b"}, [](std::string_view word) { return word; }) == "");
}
