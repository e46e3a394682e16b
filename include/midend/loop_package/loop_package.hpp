/// `loop_package`: a managed package of loop optimizations, each decided by trial.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/extract_loop.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editable_flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/loop_package/hash_program.hpp"
#include "midend/loop_package/loop_change.hpp"
#include "midend/loop_package/loop_manager.hpp"
#include "midend/loop_package/loop_package_log.hpp"
#include "midend/loop_package/nest_members.hpp"
#include "midend/loop_package/split_members.hpp"
#include "midend/loop_package/unrolling_members.hpp"
#include "midend/loop_package/version_members.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/cost/count_loop_trips.hpp"
#include "midend/machine/cost/estimate.hpp"
#include "midend/machine/machine.hpp"
#include "midend/package/clean_up.hpp"
#include "midend/ssa/facts_of_numbers.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/condition_split_plan.hpp"
#include "midend/transform/loop_versioning_plan.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/unrolling/program_trial.hpp"
#include "midend/unrolling/unrolling_options.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

MIDEND_BEGIN_NAMESPACE

struct loop_package_options {
  unrolling_options unrolling; ///< limits of the advice, lowering of operations, and the assumed trip count
  clean_up_options clean_up;

  /// The most operations that the procedure may have at any time, phis aside. 0: (1 + `growth`) times as many as after
  /// the first clean-up, and `spare` more.
  std::uint64_t max_size = 0;
  std::uint32_t growth = 1;
  std::uint64_t spare = 2000;
  std::uint64_t least_share = 64; ///< each loop may grow by this many operations while the limit leaves them

  /// By member; 1 for members without an entry. A member may let a loop grow by this fraction of the loop's share: its
  /// importance divided by the greatest importance of the members that may still change the loop. So more important
  /// members find room. 0: the member makes no loop larger.
  flat_array<std::uint16_t> importance;

  std::uint64_t max_trial = 2000;     ///< loops with more operations, phis aside, are not tried
  std::uint32_t max_trial_loops = 32; ///< nests of more loops are not tried either
  loop_manager_options manager{.max_sweeps = ~std::uint32_t{0}}; ///< no limit is needed: see `loop_package`
  std::uint64_t without = 0;                                     ///< bit i: member i proposes nothing

  /// A change that makes a loop larger is accepted if (cycles saved / cycles before) / log2(operations after /
  /// operations before) is at least this.
  fraction least_gain = {1, 20};
};

/// Observes each step of the loop package, for example to check certificates. Derive from it and hide the members that
/// you need. The members of `clean_up_observer` observe the clean-up between sweeps.
struct loop_package_observer : clean_up_observer {
  /// Called before a member applies this plan.
  template <class Plan> void planned_change(const Plan&) {}

  /// Called after a member changed the procedure, with the witness of the change.
  template <class E, class Witness> void changed(const E&, const Witness&) {}
};

/// What the loop package requires of an editor: the requirements of the clean-up, of extraction and of the estimate.
/// Members check their own.
template <class E>
concept loop_package_editor = clean_up_editor<E> && dispatching_editor<E> && cost_ir<E> && extractable_ir<E>;

namespace detail {

/// The operations of a node, phis aside.
template <class IR> std::uint64_t operations_of(const IR& ir, node_id n) {
  std::uint64_t size = 0;
  for_each_id(ir.values(n), [&](value_id v) { size += ir.is_phi(v) ? 0u : 1u; });
  return size;
}

} // namespace detail

/// The number of operations in the nodes of a program, phis aside; unreachable nodes count. O(n + operations).
template <class IR> std::uint64_t program_size(const IR& ir) {
  std::uint64_t size = 0;
  for (node_id n = 0; n != detail::node_count(ir.graph()); ++n) {
    size += detail::operations_of(ir, n);
  }
  return size;
}

