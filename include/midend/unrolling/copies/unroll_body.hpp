/// `unroll_body`: evaluates several copies of a loop body together, and says what is left of them.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/unrolling/copies/detail/unroller.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <cstdint>
#include <optional>
#include <span>

MIDEND_BEGIN_NAMESPACE

/// Memory for bodies that are unrolled one after the other.
class unroll_body_workspace {
public:
  /// For the algorithm; not part of the interface.
  detail::unroll_memory memory_;
};

/// What is left of `request.copies` copies of the body that follow each other, refilling `out`: each expression once,
/// numbers folded, branches decided where that is possible, loads shared and stores forwarded.
///
/// Copy after copy, in topological order of the blocks, each value is put in terms of those at the top of the first
/// copy. That is value numbering (B. Alpern, M. Wegman, F. K. Zadeck, "Detecting equality of variables in programs",
/// POPL 1988, in the form of a hash table that grows along the way) with constant folding (`evaluate`, and `folder` for
/// operations without a word: `folder(v, numbers)` gives the number that value v of the body is, or nothing), where
///
/// - values are base and literal: what copies add to a counter costs nothing until the sum itself is wanted;
/// - counters have ranges, from trip count and promises, and a residue modulo what a pass moves them by, so that
///   quotients, residues and tests of them are decided or shared (P. Granger, "Static analysis of arithmetical
///   congruences", International Journal of Computer Mathematics 30, 1989, for one variable). A counter that may wrap
///   has a residue modulo a power of 2 only;
/// - branches inside the body become predicates, joins `select` (J. R. Allen, K. Kennedy, C. Porterfield, J. Warren,
///   "Conversion of control dependence to data dependence", POPL 1983). Blocks that are passed whenever another one is
///   have its predicate. Operations without an effect have none: they run whether they are wanted or not;
/// - an exit is a branch on its predicate; what follows it is right if it is not taken. Where control surely leaves the
///   copies end, and a straight line has no exit there.
///
/// What is said of a copy holds whenever that copy runs. Programs that break a promise or whose results depend on an
/// operation without one (`evaluate`) have no meaning; such operations are neither folded nor moved to where they would
/// be wanted.
///
/// Requires a body as `loop_body` says, counters that are of it (`count_iterations`), and at least one copy; a
/// `begins_at_entry` line begins with iteration 0. Nodes come in an order in which operands come first, those that
/// nobody needs among them; savings in the order of copies. Blocks that no edge leads to and what is dead by folding
/// are left out, parallel edges are edges each. Allocates nothing once workspace and result have seen bodies as large.
/// O(1) expected for each value of a copy; O(s) more for a load behind s stores that another copy has loaded, O(e²) for
/// a join of e edges, at worst.
template <class Folder>
constexpr void unroll_body(const loop_body& body, const loop_counters& counters, const unroll_request& request,
                           const Folder& folder, unroll_body_workspace& workspace, unrolled_body& out) {
  MIDEND_ASSERT(request.copies != 0, "at least one copy");
  MIDEND_ASSERT(!body.blocks.empty(), "a body with a header");
  out.clear();
  detail::unroller<Folder>(body, counters, request, folder, workspace.memory_, out).run();
}

/// The same if nobody knows what operations without a word compute.
constexpr void unroll_body(const loop_body& body, const loop_counters& counters, const unroll_request& request,
                           unroll_body_workspace& workspace, unrolled_body& out) {
  const auto nothing = [](body_id, std::span<const std::uint64_t>) { return std::optional<std::uint64_t>(); };
  unroll_body(body, counters, request, nothing, workspace, out);
}

/// What is left of several copies of a body. See above.
constexpr unrolled_body unroll_body(const loop_body& body, const loop_counters& counters,
                                    const unroll_request& request) {
  unroll_body_workspace workspace;
  unrolled_body out;
  unroll_body(body, counters, request, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
