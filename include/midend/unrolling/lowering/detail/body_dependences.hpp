/// What operations wait for beside values: memory, calls, and exits that the data decide.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/operation.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/lowering/detail/lower_body.hpp"
#include "midend/unrolling/lowering/detail/lower_workspace.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// By how much a value changes from pass to pass, if that is always the same.
struct value_strides {
  const unrolled_body& body;
  lowering_memory& w;

  constexpr void find() {
    w.strides.resize_for_overwrite(body.nodes.size());
    for (unrolled_id n = 0; n != body.nodes.size(); ++n) {
      w.strides[n] = stride_of(n);
    }
  }

  constexpr value_stride of(unrolled_id n) const { return n == no_unrolled ? value_stride{true, 0} : w.strides[n]; }

  /// Of an address.
  constexpr value_stride of(const unrolled_access& a) const {
    const value_stride base = of(a.base);
    const value_stride index = of(a.index);
    return {base.is_known && index.is_known, base.by + index.by * static_cast<std::uint64_t>(a.scale)};
  }

private:
  constexpr value_stride stride_of(unrolled_id n) const {
    const unrolled_node& node = body.nodes[n];
    if (node.is_invariant || node.kind == body_kind::constant || node.kind == body_kind::invariant) {
      return {true, 0};
    }
    if (node.kind == body_kind::phi) {
      return stride_of_phi(n);
    }
    return node.kind == body_kind::pure ? stride_of_operation(n) : value_stride{};
  }

  constexpr value_stride stride_of_phi(unrolled_id n) const {
    const std::uint32_t phi = w.nodes[n].phi;
    if (body.is_straight_line || phi == no_lowered || body.next[phi].node != n) {
      return {};
    }
    const int unused = 64 - body.nodes[n].info.width;
    const auto step = static_cast<std::int64_t>(body.next[phi].addend << unused) >> unused;
    return {true, static_cast<std::uint64_t>(step)};
  }

  constexpr value_stride stride_of_operation(unrolled_id n) const {
    const auto operands = body.operands_of(n);
    const auto operand = [&](std::size_t i) { return w.strides[operands[i].node]; };
    const auto number = [&](std::size_t i) { return body.nodes[operands[i].node].bits; };
    const auto is_number = [&](std::size_t i) { return is_constant_operand(body, operands[i]); };
    switch (body.nodes[n].info.code) {
    case operation::add:
      return {operand(0).is_known && operand(1).is_known, operand(0).by + operand(1).by};
    case operation::sub:
      return {operand(0).is_known && operand(1).is_known, operand(0).by - operand(1).by};
    case operation::mul:
      return {operand(0).is_known && is_number(1), operand(0).by * number(1)};
    case operation::shl:
      return {operand(0).is_known && is_number(1) && number(1) < 64, operand(0).by << (number(1) & 63)};
    case operation::copy:
    case operation::truncate:
    case operation::zero_extend:
    case operation::sign_extend:
      return operand(0);
    default:
      return {};
    }
  }
};

/// The least distance, from `first` on, at which an access is within reach of an earlier one: the difference between
/// the addresses, `apart` + distance · `stride`, is above `low` and below `high`.
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

