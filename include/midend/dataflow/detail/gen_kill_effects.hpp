/// The effects argument of gen/kill problems: composes single effects, reported in the order of execution, to one `gen`
/// and one `kill` for the node.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/ir/statements.hpp"
#include "midend/support/bit_set.hpp"
#include "midend/support/detail/short_lists.hpp"
#include "midend/support/detail/word_kernels.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A row of bits that is a single word.
struct one_word {
  word value = 0;

  constexpr word& word_of(std::size_t) { return value; }
};

/// A row of words that is stored elsewhere.
struct word_row {
  word* words;

  constexpr word& word_of(std::size_t bit) const { return words[bit / word_bits]; }
};

/// Calls `visit(bit, mask)` for each word with bits of [first, last): the first such bit, and the mask of all.
template <class Visit> constexpr void for_each_word_of(std::size_t first, std::size_t last, Visit visit) {
  while (first < last) {
    const std::size_t next = (first / word_bits + 1) * word_bits;
    const std::size_t end = next < last ? next : last;
    visit(first, (~word{0} << (first % word_bits)) & last_word_mask(end));
    first = end;
  }
}

/// The composition f of all effects so far, f(x) = gens ∪ (x \ kills), initially the identity. Forward, each new effect
/// is applied after f, and wins. Backward, it is applied before f: what an earlier statement killed stays killed.
template <flow_direction Direction, class Row> class bit_effects {
public:
  constexpr bit_effects(Row no_gens, Row no_kills, [[maybe_unused]] std::size_t num_facts)
      : gens_(no_gens), kills_(no_kills), num_facts_(num_facts) {}

  constexpr void gen(std::uint32_t fact) {
    require(fact + std::size_t{1});
    const word bit = bit_mask(fact);
    gens_.word_of(fact) |= Direction == flow_direction::forward ? bit : bit & ~kills_.word_of(fact);
  }

  constexpr void kill(std::uint32_t fact) {
    require(fact + std::size_t{1});
    kill_bits(fact, bit_mask(fact));
  }

  constexpr void gen_all(span<const std::uint32_t> facts) {
    if constexpr (std::is_same_v<Row, one_word>) {
      require_all(facts);
      const word bits = bits_of(facts);
      gens_.value |= Direction == flow_direction::forward ? bits : bits & ~kills_.value;
    } else {
      for (const std::uint32_t fact : facts) {
        gen(fact);
      }
    }
  }

  constexpr void kill_all(span<const std::uint32_t> facts) {
    if constexpr (std::is_same_v<Row, one_word>) {
      require_all(facts);
      kill_bits(0, bits_of(facts));
    } else {
      for (const std::uint32_t fact : facts) {
        kill(fact);
      }
    }
  }

  constexpr void kill_range(std::uint32_t first, std::uint32_t last) {
    require(last);
    for_each_word_of(first, last, [this](std::size_t bit, word mask) { kill_bits(bit, mask); });
  }

  constexpr const Row& gens() const { return gens_; }

  constexpr const Row& kills() const { return kills_; }

private:
  constexpr void kill_bits(std::size_t bit, word mask) {
    kills_.word_of(bit) |= mask;
    if constexpr (Direction == flow_direction::forward) {
      gens_.word_of(bit) &= ~mask;
    }
  }

  constexpr void require_all([[maybe_unused]] span<const std::uint32_t> facts) const {
#if MIDEND_CHECKS
    for (const std::uint32_t fact : facts) {
      require(fact + std::size_t{1});
    }
#endif
  }

  constexpr void require([[maybe_unused]] std::size_t end) const {
    MIDEND_ASSERT(end <= num_facts_, "facts below the number of facts", end, num_facts_);
  }

  Row gens_;
  Row kills_;
  std::size_t num_facts_;
};

/// The composition over any `bit_set`.
template <flow_direction Direction, bit_set Set> class set_effects {
public:
  constexpr set_effects(Set& no_gens, Set& no_kills) : gens_(no_gens), kills_(no_kills) {}

  constexpr void gen(std::uint32_t fact) {
    if (Direction == flow_direction::forward || !kills_.test(fact)) {
      gens_.set(fact);
    }
  }

  constexpr void kill(std::uint32_t fact) {
    kills_.set(fact);
    if constexpr (Direction == flow_direction::forward) {
      gens_.reset(fact);
    }
  }

  constexpr void gen_all(span<const std::uint32_t> facts) {
    for (const std::uint32_t fact : facts) {
      gen(fact);
    }
  }

  constexpr void kill_all(span<const std::uint32_t> facts) {
    for (const std::uint32_t fact : facts) {
      kill(fact);
    }
  }

  constexpr void kill_range(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t fact = first; fact < last; ++fact) {
      kill(fact);
    }
  }

private:
  Set& gens_;
  Set& kills_;
};

/// Calls `gen` for each number of a range; once for all if they are in an array.
template <class Effects, class Range> constexpr void gen_each(Effects& e, Range&& facts) {
  if constexpr (std::is_convertible_v<Range, span<const std::uint32_t>>) {
    e.gen_all(facts);
  } else {
    for_each_id(facts, [&](std::uint32_t fact) { e.gen(fact); });
  }
}

/// Calls `kill` for each number of a range.
template <class Effects, class Range> constexpr void kill_each(Effects& e, Range&& facts) {
  if constexpr (std::is_convertible_v<Range, span<const std::uint32_t>>) {
    e.kill_all(facts);
  } else {
    for_each_id(facts, [&](std::uint32_t fact) { e.kill(fact); });
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
