// Value numbering of the functions of a module, one function at a time:
//
//   value_numbering/llvm/SET             LLVM's pass `newgvn`; the analyses that it asks for are made before
//   value_numbering/llvm_simplify/SET    LLVM's simplifier on each instruction that both may number, once
//   value_numbering/midend/SET           the view and `value_numbering`
//   value_numbering/midend_fresh/SET     the same, with a new view, memory and result for each function
//   value_numbering/midend_plan/SET      the same, and the plan
//   value_numbering/midend_view/SET      the part of these that makes the view
//   value_numbering/midend_separate/SET  the view, `sccp`, and numbering by a hash table down the dominator tree, which
//                                        knows the constants and dead edges of `sccp`, and sees each node once
//   value_numbering/midend_passes/SET    the same two as passes of their own: the numbering makes its own view
//
// The sets are each NAME.bc in the directory that the environment variable MIDEND_BITCODE_DIRECTORY names, see
// sqlite3_bitcode.sh. `newgvn` works on a fresh copy of the module, which is not measured. `removed` is the number of
// values that are replaced by an equal one or by a constant, dead nodes left out. Times are processor time.
// newgvn_comparison compares what is found.
#include "llvm_value_numbering.hpp"

#include "bitcode_files.hpp"

#include <midend/adapters/llvm_congruence.hpp>
#include <midend/adapters/llvm_ssa.hpp>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/ssa/detail/congruence_rules.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/ssa/value_numbering_plan.hpp>
#include <midend/support/detail/hash_map.hpp>
#include <midend/support/flat_array.hpp>

