#include "clean_up_pass.hpp"

#include <midend/adapters/llvm_package_editor.hpp>
#include <midend/ir/editable_flat_program.hpp>
#include <midend/ir/frozen.hpp>
#include <midend/package/clean_up.hpp>
#include <midend/package/verify_implied_branches.hpp>
#include <midend/ssa/verify_congruence.hpp>
#include <midend/ssa/verify_sccp.hpp>
#include <midend/ssa/verify_sccp_plan.hpp>
#include <midend/transform/unfolding_witness.hpp>
#include <midend/transform/verify_motion.hpp>
#include <midend/transform/verify_range_tests.hpp>
#include <midend/transform/verify_removal.hpp>
#include <midend/transform/verify_unfolding.hpp>
#include <midend/viz/certificates.hpp>

#include <llvm/IR/Verifier.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using midend::flat_program;
using midend::llvm_package_editor;

/// Checks the certificate of each step, between a flat copy of the function before it and the function.
class clean_up_checker : public midend::clean_up_observer {
public:
  clean_up_checker(const llvm::Function& f, llvm_package_editor& editor, bool is_wanted)
      : function_(f), editor_(editor), is_wanted_(is_wanted) {
    keep(editor);
  }

  using midend::clean_up_observer::planned;

  template <class E> void planned(const E&, const midend::common_value_plan&) { next_ = step::motion; }

  template <class E> void planned(const E&, const midend::hoisting_plan&) { next_ = step::motion; }

  template <class E> void planned(const E&, const midend::range_test_plan&) { next_ = step::tests; }

  template <class E, class Found>
  void planned(const E& editor, const Found& found, const midend::sccp_plan<std::uint64_t>& plan) {
    next_ = step::replacement;
    if (is_wanted_) {
      require_none(midend::verify_sccp_with_branch_facts(editor, found), editor);
      require_none(midend::verify_sccp_plan_with_branch_facts(editor, found, plan), editor);
      use_constants(plan);
    }
  }

  template <class E, class Found>
  void planned(const E& editor, const Found& found, const midend::value_numbering_plan<std::uint64_t>& plan) {
    next_ = step::replacement;
    if (is_wanted_) {
      require_none(midend::verify_congruence(editor, found), editor);
      require_none(midend::verify_sccp_plan(editor, found.facts(), plan.constants), editor);
      for (const auto& change : plan.replacements) {
        require(found.are_congruent(change.value, change.leader), "a value is replaced by one that is not equal");
      }
      use_constants(plan.constants);
      for (const midend::value_id leader : plan.dropped_promises) {
        before_.drop_promises(leader);
      }
      for (const auto& change : plan.replacements) {
        before_.replace_uses(change.value, change.leader);
      }
    }
  }

  template <class E> void applied(const E& editor) {
    if (is_wanted_) {
      if (next_ == step::motion) {
        require(midend::verify_motion(before_, editor), editor);
      } else if (next_ == step::tests) {
        require(midend::verify_range_tests(before_, editor), editor);
      } else {
        witness_.grow(editor.graph().num_nodes(), editor.graph().num_edges(), editor.num_values());
        require(midend::verify_unfolding(before_, editor, witness_), editor);
      }
      keep(editor);
    }
  }

  /// The low-level package has no certificate.
  template <class E> void applied(const E& editor, const midend::package_log&) { keep(editor); }

  template <class E> void applied(const E& editor, const midend::removal_witness& witness) {
    if (is_wanted_) {
      const midend::removal_verdict verdict = midend::verify_removal(before_, editor, witness);
      require(verdict, editor);
      require(verdict.assumed == 0, "the certificate assumes what nothing proves");
      keep(editor);
    }
  }

  template <class E> void applied(const E& editor, const midend::reverse_unfolding& split) {
    if (is_wanted_) {
      midend::editable_flat_program after;
      midend::frozen(editor, after);
      require(midend::verify_unfolding(after, before_, split.witness), editor);
      keep(editor);
    }
  }

