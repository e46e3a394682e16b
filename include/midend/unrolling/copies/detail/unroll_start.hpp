/// What is known before the first copy: phis, and what comes from outside.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/ir/operation.hpp"
#include "midend/unrolling/copies/detail/unroll_context.hpp"
#include "midend/unrolling/copies/detail/unroll_values.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Gives the phis of the header and the values from outside their nodes or numbers. Phis come first.
class unroll_start {
public:
  constexpr explicit unroll_start(unroll_context& context) : c_(context) {}

  constexpr void run() {
    c_.out.phis.assign(c_.body.num_phis, no_unrolled);
    make_phis();
    make_outside();
    for (body_id phi = 0; phi != c_.body.num_phis; ++phi) {
      if (c_.out.phis[phi] == no_unrolled) {
        c_.values[phi] = known_phi(phi);
      }
    }
    mark_invariants();
  }

private:
  /// Whether the phi is something else than a value that comes from another pass or from before.
  constexpr bool is_known(body_id phi) const {
    if (c_.request.is_straight_line && c_.request.begins_at_entry) {
      return true;
    }
    if (!c_.request.knows_position) {
      return false;
    }
    return (c_.request.is_straight_line && induction_of(phi) != nullptr && induction_of(phi)->has_start) ||
           (c_.request.first_iteration != 0 && c_.is_outside(c_.body.next(phi)));
  }

  constexpr known_value known_phi(body_id phi) const {
    if (c_.request.first_iteration != 0 && c_.is_outside(c_.body.next(phi))) {
      return c_.values[c_.body.next(phi)];
    }
    if (const induction_variable* const iv = induction_of(phi); iv != nullptr && iv->has_start) {
      return literal(iv->start + c_.request.first_iteration * iv->step, iv->width);
    }
    return c_.values[c_.body.initial(phi)];
  }

  constexpr const induction_variable* induction_of(body_id phi) const {
    const std::uint32_t i = phi < c_.counters.induction_of.size() ? c_.counters.induction_of[phi] : no_body_value;
    return i == no_body_value ? nullptr : &c_.counters.inductions[i];
  }

  constexpr void make_phis() {
    for (body_id phi = 0; phi != c_.body.num_phis; ++phi) {
      if (!is_known(phi)) {
        c_.values[phi] = c_.make_node(phi, body_kind::phi);
        c_.out.phis[phi] = c_.values[phi].node;
      }
    }
  }

  constexpr void make_outside() {
    for (body_id v = c_.body.num_phis; v != c_.body.num_values() && c_.is_outside(v); ++v) {
      const body_value& value = c_.body.values[v];
      if (value.kind == body_kind::constant) {
        c_.values[v] = literal(value.bits, value.info.width);
      } else {
        c_.values[v] = c_.make_node(v, body_kind::invariant);
        c_.out.nodes.back().is_invariant = true;
      }
    }
  }

  /// They are evaluated once: in all copies they are the same.
  constexpr void mark_invariants() {
    c_.memory.is_invariant.assign(c_.body.num_values(), false);
    for (body_id v = c_.body.num_phis; v != c_.body.num_values(); ++v) {
      const body_value& value = c_.body.values[v];
      bool is_invariant = c_.is_outside(v) || (value.kind == body_kind::pure &&
                                               (value.info.code != operation::other || value.identity != 0));
      for (const body_id o : c_.body.operands_of(v)) {
        is_invariant = is_invariant && o < v && c_.memory.is_invariant[o];
      }
      c_.memory.is_invariant[v] = is_invariant;
    }
  }

  unroll_context& c_;
};

} // namespace detail

MIDEND_END_NAMESPACE
