/// `value_form_reader`: reads the values of a program as linear forms.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Reads a value as a sum that holds in all iterations: of header phis, of operations that are no sums, and of values
/// from outside. Each value has three forms: its bits, and, as far as nothing wraps, its number with and without sign.
class value_form_reader {
public:
  /// `rank` is the position of each node in reverse postorder, or `value_evolutions::none`.
  value_form_reader(const flat_program& program, const loop_forest& loops, span<const number_facts> facts,
                    span<const std::uint32_t> rank, flat_array<number_facts>& narrowed,
                    flat_array<unsigned char>& is_narrowed, value_evolutions& out)
      : p_(program), loops_(loops), facts_(facts), rank_(rank), narrowed_(narrowed), is_narrowed_(is_narrowed),
        out_(out) {
    narrowed_.clear();
    is_narrowed_.clear();
  }

  /// Fills the records of all values. `order` has the nodes in reverse postorder.
  void run(span<const node_id> order) {
    out_.values_.assign(p_.num_values(), {});
    for (value_id v = 0; v != p_.num_values(); ++v) {
      prepare(v);
    }
    std::uint32_t slots = 0;
    for (const node_id n : order) {
      for (const value_id v : p_.values(n)) {
        read_forms(v, slots);
      }
    }
    out_.slots_.assign(slots, value_evolutions::none);
  }

  bool is_reachable(node_id n) const { return rank_[n] != value_evolutions::none; }

  number_facts facts_of(value_id v) const {
    return v < facts_.size() ? facts_[v] : number_facts::any(out_.values_[v].width);
  }

  unsigned width_of(value_id v) const { return out_.values_[v].width; }

  linear_form form_of(value_id v) const { return out_.form_of(v); }

  number_reading canonical(value_id v, number_reading r) const { return out_.canonical(v, r); }

  bool reduce(linear_form& form, unsigned width) const {
    return form.reduce(width, [this](value_id x) { return unsigned{out_.values_[x].width}; });
  }

  /// Adds facts about a value.
  void narrow(value_id v, const number_facts& facts) {
    if (facts == facts_of(v)) {
      return;
    }
    if (narrowed_.empty()) {
      for (value_id x = 0; x != p_.num_values(); ++x) {
        narrowed_.push_back(facts_of(x));
      }
      facts_ = {narrowed_.data(), narrowed_.size()};
      is_narrowed_.assign(narrowed_.size(), 0);
    }
    narrowed_[v] = facts;
    is_narrowed_[v] = 1;
  }

  loop_id home(value_id v) const { return out_.values_[v].home; }

  bool is_header_phi(value_id v) const {
    return p_.is_phi(v) && home(v) != no_loop && loops_.header(home(v)) == out_.values_[v].node;
  }

  /// A number of `width` bits, as `r` reads it.
  static bool read_number(std::uint64_t bits, unsigned width, number_reading r, linear_form& out) {
    bits &= low_ones(width);
    out.constant = r == as_signed_number ? static_cast<std::uint64_t>(as_signed(bits, width)) : bits;
    return r != as_unsigned_number || bits >> 63 == 0;
  }

  /// The form of an operand, as an operation of `width` bits reads it. False if none is known.
  bool read_operand(value_id v, unsigned width, number_reading r, linear_form& out) const {
    if (v == no_value || p_.is_undefined(v) || p_.may_be_undefined(v)) {
      return false;
    }
    const unsigned wide = out_.values_[v].width;
    if (p_.constant(v)) {
      out = r == low_bits ? linear_form::zero(width) : linear_form::exact_zero();
      return read_number(*p_.constant(v), width, r, out);
    }
    if (r == low_bits) {
      out = out_.form_of(v, wide < width ? as_unsigned_number : low_bits);
      return reduce(out, width);
    }
    out = out_.form_of(v, wide < width ? as_unsigned_number : r);
    return wide <= width || fits(facts_of(v), width, r);
  }

