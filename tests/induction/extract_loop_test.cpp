// extract_loop: a loop as a program of its own, and put back.
#include "kit/affordable.hpp"
#include "kit/allocations.hpp"
#include "kit/cases_of_edges.hpp"
#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/induction/extract_loop.hpp>
#include <midend/ir/number_facts.hpp>
#include <midend/ir/operation.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/loops/is_reducible.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/facts_of_numbers.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::extracted_loop;

namespace {

template <class Range> std::vector<std::uint32_t> ids(Range&& range) {
  std::vector<std::uint32_t> out;
  for (auto&& id : range) {
    out.push_back(static_cast<std::uint32_t>(id));
  }
  return out;
}

std::vector<extracted_loop> extracted(const elbrus::cost_editor& e) {
  const auto found = midend::dominators_and_loops(e.graph());
  midend::extract_loop_workspace memory;
  std::vector<extracted_loop> all;
  for (const midend::loop_id l : found.loops.loops()) {
    all.emplace_back();
    midend::extract_loop(e, found.dominators, found.loops, l, memory, all.back());
  }
  return all;
}

} // namespace

TEST_CASE("extracted loop: entry, header, exits, parameters and what is read outside") {
  elbrus::program p =
      program_of("proc @f(%n: i32, %x: i32, %p: ptr) -> i32 {\n  node entry:\n    br loop\n"
                 "  node loop:\n"
                 "    %i = phi.i32 [entry: 0], [body: %j]\n"
                 "    %s = phi.i32 [entry: %x], [body: %t]\n"
                 "    %c = cmp.lt.i32 %i, %n\n    br %c ? body : done\n"
                 "  node body:\n"
                 "    %a = ld.i32 [%p + %i * 4]\n"
                 "    %t = add.i32 %s, %a\n    %j = add.i32 %i, 1\n"
                 "    %d = cmp.eq.i32 %a, 0\n    br %d ? found : loop\n"
                 "  node done:\n    ret %s\n"
                 "  node found:\n    %r = phi.i32 [body: %i]\n    %q = add.i32 %r, %t\n    ret %q\n}\n");
  const elbrus::cost_editor e(p.procedures[0]);
  const auto all = extracted(e);
  REQUIRE(all.size() == 1);
  const extracted_loop& x = all[0];
  const midend::editable_flat_program& f = x.program;
  CHECK(!midend::check_ir(f));
  CHECK(f.is_closed());
  CHECK(f.graph().num_nodes() == 5);
  CHECK(x.first_exit == 3);
  CHECK(ids(x.nodes) == std::vector<std::uint32_t>{midend::no_node, 1, 2, 3, 4});
  CHECK(ids(f.graph().successors(0)) == std::vector<std::uint32_t>{1});
  CHECK(ids(f.graph().successors(1)) == std::vector<std::uint32_t>{2, 3});
  CHECK(ids(f.graph().successors(2)) == std::vector<std::uint32_t>{4, 1});
  CHECK(f.parameters().size() == 3); // %x, %n, %p
  const auto header = ids(f.values(1));
  CHECK(f.constant(f.phi_input(header[0], ids(f.graph().in_edges(1))[0])) == 0);
  const auto done = ids(f.values(3));
  REQUIRE(done.size() == 1);
  CHECK(ids(f.operands(done[0])) == std::vector<std::uint32_t>{header[1]}); // %s
  const auto found = ids(f.values(4));
  REQUIRE(found.size() == 2);
  CHECK(f.is_phi(found[0]));
  CHECK(f.operands(found[0])[0] == header[0]); // %i
  CHECK(f.operands(found[1]).size() == 3);     // the phi, %s, which the other exit reads, too, and %t
  CHECK(f.effect(found[1]) == midend::effect_kind::unknown);
}

namespace {

/// Puts an extracted loop in the place of the loop: makes its nodes and clones its operations by their origins, then
/// leads the edges that entered the loop to them. Trusts nothing but the program's structure.
class loop_return {
public:
  loop_return(elbrus::cost_editor& e, const midend::loop_forest& loops, midend::loop_id l, const extracted_loop& x)
      : e_(e), loops_(loops), loop_(l), x_(x), f_(x.program) {}

