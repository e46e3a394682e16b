/// `recurrence_bound`: a lower bound on the cycles per iteration from the dependences that a loop carries.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/span.hpp"
#include "midend/support/swap.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

enum class recurrence_status : std::uint8_t {
  none,       ///< no cycle of dependences takes time: the bound is 0
  bound,      ///< `exact` is the bound
  impossible, ///< `cycle` has distance 0: its operations wait for each other, and no schedule exists
  too_large   ///< the sum of latencies times the sum of distances reaches 2^60
};

/// An iteration takes at least `exact` cycles on average.
struct recurrence_bound_result {
  recurrence_status status = recurrence_status::none;
  fraction exact;                  ///< with `bound`: the latencies of `cycle` over its distances; else 0
  flat_array<std::uint32_t> cycle; ///< with `bound` and `impossible`: positions in `dependences()`, each one's consumer
                                   ///< the next one's producer

  /// The least whole number of cycles between two iterations.
  constexpr std::uint64_t cycles() const { return exact.ceiling(); }

  friend constexpr bool operator==(const recurrence_bound_result&, const recurrence_bound_result&) = default;
};

namespace detail {

class recurrence_bound_search;

} // namespace detail

/// Memory of `recurrence_bound`, reused from call to call.
class recurrence_bound_workspace {
  friend class detail::recurrence_bound_search;

  flat_array<std::int64_t> length_;       ///< by operation: the weight of the heaviest walk to it found so far
  flat_array<std::uint32_t> entered_;     ///< by operation: the last dependence of that walk, or `none`
  flat_array<std::uint32_t> mark_;        ///< by operation: the number of the last traversal that visited it
  flat_array<std::uint32_t> back_;        ///< dependences on the operation itself or on one that was added later
  flat_array<std::uint32_t> cycle_found_; ///< by `find_positive_cycle`
};

namespace detail {

/// One call of `recurrence_bound`.
class recurrence_bound_search {
public:
  constexpr recurrence_bound_search(const dependence_graph& g, recurrence_bound_workspace& w,
                                    recurrence_bound_result& out)
      : g_(g), w_(w), out_(out) {}

  constexpr void run() {
    out_.status = recurrence_status::none;
    out_.exact = {};
    out_.cycle.clear();
    if (!sums_fit()) {
      out_.status = recurrence_status::too_large;
      return;
    }
    collect_back_dependences();
    if (find_cycle_without_distance()) {
      out_.status = recurrence_status::impossible;
      out_.cycle = w_.cycle_found_;
      return;
    }
    start_from_single_operations();
    raise();
  }

private:
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  /// If this holds, all sums of the search stay below 2^62.
  constexpr bool sums_fit() const {
    constexpr std::uint64_t limit = std::uint64_t{1} << 60;
    std::uint64_t latencies = 1;
    std::uint64_t distances = 1;
    for (const operation_dependence& d : g_.dependences()) {
      latencies += d.latency;
      distances += d.distance;
      if (latencies >= limit || distances >= limit) {
        return false;
      }
    }
    return latencies < limit / distances;
  }

  constexpr void collect_back_dependences() {
    w_.back_.clear();
    for (std::size_t i = 0; i != g_.dependences().size(); ++i) {
      if (g_.dependences()[i].producer >= g_.dependences()[i].consumer) {
        w_.back_.push_back(static_cast<std::uint32_t>(i));
      }
    }
    w_.mark_.assign(g_.num_operations(), 0);
  }

  // Templates before their uses: clang evaluates a call in a constant expression only then.

  /// One round over all dependences. Returns whether a length grew.
  template <class Weight> constexpr bool relax(const Weight& weight) {
    std::int64_t* const length = w_.length_.data();
    std::uint32_t* const entered = w_.entered_.data();
    bool changed = false;
    std::uint32_t i = 0;
    for (const operation_dependence& d : g_.dependences()) {
      const std::int64_t through = length[d.producer] + weight(d);
      if (through > length[d.consumer]) {
        length[d.consumer] = through;
        entered[d.consumer] = i;
        changed = true;
      }
      ++i;
    }
    return changed;
  }

  /// Whether the sum of `weight(dependence)` is positive around some cycle, which is then in `cycle_found_`. Bellman
  /// and Ford's search, from all operations at once. O(operations · dependences).
  template <class Weight> constexpr bool find_positive_cycle(const Weight& weight) {
    w_.length_.assign(g_.num_operations(), 0);
    w_.entered_.assign(g_.num_operations(), none);
    while (relax(weight)) {
      const std::uint32_t on_cycle = operation_on_cycle();
      if (on_cycle != none) {
        store_cycle(on_cycle);
        return true;
      }
    }
    return false;
  }

