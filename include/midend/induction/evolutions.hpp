/// `evolutions`: how all values of a function evolve in its loops, from the innermost loops outwards.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/frozen.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Memory of `evolutions`, reused from call to call.
class evolutions_workspace {
  friend class detail::evolution_finder;
  template <freezable_ir_argument IR>
  friend void evolutions(const IR& ir, const loop_forest& loops, span<const number_facts> facts,
                         evolutions_workspace& workspace, value_evolutions& out);

  flat_program program_;
  flat_array<std::uint32_t> rank_; ///< by node: its place in reverse postorder
  flat_array<node_id> order_;
  flat_array<detail::evolution_slot> stack_; ///< what waits for what is above it
  flat_array<std::uint32_t> guesses_;        ///< slots that are unknown as long as a loop is not counted
};

namespace detail {

/// What `evolutions` computes, of a flat program.
MIDEND_FUNCTION void find_evolutions(const flat_program& program, const loop_forest& loops,
                                     span<const number_facts> facts, evolutions_workspace& workspace,
                                     value_evolutions& out);

} // namespace detail

/// How the values of a function evolve in its loops, what they are after them, and how often loops run, refilling
/// `out`.
///
/// Each value is first read as a linear form of phis of loop headers and of values that are no sums. Then, loop by loop
/// from inside out, the phis of the header are solved: a phi whose next value is itself plus something that evolves is
/// the sum of that (a polynomial up to degree 3); one that is multiplied by a number is a power. Values after a loop
/// inside are what they were in its last iteration, if its trip count is a number or a formula, so that outer loops are
/// solved in the same way. Extensions are looked through if promises or ranges show that nothing wraps. How often a
/// loop runs follows from comparisons of a counter with what does not change: `trip_count_of` and `trip_formula_of`.
///
/// Loops with other loops inside are solved, too. In a cycle with several entries, phis are `irreducible_cycle`, and
/// what does not depend on them is known. Loops without exits are `endless`. Unreachable values are `undefined`.
/// Nothing is said about values of more than 64 bits, and of more than eight loops around a value.
///
/// `facts` has what is known about values, by value, or is empty. Requires that `loops` is the forest of `ir.graph()`,
/// with boundaries. Copies the function once into a flat program; O(values + edges) after that for forms and nests of
/// bounded size, which they are.
template <freezable_ir_argument IR>
void evolutions(const IR& ir, const loop_forest& loops, span<const number_facts> facts, evolutions_workspace& workspace,
                value_evolutions& out) {
  frozen(ir, workspace.program_);
  detail::find_evolutions(workspace.program_, loops, facts, workspace, out);
}

