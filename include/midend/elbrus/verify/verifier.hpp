/// `verify`: everything that is wrong with a program.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/error_list.hpp"
#include "midend/elbrus/diagnostic.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/program.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/verify/detail/verify_calls.hpp"
#include "midend/elbrus/verify/detail/verify_dominance.hpp"
#include "midend/elbrus/verify/detail/verify_names.hpp"
#include "midend/elbrus/verify/detail/verify_nodes.hpp"
#include "midend/elbrus/verify/detail/verify_operations.hpp"
#include "midend/elbrus/verify/detail/verify_structure.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

namespace detail {

/// Appends the errors of one procedure. False if its arrays disagree, so that it must not be looked at any further.
inline bool verify_one(const procedure& p, error_list& errors) {
  structure_check(p, errors).run();
  if (!errors.empty()) {
    return false;
  }
  name_check(p, errors).run();
  operation_check(p, errors).run();
  node_check(p, errors).run();
  dominance_check(p, errors).run();
  return true;
}

/// Where an error stands in the file, and among all that were found.
struct place_of_error {
  std::uint32_t line;
  std::uint32_t column;
  std::size_t number;

  friend auto operator<=>(const place_of_error&, const place_of_error&) = default;
};

/// By place; what has none, and what is at the same place, keeps the order in which it was found.
inline void sort_by_place(std::vector<diagnostic>& all, std::size_t first) {
  std::vector<place_of_error> places;
  for (std::size_t i = first; i != all.size(); ++i) {
    places.push_back({all[i].location.line, all[i].location.column, i});
  }
  std::sort(places.begin(), places.end());
  std::vector<diagnostic> sorted;
  for (const place_of_error& place : places) {
    sorted.push_back(std::move(all[place.number]));
  }
  std::move(sorted.begin(), sorted.end(), all.begin() + static_cast<std::ptrdiff_t>(first));
}

} // namespace detail

/// All errors of a procedure; none for one that is well formed, and only then do interpreter, analyses and
/// transformations promise anything. It serves after a transformation as well as after parsing.
///
/// - **Structure**: lists of operations, edges and users agree with each other. If they do not, nothing else is said.
/// - **Names** are identifiers, each for one value, variable or node. Parameters and variables need one and a type.
/// - **Types** of results and operands are those that the operation has; an operand is there and has a result. A `ret`
///   gives what the procedure gives. The shift of `shladd` is a literal.
/// - **Guards** are `i1` and not on phis or terminators; a result that is guarded, and nothing else, has an otherwise.
/// - **Flags** stand where they mean something: `nsw` on add, sub, mul, neg, shl and shladd; `assoc` on what contains
///   an addition, multiplication, logic operation, minimum or maximum; `volatile` on loads and stores; `noreturn` on
///   calls; `spec` on what has no side effects, which excludes volatile loads.
/// - **Nodes**: phis first, one terminator, last. The entry has neither predecessors nor phis. Phis have an input for
///   each edge, which is no variable. Terminators have the edges they need, switches different cases that fit the type.
/// - **Probabilities** are at most 1. That those of a node add up to 1 is not asked: a profile is a guess, and
///   transformations let it drift.
/// - **Dominance**: the definition of a value dominates its uses; a phi reads at the end of the source of the edge. In
///   nodes that the entry does not reach nothing is asked, and neither is of inputs of phis for edges from there.
///
/// Whether variables are written before they are read is no error here; see `elbrus/initialization.hpp`.
///
/// Returns them by place in the file, or, where there is none, in the order of nodes and operations, check by check. A
/// message about a procedure that comes from no file says where it is. O(values + operands + nodes + edges) beside the
/// dominator tree and the sorting of errors; no recursion.
inline std::vector<diagnostic> verify(const procedure& p) {
  std::vector<diagnostic> all;
  detail::error_list errors(p, all);
  detail::verify_one(p, errors);
  detail::sort_by_place(all, 0);
  return all;
}

/// All errors of all procedures, in their order. On top of the above, procedures have names of their own, and calls
/// agree with the procedure of that name in arguments and result, if there is one; a call may ignore the result.
inline std::vector<diagnostic> verify(const program& all) {
  std::vector<diagnostic> errors_of_all;
  const detail::call_check calls(all);
  for (std::uint32_t i = 0; i != all.procedures.size(); ++i) {
    const std::size_t first = errors_of_all.size();
    detail::error_list errors(all.procedures[i], errors_of_all);
    if (detail::verify_one(all.procedures[i], errors)) {
      calls.run(i, errors);
    }
    detail::sort_by_place(errors_of_all, first);
  }
  return errors_of_all;
}

} // namespace elbrus

MIDEND_END_NAMESPACE
