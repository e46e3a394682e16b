// SSA construction from stack slots: midend's `construct_ssa` over `llvm_slot_values` against LLVM's `PromoteMemToReg`,
// function by function:
//
//   construct_ssa/llvm/SET          slots that can be promoted, dominators, PromoteMemToReg; changes the function
//   construct_ssa/midend/SET        slots and their accesses, graph, dominators, phis and the values of all loads;
//                                   workspaces are kept; the function stays as it is
//   construct_ssa/midend_view/SET   the part of it that reads the function
//
// Each pass is over a fresh clone of the module, made outside of the time, for both sides. Before, both must find the
// same slots, and place as many phis in each block. The sets are each NAME.bc in the directory that the environment
// variable MIDEND_BITCODE_DIRECTORY names; functions without `alloca` are left out. See debian_bitcode.sh --slots.
#include "llvm_ssa_construction.hpp"

#include "bitcode_files.hpp"

#include <midend/adapters/llvm_slot_values.hpp>

#include <benchmark/benchmark.h>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace midend_benchmarks {
namespace {

/// A file, and whether both sides agree about it.
struct bitcode_with_slots {
  explicit bitcode_with_slots(const std::string& path) : module(llvm::parseIRFile(path, problem, context)) {
    if (module == nullptr) {
      wrong = "cannot read " + path;
      return;
    }
    for (const llvm::Function* const f : functions_with_slots(*module)) {
      num_instructions += f->getInstructionCount();
    }
    const std::unique_ptr<llvm::Module> clone = llvm::CloneModule(*module);
    midend_ssa_construction ours;
    llvm_ssa_construction theirs;
    for (llvm::Function* const f : functions_with_slots(*clone)) {
      const phi_counts counts = compare_phis(ours, theirs, *f);
      num_phis += counts.midend_phis;
      if (!counts.agree()) {
        wrong = "phis differ in " + f->getName().str();
      }
    }
  }

  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module;
  std::size_t num_instructions = 0;
  std::size_t num_phis = 0;
  std::string wrong;
};

class midend_view {
public:
  void run(const llvm::Function& f) {
    values_.assign(f);
    benchmark::DoNotOptimize(values_.num_statements());
  }

private:
  midend::llvm_slot_values values_;
};

template <class Construction> void promote(benchmark::State& state, bitcode_with_slots& code) {
  Construction construction;
  for (auto _ : state) {
    const std::unique_ptr<llvm::Module> clone = llvm::CloneModule(*code.module);
    const std::vector<llvm::Function*> functions = functions_with_slots(*clone);
    const auto start = std::chrono::steady_clock::now();
    for (llvm::Function* const f : functions) {
      construction.run(*f);
    }
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
}

/// The set is read when the first of its benchmarks runs.
void run(benchmark::State& state, const std::string& path, void (*measure)(benchmark::State&, bitcode_with_slots&)) {
  static std::map<std::string, std::unique_ptr<bitcode_with_slots>> known;
  auto& code = known[path];
  if (code == nullptr) {
    code = std::make_unique<bitcode_with_slots>(path);
  }
  if (!code->wrong.empty()) {
    state.SkipWithError(code->wrong.c_str());
    return;
  }
  measure(state, *code);
  using benchmark::Counter;
  state.counters["ns_per_instruction"] = Counter(static_cast<double>(code->num_instructions) * 1e-9,
                                                 Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["instructions"] = static_cast<double>(code->num_instructions);
  state.counters["phis"] = static_cast<double>(code->num_phis);
}

} // namespace

void register_llvm_ssa_construction() {
  using measurement = std::pair<const char*, void (*)(benchmark::State&, bitcode_with_slots&)>;
  for (const std::filesystem::path& file : bitcode_files()) {
    for (const auto& [who, measure] : {
             measurement{"llvm", promote<llvm_ssa_construction>},
             measurement{"midend", promote<midend_ssa_construction>},
             measurement{"midend_view", promote<midend_view>},
         }) {
      benchmark::RegisterBenchmark(("construct_ssa/" + std::string(who) + "/" + file.stem().string()).c_str(), run,
                                   file.string(), measure)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

} // namespace midend_benchmarks
