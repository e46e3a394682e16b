/// Loads, stores and calls of the copies: a load takes what an earlier load or store of the same place has left there,
/// and a store that a later one overwrites before anything reads it is none.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/unrolling/copies/detail/copy_numbering.hpp"
#include "midend/unrolling/copies/detail/copy_state.hpp"
#include "midend/unrolling/copies/detail/folding.hpp"
#include "midend/unrolling/copies/detail/known_value.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether only the offsets of two accesses differ.
constexpr bool has_same_origin(const unrolled_access& a, const unrolled_access& b) {
  return a.base == b.base && a.base != no_unrolled && a.index == b.index &&
         (a.index == no_unrolled || a.scale == b.scale);
}

/// Whether two accesses at the same time may have a byte in common. With the same base, index and scale, the offsets
/// decide.
constexpr bool may_overlap(const unrolled_access& a, const unrolled_access& b) {
  if (a.memory != b.memory && a.memory != any_memory && b.memory != any_memory) {
    return false;
  }
  if (!has_same_origin(a, b) || a.bytes == 0 || b.bytes == 0) {
    return true;
  }
  const std::uint64_t ahead = static_cast<std::uint64_t>(b.offset) - static_cast<std::uint64_t>(a.offset);
  return ahead < a.bytes || 0 - ahead < b.bytes;
}

/// What is in memory, as far as loads and stores of the copies show it.
class known_memory {
public:
  /// A place, and what is there.
  struct place {
    unrolled_access access;
    unsigned width;         ///< of the content
    std::uint32_t identity; ///< of a load that converts the bytes; else 0
    known_value content;    ///< none: not known
    unrolled_operand guard; ///< the content is right if this holds; no node: always
    std::uint32_t checked;  ///< stores before this one do not touch the place
    std::uint32_t copy;     ///< of the load or store that gave the content
    std::uint32_t since;    ///< how many observers there were before that one
    bool is_stored;         ///< it was a store

    // The last store of the place: it is dead if another one follows before anything may read it.
    unrolled_id store;       ///< or `no_unrolled`
    unrolled_operand runs;   ///< its guard
    std::uint32_t unread;    ///< loads before this one do not touch the place
    std::uint32_t observers; ///< how many there were before the store
  };

  static constexpr std::uint32_t no_place = static_cast<std::uint32_t>(-1);

  /// At the start.
  constexpr void begin() {
    forget();
    observers_ = 0;
  }

  /// Forgets everything: after a call or a volatile access.
  constexpr void forget() {
    stores_.clear();
    loads_.clear();
    places_.clear();
    found_.clear();
  }

  /// Something that may read any place: what comes after an exit, or a call.
  constexpr void note_observer() { ++observers_; }

  /// A load that is made, by whatever address.
  constexpr void note_access(const unrolled_access& a) { loads_.push_back(a); }

  /// The node `n` stores to the place where `guard` holds. Returns the store before it if it overwrites that one
  /// whenever that one runs, and nothing can have read it; else `no_unrolled`. If control branches by the guard, only a
  /// store that always runs overwrites others.
  constexpr unrolled_id overwrite(const unrolled_access& a, unrolled_id n, const unrolled_operand& guard,
                                  bool branches) {
    if (a.base == no_unrolled || a.bytes == 0 || a.bytes > 8) {
      return no_unrolled;
    }
    place& p = places_[find_or_insert(a, a.bytes * 8, 0)];
    const unrolled_id before = p.store;
    const bool runs_too = guard.node == no_unrolled || (guard == p.runs && !branches);
    const bool is_dead = before != no_unrolled && runs_too && p.observers == observers_ && is_unread(p);
    p.store = n;
    p.runs = guard;
    p.unread = static_cast<std::uint32_t>(loads_.size());
    p.observers = observers_;
    return is_dead ? before : no_unrolled;
  }

  /// The place that a load of `v` reads; `no_place` if the address or the size is not known.
  constexpr std::uint32_t place_of(const body_value& v, const unrolled_access& a) {
    if (a.base == no_unrolled || a.bytes == 0) {
      return no_place;
    }
    return find_or_insert(a, v.info.width, v.info.width == a.bytes * 8 ? 0 : v.identity);
  }

  /// The place of so many bits.
  constexpr std::uint32_t place_of(const unrolled_access& a, unsigned width) {
    return a.base == no_unrolled || a.bytes * 8 != width ? no_place : find_or_insert(a, width, 0);
  }

