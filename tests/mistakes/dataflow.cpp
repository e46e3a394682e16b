// Natural mistakes in dataflow problems, and with their solutions.
#include "mistakes.hpp"

using midend::bit_row;
using midend::node_id;

static const midend::csr_graph g = [] {
  const std::vector<midend::edge> edges{{0, 1}, {1, 2}, {1, 3}, {2, 1}};
  return midend::csr_graph::from_edges(4, 0, edges).value();
}();

/// Which blocks have been passed?
struct right {
  static constexpr auto direction = midend::flow_direction::forward;

  midend::powerset<> lattice() const { return midend::powerset<>(4); }

  bit_row boundary(node_id) const { return bit_row(4); }

  void transfer(node_id n, bit_row& passed) const { passed.set(n); }
};

// mistake: `transfer` returns the new fact, as in textbooks
// works
RUN(transfer_returns_the_fact) {
  struct problem : right {
    bit_row transfer(node_id n, const bit_row& before) const {
      bit_row after = before;
      after.set(n);
      return after;
    }
  };

  EXPECT(midend::solve(g, problem{}).in(3).test(2));
}

// mistake: `transfer` takes the fact by value and returns it
// works
RUN(transfer_by_value_returns_the_fact) {
  struct problem : right {
    bit_row transfer(node_id n, bit_row fact) const {
      fact.set(n);
      return fact;
    }
  };

  EXPECT(midend::solve(g, problem{}).in(3).test(2));
}

// mistake: `direction` is a `static const` member, not `constexpr`
// works
struct with_static_const : right {
  static const auto direction = midend::flow_direction::forward;
};

RUN(direction_is_static_const) {
  EXPECT(midend::solve(g, with_static_const{}).in(3).test(1));
}

// mistake: The policy of `solve` is a number of visits
// compile-time: midend: a policy of `solve` is .*midend::within
#ifdef MISTAKE_policy_is_a_number
RUN(policy_is_a_number) {
  use(midend::solve(g, right{}, 7));
}
#endif

// mistake: A set of 4 facts gets number 4
// run-time: violation:
RUN(fact_out_of_range) {
  struct problem : right {
    void transfer(node_id n, bit_row& passed) const { passed.set(n + 1); }
  };

  use(midend::solve(g, problem{}));
}

// mistake: `boundary` returns a set of another size than the lattice
// run-time: violation:
RUN(boundary_of_another_size) {
  struct problem : right {
    bit_row boundary(node_id) const { return bit_row(3); }
  };

  use(midend::solve(g, problem{}));
}

// mistake: `boundary` returns an empty set, `{}`
// run-time: violation:
RUN(boundary_is_empty) {
  struct problem : right {
    bit_row boundary(node_id) const { return {}; }
  };

  use(midend::solve(g, problem{}));
}

// mistake: The lattice has 3 facts, `boundary` and `transfer` have 4: in a chain nothing is joined
// run-time: violation: sets of the size of the powerset
RUN(lattice_too_small) {
  struct problem : right {
    midend::powerset<> lattice() const { return midend::powerset<>(3); }
  };

  const std::vector<midend::edge> edges{{0, 1}};
  use(midend::solve(midend::csr_graph::from_edges(2, 0, edges).value(), problem{}));
}

// mistake: A block that the solution does not have
// run-time: violation:
RUN(solution_out_of_range) {
  use(midend::solve(g, right{}).in(4));
}

// mistake: A solution of another graph; `verify_solution`
// run-time: another number of nodes
RUN(solution_of_another_graph) {
  const std::vector<midend::edge> edges{{0, 1}};
  const auto other = midend::csr_graph::from_edges(2, 0, edges).value();
  const auto error = midend::verify_solution(g, right{}, midend::solve(other, right{}));
  if (error && error->why == midend::solution_error::reason::wrong_size) {
    std::printf("another number of nodes\n");
  }
}

