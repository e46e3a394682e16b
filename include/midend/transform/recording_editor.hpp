/// `recording_editor`: an editor that keeps a log of its changes, to undo them and to repeat them elsewhere.
///
/// Each kind of change is a row, `detail::edit<kind>`: what it stores, how it is done, how it is undone, and what it
/// makes. Recording, undo and replay come from these rows. `viz/edits.hpp` has the words.
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

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
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
  set_trip_hints,
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
  /// - `make_load`, `make_store`: the reference, see `detail::words_of_reference`; `third` is the number of values
  ///   before, since the operations of the address are made, too;
  /// - `set_jump`, `set_branch`, and `clone_value` of a terminator: the edges that were made;
  /// - `set_switch`: the targets of the cases, then the edges that were made;
  /// - `erase_value`, `move_value`: the operands, of a phi (`third` is 1) edge and input of each;
  /// - `redirect_edge`: phi and input of each phi at the target before;
  /// - `keep_edge`, `erase_end`: the terminator, the number of its operands, these, and for each edge that was there
  ///   its number, its target, the number of phis there, and phi and input of each;
  /// - `erase_nodes`: the nodes;
  /// - `set_trip_hints`: the new multiple, low half first, and whether the loop must end; then the same of before.
  span<const std::uint32_t> words(const edit_record& r) const { return {words_.data() + r.first_word, r.num_words}; }

  /// The constant of a `make_constant`; those of a `set_switch` are this one and the next ones.
  Constant constant(const edit_record& r, std::size_t i = 0) const { return constants_[r.number + i]; }

  /// The first `count` constants of a change.
  span<const Constant> constants(const edit_record& r, std::size_t count) const {
    return {constants_.data() + r.number, count};
  }

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

// ---- Words: what a record has no members for.

using edit_words = flat_array<std::uint32_t>;

inline void add_number(edit_words& words, std::uint64_t number) {
  words.push_back(static_cast<std::uint32_t>(number));
  words.push_back(static_cast<std::uint32_t>(number >> 32));
}

constexpr std::uint64_t number_at(span<const std::uint32_t> words, std::size_t i) {
  return words[i] | static_cast<std::uint64_t>(words[i + 1]) << 32;
}

/// A reference in words: three values, two classes, a node, then numbers.
inline edit_words words_of_reference(const memory_reference& m) {
  edit_words words;
  for (const std::uint32_t part :
       {m.base, m.index, m.stored, m.memory, m.local, m.scope, m.bytes, m.bits, std::uint32_t{m.is_volatile}}) {
    words.push_back(part);
  }
  add_number(words, static_cast<std::uint64_t>(m.scale));
  add_number(words, static_cast<std::uint64_t>(m.offset));
  return words;
}

inline memory_reference reference_of(span<const std::uint32_t> words) {
  return {.base = words[0],
          .index = words[1],
          .stored = words[2],
          .bytes = words[6],
          .memory = words[3],
          .scale = static_cast<std::int64_t>(number_at(words, 9)),
          .offset = static_cast<std::int64_t>(number_at(words, 11)),
          .is_volatile = words[8] != 0,
          .bits = words[7],
          .local = words[4],
          .scope = words[5]};
}

/// An edit that is being recorded, undone or repeated. Its words are the last of a list.
template <class E> struct edit_step {
  E& e;
  edit_record& r;
  edit_words& list;
  const edit_log<constant_of<E>>& log;

  span<const std::uint32_t> words() const { return {list.data() + r.first_word, list.size() - r.first_word}; }

  template <class Ids> void add_words(Ids&& ids) const {
    for_each_id(ids, [&](std::uint32_t id) { list.push_back(id); });
  }
};

/// The terminator among the values of a node, or `no_value`.
template <class E> value_id end_of(const E& e, node_id n) {
  value_id end = no_value;
  for_each_id(e.values(n), [&](value_id v) { end = is_terminator(e, v) ? v : end; });
  return end;
}

/// Lists phi and input, for each phi of the target of an edge.
template <class E> void list_inputs(const edit_step<E>& s, edge_id edge) {
  for_each_phi(s.e, static_cast<node_id>(s.e.graph().edge_target(edge)), [&](value_id phi) {
    s.list.push_back(phi);
    s.list.push_back(static_cast<value_id>(s.e.phi_input(phi, edge)));
  });
}

/// Where a value is, and its operands; for a phi, edge and input.
template <class E> void remember_value(const edit_step<E>& s) {
  const value_id v = s.r.subject;
  const auto n = static_cast<node_id>(s.e.node_of(v));
  const auto next = static_cast<value_id>(s.e.value_after(v));
  s.r.old = n;
  s.r.old_place = next == no_value ? place_at_end(n) : place_before(next);
  if (s.e.is_phi(v)) {
    s.r.third = 1;
    for_each_id(s.e.graph().in_edges(n), [&](edge_id edge) {
      s.list.push_back(edge);
      s.list.push_back(static_cast<value_id>(s.e.phi_input(v, edge)));
    });
  } else {
    s.add_words(s.e.operands(v));
  }
}

