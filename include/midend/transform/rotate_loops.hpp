/// `rotate_loops`: tests in the latch, with a guard before the loop.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/known_constant.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/loop_forms.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/detail/values_without_phis.hpp"
#include "midend/transform/simplify_loops.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// Why a loop that tests in its header is not rotated.
enum class rotation_refusal_reason : std::uint8_t {
  no_preheader,
  several_edges_into_the_body, ///< of the header, so that there is no single new header
  too_large,
  may_not_duplicate, ///< an operation of the header may not, or others read it and no phi can join its copies
  edge_stays         ///< an edge of the header, or into it, cannot be redirected
};

struct rotation_refusal {
  loop_id loop;
  rotation_refusal_reason why;
};

/// A loop to be rotated.
struct rotation {
  loop_id loop;
  node_id header;   ///< becomes the latch; its copy is the guard
  edge_id entering; ///< from the preheader
  edge_id body;     ///< from the header into the loop
  bool runs;        ///< whether the first test is known to hold, so the guard is a jump
};

/// What `rotate_loops` will do. To veto a rotation, remove it.
struct rotation_plan {
  std::uint64_t epoch = 0;
  flat_array<rotation> rotations;
  flat_array<rotation_refusal> refused;

  bool empty() const { return rotations.empty(); }
};

struct rotation_options {
  std::size_t max_operations = 16; ///< of a header, without phis: these are copied
};

namespace detail {

/// Whether the header is known to continue into the loop when it is entered.
template <effect_ir IR> bool enters_body([[maybe_unused]] const IR& ir, [[maybe_unused]] const rotation& r) {
  if constexpr (has_constant_type<IR> && has_constant<IR> && has_cases_of_edges<IR>) {
    const auto condition = static_cast<value_id>(ir.condition(r.header));
    if (condition == no_value) {
      return false;
    }
    const auto first = known_constant_in(
        ir, condition,
        [&](value_id v) {
          if (ir.is_phi(v)) {
            for_each_phi(ir, r.header, [&, phi = v](value_id own) {
              v = own == phi ? static_cast<value_id>(ir.phi_input(phi, r.entering)) : v;
            });
          }
          return v;
        },
        decision_depth);
    if (!first) {
      return false;
    }
    return edge_of_case(ir, r.header, *first) == r.body;
  } else {
    return false;
  }
}

/// Divides the counts of a header between it and its copy. If the copy always continues into the loop, the header does
/// so less often by the same amount.
template <class E>
void divide_counts([[maybe_unused]] E& editor, [[maybe_unused]] const rotation& r, [[maybe_unused]] node_id guard) {
  if constexpr (profile_editor<E>) {
    const auto& g = editor.graph();
    const std::optional<std::uint64_t> entered = editor.count(static_cast<node_id>(g.edge_source(r.entering)));
    const std::optional<std::uint64_t> all = editor.count(r.header);
    const std::optional<std::uint64_t> into = edge_count(editor, g, r.body);
    const bool known = entered && all && *entered <= *all && (!r.runs || (into && *entered <= *into));
    editor.set_count(guard, known ? entered : std::nullopt);
    editor.set_count(r.header, known ? std::optional(*all - *entered) : std::nullopt);
    if (known && r.runs && *entered != *all) {
      const auto left = static_cast<double>(*all - *entered);
      flat_array<edge_id> edges;
      for_each_id(g.out_edges(r.header), [&](edge_id e) { edges.push_back(e); });
      for (const edge_id e : edges) {
        const double flow = static_cast<double>(*all) * static_cast<double>(editor.probability(e));
        const double rest = e == r.body ? flow - static_cast<double>(*entered) : flow;
        // `left` is a whole number and flows are not, so one of them may be a little more.
        editor.set_probability(e, flow < 0 ? -1 : rest < 0 ? 0 : rest < left ? rest / left : 1);
      }
    }
  }
}

} // namespace detail

/// Plans to rotate the loops that test in the header and not in the latch, unless there is a reason against it. If
/// literals prove that the first test holds (`known_constant`), the guard will be a jump. Requires a forest of this
/// graph as it is, with boundaries. O(loops, and the size of their headers); with `may_insert_phi`, linear in the
/// program.
///
///     header: if (c) body else exit         guard:  if (c) body else exit
///     body:   …; jump header           →    body:   …
///                                           header: if (c) body else exit
template <effect_ir_argument IR>
  requires graph_of_ir_argument<IR>
