/// `machine`: executes the instructions of decoded procedures.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/extended.hpp"
#include "midend/elbrus/float_operations.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/run/detail/accessed_classes.hpp"
#include "midend/elbrus/run/detail/decoded_procedure.hpp"
#include "midend/elbrus/run/detail/decoder.hpp"
#include "midend/elbrus/run/detail/extended_pool.hpp"
#include "midend/elbrus/run/event_trace.hpp"
#include "midend/elbrus/run/host.hpp"
#include "midend/elbrus/run/memory.hpp"
#include "midend/elbrus/run/profile.hpp"
#include "midend/elbrus/run/run_result.hpp"
#include "midend/elbrus/run/trap.hpp"
#include "midend/elbrus/scalar.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// The slots of a frame. Valid until the next frame is made.
struct slot_view {
  std::uint64_t* bits = nullptr;
  slot_state* states = nullptr;

  void put(std::uint32_t slot, std::uint64_t value) const {
    bits[slot] = value;
    states[slot] = slot_state::defined;
  }

  void copy(std::uint32_t from, std::uint32_t to) const {
    bits[to] = bits[from];
    states[to] = states[from];
  }

  /// Whether the three operands of an instruction are defined.
  bool defined(const instruction& i) const { return (states[i.a] | states[i.b] | states[i.c]) == slot_state::defined; }
};

struct frame {
  std::uint32_t procedure;
  std::size_t first_slot;
  const instruction* at;   ///< the next instruction; during a call, the one after the call
  std::uint32_t call;      ///< counts the calls of the run from 1 on
  std::size_t first_local; ///< the local arrays of the frames below
};

/// All frames; their slots are in one array that grows.
class frame_stack {
public:
  void clear() {
    frames_.clear();
    bits_.clear();
    states_.clear();
    calls_ = 0;
  }

  std::size_t depth() const { return frames_.size(); }

  std::size_t num_slots() const { return bits_.size(); }

  /// Of all slots.
  span<const std::uint64_t> all_bits() const { return {bits_.data(), bits_.size()}; }

  frame& top() { return frames_.back(); }

  slot_view slots(const frame& f) { return {bits_.data() + f.first_slot, states_.data() + f.first_slot}; }

  /// The frame of a procedure that begins. Its arguments are the slots `arguments` of the frame below.
  void push(std::uint32_t procedure, const decoded_procedure& code, span<const argument> arguments,
            std::size_t num_locals) {
    const std::size_t first = bits_.size();
    add_slots(code);
    if (!arguments.empty()) {
      const slot_view from = slots(top());
      for (std::size_t i = 0; i != arguments.size(); ++i) {
        bits_[first + i] = from.bits[arguments[i].slot];
        states_[first + i] = slot_state::defined;
      }
    }
    frames_.push_back({procedure, first, code.code.data(), ++calls_, num_locals});
  }

  void pop() {
    bits_.shrink(top().first_slot);
    states_.shrink(top().first_slot);
    frames_.pop_back();
  }

private:
  void add_slots(const decoded_procedure& code) {
    const std::size_t first = bits_.size();
    const std::size_t size = first + code.num_slots();
    bits_.reserve(size);
    states_.reserve(size);
    bits_.resize_for_overwrite(size); // within the capacity, so the elements stay
    states_.resize_for_overwrite(size);
    if (code.num_slots() != 0) {
      std::memcpy(bits_.data() + first, code.bits.data(), code.num_slots() * sizeof(std::uint64_t));
      std::memcpy(states_.data() + first, code.states.data(), code.num_slots() * sizeof(slot_state));
    }
  }

  flat_array<frame> frames_;
  std::uint32_t calls_ = 0;
  flat_array<std::uint64_t> bits_;
  flat_array<slot_state> states_;
};

/// The reason why an instruction has no result. An operand that cannot be used gives `diagnostic_value` here.
using run_fault = std::optional<trap_kind>;

inline trap_kind trap_of(evaluation_fault f) {
  switch (f) {
  case evaluation_fault::division_by_zero:
    return trap_kind::division_by_zero;
  case evaluation_fault::division_overflow:
    return trap_kind::division_overflow;
  case evaluation_fault::shift_too_far:
    return trap_kind::shift_too_far;
  default:
    return trap_kind::broken_nsw;
  }
}

