#include "dataflow/problems.hpp"
#include "kit/statement_ir.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/constant_propagation.hpp>
#include <midend/dataflow/cursor.hpp>
#include <midend/dataflow/verify_solution.hpp>

#include <optional>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::csr_graph;
using constant = midend::flat<int>::element;
using values = midend::fact_of<midend::constant_propagation_problem<
    int, statement_program, std::optional<int> (*)(statement_id, variable_id, const midend::variable_constants<int>&)>>;

namespace {

enum : variable_id { j, x, y, p };

/// `j = 1; x = 10; y = 1; while (read() != 0) { x = x * y; y = y * y; j = j + y; } p = j + x + y; print(p)`, with nodes
/// 0 Entry, 1 B1, 2 B2, 3 B3, 4 B4.
statement_program worked_example() {
  statement_program program(
      csr_graph::from_edges(5, 0, std::vector<edge>{{0, 1}, {1, 2}, {2, 3}, {2, 4}, {3, 2}}).value(), 4);
  program.add(1, {.definitions = {j}});
  program.add(1, {.definitions = {x}});
  program.add(1, {.definitions = {y}});
  program.add(2, {});
  program.add(3, {.definitions = {x}, .uses = {x, y}});
  program.add(3, {.definitions = {y}, .uses = {y}});
  program.add(3, {.definitions = {j}, .uses = {j, y}});
  program.add(4, {.definitions = {p}, .uses = {j, x, y}});
  program.add(4, {.definitions = {}, .uses = {p}});
  return program;
}

std::optional<int> fold_example(statement_id s, variable_id, const midend::variable_constants<int>& v) {
  switch (s) {
  case 0:
    return 1;
  case 1:
    return 10;
  case 2:
    return 1;
  case 4:
    return v[x] * v[y];
  case 5:
    return v[y] * v[y];
  case 6:
    return v[j] + v[y];
  case 7:
    return v[j] + v[x] + v[y];
  default:
    return std::nullopt;
  }
}

/// <j, x, y, p> in the notation of the article: `T` nothing known, `_` not a constant.
std::string vector_of(const values& f) {
  std::string out = "<";
  for (const constant& c : f) {
    out += out.size() > 1 ? "," : "";
    out += c.is_bottom() ? "T" : c.is_top() ? "_" : std::to_string(c.value);
  }
  return out + ">";
}

/// Notes what leaves each node at each visit.
template <class P> struct traced {
  static constexpr flow_direction direction = flow_direction::forward;
  const P& problem;
  std::vector<std::string>* trace;

  const auto& lattice() const { return problem.lattice(); }

  values boundary(node_id n) const { return problem.boundary(n); }

  void transfer(node_id n, values& f) const {
    for (const statement_id s : problem.ir().statements(n)) {
      problem.transfer_statement(s, f);
    }
    if (trace != nullptr) {
      trace->push_back(join("B", n, " ", vector_of(f)));
    }
  }
};

using fold_function = decltype(&fold_example);

constant of(int value) {
  return midend::flat<int>().constant(value);
}

constexpr constant bottom = midend::flat<int>().bottom();
constexpr constant top = midend::flat<int>().top();

/// Operations modulo 4, by the number of the statement; some cannot be folded.
std::optional<int> fold_anything(const statement_program& program, statement_id s, variable_id d,
                                 const midend::variable_constants<int>& v) {
  int sum = static_cast<int>(s + d);
  for (const variable_id used : program.uses(s)) {
    sum = 3 * sum + v[used];
  }
  return s % 7 == 6 ? std::nullopt : std::optional<int>(sum % 4);
}

} // namespace

TEST_CASE("constant_propagation: the worked example, round by round") {
  const statement_program program = worked_example();
  const midend::constant_propagation_problem<int, statement_program, fold_function> problem(program, fold_example);
  std::vector<std::string> trace;
  const std::vector<node_id> order{0, 1, 2, 3, 4};
  const auto s =
      midend::solve(program.graph(), traced<decltype(problem)>{problem, &trace}, midend::round_robin{.order = order});
  const std::vector<std::string> round_1{"B0 <T,T,T,T>", "B1 <1,10,1,T>", "B2 <1,10,1,T>", "B3 <2,10,1,T>",
                                         "B4 <1,10,1,12>"};
  const std::vector<std::string> round_2{"B0 <T,T,T,T>", "B1 <1,10,1,T>", "B2 <_,10,1,T>", "B3 <_,10,1,T>",
                                         "B4 <_,10,1,_>"};
  std::vector<std::string> expected = round_1;
  expected.insert(expected.end(), round_2.begin(), round_2.end());
  expected.insert(expected.end(), round_2.begin(), round_2.end());
  CHECK(trace == expected);
  for (node_id n = 0; n != 5; ++n) {
    CHECK(s.visits(n) == 3);
  }
}

TEST_CASE("constant_propagation: the worked example by each policy") {
  const statement_program program = worked_example();
  const auto check = [&](const auto& policy) {
    const auto s =
        midend::constant_propagation<int>(program, fold_example, midend::unassigned_variable::is_bottom, policy);
    CHECK(vector_of(s.out(1)) == "<1,10,1,T>");
    CHECK(vector_of(s.in(4)) == "<_,10,1,T>");
    CHECK(vector_of(s.out(4)) == "<_,10,1,_>");
  };
  check(midend::reverse_postorder_worklist{});
  check(midend::round_robin{});
  check(midend::weak_topological{});
}

