#include "translate.hpp"

#include "address.hpp"
#include "places.hpp"
#include "vocabulary.hpp"

#include <midend/elbrus/builder.hpp>
#include <midend/elbrus/identifier.hpp>

#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/KnownBits.h>

#include <utility>
#include <vector>

namespace llvm_to_eir {
namespace {

using elbrus::opcode;
using elbrus::type;
using midend::node_id;
using midend::value_id;

/// An identifier: other characters become `_`.
std::string as_identifier(llvm::StringRef name) {
  std::string out = name.str();
  for (char& c : out) {
    if (!llvm::isAlnum(c) && c != '.') {
      c = '_';
    }
  }
  return out.empty() || elbrus::is_identifier(out) ? out : "_" + out;
}

/// Names of one kind, each given once; the empty name as often as one likes.
class name_list {
public:
  std::string unique(llvm::StringRef wanted) {
    const std::string name = as_identifier(wanted);
    if (name.empty() || given_.insert(name).second) {
      return name;
    }
    for (unsigned& n = next_[name];;) {
      std::string other = name + "." + std::to_string(++n);
      if (given_.insert(other).second) {
        return other;
      }
    }
  }

private:
  llvm::StringSet<> given_;
  llvm::StringMap<unsigned> next_;
};

/// Instructions that are written without a result of their own.
bool is_silent(const llvm::Instruction& i) {
  const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  return llvm::isa<llvm::AllocaInst>(i) ||
         (call != nullptr && kind_of(call->getIntrinsicID()) == intrinsic_kind::nothing);
}

/// The geps and constant addresses whose value something needs besides addresses.
class needed_addresses {
public:
  needed_addresses(const std::vector<const llvm::BasicBlock*>& blocks, const llvm::DataLayout& layout)
      : layout_(layout) {
    for (const llvm::BasicBlock* const b : blocks) {
      for (const llvm::Instruction& i : *b) {
        if (!is_silent(i) && !llvm::isa<llvm::GetElementPtrInst>(i)) {
          read_by(i);
        }
      }
    }
    while (!pending_.empty()) { // geps that are needed read their operands
      const llvm::Instruction* const gep = pending_.back();
      pending_.pop_back();
      read_by(*gep);
    }
  }

  bool contains(const llvm::Value* gep) const { return needed_.contains(gep); }

  /// Constant expressions that are operands, in the order in which they were found.
  const std::vector<const llvm::ConstantExpr*>& constants() const { return constants_; }

private:
  void read_by(const llvm::Instruction& i) {
    const llvm::Value* const pointer = llvm::getLoadStorePointerOperand(&i);
    if (pointer != nullptr) {
      const flat_address a = flat_address_of(pointer, layout_);
      read(a.base);
      read(a.index);
    }
    if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
      read(store->getValueOperand());
    } else if (pointer == nullptr) {
      for (const llvm::Value* const v : i.operand_values()) {
        read(v);
      }
    }
  }

  void read(const llvm::Value* v) {
    if (v == nullptr) {
      return;
    }
    if (const auto* const gep = llvm::dyn_cast<llvm::GetElementPtrInst>(v)) {
      if (needed_.insert(gep).second) {
        pending_.push_back(gep);
      }
    } else if (const auto* const c = llvm::dyn_cast<llvm::ConstantExpr>(v); c != nullptr && needed_.insert(c).second) {
      constants_.push_back(c);
    }
  }

  const llvm::DataLayout& layout_;
  llvm::DenseSet<const llvm::Value*> needed_;
  std::vector<const llvm::Instruction*> pending_;
  std::vector<const llvm::ConstantExpr*> constants_;
};

/// Writes a function that is not refused.
class function_writer {
public:
  function_writer(const llvm::Function& f, const translation_options& options)
      : function_(f), layout_(f.getDataLayout()), classes_(f, options.alias), builder_(procedure_),
        blocks_(reachable(f)), needed_(blocks_, layout_) {}

  elbrus::procedure write() {
    procedure_.set_name(as_identifier(function_.getName()));
    procedure_.set_result_type(*type_of(function_.getReturnType()));
    procedure_.set_must_progress(must_progress());
    write_parameters();
    for (const llvm::BasicBlock* const b : blocks_) {
      nodes_[b] = builder_.node(node_name(*b));
    }
    for (const llvm::BasicBlock* const b : blocks_) {
      write_block(*b);
    }
    for (const llvm::BasicBlock* const b : blocks_) {
      write_inputs(*b);
    }
    return std::move(procedure_);
  }

private:
  /// As the function says, or, in C, each loop of it: a promise about some loops has no word in the text.
  bool must_progress() const {
    if (function_.mustProgress()) {
      return true;
    }
    const llvm::DominatorTree tree(const_cast<llvm::Function&>(function_));
    const llvm::LoopInfo loops(tree);
    const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&function_);
    bool all = !loops.empty() && !llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(order, loops);
    for (const llvm::Loop* const l : loops.getLoopsInPreorder()) {
      all = all && llvm::findOptionMDForLoop(l, "llvm.loop.mustprogress") != nullptr;
    }
    return all;
  }

