// Loop bodies read from the Elbrus-like IR: their text, their structure, and that an iteration of the body does what
// the program does.
#include "kit/allocations.hpp"
#include "kit/body_simulator.hpp"
#include "kit/loop_body_text.hpp"
#include "kit/random_programs.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/count_iterations.hpp>
#include <midend/induction/describe_loop.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/unrolling/advise_unrolling.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
using midend::body_id;
using midend::body_kind;
using midend::loop_body;
using midend::loop_forest;
using midend::loop_id;
using midend::loop_obstacle;
using midend::no_body_value;
using midend::no_value;
using midend::node_id;
using midend::value_id;
namespace elbrus = midend::elbrus;

namespace {

/// The cost rung without `users`, so that uses have to be searched for.
class view_without_users {
public:
  using constant_type = std::uint64_t;

  explicit view_without_users(const elbrus::procedure& p) : view_(p) {}

  const elbrus::procedure& graph() const { return view_.graph(); }

  std::size_t num_values() const { return view_.num_values(); }

  auto values(node_id n) const { return view_.values(n); }

  std::span<const value_id> operands(value_id v) const { return view_.operands(v); }

  bool is_phi(value_id v) const { return view_.is_phi(v); }

  value_id phi_input(value_id v, midend::edge_id e) const { return view_.phi_input(v, e); }

  value_id condition(node_id n) const { return view_.condition(n); }

  midend::operation_info operation(value_id v) const { return view_.operation(v); }

  std::optional<std::uint64_t> constant(value_id v) const { return view_.constant(v); }

  std::optional<std::uint64_t> fold(value_id v, std::span<const std::uint64_t> args) const {
    return view_.fold(v, args);
  }

  std::optional<std::uint64_t> edge_case(midend::edge_id e) const { return view_.edge_case(e); }

  std::optional<midend::operation_class> cost(value_id v) const { return view_.cost(v); }

  std::optional<midend::memory_reference> memory(value_id v) const { return view_.memory(v); }

  midend::effect_kind effect(value_id v) const { return view_.effect(v); }

  bool may_write(value_id v, std::uint32_t memory) const { return view_.may_write(v, memory); }

private:
  elbrus::cost_view view_;
};

static_assert(midend::cost_ir<view_without_users> && !midend::has_users<view_without_users>);
static_assert(!midend::has_guard<view_without_users> && !midend::has_trip_hints<view_without_users>);

/// A program in which stores and terminators have results that operations outside the vocabulary read: the one after a
/// store in its node, and the first one after a terminator with one way. The same with and without `users`.
class view_with_results : public view_without_users {
public:
  explicit view_with_results(const elbrus::procedure& p)
      : view_without_users(p), read_(p.num_values(), no_value), users_(p.num_values()) {
    for (node_id n = 0; n != p.num_nodes(); ++n) {
      value_id before = p.in_edges(n).size() == 1 ? last_of(p, p.edge_source(p.in_edges(n)[0])) : no_value;
      for (const value_id v : p.values(n)) {
        if (view_without_users::is_phi(v)) {
          continue;
        }
        const bool computes = effect(v) == midend::effect_kind::none && cost(v) != midend::operation_class::branch;
        if (before != no_value && computes) {
          read_[v] = before;
        }
        before = effect(v) == midend::effect_kind::writes ? v : no_value;
      }
    }
    for (node_id n = 0; n != p.num_nodes(); ++n) {
      for (const value_id v : p.values(n)) {
        for (const value_id operand : operands(v)) {
          if (operand != no_value) {
            users_[operand].push_back(v);
          }
        }
      }
    }
  }

  std::span<const value_id> operands(value_id v) const {
    return read_[v] == no_value ? view_without_users::operands(v) : std::span<const value_id>(&read_[v], 1);
  }

  midend::operation_info operation(value_id v) const {
    midend::operation_info info = view_without_users::operation(v);
    info.code = v < read_.size() && read_[v] != no_value ? midend::operation::other : info.code;
    return info;
  }

  std::optional<std::uint64_t> fold(value_id v, std::span<const std::uint64_t> args) const {
    return read_[v] == no_value ? view_without_users::fold(v, args) : std::nullopt;
  }

  std::size_t reads() const {
    return static_cast<std::size_t>(
        std::count_if(read_.begin(), read_.end(), [](value_id v) { return v != no_value; }));
  }

protected:
  const std::vector<value_id>& users_of(value_id v) const { return users_[v]; }

private:
  static value_id last_of(const elbrus::procedure& p, node_id n) {
    value_id last = no_value;
    for (const value_id v : p.values(n)) {
      last = v;
    }
    return last;
  }

