/// Dominators, dominance frontiers, post-dominators, loops and cycles of a function: midend's against LLVM's. The
/// program llvm_compare and the pass `midend-compare` of the plugin use it.
#pragma once

#include <midend/adapters/llvm_graph.hpp>
#include <midend/adapters/llvm_ssa.hpp>
#include <midend/dominance/dominance_frontier.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/dominance/post_dominators.hpp>
#include <midend/loops/cycles.hpp>
#include <midend/loops/loop_forms.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/transform/close_loops.hpp>

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/DominanceFrontier.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/Support/raw_ostream.h>

#include <cstddef>
#include <set>
#include <vector>

/// What LLVM knows of a function, computed just now or kept by the pass manager.
struct answers_of_llvm {
  llvm::DominatorTree& dominators;
  llvm::PostDominatorTree& post_dominators;
  llvm::LoopInfo& loops;
  llvm::CycleInfo& cycles;
};

/// Counted over all functions that were compared.
struct comparison_totals {
  std::size_t functions = 0;
  std::size_t blocks = 0;
  std::size_t loops = 0;
  std::size_t simplified = 0; ///< of these, in loop-simplify form
  std::size_t cycles = 0;
  std::size_t irreducible = 0;
  std::size_t differences = 0;
};

/// Compares each answer, and prints those that differ.
class llvm_comparison {
  using node_id = midend::node_id;
  using nodes = std::set<node_id>;

public:
  llvm_comparison(const llvm::Function& f, const answers_of_llvm& theirs, comparison_totals& sum)
      : function_(f), graph_(midend::llvm_graph(f)), tree_(midend::dominators(graph_)),
        loops_(midend::natural_loops(graph_, tree_)), cycles_(midend::cycles(graph_)), theirs_(theirs), sum_(sum) {}

  void run() {
    ++sum_.functions;
    sum_.blocks += graph_.num_nodes();
    sum_.loops += loops_.num_loops();
    same("number of blocks", *function_.begin(), graph_.num_nodes() == function_.size());
    for (const llvm::BasicBlock& b : function_) {
      compare_dominators(b);
    }
    const auto theirs = theirs_.loops.getLoopsInPreorder();
    same("number of loops", *function_.begin(), loops_.num_loops() == theirs.size());
    for (const llvm::Loop* loop : theirs) {
      compare_loop(*loop);
    }
    compare_post_dominators();
    compare_frontiers();
    compare_cycles();
    compare_closed_form();
  }

private:
  void same(const char* what, const llvm::BasicBlock& where, bool agrees) {
    if (!agrees) {
      ++sum_.differences;
      llvm::errs() << function_.getName() << ": " << what << " differs at block ";
      where.printAsOperand(llvm::errs(), false);
      llvm::errs() << "\n";
    }
  }

  node_id number(const llvm::BasicBlock* b) const { return b == nullptr ? midend::no_node : graph_.number(b); }

  template <class Blocks> nodes numbers(const Blocks& blocks) const {
    nodes out;
    for (const llvm::BasicBlock* b : blocks) {
      out.insert(number(b));
    }
    return out;
  }

  template <class Range> static nodes set_of(const Range& range) { return nodes(std::begin(range), std::end(range)); }

  void compare_dominators(const llvm::BasicBlock& b) {
    const llvm::DomTreeNode* const theirs = theirs_.dominators.getNode(&b);
    const node_id n = number(&b);
    same("reachability", b, tree_.is_reachable(n) == (theirs != nullptr));
    if (theirs != nullptr) {
      const llvm::DomTreeNode* const idom = theirs->getIDom();
      same("immediate dominator", b,
           tree_.immediate_dominator(n) == (idom == nullptr ? midend::no_node : number(idom->getBlock())));
      same("depth in the dominator tree", b, tree_.depth(n) == theirs->getLevel());
    }
  }

  void compare_loop(const llvm::Loop& theirs) {
    const llvm::BasicBlock& at = *theirs.getHeader();
    const node_id header = number(&at);
    if (!loops_.is_header(header)) {
      same("whether it is a loop header", at, false);
      return;
    }
    const midend::loop_id l = loops_.innermost_loop(header);
    const midend::loop_id parent = loops_.parent(l);
    const llvm::Loop* const their_parent = theirs.getParentLoop();
    same("parent", at,
         (parent == midend::no_loop ? midend::no_node : loops_.header(parent)) ==
             number(their_parent == nullptr ? nullptr : their_parent->getHeader()));
    same("loop depth", at, loops_.depth(l) == theirs.getLoopDepth());
    same("set of loop blocks", at, set_of(loops_.blocks(l)) == numbers(theirs.blocks()));

    llvm::SmallVector<llvm::BasicBlock*> blocks;
    theirs.getLoopLatches(blocks);
    same("latches", at, set_of(loops_.latches(l)) == numbers(blocks));
    blocks.clear();
    theirs.getExitingBlocks(blocks);
    same("exiting blocks", at, set_of(loops_.exiting_blocks(l)) == numbers(blocks));
    blocks.clear();
    theirs.getUniqueExitBlocks(blocks);
    same("exit blocks", at, set_of(loops_.exit_blocks(l)) == numbers(blocks));
    same("preheader", at, preheader(l) == number(theirs.getLoopPreheader()));
    const bool dedicated = dedicated_exits(theirs);
    same("dedicated exits", at, loops_.has_dedicated_exits(l) == dedicated);
    const bool simple = theirs.getLoopPreheader() != nullptr && theirs.getLoopLatch() != nullptr && dedicated;
    same("loop-simplify form", at,
         (midend::is_loop_simplify_form(graph_, loops_, l) && preheader(l) != midend::no_node) == simple);
    sum_.simplified += simple ? 1 : 0;
    same("rotated form", at, midend::is_rotated(graph_, loops_, l) == theirs.isRotatedForm());
  }

