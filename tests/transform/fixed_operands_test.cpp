// Operands that must not be replaced, and values of one width with different types.
#include "kit/parsed_procedure.hpp"
#include "kit/run_text.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/ir/fixed_operands.hpp>
#include <midend/package/low_level_package.hpp>
#include <midend/package/memory_redundancy.hpp>
#include <midend/package/verify_memory_redundancy.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/apply_value_numbering.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/transform/clean_control.hpp>
#include <midend/transform/propagate_copies.hpp>
#include <midend/transform/verify_replacement.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
using midend::value_id;
namespace elbrus = midend::elbrus;

namespace {

/// Calls read what they read: no operand of theirs may be replaced.
template <class Base> struct with_fixed_calls : Base {
  using Base::Base;

  bool may_replace_operand(value_id user, std::size_t) const {
    return this->graph().core(user).code != elbrus::opcode::call;
  }
};

using free_editor = elbrus::cost_editor;
using fixed_editor = with_fixed_calls<elbrus::cost_editor>;

static_assert(midend::has_may_replace_operand<fixed_editor> && !midend::has_may_replace_operand<free_editor>);

constexpr std::string_view called = R"(
proc @f(%x: i32, %a: ptr, %n: i32, %p: i1) -> i32 {
  node entry:
    %copy = mov.i32 %x
    %five = add.i32 2, 3
    %d = add.i32 %x, 1
    %e = add.i32 %x, 1
    %l1 = ld.i32 [%a] alias=A
    %l2 = ld.i32 [%a] alias=A
    %two = mul.i32 %x, 2
    call @map(%copy, %five, %e, %l2, %two) clobbers=none
    br %p ? yes : no
  node yes:
    call @bit(%p) clobbers=none
    br next
  node next:
    %only = phi.i32 [yes: %d]
    call @one(%only) clobbers=none
    br no
  node no:
    br loop
  node loop:
    %i = phi.i32 [no: 0], [next: 4], [loop: %i4]
    %i1 = add.i32 %i, 1
    %w = mul.i32 %i1, 12
    call @number(%w) clobbers=none
    %i2 = add.i32 %i1, 1
    %i4 = add.i32 %i2, 2
    %q = cmp.ne.i32 %i4, %n
    br %q ? loop : done
  node done:
    %s = add.i32 %l1, %l2
    ret %s
}
)";

std::string text_of_called() {
  std::string text(called);
  text.replace(text.find("[no: 0], [next: 4]"), 18, "[no: 0]");
  return text;
}

/// The operands of all calls, in order.
std::vector<value_id> read_by_calls(const elbrus::procedure& p) {
  std::vector<value_id> out;
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    for (const value_id v : p.values(n)) {
      if (p.core(v).code == elbrus::opcode::call) {
        for (const value_id x : p.operands(v)) {
          out.push_back(x);
        }
      }
    }
  }
  return out;
}

/// How many operands of calls a transformation changes.
template <class E, class Transform> std::size_t changed_by(Transform transform) {
  parsed_procedure p(text_of_called());
  const std::vector<value_id> before = read_by_calls(p.procedure());
  E e(p.procedure());
  transform(e);
  CHECK(elbrus::verify(p.procedure()).empty());
  const std::vector<value_id> after = read_by_calls(p.procedure());
  REQUIRE(before.size() == after.size());
  std::size_t changed = 0;
  for (std::size_t i = 0; i != before.size(); ++i) {
    changed += before[i] != after[i] ? 1U : 0U;
  }
  return changed;
}

template <class Transform> void check_pass(const char* name, Transform transform) {
  CAPTURE(name);
  CHECK(changed_by<free_editor>(transform) != 0);
  CHECK(changed_by<fixed_editor>(transform) == 0);
}

} // namespace

TEST_CASE("operands that must not be replaced: every transformation that replaces values keeps them") {
  check_pass("propagate_copies", [](auto& e) { midend::apply_propagate_copies(e, midend::plan_propagate_copies(e)); });
  check_pass("sccp",
             [](auto& e) { midend::apply_sccp(e, midend::plan_sccp(e, midend::sccp(e, midend::flat_domain<>()))); });
  check_pass("value_numbering", [](auto& e) {
    midend::apply_value_numbering(e,
                                  midend::plan_value_numbering(e, midend::value_numbering(e, midend::flat_domain<>())));
  });
  check_pass("memory_redundancy",
             [](auto& e) { midend::apply_memory_redundancy(e, midend::plan_memory_redundancy(e)); });
  check_pass("clean_control", [](auto& e) { midend::clean_control(e); });
  check_pass("low_level_package", [](auto& e) { midend::low_level_package().run(e); });
}

TEST_CASE("operands that must not be replaced: the checker of replacements refuses a change of one") {
  const parsed_procedure written(text_of_called());
  elbrus::procedure after = written.procedure();
  free_editor e(after);
  const auto w = midend::apply_propagate_copies(e, midend::plan_propagate_copies(e));
  using view = with_fixed_calls<elbrus::cost_view>;
  CHECK(midend::verify_replacement(elbrus::cost_view(written.procedure()), elbrus::cost_view(after), w));
  CHECK(midend::verify_replacement(view(written.procedure()), view(after), w).fault ==
        midend::change_fault::fixed_operand);
}

TEST_CASE("operands that must not be replaced: the checker of removed loads refuses a change of one") {
  const parsed_procedure written(text_of_called());
  elbrus::procedure after = written.procedure();
  free_editor e(after);
  const auto w = midend::apply_memory_redundancy(e, midend::plan_memory_redundancy(e));
  using view = with_fixed_calls<elbrus::cost_view>;
  CHECK(midend::verify_memory_redundancy(elbrus::cost_view(written.procedure()), elbrus::cost_view(after), w));
  CHECK(midend::verify_memory_redundancy(view(written.procedure()), view(after), w).fault ==
        midend::change_fault::fixed_operand);
}

TEST_CASE("types: a copy to another type of the same width is not replaced, and the checker refuses that") {
  const parsed_procedure written("proc @f(%x: i64, %c: i1) -> i64 {\n  node entry:\n    %p = mov.ptr %x\n"
                                 "    %same = mov.ptr %p\n    %v = ld.i64 [%same]\n    ret %v\n}\n");
  elbrus::procedure strict = written.procedure();
  elbrus::editor e(strict); // of which i64 and ptr are two types
  const auto plan = midend::plan_propagate_copies(e);
  CHECK(plan.replacements.size() == 1); // %same by %p
  CHECK(midend::verify_replacement(elbrus::effect_view(written.procedure()), elbrus::effect_view(strict),
                                   midend::replacement_witness()));
  elbrus::procedure loose = written.procedure();
  elbrus::cost_editor c(loose); // of which they are one
  const auto w = midend::apply_propagate_copies(c, midend::plan_propagate_copies(c));
  CHECK(w.same.size() == 2);
  CHECK(midend::verify_replacement(elbrus::effect_view(written.procedure()), elbrus::effect_view(loose), w).fault ==
        midend::change_fault::different_value);
}

TEST_CASE("types: a number added to an address may have another type, and the program verifies") {
  parsed_procedure p("proc @f(%a: ptr) -> ptr {\n  node entry:\n    %b = add.ptr %a, 1\n    %c = add.ptr %b, 2\n"
                     "    ret %c\n}\n");
  elbrus::cost_editor e(p.procedure());
  midend::low_level_package().run(e);
  CHECK(elbrus::to_text(p.procedure()).find("%a, 3") != std::string::npos);
  CHECK(elbrus::verify(p.procedure()).empty());
}
