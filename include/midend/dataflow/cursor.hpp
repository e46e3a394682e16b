/// `fact_cursor`: the facts between the statements of a node, recomputed from the end where flow comes in.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/dataflow/problem.hpp"
#include "midend/dataflow/solution.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/statements.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

/// The fact before or after any statement. A statement is named by its index in its node, from 0 and in program order,
/// whatever the direction of flow.
///
/// Remembers its last position: a walk along a node in the direction of the problem is linear in its statements; each
/// step in the other direction starts over. In nodes that flow does not reach all facts are bottom. Holds one fact and
/// the statements of one node. Refers to problem and solution, which must outlive it.
template <dataflow_problem_argument P>
  requires has_statement_transfer<P>
class fact_cursor {
public:
  using fact = fact_of<P>;

  constexpr fact_cursor(const P& problem, const solution<fact>& facts)
      : problem_(problem), facts_(facts), fact_(problem.lattice().bottom()) {}

  constexpr fact_cursor(const P&&, const solution<fact>&) = delete;
  constexpr fact_cursor(const P&, const solution<fact>&&) = delete;

  /// The statements of `n`. Valid until a call for another node.
  constexpr span<const statement_id> statements(node_id n) {
    enter(n);
    return statements_;
  }

  /// The fact before statement `index` of `n`. Valid until the next call.
  constexpr const fact& before(node_id n, std::size_t index) {
    enter(n);
    return replay(is_forward ? index : statements_.size() - index, index);
  }

  /// The fact after statement `index` of `n`. Valid until the next call.
  constexpr const fact& after(node_id n, std::size_t index) {
    enter(n);
    return replay(is_forward ? index + 1 : statements_.size() - 1 - index, index);
  }

private:
  static constexpr bool is_forward = P::direction == flow_direction::forward;

  constexpr void enter(node_id n) {
    if (n != node_) {
      node_ = n;
      statements_.clear();
      detail::for_each_id(problem_.ir().statements(n), [&](statement_id s) { statements_.push_back(s); });
      begin();
    }
  }

  constexpr void begin() {
    fact_ = is_forward ? facts_.in(node_) : facts_.out(node_);
    passed_ = 0;
  }

  /// The fact after `target` statements in the direction of flow.
  constexpr const fact& replay(std::size_t target, [[maybe_unused]] std::size_t index) {
    MIDEND_ASSERT(index < statements_.size(), "a statement of the node", index, statements_.size());
    if (target < passed_) {
      begin();
    }
    for (; passed_ != target; ++passed_) {
      if (facts_.is_reached(node_)) {
        const std::size_t next = is_forward ? passed_ : statements_.size() - 1 - passed_;
        detail::apply_statement(problem_, statements_[next], fact_);
      }
    }
    return fact_;
  }

  const P& problem_;
  const solution<fact>& facts_;
  fact fact_;
  node_id node_ = no_node;
  std::size_t passed_ = 0; ///< statements between the end where flow comes in and `fact_`
  flat_array<statement_id> statements_;
};

/// Calls `visit(node, statement, before, after)` for each statement of each node that flow reaches, with the facts on
/// both sides. Nodes ascend; the statements of a node come in the direction of the problem, so each is transferred
/// once. Holds two facts.
template <dataflow_problem_argument P, class Fact, class Visit>
constexpr void visit_facts(const P& problem, const solution<Fact>& facts, Visit visit) {
  static_assert(detail::facts_of_argument<Fact, P>);
  static_assert(has_statement_transfer<P>, "midend: this needs a problem with `transfer_statement` and `ir()`");
  constexpr bool forward = P::direction == flow_direction::forward;
  flat_array<statement_id> statements;
  fact_of<P> from = problem.lattice().bottom();
  fact_of<P> to = from;
  for (node_id n = 0; n != facts.num_nodes(); ++n) {
    if (!facts.is_reached(n)) {
      continue;
    }
    statements.clear();
    detail::for_each_id(problem.ir().statements(n), [&](statement_id s) { statements.push_back(s); });
    to = forward ? facts.in(n) : facts.out(n);
    for (std::size_t i = 0; i != statements.size(); ++i) {
      const statement_id s = statements[forward ? i : statements.size() - 1 - i];
      from = to;
      detail::apply_statement(problem, s, to);
      forward ? visit(n, s, from, to) : visit(n, s, to, from);
    }
  }
}

MIDEND_END_NAMESPACE
