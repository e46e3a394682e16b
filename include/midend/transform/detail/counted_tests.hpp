/// `counted_tests`: the exits of a loop that compare a counter with a bound, of any width that the IR has.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/wide_numbers.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/wide_number.hpp"
#include "midend/transform/unrolled_limit.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// What `v` computes, with its real widths.
template <class IR> operation_info operation_of_any_width(const IR& ir, value_id v) {
  operation_info info = ir.operation(v);
  if constexpr (has_wide_numbers<IR>) {
    info = info.code == operation::other ? ir.wide_operation(v) : info;
  }
  return info;
}

/// The width of a number, or of the number that a comparison reads, for instance of a pointer; or 0.
template <class IR> unsigned number_width_of(const IR& ir, value_id v) {
  if constexpr (has_wide_numbers<IR>) {
    if (const unsigned width = ir.number_width(v); width != 0) {
      return width;
    }
  }
  const unsigned width = ir.operation(v).width;
  return width <= 64 ? width : 0;
}

/// A literal of any width.
template <class IR> std::optional<wide_number> number_of_any_width(const IR& ir, value_id v) {
  if (const std::optional<std::uint64_t> bits = ir.constant(v)) {
    return wide_number(*bits & low_ones(ir.operation(v).width));
  }
  if constexpr (has_wide_numbers<IR>) {
    return ir.wide_constant(v);
  }
  return std::nullopt;
}

/// A phi of the header plus a number of `width` bits, perhaps extended.
struct counter_form {
  value_id phi = no_value;      ///< `no_value`: no form
  std::uint8_t width = 0;       ///< before the extension
  std::uint8_t whole_width = 0; ///< of the value
  operation extension = operation::copy;
  wide_number addend;

  friend bool operator==(const counter_form&, const counter_form&) = default;
};

/// Memory of `counted_tests`, to be reused.
struct counted_tests_memory {
  flat_array<node_id> node;        ///< by value: the node that computes it in the loop, or `no_node`
  flat_array<std::uint32_t> place; ///< by value: 1 + its place in `forms`, or 0
  flat_array<value_id> inside;     ///< the values that have a node
  flat_array<counter_form> forms;
  flat_array<value_id> known; ///< the values that have a place
  flat_array<value_id> chain;
  flat_array<optional<counted_test>> tests;
  flat_array<unsigned char> has_value_step; ///< by exit: whether it compares a counter whose step is a value from
                                            ///< outside
};

