/// `machine_value`: a number of a machine model together with where it comes from.
#pragma once

#include "midend/config.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// How far a number can be trusted.
enum class confidence : std::uint8_t {
  unknown, ///< nobody has said: the number is a default that claims nothing
  assumed, ///< chosen without a source
  low,     ///< inferred
  medium,  ///< one good source
  high     ///< a primary source, or two independent ones that agree
};

/// Sources by their position in the table of the machine, as bits.
using source_set = std::uint16_t;

/// One cell of a machine model.
struct machine_value {
  std::uint32_t value = 0;
  source_set sources = 0;
  confidence trust = confidence::unknown;

  friend constexpr bool operator==(const machine_value&, const machine_value&) = default;
};

/// Whether the cell claims something and names no source for it: what is assumed, and what was forgotten.
constexpr bool lacks_source(const machine_value& v) {
  return v.trust != confidence::unknown && v.sources == 0;
}

MIDEND_END_NAMESPACE
