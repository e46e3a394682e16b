/// Whether the loops of a procedure are in a form.
#pragma once

#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/loops/loop_forms.hpp>

namespace midend_tests {

/// All loops have a preheader, one latch and dedicated exits.
inline void check_simple_forms(const midend::elbrus::procedure& p) {
  const auto found = midend::dominators_and_loops(p);
  for (const midend::loop_id l : found.loops.loops()) {
    CHECK_MESSAGE(midend::is_loop_simplify_form(p, found.loops, l), "header ", found.loops.header(l), "\n",
                  midend::elbrus::to_text(p));
  }
}

/// By definition: each read, outside its loop, of a value that a loop computes is by a phi in an exit block.
inline void check_closed_form(const midend::elbrus::procedure& p) {
  const auto found = midend::dominators_and_loops(p);
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    const midend::loop_id l = found.loops.innermost_loop(n);
    if (l == midend::no_loop) {
      continue;
    }
    for (const midend::value_id v : p.values(n)) {
      for (const midend::value_id user : p.users(v)) {
        const node_id at = p.value(user).node;
        if (!found.dominators.is_reachable(at) || found.loops.contains(l, at)) {
          continue;
        }
        bool is_closing = p.is_phi(user);
        if (is_closing) {
          for (const edge_id e : p.in_edges(at)) {
            const node_id from = p.edge_source(e);
            is_closing = is_closing && (!found.dominators.is_reachable(from) || p.phi_input(user, e) != v ||
                                        found.loops.contains(l, from));
          }
        }
        CHECK_MESSAGE(is_closing, "value ", v, " read by ", user, "\n", midend::elbrus::to_text(p));
      }
    }
  }
}

/// Each loop has one exit block at most.
inline void check_single_exits(const midend::elbrus::procedure& p) {
  const auto found = midend::dominators_and_loops(p);
  midend::flat_array<node_id> exits;
  for (const midend::loop_id l : found.loops.loops()) {
    found.loops.exit_blocks(l, exits);
    CHECK_MESSAGE(exits.size() <= 1, "header ", found.loops.header(l), "\n", midend::elbrus::to_text(p));
  }
}

} // namespace midend_tests
