/// What the bounds ask of a machine: concepts, one for each bound.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/dependence_kind.hpp"
#include "midend/machine/machine_fields.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Channels as bits.
using channel_set = std::uint32_t;

/// A machine has at most so many channels: the resource bound looks at each set of them.
inline constexpr std::size_t max_channels = 16;

/// A machine has at most so many scalar resources.
inline constexpr std::size_t max_resources = 16;

/// Issues an operation on one of the channels of its class, and keeps it for `occupancy(c)` cycles.
template <class M>
concept machine_with_channels = requires(const M& m, operation_class c) {
  { m.num_channels() } -> std::convertible_to<std::size_t>;
  { m.channels(c) } -> std::convertible_to<channel_set>;
  { m.occupancy(c) } -> std::convertible_to<std::uint32_t>;
};

/// Has resources of which a number is there in each cycle, and each operation takes some when it is issued.
template <class M>
concept machine_with_resources = requires(const M& m, operation_class c, std::size_t resource) {
  { m.num_resources() } -> std::convertible_to<std::size_t>;
  { m.capacity(resource) } -> std::convertible_to<std::uint32_t>;
  { m.use(c, resource) } -> std::convertible_to<std::uint32_t>;
};

/// Has classes that cannot be issued in the same cycle. Symmetric; of one class with itself: at most one a cycle.
template <class M>
concept machine_with_exclusions = requires(const M& m, operation_class c) {
  { m.excludes(c, c) } -> std::convertible_to<bool>;
};

/// Knows how long a dependence takes. `latency(c)` is that of the result.
template <class M>
concept machine_with_latencies = requires(const M& m, operation_class c, dependence_kind k) {
  { m.latency(c) } -> std::convertible_to<std::uint32_t>;
  { m.latency(c, c, k) } -> std::convertible_to<std::uint32_t>;
};

/// Knows how long its code is.
template <class M>
concept machine_with_code = requires(const M& m, operation_class c) {
  { m.code_bytes(c) } -> std::convertible_to<std::uint32_t>;
  { m.code_header() } -> std::convertible_to<std::uint32_t>;
  { m.code_literal() } -> std::convertible_to<std::uint32_t>;
  { m.code_alignment() } -> std::convertible_to<std::uint32_t>;
  { m.longest_instruction() } -> std::convertible_to<std::uint32_t>;
};

/// All of these.
template <class M>
concept machine = machine_with_channels<M> && machine_with_resources<M> && machine_with_exclusions<M> &&
                  machine_with_latencies<M> && machine_with_code<M>;

/// Knows what else is asked when loops are weighed: its fields, which classes may depend on a predicate and which may
/// run before they are known to be wanted, and which resource words of literals take (`num_resources()`: none).
template <class M>
concept loop_machine = machine<M> && requires(const M& m, operation_class c, machine_field f) {
  { m.value(f) } -> std::convertible_to<std::uint32_t>;
  { m.is_predicated(c) } -> std::convertible_to<bool>;
  { m.is_speculated(c) } -> std::convertible_to<bool>;
  { m.literal_resource() } -> std::convertible_to<std::size_t>;
};

MIDEND_END_NAMESPACE
