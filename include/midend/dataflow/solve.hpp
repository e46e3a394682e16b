/// `solve`: the least solution of a dataflow problem, by iteration.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/fact_array.hpp"
#include "midend/dataflow/detail/node_orders.hpp"
#include "midend/dataflow/detail/pending_set.hpp"
#include "midend/dataflow/detail/problem_flow.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/dataflow/policies.hpp"
#include "midend/dataflow/problem.hpp"
#include "midend/dataflow/solution.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/graph/detail/numbers_follow_flow.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/loops/weak_topological_order.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/result.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A graph, reversed for backward problems, with an extra entry whose successors are the roots.
template <flow_direction Direction> struct rooted_graph {
  const csr_graph& graph;
  span<const node_id> roots;

  constexpr std::size_t num_nodes() const { return graph.num_nodes() + 1; }

  constexpr node_id entry() const { return static_cast<node_id>(graph.num_nodes()); }

  constexpr span<const node_id> successors(node_id n) const {
    return n == entry() ? roots : Direction == flow_direction::forward ? graph.successors(n) : graph.predecessors(n);
  }
};

/// The order in which nodes are visited, and the position of each node in it. An edge that facts flow over *leads back*
/// if its target is not later than its source; every cycle has such an edge.
class visit_order {
public:
  constexpr span<const node_id> nodes() const { return nodes_; }

  constexpr std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }

  constexpr listed_order list() const { return {size(), nodes_.data(), positions_.data()}; }

  /// By node, valid for the nodes in the order.
  constexpr const std::uint32_t* positions() const { return positions_.data(); }

  constexpr void assign(span<const node_id> nodes) {
    nodes_.assign(nodes);
    positions_.resize_for_overwrite(nodes.size());
    for (std::uint32_t i = 0; i != nodes.size(); ++i) {
      positions_[nodes[i]] = i;
    }
  }

  /// Forward: reverse postorder of the nodes that the entry and `other_roots` reach. Backward: postorder of all nodes,
  /// by the same forward search, so that the same edges lead back.
  template <flow_direction Direction>
  constexpr void assign_reverse_postorder(const csr_graph& g, span<const node_id> other_roots) {
    constexpr bool all_nodes = Direction == flow_direction::backward;
    const std::size_t count = g.num_nodes();
    depth_first_order(g, search_memory_, search_);
    std::size_t placed = search_.num_reachable();
    if (placed != count && (all_nodes || !other_roots.empty())) {
      roots_.clear();
      roots_.push_back(g.entry());
      all_nodes ? add_all_as_roots(count) : add_roots(other_roots);
      depth_first_order(rooted_graph<flow_direction::forward>{g, roots_}, search_memory_, search_);
      placed = search_.num_reachable() - 1; // without the extra entry, which is last in postorder
    }
    nodes_.resize_for_overwrite(placed);
    positions_.resize_for_overwrite(count);
    const node_id* const postorder = search_.postorder().data();
    for (std::uint32_t i = 0; i != placed; ++i) {
      const node_id n = postorder[all_nodes ? i : placed - 1 - i];
      nodes_.data()[i] = n;
      positions_.data()[n] = i;
    }
  }

  /// Weak topological order of the nodes that `boundaries` reach; backward, of all nodes.
  template <flow_direction Direction>
  constexpr void assign_weak_topological(const csr_graph& g, span<const node_id> boundaries) {
    roots_.clear();
    if (Direction == flow_direction::backward) {
      add_all_as_roots(g.num_nodes());
    }
    add_roots(boundaries); // last, because the search begins with the last root
    weak_topological_order(rooted_graph<Direction>{g, roots_}, components_memory_, components_);
    const span<const node_id> order = components_.order();
    positions_.resize_for_overwrite(g.num_nodes());
    nodes_.resize_for_overwrite(order.size() - 1);
    for (std::uint32_t i = 0; i != nodes_.size(); ++i) { // without the extra entry, which comes first
      nodes_[i] = order[i + std::size_t{1}];
      positions_[nodes_[i]] = i;
    }
  }

  // After `assign_weak_topological`: the components, the position of a head, and the position after its last node.
  constexpr wto_component_id innermost_component(node_id n) const { return components_.innermost_component(n); }

  constexpr wto_component_id parent(wto_component_id c) const { return components_.parent(c); }

  constexpr std::uint32_t head_position(wto_component_id c) const { return components_.head_position(c) - 1; }

  constexpr std::uint32_t end_position(wto_component_id c) const { return components_.end_position(c) - 1; }