namespace detail {

/// Facts of the package about nodes as headers of loops.
struct known_header {
  std::uint64_t used_once = 0;    ///< bit i: member i changed this loop, or the original of this copy
  std::uint64_t used_members = 0; ///< bit i: member i may not change it again
  bool is_assumed = false;        ///< whether its average trip count was derived from `assumed_trip`
  bool is_inserted = false;       ///< whether a change inserted the node, which is then no copy

  constexpr void add(const known_header& other) {
    used_once |= other.used_once;
    used_members |= other.used_members;
  }

  /// Notes a change by a member. `repeating` are the members that may change a loop twice.
  constexpr void use(std::uint32_t member, std::uint64_t repeating) {
    const std::uint64_t bit = std::uint64_t{1} << member;
    used_members |= (repeating & bit & ~used_once) != 0 ? 0 : bit;
    used_once |= bit;
  }
};

/// `static constexpr bool may_repeat`: the member may change a loop and its copies twice. Optional.
template <class Member> constexpr bool may_repeat() {
  if constexpr (requires { Member::may_repeat; }) {
    return Member::may_repeat;
  } else {
    return false;
  }
}

/// Forwards to the observer, and gives copies of headers the facts about their originals.
template <class Observer> struct copy_observer {
  Observer& observer;
  flat_array<known_header>& known; ///< by node

  template <class Plan> void planned_change(const Plan& plan) { observer.planned_change(plan); }

  /// A change that creates no nodes.
  template <class E, class Witness> void changed(const E& editor, const Witness& witness) {
    observer.changed(editor, witness);
  }

  template <class E> void changed(const E& editor, const unfolding_witness& witness) {
    mark_copies(witness);
    observer.changed(editor, witness);
  }

  template <class E> void changed(const E& editor, const versioned_loops_witness& witness) {
    mark_copies(witness.copies);
    observer.changed(editor, witness);
  }

  /// Loops made from a loop inherit its changes, and whether its trip count was assumed.
  template <class E> void changed(const E& editor, const condition_split_witness& witness) {
    for (const split_loop& s : witness.loops) {
      const known_header from = s.header < known.size() ? known[s.header] : known_header();
      derive(s.outer, from);
      for (std::uint32_t k = 0; k != s.num_arms; ++k) {
        derive(witness.arms[s.first_arm + k].header, from);
      }
    }
    observer.changed(editor, witness);
  }

  void derive(node_id n, const known_header& from) {
    while (known.size() <= n) {
      known.push_back({.is_inserted = true});
    }
    known[n].add(from);
    known[n].is_assumed = known[n].is_assumed || from.is_assumed;
  }

  void mark_copies(const unfolding_witness& witness) {
    for (node_id n = static_cast<node_id>(known.size()); n < witness.node_origin.size(); ++n) {
      const node_id origin = witness.node_origin[n];
      known.push_back(origin < n ? known[origin] : known_header{.is_inserted = true});
    }
  }
};

/// The client of the manager: extracts loops, tries changes, and applies the chosen ones.
template <class Package, class E, class M, class Observer> class loop_package_work {
public:
  loop_package_work(Package& package, E& editor, const M& machine, const loop_package_options& options,
                    Observer& observer, loop_package_log& log)
      : package_(package), editor_(editor), machine_(machine), options_(options), observer_(observer), log_(log) {
    trying_.lowering = options.unrolling.lowering;
    trying_.clean_up = options.clean_up;
    trying_.assumed_trip = options.unrolling.assumed_trip;
    trying_.keeps_expected_trips = true;
    tried_.clear(64);
    clean_up_and_analyse();
    log_.size_before = size_;
    log_.cycles_before = cost_.cycles;
    log_.max_size = options.max_size != 0 ? options.max_size : size_ + size_ * options.growth + options.spare;
    log_.largest_size = size_;
    for (std::uint32_t m = 0; m != Package::size; ++m) {
      log_.importance.push_back(m < options.importance.size() ? options.importance[m] : std::uint16_t{1});
    }
  }

  const loop_forest& loops() const { return found_.loops; }

  /// The time in the loop, without the loops inside it.
  double weight(loop_id l) const { return own_cycles_[l]; }

  /// Chooses the best change of the first member that has a profitable one.
  bool decide(loop_id l) {
    const bool is_decided = try_members(l);
    open_cycles_ -= own_cycles_[l];
    if (!is_decided) {
      is_closed_[loops().header(l)] = 1;
    }
    return is_decided;
  }

  /// Applies the changes of this sweep to the procedure, member by member, and cleans up.
  void carry_out() {
    for (std::uint32_t m = 0; m != Package::size; ++m) {
      carry_out(m);
    }
    log_.largest_size = max(log_.largest_size, program_size(editor_));
    first_undone_ = log_.changes.size();
    clean_up_and_analyse();
  }

  void finish() {
    forget_assumed_trips();
    log_.size_after = size_;
    log_.cycles_after = cost_.cycles;
  }

private:
  const E& view() const { return editor_; }

  // ---- The procedure.

  void clean_up_and_analyse() {
    clean_up(editor_, clean_up_options_for(machine_, options_.unrolling.lowering, options_.clean_up), observer_,
             cleaning_, cleaning_log_);
    ++log_.clean_ups;
    dominators_and_loops(editor_.graph(), searching_, found_);
    count_loop_trips(view(), found_.loops, knowledge_);
    estimate_options measure;
    measure.lowering = options_.unrolling.lowering;
    measure.trips = span<const std::uint64_t>(knowledge_.trips.data(), knowledge_.trips.size());
    measure.facts.not_negative = span<const bool>(knowledge_.not_negative.data(), knowledge_.not_negative.size());
    measure.assumed_trip = options_.unrolling.assumed_trip;
    estimate(view(), found_.loops, machine_, measure, estimating_, cost_);
    if (!cleaning_log_.is_complete) {
      other_facts_ = facts_of_numbers(view());
    }
    know_headers();
    expect_unknown_trips();
    size_ = program_size(view());
    planned_growth_ = 0;
    weigh_loops();
  }

  /// Finds headers that a change or the clean-up has replaced: by an inserted node, which gets the facts of its loop,
  /// or by a node of the loop, which was marked with the loop.
  void know_headers() {
    while (known_.size() < loops().num_nodes()) {
      known_.push_back({.is_inserted = true}); // nodes that the clean-up makes are inserted, too
    }
    for (const loop_id l : loops().loops()) {
      known_header& header = known_[loops().header(l)];
      for (const node_id n : loops().own_blocks(l)) {
        header.add(header.is_inserted ? known_[n] : known_header());
      }
      header.is_inserted = false;
    }
  }

  /// While the package runs, a loop of unknown trip count has the hint `assumed_trip`. Transformations divide hints, so
  /// the rest of an unrolled loop is not estimated with the full count again.
  void expect_unknown_trips() {
    if constexpr (can_set_trip_hints<E>) {
      for (const loop_id l : loops().loops()) {
        loop_hints hints = view().trip_hints(loops().header(l));
        if (knowledge_.trips[l] == 0 && hints.average == 0 &&
            cost_.loops[l].frequency.source == frequency_source::assumed) {
          hints.average = static_cast<double>(options_.unrolling.assumed_trip);
          editor_.set_trip_hints(loops().header(l), hints);
          known_[loops().header(l)].is_assumed = true;
        }
      }
    }
  }

  void forget_assumed_trips() {
    if constexpr (can_set_trip_hints<E>) {
      for (node_id n = 0; n != known_.size(); ++n) {
        if (known_[n].is_assumed) {
          loop_hints hints = view().trip_hints(n);
          hints.average = 0;
          editor_.set_trip_hints(n, hints);
        }
      }
    }
  }

  span<const number_facts> facts() const {
    return cleaning_log_.is_complete ? cleaning_.facts()
                                     : span<const number_facts>(other_facts_.data(), other_facts_.size());
  }

  void weigh_loops() {
    while (is_closed_.size() < loops().num_nodes()) {
      is_closed_.push_back(0);
      refusing_members_.push_back(0);
    }
    own_cycles_.assign(loops().num_loops(), 0);
    for (const loop_id l : loops().loops()) {
      own_cycles_[l] += cost_.loops[l].cycles;
      if (loops().parent(l) != no_loop) {
        own_cycles_[loops().parent(l)] -= cost_.loops[l].cycles;
      }
    }
    open_cycles_ = 0;
    for (const loop_id l : loops().loops()) {
      own_cycles_[l] = own_cycles_[l] > 0 ? min(own_cycles_[l], 1e200) : 0; // the product for deep nests may be
                                                                            // infinite or no number
      const loop_id parent = loops().parent(l);
      log_.loops.push_back({log_.clean_ups - 1, loops().header(l), parent == no_loop ? no_node : loops().header(parent),
                            own_cycles_[l]});
      open_cycles_ += is_closed_[loops().header(l)] != 0 ? 0 : own_cycles_[l];
    }
  }

  // ---- Decisions.

  /// How many operations a loop may grow by: a share of the operations left, in proportion to its part of the time of
  /// all loops that are still to be visited, in this sweep or later.
  std::uint64_t room_of(loop_id l) const {
    const std::uint64_t used = size_ + planned_growth_;
    const std::uint64_t left = log_.max_size > used ? log_.max_size - used : 0;
    if (open_cycles_ <= own_cycles_[l]) {
      return left; // also if a double cannot be converted
    }
    const auto share = static_cast<std::uint64_t>(static_cast<double>(left) * (own_cycles_[l] / open_cycles_));
    return min(left, max(share, options_.least_share));
  }

  /// The part of the loop's room that a member may use. The rest is for more important members that may still change
  /// the loop.
  std::uint64_t room_of(loop_id l, std::uint32_t member) const {
    const std::uint64_t room = room_of(l);
    const std::uint64_t own = log_.importance[member];
    std::uint64_t most = own;
    for (std::uint32_t m = 0; m != Package::size; ++m) {
      most = is_on(m, l) ? max<std::uint64_t>(most, log_.importance[m]) : most;
    }
    return own == 0 ? 0 : room / most * own + room % most * own / most;
  }

  bool refuse(loop_id l, loop_package_refusal_reason why) {
    log_.refused.push_back({loops().header(l), why});
    return false;
  }

  bool try_members(loop_id l) {
    if (loops().subloops(l).size() > options_.max_trial_loops || size_of_loop(l) > options_.max_trial) {
      return refuse(l, loop_package_refusal_reason::too_large);
    }
    extract(l);
    const std::uint64_t hash = hash_program(x_.program);
    const std::uint64_t hash_here =
        mixed(hash, loops().header(l)); // finds the loop if it was changed and looks as before
    if (tried_.find(hash) != decltype(tried_)::missing || tried_.find(hash_here) != decltype(tried_)::missing) {
      return refuse(l, loop_package_refusal_reason::known_already);
    }
    has_no_room_ = false;
    rolled_.program = x_.program;
    finish_trial(x_, true, machine_, trying_, finishing_, rolled_);
    ++log_.trials;
    dominators_and_loops(x_.program.graph(), searching_, in_loop_);
    if (rolled_.cost.is_impossible || !package_.for_each_until([&](auto& member, std::uint32_t m) {
          return is_on(m, l) && propose_and_try(member, m, l);
        })) {
      if (!has_no_room_ && is_off(l) == 0) { // otherwise an equal loop may succeed
        tried_.find_or_insert(hash, 0);
      }
      return refuse(l, has_no_room_ ? loop_package_refusal_reason::no_room : loop_package_refusal_reason::no_gain);
    }
    hashes_.push_back(hash_here);
    return true;
  }

  bool is_on(std::uint32_t member, loop_id l) const { return ((options_.without | is_off(l)) >> member & 1) == 0; }

  /// The members that have changed the loop, and those that have failed to.
  std::uint64_t is_off(loop_id l) const {
    const node_id header = loops().header(l);
    return refusing_members_[header] | known_[header].used_members;
  }

  std::uint64_t size_of_loop(loop_id l) const {
    std::uint64_t size = 0;
    for (const node_id n : loops().blocks(l)) {
      size += operations_of(view(), n);
    }
    return size;
  }

  /// Extracts the loop, with the trip counts that are known in the procedure.
  void extract(loop_id l) {
    extract_loop(view(), found_.dominators, found_.loops, l, facts(), extracting_, x_);
    ++log_.extractions;
    for (node_id n = extracted_loop::header; n != x_.first_exit; ++n) {
      const node_id original = x_.nodes[n];
      if (!loops().is_header(original)) {
        continue;
      }
      const std::uint64_t trip = knowledge_.trips[loops().innermost_loop(original)];
      if (trip != 0) {
        loop_hints hints = x_.program.trip_hints(n);
        hints.maximum = hints.multiple = trip;
        hints.average = static_cast<double>(trip);
        x_.program.set_trip_hints(n, hints);
      }
    }
    expect_trips(x_, options_.unrolling.assumed_trip);
  }

  template <class Member> bool propose_and_try(Member& member, std::uint32_t m, loop_id l) {
    proposed_.clear();
    member.propose(loop_question<M>{x_, in_loop_, machine_, options_.unrolling}, proposed_);
    bool is_any = false;
    decided_loop_change best;
    const std::uint64_t room = room_of(l, m);
    for (loop_change& c : proposed_) {
      c.member = m;
      MIDEND_ASSERT(c.header < x_.first_exit && c.header != extracted_loop::entry &&
                        (c.node == no_node || (c.node < x_.first_exit && c.node != extracted_loop::entry)),
                    "a member of the loop package that proposes nodes of the loop", m, c.header, c.node);
      decided_loop_change tried;
      if (try_change(member, c, tried) && (!is_any || tried.cycles_after < best.cycles_after)) {
        tried.room = room;
        if (tried.growth() > room) {
          log_.vetoed.push_back(in_procedure(tried, l));
          has_no_room_ = true;
        } else {
          best = tried;
          is_any = true;
        }
      }
    }
    if (is_any) {
      planned_growth_ += best.growth();
      log_.changes.push_back(in_procedure(best, l));
    }
    return is_any;
  }

  /// Translates a change of the extracted loop to the nodes of the procedure.
  decided_loop_change in_procedure(decided_loop_change c, loop_id l) const {
    c.sweep = log_.manager.rebuilds;
    c.entries = cost_.loops[l].frequency.entries;
    c.change.header = x_.nodes[c.change.header];
    c.change.node = c.change.node == no_node ? no_node : x_.nodes[c.change.node];
    return c;
  }

  /// Whether a change can be applied to a copy of the loop and is profitable there.
  template <class Member> bool try_change(Member& member, const loop_change& c, decided_loop_change& out) {
    trial_.program = x_.program;
    out.change = c;
    out.size_before = program_size(trial_.program);
    loop_package_observer nobody;
    applied_.clear();
    member.apply(trial_.program, span<const loop_change>(&c, 1), nobody, applied_);
    MIDEND_ASSERT(applied_.size() == 1,
                  "a member of the loop package whose `apply` says for each change whether it was made", c.member,
                  applied_.size());
    if (applied_[0] == 0) {
      return false;
    }
    out.size_after = program_size(trial_.program);
    ++log_.trials;
    finish_trial(x_, true, machine_, trying_, finishing_, trial_);
    out.cycles_before = rolled_.cost.cycles;
    out.cycles_after = trial_.cost.cycles;
    return !trial_.cost.is_impossible && pays();
  }

  bool pays() const {
    const double before = rolled_.cost.cycles;
    const double after = trial_.cost.cycles;
    if (!(after < before * (1 - 1e-9))) {
      return false;
    }
    const fraction ratio{max<std::uint64_t>(trial_.cost.operations + trial_.cost.branches, 1),
                         max<std::uint64_t>(rolled_.cost.operations + rolled_.cost.branches, 1)};
    const double least =
        static_cast<double>(options_.least_gain.numerator()) / static_cast<double>(options_.least_gain.denominator());
    return ratio.numerator() <= ratio.denominator() || (before - after) / before >= least * binary_logarithm(ratio);
  }

  // ---- Changes of the procedure.

  void carry_out(std::uint32_t m) {
    orders_.clear();
    order_of_.clear();
    for (std::size_t i = first_undone_; i != log_.changes.size(); ++i) {
      if (log_.changes[i].change.member == m) {
        orders_.push_back(log_.changes[i].change);
        order_of_.push_back(static_cast<std::uint32_t>(i));
      }
    }
    if (orders_.empty()) {
      return;
    }
    for (const loop_change& c : orders_) {
      for (const node_id n : loops().own_blocks(loops().innermost_loop(c.header))) {
        known_[n].use(m, Package::repeating);
      }
    }
    applied_.clear();
    copy_observer<Observer> observer{observer_, known_};
    package_.for_each_until([&](auto& member, std::uint32_t k) {
      if (k == m) {
        member.apply(editor_, span<const loop_change>(orders_.data(), orders_.size()), observer, applied_);
      }
      return k == m;
    });
    MIDEND_ASSERT(applied_.size() == orders_.size(),
                  "a member of the loop package whose `apply` says for each change whether it was made", m,
                  applied_.size());
    for (std::size_t i = 0; i != orders_.size(); ++i) {
      log_.changes[order_of_[i]].is_applied = applied_[i] != 0;
      if (applied_[i] != 0) {
        tried_.find_or_insert(hashes_[order_of_[i]], 0);
      } else {
        refusing_members_[orders_[i].header] |= std::uint64_t{1} << m;
      }
    }
  }

  Package& package_;
  E& editor_;
  const M& machine_;
  const loop_package_options& options_;
  Observer& observer_;
  loop_package_log& log_;
  unrolling_trial_options trying_;

  // The state of the procedure since the last rebuild.
  clean_up_workspace cleaning_;
  clean_up_log cleaning_log_;
  dominators_and_loops_workspace searching_;
  dominators_and_loops_result found_;
  estimate_knowledge knowledge_;
  estimate_workspace estimating_;
  program_estimate cost_;
  flat_array<number_facts> other_facts_; ///< valid if the clean-up was not complete
  flat_array<double> own_cycles_;        ///< by loop
  double open_cycles_ = 0;               ///< the time of loops still to be visited
  std::uint64_t size_ = 0;
  std::uint64_t planned_growth_ = 0;           ///< planned in this sweep
  flat_array<unsigned char> is_closed_;        ///< by node: whether it is the header of a closed loop
  flat_array<known_header> known_;             ///< by node
  flat_array<std::uint64_t> refusing_members_; ///< by header; bit i: member i failed on the procedure although the
                                               ///< trial succeeded

  // The state of the loop that is visited.
  extract_loop_workspace extracting_;
  extracted_loop x_;
  dominators_and_loops_result in_loop_;
  program_trial_workspace finishing_;
  program_trial rolled_; ///< the trial without a change
  program_trial trial_;
  flat_array<loop_change> proposed_;
  flat_array<unsigned char> applied_;
  bool has_no_room_ = false;         ///< a change of this loop is profitable but too large
  flat_array<std::uint64_t> hashes_; ///< by change in the log: the hash of the loop that it changes, and of its header
  hash_map<std::uint64_t> tried_;    ///< hashes of loops without a profitable change, and of changed loops

  flat_array<loop_change> orders_;
  flat_array<std::uint32_t> order_of_; ///< by position in the order of application: the number in the log
  std::size_t first_undone_ = 0;       ///< the first change in the log that is not applied yet
};

} // namespace detail

