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
  full,     ///< all iterations, one after the other; no loop is left
  partial,  ///< consecutive iterations, in the body of a new loop
  peel,     ///< the first iterations, before the loop
  peel_last ///< the last iteration, after the loop
};

inline constexpr std::size_t num_unrolling_kinds = 5;

/// Where iterations run that are too few for a round of the new body.
enum class remainder_placement : std::uint8_t {
  none,     ///< there are none
  prologue, ///< before the loop
  epilogue, ///< after the loop
  mid_exit  ///< in the new body, with an exit in the middle
};

/// How a loop is unrolled: the subject of an advice, of a trial, and of requests to the transformations.
///
/// The kinds are those of J. Davidson and S. Jinturkar, "Aggressive loop unrolling in a retargetable, optimizing
/// compiler", CC 1996. Knowledge about the trip count is no part of the form: partial unrolling with an epilogue suits
/// a trip count that is a number, and one that is computed before the loop.
///
/// There are two transformations. `unroll_loops` makes copies that keep all their tests, which is right for every trip
/// count: for `full`, `peel`, and `partial` with no remainder, with one in the middle, or with an unrolled prologue of
/// known length. `unroll_with_remainder` makes copies that run up to a limit and leaves the other iterations to the old
/// loop: for `peel_last`, and `partial` with another prologue or an epilogue.
struct unrolling_form {
  unrolling_kind kind = unrolling_kind::none;
  std::uint32_t factor = 1; ///< `partial`: iterations in the new body; `full`: header executions; `peel`: iterations
                            ///< before the loop; else 1
  remainder_placement remainder = remainder_placement::none; ///< valid for `partial`
  bool unrolls_remainder = false;    ///< whether the iterations of the remainder are copies that follow each other
  std::uint32_t known_remainder = 0; ///< the number of iterations in the remainder, if that is known; else 0

  /// How many copies run once before the copies in the loop body: peeled iterations, and an unrolled prologue of known
  /// length.
  constexpr std::uint32_t num_peeled() const {
    const bool has_prologue = kind == unrolling_kind::partial && remainder == remainder_placement::prologue;
    const std::uint32_t peeled = kind == unrolling_kind::full && factor != 0 ? factor - 1
                                 : kind == unrolling_kind::peel              ? factor
                                 : has_prologue && unrolls_remainder         ? known_remainder
                                                                             : 0;
    return peeled == ~std::uint32_t{0} ? peeled - 1 : peeled;
  }

  /// Whether the copies run up to a limit that is computed before the loop.
  constexpr bool has_limit() const {
    const bool is_apart = remainder == remainder_placement::prologue || remainder == remainder_placement::epilogue;
    return kind == unrolling_kind::peel_last || (kind == unrolling_kind::partial && is_apart && num_peeled() == 0);
  }

  /// Whether the copies that run up to a limit are a prologue. Each round of it is one iteration.
  constexpr bool is_prologue() const {
    return kind == unrolling_kind::partial && remainder == remainder_placement::prologue && has_limit();
  }

  /// How many iterations one round of the copies runs, in a form with a limit; else 0.
  constexpr std::uint32_t iterations_in_pass() const {
    if (kind == unrolling_kind::peel_last) {
      return 1;
    }
    return !has_limit() || factor < 2 ? 0 : is_prologue() ? 1 : factor;
  }

  /// How many copies of the loop there are afterwards, not counting the old loop that a limit leaves: copies that run
  /// once, then those in the loop, whose last one leads back to the first. At most 2^32 - 1.
  constexpr std::uint32_t num_copies() const {
    const bool takes_factor = kind == unrolling_kind::full || kind == unrolling_kind::partial;
    const std::uint64_t copies = std::uint64_t{num_peeled()} + (kind == unrolling_kind::partial ? factor : 1);
    return takes_factor && factor == 0  ? 0
           : copies < ~std::uint32_t{0} ? static_cast<std::uint32_t>(copies)
                                        : ~std::uint32_t{0};
  }

  friend constexpr bool operator==(const unrolling_form&, const unrolling_form&) = default;
};

/// Partial unrolling of a loop with a known number of iterations. A remainder before or after the loop is unrolled if
/// it has at most `max_unrolled` iterations. Requires a factor other than 0.
constexpr unrolling_form partial_unrolling(std::uint32_t factor, std::uint64_t iterations,
                                           remainder_placement placement, std::uint32_t max_unrolled) {
  const auto rest = static_cast<std::uint32_t>(iterations % factor);
  const bool is_apart = placement != remainder_placement::mid_exit;
  return {unrolling_kind::partial, factor, rest == 0 ? remainder_placement::none : placement,
          rest != 0 && is_apart && rest <= max_unrolled, rest};
}

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