  /// LLVM also wants to be able to move instructions into a preheader, which ends that matter for invokes and the like.
  node_id preheader(midend::loop_id l) const {
    const node_id n = loops_.preheader(l);
    return n != midend::no_node && graph_.handle(n)->isLegalToHoistInto() ? n : midend::no_node;
  }

  /// LLVM counts unreachable predecessors of exits too; midend's answer is about what can run.
  bool dedicated_exits(const llvm::Loop& loop) const {
    llvm::SmallVector<llvm::BasicBlock*> exits;
    loop.getUniqueExitBlocks(exits);
    return llvm::all_of(exits, [&](const llvm::BasicBlock* exit) {
      return llvm::all_of(llvm::predecessors(exit), [&](const llvm::BasicBlock* p) {
        return loop.contains(p) || !theirs_.dominators.isReachableFromEntry(p);
      });
    });
  }

  /// Which block of an endless region leads to the virtual exit is LLVM's choice, so its roots are taken as they are.
  void compare_post_dominators() {
    std::vector<node_id> roots;
    for (const llvm::BasicBlock* root : theirs_.post_dominators.roots()) {
      roots.push_back(number(root));
    }
    const midend::post_dominator_tree tree = midend::post_dominators(graph_, midend::given_roots{roots});
    for (const llvm::BasicBlock& b : function_) {
      const llvm::DomTreeNode* const node = theirs_.post_dominators.getNode(&b);
      same("whether it is in the post-dominator tree", b, tree.is_diverging(number(&b)) == (node == nullptr));
      if (node != nullptr) {
        same("immediate post-dominator", b,
             tree.immediate_post_dominator(number(&b)) == number(node->getIDom()->getBlock()));
      }
    }
  }

  void compare_frontiers() {
    const midend::frontier_sets frontiers = midend::dominance_frontier(graph_, tree_);
    llvm::DominanceFrontier theirs;
    theirs.analyze(theirs_.dominators);
    for (const llvm::BasicBlock& b : function_) {
      const auto found = theirs.find(const_cast<llvm::BasicBlock*>(&b));
      same("dominance frontier", b,
           set_of(frontiers[number(&b)]) == (found == theirs.end() ? nodes() : numbers(found->second)));
    }
  }

  /// Whether values of loops are read outside only by phis in exit blocks (LCSSA). LLVM does not care about tokens.
  void compare_closed_form() {
    const midend::llvm_ssa ir(function_);
    const midend::dominator_tree tree = midend::dominators(ir.graph());
    const midend::loop_closing_plan plan = midend::plan_close_loops(ir, tree, midend::natural_loops(ir.graph(), tree));
    const bool closed = llvm::none_of(
        plan.phis, [&](const midend::closing_phi& phi) { return !ir.value(phi.value)->getType()->isTokenTy(); });
    const bool theirs = llvm::all_of(theirs_.loops, [&](const llvm::Loop* loop) {
      return loop->isRecursivelyLCSSAForm(theirs_.dominators, theirs_.loops);
    });
    same("closed form", *function_.begin(), (closed && plan.refused.empty()) == theirs);
  }

  void compare_cycles() {
    sum_.cycles += cycles_.num_cycles();
    std::size_t theirs = 0;
    for (const llvm::Cycle* top : theirs_.cycles.toplevel_cycles()) {
      for (const llvm::Cycle* cycle : llvm::depth_first(top)) {
        ++theirs;
        compare_cycle(*cycle);
      }
    }
    same("number of cycles", *function_.begin(), cycles_.num_cycles() == theirs);
  }

  void compare_cycle(const llvm::Cycle& theirs) {
    const llvm::BasicBlock& at = *theirs.getHeader();
    const node_id header = number(&at);
    if (!cycles_.is_header(header)) {
      same("whether it is a cycle header", at, false);
      return;
    }
    const midend::cycle_id c = cycles_.innermost_cycle(header);
    const midend::cycle_id parent = cycles_.parent(c);
    const llvm::Cycle* const their_parent = theirs.getParentCycle();
    sum_.irreducible += cycles_.is_reducible(c) ? 0 : 1;
    same("parent of the cycle", at,
         (parent == midend::no_cycle ? midend::no_node : cycles_.header(parent)) ==
             number(their_parent == nullptr ? nullptr : their_parent->getHeader()));
    same("cycle depth", at, cycles_.depth(c) == theirs.getDepth());
    same("set of cycle blocks", at, set_of(cycles_.blocks(c)) == numbers(theirs.blocks()));
    same("entries", at, set_of(cycles_.entries(c)) == reachable_entries(theirs));
  }

  /// LLVM also takes a block that only unreachable code jumps to for an entry.
  nodes reachable_entries(const llvm::Cycle& cycle) const {
    nodes out;
    for (const llvm::BasicBlock* entry : cycle.entries()) {
      if (entry == cycle.getHeader() || llvm::any_of(llvm::predecessors(entry), [&](const llvm::BasicBlock* p) {
            return !cycle.contains(p) && theirs_.dominators.isReachableFromEntry(p);
          })) {
        out.insert(number(entry));
      }
    }
    return out;
  }

  const llvm::Function& function_;
  midend::llvm_function_graph graph_;
  midend::dominator_tree tree_;
  midend::loop_forest loops_;
  midend::cycle_forest cycles_;
  answers_of_llvm theirs_;
  comparison_totals& sum_;
};
