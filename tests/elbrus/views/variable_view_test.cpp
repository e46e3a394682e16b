// Procedures as statements over variables, and over variables and values: definitions, uses, expressions, and the
// analyses on top of them.
#include "kit/program_generator.hpp"
#include "kit/run_text.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/available_expressions.hpp>
#include <midend/dataflow/definition_table.hpp>
#include <midend/dataflow/live_variables.hpp>
#include <midend/dataflow/reaching_definitions.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/statement_view.hpp>
#include <midend/elbrus/views/variable_view.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

using namespace midend::elbrus;
using namespace midend_tests;
using midend::no_expression;
using midend::no_value;
using midend::value_id;

namespace {

using numbers = std::vector<std::uint32_t>;

template <class Range> numbers listed(const Range& range) {
  numbers out;
  const auto last = range.end();
  for (auto it = range.begin(); it != last; ++it) {
    out.push_back(*it);
  }
  return out;
}

/// The operation whose text begins so.
value_id operation_named(const procedure& p, std::string_view name) {
  for (value_id v = 0; v != p.num_values(); ++v) {
    if (p.is_operation(v) && p.value_name(v) == name) {
      return v;
    }
  }
  FAIL("no operation ", std::string(name));
  return no_value;
}

node_id node_named(const procedure& p, std::string_view name) {
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    if (p.node_name(n) == name) {
      return n;
    }
  }
  FAIL("no node ", std::string(name));
  return no_node;
}

template <class Set> std::set<std::string> names(const procedure& p, const Set& values) {
  std::set<std::string> out;
  for (const std::uint32_t v : midend::set_bits(values)) {
    out.insert(std::string(p.value_name(v)));
  }
  return out;
}

using strings = std::set<std::string>;

constexpr std::string_view sample = R"(
proc @f(%a: i32, %p: i1) -> i32 {
  var $x: i32
  var $y: i32
  node entry:
    $x = add.i32 %a, 1
    $y = add.i32 $x, $x
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %s1 = add.i32 $x, $y
    %s2 = add.i32 $y, $x
    %s3 = add.i32 $y, $x nsw
    %d1 = sub.i32 $x, $y
    %d2 = sub.i32 $y, $x
    %g = mul.i32 $x, 3 ? %p : $y
    %m = mov.i32 $x
    %v = mul.i32 %i, $x
    %i1 = add.i32 %i, 1
    $y = mul.i32 $x, 3
    %q = cmp.lt.i32 %i1, $y
    br %q ? loop : end
  node end:
    ret $y
}
)";

} // namespace

TEST_CASE("variable_view: statements, uses and definitions") {
  const program all = program_of(sample);
  const procedure& p = all.procedures[0];
  const variable_view view(p);
  const node_id loop = node_named(p, "loop");
  CHECK(view.num_variables() == 2);
  CHECK(listed(view.statements(loop)).size() == 12); // without the phi
  CHECK(listed(view.statements(loop)).front() == operation_named(p, "s1"));
  CHECK(listed(view.uses(operation_named(p, "s1"))) == numbers{0, 1});
  CHECK(listed(view.uses(operation_named(p, "g"))) == numbers{0, 1});
  CHECK(listed(view.uses(operation_named(p, "i1"))).empty());
  CHECK(listed(view.definitions(operation_named(p, "s1"))).empty());
  const numbers entry = listed(view.statements(0));
  CHECK(listed(view.definitions(entry[0])) == numbers{0});
  CHECK(listed(view.uses(entry[0])).empty());
  CHECK(listed(view.definitions(entry[1])) == numbers{1});
  CHECK(listed(view.uses(entry[1])) == numbers{0, 0});
  CHECK(listed(view.uses(p.terminator(node_named(p, "end")))) == numbers{1});
}

TEST_CASE("expression_view: what is the same and what is not") {
  const program all = program_of(sample);
  const procedure& p = all.procedures[0];
  const expression_view view(p);
  const auto expression = [&](std::string_view name) { return view.expression(operation_named(p, name)); };
  CHECK(expression("s1") != no_expression);
  CHECK(expression("s1") == expression("s2"));
  CHECK(expression("s1") != expression("s3"));
  CHECK(expression("d1") != expression("d2"));
  CHECK(expression("m") == no_expression);
  CHECK(expression("v") == no_expression);
  CHECK(expression("i1") == no_expression);
  CHECK(listed(view.expression_operands(expression("s1"))) == numbers{0, 1});
  CHECK(expression("g") != no_expression);
  CHECK(listed(view.expression_operands(expression("g"))) == numbers{0, 1});
  const auto available = midend::available_expressions(view);
  CHECK(available.out(node_named(p, "loop")).test(expression("d1")) == false); // y was written
  const numbers entry = listed(view.statements(0));
  CHECK(available.in(node_named(p, "loop")).test(view.expression(entry[0])));
}

