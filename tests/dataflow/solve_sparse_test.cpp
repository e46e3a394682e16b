#include "kit/ssa_ir.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/lattices/flat.hpp>
#include <midend/dataflow/lattices/interval.hpp>
#include <midend/dataflow/lattices/map.hpp>
#include <midend/dataflow/lattices/sign.hpp>
#include <midend/dataflow/solve.hpp>
#include <midend/dataflow/solve_sparse.hpp>

#include <vector>

using namespace midend_tests;
using midend::csr_graph;
using midend::flat;
using midend::signs;

namespace {

/// Constants modulo 5.
struct constants {
  using lattice_type = flat<int>;
  using fact = lattice_type::element;

  static fact constant(std::int64_t value) { return flat<int>().constant(static_cast<int>(value % 5)); }

  static fact apply(ssa_operation operation, const fact& a, const fact& b) {
    if (a.is_top() || b.is_top()) {
      return flat<int>().top();
    }
    if (a.is_bottom() || b.is_bottom()) {
      return flat<int>().bottom();
    }
    return constant(operation == ssa_operation::add ? a.value + b.value : a.value * b.value);
  }
};

struct signs_of {
  using lattice_type = midend::sign;
  using fact = signs;

  static fact constant(std::int64_t value) { return midend::sign().constant(value - 1); }

  static fact apply(ssa_operation operation, fact a, fact b) { // sign by sign
    fact out = signs::none;
    for (const std::int64_t x : {-1, 0, 1}) {
      for (const std::int64_t y : {-1, 0, 1}) {
        if ((a & midend::sign().constant(x)) != signs::none && (b & midend::sign().constant(y)) != signs::none) {
          const bool adds = operation == ssa_operation::add;
          out = out | (adds && x * y < 0 ? signs::any : midend::sign().constant(adds ? x + y : x * y));
        }
      }
    }
    return out;
  }
};

/// Of a program in SSA form, value by value.
template <class Domain> struct sparse {
  using fact = typename Domain::fact;

  const ssa_program& program;

  typename Domain::lattice_type lattice() const { return typename Domain::lattice_type(); }

  void evaluate(value_id v, std::span<const fact> facts, fact& out) const {
    switch (program.operation(v)) {
    case ssa_operation::constant:
      out = Domain::constant(program.constant(v));
      break;
    case ssa_operation::parameter:
      out = lattice().top();
      break;
    default:
      out = Domain::apply(program.operation(v), facts[program.operands(v)[0]], facts[program.operands(v)[1]]);
    }
  }
};

/// The same for all values at once, at each node: phis take their values on the edges, all together.
template <class Domain> struct dense {
  static constexpr midend::flow_direction direction = midend::flow_direction::forward;
  using map = midend::map<typename Domain::lattice_type>;
  using fact = typename map::element;

  const ssa_program& program;

  map lattice() const { return map({}, program.num_values()); }

  fact boundary(node_id) const { return lattice().bottom(); }

  void transfer(node_id n, fact& f) const {
    for (const value_id v : program.values(n)) {
      if (!program.is_phi(v)) {
        sparse<Domain>{program}.evaluate(v, {f.data(), f.size()}, f[v]);
      }
    }
  }

  bool transfer_edge(const midend::flow_edge& e, fact& f) const {
    const fact before = f;
    for (const value_id v : program.values(e.target)) {
      if (program.is_phi(v)) {
        f[v] = before[program.phi_input(v, e.id)];
      }
    }
    return true;
  }
};

template <class Domain> void check_against_dense(const ssa_program& program) {
  const auto by_value = midend::solve_sparse(program, sparse<Domain>{program});
  const auto by_node = midend::solve(program.graph(), dense<Domain>{program});
  for (value_id v = 0; v != program.num_values(); ++v) {
    CHECK(by_value.fact(v) == by_node.out(program.node(v))[v]);
    CHECK(by_value.visits(v) >= 1);
  }
}

/// All nodes are reachable.
csr_graph random_flow_graph(random_source& random, std::size_t nodes) {
  test_graph t{"reachable", nodes, 0, {}};
  for (node_id n = 1; n != nodes; ++n) {
    t.edges.push_back({random.below(n), n});
  }
  for (std::size_t more = random.below(nodes + 2); more != 0; --more) {
    const node_id from = random.below(nodes);
    t.edges.push_back({from, random.below(nodes)});
  }
  return make_csr(t);
}

/// `i = 0; do { i = i + 1 } while (…)`: values 0 constant, 1 phi, 2 add, 3 one.
ssa_program counter() {
  ssa_program program(csr_graph::from_edges(3, 0, std::vector<edge>{{0, 1}, {1, 1}, {1, 2}}).value());
  const value_id zero = program.add(0, ssa_operation::constant, {}, 0);
  const value_id phi = program.add(1, ssa_operation::phi);
  const value_id next = program.add(1, ssa_operation::add);
  const value_id one = program.add(0, ssa_operation::constant, {}, 1);
  program.set_operands(phi, {zero, next});
  program.set_operands(next, {phi, one});
  return program;
}

struct intervals {
  using lattice_type = midend::signed_interval;
  using fact = lattice_type::element;

