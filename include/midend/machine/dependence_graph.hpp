/// The operations of a loop body: `operation_mix` counts them by class, `dependence_graph` also has their dependences,
/// within an iteration and across iterations.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/machine.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

/// Operations by class, and scalar resources that are used in addition to what the classes say (words of literals,
/// above all).
struct operation_mix {
  std::array<std::uint32_t, num_operation_classes> counts{};
  std::array<std::uint32_t, max_resources> extra_uses{}; ///< by resource
  std::uint32_t literals = 0;                            ///< words of 32 bits, for the code size

  constexpr std::uint32_t& operator[](operation_class c) { return counts[static_cast<std::size_t>(c)]; }

  constexpr std::uint32_t operator[](operation_class c) const { return counts[static_cast<std::size_t>(c)]; }

  /// The number of operations.
  constexpr std::uint64_t size() const {
    std::uint64_t total = 0;
    for (const std::uint32_t count : counts) {
      total += count;
    }
    return total;
  }

  friend constexpr bool operator==(const operation_mix&, const operation_mix&) = default;
};

/// An operation of a body: dense, `0 … num_operations() - 1`.
using operation_id = std::uint32_t;

struct body_operation {
  operation_class kind;
  std::uint32_t latency; ///< cycles until its result can be used

  friend constexpr bool operator==(const body_operation&, const body_operation&) = default;
};

/// `consumer`, `distance` iterations later, is issued at least `latency` cycles after `producer`.
struct operation_dependence {
  operation_id producer;
  operation_id consumer;
  std::uint32_t latency;
  std::uint32_t distance; ///< in iterations; 0: the same iteration
  dependence_kind kind;

  friend constexpr bool operator==(const operation_dependence&, const operation_dependence&) = default;
};

/// Operations and dependences in the order in which they were added, unless `order_by_consumer` reorders the
/// dependences. Parallel dependences and dependences of an operation on itself are kept. Latencies are stored as
/// numbers, so that the algorithms on the graph need no machine. 8 bytes per operation, 20 per dependence; `clear`
/// keeps the memory.
class dependence_graph {
public:
  constexpr void clear() {
    operations_.clear();
    dependences_.clear();
  }

  constexpr operation_id add_operation(operation_class kind, std::uint32_t latency) {
    operations_.push_back({kind, latency});
    return static_cast<operation_id>(operations_.size() - 1);
  }

  /// With the latency of the machine.
  template <class M>
    requires(!std::is_same_v<M, operation_class>) && machine_with_latencies_argument<M>
  constexpr operation_id add_operation(const M& m, operation_class kind) {
    return add_operation(kind, m.latency(kind));
  }

  /// Requires operations of this graph.
  constexpr void add_dependence(const operation_dependence& d) {
    MIDEND_ASSERT(d.producer < num_operations() && d.consumer < num_operations(), "operations of the body", d.producer,
                  d.consumer, num_operations());
    dependences_.push_back(d);
  }

  /// With the latency of the machine between the two classes.
  template <machine_with_latencies_argument M>
  constexpr void add_dependence(const M& m, operation_id producer, operation_id consumer, dependence_kind kind,
                                std::uint32_t distance) {
    const std::uint32_t latency = m.latency(operations_[producer].kind, operations_[consumer].kind, kind);
    add_dependence({producer, consumer, latency, distance, kind});
  }

  /// Sorts the dependences by consumer, stable. Searches that walk them repeatedly then need few rounds if operations
  /// were added after the operations that they wait for. The arguments are scratch memory. Linear.
  constexpr void order_by_consumer(flat_array<std::uint32_t>& ends, flat_array<operation_dependence>& memory) {
    ends.assign(num_operations() + 1, 0);
    for (const operation_dependence& d : dependences_) {
      ++ends[d.consumer];
    }
    detail::counts_to_ends(ends);
    memory = dependences_; // not swapped: an array keeps its capacity, so that a second round allocates nothing
    for (std::size_t i = memory.size(); i-- != 0;) {
      dependences_[--ends[memory[i].consumer]] = memory[i];
    }
  }

  constexpr std::size_t num_operations() const { return operations_.size(); }

  constexpr const body_operation& operation(operation_id o) const { return operations_[o]; }

  constexpr span<const body_operation> operations() const { return operations_; }

  constexpr span<const operation_dependence> dependences() const { return dependences_; }

  friend constexpr bool operator==(const dependence_graph&, const dependence_graph&) = default;

private:
  flat_array<body_operation> operations_;
  flat_array<operation_dependence> dependences_;
};

/// The number of operations of each class.
constexpr operation_mix mix_of(const dependence_graph& g) {
  operation_mix mix;
  for (const body_operation& o : g.operations()) {
    ++mix[o.kind];
  }
  return mix;
}

MIDEND_END_NAMESPACE
