// llvm_unroll [--list] [--machine=e2k|scalar] FILE.bc|FILE.ll...: compares what midend advises for the innermost loops
// of a module with what LLVM's unroller does: its passes loop-unroll-full and loop-unroll of -O2, for the target of the
// module, run in the same process and observed by their optimisation remarks. --list prints a line for each loop.
#include <midend/adapters/llvm_cost.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/induction/loop_counts.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/induction/plain_trip_counter.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/viz/unrolling_words.hpp>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using midend::node_id;

/// What LLVM does with a loop, or what midend advises.
struct decision {
  std::string kind = "none"; ///< also `full`, `partial`, `runtime`, `uncounted`, `peel`
  std::uint64_t factor = 1;

  bool unrolls() const { return kind != "none"; }

  std::string text() const { return unrolls() ? kind + " " + std::to_string(factor) : kind; }
};

/// A loop of the module, with both decisions.
struct loop_record {
  std::string function;
  std::string header;
  std::string place; ///< in the source, if the module knows it
  decision ours;
  decision theirs;
  midend::unrolling_advice advice;
  midend::trip_count trip;         ///< what midend knows about the trips, with facts about the whole function
  bool knows_when_entered = false; ///< midend knows the trips when the loop is entered, whichever exit it takes
  bool may_lack_meaning = false;   ///< a counter wraps in spite of a promise before its exit is taken
  bool is_counted = false;         ///< both are valid
  bool is_entered = true;          ///< as far as midend knows; of another loop, any claim about its trips is right
  std::string trips;               ///< what LLVM knows about them
  std::uint32_t exact_trips = 0;   ///< header executions that LLVM knows, or 0
  std::uint32_t most_trips = 0;    ///< no more header executions than that, as LLVM knows, or 0
  std::uint32_t multiple = 1;      ///< header executions are a multiple of this, as LLVM knows
  bool is_computable = false;      ///< the number of trips is known when the loop is entered
  bool has_call = false;           ///< LLVM's target advises against unrolling loops with calls
};

/// The loops of one module, by function and header.
using loop_table = std::map<std::pair<std::string, std::string>, loop_record>;

// What LLVM does.

/// Reads the remarks of the unroller.
class remark_reader : public llvm::DiagnosticHandler {
public:
  explicit remark_reader(loop_table& loops) : loops_(loops) {}

  bool isPassedOptRemarkEnabled(llvm::StringRef pass) const override { return pass == "loop-unroll" || pass == "TTI"; }

  bool isAnyRemarkEnabled() const override { return true; }

  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    const auto* const remark = llvm::dyn_cast<llvm::DiagnosticInfoIROptimization>(&info);
    if (remark == nullptr || remark->getKind() != llvm::DK_OptimizationRemark || remark->getCodeRegion() == nullptr) {
      return true;
    }
    const auto found = loops_.find({remark->getFunction().getName().str(), remark->getCodeRegion()->getName().str()});
    if (found == loops_.end()) {
      return true; // a loop that did not exist before
    }
    if (remark->getRemarkName() == "DontUnroll") { // the decision of the target, because of a call
      found->second.has_call = true;
    } else if (!found->second.theirs.unrolls()) {
      found->second.theirs = decision_of(*remark);
    }
    return true;
  }

private:
  static decision decision_of(const llvm::DiagnosticInfoIROptimization& remark) {
    decision out;
    const std::string message = remark.getMsg();
    const llvm::StringRef name = remark.getRemarkName();
    const bool is_runtime = message.find("run-time trip count") != std::string::npos;
    out.kind = name == "FullyUnrolled" ? "full" : name == "Peeled" ? "peel" : is_runtime ? "runtime" : "partial";
    for (const auto& argument : remark.getArgs()) {
      if (argument.Key == "UnrollCount" || argument.Key == "PeelCount") {
        out.factor = std::stoull(argument.Val);
      }
    }
    return out;
  }

  loop_table& loops_;
};

/// LLVM's analyses and passes for the target of a module.
class llvm_unroller {
public:
  explicit llvm_unroller(llvm::Module& m) : module_(m), target_(target_of(m)), builder_(target_.get()) {
    builder_.registerModuleAnalyses(of_module_);
    builder_.registerCGSCCAnalyses(of_components_);
    builder_.registerFunctionAnalyses(of_functions_);
    builder_.registerLoopAnalyses(of_loops_);
    builder_.crossRegisterProxies(of_loops_, of_functions_, of_components_, of_module_);
  }

