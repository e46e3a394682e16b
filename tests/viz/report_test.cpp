#include <midend/viz/report.hpp>
#include <midend/viz/words.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace report_test {

enum class color : std::uint8_t { red, green, blue };
enum class hurdle : std::uint8_t { none, wide, deep };
enum class unnamed : std::uint8_t { a };

struct refusal {
  color why;
  int place;
};

struct candidate {
  hurdle obstacle;
};

} // namespace report_test

MIDEND_BEGIN_NAMESPACE

template <>
inline constexpr auto words_of<report_test::color> = word_table<report_test::color>({
    {report_test::color::red, "it is red"},
    {report_test::color::green, "it is green"},
    {report_test::color::blue, "it is blue"},
});

template <>
inline constexpr auto words_of<report_test::hurdle> = word_table<report_test::hurdle>({
    {report_test::hurdle::none, "done"},
    {report_test::hurdle::wide, "too wide"},
    {report_test::hurdle::deep, "too deep"},
});

MIDEND_END_NAMESPACE

namespace {

using namespace midend;
using report_test::color;
using report_test::hurdle;

static_assert(to_text(color::green) == "it is green");
static_assert(to_text(static_cast<color>(3)) == "unknown");
static_assert(has_words<color> && !has_words<report_test::unnamed> && !has_words<int>);
static_assert(detail::is_enumerator<color::blue>() && !detail::is_enumerator<static_cast<color>(3)>());

report_table sizes() {
  report_table table{{{.key = "name", .title = "name"},
                      {.key = "size", .title = "size", .is_right = true},
                      {.title = "", .is_right = true},
                      {.key = "note", .title = "note", .least_width = 12},
                      {.key = "more", .title = "more"}},
                     {}};
  table.rows.push_back({"a", fraction(9, 4), "2.25", "<b> & \"c\"", std::uint64_t{7}});
  table.rows.push_back({report_value("long name").as("* long name"), std::uint32_t{12}, {}, std::string_view("x\ty")});
  return table;
}

} // namespace

TEST_CASE("counted_text: the noun before `of` and `with` gets the ending") {
  CHECK(detail::counted_text(1, "branch") == "1 branch");
  CHECK(detail::counted_text(0, "branch") == "0 branches");
  CHECK(detail::counted_text(2, "branch with equal edges") == "2 branches with equal edges");
  CHECK(detail::counted_text(3, "store of what is there") == "3 stores of what is there");
  CHECK(detail::counted_text(1, "store of what is there") == "1 store of what is there");
}

TEST_CASE("a table as text: aligned, without spaces at the end of lines; short rows are filled up") {
  CHECK(to_text(sizes(), 2) == "  name         size        note          more\n"
                               "  a             9/4  2.25  <b> & \"c\"     7\n"
                               "  * long name    12     -  x\ty\n");
  CHECK(to_text(report_table{}) == "");
  const report_table untitled{{{.key = "a"}, {.key = "b", .is_right = true}}, {{"x", "1"}, {"yy", "22"}}};
  CHECK(to_text(untitled) == "x    1\nyy  22\n");
  const report_table empty{{{.key = "a"}}, {{""}, {}}};
  CHECK(to_text(empty, 3) == "\n\n");
}

TEST_CASE("a table as JSON: an object for each row; columns without a key are left out") {
  CHECK(to_json(sizes()) ==
        R"([{"name": "a", "size": {"exact": "9/4", "value": 2.25}, "note": "<b> & \"c\"", "more": 7}, )"
        R"({"name": "long name", "size": 12, "note": "x\u0009y", "more": null}])");
  CHECK(to_json(report_table{}) == "[]");
  CHECK(report_value(fraction(3)).json() == R"({"exact": "3", "value": 3.0})");
  CHECK(report_value("a\xff\\\"\n\xc3\xa9\x7f").json() == "\"a\\\\xff\\\\\\\"\\u000a\xc3\xa9\\\\x7f\"");
}

TEST_CASE("a table as HTML: escaped") {
  CHECK(to_html(sizes()) == "<table>\n<tr><th>name</th><th>size</th><th></th><th>note</th><th>more</th></tr>\n"
                            "<tr><td>a</td><td align=\"right\">9/4</td><td align=\"right\">2.25</td>"
                            "<td>&lt;b> &amp; &quot;c&quot;</td><td>7</td></tr>\n"
                            "<tr><td>* long name</td><td align=\"right\">12</td><td align=\"right\">-</td>"
                            "<td>x y</td><td></td></tr>\n</table>\n");
}

TEST_CASE("a report as text, JSON and HTML") {
  report r{.heading = "loop \"1\"", .rows = {}, .table_key = "all", .table = {}};
  r.add("cost", "cost", std::uint64_t{18446744073709551615U});
  r.add_list("reasons", "why", {"one", "two"});
  r.add_list("none", "nothing", {});
  r.add("long", "a very long label", "text");
  CHECK(to_text(r) == "loop \"1\"\n"
                      "  cost        18446744073709551615\n"
                      "  why         one\n"
                      "              two\n"
                      "  a very long label text\n");
  CHECK(to_json(r) == R"({"heading": "loop \"1\"", "cost": 18446744073709551615, "reasons": ["one", "two"], )"
                      R"("none": [], "long": "text"})");
  CHECK(to_html(r) == "<h3>loop &quot;1&quot;</h3>\n<dl>\n<dt>cost</dt><dd>18446744073709551615</dd>\n"
                      "<dt>why</dt><dd>one</dd><dd>two</dd>\n<dt>a very long label</dt><dd>text</dd>\n</dl>\n");
  r.table = {{{.key = "n", .title = "n"}}, {{std::uint32_t{1}}}};
  CHECK(to_text(r).ends_with("text\n    n\n    1\n"));
  CHECK(to_json(r).ends_with(R"(, "all": [{"n": 1}]})"));
  CHECK(to_html(r).ends_with("</dl>\n<table>\n<tr><th>n</th></tr>\n<tr><td>1</td></tr>\n</table>\n"));
}

TEST_CASE("counts of what is done and refused, by reason in the order of the enumerators") {
  const std::vector<report_test::refusal> refused = {{color::blue, 1}, {color::red, 2}, {color::blue, 2}};
  CHECK(detail::plan_counts("nothing").done(0, "loop").text() == "nothing");
  CHECK(detail::plan_counts("nothing").done(2, "loop").done(1, "branch").refused(refused, "dispatch").text() ==
        "2 loops, 1 branch; refused: 1 dispatch (it is red), 2 dispatches (it is blue)");
  CHECK(detail::plan_counts("nothing")
            .refused(refused, "loop", [](const report_test::refusal& r) { return r.place == 2; })
            .text() == "nothing; refused: 1 loop (it is red), 1 loop (it is blue)");
  const std::vector<report_test::candidate> candidates = {{hurdle::deep}, {hurdle::none}, {hurdle::wide}};
  CHECK(detail::plan_counts("nothing").refused(candidates, "loop").text() ==
        "nothing; refused: 1 loop (too wide), 1 loop (too deep)");
}
