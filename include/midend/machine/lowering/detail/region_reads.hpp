/// `region_reads`: where each value of a program is read.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/lowering/detail/program_questions.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Takes a program and its loops, and tells which values are read, and which are read outside their node or loop. Those
/// are the results of a region: its code has to leave them in registers. Found once for a program, before any region is
/// read. Reads from unreachable nodes do not count.
class region_reads {
public:
  /// Linear in the program.
  template <class IR> constexpr void find(const IR& ir, const depth_first_numbering& order, const loop_forest& loops) {
    const auto count = static_cast<std::size_t>(ir.num_values());
    home_.assign(count, no_node);
    reads_.assign(count, 0);
    for (const node_id n : order.preorder()) {
      for (const value_id v : ir.values(n)) {
        home_[v] = n;
      }
    }
    for (const node_id n : order.preorder()) {
      for (const value_id v : ir.values(n)) {
        for (const auto& operand : ir.operands(v)) {
          note_read(loops, static_cast<value_id>(operand), n, ir.is_phi(v));
        }
      }
      note_read(loops, condition_of(ir, n), n, false);
    }
  }

  constexpr std::size_t num_values() const { return reads_.size(); }

  constexpr bool is_read(value_id v) const { return reads_[v] != 0; }

  /// Whether another node reads the value, or a phi.
  constexpr bool is_read_in_other_node(value_id v) const { return (reads_[v] & in_other_node) != 0; }

  /// Whether the value is read outside the innermost loop around it.
  constexpr bool is_read_in_other_loop(value_id v) const { return (reads_[v] & in_other_loop) != 0; }

private:
  // Bits of `reads_`.
  static constexpr std::uint8_t anywhere = 1;
  static constexpr std::uint8_t in_other_node = 2;
  static constexpr std::uint8_t in_other_loop = 4;

  constexpr void note_read(const loop_forest& loops, value_id v, node_id reader, bool by_phi) {
    if (v == no_value) {
      return;
    }
    const node_id home = home_[v];
    unsigned where = reads_[v] | anywhere;
    if (home != no_node) {
      where |= by_phi || home != reader ? in_other_node : 0U;
      where |= loops.innermost_loop(home) != loops.innermost_loop(reader) ? in_other_loop : 0U;
    }
    reads_[v] = static_cast<std::uint8_t>(where);
  }

  flat_array<node_id> home_;       ///< by value: its node; `no_node` if it is in none that is reachable
  flat_array<std::uint8_t> reads_; ///< by value: where it is read
};

} // namespace detail

MIDEND_END_NAMESPACE