  std::vector<value_id> read_; ///< by value: the only operand, or `no_value`
  std::vector<std::vector<value_id>> users_;
};

struct view_with_results_and_users : view_with_results {
  using view_with_results::view_with_results;

  const std::vector<value_id>& users(value_id v) const { return users_of(v); }
};

struct names_of {
  const elbrus::procedure& p;

  std::string value(value_id v) const { return std::string(p.value_name(v)); }

  std::string node(node_id n) const { return std::string(p.node_name(n)); }
};

/// A procedure with its loops.
struct described {
  elbrus::procedure p;
  loop_forest forest;
  midend::describe_loop_workspace workspace;
  loop_body body;

  explicit described(const elbrus::procedure& procedure) : p(procedure), forest(loops_of(p)) {}

  explicit described(std::string_view text) : described(parsed(text)) {}

  static elbrus::procedure parsed(std::string_view text) {
    elbrus::parse_result file = elbrus::parse(text);
    REQUIRE(file.diagnostics.empty());
    REQUIRE(elbrus::verify(file.program).empty());
    elbrus::construct_ssa(file.program);
    return file.program.procedures[0];
  }

  static loop_forest loops_of(const elbrus::procedure& p) { return midend::natural_loops(p, midend::dominators(p)); }

  loop_obstacle describe(loop_id l = 0) {
    return midend::describe_loop(elbrus::cost_view(p), forest, l, workspace, body);
  }