/// Counts rounds: a lattice whose chains do not end.
struct counting {
  static constexpr auto direction = midend::flow_direction::forward;

  midend::signed_interval lattice() const { return midend::signed_interval(64); }

  midend::signed_interval::element boundary(node_id) const { return lattice().constant(0); }

  void transfer(node_id n, midend::signed_interval::element& i) const {
    if (n == 1) {
      i = lattice().between(i.low, i.high + 1);
    }
  }
};

// mistake: Intervals around a loop without widening; with a limit
// run-time: node 1
RUN(no_widening_within) {
  const auto found = midend::solve(g, counting{}, midend::within{1000});
  if (!found) {
    std::printf("not solved: node %u was visited most often\n", found.error().node);
  }
}

// mistake: Intervals around a loop with widening
// works
RUN(widening) {
  const auto found =
      midend::solve(g, counting{}, midend::reverse_postorder_worklist{.widen = {.after = 2, .narrowing_steps = 1}});
  EXPECT(found.in(1).low == 0);
}

// mistake: A transfer that is not monotone: facts are flipped; `checked`
// run-time: not monotone at node
RUN(not_monotone_checked) {
  struct problem : right {
    void transfer(node_id n, bit_row& passed) const {
      if (n == 1 && passed.test(2)) {
        passed.reset(1);
      } else {
        passed.set(n);
      }
    }
  };

  const auto found = midend::solve(g, problem{}, midend::checked{});
  if (!found) {
    std::printf("not monotone at node %u\n", found.error().node);
  }
}

// mistake: A must-analysis over `powerset`, which joins by union: the answer is verified and is that of the union
// works
RUN(must_by_union) {
  EXPECT(!midend::verify_solution(g, right{}, midend::solve(g, right{})));
}

// mistake: Facts of unreachable blocks are asked for
// works
RUN(unreachable_block) {
  const std::vector<midend::edge> edges{{0, 1}, {2, 1}};
  const auto other = midend::csr_graph::from_edges(3, 0, edges).value();
  const auto found = midend::solve(other, right{});
  EXPECT(!found.is_reached(2) && found.in(2).none());
}

// mistake: `to_table` of a problem of one's own, after the umbrella
// works
RUN(table_after_the_umbrella) {
  const right problem;
  EXPECT(!midend::to_table(problem, midend::solve(g, problem)).empty());
}

// mistake: `transfer` also returns whether the fact changed
// works
RUN(transfer_returns_bool) {
  struct problem : right {
    bool transfer(node_id n, bit_row& passed) const {
      passed.set(n);
      return true;
    }
  };

  EXPECT(midend::solve(g, problem{}).in(3).test(1) && midend::solve(g, problem{}).in(3).test(2));
}

// mistake: `transfer` returns false to say that nothing flows on
// silent: `transfer` may return whether it changed the fact; what flows over an edge is for `transfer_edge`
RUN(transfer_returns_false) {
  struct problem : right {
    bool transfer(node_id n, bit_row& passed) const {
      passed.set(n);
      return n != 1;
    }
  };

  EXPECT(midend::solve(g, problem{}).in(3).test(1));
}

// ---- What does not compile.

// mistake: `transfer` takes a pointer to the block
// compile-time: midend: .*transfer
#ifdef MISTAKE_transfer_of_a_block
struct block {};

struct problem : right {
  void transfer(const block*, bit_row&) const {}
};

RUN(transfer_of_a_block) {
  use(midend::solve(g, problem{}));
}
#endif

// mistake: `boundary` without the block
// compile-time: midend: .*boundary
#ifdef MISTAKE_boundary_without_node
struct problem : right {
  bit_row boundary() const { return bit_row(4); }
};

RUN(boundary_without_node) {
  use(midend::solve(g, problem{}));
}
#endif

// mistake: The problem first, then the graph
// compile-time: midend: .*num_nodes
#ifdef MISTAKE_problem_before_graph
RUN(problem_before_graph) {
  use(midend::solve(right{}, g));
}
#endif

