// Unrolled bodies written by hand.
#pragma once

#include <midend/ir/cost.hpp>
#include <midend/unrolling/copies/unrolled_body.hpp>

#include <cstdint>
#include <initializer_list>

namespace midend_tests {

using midend::operation;
using midend::operation_class;
using midend::unrolled_id;
using midend::unrolled_operand;

/// A value with an addend.
constexpr unrolled_operand plus(unrolled_id node, std::uint64_t addend) {
  return {node, addend};
}

struct address {
  unrolled_id base = midend::no_unrolled;
  unrolled_id index = midend::no_unrolled;
  std::int64_t scale = 4;
  std::int64_t offset = 0;
  std::uint32_t memory = midend::any_memory;
  std::uint32_t bytes = 4;
};

/// Writes a body value by value; each has 32 bits unless it says otherwise.
class unrolled_writer {
public:
  explicit unrolled_writer(std::uint32_t copies = 1, bool is_straight_line = false) {
    body.copies = copies;
    body.is_straight_line = is_straight_line;
  }

  unrolled_id phi(std::uint8_t width = 32) {
    const unrolled_id n = add(midend::body_kind::phi, operation::other, width, {});
    body.phis.push_back(n);
    body.next.push_back({});
    return n;
  }

  void set_next(unrolled_id phi, unrolled_operand next) {
    for (std::size_t p = 0; p != body.phis.size(); ++p) {
      body.next[p] = body.phis[p] == phi ? next : body.next[p];
    }
  }

  void set_next(unrolled_id phi, unrolled_id next) { set_next(phi, plus(next, 0)); }

  unrolled_id constant(std::uint64_t bits, std::uint8_t width = 32) {
    const unrolled_id n = add(midend::body_kind::constant, operation::other, width, {});
    body.values[n].bits = bits;
    body.values[n].is_invariant = true;
    return n;
  }

  unrolled_id invariant(std::uint8_t width = 32) {
    const unrolled_id n = add(midend::body_kind::invariant, operation::other, width, {});
    body.values[n].is_invariant = true;
    return n;
  }

  unrolled_id pure(operation code, std::initializer_list<unrolled_operand> operands, std::uint8_t width = 32) {
    const unrolled_id n = add(midend::body_kind::pure, code, is_comparison(code) ? std::uint8_t{1} : width, operands);
    midend::unrolled_node& node = body.values[n];
    node.info.operand_width = width;
    const auto usual = midend::usual_class(node.info);
    node.is_free = !usual.has_value();
    node.cost = usual.value_or(operation_class::alu);
    node.is_invariant = true;
    for (const unrolled_operand o : operands) {
      node.is_invariant = node.is_invariant && body.values[o.node].is_invariant;
    }
    return n;
  }

  unrolled_id pure(operation code, unrolled_id a, unrolled_id b, std::uint8_t width = 32) {
    return pure(code, {plus(a, 0), plus(b, 0)}, width);
  }

  /// May be regrouped.
  unrolled_id associative(operation code, unrolled_id a, unrolled_id b) {
    const unrolled_id n = pure(code, a, b);
    body.values[n].reassociates = true;
    return n;
  }

  unrolled_id select(unrolled_id predicate, unrolled_operand then, unrolled_operand otherwise,
                     std::uint8_t width = 32) {
    return pure(operation::select, {plus(predicate, 0), then, otherwise}, width);
  }

  unrolled_id select(unrolled_id predicate, unrolled_id then, unrolled_id otherwise) {
    return select(predicate, plus(then, 0), plus(otherwise, 0));
  }

  unrolled_id load(const address& a) { return access(midend::body_kind::load, operation_class::load, a, {}); }

  unrolled_id store(const address& a, unrolled_operand stored) {
    return access(midend::body_kind::store, operation_class::store, a, stored);
  }

  unrolled_id call(std::initializer_list<unrolled_operand> arguments = {}) {
    const unrolled_id n = add(midend::body_kind::call, operation::other, 32, arguments);
    body.values[n].cost = operation_class::call;
    body.has_call = true;
    return n;
  }

  void exit(unrolled_id predicate, bool is_counted, bool negated = false) {
    midend::unrolled_exit e{};
    e.predicate = predicate;
    e.negated = negated;
    e.is_counted = is_counted;
    e.bounds_top = is_counted;
    e.position = static_cast<std::uint32_t>(body.values.size());
    body.exits.push_back(e);
  }

  midend::unrolled_node& operator[](unrolled_id n) { return body.values[n]; }

  midend::unrolled_body body;

private:
  unrolled_id add(midend::body_kind kind, operation code, std::uint8_t width,
                  std::initializer_list<unrolled_operand> operands) {
    midend::unrolled_node node{};
    node.kind = kind;
    node.info = {code, width, width};
    node.guard = midend::no_unrolled;
    node.first_operand = static_cast<std::uint32_t>(body.operands.size());
    node.num_operands = static_cast<std::uint32_t>(operands.size());
    node.origin = static_cast<midend::body_id>(body.values.size());
    for (const unrolled_operand o : operands) {
      body.operands.push_back(o);
    }
    body.values.push_back(node);
    return static_cast<unrolled_id>(body.values.size() - 1);
  }

  unrolled_id access(midend::body_kind kind, operation_class cost, const address& a, unrolled_operand stored) {
    const unrolled_id n = add(kind, operation::other, 32, {});
    body.values[n].cost = cost;
    body.values[n].access = static_cast<std::uint32_t>(body.accesses.size());
    body.accesses.push_back({a.base, a.index, stored, a.bytes, a.memory, a.scale, a.offset});
    return n;
  }
};

} // namespace midend_tests