  /// The low bits of a value as a sum, even if the whole value is none: of a value that is masked, or shifted up and
  /// down, or whose low bits the program describes (`low_sum`).
  bool read_low_bits(value_id v, unsigned width, linear_form& out) const {
    std::uint64_t added = 0;
    for (unsigned steps = 0; steps != 8 && v != no_value && !p_.is_phi(v) && !p_.constant(v); ++steps) {
      if (const auto sum = p_.low_sum(v); sum && sum->bits >= width) {
        added += sum->number;
        v = sum->base;
        continue;
      }
      const operation_info info = p_.operation(v);
      const span<const value_id> operands = p_.operands(v);
      if (info.code == operation::other || operands.size() < arity(info.code) || info.width < width ||
          info.width > 64 || p_.is_undefined(v) || p_.may_be_undefined(v)) {
        break;
      }
      const auto first = operands.size() == 2 && operands[0] != no_value ? p_.constant(operands[0]) : std::nullopt;
      const auto second = operands.size() == 2 && operands[1] != no_value ? p_.constant(operands[1]) : std::nullopt;
      const bool has_number = second.has_value();
      const std::uint64_t number = second.value_or(0);
      if (info.code == operation::shr || info.code == operation::sar) {
        const bool is_read = has_number && number <= info.width - width && out_.values_[operands[0]].width == info.width
                                 ? read_shifted_down(operands[0], static_cast<unsigned>(number), width, out)
                                 : read_operand(v, width, low_bits, out);
        return is_read && out.add(added);
      }
      const bool has_mask = first.has_value() || has_number; // of a commutative operation
      const std::uint64_t mask = (has_number ? number : first.value_or(0)) & low_ones(width);
      const bool is_conversion = info.code == operation::truncate || info.code == operation::zero_extend ||
                                 info.code == operation::sign_extend;
      const bool keeps_bits = info.code == operation::copy || (is_conversion && info.operand_width >= width) ||
                              (has_mask && info.code == operation::bit_and && mask == low_ones(width)) ||
                              (has_mask && info.code == operation::bit_or && mask == 0) ||
                              (has_mask && info.code == operation::bit_xor && mask == 0);
      if (!keeps_bits) {
        break;
      }
      v = operands[has_mask && !has_number ? 1 : 0];
    }
    return read_operand(v, width, low_bits, out) && out.add(added);
  }

  /// The low bits of a value in a term of a sum, without its coefficient.
  bool read_low_bits_of_term(const linear_form::term& t, unsigned width, linear_form& out) const {
    if (out_.values_[t.value].width >= width) {
      return read_low_bits(t.value, width, out);
    }
    out = linear_form::zero(width);
    return t.reading != low_bits && out.add(t.value, 1, t.reading);
  }

  /// The bits of a value that may be 1.
  std::uint64_t possible_bits(value_id v, unsigned width) const {
    std::uint64_t out = facts_of_operand(v, width).possible_bits();
    if (!p_.is_phi(v) && p_.operation(v).code == operation::bit_and) {
      for (const value_id x : p_.operands(v)) {
        out &= p_.constant(x) ? *p_.constant(x) : out;
      }
    }
    return out;
  }

private:
  static constexpr number_reading low_bits = number_reading::low_bits;
  static constexpr number_reading as_signed_number = number_reading::as_signed;
  static constexpr number_reading as_unsigned_number = number_reading::as_unsigned;
  static constexpr std::uint64_t minus_one = ~std::uint64_t{0};

  void prepare(value_id v) {
    evolving_value& record = out_.values_[v];
    const node_id n = p_.node_of(v);
    const unsigned width = p_.operation(v).width;
    record.width = static_cast<std::uint8_t>(width < 1 || width > 64 ? 64 : width);
    record.is_natural = facts_of(v).is_natural();
    if (n != no_node && is_reachable(n)) {
      record.node = n;
      record.home = loops_.innermost_loop(n);
    }
    for (const number_reading r : number_readings) {
      linear_form number = out_.kind_of(v, r);
      if (p_.constant(v) && read_number(*p_.constant(v), record.width, r, number)) {
        record.forms[static_cast<unsigned>(r)] = out_.packed(number);
      }
    }
  }

