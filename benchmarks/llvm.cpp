// LLVM 19's generic algorithms on pointer-linked blocks of our own, as LLVM's own block types are: allocated one by
// one, with vectors of pointers to successors and predecessors. Twice:
//
//   llvm           as it is: data of a block is found through DenseMap and SmallPtrSet, hashed by address
//   llvm_numbered  with the maps by block replaced by arrays, see numbered_dense_map.hpp
//
// Tree and loop objects are recalculated, not made anew. LLVM's answers are those of its own functions: its dominator
// tree has immediate dominators, children and levels but no intervals (they are computed after many queries), its
// loops list their blocks in every loop that contains them.

#include "numbered_dense_map.hpp"
#include "suite.hpp"

#include <llvm/ADT/GraphTraits.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SCCIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/GenericDomTree.h>
#include <llvm/Support/GenericDomTreeConstruction.h>
#include <llvm/Support/GenericLoopInfo.h>
#include <llvm/Support/GenericLoopInfoImpl.h>

#include <memory>

namespace midend_benchmarks {
namespace {

template <bool Numbered> struct llvm_function;

template <bool Numbered> struct llvm_block {
  llvm_function<Numbered>* parent = nullptr;
  unsigned number = 0;
  std::vector<llvm_block*> successors;
  std::vector<llvm_block*> predecessors;

  llvm_function<Numbered>* getParent() const { return parent; }

  void printAsOperand(llvm::raw_ostream&, bool) const {}
};

template <bool Numbered> struct llvm_function {
  std::vector<llvm_block<Numbered>*> blocks; ///< in the order of their numbers, the entry first

  llvm_function() = default;
  llvm_function(const llvm_function&) = delete;
  llvm_function& operator=(const llvm_function&) = delete;

  ~llvm_function() {
    for (llvm_block<Numbered>* const b : blocks) {
      delete b;
    }
  }

  llvm_block<Numbered>& front() const { return *blocks.front(); }
};

template <bool Numbered> struct llvm_loop : llvm::LoopBase<llvm_block<Numbered>, llvm_loop<Numbered>> {
  llvm_loop() = default;

  explicit llvm_loop(llvm_block<Numbered>* header)
      : llvm::LoopBase<llvm_block<Numbered>, llvm_loop<Numbered>>(header) {}
};

} // namespace
} // namespace midend_benchmarks

template <bool Numbered> struct llvm::GraphTraits<midend_benchmarks::llvm_block<Numbered>*> {
  using NodeRef = midend_benchmarks::llvm_block<Numbered>*;
  using ChildIteratorType = typename std::vector<NodeRef>::iterator;

  static NodeRef getEntryNode(NodeRef block) { return block; }

  static ChildIteratorType child_begin(NodeRef block) { return block->successors.begin(); }

  static ChildIteratorType child_end(NodeRef block) { return block->successors.end(); }
};

template <bool Numbered> struct llvm::GraphTraits<llvm::Inverse<midend_benchmarks::llvm_block<Numbered>*>> {
  using NodeRef = midend_benchmarks::llvm_block<Numbered>*;
  using ChildIteratorType = typename std::vector<NodeRef>::iterator;

  static NodeRef getEntryNode(Inverse<NodeRef> graph) { return graph.Graph; }

  static ChildIteratorType child_begin(NodeRef block) { return block->predecessors.begin(); }

  static ChildIteratorType child_end(NodeRef block) { return block->predecessors.end(); }
};

template <bool Numbered>
struct llvm::GraphTraits<midend_benchmarks::llvm_function<Numbered>*>
    : llvm::GraphTraits<midend_benchmarks::llvm_block<Numbered>*> {
  using function = midend_benchmarks::llvm_function<Numbered>;
  using block = midend_benchmarks::llvm_block<Numbered>;
  using nodes_iterator = typename std::vector<block*>::iterator;

  static block* getEntryNode(function* f) { return &f->front(); }

  static nodes_iterator nodes_begin(function* f) { return f->blocks.begin(); }

  static nodes_iterator nodes_end(function* f) { return f->blocks.end(); }
};

