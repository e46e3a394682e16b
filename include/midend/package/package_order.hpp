/// `package_order`: what an optimization asks of the manager. `package_log`: what the manager did.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The four transformations of one operation.
enum class order_kind : std::uint8_t {
  none,     ///< nothing to do
  constant, ///< replace the result by a literal
  erase,    ///< delete the operation, which nothing reads
  existing, ///< replace the result by that of an existing operation, a parameter or a literal
  tree      ///< replace the result by a tree of new operations
};

/// An operand of an ordered operation.
struct order_operand {
  enum class kind : std::uint8_t { value, literal, made };

  kind what = kind::value;
  std::uint8_t width = 0;    ///< valid for literals
  std::uint32_t index = 0;   ///< the value, or the number of an earlier ordered operation
  std::uint64_t literal = 0; ///< valid for literals

  static constexpr order_operand value(value_id v) { return {kind::value, 0, v, 0}; }

  static constexpr order_operand number(unsigned width, std::uint64_t bits) {
    return {kind::literal, static_cast<std::uint8_t>(width), 0, bits};
  }

  static constexpr order_operand made(std::size_t i) { return {kind::made, 0, static_cast<std::uint32_t>(i), 0}; }
};

/// One operation of a tree. It has a code of the vocabulary; or, if `like` is a value, it copies that value without
/// promises and with some operands replaced.
struct ordered_operation {
  constexpr ordered_operation() = default;

  operation_info info = {};
  value_id like = no_value;
  bool drops_guard = false; ///< valid for copies: the guard always holds, so the copy keeps its promises
  std::uint8_t num_operands = 0;
  std::uint8_t positions[3] = {}; ///< valid for copies: the replaced operands
  order_operand operands[3] = {};
};

/// What to do with one operation. `why` points to a string literal.
struct package_order {
  static constexpr std::size_t max_operations = 8;

  constexpr package_order() = default; // g++ 12 does not convert {} to an aggregate with these members

  order_kind kind = order_kind::none;
  const char* why = "";
  std::uint64_t constant = 0;            ///< valid for `constant`
  value_id by = no_value;                ///< valid for `existing`
  value_id drops_promises_of = no_value; ///< this value gets new readers and promises more than they read before
  value_id dies = no_value; ///< valid for trees: an operand that dies, too; its cost counts if nothing else reads it
  bool regroups = false;    ///< reorders terms of a sum; `package_options::regroups_sums` allows that
  std::uint32_t saves = 0;  ///< valid for trees: the cost of further operations that die
  std::uint8_t num_operations = 0;
  ordered_operation operations[max_operations] = {}; ///< valid for trees: operands first, the result last

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

  /// Starts a tree; `add` adds its operations.
  static constexpr package_order to_tree(const char* why) {
    package_order o;
    o.kind = order_kind::tree;
    o.why = why;
    return o;
  }

  /// Adds an operation. Returns it as an operand for later ones.
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

/// Why the manager refuses an order.
enum class package_veto : std::uint8_t {
  none,
  switched_off,  ///< the options exclude the optimization
  caller,        ///< the function of the options refuses
  not_removable, ///< the operation has an effect or readers
  not_computed,  ///< the replacement is not computed on every path to the operation
  wrong_type,    ///< types differ, or the IR has no such operation
  undefined,     ///< the replacement is `undef`, or may be undefined and is read twice
  may_trap,      ///< a new operation may trap, one that it replaces may not
  no_gain,       ///< the new operations cost more
  too_many       ///< the chain of new operations that replace new operations is too long
};

/// One order and its outcome.
struct package_event {
  std::uint32_t member = 0; ///< by its place in the package
  order_kind kind = order_kind::none;
  package_veto veto = package_veto::none; ///< none: carried out
  value_id value = no_value;
  value_id by = no_value; ///< the replacement; valid if carried out and not an `erase`
  const char* why = "";
  bool regroups = false; ///< see `package_order::regroups`
};

/// All events, in order, and how often each operation was visited.
struct package_log {
  flat_array<package_event> events;
  flat_array<std::uint32_t> visits; ///< by value
  std::size_t num_operations = 0;   ///< visited at least once
  bool has_equal_apart = false;     ///< two equal operations were seen, and neither precedes the other

  /// Empties the log, and keeps its memory.
  void clear() {
    events.clear();
    visits.clear();
    num_operations = 0;
    has_equal_apart = false;
  }

  /// The number of operations with more than `times` visits.
  std::size_t visited_more_than(std::uint32_t times) const {
    std::size_t count = 0;
    for (const std::uint32_t v : visits) {
      count += v > times ? 1u : 0u;
    }
    return count;
  }

  /// Counts the orders of a member that ended with this veto; `none` counts those that were carried out.
  std::size_t count(std::uint32_t member, package_veto veto = package_veto::none) const {
    std::size_t count = 0;
    for (const package_event& e : events) {
      count += e.member == member && e.veto == veto ? 1u : 0u;
    }
    return count;
  }
};

/// Numbers of the events about `v`, then of those about its replacement, and so on; refusals are among them. O(events).
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