  /// The place, if its content is known where `guard` holds; else null. If control branches by the guard, another copy
  /// does not find it: no clean-up sees that the two branches go the same way. O(1), and O(1) for each store since the
  /// last call for this place.
  constexpr const place* known(std::uint32_t number, const unrolled_operand& guard, std::uint32_t copy, bool branches) {
    if (number == no_place) {
      return nullptr;
    }
    place& p = places_[number];
    const bool is_always = p.guard.node == no_unrolled;
    if (p.content.is_none() || !is_untouched(p) || (!is_always && (p.guard != guard || (branches && p.copy != copy)))) {
      return nullptr;
    }
    return &p;
  }

  /// The content of a place that `a` is a part of, known where nothing guards it; none if there is none. `distance` is
  /// where the part begins, in bytes. If `at_exits`, it is that at each exit, too. Looks at each place.
  constexpr known_value known_around(const unrolled_access& a, bool at_exits, std::uint64_t& distance) {
    for (place& p : places_) {
      distance = static_cast<std::uint64_t>(a.offset) - static_cast<std::uint64_t>(p.access.offset);
      const bool covers = has_same_origin(p.access, a) && distance < p.access.bytes &&
                          a.bytes <= p.access.bytes - distance && p.identity == 0 && p.width == p.access.bytes * 8;
      if (covers && !p.content.is_none() && p.guard.node == no_unrolled && (!at_exits || p.since == 0) &&
          is_untouched(p)) {
        return p.content;
      }
    }
    return {};
  }

  /// Whether the place of a store is known to hold `content` where `guard` holds.
  constexpr bool holds(const unrolled_access& a, const known_value& content, const unrolled_operand& guard,
                       std::uint32_t copy, bool branches) {
    if (a.base == no_unrolled || a.bytes == 0 || content.width != a.bytes * 8) {
      return false;
    }
    const place* const p = known(find_or_insert(a, content.width, 0), guard, copy, branches);
    return p != nullptr && p->content.is_same(content);
  }

  /// Records what a load found, in the copy `copy`.
  constexpr void note_load(std::uint32_t number, const known_value& content, const unrolled_operand& guard,
                           std::uint32_t copy) {
    note(number, content, guard, copy, false);
  }

  /// A store, which may not run if there is a guard. Later loads of as many bits find its value.
  constexpr void note_store(const unrolled_access& a, const known_value& content, const unrolled_operand& guard,
                            std::uint32_t copy) {
    stores_.push_back(a);
    if (a.base != no_unrolled && a.bytes != 0 && content.width == a.bytes * 8 && guard.node == no_unrolled) {
      note(find_or_insert(a, content.width, 0), content, guard, copy, true);
    }
  }

private:
  constexpr void note(std::uint32_t number, const known_value& content, const unrolled_operand& guard,
                      std::uint32_t copy, bool is_stored) {
    if (number != no_place) {
      place& p = places_[number];
      p.content = content;
      p.guard = guard;
      p.checked = static_cast<std::uint32_t>(stores_.size());
      p.copy = copy;
      p.since = observers_;
      p.is_stored = is_stored;
    }
  }

  constexpr std::uint32_t find_or_insert(const unrolled_access& a, unsigned width, std::uint32_t identity) {
    std::uint64_t hash = mix_hash(std::uint64_t{a.base} << 32 | a.index, static_cast<std::uint64_t>(a.offset));
    hash = mix_hash(hash, std::uint64_t{a.bytes} << 32 ^ std::uint64_t{a.memory} << 8 ^ width);
    const auto fresh = static_cast<std::uint32_t>(places_.size());
    const std::uint32_t found = found_.find_or_insert(high_bits(hash), fresh, [&](std::uint32_t i) {
      const place& p = places_[i];
      return p.access.base == a.base && p.access.index == a.index && p.access.offset == a.offset &&
             p.access.scale == a.scale && p.access.bytes == a.bytes && p.access.memory == a.memory &&
             p.width == width && p.identity == identity;
    });
    if (found == fresh) {
      place p{};
      p.access = a;
      p.width = width;
      p.identity = identity;
      p.store = no_unrolled;
      places_.push_back(p);
    }
    return found;
  }

  /// Whether no store has touched the place since its content was noted. Looks at each store once.
  constexpr bool is_untouched(place& p) const {
    for (; p.checked != stores_.size(); ++p.checked) {
      if (may_overlap(stores_[p.checked], p.access)) {
        p.content = {};
        return false;
      }
    }
    return true;
  }

