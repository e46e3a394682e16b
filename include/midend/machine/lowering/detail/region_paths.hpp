/// `region_paths`: the predicates of the blocks and edges of a region, whose branches become predicates and whose joins
/// `select` (J. R. Allen, K. Kennedy, C. Porterfield, J. Warren, "Conversion of control dependence to data dependence",
/// POPL 1983).
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/machine/lowering/detail/region_builder.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A block of a region. The last block is the bottom, where all backedges lead.
struct region_block {
  node_id node; ///< `no_node` for the bottom
  std::uint32_t first_edge;
  std::uint32_t last_edge; ///< one past
  std::uint32_t first_in_edge = 0;
  std::uint32_t last_in_edge = 0; ///< one past
};

struct region_edge {
  static constexpr std::uint32_t leaves = static_cast<std::uint32_t>(-1);

  std::uint32_t source;
  std::uint32_t target; ///< a block, or `leaves`
  edge_id id;           ///< in the graph of the program
};

/// The control flow of a region without its backedges: blocks in topological order, with their edges.
struct region_flow {
  flat_array<region_block> blocks;
  flat_array<region_edge> edges;
  flat_array<std::uint32_t> in_edges; ///< positions in `edges`, grouped by target

  constexpr void clear() {
    blocks.clear();
    edges.clear();
    in_edges.clear();
  }

  constexpr std::uint32_t bottom() const { return static_cast<std::uint32_t>(blocks.size() - 1); }

  constexpr span<const std::uint32_t> in_edges_of(std::uint32_t b) const {
    return span<const std::uint32_t>(in_edges).subspan(blocks[b].first_in_edge,
                                                       blocks[b].last_in_edge - blocks[b].first_in_edge);
  }

  /// Fills in the edges into each block, in the order of `edges`. A counting sort.
  constexpr void group_by_target() {
    std::uint32_t total = 0;
    for (const region_edge& e : edges) {
      if (e.target != region_edge::leaves) {
        ++blocks[e.target].last_in_edge;
        ++total;
      }
    }
    in_edges.resize_for_overwrite(total);
    total = 0;
    for (region_block& b : blocks) {
      b.first_in_edge = total;
      total += b.last_in_edge;
      b.last_in_edge = b.first_in_edge;
    }
    for (std::uint32_t e = 0; e != edges.size(); ++e) {
      if (edges[e].target != region_edge::leaves) {
        in_edges[blocks[edges[e].target].last_in_edge++] = e;
      }
    }
  }
};

/// A condition on the path through a region, given that control has not left it before: 0 always, 1 never, and for
/// decision d, 2 · d + 2 where it holds and 2 · d + 3 where it does not. So the two sides of a decision differ in the
/// lowest bit.
using path_predicate = std::uint32_t;

inline constexpr path_predicate every_path = 0;
inline constexpr path_predicate no_path = 1;

/// The predicates of the blocks and edges of a region. A block that runs whenever its dominator does has the predicate
/// of its dominator, so that structured code needs only the conditions of its branches.
class region_paths {
public:
  /// Starts on a region, whose flow and builder have to stay until the next call. O(blocks · depth of the dominator
  /// tree) at worst.
  constexpr void begin(const region_flow& flow, region_builder& builder) {
    flow_ = &flow;
    builder_ = &builder;
    const std::size_t count = flow.blocks.size();
    of_block_.resize_for_overwrite(count);
    of_edge_.resize_for_overwrite(flow.edges.size());
    dominator_.resize_for_overwrite(count);
    postdominator_.resize_for_overwrite(count);
    decisions_.clear();
    chain_.clear();
    compute_dominators();
    compute_postdominators();
  }

  constexpr path_predicate of_block(std::uint32_t b) const { return of_block_[b]; }

  constexpr void set_edge(std::uint32_t edge, path_predicate p) { of_edge_[edge] = p; }

  /// Sets and returns the predicate of a block. Requires those of all edges into it.
  constexpr path_predicate enter(std::uint32_t block) {
    of_block_[block] = block == 0 ? every_path : predicate_on_entry(block);
    return of_block_[block];
  }

  /// Makes a decision under `parent`: returns the side where `bit` holds; the other side is `p ^ 1`. If `bit` holds
  /// only where `parent` does, given `context`, the conjunction of `context` and `bit` suffices: the cases of one
  /// condition exclude each other. Requires a bit that is not a number.
  constexpr path_predicate decide(path_predicate parent, path_predicate context, const region_bit& bit) {
    const auto d = static_cast<std::uint32_t>(decisions_.size());
    decisions_.push_back({parent, context, bit});
    return 2 * d + 2;
  }

  /// The predicate as a bit, given that `base` holds.
  constexpr region_bit bit_of(path_predicate p, path_predicate base = every_path) {
    if (p == no_path) {
      return false_bit;
    }
    const std::size_t bottom = chain_.size();
    while (p != every_path && p != base) {
      const decision& d = decision_of(p);
      chain_.push_back(p);
      p = holds(p) ? d.context : d.parent;
    }
    region_bit bit = true_bit;
    while (chain_.size() != bottom) {
      const path_predicate last = chain_.back();
      chain_.pop_back();
      const region_bit& own = decision_of(last).bit;
      bit = builder_->conjunction(bit, holds(last) ? own : own.inverted());
    }
    return bit;
  }

