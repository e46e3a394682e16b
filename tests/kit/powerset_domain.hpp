/// The exact domain of small numbers, as the oracle for all others.
#pragma once

#include <midend/dataflow/value_domain.hpp>
#include <midend/ir/evaluate.hpp>

#include <bit>
#include <cstdint>
#include <optional>
#include <span>

namespace midend_tests {

/// Sets of numbers of up to 5 bits. Transfers give exactly what single operations can give, so nothing that looks at
/// one operation after the other can know more.
struct powerset_domain {
  struct element {
    std::uint32_t members;

    bool is_bottom() const { return members == 0; }

    friend bool operator==(element, element) = default;
  };

  using constant_type = std::uint64_t;

  element bottom() const { return {0}; }

  bool join(element& a, element b) const {
    const element old = a;
    a.members |= b.members;
    return a != old;
  }

  bool leq(element a, element b) const { return (a.members & ~b.members) == 0; }

  element top(unsigned width) const {
    return {static_cast<std::uint32_t>(midend::low_ones(unsigned{1} << (width < 5 ? width : 5)))};
  }

  element constant(unsigned, std::uint64_t c) const { return {std::uint32_t{1} << c}; }

  std::optional<std::uint64_t> as_constant(element a) const {
    return std::has_single_bit(a.members) ? std::optional<std::uint64_t>(std::countr_zero(a.members)) : std::nullopt;
  }

  bool contains(unsigned, element a, std::uint64_t c) const { return c < 32 && (a.members >> c & 1) != 0; }

  std::uint64_t size(unsigned, element a) const { return static_cast<std::uint64_t>(std::popcount(a.members)); }

  element transfer(const midend::operation_info& info, std::span<const element> args) const {
    element out = bottom();
    std::uint64_t values[3] = {};
    apply(info, args, 0, values, out);
    return out;
  }

  void assume(midend::operation code, unsigned width, element& a, element& b) const {
    const element old_a = a;
    const element old_b = b;
    a = b = bottom();
    for (std::uint64_t x = 0; x != 32; ++x) {
      for (std::uint64_t y = 0; y != 32; ++y) {
        if (contains(width, old_a, x) && contains(width, old_b, y) &&
            midend::detail::comparison_holds(code, x, y, width)) {
          join(a, constant(width, x));
          join(b, constant(width, y));
        }
      }
    }
  }

private:
  static void apply(const midend::operation_info& info, std::span<const element> args, std::size_t i,
                    std::uint64_t (&values)[3], element& out) {
    if (i == args.size() || i == std::size(values)) {
      if (const midend::evaluation result = midend::evaluate(info, {values, i})) {
        out.members |= std::uint32_t{1} << result.bits;
      }
      return;
    }
    for (std::uint32_t rest = args[i].members; rest != 0; rest &= rest - 1) {
      values[i] = static_cast<std::uint64_t>(std::countr_zero(rest));
      apply(info, args, i + 1, values, out);
    }
  }
};

static_assert(midend::value_domain<powerset_domain> && midend::has_value_transfer<powerset_domain>);
static_assert(midend::has_contains<powerset_domain> && midend::has_size<powerset_domain>);

} // namespace midend_tests