/// Sets the inputs of a phi that is back in its node.
template <class E> void restore_inputs(const edit_step<E>& s) {
  const span<const std::uint32_t> words = s.words();
  for (std::size_t i = 0; s.r.third != 0 && i != words.size(); i += 2) {
    s.e.set_phi_input(s.r.subject, words[i], words[i + 1]);
  }
}

/// The terminator, its operands, and its edges with the inputs of the phis at their targets.
template <class E> void remember_end(const edit_step<E>& s) {
  const value_id end = end_of(s.e, s.r.subject);
  s.list.push_back(end);
  const std::size_t count_at = s.list.size();
  s.list.push_back(0);
  if (end != no_value) {
    s.add_words(s.e.operands(end));
    s.list[count_at] = static_cast<std::uint32_t>(s.list.size() - count_at - 1);
  }
  for_each_id(s.e.graph().out_edges(s.r.subject), [&](edge_id edge) {
    s.list.push_back(edge);
    s.list.push_back(static_cast<node_id>(s.e.graph().edge_target(edge)));
    const std::size_t inputs_at = s.list.size();
    s.list.push_back(0);
    list_inputs(s, edge);
    s.list[inputs_at] = static_cast<std::uint32_t>((s.list.size() - inputs_at - 1) / 2);
  });
}

template <class E> void restore_end(const edit_step<E>& s) {
  const span<const std::uint32_t> words = s.words();
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
  s.e.restore_end(words[0], s.r.subject, words.subspan(2, num_operands), edges, targets);
  for (std::size_t at = 2 + num_operands; at < words.size(); at += 3 + 2 * std::size_t{words[at + 2]}) {
    for (std::size_t i = 0; i != words[at + 2]; ++i) {
      s.e.set_phi_input(words[at + 3 + 2 * i], words[at], words[at + 4 + 2 * i]);
    }
  }
}

/// What a number of a record is the number of.
enum class named : std::uint8_t { number, value, node, edge, memory_class };

/// The new numbers of things that a log made. Those that were there when recording began keep theirs.
class new_names {
public:
  new_names(std::size_t num_values, std::size_t num_nodes, std::size_t num_edges)
      : numbers_{{no_value, {}}, {num_values, {}}, {num_nodes, {}}, {num_edges, {}}} {}

  std::uint32_t name(named what, std::uint32_t id) const {
    if (what == named::memory_class) {
      return class_name(id);
    }
    const numbers& known = numbers_[static_cast<std::size_t>(what)];
    return id == no_value || id < known.first ? id : known.now[id - known.first];
  }

  void rename(named what, span<std::uint32_t> ids) const {
    for (std::uint32_t& id : ids) {
      id = name(what, id);
    }
  }

  void note(named what, std::uint32_t id, std::uint32_t now) {
    if (what == named::memory_class) {
      old_classes_.push_back(id);
      new_classes_.push_back(now);
      return;
    }
    numbers& known = numbers_[static_cast<std::size_t>(what)];
    if (id == no_value || id < known.first) {
      return;
    }
    while (known.now.size() <= id - known.first) {
      known.now.push_back(no_value);
    }
    known.now[id - known.first] = now;
  }

private:
  struct numbers {
    std::size_t first;             ///< that a new thing can have
    flat_array<std::uint32_t> now; ///< by the old number less `first`
  };

  /// Classes are few, and their numbers may be large.
  std::uint32_t class_name(std::uint32_t c) const {
    std::uint32_t name = c;
    for (std::size_t i = 0; i != old_classes_.size(); ++i) {
      name = old_classes_[i] == c ? new_classes_[i] : name;
    }
    return name;
  }

  numbers numbers_[4]; ///< by `named`
  flat_array<std::uint32_t> old_classes_;
  flat_array<std::uint32_t> new_classes_;
};

// ---- The table: a row for each kind of edit.

/// What the members of a record name. The place `where` has names in every row.
struct edit_names {
  named subject = named::number;
  named object = named::number;
  named third = named::number;
  named old = named::number;
};

/// The members of a row, for an edit that makes nothing:
/// - `is_in<E>`: whether an editor has the edit;
/// - `remember(s)`: reads what `undo` needs, before the edit;
/// - `apply(s)`: does the edit that the record says, also in a replay, with the new names in place of the old ones;
/// - `list_made(s)`: adds further things that were made to the words;
/// - `note_made(s, r, names)`: notes the new names of what was made. `r` is the record in the log;
/// - `undo(s)`;
/// - `rename(names, r, words)`: if `apply` reads names in words.
template <edit_names of> struct edit_row {
  static constexpr edit_names names = of;

  template <class E> static constexpr bool is_in = true;

  static void remember(const auto&) {}

  static void list_made(const auto&) {}

  static void note_made(const auto&, const edit_record&, new_names&) {}

  static void undo(const auto&) {}
};

