// Sparse conditional constant propagation of the functions of a module: midend through its view of LLVM's functions
// against LLVM's own solver, one function at a time, analysis only:
//
//   sccp/llvm/SET              llvm::SCCPSolver, driven as the pass `sccp` drives it
//   sccp/midend/SET            numbering and solving; bounds and known bits; undef as in LLVM, no narrowing
//   sccp/midend_interval/SET   the same with bounds alone, as LLVM has them
//   sccp/midend_flat/SET       the same with constants alone
//   sccp/midend_numbering/SET  the part of these that numbers the function
//   sccp/midend_folding/SET    the part of sccp/midend that asks LLVM's folder
//
// The sets are `constants`, a few small functions, and each NAME.bc in the directory that the environment variable
// MIDEND_BITCODE_DIRECTORY names, see sqlite3_bitcode.sh and debian_bitcode.sh.
#include "llvm_sccp.hpp"

#include <midend/adapters/llvm_ssa.hpp>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/ssa/sccp.hpp>

#include <benchmark/benchmark.h>

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/SCCPSolver.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace midend_benchmarks {
namespace {

using midend::value_id;

/// The functions of a file.
struct bitcode {
  explicit bitcode(const std::string& path) : module(llvm::parseIRFile(path, problem, context)) {
    if (module == nullptr) {
      return;
    }
    library = std::make_unique<llvm::TargetLibraryInfoImpl>(llvm::Triple(module->getTargetTriple()));
    for (llvm::Function& f : *module) {
      if (!f.isDeclaration()) {
        functions.emplace_back(&f, llvm::TargetLibraryInfo(*library, &f));
        num_instructions += f.getInstructionCount();
      }
    }
  }

  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetLibraryInfoImpl> library;
  std::vector<std::pair<llvm::Function*, llvm::TargetLibraryInfo>> functions;
  std::size_t num_instructions = 0;
};

constexpr midend::sccp_options as_llvm = {.undefined = midend::undef_policy::any_value,
                                          .branch_on_undefined = midend::undef_branch::none,
                                          .threshold_steps = 8,
                                          .narrowing_steps = 0};

midend::llvm_fold_options all_folds(const llvm::TargetLibraryInfo& library) {
  return {.library = &library, .any_right_result = true, .copies_fields = true};
}

class llvm_solver {
public:
  void analyse(llvm::Function& f, const llvm::TargetLibraryInfo& library) {
    llvm::SCCPSolver solver(
        f.getDataLayout(), [&library](llvm::Function&) -> const auto& { return library; }, f.getContext());
    solver.markBlockExecutable(&f.front());
    for (llvm::Argument& a : f.args()) {
      solver.trackValueOfArgument(&a);
    }
    do {
      solver.solve();
    } while (solver.resolvedUndefsIn(f));
    benchmark::DoNotOptimize(solver.isBlockExecutable(&f.back()));
  }
};

template <class D> class midend_solver {
public:
  void analyse(llvm::Function& f, const llvm::TargetLibraryInfo& library) {
    view_.assign(f, all_folds(library));
    midend::sccp(view_, D(), as_llvm, workspace_, found_);
    benchmark::DoNotOptimize(found_.is_executable(0));
  }

private:
  midend::llvm_ssa view_;
  midend::sccp_workspace<D> workspace_;
  midend::sccp_result<D> found_;
};

class midend_numbering {
public:
  void analyse(llvm::Function& f, const llvm::TargetLibraryInfo& library) {
    view_.assign(f, all_folds(library));
    benchmark::DoNotOptimize(view_.num_values());
  }

private:
  midend::llvm_ssa view_;
};

/// A view that writes down what is folded.
class recording_view : public midend::llvm_ssa {
public:
  struct request {
    value_id value;
    std::vector<std::uint64_t> args;
  };

  using midend::llvm_ssa::llvm_ssa;

  std::optional<std::uint64_t> fold(value_id v, std::span<const std::uint64_t> args) const {
    requests.push_back({v, {args.begin(), args.end()}});
    return midend::llvm_ssa::fold(v, args);
  }

  mutable std::vector<request> requests;
};

template <class Solver> void solve(benchmark::State& state, bitcode& code) {
  Solver solver;
  for (auto _ : state) {
    for (auto& [f, library] : code.functions) {
      solver.analyse(*f, library);
    }
  }
}

void fold_again(benchmark::State& state, bitcode& code) {
  std::vector<std::unique_ptr<recording_view>> views;
  std::size_t count = 0;
  for (auto& [f, library] : code.functions) {
    auto view = std::make_unique<recording_view>(*f, all_folds(library));
    (void)midend::sccp(*view, midend::number_domain(), as_llvm);
    count += view->requests.size();
    views.push_back(std::move(view));
  }
  for (auto _ : state) {
    for (const auto& view : views) {
      for (const recording_view::request& r : view->requests) {
        benchmark::DoNotOptimize(view->midend::llvm_ssa::fold(r.value, r.args));
      }
    }
  }
  state.counters["folds"] = static_cast<double>(count);
}

/// The set is read when the first of its benchmarks runs.
void run(benchmark::State& state, const std::string& path, void (*measure)(benchmark::State&, bitcode&)) {
  static std::map<std::string, std::unique_ptr<bitcode>> known;
  auto& code = known[path];
  if (code == nullptr) {
    code = std::make_unique<bitcode>(path);
  }
  if (code->module == nullptr) {
    state.SkipWithError(("cannot read " + path).c_str());
    return;
  }
  measure(state, *code);
  using benchmark::Counter;
  state.counters["ns_per_instruction"] = Counter(static_cast<double>(code->num_instructions) * 1e-9,
                                                 Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["instructions"] = static_cast<double>(code->num_instructions);
}

void add_set(const std::string& name, const std::string& path) {
  using measurement = std::pair<const char*, void (*)(benchmark::State&, bitcode&)>;
  for (const auto& [who, measure] : {
           measurement{"llvm", solve<llvm_solver>},
           measurement{"midend", solve<midend_solver<midend::number_domain>>},
           measurement{"midend_interval", solve<midend_solver<midend::interval_domain>>},
           measurement{"midend_flat", solve<midend_solver<midend::flat_domain<>>>},
           measurement{"midend_numbering", solve<midend_numbering>},
           measurement{"midend_folding", fold_again},
       }) {
    benchmark::RegisterBenchmark(("sccp/" + std::string(who) + "/" + name).c_str(), run, path, measure)
        ->Unit(benchmark::kMillisecond);
  }
}

} // namespace

void register_llvm_sccp(const std::string& test_data) {
  add_set("constants", test_data + "/llvm/constants.ll");
  const char* const directory = std::getenv("MIDEND_BITCODE_DIRECTORY"); // without it there are no others
  std::vector<std::filesystem::path> files;
  std::error_code problem;
  for (const auto& file : std::filesystem::directory_iterator(directory == nullptr ? "" : directory, problem)) {
    if (file.path().extension() == ".bc") {
      files.push_back(file.path());
    }
  }
  std::ranges::sort(files);
  for (const std::filesystem::path& file : files) {
    add_set(file.stem().string(), file.string());
  }
}

} // namespace midend_benchmarks
