/// `check_lattice`: does a lattice keep the laws?
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/lattice_checker.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/lattice_elements.hpp"
#include "midend/dataflow/lattice_laws.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

/// How far `check_lattice` goes.
struct lattice_check_limits {
  std::size_t cases = std::size_t{1} << 22; ///< of one law: all pairs or triples if they are no more, else so many
  std::size_t chain = 64;                   ///< changes that a chain of widenings or narrowings may take
};

/// Tests the laws of lattices (`lattice_law`) on the elements of a list: all levels that `l` has the members for. It
/// proves them for a small lattice, if the list has all its elements; on a large one it looks for counterexamples.
///
///     const midend::signed_interval l(4);
///     const auto report = midend::check_lattice(l, midend::all_intervals(l));
///     report.ok(), report.violation(midend::lattice_level::join), report.height, …
///
/// A law of one, two or three elements is tried on all of them, or all pairs or triples; if these are more than
/// `limits.cases`, on so many that look random and are the same at each call. Chains of widenings (narrowings) are
/// driven by the element of the list that moves them least. Of each level the first law that is broken is reported, in
/// the order of `lattice_law`. Its elements are replaced one by one, as long as it stays broken, by those that come
/// earlier in the list, where the simplest should stand.
///
/// The list must not be empty; it need not have all elements, nor only different ones, nor what its elements join to.
/// Laws with a condition (x ≤ z and y ≤ z) are tested where it holds: a list should have elements that are comparable.
///
/// O(laws · cases) operations of `l`; for chains and the height, which are looked for among the first 1,024 elements,
/// O(1024² · chain).
template <lattice L, element_list<L> List>
constexpr lattice_report<element_of<L>> check_lattice(const L& l, const List& elements,
                                                      lattice_check_limits limits = {}) {
  MIDEND_ASSERT(elements.size() != 0, "a list with elements");
  return detail::lattice_checker<L, List>(l, elements, limits.cases, limits.chain).run();
}

MIDEND_END_NAMESPACE