  static std::vector<const llvm::BasicBlock*> reachable(const llvm::Function& f) {
    const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&f);
    return {order.begin(), order.end()};
  }

  std::string node_name(const llvm::BasicBlock& b) {
    return node_names_.unique(b.hasName() ? b.getName() : llvm::StringRef("b"));
  }

  elbrus::extras named(const llvm::Value& v) {
    name_ = value_names_.unique(v.getName());
    return {.name = name_};
  }

  // Parameters and constants.

  void write_parameters() {
    for (const llvm::Argument& a : function_.args()) {
      add_parameter(a, "arg");
    }
    for (const llvm::Value* const place : places_of(function_)) {
      add_parameter(*place, "place");
    }
  }

  void add_parameter(const llvm::Value& v, llvm::StringRef otherwise) {
    const std::string name = value_names_.unique(v.hasName() ? v.getName() : otherwise);
    values_[&v] = builder_.parameter(*type_of(v.getType()), name);
  }

  /// Constant addresses besides the globals themselves are computed in the entry.
  void write_constant_addresses() {
    for (const llvm::ConstantExpr* const c : needed_.constants()) {
      value_id at = value_of(root_of(c));
      if (const std::int64_t offset = constant_offset(c); offset != 0) {
        at = builder_.add(type::ptr, at, builder_.literal(type::i64, offset));
      }
      values_[c] = at;
    }
  }

  std::int64_t constant_offset(const llvm::Value* c) const {
    std::uint64_t sum = 0;
    while (const auto* const e = llvm::dyn_cast<llvm::ConstantExpr>(c)) {
      if (const auto* const gep = llvm::dyn_cast<llvm::GEPOperator>(e)) {
        sum += offset_of(*gep, layout_).constant.getZExtValue();
      }
      c = e->getOperand(0);
    }
    return static_cast<std::int64_t>(sum);
  }

  value_id value_of(const llvm::Value* v) {
    if (const auto it = values_.find(v); it != values_.end()) {
      return it->second;
    }
    const type t = *type_of(v->getType());
    if (const auto* const i = llvm::dyn_cast<llvm::ConstantInt>(v)) {
      return procedure_.constant(t, i->getZExtValue());
    }
    if (const auto* const f = llvm::dyn_cast<llvm::ConstantFP>(v)) {
      return constant(t, f->getValueAPF());
    }
    return procedure_.constant(t, 0); // null, undef, poison
  }

  value_id constant(type t, const llvm::APFloat& number) {
    llvm::APFloat literal = number; // `f80` has the literals of `f64`
    bool loses = false;
    if (t == type::f80) {
      literal.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmTowardZero, &loses);
    }
    return procedure_.constant(t, literal.bitcastToAPInt().getZExtValue());
  }

  // Instructions.

  void write_block(const llvm::BasicBlock& b) {
    builder_.at(nodes_[&b]);
    for (const llvm::PHINode& phi : b.phis()) {
      const std::string name = value_names_.unique(phi.getName());
      values_[&phi] = builder_.phi(*type_of(phi.getType()), name);
    }
    if (&b == &function_.front()) {
      write_constant_addresses();
    }
    for (const llvm::Instruction& i : b) {
      if (llvm::isa<llvm::PHINode>(i) || is_silent(i)) {
        continue;
      }
      if (i.isTerminator()) {
        write_terminator(i);
      } else if (const value_id v = written(i); v != midend::no_value) {
        values_[&i] = v;
      }
    }
  }

  /// The result; `no_value` if there is none or nobody needs it.
  value_id written(const llvm::Instruction& i) {
    switch (i.getOpcode()) {
    case llvm::Instruction::Load:
    case llvm::Instruction::Store:
      return written_access(i);
    case llvm::Instruction::GetElementPtr:
      return needed_.contains(&i) ? written_gep(llvm::cast<llvm::GEPOperator>(i)) : midend::no_value;
    case llvm::Instruction::Call:
      return written_call(llvm::cast<llvm::CallInst>(i));
    case llvm::Instruction::ICmp:
    case llvm::Instruction::FCmp:
      return written_comparison(llvm::cast<llvm::CmpInst>(i));
    case llvm::Instruction::Select:
      return builder_.select(*type_of(i.getType()), operand(i, 0), operand(i, 1), operand(i, 2), named(i));
    case llvm::Instruction::Freeze: // there is no poison to freeze
      return operand(i, 0);
    case llvm::Instruction::BitCast:
      return written_bit_cast(i);
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
      return builder_.mov(*type_of(i.getType()), operand(i, 0), named(i));
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::UIToFP:
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPToUI:
    case llvm::Instruction::FPTrunc:
    case llvm::Instruction::FPExt:
    case llvm::Instruction::Trunc:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt:
      return written_conversion(i);
    case llvm::Instruction::FNeg:
      return builder_.operation(opcode::fneg, *type_of(i.getType()), {operand(i, 0)}, named(i));
    default:
      return written_binary(i);
    }
  }

  value_id operand(const llvm::Instruction& i, unsigned k) { return value_of(i.getOperand(k)); }

  value_id written_binary(const llvm::Instruction& i) {
    const type t = *type_of(i.getType());
    if (const int power = power_that_divides(i); power >= 0) {
      return builder_.operation(opcode::sar, t, {operand(i, 0), builder_.literal(t, power)}, named(i));
    }
    const value_id amount = i.isShift() ? shift_amount(i, t) : operand(i, 1);
    elbrus::extras more = named(i);
    const auto* const wraps = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&i);
    more.nsw = wraps != nullptr && wraps->hasNoSignedWrap() && llvm::programUndefinedIfPoison(&i);
    return builder_.operation(*opcode_of(i.getOpcode()), t, {operand(i, 0), amount}, more);
  }

  /// The k of a signed division by 2^k without a rest, which is a shift; otherwise -1.
  static int power_that_divides(const llvm::Instruction& i) {
    const auto* const by = llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(1));
    const bool is_shift = i.getOpcode() == llvm::Instruction::SDiv && i.isExact() && by != nullptr &&
                          by->getValue().isStrictlyPositive() && by->getValue().isPowerOf2();
    return is_shift ? static_cast<int>(by->getValue().logBase2()) : -1;
  }

  /// LLVM makes a shift by too much poison, the IR traps.
  value_id shift_amount(const llvm::Instruction& i, type t) {
    const value_id amount = operand(i, 1);
    const unsigned width = elbrus::width_of(t);
    const llvm::KnownBits bits = llvm::computeKnownBits(i.getOperand(1), layout_);
    if (bits.getMaxValue().ult(width) || llvm::programUndefinedIfPoison(&i)) {
      return amount;
    }
    return builder_.bit_and(t, amount, builder_.literal(t, width - 1));
  }

  value_id written_bit_cast(const llvm::Instruction& i) {
    const type to = *type_of(i.getType());
    return to == type_of(i.getOperand(0)->getType()) ? operand(i, 0)
                                                     : builder_.convert(opcode::bitcast, to, operand(i, 0), named(i));
  }

  value_id written_conversion(const llvm::Instruction& i) {
    const type to = *type_of(i.getType());
    switch (i.getOpcode()) {
    case llvm::Instruction::UIToFP:
      if (!i.getOperand(0)->getType()->isIntegerTy(64)) {
        return builder_.convert(opcode::itof, to, builder_.convert(opcode::zext, type::i64, operand(i, 0)), named(i));
      }
      return builder_.convert(opcode::utof, to, operand(i, 0), named(i));
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPToUI:
      return builder_.convert(*opcode_of(i.getOpcode()), to, number_that_fits(i), named(i));
    default:
      return builder_.convert(*opcode_of(i.getOpcode()), to, operand(i, 0), named(i));
    }
  }

  /// LLVM makes an integer of a number that does not fit poison, the IR traps. Where that may make a difference the
  /// number is brought into the range of the integer first, which changes no other.
  value_id number_that_fits(const llvm::Instruction& i) {
    const value_id number = operand(i, 0);
    if (llvm::programUndefinedIfPoison(&i)) {
      return number;
    }
    const bool is_signed = i.getOpcode() == llvm::Instruction::FPToSI;
    const unsigned width = i.getType()->getIntegerBitWidth() - (is_signed ? 1 : 0);
    const llvm::Type* const from = i.getOperand(0)->getType();
    const type t = *type_of(from);
    const llvm::APFloat zero(from->getFltSemantics(), 0);
    const llvm::APFloat one(from->getFltSemantics(), 1);
    const llvm::APFloat limit = llvm::scalbn(one, static_cast<int>(width), llvm::APFloat::rmTowardZero);
    llvm::APFloat most = limit;
    if (most.subtract(one, llvm::APFloat::rmTowardZero) != llvm::APFloat::opOK) { // the number below
      most = limit;
      most.next(true);
    }
    const value_id least = constant(t, is_signed ? -limit : zero);
    const value_id above = builder_.operation(opcode::fmax, t, {number, least});
    return builder_.operation(opcode::fmin, t, {above, constant(t, most)});
  }

  value_id written_comparison(const llvm::CmpInst& i) {
    const comparison c = *comparison_of(i.getPredicate());
    const type t = *type_of(i.getOperand(0)->getType());
    if (!c.negated) {
      return builder_.compare(c.code, t, operand(i, 0), operand(i, 1), named(i));
    }
    const value_id opposite = builder_.compare(c.code, t, operand(i, 0), operand(i, 1));
    return builder_.operation(opcode::bit_not, type::i1, {opposite}, named(i));
  }

  // Memory.

  value_id written_access(const llvm::Instruction& i) {
    const llvm::Value* const pointer = llvm::getLoadStorePointerOperand(&i);
    const type t = *type_of(llvm::isa<llvm::LoadInst>(i) ? i.getType() : i.getOperand(0)->getType());
    const flat_address a = flat_address_of(pointer, layout_);
    elbrus::address to{.base = value_of(a.base), .scale = a.scale, .offset = a.offset};
    if (a.index != nullptr) {
      to.index = value_of(a.index);
    }
    if (const std::string name = class_of(i); !name.empty()) {
      to.alias = builder_.alias(name);
    }
    if (llvm::isa<llvm::LoadInst>(i)) {
      elbrus::extras more = named(i);
      more.is_volatile = i.isVolatile();
      return builder_.load(t, to, more);
    }
    return builder_.store(t, operand(i, 0), to, {.is_volatile = i.isVolatile()});
  }

  /// Variables have the names of their parameters.
  std::string class_of(const llvm::Instruction& access) {
    const llvm::Value* const site = classes_.site_of(access);
    return site != nullptr ? "site." + std::string(procedure_.value_name(values_[site]))
                           : as_identifier(classes_.type_of(access));
  }

  /// Only the last addition has the name.
  value_id written_gep(const llvm::GEPOperator& gep) {
    const gep_offset parts = offset_of(gep, layout_);
    value_id sum = value_of(gep.getPointerOperand());
    std::size_t left = parts.terms.size() + (parts.constant.isZero() ? 0u : 1u);
    const auto more = [&] { return --left == 0 ? named(gep) : elbrus::extras(); };
    for (const auto& [index, stride] : parts.terms) {
      sum = with_term(sum, index, stride, more);
    }
    return parts.constant.isZero()
               ? sum
               : builder_.add(type::ptr, sum, builder_.literal(type::i64, parts.constant.getSExtValue()), more());
  }

  template <class More>
  value_id with_term(value_id sum, const llvm::Value* index, const llvm::APInt& stride, More more) {
    value_id i = value_of(index);
    if (type_of(index->getType()) != type::i64) {
      i = builder_.convert(opcode::sext, type::i64, i);
    }
    if (stride.isOne()) {
      return builder_.add(type::ptr, sum, i, more());
    }
    if (stride.isPowerOf2()) {
      return builder_.operation(opcode::shladd, type::ptr, {i, builder_.literal(type::ptr, stride.logBase2()), sum},
                                more());
    }
    const value_id bytes = builder_.mul(type::i64, i, builder_.literal(type::i64, stride.getSExtValue()));
    return builder_.add(type::ptr, sum, bytes, more());
  }

  // Calls.

  value_id written_call(const llvm::CallInst& call) {
    if (const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
      return written_intrinsic(*intrinsic);
    }
    std::vector<value_id> arguments;
    const llvm::Function* const callee = call.getCalledFunction();
    if (callee == nullptr) {
      arguments.push_back(value_of(call.getCalledOperand()));
    }
    for (const llvm::Value* const a : call.args()) {
      arguments.push_back(value_of(a));
    }
    return called(call, callee == nullptr ? "indirect" : "extern." + as_identifier(callee->getName()), arguments);
  }

  value_id called(const llvm::CallInst& call, const std::string& callee, const std::vector<value_id>& arguments) {
    elbrus::extras more;
    if (!call.getType()->isVoidTy()) {
      more = named(call);
    }
    more.noreturn = call.doesNotReturn();
    const auto clobbers = call.onlyReadsMemory() ? elbrus::clobber_kind::nothing : elbrus::clobber_kind::anything;
    return builder_.call(*type_of(call.getType()), callee, midend::span(arguments), more, clobbers, {});
  }

  value_id written_intrinsic(const llvm::IntrinsicInst& call) {
    const type t = *type_of(call.getType());
    switch (kind_of(call.getIntrinsicID())) {
    case intrinsic_kind::first_argument:
      return operand(call, 0);
    case intrinsic_kind::operation: {
      std::vector<value_id> operands;
      for (const llvm::Value* const a : call.args()) {
        operands.push_back(value_of(a));
      }
      return builder_.operation(*opcode_of_intrinsic(call.getIntrinsicID()), t, midend::span(operands), named(call));
    }
    case intrinsic_kind::absolute: { // of the least number itself
      const value_id negative = builder_.operation(opcode::neg, t, {operand(call, 0)});
      return builder_.operation(opcode::max, t, {operand(call, 0), negative}, named(call));
    }
    case intrinsic_kind::saturating_sub: {
      const value_id larger = builder_.operation(opcode::umax, t, {operand(call, 0), operand(call, 1)});
      return builder_.sub(t, larger, operand(call, 1), named(call));
    }
    case intrinsic_kind::multiply_add: { // rounded once or twice
      const value_id product = builder_.operation(opcode::fmul, t, {operand(call, 0), operand(call, 1)});
      return builder_.operation(opcode::fadd, t, {product, operand(call, 2)}, named(call));
    }
    case intrinsic_kind::copies_memory:
      return called(call, library_name(call.getIntrinsicID()), {operand(call, 0), operand(call, 1), operand(call, 2)});
    default: // traps
      return called(call, "extern.trap", {});
    }
  }

  static const char* library_name(llvm::Intrinsic::ID id) {
    return id == llvm::Intrinsic::memcpy    ? "extern.memcpy"
           : id == llvm::Intrinsic::memmove ? "extern.memmove"
                                            : "extern.memset";
  }

  // Flow.

  void write_terminator(const llvm::Instruction& i) {
    switch (i.getOpcode()) {
    case llvm::Instruction::Br:
      write_branch(llvm::cast<llvm::BranchInst>(i));
      break;
    case llvm::Instruction::Switch:
      write_switch(llvm::cast<llvm::SwitchInst>(i));
      break;
    case llvm::Instruction::Ret:
      if (i.getNumOperands() == 0) {
        builder_.ret();
      } else {
        builder_.ret(operand(i, 0));
      }
      break;
    default:
      builder_.unreachable();
    }
  }

  void write_branch(const llvm::BranchInst& i) {
    if (i.isUnconditional()) {
      builder_.jump(nodes_[i.getSuccessor(0)]);
    } else {
      builder_.branch(value_of(i.getCondition()), nodes_[i.getSuccessor(0)], nodes_[i.getSuccessor(1)]);
    }
  }

  void write_switch(const llvm::SwitchInst& i) {
    std::vector<elbrus::switch_case> cases;
    for (const auto& c : i.cases()) {
      cases.push_back({c.getCaseValue()->getZExtValue(), nodes_[c.getCaseSuccessor()]});
    }
    builder_.switch_on(value_of(i.getCondition()), midend::span(std::as_const(cases)), nodes_[i.getDefaultDest()]);
  }

  /// LLVM has equal inputs for the edges from one block.
  void write_inputs(const llvm::BasicBlock& b) {
    for (const llvm::PHINode& phi : b.phis()) {
      for (const midend::edge_id e : procedure_.in_edges(nodes_[&b])) {
        const llvm::BasicBlock* const from = blocks_[procedure_.edge_source(e)]; // nodes were made in this order
        builder_.input(values_[&phi], e, value_of(phi.getIncomingValueForBlock(from)));
      }
    }
  }

  const llvm::Function& function_;
  const llvm::DataLayout& layout_;
  alias_classes classes_;
  elbrus::procedure procedure_;
  elbrus::builder builder_;
  std::vector<const llvm::BasicBlock*> blocks_;
  needed_addresses needed_;
  llvm::DenseMap<const llvm::BasicBlock*, node_id> nodes_;
  llvm::DenseMap<const llvm::Value*, value_id> values_;
  name_list node_names_;
  name_list value_names_;
  std::string name_; ///< of the operation that is being made
};

} // namespace

std::variant<elbrus::procedure, refusal> translate(const llvm::Function& f, const translation_options& options) {
  if (const std::optional<refusal> r = refusal_of(f)) {
    return *r;
  }
  return function_writer(f, options).write();
}

} // namespace llvm_to_eir
