/// `separate_loops`: natural loops that share a header become nested loops.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// Why some backedges are known to be inner ones.
enum class separation_reason : std::uint8_t {
  unchanged_phi, ///< a phi of the header keeps its value along them: it belongs to an outer loop
  profile        ///< they are taken far more often
};

/// The edges that will lead to a new header, of an outer loop: the entering edges and the outer backedges.
struct loop_separation {
  loop_id loop;
  separation_reason why;
  std::uint32_t first_edge; ///< into `separation_plan::edges`
  std::uint32_t num_edges;
};

/// A loop that is not separated, because an edge cannot be led through a new node.
struct separation_refusal {
  loop_id loop;
  edge_id edge; ///< an edge that stays
};

/// What `separate_loops` will do. To veto the change of a loop, remove all its separations.
struct separation_plan {
  std::uint64_t epoch = 0;
  flat_array<loop_separation> separations; ///< grouped by loop, inner before outer
  flat_array<edge_id> edges;
  flat_array<separation_refusal> refused;

  bool empty() const { return separations.empty(); }
};

namespace detail {

template <class IR> class separation_planner {
public:
  separation_planner(const IR& ir, const loop_forest& loops, separation_plan& out)
      : ir_(ir), loops_(loops), out_(out) {}

  void run() {
    for (const loop_id l : loops_.loops()) {
      const std::size_t count = loops_.backedges(l).size();
      if (count < 2 || count > 64 || loops_.header(l) == static_cast<node_id>(ir_.graph().entry())) {
        continue;
      }
      levels_.clear();
      auto reason = separation_reason::unchanged_phi;
      find_by_phis(l);
      if (levels_.empty()) {
        reason = separation_reason::profile;
        find_by_counts(l);
      }
      if (!levels_.empty()) {
        plan(l, reason);
      }
    }
  }

private:
  /// Finds sets of backedges; each contains the sets before it.
  void find_by_phis(loop_id l) {
    const auto backedges = loops_.backedges(l);
    sets_.clear();
    for_each_phi(ir_, loops_.header(l), [&](value_id phi) {
      std::uint64_t unchanged = 0;
      for (std::size_t i = 0; i != backedges.size(); ++i) {
        const bool same = static_cast<value_id>(ir_.phi_input(phi, backedges[i].id)) == phi;
        unchanged |= std::uint64_t{same ? 1u : 0u} << i;
      }
      if (unchanged != 0 && static_cast<std::size_t>(std::popcount(unchanged)) != backedges.size()) {
        sets_.push_back(unchanged);
      }
    });
    std::uint64_t inner = 0;
    for (int size = 1; static_cast<std::size_t>(size) < backedges.size(); ++size) {
      for (const std::uint64_t set : sets_) {
        if (std::popcount(set) == size && set != inner && (set & inner) == inner) {
          levels_.push_back(set);
          inner = set;
        }
      }
    }
  }

  /// Finds sets by the profile: backedges that are taken eight times as often as all less frequent ones together.
  void find_by_counts([[maybe_unused]] loop_id l) {
    if constexpr (profile_ir<IR>) {
      constexpr std::uint64_t factor = 8;
      const auto backedges = loops_.backedges(l);
      std::uint64_t counts[64];
      for (std::size_t i = 0; i != backedges.size(); ++i) {
        const std::optional<std::uint64_t> count = midend::edge_count(ir_, ir_.graph(), backedges[i].id);
        if (!count) {
          return;
        }
        counts[i] = *count;
      }
      std::uint64_t left = ~std::uint64_t{0} >> (64 - backedges.size());
      std::uint64_t inner = 0;
      while (left != 0) {
        std::size_t most = 0;
        std::uint64_t others = 0;
        for (std::size_t i = 0; i != backedges.size(); ++i) {
          if ((left >> i & 1) != 0) {
            most = (left >> most & 1) == 0 || counts[i] > counts[most] ? i : most;
          }
        }
        left &= ~(std::uint64_t{1} << most);
        inner |= std::uint64_t{1} << most;
        for (std::size_t i = 0; i != backedges.size(); ++i) {
          others += (left >> i & 1) != 0 ? counts[i] : 0;
        }
        if (others != 0 && counts[most] / factor >= others) {
          levels_.push_back(inner);
        }
      }
    }
  }

  /// Lists outer backedges by level, then the entering edges. Each new header takes a tail of this list.
  void plan(loop_id l, separation_reason reason) {
    const auto backedges = loops_.backedges(l);
    edges_.clear();
    starts_.clear();
    for (std::size_t k = 0; k != levels_.size(); ++k) {
      const std::uint64_t next = k + 1 == levels_.size() ? ~std::uint64_t{0} : levels_[k + 1];
      starts_.push_back(static_cast<std::uint32_t>(edges_.size()));
      for (std::size_t i = 0; i != backedges.size(); ++i) {
        if (((next & ~levels_[k]) >> i & 1) != 0) {
          edges_.push_back(backedges[i].id);
        }
      }
    }
    for (const loop_edge& e : loops_.entering_edges(l)) {
      edges_.push_back(e.id);
    }
    for (const edge_id e : edges_) {
      if (!may_split(ir_, e)) {
        out_.refused.push_back({l, e});
        return;
      }
    }
    const auto first = static_cast<std::uint32_t>(out_.edges.size());
    const auto count = static_cast<std::uint32_t>(edges_.size());
    for (const edge_id e : edges_) {
      out_.edges.push_back(e);
    }
    for (const std::uint32_t start : starts_) {
      out_.separations.push_back({l, reason, first + start, count - start});
    }
  }

  const IR& ir_;
  const loop_forest& loops_;
  separation_plan& out_;
  flat_array<std::uint64_t> sets_;
  flat_array<std::uint64_t> levels_; ///< inner sets of backedges, as bits by position in `backedges(l)`
  flat_array<edge_id> edges_;
  flat_array<std::uint32_t> starts_;
};

} // namespace detail

