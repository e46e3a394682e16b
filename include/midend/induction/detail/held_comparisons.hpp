/// `held_comparisons`: the comparisons that held when control passed an edge or entered a loop.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/detail/condition_reader.hpp"
#include "midend/induction/detail/value_form_reader.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/trip_formula.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/sort.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A sum modulo 2^width that is on an arc of numbers.
struct form_on_arc {
  linear_form form;
  number_arc arc{0, 0};
};

/// Comparisons that held when control passed an edge, the last one first; and sums that are on an arc because of them.
struct held_comparisons {
  static constexpr std::size_t most = 32;

  std::size_t size = 0;
  std::size_t num_arcs = 0;
  value_comparison comparisons[most] = {};
  form_on_arc arcs[most] = {};
};

/// Reads which comparisons held when control reached a place: from the branches that lead there, and from promises of
/// the program before it (`assumed`).
class held_comparison_reader {
public:
  held_comparison_reader(const flat_program& program, const dominator_tree& tree, const value_form_reader& reader)
      : p_(program), tree_(tree), reader_(reader), conditions_(program) {
    for (value_id v = 0; v != program.num_values(); ++v) {
      if (const value_id bit = program.assumed(v); bit != no_value && program.node_of(v) != no_node) {
        promises_.push_back(std::uint64_t{program.node_of(v)} << 32 | bit);
      }
    }
    sort_and_deduplicate(promises_);
  }

  /// The comparisons of branches in dominators of `n`, which held when control reached `n`.
  void above(node_id n, held_comparisons& out) const {
    out.size = 0;
    out.num_arcs = 0;
    add_above(n, no_node, out);
  }

  /// The comparisons that held when control passed `e`: of branches at the end of the target's immediate dominator, and
  /// of nodes that this dominates.
  void passing(edge_id e, held_comparisons& out) const {
    out.size = 0;
    out.num_arcs = 0;
    const node_id last = tree_.immediate_dominator(p_.graph().edge_target(e));
    const node_id first = p_.graph().edge_source(e);
    add_branch(first, e, out);
    add_promises(first, out);
    add_above(first, last, out);
  }

  /// The comparisons that hold if a bit has this value, for the condition of a select.
  void choosing(const bit_fact& bit, held_comparisons& out) const {
    out.size = 0;
    out.num_arcs = 0;
    add_bit(bit, out);
  }

private:
  static constexpr unsigned max_steps = 16; ///< at most so many dominators are searched

  /// The only edge from `source` by which control enters `target`, apart from edges from nodes that `target` dominates.
  edge_id only_edge(node_id source, node_id target) const {
    edge_id found_edge = no_edge;
    for (const edge_id e : p_.graph().in_edges(target)) {
      const node_id from = p_.graph().edge_source(e);
      if (!reader_.is_reachable(from) || tree_.dominates(target, from)) {
        continue;
      }
      if (from != source || found_edge != no_edge) {
        return no_edge;
      }
      found_edge = e;
    }
    return found_edge;
  }

  /// The branches on the path of dominators from `last`, or from the entry, to `n`.
  void add_above(node_id n, node_id last, held_comparisons& out) const {
    for (unsigned steps = 0; steps != max_steps && n != last; ++steps) {
      const node_id above = tree_.immediate_dominator(n);
      if (above == no_node) {
        return;
      }
      if (const edge_id e = only_edge(above, n); e != no_edge) {
        add_branch(above, e, out);
      }
      add_promises(above, out);
      n = above;
    }
  }

  /// Adds promises in a node that control has left: the first ones, if there are thousands.
  void add_promises(node_id n, held_comparisons& out) const {
    std::size_t i = promises_.empty() ? 0 : first_promise(n);
    for (const std::size_t end = i + held_comparisons::most;
         i != end && i != promises_.size() && promises_[i] >> 32 == n; ++i) {
      add_bit({static_cast<value_id>(promises_[i]), true}, out);
    }
  }

  std::size_t first_promise(node_id n) const {
    std::size_t first = 0;
    for (std::size_t size = promises_.size(); size != 0;) {
      const std::size_t half = size / 2;
      const bool is_later = promises_[first + half] >> 32 < n;
      first += is_later ? half + 1 : 0;
      size = is_later ? size - half - 1 : half;
    }
    return first;
  }

  void add_branch(node_id n, edge_id e, held_comparisons& out) const {
    bit_fact bit;
    if (conditions_.read_branch(n, e, bit)) {
      add_bit(bit, out);
    }
  }

  void add_bit(const bit_fact& bit, held_comparisons& out) const {
    bit_facts parts;
    if (!conditions_.split_into(bit, true, parts)) {
      return;
    }
    for (std::size_t i = 0; i != parts.size && out.size != held_comparisons::most; ++i) { // all of them hold
      const value_comparison c = conditions_.comparison_of(parts.bits[i]);
      if (c.width >= 1 && c.width <= 64) {
        out.comparisons[out.size++] = c;
        add_arcs(c, out);
      }
    }
  }

  /// Adds arcs from a comparison with a number, also for the low bits alone if the others are 0; and from `==` and
  /// `!=`.
  void add_arcs(const value_comparison& c, held_comparisons& out) const {
    const auto literal = c.b == no_value ? std::optional(c.number) : p_.constant(c.b);
    const std::uint64_t most = low_ones(c.width);
    const std::uint64_t bound = literal.value_or(0) & most;
    const std::uint64_t offset = is_signed_order(c.code) ? sign_bit(c.width) : 0; // makes signed order unsigned
    const auto arc = values_for_which(c.code, (bound + offset) & most, most);
    if (!arc || (!literal && is_order(c.code))) {
      return;
    }
    form_on_arc known{{}, {(arc->first - offset) & most, arc->more}};
    linear_form second;
    const bool is_read =
        reader_.read_low_bits(c.a, c.width, known.form) &&
        (literal || (reader_.read_low_bits(c.b, c.width, second) && known.form.add(second, ~std::uint64_t{0})));
    if (is_read && !known.form.is_number() && out.num_arcs != held_comparisons::most) {
      out.arcs[out.num_arcs++] = known;
    }
    const auto bits = static_cast<unsigned>(std::bit_width(reader_.possible_bits(c.a, c.width)));
    if (literal && c.code == operation::equal && bits != 0 && bits < c.width && bound <= low_ones(bits) &&
        reader_.read_low_bits(c.a, bits, known.form) && !known.form.is_number() &&
        out.num_arcs != held_comparisons::most) {
      known.arc = {bound, 0};
      out.arcs[out.num_arcs++] = known;
    }
  }

  const flat_program& p_;
  const dominator_tree& tree_;
  const value_form_reader& reader_;
  condition_reader conditions_;
  flat_array<std::uint64_t> promises_; ///< a node and a bit that is 1 there, in ascending order
};

} // namespace detail

MIDEND_END_NAMESPACE