private:
  constexpr void add_roots(span<const node_id> nodes) {
    for (const node_id n : nodes) {
      roots_.push_back(n);
    }
  }

  constexpr void add_all_as_roots(std::size_t count) {
    for (std::size_t n = 0; n != count; ++n) {
      roots_.push_back(static_cast<node_id>(n));
    }
  }

  flat_array<node_id> nodes_;
  flat_array<std::uint32_t> positions_;
  flat_array<node_id> roots_;
  depth_first_numbering search_;
  depth_first_order_workspace search_memory_;
  hierarchical_ordering components_;
  weak_topological_order_workspace components_memory_;
};

template <class P, class Traits> class propagation;
struct strategy;

} // namespace detail

/// Memory of `solve` for facts of one type, reusable for problem after problem.
template <class Element> class solve_workspace {
  template <class P, class Traits> friend class detail::propagation;
  friend detail::strategy;

  detail::flow_memory<Element> flow_;
  flat_array<node_id> boundaries_; ///< the nodes where flow begins, ascending
  detail::visit_order order_;
  detail::pending_set pending_;
  std::optional<Element> gathered_; ///< while narrowing: the incoming fact of a node

  // The last visits, for `checked`.
  detail::fact_array<Element> last_input_;
  std::optional<Element> last_output_;
};

