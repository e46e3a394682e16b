/// Backward may-problems solved fact by fact: for large functions whose facts hold in few nodes each.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/gen_kill_problem.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/bit_matrix.hpp"
#include "midend/support/detail/word_kernels.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/support/work_stack.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <class P> inline constexpr bool can_walk = !is_forward<P> && is_may<P> && !has_boundary<P>;

/// For each fact a list of nodes, built from pairs in any order.
class nodes_by_fact {
public:
  struct pair {
    fact_id fact;
    node_id node;
  };

  constexpr void clear() { pairs_.clear(); }

  constexpr void add(fact_id fact, node_id n) { pairs_.push_back({fact, n}); }

  constexpr std::size_t size() const { return pairs_.size(); }

  constexpr void group(std::size_t num_facts) {
    offsets_.assign(num_facts + 1, 0);
    for (const pair& p : pairs_) {
      ++offsets_[p.fact];
    }
    counts_to_ends(offsets_);
    nodes_.resize_for_overwrite(pairs_.size());
    for (const pair& p : pairs_) {
      nodes_[--offsets_[p.fact]] = p.node;
    }
  }

  constexpr span<const node_id> of(fact_id fact) const {
    return {nodes_.data() + offsets_[fact], nodes_.data() + offsets_[fact + std::size_t{1}]};
  }

private:
  flat_array<pair> pairs_;
  flat_array<std::uint32_t> offsets_;
  flat_array<node_id> nodes_;
};

/// Walks from each node that generates a fact against the flow up to the nodes that kill it. Each step is a node where
/// the fact holds, so the work is that of writing the result bit by bit, where the iteration writes 64 bits at once. A
/// sample of the facts tells in advance whether they hold in few enough nodes.
///
/// Appel, Palsberg, "Modern compiler implementation in Java", 2002, section 10.1; Brandner, Boissinot, Darte, Dupont de
/// Dinechin, Rastello, "Computing liveness sets for SSA-form programs", INRIA RR-7503, 2011, which compares the
/// approaches.
class fact_walk {
public:
  /// Whether `run` is likely to be faster than the iteration for this problem; if so, prepares it.
  template <class G, class P> constexpr bool pays(const G& g, const P& problem) {
    const std::size_t words = g.num_nodes() * words_for(static_cast<std::size_t>(problem.num_facts()));
    const std::size_t limit = words / words_per_step;
    return node_count(g) >= least_nodes && words >= least_words && prepare(g, problem, limit) &&
           takes_at_most(limit, g);
  }

  /// Lists the effects of all nodes for `run`. Gives up and returns false if there are more than `limit`, because each
  /// takes as long as a step.
  template <class G, class P> constexpr bool prepare(const G& g, const P& problem, std::size_t limit) {
    const node_id count = node_count(g);
    num_facts_ = static_cast<fact_id>(problem.num_facts());
    gens_.clear();
    kills_.clear();
    effects_.assign(num_facts_, {no_node, no_node});
    for (node_id n = 0; n != count; ++n) {
      listing_effects e{*this, n};
      problem.effects(n, e);
      if (gens_.size() + kills_.size() > limit) {
        return false;
      }
    }
    gens_.group(num_facts_);
    kills_.group(num_facts_);
    return true;
  }

  /// Fills the matrices; returns the number of steps.
  template <class G> constexpr std::size_t run(const G& g, bit_matrix& out, bit_matrix& in) {
    out.assign(g.num_nodes(), num_facts_);
    in.assign(g.num_nodes(), num_facts_);
    forget_marks(g);
    std::size_t steps = 0;
    for (fact_id fact = 0; fact != num_facts_; ++fact) {
      const word bit = bit_mask(fact);
      const std::size_t at = fact / word_bits;
      steps += walk(g, fact, [&](node_id n) { out.words(n)[at] |= bit; }, [&](node_id n) { in.words(n)[at] |= bit; });
    }
    return steps;
  }

private:
  /// Measured: for smaller problems, the decision costs more than it gains.
  static constexpr node_id least_nodes = 2048;
  static constexpr std::size_t least_words = std::size_t{1} << 16;
  /// Measured: per word, the iteration takes at least a third of the time of a step of the walk.
  static constexpr std::size_t words_per_step = 3;
  static constexpr fact_id samples = 128;
  static constexpr fact_id no_fact = 0xffff'ffff;

