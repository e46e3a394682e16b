#include "loop_passes.hpp"

#include "certificate.hpp"
#include "lowered_addresses.hpp"

#include <midend/adapters/llvm_editor.hpp>
#include <midend/adapters/llvm_memory_editor.hpp>
#include <midend/adapters/llvm_nest_view.hpp>
#include <midend/adapters/llvm_unroll_metadata.hpp>
#include <midend/adapters/llvm_unrolling_view.hpp>
#include <midend/induction/evolutions.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/loops/loop_forest.hpp>
#include <midend/ssa/facts_of_numbers.hpp>
#include <midend/transform/collapse.hpp>
#include <midend/transform/condition_split.hpp>
#include <midend/transform/index_split.hpp>
#include <midend/transform/interchange.hpp>
#include <midend/transform/peel_by_profile.hpp>
#include <midend/transform/unroll_loops.hpp>
#include <midend/transform/unswitch.hpp>
#include <midend/transform/verify_collapse.hpp>
#include <midend/transform/verify_condition_split.hpp>
#include <midend/transform/verify_interchange.hpp>
#include <midend/viz/condition_splits.hpp>
#include <midend/viz/loop_versions.hpp>
#include <midend/viz/nests.hpp>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Analysis.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Use.h>
#include <llvm/Support/Casting.h>
#include <llvm/Support/raw_ostream.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace {

using midend::llvm_editor;
using midend::loop_id;
using midend::node_id;
using midend::number_facts;
using midend::value_id;

/// What a pass has done with a function.
class loop_report {
public:
  loop_report(llvm::Function& f, const char* pass) : function_(f), pass_(pass) {}

  void changed(const llvm_editor& editor, node_id header) { add(editor, header, {}); }

  void missed(const llvm_editor& editor, node_id at, std::string_view why) { add(editor, at, why); }

  bool is_changed() const { return is_changed_; }

  /// Where the loops are in the source was asked for before they were changed.
  void say() const {
    llvm::LLVMContext& context = function_.getContext();
    if (context.getLLVMRemarkStreamer() == nullptr && !context.getDiagHandlerPtr()->isAnyRemarkEnabled(pass_)) {
      return; // the names of blocks cost more than the pass
    }
    for (const entry& e : entries_) {
      if (e.why.empty()) {
        context.diagnose(llvm::OptimizationRemark(pass_, "Changed", e.location, e.block)
                         << "changed the loop of block " << name_of(*e.block));
      } else {
        context.diagnose(llvm::OptimizationRemarkMissed(pass_, "Missed", e.location, e.block)
                         << "block " << name_of(*e.block) << ": " << llvm::StringRef(e.why.data(), e.why.size()));
      }
    }
  }

private:
  struct entry {
    llvm::BasicBlock* block;
    llvm::DiagnosticLocation location;
    std::string_view why; ///< nothing is missed if it is empty
  };

  void add(const llvm_editor& editor, node_id n, std::string_view why) {
    llvm::BasicBlock* const block = editor.block(n);
    is_changed_ = is_changed_ || why.empty();
    entries_.push_back({block, llvm::DiagnosticLocation(block->getTerminator()->getDebugLoc()), why});
  }

  static std::string name_of(const llvm::BasicBlock& block) {
    std::string name;
    llvm::raw_string_ostream stream(name);
    block.printAsOperand(stream, false);
    return stream.str();
  }

  llvm::Function& function_;
  const char* pass_;
  bool is_changed_ = false;
  llvm::SmallVector<entry, 8> entries_;
};

/// Whether the source forbids to change a loop: `llvm.loop.disable_nonforced`.
bool is_only_forced(const llvm_editor& editor, const midend::loop_forest& loops, loop_id l) {
  return midend::read_llvm_unroll_metadata(midend::llvm_loop_metadata(editor, loops, l)).only_forced;
}

/// Removes what `may_stay(x)` refuses.
template <class Array, class MayStay> void keep_if(Array& all, MayStay may_stay) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i != all.size(); ++i) {
    if (may_stay(all[i])) {
      all[kept++] = all[i];
    }
  }
  all.shrink(kept);
}

