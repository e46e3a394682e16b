#include <midend/elbrus/builder.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/viz/elbrus.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

using namespace midend::elbrus;
using midend::node_id;
using midend::value_id;

namespace {

procedure read(std::string_view text) {
  const parse_result result = parse(text);
  REQUIRE(result.diagnostics.empty());
  return result.program.procedures.at(0);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

constexpr std::string_view loop = R"(
proc @f(%n: i32) -> i32 count=10 {
  node entry count=10:
    br loop
  node loop count=200 hint trip=avg:20 trip=multiple:4:
    %i = phi.i32 [entry: 0], [loop: %next]
    %next = add.i32 %i, 1
    %more = cmp.lt.i32 %next, %n
    br %more ? loop(0.95) : exit(0.05)
  node exit count=10:
    ret %next
  node nowhere:
    br exit
}
)";

} // namespace

TEST_CASE("elbrus::to_dot: nodes, loops, edges") {
  const std::string dot = to_dot(read(loop));
  CHECK(dot.starts_with("digraph midend {\n"));
  CHECK(dot.ends_with("}\n"));
  CHECK(has(dot, R"(label="@f(%n: i32) -> i32 × 10")"));

  // Titles have name, count and hints; phis stand apart, and HTML means nothing in the text of operations.
  CHECK(has(dot, "<b>loop</b>"));
  CHECK(has(dot, "× 200<"));
  CHECK(has(dot, "trip ≈ 20<"));
  CHECK(has(dot, "trip a multiple of 4<"));
  CHECK(has(dot, R"(bgcolor="#f1ecf8"><font face="DejaVu Sans Mono" point-size="9" color="#101418">)"
                 R"(%i = phi.i32 [entry: 0], [loop: %next]<br align="left"/></font>)"));
  CHECK(has(dot, "br %more ? loop(0.95) : exit(0.05)<br"));

  // The hottest node is red, the others are not; what has no count is grey.
  CHECK(count_of(dot, R"(bgcolor="#f07050")") == 1);
  CHECK(has(dot, R"(bgcolor="#f07050"><font color="#000000"><b>loop</b>)"));
  CHECK(count_of(dot, R"(bgcolor="#eceff1")") == 1);

  // One box; the way back is drawn from the header.
  CHECK(count_of(dot, "subgraph cluster_loop") == 1);
  CHECK(has(dot, R"(label="loop loop, depth 1, average trip 20")"));
  CHECK(has(dot, R"(n1 -> n1 [label=" true 95%", penwidth="2.5", dir="back", color="#c2571a")"));
  CHECK(has(dot, R"(n1 -> n2 [label=" false 5%")"));
  CHECK(has(dot, "n0 -> n1 [penwidth="));

  // What is never reached is pale and moves nothing.
  CHECK(has(dot, R"(n3 [label=<<table border="1" color="#a0a8b0" style="dashed")"));
  CHECK(has(dot, R"(n3 -> n2 [style="dashed", color="#a0a8b0", fontcolor="#a0a8b0", constraint="false"])"));

  // As many brackets are closed as were opened.
  CHECK(count_of(dot, "{") == count_of(dot, "}"));
}

TEST_CASE("elbrus::to_dot: options") {
  const procedure p = read(loop);
  const std::string bare = to_dot(p, {.title = "a \"title\"", .loops = false, .operations = false});
  CHECK(has(bare, R"(label="a \"title\"")"));
  CHECK_FALSE(has(bare, "cluster_loop"));
  CHECK_FALSE(has(bare, "phi.i32"));
  CHECK(has(bare, "<b>loop</b>"));

  const std::string some = to_dot(p, {.most_operations = 2, .longest_line = 10});
  CHECK(has(some, "%i = phi.i …<br"));
  CHECK(has(some, "… 2 more<br align=\"left\"/>br %more ? …<br"));
  CHECK_FALSE(has(some, "%next = ad"));
  CHECK(to_dot(p, {.most_operations = 4}) == to_dot(p));
  CHECK(to_dot(p, {.most_operations = 0}) == to_dot(p, {.most_operations = 1}));
}

TEST_CASE("elbrus::to_dot: parallel edges, cases, irreducible flow, what was erased, what has no name") {
  const std::string cases = to_dot(read("proc @f(%x: i8) { node a: switch.i8 %x [1: b], [-1: b], default: c\n"
                                        "node b: ret\n node c: ret }"));
  CHECK(has(cases, "n0 -> n1 [label=\" 1\"];"));
  CHECK(has(cases, "n0 -> n1 [label=\" -1\"];"));
  CHECK(has(cases, "n0 -> n2 [label=\" default\"];"));

  const std::string twice_entered = to_dot(read("proc @f(%x: i1) { node a: br %x ? b : c\n"
                                                "node b: br c\n node c: br %x ? b : d\n node d: ret }"));
  CHECK(count_of(twice_entered, R"(dir="back", color="#b3123f", style="dashed")") == 1);
  CHECK_FALSE(has(twice_entered, "cluster_loop"));

  procedure p;
  builder b(p);
  b.at(b.node(""));
  const value_id x = b.add(type::i32, b.i32(1), b.i32(2));
  b.ret(x);
  const node_id gone = b.node("gone");
  p.erase_node(gone);
  b.at(b.node("a<b>&c"));
  b.ret(x);
  const std::string dot = to_dot(p);
  CHECK_FALSE(has(dot, "gone"));
  CHECK_FALSE(has(dot, "<b>&c"));
  CHECK(has(dot, "n2 ["));
  CHECK(has(dot, "add.i32 1, 2"));
}

TEST_CASE("elbrus::to_dot: nested loops close as they opened") {
  // Ten thousand loops in each other would overflow a stack if this were recursive.
  procedure p;
  builder b(p);
  constexpr node_id depth = 10'000;
  for (node_id n = 0; n != depth + 2; ++n) {
    b.node("n" + std::to_string(n));
  }
  const value_id c = b.parameter(type::i1, "c");
  b.at(0);
  b.jump(1);
  for (node_id n = 1; n != depth + 1; ++n) {
    b.at(n);
    b.branch(c, n + 1, n == 1 ? depth + 1 : n - 1);
  }
  b.at(depth + 1);
  b.ret();
  const std::string dot = to_dot(p);
  CHECK(count_of(dot, "subgraph cluster_loop") == depth - 1);
  CHECK(count_of(dot, "{") == count_of(dot, "}"));
}
