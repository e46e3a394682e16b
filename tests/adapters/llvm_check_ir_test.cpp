// check_ir.hpp: nothing is found in the views of LLVM functions.
#include <midend/adapters/llvm_cost.hpp>
#include <midend/adapters/llvm_ssa.hpp>
#include <midend/adapters/llvm_variables.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/viz/ir_errors.hpp>

#include <doctest/doctest.h>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>

#include <cstddef>
#include <string>

namespace {

template <class IR> std::string finding(const IR& ir) {
  const auto error = midend::check_ir(ir);
  return error ? midend::to_text(*error) : std::string();
}

} // namespace

TEST_CASE("check_ir finds nothing in the views of the functions of the test modules") {
  llvm::LLVMContext context;
  std::size_t functions = 0;
  for (const char* const name : {"constants.ll", "loops.ll", "unrolling.ll"}) {
    llvm::SMDiagnostic error;
    const auto module = llvm::parseIRFile(std::string(MIDEND_TEST_DATA "/llvm/") + name, error, context);
    REQUIRE(module);
    for (const llvm::Function& f : *module) {
      CAPTURE(f.getName().str());
      CHECK(finding(midend::llvm_ssa(f)) == "");
      CHECK(finding(midend::llvm_cost(f)) == "");
      const midend::llvm_ssa values(f);
      CHECK(finding(midend::llvm_variables(values)) == "");
      functions += f.isDeclaration() ? 0 : 1;
    }
  }
  CHECK(functions >= 10);
}