  /// Gives each dependence with a distance a weight so low that a cycle with one of them cannot be positive. Usually
  /// all back dependences have a distance, and no search is needed.
  constexpr bool find_cycle_without_distance() {
    bool may_exist = false;
    for (const std::uint32_t d : w_.back_) {
      may_exist = may_exist || g_.dependences()[d].distance == 0;
    }
    const auto count = static_cast<std::int64_t>(g_.dependences().size());
    return may_exist && find_positive_cycle([count](const operation_dependence& d) {
             return d.distance == 0 ? std::int64_t{1} : -count;
           });
  }

  /// The first lower bound: the largest ratio of a dependence of an operation on itself.
  constexpr void start_from_single_operations() {
    for (const std::uint32_t i : w_.back_) {
      const operation_dependence& d = g_.dependences()[i];
      if (d.producer == d.consumer && d.latency != 0 && fraction(d.latency, d.distance) > out_.exact) {
        out_.exact = {d.latency, d.distance};
        out_.cycle.clear();
        out_.cycle.push_back(i);
        out_.status = recurrence_status::bound;
      }
    }
  }

  /// While some cycle has a larger ratio, replaces the bound by the ratio of that cycle.
  constexpr void raise() {
    const auto excess = [this](const operation_dependence& d) {
      return static_cast<std::int64_t>(out_.exact.denominator() * d.latency) -
             static_cast<std::int64_t>(out_.exact.numerator() * d.distance);
    };
    while (find_positive_cycle(excess)) {
      out_.cycle = w_.cycle_found_;
      out_.exact = ratio_of(out_.cycle);
      out_.status = recurrence_status::bound;
    }
  }

  constexpr fraction ratio_of(span<const std::uint32_t> cycle) const {
    std::uint64_t latency = 0;
    std::uint64_t distance = 0;
    for (const std::uint32_t d : cycle) {
      latency += g_.dependences()[d].latency;
      distance += g_.dependences()[d].distance;
    }
    return {latency, distance};
  }

  /// An operation on a cycle of `entered_`, or `none`. Such a cycle is positive (B. V. Cherkassky, A. V. Goldberg,
  /// "Negative-cycle detection algorithms", Math. Programming 85, 1999, lemma 1). While there is none, lengths are
  /// those of paths, so that they do not exceed the sum of the weights. Each cycle has a back dependence, so the walks
  /// start there.
  constexpr std::uint32_t operation_on_cycle() {
    const std::uint32_t earlier_walks = walks_;
    for (const std::uint32_t back : w_.back_) {
      operation_id o = g_.dependences()[back].consumer;
      if (w_.entered_[o] != back || w_.mark_[o] > earlier_walks) {
        continue;
      }
      const std::uint32_t walk = ++walks_;
      while (w_.mark_[o] <= earlier_walks && w_.entered_[o] != none) {
        w_.mark_[o] = walk;
        o = g_.dependences()[w_.entered_[o]].producer;
      }
      if (w_.mark_[o] == walk && w_.entered_[o] != none) {
        return o;
      }
    }
    return none;
  }

  constexpr void store_cycle(operation_id on_cycle) {
    flat_array<std::uint32_t>& cycle = w_.cycle_found_;
    cycle.clear();
    operation_id o = on_cycle;
    do {
      cycle.push_back(w_.entered_[o]);
      o = g_.dependences()[w_.entered_[o]].producer;
    } while (o != on_cycle);
    for (std::size_t low = 0, high = cycle.size(); high > low + 1; ++low) {
      swap_values(cycle[low], cycle[--high]);
    }
  }

  const dependence_graph& g_;
  recurrence_bound_workspace& w_;
  recurrence_bound_result& out_;
  std::uint32_t walks_ = 0;
};

} // namespace detail

/// The recurrence bound of a loop body, RecMII before rounding: the maximum, over the cycles of dependences, of the sum
/// of latencies divided by the sum of distances. Refills `out`, with a cycle that attains the bound.
///
/// The maximum ratio is found as W. Dinkelbach does ("On nonlinear fractional programming", Management Science 13(7),
/// 1967), in integers: from the ratio p/q of one cycle to the ratio of a cycle with q · latencies - p · distances > 0,
/// until there is none. (E. L. Lawler, Combinatorial Optimization, 1976, 3.13, would halve an interval instead.) Each
/// step is a Bellman-Ford search for a positive cycle. The ratio rises in each step, so the search ends.
///
/// An operation that depends on itself is a cycle; of parallel dependences the largest counts. A cycle without distance
/// is an error value, and so are numbers that are too large. O(steps · operations · dependences) in the worst case; a
/// few rounds over a body whose dependences mostly lead forward.
constexpr void recurrence_bound(const dependence_graph& g, recurrence_bound_workspace& workspace,
                                recurrence_bound_result& out) {
  detail::recurrence_bound_search(g, workspace, out).run();
}

/// The recurrence bound of a loop body.
constexpr recurrence_bound_result recurrence_bound(const dependence_graph& g) {
  recurrence_bound_workspace workspace;
  recurrence_bound_result out;
  recurrence_bound(g, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