/// Makes a literal, which stays.
template <edit_names of> struct literal_row : edit_row<of> {
  static void note_made(const auto& s, const edit_record& r, new_names& names) {
    names.note(named::value, r.created, s.r.created);
  }
};

/// Makes a value.
template <edit_names of> struct value_row : literal_row<of> {
  static void undo(const auto& s) {
    if (s.r.created != no_value) {
      s.e.erase_value(s.r.created);
    }
  }
};

/// Makes an access and, before it, the operations of its address.
struct access_row : edit_row<edit_names{.object = named::value}> {
  static void rename(const new_names& names, const edit_record&, span<std::uint32_t> words) {
    names.rename(named::value, words.first(3));
    names.rename(named::memory_class, words.subspan(3, 2));
    names.rename(named::node, words.subspan(5, 1));
  }

  static void remember(const auto& s) { s.r.third = static_cast<std::uint32_t>(s.e.num_values()); }

  static void note_made(const auto& s, const edit_record& r, new_names& names) {
    const value_id made = r.created == no_value ? 0 : r.created + 1 - r.third;
    for (value_id i = 0; i < made && i <= s.r.created; ++i) {
      names.note(named::value, r.created - i, s.r.created - i);
    }
  }

  static void undo(const auto& s) {
    for (value_id v = s.r.created == no_value ? s.r.third : s.r.created + 1; v-- > s.r.third;) {
      if (static_cast<node_id>(s.e.node_of(v)) != no_node) {
        s.e.erase_value(v);
      }
    }
  }
};

/// Makes a terminator, and its edges, which are the last words.
template <edit_names of> struct end_row : edit_row<of> {
  static void list_made(const auto& s) { s.add_words(s.e.graph().out_edges(s.r.subject)); }

  static void note_made(const auto& s, const edit_record& r, new_names& names) {
    names.note(named::value, r.created, s.r.created);
    edit_words made;
    for_each_id(s.e.graph().out_edges(s.r.subject), [&](edge_id edge) { made.push_back(edge); });
    for (std::size_t i = 0; i != made.size(); ++i) {
      names.note(named::edge, s.log.words(r)[r.num_words - made.size() + i], made[i]);
    }
  }

  template <class E> static void undo(const edit_step<E>& s) {
    if constexpr (can_erase_ends<E>) {
      s.e.erase_end(s.r.subject);
    }
  }
};

template <edit_kind kind> struct edit;

template <> struct edit<edit_kind::insert_phi> : value_row<edit_names{.subject = named::node, .object = named::value}> {
  static void apply(const auto& s) { s.r.created = static_cast<value_id>(s.e.insert_phi(s.r.subject, s.r.object)); }
};

template <>
struct edit<edit_kind::set_phi_input>
    : edit_row<edit_names{.subject = named::value, .object = named::value, .third = named::edge}> {
  static void remember(const auto& s) { s.r.old = static_cast<value_id>(s.e.phi_input(s.r.subject, s.r.third)); }

  static void apply(const auto& s) { s.e.set_phi_input(s.r.subject, s.r.third, s.r.object); }

  static void undo(const auto& s) { s.e.set_phi_input(s.r.subject, s.r.third, s.r.old); }
};

template <>
struct edit<edit_kind::set_operand> : edit_row<edit_names{.subject = named::value, .object = named::value}> {
  template <class E> static constexpr bool is_in = can_set_operands<E>;

  static void remember(const auto& s) {
    s.r.old = no_value;
    std::size_t at = 0;
    for_each_id(s.e.operands(s.r.subject), [&](value_id v) { s.r.old = at++ == s.r.third ? v : s.r.old; });
  }

  static void apply(const auto& s) { s.e.set_operand(s.r.subject, s.r.third, s.r.object); }

  static void undo(const auto& s) { s.e.set_operand(s.r.subject, s.r.third, s.r.old); }
};

template <> struct edit<edit_kind::erase_value> : edit_row<edit_names{.subject = named::value}> {
  static void remember(const auto& s) { remember_value(s); }

  static void apply(const auto& s) { s.e.erase_value(s.r.subject); }

  static void undo(const auto& s) {
    s.e.restore_value(s.r.subject, s.r.old_place, s.r.third != 0 ? span<const value_id>() : s.words());
    restore_inputs(s);
  }
};

/// A value, or, if `third` is 1, a terminator with its edges.
template <>
struct edit<edit_kind::clone_value> : value_row<edit_names{.subject = named::node, .object = named::value}> {
  using of_value = value_row<names>;
  using of_end = end_row<names>;

  static void remember(const auto& s) { s.r.third = is_terminator(s.e, s.r.object); }

