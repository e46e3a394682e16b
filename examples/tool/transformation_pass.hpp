/// Transformations of `transform/` as passes of `midend opt`.
#pragma once

#include "edit_names.hpp"
#include "new_names.hpp"
#include "passes.hpp"
#include "sccp_tool.hpp"
#include "text.hpp"

#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/verify/verify_ssa_construction.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/elbrus/views/effect_view.hpp>
#include <midend/package/memory_witness.hpp>
#include <midend/ssa/verify_congruence.hpp>
#include <midend/ssa/verify_sccp.hpp>
#include <midend/transform/collapse_plan.hpp>
#include <midend/transform/condition_split_plan.hpp>
#include <midend/transform/final_value_witness.hpp>
#include <midend/transform/interchange_plan.hpp>
#include <midend/transform/loop_versioning_plan.hpp>
#include <midend/transform/range_tests.hpp>
#include <midend/transform/recording_editor.hpp>
#include <midend/transform/removal_witness.hpp>
#include <midend/transform/replacement_witness.hpp>
#include <midend/transform/unfolding_witness.hpp>
#include <midend/viz/condition_splits.hpp>
#include <midend/viz/edits.hpp>
#include <midend/viz/final_values.hpp>
#include <midend/viz/loop_versions.hpp>
#include <midend/viz/nests.hpp>
#include <midend/viz/package.hpp>
#include <midend/viz/strength.hpp>
#include <midend/viz/transformation_plans.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace midend_tool {

/// Whether something else proves that edges which a witness drops as `assumed` are never taken.
enum class assumed_edges : std::uint8_t { are_unproven, are_proven };

/// Why the certificate of a transformation is rejected, if it is. New values and nodes should have names. A witness may
/// assume only what is proven.
std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const midend::unfolding_witness& witness,
                                        assumed_edges assumed = assumed_edges::are_unproven);

std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const midend::removal_witness& witness);

std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const midend::replacement_witness& witness);

/// The witness of a transformation that moves operations up: it says nothing.
struct motion_witness {};

std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const motion_witness& witness);

/// The witness of tests that were replaced by equal ones: it says nothing.
struct range_test_witness {};

std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const range_test_witness& witness);

std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const midend::reverse_unfolding& split);

std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const midend::memory_witness& witness);

std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const midend::final_value_witness& witness);

/// Counters in place of values have no witness.
struct strength_witness {};

std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const strength_witness& witness);

std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const midend::interchange_witness& witness);

std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const midend::collapse_witness& witness);

std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const midend::condition_split_witness& witness);

std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const midend::versioned_loops_witness& witness);

/// The witness of removed loops: that they end is proven, too.
struct dead_loops_witness {
  midend::removal_witness removal;
};

std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const dead_loops_witness& witness);

/// The same for values in place of variables.
std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const midend::elbrus::ssa_construction_verdict& verdict);

/// The same for what a transformation was derived from: facts, and classes of equal values.
std::optional<std::string> why_rejected(const midend::elbrus::procedure& p, const midend::sccp_error& error);

std::optional<std::string> why_rejected(const midend::elbrus::procedure& p, const midend::congruence_error& error);

/// The witness of a step that drops exits which are never taken: an unfolding with assumed reasons, all to be proven.
struct untaken_exits_witness {
  midend::unfolding_witness unfolding;
};

std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const untaken_exits_witness& witness);

/// The witness of a round that drops edges which a dominating branch decides: all assumed reasons are to be proven.
struct implied_branches_witness {
  midend::unfolding_witness unfolding;
};

std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const implied_branches_witness& witness);

