/// The small IR with semantics, with the members that value numbering asks of operations that are not in the
/// vocabulary, and with values that are computed more than once.
#pragma once

#include "kit/semantic_ir.hpp"
#include "kit/test_graph.hpp"

#include <midend/dominance/dominators.hpp>
#include <midend/ir/cost.hpp>
#include <midend/ir/effects.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace midend_tests {

/// Strange operations have an identity; calls may do anything.
class numbered_program : public semantic_program {
public:
  using semantic_program::semantic_program;

  explicit numbered_program(semantic_program p) : semantic_program(std::move(p)) {}

  midend::effect_kind effect(value_id v) const {
    return is_call(v) ? midend::effect_kind::unknown : midend::effect_kind::none;
  }

  bool may_trap(value_id) const { return true; }

  bool may_not_return(value_id v) const { return is_call(v); }

  bool may_duplicate(value_id) const { return true; }

  bool is_volatile(value_id) const { return false; }

  bool is_terminator(value_id) const { return false; }

  std::uint32_t identity(value_id v) const { return is_call(v) || node(v) == no_node ? 0 : 7; }

  /// Makes many operations and phis read what an earlier one reads.
  void repeat(random_source& random) {
    const midend::dominator_tree tree = midend::dominators(graph());
    std::vector<value_id> before;
    for (const node_id n : tree.preorder()) {
      for (const value_id v : values(n)) {
        if (random.one_in(2)) {
          repeat_one(random, tree, before, v);
        }
        before.push_back(v);
      }
    }
  }

private:
  void repeat_one(random_source& random, const midend::dominator_tree& tree, const std::vector<value_id>& before,
                  value_id v) {
    for (const value_id w : before) {
      const bool agree = is_phi(v) == is_phi(w) && operation(v).width == operation(w).width &&
                         operation(v).code == operation(w).code && operands(v).size() == operands(w).size() &&
                         operation(v).operand_width == operation(w).operand_width && is_call(v) == is_call(w);
      if (agree && is_phi(v) && node(v) == node(w)) {
        for (const edge_id e : graph().in_edges(node(v))) {
          const value_id input = phi_input(w, e);
          // The other phi, where the first one reads itself.
          set_input(v, e, input == w ? v : random.one_in(8) ? phi_input(v, e) : input);
        }
        return;
      }
      if (agree && !is_phi(v) && tree.dominates(node(w), node(v)) && random.one_in(2)) {
        std::vector<value_id> same(operands(w).begin(), operands(w).end());
        if (same.size() == 2 && midend::is_commutative(operation(v).code) && random.one_in(2)) {
          std::swap(same[0], same[1]);
        }
        set_operands(v, same);
        return;
      }
    }
  }
};

static_assert(midend::semantic_ir<numbered_program> && midend::effect_ir<numbered_program> &&
              midend::has_identity<numbered_program>);

} // namespace midend_tests
