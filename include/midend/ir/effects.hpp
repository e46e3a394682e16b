/// The effects rung of the IR contract: what an operation does besides computing its value, and what a transformation
/// may do with it. On top of the SSA rung:
///
///     midend::effect_kind effect(midend::value_id v) const;   // nothing, reads memory, writes memory, unknown
///     bool may_trap(midend::value_id v) const;                // for some operands or states it has no result
///     bool may_not_return(midend::value_id v) const;          // control may not reach the next operation
///     bool may_duplicate(midend::value_id v) const;           // a program may contain two copies of it
///     bool is_volatile(midend::value_id v) const;             // must run exactly as often as written, in this order
///     bool is_terminator(midend::value_id v) const;           // it ends its node: a branch, a jump, a return
///
/// None of them is called for phis, parameters and constants.
///
/// - `effect`: a call whose callee is unknown is `unknown`. A trap is not an effect; `may_trap` is a question of its
///   own.
/// - `may_trap`: running the operation where it did not run before may make the program undefined or end it: a
///   division, a load, a shift by an unknown amount, an addition that promises not to overflow. `drop_promises` of the
///   editing rung may make the operation harmless.
/// - `may_not_return`: a call that may end the program, throw or loop. A transformation moves no trap and no effect
///   across it.
/// - `may_duplicate`: false for what must stay unique: a call that the source forbids to copy, a label whose address is
///   taken. Regions with such operations are not copied.
///
/// - `is_terminator`: false for all values if `values(n)` has no terminators. A branch or return that is not named
/// would
///   be removed as dead code. Where the rung is not required, the member is optional; without it no value is one.
///
/// Two more members are optional. `bool may_trap_without_promises(midend::value_id v) const`: whether an operation may
/// trap even after `drop_promises`; without it, dropping promises makes no operation harmless. `bool
/// loop_ends(midend::node_id header) const`: the language says that the natural loop with this header does not run for
/// ever, as C++ does of most loops without effects; without it, no loop is said to end.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"

#include <concepts>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What an operation does besides computing a value.
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

/// `loop_ends(header)` says whether a loop may be taken to end. Optional.
template <class IR>
concept has_loop_ends = requires(const IR& ir, node_id n) {
  { ir.loop_ends(n) } -> truth_value;
};

/// The effects rung.
template <class IR>
concept effect_ir = ssa_ir<IR> && has_effect<IR> && has_may_trap<IR> && has_may_not_return<IR> &&
                    has_may_duplicate<IR> && has_is_volatile<IR> && has_is_terminator<IR>;

namespace detail {

// A member of this name exists, whether it fits or not; see `graph/concepts.hpp`.
template <class IR>
concept names_may_duplicate = requires { &IR::may_duplicate; } || requires(IR& ir, value_id v) { ir.may_duplicate(v); };
template <class IR>
concept names_is_terminator = requires { &IR::is_terminator; } || requires(IR& ir, value_id v) { ir.is_terminator(v); };

template <class IR>
concept names_may_trap_without_promises =
    requires { &IR::may_trap_without_promises; } || requires(IR& ir, value_id v) { ir.may_trap_without_promises(v); };
template <class IR>
concept names_loop_ends = requires { &IR::loop_ends; } || requires(IR& ir, node_id n) { ir.loop_ends(n); };

template <class IR>
concept may_duplicate_fits = has_may_duplicate<IR> || !names_may_duplicate<IR>;
template <class IR>
concept is_terminator_fits = has_is_terminator<IR> || !names_is_terminator<IR>;
template <class IR>
concept may_trap_without_promises_fits = has_may_trap_without_promises<IR> || !names_may_trap_without_promises<IR>;
template <class IR>
concept loop_ends_fits = has_loop_ends<IR> || !names_loop_ends<IR>;

/// The optional members of the rung fit. Where the rung is not required, `may_duplicate` and `is_terminator` are, too.
template <class IR>
concept effect_members_fit =
    may_duplicate_fits<IR> && is_terminator_fits<IR> && may_trap_without_promises_fits<IR> && loop_ends_fits<IR>;

/// The error of such a member that does not fit. Always false.
template <class IR> constexpr bool explain_optional_effects() {
  static_assert(may_duplicate_fits<IR>, "midend: `may_duplicate` of an IR would never be called; write `bool "
                                        "may_duplicate(midend::value_id v) const`, or give the member another name");
  static_assert(is_terminator_fits<IR>, "midend: `is_terminator` of an IR would never be called; write `bool "
                                        "is_terminator(midend::value_id v) const`, or give the member another name");
  static_assert(may_trap_without_promises_fits<IR>,
                "midend: `may_trap_without_promises` of an IR would never be called, and `may_trap` be asked instead; "
                "write `bool may_trap_without_promises(midend::value_id v) const`, or give the member another name");
  static_assert(loop_ends_fits<IR>,
                "midend: `loop_ends` of an IR would never be called, and no loop be taken to end; write `bool "
                "loop_ends(midend::node_id header) const`, or give the member another name");
  return false;
}

/// The error of an IR without the effects rung: one sentence for each thing that is wrong. Always false.
template <class IR> constexpr bool explain_effect_ir() {
  if constexpr (!ssa_ir<IR> || !ssa_members_fit<IR>) {
    explain_ssa_ir<IR>();
  } else {
    static_assert(has_effect<IR>, "midend: an IR needs `midend::effect_kind effect(midend::value_id v) const`");
    static_assert(has_may_trap<IR>, "midend: an IR with effects needs `bool may_trap(midend::value_id v) const`");
    static_assert(has_may_not_return<IR>,
                  "midend: an IR with effects needs `bool may_not_return(midend::value_id v) const`");
    static_assert(has_may_duplicate<IR>,
                  "midend: an IR with effects needs `bool may_duplicate(midend::value_id v) const`");
    static_assert(has_is_volatile<IR>, "midend: an IR with effects needs `bool is_volatile(midend::value_id v) const`");
    static_assert(has_is_terminator<IR>, "midend: an IR with effects needs `bool is_terminator(midend::value_id v) "
                                         "const`, false for all values if `values(n)` has no terminators");
    explain_optional_effects<IR>();
  }
  return false;
}

} // namespace detail

/// What functions take: an `effect_ir` with optional members that fit; otherwise an error.
template <class IR>
concept effect_ir_argument =
    (effect_ir<IR> && detail::ssa_members_fit<IR> && detail::effect_members_fit<IR>) || detail::explain_effect_ir<IR>();

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

/// Whether an operation can be removed if nobody reads it: it writes nothing, and control passes it. A removed trap is
/// no change: where the original program traps, the new one may do anything.
template <class IR> constexpr bool is_removable(const IR& ir, value_id v) {
  const effect_kind effect = ir.effect(v);
  return (effect == effect_kind::none || effect == effect_kind::reads) && !ir.may_not_return(v) && !ir.is_volatile(v) &&
         !is_terminator(ir, v);
}

MIDEND_END_NAMESPACE
