// llvm_sccp [--list] FILE.bc|FILE.ll...: what midend's sparse conditional constant propagation and LLVM's find in the
// functions of a module: constants, and blocks that are never executed. LLVM's is the solver of its pass `sccp`, one
// function at a time. Counts for four configurations of midend; --list names what differs for the first one, which
// treats `undef` as LLVM does. Ends with status 1 if the two find different constants for one value.
#include <midend/adapters/llvm_ssa.hpp>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/ssa/sccp.hpp>

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueLattice.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/SCCPSolver.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace {

using midend::node_id;
using midend::value_id;

/// What is found of a function.
struct findings {
  std::vector<const llvm::Constant*> constants; ///< by instruction; null if it is none, `undef` if it is that
  std::vector<bool> dead_blocks;

  std::size_t num_constants() const {
    return constants.size() - static_cast<std::size_t>(std::ranges::count(constants, nullptr));
  }

  std::size_t num_dead() const { return static_cast<std::size_t>(std::ranges::count(dead_blocks, true)); }
};

/// LLVM's solver, driven as its pass does.
class solver_of_llvm {
public:
  solver_of_llvm(llvm::Function& f, const llvm::TargetLibraryInfo& library)
      : solver_(f.getDataLayout(), [&library](llvm::Function&) -> const auto& { return library; }, f.getContext()) {
    solver_.markBlockExecutable(&f.front());
    for (llvm::Argument& a : f.args()) {
      solver_.trackValueOfArgument(&a);
    }
    do {
      solver_.solve();
    } while (solver_.resolvedUndefsIn(f));
  }

  findings found(llvm::Function& f) const {
    findings out;
    for (llvm::BasicBlock& b : f) {
      const bool is_dead = !solver_.isBlockExecutable(&b);
      out.dead_blocks.push_back(is_dead);
      for (llvm::Instruction& i : b) {
        const bool is_value = !is_dead && !i.getType()->isVoidTy() && !i.getType()->isTokenTy();
        out.constants.push_back(is_value ? solver_.getConstantOrNull(&i) : nullptr);
      }
    }
    return out;
  }

  /// Whether LLVM has reached one of the constants in `i` through a pointer that is not null.
  bool reads_not_null(const llvm::Instruction& i) const {
    return std::ranges::any_of(i.operands(), [this](const llvm::Use& use) {
      return use->getType()->isPointerTy() && llvm::isa<llvm::Instruction>(use.get()) &&
             solver_.getLatticeValueFor(use.get()).isNotConstant();
    });
  }

private:
  llvm::SCCPSolver solver_;
};

/// The constant of an instruction whose bits only the linker knows: a constant address as a number.
template <class D>
const llvm::Constant* address_as_number(const midend::llvm_ssa& ir, const midend::sccp_result<D>& facts, value_id v) {
  const auto* const i = llvm::dyn_cast<llvm::PtrToIntInst>(ir.value(v));
  const auto pointer = i == nullptr ? std::nullopt : facts.constant(ir.operands(v)[0]);
  return pointer ? llvm::ConstantExpr::getPtrToInt(midend::llvm_constant(i->getPointerOperand()->getType(), *pointer),
                                                   i->getType())
                 : nullptr;
}

template <class D> findings found_by_midend(const midend::llvm_ssa& ir, const midend::sccp_options& options) {
  const midend::sccp_result<D> facts = midend::sccp(ir, D(), options);
  findings out;
  for (node_id n = 0; n != facts.num_nodes(); ++n) {
    const bool is_dead = !facts.is_executable(n);
    out.dead_blocks.push_back(is_dead);
    for (const value_id v : ir.values(n)) {
      llvm::Type* const type = ir.value(v)->getType();
      const auto bits = facts.constant(v);
      const llvm::Constant* const c = bits                    ? midend::llvm_constant(type, *bits)
                                      : facts.is_undefined(v) ? llvm::UndefValue::get(type)
                                                              : address_as_number(ir, facts, v);
      out.constants.push_back(is_dead ? nullptr : c);
    }
  }
  return out;
}

using question = findings (*)(const midend::llvm_ssa&, const midend::sccp_options&);

constexpr midend::sccp_options as_llvm = {.undefined = midend::undef_policy::any_value,
                                          .branch_on_undefined = midend::undef_branch::none,
                                          .threshold_steps = 8,
                                          .narrowing_steps = 0};

struct way_to_ask {
  std::string_view name;
  question ask;
  midend::sccp_options options;
};

constexpr std::array ways = {
    way_to_ask{"number_domain, undef as in LLVM", found_by_midend<midend::number_domain>, as_llvm},
    way_to_ask{"number_domain", found_by_midend<midend::number_domain>, {}},
    way_to_ask{"flat_domain, undef as in LLVM", found_by_midend<midend::flat_domain<>>, as_llvm},
    way_to_ask{"flat_domain", found_by_midend<midend::flat_domain<>>, {}},
};

/// One function, in all configurations.
struct comparison {
  const midend::llvm_ssa& ir;
  const solver_of_llvm& solver;
  const findings& theirs;
  const findings& ours;

  bool is_in_dead_block(value_id v) const {
    const node_id n = ir.node(instruction(v).getParent());
    return ours.dead_blocks[n] || theirs.dead_blocks[n];
  }

  const llvm::Instruction& instruction(value_id v) const { return *llvm::cast<llvm::Instruction>(ir.value(v)); }

  bool is_missed(value_id v) const {
    return theirs.constants[v] != nullptr && ours.constants[v] == nullptr && !is_in_dead_block(v);
  }

  bool is_more(value_id v) const {
    return theirs.constants[v] == nullptr && ours.constants[v] != nullptr && !is_in_dead_block(v);
  }

  bool is_contradiction(value_id v) const {
    return theirs.constants[v] != nullptr && ours.constants[v] != nullptr && theirs.constants[v] != ours.constants[v];
  }

  /// Why midend does not find what LLVM does.
  std::string_view reason(value_id v) const {
    const llvm::Instruction& i = instruction(v);
    const auto operands = ir.operands(v);
    if (std::ranges::any_of(operands, [&](value_id o) { return o < ir.num_instructions() && is_missed(o); })) {
      return "follows from another";
    }
    if (llvm::isa<llvm::ConstantExpr>(theirs.constants[v])) {
      return "number that only the linker knows";
    }
    if (i.getType()->isAggregateType()) {
      return "aggregate with fields that are undefined";
    }
    if (llvm::isa<llvm::ExtractValueInst>(i)) {
      return "field of an aggregate";
    }
    if (!i.getType()->isIntegerTy() || i.getType()->getIntegerBitWidth() > 64) {
      return "no number of up to 64 bits";
    }
    return solver.reads_not_null(i) ? "pointer that is not null" : "range";
  }

  /// The simplest of midend's domains that finds what LLVM does not.
  template <class Finds> std::string_view simplest_domain(Finds finds) const {
    constexpr std::array domains = {
        way_to_ask{"constants", found_by_midend<midend::flat_domain<>>, as_llvm},
        way_to_ask{"bounds", found_by_midend<midend::interval_domain>, as_llvm},
        way_to_ask{"known bits", found_by_midend<midend::known_bits_domain>, as_llvm},
    };
    for (const way_to_ask& way : domains) {
      if (finds(way.ask(ir, way.options))) {
        return way.name;
      }
    }
    return "bounds with known bits";
  }
};

struct difference_counts {
  std::size_t constants = 0;
  std::size_t missed_constants = 0;
  std::size_t more_constants = 0;
  std::size_t dead_blocks = 0;
  std::size_t missed_blocks = 0;
  std::size_t more_blocks = 0;
  std::size_t contradictions = 0;

  void add(const comparison& c) {
    constants += c.ours.num_constants();
    dead_blocks += c.ours.num_dead();
    for (value_id v = 0; v != c.ir.num_instructions(); ++v) {
      missed_constants += c.is_missed(v);
      more_constants += c.is_more(v);
      contradictions += c.is_contradiction(v);
    }
    for (std::size_t n = 0; n != c.ours.dead_blocks.size(); ++n) {
      missed_blocks += c.theirs.dead_blocks[n] && !c.ours.dead_blocks[n];
      more_blocks += !c.theirs.dead_blocks[n] && c.ours.dead_blocks[n];
    }
  }
};

void list_values(const comparison& c) {
  const auto line = [&](value_id v, std::string_view who, std::string_view why, const llvm::Constant* found) {
    llvm::outs() << c.instruction(v).getFunction()->getName() << ": " << who << " (" << why << "):" << c.instruction(v)
                 << " is ";
    found->printAsOperand(llvm::outs());
    llvm::outs() << "\n";
  };
  for (value_id v = 0; v != c.ir.num_instructions(); ++v) {
    if (c.is_missed(v)) {
      line(v, "LLVM alone", c.reason(v), c.theirs.constants[v]);
    } else if (c.is_more(v)) {
      const auto why = c.simplest_domain([v](const findings& f) { return f.constants[v] != nullptr; });
      line(v, "midend alone", why, c.ours.constants[v]);
    } else if (c.is_contradiction(v)) {
      line(v, "CONTRADICTION", "LLVM", c.theirs.constants[v]);
      line(v, "CONTRADICTION", "midend", c.ours.constants[v]);
    }
  }
}

void list_blocks(const comparison& c) {
  for (node_id n = 0; n != c.ours.dead_blocks.size(); ++n) {
    if (c.ours.dead_blocks[n] == c.theirs.dead_blocks[n]) {
      continue;
    }
    llvm::outs() << c.ir.block(n)->getParent()->getName() << ": ";
    if (c.ours.dead_blocks[n]) {
      const auto why = c.simplest_domain([n](const findings& f) { return bool{f.dead_blocks[n]}; });
      llvm::outs() << "midend alone (" << why << "): ";
    } else {
      llvm::outs() << "LLVM alone: ";
    }
    c.ir.block(n)->printAsOperand(llvm::outs(), false);
    llvm::outs() << " is never executed\n";
  }
}

class module_comparison {
public:
  explicit module_comparison(bool list) : list_(list) {}

  void add(llvm::Function& f, const llvm::TargetLibraryInfo& library) {
    const solver_of_llvm solver(f, library);
    const findings theirs = solver.found(f);
    const midend::llvm_ssa ir(
        f, {.library = &library, .any_right_result = true, .copies_fields = true, .subtracts_addresses = true});
    ++functions_;
    constants_ += theirs.num_constants();
    dead_blocks_ += theirs.num_dead();
    for (std::size_t i = 0; i != ways.size(); ++i) {
      const findings ours = ways[i].ask(ir, ways[i].options);
      const comparison c{ir, solver, theirs, ours};
      counts_[i].add(c);
      if (i == 0 && list_) {
        list_values(c);
        list_blocks(c);
      }
    }
  }

  bool agrees() const {
    return std::ranges::all_of(counts_, [](const difference_counts& c) { return c.contradictions == 0; });
  }

  void print() const {
    llvm::outs() << functions_ << " functions\n"
                 << "LLVM: " << constants_ << " constants, " << dead_blocks_ << " dead blocks\n";
    for (std::size_t i = 0; i != ways.size(); ++i) {
      const difference_counts& c = counts_[i];
      llvm::outs() << ways[i].name << ": " << c.constants << " constants, " << c.dead_blocks
                   << " dead blocks; LLVM alone: " << c.missed_constants << " constants, " << c.missed_blocks
                   << " blocks; midend alone: " << c.more_constants << ", " << c.more_blocks
                   << "; contradictions: " << c.contradictions << "\n";
    }
  }

private:
  bool list_;
  std::size_t functions_ = 0;
  std::size_t constants_ = 0;
  std::size_t dead_blocks_ = 0;
  std::array<difference_counts, ways.size()> counts_{};
};

} // namespace

int main(int argc, char** argv) {
  const bool list = argc > 1 && argv[1] == std::string_view("--list");
  if (argc < 2 + (list ? 1 : 0)) {
    llvm::errs() << "usage: llvm_sccp [--list] FILE.bc|FILE.ll...\n";
    return 2;
  }
  module_comparison sum(list);
  for (int i = list ? 2 : 1; i != argc; ++i) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic problem;
    const std::unique_ptr<llvm::Module> module = llvm::parseIRFile(argv[i], problem, context);
    if (!module) {
      problem.print("llvm_sccp", llvm::errs());
      return 1;
    }
    const llvm::TargetLibraryInfoImpl functions(llvm::Triple(module->getTargetTriple()));
    for (llvm::Function& f : *module) {
      if (!f.isDeclaration()) {
        sum.add(f, llvm::TargetLibraryInfo(functions, &f));
      }
    }
  }
  sum.print();
  return sum.agrees() ? 0 : 1;
}