/// The dominator tree as a graph, which LoopInfo walks.
template <bool Numbered>
struct llvm::GraphTraits<const llvm::DomTreeNodeBase<midend_benchmarks::llvm_block<Numbered>>*> {
  using NodeRef = const DomTreeNodeBase<midend_benchmarks::llvm_block<Numbered>>*;
  using ChildIteratorType = typename DomTreeNodeBase<midend_benchmarks::llvm_block<Numbered>>::const_iterator;

  static NodeRef getEntryNode(NodeRef node) { return node; }

  static ChildIteratorType child_begin(NodeRef node) { return node->begin(); }

  static ChildIteratorType child_end(NodeRef node) { return node->end(); }
};

// The numbered variant: both key types that LLVM uses for blocks.
template <class Value>
class llvm::DenseMap<midend_benchmarks::llvm_block<true>*, Value>
    : public midend_benchmarks::numbered_map<midend_benchmarks::llvm_block<true>*, Value> {};

template <class Value>
class llvm::DenseMap<const midend_benchmarks::llvm_block<true>*, Value>
    : public midend_benchmarks::numbered_map<const midend_benchmarks::llvm_block<true>*, Value> {};

namespace midend_benchmarks {
namespace {

template <bool Numbered> struct llvm_functions {
  explicit llvm_functions(const dataset& d) {
    functions.reserve(d.functions().size());
    for (const flat_function& flat : d.functions()) {
      functions.push_back(std::make_unique<llvm_function<Numbered>>());
      llvm_function<Numbered>& f = *functions.back();
      f.blocks.reserve(flat.num_nodes());
      for (unsigned i = 0; i != flat.num_nodes(); ++i) {
        f.blocks.push_back(new llvm_block<Numbered>);
        f.blocks.back()->parent = &f;
        f.blocks.back()->number = i;
      }
      for (unsigned i = 0; i != flat.num_nodes(); ++i) {
        for (const std::uint32_t s : flat.successors(i)) {
          f.blocks[i]->successors.push_back(f.blocks[s]);
          f.blocks[s]->predecessors.push_back(f.blocks[i]);
        }
      }
    }
  }

  std::vector<std::unique_ptr<llvm_function<Numbered>>> functions;
};

template <bool Numbered> class llvm_job : public job {
public:
  explicit llvm_job(const dataset& d) : data_(d), functions_(d.shared<llvm_functions<Numbered>>().functions) {}

  void pass() final {
    for (std::size_t i = 0; i != functions_.size(); ++i) {
      analyse(i, *functions_[i]);
    }
  }

  std::optional<std::string> check() final {
    for (std::size_t i = 0; i != functions_.size(); ++i) {
      analyse(i, *functions_[i]);
      if (auto difference = compare(i)) {
        return difference;
      }
    }
    return std::nullopt;
  }

protected:
  using block = llvm_block<Numbered>;
  using function = llvm_function<Numbered>;
  using tree = llvm::DomTreeBase<block>;
  using loop = llvm_loop<Numbered>;
  using loop_info = llvm::LoopInfoBase<block, loop>;

  virtual void analyse(std::size_t index, function& f) = 0;
  virtual std::optional<std::string> compare(std::size_t index) = 0;

  std::optional<std::string> compare_tree(std::size_t index, const tree& t) {
    std::vector<std::uint32_t> found;
    for (const block* const b : functions_[index]->blocks) {
      const auto* const node = t.getNode(b);
      const auto* const parent = node != nullptr ? node->getIDom() : nullptr;
      found.push_back(parent != nullptr ? parent->getBlock()->number : none);
    }
    return compare_dominators(data_, index, found);
  }

  std::optional<std::string> compare_loop_info(std::size_t index, const loop_info& loops) {
    std::vector<loop_summary> found;
    for (const loop* const l : loops.getLoopsInPreorder()) {
      found.push_back({l->getHeader()->number, l->getNumBlocks()});
    }
    return compare_loops(data_, index, std::move(found));
  }

  const dataset& data_;
  const std::vector<std::unique_ptr<function>>& functions_;
};

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

template <bool Numbered> struct llvm_trees {
  explicit llvm_trees(const dataset& d) {
    for (const auto& f : d.shared<llvm_functions<Numbered>>().functions) {
      trees.push_back(std::make_unique<llvm::DomTreeBase<llvm_block<Numbered>>>());
      trees.back()->recalculate(*f);
    }
  }

  std::vector<std::unique_ptr<llvm::DomTreeBase<llvm_block<Numbered>>>> trees;
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
