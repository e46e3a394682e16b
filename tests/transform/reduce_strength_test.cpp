// Strength reduction: certified, run, and with seeded mistakes that the checker has to reject.
#include "kit/affordable.hpp"
#include "kit/nest_generator.hpp"
#include "kit/run_text.hpp"
#include "kit/semantic_ir.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/transform/reduce_strength.hpp>
#include <midend/transform/remove_dead_code.hpp>
#include <midend/transform/verify_strength.hpp>
#include <midend/viz/strength.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using elbrus::cost_view;
using elbrus::procedure;
using midend::strength_obstacle;

namespace {

const midend::machine_model& machine() {
  static const midend::machine_model m = midend::e2k_reference_v6();
  return m;
}

/// Rounds until nothing is left, each with its certificate. Returns the number of counters.
std::size_t reduce(procedure& p) {
  std::size_t counters = 0;
  for (bool changed = true; changed;) {
    const procedure before = p;
    elbrus::editor e(p);
    const midend::strength_plan done = midend::reduce_strength(e, machine());
    const auto verdict = midend::verify_strength(cost_view(before), cost_view(p));
    CHECK_MESSAGE(verdict, midend::to_text(verdict), "\n", elbrus::to_text(before), elbrus::to_text(p));
    CHECK(why_ill_formed(p) == "");
    CHECK(verdict.proven >= done.values.size());
    changed = !done.empty() && verdict;
    counters += done.values.size();
  }
  return counters;
}

std::string reduced_and_cleaned(std::string_view text) {
  elbrus::program all = program_of(text);
  reduce(all.procedures[0]);
  elbrus::editor e(all.procedures[0]);
  midend::remove_dead_code(e);
  return elbrus::to_text(all.procedures[0]);
}

/// A loop over `%i` from 0 to before 100 with a body and a store of what it computes.
std::string loop_of(const std::string& parameters, const std::string& body, const std::string& address) {
  return "proc @f(%a: ptr" + parameters + R"() {
  node entry:
    br loop
  node loop:
    %i = phi.i64 [entry: 0], [loop: %i1]
)" + body +
         "    st.i64 %i, [" + address + R"(]
    %i1 = add.i64 %i, 1 nsw
    %more = cmp.lt.i64 %i1, 100
    br %more ? loop : exit
  node exit:
    ret
}
)";
}

strength_obstacle obstacle(const std::string& text, std::string_view name) {
  const elbrus::program all = program_of(text);
  const procedure& p = all.procedures[0];
  const midend::strength_plan plan = midend::plan_reduce_strength(cost_view(p), machine());
  for (const midend::strength_refusal& r : plan.refused) {
    if (p.value_name(r.value) == name) {
      return r.why;
    }
  }
  return strength_obstacle::none;
}

/// A nest that can be edited, and says what operations do.
class editable_nest : public semantic_program {
public:
  explicit editable_nest(semantic_program p) : semantic_program(std::move(p)) {}

  value_id insert_phi(node_id n, value_id like) { return phi_at_head(n, operation(like).width); }

  value_id make_operation(const midend::operation_info& info, std::span<const value_id> operands, midend::place p) {
    return op(p.node, info.code, {operands.begin(), operands.end()}, info.width, info.operand_width, info.flags);
  }

  value_id make_number(unsigned width, std::uint64_t bits) { return literal(bits, width); }

  void replace_uses(value_id v, value_id by) {
    for (node_id n = 0; n != graph().num_nodes(); ++n) {
      CHECK(condition(n) != v); // a bit is no counter
      for (const value_id user : values(n)) {
        std::vector<value_id> all(operands(user).begin(), operands(user).end());
        std::replace(all.begin(), all.end(), v, by);
        set_operands(user, all);
      }
    }
  }

  void erase_value(value_id) { FAIL("each operation is made"); }

  void set_phi_input(value_id phi, midend::edge_id e, value_id v) { set_input(phi, e, v); }

