/// `program`: the procedures of a file.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// Procedures, in the order of the file. A callee that is not among them is a host function.
struct program {
  std::vector<procedure> procedures;

  /// The procedure with this name, or null. Linear in their number.
  const procedure* find(std::string_view name) const {
    for (const procedure& p : procedures) {
      if (p.name() == name) {
        return &p;
      }
    }
    return nullptr;
  }
};

} // namespace elbrus

MIDEND_END_NAMESPACE
