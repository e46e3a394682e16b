/// Constant propagation over variables: which of them have one known value on all paths.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattices/flat.hpp"
#include "midend/dataflow/lattices/map.hpp"
#include "midend/dataflow/policies.hpp"
#include "midend/dataflow/problem.hpp"
#include "midend/dataflow/solution.hpp"
#include "midend/dataflow/solve.hpp"
#include "midend/dataflow/unassigned_variable.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/statements.hpp"
#include "midend/support/regular.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// The value that an edge implies for a variable: for `if (x == 3)`, 3 for x on the edge that is taken if this is true.
template <class T> struct edge_constant {
  variable_id variable = no_variable;
  T value{};
};

/// For programs whose branches imply nothing.
struct no_edge_constants {};

/// The values of the variables that a statement uses: `values[v]`. All are constants.
template <class T> class variable_constants {
public:
  constexpr explicit variable_constants(span<const typename flat<T>::element> values) : values_(values) {}

  constexpr const T& operator[](variable_id v) const {
    MIDEND_ASSERT(v < values_.size() && values_[v].is_constant(), "a variable that the statement uses", v);
    return values_[v].value;
  }

private:
  span<const typename flat<T>::element> values_;
};

/// What a statement assigns: `fold(s, v, values)` is the value that `s` assigns to its definition `v`, if the variables
/// that it uses have these values. `std::nullopt` if that is unknown (read from outside) or does not exist (division by
/// zero).
template <class Fold, class T>
concept constant_folder = detail::regular_type<T> && requires(const Fold& fold, statement_id s, variable_id v,
                                                              const variable_constants<T>& values) {
  { fold(s, v, values) } -> std::convertible_to<std::optional<T>>;
};

/// What edges imply: `equality(edge)` is an optional `edge_constant`.
template <class Equality, class T>
concept edge_equality =
    std::same_as<Equality, no_edge_constants> || requires(const Equality& equality, const flow_edge& e) {
      { equality(e) } -> std::convertible_to<std::optional<edge_constant<T>>>;
    };

/// Constant propagation as a problem for `solve`, `fact_cursor` and reports. Forward over `map<flat<T>>`, a value for
/// each variable: bottom is "nothing assigned yet", top is "not a constant". Refers to the IR.
///
/// A statement assigns top if any of its uses is top, else bottom if any is bottom, else the result of `fold`, or top
/// if there is none. So it does not see that x * 0 is 0. A variable that a statement may define becomes top. It is not
/// conditional: both edges of a branch count, even if its condition is constant.
///
/// Kildall, "A unified approach to global program optimization", POPL 1973, who keeps pools of equalities; lattice and
/// rules are those that Wegman, Zadeck, "Constant propagation with conditional branches", TOPLAS 13(2), 1991, give for
/// it (with the lattice upside down). Monotone, not distributive: x = 2, y = 3 on one path and x = 3, y = 2 on another
/// do not give x + y = 5.
template <class T, statement_ir_argument IR, constant_folder<T> Fold, edge_equality<T> Equality = no_edge_constants>
class constant_propagation_problem {
public:
  using value = typename flat<T>::element;
  using fact = element_of<map<flat<T>>>;

  static constexpr flow_direction direction = flow_direction::forward;

  constexpr constant_propagation_problem(const IR& ir, Fold fold,
                                         unassigned_variable unassigned = unassigned_variable::is_bottom,
                                         Equality equality = {})
      : ir_(ir), fold_(std::move(fold)), equality_(std::move(equality)), unassigned_(unassigned),
        lattice_(flat<T>(), static_cast<std::size_t>(ir.num_variables())) {}

  constexpr const map<flat<T>>& lattice() const { return lattice_; }

  constexpr const IR& ir() const { return ir_; }

  constexpr fact boundary(node_id) const {
    return unassigned_ == unassigned_variable::is_top ? lattice_.top() : lattice_.bottom();
  }

  constexpr void transfer_statement(statement_id s, fact& f) const {
    detail::require_variables(ir_, s);
    const value used = join_uses(s, f);
    value first = used;
    detail::dense_values<value> others; // for the few statements that define more than one variable
    bool is_first = true;
    if (used.is_constant()) { // all uses are read before anything is written
      detail::for_each_id(ir_.definitions(s), [&](variable_id v) {
        is_first ? static_cast<void>(first = evaluate(s, v, f)) : others.push_back(evaluate(s, v, f));
        is_first = false;
      });
    }
    if constexpr (has_may_definitions<IR>) {
      detail::for_each_id(ir_.may_definitions(s), [&](variable_id v) { f[v] = flat<T>().top(); });
    }
    std::size_t i = 0;
    detail::for_each_id(ir_.definitions(s), [&](variable_id v) {
      f[v] = i == 0 || others.empty() ? first : others[i - 1];
      ++i;
    });
  }

  /// Sets the variable to the implied value on this edge; to no value, if it is another constant.
  constexpr bool transfer_edge(const flow_edge& e, fact& f) const
    requires(!std::same_as<Equality, no_edge_constants>)
  {
    if (const std::optional<edge_constant<T>> implied = equality_(e)) {
      flat<T>().meet(f[implied->variable], flat<T>().constant(implied->value));
    }
    return true;
  }

private:
  /// Top or bottom if one of them decides what the statement assigns, else any constant.
  constexpr value join_uses(statement_id s, const fact& f) const {
    value all = flat<T>().constant(T{});
    detail::for_each_id(ir_.uses(s), [&](variable_id v) {
      if (!f[v].is_constant() && !all.is_top()) {
        all = f[v];
      }
    });
    return all;
  }

  constexpr value evaluate(statement_id s, variable_id v, const fact& f) const {
    const std::optional<T> assigned = fold_(s, v, variable_constants<T>({f.data(), f.size()}));
    return assigned ? flat<T>().constant(*assigned) : flat<T>().top();
  }

  const IR& ir_;
  [[no_unique_address]] Fold fold_;
  [[no_unique_address]] Equality equality_;
  unassigned_variable unassigned_;
  map<flat<T>> lattice_;
};

/// The constants of `ir` by `fold`: for each node and variable, whether it has one value and which.
/// `constant_propagation_problem` says what is computed; pass that to `solve` to use another policy, a workspace or
/// edges that imply values.
///
/// Nodes that the entry does not reach have bottom for all variables. Height 2 a variable: at most 2 v + 1 changes a
/// node, two or three visits in practice, each O(v) for v variables; 2 v values a node.
template <class T, statement_ir_argument IR, constant_folder<T> Fold,
          solve_policy_argument Policy = reverse_postorder_worklist>
constexpr auto constant_propagation(const IR& ir, Fold fold,
                                    unassigned_variable unassigned = unassigned_variable::is_bottom,
                                    const Policy& policy = {}) {
  return solve(ir.graph(), constant_propagation_problem<T, IR, Fold>(ir, std::move(fold), unassigned), policy);
}

MIDEND_END_NAMESPACE
