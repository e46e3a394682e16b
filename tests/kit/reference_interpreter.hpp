/// The semantics of the Elbrus-like IR as the specification words it, without regard to speed: no decoding, one
/// operation after the other, values in a map of the frame. What the interpreter is compared with.
#pragma once

#include <midend/elbrus/float_operations.hpp>
#include <midend/elbrus/program.hpp>
#include <midend/elbrus/run/host.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/memory.hpp>
#include <midend/elbrus/run/trap.hpp>
#include <midend/elbrus/scalar.hpp>
#include <midend/elbrus/views/fold.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace midend_tests {

/// Runs a program by recursion over its calls.
class reference_interpreter {
public:
  reference_interpreter(const midend::elbrus::program& p, const midend::elbrus::host_functions& host,
                        std::uint64_t step_limit)
      : program_(p), host_(host), step_limit_(step_limit) {}

  std::optional<midend::elbrus::scalar> run(std::size_t procedure, std::vector<midend::elbrus::scalar> arguments,
                                            midend::elbrus::memory arrays) {
    memory = std::move(arrays);
    node_counts.assign(program_.procedures.size(), {});
    std::vector<std::uint64_t> bits;
    for (const midend::elbrus::scalar& argument : arguments) {
      bits.push_back(argument.bits);
    }
    const midend::elbrus::type result = program_.procedures[procedure].result_type();
    const std::optional<std::uint64_t> returned = call(procedure, bits);
    if (trap || !returned || result == midend::elbrus::type::none) {
      return std::nullopt;
    }
    return midend::elbrus::scalar{result, *returned};
  }

  midend::elbrus::memory memory;
  std::optional<midend::elbrus::trap> trap;
  std::uint64_t executed = 0;
  std::vector<std::map<midend::node_id, std::uint64_t>> node_counts; ///< by procedure
  std::size_t host_calls = 0;

private:
  using value_id = midend::value_id;
  using opcode = midend::elbrus::opcode;
  using trap_kind = midend::elbrus::trap_kind;

  /// What a value is: a number, or one that must not be used.
  struct content {
    std::optional<std::uint64_t> bits;
    trap_kind otherwise = trap_kind::unwritten_variable;
  };

  struct frame {
    std::size_t number;
    const midend::elbrus::procedure& p;
    std::map<value_id, content> values;
  };

  content read(const frame& f, value_id v) const {
    const midend::elbrus::value_record& record = f.p.value(v);
    if (record.kind == midend::elbrus::value_kind::constant) {
      return {f.p.literal_bits(v)};
    }
    if (record.kind == midend::elbrus::value_kind::undefined) {
      return {std::nullopt, trap_kind::undefined_value};
    }
    const auto at = f.values.find(v);
    return at == f.values.end() ? content{} : at->second;
  }

  void stop(const frame& f, value_id v, trap_kind kind) {
    trap = midend::elbrus::trap{.kind = kind, .procedure = f.number, .node = f.p.value(v).node, .value = v};
  }

  /// The result of an operation that has one, or why there is none.
  content computed(const frame& f, value_id v, std::span<const std::uint64_t> args) {
    const midend::elbrus::value_record& record = f.p.value(v);
    if (record.code == opcode::ld || record.code == opcode::st) {
      return accessed(f, v, args);
    }
    if (const auto result = midend::elbrus::detail::fold_arguments(record, args)) {
      return {*result};
    }
    if (record.code == opcode::ftoi || record.code == opcode::ftou) {
      return {std::nullopt, trap_kind::bad_conversion};
    }
    const auto fault = midend::evaluate(midend::elbrus::detail::meaning_if_it_runs(record), args).fault;
    switch (fault) {
    case midend::evaluation_fault::division_by_zero:
      return {std::nullopt, trap_kind::division_by_zero};
    case midend::evaluation_fault::division_overflow:
      return {std::nullopt, trap_kind::division_overflow};
    case midend::evaluation_fault::shift_too_far:
      return {std::nullopt, trap_kind::shift_too_far};
    default:
      return {std::nullopt, trap_kind::broken_nsw};
    }
  }

  content accessed(const frame& f, value_id v, std::span<const std::uint64_t> args) {
    const midend::elbrus::value_record& record = f.p.value(v);
    const midend::elbrus::memory_access& access = f.p.access(v);
    const bool stores = record.code == opcode::st;
    const std::size_t base = stores ? 1 : 0;
    std::uint64_t address = args[base] + static_cast<std::uint64_t>(access.offset);
    if (access.indexed) {
      const midend::elbrus::type t = f.p.value(f.p.arguments(v)[base + 1]).type;
      const std::int64_t index = midend::as_signed(args[base + 1], midend::elbrus::width_of(t));
      address += static_cast<std::uint64_t>(index) * access.scale;
    }
    if (stores) {
      return memory.store(record.operand_type, address, args[0]) ? content{0}
                                                                 : content{std::nullopt, trap_kind::bad_access};
    }
    const auto found = memory.load(record.type, address);
    return found ? content{*found} : content{std::nullopt, trap_kind::bad_access};
  }

