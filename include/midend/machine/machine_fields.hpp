/// The fields of a machine model: what there is to know of a machine as a whole, and of each class of operations.
#pragma once

#include "midend/config.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Of the machine. Sizes are bytes, times are cycles, and 0 stands for "none" unless a field says otherwise.
enum class machine_field : std::uint8_t {
  general_registers,         ///< that code can name
  rotating_registers,        ///< of those, how many can rotate with the iterations of a loop
  rotation_step,             ///< by how many names they move in an iteration
  predicate_registers,       ///< one-bit registers
  rotating_predicates,       ///< of those, how many can rotate
  hardware_loop_counter,     ///< 1: counting the iterations takes no operation
  pipeline_stages,           ///< most iterations in flight in a pipelined loop
  longest_pipelined_body,    ///< most operations of a loop that is pipelined; 0: no limit
  shortest_pipelined_trip,   ///< least passes of a loop that is worth pipelining
  loop_setup,                ///< before the first iteration of a pipelined loop
  branch_preparation,        ///< from preparing a branch to taking it
  branches_per_cycle,        ///< taken or not
  loop_branch_penalty,       ///< of the branch back, prepared
  unprepared_branch_penalty, ///< of a taken branch that was not prepared, or not predicted
  code_alignment,            ///< a wide instruction is a multiple of it
  code_header,               ///< of each wide instruction
  code_literal,              ///< of 32 bits of literal
  longest_instruction,       ///< of a wide instruction; 0: no limit
  free_nops,                 ///< empty cycles behind a wide instruction that take no code
  instruction_cache,         ///< 0: unknown
  instruction_cache_line,    ///< 0: unknown
  loop_buffer,               ///< a loop of so many bytes runs without fetching; 0: none or unknown
  data_cache,                ///< of the first level
  second_level_cache,        ///< of the second level
  load_latency_first_level,  ///< the latency of loads that the table has
  load_latency_second_level, ///< as the next three, where a load misses
  load_latency_third_level,  ///<
  load_latency_memory,       ///<
  disambiguation_entries     ///< loads moved above stores that the hardware watches
};

inline constexpr std::size_t num_machine_fields = 29;

/// Of a class of operations.
enum class class_field : std::uint8_t {
  channels,   ///< bit c: can be issued on channel c; 0: takes no channel
  latency,    ///< until the result can be used
  occupancy,  ///< how long it keeps its channel from starting another
  code_bytes, ///< within a wide instruction
  speculated, ///< 1: may run before it is known to be wanted
  predicated  ///< 1: may depend on a predicate
};

inline constexpr std::size_t num_class_fields = 6;

namespace detail {

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

inline constexpr std::array<const char*, num_class_fields> class_field_names = {
    "channels", "latency", "occupancy", "code_bytes", "speculated", "predicated",
};

} // namespace detail

/// The enumerator's name, which is also that of machine files.
constexpr const char* name_of(machine_field f) {
  return detail::machine_field_names[static_cast<std::size_t>(f)];
}

/// The enumerator's name, which is also that of machine files.
constexpr const char* name_of(class_field f) {
  return detail::class_field_names[static_cast<std::size_t>(f)];
}

MIDEND_END_NAMESPACE