  static void apply(const auto& s) { s.r.created = static_cast<value_id>(s.e.clone_value(s.r.object, s.r.subject)); }

  static void list_made(const auto& s) { s.r.third != 0 ? of_end::list_made(s) : of_value::list_made(s); }

  static void undo(const auto& s) { s.r.third != 0 ? of_end::undo(s) : of_value::undo(s); }

  static void note_made(const auto& s, const edit_record& r, new_names& made) {
    r.third != 0 ? of_end::note_made(s, r, made) : of_value::note_made(s, r, made);
  }
};

template <> struct edit<edit_kind::clone_value_to_place> : value_row<edit_names{.object = named::value}> {
  template <class E> static constexpr bool is_in = can_clone_values_to_places<E>;

  static void apply(const auto& s) { s.r.created = static_cast<value_id>(s.e.clone_value(s.r.object, s.r.where)); }
};

template <> struct edit<edit_kind::clone_unguarded> : value_row<edit_names{.object = named::value}> {
  template <class E> static constexpr bool is_in = can_clone_unguarded<E>;

  static void apply(const auto& s) { s.r.created = static_cast<value_id>(s.e.clone_unguarded(s.r.object, s.r.where)); }
};

template <> struct edit<edit_kind::move_value> : edit_row<edit_names{.subject = named::value}> {
  template <class E> static constexpr bool is_in = can_move_values<E>;

  static void remember(const auto& s) { remember_value(s); }

  static void apply(const auto& s) { s.e.move_value(s.r.subject, s.r.where); }

  static void undo(const auto& s) {
    s.e.move_value(s.r.subject, is_terminator(s.e, s.r.subject) ? place_at_end(s.r.old) : s.r.old_place);
    restore_inputs(s);
  }
};

template <> struct edit<edit_kind::drop_promises> : edit_row<edit_names{.subject = named::value}> {
  template <class E> static constexpr bool is_in = can_drop_promises<E>;

  static void remember(const auto& s) { s.r.number = static_cast<std::uint64_t>(s.e.promises(s.r.subject)); }

  static void apply(const auto& s) { s.e.drop_promises(s.r.subject); }

  static void undo(const auto& s) { s.e.set_promises(s.r.subject, s.r.number); }
};

template <> struct edit<edit_kind::make_constant> : literal_row<edit_names{.object = named::value}> {
  static void apply(const auto& s) {
    s.r.created = static_cast<value_id>(s.e.make_constant(s.r.object, s.log.constant(s.r)));
  }
};

template <> struct edit<edit_kind::make_number> : literal_row<edit_names{}> {
  template <class E> static constexpr bool is_in = can_make_numbers<E>;

  static void apply(const auto& s) { s.r.created = static_cast<value_id>(s.e.make_number(s.r.subject, s.r.number)); }
};

template <> struct edit<edit_kind::make_operation> : value_row<edit_names{}> {
  template <class E> static constexpr bool is_in = can_make_operations<E>;

  static void rename(const new_names& made, const edit_record&, span<std::uint32_t> words) {
    made.rename(named::value, words);
  }

  static void apply(const auto& s) {
    s.r.created = static_cast<value_id>(s.e.make_operation(s.r.info, s.words(), s.r.where));
  }
};

template <> struct edit<edit_kind::undefined_like> : literal_row<edit_names{.object = named::value}> {
  template <class E> static constexpr bool is_in = can_make_undefined_values<E>;

  static void apply(const auto& s) { s.r.created = static_cast<value_id>(s.e.undefined_like(s.r.object)); }
};

template <> struct edit<edit_kind::create_node> : edit_row<edit_names{.object = named::node}> {
  static void apply(const auto& s) { s.r.created = static_cast<node_id>(s.e.create_node(s.r.object)); }

  static void undo(const auto& s) { s.e.erase_nodes(span<const node_id>(&s.r.created, 1)); }

  static void note_made(const auto& s, const edit_record& r, new_names& made) {
    made.note(named::node, r.created, s.r.created);
  }
};

template <>
struct edit<edit_kind::redirect_edge> : edit_row<edit_names{.subject = named::edge, .object = named::node}> {
  static void remember(const auto& s) {
    s.r.old = static_cast<node_id>(s.e.graph().edge_target(s.r.subject));
    list_inputs(s, s.r.subject);
  }

  static void apply(const auto& s) { s.e.redirect_edge(s.r.subject, s.r.object); }

  static void undo(const auto& s) {
    s.e.redirect_edge(s.r.subject, s.r.old);
    for (std::size_t i = 0; i != s.words().size(); i += 2) {
      s.e.set_phi_input(s.words()[i], s.r.subject, s.words()[i + 1]);
    }
  }
};

template <> struct edit<edit_kind::set_jump> : end_row<edit_names{.subject = named::node, .object = named::node}> {
  static void apply(const auto& s) {
    s.e.set_jump(s.r.subject, s.r.object);
    s.r.created = end_of(s.e, s.r.subject);
  }
};

