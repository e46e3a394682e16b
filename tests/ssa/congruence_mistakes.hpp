/// Wrong results of value numbering, each of which `verify_congruence` must reject.
#pragma once

#include "kit/congruence_mutation.hpp"
#include "kit/parsed_procedure.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/ssa/apply_value_numbering.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/ssa/value_numbering_plan.hpp>
#include <midend/ssa/verify_congruence.hpp>

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace midend_tests::wrong_congruence {

namespace elbrus = midend::elbrus;
using midend::congruence_fault;
using midend::no_value;
using midend::value_id;

/// Values that are nearly the same, all of which are observed.
inline constexpr std::string_view resembling = R"(
proc @f(%a: ptr, %n: i32, %k: i32, %c: i1) -> i32 {
  node entry:
    %s = sub.i32 %n, %k
    %t = sub.i32 %k, %n
    %m3 = mul.i32 %n, 3
    %m5 = mul.i32 %n, 5
    %lt = cmp.lt.i32 %n, %k
    %le = cmp.le.i32 %n, %k
    %ult = cmp.ult.i32 %n, %k
    %sar = sar.i32 %n, 1
    %shr = shr.i32 %n, 1
    %low = trunc.i32.i8 %n
    %low_s = sext.i8.i32 %low
    %low_z = zext.i8.i32 %low
    %x = select.i32 %c, %n, %k
    %y = select.i32 %c, %k, %n
    %l1 = ld.i32 [%a]
    st.i32 %s, [%a]
    %l2 = ld.i32 [%a]
    %h1 = call.i32 @h(%n)
    %h2 = call.i32 @h(%n)
    %five = add.i32 2, 3
    %six = add.i32 3, 3
    %d = sub.i32 %five, 5
    %e = cmp.ne.i32 %d, 0
    br %e ? dead : split
  node dead:
    %z = sub.i32 %n, %t
    call @note(%z)
    br split
  node split:
    br %c ? left : right
  node left:
    %x1 = add.i32 %n, 1
    br join
  node right:
    %x2 = add.i32 %n, 2
    br join
  node join:
    %u = phi.i32 [left: %x1], [right: %x2]
    %v = phi.i32 [left: %s], [right: %t]
    %w = phi.i32 [left: %t], [right: %s]
    br loop
  node loop:
    %i = phi.i32 [join: 0], [loop: %i1]
    %j = phi.i32 [join: 0], [loop: %j1]
    %f = phi.i32 [join: 1], [loop: %f1]
    %p = phi.i32 [join: %n], [loop: %i]
    %i1 = add.i32 %i, 1
    %j1 = add.i32 %j, 2
    %f1 = add.i32 %f, 1
    call @note(%i, %j, %f, %p)
    %q = cmp.lt.i32 %i1, 7
    br %q ? loop : exit
  node exit:
    call @note(%s, %t, %m3, %m5, %lt, %le, %ult, %sar, %shr, %low_s, %low_z, %x, %y)
    call @note(%l1, %l2, %h1, %h2, %five, %six, %u, %v, %w, %i1, %j1, %f1)
    ret %d
}
)";

/// The program and a result for it, into which mistakes are put.
struct numbered {
  parsed_procedure before{resembling};
  midend::value_numbering_result<midend::flat_domain<>> found;

  numbered() : found(midend::value_numbering(elbrus::cost_view(before.procedure()))) {}

  midend::congruence_error error() const {
    return midend::verify_congruence(elbrus::cost_view(before.procedure()), found);
  }

  /// The program after what the result promises was done.
  elbrus::procedure after() const {
    elbrus::procedure p = before.procedure();
    const auto plan = midend::plan_value_numbering(elbrus::cost_view(p), found);
    elbrus::editor editor(p);
    midend::apply_value_numbering(editor, plan);
    return p;
  }

  /// Claims that two values are equal.
  void merge(std::string_view v, std::string_view w) {
    const std::uint32_t a = found.class_of(before.value(v));
    const std::uint32_t b = found.class_of(before.value(w));
    REQUIRE(a != b);
    midend::detail::congruence_mutation::merge(found, a < b ? a : b, a < b ? b : a);
  }

  /// Takes the result for a program that was other than this one: the result is stale.
  template <class Change> void number_after(Change change) {
    parsed_procedure other(resembling);
    change(other);
    found = midend::value_numbering(elbrus::cost_view(other.procedure()));
  }
};

struct mistake {
  std::string_view kind;
  std::string_view name;
  congruence_fault expected;
  std::function<void(numbered&)> make;
};

inline std::vector<mistake> mistakes() {
  using enum congruence_fault;
  const auto merged = [](std::string_view name, std::string_view v, std::string_view w,
                         congruence_fault expected = not_equal) {
    return mistake{"classes", name, expected, [v, w](numbered& p) { p.merge(v, w); }};
  };
  const auto stale = [](std::string_view name, congruence_fault expected, auto change) {
    return mistake{"stale results", name, expected, [change](numbered& p) { p.number_after(change); }};
  };
  const auto set = [](std::string_view v, std::size_t i, std::uint64_t c) {
    return [=](parsed_procedure& p) {
      const value_id like = p.procedure().operands(p.value(v))[i];
      p.procedure().set_operand(p.value(v), i, p.procedure().constant(p.procedure().value(like).type, c));
    };
  };
  return {
      merged("a difference and its negative", "s", "t"),
      merged("products with different factors", "m3", "m5"),
      merged("less, and less or equal", "lt", "le"),
      merged("signed and unsigned comparisons", "lt", "ult"),
      merged("signed and unsigned shifts", "sar", "shr"),
      merged("conversions with and without sign", "low_s", "low_z"),
      merged("values of different types", "n", "low"),
      merged("selects with exchanged values", "x", "y"),
      merged("loads with a store between", "l1", "l2"),
      merged("two calls", "h1", "h2"),
      merged("parameters", "n", "k"),
      merged("sums on the two sides of a branch", "x1", "x2"),
      merged("a phi and one of its inputs", "u", "x1"),
      merged("phis with exchanged inputs", "v", "w"),
      merged("counters with different steps", "i", "j"),
      merged("counters with different starts", "i", "f"),
      merged("a counter and its next value", "i", "i1"),
      merged("a counter and its last value", "i", "p"),
      merged("different constants", "five", "six"),
      merged("a value that is never computed", "z", "s", not_computed),
      stale("a step was the same", not_equal, set("j1", 1, 1)),
      stale("a factor was the same", not_equal, set("m5", 1, 3)),
      stale("the start was the same", not_equal,
            [](parsed_procedure& p) {
              elbrus::procedure& q = p.procedure();
              q.set_phi_input(p.value("f"), q.in_edges(p.node("loop"))[0], q.constant(elbrus::type::i32, 0));
            }),
      stale("a constant was another one", fact, set("six", 1, 7)),
      stale("a branch was decided the other way", fact, set("d", 1, 7)),
      stale("both sides of a branch passed the same value", not_equal,
            [](parsed_procedure& p) {
              elbrus::procedure& q = p.procedure();
              for (const midend::edge_id e : q.in_edges(p.node("join"))) {
                q.set_phi_input(p.value("w"), e, q.phi_input(p.value("v"), e));
              }
            }),
  };
}

} // namespace midend_tests::wrong_congruence
