/// `package_order`: what an optimization of a package orders from the manager, and `package_log`: what came of it.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The four kinds of transformation, all of one operation.
enum class order_kind : std::uint8_t {
  none,     ///< nothing to do
  constant, ///< replace the result by a literal
  erase,    ///< delete the operation, which nothing reads
  existing, ///< replace the result by that of an existing operation, a parameter or a literal
  tree      ///< replace the result by a tree of new operations
};

/// An operand of an operation that is ordered.
struct order_operand {
  enum class kind : std::uint8_t { value, literal, made };

  kind what = kind::value;
  std::uint8_t width = 0;    ///< of a literal
  std::uint32_t index = 0;   ///< the value, or the number of the ordered operation before
  std::uint64_t literal = 0; ///< bits

  static constexpr order_operand value(value_id v) { return {kind::value, 0, v, 0}; }

  static constexpr order_operand number(unsigned width, std::uint64_t bits) {
    return {kind::literal, static_cast<std::uint8_t>(width), 0, bits};
  }

  static constexpr order_operand made(std::size_t i) { return {kind::made, 0, static_cast<std::uint32_t>(i), 0}; }
};

/// One operation of a tree: one of the vocabulary, or, if `like` is a value, a copy of that without its promises in
/// which some operands are others.
struct ordered_operation {
  constexpr ordered_operation() = default;

  operation_info info = {};
  value_id like = no_value;
  bool drops_guard = false; ///< of a copy, whose guard always holds: it keeps its promises
  std::uint8_t num_operands = 0;
  std::uint8_t positions[3] = {}; ///< of a copy: which operands are others
  order_operand operands[3] = {};
};

/// What to do with an operation. The reason is a phrase that lives as long as the program.
struct package_order {
  static constexpr std::size_t max_operations = 8;

  constexpr package_order() = default; // g++ 12 does not convert {} to an aggregate with these members

  order_kind kind = order_kind::none;
  const char* why = "";
  std::uint64_t constant = 0;
  value_id by = no_value;
  value_id drops_promises_of = no_value; ///< gets new readers, and promises more than what they read before
  value_id dies = no_value; ///< of a tree: an operand that it replaces, too; its cost counts if nothing else reads it
  bool regroups = false;    ///< the terms of a sum, which `package_options::regroups_sums` allows
  std::uint32_t saves = 0;  ///< of a tree: what operations cost that only the operation reads and that it replaces, too
  std::uint8_t num_operations = 0;
  ordered_operation operations[max_operations] = {}; ///< operands first; the last one is the result

  static constexpr package_order erase(const char* why) {
    package_order o;
    o.kind = order_kind::erase;
    o.why = why;
    return o;
  }

  static constexpr package_order to_constant(std::uint64_t c, const char* why) {
    package_order o;
    o.kind = order_kind::constant;
    o.constant = c;
    o.why = why;
    return o;
  }

  static constexpr package_order to_existing(value_id by, const char* why) {
    package_order o;
    o.kind = order_kind::existing;
    o.by = by;
    o.why = why;
    return o;
  }

  /// A tree, to which `add` adds operations.
  static constexpr package_order to_tree(const char* why) {
    package_order o;
    o.kind = order_kind::tree;
    o.why = why;
    return o;
  }

  /// Returns the operation as an operand of those after it.
  constexpr order_operand add(const operation_info& info, order_operand first, order_operand second = {},
                              order_operand third = {}) {
    MIDEND_ASSERT(num_operations < max_operations, "a small tree", num_operations);
    ordered_operation& o = operations[num_operations];
    o.info = info;
    o.num_operands = static_cast<std::uint8_t>(arity(info.code));
    o.operands[0] = first;
    o.operands[1] = second;
    o.operands[2] = third;
    return order_operand::made(num_operations++);
  }
};

/// Why the manager does not do what is ordered.
enum class package_veto : std::uint8_t {
  none,
  switched_off,  ///< the options exclude the optimization
  caller,        ///< the function of the options refuses
  not_removable, ///< the operation has an effect or readers
  not_computed,  ///< what is to replace the result is not computed on every way to it
  wrong_type,    ///< types differ, or the IR has no such operation
  undefined,     ///< what is to replace the result is the literal `undef`, or may be and is read twice
  may_trap,      ///< a new operation may trap, one that it replaces may not
  no_gain,       ///< the new operations cost more
  too_many       ///< the operation descends from too many others that the package made
};

/// One order and what came of it.
struct package_event {
  std::uint32_t member = 0; ///< by its place in the package
  order_kind kind = order_kind::none;
  package_veto veto = package_veto::none; ///< none: it was done
  value_id value = no_value;
  value_id by = no_value; ///< what replaced it
  const char* why = "";
  bool regroups = false; ///< see `package_order::regroups`
};

/// All events, in order, and how often operations were visited.
struct package_log {
  flat_array<package_event> events;
  flat_array<std::uint32_t> visits; ///< by value
  std::size_t num_operations = 0;   ///< that were visited at least once
  bool has_equal_apart = false;     ///< operations were seen that are equal, of which neither precedes the other

  /// Forgets a run.
  void clear() {
    events.clear();
    visits.clear();
    num_operations = 0;
    has_equal_apart = false;
  }

  /// How many of them were visited more than `times` times.
  std::size_t visited_more_than(std::uint32_t times) const {
    std::size_t count = 0;
    for (const std::uint32_t v : visits) {
      count += v > times ? 1u : 0u;
    }
    return count;
  }

  /// How many orders of a member were done, or refused for a reason.
  std::size_t count(std::uint32_t member, package_veto veto = package_veto::none) const {
    std::size_t count = 0;
    for (const package_event& e : events) {
      count += e.member == member && e.veto == veto ? 1u : 0u;
    }
    return count;
  }
};

/// What became of `v`: the numbers of the events that concern it, then of those that concern what replaced it, and so
/// on. Refusals are among them. O(events).
inline flat_array<std::uint32_t> explain_value(const package_log& log, value_id v) {
  flat_array<std::uint32_t> result;
  for (std::uint32_t i = 0; i != log.events.size(); ++i) {
    const package_event& e = log.events[i];
    if (e.value == v) {
      result.push_back(i);
      if (e.veto == package_veto::none) {
        v = e.by;
      }
    }
  }
  return result;
}

MIDEND_END_NAMESPACE
