/// `recording_editor`: an editor that keeps a log of its changes, to undo them and to repeat them elsewhere.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

/// A primitive of an editor. `replace_uses` is recorded as the operands that it sets.
enum class edit_kind : std::uint8_t {
  insert_phi,
  set_phi_input,
  set_operand,
  erase_value,
  clone_value,
  clone_value_to_place,
  clone_unguarded,
  move_value,
  drop_promises,
  make_constant,
  make_number,
  make_operation,
  undefined_like,
  create_node,
  redirect_edge,
  set_jump,
  keep_edge,
  erase_end,
  set_branch,
  set_switch,
  erase_nodes,
  erase_node, ///< part of the following `erase_nodes`
  set_count,
  set_probability,
  set_trip_hints, ///< its words are the old multiple and the new one, low half first
  address_as_number,
  make_memory_class, ///< `created` is the class
  set_memory_class,  ///< `object` is the class, `third` the scope, `old` the class before and `number` its scope
  make_local_array,  ///< `object` is the number of bytes
  make_load,         ///< `object` is the value whose type it has
  make_store         ///< `object` is what is stored
};

/// One change. Each kind uses some of the members; numbers are those at the time of the change.
struct edit_record {
  edit_kind kind = edit_kind::insert_phi;
  bool is_part = false;             ///< whether it belongs to the next record that is no part
  std::uint32_t subject = 0;        ///< the value, node or edge that is changed, or the phi
  std::uint32_t object = 0;         ///< the new operand, input, target or condition; the value that is cloned
  std::uint32_t third = 0;          ///< the edge of an input, the position of an operand, or the other target
  std::uint32_t old = 0;            ///< the operand, input, target or node before
  std::uint32_t created = no_value; ///< the value or node that was made; `no_value` if none was
  std::uint32_t first_word = 0;     ///< more data: see `edit_log::words`
  std::uint32_t num_words = 0;
  place where = {};
  place old_place = {};
  operation_info info = {};
  std::uint64_t number = 0;     ///< bits, promises or count before; the index of a constant
  std::uint64_t new_number = 0; ///< the new count
  double probability = 0;
  double old_probability = 0;
};

namespace detail {

/// The hint of a `set_trip_hints`, in two words.
constexpr std::uint64_t multiple_of(span<const std::uint32_t> words) {
  return words[0] | static_cast<std::uint64_t>(words[1]) << 32;
}

} // namespace detail

/// The changes that a `recording_editor` made, oldest first: a value that can be kept, shown and repeated.
template <class Constant> class edit_log {
public:
  std::size_t size() const { return records_.size(); }

  bool empty() const { return records_.empty(); }

  const edit_record& operator[](std::size_t i) const { return records_[i]; }

  const edit_record* begin() const { return records_.begin(); }

  const edit_record* end() const { return records_.end(); }

  /// Further data of a change of this log:
  /// - `make_operation`: the operands;
  /// - `make_load`, `make_store`: base, index, bytes, class, then scale and offset, low half first (`third` is the
  ///   number of values before, since the operations of the address are made, too);
  /// - `set_jump`, `set_branch`, and `clone_value` of a terminator: the edges that were made;
  /// - `set_switch`: the targets of the cases, then the edges that were made;
  /// - `erase_value`, `move_value`: the operands, of a phi (`third` is 1) edge and input of each;
  /// - `redirect_edge`: phi and input of each phi at the target before;
  /// - `keep_edge`, `erase_end`: the terminator, the number of its operands, these, and for each edge that was there
  ///   its number, its target, the number of phis there, and phi and input of each;
  /// - `erase_nodes`: the nodes.
  span<const std::uint32_t> words(const edit_record& r) const { return {words_.data() + r.first_word, r.num_words}; }

  /// The constant of a `make_constant`; those of a `set_switch` are this one and the next ones.
  Constant constant(const edit_record& r, std::size_t i = 0) const { return constants_[r.number + i]; }

private:
  template <class E> friend class recording_editor;
  template <class C, class E> friend class edit_replay;

  flat_array<edit_record> records_;
  flat_array<std::uint32_t> words_;
  std::vector<Constant> constants_;
  std::size_t num_values_ = 0; ///< when recording began
  std::size_t num_nodes_ = 0;
  std::size_t num_edges_ = 0;
};

/// What `recording_editor` requires of an editor.
template <class E>
concept recordable_editor = ir_editor<E> && restoring_editor<E> && places_values<E> && graph_has_in_edges<E>;

