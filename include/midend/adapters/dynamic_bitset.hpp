/// Boost.DynamicBitset: `boost::dynamic_bitset<>` is a `bit_set`, so analyses over sets of facts accept it. This
/// header has the conversions from and to `bit_row`. For Boost 1.74 and newer.
#pragma once

#include "midend/config.hpp"
#include "midend/support/bit_row.hpp"
#include "midend/support/bit_set.hpp"

#include <boost/dynamic_bitset.hpp>

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

static_assert(bit_set<boost::dynamic_bitset<>>);

namespace detail {

template <bit_set From, bit_set To> constexpr void copy_bits(const From& from, To& to) {
  to.resize(from.size());
  to.reset();
  for (const std::uint32_t bit : set_bits(from)) {
    to.set(bit);
  }
}

} // namespace detail

/// The members of a set as a `boost::dynamic_bitset`. O(size / 64 + members).
template <class Block = unsigned long> boost::dynamic_bitset<Block> to_dynamic_bitset(const bit_row& set) {
  boost::dynamic_bitset<Block> out;
  detail::copy_bits(set, out);
  return out;
}

/// Converts into `out`, which is refilled.
template <class Block, class Allocator>
void to_dynamic_bitset(const bit_row& set, boost::dynamic_bitset<Block, Allocator>& out) {
  detail::copy_bits(set, out);
}

/// The members of a set as a `bit_row`. O(size / 64 + members).
template <class Block, class Allocator> bit_row to_bit_row(const boost::dynamic_bitset<Block, Allocator>& set) {
  bit_row out;
  detail::copy_bits(set, out);
  return out;
}

/// Converts into `out`, which is refilled.
template <class Block, class Allocator>
void to_bit_row(const boost::dynamic_bitset<Block, Allocator>& set, bit_row& out) {
  detail::copy_bits(set, out);
}

MIDEND_END_NAMESPACE
