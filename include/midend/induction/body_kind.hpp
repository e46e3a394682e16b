/// `body_kind`: what a value is in one iteration of a loop, or in another piece of a program that is read as a whole.
#pragma once

#include "midend/config.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A value of a loop body: dense, `0 … num_values() - 1`.
using body_id = std::uint32_t;

inline constexpr body_id no_body_value = static_cast<body_id>(-1);

/// What a value of a loop body is.
enum class body_kind : std::uint8_t {
  phi,       ///< of the header. Operands: its value on entry, its value in the next iteration
  constant,  ///< the number `bits`
  invariant, ///< from before the loop, its value is unknown
  join,      ///< phi of another block. Operands: one per edge into the block, in the order of `in_edges`
  pure,      ///< computes `info` from its operands and has no other effect
  load,      ///< reads `access`
  store,     ///< writes `access`
  call       ///< may do anything: no access is moved across it
};

MIDEND_END_NAMESPACE
