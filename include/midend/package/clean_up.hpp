/// `clean_up`: runs seven members in rounds until none of them changes anything.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/domains/strided_interval_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/package/control_canonicalization.hpp"
#include "midend/package/low_level_package.hpp"
#include "midend/package/managed_package.hpp"
#include "midend/package/package_order.hpp"
#include "midend/ssa/apply_sccp.hpp"
#include "midend/ssa/apply_value_numbering.hpp"
#include "midend/ssa/facts_of_numbers.hpp"
#include "midend/ssa/sccp.hpp"
#include "midend/ssa/sccp_plan.hpp"
#include "midend/ssa/value_numbering.hpp"
#include "midend/ssa/value_numbering_plan.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/hoist_common.hpp"
#include "midend/transform/hoist_invariants.hpp"
#include "midend/transform/range_tests.hpp"
#include "midend/transform/remove_dead_code.hpp"
#include "midend/transform/simplify_loops.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

/// The members of the clean-up, in their order.
enum class clean_up_member : std::uint8_t {
  equal_values, ///< `value_numbering`, after `hoist_common`
  tests,        ///< `range_tests`, which the facts of the next member decide
  constants,    ///< `sccp_with_branch_facts`, with the uses that branches decide; the next member reads its facts
  operations,   ///< `low_level_package`, on single operations
  motion,       ///< `hoist_invariants`, with preheaders where they are needed
  dead_code,    ///< `remove_dead_code`
  control       ///< `control_canonicalization`
};

inline constexpr std::size_t num_clean_up_members = 7;

struct clean_up_options {
  std::uint32_t without = 0;    ///< bit i: member i changes nothing
  std::uint32_t max_rounds = 8; ///< the clean-up stops after so many
  package_options operations = with_regrouped_sums();
  control_options control = {};

  static package_options with_regrouped_sums() {
    package_options options;
    options.regroups_sums = true;
    return options;
  }
};

/// What a clean-up did. Valid after the run.
struct clean_up_log {
  std::uint32_t rounds = 0;                         ///< started ones; the last one changed nothing if `is_complete`
  bool is_complete = false;                         ///< false: `max_rounds` ended the run
  std::uint32_t changes[num_clean_up_members] = {}; ///< by member: the rounds in which it changed something
  std::vector<package_log> operations;              ///< one for each run of the low-level package
  std::vector<control_log> control;

  bool has_changed() const {
    bool any = false;
    for (const std::uint32_t c : changes) {
      any = any || c != 0;
    }
    return any;
  }
};

/// Requires of an editor what the members require. The package compares costs, so the editor needs `has_cost`, too.
template <class E>
concept clean_up_editor = package_editor<E> && has_cost<E> && ir_editor<E> && branch_editor<E> && hoisting_editor<E> &&
                          can_erase_ends<E> && can_set_operands<E> && can_set_phi_inputs<E>;

namespace detail {

template <class E>
concept shows_costs = has_cost<E>;

MIDEND_REQUIRED(shows_costs,
                "to clean up, an editor needs `std::optional<midend::operation_class> cost(midend::value_id v) const`: "
                "take the one with the cost rung, as `elbrus::cost_editor` or `llvm_package_editor`");
MIDEND_REQUIRED(package_editor,
                "to clean up, an editor must be a `package_editor`: operations with their meaning, effects and "
                "addresses, which can be made, replaced and erased, and whose users are known");
MIDEND_REQUIRED(
    clean_up_editor,
    "to clean up, an editor needs all members for values, operations, branches and nodes: see `midend/ir/editing.hpp`");

struct clean_up_contract : contract<shows_costs_row, package_editor_row, clean_up_editor_row> {};

} // namespace detail

/// For signatures: a `clean_up_editor`; any other type is an error with a reason.
template <class E>
concept clean_up_editor_argument = detail::clean_up_contract::fits<E> || detail::clean_up_contract::explain<E>();

/// Listens to the steps of a clean-up, for instance to check certificates. Derive from it and hide the functions you
/// need. `planned` comes before a plan is applied, with the analysis it rests on; `applied` comes afterwards.
struct clean_up_observer {
  template <class E> void planned(const E&, const common_value_plan&) {}

  template <class E, class Found, class Constant>
  void planned(const E&, const Found&, const value_numbering_plan<Constant>&) {}

