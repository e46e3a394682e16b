// What one writes naturally in a graph, and what the first error must say.
// mistake num_nodes_not_const: std::size_t num_nodes\(\) const
// mistake num_nodes_is_a_member_variable: std::size_t num_nodes\(\) const
// mistake successors_of_blocks: midend::mapped
// mistake successors_not_const: successors\(midend::node_id n\) const
// mistake successors_of_a_temporary_list: return a span or a reference
// mistake successors_of_a_wrapper: specialise std::ranges::enable_borrowed_range
// mistake successors_can_be_read_once: read twice
// mistake successors_take_a_block: successors\(midend::node_id n\) const
// mistake entry_is_a_block: midend::node_id entry\(\) const
// mistake entry_not_const: midend::node_id entry\(\) const
// mistake no_entry: midend::node_id entry\(\) const
// mistake predecessors_not_const: predecessors\(midend::node_id n\) const
// mistake predecessors_of_a_temporary_list: returns nodes as `successors` does
// mistake predecessors_of_blocks: returns nodes as `successors` does
// mistake predecessors_is_a_member_variable: give the member another name
// mistake epoch_not_const: std::uint64_t epoch\(\) const
// mistake epoch_returns_nothing: std::uint64_t epoch\(\) const
// mistake out_edges_alone: edge_source
// mistake out_edges_of_a_temporary_list: a span of midend::edge_id
// mistake graph_is_a_pointer: std::size_t num_nodes\(\) const
// mistake copy_of_no_graph: successors\(midend::node_id n\) const
#include "midend/dominance/dominators.hpp"
#include "midend/graph/csr_graph.hpp"

#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

struct block {
  std::vector<block*> next;
  midend::node_id number = 0;
};

using ids = std::vector<midend::node_id>;

struct wrapper { // of two pointers: its iterators stay valid without it, but it does not say so
  const midend::node_id* first = nullptr;
  const midend::node_id* last = nullptr;

  const midend::node_id* begin() const { return first; }

  const midend::node_id* end() const { return last; }
};

struct one_pass {
  struct iterator {
    using value_type = midend::node_id;
    using difference_type = std::ptrdiff_t;
    using reference = midend::node_id;
    using pointer = void;
    using iterator_category = std::input_iterator_tag;

    midend::node_id operator*() const { return 0; }

    iterator& operator++() { return *this; }

    void operator++(int) {}

    friend bool operator==(iterator, iterator) { return true; }
  };

  iterator begin() const { return {}; }

  iterator end() const { return {}; }
};

struct view {
  std::vector<ids> lists;
  std::vector<block*> blocks;

#if defined(MISTAKE_num_nodes_not_const)
  std::size_t num_nodes() { return lists.size(); }
#elif defined(MISTAKE_num_nodes_is_a_member_variable)
  std::size_t num_nodes = 0;
#else
  std::size_t num_nodes() const { return lists.size(); }
#endif

#if defined(MISTAKE_entry_is_a_block)
  const block* entry() const { return blocks[0]; }
#elif defined(MISTAKE_entry_not_const)
  midend::node_id entry() { return 0; }
#elif !defined(MISTAKE_no_entry)
  midend::node_id entry() const { return 0; }
#endif

#if defined(MISTAKE_successors_of_blocks)
  const std::vector<block*>& successors(midend::node_id n) const { return blocks[n]->next; }
#elif defined(MISTAKE_successors_not_const)
  const ids& successors(midend::node_id n) { return lists[n]; }
#elif defined(MISTAKE_successors_of_a_temporary_list)
  ids successors(midend::node_id n) const { return lists[n]; }
#elif defined(MISTAKE_successors_of_a_wrapper)
  wrapper successors(midend::node_id n) const { return {lists[n].data(), lists[n].data() + lists[n].size()}; }
#elif defined(MISTAKE_successors_can_be_read_once)
  const one_pass& successors(midend::node_id) const { return input; }

  one_pass input;
#elif defined(MISTAKE_successors_take_a_block)
  const ids& successors(const block& b) const { return lists[b.number]; }
#elif !defined(MISTAKE_copy_of_no_graph)
  const ids& successors(midend::node_id n) const { return lists[n]; }
#endif

#if defined(MISTAKE_predecessors_not_const)
  const ids& predecessors(midend::node_id n) { return lists[n]; }
#elif defined(MISTAKE_predecessors_of_a_temporary_list)
  ids predecessors(midend::node_id n) const { return lists[n]; }
#elif defined(MISTAKE_predecessors_of_blocks)
  const std::vector<block*>& predecessors(midend::node_id n) const { return blocks[n]->next; }
#elif defined(MISTAKE_predecessors_is_a_member_variable)
  std::vector<ids> predecessors;
#endif

#if defined(MISTAKE_epoch_not_const)
  std::uint64_t epoch() { return 0; }
#elif defined(MISTAKE_epoch_returns_nothing)
  void epoch() const {}
#endif

#if defined(MISTAKE_out_edges_alone)
  std::span<const midend::edge_id> out_edges(midend::node_id) const { return {}; }
#elif defined(MISTAKE_out_edges_of_a_temporary_list)
  std::size_t num_edges() const { return 0; }

  midend::node_id edge_source(midend::edge_id) const { return 0; }

  midend::node_id edge_target(midend::edge_id) const { return 0; }

  ids out_edges(midend::node_id) const { return {}; }
#endif
};

void use(const view& g) {
#if defined(MISTAKE_graph_is_a_pointer)
  static_cast<void>(midend::dominators(&g));
#elif defined(MISTAKE_copy_of_no_graph)
  static_cast<void>(midend::csr_graph(g));
#else
  static_cast<void>(midend::dominators(g));
#endif
}
