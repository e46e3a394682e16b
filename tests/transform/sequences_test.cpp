// Random sequences of all transformations on random programs: certificates, verifier and runs.
#include "kit/run_low_level.hpp"
#include "kit/run_text.hpp"
#include "transform/unfolding_checks.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/views.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/apply_value_numbering.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/sccp_plan.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/ssa/value_numbering_plan.hpp>
#include <midend/ssa/verify_congruence.hpp>
#include <midend/ssa/verify_sccp.hpp>
#include <midend/transform.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

/// A procedure that is being transformed, step by step. What is transformed through `u()` shares a witness until
/// `certify()`; steps with certificates of their own end it before.
class certified_procedure {
public:
  certified_procedure(elbrus::procedure& p, random_source& source)
      : random(source), procedure_(p), editor_(p), before_(p) {}

  midend::unfolding<elbrus::editor>& u() {
    if (!unfolding_) {
      before_ = procedure_;
      unfolding_.emplace(editor_);
    }
    return *unfolding_;
  }

  /// Checks what was done since the last time.
  void certify() {
    if (unfolding_) {
      check(certificate(before_, procedure_, unfolding_->witness()));
      unfolding_.reset();
    }
  }

  /// A step without a shared witness.
  elbrus::editor& alone() {
    certify();
    before_ = procedure_;
    return editor_;
  }

  /// The answer about what such a step is derived from.
  template <class Error> void check_facts(const Error& error) {
    if (error && fault.empty()) {
      fault = "wrong facts: fault " + std::to_string(static_cast<int>(error.fault)) + ", value " +
              std::to_string(error.value);
    }
  }

  /// The answer to the certificate of such a step, which may be followed by another one.
  template <class Verdict> void check(const Verdict& verdict) {
    if (!verdict && fault.empty()) {
      fault = "rejected: fault " + std::to_string(static_cast<int>(verdict.fault)) + ", node " +
              std::to_string(verdict.node) + ", value " + std::to_string(verdict.value) + "\n" +
              elbrus::to_text(before_) + elbrus::to_text(procedure_);
    }
    before_ = procedure_;
  }

  const elbrus::procedure& before() const { return before_; }

  elbrus::procedure& procedure() { return procedure_; }

  random_source& random;
  std::string fault;

private:
  elbrus::procedure& procedure_;
  elbrus::editor editor_;
  elbrus::procedure before_; ///< the program for which the witness begins
  std::optional<midend::unfolding<elbrus::editor>> unfolding_;
};

struct step_kind {
  std::string_view name;
  void (*apply)(certified_procedure&);
};

void simplify(certified_procedure& p) {
  const auto found = midend::dominators_and_loops(p.procedure());
  const auto plan = midend::plan_simplify_loops(p.u().program(), found.dominators, found.loops);
  midend::apply_simplify_loops(p.u(), plan);
}

void separate(certified_procedure& p) {
  const auto found = midend::dominators_and_loops(p.procedure());
  midend::apply_separate_loops(p.u(), midend::plan_separate_loops(p.u().program(), found.loops));
}

void close(certified_procedure& p) {
  simplify(p);
  const auto found = midend::dominators_and_loops(p.procedure());
  midend::apply_close_loops(p.u(), midend::plan_close_loops(p.u().program(), found.dominators, found.loops),
                            found.dominators, found.loops);
}

void rotate(certified_procedure& p) {
  if (!p.random.one_in(3)) {
    simplify(p);
  }
  const auto found = midend::dominators_and_loops(p.procedure());
  const midend::rotation_options options{.max_operations = p.random.below(12)};
  midend::apply_rotate_loops(p.u(), midend::plan_rotate_loops(p.u().program(), found.loops, options));
}

void split(certified_procedure& p) {
  midend::apply_split_critical_edges(p.u(), midend::plan_split_critical_edges(p.u().program()));
}

void fix(certified_procedure& p) {
  const midend::irreducible_options options{.method = static_cast<midend::irreducible_method>(p.random.below(3)),
                                            .max_cloned = 60};
  const auto& g = p.procedure();
  midend::apply_fix_irreducible(
      p.u(), midend::plan_fix_irreducible(p.u().program(), midend::dominators(g), midend::cycles(g), options));
}