/// The requirements of `managed_loop_package::run` for its members, see `loop_change.hpp`.
template <class T, class E, class M>
concept loop_member =
    has_loop_member_name<T> && requires(T& member, const loop_question<M>& question, flat_array<loop_change>& out,
                                        E& editor, editable_flat_program& program, span<const loop_change> changes,
                                        loop_package_observer& observer, flat_array<unsigned char>& applied) {
      member.propose(question, out);
      member.apply(editor, changes, observer, applied);
      member.apply(program, changes, observer, applied);
    };

template <class... Members> struct managed_loop_package;

namespace detail {

template <class Member> inline constexpr bool is_loop_package = false;
template <class... Members> inline constexpr bool is_loop_package<managed_loop_package<Members...>> = true;

// A member may be a package, which stands for its members.

template <class Member> constexpr std::uint32_t num_loop_members() {
  if constexpr (is_loop_package<Member>) {
    return Member::size;
  } else {
    return 1;
  }
}

template <class Member> constexpr std::uint64_t repeating_loop_members() {
  if constexpr (is_loop_package<Member>) {
    return Member::repeating;
  } else {
    return may_repeat<Member>() ? 1 : 0;
  }
}

template <class Member> constexpr const char* loop_member_name([[maybe_unused]] std::size_t i) {
  if constexpr (is_loop_package<Member>) {
    return Member::name(i);
  } else {
    return Member::name;
  }
}

/// `i` is the number of the first member that was not visited.
template <class Member, class Visit> bool visit_until(Member& member, Visit& visit, std::uint32_t& i) {
  if constexpr (is_loop_package<Member>) {
    return member.for_each_until(visit, i);
  } else {
    return visit(member, i++);
  }
}

template <class Member, class E, class M> constexpr bool is_loop_member() {
  if constexpr (is_loop_package<Member>) {
    return Member::template are_loop_members<E, M>;
  } else {
    return loop_member<Member, E, M>;
  }
}

} // namespace detail

