/// `equal`: whether two programs are the same, whatever their parts are numbered.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/comparison.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/program.hpp"

#include <cstddef>
#include <string>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// What is different in two procedures, in words; empty if nothing is.
///
/// They are equal if they are the same in text: parameters, variables, nodes and operations in the same order, with the
/// same names, types, flags, operands, targets, and the same profile bit for bit. What has no name equals what has
/// none; with `names_compared::no`, names of values and nodes make no difference at all. Numbers of values and edges
/// do not count, nor do what was erased, literals that nobody reads, the order of edges into a node, and places in
/// files.
///
/// Requires that both are sound: `verify` finds nothing wrong with their structure. Linear in the size of both.
inline std::string difference(const procedure& a, const procedure& b, names_compared names = names_compared::yes) {
  return detail::procedure_comparison(a, b, names).run();
}

/// What is different in two programs: procedures are compared in their order.
inline std::string difference(const program& a, const program& b, names_compared names = names_compared::yes) {
  if (a.procedures.size() != b.procedures.size()) {
    return "the number of procedures: " + std::to_string(a.procedures.size()) + " and " +
           std::to_string(b.procedures.size());
  }
  for (std::size_t i = 0; i != a.procedures.size(); ++i) {
    if (std::string found = difference(a.procedures[i], b.procedures[i], names); !found.empty()) {
      return found;
    }
  }
  return {};
}

/// Whether two procedures, or two programs, do not differ in the sense of `difference`.
inline bool equal(const procedure& a, const procedure& b, names_compared names = names_compared::yes) {
  return difference(a, b, names).empty();
}

/// The same of all their procedures.
inline bool equal(const program& a, const program& b, names_compared names = names_compared::yes) {
  return difference(a, b, names).empty();
}

} // namespace elbrus

MIDEND_END_NAMESPACE
