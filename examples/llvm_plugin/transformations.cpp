#include "transformations.hpp"

#include "certificate.hpp"
#include "clean_up_pass.hpp"
#include "final_values_pass.hpp"
#include "loop_passes.hpp"
#include "named_pass.hpp"
#include "strength_pass.hpp"

#include <midend/adapters/llvm_congruence.hpp>
#include <midend/adapters/llvm_editor.hpp>
#include <midend/adapters/llvm_package_editor.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/package/low_level_package.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/apply_value_numbering.hpp>
#include <midend/ssa/phis_of_operations.hpp>
#include <midend/ssa/poison_promises.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/sccp_plan.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/ssa/value_numbering_plan.hpp>
#include <midend/ssa/verify_congruence.hpp>
#include <midend/ssa/verify_phis_of_operations.hpp>
#include <midend/ssa/verify_sccp.hpp>
#include <midend/ssa/verify_sccp_plan.hpp>
#include <midend/transform/clean_control.hpp>
#include <midend/transform/close_loops.hpp>
#include <midend/transform/fix_irreducible.hpp>
#include <midend/transform/hoist_invariants.hpp>
#include <midend/transform/propagate_copies.hpp>
#include <midend/transform/remove_dead_code.hpp>
#include <midend/transform/rotate_loops.hpp>
#include <midend/transform/simplify_loops.hpp>
#include <midend/transform/split_critical_edges.hpp>
#include <midend/transform/unfolding_witness.hpp>
#include <midend/transform/unify_loop_exits.hpp>
#include <midend/transform/verify_motion.hpp>
#include <midend/transform/verify_removal.hpp>
#include <midend/transform/verify_replacement.hpp>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Analysis.h>
#include <llvm/IR/Attributes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/Casting.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace {

using midend::llvm_editor;

/// What a pass has changed; the greater includes the smaller.
enum class change { nothing, values, flow };

/// What has been added to a function: transformations of loops change it by new blocks and phis only.
class growth {
public:
  explicit growth(const llvm_editor& editor)
      : editor_(editor), nodes_(editor.graph().num_nodes()), values_(editor.num_values()) {}

  change since() const {
    return editor_.graph().num_nodes() != nodes_ ? change::flow
           : editor_.num_values() != values_     ? change::values
                                                 : change::nothing;
  }

private:
  const llvm_editor& editor_;
  std::size_t nodes_;
  std::size_t values_;
};

/// A transformation of loops in one call.
template <class Transform> change run_on_loops(llvm_editor& editor, certificate& proof, Transform transform) {
  const growth growth(editor);
  proof.check(editor, transform(editor).witness);
  return growth.since();
}

// The transformations. Each says what it is called, and changes a function.

struct simplify_loops {
  static constexpr llvm::StringLiteral name = "midend-simplify-loops";

  static change run(llvm_editor& editor, certificate& proof) {
    return run_on_loops(editor, proof, [](llvm_editor& e) { return midend::simplify_loops(e); });
  }
};

struct close_loops {
  static constexpr llvm::StringLiteral name = "midend-close-loops";

  static change run(llvm_editor& editor, certificate& proof) {
    return run_on_loops(editor, proof, [](llvm_editor& e) { return midend::close_loops(e); });
  }
};

struct rotate_loops {
  static constexpr llvm::StringLiteral name = "midend-rotate";

  static change run(llvm_editor& editor, certificate& proof) {
    return run_on_loops(editor, proof, [](llvm_editor& e) { return midend::rotate_loops(e); });
  }
};

struct fix_irreducible {
  static constexpr llvm::StringLiteral name = "midend-fix-irreducible";

  static change run(llvm_editor& editor, certificate& proof) {
    return run_on_loops(editor, proof, [](llvm_editor& e) { return midend::fix_irreducible(e); });
  }
};

struct unify_exits {
  static constexpr llvm::StringLiteral name = "midend-unify-exits";

  static change run(llvm_editor& editor, certificate& proof) {
    return run_on_loops(editor, proof, [](llvm_editor& e) { return midend::unify_loop_exits(e); });
  }
};

struct split_critical_edges {
  static constexpr llvm::StringLiteral name = "midend-split-critical-edges";

  static change run(llvm_editor& editor, certificate& proof) {
    const midend::critical_edges_plan plan = midend::plan_split_critical_edges(editor);
    proof.check(editor, midend::apply_split_critical_edges(editor, plan));
    return plan.empty() ? change::nothing : change::flow;
  }
};