  void run(const char* passes) {
    llvm::ModulePassManager manager;
    llvm::cantFail(builder_.parsePassPipeline(manager, passes));
    manager.run(module_, of_module_);
  }

  const llvm::LoopInfo& loops(llvm::Function& f) { return of_functions_.getResult<llvm::LoopAnalysis>(f); }

  llvm::ScalarEvolution& trips(llvm::Function& f) { return of_functions_.getResult<llvm::ScalarEvolutionAnalysis>(f); }

private:
  static std::unique_ptr<llvm::TargetMachine> target_of(const llvm::Module& m) {
    std::string error;
    const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(m.getTargetTriple(), error);
    return std::unique_ptr<llvm::TargetMachine>(
        target == nullptr ? nullptr
                          : target->createTargetMachine(m.getTargetTriple(), "", "", llvm::TargetOptions(), {}));
  }

  llvm::Module& module_;
  std::unique_ptr<llvm::TargetMachine> target_;
  llvm::LoopAnalysisManager of_loops_;
  llvm::FunctionAnalysisManager of_functions_;
  llvm::CGSCCAnalysisManager of_components_;
  llvm::ModuleAnalysisManager of_module_;
  llvm::PassBuilder builder_;
};

// What midend advises.

std::string place_of(const llvm::Loop& l) {
  const llvm::DebugLoc place = l.getStartLoc();
  return place ? ":" + std::to_string(place.getLine()) : "";
}

/// What scalar evolution knows about the trip count.
std::string trips_of(const llvm::Loop& l, llvm::ScalarEvolution& known) {
  if (const unsigned trips = known.getSmallConstantTripCount(&l); trips != 0) {
    return std::to_string(trips) + " trips";
  }
  if (const unsigned most = known.getSmallConstantMaxTripCount(&l); most != 0 && most <= 64) {
    return "at most " + std::to_string(most) + " trips";
  }
  if (known.hasLoopInvariantBackedgeTakenCount(&l)) {
    return l.getExitingBlock() == nullptr ? "computable, several exits" : "computable";
  }
  llvm::SmallVector<llvm::BasicBlock*, 8> exits;
  l.getExitingBlocks(exits);
  const bool knows_one = std::ranges::any_of(exits, [&](const llvm::BasicBlock* b) {
    return !llvm::isa<llvm::SCEVCouldNotCompute>(known.getExitCount(&l, b));
  });
  return knows_one ? "one of several exits computable" : "not countable";
}

decision decision_of(const midend::unrolling_advice& advice) {
  if (advice.obstacle != midend::unrolling_obstacle::none || advice.chosen == 0) {
    return {};
  }
  const midend::unrolling_candidate& c = advice.decision();
  return {c.has_exact_count ? name_of(c.kind) : name_of(c), c.factor};
}

/// Whether a counter wraps in spite of a promise before its exit is taken: then any number of trips may be right. Facts
/// about the function rest on the promise, too, and may say that the exit is never taken; the loop alone does not.
bool breaks_promise(const midend::value_evolutions& found, midend::loop_id l) {
  for (std::size_t i = 0; i != found.num_exits(l); ++i) {
    if (found.exit(l, i).trips.count.kind == midend::trip_count_kind::wraps_first) {
      return true;
    }
  }
  return false;
}

