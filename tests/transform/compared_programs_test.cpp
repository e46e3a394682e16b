// What no change explains: each checker that compares two programs finds it, with the same fault.
#include "kit/parsed_procedure.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/package/verify_memory_redundancy.hpp>
#include <midend/transform/change_verdict.hpp>
#include <midend/transform/verify_final_values.hpp>
#include <midend/transform/verify_motion.hpp>
#include <midend/transform/verify_range_tests.hpp>
#include <midend/transform/verify_removal.hpp>
#include <midend/transform/verify_replacement.hpp>
#include <midend/transform/verify_strength.hpp>
#include <midend/viz/change_verdict.hpp>

#include <string_view>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using elbrus::cost_view;
using elbrus::procedure;
using midend::change_fault;
using midend::change_verdict;
using midend::node_id;
using midend::value_id;

namespace {

enum class change : unsigned char { removal, replacement, motion, range_tests, strength, final_values, memory };

template <class IR> change_verdict verify(change c, const IR& was, const IR& is) {
  switch (c) {
  case change::removal:
    return midend::verify_removal(was, is, {});
  case change::replacement:
    return midend::verify_replacement(was, is, {});
  case change::motion:
    return midend::verify_motion(was, is);
  case change::range_tests:
    return midend::verify_range_tests(was, is);
  case change::strength:
    return midend::verify_strength(was, is);
  case change::final_values:
    return midend::verify_final_values(was, is, {});
  default:
    return midend::verify_memory_redundancy(was, is, {});
  }
}

change_verdict verify(change c, const procedure& before, const procedure& after) {
  return verify(c, cost_view(before), cost_view(after));
}

/// Promises the end of loops by one edge, or by one header.
struct promising_view : cost_view {
  using cost_view::cost_view;

  bool must_end(midend::edge_id e) const { return e == promised_edge; }

  bool loop_ends(node_id n) const { return n == promised_header; }

  midend::edge_id promised_edge = midend::no_edge;
  node_id promised_header = midend::no_node;
};

constexpr std::string_view text = R"(
proc @f(%a: ptr, %n: i32, %k: i32, %c: i1) -> i32 {
  node entry:
    %x = add.i32 %n, 3
    %y = mul.i32 %n, %k
    st.i32 %x, [%a] alias=A
    %h = call.i32 @h(%y)
    br %c ? left : right
  node left:
    %l = add.i32 %x, 1
    st.i32 %l, [%a] alias=A
    br join
  node right:
    %r = div.i32 %h, %k
    br join
  node join:
    %p = phi.i32 [left: %l], [right: %r]
    %q = phi.i32 [left: %x], [right: %y]
    %s = add.i32 %p, %q
    ret %s
  node nowhere:
    ret %n
}
)";

struct changed_program {
  procedure before = parsed_procedure(text).procedure();
  procedure after = before;
  elbrus::cost_editor editor{after};

  value_id value(std::string_view name) const { return value_named(before, name); }

  node_id node(std::string_view name) const { return node_named(before, name); }

  value_id store(std::string_view n) const {
    for (const value_id v : before.values(node(n))) {
      if (before.value(v).code == elbrus::opcode::st) {
        return v;
      }
    }
    FAIL("no store");
    return midend::no_value;
  }

  value_id end(std::string_view n) const { return before.terminator(node(n)); }
};

constexpr change all_changes[] = {change::removal,  change::replacement,  change::motion, change::range_tests,
                                  change::strength, change::final_values, change::memory};

/// Makes a mistake. The fault that each checker should find is `expected`, and that of the one `special` is `other`.
template <class Make>
void check(std::string_view name, change_fault expected, Make make, change special = change::removal,
           change_fault other = change_fault::none) {
  changed_program p;
  make(p);
  for (const change c : all_changes) {
    const change_verdict verdict = verify(c, p.before, p.after);
    const change_fault right = c == special && other != change_fault::none ? other : expected;
    CHECK_MESSAGE(verdict.fault == right, name, ", checker ", static_cast<int>(c), ": ", midend::to_text(verdict), "\n",
                  elbrus::to_text(p.after));
  }
}

} // namespace

TEST_CASE("every checker accepts an unchanged program") {
  check("nothing", change_fault::none, [](changed_program&) {});
}

TEST_CASE("every checker finds nodes and edges that changed") {
  check("a new node", change_fault::wrong_size, [](auto& p) { p.after.create_node("new"); });
  check("an edge to another node", change_fault::changed_flow,
        [](auto& p) { p.after.redirect_edge(p.before.out_edges(p.node("left"))[0], p.node("right")); });
  check("exchanged targets", change_fault::changed_flow, [](auto& p) {
    p.after.redirect_edge(p.before.out_edges(p.node("entry"))[0], p.node("right"));
    p.after.redirect_edge(p.before.out_edges(p.node("entry"))[1], p.node("left"));
  });
  check("another case", change_fault::changed_flow,
        [](auto& p) { p.after.set_case(p.before.out_edges(p.node("entry"))[0], true, 0); });
}

