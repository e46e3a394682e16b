/// Under which conditions the blocks of a copy run.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/unrolling/copies/detail/unroll_expressions.hpp"
#include "midend/unrolling/copies/detail/unroll_folding.hpp"
#include "midend/unrolling/copies/detail/unroll_values.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A condition on the way that control takes through a copy, given that it has not left the loop before: 0 always, 1
/// never, and of decision d, 2 · d + 2 where it holds and 2 · d + 3 where it does not. So the two sides of a decision
/// differ in one bit.
using predicate_id = std::uint32_t;

inline constexpr predicate_id always = 0;
inline constexpr predicate_id never = 1;

/// Made where control comes by: under `parent`, one bit decides. The bit holds only under `parent` if under `context`:
/// of several cases of one condition, each excludes the others.
struct unroll_decision {
  predicate_id parent;
  predicate_id context;
  known_value bit;
};

/// A value of a join, if control comes this way.
struct join_case {
  predicate_id predicate;
  known_value value;
};

/// What `unroll_predicates` owns between calls.
struct unroll_predicate_memory {
  flat_array<std::uint32_t> dominator;     ///< by block: the last block that all ways from the header to it pass
  flat_array<std::uint32_t> postdominator; ///< by block: the first that all ways from it to the bottom pass
  flat_array<predicate_id> of_block;
  flat_array<predicate_id> of_edge;
  flat_array<unroll_decision> decisions;
  flat_array<join_case> cases;
  flat_array<predicate_id> chain;
};

/// The predicates of blocks and edges. Blocks that every way passes, given the way passes another one, have its
/// predicate, so that structured code needs none but the conditions of its branches.
class unroll_predicates {
public:
  constexpr unroll_predicates(unroll_expressions& expressions, unroll_folding& folding, unroll_predicate_memory& memory)
      : e_(expressions), folding_(folding), m_(memory) {
    const std::size_t count = e_.body.blocks.size();
    m_.of_block.resize_for_overwrite(count);
    m_.of_edge.resize_for_overwrite(e_.body.edges.size());
    m_.dominator.resize_for_overwrite(count);
    m_.postdominator.resize_for_overwrite(count);
    find_dominators();
    find_postdominators();
  }

  constexpr void begin_copy() { m_.decisions.clear(); }

  constexpr predicate_id of_block(std::uint32_t b) const { return m_.of_block[b]; }

  constexpr void set_edge(std::uint32_t edge, predicate_id p) { m_.of_edge[edge] = p; }

  /// Whether all ways to `b` pass `a`.
  constexpr bool dominates(std::uint32_t a, std::uint32_t b) const {
    while (b > a) {
      b = m_.dominator[b];
    }
    return a == b;
  }

  /// When the block runs, from the edges into it, all of which are set.
  constexpr predicate_id enter(std::uint32_t block) {
    m_.of_block[block] = block == 0 ? always : predicate_on_entry(block);
    return m_.of_block[block];
  }

  /// The side of a new decision where the bit, which is no number, holds; the other one is `p ^ 1`.
  constexpr predicate_id decide(predicate_id parent, predicate_id context, const known_value& bit) {
    const auto d = static_cast<std::uint32_t>(m_.decisions.size());
    m_.decisions.push_back({parent, context, bit});
    return 2 * d + 2;
  }

  /// The predicate as a bit of the new body, given that `base` holds.
  constexpr known_value bit_of(predicate_id p, predicate_id base = always) {
    const std::size_t bottom = m_.chain.size();
    while (p != always && p != base) {
      const unroll_decision& d = decision_of(p);
      m_.chain.push_back(p);
      p = holds(p) ? d.context : d.parent;
    }
    known_value bit = literal(1, 1);
    while (m_.chain.size() != bottom) {
      const predicate_id last = m_.chain.back();
      m_.chain.pop_back();
      const known_value& own = decision_of(last).bit;
      bit = folding_.both(bit, holds(last) ? own : negated(own));
    }
    return bit;
  }

  /// What the join is in this copy, by the edges into the block from which control may come.
  template <class ValueOf> constexpr known_value join(body_id v, const expression_kind& kind, const ValueOf& value_of) {
    const std::uint32_t block = e_.body.values[v].block;
    const auto edges = e_.body.in_edges_of(block);
    const auto operands = e_.body.operands_of(v);
    flat_array<join_case>& cases = m_.cases;
    cases.clear();
    for (std::size_t i = 0; i != edges.size(); ++i) {
      if (m_.of_edge[edges[i]] != never) {
        cases.push_back({m_.of_edge[edges[i]], value_of(operands[i])});
      }
    }
    merge_siblings(kind);
    known_value out = cases.back().value;
    for (std::size_t i = cases.size() - 1; i-- != 0;) {
      const known_value condition = bit_of(cases[i].predicate, m_.of_block[block]);
      out = folding_.select(kind, condition, cases[i].value, out);
    }
    return out;
  }

private:
  constexpr const unroll_decision& decision_of(predicate_id p) const { return m_.decisions[p / 2 - 1]; }