/// A list of at most 64 different loop optimizations, in the order in which they are tried: the most specialized first.
/// To build your own package, list members of the library and your own: `managed_loop_package<unroll_completely,
/// my_member>`. A member may be a package: `managed_loop_package<my_member, loop_package>` tries yours before those of
/// the library.
template <class... Members> struct managed_loop_package : Members... {
  static_assert(((detail::is_loop_package<Members> || has_loop_member_name<Members>) && ...),
                "midend: a member of a package has no name; write `static constexpr const char* name = \"...\";`");

  /// Of those that are packages, all members.
  static constexpr std::uint32_t size = (0 + ... + detail::num_loop_members<Members>());

  static_assert(size <= 64, "midend: a loop package has at most 64 members");

  /// Bit i: member i may change a loop and its copies twice.
  static constexpr std::uint64_t repeating = [] {
    std::uint64_t members = 0;
    std::uint32_t i = 0;
    ((members |= detail::repeating_loop_members<Members>() << i, i += detail::num_loop_members<Members>()), ...);
    return members;
  }();

  template <class E, class M> static constexpr bool are_loop_members = (detail::is_loop_member<Members, E, M>() && ...);

  managed_loop_package() = default;

  explicit managed_loop_package(Members... members)
    requires(sizeof...(Members) != 0)
      : Members(std::move(members))... {}

  static constexpr const char* name(std::size_t i) {
    const char* name = nullptr;
    std::size_t first = 0;
    const auto look = [&]<class Member>(std::type_identity<Member>) {
      const std::size_t count = detail::num_loop_members<Member>();
      name = i >= first && i < first + count ? detail::loop_member_name<Member>(i - first) : name;
      first += count;
    };
    (look(std::type_identity<Members>()), ...);
    return name;
  }

  /// Calls `visit(member, i)` in order until a call returns true. Returns whether one did.
  template <class Visit> bool for_each_until(Visit visit) {
    std::uint32_t i = 0;
    return for_each_until(visit, i);
  }

  /// As above, with numbers from `i` on. Leaves the number after the last visited member in `i`.
  template <class Visit> bool for_each_until(Visit& visit, std::uint32_t& i) {
    return (detail::visit_until(static_cast<Members&>(*this), visit, i) || ...);
  }

  /// See `loop_package`.
  template <loop_package_editor E, loop_machine_argument M, class Observer>
  loop_package_log run(E& editor, const M& machine, const loop_package_options& options, Observer& observer) {
    static_assert(
        are_loop_members<E, M>,
        "midend: a member of the loop package needs `propose(const loop_question<M>&, flat_array<loop_change>&)` and "
        "`apply(E&, span<const loop_change>, Observer&, flat_array<unsigned char>&)`, for any editor");
    loop_package_log log;
    detail::loop_package_work<managed_loop_package, E, M, Observer> work(*this, editor, machine, options, observer,
                                                                         log);
    run_loop_manager(work, options.manager, log.manager);
    work.finish();
    return log;
  }

  template <loop_package_editor E, loop_machine_argument M>
  loop_package_log run(E& editor, const M& machine, const loop_package_options& options = {}) {
    loop_package_observer nobody;
    return run(editor, machine, options, nobody);
  }
};

