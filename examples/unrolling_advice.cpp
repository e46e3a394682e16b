// Unrolling advice for your own IR: the view that it needs, and the advice as text.
#include <midend/graph/csr_graph.hpp>
#include <midend/ir/cost.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/viz/unrolling.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

using midend::edge_id;
using midend::node_id;
using midend::operation;
using midend::value_id;

// All numbers have 32 bits. A load reads the element `operands[1] + offset` of the array `operands[0]`.
struct my_value {
  enum kind_of_value { number, argument, phi, compute, load, branch, result } kind;

  const char* name;
  std::vector<value_id> operands = {};
  operation code = operation::other;
  std::uint64_t bits = 0;
  std::int64_t offset = 0;
};

struct my_function {
  midend::csr_graph graph;
  std::vector<my_value> code;
  std::vector<std::vector<value_id>> blocks;
  value_id counter;
};

// [view]
struct my_view {
  using constant_type = std::uint64_t;

  const my_function& f;

  // What the values are.
  const midend::csr_graph& graph() const { return f.graph; }

  std::size_t num_values() const { return f.code.size(); }

  std::span<const value_id> values(node_id n) const { return f.blocks[n]; }

  std::span<const value_id> operands(value_id v) const { return f.code[v].operands; }

  bool is_phi(value_id v) const { return f.code[v].kind == my_value::phi; }

  value_id phi_input(value_id v, edge_id e) const { return operands(v)[f.graph.edge_source(e) == 0 ? 0 : 1]; }

  value_id condition(node_id n) const {
    const my_value& last = f.code[f.blocks[n].back()];
    return last.kind == my_value::branch && !last.operands.empty() ? last.operands[0] : midend::no_value;
  }

  // What they mean.
  midend::operation_info operation(value_id v) const {
    const std::uint8_t width = midend::is_comparison(f.code[v].code) ? 1 : 32;
    const bool is_counter = v == f.counter; // which does not wrap: arrays are not that large
    return {.code = f.code[v].code, .width = width, .operand_width = 32, .flags = {.no_signed_wrap = is_counter}};
  }

  std::optional<std::uint64_t> constant(value_id v) const {
    return f.code[v].kind == my_value::number ? std::optional(f.code[v].bits) : std::nullopt;
  }

  std::optional<std::uint64_t> fold(value_id, std::span<const std::uint64_t>) const { return std::nullopt; }

  std::optional<std::uint64_t> edge_case(edge_id e) const { return f.graph.edge_target(e) == 1 ? 1 : 0; }

  // What they cost.
  std::optional<midend::operation_class> cost(value_id v) const {
    switch (f.code[v].kind) {
    case my_value::load:
      return midend::operation_class::load;
    case my_value::branch:
    case my_value::result:
      return midend::operation_class::branch;
    default:
      return midend::usual_class(operation(v));
    }
  }

  midend::effect_kind effect(value_id v) const {
    return f.code[v].kind == my_value::load ? midend::effect_kind::reads : midend::effect_kind::none;
  }

  std::optional<midend::memory_reference> memory(value_id v) const {
    return midend::memory_reference{
        .base = operands(v)[0], .index = operands(v)[1], .bytes = 4, .scale = 4, .offset = 4 * f.code[v].offset};
  }
};

static_assert(midend::cost_ir<my_view>);

// [view]

struct my_names {
  const my_function& f;

  std::string value(value_id v) const { return std::string("%") + f.code[v].name; }

  std::string node(node_id n) const { return "block " + std::to_string(n); }
};

// i = 0; s = 0; do { s += x[i] * x[i + 1] * x[i + 2]; } while (++i < n);
static my_function neighbours() {
  using enum my_value::kind_of_value;
  my_function f;
  f.graph = midend::csr_graph::from_edges(3, 0, {{{0, 1}, {1, 1}, {1, 2}}}).value();
  f.code = {{.kind = number, .name = "0"},
            {.kind = number, .name = "1", .bits = 1},
            {.kind = argument, .name = "x"},
            {.kind = argument, .name = "n"},
            {.kind = phi, .name = "i", .operands = {0, 11}},
            {.kind = phi, .name = "s", .operands = {0, 10}},
            {.kind = load, .name = "left", .operands = {2, 4}},
            {.kind = load, .name = "middle", .operands = {2, 4}, .offset = 1},
            {.kind = load, .name = "right", .operands = {2, 4}, .offset = 2},
            {.kind = compute, .name = "product", .operands = {6, 7}, .code = operation::mul},
            {.kind = compute, .name = "sum", .operands = {5, 13}, .code = operation::add},
            {.kind = compute, .name = "next", .operands = {4, 1}, .code = operation::add},
            {.kind = compute, .name = "again", .operands = {11, 3}, .code = operation::less},
            {.kind = compute, .name = "all", .operands = {9, 8}, .code = operation::mul},
            {.kind = branch, .name = "", .operands = {12}},
            {.kind = branch, .name = ""},
            {.kind = result, .name = "", .operands = {10}}};
  f.blocks = {{15}, {4, 5, 6, 7, 8, 9, 13, 10, 11, 12, 14}, {16}};
  f.counter = 11;
  return f;
}

template <class M> static void print_advice(const my_function& f, const char* name, const M& machine) {
  const my_view view{f};
  const midend::loop_forest loops = midend::dominators_and_loops(f.graph).loops;
  for (const midend::loop_id l : loops.loops()) {
    const midend::unrolling_advice advice = midend::advise_unrolling(view, loops, l, machine);
    std::printf("%s, %s", name, midend::to_text(advice, machine, my_names{f}).c_str());
  }
}

int main() {
  const my_function f = neighbours();
  print_advice(f, "e2k", midend::e2k_reference_v6());
  std::printf("\n");
  print_advice(f, "one operation per cycle", midend::scalar_core());
  return 0;
}
