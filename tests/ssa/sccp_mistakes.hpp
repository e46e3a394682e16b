/// Wrong results of sparse conditional constant propagation, each of which `verify_sccp` must reject.
#pragma once

#include "kit/parsed_procedure.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/sccp_plan.hpp>
#include <midend/ssa/verify_sccp.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace midend_tests::wrong_facts {

namespace elbrus = midend::elbrus;

/// Constants, and values that are nearly constant, all of which are observed.
inline constexpr std::string_view nearly_constant = R"(
proc @f(%a: ptr, %n: i32, %k: i32, %c: i1) -> i32 {
  node entry:
    %sum = add.i32 2, 3
    %difference = sub.i32 9, 4
    %product = mul.i32 3, 5
    %both = and.i32 12, 10
    %either = or.i32 12, 3
    %one_of = xor.i32 12, 10
    %left_shift = shl.i32 3, 2
    %right_shift = shr.i32 40, 2
    %sign_shift = sar.i32 -8, 1
    %same = cmp.eq.i32 %sum, 5
    %less = cmp.lt.i32 -1, 1
    %below = cmp.ult.i32 -1, 1
    %low = trunc.i32.i8 300
    %longer = sext.i8.i32 %low
    %chosen = select.i32 %same, 7, 8
    %varies = add.i32 %n, 1
    %zero = mul.i32 %n, 0
    %l = ld.i32 [%a]
    %h = call.i32 @h(i32 4)
    %d = sub.i32 %difference, 5
    %e = cmp.ne.i32 %d, 0
    br %e ? dead : split
  node dead:
    %z = add.i32 %n, 9
    call @note(%z)
    br split
  node split:
    br %c ? left : right
  node left:
    br join
  node right:
    br join
  node join:
    %u = phi.i32 [left: 4], [right: 4]
    %v = phi.i32 [left: 4], [right: 6]
    %limit = add.i32 %u, 2
    br loop
  node loop:
    %i = phi.i32 [join: 0], [loop: %i1]
    %j = phi.i32 [join: 3], [loop: %j1]
    %p = phi.i32 [join: 1], [loop: %q]
    %q = phi.i32 [join: 1], [loop: 1]
    %i1 = add.i32 %i, 1
    %j1 = add.i32 %j, 0
    call @note(%i, %j, %p, %q)
    %again = cmp.lt.i32 %i1, %limit
    br %again ? loop : after
  node after:
    %small = cmp.gt.i32 %j, 2
    br %small ? exit : never
  node never:
    call @note(%k)
    br exit
  node exit:
    %r = phi.i32 [after: 1], [never: 2]
    call @note(%sum, %difference, %product, %both, %either, %one_of, %left_shift, %right_shift, %sign_shift)
    call @note(%same, %less, %below, %low, %longer, %chosen, %varies, %zero, %l, %h, %u, %v, %r)
    ret %d
}
)";

/// The program and a result for it.
struct solved {
  parsed_procedure before{nearly_constant};
  midend::sccp_result<midend::flat_domain<>> found;

  solved() : found(midend::sccp(elbrus::cost_view(before.procedure()), midend::flat_domain<>())) {}

  midend::sccp_error error() const { return midend::verify_sccp(elbrus::cost_view(before.procedure()), found); }

  /// The program after what the result promises was done.
  elbrus::procedure after() const {
    elbrus::procedure p = before.procedure();
    const auto plan = midend::plan_sccp(elbrus::cost_view(p), found);
    elbrus::editor editor(p);
    midend::apply_sccp(editor, plan);
    return p;
  }

  /// Takes the result for a program that was other than this one: the result is stale.
  template <class Change> void solve_after(Change change) {
    parsed_procedure other(nearly_constant);
    change(other);
    found = midend::sccp(elbrus::cost_view(other.procedure()), midend::flat_domain<>());
  }
};

struct mistake {
  std::string_view kind;
  std::string_view name;
  std::function<void(solved&)> make;
};

inline std::vector<mistake> mistakes() {
  /// The result is that of a program in which operand `i` of an operation was `c`.
  const auto was = [](std::string_view kind, std::string_view name, std::string_view v, std::size_t i,
                      std::uint64_t c) {
    return mistake{kind, name, [=](solved& s) {
                     s.solve_after([&](parsed_procedure& p) {
                       const midend::value_id like = p.procedure().operands(p.value(v))[i];
                       p.procedure().set_operand(p.value(v), i,
                                                 p.procedure().constant(p.procedure().value(like).type, c));
                     });
                   }};
  };
  /// The same of the input of a phi along the edge from a node.
  const auto came = [](std::string_view name, std::string_view phi, std::string_view from, std::uint64_t c) {
    return mistake{"phis", name, [=](solved& s) {
                     s.solve_after([&](parsed_procedure& p) {
                       elbrus::procedure& q = p.procedure();
                       const midend::value_id v = p.value(phi);
                       for (const midend::edge_id e : q.in_edges(q.value(v).node)) {
                         if (q.node_name(q.edge_source(e)) == from) {
                           q.set_phi_input(v, e, q.constant(elbrus::type::i32, c));
                         }
                       }
                     });
                   }};
  };
  return {
      was("operations", "another sum", "sum", 1, 4),
      was("operations", "another difference", "difference", 0, 8),
      was("operations", "another product", "product", 1, 6),
      was("operations", "another and", "both", 1, 4),
      was("operations", "another or", "either", 1, 2),
      was("operations", "another xor", "one_of", 1, 5),
      was("operations", "another shift to the left", "left_shift", 1, 3),
      was("operations", "another shift to the right", "right_shift", 1, 3),
      was("operations", "another shift that keeps the sign", "sign_shift", 1, 2),
      was("operations", "another comparison", "same", 1, 6),
      was("operations", "another signed comparison", "less", 1, 0xffff'fffe),
      was("operations", "another unsigned comparison", "below", 0, 0),
      was("operations", "other low bits", "low", 0, 301),
      was("operations", "another choice", "chosen", 1, 9),
      was("operations", "what varies is constant", "varies", 0, 5),
      was("operations", "another extension", "longer", 0, 43),
      was("operations", "another limit", "limit", 1, 3),
      came("inputs that are not equal", "v", "right", 4),
      came("another start", "j", "join", 4),
      was("branches", "another bound of a test", "e", 1, 1),
      came("the input by an edge that is executed", "r", "after", 3),
      was("counters", "the step was zero", "i1", 1, 0),
      was("branches", "the other way", "d", 1, 6),
      was("branches", "the way of a test after a loop", "small", 1, 3),
      was("branches", "the loop is left at once", "i1", 0, 100),
      was("branches", "the loop is never left", "again", 0, 0),
  };
}

} // namespace midend_tests::wrong_facts