  std::string text(loop_id l = 0) {
    CHECK(describe(l) == loop_obstacle::none);
    return to_text(body, names_of{p});
  }
};

TEST_CASE("the body of a loop of one node") {
  described d("proc @p(%a: ptr, %n: i32) -> i32 {\n"
              "  node entry:\n"
              "    %zero = mov.i32 0\n"
              "    br loop\n"
              "  node loop hint trip=max:8 trip=multiple:4:\n"
              "    %i = phi.i32 [entry: %zero], [loop: %i1]\n"
              "    %s = phi.i32 [entry: %n], [loop: %s2]\n"
              "    %v = ld.i16 [%a + %i*2 + 6] alias=A\n"
              "    %w = sext.i16.i32 %v\n"
              "    %s1 = add.i32 %s, %w\n"
              "    %p = cmp.eq.i32 %i, 3\n"
              "    %s2 = shl.i32 %s1, 1 ? ~%p : 7\n"
              "    st.i32 %s2, [%a] volatile ? %p\n"
              "    %i1 = add.i32 %i, 1 nsw\n"
              "    %q = cmp.lt.i32 %i1, %n\n"
              "    br %q ? loop : exit\n"
              "  node exit:\n"
              "    %r = add.i32 %s2, %w\n"
              "    ret %r\n"
              "}\n");
  CHECK(d.text() == "0  phi i i32 : 2 15\n"
                    "1  phi s i32 : 3 13\n"
                    "2  constant 0 i32\n"
                    "3  invariant n i32\n"
                    "4  invariant a i64\n"
                    "5  constant 3 i32\n"
                    "6  constant 1 i32\n"
                    "7  constant 7 i32\n"
                    "block 0 loop from\n"
                    "8  load load v i16 [4 + 0*2 + 6] 2 bytes in 0\n"
                    "9  sext w i32 : 8\n"
                    "10  add alu s1 i32 : 1 9\n"
                    "11  cmp.eq compare p i1 : 0 5\n"
                    "12  shl shift s2 i32 : 10 6\n"
                    "13  select merge s2 i32 : 11 7 12\n"
                    "14  store store  i64 [4 + 0] 4 bytes = 13 if 11 volatile\n"
                    "15  add alu i1 i32 : 0 6 nsw\n"
                    "16  cmp.lt compare q i1 : 15 3\n"
                    "  edge 0 if 16 is 1 to 1\n"
                    "  edge 1 if 16 is 0 leaves to exit\n"
                    "block 1 bottom from 0\n"
                    " live out 9 13\n");
  CHECK(d.body.hints.average == 0);
  CHECK(d.body.hints.maximum == 8);
  CHECK(d.body.hints.multiple == 4);
}

TEST_CASE("of three backedges only the first has a different input") {
  described d("proc @p(%x: i32) {\n"
              "  node entry:\n"
              "    br head\n"
              "  node head:\n"
              "    %i = phi.i32 [entry: 0], [left: %x], [right: %i1], [right: %i1]\n"
              "    %i1 = add.i32 %i, 1\n"
              "    switch.i32 %i [1: left], default: right\n"
              "  node left:\n"
              "    br head\n"
              "  node right:\n"
              "    switch.i32 %i1 [5: head], [7: head], default: out\n"
              "  node out:\n"
              "    ret\n"
              "}\n");
  REQUIRE(d.describe() == loop_obstacle::none);
  const body_id next = d.body.next(0);
  REQUIRE(d.body.values[next].kind == body_kind::join);
  CHECK(d.body.operands_of(next).size() == 3);
}

TEST_CASE("blocks, joins, cases, several latches and exits") {
  described d("proc @p(%x: i32, %n: i32) -> i32 {\n"
              "  node entry:\n"
              "    br head\n"
              "  node head:\n"
              "    %i = phi.i32 [entry: 0], [left: %i1], [right: %i2], [right: %i1]\n"
              "    %k = phi.i32 [entry: %x], [left: %i], [right: %i], [right: %i]\n"
              "    %i1 = add.i32 %i, 1\n"
              "    switch.i32 %i [1: left], [5: mid], [9: mid], default: out\n"
              "  node mid:\n"
              "    %m = phi.i32 [head: %k], [head: %x]\n"
              "    br right\n"
              "  node left:\n"
              "    %l = cmp.lt.i32 %i, %n\n"
              "    br %l ? head : out\n"
              "  node right:\n"
              "    %i2 = add.i32 %m, 2\n"
              "    %r = cmp.eq.i32 %m, %n\n"
              "    switch.i1 %r [1: head], default: head\n"
              "  node out:\n"
              "    %o = phi.i32 [head: %i1], [left: %k]\n"
              "    ret %o\n"
              "}\n");
  CHECK(d.text() == "0  phi i i32 : 2 12\n"
                    "1  phi k i32 : 3 0\n"
                    "2  constant 0 i32\n"
                    "3  invariant x i32\n"
                    "4  constant 1 i32\n"
                    "5  invariant n i32\n"
                    "6  constant 2 i32\n"
                    "block 0 head from\n"
                    "7  add alu i1 i32 : 0 4\n"
                    "  edge 0 if 0 is 1 to 1\n"
                    "  edge 1 if 0 is 5 to 2\n"
                    "  edge 2 if 0 is 9 to 2\n"
                    "  edge 3 if 0 else leaves to out\n"
                    "block 1 left from 0\n"
                    "8  cmp.lt compare l i1 : 0 5\n"
                    "  edge 4 if 8 is 1 to 4\n"
                    "  edge 5 if 8 is 0 leaves to out\n"
                    "block 2 mid from 1 2\n"
                    "9  join merge m i32 : 1 3\n"
                    "  edge 6 to 3\n"
                    "block 3 right from 6\n"
                    "10  add alu i2 i32 : 9 6\n"
                    "11  cmp.eq compare r i1 : 9 5\n"
                    "  edge 7 if 11 is 1 to 4\n"
                    "  edge 8 if 11 else to 4\n"
                    "block 4 bottom from 4 7 8\n"
                    "12  join merge i i32 : 7 10 7\n"
                    " live out 1 7\n");
}

TEST_CASE("entering edges that are ignored, and those that differ") {
  const std::string head = "proc @p(%x: i32, %c: i1) -> i32 {\n"
                           "  node entry:\n";
  const std::string tail = "  node loop:\n"
                           "    %i = phi.i32 [first: 4], [second: 5], [loop: %i1]\n"
                           "    %j = phi.i32 [first: %x], [second: %x], [loop: %i]\n"
                           "    %i1 = add.i32 %i, %j\n"
                           "    %q = cmp.lt.i32 %i1, 100\n"
                           "    br %q ? loop : exit\n"
                           "  node exit:\n"
                           "    ret %i1\n"
                           "  node first:\n"
                           "    br loop\n"
                           "  node second:\n"
                           "    br loop\n"
                           "}\n";
  described only_first(head + "    br first\n" + tail);
  described both(head + "    br %c ? first : second\n" + tail);
  CHECK(only_first.text() == "0  phi i i32 : 2 5\n"
                             "1  phi j i32 : 3 0\n"
                             "2  constant 4 i32\n"
                             "3  invariant x i32\n"
                             "4  constant 100 i32\n"
                             "block 0 loop from\n"
                             "5  add alu i1 i32 : 0 1\n"
                             "6  cmp.lt compare q i1 : 5 4\n"
                             "  edge 0 if 6 is 1 to 1\n"
                             "  edge 1 if 6 is 0 leaves to exit\n"
                             "block 1 bottom from 0\n"
                             " live out 5\n");
  CHECK(both.text() == "0  phi i i32 : 2 5\n"
                       "1  phi j i32 : 3 0\n"
                       "2  invariant i i32\n"
                       "3  invariant x i32\n"
                       "4  constant 100 i32\n"
                       "block 0 loop from\n"
                       "5  add alu i1 i32 : 0 1\n"
                       "6  cmp.lt compare q i1 : 5 4\n"
                       "  edge 0 if 6 is 1 to 1\n"
                       "  edge 1 if 6 is 0 leaves to exit\n"
                       "block 1 bottom from 0\n"
                       " live out 5\n");
}

TEST_CASE("what cannot be described") {
  SUBCASE("a loop around another one") {
    described d("proc @p(%c: i1) {\n"
                "  node entry:\n"
                "    br outer\n"
                "  node outer:\n"
                "    br inner\n"
                "  node inner:\n"
                "    br %c ? inner : latch\n"
                "  node latch:\n"
                "    br outer\n"
                "}\n");
    CHECK(d.describe(0) == loop_obstacle::contains_loop);
    CHECK(d.describe(1) == loop_obstacle::none);
    CHECK(d.body.values.size() == 1); // the condition
    CHECK(d.body.values[0].kind == body_kind::invariant);
  }
  SUBCASE("a cycle with two entries inside; afterwards the workspace is as good as before") {
    described d("proc @p(%c: i1) {\n"
                "  node entry:\n"
                "    br head\n"
                "  node head:\n"
                "    br %c ? left : right\n"
                "  node left:\n"
                "    br %c ? right : head\n"
                "  node right:\n"
                "    br %c ? left : out\n"
                "  node out:\n"
                "    br self\n"
                "  node self:\n"
                "    br self\n"
                "}\n");
    CHECK(d.describe(0) == loop_obstacle::irreducible);
    CHECK(d.text(1) == "block 0 self from\n  edge 0 to 1\nblock 1 bottom from 0\n live out\n");
    CHECK(d.describe(0) == loop_obstacle::irreducible);
  }
}

/// The same, but nobody can tell how the header is left.
struct view_with_odd_control : elbrus::cost_view {
  using cost_view::cost_view;

