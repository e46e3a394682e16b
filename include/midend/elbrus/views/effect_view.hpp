/// `effect_view`: effects and profile of the Elbrus-like IR, for the effects and profile rungs of the IR contract.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/elbrus/views/views.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/operation_description.hpp"
#include "midend/ir/profile.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// A procedure with the effects of its operations and its profile: models `effect_ir` and `profile_ir`.
///
/// A call may do anything. Even with `clobbers=none` it may give different results each time, and may not return. Every
/// operation may be copied. An operation whose literal guard keeps it from running has no effect. Alias classes are
/// classes of memory.
///
/// Until `construct_ssa`, variables are memory: an operation that writes a variable writes memory; one that reads a
/// variable reads memory, unless it is a terminator.
class effect_view : public semantic_view {
public:
  using semantic_view::semantic_view;

  effect_kind effect(value_id v) const {
    const bool runs = !never_runs(v);
    effect_kind kind = effect_kind::none;
    switch (runs ? graph().core(v).code : opcode::mov) {
    case opcode::ld:
      kind = effect_kind::reads;
      break;
    case opcode::st:
      kind = effect_kind::writes;
      break;
    case opcode::call:
      return effect_kind::unknown;
    default:
      break;
    }
    return graph().variables().empty() ? kind : effect_with_variables(v, kind, runs);
  }

  /// A speculative operation does not trap. Any other one traps if it reads a diagnostic value, so it may trap if an
  /// operand may be diagnostic: speculative operations are, and phis, copies and selections with such an operand. The
  /// result of an operation that is neither is never diagnostic.
  bool may_trap(value_id v) const {
    const value_core& record = graph().core(v);
    return may_trap_without_promises(v) || (record.flags.nsw && !record.flags.spec);
  }

  /// Whether the operation may trap without `nsw`.
  bool may_trap_without_promises(value_id v) const {
    const value_core& record = graph().core(v);
    return !record.flags.spec && record.code != opcode::phi && (traps_by_itself(v) || reads_diagnostic_values(v));
  }

  bool may_not_return(value_id v) const { return graph().core(v).code == opcode::call && !never_runs(v); }

  bool may_duplicate(value_id) const { return true; }

  bool is_volatile(value_id v) const { return graph().core(v).flags.is_volatile && !never_runs(v); }

  /// An operation that writes a variable is needed where the variable is read.
  bool is_removable(value_id v) const {
    const opcode code = graph().core(v).code;
    return !is_terminator(v) && !is_volatile(v) && graph().core(v).variable == no_value &&
           (never_runs(v) || (code != opcode::st && code != opcode::call));
  }

  /// Calls may give another result each time. A reader of a variable finds the last written value; a writer of one is
  /// more than a value.
  bool is_repeatable(value_id v) const {
    const value_core& record = graph().core(v);
    if (record.code == opcode::call || record.variable != no_value) {
      return false;
    }
    for (const value_id operand : graph().operands(v)) {
      if (operand != no_value && graph().core(operand).kind == value_kind::variable) {
        return false;
      }
    }
    return true;
  }

  bool is_terminator(value_id v) const { return graph().is_terminator(v); }

  /// The access of a load or store. Nothing if it never runs, even if it then writes a variable.
  std::optional<memory_reference> memory(value_id v) const {
    const value_core& record = graph().core(v);
    if (info_of(record.code).form != opcode_form::memory || never_runs(v)) {
      return std::nullopt;
    }
    const bool stores = record.code == opcode::st;
    const span<const value_id> arguments = graph().arguments(v);
    const memory_access& access = graph().access(v);
    static_assert(no_alias == any_memory);
    const bool is_local = access.local != no_alias && graph().has_scope(access.scope);
    return memory_reference{.base = arguments[stores ? 1 : 0],
                            .index = access.indexed ? arguments.back() : no_value,
                            .stored = stores ? arguments[0] : no_value,
                            .bytes = bytes_of(stores ? record.operand_type : record.type),
                            .memory = access.alias,
                            .scale = access.scale,
                            .offset = access.offset,
                            .is_volatile = record.flags.is_volatile,
                            .bits = width_of(stores ? record.operand_type : record.type),
                            .local = is_local ? access.local : any_memory,
                            .scope = is_local ? access.scope : no_node};
  }