TEST_CASE("every checker finds operations that are missing, also if they are where control never is") {
  check("a store", change_fault::missing_operation, [](auto& p) { p.after.erase_value(p.store("entry")); });
  check("a call whose result is replaced", change_fault::missing_operation, [](auto& p) {
    p.after.replace_uses(p.value("h"), p.value("n"));
    p.after.erase_value(p.value("h"));
  });
  check("a store that moved", change_fault::missing_operation,
        [](auto& p) { p.editor.move_value(p.store("left"), midend::place_at_end(p.node("nowhere"))); });
  check("a call that moved", change_fault::missing_operation, [](auto& p) {
    p.after.replace_uses(p.value("h"), p.value("n"));
    p.editor.move_value(p.value("h"), midend::place_at_end(p.node("nowhere")));
  });
}

TEST_CASE("every checker finds operations that are new or in another node") {
  check("a store", change_fault::extra_operation,
        [](auto& p) { p.editor.clone_value(p.store("entry"), midend::place_at_end(p.node("join"))); });
  check("a division", change_fault::extra_operation,
        [](auto& p) { p.editor.clone_value(p.value("r"), midend::place_at_end(p.node("entry"))); });
  check("a promise", change_fault::extra_operation, [](auto& p) {
    const value_id v = p.editor.clone_value(p.value("x"), midend::place_at_end(p.node("join")));
    auto flags = p.after.value(v).flags;
    flags.nsw = true;
    p.after.set_flags(v, flags);
  });
  check(
      "a store in another node", change_fault::extra_operation,
      [](auto& p) { p.editor.move_value(p.store("left"), midend::place_at_end(p.node("entry"))); }, change::motion,
      change_fault::not_movable);
  check(
      "an addition in a later node", change_fault::extra_operation,
      [](auto& p) { p.editor.move_value(p.value("y"), midend::place_at_end(p.node("right"))); }, change::motion,
      change_fault::not_above);
}

TEST_CASE("every checker finds operations that changed, in themselves or in their order") {
  check("a promise", change_fault::changed_operation, [](auto& p) {
    auto flags = p.after.value(p.value("x")).flags;
    flags.nsw = true;
    p.after.set_flags(p.value("x"), flags);
  });
  check("a store after a call", change_fault::wrong_order,
        [](auto& p) { p.editor.move_value(p.store("entry"), midend::place_before(p.end("entry"))); });
  check("exchanged additions", change_fault::wrong_order,
        [](auto& p) { p.editor.move_value(p.value("y"), midend::place_before(p.value("x"))); });
  check("exchanged phis", change_fault::wrong_order,
        [](auto& p) { p.editor.move_value(p.value("q"), midend::place_before(p.value("p"))); });
}

TEST_CASE("every checker finds reads of other values") {
  const auto differs = change_fault::different_value;
  check(
      "an operand", change_fault::wrong_operand, [](auto& p) { p.after.set_operand(p.value("l"), 0, p.value("n")); },
      change::strength, differs);
  check(
      "a stored value", change_fault::wrong_operand,
      [](auto& p) { p.after.set_operand(p.store("left"), 0, p.value("x")); }, change::strength, differs);
  check(
      "an input", change_fault::wrong_operand,
      [](auto& p) { p.after.set_phi_input(p.value("p"), p.before.out_edges(p.node("left"))[0], p.value("x")); },
      change::strength, differs);
  check(
      "the other input", change_fault::wrong_operand,
      [](auto& p) {
        p.after.set_phi_input(p.value("q"), p.before.out_edges(p.node("left"))[0], p.value("y"));
        p.after.set_phi_input(p.value("q"), p.before.out_edges(p.node("right"))[0], p.value("x"));
      },
      change::strength, differs);
  check(
      "a literal", change_fault::wrong_operand,
      [](auto& p) { p.after.set_operand(p.value("x"), 1, p.editor.make_number(32, 4)); }, change::strength, differs);
}

TEST_CASE("every checker finds another condition") {
  changed_program p;
  p.after.set_operand(p.end("entry"), 0, p.editor.make_number(1, 1));
  for (const change c : all_changes) {
    const change_fault right =
        c == change::strength || c == change::range_tests ? change_fault::different_value : change_fault::wrong_operand;
    CHECK_MESSAGE(verify(c, p.before, p.after).fault == right, "checker ", static_cast<int>(c));
  }
}

TEST_CASE("every checker finds a new promise that loops end") {
  check("of all loops", change_fault::changed_flow, [](auto& p) { p.after.set_must_progress(true); });
}

TEST_CASE("every checker finds a new promise about one loop") {
  const changed_program p;
  const promising_view none(p.before);
  promising_view by_edge(p.before);
  by_edge.promised_edge = p.before.out_edges(p.node("left"))[0];
  promising_view by_header(p.before);
  by_header.promised_header = p.node("join");
  for (const change c : all_changes) {
    for (const promising_view* view : {&by_edge, &by_header}) {
      CHECK_MESSAGE(verify(c, *view, *view), "checker ", static_cast<int>(c));
      CHECK_MESSAGE(verify(c, *view, none), "checker ", static_cast<int>(c)); // to drop a promise is right
      CHECK_MESSAGE(verify(c, none, *view).fault == change_fault::changed_flow, "checker ", static_cast<int>(c));
    }
  }
}