  value_id condition(node_id) const { return no_value; }
};

TEST_CASE("control that no value decides") {
  const std::string text = "proc @p(%c: i1) {\n"
                           "  node entry:\n"
                           "    br loop\n"
                           "  node loop:\n";
  midend::describe_loop_workspace workspace;
  loop_body body;
  const described two(text + "    br %c ? loop : out\n  node out:\n    ret\n}\n");
  const described one(text + "    br loop\n}\n");
  CHECK(midend::describe_loop(view_with_odd_control(two.p), two.forest, 0, workspace, body) ==
        loop_obstacle::unusual_control);
  CHECK(midend::describe_loop(view_with_odd_control(one.p), one.forest, 0, workspace, body) == loop_obstacle::none);
}

// Average trips.

/// Of a loop whose iterations take the side way half of the time, and leave by `latch` and `side`.
double average_of(std::string_view head, std::string_view side, std::string_view latch) {
  described d("proc @p(%c: i1) count=10 {\n"
              "  node entry count=10:\n"
              "    br head\n"
              "  node head count=80 " +
              std::string(head) +
              ":\n"
              "    br %c ? side(0.5) : latch(0.5)\n"
              "  node side count=40:\n"
              "    br %c ? latch" +
              std::string(side) +
              "\n"
              "  node latch count=70:\n"
              "    br %c ? head" +
              std::string(latch) +
              "\n"
              "  node out count=20:\n"
              "    ret\n"
              "}\n");
  CHECK(d.describe() == loop_obstacle::none);
  return d.body.hints.average;
}

TEST_CASE("average trips come from hints, else from probabilities") {
  CHECK(average_of("hint trip=avg:7", "(0.75) : out(0.25)", "(0.9) : out(0.1)") == 7);
  CHECK(average_of("", "(1.0) : out(0.0)", "(0.9) : out(0.1)") == 10);
  CHECK(average_of("", "(0.8) : out(0.2)", "(1.0) : out(0.0)") == 10);
  CHECK(average_of("", "(0.5) : out(0.5)", "(0.6) : out(0.4)") == 1.818359375); // 1/0.55
  CHECK(average_of("", "(1.0) : out(0.0)", "(1.0) : out(0.0)") == 0);           // never leaves
  CHECK(average_of("", "(1.0) : out(0.0)", " : out") == 0);                     // `head` and `out` have two edges
}

TEST_CASE("average trips from counts of nodes") {
  described d("proc @p(%c: i1) {\n"
              "  node entry:\n"
              "    br head\n"
              "  node head count=80:\n"
              "    br %c ? head : out\n"
              "  node out count=20:\n"
              "    ret\n"
              "}\n");
  CHECK(d.describe() == loop_obstacle::none);
  CHECK(d.body.hints.average == 4);
}

// Classes of operations.

TEST_CASE("every operation has a class, or is free") {
  described d("proc @p(%i: i32, %b: i1, %c: i1, %f: f32, %d: f64, %a: ptr) {\n"
              "  node entry:\n"
              "    br loop\n"
              "  node loop:\n"
              "    %o0 = mov.i32 %i\n"
              "    %o1 = add.i32 %i, %i\n"
              "    %o2 = mul.i32 %i, %i\n"
              "    %o3 = urem.i32 %i, 3\n"
              "    %o4 = sar.i32 %i, 1\n"
              "    %o5 = shladd.i32 %i, 2, %i\n"
              "    %o6 = xor.i32 %i, %i\n"
              "    %o7 = xor.i1 %b, %c\n"
              "    %o8 = not.i1 %b\n"
              "    %o9 = select.i32 %b, %i, 1\n"
              "    %o10 = select.i1 %b, %c, %b\n"
              "    %o11 = umax.i32 %i, 1\n"
              "    %o12 = zext.i32.i64 %i\n"
              "    %o13 = itof.i32.f64 %i\n"
              "    %o14 = ftoi.f32.i32 %f\n"
              "    %o15 = fsub.f32 %f, %f\n"
              "    %o16 = fmul.f32 %f, %f\n"
              "    %o17 = fdiv.f32 %f, %f\n"
              "    %o18 = fdiv.f64 %d, %d\n"
              "    %o19 = fma.f64 %d, %d, %d\n"
              "    %o20 = fsqrt.f32 %f\n"
              "    %o21 = fsqrt.f64 %d\n"
              "    %o22 = cmp.ult.i32 %i, 4\n"
              "    %o23 = fcmp.uno.f64 %d, %d\n"
              "    %o24 = ld.f64 [%a]\n"
              "    st.f64 %d, [%a]\n"
              "    call @f(%i) clobbers=none\n"
              "    %o27 = fadd.f32 %f, %f ? %b : %f\n"
              "    br loop\n"
              "}\n");
  CHECK(d.describe() == loop_obstacle::none);
  const std::vector<std::string> expected = {"free",
                                             "alu",
                                             "integer_multiply",
                                             "integer_divide",
                                             "shift",
                                             "combined_alu",
                                             "alu",
                                             "predicate_logic",
                                             "predicate_logic",
                                             "merge",
                                             "predicate_logic",
                                             "alu",
                                             "free",
                                             "convert_to_fp",
                                             "convert_to_integer",
                                             "fp_add",
                                             "fp_multiply",
                                             "fp_divide_single",
                                             "fp_divide_double",
                                             "fused_multiply_add",
                                             "fp_sqrt_single",
                                             "fp_sqrt_double",
                                             "compare",
                                             "compare",
                                             "load",
                                             "store",
                                             "call",
                                             "fp_add",
                                             "merge"};
  std::vector<std::string> found;
  for (body_id v = d.body.blocks[0].first_value; v != d.body.blocks[0].last_value; ++v) {
    found.emplace_back(d.body.values[v].is_free ? "free" : name_of(d.body.values[v].cost));
  }
  CHECK(found == expected);
  CHECK(d.body.values[d.body.blocks[0].first_value + 26].kind == body_kind::call);
}

// Structure.

/// Operands come before their users, blocks before the targets of their edges, and lists agree.
void check_structure(const loop_body& body) {
  const auto check_before = [&](body_id operand, body_id user) { CHECK((operand == no_body_value || operand < user)); };
  body_id next = body.num_phis;
  while (next != body.num_values() && body.values[next].block == no_body_value) {
    ++next;
  }
  for (body_id v = 0; v != next; ++v) {
    CHECK((body.values[v].kind == body_kind::phi) == (v < body.num_phis));
    if (v < body.num_phis) {
      CHECK(body.initial(v) >= body.num_phis);
      CHECK(body.initial(v) < next);
      CHECK(body.next(v) < body.num_values());
    }
  }
  std::uint32_t edge = 0;
  for (std::uint32_t b = 0; b != body.blocks.size(); ++b) {
    const midend::body_block& block = body.blocks[b];
    CHECK(block.first_value == next);
    next = block.last_value;
    for (body_id v = block.first_value; v != block.last_value; ++v) {
      const midend::body_value& value = body.values[v];
      CHECK(value.block == b);
      for (const body_id operand : body.operands_of(v)) {
        CHECK(operand < v);
      }
      check_before(value.guard, v);
      if (value.kind == body_kind::join) {
        CHECK(value.num_operands == body.in_edges_of(b).size());
      } else if (value.kind == body_kind::load || value.kind == body_kind::store) {
        const midend::body_access& a = body.accesses[value.access];
        CHECK((a.stored != no_body_value) == (value.kind == body_kind::store));
        check_before(a.base, v);
        check_before(a.index, v);
        check_before(a.stored, v);
      }
    }
    check_before(block.condition, block.last_value);
    CHECK(block.first_edge == edge);
    for (; edge != block.last_edge; ++edge) {
      CHECK(body.edges[edge].source == b);
      const std::uint32_t target = body.edges[edge].target;
      if (target != midend::body_edge::leaves) {
        CHECK(target > b);
        const auto in = body.in_edges_of(target);
        CHECK(std::count(in.begin(), in.end(), edge) == 1);
      }
    }
    CHECK((block.last_edge - block.first_edge > 1) == (block.condition != no_body_value));
  }
  CHECK(next == body.num_values());
  CHECK(edge == body.edges.size());
}

/// By the definition: what a value outside the loop, or a phi there, reads.
std::vector<body_id> live_out_by_definition(const elbrus::procedure& p, const loop_forest& forest, loop_id l,
                                            const loop_body& body) {
  std::set<value_id> used;
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    if (!forest.contains(l, n)) {
      for (const value_id v : p.values(n)) {
        used.insert(p.operands(v).begin(), p.operands(v).end());
      }
    }
  }
  std::vector<body_id> out;
  for (body_id v = 0; v != body.num_values(); ++v) {
    const midend::body_value& value = body.values[v];
    const bool is_result = v + 1 == body.num_values() || body.values[v + 1].origin != value.origin ||
                           body.values[v].block == no_body_value;
    if (value.block != no_body_value && value.block != body.bottom() && is_result && used.count(value.origin) != 0) {
      out.push_back(v);
    }
  }
  return out;
}

