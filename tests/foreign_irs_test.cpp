// The contract on control flow as other compilers keep it: Carbon's SemIR (blocks by index, instructions in one flat
// table, no predecessors, blocks with arguments) and WebAssembly (nested regions; edges follow from the nesting). The
// answers are compared with definitions, and the edges with a second reading of the same code.
#include "kit/affordable.hpp"
#include "kit/definitions.hpp"
#include "kit/test_graph.hpp"
#include "kit/variable_editor.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/dominance/post_dominators.hpp>
#include <midend/graph/check_graph.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/ir/ssa.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/construct_ssa.hpp>
#include <midend/ssa/live_values.hpp>
#include <midend/support/range.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace midend_tests;

namespace {

// What is compared, for both.

/// The edges of a view, by source and in the order of its successors.
template <class G> test_graph read_graph(const G& g) {
  test_graph out{.name = "view", .num_nodes = g.num_nodes(), .entry = g.entry(), .edges = {}};
  for (node_id n = 0; n != g.num_nodes(); ++n) {
    for (const node_id target : g.successors(n)) {
      out.edges.push_back({n, target});
    }
  }
  return out;
}

bool same_edges(const std::vector<edge>& a, const std::vector<edge>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](edge x, edge y) { return x.source == y.source && x.target == y.target; });
}

/// The graph from a virtual exit, the last node, against the edges; the nodes without successors lead to the exit.
test_graph reversed_from_exits(const test_graph& g) {
  test_graph out{
      .name = "reversed", .num_nodes = g.num_nodes + 1, .entry = static_cast<node_id>(g.num_nodes), .edges = {}};
  std::vector<char> has_successor(g.num_nodes, 0);
  for (const edge e : g.edges) {
    out.edges.push_back({e.target, e.source});
    has_successor[e.source] = 1;
  }
  for (node_id n = 0; n != g.num_nodes; ++n) {
    if (has_successor[n] == 0) {
      out.edges.push_back({out.entry, n});
    }
  }
  return out;
}

/// A graph whose edges are numbered by source, as in the definitions.
template <class G> struct without_numbers {
  const G& g;

  std::size_t num_nodes() const { return g.num_nodes(); }

  node_id entry() const { return g.entry(); }

  auto successors(node_id n) const { return g.successors(n); }
};

/// Whether the boundaries of loops name edges by the numbers that the graph has.
template <class G> bool names_edges(const G& g, const midend::loop_forest& forest) {
  bool right = true;
  const auto check = [&g, &right](const auto& edges) {
    for (const midend::loop_edge& e : edges) {
      right = right && g.edge_source(e.id) == e.source && g.edge_target(e.id) == e.target;
    }
  };
  for (const midend::loop_id l : forest.loops()) {
    check(forest.backedges(l));
    check(forest.entering_edges(l));
    check(forest.exiting_edges(l));
  }
  return right;
}

/// The first wrong answer about the flow graph, or nothing.
template <class G> std::string wrong_flow(const G& g, const test_graph& expected) {
  if (midend::check_graph(g)) {
    return "check_graph finds an error";
  }
  const definitions facts(expected);
  const midend::dominator_tree tree = midend::dominators(g);
  if (std::string wrong = difference(tree, facts); !wrong.empty()) {
    return "dominators: " + wrong;
  }
  const without_numbers<G> plain{g};
  if (std::string wrong = difference(midend::natural_loops(plain, tree), tree, facts); !wrong.empty()) {
    return "loops: " + wrong;
  }
  if (!names_edges(g, midend::natural_loops(g, tree))) {
    return "numbers of edges of loops";
  }
  const definitions backwards(reversed_from_exits(expected));
  const midend::post_dominator_tree post = midend::post_dominators(g, midend::exits_only);
  for (node_id n = 0; n != expected.num_nodes; ++n) {
    const node_id right = backwards.immediate_dominator(n);
    if (post.is_diverging(n) == backwards.is_reachable(n) ||
        post.immediate_post_dominator(n) != (right == expected.num_nodes ? no_node : right)) {
      return join("post-dominators: node ", n);
    }
  }
  return {};
}

