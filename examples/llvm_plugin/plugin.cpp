// midend_llvm_plugin.so: midend's transformations and analyses as passes of LLVM 19.
//
//     opt-19 -load-pass-plugin=midend_llvm_plugin.so -passes='function(midend-simplify-loops,midend-rotate<verify>)'
//     MIDEND_AT='scalar-optimizer-late=midend-rotate,midend-dce' clang-19 -O2 -fpass-plugin=midend_llvm_plugin.so
//
// docs/llvm_plugin.md lists passes, options and positions.
#include "assert_trips_pass.hpp"
#include "compare_pass.hpp"
#include "transformations.hpp"
#include "unroll_pass.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/ADT/Twine.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/raw_ostream.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>

namespace {

llvm::cl::opt<bool> verify_all("midend-verify", llvm::cl::desc("All passes of midend check what they have done"));

llvm::cl::opt<std::string>
    at_option("midend-at", llvm::cl::value_desc("position=passes;..."),
              llvm::cl::desc("Function passes at positions of the pipeline, in place of the environment's MIDEND_AT"));

/// Clang reads `-mllvm` before it loads a pass plugin, so the environment says the same.
std::string setting(const std::string& option, const char* name) {
  const char* const value = option.empty() ? std::getenv(name) : nullptr;
  return value == nullptr ? option : value;
}

bool verifies_all() {
  const char* const value = std::getenv("MIDEND_VERIFY");
  return verify_all || (value != nullptr && llvm::StringRef(value) != "0");
}

/// Whether the options in `<…>` after the name of a pass are just `option`, or there are none.
bool has_option(llvm::StringRef name, llvm::StringRef pass, llvm::StringRef option, bool& given) {
  if (!llvm::PassBuilder::checkParametrizedPassName(name, pass)) {
    return false;
  }
  name.consume_front(pass);
  given = name.consume_front("<") && name.consume_back(">") && name == option;
  return given || name.empty();
}

/// If `name` is that of a pass, with its options, adds the pass.
bool add_pass(llvm::StringRef name, llvm::FunctionPassManager& passes) {
  compare_pass compare;
  if (has_option(name, "midend-compare", "quiet", compare.quiet)) {
    passes.addPass(std::move(compare));
    return true;
  }
  if (name == assert_trips_pass::pass_name) {
    passes.addPass(assert_trips_pass());
    return true;
  }
  if (llvm::PassBuilder::checkParametrizedPassName(name, unroll_pass::pass_name)) {
    llvm::StringRef text = name.drop_front(unroll_pass::pass_name.size());
    text.consume_front("<") && text.consume_back(">");
    unroll_pass_options options;
    if (!options.read(text)) {
      return false;
    }
    options.verify = options.verify || verifies_all();
    passes.addPass(unroll_pass(options));
    return true;
  }
  for (const llvm::StringRef known : transformation_names()) {
    bool verify = false;
    if (has_option(name, known, "verify", verify)) {
      add_transformation(known, verify || verifies_all(), passes);
      return true;
    }
  }
  return false;
}

[[noreturn]] void stop(const llvm::Twine& why) {
  llvm::errs() << "midend-at: " << why << "\n";
  std::exit(1);
}

void parse(llvm::PassBuilder& builder, llvm::FunctionPassManager& passes, llvm::StringRef text) {
  if (llvm::Error error = builder.parsePassPipeline(passes, text)) {
    stop(llvm::toString(std::move(error)));
  }
}

/// Adds function passes at a position; the names are those of opt's options `-passes-ep-…`.
void register_position(llvm::PassBuilder& builder, llvm::StringRef position, const std::string& passes) {
  const auto at_functions = [&builder, passes](llvm::FunctionPassManager& manager, llvm::OptimizationLevel) {
    parse(builder, manager, passes);
  };
  const auto at_module = [&builder, passes](llvm::ModulePassManager& manager, llvm::OptimizationLevel) {
    llvm::FunctionPassManager functions;
    parse(builder, functions, passes);
    manager.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(functions)));
  };
  if (position == "pipeline-start") {
    builder.registerPipelineStartEPCallback(at_module);
  } else if (position == "pipeline-early-simplification") {
    builder.registerPipelineEarlySimplificationEPCallback(at_module);
  } else if (position == "peephole") {
    builder.registerPeepholeEPCallback(at_functions);
  } else if (position == "scalar-optimizer-late") {
    builder.registerScalarOptimizerLateEPCallback(at_functions);
  } else if (position == "optimizer-early") {
    builder.registerOptimizerEarlyEPCallback(at_module);
  } else if (position == "vectorizer-start") {
    builder.registerVectorizerStartEPCallback(at_functions);
  } else if (position == "optimizer-last") {
    builder.registerOptimizerLastEPCallback(at_module);
  } else {
    stop("no position '" + position + "'");
  }
}

/// What semicolons separate, but not those within the options of a pass.
llvm::SmallVector<llvm::StringRef> entries_of(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> entries;
  std::size_t first = 0;
  std::size_t depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i == text.size() ? ';' : text[i];
    depth += c == '<' ? 1u : 0u;
    depth -= c == '>' && depth != 0 ? 1u : 0u;
    if (i == text.size() || (c == ';' && depth == 0)) {
      if (i != first) {
        entries.push_back(text.slice(first, i));
      }
      first = i + 1;
    }
  }
  return entries;
}

void register_all(llvm::PassBuilder& builder) {
  if (llvm::PassInstrumentationCallbacks* const callbacks = builder.getPassInstrumentationCallbacks()) {
    for (const llvm::StringRef name : transformation_names()) { // for -print-after=NAME and the like
      callbacks->addClassToPassName(name, name);
    }
    callbacks->addClassToPassName(compare_pass::name(), "midend-compare");
    callbacks->addClassToPassName(unroll_pass::name(), unroll_pass::pass_name);
    callbacks->addClassToPassName(assert_trips_pass::name(), assert_trips_pass::pass_name);
  }
  builder.registerPipelineParsingCallback(
      [](llvm::StringRef name, llvm::FunctionPassManager& passes, llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
        return add_pass(name, passes);
      });
  const std::string at = setting(at_option, "MIDEND_AT");
  for (const llvm::StringRef entry : entries_of(at)) {
    const auto [position, passes] = entry.split('=');
    if (passes.empty()) {
      stop("no passes in '" + entry + "', expected position=passes");
    }
    register_position(builder, position.trim(), passes.trim().str());
  }
}

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "midend", MIDEND_PLUGIN_VERSION, register_all};
}