rotation_plan plan_rotate_loops(const IR& ir, const loop_forest& loops, const rotation_options& options = {}) {
  const auto& g = ir.graph();
  rotation_plan plan;
  plan.epoch = graph_epoch(g);
  const detail::values_without_phis<IR> stuck(ir);
  for (const loop_id l : loops.loops()) {
    const node_id header = loops.header(l);
    if (!tests_in_header(g, loops, l) || is_rotated(g, loops, l)) {
      continue;
    }
    const auto refuse = [&](rotation_refusal_reason reason) { plan.refused.push_back({l, reason}); };
    rotation r{l, header, no_edge, no_edge, false};
    std::size_t bodies = 0;
    bool edges_stay = false;
    detail::for_each_id(g.out_edges(header), [&](edge_id e) {
      edges_stay = edges_stay || !may_redirect(ir, e);
      if (loops.contains(l, static_cast<node_id>(g.edge_target(e)))) {
        r.body = e;
        ++bodies;
      }
    });
    std::size_t operations = 0;
    bool all_may_be_copied = stuck.read_elsewhere(header) == no_value;
    detail::for_each_id(ir.values(header), [&](value_id v) {
      if (!ir.is_phi(v)) {
        ++operations;
        all_may_be_copied = all_may_be_copied && may_copy(ir, v);
      }
    });
    if (!has_preheader(g, loops, l)) {
      refuse(rotation_refusal_reason::no_preheader);
      continue;
    }
    r.entering = loops.entering_edges(l)[0].id;
    if (bodies != 1) {
      refuse(rotation_refusal_reason::several_edges_into_the_body);
    } else if (!all_may_be_copied) {
      refuse(rotation_refusal_reason::may_not_duplicate);
    } else if (edges_stay || !may_redirect(ir, r.entering)) {
      refuse(rotation_refusal_reason::edge_stays);
    } else if (operations > options.max_operations) {
      refuse(rotation_refusal_reason::too_large);
    } else {
      r.runs = detail::enters_body(ir, r);
      plan.rotations.push_back(r);
    }
  }
  return plan;
}

namespace detail {

/// Copies the headers as guards, and enters the loops there.
template <class E> void copy_headers(unfolding<E>& u, const rotation_plan& plan, flat_array<node_id>& guards) {
  flat_array<node_id> copies;
  for (const rotation& r : plan.rotations) {
    u.duplicate_region(span<const node_id>(&r.header, 1), copies);
    u.lead(r.entering, copies[0]);
    guards.push_back(copies[0]);
    divide_counts(u.editor(), r, copies[0]);
  }
}

/// Decides guards, and makes new headers of their successors in the loops. Returns whether the graph changes.
template <class E> bool enter_bodies(unfolding<E>& u, const rotation_plan& plan, span<const node_id> guards) {
  const auto& g = u.program().graph();
  bool changes = false;
  flat_array<edge_id> edges;
  for (std::size_t i = 0; i != guards.size(); ++i) {
    const rotation& r = plan.rotations[i];
    const auto body = static_cast<node_id>(g.edge_target(r.body));
    if (r.runs) {
      edge_id into = no_edge;
      for_each_id(g.out_edges(guards[i]), [&](edge_id e) {
        into = static_cast<node_id>(g.edge_target(e)) == body ? e : into; // the only one, as in the header
      });
      u.keep_edge(into, drop_reason::constant_condition);
      changes = true;
    }
    edges.clear();
    edges.push_back(r.body);
    for_each_id(g.out_edges(guards[i]), [&](edge_id e) {
      if (static_cast<node_id>(g.edge_target(e)) == body) {
        edges.push_back(e);
      }
    });
    std::size_t entered = 0;
    for_each_id(g.in_edges(body), [&](edge_id) { ++entered; });
    if (entered != edges.size()) {
      u.route_edges(edges);
      changes = true;
    }
  }
  return changes;
}

} // namespace detail

/// Applies a plan for the program as it is: headers are copied as guards, and the loops are entered after them. The
/// body's first node becomes the header, or a new node before it if other edges lead there. Counts of a profile are
/// divided between guard and loop. Preheaders and exits have to be made again: `simplify_loops`.
///
/// O(size of the headers and what `repair_ssa` costs); one repair for all loops.
template <class E> void apply_rotate_loops(unfolding<E>& u, const rotation_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(u.program().graph()), "a plan for this graph as it is now", plan.epoch);
  flat_array<node_id> guards;
  detail::copy_headers(u, plan, guards);
  u.finish();
  detail::enter_bodies(u, plan, guards);
}

/// Returns the witness.
template <detail::edits_alone E>
  requires unfolding_editor_argument<E>
unfolding_witness apply_rotate_loops(E& editor, const rotation_plan& plan) {
  unfolding<E> u(editor);
  apply_rotate_loops(u, plan);
  return u.take_witness();
}

/// Brings all loops into loop-simplify form, rotates those that test in the header, and brings them into that form
/// again. Returns the witness, the plan, and dominators and loops of the new graph. Numbers of loops in the plan are
/// those before rotation.
template <unfolding_editor_argument E>
  requires effect_ir_argument<E>
loop_transformation<rotation_plan> rotate_loops(E& editor, const rotation_options& options = {}) {
  const auto& g = editor.graph();
  unfolding<E> u(editor);
  dominators_and_loops_workspace workspace;
  dominators_and_loops_result found;
  dominators_and_loops(g, workspace, found);
  detail::simplify_all_loops(u, workspace, found);
  loop_transformation<rotation_plan> out;
  out.plan = plan_rotate_loops(editor, found.loops, options);
  if (!out.plan.empty()) {
    flat_array<node_id> guards;
    detail::copy_headers(u, out.plan, guards);
    dominators_and_loops(g, workspace, found);
    u.finish(found.dominators);
    if (detail::enter_bodies(u, out.plan, guards)) {
      dominators_and_loops(g, workspace, found);
    }
    detail::simplify_all_loops(u, workspace, found);
  }
  out.witness = u.take_witness();
  out.dominators = std::move(found.dominators);
  out.loops = std::move(found.loops);
  return out;
}

MIDEND_END_NAMESPACE
