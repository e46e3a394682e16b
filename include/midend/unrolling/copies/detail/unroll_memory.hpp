/// Loads that copies share, and stores whose value is loaded again.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/unrolling/copies/detail/unroll_expressions.hpp"
#include "midend/unrolling/copies/detail/unroll_values.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A place in memory, and what is known to be there.
struct known_place {
  unrolled_access access;
  unsigned width;         ///< of the content
  std::uint32_t identity; ///< of a load that makes something else of the bytes
  known_value content;    ///< none: unknown
  unrolled_operand guard; ///< the content is right if it holds
  std::uint32_t checked;  ///< stores before this one leave the place alone
  std::uint32_t copy;     ///< of the load or store that told
  bool is_stored;
};

/// What `unroll_places` owns between calls.
struct unroll_place_memory {
  flat_array<known_place> places;
  flat_array<unrolled_access> stores;
  interning_table table;
};

/// Whether two accesses of the same time may touch a byte in common. Same base, index and scale: their offsets say it.
constexpr bool may_overlap(const unrolled_access& a, const unrolled_access& b) {
  if (a.memory != b.memory && a.memory != any_memory && b.memory != any_memory) {
    return false;
  }
  const bool same_origin =
      a.base == b.base && a.base != no_unrolled && a.index == b.index && (a.index == no_unrolled || a.scale == b.scale);
  if (!same_origin || a.bytes == 0 || b.bytes == 0) {
    return true;
  }
  const std::uint64_t ahead = static_cast<std::uint64_t>(b.offset) - static_cast<std::uint64_t>(a.offset);
  return ahead < a.bytes || 0 - ahead < b.bytes;
}

/// What is known of memory as control goes through the copies.
class unroll_places {
public:
  constexpr unroll_places(unroll_expressions& expressions, unroll_place_memory& memory) : e_(expressions), m_(memory) {
    forget();
  }

  /// Nothing is known any more: behind a call, or what is volatile.
  constexpr void forget() {
    m_.stores.clear();
    m_.places.clear();
    m_.table.clear();
  }

  /// The load of a place as a value of the body: what an earlier load or store with the same guard, or none, left
  /// there. If there is none, `is_none()`, and the value that is loaded next is to be noted in the place.
  constexpr known_value load(const body_value& v, const unrolled_access& a, const unrolled_operand& guard,
                             std::uint32_t& place) {
    if (a.base == no_unrolled || a.bytes == 0) {
      place = no_unrolled;
      return {};
    }
    place = find(a, v.info.width, v.info.width == a.bytes * 8 ? 0 : v.identity);
    known_place& p = m_.places[place];
    if (p.content.is_none() || !is_untouched(p) || (p.guard.node != no_unrolled && p.guard != guard)) {
      return {};
    }
    if (p.copy != e_.copy) {
      e_.save(p.is_stored ? saving_kind::forwarded_load : saving_kind::shared_load, p.copy);
    }
    return p.content;
  }

  constexpr void note(std::uint32_t place, const known_value& content, const unrolled_operand& guard, bool is_stored) {
    if (place != no_unrolled) {
      known_place& p = m_.places[place];
      p.content = content;
      p.guard = guard;
      p.checked = static_cast<std::uint32_t>(m_.stores.size());
      p.copy = e_.copy;
      p.is_stored = is_stored;
    }
  }

  /// A store that may not run if there is a guard. A load of just as many bits finds it.
  constexpr void store(const unrolled_access& a, const known_value& content, const unrolled_operand& guard) {
    m_.stores.push_back(a);
    if (a.base != no_unrolled && a.bytes != 0 && content.width == a.bytes * 8 && guard.node == no_unrolled) {
      note(find(a, content.width, 0), content, guard, true);
    }
  }

private:
  constexpr std::uint32_t find(const unrolled_access& a, unsigned width, std::uint32_t identity) {
    std::uint64_t hash = mixed(std::uint64_t{a.base} << 32 | a.index, static_cast<std::uint64_t>(a.offset));
    hash = mixed(hash, std::uint64_t{a.bytes} << 32 ^ std::uint64_t{a.memory} << 8 ^ width);
    const auto fresh = static_cast<std::uint32_t>(m_.places.size());
    const std::uint32_t found = m_.table.find_or_insert(hash, fresh, [&](std::uint32_t i) {
      const known_place& p = m_.places[i];
      return p.access.base == a.base && p.access.index == a.index && p.access.offset == a.offset &&
             p.access.scale == a.scale && p.access.bytes == a.bytes && p.access.memory == a.memory &&
             p.width == width && p.identity == identity;
    });
    if (found == fresh) {
      known_place p{};
      p.access = a;
      p.width = width;
      p.identity = identity;
      m_.places.push_back(p);
    }
    return found;
  }

  /// Whether no store since has touched the place; each is looked at once.
  constexpr bool is_untouched(known_place& p) {
    for (; p.checked != m_.stores.size(); ++p.checked) {
      if (may_overlap(m_.stores[p.checked], p.access)) {
        p.content = {};
        return false;
      }
    }
    return true;
  }

  unroll_expressions& e_;
  unroll_place_memory& m_;
};

} // namespace detail

MIDEND_END_NAMESPACE
