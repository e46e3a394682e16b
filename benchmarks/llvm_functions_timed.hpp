/// Times of changes of LLVM's functions, one by one.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <chrono>
#include <cstddef>
#include <vector>

namespace midend_benchmarks {

/// Calls `change(f)` for each function with a body. Adds the seconds that each took to its list in `times`, and returns
/// their sum.
template <class Change>
double time_of_functions(llvm::Module& module, const Change& change, std::vector<std::vector<double>>& times) {
  double sum = 0;
  std::size_t k = 0;
  for (llvm::Function& f : module) {
    if (f.isDeclaration()) {
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    change(f);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    sum += taken.count();
    if (times.size() == k) {
      times.emplace_back();
    }
    times[k++].push_back(taken.count());
  }
  return sum;
}

} // namespace midend_benchmarks
