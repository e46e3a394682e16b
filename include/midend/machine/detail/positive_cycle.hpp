/// The search for a cycle of dependences of positive weight.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

struct positive_cycle_memory {
  flat_array<std::int64_t> length;        ///< by operation, of the heaviest walk to it that is known
  flat_array<std::uint32_t> entered;      ///< by operation, the last dependence of that walk
  flat_array<std::uint32_t> mark;         ///< by operation, the last walk that came by
  flat_array<std::uint32_t> leading_back; ///< dependences on an operation that was added later, or on itself
  std::uint32_t walks = 0;
  flat_array<std::uint32_t> better;
};

/// Before the first search in a graph.
constexpr void prepare_positive_cycles(const dependence_graph& g, positive_cycle_memory& m) {
  m.leading_back.clear();
  for (std::size_t i = 0; i != g.dependences().size(); ++i) {
    if (g.dependences()[i].producer >= g.dependences()[i].consumer) {
      m.leading_back.push_back(static_cast<std::uint32_t>(i));
    }
  }
  m.mark.assign(g.num_operations(), 0);
  m.walks = 0;
}

template <class Weight> struct positive_cycle_search {
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  const dependence_graph& g;
  const Weight& weight;
  positive_cycle_memory& m;

  /// One pass of Bellman and Ford from all operations at once. Whether something changed.
  constexpr bool relax() {
    bool changed = false;
    const auto dependences = g.dependences();
    for (std::size_t i = 0; i != dependences.size(); ++i) {
      const dependence& d = dependences[i];
      const std::int64_t length = m.length[d.producer] + weight(d);
      if (length > m.length[d.consumer]) {
        m.length[d.consumer] = length;
        m.entered[d.consumer] = static_cast<std::uint32_t>(i);
        changed = true;
      }
    }
    return changed;
  }

  /// An operation on a cycle of `entered`, or `none`. Such a cycle is positive (B. V. Cherkassky, A. V. Goldberg,
  /// "Negative-cycle detection algorithms", Math. Programming 85, 1999, lemma 1), and as long as there is none, lengths
  /// are those of paths, so that they do not grow beyond the sum of the weights. Each cycle has a dependence that leads
  /// back, so that these are the places to begin.
  constexpr std::uint32_t find_on_cycle() {
    const std::uint32_t walks = m.walks;
    for (const std::uint32_t back : m.leading_back) {
      operation_id o = g.dependences()[back].consumer;
      if (m.entered[o] != back || m.mark[o] > walks) {
        continue;
      }
      const std::uint32_t walk = ++m.walks;
      while (m.mark[o] <= walks && m.entered[o] != none) {
        m.mark[o] = walk;
        o = g.dependences()[m.entered[o]].producer;
      }
      if (m.mark[o] == walk && m.entered[o] != none) {
        return o;
      }
    }
    return none;
  }

  constexpr void write_cycle(operation_id on_cycle, flat_array<std::uint32_t>& cycle) {
    operation_id o = on_cycle;
    do {
      cycle.push_back(m.entered[o]);
      o = g.dependences()[m.entered[o]].producer;
    } while (o != on_cycle);
    for (std::size_t low = 0, high = cycle.size(); high > low + 1; ++low) {
      const std::uint32_t d = cycle[low];
      cycle[low] = cycle[--high];
      cycle[high] = d;
    }
  }
};

/// Whether the sum of `weight(dependence)` is positive around some cycle, which then refills `cycle`. Requires that the
/// memory is prepared for the graph. O(operations · dependences).
template <class Weight>
constexpr bool find_positive_cycle(const dependence_graph& g, const Weight& weight, positive_cycle_memory& memory,
                                   flat_array<std::uint32_t>& cycle) {
  positive_cycle_search<Weight> search{g, weight, memory};
  memory.length.assign(g.num_operations(), 0);
  memory.entered.assign(g.num_operations(), search.none);
  cycle.clear();
  while (search.relax()) {
    const std::uint32_t on_cycle = search.find_on_cycle();
    if (on_cycle != search.none) {
      search.write_cycle(on_cycle, cycle);
      return true;
    }
  }
  return false;
}

} // namespace detail

MIDEND_END_NAMESPACE
