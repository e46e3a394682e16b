/// `frozen`: a flat copy of a program, which stays when the function changes.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/detail/program_copier.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/flat_program_graph.hpp"
#include "midend/ir/function_graph.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_description.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ir/wide_numbers.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/detail/list_pool.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// The requirements of `frozen`: the SSA rung with 64-bit constants, and the cases of edges. All other members are
/// optional.
template <class IR>
concept freezable_ir = ssa_ir<IR> && has_constant_type<IR> && has_64_bit_constants<IR> && has_constant<IR> &&
                       (has_edge_case<IR> || has_edge_cases<IR>);

namespace detail {

/// Complete rungs must fit.
struct complete_rungs_row {
  template <class IR>
  static constexpr bool fits = [] {
    if constexpr (cost_ir<IR>) {
      return cost_contract::fits<IR>;
    } else {
      return !semantic_ir<IR> || semantic_contract::fits<IR>;
    }
  }();

  template <class IR> static constexpr bool explain() {
    if constexpr (cost_ir<IR>) {
      return cost_contract::explain<IR>();
    } else {
      return semantic_contract::explain<IR>();
    }
  }
};

template <class IR>
concept has_numbers_as_constants = has_constant_type<IR> && has_64_bit_constants<IR>;

MIDEND_REQUIRED(
    has_numbers_as_constants,
    "a frozen program has numbers as constants, so this needs an IR with `using constant_type = std::uint64_t;`");

struct freezable_contract : contract<ssa_contract, has_numbers_as_constants_row, has_constant_row, says_edge_cases_row,
                                     describe_row, optional_effects, complete_rungs_row> {};

/// All numbers stay.
struct same_places {
  static constexpr bool adds_operands = false;

  static node_id node(node_id n) { return n; }

  static edge_id edge(edge_id e) { return e; }

  static value_id image(value_id x) { return x; }

  static node_id scope_image(node_id header) { return header; }
};

/// Fills a `flat_program`.
template <class IR> class program_freezer {
public:
  program_freezer(const IR& ir, flat_program& out) : ir_(ir), out_(out) {}

  void run() {
    copy_graph();
    place_values();
    copy_operands();
    same_places places;
    program_copier<IR, same_places>(ir_, places, out_).run();
  }

private:
  using program = flat_program;
  using record = flat_program::value_record;

  record& of(value_id v) { return out_.values_[v]; }

  // ---- The graph.

  void copy_graph() {
    const auto& g = ir_.graph();
    flat_program_graph& to = out_.graph_;
    const auto num_nodes = node_count(g);
    const auto num_edges = static_cast<std::size_t>(g.num_edges());
    to.entry_ = num_nodes == 0 ? 0 : static_cast<node_id>(g.entry());
    to.epoch_ = graph_epoch(g);
    to.nodes_.assign(num_nodes, {});
    to.sources_.assign(num_edges, no_node);
    to.targets_.assign(num_edges, no_node);
    to.positions_.assign(num_edges, 0);
    out_.edges_.assign(num_edges, flat_edge());
    to.lists_.reset(2 * num_edges);
    for (node_id n = 0; n != num_nodes; ++n) {
      reserve(to.nodes_[n].out, g.out_edges(n));
      for_each_id(g.out_edges(n), [&](edge_id e) {
        const auto t = static_cast<node_id>(g.edge_target(e));
        MIDEND_ASSERT(e < num_edges && to.sources_[e] == no_node && t < num_nodes, "a graph with edges", e, t);
        to.lists_.push_back(to.nodes_[n].out, e);
        to.sources_[e] = n;
        to.targets_[e] = t;
        ++to.nodes_[t].in.count;
      });
    }
    for (node_id n = 0; n != num_nodes; ++n) {
      const std::uint32_t count = to.nodes_[n].in.count;
      to.nodes_[n].in.count = 0;
      to.lists_.reserve(to.nodes_[n].in, count);
    }
    list_in_edges(g);
  }

  /// Lists in-edges in the order of the IR, or of their numbers.
  template <class G> void list_in_edges(const G& g) {
    flat_program_graph& to = out_.graph_;
    const auto list = [&](node_id n, edge_id e) {
      to.positions_[e] = to.nodes_[n].in.count;
      to.lists_.push_back(to.nodes_[n].in, e);
    };
    if constexpr (requires { g.in_edges(node_id()); }) {
      for (node_id n = 0; n != to.num_nodes(); ++n) {
        for_each_id(g.in_edges(n), [&](edge_id e) {
          MIDEND_ASSERT(e < to.num_edges() && to.targets_[e] == n, "a graph whose in-edges are its out-edges", n, e);
          list(n, e);
        });
      }
    } else {
      for (edge_id e = 0; e != to.num_edges(); ++e) {
        if (to.targets_[e] != no_node) {
          list(to.targets_[e], e);
        }
      }
    }
  }

  template <class Edges> void reserve(pooled_list& list, const Edges& edges) {
    std::size_t count = 0;
    for ([[maybe_unused]] auto&& e : edges) {
      ++count;
    }
    out_.graph_.lists_.reserve(list, count);
  }

  // ---- Values.

  void place_values() {
    const auto num_values = static_cast<std::size_t>(ir_.num_values());
    out_.values_.assign(num_values, record());
    out_.nodes_.assign(out_.graph_.num_nodes(), program::node_record());
    out_.parameters_.clear();
    for (node_id n = 0; n != out_.graph_.num_nodes(); ++n) {
      for_each_id(ir_.values(n), [&](value_id v) {
        MIDEND_ASSERT(v < num_values && of(v).home == no_node, "a value in one place", v, n);
        out_.link(v, n, no_value);
      });
    }
    if constexpr (has_parameters<IR>) {
      for_each_id(ir_.parameters(), [&](value_id v) { out_.parameters_.push_back(v); });
    }
  }

  /// Copies the operands of later values first, so that the users of a value are listed in the order of their numbers.
  void copy_operands() {
    const auto num_values = static_cast<value_id>(out_.num_values());
    out_.operands_.reset(num_values, 2 * std::size_t{num_values});
    for (value_id v = 0; v != num_values; ++v) {
      out_.operands_.add_value();
      of(v).origin = v;
    }
    for (value_id v = num_values; v-- != 0;) {
      if (static_cast<bool>(ir_.is_phi(v))) {
        out_.set(v, program::phi);
        if (of(v).home != no_node) {
          const span<const edge_id> in = out_.graph_.in_edges(of(v).home);
          out_.operands_.reserve(of(v).operands, in.size());
          for (const edge_id e : in) {
            out_.add_operand(v, static_cast<value_id>(ir_.phi_input(v, e)));
          }
        }
      } else {
        std::size_t count = 0;
        for_each_id(ir_.operands(v), [&](value_id) { ++count; });
        out_.operands_.reserve(of(v).operands, count);
        for_each_id(ir_.operands(v), [&](value_id x) { out_.add_operand(v, x); });
      }
    }
  }

  const IR& ir_;
  flat_program& out_;
};

} // namespace detail

