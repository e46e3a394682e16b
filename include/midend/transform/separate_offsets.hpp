/// `separate_offsets`: in loops, the number that is added to a counter moves out of extensions, truncations, products
/// and sums, so that the copies of an unrolled loop share the rest.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/addition_facts.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// An operation that becomes the same operation of `base`, plus `offset`.
struct separated_offset {
  value_id value;
  std::uint32_t operand; ///< the one that is `base` plus a number
  value_id base;         ///< if `follows`, the new operation for this value, which is separated before
  bool follows;
  unsigned width; ///< of the offset
  std::uint64_t offset;
  operation_flags promises; ///< of the new sum
  place where;              ///< of the new operation of the base; the sum is before `value`
};

/// What `separate_offsets` will do. To veto a change, remove it and those that follow it.
struct offset_plan {
  std::uint64_t epoch = 0;
  flat_array<separated_offset> separated; ///< operands before what reads them

  bool empty() const { return separated.empty(); }
};

/// What has become of an operation: `sum` is in its place, which adds a number to `rest`.
struct offset_change {
  value_id value;
  value_id rest;
  value_id sum;

  friend constexpr bool operator==(const offset_change&, const offset_change&) = default;
};

/// What `verify_offsets` has to be told.
struct offset_witness {
  flat_array<offset_change> changes;
};

/// What `separate_offsets` requires of an editor.
template <class E>
concept offset_editor =
    effect_ir<E> && semantic_ir<E> && can_clone_values_to_places<E> && can_set_operands<E> && can_make_numbers<E> &&
    can_make_operations<E> && can_drop_promises<E> && can_replace_uses<E> && can_erase_values<E>;

namespace detail {

/// The error of what is no such editor: one sentence for each thing that is missing. Always false.
template <class E> constexpr bool explain_offset_editor() {
  static_assert(effect_ir<E> && semantic_ir<E>,
                "midend: to separate offsets, an editor needs the semantics and effects of values");
  static_assert(can_clone_values_to_places<E>, "midend: to separate offsets, an editor needs `midend::value_id "
                                               "clone_value(midend::value_id v, midend::place where)`");
  static_assert(can_set_operands<E>, "midend: to separate offsets, an editor needs `void set_operand(midend::value_id "
                                     "user, std::size_t i, midend::value_id v)`");
  static_assert(can_make_numbers<E>, "midend: to separate offsets, an editor needs `midend::value_id "
                                     "make_number(unsigned width, std::uint64_t bits)`");
  static_assert(can_make_operations<E>,
                "midend: to separate offsets, an editor needs `midend::value_id make_operation(midend::operation_info "
                "info, std::span<const midend::value_id> operands, midend::place where)`");
  static_assert(can_drop_promises<E>,
                "midend: to separate offsets, an editor needs `void drop_promises(midend::value_id v)`");
  static_assert(can_replace_uses<E> && can_erase_values<E>,
                "midend: to separate offsets, an editor needs `void replace_uses(midend::value_id v, midend::value_id "
                "by)` and `void erase_value(midend::value_id v)`");
  return false;
}

} // namespace detail

/// What functions take: an `offset_editor`; otherwise an error.
template <class E>
concept offset_editor_argument = offset_editor<E> || detail::explain_offset_editor<E>();

