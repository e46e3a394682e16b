// numbered_ssa.hpp: against the numbered programs that the handles were made from.
#include "kit/affordable.hpp"
#include "kit/semantic_ir.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/graph/numbered.hpp>
#include <midend/ir/ir_error.hpp>
#include <midend/ir/numbered_ssa.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/live_values.hpp>
#include <midend/ssa/sccp.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

using namespace midend_tests;
using midend::check_ir;
using midend::ir_error;
using midend::no_edge;
using reason = ir_error::reason;

namespace {

struct value {
  value_id origin;
};

struct block {
  node_id origin = no_node;
  std::vector<const block*> next;
};

/// How inputs of phis are listed.
enum class phi_form { by_edge, by_predecessor };

/// A program whose values and blocks are known by their addresses, with a terminator in each node that has a condition.
struct handle_view : midend::numbered_ssa_form<const block*, const value*> {
  using constant_type = std::uint64_t;

  const semantic_program& program;

  handle_view(const semantic_program& p, const std::vector<block>& blocks, const std::vector<value>& all, phi_form form)
      : program(p) {
    const auto next = [](const block* b) -> const auto& { return b->next; };
    assign(midend::numbered(&blocks[p.graph().entry()], next), nullptr, [&](const block* b, auto& out) {
      for (const value_id v : p.values(b->origin)) {
        if (p.is_phi(v)) {
          std::vector<const block*> from;
          std::vector<const value*> inputs;
          for (const edge_id e : p.graph().in_edges(b->origin)) {
            const block* const source = &blocks[p.graph().edge_source(e)];
            if (form == phi_form::by_edge || std::find(from.begin(), from.end(), source) == from.end()) {
              from.push_back(source);
              inputs.push_back(&all[p.phi_input(v, e)]);
            }
          }
          out.phi(&all[v], from, inputs);
        } else {
          out.operation(&all[v], midend::mapped(p.operands(v), [&](value_id o) { return &all[o]; }));
        }
      }
      if (p.condition(b->origin) != no_value) {
        out.branch(&all[p.condition(b->origin)]);
      }
    });
  }

  std::optional<value_id> origin(value_id v) const {
    return handle(v) == nullptr ? std::nullopt : std::optional(handle(v)->origin);
  }

  midend::operation_info operation(value_id v) const {
    return origin(v) ? program.operation(*origin(v)) : midend::operation_info{operation::other, 64, 64, {}};
  }

  std::optional<std::uint64_t> constant(value_id v) const {
    return origin(v) ? program.constant(*origin(v)) : std::nullopt;
  }

  std::optional<std::uint64_t> fold(value_id v, std::span<const std::uint64_t> args) const {
    return origin(v) ? program.fold(*origin(v), args) : std::nullopt;
  }

  edge_id origin_of_edge(edge_id e) const {
    return program.edge_of(block_of(graph().edge_source(e))->origin, successor_position(e));
  }

  std::optional<std::uint64_t> edge_case(edge_id e) const { return program.edge_case(origin_of_edge(e)); }

  bool is_undefined(value_id v) const { return origin(v) && program.is_undefined(*origin(v)); }
};

static_assert(midend::semantic_ir<handle_view>);
static_assert(midend::ssa_ir<midend::numbered_ssa_form<const block*, const value*>>);

/// Whether parallel edges bring each phi the same input.
bool parallel_edges_agree(const semantic_program& p) {
  for (node_id n = 0; n != p.graph().num_nodes(); ++n) {
    for (const value_id v : p.values(n)) {
      std::map<node_id, value_id> arrives;
      for (const edge_id e : p.graph().in_edges(n)) {
        if (p.is_phi(v) &&
            arrives.try_emplace(p.graph().edge_source(e), p.phi_input(v, e)).first->second != p.phi_input(v, e)) {
          return false;
        }
      }
    }
  }
  return true;
}

/// The first difference between the view and the program, or an empty text.
std::string difference(const handle_view& ir) {
  const semantic_program& p = ir.program;
  for (node_id n = 0; n != ir.graph().num_nodes(); ++n) {
    const node_id from = ir.block_of(n)->origin;
    std::vector<value_id> values;
    for (const value_id v : ir.values(n)) {
      if (ir.origin(v)) {
        values.push_back(*ir.origin(v));
        if (ir.number(ir.handle(v)) != v || ir.is_phi(v) != p.is_phi(*ir.origin(v))) {
          return "number or phi";
        }
        std::vector<value_id> operands;
        for (const value_id o : ir.operands(v)) {
          operands.push_back(*ir.origin(o));
        }
        std::vector<value_id> expected(p.operands(*ir.origin(v)).begin(), p.operands(*ir.origin(v)).end());
        if (p.is_phi(*ir.origin(v))) { // only edges from what the entry reaches, and by other numbers of nodes
          expected.clear();
          for (const edge_id e : ir.graph().in_edges(n)) {
            expected.push_back(p.phi_input(*ir.origin(v), ir.origin_of_edge(e)));
            if (*ir.origin(ir.phi_input(v, e)) != expected.back()) {
              return "phi input";
            }
          }
        }
        if (operands != expected) {
          return "operands";
        }
      }
    }
    if (!std::equal(values.begin(), values.end(), p.values(from).begin(), p.values(from).end())) {
      return "values";
    }
    const value_id condition = ir.condition(n);
    if ((condition == no_value ? no_value : *ir.origin(condition)) != p.condition(from)) {
      return "condition";
    }
  }
  return "";
}

} // namespace

