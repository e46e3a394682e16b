// Live variables by midend's general solver, with a problem as a user writes it over `powerset<bit_row>`.

#include "liveness.hpp"

#include <midend/dataflow/lattices/powerset.hpp>
#include <midend/dataflow/solve.hpp>

namespace midend_benchmarks {
namespace {

struct live_variables_problem {
  static constexpr auto direction = midend::flow_direction::backward;

  midend::powerset<> sets;
  const flat_variables& variables;

  explicit live_variables_problem(const flat_variables& v) : sets(v.num_variables()), variables(v) {}

  const midend::powerset<>& lattice() const { return sets; }

  midend::bit_row boundary(midend::node_id) const { return sets.bottom(); }

  void transfer(midend::node_id n, midend::bit_row& live) const {
    live.reset(variables.defined_in(n));
    live.set(variables.used_in(n));
  }
};

struct liveness {
  explicit liveness(const dataset& d) : data(d) {}

  void analyse(const midend::csr_graph& g, std::size_t index) {
    const live_variables_problem problem(data.functions()[index].variables);
    static_cast<void>(midend::solve(g, problem, midend::reverse_postorder_worklist{}, workspace, result));
  }

  std::optional<std::string> compare(const dataset& d, std::size_t index) const {
    return d.shared<liveness_reference>().compare(d, index, result);
  }

  const dataset& data;
  midend::solve_workspace<midend::bit_row> workspace;
  midend::solution<midend::bit_row> result;
};

} // namespace

void add_liveness_by_solver(contestants& all) {
  all.push_back(enter<midend_job<liveness>>("liveness", "midend_solver"));
  all.back().left_out = has_no_variables;
}

} // namespace midend_benchmarks
