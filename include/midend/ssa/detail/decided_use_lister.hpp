/// `decided_use_lister`: the uses that branches decide, from the facts of a program with copies after its branches.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/detail/branch_facts.hpp"
#include "midend/ssa/sccp_result.hpp"
#include "midend/support/span.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Lists the uses of `ir` that branches decide in `out`, which holds the finished facts of `view`, and its decided uses
/// are empty. O(values + operands) time.
template <class IR, class D> class decided_use_lister {
public:
  using view_type = branch_facts_view<IR>;

  decided_use_lister(const IR& ir, const view_type& view, sccp_result<D>& out) : ir_(ir), view_(view), out_(out) {}

  void run() {
    for (node_id n = 0; n != node_count(ir_.graph()); ++n) {
      if (out_.is_executable(n)) {
        for_each_id(ir_.values(n), [&](value_id v) {
          if (!ir_.is_phi(v)) {
            list_operands(v);
          }
        });
        for_each_id(ir_.graph().out_edges(n), [&](edge_id e) { list_inputs(e); });
      }
    }
  }

private:
  /// Lists operands by name: opaque operations show none in the view.
  void list_operands(value_id user) {
    const span<const value_id> names = view_.operands(user);
    for (std::uint32_t i = 0; i != names.size(); ++i) {
      list(user, no_edge, i, names[i]);
    }
  }

  void list_inputs(edge_id e) {
    if (out_.is_executable_edge(e)) {
      for_each_phi(ir_, static_cast<node_id>(ir_.graph().edge_target(e)),
                   [&](value_id phi) { list(phi, e, 0, view_.phi_input(phi, e)); });
    }
  }

  void list(value_id user, edge_id e, std::uint32_t i, value_id name) {
    if (name != no_value && view_.implied(name) != nullptr && out_.is_computed(name) && !out_.is_undefined(name)) {
      const auto c = out_.constant(name);
      if (c && !out_.constant(view_.original(name))) {
        out_.decided_uses_.push_back({user, e, i, *c});
      }
    }
  }

  const IR& ir_;
  const view_type& view_;
  sccp_result<D>& out_;
};

} // namespace detail

MIDEND_END_NAMESPACE