bool same(const loop_body& a, const loop_body& b) {
  return to_text(a, midend::numbered_values()) == to_text(b, midend::numbered_values());
}

TEST_CASE("bodies of random programs are in order, and say what is used after the loop") {
  midend::describe_loop_workspace workspace;
  loop_body body;
  std::size_t described_loops = 0;
  std::size_t joins = 0;
  for_each_random_program(1500, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    CAPTURE(seed);
    for (elbrus::procedure p : g.program.procedures) {
      elbrus::construct_ssa(p);
      const loop_forest forest = described::loops_of(p);
      const elbrus::cost_view view(p);
      midend::loop_describer describer(view, forest, workspace);
      for (const loop_id l : forest.loops()) {
        const loop_obstacle obstacle = describer.describe(l, body);
        if (obstacle != loop_obstacle::none) {
          continue;
        }
        check_structure(body);
        const std::vector<body_id> expected = live_out_by_definition(p, forest, l, body);
        CHECK(std::equal(body.live_out.begin(), body.live_out.end(), expected.begin(), expected.end()));
        loop_body fresh;
        midend::describe_loop_workspace other;
        CHECK(midend::describe_loop(view, forest, l, other, fresh) == loop_obstacle::none);
        CHECK(same(body, fresh));
        ++described_loops;
        joins += static_cast<std::size_t>(std::count_if(
            body.values.begin(), body.values.end(), [](const auto& value) { return value.kind == body_kind::join; }));
      }
    }
  });
  CHECK(described_loops > affordable(500));
  CHECK(joins > affordable(500));
}

