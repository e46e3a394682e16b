// llvm_evolutions [--list|--sum=NAME] FILE.bc|FILE.ll...: what midend's evolutions and LLVM's scalar evolution know
// about the loops of modules, at any depth: how often they run, and what integers that change in them are after them.
// Both read the same code, after loop-simplify. --list prints a line for each loop of which only one side knows the
// count, and each value that only LLVM knows. --sum=NAME prints one row of a table for all files together.
#include <midend/adapters/llvm_cost.hpp>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/induction/evolutions.hpp>
#include <midend/ir/number_facts.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/ssa/sccp.hpp>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// Of how many things who knows the answer.
struct tally {
  std::size_t both = 0;
  std::size_t llvm = 0;
  std::size_t midend = 0;
  std::size_t neither = 0;

  void count(bool llvm_knows, bool midend_knows) {
    ++(llvm_knows ? (midend_knows ? both : llvm) : midend_knows ? midend : neither);
  }

  std::string text() const {
    return std::to_string(both) + " / " + std::to_string(llvm) + " / " + std::to_string(midend) + " / " +
           std::to_string(neither);
  }
};

struct comparison {
  tally innermost; ///< loops whose number of iterations is known
  tally outer;
  tally values; ///< integers whose value after their loop is known
  std::size_t different = 0;
};

/// LLVM's analyses.
class llvm_analyses {
public:
  llvm_analyses() {
    builder_.registerModuleAnalyses(of_module_);
    builder_.registerCGSCCAnalyses(of_components_);
    builder_.registerFunctionAnalyses(of_functions_);
    builder_.registerLoopAnalyses(of_loops_);
    builder_.crossRegisterProxies(of_loops_, of_functions_, of_components_, of_module_);
  }

  void simplify(llvm::Module& m) {
    llvm::ModulePassManager manager;
    llvm::cantFail(builder_.parsePassPipeline(manager, "function(loop-simplify)"));
    manager.run(m, of_module_);
  }

  template <class Analysis> auto& result(llvm::Function& f) { return of_functions_.getResult<Analysis>(f); }

  void forget(llvm::Function& f) { of_functions_.clear(f, f.getName()); }

private:
  llvm::LoopAnalysisManager of_loops_;
  llvm::FunctionAnalysisManager of_functions_;
  llvm::CGSCCAnalysisManager of_components_;
  llvm::ModuleAnalysisManager of_module_;
  llvm::PassBuilder builder_;
};

/// One function, as both see it.
class function_comparison {
public:
  function_comparison(llvm::Function& f, llvm_analyses& analyses, bool lists, comparison& out)
      : function_(f), scev_(analyses.result<llvm::ScalarEvolutionAnalysis>(f)),
        llvm_loops_(analyses.result<llvm::LoopAnalysis>(f)),
        llvm_tree_(analyses.result<llvm::DominatorTreeAnalysis>(f)), lists_(lists), out_(out), ir_(f),
        flow_(midend::dominators_and_loops(ir_.graph())) {}

  void run() {
    const midend::flat_array<midend::number_facts> facts = facts_of();
    found_ = midend::evolutions(ir_, flow_.loops, {facts.data(), facts.size()});
    for (const midend::loop_id l : flow_.loops.loops()) {
      const llvm::BasicBlock* const header = ir_.ssa().block(flow_.loops.header(l));
      const llvm::Loop* const theirs = llvm_loops_.getLoopFor(header);
      if (theirs != nullptr && theirs->getHeader() == header) {
        compare(l, *theirs);
      }
    }
  }

private:
  midend::flat_array<midend::number_facts> facts_of() const {
    const midend::strided_interval_domain domain;
    const auto known = midend::sccp_with_branch_facts(ir_, domain);
    midend::flat_array<midend::number_facts> facts;
    for (midend::value_id v = 0; v != ir_.num_values(); ++v) {
      const auto& fact = known.fact(v);
      const unsigned width = ir_.operation(v).width;
      facts.push_back(fact.is_bottom() ? midend::number_facts::any(width) : domain.facts(fact));
    }
    return facts;
  }

  void compare(midend::loop_id l, const llvm::Loop& theirs) {
    const llvm::SCEV* const count = scev_.getBackedgeTakenCount(&theirs);
    const bool llvm_knows = !llvm::isa<llvm::SCEVCouldNotCompute>(count);
    const midend::loop_trips& trips = found_.trips(l);
    const bool is_exact = trips.count.kind == midend::trip_count_kind::exact;
    const bool midend_knows = found_.is_computable(l);
    (theirs.isInnermost() ? out_.innermost : out_.outer).count(llvm_knows, midend_knows);
    const auto* const number = llvm::dyn_cast<llvm::SCEVConstant>(count);
    const bool differs = number != nullptr && is_exact && number->getAPInt().getLimitedValue() != trips.count.backedges;
    out_.different += differs ? 1 : 0;
    if (lists_ && (llvm_knows != midend_knows || differs)) {
      list(theirs, llvm_knows ? count : nullptr, l);
    }
    for (const midend::node_id n : flow_.loops.own_blocks(l)) {
      for (const midend::value_id v : ir_.values(n)) {
        if (const auto* const i = llvm::dyn_cast<llvm::Instruction>(ir_.ssa().value(v))) {
          compare(v, const_cast<llvm::Instruction&>(*i), l, theirs); // LLVM's analyses want it so
        }
      }
    }
  }

