/// `loop_trip_counter`: how often the loops of a function run, from all that the library finds out about the function.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/domains/number_domain.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/induction/count_iterations.hpp"
#include "midend/induction/describe_loop.hpp"
#include "midend/induction/evolutions.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/induction/loop_facts.hpp"
#include "midend/induction/read_loop_facts.hpp"
#include "midend/induction/run_iterations.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/ssa/sccp.hpp"
#include "midend/ssa/sccp_result.hpp"
#include "midend/support/flat_array.hpp"

MIDEND_BEGIN_NAMESPACE

/// Counts the iterations of the loops of one function, with facts about its values: bounds and bits by
/// `sccp_with_branch_facts`, found once, and what `loop_fact_reader` makes of them for a loop.
template <cost_ir_argument IR> class loop_trip_counter {
public:
  /// Requires that `forest` is that of `ir.graph()`, with boundaries, and `tree` the dominator tree. All must outlive
  /// this object. The time of `sccp_with_branch_facts` and, if there are loops, of `evolutions`.
  loop_trip_counter(const IR& ir, const dominator_tree& tree, const loop_forest& forest)
      : ir_(ir), known_(sccp_with_branch_facts(ir, number_domain())), evolutions_(evolutions_by(known_, ir, forest)),
        describer_(ir, forest, describing_), reader_(ir, tree, forest, known_.facts(), evolutions_) {}

  loop_trip_counter(const loop_trip_counter&) = delete;
  loop_trip_counter& operator=(const loop_trip_counter&) = delete;

  const sccp_result<number_domain>& facts() const { return known_; }

  /// How values evolve in all loops, by these facts; nothing if there are no loops.
  const value_evolutions& evolutions() const { return evolutions_; }

  /// Refills `out` with the counts of a loop that `describe_loop` has read from this IR. If the counts of its exits do
  /// not give an exact number, `run_iterations` may.
  void count(const loop_body& body, loop_counters& out) {
    reader_.read(body, facts_);
    count_iterations(body, facts_, counting_, out);
    if (may_gain_by_running(out)) {
      const trip_count run = run_iterations(ir_, body, facts_, reader_.elements(), limits_, running_);
      const bool is_less = out.trip.kind == trip_count_kind::unknown || run.backedges < out.trip.backedges;
      if (run.kind == trip_count_kind::exact || (run.kind == trip_count_kind::at_most && is_less)) {
        out.trip = run;
        out.trip.multiple = out.trip_multiple = run.kind == trip_count_kind::exact ? run.multiple : out.trip_multiple;
      }
    }
  }

  /// The same for loop `l`, whose description refills `body`. Returns what is unusual about it; `out` is refilled if it
  /// `can_be_counted` in spite of that.
  loop_obstacle count(loop_id l, loop_body& body, loop_counters& out) {
    const loop_obstacle obstacle = describer_.describe(l, body);
    if (can_be_counted(obstacle)) {
      count(body, out);
    }
    return obstacle;
  }

private:
  static value_evolutions evolutions_by(const sccp_result<number_domain>& known, const IR& ir,
                                        const loop_forest& forest) {
    if (forest.num_loops() == 0) {
      return {};
    }
    flat_array<number_facts> facts;
    for (value_id v = 0; v != ir.num_values(); ++v) {
      const number_domain::element& e = known.fact(v);
      const std::uint8_t width = ir.operation(v).width;
      const bool is_number = width >= 1 && width <= 64;
      facts.push_back(is_number && !e.is_bottom() ? number_domain().facts(e)
                                                  : number_facts::any(is_number ? width : 64));
    }
    return midend::evolutions(ir, forest, {facts.data(), facts.size()});
  }

  /// Whether some exit has neither number nor formula, and the loop no number: formulas say more than a run that ends
  /// after some iterations because the limits do.
  static bool may_gain_by_running(const loop_counters& c) {
    bool may_gain = false;
    for (const loop_exit& x : c.exits) {
      may_gain = may_gain || (!x.has_formula && x.count.kind == trip_count_kind::unknown);
    }
    return may_gain && (c.trip.kind == trip_count_kind::unknown || c.trip.kind == trip_count_kind::at_most);
  }

  const IR& ir_;
  run_limits limits_;
  sccp_result<number_domain> known_;
  value_evolutions evolutions_;
  describe_loop_workspace describing_;
  loop_describer<IR> describer_;
  loop_fact_reader<IR> reader_;
  loop_facts facts_;
  run_iterations_workspace running_;
  count_iterations_workspace counting_;
};

MIDEND_END_NAMESPACE
