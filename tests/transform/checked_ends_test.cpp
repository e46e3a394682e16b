// What the checkers ask of terminators, variables, and programs that were read from another text.
#include "kit/parsed_procedure.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/elbrus/views/effect_view.hpp>
#include <midend/transform/clean_control.hpp>
#include <midend/transform/propagate_copies.hpp>
#include <midend/transform/remove_dead_code.hpp>
#include <midend/transform/unfolding.hpp>
#include <midend/transform/verify_motion.hpp>
#include <midend/transform/verify_removal.hpp>
#include <midend/transform/verify_replacement.hpp>
#include <midend/transform/verify_unfolding.hpp>

#include <array>
#include <string_view>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using elbrus::cost_view;
using elbrus::effect_view;
using elbrus::procedure;
using midend::change_fault;
using midend::no_value;
using midend::node_id;
using midend::unfolding_fault;
using midend::value_id;

namespace {

procedure read(std::string_view text) {
  return program_of(text).procedures[0];
}

/// The same, with jumps that call something first, as `invoke` and `callbr` do.
struct calling_jumps : effect_view {
  using effect_view::effect_view;

  midend::effect_kind effect(value_id v) const {
    return graph().core(v).code == elbrus::opcode::jump ? midend::effect_kind::unknown : effect_view::effect(v);
  }

  bool may_not_return(value_id v) const {
    return graph().core(v).code == elbrus::opcode::jump || effect_view::may_not_return(v);
  }
};

constexpr std::string_view three_nodes = R"(
proc @f(%a: i32) -> i32 {
  node entry:
    %x = add.i32 %a, 1
    br middle
  node middle:
    br last
  node last:
    ret %x
}
)";

template <class View>
midend::unfolding_verdict compare(const procedure& before, const procedure& after, const midend::unfolding_witness& w) {
  return midend::verify_unfolding(View(before), View(after), w);
}

constexpr std::string_view with_variables = R"(
proc @f(%a: i32, %c: i1) -> i32 {
  var $x: i32
  node entry:
    $x = mov.i32 %a
    %y = mov.i32 $x
    %z = add.i32 $x, 1
    $x = add.i32 %a, 2
    br next
  node next:
    %s = add.i32 %y, %z
    %r = add.i32 %s, $x
    ret %r
}
)";

} // namespace

TEST_CASE("verify_unfolding: a terminator that does more than branch is neither lost nor passed over nor inserted") {
  const procedure before = read(three_nodes);
  { // two nodes become one
    procedure after = before;
    elbrus::editor e(after);
    midend::unfolding_witness w;
    midend::clean_control(e, [&](const midend::unfolding_witness& step) { w = step; });
    CHECK(after.node(1).erased);
    CHECK(compare<effect_view>(before, after, w));
    CHECK(!compare<calling_jumps>(before, after, w));
  }
  { // an edge passes the empty node
    procedure after = before;
    after.redirect_edge(after.out_edges(0)[0], 2);
    midend::unfolding_witness w;
    w.start(3, 2, after.num_values());
    CHECK(compare<effect_view>(before, after, w));
    CHECK(compare<calling_jumps>(before, after, w).fault == unfolding_fault::wrong_target);
  }
  { // a new node with such an end
    procedure after = before;
    elbrus::editor e(after);
    midend::unfolding<elbrus::editor> u(e);
    u.route_edges(std::array{after.out_edges(0)[0]});
    const midend::unfolding_witness w = u.take_witness();
    CHECK(compare<effect_view>(before, after, w));
    CHECK(compare<calling_jumps>(before, after, w).fault == unfolding_fault::inserted_effect);
  }
}

TEST_CASE("verify_removal and verify_replacement read literals of a program that was read from another text") {
  // The second text has the same numbers in the same places, for other literals.
  constexpr std::string_view texts[] = {R"(
proc @f(%a: i32, %p: ptr) -> i32 {
  node entry:
    %x = add.i32 %a, 1
    st.i32 %x, [%p] alias=A
    st.i32 %x, [%p + 4] alias=B
    ret %x
}
)",
                                        R"(
proc @f(%a: i32, %p: ptr) -> i32 {
  node entry:
    %x = add.i32 %a, 2
    st.i32 %x, [%p] alias=A
    st.i32 %x, [%p + 4] alias=B
    ret %x
}
)",
                                        R"(