namespace detail {

/// The step that all policies share. Facts are pushed: a visit computes the outgoing fact of the node from the incoming
/// one, in its place in the result, and joins it into the incoming facts of the next nodes. So only facts that the
/// result stores are copied.
template <class P, class Traits> class propagation {
public:
  using fact = fact_of<P>;
  using lattice_type = lattice_of<P>;
  using failure = solve_failure<fact>;

  static constexpr bool is_forward = P::direction == flow_direction::forward;

  template <class G>
  constexpr propagation(const G& g, const P& problem, const widening_options& widen, std::uint64_t max_visits,
                        solve_workspace<fact>& memory, solution<fact>& out, std::optional<failure>& error)
      : flow_(g, problem, memory.flow_), lattice_(problem.lattice()), bottom_(lattice_.bottom()), widen_(widen),
        visits_left_(max_visits), memory_(memory), out_(out), error_(error) {
    MIDEND_ASSERT(widen.after == widening_options::never || has_widen<lattice_type>, "a lattice with widen");
    start(graph_epoch(g));
  }

  constexpr const csr_graph& graph() const { return flow_.graph(); }

  constexpr problem_flow<P>& flow() { return flow_; }

  constexpr const widening_options& widening() const { return widen_; }

  /// The nodes where flow begins, ascending.
  constexpr span<const node_id> boundaries() const { return memory_.boundaries_; }

  constexpr bool is_reached(node_id n) const { return out_.reached_.data()[n]; }

  /// Transfers `n` and calls `arrived(e, to, changed)` for each edge over which a fact flows; `changed` says whether it
  /// changed the fact at the target. Returns false if the solver has to give up.
  template <class Arrived> constexpr bool visit(node_id n, Arrived arrived) {
    if constexpr (Traits::is_budgeted) {
      if (visits_left_-- == 0) {
        report_most_visited();
        return false;
      }
    }
    ++out_.counts_.data()[n].visits;
    if constexpr (Traits::is_checked) {
      memory_.last_output_ = output_[n];
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

  /// Call it once, at the end.
  constexpr void finish() {
    for (node_id n = 0; is_forward && n != out_.num_nodes(); ++n) {
      if (!is_reached(n)) {
        input_[n] = output_[n] = bottom_;
      }
    }
  }

  /// Recomputes the incoming fact of `n` and lowers the old one towards it. Returns whether the fact changed.
  constexpr bool narrow(node_id n) {
    if (!gather(n)) {
      return make_unreached(n);
    }
    const fact& gathered = *memory_.gathered_;
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
    // The first visit writes the outgoing fact. Forward, the first fact to arrive writes the incoming one.
    out_.in_.stretch(count, bottom_);
    out_.out_.stretch(count, bottom_);
    out_.reached_.assign(count, !is_forward);
    out_.counts_.assign(count, {0, 0, 0});
    input_ = is_forward ? out_.in_.data() : out_.out_.data();
    output_ = is_forward ? out_.out_.data() : out_.in_.data();
    if constexpr (Traits::is_checked) {
      memory_.last_input_.stretch(count, bottom_);
    }
    for (node_id n = 0; !is_forward && n != count; ++n) {
      input_[n] = bottom_;
    }
    memory_.boundaries_.clear();
    for (node_id n = 0; n != count; ++n) {
      if (flow_.begins_at(n)) {
        memory_.boundaries_.push_back(n);
        const fact boundary = flow_.problem().boundary(n);
        MIDEND_ASSERT(less_or_equal(lattice_, bottom_, boundary), "boundary(n) returns an element of lattice()", n);
        input_[n] = boundary; // copied, because a move would give away memory that may be larger
        out_.reached_[n] = true;
      }
    }
  }

  /// Joins or widens a fact into the incoming fact of `to`. Returns whether that changed it.
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
    const std::uint32_t* const position = memory_.order_.positions();
    return out_.counts_.data()[to].visits > widen_.after && position[to] <= position[from];
  }

  /// Joins all facts that arrive at `n`. Returns false if there is none, in a forward problem.
  constexpr bool gather(node_id n) {
    const bool begins = flow_.begins_at(n);
    bool flows = !is_forward || begins;
    memory_.gathered_ = bottom_;
    if (begins) {
      lattice_.join(*memory_.gathered_, flow_.problem().boundary(n));
    }
    flow_.for_each_edge_to(n, [&](flow_edge e, node_id from) {
      if (is_reached(from)) {
        if (const fact* const arriving = flow_.carry(e, output_[from])) {
          flows = true;
          lattice_.join(*memory_.gathered_, *arriving);
        }
      }
    });
    return flows;
  }

  /// Uses `narrow` at nodes that were widened; elsewhere the recomputed fact replaces the old one.
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

  /// Marks `n` as unreached: with the lowered facts, flow no longer arrives.
  constexpr bool make_unreached(node_id n) {
    out_.reached_[n] = false;
    input_[n] = output_[n] = bottom_;
    return true;
  }

  constexpr void report_most_visited() {
    node_id most = 0;
    for (node_id n = 1; n < out_.num_nodes(); ++n) {
      most = out_.visits(n) > out_.visits(most) ? n : most;
    }
    error_.emplace(failure{.why = failure::reason::out_of_visits, .node = most, .visits = out_.visits(most)});
  }

  /// Compares with the last visit, whose input was below the present one, because facts only grow.
  constexpr bool check_monotone(node_id n) {
    const bool first = out_.visits(n) == 1;
    const fact& last_output = *memory_.last_output_;
    if (!first && !less_or_equal(lattice_, last_output, output_[n])) {
      report(n, no_edge, memory_.last_input_[n], last_output, input_[n], output_[n], true);
    } else if (has_edge_transfer<P> && !first) {
      flow_.for_each_edge_from(n, [&](flow_edge e, node_id) { check_edge(n, e, last_output, output_[n]); });
    }
    memory_.last_input_.data()[n] = input_[n];
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
  const decltype(std::declval<const P&>().lattice()) lattice_; ///< a reference if the problem returns one
  const fact bottom_;
  widening_options widen_;
  std::uint64_t visits_left_;
  solve_workspace<fact>& memory_;
  solution<fact>& out_;
  fact* input_ = nullptr;  ///< by node: the incoming fact
  fact* output_ = nullptr; ///< by node: the outgoing fact
  std::optional<failure>& error_;
};

/// The policies: which node is visited next. Each `run` returns whether it has found a solution.
struct strategy {
  template <class Flow, class Memory> static constexpr bool run(const round_robin& policy, Flow& flow, Memory& memory) {
    if (policy.order.empty()) {
      order_by_search(flow, memory);
    } else {
      MIDEND_ASSERT(policy.order.size() == flow.graph().num_nodes(), "an order of all nodes", policy.order.size());
      memory.order_.assign(policy.order);
    }
    bool changed = true;
    while (changed) {
      changed = false;
      for (const node_id n : memory.order_.nodes()) {
        if (flow.is_reached(n) && !flow.visit(n, [&](flow_edge, node_id, bool moved) { changed |= moved; })) {
          return false;
        }
      }
    }
    return true;
  }

  template <class Flow, class Memory>
  static constexpr bool run(const reverse_postorder_worklist&, Flow& flow, Memory& memory) {
    if (!flow.widening().is_wanted() && numbers_follow_flow(flow.graph())) {
      return sweep(number_order<direction<Flow>>{node_count(flow.graph())}, flow, memory.pending_);
    }
    order_by_search(flow, memory);
    return sweep(memory.order_.list(), flow, memory.pending_);
  }

  template <class Flow, class Memory> static constexpr bool run(const weak_topological&, Flow& flow, Memory& memory) {
    visit_order& order = memory.order_;
    order.template assign_weak_topological<direction<Flow>>(flow.graph(), flow.boundaries());
    fill_pending(flow, memory);
    std::uint32_t at = 0;
    wto_component_id inside = no_wto_component; // the component at hand, not yet stable
    for (;;) {
      const bool at_top = inside == no_wto_component;
      const std::uint32_t end = at_top ? order.size() : order.end_position(inside);
      if (const std::uint32_t next = memory.pending_.find(at, end); next != pending_set::none) {
        if (!visit_pending(next, flow, memory)) {
          return false;
        }
        inside = order.innermost_component(order.nodes()[next]);
        at = next + 1;
      } else if (at_top) {
        return true;
      } else if (memory.pending_.contains(order.head_position(inside))) { // the only target of edges that lead back
        at = order.head_position(inside);
      } else {
        at = end;
        inside = order.parent(inside);
      }
    }
  }

  /// Narrows in sweeps until one changes nothing, at most `narrowing_steps` times.
  template <class Flow, class Memory> static constexpr void narrow(Flow& flow, const Memory& memory) {
    bool changed = true;
    for (std::uint32_t steps = flow.widening().narrowing_steps; changed && steps != 0; --steps) {
      changed = false;
      for (const node_id n : memory.order_.nodes()) {
        if (flow.is_reached(n)) {
          changed |= flow.narrow(n);
        }
      }
    }
  }

private:
  template <class Flow>
  static constexpr flow_direction direction = Flow::is_forward ? flow_direction::forward : flow_direction::backward;

  /// The first sweep visits every reached node. So it only has to note changes at earlier nodes of the order: few
  /// edges, and branches that are easy to predict.
  template <class Order, class Flow> static constexpr bool sweep(const Order order, Flow& flow, pending_set& pending) {
    pending.assign(order.size, false);
    for (std::uint32_t at = 0; at != order.size; ++at) {
      const node_id n = order.node(at);
      const auto note = [&](flow_edge, node_id to, bool changed) {
        if (const std::uint32_t position = order.position(to); position <= at && changed) {
          pending.insert(position);
        }
      };
      if (flow.is_reached(n) && !flow.visit(n, note)) {
        return false;
      }
    }
    return pending.drain([&](std::uint32_t at) {
      return flow.visit(order.node(at), [&](flow_edge, node_id to, bool changed) {
        if (changed) {
          pending.insert(order.position(to));
        }
      });
    });
  }

  template <class Flow, class Memory> static constexpr void order_by_search(const Flow& flow, Memory& memory) {
    memory.order_.template assign_reverse_postorder<direction<Flow>>(flow.graph(), flow.boundaries());
  }

  /// Initially, forward, the nodes where flow begins; backward all nodes, because each may generate facts.
  template <class Flow, class Memory> static constexpr void fill_pending(const Flow& flow, Memory& memory) {
    memory.pending_.assign(memory.order_.size(), !Flow::is_forward);
    if (Flow::is_forward) {
      for (const node_id n : flow.boundaries()) {
        memory.pending_.insert(memory.order_.positions()[n]);
      }
    }
  }

  template <class Flow, class Memory>
  static constexpr bool visit_pending(std::uint32_t at, Flow& flow, Memory& memory) {
    pending_set& pending = memory.pending_;
    const std::uint32_t* const positions = memory.order_.positions();
    pending.erase(at);
    return flow.visit(memory.order_.nodes()[at], [&](flow_edge, node_id to, bool changed) {
      if (changed) {
        pending.insert(positions[to]);
      }
    });
  }
};

} // namespace detail

/// The least solution of `problem` over `g`, refilling `out`. Returns `std::nullopt`, or, with a policy that may fail,
/// why it gave up; `out` is then not a solution. Once workspace and result have seen a graph and facts as large, only
/// the problem itself allocates: for the bottom of its lattice, which is called once, for boundaries, and in transfer
/// functions.
///
/// Kildall, "A unified approach to global program optimization", POPL 1973; Kam, Ullman, "Monotone data flow analysis
/// frameworks", Acta Informatica 7, 1977. Departure: in place of recomputing the fact of a node from its predecessors,
/// each visit joins the outgoing fact of the node into the facts of its successors. Without widening, all policies
/// return the same solution. With widening, the solution is safe and depends on the order.
///
/// Requires a finite lattice (or finite ascending chains, or `widen`) and monotone transfer functions: `check_lattice`
/// and the `checked` policy test that, and `verify_solution` proves a solution. For boundaries, unreachable nodes and
/// endless regions see `problem.hpp`. Parallel edges are separate edges, self loops are loops of one node. A graph that
/// is not a `csr_graph` is copied into the workspace.
///
/// Cost: with `reverse_postorder_worklist`, O((d + 2) m) transfers and joins for gen/kill problems, where d is the
/// largest number of edges that lead back on a path without cycles, 1 or 2 in most programs; otherwise O(h m) for a
/// lattice of height h. The result takes two facts and 13 bytes a node, the workspace 40 bytes a node (70 for
/// `weak_topological`), and 16 an edge if the graph is copied.
template <flow_graph_argument G, dataflow_problem_argument P, solve_policy_argument Policy, class Fact>
constexpr std::optional<solve_failure<Fact>> solve(const G& g, const P& problem, const Policy& policy,
                                                   solve_workspace<Fact>& workspace, solution<Fact>& out) {
  static_assert(detail::facts_of_argument<Fact, P>);
  using traits = detail::policy_traits<Policy>;
  const auto& base = traits::base_of(policy);
  std::optional<solve_failure<Fact>> error;
  detail::propagation<P, traits> flow(g, problem, base.widen, traits::max_visits(policy), workspace, out, error);
  [[maybe_unused]] const bool is_solved = detail::strategy::run(base, flow, workspace);
  if constexpr (has_widen<lattice_of<P>>) { // only widening rises above the least solution
    if (is_solved) {
      detail::strategy::narrow(flow, workspace);
    }
  }
  flow.finish();
  return error;
}

/// The least solution of `problem` over `g`: a `solution`, or a `result` of one if the policy may fail.
template <flow_graph_argument G, dataflow_problem_argument P, solve_policy_argument Policy = reverse_postorder_worklist>
constexpr auto solve(const G& g, const P& problem, const Policy& policy = {}) {
  using facts = solution<fact_of<P>>;
  facts out;
  solve_workspace<fact_of<P>> workspace;
  auto failure = solve(g, problem, policy, workspace, out);
  if constexpr (fallible_policy<Policy>) {
    using outcome = result<facts, solve_failure<fact_of<P>>>;
    return failure ? outcome(std::move(*failure)) : outcome(std::move(out));
  } else {
    return out;
  }
}

MIDEND_END_NAMESPACE