  /// The number of bytes that a store of the value writes; 0 if it may be diagnostic, because storing it traps.
  std::uint32_t storage_bytes(value_id v) const {
    const value_core& record = graph().core(v);
    const bool is_written = record.variable != no_value; // it has no value of its own
    return record.type == type::none || is_written || may_be_diagnostic(v)
               ? 0
               : static_cast<std::uint32_t>(bytes_of(record.type));
  }

  std::uint32_t local_array_bytes(value_id v) const {
    return graph().core(v).kind == value_kind::local ? graph().local_bytes(v) : 0;
  }

  /// Whether a call clobbers an alias class, or anything at all.
  bool may_write(value_id v, std::uint32_t memory) const {
    if (graph().core(v).code != opcode::call) {
      return false; // a load that writes a variable
    }
    const call_record& call = graph().call(v);
    if (call.clobbers != clobber_kind::listed || memory == any_memory) {
      return call.clobbers != clobber_kind::nothing;
    }
    for (const alias_id written : graph().clobbered(v)) {
      if (written == memory) {
        return true;
      }
    }
    return false;
  }

  /// True for each loop of a `mustprogress` procedure.
  bool must_end(edge_id) const { return graph().must_progress(); }

  /// The node of an operation, `no_node` for anything else.
  node_id node_of(value_id v) const { return graph().is_operation(v) ? graph().core(v).node : no_node; }

  /// The next operation of the node.
  value_id value_after(value_id v) const { return graph().core(v).next; }

  /// The count in the text.
  std::optional<std::uint64_t> count(node_id n) const {
    const std::uint64_t count = graph().node_count(n);
    return count == no_count ? std::nullopt : std::optional(count);
  }

  /// The probability in the text.
  double probability(edge_id e) const { return graph().probability(e); }

  /// The description that distinguishes a value from others, for certificates; `nsw` and `assoc` are promises.
  /// Optional. Describes parameters, variables and local arrays by their numbers, alias classes by their names: the
  /// other program may come from another text that numbers its classes in another order.
  void describe(value_id v, operation_description& out) const {
    out.attribute(graph().core(v).variable);
    describe_computation(v, out);
  }

  /// Describes an operation without the variable that `v` writes.
  void describe_computation(value_id v, operation_description& out) const {
    const value_core& record = graph().core(v);
    out.attribute(static_cast<std::uint64_t>(record.kind) | static_cast<std::uint64_t>(record.type) << 8);
    if (record.kind == value_kind::constant) {
      out.attribute(graph().literal_bits(v));
    }
    if (record.kind == value_kind::parameter || record.kind == value_kind::variable ||
        record.kind == value_kind::local) {
      out.attribute(v);
    }
    if (record.kind != value_kind::operation) {
      return;
    }
    const attributes flags = record.flags;
    out.attribute(static_cast<std::uint64_t>(record.code) | static_cast<std::uint64_t>(record.operand_type) << 16 |
                  std::uint64_t{record.guarded} << 24 | std::uint64_t{record.guard_negated} << 25 |
                  std::uint64_t{record.has_otherwise} << 26 | std::uint64_t{flags.spec} << 27 |
                  std::uint64_t{flags.is_volatile} << 28 | std::uint64_t{flags.noreturn} << 29 |
                  static_cast<std::uint64_t>(graph().operands(v).size()) << 32);
    if (flags.nsw) {
      out.promise(0);
    }
    if (flags.assoc) {
      out.promise(1);
    }
    if (info_of(record.code).form == opcode_form::memory) {
      const memory_access& access = graph().access(v);
      out.attribute(std::uint64_t{access.scale} | std::uint64_t{access.indexed} << 32);
      out.attribute(static_cast<std::uint64_t>(access.offset));
      describe_class(access.alias, out);
    }
    if (record.code == opcode::call) {
      const call_record& call = graph().call(v);
      const std::string_view callee = graph().text(call.callee);
      out.text(callee.data(), callee.size());
      out.attribute(static_cast<std::uint64_t>(call.clobbers));
      for (const alias_id written : graph().clobbered(v)) {
        describe_class(written, out);
      }
    }
  }

  /// Whether an operation or literal of `other`, perhaps this procedure, computes what `v` does from the same operands;
  /// for certificates. The other one may promise less. See `describe`.
  bool same_operation(value_id v, const effect_view& other, value_id w) const {
    return same_description(*this, v, other, w);
  }

