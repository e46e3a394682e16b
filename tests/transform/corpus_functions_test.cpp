// All transformations on functions of sqlite3 and Lua, as programs of operations of which nothing is known.
#include "kit/affordable.hpp"
#include "transform/cleaning_checks.hpp"
#include "transform/form_checks.hpp"
#include "transform/graph_programs.hpp"

#include <corpus/corpus.hpp>
#include <doctest/doctest.h>
#include <midend/graph/check_graph.hpp>
#include <midend/transform.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using elbrus::opcode;
using elbrus::type;
using midend::value_id;
using midend_corpus::cfg_function;

namespace {

/// A procedure in SSA form with the flow of a function, and its variables if these are known. A block passes the
/// variables that it reads to a call, writes those that it writes, every third by a call, the others by a sum or a copy
/// of one that it reads, and goes where a call says.
elbrus::procedure opaque_procedure(const cfg_function& function) {
  elbrus::procedure p;
  p.set_name("f");
  p.set_result_type(type::none);
  const value_id input = p.add_parameter("input", type::i32);
  for (std::uint32_t x = 0; x != function.num_variables; ++x) {
    p.add_variable(join("v", x), type::i32);
  }
  for (node_id n = 0; n != function.num_nodes(); ++n) {
    p.create_node({});
  }
  const auto call = [&](node_id n, std::string_view callee, type result, midend::span<const value_id> arguments,
                        value_id variable) {
    return p.append_call(n, {.code = opcode::call, .type = result, .operands = arguments, .variable = variable}, callee,
                         elbrus::clobber_kind::nothing);
  };
  std::vector<value_id> read;
  for (node_id n = 0; n != function.num_nodes(); ++n) {
    read.clear();
    for (const std::uint32_t x : function.used_in(n)) {
      read.push_back(p.variables()[x]);
    }
    call(n, "host_note", type::none, read, midend::no_value);
    const value_id first = read.empty() ? input : read[0];
    for (const std::uint32_t x : function.defined_in(n)) {
      const value_id variable = p.variables()[x];
      const std::array<value_id, 2> operands = {first, input};
      if (x % 3 == 0) {
        call(n, "host_mix", type::i32, operands, variable);
      } else {
        p.append(n, {.code = x % 3 == 1 ? opcode::add : opcode::mov,
                     .type = type::i32,
                     .operands = midend::span<const value_id>(operands).first(x % 3 == 1 ? 2 : 1),
                     .variable = variable});
      }
    }
    const auto successors = function.successors(n);
    if (successors.empty()) {
      p.append(n, {.code = opcode::ret});
    } else if (successors.size() == 1) {
      p.append(n, {.code = opcode::jump});
      p.add_edge(n, successors[0]);
    } else {
      const value_id way = call(n, "host_mix", type::i32, midend::span<const value_id>(&first, 1), midend::no_value);
      p.append(n,
               {.code = opcode::switch_, .operand_type = type::i32, .operands = midend::span<const value_id>(&way, 1)});
      for (std::size_t i = 1; i != successors.size(); ++i) {
        p.add_edge(n, successors[i - 1], i);
      }
      p.add_edge(n, successors.back());
    }
  }
  elbrus::construct_ssa(p);
  return p;
}

/// What is done to a procedure: certified, and right by its own definition.
struct transformation {
  const char* name;
  bool (*is_certified)(elbrus::editor& e, const elbrus::procedure& before);
  void (*check)(const elbrus::procedure& p);
};

bool holds(const elbrus::editor& e, const elbrus::procedure& before, const midend::unfolding_witness& w) {
  return static_cast<bool>(certificate(before, e.graph(), w));
}

void check_reducible(const elbrus::procedure& p) {
  CHECK(midend::cycles(p).is_reducible());
}

void check_nothing(const elbrus::procedure&) {}

const std::array<transformation, 10> transformations = {{
    {"simplify_loops",
     [](elbrus::editor& e, const elbrus::procedure& before) {
       return holds(e, before, midend::simplify_loops(e).witness);
     },
     check_simple_forms},
    {"close_loops",
     [](elbrus::editor& e, const elbrus::procedure& before) {
       return holds(e, before, midend::close_loops(e).witness);
     },
     check_closed_form},
    {"rotate_loops",
     [](elbrus::editor& e, const elbrus::procedure& before) {
       return holds(e, before, midend::rotate_loops(e).witness);
     },
     [](const elbrus::procedure& p) {
       check_simple_forms(p);
       const auto found = midend::dominators_and_loops(p);
       CHECK(midend::plan_rotate_loops(elbrus::effect_view(p), found.loops).empty());
     }},
    {"unify_loop_exits",
     [](elbrus::editor& e, const elbrus::procedure& before) {
       return holds(e, before, midend::unify_loop_exits(e).witness);
     },
     check_single_exits},
    {"fix_irreducible",
     [](elbrus::editor& e, const elbrus::procedure& before) {
       return holds(e, before, midend::fix_irreducible(e).witness);
     },
     check_reducible},
    {"split_critical_edges",
     [](elbrus::editor& e, const elbrus::procedure& before) {
       return holds(e, before, midend::split_critical_edges(e));
     },
     [](const elbrus::procedure& p) {
       for (edge_id e = 0; e != p.num_edges(); ++e) {
         CHECK((p.edge_source(e) == no_node || p.out_edges(p.edge_source(e)).size() == 1 ||
                p.in_edges(p.edge_target(e)).size() == 1));
       }
     }},
    {"clean_control",
     [](elbrus::editor& e, const elbrus::procedure& before) {
       bool certified = true;
       elbrus::procedure last = before;
       midend::clean_control(e, [&](const midend::unfolding_witness& w) {
         certified = certified && holds(e, last, w);
         last = e.graph();
       });
       return certified;
     },
     check_nothing},
    {"remove_dead_code",
     [](elbrus::editor& e, const elbrus::procedure& before) {
       const midend::removal_witness w = midend::remove_dead_code(e);
       return static_cast<bool>(midend::verify_removal(elbrus::effect_view(before), e, w));
     },
     check_nothing},
    {"propagate_copies",
     [](elbrus::editor& e, const elbrus::procedure& before) {
       const midend::replacement_witness w = midend::propagate_copies(e);
       return static_cast<bool>(midend::verify_replacement(elbrus::effect_view(before), e, w));
     },
     check_nothing},
    {"hoist_invariants",
     [](elbrus::editor& e, const elbrus::procedure& before) {
       midend::hoist_invariants(e);
       return static_cast<bool>(midend::verify_motion(elbrus::effect_view(before), e));
     },
     check_nothing},
}};

/// One of so many functions, or all where tests are not shortened on purpose.
constexpr std::size_t share(std::size_t of) {
#if defined(MIDEND_UNSHORTENED_TESTS)
  static_cast<void>(of);
  return 1;
#else
  return tests_are_shortened ? 5 * of : of;
#endif
}

/// Each transformation on the function as it is, then all in a row.
void check_function(const cfg_function& function, std::array<std::size_t, transformations.size()>& changed) {
  const elbrus::procedure original = opaque_procedure(function);
  elbrus::procedure all = original;
  for (const bool alone : {true, false}) {
    for (std::size_t i = 0; i != transformations.size(); ++i) {
      const transformation& t = transformations[i];
      INFO(join(function.name, ", ", t.name, alone ? ", alone" : ", after the others"));
      elbrus::procedure p = alone ? original : all;
      const elbrus::procedure before = p;
      elbrus::editor e(p);
      CHECK(t.is_certified(e, before));
      t.check(p);
      CHECK(elbrus::verify(p).empty());
      CHECK(!midend::check_graph(p));
      changed[i] += elbrus::equal(before, p) ? 0u : 1u;
      const elbrus::procedure once = p;
      CHECK(t.is_certified(e, once));
      CHECK_MESSAGE(elbrus::equal(once, p), "a second time");
      if (!alone) {
        all = once;
      }
    }
  }
}

void check_set(const std::string& set, std::size_t of) {
  std::vector<cfg_function> functions;
  const auto error = midend_corpus::read_cfg(MIDEND_TEST_DATA "/corpus/" + set + ".cfg.gz", functions);
  REQUIRE_MESSAGE(!error, error->to_string());
  std::array<std::size_t, transformations.size()> changed = {};
  std::size_t checked = 0;
  for (std::size_t i = 0; i < functions.size(); i += share(of), ++checked) {
    check_function(functions[i], changed);
  }
  std::string text;
  for (std::size_t i = 0; i != transformations.size(); ++i) {
    text += join(i == 0 ? "" : ", ", transformations[i].name, " ", changed[i]);
  }
  MESSAGE(set, ": ", checked, " of ", functions.size(), " functions; changed: ", text);
  CHECK(std::accumulate(changed.begin(), changed.end(), std::size_t{0}) > checked);
  CHECK((tests_are_shortened || changed[0] != 0)); // a few functions may have no loop
}

} // namespace

TEST_CASE("all transformations on functions of Lua") {
  check_set("lua5.4-O0", 10);
}

TEST_CASE("all transformations on functions of sqlite3") {
  check_set("sqlite3-O0", 30);
  check_set("sqlite3-O2", 30);
}

TEST_CASE("all transformations on functions with irreducible cycles") {
  check_set("irreducible", 10);
}
