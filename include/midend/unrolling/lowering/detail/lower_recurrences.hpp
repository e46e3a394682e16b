/// What goes round a loop from pass to pass, as far as grouping asks.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/lowering/detail/lower_workspace.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Which header phis a value depends on, and which of them it decides in some pass to come. As bits; of more than 64
/// phis some share one, so that then values may be taken for recurrent that are not.
struct header_recurrences {
  const unrolled_body& body;
  lowering_memory& w;

  bool are_known = false;

  constexpr void find() {
    are_known = !body.is_straight_line && has_trees();
    if (are_known) {
      look_forward();
      look_back(phis_decided_by_phis());
    }
  }

  /// Whether `leaf` waits for the `result` of a pass before.
  constexpr bool connect(unrolled_id result, unrolled_id leaf) const {
    return are_known && (w.decides[result] & w.depends_on[leaf]) != 0;
  }

private:
  static constexpr std::uint64_t bit_of(std::uint32_t phi) { return std::uint64_t{1} << (phi & 63); }

  constexpr bool is_header_phi(std::uint32_t p) const {
    return body.phis[p] != no_unrolled && w.nodes[body.phis[p]].as == lowered_as::header_phi;
  }

  constexpr bool has_trees() const {
    for (const lowered_node& n : w.nodes) {
      if (n.as == lowered_as::in_group) {
        return true;
      }
    }
    return false;
  }

  constexpr void look_forward() {
    w.depends_on.resize_for_overwrite(body.nodes.size());
    for (unrolled_id n = 0; n != body.nodes.size(); ++n) {
      std::uint64_t all = w.nodes[n].as == lowered_as::header_phi ? bit_of(w.nodes[n].phi) : 0;
      for_each_operand(n, [&](unrolled_id o) { all |= w.depends_on[o]; });
      w.depends_on[n] = all;
    }
  }

  constexpr void look_back(const std::array<std::uint64_t, 64>& decided) {
    w.decides.assign(body.nodes.size(), 0);
    for (std::uint32_t p = 0; p != body.phis.size(); ++p) {
      if (is_header_phi(p)) {
        w.decides[body.next[p].node] |= bit_of(p) | decided[p & 63];
      }
    }
    for (unrolled_id n = static_cast<unrolled_id>(body.nodes.size()); n-- != 0;) {
      for_each_operand(n, [&](unrolled_id o) { w.decides[o] |= w.decides[n]; });
    }
  }

  /// The transitive closure (S. Warshall, "A theorem on Boolean matrices", J. ACM 9(1), 1962), by rows.
  constexpr std::array<std::uint64_t, 64> phis_decided_by_phis() const {
    std::array<std::uint64_t, 64> rows{};
    for (std::uint32_t p = 0; p != body.phis.size(); ++p) {
      if (!is_header_phi(p)) {
        continue;
      }
      for (std::uint64_t from = w.depends_on[body.next[p].node], q = 0; from != 0; from >>= 1, ++q) {
        rows[q] |= (from & 1) != 0 ? bit_of(p) : 0;
      }
    }
    const std::size_t count = body.phis.size() < 64 ? body.phis.size() : 64;
    for (std::size_t k = 0; k != count; ++k) {
      for (std::size_t i = 0; i != count; ++i) {
        rows[i] |= (rows[i] >> k & 1) != 0 ? rows[k] : 0;
      }
    }
    return rows;
  }

  template <class Visit> constexpr void for_each_operand(unrolled_id n, const Visit& visit) const {
    const unrolled_node& node = body.nodes[n];
    for (const unrolled_operand o : body.operands_of(n)) {
      visit(o.node);
    }
    if (node.kind == body_kind::load || node.kind == body_kind::store) {
      const unrolled_access& a = body.accesses[node.access];
      for (const unrolled_id o : {a.base, a.index, a.stored.node}) {
        if (o != no_unrolled) {
          visit(o);
        }
      }
    }
    if (node.guard != no_unrolled) {
      visit(node.guard);
    }
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
