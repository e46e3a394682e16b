#include "transformations.hpp"

#include "certificate.hpp"

#include <midend/adapters/llvm_editor.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/sccp_plan.hpp>
#include <midend/transform/clean_control.hpp>
#include <midend/transform/close_loops.hpp>
#include <midend/transform/fix_irreducible.hpp>
#include <midend/transform/remove_dead_code.hpp>
#include <midend/transform/rotate_loops.hpp>
#include <midend/transform/simplify_loops.hpp>
#include <midend/transform/split_critical_edges.hpp>
#include <midend/transform/unfolding.hpp>

#include <llvm/IR/Analysis.h>
#include <llvm/IR/Function.h>

#include <cstddef>
#include <optional>

namespace {

using midend::llvm_editor;

/// What a pass has changed.
enum class change { nothing, values, flow };

/// Compares the sizes of a function: what only grows by new things, and what is new.
class growth {
public:
  explicit growth(const llvm_editor& editor)
      : editor_(editor), nodes_(editor.graph().num_nodes()), values_(editor.num_values()) {}

  change since() const {
    return editor_.graph().num_nodes() != nodes_ ? change::flow
           : editor_.num_values() != values_     ? change::values
                                                 : change::nothing;
  }

private:
  const llvm_editor& editor_;
  std::size_t nodes_;
  std::size_t values_;
};

// The transformations. Each says what it is called, and changes a function.

struct simplify_loops {
  static constexpr llvm::StringLiteral name = "midend-simplify-loops";

  static change run(llvm_editor& editor, certificate& proof) {
    const auto done = midend::simplify_loops(editor);
    proof.check(editor, done.witness);
    return done.plan.empty() ? change::nothing : change::flow;
  }
};

struct close_loops {
  static constexpr llvm::StringLiteral name = "midend-close-loops";

  static change run(llvm_editor& editor, certificate& proof) {
    const growth growth(editor); // loops are simplified first, by new blocks
    proof.check(editor, midend::close_loops(editor).witness);
    return growth.since();
  }
};

struct rotate_loops {
  static constexpr llvm::StringLiteral name = "midend-rotate";

  static change run(llvm_editor& editor, certificate& proof) {
    const growth growth(editor); // guards are new blocks
    proof.check(editor, midend::rotate_loops(editor).witness);
    return growth.since();
  }
};

struct fix_irreducible {
  static constexpr llvm::StringLiteral name = "midend-fix-irreducible";

  static change run(llvm_editor& editor, certificate& proof) {
    const auto done = midend::fix_irreducible(editor);
    proof.check(editor, done.witness);
    return done.plan.empty() ? change::nothing : change::flow;
  }
};

struct split_critical_edges {
  static constexpr llvm::StringLiteral name = "midend-split-critical-edges";

  static change run(llvm_editor& editor, certificate& proof) {
    const midend::critical_edges_plan plan = midend::plan_split_critical_edges(editor);
    proof.check(editor, midend::apply_split_critical_edges(editor, plan));
    return plan.empty() ? change::nothing : change::flow;
  }
};

struct remove_dead_code {
  static constexpr llvm::StringLiteral name = "midend-dce";

  static change run(llvm_editor& editor, certificate& proof) {
    const midend::dead_code_plan plan = midend::plan_remove_dead_code(editor);
    midend::unfolding<llvm_editor> u(editor);
    midend::apply_remove_dead_code(editor, plan);
    proof.check(editor, u.witness());
    return plan.empty() ? change::nothing : change::values;
  }
};

struct sccp {
  static constexpr llvm::StringLiteral name = "midend-sccp";

  static change run(llvm_editor& editor, certificate&) {
    const auto found = midend::sccp(editor, midend::number_domain());
    const auto plan = midend::plan_sccp(editor, found);
    midend::apply_sccp(editor, plan);
    return plan.empty()                                           ? change::nothing
           : plan.kept_edges.empty() && plan.erased_nodes.empty() ? change::values
                                                                  : change::flow;
  }
};

template <class T> class transformation_pass : public llvm::PassInfoMixin<transformation_pass<T>> {
public:
  explicit transformation_pass(bool verify) : verify_(verify) {}

  static llvm::StringRef name() { return T::name; }

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager&) {
    certificate proof(f, T::name, verify_);
    change done;
    {
      llvm_editor editor(f);
      done = T::run(editor, proof);
    }
    proof.check_function();
    llvm::PreservedAnalyses preserved =
        done == change::nothing ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
    if (done == change::values) {
      preserved.preserveSet<llvm::CFGAnalyses>();
    }
    return preserved;
  }

private:
  bool verify_;
};

/// Rounds as long as one removes a block or an edge. Each has an editor of its own, because its witness begins with the
/// program before it. Parallel edges with different phi inputs, for which LLVM has a block, are what the last round
/// makes and takes back.
class clean_control_pass : public llvm::PassInfoMixin<clean_control_pass> {
public:
  explicit clean_control_pass(bool verify) : verify_(verify) {}

  static constexpr llvm::StringLiteral pass_name = "midend-clean-control";

  static llvm::StringRef name() { return pass_name; }

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager&) {
    bool changed = false;
    for (std::size_t size = size_of(f); run_round(f);) {
      changed = true;
      const std::size_t now = size_of(f);
      if (now >= size) {
        break;
      }
      size = now;
    }
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }

private:
  static std::size_t size_of(const llvm::Function& f) {
    std::size_t size = 0;
    for (const llvm::BasicBlock& b : f) {
      size += 1 + b.getTerminator()->getNumSuccessors();
    }
    return size;
  }

  bool run_round(llvm::Function& f) const {
    certificate proof(f, pass_name, verify_);
    {
      llvm_editor editor(f);
      const midend::control_plan plan = midend::plan_clean_control(editor);
      if (plan.empty()) {
        return false;
      }
      proof.check(editor, midend::apply_clean_control(editor, plan));
    }
    proof.check_function();
    return true;
  }

  bool verify_;
};

struct named_pass {
  llvm::StringRef name;
  void (*add)(bool verify, llvm::FunctionPassManager& passes);
};

template <class Pass> void add(bool verify, llvm::FunctionPassManager& passes) {
  passes.addPass(Pass(verify));
}

template <class T> constexpr named_pass pass_of = {T::name, add<transformation_pass<T>>};

constexpr named_pass all[] = {pass_of<simplify_loops>,       pass_of<close_loops>,
                              pass_of<rotate_loops>,         pass_of<fix_irreducible>,
                              pass_of<split_critical_edges>, {clean_control_pass::pass_name, add<clean_control_pass>},
                              pass_of<remove_dead_code>,     pass_of<sccp>};

} // namespace

llvm::SmallVector<llvm::StringRef> transformation_names() {
  llvm::SmallVector<llvm::StringRef> names;
  for (const named_pass& pass : all) {
    names.push_back(pass.name);
  }
  return names;
}

void add_transformation(llvm::StringRef name, bool verify, llvm::FunctionPassManager& passes) {
  for (const named_pass& pass : all) {
    if (pass.name == name) {
      pass.add(verify, passes);
    }
  }
}