TEST_CASE("statement_view: reaching definitions, live variables and available expressions of both kinds") {
  const program all = program_of(sample);
  const procedure& p = all.procedures[0];
  const statement_view view(p);
  const node_id loop = node_named(p, "loop");
  const value_id i = operation_named(p, "i");

  CHECK(listed(view.statements(loop)).front() == i);
  CHECK(listed(view.uses(i)).empty());
  CHECK(listed(view.definitions(i)) == numbers{i});
  const std::uint32_t last = listed(view.statements(loop)).back();
  CHECK(view.passes_to_phis(last));
  CHECK(listed(view.uses(last)) == numbers{operation_named(p, "i1")});
  CHECK(listed(view.definitions(last)).empty());
  CHECK(view.passes_to_phis(listed(view.statements(0)).back()));
  CHECK(!view.passes_to_phis(listed(view.statements(node_named(p, "end"))).back()));

  const auto live = midend::live_variables(view);
  CHECK(names(p, live.in(loop)) == strings{"x", "y", "p"});
  CHECK(names(p, live.in(node_named(p, "end"))) == strings{"y"});
  CHECK(names(p, live.in(0)) == strings{"a", "p"});

  const midend::definition_table definitions(view);
  const auto reaching = midend::reaching_definitions(view, definitions);
  strings at_end;
  for (const std::uint32_t d : midend::set_bits(reaching.in(node_named(p, "end")))) {
    at_end.insert(std::string(p.value_name(definitions[d].variable)));
  }
  CHECK(at_end == strings{"x", "y", "i", "s1", "s2", "s3", "d1", "d2", "g", "m", "v", "i1", "q"});

  const auto available = midend::available_expressions(view);
  CHECK(available.in(node_named(p, "end")).test(view.expression(operation_named(p, "i1"))));
  CHECK(!available.in(loop).test(view.expression(operation_named(p, "i1")))); // i is another one in the next round
}

namespace {

/// Liveness of values at the starts of nodes by definition: a walk back from each use, those of phis from the ends of
/// predecessors.
std::set<std::pair<node_id, value_id>> live_by_definition(const procedure& p) {
  std::set<std::pair<node_id, value_id>> out;
  const auto walk = [&](value_id v, node_id from, value_id before) {
    // Whether v is defined in `from` before `before`.
    for (value_id at = before == no_value ? p.node(from).last : p.value(before).previous; at != no_value;
         at = p.value(at).previous) {
      if (at == v) {
        return;
      }
    }
    std::vector<node_id> todo;
    if (out.insert({from, v}).second) {
      todo.push_back(from);
    }
    while (!todo.empty()) {
      const node_id n = todo.back();
      todo.pop_back();
      for (const node_id q : p.predecessors(n)) {
        if ((p.value(v).kind != value_kind::operation || p.value(v).node != q) && out.insert({q, v}).second) {
          todo.push_back(q);
        }
      }
    }
  };
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    for (const value_id v : p.values(n)) {
      for (std::size_t i = 0; i != p.operands(v).size(); ++i) {
        const value_id operand = p.operands(v)[i];
        const value_kind kind = p.value(operand).kind;
        if (kind == value_kind::constant || kind == value_kind::undefined) {
          continue;
        }
        if (p.is_phi(v)) {
          walk(operand, p.edge_source(p.in_edges(n)[i]), no_value);
        } else {
          walk(operand, n, v);
        }
      }
    }
  }
  return out;
}

} // namespace

TEST_CASE("statement_view: live values of random programs in SSA form") {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed != 150; ++seed) {
    generated_program generated = random_program(seed, {.form = program_form::mixed, .irreducible = seed % 2 == 0});
    for (procedure& p : generated.program.procedures) {
      construct_ssa(p);
      const auto live = midend::live_variables(statement_view(p));
      const auto expected = live_by_definition(p);
      bool agree = true;
      for (node_id n = 0; n != p.num_nodes(); ++n) {
        for (value_id v = 0; v != p.num_values(); ++v) {
          agree = agree && live.in(n).test(v) == expected.contains({n, v});
        }
      }
      CHECK_MESSAGE(agree, "seed ", seed);
      found += expected.size();
    }
  }
  CHECK(found > 1000);
}
