/// `clear_local_classes`: for transformations that mix iterations of loops.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Takes the local classes of the loops with these headers from all accesses. O(operations + nodes), if there is a
/// header.
template <class E>
void clear_local_classes([[maybe_unused]] E& editor, [[maybe_unused]] const flat_array<node_id>& headers) {
  if constexpr (can_set_memory_classes<E> && has_memory<E> && has_effect<E>) {
    if (headers.empty()) {
      return;
    }
    flat_array<unsigned char> is_header(node_count(editor.graph()), 0);
    for (const node_id n : headers) {
      is_header[n] = 1;
    }
    flat_array<value_id> found;
    flat_array<node_id> scopes;
    for (node_id n = 0; n != node_count(editor.graph()); ++n) {
      for_each_id(editor.values(n), [&](value_id v) {
        const effect_kind effect = editor.is_phi(v) ? effect_kind::none : editor.effect(v);
        if (effect != effect_kind::reads && effect != effect_kind::writes) {
          return;
        }
        const optional<memory_reference> m = editor.memory(v);
        if (m && m->local != any_memory && m->scope < is_header.size() && is_header[m->scope] != 0) {
          found.push_back(v);
          scopes.push_back(m->scope);
        }
      });
    }
    for (std::size_t i = 0; i != found.size(); ++i) {
      editor.set_memory_class(found[i], any_memory, scopes[i]);
    }
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