/// The result as a value.
template <freezable_ir_argument IR>
value_evolutions evolutions(const IR& ir, const loop_forest& loops, span<const number_facts> facts = {}) {
  evolutions_workspace workspace;
  value_evolutions out;
  evolutions(ir, loops, facts, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/dominance/dominators.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/trip_formula.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/optional.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// One call of `evolutions`.
class evolution_finder {
  using found = value_evolutions;
  using state = found::evolution_state;
  using leaf = found::slot_of_leaf;

  static constexpr number_reading low_bits = number_reading::low_bits;
  static constexpr number_reading as_signed_number = number_reading::as_signed;
  static constexpr number_reading as_unsigned_number = number_reading::as_unsigned;
  static constexpr number_reading readings[] = {low_bits, as_signed_number, as_unsigned_number};
  static constexpr std::uint64_t minus_one = ~std::uint64_t{0};

public:
  evolution_finder(const flat_program& program, const loop_forest& loops, span<const number_facts> facts,
                   evolutions_workspace& w, value_evolutions& out)
      : p_(program), loops_(loops), facts_(facts), w_(w), out_(out) {}

  void run() {
    prepare();
    for (const node_id n : w_.order_) {
      for (const value_id v : p_.values(n)) {
        read_forms(v);
      }
    }
    out_.slots_.assign(num_slots_, found::none);
    for (auto l = static_cast<loop_id>(loops_.num_loops()); l-- != 0;) { // from inside out
      w_.guesses_.clear();
      count(l);
      for (const std::uint32_t at : w_.guesses_) { // what was unknown may be known now
        out_.slots_[at] = found::none;
      }
    }
    for (value_id v = 0; v != p_.num_values(); ++v) {
      evolve_in_all_loops(v);
    }
  }

private:
  // ---- Tables.

  void prepare() {
    out_.dominators_ = dominators(p_.graph());
    w_.order_ = reverse_post_order(p_.graph());
    w_.rank_.assign(p_.graph().num_nodes(), found::none);
    for (std::uint32_t i = 0; i != w_.order_.size(); ++i) {
      w_.rank_[w_.order_[i]] = i;
    }
    out_.terms_.clear();
    out_.forms_.clear();
    out_.evolutions_.clear();
    num_slots_ = 0;
    out_.loops_.assign(loops_.num_loops(), {});
    for (const loop_id l : loops_.loops()) {
      found::loop_record& record = out_.loops_[l];
      record.parent = loops_.parent(l);
      record.depth = loops_.depth(l);
      record.end = l + static_cast<loop_id>(loops_.subloops(l).size());
    }
    out_.values_.assign(p_.num_values(), {});
    for (value_id v = 0; v != p_.num_values(); ++v) {
      prepare(v);
    }
  }

  void prepare(value_id v) {
    found::value_record& record = out_.values_[v];
    const node_id n = p_.node_of(v);
    const unsigned width = p_.operation(v).width;
    record.width = static_cast<std::uint8_t>(width < 1 || width > 64 ? 64 : width);
    record.is_natural = facts_of(v).is_natural();
    if (n != no_node && w_.rank_[n] != found::none) {
      record.node = n;
      record.home = loops_.innermost_loop(n);
    }
    for (const number_reading r : readings) {
      linear_form number = out_.kind_of(v, r);
      if (p_.constant(v) && read_number(*p_.constant(v), record.width, r, number)) {
        record.forms[static_cast<unsigned>(r)] = out_.packed(number);
      }
    }
  }

  number_facts facts_of(value_id v) const {
    return v < facts_.size() ? facts_[v] : number_facts::any(out_.values_[v].width);
  }

  loop_id home(value_id v) const { return out_.values_[v].home; }

  bool is_header_phi(value_id v) const {
    return p_.is_phi(v) && home(v) != no_loop && loops_.header(home(v)) == out_.values_[v].node;
  }

  // ---- Forms: what a value is as a sum, whatever the loops do.

  void read_forms(value_id v) {
    if (p_.constant(v)) {
      return;
    }
    found::value_record& record = out_.values_[v];
    linear_form forms[3];
    bool is_sum[3] = {};
    for (unsigned i = 0; i != 3; ++i) {
      forms[i] = out_.kind_of(v, readings[i]);
      is_sum[i] = read_form(v, readings[i], forms[i]);
    }
    if (record.is_natural && is_sum[1] != is_sum[2]) { // both readings are the same
      forms[is_sum[1] ? 2 : 1] = forms[is_sum[1] ? 1 : 2];
      is_sum[1] = is_sum[2] = true;
    }
    for (unsigned i = 0; i != 3; ++i) {
      if (is_sum[i]) {
        record.forms[i] = out_.packed(forms[i]);
      }
    }
    if (record.home != no_loop && !(is_sum[0] && is_sum[1] && is_sum[2])) {
      const std::uint32_t depth = loops_.depth(record.home);
      record.levels = static_cast<std::uint8_t>(depth < found::max_levels ? depth : found::max_levels);
      record.slots = num_slots_;
      num_slots_ += 3U * record.levels;
    }
  }

  /// A number of `width` bits, as `r` reads it.
  static bool read_number(std::uint64_t bits, unsigned width, number_reading r, linear_form& out) {
    bits &= low_ones(width);
    out.constant = r == as_signed_number ? static_cast<std::uint64_t>(as_signed(bits, width)) : bits;
    return r != as_unsigned_number || bits >> 63 == 0;
  }

  /// What an operation of `width` bits reads of a value. False if no form is known to be that.
  bool read_operand(value_id v, unsigned width, number_reading r, linear_form& out) const {
    if (v == no_value || p_.is_undefined(v) || p_.may_be_undefined(v)) {
      return false;
    }
    const unsigned wide = out_.values_[v].width;
    if (p_.constant(v)) {
      out = r == low_bits ? linear_form::zero(width) : linear_form::exact_zero();
      return read_number(*p_.constant(v), width, r, out);
    }
    if (r == low_bits) {
      out = out_.form_of(v, wide < width ? as_unsigned_number : low_bits);
      return reduce(out, width);
    }
    out = out_.form_of(v, wide < width ? as_unsigned_number : r);
    return wide <= width || fits(facts_of(v), width, r);
  }

  bool reduce(linear_form& form, unsigned width) const {
    return form.reduce(width, [this](value_id x) { return unsigned{out_.values_[x].width}; });
  }

  static bool fits(const number_facts& f, unsigned width, number_reading r) {
    const auto most = static_cast<std::int64_t>(low_ones(width) >> 1);
    return r == as_unsigned_number ? f.most <= low_ones(width) : f.low >= -most - 1 && f.high <= most;
  }

  number_facts facts_of_operand(value_id v, unsigned width) const {
    return p_.constant(v)                   ? number_facts::exactly(width, *p_.constant(v))
           : out_.values_[v].width == width ? facts_of(v)
                                            : number_facts::any(width);
  }

  bool read_form(value_id v, number_reading r, linear_form& out) {
    if (const auto c = facts_of(v).constant()) {
      return read_number(*c, out_.values_[v].width, r, out);
    }
    return p_.is_phi(v) ? !is_header_phi(v) && read_join(v, r, out) : read_operation(v, r, out);
  }

  /// A phi of which all inputs are the same sum.
  bool read_join(value_id v, number_reading r, linear_form& out) {
    found::value_record& record = out_.values_[v];
    bool is_first = true;
    for (const edge_id e : p_.graph().in_edges(record.node)) {
      const std::uint32_t rank = w_.rank_[p_.graph().edge_source(e)];
      if (rank == found::none) {
        continue;
      }
      if (rank >= w_.rank_[record.node]) {
        record.phi = evolution_obstacle::irreducible_cycle;
        return false;
      }
      linear_form input;
      if (!read_operand(p_.phi_input(v, e), record.width, r, input) || (!is_first && !same_sum(input, out))) {
        return false;
      }
      out = input;
      is_first = false;
    }
    return !is_first;
  }

  bool read_operation(value_id v, number_reading r, linear_form& out) const {
    const operation_info info = p_.operation(v);
    const span<const value_id> operands = p_.operands(v);
    const unsigned width = info.width;
    if (info.code == operation::other || operands.size() < arity(info.code)) {
      return false;
    }
    switch (info.code) {
    case operation::copy:
      return read_operand(operands[0], width, r, out);
    case operation::neg:
      return (r == low_bits || keeps_difference(info, r, {}, operands[0])) &&
             read_operand(operands[0], width, r, out) && out.negate();
    case operation::bit_not: // -1 - x; of unsigned numbers the largest minus x
      return read_operand(operands[0], width, r, out) && out.negate() &&
             (r == as_unsigned_number ? low_ones(width) >> 63 == 0 && out.add(low_ones(width)) : out.add(minus_one));
    case operation::add:
      return read_sum(info, operands[0], operands[1], r, out);
    case operation::bit_or:
      return (facts_of_operand(operands[0], width).possible_bits() &
              facts_of_operand(operands[1], width).possible_bits()) == 0 &&
             r != as_signed_number && add_operands(operands[0], operands[1], width, r, 1, out);
    case operation::sub:
      return (r == low_bits || keeps_difference(info, r, operands[0], operands[1])) &&
             add_operands(operands[0], operands[1], width, r, minus_one, out);
    case operation::mul:
      return p_.constant(operands[1])   ? read_multiple(info, operands[0], *p_.constant(operands[1]), r, out)
             : p_.constant(operands[0]) ? read_multiple(info, operands[1], *p_.constant(operands[0]), r, out)
                                        : false;
    case operation::shl:
      return p_.constant(operands[1]) && *p_.constant(operands[1]) < width - (r == as_signed_number ? 1U : 0U) &&
             read_multiple(info, operands[0], std::uint64_t{1} << *p_.constant(operands[1]), r, out);
    case operation::shladd:
      return read_shifted_sum(info, operands, r, out);
    case operation::bit_and:
      return read_masked(operands, width, r, out);
    case operation::truncate: // of an operand of fewer bits, an extension
      return info.operand_width < width ? read_extended(info, operands[0], as_unsigned_number, r, out)
                                        : read_operand(operands[0], width, r, out);
    case operation::zero_extend:
      return read_extended(info, operands[0], as_unsigned_number, r, out);
    case operation::sign_extend:
      return (r != as_unsigned_number || facts_of(v).is_natural()) &&
             read_extended(info, operands[0], as_signed_number, r, out);
    default:
      return false;
    }
  }

  bool add_operands(value_id a, value_id b, unsigned width, number_reading r, std::uint64_t by,
                    linear_form& out) const {
    linear_form second;
    return read_operand(a, width, r, out) && read_operand(b, width, r, second) && out.add(second, by);
  }

  bool read_sum(const operation_info& info, value_id a, value_id b, number_reading r, linear_form& out) const {
    const unsigned width = info.width;
    if (r == low_bits || keeps_sum(info, r, a, b)) {
      return add_operands(a, b, width, r, 1, out);
    }
    if (p_.constant(a)) {
      const value_id other = a;
      a = b;
      b = other;
    }
    if (r != as_unsigned_number || !p_.constant(b)) {
      return false;
    }
    const std::uint64_t by = *p_.constant(b) & low_ones(width); // x + -1, where x is not 0
    return facts_of_operand(a, width).unsigned_sum_fits(by, width) && read_operand(a, width, r, out) &&
           out.add(static_cast<std::uint64_t>(as_signed(by, width)));
  }

  /// Whether a sum does not wrap, by promise or by the ranges of its operands.
  bool keeps_sum(const operation_info& info, number_reading r, value_id a, value_id b) const {
    const unsigned width = info.width;
    const number_facts x = facts_of_operand(a, width);
    const number_facts y = facts_of_operand(b, width);
    if (r == as_unsigned_number) {
      return info.flags.no_unsigned_wrap || !wrapping_add(x.most, y.most, width).unsigned_wrap;
    }
    return info.flags.no_signed_wrap ||
           (!wrapping_add(bits_of(x.low, width), bits_of(y.low, width), width).signed_wrap &&
            !wrapping_add(bits_of(x.high, width), bits_of(y.high, width), width).signed_wrap);
  }

  /// The same of a difference; without a first operand, from 0.
  bool keeps_difference(const operation_info& info, number_reading r, optional<value_id> a, value_id b) const {
    const unsigned width = info.width;
    const number_facts x = a ? facts_of_operand(*a, width) : number_facts::exactly(width, 0);
    const number_facts y = facts_of_operand(b, width);
    if (r == as_unsigned_number) {
      return info.flags.no_unsigned_wrap || x.least >= y.most;
    }
    return info.flags.no_signed_wrap ||
           (!wrapping_sub(bits_of(x.low, width), bits_of(y.high, width), width).signed_wrap &&
            !wrapping_sub(bits_of(x.high, width), bits_of(y.low, width), width).signed_wrap);
  }

  static std::uint64_t bits_of(std::int64_t number, unsigned width) {
    return static_cast<std::uint64_t>(number) & low_ones(width);
  }

  bool read_multiple(const operation_info& info, value_id a, std::uint64_t by, number_reading r,
                     linear_form& out) const {
    const unsigned width = info.width;
    by &= low_ones(width);
    const number_facts x = facts_of_operand(a, width);
    if (r == as_signed_number) {
      const bool keeps = info.flags.no_signed_wrap || (!wrapping_mul(bits_of(x.low, width), by, width).signed_wrap &&
                                                       !wrapping_mul(bits_of(x.high, width), by, width).signed_wrap);
      return keeps && read_operand(a, width, r, out) && out.multiply(static_cast<std::uint64_t>(as_signed(by, width)));
    }
    const bool keeps =
        r == low_bits ||
        ((info.flags.no_unsigned_wrap || !wrapping_mul(x.most, by, width).unsigned_wrap) && by >> 63 == 0);
    return keeps && read_operand(a, width, r, out) && out.multiply(by);
  }

  bool read_shifted_sum(const operation_info& info, span<const value_id> operands, number_reading r,
                        linear_form& out) const {
    const auto amount = p_.constant(operands[1]);
    linear_form added;
    const bool keeps =
        r == low_bits || (r == as_signed_number ? info.flags.no_signed_wrap : info.flags.no_unsigned_wrap);
    return keeps && amount && *amount < info.width - (r == as_signed_number ? 1U : 0U) &&
           read_multiple(info, operands[0], std::uint64_t{1} << *amount, r, out) &&
           read_operand(operands[2], info.width, r, added) && out.add(added);
  }

  /// x & mask, where no bit of x is outside of the mask.
  bool read_masked(span<const value_id> operands, unsigned width, number_reading r, linear_form& out) const {
    const bool is_second = static_cast<bool>(p_.constant(operands[1]));
    const auto mask = p_.constant(operands[is_second ? 1 : 0]);
    const value_id x = operands[is_second ? 0 : 1];
    return mask && (facts_of_operand(x, width).possible_bits() & ~*mask) == 0 && read_operand(x, width, r, out);
  }

  /// The number that an operand is, with a sign or without, as a number of more bits.
  bool read_extended(const operation_info& info, value_id v, number_reading number, number_reading r,
                     linear_form& out) const {
    if (info.operand_width == info.width) {
      return read_operand(v, info.width, r, out);
    }
    if (number == as_signed_number && out_.values_[v].width != info.operand_width) {
      return false;
    }
    return info.operand_width <= info.width && read_operand(v, info.operand_width, number, out) &&
           (r != low_bits || reduce(out, info.width));
  }

  // ---- Evolutions of leaves. One may need others: those are computed first.

  /// What a form is in a loop, after all that it needs.
  evolution resolve(const linear_form& form, loop_id l) {
    evolution out;
    leaf missing;
    while (out_.evolve(form, l, out, missing) == state::missing) {
      demand(missing);
    }
    return out;
  }

  void demand(const leaf& first) {
    w_.stack_.clear();
    w_.stack_.push_back(first);
    while (!w_.stack_.empty()) {
      const leaf s = w_.stack_.back();
      const std::uint32_t at = out_.slot(s);
      if (out_.slots_[at] != found::none && out_.slots_[at] != found::pending) {
        w_.stack_.pop_back();
        continue;
      }
      out_.slots_[at] = found::pending;
      evolution e;
      leaf missing;
      if (compute(s, e, missing) == state::missing) {
        w_.stack_.push_back(missing);
        continue;
      }
      w_.stack_.pop_back();
      store(at, e);
    }
  }

  void store(std::uint32_t at, const evolution& e) {
    if (!e.is_known()) {
      out_.slots_[at] = found::obstacles + static_cast<std::uint32_t>(e.obstacle);
      w_.guesses_.push_back(at);
      return;
    }
    found::packed_evolution record{e.ratio, 0, static_cast<std::uint8_t>(e.degree)};
    found::packed_form forms[evolution::max_degree + 2];
    unsigned count = 0;
    for (unsigned d = 0; d <= e.degree; ++d) {
      forms[count++] = out_.packed(e.coefficients[d]);
    }
    if (e.has_power()) {
      forms[count++] = out_.packed(e.scale);
    }
    record.first = static_cast<std::uint32_t>(out_.forms_.size());
    for (unsigned i = 0; i != count; ++i) {
      out_.forms_.push_back(forms[i]);
    }
    out_.slots_[at] = static_cast<std::uint32_t>(out_.evolutions_.size());
    out_.evolutions_.push_back(record);
  }

  /// All that queries may need.
  void evolve_in_all_loops(value_id v) {
    const found::value_record& record = out_.values_[v];
    loop_id l = record.home;
    for (unsigned level = 0; level != record.levels; ++level, l = loops_.parent(l)) {
      for (unsigned i = 0; i != 3; ++i) {
        const number_reading r = readings[i];
        if (record.forms[i].count == found::packed_form::itself && out_.canonical(v, r) == r) {
          demand({v, r, l});
        }
      }
    }
  }

  state compute(const leaf& s, evolution& out, leaf& missing) {
    if (home(s.value) != s.loop) {
      return compute_after_inner_loop(s, out, missing);
    }
    if (!is_header_phi(s.value)) {
      return compute_operation(s, out, missing);
    }
    const state done = solve(s, out, missing);
    return done == state::known && !out.is_known() && s.reading != low_bits ? compute_exact_counter(s, out, missing)
                                                                            : done;
  }

  evolution itself(const leaf& s) const {
    linear_form form = out_.kind_of(s.value, s.reading);
    static_cast<void>(form.add(s.value, 1, s.reading));
    return evolution::constant(s.loop, form);
  }

  static bool is_itself(const evolution& e, value_id v) {
    return e.is_invariant() && e.start().num_terms == 1 && e.start().terms[0].value == v;
  }

  /// A value that no sum describes. If its operands do not change in the loop, nor does it.
  state compute_operation(const leaf& s, evolution& out, leaf& missing) {
    const value_id v = s.value;
    const operation_info info = p_.operation(v);
    out = evolution::unknown(s.loop, evolution_obstacle::unknown_value);
    if (p_.is_phi(v)) {
      out.obstacle = out_.values_[v].phi;
      return state::known;
    }
    if (info.code == operation::other || p_.is_undefined(v) || p_.may_be_undefined(v)) {
      return state::known;
    }
    if (s.reading != low_bits) {
      return compute_reading(s, out, missing);
    }
    if (info.code == operation::mul) {
      const state done = multiply(s, info, out, missing);
      if (done == state::missing || out.is_known()) {
        return done;
      }
    }
    return compute_invariant(s, out, missing);
  }

  state compute_invariant(const leaf& s, evolution& out, leaf& missing) {
    const evolution_obstacle why = out.obstacle;
    for (const value_id x : p_.operands(s.value)) {
      linear_form form;
      evolution e;
      if (!read_operand(x, out_.values_[x].width, low_bits, form)) {
        return state::known;
      }
      if (out_.evolve(form, s.loop, e, missing) == state::missing) {
        return state::missing;
      }
      if (!e.is_invariant()) {
        out.obstacle = e.is_known() || why != evolution_obstacle::unknown_value ? why : e.obstacle;
        return state::known;
      }
    }
    out = itself(s);
    return state::known;
  }

  state multiply(const leaf& s, const operation_info& info, evolution& out, leaf& missing) {
    const span<const value_id> operands = p_.operands(s.value);
    linear_form a;
    linear_form b;
    evolution x;
    evolution y;
    if (operands.size() < 2 || !read_operand(operands[0], info.width, s.reading, a) ||
        !read_operand(operands[1], info.width, s.reading, b)) {
      return state::known;
    }
    if (out_.evolve(a, s.loop, x, missing) == state::missing || out_.evolve(b, s.loop, y, missing) == state::missing) {
      return state::missing;
    }
    out = product(x, y);
    out.loop = s.loop;
    return state::known;
  }

  /// A value as a number with or without sign. It may not change, or promise that it does not wrap.
  state compute_reading(const leaf& s, evolution& out, leaf& missing) {
    const operation_info info = p_.operation(s.value);
    evolution bits;
    if (out_.evolve(out_.form_of(s.value), s.loop, bits, missing) == state::missing) {
      return state::missing;
    }
    if (bits.is_invariant()) {
      out = itself(s);
      return state::known;
    }
    const bool promises = s.reading == as_signed_number ? info.flags.no_signed_wrap : info.flags.no_unsigned_wrap;
    if (info.code == operation::mul && promises) {
      const state done = multiply(s, info, out, missing);
      if (done == state::missing || out.is_known()) {
        return done;
      }
    }
    out = extended_by_trips(s, bits);
    return state::known;
  }

  /// A counter of numbers whose last value is in range as well as its first one.
  evolution extended_by_trips(const leaf& s, const evolution& bits) const {
    const trip_count& count = out_.loops_[s.loop].trips.count;
    const bool is_bounded = count.kind == trip_count_kind::exact || count.kind == trip_count_kind::at_most;
    evolution out = evolution::constant(s.loop, linear_form::exact_zero());
    if (bits.is_counter() && bits.start().is_number() && is_bounded && count.backedges >> 63 == 0) {
      const unsigned width = bits.start().width;
      const auto step = static_cast<std::uint64_t>(as_signed(bits.step().constant, width));
      linear_form last;
      if (read_number(bits.start().constant, width, s.reading, out.coefficients[0]) && out.coefficients[1].add(step)) {
        out.degree = 1;
        const std::int64_t low =
            s.reading == as_signed_number ? -static_cast<std::int64_t>(low_ones(width) >> 1) - 1 : 0;
        const std::uint64_t high = low_ones(width) >> (s.reading == as_signed_number ? 1 : 0);
        const std::int64_t most = high >> 63 != 0 ? 0x7fff'ffff'ffff'ffff : static_cast<std::int64_t>(high);
        if (out.value_at(count.backedges, last) && as_signed(last.constant, 64) >= low &&
            as_signed(last.constant, 64) <= most) {
          return out;
        }
      }
    }
    return evolution::unknown(s.loop, bits.is_known() ? evolution_obstacle::may_wrap : bits.obstacle);
  }

  // ---- Phis of headers.

  /// The form that all edges of a kind bring to a phi.
  template <class Edges>
  evolution_obstacle read_inputs(value_id phi, const Edges& edges, number_reading r, evolution_obstacle otherwise,
                                 linear_form& out) const {
    bool is_first = true;
    for (const loop_edge& e : edges) {
      if (w_.rank_[e.source] == found::none) {
        continue;
      }
      linear_form input;
      if (!read_operand(p_.phi_input(phi, e.id), out_.values_[phi].width, r, input)) {
        return evolution_obstacle::undefined;
      }
      if (!is_first && !same_sum(input, out)) {
        return otherwise;
      }
      out = input;
      is_first = false;
    }
    return is_first ? evolution_obstacle::undefined : evolution_obstacle::none;
  }

  /// A phi whose next value is `factor` times itself, plus `rest`.
  state solve(const leaf& s, evolution& out, leaf& missing) {
    linear_form start;
    linear_form next;
    evolution_obstacle why =
        read_inputs(s.value, loops_.entering_edges(s.loop), s.reading, evolution_obstacle::several_starts, start);
    if (why == evolution_obstacle::none) {
      why = read_inputs(s.value, loops_.backedges(s.loop), s.reading, evolution_obstacle::joined_paths, next);
    }
    if (why != evolution_obstacle::none) {
      out = evolution::unknown(s.loop, why);
      return state::known;
    }
    evolution rest = evolution::constant(s.loop, next.none_of());
    if (leave_inner_loops(s, next, rest, missing) == state::missing) {
      return state::missing;
    }
    const std::uint64_t factor = next.coefficient_of(s.value, s.reading);
    static_cast<void>(next.add(s.value, 0 - factor, s.reading));
    evolution others;
    if (out_.evolve(next, s.loop, others, missing) == state::missing) {
      return state::missing;
    }
    rest.add(others);
    out = recurrence(start, factor, rest);
    out.loop = s.loop;
    return state::known;
  }

  /// Replaces values of loops inside by what they start with there; what is added until these loops end goes to `rest`.
  /// So an accumulation that goes on in a loop inside is seen to start with the phi.
  state leave_inner_loops(const leaf& s, linear_form& form, evolution& rest, leaf& missing) const {
    for (unsigned steps = 0; steps != 16 && rest.is_known(); ++steps) {
      linear_form::term inner;
      for (std::uint32_t i = 0; i != form.num_terms; ++i) {
        const loop_id at = home(form.terms[i].value);
        if (at != s.loop && out_.contains(s.loop, at)) {
          inner = form.terms[i];
        }
      }
      if (inner.value == no_value) {
        break;
      }
      const loop_id m = out_.child_around(s.loop, home(inner.value));
      evolution e;
      if (out_.look_up({inner.value, inner.reading, m}, e) == state::missing) {
        missing = {inner.value, inner.reading, m};
        return state::missing;
      }
      if (is_itself(e, inner.value)) {
        break; // does not change there
      }
      out_.convert(e, form);
      evolution added;
      linear_form last;
      if (e.is_known() && is_exact(m) && e.value_at(out_.loops_[m].trips.count.backedges, last)) {
        added = evolution::constant(s.loop, form.none_of());
      } else {
        last = e.start();
        if (evolve_growth(e, m, s.loop, added, missing) == state::missing) {
          return state::missing;
        }
      }
      rest.add(added, inner.coefficient);
      if (rest.is_known() && !form.substitute(inner.value, last, inner.reading)) {
        rest.obstacle = evolution_obstacle::too_large;
      }
    }
    return state::known;
  }

  bool is_exact(loop_id l) const { return out_.loops_[l].trips.count.kind == trip_count_kind::exact; }

  /// What a value of loop `m`, inside `l`, has gained when that loop has ended, in iteration k of `l`.
  state evolve_growth(const evolution& e, loop_id m, loop_id l, evolution& out, leaf& missing) const {
    const loop_trips& trips = out_.loops_[m].trips;
    out = evolution::constant(l, e.start().none_of());
    if (!e.is_known() || e.is_invariant()) {
      out.obstacle = e.obstacle;
      return state::known;
    }
    if ((!trips.has_formula && !is_exact(m)) || e.has_power()) {
      out.obstacle = e.has_power() ? evolution_obstacle::not_linear : evolution_obstacle::inner_loop;
      return state::known;
    }
    linear_form number = linear_form::exact_zero();
    static_cast<void>(number.add(trips.count.backedges));
    evolution t;
    if (out_.evolve(is_exact(m) ? number : trips.backedges, l, t, missing) == state::missing) {
      return state::missing;
    }
    for (unsigned d = 1; d <= e.degree && out.is_known(); ++d) {
      evolution step;
      if (out_.evolve(e.coefficients[d], l, step, missing) == state::missing) {
        return state::missing;
      }
      evolution times = t;
      if (d > 1) {
        times = binomial_of(t, d, e.start());
      } else {
        out_.convert(times, e.start());
      }
      out.add(product(step, times));
    }
    out.loop = l;
    return state::known;
  }

  /// A value of a loop inside: what it was in the last iteration there.
  state compute_after_inner_loop(const leaf& s, evolution& out, leaf& missing) {
    const loop_id m = out_.child_around(s.loop, home(s.value));
    evolution e;
    if (out_.look_up({s.value, s.reading, m}, e) == state::missing) {
      missing = {s.value, s.reading, m};
      return state::missing;
    }
    if (is_itself(e, s.value)) { // does not change there
      return compute_operation(s, out, missing);
    }
    linear_form last = e.start();
    evolution added = evolution::constant(s.loop, last.none_of());
    if (!(e.is_known() && is_exact(m) && e.value_at(out_.loops_[m].trips.count.backedges, last)) &&
        evolve_growth(e, m, s.loop, added, missing) == state::missing) {
      return state::missing;
    }
    if (!added.is_known()) {
      out = added;
      return state::known;
    }
    if (out_.evolve(last, s.loop, out, missing) == state::missing) {
      return state::missing;
    }
    out.add(added);
    return state::known;
  }

  /// A phi as a number with or without sign, if its bits are a counter and it cannot have wrapped: it has not enough
  /// room for that, or the loop does not run long enough.
  state compute_exact_counter(const leaf& s, evolution& out, leaf& missing) {
    evolution bits;
    if (out_.look_up({s.value, low_bits, s.loop}, bits) == state::missing) {
      missing = {s.value, low_bits, s.loop};
      return state::missing;
    }
    if (bits.is_invariant()) {
      out = itself(s);
      return state::known;
    }
    const evolution_obstacle why = out.obstacle;
    if (bits.is_counter() && takes_short_steps(s, bits)) {
      linear_form start;
      if (read_inputs(s.value, loops_.entering_edges(s.loop), s.reading, why, start) == evolution_obstacle::none) {
        out = evolution::constant(s.loop, start);
        out.degree = 1;
        const auto step = static_cast<std::uint64_t>(as_signed(bits.step().constant, bits.step().width));
        static_cast<void>(out.coefficients[1].add(step));
        return state::known;
      }
    }
    out = extended_by_trips(s, bits);
    return state::known;
  }

  /// Whether all numbers that a phi is are so near to each other that a step that wraps would not lead from one to
  /// another.
  bool takes_short_steps(const leaf& s, const evolution& bits) const {
    const unsigned width = bits.step().width;
    const number_facts f = facts_of(s.value);
    const std::uint64_t apart = s.reading == as_signed_number
                                    ? static_cast<std::uint64_t>(f.high) - static_cast<std::uint64_t>(f.low)
                                    : f.most - f.least;
    const std::int64_t step = as_signed(bits.step().constant, width);
    const std::uint64_t size = step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
    return apart <= low_ones(width) - size; // apart + size < 2^width
  }

  // ---- How often a loop runs.

  void count(loop_id l) {
    loop_trips& trips = out_.loops_[l].trips;
    trips.count = {trip_count_kind::endless, 0, 1};
    loop_trips total = trips;
    for (const loop_edge& e : loops_.exiting_edges(l)) {
      loop_trips one;
      if (is_always_tested(l, e)) {
        one = count_exit(l, e);
      }
      one.last_node = e.source;
      if (one.count.kind != trip_count_kind::endless) {
        total = total.count.kind == trip_count_kind::endless ? one : earlier_of(total, one);
      }
    }
    if (total.count.kind != trip_count_kind::exact && !total.has_formula) {
      total.last_node = no_node;
    }
    trips = total;
  }

  loop_trips earlier_of(const loop_trips& a, const loop_trips& b) const {
    const bool b_is_exact = b.count.kind == trip_count_kind::exact;
    const bool is_sooner =
        b_is_exact &&
        (a.count.kind != trip_count_kind::exact || b.count.backedges < a.count.backedges ||
         (b.count.backedges == a.count.backedges && out_.dominators_.dominates(b.last_node, a.last_node)));
    loop_trips out;
    out.count = combined(a.count, b.count);
    out.last_node = is_sooner ? b.last_node : a.last_node;
    return out;
  }

  /// Whether each iteration that no earlier exit ends tests this one.
  bool is_always_tested(loop_id l, const loop_edge& exit) const {
    bool is_tested = loops_.innermost_loop(exit.source) == l;
    for (const loop_edge& back : loops_.backedges(l)) {
      is_tested = is_tested && out_.dominators_.dominates(exit.source, back.source);
    }
    return is_tested;
  }

  /// A comparison of two sums that decides a branch.
  struct comparison {
    operation code = operation::other;
    unsigned width = 0;
    value_id a = no_value;
    value_id b = no_value;
  };

  /// The comparison that holds if the branch of `n` takes edge `e`, and only then. False if there is none.
  bool read_comparison(node_id n, edge_id e, comparison& out) const {
    value_id test = p_.condition(n);
    if (test == no_value) {
      return false;
    }
    const bool when_set = edge_of_case(p_, n, std::uint64_t{1}) == e;
    if (when_set == (edge_of_case(p_, n, std::uint64_t{0}) == e)) {
      return false;
    }
    bool holds = when_set;
    for (unsigned steps = 0; steps != 4; ++steps) { // through negations
      const operation_info info = p_.operation(test);
      const span<const value_id> operands = p_.operands(test);
      if (p_.is_phi(test) || info.width != 1) {
        return false;
      }
      if (is_comparison(info.code) && operands.size() >= 2) {
        out = {holds ? info.code : negated(info.code), info.operand_width, operands[0], operands[1]};
        return true;
      }
      const bool is_not = info.code == operation::bit_not;
      const bool flips = info.code == operation::bit_xor && p_.constant(operands[1]);
      if (!is_not && !flips) {
        return false;
      }
      holds = holds != (is_not || (*p_.constant(operands[1]) & 1) != 0);
      test = operands[0];
    }
    return false;
  }

  static number_reading reading_for(operation code) {
    return is_signed_order(code) ? as_signed_number : as_unsigned_number;
  }

  /// The evolution of an operand of a comparison; unknown if it has no form.
  evolution resolve_operand(value_id v, unsigned width, number_reading r, loop_id l) {
    linear_form form;
    return read_operand(v, width, r, form) ? resolve(form, l)
                                           : evolution::unknown(l, evolution_obstacle::unknown_value);
  }

  loop_trips count_exit(loop_id l, const loop_edge& exit) {
    loop_trips out;
    comparison c;
    if (!read_comparison(exit.source, exit.id, c)) {
      return out;
    }
    evolution a = resolve_operand(c.a, c.width, low_bits, l);
    evolution b = resolve_operand(c.b, c.width, low_bits, l);
    if (!is_order(c.code)) {
      return count_to_equality(c, a, b);
    }
    const number_reading r = reading_for(c.code);
    evolution x = resolve_operand(c.a, c.width, r, l);
    evolution y = resolve_operand(c.b, c.width, r, l);
    if (a.is_invariant() || (x.is_invariant() && y.is_counter())) { // the counter comes first
      c = {mirrored(c.code), c.width, c.b, c.a};
      const evolution kept[] = {a, x};
      a = b;
      x = y;
      b = kept[0];
      y = kept[1];
    }
    return count_to_order(c, l, a, b, x, y);
  }

  static bool is_of_numbers(const evolution& e) {
    return (e.is_counter() || e.is_invariant()) && e.start().is_number();
  }

  static counted_exit exit_of(const comparison& c, unsigned width, const evolution& counter, std::uint64_t bound) {
    return {
        static_cast<std::uint8_t>(width), counter.start().constant, counter.step().constant, bound, c.code, true, {}};
  }

  /// The first iteration in which the difference is 0, or is not.
  loop_trips count_to_equality(const comparison& c, const evolution& a, const evolution& b) const {
    loop_trips out;
    evolution apart = a;
    apart.add(b, minus_one);
    if (is_of_numbers(apart)) {
      out.count = trip_count_of(exit_of(c, c.width, apart, 0));
    } else if (apart.is_counter() && c.code == operation::equal) {
      const auto formula = trip_formula_of(exit_of(c, c.width, apart, 0));
      if (formula && formula->shift == 0) { // the number of steps to 0, modulo 2^width
        out.backedges = apart.start();
        out.has_formula = out.backedges.multiply(0 - formula->inverse);
      }
    }
    return out;
  }

  /// `a` and `b` are bits, `x` and `y` what is compared, as far as it does not wrap.
  loop_trips count_to_order(const comparison& c, loop_id l, const evolution& a, const evolution& b, const evolution& x,
                            const evolution& y) const {
    loop_trips out;
    if (is_of_numbers(a) && b.is_invariant() && b.start().is_number()) {
      out.count = trip_count_of(exit_of(c, c.width, a, b.start().constant));
      return out;
    }
    evolution apart = x;
    apart.add(y, minus_one);
    if (is_of_numbers(apart)) { // they are compared as integers
      counted_exit e = exit_of(c, 64, apart, 0);
      e.comparison = signed_comparison(c.code);
      e.flags = {true, false};
      out.count = trip_count_of(e);
      return out;
    }
    if (!a.is_counter() || !b.is_invariant()) {
      return out;
    }
    const auto formula = trip_formula_of(exit_of(c, c.width, a, 0));
    linear_form start;
    linear_form bound;
    const number_reading r = reading_for(c.code);
    if (!formula || (formula->requires_no_wrap && !x.is_counter()) || !read_exact(a, x, r, start) ||
        !read_exact(b, y, r, bound)) {
      return out;
    }
    linear_form way; // to the bound; not positive if the first test ends the loop
    if (!(formula->is_down ? difference(start, bound, way) : difference(bound, start, way)) ||
        !way.add(formula->adjustment)) {
      return out;
    }
    const optional<std::int64_t> most = end_of(way, true);
    if (most) {
      const auto far = static_cast<std::uint64_t>(*most < 0 ? 0 : *most);
      const std::uint64_t steps = far == 0 ? 0 : (far - 1) / formula->divisor + 1;
      out.count = {steps == 0 ? trip_count_kind::exact : trip_count_kind::at_most, steps, 1};
    }
    const optional<std::int64_t> least = end_of(way, false);
    out.has_formula = formula->divisor == 1 && ((least && *least >= 0) || is_guarded(l, way));
    out.backedges = way;
    return out;
  }

  static operation signed_comparison(operation code) {
    switch (code) {
    case operation::uless:
      return operation::less;
    case operation::uless_equal:
      return operation::less_equal;
    case operation::ugreater:
      return operation::greater;
    case operation::ugreater_equal:
      return operation::greater_equal;
    default:
      return code;
    }
  }

  /// What the first test compares, as a number: from the evolution that does not wrap, or from a form that is a number
  /// or one value.
  bool read_exact(const evolution& bits, const evolution& exact, number_reading r, linear_form& out) const {
    if (exact.is_known() && exact.degree <= 1 && !exact.has_power()) {
      out = exact.start();
      return true;
    }
    const linear_form& form = bits.start();
    out = linear_form::exact_zero();
    if (form.is_number()) {
      return read_number(form.constant, form.width, r, out);
    }
    return form.num_terms == 1 && form.terms[0].coefficient == 1 && form.constant == 0 &&
           form.terms[0].reading == low_bits && out_.values_[form.terms[0].value].width == form.width &&
           out.add(form.terms[0].value, 1, out_.canonical(form.terms[0].value, r));
  }

  /// The greatest or the least number that an exact form can be.
  optional<std::int64_t> end_of(const linear_form& form, bool greatest) const {
    std::uint64_t sum = form.constant;
    for (std::uint32_t i = 0; i != form.num_terms; ++i) {
      const linear_form::term& t = form.terms[i];
      const number_facts f = facts_of(t.value);
      const bool takes_high = (as_signed(t.coefficient, 64) > 0) == greatest;
      if (t.reading == as_unsigned_number && f.most >> 63 != 0) {
        return std::nullopt;
      }
      const std::uint64_t end = t.reading == as_signed_number ? static_cast<std::uint64_t>(takes_high ? f.high : f.low)
                                                              : (takes_high ? f.most : f.least);
      const wrapping_result product = wrapping_mul(t.coefficient, end, 64);
      const wrapping_result total = wrapping_add(sum, product.bits, 64);
      if (product.signed_wrap || total.signed_wrap) {
        return std::nullopt;
      }
      sum = total.bits;
    }
    return static_cast<std::int64_t>(sum);
  }

  /// Whether branches that lead to the loop imply that an exact form is not negative.
  bool is_guarded(loop_id l, const linear_form& form) const {
    node_id n = loops_.header(l);
    for (unsigned steps = 0; steps != 16; ++steps) {
      const node_id above = out_.dominators_.immediate_dominator(n);
      if (above == no_node) {
        return false;
      }
      if (const edge_id e = only_edge(above, n); e != no_edge && implies_not_negative(above, e, form)) {
        return true;
      }
      n = above;
    }
    return false;
  }

  /// The edge by which alone control comes from `source` to `target`, but for edges from what `target` dominates.
  edge_id only_edge(node_id source, node_id target) const {
    edge_id found_edge = no_edge;
    for (const edge_id e : p_.graph().in_edges(target)) {
      const node_id from = p_.graph().edge_source(e);
      if (w_.rank_[from] == found::none || out_.dominators_.dominates(target, from)) {
        continue;
      }
      if (from != source || found_edge != no_edge) {
        return no_edge;
      }
      found_edge = e;
    }
    return found_edge;
  }

  bool implies_not_negative(node_id n, edge_id e, const linear_form& form) const {
    comparison c;
    linear_form a;
    linear_form b;
    if (!read_comparison(n, e, c) || !is_order(c.code)) {
      return false;
    }
    const number_reading r = reading_for(c.code);
    const operation code = signed_comparison(c.code);
    const bool is_above = ends_above(code); // a > b
    linear_form way;
    linear_form rest;
    if (!read_operand(c.a, c.width, r, a) || !read_operand(c.b, c.width, r, b) ||
        !(is_above ? difference(a, b, way) : difference(b, a, way)) || !difference(form, way, rest)) {
      return false;
    }
    const std::int64_t least = code == operation::less || code == operation::greater ? 1 : 0; // of the way
    return rest.is_number() && as_signed(rest.constant, 64) >= -least;
  }

  const flat_program& p_;
  const loop_forest& loops_;
  span<const number_facts> facts_;
  evolutions_workspace& w_;
  value_evolutions& out_;
  std::uint32_t num_slots_ = 0;
};

MIDEND_FUNCTION void find_evolutions(const flat_program& program, const loop_forest& loops,
                                     span<const number_facts> facts, evolutions_workspace& workspace,
                                     value_evolutions& out) {
  evolution_finder(program, loops, facts, workspace, out).run();
}

} // namespace detail

MIDEND_END_NAMESPACE

#endif
