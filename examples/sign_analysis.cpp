// sign_analysis: a dataflow analysis of your own. Which signs may a variable have, and which divisions are safe?
#include <midend/dataflow/cursor.hpp>
#include <midend/dataflow/lattices/map.hpp>
#include <midend/dataflow/lattices/sign.hpp>
#include <midend/dataflow/solve.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/viz/solution.hpp>

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

using midend::node_id;
using midend::signs;
using midend::statement_id;
using midend::variable_id;

// A little language: `target = left op right`, or `target = constant`.
struct instruction {
  variable_id target;
  char op; // '=' a constant, '?' read from outside, '+', '*', '/'
  variable_id left = 0;
  variable_id right = 0;
  std::int64_t constant = 0;
};

struct program {
  midend::csr_graph graph;
  std::vector<instruction> code;
  std::vector<std::vector<statement_id>> blocks;

  std::span<const statement_id> statements(node_id n) const { return blocks[n]; }
};

static signs sum(signs a, signs b) {
  signs out = signs::none;
  for (const signs x : {signs::negative, signs::zero, signs::positive}) {
    for (const signs y : {signs::negative, signs::zero, signs::positive}) {
      if ((a & x) != signs::none && (b & y) != signs::none) {
        out = out | (x == signs::zero ? y : y == signs::zero || x == y ? x : signs::any);
      }
    }
  }
  return out;
}

// Of x * y; `same` says that the operands are one variable.
static signs product(signs a, signs b, bool same) {
  signs out = signs::none;
  for (const signs x : {signs::negative, signs::zero, signs::positive}) {
    for (const signs y : {signs::negative, signs::zero, signs::positive}) {
      if ((a & x) != signs::none && (b & y) != signs::none && (x == y || !same)) {
        const bool is_zero = x == signs::zero || y == signs::zero;
        out = out | (is_zero ? signs::zero : x == y ? signs::positive : signs::negative);
      }
    }
  }
  return out;
}

// [problem]
struct sign_analysis {
  static constexpr auto direction = midend::flow_direction::forward;
  using fact = midend::element_of<midend::map<midend::sign>>; // an array: signs by variable

  const program& code;
  midend::map<midend::sign> signs_of_variables;

  const midend::map<midend::sign>& lattice() const { return signs_of_variables; }

  fact boundary(node_id) const { return signs_of_variables.top(); } // at the entry variables hold anything

  const program& ir() const { return code; }

  void transfer_statement(statement_id s, fact& f) const {
    const instruction& i = code.code[s];
    switch (i.op) {
    case '=':
      f[i.target] = midend::sign().constant(i.constant);
      break;
    case '+':
      f[i.target] = sum(f[i.left], f[i.right]);
      break;
    case '*':
      f[i.target] = product(f[i.left], f[i.right], i.left == i.right);
      break;
    default:
      f[i.target] = signs::any;
    }
  }
};

// [end]

struct names : midend::numbered_names {
  const program& code;

  explicit names(const program& p) : code(p) {}

  std::string part(std::uint32_t v) const { return std::string(1, "nxy"[v]); }

  std::string statement(statement_id s) const {
    const instruction& i = code.code[s];
    const std::string operation = i.op == '='   ? std::to_string(i.constant)
                                  : i.op == '?' ? "read()"
                                                : part(i.left) + i.op + part(i.right);
    return part(i.target) + "=" + operation;
  }
};

int main() {
  enum : variable_id { n, x, y };

  // x = 1; y = -1; loop { n = read(); n = n * n; x = x + n; y = y * x }; n = n / x; n = n / y; n = x / n
  const std::vector<midend::edge> edges{{0, 1}, {1, 1}, {1, 2}};
  const program p{midend::csr_graph::from_edges(3, 0, edges).value(),
                  {{x, '=', 0, 0, 1},
                   {y, '=', 0, 0, -1},
                   {n, '?'},
                   {n, '*', n, n},
                   {x, '+', x, n},
                   {y, '*', y, x},
                   {n, '/', n, x},
                   {n, '/', n, y},
                   {n, '/', x, n}},
                  {{0, 1}, {2, 3, 4, 5}, {6, 7, 8}}};

  // [solve]
  const sign_analysis problem{p, midend::map(midend::sign(), 3)};
  const auto facts = midend::solve(p.graph, problem);

  midend::visit_facts(problem, facts, [&](node_id block, statement_id s, const auto& before, const auto&) {
    const instruction& i = p.code[s];
    if (i.op == '/' && (before[i.right] & signs::zero) != signs::none) {
      std::printf("block %u: %s may divide by zero\n", block, names(p).statement(s).c_str());
    }
  });
  std::printf("%s", midend::to_table(problem, facts, names(p)).c_str());
  // [end]
}
