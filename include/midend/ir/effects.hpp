/// The effects rung of the IR contract: the effects of an operation besides computing its value, and which changes of
/// it are allowed. On top of the SSA rung:
///
///     midend::effect_kind effect(midend::value_id v) const;   // nothing, reads memory, writes memory, unknown
///     bool may_trap(midend::value_id v) const;                // for some operands or states it has no result
///     bool may_not_return(midend::value_id v) const;          // control may not reach the next operation
///     bool may_duplicate(midend::value_id v) const;           // a program may contain two copies of it
///     bool is_volatile(midend::value_id v) const;             // must run exactly as often as written, in this order
///     bool is_terminator(midend::value_id v) const;           // it ends its node: a branch, a jump, a return
///
/// None of them is called for phis, parameters and constants. Each answers one question. A transformation asks the
/// question that fits its change; a checker asks the members again.
///
/// - `effect`: a call whose callee is unknown is `unknown`. A trap is not an effect; see `may_trap`. Without an effect,
///   the operation changes nothing else; for its result, see `is_repeatable`.
/// - `may_trap`: *may it run where it did not?* Not if it then may make the program undefined or end it: a division, a
///   load, a shift by an unknown amount, an addition that promises not to overflow, a slot on the stack. It is the
///   opposite of what LLVM calls speculatable. `drop_promises` of the editing rung may make the operation harmless.
/// - `may_not_return`: a call that may end the program, throw or loop. A transformation moves no trap and no effect
///   across it.
/// - `may_duplicate`: *may the program contain two copies of it?* Not if it must stay unique: a call that the source
///   forbids to copy, a label whose address is taken. Regions with such operations are not copied.
/// - `is_volatile`: *may it run more or less often?* Not if this is true.
///
/// - `is_terminator`: false for all values if `values(n)` has no terminators. A branch or return that is not named
///   would be removed as dead code. Where the rung is not required, the member is optional; without it no value is one.
///
/// These members are optional:
///
///     bool is_removable(midend::value_id v) const;              // may it go if nobody reads it?
///             bool is_repeatable(midend::value_id v) const; // may it give an equal result again?
///     bool is_convergent(midend::value_id v) const;             // does it matter which others run it together?
///     bool may_trap_without_promises(midend::value_id v) const; // may it trap even after `drop_promises`?
///     bool accepts_operations(midend::node_id n) const;         // may others be put before the end of this node?
///     bool loop_ends(midend::node_id header) const;             // does the language say that this loop ends?
///
/// - `is_removable`: without it, each operation that writes nothing, returns, is not volatile and ends no node.
/// - `is_repeatable`: executed again with equal operands and equal contents of memory, it may keep the result that it
///   gave before. False for a slot on the stack, which is another one each time, for a read of a clock, and for a write
///   of a variable. True for a `freeze`, which may repeat its choice. Asked only for operations whose effect is `none`
///   or `reads`. Without it, repeatable are operations of the vocabulary, those with an `identity`, and reads of memory
///   at a place that `memory` names. So without more information, floating-point operations stay in their loops.
/// - `is_convergent`: its result depends on the threads that run it together (`convergent` of LLVM, a ballot, a
///   barrier). It may run neither under more conditions nor under fewer. So it does not move to another node, and is
///   neither merged nor copied. Without it, nothing is convergent.
/// - `may_trap_without_promises`: without it, dropping promises makes no operation harmless.
/// - `accepts_operations`: an operation of another node may be put before the terminator of this one. Not if the
///   terminator does more than to branch: an `invoke`, the end of a funclet. Without it, every node accepts them.
/// - `loop_ends`: a run has no meaning if it stays in the natural loop with this header for ever and finally has no
///   effects there (calls, volatile accesses), as in C and C++ for most loops. Without it, no loop has this promise.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/detail/contract.hpp"

#include <concepts>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The effect of an operation besides computing a value.
enum class effect_kind : std::uint8_t {
  none,
  reads,
  writes,
  unknown ///< a call: it may do anything
};

/// `effect(v)` says what an operation does besides computing a value.
template <class IR>
concept has_effect = requires(const IR& ir, value_id v) {
  { ir.effect(v) } -> std::same_as<effect_kind>;
};

/// `may_trap(v)` says whether an operation may have no result.
template <class IR>
concept has_may_trap = requires(const IR& ir, value_id v) {
  { ir.may_trap(v) } -> truth_value;
};

/// `may_not_return(v)` says whether control may not pass an operation.
template <class IR>
concept has_may_not_return = requires(const IR& ir, value_id v) {
  { ir.may_not_return(v) } -> truth_value;
};

/// `may_duplicate(v)` says whether an operation may be copied.
template <class IR>
concept has_may_duplicate = requires(const IR& ir, value_id v) {
  { ir.may_duplicate(v) } -> truth_value;
};