  void run() {
    make_nodes();
    clone_values();
    lead_edges();
    set_operands();
    replace_outside();
    enter_copies();
  }

  /// Each run of the header traps if a fact about a parameter is wrong there: it divides by 0. Returns the number of
  /// facts.
  std::size_t assert_facts() {
    std::size_t facts = 0;
    for (midend::value_id v = 0; v != f_.num_values(); ++v) {
      const unsigned width = f_.operation(v).width;
      const bool is_parameter = f_.node_of(v) == midend::no_node && !f_.constant(v) && value_[v] != midend::no_value &&
                                elbrus::is_integer(e_.graph().core(value_[v]).type);
      if (const auto known = f_.facts(v); is_parameter && known && width >= 1 && width <= 64) {
        const auto any = midend::number_facts::any(width);
        facts +=
            assert_apart(v, midend::operation::less, static_cast<std::uint64_t>(known->low), known->low != any.low);
        facts += assert_apart(v, midend::operation::greater, static_cast<std::uint64_t>(known->high),
                              known->high != any.high);
        facts += assert_apart(v, midend::operation::uless, known->least, known->least != any.least);
        facts += assert_apart(v, midend::operation::ugreater, known->most, known->most != any.most);
        facts += assert_remainder(v, known->modulus, known->residue);
      }
    }
    return facts;
  }

private:
  midend::value_id make(midend::operation code, unsigned width, unsigned operand_width, midend::value_id a,
                        midend::value_id b) {
    const midend::value_id operands[] = {a, b};
    const midend::operation_info info{
        code, static_cast<std::uint8_t>(width), static_cast<std::uint8_t>(operand_width), {}};
    const bool is_unary = b == midend::no_value;
    return a == midend::no_value
               ? a
               : e_.make_operation(info, midend::span<const midend::value_id>(operands, is_unary ? 1u : 2u),
                                   midend::place_at_end(node_[extracted_loop::header]));
  }

  /// Traps if `is_wrong`. Whether there is such an operation.
  std::size_t assert_not(midend::value_id is_wrong) {
    using midend::operation;
    const midend::value_id wrong = make(operation::zero_extend, 32, 1, is_wrong, midend::no_value);
    const midend::value_id right = make(operation::bit_xor, 32, 32, wrong, e_.make_number(32, 1));
    return make(operation::udiv, 32, 32, e_.make_number(32, 1), right) == midend::no_value ? 0u : 1u;
  }

  std::size_t assert_apart(midend::value_id v, midend::operation code, std::uint64_t bound, bool is_known) {
    const unsigned width = f_.operation(v).width;
    return is_known ? assert_not(make(code, 1, width, value_[v], number(width, bound))) : 0;
  }

  std::size_t assert_remainder(midend::value_id v, std::uint64_t modulus, std::uint64_t residue) {
    using midend::operation;
    const unsigned width = f_.operation(v).width;
    if (modulus < 2) { // else a single number has bounds
      return 0;
    }
    const midend::value_id rest = make(operation::urem, width, width, value_[v], number(width, modulus));
    return assert_not(make(operation::not_equal, 1, width, rest, number(width, residue)));
  }

  midend::value_id number(unsigned width, std::uint64_t bits) {
    return e_.make_number(width, bits & midend::low_ones(width));
  }

  bool is_inside(midend::node_id n) const { return n != extracted_loop::entry && n < x_.first_exit; }

  void make_nodes() {
    for (midend::node_id n = 0; n != f_.graph().num_nodes(); ++n) {
      node_.push_back(is_inside(n) ? e_.create_node(x_.nodes[n]) : midend::no_node);
    }
    value_.assign(f_.num_values(), midend::no_value);
  }