  midend::effect_kind effect(value_id v) const {
    return is_call(v) ? midend::effect_kind::unknown : midend::effect_kind::none;
  }

  bool may_trap(value_id v) const {
    const auto info = operation(v);
    const auto second = operands(v).size() < 2 ? std::nullopt : constant(operands(v)[1]);
    return info.code == midend::operation::other ||
           (midend::is_partial(info.code) && !(second && midend::is_total_with(info, *second)));
  }

  bool may_not_return(value_id v) const { return never_returns(v); }

  bool may_duplicate(value_id) const { return true; }

  bool is_volatile(value_id) const { return false; }

  bool is_terminator(value_id) const { return false; }

  bool same_operation(value_id v, const editable_nest& other, value_id w) const {
    if (constant(v) || other.constant(w)) {
      return constant(v) == other.constant(w) && operation(v).width == other.operation(w).width;
    }
    return (node(v) != midend::no_node || v == w) && operation(v) == other.operation(w) &&
           is_call(v) == other.is_call(w) && is_undefined(v) == other.is_undefined(w);
  }
};

using bits_of_values = std::vector<std::pair<value_id, std::uint64_t>>;

/// What the first `count` values are in a run, in its order.
bits_of_values run_nest(const semantic_program& p, const std::vector<std::uint64_t>& arguments, std::size_t count,
                        std::size_t steps) {
  bits_of_values out;
  std::uint64_t calls = 0;
  interpret(
      p, arguments, steps, [&](unsigned width) { return ++calls * 0x9e37'79b9'7f4a'7c15 & midend::low_ones(width); },
      [&](value_id v, std::uint64_t bits) {
        if (v < count) {
          out.push_back({v, bits});
        }
      },
      [](midend::edge_id) {});
  return out;
}

} // namespace

TEST_CASE("reduce_strength: a product of a counter becomes a counter") {
  CHECK(reduced_and_cleaned(loop_of(", %n: i64", "    %offset = mul.i64 %i, %n\n", "%a + %offset*8")) ==
        R"(proc @f(%a: ptr, %n: i64) {
  node entry:
    br loop
  node loop:
    %0 = phi.i64 [entry: 0], [loop: %1]
    %i = phi.i64 [entry: 0], [loop: %i1]
    st.i64 %i, [%a + %0*8]
    %i1 = add.i64 %i, 1 nsw
    %more = cmp.lt.i64 %i1, 100
    %1 = add.i64 %0, %n
    br %more ? loop : exit
  node exit:
    ret
}
)");
}

TEST_CASE("reduce_strength: the whole expression goes, with a start that is computed once") {
  const std::string text = reduced_and_cleaned(loop_of(
      ", %n: i64, %m: i64", "    %next = add.i64 %i, 3\n    %row = mul.i64 %next, %n\n    %offset = add.i64 %row, %m\n",
      "%a + %offset"));
  CHECK(text.find("mul.i64 %n, 3") < text.find("node loop"));
  CHECK(text.find("mul", text.find("node loop")) == std::string::npos);
  CHECK(text.find("%next") == std::string::npos);
}

TEST_CASE("reduce_strength: numbers in more bits, by promises only") {
  for (const bool promised : {false, true}) {
    elbrus::program all = program_of(
        std::string("proc @f(%a: ptr, %n: i64, %last: i32) {\n  node entry:\n    br loop\n  node loop:\n"
                    "    %i = phi.i32 [entry: 0], [loop: %i1]\n    %wide = sext.i32.i64 %i\n"
                    "    %offset = mul.i64 %wide, %n\n    st.i32 %i, [%a + %offset]\n    %i1 = add.i32 %i, 1") +
        (promised ? " nsw" : "") +
        "\n    %more = cmp.ne.i32 %i1, %last\n    br %more ? loop : exit\n  node exit:\n    ret\n}\n");
    CHECK(reduce(all.procedures[0]) == (promised ? 1 : 0));
  }
}

