/// `llvm_editor_workspace`: the memory of an `llvm_editor`, and the parts that it consists of. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_copied_values.hpp"
#include "midend/adapters/detail/llvm_dropped_promises.hpp"
#include "midend/adapters/detail/llvm_edge_profile.hpp"
#include "midend/adapters/detail/llvm_end_edits.hpp"
#include "midend/adapters/detail/llvm_erased_code.hpp"
#include "midend/adapters/detail/llvm_loop_marks.hpp"
#include "midend/adapters/detail/llvm_memory_edits.hpp"
#include "midend/adapters/detail/llvm_node_edits.hpp"
#include "midend/adapters/detail/llvm_node_questions.hpp"
#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/adapters/detail/llvm_numbered_values.hpp"
#include "midend/adapters/detail/llvm_operand_lists.hpp"
#include "midend/adapters/detail/llvm_operation_edits.hpp"
#include "midend/adapters/detail/llvm_phi_edges.hpp"
#include "midend/adapters/detail/llvm_phi_edits.hpp"
#include "midend/adapters/detail/llvm_phi_entries.hpp"
#include "midend/adapters/detail/llvm_places.hpp"
#include "midend/adapters/detail/llvm_uses.hpp"
#include "midend/config.hpp"

#include <llvm/IR/Function.h>

MIDEND_BEGIN_NAMESPACE

/// Memory of editors, one after the other: `llvm_editor(f, options, workspace)` allocates nothing to read a function
/// that is no larger than those before. To be used by one editor at a time.
class llvm_editor_workspace {
public:
  llvm_editor_workspace() = default;
  llvm_editor_workspace(const llvm_editor_workspace&) = delete;
  llvm_editor_workspace& operator=(const llvm_editor_workspace&) = delete;

private:
  friend class llvm_editor;

  void start(llvm::Function& f, bool numbers_late) {
    MIDEND_ASSERT(!is_used_, "a workspace that no other editor uses");
    is_used_ = true;
    blocks_.read(f);
    entries_.start();
    values_.start(numbers_late);
    operands_.start();
    phis_.start();
    copies_.start();
    marks_.start();
    profile_.start();
    erased_.start();
    promises_.start();
    ends_.start();
    questions_.start();
  }

  // Each part knows those before it.

  // The function by number.
  detail::llvm_numbered_blocks blocks_;
  detail::llvm_phi_entries entries_{blocks_};
  detail::llvm_numbered_values values_{blocks_, entries_};
  detail::llvm_operand_lists operands_{entries_, values_};
  detail::llvm_places places_{blocks_, values_};

  // What follows the changes.
  detail::llvm_phi_edges phis_{blocks_, entries_, values_, operands_};
  detail::llvm_copied_values copies_{blocks_, values_, operands_};
  detail::llvm_loop_marks marks_{blocks_, values_};
  detail::llvm_edge_profile profile_{blocks_};
  detail::llvm_erased_code erased_{blocks_, values_, operands_};
  detail::llvm_dropped_promises promises_{values_};

  // Questions and changes.
  detail::llvm_uses uses_{blocks_, entries_, values_, operands_};
  detail::llvm_node_questions questions_{blocks_, entries_, phis_};
  detail::llvm_operation_edits operations_{blocks_, values_, operands_, places_, copies_};
  detail::llvm_memory_edits memory_{blocks_, values_, places_, operations_};
  detail::llvm_phi_edits phi_edits_{blocks_, entries_, values_, places_, phis_, copies_};
  detail::llvm_end_edits ends_{blocks_, entries_, values_, operands_, places_, uses_,
                               phis_,   copies_,  marks_,  profile_,  erased_};
  detail::llvm_node_edits nodes_{blocks_, values_, uses_, phis_, marks_, ends_, erased_};

  bool is_used_ = false;
};

MIDEND_END_NAMESPACE
