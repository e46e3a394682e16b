/// `llvm_unrolling_view`: a function of LLVM for plans of unrolling. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_cost.hpp"
#include "midend/adapters/llvm_editor.hpp"
#include "midend/adapters/llvm_editor_graph.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"

MIDEND_BEGIN_NAMESPACE

/// `llvm_cost` with answers of `llvm_editor`: effects, and limits of copies and redirected edges. Advice and plans read
/// the costs, and are applied to the editor, so both must have equal numbers.
///
/// Those are the numbers of an editor that has not changed anything yet. Requires that, and that the editor outlives
/// the view; after a change of the function, make both again. Reads the function once, as `llvm_cost` does.
class llvm_unrolling_view : public llvm_cost {
public:
  explicit llvm_unrolling_view(llvm_editor& editor) : llvm_cost(editor.function()), editor_(&editor) {}

  /// The graph of the editor.
  const llvm_editor_graph& graph() const { return editor_->graph(); }

  bool may_trap(value_id v) const { return editor_->may_trap(v); }

  bool may_trap_without_promises(value_id v) const { return editor_->may_trap_without_promises(v); }

  bool is_repeatable(value_id v) const { return editor_->is_repeatable(v); }

  bool is_convergent(value_id v) const { return editor_->is_convergent(v); }

  bool accepts_operations(node_id n) const { return editor_->accepts_operations(n); }

  bool may_not_return(value_id v) const { return editor_->may_not_return(v); }

  bool may_duplicate(value_id v) const { return editor_->may_duplicate(v); }

  bool is_volatile(value_id v) const { return editor_->is_volatile(v); }

  bool is_terminator(value_id v) const { return editor_->is_terminator(v); }

  bool may_be_indeterminate(value_id v) const { return v < editor_->num_values() && editor_->may_be_indeterminate(v); }

  bool may_redirect(edge_id e) const { return editor_->may_redirect(e); }

  bool may_split(edge_id e) const { return editor_->may_split(e); }

  /// The view has more values than the editor: constants of addresses, which are numbers.
  bool may_insert_phi(value_id v) const { return v >= editor_->num_values() || editor_->may_insert_phi(v); }

  const llvm_editor& editor() const { return *editor_; }

private:
  const llvm_editor* editor_;
};

static_assert(cost_ir<llvm_unrolling_view> && effect_ir<llvm_unrolling_view> && has_probability<llvm_unrolling_view>);

MIDEND_END_NAMESPACE
