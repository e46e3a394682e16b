/// `range_product`: the common part of products of bounds with another domain of numbers.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/domains/interval_domain.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/span.hpp"

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The product of `interval_domain` and `Other`, part by part. Derive from it; `Domain` decides what the parts learn
/// from each other. `Element` has the bounds as its member `range`, and the other part as `other`.
template <class Domain, class Element, class Other, auto other> struct range_product {
  using element = Element;
  using constant_type = std::uint64_t;

  static constexpr bool reads_any_width = true;

  constexpr element bottom() const { return {ranges().bottom(), Other().bottom()}; }

  constexpr element top(unsigned width) const { return {ranges().top(width), Other().top(width)}; }

  constexpr element constant(unsigned width, std::uint64_t c) const {
    return {ranges().constant(width, c), Other().constant(width, c)};
  }

  constexpr std::optional<std::uint64_t> as_constant(const element& a) const { return ranges().as_constant(a.range); }

  constexpr bool contains(unsigned width, const element& a, std::uint64_t c) const {
    return ranges().contains(width, a.range, c) && Other().contains(width, a.*other, c);
  }

  constexpr std::uint64_t size(unsigned width, const element& a) const {
    const std::uint64_t by_range = ranges().size(width, a.range);
    const std::uint64_t by_other = Other().size(width, a.*other);
    return by_range < by_other ? by_range : by_other;
  }

  constexpr bool join(element& a, const element& b) const {
    const bool changed = ranges().join(a.range, b.range);
    return Other().join(a.*other, b.*other) || changed;
  }

  constexpr bool leq(const element& a, const element& b) const {
    return ranges().leq(a.range, b.range) && Other().leq(a.*other, b.*other);
  }

protected:
  static constexpr interval_domain ranges() { return {}; }

  /// A join of two parts that `Domain::read` has reduced, which needs no reduction.
  constexpr element select(unsigned width, span<const element> args) const {
    const auto read = [&](const element& a) { return static_cast<const Domain&>(*this).read(width, a); };
    if (args[0].is_bottom()) {
      return bottom();
    }
    if (!contains(64, args[0], 0) || args[0].range.as_unsigned.high == 0) {
      return read(args[args[0].range.as_unsigned.high != 0 ? 1 : 2]);
    }
    element either = read(args[1]);
    join(either, read(args[2]));
    return either;
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
