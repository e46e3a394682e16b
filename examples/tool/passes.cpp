#include "passes.hpp"

#include "loop_package_tool.hpp"
#include "package_tool.hpp"
#include "sccp_tool.hpp"
#include "text.hpp"
#include "transformation_pass.hpp"
#include "value_numbering_tool.hpp"

#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verify_ssa_construction.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/package/memory_redundancy.hpp>
#include <midend/ssa/facts_of_numbers.hpp>
#include <midend/transform.hpp>
#include <midend/transform/collapse.hpp>
#include <midend/transform/condition_split.hpp>
#include <midend/transform/index_split.hpp>
#include <midend/transform/interchange.hpp>
#include <midend/transform/loop_versioning.hpp>
#include <midend/transform/peel_by_profile.hpp>
#include <midend/transform/reduce_strength.hpp>
#include <midend/transform/remove_dead_loops.hpp>
#include <midend/transform/replace_final_values.hpp>
#include <midend/transform/unswitch.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/unrolling/apply_unrolling.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace midend_tool {
namespace {

using midend::elbrus::procedure;
using midend::elbrus::ssa_algorithm;

template <ssa_algorithm algorithm> void construct_ssa(procedure& p, const pass_request& request, pass_report& report) {
  std::vector<std::string> variables; // they will be gone
  for (const midend::value_id v : p.variables()) {
    variables.emplace_back(p.value_name(v));
  }
  const procedure before = request.certify ? p : procedure();
  const midend::inserted_phis done = midend::elbrus::construct_ssa(p, algorithm);
  if (request.certify) {
    report.fault = why_rejected(before, p, midend::elbrus::verify_ssa_construction(before, p));
    report.is_certified = true;
  }
  append(report.summary, variables.size(), " variables, ", done.num_phis(), " phis, ",
         done.undefined_variables().size(), " variables perhaps read before they are written");
  if (request.record) {
    midend::elbrus::procedure_text text(p);
    for (const midend::variable_phi& phi : done.phis()) {
      append(report.changes, "insert phi ", text.value(phi.value), " of $", variables[phi.variable], " in ",
             text.node(p.value(phi.value).node), "\n");
    }
    for (const midend::variable_id x : done.undefined_variables()) {
      append(report.changes, "$", variables[x], " is undefined where it may be read before it is written\n");
    }
  }
}

template <class Domain> pass_kind sccp_pass(std::string_view name, std::string_view summary) {
  return {name, summary, sccp_tool<Domain>::run, sccp_tool<Domain>::append_explanation, variable_policy::ignores};
}

template <class Domain> pass_kind value_numbering_pass(std::string_view name, std::string_view summary) {
  using tool = value_numbering_tool<Domain>;
  pass_kind pass{name, summary, tool::run, tool::append_explanation, variable_policy::refuses};
  pass.compare = tool::append_comparison;
  return pass;
}

using unrolling_orders = std::vector<midend::unrolling_order>;

constexpr std::uint32_t most_copies = 0xffff;

constexpr std::size_t before_loop = most_copies + 1; ///< flags in the option of `unroll`, above the factor
constexpr std::size_t unrolled_rest = 2 * before_loop;
constexpr std::size_t completely = 4 * before_loop;
constexpr std::size_t as_written = 8 * before_loop;

/// The option of `unroll`: a factor or `full`, `prologue`, `unrolled-remainder` and `as-written`, with a + between
/// them.
std::optional<std::size_t> unrolling_option(std::string_view text) {
  std::size_t option = 0;
  while (true) {
    const std::size_t end = std::min(text.find('+'), text.size());
    const std::string_view word = text.substr(0, end);
    std::size_t number = 0;
    if (word == "prologue") {
      option |= before_loop;
    } else if (word == "unrolled-remainder") {
      option |= unrolled_rest;
    } else if (word == "full") {
      option |= completely;
    } else if (word == "as-written") {
      option |= as_written;
    } else if (const auto [stopped, error] = std::from_chars(word.data(), word.data() + word.size(), number);
               error != std::errc() || stopped != word.data() + word.size()) {
      return std::nullopt;
    } else if ((option & most_copies) != 0 || number == 0) { // a second factor, or none
      return std::nullopt;
    } else {
      option |= std::min<std::size_t>(number, most_copies);
    }
    if (end == text.size()) {
      const bool is_two_ways =
          (option & completely) != 0 && (option & (most_copies | before_loop | unrolled_rest)) != 0;
      return is_two_ways ? std::nullopt : std::optional(option);
    }
    text.remove_prefix(end + 1);
  }
}

/// All innermost loops.
unrolling_orders every_loop(const midend::loop_forest& loops, const midend::unrolling_form& form) {
  unrolling_orders orders;
  for (const midend::loop_id l : loops.loops()) {
    if (loops.subloops(l).size() == 1) {
      orders.push_back({l, form});
    }
  }
  return orders;
}

/// What the advice for the reference machine decides, or for a factor what it implies. A loop that can have no
/// remainder gets copies.
unrolling_orders advised(const midend::elbrus::cost_view& view, const midend::dominators_and_loops_result& found,
                         std::size_t option) {
  const midend::loop_forest& loops = found.loops;
  const midend::machine_model machine = midend::e2k_reference_v6();
  const auto factor = static_cast<std::uint32_t>(option & most_copies);
  const bool is_before = (option & before_loop) != 0;
  midend::unrolling_options options;
  options.remainder = is_before ? midend::remainder_placement::prologue : midend::remainder_placement::epilogue;
  midend::loop_trip_counter counter(view, loops);
  midend::advise_unrolling_workspace workspace;
  midend::unrolling_adviser adviser(view, loops, machine, options, workspace);
  midend::unrolling_advice advice;
  unrolling_orders orders;
  for (const midend::loop_id l : loops.loops()) {
    adviser.advise(l, counter, advice);
    const bool is_read = advice.obstacle == midend::unrolling_obstacle::none;
    midend::unrolling_form form;
    if (factor == 0) {
      form = is_read ? midend::unrolling_form_of(advice, advice.decision()) : form;
    } else if (loops.subloops(l).size() == 1) {
      const bool counts = is_read && !advice.counts.is_exact() && advice.counts.compares_counter;
      const auto exact = is_read ? advice.counts.counted_iterations() : std::nullopt;
      form = exact && is_before
                 ? midend::partial_unrolling(factor, *exact, options.remainder, options.max_unrolled_rest)
                 : midend::unrolling_form{midend::unrolling_kind::partial, factor,
                                          counts ? options.remainder : midend::remainder_placement::mid_exit};
    }
    form.unrolls_remainder = form.unrolls_remainder || (option & unrolled_rest) != 0;
    if (form.kind != midend::unrolling_kind::none) {
      orders.push_back({l, form, true});
    }
  }
  return orders;
}

/// Loops whose trip count is known, exactly or at most.
unrolling_orders unrolled_completely(const midend::elbrus::cost_view& view,
                                     const midend::dominators_and_loops_result& found) {
  const midend::loop_trip_counter counter(view, found.loops);
  unrolling_orders orders;
  for (const midend::loop_id l : found.loops.loops()) {
    if (found.loops.subloops(l).size() == 1) {
      const auto executions = counter.evolutions().trips(l).count.header_executions();
      if (executions && *executions <= 0xffff'ffff) {
        orders.push_back({l, {midend::unrolling_kind::full, static_cast<std::uint32_t>(*executions)}});
      }
    }
  }
  return orders;
}

/// Names, certifies and reports each step.
template <class Run> class unrolling_steps {
public:
  explicit unrolling_steps(Run& run) : run_(run) {}

  template <class Plan> void planned(const Plan& plan) { run_.say(plan); }

  template <class E> void before(const E&) {}

  template <class E> void after(const E&, midend::unrolling_step step, const midend::unfolding_witness& witness) {
    is_any_ = true;
    if (step == midend::unrolling_step::untaken_exits || midend::has_assumptions(witness)) {
      run_.done(untaken_exits_witness{witness});
    } else {
      run_.done(witness);
    }
  }

  bool is_any() const { return is_any_; }

private:
  Run& run_;
  bool is_any_ = false;
};

/// Unrolls what `choose(view, dominators_and_loops)` orders. What the function says about the loops is used to drop
/// exits.
template <class Run, class Choose> void unroll(Run& run, Choose choose) {
  auto& editor = run.editor();
  const auto view_of = [](const auto& e) { return midend::elbrus::cost_view(e.graph()); };
  const auto found = midend::dominators_and_loops(editor.graph());
  const unrolling_orders orders = choose(view_of(editor), found);
  const auto counts_of = [](const auto& view, const auto&, const auto& loops) {
    return midend::loop_trip_counter(view, loops);
  };
  unrolling_steps<Run> steps(run);
  midend::apply_unrolling(editor, found.loops, orders, view_of, {}, steps, counts_of);
  if (!steps.is_any()) { // that nothing has changed is checked, too
    midend::unrolling_plan nothing;
    nothing.epoch = midend::graph_epoch(editor.graph());
    run.done(untaken_exits_witness{midend::apply_unroll_loops(editor, nothing)});
  }
}

/// Unrolls, and cleans up if anything was unrolled, with the costs of the machine whose advice it was.
void unroll_and_clean_up(procedure& p, const pass_request& request, pass_report& report) {
  static const pass_kind copies = transformation("unroll", "", [](auto& run) {
    const std::size_t option = run.number().value_or(0);
    unroll(run, [&](const auto& view, const auto& found) {
      return (option & completely) != 0 ? unrolled_completely(view, found) : advised(view, found, option);
    });
  });
  const std::uint64_t before = midend::graph_epoch(p);
  copies.run(p, request, report);
  if (midend::graph_epoch(p) != before && (request.number.value_or(0) & as_written) == 0) {
    clean_up(p, {std::nullopt, request.certify, request.record}, report);
  }
}

/// Loops are numbered from 1, outer ones before those inside, as `--print=loops` lists them.
midend::loop_id loop_by_number(std::optional<std::size_t> number) {
  return number && *number != 0 && *number < midend::no_loop ? static_cast<midend::loop_id>(*number - 1)
                                                             : midend::no_loop;
}

} // namespace

