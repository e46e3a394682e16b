/// The size of the code of wide instructions.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/machine.hpp"
#include "midend/machine/operation_mix.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

constexpr std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t alignment) {
  return alignment == 0 ? bytes : (bytes + alignment - 1) / alignment * alignment;
}

} // namespace detail

/// What operations and literals take, without headers and rounding.
template <machine_with_code M> constexpr std::uint64_t operation_bytes(const M& m, const operation_mix& mix) {
  std::uint64_t bytes = std::uint64_t{mix.literals} * m.code_literal();
  for (const operation_class c : all_operation_classes()) {
    bytes += std::uint64_t{mix[c]} * m.code_bytes(c);
  }
  return bytes;
}

struct instruction_size {
  std::uint64_t bytes = 0;
  bool fits = true; ///< is not longer than the longest instruction; the channels are not looked at

  friend constexpr bool operator==(const instruction_size&, const instruction_size&) = default;
};

/// One wide instruction with these operations: header, operations, literals, rounded up to the alignment.
template <machine_with_code M> constexpr instruction_size wide_instruction_size(const M& m, const operation_mix& mix) {
  const std::uint64_t bytes = detail::rounded_up(m.code_header() + operation_bytes(m, mix), m.code_alignment());
  return {bytes, m.longest_instruction() == 0 || bytes <= m.longest_instruction()};
}

/// The least bytes that these operations take in `instructions` wide instructions or as many more as they need: each is
/// a multiple of the alignment, but which operations go together is not known yet. For a pipelined body the
/// instructions are the cycles between two iterations. Prologue and epilogue come on top.
template <machine_with_code M>
constexpr std::uint64_t least_code_bytes(const M& m, const operation_mix& mix, std::uint64_t instructions) {
  const std::uint64_t of_operations = operation_bytes(m, mix);
  if (m.longest_instruction() > m.code_header()) {
    const std::uint64_t room = m.longest_instruction() - m.code_header();
    const std::uint64_t needed = (of_operations + room - 1) / room;
    instructions = needed > instructions ? needed : instructions;
  }
  const std::uint64_t together = detail::rounded_up(instructions * m.code_header() + of_operations, m.code_alignment());
  const std::uint64_t empty = instructions * detail::rounded_up(m.code_header(), m.code_alignment());
  return together > empty ? together : empty;
}

MIDEND_END_NAMESPACE