  template <class E, class Found, class Constant> void planned(const E&, const Found&, const sccp_plan<Constant>&) {}

  template <class E> void planned(const E&, const hoisting_plan&) {}

  template <class E> void planned(const E&, const range_test_plan&) {}

  /// The last plan was applied.
  template <class E> void applied(const E&) {}

  /// The low-level package ran.
  template <class E> void applied(const E&, const package_log&) {}

  /// `remove_dead_code` ran.
  template <class E> void applied(const E&, const removal_witness&) {}

  /// `range_tests` split nodes.
  template <class E> void applied(const E&, const reverse_unfolding&) {}

  /// Control canonicalization finished a round, or loops got preheaders.
  template <class E> void applied(const E&, const unfolding_witness&) {}
};

namespace detail {
template <class E, class Observer> class clean_up_manager;
}

/// The memory of `clean_up`, for reuse: analyses, plans and spare logs.
class clean_up_workspace {
public:
  /// The facts about each value of the program that the last clean-up left. Valid if that clean-up was complete. Values
  /// outside all nodes are unknown.
  span<const number_facts> facts() const { return {facts_.data(), facts_.size()}; }

private:
  template <class E, class Observer> friend class detail::clean_up_manager;

  sccp_workspace<strided_interval_domain> sccp_;
  sccp_result<strided_interval_domain> constants_;
  value_numbering_workspace<strided_interval_domain> value_numbering_;
  value_numbering_result<strided_interval_domain> classes_;
  dominators_and_loops_workspace dominators_and_loops_;
  dominators_and_loops_result flow_;
  dead_code_workspace dead_code_;
  dead_code_plan dead_;
  low_level_package package_;
  managed_package_workspace of_package_;
  control_workspace of_control_;
  sccp_plan_workspace of_constants_;
  value_numbering_plan_workspace of_classes_;
  hoist_common_workspace of_common_;
  hoist_invariants_workspace of_motion_;
  range_test_workspace of_tests_;
  sccp_plan<std::uint64_t> constants_plan_;
  value_numbering_plan<std::uint64_t> classes_plan_;
  common_value_plan common_;
  hoisting_plan motion_;
  range_test_plan tests_;
  std::vector<package_log> spare_logs_; ///< logs of earlier runs, kept for their memory
  std::vector<control_log> spare_control_logs_;
  flat_array<number_facts> facts_;  ///< by value
  flat_array<unsigned char> stays_; ///< by node: headers that keep two loops apart
};

