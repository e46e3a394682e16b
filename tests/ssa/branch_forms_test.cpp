// The forms of branches that the SSA rung allows: a terminator that reads its condition, a terminator that compares and
// branches and so is its own condition, and no terminator among the values. All analyses say the same of the three.
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/ir/cost.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/live_values.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/viz/unrolling_words.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::no_value;
using midend::operation;
using midend::value_id;

namespace {

enum class branch_form : std::uint8_t { separate, compares_itself, not_listed };

/// Node 0 → 1; node 1 is a loop `do { i1 = i + 1; s1 = s + x; } while (i1 < 12)`, of which `x` is a parameter;
/// node 2: if (i1 != 12), go to 3, which never happens; else to 4. Node 4 returns s1.
enum : value_id { zero, one, twelve, x, i, s, i1, s1, again, loop_end, differs, split, last, all_values };

struct program {
  using constant_type = std::uint64_t;

  branch_form form;
  midend::csr_graph cfg = make_csr({"", 5, 0, {{0, 1}, {1, 1}, {1, 2}, {2, 3}, {2, 4}}});

  const midend::csr_graph& graph() const { return cfg; }

  std::size_t num_values() const { return all_values; }

  std::vector<value_id> parameters() const { return {x}; }

  std::vector<value_id> values(node_id n) const {
    const bool separate = form == branch_form::separate;
    switch (n) {
    case 1:
      return separate ? std::vector<value_id>{i, s, i1, s1, again, loop_end}
                      : std::vector<value_id>{i, s, i1, s1, again};
    case 2:
      return separate ? std::vector<value_id>{differs, split} : std::vector<value_id>{differs};
    case 4:
      return {last};
    default:
      return {};
    }
  }

  std::vector<value_id> operands(value_id v) const {
    const bool separate = form == branch_form::separate;
    switch (v) {
    case i:
      return {zero, i1};
    case s:
      return {zero, s1};
    case i1:
      return {i, one};
    case s1:
      return {s, x};
    case again:
    case differs:
      return {i1, twelve};
    case loop_end:
      return separate ? std::vector<value_id>{again} : std::vector<value_id>{};
    case split:
      return separate ? std::vector<value_id>{differs} : std::vector<value_id>{};
    case last:
      return {s1};
    default:
      return {};
    }
  }

  bool is_phi(value_id v) const { return v == i || v == s; }

  value_id phi_input(value_id v, edge_id e) const { return operands(v)[e == 0 ? 0 : 1]; }

  value_id condition(node_id n) const { return n == 1 ? again : n == 2 ? differs : no_value; }

  midend::operation_info operation(value_id v) const {
    switch (v) {
    case i1:
    case s1:
      return {operation::add, 32, 32, {}};
    case again:
      return {operation::less, 1, 32, {}};
    case differs:
      return {operation::not_equal, 1, 32, {}};
    default:
      return {operation::other, 32, 32, {}};
    }
  }

  std::optional<std::uint64_t> constant(value_id v) const {
    return v <= twelve ? std::optional<std::uint64_t>(std::initializer_list<std::uint64_t>{0, 1, 12}.begin()[v])
                       : std::nullopt;
  }

  std::optional<std::uint64_t> fold(value_id, midend::span<const std::uint64_t>) const { return std::nullopt; }

  std::optional<std::uint64_t> edge_case(edge_id e) const { return e == 1 || e == 3 ? 1 : 0; }

  std::optional<midend::operation_class> cost(value_id v) const {
    const bool ends = v == loop_end || v == split || v == last ||
                      (form == branch_form::compares_itself && (v == again || v == differs));
    return ends ? midend::operation_class::branch : midend::usual_class(operation(v));
  }

  midend::effect_kind effect(value_id) const { return midend::effect_kind::none; }

  std::optional<midend::memory_reference> memory(value_id) const { return std::nullopt; }
};

static_assert(midend::cost_ir<program>);

/// Facts of all values that the three forms have, executable nodes, live values, and the advice, as text.
std::string answers(const program& ir) {
  std::string out;
  const auto found = midend::sccp_with_branch_facts(ir, midend::number_domain());
  for (value_id v = 0; v != all_values; ++v) {
    if (v != loop_end && v != split) {
      const auto c = found.constant(v);
      out += c ? std::to_string(*c) + " " : "? ";
    }
  }
  for (node_id n = 0; n != ir.graph().num_nodes(); ++n) {
    out += found.is_executable(n) ? "+" : "-";
  }
  const auto live = midend::live_values(ir);
  for (node_id n = 0; n != ir.graph().num_nodes(); ++n) {
    out += "\n" + std::to_string(n) + ":";
    for (const value_id v : live.live_in(n)) {
      out += " " + std::to_string(v);
    }
    out += " /";
    for (const value_id v : live.live_out(n)) {
      out += " " + std::to_string(v);
    }
  }
  const midend::machine_model machine = midend::e2k_reference_v6();
  const midend::dominator_tree tree = midend::dominators(ir.graph());
  const midend::loop_forest loops = midend::natural_loops(ir.graph(), tree);
  // A comparison that is its own branch is no operation besides, so bounds and savings differ.
  const midend::unrolling_advice advice = midend::advise_unrolling(ir, loops, 0, machine);
  return out + "\n" + name_of(advice.decision().kind) + " " + std::to_string(advice.decision().factor) + ", " +
         std::to_string(advice.decision().body.operations) + " operations, " + midend::trip_text(advice.counts);
}

} // namespace

TEST_CASE("a terminator may read its condition, be its condition, or not be a value") {
  const std::string expected = answers({branch_form::separate});
  CHECK(expected.find("++-+") != std::string::npos);           // node 3 is never executed
  CHECK(expected.find("\n1: 3 / 3 6 7") != std::string::npos); // x, i1, s1
  for (const branch_form form : {branch_form::separate, branch_form::compares_itself, branch_form::not_listed}) {
    CAPTURE(static_cast<int>(form));
    const program ir{form};
    CHECK(midend::check_ir(ir) == std::nullopt);
    CHECK(answers(ir) == expected);
  }
}

namespace {

/// Node 0 computes the condition of node 1 and nothing in node 1 reads it.
struct far_condition {
  midend::csr_graph cfg = make_csr({"", 4, 0, {{0, 1}, {1, 2}, {1, 3}}});

  const midend::csr_graph& graph() const { return cfg; }

  std::size_t num_values() const { return 1; }

  midend::id_range<value_id> values(node_id n) const { return {0, n == 0 ? 1u : 0u}; }

  midend::id_range<value_id> operands(value_id) const { return {0, 0}; }

  bool is_phi(value_id) const { return false; }

  value_id phi_input(value_id, edge_id) const { return no_value; }

  value_id condition(node_id n) const { return n == 1 ? 0 : no_value; }
};

} // namespace

TEST_CASE("live_values: the end of a node reads its condition, even if no value of the node does") {
  const far_condition ir;
  CHECK(midend::check_ir(ir) == std::nullopt);
  const auto live = midend::live_values(ir);
  CHECK(live.live_out(0).size() == 1);
  CHECK(live.live_in(1).size() == 1);
  CHECK(live.live_out(1).empty());
}
