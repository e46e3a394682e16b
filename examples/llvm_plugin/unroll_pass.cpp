#include "unroll_pass.hpp"

#include "certificate.hpp"
#include "clean_up_pass.hpp"

#include <midend/adapters/llvm_cost.hpp>
#include <midend/adapters/llvm_determinate_counters.hpp>
#include <midend/adapters/llvm_editor.hpp>
#include <midend/adapters/llvm_unroll_metadata.hpp>
#include <midend/adapters/llvm_unrolling_view.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/loops/loop_forest.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/machine_file.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/ssa/verify_sccp.hpp>
#include <midend/transform/plan_unroll_with_remainder.hpp>
#include <midend/transform/verify_untaken_exits.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/unrolling/apply_unrolling.hpp>
#include <midend/viz/machine.hpp>

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace {

using midend::llvm_editor;
using midend::llvm_unrolling_view;
using midend::loop_id;
using midend::node_id;
using midend::remainder_placement;
using midend::unrolling_form;
using midend::unrolling_kind;
using midend::unrolling_step;

/// Of what is copied in a function: a factor that is asked for may be large.
constexpr midend::unrolling_limits limits{.max_cloned = 16'384};

/// A machine that midend knows, or one of a file.
std::optional<midend::machine_model> machine_of(llvm::StringRef name) {
  if (name == "e2k_reference_v6") {
    return midend::e2k_reference_v6();
  }
  if (name == "e2k_guide_v4") {
    return midend::e2k_guide_v4();
  }
  if (name == "scalar_core") {
    return midend::scalar_core();
  }
  const auto file = llvm::MemoryBuffer::getFile(name, true);
  if (!file) {
    llvm::errs() << unroll_pass::pass_name << ": machine '" << name << "': " << file.getError().message() << "\n";
    return std::nullopt;
  }
  const llvm::StringRef text = (*file)->getBuffer();
  const auto read = midend::read_machine({text.data(), text.size()});
  if (!read) {
    llvm::errs() << midend::to_text(read.error(), name.str()) << "\n";
    return std::nullopt;
  }
  return *read;
}

using unrolling_orders = std::vector<midend::unrolling_order>;

/// Decides what to do with the innermost loops of a function, from what the function says about them.
class loop_chooser {
public:
  loop_chooser(const unroll_pass_options& options, const llvm_editor& editor, const llvm_unrolling_view& view,
               const midend::dominators_and_loops_result& found)
      : options_(options), editor_(editor), view_(view), loops_(found.loops), counter_(view, found.loops) {}

  unrolling_orders choose() {
    for (const loop_id l : loops_.loops()) {
      if (loops_.subloops(l).size() == 1) {
        choose(l);
      }
    }
    return out_;
  }

private:
  using choice = unroll_pass_options::choice;

  void choose(loop_id l) {
    const auto asked = midend::read_llvm_unroll_metadata(midend::llvm_loop_metadata(editor_, loops_, l));
    midend::unrolling_options advice;
    advice.allows_runtime = !asked.no_remainder;
    advice.remainder = options_.is_before ? remainder_placement::prologue : remainder_placement::epilogue;
    if (asked.is_disabled || (asked.only_forced && !asked.is_forced())) {
      return;
    }
    if (asked.factor != 0) {
      by_factor(l, asked.factor, advice);
    } else if (asked.is_full) {
      completely(l);
    } else if (options_.choose == choice::full) {
      completely(l);
    } else if (options_.choose == choice::factor) {
      by_factor(l, options_.number, advice);
    } else if (options_.choose == choice::peel) {
      out_.push_back({l, {unrolling_kind::peel, options_.number}});
    } else if (options_.choose == choice::peel_last) {
      if (advice.allows_runtime) {
        out_.push_back({l, {unrolling_kind::peel_last}});
      }
    } else if (asked.is_enabled) {
      advice.least_gain = {0, 1};
      if (!as_advised(l, advice)) {
        by_factor(l, 4, advice);
      }
    } else if (!editor_.block(loops_.header(l))->getParent()->hasOptSize()) {
      as_advised(l, advice);
    }
  }

  bool as_advised(loop_id l, const midend::unrolling_options& options) {
    const midend::unrolling_advice advice = advice_for(l, options);
    if (advice.obstacle != midend::unrolling_obstacle::none) {
      return false;
    }
    unrolling_form form = midend::unrolling_form_of(advice, advice.decision());
    if (form.num_copies() < 2 || (form.has_limit() && !options.allows_runtime)) {
      return false;
    }
    form.unrolls_remainder = form.unrolls_remainder || options_.unrolls_remainder;
    out_.push_back({l, form});
    return true;
  }

  void by_factor(loop_id l, std::uint32_t factor, const midend::unrolling_options& options) {
    if (factor < 2) {
      return;
    }
    const midend::unrolling_advice advice = advice_for(l, options);
    // Where nothing is compared with a counter, also none of more than 64 bits, the plan refuses a remainder.
    const bool may_count = advice.obstacle == midend::unrolling_obstacle::none && !advice.counts.is_exact();
    const auto exact =
        advice.obstacle == midend::unrolling_obstacle::none ? advice.counts.counted_iterations() : std::nullopt;
    if (exact && options_.is_before) {
      unrolling_form form = midend::partial_unrolling(factor, *exact, options.remainder, options.max_unrolled_rest);
      form.unrolls_remainder = form.unrolls_remainder || options_.unrolls_remainder;
      out_.push_back({l, form, true});
    } else if (may_count && options.allows_runtime) {
      out_.push_back({l, {unrolling_kind::partial, factor, options.remainder, options_.unrolls_remainder}, true});
    } else {
      out_.push_back({l, {unrolling_kind::partial, factor, remainder_placement::mid_exit}});
    }
  }

  void completely(loop_id l) {
    const midend::unrolling_advice advice = advice_for(l, {});
    if (advice.obstacle == midend::unrolling_obstacle::none) {
      const auto executions = advice.counts.trip.header_executions();
      if (executions && *executions <= limits.max_cloned) {
        // A loop that runs once has nothing to be copied; constants alone remove its backedge.
        out_.push_back(
            {l, {unrolling_kind::full, static_cast<std::uint32_t>(std::max<std::uint64_t>(*executions, 2))}});
      }
    }
  }

  midend::unrolling_advice advice_for(loop_id l, const midend::unrolling_options& options) {
    advice_options_ = options;
    midend::unrolling_advice advice;
    adviser_.advise(l, counter_, advice);
    return advice;
  }

  const unroll_pass_options& options_;
  const llvm_editor& editor_;
  const llvm_unrolling_view& view_;
  const midend::loop_forest& loops_;
  midend::loop_trip_counter<llvm_unrolling_view> counter_;
  midend::advise_unrolling_workspace workspace_;
  midend::unrolling_options advice_options_; ///< those of the loop that is advised on
  midend::unrolling_adviser<llvm_unrolling_view, midend::machine_model> adviser_{view_, loops_, options_.machine,
                                                                                 advice_options_, workspace_};
  unrolling_orders out_;
};

/// The steps. Each has an editor of its own, because its witness begins with the program before it; loops are named by
/// the blocks of their headers in between.
class unroller {
public:
  unroller(llvm::Function& f, const unroll_pass_options& options) : f_(f), options_(options) {}

  bool run() {
    if (!choose()) {
      return false;
    }
    bool is_determinate = false;
    for (const unrolling_step step :
         {unrolling_step::rest, unrolling_step::whole_passes, unrolling_step::copies, unrolling_step::untaken_exits}) {
      if (step == unrolling_step::rest || step == unrolling_step::whole_passes) {
        is_determinate = make_determinate(step) || is_determinate;
      }
      carry_out(step);
    }
    return is_determinate || changed_;
  }

private:
  /// Keeps the witness of a step.
  struct step_witness {
    void before(const llvm_editor&) {}

    void after(const llvm_editor&, unrolling_step, const midend::unfolding_witness& w) { witness = w; }

    std::optional<midend::unfolding_witness> witness;
  };

  static llvm_unrolling_view view_of(llvm_editor& editor) { return llvm_unrolling_view(editor); }

  bool choose() {
    llvm_editor editor(f_);
    const auto found = midend::dominators_and_loops(editor.graph());
    if (found.loops.num_loops() == 0) {
      return false;
    }
    const llvm_unrolling_view view(editor);
    for (const midend::unrolling_order& o : loop_chooser(options_, editor, view, found).choose()) {
      orders_.push_back(o);
      headers_.push_back(editor.block(found.loops.header(o.loop)));
    }
    state_ = midend::begin_unrolling(found.loops, orders_);
    return !orders_.empty();
  }

  /// Freezes what guards will read. Loops whose counters cannot be frozen get no remainder.
  bool make_determinate(unrolling_step step) {
    std::optional<midend::llvm_determinate_counters> counters;
    {
      llvm_editor editor(f_);
      const llvm_unrolling_view view(editor);
      const auto found = midend::dominators_and_loops(editor.graph());
      std::vector<midend::unrolling_request> requests;
      std::vector<std::size_t> origin;
      for (std::size_t i = 0; i != orders_.size(); ++i) {
        const std::optional<unrolling_form> form = midend::form_in_step(orders_[i].form, step);
        if (form && !state_.loops[i].no_remainder) {
          requests.push_back({found.loops.innermost_loop(editor.node(headers_[i])), *form});
          origin.push_back(i);
        }
      }
      if (requests.empty()) {
        return false;
      }
      midend::remainder_plan plan = midend::plan_unroll_with_remainder(view, found.loops, requests, limits);
      counters.emplace(view, plan);
      for (const midend::remainder_refusal& r : plan.refused) {
        for (std::size_t k = 0; k != requests.size(); ++k) {
          if (requests[k].loop == r.loop) {
            state_.loops[origin[k]].no_remainder = r;
          }
        }
      }
    }
    const bool changes = !counters->empty();
    counters->apply();
    return changes;
  }

  /// A step, which is checked afterwards.
  void carry_out(unrolling_step step) {
    certificate proof(f_, unroll_pass::pass_name, options_.verify);
    {
      llvm_editor editor(f_);
      for (std::size_t i = 0; i != headers_.size(); ++i) {
        state_.loops[i].header = editor.node(headers_[i]);
      }
      step_witness kept;
      const auto counts_of = [](const auto& view, const auto&, const auto& loops) {
        return midend::loop_trip_counter(view, loops);
      };
      midend::apply_unrolling_step(editor, step, orders_, state_, view_of, limits, kept, counts_of);
      if (kept.witness && midend::has_assumptions(*kept.witness)) {
        check_untaken(editor, proof, *kept.witness);
      } else if (kept.witness) {
        proof.check(editor, *kept.witness);
      }
      if (kept.witness && step != unrolling_step::untaken_exits) {
        changed_ = true;
        mark(editor, *kept.witness, step);
      }
    }
    proof.check_function();
  }

  /// Loops that were unrolled, and their copies.
  void mark(llvm_editor& editor, const midend::unfolding_witness& witness, unrolling_step step) {
    editor.finish(); // metadata moves to latches
    const auto now = midend::dominators_and_loops(editor.graph());
    for (const loop_id l : now.loops.loops()) {
      const node_id origin = witness.node_origin[now.loops.header(l)];
      for (std::size_t i = 0; i != headers_.size(); ++i) {
        const bool has_rest =
            step == unrolling_step::rest && orders_[i].form.is_prologue() && !state_.loops[i].no_remainder;
        if ((state_.loops[i].is_unrolled || has_rest) && origin == editor.node(headers_[i])) {
          midend::disable_llvm_unrolling(editor, now.loops, l);
        }
      }
    }
  }

  static void check_untaken(const llvm_editor& editor, certificate& proof, const midend::unfolding_witness& witness) {
    proof.check(editor, [&](const llvm_editor& before, const llvm_editor& after) {
      midend::unfolding_verdict verdict = midend::verify_unfolding(before, after, witness);
      const midend::llvm_cost view(*before.block(0)->getParent());
      const auto found = midend::dominators_and_loops(view.graph());
      midend::loop_trip_counter counter(view, found.loops);
      proof.require_none(midend::verify_sccp_with_branch_facts(counter.program(), counter.facts()), before);
      const auto untaken = midend::verify_untaken_exits(view, after.graph(), witness, counter);
      proof.require(untaken && untaken.proven >= verdict.assumed, "an exit that was dropped may be taken");
      verdict.assumed = 0;
      return verdict;
    });
  }

  llvm::Function& f_;
  const unroll_pass_options& options_;
  unrolling_orders orders_;
  std::vector<const llvm::BasicBlock*> headers_; ///< of the old loops, by order
  midend::applied_unrollings state_;
  bool changed_ = false;
};

} // namespace

bool unroll_pass_options::read(llvm::StringRef text) {
  machine = midend::e2k_reference_v6();
  llvm::SmallVector<llvm::StringRef> entries;
  text.split(entries, ';', -1, false);
  for (llvm::StringRef entry : entries) {
    if (entry == "verify") {
      verify = true;
    } else if (entry == "full") {
      choose = choice::full;
    } else if (entry == "prologue") {
      is_before = true;
    } else if (entry == "unrolled-remainder") {
      unrolls_remainder = true;
    } else if (entry == "as-written") {
      cleans_up = false;
    } else if (entry == "peel=last") {
      choose = choice::peel_last;
    } else if (entry == "peel") {
      choose = choice::peel;
      number = 1;
    } else if (entry.consume_front("peel=")) {
      choose = choice::peel;
      if (entry.getAsInteger(10, number) || number == 0 || number > 0xffff) {
        return false;
      }
    } else if (entry.consume_front("factor=")) {
      choose = choice::factor;
      if (entry.getAsInteger(10, number) || number < 2 || number > 0xffff) {
        return false;
      }
    } else if (entry.consume_front("machine=")) {
      const auto found = machine_of(entry);
      if (!found) {
        return false;
      }
      machine = *found;
    } else {
      return false;
    }
  }
  return true;
}

unroll_pass::unroll_pass(const unroll_pass_options& options) : options_(options) {
  if (options.cleans_up) {
    clean_up_.addPass(clean_up_pass(options.verify));
  }
}

llvm::PreservedAnalyses unroll_pass::run(llvm::Function& f, llvm::FunctionAnalysisManager& analyses) {
  if (!unroller(f, options_).run()) {
    return llvm::PreservedAnalyses::all();
  }
  analyses.invalidate(f, llvm::PreservedAnalyses::none());
  clean_up_.run(f, analyses);
  return llvm::PreservedAnalyses::none();
}
