/// The order of the entries of phis in text.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/graph/concepts.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Sorts the edges into a node by source, and parallel ones as in the terminator. The order in which a procedure keeps
/// them depends on what was done to it.
class entry_order {
public:
  explicit entry_order(const procedure& p) : p_(p) {}

  /// Sorted once for all phis of a node that are looked at one after the other. Good until the next call.
  std::span<const edge_id> of(node_id n) {
    if (n != node_) {
      node_ = n;
      sort_edges();
    }
    return edges_;
  }

private:
  struct key {
    node_id source;
    std::uint32_t position;
    edge_id edge;

    friend auto operator<=>(const key&, const key&) = default;
  };

  void sort_edges() {
    keys_.clear();
    edges_.clear();
    for (const edge_id e : p_.in_edges(node_)) {
      keys_.push_back({p_.edge_source(e), position_in_terminator(e), e});
    }
    std::sort(keys_.begin(), keys_.end());
    for (const key& k : keys_) {
      edges_.push_back(k.edge);
    }
  }

  std::uint32_t position_in_terminator(edge_id e) {
    if (positions_.empty()) {
      number_all();
    }
    return positions_[e];
  }

  void number_all() {
    positions_.resize(p_.num_edges());
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      std::uint32_t position = 0;
      for (const edge_id e : p_.out_edges(n)) {
        positions_[e] = position++;
      }
    }
  }

  const procedure& p_;
  node_id node_ = no_node;
  std::vector<edge_id> edges_;
  std::vector<key> keys_;
  std::vector<std::uint32_t> positions_; ///< by edge; empty until the first phi
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
