// Natural mistakes in views of control-flow graphs, and in calls that take graphs.
#include "mistakes.hpp"

#include "midend/viz/explanations.hpp"

#include <unordered_map>

using midend::edge_id;
using midend::node_id;

// A loop: 0 -> 1 <-> 2, 1 -> 3.
static const std::vector<std::vector<node_id>> loop{{1}, {2, 3}, {1}, {}};

struct right {
  const std::vector<std::vector<node_id>>* next = &loop;

  std::size_t num_nodes() const { return next->size(); }

  node_id entry() const { return 0; }

  const std::vector<node_id>& successors(node_id n) const { return (*next)[n]; }
};

// Blocks are numbered from 1, as in the listing: the last one is no node.
static const std::vector<std::vector<node_id>> counted_from_1{{2}, {3}, {2, 4}, {}};

// mistake: Blocks are numbered from 1; `check_graph`
// run-time: block 2: successor 1, 4, is no node
RUN(successor_counted_from_1_checked) {
  says(midend::check_graph(right{&counted_from_1}));
}

// mistake: Blocks are numbered from 1; dominators
// run-time: violation: .*successors.* within the graph
RUN(successor_counted_from_1_dominators) {
  use(midend::dominators(right{&counted_from_1}));
}

// mistake: Blocks are numbered from 1; components
// run-time: violation: .*successors.* within the graph
RUN(successor_counted_from_1_components) {
  use(midend::strongly_connected_components(right{&counted_from_1}));
}

// mistake: Blocks are numbered from 1; flat copy
// run-time: violation: .*successors.* within the graph
RUN(successor_counted_from_1_copy) {
  use(midend::csr_graph(right{&counted_from_1}));
}

// mistake: Blocks are numbered from 1; depth-first order
// run-time: violation: .*successors.* within the graph
RUN(successor_counted_from_1_order) {
  use(midend::depth_first_order(right{&counted_from_1}));
}

// mistake: Blocks are numbered from 1; cycles
// run-time: violation: .*successors.* within the graph
RUN(successor_counted_from_1_cycles) {
  use(midend::cycles(right{&counted_from_1}));
}

// mistake: Blocks are numbered from 1; weak topological order
// run-time: violation: .*successors.* within the graph
RUN(successor_counted_from_1_weak_order) {
  use(midend::weak_topological_order(right{&counted_from_1}));
}

// mistake: Blocks are numbered from 1; post-dominators
// run-time: violation: .*successors.* within the graph
RUN(successor_counted_from_1_post_dominators) {
  use(midend::post_dominators(right{&counted_from_1}));
}

// mistake: A missing successor is -1
// run-time: violation: .*successors.* within the graph
RUN(successor_minus_1) {
  static const std::vector<std::vector<node_id>> g{{1, static_cast<node_id>(-1)}, {}};
  use(midend::dominators(right{&g}));
}

// mistake: The entry is the index after the last block
// run-time: violation: entry.* within the graph
RUN(entry_out_of_range) {
  struct view : right {
    node_id entry() const { return 4; }
  };

  use(midend::dominators(view{}));
}

struct with_predecessors : right {
  std::vector<std::vector<node_id>> previous{{}, {0, 2}, {1}, {1}};

  const std::vector<node_id>& predecessors(node_id n) const { return previous[n]; }
};

// mistake: `predecessors` forgets the back edge
// run-time: block 1: an edge from block 2 is missing in predecessors
RUN(predecessor_missing) {
  with_predecessors g;
  g.previous[1] = {0};
  says(midend::check_graph(g));
}

// mistake: `predecessors` still lists a block whose edge is gone
// run-time: block 3: predecessors\(\) lists block 2
RUN(predecessor_too_many) {
  with_predecessors g;
  g.previous[3] = {1, 2};
  says(midend::check_graph(g));
}

// mistake: Parallel edges are listed once in `predecessors`
// run-time: block 1: an edge from block 0 is missing
RUN(parallel_edges_once_in_predecessors) {
  static const std::vector<std::vector<node_id>> twice{{1, 1}, {}};
  with_predecessors g;
  g.next = &twice;
  g.previous = {{}, {0}};
  says(midend::check_graph(g));
}

// mistake: A predecessor out of range, in a reversed graph
// run-time: violation: .*predecessors within the graph
RUN(predecessor_out_of_range) {
  with_predecessors g;
  g.previous[3] = {1, 9};
  use(midend::dominators(midend::reversed(g, 3)));
}

