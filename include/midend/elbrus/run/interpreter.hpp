/// `interpreter`: runs procedures of the Elbrus-like IR and traps where their behaviour is undefined.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/program.hpp"
#include "midend/elbrus/run/detail/decoder.hpp"
#include "midend/elbrus/run/detail/machine.hpp"
#include "midend/elbrus/run/memory.hpp"
#include "midend/elbrus/run/run_result.hpp"
#include "midend/elbrus/scalar.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// Runs procedures. If the host functions are deterministic, so is the run: value, memory, trap, events and counts are
/// equal on every platform.
///
/// A run traps (`trap.hpp` lists the reasons) at an operation that is undefined for its operands. A speculative
/// operation that would trap has a *diagnostic* value instead, and so has a speculative operation with a diagnostic
/// operand. Four operations return a diagnostic value unchanged: `phi`, `mov`, `select` (for its two values) and a
/// guarded operation that does not run (for the value after the colon). Any other use traps. `undef` is a diagnostic
/// value. An unwritten variable traps even in these four. The phis of a node are evaluated simultaneously.
///
/// Calls of procedures of the program use frames of the interpreter, not the stack of the host, so only the options
/// limit recursion; all other calls go to the host functions.
///
/// Requires that `verify` finds no error, and that the procedures are neither moved nor changed: each is decoded into a
/// flat list of instructions when it is first called, and later runs use that list. Time: about 10 ns an operation, and
/// O(size) for the first call of a procedure. Space: 56 bytes an operation, 9 bytes a value and frame.
class interpreter {
public:
  explicit interpreter(span<const procedure> procedures);

  explicit interpreter(const program& p) : interpreter(span(p.procedures)) {}

  /// The number of a procedure.
  std::optional<std::size_t> find(std::string_view name) const {
    const std::uint32_t number = program_.find(name);
    return number == detail::no_index ? std::nullopt : std::optional<std::size_t>(number);
  }

  /// Runs a procedure. If the arguments differ from its parameters in number or types, the trap is `bad_call`.
  run_result run(std::size_t number, span<const scalar> arguments, memory arrays = {}, const run_options& options = {});

private:
  static bool accepts(const procedure& p, span<const scalar> arguments) {
    if (arguments.size() != p.parameters().size()) {
      return false;
    }
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      const type wanted = p.core(p.parameters()[i]).type;
      if (!converts_freely(arguments[i].type, wanted) ||
          (arguments[i].bits & ~low_ones(literal_width_of(wanted))) != 0) {
        return false;
      }
    }
    return true;
  }

  detail::decoded_program program_;
  detail::frame_stack frames_;
};

} // namespace elbrus

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

MIDEND_FUNCTION interpreter::interpreter(span<const procedure> procedures) : program_(procedures) {}

MIDEND_FUNCTION run_result interpreter::run(std::size_t number, span<const scalar> arguments, memory arrays,
                                            const run_options& options) {
  run_result result;
  result.memory = std::move(arrays);
  const procedure& p = program_.source(static_cast<std::uint32_t>(number));
  if (!accepts(p, arguments)) {
    result.trap = trap{.kind = trap_kind::bad_call, .procedure = number};
    result.profile.resize(program_.size());
    return result;
  }
  detail::machine(program_, frames_, options, result).run(static_cast<std::uint32_t>(number), arguments);
  return result;
}

} // namespace elbrus

MIDEND_END_NAMESPACE

#endif
