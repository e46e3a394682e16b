/// `simulate`: runs a schedule, wide instruction by wide instruction.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/region_value_kind.hpp"
#include "midend/machine/machine.hpp"
#include "midend/schedule/run_region.hpp"
#include "midend/schedule/schedule.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The faults of a simulation.
enum class simulation_fault : std::uint8_t {
  none,
  calls,              ///< the body calls something
  reads_too_early,    ///< `reader` reads the register of `producer` before the result is available
  reads_unwritten,    ///< `reader` needs the result of `producer`, which is not issued yet
  effect_before_exit, ///< the store `reader` is issued before an earlier exit is decided
  without_meaning,    ///< `reader`, an effect or an exit, depends on an arbitrary value
  leaves_too_early,   ///< control leaves in iteration `pass` by an exit, before the last iteration
  does_not_leave      ///< control does not leave in the last iteration
};

/// The number of runs of the body.
struct simulated_trip {
  std::uint32_t passes = 1;       ///< iterations that begin, the last one included
  std::uint32_t counted_exit = 0; ///< the exit of the last iteration if the number of iterations decides it: such an
                                  ///< exit is not tested
};

/// The result of `simulate`.
struct simulation {
  simulation_fault fault = simulation_fault::none;
  operation_id reader = no_machine_operation;
  operation_id producer = no_machine_operation;
  std::uint32_t pass = 0;             ///< of the reader
  std::uint64_t cycle = 0;            ///< of the fault, from the first iteration on
  std::uint64_t cycles = 0;           ///< (passes + stages - 1) · II and the set-up; of a straight line its length
  std::uint32_t exit = 0;             ///< by which control leaves
  flat_array<region_number> results;  ///< by value of `live_out`
  flat_array<std::uint64_t> channels; ///< by channel: the operations issued on it
  std::uint64_t operations = 0;       ///< issued

  constexpr bool is_complete() const { return fault == simulation_fault::none; }

  friend constexpr bool operator==(const simulation&, const simulation&) = default;
};

namespace detail {

/// Whether an operation of a schedule is issued, as of a cycle.
struct issue_times {
  const machine_body* body = nullptr;
  const schedule* s = nullptr;
  std::uint64_t now = 0;

  constexpr std::uint64_t of(operation_id o, std::uint32_t pass) const {
    return s->slots[o].cycle + std::uint64_t{s->interval} * pass;
  }

