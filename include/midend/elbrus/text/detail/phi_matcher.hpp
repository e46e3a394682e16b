/// From the entries of a phi to the edges that they are for.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/graph/concepts.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Entries name the sources of edges; those that name the same one are for its parallel edges, in the order of the
/// terminator. Linear in the edges of each node and in the entries.
///
/// Requires that edges were made in the order of their sources, so that parallel ones stand side by side.
class phi_matcher {
public:
  static constexpr std::uint32_t no_position = 0xffff'ffff;

  explicit phi_matcher(const procedure& p) : p_(p), sources_(p.num_nodes()) {}

  /// The next phis are in this node.
  void begin_node(node_id n) {
    node_ = n;
    const std::span<const edge_id> in = p_.in_edges(n);
    filled_.assign(in.size(), 0);
    phi_ = 0;
    for (std::size_t i = in.size(); i-- != 0;) {
      sources_[p_.edge_source(in[i])] = {.node = n, .first = static_cast<std::uint32_t>(i)};
    }
  }

  void begin_phi() {
    ++phi_;
    matched_ = 0;
  }

  bool is_predecessor(node_id source) const { return sources_[source].node == node_; }

  /// The position among the edges into the node of the next entry with this source; `no_position` if there are more
  /// entries than edges.
  std::uint32_t match(node_id source) {
    from_source& s = sources_[source];
    if (s.phi != phi_) {
      s.phi = phi_;
      s.taken = 0;
    }
    const std::span<const edge_id> in = p_.in_edges(node_);
    const std::size_t position = s.first + s.taken;
    if (!is_predecessor(source) || position >= in.size() || p_.edge_source(in[position]) != source) {
      return no_position;
    }
    ++s.taken;
    ++matched_;
    filled_[position] = phi_;
    return static_cast<std::uint32_t>(position);
  }

  /// How many edges are without an entry.
  std::size_t missing() const { return p_.in_edges(node_).size() - matched_; }

  /// The first edge without an entry. It is found among as many as there are entries, and one more.
  edge_id first_missing() const {
    std::size_t position = 0;
    while (filled_[position] == phi_) {
      ++position;
    }
    return p_.in_edges(node_)[position];
  }

private:
  /// The edges from a node into the present one.
  struct from_source {
    node_id node = no_node; ///< the one into which they lead
    std::uint32_t first = 0;
    std::uint32_t phi = 0;
    std::uint32_t taken = 0; ///< by entries of that phi
  };

  const procedure& p_;
  node_id node_ = no_node;
  std::vector<from_source> sources_;
  std::vector<std::uint32_t> filled_; ///< by position: the last phi that has an entry for it
  std::uint32_t phi_ = 0;
  std::size_t matched_ = 0;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