namespace detail {

MIDEND_REQUIRED(can_restore_values,
                "an editor that is recorded needs `void restore_value(midend::value_id v, midend::place p, "
                "std::span<const midend::value_id> operands)`, which undoes erase_value");
MIDEND_REQUIRED(can_restore_ends, "an editor that is recorded needs `void restore_end(midend::value_id terminator, "
                                  "midend::node_id n, std::span<const midend::value_id> operands, std::span<const "
                                  "midend::edge_id> edges, std::span<const midend::node_id> targets)`");
MIDEND_REQUIRED(can_restore_nodes, "an editor that is recorded needs `void restore_node(midend::node_id n)`");
MIDEND_REQUIRED(can_set_promises,
                "an editor that is recorded needs `std::uint64_t promises(midend::value_id v) const` and `void "
                "set_promises(midend::value_id v, std::uint64_t promises)`; without promises, 0 and nothing");
MIDEND_REQUIRED(has_value_after, "an editor that is recorded needs `midend::value_id value_after(midend::value_id v) "
                                 "const`, the next value of its node or midend::no_value");

struct recordable_contract : contract<ir_editor_contract, profile_of_editor_row, can_restore_values_row,
                                      can_restore_ends_row, can_restore_nodes_row, can_set_promises_row,
                                      has_value_after_row, has_node_of_row, graph_has_in_edges_row> {};

} // namespace detail

/// What `recording_editor` takes: a `recordable_editor` with optional members that fit; otherwise an error.
template <class E>
concept recordable_editor_argument =
    (recordable_editor<E> && detail::recordable_contract::fits<E>) || detail::recordable_contract::explain<E>();

