/// What branches say about values, and programs in SSA form in which values have copies after such branches.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/dominance/edge_dominance.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The fact that `subject code other` holds.
template <class Constant> struct branch_fact {
  operation code;
  unsigned width; ///< of the operands of the comparison
  value_id subject;
  value_id other; ///< or `no_value`, then `constant` is set
  std::optional<Constant> constant;
};

/// Collects the facts of one edge.
template <class IR> class branch_fact_collector {
public:
  using constant_type = constant_of<IR>;
  using fact = branch_fact<constant_type>;

  branch_fact_collector(const IR& ir, std::vector<fact>& out) : ir_(ir), out_(out) {}

  void collect(edge_id e) {
    const auto source = static_cast<node_id>(ir_.graph().edge_source(e));
    const auto condition = static_cast<value_id>(ir_.condition(source));
    if (condition == no_value) {
      return;
    }
    if (const std::optional<constant_type> value = ir_.edge_case(e)) {
      condition_is(condition, *value);
    } else if (const std::optional<constant_type> other = only_other_case(source, e)) {
      condition_is_not(condition, *other);
    }
  }

private:
  static constexpr bool has_numbers = std::is_same_v<constant_type, std::uint64_t>;
  static constexpr std::size_t most_conditions = 8; ///< in a condition composed of others by and, or, not

  /// The case of the other edge, if the node has two.
  std::optional<constant_type> only_other_case(node_id n, edge_id e) const {
    std::optional<constant_type> found;
    std::size_t count = 0;
    for_each_id(ir_.graph().out_edges(n), [&](edge_id other) {
      ++count;
      if (other != e) {
        found = ir_.edge_case(other);
      }
    });
    return count == 2 ? found : std::nullopt;
  }

  void condition_is(value_id condition, const constant_type& value) {
    add({operation::equal, ir_.operation(condition).width, condition, no_value, value});
    if constexpr (has_numbers) {
      if (ir_.operation(condition).width == 1) {
        conditions_hold(condition, value != 0);
      }
    }
  }

  void condition_is_not(value_id condition, const constant_type& value) {
    if constexpr (has_numbers) {
      if (ir_.operation(condition).width == 1) {
        return condition_is(condition, value ^ 1);
      }
    }
    add({operation::not_equal, ir_.operation(condition).width, condition, no_value, value});
  }

  void add(const fact& known) {
    if (!ir_.constant(known.subject) && !may_differ_at_each_use(known.subject)) {
      out_.push_back(known);
    }
  }

  bool may_differ_at_each_use([[maybe_unused]] value_id v) const {
    if constexpr (has_is_undefined<IR>) {
      return ir_.is_undefined(v);
    } else {
      return false;
    }
  }

  struct truth {
    value_id condition;
    bool holds;
  };

  /// Facts about a one-bit condition and the conditions it is composed of.
  void conditions_hold(value_id first, bool holds) {
    std::array<truth, most_conditions> pending{truth{first, holds}};
    std::size_t count = 1;
    for (std::size_t i = 0; i != count; ++i) {
      const auto [condition, is_true] = pending[i];
      const operation_info info = ir_.operation(condition);
      std::array<value_id, 2> operands{no_value, no_value};
      std::size_t at = 0;
      for_each_id(ir_.operands(condition), [&](value_id v) {
        if (at != operands.size()) {
          operands[at++] = v;
        }
      });
      const auto push = [&](value_id v, bool v_holds) {
        if (count != most_conditions) {
          pending[count++] = {v, v_holds};
        }
      };
      if (is_comparison(info.code)) {
        comparison_holds(is_true ? info.code : negated(info.code), info.operand_width, operands[0], operands[1]);
      } else if (info.code == (is_true ? operation::bit_and : operation::bit_or)) {
        push(operands[0], is_true);
        push(operands[1], is_true);
      } else if (info.code == operation::bit_not) {
        push(operands[0], !is_true);
      }
      if (i != 0) {
        add({operation::equal, 1, condition, no_value, constant_type{is_true}});
      }
    }
  }

  void comparison_holds(operation code, unsigned width, value_id a, value_id b) {
    add({code, width, a, b, std::nullopt});
    add({mirrored(code), width, b, a, std::nullopt});
  }

  const IR& ir_;
  std::vector<fact>& out_;
};