  /// Whether no load has touched the place since its last store. Looks at each load once.
  constexpr bool is_unread(place& p) const {
    while (p.unread != loads_.size() && !may_overlap(loads_[p.unread], p.access)) {
      ++p.unread;
    }
    return p.unread == loads_.size();
  }

  flat_array<place> places_;
  flat_array<unrolled_access> stores_; ///< in program order, since the last `forget`
  flat_array<unrolled_access> loads_;  ///< likewise
  std::uint32_t observers_ = 0;
  hash_map<std::uint32_t> found_; ///< of `places_`, by the high bits of their hash
};

/// The bit under which an operation with an effect runs: `reached`, the predicate of its block, and its own guard.
constexpr known_value guard_of(copy_state& s, body_id v, const known_value& reached) {
  const body_value& value = s.body.values[v];
  if (value.guard == no_body_value) {
    return reached;
  }
  const known_value own = s.numbering.resolved(s.values[value.guard]);
  const known_value guard = value.guard_negated ? inverted(own) : own;
  if (guard.is_literal()) {
    s.numbering.save(saving_kind::folded_test, v, guard.addend);
  }
  return fold_conjunction(s.numbering, reached, guard);
}

/// A bit that is not 0 as the guard of a node.
constexpr unrolled_operand operand_of_guard(const known_value& guard) {
  return guard.is_literal() ? unrolled_operand{} : unrolled_operand{guard.node, guard.addend};
}

/// The node of `x`, whose addend times `scale` is added to `offset` where that is the same in 64 bits; else the node of
/// the sum.
constexpr unrolled_id node_and_offset(copy_numbering& numbering, const known_value& x, std::int64_t scale,
                                      std::uint64_t& offset) {
  if (x.is_literal()) {
    return numbering.constant(x.addend, x.width);
  }
  if (x.width == 64 || numbering.is_exact(x)) {
    offset += static_cast<std::uint64_t>(x.signed_addend()) * static_cast<std::uint64_t>(scale);
    return x.node;
  }
  const known_value sum =
      numbering.apply(operation::add, x.width, {value_of_node(x.node, x.width), literal(x.addend, x.width)});
  return sum.node;
}

constexpr unrolled_access access_of(copy_state& s, const body_access& a) {
  auto offset = static_cast<std::uint64_t>(a.offset);
  unrolled_access out{};
  out.bytes = a.bytes;
  out.memory = a.memory;
  out.scale = a.scale;
  out.base = out.index = no_unrolled;
  if (a.base != no_body_value) {
    out.base = node_and_offset(s.numbering, s.values[a.base], 1, offset);
  }
  if (a.index != no_body_value) {
    const known_value& index = s.values[a.index];
    if (index.is_literal()) {
      offset += static_cast<std::uint64_t>(index.signed_addend()) * static_cast<std::uint64_t>(a.scale);
    } else {
      out.index = node_and_offset(s.numbering, index, a.scale, offset);
    }
  }
  out.offset = static_cast<std::int64_t>(offset);
  return out;
}

constexpr unrolled_node& append_guarded(copy_state& s, body_id v, body_kind kind, const unrolled_operand& guard) {
  s.numbering.append(v, s.body.values[v], kind);
  unrolled_node& n = s.out.values.back();
  n.guard = guard.node;
  n.guard_negated = guard.addend != 0;
  return n;
}

constexpr void append_access(copy_state& s, unrolled_node& n, const unrolled_access& a) {
  n.access = static_cast<std::uint32_t>(s.out.accesses.size());
  s.out.accesses.push_back(a);
}

constexpr known_value last_node(copy_state& s, unsigned width) {
  return value_of_node(static_cast<unrolled_id>(s.out.values.size() - 1), width);
}

/// The part of `content`, which is in memory, from byte `distance` on, as a number of `width` bits: of little-endian
/// memory, what is left if it is shifted down.
constexpr known_value part_of_content(copy_numbering& numbering, const known_value& content, std::uint64_t distance,
                                      unsigned width) {
  body_value shift{};
  shift.info = {operation::shr, content.width, content.width, {}};
  shift.cost = operation_class::alu;
  const known_value shifts[] = {content, literal(8 * distance, content.width)};
  const known_value shifted = distance == 0 ? content : fold(numbering, shift, shifts);
  if (shifted.width == width) {
    return shifted;
  }
  body_value narrow{};
  narrow.info = {operation::truncate, static_cast<std::uint8_t>(width), content.width, {}};
  narrow.is_free = !usual_operation_class(narrow.info);
  return fold(numbering, narrow, span(&shifted, 1));
}

