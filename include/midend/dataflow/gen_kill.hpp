/// `gen_kill`: the solver for bit-vector problems.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/fact_walk.hpp"
#include "midend/dataflow/detail/gen_kill_effects.hpp"
#include "midend/dataflow/detail/node_orders.hpp"
#include "midend/dataflow/detail/pending_set.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/dataflow/flow_facts.hpp"
#include "midend/dataflow/gen_kill_problem.hpp"
#include "midend/dominance/post_dominance_roots.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/graph/detail/numbers_follow_flow.hpp"
#include "midend/support/bit_matrix.hpp"
#include "midend/support/bit_set.hpp"
#include "midend/support/detail/short_lists.hpp"
#include "midend/support/detail/word_kernels.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/support/work_stack.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

// Tables: the rows of all nodes, in three forms with equal members.
//
// `joined` is the join of all facts that arrive at a node, `moved` what the node's effects make of it. Before its first
// visit, `moved` is the neutral element of the confluence (nothing, or everything), so that joining it changes nothing.

/// Up to 64 facts: one word a node. Everything between the rows of two nodes stays in registers.
template <class P> class one_word_table {
public:
  using row = word;

  constexpr one_word_table(const P& problem, std::size_t num_nodes, bit_matrix& joined, bit_matrix& moved,
                           bit_matrix& gens, bit_matrix& kills)
      : problem_(problem), num_nodes_(static_cast<node_id>(num_nodes)), num_facts_(problem.num_facts()),
        neutral_(P::confluence == flow_confluence::may ? 0 : last_word_mask(num_facts_)) {
    if constexpr (P::direction == flow_direction::forward) { // backward, each node is visited
      joined.assign(num_nodes, num_facts_, neutral_ != 0);
    } else {
      joined.resize_for_overwrite(num_nodes, num_facts_);
    }
    moved.assign(num_nodes + 1, num_facts_, neutral_ != 0);
    gens.resize_for_overwrite(num_nodes, num_facts_);
    kills.resize_for_overwrite(num_nodes, num_facts_);
    joined_ = joined.words(0);
    moved_ = moved.words(0);
    gens_ = gens.words(0);
    kills_ = kills.words(0);
  }

  template <class Nodes, class Visit> constexpr row join(node_id, Nodes&& sources, Visit visit) {
    if constexpr (std::is_convertible_v<Nodes, span<const node_id>>) {
      return join_listed(sources, visit);
    }
    word joined = neutral_;
    for_each_id(sources, [&](node_id source) {
      visit(source);
      joined = join_words(joined, moved_[source]);
    });
    return joined;
  }

  constexpr row join_boundary(node_id n, row joined) {
    effects e = no_effects();
    if constexpr (has_boundary<P>) {
      problem_.boundary(n, e);
    }
    return join_words(joined, e.gens().value);
  }

  constexpr void summarise_and_move(node_id n, row joined) {
    effects e = no_effects();
    problem_.effects(n, e);
    const word gens = e.gens().value;
    const word kills = e.kills().value;
    gens_[n] = gens;
    kills_[n] = kills;
    joined_[n] = joined;
    moved_[n] = gens | (joined & ~kills);
  }

  constexpr bool move(node_id n, row joined) {
    const word moved = gens_[n] | (joined & ~kills_[n]);
    const bool changed = moved != moved_[n];
    joined_[n] = joined;
    moved_[n] = moved;
    return changed;
  }

private:
  using effects = bit_effects<P::direction, one_word>;

  constexpr effects no_effects() const { return {one_word{}, one_word{}, num_facts_}; }

  /// The extra row after the last node stands for missing sources.
  template <class Visit> constexpr row join_listed(span<const node_id> sources, Visit visit) {
    const auto [first, second] = first_two(sources, num_nodes_);
    visit(first);
    visit(second);
    word joined = join_words(moved_[first], moved_[second]);
    for (std::size_t i = 2; i < sources.size(); ++i) {
      visit(sources[i]);
      joined = join_words(joined, moved_[sources[i]]);
    }
    return joined;
  }

  static constexpr word join_words(word a, word b) { return P::confluence == flow_confluence::may ? a | b : a & b; }

  const P& problem_;
  node_id num_nodes_;
  std::size_t num_facts_;
  word neutral_;
  word* joined_;
  word* moved_;
  word* gens_;
  word* kills_;
};