  constexpr bool operator()(region_id node, std::uint32_t pass) const {
    const operation_id o = body->results[node];
    return o == no_machine_operation || of(o, pass) <= now;
  }
};

/// One call of `simulate`.
template <class M, region_memory Memory> class schedule_simulator {
public:
  constexpr schedule_simulator(const program_region& region, const machine_body& body, const M& m, const schedule& s,
                               span<const std::uint64_t> inputs, Memory& memory, const simulated_trip& trip,
                               simulation& out)
      : region_(region), body_(body), m_(m), s_(s), memory_(memory), trip_(trip), out_(out), times_{&body, &s, 0},
        values_(region, inputs, memory, times_) {}

  constexpr void run() {
    out_.channels.assign(m_.num_channels(), 0);
    if (region_.has_call) {
      out_.fault = simulation_fault::calls;
      return;
    }
    group();
    for (std::uint32_t pass = 0; pass != trip_.passes; ++pass) {
      values_.begin_pass();
      taken_.push_back(none);
    }
    values_.load_invariants();
    const std::uint64_t end = s_.cycles(trip_.passes);
    for (std::uint64_t cycle = 0; cycle != end && out_.is_complete(); ++cycle) {
      times_.now = cycle;
      commit(cycle);
      issue_row(cycle);
    }
    if (out_.is_complete()) {
      times_.now = ~std::uint64_t{0};
      commit(times_.now);
      finish(end);
    }
  }

private:
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  struct pending_store {
    std::uint64_t visible;
    std::uint64_t address;
    std::uint64_t bits;
    std::uint32_t bytes;
    std::uint32_t memory;
  };

  /// Operations by row, values by operation, dependences by consumer.
  constexpr void group() {
    const std::size_t count = body_.graph.num_operations();
    rows_ = s_.interval == 0 ? s_.length : s_.interval;
    first_in_row_.assign(rows_ + std::size_t{1}, 0);
    for (operation_id o = 0; o != count; ++o) {
      ++first_in_row_[s_.row(o)];
    }
    counts_to_ends(first_in_row_);
    in_row_.resize_for_overwrite(count);
    for (operation_id o = static_cast<operation_id>(count); o-- != 0;) {
      in_row_[--first_in_row_[s_.row(o)]] = o;
    }
    first_value_.assign(count + 1, 0);
    for (const operation_id o : body_.results) {
      if (o != no_machine_operation) {
        ++first_value_[o];
      }
    }
    counts_to_ends(first_value_);
    values_of_.resize_for_overwrite(first_value_.back());
    for (region_id n = static_cast<region_id>(body_.results.size()); n-- != 0;) {
      if (body_.results[n] != no_machine_operation) {
        values_of_[--first_value_[body_.results[n]]] = n;
      }
    }
    const span<const operation_dependence> all = body_.graph.dependences();
    first_in_.assign(count + 1, 0);
    for (const operation_dependence& d : all) {
      ++first_in_[d.consumer];
    }
    counts_to_ends(first_in_);
    in_.resize_for_overwrite(all.size());
    for (std::size_t i = all.size(); i-- != 0;) {
      in_[--first_in_[all[i].consumer]] = static_cast<std::uint32_t>(i);
    }
  }

  constexpr void fail(simulation_fault fault, operation_id reader, operation_id producer, std::uint32_t pass) {
    if (out_.is_complete()) {
      out_.fault = fault;
      out_.reader = reader;
      out_.producer = producer;
      out_.pass = pass;
      out_.cycle = times_.now;
    }
  }

  /// Commits the stores that loads can read from this cycle on.
  constexpr void commit(std::uint64_t cycle) {
    while (committed_ != stores_.size() && stores_[committed_].visible <= cycle) {
      const pending_store& p = stores_[committed_++];
      memory_.store(p.address, p.bytes, p.memory, p.bits);
    }
  }

  constexpr void issue_row(std::uint64_t cycle) {
    const auto row = static_cast<std::uint32_t>(cycle % rows_);
    for (std::uint32_t i = first_in_row_[row]; i != first_in_row_[row + std::size_t{1}]; ++i) {
      const operation_id o = in_row_[i];
      if (cycle < s_.slots[o].cycle) {
        continue; // the prologue
      }
      const std::uint64_t pass = (cycle - s_.slots[o].cycle) / rows_;
      if (pass < trip_.passes) { // else the epilogue
        issue(o, static_cast<std::uint32_t>(pass));
      }
    }
  }

  constexpr void issue(operation_id o, std::uint32_t pass) {
    ++out_.operations;
    if (s_.slots[o].channel < out_.channels.size()) {
      ++out_.channels[s_.slots[o].channel];
    }
    check_registers(o, pass);
    for (std::uint32_t i = first_value_[o]; i != first_value_[o + std::size_t{1}]; ++i) {
      const region_id n = values_of_[i];
      if (region_.values[n].kind == region_value_kind::store) {
        issue_store(o, n, pass);
      } else if (region_.values[n].kind != region_value_kind::load || !values_.is_computed(n, pass)) {
        require(o, values_.need(n, pass), pass);
      }
    }
    const std::uint32_t exit = o - body_.first_exit;
    if (o >= body_.first_exit && exit < region_.exits.size() && !region_.exits[exit].is_counted) {
      // After a taken exit a test may be arbitrary; the exit itself may be issued later.
      const bool is_there = require(o, values_.need(region_.exits[exit].predicate, pass), pass);
      if (is_there && values_.number({region_.exits[exit].predicate, 0}, pass).is_known) {
        decide(o, exit, pass, simulation_fault::reads_unwritten);
      }
    }
  }

  /// Checks the registers that an operation reads at its issue. The old value that a predicated operation keeps must
  /// only be available before the operation writes.
  constexpr void check_registers(operation_id o, std::uint32_t pass) {
    for (std::uint32_t i = first_in_[o]; i != first_in_[o + std::size_t{1}]; ++i) {
      const operation_dependence& d = body_.graph.dependences()[in_[i]];
      if ((d.kind != dependence_kind::value && d.kind != dependence_kind::guard) || d.distance > pass) {
        continue;
      }
      const std::uint32_t latency =
          m_.latency(body_.graph.operation(d.producer).kind, body_.graph.operation(o).kind, d.kind);
      const std::uint32_t own = body_.graph.operation(o).latency;
      const std::uint32_t kept = latency + 1 > own ? latency + 1 - own : 0;
      const std::uint32_t wanted = d.latency == kept ? kept : latency;
      if (times_.of(d.producer, pass - d.distance) + wanted > times_.of(o, pass)) {
        fail(simulation_fault::reads_too_early, o, d.producer, pass);
      }
    }
  }

  constexpr bool require(operation_id o, bool is_there, std::uint32_t pass) {
    if (!is_there) {
      fail(simulation_fault::reads_unwritten, o, body_.results[values_.missing], pass);
    }
    return is_there;
  }

  /// Decides whether control leaves by an exit in an iteration. Returns false, with a fault, if that is unknown.
  constexpr bool decide(operation_id o, std::uint32_t exit, std::uint32_t pass, simulation_fault if_unknown) {
    const region_exit& e = region_.exits[exit];
    if (e.is_counted) {
      if (pass + 1 == trip_.passes && exit == trip_.counted_exit) {
        take(exit, pass);
      }
      return true;
    }
    if (!values_.need(e.predicate, pass)) {
      fail(if_unknown, o, body_.results[values_.missing], pass);
      return false;
    }
    const region_number test = values_.number({e.predicate, 0}, pass);
    if (!test.is_known) {
      fail(simulation_fault::without_meaning, o, no_machine_operation, pass);
      return false;
    }
    if ((test.bits != 0) != e.negated) {
      take(exit, pass);
    }
    return true;
  }

  constexpr void take(std::uint32_t exit, std::uint32_t pass) {
    taken_[pass] = exit < taken_[pass] ? exit : taken_[pass];
    if (pass + 1 != trip_.passes) {
      fail(simulation_fault::leaves_too_early, body_.first_exit + exit, no_machine_operation, pass);
    }
  }

  /// Whether control reaches a value of an iteration.
  constexpr bool is_reached(operation_id o, region_id n, std::uint32_t pass) {
    for (; undecided_ < pass; ++undecided_) {
      for (std::uint32_t e = 0; e != region_.exits.size() && e < taken_[undecided_]; ++e) {
        if (!decide(o, e, undecided_, simulation_fault::effect_before_exit)) {
          return false;
        }
      }
    }
    for (std::uint32_t e = 0; e != region_.exits.size() && region_.exits[e].position <= n; ++e) {
      if (region_.is_straight_line) {
        break; // control leaves at the end
      }
      if (!decide(o, e, pass, simulation_fault::effect_before_exit) || taken_[pass] <= e) {
        return false;
      }
    }
    return true;
  }

  constexpr void issue_store(operation_id o, region_id n, std::uint32_t pass) {
    const region_value& v = region_.values[n];
    if (!is_reached(o, n, pass)) {
      return;
    }
    region_number guard{1, true};
    if (v.guard != no_region_value) {
      if (!require(o, values_.need(v.guard, pass), pass)) {
        return;
      }
      guard = values_.number({v.guard, 0}, pass);
    }
    if (!guard.is_known) {
      fail(simulation_fault::without_meaning, o, no_machine_operation, pass);
      return;
    }
    const region_access& a = region_.accesses[v.access];
    if ((guard.bits != 0) == v.guard_negated || !require(o, values_.need_address(a, pass), pass)) {
      return;
    }
    const region_number where = values_.address(a, pass);
    const region_number what = values_.number(a.stored, pass);
    if (!where.is_known || !what.is_known) {
      fail(simulation_fault::without_meaning, o, no_machine_operation, pass);
      return;
    }
    const std::uint32_t latency =
        m_.latency(body_.graph.operation(o).kind, operation_class::load, dependence_kind::memory);
    stores_.push_back({times_.now + max(latency, std::uint32_t{1}), where.bits, what.bits, a.bytes, a.memory});
  }

  constexpr void finish(std::uint64_t end) {
    const std::uint32_t last = trip_.passes - 1;
    out_.cycles = end + (s_.interval == 0 ? 0 : m_.value(machine_field::loop_setup));
    out_.exit = static_cast<std::uint32_t>(region_.exits.size());
    for (std::uint32_t e = 0; e != region_.exits.size() && e < taken_[last]; ++e) {
      decide(body_.first_exit + e, e, last, simulation_fault::reads_unwritten);
    }
    if (taken_[last] != none) {
      out_.exit = taken_[last];
    } else if (!region_.is_straight_line) {
      fail(simulation_fault::does_not_leave, no_machine_operation, no_machine_operation, last);
    }
    read_results(region_, values_, out_.exit, last, out_.results);
  }

  const program_region& region_;
  const machine_body& body_;
  const M& m_;
  const schedule& s_;
  Memory& memory_;
  const simulated_trip& trip_;
  simulation& out_;
  issue_times times_;
  region_evaluator<Memory, issue_times> values_;
  std::uint32_t rows_ = 0;
  std::uint32_t undecided_ = 0; ///< in all iterations before, it is known whether control leaves
  std::size_t committed_ = 0;
  flat_array<std::uint32_t> first_in_row_;
  flat_array<operation_id> in_row_;
  flat_array<std::uint32_t> first_value_;
  flat_array<region_id> values_of_;
  flat_array<std::uint32_t> first_in_;
  flat_array<std::uint32_t> in_;
  flat_array<std::uint32_t> taken_; ///< by iteration: the first exit that is known to be taken, or `none`
  flat_array<pending_store> stores_;
};

} // namespace detail

