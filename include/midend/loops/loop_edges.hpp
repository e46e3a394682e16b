/// Loops by number, the edges of a loop's boundary, and the ranges over them.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/detail/iterator_base.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A loop: dense, `0 … num_loops() - 1`.
using loop_id = std::uint32_t;

inline constexpr loop_id no_loop = 0xffff'ffff;

/// An edge of a loop's boundary. `id` is the graph's edge id; if the graph has none, the id that `csr_graph` would
/// give.
struct loop_edge {
  edge_id id;
  node_id source;
  node_id target;

  friend constexpr bool operator==(const loop_edge&, const loop_edge&) = default;
};

namespace detail {

/// The edges that leave a loop, and for each, in `reach`, two words: the depth of the outermost loop that it leaves,
/// and the next record whose edge leads further out. An edge leaves the innermost loop of its source and each loop
/// around that, out to the one of this depth.
struct exit_records {
  const loop_edge* edges = nullptr;
  const std::uint32_t* reach = nullptr;

  constexpr std::uint32_t outermost_depth(std::uint32_t i) const { return reach[2 * std::size_t{i}]; }

  constexpr std::uint32_t next_shallower(std::uint32_t i) const { return reach[2 * std::size_t{i} + 1]; }
};

} // namespace detail

/// Goes over the exiting edges of one loop: those of the exit records of its blocks whose edge leads far enough out. An
/// edge that stays inside an outer loop is not exiting for that one. The others are skipped from shallower record to
/// shallower record.
class exiting_edge_iterator : public detail::iterator_base<exiting_edge_iterator, loop_edge, const loop_edge&> {
public:
  constexpr exiting_edge_iterator() = default;

  constexpr exiting_edge_iterator(detail::exit_records records, std::uint32_t at, std::uint32_t last,
                                  std::uint32_t depth)
      : records_(records), at_(at), last_(last), depth_(depth) {
    skip();
  }

  constexpr const loop_edge& operator*() const { return records_.edges[at_]; }

  constexpr const loop_edge* operator->() const { return records_.edges + at_; }

  constexpr void advance() {
    ++at_;
    skip();
  }

  friend constexpr bool operator==(const exiting_edge_iterator& a, const exiting_edge_iterator& b) {
    return a.at_ == b.at_;
  }

private:
  constexpr void skip() {
    while (at_ < last_ && records_.outermost_depth(at_) > depth_) {
      at_ = records_.next_shallower(at_);
    }
    at_ = at_ < last_ ? at_ : last_;
  }

  detail::exit_records records_;
  std::uint32_t at_ = 0;
  std::uint32_t last_ = 0;
  std::uint32_t depth_ = 0;
};

/// The exiting edges of one loop. Valid as long as the forest that gave it.
using exiting_edge_range = iterator_range<exiting_edge_iterator>;

/// Goes over the different sources of a sequence of edges that is grouped by source.
template <class EdgeIterator>
class edge_source_iterator : public detail::iterator_base<edge_source_iterator<EdgeIterator>, node_id> {
public:
  constexpr edge_source_iterator() = default;

  constexpr edge_source_iterator(EdgeIterator at, EdgeIterator last) : at_(at), last_(last) {}

  constexpr node_id operator*() const { return (*at_).source; }

  constexpr void advance() {
    const node_id source = **this;
    do {
      ++at_;
    } while (at_ != last_ && **this == source);
  }

  friend constexpr bool operator==(const edge_source_iterator& a, const edge_source_iterator& b) {
    return a.at_ == b.at_;
  }

private:
  EdgeIterator at_{};
  EdgeIterator last_{};
};

/// The different sources of a range of edges that is grouped by source.
template <class Edges> using edge_sources = iterator_range<edge_source_iterator<detail::iterator_of<const Edges>>>;

namespace detail {

template <class Edges> constexpr edge_sources<Edges> sources_of(const Edges& edges) {
  using iterator = edge_source_iterator<iterator_of<const Edges>>;
  return {iterator(edges.begin(), edges.end()), iterator(edges.end(), edges.end())};
}

} // namespace detail

MIDEND_END_NAMESPACE
