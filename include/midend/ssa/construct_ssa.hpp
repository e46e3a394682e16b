/// `construct_ssa`: turns the variables of a program into values.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/dominance/iterated_dominance_frontier.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/statements.hpp"
#include "midend/ssa/detail/agreeing_inputs.hpp"
#include "midend/ssa/detail/statement_variables.hpp"
#include "midend/ssa/inserted_phis.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/support/work_stack.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The nodes that define each variable, and those that read it before they write it. Found in one walk over the
/// program.
class variable_sites {
public:
  template <class IR> constexpr void assign(const IR& ir) {
    const auto num_variables = static_cast<std::size_t>(ir.num_variables());
    const node_id num_nodes = node_count(ir.graph());
    defined_in_.assign(num_variables, no_node);
    exposed_in_.assign(num_variables, no_node);
    if constexpr (has_may_definitions<IR>) {
      defined_by_.assign(num_variables, no_statement);
    }
    definitions_.clear();
    exposed_.clear();
    for (node_id n = 0; n != num_nodes; ++n) {
      for_each_id(ir.statements(n), [&](statement_id s) { add_statement(ir, s, n); });
    }
    group(definitions_, defining_end_, defining_);
    group(exposed_, exposing_end_, exposing_);
  }

  constexpr std::size_t num_variables() const { return defined_in_.size(); }

  /// Whether a read of `x` in some node may see the value on arrival. Most variables are local: every node that reads
  /// them writes them before, so they need no phis.
  constexpr bool is_exposed(variable_id x) const { return exposed_in_[x] != no_node; }

  /// The nodes that define an exposed variable, each once.
  constexpr span<const node_id> defining(variable_id x) const { return part(defining_, defining_end_, x); }

  /// The nodes with a read of `x` that may see the value on arrival, each once.
  constexpr span<const node_id> exposing(variable_id x) const { return part(exposing_, exposing_end_, x); }

private:
  template <class IR> constexpr void add_statement(const IR& ir, statement_id s, node_id n) {
    require_variables(ir, s);
    for_each_id(ir.uses(s), [&](variable_id x) { expose(x, n); });
    for_each_id(ir.definitions(s), [&](variable_id x) {
      add(definitions_, defined_in_, x, n);
      if constexpr (has_may_definitions<IR>) {
        defined_by_[x] = s;
      }
    });
    if constexpr (has_may_definitions<IR>) {
      for_each_id(ir.may_definitions(s), [&](variable_id x) {
        if (defined_by_[x] != s) {
          expose(x, n);
          add(definitions_, defined_in_, x, n);
        }
      });
    }
  }

  constexpr void expose(variable_id x, node_id n) {
    if (defined_in_[x] != n) {
      add(exposed_, exposed_in_, x, n);
    }
  }

  static constexpr void add(flat_array<definition_site>& sites, flat_array<node_id>& listed_in, variable_id x,
                            node_id n) {
    if (listed_in[x] != n) {
      listed_in[x] = n;
      sites.push_back({x, n});
    }
  }

  constexpr void group(span<const definition_site> sites, flat_array<std::uint32_t>& ends,
                       flat_array<node_id>& nodes) const {
    ends.assign(num_variables() + 1, 0);
    for (const definition_site& site : sites) {
      ends[site.variable] += is_exposed(site.variable) ? 1u : 0u;
    }
    counts_to_ends(ends);
    nodes.resize_for_overwrite(ends.back());
    for (const definition_site& site : sites) {
      if (is_exposed(site.variable)) {
        nodes[--ends[site.variable]] = site.node;
      }
    }
  }

  static constexpr span<const node_id> part(const flat_array<node_id>& nodes, const flat_array<std::uint32_t>& ends,
                                            variable_id x) {
    return {nodes.data() + ends[x], nodes.data() + ends[x + std::size_t{1}]};
  }

  flat_array<node_id> defined_in_; ///< by variable: the last node that is in its list
  flat_array<node_id> exposed_in_;
  flat_array<statement_id> defined_by_; ///< by variable: the last statement; only for an IR with may-definitions
  flat_array<definition_site> definitions_;
  flat_array<definition_site> exposed_;
  flat_array<std::uint32_t> defining_end_; ///< by variable, and one more: where its nodes begin
  flat_array<node_id> defining_;
  flat_array<std::uint32_t> exposing_end_;
  flat_array<node_id> exposing_;
};

