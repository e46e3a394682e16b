/// Wrongly separated offsets, each of which the checker of the certificate must reject.
#pragma once

#include "transform/cleaning_mistakes.hpp"

#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/elbrus/views/views.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/transform/separate_offsets.hpp>
#include <midend/transform/verify_offsets.hpp>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace midend_tests::wrong_offsets {

using namespace wrong_cleaning;

/// %x and %z may be separated because %i is a multiple of 4, %y because of a promise, %loose may not.
inline constexpr std::string_view with_offsets = R"(
proc @f(%a: ptr, %n: i32, %k: i64) -> i64 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [latch: %i4]
    %j = phi.i32 [entry: %n], [latch: %j1]
    %s = phi.i64 [entry: 0], [latch: %t]
    %i1 = add.i32 %i, 1
    %x = sext.i32.i64 %i1
    %j1 = add.i32 %j, 3 nsw
    %y = sext.i32.i64 %j1
    %j2 = sub.i32 %j1, 5
    %loose = sext.i32.i64 %j2
    %unknown = and.i32 %j2, 1
    %m = mul.i32 %j2, 7
    %h = shl.i64 %x, 3
    %b = trunc.i64.i8 %h
    %p = sub.i64 %k, %x
    %q = add.i64 %y, %k
    %u = and.i32 %i1, 29
    %v = shr.i32 %i1, 3
    %g = sext.i32.i64 %u
    %c = cmp.lt.i32 %m, 100
    br %c ? left : latch
  node left:
    %z = zext.i32.i64 %i1
    st.i8 %b, [%a] alias=A
    br latch
  node latch:
    %w = phi.i64 [loop: %h], [left: %z]
    %t1 = add.i64 %s, %w
    %t2 = add.i64 %t1, %p
    %t3 = add.i64 %t2, %q
    %t4 = add.i64 %t3, %g
    %o = xor.i32 %v, %unknown
    %o1 = sext.i32.i64 %o
    %t5 = add.i64 %t4, %o1
    %t = add.i64 %t5, %loose
    call @note(%b, %t)
    %i4 = add.i32 %i, 4
    %d = cmp.ne.i32 %i4, 200
    br %d ? loop : done
  node done:
    ret %t
}
)";

struct offsets : cleaned<midend::offset_witness> {
  using fault = midend::offset_fault;

  bool knows_facts = true;

  offsets() : cleaned(with_offsets) {
    elbrus::editor e(after);
    const auto known = facts();
    witness = midend::apply_separate_offsets(
        e, midend::plan_separate_offsets(e, midend::dominators_and_loops(after).loops, known));
  }

  midend::sccp_result<midend::strided_interval_domain> facts() const {
    return midend::sccp(elbrus::semantic_view(before), midend::strided_interval_domain());
  }

  midend::offset_verdict verdict() const {
    const auto known = facts();
    return midend::verify_offsets(elbrus::effect_view(before), elbrus::effect_view(after), witness,
                                  knows_facts ? midend::addition_facts(known) : midend::addition_facts());
  }

  midend::offset_change& change(std::string_view v) {
    for (midend::offset_change& c : witness.changes) {
      if (c.value == value(v)) {
        return c;
      }
    }
    FAIL("not separated: ", v);
    return witness.changes[0];
  }

  value_id sum(std::string_view v) { return change(v).sum; }

  value_id rest(std::string_view v) { return change(v).rest; }

  /// The sum adds another number.
  void set_number(std::string_view v, unsigned width, std::int64_t number) {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
    after.set_operand(sum(v), 1, editor().make_number(width, static_cast<std::uint64_t>(number) & mask));
  }

  void promise(value_id v) {
    auto flags = after.value(v).flags;
    flags.nsw = true;
    after.set_flags(v, flags);
  }

  /// Separates what may wrap.
  void separate_loose() { separate("loose", 64, ~std::uint64_t{0} - 1); }

  /// Separates %j2 & 1, as if %j were even.
  void separate_unknown_bits() { separate("unknown", 32, 0); }

  /// `v` reads %j2, which is %j - 2, and becomes the same operation of %j, plus a number.
  void separate(std::string_view name, std::uint8_t width, std::uint64_t number) {
    elbrus::editor e(after);
    const value_id v = value(name);
    const midend::value_id rest = e.clone_value(v, midend::place_before(v));
    e.set_operand(rest, 0, value("j"));
    midend::operation_info add;
    add.code = midend::operation::add;
    add.width = add.operand_width = width;
    const value_id operands[] = {rest, e.make_number(width, number)};
    const value_id sum = e.make_operation(add, operands, midend::place_before(v));
    e.replace_uses(v, sum);
    e.erase_value(v);
    witness.changes.push_back({v, rest, sum});
  }
};

