/// `midend-unroll`.
#pragma once

#include <midend/machine/machine_model.hpp>

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include <cstdint>
#include <memory>

/// What `midend-unroll` does with loops about which the source says nothing.
struct unroll_pass_options {
  enum class choice : std::uint8_t {
    advised,  ///< what `advise_unrolling` decides
    factor,   ///< `number` iterations in a pass
    full,     ///< completely, where the trip count is known, exactly or at most
    peel,     ///< `number` iterations before the loop
    peel_last ///< the last iteration after the loop
  };

  choice choose = choice::advised;
  std::uint32_t number = 0;
  bool is_before = false;         ///< remainders run before their loops
  bool unrolls_remainder = false; ///< their iterations follow each other in copies
  bool cleans_up = true;          ///< by `midend-clean-up`
  midend::machine_model machine;  ///< that the advice is for
  bool verify = false;

  /// Reads `factor=4;machine=scalar_core;verify` and the like. False if there is something else in it.
  bool read(llvm::StringRef text);
};

/// Unrolls innermost loops. It makes the forms that it needs itself, obeys `llvm.loop.unroll.*`, says in the metadata
/// of what it unrolled that this was done, and cleans up after it unless told not to.
class unroll_pass : public llvm::PassInfoMixin<unroll_pass> {
public:
  static constexpr llvm::StringLiteral pass_name = "midend-unroll";

  explicit unroll_pass(const unroll_pass_options& options);

  static llvm::StringRef name() { return pass_name; }

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager& analyses);

private:
  unroll_pass_options options_;
  llvm::FunctionPassManager clean_up_;
};
