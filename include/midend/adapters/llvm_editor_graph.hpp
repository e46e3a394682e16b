/// `llvm_editor_graph`: the control flow of a function that is being edited; what `llvm_editor::graph()` returns.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Lists of numbers, each of which may grow. A list that outgrows its place moves to the end of the pool.
class growing_lists {
public:
  void clear() {
    lists_.clear();
    pool_.clear();
  }

  std::size_t size() const { return lists_.size(); }

  /// Room for what is known before.
  void reserve(std::size_t lists, std::size_t elements) {
    lists_.reserve(lists);
    pool_.reserve(elements);
  }

  void add_list() { add_list(id_range<std::uint32_t>()); }

  template <class Elements> void add_list(const Elements& elements) {
    const auto count = static_cast<std::uint32_t>(elements.size());
    lists_.push_back({static_cast<std::uint32_t>(pool_.size()), count, count});
    for (const std::uint32_t element : elements) {
      pool_.push_back(element);
    }
  }

  span<const std::uint32_t> operator[](std::size_t i) const {
    return {pool_.data() + lists_[i].first, std::size_t{lists_[i].size}};
  }

  std::uint32_t& at(std::size_t i, std::size_t k) { return pool_[lists_[i].first + k]; }

  void push_back(std::size_t i, std::uint32_t element) {
    list& l = lists_[i];
    if (l.size == l.capacity) {
      const std::uint32_t first = l.first;
      l.first = static_cast<std::uint32_t>(pool_.size());
      l.capacity = l.size < 2 ? 4 : 2 * l.size;
      for (std::uint32_t k = 0; k != l.capacity; ++k) {
        pool_.push_back(k < l.size ? std::uint32_t{pool_[first + k]} : 0);
      }
    }
    pool_[l.first + l.size++] = element;
  }

  /// The last element takes the place of element `k`.
  void remove(std::size_t i, std::size_t k) {
    list& l = lists_[i];
    pool_[l.first + k] = pool_[l.first + l.size - 1];
    --l.size;
  }

  void shrink(std::size_t i, std::size_t count) { lists_[i].size = static_cast<std::uint32_t>(count); }

  /// The elements must not be in a list.
  void assign(std::size_t i, span<const std::uint32_t> elements) {
    shrink(i, 0);
    for (const std::uint32_t element : elements) {
      push_back(i, element);
    }
  }

private:
  struct list {
    std::uint32_t first;
    std::uint32_t size;
    std::uint32_t capacity;
  };

  flat_array<list> lists_;
  flat_array<std::uint32_t> pool_;
};

} // namespace detail

/// A flow graph whose edges keep their numbers while it changes; models `edge_indexed_flow_graph`, with `in_edges(n)`.
/// The entry is node 0. Only `llvm_editor` changes it. Memory: 16 bytes an edge and 24 a node, and lists that outgrow
/// their place.
class llvm_editor_graph {
public:
  std::size_t num_nodes() const { return out_.size(); }

  node_id entry() const { return 0; }

  auto successors(node_id n) const {
    return mapped(out_edges(n), [edges = edges_.data()](edge_id e) { return edges[e].target; });
  }

  /// In the order of `in_edges(n)`.
  auto predecessors(node_id n) const {
    return mapped(in_edges(n), [edges = edges_.data()](edge_id e) { return edges[e].source; });
  }

  std::size_t num_edges() const { return edges_.size(); }

  /// In LLVM's order of successors; the edges of `set_switch` in the order of the cases, then the default.
  span<const edge_id> out_edges(node_id n) const { return out_[n]; }

  /// In no particular order.
  span<const edge_id> in_edges(node_id n) const { return in_[n]; }

  /// `no_node` for an edge that was erased.
  node_id edge_source(edge_id e) const { return edges_[e].source; }

  node_id edge_target(edge_id e) const { return edges_[e].target; }

  /// The number of changes.
  std::uint64_t epoch() const { return epoch_; }

private:
  friend class llvm_editor;

  struct edge_record {
    node_id source;
    node_id target;
    std::uint32_t position; ///< among the edges into the target
    std::uint32_t slot;     ///< the number of the successor, if the terminator has several
  };

  template <class G> void read(const G& g) {
    const node_id count = detail::node_count(g);
    edges_.resize_for_overwrite(g.num_edges());
    out_.reserve(count, g.num_edges());
    in_.reserve(count, g.num_edges());
    for (node_id n = 0; n != count; ++n) {
      out_.add_list(g.out_edges(n));
      in_.add_list(g.in_edges(n));
      std::uint32_t slot = 0;
      for (const edge_id e : g.out_edges(n)) {
        edges_[e].source = n;
        edges_[e].slot = slot++;
      }
      std::uint32_t position = 0;
      for (const edge_id e : g.in_edges(n)) {
        edges_[e].target = n;
        edges_[e].position = position++;
      }
    }
  }

  node_id add_node() {
    ++epoch_;
    out_.add_list();
    in_.add_list();
    return static_cast<node_id>(out_.size() - 1);
  }

  edge_id add_edge(node_id source, node_id target, std::uint32_t slot) {
    edges_.push_back({no_node, no_node, 0, slot});
    const auto e = static_cast<edge_id>(edges_.size() - 1);
    attach(e, source, target);
    return e;
  }

  /// An edge that is nowhere gets a source and a target.
  void attach(edge_id e, node_id source, node_id target) {
    edges_[e].source = source;
    out_.push_back(source, e);
    enter(e, target);
  }

  void enter(edge_id e, node_id target) {
    ++epoch_;
    edges_[e].target = target;
    edges_[e].position = static_cast<std::uint32_t>(in_[target].size());
    in_.push_back(target, e);
  }

  /// The edge no longer leads to its target.
  void leave(edge_id e) {
    ++epoch_;
    const edge_record r = edges_[e];
    in_.remove(r.target, r.position);
    if (r.position != in_[r.target].size()) {
      edges_[in_[r.target][r.position]].position = r.position;
    }
  }

  /// The edges out of a node are gone from their targets.
  void clear_out_edges(node_id n) {
    ++epoch_;
    for (const edge_id e : out_[n]) {
      edges_[e].source = no_node;
    }
    out_.shrink(n, 0);
  }

  /// Edges that have left nothing get another source.
  void move_out_edges(node_id from, node_id to) {
    ++epoch_;
    for (const edge_id e : out_[from]) {
      edges_[e].source = to;
    }
    for (std::size_t k = 0; k != out_[from].size(); ++k) {
      out_.push_back(to, out_[from][k]);
    }
    out_.shrink(from, 0);
  }

  detail::growing_lists out_;
  detail::growing_lists in_;
  flat_array<edge_record> edges_;
  std::uint64_t epoch_ = 0;
};

static_assert(edge_indexed_flow_graph<llvm_editor_graph> && bidirectional_flow_graph<llvm_editor_graph>);

MIDEND_END_NAMESPACE