// mistake: Edge numbers that do not follow the order of the successors
// run-time: block 1: source or target of edge
RUN(edges_in_another_order) {
  struct view : right {
    std::vector<std::vector<edge_id>> out{{0}, {2, 1}, {3}, {}};
    std::vector<std::pair<node_id, node_id>> ends{{0, 1}, {1, 2}, {1, 3}, {2, 1}};

    std::size_t num_edges() const { return 4; }

    const std::vector<edge_id>& out_edges(node_id n) const { return out[n]; }

    node_id edge_source(edge_id e) const { return ends[e].first; }

    node_id edge_target(edge_id e) const { return ends[e].second; }
  };

  says(midend::check_graph(view{}));
}

// mistake: The order of successors changes from call to call
// run-time: read twice, successor 0 is not the same
RUN(successors_change) {
  struct view : right {
    mutable bool turned = false;
    std::vector<node_id> one{2, 3};
    std::vector<node_id> other{3, 2};

    const std::vector<node_id>& successors(node_id n) const {
      turned = turned != (n == 1);
      return n != 1 ? right::successors(n) : turned ? one : other;
    }
  };

  says(midend::check_graph(view{}));
}

// mistake: A query with a block that the graph does not have
// run-time: violation:
RUN(query_out_of_range) {
  use(midend::dominators(right{}).immediate_dominator(4));
}

// mistake: The dominator tree of another function
// run-time: violation: a dominator tree of this graph
RUN(tree_of_another_graph) {
  static const std::vector<std::vector<node_id>> other{{1}, {}};
  use(midend::natural_loops(right{}, midend::dominators(right{&other})));
}

// mistake: The dominator tree of another function, which has as many blocks
// run-time: violation: a dominator tree of this graph
RUN(tree_of_a_graph_as_large) {
  static const std::vector<std::vector<node_id>> other{{2}, {3}, {1}, {}};
  use(midend::natural_loops(right{}, midend::dominators(right{&other})));
}

// mistake: The same, where the other function is like it; a flat copy
// run-time: violation: a dominator tree of this graph
RUN(tree_of_a_similar_graph) {
  static const std::vector<std::vector<node_id>> other{{1, 3}, {2}, {3}, {}};
  use(midend::natural_loops(midend::csr_graph(right{}), midend::dominators(right{&other})));
}

// mistake: The same, where the entry is another block; frontiers
// run-time: violation: a dominator tree of this graph
RUN(tree_of_another_entry) {
  struct from_1 : right {
    node_id entry() const { return 1; }
  };

  use(midend::dominance_frontier(right{}, midend::dominators(from_1{})));
}

struct linked_block {
  std::vector<const linked_block*> next;
};

// mistake: A block that ends the function has a null pointer among its successors; `numbered`
// run-time: violation: an entry, and successors without null pointers
RUN(null_successor) {
  const linked_block last{{nullptr}};
  const linked_block first{{&last}};
  use(midend::numbered(&first, [](const linked_block* b) -> const auto& { return b->next; }));
}

// mistake: The handle of the block that post-dominates a return, which is none
// run-time: violation: a node of the graph
RUN(handle_of_no_node) {
  const linked_block last{};
  const linked_block first{{&last}};
  const auto g = midend::numbered(&first, [](const linked_block* b) -> const auto& { return b->next; });
  use(g.handle(midend::post_dominators(g).immediate_post_dominator(1)));
}

// mistake: The graph has changed since the dominator tree was computed (with `epoch()`)
// run-time: violation: a dominator tree that is up to date
RUN(tree_out_of_date) {
  struct view : right {
    unsigned changes = 0;

    std::uint64_t epoch() const { return changes; }
  };

  view g;
  const auto tree = midend::dominators(g);
  ++g.changes;
  use(midend::natural_loops(g, tree));
}

// mistake: The result of `from_edges` is used without a look at the error
// run-time: violation:
RUN(result_not_asked) {
  const std::vector<midend::edge> edges{{0, 1}, {1, 7}};
  use(midend::csr_graph::from_edges(2, 0, edges).value());
}

// mistake: The immediate dominator of the entry is followed further
// run-time: violation:
RUN(dominator_of_the_entry) {
  const auto tree = midend::dominators(right{});
  use(tree.children(tree.immediate_dominator(0)));
}

// mistake: The loop of a block that is in no loop
// run-time: violation:
RUN(loop_of_no_loop) {
  const right g;
  const auto loops = midend::natural_loops(g, midend::dominators(g));
  use(loops.header(loops.innermost_loop(0)));
}

