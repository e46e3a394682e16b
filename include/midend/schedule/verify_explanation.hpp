/// `verify_explanation`: checks that the parts that an explanation names are infeasible.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine.hpp"
#include "midend/schedule/explain_interval.hpp"
#include "midend/schedule/schedule.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The verdict about an explanation.
enum class explanation_verdict : std::uint8_t {
  confirmed, ///< no rows and channels satisfy the named constraints
  refuted,   ///< some rows and channels satisfy them
  undecided  ///< the budget was exhausted
};

namespace detail {

/// Enumerates all rows and channels of the operations that an explanation names, by the definitions.
template <class M> class explanation_checker {
public:
  constexpr explanation_checker(const schedulable_body& body, const M& m, std::uint32_t interval,
                                const interval_explanation& e)
      : body_(body), m_(m), interval_(interval), e_(e) {}

  constexpr explanation_verdict run(std::uint64_t budget) {
    const std::size_t count = e_.operations.size();
    if (needs_too_much()) {
      return explanation_verdict::confirmed;
    }
    row_.assign(count, 0);
    channel_.assign(count, 0);
    number_.assign(body_.size(), 0);
    is_named_.assign(body_.size(), 0);
    for (std::uint32_t i = 0; i != count; ++i) {
      number_[e_.operations[i]] = i;
      is_named_[e_.operations[i]] = 1;
    }
    choices_ = std::uint64_t{interval_} * (e_.channels ? m_.num_channels() : 1);
    choice_.assign(count, 0);
    std::size_t depth = 0;
    for (;;) {
      if (depth == count) {
        return explanation_verdict::refuted;
      }
      // The rows of all operations can be shifted together: the first is in row 0.
      const std::uint64_t end = depth == 0 ? choices_ / interval_ : choices_;
      bool found = false;
      while (!found && choice_[depth] != end) {
        if (budget-- == 0) {
          return explanation_verdict::undecided;
        }
        const std::uint64_t choice = choice_[depth]++;
        const std::uint64_t channels = choices_ / interval_;
        row_[depth] = static_cast<std::uint32_t>(choice / channels);
        channel_[depth] = static_cast<std::uint32_t>(choice % channels);
        found = fits(depth) && has_stages(depth);
      }
      if (found) {
        ++depth;
        if (depth != count) {
          choice_[depth] = 0;
        }
      } else if (depth == 0) {
        return explanation_verdict::confirmed;
      } else {
        --depth;
      }
    }
  }

private:
  constexpr operation_class kind(std::size_t i) const { return body_.kind(e_.operations[i]); }

  /// Whether the operations need more cycles of their channels, or more of a resource, than the interval has.
  constexpr bool needs_too_much() const {
    channel_set all = 0;
    std::uint64_t cycles = 0;
    for (std::size_t i = 0; i != e_.operations.size(); ++i) {
      all |= takes_channel(i) ? m_.channels(kind(i)) : 0;
      cycles += takes_channel(i) ? m_.occupancy(kind(i)) : 0;
    }
    std::uint64_t there = 0;
    for (std::size_t c = 0; c != m_.num_channels(); ++c) {
      there += (all >> c & 1) != 0 ? interval_ : 0;
    }
    bool is_too_much = cycles > there;
    for (std::size_t r = 0; r != m_.num_resources(); ++r) {
      std::uint64_t used = 0;
      for (std::size_t i = 0; (e_.resources >> r & 1) != 0 && i != e_.operations.size(); ++i) {
        used += m_.use(kind(i), r) + (r == m_.literal_resource() ? body_.literal_words(e_.operations[i]) : 0);
      }
      is_too_much = is_too_much || used > std::uint64_t{m_.capacity(r)} * interval_;
    }
    return is_too_much;
  }

  constexpr bool takes_channel(std::size_t i) const { return e_.channels && m_.channels(kind(i)) != 0; }

  /// Whether the last operation fits in its place with those before it.
  constexpr bool fits(std::size_t last) const {
    if (takes_channel(last)) {
      if ((m_.channels(kind(last)) >> channel_[last] & 1) == 0 || m_.occupancy(kind(last)) > interval_) {
        return false;
      }
    } else if (channel_[last] != 0) {
      return false; // the channel does not matter: one is enough
    }
    for (std::size_t i = 0; i != last; ++i) {
      const std::uint32_t after = (row_[last] + interval_ - row_[i]) % interval_;
      const std::uint32_t before = (row_[i] + interval_ - row_[last]) % interval_;
      if (takes_channel(i) && takes_channel(last) && channel_[i] == channel_[last] &&
          (after < m_.occupancy(kind(i)) || before < m_.occupancy(kind(last)))) {
        return false;
      }
      if (e_.exclusions && after == 0 && m_.excludes(kind(i), kind(last))) {
        return false;
      }
    }
    for (std::size_t r = 0; r != m_.num_resources(); ++r) {
      std::uint64_t used = 0;
      for (std::size_t i = 0; (e_.resources >> r & 1) != 0 && i != last + 1; ++i) {
        const std::uint32_t words = r == m_.literal_resource() ? body_.literal_words(e_.operations[i]) : 0;
        used += row_[i] == row_[last] ? m_.use(kind(i), r) + words : 0;
      }
      if (used > m_.capacity(r)) {
        return false;
      }
    }
    return true;
  }

  /// Whether stages exist for the operations up to `last` that satisfy the dependences among them.
  constexpr bool has_stages(std::size_t last) {
    stage_.assign(last + 1, 0);
    for (std::size_t pass = 0; pass <= last + 1; ++pass) {
      bool changed = false;
      for (const std::uint32_t i : e_.dependences) {
        const operation_dependence& d = body_.graph.dependences()[i];
        const std::uint32_t a = number_[d.producer];
        const std::uint32_t b = number_[d.consumer];
        if (is_named_[d.producer] == 0 || is_named_[d.consumer] == 0 || a > last || b > last) {
          continue;
        }
        const std::int64_t ii = interval_;
        const std::int64_t there = row_[b] + ii * (stage_[b] + static_cast<std::int64_t>(d.distance));
        const std::int64_t ready = row_[a] + ii * stage_[a] + static_cast<std::int64_t>(d.latency);
        if (there < ready) {
          if (a == b) {
            return false;
          }
          stage_[b] += (ready - there + ii - 1) / ii;
          changed = true;
        }
      }
      if (!changed) {
        return true;
      }
    }
    return false;
  }

  const schedulable_body& body_;
  const M& m_;
  std::uint32_t interval_;
  const interval_explanation& e_;
  std::uint64_t choices_ = 0;
  flat_array<std::uint32_t> row_; ///< by position in the explanation, as the next ones
  flat_array<std::uint32_t> channel_;
  flat_array<std::uint64_t> choice_;
  flat_array<std::int64_t> stage_;
  flat_array<std::uint32_t> number_; ///< by operation
  flat_array<std::uint8_t> is_named_;
};

} // namespace detail

/// Checks an explanation of an infeasible interval: adds up what the operations need, and if the machine has enough,
/// tries all rows and channels. Shares no code with the search. Undecided after `budget` tries. Requires an interval
/// that is not 0, and operations and dependences of the body. O(budget · named dependences and operations).
template <loop_machine_argument M>
constexpr explanation_verdict verify_explanation(const schedulable_body& body, const M& m, std::uint32_t interval,
                                                 const interval_explanation& e, std::uint64_t budget = 1'000'000) {
  return detail::explanation_checker<M>(body, m, interval, e).run(budget);
}

MIDEND_END_NAMESPACE
