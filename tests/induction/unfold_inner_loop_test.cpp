// unfold_inner_loop: the loop around as a body of its own, with the copies of the inner loop in it.
#include "kit/run_text.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/count_iterations.hpp>
#include <midend/induction/describe_loop.hpp>
#include <midend/induction/unfold_inner_loop.hpp>
#include <midend/loops/dominators_and_loops.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::body_id;
using midend::body_kind;
using midend::body_value;
using midend::loop_body;
using midend::loop_id;
using midend::loop_obstacle;
using midend::no_body_value;

namespace {

/// The innermost loop of the only procedure, unfolded in the loop around.
struct unfolded {
  elbrus::program source;
  loop_obstacle obstacle = loop_obstacle::none;
  bool done = false;
  loop_body inner;
  loop_body around;
  loop_body body;

  explicit unfolded(std::string_view text) : source(program_of(text)) {
    const elbrus::procedure& p = source.procedures[0];
    const auto found = midend::dominators_and_loops(p);
    const elbrus::cost_view view(p);
    midend::describe_loop_workspace workspace;
    midend::loop_describer<elbrus::cost_view> describer(view, found.loops, workspace);
    const auto innermost = static_cast<loop_id>(found.loops.num_loops() - 1);
    REQUIRE(describer.describe(innermost, inner) == loop_obstacle::none);
    obstacle = describer.describe_around(innermost, around);
    if (obstacle == loop_obstacle::none) {
      const midend::loop_counters counters = midend::count_iterations(inner);
      midend::unfold_inner_loop_workspace memory;
      done = midend::unfold_inner_loop(around, inner, counters, memory, body);
      loop_body again;
      CHECK(midend::unfold_inner_loop(around, inner, counters, memory, again) == done);
      CHECK(again.values.size() == body.values.size());
    }
  }

  std::size_t count(body_kind kind) const {
    return static_cast<std::size_t>(
        std::count_if(body.values.begin(), body.values.end(), [&](const body_value& v) { return v.kind == kind; }));
  }
};

/// What each body promises: operands come before their users, edges lead down, blocks and values refer to each other.
void check_form(const loop_body& body) {
  for (body_id v = 0; v != body.num_values(); ++v) {
    const body_value& value = body.values[v];
    std::vector<body_id> read;
    for (const body_id o : body.operands_of(v)) {
      read.push_back(o);
    }
    if (v < body.num_phis) {
      REQUIRE(read.size() == 2);
      CHECK(read[1] < body.num_values());
      continue;
    }
    if (value.kind == body_kind::load || value.kind == body_kind::store) {
      const midend::body_access& a = body.accesses[value.access];
      for (const body_id o : {a.base, a.index, a.stored}) {
        if (o != no_body_value) {
          read.push_back(o);
        }
      }
    }
    for (const body_id o : read) {
      CHECK(o < v);
    }
    if (value.kind == body_kind::join) {
      CHECK(value.num_operands == body.in_edges_of(value.block).size());
    }
    CHECK((value.block == no_body_value || value.block < body.blocks.size()));
  }
  for (std::uint32_t b = 0; b != body.blocks.size(); ++b) {
    const midend::body_block& block = body.blocks[b];
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      CHECK(body.edges[e].source == b);
      CHECK((body.edges[e].target == midend::body_edge::leaves || body.edges[e].target > b));
    }
    CHECK((block.condition != no_body_value) == (block.last_edge - block.first_edge > 1));
    for (body_id v = block.first_value; v != block.last_value; ++v) {
      CHECK(body.values[v].block == b);
    }
    CHECK((b == 0 || !body.in_edges_of(b).empty()));
  }
  CHECK(std::is_sorted(body.live_out.begin(), body.live_out.end()));
}

constexpr std::string_view bottom = R"(
proc @p(%a: ptr, %n: i32) -> i32 {
  node entry:
    br outer
  node outer:
    %i = phi.i32 [entry: 0], [latch: %i1]
    %s = phi.i32 [entry: 0], [latch: %t1]
    br inner
  node inner:
    %k = phi.i32 [outer: 0], [inner: %k1]
    %t = phi.i32 [outer: %s], [inner: %t1]
    %at = add.i32 %i, %k
    %x = ld.i32 [%a + %at*4]
    %t1 = add.i32 %t, %x
    %k1 = add.i32 %k, 1 nsw
    %more = cmp.lt.i32 %k1, 3
    br %more ? inner : latch
  node latch:
    %i1 = add.i32 %i, 1 nsw
    %q = cmp.lt.i32 %i1, %n
    br %q ? outer : exit
  node exit:
    ret %t1
})";

/// Tested first; two backedges, with different values; the loop around ends where the inner one does.
constexpr std::string_view top = R"(
proc @p(%a: ptr, %n: i32) -> i32 {
  node entry:
    br outer
  node outer:
    %i = phi.i32 [entry: 0], [head: %i1]
    %i1 = add.i32 %i, 1 nsw
    br head
  node head:
    %k = phi.i32 [outer: 0], [work: %k1], [other: %k1]
    %t = phi.i32 [outer: %i], [work: %x], [other: %y]
    %go = cmp.lt.i32 %k, 2
    br %go ? work : outer
  node work:
    %x = ld.i32 [%a + %k*4]
    %k1 = add.i32 %k, 1 nsw
    %p = cmp.lt.i32 %x, %n
    br %p ? other : head
  node other:
    %y = mul.i32 %x, %t
    br head
})";