  void clone_values() {
    for (midend::value_id v = 0; v != f_.num_values(); ++v) {
      if (f_.node_of(v) == midend::no_node) {
        value_[v] = f_.origin(v);
      }
    }
    for (midend::node_id n = 0; n != f_.graph().num_nodes(); ++n) {
      for (const midend::value_id v : f_.values(n)) {
        if (is_inside(n)) {
          value_[v] = e_.clone_value(f_.origin(v), node_[n]);
        }
      }
    }
  }

  /// Clones of ends have the targets of the originals.
  void lead_edges() {
    edge_.assign(f_.graph().num_edges(), midend::no_edge);
    for (midend::node_id n = extracted_loop::header; n != x_.first_exit; ++n) {
      const auto edges = ids(e_.graph().out_edges(node_[n]));
      const auto flat = ids(f_.graph().out_edges(n));
      REQUIRE(edges.size() == flat.size());
      for (std::size_t i = 0; i != edges.size(); ++i) {
        edge_[flat[i]] = edges[i];
        const midend::node_id target = f_.graph().edge_target(flat[i]);
        REQUIRE(midend::same_cases(e_, edges[i], f_, flat[i]));
        if (is_inside(target)) {
          e_.redirect_edge(edges[i], node_[target]);
        } else {
          REQUIRE(e_.graph().edge_target(edges[i]) == x_.nodes[target]);
          set_exit_phis(target, flat[i], edges[i]);
        }
      }
    }
  }

  void set_exit_phis(midend::node_id exit, midend::edge_id flat, midend::edge_id e) {
    for (const midend::value_id v : f_.values(exit)) {
      if (f_.is_phi(v)) {
        e_.set_phi_input(f_.origin(v), e, value_[f_.phi_input(v, flat)]);
      }
    }
  }

  void set_operands() {
    for (midend::node_id n = extracted_loop::header; n != x_.first_exit; ++n) {
      for (const midend::value_id v : f_.values(n)) {
        if (f_.is_phi(v)) {
          for (const midend::edge_id e : f_.graph().in_edges(n)) {
            if (edge_[e] != midend::no_edge) {
              e_.set_phi_input(value_[v], edge_[e], value_[f_.phi_input(v, e)]);
            }
          }
        } else {
          for (std::size_t i = 0; i != f_.operands(v).size(); ++i) {
            e_.set_operand(value_[v], i, value_[f_.operands(v)[i]]);
          }
        }
      }
    }
  }

  /// What reads a value of the loop outside reads its copy. The old loop is unreachable afterwards.
  void replace_outside() {
    for (midend::value_id v = 0; v != f_.num_values(); ++v) {
      const midend::node_id n = f_.node_of(v);
      if (n == midend::no_node || !is_inside(n)) {
        continue;
      }
      const midend::value_id old = f_.origin(v);
      for (const std::uint32_t user : ids(e_.users(old))) {
        if (e_.node_of(user) != midend::no_node && !loops_.contains(loop_, old_home(user))) {
          if (e_.is_phi(user)) {
            for (const midend::edge_id e : ids(e_.graph().in_edges(e_.node_of(user)))) {
              const midend::node_id source = e_.graph().edge_source(e);
              if (e_.phi_input(user, e) == old && !loops_.contains(loop_, old_node(source))) {
                e_.set_phi_input(user, e, value_[v]);
              }
            }
          } else {
            for (std::size_t i = 0; i != e_.operands(user).size(); ++i) {
              if (e_.operands(user)[i] == old) {
                e_.set_operand(user, i, value_[v]);
              }
            }
          }
        }
      }
    }
  }

  /// New nodes are in no loop of the forest: only numbers of old nodes are asked for.
  midend::node_id old_node(midend::node_id n) const { return n < loops_.num_nodes() ? n : e_.graph().entry(); }

  midend::node_id old_home(midend::value_id v) const { return old_node(e_.node_of(v)); }

