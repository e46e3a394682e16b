// Programs with irreducible cycles, inside loops, around them and before them: trip counts, advice and unrolling end
// after a bounded number of questions to the program, and what they say and do is right.
#include "kit/random_programs.hpp"
#include "kit/test_graph.hpp"
#include "kit/unrolling_forms.hpp"
#include "transform/unrolling_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/transform.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/unrolling/apply_unrolling.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

using namespace midend_tests;
using midend::node_id;
using midend::value_id;
namespace elbrus = midend::elbrus;

namespace {

/// A view that answers only so many questions. Work that does not end fails here.
class patient_view : public elbrus::cost_view {
public:
  explicit patient_view(const elbrus::procedure& p)
      : elbrus::cost_view(p), limit_(20'000 * (p.num_values() + p.num_nodes())) {}

  const auto& graph() const {
    ask();
    return elbrus::cost_view::graph();
  }

  midend::operation_info operation(value_id v) const {
    ask();
    return elbrus::cost_view::operation(v);
  }

  auto values(node_id n) const {
    ask();
    return elbrus::cost_view::values(n);
  }

private:
  void ask() const {
    if (++asked_ > limit_) {
      REQUIRE(asked_ <= limit_);
    }
  }

  std::size_t limit_;
  mutable std::size_t asked_ = 0;
};

inline constexpr auto patient_view_of = [](const elbrus::editor& e) { return patient_view(e.graph()); };

struct unrolled_loops {
  std::size_t loops = 0;
  std::size_t counted = 0;
  std::size_t steps = 0;
};

/// A procedure with the nodes and edges of a graph after an entry of its own. Its nodes set three variables to numbers
/// and to each other plus or minus a number; branches compare them with numbers. Its runs need not end.
elbrus::procedure counters_on_graph(const test_graph& g, random_source& random) {
  using elbrus::opcode;
  using elbrus::type;
  elbrus::procedure p;
  p.set_name("f");
  p.set_result_type(type::i16);
  std::array<value_id, 3> variables;
  std::array<value_id, 3> parameters;
  for (std::size_t i = 0; i != 3; ++i) {
    parameters[i] = p.add_parameter(std::array{"pa", "pb", "pc"}[i], type::i16);
    variables[i] = p.add_variable(std::array{"a", "b", "c"}[i], type::i16);
  }
  const auto number = [&] { return p.constant(type::i16, random.below(12)); };
  const auto one_of = [&] { return variables[random.below(3)]; };
  const auto set = [&](node_id n, opcode code, value_id a, value_id b, value_id variable) {
    const std::array<value_id, 2> operands = {a, b};
    p.append(n, {.code = code, .type = type::i16, .operands = operands, .variable = variable});
  };
  std::vector<std::vector<node_id>> successors(g.num_nodes);
  for (const edge& e : g.edges) {
    successors[e.source].push_back(e.target + 1);
  }
  const node_id first = p.create_node("entry");
  for (node_id n = 0; n != g.num_nodes; ++n) {
    p.create_node({});
    if (successors[n].size() == 1 && random.below(2) == 0) {
      successors[n].push_back(n + 1);
    }
  }
  for (std::size_t i = 0; i != 3; ++i) {
    set(first, opcode::add, parameters[i], p.constant(type::i16, 0), variables[i]);
  }
  p.append(first, {.code = opcode::jump});
  p.add_edge(first, g.entry + 1);
  for (node_id n = 1; n <= g.num_nodes; ++n) {
    for (std::size_t i = random.below(3); i != 0; --i) {
      const opcode code = random.below(3) == 0 ? opcode::sub : opcode::add;
      const value_id x = one_of();
      set(n, code, random.below(4) == 0 ? number() : random.below(2) == 0 ? x : one_of(), number(), x);
    }
    const auto& to = successors[n - 1];
    if (to.empty()) {
      const value_id v = one_of();
      p.append(n, {.code = opcode::ret, .operand_type = type::i16, .operands = midend::span<const value_id>(&v, 1)});
    } else if (to.size() == 1) {
      p.append(n, {.code = opcode::jump});
      p.add_edge(n, to[0]);
    } else if (to.size() == 2) {
      const std::array<value_id, 2> operands = {one_of(), number()};
      const opcode code = std::array{opcode::cmp_lt, opcode::cmp_ult, opcode::cmp_ne}[random.below(3)];
      const value_id c = p.append(n, {.code = code, .type = type::i1, .operand_type = type::i16, .operands = operands});
      p.append(n, {.code = opcode::branch, .operand_type = type::i1, .operands = midend::span<const value_id>(&c, 1)});
      p.add_edge(n, to[0], 1);
      p.add_edge(n, to[1], 0);
    } else {
      const value_id v = one_of();
      p.append(n,
               {.code = opcode::switch_, .operand_type = type::i16, .operands = midend::span<const value_id>(&v, 1)});
      for (std::size_t i = 0; i + 1 != to.size(); ++i) {
        p.add_edge(n, to[i], i);
      }
      p.add_edge(n, to.back());
    }
  }
  elbrus::construct_ssa(p);
  return p;
}

/// Unrolls the loops of a procedure: in a form, or without one as advised. Returns what is wrong.
std::string why_not_unrolled(elbrus::procedure& p, const midend::optional<midend::unrolling_form>& form,
                             unrolled_loops& sum) {
  std::vector<midend::unrolling_order> orders;
  const auto found = midend::dominators_and_loops(p);
  const patient_view view(p);
  midend::loop_trip_counter counter(view, found.loops);
  const auto machine = midend::e2k_reference_v6();
  midend::advise_unrolling_workspace workspace;
  midend::unrolling_advice advice;
  for (const midend::loop_id l : found.loops.loops()) {
    ++sum.loops;
    midend::advise_unrolling(view, found.loops, l, machine, {}, counter, workspace, advice);
    const bool is_read = advice.obstacle == midend::unrolling_obstacle::none;
    sum.counted += is_read && advice.counts.trip.kind != midend::trip_count_kind::unknown ? 1 : 0;
    if (form) {
      orders.push_back({l, *form});
    } else if (is_read) {
      orders.push_back({l, midend::unrolling_form_of(advice, advice.decision())});
    }
  }
  elbrus::editor e(p);
  fact_certifier certifier;
  midend::apply_unrolling(e, found.loops, orders, patient_view_of, {.max_cloned = 1'000}, certifier, counts_of);
  for (const std::size_t n : certifier.steps) {
    sum.steps += n;
  }
  return certifier.why;
}

constexpr std::array<midend::optional<midend::unrolling_form>, 4> forms = {
    std::nullopt, midend::unrolling_form{midend::unrolling_kind::partial, 2},
    midend::unrolling_form{midend::unrolling_kind::full, 2}, with_epilogue(2)};

} // namespace

TEST_CASE("random programs with irreducible cycles are counted, advised on and unrolled, and run as before") {
  random_program_options options = all_flow();
  options.known = 20;
  unrolled_loops sum;
  for_each_random_program(200, options, [&](const generated_program& g, std::uint64_t seed) {
    for (std::size_t i = 0; i != forms.size(); ++i) {
      elbrus::program changed = g.program;
      std::string why;
      for (elbrus::procedure& p : changed.procedures) {
        if (!p.variables().empty()) {
          elbrus::construct_ssa(p);
        }
        why += why.empty() ? why_not_unrolled(p, forms[i], sum) : "";
      }
      why += why.empty() ? why_wrong(g, changed) : "";
      if (!why.empty()) {
        FAIL_CHECK(join("seed ", seed, ", form ", i, ": ", why));
      }
    }
  });
  MESSAGE(sum.loops, " loops, ", sum.counted, " with a count, ", sum.steps, " steps");
  CHECK(sum.counted > affordable(1'000));
  CHECK(sum.steps > affordable(800));
}

TEST_CASE("loops on counters of loops around them and before them, in random irreducible graphs") {
  random_source random(11);
  unrolled_loops sum;
  for (std::size_t round = 0; round != affordable(600); ++round) {
    const test_graph g = random_irreducible(random, 4 + random.below(16));
    const elbrus::procedure before = counters_on_graph(g, random);
    for (const auto& form : forms) {
      elbrus::procedure p = before;
      if (const std::string why = why_not_unrolled(p, form, sum); !why.empty()) {
        FAIL_CHECK(join(to_string(g), ": ", why));
      }
    }
  }
  MESSAGE(sum.loops, " loops, ", sum.counted, " with a count, ", sum.steps, " steps");
  CHECK(sum.counted > affordable(400));
  CHECK(sum.steps > affordable(400));
}