/// Forwards each change to `E` and records it. It derives from `E`, so reading is that of `E`; the constructor takes
/// the arguments of the constructor of `E`. It has no members of rungs that `E` does not model.
///
/// `undo_to(length)` undoes all but the first `length` changes. The program is then as it was, with all its numbers.
/// Things that were made and undone leave unused numbers; literals stay. The log costs about 90 bytes a change, and 4
/// for each operand and edge that it removes. Every primitive costs what it costs `E`, plus the length of what it
/// removes.
///
/// Changes of the program that do not go through this editor are not recorded. Do not undo across them.
template <class E> class recording_editor : public E {
public:
  using constant_type = constant_of<E>;

  template <class... Arguments>
    requires requires(Arguments&&... arguments) { E(std::forward<Arguments>(arguments)...); }
  explicit recording_editor(Arguments&&... arguments) : E(std::forward<Arguments>(arguments)...) {
    static_assert(recordable_editor_argument<E>);
    forget();
  }

  const edit_log<constant_type>& log() const { return log_; }

  /// The number of changes.
  std::size_t num_edits() const { return log_.size(); }

  /// Keeps the changes. They can no longer be undone.
  void forget() {
    log_.records_.clear();
    log_.words_.clear();
    log_.constants_.clear();
    log_.num_values_ = static_cast<std::size_t>(this->num_values());
    log_.num_nodes_ = static_cast<std::size_t>(this->graph().num_nodes());
    log_.num_edges_ = static_cast<std::size_t>(this->graph().num_edges());
  }

  /// Undoes all changes but the first `length`, the last one first.
  void undo_to(std::size_t length) {
    MIDEND_ASSERT(length <= log_.size(), "a length that the log had", length, log_.size());
    while (log_.size() > length) {
      const edit_record r = log_.records_.back();
      take_back(r);
      log_.records_.pop_back();
      log_.words_.shrink(r.first_word);
    }
  }

  /// Undoes all changes since the editor was made, or since `forget()`.
  void undo() { undo_to(0); }

  // Hides the members of `cleans_nodes`, which are not recorded. Recorded members do their work.

  void append_node(node_id, node_id) = delete;

  void pass_over(node_id) = delete;

  // Values.

  value_id insert_phi(node_id n, value_id like) {
    const auto phi = static_cast<value_id>(E::insert_phi(n, like));
    add({.kind = edit_kind::insert_phi, .subject = n, .object = like, .created = phi});
    return phi;
  }

  void set_phi_input(value_id phi, edge_id e, value_id v) {
    const auto old = static_cast<value_id>(this->phi_input(phi, e));
    E::set_phi_input(phi, e, v);
    add({.kind = edit_kind::set_phi_input, .subject = phi, .object = v, .third = e, .old = old});
  }

  void set_operand(value_id user, std::size_t i, value_id v)
    requires can_set_operands<E>
  {
    value_id old = no_value;
    std::size_t at = 0;
    detail::for_each_id(this->operands(user), [&](value_id operand) { old = at++ == i ? operand : old; });
    E::set_operand(user, i, v);
    add({.kind = edit_kind::set_operand,
         .subject = user,
         .object = v,
         .third = static_cast<std::uint32_t>(i),
         .old = old});
  }

  /// Sets operand by operand, so that each can be undone.
  void replace_uses(value_id v, value_id by) {
    if (v == by) {
      return;
    }
    flat_array<value_id> users;
    detail::for_each_id(this->users(v), [&](value_id user) { users.push_back(user); });
    for (const value_id user : users) {
      if (this->is_phi(user)) {
        const flat_array<edge_id> edges = in_edges(static_cast<node_id>(this->node_of(user)));
        for (const edge_id e : edges) {
          if (static_cast<value_id>(this->phi_input(user, e)) == v) {
            set_phi_input(user, e, by);
          }
        }
        continue;
      }
      flat_array<std::uint32_t> positions;
      std::uint32_t at = 0;
      detail::for_each_id(this->operands(user), [&](value_id operand) {
        if (operand == v) {
          positions.push_back(at);
        }
        ++at;
      });
      for (const std::uint32_t i : positions) {
        set_operand(user, i, by);
      }
    }
  }

  void erase_value(value_id v) {
    edit_record r = record_of_value(v);
    E::erase_value(v);
    add(r);
  }

  value_id clone_value(value_id v, node_id n) {
    const auto clone = static_cast<value_id>(E::clone_value(v, n));
    edit_record r{.kind = edit_kind::clone_value, .subject = n, .object = v, .created = clone};
    if (is_terminator(static_cast<const E&>(*this), v)) {
      r.third = 1;
      list_out_edges(n, r);
    }
    add(r);
    return clone;
  }

  value_id clone_value(value_id v, place p)
    requires can_clone_values_to_places<E>
  {
    const auto clone = static_cast<value_id>(E::clone_value(v, p));
    add({.kind = edit_kind::clone_value_to_place, .object = v, .created = clone, .where = p});
    return clone;
  }

  value_id clone_unguarded(value_id v, place p)
    requires can_clone_unguarded<E>
  {
    const auto clone = static_cast<value_id>(E::clone_unguarded(v, p));
    add({.kind = edit_kind::clone_unguarded, .object = v, .created = clone, .where = p});
    return clone;
  }

  void move_value(value_id v, place p)
    requires can_move_values<E>
  {
    edit_record r = record_of_value(v);
    r.kind = edit_kind::move_value;
    r.where = p;
    E::move_value(v, p);
    add(r);
  }

  void drop_promises(value_id v)
    requires can_drop_promises<E>
  {
    const auto old = static_cast<std::uint64_t>(this->promises(v));
    E::drop_promises(v);
    add({.kind = edit_kind::drop_promises, .subject = v, .number = old});
  }

  value_id make_constant(value_id like, constant_type c) {
    log_.constants_.push_back(c);
    const auto v = static_cast<value_id>(E::make_constant(like, c));
    add({.kind = edit_kind::make_constant, .object = like, .created = v, .number = log_.constants_.size() - 1});
    return v;
  }

  value_id make_number(unsigned width, std::uint64_t bits)
    requires can_make_numbers<E>
  {
    const auto v = static_cast<value_id>(E::make_number(width, bits));
    add({.kind = edit_kind::make_number, .subject = width, .created = v, .number = bits});
    return v;
  }

  value_id make_operation(const operation_info& info, span<const value_id> operands, place p)
    requires can_make_operations<E>
  {
    edit_record r{.kind = edit_kind::make_operation, .where = p, .info = info};
    begin_words(r);
    for (const value_id v : operands) {
      log_.words_.push_back(v);
    }
    r.created = static_cast<value_id>(E::make_operation(info, operands, p));
    add(r);
    return r.created;
  }

  value_id undefined_like(value_id like)
    requires can_make_undefined_values<E>
  {
    const auto v = static_cast<value_id>(E::undefined_like(like));
    add({.kind = edit_kind::undefined_like, .object = like, .created = v});
    return v;
  }

  // Memory.

  value_id address_as_number(value_id address, place p)
    requires can_read_addresses<E>
  {
    const auto v = static_cast<value_id>(E::address_as_number(address, p));
    add({.kind = edit_kind::address_as_number, .object = address, .created = v, .where = p});
    return v;
  }

  std::uint32_t make_memory_class()
    requires can_make_memory_classes<E>
  {
    const auto c = static_cast<std::uint32_t>(E::make_memory_class());
    add({.kind = edit_kind::make_memory_class, .created = c});
    return c;
  }

  value_id make_local_array(std::uint32_t bytes)
    requires can_make_local_arrays<E>
  {
    const auto v = static_cast<value_id>(E::make_local_array(bytes));
    add({.kind = edit_kind::make_local_array, .object = bytes, .created = v});
    return v;
  }

  value_id make_load(value_id like, const memory_reference& m, place p)
    requires can_make_loads<E>
  {
    edit_record r{
        .kind = edit_kind::make_load, .object = like, .third = static_cast<std::uint32_t>(E::num_values()), .where = p};
    add_reference(r, m);
    r.created = static_cast<value_id>(E::make_load(like, m, p));
    add(r);
    return r.created;
  }

  value_id make_store(value_id v, const memory_reference& m, place p)
    requires can_make_stores<E>
  {
    edit_record r{
        .kind = edit_kind::make_store, .object = v, .third = static_cast<std::uint32_t>(E::num_values()), .where = p};
    add_reference(r, m);
    r.created = static_cast<value_id>(E::make_store(v, m, p));
    add(r);
    return r.created;
  }

  void set_memory_class(value_id v, std::uint32_t c, node_id scope)
    requires(can_set_memory_classes<E> && has_memory<E>)
  {
    const std::optional<memory_reference> m = this->memory(v);
    const bool is_local = scope != no_node;
    edit_record r{.kind = edit_kind::set_memory_class, .subject = v, .object = c, .third = scope, .old = any_memory};
    r.old = m ? (is_local ? m->local : m->memory) : any_memory;
    r.number = m && is_local ? m->scope : no_node;
    E::set_memory_class(v, c, scope);
    add(r);
  }

  // Flow.

  node_id create_node(node_id like) {
    const auto n = static_cast<node_id>(E::create_node(like));
    add({.kind = edit_kind::create_node, .object = like, .created = n});
    return n;
  }

  void redirect_edge(edge_id e, node_id target) {
    const auto old = static_cast<node_id>(this->graph().edge_target(e));
    edit_record r{.kind = edit_kind::redirect_edge, .subject = e, .object = target, .old = old};
    begin_words(r);
    list_inputs(e);
    E::redirect_edge(e, target);
    add(r);
  }

  void set_jump(node_id n, node_id target) {
    E::set_jump(n, target);
    edit_record r{.kind = edit_kind::set_jump, .subject = n, .object = target, .created = end_of(n)};
    list_out_edges(n, r);
    add(r);
  }

  void keep_edge(edge_id e) {
    edit_record r = record_of_end(static_cast<node_id>(this->graph().edge_source(e)));
    r.kind = edit_kind::keep_edge;
    r.object = e;
    E::keep_edge(e);
    r.created = end_of(r.subject);
    add(r);
  }

  void erase_end(node_id n)
    requires can_erase_ends<E>
  {
    const edit_record r = record_of_end(n);
    E::erase_end(n);
    add(r);
  }

  void set_branch(node_id n, value_id condition, node_id then, node_id otherwise)
    requires can_set_branches<E>
  {
    E::set_branch(n, condition, then, otherwise);
    edit_record r{.kind = edit_kind::set_branch,
                  .subject = n,
                  .object = condition,
                  .third = then,
                  .old = otherwise,
                  .created = end_of(n)};
    list_out_edges(n, r);
    add(r);
  }

  void set_switch(node_id n, value_id v, span<const constant_type> cases, span<const node_id> targets,
                  node_id otherwise)
    requires can_set_switches<E>
  {
    edit_record r{.kind = edit_kind::set_switch, .subject = n, .object = v, .old = otherwise};
    r.number = log_.constants_.size();
    for (const constant_type& c : cases) {
      log_.constants_.push_back(c);
    }
    r.third = static_cast<std::uint32_t>(cases.size());
    begin_words(r);
    for (const node_id target : targets) {
      log_.words_.push_back(target);
    }
    E::set_switch(n, v, cases, targets, otherwise);
    r.created = end_of(n);
    detail::for_each_id(this->graph().out_edges(n), [&](edge_id e) { log_.words_.push_back(e); });
    add(r);
  }

  /// Records the ends, values and nodes one by one, as parts.
  void erase_nodes(span<const node_id> nodes) {
    for (const node_id n : nodes) {
      edit_record r = record_of_end(n);
      r.is_part = true;
      add(r);
    }
    for (const node_id n : nodes) {
      detail::for_each_id(this->values(n), [&](value_id v) {
        if (!is_terminator(static_cast<const E&>(*this), v)) {
          edit_record r = record_of_value(v);
          r.is_part = true;
          if (this->is_phi(v)) {
            log_.words_.shrink(r.first_word); // its inputs are restored with the edges
          }
          // While values are restored, the terminator is not there yet.
          const auto next = static_cast<value_id>(this->value_after(v));
          if (next != no_value && is_terminator(static_cast<const E&>(*this), next)) {
            r.old_place = place_at_end(n);
          }
          add(r);
        }
      });
    }
    for (const node_id n : nodes) {
      add({.kind = edit_kind::erase_node, .is_part = true, .subject = n});
    }
    edit_record r{.kind = edit_kind::erase_nodes};
    begin_words(r);
    for (const node_id n : nodes) {
      log_.words_.push_back(n);
    }
    E::erase_nodes(nodes);
    add(r);
  }

  // Profile.

  void set_count(node_id n, std::optional<std::uint64_t> count)
    requires profile_editor<E>
  {
    const std::optional<std::uint64_t> old = this->count(n);
    E::set_count(n, count);
    add({.kind = edit_kind::set_count,
         .subject = n,
         .object = count.has_value(),
         .old = old.has_value(),
         .number = old.value_or(0),
         .new_number = count.value_or(0)});
  }

  void set_probability(edge_id e, double probability)
    requires profile_editor<E>
  {
    const double old = this->probability(e);
    E::set_probability(e, probability);
    add({.kind = edit_kind::set_probability, .subject = e, .probability = probability, .old_probability = old});
  }

  void set_trip_hints(node_id n, const loop_hints& hints)
    requires can_set_trip_hints<E>
  {
    const loop_hints old = this->trip_hints(n);
    E::set_trip_hints(n, hints);
    edit_record r{.kind = edit_kind::set_trip_hints,
                  .subject = n,
                  .number = old.maximum,
                  .new_number = hints.maximum,
                  .probability = hints.average,
                  .old_probability = old.average};
    begin_words(r);
    for (const std::uint64_t multiple : {old.multiple, hints.multiple}) {
      log_.words_.push_back(static_cast<std::uint32_t>(multiple));
      log_.words_.push_back(static_cast<std::uint32_t>(multiple >> 32));
    }
    add(r);
  }

private:
  void add(edit_record r) {
    if (!has_words_) {
      r.first_word = static_cast<std::uint32_t>(log_.words_.size());
    }
    r.num_words = static_cast<std::uint32_t>(log_.words_.size()) - r.first_word;
    has_words_ = false;
    log_.records_.push_back(r);
  }

  /// Adds the words of a reference to the record.
  void add_reference(edit_record& r, const memory_reference& m) {
    begin_words(r);
    const auto scale = static_cast<std::uint64_t>(m.scale);
    const auto offset = static_cast<std::uint64_t>(m.offset);
    for (const std::uint32_t word : {m.base, m.index, m.bytes, m.memory, static_cast<std::uint32_t>(scale),
                                     static_cast<std::uint32_t>(scale >> 32), static_cast<std::uint32_t>(offset),
                                     static_cast<std::uint32_t>(offset >> 32)}) {
      log_.words_.push_back(word);
    }
  }

  void begin_words(edit_record& r) {
    r.first_word = static_cast<std::uint32_t>(log_.words_.size());
    has_words_ = true;
  }

  void list_out_edges(node_id n, edit_record& r) {
    begin_words(r);
    detail::for_each_id(this->graph().out_edges(n), [&](edge_id e) { log_.words_.push_back(e); });
  }

  /// The terminator among the values of a node, or `no_value`.
  value_id end_of(node_id n) const {
    value_id end = no_value;
    detail::for_each_id(this->values(n),
                        [&](value_id v) { end = is_terminator(static_cast<const E&>(*this), v) ? v : end; });
    return end;
  }

  flat_array<edge_id> in_edges(node_id n) const {
    flat_array<edge_id> edges;
    detail::for_each_id(this->graph().in_edges(n), [&](edge_id e) { edges.push_back(e); });
    return edges;
  }

  /// Lists phi and input, for each phi of the target of an edge.
  void list_inputs(edge_id e) {
    detail::for_each_phi(static_cast<const E&>(*this), static_cast<node_id>(this->graph().edge_target(e)),
                         [&](value_id phi) {
                           log_.words_.push_back(phi);
                           log_.words_.push_back(static_cast<value_id>(this->phi_input(phi, e)));
                         });
  }

  /// Records where a value is, and its operands; for a phi, edge and input.
  edit_record record_of_value(value_id v) {
    const auto n = static_cast<node_id>(this->node_of(v));
    const auto next = static_cast<value_id>(this->value_after(v));
    edit_record r{.kind = edit_kind::erase_value, .subject = v, .old = n};
    r.old_place = next == no_value ? place_at_end(n) : place_before(next);
    begin_words(r);
    if (this->is_phi(v)) {
      r.third = 1;
      for (const edge_id e : in_edges(n)) {
        log_.words_.push_back(e);
        log_.words_.push_back(static_cast<value_id>(this->phi_input(v, e)));
      }
    } else {
      detail::for_each_id(this->operands(v), [&](value_id operand) { log_.words_.push_back(operand); });
    }
    return r;
  }

  /// Records the terminator, the number of its operands, the operands, and for each edge: edge, target, number of phis,
  /// phis with inputs.
  edit_record record_of_end(node_id n) {
    edit_record r{.kind = edit_kind::erase_end, .subject = n};
    begin_words(r);
    const value_id end = end_of(n);
    log_.words_.push_back(end);
    const std::size_t count_at = log_.words_.size();
    log_.words_.push_back(0);
    if (end != no_value) {
      detail::for_each_id(this->operands(end), [&](value_id operand) {
        log_.words_.push_back(operand);
        ++log_.words_[count_at];
      });
    }
    detail::for_each_id(this->graph().out_edges(n), [&](edge_id e) {
      log_.words_.push_back(e);
      log_.words_.push_back(static_cast<node_id>(this->graph().edge_target(e)));
      const std::size_t inputs_at = log_.words_.size();
      log_.words_.push_back(0);
      list_inputs(e);
      log_.words_[inputs_at] = static_cast<std::uint32_t>((log_.words_.size() - inputs_at - 1) / 2);
    });
    return r;
  }

  void restore_end_of(const edit_record& r) {
    const span<const std::uint32_t> words(log_.words_.data() + r.first_word, r.num_words);
    if (has_is_terminator<E> && words[0] == no_value) {
      return; // it had none
    }
    flat_array<edge_id> edges;
    flat_array<node_id> targets;
    const std::size_t num_operands = words[1];
    for (std::size_t at = 2 + num_operands; at < words.size(); at += 3 + 2 * std::size_t{words[at + 2]}) {
      edges.push_back(words[at]);
      targets.push_back(words[at + 1]);
    }
    E::restore_end(words[0], r.subject, words.subspan(2, num_operands), edges, targets);
    for (std::size_t at = 2 + num_operands; at < words.size(); at += 3 + 2 * std::size_t{words[at + 2]}) {
      for (std::size_t i = 0; i != words[at + 2]; ++i) {
        E::set_phi_input(words[at + 3 + 2 * i], words[at], words[at + 4 + 2 * i]);
      }
    }
  }

  void take_back(const edit_record& r) {
    const span<const std::uint32_t> words(log_.words_.data() + r.first_word, r.num_words);
    switch (r.kind) {
    case edit_kind::insert_phi:
    case edit_kind::clone_value_to_place:
    case edit_kind::clone_unguarded:
    case edit_kind::make_operation:
    case edit_kind::make_local_array:
      if (r.created != no_value) {
        E::erase_value(r.created);
      }
      break;
    case edit_kind::make_load:
    case edit_kind::make_store:
      for (value_id v = r.created == no_value ? r.third : r.created + 1; v-- > r.third;) { // with the operations of its
                                                                                           // address
        if (static_cast<node_id>(E::node_of(v)) != no_node) {
          E::erase_value(v);
        }
      }
      break;
    case edit_kind::clone_value:
      if (r.third != 0) {
        if constexpr (can_erase_ends<E>) {
          E::erase_end(r.subject);
        }
      } else {
        E::erase_value(r.created);
      }
      break;
    case edit_kind::set_phi_input:
      E::set_phi_input(r.subject, r.third, r.old);
      break;
    case edit_kind::set_operand:
      if constexpr (can_set_operands<E>) {
        E::set_operand(r.subject, r.third, r.old);
      }
      break;
    case edit_kind::erase_value:
      E::restore_value(r.subject, r.old_place, r.third != 0 ? span<const value_id>() : words);
      set_inputs_of(r, words);
      break;
    case edit_kind::move_value:
      if constexpr (can_move_values<E>) {
        const bool is_end = is_terminator(static_cast<const E&>(*this), r.subject);
        E::move_value(r.subject, is_end ? place_at_end(r.old) : r.old_place);
        set_inputs_of(r, words);
      }
      break;
    case edit_kind::drop_promises:
      E::set_promises(r.subject, r.number);
      break;
    case edit_kind::make_constant:
    case edit_kind::make_number:
    case edit_kind::undefined_like:
    case edit_kind::erase_nodes:
      break;
    case edit_kind::create_node:
      E::erase_nodes(span<const node_id>(&r.created, 1));
      break;
    case edit_kind::erase_node:
      E::restore_node(r.subject);
      break;
    case edit_kind::redirect_edge:
      E::redirect_edge(r.subject, r.old);
      for (std::size_t i = 0; i != words.size(); i += 2) {
        E::set_phi_input(words[i], r.subject, words[i + 1]);
      }
      break;
    case edit_kind::set_jump:
    case edit_kind::set_branch:
    case edit_kind::set_switch:
      if constexpr (can_erase_ends<E>) {
        E::erase_end(r.subject);
      }
      break;
    case edit_kind::keep_edge:
      if constexpr (can_erase_ends<E>) {
        E::erase_end(r.subject);
      }
      restore_end_of(r);
      break;
    case edit_kind::erase_end:
      restore_end_of(r);
      break;
    case edit_kind::set_count:
      if constexpr (profile_editor<E>) {
        E::set_count(r.subject, r.old != 0 ? std::optional(r.number) : std::nullopt);
      }
      break;
    case edit_kind::set_probability:
      if constexpr (profile_editor<E>) {
        E::set_probability(r.subject, r.old_probability);
      }
      break;
    case edit_kind::set_trip_hints:
      if constexpr (can_set_trip_hints<E>) {
        E::set_trip_hints(r.subject, {r.old_probability, r.number, detail::multiple_of(log_.words(r).first(2))});
      }
      break;
    case edit_kind::address_as_number:
      if (r.created != r.object && r.created != no_value) {
        E::erase_value(r.created);
      }
      break;
    case edit_kind::make_memory_class:
      break;
    case edit_kind::set_memory_class:
      if constexpr (can_set_memory_classes<E>) {
        const auto scope = static_cast<node_id>(r.number);
        E::set_memory_class(r.subject, r.old, r.third == no_node || scope == no_node ? r.third : scope);
      }
      break;
    }
  }

  /// Sets the inputs of a phi that is back in its node.
  void set_inputs_of(const edit_record& r, span<const std::uint32_t> words) {
    if (r.third != 0) {
      for (std::size_t i = 0; i != words.size(); i += 2) {
        E::set_phi_input(r.subject, words[i], words[i + 1]);
      }
    }
  }

  edit_log<constant_type> log_;
  bool has_words_ = false; ///< whether the record being made has words
};

