// Variables that are read before they are written: messages, and a search by hand on random programs.
#include "kit/program_generator.hpp"
#include "kit/run_text.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/initialization.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace midend::elbrus;
using namespace midend_tests;
using midend::value_id;

namespace {

std::vector<std::string> warnings_of(std::string_view text) {
  const program all = program_of(text);
  std::vector<std::string> out;
  for (const diagnostic& d : initialization_warnings(all.procedures[0])) {
    out.push_back(join(d.location.line, ":", d.location.column, ": ", d.message));
  }
  return out;
}

using warnings = std::vector<std::string>;

} // namespace

TEST_CASE("uninitialized reads: on one way, and on all") {
  CHECK(warnings_of("proc @f(%p: i1) -> i32 {\n"
                    "  var $x: i32\n"
                    "  var $y: i32\n"
                    "  node entry:\n"
                    "    br %p ? left : right\n"
                    "  node left:\n"
                    "    $x = mov.i32 1\n"
                    "    br end\n"
                    "  node right:\n"
                    "    br end\n"
                    "  node end:\n"
                    "    %a = add.i32 $x, 1\n"
                    "    %b = add.i32 $x, $y\n" // a run is past the read of x
                    "    ret %b\n"
                    "}\n") == warnings{"12:5: $x may be read before it is written: entry -> right -> end",
                                       "13:5: $y is read and never written before: entry -> left -> end"});
}

TEST_CASE("uninitialized reads: loops, both names in one operation, and what cannot be reached") {
  CHECK(warnings_of("proc @f(%p: i1) -> i32 {\n"
                    "  var $x: i32\n"
                    "  node entry:\n"
                    "    br loop\n"
                    "  node loop:\n"
                    "    $x = add.i32 $x, $x\n"
                    "    br %p ? loop : end\n"
                    "  node end:\n"
                    "    ret $x\n"
                    "  node dead:\n"
                    "    ret $x\n"
                    "}\n") == warnings{"6:5: $x may be read before it is written: entry -> loop"});
  CHECK(warnings_of("proc @f(%p: i1) -> i32 {\n"
                    "  var $x: i32\n"
                    "  node entry:\n"
                    "    $x = mov.i32 1\n"
                    "    br end\n"
                    "  node end:\n"
                    "    ret $x\n"
                    "}\n") == warnings{});
}

TEST_CASE("uninitialized reads: long ways are cut") {
  std::string text = "proc @f() -> i32 {\n  var $x: i32\n";
  for (std::uint64_t i = 0; i != 100; ++i) {
    text += join("  node n", i, ":\n    br n", i + 1, "\n");
  }
  text += "  node n100:\n    ret $x\n}\n";
  const warnings found = warnings_of(text);
  REQUIRE(found.size() == 1);
  CHECK(
      found[0].ends_with("before: n0 -> n1 -> n2 -> n3 -> n4 -> n5 -> ... -> n95 -> n96 -> n97 -> n98 -> n99 -> n100"));
}

namespace {

/// Reads of a variable that are met first on some path from the entry.
std::set<std::pair<value_id, value_id>> first_touches(const procedure& p, value_id variable) {
  std::set<std::pair<value_id, value_id>> out;
  std::set<node_id> seen{0};
  std::vector<node_id> todo{0};
  while (!todo.empty()) {
    const node_id n = todo.back();
    todo.pop_back();
    bool passes = true;
    for (const value_id v : p.values(n)) {
      for (const value_id operand : p.operands(v)) {
        if (passes && operand == variable) {
          out.insert({variable, v});
          passes = false;
        }
      }
      passes = passes && p.value(v).variable != variable;
      if (!passes) {
        break;
      }
    }
    if (passes) {
      for (const node_id s : p.successors(n)) {
        if (seen.insert(s).second) {
          todo.push_back(s);
        }
      }
    }
  }
  return out;
}

/// Takes away some operations that write variables.
void forget_some_writes(procedure& p, random_source& random) {
  for (value_id v = 0; v != p.num_values(); ++v) {
    if (p.is_operation(v) && p.value(v).variable != midend::no_value && random.one_in(3)) {
      p.detach_variable(v);
    }
  }
}

} // namespace

TEST_CASE("uninitialized reads: random programs") {
  random_source random(5);
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed != 400; ++seed) {
    generated_program generated = random_program(
        seed, {.form = seed % 2 == 0 ? program_form::mixed : program_form::variables, .irreducible = seed % 3 == 0});
    for (procedure& p : generated.program.procedures) {
      CHECK(uninitialized_reads(p).empty());
      forget_some_writes(p, random);
      std::set<std::pair<value_id, value_id>> expected;
      for (const value_id x : p.variables()) {
        expected.merge(first_touches(p, x));
      }
      std::set<std::pair<value_id, value_id>> got;
      for (const uninitialized_read& read : uninitialized_reads(p)) {
        CHECK(got.insert({read.variable, read.reader}).second);
        REQUIRE(!read.path.empty());
        CHECK(read.path.front() == 0);
        CHECK(read.path.back() == p.value(read.reader).node);
        for (std::size_t i = 0; i + 1 < read.path.size(); ++i) {
          bool is_edge = false;
          for (const node_id s : p.successors(read.path[i])) {
            is_edge = is_edge || s == read.path[i + 1];
          }
          CHECK(is_edge);
          for (const value_id v : p.values(read.path[i])) {
            CHECK(p.value(v).variable != read.variable);
          }
        }
      }
      CHECK(got == expected);
      found += got.size();
    }
  }
  CHECK(found > 100);
}