  void enter_copies() {
    const midend::node_id header = loops_.header(loop_);
    for (const midend::edge_id e : ids(e_.graph().in_edges(header))) {
      const midend::node_id source = e_.graph().edge_source(e);
      if (source < loops_.num_nodes() && loops_.contains(loop_, source)) {
        continue;
      }
      std::vector<midend::value_id> inputs;
      for (const midend::value_id v : f_.values(extracted_loop::header)) {
        if (f_.is_phi(v)) {
          inputs.push_back(e_.phi_input(f_.origin(v), e));
        }
      }
      e_.redirect_edge(e, node_[extracted_loop::header]);
      std::size_t i = 0;
      const midend::edge_id entry = ids(f_.graph().in_edges(extracted_loop::header))[0];
      for (const midend::value_id v : f_.values(extracted_loop::header)) {
        if (f_.is_phi(v)) {
          const midend::value_id initial = value_[f_.phi_input(v, entry)];
          e_.set_phi_input(value_[v], e, initial == midend::no_value ? inputs[i] : initial);
          ++i;
        }
      }
    }
  }

  elbrus::cost_editor& e_;
  const midend::loop_forest& loops_;
  midend::loop_id loop_;
  const extracted_loop& x_;
  const midend::editable_flat_program& f_;
  std::vector<midend::node_id> node_;
  std::vector<midend::value_id> value_;
  std::vector<midend::edge_id> edge_;
};

} // namespace

namespace {

constexpr std::size_t random_extractions = 10000;

} // namespace

TEST_CASE("a loop that is extracted and put back runs as before") {
  std::size_t loops = 0;
  std::size_t nests = 0;
  std::size_t several_exits = 0;
  std::size_t irreducible = 0;
  std::size_t facts = 0;
  comparison_counts runs;
  midend::extract_loop_workspace memory;
  extracted_loop x;
  for_each_random_program(random_extractions, endless_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program after = in_ssa_form(g);
    elbrus::procedure& f = after.procedures[0];
    elbrus::cost_editor e(f);
    const auto found = midend::dominators_and_loops(f);
    if (found.loops.num_loops() == 0) {
      return;
    }
    const auto l = static_cast<midend::loop_id>(seed % found.loops.num_loops());
    const auto known = midend::facts_of_numbers(e);
    midend::extract_loop(e, found.dominators, found.loops, l, known, memory, x);
    const auto error = midend::check_ir(x.program);
    REQUIRE_MESSAGE(!error, "seed ", seed, ": reason ", error ? static_cast<int>(error->why) : 0, " of value ",
                    error ? error->value : 0, " in node ", error ? error->node : 0);
    CHECK(x.program.is_closed());
    ++loops;
    nests += found.loops.children(l).begin() != found.loops.children(l).end() ? 1u : 0u;
    several_exits += x.nodes.size() > x.first_exit + std::size_t{1} ? 1u : 0u;
    irreducible += midend::is_reducible(x.program.graph()) ? 0u : 1u;
    loop_return back(e, found.loops, l, x);
    back.run();
    facts += back.assert_facts();
    const std::string wrong = why_wrong(g, after, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ", loop ", l, ": ", wrong);
  });
  MESSAGE(loops, " loops, ", nests, " with loops inside, ", several_exits, " with several exits, ", irreducible,
          " with irreducible cycles, ", facts, " facts asserted; ", runs.same, " runs the same, ", runs.no_verdict,
          " without verdict");
  CHECK(loops > affordable(random_extractions) / 3);
  CHECK(nests > affordable(random_extractions) / 40);
  CHECK(several_exits > affordable(random_extractions) / 40);
  CHECK(irreducible > 0);
  CHECK(facts > affordable(random_extractions) / 40);
}

TEST_CASE("extracting a second loop of the same size allocates nothing") {
  midend::extract_loop_workspace memory;
  extracted_loop x;
  for_each_random_program(20, all_flow(), [&](const generated_program& g, std::uint64_t) {
    elbrus::program p = in_ssa_form(g);
    const elbrus::cost_editor e(p.procedures[0]);
    const auto found = midend::dominators_and_loops(e.graph());
    for (const midend::loop_id l : found.loops.loops()) {
      midend::extract_loop(e, found.dominators, found.loops, l, memory, x);
      CHECK(allocations_of([&] { midend::extract_loop(e, found.dominators, found.loops, l, memory, x); }) == 0);
    }
  });
}

