/// `derivation_trace`: where, while a problem is solved, something first comes to hold, and from where.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/problem_flow.hpp"
#include "midend/dataflow/detail/propagation.hpp"
#include "midend/dataflow/policies.hpp"
#include "midend/dataflow/problem.hpp"
#include "midend/dataflow/solution.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// How `holds` has become true in front of a node: of the fact that flows in.
enum class arrival : std::uint8_t {
  none,     ///< it has not
  at_start, ///< before anything was visited
  carried,  ///< by an edge, of what held before the edge
  by_edge,  ///< by an edge, of what did not
  by_join,  ///< by joining, or widening
};

template <class P, class Holds>
class derivation_trace : public propagation<P, policy_traits<reverse_postorder_worklist>> {
public:
  using base = propagation<P, policy_traits<reverse_postorder_worklist>>;
  using fact = fact_of<P>;

  struct node_trace {
    arrival how;            ///< it came to hold in front of the node
    bool holds_behind;      ///< also of what flows out
    bool is_made_here;      ///< it held behind the node before it did in front of it
    statement_id statement; ///< that made it so then, if the problem knows statements
    flow_edge edge;         ///< by which it came in
  };

  template <class G>
  constexpr derivation_trace(const G& g, const P& problem, const widening_options& widen, solver_memory<fact>& memory,
                             solution<fact>& facts, std::optional<solve_failure<fact>>& error, const Holds& holds)
      : base(g, problem, widen, std::numeric_limits<std::uint64_t>::max(), memory, facts, error), facts_(facts),
        holds_(holds) {
    nodes_.assign(facts.num_nodes(), {arrival::none, false, false, no_statement, no_flow_edge});
    for (node_id n = 0; n != facts.num_nodes(); ++n) {
      if (facts.is_reached(n) && holds(input(n))) {
        nodes_[n].how = arrival::at_start;
      }
    }
  }

  constexpr const node_trace& operator[](node_id n) const { return nodes_[n]; }

  template <class Arrived> constexpr bool visit(node_id n, Arrived arrived) {
    base::visit(n, [&](flow_edge e, node_id to, bool changed) {
      look_behind(n);
      if (changed) {
        look_before(to, e, n);
      }
      arrived(e, to, changed);
    });
    look_behind(n);
    return true;
  }

private:
  constexpr const fact& input(node_id n) const { return base::is_forward ? facts_.in(n) : facts_.out(n); }

  constexpr const fact& output(node_id n) const { return base::is_forward ? facts_.out(n) : facts_.in(n); }

  constexpr void look_behind(node_id n) {
    node_trace& at = nodes_[n];
    if (!at.holds_behind && holds_(output(n))) {
      at.holds_behind = true;
      at.is_made_here = at.how == arrival::none;
      if (at.is_made_here) {
        at.statement = find_statement(n);
      }
    }
  }

  constexpr void look_before(node_id to, flow_edge e, node_id from) {
    node_trace& at = nodes_[to];
    if (at.how == arrival::none && holds_(input(to))) {
      const fact* const brought = base::flow().carry(e, output(from));
      at.edge = e;
      at.how = brought == nullptr || !holds_(*brought) ? arrival::by_join
               : nodes_[from].holds_behind             ? arrival::carried
                                                       : arrival::by_edge;
    }
  }

  /// The last statement of `n` that makes it hold.
  constexpr statement_id find_statement([[maybe_unused]] node_id n) {
    statement_id found = no_statement;
    if constexpr (has_statement_transfer<P>) {
      fact f = input(n);
      bool held = false;
      base::flow().for_each_statement(n, [&](statement_id s) {
        base::flow().problem().transfer_statement(s, f);
        const bool holds = holds_(std::as_const(f));
        found = holds && !held ? s : found;
        held = holds;
      });
    }
    return found;
  }

  const solution<fact>& facts_;
  const Holds& holds_;
  flat_array<node_trace> nodes_;
};

} // namespace detail

MIDEND_END_NAMESPACE