// mistake: Blocks are numbered by `int`
// works
RUN(successors_of_int) {
  struct view {
    std::vector<std::vector<int>> next{{1}, {2, 3}, {1}, {}};

    int num_nodes() const { return static_cast<int>(next.size()); }

    int entry() const { return 0; }

    const std::vector<int>& successors(node_id n) const { return next[n]; }
  };

  EXPECT(midend::dominators(view{}).immediate_dominator(3) == 1);
}

// mistake: Successors are a `std::list` or a `std::set`
// works
RUN(successors_in_a_set) {
  struct view : right {
    std::vector<std::set<node_id>> sets{{1}, {2, 3}, {1}, {}};

    const std::set<node_id>& successors(node_id n) const { return sets[n]; }
  };

  EXPECT(midend::dominators(view{}).immediate_dominator(3) == 1);
}

// mistake: `numbered` with successors that are returned by value
// works
RUN(numbered_with_temporaries) {
  struct block {
    std::vector<const block*> next;
  };

  block end;
  block begin{{&end, &end}};
  const auto g = midend::numbered(static_cast<const block*>(&begin), [](const block* b) { return b->next; });
  EXPECT(g.num_nodes() == 2 && g.num_edges() == 2);
}

// mistake: A function without blocks
// works
RUN(no_blocks) {
  static const std::vector<std::vector<node_id>> nothing;
  EXPECT(midend::dominators(right{&nothing}).num_nodes() == 0);
}

// mistake: Natural loops of an irreducible function: its cycle is in no loop
// works
RUN(irreducible) {
  static const std::vector<std::vector<node_id>> twice_entered{{1, 2}, {2}, {1}};
  const right g{&twice_entered};
  EXPECT(midend::natural_loops(g, midend::dominators(g)).num_loops() == 0);
  EXPECT(midend::cycles(g).num_cycles() == 1);
}

// mistake: A picture of a graph, where the headers of other pictures and reports are included, too
// works
RUN(picture_beside_reports) {
  const midend::csr_graph g(right{});
  const auto tree = midend::dominators(g);
  EXPECT(!midend::to_dot(g, tree, midend::natural_loops(g, tree)).empty());
}

// ---- What does not compile.

// mistake: Successors are `container | std::views::transform(…)`
// compile-time: midend: .*(span|enable_borrowed_range)
#ifdef MISTAKE_successors_by_views_transform
struct view : right {
  auto successors(node_id n) const {
    return loop[n] | std::views::transform([](node_id m) { return m; });
  }
};

RUN(successors_by_views_transform) {
  use(midend::dominators(view{}));
}
#endif

// mistake: Block numbers are an `enum class`
// compile-time: midend: .*`successors
#ifdef MISTAKE_successors_are_enumerators
enum class label : unsigned {};

struct view : right {
  std::vector<std::vector<label>> labels;

  const std::vector<label>& successors(node_id n) const { return labels[n]; }
};

RUN(successors_are_enumerators) {
  use(midend::dominators(view{}));
}
#endif

// mistake: The members are called `size` and `succs`
// compile-time: midend: .*`std::size_t num_nodes\(\) const`
#ifdef MISTAKE_members_of_other_names
struct view {
  std::size_t size() const { return 0; }

  node_id entry() const { return 0; }

  const std::vector<node_id>& succs(node_id n) const { return loop[n]; }
};

RUN(members_of_other_names) {
  use(midend::dominators(view{}));
}
#endif

// mistake: The members are private
// compile-time: midend: .*`std::size_t num_nodes\(\) const`
#ifdef MISTAKE_members_are_private
class view {
  std::size_t num_nodes() const { return 0; }

  node_id entry() const { return 0; }

  const std::vector<node_id>& successors(node_id n) const { return loop[n]; }
};

RUN(members_are_private) {
  use(midend::dominators(view()));
}
#endif

// mistake: A view of a temporary
// compile-time: deleted
#ifdef MISTAKE_view_of_a_temporary
RUN(view_of_a_temporary) {
  const auto backwards = midend::reversed(midend::csr_graph(right{}), 3);
  use(midend::dominators(backwards));
}
#endif

// mistake: The reverse of a graph without `predecessors`
// compile-time: midend: .*`.*predecessors
#ifdef MISTAKE_reversed_without_predecessors
RUN(reversed_without_predecessors) {
  const right g;
  use(midend::dominators(midend::reversed(g, 3)));
}
#endif

// mistake: Handles that own the block (`std::shared_ptr`)
// compile-time: handle|trivially copyable
#ifdef MISTAKE_numbered_shared_pointers
struct block {
  std::vector<std::shared_ptr<block>> next;
};

