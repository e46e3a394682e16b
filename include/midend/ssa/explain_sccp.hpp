/// `explain_sccp`: explains the fact that `sccp` found for a value.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/sccp_result.hpp"
#include "midend/support/bit_row.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The kinds of steps of an explanation.
enum class sccp_reason : std::uint8_t {
  literal,     ///< `value` is a literal
  outside,     ///< `value` comes from outside: it is in no node, or nothing is known about its operation
  operation,   ///< `value` follows from its operands, which later steps explain
  phi,         ///< `value` is a phi; the following steps list its inputs
  arrives,     ///< along `edge` the phi takes `value`
  not_taken,   ///< control never takes `edge`, because of `value`, the condition at its source
  not_reached, ///< `node`, from which `edge` comes, is never executed: no edge into it is taken
  not_executed ///< `value` is in `node`, which is never executed
};

/// A step of an explanation; members that do not apply are `no_…`.
struct sccp_step {
  sccp_reason why;
  value_id value;
  edge_id edge;
  node_id node;

  friend constexpr bool operator==(const sccp_step&, const sccp_step&) = default;
};

namespace detail {

template <class IR, class D> class sccp_explainer {
public:
  sccp_explainer(const IR& ir, const sccp_result<D>& found, flat_array<sccp_step>& out)
      : ir_(ir), found_(found), out_(out), met_(static_cast<std::size_t>(ir.num_values())),
        not_reached_(static_cast<std::size_t>(ir.graph().num_nodes())) {
    home_.assign(static_cast<std::size_t>(ir.num_values()), no_node);
    for (node_id n = 0; n != num_nodes(); ++n) {
      for_each_id(ir.values(n), [&](value_id v) { home_[v] = n; });
    }
    collect_in_edges();
  }

  /// Explains values in the order in which explanations mention them.
  void run(value_id v) {
    ask(v);
    for (std::size_t i = 0; i != asked_.size(); ++i) {
      explain(asked_[i]);
    }
  }

private:
  node_id num_nodes() const { return static_cast<node_id>(ir_.graph().num_nodes()); }

  void collect_in_edges() {
    ends_.assign(num_nodes() + std::size_t{1}, 0);
    for_each_edge([&](edge_id, node_id target) { ++ends_[target]; });
    counts_to_ends(ends_);
    in_edges_.resize_for_overwrite(ends_[num_nodes()]);
    for_each_edge([&](edge_id e, node_id target) { in_edges_[--ends_[target]] = e; });
  }

  template <class Visit> void for_each_edge(Visit visit) const {
    for (node_id n = num_nodes(); n-- != 0;) {
      for_each_id(ir_.graph().out_edges(n),
                  [&](edge_id e) { visit(e, static_cast<node_id>(ir_.graph().edge_target(e))); });
    }
  }

  span<const edge_id> in_edges(node_id n) const {
    return {in_edges_.data() + ends_[n], in_edges_.data() + ends_[n + std::size_t{1}]};
  }

  void ask(value_id v) {
    if (v != no_value && !met_.test(v)) {
      met_.set(v);
      asked_.push_back(v);
    }
  }

  void explain(value_id v) {
    const node_id home = home_[v];
    if (ir_.constant(v)) {
      out_.push_back({sccp_reason::literal, v, no_edge, home});
    } else if (home == no_node) {
      out_.push_back({sccp_reason::outside, v, no_edge, no_node});
    } else if (!found_.is_executable(home)) {
      out_.push_back({sccp_reason::not_executed, v, no_edge, home});
      explain_not_reached(home);
    } else if (ir_.is_phi(v)) {
      explain_phi(v, home);
    } else {
      explain_operation(v, home);
    }
  }

  void explain_phi(value_id phi, node_id home) {
    out_.push_back({sccp_reason::phi, phi, no_edge, home});
    for (const edge_id e : in_edges(home)) {
      if (found_.is_executable_edge(e)) {
        out_.push_back({sccp_reason::arrives, ir_.phi_input(phi, e), e, home});
        ask(ir_.phi_input(phi, e));
      } else {
        explain_not_taken(e);
      }
    }
  }

  void explain_operation(value_id v, node_id home) {
    const bool is_known = found_.constant(v) || ir_.operation(v).code != operation::other;
    out_.push_back({is_known ? sccp_reason::operation : sccp_reason::outside, v, no_edge, home});
    if (is_known) {
      for_each_id(ir_.operands(v), [&](value_id operand) { ask(operand); });
    }
  }

  void explain_not_taken(edge_id e) {
    const auto source = static_cast<node_id>(ir_.graph().edge_source(e));
    if (found_.is_executable(source)) {
      out_.push_back({sccp_reason::not_taken, ir_.condition(source), e, source});
      ask(ir_.condition(source));
    } else {
      out_.push_back({sccp_reason::not_reached, no_value, e, source});
      explain_not_reached(source);
    }
  }

  /// Goes back to the branches that decide. Visits each node once.
  void explain_not_reached(node_id first) {
    flat_array<node_id> pending;
    const auto visit = [&](node_id n) {
      if (!not_reached_.test(n)) {
        not_reached_.set(n);
        pending.push_back(n);
      }
    };
    visit(first);
    while (!pending.empty()) {
      const node_id n = pending.back();
      pending.pop_back();
      for (const edge_id e : in_edges(n)) {
        const auto source = static_cast<node_id>(ir_.graph().edge_source(e));
        if (found_.is_executable(source)) {
          explain_not_taken(e);
        } else {
          out_.push_back({sccp_reason::not_reached, no_value, e, source});
          visit(source);
        }
      }
    }
  }

  const IR& ir_;
  const sccp_result<D>& found_;
  flat_array<sccp_step>& out_;
  bit_row met_;
  bit_row not_reached_;
  flat_array<node_id> home_;
  flat_array<std::uint32_t> ends_;
  flat_array<edge_id> in_edges_;
  flat_array<value_id> asked_;
};

} // namespace detail

/// Explains the fact of `v`: the definitions and the branches not taken from which it follows. Lists each value once,
/// `v` first, then in the order in which steps mention them. The explanation of a constant ends with literals, others
/// end with values from outside. O(n + m) plus the values and their operands.
///
/// If branches sharpened facts (`sccp_with_branch_facts`), the explanation lists definitions only.
template <semantic_ir_argument IR, value_domain D>
flat_array<sccp_step> explain_sccp(const IR& ir, const sccp_result<D>& found, value_id v) {
  MIDEND_ASSERT(v < found.num_values(), "a value of the program", v, found.num_values());
  flat_array<sccp_step> out;
  detail::sccp_explainer<IR, D>(ir, found, out).run(v);
  return out;
}

MIDEND_END_NAMESPACE