/// An editor of the test kit whose graph is the view, with the numbers of edges that the view has. The kit checks the
/// result over its own graph.
template <class G> struct editor_over : renamed_program {
  const G& view;
  std::vector<edge_id> numbers; // by edge of the view

  editor_over(const statement_program& program, const G& g)
      : renamed_program(program), view(g), numbers(g.num_edges()) {
    edge_id next = 0;
    for (node_id n = 0; n != g.num_nodes(); ++n) {
      for (const edge_id e : g.out_edges(n)) {
        numbers[e] = next++;
      }
    }
  }

  const G& graph() const { return view; }

  void set_phi_input(value_id phi, edge_id e, value_id v) { renamed_program::set_phi_input(phi, numbers[e], v); }
};

template <class G> std::string wrong_ssa(const G& g, const statement_program& program) {
  editor_over<G> editor(program, g);
  const midend::inserted_phis result = midend::construct_ssa(editor);
  return wrong_about(editor, result);
}

// Carbon-like: everything has a number in a table that belongs to the whole file, not to a function.

using inst_id = std::uint32_t;
using block_id = std::uint32_t;

enum class inst_kind : std::uint8_t { parameter, compute, block_arg, branch, branch_with_arg, branch_if, ret };

struct inst {
  inst_kind kind;
  std::uint32_t a = 0; ///< an operand, or the block to which a branch leads
  std::uint32_t b = 0; ///< an operand, the argument of `branch_with_arg`, the condition of `branch_if`
};

/// Blocks are lists of instructions; a block ends in any number of `branch_if` and one other branch, or in `ret`.
struct semir_file {
  std::vector<inst> insts;
  std::vector<std::vector<inst_id>> blocks; ///< of all functions
};

bool is_branch(inst_kind kind) {
  return kind == inst_kind::branch || kind == inst_kind::branch_with_arg || kind == inst_kind::branch_if;
}

/// The view of one function. Nodes are the positions in `body`. An edge has the number of its branch, so `num_edges()`
/// counts all instructions, and those that are no branches are unused numbers.
struct semir_graph {
  const semir_file& file;
  std::span<const block_id> body;
  std::vector<node_id> node_of_block; ///< by block of the file
  std::vector<node_id> node_of_inst;  ///< by branch; else `no_node`
  std::vector<std::size_t> first_branch;

  semir_graph(const semir_file& f, std::span<const block_id> blocks)
      : file(f), body(blocks), node_of_block(f.blocks.size(), no_node), node_of_inst(f.insts.size(), no_node) {
    for (node_id n = 0; n != body.size(); ++n) {
      node_of_block[body[n]] = n;
      const std::vector<inst_id>& code = f.blocks[body[n]];
      std::size_t first = code.size();
      for (; first != 0 && is_branch(f.insts[code[first - 1]].kind); --first) {
        node_of_inst[code[first - 1]] = n;
      }
      first_branch.push_back(first);
    }
  }

  std::size_t num_nodes() const { return body.size(); }

  node_id entry() const { return 0; }

  auto successors(node_id n) const {
    return midend::mapped(out_edges(n), [this](inst_id i) { return edge_target(i); });
  }

  std::size_t num_edges() const { return file.insts.size(); }

  std::span<const inst_id> out_edges(node_id n) const {
    return std::span<const inst_id>(file.blocks[body[n]]).subspan(first_branch[n]);
  }

  node_id edge_source(edge_id e) const { return node_of_inst[e]; }

  node_id edge_target(edge_id e) const { return node_of_block[file.insts[e].a]; }
};

static_assert(midend::edge_indexed_flow_graph<semir_graph>);

/// Values are instructions, by their numbers in the file. The argument of a block is a phi.
struct semir_values {
  const semir_graph& cfg;
  std::vector<std::vector<value_id>> read; ///< by instruction

  explicit semir_values(const semir_graph& g) : cfg(g), read(g.file.insts.size()) {
    for (inst_id i = 0; i != read.size(); ++i) {
      const inst& at = g.file.insts[i];
      if (at.kind == inst_kind::compute) {
        read[i] = {at.a, at.b};
      } else if (at.kind == inst_kind::branch_if) {
        read[i] = {at.b};
      } else if (at.kind == inst_kind::ret) {
        read[i] = {at.a};
      }
    }
    for (node_id n = 0; n != g.num_nodes(); ++n) {
      for (const inst_id e : g.out_edges(n)) {
        const std::vector<inst_id>& target = g.file.blocks[g.file.insts[e].a];
        if (g.file.insts[e].kind == inst_kind::branch_with_arg) {
          read[target.front()].push_back(g.file.insts[e].b);
        }
      }
    }
  }