struct remove_dead_code {
  static constexpr llvm::StringLiteral name = "midend-dce";

  static change run(llvm_editor& editor, certificate& proof) {
    const midend::dead_code_plan plan = midend::plan_remove_dead_code(editor);
    const midend::removal_witness witness = midend::apply_remove_dead_code(editor, plan);
    proof.check(editor,
                [&](const auto& before, const auto& after) { return midend::verify_removal(before, after, witness); });
    return plan.empty() ? change::nothing : plan.branches.empty() ? change::values : change::flow;
  }
};

struct propagate_copies {
  static constexpr llvm::StringLiteral name = "midend-propagate-copies";

  static change run(llvm_editor& editor, certificate& proof) {
    const midend::copy_propagation_plan plan = midend::plan_propagate_copies(editor);
    const midend::replacement_witness witness = midend::apply_propagate_copies(editor, plan);
    proof.check(editor, [&](const auto& before, const auto& after) {
      return midend::verify_replacement(before, after, witness);
    });
    return plan.empty() ? change::nothing : change::values;
  }
};

struct hoist_invariants {
  static constexpr llvm::StringLiteral name = "midend-hoist-invariants";

  static change run(llvm_editor& editor, certificate& proof) {
    const midend::hoisting_plan plan = midend::hoist_invariants(editor);
    proof.check(editor, [](const auto& before, const auto& after) { return midend::verify_motion(before, after); });
    return plan.empty() ? change::nothing : change::values;
  }
};

/// Replaces values by the constants of a plan in a copy of the function as it was. What `apply_sccp` makes of that is
/// an unfolding: branches are decided by literals.
midend::unfolding_witness with_constants(llvm_editor& before, const llvm_editor& after,
                                         const midend::sccp_plan<std::uint64_t>& plan, certificate& proof) {
  for (const auto& change : plan.replacements) {
    llvm::Constant* const c = midend::llvm_constant(before.value(change.value)->getType(), change.constant);
    const auto bits = midend::llvm_constant_bits(proof.translated(c));
    before.replace_uses(change.value, before.make_constant(change.value, *bits));
  }
  midend::unfolding_witness witness;
  witness.start(before.graph().num_nodes(), before.graph().num_edges(), before.num_values());
  for (const midend::edge_id kept : plan.kept_edges) {
    const midend::node_id n = before.graph().edge_source(kept);
    const midend::value_id condition = before.condition(n);
    const bool is_literal = condition != midend::no_value && before.constant(condition).has_value();
    for (const midend::edge_id e : before.graph().out_edges(n)) {
      if (e != kept) {
        witness.dropped.push_back(
            {n, e, is_literal ? condition : midend::no_value,
             is_literal ? midend::drop_reason::constant_condition : midend::drop_reason::assumed});
      }
    }
  }
  witness.grow(after.graph().num_nodes(), after.graph().num_edges(), after.num_values());
  return witness;
}

/// What a plan of constants changes.
change change_of(const midend::sccp_plan<std::uint64_t>& plan) {
  return plan.empty()                                           ? change::nothing
         : plan.kept_edges.empty() && plan.erased_nodes.empty() ? change::values
                                                                : change::flow;
}

struct sccp {
  static constexpr llvm::StringLiteral name = "midend-sccp";

  static change run(llvm_editor& editor, certificate& proof) {
    const auto found = midend::sccp(editor, midend::number_domain());
    if (proof.is_wanted()) {
      proof.require_none(midend::verify_sccp(editor, found), editor);
    }
    const auto plan = midend::plan_sccp(editor, found);
    if (proof.is_wanted()) {
      proof.require_none(midend::verify_sccp_plan(editor, found, plan), editor);
    }
    midend::apply_sccp(editor, plan);
    proof.check_after(editor, [&](llvm_editor& before) { return with_constants(before, editor, plan, proof); });
    return change_of(plan);
  }
};

/// Whether an instruction promises anything: also an attribute such as `range` at a call.
bool promises_something(const llvm::Instruction& i) {
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i);
  return i.getRawSubclassOptionalData() != 0 || i.hasMetadataOtherThanDebugLoc() ||
         (call != nullptr && !call->getAttributes().isEmpty());
}

/// Whether an instruction promises something that another one does not promise; of one with another opcode, anything.
bool promises_more(const midend::llvm_congruence& view, midend::value_id v, midend::value_id w) {
  const auto* const i = llvm::dyn_cast<llvm::Instruction>(view.value(v));
  const auto* const other = llvm::dyn_cast<llvm::Instruction>(view.value(w));
  return i != nullptr &&
         (other != nullptr && i->getOpcode() == other->getOpcode() ? view.promises_more(v, w) : promises_something(*i));
}

