/// `describe_llvm_value`: a value as attributes that can be compared. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/adapters/detail/llvm_numbered_values.hpp"
#include "midend/adapters/llvm_same_operation.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation_description.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Argument.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Use.h>
#include <llvm/IR/User.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Describes a value for comparison with values of this function and its copies in one context: an instruction by
/// `describe_llvm_operation`, a parameter by its number, the address of an own block by the node, and other constants
/// by themselves.
inline void describe_llvm_value(const llvm_numbered_blocks& blocks, const llvm_numbered_values& values, value_id v,
                                operation_description& out) {
  enum : std::uint64_t { erased, instruction, argument, address_of_node, parts, other_constant };

  if (values.is_instruction(v) && values.node_of(v) == no_node) {
    out.attribute(erased);
    return;
  }
  if (values.is_instruction(v)) {
    out.attribute(instruction);
    describe_llvm_operation(values.instruction(v), out);
    return;
  }
  const llvm::Value* const a = &values.value(v);
  if (const auto* const parameter = llvm::dyn_cast<llvm::Argument>(a)) {
    out.attribute(argument);
    out.attribute(parameter->getArgNo());
    return;
  }
  llvm::SmallVector<const llvm::Value*, 4> todo{a};
  while (!todo.empty()) { // addresses of blocks may be deep inside
    const llvm::Value* const x = todo.pop_back_val();
    const auto* const address = llvm::dyn_cast<llvm::BlockAddress>(x);
    const auto* const cast = llvm::dyn_cast<llvm::ConstantExpr>(x);
    if (address != nullptr && address->getFunction() == &blocks.function()) {
      out.attribute(address_of_node);
      out.attribute(blocks.node(address->getBasicBlock()));
    } else if ((cast != nullptr && cast->isCast()) || llvm::isa<llvm::ConstantAggregate>(x)) {
      out.attribute(parts);
      out.attribute(reinterpret_cast<std::uintptr_t>(x->getType()));
      out.attribute(cast == nullptr ? 0 : cast->getOpcode());
      for (const llvm::Use& part : llvm::cast<llvm::User>(x)->operands()) {
        todo.push_back(part.get());
      }
    } else {
      out.attribute(other_constant);
      out.attribute(reinterpret_cast<std::uintptr_t>(x));
    }
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
