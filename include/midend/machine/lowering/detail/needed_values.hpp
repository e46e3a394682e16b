/// `find_needed_values`: finds the needed values of a region, and counts their uses.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/lowering/detail/instruction_selection.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/region_value_kind.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

inline constexpr std::uint32_t no_sum = static_cast<std::uint32_t>(-1);
inline constexpr std::uint32_t not_a_header_phi = static_cast<std::uint32_t>(-1);

/// Facts about a node after the walk. Only needed users count.
struct needed_node {
  std::uint32_t uses = 0;
  std::uint32_t zero_tests = 0;         ///< uses that compare the node with 0
  std::uint32_t first_sum = no_sum;     ///< the first needed sum with this node
  std::uint32_t phi = not_a_header_phi; ///< its position in `program_region::phis`
  bool is_needed = false;
  bool decides_counted_exit = false;
};

/// A node plus a constant that is needed in a register.
struct needed_sum {
  region_operand value;
  std::uint32_t uses = 0;
  std::uint32_t next_sum = no_sum; ///< the next needed sum with the same node
};

/// The result of `find_needed_values`.
struct needed_values {
  flat_array<needed_node> nodes; ///< by node of the body
  flat_array<needed_sum> sums;
  flat_array<region_id> work; ///< needed nodes whose operands are still to be visited: empty in the result

  /// The position of a sum in `sums`, or `no_sum` if it is not needed.
  constexpr std::uint32_t find_sum(region_operand o) const {
    std::uint32_t s = nodes[o.node].first_sum;
    while (s != no_sum && sums[s].value.addend != o.addend) {
      s = sums[s].next_sum;
    }
    return s;
  }
};

/// Whether the exit test takes operations. A counted exit takes none if the hardware counts iterations.
constexpr bool is_tested(const region_exit& e, const lowering_options& options) {
  return !e.is_counted || !options.counts_in_hardware;
}

/// The algorithm of `find_needed_values`.
class needed_value_search {
public:
  constexpr needed_value_search(const program_region& body, needed_values& out) : body_(body), out_(out) {}

  constexpr void run(const lowering_options& options) {
    out_.nodes.assign(body_.values.size(), {});
    out_.sums.clear();
    out_.work.clear();
    for (std::uint32_t p = 0; p != body_.phis.size(); ++p) {
      if (body_.phis[p] != no_region_value) {
        out_.nodes[body_.phis[p]].phi = p;
      }
    }
    need_roots(options);
    while (!out_.work.empty()) {
      const region_id n = out_.work.back();
      out_.work.pop_back();
      need_what_it_reads(n);
    }
  }

private:
  constexpr void need_roots(const lowering_options& options) {
    for (region_id n = 0; n != body_.values.size(); ++n) {
      if (may_have_effect(body_.values[n])) {
        need(n);
      }
    }
    for (const region_exit& e : body_.exits) {
      if (is_tested(e, options)) {
        need_use(e.predicate);
      }
      out_.nodes[e.predicate].decides_counted_exit = out_.nodes[e.predicate].decides_counted_exit || e.bounds_top;
    }
    for (const region_operand o : body_.exit_values) {
      need_use(o.node);
    }
    for (const region_operand o : body_.live_out) {
      need_value(o);
    }
    for (std::size_t p = 0; body_.is_straight_line && p != body_.next.size(); ++p) {
      need_use(body_.next[p].node);
    }
  }

  constexpr void need(region_id n) {
    if (!out_.nodes[n].is_needed) {
      out_.nodes[n].is_needed = true;
      out_.work.push_back(n);
    }
  }

  constexpr void need_use(region_id n) {
    if (n != no_region_value) {
      need(n);
      ++out_.nodes[n].uses;
    }
  }

  constexpr void need_value(region_operand o) {
    if (o.node == no_region_value) {
      return;
    }
    const region_operand value = without_negation(body_, o);
    if (value.addend == 0) {
      need_use(value.node);
    } else {
      ++out_.sums[need_sum(value)].uses;
    }
  }

  /// The position of the sum, which is added if it is new. All uses of a sum together are one use of its node.
  constexpr std::uint32_t need_sum(region_operand o) {
    const std::uint32_t known = out_.find_sum(o);
    if (known != no_sum) {
      return known;
    }
    need_use(o.node);
    needed_node& node = out_.nodes[o.node];
    const auto added = static_cast<std::uint32_t>(out_.sums.size());
    out_.sums.push_back({o, 0, node.first_sum});
    node.first_sum = added;
    return added;
  }

  constexpr void need_what_it_reads(region_id n) {
    const region_value& node = body_.values[n];
    if (node.kind == region_value_kind::phi) {
      need_next(n);
      return;
    }
    for (const region_operand o : body_.operands_of(n)) {
      if (out_.nodes[n].decides_counted_exit) {
        need_use(o.node); // the bound of the test includes the addend
      } else {
        need_value(o);
      }
    }
    if (node.kind == region_value_kind::load || node.kind == region_value_kind::store) {
      const region_access& a = body_.accesses[node.access];
      need_use(a.base);
      need_use(a.index);
      need_value(a.stored);
    }
    need_use(node.guard);
    count_zero_tests(n);
  }

  /// The next value of a header phi, unless that is the phi itself.
  constexpr void need_next(region_id n) {
    const std::uint32_t phi = out_.nodes[n].phi;
    if (!body_.is_straight_line && phi != not_a_header_phi &&
        look_through(body_, body_.next[phi]) != region_operand{n, 0}) {
      need_value(body_.next[phi]);
    }
  }

  constexpr void count_zero_tests(region_id n) {
    const region_value& node = body_.values[n];
    if (node.info.code != operation::equal && node.info.code != operation::not_equal) {
      return;
    }
    const auto operands = body_.operands_of(n);
    for (std::size_t i = 0; i != 2; ++i) {
      if (operands[i].addend == 0 && is_zero_operand(body_, operands[1 - i])) {
        ++out_.nodes[operands[i].node].zero_tests;
      }
    }
  }

  const program_region& body_;
  needed_values& out_;
};

/// Marks needed values: those of effects, exit tests that are made, and values used after the loop (by whichever exit);
/// all values from which these are computed; for a needed header phi, its next value. Counts their uses, and lists the
/// needed sums of a node and a constant. Sums in addresses and sums used only after the loop are not listed: the
/// address takes up the constant, and the others are computed after the loop. Refills `out`. Linear, but for different
/// constants added to one node, which are searched one by one.
constexpr void find_needed_values(const program_region& body, const lowering_options& options, needed_values& out) {
  needed_value_search(body, out).run(options);
}

} // namespace detail

MIDEND_END_NAMESPACE