inline run_fault evaluate_any(const instruction& i, slot_view s) {
  const std::array args = {s.bits[i.a], s.bits[i.b], s.bits[i.c]};
  const evaluation result = evaluate(i.info, span(args).first(i.arity));
  if (!result) {
    return trap_of(result.fault);
  }
  s.put(i.result, result.bits);
  return {};
}

inline run_fault add_nsw(const instruction& i, slot_view s) {
  const midend::detail::wrapping_result sum = midend::detail::wrapping_add(s.bits[i.a], s.bits[i.b], i.info.width);
  if (sum.signed_wrap) {
    return trap_kind::broken_nsw;
  }
  s.put(i.result, sum.bits & low_ones(i.info.width));
  return {};
}

inline run_fault convert(const instruction& i, slot_view s) {
  const auto number = convert_number(i.code, i.operand_type, i.type, s.bits[i.a]);
  if (!number) {
    return trap_kind::bad_conversion;
  }
  s.put(i.result, *number);
  return {};
}

/// The address of a load or store.
inline std::uint64_t address_of(const instruction& i, slot_view s) {
  const auto index = static_cast<std::uint64_t>(as_signed(s.bits[i.c], i.info.operand_width));
  return s.bits[i.b] + index * i.count + static_cast<std::uint64_t>(i.offset);
}

inline run_fault access_memory(const instruction& i, slot_view s, memory& m) {
  if (i.code == opcode::st) {
    return m.store(i.type, address_of(i, s), s.bits[i.a]) ? run_fault() : trap_kind::bad_access;
  }
  const auto found = m.load(i.type, address_of(i, s));
  if (!found) {
    return trap_kind::bad_access;
  }
  s.put(i.result, *found);
  return {};
}

/// Computes a result. Requires that the operands are defined.
inline run_fault compute(const instruction& i, slot_view s, memory& m) {
  const std::uint64_t a = s.bits[i.a];
  const std::uint64_t b = s.bits[i.b];
  const unsigned width = i.info.operand_width;
  std::uint64_t result = 0;
  switch (i.what) {
  case action::evaluate:
    return evaluate_any(i, s);
  case action::add_nsw:
    return add_nsw(i, s);
  case action::conversion:
    return convert(i, s);
  case action::load:
  case action::store:
    return access_memory(i, s, m);
  case action::add:
    result = (a + b) & low_ones(width);
    break;
  case action::sub:
    result = (a - b) & low_ones(width);
    break;
  case action::mul:
    result = (a * b) & low_ones(width);
    break;
  case action::bit_and:
    result = a & b;
    break;
  case action::bit_or:
    result = a | b;
    break;
  case action::bit_xor:
    result = a ^ b;
    break;
  case action::equal:
    result = a == b;
    break;
  case action::not_equal:
    result = a != b;
    break;
  case action::less:
    result = as_signed(a, width) < as_signed(b, width);
    break;
  case action::less_equal:
    result = as_signed(a, width) <= as_signed(b, width);
    break;
  case action::uless:
    result = a < b;
    break;
  case action::uless_equal:
    result = a <= b;
    break;
  case action::integer_to_float:
    result = integer_to_float(i.operand_type, i.type, a);
    break;
  default:
    result = evaluate_float(i.code, i.operand_type == type::none ? i.type : i.operand_type, a, b, s.bits[i.c]);
  }
  s.put(i.result, result);
  return {};
}

/// One run. `execute` keeps what it needs for each instruction in local variables.
class machine {
public:
  machine(decoded_program& program, frame_stack& frames, const run_options& options, run_result& result)
      : program_(program), frames_(frames), options_(options), result_(result) {
    result_.profile.resize(program.size());
    frames_.clear();
  }

