/// Alias classes of accesses, from TBAA or from the variables that they reach.
#pragma once

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Metadata.h>

#include <string>

namespace llvm_to_eir {

enum class alias_source : std::uint8_t {
  any,     ///< `objects` for functions with such arguments, `types` for those whose accesses say them, else `sites`
  types,   ///< TBAA
  sites,   ///< the variable
  objects, ///< the variable, or the argument that is `noalias`
  none
};

/// Gives accesses of a function their classes. Accesses of different classes must not overlap, so the classes of one
/// function come from one source: a variable and a type overlap.
class alias_classes {
public:
  alias_classes(const llvm::Function& f, alias_source source) : source_(source) {
    for (const llvm::Instruction& i : llvm::instructions(f)) {
      if (const llvm::MDNode* const root = root_of_type(scalar_type(i)); root != nullptr && root_ == nullptr) {
        root_ = root;
      }
    }
    if (source_ == alias_source::any) {
      source_ = has_argument_apart(f) ? alias_source::objects
                : root_ != nullptr    ? alias_source::types
                                      : alias_source::sites;
    }
  }

  /// The name of the class by type; empty for an access that may overlap all others.
  std::string type_of(const llvm::Instruction& access) const {
    return source_ == alias_source::types ? class_of_type(scalar_type(access)) : "";
  }

  /// The variable or argument that is the class; null for an access that may overlap all others.
  const llvm::Value* site_of(const llvm::Instruction& access) const {
    if (source_ != alias_source::sites && source_ != alias_source::objects) {
      return nullptr;
    }
    const llvm::Value* const object = llvm::getUnderlyingObject(llvm::getLoadStorePointerOperand(&access), 0);
    const auto* const argument = llvm::dyn_cast<llvm::Argument>(object);
    const bool is_apart = argument != nullptr && argument->hasNoAliasAttr() && source_ == alias_source::objects;
    return is_apart || llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(object) ? object : nullptr;
  }

private:
  /// Whether an argument is `noalias`, as the programmer wrote it (`restrict`). Memory for the result does not count:
  /// the compiler adds the attribute there.
  static bool has_argument_apart(const llvm::Function& f) {
    return llvm::any_of(f.args(), [](const llvm::Argument& a) { return a.hasNoAliasAttr() && !a.hasStructRetAttr(); });
  }

  static const llvm::MDNode* node(const llvm::MDNode* n, unsigned i) {
    return n != nullptr && n->getNumOperands() > i ? llvm::dyn_cast_or_null<llvm::MDNode>(n->getOperand(i)) : nullptr;
  }

  static llvm::StringRef name(const llvm::MDNode* n) {
    const auto* const text =
        n != nullptr && n->getNumOperands() != 0 ? llvm::dyn_cast_or_null<llvm::MDString>(n->getOperand(0)) : nullptr;
    return text != nullptr ? text->getString() : llvm::StringRef();
  }

  /// The type that an access has, whatever structure it is in. Null if it is a structure itself.
  static const llvm::MDNode* scalar_type(const llvm::Instruction& i) {
    const bool is_access = llvm::isa<llvm::LoadInst, llvm::StoreInst>(i);
    const llvm::MDNode* const type = is_access ? node(i.getMetadata(llvm::LLVMContext::MD_tbaa), 1) : nullptr;
    return type != nullptr && type->getNumOperands() <= 3 ? type : nullptr;
  }

  static const llvm::MDNode* root_of_type(const llvm::MDNode* type) {
    while (const llvm::MDNode* const parent = node(type, 1)) {
      type = parent;
    }
    return type;
  }

  /// The types form a tree: one overlaps those above and below. So the class is the type at the top, just below
  /// characters, which overlap all.
  std::string class_of_type(const llvm::MDNode* type) const {
    if (type == nullptr || root_of_type(type) != root_) {
      return {};
    }
    const llvm::MDNode* below = nullptr;
    for (const llvm::MDNode* parent = node(type, 1); parent != nullptr && parent != root_; parent = node(type, 1)) {
      below = type;
      type = parent;
    }
    return (name(type) == "omnipotent char" ? name(below) : name(type)).str();
  }

  alias_source source_;
  const llvm::MDNode* root_ = nullptr;
};

} // namespace llvm_to_eir