  /// The value of a phi of `width` bits in `block`, from `value(i)` for each of its edges. O(e²) for e edges, at worst.
  template <class Value> constexpr region_operand join(std::uint32_t block, std::uint8_t width, const Value& value) {
    const auto edges = flow_->in_edges_of(block);
    cases_.clear();
    for (const std::uint32_t e : edges) {
      if (of_edge_[e] != no_path) {
        cases_.push_back({of_edge_[e], value(e)});
      }
    }
    if (cases_.empty()) { // of a block that control does not reach, any value is right
      return value(edges[0]);
    }
    merge_siblings(width);
    region_operand out = cases_.back().value;
    for (std::size_t i = cases_.size() - 1; i-- != 0;) {
      out = builder_->select(bit_of(cases_[i].predicate, of_block_[block]), cases_[i].value, out, width, true);
    }
    return out;
  }

private:
  /// A decision of a branch: under `parent`, `bit` decides. See `decide`.
  struct decision {
    path_predicate parent;
    path_predicate context;
    region_bit bit;
  };

  /// An edge into a block that control may take, and the value of a phi if it does.
  struct join_case {
    path_predicate predicate;
    region_operand value; ///< none if only predicates are merged
  };

  constexpr const decision& decision_of(path_predicate p) const { return decisions_[p / 2 - 1]; }

  static constexpr bool holds(path_predicate p) { return p % 2 == 0; }

  constexpr path_predicate predicate_on_entry(std::uint32_t block) {
    cases_.clear();
    for (const std::uint32_t e : flow_->in_edges_of(block)) {
      if (of_edge_[e] != no_path) {
        cases_.push_back({of_edge_[e], {}});
      }
    }
    if (cases_.empty()) {
      return no_path;
    }
    const std::uint32_t d = dominator_[block];
    if (block == flow_->bottom()) { // every path that stays in the loop gets there
      return every_path;
    }
    if (postdominator_[d] == block) {
      return of_block_[d];
    }
    merge_siblings(0);
    return cases_.size() == 1 ? cases_[0].predicate : any_of_cases(of_block_[d]);
  }

  constexpr path_predicate any_of_cases(path_predicate base) {
    region_bit none = true_bit;
    for (const join_case& c : cases_) {
      none = builder_->conjunction(none, bit_of(c.predicate, base).inverted());
    }
    return none.is_number() ? base : decide(base, base, none.inverted());
  }

  /// Merges the two sides of a decision into one case, the innermost decision first, while there are two sides of one.
  constexpr void merge_siblings(std::uint8_t width) {
    while (cases_.size() > 1) {
      const std::size_t last = innermost();
      const std::size_t other = index_of(cases_[last].predicate ^ 1);
      if (other == cases_.size()) {
        return;
      }
      join_case& kept = cases_[last < other ? last : other];
      const join_case& gone = cases_[last < other ? other : last];
      const decision& d = decision_of(kept.predicate);
      if (kept.value.node != no_region_value) {
        const bool kept_holds = holds(kept.predicate);
        kept.value = builder_->select(d.bit, kept_holds ? kept.value : gone.value, kept_holds ? gone.value : kept.value,
                                      width, true);
      }
      kept.predicate = d.parent;
      erase(last < other ? other : last);
    }
  }

  /// Decisions have greater numbers than those that they depend on.
  constexpr std::size_t innermost() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i != cases_.size(); ++i) {
      best = cases_[i].predicate > cases_[best].predicate ? i : best;
    }
    return best;
  }

  constexpr std::size_t index_of(path_predicate p) const {
    std::size_t i = 0;
    while (i != cases_.size() && cases_[i].predicate != p) {
      ++i;
    }
    return i;
  }

  constexpr void erase(std::size_t i) {
    for (; i + 1 != cases_.size(); ++i) {
      cases_[i] = cases_[i + 1];
    }
    cases_.pop_back();
  }

  /// One round is enough, because blocks are in topological order: the first iteration of the algorithm of K. D.
  /// Cooper, T. J. Harvey, K. Kennedy, "A simple, fast dominance algorithm", 2001.
  constexpr void compute_dominators() {
    dominator_[0] = 0;
    for (std::uint32_t b = 1; b != dominator_.size(); ++b) {
      std::uint32_t common = b;
      for (const std::uint32_t e : flow_->in_edges_of(b)) {
        std::uint32_t other = flow_->edges[e].source;
        while (common != b && common != other) {
          (common > other ? common : other) = dominator_[common > other ? common : other];
        }
        common = other;
      }
      dominator_[b] = common == b ? 0 : common;
    }
  }

  constexpr void compute_postdominators() {
    const std::uint32_t none = flow_->bottom() + 1;
    for (std::uint32_t b = none; b-- != 0;) {
      std::uint32_t common = b;
      for (std::uint32_t e = flow_->blocks[b].first_edge; e != flow_->blocks[b].last_edge; ++e) {
        std::uint32_t other = flow_->edges[e].target;
        if (other == region_edge::leaves) {
          continue;
        }
        while (common != b && common != other) {
          std::uint32_t& earlier = common < other ? common : other;
          earlier = postdominator_[earlier];
        }
        common = other;
      }
      postdominator_[b] = common == b ? none : common;
    }
  }

  const region_flow* flow_ = nullptr;
  region_builder* builder_ = nullptr;
  flat_array<std::uint32_t> dominator_;     ///< by block: the last other block on every path from the header
  flat_array<std::uint32_t> postdominator_; ///< by block: the first other block on every path to the bottom
  flat_array<path_predicate> of_block_;     ///< of the blocks that were entered
  flat_array<path_predicate> of_edge_;      ///< of the edges of blocks that were left
  flat_array<decision> decisions_;
  flat_array<join_case> cases_;      ///< scratch
  flat_array<path_predicate> chain_; ///< scratch of `bit_of`
};

} // namespace detail

MIDEND_END_NAMESPACE
