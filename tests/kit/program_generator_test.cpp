#include "kit/program_generator.hpp"
#include "kit/random_programs.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>

#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/opcode.hpp>
#include <midend/elbrus/run/trap_text.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/loops/is_reducible.hpp>
#include <midend/loops/natural_loops.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace elbrus = midend::elbrus;
using elbrus::opcode;
using elbrus::type;
using midend::edge_id;
using midend::node_id;
using midend::value_id;
using midend_tests::generated_program;
using midend_tests::join;
using midend_tests::program_form;
using midend_tests::random_program_options;

namespace {

/// The features that the checksum of "the same ones everywhere" is of.
random_program_options everything() {
  random_program_options options = midend_tests::all_flow();
  options.endless = true;
  options.traps = true;
  return options;
}

template <class Holds> bool any_operation(const elbrus::program& all, Holds holds) {
  for (const elbrus::procedure& p : all.procedures) {
    for (node_id n = 0; n != p.num_nodes(); ++n) {
      for (const value_id v : p.values(n)) {
        if (holds(p, v)) {
          return true;
        }
      }
    }
  }
  return false;
}

std::size_t count_with_procedure(const random_program_options& options, bool (*holds)(const elbrus::procedure&)) {
  std::size_t count = 0;
  for (std::uint64_t seed = 0; seed != 100; ++seed) {
    const generated_program g = midend_tests::random_program(seed, options);
    count += std::any_of(g.program.procedures.begin(), g.program.procedures.end(), holds) ? 1 : 0;
  }
  return count;
}

} // namespace

TEST_CASE("random programs verify, and reading what is printed gives the same") {
  midend_tests::for_each_random_program(
      10'000, midend_tests::everything(), [](const generated_program& g, std::uint64_t seed) {
        const std::vector<elbrus::diagnostic> errors = verify(g.program);
        if (!errors.empty()) {
          FAIL_CHECK(join("seed ", seed, ": ", errors[0].message));
        }
        const std::string text = to_text(g.program);
        const elbrus::parse_result read = elbrus::parse(text);
        if (!read.diagnostics.empty()) {
          FAIL_CHECK(join("seed ", seed, ": ", read.diagnostics[0].message, "\n", text));
          return;
        }
        const std::string difference = elbrus::difference(g.program, read.program);
        if (!difference.empty()) {
          FAIL_CHECK(join("seed ", seed, ": ", difference, "\n", text));
        }
        if (to_text(read.program) != text) {
          FAIL_CHECK(join("seed ", seed, ": another text\n", text));
        }
      });
}

TEST_CASE("random programs end without a trap, within their bound") {
  random_program_options options = midend_tests::all_flow();
  midend_tests::program_statistics statistics;
  midend_tests::for_each_random_program(
      3000, midend_tests::all_features(), [](const generated_program& g, std::uint64_t seed) {
        for (std::size_t i = 0; i != g.inputs.size(); ++i) {
          const elbrus::run_result result = midend_tests::run_on(g.program, g, i);
          if (result.trap || result.executed > g.step_bound) {
            FAIL_CHECK(join("all features, seed ", seed, ", input ", i, ": ",
                            result.trap ? to_text(g.program.procedures, *result.trap) : std::string("too many steps")));
          }
        }
      });
  midend_tests::for_each_random_program(10'000, options, [&](const generated_program& g, std::uint64_t seed) {
    for (std::size_t i = 0; i != g.inputs.size(); ++i) {
      const elbrus::run_result result = midend_tests::run_on(g.program, g, i);
      if (result.trap) {
        FAIL_CHECK(join("seed ", seed, ", input ", i, ": ", to_text(g.program.procedures, *result.trap)));
      } else if (result.executed > g.step_bound) {
        FAIL_CHECK(join("seed ", seed, ", input ", i, ": ", result.executed, " steps, not ", g.step_bound));
      }
    }
    if (seed % 10 == 0) {
      statistics.add(g);
    }
  });
  INFO(statistics.programs, " programs of ", statistics.operations, " operations, ", statistics.executed, " executed, ",
       statistics.without_operand, " of literals, ", statistics.unread, " unread; inputs matter in ",
       statistics.input_matters);
  CHECK(statistics.input_matters * 100 >= statistics.programs * 70);
  CHECK(statistics.executed * 100 >= statistics.operations * 60);
  CHECK(statistics.without_operand * 100 <= statistics.operations * 5);
  CHECK(statistics.unread * 100 <= statistics.operations * 20);
}

