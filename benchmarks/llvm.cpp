// LLVM's dominators, components and loops. Tree and loop objects are recalculated, not made anew. LLVM's answers are
// those of its own functions: its dominator tree has immediate dominators, children and levels but no intervals (they
// are computed after many queries), its loops list their blocks in every loop that contains them.

#include "llvm_functions.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SCCIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Config/llvm-config.h>

namespace midend_benchmarks {
namespace {

/// po_iterator from the entry, its storage supplied from outside, so that the preorder number of a block can be written
/// when it is first seen. Unnumbered, the storage is LLVM's SmallPtrSet; numbered, the preorder numbers themselves.
template <bool Numbered> struct seen_blocks {
  llvm::SmallPtrSet<llvm_block<Numbered>*, 8> set;
  std::vector<std::uint32_t> preorder;
  std::uint32_t discovered = 0;

  void start(std::size_t num_blocks) {
    discovered = 0;
    if constexpr (Numbered) {
      preorder.assign(num_blocks, none);
    } else {
      set.clear();
      preorder.resize(num_blocks);
    }
  }

  std::pair<bool, bool> insert(llvm_block<Numbered>* b) {
    const bool is_new = Numbered ? preorder[b->number] == none : set.insert(b).second;
    if (is_new) {
      preorder[b->number] = discovered++;
    }
    return {is_new, is_new};
  }
};

template <bool Numbered> class depth_first_job final : public llvm_job<Numbered> {
public:
  using llvm_job<Numbered>::llvm_job;

private:
  void analyse(std::size_t, llvm_function<Numbered>& f) override {
    seen_.start(f.blocks.size());
    postorder_.resize(f.blocks.size());
    std::uint32_t finished = 0;
    for (const llvm_block<Numbered>* const b : llvm::post_order_ext(&f.front(), seen_)) {
      postorder_[b->number] = finished++;
    }
  }

  std::optional<std::string> compare(std::size_t index) override {
    const auto& reached = this->data_.template shared<reference>().functions()[index].reached;
    for (std::size_t b = 0; b != reached.size(); ++b) {
      if (!reached[b]) { // LLVM does not name these
        seen_.preorder[b] = none;
        postorder_[b] = none;
      }
    }
    return compare_depth_first(this->data_, index, seen_.preorder, postorder_);
  }

  seen_blocks<Numbered> seen_;
  std::vector<std::uint32_t> postorder_;
};

template <bool Numbered> class dominators_job final : public llvm_job<Numbered> {
public:
  using llvm_job<Numbered>::llvm_job;

private:
  void analyse(std::size_t, llvm_function<Numbered>& f) override { tree_.recalculate(f); }

  std::optional<std::string> compare(std::size_t index) override { return this->compare_tree(index, tree_); }

  typename llvm_job<Numbered>::tree tree_;
};

/// scc_iterator, which names the blocks of each component; the component of each block is written down.
template <bool Numbered> class components_job final : public llvm_job<Numbered> {
public:
  using llvm_job<Numbered>::llvm_job;

private:
  void analyse(std::size_t, llvm_function<Numbered>& f) override {
    components_.resize(f.blocks.size());
    std::uint32_t count = 0;
    for (auto component = llvm::scc_begin(&f); !component.isAtEnd(); ++component) {
      for (const llvm_block<Numbered>* const b : *component) {
        components_[b->number] = count;
      }
      ++count;
    }
  }

  std::optional<std::string> compare(std::size_t index) override {
    return compare_components(this->data_, index, components_);
  }

  std::vector<std::uint32_t> components_;
};

/// Loops of functions whose trees are given.
template <bool Numbered> class loops_job final : public llvm_job<Numbered> {
public:
  explicit loops_job(const dataset& d) : llvm_job<Numbered>(d), trees_(d.shared<llvm_trees<Numbered>>().trees) {}

private:
  void analyse(std::size_t index, llvm_function<Numbered>&) override {
    loops_.releaseMemory();
    loops_.analyze(*trees_[index]);
  }

  std::optional<std::string> compare(std::size_t index) override { return this->compare_loop_info(index, loops_); }

  const std::vector<std::unique_ptr<typename llvm_job<Numbered>::tree>>& trees_;
  typename llvm_job<Numbered>::loop_info loops_;
};

template <bool Numbered> class dominators_and_loops_job final : public llvm_job<Numbered> {
public:
  using llvm_job<Numbered>::llvm_job;

private:
  void analyse(std::size_t, llvm_function<Numbered>& f) override {
    tree_.recalculate(f);
    loops_.releaseMemory();
    loops_.analyze(tree_);
  }

  std::optional<std::string> compare(std::size_t index) override {
    auto difference = this->compare_tree(index, tree_);
    return difference ? difference : this->compare_loop_info(index, loops_);
  }

  typename llvm_job<Numbered>::tree tree_;
  typename llvm_job<Numbered>::loop_info loops_;
};

template <bool Numbered> void add(contestants& all, const char* who) {
  all.push_back(enter<depth_first_job<Numbered>>("dfs", who));
  all.push_back(enter<dominators_job<Numbered>>("dominators", who));
  all.push_back(enter<components_job<Numbered>>("scc", who));
  // Every loop has a list and a set of all its blocks, those of inner loops included: terabytes on a deep nest.
  const auto nests = [](const dataset_name& d) { return d.shape == "nest"; };
  all.push_back(enter<loops_job<Numbered>>("loops", who));
  all.back().left_out = nests;
  all.push_back(enter<dominators_and_loops_job<Numbered>>("dominators+loops", who));
  all.back().left_out = nests;
}

} // namespace

void add_llvm(contestants& all) {
  add<false>(all, "llvm");
  add<true>(all, "llvm_numbered");
}

std::string llvm_version() {
  return LLVM_VERSION_STRING;
}

} // namespace midend_benchmarks
