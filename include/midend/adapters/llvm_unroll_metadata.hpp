/// `llvm_unroll_metadata`: requests by `llvm.loop.unroll.*`, and the mark of unrolled loops. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_editor.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"

#include <llvm/ADT/StringRef.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Metadata.h>
#include <llvm/Support/Casting.h>

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The requests of the source about unrolling a loop, by `#pragma unroll` and the like.
struct llvm_unroll_metadata {
  bool is_disabled = false;  ///< `llvm.loop.unroll.disable`, or `llvm.loop.unroll.count` of 1
  bool is_enabled = false;   ///< `llvm.loop.unroll.enable`
  bool is_full = false;      ///< `llvm.loop.unroll.full`
  bool no_remainder = false; ///< `llvm.loop.unroll.runtime.disable`: no trip count is computed before the loop
  bool only_forced = false;  ///< `llvm.loop.disable_nonforced`: only requested transformations
  std::uint32_t factor = 0;  ///< `llvm.loop.unroll.count` of at least 2; or 0

  /// Whether the source asks for unrolling.
  bool is_forced() const { return !is_disabled && (is_enabled || is_full || factor != 0); }

  friend constexpr bool operator==(const llvm_unroll_metadata&, const llvm_unroll_metadata&) = default;
};

/// Reads the requests in the metadata of a loop, which may be null. O(entries).
inline llvm_unroll_metadata read_llvm_unroll_metadata(const llvm::MDNode* id) {
  llvm_unroll_metadata out;
  for (unsigned i = 1; id != nullptr && i < id->getNumOperands(); ++i) { // the first is the node itself
    const auto* const entry = llvm::dyn_cast_or_null<llvm::MDNode>(id->getOperand(i));
    const auto* const name = entry == nullptr || entry->getNumOperands() == 0
                                 ? nullptr
                                 : llvm::dyn_cast<llvm::MDString>(entry->getOperand(0));
    if (name == nullptr) {
      continue;
    }
    const auto* const number =
        entry->getNumOperands() < 2 ? nullptr : llvm::mdconst::dyn_extract<llvm::ConstantInt>(entry->getOperand(1));
    const bool is_on = number == nullptr || !number->isZero();
    llvm::StringRef what = name->getString();
    if (what == "llvm.loop.disable_nonforced") {
      out.only_forced = is_on;
    } else if (what.consume_front("llvm.loop.unroll.")) {
      out.is_disabled = out.is_disabled || (what == "disable" && is_on);
      out.is_enabled = out.is_enabled || (what == "enable" && is_on);
      out.is_full = out.is_full || (what == "full" && is_on);
      out.no_remainder = out.no_remainder || (what == "runtime.disable" && is_on);
      if (what == "count" && number != nullptr) {
        const auto count = static_cast<std::uint32_t>(number->getLimitedValue(0xffff'ffff));
        out.is_disabled = out.is_disabled || count == 1;
        out.factor = count < 2 ? 0 : count;
      }
    }
  }
  return out;
}

/// The metadata of a loop, or null: that of its first latch with metadata.
inline llvm::MDNode* llvm_loop_metadata(const llvm_editor& editor, const loop_forest& loops, loop_id l) {
  for (const loop_edge& e : loops.backedges(l)) {
    if (llvm::MDNode* const id = editor.block(e.source)->getTerminator()->getMetadata(llvm::LLVMContext::MD_loop)) {
      return id;
    }
  }
  return nullptr;
}

/// Marks a loop as unrolled, so that no later pass unrolls it again. At each latch, removes the entries
/// `llvm.loop.unroll.*`, adds `llvm.loop.unroll.disable`, and keeps all others. Loops of a nest that share a latch
/// share its metadata.
inline void disable_llvm_unrolling(const llvm_editor& editor, const loop_forest& loops, loop_id l) {
  llvm::MDNode* const old = llvm_loop_metadata(editor, loops, l);
  if (loops.backedges(l).size() == 0) {
    return;
  }
  llvm::LLVMContext& context = editor.block(loops.header(l))->getContext();
  llvm::MDNode* const disable = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
  llvm::MDNode* const now = llvm::makePostTransformationMetadata(context, old, {"llvm.loop.unroll."}, {disable});
  for (const loop_edge& e : loops.backedges(l)) {
    editor.block(e.source)->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, now);
  }
}

MIDEND_END_NAMESPACE