TEST_CASE("numbered_ssa: the program that handles name, whether phis list inputs by edge or by predecessor") {
  random_source random(3);
  std::size_t by_predecessor = 0;
  std::size_t phis = 0;
  for (std::size_t i = 0; i != affordable(1500); ++i) {
    CAPTURE(i);
    const test_graph g = random_digraph(random, 1 + random.below(8), 14); // parallel edges, unreachable predecessors
    const semantic_program p = random_semantic_program(random, g, {});
    std::vector<block> blocks(p.graph().num_nodes());
    for (node_id n = 0; n != blocks.size(); ++n) {
      blocks[n].origin = n;
      for (const node_id target : p.graph().successors(n)) {
        blocks[n].next.push_back(&blocks[target]);
      }
    }
    std::vector<value> all;
    for (value_id v = 0; v != p.num_values(); ++v) {
      all.push_back({v});
      phis += p.is_phi(v);
    }
    const auto expected = midend::sccp(p);
    for (const phi_form form : {phi_form::by_edge, phi_form::by_predecessor}) {
      if (form == phi_form::by_predecessor && !parallel_edges_agree(p)) {
        continue;
      }
      by_predecessor += form == phi_form::by_predecessor;
      const handle_view ir(p, blocks, all, form);
      CHECK(difference(ir) == "");
      const auto error = check_ir(ir); // the program may have cases that its conditions miss
      CHECK((!error || error->why >= reason::condition_out_of_range));
      const auto found = midend::sccp(ir);
      for (value_id v = 0; v != ir.num_values(); ++v) {
        if (ir.origin(v)) {
          CHECK(found.constant(v) == expected.constant(*ir.origin(v)));
        }
      }
      for (node_id n = 0; n != ir.graph().num_nodes(); ++n) {
        CHECK(found.is_executable(n) == expected.is_executable(ir.block_of(n)->origin));
      }
      CHECK(midend::live_values(ir).num_nodes() == ir.graph().num_nodes());
    }
  }
  CHECK(by_predecessor >= affordable(1500) / 10);
  CHECK(phis >= affordable(1500));
}

namespace {

/// Blocks 0 → 1 twice, 1 → 1, values by name; 0 is no name.
struct small {
  std::vector<std::vector<int>> next = {{1, 1}, {1}};

  template <class Read> auto read(Read read) const {
    return midend::numbered_ssa(midend::numbered(0, [this](int b) { return next[static_cast<std::size_t>(b)]; }), 0,
                                read);
  }

  /// Node 1 has one phi, 7.
  auto with_phi(const std::vector<int>& blocks, const std::vector<int>& inputs) const {
    return read([&](int b, auto& out) {
      if (b == 1) {
        out.phi(7, blocks, inputs);
      }
    });
  }
};

/// The operands of the only phi, as names; 0 for what is not set.
template <class Form> std::vector<int> names(const Form& ir) {
  std::vector<int> out;
  for (const value_id v : ir.operands(0)) {
    out.push_back(v == no_value ? 0 : ir.handle(v));
  }
  return out;
}

} // namespace

