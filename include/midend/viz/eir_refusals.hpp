/// Why a flat program cannot be written in the Elbrus-like IR, in words.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/to_eir.hpp"
#include "midend/viz/value_names.hpp"

#include <string>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// The refusal in one line; the empty text if there is none.
///
///     v7 has 12 bits: there is no such type
template <class Names = numbered_values> std::string to_text(const eir_refusal& r, const Names& names = {}) {
  static_assert(value_names_argument<Names>);
  switch (r.why) {
    using enum eir_refusal::reason;
  case none:
    return {};
  case no_node:
    return "the program has no node";
  case no_type:
    return names.value(r.value) + (r.number == 0 ? " is no number, and neither an address nor a floating-point number"
                                                 : " has " + std::to_string(r.number) + " bits: there is no such type");
  case width:
    return names.value(r.value) + " works on " + std::to_string(r.number) + " bits: there is no such type";
  case mixed_types:
    return names.value(r.value) + " reads a value of another type";
  case operand_not_set:
    return names.value(r.value) + " reads an operand that is not set";
  case unknown_branch:
    return names.node(r.node) + " has several successors, and no value decides which one follows";
  case too_many_cases:
    return names.node(r.node) + " has " + std::to_string(r.number) + " cases; at most " +
           std::to_string(most_eir_cases) + " are allowed";
  }
  return {};
}

} // namespace elbrus

MIDEND_END_NAMESPACE
