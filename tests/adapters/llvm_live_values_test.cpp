// Generated functions of LLVM: liveness through the view is that of the programs they were made from.
#include "kit/ssa_ir.hpp"
#include "kit/test_graph.hpp"

#include <midend/adapters/llvm_ssa.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/ssa/live_values.hpp>

#include <doctest/doctest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace midend_tests;

namespace {

/// A program over a random graph of reachable nodes, in which parallel edges bring a phi the same value, as in LLVM.
ssa_program random_llvm_like_program(random_source& random) {
  const std::size_t nodes = 1 + random.below(12);
  std::vector<edge> edges;
  for (node_id n = 1; n != nodes; ++n) {
    edges.push_back({random.below(n), n});
  }
  for (std::size_t left = random.below(2 * nodes); nodes > 1 && left != 0; --left) {
    const node_id source = random.below(nodes);
    edges.push_back({source, 1 + random.below(nodes - 1)});
  }
  ssa_program p = random_ssa_program(random, midend::csr_graph::from_edges(nodes, 0, edges).value(), 4);
  for (value_id v = 0; v != p.num_values(); ++v) {
    if (p.is_phi(v)) {
      std::vector<value_id> inputs(p.operands(v).begin(), p.operands(v).end());
      const auto sources = p.graph().predecessors(p.node(v)); // ascending
      for (std::size_t i = 1; i != inputs.size(); ++i) {
        inputs[i] = sources[i] == sources[i - 1] ? inputs[i - 1] : inputs[i];
      }
      p.set_operands(v, inputs);
    }
  }
  return p;
}

std::string text_of(const ssa_program& p, node_id n, value_id v) {
  std::string text = join("  %v", v, " = ");
  if (p.is_phi(v)) {
    text += "phi i32";
    const auto sources = p.graph().predecessors(n);
    for (std::size_t i = 0; i != sources.size(); ++i) {
      text += join(i == 0 ? " [ " : ", [ ", "%v", p.operands(v)[i], ", %b", sources[i], " ]");
    }
  } else if (p.operands(v).empty()) {
    text += "add i32 %x, 1";
  } else {
    text += join("add i32 %v", p.operands(v)[0], ", %v", p.operands(v)[1]);
  }
  return text + "\n";
}

std::string terminator_of(const ssa_program& p, node_id n) {
  const auto successors = p.graph().successors(n);
  if (successors.empty()) {
    return "  ret void\n";
  }
  std::string text = join("  switch i32 %x, label %b", successors[0], " [");
  for (std::size_t i = 1; i != successors.size(); ++i) {
    text += join(" i32 ", i, ", label %b", successors[i]);
  }
  return text + " ]\n";
}

std::string text_of(const ssa_program& p) {
  std::string text = "define void @f(i32 %x) {\n";
  for (node_id n = 0; n != p.graph().num_nodes(); ++n) {
    text += join("b", n, ":\n");
    for (const value_id v : p.values(n)) {
      text += text_of(p, n, v);
    }
    text += terminator_of(p, n);
  }
  return text + "}\n";
}

/// The numbers in the names `%v7`, ascending.
std::vector<value_id> named_values(const midend::llvm_ssa& ir, std::span<const value_id> values) {
  std::vector<value_id> out;
  for (const value_id v : values) {
    if (const llvm::StringRef name = ir.value(v)->getName(); name.starts_with("v")) {
      unsigned number = 0;
      REQUIRE(!name.drop_front().getAsInteger(10, number));
      out.push_back(number);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace

TEST_CASE("llvm_ssa: live values of generated functions") {
  random_source random(81);
  midend::llvm_ssa ir;
  midend::live_values_workspace workspace;
  midend::live_value_sets live;
  std::size_t places = 0;
  std::size_t parallel_inputs = 0;
  std::size_t failed = 0;
  for (std::size_t round = 0; round != 2000; ++round) {
    const ssa_program p = random_llvm_like_program(random);
    const std::string text = text_of(p);
    llvm::LLVMContext context;
    llvm::SMDiagnostic problem;
    const auto module = llvm::parseAssemblyString(text, problem, context);
    REQUIRE_MESSAGE(module, problem.getMessage().str() << text);
    REQUIRE(!llvm::verifyModule(*module, &llvm::errs()));
    ir.assign(*module->getFunction("f"));
    midend::live_values(ir, workspace, live);
    const auto expected = midend::live_values(p);
    bool same = live.num_nodes() == expected.num_nodes();
    for (node_id n = 0; same && n != expected.num_nodes(); ++n) {
      same = std::ranges::equal(named_values(ir, live.live_in(n)), expected.live_in(n)) &&
             std::ranges::equal(named_values(ir, live.live_out(n)), expected.live_out(n));
      const auto sources = p.graph().predecessors(n);
      parallel_inputs +=
          !p.values(n).empty() && p.is_phi(p.values(n)[0]) && std::ranges::adjacent_find(sources) != sources.end();
    }
    if (!same && ++failed <= 3) {
      FAIL_CHECK(text);
    }
    places += expected.size();
  }
  CHECK(failed == 0);
  CHECK(places > 20'000);
  CHECK(parallel_inputs > 100);
}
