/// `diagnostic`: an error in a program, with its place.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/records.hpp"

#include <string>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// What is wrong, and where. The message is a phrase without the place, the word `error` and a full stop. The location
/// is 0:0 where there is none: in a procedure that was not read from a file.
struct diagnostic {
  source_location location;
  std::string message;

  friend bool operator==(const diagnostic&, const diagnostic&) = default;
};

/// The order of places; at one place, that of the messages.
inline bool is_before(const diagnostic& a, const diagnostic& b) {
  if (a.location.line != b.location.line) {
    return a.location.line < b.location.line;
  }
  return a.location.column != b.location.column ? a.location.column < b.location.column : a.message < b.message;
}

} // namespace elbrus

MIDEND_END_NAMESPACE
