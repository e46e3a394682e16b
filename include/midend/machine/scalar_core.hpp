/// A small processor that issues one operation per cycle, in order.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/machine.hpp"
#include "midend/machine/machine_model.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {

constexpr machine_model make_scalar_core() {
  using enum operation_class;
  using enum class_field;
  constexpr provenance assumption{};
  machine_builder m("scalar_core");
  m.channels({"issue"}, assumption);
  for (const operation_class c : all_operation_classes()) {
    if (c == array_read || c == branch_prepare || c == combined_alu || c == fused_multiply_add) {
      continue; // there is no such instruction
    }
    const bool divides = c == integer_divide || c == fp_divide_single || c == fp_divide_double || c == fp_sqrt_single ||
                         c == fp_sqrt_double;
    const bool floating = c == fp_add || c == fp_multiply || c == convert_to_integer || c == convert_to_fp;
    m.set({c}, channels, 1, assumption)
        .set({c}, latency,
             divides    ? 20
             : floating ? 4
                        : 1,
             assumption)
        .set({c}, occupancy, divides ? 20 : 1, assumption)
        .set({c}, code_bytes, 4, assumption);
  }
  m.set({integer_multiply}, latency, 3, assumption)
      .set({load}, latency, 2, assumption)
      .set(machine_field::general_registers, 31, assumption)
      .set(machine_field::branches_per_cycle, 1, assumption)
      .set(machine_field::unprepared_branch_penalty, 2, assumption)
      .set(machine_field::code_alignment, 4, assumption)
      .set(machine_field::longest_instruction, 4, assumption)
      .set(machine_field::instruction_cache, 16 * 1024, assumption)
      .set(machine_field::data_cache, 16 * 1024, assumption)
      .set(machine_field::load_latency_first_level, 2, assumption);
  return m.model();
}

} // namespace detail

namespace detail::compiled {

machine_model scalar_core();

} // namespace detail::compiled

/// A textbook five-stage pipeline: a divider that is not pipelined, predicates in general registers, instructions of 4
/// bytes, no hardware loop. Every number is assumed. It serves for comparison, and as an example of a machine that is
/// not wide.
constexpr machine_model scalar_core() {
  MIDEND_RETURN_COMPILED(detail::compiled::scalar_core());
  return detail::make_scalar_core();
}

#if defined(MIDEND_COMPILED_SOURCE)

namespace detail::compiled {

machine_model scalar_core() {
  return make_scalar_core();
}

} // namespace detail::compiled

#endif

MIDEND_END_NAMESPACE
