/// `machine`: the concepts of machines that the bounds require.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/support/detail/contract.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A set of channels: bit c is channel c.
using channel_set = std::uint32_t;

/// The largest number of channels of a machine: the resource bound may examine every set of them.
inline constexpr std::size_t max_channels = 16;

/// The largest number of scalar resources of a machine.
inline constexpr std::size_t max_resources = 16;

/// Why one operation waits for another.
enum class dependence_kind : std::uint8_t {
  value,  ///< it uses the result of the other
  guard,  ///< it is guarded by the predicate that the other computes
  memory, ///< it accesses the same memory after the other
  order   ///< it must not be issued before the other, but may be issued in the same cycle: a write after a read
};

inline constexpr std::size_t num_dependence_kinds = 4;

/// A number that describes the machine as a whole. Sizes are in bytes, times in cycles; 0 means "none" unless the
/// field says otherwise.
enum class machine_field : std::uint8_t {
  general_registers,         ///< registers that code can name
  rotating_registers,        ///< how many of them can rotate with the iterations of a loop
  rotation_step,             ///< by how many names they move in an iteration
  predicate_registers,       ///< one-bit registers
  rotating_predicates,       ///< how many of them can rotate
  hardware_loop_counter,     ///< 1: counting the iterations takes no operation
  pipeline_stages,           ///< the most iterations in flight in a pipelined loop
  longest_pipelined_body,    ///< the most operations of a loop that is pipelined; 0: no limit
  shortest_pipelined_trip,   ///< the fewest iterations of a loop that is worth pipelining
  loop_setup,                ///< cycles before the first iteration of a pipelined loop
  branch_preparation,        ///< cycles from preparing a branch to taking it
  branches_per_cycle,        ///< branches issued in one cycle, taken or not
  loop_branch_penalty,       ///< cycles lost by the prepared branch back to the header
  unprepared_branch_penalty, ///< cycles lost by a taken branch that was not prepared, or not predicted
  loop_exit_penalty,         ///< cycles lost each time that a loop is left, because its branch back was predicted
  code_alignment,            ///< the size of a wide instruction is a multiple of it
  code_header,               ///< bytes of the header of each wide instruction
  code_literal,              ///< bytes of a 32-bit literal
  longest_instruction,       ///< the most bytes of a wide instruction; 0: no limit
  free_nops,                 ///< empty cycles after a wide instruction that take no code
  instruction_cache,         ///< 0: unknown
  instruction_cache_line,    ///< 0: unknown
  loop_buffer,               ///< a loop of at most this size runs without fetching; 0: none or unknown
  data_cache,                ///< size of the first-level data cache
  second_level_cache,        ///< size of the second-level cache
  load_latency_first_level,  ///< the latency that the row of loads gives
  load_latency_second_level, ///< of a load that misses the first level
  load_latency_third_level,  ///< of a load that misses the second level
  load_latency_memory,       ///< of a load that misses all caches
  disambiguation_entries     ///< loads moved above stores that the hardware can check
};

inline constexpr std::size_t num_machine_fields = 30;

namespace detail {

inline constexpr std::array<const char*, num_dependence_kinds> dependence_kind_names = {"value", "guard", "memory",
                                                                                        "order"};

inline constexpr std::array<const char*, num_machine_fields> machine_field_names = {
    "general_registers",
    "rotating_registers",
    "rotation_step",
    "predicate_registers",
    "rotating_predicates",
    "hardware_loop_counter",
    "pipeline_stages",
    "longest_pipelined_body",
    "shortest_pipelined_trip",
    "loop_setup",
    "branch_preparation",
    "branches_per_cycle",
    "loop_branch_penalty",
    "unprepared_branch_penalty",
    "loop_exit_penalty",
    "code_alignment",
    "code_header",
    "code_literal",
    "longest_instruction",
    "free_nops",
    "instruction_cache",
    "instruction_cache_line",
    "loop_buffer",
    "data_cache",
    "second_level_cache",
    "load_latency_first_level",
    "load_latency_second_level",
    "load_latency_third_level",
    "load_latency_memory",
    "disambiguation_entries",
};

} // namespace detail

/// The enumerator's name, as machine files spell it.
constexpr const char* name_of(dependence_kind k) {
  return detail::dependence_kind_names[static_cast<std::size_t>(k)];
}

/// The enumerator's name, as machine files spell it.
constexpr const char* name_of(machine_field f) {
  return detail::machine_field_names[static_cast<std::size_t>(f)];
}

/// Issues each operation on one of the channels of its class. The channel cannot start another operation for
/// `occupancy(c)` cycles.
template <class M>
concept machine_with_channels = requires(const M& m, operation_class c) {
  { m.num_channels() } -> std::convertible_to<std::size_t>;
  { m.channels(c) } -> std::convertible_to<channel_set>;
  { m.occupancy(c) } -> std::convertible_to<std::uint32_t>;
};

