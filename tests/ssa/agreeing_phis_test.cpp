// SSA construction that removes phis whose inputs agree: by definition, and by running programs before and after.
#include "kit/affordable.hpp"
#include "kit/small_stack.hpp"
#include "kit/variable_editor.hpp"

#include <doctest/doctest.h>
#include <midend/ssa/construct_ssa.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::agreeing_phis;
using midend::construct_ssa;
using midend::inserted_phis;

namespace {

/// What a statement writes that has one definition: a number, what it reads first, or something new.
enum class written : std::uint8_t { fresh, number, copy };

constexpr value_id first_number = 1'000'000;
constexpr value_id first_undefined = 2'000'000;

/// An editor that knows numbers and copies: equal ones are one value.
class copying_program : public renamed_program {
public:
  copying_program(const statement_program& program, std::vector<written> kinds)
      : renamed_program(program), kinds_(std::move(kinds)), source_(program.num_statements(), no_value) {}

  void rename_use(statement_id s, variable_id x, value_id v) {
    renamed_program::rename_use(s, x, v);
    source_[s] = original().uses(s).empty() || original().uses(s)[0] != x ? source_[s] : v;
  }

  value_id rename_definition(statement_id s, variable_id x) {
    const value_id fresh = renamed_program::rename_definition(s, x);
    return kinds_[s] == written::fresh ? fresh : kinds_[s] == written::number ? first_number + s % 2 : source_[s];
  }

  value_id undefined_value(variable_id x) const { return first_undefined + x; }

private:
  std::vector<written> kinds_;
  std::vector<value_id> source_; ///< by statement: what it reads first
};

/// The same, where an undefined value may be any number.
class forgiving_program : public copying_program {
public:
  using copying_program::copying_program;

  bool is_undefined(value_id v) const { return v >= first_undefined; }