void unify(certified_procedure& p) {
  const auto found = midend::dominators_and_loops(p.procedure());
  midend::apply_unify_loop_exits(p.u(), midend::plan_unify_loop_exits(p.u().program(), found.loops));
}

void clean(certified_procedure& p) {
  midend::clean_control(p.alone(), [&](const midend::unfolding_witness& w) {
    p.check(certificate(p.before(), p.procedure(), w)); // a witness for each round
  });
}

void remove_dead(certified_procedure& p) {
  const midend::removal_witness w = midend::remove_dead_code(p.alone());
  p.check(midend::verify_removal(elbrus::effect_view(p.before()), elbrus::effect_view(p.procedure()), w));
}

void propagate(certified_procedure& p) {
  const midend::replacement_witness w = midend::propagate_copies(p.alone());
  p.check(midend::verify_replacement(elbrus::effect_view(p.before()), elbrus::effect_view(p.procedure()), w));
}

void hoist(certified_procedure& p) {
  if (p.random.one_in(2)) {
    simplify(p);
  }
  midend::hoist_invariants(p.alone());
  p.check(midend::verify_motion(elbrus::effect_view(p.before()), elbrus::effect_view(p.procedure())));
}

/// Makes literals of conditions. Certificates are about the facts; the change is checked by runs alone.
void propagate_constants(certified_procedure& p) {
  elbrus::editor& editor = p.alone();
  const elbrus::semantic_view view(p.procedure());
  const auto found = midend::sccp(view, midend::number_domain());
  p.check_facts(midend::verify_sccp(view, found));
  midend::apply_sccp(editor, midend::plan_sccp(view, found));
}

/// The same for equal values.
void number_values(certified_procedure& p) {
  elbrus::editor& editor = p.alone();
  const elbrus::cost_view view(p.procedure());
  const auto found = midend::value_numbering(view, midend::number_domain());
  p.check_facts(midend::verify_congruence(view, found));
  midend::apply_value_numbering(editor, midend::plan_value_numbering(view, found));
}

/// Without a certificate: checked by the verifier and by runs.
void low_level(certified_procedure& p) {
  static_cast<void>(p.alone());
  static_cast<void>(run_low_level(p.procedure()));
  for (const elbrus::diagnostic& error : elbrus::verify(p.procedure())) {
    p.fault = p.fault.empty() ? error.message : p.fault;
  }
}

/// Not for use, but it makes flow and phis that no front end makes.
void unfold(certified_procedure& p) {
  if (p.procedure().num_nodes() < 60) { // nodes are doubled
    if (!p.u().witness().dropped.empty()) {
      p.certify(); // the new phis may be in cycles, in which the checker no longer sees why a branch was decided
    }
    unfold_at_random(p.procedure(), p.u(), p.random);
  }
}

/// Random loops, random numbers of copies; then exits that are never taken, which has a witness of its own.
void unroll(certified_procedure& p) {
  const auto loops = midend::dominators_and_loops(p.procedure()).loops;
  std::vector<midend::unrolling_request> requests;
  for (const midend::loop_id l : loops.loops()) {
    if (p.random.one_in(2)) {
      const auto kind = p.random.one_in(2) ? midend::unrolling_kind::partial : midend::unrolling_kind::full;
      requests.push_back({l, {kind, 2 + p.random.below(3)}});
    }
  }
  midend::apply_unroll_loops(p.u(), midend::plan_unroll_loops(p.u().program(), loops, requests, {.max_cloned = 300}));
}

void drop_exits(certified_procedure& p) {
  elbrus::editor& editor = p.alone();
  const elbrus::cost_view view(p.procedure());
  const midend::unfolding_witness w = midend::apply_untaken_exits(
      editor, midend::plan_untaken_exits(view, midend::dominators_and_loops(p.procedure()).loops));
  const auto untaken = midend::verify_untaken_exits(elbrus::cost_view(p.before()), w);
  if (!untaken && p.fault.empty()) {
    p.fault = "an exit that may be taken: edge " + std::to_string(untaken.edge) + "\n" + elbrus::to_text(p.before());
  }
  p.check(certificate(p.before(), p.procedure(), w));
}