/// The loop macro package of A. Drozdov, A. Stepanenkov, "Managed optimization packages": loop optimizations, and a
/// manager (`run_loop_manager`) that visits the loop tree from inner to outer loops, hot loops first, and applies
/// profitable changes.
///
///     midend::elbrus::cost_editor editor(procedure);
///     midend::loop_package_log log = midend::loop_package().run(editor, midend::e2k_reference_v6());
///
/// **Trials measure quality.** For each visited loop, the package extracts it (`extract_loop`) with its facts and trip
/// counts. Each member proposes changes. The package applies each change to a copy of the extracted loop, cleans the
/// copy up (`clean_up`), estimates it for the machine (`estimate`), and compares it with the unchanged loop. It chooses
/// the best change of the first member that has a profitable one, and applies it to the procedure at the end of the
/// sweep. Then it cleans up the procedure, so that dead copies do not count, and recomputes all analyses. A change is
/// profitable if the loop takes fewer cycles for each entry; if the loop grows, the gain must reach `least_gain`. A
/// loop is not tried if an equal loop had no profitable change, or if a change left it unchanged.
///
/// **Growth.** No change is chosen that makes the procedure larger than `max_size`, by the sizes that the trials
/// measure. Each loop has a share of the operations left, in proportion to its part of the time of all loops still to
/// be visited. So a hot outer loop keeps its share while its inner loops are visited. Members share it by `importance`:
/// a less important one leaves a part to those that may still change the loop.
///
/// **The end.** Each member changes a loop only once, or twice if it `may_repeat`, and a copy of a loop, such as a
/// remainder, inherits which members have changed it. Otherwise some members would find their own results profitable
/// again: without a profile, the rest of a peeled loop looks as if it ran as often as the loop did. So a change takes
/// away a pair (height of the loop in the tree of loops, how often members may still change it) and adds only smaller
/// ones, those of its copies and of copies of loops inside. This order of multisets is well-founded (N. Dershowitz, Z.
/// Manna, "Proving termination with multiset orderings", CACM 22(8), 1979), and the package ends without a limit on
/// sweeps. A member of your own that makes loops of new nodes, which are no copies, must end by itself.
///
/// **Departures.** The paper accepts a change of equal quality; this package requires a better one, because changes of
/// equal quality could undo each other forever.
///
/// Requires an editor with the cost rung. Loops of more than `max_trial` operations or `max_trial_loops` loops, and
/// unreachable loops stay as they are. Irreducible cycles are not loops. The time is that of the trials and, for each
/// sweep, of `clean_up` and `estimate` on the procedure.
using loop_package =
    managed_loop_package<collapse_nest, interchange_nest, unroll_completely, unroll_partially, peel_loops,
                         unswitch_loops, split_loops, split_by_condition, separate_accesses>;

MIDEND_END_NAMESPACE