namespace detail {

/// If a fact, or null, shows that a value plus `by` differs from the value only in low bits, all of which are known:
/// true, with these bits of both.
constexpr bool low_bits_of_sum(const strided_interval_domain::element* known, std::uint64_t by, unsigned width,
                               std::uint64_t& before, std::uint64_t& after) {
  if (known == nullptr || known->stride.is_constant()) {
    return false;
  }
  const std::uint64_t power = known->stride.modulus & (0 - known->stride.modulus);
  const std::uint64_t low = power - 1;
  before = known->stride.residue & low;
  after = (before + by) & low_ones(width);
  return after <= low && low <= low_ones(width);
}

template <class IR> class offset_planner {
public:
  offset_planner(const IR& ir, const loop_forest& loops, const addition_facts& facts, offset_plan& out)
      : ir_(ir), loops_(loops), facts_(facts), out_(out), fixed_(ir) {}

  void run() {
    out_.epoch = graph_epoch(ir_.graph());
    const auto count = static_cast<std::size_t>(ir_.num_values());
    sums_.resize_for_overwrite(count);
    rest_of_.assign(count, 0);
    for (value_id v = 0; v != count; ++v) {
      sums_[v] = {v, false, 0, true, true};
    }
    const depth_first_numbering order = depth_first_order(ir_.graph());
    find_nodes(order.postorder());
    for (std::size_t i = order.num_reachable(); i-- != 0;) { // operands come before what reads them
      const node_id n = order.postorder()[i];
      for_each_id(ir_.values(n), [&](value_id v) {
        if (!ir_.is_phi(v) && !is_terminator(ir_, v) && ir_.effect(v) == effect_kind::none) {
          read(n, v);
        }
      });
    }
    find_places();
  }

private:
  /// base + by modulo 2^width. Exact: it does not wrap, because each addition that it is made of promises that.
  struct sum {
    value_id base;
    bool follows; ///< the base is what is left of that value
    std::uint64_t by;
    bool exact_signed;
    bool exact_unsigned;
  };

  /// What operations that differ by a number have in common.
  struct family {
    operation_info info;
    std::uint32_t operand;
    value_id base;
    bool follows;
    std::uint64_t other; ///< the other operand: a value, or a number
    std::uint32_t size;
  };

  /// Besides the nodes of values, which value follows each in its node; after a phi, the first that is none.
  void find_nodes(span<const node_id> reached) {
    node_of_.assign(sums_.size(), no_node);
    next_.assign(sums_.size(), no_value);
    flat_array<value_id> waiting;
    for (const node_id n : reached) {
      waiting.clear();
      for_each_id(ir_.values(n), [&](value_id v) {
        node_of_[v] = n;
        if (!ir_.is_phi(v)) {
          for (const value_id before : waiting) {
            next_[before] = v;
          }
          waiting.clear();
        }
        waiting.push_back(v);
      });
    }
  }

  std::optional<std::uint64_t> number(value_id v) const {
    const auto c = v == no_value ? decltype(ir_.constant(v))() : ir_.constant(v);
    return c ? std::optional(static_cast<std::uint64_t>(*c)) : std::nullopt;
  }

  void read(node_id n, value_id v) {
    const operation_info info = ir_.operation(v);
    std::array<value_id, 2> x{no_value, no_value};
    std::size_t count = 0;
    for_each_id(ir_.operands(v), [&](value_id operand) {
      if (count < x.size()) {
        x[count] = operand;
      }
      ++count;
    });
    if (info.code == operation::other || count != arity(info.code) || count > x.size() || x[0] == no_value) {
      return; // or it has a guard
    }
    const loop_id loop = loops_.innermost_loop(n);
    switch (info.code) {
    case operation::add:
    case operation::sub:
      read_sum(loop, v, info, x[0], x[1]);
      break;
    case operation::sign_extend:
    case operation::zero_extend:
      read_extension(loop, v, info, x[0]);
      break;
    case operation::truncate:
      separate(loop, v, info, 0, x[0], no_value, sums_[x[0]].by);
      break;
    case operation::mul:
      if (const auto by = number(x[1])) {
        separate(loop, v, info, 0, x[0], x[1], sums_[x[0]].by * *by);
      } else if (const auto first = number(x[0])) {
        separate(loop, v, info, 1, x[1], x[0], sums_[x[1]].by * *first);
      }
      break;
    case operation::shl:
      if (const auto by = number(x[1]); by && *by < info.width) {
        separate(loop, v, info, 0, x[0], x[1], sums_[x[0]].by << *by);
      }
      break;
    case operation::bit_and:
    case operation::bit_or:
    case operation::bit_xor:
    case operation::shr:
    case operation::sar:
      read_bits(loop, v, info, x[0], x[1]);
      break;
    default:
      break;
    }
  }

  void read_sum(loop_id loop, value_id v, const operation_info& info, value_id x, value_id y) {
    const bool subtracts = info.code == operation::sub;
    if (number(x) && number(y)) {
      return;
    }
    if (const auto by = number(y)) {
      add(v, info, x, *by);
    } else if (const auto first = number(x); first && !subtracts) {
      add(v, info, y, *first);
    } else if (is_outside(loop, y)) {
      separate(loop, v, info, 0, x, y, sums_[x].by);
    } else if (is_outside(loop, x)) {
      separate(loop, v, info, 1, y, x, subtracts ? 0 - sums_[y].by : sums_[y].by);
    }
  }

  /// `v` adds a number to `x`, or subtracts it.
  void add(value_id v, const operation_info& info, value_id x, std::uint64_t number) {
    const bool subtracts = info.code == operation::sub;
    const wrapping_result negative = wrapping_sub(0, number, info.width);
    sum out = sums_[x];
    const wrapping_result total = wrapping_add(out.by, subtracts ? negative.bits : number, info.width);
    out.exact_signed =
        out.exact_signed && info.flags.no_signed_wrap && !(subtracts && negative.signed_wrap) && !total.signed_wrap;
    out.exact_unsigned = out.exact_unsigned && info.flags.no_unsigned_wrap && !subtracts && !total.unsigned_wrap;
    out.by = total.bits & low_ones(info.width);
    sums_[v] = out;
  }

  /// If the base is r modulo d, a power of 2, and r plus the number is at least 0 and less than d, the sum differs from
  /// the base in low bits only, which are known for both.
  void read_bits(loop_id loop, value_id v, const operation_info& info, value_id x, value_id y) {
    const bool shifts = info.code == operation::shr || info.code == operation::sar;
    const bool is_first = !shifts && number(x).has_value();
    const auto by = number(is_first ? x : y);
    const value_id of = is_first ? y : x;
    if (!by || number(of) || (shifts && *by >= info.width)) {
      return;
    }
    const sum& s = sums_[of];
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    if (s.by != 0 && !low_bits_of_sum(fact(s), s.by, info.width, before, after)) {
      return;
    }
    const auto low = [&](std::uint64_t bits) {
      switch (info.code) {
      case operation::bit_and:
        return bits & *by;
      case operation::bit_or:
        return bits & ~*by; // the others are set in both
      case operation::bit_xor:
        return (bits & ~*by) - (bits & *by);
      default:
        return bits >> *by;
      }
    };
    separate(loop, v, info, is_first ? 1 : 0, of, is_first ? x : y, low(after) - low(before));
  }

  void read_extension(loop_id loop, value_id v, const operation_info& info, value_id x) {
    const sum& s = sums_[x];
    const std::int64_t by = as_signed(s.by, info.operand_width);
    const auto wide = static_cast<std::uint64_t>(by);
    if (info.code == operation::sign_extend) {
      if (s.exact_signed || signed_sum_fits(fact(s), s.by, info.operand_width)) {
        separate(loop, v, info, 0, x, no_value, wide, {true, false});
      }
    } else if (unsigned_sum_fits(fact(s), s.by, info.operand_width)) {
      separate(loop, v, info, 0, x, no_value, wide, {true, by >= 0});
    } else if (s.exact_unsigned) {
      separate(loop, v, info, 0, x, no_value, s.by, {true, true});
    } else if (s.exact_signed && by >= 0 && is_natural(s)) {
      separate(loop, v, info, 0, x, no_value, wide, {true, true});
    }
  }

  bool is_natural(const sum& s) const {
    const auto* const known = fact(s);
    return known != nullptr && known->range.as_signed.low >= 0;
  }

  /// What is known about the base of a sum, or null.
  const strided_interval_domain::element* fact(const sum& s) const {
    return s.follows ? &rest_facts_[rest_of_[s.base]] : fact_about(facts_, s.base);
  }

  /// What is known about what is left of `v`, whose operand becomes the base of `s`.
  strided_interval_domain::element fact_of_rest(value_id v, operation_info info, std::uint32_t operand, const sum& s) {
    constexpr strided_interval_domain domain;
    info.flags = {};
    std::array<strided_interval_domain::element, 2> args{};
    std::uint32_t count = 0;
    for_each_id(ir_.operands(v), [&](value_id x) {
      const auto* const known = count == operand ? fact(s) : fact_about(facts_, x);
      const unsigned width = count == operand ? read_width(info) : ir_.operation(x).width;
      args[count] = known != nullptr ? *known : domain.top(width);
      if (const auto c = number(x); c && count != operand) {
        args[count] = domain.constant(info.width, *c);
      }
      ++count;
    });
    return domain.transfer(info, span<const strided_interval_domain::element>(args.data(), count));
  }

  bool is_outside(loop_id loop, value_id v) const {
    return loop != no_loop && (node_of_[v] == no_node || !loops_.contains(loop, node_of_[v]));
  }

  /// `v` reads `x`, a sum, as this operand, and is its operation of the base plus `offset`.
  void separate(loop_id loop, value_id v, const operation_info& info, std::uint32_t operand, value_id x, value_id other,
                std::uint64_t offset, operation_flags promises = {}) {
    const sum s = sums_[x];
    if (loop == no_loop || is_outside(loop, x) || !fixed_.may_replace(v) || !may_replace_operand(ir_, v, operand)) {
      return;
    }
    const std::uint32_t f = family_of(info, operand, s, other);
    ++families_[f].size;
    if (s.by == 0) {
      return;
    }
    const std::uint64_t by = offset & low_ones(info.width);
    out_.separated.push_back({v, operand, s.base, s.follows, info.width, by, promises, place_before(v)});
    family_of_.push_back(f);
    rest_of_[v] = static_cast<std::uint32_t>(rest_facts_.size());
    rest_facts_.push_back(fact_of_rest(v, info, operand, s));
    sums_[v] = {v, true, by, promises.no_signed_wrap, promises.no_unsigned_wrap};
  }

  std::uint32_t family_of(operation_info info, std::uint32_t operand, const sum& s, value_id other) {
    info.flags = {};
    const family wanted{info, operand, s.base, s.follows, number(other).value_or(other), 0};
    std::uint64_t hash = mix_hash(std::uint64_t{s.base} << 32 | operand, wanted.other);
    hash = mix_hash(hash, static_cast<std::uint64_t>(info.code) << 16 | std::uint64_t{info.width} << 8);
    const auto fresh = static_cast<std::uint32_t>(families_.size());
    const std::uint32_t found = found_.find_or_insert(hash, fresh, [&](std::uint32_t i) {
      const family& f = families_[i];
      return f.info == info && f.operand == operand && f.base == s.base && f.follows == s.follows &&
             f.other == wanted.other;
    });
    if (found == fresh) {
      families_.push_back(wanted);
    }
    return found;
  }

  /// What a whole family shares is computed directly after the base, so that it is there wherever one needs it.
  void find_places() {
    item_of_.assign(sums_.size(), 0);
    for (std::uint32_t i = 0; i != out_.separated.size(); ++i) {
      separated_offset& s = out_.separated[i];
      item_of_[s.value] = i;
      const bool is_shared = families_[family_of_[i]].size > 1;
      const bool is_in_loop = node_of_[s.base] != no_node &&
                              loops_.innermost_loop(node_of_[s.base]) == loops_.innermost_loop(node_of_[s.value]);
      if (!is_shared || !is_in_loop) { // and not in a loop inside that of the value, where it would run more often
        continue;
      }
      if (s.follows) {
        s.where = out_.separated[item_of_[s.base]].where;
      } else {
        s.where = next_[s.base] != no_value ? place_before(next_[s.base]) : place_at_end(node_of_[s.base]);
      }
    }
  }

  const IR& ir_;
  const loop_forest& loops_;
  addition_facts facts_;
  offset_plan& out_;
  fixed_operands<IR> fixed_;
  flat_array<sum> sums_; ///< by value
  flat_array<node_id> node_of_;
  flat_array<value_id> next_;
  flat_array<family> families_;
  hash_map<std::uint64_t> found_;       ///< of `families_`, by hash
  flat_array<std::uint32_t> family_of_; ///< by separated offset
  flat_array<std::uint32_t> rest_of_;   ///< by value: its place in `rest_facts_`, if it is separated
  flat_array<strided_interval_domain::element> rest_facts_; ///< about what is left of separated values
  flat_array<std::uint32_t> item_of_;                       ///< by value: its place in the plan
};

/// The change; if the sum may trap and the operation may not, takes it back and returns `no_value` twice. What the sum
/// promises is proved.
template <class E> offset_change checked_change(E& editor, const offset_change& c) {
  if (!may_trap_without_promises(editor, c.sum) || editor.may_trap(c.value)) {
    return c;
  }
  editor.erase_value(c.sum);
  editor.erase_value(c.rest);
  return {c.value, no_value, no_value};
}

/// Makes what is left of an operation and the sum, before it. Returns `no_value` twice if the IR has no such number, or
/// if what is left may trap: it reads another value than the operation does, and may run where the operation does not.
template <class E> offset_change separate_one(E& editor, const separated_offset& s, value_id base) {
  const operation_info info = editor.operation(s.value);
  const bool subtracts = info.code == operation::sub;
  value_id like = s.value; // beside which the number is read
  if (info.code == operation::add || subtracts) {
    for_each_id(editor.operands(s.value), [&](value_id x) { like = x; });
  }
  const value_id number = number_like(editor, like, s.width, (subtracts ? 0 - s.offset : s.offset) & low_ones(s.width));
  if (number == no_value) {
    return {s.value, no_value, no_value};
  }
  const auto rest = static_cast<value_id>(editor.clone_value(s.value, s.where));
  editor.drop_promises(rest);
  editor.set_operand(rest, s.operand, base);
  if (editor.may_trap(rest)) {
    editor.erase_value(rest);
    return {s.value, no_value, no_value};
  }
  if (info.code == operation::add || subtracts) { // of the type of the value, which may be a pointer
    const auto sum = static_cast<value_id>(editor.clone_value(s.value, place_before(s.value)));
    editor.drop_promises(sum);
    editor.set_operand(sum, 0, rest);
    editor.set_operand(sum, 1, number);
    return checked_change(editor, {s.value, rest, sum});
  }
  operation_info add;
  add.code = operation::add;
  add.width = info.width;
  add.operand_width = info.width;
  add.flags = s.promises;
  const value_id operands[] = {rest, number};
  const auto sum =
      static_cast<value_id>(editor.make_operation(add, span<const value_id>(operands, 2), place_before(s.value)));
  if (sum == no_value) {
    editor.erase_value(rest);
    return {s.value, no_value, no_value};
  }
  return checked_change(editor, {s.value, rest, sum});
}

} // namespace detail