/// The nodes where a variable is live, for one variable at a time: a backward walk from its reads to its definitions.
/// Only called for variables with a dominance frontier, which most do not have.
class live_nodes {
public:
  constexpr void start(std::size_t num_nodes) {
    variable_ = no_variable;
    defined_.assign(num_nodes, no_variable);
    live_in_.assign(num_nodes, no_variable);
  }

  /// Whether `x` is live at the start of `n`. The first query about another variable does the walk.
  template <class G> constexpr bool is_live_in(const G& g, const variable_sites& sites, variable_id x, node_id n) {
    if (x != variable_) {
      variable_ = x;
      walk(g, sites);
    }
    return live_in_[n] == x;
  }

private:
  template <class G> constexpr void walk(const G& g, const variable_sites& sites) {
    for (const node_id n : sites.defining(variable_)) {
      defined_[n] = variable_;
    }
    work_stack<node_id> todo(memory_);
    for (const node_id n : sites.exposing(variable_)) {
      live_in_[n] = variable_;
      todo.push(n);
    }
    while (!todo.empty()) {
      for_each_id(g.predecessors(todo.pop()), [&](node_id id) {
        const node_id p = node_in(g, id);
        if (live_in_[p] != variable_ && defined_[p] != variable_) {
          live_in_[p] = variable_;
          todo.push(p);
        }
      });
    }
  }

  variable_id variable_ = no_variable;
  flat_array<variable_id> defined_; ///< by node: the last variable of a walk that is defined there
  flat_array<variable_id> live_in_;
  flat_array<node_id> memory_;
};

/// Memory of `ssa_renaming`.
struct renaming_memory {
  struct former_value {
    variable_id variable;
    value_id value;
  };

  flat_array<value_id> current;           ///< by variable: its value here, or `no_value`
  flat_array<former_value> log;           ///< former values of variables, to be restored
  flat_array<std::size_t> log_end;        ///< by depth in the dominator tree: the length of the log there
  flat_array<std::uint32_t> phi_end;      ///< by node, into `phis`
  flat_array<std::uint32_t> phis;         ///< numbers of phis, node by node
  flat_array<unsigned char> is_undefined; ///< by variable
};