  /// An integer that each last iteration computes, and that is not the same in all iterations.
  void compare(midend::value_id v, llvm::Instruction& i, midend::loop_id l, const llvm::Loop& theirs) {
    const auto* const type = llvm::dyn_cast<llvm::IntegerType>(i.getType());
    if (type == nullptr || type->getBitWidth() < 2 || type->getBitWidth() > 64 || !is_last(i, theirs)) {
      return;
    }
    const midend::evolution ours = found_.evolution_of(v, l);
    if (scev_.isLoopInvariant(scev_.getSCEV(&i), &theirs) || (ours.is_known() && ours.is_invariant())) {
      return;
    }
    const llvm::SCEV* const after = scev_.getSCEVAtScope(&i, theirs.getParentLoop());
    const midend::evolution end = found_.value_after(v, l);
    const bool llvm_knows = scev_.isLoopInvariant(after, &theirs);
    out_.values.count(llvm_knows, end.is_known());
    if (lists_ && llvm_knows && !end.is_known() &&
        found_.trips(l).last_node != midend::no_node) { // else its loop is listed
      std::string line;
      llvm::raw_string_ostream text(line);
      text << function_.getName() << ":" << i << "; LLVM: " << *after << "; midend: obstacle "
           << static_cast<unsigned>(ours.is_known() ? end.obstacle : ours.obstacle)
           << (ours.is_known() ? " after the loop" : " in the loop");
      std::printf("%s\n", line.c_str());
    }
  }

  bool is_last(const llvm::Instruction& i, const llvm::Loop& l) const {
    llvm::SmallVector<llvm::BasicBlock*, 8> exits;
    l.getExitingBlocks(exits);
    bool all = !exits.empty();
    for (const llvm::BasicBlock* const b : exits) {
      all = all && llvm_tree_.dominates(i.getParent(), b);
    }
    return all;
  }

  void list(const llvm::Loop& theirs, const llvm::SCEV* count, midend::loop_id l) const {
    std::string line;
    llvm::raw_string_ostream out(line);
    out << function_.getName() << " ";
    theirs.getHeader()->printAsOperand(out, false);
    llvm::SmallVector<llvm::BasicBlock*, 8> exits;
    theirs.getExitingBlocks(exits);
    out << (theirs.isInnermost() ? ": innermost" : ": outer") << ", " << exits.size() << " exits; LLVM: ";
    count == nullptr ? static_cast<void>(out << "unknown") : count->print(out);
    const midend::loop_trips& trips = found_.trips(l);
    out << "; midend: ";
    if (trips.count.kind == midend::trip_count_kind::exact) {
      out << trips.count.backedges;
    } else {
      out << (found_.is_computable(l) ? "a formula" : trips.test.is_known() ? "a test" : "unknown");
    }
    for (const llvm::BasicBlock* const b : exits) {
      const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(b->getTerminator());
      if (branch != nullptr && branch->isConditional()) {
        out << ";" << *branch->getCondition();
      }
    }
    std::printf("%s\n", line.c_str());
  }

  llvm::Function& function_;
  llvm::ScalarEvolution& scev_;
  const llvm::LoopInfo& llvm_loops_;
  const llvm::DominatorTree& llvm_tree_;
  bool lists_;
  comparison& out_;
  midend::llvm_cost ir_;
  midend::dominators_and_loops_result flow_;
  midend::value_evolutions found_;
};

/// False if the file cannot be read.
bool compare_file(const std::string& file, bool lists, comparison& out) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> m = llvm::parseIRFile(file, problem, context);
  if (m == nullptr) {
    problem.print("llvm_evolutions", llvm::errs());
    return false;
  }
  llvm_analyses analyses;
  analyses.simplify(*m);
  for (llvm::Function& f : *m) {
    if (!f.isDeclaration()) {
      function_comparison(f, analyses, lists, out).run();
      analyses.forget(f);
    }
  }
  return true;
}

void print_row(std::string_view name, const comparison& c) {
  std::printf("| %.*s | %s | %s | %s |\n", static_cast<int>(name.size()), name.data(), c.innermost.text().c_str(),
              c.outer.text().c_str(), c.values.text().c_str());
  if (c.different != 0) {
    std::printf("%zu counts are different numbers\n", c.different);
  }
}

} // namespace

int main(int argc, char** argv) {
  bool lists = false;
  std::string sum;
  std::vector<std::string> files;
  for (int i = 1; i != argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--list") {
      lists = true;
    } else if (argument.starts_with("--sum=")) {
      sum = argument.substr(6);
    } else {
      files.emplace_back(argument);
    }
  }
  if (files.empty()) {
    std::fprintf(stderr, "usage: llvm_evolutions [--list] [--sum=NAME] FILE.bc|FILE.ll...\n");
    return 2;
  }
  std::printf("both / LLVM alone / midend alone / neither\n"
              "| program | innermost loops counted | outer loops counted | values after their loop |\n");
  comparison all;
  for (const std::string& file : files) {
    comparison one;
    if (!compare_file(file, lists, sum.empty() ? one : all)) {
      return 1;
    }
    if (sum.empty()) {
      print_row(file.substr(file.find_last_of('/') + 1), one);
    }
  }
  if (!sum.empty()) {
    print_row(sum, all);
  }
  return 0;
}