/// Any number of facts: several words a node.
template <class P> class many_words_table {
public:
  using row = word*;

  constexpr many_words_table(const P& problem, std::size_t num_nodes, bit_matrix& joined, bit_matrix& moved,
                             bit_matrix& gens, bit_matrix& kills)
      : problem_(problem), num_nodes_(num_nodes), num_facts_(problem.num_facts()), num_words_(words_for(num_facts_)),
        joined_(joined), moved_(moved), gens_(gens), kills_(kills) {
    if constexpr (P::direction == flow_direction::forward) {
      joined.assign(num_nodes, num_facts_, !is_may);
    } else {
      joined.resize_for_overwrite(num_nodes, num_facts_);
    }
    moved.assign(num_nodes, num_facts_, !is_may);
    gens.resize_for_overwrite(num_nodes + 1, num_facts_); // the last row is for boundaries
    kills.resize_for_overwrite(num_nodes + 1, num_facts_);
  }

  template <class Nodes, class Visit> constexpr row join(node_id n, Nodes&& sources, Visit visit) {
    word* const joined = joined_.words(n);
    auto it = std::begin(sources);
    const auto last = std::end(sources);
    if (it == last) {
      fill_words(joined, num_facts_, !is_may);
      return joined;
    }
    const auto first = static_cast<node_id>(*it);
    visit(first);
    copy_words(joined, moved_.words(first), num_words_);
    while (++it != last) {
      const auto source = static_cast<node_id>(*it);
      visit(source);
      join_words(joined, moved_.words(source));
    }
    return joined;
  }

  constexpr row join_boundary(node_id n, row joined) {
    if constexpr (has_boundary<P>) {
      effects e = no_effects(num_nodes_);
      problem_.boundary(n, e);
      join_words(joined, e.gens().words);
    } else if constexpr (!is_may) {
      fill_words(joined, num_facts_, false);
    }
    return joined;
  }

  constexpr void summarise_and_move(node_id n, row joined) {
    effects e = no_effects(n);
    problem_.effects(n, e);
    transfer_words(moved_.words(n), e.gens().words, joined, e.kills().words, num_words_);
  }

  constexpr bool move(node_id n, row joined) {
    return transfer_words(moved_.words(n), gens_.words(n), joined, kills_.words(n), num_words_);
  }

private:
  using effects = bit_effects<P::direction, word_row>;

  static constexpr bool is_may = P::confluence == flow_confluence::may;

  constexpr effects no_effects(std::size_t i) {
    fill_words(gens_.words(i), num_facts_, false);
    fill_words(kills_.words(i), num_facts_, false);
    return {word_row{gens_.words(i)}, word_row{kills_.words(i)}, num_facts_};
  }

  constexpr void join_words(word* a, const word* b) const {
    if constexpr (is_may) {
      unite_words(a, b, num_words_);
    } else {
      intersect_words(a, b, num_words_);
    }
  }

  const P& problem_;
  std::size_t num_nodes_;
  std::size_t num_facts_;
  std::size_t num_words_;
  bit_matrix& joined_;
  bit_matrix& moved_;
  bit_matrix& gens_;
  bit_matrix& kills_;
};

/// Rows of any `bit_set`.
template <class P, class Rows> class set_table {
  using Set = typename Rows::value_type;

public:
  using row = Set*;
  using rows = Rows;

  constexpr set_table(const P& problem, std::size_t num_nodes, rows& joined, rows& moved, rows& gens, rows& kills)
      : problem_(problem), num_nodes_(num_nodes) {
    fit(num_nodes, joined);
    fit(num_nodes, moved);
    fit(num_nodes + 1, gens); // the last set is for boundaries and results to compare with
    fit(num_nodes + 1, kills);
    joined_ = joined.data();
    moved_ = moved.data();
    gens_ = gens.data();
    kills_ = kills.data();
    for (std::size_t n = 0; n != num_nodes; ++n) {
      make_neutral(joined_[n]);
      make_neutral(moved_[n]);
    }
  }

  template <class Nodes, class Visit> constexpr row join(node_id n, Nodes&& sources, Visit visit) {
    Set& joined = joined_[n];
    make_neutral(joined);
    for_each_id(sources, [&](node_id source) {
      visit(source);
      join_sets(joined, moved_[source]);
    });
    return &joined;
  }

  constexpr row join_boundary(node_id n, row joined) {
    effects e = no_effects(num_nodes_);
    if constexpr (has_boundary<P>) {
      problem_.boundary(n, e);
    }
    join_sets(*joined, gens_[num_nodes_]);
    return joined;
  }

  constexpr void summarise_and_move(node_id n, row joined) {
    effects e = no_effects(n);
    problem_.effects(n, e);
    move(n, joined);
  }

  constexpr bool move(node_id n, row joined) {
    Set& moved = gens_[num_nodes_];
    moved = *joined;
    moved -= kills_[n];
    moved |= gens_[n];
    if (moved == moved_[n]) {
      return false;
    }
    moved_[n] = moved;
    return true;
  }

private:
  using effects = set_effects<P::direction, Set>;

  static constexpr bool is_may = P::confluence == flow_confluence::may;

  static constexpr void fit(std::size_t count, rows& sets) {
    if (sets.size() < count) {
      sets.resize(count, Set()); // larger vectors keep their sets, and with them their memory
    }
  }

  constexpr void clear(Set& set) const {
    set.resize(static_cast<std::size_t>(problem_.num_facts()));
    set.reset();
  }

  constexpr void make_neutral(Set& set) const {
    clear(set);
    if constexpr (!is_may) {
      set.set();
    }
  }

  constexpr effects no_effects(std::size_t i) {
    clear(gens_[i]);
    clear(kills_[i]);
    return {gens_[i], kills_[i]};
  }

  static constexpr void join_sets(Set& a, const Set& b) {
    if constexpr (is_may) {
      a |= b;
    } else {
      a &= b;
    }
  }

  const P& problem_;
  std::size_t num_nodes_;
  Set* joined_ = nullptr;
  Set* moved_ = nullptr;
  Set* gens_ = nullptr;
  Set* kills_ = nullptr;
};

