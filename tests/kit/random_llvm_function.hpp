// Functions of LLVM, and edits of them, that a source of numbers chooses: a generator of random numbers, or the bytes
// of a fuzzer. A source has `below(n)` and `one_in(n)`.
#pragma once

#include <midend/adapters/llvm_editor.hpp>

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace midend_tests {

/// A random function of variables in memory, which LLVM then turns into values: branches, switches with parallel edges,
/// calls, exceptions, unreachable blocks.
template <class Source> class random_llvm_function {
public:
  random_llvm_function(llvm::Module& module, Source& random, bool with_exceptions)
      : random_(random), builder_(module.getContext()), module_(module), with_exceptions_(with_exceptions) {}

  llvm::Function& make() {
    llvm::Type* const number = builder_.getInt32Ty();
    auto* const type = llvm::FunctionType::get(number, {number, number}, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module_);
    if (with_exceptions_) {
      auto personality =
          module_.getOrInsertFunction("__gxx_personality_v0", llvm::FunctionType::get(builder_.getInt32Ty(), {}, true));
      function_->setPersonalityFn(llvm::cast<llvm::Constant>(personality.getCallee()));
    }
    auto observe = module_.getOrInsertFunction("observe", llvm::FunctionType::get(number, {number}, false));
    observe_ = llvm::cast<llvm::Function>(observe.getCallee());
    auto* const entry = llvm::BasicBlock::Create(module_.getContext(), "entry", function_);
    const std::uint32_t count = 2 + random_.below(9);
    for (std::uint32_t i = 0; i != count; ++i) {
      blocks_.push_back(llvm::BasicBlock::Create(module_.getContext(), "b", function_));
    }
    builder_.SetInsertPoint(entry);
    for (unsigned i = 0; i != 3; ++i) {
      variables_.push_back(builder_.CreateAlloca(number));
      builder_.CreateStore(i < 2 ? static_cast<llvm::Value*>(function_->getArg(i)) : builder_.getInt32(7),
                           variables_[i]);
    }
    end_block();
    for (std::uint32_t i = 0; i != count; ++i) {
      builder_.SetInsertPoint(blocks_[i]);
      operations();
      end_block();
    }
    llvm::DominatorTree tree(*function_);
    llvm::PromoteMemToReg(variables_, tree);
    return *function_;
  }

private:
  llvm::Value* read() {
    return random_.one_in(5) ? static_cast<llvm::Value*>(builder_.getInt32(random_.below(4)))
                             : builder_.CreateLoad(builder_.getInt32Ty(), variables_[random_.below(3)]);
  }

  void operations() {
    for (std::uint32_t left = random_.below(4); left != 0; --left) {
      llvm::Value* result = nullptr;
      switch (random_.below(5)) {
      case 0:
        result = builder_.CreateCall(observe_, {read()});
        break;
      case 1:
        result = builder_.CreateMul(read(), read());
        break;
      case 2:
        result = builder_.CreateXor(read(), read());
        break;
      default:
        result = builder_.CreateAdd(read(), read());
      }
      builder_.CreateStore(result, variables_[random_.below(3)]);
    }
  }

  llvm::BasicBlock* target() { return blocks_[random_.below(static_cast<std::uint32_t>(blocks_.size()))]; }

  void end_block() {
    switch (random_.below(with_exceptions_ ? 11 : 9)) {
    case 0:
      builder_.CreateRet(read());
      break;
    case 1:
    case 2:
      builder_.CreateBr(target());
      break;
    case 3:
    case 4: {
      auto* const few = target();
      auto* const choice = builder_.CreateSwitch(builder_.CreateAnd(read(), builder_.getInt32(7)), target());
      for (std::uint32_t i = 0; i != 4; ++i) {
        choice->addCase(builder_.getInt32(i), random_.one_in(2) ? few : target());
      }
      break;
    }
    case 9:
    case 10: {
      llvm::BasicBlock* const pad = llvm::BasicBlock::Create(module_.getContext(), "pad", function_);
      llvm::Value* const result = builder_.CreateInvoke(observe_, target(), pad, {read()});
      static_cast<void>(result);
      builder_.SetInsertPoint(pad);
      builder_.CreateLandingPad(llvm::StructType::get(builder_.getPtrTy(), builder_.getInt32Ty()), 0)->setCleanup(true);
      operations();
      builder_.CreateBr(target());
      break;
    }
    default:
      builder_.CreateCondBr(builder_.CreateICmpSLT(read(), read()), target(), target());
    }
  }

  Source& random_;
  llvm::IRBuilder<> builder_;
  llvm::Module& module_;
  bool with_exceptions_;
  llvm::Function* function_ = nullptr;
  llvm::Function* observe_ = nullptr;
  std::vector<llvm::BasicBlock*> blocks_;
  std::vector<llvm::AllocaInst*> variables_;
};

/// One edit, chosen at random; requires two nodes. Then `finish` the editor. Phis and operands stay typed and complete,
/// but after an edge is led elsewhere a value may be read where it does not reach.
template <class Source> void edit_randomly(midend::llvm_editor& editor, Source& random) {
  const auto& g = editor.graph();
  const auto literal = [&] { return editor.make_number(32, random.below(3)); };
  const auto n = static_cast<midend::node_id>(1 + random.below(static_cast<std::uint32_t>(g.num_nodes() - 1)));
  if (editor.block(n)->getParent() == nullptr) {
    return;
  }
  const auto is_plain = [&](midend::node_id m) {
    return m != g.entry() && editor.block(m)->getParent() != nullptr && !editor.block(m)->isEHPad();
  };
  switch (random.below(6)) {
  case 0: { // an edge through a new node back to its source
    if (g.out_edges(n).empty() || !is_plain(n)) {
      break;
    }
    const midend::edge_id e = g.out_edges(n)[random.below(static_cast<std::uint32_t>(g.out_edges(n).size()))];
    if (!editor.may_redirect(e)) {
      break;
    }
    const midend::node_id made = editor.create_node(n);
    editor.redirect_edge(e, made);
    editor.set_jump(made, n);
    for (const midend::value_id v : editor.values(n)) {
      if (editor.is_phi(v)) {
        editor.set_phi_input(v, g.out_edges(made)[0], literal());
      }
    }
    break;
  }
  case 1: { // an edge is led to another node
    const auto target = static_cast<midend::node_id>(random.below(static_cast<std::uint32_t>(g.num_nodes())));
    if (g.out_edges(n).empty() || !is_plain(target)) {
      break;
    }
    const midend::edge_id e = g.out_edges(n)[random.below(static_cast<std::uint32_t>(g.out_edges(n).size()))];
    if (!editor.may_redirect(e) || g.in_edges(g.edge_target(e)).size() == 1) {
      break;
    }
    editor.redirect_edge(e, target);
    for (const midend::value_id v : editor.values(target)) {
      if (editor.is_phi(v)) {
        editor.set_phi_input(v, e, literal());
      }
    }
    break;
  }
  case 2: { // a phi, with an input of its own for each edge
    if (!is_plain(n)) {
      break;
    }
    const midend::value_id phi = editor.insert_phi(n, literal());
    for (const midend::edge_id e : g.in_edges(n)) {
      editor.set_phi_input(phi, e, literal());
    }
    break;
  }
  case 3: // an operation
    if (is_plain(n)) {
      const midend::value_id arguments[] = {literal(), editor.parameters().front()};
      const midend::value_id v =
          editor.make_operation({midend::operation::add, 32, 32, {true, false}}, arguments,
                                random.one_in(2) ? midend::place_at_head(n) : midend::place_at_end(n));
      const midend::value_id clone = editor.clone_value(v, midend::place_before(v));
      editor.drop_promises(clone);
      editor.set_operand(v, 0, clone);
    }
    break;
  case 4: // a branch becomes a jump
    if (g.out_edges(n).size() > 1 && editor.condition(n) != midend::no_value) {
      editor.keep_edge(g.out_edges(n)[random.below(static_cast<std::uint32_t>(g.out_edges(n).size()))]);
    }
    break;
  default: { // a jump becomes a switch
    if (g.out_edges(n).size() == 1 && editor.may_redirect(g.out_edges(n)[0]) &&
        editor.condition(n) == midend::no_value && llvm::isa<llvm::BranchInst>(editor.block(n)->getTerminator())) {
      const midend::node_id target = g.edge_target(g.out_edges(n)[0]);
      std::vector<midend::value_id> phis;
      std::vector<midend::value_id> inputs;
      for (const midend::value_id v : editor.values(target)) {
        if (editor.is_phi(v)) {
          phis.push_back(v);
          inputs.push_back(editor.phi_input(v, g.out_edges(n)[0]));
        }
      }
      editor.erase_end(n);
      const std::uint64_t cases[] = {3, 5};
      const midend::node_id targets[] = {target, target};
      editor.set_switch(n, editor.parameters().front(), cases, targets, target);
      for (std::size_t i = 0; i != phis.size(); ++i) {
        for (const midend::edge_id e : g.out_edges(n)) {
          editor.set_phi_input(phis[i], e, random.one_in(2) ? literal() : inputs[i]);
        }
      }
    }
  }
  }
}

} // namespace midend_tests