  static constexpr bool holds(predicate_id p) { return p % 2 == 0; }

  constexpr predicate_id predicate_on_entry(std::uint32_t block) {
    const auto edges = e_.body.in_edges_of(block);
    flat_array<join_case>& cases = m_.cases;
    cases.clear();
    for (const std::uint32_t e : edges) {
      if (m_.of_edge[e] != never) {
        cases.push_back({m_.of_edge[e], {}});
      }
    }
    if (cases.empty()) {
      return never;
    }
    const std::uint32_t d = m_.dominator[block];
    if (block == e_.body.bottom()) { // all ways lead there that do not leave
      return always;
    }
    if (m_.postdominator[d] == block) {
      return m_.of_block[d];
    }
    merge_siblings({});
    return cases.size() == 1 ? cases[0].predicate : any_of_cases(m_.of_block[d]);
  }

  constexpr predicate_id any_of_cases(predicate_id base) {
    known_value none = literal(1, 1);
    for (const join_case& c : m_.cases) {
      none = folding_.both(none, negated(bit_of(c.predicate, base)));
    }
    return none.is_literal(0) ? base : decide(base, base, negated(none));
  }

  /// Puts the two sides of a decision together, the innermost first, as long as there are two sides of one.
  constexpr void merge_siblings(const expression_kind& kind) {
    flat_array<join_case>& cases = m_.cases;
    while (cases.size() > 1) {
      const std::size_t last = innermost();
      const std::size_t other = index_of(cases[last].predicate ^ 1);
      if (other == cases.size()) {
        return;
      }
      join_case& kept = cases[last < other ? last : other];
      const join_case& gone = cases[last < other ? other : last];
      const unroll_decision& d = decision_of(kept.predicate);
      if (!kept.value.is_none()) {
        const bool first_holds = holds(kept.predicate);
        kept.value =
            folding_.select(kind, d.bit, first_holds ? kept.value : gone.value, first_holds ? gone.value : kept.value);
      }
      kept.predicate = d.parent;
      erase(last < other ? other : last);
    }
  }

  /// Decisions come after those that they depend on.
  constexpr std::size_t innermost() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i != m_.cases.size(); ++i) {
      best = m_.cases[i].predicate > m_.cases[best].predicate ? i : best;
    }
    return best;
  }

  constexpr std::size_t index_of(predicate_id p) const {
    std::size_t i = 0;
    while (i != m_.cases.size() && m_.cases[i].predicate != p) {
      ++i;
    }
    return i;
  }

  constexpr void erase(std::size_t i) {
    for (; i + 1 != m_.cases.size(); ++i) {
      m_.cases[i] = m_.cases[i + 1];
    }
    m_.cases.pop_back();
  }

  /// Blocks are in topological order.
  constexpr void find_dominators() {
    m_.dominator[0] = 0;
    for (std::uint32_t b = 1; b != m_.dominator.size(); ++b) {
      std::uint32_t common = b;
      for (const std::uint32_t e : e_.body.in_edges_of(b)) {
        std::uint32_t other = e_.body.edges[e].source;
        while (common != b && common != other) {
          (common > other ? common : other) = m_.dominator[common > other ? common : other];
        }
        common = other;
      }
      m_.dominator[b] = common == b ? 0 : common;
    }
  }

  constexpr void find_postdominators() {
    const std::uint32_t none = e_.body.bottom() + 1;
    for (std::uint32_t b = none; b-- != 0;) {
      std::uint32_t common = b;
      for (std::uint32_t e = e_.body.blocks[b].first_edge; e != e_.body.blocks[b].last_edge; ++e) {
        std::uint32_t other = e_.body.edges[e].target;
        if (other == body_edge::leaves) {
          continue;
        }
        while (common != b && common != other) {
          std::uint32_t& earlier = common < other ? common : other;
          earlier = m_.postdominator[earlier];
        }
        common = other;
      }
      m_.postdominator[b] = common == b ? none : common;
    }
  }

  unroll_expressions& e_;
  unroll_folding& folding_;
  unroll_predicate_memory& m_;
};

} // namespace detail

MIDEND_END_NAMESPACE