/// `object` is the edge.
template <> struct edit<edit_kind::keep_edge> : literal_row<edit_names{.subject = named::node, .object = named::edge}> {
  static void remember(const auto& s) {
    s.r.subject = static_cast<node_id>(s.e.graph().edge_source(s.r.object));
    remember_end(s);
  }

  static void apply(const auto& s) {
    s.e.keep_edge(s.r.object);
    s.r.created = end_of(s.e, s.r.subject);
  }

  static void undo(const auto& s) {
    end_row<names>::undo(s);
    restore_end(s);
  }
};

template <> struct edit<edit_kind::erase_end> : edit_row<edit_names{.subject = named::node}> {
  static void remember(const auto& s) { remember_end(s); }

  static void undo(const auto& s) { restore_end(s); }

  template <class E> static void apply(const edit_step<E>& s) {
    if constexpr (can_erase_ends<E>) { // without it, an end may still be a part of `erase_nodes`
      s.e.erase_end(s.r.subject);
    }
  }
};

template <>
struct edit<edit_kind::set_branch> : end_row<edit_names{
                                         .subject = named::node,
                                         .object = named::value,
                                         .third = named::node,
                                         .old = named::node,
                                     }> {
  template <class E> static constexpr bool is_in = can_set_branches<E>;

  static void apply(const auto& s) {
    s.e.set_branch(s.r.subject, s.r.object, s.r.third, s.r.old);
    s.r.created = end_of(s.e, s.r.subject);
  }
};

/// `third` is the number of cases.
template <>
struct edit<edit_kind::set_switch>
    : end_row<edit_names{.subject = named::node, .object = named::value, .old = named::node}> {
  template <class E> static constexpr bool is_in = can_set_switches<E>;

  static void rename(const new_names& made, const edit_record& r, span<std::uint32_t> words) {
    made.rename(named::node, words.first(r.third));
  }

  static void apply(const auto& s) {
    s.e.set_switch(s.r.subject, s.r.object, s.log.constants(s.r, s.r.third), s.words().first(s.r.third), s.r.old);
    s.r.created = end_of(s.e, s.r.subject);
  }
};

/// What the nodes contain comes back with the parts of this edit.
template <> struct edit<edit_kind::erase_nodes> : edit_row<edit_names{}> {
  static void rename(const new_names& made, const edit_record&, span<std::uint32_t> words) {
    made.rename(named::node, words);
  }

  static void apply(const auto& s) { s.e.erase_nodes(s.words()); }
};

template <> struct edit<edit_kind::erase_node> : edit_row<edit_names{}> {
  static void apply(const auto&) {}

  static void undo(const auto& s) { s.e.restore_node(s.r.subject); }
};

/// `object` and `old` say whether there is a count.
template <> struct edit<edit_kind::set_count> : edit_row<edit_names{.subject = named::node}> {
  template <class E> static constexpr bool is_in = profile_editor<E>;

  static void remember(const auto& s) {
    const std::optional<std::uint64_t> count = s.e.count(s.r.subject);
    s.r.old = count.has_value();
    s.r.number = count.value_or(0);
  }

  static void apply(const auto& s) {
    s.e.set_count(s.r.subject, s.r.object != 0 ? std::optional(s.r.new_number) : std::nullopt);
  }

  static void undo(const auto& s) {
    s.e.set_count(s.r.subject, s.r.old != 0 ? std::optional(s.r.number) : std::nullopt);
  }
};

template <> struct edit<edit_kind::set_probability> : edit_row<edit_names{.subject = named::edge}> {
  template <class E> static constexpr bool is_in = profile_editor<E>;

  static void remember(const auto& s) { s.r.old_probability = s.e.probability(s.r.subject); }

  static void apply(const auto& s) { s.e.set_probability(s.r.subject, s.r.probability); }

  static void undo(const auto& s) { s.e.set_probability(s.r.subject, s.r.old_probability); }
};

template <> struct edit<edit_kind::set_trip_hints> : edit_row<edit_names{.subject = named::node}> {
  template <class E> static constexpr bool is_in = can_set_trip_hints<E>;

  static void remember(const auto& s) {
    const loop_hints hints = s.e.trip_hints(s.r.subject);
    s.r.old_probability = hints.average;
    s.r.number = hints.maximum;
    add_number(s.list, hints.multiple);
    s.list.push_back(hints.must_end);
  }

  static void apply(const auto& s) {
    s.e.set_trip_hints(s.r.subject, {s.r.probability, s.r.new_number, number_at(s.words(), 0), s.words()[2] != 0});
  }

  static void undo(const auto& s) {
    s.e.set_trip_hints(s.r.subject, {s.r.old_probability, s.r.number, number_at(s.words(), 3), s.words()[5] != 0});
  }
};