/// Operations in loops that read x = b + c for a number c: extensions and truncations of x, products of x and a number,
/// and sums and differences of x and a value from outside the innermost loop. Each becomes the same operation of b,
/// plus a number: the address of a[i + 3] is that of a[i], plus 12. So the copies of an unrolled loop share one
/// extension or product, and loads and stores take up the sum. If two or more operations differ by a number only, what
/// they share is computed directly after b, where it may run although none of them does. The sums x that nothing reads
/// afterwards stay for `remove_dead_code`.
///
/// The extension of a sum is the sum of the extensions if the addition does not wrap. It may promise that, or `facts`
/// show it: a 32-bit counter that is a multiple of 4 is at most 2^31 - 4, so adding 3 does not wrap. All else holds
/// modulo 2^width.
///
/// An operation that no other shares may cost an addition more, so use this after unrolling, and number values
/// afterwards. Guarded operations, and unreachable ones, stay. `loops` and `facts` are those of the program as it is.
/// O(n + m + values + operands). This is reassociation of constants (Muchnick, Advanced Compiler Design and
/// Implementation, 1997, section 12.3) through what distributes over addition; LLVM's SeparateConstOffsetFromGEP does
/// it for addresses.
template <effect_ir_argument IR>
  requires graph_of_ir_argument<IR>
