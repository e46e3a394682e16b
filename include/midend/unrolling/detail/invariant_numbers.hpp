/// `note_invariant_numbers`: what numbers the values from before a loop can be.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/domains/strided_interval_domain.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Finds what numbers a value can be by the operation that computes it and those of its operands, a few deep, in the
/// domain of the clean-up.
template <class IR> class invariant_number_finder {
public:
  using element = strided_interval_domain::element;

  constexpr explicit invariant_number_finder(const IR& ir) : ir_(ir) {}

  constexpr invariant_numbers find(value_id v) const {
    return is_number(v) ? known_of(numbers_of(v, deepest)) : invariant_numbers{};
  }

  /// Of a header phi, by the edges that enter the loop.
  constexpr invariant_numbers find_at_entry(value_id phi, const loop_forest& forest, loop_id l) const {
    element out = domain().bottom();
    unsigned left = is_number(phi) ? most_inputs : 0;
    for (const loop_edge& e : forest.entering_edges(l)) {
      if (left-- == 0) {
        return {};
      }
      domain().join(out, numbers_of(ir_.phi_input(phi, e.id), deepest / 2));
    }
    return known_of(out);
  }

private:
  static constexpr unsigned deepest = 3;
  static constexpr unsigned most_inputs = 16; ///< of a phi

  static constexpr strided_interval_domain domain() { return {}; }

  static constexpr invariant_numbers known_of(const element& e) {
    return e.is_bottom() || domain().as_constant(e)
               ? invariant_numbers{}
               : invariant_numbers{e.range.as_signed.low, e.range.as_signed.high, e.stride.modulus, e.stride.residue};
  }

  /// Whether a value has bits, and no more than a number.
  constexpr bool is_number(value_id v) const {
    return v != no_value && ir_.operation(v).width != 0 && ir_.operation(v).width <= 64;
  }

  constexpr element numbers_of(value_id v, unsigned depth) const {
    const operation_info info = ir_.operation(v);
    if (const auto number = ir_.constant(v)) {
      return domain().constant(info.width, static_cast<std::uint64_t>(*number) & low_ones(info.width));
    }
    if (depth == 0 || (!ir_.is_phi(v) && arity(info.code) == 0)) {
      return domain().top(info.width);
    }
    return ir_.is_phi(v) ? numbers_of_inputs(v, depth / 2) : numbers_of_operation(v, info, depth - 1);
  }

  constexpr element numbers_of_operation(value_id v, const operation_info& info, unsigned depth) const {
    element args[3]{};
    std::size_t count = 0;
    for (const value_id operand : ir_.operands(v)) {
      if (count != arity(info.code)) {
        if (!is_number(operand)) {
          return domain().top(info.width);
        }
        args[count++] = numbers_of(operand, depth);
      }
    }
    return domain().transfer(info, span<const element>(args, count));
  }

  constexpr element numbers_of_inputs(value_id phi, unsigned depth) const {
    const element all = domain().top(ir_.operation(phi).width);
    element out = domain().bottom();
    unsigned left = most_inputs;
    for (const value_id input : ir_.operands(phi)) {
      if (input == no_value || left-- == 0 || out == all) {
        return all;
      }
      domain().join(out, numbers_of(input, depth));
    }
    return out;
  }

  const IR& ir_;
};

/// Notes in the body of loop `l` what numbers its invariants can be. Constant time for each invariant.
template <cost_ir IR>
constexpr void note_invariant_numbers(const IR& ir, const loop_forest& forest, loop_id l, loop_body& body) {
  const invariant_number_finder<IR> finder(ir);
  for (body_id v = body.num_phis; v != body.num_values(); ++v) {
    if (body.values[v].kind == body_kind::invariant) {
      body.values[v].known = finder.find(body.values[v].origin);
    }
  }
  for (body_id phi = 0; phi != body.num_phis; ++phi) { // what depends on the entering edge has a header phi as origin
    body_value& initial = body.values[body.initial(phi)];
    if (initial.kind == body_kind::invariant && initial.origin == body.values[phi].origin) {
      initial.known = finder.find_at_entry(initial.origin, forest, l);
    }
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
