// The low-level package on functions of a module as procedures of the Elbrus-like IR (`llvm_to_eir`), beside what LLVM
// has of the same kind on the same functions, those that translate:
//
//   package/llvm/SET      `early-cse<memssa>`: dead and equal operations, constants, identities, loads and stores. The
//                         dominator tree and the alias analyses are made before; memory SSA is part of it, as what the
//                         package shares is part of the package.
//   package/midend/SET    `low_level_package`
//   package/memory/SET    `memory_redundancy` alone
//   package/control/SET   `control_canonicalization` alone
//
//   dead_code/elbrus_llvm/SET       ADCE
//   dead_code/elbrus/SET            `remove_dead_code`
//   clean_control/elbrus_llvm/SET   the four functions of LLVM for the four changes of `clean_control`
//   clean_control/elbrus/SET        `clean_control`
//
// The sets are each NAME.bc in the directory that the environment variable MIDEND_BITCODE_DIRECTORY names, see
// sqlite3_bitcode.sh: after `mem2reg`, since variables on the stack are memory. All work on fresh copies, which are not
// measured. `operations` are those of the procedures, or instructions; `removed` is how many of them are gone in the
// end.
#include "llvm_package.hpp"

#include "bitcode_files.hpp"
#include "llvm_counterparts.hpp"
#include "llvm_to_eir/translate.hpp"

#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/package/control_canonicalization.hpp>
#include <midend/package/low_level_package.hpp>
#include <midend/package/memory_redundancy.hpp>
#include <midend/transform/clean_control.hpp>
#include <midend/transform/remove_dead_code.hpp>

#include <benchmark/benchmark.h>

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace midend_benchmarks {
namespace {

namespace elbrus = midend::elbrus;
using seconds = std::chrono::duration<double>;
using midend::node_id;
using midend::value_id;

/// A module, and which of its functions can be procedures, in the order of the module.
struct translated_module {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::vector<std::string> names;
};

bool read(const std::string& path, translated_module& out) {
  llvm::SMDiagnostic problem;
  out.module = llvm::parseIRFile(path, problem, out.context);
  if (out.module == nullptr) {
    return false;
  }
  for (const llvm::Function& f : *out.module) {
    if (!f.isDeclaration()) {
      if (std::holds_alternative<elbrus::procedure>(llvm_to_eir::translate(f))) {
        out.names.push_back(f.getName().str());
      }
    }
  }
  return true;
}

std::size_t num_operations(const elbrus::procedure& p) {
  std::size_t count = 0;
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    for ([[maybe_unused]] const value_id v : p.values(n)) {
      ++count;
    }
  }
  return count;
}

/// What one run over all functions took, and how many operations there were before and after.
struct outcome {
  seconds time{};
  std::size_t before = 0;
  std::size_t after = 0;
};

/// `transform(editor)` is timed.
template <class Transform> outcome run_on_procedures(const translated_module& m, const Transform& transform) {
  outcome out;
  for (const std::string& name : m.names) {
    auto translated =
        llvm_to_eir::translate(*m.module->getFunction(name)); // a copy would have no room for one edge more
    auto& p = std::get<elbrus::procedure>(translated);
    out.before += num_operations(p);
    const auto start = std::chrono::steady_clock::now();
    elbrus::cost_editor editor(p);
    transform(editor);
    out.time += std::chrono::steady_clock::now() - start;
    out.after += num_operations(p);
  }
  return out;
}

struct package {
  static outcome run(const translated_module& m) {
    return run_on_procedures(m, [](elbrus::cost_editor& editor) {
      benchmark::DoNotOptimize(midend::low_level_package().run(editor).num_operations);
    });
  }
};

struct memory {
  static outcome run(const translated_module& m) {
    return run_on_procedures(m, [](elbrus::cost_editor& editor) {
      midend::apply_memory_redundancy(editor, midend::plan_memory_redundancy(editor));
    });
  }
};

struct control {
  static outcome run(const translated_module& m) {
    return run_on_procedures(m, [](elbrus::cost_editor& editor) {
      benchmark::DoNotOptimize(midend::control_canonicalization().run(editor).rounds);
    });
  }
};

struct dead_code {
  static outcome run(const translated_module& m) {
    midend::dead_code_workspace memory;
    midend::dead_code_plan plan;
    return run_on_procedures(m,
                             [&](elbrus::cost_editor& editor) { midend::remove_dead_code(editor, {}, memory, plan); });
  }
};

struct clean_control {
  static outcome run(const translated_module& m) {
    midend::clean_control_workspace memory;
    return run_on_procedures(m, [&](elbrus::cost_editor& editor) { midend::clean_control(editor, memory); });
  }
};

/// `Change` is a function of LLVM's functions.
template <auto Change> struct by_llvm {
  static outcome run(const translated_module& m) {
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*m.module);
    outcome out;
    for (const std::string& name : m.names) {
      llvm::Function& f = *copy->getFunction(name);
      out.before += f.getInstructionCount();
      const auto start = std::chrono::steady_clock::now();
      Change(f);
      out.time += std::chrono::steady_clock::now() - start;
      out.after += f.getInstructionCount();
    }
    return out;
  }
};

struct early_cse {
  static outcome run(const translated_module& m) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*m.module);
    outcome out;
    for (const std::string& name : m.names) {
      llvm::Function& f = *copy->getFunction(name);
      (void)functions.getResult<llvm::DominatorTreeAnalysis>(f);
      (void)functions.getResult<llvm::AssumptionAnalysis>(f);
      (void)functions.getResult<llvm::TargetLibraryAnalysis>(f);
      (void)functions.getResult<llvm::TargetIRAnalysis>(f);
      (void)functions.getResult<llvm::AAManager>(f);
      out.before += f.getInstructionCount();
      const auto start = std::chrono::steady_clock::now();
      (void)llvm::EarlyCSEPass(true).run(f, functions);
      out.time += std::chrono::steady_clock::now() - start;
      out.after += f.getInstructionCount();
      functions.clear(f, f.getName());
    }
    return out;
  }
};

template <class Contestant> void measure(benchmark::State& state, const std::string& path) {
  translated_module m;
  if (!read(path, m)) {
    state.SkipWithError(("cannot read " + path).c_str());
    return;
  }
  outcome last;
  for (auto _ : state) {
    last = Contestant::run(m);
    state.SetIterationTime(last.time.count());
  }
  using benchmark::Counter;
  state.counters["functions"] = static_cast<double>(m.names.size());
  state.counters["operations"] = static_cast<double>(last.before);
  state.counters["removed"] = static_cast<double>(last.before) - static_cast<double>(last.after);
  state.counters["ns_per_operation"] =
      Counter(static_cast<double>(last.before) * 1e-9, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

template <class Contestant> void add(const std::string& name, const std::string& path) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { measure<Contestant>(state, path); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

} // namespace

void register_llvm_package() {
  for (const std::filesystem::path& file : bitcode_files()) {
    const std::string set = file.stem().string();
    add<early_cse>("package/llvm/" + set, file.string());
    add<package>("package/midend/" + set, file.string());
    add<memory>("package/memory/" + set, file.string());
    add<control>("package/control/" + set, file.string());
    add<by_llvm<remove_by_llvm>>("dead_code/elbrus_llvm/" + set, file.string());
    add<dead_code>("dead_code/elbrus/" + set, file.string());
    add<by_llvm<clean_by_llvm>>("clean_control/elbrus_llvm/" + set, file.string());
    add<clean_control>("clean_control/elbrus/" + set, file.string());
  }
}

} // namespace midend_benchmarks
