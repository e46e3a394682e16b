/// What the steps of `unroll_body` share.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/unrolling/copies/detail/unroll_expressions.hpp"
#include "midend/unrolling/copies/detail/unroll_folding.hpp"
#include "midend/unrolling/copies/detail/unroll_memory.hpp"
#include "midend/unrolling/copies/detail/unroll_predicates.hpp"
#include "midend/unrolling/copies/detail/unroll_values.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// What `unroll_body` owns between calls.
struct unroll_memory {
  unroll_expression_memory expressions;
  unroll_place_memory places;
  unroll_predicate_memory predicates;
  flat_array<known_value> values;
  flat_array<known_value> next; ///< by header phi, in the next copy
  flat_array<known_value> args;
  flat_array<known_value> bits; ///< by edge of the present block: whether it is taken
  flat_array<std::uint64_t> numbers;
  flat_array<std::uint32_t> tested;
  flat_array<bool> is_invariant; ///< by value of the body: computed of what
                                 ///< comes from outside
};

/// The body, what becomes of it, and its values in the present copy.
class unroll_context {
public:
  const loop_body& body;
  const loop_counters& counters;
  const unroll_request& request;
  unroll_memory& memory;
  unrolled_body& out;
  flat_array<known_value>& values; ///< by value of the body; none where control does not come
  unroll_expressions expressions;
  unroll_folding folding;
  unroll_predicates predicates;

  constexpr unroll_context(const loop_body& of, const loop_counters& counted, const unroll_request& how,
                           unroll_memory& owned, unrolled_body& result)
      : body(of), counters(counted), request(how), memory(owned), out(result), values(owned.values),
        expressions(of, owned.expressions, result), folding(expressions),
        predicates(expressions, folding, owned.predicates) {
    values.assign(body.num_values(), known_value{});
    memory.tested.assign(body.num_values(), 0);
  }

  unroll_context(const unroll_context&) = delete;
  unroll_context& operator=(const unroll_context&) = delete;

  constexpr std::uint32_t copy() const { return expressions.copy; }

  constexpr bool is_last_copy() const { return copy() + 1 == request.copies; }

  constexpr bool is_outside(body_id v) const {
    return body.values[v].kind == body_kind::constant || body.values[v].kind == body_kind::invariant;
  }

  /// The operands of a value, until it is asked for others.
  constexpr std::span<const known_value> args_of(body_id v) {
    const auto operands = body.operands_of(v);
    memory.args.resize_for_overwrite(operands.size());
    for (std::size_t i = 0; i != operands.size(); ++i) {
      memory.args[i] = values[operands[i]];
    }
    return memory.args;
  }

  constexpr unrolled_operand operand_of(const known_value& x) {
    return x.is_none() ? unrolled_operand{} : expressions.operand(x);
  }

  /// A node like the value, that is equal to no other.
  constexpr known_value make_node(body_id v, body_kind kind) {
    const body_value& value = body.values[v];
    expressions.origin = v;
    unrolled_node& n = expressions.append(kind, value.info.width);
    n.cost = value.cost;
    n.is_free = value.is_free;
    n.is_volatile = value.is_volatile;
    n.info = value.info;
    n.identity = value.identity;
    return value_of_node(static_cast<unrolled_id>(out.nodes.size() - 1), value.info.width);
  }

  /// A number decides what `condition` decides; said once a copy.
  constexpr void note_test(body_id condition, const known_value& bit) {
    if (memory.tested[condition] != copy() + 1) {
      memory.tested[condition] = copy() + 1;
      expressions.save(saving_kind::folded_test, condition, bit.addend);
    }
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