  bool can_replace_undefined(value_id v, node_id, const midend::dominator_tree&) const { return v >= first_number; }
};

static_assert(!midend::detail::replaces_undefined<copying_program>);
static_assert(midend::detail::replaces_undefined<forgiving_program>);

std::vector<written> random_kinds(random_source& random, const statement_program& p) {
  std::vector<written> out;
  for (statement_id s = 0; s != p.num_statements(); ++s) {
    const bool is_simple = p.definitions(s).size() == 1 && p.may_definitions(s).empty();
    const std::size_t choice = random.below(3);
    out.push_back(!is_simple || choice == 0          ? written::fresh
                  : choice == 1 || p.uses(s).empty() ? written::number
                                                     : written::copy);
  }
  return out;
}

bool is_forgiving(const copying_program&) {
  return false;
}

bool is_forgiving(const forgiving_program&) {
  return true;
}

/// How many phis are left if one after the other is replaced whose inputs are itself and one other value. Inputs from
/// unreachable nodes do not count.
template <class Program> std::size_t expected_phis(Program& p, const inserted_phis& all) {
  const midend::csr_graph& g = p.original().graph();
  const midend::dominator_tree tree = midend::dominators(g);
  std::vector<value_id> left;
  for (const midend::variable_phi& phi : all.phis()) {
    left.push_back(phi.value);
  }
  for (std::size_t i = 0; i != left.size();) {
    std::vector<value_id> others;
    bool reads_undefined = false;
    const auto in = g.in_edges(p[left[i]].node);
    for (std::size_t input = 0; input != in.size(); ++input) {
      const value_id v = p[left[i]].inputs[input];
      if (!tree.is_reachable(g.edge_source(*(in.begin() + static_cast<std::ptrdiff_t>(input))))) {
        continue;
      }
      if (is_forgiving(p) && v >= first_undefined) {
        reads_undefined = true;
      } else if (v != left[i] && std::find(others.begin(), others.end(), v) == others.end()) {
        others.push_back(v);
      }
    }
    if (others.size() > 1 || (others.size() == 1 && reads_undefined && others[0] < first_number)) {
      ++i;
      continue;
    }
    p.replace_uses(left[i], others.empty() ? p.undefined_value(p[left[i]].variable) : others[0]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
    i = 0;
  }
  return left.size();
}

/// Runs a program and its SSA form side by side on a random way. Gives the first read that differs.
std::string run(random_source& random, const copying_program& p, const std::vector<written>& kinds,
                const inserted_phis& result) {
  const statement_program& original = p.original();
  const midend::csr_graph& g = original.graph();
  constexpr std::uint64_t undefined = 0;
  std::vector<std::uint64_t> held(original.num_variables(), undefined);
  std::map<value_id, std::uint64_t> values;
  const auto value_of = [&](value_id v) {
    return v >= first_undefined ? undefined : v >= first_number ? v : values.contains(v) ? values[v] : ~undefined;
  };
  std::uint64_t next = 1;
  node_id n = g.entry();
  for (std::size_t steps = 0; steps != 60; ++steps) {
    for (const statement_id s : original.statements(n)) {
      std::uint64_t first = undefined;
      for (const variable_id x : original.uses(s)) {
        first = x == original.uses(s)[0] ? held[x] : first;
        const std::uint64_t seen = value_of(p.reads().at({s, x}));
        if (held[x] != undefined && held[x] != seen) {
          return join("statement ", s, " reads ", seen, " and not ", held[x]);
        }
      }
      const auto write = [&](variable_id x) {
        held[x] = kinds[s] == written::number ? first_number + s % 2 : kinds[s] == written::copy ? first : next++ << 32;
        values[p.writes().at({s, x})] = held[x];
      };
      for (const variable_id x : original.definitions(s)) {
        write(x);
      }
      for (const variable_id x : original.may_definitions(s)) {
        write(x);
      }
    }
    const auto out = g.out_edges(n);
    if (out.empty()) {
      break;
    }
    const auto e = static_cast<edge_id>(*out.begin() + random.below(out.size()));
    n = g.edge_target(e);
    const auto in = g.in_edges(n);
    const auto position = static_cast<std::size_t>(std::find(in.begin(), in.end(), e) - in.begin());
    std::vector<std::pair<value_id, std::uint64_t>> chosen;
    for (const midend::variable_phi& phi : result.phis()) {
      if (phi.node == n) {
        chosen.emplace_back(phi.value, value_of(p[phi.value].inputs[position]));
      }
    }
    for (const auto& [phi, value] : chosen) {
      values[phi] = value;
    }
  }
  return "";
}

template <class Program> std::size_t check(random_source& random, const statement_program& p, const std::string& name) {
  INFO(name);
  const std::vector<written> kinds = random_kinds(random, p);
  Program all(p, kinds);
  const inserted_phis kept = construct_ssa(all);
  Program few(p, kinds);
  const inserted_phis result = construct_ssa(few, agreeing_phis::remove);
  Program same(p, kinds);
  const inserted_phis again = construct_ssa(same, agreeing_phis::keep);
  CHECK(std::ranges::equal(kept.phis(), again.phis()));
  const std::size_t before = kept.num_phis();
  CHECK_MESSAGE(result.num_phis() == expected_phis(all, kept), to_string(p));
  std::size_t by_variable = 0;
  for (variable_id x = 0; x != p.num_variables(); ++x) {
    for (const midend::variable_phi& phi : result.phis(x)) {
      CHECK(phi.variable == x);
      CHECK(few[phi.value].kind == renamed_kind::phi); // it was not erased
      CHECK(std::ranges::count(kept.phis(x), phi) == 1);
      ++by_variable;
    }
  }
  CHECK(by_variable == result.num_phis());
  CHECK(few.complaint() == "");
  for (std::size_t i = 0; i != 5; ++i) {
    const std::string wrong = run(random, few, kinds, result);
    CHECK_MESSAGE(wrong == "", join(wrong, "\n", to_string(p)));
  }
  return before - result.num_phis();
}

test_graph with_entry(test_graph g) {
  g.edges.push_back({static_cast<node_id>(g.num_nodes), g.entry});
  g.entry = static_cast<node_id>(g.num_nodes++);
  return g;
}

} // namespace

TEST_CASE("construct_ssa: phis whose inputs agree are removed") {
  random_source random(1);
  std::size_t removed = 0;
  std::size_t removed_more = 0;
  for (const auto& graphs : {ugly_graphs(), random_graphs()}) {
    for (const test_graph& g : graphs) {
      if (g.num_nodes != 0 && g.num_nodes <= 60) {
        const statement_program p = random_program(random, with_entry(g), 1 + random.below(4), 3);
        removed += check<copying_program>(random, p, g.name);
        removed_more += check<forgiving_program>(random, p, g.name);
      }
    }
  }
  for (std::size_t i = 0; i != affordable(3000); ++i) {
    const std::size_t nodes = 4 + random.below(8);
    const test_graph g = with_entry(random_digraph(random, nodes, nodes + random.below(2 * nodes)));
    const statement_program p = random_program(random, g, 1 + random.below(2), 1);
    removed += check<copying_program>(random, p, g.name);
    removed_more += check<forgiving_program>(random, p, g.name);
  }
  CHECK(removed > affordable(100));
  CHECK(removed_more > removed);
}

namespace {

/// Joins one after the other, in each of which the variable is what it was: written on one side, as a copy.
class joins {
public:
  explicit joins(node_id count) {
    std::vector<edge> edges;
    for (node_id i = 0; i != count; ++i) {
      const node_id n = 3 * i;
      edges.insert(edges.end(), {{n, n + 1}, {n, n + 2}, {n + 1, n + 3}, {n + 2, n + 3}});
    }
    graph_ = midend::csr_graph::from_edges(3 * std::size_t{count} + 1, 0, edges).value();
    read_.assign(graph_.num_nodes(), no_value);
  }