// The passes. Each may first change the function so that more is possible (`prepare`), then does its work, and takes
// back what was in vain (`finish`).

struct peel_loops {
  using editor_type = llvm_editor;

  static constexpr llvm::StringLiteral name = "midend-peel";
  static constexpr bool copies = true;

  void prepare(llvm::Function&) {}

  void run(llvm_editor& editor, certificate& proof, loop_report& report) {
    const auto found = midend::dominators_and_loops(editor.graph());
    midend::peeling_plan peeling = midend::plan_peel_by_profile(editor, found.loops);
    for (const midend::peeling_candidate& c : peeling.candidates) {
      if (c.obstacle != midend::peeling_obstacle::none) {
        report.missed(editor, found.loops.header(c.loop), midend::to_text(c.obstacle));
      }
    }
    keep_if(peeling.requests, [&](const midend::unrolling_request& r) {
      const auto asked = midend::read_llvm_unroll_metadata(midend::llvm_loop_metadata(editor, found.loops, r.loop));
      return !asked.is_disabled && !asked.only_forced;
    });
    const midend::unrolling_plan plan = midend::plan_unroll_loops(editor, found.loops, peeling.requests);
    if (plan.empty()) {
      return;
    }
    llvm::SmallVector<node_id, 8> headers;
    for (const midend::loop_unrolling& x : plan.unrollings) {
      headers.push_back(found.loops.header(x.loop));
      report.changed(editor, headers.back());
    }
    const midend::unfolding_witness witness = midend::apply_unroll_loops(editor, plan);
    proof.check(editor, witness);
    editor.finish(); // metadata moves to latches
    const auto now = midend::dominators_and_loops(editor.graph());
    for (const loop_id l : now.loops.loops()) {
      if (llvm::is_contained(headers, witness.node_origin[now.loops.header(l)])) {
        midend::disable_llvm_unrolling(editor, now.loops, l);
      }
    }
  }

  void finish() {}
};

/// Conditions that may be poison or undefined are frozen, because a branch before the loop reads them even if the loop
/// would not.
struct unswitch_loops {
  using editor_type = llvm_editor;

  static constexpr llvm::StringLiteral name = "midend-unswitch";
  static constexpr bool copies = true;

  void prepare(llvm::Function& f) {
    llvm::SmallVector<llvm::Use*, 8> uses;
    {
      const llvm_editor editor(f);
      const auto found = midend::dominators_and_loops(editor.graph());
      for (const midend::unswitch_candidate& c : midend::plan_unswitch(editor, found.loops).candidates) {
        if (c.obstacle == midend::unswitch_obstacle::may_be_undefined && !editor.is_undefined(c.condition)) {
          uses.push_back(&editor.block(c.node)->getTerminator()->getOperandUse(0));
        }
      }
    }
    for (llvm::Use* const use : uses) {
      freeze(f, *use);
    }
  }

  void run(llvm_editor& editor, certificate& proof, loop_report& report) {
    const auto found = midend::dominators_and_loops(editor.graph());
    midend::unswitch_plan plan = midend::plan_unswitch(editor, found.loops);
    for (const midend::unswitch_candidate& c : plan.candidates) {
      if (c.obstacle != midend::unswitch_obstacle::none) {
        report.missed(editor, c.node,
                      c.obstacle == midend::unswitch_obstacle::not_copied ? midend::to_text(c.copying)
                                                                          : midend::to_text(c.obstacle));
      }
    }
    keep_if(plan.loops,
            [&](const midend::loop_unswitching& x) { return !is_only_forced(editor, found.loops, x.loop); });
    if (plan.empty()) {
      return;
    }
    for (const midend::loop_unswitching& x : plan.loops) {
      report.changed(editor, found.loops.header(x.loop));
      for (std::uint32_t t = x.first_test; t != x.first_test + x.num_tests; ++t) {
        decided_.insert(editor.value(plan.tests[t].condition));
      }
    }
    proof.check(editor, midend::apply_unswitch(editor, plan));
  }

