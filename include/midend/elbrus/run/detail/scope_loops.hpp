/// `scope_loops`: the loops in which local classes of memory hold, for the interpreter.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// The natural loops of the headers that local classes name. Finds them by walks over the graph alone, so that the
/// interpreter does not depend on the analyses that it checks. O(headers · edges).
class scope_loops {
public:
  void read(const procedure& p) {
    num_nodes_ = p.num_nodes();
    for (node_id n = 0; n != num_nodes_; ++n) {
      for (const value_id v : p.values(n)) {
        const bool is_access = info_of(p.core(v).code).form == opcode_form::memory;
        if (is_access && p.access(v).local != no_alias && p.has_scope(p.access(v).scope) &&
            find(p.access(v).scope) == none) {
          add(p, p.access(v).scope);
        }
      }
    }
  }

  bool empty() const { return headers_.empty(); }

  /// Whether an edge enters the loop of a header from outside.
  bool enters(node_id source, node_id header) const {
    const std::size_t i = find(header);
    return i != none && contains_[i * num_nodes_ + source] == 0;
  }

  bool contains(node_id header, node_id n) const {
    const std::size_t i = find(header);
    return i != none && contains_[i * num_nodes_ + n] != 0;
  }

private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t find(node_id header) const {
    for (std::size_t i = 0; i != headers_.size(); ++i) {
      if (headers_[i] == header) {
        return i;
      }
    }
    return none;
  }

  /// What is reached from the entry only through the header, and leads back to it without leaving that.
  void add(const procedure& p, node_id header) {
    flat_array<unsigned char> avoids(num_nodes_, 0);
    flat_array<node_id> pending;
    if (header != 0) {
      avoids[0] = 1;
      pending.push_back(0);
    }
    while (!pending.empty()) {
      const node_id n = pending.back();
      pending.pop_back();
      for (const edge_id e : p.out_edges(n)) {
        const node_id to = p.edge_target(e);
        if (to != header && avoids[to] == 0) {
          avoids[to] = 1;
          pending.push_back(to);
        }
      }
    }
    const std::size_t first = contains_.size();
    headers_.push_back(header);
    for (std::size_t i = 0; i != num_nodes_; ++i) {
      contains_.push_back(0);
    }
    const auto take = [&](node_id n) {
      if (avoids[n] == 0 && contains_[first + n] == 0) {
        contains_[first + n] = 1;
        pending.push_back(n);
      }
    };
    for (const edge_id e : p.in_edges(header)) {
      if (avoids[p.edge_source(e)] == 0) {
        contains_[first + header] = 1;
        take(p.edge_source(e));
      }
    }
    while (!pending.empty()) {
      const node_id n = pending.back();
      pending.pop_back();
      for (const edge_id e : p.in_edges(n)) {
        take(p.edge_source(e));
      }
    }
  }

  std::size_t num_nodes_ = 0;
  flat_array<node_id> headers_;
  flat_array<unsigned char> contains_; ///< by header and node
};

/// The runs of those loops in the calls that are on the stack.
class scope_runs {
public:
  /// Control enters a loop.
  void begin(std::uint32_t call, node_id header) { entry(call, header).run = ++runs_; }

  /// The number of the run of a loop that control is in; never 0.
  std::uint32_t current(std::uint32_t call, node_id header) {
    scope_run& r = entry(call, header);
    r.run = r.run == 0 ? ++runs_ : r.run;
    return r.run;
  }

private:
  struct scope_run {
    std::uint32_t call;
    node_id header;
    std::uint32_t run;
  };

  scope_run& entry(std::uint32_t call, node_id header) {
    while (!entries_.empty() && entries_.back().call > call) { // calls that have returned
      entries_.pop_back();
    }
    for (std::size_t i = entries_.size(); i-- != 0 && entries_[i].call == call;) {
      if (entries_[i].header == header) {
        return entries_[i];
      }
    }
    entries_.push_back({call, header, 0});
    return entries_.back();
  }

  flat_array<scope_run> entries_;
  std::uint32_t runs_ = 0;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
