#include <midend/adapters/llvm.hpp>

#include <midend/dominance/dominators.hpp>
#include <midend/loops/natural_loops.hpp>

#include <doctest/doctest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace {

struct parsed {
  explicit parsed(const char* text) : module(llvm::parseAssemblyString(text, problem, context)) {}

  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module;
};

std::string name_of(const midend::llvm_function_graph& g, midend::node_id n) {
  return n == midend::no_node ? std::string("-") : g.handle(n)->getName().str();
}

} // namespace

static_assert(midend::edge_indexed_flow_graph<midend::llvm_function_graph>);

TEST_CASE("llvm_graph: blocks in order of discovery, unreachable ones last, parallel edges kept") {
  const parsed p(R"(
    define void @f(i32 %x) {
    entry:
      switch i32 %x, label %exit [ i32 1, label %head
                                   i32 2, label %head ]
    dead:
      br label %head
    body:
      br label %head
    head:
      br i1 false, label %body, label %exit
    exit:
      ret void
    }
    declare void @g()
  )");
  REQUIRE(p.module);
  const auto g = midend::llvm_graph(*p.module->getFunction("f"));
  std::vector<std::string> names;
  for (midend::node_id n = 0; n != g.num_nodes(); ++n) {
    names.push_back(name_of(g, n));
    CHECK(g.number(g.handle(n)) == n);
  }
  CHECK(names == std::vector<std::string>{"entry", "exit", "head", "body", "dead"});
  CHECK(g.entry() == 0);
  CHECK(std::ranges::equal(g.successors(0), std::vector<midend::node_id>{1, 2, 2}));
  CHECK(std::ranges::equal(g.successors(4), std::vector<midend::node_id>{2}));

  const auto tree = midend::dominators(g);
  CHECK(name_of(g, tree.immediate_dominator(2)) == "entry");
  CHECK(name_of(g, tree.immediate_dominator(3)) == "head");
  CHECK(!tree.is_reachable(4));
  const auto loops = midend::natural_loops(g, tree);
  REQUIRE(loops.num_loops() == 1);
  CHECK(name_of(g, loops.header(0)) == "head");
  CHECK(loops.preheader(0) == midend::no_node);

  const auto declaration = midend::llvm_graph(*p.module->getFunction("g"));
  CHECK(declaration.num_nodes() == 0);
  CHECK(midend::dominators(declaration).num_nodes() == 0);
}
