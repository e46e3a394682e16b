/// `addition_facts`: bounds of values, from which transformations of additions see that a sum does not wrap.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/domains/strided_interval_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What is known about values, by number, and of which program: a result of `sccp(ir, strided_interval_domain())`,
/// which `verify_sccp` checks and which has to outlive this. Empty by default. The values of a program may be more.
class addition_facts {
public:
  constexpr addition_facts() = default;

  /// Of the program that was analysed, as it was then.
  template <class Result>
    requires requires(const Result& found) {
      span<const strided_interval_domain::element>(found.facts());
      found.epoch();
    }
  constexpr addition_facts(const Result& found) : facts_(found.facts()), epoch_(found.epoch()) {}

  /// The same for a program that was changed since then. You promise that each value that was there is still what it
  /// was, or is gone: nothing checks that.
  template <class G> constexpr addition_facts still_true_of(const G& graph) const {
    addition_facts now = *this;
    now.epoch_ = graph_epoch(graph);
    return now;
  }

  /// Whether they are about a program with this graph as it is now.
  template <class G> constexpr bool are_about(const G& graph) const {
    return facts_.empty() || epoch_ == graph_epoch(graph);
  }

  constexpr std::size_t size() const { return facts_.size(); }

  constexpr const strided_interval_domain::element& operator[](value_id v) const { return facts_[v]; }

private:
  span<const strided_interval_domain::element> facts_;
  std::uint64_t epoch_ = 0;
};

namespace detail {

/// What is known about `v`, or null.
constexpr const strided_interval_domain::element* fact_about(const addition_facts& facts, value_id v) {
  return v >= facts.size() || facts[v].is_bottom() ? nullptr : &facts[v];
}

/// Whether a fact, or null, shows that the value plus `by`, both read as signed numbers, does not wrap.
constexpr bool signed_sum_fits(const strided_interval_domain::element* known, std::uint64_t by, unsigned width) {
  if (known == nullptr) {
    return false;
  }
  const std::int64_t end = as_signed(by, width) < 0 ? known->range.as_signed.low : known->range.as_signed.high;
  return !wrapping_add(static_cast<std::uint64_t>(end), by, width).signed_wrap;
}

/// Whether it shows that the value, read as an unsigned number, plus `by`, read as a signed one, is an unsigned number.
constexpr bool unsigned_sum_fits(const strided_interval_domain::element* known, std::uint64_t by, unsigned width) {
  if (known == nullptr) {
    return false;
  }
  const auto wide = static_cast<std::uint64_t>(as_signed(by, width));
  const auto& range = known->range.as_unsigned;
  return as_signed(by, width) < 0 ? range.low >= 0 - wide : low_ones(width) - range.high >= wide;
}

} // namespace detail

MIDEND_END_NAMESPACE