/// Finds loops with inner and outer backedges. If a phi of the header keeps its value along some backedges and changes
/// along others, an outer loop changes it, so the former are inner. Otherwise, with a profile, backedges are inner that
/// are taken at least eight times as often as all others together. Several levels are found at once. Loops with more
/// than 64 backedges, and those whose header is the entry, stay as they are.
///
/// LLVM's loop-simplify separates loops likewise, by one phi at a time and without the profile.
///
/// Requires a forest of this graph as it is, with boundaries. O(loops, and phis of their headers · backedges).
///
///     header: …                  outer: jump header
///             inner → header     header: …
///             other → header  →          inner → header
///                                        other → outer
template <ssa_ir_argument IR> separation_plan plan_separate_loops(const IR& ir, const loop_forest& loops) {
  MIDEND_ASSERT(loops.epoch() == graph_epoch(ir.graph()), "a loop forest of this graph", loops.epoch());
  separation_plan plan;
  plan.epoch = loops.epoch();
  detail::separation_planner<IR>(ir, loops, plan).run();
  return plan;
}

/// Applies a plan for the graph as it is. O(edges of the plan · phis in their targets).
template <unfolding_editor_argument E> void apply_separate_loops(unfolding<E>& u, const separation_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(u.program().graph()), "a plan for this graph as it is now", plan.epoch);
  for (const loop_separation& s : plan.separations) {
    u.route_edges(span<const edge_id>(plan.edges.data() + s.first_edge, s.num_edges));
  }
}

/// Returns the witness. `simplify_loops` separates loops, too.
template <detail::edits_alone E>
  requires unfolding_editor_argument<E>
unfolding_witness apply_separate_loops(E& editor, const separation_plan& plan) {
  unfolding<E> u(editor);
  apply_separate_loops(u, plan);
  return u.take_witness();
}

MIDEND_END_NAMESPACE
