// The oracle of trials on functions of LLVM: to try on the user's own function, and to take everything back.
#include <midend/adapters/llvm_package_editor.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/cost/estimate.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/package/clean_up.hpp>
#include <midend/transform/recording_editor.hpp>
#include <midend/transform/unroll_loops.hpp>

#include <doctest/doctest.h>

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace {

struct llvm_figures {
  double cycles = 0;
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const llvm_figures&, const llvm_figures&) = default;
};

/// Unrolls innermost loops, cleans up, and measures.
template <class E> llvm_figures unroll_and_measure(E& editor, std::uint32_t factor) {
  const auto before = midend::dominators_and_loops(editor.graph());
  std::vector<midend::unrolling_request> requests;
  for (const midend::loop_id l : before.loops.loops()) {
    if (before.loops.subloops(l).size() == 1) {
      requests.push_back({l, {midend::unrolling_kind::partial, factor}});
    }
  }
  midend::unroll_loops(editor, before.loops, requests);
  midend::clean_up(editor);
  const E& view = editor;
  const auto found = midend::dominators_and_loops(view.graph());
  const auto cost = midend::estimate(view, found.loops, midend::e2k_reference_v6());
  return {cost.cycles, cost.operations, cost.bytes};
}

/// Whether the predecessor of input `i` comes before that of input `k` in the function.
bool is_before(const llvm::PHINode& phi, unsigned i, unsigned k) {
  for (const llvm::BasicBlock& block : *phi.getFunction()) {
    if (&block == phi.getIncomingBlock(k) || &block == phi.getIncomingBlock(i)) {
      return &block == phi.getIncomingBlock(i) && phi.getIncomingBlock(i) != phi.getIncomingBlock(k);
    }
  }
  return false;
}

/// The text of a function; inputs of phis, whose order says nothing, by predecessor.
std::string text_of(llvm::Function& f) {
  for (llvm::BasicBlock& block : f) {
    for (llvm::PHINode& phi : block.phis()) {
      for (unsigned i = 1; i < phi.getNumIncomingValues(); ++i) {
        for (unsigned k = i; k != 0 && is_before(phi, k, k - 1); --k) {
          llvm::Value* const value = phi.getIncomingValue(k);
          llvm::BasicBlock* const from = phi.getIncomingBlock(k);
          phi.setIncomingValue(k, phi.getIncomingValue(k - 1));
          phi.setIncomingBlock(k, phi.getIncomingBlock(k - 1));
          phi.setIncomingValue(k - 1, value);
          phi.setIncomingBlock(k - 1, from);
        }
      }
    }
  }
  std::string out;
  llvm::raw_string_ostream stream(out);
  f.print(stream);
  return out;
}

} // namespace

TEST_CASE("the oracle on functions of LLVM: unroll, clean up, measure and undo gives the figures of the deed") {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::size_t smaller = 0;
  for (const char* const file : {MIDEND_TEST_DATA "/llvm/unrolling.ll"}) {
    const std::unique_ptr<llvm::Module> module = llvm::parseIRFile(file, problem, context);
    REQUIRE_MESSAGE(module, problem.getMessage().str());
    const std::unique_ptr<llvm::Module> deeds = llvm::CloneModule(*module);
    for (llvm::Function& f : *module) {
      if (f.isDeclaration()) {
        continue;
      }
      CAPTURE(f.getName().str());
      const std::string original = text_of(f);
      llvm_figures expected;
      {
        midend::recording_editor<midend::llvm_package_editor> editor(f);
        expected = unroll_and_measure(editor, 3);
        editor.undo();
      }
      CHECK(!llvm::verifyFunction(f));
      CHECK(text_of(f) == original);
      llvm::Function& deed = *deeds->getFunction(f.getName());
      {
        midend::llvm_package_editor editor(deed);
        CHECK(unroll_and_measure(editor, 3) == expected);
      }
      CHECK(!llvm::verifyFunction(deed));
      smaller += text_of(deed) != original ? 1u : 0u;
    }
  }
  CHECK(smaller >= 5);
}
