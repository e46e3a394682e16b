/// Dominators, post-dominators and loops of a function: midend's against GCC's.
#pragma once

#include <midend/dominance/dominators.hpp>
#include <midend/dominance/post_dominators.hpp>
#include <midend/loops/natural_loops.hpp>

#include <cstddef>
#include <cstdio>
#include <set>
#include <vector>

#include "gcc_graph.hpp"

/// Counted over all functions that were compared.
struct comparison_totals {
  std::size_t functions = 0;
  std::size_t blocks = 0;
  std::size_t loops = 0;           ///< that both know
  std::size_t abnormal_loops = 0;  ///< that GCC does not take for loops: an abnormal edge leads to the header
  std::size_t endless_regions = 0; ///< whose root GCC chose: edges to EXIT that it added
  std::size_t differences = 0;
};

/// Compares each answer, and prints those that differ. `Graph` is a view of the function at hand (`cfun`).
template <class Graph> class gcc_comparison {
  using node_id = midend::node_id;
  using loop_id = midend::loop_id;
  using nodes = std::set<node_id>;

public:
  gcc_comparison(const Graph& graph, comparison_totals& sum) : graph_(graph), sum_(sum) {}

  void run() {
    ++sum_.functions;
    sum_.blocks += static_cast<std::size_t>(n_basic_blocks_for_fn(cfun));
    const bool had_dominators = dom_info_available_p(CDI_DOMINATORS);
    calculate_dominance_info(CDI_DOMINATORS);
    tree_ = midend::dominators(graph_);
    compare_dominators();
    compare_loops();
    if (!had_dominators) {
      free_dominance_info(CDI_DOMINATORS);
    }
    compare_post_dominators();
  }

private:
  void same(const char* what, node_id where, bool agrees) {
    if (!agrees) {
      ++sum_.differences;
      std::fprintf(stderr, "midend: %s: %s differs at <bb %u>\n", function_name(cfun), what, where);
    }
  }

  static node_id number(basic_block b) { return b == nullptr ? midend::no_node : static_cast<node_id>(b->index); }

  /// EXIT has no dominator in GCC, so it is not asked for.
  void compare_dominators() {
    basic_block b;
    FOR_EACH_BB_FN(b, cfun) {
      same("immediate dominator", number(b),
           tree_.immediate_dominator(number(b)) == number(get_immediate_dominator(CDI_DOMINATORS, b)));
    }
  }

  /// GCC's roots are its choice where control does not reach EXIT: a call that does not return, a loop without exit. It
  /// writes them down as edges to EXIT on demand, as its own passes do, so both sides read the same graph.
  void compare_post_dominators() {
    gcc_assert(!dom_info_available_p(CDI_POST_DOMINATORS));
    add_noreturn_fake_exit_edges();
    const int before = n_edges_for_fn(cfun);
    connect_infinite_loops_to_exit();
    sum_.endless_regions += static_cast<std::size_t>(n_edges_for_fn(cfun) - before);
    calculate_dominance_info(CDI_POST_DOMINATORS);
    const midend::post_dominator_tree ours = midend::post_dominators(graph_, midend::exits_only);
    basic_block b;
    FOR_EACH_BB_FN(b, cfun) {
      same("immediate post-dominator", number(b),
           ours.immediate_post_dominator(number(b)) == number(get_immediate_dominator(CDI_POST_DOMINATORS, b)));
    }
    free_dominance_info(CDI_POST_DOMINATORS);
    remove_fake_exit_edges();
  }

  /// Compares the loops that GCC keeps from pass to pass; if it knows that they are out of date, those that it finds
  /// now. Finding them overwrites the loops of the blocks, so these are restored.
  void compare_loops() {
    loops_ = midend::natural_loops(graph_, tree_);
    if (loops_for_fn(cfun) != nullptr && !loops_state_satisfies_p(cfun, LOOPS_NEED_FIXUP)) {
      compare_loops_with(*loops_for_fn(cfun));
      return;
    }
    std::vector<class loop*> kept;
    basic_block b;
    FOR_ALL_BB_FN(b, cfun) {
      kept.push_back(b->loop_father);
    }
    struct loops* const found = flow_loops_find(nullptr);
    compare_loops_with(*found);
    std::size_t i = 0;
    FOR_ALL_BB_FN(b, cfun) {
      b->loop_father = kept[i++];
    }
  }

  void compare_loops_with(const struct loops& theirs) {
    std::size_t ours = 0;
    for (const loop_id l : loops_.loops()) {
      ++(is_known_to_gcc(l) ? ours : sum_.abnormal_loops);
    }
    sum_.loops += ours;
    std::size_t count = 0;
    for (unsigned i = 1; i < vec_safe_length(theirs.larray); ++i) { // 0 is the whole function
      class loop* const loop = (*theirs.larray)[i];
      if (loop != nullptr && loop->header != nullptr) {
        ++count;
        compare_loop(*loop);
      }
    }
    same("number of loops", ENTRY_BLOCK, ours == count);
    basic_block b;
    FOR_EACH_BB_FN(b, cfun) {
      same("innermost loop", number(b),
           header_known_to_gcc(loops_.innermost_loop(number(b))) == header_of(b->loop_father));
    }
  }

  void compare_loop(class loop& theirs) {
    const node_id header = number(theirs.header);
    if (!loops_.is_header(header)) {
      same("whether it is a loop header", header, false);
      return;
    }
    const loop_id l = loops_.innermost_loop(header);
    same("parent of the loop", header, header_known_to_gcc(loops_.parent(l)) == header_of(loop_outer(&theirs)));
    same("number of blocks in the loop", header, loops_.blocks(l).size() == theirs.num_nodes);
    nodes ours;
    for (const node_id latch : loops_.latches(l)) {
      ours.insert(latch);
    }
    nodes latches;
    edge e;
    edge_iterator at;
    FOR_EACH_EDGE(e, at, theirs.header->preds) {
      if (flow_bb_inside_loop_p(&theirs, e->src)) {
        latches.insert(number(e->src));
      }
    }
    same("latches", header, ours == latches);
    if (theirs.latch != nullptr) {
      same("single latch", header, loops_.single_latch(l) == number(theirs.latch));
    }
  }

  /// GCC has no loops whose header can be entered by abnormal edges: see `bb_loop_header_p`.
  bool is_known_to_gcc(loop_id l) const { return !bb_has_abnormal_pred(BASIC_BLOCK_FOR_FN(cfun, loops_.header(l))); }

  node_id header_known_to_gcc(loop_id l) const {
    while (l != midend::no_loop && !is_known_to_gcc(l)) {
      l = loops_.parent(l);
    }
    return l == midend::no_loop ? midend::no_node : loops_.header(l);
  }

  /// The root of GCC's tree, which is the whole function, counts as none.
  static node_id header_of(const class loop* loop) {
    return loop == nullptr || loop_outer(loop) == nullptr ? midend::no_node : number(loop->header);
  }

  const Graph& graph_;
  comparison_totals& sum_;
  midend::dominator_tree tree_;
  midend::loop_forest loops_;
};
