// Bytes to a function of LLVM and edits of it by llvm_editor: LLVM's verifier accepts it after each edit, and the
// editor knows what is there.
#include "../kit/random_llvm_function.hpp"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

/// Numbers from a byte each; zeros when there are no more.
class byte_source {
public:
  byte_source(const std::uint8_t* data, std::size_t size) : next_(data), end_(data + size) {}

  bool is_empty() const { return next_ == end_; }

  std::uint32_t below(std::size_t bound) { return is_empty() ? 0 : static_cast<std::uint32_t>(*next_++ % bound); }

  bool one_in(std::size_t n) { return below(n) == 0; }

private:
  const std::uint8_t* next_;
  const std::uint8_t* end_;
};

void require(bool condition, const std::string& what, const llvm::Function& f) {
  if (!condition) {
    std::string text;
    llvm::raw_string_ostream out(text);
    f.print(out);
    std::fprintf(stderr, "fuzz_llvm: %s\n%s\n", what.c_str(), text.c_str());
    std::abort();
  }
}

/// What LLVM's verifier says, or nothing.
std::string verifier_message(const llvm::Function& f) {
  std::string text;
  llvm::raw_string_ostream out(text);
  return llvm::verifyFunction(f, &out) ? text : std::string();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  byte_source bytes(data, size);
  llvm::LLVMContext context;
  llvm::Module module("fuzzed", context);
  const bool with_exceptions = bytes.one_in(4);
  midend_tests::random_llvm_function generator(module, bytes, with_exceptions);
  llvm::Function& f = generator.make();
  llvm::EliminateUnreachableBlocks(f); // so that edges lead where what phis read is computed
  require(verifier_message(f).empty(), "not a function to begin with", f);
  midend::llvm_editor editor(f);
  for (std::size_t edits = 0; edits != 50 && !bytes.is_empty() && editor.graph().num_nodes() > 1; ++edits) {
    midend_tests::edit_randomly(editor, bytes);
    editor.finish();
    require(editor.is_consistent(), "not consistent", f);
    const std::string message = verifier_message(f);
    // A use may no longer be dominated after an edge was led elsewhere; everything else must hold.
    if (message.find("does not dominate") != std::string::npos) {
      break;
    }
    require(message.empty(), message, f);
  }
  return 0;
}
