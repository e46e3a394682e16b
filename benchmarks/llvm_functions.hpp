/// LLVM 19's generic algorithms on pointer-linked blocks of our own, as LLVM's own block types are: allocated one by
/// one, with vectors of pointers to successors and predecessors. Twice:
///
///   llvm           as it is: data of a block is found through DenseMap and SmallPtrSet, hashed by address
///   llvm_numbered  with the maps by block replaced by arrays, see numbered_dense_map.hpp
#pragma once

#include "numbered_dense_map.hpp"
#include "suite.hpp"

#include <llvm/ADT/GraphTraits.h>
#include <llvm/Support/GenericDomTree.h>
#include <llvm/Support/GenericDomTreeConstruction.h>
#include <llvm/Support/GenericLoopInfo.h>
#include <llvm/Support/GenericLoopInfoImpl.h>

#include <memory>

namespace midend_benchmarks {

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

/// Given to analyses that start from dominator trees.
template <bool Numbered> struct llvm_trees {
  explicit llvm_trees(const dataset& d) {
    for (const auto& f : d.shared<llvm_functions<Numbered>>().functions) {
      trees.push_back(std::make_unique<llvm::DomTreeBase<llvm_block<Numbered>>>());
      trees.back()->recalculate(*f);
    }
  }

  std::vector<std::unique_ptr<llvm::DomTreeBase<llvm_block<Numbered>>>> trees;
};

} // namespace midend_benchmarks