/// `is_volatile(v)` says whether an operation must run exactly as often as written.
template <class IR>
concept has_is_volatile = requires(const IR& ir, value_id v) {
  { ir.is_volatile(v) } -> truth_value;
};

/// `is_terminator(v)` says whether a value ends its node.
template <class IR>
concept has_is_terminator = requires(const IR& ir, value_id v) {
  { ir.is_terminator(v) } -> truth_value;
};

/// `may_trap_without_promises(v)` says whether an operation may trap after `drop_promises`. Optional.
template <class IR>
concept has_may_trap_without_promises = requires(const IR& ir, value_id v) {
  { ir.may_trap_without_promises(v) } -> truth_value;
};

/// `is_removable(v)` says whether an operation that nobody reads can go. Optional.
template <class IR>
concept has_is_removable = requires(const IR& ir, value_id v) {
  { ir.is_removable(v) } -> truth_value;
};

/// `is_repeatable(v)` says whether an operation may give an equal result when it runs again. Optional.
template <class IR>
concept has_is_repeatable = requires(const IR& ir, value_id v) {
  { ir.is_repeatable(v) } -> truth_value;
};

/// `is_convergent(v)` says whether the threads that run an operation together matter. Optional.
template <class IR>
concept has_is_convergent = requires(const IR& ir, value_id v) {
  { ir.is_convergent(v) } -> truth_value;
};

/// `accepts_operations(n)` says whether operations may be put before the terminator of a node. Optional.
template <class IR>
concept has_accepts_operations = requires(const IR& ir, node_id n) {
  { ir.accepts_operations(n) } -> truth_value;
};

/// `loop_ends(header)` says whether a loop without effects may be taken to end. Optional.
template <class IR>
concept has_loop_ends = requires(const IR& ir, node_id n) {
  { ir.loop_ends(n) } -> truth_value;
};

/// The effects rung.
template <class IR>
concept effect_ir = ssa_ir<IR> && has_effect<IR> && has_may_trap<IR> && has_may_not_return<IR> &&
                    has_may_duplicate<IR> && has_is_volatile<IR> && has_is_terminator<IR>;

namespace detail {

MIDEND_OPTIONAL_MEMBER(may_duplicate, has_may_duplicate, it.may_duplicate(value_id()), "of an IR would never be called",
                       "`bool may_duplicate(midend::value_id v) const`");
MIDEND_OPTIONAL_MEMBER(is_terminator, has_is_terminator, it.is_terminator(value_id()), "of an IR would never be called",
                       "`bool is_terminator(midend::value_id v) const`");
MIDEND_OPTIONAL_MEMBER(may_trap_without_promises, has_may_trap_without_promises,
                       it.may_trap_without_promises(value_id()),
                       "of an IR would never be called, and `may_trap` be asked instead",
                       "`bool may_trap_without_promises(midend::value_id v) const`");
MIDEND_OPTIONAL_MEMBER(loop_ends, has_loop_ends, it.loop_ends(node_id()),
                       "of an IR would never be called, and no loop be taken to end",
                       "`bool loop_ends(midend::node_id header) const`");
MIDEND_OPTIONAL_MEMBER(is_removable, has_is_removable, it.is_removable(value_id()), "of an IR would never be called",
                       "`bool is_removable(midend::value_id v) const`");
MIDEND_OPTIONAL_MEMBER(is_repeatable, has_is_repeatable, it.is_repeatable(value_id()), "of an IR would never be called",
                       "`bool is_repeatable(midend::value_id v) const`");
MIDEND_OPTIONAL_MEMBER(is_convergent, has_is_convergent, it.is_convergent(value_id()),
                       "of an IR would never be called, and nothing be taken to be convergent",
                       "`bool is_convergent(midend::value_id v) const`");
MIDEND_OPTIONAL_MEMBER(accepts_operations, has_accepts_operations, it.accepts_operations(node_id()),
                       "of an IR would never be called, and operations be put into every node",
                       "`bool accepts_operations(midend::node_id n) const`");

/// The optional members of the rung. Where the rung is not required, `may_duplicate` and `is_terminator` are among
/// them.
struct optional_effects : contract<may_duplicate_row, is_terminator_row, may_trap_without_promises_row, loop_ends_row,
                                   is_removable_row, is_repeatable_row, is_convergent_row, accepts_operations_row> {};

MIDEND_REQUIRED(has_effect, "an IR needs `midend::effect_kind effect(midend::value_id v) const`");
MIDEND_REQUIRED(has_may_trap, "an IR with effects needs `bool may_trap(midend::value_id v) const`");
MIDEND_REQUIRED(has_may_not_return, "an IR with effects needs `bool may_not_return(midend::value_id v) const`");
MIDEND_REQUIRED(has_may_duplicate, "an IR with effects needs `bool may_duplicate(midend::value_id v) const`");
MIDEND_REQUIRED(has_is_volatile, "an IR with effects needs `bool is_volatile(midend::value_id v) const`");
MIDEND_REQUIRED(has_is_terminator,
                "an IR with effects needs `bool is_terminator(midend::value_id v) const`, false for all values if "
                "`values(n)` has no terminators");

// A member that does not fit is told from one that is missing, so the optional rows of both come first.
struct effect_contract : contract<ssa_contract, has_effect_row, has_may_trap_row, has_may_not_return_row,
                                  has_is_volatile_row, optional_effects, has_may_duplicate_row, has_is_terminator_row> {
};

} // namespace detail

