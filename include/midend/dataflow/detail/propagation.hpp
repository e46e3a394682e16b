/// `propagation`: what all policies of `solve` have in common, the step that visits a node.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/fact_array.hpp"
#include "midend/dataflow/detail/pending_set.hpp"
#include "midend/dataflow/detail/problem_flow.hpp"
#include "midend/dataflow/detail/visit_order.hpp"
#include "midend/dataflow/policies.hpp"
#include "midend/dataflow/problem.hpp"
#include "midend/dataflow/solution.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <class Element> struct solver_memory {
  flow_memory<Element> flow;
  flat_array<node_id> boundaries;
  visit_order order;
  pending_set pending;
  std::optional<Element> gathered; ///< what flows into the node that is worked out anew

  // Of the last visits, for `checked`.
  fact_array<Element> last_input;
  std::optional<Element> last_output;
};

/// Facts are pushed: a visit makes the fact that leaves the node of the one that has arrived, in its place in the
/// result, and joins it into those of the nodes that it flows to. So nothing is copied but what the result holds.
template <class P, class Traits> class propagation {
public:
  using fact = fact_of<P>;
  using lattice_type = lattice_of<P>;
  using failure = solve_failure<fact>;

  static constexpr bool is_forward = P::direction == flow_direction::forward;

  template <class G>
  constexpr propagation(const G& g, const P& problem, const widening_options& widen, std::uint64_t max_visits,
                        solver_memory<fact>& memory, solution<fact>& out, std::optional<failure>& error)
      : flow_(g, problem, memory.flow), lattice_(problem.lattice()), bottom_(lattice_.bottom()), widen_(widen),
        visits_left_(max_visits), memory_(memory), out_(out), error_(error) {
    MIDEND_ASSERT(widen.after == widening_options::never || has_widen<lattice_type>, "a lattice with widen");
    start(graph_epoch(g));
  }

  constexpr const csr_graph& graph() const { return flow_.graph(); }

  constexpr problem_flow<P>& flow() { return flow_; }

  constexpr const widening_options& widening() const { return widen_; }

  /// The nodes where flow begins, ascending.
  constexpr std::span<const node_id> boundaries() const { return memory_.boundaries; }

  constexpr bool is_reached(node_id n) const { return out_.reached_.data()[n]; }

  /// Transfers `n` and calls `arrived(e, to, changed)` for each edge over which something flows, and whether it changed
  /// what flows into the end of the edge. False if the solver has to give up.
  template <class Arrived> constexpr bool visit(node_id n, Arrived arrived) {
    if constexpr (Traits::is_budgeted) {
      if (visits_left_-- == 0) {
        name_most_visited();
        return false;
      }
    }
    ++out_.counts_.data()[n].visits;
    if constexpr (Traits::is_checked) {
      memory_.last_output = output_[n];
    }
    output_[n] = input_[n];
    flow_.transfer(n, output_[n]);
    if constexpr (Traits::is_checked) {
      if (!check_monotone(n)) {
        return false;
      }
    }
    flow_.for_each_edge_from(n, [&](flow_edge e, node_id to) {
      if (const fact* const arriving = flow_.carry(e, output_[n])) {
        arrived(e, to, arrive(n, to, *arriving));
      }
    });
    return true;
  }

  /// Call once at the end.
  constexpr void finish() {
    for (node_id n = 0; is_forward && n != out_.num_nodes(); ++n) {
      if (!is_reached(n)) {
        input_[n] = output_[n] = bottom_;
      }
    }
  }

  /// Works out what flows into `n` from the nodes before, and moves its fact towards that. Whether it moved.
  constexpr bool narrow(node_id n) {
    if (!gather(n)) {
      return dry_up(n);
    }
    const fact& gathered = *memory_.gathered;
    if (!less_or_equal(lattice_, gathered, input_[n]) || !move_down(n, gathered)) {
      return false;
    }
    ++out_.counts_.data()[n].visits;
    output_[n] = input_[n];
    flow_.transfer(n, output_[n]);
    return true;
  }

private:
  constexpr void start(std::uint64_t epoch) {
    const std::size_t count = graph().num_nodes();
    out_.epoch_ = epoch;
    // What flows out is written by the first visit; what flows in is, forward, by the first fact that arrives.
    out_.in_.stretch(count, bottom_);
    out_.out_.stretch(count, bottom_);
    out_.reached_.assign(count, !is_forward);
    out_.counts_.assign(count, {0, 0, 0});
    input_ = is_forward ? out_.in_.data() : out_.out_.data();
    output_ = is_forward ? out_.out_.data() : out_.in_.data();
    if constexpr (Traits::is_checked) {
      memory_.last_input.stretch(count, bottom_);
    }
    for (node_id n = 0; !is_forward && n != count; ++n) {
      input_[n] = bottom_;
    }
    memory_.boundaries.clear();
    for (node_id n = 0; n != count; ++n) {
      if (flow_.begins_at(n)) {
        memory_.boundaries.push_back(n);
        const fact boundary = flow_.problem().boundary(n);
        input_[n] = boundary; // to move it would exchange memory that may be larger
        out_.reached_[n] = true;
      }
    }
  }

  /// Adds a fact to what flows into `to`; whether that changed it.
  constexpr bool arrive(node_id from, node_id to, const fact& arriving) {
    if constexpr (is_forward) {
      if (bool& reached = out_.reached_.data()[to]; !reached) {
        reached = true;
        input_[to] = arriving;
        return true;
      }
    }
    if constexpr (has_widen<lattice_type>) {
      if (widens(from, to)) {
        ++out_.counts_.data()[to].widenings;
        return lattice_.widen(input_[to], arriving);
      }
    }
    ++out_.counts_.data()[to].joins;
    return lattice_.join(input_[to], arriving);
  }

  constexpr bool widens(node_id from, node_id to) const {
    const std::uint32_t* const position = memory_.order.positions();
    return out_.counts_.data()[to].visits > widen_.after && position[to] <= position[from];
  }

  /// Joins all that flows into `n`; false if nothing does, and the problem is forward.
  constexpr bool gather(node_id n) {
    const bool begins = flow_.begins_at(n);
    bool flows = !is_forward || begins;
    memory_.gathered = bottom_;
    if (begins) {
      lattice_.join(*memory_.gathered, flow_.problem().boundary(n));
    }
    flow_.for_each_edge_to(n, [&](flow_edge e, node_id from) {
      if (is_reached(from)) {
        if (const fact* const arriving = flow_.carry(e, output_[from])) {
          flows = true;
          lattice_.join(*memory_.gathered, *arriving);
        }
      }
    });
    return flows;
  }

  /// Only where the node has been widened need it be slow; elsewhere the equations have their way.
  constexpr bool move_down(node_id n, const fact& lower) const {
    if constexpr (has_narrow<lattice_type>) {
      if (out_.widenings(n) != 0) {
        return lattice_.narrow(input_[n], lower);
      }
    }
    const bool moves = !less_or_equal(lattice_, input_[n], lower);
    input_[n] = lower;
    return moves;
  }

  /// Smaller facts no longer flow to `n`.
  constexpr bool dry_up(node_id n) {
    out_.reached_[n] = false;
    input_[n] = output_[n] = bottom_;
    return true;
  }

  constexpr void name_most_visited() {
    node_id most = 0;
    for (node_id n = 1; n < out_.num_nodes(); ++n) {
      most = out_.visits(n) > out_.visits(most) ? n : most;
    }
    error_.emplace(failure{.why = failure::reason::out_of_visits, .node = most, .visits = out_.visits(most)});
  }

  /// Compares with the last visit: its input was below that of now, because facts are only ever added to.
  constexpr bool check_monotone(node_id n) {
    const bool first = out_.visits(n) == 1;
    const fact& last_output = *memory_.last_output;
    if (!first && !less_or_equal(lattice_, last_output, output_[n])) {
      report(n, no_edge, memory_.last_input[n], last_output, input_[n], output_[n], true);
    } else if (has_edge_transfer<P> && !first) {
      flow_.for_each_edge_from(n, [&](flow_edge e, node_id) { check_edge(n, e, last_output, output_[n]); });
    }
    memory_.last_input.data()[n] = input_[n];
    return !error_;
  }

  constexpr void check_edge([[maybe_unused]] node_id n, [[maybe_unused]] flow_edge e,
                            [[maybe_unused]] const fact& smaller, [[maybe_unused]] const fact& greater) {
    if constexpr (has_edge_transfer<P>) {
      fact first = smaller;
      fact second = greater;
      if (!error_ && flow_.transfer_edge(e, first)) {
        const bool flows = flow_.transfer_edge(e, second);
        if (!flows || !less_or_equal(lattice_, first, second)) {
          report(n, flow_.original(e).id, smaller, first, greater, second, flows);
        }
      }
    }
  }

  constexpr void report(node_id n, edge_id e, const fact& first_input, const fact& first_output,
                        const fact& second_input, const fact& second_output, bool second_flows) {
    error_.emplace(failure{
        .why = failure::reason::not_monotone,
        .node = n,
        .visits = out_.visits(n),
        .edge = e,
        .witness = typename failure::evidence{first_input, first_output, second_input, second_output, second_flows},
    });
  }

  problem_flow<P> flow_;
  const decltype(std::declval<const P&>().lattice()) lattice_; ///< a reference, if the problem gives one
  const fact bottom_;
  widening_options widen_;
  std::uint64_t visits_left_;
  solver_memory<fact>& memory_;
  solution<fact>& out_;
  fact* input_ = nullptr;  ///< by node, what flows into it
  fact* output_ = nullptr; ///< by node, what flows out of it
  std::optional<failure>& error_;
};

} // namespace detail

MIDEND_END_NAMESPACE
