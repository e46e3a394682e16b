/// `realise_unrolling`: the clean-up after unrolling, in which the savings that an advice lists are made.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/domains/strided_interval_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/ssa/apply_sccp.hpp"
#include "midend/ssa/apply_value_numbering.hpp"
#include "midend/ssa/sccp.hpp"
#include "midend/ssa/sccp_plan.hpp"
#include "midend/ssa/value_numbering.hpp"
#include "midend/ssa/value_numbering_plan.hpp"
#include "midend/transform/addition_facts.hpp"
#include "midend/transform/clean_control.hpp"
#include "midend/transform/fold_additions.hpp"
#include "midend/transform/hoist_common.hpp"
#include "midend/transform/hoist_invariants.hpp"
#include "midend/transform/propagate_copies.hpp"
#include "midend/transform/remove_dead_code.hpp"
#include "midend/transform/separate_offsets.hpp"
#include "midend/transform/share_loads.hpp"
#include "midend/transform/simplify_loops.hpp"
#include "midend/transform/use_decisions.hpp"

MIDEND_BEGIN_NAMESPACE

/// Cleans up after loops were unrolled, in this order; `view_of(editor)` is a view of the cost rung of the program as
/// it is then.
///
/// 1. `use_decisions`: what the branches of a copy have found decides tests and guards that come after them.
/// 2. `sccp` over `strided_interval_domain`: what a counter is, or is modulo the factor, decides tests in the copies.
/// 3. `clean_control`: copies follow each other in one node where nothing branches.
/// 4. `propagate_copies`: header phis that change places are their own next values after their period, and
///    an operation whose guard never holds is its other value.
/// 5. `separate_offsets`: what the copies compute from a counter plus a number differs by a number; the facts are those
///    of step 2.
/// 6. `fold_additions`, with the same facts: the copies compute counters from that of the first copy.
/// 7. `value_numbering` over the same domain: what several copies compute is computed once; `hoist_common` first moves
///    what several branches compute to where all of them come from.
/// 8. `share_loads`: copies that load one place load it once.
/// 9. `simplify_loops` and `hoist_invariants`: what is the same in each iteration is computed before the loop.
/// 10. `remove_dead_code` and `clean_control`: what nothing needs any more goes.
///
/// Each step has its certificate; use them one by one to check these. Header nodes of loops that are left keep their
/// numbers. The cost is that of the steps.
template <class E, class ViewOf> void realise_unrolling(E& editor, const ViewOf& view_of) {
  use_decisions(editor);
  const auto known = sccp(view_of(editor), strided_interval_domain());
  apply_sccp(editor, plan_sccp(view_of(editor), known));
  clean_control(editor);
  apply_propagate_copies(editor, plan_propagate_copies(view_of(editor)));
  const addition_facts facts(known); // neither these steps nor those above change what a value is
  apply_separate_offsets(editor, plan_separate_offsets(editor, dominators_and_loops(editor.graph()).loops,
                                                       facts.still_true_of(editor.graph())));
  apply_fold_additions(editor, plan_fold_additions(view_of(editor), facts.still_true_of(editor.graph())));
  {
    const auto equal = value_numbering(view_of(editor), strided_interval_domain());
    const auto found = dominators_and_loops(editor.graph());
    apply_hoist_common(editor, plan_hoist_common(editor, equal, found.dominators, found.loops));
    apply_value_numbering(editor, plan_value_numbering(view_of(editor), equal));
  }
  apply_share_loads(editor, plan_share_loads(view_of(editor)));
  simplify_loops(editor);
  hoist_invariants(editor);
  remove_dead_code(editor);
  clean_control(editor);
}

MIDEND_END_NAMESPACE
