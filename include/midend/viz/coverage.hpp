/// `ir_coverage` as text.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/coverage.hpp"

#include <cstdint>
#include <string>

MIDEND_BEGIN_NAMESPACE

/// The understood operations, and the others, in one line without a line break.
///
///     12 of 20 operations understood; unknown: 3 of memory, 2 calls, 3 others
inline std::string to_text(const ir_coverage& c) {
  std::string out = std::to_string(c.understood()) + " of " + std::to_string(c.operations()) + " operations understood";
  const char* before = "; unknown: ";
  const auto say = [&](std::uint64_t count, const char* one, const char* many) {
    if (count != 0) {
      out += before + std::to_string(count) + (count == 1 ? one : many);
      before = ", ";
    }
  };
  say(c.memory, " of memory", " of memory");
  say(c.calls, " call", " calls");
  say(c.guarded, " guarded", " guarded");
  say(c.opaque, " opaque", " opaque");
  say(c.of_constants, " of constants", " of constants");
  say(c.of_variables, " other", " others");
  return out;
}

MIDEND_END_NAMESPACE
