/// `construct_ssa_on_the_fly`: SSA construction of a finished program, in the manner of a front end.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/statements.hpp"
#include "midend/ssa/detail/statement_variables.hpp"
#include "midend/ssa/inserted_phis.hpp"
#include "midend/ssa/on_the_fly_ssa.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What to do with the redundant phis of irreducible flow.
enum class redundant_phis : std::uint8_t { remove, keep };

namespace detail {

/// Fills nodes by number and seals each as soon as all its predecessors are filled.
template <class E> class on_the_fly_constructor {
public:
  explicit on_the_fly_constructor(E& editor) : editor_(editor), ssa_(editor) {}

  void run(redundant_phis redundant, inserted_phis& out) {
    const auto num_variables = static_cast<std::size_t>(editor_.num_variables());
    const node_id num_nodes = node_count(editor_.graph());
    statement_.start(num_variables);
    count_edges(num_nodes);
    for (node_id n = 0; n != num_nodes; ++n) {
      if (not_filled_[n] == 0) {
        ssa_.seal(n);
      }
    }
    for (node_id n = 0; n != num_nodes; ++n) {
      fill(n);
      for_each_id(editor_.graph().successors(n), [&](node_id s) {
        if (--not_filled_[s] == 0) {
          ssa_.seal(s);
        }
      });
    }
    if (redundant == redundant_phis::remove) {
      ssa_.remove_redundant_phis();
    }
    list_phis(num_nodes, num_variables, out);
    list_undefined(num_variables, out);
  }

private:
  void count_edges(node_id num_nodes) {
    not_filled_.assign(num_nodes, 0);
    for (node_id n = 0; n != num_nodes; ++n) {
      for_each_id(editor_.graph().successors(n), [&](node_id s) { ++not_filled_[node_in(editor_.graph(), s)]; });
    }
  }

  void fill(node_id n) {
    for_each_id(editor_.statements(n), [&](statement_id s) {
      statement_.assign(editor_, s);
      for (const variable_id x : statement_.read()) {
        editor_.rename_use(s, x, ssa_.read_variable(x, n));
      }
      for (const variable_id x : statement_.written()) {
        ssa_.write_variable(x, n, editor_.rename_definition(s, x));
      }
    });
  }

  /// Sorts by node, then by variable, by counting.
  void list_phis(node_id num_nodes, std::size_t num_variables, inserted_phis& out) {
    flat_array<variable_phi> made;
    ssa_.for_each_phi([&](const variable_phi& phi) { made.push_back(phi); });
    flat_array<variable_phi> by_node;
    flat_array<std::uint32_t> ends;
    sort_by(num_nodes, [](const variable_phi& phi) { return phi.node; }, made, ends, by_node);
    sort_by(num_variables, [](const variable_phi& phi) { return phi.variable; }, by_node, out.phi_offsets_, out.phis_);
  }

  /// A stable sort. `begins` becomes the place where each key begins, and the end.
  template <class Key>
  static void sort_by(std::size_t num_keys, Key key, const flat_array<variable_phi>& from,
                      flat_array<std::uint32_t>& begins, flat_array<variable_phi>& to) {
    begins.assign(num_keys + 1, 0);
    for (const variable_phi& phi : from) {
      ++begins[key(phi)];
    }
    counts_to_ends(begins);
    to.resize_for_overwrite(from.size());
    for (std::size_t i = from.size(); i-- != 0;) {
      to[--begins[key(from[i])]] = from[i];
    }
  }

  void list_undefined(std::size_t num_variables, inserted_phis& out) {
    out.undefined_variables_.clear();
    for (variable_id x = 0; x != num_variables; ++x) {
      if (ssa_.is_undefined(x)) {
        out.undefined_variables_.push_back(x);
      }
    }
  }

  E& editor_;
  on_the_fly_ssa<E> ssa_;
  statement_variables statement_;
  flat_array<std::uint32_t> not_filled_; ///< by node: the number of edges from nodes that are not filled
};

} // namespace detail

/// Turns all variables of a program into values by `on_the_fly_ssa`, in one walk over the nodes by number: the result
/// of a front end that emits the nodes in this order. It inserts and removes the fewest phis if nodes come after their
/// predecessors, except along back edges. The result does not depend on the order.
///
/// The result is that of `construct_ssa` with three differences. The order of phis in a node may differ. Edges from
/// unreachable nodes count here: their targets may have more phis, and unreachable nodes may have phis. More variables
/// may be reported as undefined, because a phi that is removed later counts while it exists. With
/// `redundant_phis::keep`, irreducible flow may have more phis, too.
///
/// Requires that no edge leads to the entry. May-definitions as for `construct_ssa`. Cost: see `on_the_fly_ssa`.
template <on_the_fly_editor_argument E>
inserted_phis construct_ssa_on_the_fly(E& editor, redundant_phis redundant = redundant_phis::remove) {
  inserted_phis out;
  detail::on_the_fly_constructor<E>(editor).run(redundant, out);
  return out;
}

MIDEND_END_NAMESPACE