namespace detail {

/// Derives facts about a result from facts about the operands.
inline number_facts facts_of_result(const operation_info& info, span<const number_facts> operands) {
  strided_interval_domain::element arguments[3] = {};
  for (std::size_t i = 0; i != operands.size(); ++i) {
    arguments[i] = strided_interval_domain().known(operands[i]);
  }
  const auto found = strided_interval_domain().transfer(
      info, span<const strided_interval_domain::element>(arguments, operands.size()));
  return found.is_bottom() ? number_facts::any(info.width) : strided_interval_domain().facts(found);
}

template <class E, class Observer> class clean_up_manager {
public:
  clean_up_manager(E& editor, const clean_up_options& options, Observer& observer, clean_up_workspace& workspace,
                   clean_up_log& log)
      : editor_(editor), options_(options), observer_(observer), w_(workspace), log_(log) {
    forget_log();
  }

  /// Stops as soon as all members, one after the other, have changed nothing. Skips a member if nothing it reads has
  /// changed.
  void run() {
    std::size_t unchanged = 0;
    while (log_.rounds != options_.max_rounds && unchanged != num_clean_up_members) {
      ++log_.rounds;
      for (std::size_t i = 0; i != num_clean_up_members && unchanged != num_clean_up_members; ++i) {
        const auto m = static_cast<clean_up_member>(i);
        const bool changes = is_due(m) && run_member_that_is_due(m);
        log_.changes[i] += changes ? 1u : 0u;
        unchanged = changes ? 0 : unchanged + 1;
      }
    }
    log_.is_complete = unchanged == num_clean_up_members;
  }

private:
  static constexpr unsigned all_members = (1u << num_clean_up_members) - 1;

  static constexpr unsigned bit(clean_up_member m) { return 1u << static_cast<unsigned>(m); }

  bool is_due(clean_up_member m) const { return (due_ & bit(m)) != 0; }

  bool run_member_that_is_due(clean_up_member m) {
    due_ &= ~bit(m);
    unaffected_ = 0;
    const bool changes = run_member(m);
    due_ |= changes ? all_members & ~unaffected_ : 0;
    return changes;
  }

  bool is_on(clean_up_member m) const { return (options_.without >> static_cast<unsigned>(m) & 1) == 0; }

  bool run_member(clean_up_member m) {
    switch (m) {
    case clean_up_member::equal_values:
      return is_on(m) && number_values();
    case clean_up_member::tests:
      return is_on(m) && is_on(clean_up_member::constants) && test_ranges();
    case clean_up_member::constants:
      return propagate_constants(is_on(m));
    case clean_up_member::operations:
      return is_on(m) && run_package();
    case clean_up_member::motion:
      return is_on(m) && hoist();
    case clean_up_member::dead_code:
      return is_on(m) && remove_dead_code();
    default:
      return is_on(m) && canonicalize_control();
    }
  }

  bool number_values() {
    value_numbering(view(), strided_interval_domain(), {}, w_.value_numbering_, w_.classes_);
    dominators_and_loops(editor_.graph(), w_.dominators_and_loops_, w_.flow_);
    const auto& found = w_.classes_;
    const auto& flow = w_.flow_;
    const common_value_plan& common = w_.common_;
    plan_hoist_common(view(), found, flow.dominators, flow.loops, w_.of_common_, w_.common_);
    if (!common.empty()) {
      observer_.planned(view(), common);
      apply_hoist_common(editor_, common);
      observer_.applied(view());
      if (drops_promises(common)) { // facts may rest on these promises
        value_numbering(view(), strided_interval_domain(), {}, w_.value_numbering_, w_.classes_);
      }
    }
    const value_numbering_plan<std::uint64_t>& plan = w_.classes_plan_;
    plan_value_numbering(view(), found, w_.of_classes_, w_.classes_plan_);
    const bool changes = replaces(plan.replacements) || !plan.phis.empty() || changes_something(plan.constants);
    if (changes) {
      observer_.planned(view(), found, plan);
      apply_value_numbering(editor_, plan);
      observer_.applied(view());
    }
    // A leader stands for its whole class, so the classes stay the same. Moved operations may allow further moves.
    unaffected_ = common.empty() ? bit(clean_up_member::equal_values) : 0;
    return !common.empty() || changes;
  }

  static bool drops_promises(const common_value_plan& plan) {
    bool any = false;
    for (const common_value& c : plan.moves) {
      any = any || c.drops_promises;
    }
    return any;
  }

  /// Whether a replacement changes the program: the value still has readers, or will be erased. Plans repeat replaced
  /// values that stay because they may trap.
  template <class Replacements> bool replaces(const Replacements& replacements) const {
    bool any = false;
    for (const auto& r : replacements) {
      any = any || r.is_removable;
      for_each_id(editor_.users(r.value), [&](value_id) { any = true; });
    }
    return any;
  }

  template <class Constant> bool changes_something(const sccp_plan<Constant>& plan) const {
    bool any =
        replaces(plan.replacements) || !plan.uses.empty() || !plan.kept_edges.empty() || !plan.erased_nodes.empty();
    for (const auto& f : plan.forwardings) {
      any = any || has_one_input(editor_, f.phi, f.edge);
    }
    return any;
  }

  /// Finds facts for the next member. Applying them does not change what any value is.
  bool propagate_constants(bool changes) {
    sccp_options options;
    options.lists_decided_uses = changes;
    sccp_with_branch_facts(view(), strided_interval_domain(), options, w_.sccp_, w_.constants_);
    const auto& found = w_.constants_;
    facts_of_numbers(found, w_.facts_);
    const sccp_plan<std::uint64_t>& plan = w_.constants_plan_;
    if (changes) {
      plan_sccp(view(), found, w_.of_constants_, w_.constants_plan_);
    }
    changes = changes && changes_something(plan);
    if (changes) {
      observer_.planned(view(), found, plan);
      apply_sccp(editor_, plan);
      observer_.applied(view());
    }
    return changes;
  }

  bool run_package() {
    package_options options = options_.operations;
    options.facts = span<const number_facts>(w_.facts_.data(), w_.facts_.size());
    options.facts_of_result = facts_of_result;
    package_log& log = next_log(log_.operations, w_.spare_logs_);
    w_.package_.run(editor_, options, w_.of_package_, log);
    w_.facts_.assign(w_.of_package_.facts());
    bool changes = false;
    for (const package_event& e : log.events) {
      changes = changes || e.veto == package_veto::none;
    }
    // The package compared each operation it made or changed with all others. So the classes of equal values are the
    // old ones, unless it saw an equal operation that it could not use (`has_equal_apart`).
    unaffected_ = log.has_equal_apart ? 0 : bit(clean_up_member::equal_values) & ~due_;
    observer_.applied(view(), log); // even without changes, new literals may exist
    return changes;
  }

  bool test_ranges() {
    if constexpr (range_test_editor<E>) {
      dominators_and_loops(editor_.graph(), w_.dominators_and_loops_, w_.flow_);
      plan_range_tests(view(), w_.flow_.loops, w_.of_tests_, w_.tests_);
      const range_test_plan& plan = w_.tests_;
      if (!plan.empty()) {
        observer_.planned(view(), plan);
        apply_range_tests(editor_, plan, observer_);
      }
      return !plan.empty();
    } else {
      return false;
    }
  }

  template <class Log> static Log& next_log(std::vector<Log>& logs, std::vector<Log>& spare) {
    if (spare.empty()) {
      logs.emplace_back();
    } else {
      logs.push_back(std::move(spare.back()));
      spare.pop_back();
    }
    return logs.back();
  }

  template <class Log> static void keep_memory(std::vector<Log>& logs, std::vector<Log>& spare) {
    while (!logs.empty()) {
      spare.push_back(std::move(logs.back()));
      logs.pop_back();
    }
  }

  void forget_log() {
    keep_memory(log_.operations, w_.spare_logs_);
    keep_memory(log_.control, w_.spare_control_logs_);
    log_.rounds = 0;
    log_.is_complete = false;
    for (std::uint32_t& c : log_.changes) {
      c = 0;
    }
  }

  /// Makes preheaders only if something invariant waits for one. If it stays all the same, control canonicalization
  /// removes them again, so no second attempt is made.
  bool hoist() {
    dominators_and_loops(editor_.graph(), w_.dominators_and_loops_, w_.flow_);
    hoisting_plan& plan = w_.motion_;
    plan_hoist_invariants(view(), w_.flow_.dominators, w_.flow_.loops, w_.of_motion_, plan);
    bool waits = false;
    for (const hoisting_refusal& r : plan.refused) {
      waits = waits || r.why == hoisting_refusal_reason::no_preheader;
    }
    if (waits && !preheaders_were_useless_) {
      auto simplified = simplify_loops(editor_);
      observer_.applied(view(), simplified.witness);
      plan_hoist_invariants(view(), simplified.dominators, simplified.loops, w_.of_motion_, plan);
      preheaders_were_useless_ = plan.empty();
    }
    if (!plan.empty()) {
      observer_.planned(view(), plan);
      apply_hoist_invariants(editor_, plan);
      observer_.applied(view());
    }
    return !plan.empty();
  }

  bool remove_dead_code() {
    plan_remove_dead_code(view(), {}, w_.dead_code_, w_.dead_);
    if (w_.dead_.empty()) {
      return false;
    }
    const removal_witness witness = apply_remove_dead_code(editor_, w_.dead_, w_.dead_code_);
    observer_.applied(view(), witness);
    return true;
  }

  bool canonicalize_control() {
    control_options options = options_.control;
    if (options.stays.empty()) {
      keep_nests();
      options.stays = span<const unsigned char>(w_.stays_.data(), w_.stays_.size());
    }
    control_log& log = next_log(log_.control, w_.spare_control_logs_);
    if constexpr (std::same_as<Observer, clean_up_observer>) { // this observer ignores witnesses
      control_canonicalization().run(editor_, options, w_.of_control_, log);
    } else {
      control_canonicalization().run(
          editor_, options, [&](const unfolding_witness& witness) { observer_.applied(view(), witness); },
          w_.of_control_, log);
    }
    const bool takes_edges = log.count(control_change::known_branch) + log.count(control_change::equal_edges) +
                                 log.count(control_change::implied_branch) + log.count(control_change::unreachable) !=
                             0;
    const unsigned analyses = bit(clean_up_member::equal_values) | bit(clean_up_member::constants);
    unaffected_ = takes_edges ? 0 : analyses & ~due_; // merging and skipping nodes changes no value
    return log.rounds != 0;
  }

  /// Keeps a header whose only job is to lead to the header of an inner loop. Without it, both loops would become one.
  void keep_nests() {
    dominators_and_loops(editor_.graph(), w_.dominators_and_loops_, w_.flow_);
    const loop_forest& loops = w_.flow_.loops;
    w_.stays_.assign(node_count(editor_.graph()), 0);
    for (const loop_id l : loops.loops()) {
      const node_id header = loops.header(l);
      for_each_id(editor_.graph().out_edges(header), [&](edge_id e) {
        const node_id next = node_in(editor_.graph(), editor_.graph().edge_target(e));
        if (next != no_node && next != header && loops.is_header(next) && loops.contains(l, next)) {
          w_.stays_[header] = 1;
        }
      });
    }
  }

  const E& view() const { return editor_; }

  E& editor_;
  clean_up_options options_;
  Observer& observer_;
  clean_up_workspace& w_;
  clean_up_log& log_;
  unsigned due_ = all_members; ///< bit i: member i must run; what it reads may have changed
  unsigned unaffected_ = 0;    ///< bit i: the running member changes nothing that member i reads
  bool preheaders_were_useless_ = false;
};

} // namespace detail