/// The loops of a function, with the advice for a machine.
void advise(llvm::Function& f, llvm_unroller& llvm_side, const midend::machine_model& machine, loop_table& loops) {
  static const midend::unrolling_options options;
  midend::advise_unrolling_workspace workspace;
  const midend::llvm_cost ir(f);
  const midend::dominator_tree tree = midend::dominators(ir.graph());
  const midend::loop_forest forest = midend::natural_loops(ir.graph(), tree);
  const midend::loop_trip_counter trip_counter(ir, forest);
  midend::plain_trip_counter_workspace counting;
  const midend::plain_trip_counter alone(ir, forest, counting);
  midend::unrolling_adviser adviser(ir, forest, machine, options, workspace);
  for (const midend::loop_id l : forest.loops()) {
    if (forest.subloops(l).size() != 1) {
      continue;
    }
    const llvm::BasicBlock* const header = ir.ssa().block(forest.header(l));
    const llvm::Loop& theirs = *llvm_side.loops(f).getLoopFor(header);
    loop_record& record = loops[{f.getName().str(), header->getName().str()}];
    record.function = f.getName();
    record.header = header->getName();
    adviser.advise(l, trip_counter, record.advice);
    record.ours = decision_of(record.advice);
    record.trip = trip_counter.evolutions().trips(l).count;
    record.knows_when_entered = trip_counter.evolutions().is_computable(l);
    record.may_lack_meaning = breaks_promise(trip_counter.evolutions(), l) || breaks_promise(alone.evolutions(), l);
    record.is_entered = trip_counter.facts().is_executable(forest.header(l));
    record.place = place_of(theirs);
    record.trips = trips_of(theirs, llvm_side.trips(f));
    record.is_computable = llvm_side.trips(f).hasLoopInvariantBackedgeTakenCount(&theirs);
    record.exact_trips = llvm_side.trips(f).getSmallConstantTripCount(&theirs);
    record.multiple = llvm_side.trips(f).getSmallConstantTripMultiple(&theirs);
    record.most_trips = llvm_side.trips(f).getSmallConstantMaxTripCount(&theirs);
  }
}

// The comparison.

/// What bounds the rolled loop.
std::string_view bound_of(const midend::unrolling_advice& advice) {
  switch (advice.rolled().body.limit()) {
  case midend::body_limit::nothing:
    return "nothing";
  case midend::body_limit::resources:
    return "resources";
  case midend::body_limit::critical_path:
    return "a chain, not pipelined";
  case midend::body_limit::straight_line:
    return "latencies and resources together, not pipelined";
  case midend::body_limit::recurrence:
  case midend::body_limit::schedule:
    break;
  }
  const midend::machine_body& body = advice.rolled_machine;
  const bool is_by_memory = std::ranges::any_of(body.recurrence.cycle, [&](std::uint32_t i) {
    return body.graph.dependences()[i].kind == midend::dependence_kind::memory;
  });
  return is_by_memory ? "a store before a load" : "a recurrence";
}

/// Why midend does not unroll by the factor that LLVM takes, or else by the least factor.
std::string why_not(const loop_record& r) {
  if (r.advice.obstacle != midend::unrolling_obstacle::none) {
    return std::string(to_text(r.advice.obstacle));
  }
  const midend::unrolling_candidate* found = nullptr;
  for (const midend::unrolling_candidate& c : r.advice.candidates) {
    if (c.factor > 1 && (found == nullptr || c.factor == r.theirs.factor)) {
      found = &c;
    }
  }
  const std::string reason = found == nullptr ? "no candidate" : std::string(to_text(found->why));
  return reason + "; bound by " + std::string(bound_of(r.advice));
}

/// Header executions, if midend knows them exactly.
std::uint64_t exact_trips(const loop_record& r) {
  const bool knows = r.trip.kind == midend::trip_count_kind::exact;
  return knows ? r.trip.header_executions().value_or(0) : 0;
}

/// Larger upper bounds help nobody: most are just the greatest value of the type of a counter.
constexpr std::uint64_t largest_upper_bound = 0x10000;

/// Whether midend knows a number of header executions that the loop never exceeds.
bool has_upper_bound(const loop_record& r) {
  const std::uint64_t most = r.trip.header_executions().value_or(0);
  return most != 0 && most <= largest_upper_bound;
}

/// Whether LLVM does.
bool has_their_upper_bound(const loop_record& r) {
  return r.most_trips != 0 && r.most_trips <= largest_upper_bound;
}

/// Whether midend knows, when the loop is entered, how often it runs, whichever exit it takes.
bool is_computable(const loop_record& r) {
  return r.knows_when_entered;
}

/// A number that divides the header executions, as midend knows.
std::uint64_t multiple_of(const loop_record& r) {
  return r.trip.multiple;
}

/// Whether midend knows a multiple of which LLVM knows less, although the number is known to none of the two.
bool has_multiple_alone(const loop_record& r) {
  return exact_trips(r) == 0 && r.exact_trips == 0 && r.multiple % multiple_of(r) != 0;
}

/// Whether LLVM does.
bool has_their_multiple_alone(const loop_record& r) {
  return exact_trips(r) == 0 && r.exact_trips == 0 && multiple_of(r) % r.multiple != 0;
}

