/// `order_memory`: which accesses to memory and calls of a region must keep their order.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/memory_places.hpp"
#include "midend/ir/operation.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/lowering/detail/instruction_selection.hpp"
#include "midend/machine/lowering/detail/lowering_choices.hpp"
#include "midend/machine/lowering/detail/needed_values.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/region_value_kind.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/order.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// By how much a value, extended to 64 bits with or without its sign, changes from pass to pass, modulo 2^bits. A
/// counter of fewer bits may wrap, but its low bits go on.
struct value_stride {
  bool is_known = false;
  std::uint64_t by = 0;   ///< valid if it is known
  std::uint8_t bits = 64; ///< likewise: 1 … 64
};

/// `second`, `distance` passes later, waits for `first`.
struct ordered_accesses {
  region_id first;
  region_id second;
  std::uint32_t distance;
};

/// The result of `order_memory`.
struct memory_order {
  flat_array<region_id> accesses; ///< loads, stores and calls that take an operation, in their order
  flat_array<ordered_accesses> pairs;
  flat_array<value_stride> strides;         ///< by node; filled if `has_effects`
  flat_array<value_stride> address_strides; ///< by access of the region, likewise
  flat_array<unordered_accesses> unordered; ///< see `machine_body::unordered`
  bool has_effects = false;                 ///< without any, nothing must keep its order
};

/// The algorithm of `order_memory`.
class memory_ordering {
public:
  constexpr memory_ordering(const program_region& body, const needed_values& needs, const lowering_choices& choices,
                            bool bases_are_apart, memory_order& out)
      : body_(body), needs_(needs), choices_(choices), bases_are_apart_(bases_are_apart), out_(out) {}

  constexpr void run() {
    out_.accesses.clear();
    out_.pairs.clear();
    out_.unordered.clear();
    out_.has_effects = false;
    for (region_id n = 0; n != body_.values.size(); ++n) {
      const region_value& node = body_.values[n];
      const bool is_access = node.kind == region_value_kind::load || may_have_effect(node);
      if (is_access && (choices_.is(n, lowered_as::operations) || choices_.is(n, lowered_as::with_select))) {
        out_.accesses.push_back(n);
        out_.has_effects = out_.has_effects || may_have_effect(node);
      }
    }
    if (out_.has_effects) {
      find_strides();
      order_accesses();
    }
  }

private:
  // Strides.

  constexpr void find_strides() {
    out_.strides.resize_for_overwrite(body_.values.size());
    for (region_id n = 0; n != body_.values.size(); ++n) {
      out_.strides[n] = compute_stride(n);
    }
    out_.address_strides.resize_for_overwrite(body_.accesses.size());
    for (std::size_t i = 0; i != body_.accesses.size(); ++i) {
      out_.address_strides[i] = stride_of_address(body_.accesses[i]);
    }
  }

  constexpr value_stride compute_stride(region_id n) const {
    const region_value& node = body_.values[n];
    if (node.is_invariant || node.kind == region_value_kind::constant || node.kind == region_value_kind::invariant) {
      return {true, 0};
    }
    if (node.kind == region_value_kind::phi) {
      return stride_of_phi(n);
    }
    return node.kind == region_value_kind::pure ? stride_of_operation(n) : value_stride{};
  }

  constexpr value_stride stride_of_phi(region_id n) const {
    const std::uint32_t phi = needs_.nodes[n].phi;
    if (body_.is_straight_line || phi == not_a_header_phi || body_.next[phi].node != n) {
      return {};
    }
    const int unused = 64 - body_.values[n].info.width;
    const auto step = static_cast<std::int64_t>(body_.next[phi].addend << unused) >> unused;
    return {true, static_cast<std::uint64_t>(step), body_.values[n].info.width};
  }

  /// Of sums of multiples, and of conversions. A multiple of a power of 2 has more low bits that go on.
  constexpr value_stride stride_of_operation(region_id n) const {
    const operation_info& info = body_.values[n].info;
    const auto operands = body_.operands_of(n);
    linear_step step;
    unsigned bits = info.width;
    if (info.code == operation::truncate || info.code == operation::zero_extend ||
        info.code == operation::sign_extend) {
      step = {true, {1, 0}, 1};
      bits = min(bits, unsigned{info.operand_width});
    } else {
      optional<std::uint64_t> literals[3];
      for (std::size_t i = 0; i < 2 && i != operands.size(); ++i) {
        if (is_constant_operand(body_, operands[i])) {
          literals[i] = body_.values[operands[i].node].bits;
        }
      }
      step = linear_step_of(info, literals);
    }
    value_stride out{step.is_linear, 0};
    for (std::size_t i = 0; i != step.num_operands; ++i) {
      const value_stride& of = out_.strides[operands[i].node];
      out.is_known = out.is_known && (of.is_known || step.factors[i] == 0);
      out.by += step.factors[i] * of.by;
      bits = min(bits, bits_of_multiple(of, step.factors[i]));
    }
    out.by = static_cast<std::uint64_t>(as_signed(out.by & low_ones(info.width), info.width));
    out.bits = static_cast<std::uint8_t>(bits == info.width && out.by == 0 ? 64 : bits); // the same in all passes
    return out;
  }

  static constexpr unsigned bits_of_multiple(const value_stride& of, std::uint64_t factor) {
    return min(64U, of.bits + static_cast<unsigned>(std::countr_zero(factor)));
  }

  constexpr value_stride stride_of(region_id n) const {
    return n == no_region_value ? value_stride{true, 0} : out_.strides[n];
  }

  constexpr value_stride stride_of_address(const region_access& a) const {
    const value_stride base = stride_of(a.base);
    const value_stride index = stride_of(a.index);
    const auto scale = static_cast<std::uint64_t>(a.scale);
    const unsigned bits = min(unsigned{base.bits}, bits_of_multiple(index, scale));
    return {base.is_known && index.is_known, base.by + index.by * scale, static_cast<std::uint8_t>(bits)};
  }