  void finish() {
    for (const auto& [old, now] : frozen_) {
      if (now != nullptr && !decided_.contains(now)) { // copies of the branch may read it, too
        now->replaceAllUsesWith(now->getOperand(0));   // not with `old`, which may be gone
        now->eraseFromParent();
      }
    }
  }

private:
  /// One `freeze` for all branches on a condition.
  void freeze(llvm::Function& f, llvm::Use& use) {
    llvm::Value& old = *use.get();
    const auto [at, is_new] = frozen_.insert({&old, nullptr});
    if (is_new) {
      auto* const made_by = llvm::dyn_cast<llvm::Instruction>(&old);
      const std::optional<llvm::BasicBlock::iterator> place =
          made_by == nullptr ? f.getEntryBlock().getFirstInsertionPt() : made_by->getInsertionPointAfterDef();
      at->second = place ? new llvm::FreezeInst(&old, old.getName() + ".fr", *place) : nullptr;
    }
    if (at->second != nullptr) {
      use.set(at->second);
    }
  }

  llvm::MapVector<llvm::Value*, llvm::FreezeInst*> frozen_;
  llvm::SmallPtrSet<const llvm::Value*, 8> decided_;
};

struct split_index {
  using editor_type = llvm_editor;

  static constexpr llvm::StringLiteral name = "midend-split-index";
  static constexpr bool copies = true;

  void prepare(llvm::Function&) {}

  void run(llvm_editor& editor, certificate& proof, loop_report& report) {
    const auto found = midend::dominators_and_loops(editor.graph());
    midend::index_split_plan plan;
    {
      const midend::llvm_unrolling_view view(editor);
      const midend::loop_trip_counter counter(view, found.loops);
      plan = midend::plan_index_split(view, found.loops, counter.evolutions());
    }
    for (const midend::index_split_candidate& c : plan.candidates) {
      if (c.obstacle != midend::index_split_obstacle::none) {
        report.missed(editor, c.node,
                      c.obstacle == midend::index_split_obstacle::not_copied ? midend::to_text(c.copying)
                                                                             : midend::to_text(c.obstacle));
      }
    }
    keep_if(plan.splits, [&](const midend::index_split& x) { return !is_only_forced(editor, found.loops, x.loop); });
    for (const midend::index_split& x : plan.splits) {
      report.changed(editor, found.loops.header(x.loop));
    }
    if (!plan.empty()) {
      proof.check(editor, midend::apply_index_split(editor, plan));
    }
  }

  void finish() {}
};

/// What is the same for collapse and interchange.
class nest_step {
public:
  using editor_type = llvm_editor;

  static constexpr bool copies = false;

protected:
  template <class Refusals>
  static void say_refused(const llvm_editor& editor, const midend::loop_forest& loops, const Refusals& refused,
                          loop_report& report) {
    for (const midend::loop_pair_refusal& r : refused) {
      report.missed(editor, loops.header(r.outer), midend::to_text(r.why));
    }
  }

  /// Remembers the loops of a nest, which have other iterations from now on.
  template <class Nest> void take(const llvm_editor& editor, const Nest& nest, loop_report& report) {
    report.changed(editor, nest.outer.header);
    for (const node_id n : {nest.outer.latch, nest.inner.latch}) {
      latches_.push_back(editor.block(n));
    }
  }

  template <class Nest>
  static bool may_change(const llvm_editor& editor, const midend::loop_forest& loops, const Nest& nest) {
    return !is_only_forced(editor, loops, nest.outer.loop) && !is_only_forced(editor, loops, nest.inner.loop);
  }

  /// What `llvm.loop` says about iterations, such as that they are parallel, was said of others.
  void forget_metadata() const {
    for (llvm::BasicBlock* const b : latches_) {
      b->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, nullptr);
    }
  }

private:
  llvm::SmallVector<llvm::BasicBlock*, 8> latches_;
};