  void read_forms(value_id v, std::uint32_t& slots) {
    if (p_.constant(v)) {
      return;
    }
    evolving_value& record = out_.values_[v];
    linear_form forms[3];
    bool is_sum[3] = {};
    for (unsigned i = 0; i != 3; ++i) {
      forms[i] = out_.kind_of(v, number_readings[i]);
      is_sum[i] = read_form(v, number_readings[i], forms[i]);
    }
    if (record.is_natural && is_sum[1] != is_sum[2]) { // both readings are equal
      forms[is_sum[1] ? 2 : 1] = forms[is_sum[1] ? 1 : 2];
      is_sum[1] = is_sum[2] = true;
    }
    for (unsigned i = 0; i != 3; ++i) {
      if (is_sum[i]) {
        record.forms[i] = out_.packed(forms[i]);
      }
    }
    if (record.home != no_loop && !(is_sum[0] && is_sum[1] && is_sum[2])) {
      const std::uint32_t depth = loops_.depth(record.home);
      record.levels =
          static_cast<std::uint8_t>(depth < value_evolutions::max_levels ? depth : value_evolutions::max_levels);
      record.slots = slots;
      slots += 3U * record.levels;
    }
  }

  static bool fits(const number_facts& f, unsigned width, number_reading r) {
    const auto most = static_cast<std::int64_t>(low_ones(width) >> 1);
    return r == as_unsigned_number ? f.most <= low_ones(width) : f.low >= -most - 1 && f.high <= most;
  }

  number_facts facts_of_operand(value_id v, unsigned width) const {
    return p_.constant(v)                   ? number_facts::exactly(width, *p_.constant(v))
           : out_.values_[v].width == width ? facts_of(v)
                                            : number_facts::any(width);
  }

  bool read_form(value_id v, number_reading r, linear_form& out) {
    if (const auto c = facts_of(v).constant()) {
      return read_number(*c, out_.values_[v].width, r, out);
    }
    return p_.is_phi(v) ? !is_header_phi(v) && read_join(v, r, out) : read_operation(v, r, out);
  }

  /// Reads a phi whose inputs are all one sum.
  bool read_join(value_id v, number_reading r, linear_form& out) {
    evolving_value& record = out_.values_[v];
    bool is_first = true;
    for (const edge_id e : p_.graph().in_edges(record.node)) {
      const std::uint32_t rank = rank_[p_.graph().edge_source(e)];
      if (rank == value_evolutions::none) {
        continue;
      }
      if (rank >= rank_[record.node]) {
        record.phi = evolution_obstacle::irreducible_cycle;
        return false;
      }
      linear_form input;
      if (!read_operand(p_.phi_input(v, e), record.width, r, input) || (!is_first && !same_sum(input, out))) {
        return false;
      }
      out = input;
      is_first = false;
    }
    return !is_first;
  }

  bool read_operation(value_id v, number_reading r, linear_form& out) const {
    const operation_info info = p_.operation(v);
    const span<const value_id> operands = p_.operands(v);
    const unsigned width = info.width;
    if (info.code == operation::other || operands.size() < arity(info.code)) {
      return false;
    }
    switch (info.code) {
    case operation::copy:
      return read_operand(operands[0], width, r, out);
    case operation::neg:
      return (r == low_bits || keeps_difference(info, r, {}, operands[0])) &&
             read_operand(operands[0], width, r, out) && out.negate();
    case operation::bit_not: // -1 - x; for unsigned numbers, the largest one minus x
      return read_operand(operands[0], width, r, out) && out.negate() &&
             (r == as_unsigned_number ? low_ones(width) >> 63 == 0 && out.add(low_ones(width)) : out.add(minus_one));
    case operation::add:
      return read_sum(info, operands[0], operands[1], v, r, out);
    case operation::bit_or:
    case operation::bit_xor:
      return (possible_bits(operands[0], width) & possible_bits(operands[1], width)) == 0 && r != as_signed_number &&
             add_operands(operands[0], operands[1], width, r, 1, out);
    case operation::sub:
      return (r == low_bits || keeps_difference(info, r, operands[0], operands[1])) &&
             add_operands(operands[0], operands[1], width, r, minus_one, out);
    case operation::mul:
      return p_.constant(operands[1])   ? read_multiple(info, operands[0], *p_.constant(operands[1]), r, out)
             : p_.constant(operands[0]) ? read_multiple(info, operands[1], *p_.constant(operands[0]), r, out)
                                        : false;
    case operation::shl:
      return p_.constant(operands[1]) && *p_.constant(operands[1]) < width - (r == as_signed_number ? 1U : 0U) &&
             read_multiple(info, operands[0], std::uint64_t{1} << *p_.constant(operands[1]), r, out);
    case operation::shladd:
      return read_shifted_sum(info, operands, r, out);
    case operation::bit_and:
      return read_masked(operands, width, r, out);
    case operation::truncate: // of an operand of fewer bits, it extends
      return info.operand_width < width ? read_extended(info, operands[0], as_unsigned_number, r, out)
                                        : read_operand(operands[0], width, r, out);
    case operation::zero_extend:
      return read_extended(info, operands[0], as_unsigned_number, r, out);
    case operation::sign_extend:
      return (r != as_unsigned_number || facts_of(v).is_natural()) &&
             read_extended(info, operands[0], as_signed_number, r, out);
    default:
      return false;
    }
  }