/// The facts that hold after `e`, refilling `out`.
template <class IR> void collect_branch_facts(const IR& ir, edge_id e, std::vector<branch_fact<constant_of<IR>>>& out) {
  out.clear();
  branch_fact_collector<IR>(ir, out).collect(e);
}

/// A view of `ir` with additional values: after an edge that is taken if x < y, uses of x and y refer to copies about
/// which that is known, in nodes that the edge dominates and in phis on the edge itself. Models `semantic_ir`; the
/// values of `ir` keep their numbers. x and y are computed before the branch, so no path from the edge to a node that
/// it dominates recomputes them.
///
/// Bodik, Gupta, Sarkar, "ABCD: eliminating array bounds checks on demand", PLDI 2000, whose e-SSA form has such copies
/// (π) for each branch; here copies are not merged by phis where paths meet, because what holds there is known about
/// the original.
template <semantic_ir IR> class branch_facts_view {
public:
  using constant_type = constant_of<IR>;
  using fact = branch_fact<constant_type>;

  explicit branch_facts_view(const IR& ir) : ir_(ir), count_(static_cast<value_id>(ir.num_values())) {
    const auto& g = ir.graph();
    const dominator_tree tree = dominators(g);
    const flat_array<edge_id> dominating = dominating_edges(g, tree);
    const auto nodes = static_cast<std::size_t>(g.num_nodes());
    first_value_.assign(nodes, 0);
    last_value_.assign(nodes, 0);
    conditions_.assign(nodes, no_value);
    first_input_.assign(static_cast<std::size_t>(g.num_edges()), no_input);
    ordinals_.assign(count_, 0);
    operands_of_.assign(count_, range{0, 0});
    for (value_id v = 0; v != count_; ++v) {
      names_.push_back(v);
    }
    for (const node_id n : tree.preorder()) {
      undo_up_to(tree.immediate_dominator(n));
      open_.push_back({n, renamings_.size()});
      rename(n, dominating[n]);
    }
  }

  const auto& graph() const { return ir_.graph(); }

  std::size_t num_values() const { return count_ + copies_.size(); }

  span<const value_id> values(node_id n) const {
    return {values_.data() + first_value_[n], values_.data() + last_value_[n]};
  }

  span<const value_id> operands(value_id v) const {
    return {operands_.data() + operands_of_[v].first, operands_.data() + operands_of_[v].last};
  }

  bool is_phi(value_id v) const { return v < count_ && ir_.is_phi(v); }

  value_id phi_input(value_id v, edge_id e) const {
    return first_input_[e] == no_input ? static_cast<value_id>(ir_.phi_input(v, e))
                                       : inputs_[first_input_[e] + ordinals_[v]];
  }

  value_id condition(node_id n) const { return conditions_[n]; }

  operation_info operation(value_id v) const {
    if (v < count_) {
      return ir_.operation(v);
    }
    const std::uint8_t width = ir_.operation(copies_[v - count_].original).width;
    return {midend::operation::copy, width, width, {}};
  }

  std::optional<constant_type> constant(value_id v) const {
    return v < count_ ? std::optional<constant_type>(ir_.constant(v)) : std::nullopt;
  }

  std::optional<constant_type> fold(value_id v, span<const constant_type> args) const { return ir_.fold(v, args); }

  std::optional<constant_type> edge_case(edge_id e) const { return ir_.edge_case(e); }

  bool is_undefined(value_id v) const
    requires has_is_undefined<IR>
  {
    return v < count_ && ir_.is_undefined(v);
  }

  bool never_returns(value_id v) const
    requires has_never_returns<IR>
  {
    return v < count_ && ir_.never_returns(v);
  }

  std::optional<number_range> bounds(value_id v) const
    requires has_bounds<IR>
  {
    return v < count_ ? std::optional<number_range>(ir_.bounds(v)) : std::nullopt;
  }

  bool is_opaque(value_id v) const
    requires has_is_opaque<IR>
  {
    return v < count_ && ir_.is_opaque(v);
  }

  /// What is known about a copy; the subject is the value that it copies.
  const fact* implied(value_id v) const { return v < count_ ? nullptr : &copies_[v - count_].known; }

private:
  static constexpr std::uint32_t no_input = 0xffff'ffff;

  struct range {
    std::uint32_t first;
    std::uint32_t last;
  };

  struct copy {
    value_id original;
    fact known;
  };

  struct renaming {
    value_id original;
    value_id old_name;
  };

  struct open_node {
    node_id node;
    std::size_t renamings; ///< number of renamings made before it
  };

  /// Undoes the renamings of nodes that do not dominate the next one.
  void undo_up_to(node_id dominator) {
    while (!open_.empty() && open_.back().node != dominator) {
      while (renamings_.size() != open_.back().renamings) {
        names_[renamings_.back().original] = renamings_.back().old_name;
        renamings_.pop_back();
      }
      open_.pop_back();
    }
  }

  value_id name(value_id v) const { return v == no_value ? no_value : names_[v]; }

  void rename(node_id n, edge_id dominating) {
    first_value_[n] = static_cast<std::uint32_t>(values_.size());
    std::uint32_t phis = 0;
    for_each_phi(ir_, n, [&](value_id phi) {
      ordinals_[phi] = phis++;
      values_.push_back(phi);
    });
    if (dominating != no_edge) {
      collect_branch_facts(ir_, dominating, facts_);
      for (const fact& known : facts_) {
        const value_id made = make_copy(known);
        renamings_.push_back({known.subject, names_[known.subject]});
        names_[known.subject] = made;
      }
    }
    for_each_id(ir_.values(n), [&](value_id v) {
      if (!ir_.is_phi(v)) {
        values_.push_back(v);
        operands_of_[v].first = static_cast<std::uint32_t>(operands_.size());
        for_each_id(ir_.operands(v), [&](value_id operand) { operands_.push_back(name(operand)); });
        operands_of_[v].last = static_cast<std::uint32_t>(operands_.size());
      }
    });
    conditions_[n] = name(ir_.condition(n));
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) { rename_inputs(e); });
    last_value_[n] = static_cast<std::uint32_t>(values_.size());
  }

  /// Copies for phis alone are at the end of the edge's source, because they are read on the edge only.
  void rename_inputs(edge_id e) {
    first_input_[e] = static_cast<std::uint32_t>(inputs_.size());
    facts_.clear();
    bool are_collected = false;
    for_each_phi(ir_, static_cast<node_id>(ir_.graph().edge_target(e)), [&](value_id phi) {
      if (!are_collected) {
        collect_branch_facts(ir_, e, facts_);
        are_collected = true;
      }
      const auto input = static_cast<value_id>(ir_.phi_input(phi, e));
      value_id arrives = name(input);
      for (const fact& known : facts_) {
        if (known.subject == input) {
          arrives = make_copy(known, arrives);
        }
      }
      inputs_.push_back(arrives);
    });
  }

  value_id make_copy(const fact& known) { return make_copy(known, names_[known.subject]); }

  value_id make_copy(fact known, value_id present) {
    const auto made = static_cast<value_id>(num_values());
    const value_id original = known.subject;
    known.subject = present;
    known.other = name(known.other);
    const auto first = static_cast<std::uint32_t>(operands_.size());
    operands_.push_back(known.subject);
    if (known.other != no_value) {
      operands_.push_back(known.other);
    }
    operands_of_.push_back({first, static_cast<std::uint32_t>(operands_.size())});
    copies_.push_back({original, known});
    values_.push_back(made);
    return made;
  }

  const IR& ir_;
  value_id count_;
  std::vector<copy> copies_;
  flat_array<value_id> values_;
  flat_array<std::uint32_t> first_value_; ///< by node
  flat_array<std::uint32_t> last_value_;
  flat_array<value_id> operands_;
  flat_array<range> operands_of_; ///< by value
  flat_array<value_id> inputs_;
  flat_array<std::uint32_t> first_input_; ///< by edge
  flat_array<std::uint32_t> ordinals_;    ///< by phi: its index among the phis of its node
  flat_array<value_id> conditions_;
  flat_array<value_id> names_; ///< by value of `ir`: its name at the current node
  flat_array<renaming> renamings_;
  flat_array<open_node> open_;
  std::vector<fact> facts_;
};

} // namespace detail

MIDEND_END_NAMESPACE