struct collapse_loops : nest_step {
  static constexpr llvm::StringLiteral name = "midend-collapse";

  void prepare(llvm::Function&) {}

  void run(llvm_editor& editor, certificate& proof, loop_report& report) {
    const auto found = midend::dominators_and_loops(editor.graph());
    midend::collapse_plan plan;
    {
      const midend::llvm_nest_view view(editor);
      const auto facts = midend::facts_of_numbers(view);
      const midend::span<const number_facts> known(facts.data(), facts.size());
      plan = midend::plan_collapse(view, found.loops, midend::evolutions(view, found.loops, known));
    }
    keep_if(plan.nests, [&](const midend::loop_collapse& x) { return may_change(editor, found.loops, x); });
    const midend::collapse_witness witness = midend::apply_collapse(editor, plan);
    for (const midend::loop_collapse& x : plan.nests) { // without what could not be made
      take(editor, x, report);
    }
    say_refused(editor, found.loops, plan.refused, report);
    proof.check_nests(editor, [&](const auto& before, const auto& after) {
      const auto facts = midend::facts_of_numbers(before);
      return midend::verify_collapse(before, after, witness, {facts.data(), facts.size()});
    });
  }

  void finish() { forget_metadata(); }
};

struct interchange_loops : nest_step {
  static constexpr llvm::StringLiteral name = "midend-interchange";

  void prepare(llvm::Function& f) {
    llvm::SmallVector<llvm::BasicBlock*, 16> blocks;
    {
      const llvm_editor editor(f);
      const auto found = midend::dominators_and_loops(editor.graph());
      for (const loop_id l : found.loops.loops()) {
        if (found.loops.parent(l) != midend::no_loop) {
          for (const node_id n : found.loops.own_blocks(l)) {
            blocks.push_back(editor.block(n));
          }
        }
      }
    }
    for (llvm::BasicBlock* const b : blocks) {
      for (llvm::Instruction& i : *b) {
        addresses_.lower(i);
      }
    }
  }

  void run(llvm_editor& editor, certificate& proof, loop_report& report) {
    const auto found = midend::dominators_and_loops(editor.graph());
    midend::interchange_plan plan;
    {
      const midend::llvm_nest_view view(editor);
      const auto facts = midend::facts_of_numbers(view);
      const midend::span<const number_facts> known(facts.data(), facts.size());
      plan = midend::plan_interchange(view, found, midend::evolutions(view, found.loops, known), known);
    }
    say_refused(editor, found.loops, plan.refused, report);
    keep_if(plan.nests, [&](const midend::loop_interchange& x) {
      const bool may = may_change(editor, found.loops, x);
      const bool is_determinate = x.is_rotated || (is_known(editor, found.loops, plan, x, x.outer) &&
                                                   is_known(editor, found.loops, plan, x, x.inner));
      if (may && !is_determinate) {
        report.missed(editor, x.outer.header, "a bound may be poison that the loops need not read");
      }
      return may && is_determinate;
    });
    for (const midend::loop_interchange& x : plan.nests) {
      take(editor, x, report);
      for (const node_id n : found.loops.blocks(x.outer.loop)) {
        changed_.insert(editor.block(n));
      }
    }
    const midend::interchange_witness witness = midend::apply_interchange(editor, plan);
    proof.check_nests(editor, [&](const auto& before, const auto& after) {
      const auto facts = midend::facts_of_numbers(before);
      return midend::verify_interchange(before, after, witness, {facts.data(), facts.size()});
    });
  }

