#include "refusal.hpp"

#include "places.hpp"
#include "vocabulary.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

namespace llvm_to_eir {
namespace {

using reason = std::optional<std::string>;

reason refused_type(const llvm::Type* t) {
  if (type_of(t)) {
    return std::nullopt;
  }
  if (t->isVectorTy()) {
    return "a vector";
  }
  if (t->isAggregateType()) {
    return "a structure or array as a value";
  }
  if (t->isIntegerTy()) {
    return "an integer of a width that is not 1, 8, 16, 32 or 64";
  }
  return t->isFloatingPointTy() ? "a floating-point type that is not float, double or long double of 80 bits"
                                : "a value of another type";
}

/// Whether a constant address is cut to an integer of fewer than 64 bits on the way, or made from one.
bool has_narrow_address(const llvm::Value* v) {
  for (const auto* e = llvm::dyn_cast<llvm::ConstantExpr>(v); e != nullptr;
       v = e->getOperand(0), e = llvm::dyn_cast<llvm::ConstantExpr>(v)) {
    const llvm::Type* const number = e->getOpcode() == llvm::Instruction::PtrToInt   ? e->getType()
                                     : e->getOpcode() == llvm::Instruction::IntToPtr ? e->getOperand(0)->getType()
                                                                                     : nullptr;
    if (number != nullptr && !number->isIntegerTy(64)) {
      return true;
    }
  }
  return false;
}

/// Literals of long double are numbers that double has.
bool is_no_double(const llvm::Constant* c) {
  const auto* const number = llvm::dyn_cast<llvm::ConstantFP>(c);
  if (number == nullptr || !c->getType()->isX86_FP80Ty()) {
    return false;
  }
  llvm::APFloat narrow = number->getValueAPF();
  bool loses = false;
  narrow.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmTowardZero, &loses);
  return loses;
}

reason refused_constant(const llvm::Constant* c) {
  if (is_no_double(c)) {
    return "a long double that is no double";
  }
  if (has_narrow_address(c)) {
    return "an address as a narrow integer";
  }
  const llvm::Value* const root = root_of(c);
  if (llvm::isa<llvm::ConstantExpr>(root) || llvm::isa<llvm::BlockAddress>(root)) {
    return "a constant expression";
  }
  if (const auto* const g = llvm::dyn_cast<llvm::GlobalValue>(root)) {
    return llvm::isa<llvm::GlobalAlias, llvm::GlobalIFunc>(g) ? reason("an alias of a global")
           : g->isThreadLocal()                               ? reason("a thread-local variable")
                                                              : std::nullopt;
  }
  return root != c && !llvm::isa<llvm::ConstantInt, llvm::ConstantPointerNull>(root) ? reason("a constant expression")
                                                                                     : std::nullopt;
}

reason refused_operand(const llvm::Value* v) {
  if (llvm::isa<llvm::BasicBlock, llvm::MetadataAsValue, llvm::InlineAsm>(v)) {
    return std::nullopt;
  }
  if (const reason r = refused_type(v->getType())) {
    return r;
  }
  const auto* const c = llvm::dyn_cast<llvm::Constant>(v);
  return c == nullptr ? std::nullopt : refused_constant(c);
}

reason refused_intrinsic(const llvm::IntrinsicInst& call) {
  const intrinsic_kind kind = kind_of(call.getIntrinsicID());
  if (kind == intrinsic_kind::unknown) {
    return "the intrinsic " + llvm::Intrinsic::getBaseName(call.getIntrinsicID()).str();
  }
  if (call.getType()->isX86_FP80Ty() && opcode_of_intrinsic(call.getIntrinsicID()) == elbrus::opcode::fma) {
    return "the intrinsic llvm.fma of long double";
  }
  const auto* const copy = llvm::dyn_cast<llvm::MemIntrinsic>(&call);
  return copy != nullptr && copy->isVolatile() ? reason("a volatile copy of memory") : std::nullopt;
}

reason refused_call(const llvm::CallInst& call) {
  if (call.isInlineAsm()) {
    return "inline assembler";
  }
  if (const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    return refused_intrinsic(*intrinsic);
  }
  if (call.isMustTailCall() || call.hasOperandBundles()) {
    return "a call with a promise to the code generator";
  }
  for (unsigned i = 0; i != call.arg_size(); ++i) {
    if (call.isByValArgument(i) || call.isInAllocaArgument(i)) {
      return "a structure passed by value";
    }
  }
  return std::nullopt;
}

reason refused_conversion(const llvm::CastInst& i) {
  switch (i.getOpcode()) {
  case llvm::Instruction::FPToSI: // the largest long double that fits is no literal
  case llvm::Instruction::FPToUI:
    return i.getSrcTy()->isX86_FP80Ty() && i.getDestTy()->isIntegerTy(64) && !llvm::programUndefinedIfPoison(&i)
               ? reason("a long double to an integer that may not fit")
               : std::nullopt;
  case llvm::Instruction::PtrToInt:
    return i.getDestTy()->isIntegerTy(64) ? std::nullopt : reason("an address as a narrow integer");
  case llvm::Instruction::IntToPtr:
    return i.getSrcTy()->isIntegerTy(64) ? std::nullopt : reason("an address as a narrow integer");
  case llvm::Instruction::AddrSpaceCast:
    return "another address space";
  default:
    return std::nullopt;
  }
}

reason refused_alloca(const llvm::AllocaInst& a) {
  return a.isStaticAlloca() ? std::nullopt : reason("a local variable of variable size");
}

reason refused_instruction(const llvm::Instruction& i) {
  if (i.isAtomic()) {
    return "an atomic access";
  }
  if (const auto* const call = llvm::dyn_cast<llvm::CallInst>(&i)) {
    return refused_call(*call);
  }
  if (const auto* const cast = llvm::dyn_cast<llvm::CastInst>(&i)) {
    return refused_conversion(*cast);
  }
  if (const auto* const a = llvm::dyn_cast<llvm::AllocaInst>(&i)) {
    return refused_alloca(*a);
  }
  if (const auto* const compare = llvm::dyn_cast<llvm::CmpInst>(&i)) {
    return comparison_of(compare->getPredicate()) ? std::nullopt : reason("a comparison that is always the same");
  }
  switch (i.getOpcode()) {
  case llvm::Instruction::Load:
  case llvm::Instruction::Store:
  case llvm::Instruction::GetElementPtr:
  case llvm::Instruction::PHI:
  case llvm::Instruction::Select:
  case llvm::Instruction::Freeze:
  case llvm::Instruction::Br:
  case llvm::Instruction::Switch:
  case llvm::Instruction::Ret:
  case llvm::Instruction::Unreachable:
    return std::nullopt;
  default:
    return opcode_of(i.getOpcode()) ? std::nullopt : reason("the instruction " + std::string(i.getOpcodeName()));
  }
}

bool asks_operands(const llvm::Instruction& i) {
  const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  return call == nullptr || kind_of(call->getIntrinsicID()) != intrinsic_kind::nothing;
}

reason refused(const llvm::Instruction& i) {
  if (const reason r = refused_instruction(i)) {
    return r;
  }
  if (!asks_operands(i)) {
    return std::nullopt;
  }
  for (const llvm::Value* v : i.operand_values()) {
    if (const reason r = refused_operand(v)) {
      return r;
    }
  }
  return refused_type(i.getType());
}

reason refused_module(const llvm::DataLayout& layout) {
  return layout.isBigEndian() || layout.getPointerSizeInBits() != 64 ? reason("a machine with other addresses")
                                                                     : std::nullopt;
}

} // namespace

std::optional<refusal> refusal_of(const llvm::Function& f) {
  if (const reason r = refused_module(f.getDataLayout())) {
    return refusal{*r, ""};
  }
  for (const llvm::Argument& a : f.args()) {
    if (const reason r = refused_type(a.getType())) {
      return refusal{*r, "parameter " + a.getName().str()};
    }
  }
  for (const llvm::Instruction& i : llvm::instructions(f)) {
    if (const reason r = refused(i)) {
      std::string text;
      llvm::raw_string_ostream(text) << i;
      return refusal{*r, text.substr(text.find_first_not_of(' '))};
    }
  }
  return std::nullopt;
}

} // namespace llvm_to_eir