  template <class E> void applied(const E& editor, const midend::unfolding_witness& witness) {
    if (is_wanted_) {
      const midend::unfolding_verdict verdict = midend::verify_unfolding(before_, editor, witness);
      require(verdict, editor);
      if (verdict.assumed != 0) {
        const midend::implied_branches_verdict implied = midend::verify_implied_branches(before_, witness);
        require(implied && implied.proven >= verdict.assumed, "an edge that was dropped may be taken");
      }
      keep(editor);
    }
  }

private:
  enum class step : std::uint8_t { motion, tests, replacement };

  template <class E> void keep(const E& editor) {
    if (is_wanted_) {
      midend::frozen(editor, before_);
    }
  }

  /// Reads the constants of a plan in the copy. The function then is an unfolding of it: branches are decided. The
  /// constants are numbered by the editor first, so that the copy has them, too.
  void use_constants(const midend::sccp_plan<std::uint64_t>& plan) {
    std::vector<midend::value_id> constants;
    for (const auto& change : plan.replacements) {
      constants.push_back(editor_.make_constant(change.value, change.constant));
    }
    for (const auto& use : plan.uses) {
      editor_.make_constant(midend::used_value(editor_, use), use.constant);
    }
    keep(editor_);
    for (const auto& use : plan.uses) {
      midend::apply_decided_use(before_, use);
    }
    for (std::size_t i = 0; i != constants.size(); ++i) {
      before_.replace_uses(plan.replacements[i].value, constants[i]);
    }
    const auto& g = before_.graph();
    witness_.start(g.num_nodes(), g.num_edges(), before_.num_values());
    for (const midend::edge_id kept : plan.kept_edges) {
      const midend::node_id n = g.edge_source(kept);
      const midend::value_id condition = before_.condition(n);
      const bool is_literal = condition != midend::no_value && before_.constant(condition).has_value();
      for (const midend::edge_id e : g.out_edges(n)) {
        if (e != kept) {
          witness_.dropped.push_back(
              {n, e, is_literal ? condition : midend::no_value,
               is_literal ? midend::drop_reason::constant_condition : midend::drop_reason::assumed});
        }
      }
    }
  }

  void require(bool holds, llvm::StringRef what) const {
    if (!holds) {
      llvm::errs() << clean_up_pass::pass_name << ": " << function_.getName() << ": " << what << "\n";
      stop();
    }
  }

  template <class Error> void require_none(const Error& error, const llvm_package_editor& editor) const {
    if (error) {
      reject(midend::to_text(error), midend::no_node, error.value, editor);
    }
  }

  template <class Verdict> void require(const Verdict& verdict, const llvm_package_editor& editor) const {
    if (!verdict) {
      reject(std::string(midend::to_text(verdict.fault)), verdict.node, verdict.value, editor);
    }
  }

  [[noreturn]] void reject(const std::string& why, midend::node_id n, midend::value_id v,
                           const llvm_package_editor& editor) const {
    llvm::errs() << clean_up_pass::pass_name << ": " << function_.getName() << ": the certificate is rejected: " << why;
    if (n != midend::no_node && editor.block(n) != nullptr) {
      llvm::errs() << ", at block ";
      editor.block(n)->printAsOperand(llvm::errs(), false);
    }
    if (v != midend::no_value && v < editor.num_values() && editor.value(v) != nullptr) {
      llvm::errs() << ", value" << *editor.value(v);
    }
    llvm::errs() << "\n";
    stop();
  }

  [[noreturn]] static void stop() { llvm::report_fatal_error("midend: a transformation is wrong", false); }

  const llvm::Function& function_;
  llvm_package_editor& editor_; ///< only constants are made
  bool is_wanted_;
  midend::editable_flat_program before_;
  midend::unfolding_witness witness_; ///< of the replacement that is planned
  step next_ = step::motion;
};

} // namespace

llvm::PreservedAnalyses clean_up_pass::run(llvm::Function& f, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  {
    llvm_package_editor editor(f);
    clean_up_checker checker(f, editor, verify_);
    changed = midend::clean_up(editor, midend::clean_up_options(), checker).has_changed();
  }
  if (verify_ && llvm::verifyFunction(f, &llvm::errs())) {
    llvm::errs() << pass_name << ": " << f.getName() << ": LLVM's verifier complains\n";
    llvm::report_fatal_error("midend: a transformation is wrong", false);
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}