/// One application of a transformation to a procedure: what the function of a pass is called with.
template <class E> class transformation_run {
public:
  transformation_run(midend::elbrus::procedure& p, E& editor, const pass_request& request, pass_report& report)
      : procedure_(p), editor_(editor), request_(request), report_(report) {
    if (request_.certify) {
      before_ = p;
    }
  }

  E& editor() { return editor_; }

  /// The option of the pass.
  std::optional<std::size_t> number() const { return request_.number; }

  /// A step is done: names what is new, and checks the certificate. Call it after each step.
  void done(const midend::unfolding_witness& witness) {
    ++steps_;
    name_what_is_new(procedure_, witness);
    check(witness);
    for (const midend::dropped_edge& d : witness.dropped) {
      dropped_ += d.why == midend::drop_reason::assumed ? 0u : 1u;
    }
    merged_ += witness.merged.size();
  }

  void done(const midend::removal_witness& witness) { check(witness); }

  void done(const midend::replacement_witness& witness) { check(witness); }

  void done(const midend::memory_witness& witness) { check(witness); }

  void done(const midend::final_value_witness& witness) { check(witness); }

  void done(const dead_loops_witness& witness) { check(witness); }

  void done(const strength_witness& witness) { check(witness); }

  void done(const midend::interchange_witness& witness) { check(witness); }

  void done(const midend::collapse_witness& witness) { check(witness); }

  void done(const midend::condition_split_witness& witness) { check(witness); }

  void done(const motion_witness& witness) { check(witness); }

  void done(const midend::versioned_loops_witness& witness) {
    name_what_is_new(procedure_, witness.copies);
    check(witness);
  }

  void done(const untaken_exits_witness& witness) { check(witness); }

  void done(const implied_branches_witness& witness) {
    name_what_is_new(procedure_, witness.unfolding);
    check(witness);
  }

  /// The same for the result of a call that also returns its plan.
  template <class Result>
    requires requires(const Result& result) { result.plan; }
  void done(const Result& result) {
    done(result.witness);
    if constexpr (requires { midend::summary_text(result); }) {
      say(result);
    } else {
      say(result.plan);
    }
  }

  /// Applies a plan and keeps its words; `apply(plan)` returns the witness.
  template <class Plan, class Apply> void done_as_planned(const Plan& plan, Apply apply) {
    done(apply(plan));
    say(plan);
  }

  /// Keeps the words of a plan.
  template <class Plan> void say(const Plan& plan) {
    if constexpr (requires { midend::summary_text(plan); }) {
      append(report_.summary, report_.summary.empty() ? "" : "; ", midend::summary_text(plan));
    }
  }

  /// What the witnesses say, if no plan did.
  void finish() {
    if (report_.summary.empty()) {
      if (steps_ == 0) {
        report_.summary = "nothing to do";
      } else {
        append(report_.summary, steps_, steps_ == 1 ? " round" : " rounds");
      }
      if (dropped_ != 0) {
        append(report_.summary, ", ", dropped_, dropped_ == 1 ? " edge dropped" : " edges dropped");
      }
      if (merged_ != 0) {
        append(report_.summary, ", ", merged_, merged_ == 1 ? " node merged" : " nodes merged");
      }
    }
  }

private:
  template <class Witness> void check(const Witness& witness) {
    if (request_.certify && !report_.fault) {
      report_.fault = why_rejected(before_, procedure_, witness);
      before_ = procedure_;
      report_.is_certified = true;
    }
  }

  midend::elbrus::procedure& procedure_;
  E& editor_;
  const pass_request& request_;
  pass_report& report_;
  midend::elbrus::procedure before_; ///< the last step, if certificates are checked
  std::size_t steps_ = 0;            ///< with a witness of an unfolding
  std::size_t dropped_ = 0;
  std::size_t merged_ = 0;
};

/// A transformation as a pass. `apply(run)` gets a `transformation_run` and transforms `run.editor()`; it is called
/// with a plain and with a recording editor, and must be a lambda without captures.
template <class Apply> pass_kind transformation(std::string_view name, std::string_view summary, Apply) {
  const auto run = [](midend::elbrus::procedure& p, const pass_request& request, pass_report& report) {
    if (!request.record) {
      midend::elbrus::editor editor(p);
      transformation_run step(p, editor, request, report);
      Apply{}(step);
      step.finish();
      return;
    }
    const midend::elbrus::procedure before = p;
    midend::recording_editor<midend::elbrus::editor> editor(p);
    transformation_run step(p, editor, request, report);
    Apply{}(step);
    step.finish();
    report.changes += midend::to_text(editor.log(), edit_names(before, p));
  };
  return {name, summary, run, nullptr, variable_policy::refuses};
}

/// The same pass with a number as its option.
inline pass_kind with_number(pass_kind pass) {
  pass.takes_number = true;
  return pass;
}

/// The same pass with an option of another form; `help` is what stands in the list of passes after the colon.
inline pass_kind with_option(pass_kind pass, std::optional<std::size_t> (*read)(std::string_view),
                             std::string_view help, std::string_view form) {
  pass.read_option = read;
  pass.option_help = help;
  pass.option_form = form;
  return pass;
}

} // namespace midend_tool