TEST_CASE("reduce_strength: outer loops, and counters that start with counters") {
  elbrus::program all = program_of(R"(proc @f(%a: ptr, %n: i64, %m: i64) {
  node entry:
    br rows
  node rows:
    %i = phi.i64 [entry: 0], [next: %i1]
    %row = mul.i64 %i, %n
    br columns
  node columns:
    %j = phi.i64 [rows: 0], [columns: %j1]
    %column = mul.i64 %j, %m
    %offset = add.i64 %row, %column
    st.i64 %j, [%a + %offset]
    %j1 = add.i64 %j, 1
    %inside = cmp.lt.i64 %j1, 10
    br %inside ? columns : next
  node next:
    %i1 = add.i64 %i, 1
    %more = cmp.lt.i64 %i1, 10
    br %more ? rows : exit
  node exit:
    ret
}
)");
  CHECK(reduce(all.procedures[0]) == 2);
  elbrus::editor e(all.procedures[0]);
  midend::remove_dead_code(e);
  CHECK(elbrus::to_text(all.procedures[0]).find("mul") == std::string::npos);
}

TEST_CASE("reduce_strength: what stays") {
  using enum strength_obstacle;
  const auto of = [](const std::string& body) { return obstacle(loop_of(", %n: i64", body, "%a + %v"), "v"); };
  CHECK(of("    %v = mul.i64 %i, %n\n") == none);
  CHECK(of("    %v = add.i64 %i, %n\n") == none); // cheap: not even a candidate
  CHECK(of("    %x = ld.i64 [%a]\n    %v = mul.i64 %i, %x\n") == none);
  CHECK(of("    %x = mul.i64 %n, %n\n    %v = mul.i64 %i, %x\n") == changes_inside);
  CHECK(of("    %x = trunc.i64.i32 %i\n    %y = mul.i32 %x, 12345\n    %v = sext.i32.i64 %y\n") == not_proven);
  const auto counters = [](const std::string& body) {
    elbrus::program all = program_of(loop_of(", %n: i64", body, "%a + %v"));
    return reduce(all.procedures[0]);
  };
  CHECK(counters("    %v = add.i64 %i, %n\n") == 0);
  CHECK(counters("    %v = shl.i64 %i, 3\n") == 0);
  CHECK(counters("    %x = ld.i64 [%a]\n    %v = mul.i64 %i, %x\n") == 0);
  CHECK(counters("    %v = mul.i64 %i, %i\n") == 0);
  CHECK(counters("    %v = mul.i64 %i, 7 nsw\n") == 1);
}

