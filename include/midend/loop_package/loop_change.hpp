/// `loop_change`: what a member of the loop package proposes to do with a loop.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/extract_loop.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/machine.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/unrolling_form.hpp"
#include "midend/unrolling/unrolling_options.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A change of a loop that a member can apply. It names only nodes, so the member can apply it both to the extracted
/// loop and to the procedure.
struct loop_change {
  std::uint32_t member = 0; ///< its position in the package
  node_id header = no_node; ///< the header of the loop
  node_id node = no_node;   ///< a second node that the member names: a branch, or the header of another loop
  unrolling_form form;      ///< valid for a member that unrolls or peels

  friend constexpr bool operator==(const loop_change&, const loop_change&) = default;
};

/// The loop for which a member proposes changes.
template <loop_machine M> struct loop_question {
  const extracted_loop& loop;               ///< the loop as a program, with the expected trip counts
  const dominators_and_loops_result& found; ///< the flow of this program; its loop 0 is the loop
  const M& machine;
  const unrolling_options& options;

  bool is_innermost() const { return found.loops.num_loops() == 1; }
};

/// A member of the loop package:
///
/// - `name`, for logs;
/// - `propose(question, out)` appends changes of the loop to try, in nodes of its program, most promising first;
/// - `apply(editor, changes, observer, applied)` applies changes of different loops, none of which contains another,
///   and appends 1 or 0 to `applied` for each change: whether it succeeded. `editor` is the program of a trial or the
///   user's editor;
/// - `may_repeat`, optional: `static constexpr bool`, whether it may change a loop and its copies twice, not once.
template <class T>
concept has_loop_member_name = requires {
  { T::name } -> std::convertible_to<const char*>;
};

namespace detail {

/// The loop with this header, or `no_loop` if a change of another loop has left none.
inline loop_id loop_with_header(const loop_forest& loops, node_id header) {
  const loop_id l = loops.innermost_loop(header);
  return l != no_loop && loops.header(l) == header ? l : no_loop;
}

/// Notes for each change that the editor cannot apply it.
inline void note_none(span<const loop_change> changes, flat_array<unsigned char>& applied) {
  for (std::size_t i = 0; i != changes.size(); ++i) {
    applied.push_back(0);
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
