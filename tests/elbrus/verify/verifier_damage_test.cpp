// Random programs, damaged at random: the verifier says of each value whether it dominates its uses as the definition
// says, and what it lets pass can be printed, read back and run.
#include "kit/program_generator.hpp"
#include "kit/test_graph.hpp"

#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace midend::elbrus;
using midend::edge_id;
using midend::no_node;
using midend::no_value;
using midend::node_id;
using midend::value_id;
using midend_tests::generated_input;
using midend_tests::generated_program;
using midend_tests::random_program_options;
using midend_tests::random_source;

namespace {

/// One random change that the procedure itself allows.
class vandal {
public:
  vandal(procedure& p, std::uint64_t seed) : p_(p), random_(seed) {}

  void step() {
    const value_id v = any_operation();
    switch (random_.below(7)) {
    case 0:
      read_something_else(v);
      break;
    case 1:
      if (const edge_id e = any_edge(); e != midend::no_edge) {
        p_.redirect_edge(e, random_.below(p_.num_nodes()));
      }
      break;
    case 2:
      change_flag(v);
      break;
    case 3:
      p_.replace_uses(any_value(), any_value());
      break;
    case 4:
      if (!p_.has_users(v) && !p_.is_terminator(v)) {
        p_.erase_value(v);
      }
      break;
    case 5:
      p_.insert_phi(p_.value(v).node, type::i32);
      break;
    default:
      p_.detach_variable(v);
    }
  }

private:
  value_id any_value() { return random_.below(p_.num_values()); }

  /// Every node has a terminator.
  value_id any_operation() {
    value_id v = any_value();
    while (!p_.is_operation(v)) {
      v = any_value();
    }
    return v;
  }

  edge_id any_edge() {
    const edge_id e = random_.below(p_.num_edges());
    return p_.edge_source(e) == no_node ? midend::no_edge : e;
  }

  /// Often something of the right type, so that not all damage is seen at once.
  void read_something_else(value_id v) {
    const std::size_t count = p_.operands(v).size();
    if (count == 0) {
      return;
    }
    const std::size_t i = random_.below(count);
    const value_id old = p_.operands(v)[i];
    value_id fresh = any_value();
    for (int tries = 0; old != no_value && tries != 20 && p_.value(fresh).type != p_.value(old).type; ++tries) {
      fresh = any_value();
    }
    if (p_.value(fresh).kind != value_kind::erased) {
      p_.set_operand(v, i, fresh);
    }
  }

  void change_flag(value_id v) {
    attributes flags = p_.value(v).flags;
    const std::size_t flag = random_.below(5);
    flags.nsw = flags.nsw != (flag == 0);
    flags.assoc = flags.assoc != (flag == 1);
    flags.spec = flags.spec != (flag == 2);
    flags.is_volatile = flags.is_volatile != (flag == 3);
    flags.noreturn = flags.noreturn != (flag == 4);
    p_.set_flags(v, flags);
  }

  procedure& p_;
  random_source random_;
};

/// What the entry reaches without passing `avoided`.
std::vector<bool> reached_without(const procedure& p, node_id avoided) {
  std::vector<bool> seen(p.num_nodes(), false);
  std::vector<node_id> work;
  const auto visit = [&](node_id n) {
    if (n != avoided && !seen[n]) {
      seen[n] = true;
      work.push_back(n);
    }
  };
  visit(p.entry());
  while (!work.empty()) {
    const node_id n = work.back();
    work.pop_back();
    for (const node_id s : p.successors(n)) {
      visit(s);
    }
  }
  return seen;
}

/// The number of operands that are read where their definition does not dominate, by the definition of dominance.
std::size_t undominated_reads(const procedure& p) {
  std::vector<std::vector<bool>> without;
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    without.push_back(reached_without(p, n));
  }
  const std::vector<bool> reached = reached_without(p, no_node);
  const auto stands_before = [&](value_id a, value_id b) {
    for (value_id v = p.value(b).previous; v != no_value; v = p.value(v).previous) {
      if (v == a) {
        return true;
      }
    }
    return false;
  };
  std::size_t count = 0;
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    for (const value_id v : p.values(n)) {
      for (std::size_t i = 0; i != p.operands(v).size(); ++i) {
        const value_id operand = p.operands(v)[i];
        if (operand == no_value || !p.is_operation(operand)) {
          continue;
        }
        const node_id home = p.value(operand).node;
        if (p.is_phi(v)) {
          const node_id source = p.edge_source(p.in_edges(n)[i]);
          count += reached[n] && reached[source] && without[home][source];
        } else if (reached[n]) {
          count += home == n ? !stands_before(operand, v) : without[home][n];
        }
      }
    }
  }
  return count;
}

std::size_t dominance_errors(const std::vector<diagnostic>& errors) {
  return static_cast<std::size_t>(std::count_if(errors.begin(), errors.end(), [](const diagnostic& error) {
    return error.message.find("need not have been computed") != std::string::npos;
  }));
}

void survives(generated_program& made) {
  const std::string text = to_text(made.program);
  const parse_result again = parse(text);
  CHECK(again.diagnostics.empty());
  CHECK(difference(made.program, again.program, names_compared::no) == "");
  CHECK(verify(again.program).empty());
  interpreter machine(made.program);
  for (const generated_input& input : made.inputs) {
    const run_result result = machine.run(made.entry, input.arguments, input.memory, {.step_limit = 2000});
    CHECK((result.trap || result.executed != 0));
  }
}

} // namespace

TEST_CASE("verify: random damage") {
  std::size_t clean = 0;
  std::size_t undominated = 0;
  for (std::uint64_t seed = 0; seed != 600; ++seed) {
    CAPTURE(seed);
    random_program_options options;
    options.operations = 15 + seed % 30;
    options.nesting = 3;
    options.inputs = 1;
    options.irreducible = seed % 3 == 0;
    generated_program made = random_program(seed, options);
    REQUIRE(verify(made.program).empty());
    procedure& p = made.program.procedures[made.entry];
    vandal steps(p, seed);
    for (int i = 0; i != 6; ++i) {
      steps.step();
      const std::vector<diagnostic> errors = verify(made.program);
      const std::size_t expected = undominated_reads(p);
      CHECK(dominance_errors(errors) == expected);
      undominated += expected;
      if (errors.empty()) {
        ++clean;
        survives(made);
      }
    }
  }
  CHECK(clean > 300); // both ways are gone often
  CHECK(undominated > 300);
}
