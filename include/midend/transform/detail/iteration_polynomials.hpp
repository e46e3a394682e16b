/// Polynomials that depend on the iterations of loops: what they are in a given iteration.
#pragma once

#include "midend/config.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/transform/detail/value_polynomials.hpp"
#include "midend/transform/final_value_witness.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Puts the polynomial `image(a)` in the place of each atom a.
template <class Image> void replace_atoms(polynomial& p, Image image) {
  polynomial out;
  out.is_known = p.is_known;
  for (const polynomial_term& t : p.terms) {
    polynomial product = polynomial::number(t.coefficient);
    for (std::uint32_t k = 0; k != t.size; ++k) {
      product = product_of(product, image(t.atoms[k]));
    }
    out.add(product);
  }
  p = out;
}

/// Whether a polynomial changes with the iterations of `l`.
constexpr bool has_iteration(const polynomial& p, loop_id l) {
  bool has = false;
  for (const polynomial_term& t : p.terms) {
    for (std::uint32_t k = 0; k != t.size; ++k) {
      has = has || t.atoms[k].is_of_iteration(l);
    }
  }
  return has;
}

/// k over d, modulo 2^64: the factors k, k - 1, … are divided where that leaves no rest.
constexpr std::uint64_t choose(std::uint64_t k, std::uint64_t d) {
  if (k < d) {
    return 0;
  }
  std::uint64_t factors[claimed_evolution::max_degree] = {};
  for (std::uint64_t i = 0; i != d; ++i) {
    factors[i] = k - i;
  }
  for (const std::uint64_t divisor : {std::uint64_t{2}, std::uint64_t{3}}) {
    bool done = divisor > d;
    for (std::uint64_t i = 0; i != d && !done; ++i) {
      done = factors[i] % divisor == 0;
      factors[i] /= done ? divisor : 1;
    }
  }
  std::uint64_t out = 1;
  for (std::uint64_t i = 0; i != d; ++i) {
    out *= factors[i];
  }
  return out;
}

/// base^k, modulo 2^64.
constexpr std::uint64_t power_of(std::uint64_t base, std::uint64_t k) {
  std::uint64_t out = 1;
  for (unsigned bit = 64; bit-- != 0;) {
    out *= out;
    out *= (k >> bit & 1) != 0 ? base : 1;
  }
  return out;
}

/// Puts a number in the place of the iteration of a loop.
inline void set_iteration(polynomial& p, loop_id l, std::uint64_t k) {
  replace_atoms(p, [&](const polynomial_atom& a) {
    return !a.is_of_iteration(l)                        ? polynomial::of(a)
           : a.what == polynomial_atom::kind::iteration ? polynomial::number(choose(k, a.extra))
                                                        : polynomial::number(power_of(a.extra, k));
  });
}

} // namespace detail

MIDEND_END_NAMESPACE
