/// `counted_tests`: the exits of a loop that compare a counter with a bound, of any width that the IR has.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/wide_numbers.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"
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

/// A phi plus a number of `width` bits, perhaps extended.
struct counter_form {
  body_id phi = no_body_value;  ///< or no form
  std::uint8_t width = 0;       ///< before the extension
  std::uint8_t whole_width = 0; ///< of the value
  operation extension = operation::copy;
  wide_number addend;

  friend bool operator==(const counter_form&, const counter_form&) = default;
};

/// Memory of `counted_tests`, to be reused.
struct counted_tests_memory {
  using form = counter_form;

  flat_array<form> forms;
  flat_array<optional<counted_test>> tests;
};

/// Finds the tests of one loop after another. Those of up to 64 bits are what `count_iterations` has found.
template <class IR> class counted_tests {
public:
  explicit counted_tests(const IR& ir) : counted_tests(ir, nullptr) {}

  counted_tests(const IR& ir, counted_tests_memory& memory) : counted_tests(ir, &memory) {}

  counted_tests(const counted_tests&) = delete;
  counted_tests& operator=(const counted_tests&) = delete;

  /// One for each exit, in their order; nothing for an exit that compares no counter. O(1) for each exit; if one
  /// compares wide numbers, O(size of the body).
  const flat_array<optional<counted_test>>& read(const loop_body& body, const loop_counters& counters) {
    tests_.clear();
    bool has_forms = false;
    for (const loop_exit& x : counters.exits) {
      tests_.push_back(counted_test_of(body, counters, x));
      if constexpr (has_wide_numbers<IR>) {
        const body_id condition = condition_of(body, x);
        if (!tests_.back() && condition != no_body_value &&
            (info_of(body, condition).operand_width > 64 || has_wide_phi(body))) {
          if (!has_forms) {
            read_forms(body);
            has_forms = true;
          }
          tests_.back() = wide_test(body, x, condition);
        }
      }
    }
    return tests_;
  }

  /// What `read` returned.
  const flat_array<optional<counted_test>>& tests() const { return tests_; }

private:
  using form = counted_tests_memory::form;

  counted_tests(const IR& ir, counted_tests_memory* memory)
      : ir_(ir), memory_(memory == nullptr ? own_ : *memory), forms_(memory_.forms), tests_(memory_.tests) {}

  operation_info info_of(const loop_body& body, body_id v) const {
    const body_value& value = body.values[v];
    return value.info.code != operation::other || value.origin == no_value ? value.info
                                                                           : ir_.wide_operation(value.origin);
  }

  /// The condition of an exit if it compares numbers.
  body_id condition_of(const loop_body& body, const loop_exit& x) const {
    const body_id condition = body.blocks[body.edges[x.edge].source].condition;
    const bool compares = condition != no_body_value && body.values[condition].kind == body_kind::pure &&
                          body.values[condition].block != no_body_value && body.operands_of(condition).size() == 2 &&
                          is_comparison(info_of(body, condition).code) && info_of(body, condition).width == 1;
    return body.edges[x.edge].has_case && compares ? condition : no_body_value;
  }

  bool has_wide_phi(const loop_body& body) const {
    for (body_id phi = 0; phi != body.num_phis; ++phi) {
      if (body.values[phi].origin != no_value && ir_.number_width(body.values[phi].origin) > 64) {
        return true;
      }
    }
    return false;
  }

  std::optional<wide_number> number_of(const loop_body& body, body_id v) const {
    const body_value& value = body.values[v];
    if (value.kind == body_kind::constant) {
      return wide_number(value.bits & low_ones(value.info.width));
    }
    return value.kind == body_kind::invariant && value.origin != no_value ? ir_.wide_constant(value.origin)
                                                                          : std::nullopt;
  }

  /// Of all values: operands come before their users, but for the next values of phis.
  void read_forms(const loop_body& body) {
    forms_.assign(body.num_values(), {});
    for (body_id v = 0; v != body.num_values(); ++v) {
      const body_value& value = body.values[v];
      if (value.kind == body_kind::phi) {
        const std::uint8_t width = value.origin == no_value ? std::uint8_t{0} : ir_.number_width(value.origin);
        forms_[v] = width == 0 ? form() : form{v, width, width, operation::copy, {}};
      } else if (value.kind == body_kind::join) {
        forms_[v] = common_form(body.operands_of(v));
      } else if (value.kind == body_kind::pure && value.block != no_body_value) {
        forms_[v] = computed_form(body, info_of(body, v), body.operands_of(v));
      }
    }
  }

  form common_form(span<const body_id> operands) const {
    const form out = operands.empty() ? form() : forms_[operands[0]];
    for (const body_id o : operands) {
      if (!(forms_[o] == out)) {
        return {};
      }
    }
    return out;
  }

  form computed_form(const loop_body& body, const operation_info& info, span<const body_id> operands) const {
    if (info.code == operation::other || operands.size() != arity(info.code)) {
      return {};
    }
    switch (info.code) {
    case operation::add: {
      const form sum = plus(body, info, operands[0], operands[1], false);
      return sum.phi != no_body_value ? sum : plus(body, info, operands[1], operands[0], false);
    }
    case operation::sub:
      return plus(body, info, operands[0], operands[1], true);
    case operation::truncate:
    case operation::zero_extend:
    case operation::sign_extend:
      return converted(forms_[operands[0]], info);
    default:
      return {};
    }
  }

  form plus(const loop_body& body, const operation_info& info, body_id a, body_id b, bool is_difference) const {
    form out = forms_[a];
    const std::optional<wide_number> number = number_of(body, b);
    if (out.phi == no_body_value || !number || out.extension != operation::copy || out.width != info.width) {
      return {};
    }
    const wide_number sum = is_difference ? out.addend - *number : out.addend + *number;
    out.addend = sum & low_ones_of_width(out.width);
    return out;
  }

  /// A number that was extended by zeros is extended further by zeros either way.
  static form converted(form f, const operation_info& info) {
    if (f.phi == no_body_value || f.whole_width != info.operand_width ||
        (f.extension == operation::sign_extend && info.code == operation::zero_extend)) {
      return {};
    }
    f.whole_width = info.width;
    if (info.code != operation::truncate) {
      f.extension = f.extension == operation::copy ? info.code : f.extension;
    } else if (info.width <= f.width) { // the low bits of a sum depend only on the low bits of its terms
      f.width = info.width;
      f.extension = operation::copy;
      f.addend = f.addend & low_ones_of_width(f.width);
    }
    return f;
  }

  optional<counted_test> wide_test(const loop_body& body, const loop_exit& x, body_id condition) const {
    const span<const body_id> operands = body.operands_of(condition);
    const operation_info info = info_of(body, condition);
    const bool swapped = body.values[operands[0]].block == no_body_value;
    const form& counter = forms_[operands[swapped ? 1 : 0]];
    const body_value& bound = body.values[operands[swapped ? 0 : 1]];
    if (counter.phi == no_body_value || bound.block != no_body_value || bound.origin == no_value ||
        ir_.number_width(bound.origin) != info.operand_width || counter.whole_width != info.operand_width) {
      return std::nullopt;
    }
    const form& next = forms_[body.next(counter.phi)];
    const std::uint8_t width = forms_[counter.phi].width;
    const bool counts = next.phi == counter.phi && next.width == width && next.extension == operation::copy &&
                        next.whole_width == width && !(next.addend == wide_number());
    if (!counts || (width <= 64 && info.operand_width <= 64)) {
      return std::nullopt;
    }
    counted_test t;
    t.phi = counter.phi;
    t.bound = operands[swapped ? 0 : 1];
    t.comparison = condition;
    t.swapped = swapped;
    t.code = swapped ? mirrored(info.code) : info.code;
    t.exits_when = body.edges[x.edge].case_value == 1;
    t.counter_width = width;
    t.width = counter.width;
    t.bound_width = info.operand_width;
    t.extension = counter.extension;
    t.step = next.addend;
    t.addend = counter.addend;
    return t;
  }

  const IR& ir_;
  counted_tests_memory own_; ///< used if the caller has none
  counted_tests_memory& memory_;
  flat_array<form>& forms_;
  flat_array<optional<counted_test>>& tests_;
};

} // namespace detail

MIDEND_END_NAMESPACE