/// Whether what remains, which has new readers, promises no more than what it replaces did. The readers of an operation
/// that is not the same one read it, or an operand of it for which the one that remains stands.
bool promises_are_kept(const llvm::Value& replaced, const llvm::Value& remaining) {
  const auto* const old = llvm::dyn_cast<llvm::Instruction>(&replaced);
  const auto* const now = llvm::dyn_cast<llvm::Instruction>(&remaining);
  if (old == nullptr || now == nullptr || old->getOpcode() != now->getOpcode() || llvm::isa<llvm::PHINode>(now)) {
    return true;
  }
  llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>, 4> all;
  now->getAllMetadataOtherThanDebugLoc(all);
  for (const auto& [kind, node] : all) {
    if ((kind == llvm::LLVMContext::MD_range || kind == llvm::LLVMContext::MD_nonnull ||
         kind == llvm::LLVMContext::MD_align || kind == llvm::LLVMContext::MD_noundef) &&
        old->getMetadata(kind) != node) {
      return false;
    }
  }
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(now);
  const auto* const old_call = llvm::dyn_cast<llvm::CallBase>(old);
  const bool same_flags = llvm::isa<llvm::FPMathOperator>(now) // others of its flags allow other results
                              ? (!now->hasNoNaNs() || old->hasNoNaNs()) && (!now->hasNoInfs() || old->hasNoInfs())
                              : (now->getRawSubclassOptionalData() & ~old->getRawSubclassOptionalData()) == 0;
  bool same_attributes = true;
  for (const auto kind : {llvm::Attribute::Range, llvm::Attribute::NonNull, llvm::Attribute::Alignment}) {
    same_attributes = same_attributes && (call == nullptr || !call->hasRetAttr(kind) ||
                                          call->getRetAttr(kind) == old_call->getRetAttr(kind));
  }
  return same_flags && same_attributes;
}

struct value_numbering {
  static constexpr llvm::StringLiteral name = "midend-vn";

  static change run(llvm_editor& editor, certificate& proof) {
    const midend::llvm_congruence view(editor.function()); // with the numbers of the editor
    const auto found = midend::value_numbering_with_branch_facts(view, midend::number_domain());
    if (proof.is_wanted()) {
      proof.require_none(midend::verify_congruence_with_branch_facts(view, found), editor);
    }
    auto plan = midend::plan_value_numbering(view, found);
    midend::add_phis_of_operations(view, found, plan);
    if (proof.is_wanted()) {
      proof.require_none(midend::verify_phis_of_operations(view, found, plan), editor);
      proof.require_none(midend::verify_sccp_plan(view, found.facts(), plan.constants), editor);
    }
    midend::drop_poison_promises(
        view, found, [&](midend::value_id v, midend::value_id w) { return promises_more(view, v, w); }, plan);
    for (const auto& change : plan.replacements) {
      proof.require(found.are_congruent(change.value, change.leader), "a value is replaced by one that is not equal");
    }
    midend::apply_value_numbering(editor, plan);
    proof.check_after(editor, [&](llvm_editor& before) {
      auto equal = plan;
      equal.constants = {};
      for (auto& change : equal.replacements) {
        change.is_removable = false; // that is for the comparison to see
      }
      for (const auto& change : equal.replacements) { // `before` is still as it was
        proof.require(promises_are_kept(*before.value(change.value), *editor.value(change.leader)),
                      "a value has new readers and keeps its promises");
      }
      midend::apply_value_numbering(before, equal);
      return with_constants(before, editor, plan.constants, proof);
    });
    return std::max(change_of(plan.constants), plan.empty() ? change::nothing : change::values);
  }
};

/// Runs the transformations `Steps`, and is called like the last one.
template <class... Steps> class transformation_pass : public llvm::PassInfoMixin<transformation_pass<Steps...>> {
public:
  explicit transformation_pass(bool verify) : verify_(verify) {}

  static constexpr llvm::StringLiteral pass_name = (Steps::name, ...);

  static llvm::StringRef name() { return pass_name; }

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager&) {
    change done = change::nothing;
    ((done = std::max(done, run_step<Steps>(f))), ...);
    llvm::PreservedAnalyses preserved =
        done == change::nothing ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
    if (done == change::values) {
      preserved.preserveSet<llvm::CFGAnalyses>();
    }
    return preserved;
  }