  // Pairs of accesses.

  /// An access is compared with at most this many before it, so that the time stays linear. In larger bodies some
  /// dependences are not found, and the bounds stay lower bounds.
  static constexpr std::size_t most_compared = 128;

  /// Everything before the last call waits for that call, so that the search ends there.
  constexpr void order_accesses() {
    for (std::size_t second = 0; second != out_.accesses.size(); ++second) {
      order(out_.accesses[second], out_.accesses[second]);
      for (std::size_t first = second; first-- != 0 && second - first <= most_compared;) {
        order(out_.accesses[first], out_.accesses[second]);
        if (body_.values[out_.accesses[first]].kind == region_value_kind::call) {
          break;
        }
      }
    }
  }

  /// Requires that `first` comes before `second` in a pass, or is the same.
  constexpr void order(region_id first, region_id second) {
    if (!must_keep_order(first, second)) {
      return;
    }
    const optional<place_distance> distance = distance_of(first, second);
    if (!distance && bases_are_apart_ && can_be_tested(first, second)) {
      out_.unordered.push_back({body_.values[first].origin, body_.values[second].origin});
      return;
    }
    if (!distance) {
      if (first != second) {
        add(first, second, 0);
      }
      add(second, first, 1);
      return;
    }
    const std::uint32_t bytes_of_first = access_of(first).bytes;
    const std::uint32_t bytes_of_second = access_of(second).bytes;
    const unsigned bits = out_.address_strides[body_.values[first].access].bits;
    if (first != second) {
      add_if_near(first, second, first_meeting(*distance, bytes_of_first, bytes_of_second, 0, bits));
    }
    add_if_near(second, first, first_meeting(distance->reversed(), bytes_of_second, bytes_of_first, 1, bits));
  }

  constexpr const region_access& access_of(region_id n) const { return body_.accesses[body_.values[n].access]; }

  /// Whether a test before the loop can compare all addresses of one access with all of the other.
  constexpr bool can_be_tested(region_id first, region_id second) const {
    const auto is_steady = [&](region_id n) {
      const region_value& node = body_.values[n];
      return node.kind != region_value_kind::call && !node.is_volatile && access_of(n).base != no_region_value &&
             access_of(n).bytes != 0 && out_.address_strides[node.access].is_known;
    };
    return is_steady(first) && is_steady(second) && access_of(first).base != access_of(second).base;
  }

  constexpr bool must_keep_order(region_id first, region_id second) const {
    const region_value& a = body_.values[first];
    const region_value& b = body_.values[second];
    if (a.kind == region_value_kind::call || b.kind == region_value_kind::call || (a.is_volatile && b.is_volatile)) {
      return true;
    }
    if (a.kind == region_value_kind::load && b.kind == region_value_kind::load) {
      return false;
    }
    const region_access& x = body_.accesses[a.access];
    const region_access& y = body_.accesses[b.access];
    return !classes_are_apart(x.memory, y.memory) && !local_classes_are_apart(x.local, x.scope, y.local, y.scope);
  }

  /// How far the second address is after the first one; nothing if that is not known, or changes from pass to pass by
  /// an unknown amount.
  constexpr optional<place_distance> distance_of(region_id first, region_id second) const {
    const region_value& n = body_.values[first];
    const region_value& m = body_.values[second];
    if (n.kind == region_value_kind::call || m.kind == region_value_kind::call || (n.is_volatile && m.is_volatile)) {
      return std::nullopt;
    }
    const region_access& a = body_.accesses[n.access];
    const region_access& b = body_.accesses[m.access];
    const value_stride& stride = out_.address_strides[n.access];
    if (!stride.is_known || a.bytes == 0 || b.bytes == 0) {
      return std::nullopt;
    }
    const auto bytes = distance_between(a, b, [](region_id, region_id) { return false; });
    return bytes ? optional(place_distance{*bytes, stride.by}) : std::nullopt;
  }

  /// Drops a dependence over `far` or more passes: it gives a bound above 1 only in a chain of as many cycles.
  constexpr void add_if_near(region_id first, region_id second, std::optional<std::uint64_t> distance) {
    constexpr std::uint64_t far = 1000;
    if (distance && *distance < far) {
      add(first, second, static_cast<std::uint32_t>(*distance));
    }
  }

  /// A straight line has no next pass.
  constexpr void add(region_id first, region_id second, std::uint32_t distance) {
    if (!body_.is_straight_line || distance == 0) {
      out_.pairs.push_back({first, second, distance});
    }
  }

  const program_region& body_;
  const needed_values& needs_;
  const lowering_choices& choices_;
  bool bases_are_apart_;
  memory_order& out_;
};

/// Orders the accesses of a body. Accesses to different classes of memory never overlap. Accesses with the same base,
/// index and scale overlap according to their offsets, and in later passes according to the stride of the address:
/// `first_meeting` says how many passes later first. Addresses of counters that may wrap are compared in the low bits
/// that go on. All others may overlap, in the same pass and the next. Loads do
/// not wait for loads, volatile accesses keep their order, calls keep their order with all accesses. With
/// `bases_are_apart`, accesses that a test before the loop can show to be apart are listed, not ordered. If nothing has
/// an effect there is nothing to order. Refills `out`. Linear: an access is compared with the 128 before it.
constexpr void order_memory(const program_region& body, const needed_values& needs, const lowering_choices& choices,
                            bool bases_are_apart, memory_order& out) {
  memory_ordering(body, needs, choices, bases_are_apart, out).run();
}

} // namespace detail

MIDEND_END_NAMESPACE