/// What functions take: a `freezable_ir` with optional members that fit; otherwise an error.
template <class IR>
concept freezable_ir_argument =
    (freezable_ir<IR> && detail::freezable_contract::fits<IR>) || detail::freezable_contract::explain<IR>();

/// A flat copy of a program, with the same numbers: a certificate compares the program before a transformation with the
/// one after it, and an editor over a function cannot be copied.
///
///     const midend::flat_program before = midend::frozen(editor);
///     const midend::dead_code_plan plan = midend::plan_remove_dead_code(editor);
///     const midend::removal_witness witness = midend::apply_remove_dead_code(editor, plan);
///     const auto verdict = midend::verify_removal(before, editor, witness);
///
/// Copies the members that the IR has of the SSA, semantics, effects, cost and profile rungs, with unreachable nodes,
/// parallel edges, and numbers of erased things. See `flat_program` for members that cannot be copied, and for its
/// answers in place of members that the IR lacks. The checkers compare operations by `describe(v, out)`
/// (`ir/operation_description.hpp`). It is called now, and again when they run; without it, a comparison does not
/// compile.
///
/// Requires an IR that `check_ir` accepts, with `std::uint64_t` as `constant_type`; if it has `same_type`, that is an
/// equivalence. Members about headers of loops are asked of all nodes with predecessors, those about backedges of all
/// edges; members of the semantics rung and `describe` of all values.
///
/// If there are more than 64 types, values of a type that was not met for a long time count as having different types.
///
/// O(n + m + values + operands + words of the descriptions).
template <freezable_ir_argument IR> flat_program frozen(const IR& ir) {
  flat_program out;
  frozen(ir, out);
  return out;
}

/// Refills `out`: allocates nothing if an earlier program of this object was as large.
template <freezable_ir_argument IR> void frozen(const IR& ir, flat_program& out) {
  detail::program_freezer<IR>(ir, out).run();
}

MIDEND_END_NAMESPACE