proc @f(%a: i32, %p: ptr) -> i32 {
  node entry:
    %x = add.i32 %a, 1
    st.i32 %x, [%p] alias=B
    st.i32 %x, [%p + 4] alias=A
    ret %x
}
)"};
  const procedure before = read(texts[0]);
  const procedure again = read(texts[0]);
  CHECK(midend::verify_removal(effect_view(before), effect_view(again), {}));
  CHECK(midend::verify_replacement(cost_view(before), cost_view(again), {}));
  CHECK(midend::verify_motion(effect_view(before), effect_view(again)));
  for (const std::string_view text : {texts[1], texts[2]}) { // another literal, other classes
    const procedure after = read(text);
    CHECK(before.num_values() == after.num_values());
    CHECK(!midend::verify_removal(effect_view(before), effect_view(after), {}));
    CHECK(!midend::verify_replacement(cost_view(before), cost_view(after), {}));
    CHECK(!midend::verify_motion(effect_view(before), effect_view(after)));
    midend::unfolding_witness w;
    w.start(1, 0, after.num_values());
    CHECK(!compare<effect_view>(before, after, w));
    CHECK(compare<effect_view>(before, again, w));
  }
}

TEST_CASE("verify_removal: a jump may have the number of the branch that it replaces") {
  const procedure before = read(R"(
proc @f(%a: i32, %c: i1) -> i32 {
  node entry:
    br %c ? last : middle
  node middle:
    br last
  node last:
    ret %a
}
)");
  const procedure after = read(R"(
proc @f(%a: i32, %c: i1) -> i32 {
  node entry:
    br last
  node middle:
    br last
  node last:
    ret %a
}
)");
  CHECK(before.terminator(0) == after.terminator(0));
  CHECK(midend::verify_removal(effect_view(before), effect_view(after), {}));
}

TEST_CASE("variables are memory to transformations and checkers") {
  const procedure before = read(with_variables);
  const effect_view view(before);
  value_id first_write = no_value;
  value_id second_write = no_value;
  for (const value_id v : before.values(0)) {
    if (before.value(v).variable != no_value) {
      (first_write == no_value ? first_write : second_write) = v;
    }
  }
  CHECK(view.effect(first_write) == midend::effect_kind::writes);
  CHECK(view.effect(value_named(before, "z")) == midend::effect_kind::reads);
  CHECK(view.effect(value_named(before, "s")) == midend::effect_kind::none);
  CHECK(!midend::is_removable(view, first_write));

  procedure cleaned = before;
  elbrus::editor e(cleaned);
  midend::remove_dead_code(e);
  midend::propagate_copies(e);
  CHECK(elbrus::to_text(cleaned) == elbrus::to_text(before));

  { // a write that nobody seems to read
    procedure after = before;
    after.erase_value(first_write);
    CHECK(midend::verify_removal(view, effect_view(after), {}).fault == change_fault::missing_operation);
    CHECK(midend::verify_replacement(cost_view(before), cost_view(after), {}).fault == change_fault::missing_operation);
    midend::unfolding_witness w;
    w.start(before.num_nodes(), before.num_edges(), after.num_values());
    CHECK(compare<effect_view>(before, after, w).fault == unfolding_fault::missing_operation);
  }
  { // a copy of a variable that is written later
    procedure after = before;
    const value_id y = value_named(before, "y");
    const value_id x = before.variables()[0];
    after.replace_uses(y, x);
    midend::replacement_witness w;
    w.same.push_back({y, x});
    CHECK(midend::verify_replacement(cost_view(before), cost_view(after), w).fault == change_fault::different_value);
  }
  { // a read moves past a write
    procedure after = before;
    after.move_value(value_named(before, "z"), 1, value_named(before, "s"));
    CHECK(!midend::verify_motion(view, effect_view(after)));
    procedure up = read(with_variables);
    up.move_value(value_named(up, "r"), 0, up.terminator(0));
    CHECK(!midend::verify_motion(view, effect_view(up))); // its operands come later
    procedure write = before;
    write.move_value(second_write, 1, value_named(before, "s"));
    CHECK(!midend::verify_motion(view, effect_view(write)));
  }
}