/// Memory of the iteration, in addition to the rows.
struct gen_kill_iteration_memory {
  flat_array<node_id> stale;
  flat_array<bool> reached;
  flat_array<bool> visited;
  flat_array<bool> is_root;
  pending_set pending;
  depth_first_order_workspace search;
  depth_first_numbering order;
  flat_array<node_id> nodes;
  flat_array<std::uint32_t> positions;
};

/// The iteration: one sweep over all nodes by number, then sweeps over the nodes that may have missed something.
template <class P, class G, class Table> class gen_kill_iteration {
public:
  constexpr gen_kill_iteration(const G& g, Table& table, gen_kill_iteration_memory& memory)
      : g_(g), table_(table), memory_(memory), num_nodes_(node_count(g)) {}

  /// Returns the number of visits.
  constexpr std::size_t run() {
    sweep_once();
    if (!memory_.stale.empty()) {
      if (numbers_follow_flow(memory_.stale.size(), num_nodes_)) {
        settle(number_order<P::direction>{num_nodes_});
      } else {
        settle(order_by_search());
      }
    }
    return visits_;
  }

private:
  static constexpr bool forward = is_forward<P>;

  /// The nodes whose facts flow into `n`, and those that the facts of `n` flow into.
  constexpr decltype(auto) sources(node_id n) const {
    if constexpr (forward) {
      return g_.predecessors(n);
    } else {
      return g_.successors(n);
    }
  }

  constexpr decltype(auto) targets(node_id n) const {
    if constexpr (forward) {
      return g_.successors(n);
    } else {
      return g_.predecessors(n);
    }
  }

  constexpr bool is_boundary(node_id n) const {
    if constexpr (forward) {
      return n == static_cast<node_id>(g_.entry());
    } else {
      return memory_.is_root.data()[n];
    }
  }

  template <class Visit> constexpr typename Table::row join(node_id n, Visit visit) {
    auto joined = table_.join(n, sources(n), visit);
    if constexpr (boundary_matters<P>) {
      if (is_boundary(n)) {
        joined = table_.join_boundary(n, joined);
      }
    }
    return joined;
  }

  constexpr void visit_first(node_id n) {
    table_.summarise_and_move(n, join(n, [](node_id) {}));
    ++visits_;
  }

  constexpr void sweep_once() {
    if constexpr (forward) {
      sweep_forward();
    } else {
      sweep_backward();
    }
  }

  /// Visits every node, whether the entry reaches it or not. Most nodes come before their successors, so one sweep from
  /// the last node down settles most. `stale` are the nodes with an edge to a node that the sweep visits later.
  constexpr void sweep_backward() {
    memory_.stale.resize_for_overwrite(num_nodes_);
    node_id* const stale = memory_.stale.data();
    std::size_t found = 0;
    for (node_id n = num_nodes_; n-- != 0;) {
      bool is_stale = false;
      const auto joined = join(n, [&](node_id source) { is_stale |= source <= n; });
      table_.summarise_and_move(n, joined);
      stale[found] = n;
      found += is_stale;
    }
    memory_.stale.shrink(found);
    visits_ += num_nodes_;
  }

  /// Never visits unreachable nodes. `stale` are the targets of edges from nodes that are visited later; at
  /// their turn they may have missed something, or not have been reached.
  constexpr void sweep_forward() {
    memory_.reached.assign(num_nodes_, false);
    memory_.visited.assign(num_nodes_, false);
    bool* const reached = memory_.reached.data();
    bool* const visited = memory_.visited.data();
    work_stack<node_id> stale(memory_.stale);
    reached[g_.entry()] = true;
    for (node_id n = 0; n != num_nodes_; ++n) {
      if (reached[n]) {
        visit_first(n);
        visited[n] = true;
        for_each_id(g_.successors(n), [&](node_id target) {
          reached[target] = true;
          if (target <= n) {
            stale.push(target);
          }
        });
      }
    }
    memory_.stale.shrink(stale.size());
  }

  template <class Order> constexpr void settle(Order order) {
    pending_set& pending = memory_.pending;
    pending.assign(num_nodes_, false);
    for (const node_id n : memory_.stale) {
      pending.insert(order.position(n));
    }
    pending.drain([&](std::uint32_t position) {
      const node_id n = order.node(position);
      if (visit_again(n)) {
        for_each_id(targets(n), [&](node_id target) { pending.insert(order.position(target)); });
      }
      return true;
    });
  }

  /// Visits a stale node. Returns whether its targets must be visited again.
  constexpr bool visit_again(node_id n) {
    if constexpr (forward) {
      bool& visited = memory_.visited.data()[n];
      if (!visited) {
        visited = true;
        visit_first(n);
        return true;
      }
    }
    ++visits_;
    return table_.move(n, join(n, [](node_id) {}));
  }

  /// Reverse postorder (backward: postorder), then the nodes that the search did not meet, for backward problems.
  constexpr listed_order order_by_search() {
    depth_first_order(g_, memory_.search, memory_.order);
    memory_.nodes.resize_for_overwrite(num_nodes_);
    memory_.positions.resize_for_overwrite(num_nodes_);
    const span<const node_id> postorder = memory_.order.postorder();
    std::uint32_t next = 0;
    const auto append = [&](node_id n) {
      memory_.nodes[next] = n;
      memory_.positions[n] = next++;
    };
    for (std::size_t i = 0; i != postorder.size(); ++i) {
      append(postorder[forward ? postorder.size() - 1 - i : i]);
    }
    for (node_id n = num_nodes_; next != num_nodes_ && n-- != 0;) {
      if (!memory_.order.is_reachable(n)) {
        append(n);
      }
    }
    return {num_nodes_, memory_.nodes.data(), memory_.positions.data()};
  }

  const G& g_;
  Table& table_;
  gen_kill_iteration_memory& memory_;
  node_id num_nodes_;
  std::size_t visits_ = 0;
};

} // namespace detail