TEST_CASE("random programs: the same ones everywhere") {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
  for (std::uint64_t seed = 0; seed != 50; ++seed) {
    const random_program_options options = midend_tests::varied(everything(), seed);
    const generated_program g = midend_tests::random_program(seed, options);
    const std::string text = to_text(g.program);
    CHECK(text == to_text(midend_tests::random_program(seed, options).program));
    for (const char c : text) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3;
    }
    for (const midend_tests::generated_input& in : g.inputs) {
      for (const elbrus::scalar& a : in.arguments) {
        hash = (hash ^ a.bits) * 0x100'0000'01b3;
      }
      for (std::size_t i = 0; i != in.memory.num_arrays(); ++i) {
        for (const unsigned char byte : in.memory.bytes(i)) {
          hash = (hash ^ byte) * 0x100'0000'01b3;
        }
      }
    }
  }
  CHECK(hash == 17740344383860389527U); // of all compilers and platforms; to be changed with the generator
}

TEST_CASE("random programs: forms") {
  random_program_options options;
  for (std::uint64_t seed = 0; seed != 100; ++seed) {
    options.form = program_form::ssa;
    for (const elbrus::procedure& p : midend_tests::random_program(seed, options).program.procedures) {
      CHECK(p.variables().empty());
    }
    options.form = program_form::variables;
    const auto is_value = [](const elbrus::procedure& p, value_id v) {
      return p.value(v).type != type::none && p.value(v).variable == midend::no_value;
    };
    CHECK_FALSE(any_operation(midend_tests::random_program(seed, options).program, is_value));
  }
}

TEST_CASE("random programs: each feature is there if it is asked for, and only then") {
  struct feature {
    bool random_program_options::* on;
    bool (*holds)(const elbrus::procedure&, value_id);
  };

  const feature features[] = {
      {&random_program_options::switches,
       [](const elbrus::procedure& p, value_id v) { return p.value(v).code == opcode::switch_; }},
      {&random_program_options::guards, [](const elbrus::procedure& p, value_id v) { return p.value(v).guarded; }},
      {&random_program_options::memory,
       [](const elbrus::procedure& p, value_id v) { return p.value(v).code == opcode::ld; }},
      {&random_program_options::calls,
       [](const elbrus::procedure& p, value_id v) { return p.value(v).code == opcode::call; }},
      {&random_program_options::speculation,
       [](const elbrus::procedure& p, value_id v) { return p.value(v).flags.spec; }},
      {&random_program_options::floats,
       [](const elbrus::procedure& p, value_id v) {
         return is_float(p.value(v).type) || is_float(p.value(v).operand_type);
       }},
      {&random_program_options::promises,
       [](const elbrus::procedure& p, value_id v) { return p.value(v).flags.nsw || p.value(v).flags.assoc; }},
      {&random_program_options::parallel_edges,
       [](const elbrus::procedure& p, value_id v) {
         std::vector<node_id> targets(p.successors(p.value(v).node).begin(), p.successors(p.value(v).node).end());
         std::sort(targets.begin(), targets.end());
         return std::adjacent_find(targets.begin(), targets.end()) != targets.end();
       }},
      {&random_program_options::unreachable_nodes,
       [](const elbrus::procedure& p, value_id v) {
         return p.value(v).node != p.entry() && p.in_edges(p.value(v).node).empty();
       }},
      {&random_program_options::profile,
       [](const elbrus::procedure& p, value_id v) { return p.node_count(p.value(v).node) != elbrus::no_count; }},
  };
  for (const feature& f : features) {
    std::size_t with = 0;
    std::size_t without = 0;
    for (std::uint64_t seed = 0; seed != 60; ++seed) {
      random_program_options options;
      with += any_operation(midend_tests::random_program(seed, options).program, f.holds) ? 1 : 0;
      options.*f.on = false;
      without += any_operation(midend_tests::random_program(seed, options).program, f.holds) ? 1 : 0;
    }
    CAPTURE(&f - features);
    CHECK(with > 10);
    CHECK(without == 0);
  }
}

