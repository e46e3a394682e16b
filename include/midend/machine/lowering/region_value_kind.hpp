/// `region_value_kind`: the kind of a value of a region.
#pragma once

#include "midend/config.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The kind of a value in one iteration of a loop, or in another piece of a program that is read as a whole.
enum class region_value_kind : std::uint8_t {
  phi,       ///< of the header
  constant,  ///< the number `bits`
  invariant, ///< from before the region, its value is unknown
  pure,      ///< computes `info` from its operands and has no other effect; a phi of another node is a `select`
  load,      ///< reads `access`
  store,     ///< writes `access`
  call       ///< may do anything: no access is moved across it
};

MIDEND_END_NAMESPACE
