/// `loop_trip_counter`: how often the loops of a function run, by all facts that the library finds in the function.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/domains/number_domain.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/induction/bounded_trip_count.hpp"
#include "midend/induction/evolutions.hpp"
#include "midend/induction/run_iterations.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/frozen.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/ssa/sccp_result.hpp"
#include "midend/support/flat_array.hpp"

#include <cstdint>
#include <optional>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A function as a flat program: a copy, unless it is one.
template <class IR> class flat_function {
public:
  explicit flat_function(const IR& ir) {
    frozen(ir, program_);
    program_.fold_by(ir);
  }

  const flat_program& program() const { return program_; }

private:
  flat_program program_;
};

template <class IR>
  requires std::is_base_of_v<flat_program, IR>
class flat_function<IR> {
public:
  explicit flat_function(const IR& ir) : program_(ir) {}

  const flat_program& program() const { return program_; }

private:
  const flat_program& program_;
};

/// Bounds and bits of all values.
MIDEND_FUNCTION void find_number_facts(const flat_program& program, sccp_result<number_domain>& out);

/// The evolutions of values by these facts; nothing if there are no loops.
MIDEND_FUNCTION void evolve_by_facts(const flat_program& program, const loop_forest& forest,
                                     const sccp_result<number_domain>& known, const run_limits& limits,
                                     value_evolutions& out);

} // namespace detail

/// Counts the iterations of the loops of one function by `evolutions`, with facts about its values: bounds and bits by
/// `sccp_with_branch_facts`. All this reads a flat copy of the function.
template <cost_ir_argument IR> class loop_trip_counter {
public:
  /// Requires the forest of `ir.graph()`, with boundaries. Both arguments must outlive this object. Takes the time of
  /// `sccp_with_branch_facts` and, if there are loops, of `evolutions`.
  loop_trip_counter(const IR& ir, const loop_forest& forest, const run_limits& limits = {})
      : flat_(ir), known_(facts_of(flat_.program())),
        evolutions_(evolutions_by(known_, flat_.program(), forest, limits)) {}

  loop_trip_counter(const loop_trip_counter&) = delete;
  loop_trip_counter& operator=(const loop_trip_counter&) = delete;

  /// The flat copy. Values, nodes and edges have the numbers of the function.
  const flat_program& program() const { return flat_.program(); }

  /// Facts about `program()`. `verify_sccp_with_branch_facts` can check them.
  const sccp_result<number_domain>& facts() const { return known_; }

  /// The evolutions of header phis in all loops by these facts, and how often the loops run; empty if there are no
  /// loops.
  const value_evolutions& evolutions() const { return evolutions_; }

private:
  static sccp_result<number_domain> facts_of(const flat_program& program) {
    sccp_result<number_domain> out;
    detail::find_number_facts(program, out);
    return out;
  }

  static value_evolutions evolutions_by(const sccp_result<number_domain>& known, const flat_program& program,
                                        const loop_forest& forest, const run_limits& limits) {
    value_evolutions out;
    detail::evolve_by_facts(program, forest, known, limits, out);
    return out;
  }

  detail::flat_function<IR> flat_;
  sccp_result<number_domain> known_;
  value_evolutions evolutions_;
};

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/induction/detail/meet_facts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ssa/sccp.hpp"

#include <array>
#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace detail {

MIDEND_FUNCTION void find_number_facts(const flat_program& program, sccp_result<number_domain>& out) {
  out = sccp_with_branch_facts(program, number_domain());
}

/// Runs loops on facts about numbers.
class run_on_facts final : public loop_runner {
public:
  run_on_facts(const flat_program& program, const loop_forest& forest, const sccp_result<number_domain>& known,
               const run_limits& limits)
      : program_(program), forest_(forest), known_(known), limits_(limits) {}

  trip_count run(loop_id l, const value_evolutions& found) override {
    return run_iterations(program_, forest_, l, known_, found, limits_, workspace_);
  }