/// Memory of `gen_kill`, reusable for problem after problem.
template <fact_rows Rows = bit_matrix> class gen_kill_workspace {
  friend detail::gen_kill_solver;

  Rows gens_;
  Rows kills_;
  detail::gen_kill_iteration_memory iteration_;
  detail::fact_walk walk_;
  csr_graph copy_; ///< of a graph without predecessors
  post_dominance_roots_workspace roots_memory_;
  flat_array<node_id> roots_;
};

namespace detail {

struct gen_kill_solver {
  template <class P, class G, class Rows>
  static constexpr void run(const G& g, const P& problem, gen_kill_workspace<Rows>& workspace, flow_facts<Rows>& out) {
    if constexpr (!bidirectional_flow_graph<G>) {
      workspace.copy_.assign(g);
      run(workspace.copy_, problem, workspace, out);
    } else {
      require_nodes_within(g);
      out.num_nodes_ = node_count(g);
      out.num_facts_ = static_cast<std::size_t>(problem.num_facts());
      out.num_visits_ = 0;
      out.epoch_ = graph_epoch(g);
      Rows& joined = is_forward<P> ? out.in_ : out.out_;
      Rows& moved = is_forward<P> ? out.out_ : out.in_;
      mark_roots(g, problem, workspace);
      if constexpr (!std::is_same_v<Rows, bit_matrix>) {
        iterate<set_table<P, Rows>>(g, problem, joined, moved, workspace, out);
      } else if (out.num_facts_ <= word_bits) {
        iterate<one_word_table<P>>(g, problem, joined, moved, workspace, out);
      } else if (!walk_facts(g, problem, joined, moved, workspace, out)) {
        iterate<many_words_table<P>>(g, problem, joined, moved, workspace, out);
      }
    }
  }

private:
  template <class Table, class P, class G, class Rows>
  static constexpr void iterate(const G& g, const P& problem, Rows& joined, Rows& moved,
                                gen_kill_workspace<Rows>& workspace, flow_facts<Rows>& out) {
    Table table(problem, out.num_nodes_, joined, moved, workspace.gens_, workspace.kills_);
    if (out.num_nodes_ != 0 && out.num_facts_ != 0) {
      out.num_visits_ = gen_kill_iteration<P, G, Table>(g, table, workspace.iteration_).run();
    }
  }