/// What memory holds at the place of a load in another width; none if it does not.
constexpr known_value content_around(copy_state& s, known_memory& memory, const body_value& value,
                                     const unrolled_access& access, const unrolled_operand& guard) {
  if (!s.body.is_little_endian || guard.node != no_unrolled || access.base == no_unrolled ||
      value.info.width != access.bytes * 8) {
    return {};
  }
  std::uint64_t distance = 0;
  const known_value content = memory.known_around(access, false, distance);
  return content.is_none() ? content : part_of_content(s.numbering, content, distance, value.info.width);
}

/// What is in memory when the loop is entered.
constexpr void note_before(copy_state& s, known_memory& memory) {
  for (const body_neighbour& b : s.body.before) {
    unrolled_access access = access_of(s, b.access);
    const known_value content = b.access.stored != no_body_value ? s.values[b.access.stored] : known_value();
    if (b.kind == body_kind::store) {
      memory.note_store(access, content, {}, 0);
    } else if (!content.is_none()) {
      memory.note_load(memory.place_of(access, content.width), content, {}, 0);
    }
  }
}

/// Removes the stores of the copies to what `access` overwrites after them, unless one of the loads that follow may
/// read them: those from `first` on among `reads`, and those of the copies.
constexpr void remove_overwritten(copy_state& s, const unrolled_access& access, flat_array<unrolled_access>& reads) {
  unrolled_body& out = s.out;
  const std::size_t after = reads.size();
  for (std::size_t n = out.values.size(); n-- != 0;) {
    unrolled_node& node = out.values[n];
    if (node.kind == body_kind::call || (node.is_volatile && node.kind != body_kind::pure)) {
      break; // it may read anything
    }
    if (node.kind == body_kind::load && !s.is_unused(static_cast<unrolled_id>(n))) {
      reads.push_back(out.accesses[node.access]);
    } else if (node.kind == body_kind::store) {
      const unrolled_access& stored = out.accesses[node.access];
      const std::uint64_t distance =
          static_cast<std::uint64_t>(stored.offset) - static_cast<std::uint64_t>(access.offset);
      bool is_dead = has_same_origin(stored, access) && stored.bytes != 0 && distance < access.bytes &&
                     stored.bytes <= access.bytes - distance;
      for (std::size_t i = 0; i != reads.size() && is_dead; ++i) {
        is_dead = !may_overlap(reads[i], stored);
      }
      node.kind = is_dead ? body_kind::pure : node.kind; // which nothing needs
    }
  }
  reads.shrink(after);
}

/// Goes through what accesses memory after the last copy, whichever exit leads there. What is loaded there and known is
/// read like a value after the loop. `reads` is memory.
constexpr void evaluate_after(copy_state& s, known_memory& memory, flat_array<unrolled_access>& reads) {
  reads.clear();
  for (const body_neighbour& b : s.body.after) {
    const unrolled_access access = access_of(s, b.access);
    if (b.kind == body_kind::store) {
      if (access.base != no_unrolled && access.bytes != 0) {
        remove_overwritten(s, access, reads);
      }
      memory.note_store(access, {}, {}, s.copy());
      continue;
    }
    std::uint64_t distance = 0;
    const known_value content =
        access.base == no_unrolled || access.bytes == 0 ? known_value() : memory.known_around(access, true, distance);
    const bool is_whole = distance == 0 && content.width == access.bytes * 8;
    if (content.is_none() || (!is_whole && !s.body.is_little_endian)) {
      reads.push_back(access);
    } else {
      s.out.live_out.push_back(s.operand_of(content));
    }
  }
}

/// The value that the load `v` gives in this copy: one that memory is known to have, or a new node. `reached` is the
/// predicate of its block.
constexpr known_value evaluate_load(copy_state& s, known_memory& memory, body_id v, const known_value& reached) {
  const body_value& value = s.body.values[v];
  const known_value bit = guard_of(s, v, reached);
  if (bit.is_literal(0)) {
    return literal(0, value.info.width); // no use: any number is right
  }
  const unrolled_operand guard = operand_of_guard(bit);
  const unrolled_access access = access_of(s, s.body.accesses[value.access]);
  std::uint32_t place = known_memory::no_place;
  if (value.is_volatile) {
    memory.forget();
  } else {
    place = memory.place_of(value, access);
    if (const known_memory::place* const p = memory.known(place, guard, s.copy(), !reached.is_literal(1))) {
      if (p->copy != s.copy()) {
        s.numbering.save(p->is_stored ? saving_kind::forwarded_load : saving_kind::shared_load, p->copy);
      }
      return p->content;
    }
    if (s.loads_parts) {
      const known_value part = content_around(s, memory, value, access, guard);
      if (!part.is_none()) {
        memory.note_load(place, part, guard, s.copy());
        return part;
      }
    }
  }
  append_access(s, append_guarded(s, v, body_kind::load, guard), access);
  const known_value loaded = last_node(s, value.info.width);
  memory.note_load(place, loaded, guard, s.copy());
  if (!s.is_unused(loaded.node)) {
    memory.note_access(access);
  }
  return loaded;
}