  /// The low bits of x >> by, if a power of 2 divides all terms of x.
  bool read_shifted_down(value_id x, unsigned by, unsigned width, linear_form& out) const {
    linear_form up;
    if (!read_operand(x, width + by, low_bits, up)) {
      return false;
    }
    out = linear_form::zero(width);
    bool fits = (up.constant & ones_below(by)) == 0 && out.add(up.constant >> by);
    for (std::uint32_t i = 0; i != up.num_terms && fits; ++i) {
      const linear_form::term& t = up.terms[i];
      fits = (t.coefficient & ones_below(by)) == 0 && out.add(t.value, t.coefficient >> by, t.reading);
    }
    return fits && reduce(out, width);
  }

  bool add_operands(value_id a, value_id b, unsigned width, number_reading r, std::uint64_t by,
                    linear_form& out) const {
    linear_form second;
    return read_operand(a, width, r, out) && read_operand(b, width, r, second) && out.add(second, by);
  }

  bool read_sum(const operation_info& info, value_id a, value_id b, value_id v, number_reading r,
                linear_form& out) const {
    const unsigned width = info.width;
    if (r == low_bits || keeps_sum(info, r, a, b, v)) {
      return add_operands(a, b, width, r, 1, out);
    }
    if (p_.constant(a)) {
      const value_id other = a;
      a = b;
      b = other;
    }
    if (r != as_unsigned_number || !p_.constant(b)) {
      return false;
    }
    const std::uint64_t by = *p_.constant(b) & low_ones(width); // x + -1, where x is not 0
    return facts_of_operand(a, width).unsigned_sum_fits(by, width) && read_operand(a, width, r, out) &&
           out.add(static_cast<std::uint64_t>(as_signed(by, width)));
  }

  /// Whether a sum does not wrap, by promise or by ranges: of its operands, or of one of them and the sum itself.
  bool keeps_sum(const operation_info& info, number_reading r, value_id a, value_id b, value_id v) const {
    const unsigned width = info.width;
    const number_facts x = facts_of_operand(a, width);
    const number_facts y = facts_of_operand(b, width);
    const number_facts sum = facts_of_operand(v, width);
    if (keeps_term(r, x, sum, width) || keeps_term(r, y, sum, width)) {
      return true;
    }
    if (r == as_unsigned_number) {
      return info.flags.no_unsigned_wrap || !wrapping_add(x.most, y.most, width).unsigned_wrap;
    }
    return info.flags.no_signed_wrap ||
           (!wrapping_add(bits_of(x.low, width), bits_of(y.low, width), width).signed_wrap &&
            !wrapping_add(bits_of(x.high, width), bits_of(y.high, width), width).signed_wrap);
  }

