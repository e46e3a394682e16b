// A view with all members of the editing rungs and of the rungs for reading that they stand on. A program that must not
// compile leaves one out by defining WITHOUT_ and its name, or hides one by another that does not fit.
#pragma once

#include "midend/graph/csr_graph.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/semantics.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

struct editor_view {
  using list = std::span<const std::uint32_t>;
  using constant_type = std::uint64_t;

  // Values.
  midend::csr_graph graph() const { return {}; }

  std::size_t num_values() const { return 0; }

  list operands(midend::value_id) const { return {}; }

  bool is_phi(midend::value_id) const { return false; }

  list values(midend::node_id) const { return {}; }

  midend::value_id phi_input(midend::value_id, midend::edge_id) const { return 0; }

  midend::value_id condition(midend::node_id) const { return midend::no_value; }

  // Semantics and effects.
  midend::operation_info operation(midend::value_id) const { return {}; }

  std::optional<std::uint64_t> constant(midend::value_id) const { return {}; }

  std::optional<std::uint64_t> fold(midend::value_id, std::span<const std::uint64_t>) const { return {}; }

  std::optional<std::uint64_t> edge_case(midend::edge_id) const { return {}; }

  midend::effect_kind effect(midend::value_id) const { return {}; }

  bool may_trap(midend::value_id) const { return false; }

  bool may_not_return(midend::value_id) const { return false; }

  bool may_duplicate(midend::value_id) const { return true; }

  bool is_volatile(midend::value_id) const { return false; }

  // Changing values.
#ifndef WITHOUT_insert_phi
  midend::value_id insert_phi(midend::node_id, midend::value_id) { return 0; }
#endif
#ifndef WITHOUT_set_phi_input
  void set_phi_input(midend::value_id, midend::edge_id, midend::value_id) {}
#endif
#ifndef WITHOUT_replace_uses
  void replace_uses(midend::value_id, midend::value_id) {}
#endif
#ifndef WITHOUT_erase_value
  void erase_value(midend::value_id) {}
#endif
#ifndef WITHOUT_clone_value
  midend::value_id clone_value(midend::value_id, midend::node_id) { return 0; }
#endif
#ifndef WITHOUT_make_constant
  midend::value_id make_constant(midend::value_id, std::uint64_t) { return 0; }
#endif

  // Changing flow.
#ifndef WITHOUT_create_node
  midend::node_id create_node(midend::node_id) { return 0; }
#endif
#ifndef WITHOUT_redirect_edge
  void redirect_edge(midend::edge_id, midend::node_id) {}
#endif
#ifndef WITHOUT_set_jump
  void set_jump(midend::node_id, midend::node_id) {}
#endif
#ifndef WITHOUT_keep_edge
  void keep_edge(midend::edge_id) {}
#endif
#ifndef WITHOUT_erase_nodes
  void erase_nodes(std::span<const midend::node_id>) {}
#endif

  // Changing operations.
#ifndef WITHOUT_set_operand
  void set_operand(midend::value_id, std::size_t, midend::value_id) {}
#endif
#ifndef WITHOUT_clone_value_to_place
  midend::value_id clone_value(midend::value_id, midend::place) { return 0; }
#endif
#ifndef WITHOUT_move_value
  void move_value(midend::value_id, midend::place) {}
#endif
#ifndef WITHOUT_drop_promises
  void drop_promises(midend::value_id) {}
#endif
#ifndef WITHOUT_make_operation
  midend::value_id make_operation(midend::operation_info, std::span<const midend::value_id>, midend::place) {
    return 0;
  }
#endif
#ifndef WITHOUT_make_number
  midend::value_id make_number(unsigned, std::uint64_t) { return 0; }
#endif
#ifndef WITHOUT_undefined_like
  midend::value_id undefined_like(midend::value_id) { return 0; }
#endif

  // Making branches.
#ifndef WITHOUT_erase_end
  void erase_end(midend::node_id) {}
#endif
#ifndef WITHOUT_set_branch
  void set_branch(midend::node_id, midend::value_id, midend::node_id, midend::node_id) {}
#endif
#ifndef WITHOUT_set_switch
  void set_switch(midend::node_id, midend::value_id, std::span<const std::uint64_t>, std::span<const midend::node_id>,
                  midend::node_id) {}
#endif

  // Memory of its own.
#ifndef WITHOUT_make_local_array
  midend::value_id make_local_array(std::uint32_t) { return 0; }
#endif
#ifndef WITHOUT_make_load
  midend::value_id make_load(midend::value_id, const midend::memory_reference&, midend::place) { return 0; }
#endif
#ifndef WITHOUT_make_store
  midend::value_id make_store(midend::value_id, const midend::memory_reference&, midend::place) { return 0; }
#endif
#ifndef WITHOUT_storage_bytes
  std::uint32_t storage_bytes(midend::value_id) const { return 0; }
#endif
  std::uint32_t local_array_bytes(midend::value_id) const { return 0; }

  std::uint32_t make_memory_class() { return 0; }
};