  const semir_graph& graph() const { return cfg; }

  std::size_t num_values() const { return read.size(); }

  const std::vector<value_id>& operands(value_id v) const { return read[v]; }

  bool is_phi(value_id v) const { return cfg.file.insts[v].kind == inst_kind::block_arg; }

  const std::vector<inst_id>& values(node_id n) const { return cfg.file.blocks[cfg.body[n]]; }

  value_id phi_input(value_id, edge_id e) const { return cfg.file.insts[e].b; }

  /// Two `branch_if` in a row have two conditions, so none that decides alone.
  value_id condition(node_id n) const {
    return cfg.out_edges(n).size() == 2 ? cfg.file.insts[cfg.out_edges(n)[0]].b : midend::no_value;
  }
};

static_assert(midend::ssa_ir<semir_values>);

/// A function with the flow of `g`, among blocks and instructions of other functions. Where all edges into a node are
/// the last of their sources, the node has an argument.
struct semir_function {
  semir_file file;
  std::vector<block_id> body;
};

semir_function make_semir(random_source& random, const test_graph& g) {
  semir_function out;
  const std::vector<edge> edges = edges_by_id(g.num_nodes, g.edges);
  std::vector<node_id> order(g.num_nodes); // the entry is first in the body
  for (node_id n = 0; n != g.num_nodes; ++n) {
    order[n] = n == 0 ? g.entry : n == g.entry ? 0 : n;
  }
  out.body.resize(g.num_nodes);
  for (auto n = static_cast<node_id>(g.num_nodes); n-- != 0;) { // the numbers of blocks say nothing about their order
    for (std::uint32_t holes = random.below(3); holes-- != 0;) {
      out.file.blocks.push_back({static_cast<inst_id>(out.file.insts.size())});
      out.file.insts.push_back({inst_kind::ret, 0, 0});
    }
    out.body[n] = static_cast<block_id>(out.file.blocks.size());
    out.file.blocks.emplace_back();
  }
  std::vector<std::size_t> degree(g.num_nodes, 0), arrivals(g.num_nodes, 0), last_arrivals(g.num_nodes, 0);
  for (const edge e : edges) {
    ++degree[e.source];
    ++arrivals[e.target];
  }
  std::vector<std::size_t> seen(g.num_nodes, 0);
  for (const edge e : edges) {
    last_arrivals[e.target] += ++seen[e.source] == degree[e.source] ? 1u : 0u;
  }
  const auto add = [&](node_id position, inst i) {
    out.file.blocks[out.body[position]].push_back(static_cast<inst_id>(out.file.insts.size()));
    out.file.insts.push_back(i);
    return static_cast<inst_id>(out.file.insts.size() - 1);
  };
  const auto parameter = static_cast<inst_id>(out.file.insts.size());
  out.file.insts.push_back({inst_kind::parameter});
  std::vector<inst_id> result(g.num_nodes); // by position: the last value of the block
  std::vector<char> has_argument(g.num_nodes, 0);
  for (node_id position = 0; position != g.num_nodes; ++position) {
    const node_id n = order[position];
    has_argument[position] = position != 0 && arrivals[n] != 0 && arrivals[n] == last_arrivals[n];
    const inst_id first = has_argument[position] != 0 ? add(position, {inst_kind::block_arg}) : parameter;
    result[position] = add(position, {inst_kind::compute, first, parameter});
  }
  std::vector<node_id> position_of(g.num_nodes);
  for (node_id position = 0; position != g.num_nodes; ++position) {
    position_of[order[position]] = position;
  }
  const midend::dominator_tree tree = midend::dominators(make_csr(g)); // for values that may be read; tested elsewhere
  std::size_t at = 0;
  for (node_id n = 0; n != g.num_nodes; ++n) { // edges are sorted by source
    const node_id position = position_of[n];
    node_id above = n;
    for (std::uint32_t up = random.below(4);
         up-- != 0 && tree.is_reachable(n) && tree.immediate_dominator(above) != no_node;) {
      above = tree.immediate_dominator(above);
    }
    const inst_id value = add(position, {inst_kind::compute, result[position_of[above]], result[position]});
    for (std::size_t i = 0; i != degree[n]; ++i, ++at) {
      const node_id target = position_of[edges[at].target];
      if (i + 1 != degree[n]) {
        add(position, {inst_kind::branch_if, out.body[target], value});
      } else if (has_argument[target] != 0) {
        add(position, {inst_kind::branch_with_arg, out.body[target], result[position]});
      } else {
        add(position, {inst_kind::branch, out.body[target], 0});
      }
    }
    if (degree[n] == 0) {
      add(position, {inst_kind::ret, value, 0});
    }
  }
  return out;
}

