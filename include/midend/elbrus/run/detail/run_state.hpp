/// What of a run concerns more than the slots of one frame.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/run/detail/compute.hpp"
#include "midend/elbrus/run/detail/decoded_procedure.hpp"
#include "midend/elbrus/run/detail/decoded_program.hpp"
#include "midend/elbrus/run/detail/frames.hpp"
#include "midend/elbrus/run/host.hpp"
#include "midend/elbrus/run/run_result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// The frames and the result of a run: calls, returns, events, the end.
class run_state {
public:
  run_state(decoded_program& program, frame_stack& frames, const run_options& options, run_result& result)
      : program_(program), frames_(frames), options_(options), result_(result) {
    result_.profile.resize(program.size());
    frames_.clear();
  }

protected:
  /// The procedure that runs, and where it is.
  struct activation {
    const instruction* at;
    slot_view slots;
    const decoded_procedure* code;
    std::uint64_t* edge_counts;
  };

  activation current() {
    const frame& f = frames_.top();
    return {f.at, frames_.slots(f), &program_[f.procedure], result_.profile[f.procedure].edges.data()};
  }

  /// Makes the frame of a procedure, if that is within the limits.
  bool begin(std::uint32_t number, std::span<const argument> arguments) {
    const decoded_procedure& code = program_[number];
    if (frames_.depth() == options_.call_depth || frames_.num_slots() + code.num_slots() > options_.frame_slots) {
      return false;
    }
    procedure_profile& counts = result_.profile[number];
    counts.edges.resize(code.edges.size());
    ++counts.calls;
    frames_.push(number, code, arguments);
    return true;
  }

  /// What concerns more than the slots of this frame.
  fault leave_loop(const instruction& i, slot_view s) {
    switch (i.what) {
    case action::volatile_access:
      return access_volatile(i, s);
    case action::call:
    case action::host_call:
      return call(i, s);
    case action::bad_call:
      return trap_kind::bad_call;
    case action::ret:
      return leave(i, s);
    default:
      return trap_kind::unreachable;
    }
  }

  fault access_volatile(const instruction& i, slot_view s) {
    if (!s.defined(i)) {
      return trap_kind::diagnostic_value;
    }
    const scalar address = {type::ptr, address_of(i, s)};
    if (const fault problem = access_memory(i, s, result_.memory)) {
      return problem;
    }
    if (!options_.record_events) {
      return {};
    }
    if (i.code == opcode::st) {
      result_.events.add(event_kind::volatile_store, {}, std::array{address, scalar{i.type, s.bits[i.a]}}, {});
    } else {
      result_.events.add(event_kind::volatile_load, {}, std::array{address}, {i.type, s.bits[i.result]});
    }
    return {};
  }

  std::span<const argument> arguments_of(const instruction& call) {
    return std::span(program_[frames_.top().procedure].arguments).subspan(call.first, call.count);
  }

  fault call(const instruction& i, slot_view s) {
    const std::span<const argument> arguments = arguments_of(i);
    for (const argument& a : arguments) {
      if (!is_usable(a.slot, s)) {
        return trap_kind::diagnostic_value;
      }
    }
    if (i.what == action::host_call) {
      return call_host(i, s, arguments);
    }
    return begin(i.target, arguments) ? fault() : trap_kind::call_depth;
  }

  fault call_host(const instruction& i, slot_view s, std::span<const argument> arguments) {
    arguments_.clear();
    for (const argument& a : arguments) {
      arguments_.push_back({a.type, s.bits[a.slot]});
    }
    const procedure& caller = program_.source(frames_.top().procedure);
    const std::string_view callee = caller.text(caller.call(i.value).callee);
    const host_answer answer =
        options_.host ? options_.host({callee, arguments_, i.type, result_.memory}) : host_answer::unknown();
    if (answer.kind == host_answer::outcome::unknown) {
      return trap_kind::unknown_callee;
    }
    const bool has_result = answer.kind == host_answer::outcome::result && i.type != type::none;
    const scalar result = has_result ? scalar{i.type, answer.bits & low_ones(width_of(i.type))} : scalar{};
    if (options_.record_events) {
      result_.events.add(event_kind::call, callee, arguments_, result);
    }
    if (answer.kind == host_answer::outcome::stopped) {
      return trap_kind::host_stop;
    }
    return take_result(i, s, result);
  }

  /// The end of a call.
  static fault take_result(const instruction& call, slot_view s, scalar result) {
    if (call.noreturn) {
      return trap_kind::returned;
    }
    if (call.type != type::none) {
      if (result.type == type::none) {
        return trap_kind::bad_call;
      }
      s.put(call.result, result.bits);
    }
    return {};
  }

  /// `ret`.
  fault leave(const instruction& i, slot_view s) {
    if (i.a != none && !is_usable(i.a, s)) {
      return trap_kind::diagnostic_value;
    }
    const type t = program_.source(frames_.top().procedure).result_type();
    const scalar result = i.a == none ? scalar{} : scalar{t, s.bits[i.a]};
    if (frames_.depth() == 1) {
      result_.value = i.a == none ? std::nullopt : std::optional(result);
      finished_ = true;
      return {};
    }
    frames_.pop();
    const instruction& call = frames_.top().at[-1];
    if (const fault problem = take_result(call, frames_.slots(frames_.top()), result)) {
      stop(call, *problem);
    }
    return {};
  }

  /// Ends the run with a trap.
  void stop(const instruction& i, trap_kind kind) {
    const frame& f = frames_.top();
    const procedure& p = program_.source(f.procedure);
    trap t{.kind = kind, .procedure = f.procedure, .value = i.value};
    t.node = i.value == no_value ? no_node : p.value(i.value).node;
    if (kind == trap_kind::diagnostic_value || kind == trap_kind::unwritten_variable) {
      blame(i, frames_.slots(f), t);
    } else if (kind == trap_kind::bad_access) {
      t.detail = address_of(i, frames_.slots(f));
    }
    result_.trap = t;
    finished_ = true;
  }

  /// Finds the operand that an instruction must not use.
  void blame(const instruction& i, slot_view s, trap& t) {
    std::uint32_t bad = none;
    const auto look_at = [&](std::uint32_t slot) {
      if (bad == none && slot != none && !is_usable(slot, s)) {
        bad = slot;
      }
    };
    if (i.what == action::call || i.what == action::host_call) {
      for (const argument& a : arguments_of(i)) {
        look_at(a.slot);
      }
    } else {
      look_at(i.a);
      look_at(i.what == action::select && s.bits[i.a] == 0 ? i.c : i.b);
      look_at(i.c);
    }
    t.operand = program_[frames_.top().procedure].value_of[bad];
    t.kind = s.states[bad] == slot_state::unwritten   ? trap_kind::unwritten_variable
             : s.states[bad] == slot_state::undefined ? trap_kind::undefined_value
                                                      : trap_kind::diagnostic_value;
  }

  static bool is_usable(std::uint32_t slot, slot_view s) { return s.states[slot] == slot_state::defined; }

  decoded_program& program_;
  frame_stack& frames_;
  const run_options& options_;
  run_result& result_;
  bool finished_ = false;

private:
  std::vector<scalar> arguments_; ///< of a host function
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