  /// Solves the problem fact by fact if that is faster. Returns whether it did.
  template <class P, class G>
  MIDEND_SELDOM_CALLED static constexpr bool walk_facts(const G& g, const P& problem, bit_matrix& joined,
                                                        bit_matrix& moved, gen_kill_workspace<bit_matrix>& workspace,
                                                        flow_facts<bit_matrix>& out) {
    if constexpr (can_walk<P>) {
      if (workspace.walk_.pays(g, problem)) {
        out.num_visits_ = workspace.walk_.run(g, joined, moved);
        return true;
      }
    }
    return false;
  }

  template <class P, class G, class Rows>
  static constexpr void mark_roots(const G& g, const P& problem, gen_kill_workspace<Rows>& workspace) {
    if constexpr (!is_forward<P> && boundary_matters<P>) {
      post_dominance_roots(g, roots_of(problem), workspace.roots_memory_, workspace.roots_);
      workspace.iteration_.is_root.assign(node_count(g), false);
      for (const node_id root : workspace.roots_) {
        workspace.iteration_.is_root[root] = true;
      }
    }
  }
};

} // namespace detail

/// Solves a gen/kill problem on `g`, refilling `out`. Allocates nothing once workspace and result have seen a problem
/// as large.
///
/// `gen` and `kill` are composed from the effects of a node; the join is union (may) or intersection (must). Forward,
/// over all predecessors p of n:
///
///     in(n) = join of out(p), and of the boundary if n is the entry       out(n) = gen(n) ∪ (in(n) \ kill(n))
///
/// Backward, `in` and `out`, predecessors and successors, entry and roots are exchanged. The answer is the least
/// solution of a may-problem and the greatest of a must-problem: the union, or the intersection, over all paths.
/// Kildall, "A unified approach to global program optimization", POPL 1973. Forward problems visit the nodes that the
/// entry reaches. No path leads to the others: at their start and end no fact holds in a may-problem and every fact in
/// a must-problem, and they pass nothing on. Backward problems visit all nodes.
///
/// Each node has a row of words for its start and one for its end, and rows for `gen` and `kill`, which are composed at
/// the first visit of the node. Up to 64 facts, a row is one word and is processed in registers. The first sweep visits
/// the nodes by number, along the flow, because most front ends number blocks in the order of the source. Only nodes
/// that an edge reaches against that order may have missed something; they and what depends on them are visited again,
/// in sweeps over a worklist of bits. If they are many, those sweeps use reverse postorder of the flow. Large backward
/// may-problems whose facts hold in few nodes are recognized and solved fact by fact; `num_visits()` is then the number
/// of steps, one for each fact at the start of a node.
///
/// Duplicate edges change nothing; self loops and edges to the entry are treated like any other. A graph without
/// predecessors is copied into the workspace. Deterministic, including the number of visits. Each sweep takes at most
/// O((n + m) · ⌈facts / 64⌉); all but the first visit only what may have changed. After the first there are at most
/// d + 2, where d is the largest number of edges against the order of the sweeps on a path that repeats no node
/// (Kam, Ullman, "Global data flow analysis and iterative algorithms", J. ACM 23(1), 1976). Memory: 4 bits a node and
/// fact.
template <flow_graph_argument G, gen_kill_problem_argument P, fact_rows Rows>
constexpr void gen_kill(const G& g, const P& problem, gen_kill_workspace<Rows>& workspace, flow_facts<Rows>& out) {
  detail::gen_kill_solver::run(g, problem, workspace, out);
}

/// The result as a value. `gen_kill<std::vector<boost::dynamic_bitset<>>>(g, problem)` returns other rows.
template <fact_rows Rows = bit_matrix, flow_graph_argument G, gen_kill_problem_argument P>
constexpr flow_facts<Rows> gen_kill(const G& g, const P& problem) {
  flow_facts<Rows> out;
  gen_kill_workspace<Rows> workspace;
  gen_kill(g, problem, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
