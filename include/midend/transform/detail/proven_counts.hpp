/// `proven_counts`: how often loops run, as far as that is proven.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/detail/value_polynomials.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The terms of a polynomial, in an array of all.
struct stored_polynomial {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// How often a loop takes a backedge each time that it is entered, as far as that is proven: a number, or a formula of
/// values from outside, or nothing. Polynomials are in `proven_counts`.
struct proven_count {
  bool is_number = false;
  bool is_formula = false;
  std::uint64_t backedges = 0;        ///< at most so many, if it is no number
  bool is_bounded = false;            ///< `backedges` is valid
  unsigned width = 64;                ///< of the formula: it is the unsigned number of so many bits
  stored_polynomial formula;          ///< `limit` is an atom
  operation limit = operation::other; ///< which of two numbers the limit is
  stored_polynomial first;            ///< where the counter starts
  stored_polynomial bound;
  std::uint64_t divisor = 1;  ///< of a quotient: the step without its sign
  stored_polynomial distance; ///< of a quotient: what is divided, without its sign; `limit` is an atom
};

/// The counts of all loops, and the terms of their polynomials. Keeps them; `count_prover` finds them.
class proven_counts {
public:
  /// Starts with all loops, and proves nothing about them.
  void start(std::size_t num_loops) {
    counts_.assign(num_loops, proven_count());
    terms_.clear();
  }

  proven_count& operator[](loop_id l) { return counts_[l]; }

  const proven_count& operator[](loop_id l) const { return counts_[l]; }

  /// Keeps a polynomial that is known.
  stored_polynomial stored(const polynomial& p) {
    const stored_polynomial out{static_cast<std::uint32_t>(terms_.size()), static_cast<std::uint32_t>(p.terms.size())};
    for (const polynomial_term& t : p.terms) {
      terms_.push_back(t);
    }
    return out;
  }

  /// The polynomial that was kept.
  polynomial loaded(const stored_polynomial& p) const {
    polynomial out;
    for (std::uint32_t i = 0; i != p.count; ++i) {
      out.terms.push_back(terms_[p.first + i]);
    }
    return out;
  }

private:
  flat_array<proven_count> counts_; ///< by loop
  flat_array<polynomial_term> terms_;
};

} // namespace detail

MIDEND_END_NAMESPACE