offset_plan plan_separate_offsets(const IR& ir, const loop_forest& loops, const addition_facts& facts = {}) {
  MIDEND_ASSERT(loops.epoch() == graph_epoch(ir.graph()), "a loop forest of this graph", loops.epoch());
  MIDEND_ASSERT(facts.are_about(ir.graph()), "facts about this program as it is now", facts.size());
  offset_plan plan;
  detail::offset_planner<IR>(ir, loops, facts, plan).run();
  return plan;
}

/// Applies a plan for the program as it is; the operations that are replaced are erased. Returns the witness for
/// `verify_offsets`. An operation stays as it is, and so do those that follow it, if the IR cannot make its number, or
/// if the new operation may trap, as one that reads a value of a speculative operation may.
template <offset_editor_argument E> offset_witness apply_separate_offsets(E& editor, const offset_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(editor.graph()), "a plan for this graph as it is now", plan.epoch);
  offset_witness witness;
  flat_array<value_id> rest_of(static_cast<std::size_t>(editor.num_values()), no_value);
  for (const separated_offset& s : plan.separated) {
    const value_id base = s.follows ? rest_of[s.base] : s.base;
    if (base != no_value) {
      const offset_change done = detail::separate_one(editor, s, base);
      if (done.sum != no_value) {
        rest_of[s.value] = done.rest;
        editor.replace_uses(s.value, done.sum);
        witness.changes.push_back(done);
      }
    }
  }
  for (const offset_change& c : witness.changes) { // at the end: others may be placed before them
    editor.erase_value(c.value);
  }
  return witness;
}

MIDEND_END_NAMESPACE
