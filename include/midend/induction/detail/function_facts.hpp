/// What describing the loops of a function asks of the function as a whole.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/work_stack.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Memory of it. Flags are bytes.
struct function_fact_arrays {
  flat_array<std::uint8_t> is_reachable; ///< by node
  flat_array<node_id> pending;
  flat_array<loop_id> home;              ///< by value: the innermost loop around it
  flat_array<std::uint8_t> is_used_away; ///< by value: by one that is not in the same innermost loop
};

/// Each fact is found out when it is first asked for, for all nodes or values at once.
template <class IR> class function_facts {
public:
  constexpr function_facts(const IR& ir, const loop_forest& forest, function_fact_arrays& arrays)
      : ir_(ir), forest_(forest), a_(arrays) {}

  constexpr bool is_reachable(node_id n) {
    if (!knows_reachable_) {
      search();
      knows_reachable_ = true;
    }
    return a_.is_reachable[n] != 0;
  }

  constexpr bool is_used_away(value_id v) {
    if (!knows_uses_) {
      find_homes();
      look_at_uses();
      knows_uses_ = true;
    }
    return a_.is_used_away[v] != 0;
  }

private:
  constexpr void search() {
    const auto& g = ir_.graph();
    a_.is_reachable.assign(static_cast<std::size_t>(g.num_nodes()), 0);
    work_stack<node_id> pending(a_.pending);
    const auto reach = [&](node_id n) {
      if (a_.is_reachable[n] == 0) {
        a_.is_reachable[n] = 1;
        pending.push(n);
      }
    };
    reach(static_cast<node_id>(g.entry()));
    while (!pending.empty()) {
      auto&& successors = g.successors(pending.pop());
      const auto last = std::end(successors);
      for (auto it = std::begin(successors); it != last; ++it) {
        reach(static_cast<node_id>(*it));
      }
    }
  }

  template <class Visit> constexpr void for_each_value(Visit visit) const {
    for (node_id n = 0; n != forest_.num_nodes(); ++n) {
      const loop_id home = forest_.innermost_loop(n);
      for (const value_id v : ir_.values(n)) {
        visit(v, home);
      }
    }
  }

  constexpr void find_homes() {
    a_.home.assign(static_cast<std::size_t>(ir_.num_values()), no_loop);
    for_each_value([&](value_id v, loop_id home) { a_.home[v] = home; });
  }

  constexpr void look_at_uses() {
    a_.is_used_away.assign(static_cast<std::size_t>(ir_.num_values()), 0);
    for_each_value([&](value_id v, loop_id home) {
      for (const value_id operand : ir_.operands(v)) {
        if (operand != no_value && a_.home[operand] != home) {
          a_.is_used_away[operand] = 1;
        }
      }
    });
  }

  const IR& ir_;
  const loop_forest& forest_;
  function_fact_arrays& a_;
  bool knows_reachable_ = false;
  bool knows_uses_ = false;
};

} // namespace detail

MIDEND_END_NAMESPACE