/// Walks the dominator tree in preorder. At the start of a node, a variable holds its phi there, or else its value at
/// the end of the immediate dominator. Unreachable nodes come last, each on its own.
template <class E> class ssa_renaming {
public:
  constexpr ssa_renaming(E& editor, const dominator_tree& tree, const variable_sites& sites,
                         statement_variables& statement, renaming_memory& memory, agreeing_inputs* inputs)
      : editor_(editor), tree_(tree), sites_(sites), statement_(statement), memory_(memory), inputs_(inputs) {}

  constexpr void run(span<const variable_phi> phis) {
    phis_ = phis;
    group_phis_by_node();
    const auto num_variables = static_cast<std::size_t>(editor_.num_variables());
    memory_.current.assign(num_variables, no_value);
    memory_.is_undefined.assign(num_variables, 0);
    memory_.log.clear();
    memory_.log_end.assign(1, 0);
    for (const node_id n : tree_.preorder()) {
      const std::size_t depth = tree_.depth(n);
      restore(memory_.log_end[depth]);
      rename_node(n);
      memory_.log_end.shrink(depth + 1);
      memory_.log_end.push_back(memory_.log.size());
    }
    inputs_ = nullptr; // nothing arrives from unreachable nodes, so it need not agree
    for (node_id n = 0; n != tree_.num_nodes(); ++n) {
      if (!tree_.is_reachable(n)) {
        restore(0);
        rename_node(n);
      }
    }
  }

  constexpr void list_undefined(flat_array<variable_id>& out) const {
    out.clear();
    for (std::size_t x = 0; x != memory_.is_undefined.size(); ++x) {
      if (memory_.is_undefined[x] != 0) {
        out.push_back(static_cast<variable_id>(x));
      }
    }
  }

private:
  constexpr void group_phis_by_node() {
    memory_.phi_end.assign(tree_.num_nodes() + 1, 0);
    for (const variable_phi& phi : phis_) {
      ++memory_.phi_end[phi.node];
    }
    counts_to_ends(memory_.phi_end);
    memory_.phis.resize_for_overwrite(phis_.size());
    for (std::size_t i = phis_.size(); i-- != 0;) {
      memory_.phis[--memory_.phi_end[phis_[i].node]] = static_cast<std::uint32_t>(i);
    }
  }

  template <class Visit> constexpr void for_each_phi(node_id n, Visit visit) const {
    const std::uint32_t last = memory_.phi_end[n + std::size_t{1}];
    for (std::uint32_t i = memory_.phi_end[n]; i != last; ++i) {
      visit(phis_[memory_.phis[i]], memory_.phis[i]);
    }
  }

  constexpr void rename_node(node_id n) {
    for_each_phi(n, [&](const variable_phi& phi, std::uint32_t) { write(phi.variable, phi.value); });
    for_each_id(editor_.statements(n), [&](statement_id s) { rename_statement(s); });
    for_each_id(editor_.graph().out_edges(n), [&](edge_id e) {
      for_each_phi(static_cast<node_id>(editor_.graph().edge_target(e)),
                   [&](const variable_phi& phi, std::uint32_t number) {
                     const value_id v = value_of(phi.variable);
                     editor_.set_phi_input(phi.value, e, v);
                     if (inputs_ != nullptr) {
                       inputs_->add(number, v);
                     }
                   });
    });
  }

  constexpr void rename_statement(statement_id s) {
    statement_.assign(editor_, s);
    for (const variable_id x : statement_.read()) {
      editor_.rename_use(s, x, value_of(x));
    }
    for (const variable_id x : statement_.written()) {
      write(x, editor_.rename_definition(s, x));
    }
  }

  constexpr value_id value_of(variable_id x) {
    if (memory_.current[x] != no_value) {
      return memory_.current[x];
    }
    memory_.is_undefined[x] = 1;
    return editor_.undefined_value(x);
  }

  /// Records the former value of exposed variables only: no node reads a local variable before writing it.
  constexpr void write(variable_id x, value_id v) {
    if (sites_.is_exposed(x)) {
      memory_.log.push_back({x, memory_.current[x]});
    }
    memory_.current[x] = v;
  }

  /// Restores the variables to their values at the time the log had that length.
  constexpr void restore(std::size_t log_size) {
    while (memory_.log.size() != log_size) {
      memory_.current[memory_.log.back().variable] = memory_.log.back().value;
      memory_.log.pop_back();
    }
  }

  E& editor_;
  const dominator_tree& tree_;
  const variable_sites& sites_;
  statement_variables& statement_;
  renaming_memory& memory_;
  agreeing_inputs* inputs_; ///< null: phis whose inputs agree are kept
  span<const variable_phi> phis_;
};

struct ssa_constructor;

} // namespace detail

/// What to do with phis whose inputs agree.
enum class agreeing_phis : std::uint8_t { remove, keep };

/// Memory of `construct_ssa`, reusable for program after program.
class construct_ssa_workspace {
  friend detail::ssa_constructor;

  csr_graph copy_; ///< of a graph without predecessors
  dominators_workspace dominators_;
  dominator_tree tree_;
  detail::statement_variables statement_;
  detail::variable_sites sites_;
  flat_array<definition_site> joining_; ///< definitions of variables that may need phis
  detail::live_nodes live_;
  iterated_dominance_frontier_workspace frontier_memory_;
  iterated_frontiers frontiers_;
  detail::renaming_memory renaming_;
  detail::agreeing_inputs inputs_;
};

