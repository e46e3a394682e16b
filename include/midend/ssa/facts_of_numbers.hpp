/// `facts_of_numbers`: the result of sparse conditional propagation for each value, as plain data.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/domains/strided_interval_domain.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/sccp.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

/// The facts of a result of `sccp` or `sccp_with_branch_facts` over `strided_interval_domain`, by value. Nothing is
/// known about values that are never computed. O(values).
template <class Found>
  requires requires(const Found& found) { found.fact(value_id()).is_bottom(); }
void facts_of_numbers(const Found& found, flat_array<number_facts>& out) {
  const strided_interval_domain domain;
  out.clear();
  for (value_id v = 0; v != static_cast<value_id>(found.num_values()); ++v) {
    out.push_back(found.fact(v).is_bottom() ? number_facts() : domain.facts(found.fact(v)));
  }
}

/// Bounds and remainders for each value of a program, refined by branches. Takes the time of `sccp_with_branch_facts`.
template <semantic_ir_argument IR> flat_array<number_facts> facts_of_numbers(const IR& ir) {
  flat_array<number_facts> out;
  facts_of_numbers(sccp_with_branch_facts(ir, strided_interval_domain()), out);
  return out;
}

MIDEND_END_NAMESPACE
