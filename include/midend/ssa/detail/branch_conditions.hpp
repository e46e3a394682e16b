/// What is known of values because control has come by an edge.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/detail/ssa_uses.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// `subject code other` holds.
template <class Constant> struct branch_fact {
  operation code;
  unsigned width; ///< of the operands of the comparison
  value_id subject;
  value_id other; ///< or `no_value`, and then
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
  static constexpr std::size_t most_conditions = 8; ///< of one that is made of others by and, or, not

  /// The case of the other edge, if there are two.
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
    if (!ir_.constant(known.subject) && !is_another_at_each_use(known.subject)) {
      out_.push_back(known);
    }
  }

  bool is_another_at_each_use([[maybe_unused]] value_id v) const {
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

  /// A condition of one bit and what it is made of.
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

/// The facts that hold behind `e`, refilling `out`.
template <class IR> void collect_branch_facts(const IR& ir, edge_id e, std::vector<branch_fact<constant_of<IR>>>& out) {
  out.clear();
  branch_fact_collector<IR>(ir, out).collect(e);
}

} // namespace detail

MIDEND_END_NAMESPACE
