/// `critical_path`: the time of one iteration alone, with unlimited resources.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/swap.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The longest chain of dependences of distance 0.
struct critical_path_result {
  bool has_cycle = false;          ///< operations wait for each other within an iteration: there is no longest chain
  std::uint64_t cycles = 0;        ///< until the last result can be used; an operation takes a cycle at least
  flat_array<operation_id> path;   ///< from the first operation to the last; empty if `has_cycle`
  flat_array<std::uint64_t> start; ///< by operation: its earliest cycle; meaningless if `has_cycle`

  friend constexpr bool operator==(const critical_path_result&, const critical_path_result&) = default;
};

namespace detail {

class critical_path_search;

} // namespace detail

/// Memory of `critical_path`, reused from call to call.
class critical_path_workspace {
  friend class detail::critical_path_search;

  flat_array<std::uint32_t> first_;   ///< by operation and one more: its first element of `out_`
  flat_array<std::uint32_t> out_;     ///< dependences of distance 0, by producer
  flat_array<std::uint32_t> waiting_; ///< by operation: dependences whose producers are not placed yet
  flat_array<operation_id> ready_;    ///< operations in topological order
  flat_array<operation_id> cause_;    ///< by operation: the producer that it waits for longest, or `no_cause`
};

namespace detail {

/// One call of `critical_path`.
class critical_path_search {
public:
  constexpr critical_path_search(const dependence_graph& g, critical_path_workspace& w, critical_path_result& out)
      : g_(g), w_(w), out_(out) {}

  constexpr void run() {
    out_.cycles = 0;
    out_.path.clear();
    group_by_producer();
    compute_earliest_starts();
    out_.has_cycle = w_.ready_.size() != g_.num_operations();
    if (!out_.has_cycle) {
      store_longest_path();
    }
  }

private:
  static constexpr operation_id no_cause = static_cast<operation_id>(-1);

  constexpr void group_by_producer() {
    w_.first_.assign(g_.num_operations() + 1, 0);
    w_.waiting_.assign(g_.num_operations(), 0);
    for (const operation_dependence& d : g_.dependences()) {
      if (d.distance == 0) {
        ++w_.first_[d.producer];
        ++w_.waiting_[d.consumer];
      }
    }
    counts_to_ends(w_.first_);
    w_.out_.resize_for_overwrite(w_.first_.back());
    for (std::size_t i = g_.dependences().size(); i-- != 0;) {
      if (g_.dependences()[i].distance == 0) {
        w_.out_[--w_.first_[g_.dependences()[i].producer]] = static_cast<std::uint32_t>(i);
      }
    }
  }

  /// In topological order (A. B. Kahn, "Topological sorting of large networks", Comm. ACM 5(11), 1962).
  constexpr void compute_earliest_starts() {
    out_.start.assign(g_.num_operations(), 0);
    w_.cause_.assign(g_.num_operations(), no_cause);
    w_.ready_.clear();
    for (operation_id o = 0; o != g_.num_operations(); ++o) {
      if (w_.waiting_[o] == 0) {
        w_.ready_.push_back(o);
      }
    }
    for (std::size_t next = 0; next != w_.ready_.size(); ++next) {
      const operation_id o = w_.ready_[next];
      for (std::uint32_t i = w_.first_[o]; i != w_.first_[o + std::size_t{1}]; ++i) {
        const operation_dependence& d = g_.dependences()[w_.out_[i]];
        if (w_.cause_[d.consumer] == no_cause || out_.start[o] + d.latency > out_.start[d.consumer]) {
          out_.start[d.consumer] = out_.start[o] + d.latency;
          w_.cause_[d.consumer] = o;
        }
        if (--w_.waiting_[d.consumer] == 0) {
          w_.ready_.push_back(d.consumer);
        }
      }
    }
  }

  constexpr void store_longest_path() {
    operation_id last = no_cause;
    for (operation_id o = 0; o != g_.num_operations(); ++o) {
      const std::uint64_t end = out_.start[o] + max(g_.operation(o).latency, std::uint32_t{1});
      if (last == no_cause || end > out_.cycles) {
        out_.cycles = end;
        last = o;
      }
    }
    for (operation_id o = last; o != no_cause; o = w_.cause_[o]) {
      out_.path.push_back(o);
    }
    for (std::size_t low = 0, high = out_.path.size(); high > low + 1; ++low) {
      detail::swap_values(out_.path[low], out_.path[--high]);
    }
  }

  const dependence_graph& g_;
  critical_path_workspace& w_;
  critical_path_result& out_;
};

} // namespace detail

/// The longest chain of dependences within one iteration, refilling `out`. A body that is not pipelined takes at least
/// this long, and at least its resource bound. If several chains are equally long, the result is one that ends in the
/// first possible operation. If operations wait for each other within an iteration, `has_cycle` is set. A body without
/// operations takes 0 cycles. O(operations + dependences).
constexpr void critical_path(const dependence_graph& g, critical_path_workspace& workspace, critical_path_result& out) {
  detail::critical_path_search(g, workspace, out).run();
}

/// The longest chain of dependences within one iteration.
constexpr critical_path_result critical_path(const dependence_graph& g) {
  critical_path_workspace workspace;
  critical_path_result out;
  critical_path(g, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
