/// `unassigned_variable`: what variables hold before anything is assigned to them.
#pragma once

#include "midend/config.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What a variable holds at the entry.
enum class unassigned_variable : std::uint8_t {
  is_bottom, ///< nothing: reading it is undefined, so a read may yield whatever is convenient
  is_top,    ///< anything: it is a parameter, or the language initializes it
};

MIDEND_END_NAMESPACE