/// Makes nothing if the address is a number.
template <> struct edit<edit_kind::address_as_number> : value_row<edit_names{.object = named::value}> {
  template <class E> static constexpr bool is_in = can_read_addresses<E>;

  static void apply(const auto& s) {
    s.r.created = static_cast<value_id>(s.e.address_as_number(s.r.object, s.r.where));
  }

  static void undo(const auto& s) {
    if (s.r.created != s.r.object) {
      value_row<names>::undo(s);
    }
  }

  static void note_made(const auto& s, const edit_record& r, new_names& made) {
    if (r.created != r.object) {
      value_row<names>::note_made(s, r, made);
    }
  }
};

template <> struct edit<edit_kind::make_memory_class> : edit_row<edit_names{}> {
  template <class E> static constexpr bool is_in = can_make_memory_classes<E>;

  static void apply(const auto& s) { s.r.created = static_cast<std::uint32_t>(s.e.make_memory_class()); }

  static void note_made(const auto& s, const edit_record& r, new_names& made) {
    made.note(named::memory_class, r.created, s.r.created);
  }
};

template <>
struct edit<edit_kind::set_memory_class>
    : edit_row<edit_names{.subject = named::value, .object = named::memory_class, .third = named::node}> {
  template <class E> static constexpr bool is_in = can_set_memory_classes<E>;

  static void remember(const auto& s) {
    const std::optional<memory_reference> m = s.e.memory(s.r.subject);
    const bool is_local = s.r.third != no_node;
    s.r.old = m ? (is_local ? m->local : m->memory) : any_memory;
    s.r.number = m && is_local ? m->scope : no_node;
  }

  static void apply(const auto& s) { s.e.set_memory_class(s.r.subject, s.r.object, s.r.third); }

  static void undo(const auto& s) {
    const auto scope = static_cast<node_id>(s.r.number);
    s.e.set_memory_class(s.r.subject, s.r.old, scope == no_node ? s.r.third : scope);
  }
};

template <> struct edit<edit_kind::make_local_array> : value_row<edit_names{}> {
  template <class E> static constexpr bool is_in = can_make_local_arrays<E>;

  static void apply(const auto& s) { s.r.created = static_cast<value_id>(s.e.make_local_array(s.r.object)); }
};

template <> struct edit<edit_kind::make_load> : access_row {
  template <class E> static constexpr bool is_in = can_make_loads<E>;

  static void apply(const auto& s) {
    s.r.created = static_cast<value_id>(s.e.make_load(s.r.object, reference_of(s.words()), s.r.where));
  }
};

template <> struct edit<edit_kind::make_store> : access_row {
  template <class E> static constexpr bool is_in = can_make_stores<E>;

  static void apply(const auto& s) {
    s.r.created = static_cast<value_id>(s.e.make_store(s.r.object, reference_of(s.words()), s.r.where));
  }
};

inline constexpr std::size_t num_edit_kinds = static_cast<std::size_t>(edit_kind::make_store) + 1;

/// Whether an editor has an edit.
template <class E, edit_kind kind>
concept has_edit = edit<kind>::template is_in<E>;

