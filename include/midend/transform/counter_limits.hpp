/// `counter_limits`: facts that hold in each iteration of a loop that is left when its counter reaches a computed
/// limit.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/linear_sums.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A test of iteration m = 0, 1, … of a loop. It compares start + m · step with a bound that does not change in the
/// loop, both modulo 2^width. If the bound is wider, the sum is extended to its width.
struct iteration_test {
  operation stays = operation::other; ///< the comparison of the sum with the bound; it holds if the edge is not taken
  value_and_number start;
  std::uint64_t step = 0;
  value_and_number bound;
  operation extension = operation::copy; ///< valid if the bound is wider: `zero_extend` or `sign_extend`
};

namespace detail {

/// a · m + b ≤ v, as numbers that do not wrap, where `v` is read as an unsigned one.
struct upper_bound_of_iteration {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  value_and_number v;

  friend constexpr bool operator==(const upper_bound_of_iteration&, const upper_bound_of_iteration&) = default;
};

/// A comparison that is true.
struct true_comparison {
  operation code = operation::other;
  value_and_number left;
  value_and_number right;

  friend constexpr bool operator==(const true_comparison&, const true_comparison&) = default;
};

} // namespace detail

/// Memory of `counter_limits`, to be reused.
class counter_limits_memory {
  template <semantic_ir IR> friend class counter_limits;

  flat_array<detail::upper_bound_of_iteration> bounds_;
  flat_array<detail::true_comparison> comparisons_;
};