std::string with(std::string_view text, std::string_view old, std::string_view fresh) {
  std::string out(text);
  const std::size_t at = out.find(old);
  REQUIRE(at != std::string::npos);
  return out.replace(at, old.size(), fresh);
}

} // namespace

TEST_CASE("unfolded inner loop: each copy begins with what the one before leaves") {
  const unfolded u(bottom);
  REQUIRE(u.obstacle == loop_obstacle::none);
  REQUIRE(u.done);
  check_form(u.body);
  CHECK(u.body.num_phis == 2);
  CHECK(u.body.blocks.size() == 1 + 3 + 1 + 1); // outer, three copies, latch, bottom
  CHECK(u.count(body_kind::load) == 3);
  CHECK(u.count(body_kind::call) == 0);
  std::vector<body_id> loads;
  for (body_id v = 0; v != u.body.num_values(); ++v) {
    if (u.body.values[v].kind == body_kind::load) {
      loads.push_back(v);
    }
  }
  // t1 of the first copy is s + x, and each other one that of the copy before + x; the last is the next s.
  body_id sum = 1; // the phi s
  for (const body_id load : loads) {
    CHECK(u.body.operands_of(load + 1)[0] == sum);
    CHECK(u.body.operands_of(load + 1)[1] == load);
    sum = load + 1;
  }
  CHECK(u.body.next(1) == sum);
  CHECK(std::find(u.body.live_out.begin(), u.body.live_out.end(), sum) != u.body.live_out.end());
  CHECK(midend::count_iterations(u.body).exits.size() == 1);
  CHECK(midend::count_iterations(u.body).is_computable());
}

TEST_CASE("unfolded inner loop: of one that is tested first, the last copy is its header") {
  const unfolded u(top);
  REQUIRE(u.obstacle == loop_obstacle::none);
  REQUIRE(u.done);
  check_form(u.body);
  CHECK(u.count(body_kind::load) == 2);
  CHECK(u.count(body_kind::join) == 2);             // of t, in the two copies that run
  CHECK(u.body.blocks.size() == 1 + 2 * 4 + 1 + 1); // outer, two copies with their bottoms, a header, the bottom
  CHECK(midend::count_iterations(u.body).exits.empty());
}

TEST_CASE("unfolded inner loop: one that is left in its first iteration leaves its header") {
  const unfolded u(with(top, "cmp.lt.i32 %k, 2", "cmp.lt.i32 %k, 0"));
  REQUIRE(u.done);
  check_form(u.body);
  CHECK(u.count(body_kind::load) == 0);
}

TEST_CASE("unfolded inner loop: it reads a header phi of the loop around, which has several latches") {
  const unfolded u(R"(
proc @f(%n: i32, %x: i32) -> i32 {
  node entry:
    br outer
  node outer:
    %i = phi.i32 [entry: 0], [left: %i1], [right: %i1]
    %s = phi.i32 [entry: 0], [left: %t1], [right: %x]
    br inner
  node inner:
    %k = phi.i32 [outer: 0], [inner: %k1]
    %t = phi.i32 [outer: 1], [inner: %t1]
    %m = mul.i32 %t, %s
    %t1 = add.i32 %m, %k
    %k1 = add.i32 %k, 1
    %more = cmp.lt.i32 %k1, 3
    br %more ? inner : after
  node after:
    %i1 = add.i32 %i, 1
    %q = cmp.lt.i32 %i1, %n
    br %q ? choose : exit
  node choose:
    %odd = cmp.lt.i32 %t1, %x
    br %odd ? left : right
  node left:
    br outer
  node right:
    br outer
  node exit:
    ret %t1
})");
  REQUIRE(u.done);
  check_form(u.body);
  CHECK(u.count(body_kind::join) == 1); // of %s
  std::size_t products = 0;
  for (body_id v = 0; v != u.body.num_values(); ++v) {
    if (u.body.values[v].kind == body_kind::pure && u.body.values[v].info.code == midend::operation::mul) {
      ++products;
      CHECK(u.body.operands_of(v)[1] == 1); // the phi, in each copy
    }
  }
  CHECK(products == 3);
}

TEST_CASE("unfolded inner loop: refused") {
  CHECK(!unfolded(with(bottom, "cmp.lt.i32 %k1, 3", "cmp.lt.i32 %k1, %n")).done); // its number is not known
  // Entered by two edges with different values.
  const std::string two =
      with(with(bottom, "    br inner\n",
                "    %c = cmp.lt.i32 %i, 5\n    br %c ? inner : left\n  node left:\n    br inner\n"),
           "%k = phi.i32 [outer: 0]", "%k = phi.i32 [outer: 0], [left: 1]");
  const unfolded u(with(two, "%t = phi.i32 [outer: %s]", "%t = phi.i32 [outer: %s], [left: %i]"));
  CHECK(!u.done);
  // Left to the outside of the loop around.
  CHECK(unfolded(with(bottom, "br %more ? inner : latch", "br %more ? inner : exit")).obstacle != loop_obstacle::none);
}
