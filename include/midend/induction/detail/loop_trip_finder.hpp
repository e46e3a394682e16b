/// `loop_trip_finder`: how often loops run, by each exit and by all exits together.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/detail/count_exit.hpp"
#include "midend/induction/detail/exit_operands.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Counts loops, and writes the counts into evolutions. An exit that each iteration tests compares a counter with an
/// invariant, or two counters; it is taken if one of several comparisons holds, or if all do (`count_exit`).
class loop_trip_finder {
public:
  loop_trip_finder(const trip_inputs& in, value_evolutions& out)
      : in_(in), p_(in.program), loops_(in.loops), out_(out) {}

  /// Fills the trips of loop `l`, and appends those of its exits. Requires those of the loops inside.
  void count(loop_id l) {
    loop_trips& trips = out_.loops_[l].trips;
    trips = {};
    trips.count = {trip_count_kind::endless, 0, 1};
    loop_trips total = trips;
    bool ends = false;
    const exit_place place = place_of(l, has_one_end(l));
    const node_id last_common = last_common_node(l);
    out_.loops_[l].first_exit = static_cast<std::uint32_t>(out_.exits_.size());
    for (const loop_edge& e : loops_.exiting_edges(l)) {
      loop_trips one;
      const bool is_tested = loops_.innermost_loop(e.source) == l && out_.dominators_.dominates(e.source, last_common);
      if (is_tested) {
        one = count_exit(place, e);
      }
      one.last_node = e.source;
      out_.exits_.push_back(out_.packed(e.id, is_tested, one));
      ends = ends || one.ends;
      if (one.count.kind != trip_count_kind::endless) {
        total = total.count.kind == trip_count_kind::endless ? one : earlier_of(total, one);
      }
    }
    out_.loops_[l].last_exit = static_cast<std::uint32_t>(out_.exits_.size());
    if (total.count.kind != trip_count_kind::exact && !total.has_formula) {
      total.last_node = no_node;
    }
    total.ends = ends;
    trips = total;
  }

  /// Runs loop `l`, which is counted, if an exit gives no count and the number is unknown.
  void run(loop_id l, loop_runner& runner) {
    bool may_gain = false;
    for (std::size_t i = 0; i != out_.num_exits(l); ++i) {
      const packed_exit& x = out_.exits_[out_.loops_[l].first_exit + i];
      may_gain = may_gain ||
                 (x.count.kind == trip_count_kind::unknown && !x.is_direct && x.backedges.count == packed_form::itself);
    }
    if (is_open(l) && may_gain && loops_.subloops(l).size() == 1) {
      out_.loops_[l].run = runner.run(l, out_);
    }
  }

  /// Adds the count of a run of loop `l`, if there was one.
  void note_run(loop_id l) {
    loop_trips& trips = out_.loops_[l].trips;
    const trip_count& found = out_.loops_[l].run;
    if (is_open(l) && found.kind == trip_count_kind::exact) {
      trips.count = found;
      trips.has_formula = false;
      trips.last_node = out_.num_exits(l) == 1 ? out_.exit(l, 0).trips.last_node : no_node;
    } else if (is_open(l) && found.kind == trip_count_kind::at_most &&
               (trips.count.kind == trip_count_kind::unknown || found.backedges < trips.count.backedges)) {
      trips.count = {found.kind, found.backedges, trips.count.multiple};
    }
  }

private:
  loop_trips earlier_of(const loop_trips& a, const loop_trips& b) const {
    const bool b_is_exact = b.count.kind == trip_count_kind::exact;
    const bool is_sooner =
        b_is_exact &&
        (a.count.kind != trip_count_kind::exact || b.count.backedges < a.count.backedges ||
         (b.count.backedges == a.count.backedges && out_.dominators_.dominates(b.last_node, a.last_node)));
    loop_trips out;
    out.count = combined(a.count, b.count);
    out.last_node = is_sooner ? b.last_node : a.last_node;
    out.has_bound = a.has_bound || b.has_bound;
    out.bound = a.has_bound ? a.bound : b.bound;
    return out;
  }

  bool is_open(loop_id l) const {
    const trip_count_kind kind = out_.loops_[l].trips.count.kind;
    return kind == trip_count_kind::unknown || kind == trip_count_kind::at_most;
  }

  /// The last node that each iteration reaches if it does not leave loop `l`. Its dominators are reached, too.
  node_id last_common_node(loop_id l) const {
    node_id common = no_node;
    for (const loop_edge& back : loops_.backedges(l)) {
      common = common == no_node ? back.source : out_.dominators_.nearest_common_dominator(common, back.source);
    }
    return common;
  }

  /// An exit of loop `l`, whose condition may be the only end of the loop.
  exit_place place_of(loop_id l, bool is_only_end) const {
    bool must_leave = is_only_end;
    for (const loop_edge& e : is_only_end ? loops_.backedges(l) : span<const loop_edge>()) {
      must_leave = must_leave && p_.must_end(e.id);
    }
    return {in_, l, is_only_end, must_leave};
  }

  /// Whether loop `l` can end only by an exit: it has one, contains no other loop, and all its operations return.
  bool has_one_end(loop_id l) const {
    std::size_t exits = 0;
    for ([[maybe_unused]] const loop_edge& e : loops_.exiting_edges(l)) {
      ++exits;
    }
    bool is_one = exits == 1 && loops_.subloops(l).size() == 1;
    for (const node_id n : is_one ? loops_.own_blocks(l) : span<const node_id>()) {
      for (const value_id v : p_.values(n)) {
        const effect_kind effect = p_.effect(v);
        const bool is_access =
            effect == effect_kind::none || effect == effect_kind::reads || effect == effect_kind::writes;
        is_one = is_one && !p_.may_not_return(v) && !p_.is_volatile(v) && (is_access || !p_.may_write(v, any_memory));
      }
    }
    return is_one;
  }

  const trip_inputs& in_;
  const flat_program& p_;
  const loop_forest& loops_;
  value_evolutions& out_;
};

} // namespace detail

MIDEND_END_NAMESPACE