/// Proves that tests do not leave a loop. It knows comparisons that hold while the loop runs, and a test that leaves
/// the loop when a counter reaches a limit. It does not know how a transformation computes limits. In iteration m:
///
/// **The limit.** Let a test leave when S · (m + 1) is C · A modulo 2^width, where S is C · k, and A is not 0 and a
/// multiple of k. Iteration A / k - 1 is then the last one at the latest, so k · m + k ≤ A in each.
///
/// **What A is.** A bound of `v` also bounds what `v` is computed from: v ≤ x if v is x & y, x mod y, or x - x mod n;
/// from a · m + b ≤ x / n follows n · a · m + n · b ≤ x; and so on. If v is a sign-extended condition, the condition is
/// true, since v is not 0.
///
/// **Orders.** If p < q, signed or unsigned, the numbers from p up to q do not wrap. So p + y < q for 0 ≤ y < (q - p)
/// mod 2^width. A test that compares p + y, where y is at most such an a · m + b ≤ q - p, holds; likewise downwards,
/// and with ≤.
///
/// **Equality.** If a test were met in iteration m, start + m · step = bound would hold. Under this assumption v would
/// be u · m + t modulo 2^r. If v is exactly this remainder, v ≤ u · m + t. That contradicts a · m + b ≤ v if u ≤ a and
/// t < b.
///
/// All searches have limits, so each call is O(1), apart from `add_conditions_before`, which looks at a few dominators.
template <semantic_ir IR> class counter_limits {
public:
  using definition = typename linear_sums<IR>::definition;

  counter_limits(const linear_sums<IR>& sums, counter_limits_memory& memory)
      : sums_(sums), bounds_(memory.bounds_), comparisons_(memory.comparisons_) {
    clear();
  }

  /// Forgets all facts, for the next loop.
  void clear() {
    is_contradiction_ = false;
    bounds_.clear();
    comparisons_.clear();
  }

  /// Adds a condition of one bit that is true, or false, while the loop runs.
  void add_condition(value_id condition, bool is_true) {
    struct part {
      value_id v;
      bool is_true;
    };

    part parts[8] = {{condition, is_true}};
    std::uint32_t count = 1;
    for (int steps = 0; steps != 8 && count != 0; ++steps) {
      part p = parts[--count];
      const value_and_number sum = sums_.read(p.v);
      const definition d = sums_.definition_of(sum.value);
      const bool is_comparison = d.info.code >= operation::equal && d.info.code <= operation::ugreater_equal;
      is_contradiction_ =
          is_contradiction_ || (sum.width == 1 && sum.value == no_value && sum.number != (p.is_true ? 1u : 0u));
      if (sum.value == no_value || (sum.width == 1 ? false : sum.number != 0 || !is_comparison)) {
        continue;
      }
      p.is_true = p.is_true != (sum.width == 1 && sum.number != 0); // of one bit, + 1 is not
      if (is_comparison) {
        add_comparison(p.is_true ? d.info.code : negated(d.info.code), sums_.operand(d, 0), sums_.operand(d, 1));
      } else if (count + 2 <= 8 && d.info.code == (p.is_true ? operation::bit_and : operation::bit_or)) {
        parts[count++] = {d.operands[0], p.is_true};
        parts[count++] = {d.operands[1], p.is_true};
      } else if (d.info.code == operation::bit_not) {
        parts[count++] = {d.operands[0], !p.is_true};
      }
    }
  }

  /// Adds that the loop is left at the latest when start + m · step equals the bound.
  void add_limit(const iteration_test& t) {
    if (t.stays != operation::not_equal || t.extension != operation::copy) {
      return;
    }
    const unsigned width = t.start.width;
    linear_sum distance(width); // S · (m + 1) when the loop is left
    distance.add(t.bound, 1);
    distance.add(t.start, ~std::uint64_t{0});
    distance.add({no_value, t.step, 64}, 1);
    // C · A. Stops as soon as one value is left, so that A stays one value
    for (int steps = 0; steps != 8 && distance.num_terms() > 1 && distance.fits(); ++steps) {
      std::uint32_t i = 0;
      while (i != distance.num_terms() && !sums_.expand(distance, i)) {
        ++i;
      }
    }
    for (int steps = 0; steps != 8 && distance.fits() && distance.num_terms() == 1; ++steps) {
      // The number is a multiple of C too, as in C · (x - 1).
      const std::int64_t factor = as_signed(distance.coefficient(0), width);
      const std::int64_t number = as_signed(distance.number(), width);
      const bool is_one_less = ((distance.coefficient(0) + distance.number()) & low_ones(width)) == 0;
      if (is_one_less || factor == 1 || factor == -1 || number % factor == 0) {
        const std::uint64_t quotient = is_one_less || factor == -1 ? 0 - (is_one_less ? 1 : distance.number())
                                                                   : static_cast<std::uint64_t>(number / factor);
        add_multiple({distance.value(0), quotient & low_ones(width), width}, distance.coefficient(0), t.step);
      }
      if (!sums_.expand(distance, 0)) {
        break;
      }
    }
  }

  /// Derives what follows. Call it once, after all conditions and limits.
  void derive() {
    for (std::uint32_t round = 0; round != 2; ++round) { // the second round uses what the first found late
      for (std::uint32_t i = 0; i != bounds_.size(); ++i) {
        derive_from(bounds_[i]);
      }
    }
  }

  /// Whether the loop never runs.
  bool never_runs() const { return is_contradiction_; }

  /// Whether a test does not take its edge in any iteration.
  bool never_fires(iteration_test t) const {
    if (bounds_.empty() || (t.extension != operation::copy && !unextend(t)) || t.start.width != t.bound.width) {
      return false;
    }
    return t.stays == operation::not_equal ? never_meets(t) : t.stays != operation::equal && stays_on_side(t);
  }

private:
  static constexpr std::size_t max_facts = 24;

  static constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) { // less is true, too
    return b != 0 && a > ~std::uint64_t{0} / b ? ~std::uint64_t{0} : a * b;
  }

  void add_comparison(operation code, const value_and_number& left, const value_and_number& right) {
    const true_comparison x{code, left, right};
    if (left.width == 0 || right.width != left.width || comparisons_.size() >= max_facts) {
      return;
    }
    for (const true_comparison& other : comparisons_) {
      if (other == x) {
        return;
      }
    }
    comparisons_.push_back(x);
  }

  void add_bound(std::uint64_t a, std::uint64_t b, const value_and_number& v) {
    const detail::upper_bound_of_iteration x{a, b, v};
    if (v.width == 0 || bounds_.size() >= max_facts) {
      return;
    }
    for (const detail::upper_bound_of_iteration& other : bounds_) {
      if (other == x) {
        return;
      }
    }
    bounds_.push_back(x);
    const definition d = sums_.definition_of(v.value);
    if (b != 0 && v.number == 0 && d.info.code == operation::sign_extend && d.info.operand_width == 1) {
      add_condition(d.operands[0], true);
    }
  }

  using true_comparison = detail::true_comparison;

  // Limits.

  void add_multiple(const value_and_number& amount, std::uint64_t factor, std::uint64_t step) {
    const std::uint64_t mask = low_ones(amount.width);
    const std::uint64_t divisor = alignment(amount, 4);
    for (const std::uint64_t k : {divisor, std::uint64_t{1}}) {
      if (k != 0 && ((factor * k ^ step) & mask) == 0 && least(amount, 4) != 0) {
        add_bound(k, k, amount);
        return;
      }
    }
  }

  /// The number n if `rest` is x mod n, else 0. 0 also stands for 2^64.
  std::uint64_t divisor_of_rest(const value_and_number& rest, const value_and_number& x) const {
    const definition d = sums_.definition_of(rest.value);
    const bool is_mask = d.info.code == operation::bit_and;
    if (rest.number != 0 || x.width != rest.width || (!is_mask && d.info.code != operation::urem)) {
      return 0;
    }
    const value_and_number a = sums_.operand(d, 0);
    const value_and_number b = sums_.operand(d, 1);
    if (a == x && b.width != 0 && b.value == no_value) {
      return !is_mask ? b.number : (b.number & (b.number + 1)) == 0 ? b.number + 1 : 0;
    }
    return is_mask && b == x && a.width != 0 && a.value == no_value && (a.number & (a.number + 1)) == 0 ? a.number + 1
                                                                                                        : 0;
  }

  static constexpr std::uint64_t lowest_one(std::uint64_t x) { return x & (0 - x); }

  /// A divisor of a number, read without sign; 1 if nothing is known.
  std::uint64_t alignment(const value_and_number& x, int depth) const {
    if (x.value == no_value) {
      return x.number == 0 ? 1 : x.number;
    }
    const definition d = sums_.definition_of(x.value);
    if (x.number != 0 || d.info.code == operation::other || d.info.width != x.width) {
      return 1;
    }
    const value_and_number a = sums_.operand(d, 0);
    const value_and_number b = d.num_operands > 1 ? sums_.operand(d, 1) : value_and_number{};
    const auto is_number = [](const value_and_number& y) { return y.width != 0 && y.value == no_value; };
    switch (d.info.code) {
    case operation::sub: {
      const std::uint64_t n = a.width == 0 || b.width == 0 ? 0 : divisor_of_rest(b, a);
      return n == 0 ? 1 : n;
    }
    case operation::zero_extend:
      return a.width != 0 && depth != 0 ? alignment(a, depth - 1) : 1;
    case operation::bit_and:
    case operation::mul: { // modulo a power of two
      const std::uint64_t n = is_number(b) ? b.number : is_number(a) ? a.number : 1;
      return n == 0 ? 1 : lowest_one(n);
    }
    case operation::shl:
      return is_number(b) && b.number < d.info.width ? std::uint64_t{1} << b.number : 1;
    default:
      return 1;
    }
  }

  /// A lower bound of a value, read as unsigned, from conditions and its definition.
  std::uint64_t least(const value_and_number& x, int depth) const {
    if (x.value == no_value) {
      return x.number;
    }
    const std::uint64_t mask = low_ones(x.width);
    std::uint64_t out = 0;
    for (const true_comparison& c : comparisons_) {
      const bool is_right = c.left.value == no_value;
      const value_and_number& compared = is_right ? c.right : c.left;
      const value_and_number& bound = is_right ? c.left : c.right;
      if (bound.value == no_value && compared.value == x.value && compared.width == x.width) {
        // x is the compared sum plus a difference
        const std::uint64_t more = (x.number - compared.number) & mask;
        const std::uint64_t low = least_that_is(is_right ? mirrored(c.code) : c.code, bound.number, more, mask);
        out = out < low ? low : out;
      }
      if (out == 0 && is_strict(c.code)) {
        out = are_apart_by(c, x) ? 1 : 0;
      }
    }
    const std::uint64_t down = (0 - x.number) & mask; // x is its value less that
    const definition d = sums_.definition_of(x.value);
    if (depth == 0 || d.info.code == operation::other || d.info.width != x.width) {
      return out;
    }
    std::uint64_t by_definition = 0;
    if (x.number != 0) {
      const std::uint64_t of_value = least({x.value, 0, x.width}, depth - 1);
      by_definition = of_value >= down ? of_value - down : 0;
    } else if (d.info.code == operation::zero_extend) {
      const value_and_number a = sums_.operand(d, 0);
      by_definition = a.width == 0 ? 0 : least(a, depth - 1);
    } else if (d.info.code == operation::sub) {
      const value_and_number a = sums_.operand(d, 0);
      const value_and_number b = sums_.operand(d, 1);
      const std::uint64_t n = a.width == 0 || b.width == 0 ? 0 : divisor_of_rest(b, a);
      const std::uint64_t of_value = n == 0 ? 0 : least(a, depth - 1);
      by_definition = n == 0 ? 0 : of_value - of_value % n;
    }
    return out < by_definition ? by_definition : out;
  }

  /// The least (y + more) mod 2^width among all y for which an unsigned comparison with `bound` holds. 0 if the
  /// comparison is signed.
  static constexpr std::uint64_t least_that_is(operation code, std::uint64_t bound, std::uint64_t more,
                                               std::uint64_t mask) {
    std::uint64_t low = 0;
    std::uint64_t high = mask;
    switch (code) {
    case operation::equal:
      low = high = bound;
      break;
    case operation::not_equal:
      low = bound == 0 ? 1u : 0u;
      high = bound == mask ? mask - 1 : mask;
      // The sum can be every number but one, `bound` + `more`.
      return ((bound + more) & mask) == 0 ? 1 : 0;
    case operation::uless:
      if (bound == 0) {
        return 0;
      }
      high = bound - 1;
      break;
    case operation::uless_equal:
      high = bound;
      break;
    case operation::ugreater:
      if (bound == mask) {
        return 0;
      }
      low = bound + 1;
      break;
    case operation::ugreater_equal:
      low = bound;
      break;
    default:
      return 0;
    }
    low = (low + more) & mask;
    high = (high + more) & mask;
    return low <= high ? low : 0;
  }

  static constexpr bool is_strict(operation code) {
    return code == operation::not_equal || code == operation::less || code == operation::greater ||
           code == operation::uless || code == operation::ugreater;
  }

  /// Whether `x` is the difference of the compared numbers, in either direction.
  bool are_apart_by(const true_comparison& c, const value_and_number& x) const {
    return c.left.width == x.width && (is_difference(x, c.left, c.right) || is_difference(x, c.right, c.left));
  }

  /// Whether x is a - b.
  bool is_difference(const value_and_number& x, const value_and_number& a, const value_and_number& b) const {
    linear_sum s(x.width);
    s.add(x, 1);
    s.add(a, ~std::uint64_t{0});
    s.add(b, 1);
    sums_.expand_all(s);
    return s.is_zero();
  }

  // What follows from a bound.

  void derive_from(const detail::upper_bound_of_iteration x) {
    const std::uint64_t mask = x.v.width == 0 ? 0 : low_ones(x.v.width);
    const definition d = sums_.definition_of(x.v.value);
    if (x.v.value == no_value) {
      return;
    }
    if (x.v.number != 0) { // a sum
      const value_and_number whole{x.v.value, 0, x.v.width};
      const std::uint64_t down = (0 - x.v.number) & mask;
      if (x.b >= x.v.number) { // if it wrapped, it would be less than its number
        add_bound(x.a, x.b - x.v.number, whole);
      } else if (least(whole, 4) >= down && x.b <= ~std::uint64_t{0} - down) {
        add_bound(x.a, x.b + down, whole);
      }
    }
    for (std::uint32_t i = 0; i != comparisons_.size(); ++i) { // the compared sum is v plus another number
      for (const value_and_number other : {comparisons_[i].left, comparisons_[i].right}) {
        const std::uint64_t up = (other.number - x.v.number) & mask;
        if (other.value == x.v.value && other.width == x.v.width && up != 0 && least(other, 4) >= up &&
            x.b <= ~std::uint64_t{0} - up) {
          add_bound(x.a, x.b + up, other);
        }
      }
    }
    if (x.v.number != 0 || d.info.code == operation::other || d.info.width != x.v.width) {
      return;
    }
    const value_and_number a = sums_.operand(d, 0);
    const value_and_number b = d.num_operands > 1 ? sums_.operand(d, 1) : value_and_number{};
    const bool has_number = b.width != 0 && b.value == no_value;
    switch (d.info.code) {
    case operation::bit_and:
    case operation::umin:
      add_bound(x.a, x.b, a);
      add_bound(x.a, x.b, b);
      break;
    case operation::urem:
      add_bound(x.a, x.b, a);
      break;
    case operation::sub:
      if (a.width != 0 && b.width != 0 && divisor_of_rest(b, a) != 0) {
        add_bound(x.a, x.b, a);
      }
      break;
    case operation::udiv:
      if (has_number && b.number != 0) {
        add_bound(product(x.a, b.number), product(x.b, b.number), a);
      }
      break;
    case operation::shr:
      if (has_number && b.number < d.info.width) {
        const std::uint64_t divisor = std::uint64_t{1} << b.number;
        add_bound(product(x.a, divisor), product(x.b, divisor), a);
      }
      break;
    case operation::zero_extend:
      add_bound(x.a, x.b, a);
      break;
    default:
      break;
    }
  }

  // Tests.

  /// Replaces an extended bound by the number before the extension.
  bool unextend(iteration_test& t) const {
    const unsigned width = t.start.width;
    const auto extended = [&](const value_and_number& wide) {
      const definition d = sums_.definition_of(wide.value);
      const bool is = wide.number == 0 && d.info.code == t.extension && d.info.operand_width == width;
      return is ? sums_.operand(d, 0) : value_and_number{};
    };
    value_and_number narrow = extended(t.bound);
    for (const true_comparison& c : comparisons_) {
      if (narrow.width == 0 && c.code == operation::equal) {
        narrow = c.left == t.bound ? extended(c.right) : c.right == t.bound ? extended(c.left) : narrow;
      }
    }
    if (narrow.width == 0 && t.bound.value == no_value) {
      narrow = {no_value, t.bound.number & low_ones(width), width};
      const std::uint64_t again = t.extension == operation::zero_extend
                                      ? narrow.number
                                      : static_cast<std::uint64_t>(as_signed(narrow.number, width));
      narrow.width = (again & low_ones(t.bound.width)) == t.bound.number ? width : 0;
    }
    t.bound = narrow;
    // Extension keeps the order of numbers. Zero extension makes the order unsigned.
    t.stays = t.extension == operation::zero_extend ? unsigned_comparison(t.stays) : t.stays;
    t.extension = operation::copy;
    return narrow.width != 0;
  }

  static constexpr bool is_below(operation code) {
    return code == operation::less || code == operation::less_equal || code == operation::uless ||
           code == operation::uless_equal;
  }

  static constexpr bool is_signed_order(operation code) {
    return code >= operation::less && code <= operation::greater_equal;
  }

  static constexpr bool is_order(operation code) {
    return code >= operation::less && code <= operation::ugreater_equal;
  }

  bool stays_on_side(const iteration_test& t) const {
    for (const true_comparison& c : comparisons_) {
      if (is_order(c.code) && c.left.width == t.start.width && is_signed_order(c.code) == is_signed_order(t.stays)) {
        const bool is_same = is_below(c.code) == is_below(t.stays);
        if (stays_between(t, is_same ? c.left : c.right, is_same ? c.right : c.left, is_strict(c.code))) {
          return true;
        }
      }
    }
    return false;
  }

  /// Whether a test holds for all numbers from `first` to `last`. `first` is before `last`, or equal to it if not
  /// `is_apart`.
  bool stays_between(const iteration_test& t, const value_and_number& first, const value_and_number& last,
                     bool is_apart) const {
    if (last != t.bound && !sums_.difference(last, t.bound).is_zero()) {
      return false;
    }
    const linear_sum past = sums_.difference(t.start, first);
    if (!past.is_number()) {
      return false;
    }
    const std::uint64_t mask = low_ones(t.start.width);
    const bool is_up = is_below(t.stays);
    const std::uint64_t a = (is_up ? t.step : 0 - t.step) & mask;
    const std::uint64_t b = (is_up ? past.number() : 0 - past.number()) & mask;
    const std::uint64_t strict = is_strict(t.stays) ? 1 : 0;
    const value_and_number& high = is_up ? last : first;
    const value_and_number& low = is_up ? first : last;
    for (const detail::upper_bound_of_iteration& x : bounds_) {
      if (x.v.width == t.start.width && a <= x.a && b + strict >= b && is_excess(x, b + strict, high, low, is_apart)) {
        return true;
      }
    }
    return false;
  }

  /// Whether x bounds a · m + `b` by high - low: x is a bound of this difference, perhaps plus a number.
  bool is_excess(const detail::upper_bound_of_iteration& x, std::uint64_t b, const value_and_number& high,
                 const value_and_number& low, bool is_apart) const {
    linear_sum s(x.v.width); // v less the difference
    s.add(x.v, 1);
    s.add(high, ~std::uint64_t{0});
    s.add(low, 1);
    sums_.expand_all(s);
    if (!s.is_number()) {
      return false;
    }
    if (is_apart && s.number() == low_ones(x.v.width)) { // v is one less than a difference that is not 0
      return b == 0 || b - 1 <= x.b;
    }
    return x.b >= s.number() && b <= x.b - s.number();
  }

  /// A value in an iteration in which a test is met: (u · m + t) mod 2^bits. The bits above are zeros or unknown.
  struct value_when_met {
    bool is_known = false;
    bool has_zeros = false; ///< above
    unsigned bits = 0;
    std::uint64_t u = 0;
    std::uint64_t t = 0;
  };

  bool never_meets(const iteration_test& t) const {
    for (const detail::upper_bound_of_iteration& x : bounds_) {
      if (x.b != 0) {
        const value_when_met met = when_met(x.v, t, 8);
        if (met.is_known && met.has_zeros && met.u <= x.a && met.t < x.b) {
          return true;
        }
      }
    }
    return false;
  }

  value_when_met when_met(const value_and_number& v, const iteration_test& t, int depth) const {
    value_when_met out;
    if (v.value == no_value) {
      return {v.width != 0, true, v.width, 0, v.number};
    }
    if (v.width == t.start.width) {
      // bound - start is step · m. This also gives multiples of it plus a number.
      for (const std::uint64_t sign : {std::uint64_t{1}, ~std::uint64_t{0}}) {
        linear_sum rest(v.width);
        rest.add(v, 1);
        rest.add(t.bound, 0 - sign);
        rest.add(t.start, sign);
        sums_.expand_all(rest);
        if (rest.is_number()) {
          return {true, true, v.width, (sign * t.step) & low_ones(v.width), rest.number()};
        }
      }
    }
    if (depth == 0) {
      return out;
    }
    if (v.number != 0) {
      out = when_met({v.value, 0, v.width}, t, depth - 1);
      out.has_zeros = out.has_zeros && out.bits == v.width;
      out.t = out.is_known ? (out.t + v.number) & low_ones(out.bits) : 0;
      return out;
    }
    const definition d = sums_.definition_of(v.value);
    if (d.info.code == operation::other || d.num_operands < 2 || d.info.width != v.width) {
      return out;
    }
    const value_and_number a = sums_.operand(d, 0);
    const value_and_number b = sums_.operand(d, 1);
    const bool is_number = b.width != 0 && b.value == no_value;
    if (a.width == 0 || !is_number) {
      return out;
    }
    out = when_met(a, t, depth - 1);
    if (!out.is_known) {
      return out;
    }
    switch (d.info.code) {
    case operation::shr: // exactly: what is shifted out is 0
      out.is_known = out.has_zeros && b.number < out.bits && ((out.u | out.t) & ones_below(shift_of(b.number))) == 0;
      if (out.is_known) {
        out.bits -= shift_of(b.number);
        out.u >>= b.number;
        out.t >>= b.number;
      }
      return out;
    case operation::mul:
      out.has_zeros = out.has_zeros && out.bits == v.width;
      out.u = (out.u * b.number) & low_ones(out.bits);
      out.t = (out.t * b.number) & low_ones(out.bits);
      return out;
    case operation::bit_and: {
      unsigned ones = 0;
      while (ones < 64 && (b.number >> ones & 1) != 0) {
        ++ones;
      }
      out.is_known = ones != 0 && b.number == ones_below(ones) && (ones <= out.bits || out.has_zeros);
      out.has_zeros = true;
      out.bits = ones < out.bits ? ones : out.bits;
      out.u = out.is_known ? out.u & low_ones(out.bits) : 0;
      out.t = out.is_known ? out.t & low_ones(out.bits) : 0;
      return out;
    }
    default:
      return {};
    }
  }

  static constexpr unsigned shift_of(std::uint64_t amount) { return static_cast<unsigned>(amount < 64 ? amount : 63); }

  const linear_sums<IR>& sums_;
  flat_array<detail::upper_bound_of_iteration>& bounds_;
  flat_array<true_comparison>& comparisons_;
  bool is_contradiction_ = false; ///< the number 0 was found to be a true condition
};

MIDEND_END_NAMESPACE