const std::vector<pass_kind>& pass_kinds() {
  static const std::vector<pass_kind> kinds = {
      {"construct-ssa", "turn variables into values: pruned SSA form",
       construct_ssa<ssa_algorithm::dominance_frontiers>},
      {"construct-ssa:on-the-fly", "the same by the algorithm of Braun et al.",
       construct_ssa<ssa_algorithm::on_the_fly>},
      with_option(
          {"sccp", "replace values that are always the same by constants, remove dead nodes", sccp_with,
           sccp_tool<midend::flat_domain<>>::append_explanation, variable_policy::ignores},
          sccp_option, "DOMAIN+branch-facts+any-undef",
          "a domain (flat, interval, known-bits, product, strided), branch-facts, any-undef, or several of them "
          "with +"),
      sccp_pass<midend::interval_domain>("sccp:interval", "the same, with value ranges"),
      sccp_pass<midend::known_bits_domain>("sccp:known-bits", "the same, with known bits"),
      sccp_pass<midend::number_domain>("sccp:product", "the same, with value ranges and known bits"),
      sccp_pass<midend::strided_interval_domain>("sccp:strided", "the same, with value ranges and remainders"),
      value_numbering_pass<midend::flat_domain<>>("value-numbering",
                                                  "replace values by equal ones and by constants, remove dead nodes"),
      value_numbering_pass<midend::interval_domain>("value-numbering:interval", "the same, with value ranges"),
      value_numbering_pass<midend::known_bits_domain>("value-numbering:known-bits", "the same, with known bits"),
      value_numbering_pass<midend::number_domain>("value-numbering:product",
                                                  "the same, with value ranges and known bits"),
      value_numbering_pass<midend::strided_interval_domain>("value-numbering:strided",
                                                            "the same, with value ranges and remainders"),
      transformation("separate-loops", "give loops that share a header headers of their own",
                     [](auto& run) {
                       const auto found = midend::dominators_and_loops(run.editor().graph());
                       run.done_as_planned(
                           midend::plan_separate_loops(run.editor(), found.loops),
                           [&](const auto& plan) { return midend::apply_separate_loops(run.editor(), plan); });
                     }),
      transformation("simplify-loops", "give each loop a preheader, a single latch and dedicated exits",
                     [](auto& run) { run.done(midend::simplify_loops(run.editor())); }),
      transformation("close-loops", "read values of a loop outside only by phis in its exits (LCSSA); simplify first",
                     [](auto& run) { run.done(midend::close_loops(run.editor())); }),
      with_number(transformation("rotate", "test in the latch, after a guard; copy headers of at most N operations",
                                 [](auto& run) {
                                   midend::rotation_options options;
                                   options.max_operations = run.number().value_or(options.max_operations);
                                   run.done(midend::rotate_loops(run.editor(), options));
                                 })),
      with_option({"unroll",
                   "unroll innermost loops as advised, by N, or completely, and clean up; see docs/unrolling.md",
                   unroll_and_clean_up, nullptr, variable_policy::refuses},
                  unrolling_option, "N+prologue",
                  "a factor or full, prologue, unrolled-remainder, as-written, or several of them with +"),
      with_number(transformation("peel", "copy one iteration, or N, of each innermost loop before it",
                                 [](auto& run) {
                                   unroll(run, [&](const auto&, const auto& found) {
                                     const std::size_t number = run.number().value_or(1);
                                     return every_loop(found.loops, {midend::unrolling_kind::peel,
                                                                     static_cast<std::uint32_t>(
                                                                         std::min<std::size_t>(number, 0xffff'ffff))});
                                   });
                                 })),
      transformation("peel:last", "run the last iteration of each innermost loop that counts in a copy after it",
                     [](auto& run) {
                       unroll(run, [&](const auto&, const auto& found) {
                         return every_loop(found.loops, {midend::unrolling_kind::peel_last});
                       });
                     }),
      transformation("peel:profile", "copy iterations of loops that the profile seldom sees run longer before them",
                     [](auto& run) {
                       const midend::elbrus::cost_view view(run.editor().graph());
                       const auto found = midend::dominators_and_loops(run.editor().graph());
                       const midend::peeling_plan plan = midend::plan_peel_by_profile(view, found.loops);
                       run.done(midend::apply_unroll_loops(
                           run.editor(), midend::plan_unroll_loops(run.editor(), found.loops, plan.requests)));
                       run.say(plan);
                     }),
      with_number(transformation(
          "unswitch", "decide branches on invariants before loops, in copies of up to N operations",
          [](auto& run) {
            midend::unswitch_limits limits;
            limits.max_cloned = run.number().value_or(limits.max_cloned);
            const auto found = midend::dominators_and_loops(run.editor().graph());
            run.done_as_planned(midend::plan_unswitch(run.editor(), found.loops, limits),
                                [&](const auto& plan) { return midend::apply_unswitch(run.editor(), plan); });
          })),
      with_number(transformation(
          "split-index", "run loops that compare their counter before and after that bound in two copies",
          [](auto& run) {
            midend::index_split_limits limits;
            limits.max_cloned = run.number().value_or(limits.max_cloned);
            const midend::elbrus::cost_view view(run.editor().graph());
            const auto found = midend::dominators_and_loops(run.editor().graph());
            midend::index_split_plan plan;
            {
              const midend::loop_trip_counter counter(view, found.loops);
              plan = midend::plan_index_split(view, found.loops, counter.evolutions(), limits);
            }
            run.done_as_planned(plan, [&](const auto& p) { return midend::apply_index_split(run.editor(), p); });
          })),
      with_number(transformation(
          "version-loops",
          "compare addresses before loops, and run copies of up to N operations where accesses do not meet",
          [](auto& run) {
            midend::loop_versioning_limits limits;
            limits.max_cloned = run.number().value_or(limits.max_cloned);
            const midend::elbrus::cost_view view(run.editor().graph());
            const auto flow = midend::dominators_and_loops(run.editor().graph());
            const auto facts = midend::facts_of_numbers(view);
            const midend::span<const midend::number_facts> known(facts.data(), facts.size());
            run.done_as_planned(midend::plan_loop_versioning(view, flow.dominators, flow.loops,
                                                             midend::evolutions(view, flow.loops, known), known,
                                                             limits),
                                [&](const auto& plan) { return midend::apply_loop_versioning(run.editor(), plan); });
          })),
      with_number(transformation("interchange",
                                 "exchange two nested loops, all pairs where that is legal or the one around which is "
                                 "loop N",
                                 [](auto& run) {
                                   const midend::elbrus::cost_view view(run.editor().graph());
                                   const auto flow = midend::dominators_and_loops(run.editor().graph());
                                   const auto facts = midend::facts_of_numbers(view);
                                   const midend::span<const midend::number_facts> known(facts.data(), facts.size());
                                   midend::interchange_options options;
                                   options.only = loop_by_number(run.number());
                                   run.done_as_planned(
                                       midend::plan_interchange(view, flow, midend::evolutions(view, flow.loops, known),
                                                                known, options),
                                       [&](const auto& plan) { return midend::apply_interchange(run.editor(), plan); });
                                 })),
      with_number(transformation(
          "split-by-condition", "run the arms of a branch in loops of their own, in chunks of N iterations",
          [](auto& run) {
            const midend::elbrus::cost_view view(run.editor().graph());
            const auto flow = midend::dominators_and_loops(run.editor().graph());
            const auto facts = midend::facts_of_numbers(view);
            const midend::span<const midend::number_facts> known(facts.data(), facts.size());
            midend::condition_split_options options;
            options.chunk = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(std::max<std::uint64_t>(run.number().value_or(options.chunk), 1), 1U << 16));
            midend::condition_split_plan plan =
                midend::plan_condition_split(view, flow, midend::evolutions(view, flow.loops, known), known, options);
            run.done(midend::apply_condition_split(run.editor(), plan));
            run.say(plan);
          })),
      with_number(transformation(
          "collapse-loops", "merge inner loops with the loops around them, all or that of loop N; rotate first",
          [](auto& run) {
            const midend::elbrus::cost_view view(run.editor().graph());
            const auto flow = midend::dominators_and_loops(run.editor().graph());
            const auto facts = midend::facts_of_numbers(view);
            midend::collapse_options options;
            options.only = loop_by_number(run.number());
            midend::collapse_plan plan = midend::plan_collapse(
                view, flow.loops, midend::evolutions(view, flow.loops, {facts.data(), facts.size()}), options);
            run.done(midend::apply_collapse(run.editor(), plan));
            run.say(plan);
          })),
      transformation("split-critical-edges", "put a node on each edge from a branch to a join",
                     [](auto& run) {
                       run.done_as_planned(midend::plan_split_critical_edges(run.editor()), [&](const auto& plan) {
                         return midend::apply_split_critical_edges(run.editor(), plan);
                       });
                     }),
      transformation(
          "clean-control", "make known branches jumps, erase unreachable nodes, merge neighbours",
          [](auto& run) { midend::clean_control(run.editor(), [&](const auto& witness) { run.done(witness); }); }),
      transformation("dce", "erase operations, phis and branches that nothing needs",
                     [](auto& run) {
                       run.done_as_planned(midend::plan_remove_dead_code(run.editor()), [&](const auto& plan) {
                         return midend::apply_remove_dead_code(run.editor(), plan);
                       });
                     }),
      transformation("final-values", "after a loop, read what its values end with, computed before it",
                     [](auto& run) {
                       // What is computed for one loop may read a value of another one.
                       for (bool is_first = true;; is_first = false) {
                         const midend::elbrus::cost_view view(run.editor().graph());
                         midend::final_value_plan plan = midend::plan_replace_final_values(view);
                         const auto witness = midend::apply_replace_final_values(run.editor(), plan);
                         if (is_first || !plan.empty()) {
                           run.done(witness);
                           run.say(plan);
                         }
                         if (plan.empty()) {
                           return;
                         }
                       }
                     }),
      transformation("reduce-strength", "make counters of what grows by the same in each iteration, if that costs less",
                     [](auto& run) {
                       const midend::machine_model machine = midend::e2k_reference_v6();
                       // The start of one counter may be another one.
                       for (bool is_first = true;; is_first = false) {
                         const midend::elbrus::cost_view view(run.editor().graph());
                         midend::strength_plan plan = midend::plan_reduce_strength(view, machine);
                         midend::apply_reduce_strength(run.editor(), plan);
                         if (is_first || !plan.empty()) {
                           run.done(strength_witness());
                           run.say(plan);
                         }
                         if (plan.empty()) {
                           return;
                         }
                       }
                     }),
      transformation("dead-loops", "dce that also erases loops which compute nothing, if their counters end them",
                     [](auto& run) {
                       const midend::elbrus::cost_view view(run.editor().graph());
                       run.done_as_planned(midend::plan_remove_dead_loops(view), [&](const auto& plan) {
                         return dead_loops_witness{midend::apply_remove_dead_code(run.editor(), plan)};
                       });
                     }),
      transformation("propagate-copies", "read the sources of copies, and of phis with only one",
                     [](auto& run) {
                       const midend::elbrus::cost_view view(run.editor().graph());
                       run.done_as_planned(midend::plan_propagate_copies(view), [&](const auto& plan) {
                         return midend::apply_propagate_copies(run.editor(), plan);
                       });
                     }),
      transformation("memory-redundancy", "erase loads of what is known, stores of what is there, overwritten stores",
                     [](auto& run) {
                       const midend::elbrus::cost_view view(run.editor().graph());
                       run.done_as_planned(midend::plan_memory_redundancy(view), [&](const auto& plan) {
                         return midend::apply_memory_redundancy(run.editor(), plan);
                       });
                     }),
      low_level_package_pass(),
      control_canonicalization_pass(),
      clean_up_pass(),
      loop_package_pass(),
      transformation("hoist-invariants", "move what is the same in each iteration to the preheader",
                     [](auto& run) {
                       const auto found = midend::dominators_and_loops(run.editor().graph());
                       run.done_as_planned(midend::plan_hoist_invariants(run.editor(), found.dominators, found.loops),
                                           [&](const auto& plan) {
                                             midend::apply_hoist_invariants(run.editor(), plan);
                                             return motion_witness();
                                           });
                     }),
      transformation("hoist-common", "in loops, move what several branches compute to where all of them come from",
                     [](auto& run) {
                       const auto found = midend::dominators_and_loops(run.editor().graph());
                       const auto equal = midend::value_numbering(midend::elbrus::cost_view(run.editor().graph()),
                                                                  midend::strided_interval_domain());
                       run.done_as_planned(
                           midend::plan_hoist_common(run.editor(), equal, found.dominators, found.loops),
                           [&](const auto& plan) {
                             midend::apply_hoist_common(run.editor(), plan);
                             return motion_witness();
                           });
                     }),
      transformation("fix-irreducible", "make each cycle a natural loop, by a dispatch before it",
                     [](auto& run) { run.done(midend::fix_irreducible(run.editor())); }),
      transformation("fix-irreducible:split", "the same by copying nodes, where that is cheap",
                     [](auto& run) {
                       run.done(midend::fix_irreducible(run.editor(),
                                                        {.method = midend::irreducible_method::split_or_dispatch}));
                     }),
      transformation("unify-exits", "give each loop one exit, which leads on by a dispatch",
                     [](auto& run) { run.done(midend::unify_loop_exits(run.editor())); }),
  };
  return kinds;
}

chosen_pass find_pass(std::string_view name) {
  if (name == "realise-unrolling") {
    name = "clean-up"; // its old name
  }
  const auto& kinds = pass_kinds();
  const auto named = [&](std::string_view wanted) {
    const auto it = std::find_if(kinds.begin(), kinds.end(), [&](const pass_kind& k) { return k.name == wanted; });
    return it == kinds.end() ? nullptr : &*it;
  };
  if (const pass_kind* const pass = named(name)) {
    return {pass, std::nullopt};
  }
  const std::size_t colon = name.find(':');
  const pass_kind* const pass = colon == std::string_view::npos ? nullptr : named(name.substr(0, colon));
  if (pass != nullptr && pass->read_option != nullptr) {
    const std::optional<std::size_t> option = pass->read_option(name.substr(colon + 1));
    return option ? chosen_pass{pass, option} : chosen_pass{};
  }
  if (pass == nullptr || !pass->takes_number) {
    return {};
  }
  std::size_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [stopped, error] = std::from_chars(name.data() + colon + 1, end, number);
  return error == std::errc() && stopped == end ? chosen_pass{pass, number} : chosen_pass{};
}

} // namespace midend_tool