  /// Compares operations whichever variables they write.
  bool same_computation(value_id v, const effect_view& other, value_id w) const {
    struct computation {
      const effect_view& view;

      void describe(value_id x, operation_description& out) const { view.describe_computation(x, out); }
    };

    return same_description(computation{*this}, v, computation{other}, w);
  }

private:
  /// The effect of an operation that does `kind` to memory, with what it does to variables.
  effect_kind effect_with_variables(value_id v, effect_kind kind, bool runs) const {
    const value_core& record = graph().core(v);
    if (record.variable != no_value) {
      return kind == effect_kind::none ? effect_kind::writes : effect_kind::unknown;
    }
    if (kind == effect_kind::none && !graph().is_terminator(v)) {
      const value_id otherwise = graph().otherwise(v);
      for (const value_id operand : runs ? graph().operands(v) : span<const value_id>(&otherwise, 1)) {
        if (operand != no_value && graph().core(operand).kind == value_kind::variable) {
          return effect_kind::reads;
        }
      }
    }
    return kind;
  }

  void describe_class(alias_id c, operation_description& out) const {
    const std::string_view name = c == no_alias ? std::string_view() : graph().alias_name(c);
    out.attribute(c == no_alias ? 1 : 0);
    out.text(name.data(), name.size());
  }

  /// Whether its guard is the literal for which it does not run.
  bool never_runs(value_id v) const {
    const value_core& record = graph().core(v);
    const std::optional<std::uint64_t> guard = record.guarded ? constant(graph().guard(v)) : std::nullopt;
    return guard && (*guard != 0) == record.guard_negated;
  }

  bool traps_by_itself(value_id v) const {
    const value_core& record = graph().core(v);
    if (const operation_info info = detail::meaning_if_it_runs(record); is_partial(info.code)) {
      const std::optional<std::uint64_t> second = constant(graph().operands(v)[1]);
      return !second || !is_total_with(info, *second);
    }
    return info_of(record.code).may_trap;
  }

  bool reads_diagnostic_values(value_id v) const {
    for (const value_id operand : graph().operands(v)) {
      if (may_be_diagnostic(operand)) {
        return true;
      }
    }
    return false;
  }

  /// Whether the operation returns one of its operands.
  static bool passes_on(const value_core& record) {
    return record.code == opcode::phi || record.code == opcode::mov || record.code == opcode::select;
  }

  /// Whether `v` may be diagnostic. Follows operands of phis, copies and selections, and other values of guarded
  /// operations, at most `most_followed` of them, so the answer costs O(1). Beyond that a value may be anything.
  bool may_be_diagnostic(value_id v) const {
    constexpr std::size_t most_followed = 8;
    constexpr std::size_t most_operands = 16;
    value_id followed[most_followed];
    std::size_t count = 0;
    const auto is_doubtful = [&](value_id x) {
      const value_core& record = graph().core(x);
      if (record.kind != value_kind::operation) {
        return record.kind == value_kind::variable || record.kind == value_kind::undefined;
      }
      if (record.flags.spec) {
        return true;
      }
      if (!passes_on(record) && !record.guarded) {
        return false;
      }
      std::size_t i = 0;
      while (i != count && followed[i] != x) {
        ++i;
      }
      if (i == count && count != most_followed) {
        followed[count++] = x;
        return graph().operands(x).size() > most_operands;
      }
      return i == count;
    };
    if (is_doubtful(v)) {
      return true;
    }
    for (std::size_t i = 0; i != count; ++i) {
      if (!passes_on(graph().core(followed[i]))) { // its own result is not diagnostic, its other value may be
        const value_id otherwise = graph().otherwise(followed[i]);
        if (otherwise == no_value || is_doubtful(otherwise)) {
          return true;
        }
        continue;
      }
      for (const value_id operand : graph().operands(followed[i])) {
        if (operand == no_value || is_doubtful(operand)) { // inputs of phis may not be set yet
          return true;
        }
      }
    }
    return false;
  }
};

static_assert(effect_ir<effect_view> && memory_ir<effect_view> && has_may_write<effect_view> &&
              profile_ir<effect_view> && has_is_terminator<effect_view> && has_describe<effect_view>);

} // namespace elbrus

MIDEND_END_NAMESPACE