/// Nothing leads to the entry of a function.
test_graph with_entry_of_its_own(test_graph g) {
  const auto entry = static_cast<node_id>(g.num_nodes++);
  g.edges.push_back({entry, g.entry});
  g.entry = entry;
  return g;
}

/// The edges that the function was made of, by its nodes.
test_graph renumbered(const test_graph& g) {
  const auto position = [&g](node_id n) { return n == g.entry ? 0 : n == 0 ? g.entry : n; };
  std::vector<edge> edges = g.edges;
  for (edge& e : edges) {
    e = {position(e.source), position(e.target)};
  }
  return {.name = g.name, .num_nodes = g.num_nodes, .entry = 0, .edges = edges_by_id(g.num_nodes, edges)};
}

/// Whether `v` is read in `n` or after it before control passes its definition: searched value by value and node by
/// node.
std::string wrong_liveness(const semir_values& ir) {
  const semir_graph& g = ir.graph();
  const midend::live_value_sets live = midend::live_values(ir);
  std::vector<node_id> defined(ir.num_values(), no_node);
  for (node_id n = 0; n != g.num_nodes(); ++n) {
    for (const value_id v : ir.values(n)) {
      defined[v] = n;
    }
  }
  for (value_id v = 0; v != ir.num_values(); ++v) {
    if (defined[v] == no_node) {
      continue;
    }
    std::vector<char> in(g.num_nodes(), 0), out(g.num_nodes(), 0);
    for (node_id n = 0; n != g.num_nodes(); ++n) {
      for (const value_id user : ir.values(n)) {
        const bool reads = !ir.is_phi(user) && std::ranges::count(ir.operands(user), v) != 0;
        in[n] = static_cast<char>(in[n] | static_cast<char>(reads && defined[v] != n));
      }
      for (const edge_id e : g.out_edges(n)) {
        const bool brings = g.file.insts[e].kind == inst_kind::branch_with_arg && g.file.insts[e].b == v;
        out[n] = static_cast<char>(out[n] | static_cast<char>(brings));
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (node_id n = 0; n != g.num_nodes(); ++n) {
        for (const node_id to : g.successors(n)) {
          if (in[to] != 0 && out[n] == 0) {
            out[n] = 1;
            changed = true;
          }
        }
        if (out[n] != 0 && in[n] == 0 && defined[v] != n) {
          in[n] = 1;
          changed = true;
        }
      }
    }
    for (node_id n = 0; n != g.num_nodes(); ++n) {
      if (live.is_live_in(v, n) != (in[n] != 0) || live.is_live_out(v, n) != (out[n] != 0)) {
        return join("value ", v, " in node ", n);
      }
    }
  }
  return {};
}

// Wasm-like: a sequence of instructions with nested regions, as the binary format has it.

enum class opcode : std::uint8_t {
  local_get,
  local_set,
  block,
  loop,
  if_,
  else_,
  end,
  br,
  br_if,
  br_table,
  return_,
  unreachable
};

struct instr {
  opcode code;
  std::uint32_t number = 0;                ///< a local, or how many regions out a branch leads
  std::vector<std::uint32_t> numbers = {}; ///< of `br_table`; the last one is the default
};

bool ends_block(opcode code) {
  return code > opcode::block;
}

/// The view: one pass finds where blocks begin and how regions nest; edges follow from these when they are asked for.
/// The label of a loop is its first block, the label of another region what follows its end. The last node is what
/// follows the function.
struct wasm_graph {
  struct region {
    opcode code;
    std::uint32_t parent;
    node_id head;
    node_id otherwise = no_node; ///< of an `if` with `else`
    node_id after = no_node;
  };

  struct block {
    std::size_t last; ///< the instruction that ends it
    std::uint32_t region;
  };

  const std::vector<instr>& code;
  std::vector<region> regions;
  std::vector<block> blocks;
  std::vector<edge_id> first_edge; ///< by node, and one more
  std::vector<node_id> sources;    ///< by edge

  explicit wasm_graph(const std::vector<instr>& function) : code(function) {
    regions.push_back({opcode::block, 0, 0}); // the function
    std::uint32_t inside = 0;
    for (std::size_t i = 0; i != code.size(); ++i) {
      const opcode c = code[i].code;
      if (c == opcode::block || c == opcode::loop || c == opcode::if_) {
        regions.push_back({c, inside, static_cast<node_id>(blocks.size() + 1)});
      }
      const auto opened = static_cast<std::uint32_t>(regions.size() - 1);
      if (ends_block(c)) {
        blocks.push_back({i, c == opcode::if_ ? opened : inside});
      }
      if (c == opcode::block || c == opcode::loop || c == opcode::if_) {
        inside = opened;
      } else if (c == opcode::else_) {
        regions[inside].otherwise = static_cast<node_id>(blocks.size());
      } else if (c == opcode::end) {
        regions[inside].after = static_cast<node_id>(blocks.size());
        inside = regions[inside].parent;
      }
    }
    blocks.push_back({code.size(), 0});
    for (node_id n = 0; n != blocks.size(); ++n) {
      first_edge.push_back(static_cast<edge_id>(sources.size()));
      sources.resize(sources.size() + num_targets(n), n);
    }
    first_edge.push_back(static_cast<edge_id>(sources.size()));
  }

  std::size_t num_nodes() const { return blocks.size(); }

  node_id entry() const { return 0; }

  auto successors(node_id n) const {
    return midend::mapped(midend::id_range<>(0, num_targets(n)), [this, n](std::uint32_t i) { return target(n, i); });
  }

  std::size_t num_edges() const { return sources.size(); }

  midend::id_range<edge_id> out_edges(node_id n) const { return {first_edge[n], first_edge[n + std::size_t{1}]}; }

  node_id edge_source(edge_id e) const { return sources[e]; }

  node_id edge_target(edge_id e) const { return target(sources[e], e - first_edge[sources[e]]); }

  std::uint32_t num_targets(node_id n) const {
    if (blocks[n].last == code.size()) {
      return 0;
    }
    const instr& last = code[blocks[n].last];
    switch (last.code) {
    case opcode::unreachable:
      return 0;
    case opcode::if_:
    case opcode::br_if:
      return 2;
    case opcode::br_table:
      return static_cast<std::uint32_t>(last.numbers.size());
    default:
      return 1;
    }
  }

  node_id target(node_id n, std::uint32_t i) const {
    const instr& last = code[blocks[n].last];
    const std::uint32_t at = blocks[n].region;
    switch (last.code) {
    case opcode::if_:
      return i == 0 ? n + 1 : regions[at].otherwise != no_node ? regions[at].otherwise : regions[at].after;
    case opcode::else_:
      return regions[at].after;
    case opcode::br:
      return label(at, last.number);
    case opcode::br_if:
      return i == 0 ? label(at, last.number) : n + 1;
    case opcode::br_table:
      return label(at, last.numbers[i]);
    case opcode::return_:
      return static_cast<node_id>(blocks.size() - 1);
    default:
      return n + 1;
    }
  }

  node_id label(std::uint32_t at, std::uint32_t out) const {
    while (out-- != 0) {
      at = regions[at].parent;
    }
    return regions[at].code == opcode::loop ? regions[at].head : regions[at].after;
  }
};

static_assert(midend::edge_indexed_flow_graph<wasm_graph>);

/// The second reading: labels are looked for in the code, each time anew, by counting what opens and what ends.
class wasm_reader {
public:
  explicit wasm_reader(const std::vector<instr>& code) : code_(code) {}

  test_graph graph() const {
    test_graph out{.name = "wasm", .num_nodes = 0, .entry = 0, .edges = {}};
    std::vector<std::size_t> begins = {0};
    for (std::size_t i = 0; i != code_.size(); ++i) {
      if (ends_block(code_[i].code)) {
        begins.push_back(i + 1);
      }
    }
    out.num_nodes = begins.size();
    for (node_id n = 0; n + std::size_t{1} < begins.size(); ++n) {
      for (const std::size_t to : after(begins[n + std::size_t{1}] - 1)) {
        const auto found = std::lower_bound(begins.begin(), begins.end(), to);
        out.edges.push_back({n, static_cast<node_id>(found - begins.begin())});
      }
    }
    return out;
  }

private:
  static bool opens(opcode c) { return c == opcode::block || c == opcode::loop || c == opcode::if_; }

  /// Where control goes after instruction `i`, which ends a block.
  std::vector<std::size_t> after(std::size_t i) const {
    const instr& at = code_[i];
    switch (at.code) {
    case opcode::if_: {
      const std::size_t other = else_or_end(i + 1);
      return {i + 1, other + 1};
    }
    case opcode::else_:
      return {end_of(i + 1) + 1};
    case opcode::br:
      return {label(i, at.number)};
    case opcode::br_if:
      return {label(i, at.number), i + 1};
    case opcode::br_table: {
      std::vector<std::size_t> out;
      for (const std::uint32_t number : at.numbers) {
        out.push_back(label(i, number));
      }
      return out;
    }
    case opcode::return_:
      return {code_.size()};
    case opcode::unreachable:
      return {};
    default:
      return {i + 1};
    }
  }

  /// The `end` of the region in which position `i` is.
  std::size_t end_of(std::size_t i) const {
    for (std::size_t depth = 0;; ++i) {
      depth += opens(code_[i].code) ? 1u : 0u;
      if (code_[i].code == opcode::end && depth-- == 0) {
        return i;
      }
    }
  }

  std::size_t else_or_end(std::size_t i) const {
    for (std::size_t depth = 0;; ++i) {
      if (depth == 0 && code_[i].code == opcode::else_) {
        return i;
      }
      depth += opens(code_[i].code) ? 1u : 0u;
      if (code_[i].code == opcode::end && depth-- == 0) {
        return i;
      }
    }
  }

  /// The label `out` regions out of position `i`.
  std::size_t label(std::size_t i, std::uint32_t out) const {
    std::size_t begin = i;
    for (std::size_t left = out + std::size_t{1}, closed = 0; begin != 0;) {
      --begin;
      if (code_[begin].code == opcode::end) {
        ++closed;
      } else if (opens(code_[begin].code)) {
        if (closed != 0) {
          --closed;
        } else if (--left == 0) {
          return code_[begin].code == opcode::loop ? begin + 1 : end_of(begin + 1) + 1;
        }
      }
    }
    return code_.size(); // of the function
  }

  const std::vector<instr>& code_;
};

/// About `size` instructions; branches lead to any region around, also after code that ends.
std::vector<instr> random_wasm(random_source& random, std::size_t size, std::uint32_t locals) {
  std::vector<instr> out;
  std::vector<opcode> open = {opcode::block};
  while (out.size() < size || open.size() != 1) {
    const auto any_label = [&] { return random.below(open.size()); };
    switch (out.size() < size ? random.below(14) : 13) {
    case 0:
    case 1:
      out.push_back({opcode::block});
      open.push_back(opcode::block);
      break;
    case 2:
    case 3:
      out.push_back({opcode::loop});
      open.push_back(opcode::loop);
      break;
    case 4:
    case 5:
      out.push_back({opcode::if_});
      open.push_back(opcode::if_);
      break;
    case 6:
      if (random.one_in(4)) { // what follows is dead up to the end of the region
        out.push_back({opcode::br, any_label()});
      }
      break;
    case 7:
    case 8:
      out.push_back({opcode::br_if, any_label()});
      break;
    case 9: {
      instr table{opcode::br_table};
      for (std::uint32_t i = random.below(4) + 1; i-- != 0;) {
        table.numbers.push_back(any_label());
      }
      out.push_back(table);
      break;
    }
    case 10:
      if (!random.one_in(4)) {
        break;
      }
      out.push_back({random.one_in(2) ? opcode::return_ : opcode::unreachable});
      break;
    case 11:
      out.push_back({opcode::local_get, random.below(locals)});
      break;
    case 12:
      out.push_back({opcode::local_set, random.below(locals)});
      break;
    default:
      if (open.back() == opcode::if_ && random.one_in(2)) {
        out.push_back({opcode::else_});
        open.back() = opcode::else_;
      } else if (open.size() != 1) {
        out.push_back({opcode::end});
        open.pop_back();
      }
    }
  }
  out.push_back({opcode::end});
  return out;
}

/// The locals as variables, over the kit's own graph of the same edges.
statement_program locals_of(const std::vector<instr>& code, const test_graph& g, std::uint32_t locals) {
  statement_program out(make_csr(g), locals);
  node_id n = 0;
  for (const instr& i : code) {
    if (i.code == opcode::local_get) {
      out.add(n, {.uses = {i.number}});
    } else if (i.code == opcode::local_set) {
      out.add(n, {.definitions = {i.number}});
    }
    n += ends_block(i.code) ? 1u : 0u;
  }
  return out;
}

} // namespace

