// Functions of LLVM from text and back, for tests of the adapters.
#pragma once

#include <midend/adapters/llvm_editor.hpp>
#include <midend/ir/ids.hpp>

#include <doctest/doctest.h>

#include <llvm/ADT/StringRef.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Value.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <memory>
#include <string>
#include <string_view>

namespace midend_tests {

/// A module in a context of its own. The test ends if the text is not one.
struct parsed_llvm {
  explicit parsed_llvm(const std::string& text) : module(llvm::parseAssemblyString(text, problem, context)) {
    REQUIRE_MESSAGE(module, problem.getMessage().str(), text);
  }

  /// The function `@f`.
  llvm::Function& f() const { return *module->getFunction("f"); }

  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module;
};

inline std::string to_text(const llvm::Function& f) {
  std::string text;
  llvm::raw_string_ostream out(text);
  f.print(out);
  return text;
}

/// What LLVM's verifier says, with the function, or nothing.
inline std::string verifier_message(const llvm::Function& f) {
  std::string text;
  llvm::raw_string_ostream out(text);
  return llvm::verifyFunction(f, &out) ? text + to_text(f) : std::string();
}

/// A copy of a function with the same numbers, in its module.
inline llvm::Function& copy_of(llvm::Function& f) {
  llvm::ValueToValueMapTy map;
  llvm::Function* const copy = llvm::CloneFunction(&f, map);
  copy->setName("before");
  return *copy;
}

/// The value with a name, or `no_value`. A view or editor.
template <class IR> midend::value_id named(const IR& ir, std::string_view name) {
  for (midend::value_id v = 0; v != ir.num_values(); ++v) {
    if (ir.value(v)->getName() == llvm::StringRef(name.data(), name.size())) {
      return v;
    }
  }
  return midend::no_value;
}

} // namespace midend_tests