/// Cleans up until nothing is left to do, or until `max_rounds`. Returns what was done. A macro package (A. Drozdov, A.
/// Stepanenkov, "Managed optimization packages"): the manager runs the members in the order of `clean_up_member` until
/// each of them, in a row, has changed nothing. Departures: SCCP, value numbering and motion are members; the low-level
/// package reads the facts that SCCP found just before.
///
/// **Why it ends.** Decisions, equal values, constants, dead code and control remove readings, operations, edges or
/// nodes. Motion moves operations up the dominator tree. New operations of the package cost no more than what they
/// replace; where they cost the same, fewer are signed, chains are shorter, or numbers are added later or are compared
/// second. So these fall, in this order: nodes and edges, preheaders aside; cost; signed operations; heights of
/// expressions; depths in the dominator tree. Preheaders are made again only if those of the last time were of use.
/// `max_rounds` stands in for a proof; `is_complete` says whether it was needed.
///
/// Motion is a member and no kind of order: a move depends on the loop and on operands that move along, and needs
/// preheaders, while a package of operations relies on nodes that stay. Its plans have a checker.
///
/// Unreachable nodes are erased. Endless loops stay. Loops stay apart: an empty header stays if its loop would
/// otherwise merge with an inner loop. Other loop forms may be lost. Branch facts assume that branching on an undefined
/// value is undefined.
///
/// A member runs again only after a change in something that it reads. Value numbering reads which operations are
/// equal. The package compares all it makes or changes with every operation; merging or skipping nodes changes no
/// value; leaders stay in their classes. So value numbering often need not run again.
///
/// Cost: the sum of the members, twice for most programs. With a workspace and a log from before, nothing is allocated
/// after an earlier program as large. Exceptions: SCCP or value numbering erases nodes, preheaders are made, or an
/// observer asks for witnesses.
template <clean_up_editor_argument E, class Observer>
void clean_up(E& editor, const clean_up_options& options, Observer& observer, clean_up_workspace& workspace,
              clean_up_log& out) {
  detail::clean_up_manager<E, Observer>(editor, options, observer, workspace, out).run();
}

template <clean_up_editor_argument E, class Observer>
clean_up_log clean_up(E& editor, const clean_up_options& options, Observer& observer, clean_up_workspace& workspace) {
  clean_up_log out;
  clean_up(editor, options, observer, workspace, out);
  return out;
}

template <clean_up_editor_argument E, class Observer>
clean_up_log clean_up(E& editor, const clean_up_options& options, Observer& observer) {
  clean_up_workspace workspace;
  return clean_up(editor, options, observer, workspace);
}

template <clean_up_editor_argument E> clean_up_log clean_up(E& editor, const clean_up_options& options = {}) {
  clean_up_observer nobody;
  return clean_up(editor, options, nobody);
}

MIDEND_END_NAMESPACE