/// Whether both know the same one.
bool has_same_multiple(const loop_record& r) {
  return exact_trips(r) == 0 && r.exact_trips == 0 && r.multiple > 1 && multiple_of(r) == r.multiple;
}

/// In cycles per iteration, or in all if the iterations are no longer alike.
std::string gain_of(const midend::unrolling_advice& advice) {
  const midend::unrolling_candidate& before = advice.rolled();
  const midend::unrolling_candidate& after = advice.decision();
  if (after.kind == midend::unrolling_kind::full || after.kind == midend::unrolling_kind::peel) {
    return std::to_string(before.total_cycles) + " -> " + std::to_string(after.total_cycles) + " cycles in all";
  }
  return decimal_text(before.cycles_per_iteration) + " -> " + decimal_text(after.cycles_per_iteration) +
         " cycles per iteration";
}

void list(const std::vector<loop_record>& loops) {
  for (const loop_record& r : loops) {
    llvm::outs() << r.function << r.place << " %" << r.header << ": midend " << r.ours.text();
    if (r.ours.unrolls()) {
      llvm::outs() << " (" << gain_of(r.advice) << ")";
    } else {
      llvm::outs() << " (" << why_not(r) << ")";
    }
    llvm::outs() << ", LLVM " << r.theirs.text() << " (" << r.trips << (r.has_call ? ", calls" : "") << ")";
    if (!r.is_entered) {
      llvm::outs() << ", never entered\n";
      continue;
    }
    if (is_computable(r) != r.is_computable) {
      llvm::outs() << ", trips known to " << (r.is_computable ? "LLVM" : "midend") << " alone";
    }
    if ((exact_trips(r) != 0) != (r.exact_trips != 0)) {
      llvm::outs() << ", number known to " << (r.exact_trips != 0 ? "LLVM" : "midend") << " alone";
    }
    if (has_upper_bound(r) != has_their_upper_bound(r)) {
      llvm::outs() << ", upper bound known to " << (has_upper_bound(r) ? "midend" : "LLVM") << " alone";
    }
    if (has_multiple_alone(r) || has_their_multiple_alone(r)) {
      llvm::outs() << ", a multiple of " << multiple_of(r) << " to midend, of " << r.multiple << " to LLVM";
    }
    llvm::outs() << "\n";
  }
}

/// A table of counts by two names.
class cross_table {
public:
  void add(const std::string& row, const std::string& column) {
    ++counts_[row][column];
    ++columns_[column];
  }

  void print(const char* title) const {
    if (counts_.empty()) {
      return;
    }
    llvm::outs() << "\n" << llvm::left_justify(title, 62);
    for (const auto& [column, sum] : columns_) {
      llvm::outs() << llvm::right_justify(column, 11);
    }
    llvm::outs() << "\n";
    for (const auto& [row, counts] : counts_) {
      llvm::outs() << llvm::left_justify("  " + row, 62);
      for (const auto& [column, sum] : columns_) {
        const auto found = counts.find(column);
        llvm::outs() << llvm::right_justify(found == counts.end() ? "." : std::to_string(found->second), 11);
      }
      llvm::outs() << "\n";
    }
  }

private:
  std::map<std::string, std::map<std::string, std::size_t>> counts_;
  std::map<std::string, std::size_t> columns_;
};