TEST_CASE("Carbon-like: blocks by index, branches as edges, block arguments as phis") {
  random_source random(44);
  std::size_t phis = 0, two_conditions = 0;
  for (const test_graph& given : random_graphs()) {
    if (given.num_nodes > 60) {
      continue; // the definitions are cubic
    }
    const test_graph g = with_entry_of_its_own(given);
    INFO(to_string(g));
    const semir_function f = make_semir(random, g);
    const semir_graph view(f.file, f.body);
    const test_graph expected = renumbered(g);
    REQUIRE(same_edges(read_graph(view).edges, expected.edges));
    CHECK(wrong_flow(view, expected) == "");
    const semir_values values(view);
    const auto error = midend::check_ir(values);
    CHECK(!error);
    CHECK(wrong_liveness(values) == "");
    CHECK(wrong_ssa(view, random_program(random, expected, 5, 4)) == "");
    for (node_id n = 0; n != view.num_nodes(); ++n) {
      phis += values.is_phi(values.values(n)[0]) ? 1u : 0u;
      two_conditions += view.out_edges(n).size() > 2 ? 1u : 0u;
    }
  }
  CHECK(phis > 100);
  CHECK(two_conditions > 100);
}

TEST_CASE("Wasm-like: edges derived from nested regions") {
  random_source random(45);
  std::size_t loops = 0, parallel = 0, unreachable = 0, diverging = 0;
  for (std::size_t round = 0; round != (tests_are_shortened ? 100u : 400u); ++round) {
    const std::uint32_t locals = 1 + random.below(4);
    const std::vector<instr> code = random_wasm(random, 1 + random.below(90), locals);
    const wasm_graph view(code);
    const test_graph expected = wasm_reader(code).graph();
    INFO("round ", round, ": ", to_string(expected));
    REQUIRE(view.num_nodes() == expected.num_nodes);
    REQUIRE(same_edges(read_graph(view).edges, expected.edges));
    CHECK(wrong_flow(view, expected) == "");
    CHECK(wrong_ssa(view, locals_of(code, expected, locals)) == "");

    const midend::dominator_tree tree = midend::dominators(view);
    loops += midend::natural_loops(view, tree).num_loops();
    for (node_id n = 0; n != view.num_nodes(); ++n) {
      unreachable += tree.is_reachable(n) ? 0u : 1u;
      const auto to = view.successors(n);
      parallel += view.num_targets(n) == 2 && *to.begin() == *std::next(to.begin()) ? 1u : 0u;
      diverging += midend::post_dominators(view, midend::exits_only).is_diverging(n) ? 1u : 0u;
    }
  }
  CHECK(loops > affordable(100)); // all kinds are there
  CHECK(parallel > affordable(20));
  CHECK(unreachable > affordable(100));
  CHECK(diverging > affordable(20));
}

TEST_CASE("Wasm-like: control is reducible, and regions may be nested as deep as memory is") {
  constexpr std::size_t depth = tests_are_shortened ? 20'000 : 200'000;
  std::vector<instr> code;
  for (std::size_t i = 0; i != depth; ++i) {
    code.push_back({opcode::loop});
    code.push_back({opcode::local_get, 0});
  }
  for (std::size_t i = 0; i != depth; ++i) {
    code.push_back({opcode::br_if, 0});
    code.push_back({opcode::end});
  }
  code.push_back({opcode::end});
  const wasm_graph view(code);
  const midend::dominator_tree tree = midend::dominators(view);
  const midend::loop_forest forest = midend::natural_loops(view, tree);
  CHECK(forest.num_loops() == depth);
  CHECK(forest.loop_depth(static_cast<node_id>(depth)) == depth);
  CHECK(midend::post_dominators(view).roots().size() == 1);
}
