// Loop bodies written by hand.
#pragma once

#include <midend/induction/loop_body.hpp>

#include <cstdint>
#include <vector>

namespace midend_tests {

/// Writes a body: first its phis, then what comes from outside, then block by block, of each its values and then its
/// edges; the last block is the bottom. Operations are issued in their usual class.
class body_writer {
public:
  static constexpr std::uint32_t leaves = midend::body_edge::leaves;
  using operands = std::vector<midend::body_id>;

  /// A header phi; `set_phi` says of what.
  midend::body_id phi(unsigned width);

  void set_phi(midend::body_id phi, midend::body_id initial, midend::body_id next);

  midend::body_id constant(unsigned width, std::uint64_t bits);

  midend::body_id invariant(unsigned width);

  /// Begins the next block.
  std::uint32_t block();

  /// An operation on operands of one width. The result of a comparison has one bit, whatever `width` is.
  midend::body_id op(midend::operation code, unsigned width, const operands& of, midend::operation_flags flags = {});

  midend::body_id binary(midend::operation code, midend::body_id a, midend::body_id b,
                         midend::operation_flags flags = {}) {
    return op(code, width_of(a), {a, b}, flags);
  }

  midend::body_id unary(midend::operation code, midend::body_id a) { return op(code, width_of(a), {a}); }

  midend::body_id convert(midend::operation code, unsigned width, midend::body_id a) { return op(code, width, {a}); }

  /// A comparison whose result has as many bits.
  midend::body_id comparison(midend::operation code, unsigned result, midend::body_id a, midend::body_id b);

  /// Of another block, with an operand for each edge to it in the order of the edges.
  midend::body_id join(const operands& of);

  midend::body_id load(unsigned width, const midend::body_access& from);

  /// From anywhere: a number that nobody knows.
  midend::body_id load(unsigned width);

  midend::body_id store(const midend::body_access& to);

  midend::body_id call(unsigned width, const operands& of);

  /// Leaves the block for `target` only.
  void jump(std::uint32_t target) { edge(target, false, 0); }

  void branch(midend::body_id condition, std::uint32_t when_true, std::uint32_t when_false);

  /// Of a block whose condition is a switch, or decides nothing that is known.
  void edge(std::uint32_t target, bool has_case, std::uint64_t case_value);

  void set_condition(midend::body_id condition) { body_.blocks.back().condition = condition; }

  /// A body of one block that goes on while `condition` is `goes_on`.
  midend::loop_body finish_single(midend::body_id condition, bool goes_on = true);

  midend::loop_body finish();

  unsigned width_of(midend::body_id v) const { return body_.values[v].info.width; }

  /// As far as it is written.
  midend::loop_body& body() { return body_; }

private:
  midend::body_id append(midend::body_kind kind, const midend::operation_info& info, const operands& of);

  midend::body_id append_access(midend::body_kind kind, unsigned width, const midend::body_access& access);

  void close_block();

  midend::loop_body body_;
};

} // namespace midend_tests