/// Repeats the changes of a log, and translates the numbers of new things.
template <class Constant, class E> class edit_replay {
public:
  edit_replay(const edit_log<Constant>& log, E& editor) : log_(log), editor_(editor) {}

  void run() {
    for (const edit_record& r : log_.records_) {
      if (!r.is_part) {
        repeat(r);
      }
    }
  }

private:
  static std::uint32_t translated(std::uint32_t id, std::size_t known, const flat_array<std::uint32_t>& map) {
    return id == no_value || id < known ? id : map[id - known];
  }

  static void note(std::uint32_t id, std::uint32_t now, std::size_t known, flat_array<std::uint32_t>& map) {
    if (id == no_value || id < known) {
      return;
    }
    while (map.size() <= id - known) {
      map.push_back(no_value);
    }
    map[id - known] = now;
  }

  value_id value(value_id v) const { return translated(v, log_.num_values_, values_); }

  node_id node(node_id n) const { return translated(n, log_.num_nodes_, nodes_); }

  edge_id edge(edge_id e) const { return translated(e, log_.num_edges_, edges_); }

  place place_of(place p) const { return {p.where, node(p.node), value(p.value)}; }

  std::uint32_t class_of(std::uint32_t old) const {
    std::uint32_t c = old;
    for (std::size_t i = 0; i != old_classes_.size(); ++i) {
      c = old_classes_[i] == old ? new_classes_[i] : c;
    }
    return c;
  }

  memory_reference reference(span<const std::uint32_t> words) const {
    memory_reference m;
    m.base = words[0] == no_value ? no_value : value(words[0]);
    m.index = words[1] == no_value ? no_value : value(words[1]);
    m.bytes = words[2];
    m.memory = class_of(words[3]);
    m.scale = static_cast<std::int64_t>(detail::multiple_of(words.subspan(4, 2)));
    m.offset = static_cast<std::int64_t>(detail::multiple_of(words.subspan(6, 2)));
    return m;
  }

  void note_value(const edit_record& r, value_id v) { note(r.created, v, log_.num_values_, values_); }

  /// Notes the new numbers of an access and of the operations of its address.
  void note_access(const edit_record& r, value_id v) {
    for (value_id i = 0; r.created != no_value && r.created - i >= r.third && i <= v; ++i) {
      note(r.created - i, v - i, log_.num_values_, values_);
      if (r.created == i) {
        break;
      }
    }
  }

  /// Notes the new number of the terminator.
  void note_end(const edit_record& r) {
    detail::for_each_id(editor_.values(node(r.subject)), [&](value_id v) {
      if (is_terminator(editor_, v)) {
        note_value(r, v);
      }
    });
  }

  void note_edges(node_id n, span<const std::uint32_t> ids) {
    std::size_t i = 0;
    detail::for_each_id(editor_.graph().out_edges(n), [&](edge_id e) { note(ids[i++], e, log_.num_edges_, edges_); });
  }

  void repeat(const edit_record& r) {
    const span<const std::uint32_t> words(log_.words_.data() + r.first_word, r.num_words);
    switch (r.kind) {
    case edit_kind::insert_phi:
      note_value(r, static_cast<value_id>(editor_.insert_phi(node(r.subject), value(r.object))));
      break;
    case edit_kind::set_phi_input:
      editor_.set_phi_input(value(r.subject), edge(r.third), value(r.object));
      break;
    case edit_kind::set_operand:
      if constexpr (can_set_operands<E>) {
        editor_.set_operand(value(r.subject), r.third, value(r.object));
      }
      break;
    case edit_kind::erase_value:
      editor_.erase_value(value(r.subject));
      break;
    case edit_kind::clone_value: {
      const node_id n = node(r.subject);
      note_value(r, static_cast<value_id>(editor_.clone_value(value(r.object), n)));
      if (r.third != 0) {
        note_edges(n, words);
      }
      break;
    }
    case edit_kind::clone_value_to_place:
      if constexpr (can_clone_values_to_places<E>) {
        note_value(r, static_cast<value_id>(editor_.clone_value(value(r.object), place_of(r.where))));
      }
      break;
    case edit_kind::clone_unguarded:
      if constexpr (can_clone_unguarded<E>) {
        note_value(r, static_cast<value_id>(editor_.clone_unguarded(value(r.object), place_of(r.where))));
      }
      break;
    case edit_kind::move_value:
      if constexpr (can_move_values<E>) {
        editor_.move_value(value(r.subject), place_of(r.where));
      }
      break;
    case edit_kind::drop_promises:
      if constexpr (can_drop_promises<E>) {
        editor_.drop_promises(value(r.subject));
      }
      break;
    case edit_kind::make_constant:
      note_value(r, static_cast<value_id>(
                        editor_.make_constant(value(r.object), log_.constants_[static_cast<std::size_t>(r.number)])));
      break;
    case edit_kind::make_number:
      if constexpr (can_make_numbers<E>) {
        note_value(r, static_cast<value_id>(editor_.make_number(r.subject, r.number)));
      }
      break;
    case edit_kind::make_operation:
      if constexpr (can_make_operations<E>) {
        flat_array<value_id> operands;
        for (const value_id v : words) {
          operands.push_back(value(v));
        }
        note_value(r, static_cast<value_id>(editor_.make_operation(r.info, operands, place_of(r.where))));
      }
      break;
    case edit_kind::undefined_like:
      if constexpr (can_make_undefined_values<E>) {
        note_value(r, static_cast<value_id>(editor_.undefined_like(value(r.object))));
      }
      break;
    case edit_kind::create_node:
      note(r.created, static_cast<node_id>(editor_.create_node(node(r.object))), log_.num_nodes_, nodes_);
      break;
    case edit_kind::redirect_edge:
      editor_.redirect_edge(edge(r.subject), node(r.object));
      break;
    case edit_kind::set_jump:
      editor_.set_jump(node(r.subject), node(r.object));
      note_end(r);
      note_edges(node(r.subject), words);
      break;
    case edit_kind::keep_edge:
      editor_.keep_edge(edge(r.object));
      note_end(r);
      break;
    case edit_kind::erase_end:
      if constexpr (can_erase_ends<E>) {
        editor_.erase_end(node(r.subject));
      }
      break;
    case edit_kind::set_branch:
      if constexpr (can_set_branches<E>) {
        editor_.set_branch(node(r.subject), value(r.object), node(r.third), node(r.old));
        note_end(r);
        note_edges(node(r.subject), words);
      }
      break;
    case edit_kind::set_switch:
      if constexpr (can_set_switches<E>) {
        flat_array<node_id> targets;
        for (const node_id target : words.first(r.third)) {
          targets.push_back(node(target));
        }
        const span<const Constant> cases(log_.constants_.data() + r.number, r.third);
        editor_.set_switch(node(r.subject), value(r.object), cases, targets, node(r.old));
        note_end(r);
        note_edges(node(r.subject), words.subspan(r.third, words.size() - r.third));
      }
      break;
    case edit_kind::erase_nodes: {
      flat_array<node_id> nodes;
      for (const node_id n : words) {
        nodes.push_back(node(n));
      }
      editor_.erase_nodes(nodes);
      break;
    }
    case edit_kind::erase_node:
      break;
    case edit_kind::set_count:
      if constexpr (profile_editor<E>) {
        editor_.set_count(node(r.subject), r.object != 0 ? std::optional(r.new_number) : std::nullopt);
      }
      break;
    case edit_kind::set_probability:
      if constexpr (profile_editor<E>) {
        editor_.set_probability(edge(r.subject), r.probability);
      }
      break;
    case edit_kind::set_trip_hints:
      if constexpr (can_set_trip_hints<E>) {
        editor_.set_trip_hints(node(r.subject),
                               {r.probability, r.new_number, detail::multiple_of(log_.words(r).subspan(2, 2))});
      }
      break;
    case edit_kind::address_as_number:
      if constexpr (can_read_addresses<E>) {
        const auto v = static_cast<value_id>(editor_.address_as_number(value(r.object), place_of(r.where)));
        if (r.created != r.object) {
          note_value(r, v);
        }
      }
      break;
    case edit_kind::make_local_array:
      if constexpr (can_make_local_arrays<E>) {
        note_value(r, static_cast<value_id>(editor_.make_local_array(r.object)));
      }
      break;
    case edit_kind::make_load:
      if constexpr (can_make_loads<E>) {
        note_access(r, static_cast<value_id>(editor_.make_load(value(r.object), reference(words), place_of(r.where))));
      }
      break;
    case edit_kind::make_store:
      if constexpr (can_make_stores<E>) {
        note_access(r, static_cast<value_id>(editor_.make_store(value(r.object), reference(words), place_of(r.where))));
      }
      break;
    case edit_kind::make_memory_class:
      if constexpr (can_make_memory_classes<E>) {
        old_classes_.push_back(r.created);
        new_classes_.push_back(static_cast<std::uint32_t>(editor_.make_memory_class()));
      }
      break;
    case edit_kind::set_memory_class:
      if constexpr (can_set_memory_classes<E>) {
        editor_.set_memory_class(value(r.subject), class_of(r.object), node(r.third));
      }
      break;
    }
  }

  const edit_log<Constant>& log_;
  E& editor_;
  flat_array<std::uint32_t> values_; ///< new numbers of things that the log made, by their old number less the first
  flat_array<std::uint32_t> nodes_;
  flat_array<std::uint32_t> edges_;
  flat_array<std::uint32_t> old_classes_; ///< old numbers of memory classes that were made
  flat_array<std::uint32_t> new_classes_;
};

/// Repeats the changes of a log on a program that is as the recorded one was: a copy, or the recorded one after `undo`.
/// New things may get other numbers. Numbers that existed when recording began must mean what they meant then.
template <class Constant, ir_editor_argument E> void replay(const edit_log<Constant>& log, E& editor) {
  static_assert(std::same_as<Constant, constant_of<E>>, "the log of an editor with the same constants");
  edit_replay<Constant, E>(log, editor).run();
}

MIDEND_END_NAMESPACE