RUN(numbered_shared_pointers) {
  const auto entry = std::make_shared<block>();
  use(midend::numbered(entry, [](const std::shared_ptr<block>& b) { return b->next; }));
}
#endif

// mistake: The result is thrown away
// compile-time: ignoring return value|nodiscard
// flags: -Werror
#ifdef MISTAKE_result_thrown_away
RUN(result_thrown_away) {
  midend::check_graph(right{});
}
#endif

// mistake: The arguments of `dominance_frontier` in the wrong order
// compile-time: midend: .*the graph is the first argument|no matching function
#ifdef MISTAKE_frontier_arguments_turned
RUN(frontier_arguments_turned) {
  const right g;
  use(midend::dominance_frontier(midend::dominators(g), g));
}
#endif

// mistake: The third argument of `natural_loops` is `true`
// compile-time: midend: the third argument of `natural_loops`
#ifdef MISTAKE_loops_wrong_tag
RUN(loops_wrong_tag) {
  const right g;
  use(midend::natural_loops(g, midend::dominators(g), true));
}
#endif

// mistake: The algorithm for dominators is its name
// compile-time: midend: an algorithm for dominators is midend::semi_nca
#ifdef MISTAKE_dominators_wrong_tag
RUN(dominators_wrong_tag) {
  use(midend::dominators(right{}, "semi_nca"));
}
#endif

// mistake: The policy for post-dominators is a list of nodes
// compile-time: midend: a policy for post-dominators.*given_roots
#ifdef MISTAKE_post_dominators_wrong_tag
RUN(post_dominators_wrong_tag) {
  use(midend::post_dominators(right{}, std::vector<node_id>{3}));
}
#endif

// mistake: The order of the search of `cycles` is `true`
// compile-time: midend: an order of the search is midend::last_to_first
#ifdef MISTAKE_cycles_wrong_tag
RUN(cycles_wrong_tag) {
  use(midend::cycles(right{}, true));
}
#endif

// mistake: The same; `weak_topological_order`
// compile-time: midend: an order of the search is midend::last_to_first
#ifdef MISTAKE_order_wrong_tag
RUN(order_wrong_tag) {
  use(midend::weak_topological_order(right{}, true));
}
#endif

// mistake: All blocks are a map from addresses to blocks; `numbered`
// compile-time: midend: .*std::views::keys\(map\)
#ifdef MISTAKE_numbered_of_a_map
RUN(numbered_of_a_map) {
  const std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> blocks;
  use(midend::numbered(std::uint64_t{16}, blocks, [&](std::uint64_t a) -> const auto& { return blocks.at(a); }));
}
#endif

// mistake: The successors are those of a reference to a block, the entry is a pointer; `numbered`
// compile-time: midend: `numbered\(entry, successors_of\)` calls
#ifdef MISTAKE_numbered_by_reference
RUN(numbered_by_reference) {
  const linked_block entry{};
  use(midend::numbered(&entry, [](const linked_block& b) -> const auto& { return b.next; }));
}
#endif

// mistake: Loops without the dominator tree
// compile-time: .
#ifdef MISTAKE_loops_without_tree
RUN(loops_without_tree) {
  use(midend::natural_loops(right{}));
}
#endif

// mistake: The arguments of `natural_loops` in the wrong order
// compile-time: midend: .*the graph is the first argument
#ifdef MISTAKE_loops_arguments_turned
RUN(loops_arguments_turned) {
  const right g;
  use(midend::natural_loops(midend::dominators(g), g));
}
#endif

// mistake: The labels of a picture are a vector
// compile-time: midend: the label of a graph needs
#ifdef MISTAKE_label_is_an_array
RUN(label_is_an_array) {
  use(midend::to_dot(right{}, {}, std::vector<std::string>(4)));
}
#endif

// mistake: A graph without some nodes, which are a set
// compile-time: midend: a graph is filtered by
#ifdef MISTAKE_filtered_by_a_set
RUN(filtered_by_a_set) {
  const right g;
  use(midend::filtered(g, std::set<node_id>{1, 2}));
}
#endif

// mistake: `reversed_graph` of a graph without `predecessors`
// compile-time: midend: this needs a graph with `predecessors
#ifdef MISTAKE_reversed_class_without_predecessors
RUN(reversed_class_without_predecessors) {
  const right g;
  use(midend::reversed_graph<right>(g, 3));
}
#endif

// mistake: The names of blocks are pairs
// compile-time: midend: the names of nodes are
#ifdef MISTAKE_block_names_by_a_map
RUN(block_names_by_a_map) {
  use(midend::to_text(midend::dominance_error{}, std::vector<std::pair<node_id, std::string>>()));
}
#endif
