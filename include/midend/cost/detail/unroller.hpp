/// How the copies of a loop body are evaluated: the steps of `unroll_body`.
#pragma once

#include "midend/config.hpp"
#include "midend/cost/detail/unroll_counters.hpp"
#include "midend/cost/detail/unroll_expressions.hpp"
#include "midend/cost/detail/unroll_folding.hpp"
#include "midend/cost/detail/unroll_memory.hpp"
#include "midend/cost/detail/unroll_predicates.hpp"
#include "midend/cost/detail/unroll_values.hpp"
#include "midend/cost/loop_body.hpp"
#include "midend/cost/loop_counters.hpp"
#include "midend/cost/unrolled_body.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/flat_array.hpp"

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
  flat_array<known_value> values; ///< by value of the body, in the present copy
  flat_array<known_value> next;   ///< by header phi, in the next copy
  flat_array<known_value> args;   ///< of the present operation
  flat_array<known_value> bits;   ///< by edge of the present block: whether it is taken
  flat_array<std::uint64_t> numbers;
  flat_array<std::uint32_t> tested; ///< by value of the body: 1 + the copy for which it was noted that it decides
  flat_array<bool> is_invariant;    ///< by value of the body: computed of what comes from outside
};

template <class Folder> class unroller {
public:
  constexpr unroller(const loop_body& body, const loop_counters& counters, const unroll_request& request,
                     const Folder& folder, unroll_memory& memory, unrolled_body& out)
      : body_(body), counters_(counters), request_(request), folder_(folder), m_(memory), out_(out),
        top_(counters, request), e_(body, memory.expressions, out), folding_(e_), places_(e_, memory.places),
        predicates_(e_, folding_, memory.predicates) {}

  constexpr void run() {
    out_.copies = request_.copies;
    out_.is_straight_line = request_.is_straight_line;
    begin();
    for (; e_.copy != request_.copies; ++e_.copy) {
      if (e_.copy != 0) {
        advance_phis();
      }
      note_counters();
      evaluate_copy();
      if (has_left_) {
        break;
      }
    }
    finish();
  }

private:
  // Before the copies.

  constexpr void begin() {
    m_.values.assign(body_.num_values(), known_value{});
    m_.tested.assign(body_.num_values(), 0);
    out_.phis.assign(body_.num_phis, no_unrolled);
    make_phis();
    make_outside();
    for (body_id phi = 0; phi != body_.num_phis; ++phi) {
      if (out_.phis[phi] == no_unrolled) {
        m_.values[phi] = known_phi(phi);
      }
    }
    mark_invariants();
  }

  /// Whether the phi is something else than a value that comes from another pass or from before.
  constexpr bool is_known(body_id phi) const {
    if (request_.is_straight_line && request_.begins_at_entry) {
      return true;
    }
    if (!request_.knows_position) {
      return false;
    }
    return (request_.is_straight_line && induction_of(phi) != nullptr && induction_of(phi)->has_start) ||
           (request_.first_iteration != 0 && is_outside(body_.next(phi)));
  }

  constexpr known_value known_phi(body_id phi) const {
    if (request_.first_iteration != 0 && is_outside(body_.next(phi))) {
      return m_.values[body_.next(phi)];
    }
    if (const induction_variable* const iv = induction_of(phi); iv != nullptr && iv->has_start) {
      return literal(iv->start + request_.first_iteration * iv->step, iv->width);
    }
    return m_.values[body_.initial(phi)];
  }

  constexpr bool is_outside(body_id v) const {
    return body_.values[v].kind == body_kind::constant || body_.values[v].kind == body_kind::invariant;
  }

  constexpr const induction_variable* induction_of(body_id phi) const {
    const std::uint32_t i = phi < counters_.induction_of.size() ? counters_.induction_of[phi] : no_body_value;
    return i == no_body_value ? nullptr : &counters_.inductions[i];
  }

  constexpr void make_phis() {
    for (body_id phi = 0; phi != body_.num_phis; ++phi) {
      if (!is_known(phi)) {
        m_.values[phi] = make_node(phi, body_kind::phi);
        out_.phis[phi] = m_.values[phi].node;
      }
    }
  }

  constexpr void make_outside() {
    for (body_id v = body_.num_phis; v != body_.num_values() && is_outside(v); ++v) {
      const body_value& value = body_.values[v];
      if (value.kind == body_kind::constant) {
        m_.values[v] = literal(value.bits, value.info.width);
      } else {
        m_.values[v] = make_node(v, body_kind::invariant);
        out_.nodes.back().is_invariant = true;
      }
    }
  }

  constexpr known_value make_node(body_id v, body_kind kind) {
    const body_value& value = body_.values[v];
    e_.origin = v;
    unrolled_node& n = e_.append(kind, value.info.width);
    n.cost = value.cost;
    n.is_free = value.is_free;
    n.is_volatile = value.is_volatile;
    n.info = value.info;
    n.identity = value.identity;
    return value_of_node(static_cast<unrolled_id>(out_.nodes.size() - 1), value.info.width);
  }

  /// They are evaluated once: in all copies they are the same.
  constexpr void mark_invariants() {
    m_.is_invariant.assign(body_.num_values(), false);
    for (body_id v = body_.num_phis; v != body_.num_values(); ++v) {
      const body_value& value = body_.values[v];
      bool is_invariant = is_outside(v) || (value.kind == body_kind::pure &&
                                            (value.info.code != operation::other || value.identity != 0));
      for (const body_id o : body_.operands_of(v)) {
        is_invariant = is_invariant && o < v && m_.is_invariant[o];
      }
      m_.is_invariant[v] = is_invariant;
    }
  }

  // From copy to copy.

  constexpr void advance_phis() {
    m_.next.resize_for_overwrite(body_.num_phis);
    for (body_id phi = 0; phi != body_.num_phis; ++phi) {
      m_.next[phi] = m_.values[body_.next(phi)];
    }
    for (body_id phi = 0; phi != body_.num_phis; ++phi) {
      m_.values[phi] = m_.next[phi];
    }
  }

  /// That this copy runs says something of the counters at the top.
  constexpr void note_counters() {
    for (const induction_variable& iv : counters_.inductions) {
      const unrolled_id n = out_.phis[iv.phi];
      if (n != no_unrolled && (e_.copy == 0 || top_.last(e_.copy))) {
        e_.facts(n) = facts_of_counter(iv, top_, e_.copy);
      }
    }
  }

  constexpr void evaluate_copy() {
    predicates_.begin_copy();
    for (std::uint32_t b = 0; b != body_.blocks.size(); ++b) {
      const body_block& block = body_.blocks[b];
      if (predicates_.enter(b) == never) {
        skip(block);
        continue;
      }
      for (body_id v = block.first_value; v != block.last_value; ++v) {
        e_.origin = v;
        evaluate(v);
      }
      leave(b);
    }
    has_left_ = predicates_.of_block(body_.bottom()) == never;
  }

  constexpr void skip(const body_block& block) {
    for (body_id v = block.first_value; v != block.last_value; ++v) {
      m_.values[v] = {};
    }
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      predicates_.set_edge(e, never);
    }
  }

  // Values.

  constexpr void evaluate(body_id v) {
    const body_value& value = body_.values[v];
    switch (value.kind) {
    case body_kind::pure:
      if (m_.is_invariant[v] && !m_.values[v].is_none()) {
        note_repetition(v);
      } else {
        m_.values[v] = pure(v, value);
      }
      note_constant(v, value);
      return;
    case body_kind::join:
      m_.values[v] = join(v, value);
      return;
    case body_kind::load:
      m_.values[v] = load(v, value);
      return;
    case body_kind::store:
      store(v, value);
      return;
    case body_kind::call:
      m_.values[v] = call(v, value);
      return;
    default:
      return; // phis and what comes from outside are no operations
    }
  }

  constexpr void note_repetition(body_id v) {
    const known_value& x = m_.values[v];
    if (!x.is_literal() && !body_.values[v].is_free && out_.nodes[x.node].kind == body_kind::pure) {
      e_.save(saving_kind::shared_expression, out_.nodes[x.node].copy);
    }
  }

  constexpr void note_constant(body_id v, const body_value& value) {
    const known_value& x = m_.values[v];
    if (x.is_literal() && !value.is_free) {
      e_.save(saving_kind::folded, x.addend);
    } else if (!x.is_literal() && x.addend != 0 && is_sum(value.info.code)) {
      out_.sums.push_back({e_.copy, v, {x.node, x.addend}});
    }
  }

  static constexpr bool is_sum(operation code) { return code == operation::add || code == operation::sub; }

  constexpr std::span<const known_value> args_of(body_id v) {
    const auto operands = body_.operands_of(v);
    m_.args.resize_for_overwrite(operands.size());
    for (std::size_t i = 0; i != operands.size(); ++i) {
      m_.args[i] = m_.values[operands[i]];
    }
    return m_.args;
  }

  constexpr known_value pure(body_id v, const body_value& value) {
    std::span<const known_value> args = args_of(v);
    if (value.info.code == operation::other) {
      return other(v, value, args);
    }
    args = args.first(arity(value.info.code));
    if (value.info.code == operation::select && args[0].is_literal()) {
      note_test(body_.operands_of(v)[0], args[0]);
    }
    return folding_.fold(value, args);
  }

  constexpr known_value other(body_id v, const body_value& value, std::span<const known_value> args) {
    m_.numbers.clear();
    for (const known_value& x : args) {
      if (x.is_literal()) {
        m_.numbers.push_back(x.addend);
      }
    }
    if (m_.numbers.size() == args.size()) {
      if (const auto bits = folder_(v, std::span<const std::uint64_t>(m_.numbers))) {
        return literal(*bits, value.info.width);
      }
    }
    return e_.compute(unroll_folding::kind_of(value), args);
  }

  /// A number decides what `condition` decides; said once a copy.
  constexpr void note_test(body_id condition, const known_value& bit) {
    if (m_.tested[condition] != e_.copy + 1) {
      m_.tested[condition] = e_.copy + 1;
      e_.save(saving_kind::folded_test, condition, bit.addend);
    }
  }

  constexpr known_value join(body_id v, const body_value& value) {
    expression_kind kind;
    kind.info.code = operation::select;
    kind.info.width = value.info.width;
    kind.cost = operation_class::merge;
    const std::size_t before = out_.nodes.size();
    const known_value out = predicates_.join(v, kind, [this](body_id operand) { return m_.values[operand]; });
    for (std::size_t n = before; n != out_.nodes.size(); ++n) {
      out_.nodes[n].is_join = out_.nodes[n].info.code == operation::select;
    }
    return out;
  }

  // Memory.

  /// The bit without which an operation with an effect does not run.
  constexpr known_value guard_of(body_id v, const body_value& value) {
    const known_value way = predicates_.bit_of(predicates_.of_block(value.block));
    if (value.guard == no_body_value) {
      return way;
    }
    const known_value guard = value.guard_negated ? negated(m_.values[value.guard]) : m_.values[value.guard];
    if (guard.is_literal()) {
      e_.save(saving_kind::folded_test, v, guard.addend);
    }
    return folding_.both(way, guard);
  }

  constexpr unrolled_operand operand_of_guard(const known_value& guard) {
    return guard.is_literal() ? unrolled_operand{} : unrolled_operand{guard.node, guard.addend};
  }

  constexpr unrolled_node& append_guarded(body_id v, body_kind kind, const unrolled_operand& guard) {
    make_node(v, kind);
    unrolled_node& n = out_.nodes.back();
    n.guard = guard.node;
    n.guard_negated = guard.addend != 0;
    return n;
  }

  constexpr known_value load(body_id v, const body_value& value) {
    const known_value guard_bit = guard_of(v, value);
    if (guard_bit.is_literal(0)) {
      return literal(0, value.info.width); // nobody looks at it
    }
    const unrolled_operand guard = operand_of_guard(guard_bit);
    const unrolled_access access = access_of(body_.accesses[value.access]);
    std::uint32_t place = no_unrolled;
    if (value.is_volatile) {
      places_.forget();
    } else if (const known_value known = places_.load(value, access, guard, place); !known.is_none()) {
      return known;
    }
    append_guarded(v, body_kind::load, guard).access = append_access(access);
    const known_value loaded = value_of_node(static_cast<unrolled_id>(out_.nodes.size() - 1), value.info.width);
    places_.note(place, loaded, guard, false);
    return loaded;
  }

  constexpr void store(body_id v, const body_value& value) {
    const known_value guard_bit = guard_of(v, value);
    if (guard_bit.is_literal(0)) {
      return;
    }
    const unrolled_operand guard = operand_of_guard(guard_bit);
    const body_access& from = body_.accesses[value.access];
    unrolled_access access = access_of(from);
    access.stored = e_.operand(m_.values[from.stored]);
    append_guarded(v, body_kind::store, guard).access = append_access(access);
    if (value.is_volatile) {
      places_.forget();
    } else {
      places_.store(access, m_.values[from.stored], guard);
    }
  }

  constexpr known_value call(body_id v, const body_value& value) {
    const known_value guard_bit = guard_of(v, value);
    if (guard_bit.is_literal(0)) {
      return literal(0, value.info.width);
    }
    const std::span<const known_value> args = args_of(v);
    const auto first = static_cast<std::uint32_t>(out_.operands.size());
    for (const known_value& x : args) {
      out_.operands.push_back(e_.operand(x));
    }
    unrolled_node& n = append_guarded(v, body_kind::call, operand_of_guard(guard_bit));
    n.first_operand = first;
    n.num_operands = static_cast<std::uint32_t>(args.size());
    out_.has_call = true;
    places_.forget();
    return value_of_node(static_cast<unrolled_id>(out_.nodes.size() - 1), value.info.width);
  }

  constexpr std::uint32_t append_access(const unrolled_access& a) {
    out_.accesses.push_back(a);
    return static_cast<std::uint32_t>(out_.accesses.size() - 1);
  }

  /// Addends become part of the offset where the sum is the same in 64 bits.
  constexpr unrolled_access access_of(const body_access& a) {
    auto offset = static_cast<std::uint64_t>(a.offset);
    unrolled_access out{};
    out.bytes = a.bytes;
    out.memory = a.memory;
    out.scale = a.scale;
    out.base = out.index = no_unrolled;
    if (a.base != no_body_value) {
      out.base = node_and_offset(m_.values[a.base], 1, offset);
    }
    if (a.index != no_body_value) {
      const known_value& index = m_.values[a.index];
      if (index.is_literal()) {
        offset += static_cast<std::uint64_t>(index.signed_addend()) * static_cast<std::uint64_t>(a.scale);
      } else {
        out.index = node_and_offset(index, a.scale, offset);
      }
    }
    out.offset = static_cast<std::int64_t>(offset);
    return out;
  }

  constexpr unrolled_id node_and_offset(const known_value& x, std::int64_t scale, std::uint64_t& offset) {
    if (x.is_literal()) {
      return e_.constant(x.addend, x.width);
    }
    if (x.width == 64 || e_.is_exact(x)) {
      offset += static_cast<std::uint64_t>(x.signed_addend()) * static_cast<std::uint64_t>(scale);
      return x.node;
    }
    return e_.apply(operation::add, x.width, {value_of_node(x.node, x.width), literal(x.addend, x.width)}).node;
  }

  // Control.

  constexpr bool is_counted(std::uint32_t edge) const {
    return counters_.counted_exit != no_body_value && counters_.exits[counters_.counted_exit].edge == edge;
  }

  constexpr bool drops_test(std::uint32_t edge) const {
    const bool is_last = !request_.is_straight_line && e_.copy + 1 == request_.copies;
    return request_.drops_counted_tests && is_counted(edge) && !is_last && e_.copy != request_.mid_exit_copy;
  }

  constexpr bool is_dropped(const body_block& block) const {
    bool is_dropped = false;
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      is_dropped = is_dropped || drops_test(e);
    }
    return is_dropped;
  }

  /// Sets the predicates of the edges and appends the exits.
  constexpr void leave(std::uint32_t b) {
    const body_block& block = body_.blocks[b];
    const predicate_id here = predicates_.of_block(b);
    if (block.first_edge == block.last_edge) {
      return;
    }
    MIDEND_ASSERT(block.condition != no_body_value || block.last_edge - block.first_edge == 1,
                  "a condition that decides among edges", b);
    find_bits(block);
    const std::uint32_t taken = only_edge(block);
    if (taken != body_edge::leaves) {
      for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
        predicates_.set_edge(e, e == taken && body_.edges[e].target != body_edge::leaves ? here : never);
      }
      if (body_.edges[taken].target == body_edge::leaves && !(request_.is_straight_line && here == always)) {
        append_exit(taken, predicates_.bit_of(here));
      }
      return; // a straight line ends where control surely leaves
    }
    append_exits(block, here);
    divide(block, here);
  }

  constexpr known_value& bit_of(const body_block& block, std::uint32_t e) { return m_.bits[e - block.first_edge]; }

  /// Whether edges are taken, each; of the edge for all other cases a value without a node, or 0 if there are none.
  constexpr void find_bits(const body_block& block) {
    const std::uint32_t count = block.last_edge - block.first_edge;
    m_.bits.assign(count, literal(1, 1));
    if (count == 1) {
      return;
    }
    const known_value condition = condition_of(block);
    if (condition.is_literal() && !is_dropped(block)) {
      note_test(block.condition, condition);
    }
    bool is_decided = false;
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      known_value& bit = bit_of(block, e);
      bit = body_.edges[e].has_case ? is_case(condition, body_.edges[e].case_value, block.condition) : known_value{};
      is_decided = is_decided || bit.is_literal(1);
    }
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      known_value& bit = bit_of(block, e);
      if (is_decided && !bit.is_literal(1)) {
        bit = literal(0, 1);
      }
      if (drops_test(e)) {
        bit = literal(bit.is_literal(1) ? 1 : 0, 1);
        e_.save(saving_kind::removed_exit_test, block.condition, 0);
      }
    }
  }

  /// The test by which the new loop ends may compare with another bound, so that a remainder is left: what the bound of
  /// the body says of it does not count.
  constexpr known_value condition_of(const body_block& block) {
    const known_value& condition = m_.values[block.condition];
    const body_value& value = body_.values[block.condition];
    if (condition.is_literal() && ends_new_loop(block) && is_comparison(value.info.code)) {
      e_.origin = block.condition;
      return e_.compute(unroll_folding::kind_of(value), args_of(block.condition));
    }
    return condition;
  }

  constexpr bool ends_new_loop(const body_block& block) const {
    if (request_.is_straight_line || !request_.drops_counted_tests || e_.copy + 1 != request_.copies) {
      return false;
    }
    bool ends = false;
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      ends = ends || is_counted(e);
    }
    return ends;
  }

  constexpr known_value is_case(const known_value& condition, std::uint64_t number, body_id origin) {
    if (condition.width == 1) {
      return number != 0 ? condition : negated(condition);
    }
    if (condition.is_literal()) {
      return literal(condition.addend == (number & low_ones(condition.width)) ? 1 : 0, 1);
    }
    e_.origin = origin;
    body_value test{};
    test.cost = operation_class::compare;
    test.info.code = operation::equal;
    test.info.width = 1;
    test.info.operand_width = condition.width;
    const known_value operands[] = {condition, literal(number, condition.width)};
    return folding_.fold(test, operands);
  }

  /// The edge that is taken if no other one can be; else `leaves`.
  constexpr std::uint32_t only_edge(const body_block& block) {
    std::uint32_t only = body_edge::leaves;
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      if (!bit_of(block, e).is_literal(0)) {
        if (only != body_edge::leaves) {
          return body_edge::leaves;
        }
        only = e;
      }
    }
    return only == body_edge::leaves ? block.last_edge - 1 : only; // no case: the program has no meaning
  }

  /// Whether none of the cases of the other edges is the one.
  constexpr known_value none_of_the_cases(const body_block& block) {
    known_value none = literal(1, 1);
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      if (body_.edges[e].has_case) {
        none = folding_.both(none, negated(bit_of(block, e)));
      }
    }
    return none;
  }

  constexpr void append_exits(const body_block& block, predicate_id here) {
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      if (body_.edges[e].target == body_edge::leaves && !bit_of(block, e).is_literal(0)) {
        const known_value& bit = bit_of(block, e);
        append_exit(e, folding_.both(predicates_.bit_of(here), bit.is_none() ? none_of_the_cases(block) : bit));
      }
    }
  }

  /// Edges that stay in the loop: one decision after the other, the last edge is for what is left.
  constexpr void divide(const body_block& block, predicate_id here) {
    std::uint32_t last = block.last_edge;
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      if (stays(block, e) && (last == block.last_edge || !bit_of(block, last).is_none())) {
        last = e;
      }
    }
    predicate_id rest = here;
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      if (!stays(block, e)) {
        predicates_.set_edge(e, never);
      } else if (e != last) {
        const predicate_id taken = predicates_.decide(rest, here, bit_of(block, e));
        predicates_.set_edge(e, taken);
        rest = taken ^ 1;
        ++out_.inner_branches;
      }
    }
    if (last != block.last_edge) {
      predicates_.set_edge(last, rest);
    }
  }

  constexpr bool stays(const body_block& block, std::uint32_t e) {
    return body_.edges[e].target != body_edge::leaves && !bit_of(block, e).is_literal(0);
  }

  constexpr void append_exit(std::uint32_t edge, const known_value& bit) {
    const unrolled_operand predicate = e_.operand(bit);
    const std::uint32_t source = body_.edges[edge].source;
    for (const body_id v : body_.live_out) {
      const body_value& value = body_.values[v];
      const bool is_there = v < body_.num_phis || is_outside(v) || predicates_.dominates(value.block, source);
      out_.exit_values.push_back(is_there ? operand_of(m_.values[v]) : unrolled_operand{});
    }
    out_.exits.push_back({e_.copy, edge, predicate.node, predicate.addend != 0, is_counted(edge),
                          static_cast<std::uint32_t>(out_.nodes.size())});
  }

  constexpr unrolled_operand operand_of(const known_value& x) {
    return x.is_none() ? unrolled_operand{} : e_.operand(x);
  }

  // Behind the copies.

  /// If control has surely left, the next pass never begins, and what the phis would be does not matter.
  constexpr void finish() {
    for (const body_id v : body_.live_out) {
      out_.live_out.push_back(operand_of(m_.values[v]));
    }
    bool has_fixed = false;
    for (body_id phi = 0; phi != body_.num_phis; ++phi) {
      out_.next.push_back(operand_of(m_.values[has_left_ ? phi : body_.next(phi)]));
      const unrolled_id n = out_.phis[phi];
      if (n != no_unrolled && !out_.is_straight_line && out_.next.back() == unrolled_operand{n, 0}) {
        out_.nodes[n].is_invariant = true;
        has_fixed = true;
      }
    }
    if (has_fixed) {
      spread_invariance();
    }
  }

  constexpr void spread_invariance() {
    for (unrolled_id n = 0; n != out_.nodes.size(); ++n) {
      unrolled_node& node = out_.nodes[n];
      if (node.kind == body_kind::pure && (node.info.code != operation::other || node.identity != 0)) {
        node.is_invariant = true;
        for (const unrolled_operand& o : out_.operands_of(n)) {
          node.is_invariant = node.is_invariant && out_.nodes[o.node].is_invariant;
        }
      }
    }
  }

  const loop_body& body_;
  const loop_counters& counters_;
  const unroll_request& request_;
  const Folder& folder_;
  unroll_memory& m_;
  unrolled_body& out_;
  top_iterations top_;
  unroll_expressions e_;
  unroll_folding folding_;
  unroll_places places_;
  unroll_predicates predicates_;
  bool has_left_ = false;
};

} // namespace detail

MIDEND_END_NAMESPACE
