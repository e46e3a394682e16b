// newgvn_comparison [--list] FILE.bc...: which instructions midend's value numbering and LLVM's `newgvn` remove from
// the functions of a module, and why one of them removes an instruction that the other keeps. --list prints these.
//
// Loads are made volatile first, so that only scalar operations are compared; what `newgvn` removes with the loads as
// they are is counted, too. Unused instructions are removed before either of them runs, and those that are unused then
// count as removed. For midend, so does what the plan replaces, and the instructions of nodes that are never executed.
// Ends with status 1 if value numbering misses a constant or a dead block that `sccp` finds, or if its checker rejects
// a result.
#include <midend/adapters/llvm_congruence.hpp>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/ssa/phis_of_operations.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/ssa/value_numbering_plan.hpp>
#include <midend/ssa/verify_congruence.hpp>

#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/NewGVN.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace {

using midend::value_id;
using instructions = std::unordered_set<const llvm::Instruction*>;

/// LLVM's analyses.
struct managers {
  managers() {
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
};

template <class Pass> void run_on_all(llvm::Module& m, Pass pass) {
  managers all;
  for (llvm::Function& f : m) {
    if (!f.isDeclaration()) {
      pass.run(f, all.functions);
      all.functions.clear(f, f.getName());
    }
  }
}

/// The instructions of `m` that `newgvn` removes from a copy.
instructions removed_by_newgvn(const llvm::Module& m, bool with_phis_of_operations) {
  auto* const option = static_cast<llvm::cl::opt<bool>*>(llvm::cl::getRegisteredOptions().lookup("enable-phi-of-ops"));
  if (option != nullptr) {
    *option = with_phis_of_operations;
  }
  llvm::ValueToValueMapTy copies;
  const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(m, copies);
  std::vector<std::pair<const llvm::Instruction*, llvm::WeakVH>> handles;
  for (const llvm::Function& f : m) {
    for (const llvm::BasicBlock& b : f) {
      for (const llvm::Instruction& i : b) {
        handles.emplace_back(&i, llvm::WeakVH(copies[&i]));
      }
    }
  }
  copies.clear();
  run_on_all(*copy, llvm::NewGVNPass());
  run_on_all(*copy, llvm::DCEPass());
  instructions out;
  for (const auto& [i, handle] : handles) {
    if (static_cast<llvm::Value*>(handle) == nullptr && !i->isTerminator()) {
      out.insert(i);
    }
  }
  return out;
}

/// What midend finds in all functions of a module.
struct findings {
  instructions removed;
  std::size_t constants = 0;
  std::size_t constants_of_sccp = 0;
  std::size_t dead_blocks = 0;
  std::size_t dead_blocks_of_sccp = 0;
  std::size_t lost = 0;     ///< what sccp finds and value numbering does not
  std::size_t rejected = 0; ///< functions of which the checker rejects the result
};

/// Adds the instructions that nothing reads any more. Readers of what was replaced read what replaces it.
void remove_unused(const midend::llvm_congruence& view, const midend::value_numbering_plan<std::uint64_t>& plan,
                   const midend::value_numbering_result<midend::flat_domain<>>& found, instructions& removed) {
  std::vector<value_id> now(view.num_values());
  for (value_id v = 0; v != now.size(); ++v) {
    now[v] = v;
  }
  for (const auto& change : plan.replacements) {
    now[change.value] = change.leader;
  }
  std::vector<std::size_t> phi_of(view.num_values(), plan.phis.size());
  for (std::size_t i = 0; i != plan.phis.size(); ++i) {
    phi_of[plan.phis[i].value] = i;
  }
  std::vector<bool> is_live(view.num_values(), false);
  std::vector<value_id> live;
  const auto need = [&](value_id v) {
    if (v != midend::no_value && !found.constant(v) && !is_live[now[v]]) {
      is_live[now[v]] = true;
      live.push_back(now[v]);
    }
  };
  for (midend::node_id n = 0; n != view.graph().num_nodes(); ++n) {
    for (const value_id v : view.values(n)) {
      const auto& i = *llvm::cast<llvm::Instruction>(view.value(v));
      if (found.is_executable(n) && (i.isTerminator() || i.mayHaveSideEffects())) {
        is_live[v] = true;
        live.push_back(v);
      }
    }
  }
  while (!live.empty()) {
    const value_id v = live.back();
    live.pop_back();
    if (phi_of[v] != plan.phis.size()) {
      const auto& one = plan.phis[phi_of[v]];
      need(one.phi);
      for (const auto& input : one.inputs) {
        need(input.value);
      }
    } else if (v < view.num_instructions()) {
      for (const llvm::Value* const operand : llvm::cast<llvm::Instruction>(view.value(v))->operands()) {
        need(view.number(operand));
      }
    }
  }
  for (value_id v = 0; v != view.num_instructions(); ++v) {
    if (!is_live[v] && !view.is_terminator(v)) {
      removed.insert(llvm::cast<llvm::Instruction>(view.value(v)));
    }
  }
}

void number(const llvm::Function& f, findings& out) {
  const midend::llvm_congruence view(f);
  const midend::flat_domain<> domain;
  const auto found = midend::value_numbering_with_branch_facts(view, domain);
  const auto facts = midend::sccp(view, domain);
  auto plan = midend::plan_value_numbering(view, found);
  midend::add_phis_of_operations(view, found, plan);
  out.rejected += midend::verify_congruence_with_branch_facts(view, found) ? 1u : 0u;
  const auto remove = [&](value_id v) { out.removed.insert(llvm::cast<llvm::Instruction>(view.value(v))); };
  for (const auto& change : plan.replacements) {
    if (change.is_removable) {
      remove(change.value);
    }
  }
  for (const auto& one : plan.phis) {
    remove(one.value);
  }
  for (midend::node_id n = 0; n != view.graph().num_nodes(); ++n) {
    const bool is_dead = !found.is_executable(n);
    out.dead_blocks += is_dead ? 1u : 0u;
    out.dead_blocks_of_sccp += facts.is_executable(n) ? 0u : 1u;
    out.lost += !is_dead && !facts.is_executable(n) ? 1u : 0u;
    for (const value_id v : view.values(n)) {
      const bool is_constant = !is_dead && found.constant(v).has_value();
      out.constants += is_constant ? 1u : 0u;
      const bool sccp_knows = facts.is_executable(n) && facts.constant(v).has_value();
      out.constants_of_sccp += sccp_knows ? 1u : 0u;
      out.lost += !is_dead && sccp_knows && !is_constant ? 1u : 0u;
      if ((is_dead || is_constant) && !view.is_terminator(v)) {
        remove(v);
      }
    }
  }
  remove_unused(view, plan, found, out.removed);
}

/// Why `newgvn` removes an instruction that midend keeps.
std::string cause(const llvm::Instruction& i, const instructions& only_newgvn, const instructions& without_phis) {
  if (const auto* const phi = llvm::dyn_cast<llvm::PHINode>(&i)) {
    for (const llvm::Value* const input : phi->incoming_values()) {
      if (llvm::isa<llvm::UndefValue>(input)) {
        return "a phi reads undef or poison, which LLVM may take for its other inputs";
      }
    }
  }
  if (!without_phis.contains(&i)) {
    return "an operation of phis becomes a phi of operations";
  }
  for (const llvm::Value* const operand : i.operands()) {
    const auto* const of = llvm::dyn_cast<llvm::Instruction>(operand);
    if (of != nullptr && only_newgvn.contains(of)) {
      return "follows from another one";
    }
  }
  if (llvm::isa<llvm::CallBase>(i)) {
    return "a call that reads memory, or that is not known to return";
  }
  if (i.isCommutative() || llvm::isa<llvm::CmpInst>(i)) {
    for (const llvm::User* const user : i.getOperand(0)->users()) {
      const auto* const other = llvm::dyn_cast<llvm::Instruction>(user);
      if (other != nullptr && other != &i && other->getOpcode() == i.getOpcode() &&
          other->getOperand(0) == i.getOperand(1) && other->getOperand(1) == i.getOperand(0)) {
        return "commuted, outside of the vocabulary";
      }
    }
  }
  if (llvm::simplifyInstruction(const_cast<llvm::Instruction*>(&i), i.getDataLayout()) != nullptr) {
    return "LLVM's simplifier knows the result";
  }
  return "a branch says what an operand is, or other";
}

bool compare(const char* path, bool lists) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> m = llvm::parseIRFile(path, problem, context);
  if (m == nullptr) {
    problem.print("newgvn_comparison", llvm::errs());
    return false;
  }
  run_on_all(*m, llvm::DCEPass());
  const std::size_t with_memory = removed_by_newgvn(*m, true).size();
  std::size_t count = 0;
  for (llvm::Function& f : *m) {
    count += f.getInstructionCount();
    for (llvm::BasicBlock& b : f) {
      for (llvm::Instruction& i : b) {
        if (auto* const load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
          load->setVolatile(true);
        }
      }
    }
  }
  const instructions theirs = removed_by_newgvn(*m, true);
  const instructions without_phis = removed_by_newgvn(*m, false);
  findings ours;
  for (const llvm::Function& f : *m) {
    if (!f.isDeclaration()) {
      number(f, ours);
    }
  }
  instructions only_newgvn;
  for (const llvm::Instruction* const i : theirs) {
    if (!ours.removed.contains(i)) {
      only_newgvn.insert(i);
    }
  }
  std::map<std::string, std::size_t> causes;
  std::map<std::string, std::size_t> gains;
  for (const llvm::Function& f : *m) {
    for (const llvm::BasicBlock& b : f) {
      for (const llvm::Instruction& i : b) {
        const bool is_gain = ours.removed.contains(&i) && !theirs.contains(&i);
        if (is_gain) {
          ++gains[i.getOpcodeName()];
        } else if (!only_newgvn.contains(&i)) {
          continue;
        }
        const std::string why = is_gain ? "only midend" : cause(i, only_newgvn, without_phis);
        causes[why] += is_gain ? 0u : 1u;
        if (lists) {
          llvm::outs() << f.getName() << ": " << why << ':' << i << '\n';
        }
      }
    }
  }
  llvm::outs() << path << ": " << count << " instructions\n"
               << "  constants: sccp " << ours.constants_of_sccp << ", value numbering " << ours.constants << '\n'
               << "  blocks that are never executed: sccp " << ours.dead_blocks_of_sccp << ", value numbering "
               << ours.dead_blocks << '\n'
               << "  found by sccp and not by value numbering: " << ours.lost << '\n'
               << "  results that the checker rejects: " << ours.rejected << '\n'
               << "  removed: newgvn " << theirs.size() << " (" << with_memory << " with what it knows about loads), "
               << "value numbering " << ours.removed.size() << ", both " << theirs.size() - only_newgvn.size() << '\n'
               << "  only newgvn: " << only_newgvn.size() << '\n';
  for (const auto& [why, number] : causes) {
    if (number != 0) {
      llvm::outs() << "    " << number << "  " << why << '\n';
    }
  }
  std::size_t gained = 0;
  for (const auto& [opcode, number] : gains) {
    gained += number;
  }
  llvm::outs() << "  only value numbering: " << gained << '\n';
  for (const auto& [opcode, number] : gains) {
    llvm::outs() << "    " << number << "  " << opcode << '\n';
  }
  return ours.lost == 0 && ours.rejected == 0;
}

} // namespace

int main(int argc, char** argv) {
  bool lists = false;
  bool is_good = true;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--list") {
      lists = true;
    } else {
      is_good = compare(argv[i], lists) && is_good;
    }
  }
  return is_good ? 0 : 1;
}
