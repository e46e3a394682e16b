// Sparse conditional constant propagation of the functions of a module: midend through its view of LLVM's functions
// against LLVM's own solver, one function at a time, analysis only:
//
//   sccp/llvm/SET              llvm::SCCPSolver, driven as the pass `sccp` drives it
//   sccp/midend/SET            numbering and solving; bounds and known bits; undef as in LLVM, no narrowing
//   sccp/midend_interval/SET   the same with bounds alone, as LLVM has them
//   sccp/midend_flat/SET       the same with constants alone
//   sccp/midend_default/SET    bounds and known bits, with default options; also midend_interval_default and
//                              midend_flat_default
//   sccp/midend_facts/SET      the same, and branches sharpen facts
//   sccp/midend_fresh/SET      the same as midend_default, with a new view, workspace and result for each function;
//   also
//                              midend_interval_fresh and midend_flat_fresh
//   sccp/midend_steps_N/SET    the same as midend_default with N threshold steps; midend_narrow_N: N narrowing steps
//   sccp/midend_numbering/SET  the part of these that numbers the function
//   sccp/midend_folding/SET    the part of sccp/midend that asks LLVM's folder
//
// Those of midend that solve count `constants`, operations that are constants or undefined in nodes that may be
// executed, and `dead`, nodes that are never executed.
//
// The sets are `constants`, a few small functions, and each NAME.bc in the directory that the environment variable
// MIDEND_BITCODE_DIRECTORY names, see sqlite3_bitcode.sh and debian_bitcode.sh.
#include "llvm_sccp.hpp"

#include "bitcode_files.hpp"

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

#include <cmath>
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
  return {.library = &library, .any_right_result = true, .copies_fields = true, .subtracts_addresses = true};
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

constexpr midend::sccp_options by_default = {};
template <std::uint32_t N> constexpr midend::sccp_options with_steps = {.threshold_steps = N};
template <std::uint32_t N> constexpr midend::sccp_options narrowing = {.narrowing_steps = N};

struct precision {
  std::size_t constants = 0;
  std::size_t dead = 0;
  double bits = 0;

  template <class D> void add(const midend::llvm_ssa& view, const midend::sccp_result<D>& found) {
    for (midend::node_id n = 0; n != view.graph().num_nodes(); ++n) {
      dead += found.is_executable(n) ? 0u : 1u;
      for (const value_id v : view.values(n)) {
        if (!found.is_executable(n)) {
          continue;
        }
        constants += found.constant(v) || found.is_undefined(v) ? 1u : 0u;
        const unsigned width = view.operation(v).width;
        if constexpr (requires(const D& d) { d.size(width, found.fact(v)); }) {
          const std::uint64_t numbers = view.is_number(v) ? D().size(width, found.fact(v)) : 0;
          bits += numbers == 0 ? 0 : std::log2(static_cast<double>(numbers));
        }
      }
    }
  }
};

/// `Options` for each function; the view, the workspace and the result are used again.
template <class D, const midend::sccp_options& Options, bool HasFacts = false> class midend_solver {
public:
  void analyse(llvm::Function& f, const llvm::TargetLibraryInfo& library) {
    view_.assign(f, all_folds(library));
    if constexpr (HasFacts) {
      midend::sccp_with_branch_facts(view_, D(), Options, workspace_, found_);
    } else {
      midend::sccp(view_, D(), Options, workspace_, found_);
    }
    benchmark::DoNotOptimize(found_.is_executable(0));
  }

  void count(precision& p) const { p.add(view_, found_); }

private:
  midend::llvm_ssa view_;
  midend::sccp_workspace<D> workspace_;
  midend::sccp_result<D> found_;
};

/// What users write first.
template <class D> class fresh_solver {
public:
  void analyse(llvm::Function& f, const llvm::TargetLibraryInfo& library) {
    const midend::llvm_ssa view(f, all_folds(library));
    const auto found = midend::sccp(view, D());
    benchmark::DoNotOptimize(found.is_executable(0));
  }
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
  if constexpr (requires(precision& p) { solver.count(p); }) {
    precision found;
    for (auto& [f, library] : code.functions) {
      solver.analyse(*f, library);
      solver.count(found);
    }
    state.counters["constants"] = static_cast<double>(found.constants);
    state.counters["dead"] = static_cast<double>(found.dead);
    state.counters["bits"] = found.bits;
  }
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
  using midend::flat_domain;
  using midend::interval_domain;
  using midend::number_domain;
  for (const auto& [who, measure] : {
           measurement{"llvm", solve<llvm_solver>},
           measurement{"midend", solve<midend_solver<number_domain, as_llvm>>},
           measurement{"midend_interval", solve<midend_solver<interval_domain, as_llvm>>},
           measurement{"midend_flat", solve<midend_solver<flat_domain<>, as_llvm>>},
           measurement{"midend_default", solve<midend_solver<number_domain, by_default>>},
           measurement{"midend_interval_default", solve<midend_solver<interval_domain, by_default>>},
           measurement{"midend_flat_default", solve<midend_solver<flat_domain<>, by_default>>},
           measurement{"midend_facts", solve<midend_solver<number_domain, by_default, true>>},
           measurement{"midend_fresh", solve<fresh_solver<number_domain>>},
           measurement{"midend_interval_fresh", solve<fresh_solver<interval_domain>>},
           measurement{"midend_flat_fresh", solve<fresh_solver<flat_domain<>>>},
           measurement{"midend_steps_0", solve<midend_solver<number_domain, with_steps<0>>>},
           measurement{"midend_steps_2", solve<midend_solver<number_domain, with_steps<2>>>},
           measurement{"midend_steps_8", solve<midend_solver<number_domain, with_steps<8>>>},
           measurement{"midend_steps_16", solve<midend_solver<number_domain, with_steps<16>>>},
           measurement{"midend_narrow_0", solve<midend_solver<number_domain, narrowing<0>>>},
           measurement{"midend_narrow_1", solve<midend_solver<number_domain, narrowing<1>>>},
           measurement{"midend_facts_steps_8", solve<midend_solver<number_domain, with_steps<8>, true>>},
           measurement{"midend_facts_narrow_0", solve<midend_solver<number_domain, narrowing<0>, true>>},
           measurement{"midend_facts_narrow_1", solve<midend_solver<number_domain, narrowing<1>, true>>},
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
  for (const std::filesystem::path& file : bitcode_files()) {
    add_set(file.stem().string(), file.string());
  }
}

} // namespace midend_benchmarks
