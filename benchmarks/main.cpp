// Registers ANALYSIS/WHO/DATASET for every contestant and set. A set is read or generated when the first of its
// benchmarks runs, so the filter decides what is built at all.

#if MIDEND_BENCHMARKS_LLVM
#include "llvm_loop_forms.hpp"
#include "llvm_package.hpp"
#include "llvm_rotation.hpp"
#include "llvm_sccp.hpp"
#include "llvm_ssa_construction.hpp"
#include "llvm_unrolling.hpp"
#include "llvm_value_numbering.hpp"
#endif
#include "memory.hpp"
#include "suite.hpp"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <map>

#if defined(__linux__)
#include <sys/resource.h>
#include <unistd.h>
#endif

#include <midend/version.hpp>

namespace midend_benchmarks {
namespace {

/// Sets in memory. Without interleaving, benchmarks run set by set and the last one is given back when the next is
/// asked for; with it, all that were asked for are kept.
class dataset_store {
public:
  explicit dataset_store(bool keep_all) : keep_all_(keep_all) {}

  const dataset& get(const dataset_name& which) {
    auto& place = sets_[which.name];
    if (place == nullptr) {
      if (!keep_all_) {
        sets_.clear();
      }
      return *(sets_[which.name] = make_dataset(which));
    }
    return *place;
  }

private:
  bool keep_all_;
  std::map<std::string, std::unique_ptr<const dataset>> sets_;
};

/// What is found out once for each benchmark, however often it is repeated.
struct findings {
  std::optional<std::string> wrong;
  std::optional<std::size_t> heap;
  std::optional<std::size_t> resident;
};

/// Resident memory is only asked for where it is large against pages, libraries and the like.
constexpr std::size_t least_blocks_for_resident_memory = 100'000;

findings examine(const contestant& c, const dataset& d) {
  findings found;
  {
    const auto cold = c.make(d);
    found.heap = peak_heap_growth([&] { cold->pass(); });
    found.wrong = cold->check();
  }
  if (!found.wrong && d.largest_function() >= least_blocks_for_resident_memory) {
    const auto cold = c.make(d);
    found.resident = peak_resident_growth([&] { cold->pass(); });
  }
  return found;
}

double per_block(std::size_t bytes, std::size_t blocks) {
  return static_cast<double>(bytes) / static_cast<double>(blocks);
}

bool any_wrong = false;

void run(benchmark::State& state, const contestant& c, const dataset_name& which, dataset_store& store) {
  static std::map<std::string, findings> known;
  const dataset& all = store.get(which);
  const dataset& d = c.reachable_only ? all.reachable_part() : all;

  const std::string name = c.analysis + "/" + c.who + "/" + which.name;
  auto found = known.find(name);
  if (found == known.end()) {
    found = known.emplace(name, examine(c, d)).first;
  }
  if (found->second.wrong) {
    any_wrong = true;
    state.SkipWithError(("wrong answer: " + *found->second.wrong).c_str());
    return;
  }

  const auto work = c.make(d);
  work->pass(); // fills workspaces, results and caches
  for (auto _ : state) {
    work->pass();
    benchmark::ClobberMemory();
  }

  using benchmark::Counter;
  state.counters["ns_per_block"] =
      Counter(static_cast<double>(d.num_blocks()) * 1e-9, Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["blocks"] = static_cast<double>(d.num_blocks());
  // Workspaces are sized by the largest function of a set, so that is what their size is divided by.
  if (const auto heap = found->second.heap) {
    state.counters["peak_bytes"] = static_cast<double>(*heap);
    state.counters["peak_bytes_per_block"] = per_block(*heap, d.largest_function());
  }
  if (const auto resident = found->second.resident) {
    state.counters["resident_bytes_per_block"] = per_block(*resident, d.largest_function());
  }
}

/// Boost's path compression is recursive, as deep as the longest path of the depth-first tree. Give it a stack that is
/// deep enough: the limit counts from the start of a program, so it is started again.
void start_with_deep_stack([[maybe_unused]] char** arguments) {
#if defined(__linux__)
  constexpr rlim_t wanted = rlim_t{4} << 30;
  const char* const restarted = "MIDEND_BENCHMARKS_RESTARTED";
  rlimit limit{};
  if (std::getenv(restarted) != nullptr || getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      limit.rlim_cur >= wanted) {
    return;
  }
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted ? wanted : limit.rlim_max;
  if (setrlimit(RLIMIT_STACK, &limit) == 0 && setenv(restarted, "1", 1) == 0) {
    execv("/proc/self/exe", arguments); // returns only if it fails: then the deepest sets may overflow the stack
  }
#endif
}

void add_context() {
  benchmark::AddCustomContext("midend_version", std::to_string(MIDEND_VERSION_MAJOR) + "." +
                                                    std::to_string(MIDEND_VERSION_MINOR) + "." +
                                                    std::to_string(MIDEND_VERSION_PATCH));
#if defined(__clang__)
  benchmark::AddCustomContext("compiler", "clang " __clang_version__);
#elif defined(__GNUC__)
  benchmark::AddCustomContext("compiler", "gcc " __VERSION__);
#endif
#if defined(NDEBUG)
  benchmark::AddCustomContext("contract_checks", "off");
#else
  benchmark::AddCustomContext("contract_checks", "on: these are no measurements of midend");
#endif
#if MIDEND_PROGRAMS_FOR_TESTS
  benchmark::AddCustomContext("built_for", "tests (MIDEND_PROGRAMS_FOR_TESTS): these are no measurements of midend");
#endif
#if MIDEND_BENCHMARKS_BOOST
  benchmark::AddCustomContext("boost_version", boost_version());
#endif
#if MIDEND_BENCHMARKS_LLVM
  benchmark::AddCustomContext("llvm_version", llvm_version());
#endif
}

bool interleaves(int count, char** arguments) {
  bool result = false;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const std::string flag = "--benchmark_enable_random_interleaving";
    if (argument.compare(0, flag.size(), flag) == 0) {
      const std::string value = argument.substr(flag.size());
      result = value != "=false" && value != "=0";
    }
  }
  return result;
}

int main(int count, char** arguments) {
  start_with_deep_stack(arguments);
  dataset_store store(interleaves(count, arguments));
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) {
    return 2;
  }
  add_context();

