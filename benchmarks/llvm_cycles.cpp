// LLVM's GenericCycleInfo, which both of its IRs use. It is quadratic in two ways: each cycle has a list and a set of
// all its blocks, those of inner cycles included, and putting a cycle into another one goes over a map of all blocks.
//
// There is no `llvm_numbered`: that map is gone over, which an array by block number would not make any cheaper, and
// the sets of blocks would be hashed still.

#include "cycle_reference.hpp"
#include "llvm_functions.hpp"

namespace midend_benchmarks {

// What the generic code looks for beside the blocks.
static const auto& successors(const llvm_block<false>* b) {
  return b->successors;
}

static const auto& predecessors(const llvm_block<false>* b) {
  return b->predecessors;
}

} // namespace midend_benchmarks

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/GenericCycleImpl.h>
#include <llvm/ADT/GenericCycleInfo.h>

template <> struct llvm::GenericSSATraits<midend_benchmarks::llvm_function<false>> {
  using BlockT = midend_benchmarks::llvm_block<false>;
  using FunctionT = midend_benchmarks::llvm_function<false>;
  struct nothing_of_this_kind; // cycles are about blocks
  using InstructionT = nothing_of_this_kind;
  using ValueRefT = int*;
  using ConstValueRefT = const int*;
  using UseT = int;
};

namespace midend_benchmarks {
namespace {

class cycles_job final : public llvm_job<false> {
public:
  using llvm_job<false>::llvm_job;

private:
  using cycle_info = llvm::GenericCycleInfo<llvm::GenericSSAContext<function>>;

  void analyse(std::size_t, function& f) override {
    cycles_.clear();
    cycles_.compute(f);
  }

  std::optional<std::string> compare(std::size_t index) override {
    std::vector<cycle_summary> found;
    for (cycle_info::CycleT* const outermost : cycles_.toplevel_cycles()) {
      for (const cycle_info::CycleT* const c : llvm::depth_first(outermost)) {
        found.push_back({c->getHeader()->number, c->getDepth(), static_cast<std::uint32_t>(c->getNumBlocks())});
      }
    }
    return compare_cycles(data_, index, std::move(found));
  }

  cycle_info cycles_;
};

/// Minutes, or tens of gigabytes, at ten times the blocks.
bool takes_too_long(const dataset_name& d) {
  return (d.shape == "structured" && d.size > 100'000) ||
         ((d.shape == "irreducible" || d.shape == "nest") && d.size > 10'000);
}

} // namespace

void add_llvm_cycles(contestants& all) {
  all.push_back(enter<cycles_job>("cycles", "llvm"));
  all.back().left_out = takes_too_long;
}

} // namespace midend_benchmarks