  const midend::csr_graph& graph() const { return graph_; }

  std::size_t num_statements() const { return graph_.num_nodes(); }

  std::vector<statement_id> statements(node_id n) const { return {n}; }

  std::size_t num_variables() const { return 1; }

  /// In the entry, and on the first side of each branch.
  std::vector<variable_id> definitions(statement_id s) const {
    return s == 0 || s % 3 == 1 ? std::vector<variable_id>{0} : std::vector<variable_id>{};
  }

  std::vector<variable_id> uses(statement_id s) const {
    return s == 0 ? std::vector<variable_id>{} : std::vector<variable_id>{0};
  }

  value_id insert_variable_phi(node_id, variable_id) { return ++num_phis; }

  void set_phi_input(value_id, edge_id, value_id) {}

  void rename_use(statement_id s, variable_id, value_id v) { read_[s] = v; }

  value_id rename_definition(statement_id s, variable_id) { return s == 0 ? 0 : read_[s]; }

  value_id undefined_value(variable_id) { return no_value - 1; }

  void replace_uses(value_id, value_id by) {
    by_first += by == 0 ? 1u : 0u;
    --num_phis;
  }

  void erase_value(value_id) {}

  value_id num_phis = 0;
  std::size_t by_first = 0; ///< phis that were replaced by what the entry writes

private:
  midend::csr_graph graph_;
  std::vector<value_id> read_;
};

} // namespace

TEST_CASE("construct_ssa: a long chain of phis that agree once the one before is gone") {
  const auto count = static_cast<node_id>(affordable(300'000));
  joins program(count);
  CHECK(on_a_small_stack([&] { return join(construct_ssa(program, agreeing_phis::remove).num_phis(), " phis"); }) ==
        "0 phis");
  CHECK(program.num_phis == 0);
  CHECK(program.by_first == count);
}
