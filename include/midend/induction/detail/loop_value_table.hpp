/// Which value of the IR is which value of a loop body.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/detail/loop_blocks.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Memory for the values of a loop.
struct loop_value_arrays {
  flat_array<body_id> body_of;  ///< by value; all `no_body_value` between one loop and the next
  flat_array<value_id> of_loop; ///< what stands in its blocks, in their order
};

/// Gives numbers to values. Those of the loop are known beforehand; any other that is asked for is from outside, and is
/// appended to the body when it is first met.
template <cost_ir IR> class loop_value_table {
public:
  constexpr loop_value_table(const IR& ir, loop_value_arrays& arrays, loop_body& out)
      : ir_(ir), a_(arrays), out_(out) {}

  constexpr void mark_values_of(const flat_array<node_id>& blocks) {
    const auto count = static_cast<std::size_t>(ir_.num_values());
    if (a_.body_of.size() < count) {
      a_.body_of.assign(count, no_body_value);
    }
    a_.of_loop.clear();
    for (const node_id n : blocks) {
      for (const value_id v : ir_.values(n)) {
        a_.body_of[v] = unnumbered;
        a_.of_loop.push_back(v);
      }
    }
  }

  constexpr std::span<const value_id> values_of_loop() const { return a_.of_loop; }

  /// What comes from outside ends here.
  constexpr void begin_blocks() { first_inside_ = static_cast<body_id>(out_.num_values()); }

  /// A value without operands that takes no operation.
  constexpr body_value blank(body_kind kind, value_id origin, std::uint32_t block) const {
    const std::uint8_t width = ir_.operation(origin).width;
    return {.kind = kind,
            .cost = operation_class::move,
            .is_free = true,
            .reassociates = false,
            .is_volatile = false,
            .guard_negated = false,
            .info = {operation::other, width, width},
            .identity = 0,
            .block = block,
            .first_operand = static_cast<std::uint32_t>(out_.operands.size()),
            .num_operands = 0,
            .access = 0,
            .guard = no_body_value,
            .bits = 0,
            .origin = origin};
  }

  /// A value whose operands were appended since it was made by `blank`.
  constexpr body_id append(const body_value& value) {
    out_.values.push_back(value);
    out_.values.back().num_operands = static_cast<std::uint32_t>(out_.operands.size()) - value.first_operand;
    return static_cast<body_id>(out_.num_values() - 1);
  }

  constexpr void set(value_id v, body_id number) { a_.body_of[v] = number; }

  /// Whether a value of the loop has a number; terminators have none.
  constexpr bool is_numbered(value_id v) const { return a_.body_of[v] != unnumbered; }

  constexpr bool stands_in_loop(value_id v) const {
    const body_id number = a_.body_of[v];
    return number != no_body_value && (number < out_.num_phis || number >= first_inside_);
  }

  /// The value that an operand is here.
  constexpr body_id operator[](value_id v) {
    const body_id known = a_.body_of[v];
    return known == no_body_value ? outside(v) : known;
  }

  constexpr body_id optional(value_id v) { return v == no_value ? no_body_value : (*this)[v]; }

  /// All values are unknown again.
  constexpr void forget() {
    for (const value_id v : a_.of_loop) {
      a_.body_of[v] = no_body_value;
    }
    for (body_id v = out_.num_phis; v != first_inside_; ++v) {
      a_.body_of[out_.values[v].origin] = no_body_value;
    }
  }

private:
  /// Of a value that stands in the loop and has no number: not yet, or as a terminator.
  static constexpr body_id unnumbered = no_body_value - 1;

  /// So many copies are looked through to find what a value from outside is.
  static constexpr unsigned longest_chain = 16;

  constexpr body_id outside(value_id v) {
    const value_id source = behind_copies(v);
    body_id& known = a_.body_of[source];
    if (known == no_body_value) {
      body_value value = blank(body_kind::invariant, source, no_body_value);
      if (const auto bits = ir_.constant(source)) {
        value.kind = body_kind::constant;
        value.bits = *bits;
      }
      known = append(value);
    }
    return known;
  }

  constexpr value_id behind_copies(value_id v) const {
    for (unsigned i = 0; i != longest_chain && ir_.operation(v).code == operation::copy; ++i) {
      v = static_cast<value_id>(*std::begin(ir_.operands(v)));
    }
    return v;
  }

  const IR& ir_;
  loop_value_arrays& a_;
  loop_body& out_;
  body_id first_inside_ = 0;
};

} // namespace detail

MIDEND_END_NAMESPACE