namespace {

template <class E>
concept extracted_from_a_temporary =
    requires(E& editor, midend::dominators_and_loops_result& found, midend::extract_loop_workspace& memory,
             extracted_loop& x) { midend::extract_loop(E(editor), found.dominators, found.loops, 0, memory, x); };

static_assert(!extracted_from_a_temporary<elbrus::cost_editor>);

} // namespace

TEST_CASE("ugly loops are extracted: parallel and unreachable entries, self loops, no exit") {
  for (const char* const text : {"proc @f(%c: i1, %x: i32) -> i32 {\n  node entry:\n    br %c ? loop : loop\n"
                                 "  node loop:\n    %i = phi.i32 [entry: 1], [entry: 2], [dead: 3], [loop: %j]\n"
                                 "    %j = add.i32 %i, %x\n    %d = cmp.lt.i32 %j, 9\n    br %d ? loop : done\n"
                                 "  node dead:\n    br loop\n  node done:\n    ret %j\n}\n",
                                 "proc @f(%c: i1, %x: i32) -> i32 {\n  node entry:\n    br loop\n"
                                 "  node loop:\n    %i = phi.i32 [entry: 1], [loop: %j], [loop: %x]\n"
                                 "    %j = add.i32 %i, %x\n    br %c ? loop : loop\n}\n",
                                 "proc @f(%c: i1, %x: i32) -> i32 {\n  node entry:\n    br loop\n"
                                 "  node loop:\n    %i = phi.i32 [entry: 1], [latch: %x]\n    br %c ? latch : done\n"
                                 "  node latch:\n    br %c ? loop : done\n"
                                 "  node done:\n    %r = phi.i32 [loop: %i], [latch: 7]\n    ret %r\n}\n"}) {
    elbrus::program p = program_of(text);
    const elbrus::cost_editor e(p.procedures[0]);
    for (const extracted_loop& x : extracted(e)) {
      CHECK(!midend::check_ir(x.program));
      CHECK(x.program.is_closed());
      const auto again = midend::dominators_and_loops(x.program.graph()).loops;
      CHECK(again.num_loops() == 1);
      CHECK(again.header(0) == extracted_loop::header);
    }
  }
}

TEST_CASE("a loop of a million nodes is extracted on a default stack") {
  constexpr std::size_t count = midend_tests::million;
  elbrus::procedure p;
  for (std::size_t n = 0; n != count; ++n) {
    p.create_node({});
  }
  elbrus::editor builder(p);
  for (midend::node_id n = 0; n + 1 != count; ++n) {
    builder.set_jump(n, n + 1);
  }
  builder.set_jump(count - 1, 1);
  const elbrus::cost_editor e(p);
  const auto all = extracted(e);
  REQUIRE(all.size() == 1);
  CHECK(all[0].program.graph().num_nodes() == count);
  CHECK(all[0].first_exit == count);
}

TEST_CASE("extracted loop: an IR whose condition is no operand of the end folds the end's own operands") {
  elbrus::program p = program_of(
      "proc @f(%n: i32) {\n  node entry:\n    br loop\n  node loop:\n    %i = phi.i32 [entry: 0], [loop: %j]\n"
      "    %j = add.i32 %i, 1\n    %h = shr.i32 %j, 1\n"
      "    switch.i32 %h [0: loop], [1: exit], default: exit\n  node exit:\n    ret\n}\n");
  const with_cases<elbrus::cost_editor, case_form::ranges> e(p.procedures[0]);
  const auto found = midend::dominators_and_loops(e.graph());
  midend::extract_loop_workspace memory;
  extracted_loop x;
  midend::extract_loop(e, found.dominators, found.loops, 0, memory, x);
  const midend::editable_flat_program& f = x.program;
  for (const midend::value_id v : f.values(extracted_loop::header)) {
    const std::vector<std::optional<std::uint64_t>> numbers(f.operands(v).size(), 0);
    CHECK((!f.is_terminator(v) || numbers.size() == 2));
    CHECK((f.is_phi(v) || !f.fold(v, {numbers.data(), numbers.size()})));
  }
}
