#include "unroll_pass.hpp"

#include "certificate.hpp"
#include "transformations.hpp"

#include <midend/adapters/llvm_cost.hpp>
#include <midend/adapters/llvm_determinate_counters.hpp>
#include <midend/adapters/llvm_editor.hpp>
#include <midend/adapters/llvm_unroll_metadata.hpp>
#include <midend/adapters/llvm_unrolling_view.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/loops/loop_forest.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/machine_file.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/transform/unroll_as_advised.hpp>
#include <midend/transform/unroll_loops.hpp>
#include <midend/transform/unroll_with_remainder.hpp>
#include <midend/transform/untaken_exits.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
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
using midend::remainder_request;
using midend::unrolling_request;
using midend::unrolling_shape;

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

/// What is asked of the two transformations. A loop is in one of the lists.
struct unrolling_requests {
  std::vector<unrolling_request> copies;
  std::vector<remainder_request> remainders;
  std::vector<loop_id> must; ///< among `remainders`: if there can be no remainder, each copy keeps its test

  bool empty() const { return copies.empty() && remainders.empty(); }
};

/// Decides what to do with the innermost loops of a function.
class loop_chooser {
public:
  loop_chooser(const unroll_pass_options& options, const llvm_editor& editor, const llvm_unrolling_view& view,
               const midend::loop_forest& loops)
      : options_(options), editor_(editor), view_(view), loops_(loops) {}

  unrolling_requests choose() {
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
      out_.copies.push_back({l, unrolling_shape::chain, options_.number + 1});
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
    if (const auto request = midend::unrolling_request_of(advice)) {
      if (request->copies > 1) {
        out_.copies.push_back(*request);
      }
      return request->copies > 1;
    }
    if (const auto request = midend::remainder_request_of(advice); request && options.allows_runtime) {
      out_.remainders.push_back(*request);
      return true;
    }
    return false;
  }

  void by_factor(loop_id l, std::uint32_t factor, const midend::unrolling_options& options) {
    const midend::unrolling_advice advice = advice_for(l, options);
    const bool counts = advice.obstacle == midend::unrolling_obstacle::none && !advice.counters.is_exact() &&
                        advice.counters.counted_exit != midend::no_body_value;
    if (counts && options.allows_runtime) {
      out_.remainders.push_back({l, factor});
      out_.must.push_back(l);
    } else if (factor > 1) {
      out_.copies.push_back({l, unrolling_shape::cycle, factor});
    }
  }

  void completely(loop_id l) {
    const midend::unrolling_advice advice = advice_for(l, {});
    if (advice.obstacle == midend::unrolling_obstacle::none) {
      const auto executions = advice.counters.trip.header_executions();
      if (executions && *executions <= limits.max_cloned) {
        // A loop that runs once has nothing to be copied; constants alone remove its backedge.
        out_.copies.push_back(
            {l, unrolling_shape::chain, static_cast<std::uint32_t>(std::max<std::uint64_t>(*executions, 2))});
      }
    }
  }

  midend::unrolling_advice advice_for(loop_id l, const midend::unrolling_options& options) {
    return midend::advise_unrolling(view_, loops_, l, options_.machine, options);
  }

  const unroll_pass_options& options_;
  const llvm_editor& editor_;
  const llvm_unrolling_view& view_;
  const midend::loop_forest& loops_;
  unrolling_requests out_;
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
    const bool is_determinate = make_determinate();
    add_remainders();
    copy();
    drop_exits();
    return is_determinate || changed_;
  }