/// Has resources with a capacity per cycle. An operation uses `use(c, resource)` of one in the cycle in which it is
/// issued.
template <class M>
concept machine_with_resources = requires(const M& m, operation_class c, std::size_t resource) {
  { m.num_resources() } -> std::convertible_to<std::size_t>;
  { m.capacity(resource) } -> std::convertible_to<std::uint32_t>;
  { m.use(c, resource) } -> std::convertible_to<std::uint32_t>;
};

/// Has pairs of classes that cannot be issued in the same cycle. Symmetric; `excludes(c, c)` means at most one
/// operation of the class per cycle.
template <class M>
concept machine_with_exclusions = requires(const M& m, operation_class c) {
  { m.excludes(c, c) } -> std::convertible_to<bool>;
};

/// Has latencies: `latency(c)` of a result, `latency(producer, consumer, kind)` of a dependence.
template <class M>
concept machine_with_latencies = requires(const M& m, operation_class c, dependence_kind k) {
  { m.latency(c) } -> std::convertible_to<std::uint32_t>;
  { m.latency(c, c, k) } -> std::convertible_to<std::uint32_t>;
};

/// Has code sizes.
template <class M>
concept machine_with_code = requires(const M& m, operation_class c) {
  { m.code_bytes(c) } -> std::convertible_to<std::uint32_t>;
  { m.code_header() } -> std::convertible_to<std::uint32_t>;
  { m.code_literal() } -> std::convertible_to<std::uint32_t>;
  { m.code_alignment() } -> std::convertible_to<std::uint32_t>;
  { m.longest_instruction() } -> std::convertible_to<std::uint32_t>;
};

/// Gives the operations that can be issued in one cycle.
template <class M>
concept issuing_machine = machine_with_channels<M> && machine_with_resources<M> && machine_with_exclusions<M>;

/// All requirements above.
template <class M>
concept machine = issuing_machine<M> && machine_with_latencies<M> && machine_with_code<M>;

/// Also has the parts that an estimate of a loop requires: the fields of the machine, which classes may be guarded by a
/// predicate and which may be speculated, and the resource that words of literals use (`num_resources()` if there is
/// none).
template <class M>
concept loop_machine = machine<M> && requires(const M& m, operation_class c, machine_field f) {
  { m.value(f) } -> std::convertible_to<std::uint32_t>;
  { m.is_predicated(c) } -> std::convertible_to<bool>;
  { m.is_speculated(c) } -> std::convertible_to<bool>;
  { m.literal_resource() } -> std::convertible_to<std::size_t>;
};

namespace detail {

MIDEND_REQUIRED(machine_with_channels,
                "a machine needs `std::size_t num_channels() const`, `midend::channel_set "
                "channels(midend::operation_class c) const` and `std::uint32_t occupancy(midend::operation_class c) "
                "const`, or use midend::machine_model, which `midend::read_machine(text).value()` returns");
MIDEND_REQUIRED(machine_with_resources,
                "a machine needs `std::size_t num_resources() const`, `std::uint32_t capacity(std::size_t resource) "
                "const` and `std::uint32_t use(midend::operation_class c, std::size_t resource) const`");
MIDEND_REQUIRED(machine_with_exclusions, "a machine needs `bool excludes(midend::operation_class a, "
                                         "midend::operation_class b) const`, false where both can be issued at once");
MIDEND_REQUIRED(machine_with_latencies,
                "a machine needs `std::uint32_t latency(midend::operation_class c) const`, and `std::uint32_t "
                "latency(midend::operation_class producer, midend::operation_class consumer, midend::dependence_kind "
                "k) const`, or use midend::machine_model");
MIDEND_REQUIRED(
    machine_with_code,
    "a machine needs `std::uint32_t code_bytes(midend::operation_class c) const`, `code_header()`, `code_literal()`, "
    "`code_alignment()` and `longest_instruction()`, each std::uint32_t and const, or use midend::machine_model");
MIDEND_REQUIRED(loop_machine,
                "the machine of a loop needs `std::uint32_t value(midend::machine_field f) const`, `bool "
                "is_predicated(midend::operation_class c) const`, `bool is_speculated(midend::operation_class c) "
                "const` and `std::size_t literal_resource() const`, which returns num_resources() if there is none");

struct issuing_machine_contract
    : contract<machine_with_channels_row, machine_with_resources_row, machine_with_exclusions_row> {};

struct loop_machine_contract
    : contract<issuing_machine_contract, machine_with_latencies_row, machine_with_code_row, loop_machine_row> {};

} // namespace detail

// For signatures: the concept; any other type is an error with a reason.
template <class M>
concept issuing_machine_argument =
    detail::issuing_machine_contract::fits<M> || detail::issuing_machine_contract::explain<M>();
template <class M>
concept machine_with_latencies_argument =
    detail::machine_with_latencies_row::fits<M> || detail::machine_with_latencies_row::explain<M>();
template <class M>
concept machine_with_code_argument =
    detail::machine_with_code_row::fits<M> || detail::machine_with_code_row::explain<M>();
template <class M>
concept loop_machine_argument = detail::loop_machine_contract::fits<M> || detail::loop_machine_contract::explain<M>();

MIDEND_END_NAMESPACE
