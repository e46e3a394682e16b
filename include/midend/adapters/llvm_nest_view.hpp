/// `llvm_nest_view`: a function of LLVM for collapse, interchange and the split by a condition. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_editor.hpp"
#include "midend/adapters/llvm_unrolling_view.hpp"
#include "midend/config.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/certifiable_ir.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// `llvm_unrolling_view` without arithmetic on pointers. Values and operands are exactly those of the editor, because
/// plans are applied there, and results are compared with it. A `getelementptr` is `other`, and pointers are no
/// counters. The places of loads and stores are those of `llvm_cost`.
class llvm_nest_view : public llvm_unrolling_view {
public:
  explicit llvm_nest_view(llvm_editor& editor) : llvm_unrolling_view(editor) {}

  std::size_t num_values() const { return editor().num_values(); }

  span<const value_id> operands(value_id v) const { return editor().operands(v); }

  operation_info operation(value_id v) const { return editor().operation(v); }

  std::uint32_t storage_bytes(value_id v) const { return editor().storage_bytes(v); }

  std::uint32_t local_array_bytes(value_id v) const { return editor().local_array_bytes(v); }

  bool same_operation(value_id v, const llvm_editor& other, value_id w) const {
    return editor().same_operation(v, other, w);
  }

  bool same_operation(value_id v, const llvm_nest_view& other, value_id w) const {
    return editor().same_operation(v, other.editor(), w);
  }
};

static_assert(memory_ir<llvm_nest_view> && cost_ir<llvm_nest_view> && certifiable_ir<llvm_nest_view>);

MIDEND_END_NAMESPACE