private:
  /// A step that is checked afterwards.
  template <class Step> void certified(Step step) {
    certificate proof(f_, unroll_pass::pass_name, options_.verify);
    {
      llvm_editor editor(f_);
      step(editor, proof);
    }
    proof.check_function();
  }

  bool choose() {
    llvm_editor editor(f_);
    const auto found = midend::dominators_and_loops(editor.graph());
    if (found.loops.num_loops() == 0) {
      return false;
    }
    const llvm_unrolling_view view(editor);
    const unrolling_requests requests = loop_chooser(options_, editor, view, found.loops).choose();
    for (const unrolling_request& r : requests.copies) {
      copies_.push_back({editor.block(found.loops.header(r.loop)), r.shape, r.copies});
    }
    for (const remainder_request& r : requests.remainders) {
      remainders_.push_back(
          {editor.block(found.loops.header(r.loop)), r.factor, llvm::is_contained(requests.must, r.loop)});
    }
    return !requests.empty();
  }

  midend::remainder_plan plan_remainders(llvm_editor& editor, const llvm_unrolling_view& view) const {
    const auto found = midend::dominators_and_loops(editor.graph());
    std::vector<remainder_request> requests;
    for (const named_remainder& r : remainders_) {
      requests.push_back({found.loops.innermost_loop(editor.node(r.header)), r.factor});
    }
    return midend::plan_unroll_with_remainder(view, found.loops, requests, limits);
  }

  /// Freezes what guards will read. Loops whose counters cannot be frozen get no remainder.
  bool make_determinate() {
    if (remainders_.empty()) {
      return false;
    }
    std::optional<midend::llvm_determinate_counters> counters;
    {
      llvm_editor editor(f_);
      const llvm_unrolling_view view(editor);
      midend::remainder_plan plan = plan_remainders(editor, view);
      counters.emplace(view, plan);
      keep_remainders(editor, plan, {});
    }
    const bool changes = !counters->empty();
    counters->apply();
    return changes;
  }

  /// Loops that get no remainder, although they are to be unrolled, are copied.
  void keep_remainders(const llvm_editor& editor, const midend::remainder_plan& plan,
                       const midend::flat_array<midend::remainder_refusal>& refused) {
    std::vector<named_remainder> kept;
    for (const named_remainder& r : remainders_) {
      const midend::remainder_unrolling* found = nullptr;
      for (const midend::remainder_unrolling& x : plan.unrollings) {
        found = editor.block(plan.nodes[x.first_node]) == r.header ? &x : found;
      }
      const bool is_refused = found == nullptr || llvm::any_of(refused, [&](const midend::remainder_refusal& x) {
                                return x.loop == found->loop;
                              });
      if (!is_refused) {
        kept.push_back(r);
      } else if (r.must && r.factor > 1) {
        copies_.push_back({r.header, unrolling_shape::cycle, r.factor});
      }
    }
    remainders_ = kept;
  }

  void add_remainders() {
    if (remainders_.empty()) {
      return;
    }
    certified([&](llvm_editor& editor, certificate& proof) {
      const midend::remainder_plan plan = plan_remainders(editor, llvm_unrolling_view(editor));
      midend::flat_array<midend::remainder_refusal> refused;
      const midend::unfolding_witness witness = midend::apply_unroll_with_remainder(editor, plan, refused);
      changed_ = changed_ || !plan.empty();
      proof.check(editor, witness);
      keep_remainders(editor, plan, refused);
      for (const named_remainder& r : remainders_) {
        mark(editor, witness, r.header);
      }
    });
  }

  void copy() {
    if (copies_.empty()) {
      return;
    }
    certified([&](llvm_editor& editor, certificate& proof) {
      const auto found = midend::dominators_and_loops(editor.graph());
      std::vector<unrolling_request> requests;
      for (const named_copies& r : copies_) {
        requests.push_back({found.loops.innermost_loop(editor.node(r.header)), r.shape, r.copies});
      }
      const midend::unrolling_plan plan = midend::plan_unroll_loops(editor, found.loops, requests, limits);
      const midend::unfolding_witness witness = midend::apply_unroll_loops(editor, plan);
      changed_ = changed_ || !plan.empty();
      proof.check(editor, witness);
      for (const midend::loop_unrolling& x : plan.unrollings) {
        mark(editor, witness, editor.block(plan.nodes[x.first_node]));
      }
    });
  }

  /// Of a loop that was unrolled, and of its copies.
  static void mark(llvm_editor& editor, const midend::unfolding_witness& witness, const llvm::BasicBlock* header) {
    editor.finish(); // metadata moves to latches
    const auto now = midend::dominators_and_loops(editor.graph());
    for (const loop_id l : now.loops.loops()) {
      if (witness.node_origin[now.loops.header(l)] == editor.node(header)) {
        midend::disable_llvm_unrolling(editor, now.loops, l);
      }
    }
  }

  void drop_exits() {
    if (!changed_) {
      return;
    }
    certified([&](llvm_editor& editor, certificate& proof) {
      const auto found = midend::dominators_and_loops(editor.graph());
      const midend::untaken_exits_plan plan = midend::plan_untaken_exits(llvm_unrolling_view(editor), found.loops);
      const midend::unfolding_witness witness = midend::apply_untaken_exits(editor, plan);
      proof.check(editor, [&](const llvm_editor& before, const llvm_editor& after) {
        const midend::unfolding_verdict verdict = midend::verify_unfolding(before, after, witness);
        const auto untaken = midend::verify_untaken_exits(midend::llvm_cost(*before.block(0)->getParent()), witness);
        proof.require(untaken && untaken.proven >= verdict.assumed, "an exit that was dropped may be taken");
        return verdict;
      });
    });
  }

  struct named_copies {
    const llvm::BasicBlock* header;
    unrolling_shape shape;
    std::uint32_t copies;
  };

  struct named_remainder {
    const llvm::BasicBlock* header;
    std::uint32_t factor;
    bool must;
  };

  llvm::Function& f_;
  const unroll_pass_options& options_;
  std::vector<named_copies> copies_;
  std::vector<named_remainder> remainders_;
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
  for (const llvm::StringRef pass :
       {"midend-sccp", "midend-propagate-copies", "midend-vn", "midend-dce", "midend-clean-control"}) {
    add_transformation(pass, options.verify, clean_up_);
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