constexpr void evaluate_store(copy_state& s, known_memory& memory, body_id v, const known_value& reached) {
  const body_value& value = s.body.values[v];
  const known_value bit = guard_of(s, v, reached);
  if (bit.is_literal(0)) {
    return;
  }
  const unrolled_operand guard = operand_of_guard(bit);
  const bool branches = !reached.is_literal(1);
  const body_access& from = s.body.accesses[value.access];
  unrolled_access access = access_of(s, from);
  known_value content{}; // of no width, if the IR does not say what is stored: no load can take it
  if (from.stored != no_body_value) {
    content = s.values[from.stored];
    access.stored = s.numbering.operand(content);
  }
  if (!value.is_volatile && memory.holds(access, content, guard, s.copy(), branches)) {
    return; // it changes nothing
  }
  append_access(s, append_guarded(s, v, body_kind::store, guard), access);
  if (value.is_volatile) {
    memory.forget();
    return;
  }
  memory.note_store(access, content, guard, s.copy());
  const auto last = static_cast<unrolled_id>(s.out.values.size() - 1);
  if (const unrolled_id dead = memory.overwrite(access, last, guard, branches); dead != no_unrolled) {
    s.out.values[dead].kind = body_kind::pure; // which nothing needs
  }
}

/// After the last copy of a new body that the rolled loop follows: either of them begins like copy 0, and overwrites
/// what that stores to places that are the same in each pass, before anything else may read them. `runs_always(b)` says
/// whether no branch leads around block b.
template <class RunsAlways>
constexpr void overwrite_in_next_pass(copy_state& s, known_memory& memory, const RunsAlways& runs_always) {
  unrolled_id end = static_cast<unrolled_id>(s.out.values.size());
  for (const unrolled_exit& e : s.out.exits) {
    end = !e.is_counted && e.position < end ? e.position : end;
  }
  const auto is_same = [&](unrolled_id n) { return n == no_unrolled || s.out.values[n].is_invariant; };
  for (unrolled_id n = 0; n != end; ++n) {
    const unrolled_node& node = s.out.values[n];
    if (node.kind == body_kind::call || node.is_volatile) {
      return;
    }
    if (node.kind != body_kind::load && node.kind != body_kind::store) { // the rolled loop uses what is unused here
      continue;
    }
    unrolled_access access = s.out.accesses[node.access];
    const bool is_known = is_same(access.base) && is_same(access.index);
    if (node.kind == body_kind::load) {
      access.base = is_known ? access.base : no_unrolled;
      memory.note_access(access);
    } else if (is_known && is_same(node.guard)) {
      const unrolled_operand guard{node.guard, node.guard_negated ? std::uint64_t{1} : std::uint64_t{0}};
      const unrolled_id dead = memory.overwrite(access, n, guard, !runs_always(s.body.values[node.origin].block));
      if (dead != no_unrolled && dead != n) { // no clean-up takes a store for one that overwrites itself
        s.out.values[dead].kind = body_kind::pure;
      }
    }
  }
}

constexpr known_value evaluate_call(copy_state& s, known_memory& memory, body_id v, const known_value& reached) {
  const body_value& value = s.body.values[v];
  const known_value bit = guard_of(s, v, reached);
  if (bit.is_literal(0)) {
    return literal(0, value.info.width);
  }
  const span<const known_value> args = s.args_of(v);
  const auto first = static_cast<std::uint32_t>(s.out.operands.size());
  for (const known_value& x : args) {
    s.out.operands.push_back(s.numbering.operand(x));
  }
  unrolled_node& n = append_guarded(s, v, body_kind::call, operand_of_guard(bit));
  n.first_operand = first;
  n.num_operands = static_cast<std::uint32_t>(args.size());
  s.out.has_call = true;
  memory.note_observer();
  if (!value.writes_nothing) {
    memory.forget();
  }
  return last_node(s, value.info.width);
}

} // namespace detail

MIDEND_END_NAMESPACE