TEST_CASE("constant_propagation: what is unassigned is bottom or top, as asked for") {
  // if (…) x = 5; y = x
  statement_program program(csr_graph::from_edges(3, 0, std::vector<edge>{{0, 1}, {0, 2}, {1, 2}}).value(), 2);
  program.add(1, {.definitions = {0}});
  program.add(2, {.definitions = {1}, .uses = {0}});
  const auto fold = [](statement_id s, variable_id, const midend::variable_constants<int>& v) {
    return s == 0 ? std::optional<int>(5) : v[0];
  };
  const auto convenient = midend::constant_propagation<int>(program, fold);
  CHECK(convenient.in(2)[0] == of(5));
  CHECK(convenient.out(2)[1] == of(5));
  const auto careful = midend::constant_propagation<int>(program, fold, midend::unassigned_variable::is_top);
  CHECK(careful.in(2)[0] == top);
  CHECK(careful.out(2)[1] == top);
  CHECK(careful.out(1)[0] == of(5));
}

TEST_CASE("constant_propagation: statements read before they write, define several variables, or perhaps") {
  statement_program program(make_csr({"one", 1, 0, {}}), 3);
  program.add(0, {.definitions = {0, 1}});                                     // a = 0, b = 1
  program.add(0, {.definitions = {1, 0}, .uses = {0, 1}});                     // swap
  program.add(0, {.definitions = {2}, .uses = {}, .may_definitions = {2, 0}}); // c = 2, perhaps a = something
  program.add(0, {.definitions = {1}, .uses = {1}});                           // b = b + 5
  const auto fold = [](statement_id s, variable_id d, const midend::variable_constants<int>& v) {
    const int by_statement[] = {static_cast<int>(d), 0, 2, 0};
    return std::optional<int>(s == 1 ? v[1 - d] : s == 3 ? v[1] + 5 : by_statement[s]);
  };
  const midend::constant_propagation_problem<int, statement_program, decltype(fold)> problem(program, fold);
  const auto s = midend::solve(program.graph(), problem);
  midend::fact_cursor cursor(problem, s);
  CHECK(vector_of(cursor.after(0, 0)) == "<0,1,T>");
  CHECK(vector_of(cursor.after(0, 1)) == "<1,0,T>");
  CHECK(vector_of(cursor.after(0, 2)) == "<_,0,2>");
  CHECK(vector_of(cursor.after(0, 3)) == "<_,5,2>");
  CHECK(vector_of(cursor.before(0, 3)) == "<_,0,2>");
}

TEST_CASE("constant_propagation: top of the uses wins over bottom, and both over folding") {
  statement_program program(make_csr({"one", 1, 0, {}}), 4);
  program.add(0, {.definitions = {1}});                    // cannot be folded: top
  program.add(0, {.definitions = {2}, .uses = {0}});       // of bottom
  program.add(0, {.definitions = {3}, .uses = {0, 1, 0}}); // of bottom and top
  const auto fold = [](statement_id s, variable_id, const midend::variable_constants<int>&) {
    CHECK(s == 0); // the others have no constant uses
    return std::optional<int>();
  };
  const auto s = midend::constant_propagation<int>(program, fold);
  CHECK(s.out(0)[1] == top);
  CHECK(s.out(0)[2] == bottom);
  CHECK(s.out(0)[3] == top);
}

TEST_CASE("constant_propagation: edges imply values") {
  // if (x == 3) …: edge 0 → 1 implies x = 3
  statement_program program(csr_graph::from_edges(3, 0, std::vector<edge>{{0, 1}, {0, 2}}).value(), 1);
  const auto fold = [](statement_id, variable_id, const midend::variable_constants<int>&) {
    return std::optional<int>(4);
  };
  const auto equality = [](const midend::flow_edge& e) {
    return e.id == 0 ? std::optional(midend::edge_constant<int>{0, 3}) : std::nullopt;
  };
  using problem = midend::constant_propagation_problem<int, statement_program, decltype(fold), decltype(equality)>;
  const auto s = midend::solve(program.graph(), problem(program, fold, midend::unassigned_variable::is_top, equality));
  CHECK(s.in(1)[0] == of(3));
  CHECK(s.in(2)[0] == top);
  statement_program four = program;
  four.add(0, {.definitions = {0}});
  const problem contradiction(four, fold, midend::unassigned_variable::is_top, equality);
  CHECK(midend::solve(four.graph(), contradiction).in(1)[0] == bottom);
  CHECK(midend::solve(four.graph(), contradiction).in(2)[0] == of(4));
}

TEST_CASE("constant_propagation: all policies give what the definition says, on random programs") {
  random_source random(4);
  for (int i = 0; i != 150; ++i) {
    const test_graph t = small_digraph(random, 10, 22);
    const statement_program program = random_program(random, t, 1 + random.below(5), 4);
    const auto fold = [&](statement_id s, variable_id d, const midend::variable_constants<int>& v) {
      return fold_anything(program, s, d, v);
    };
    const auto unassigned =
        random.one_in(2) ? midend::unassigned_variable::is_top : midend::unassigned_variable::is_bottom;
    const midend::constant_propagation_problem<int, statement_program, decltype(fold)> problem(program, fold,
                                                                                               unassigned);
    const defined_solution expected(program.graph(), traced<decltype(problem)>{problem, nullptr});
    CHECK(expected.difference(midend::constant_propagation<int>(program, fold, unassigned)) == "");
    CHECK(expected.difference(midend::solve(program.graph(), problem, midend::round_robin{})) == "");
    const auto sure = midend::solve(program.graph(), problem, midend::checked{midend::weak_topological{}});
    REQUIRE_MESSAGE(sure.has_value(), to_string(program));
    CHECK(expected.difference(*sure) == "");
    CHECK(!midend::verify_solution(program.graph(), problem, *sure));
  }
}
