// elbrus_to_eir: a function of your own IR as a program of the Elbrus-like IR, to look at and to run.
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/to_eir.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/ir/cost.hpp>
#include <midend/ir/frozen.hpp>
#include <midend/viz/eir_refusals.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace elbrus = midend::elbrus;
using midend::edge_id;
using midend::node_id;
using midend::operation;
using midend::value_id;

// `rotate` is not in the vocabulary of midend.
struct my_value {
  enum kind_of_value { number, argument, phi, compute, rotate, load, branch, result } kind;

  std::uint8_t width;
  std::vector<value_id> operands = {};
  operation code = operation::other;
  std::uint64_t bits = 0;
};

struct my_view {
  using constant_type = std::uint64_t;

  midend::csr_graph cfg;
  std::vector<my_value> code;
  std::vector<std::vector<value_id>> blocks;

  const midend::csr_graph& graph() const { return cfg; }

  std::size_t num_values() const { return code.size(); }

  std::span<const value_id> values(node_id n) const { return blocks[n]; }

  std::span<const value_id> operands(value_id v) const { return code[v].operands; }

  bool is_phi(value_id v) const { return code[v].kind == my_value::phi; }

  value_id phi_input(value_id v, edge_id e) const { return operands(v)[cfg.edge_source(e) == 0 ? 0 : 1]; }

  value_id condition(node_id n) const {
    const my_value& last = code[blocks[n].back()];
    return last.kind == my_value::branch && !last.operands.empty() ? last.operands[0] : midend::no_value;
  }

  midend::operation_info operation(value_id v) const {
    return {.code = code[v].code, .width = code[v].width, .operand_width = 32};
  }

  std::optional<std::uint64_t> constant(value_id v) const {
    return code[v].kind == my_value::number ? std::optional(code[v].bits) : std::nullopt;
  }

  std::optional<std::uint64_t> fold(value_id, std::span<const std::uint64_t>) const { return std::nullopt; }

  std::optional<std::uint64_t> edge_case(edge_id e) const { return cfg.edge_target(e) == 1 ? 1 : 0; }

  std::optional<midend::operation_class> cost(value_id v) const {
    return code[v].kind == my_value::load     ? midend::operation_class::load
           : code[v].kind == my_value::rotate ? midend::operation_class::shift
           : code[v].kind >= my_value::branch ? midend::operation_class::branch
                                              : midend::usual_class(operation(v));
  }

  midend::effect_kind effect(value_id v) const {
    return code[v].kind == my_value::load ? midend::effect_kind::reads : midend::effect_kind::none;
  }

  std::optional<midend::memory_reference> memory(value_id v) const {
    return midend::memory_reference{.base = operands(v)[0], .index = operands(v)[1], .bytes = 4, .scale = 4};
  }

  std::uint32_t identity(value_id v) const { return code[v].kind == my_value::rotate ? 1 : 0; }
};

// i = 0; h = 7; do { h = rotate(h, 5) ^ a[i]; } while (++i < n);
static my_view hash_of_array() {
  using enum my_value::kind_of_value;
  my_view f;
  f.cfg = midend::csr_graph::from_edges(3, 0, {{{0, 1}, {1, 1}, {1, 2}}}).value();
  f.code = {{.kind = argument, .width = 64},
            {.kind = argument, .width = 32},
            {.kind = number, .width = 32, .bits = 0},
            {.kind = number, .width = 32, .bits = 1},
            {.kind = number, .width = 32, .bits = 5},
            {.kind = number, .width = 32, .bits = 7},
            {.kind = branch, .width = 64},
            {.kind = phi, .width = 32, .operands = {2, 12}},
            {.kind = phi, .width = 32, .operands = {5, 11}},
            {.kind = load, .width = 32, .operands = {0, 7}},
            {.kind = rotate, .width = 32, .operands = {8, 4}},
            {.kind = compute, .width = 32, .operands = {10, 9}, .code = operation::bit_xor},
            {.kind = compute, .width = 32, .operands = {7, 3}, .code = operation::add},
            {.kind = compute, .width = 1, .operands = {12, 1}, .code = operation::less},
            {.kind = branch, .width = 64, .operands = {13}},
            {.kind = result, .width = 64, .operands = {11}}};
  f.blocks = {{6}, {7, 8, 9, 10, 11, 12, 13, 14}, {15}};
  return f;
}

// [host]
/// What the externals of the program do.
static elbrus::host_answer call_host(const elbrus::host_call& call) {
  if (call.callee == "other_shift_1") {
    const auto number = static_cast<std::uint32_t>(call.arguments[0].bits);
    return elbrus::host_answer::of(std::rotl(number, static_cast<int>(call.arguments[1].bits)));
  }
  if (call.callee == "exit_0") {
    std::printf("%llx\n", static_cast<unsigned long long>(call.arguments[0].bits));
    return elbrus::host_answer::done();
  }
  return elbrus::host_answer::unknown();
}

// [host]

int main() {
  // [convert]
  const midend::flat_program program = midend::frozen(hash_of_array());
  const elbrus::to_eir_result shown = elbrus::to_eir(program, "hash");
  const std::string text = shown ? to_text(shown.program) : to_text(shown.refusal);
  std::fputs(text.c_str(), stdout);
  // [convert]
  if (!shown) {
    return 1;
  }
  elbrus::memory arrays;
  const std::uint64_t numbers[] = {1, 2, 3};
  const std::uint64_t a = arrays.add("a", elbrus::type::i32, numbers);
  const elbrus::scalar arguments[] = {{elbrus::type::ptr, a}, {elbrus::type::i32, 3}};
  elbrus::run_options options;
  options.host = call_host;
  const elbrus::run_result result = elbrus::interpreter(shown.program).run(0, arguments, std::move(arrays), options);
  return result.trap ? 1 : 0;
}
