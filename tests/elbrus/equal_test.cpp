// Equality up to numbering: each part of a procedure makes a difference, numbers and what was erased make none.
#include <midend/elbrus/builder.hpp>
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace midend::elbrus;
using midend::edge_id;
using midend::node_id;
using midend::value_id;

namespace {

program read(std::string_view text) {
  const parse_result result = parse(text);
  REQUIRE(result.diagnostics.empty());
  return result.program;
}

constexpr std::string_view text = "proc @f(%a: ptr, %x: i32) -> i32 count=7 {\n"
                                  "  var $v: i32\n"
                                  "  node entry count=3 hint trip=avg:2:\n"
                                  "    $v = add.i32 %x, 1 nsw\n"
                                  "    %l = ld.i32 [%a + %x*4 + 8] alias=A\n"
                                  "    %p = cmp.lt.i32 %l, $v\n"
                                  "    st.i32 %x, [%a] alias=B ? %p\n"
                                  "    %g = sub.i32 %l, 2 ? ~%p : %x\n"
                                  "    %c = call.i32 @h(%x, i32 undef) clobbers=A,B\n"
                                  "    br %p ? left(0.25) : right\n"
                                  "  node left:\n"
                                  "    switch.i32 %c [1: right], [2: right], default: left\n"
                                  "  node right:\n"
                                  "    %r = phi.i32 [entry: 1], [left: 2], [left: %g]\n"
                                  "    ret %r\n"
                                  "}\n";

/// `text` with one part replaced.
std::string with(std::string_view part, std::string_view by) {
  std::string changed(text);
  const std::size_t at = changed.find(part);
  REQUIRE(at != std::string::npos);
  return changed.replace(at, part.size(), by);
}

struct change {
  std::string_view part;
  std::string_view by;
  std::string_view difference;
};

constexpr change changes[] = {
    {"@f", "@g", "@f: the name of the procedure"},
    {"-> i32", "-> i64", "@f: the type of the result"},
    {"count=7", "count=8", "@f: the count"},
    {"count=7", "mustprogress count=7", "@f: the promise 'mustprogress'"},
    {"%x: i32)", "%x: i64)", "@f: the parameters"},
    {", %x: i32)", ", %x: i32, %y: i32)", "@f: the parameters"},
    {"var $v: i32", "var $v: i32 var $w: i32", "@f: the variables"},
    {"var $v: i32", "var $v: i16", "@f: the variables"},
    {"count=3", "", "@f: the count of node entry"},
    {"trip=avg:2", "trip=max:2", "@f: the hint of node entry"},
    {"$v = add.i32 %x, 1 nsw", "$v = add.i32 %x, 1", "@f: node entry, $v"},
    {"$v = add.i32 %x, 1 nsw", "$v = add.i32 %x, 2 nsw", "@f: node entry, $v"},
    {"$v = add.i32 %x, 1 nsw", "$v = add.i64 %x, 1 nsw", "@f: node entry, $v"},
    {"$v = add.i32 %x, 1 nsw", "%w = add.i32 %x, 1 nsw", "@f: node entry, $v"},
    {"*4 + 8", "*2 + 8", "@f: node entry, %l"},
    {"*4 + 8", "*4 + 9", "@f: node entry, %l"},
    {"%x*4 + 8", "8", "@f: node entry, %l"},
    {"alias=A", "alias=B", "@f: node entry, %l"},
    {" alias=A", "", "@f: node entry, %l"},
    {"cmp.lt.i32", "cmp.le.i32", "@f: node entry, %p"},
    {"cmp.lt.i32", "cmp.lt.i64", "@f: node entry, %p"},
    {"alias=B ? %p", "alias=B ? ~%p", "@f: node entry, st.i32"},
    {"alias=B ? %p", "alias=B", "@f: node entry, st.i32"},
    {"~%p : %x", "~%p : 0", "@f: node entry, %g"},
    {"@h", "@i", "@f: node entry, %c"},
    {"i32 undef", "i32 0", "@f: node entry, %c"},
    {"clobbers=A,B", "clobbers=A", "@f: node entry, %c"},
    {"clobbers=A,B", "clobbers=A,C", "@f: node entry, %c"},
    {"clobbers=A,B", "clobbers=none", "@f: node entry, %c"},
    {"left(0.25)", "left(0.5)", "@f: edge 0 from node entry"},
    {"left(0.25)", "left", "@f: edge 0 from node entry"},
    {"left(0.25) : right", "right(0.25) : left", "@f: edge 0 from node entry"},
    {"[2: right]", "[3: right]", "@f: edge 1 from node left"},
    {"default: left", "default: right", "@f: edge 2 from node left"},
    {"[left: 2], [left: %g]", "[left: %g], [left: 2]", "@f: node right, %r"},
    {"    ret %r\n", "    %q = mov.i32 %r ret %r\n", "@f: the number of operations in node right"},
    {"    ret %r\n", "    ret %r\n node more: ret %r\n", "@f: the number of nodes"},
};

} // namespace

