/// Wrong claims about phis of operations, each of which `verify_phis_of_operations` must reject.
#pragma once

#include "kit/parsed_procedure.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/ssa/apply_value_numbering.hpp>
#include <midend/ssa/phis_of_operations.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/ssa/value_numbering_plan.hpp>
#include <midend/ssa/verify_phis_of_operations.hpp>

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace midend_tests::wrong_phis {

namespace elbrus = midend::elbrus;
using midend::no_value;
using midend::value_id;

/// %y is %x1 or %x2, %z is %y, and %w follows from %y.
inline constexpr std::string_view joined = R"(
proc @f(%a: i32, %b: i32, %c: i32, %k: i1) -> i32 {
  node n0:
    br %k ? n1 : n2
  node n1:
    %x1 = add.i32 %a, %c
    %m1 = mul.i32 %x1, %x1
    %low1 = trunc.i32.i8 %x1
    call @note(%x1, %m1)
    br n3
  node n2:
    %x2 = add.i32 %c, %b
    %m2 = mul.i32 %x2, %x2
    %low2 = trunc.i32.i8 %x2
    %h = call.i32 @h(%x2)
    call @note(%m2)
    br n3
  node n3:
    %p = phi.i32 [n1: %a], [n2: %b]
    %q = phi.i32 [n1: %a], [n2: %b]
    %y = add.i32 %p, %c
    %z = add.i32 %c, %q
    %w = mul.i32 %y, %y
    %v = sub.i32 %p, %c
    call @note(%p, %v)
    %s = add.i32 %z, %w
    ret %s
}
)";

/// The program, and what is to become of it.
struct planned {
  parsed_procedure before;
  midend::value_numbering_result<midend::flat_domain<>> found;
  midend::value_numbering_plan<std::uint64_t> changes;

  explicit planned(std::string_view text = joined) : before(text), found(midend::value_numbering(view())) {
    changes = midend::plan_value_numbering(view(), found);
    midend::add_phis_of_operations(view(), found, changes);
  }

  elbrus::cost_view view() const { return elbrus::cost_view(before.procedure()); }

  value_id value(std::string_view name) const { return before.value(name); }

  midend::congruence_error error() const { return midend::verify_phis_of_operations(view(), found, changes); }

  /// The program after what the plan says was done.
  elbrus::procedure after() const {
    elbrus::procedure p = before.procedure();
    elbrus::editor editor(p);
    midend::apply_value_numbering(editor, changes);
    return p;
  }

  /// What arrives at a phi along its edges.
  std::vector<midend::phi_of_operations<std::uint64_t>::input>& inputs(std::size_t phi) {
    return changes.phis[phi].inputs;
  }
};

struct mistake {
  std::string_view name;
  bool is_program; ///< the plan can be applied
  std::function<void(planned&)> make;
};

inline std::vector<mistake> mistakes() {
  const auto is = [](std::string_view name, std::size_t phi, std::size_t input, std::string_view v) {
    return mistake{name, true, [=](planned& p) { p.inputs(phi)[input].value = p.value(v); }};
  };
  const auto of = [](std::string_view name, std::string_view v) {
    return mistake{name, false, [=](planned& p) { p.changes.phis[0].value = p.value(v); }};
  };
  return {
      is("an input is another operation", 0, 0, "m1"),
      is("an input is not computed on the edge", 0, 0, "x2"),
      is("an input is what is replaced", 0, 0, "y"),
      is("an input is an operand", 0, 0, "a"),
      is("an input is the other parameter", 0, 1, "b"),
      is("an input is a call", 0, 1, "h"),
      is("an input of another width", 0, 0, "low1"),
      is("an input of the second phi is one of the first", 1, 0, "x1"),
      is("an input of the second phi is another operation", 1, 1, "x2"),
      is("an input of the second phi is what it replaces", 1, 1, "w"),
      of("another operation", "v"),
      of("an operation on an edge", "x1"),
      of("a phi", "p"),
      of("a parameter", "a"),
      {"inputs exchanged", true, [](planned& p) { std::swap(p.inputs(0)[0].value, p.inputs(0)[1].value); }},
      {"inputs of the second phi exchanged", true,
       [](planned& p) { std::swap(p.inputs(1)[0].value, p.inputs(1)[1].value); }},
      {"an input is a constant", true, [](planned& p) { p.inputs(0)[0] = {p.inputs(0)[0].edge, no_value, 5}; }},
      {"an edge has no input", false, [](planned& p) { p.inputs(0).pop_back(); }},
      {"an edge has two inputs", false, [](planned& p) { p.inputs(0)[1].edge = p.inputs(0)[0].edge; }},
      {"the phi has other inputs", true, [](planned& p) { p.changes.phis[0].phi = p.value("p"); }},
      {"the phi of another operation", true, [](planned& p) { p.changes.phis[1].first = p.changes.phis[0].value; }},
      {"the node does not join", false, [](planned& p) { p.changes.phis[0].node = p.before.node("n1"); }},
      {"it relied on an operation that stays", true, [](planned& p) { p.changes.phis.erase(p.changes.phis.begin()); }},
      {"operands replaced by what is not equal", true,
       [](planned& p) { p.changes.replacements[0].leader = p.value("c"); }},
  };
}

} // namespace midend_tests::wrong_phis