  /// Whether a term and its sum show that it does not wrap: a sum that wraps is less than each term; if a term is
  /// negative, it is greater than that term.
  static bool keeps_term(number_reading r, const number_facts& term, const number_facts& sum, unsigned width) {
    if (r == as_unsigned_number) {
      return sum.least >= term.most;
    }
    const auto highest = static_cast<std::int64_t>(low_ones(width) >> 1);
    return term.low >= 0 ? sum.low >= -highest - 1 + term.high : term.high <= 0 && sum.high <= highest + term.low;
  }

  /// Whether a difference does not wrap; without a first operand, from 0.
  bool keeps_difference(const operation_info& info, number_reading r, optional<value_id> a, value_id b) const {
    const unsigned width = info.width;
    const number_facts x = a ? facts_of_operand(*a, width) : number_facts::exactly(width, 0);
    const number_facts y = facts_of_operand(b, width);
    if (r == as_unsigned_number) {
      return info.flags.no_unsigned_wrap || x.least >= y.most;
    }
    return info.flags.no_signed_wrap ||
           (!wrapping_sub(bits_of(x.low, width), bits_of(y.high, width), width).signed_wrap &&
            !wrapping_sub(bits_of(x.high, width), bits_of(y.low, width), width).signed_wrap);
  }

  static std::uint64_t bits_of(std::int64_t number, unsigned width) {
    return static_cast<std::uint64_t>(number) & low_ones(width);
  }

  bool read_multiple(const operation_info& info, value_id a, std::uint64_t by, number_reading r,
                     linear_form& out) const {
    const unsigned width = info.width;
    by &= low_ones(width);
    const number_facts x = facts_of_operand(a, width);
    if (r == as_signed_number) {
      const bool keeps = info.flags.no_signed_wrap || (!wrapping_mul(bits_of(x.low, width), by, width).signed_wrap &&
                                                       !wrapping_mul(bits_of(x.high, width), by, width).signed_wrap);
      return keeps && read_operand(a, width, r, out) && out.multiply(static_cast<std::uint64_t>(as_signed(by, width)));
    }
    const bool keeps =
        r == low_bits ||
        ((info.flags.no_unsigned_wrap || !wrapping_mul(x.most, by, width).unsigned_wrap) && by >> 63 == 0);
    return keeps && read_operand(a, width, r, out) && out.multiply(by);
  }

  bool read_shifted_sum(const operation_info& info, span<const value_id> operands, number_reading r,
                        linear_form& out) const {
    const auto amount = p_.constant(operands[1]);
    linear_form added;
    const bool keeps =
        r == low_bits || (r == as_signed_number ? info.flags.no_signed_wrap : info.flags.no_unsigned_wrap);
    return keeps && amount && *amount < info.width - (r == as_signed_number ? 1U : 0U) &&
           read_multiple(info, operands[0], std::uint64_t{1} << *amount, r, out) &&
           read_operand(operands[2], info.width, r, added) && out.add(added);
  }

  /// Reads x & mask, where x has no bit outside of the mask.
  bool read_masked(span<const value_id> operands, unsigned width, number_reading r, linear_form& out) const {
    const bool is_second = static_cast<bool>(p_.constant(operands[1]));
    const auto mask = p_.constant(operands[is_second ? 1 : 0]);
    const value_id x = operands[is_second ? 0 : 1];
    return mask && (facts_of_operand(x, width).possible_bits() & ~*mask) == 0 && read_operand(x, width, r, out);
  }

  /// Reads an operand, with or without sign, as a number of more bits.
  bool read_extended(const operation_info& info, value_id v, number_reading number, number_reading r,
                     linear_form& out) const {
    if (info.operand_width == info.width) {
      return read_operand(v, info.width, r, out);
    }
    if (number == as_signed_number && out_.values_[v].width != info.operand_width) {
      return false;
    }
    return info.operand_width <= info.width && read_operand(v, info.operand_width, number, out) &&
           (r != low_bits || reduce(out, info.width));
  }

  const flat_program& p_;
  const loop_forest& loops_;
  span<const number_facts> facts_;
  span<const std::uint32_t> rank_;
  flat_array<number_facts>& narrowed_; ///< by value; empty if no facts were narrowed
  flat_array<unsigned char>& is_narrowed_;
  value_evolutions& out_;
};

} // namespace detail

MIDEND_END_NAMESPACE