TEST_CASE("stores and terminators with results that the loop reads are operations of the body") {
  const auto machine = midend::scalar_core();
  std::size_t loops = 0;
  std::size_t reads = 0;
  random_program_options options = all_flow();
  options.guards = false;
  for_each_random_program(500, options, [&](const generated_program& g, std::uint64_t seed) {
    CAPTURE(seed);
    for (elbrus::procedure p : g.program.procedures) {
      elbrus::construct_ssa(p);
      const loop_forest forest = described::loops_of(p);
      const view_with_results view(p);
      const view_with_results_and_users other(p);
      reads += view.reads();
      midend::describe_loop_workspace workspace;
      midend::describe_loop_workspace other_workspace;
      midend::loop_describer describer(view, forest, workspace);
      midend::loop_describer other_describer(other, forest, other_workspace);
      midend::advise_unrolling_workspace advising;
      midend::unrolling_advice advice;
      loop_body body;
      loop_body other_body;
      for (const loop_id l : forest.loops()) {
        const loop_obstacle obstacle = describer.describe(l, body);
        CHECK(obstacle == other_describer.describe(l, other_body));
        if (obstacle == loop_obstacle::none) {
          ++loops;
          check_structure(body);
          check_structure(other_body);
          CHECK(body.live_out == other_body.live_out);
        }
        midend::advise_unrolling(view, forest, l, machine, {}, advising, advice);
        midend::advise_unrolling(other, forest, l, machine, {}, advising, advice);
      }
    }
  });
  CHECK(loops > affordable(200));
  CHECK(reads > affordable(2'000));
}

TEST_CASE("without users what is live out is the same") {
  random_program_options options = all_flow();
  options.guards = false;
  std::size_t compared = 0;
  for_each_random_program(500, options, [&](const generated_program& g, std::uint64_t seed) {
    CAPTURE(seed);
    for (elbrus::procedure p : g.program.procedures) {
      elbrus::construct_ssa(p);
      const loop_forest forest = described::loops_of(p);
      const elbrus::cost_view view(p);
      const view_without_users other(p);
      midend::describe_loop_workspace workspace;
      midend::loop_describer describer(view, forest, workspace);
      midend::describe_loop_workspace other_workspace;
      midend::loop_describer other_describer(other, forest, other_workspace);
      loop_body body;
      loop_body other_body;
      for (const loop_id l : forest.loops()) {
        CHECK(describer.describe(l, body) == other_describer.describe(l, other_body));
        CHECK(body.live_out == other_body.live_out);
        ++compared;
      }
    }
  });
  CHECK(compared > affordable(200));
}

// Meaning.

/// The memory of a run, and what operations of a procedure compute for which the vocabulary has no word.
class elbrus_world final : public body_world {
public:
  elbrus::memory memory;

  elbrus_world(const loop_body& body, const elbrus::procedure& p) : body_(body), p_(p) {}

  maybe_number load(body_id load, std::uint64_t address) override {
    return memory.load(p_.value(origin(load)).type, address);
  }

  void store(body_id store, std::uint64_t address, std::uint64_t bits) override {
    memory.store(p_.value(origin(store)).operand_type, address, bits);
  }

  /// As if the guard, if there is one, holds.
  maybe_number other(body_id operation, std::span<const std::uint64_t> arguments) override {
    const elbrus::value_record& record = p_.value(origin(operation));
    if (arguments.size() != p_.arguments(origin(operation)).size()) {
      return std::nullopt;
    }
    std::vector<std::uint64_t> operands(arguments.begin(), arguments.end());
    if (record.guarded) {
      operands.push_back(record.guard_negated ? 0 : 1);
      operands.resize(p_.operands(origin(operation)).size());
    }
    return elbrus::fold(p_, origin(operation), operands);
  }

private:
  value_id origin(body_id v) const { return body_.values[v].origin; }

  const loop_body& body_;
  const elbrus::procedure& p_;
};

/// Runs a procedure whose loops call the host at the top and at the end of each node, and checks there that the body,
/// run from what the host was told at the top, computes the same, and goes the same way.
class observed_run {
public:
  explicit observed_run(const elbrus::procedure& p) : p_(p), forest_(described::loops_of(p)) {
    const elbrus::cost_view view(p_);
    midend::describe_loop_workspace workspace;
    midend::loop_describer describer(view, forest_, workspace);
    observed_.procedures.push_back(p_);
    for (const loop_id l : forest_.loops()) {
      loop_body body;
      if (describer.describe(l, body) == loop_obstacle::none && !has_call(body)) {
        observe(body);
      }
    }
  }

  std::size_t iterations() const { return iterations_; }

  void run(const generated_program& g, std::size_t input) {
    elbrus::run_options options;
    options.step_limit = 4 * g.step_bound + 1000;
    options.record_events = false;
    options.host = [this](const elbrus::host_call& call) {
      meet(call);
      return elbrus::host_answer::done();
    };
    for (auto& loop : loops_) {
      loop->has_run = false;
    }
    elbrus::interpreter(observed_).run(0, g.inputs[input].arguments, g.inputs[input].memory, options);
  }

private:
  struct observed_loop {
    observed_loop(const loop_body& b, const elbrus::procedure& p) : body(b), world(body, p), simulator(body, world) {}

    loop_body body;
    bool has_run = false; ///< an iteration of the body: the next two are what came of it
    elbrus_world world;
    body_simulator simulator;
  };

  /// A call: of which loop, at the top or the end of a node, and which values of the body it passes.
  struct site {
    std::size_t loop;
    bool is_top;
    std::uint32_t block;
    std::vector<body_id> values;
  };

  static bool has_call(const loop_body& body) {
    return std::any_of(body.values.begin(), body.values.end(),
                       [](const auto& value) { return value.kind == body_kind::call; });
  }

  void observe(const loop_body& body) {
    loops_.push_back(std::make_unique<observed_loop>(body, p_));
    site top{loops_.size() - 1, true, 0, {}};
    for (body_id v = 0; v != body.blocks[0].first_value; ++v) {
      const bool is_known = body.values[v].kind == body_kind::phi || !p_.is_phi(body.values[v].origin) ||
                            !forest_.contains(loop_of(body), p_.value(body.values[v].origin).node);
      if (is_known && p_.value(body.values[v].origin).kind != elbrus::value_kind::undefined) {
        top.values.push_back(v);
      }
    }
    value_id first = no_value;
    for (const value_id v : p_.values(body.blocks[0].origin)) {
      first = first == no_value && !p_.is_phi(v) ? v : first;
    }
    call(first, top);
    for (std::uint32_t b = 0; b != body.bottom(); ++b) {
      site end{loops_.size() - 1, false, b, {}};
      for (body_id v = body.blocks[b].first_value; v != body.blocks[b].last_value; ++v) {
        const bool is_result = v + 1 == body.num_values() || body.values[v + 1].origin != body.values[v].origin;
        if (is_result && p_.value(body.values[v].origin).type != elbrus::type::none) {
          end.values.push_back(v);
        }
      }
      call(p_.terminator(body.blocks[b].origin), end);
    }
  }

  loop_id loop_of(const loop_body& body) const { return forest_.innermost_loop(body.blocks[0].origin); }

  void call(value_id before, const site& s) {
    elbrus::procedure& p = observed_.procedures[0];
    std::vector<value_id> arguments = {p.constant(elbrus::type::i64, sites_.size())};
    for (const body_id v : s.values) {
      arguments.push_back(loops_[s.loop]->body.values[v].origin);
    }
    p.insert_before(before, {.code = elbrus::opcode::call, .operands = arguments});
    sites_.push_back(s);
  }

  void meet(const elbrus::host_call& call) {
    const site& s = sites_[call.arguments[0].bits];
    observed_loop& loop = *loops_[s.loop];
    if (s.is_top) {
      begin(loop, s, call);
      return;
    }
    CHECK(loop.simulator.runs()[s.block]);
    for (std::size_t i = 0; i != s.values.size(); ++i) {
      CHECK(loop.simulator.values()[s.values[i]] == call.arguments[i + 1].bits);
    }
  }

  void begin(observed_loop& loop, const site& s, const elbrus::host_call& call) {
    const loop_body& body = loop.body;
    body_simulator& simulator = loop.simulator;
    const bool comes_back = loop.has_run && simulator.runs()[body.bottom()];
    std::vector<maybe_number> given(body.num_values());
    for (std::size_t i = 0; i != s.values.size(); ++i) {
      given[s.values[i]] = call.arguments[i + 1].bits;
    }
    for (body_id phi = 0; phi != body.num_phis; ++phi) {
      if (comes_back) {
        CHECK(simulator.values()[body.next(phi)] == given[phi]);
      } else if (given[body.initial(phi)].has_value()) {
        CHECK(given[body.initial(phi)] == given[phi]);
      }
    }
    if (comes_back) {
      CHECK(loop.world.memory == call.arrays);
    }
    loop.world.memory = call.arrays;
    for (body_id v = 0; v != body.blocks[0].first_value; ++v) {
      if (body.values[v].kind != body_kind::constant) {
        simulator.set(v, given[v]);
      } else if (given[v].has_value()) {
        CHECK(given[v] == body.values[v].bits);
      }
    }
    simulator.run_iteration();
    loop.has_run = true;
    ++iterations_;
  }

  elbrus::procedure p_;
  loop_forest forest_;
  elbrus::program observed_;
  std::vector<std::unique_ptr<observed_loop>> loops_;
  std::vector<site> sites_;
  std::size_t iterations_ = 0;
};

TEST_CASE("an iteration of the body does what the program does") {
  random_program_options options;
  options.calls = false;
  options.speculation = false;
  options.procedures = 1;
  options.steps = 2000;
  std::size_t iterations = 0;
  for_each_random_program(1500, options, [&](const generated_program& g, std::uint64_t seed) {
    CAPTURE(seed);
    elbrus::procedure p = g.program.procedures[g.entry];
    elbrus::construct_ssa(p);
    observed_run observed(p);
    for (std::size_t i = 0; i != g.inputs.size(); ++i) {
      observed.run(g, i);
    }
    iterations += observed.iterations();
  });
  CHECK(iterations > affordable(10'000));
}

TEST_CASE("once it has seen the loops of a program, it allocates nothing") {
  midend::describe_loop_workspace workspace;
  loop_body body;
  std::vector<elbrus::procedure> procedures;
  std::vector<loop_forest> forests;
  for_each_random_program(200, all_flow(), [&](const generated_program& g, std::uint64_t) {
    for (const elbrus::procedure& p : g.program.procedures) {
      procedures.push_back(p);
      elbrus::construct_ssa(procedures.back());
      forests.push_back(described::loops_of(procedures.back()));
    }
  });
  const auto describe_all = [&] {
    for (std::size_t i = 0; i != procedures.size(); ++i) {
      const elbrus::cost_view view(procedures[i]);
      midend::loop_describer describer(view, forests[i], workspace);
      for (const loop_id l : forests[i].loops()) {
        describer.describe(l, body);
      }
    }
  };
  CHECK(allocations_of(describe_all) != 0);
  CHECK(allocations_of(describe_all) == 0);
}

} // namespace