TEST_CASE("numbered_ssa: inputs of phis along parallel edges") {
  const small f; // the edges into node 1: two from 0, one from 1
  CHECK(names(f.with_phi({0, 1}, {5, 7})) == std::vector<int>{5, 5, 7});
  CHECK(names(f.with_phi({1, 0}, {7, 5})) == std::vector<int>{5, 5, 7});
  CHECK(names(f.with_phi({0, 1, 0}, {5, 7, 6})) == std::vector<int>{5, 6, 7}); // by successor
  CHECK(names(f.with_phi({0, 1, 9}, {5, 7, 6})) == std::vector<int>{5, 5, 7}); // control does not reach block 9
  for (const auto& ir :
       {f.with_phi({0, 1}, {5, 7}), f.with_phi({0, 1, 0}, {5, 7, 6}), f.with_phi({0, 1, 9}, {5, 7, 6})}) {
    CHECK(check_ir(ir) == std::nullopt);
  }
}

TEST_CASE("numbered_ssa: what check_ir says of inputs that do not fit the edges") {
  const small f;
  CHECK(check_ir(f.with_phi({0}, {5})) ==
        ir_error{.why = reason::phi_input_not_set, .node = 1, .value = 0, .edge = 2, .number = no_value});
  CHECK(check_ir(f.with_phi({0, 1}, {5, 0})) == // no name
        ir_error{.why = reason::phi_input_not_set, .node = 1, .value = 0, .edge = 2, .number = no_value});
  CHECK(check_ir(f.with_phi({0, 1, 1}, {5, 7, 6})) == // one edge from 1
        ir_error{.why = reason::phi_operand_not_input, .node = 1, .value = 0, .position = 3, .number = 2});
  small three = f;
  three.next[0] = {1, 1, 1};
  CHECK(check_ir(three.with_phi({0, 1, 0}, {5, 7, 6})) == // two inputs for three edges
        ir_error{.why = reason::phi_input_not_set, .node = 1, .value = 0, .edge = 2, .number = no_value});
  small far = f;
  far.next = {{1, 2}, {1}, {}};
  CHECK(check_ir(far.with_phi({0, 1, 2}, {5, 7, 6})) == // node 2 does not lead there
        ir_error{.why = reason::phi_operand_not_input, .node = 1, .value = 0, .position = 2, .number = 2});
  const auto late = f.read([](int b, auto& out) {
    if (b == 1) {
      out.operation(8, {7, 7});
      out.phi(7, std::vector<int>{0, 1}, std::vector<int>{5, 8});
    }
  });
  CHECK(check_ir(late) == ir_error{.why = reason::phi_after_other_value, .node = 1, .value = 1, .position = 1});
}

TEST_CASE(
    "numbered_ssa: numbers follow the order of reading; what is only read comes last, in the order of first use") {
  small f;
  f.next = {{1}, {0, 2}, {}};
  std::vector<value_id> numbers;
  const auto ir = f.read([&](int b, auto& out) {
    if (b == 0) {
      numbers.push_back(out.operation(10, {20, 30}));
      numbers.push_back(out.operation(0, {10, 0, 40})); // no result, and one operand is left out
    } else if (b == 1) {
      numbers.push_back(out.comparing_branch(std::vector<int>{12, 40})); // 12 is computed later
    } else {
      numbers.push_back(out.operation(12, {10}));
      numbers.push_back(out.branch(50));
    }
  });
  CHECK(numbers == std::vector<value_id>{0, 1, 2, 3, 4});
  CHECK(ir.num_placed() == 5);
  CHECK(ir.num_values() == 9);
  const std::vector<int> handles{10, 0, 0, 12, 0, 20, 30, 40, 50};
  for (value_id v = 0; v != 9; ++v) {
    CHECK(ir.handle(v) == handles[v]);
  }
  CHECK(ir.operands(1).size() == 2);
  CHECK(ir.operands(2)[0] == 3);
  CHECK(ir.condition(0) == no_value);
  CHECK(ir.condition(1) == 2); // the terminator itself
  CHECK(ir.condition(2) == 8);
  CHECK(ir.number(50) == 8);
  CHECK(ir.number(51) == no_value);
  CHECK(*ir.outside().begin() == 5);
  CHECK(ir.operands(8).empty());
  CHECK(!ir.is_phi(8));
  CHECK(midend::numbered_ssa_form<int, int>().num_values() == 0);
}