/// Prints the tables. Returns false if both know a trip count and the two differ.
bool summarise(const std::vector<loop_record>& loops) {
  cross_table kinds;
  cross_table ours_not;
  cross_table theirs_not;
  std::array<std::size_t, 4> trips{}; ///< known to none, LLVM, midend, both
  std::array<std::size_t, 4> computable{};
  std::array<std::size_t, 4> bounded{};
  std::array<std::size_t, 4> multiples{}; ///< of what is no known number
  std::size_t never = 0;
  std::size_t without_meaning = 0;
  std::size_t contradictions = 0;
  for (const loop_record& r : loops) {
    kinds.add("midend " + r.ours.kind, r.theirs.kind);
    if (r.theirs.unrolls() && !r.ours.unrolls()) {
      ours_not.add(why_not(r), r.theirs.kind);
    }
    if (r.ours.unrolls() && !r.theirs.unrolls()) {
      const bool is_number = r.trips.ends_with(" trips");
      const std::string number = r.trips.starts_with("at most ") ? "at most a number of trips" : "a number of trips";
      theirs_not.add((is_number ? number : r.trips) + (r.has_call ? ", calls" : ""), r.ours.kind);
    }
    if (!r.is_entered) {
      ++never;
      continue;
    }
    const std::uint64_t known = exact_trips(r);
    ++trips[(known != 0 ? 2 : 0) + (r.exact_trips != 0 ? 1 : 0)];
    ++computable[(is_computable(r) ? 2 : 0) + (r.is_computable ? 1 : 0)];
    multiples[2] += has_multiple_alone(r) ? 1 : 0;
    multiples[1] += has_their_multiple_alone(r) ? 1 : 0;
    multiples[3] += has_same_multiple(r) ? 1 : 0;
    ++bounded[(has_upper_bound(r) ? 2 : 0) + (has_their_upper_bound(r) ? 1 : 0)];
    if (known != 0 && r.exact_trips != 0 && known != r.exact_trips) {
      ++(r.may_lack_meaning ? without_meaning : contradictions);
    }
  }
  llvm::outs() << loops.size() << " innermost loops";
  if (never != 0) {
    llvm::outs() << ", never entered: " << never << ", whose trip counts are not compared";
  }
  llvm::outs() << "\n";
  const auto line = [](const char* title, const std::array<std::size_t, 4>& counts) {
    llvm::outs() << title << counts[3] << " to both, " << counts[2] << " to midend alone, " << counts[1]
                 << " to LLVM alone";
  };
  line("trip counts known as a number: ", trips);
  llvm::outs() << "; different: " << contradictions;
  if (without_meaning != 0) {
    llvm::outs() << ", and " << without_meaning << " where a promise is broken, so that both are right";
  }
  llvm::outs() << "\n";
  line("trip counts known when the loop is entered: ", computable);
  llvm::outs() << "\n";
  line("trip counts known to be at most a number: ", bounded);
  llvm::outs() << "\n";
  line("other trip counts known to be a multiple of a number: ", multiples);
  llvm::outs() << "\n";
  kinds.print("decisions                           LLVM:");
  ours_not.print("LLVM alone unrolls; midend says     LLVM:");
  theirs_not.print("midend alone unrolls; LLVM knows    midend:");
  return contradictions == 0;
}

/// Gives blocks unique names, which identify loops by their headers.
void name_blocks(llvm::Module& m) {
  for (llvm::Function& f : m) {
    unsigned number = 0;
    for (llvm::BasicBlock& b : f) {
      b.setName("b" + std::to_string(number++));
    }
  }
}

/// Runs both on a module, and appends its loops.
void compare(llvm::Module& m, const midend::machine_model& machine, std::vector<loop_record>& out) {
  loop_table loops;
  llvm_unroller llvm_side(m);
  llvm_side.run("function(loop-simplify,lcssa)");
  name_blocks(m);
  for (llvm::Function& f : m) {
    if (!f.isDeclaration()) {
      advise(f, llvm_side, machine, loops);
    }
  }
  m.getContext().setDiagnosticHandler(std::make_unique<remark_reader>(loops));
  llvm_side.run("function(loop(loop-unroll-full),loop-unroll<O2>)");
  for (const auto& [name, record] : loops) {
    out.push_back(record);
  }
}

} // namespace

int main(int argc, char** argv) {
  bool lists = false;
  midend::machine_model machine = midend::e2k_reference_v6();
  std::vector<const char*> files;
  for (int i = 1; i != argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--list") {
      lists = true;
    } else if (argument == "--machine=scalar") {
      machine = midend::scalar_core();
    } else if (argument != "--machine=e2k") {
      files.push_back(argv[i]);
    }
  }
  if (files.empty()) {
    llvm::errs() << "usage: llvm_unroll [--list] [--machine=e2k|scalar] FILE.bc|FILE.ll...\n";
    return 2;
  }
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  std::vector<loop_record> loops;
  for (const char* const file : files) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic problem;
    const std::unique_ptr<llvm::Module> module = llvm::parseIRFile(file, problem, context);
    if (!module) {
      problem.print("llvm_unroll", llvm::errs());
      return 1;
    }
    compare(*module, machine, loops);
  }
  if (lists) {
    list(loops);
  }
  return summarise(loops) ? 0 : 1;
}
