// LLVM's post-dominator tree, recalculated: immediate dominators, children and levels, no intervals.

#include "llvm_functions.hpp"
#include "post_dominators.hpp"

namespace midend_benchmarks {
namespace {

template <bool Numbered> class post_dominators_job final : public llvm_job<Numbered> {
public:
  using llvm_job<Numbered>::llvm_job;

private:
  using block = llvm_block<Numbered>;

  void analyse(std::size_t, llvm_function<Numbered>& f) override { tree_.recalculate(f); }

  std::optional<std::string> compare(std::size_t index) override {
    std::vector<std::uint32_t> roots;
    for (const block* const root : tree_.roots()) {
      roots.push_back(root->number);
    }
    std::vector<std::uint32_t> found;
    for (const block* const b : this->functions_[index]->blocks) {
      const block* const parent = tree_.getNode(b)->getIDom()->getBlock(); // null for the virtual exit
      found.push_back(parent != nullptr ? parent->number : none);
    }
    return compare_post_dominators(this->data_, index, roots, found);
  }

  llvm::PostDomTreeBase<block> tree_;
};

} // namespace

void add_llvm_post_dominators(contestants& all) {
  all.push_back(enter<post_dominators_job<false>>("post_dominators", "llvm"));
  all.push_back(enter<post_dominators_job<true>>("post_dominators", "llvm_numbered"));
}

} // namespace midend_benchmarks
