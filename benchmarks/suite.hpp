/// The list of benchmarks, and what each contestant implements.
#pragma once

#include "datasets.hpp"
#include "reference.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace midend_benchmarks {

/// One contestant's work on one set. The constructor prepares what is not measured (its own representation of the
/// functions, through `dataset::shared`) and leaves workspaces and results empty.
class job {
public:
  job() = default;
  job(const job&) = delete;
  job& operator=(const job&) = delete;
  virtual ~job() = default;

  /// Analyses every function of the set anew; workspaces and results are used again from function to function and from
  /// pass to pass. One virtual call for the whole set, so that the loop over functions is the contestant's own code.
  virtual void pass() = 0;

  /// Analyses every function once more and compares: the first difference, if there is one.
  virtual std::optional<std::string> check() = 0;
};

struct contestant {
  std::string analysis;
  std::string who;
  std::function<std::unique_ptr<job>(const dataset&)> make;
  /// The sets it is left out of, because it would take hours or gigabytes there.
  std::function<bool(const dataset_name&)> left_out = nullptr;
  /// Needs sets without unreachable blocks, and is given `dataset::reachable_part`.
  bool reachable_only = false;
};

using contestants = std::vector<contestant>;

/// A contestant whose job `Job` is made from the set and `arguments`.
template <class Job, class... Arguments>
contestant enter(std::string analysis, std::string who, Arguments... arguments) {
  return {std::move(analysis), std::move(who),
          [=](const dataset& d) { return std::make_unique<Job>(d, arguments...); }};
}

// One translation unit each, so that a change of one contestant does not compile the others anew.
void add_floor(contestants&);
void add_midend(contestants&);
void add_midend_linked(contestants&);
void add_post_dominators(contestants&);
void add_frontiers(contestants&);
void add_cycles(contestants&);
void add_updates(contestants&);
void add_certificates(contestants&);
void add_liveness(contestants&);
void add_liveness_by_solver(contestants&);
void add_wide_liveness(contestants&);
void add_boost(contestants&);
void add_boost_liveness(contestants&);
void add_llvm(contestants&);
void add_llvm_post_dominators(contestants&);
void add_llvm_frontiers(contestants&);
void add_llvm_cycles(contestants&);
void add_llvm_updates(contestants&);

/// The version of the library that a contestant comes from, for the context of the results.
std::string boost_version();
std::string llvm_version();

} // namespace midend_benchmarks
