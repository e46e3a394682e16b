/// `order_memory`: which accesses to memory and calls of a region must keep their order.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/operation.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/lowering/detail/instruction_selection.hpp"
#include "midend/machine/lowering/detail/lowering_choices.hpp"
#include "midend/machine/lowering/detail/needed_values.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/region_value_kind.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// By how much a value changes from pass to pass, modulo 2^64.
struct value_stride {
  bool is_known = false;
  std::uint64_t by = 0; ///< valid if it is known
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
  flat_array<unordered_accesses> unordered; ///< see `machine_body::unordered`
  bool has_effects = false;                 ///< without any, nothing must keep its order
};

/// The least distance, from `first` on, at which two accesses overlap: the difference between their addresses,
/// `apart` + distance · `stride`, is above `low` and below `high`.
constexpr std::optional<std::uint64_t> least_distance(std::int64_t apart, std::int64_t stride, std::int64_t low,
                                                      std::int64_t high, std::uint64_t first) {
  if (stride < 0) {
    return least_distance(-apart, -stride, -high, -low, first);
  }
  std::uint64_t distance = first;
  const std::int64_t at_first = apart + static_cast<std::int64_t>(first) * stride;
  if (at_first <= low) {
    if (stride == 0) {
      return std::nullopt;
    }
    distance += static_cast<std::uint64_t>((low - at_first) / stride) + 1;
  }
  const std::int64_t difference = apart + static_cast<std::int64_t>(distance) * stride;
  return difference < high ? std::optional(distance) : std::nullopt;
}

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
    return {true, static_cast<std::uint64_t>(step)};
  }

  constexpr value_stride stride_of_operation(region_id n) const {
    const auto operands = body_.operands_of(n);
    const auto operand = [&](std::size_t i) { return out_.strides[operands[i].node]; };
    const auto constant = [&](std::size_t i) { return body_.values[operands[i].node].bits; };
    const auto is_constant = [&](std::size_t i) { return is_constant_operand(body_, operands[i]); };
    switch (body_.values[n].info.code) {
    case operation::add:
      return {operand(0).is_known && operand(1).is_known, operand(0).by + operand(1).by};
    case operation::sub:
      return {operand(0).is_known && operand(1).is_known, operand(0).by - operand(1).by};
    case operation::mul:
      return {operand(0).is_known && is_constant(1), operand(0).by * constant(1)};
    case operation::shl:
      return {operand(0).is_known && is_constant(1) && constant(1) < 64, operand(0).by << (constant(1) & 63)};
    case operation::copy:
    case operation::truncate:
    case operation::zero_extend:
    case operation::sign_extend:
      return operand(0);
    default:
      return {};
    }
  }

  constexpr value_stride stride_of(region_id n) const {
    return n == no_region_value ? value_stride{true, 0} : out_.strides[n];
  }

  constexpr value_stride stride_of_address(const region_access& a) const {
    const value_stride base = stride_of(a.base);
    const value_stride index = stride_of(a.index);
    return {base.is_known && index.is_known, base.by + index.by * static_cast<std::uint64_t>(a.scale)};
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
    const auto apart = difference_of_addresses(first, second);
    if (!apart && bases_are_apart_ && can_be_tested(first, second)) {
      out_.unordered.push_back({body_.values[first].origin, body_.values[second].origin});
      return;
    }
    if (!apart) {
      if (first != second) {
        add(first, second, 0);
      }
      add(second, first, 1);
      return;
    }
    const region_access& a = body_.accesses[body_.values[first].access];
    const region_access& b = body_.accesses[body_.values[second].access];
    const auto stride = static_cast<std::int64_t>(stride_of_address(a).by);
    const std::int64_t size_a = a.bytes;
    const std::int64_t size_b = b.bytes;
    if (first != second) {
      add_if_near(first, second, least_distance(*apart, stride, -size_b, size_a, 0));
    }
    add_if_near(second, first, least_distance(-*apart, stride, -size_a, size_b, 1));
  }

  /// Whether a test before the loop can compare all addresses of one access with all of the other.
  constexpr bool can_be_tested(region_id first, region_id second) const {
    const auto is_steady = [&](region_id n) {
      const region_value& node = body_.values[n];
      return node.kind != region_value_kind::call && !node.is_volatile &&
             body_.accesses[node.access].base != no_region_value && body_.accesses[node.access].bytes != 0 &&
             stride_of_address(body_.accesses[node.access]).is_known;
    };
    return is_steady(first) && is_steady(second) &&
           body_.accesses[body_.values[first].access].base != body_.accesses[body_.values[second].access].base;
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
    const bool apart_in_procedure = x.memory != y.memory && x.memory != any_memory && y.memory != any_memory;
    const bool apart_in_loop =
        x.scope == y.scope && x.local != y.local && x.local != any_memory && y.local != any_memory;
    return !apart_in_procedure && !apart_in_loop;
  }

  /// The difference between two addresses in the same pass; nothing if it is not known, or changes from pass to pass by
  /// an unknown amount.
  constexpr optional<std::int64_t> difference_of_addresses(region_id first, region_id second) const {
    const region_value& n = body_.values[first];
    const region_value& m = body_.values[second];
    if (n.kind == region_value_kind::call || m.kind == region_value_kind::call || (n.is_volatile && m.is_volatile)) {
      return std::nullopt;
    }
    const region_access& a = body_.accesses[n.access];
    const region_access& b = body_.accesses[m.access];
    const value_stride stride = stride_of_address(a);
    constexpr std::uint64_t limit = std::uint64_t{1} << 40;
    const std::uint64_t apart = static_cast<std::uint64_t>(b.offset) - static_cast<std::uint64_t>(a.offset);
    const bool is_same = a.base != no_region_value && a.base == b.base && a.index == b.index &&
                         (a.scale == b.scale || a.index == no_region_value);
    const bool is_near = apart + limit < 2 * limit && stride.by + limit < 2 * limit;
    if (!is_same || !is_near || !stride.is_known || a.bytes == 0 || b.bytes == 0) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(apart);
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
/// index and scale overlap according to their offsets, and in later passes according to the stride of the address. All
/// others may overlap, in the same pass and the next. Loads do not wait for loads, volatile accesses keep their order,
/// calls keep their order with all accesses. With `bases_are_apart`, accesses that a test before the loop can show to
/// be apart are listed, not ordered. If nothing has an effect there is nothing to order. Refills `out`. Linear: an
/// access is compared with the 128 before it.
constexpr void order_memory(const program_region& body, const needed_values& needs, const lowering_choices& choices,
                            bool bases_are_apart, memory_order& out) {
  memory_ordering(body, needs, choices, bases_are_apart, out).run();
}

} // namespace detail

MIDEND_END_NAMESPACE
