/// The edges of a loop's boundary and the ranges over them.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

/// A loop: dense, `0 … num_loops() - 1`.
using loop_id = std::uint32_t;

inline constexpr loop_id no_loop = 0xffff'ffff;

/// An edge of a loop's boundary. `id` is the graph's edge id; of a graph that has none, the id that `csr_graph` would
/// give.
struct loop_edge {
  edge_id id;
  node_id source;
  node_id target;

  friend constexpr bool operator==(const loop_edge&, const loop_edge&) = default;
};

namespace detail {

/// An edge that leaves a loop. It leaves all loops around its source down from the one of depth `outermost_depth`.
struct exit_record {
  loop_edge edge;
  std::uint32_t outermost_depth;
  std::uint32_t next_shallower; ///< the next record that leaves further out
};

} // namespace detail

/// The exiting edges of one loop. They are a selection of the exit records of its blocks: an edge that stays inside an
/// outer loop is not exiting for that one. What is left out is skipped from shallower record to shallower record.
class exiting_edge_range {
public:
  class iterator {
  public:
    using value_type = loop_edge;
    using difference_type = std::ptrdiff_t;
    using reference = const loop_edge&;
    using pointer = const loop_edge*;
    using iterator_category = std::forward_iterator_tag;

    constexpr iterator() = default;

    constexpr iterator(const detail::exit_record* records, std::uint32_t at, std::uint32_t last, std::uint32_t depth)
        : records_(records), at_(at), last_(last), depth_(depth) {
      skip();
    }

    constexpr reference operator*() const { return records_[at_].edge; }

    constexpr pointer operator->() const { return &records_[at_].edge; }

    constexpr iterator& operator++() {
      ++at_;
      skip();
      return *this;
    }

    constexpr iterator operator++(int) {
      const iterator old = *this;
      ++*this;
      return old;
    }

    friend constexpr bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }

  private:
    constexpr void skip() {
      while (at_ < last_ && records_[at_].outermost_depth > depth_) {
        at_ = records_[at_].next_shallower;
      }
      at_ = at_ < last_ ? at_ : last_;
    }

    const detail::exit_record* records_ = nullptr;
    std::uint32_t at_ = 0;
    std::uint32_t last_ = 0;
    std::uint32_t depth_ = 0;
  };

  constexpr exiting_edge_range(const detail::exit_record* records, std::uint32_t first, std::uint32_t last,
                               std::uint32_t depth)
      : first_(records, first, last, depth), last_(records, last, last, depth) {}

  constexpr iterator begin() const { return first_; }

  constexpr iterator end() const { return last_; }

  constexpr bool empty() const { return first_ == last_; }

private:
  iterator first_;
  iterator last_;
};

/// The different sources of a run of edges that is grouped by source.
template <class Edges> class edge_sources {
public:
  using edge_iterator = detail::iterator_of<const Edges>;

  class iterator {
  public:
    using value_type = node_id;
    using difference_type = std::ptrdiff_t;
    using reference = node_id;
    using pointer = void;
    using iterator_category = std::input_iterator_tag; // the reference is a value
    using iterator_concept = std::forward_iterator_tag;

    constexpr iterator() = default;

    constexpr iterator(edge_iterator at, edge_iterator last) : at_(at), last_(last) {}

    constexpr node_id operator*() const { return (*at_).source; }

    constexpr iterator& operator++() {
      const node_id source = **this;
      do {
        ++at_;
      } while (at_ != last_ && **this == source);
      return *this;
    }

    constexpr iterator operator++(int) {
      const iterator old = *this;
      ++*this;
      return old;
    }

    friend constexpr bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }

  private:
    edge_iterator at_{};
    edge_iterator last_{};
  };

  constexpr explicit edge_sources(const Edges& edges)
      : first_(edges.begin(), edges.end()), last_(edges.end(), edges.end()) {}

  constexpr iterator begin() const { return first_; }

  constexpr iterator end() const { return last_; }

  constexpr bool empty() const { return first_ == last_; }

private:
  iterator first_;
  iterator last_;
};

/// Loops that have the same parent, from one to the next by the number of loops inside.
class sibling_range {
public:
  class iterator {
  public:
    using value_type = loop_id;
    using difference_type = std::ptrdiff_t;
    using reference = loop_id;
    using pointer = void;
    using iterator_category = std::input_iterator_tag; // the reference is a value
    using iterator_concept = std::forward_iterator_tag;

    constexpr iterator() = default;

    constexpr iterator(const std::uint32_t* sizes, loop_id at) : sizes_(sizes), at_(at) {}

    constexpr loop_id operator*() const { return at_; }

    constexpr iterator& operator++() {
      at_ += sizes_[at_];
      return *this;
    }

    constexpr iterator operator++(int) {
      const iterator old = *this;
      ++*this;
      return old;
    }

    friend constexpr bool operator==(iterator a, iterator b) { return a.at_ == b.at_; }

  private:
    const std::uint32_t* sizes_ = nullptr;
    loop_id at_ = 0;
  };

  constexpr sibling_range(const std::uint32_t* sizes, loop_id first, loop_id last)
      : first_(sizes, first), last_(sizes, last) {}

  constexpr iterator begin() const { return first_; }

  constexpr iterator end() const { return last_; }

  constexpr bool empty() const { return first_ == last_; }

private:
  iterator first_;
  iterator last_;
};

MIDEND_END_NAMESPACE