/// Calls `visit` with the row of `kind` if the editor has it.
template <class E, class Visit> void visit_edit(edit_kind kind, Visit visit) {
  const auto visit_one = [&]<edit_kind one>(edit<one> row) {
    if constexpr (has_edit<E, one>) {
      visit(row);
    }
    return true;
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    static_cast<void>(((kind == static_cast<edit_kind>(i) && visit_one(edit<static_cast<edit_kind>(i)>())) || ...));
  }(std::make_index_sequence<num_edit_kinds>());
}

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
      edit_record& r = log_.records_.back();
      detail::visit_edit<E>(r.kind, [&](auto row) { row.undo(step(r)); });
      log_.words_.shrink(r.first_word);
      log_.records_.pop_back();
    }
  }

  /// Undoes all changes since the editor was made, or since `forget()`.
  void undo() { undo_to(0); }

  // Hides the members of `cleans_nodes`, which are not recorded. Recorded members do their work.

  void append_node(node_id, node_id) = delete;

  void pass_over(node_id) = delete;

  // Values.

  value_id insert_phi(node_id n, value_id like) { return add<edit_kind::insert_phi>({.subject = n, .object = like}); }

  void set_phi_input(value_id phi, edge_id e, value_id v) {
    add<edit_kind::set_phi_input>({.subject = phi, .object = v, .third = e});
  }

  void set_operand(value_id user, std::size_t i, value_id v)
    requires detail::has_edit<E, edit_kind::set_operand>
  {
    add<edit_kind::set_operand>({.subject = user, .object = v, .third = static_cast<std::uint32_t>(i)});
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
        flat_array<edge_id> edges;
        detail::for_each_id(this->graph().in_edges(static_cast<node_id>(this->node_of(user))),
                            [&](edge_id e) { edges.push_back(e); });
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

  void erase_value(value_id v) { add<edit_kind::erase_value>({.subject = v}); }

  value_id clone_value(value_id v, node_id n) { return add<edit_kind::clone_value>({.subject = n, .object = v}); }

  value_id clone_value(value_id v, place p)
    requires detail::has_edit<E, edit_kind::clone_value_to_place>
  {
    return add<edit_kind::clone_value_to_place>({.object = v, .where = p});
  }

  value_id clone_unguarded(value_id v, place p)
    requires detail::has_edit<E, edit_kind::clone_unguarded>
  {
    return add<edit_kind::clone_unguarded>({.object = v, .where = p});
  }

  void move_value(value_id v, place p)
    requires detail::has_edit<E, edit_kind::move_value>
  {
    add<edit_kind::move_value>({.subject = v, .where = p});
  }

  void drop_promises(value_id v)
    requires detail::has_edit<E, edit_kind::drop_promises>
  {
    add<edit_kind::drop_promises>({.subject = v});
  }

  value_id make_constant(value_id like, constant_type c) {
    log_.constants_.push_back(c);
    return add<edit_kind::make_constant>({.object = like, .number = log_.constants_.size() - 1});
  }

  value_id make_number(unsigned width, std::uint64_t bits)
    requires detail::has_edit<E, edit_kind::make_number>
  {
    return add<edit_kind::make_number>({.subject = width, .number = bits});
  }

  value_id make_operation(const operation_info& info, span<const value_id> operands, place p)
    requires detail::has_edit<E, edit_kind::make_operation>
  {
    return add<edit_kind::make_operation>({.where = p, .info = info}, operands);
  }

  value_id undefined_like(value_id like)
    requires detail::has_edit<E, edit_kind::undefined_like>
  {
    return add<edit_kind::undefined_like>({.object = like});
  }

  // Memory.

  value_id address_as_number(value_id address, place p)
    requires detail::has_edit<E, edit_kind::address_as_number>
  {
    return add<edit_kind::address_as_number>({.object = address, .where = p});
  }

  std::uint32_t make_memory_class()
    requires detail::has_edit<E, edit_kind::make_memory_class>
  {
    return add<edit_kind::make_memory_class>({});
  }

  value_id make_local_array(std::uint32_t bytes)
    requires detail::has_edit<E, edit_kind::make_local_array>
  {
    return add<edit_kind::make_local_array>({.object = bytes});
  }

  value_id make_load(value_id like, const memory_reference& m, place p)
    requires detail::has_edit<E, edit_kind::make_load>
  {
    return add<edit_kind::make_load>({.object = like, .where = p}, detail::words_of_reference(m));
  }

  value_id make_store(value_id v, const memory_reference& m, place p)
    requires detail::has_edit<E, edit_kind::make_store>
  {
    return add<edit_kind::make_store>({.object = v, .where = p}, detail::words_of_reference(m));
  }

  void set_memory_class(value_id v, std::uint32_t c, node_id scope)
    requires(detail::has_edit<E, edit_kind::set_memory_class> && has_memory<E>)
  {
    add<edit_kind::set_memory_class>({.subject = v, .object = c, .third = scope});
  }

  // Flow.

  node_id create_node(node_id like) { return add<edit_kind::create_node>({.object = like}); }

  void redirect_edge(edge_id e, node_id target) { add<edit_kind::redirect_edge>({.subject = e, .object = target}); }

  void set_jump(node_id n, node_id target) { add<edit_kind::set_jump>({.subject = n, .object = target}); }

  void keep_edge(edge_id e) { add<edit_kind::keep_edge>({.object = e}); }

  void erase_end(node_id n)
    requires can_erase_ends<E>
  {
    add<edit_kind::erase_end>({.subject = n});
  }

  void set_branch(node_id n, value_id condition, node_id then, node_id otherwise)
    requires detail::has_edit<E, edit_kind::set_branch>
  {
    add<edit_kind::set_branch>({.subject = n, .object = condition, .third = then, .old = otherwise});
  }

  void set_switch(node_id n, value_id v, span<const constant_type> cases, span<const node_id> targets,
                  node_id otherwise)
    requires detail::has_edit<E, edit_kind::set_switch>
  {
    const std::size_t first = log_.constants_.size();
    for (const constant_type& c : cases) {
      log_.constants_.push_back(c);
    }
    add<edit_kind::set_switch>({.subject = n,
                                .object = v,
                                .third = static_cast<std::uint32_t>(cases.size()),
                                .old = otherwise,
                                .number = first},
                               targets);
  }

  /// Records the ends, values and nodes one by one, as parts.
  void erase_nodes(span<const node_id> nodes) {
    for (const node_id n : nodes) {
      edit_record r = begun<edit_kind::erase_end>({.is_part = true, .subject = n});
      row_of<edit_kind::erase_end>::remember(step(r));
      end(r);
    }
    for (const node_id n : nodes) {
      detail::for_each_id(this->values(n), [&](value_id v) {
        if (!is_terminator(editor(), v)) {
          edit_record r = begun<edit_kind::erase_value>({.is_part = true, .subject = v});
          row_of<edit_kind::erase_value>::remember(step(r));
          if (this->is_phi(v)) {
            log_.words_.shrink(r.first_word); // its inputs are restored with the edges
          }
          // While values are restored, the terminator is not there yet.
          const auto next = static_cast<value_id>(this->value_after(v));
          if (next != no_value && is_terminator(editor(), next)) {
            r.old_place = place_at_end(n);
          }
          end(r);
        }
      });
    }
    for (const node_id n : nodes) {
      end(begun<edit_kind::erase_node>({.is_part = true, .subject = n}));
    }
    add<edit_kind::erase_nodes>({}, nodes);
  }

  // Profile.

  void set_count(node_id n, std::optional<std::uint64_t> count)
    requires detail::has_edit<E, edit_kind::set_count>
  {
    add<edit_kind::set_count>({.subject = n, .object = count.has_value(), .new_number = count.value_or(0)});
  }

  void set_probability(edge_id e, double probability)
    requires detail::has_edit<E, edit_kind::set_probability>
  {
    add<edit_kind::set_probability>({.subject = e, .probability = probability});
  }

  void set_trip_hints(node_id n, const loop_hints& hints)
    requires detail::has_edit<E, edit_kind::set_trip_hints>
  {
    detail::edit_words words;
    detail::add_number(words, hints.multiple);
    words.push_back(hints.must_end);
    add<edit_kind::set_trip_hints>({.subject = n, .new_number = hints.maximum, .probability = hints.average}, words);
  }

private:
  template <edit_kind kind> using row_of = detail::edit<kind>;

  /// The editor without the log.
  E& editor() { return *this; }

  detail::edit_step<E> step(edit_record& r) { return {editor(), r, log_.words_, log_}; }

  template <edit_kind kind> edit_record begun(edit_record r) const {
    r.kind = kind;
    r.first_word = static_cast<std::uint32_t>(log_.words_.size());
    return r;
  }

  void end(edit_record r) {
    r.num_words = static_cast<std::uint32_t>(log_.words_.size()) - r.first_word;
    log_.records_.push_back(r);
  }

  /// Does an edit and records it; returns what it made. `arguments` are its first words.
  template <edit_kind kind> std::uint32_t add(const edit_record& given, span<const std::uint32_t> arguments = {}) {
    edit_record r = begun<kind>(given);
    const detail::edit_step<E> s = step(r);
    s.add_words(arguments);
    row_of<kind>::remember(s);
    row_of<kind>::apply(s);
    row_of<kind>::list_made(s);
    end(r);
    return r.created;
  }

  edit_log<constant_type> log_;
};