namespace detail {

struct ssa_constructor {
  template <class E>
  static constexpr void run(E& editor, bool keeps_agreeing, construct_ssa_workspace& w, inserted_phis& out) {
    const auto& g = editor.graph();
    require_no_edge_to_entry(g);
    dominators(g, semi_nca, w.dominators_, w.tree_);
    w.sites_.assign(editor);
    list_joining(static_cast<node_id>(g.entry()), w);
    if constexpr (bidirectional_flow_graph<graph_of<E>>) {
      compute_frontiers(g, g, w);
    } else {
      w.copy_.assign(g);
      compute_frontiers(g, w.copy_, w);
    }
    insert_phis(editor, w.frontiers_, out);
    w.statement_.start(static_cast<std::size_t>(editor.num_variables()));
    w.inputs_.start();
    ssa_renaming<E> renaming(editor, w.tree_, w.sites_, w.statement_, w.renaming_,
                             keeps_agreeing ? nullptr : &w.inputs_);
    renaming.run(out.phis_);
    renaming.list_undefined(out.undefined_variables_);
    if constexpr (can_replace_uses<E> && can_erase_values<E>) {
      if (!keeps_agreeing && w.inputs_.remove(editor, w.tree_, out.phis_)) {
        drop_removed(w.inputs_, out);
      }
    }
  }

private:
  /// A phi at the entry would need an input for the call of the function.
  template <class G> static constexpr void require_no_edge_to_entry([[maybe_unused]] const G& g) {
#if MIDEND_CHECKS
    for (node_id n = 0; n != node_count(g); ++n) {
      for_each_id(g.successors(n),
                  [&](node_id s) { MIDEND_ASSERT(s != g.entry(), "an entry without predecessors", s, n); });
    }
#endif
  }

  /// Skips definitions without frontiers: those in the entry, and variables with one defining node that strictly
  /// dominates all readers, because every path to a reader goes through that node.
  static constexpr void list_joining(node_id entry, construct_ssa_workspace& w) {
    w.joining_.clear();
    for (variable_id x = 0; x != w.sites_.num_variables(); ++x) {
      const span<const node_id> defining = w.sites_.defining(x);
      if (defining.size() == 1 && dominates_all(w.tree_, defining[0], w.sites_.exposing(x))) {
        continue;
      }
      for (const node_id n : defining) {
        if (n != entry) {
          w.joining_.push_back({x, n});
        }
      }
    }
  }

  static constexpr bool dominates_all(const dominator_tree& tree, node_id a, span<const node_id> nodes) {
    for (const node_id n : nodes) {
      if (!tree.strictly_dominates(a, n)) {
        return false;
      }
    }
    return true;
  }

  template <class G, class WithPredecessors>
  static constexpr void compute_frontiers(const G& g, const WithPredecessors& backward, construct_ssa_workspace& w) {
    if (!w.joining_.empty()) {
      w.live_.start(node_count(g));
    }
    iterated_dominance_frontiers(
        g, w.tree_, w.sites_.num_variables(), w.joining_,
        [&](variable_id x, node_id n) { return w.live_.is_live_in(backward, w.sites_, x, n); }, w.frontier_memory_,
        w.frontiers_);
  }

  /// From the last variable to the first, because each phi is inserted before those that are there.
  template <class E>
  static constexpr void insert_phis(E& editor, const iterated_frontiers& frontiers, inserted_phis& out) {
    const std::size_t num_variables = frontiers.num_variables();
    out.phis_.resize_for_overwrite(frontiers.num_members());
    out.phi_offsets_.resize_for_overwrite(num_variables + 1);
    std::size_t at = frontiers.num_members();
    out.phi_offsets_[num_variables] = static_cast<std::uint32_t>(at);
    for (std::size_t x = num_variables; x-- != 0;) {
      const auto variable = static_cast<variable_id>(x);
      const auto nodes = frontiers[variable];
      for (std::size_t i = nodes.size(); i-- != 0;) {
        const value_id phi = editor.insert_variable_phi(nodes[i], variable);
        out.phis_[--at] = {variable, nodes[i], phi};
      }
      out.phi_offsets_[x] = static_cast<std::uint32_t>(at);
    }
  }

