#include "kit/variable_editor.hpp"

#include "kit/definitions.hpp"

#include <algorithm>
#include <set>

namespace midend_tests {

namespace {

using midend::no_statement;

template <class List> bool contains(const List& list, std::uint32_t id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

class ssa_check {
public:
  ssa_check(const renamed_program& program, const midend::inserted_phis& result)
      : program_(program), original_(program.original()), result_(result), position_(original_.num_statements()),
        node_of_(original_.num_statements()) {
    const midend::csr_graph& g = program.graph();
    std::vector<edge> edges;
    for (edge_id e = 0; e != g.num_edges(); ++e) {
      edges.push_back({g.edge_source(e), g.edge_target(e)});
    }
    facts_.assign(g.num_nodes(), g.entry(), edges);
    for (node_id n = 0; n != g.num_nodes(); ++n) {
      for (std::size_t i = 0; i != original_.statements(n).size(); ++i) {
        node_of_[original_.statements(n)[i]] = n;
        position_[original_.statements(n)[i]] = i;
      }
    }
  }

  std::string first_wrong() {
    if (!program_.complaint().empty()) {
      return program_.complaint();
    }
    check_lists();
    check_phis();
    for (const auto& [where, value] : program_.reads()) {
      const node_id n = node_of_[where.first];
      if (facts_.is_reachable(n)) {
        check_read(join("statement ", where.first), where.second, n, position_[where.first], value);
      }
    }
    return wrong_;
  }

private:
  void fail(const std::string& what) {
    if (wrong_.empty()) {
      wrong_ = what;
    }
  }

  bool writes(statement_id s, variable_id x) const {
    return contains(original_.definitions(s), x) || contains(original_.may_definitions(s), x);
  }

  bool reads(statement_id s, variable_id x) const {
    return contains(original_.uses(s), x) ||
           (contains(original_.may_definitions(s), x) && !contains(original_.definitions(s), x));
  }

  void check_lists() {
    for (statement_id s = 0; s != original_.num_statements(); ++s) {
      if (!program_.uses(s).empty() || !program_.definitions(s).empty() || !program_.may_definitions(s).empty()) {
        fail(join("variables are left in statement ", s));
      }
      for (variable_id x = 0; x != original_.num_variables(); ++x) {
        if (program_.reads().contains({s, x}) != reads(s, x) || program_.writes().contains({s, x}) != writes(s, x)) {
          fail(join("statement ", s, " and variable ", x));
        }
      }
    }
  }

  void check_phis() {
    std::size_t count = 0;
    for (value_id v = 0; v != program_.num_values(); ++v) {
      count += program_[v].kind == renamed_kind::phi;
    }
    if (count != result_.num_phis()) {
      fail(join(count, " phis and not ", result_.num_phis()));
    }
    for (std::size_t i = 0; i != result_.num_phis(); ++i) {
      const midend::variable_phi& phi = result_.phis()[i];
      const renamed_value& value = program_[phi.value];
      if (value.kind != renamed_kind::phi || value.variable != phi.variable || value.node != phi.node) {
        fail(join("value ", phi.value, " is not the phi of the result"));
        return;
      }
      if (i != 0) {
        const midend::variable_phi& before = result_.phis()[i - 1];
        if (std::pair(before.variable, before.node) >= std::pair(phi.variable, phi.node)) {
          fail("phis are not in order");
        }
      }
      for (std::size_t k = 0; k != value.inputs.size(); ++k) {
        if (value.inputs[k] == no_value || program_[value.inputs[k]].kind == renamed_kind::erased) {
          fail(join("phi ", phi.value, " has no input ", k));
          return;
        }
        const node_id from = program_.graph().edge_source(program_.graph().in_edges(phi.node)[k]);
        if (facts_.is_reachable(from)) {
          check_read(join("phi ", phi.value), phi.variable, from, original_.statements(from).size(), value.inputs[k]);
        }
      }
    }
  }

  /// What is read before the statement `position` of `n`, which is reachable.
  void check_read(const std::string& who, variable_id x, node_id n, std::size_t position, value_id v) {
    const renamed_value& value = program_[v];
    if (value.variable != x || value.kind == renamed_kind::erased) {
      fail(join(who, " reads value ", v, " for variable ", x));
      return;
    }
    const bool is_phi = value.kind == renamed_kind::phi;
    const node_id home = is_phi ? value.node : value.kind == renamed_kind::definition ? node_of_[value.statement] : n;
    const bool defined_before =
        home == n && (value.kind != renamed_kind::definition || position_[value.statement] < position);
    if (home == n ? !defined_before : !facts_.dominates(home, n)) {
      fail(join(who, " reads value ", v, ", which is not defined on all ways"));
      return;
    }
    if (definitions_that_flow_into(v) != definitions_that_reach(x, n, position)) {
      fail(join(who, " reads value ", v, ", which does not stand for the definitions of ", x, " there"));
    }
  }

  using statement_set = std::set<statement_id>; // no_statement: nothing was written

  /// Through phis, on edges that control can take.
  statement_set definitions_that_flow_into(value_id v) const {
    statement_set out;
    std::set<value_id> seen{v};
    std::vector<value_id> todo{v};
    while (!todo.empty()) {
      const value_id at = todo.back();
      const renamed_value& value = program_[at];
      todo.pop_back();
      if (value.kind != renamed_kind::phi) {
        out.insert(value.kind == renamed_kind::undefined ? no_statement : value.statement);
        continue;
      }
      for (std::size_t k = 0; k != value.inputs.size(); ++k) {
        const node_id from = program_.graph().edge_source(program_.graph().in_edges(value.node)[k]);
        if (facts_.is_reachable(from) && seen.insert(value.inputs[k]).second) {
          todo.push_back(value.inputs[k]);
        }
      }
    }
    return out;
  }

  /// Against the flow, statement by statement.
  statement_set definitions_that_reach(variable_id x, node_id n, std::size_t position) const {
    statement_set out;
    std::set<node_id> seen;
    std::vector<std::pair<node_id, std::size_t>> todo{{n, position}};
    while (!todo.empty()) {
      auto [at, i] = todo.back();
      todo.pop_back();
      while (i != 0 && !writes(original_.statements(at)[i - 1], x)) {
        --i;
      }
      if (i != 0) {
        out.insert(original_.statements(at)[i - 1]);
        continue;
      }
      if (at == facts_.entry()) {
        out.insert(no_statement);
      }
      for (const node_id p : program_.graph().predecessors(at)) {
        if (facts_.is_reachable(p) && seen.insert(p).second) {
          todo.emplace_back(p, original_.statements(p).size());
        }
      }
    }
    return out;
  }

  const renamed_program& program_;
  const statement_program& original_;
  const midend::inserted_phis& result_;
  definitions facts_;
  std::vector<std::size_t> position_; ///< by statement
  std::vector<node_id> node_of_;
  std::string wrong_;
};

} // namespace

std::string wrong_about(const renamed_program& program, const midend::inserted_phis& result) {
  return ssa_check(program, result).first_wrong();
}

} // namespace midend_tests