  void finish() {
    addresses_.restore([&](const llvm::BasicBlock* b) { return changed_.contains(b); });
    forget_metadata();
  }

private:
  /// A loop that tests before its body is perhaps never entered, and then nothing reads the bound of the inner one.
  /// After the interchange, that one is tested first. So what the tests read must not be poison or undefined.
  static bool is_known(const llvm_editor& editor, const midend::loop_forest& loops,
                       const midend::interchange_plan& plan, const midend::loop_interchange& nest,
                       const midend::counted_level& level) {
    const auto is_outside = [&](value_id v) {
      const node_id n = editor.node_of(v);
      return n == midend::no_node || !loops.contains(nest.outer.loop, n);
    };
    bool is_known = !is_outside(level.start) || !editor.may_be_indeterminate(level.start);
    const auto check = [&](std::uint32_t first, std::uint32_t last) {
      for (std::uint32_t i = first; i != last; ++i) {
        for (const value_id x : editor.operands(plan.slices[i])) {
          is_known = is_known && (!is_outside(x) || !editor.may_be_indeterminate(x));
        }
      }
    };
    check(level.first_test, level.last_test);
    check(level.first_step, level.last_step);
    return is_known;
  }

  lowered_addresses addresses_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> changed_;
};

/// Adds code, so it counts as a pass that copies.
struct split_by_condition {
  using editor_type = midend::llvm_memory_editor;

  static constexpr llvm::StringLiteral name = "midend-split-by-condition";
  static constexpr bool copies = true;

  void prepare(llvm::Function&) {}

  void run(editor_type& editor, certificate& proof, loop_report& report) {
    const auto found = midend::dominators_and_loops(editor.graph());
    midend::condition_split_plan plan;
    {
      const midend::llvm_nest_view view(editor);
      const auto facts = midend::facts_of_numbers(view);
      const midend::span<const number_facts> known(facts.data(), facts.size());
      plan = midend::plan_condition_split(view, found, midend::evolutions(view, found.loops, known), known);
    }
    keep_if(plan.loops, [&](const midend::condition_split& x) { return !is_only_forced(editor, found.loops, x.loop); });
    const midend::condition_split_witness witness = midend::apply_condition_split(editor, plan);
    for (const midend::condition_split& x : plan.loops) { // without what could not be made
      report.changed(editor, x.header);
      latches_.push_back(editor.block(x.latch));
    }
    for (const midend::split_loop& x : witness.loops) {
      latches_.push_back(editor.block(x.full));
      latches_.push_back(editor.block(x.last));
    }
    for (const midend::condition_split_refusal& r : plan.refused) {
      report.missed(editor, r.node == midend::no_node ? found.loops.header(r.loop) : r.node, midend::to_text(r.why));
    }
    proof.check_nests(editor, [&](const auto& before, const auto&) {
      const auto facts = midend::facts_of_numbers(before);
      return midend::verify_condition_split(before, editor, witness, {facts.data(), facts.size()});
    });
  }

  /// What `llvm.loop` says about iterations was said of others.
  void finish() {
    for (llvm::BasicBlock* const b : latches_) {
      b->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, nullptr);
    }
  }

private:
  llvm::SmallVector<llvm::BasicBlock*, 8> latches_;
};

template <class Step> class loop_pass : public llvm::PassInfoMixin<loop_pass<Step>> {
public:
  explicit loop_pass(bool verify) : verify_(verify) {}

  static constexpr llvm::StringLiteral pass_name = Step::name;

  static llvm::StringRef name() { return pass_name; }

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager&) const {
    if (Step::copies && f.hasOptSize()) {
      return llvm::PreservedAnalyses::all();
    }
    Step step;
    step.prepare(f);
    certificate proof(f, pass_name, verify_);
    loop_report report(f, pass_name.data());
    {
      typename Step::editor_type editor(f);
      step.run(editor, proof, report);
    }
    step.finish();
    proof.check_function();
    report.say();
    return report.is_changed() ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }

private:
  bool verify_;
};

constexpr named_pass all[] = {pass_of<loop_pass<peel_loops>>,     pass_of<loop_pass<unswitch_loops>>,
                              pass_of<loop_pass<split_index>>,    pass_of<loop_pass<split_by_condition>>,
                              pass_of<loop_pass<collapse_loops>>, pass_of<loop_pass<interchange_loops>>};

} // namespace

llvm::ArrayRef<named_pass> loop_passes() {
  return all;
}
