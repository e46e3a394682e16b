/// The size of the code of wide instructions.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

constexpr std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t alignment) {
  return alignment == 0 ? bytes : (bytes + alignment - 1) / alignment * alignment;
}

} // namespace detail

/// Bytes of the operations and literals, without headers and rounding.
template <machine_with_code_argument M> constexpr std::uint64_t operation_bytes(const M& m, const operation_mix& mix) {
  std::uint64_t bytes = std::uint64_t{mix.literals} * m.code_literal();
  for (const operation_class c : all_operation_classes()) {
    bytes += std::uint64_t{mix[c]} * m.code_bytes(c);
  }
  return bytes;
}

struct instruction_size {
  std::uint64_t bytes = 0;
  bool fits = true; ///< the size is at most that of the longest instruction; channels are not checked

  friend constexpr bool operator==(const instruction_size&, const instruction_size&) = default;
};

/// The size of one wide instruction with these operations: header, operations and literals, rounded up to the
/// alignment.
template <machine_with_code_argument M>
constexpr instruction_size wide_instruction_size(const M& m, const operation_mix& mix) {
  const std::uint64_t bytes = detail::rounded_up(m.code_header() + operation_bytes(m, mix), m.code_alignment());
  return {bytes, m.longest_instruction() == 0 || bytes <= m.longest_instruction()};
}

/// A lower bound on the bytes of these operations in `instructions` wide instructions, or in as many as they need if
/// that is more: each instruction is a multiple of the alignment, but which operations share one is not known yet. For
/// a pipelined body, `instructions` is the number of cycles between two iterations; prologue and epilogue are not
/// included.
template <machine_with_code_argument M>
constexpr std::uint64_t least_code_bytes(const M& m, const operation_mix& mix, std::uint64_t instructions) {
  const std::uint64_t contents = operation_bytes(m, mix);
  if (m.longest_instruction() > m.code_header()) {
    const std::uint64_t room = m.longest_instruction() - m.code_header();
    const std::uint64_t needed = (contents + room - 1) / room;
    instructions = needed > instructions ? needed : instructions;
  }
  const std::uint64_t filled = detail::rounded_up(instructions * m.code_header() + contents, m.code_alignment());
  const std::uint64_t empty = instructions * detail::rounded_up(m.code_header(), m.code_alignment());
  return filled > empty ? filled : empty;
}

MIDEND_END_NAMESPACE
