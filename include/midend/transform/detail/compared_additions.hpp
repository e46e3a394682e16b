/// `compared_additions`: what the checkers of final values and of counters share. The new program has the old
/// operations and new ones that only compute, and some operations and phis read other values than before.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/detail/paired_programs.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

enum class addition_fault : std::uint8_t {
  missing,    ///< an old operation
  extra,      ///< a new operation that is not accepted, or an old one that is elsewhere
  changed,    ///< it computes something else, or promises more
  fixed,      ///< the operation names the value that it read
  wrong_count ///< an operation has more or fewer operands
};

template <class Before, class After> class compared_additions {
public:
  explicit compared_additions(const paired_programs<Before, After>& pair) : pair_(pair) {}

  /// Compares the operations of a node: the old ones are there, in their order, and `accepts(v, is_late)` is asked
  /// about each new one; `is_late` if an operation comes before it. Calls `fail(fault, v)`.
  template <class Accept, class Fail> void compare_node(node_id n, Accept accepts, Fail fail) {
    list(pair_.before.values(n));
    std::size_t at = 0;
    bool is_late = false;
    for_each_id(pair_.after.values(n), [&](value_id v) {
      if (v < pair_.num_old_values()) { // phis come first, but old and new ones may be in any order among each other
        if (at == old_.size() || old_[at] != v) {
          fail(addition_fault::extra, v);
        } else if (!pair_.same_operation(v, v)) {
          fail(addition_fault::changed, v);
        }
        ++at;
      } else if (!accepts(v, is_late)) {
        fail(addition_fault::extra, v);
      }
      is_late = is_late || !pair_.after.is_phi(v);
    });
    if (at < old_.size()) {
      fail(addition_fault::missing, old_[at]);
    }
  }

  /// Compares what the operations of a node read, and the phis along the edges from there. `reads(user, x, u, from,
  /// to)` is whether `u` is another value than `x`, and read in its place. Calls `fail(fault, user)`.
  template <class Read, class Fail> void compare_reads(node_id n, Read reads, Fail fail) {
    for_each_id(pair_.before.values(n), [&](value_id v) {
      if (!pair_.before.is_phi(v)) {
        compare_operands(n, v, reads, fail);
      }
    });
    for_each_id(pair_.after.graph().out_edges(n), [&](edge_id e) {
      const auto to = static_cast<node_id>(pair_.after.graph().edge_target(e));
      for_each_phi(pair_.before, to, [&](value_id phi) {
        reads(phi, static_cast<value_id>(pair_.before.phi_input(phi, e)),
              static_cast<value_id>(pair_.after.phi_input(phi, e)), n, to);
      });
    });
  }

  /// Whether a new operation only computes, and promises nothing.
  bool only_computes(value_id v) const {
    const After& after = pair_.after;
    return !after.is_phi(v) && !is_terminator(after, v) && after.effect(v) == effect_kind::none && !after.may_trap(v) &&
           !after.may_not_return(v) && !after.is_volatile(v) && after.operation(v).code != operation::other &&
           after.operation(v).flags == operation_flags();
  }

private:
  template <class Read, class Fail> void compare_operands(node_id n, value_id v, Read reads, Fail fail) {
    list(pair_.before.operands(v));
    std::size_t i = 0;
    for_each_id(pair_.after.operands(v), [&](value_id u) {
      if (i < old_.size() && reads(v, old_[i], u, n, n) && !may_replace_operand(pair_.before, v, i)) {
        fail(addition_fault::fixed, v);
      }
      ++i;
    });
    if (i != old_.size()) {
      fail(addition_fault::wrong_count, v);
    }
  }

  template <class Ids> void list(const Ids& ids) {
    old_.clear();
    for_each_id(ids, [&](value_id v) { old_.push_back(v); });
  }

  const paired_programs<Before, After>& pair_;
  flat_array<value_id> old_;
};

} // namespace detail

MIDEND_END_NAMESPACE
