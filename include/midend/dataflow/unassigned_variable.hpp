/// What variables hold before anything is assigned to them.
#pragma once

#include "midend/config.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What a variable holds that nothing has been assigned to, at the entry.
enum class unassigned_variable : std::uint8_t {
  is_bottom, ///< nothing: to read it is undefined, so it may be taken for whatever is convenient
  is_top,    ///< anything: it is a parameter, or the language gives it a value
};

MIDEND_END_NAMESPACE