constexpr std::array<step_kind, 17> steps = {{
    {"simplify_loops", simplify},
    {"separate_loops", separate},
    {"close_loops", close},
    {"rotate_loops", rotate},
    {"split_critical_edges", split},
    {"fix_irreducible", fix},
    {"unify_loop_exits", unify},
    {"clean_control", clean},
    {"remove_dead_code", remove_dead},
    {"propagate_copies", propagate},
    {"hoist_invariants", hoist},
    {"sccp", propagate_constants},
    {"unroll_loops", unroll},
    {"drop_untaken_exits", drop_exits},
    {"value_numbering", number_values},
    {"low_level_package", low_level},
    {"unfold_at_random", unfold},
}};

/// All of 100 000 programs where tests are not shortened on purpose.
constexpr std::size_t many(std::size_t count) {
#if defined(MIDEND_UNSHORTENED_TESTS)
  static_cast<void>(count);
  return 100'000;
#else
  return count;
#endif
}

random_program_options any_flow() {
  random_program_options options = all_flow();
  options.endless = true;
  options.traps = true;
  options.known = 30;
  return options;
}

/// Transforms all procedures of random programs: `choose(i, random)` is the kind of step `i`, or null at the end.
/// One in two procedures has a certificate for each step, the others one for as many steps as possible.
template <class Choose> void check_on_random_programs(std::size_t count, const Choose& choose) {
  comparison_counts runs;
  std::size_t changed = 0;
  for_each_random_program(count, any_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program all = in_ssa_form(g);
    random_source random(seed);
    std::string names;
    for (elbrus::procedure& p : all.procedures) {
      const elbrus::procedure original = p;
      certified_procedure stepwise(p, random);
      const bool shares = random.one_in(2);
      std::size_t i = 0;
      for (const step_kind* step = choose(i, random); step != nullptr && stepwise.fault.empty();
           step = choose(++i, random)) {
        names += std::string(names.empty() ? "" : ", ") + std::string(step->name);
        step->apply(stepwise);
        if (!shares) {
          stepwise.certify();
        }
      }
      stepwise.certify();
      CHECK_MESSAGE(stepwise.fault.empty(), "seed ", seed, " after ", names, ": ", stepwise.fault);
      changed += elbrus::equal(original, p) ? 0u : 1u;
    }
    const std::string wrong = why_wrong(g, all, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, " after ", names, ": ", wrong);
  });
  MESSAGE(affordable(count), " programs, ", changed, " procedures changed; ", runs.same, " runs the same, ",
          runs.no_verdict, " without verdict");
  CHECK(changed > affordable(count) / 50);
  CHECK(runs.same > affordable(count));
}

} // namespace

TEST_CASE("sequences of transformations") {
  check_on_random_programs(many(250), [](std::size_t i, random_source& random) -> const step_kind* {
    const bool ends = i == 8 || (i != 0 && random.one_in(6));
    return ends ? nullptr : &steps[random.below(steps.size())];
  });
}

TEST_CASE("the low-level package after the transformations before it") {
  check_on_random_programs(many(150), [](std::size_t i, random_source& random) -> const step_kind* {
    constexpr void (*forms[])(certified_procedure&) = {simplify, close, rotate, unify};
    constexpr void (*order[])(certified_procedure&) = {nullptr, propagate_constants, number_values, unroll, low_level};
    const auto wanted = i == 0 ? forms[random.below(4)] : i < 5 ? order[i] : nullptr;
    for (const step_kind& step : steps) {
      if (wanted != nullptr && step.apply == wanted) {
        return &step;
      }
    }
    return nullptr;
  });
}

TEST_CASE("transformations on unfolded programs, one by one") {
  for (const step_kind& step : steps) {
    CAPTURE(step.name);
    check_on_random_programs(many(25), [&](std::size_t i, random_source& random) -> const step_kind* {
      return i == 0 && random.one_in(2) ? &steps.back() : i < 2 ? &step : nullptr;
    });
  }
}