  void refine(span<const node_id> order, span<number_facts> facts, span<unsigned char> is_narrowed) override {
    for (const node_id n : order) {
      for (const value_id v : program_.values(n)) {
        const std::uint8_t width = program_.operation(v).width;
        if (program_.constant(v) || width < 1 || width > 64 || known_.fact(v).is_bottom() ||
            !reads_narrowed(v, n, is_narrowed)) {
          continue;
        }
        element e = element_of(v, facts);
        meet_facts(width, e, program_.is_phi(v) ? joined(v, n, facts) : computed(v, facts));
        const number_facts now = number_domain().facts(e);
        is_narrowed[v] = is_narrowed[v] != 0 || !(now == facts[v]) ? 1 : 0;
        facts[v] = now;
      }
    }
  }

private:
  using element = number_domain::element;

  bool reads_narrowed(value_id v, node_id n, span<const unsigned char> is_narrowed) const {
    bool reads = false;
    if (program_.is_phi(v)) {
      for (const edge_id e : program_.graph().in_edges(n)) {
        reads = reads || is_narrowed[program_.phi_input(v, e)] != 0;
      }
      return reads;
    }
    for (const value_id x : program_.operands(v)) {
      reads = reads || (x != no_value && is_narrowed[x] != 0);
    }
    return reads;
  }

  /// The facts about a value, with these bounds.
  element element_of(value_id v, span<number_facts> facts) const {
    const std::uint8_t width = program_.operation(v).width;
    if (width < 1 || width > 64) {
      return number_domain().top(64);
    }
    if (const auto literal = program_.constant(v)) {
      return number_domain().constant(width, *literal & low_ones(width));
    }
    element e = known_.fact(v);
    if (!e.is_bottom()) {
      const number_facts& f = facts[v];
      bound(width, operation::ugreater_equal, f.least, e);
      bound(width, operation::uless_equal, f.most, e);
      bound(width, operation::greater_equal, static_cast<std::uint64_t>(f.low) & low_ones(width), e);
      bound(width, operation::less_equal, static_cast<std::uint64_t>(f.high) & low_ones(width), e);
    }
    return e;
  }

  static void bound(std::uint8_t width, operation code, std::uint64_t by, element& e) {
    element number = number_domain().constant(width, by);
    element less = e;
    number_domain().assume(code, width, less, number);
    e = less.is_bottom() ? e : less;
  }

  /// The facts about a phi: the join of its inputs.
  element joined(value_id v, node_id n, span<number_facts> facts) const {
    element out = number_domain().bottom();
    for (const edge_id e : program_.graph().in_edges(n)) {
      if (known_.is_executable_edge(e)) {
        number_domain().join(out, element_of(program_.phi_input(v, e), facts));
      }
    }
    return out.is_bottom() ? element_of(v, facts) : out;
  }

  element computed(value_id v, span<number_facts> facts) const {
    const operation_info info = program_.operation(v);
    const span<const value_id> operands = program_.operands(v);
    std::array<element, 3> args{};
    if (info.code == operation::other || operands.size() != arity(info.code) || operands.size() > args.size()) {
      return element_of(v, facts);
    }
    for (std::size_t i = 0; i != operands.size(); ++i) {
      if (operands[i] == no_value) {
        return element_of(v, facts);
      }
      args[i] = element_of(operands[i], facts);
    }
    return number_domain().transfer(info, span<const element>(args.data(), operands.size()));
  }

  const flat_program& program_;
  const loop_forest& forest_;
  const sccp_result<number_domain>& known_;
  const run_limits& limits_;
  run_iterations_workspace workspace_;
};

MIDEND_FUNCTION void evolve_by_facts(const flat_program& program, const loop_forest& forest,
                                     const sccp_result<number_domain>& known, const run_limits& limits,
                                     value_evolutions& out) {
  if (forest.num_loops() == 0) {
    return;
  }
  flat_array<number_facts> facts;
  for (value_id v = 0; v != program.num_values(); ++v) {
    const number_domain::element& e = known.fact(v);
    const std::uint8_t width = program.operation(v).width;
    const bool is_number = width >= 1 && width <= 64;
    facts.push_back(is_number && !e.is_bottom() ? number_domain().facts(e) : number_facts::any(is_number ? width : 64));
  }
  evolutions_workspace workspace;
  run_on_facts runner(program, forest, known, limits);
  find_evolutions(program, forest, {facts.data(), facts.size()}, workspace, out, evolved_values::header_phis,
                  limits.iterations == 0 ? nullptr : &runner);
}

} // namespace detail

MIDEND_END_NAMESPACE

#endif
