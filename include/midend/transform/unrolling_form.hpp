/// `unrolling_form`: how a loop is unrolled.
#pragma once

#include "midend/config.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What the copies of a loop are.
enum class unrolling_kind : std::uint8_t {
  none,     ///< the loop stays as it is
  full,     ///< all iterations, one after the other: no loop is left
  partial,  ///< consecutive iterations, in the body of a new loop
  peel,     ///< the first iterations, before the loop
  peel_last ///< the last iteration, after the loop
};

inline constexpr std::size_t num_unrolling_kinds = 5;

/// Where the iterations run that are too few for a pass of a new body.
enum class remainder_placement : std::uint8_t {
  none,     ///< there are none
  prologue, ///< before the loop
  epilogue, ///< after the loop
  mid_exit  ///< in the new body, with an exit in the middle
};

/// How a loop is unrolled: what an advice says, what a trial tries, and what the transformations are asked for.
///
/// The kinds are those of J. Davidson and S. Jinturkar, "Aggressive loop unrolling in a retargetable, optimizing
/// compiler", CC 1996. What is known about the trip count is not a part of the form: a loop can be unrolled partially
/// with an epilogue whether the trip count is a number or has to be computed before the loop.
///
/// There are two transformations. Copies that keep all their tests, `unroll_loops`, do what the loop did, whatever the
/// trip count is: so are `full`, `peel`, and `partial` with no remainder or with one in the middle. Copies that run up
/// to a limit, `unroll_with_remainder`, leave the other iterations to the old loop: so are `peel_last` and `partial`
/// with a prologue or an epilogue.
struct unrolling_form {
  unrolling_kind kind = unrolling_kind::none;
  std::uint32_t factor = 1; ///< `partial`: iterations in the new body; `full`: header executions; `peel`: iterations
                            ///< before the loop; else 1
  remainder_placement remainder = remainder_placement::none; ///< of `partial`
  bool unrolls_remainder = false; ///< iterations of the remainder follow each other in copies

  /// Whether the copies run up to a limit that is computed before the loop.
  constexpr bool has_limit() const {
    const bool is_apart = remainder == remainder_placement::prologue || remainder == remainder_placement::epilogue;
    return kind == unrolling_kind::peel_last || (kind == unrolling_kind::partial && is_apart);
  }

  /// Whether the copies are the remainder: a prologue, of which each pass is one iteration.
  constexpr bool is_prologue() const {
    return kind == unrolling_kind::partial && remainder == remainder_placement::prologue;
  }

  /// How many iterations a pass of copies has that run up to a limit; 0 for a form without one.
  constexpr std::uint32_t iterations_in_pass() const {
    if (kind == unrolling_kind::peel_last) {
      return 1;
    }
    return !has_limit() || factor < 2 ? 0 : is_prologue() ? 1 : factor;
  }

  /// Whether the copies follow each other, and the last one is the loop of the other iterations, if there are any. Else
  /// the last one leads back to the first.
  constexpr bool is_chain() const { return kind == unrolling_kind::full || kind == unrolling_kind::peel; }

  /// How often the loop is there afterwards, without what a limit leaves to the old loop.
  constexpr std::uint32_t num_copies() const {
    const bool has_more = kind == unrolling_kind::peel && factor != ~std::uint32_t{0}; // the loop that is peeled
    return kind == unrolling_kind::none || kind == unrolling_kind::peel_last ? 1 : factor + (has_more ? 1 : 0);
  }

  friend constexpr bool operator==(const unrolling_form&, const unrolling_form&) = default;
};

namespace detail {

inline constexpr std::array<const char*, num_unrolling_kinds> unrolling_kind_names = {"none", "full", "partial", "peel",
                                                                                      "peel_last"};

inline constexpr std::array<const char*, 4> remainder_placement_names = {"none", "prologue", "epilogue", "mid_exit"};

} // namespace detail

/// The enumerator's name.
constexpr const char* name_of(unrolling_kind k) {
  return detail::unrolling_kind_names[static_cast<std::size_t>(k)];
}

/// The enumerator's name.
constexpr const char* name_of(remainder_placement p) {
  return detail::remainder_placement_names[static_cast<std::size_t>(p)];
}

MIDEND_END_NAMESPACE
