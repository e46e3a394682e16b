// LLVM's dominance frontiers of functions whose trees are given.

#include "frontiers.hpp"
#include "llvm_functions.hpp"

#include <llvm/Analysis/DominanceFrontier.h>
#include <llvm/Analysis/DominanceFrontierImpl.h>

#include <algorithm>

namespace midend_benchmarks {
namespace {

template <bool Numbered> class frontiers_job final : public llvm_job<Numbered> {
public:
  explicit frontiers_job(const dataset& d) : llvm_job<Numbered>(d), trees_(d.shared<llvm_trees<Numbered>>().trees) {}

private:
  using block = llvm_block<Numbered>;

  void analyse(std::size_t index, llvm_function<Numbered>&) override {
    frontiers_.releaseMemory();
    frontiers_.analyze(*trees_[index]);
  }

  std::optional<std::string> compare(std::size_t index) override {
    std::vector<std::vector<std::uint32_t>> found;
    for (block* const b : this->functions_[index]->blocks) {
      std::vector<std::uint32_t>& of_block = found.emplace_back();
      if (const auto frontier = frontiers_.find(b); frontier != frontiers_.end()) {
        for (const block* const member : frontier->second) {
          of_block.push_back(member->number);
        }
        std::sort(of_block.begin(), of_block.end());
      }
    }
    return compare_frontiers(this->data_, index, found);
  }

  const std::vector<std::unique_ptr<typename llvm_job<Numbered>::tree>>& trees_;
  llvm::ForwardDominanceFrontierBase<block> frontiers_;
};

} // namespace

void add_llvm_frontiers(contestants& all) {
  all.push_back(enter<frontiers_job<false>>("dominance_frontiers", "llvm"));
  all.back().left_out = has_quadratic_frontiers;
  all.push_back(enter<frontiers_job<true>>("dominance_frontiers", "llvm_numbered"));
  all.back().left_out = has_quadratic_frontiers;
}

} // namespace midend_benchmarks
