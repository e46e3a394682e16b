/// `gen_kill`: the engine for bit-vector problems.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/fact_walk.hpp"
#include "midend/dataflow/detail/gen_kill_engine.hpp"
#include "midend/dataflow/detail/gen_kill_sets.hpp"
#include "midend/dataflow/detail/gen_kill_words.hpp"
#include "midend/dataflow/flow_facts.hpp"
#include "midend/dataflow/gen_kill_problem.hpp"
#include "midend/dominance/post_dominance_roots.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/support/bit_matrix.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

/// Memory for gen/kill problems that are solved again and again.
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
      out.num_nodes_ = node_count(g);
      out.num_facts_ = static_cast<std::size_t>(problem.num_facts());
      out.num_visits_ = 0;
      out.epoch_ = graph_epoch(g);
      Rows& joined = is_forward<P> ? out.in_ : out.out_;
      Rows& moved = is_forward<P> ? out.out_ : out.in_;
      mark_roots(g, problem, workspace);
      if constexpr (!std::is_same_v<Rows, bit_matrix>) {
        iterate<set_table<P, typename Rows::value_type>>(g, problem, joined, moved, workspace, out);
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

  /// Whether the problem was of the kind that is solved fact by fact.
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

/// Solves a gen/kill problem on `g`, refilling `out`; allocates nothing once workspace and result have seen a problem
/// as large.
///
/// With `gen` and `kill` composed from the effects of a node, forward, where the join is union (may) or intersection
/// (must) over all predecessors p of n:
///
///     in(n) = join of out(p), and of the boundary if n is the entry       out(n) = gen(n) ∪ (in(n) \ kill(n))
///
/// and backward the same with `in` and `out`, predecessors and successors, entry and roots exchanged. The answer is the
/// least solution of a may-problem and the greatest of a must-problem, which is the union, or the intersection, over
/// all paths: Kildall, "A unified approach to global program optimization", POPL 1973. Forward problems look at what
/// the entry reaches. Other nodes have no path from there: no fact holds in one of a may-problem and every one in a
/// must-problem, at its start and at its end, and it passes nothing on. Backward problems look at all nodes.
///
/// Each node has one row of words on either side in a matrix, and `gen` and `kill` in two more, which are composed when
/// the node is first visited; up to 64 facts a row is a word, and nothing is done to it but in registers. The first
/// sweep goes over the nodes by number, with the flow: most front ends number blocks as they stand in the source. Only
/// nodes that an edge reaches against that order may have missed something; they and what follows from them are visited
/// again in sweeps over a worklist of bits. If they are many, those sweeps go in reverse postorder of the flow. Large
/// backward may-problems whose facts hold in few nodes are recognised, and solved fact by fact; then `num_visits()` is
/// the number of steps, one for each fact at the start of a node.
///
/// Duplicate edges change nothing; self loops and an entry with predecessors are edges like others. Without
/// predecessors, `g` is copied into the workspace. Deterministic, the number of visits too. Each sweep takes
/// O((n + m) · ⌈facts / 64⌉) at most; all but the first visit only what may have changed. Besides the first there are
/// at most d + 2, where d is the largest number of edges against the order of the sweeps on a path that repeats no node
/// (Kam, Ullman, "Global data flow analysis and iterative algorithms", J. ACM 23(1), 1976). Memory: 4 bits a node and
/// fact.
template <flow_graph G, gen_kill_problem P, fact_rows Rows>
constexpr void gen_kill(const G& g, const P& problem, gen_kill_workspace<Rows>& workspace, flow_facts<Rows>& out) {
  detail::gen_kill_solver::run(g, problem, workspace, out);
}

/// The result as a value. `gen_kill<std::vector<boost::dynamic_bitset<>>>(g, problem)` keeps it in other rows.
template <fact_rows Rows = bit_matrix, flow_graph G, gen_kill_problem P>
constexpr flow_facts<Rows> gen_kill(const G& g, const P& problem) {
  flow_facts<Rows> out;
  gen_kill_workspace<Rows> workspace;
  gen_kill(g, problem, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