// mistake: A problem without `lattice()`; the form with a workspace
// compile-time: midend: .*lattice\(\) const
#ifdef MISTAKE_workspace_without_lattice
struct problem {
  static constexpr auto direction = midend::flow_direction::forward;

  bool boundary(node_id) const { return false; }

  void transfer(node_id, bool&) const {}
};

RUN(workspace_without_lattice) {
  midend::solve_workspace<bool> workspace;
  midend::solution<bool> out;
  use(midend::solve(g, problem{}, midend::reverse_postorder_worklist{}, workspace, out));
}
#endif

// mistake: A workspace for facts of another type
// compile-time: midend: a solution or workspace for facts of another type
#ifdef MISTAKE_solution_of_other_facts
RUN(solution_of_other_facts) {
  midend::solve_workspace<bool> workspace;
  midend::solution<bool> out;
  use(midend::solve(g, right{}, midend::reverse_postorder_worklist{}, workspace, out));
}
#endif

// mistake: A problem without `lattice()`; `verify_solution`
// compile-time: midend: .*lattice\(\) const
#ifdef MISTAKE_verified_without_lattice
struct problem {
  static constexpr auto direction = midend::flow_direction::forward;

  bool boundary(node_id) const { return false; }

  void transfer(node_id, bool&) const {}
};

RUN(verified_without_lattice) {
  use(midend::verify_solution(g, problem{}, midend::solution<bool>()));
}
#endif

// mistake: The facts between statements, of a problem with `transfer` alone
// compile-time: midend: this needs a problem with `transfer_statement`
#ifdef MISTAKE_facts_without_statements
RUN(facts_without_statements) {
  midend::visit_facts(right{}, midend::solve(g, right{}), [](auto&&...) {});
}
#endif

// mistake: Why does a fact hold? Without saying which
// compile-time: midend: explain_fact asks
#ifdef MISTAKE_explained_without_property
RUN(explained_without_property) {
  use(midend::explain_fact(g, right{}, midend::solve(g, right{}), midend::node_point{}, 3));
}
#endif

// mistake: The names of a table are a function of the block
// compile-time: midend: the names of a table need
#ifdef MISTAKE_table_without_names
RUN(table_without_names) {
  use(midend::to_table(right{}, midend::solve(g, right{}), [](node_id) { return "block"; }));
}
#endif

// mistake: A picture of a problem without `lattice()`
// compile-time: midend: .*lattice\(\) const
#ifdef MISTAKE_picture_without_lattice
struct problem {
  static constexpr auto direction = midend::flow_direction::forward;

  bool boundary(node_id) const { return false; }

  void transfer(node_id, bool&) const {}
};

RUN(picture_without_lattice) {
  use(midend::to_dot(g, problem{}, midend::solution<bool>()));
}
#endif

// mistake: The semantics of statements, without `width`; `conditional_propagation_problem`
// compile-time: midend: the semantics of statements need
#ifdef MISTAKE_semantics_without_width
struct ir {
  midend::csr_graph g;

  const midend::csr_graph& graph() const { return g; }

  std::size_t num_statements() const { return 0; }

  std::span<const midend::statement_id> statements(node_id) const { return {}; }

  std::size_t num_variables() const { return 0; }

  std::span<const midend::variable_id> definitions(midend::statement_id) const { return {}; }

  std::span<const midend::variable_id> uses(midend::statement_id) const { return {}; }
};

using domain = midend::flat_domain<std::uint64_t>;

struct semantics {
  using fact = domain::element;

  fact evaluate(midend::statement_id, midend::variable_id, std::span<const fact>) const { return {}; }

  bool may_take(const midend::flow_edge&, std::span<const fact>) const { return true; }
};

RUN(semantics_without_width) {
  const ir function;
  midend::conditional_propagation_problem<domain, ir, semantics> problem(function, semantics());
}
#endif