/// Finds the tests of one loop after another, from the loop alone. A test compares a value from outside the loop with a
/// counter: a phi of the header to which each iteration adds a number. The counter may be offset by a number, truncated
/// or extended.
template <class IR> class counted_tests {
public:
  counted_tests(const IR& ir, const loop_forest& loops, counted_tests_memory& memory)
      : ir_(ir), loops_(loops), m_(memory) {}

  counted_tests(const counted_tests&) = delete;
  counted_tests& operator=(const counted_tests&) = delete;

  /// One result for each exit, in the order of the forest; empty if the exit compares no counter. O(size of the loop).
  /// The first call for a program also clears two numbers for each value.
  const flat_array<optional<counted_test>>& read(loop_id l) {
    forget();
    l_ = l;
    find_values();
    m_.tests.clear();
    m_.has_value_step.clear();
    for (const loop_edge& e : loops_.exiting_edges(l)) {
      m_.has_value_step.push_back(0);
      m_.tests.push_back(test_of(e));
    }
    return m_.tests;
  }

  /// Whether the i-th exit compares a counter whose step is a value from outside of the loop.
  bool has_value_step(std::size_t i) const { return m_.has_value_step[i] != 0; }

  /// What `read` returned.
  const flat_array<optional<counted_test>>& tests() const { return m_.tests; }

  /// Whether the loop that was read computes a value.
  bool is_inside(value_id v) const { return m_.node[v] != no_node && !number_of_any_width(ir_, v); }

private:
  void forget() {
    for (const value_id v : m_.known) {
      m_.place[v] = 0;
    }
    for (const value_id v : m_.inside) {
      m_.node[v] = no_node;
    }
    m_.known.clear();
    m_.inside.clear();
    m_.forms.clear();
    const auto values = static_cast<std::size_t>(ir_.num_values());
    if (m_.place.size() < values) {
      m_.place.assign(values, 0);
      m_.node.assign(values, no_node);
    }
  }

  void find_values() {
    for (const node_id n : loops_.blocks(l_)) {
      for_each_id(ir_.values(n), [&](value_id v) {
        m_.node[v] = n;
        m_.inside.push_back(v);
      });
    }
  }

  bool is_header_phi(value_id v) const { return ir_.is_phi(v) && m_.node[v] == loops_.header(l_); }

  std::size_t read_operands(value_id v, value_id (&out)[3]) const {
    std::size_t count = 0;
    for_each_id(ir_.operands(v), [&](value_id x) {
      if (count < 3) {
        out[count] = x;
      }
      ++count;
    });
    return count;
  }

  // Conditions.

  struct condition {
    value_id v;
    bool is_set;
  };

  optional<counted_test> test_of(const loop_edge& e) {
    condition c{};
    if (!read_branch(e, c)) {
      return std::nullopt;
    }
    condition at = c;
    for (unsigned steps = 0; steps != max_steps && step_through(at); ++steps) {
      c = compares(at.v) || !compares(c.v) ? at : c;
    }
    const operation_info info = compares(c.v) ? operation_of_any_width(ir_, c.v) : operation_info();
    value_id operands[3] = {no_value, no_value, no_value};
    if (!is_comparison(info.code) || read_operands(c.v, operands) != 2 || operands[0] == no_value ||
        operands[1] == no_value) {
      return std::nullopt;
    }
    const bool swapped = !is_inside(operands[0]);
    const value_id bound = operands[swapped ? 0 : 1];
    const counter_form counter = form_of(operands[swapped ? 1 : 0]);
    if (counter.phi == no_value || is_inside(bound) || number_width_of(ir_, bound) != info.operand_width ||
        counter.whole_width != info.operand_width) {
      return std::nullopt;
    }
    counted_test t;
    if (!read_step(counter.phi, t.step)) {
      m_.has_value_step.back() = adds_value(counter.phi) ? 1 : 0;
      return std::nullopt;
    }
    t.phi = counter.phi;
    t.bound = bound;
    t.comparison = c.v;
    t.swapped = swapped;
    t.code = swapped ? mirrored(info.code) : info.code;
    t.exits_when = c.is_set;
    t.counter_width = static_cast<std::uint8_t>(number_width_of(ir_, counter.phi));
    t.width = counter.width;
    t.bound_width = info.operand_width;
    t.extension = counter.extension;
    t.addend = counter.addend;
    return t;
  }

  bool compares(value_id v) const {
    return is_inside(v) && !ir_.is_phi(v) && is_comparison(operation_of_any_width(ir_, v).code);
  }

  /// The condition of a branch with two edges. `e` is taken for one of the numbers 0 and 1.
  bool read_branch(const loop_edge& e, condition& out) const {
    if constexpr (has_cases_of_edges<IR>) {
      out.v = static_cast<value_id>(ir_.condition(e.source));
      if (out.v != no_value && is_bit(out.v)) {
        out.is_set = edge_of_case(ir_, e.source, std::uint64_t{1}) == e.id;
        return out.is_set != (edge_of_case(ir_, e.source, std::uint64_t{0}) == e.id);
      }
    }
    return false;
  }

  /// Whether a value is 0 or 1.
  bool is_bit(value_id v) const {
    if (ir_.is_phi(v) || number_of_any_width(ir_, v)) {
      return ir_.operation(v).width == 1;
    }
    const operation_info info = operation_of_any_width(ir_, v);
    return info.width == 1 || is_comparison(info.code) ||
           (info.code == operation::zero_extend && info.operand_width == 1);
  }

  /// Goes from a copy, an extension or a negation of a bit to the bit.
  bool step_through(condition& c) const {
    if (ir_.is_phi(c.v) || !is_inside(c.v)) {
      return false;
    }
    const operation_info info = operation_of_any_width(ir_, c.v);
    value_id operands[3] = {no_value, no_value, no_value};
    const std::size_t count = read_operands(c.v, operands);
    const std::optional<wide_number> number =
        count == 2 && operands[1] != no_value ? number_of_any_width(ir_, operands[1]) : std::nullopt;
    if (count == 0 || operands[0] == no_value || !is_bit(operands[0])) {
      return false;
    }
    const bool is_bit_too = number && (*number == wide_number(1) || *number == wide_number());
    const bit_change change = bit_change_of(info, is_bit_too ? static_cast<unsigned>(number->low()) : 2);
    if (change == bit_change::other) {
      return false;
    }
    c.is_set = c.is_set != (change == bit_change::flipped);
    c.v = operands[0];
    return true;
  }

  // Counters.

  /// The number that each iteration adds to a phi. False if there is none.
  bool read_step(value_id phi, wide_number& step) {
    counter_form next;
    bool is_first = true;
    for (const loop_edge& e : loops_.backedges(l_)) {
      const counter_form one = form_of(static_cast<value_id>(ir_.phi_input(phi, e.id)));
      if (!is_first && !(one == next)) {
        return false;
      }
      next = one;
      is_first = false;
    }
    step = next.addend;
    const unsigned width = number_width_of(ir_, phi);
    return !is_first && next.phi == phi && next.width == width && next.extension == operation::copy &&
           next.whole_width == width && !(next.addend == wide_number());
  }

  /// Whether the first backedge adds or subtracts a value from outside.
  bool adds_value(value_id phi) const {
    for (const loop_edge& e : loops_.backedges(l_)) {
      const auto next = static_cast<value_id>(ir_.phi_input(phi, e.id));
      value_id operands[3] = {no_value, no_value, no_value};
      if (!is_inside(next) || ir_.is_phi(next) || read_operands(next, operands) != 2) {
        return false;
      }
      const operation code = operation_of_any_width(ir_, next).code;
      const bool is_sum = code == operation::add && operands[1] == phi && operands[0] != no_value;
      const value_id added = is_sum ? operands[0] : operands[1];
      const bool has_phi = is_sum || (operands[0] == phi && (code == operation::add || code == operation::sub));
      return has_phi && added != no_value && !is_inside(added) && !is_number(added);
    }
    return false;
  }

  /// Follows operations from a value up to a phi of the header, then applies them to the form.
  counter_form form_of(value_id v) {
    m_.chain.clear();
    while (v != no_value && m_.place[v] == 0) {
      m_.chain.push_back(v);
      v = source_of(v);
    }
    counter_form form = v == no_value ? counter_form() : m_.forms[m_.place[v] - 1];
    while (!m_.chain.empty()) {
      v = m_.chain.back();
      m_.chain.pop_back();
      form = is_header_phi(v) ? itself(v) : computed(v, form);
      m_.forms.push_back(form);
      m_.known.push_back(v);
      m_.place[v] = static_cast<std::uint32_t>(m_.forms.size());
    }
    return form;
  }

  counter_form itself(value_id phi) const {
    const auto width = static_cast<std::uint8_t>(number_width_of(ir_, phi));
    return width == 0 ? counter_form() : counter_form{phi, width, width, operation::copy, {}};
  }

  /// The operand to which an operation adds a number, or which it converts; else `no_value`.
  value_id source_of(value_id v) const {
    if (!is_inside(v) || is_header_phi(v)) {
      return no_value;
    }
    if (ir_.is_phi(v)) {
      return only_input(v);
    }
    value_id operands[3] = {no_value, no_value, no_value};
    const std::size_t count = read_operands(v, operands);
    const operation_info info = operation_of_any_width(ir_, v);
    const bool is_second = count == 2 && is_number(operands[0]);
    switch (info.code) {
    case operation::add:
    case operation::bit_and:
      return count == 2 && is_number(operands[is_second ? 0 : 1]) ? operands[is_second ? 1 : 0] : no_value;
    case operation::sub:
      return count == 2 && is_number(operands[1]) ? operands[0] : no_value;
    case operation::copy:
    case operation::truncate:
    case operation::zero_extend:
    case operation::sign_extend:
      return count == 1 ? operands[0] : no_value;
    default:
      return no_value;
    }
  }

  bool is_number(value_id v) const { return v != no_value && number_of_any_width(ir_, v).has_value(); }

  /// The only input of a phi in the loop, or `no_value`.
  value_id only_input(value_id phi) const {
    value_id found = no_value;
    bool agree = true;
    for_each_id(ir_.graph().in_edges(m_.node[phi]), [&](edge_id e) {
      const auto from = static_cast<node_id>(ir_.graph().edge_source(e));
      if (loops_.contains(l_, from)) { // else it is unreachable, since the phi is not in the header
        const auto input = static_cast<value_id>(ir_.phi_input(phi, e));
        agree = agree && (found == no_value || found == input);
        found = input;
      }
    });
    return agree ? found : no_value;
  }

  counter_form computed(value_id v, const counter_form& source) const {
    if (source.phi == no_value || source_of(v) == no_value || ir_.is_phi(v)) {
      return source_of(v) == no_value ? counter_form() : source;
    }
    const operation_info info = operation_of_any_width(ir_, v);
    value_id operands[3] = {no_value, no_value, no_value};
    const std::size_t count = read_operands(v, operands);
    const auto number = count == 2 ? number_of_any_width(ir_, operands[is_number(operands[0]) ? 0 : 1]) : std::nullopt;
    switch (info.code) {
    case operation::copy:
      return source.whole_width == info.width ? source : counter_form();
    case operation::add:
      return plus(source, info, *number);
    case operation::sub:
      return plus(source, info, wide_number() - *number);
    case operation::bit_and:
      return masked(source, info, *number);
    default:
      return converted(source, info);
    }
  }

  static counter_form plus(counter_form f, const operation_info& info, const wide_number& number) {
    if (f.extension != operation::copy || f.width != info.width) {
      return {};
    }
    f.addend = (f.addend + number) & low_ones_of_width(f.width);
    return f;
  }

  /// The low bits of a counter that a mask keeps, with zeros above: truncated, then zero-extended.
  static counter_form masked(const counter_form& f, const operation_info& info, const wide_number& mask) {
    unsigned bits = 0;
    while (bits != f.width && mask.bit(bits)) {
      ++bits;
    }
    if (f.whole_width != info.width || bits == 0 || !(mask == low_ones_of_width(bits))) {
      return {};
    }
    counter_form out = f;
    out.width = static_cast<std::uint8_t>(bits);
    out.extension = bits == f.whole_width ? operation::copy : operation::zero_extend;
    out.addend = f.addend & low_ones_of_width(bits);
    return out;
  }

  /// A number that was zero-extended has sign bit 0, so both extensions give the same.
  static counter_form converted(counter_form f, const operation_info& info) {
    if (f.whole_width != info.operand_width ||
        (f.extension == operation::sign_extend && info.code == operation::zero_extend)) {
      return {};
    }
    f.whole_width = info.width;
    if (info.code != operation::truncate) {
      f.extension = f.extension == operation::copy && info.width > info.operand_width ? info.code : f.extension;
    } else if (info.width <= f.width) { // the low bits of a sum depend only on the low bits of its terms
      f.width = info.width;
      f.extension = operation::copy;
      f.addend = f.addend & low_ones_of_width(f.width);
    }
    return f;
  }

  static constexpr unsigned max_steps = 8; ///< at most, from a condition to its comparison

  const IR& ir_;
  const loop_forest& loops_;
  counted_tests_memory& m_;
  loop_id l_ = no_loop;
};

} // namespace detail

MIDEND_END_NAMESPACE