TEST_CASE("random programs: what few transformations expect is there on demand, and only then") {
  const auto literal_guard = [](const elbrus::procedure& p, value_id v) {
    return p.value(v).guarded && p.value(p.guard(v)).kind == elbrus::value_kind::constant;
  };
  const auto bit_in_memory = [](const elbrus::procedure& p, value_id v) {
    return (p.value(v).code == opcode::ld && p.value(v).type == type::i1) ||
           (p.value(v).code == opcode::st && p.value(v).operand_type == type::i1);
  };
  const auto in_upper_half = [](const elbrus::procedure& p, value_id v) {
    return (p.value(v).code == opcode::ld || p.value(v).code == opcode::st) && p.access(v).alias != elbrus::no_alias &&
           p.alias_name(p.access(v).alias).ends_with("_high");
  };
  const auto undefined = [](const elbrus::procedure& p, value_id v) {
    return std::any_of(p.operands(v).begin(), p.operands(v).end(), [&](value_id operand) {
      return operand != midend::no_value && p.value(operand).kind == elbrus::value_kind::undefined;
    });
  };
  std::size_t counts[4] = {};
  for (std::uint64_t seed = 0; seed != 60; ++seed) {
    const generated_program with = midend_tests::random_program(seed, midend_tests::all_features());
    const generated_program without = midend_tests::random_program(seed, midend_tests::all_flow());
    std::size_t i = 0;
    const auto look_for = [&](auto holds) {
      counts[i++] += any_operation(with.program, holds) ? 1 : 0;
      CHECK_FALSE(any_operation(without.program, holds));
    };
    look_for(literal_guard);
    look_for(bit_in_memory);
    look_for(in_upper_half);
    look_for(undefined);
  }
  for (const std::size_t count : counts) {
    CHECK(count > 20);
  }
}

TEST_CASE("random programs: literals on demand") {
  random_program_options options;
  midend_tests::program_statistics few;
  midend_tests::program_statistics many;
  for (std::uint64_t seed = 0; seed != 100; ++seed) {
    options.known = 0;
    few.add(midend_tests::random_program(seed, options));
    options.known = 40;
    many.add(midend_tests::random_program(seed, options));
  }
  CHECK(many.without_operand * few.operations > 3 * few.without_operand * many.operations);
}

TEST_CASE("random programs: flow on demand") {
  random_program_options options;
  const auto irreducible = [](const elbrus::procedure& p) { return !midend::is_reducible(p); };
  const auto loop = [](const elbrus::procedure& p) {
    return midend::natural_loops(p, midend::dominators(p)).num_loops() != 0;
  };
  CHECK(count_with_procedure(options, irreducible) == 0);
  CHECK(count_with_procedure(options, loop) > 50);
  options.irreducible = true;
  CHECK(count_with_procedure(options, irreducible) > 20);
  options.irreducible = false;
  options.loops = false;
  CHECK(count_with_procedure(options, loop) == 0);
  options.endless = true;
  CHECK(count_with_procedure(options, loop) > 5);
}

TEST_CASE("random programs: every trap of operations happens if it is asked for") {
  random_program_options options;
  options.traps = true;
  std::vector<std::size_t> traps(64);
  for (std::uint64_t seed = 0; seed != 2000; ++seed) {
    const generated_program g = midend_tests::random_program(seed, options);
    for (std::size_t i = 0; i != g.inputs.size(); ++i) {
      const elbrus::run_result result = midend_tests::run_on(g.program, g, i);
      if (result.trap) {
        ++traps[static_cast<std::size_t>(result.trap->kind)];
      }
    }
  }
  using elbrus::trap_kind;
  for (const trap_kind kind :
       {trap_kind::division_by_zero, trap_kind::shift_too_far, trap_kind::broken_nsw, trap_kind::bad_access,
        trap_kind::unwritten_variable, trap_kind::diagnostic_value, trap_kind::unreachable}) {
    CAPTURE(static_cast<std::size_t>(kind));
    CHECK(traps[static_cast<std::size_t>(kind)] != 0);
  }
}

TEST_CASE("random programs may be large") {
  random_program_options options = midend_tests::all_flow();
  options.operations = midend_tests::affordable(20'000);
  options.nesting = 8;
  const generated_program g = midend_tests::random_program(1, options);
  CHECK(verify(g.program).empty());
  CHECK_FALSE(midend_tests::run_on(g.program, g, 0).trap);
}

TEST_CASE("SSA construction keeps what random programs mean") {
  midend_tests::comparison_counts counts;
  midend_tests::for_each_random_program(
      10'000, midend_tests::everything(), [&](const generated_program& g, std::uint64_t seed) {
        for (const elbrus::ssa_algorithm algorithm :
             {elbrus::ssa_algorithm::dominance_frontiers, elbrus::ssa_algorithm::on_the_fly}) {
          elbrus::program transformed = g.program;
          construct_ssa(transformed, algorithm);
          for (const elbrus::procedure& p : transformed.procedures) {
            CHECK(p.variables().empty());
          }
          const std::string wrong = midend_tests::why_wrong(g, transformed, &counts);
          if (!wrong.empty()) {
            FAIL_CHECK(join("seed ", seed, ": ", wrong));
          }
        }
      });
  CHECK(counts.same > 5 * counts.no_verdict);
}
