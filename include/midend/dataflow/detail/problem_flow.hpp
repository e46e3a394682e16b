/// A problem over a flat graph: the edges over which facts flow, and how these change, in either direction.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/problem.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/graph/detail/flat_copy.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Calls `visit(s)` for each statement of a range from last to first. Uses `memory` for ranges that can only be read
/// forwards.
template <class Range, class Visit>
constexpr void for_each_id_backwards(Range&& range, flat_array<statement_id>& memory, Visit visit) {
  using iterator = decltype(std::begin(range));
  if constexpr (std::same_as<iterator, decltype(std::end(range))> && requires(iterator it) { --it; }) {
    const auto first = std::begin(range);
    for (auto it = std::end(range); it != first;) {
      visit(static_cast<statement_id>(*--it));
    }
  } else {
    memory.clear();
    for_each_id(range, [&](statement_id s) { memory.push_back(s); });
    for (std::size_t i = memory.size(); i-- != 0;) {
      visit(memory[i]);
    }
  }
}

/// Memory of a `problem_flow`.
template <class Element> struct flow_memory {
  flat_copy graph;
  flat_array<statement_id> statements;
  std::optional<Element> over_edge;
};

/// Direction, boundaries and transfers of a problem: shared by solver, verifier and explanations.
template <class P> class problem_flow {
public:
  using fact = fact_of<P>;

  static constexpr bool is_forward = P::direction == flow_direction::forward;

  template <class G>
  constexpr problem_flow(const G& g, const P& problem, flow_memory<fact>& memory) : problem_(problem), memory_(memory) {
    memory.graph.assign(g, has_edge_transfer<P>);
    graph_ = &memory.graph.graph();
  }

  constexpr const csr_graph& graph() const { return *graph_; }

  constexpr const P& problem() const { return problem_; }

  /// Whether flow begins at `n`.
  constexpr bool begins_at(node_id n) const {
    if constexpr (has_more_boundaries<P>) {
      if (problem_.is_boundary(n)) {
        return true;
      }
    }
    return is_forward ? n == graph_->entry() : graph_->successors(n).empty();
  }

  /// Turns the fact that flows into `n` into the one that flows out.
  constexpr void transfer(node_id n, fact& f) {
    if constexpr (has_node_transfer<P>) {
      apply_node(problem_, n, f);
    } else {
      for_each_statement(n, [&](statement_id s) { apply_statement(problem_, s, f); });
    }
  }

  /// Visits the statements of `n` in the direction of flow.
  template <class Visit> constexpr void for_each_statement(node_id n, Visit visit) {
    if constexpr (is_forward) {
      for_each_id(problem_.ir().statements(n), visit);
    } else {
      for_each_id_backwards(problem_.ir().statements(n), memory_.statements, visit);
    }
  }

  /// Calls `visit(edge, to)` for each edge over which facts leave `n`. Edges have their ids in the flat graph.
  template <class Visit> constexpr void for_each_edge_from(node_id n, Visit visit) const {
    is_forward ? for_each_out_edge(n, visit) : for_each_in_edge(n, visit);
  }

  /// Calls `visit(edge, from)` for each edge over which facts arrive at `n`.
  template <class Visit> constexpr void for_each_edge_to(node_id n, Visit visit) const {
    is_forward ? for_each_in_edge(n, visit) : for_each_out_edge(n, visit);
  }

  /// The fact that arrives over an edge if `f` is at its source; null if none does. Refers to `f`, or to memory that is
  /// valid until the next call.
  constexpr const fact* carry(flow_edge e, const fact& f) {
    if constexpr (has_edge_transfer<P>) {
      memory_.over_edge = f;
      return transfer_edge(e, *memory_.over_edge) ? &*memory_.over_edge : nullptr;
    } else {
      return &f;
    }
  }

  constexpr bool transfer_edge(flow_edge e, fact& f) const {
    e.id = memory_.graph.original_edge(e.id);
    return apply_edge(problem_, e, f);
  }

  /// The edge with its id in the user's graph.
  constexpr flow_edge original(flow_edge e) const {
    e.id = memory_.graph.original_edge(e.id);
    return e;
  }

private:
  template <class Visit> constexpr void for_each_out_edge(node_id n, Visit visit) const {
    const span<const node_id> targets = graph_->successors(n);
    edge_id e = graph_->offsets()[n];
    for (const node_id target : targets) {
      visit(flow_edge{e++, n, target}, target);
    }
  }

  template <class Visit> constexpr void for_each_in_edge(node_id n, Visit visit) const {
    const span<const node_id> sources = graph_->predecessors(n);
    const edge_id* e = graph_->in_edges(n).data();
    for (const node_id source : sources) {
      visit(flow_edge{*e++, source, n}, source);
    }
  }

  const P& problem_;
  flow_memory<fact>& memory_;
  const csr_graph* graph_;
};

} // namespace detail

MIDEND_END_NAMESPACE
