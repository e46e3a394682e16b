// llvm_liveness [--list] FILE.bc|FILE.ll...: how many values are live in the functions of a module, found by midend
// through its view of LLVM's functions, and compared with what LLVM's own lists of uses and predecessors say. Ends with
// status 1 if a block differs.
#include <midend/adapters/llvm_ssa.hpp>
#include <midend/ssa/live_values.hpp>

#include <llvm/IR/CFG.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace {

using midend::node_id;
using midend::value_id;

/// The largest number of values that are live at once: the registers that a machine would need to keep all of them.
class pressure {
public:
  std::size_t of(const midend::llvm_ssa& ir, const midend::live_value_sets& live) {
    is_live_.assign(ir.num_values(), false);
    most_ = 0;
    for (node_id n = 0; n != live.num_nodes(); ++n) {
      walk_up(ir, n, live.live_out(n));
    }
    return most_;
  }

private:
  void walk_up(const midend::llvm_ssa& ir, node_id n, std::span<const value_id> live_out) {
    std::vector<value_id> seen(live_out.begin(), live_out.end());
    for (const value_id v : live_out) {
      is_live_[v] = true;
    }
    std::size_t count = live_out.size();
    most_ = std::max(most_, count);
    const auto values = ir.values(n);
    for (value_id v = *values.end(); v-- != *values.begin() && !ir.is_phi(v);) {
      count -= is_live_[v];
      is_live_[v] = false;
      for (const value_id operand : ir.operands(v)) {
        if (operand < *ir.parameters().end() && !is_live_[operand]) { // constants come after the parameters
          is_live_[operand] = true;
          seen.push_back(operand);
          ++count;
        }
      }
      most_ = std::max(most_, count);
    }
    for (const value_id v : seen) {
      is_live_[v] = false;
    }
  }

  std::vector<bool> is_live_;
  std::size_t most_ = 0;
};

/// Liveness from LLVM's lists alone, one value after the other.
class lists_of_llvm {
public:
  using values = std::vector<const llvm::Value*>; // in LLVM's order

  explicit lists_of_llvm(const llvm::Function& f) {
    for (const llvm::BasicBlock& b : f) {
      for (const llvm::Instruction& i : b) {
        add(i, &b);
      }
    }
    for (const llvm::Argument& a : f.args()) {
      add(a, nullptr);
    }
  }

  const values& live_in(const llvm::BasicBlock* b) { return in_[b]; }

  const values& live_out(const llvm::BasicBlock* b) { return out_[b]; }

private:
  void add(const llvm::Value& v, const llvm::BasicBlock* definition) {
    std::vector<const llvm::BasicBlock*> todo; // the value is live at their start
    std::unordered_set<const llvm::BasicBlock*> seen_in;
    std::unordered_set<const llvm::BasicBlock*> seen_out;
    const auto at_start = [&](const llvm::BasicBlock* b) {
      if (b != definition && seen_in.insert(b).second) {
        in_[b].push_back(&v);
        todo.push_back(b);
      }
    };
    const auto at_end = [&](const llvm::BasicBlock* b) {
      if (seen_out.insert(b).second) {
        out_[b].push_back(&v);
      }
      at_start(b);
    };
    for (const llvm::Use& use : v.uses()) {
      const auto& user = *llvm::cast<llvm::Instruction>(use.getUser());
      if (const auto* const phi = llvm::dyn_cast<llvm::PHINode>(&user)) {
        at_end(phi->getIncomingBlock(use));
      } else {
        at_start(user.getParent());
      }
    }
    while (!todo.empty()) {
      const llvm::BasicBlock* const b = todo.back();
      todo.pop_back();
      for (const llvm::BasicBlock* p : llvm::predecessors(b)) {
        at_end(p);
      }
    }
  }

  std::unordered_map<const llvm::BasicBlock*, values> in_;
  std::unordered_map<const llvm::BasicBlock*, values> out_;
};

struct totals {
  std::size_t functions = 0;
  std::size_t blocks = 0;
  std::size_t instructions = 0;
  std::size_t places = 0;
  std::size_t differences = 0;
  std::size_t most = 0;
  std::string where;
};

class module_liveness {
public:
  explicit module_liveness(bool list) : list_(list) {}

  void add(const llvm::Function& f) {
    ir_.assign(f);
    midend::live_values(ir_, workspace_, live_);
    const std::size_t most = pressure_.of(ir_, live_);
    ++sum_.functions;
    sum_.blocks += live_.num_nodes();
    sum_.instructions += ir_.num_instructions();
    sum_.places += live_.size();
    if (most > sum_.most) {
      sum_.most = most;
      sum_.where = f.getName();
    }
    if (list_) {
      std::size_t into_blocks = 0;
      for (node_id n = 0; n != live_.num_nodes(); ++n) {
        into_blocks = std::max(into_blocks, live_.live_in(n).size());
      }
      llvm::outs() << f.getName() << ": at most " << into_blocks << " live into a block, " << most << " at once\n";
    }
    compare(f);
  }

  const totals& sum() const { return sum_; }

private:
  void compare(const llvm::Function& f) {
    lists_of_llvm theirs(f);
    for (const llvm::BasicBlock& b : f) {
      const node_id n = ir_.node(&b);
      if (!same(live_.live_in(n), theirs.live_in(&b)) || !same(live_.live_out(n), theirs.live_out(&b))) {
        ++sum_.differences;
        llvm::errs() << f.getName() << ": live values differ in block ";
        b.printAsOperand(llvm::errs(), false);
        llvm::errs() << "\n";
      }
    }
  }

  bool same(std::span<const value_id> ours, const lists_of_llvm::values& theirs) const {
    return std::ranges::equal(ours, theirs, {}, [this](value_id v) { return ir_.value(v); });
  }

  bool list_;
  midend::llvm_ssa ir_;
  midend::live_values_workspace workspace_;
  midend::live_value_sets live_;
  pressure pressure_;
  totals sum_;
};

} // namespace

int main(int argc, char** argv) {
  const bool list = argc > 1 && argv[1] == std::string_view("--list");
  if (argc < 2 + (list ? 1 : 0)) {
    llvm::errs() << "usage: llvm_liveness [--list] FILE.bc|FILE.ll...\n";
    return 2;
  }
  module_liveness liveness(list);
  for (int i = list ? 2 : 1; i != argc; ++i) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic problem;
    const std::unique_ptr<llvm::Module> module = llvm::parseIRFile(argv[i], problem, context);
    if (!module) {
      problem.print("llvm_liveness", llvm::errs());
      return 1;
    }
    for (const llvm::Function& f : *module) {
      if (!f.isDeclaration()) {
        liveness.add(f);
      }
    }
  }
  const totals& sum = liveness.sum();
  llvm::outs() << sum.functions << " functions, " << sum.blocks << " blocks, " << sum.instructions << " instructions, "
               << sum.places << " places where values are live; most at once: " << sum.most << " in " << sum.where
               << "; " << sum.differences << " blocks differ from LLVM's lists\n";
  return sum.differences == 0 ? 0 : 1;
}