TEST_CASE("equal: each part makes a difference") {
  const program a = read(text);
  CHECK(difference(a, a) == "");
  CHECK(difference(a, read(to_text(a))) == "");
  for (const change& c : changes) {
    CAPTURE(std::string(c.part));
    CAPTURE(std::string(c.by));
    const std::string other = with(c.part, c.by);
    // Some edits need a companion to stay readable: phi entries follow edges.
    parse_result b = parse(other);
    if (!b.diagnostics.empty() && c.part == "default: left") {
      b = parse(std::string(other).replace(other.find("[left: %g]"), 10, "[left: %g], [left: 3]"));
    }
    REQUIRE(b.diagnostics.empty());
    CHECK(difference(a, b.program) == c.difference);
    CHECK_FALSE(difference(b.program, a).empty());
    CHECK_FALSE(equal(a, b.program));
  }
  CHECK(difference(a, program()) == "the number of procedures: 1 and 0");
}

TEST_CASE("equal: names count, unless asked otherwise") {
  const program a = read(text);
  const program named = read("proc @f(%x: i32) { node a: %y = mov.i32 %x ret }");
  const program other_value = read("proc @f(%x: i32) { node a: %z = mov.i32 %x ret }");
  const program other_node = read("proc @f(%x: i32) { node b: %y = mov.i32 %x ret }");
  const program other_parameter = read("proc @f(%z: i32) { node a: %y = mov.i32 %z ret }");
  CHECK(difference(named, other_value) == "@f: node a, %y");
  CHECK(difference(named, other_node) == "@f: the name of node a");
  CHECK(difference(named, other_parameter) == "@f: the parameters");
  for (const program& b : {other_value, other_node, other_parameter}) {
    CHECK(equal(named, b, names_compared::no));
  }
  const program unnamed = read("proc @f(%x: i32) { node a: %0 = mov.i32 %x ret }");
  CHECK(difference(named, unnamed) == "@f: node a, %y");
  CHECK(equal(unnamed, read("proc @f(%x: i32) { node a: %7 = mov.i32 %x ret }")));
}

TEST_CASE("equal: numbers, order of edges into a node, and what was erased make no difference") {
  const auto diamond = [](bool otherwise) {
    procedure p;
    p.set_name("f");
    builder b(p);
    const value_id c = b.parameter(type::i1, "c");
    const node_id entry = b.node("entry");
    node_id gone = 0;
    if (otherwise) {
      gone = b.node("gone");
      b.literal(type::i32, 77);
    }
    const node_id left = b.node("left");
    const node_id right = b.node("right");
    const node_id join = b.node("join");
    b.at(join);
    const value_id r = b.phi(type::i32, "r");
    b.ret();
    edge_id from_left = 0;
    edge_id from_right = 0;
    const auto write_left = [&] {
      b.at(left);
      from_left = b.jump(join);
    };
    const auto write_right = [&] {
      b.at(right);
      from_right = b.jump(join);
    };
    if (otherwise) {
      write_right();
      write_left();
      b.at(gone);
      b.mov(type::i32, b.i32(4));
      b.jump(join);
      p.erase_node(gone);
    } else {
      write_left();
      write_right();
    }
    b.at(entry);
    b.branch(c, left, right);
    b.input(r, from_left, b.i32(1));
    b.input(r, from_right, b.i32(2));
    return p;
  };
  CHECK(difference(diamond(false), diamond(true)) == "");
  CHECK(difference(diamond(true), diamond(false)) == "");
  procedure swapped = diamond(true);
  const value_id phi = swapped.node(4).first;
  swapped.set_phi_input(phi, swapped.in_edges(4)[0], swapped.constant(type::i32, 1));
  swapped.set_phi_input(phi, swapped.in_edges(4)[1], swapped.constant(type::i32, 2));
  CHECK(difference(diamond(false), swapped) == "@f: node join, %r");
}
