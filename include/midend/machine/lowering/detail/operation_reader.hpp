/// `operation_reader`: reads the operations of one node into a region.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/lowering/detail/chained_sums.hpp"
#include "midend/machine/lowering/detail/program_questions.hpp"
#include "midend/machine/lowering/detail/region_address.hpp"
#include "midend/machine/lowering/detail/region_builder.hpp"
#include "midend/machine/lowering/detail/region_operation.hpp"
#include "midend/machine/lowering/detail/region_reads.hpp"
#include "midend/machine/lowering/detail/region_values.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/region_facts.hpp"
#include "midend/machine/lowering/region_value_kind.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/swap.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// What is known about the operations of a region before they are read.
struct operation_facts {
  const region_reads& reads;
  const chained_sums& sums;
  const region_facts& values;
  const loop_forest& loops;
  loop_id loop; ///< that is read; `no_loop` in straight code
};

/// Takes the operations of a node, in their order, and appends what each computes. The values that a
/// return reads become results of the region. Branches are left to `branch_tests`.
///
/// An operation with an effect runs only if its node is reached, and its own guard holds. Other operations always run.
template <class IR> class operation_reader {
public:
  constexpr operation_reader(const operation_facts& facts, const value_reader<IR>& values,
                             flat_array<region_operand>& scratch)
      : facts_(facts), values_(values), ir_(values.ir()), builder_(values.builder()), args_(scratch) {}

  /// `reached()` returns the bit under which the node is reached. It is called only for operations with an effect, so a
  /// node without effects computes no bit.
  template <class Reached> constexpr void read(node_id n, const Reached& reached) {
    const value_id condition = condition_of(ir_, n);
    for (const value_id v : ir_.values(n)) {
      if (!ir_.is_phi(v)) {
        read_operation(v, condition, reached);
      }
    }
  }

private:
  template <class Reached> constexpr void read_operation(value_id v, value_id condition, const Reached& reached) {
    region_operation what = region_operation_of(ir_, v);
    if (what.kind == region_value_kind::store && facts_.reads.is_read(v)) { // as where memory is in SSA form
      what.kind = region_value_kind::call;
      what.place.reset();
    }
    const bool is_branch = what.is_branch() && what.kind == region_value_kind::pure;
    if ((is_branch || is_free_end(ir_, v)) && v != condition && !facts_.reads.is_read(v)) {
      read_terminator(v, condition);
      return;
    }
    builder_.set_origin(v);
    switch (what.kind) {
    case region_value_kind::load:
    case region_value_kind::store:
      add_access(v, what, reached());
      break;
    case region_value_kind::call:
      add_call(v, what, reached());
      break;
    default:
      add_pure(v, what);
      break;
    }
    if (what.is_guarded() && what.guard.otherwise != no_value) {
      add_choice(v, what.guard);
    }
  }

  /// The operands of a terminator, except the condition, are used after the region: the value that a function returns.
  constexpr void read_terminator(value_id v, value_id condition) {
    for (const auto& operand : ir_.operands(v)) {
      const auto o = static_cast<value_id>(operand);
      if (o != no_value && o != condition) {
        builder_.region().live_out.push_back(values_.operand_of(o));
        builder_.region().live_out_values.push_back(o);
      }
    }
  }

  // Operations with an effect.

  constexpr void add_call(value_id v, const region_operation& what, const region_bit& reached) {
    const region_bit guard = guard_of(what, reached);
    if (guard == false_bit) {
      add_nothing(v, what);
      return;
    }
    read_arguments(v, what);
    region_value& call = builder_.append_pure(what.info, args_);
    call.kind = region_value_kind::call;
    describe(v, what, call);
    set_guard(call, guard);
    builder_.region().has_call = true;
    values_.set_to_last(v);
  }

  constexpr void add_access(value_id v, const region_operation& what, const region_bit& reached) {
    const region_bit guard = guard_of(what, reached);
    if (guard == false_bit) {
      add_nothing(v, what);
      return;
    }
    const memory_reference place = what.place.value_or(memory_reference());
    const region_access access = read_access(values_, facts_.loops, facts_.loop, place);
    builder_.set_origin(v);
    region_value& out = builder_.append(what.kind, what.info.width);
    out.info = what.info;
    describe(v, what, out);
    out.is_volatile = place.is_volatile;
    out.access = static_cast<std::uint32_t>(builder_.region().accesses.size());
    set_guard(out, guard);
    builder_.region().accesses.push_back(access);
    values_.set_to_last(v);
  }

  /// Adds an operation that never runs, since its guard is false on all paths to it: its value is arbitrary.
  constexpr void add_nothing(value_id v, const region_operation& what) {
    builder_.set_origin(v);
    values_.set(v, builder_.constant(0, what.info.width));
  }

  /// The bit under which an operation with an effect runs: that of its block, and its own guard.
  constexpr region_bit guard_of(const region_operation& what, const region_bit& reached) {
    return what.is_guarded() ? builder_.conjunction(reached, own_guard(what.guard)) : reached;
  }

  constexpr region_bit own_guard(const guard_of_value& guard) {
    const region_bit own = builder_.bit_of(values_.operand_of(guard.predicate));
    return guard.negated ? own.inverted() : own;
  }

  static constexpr void set_guard(region_value& v, const region_bit& guard) {
    v.guard = guard.node;
    v.guard_negated = guard.flip && !guard.is_number();
  }

  /// The value of a guarded operation: its result or the other value.
  constexpr void add_choice(value_id v, const guard_of_value& guard) {
    const region_bit own = own_guard(guard);
    const region_operand otherwise = values_.operand_of(guard.otherwise);
    builder_.set_origin(v);
    values_.set(v, builder_.select(own, values_.known()[v], otherwise, ir_.operation(v).width, false));
  }

  // Pure operations.

  constexpr void add_pure(value_id v, const region_operation& what) {
    read_arguments(v, what);
    operation_info info = what.info;
    const std::uint8_t width = info.width;
    const bool has_numbers = args_.size() == 2 && (builder_.is_number(args_[0]) || builder_.is_number(args_[1]));
    if (has_numbers && is_commutative(info.code) && builder_.is_number(args_[0])) {
      swap_values(args_[0], args_[1]);
    }
    switch (info.code) {
    case operation::copy:
      values_.set(v, args_[0]);
      return;
    case operation::add:
    case operation::sub:
      if (has_numbers && builder_.is_number(args_[1]) && !builder_.is_number(args_[0]) && !facts_.sums.is_first(v)) {
        const std::uint64_t by =
            info.code == operation::add ? builder_.number(args_[1]) : 0 - builder_.number(args_[1]);
        values_.set(v, {args_[0].node, (args_[0].addend + by) & low_ones(width)});
        return;
      }
      break;
    case operation::bit_not:
    case operation::bit_xor:
      if (width == 1 && (info.code == operation::bit_not || (has_numbers && !builder_.is_number(args_[0])))) {
        const bool flips = info.code == operation::bit_not || (builder_.number(args_[1]) & 1) != 0;
        const region_bit bit = builder_.bit_of(args_[0]);
        values_.set(v, builder_.operand(flips ? bit.inverted() : bit));
        return;
      }
      break;
    case operation::div:
    case operation::rem:
      if (builder_.is_number(args_[1]) && as_signed(builder_.number(args_[1]), width) > 0 && is_natural(v)) {
        info.code = info.code == operation::div ? operation::udiv : operation::urem;
      }
      break;
    case operation::select:
      values_.set(v, builder_.select(is_not_zero(args_[0]), args_[1], args_[2], width, false));
      return;
    default:
      break;
    }
    append_computation(v, what, info);
  }

  /// Appends an operation that takes its arguments as they are. A comparison has a bit as its result, which is widened
  /// where the program wants more bits.
  constexpr void append_computation(value_id v, const region_operation& what, operation_info info) {
    const std::uint8_t width = info.width;
    const bool widens = is_comparison(info.code) && width != 1;
    info.width = widens ? 1 : width;
    describe(v, what, builder_.append_pure(info, args_));
    values_.set_to_last(v);
    if (widens) {
      const region_operand bit[] = {{builder_.last(), 0}};
      builder_.append_pure({operation::zero_extend, width, 1, {}}, bit).is_free = true;
      values_.set_to_last(v);
    }
  }

  /// Whether the first operand of a division is known to be not negative.
  constexpr bool is_natural(value_id v) const {
    return facts_.values.is_not_negative(static_cast<value_id>(*std::begin(ir_.operands(v))));
  }

  constexpr region_bit is_not_zero(const region_operand& o) {
    return builder_.is_bit(o) ? builder_.bit_in(o) : builder_.is_equal(o, 0, builder_.width_of(o)).inverted();
  }

  // Parts of all operations.

  constexpr void read_arguments(value_id v, const region_operation& what) {
    args_.clear();
    for_each_argument(ir_, v, what, [&](value_id o) { args_.push_back(values_.operand_of(o)); });
    builder_.set_origin(v);
  }

  constexpr void describe(value_id v, const region_operation& what, region_value& out) const {
    out.is_free = !what.cost.has_value();
    out.cost = class_of(what);
    out.reassociates = is_associative(what.info.code);
    if constexpr (has_may_reassociate<IR>) {
      out.reassociates = out.reassociates || ir_.may_reassociate(v);
    }
    if constexpr (has_identity<IR>) {
      out.identity = what.info.code == operation::other ? static_cast<std::uint32_t>(ir_.identity(v)) : 0;
    }
  }

  /// The class in which an operation is issued. A terminator that is also a value has the class of that computation.
  static constexpr operation_class class_of(const region_operation& what) {
    if (!what.is_branch()) {
      return what.cost.value_or(operation_class::move);
    }
    switch (what.kind) {
    case region_value_kind::call:
      return operation_class::call;
    case region_value_kind::load:
      return operation_class::load;
    case region_value_kind::store:
      return operation_class::store;
    default:
      return usual_operation_class(what.info).value_or(operation_class::compare);
    }
  }

  operation_facts facts_;
  value_reader<IR> values_;
  const IR& ir_;
  region_builder& builder_;
  flat_array<region_operand>& args_; ///< of one operation
};

} // namespace detail

MIDEND_END_NAMESPACE