  static constexpr void drop_removed(const agreeing_inputs& inputs, inserted_phis& out) {
    std::uint32_t kept = 0;
    std::uint32_t phi = 0;
    for (std::size_t x = 0; x + 1 != out.phi_offsets_.size(); ++x) {
      const std::uint32_t end = out.phi_offsets_[x + 1];
      out.phi_offsets_[x] = kept;
      for (; phi != end; ++phi) {
        if (!inputs.is_removed(phi)) {
          out.phis_[kept++] = out.phis_[phi];
        }
      }
    }
    out.phi_offsets_.back() = kept;
    out.phis_.shrink(kept);
  }
};

} // namespace detail

/// Turns all variables of a program into values: afterwards statements read values, each definition is a value, and a
/// phi is placed where several definitions of a live variable meet. The result is *pruned* SSA form: as few phis as
/// iterated dominance frontiers and liveness allow.
///
/// Cytron, Ferrante, Rosen, Wegman, Zadeck, "Efficiently computing static single assignment form and the control
/// dependence graph", TOPLAS 13(4), 1991. Frontiers are iterated as by Sreedhar and Gao (see
/// `iterated_dominance_frontiers`), without the frontiers of single nodes. Liveness is computed for one variable at a
/// time, and only if it has a frontier, by a walk from its reads back to its definitions: a bit for each variable in
/// each node, as in `live_variables`, would be too large for large programs. The dominator tree is walked in preorder,
/// and a log replaces the stack for each variable.
///
/// Requires that no edge leads to the entry, as SSA form does. A may-definition reads the variable and writes it, as
/// `ir/editing.hpp` says. A read that no definition reaches on some path becomes `undefined_value`, in phis too.
/// Unreachable nodes have no phis: a read there sees an earlier write in the node, or else is undefined, and phis get
/// the same value on edges from there. Parallel edges have one input each, and the inputs are equal.
///
/// *Local* variables are read only in nodes that write them before. They have neither frontiers nor a log (Briggs,
/// Cooper, Harvey, Simpson, "Practical improvements to the construction and destruction of static single assignment
/// form", SP&E 28(8), 1998). A variable whose only definition dominates its reads has no frontier either.
///
/// Time: O(n + m + size of the statements + inputs of phis), and for each variable with a frontier the nodes where it
/// is live and the edges into them. The workspace takes about 90 bytes a node, 24 a variable, and 20 for each node that
/// defines or reads a variable. Once it has seen a program as large, only the editor allocates.
template <variable_editor_argument E>
constexpr void construct_ssa(E& editor, construct_ssa_workspace& workspace, inserted_phis& out) {
  detail::ssa_constructor::run(editor, true, workspace, out);
}

/// Returns the result, with a workspace of its own.
template <variable_editor_argument E> constexpr inserted_phis construct_ssa(E& editor) {
  inserted_phis out;
  construct_ssa_workspace workspace;
  construct_ssa(editor, workspace, out);
  return out;
}

/// With `agreeing_phis::remove`, also replaces phis whose inputs agree, until there are no more: by the one value that
/// is an input beside the phi itself, or by an undefined value if there is none. Inputs agree if the editor gives them
/// the same number. So only an editor that knows copies or equal numbers has such phis: one whose `rename_definition`
/// returns the copied value. An undefined input agrees if the editor allows it (`can_replace_undefined`); inputs from
/// unreachable nodes are ignored. LLVM's `PromoteMemToReg` removes the same phis.
///
/// Phis that agree only in a cycle, each with the others, stay; `propagate_copies` removes them. `out` has the phis
/// that are left. Some of its undefined variables may be undefined in removed phis only.
///
/// O(i log i) more for i inputs of phis. The workspace takes 12 bytes an input and 32 a phi more, and if there are such
/// phis, 4 for each value and 12 an input.
template <phi_removing_editor_argument E>
constexpr void construct_ssa(E& editor, agreeing_phis agreeing, construct_ssa_workspace& workspace,
                             inserted_phis& out) {
  detail::ssa_constructor::run(editor, agreeing == agreeing_phis::keep, workspace, out);
}

/// Returns the result, with a workspace of its own.
template <phi_removing_editor_argument E> constexpr inserted_phis construct_ssa(E& editor, agreeing_phis agreeing) {
  inserted_phis out;
  construct_ssa_workspace workspace;
  construct_ssa(editor, agreeing, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