TEST_CASE("verify_strength: seeded mistakes are rejected") {
  const std::string text = loop_of(", %n: i64", "    %next = add.i64 %i, 3\n    %v = mul.i64 %next, %n\n", "%a + %v");
  const elbrus::program all = program_of(text);
  procedure right = all.procedures[0];
  elbrus::editor editor(right);
  const midend::strength_plan plan = midend::reduce_strength(editor, machine());
  REQUIRE(plan.values.size() == 1);
  const cost_view before(all.procedures[0]);
  REQUIRE(midend::verify_strength(before, cost_view(right)));
  const auto rejects = [&](auto damage) {
    procedure wrong = right;
    elbrus::editor e(wrong);
    damage(e, wrong);
    CHECK_MESSAGE(!midend::verify_strength(before, cost_view(wrong)), elbrus::to_text(wrong));
  };
  const auto new_values = static_cast<value_id>(all.procedures[0].num_values());
  value_id phi = midend::no_value;
  std::vector<value_id> made;
  for (value_id v = new_values; v != right.num_values(); ++v) {
    if (right.is_operation(v)) {
      (right.is_phi(v) ? phi = v : (made.push_back(v), v));
    }
  }
  REQUIRE(phi != midend::no_value);
  REQUIRE(made.size() == 2); // the start and the step
  const auto operand = [&](std::string_view name) {
    value_id found = midend::no_value;
    for (value_id v = 0; v != right.num_values(); ++v) {
      found = right.value_name(v) == name ? v : found;
    }
    return found;
  };
  std::size_t mistakes = 0;
  for (const value_id v : made) { // another operand, or another operation
    for (std::size_t i = 0; i != 2; ++i) {
      for (const std::string_view name : {"i", "n", "i1", "next"}) {
        const value_id other = operand(name);
        if (right.operands(v)[i] != other && !(v == made[0] && name != "n")) {
          rejects([&](elbrus::editor& e, procedure&) { e.set_operand(v, i, other); });
          ++mistakes;
        }
      }
      rejects([&](elbrus::editor& e, procedure&) { e.set_operand(v, i, e.make_number(64, 5)); });
      ++mistakes;
    }
  }
  for (const midend::edge_id e : right.in_edges(right.core(phi).node)) { // another input
    for (const value_id other : {operand("n"), operand("i1"), made[0], made[1]}) {
      const bool is_entering = right.edge_source(e) == 0;
      if (right.phi_input(phi, e) != other && !(is_entering && (other == made[1] || other == operand("i1")))) {
        rejects([&](elbrus::editor& wrong, procedure&) { wrong.set_phi_input(phi, e, other); });
        ++mistakes;
      }
    }
  }
  rejects([&](elbrus::editor& e, procedure&) { e.replace_uses(operand("i"), phi); });
  rejects([&](elbrus::editor& e, procedure&) { e.replace_uses(phi, operand("i")); });
  rejects([&](elbrus::editor& e, procedure&) { e.replace_uses(phi, operand("next")); });
  rejects([&](elbrus::editor& e, procedure&) { e.erase_value(operand("v")); });
  MESSAGE(mistakes, " mistakes in operands");
  CHECK(mistakes >= 12);
}

TEST_CASE("reduce_strength: random nests run the same, and all certificates are accepted") {
  std::size_t replaced = 0;
  std::size_t nests = 0;
  const char* const many = std::getenv("MIDEND_STRENGTH_NESTS");
  const std::uint64_t count = many != nullptr ? std::strtoull(many, nullptr, 10) : affordable(3000);
  for (std::uint64_t seed = 0; seed != count; ++seed) {
    random_source random(seed);
    const editable_nest before(random_nest(random, 1 + static_cast<unsigned>(seed % 3), 5));
    editable_nest after = before;
    const midend::strength_plan done = midend::reduce_strength(after, machine());
    nests += done.empty() ? 0 : 1;
    const auto verdict = midend::verify_strength(before, after);
    replaced += verdict.proven;
    CHECK_MESSAGE(verdict, "seed ", seed, ": fault ", static_cast<int>(verdict.fault), ", node ", verdict.node,
                  ", value ", verdict.value, "\n", to_string(before), to_string(after));
    if (!verdict) {
      return;
    }
    for (int run = 0; run != (done.empty() ? 0 : 4); ++run) {
      std::vector<std::uint64_t> arguments;
      for (const value_id v : before.parameters()) {
        arguments.push_back((run % 2 == 0 ? random.below(9) : random.next()) &
                            midend::low_ones(before.operation(v).width));
      }
      const bits_of_values old = run_nest(before, arguments, before.num_values(), 3000);
      bits_of_values now = run_nest(after, arguments, before.num_values(), 100'000);
      now.resize(std::min(now.size(), old.size()));
      CHECK_MESSAGE(old == now, "seed ", seed, "\n", to_string(before), to_string(after));
    }
  }
  MESSAGE(replaced, " reads replaced in ", nests, " nests");
  CHECK(replaced > affordable(100));
}

TEST_CASE("reduce_strength: random programs run the same, and all certificates are accepted") {
  std::size_t counters = 0;
  std::size_t same = 0;
  for_each_random_program(600, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program all = in_ssa_form(g);
    for (procedure& p : all.procedures) {
      counters += reduce(p);
    }
    comparison_counts runs;
    const std::string wrong = why_wrong(g, all, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
    same += runs.same;
  });
  MESSAGE(counters, " counters, ", same, " runs the same");
  CHECK(same > affordable(300));
}
