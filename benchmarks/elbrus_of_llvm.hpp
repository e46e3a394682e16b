/// Functions of LLVM as procedures of the Elbrus-like IR, so that both can be given the same work.
#pragma once

#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/records.hpp>
#include <midend/ir/ids.hpp>
#include <midend/support/span.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Argument.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/Casting.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace midend_benchmarks {

/// Of the operands of an instruction those that are modelled: not its blocks, and of ends only the condition.
inline std::size_t num_operands(const llvm::Instruction& i) {
  if (!i.isTerminator()) {
    return llvm::isa<llvm::PHINode>(i) ? 0 : i.getNumOperands();
  }
  return i.getNumSuccessors() > 1 || (i.getNumSuccessors() == 0 && i.getNumOperands() != 0) ? 1 : 0;
}

/// A procedure with the blocks, edges, phis and operands of `f`, one for one and in order. Operations are calls of
/// which nothing is known, constants and the like are literals, all of one type; ends with several ways are switches.
/// It is not meant to run.
inline midend::elbrus::procedure elbrus_of_llvm(const llvm::Function& f) {
  namespace elbrus = midend::elbrus;
  using elbrus::opcode;
  using elbrus::type;
  using midend::no_value;
  using midend::node_id;
  using midend::value_id;
  elbrus::procedure p;
  p.set_name("f");
  p.set_result_type(type::i64);
  llvm::DenseMap<const llvm::Value*, value_id> values;
  llvm::DenseMap<const llvm::BasicBlock*, node_id> nodes;
  llvm::DenseMap<const llvm::BasicBlock*, value_id> inputs;
  std::vector<const llvm::BasicBlock*> blocks;
  for (const llvm::Argument& a : f.args()) {
    values[&a] = p.add_parameter({}, type::i64);
  }
  for (const llvm::BasicBlock& b : f) {
    nodes[&b] = p.create_node({});
    blocks.push_back(&b);
  }
  // Instructions get their numbers first, since loops read what is computed further down.
  std::vector<value_id> unset;
  for (const llvm::BasicBlock& b : f) {
    const node_id n = nodes[&b];
    for (const llvm::Instruction& i : b) {
      unset.assign(num_operands(i), no_value);
      const midend::span<const value_id> operands(unset.data(), unset.size());
      const std::size_t ways = i.isTerminator() ? i.getNumSuccessors() : 0;
      if (llvm::isa<llvm::PHINode>(i)) {
        values[&i] = p.append_phi(n, type::i64);
      } else if (!i.isTerminator()) {
        const type result = i.getType()->isVoidTy() ? type::none : type::i64;
        values[&i] = p.append_call(n, {.code = opcode::call, .type = result, .operands = operands}, "f");
      } else {
        const opcode code = ways == 0 ? opcode::ret : ways == 1 ? opcode::jump : opcode::switch_;
        values[&i] = p.append(n, {.code = code, .operand_type = type::i64, .operands = operands});
      }
      for (std::size_t s = 0; s != ways; ++s) { // the first one is the default
        const node_id to = nodes[i.getSuccessor(static_cast<unsigned>(s))];
        s == 0 ? p.add_edge(n, to) : p.add_edge(n, to, s);
      }
    }
  }
  std::uint64_t literals = 0;
  const auto number = [&](const llvm::Value* v) {
    const auto [at, is_new] = values.try_emplace(v, no_value);
    if (is_new) {
      at->second = p.constant(type::i64, literals++);
    }
    return at->second;
  };
  for (const llvm::BasicBlock& b : f) {
    for (const llvm::Instruction& i : b) {
      const value_id v = values[&i];
      if (const auto* const phi = llvm::dyn_cast<llvm::PHINode>(&i)) {
        inputs.clear();
        for (unsigned k = 0; k != phi->getNumIncomingValues(); ++k) {
          inputs[phi->getIncomingBlock(k)] = number(phi->getIncomingValue(k));
        }
        for (const midend::edge_id e : p.in_edges(nodes[&b])) {
          p.set_phi_input(v, e, inputs[blocks[p.edge_source(e)]]);
        }
        continue;
      }
      for (std::size_t k = 0; k != num_operands(i); ++k) {
        p.set_operand(v, k, number(i.getOperand(static_cast<unsigned>(k))));
      }
    }
  }
  return p;
}

} // namespace midend_benchmarks