/// What functions take: an `effect_ir` with optional members that fit; otherwise an error.
template <class IR>
concept effect_ir_argument =
    (effect_ir<IR> && detail::effect_contract::fits<IR>) || detail::effect_contract::explain<IR>();

/// Whether `v` ends its node.
template <class IR> constexpr bool is_terminator([[maybe_unused]] const IR& ir, [[maybe_unused]] value_id v) {
  if constexpr (has_is_terminator<IR>) {
    return static_cast<bool>(ir.is_terminator(v));
  } else {
    return false;
  }
}

/// Whether `v` may trap after its promises were dropped.
template <class IR> constexpr bool may_trap_without_promises(const IR& ir, value_id v) {
  if constexpr (has_may_trap_without_promises<IR>) {
    return static_cast<bool>(ir.may_trap_without_promises(v));
  } else {
    return static_cast<bool>(ir.may_trap(v));
  }
}

/// Whether the natural loop with this header may be taken to end.
template <class IR> constexpr bool loop_ends([[maybe_unused]] const IR& ir, [[maybe_unused]] node_id header) {
  if constexpr (has_loop_ends<IR>) {
    return static_cast<bool>(ir.loop_ends(header));
  } else {
    return false;
  }
}

/// Whether an operation without readers can be removed: it writes nothing, and control passes it. Removing a trap is
/// allowed: where the original program traps, the new one may have any behaviour. The IR may know better
/// (`is_removable`).
template <class IR> constexpr bool is_removable(const IR& ir, value_id v) {
  if constexpr (has_is_removable<IR>) {
    return static_cast<bool>(ir.is_removable(v));
  } else {
    const effect_kind effect = ir.effect(v);
    return (effect == effect_kind::none || effect == effect_kind::reads) && !ir.may_not_return(v) &&
           !ir.is_volatile(v) && !is_terminator(ir, v);
  }
}

namespace detail {

template <class IR>
concept names_operations = requires(const IR& ir, value_id v) {
  { ir.operation(v) } -> std::convertible_to<operation_info>;
};

} // namespace detail

/// Whether an operation with effect `none` or `reads` may keep its earlier result when it is executed again with equal
/// operands and equal contents of memory.
template <class IR> constexpr bool is_repeatable(const IR& ir, value_id v) {
  if constexpr (has_is_repeatable<IR>) {
    return static_cast<bool>(ir.is_repeatable(v));
  } else {
    bool is_known = false;
    if constexpr (detail::names_operations<IR>) {
      is_known = ir.operation(v).code != operation::other;
    }
    if constexpr (requires { ir.identity(v); }) {
      is_known = is_known || ir.identity(v) != 0;
    }
    if constexpr (requires { static_cast<bool>(ir.memory(v)); }) {
      is_known = is_known || (ir.effect(v) == effect_kind::reads && ir.memory(v));
    }
    return is_known;
  }
}

/// Whether the threads that run `v` together matter.
template <class IR> constexpr bool is_convergent([[maybe_unused]] const IR& ir, [[maybe_unused]] value_id v) {
  if constexpr (has_is_convergent<IR>) {
    return static_cast<bool>(ir.is_convergent(v));
  } else {
    return false;
  }
}

/// Whether operations of other nodes may be put before the terminator of `n`.
template <class IR> constexpr bool accepts_operations([[maybe_unused]] const IR& ir, [[maybe_unused]] node_id n) {
  if constexpr (has_accepts_operations<IR>) {
    return static_cast<bool>(ir.accepts_operations(n));
  } else {
    return true;
  }
}

/// Whether a region with `v` may be copied: the program may contain two copies, and they need not run together.
template <class IR> constexpr bool may_copy(const IR& ir, value_id v) {
  if constexpr (has_may_duplicate<IR>) {
    if (!ir.may_duplicate(v)) {
      return false;
    }
  }
  return !is_convergent(ir, v);
}

MIDEND_END_NAMESPACE
