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
/// interpreter does not depend on the analyses that it checks. Takes time for headers times edges, and memory for the
/// nodes of these loops.
class scope_loops {
public:
  void read(const procedure& p) {
    num_nodes_ = p.num_nodes();
    place_.assign(num_nodes_, 0);
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

  bool empty() const { return loops_.empty(); }

  /// Whether an edge enters the loop of a header from outside.
  bool enters(node_id source, node_id header) const {
    const std::size_t i = find(header);
    return i != none && !has(i, source);
  }

  bool contains(node_id header, node_id n) const {
    const std::size_t i = find(header);
    return i != none && has(i, n);
  }

private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// The loop of a header.
  struct scope_loop {
    node_id header;
    std::size_t first; ///< in `nodes_`, in ascending order
    std::size_t last;
  };

  std::size_t find(node_id header) const {
    return header < place_.size() && place_[header] != 0 ? place_[header] - std::size_t{1} : none;
  }

  bool has(std::size_t loop, node_id n) const {
    std::size_t low = loops_[loop].first;
    std::size_t high = loops_[loop].last;
    while (low != high) {
      const std::size_t middle = low + (high - low) / 2;
      if (nodes_[middle] < n) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low != loops_[loop].last && nodes_[low] == n;
  }

  /// Adds the natural loop of a header: nodes that the entry reaches only through the header, and that lead back to it.
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
    flat_array<unsigned char> is_inside(num_nodes_, 0);
    const auto take = [&](node_id n) {
      if (avoids[n] == 0 && is_inside[n] == 0) {
        is_inside[n] = 1;
        pending.push_back(n);
      }
    };
    for (const edge_id e : p.in_edges(header)) {
      if (avoids[p.edge_source(e)] == 0) {
        is_inside[header] = 1;
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
    scope_loop loop{header, nodes_.size(), 0};
    for (node_id n = 0; n != num_nodes_; ++n) {
      if (is_inside[n] != 0) {
        nodes_.push_back(n);
      }
    }
    loop.last = nodes_.size();
    loops_.push_back(loop);
    place_[header] = static_cast<std::uint32_t>(loops_.size());
  }

  std::size_t num_nodes_ = 0;
  flat_array<std::uint32_t> place_; ///< by node: 1 + the place of the loop that it heads in `loops_`, or 0
  flat_array<scope_loop> loops_;
  flat_array<node_id> nodes_;
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