/// Adds to the operations of a body the dependences between accesses of memory: those of different classes never
/// overlap; those with the same base, index and scale by their offsets, and in later passes by the stride of the
/// address; anything else may overlap, in the same pass and the next. Loads do not wait for loads, volatile accesses
/// keep their order, calls keep theirs with everything. What has an effect waits for the exits before it that the data
/// decide; where no exit is, there is nothing to wait for.
template <loop_machine M> struct body_dependences {
  const unrolled_body& body;
  lowering_memory& w;
  body_lowering<M>& lowering;
  machine_body& out;
  value_strides strides{body, w};

  constexpr void add() {
    w.accesses.clear();
    bool writes = false;
    for (unrolled_id n = 0; n != body.nodes.size(); ++n) {
      const body_kind kind = body.nodes[n].kind;
      if (w.nodes[n].result != no_lowered && kind != body_kind::pure && kind != body_kind::phi) {
        w.accesses.push_back(n);
        writes = writes || has_effect(body.nodes[n]);
      }
    }
    w.has_order = writes;
    if (writes) {
      strides.find();
      order_accesses();
      wait_for_exits();
    }
  }

private:
  /// Before the last call there is nothing to wait for but that; and in very large bodies, nothing before the nearest
  /// so many accesses is looked at, so that the time stays linear and what is found a lower bound.
  static constexpr std::size_t most_compared = 128;

  constexpr void order_accesses() {
    for (std::size_t second = 0; second != w.accesses.size(); ++second) {
      order(w.accesses[second], w.accesses[second]);
      for (std::size_t first = second; first-- != 0 && second - first <= most_compared;) {
        order(w.accesses[first], w.accesses[second]);
        if (body.nodes[w.accesses[first]].kind == body_kind::call) {
          break;
        }
      }
    }
  }

  /// `first` comes before `second` in a pass, or is the same.
  constexpr void order(unrolled_id first, unrolled_id second) {
    if (!must_keep_order(first, second)) {
      return;
    }
    const auto same_place = difference(first, second);
    if (!same_place) {
      if (first != second) {
        wait(first, second, 0);
      }
      wait(second, first, 1);
      return;
    }
    const unrolled_access& a = body.accesses[body.nodes[first].access];
    const unrolled_access& b = body.accesses[body.nodes[second].access];
    const auto stride = static_cast<std::int64_t>(strides.of(a).by);
    const std::int64_t size_a = a.bytes;
    const std::int64_t size_b = b.bytes;
    if (first != second) {
      wait_if(first, second, least_distance(*same_place, stride, -size_b, size_a, 0));
    }
    wait_if(second, first, least_distance(-*same_place, stride, -size_a, size_b, 1));
  }

  constexpr bool must_keep_order(unrolled_id first, unrolled_id second) const {
    const unrolled_node& a = body.nodes[first];
    const unrolled_node& b = body.nodes[second];
    if (a.kind == body_kind::call || b.kind == body_kind::call || (a.is_volatile && b.is_volatile)) {
      return true;
    }
    if (a.kind == body_kind::load && b.kind == body_kind::load) {
      return false;
    }
    const std::uint32_t of_a = body.accesses[a.access].memory;
    const std::uint32_t of_b = body.accesses[b.access].memory;
    return of_a == of_b || of_a == any_memory || of_b == any_memory;
  }

  /// The distance between two addresses, if it is known in this pass and by how much it changes with each pass.
  constexpr std::optional<std::int64_t> difference(unrolled_id first, unrolled_id second) const {
    const unrolled_node& n = body.nodes[first];
    const unrolled_node& m = body.nodes[second];
    if (n.kind == body_kind::call || m.kind == body_kind::call || (n.is_volatile && m.is_volatile)) {
      return std::nullopt;
    }
    const unrolled_access& a = body.accesses[n.access];
    const unrolled_access& b = body.accesses[m.access];
    const value_stride stride = strides.of(a);
    constexpr std::uint64_t limit = std::uint64_t{1} << 40;
    const std::uint64_t apart = static_cast<std::uint64_t>(b.offset) - static_cast<std::uint64_t>(a.offset);
    const bool is_same = a.base != no_unrolled && a.base == b.base && a.index == b.index &&
                         (a.scale == b.scale || a.index == no_unrolled);
    const bool is_near = apart + limit < 2 * limit && stride.by + limit < 2 * limit;
    if (!is_same || !is_near || !stride.is_known || a.bytes == 0 || b.bytes == 0) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(apart);
  }

  constexpr void wait_if(unrolled_id producer, unrolled_id consumer, std::optional<std::uint64_t> distance) {
    constexpr std::uint64_t far = 1000;
    if (distance && *distance < far) {
      wait(producer, consumer, static_cast<std::uint32_t>(*distance));
    }
  }

  /// A straight line has no next pass. What comes behind a call waits until it is back.
  constexpr void wait(unrolled_id producer, unrolled_id consumer, std::uint32_t distance) {
    if (body.is_straight_line && distance != 0) {
      return;
    }
    const operation_id p = w.nodes[producer].result;
    const operation_id c = w.nodes[consumer].result;
    if (body.nodes[producer].kind == body_kind::call) {
      out.graph.add_dependence({p, c, out.graph.operation(p).latency, distance, dependence_kind::memory});
    } else {
      const bool reads = body.nodes[producer].kind == body_kind::load;
      lowering.ops.wait(p, c, reads ? dependence_kind::order : dependence_kind::memory, distance);
    }
  }

  constexpr void wait_for_exits() {
    for (const unrolled_exit& e : body.exits) {
      if (!e.is_counted) {
        wait_for_exit(e);
      }
    }
  }

  constexpr void wait_for_exit(const unrolled_exit& e) {
    for (const unrolled_id n : w.accesses) {
      const bool is_behind = n >= e.position;
      if ((body.nodes[n].kind == body_kind::load && !body.nodes[n].is_volatile) ||
          (body.is_straight_line && !is_behind)) {
        continue;
      }
      const std::uint32_t distance = is_behind ? 0 : 1;
      lowering.ops.read(w.nodes[n].result, e.predicate, dependence_kind::guard, distance);
    }
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