inline std::vector<mistake<offsets>> mistakes_of_offsets() {
  using enum midend::offset_fault;
  const auto number = [](std::string_view name, std::string_view v, unsigned width, std::int64_t n) {
    return mistake<offsets>{name, wrong_offset, [=](offsets& w) { w.set_number(v, width, n); }};
  };
  return {
      number("an offset that is wrong by one", "x", 64, 2),
      number("an offset that is not multiplied", "m", 32, -2),
      number("an offset that is not shifted", "h", 64, 1),
      number("the sign of what is subtracted", "p", 64, -1),
      number("another number in the low bits", "b", 8, 9),
      number("the number of another addition", "z", 64, 4),
      number("what a mask does not keep", "u", 32, 3),
      number("what a shift takes away", "v", 32, 1),
      number("the extension of another mask", "g", 64, 2),
      {"another mask", wrong_operand,
       [](offsets& w) { w.after.set_operand(w.rest("u"), 1, w.editor().make_number(32, 31)); }},
      {"a mask of what is not known", may_wrap, [](offsets& w) { w.separate_unknown_bits(); }},
      {"what is left of another value", wrong_operand,
       [](offsets& w) { w.after.set_operand(w.rest("x"), 0, w.value("j")); }},
      {"a base in the middle of the chain", wrong_offset,
       [](offsets& w) {
         w.after.set_operand(w.rest("m"), 0, w.value("j1"));
         w.editor().move_value(w.rest("m"), midend::place_before(w.sum("m")));
       }},
      {"a shift by another number", wrong_operand,
       [](offsets& w) { w.after.set_operand(w.rest("h"), 1, w.editor().make_number(64, 4)); }},
      {"the sum of what another has left", wrong_operand,
       [](offsets& w) { w.after.set_operand(w.sum("q"), 0, w.rest("y")); }},
      {"what is left promises something", changed_operation, [](offsets& w) { w.promise(w.rest("m")); }},
      {"a sum modulo 2^32 promises something", may_wrap, [](offsets& w) { w.promise(w.sum("m")); }},
      {"a product promises something", may_wrap, [](offsets& w) { w.promise(w.sum("h")); }},
      {"an extension of a sum that may wrap", may_wrap, [](offsets& w) { w.separate_loose(); }},
      {"nothing is known about the counter", may_wrap, [](offsets& w) { w.knows_facts = false; }},
      {"the witness says nothing of a change", changed_operation, [](offsets& w) { w.witness.changes.pop_back(); }},
      {"the witness says a change twice", wrong_witness,
       [](offsets& w) { w.witness.changes.push_back(w.witness.changes[0]); }},
      {"the witness exchanges the new operations", wrong_witness,
       [](offsets& w) { std::swap(w.change("y").rest, w.change("q").rest); }},
      {"what is left comes after the sum", wrong_witness,
       [](offsets& w) { w.editor().move_value(w.rest("q"), midend::place_at_end(w.node("loop"))); }},
      {"what is left is computed on one way only", wrong_witness,
       [](offsets& w) { w.editor().move_value(w.rest("x"), midend::place_at_end(w.node("left"))); }},
      {"a call reads what is left", wrong_operand,
       [](offsets& w) { w.after.set_operand(w.operation(elbrus::opcode::call, "latch"), 0, w.rest("b")); }},
      {"a phi takes what is left", wrong_operand,
       [](offsets& w) { w.after.set_phi_input(w.value("w"), w.out("loop", 1), w.rest("h")); }},
      {"another condition", changed_flow, [](offsets& w) { w.after.set_operand(w.end("latch"), 0, w.value("c")); }},
      {"a store is missing", changed_operation,
       [](offsets& w) { w.after.erase_value(w.operation(elbrus::opcode::st, "left")); }},
      {"an extra operation", changed_operation,
       [](offsets& w) { w.editor().clone_value(w.value("i4"), midend::place_at_end(w.node("left"))); }},
      {"an operation in another place", changed_operation,
       [](offsets& w) { w.editor().move_value(w.value("j1"), midend::place_at_head(w.node("loop"))); }},
      {"a node too many", wrong_size, [](offsets& w) { w.after.create_node("new"); }},
  };
}

} // namespace midend_tests::wrong_offsets