  contestants all;
  add_floor(all);
  add_midend(all);
  add_midend_linked(all);
  add_post_dominators(all);
  add_frontiers(all);
  add_cycles(all);
  add_updates(all);
  add_certificates(all);
  add_liveness(all);
  add_liveness_by_solver(all);
  add_wide_liveness(all);
#if MIDEND_BENCHMARKS_BOOST
  add_boost(all);
  add_boost_liveness(all);
#endif
#if MIDEND_BENCHMARKS_LLVM
  add_llvm(all);
  add_llvm_post_dominators(all);
  add_llvm_frontiers(all);
  add_llvm_cycles(all);
  add_llvm_updates(all);
#endif
  for (const dataset_name& which : dataset_names()) {
    for (const contestant& c : all) {
      if (c.left_out == nullptr || !c.left_out(which)) {
        benchmark::RegisterBenchmark((c.analysis + "/" + c.who + "/" + which.name).c_str(),
                                     [&](benchmark::State& state) { run(state, c, which, store); });
      }
    }
  }
#if MIDEND_BENCHMARKS_LLVM
  register_llvm_sccp(MIDEND_TEST_DATA);
  register_llvm_ssa_construction();
  register_llvm_loop_forms();
  register_llvm_rotation();
  register_llvm_unrolling();
  register_llvm_value_numbering();
  register_llvm_package();
#endif
  const std::size_t ran = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return ran == 0 ? 2 : any_wrong ? 1 : 0;
}

} // namespace
} // namespace midend_benchmarks

int main(int count, char** arguments) {
  return midend_benchmarks::main(count, arguments);
}