private:
  template <class Step> change run_step(llvm::Function& f) const {
    certificate proof(f, Step::name, verify_);
    change done;
    {
      llvm_editor editor(f);
      done = Step::run(editor, proof);
    }
    proof.check_function();
    return done;
  }

  bool verify_;
};

/// Rounds until there is nothing left to do. To be verified, each has an editor of its own, because its witness begins
/// with the program before it. Otherwise one editor does all, and values get no numbers.
class clean_control_pass : public llvm::PassInfoMixin<clean_control_pass> {
public:
  explicit clean_control_pass(bool verify) : verify_(verify), memory_(std::make_unique<memory>()) {}

  static constexpr llvm::StringLiteral pass_name = "midend-clean-control";

  static llvm::StringRef name() { return pass_name; }

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager&) {
    bool changed = false;
    if (verify_) {
      while (run_round(f)) {
        changed = true;
      }
    } else {
      llvm_editor editor(f, {}, memory_->editor, midend::llvm_value_numbers::when_asked);
      midend::clean_control(editor, memory_->cleaning);
      changed = has_changed(editor);
    }
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }

private:
  /// Kept from function to function.
  struct memory {
    midend::llvm_editor_workspace editor;
    midend::clean_control_workspace cleaning;
  };

  static bool has_changed(const llvm_editor& editor) { return editor.graph().epoch() != 0; }

  static bool run_round(llvm::Function& f) {
    certificate proof(f, pass_name, true);
    bool changed;
    {
      llvm_editor editor(f);
      proof.check(editor, midend::apply_clean_control(editor, midend::plan_clean_control(editor)));
      changed = has_changed(editor);
    }
    proof.check_function();
    return changed;
  }

  bool verify_;
  std::unique_ptr<memory> memory_;
};

/// The low-level package has no certificate: LLVM's verifier checks the function.
class low_level_pass : public llvm::PassInfoMixin<low_level_pass> {
public:
  explicit low_level_pass(bool verify) : verify_(verify) {}

  static constexpr llvm::StringLiteral pass_name = "midend-low-level";

  static llvm::StringRef name() { return pass_name; }

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager&) {
    certificate proof(f, pass_name, verify_);
    bool changed = false;
    {
      midend::llvm_package_editor editor(f);
      const midend::package_log log = midend::low_level_package().run(editor);
      for (const midend::package_event& e : log.events) {
        changed = changed || e.veto == midend::package_veto::none;
      }
    }
    proof.check_function();
    llvm::PreservedAnalyses preserved = llvm::PreservedAnalyses::all();
    if (changed) {
      preserved = llvm::PreservedAnalyses::none();
      preserved.preserveSet<llvm::CFGAnalyses>();
    }
    return preserved;
  }

private:
  bool verify_;
};

constexpr named_pass all[] = {pass_of<transformation_pass<simplify_loops>>,
                              pass_of<transformation_pass<close_loops>>,
                              pass_of<transformation_pass<rotate_loops>>,
                              pass_of<transformation_pass<fix_irreducible>>,
                              pass_of<transformation_pass<unify_exits>>,
                              pass_of<transformation_pass<split_critical_edges>>,
                              pass_of<clean_control_pass>,
                              pass_of<low_level_pass>,
                              pass_of<clean_up_pass>,
                              pass_of<transformation_pass<remove_dead_code>>,
                              pass_of<dead_loops_pass>,
                              pass_of<final_values_pass>,
                              pass_of<strength_pass>,
                              pass_of<transformation_pass<propagate_copies>>,
                              pass_of<transformation_pass<simplify_loops, hoist_invariants>>,
                              pass_of<transformation_pass<sccp>>,
                              pass_of<transformation_pass<value_numbering>>};

} // namespace

llvm::SmallVector<llvm::StringRef> transformation_names() {
  llvm::SmallVector<llvm::StringRef> names;
  for (const llvm::ArrayRef<named_pass> passes : {llvm::ArrayRef<named_pass>(all), loop_passes()}) {
    for (const named_pass& pass : passes) {
      names.push_back(pass.name);
    }
  }
  return names;
}

void add_transformation(llvm::StringRef name, bool verify, llvm::FunctionPassManager& passes) {
  for (const llvm::ArrayRef<named_pass> known : {llvm::ArrayRef<named_pass>(all), loop_passes()}) {
    for (const named_pass& pass : known) {
      if (pass.name == name) {
        pass.add(verify, passes);
      }
    }
  }
}
