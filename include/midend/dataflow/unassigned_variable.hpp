/// `unassigned_variable`: the value of variables before the first assignment.
#pragma once

#include "midend/config.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The value of a variable at the entry.
enum class unassigned_variable : std::uint8_t {
  is_bottom, ///< nothing: reading it is undefined, so a read may yield any convenient value
  is_top,    ///< anything: it is a parameter, or the language initializes it
};

MIDEND_END_NAMESPACE