/// Runs a schedule of a lowered region: in each cycle the operations of one row of the kernel, each for the iteration
/// of its stage, with prologue and epilogue. Each iteration has its own registers, as with rotating ones. A value of
/// the region is computed by the last operation of its lowering, and its operands must have been issued early enough
/// for the latencies of the machine. A load reads memory at its issue, even if its result is not needed; where there is
/// no memory, its result is arbitrary. A load can read a store after the latency from store to load. A store does
/// nothing if its guard is false or it follows a taken exit; both must be known at its issue.
///
/// `run_region` gives the number of iterations and, for the same inputs and memory, the same exit, results and memory.
/// Requires a body that was lowered without `counts_in_hardware`, and a slot for each operation; the schedule may be
/// wrong otherwise. Takes (passes + stages - 1) · II cycles and the set-up of the machine. O(cycles + iterations ·
/// (operations + values)).
template <loop_machine_argument M, region_memory Memory>
constexpr simulation simulate(const program_region& region, const machine_body& body, const M& m, const schedule& s,
                              span<const std::uint64_t> inputs, Memory& memory, const simulated_trip& trip) {
  MIDEND_ASSERT(s.slots.size() == body.graph.num_operations() && inputs.size() >= region.values.size(),
                "a slot for each operation and a number for each value", s.slots.size(), inputs.size());
  simulation out;
  detail::schedule_simulator<M, Memory>(region, body, m, s, inputs, memory, trip, out).run();
  return out;
}

MIDEND_END_NAMESPACE