#include <benchmark/benchmark.h>

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Scalar/NewGVN.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace midend_benchmarks {
namespace {

using midend::node_id;
using midend::value_id;

using domain = midend::flat_domain<>;

/// Each returns how many values it finds to be redundant, where that is cheap to say.
class newgvn {
public:
  newgvn() {
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(modules_);
    builder.registerCGSCCAnalyses(components_);
    builder.registerFunctionAnalyses(functions_);
    builder.registerLoopAnalyses(loops_);
    builder.crossRegisterProxies(loops_, functions_, components_, modules_);
  }

  void prepare(llvm::Function& f) {
    (void)functions_.getResult<llvm::DominatorTreeAnalysis>(f);
    (void)functions_.getResult<llvm::AssumptionAnalysis>(f);
    (void)functions_.getResult<llvm::TargetLibraryAnalysis>(f);
    (void)functions_.getResult<llvm::AAManager>(f);
    (void)functions_.getResult<llvm::MemorySSAAnalysis>(f);
  }

  std::size_t run(llvm::Function& f) {
    (void)llvm::NewGVNPass().run(f, functions_);
    return 0;
  }

  void clean_up(llvm::Function& f) { functions_.clear(f, f.getName()); }

private:
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
};

struct unprepared {
  static void prepare(llvm::Function&) {}

  static void clean_up(llvm::Function&) {}
};

struct simplifier : unprepared {
  static std::size_t run(llvm::Function& f) {
    const llvm::SimplifyQuery query = llvm::SimplifyQuery(f.getDataLayout()).getWithoutUndef();
    std::size_t count = 0;
    for (llvm::BasicBlock& b : f) {
      for (llvm::Instruction& i : b) {
        if (midend::detail::is_pure_llvm_instruction(i)) {
          count += llvm::simplifyInstruction(&i, query) != nullptr ? 1u : 0u;
        }
      }
    }
    return count;
  }
};

class view_alone : public unprepared {
public:
  std::size_t run(llvm::Function& f) {
    view_.assign(f);
    benchmark::DoNotOptimize(view_.num_values());
    return 0;
  }

private:
  midend::llvm_congruence view_;
};

class numbering : public unprepared {
public:
  std::size_t run(llvm::Function& f) {
    view_.assign(f);
    midend::value_numbering(view_, domain(), {}, workspace_, found_);
    benchmark::DoNotOptimize(found_.num_classes());
    return 0;
  }

protected:
  midend::llvm_congruence view_;
  midend::value_numbering_workspace<domain> workspace_;
  midend::value_numbering_result<domain> found_;
};

class fresh_numbering : public unprepared {
public:
  std::size_t run(llvm::Function& f) {
    const midend::llvm_congruence view(f);
    const auto found = midend::value_numbering(view, domain());
    benchmark::DoNotOptimize(found.num_classes());
    return 0;
  }
};

class numbering_with_plan : public numbering {
public:
  std::size_t run(llvm::Function& f) {
    numbering::run(f);
    const auto plan = midend::plan_value_numbering(view_, found_);
    return plan.replacements.size() + plan.constants.replacements.size();
  }
};

/// Numbers values in one walk down the dominator tree, in the way of Briggs, Cooper, Simpson, "Value numbering", SPE
/// 27(6), 1997, with the facts of `sccp`: the number of a value is that of the first one that dominates it and computes
/// the same from operands with the same numbers, by the same rules as `value_numbering`. A phi with an input that has
/// no number yet is equal to nothing.
class separate_numbering : public unprepared {
public:
  std::size_t run(llvm::Function& f) {
    view_.assign(f);
    midend::sccp(view_, domain(), {}, workspace_, facts_);
    return number_values();
  }

protected:
  std::size_t number_values() {
    tree_ = midend::dominators(view_.graph());
    const auto dominates = tree_.test();
    const std::size_t count = view_.num_values();
    number_.assign(count, midend::no_value);
    home_.assign(count, midend::no_node);
    constants_.clear(64);
    operations_.clear(count);
    std::size_t redundant = 0;
    for (auto v = static_cast<value_id>(view_.num_instructions()); v != count; ++v) {
      number_[v] = number_of_constant(v);
    }
    for (const node_id n : tree_.preorder()) {
      if (!facts_.is_executable(n)) {
        continue;
      }
      for (const value_id v : view_.values(n)) {
        home_[v] = n;
        number_[v] = number_of_constant(v);
        if (number_[v] == v) {
          number_[v] = view_.is_phi(v) ? number_of_phi(v, n) : number_of_operation(v, n, dominates);
        }
        redundant += number_[v] != v ? 1u : 0u;
      }
    }
    return redundant;
  }

  midend::llvm_congruence view_;
  midend::sccp_workspace<domain> workspace_;
  midend::sccp_result<domain> facts_;

private:
  std::optional<std::uint64_t> constant(value_id v) const {
    const auto literal = view_.constant(v);
    return literal ? literal : facts_.constant(v);
  }

  value_id number_of_constant(value_id v) {
    const std::optional<std::uint64_t> c = constant(v);
    return !c ? v : constants_.find_or_insert(midend::detail::mix_hash(1, *c), v, [&](std::uint32_t other) {
      return constant(other) == c && view_.same_type(v, other);
    });
  }

  value_id number_of_phi(value_id phi, node_id n) {
    value_id only = midend::no_value;
    bool is_known = true;
    description_.clear();
    description_.push_back(n);
    description_.push_back(~std::uint32_t{0}); // unlike an operation
    for (const midend::edge_id e : view_.graph().in_edges(n)) {
      if (facts_.is_executable_edge(e)) {
        const value_id input = view_.phi_input(phi, e);
        is_known = is_known && number_[input] != midend::no_value && !view_.is_undefined(input);
        only = description_.size() == 2 || only == number_[input] ? number_[input] : midend::no_value;
        description_.push_back(number_[input]);
      }
    }
    if (!is_known || (only != midend::no_value && view_.same_type(only, phi))) {
      return is_known ? only : phi;
    }
    return find(phi, [&](value_id other) { return home_[other] == n; });
  }

  template <class Dominates> value_id number_of_operation(value_id v, node_id n, const Dominates& dominates) {
    if (!midend::detail::depends_on_operands_alone(view_, v)) {
      return v;
    }
    const value_id operand = midend::detail::operand_passed_on(
        view_, v, [&](value_id a, value_id b) { return number_[a] == number_[b]; },
        [&](value_id a) { return constant(a); });
    if (operand != midend::no_value) {
      return number_[operand];
    }
    midend::detail::describe_operation(view_, v, [&](value_id a) { return number_[a]; }, description_);
    return find(v, [&](value_id other) { return dominates(home_[other], n) && view_.same_type(v, other); });
  }

  /// The value with this description that `fits`, or `v`, which is entered.
  template <class Fits> value_id find(value_id v, const Fits& fits) {
    start_.resize(std::max<std::size_t>(start_.size(), v + std::size_t{1}));
    const auto at = static_cast<std::uint32_t>(descriptions_.size());
    const value_id found =
        operations_.find_or_insert(midend::detail::hash_of_description(description_), v, [&](std::uint32_t other) {
          const span& its = start_[other];
          return its.length == description_.size() && fits(other) &&
                 std::equal(description_.begin(), description_.end(), descriptions_.begin() + its.first);
        });
    if (found == v) {
      descriptions_.insert(descriptions_.end(), description_.begin(), description_.end());
      start_[v] = {at, static_cast<std::uint32_t>(description_.size())};
    }
    return found;
  }

  struct span {
    std::uint32_t first = 0;
    std::uint32_t length = 0;
  };

  midend::dominator_tree tree_;
  midend::flat_array<value_id> number_;
  midend::flat_array<node_id> home_;
  midend::detail::hash_map<std::uint64_t> constants_;
  midend::detail::hash_map<std::uint64_t> operations_;
  midend::flat_array<std::uint32_t> description_;
  std::vector<std::uint32_t> descriptions_; ///< of all operations in the table
  std::vector<span> start_;                 ///< by value: its description
};

/// A compiler that has the two as passes makes a view for each, because the first changes the program. Here it does
/// not, so the second still sees everything.
class numbering_after_sccp : public separate_numbering {
public:
  std::size_t run(llvm::Function& f) {
    view_of_sccp_.assign(f);
    midend::sccp(view_of_sccp_, domain(), {}, workspace_, facts_);
    view_.assign(f);
    return number_values();
  }

private:
  midend::llvm_ssa view_of_sccp_;
};

/// In seconds: not what the machine gives to other work meanwhile.
double processor_time() {
#if defined(CLOCK_PROCESS_CPUTIME_ID)
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
#else
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
#endif
}

template <class Contestant> void measure(benchmark::State& state, const std::string& path, bool changes) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseIRFile(path, problem, context);
  if (module == nullptr) {
    state.SkipWithError(("cannot read " + path).c_str());
    return;
  }
  std::size_t instructions = 0;
  for (const llvm::Function& f : *module) {
    instructions += f.getInstructionCount();
  }
  Contestant contestant;
  std::size_t removed = 0;
  for (auto _ : state) {
    const std::unique_ptr<llvm::Module> copy = changes ? llvm::CloneModule(*module) : nullptr;
    double time = 0;
    removed = 0;
    for (llvm::Function& f : changes ? *copy : *module) {
      if (!f.isDeclaration()) {
        contestant.prepare(f);
        const double start = processor_time();
        removed += contestant.run(f);
        time += processor_time() - start;
        contestant.clean_up(f);
      }
    }
    state.SetIterationTime(time);
  }
  using benchmark::Counter;
  state.counters["ns_per_instruction"] =
      Counter(static_cast<double>(instructions) * 1e-9, Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["instructions"] = static_cast<double>(instructions);
  if (removed != 0) {
    state.counters["removed"] = static_cast<double>(removed);
  }
}

template <class Contestant> void add(const std::string& name, const std::string& path, bool changes = false) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) { measure<Contestant>(state, path, changes); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

} // namespace

void register_llvm_value_numbering() {
  for (const std::filesystem::path& file : bitcode_files()) {
    const std::string set = file.stem().string();
    const std::string path = file.string();
    add<newgvn>("value_numbering/llvm/" + set, path, true);
    add<simplifier>("value_numbering/llvm_simplify/" + set, path);
    add<numbering>("value_numbering/midend/" + set, path);
    add<fresh_numbering>("value_numbering/midend_fresh/" + set, path);
    add<numbering_with_plan>("value_numbering/midend_plan/" + set, path);
    add<view_alone>("value_numbering/midend_view/" + set, path);
    add<separate_numbering>("value_numbering/midend_separate/" + set, path);
    add<numbering_after_sccp>("value_numbering/midend_passes/" + set, path);
  }
}

} // namespace midend_benchmarks