/// Repeats the changes of a log, and translates the numbers of new things.
template <class Constant, class E> class edit_replay {
public:
  edit_replay(const edit_log<Constant>& log, E& editor)
      : log_(log), editor_(editor), names_(log.num_values_, log.num_nodes_, log.num_edges_) {}

  void run() {
    for (const edit_record& r : log_) {
      if (!r.is_part) {
        detail::visit_edit<E>(r.kind, [&](auto row) { repeat(row, r); });
      }
    }
  }

private:
  template <class Row> void repeat(Row, const edit_record& r) {
    using detail::named;
    edit_record now = r;
    now.subject = names_.name(Row::names.subject, r.subject);
    now.object = names_.name(Row::names.object, r.object);
    now.third = names_.name(Row::names.third, r.third);
    now.old = names_.name(Row::names.old, r.old);
    now.where.node = names_.name(named::node, r.where.node);
    now.where.value = names_.name(named::value, r.where.value);
    now.first_word = 0;
    words_.assign(log_.words(r));
    if constexpr (requires(span<std::uint32_t> words) { Row::rename(names_, r, words); }) {
      Row::rename(names_, r, span<std::uint32_t>(words_.data(), words_.size()));
    }
    const detail::edit_step<E> s{editor_, now, words_, log_};
    Row::apply(s);
    Row::note_made(s, r, names_);
  }

  const edit_log<Constant>& log_;
  E& editor_;
  detail::new_names names_;
  flat_array<std::uint32_t> words_; ///< of a record, with the new names
};

/// Repeats the changes of a log on a program that is as the recorded one was: a copy, or the recorded one after `undo`.
/// New things may get other numbers. Numbers that existed when recording began must mean what they meant then.
template <class Constant, ir_editor_argument E> void replay(const edit_log<Constant>& log, E& editor) {
  static_assert(std::same_as<Constant, constant_of<E>>, "the log of an editor with the same constants");
  edit_replay<Constant, E>(log, editor).run();
}

MIDEND_END_NAMESPACE