TEST_CASE("every checker finds accesses that are apart only in the new program") {
  constexpr std::string_view loop = R"(
proc @f(%a: ptr, %b: ptr, %n: i32) {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %x = ld.i32 [%a]
    %y = ld.i32 [%b]
    %i1 = add.i32 %i, 1
    st.i32 %x, [%b + 4]
    st.i32 %y, [%a + 4]
    %c = cmp.lt.i32 %i1, %n
    br %c ? loop : exit
  node exit:
    ret
}
)";
  procedure none = parsed_procedure(loop).procedure();
  const auto classes = {none.alias_class("P"), none.alias_class("Q")};
  const auto with_classes = [&](midend::elbrus::alias_id of_x, midend::elbrus::alias_id of_y, std::string_view scope) {
    procedure p = none;
    p.set_local_class(value_named(p, "x"), of_x, node_named(p, scope));
    p.set_local_class(value_named(p, "y"), of_y, node_named(p, scope));
    return p;
  };
  const auto a = *classes.begin();
  const auto b = *(classes.begin() + 1);
  const procedure one = with_classes(a, a, "loop");
  const procedure two = with_classes(a, b, "loop");
  const procedure exchanged = with_classes(b, a, "loop");
  const procedure elsewhere = with_classes(a, b, "exit");
  for (const change c : all_changes) {
    const auto number = static_cast<int>(c);
    CHECK_MESSAGE(verify(c, two, two), "checker ", number);
    CHECK_MESSAGE(verify(c, two, exchanged), "checker ", number); // other numbers
    CHECK_MESSAGE(verify(c, two, one), "checker ", number);
    CHECK_MESSAGE(verify(c, two, none), "checker ", number);
    CHECK_MESSAGE(verify(c, none, one).fault == change_fault::changed_operation, "checker ", number);
    CHECK_MESSAGE(verify(c, one, two).fault == change_fault::changed_operation, "checker ", number);
    CHECK_MESSAGE(verify(c, two, elsewhere).fault == change_fault::changed_operation, "checker ", number);
  }
}

TEST_CASE("verify_range_tests: nothing new reads memory") {
  const procedure before = parsed_procedure(R"(
proc @f(%a: ptr) -> i32 {
  node entry:
    %x = ld.i32 [%a] alias=A spec
    ret %x
}
)")
                               .procedure();
  procedure after = before;
  elbrus::cost_editor editor(after);
  editor.clone_value(value_named(before, "x"), midend::place_at_end(before.entry()));
  CHECK(midend::verify_range_tests(cost_view(before), cost_view(after)).fault == change_fault::extra_operation);
}

TEST_CASE("verify_removal: a jump past nodes that did nothing promises what all edges there did") {
  procedure before = parsed_procedure(R"(
proc @f(%c: i1, %d: i1) {
  node entry:
    br head
  node head:
    call @h()
    br %d ? test : exit
  node test:
    br %c ? left : right
  node left:
    br head
  node right:
    br head
  node exit:
    ret
}
)")
                         .procedure();
  procedure after = before;
  elbrus::cost_editor editor(after);
  const node_id test = node_named(before, "test");
  editor.erase_end(test);
  editor.set_jump(test, node_named(before, "head"));
  const auto edge_of = [](const procedure& p, node_id n) { return p.out_edges(n)[0]; };
  CHECK(midend::verify_removal(cost_view(before), cost_view(after), {}));
  promising_view is(after);
  is.promised_edge = edge_of(after, test);
  CHECK(midend::verify_removal(promising_view(before), is, {}).fault == change_fault::changed_flow);
  promising_view half(before);
  half.promised_edge = edge_of(before, node_named(before, "left"));
  CHECK(midend::verify_removal(half, is, {}).fault == change_fault::changed_flow);
  before.set_must_progress(true); // all edges promise
  after.set_must_progress(true);
  CHECK(midend::verify_removal(cost_view(before), cost_view(after), {}));
}

TEST_CASE("verify_removal: a jump promises no more about a loop than the branch") {
  const procedure before = parsed_procedure(R"(
proc @f(%c: i1) {
  node entry:
    br %c ? loop : loop
  node loop:
    br %c ? loop : loop
}
)")
                               .procedure();
  procedure after = before;
  elbrus::cost_editor editor(after);
  for (const node_id n : {node_named(before, "entry"), node_named(before, "loop")}) {
    editor.keep_edge(before.out_edges(n)[0]);
  }
  CHECK(midend::verify_removal(cost_view(before), cost_view(after), {}));
  after.set_must_progress(true);
  CHECK(midend::verify_removal(cost_view(before), cost_view(after), {}).fault == change_fault::changed_flow);
  procedure promised = before;
  promised.set_must_progress(true);
  CHECK(midend::verify_removal(cost_view(promised), cost_view(after), {}));
}