  /// Runs an operation that is no phi and no terminator. False at a trap.
  bool step(frame& f, value_id v) {
    const midend::elbrus::value_record& record = f.p.value(v);
    if (const value_id guard = f.p.guard(v); guard != midend::no_value) {
      const content predicate = read(f, guard);
      if (!predicate.bits) {
        return finish(f, v, {std::nullopt, predicate.otherwise});
      }
      if ((*predicate.bits != 0) == record.guard_negated) {
        const value_id otherwise = f.p.otherwise(v);
        return otherwise == midend::no_value || pass(f, v, read(f, otherwise));
      }
    }
    if (record.code == opcode::mov) {
      return pass(f, v, read(f, f.p.arguments(v)[0]));
    }
    if (record.code == opcode::select) {
      const content condition = read(f, f.p.arguments(v)[0]);
      return condition.bits ? pass(f, v, read(f, f.p.arguments(v)[*condition.bits != 0 ? 1 : 2]))
                            : finish(f, v, condition);
    }
    std::vector<std::uint64_t> args;
    for (const value_id operand : f.p.arguments(v)) {
      const content c = read(f, operand);
      if (!c.bits) {
        return finish(f, v, c);
      }
      args.push_back(*c.bits);
    }
    return record.code == opcode::call ? called(f, v, args) : finish(f, v, computed(f, v, args));
  }

  bool called(frame& f, value_id v, std::span<const std::uint64_t> args) {
    const midend::elbrus::value_record& record = f.p.value(v);
    const std::string_view callee = f.p.text(f.p.call(v).callee);
    std::optional<std::uint64_t> result;
    std::size_t number = 0;
    while (number != program_.procedures.size() && program_.procedures[number].name() != callee) {
      ++number;
    }
    if (number != program_.procedures.size()) {
      result = call(number, args);
      if (trap) {
        return false;
      }
    } else {
      std::vector<midend::elbrus::scalar> scalars;
      for (std::size_t i = 0; i != args.size(); ++i) {
        scalars.push_back({f.p.value(f.p.arguments(v)[i]).type, args[i]});
      }
      const midend::elbrus::host_answer answer = host_({callee, scalars, record.type, memory});
      ++host_calls;
      if (answer.kind == midend::elbrus::host_answer::outcome::unknown) {
        return finish(f, v, {std::nullopt, trap_kind::unknown_callee});
      }
      result = answer.bits &
               midend::low_ones(record.type == midend::elbrus::type::none ? 64 : midend::elbrus::width_of(record.type));
    }
    return finish(f, v, {result.value_or(0)});
  }

  /// The result is a content, whatever that is, but no variable that was not written.
  bool pass(frame& f, value_id v, content c) {
    if (!c.bits && c.otherwise == trap_kind::unwritten_variable) {
      return finish(f, v, c);
    }
    put(f, v, c);
    return true;
  }

  /// The result is a number; if it is none, a diagnostic value or a trap.
  bool finish(frame& f, value_id v, content c) {
    if (!c.bits) {
      if (!f.p.value(v).flags.spec) {
        stop(f, v, c.otherwise);
        return false;
      }
      c.otherwise = trap_kind::diagnostic_value;
    }
    put(f, v, c);
    return true;
  }

  static void put(frame& f, value_id v, content c) {
    const value_id variable = f.p.value(v).variable;
    f.values[variable != midend::no_value ? variable : v] = c;
  }

  std::optional<std::uint64_t> call(std::size_t number, std::span<const std::uint64_t> arguments) {
    frame f{number, program_.procedures[number], {}};
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      f.values[f.p.parameters()[i]] = {arguments[i]};
    }
    midend::node_id n = f.p.entry();
    ++node_counts[number][n];
    for (;;) {
      for (const value_id v : f.p.values(n)) {
        if (f.p.is_phi(v)) {
          continue; // done on the way here
        }
        if (executed == step_limit_) {
          stop(f, v, trap_kind::step_limit);
          return std::nullopt;
        }
        ++executed;
        if (!f.p.is_terminator(v) && !step(f, v)) {
          return std::nullopt;
        }
      }
      const value_id end = f.p.terminator(n);
      content operand{0};
      if (!f.p.arguments(end).empty()) {
        operand = read(f, f.p.arguments(end)[0]);
        if (!operand.bits) {
          stop(f, end, operand.otherwise);
          return std::nullopt;
        }
      }
      if (f.p.value(end).code == opcode::ret) {
        return operand.bits;
      }
      if (f.p.value(end).code == opcode::unreachable) {
        stop(f, end, trap_kind::unreachable);
        return std::nullopt;
      }
      if (!go(f, n, *operand.bits)) {
        return std::nullopt;
      }
    }
  }

  /// Takes the edge for a value of the condition; all phis read before one is written.
  bool go(frame& f, midend::node_id& n, std::uint64_t value) {
    midend::edge_id taken = f.p.out_edges(n).back();
    for (const midend::edge_id e : f.p.out_edges(n)) {
      if (!f.p.edge(e).is_default && f.p.case_value(e) == value) {
        taken = e;
      }
    }
    n = f.p.edge_target(taken);
    std::vector<std::pair<value_id, content>> phis;
    for (const value_id v : f.p.values(n)) {
      if (f.p.is_phi(v)) {
        phis.emplace_back(v, read(f, f.p.phi_input(v, taken)));
      }
    }
    if (step_limit_ - executed < phis.size()) {
      stop(f, phis.front().first, trap_kind::step_limit);
      return false;
    }
    executed += phis.size();
    for (const auto& [phi, c] : phis) {
      f.values[phi] = c;
    }
    ++node_counts[f.number][n];
    return true;
  }

  const midend::elbrus::program& program_;
  midend::elbrus::host_functions host_;
  std::uint64_t step_limit_;
};

} // namespace midend_tests
