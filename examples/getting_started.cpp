// getting_started: one small compiler, from its control-flow graph to advice on unrolling. The program of
// docs/getting_started.md, step by step.

// 1. Graphs
#include <midend/dominance/dominators.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/loops/natural_loops.hpp>

// 2. A dataflow analysis
#include <midend/dataflow/lattices/boolean.hpp>
#include <midend/dataflow/lattices/dual.hpp>
#include <midend/dataflow/solve.hpp>

// 3. Constants, with words for what is wrong with a view
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/viz/ir_errors.hpp>

// 4. Unrolling, with words for the advice
#include <midend/machine/e2k.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/viz/unrolling.hpp>

// 5. A picture
#include <midend/viz/dot.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

using midend::edge_id;
using midend::node_id;
using midend::value_id;

// Your IR: blocks of instructions in SSA form. All numbers have 32 bits.
// [ir]
enum class kind { number, argument, phi, compute, load, branch, end };

struct instruction {
  enum kind kind;
  const char* name = "";
  std::vector<value_id> operands = {}; // of a phi: one for each predecessor
  midend::operation code = midend::operation::other;
  std::uint64_t number = 0;
};

struct block {
  std::vector<value_id> code;
  std::vector<node_id> successors; // of a branch: first the one that is taken if the condition holds
};

struct function {
  std::vector<instruction> values; // by value_id
  std::vector<block> blocks;       // by node_id
};

// [end]

// int scale = 1, sum = 0, i = 0;
// do {
//   if (scale != 1) scale = 2;
//   sum += x[i] * scale;
// } while (++i < 8);
static function sum_of_eight() {
  using enum kind;
  using op = midend::operation;
  return {{{number, "0", {}, op::other, 0},
           {number, "1", {}, op::other, 1},
           {number, "2", {}, op::other, 2},
           {number, "8", {}, op::other, 8},
           {argument, "x"},
           {phi, "i", {0, 15}},
           {phi, "sum", {0, 14}},
           {phi, "scale", {1, 11}},
           {compute, "differs", {7, 1}, op::not_equal},
           {branch, "", {8}},
           {branch},
           {phi, "scale1", {7, 2}},
           {load, "element", {4, 5}},
           {compute, "product", {12, 11}, op::mul},
           {compute, "sum1", {6, 13}, op::add},
           {compute, "i1", {5, 1}, op::add},
           {compute, "again", {15, 3}, op::less},
           {branch, "", {16}},
           {end, "", {14}},
           {branch}},
          {{{19}, {1}}, {{5, 6, 7, 8, 9}, {2, 3}}, {{10}, {3}}, {{11, 12, 13, 14, 15, 16, 17}, {1, 4}}, {{18}, {}}}};
}

// 1. The graph: three members.
// [graph]
struct cfg {
  const function& f;

  std::size_t num_nodes() const { return f.blocks.size(); }

  node_id entry() const { return 0; }

  const std::vector<node_id>& successors(node_id n) const { return f.blocks[n].successors; }
};

// [end]

// 2. An analysis: before which blocks has something been loaded, whatever path control took?
// [analysis]
struct loaded_before {
  static constexpr auto direction = midend::flow_direction::forward;
  using fact = bool;

  const function& f;
  midend::dual<midend::boolean> on_every_path;

  const midend::dual<midend::boolean>& lattice() const { return on_every_path; }

  fact boundary(node_id) const { return false; } // nothing is loaded before the entry

  void transfer(node_id n, fact& loaded) const {
    for (const value_id v : f.blocks[n].code) {
      loaded = loaded || f.values[v].kind == kind::load;
    }
  }
};

// [end]

// 3. The values in SSA form, and what they mean.
// [values]
struct view {
  using constant_type = std::uint64_t;

  const function& f;
  const midend::csr_graph& g;

  const midend::csr_graph& graph() const { return g; }

  std::size_t num_values() const { return f.values.size(); }

  std::span<const value_id> values(node_id n) const { return f.blocks[n].code; }

  std::span<const value_id> operands(value_id v) const { return f.values[v].operands; }

  bool is_phi(value_id v) const { return f.values[v].kind == kind::phi; }