  /// Fills the result. Requires as many arguments as the procedure has.
  void run(std::uint32_t number, span<const scalar> arguments) {
    if (!begin(number, {})) {
      result_.trap = trap{.kind = trap_kind::call_depth, .procedure = number};
      return;
    }
    const slot_view slots = frames_.slots(frames_.top());
    for (std::uint32_t k = 0; k != arguments.size(); ++k) {
      slots.put(k, arguments[k].type == type::f80
                       ? extended_.slot_bits(extended_value(arguments[k]), frames_.all_bits())
                       : arguments[k].bits);
    }
    result_.executed = options_.step_limit - execute();
    result_.memory.end_locals(0);
  }

private:
  /// The procedure that runs, and the current instruction.
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
      run_fault problem;
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
        if (const std::uint32_t e = next_edge(i, here); e != no_index) [[likely]] {
          const decoded_edge& taken = here.code->edges[e];
          if (left < taken.num_phis) {
            stop({.value = taken.first_phi}, trap_kind::step_limit);
            return left;
          }
          left -= taken.num_phis;
          ++here.edge_counts[e];
          if (taken.scope != no_node) [[unlikely]] {
            runs_.begin(frames_.top().call, taken.scope);
          }
          follow(taken, *here.code, here.slots);
          here.at = here.code->code.data() + taken.target;
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
      case action::extended:
        problem = !here.slots.defined(i)                                    ? trap_kind::diagnostic_value
                  : options_.check_classes && breaks_promise(i, here.slots) ? broken_promise_
                                                                            : compute_extended(i, here.slots);
        break;
      default:
        problem = !here.slots.defined(i)                                    ? trap_kind::diagnostic_value
                  : options_.check_classes && breaks_promise(i, here.slots) ? broken_promise_
                                                                            : compute(i, here.slots, result_.memory);
      }
      if (problem && !endure(i, *problem, here.slots)) [[unlikely]] {
        return left;
      }
    }
  }

  /// A speculative operation that fails has a diagnostic value; any other ends the run.
  bool endure(const instruction& i, trap_kind problem, slot_view s) {
    if (i.speculative) {
      s.states[i.result] = slot_state::diagnostic;
    } else {
      stop(i, problem);
    }
    return i.speculative;
  }

  /// The result is the content of a slot, in any state but unwritten.
  static run_fault pass(const instruction& i, slot_view s, std::uint32_t from) {
    if (s.states[from] == slot_state::unwritten) {
      return trap_kind::unwritten_variable;
    }
    s.copy(from, i.result);
    return {};
  }

  static run_fault select(const instruction& i, slot_view s) {
    return is_usable(i.a, s) ? pass(i, s, s.bits[i.a] != 0 ? i.b : i.c) : trap_kind::diagnostic_value;
  }

  static bool holds(const instruction& guard, slot_view s) {
    return is_usable(guard.a, s) && (s.bits[guard.a] == 0) == guard.negated;
  }

  /// The operation after a guard does not run.
  static run_fault leave_out(const instruction& guard, slot_view s) {
    if (!is_usable(guard.a, s)) {
      return trap_kind::diagnostic_value;
    }
    return guard.b == no_index ? run_fault() : pass(guard, s, guard.b);
  }

  /// The edge that a terminator takes; `no_index` if its operand cannot be used.
  static std::uint32_t next_edge(const instruction& i, const activation& here) {
    if (i.what == action::jump) {
      return i.target;
    }
    if (!is_usable(i.a, here.slots)) {
      return no_index;
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

  static void follow(const decoded_edge& edge, const decoded_procedure& code, slot_view s) {
    const move* m = code.moves.data() + edge.first_move;
    for (const move* const end = m + edge.num_moves; m != end; ++m) {
      s.copy(m->from, m->to);
    }
  }

  /// Makes the frame of a procedure; false if that is beyond the limits.
  bool begin(std::uint32_t number, span<const argument> arguments) {
    const decoded_procedure& code = program_[number];
    if (frames_.depth() == options_.call_depth || frames_.num_slots() + code.num_slots() > options_.frame_slots ||
        result_.memory.num_local_bytes() + code.local_bytes > options_.local_bytes) {
      return false;
    }
    procedure_profile& counts = result_.profile[number];
    counts.edges.resize(code.edges.size());
    ++counts.calls;
    frames_.push(number, code, arguments, result_.memory.num_locals());
    for (const local_slot& a : code.locals) {
      frames_.slots(frames_.top()).put(a.slot, result_.memory.begin_local(a.bytes));
    }
    return true;
  }

  /// Runs instructions that need more than the slots of the current frame.
  run_fault leave_loop(const instruction& i, slot_view s) {
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

  /// Whether an access breaks the promise of its alias class, or reads unwritten bytes of a local array. A speculative
  /// load then has a diagnostic value.
  bool breaks_promise(const instruction& i, slot_view s) {
    if (i.code != opcode::ld && i.code != opcode::st) {
      return false;
    }
    broken_promise_ = trap_kind::classes_meet;
    if (breaks_class(i, s)) {
      return true;
    }
    broken_promise_ = trap_kind::unwritten_memory;
    return i.code == opcode::ld && !result_.memory.is_written(address_of(i, s), bytes_of(i.type));
  }

  bool breaks_class(const instruction& i, slot_view s) {
    const frame& f = frames_.top();
    const procedure& p = program_.source(f.procedure);
    const memory_access& access = p.access(i.value);
    const std::size_t size = bytes_of(i.type);
    auto at = result_.memory.position(address_of(i, s), size);
    const bool is_local_array = !at;
    at = at ? at : result_.memory.local_position(address_of(i, s), size);
    if (!at) {
      return false;
    }
    const auto look = [&](accessed_classes& all, std::uint32_t run, alias_id by) {
      return i.speculative ? all.stored_by_other(run, *at, size, by)
                           : all.note(run, *at, size, by, i.code == opcode::st);
    };
    other_class_ = access.alias == no_alias ? no_alias : look(classes_[is_local_array ? 1 : 0], f.call, access.alias);
    breaks_local_class_ = false;
    if (other_class_ == no_alias && access.local != no_alias &&
        program_[f.procedure].scopes.contains(access.scope, p.core(i.value).node)) {
      other_class_ = look(local_classes_[is_local_array ? 1 : 0], runs_.current(f.call, access.scope), access.local);
      breaks_local_class_ = other_class_ != no_alias;
    }
    return other_class_ != no_alias;
  }

  run_fault access_volatile(const instruction& i, slot_view s) {
    if (!s.defined(i)) {
      return trap_kind::diagnostic_value;
    }
    const scalar address = {type::ptr, address_of(i, s)};
    if (options_.check_classes && breaks_promise(i, s)) {
      return broken_promise_;
    }
    if (const run_fault problem = i.type == type::f80 ? access_extended(i, s) : access_memory(i, s, result_.memory)) {
      return problem;
    }
    if (!options_.record_events) {
      return {};
    }
    if (i.code == opcode::st) {
      result_.events.add(event_kind::volatile_store, {}, std::array{address, scalar_of(i.type, s.bits[i.a])}, {});
    } else {
      result_.events.add(event_kind::volatile_load, {}, std::array{address}, scalar_of(i.type, s.bits[i.result]));
    }
    return {};
  }

  /// Executes instructions on numbers of type `f80`.
  run_fault compute_extended(const instruction& i, slot_view s) {
    const auto number = [&](std::uint32_t slot) { return extended_.number(s.bits[slot]); };
    switch (info_of(i.code).form) {
    case opcode_form::memory:
      return access_extended(i, s);
    case opcode_form::comparison:
      s.put(i.result, compare_extended(i.code, number(i.a), number(i.b)) ? 1 : 0);
      return {};
    case opcode_form::conversion:
      if (i.type != type::f80) {
        const auto result = convert_from_extended(i.code, i.type, number(i.a));
        if (!result) {
          return trap_kind::bad_conversion;
        }
        s.put(i.result, *result);
        return {};
      }
      put_extended(i, s, convert_to_extended(i.code, i.operand_type, s.bits[i.a]));
      return {};
    default:
      put_extended(i, s, evaluate_extended(i.code, number(i.a), number(i.b)));
      return {};
    }
  }

  run_fault access_extended(const instruction& i, slot_view s) {
    if (i.code == opcode::st) {
      const bool is_done = result_.memory.store_extended(address_of(i, s), extended_.number(s.bits[i.a]));
      return is_done ? run_fault() : trap_kind::bad_access;
    }
    const auto found = result_.memory.load_extended(address_of(i, s));
    if (!found) {
      return trap_kind::bad_access;
    }
    put_extended(i, s, *found);
    return {};
  }

  void put_extended(const instruction& i, slot_view s, const extended_number& number) {
    s.put(i.result, extended_.slot_bits(number, frames_.all_bits()));
  }

  /// The number in a slot, as seen outside the run.
  scalar scalar_of(type t, std::uint64_t bits) const {
    return t == type::f80 ? extended_scalar(extended_.number(bits)) : scalar{t, bits};
  }

  span<const argument> arguments_of(const instruction& call) {
    return span(program_[frames_.top().procedure].arguments).subspan(call.first, call.count);
  }

  run_fault call(const instruction& i, slot_view s) {
    const span<const argument> arguments = arguments_of(i);
    for (const argument& a : arguments) {
      if (!is_usable(a.slot, s)) {
        return trap_kind::diagnostic_value;
      }
    }
    if (i.what == action::host_call) {
      return call_host(i, s, arguments);
    }
    return begin(i.target, arguments) ? run_fault() : trap_kind::call_depth;
  }

  run_fault call_host(const instruction& i, slot_view s, span<const argument> arguments) {
    arguments_.clear();
    for (const argument& a : arguments) {
      arguments_.push_back(scalar_of(a.type, s.bits[a.slot]));
    }
    const procedure& caller = program_.source(frames_.top().procedure);
    const std::string_view callee = caller.text(caller.call(i.value).callee);
    const host_answer answer =
        options_.host ? options_.host({callee, arguments_, i.type, result_.memory}) : host_answer::unknown();
    if (answer.kind == host_answer::outcome::unknown) {
      return trap_kind::unknown_callee;
    }
    const bool has_result = answer.kind == host_answer::outcome::result && i.type != type::none;
    const std::uint64_t bits = has_result ? answer.bits & low_ones(literal_width_of(i.type)) : 0;
    const scalar result = has_result ? literal_scalar(i.type, bits) : scalar{};
    if (options_.record_events) {
      result_.events.add(event_kind::call, callee, arguments_, result);
    }
    if (answer.kind == host_answer::outcome::stopped) {
      return trap_kind::host_stop;
    }
    return take_result(i, s, result.type,
                       result.type == type::f80 ? extended_.slot_bits(extended_value(result), frames_.all_bits())
                                                : bits);
  }

  /// The end of a call.
  static run_fault take_result(const instruction& call, slot_view s, type t, std::uint64_t bits) {
    if (call.noreturn) {
      return trap_kind::returned;
    }
    if (call.type != type::none) {
      if (t == type::none) {
        return trap_kind::bad_call;
      }
      s.put(call.result, bits);
    }
    return {};
  }

  /// `ret`.
  run_fault leave(const instruction& i, slot_view s) {
    if (i.a != no_index && !is_usable(i.a, s)) {
      return trap_kind::diagnostic_value;
    }
    const type t = program_.source(frames_.top().procedure).result_type();
    const std::uint64_t bits = i.a == no_index ? 0 : s.bits[i.a];
    if (frames_.depth() == 1) {
      result_.value = i.a == no_index ? std::nullopt : std::optional(scalar_of(t, bits));
      finished_ = true;
      return {};
    }
    result_.memory.end_locals(frames_.top().first_local);
    frames_.pop();
    const instruction& call = frames_.top().at[-1];
    if (const run_fault problem =
            take_result(call, frames_.slots(frames_.top()), i.a == no_index ? type::none : t, bits)) {
      stop(call, *problem);
    }
    return {};
  }

  /// Ends the run with a trap.
  void stop(const instruction& i, trap_kind kind) {
    const frame& f = frames_.top();
    const procedure& p = program_.source(f.procedure);
    trap t{.kind = kind, .procedure = f.procedure, .value = i.value};
    t.node = i.value == no_value ? no_node : p.core(i.value).node;
    if (kind == trap_kind::diagnostic_value || kind == trap_kind::unwritten_variable) {
      blame(i, frames_.slots(f), t);
    } else if (kind == trap_kind::bad_access || kind == trap_kind::classes_meet ||
               kind == trap_kind::unwritten_memory) {
      t.detail = address_of(i, frames_.slots(f));
      t.other_class = kind == trap_kind::classes_meet ? other_class_ : no_alias;
      t.is_local = kind == trap_kind::classes_meet && breaks_local_class_;
    }
    result_.trap = t;
    finished_ = true;
  }

  /// Finds the operand that an instruction must not use.
  void blame(const instruction& i, slot_view s, trap& t) {
    std::uint32_t bad = no_index;
    const auto look_at = [&](std::uint32_t slot) {
      if (bad == no_index && slot != no_index && !is_usable(slot, s)) {
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
  extended_pool extended_;
  std::vector<scalar> arguments_;     ///< of a host function
  accessed_classes classes_[2];       ///< of named and of local arrays
  accessed_classes local_classes_[2]; ///< by run of a loop; in nested loops, a byte knows only the last one
  scope_runs runs_;
  alias_id other_class_ = no_alias; ///< the class whose promise the last access broke
  bool breaks_local_class_ = false;
  trap_kind broken_promise_ = trap_kind::classes_meet;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
