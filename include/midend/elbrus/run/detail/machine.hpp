/// The loop that executes instructions.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/run/detail/compute.hpp"
#include "midend/elbrus/run/detail/decoded_procedure.hpp"
#include "midend/elbrus/run/detail/frames.hpp"
#include "midend/elbrus/run/detail/run_state.hpp"
#include "midend/elbrus/run/trap.hpp"
#include "midend/elbrus/scalar.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// One run. What the loop needs for each instruction is in locals of `execute`.
class machine : private run_state {
public:
  using run_state::run_state;

  /// Fills the result. Requires as many arguments as the procedure has.
  void run(std::uint32_t number, std::span<const scalar> arguments) {
    if (!begin(number, {})) {
      result_.trap = trap{.kind = trap_kind::call_depth, .procedure = number};
      return;
    }
    const slot_view slots = frames_.slots(frames_.top());
    for (std::uint32_t k = 0; k != arguments.size(); ++k) {
      slots.put(k, arguments[k].bits);
    }
    result_.executed = options_.step_limit - execute();
  }

private:
  /// Runs to the end. Returns how many of the operations that are allowed were not executed.
  std::uint64_t execute() {
    activation here = current();
    std::uint64_t left = options_.step_limit;
    for (;;) {
      const instruction& i = *here.at++;
      if (left == 0) [[unlikely]] {
        stop(i, trap_kind::step_limit);
        return left;
      }
      --left;
      fault problem;
      switch (i.what) {
      case action::move:
        problem = pass(i, here.slots, i.a);
        break;
      case action::select:
        problem = select(i, here.slots);
        break;
      case action::guard:
        if (holds(i, here.slots)) {
          ++left; // it counts as one with its operation
          continue;
        }
        ++here.at;
        problem = leave_out(i, here.slots);
        break;
      case action::jump:
      case action::branch:
      case action::switch_:
        if (const std::uint32_t e = next_edge(i, here); e != none) [[likely]] {
          const decoded_edge& way = here.code->edges[e];
          if (left < way.num_phis) {
            stop({.value = way.first_phi}, trap_kind::step_limit);
            return left;
          }
          left -= way.num_phis;
          ++here.edge_counts[e];
          follow(way, *here.code, here.slots);
          here.at = here.code->code.data() + way.target;
          continue;
        }
        problem = trap_kind::diagnostic_value;
        break;
      case action::volatile_access:
      case action::call:
      case action::host_call:
      case action::bad_call:
      case action::ret:
      case action::unreachable:
        frames_.top().at = here.at;
        problem = leave_loop(i, here.slots);
        if (finished_) {
          return left;
        }
        here = current();
        break;
      default:
        problem = here.slots.defined(i) ? compute(i, here.slots, result_.memory) : trap_kind::diagnostic_value;
      }
      if (problem && !endure(i, *problem, here.slots)) [[unlikely]] {
        return left;
      }
    }
  }

  /// A speculative operation without a result has a diagnostic one, any other ends the run.
  bool endure(const instruction& i, trap_kind problem, slot_view s) {
    if (i.speculative) {
      s.states[i.result] = slot_state::diagnostic;
    } else {
      stop(i, problem);
    }
    return i.speculative;
  }

  /// The result is what is in a slot, whatever that is.
  static fault pass(const instruction& i, slot_view s, std::uint32_t from) {
    if (s.states[from] == slot_state::unwritten) {
      return trap_kind::unwritten_variable;
    }
    s.copy(from, i.result);
    return {};
  }

  static fault select(const instruction& i, slot_view s) {
    return is_usable(i.a, s) ? pass(i, s, s.bits[i.a] != 0 ? i.b : i.c) : trap_kind::diagnostic_value;
  }

  static bool holds(const instruction& guard, slot_view s) {
    return is_usable(guard.a, s) && (s.bits[guard.a] == 0) == guard.negated;
  }

  /// The operation behind a guard does not run.
  static fault leave_out(const instruction& guard, slot_view s) {
    if (!is_usable(guard.a, s)) {
      return trap_kind::diagnostic_value;
    }
    return guard.b == none ? fault() : pass(guard, s, guard.b);
  }

  /// The edge that a terminator takes; `none` if its operand cannot be used.
  static std::uint32_t next_edge(const instruction& i, const activation& here) {
    if (i.what == action::jump) {
      return i.target;
    }
    if (!is_usable(i.a, here.slots)) {
      return none;
    }
    const std::uint64_t bits = here.slots.bits[i.a];
    if (i.what == action::branch) {
      return bits != 0 ? i.first : i.target;
    }
    const case_edge* const first = here.code->cases.data() + i.first;
    const case_edge* const end = first + i.count;
    const case_edge* const at =
        std::lower_bound(first, end, bits, [](const case_edge& c, std::uint64_t wanted) { return c.bits < wanted; });
    return at != end && at->bits == bits ? at->edge : i.target;
  }

  static void follow(const decoded_edge& way, const decoded_procedure& code, slot_view s) {
    const move* m = code.moves.data() + way.first_move;
    for (const move* const end = m + way.num_moves; m != end; ++m) {
      s.copy(m->from, m->to);
    }
  }
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