  static fact constant(std::int64_t value) { return {value, value}; }

  static fact apply(ssa_operation, const fact& a, const fact& b) {
    if (a.is_bottom() || b.is_bottom()) {
      return lattice_type().bottom();
    }
    const std::int64_t high = std::numeric_limits<std::int64_t>::max();
    return {a.low + b.low, a.high > high - b.high ? high : a.high + b.high};
  }
};

struct with_users {
  ssa_program program;
  std::vector<std::vector<value_id>> users_;

  explicit with_users(ssa_program p) : program(std::move(p)), users_(program.num_values()) {
    for (value_id v = 0; v != program.num_values(); ++v) {
      for (const value_id operand : program.operands(v)) {
        users_[operand].push_back(v);
      }
    }
  }

  std::size_t num_values() const { return program.num_values(); }

  auto operands(value_id v) const { return program.operands(v); }

  bool is_phi(value_id v) const { return program.is_phi(v); }

  const std::vector<value_id>& users(value_id v) const { return users_[v]; }
};

static_assert(midend::has_users<with_users> && !midend::has_users<ssa_program>);

} // namespace

TEST_CASE("solve_sparse: says of each value what the dense solution says where it is defined") {
  random_source random(7);
  for (int i = 0; i != 400; ++i) {
    const ssa_program program = random_ssa_program(random, random_flow_graph(random, 1 + random.below(12)), 4);
    check_against_dense<constants>(program);
    check_against_dense<signs_of>(program);
  }
}

TEST_CASE("solve_sparse: users of the IR and derived users are the same") {
  random_source random(8);
  for (int i = 0; i != 50; ++i) {
    const ssa_program program = random_ssa_program(random, random_flow_graph(random, 10), 4);
    const with_users other(program);
    const auto derived = midend::solve_sparse(program, sparse<constants>{program});
    const auto given = midend::solve_sparse(other, sparse<constants>{program});
    for (value_id v = 0; v != program.num_values(); ++v) {
      CHECK(derived.fact(v) == given.fact(v));
      CHECK(derived.visits(v) == given.visits(v));
    }
  }
}

TEST_CASE("solve_sparse: a loop that climbs is widened at its phi") {
  const ssa_program program = counter();
  const auto wide = midend::solve_sparse(program, sparse<intervals>{program}, {.after = 2});
  CHECK(wide.fact(1) == intervals::fact{0, std::numeric_limits<std::int64_t>::max()});
  CHECK(wide.fact(2) == intervals::fact{1, std::numeric_limits<std::int64_t>::max()});
  CHECK(wide.widenings(1) >= 1);
  CHECK(wide.widenings(2) == 0);
  CHECK(wide.visits(1) <= 6);
  const auto flat_top = midend::solve_sparse(program, sparse<constants>{program});
  CHECK(flat_top.fact(1).is_top());
  CHECK(flat_top.fact(2).is_top());
  CHECK(flat_top.fact(0) == constants::constant(0));
}

TEST_CASE("solve_sparse: workspaces serve programs of any size") {
  random_source random(9);
  midend::solve_sparse_workspace<signs> memory;
  midend::sparse_solution<signs> out;
  for (int i = 0; i != 40; ++i) {
    const ssa_program program = random_ssa_program(random, random_flow_graph(random, 1 + random.below(20)), 3);
    midend::solve_sparse(program, sparse<signs_of>{program}, {}, memory, out);
    const auto fresh = midend::solve_sparse(program, sparse<signs_of>{program});
    CHECK(out.num_values() == program.num_values());
    for (value_id v = 0; v != program.num_values(); ++v) {
      CHECK(out.fact(v) == fresh.fact(v));
    }
  }
}

TEST_CASE("solve_sparse: a chain of 10^5 values is evaluated once") {
  ssa_program program(csr_graph::from_edges(1, 0, {}).value());
  value_id last = program.add(0, ssa_operation::constant, {}, 1);
  for (int i = 1; i != 100'000; ++i) {
    last = program.add(0, ssa_operation::multiply, {last, last});
  }
  const auto s = midend::solve_sparse(program, sparse<constants>{program});
  CHECK(s.fact(last) == constants::constant(1));
  CHECK(s.visits(last) == 1);
}