  /// The last fact that the node kills, and the last facts found to hold at its start and at its end.
  struct node_marks {
    fact_id killed;
    fact_id in;
    fact_id out;
  };

  /// The last node that generates a fact, or kills it.
  struct fact_marks {
    node_id gen;
    node_id kill;
  };

  /// Lists the effects of a node as seen from its start: the first effect on a fact counts.
  struct listing_effects {
    fact_walk& walk;
    node_id node;

    constexpr void gen(fact_id fact) {
      fact_marks& seen = walk.effects_[fact];
      if (seen.kill != node && seen.gen != node) {
        seen.gen = node;
        walk.gens_.add(fact, node);
      }
    }

    constexpr void kill(fact_id fact) {
      fact_marks& seen = walk.effects_[fact];
      if (seen.kill != node) {
        seen.kill = node;
        walk.kills_.add(fact, node);
      }
    }

    constexpr void gen_all(span<const fact_id> facts) {
      for (const fact_id fact : facts) {
        gen(fact);
      }
    }

    constexpr void kill_all(span<const fact_id> facts) {
      for (const fact_id fact : facts) {
        kill(fact);
      }
    }

    constexpr void kill_range(fact_id first, fact_id last) {
      for (fact_id fact = first; fact < last; ++fact) {
        kill(fact);
      }
    }
  };

  /// Whether the walk is likely to take at most `limit` steps. Some facts may hold in very many nodes and most in few,
  /// so an unclear sample is followed by a larger one.
  template <class G> constexpr bool takes_at_most(std::size_t limit, const G& g) {
    fact_id stride = num_facts_ / samples + 1;
    for (;; stride = stride / 4 + 1) {
      const std::size_t steps = steps_of_sample(stride, 4 * limit, g) * stride;
      if (steps <= limit || steps > 4 * limit || stride < 8) {
        return steps <= limit;
      }
    }
  }

  /// The steps for the facts whose numbers are multiples of `stride`; stops once all facts together clearly need too
  /// many.
  template <class G> constexpr std::size_t steps_of_sample(fact_id stride, std::size_t too_many, const G& g) {
    forget_marks(g);
    std::size_t steps = 0;
    for (fact_id fact = 0; fact < num_facts_ && steps * stride <= too_many; fact += stride) {
      steps += walk(g, fact, [](node_id) {}, [](node_id) {});
    }
    return steps;
  }

  template <class G> constexpr void forget_marks(const G& g) {
    marks_.assign(node_count(g), {no_fact, no_fact, no_fact});
  }

  /// Calls `at_end(n)` and `at_start(n)` once for each node at whose end, or start, the fact holds.
  template <class G, class AtEnd, class AtStart>
  constexpr std::size_t walk(const G& g, fact_id fact, AtEnd at_end, AtStart at_start) {
    node_marks* const marks = marks_.data();
    work_stack<node_id> pending(pending_);
    std::size_t steps = 0;
    const auto hold_at_start = [&](node_id n) {
      if (marks[n].in != fact) {
        marks[n].in = fact;
        at_start(n);
        pending.push(n);
      }
    };
    for (const node_id n : kills_.of(fact)) {
      marks[n].killed = fact;
    }
    for (const node_id n : gens_.of(fact)) {
      hold_at_start(n);
    }
    while (!pending.empty()) {
      ++steps;
      for (auto&& predecessor : g.predecessors(pending.pop())) {
        const node_id n = node_in(g, predecessor);
        if (marks[n].out != fact) {
          marks[n].out = fact;
          at_end(n);
          if (marks[n].killed != fact) {
            hold_at_start(n);
          }
        }
      }
    }
    return steps;
  }

  fact_id num_facts_ = 0;
  nodes_by_fact gens_;
  nodes_by_fact kills_;
  flat_array<fact_marks> effects_;
  flat_array<node_marks> marks_;
  flat_array<node_id> pending_;
};

} // namespace detail

MIDEND_END_NAMESPACE