  value_id phi_input(value_id v, edge_id e) const {
    const bool is_first = e == *g.in_edges(g.edge_target(e)).begin();
    return f.values[v].operands[is_first ? 0 : 1];
  }

  value_id condition(node_id n) const {
    const instruction& last = f.values[f.blocks[n].code.back()];
    return last.kind == kind::branch && !last.operands.empty() ? last.operands[0] : midend::no_value;
  }

  std::optional<std::uint64_t> edge_case(edge_id e) const {
    return e == *g.out_edges(g.edge_source(e)).begin() ? 1 : 0;
  }

  midend::operation_info operation(value_id v) const {
    const midend::operation code = f.values[v].code;
    const std::uint8_t width = midend::is_comparison(code) ? 1 : 32;
    return {.code = code, .width = width, .operand_width = 32, .flags = {}};
  }

  std::optional<std::uint64_t> constant(value_id v) const {
    return f.values[v].kind == kind::number ? std::optional(f.values[v].number) : std::nullopt;
  }

  std::optional<std::uint64_t> fold(value_id, std::span<const std::uint64_t>) const { return std::nullopt; }

  // [cost]
  std::optional<midend::operation_class> cost(value_id v) const {
    switch (f.values[v].kind) {
    case kind::load:
      return midend::operation_class::load;
    case kind::branch:
    case kind::end:
      return midend::operation_class::branch;
    default:
      return midend::usual_class(operation(v));
    }
  }

  midend::effect_kind effect(value_id v) const {
    return f.values[v].kind == kind::load ? midend::effect_kind::reads : midend::effect_kind::none;
  }

  std::optional<midend::memory_reference> memory(value_id v) const {
    return midend::memory_reference{.base = operands(v)[0], .index = operands(v)[1], .bytes = 4, .scale = 4};
  }

  // [end]
};

// What the reports call values and blocks.
struct names {
  const function& f;

  std::string value(value_id v) const { return std::string("%") + f.values[v].name; }

  std::string node(node_id n) const { return "block " + std::to_string(n); }
};

int main() {
  const function f = sum_of_eight();

  // [1]
  const midend::csr_graph g(cfg{f});
  const midend::dominator_tree tree = midend::dominators(g);
  const midend::loop_forest loops = midend::natural_loops(g, tree);
  std::printf("block 3 is dominated by block %u; %u loop with header %u\n", tree.immediate_dominator(3),
              static_cast<unsigned>(loops.num_loops()), loops.header(0));
  // [2]
  const auto loaded = midend::solve(g, loaded_before{f, {}});
  for (node_id n = 0; n != g.num_nodes(); ++n) {
    std::printf("block %u: %s\n", n, loaded.in(n) ? "loaded on every path" : "not loaded on some path");
  }
  // [3]
  const view ir{f, g};
  if (const auto error = midend::check_ir(ir)) { // what is wrong with the view, and where
    std::printf("%s\n", midend::to_text(*error).c_str());
    return 1;
  }
  const auto facts = midend::sccp(ir);
  for (value_id v = 0; v != ir.num_values(); ++v) {
    if (f.values[v].kind != kind::number && facts.constant(v)) {
      std::printf("%%%s is always %llu\n", f.values[v].name, static_cast<unsigned long long>(*facts.constant(v)));
    }
  }
  for (node_id n = 0; n != g.num_nodes(); ++n) {
    if (!facts.is_executable(n)) {
      std::printf("block %u is never executed\n", n);
    }
  }
  // [4]
  const midend::machine_model machine = midend::e2k_reference_v6();
  const midend::unrolling_advice advice = midend::advise_unrolling(ir, loops, 0, machine);
  std::printf("%s", midend::to_text(advice, machine, names{f}).c_str());
  // [5]
  const auto code = [&](node_id n) {
    std::string text = "block " + std::to_string(n);
    for (const value_id v : f.blocks[n].code) {
      text += f.values[v].name[0] == '\0' ? "" : std::string("\n") + f.values[v].name;
    }
    return text;
  };
  std::printf("%s", midend::to_dot(g, tree, loops, {.title = "sum of eight"}, code).c_str());
  // [end]
  return 0;
}
