/// The critical path: how long one iteration takes alone, with any number of resources.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// The longest chain of dependences of distance 0.
struct critical_path_result {
  bool has_cycle = false;          ///< there is none: an operation waits for itself within its iteration
  std::uint64_t cycles = 0;        ///< until the last result is there
  flat_array<operation_id> path;   ///< from the first operation to the last
  flat_array<std::uint64_t> start; ///< by operation, the earliest cycle

  friend constexpr bool operator==(const critical_path_result&, const critical_path_result&) = default;
};

class critical_path_workspace {
public:
  flat_array<std::uint32_t> first; ///< by operation and one more, into `out`
  flat_array<std::uint32_t> out;   ///< dependences of distance 0, by producer
  flat_array<std::uint32_t> waiting;
  flat_array<operation_id> ready;
  flat_array<operation_id> cause;
};

namespace detail {

struct critical_path_search {
  static constexpr operation_id no_cause = static_cast<operation_id>(-1);

  static constexpr void group_by_producer(const dependence_graph& g, critical_path_workspace& w) {
    w.first.assign(g.num_operations() + 1, 0);
    w.waiting.assign(g.num_operations(), 0);
    for (const dependence& d : g.dependences()) {
      if (d.distance == 0) {
        ++w.first[d.producer];
        ++w.waiting[d.consumer];
      }
    }
    counts_to_ends(w.first);
    w.out.resize_for_overwrite(w.first.back());
    for (std::size_t i = g.dependences().size(); i-- != 0;) {
      if (g.dependences()[i].distance == 0) {
        w.out[--w.first[g.dependences()[i].producer]] = static_cast<std::uint32_t>(i);
      }
    }
  }

  /// In topological order (A. B. Kahn, "Topological sorting of large networks", Comm. ACM 5(11), 1962).
  static constexpr void find_earliest_starts(const dependence_graph& g, critical_path_workspace& w,
                                             critical_path_result& out) {
    out.start.assign(g.num_operations(), 0);
    w.cause.assign(g.num_operations(), no_cause);
    w.ready.clear();
    for (operation_id o = 0; o != g.num_operations(); ++o) {
      if (w.waiting[o] == 0) {
        w.ready.push_back(o);
      }
    }
    for (std::size_t next = 0; next != w.ready.size(); ++next) {
      const operation_id o = w.ready[next];
      for (std::uint32_t i = w.first[o]; i != w.first[o + std::size_t{1}]; ++i) {
        const dependence& d = g.dependences()[w.out[i]];
        if (w.cause[d.consumer] == no_cause || out.start[o] + d.latency > out.start[d.consumer]) {
          out.start[d.consumer] = out.start[o] + d.latency;
          w.cause[d.consumer] = o;
        }
        if (--w.waiting[d.consumer] == 0) {
          w.ready.push_back(d.consumer);
        }
      }
    }
    out.has_cycle = w.ready.size() != g.num_operations();
  }

  static constexpr void walk_back(const dependence_graph& g, critical_path_workspace& w, critical_path_result& out) {
    operation_id last = no_cause;
    for (operation_id o = 0; o != g.num_operations(); ++o) {
      const std::uint64_t end = out.start[o] + g.operation(o).latency;
      if (last == no_cause || end > out.cycles) {
        out.cycles = end;
        last = o;
      }
    }
    for (operation_id o = last; o != no_cause; o = w.cause[o]) {
      out.path.push_back(o);
    }
    for (std::size_t low = 0, high = out.path.size(); high > low + 1; ++low) {
      std::swap(out.path[low], out.path[--high]);
    }
  }
};

} // namespace detail

/// The longest chain of dependences within one iteration, refilling `out`. A body that is not pipelined takes at least
/// so long, and at least the resource bound. Of several chains the one that ends in the first operation. If operations
/// wait for each other within an iteration, there is no such chain, `has_cycle` is set, and `start` says nothing. A
/// body without operations takes 0 cycles. O(operations + dependences).
constexpr void critical_path(const dependence_graph& g, critical_path_workspace& workspace, critical_path_result& out) {
  out.cycles = 0;
  out.path.clear();
  detail::critical_path_search::group_by_producer(g, workspace);
  detail::critical_path_search::find_earliest_starts(g, workspace, out);
  if (!out.has_cycle) {
    detail::critical_path_search::walk_back(g, workspace, out);
  }
}

/// The longest chain of dependences within one iteration.
constexpr critical_path_result critical_path(const dependence_graph& g) {
  critical_path_workspace workspace;
  critical_path_result out;
  critical_path(g, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
