/// `verify_memory_redundancy`: checks the certificate of removed loads and stores.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/memory_places.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/package/memory_witness.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/certifiable_ir.hpp"
#include "midend/transform/change_verdict.hpp"
#include "midend/transform/detail/compared_programs.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// The answer of `verify_memory_redundancy`.
using memory_verdict = change_verdict;

namespace detail {

/// The loads and stores of the witness are missing, and what it says that a load yields is read in place of the load.
template <class Before, class After> class memory_checker : public allowed_changes {
public:
  memory_checker(const Before& before, const After& after, const memory_witness& w)
      : pair_(before, after), before_(before), after_(after), w_(w) {}

  memory_verdict run() {
    if (!pair_.read()) {
      fail(change_fault::wrong_size, no_node);
      return verdict_;
    }
    list_values();
    read_witness();
    pair_.compare_flow(*this);
    for (std::size_t i = 0; ok() && i != w_.loads.size(); ++i) {
      prove_load(w_.loads[i]);
    }
    for (std::size_t i = 0; ok() && i != w_.stores.size(); ++i) {
      prove_store(w_.stores[i]);
    }
    pair_.compare_operations(*this);
    check_removed();
    pair_.compare_reads(*this);
    return verdict_;
  }

  change_fault missing(node_id, value_id x) const {
    return fate_[x] != stays ? change_fault::none : change_fault::missing_operation;
  }

  change_fault read(const changed_read& r) const {
    const bool is_known = r.x != no_value && source_[r.x] != r.x && pair_.same_value(source_[r.x], r.u);
    return is_known ? change_fault::none : change_fault::wrong_operand;
  }

private:
  enum : unsigned char { stays, known, changes_nothing, overwritten };

  bool is_reached(node_id n) const { return n != no_node && pair_.reached[n] != 0; }

  void list_values() {
    const node_id count = node_count(before_.graph());
    begin_.assign(count + std::size_t{1}, 0);
    position_.assign(pair_.num_old_values(), 0);
    for (node_id n = 0; n != count; ++n) {
      begin_[n] = values_.size();
      for_each_id(before_.values(n), [&](value_id v) {
        position_[v] = values_.size();
        values_.push_back(v);
      });
    }
    begin_[count] = values_.size();
  }

  void read_witness() {
    const std::size_t count = pair_.num_old_values();
    fate_.assign(count, stays);
    source_.resize_for_overwrite(count);
    for (value_id v = 0; v != count; ++v) {
      source_[v] = v;
    }
    for (const known_load& l : w_.loads) {
      if (enter(l.load, l.access, known, effect_kind::reads) && l.access != no_value && l.value < count) {
        source_[l.load] = l.value;
      } else {
        fail(change_fault::wrong_witness, no_node, l.load);
      }
    }
    for (const removed_store& s : w_.stores) {
      if (!enter(s.store, s.access, s.access == no_value ? overwritten : changes_nothing, effect_kind::writes)) {
        fail(change_fault::wrong_witness, no_node, s.store);
      }
    }
    for (const known_load& l : w_.loads) {
      if (ok() && source_[l.value] != l.value) {
        fail(change_fault::wrong_witness, no_node, l.load);
      }
    }
  }

  bool is_operation(value_id v) const {
    return v < pair_.num_old_values() && is_reached(pair_.old_home[v]) && !before_.is_phi(v);
  }

  /// Of a plain load or store with a known address.
  std::optional<memory_reference> place_of(value_id v) const {
    const effect_kind effect = before_.effect(v);
    if ((effect != effect_kind::reads && effect != effect_kind::writes) || is_fixed_access(before_, v) ||
        before_.may_not_return(v) || is_terminator(before_, v)) {
      return std::nullopt;
    }
    const std::optional<memory_reference> m = before_.memory(v);
    return m && m->base != no_value && m->bytes != 0 ? m : std::nullopt;
  }

  bool enter(value_id v, value_id access, unsigned char fate, effect_kind effect) {
    if (!is_operation(v) || fate_[v] != stays || before_.effect(v) != effect || !place_of(v) || access == v ||
        (access != no_value && (!is_operation(access) || !place_of(access)))) {
      return false;
    }
    fate_[v] = fate;
    return true;
  }

  // Addresses. Written once more, and in another form than `ir/memory_effects.hpp` has, which the pass asks: what the
  // two share is what an IR means, not what follows from it.

  /// A reference with the address that it is.
  struct address {
    memory_reference place;
    linear_form read;     ///< base, index and numbers, of the values that the program reads
    linear_form resolved; ///< of those that the witness says are equal to them
  };

  address address_of(const memory_reference& m) const {
    address out{m, linear_form::zero(64), {}};
    static_cast<void>(out.read.add(static_cast<std::uint64_t>(m.offset)));
    add_part(m.base, 1, false, out.read);
    if (m.index != no_value) {
      add_part(m.index, static_cast<std::uint64_t>(m.scale), true, out.read);
    }
    out.resolved = linear_form::zero(64);
    static_cast<void>(out.resolved.add(out.read.constant));
    for (std::uint32_t i = 0; i != out.read.num_terms; ++i) {
      const linear_form::term& t = out.read.terms[i];
      static_cast<void>(out.resolved.add(source_[t.value], t.coefficient, t.reading));
    }
    return out;
  }

  /// Adds a base, or an index, which is extended as a signed number, times a factor. Numbers that the program adds to
  /// it are numbers of the sum: in 64 bits, and in fewer bits of an index if that sum promises not to wrap.
  void add_part(value_id v, std::uint64_t factor, bool is_index, linear_form& sum) const {
    if constexpr (has_operation<Before> && has_64_bit_constants<Before>) {
      for (int steps = 0; steps != 8; ++steps) {
        if (const auto number = is_index ? before_.constant(v) : std::nullopt) {
          const auto bits = static_cast<std::uint64_t>(*number);
          static_cast<void>(sum.add(factor * static_cast<std::uint64_t>(as_signed(bits, before_.operation(v).width))));
          return;
        }
        std::uint64_t number = 0;
        if (!take_addition(v, is_index, number)) {
          break;
        }
        static_cast<void>(sum.add(factor * number));
      }
    }
    static_cast<void>(sum.add(v, factor, is_index ? number_reading::as_signed : number_reading::low_bits));
  }

  /// If `v` is x + number or x - number, it becomes x.
  bool take_addition(value_id& v, bool is_index, std::uint64_t& number) const {
    if (before_.is_phi(v)) {
      return false;
    }
    const operation_info info = before_.operation(v);
    value_id x[2] = {no_value, no_value};
    std::size_t count = 0;
    for_each_id(before_.operands(v), [&](value_id of) {
      if (count < 2) {
        x[count] = of;
      }
      ++count;
    });
    const bool adds = info.code == operation::add;
    const bool is_exact = info.width == 64 || (is_index && info.flags.no_signed_wrap);
    if ((!adds && info.code != operation::sub) || !is_exact || count != 2) {
      return false;
    }
    if (adds && before_.constant(x[0])) {
      const value_id first = x[0];
      x[0] = x[1];
      x[1] = first;
    }
    const auto literal = before_.constant(x[1]);
    if (!literal || before_.constant(x[0]) || before_.operation(x[0]).width != info.width) {
      return false;
    }
    const auto by = static_cast<std::uint64_t>(as_signed(static_cast<std::uint64_t>(*literal), info.width));
    number = adds ? by : 0 - by;
    v = x[0];
    return true;
  }

  /// How many bytes after the start of `a` the access `b` starts, or nothing if that is not a number.
  static std::optional<std::uint64_t> bytes_between(const address& a, const address& b) {
    linear_form difference;
    const bool is_number = linear_difference(b.resolved, a.resolved, difference) && difference.is_number();
    return is_number ? std::optional(difference.constant) : std::nullopt;
  }

  /// Whether a load or store may touch a byte of a place.
  bool may_touch(value_id x, const address& at) const {
    const std::optional<memory_reference> m = before_.memory(x);
    if (m && classes_are_apart(m->memory, at.place.memory)) {
      return false;
    }
    if (!m || m->base == no_value || m->bytes == 0) {
      return true;
    }
    const std::optional<std::uint64_t> after = bytes_between(address_of(*m), at);
    return !after || *after < m->bytes || 0 - *after < at.place.bytes;
  }

  /// Whether an operation may write a byte of a place.
  bool may_write(value_id x, const address& at) const {
    const effect_kind effect = before_.effect(x);
    if (is_fixed_access(before_, x)) {
      return true;
    }
    if (effect != effect_kind::unknown) {
      return effect == effect_kind::writes && may_touch(x, at);
    }
    if constexpr (has_may_write<Before>) {
      return static_cast<bool>(before_.may_write(x, at.place.memory));
    } else {
      return true;
    }
  }

  /// Whether a byte of a place may matter to an operation.
  bool may_read(value_id x, const address& at) const {
    const effect_kind effect = before_.effect(x);
    return is_fixed_access(before_, x) || before_.may_not_return(x) || effect == effect_kind::unknown ||
           (effect == effect_kind::reads && may_touch(x, at));
  }

  static guard_of_value guard_of(const Before& ir, value_id v) {
    if constexpr (has_guard<Before>) {
      const guard_of_value guard = ir.guard(v);
      const auto number = guard.predicate != no_value ? ir.constant(guard.predicate) : std::nullopt;
      const bool always_runs = number && (static_cast<std::uint64_t>(*number) % 2 == 1) == !guard.negated;
      return always_runs ? guard_of_value() : guard;
    } else {
      return {};
    }
  }

  bool same_type(value_id x, value_id y) const {
    if constexpr (has_same_type<Before>) {
      return static_cast<bool>(before_.same_type(x, y));
    } else {
      return before_.operation(x).width == before_.operation(y).width;
    }
  }

  bool is_undefined([[maybe_unused]] value_id v) const {
    if constexpr (has_is_undefined<Before>) {
      return static_cast<bool>(before_.is_undefined(v));
    } else {
      return false;
    }
  }

  /// What an access says to be in the bytes of `place`: its value, or nothing.
  value_id value_at(value_id access, const address& at) const {
    const std::optional<memory_reference> m = place_of(access);
    if (!m || m->bytes != at.place.bytes || bytes_between(address_of(*m), at) != std::optional<std::uint64_t>(0)) {
      return no_value;
    }
    return before_.effect(access) == effect_kind::reads ? access : m->stored;
  }

  /// Of the value of a load or store; 0 if that is unknown.
  std::uint64_t bits_of(value_id access) const {
    const memory_reference m = *place_of(access);
    if constexpr (has_operation<Before>) {
      const bool stores = before_.effect(access) == effect_kind::writes;
      return m.bits != 0 ? m.bits : before_.operation(stores ? m.stored : access).width;
    } else {
      return m.bits;
    }
  }

  /// Whether an access moves its bits between memory and a value, and neither makes some up nor drops some of the
  /// value.
  bool keeps_value(value_id access) const {
    return bits_of(access) != 0 && bits_of(access) <= std::uint64_t{8} * place_of(access)->bytes;
  }

  /// Whether a store of the value of an access leaves the bytes as they were after it. A store of fewer bits than the
  /// bytes have writes the rest, too, from nothing but the value; a load of fewer says nothing about the rest.
  bool keeps_bytes(value_id access) const {
    return before_.effect(access) == effect_kind::writes ||
           bits_of(access) >= std::uint64_t{8} * place_of(access)->bytes;
  }

  void prove_load(const known_load& l) {
    const node_id n = pair_.old_home[l.load];
    const address at = address_of(*place_of(l.load));
    const value_id value = value_at(l.access, at);
    const guard_of_value own = guard_of(before_, l.load);
    const guard_of_value other = guard_of(before_, l.access);
    const auto same = [&](value_id x, value_id y) {
      return x == y || (x != no_value && y != no_value && source_[x] == source_[y]);
    };
    const bool same_guard = same(own.predicate, other.predicate) && own.negated == other.negated &&
                            (same(own.otherwise, other.otherwise) || same(own.otherwise, l.access)) &&
                            (own.predicate == no_value || before_.effect(l.access) == effect_kind::reads);
    if (value == no_value || source_[value] != l.value || is_undefined(l.value) || !same_type(l.value, l.load) ||
        !keeps_value(l.load) || !keeps_value(l.access) || !same_guard) {
      fail(change_fault::different_value, n, l.load);
      return;
    }
    if (l.value == l.access && keeps_promises(l.value, l.load)) {
      fail(change_fault::changed_operation, n, l.value);
      return;
    }
    search_back(l.load, l.access, at);
  }

  /// Whether the load `v`, which gets the readers of the load `gone`, promised more, and has lost nothing of that.
  bool keeps_promises([[maybe_unused]] value_id v, [[maybe_unused]] value_id gone) const {
    if constexpr (requires {
                    { before_.promises_more(v, gone) } -> truth_value;
                    { after_.same_operation(v, before_, v) } -> truth_value;
                  }) {
      return before_.promises_more(v, gone) && after_.same_operation(v, before_, v);
    } else {
      return false;
    }
  }

  void prove_store(const removed_store& s) {
    const address at = address_of(*place_of(s.store));
    const value_id stored = at.place.stored;
    if (s.access == no_value) {
      search_forward(s.store, at);
      return;
    }
    const value_id value = value_at(s.access, at);
    if (value == no_value || stored == no_value || source_[value] != source_[stored] || !keeps_bytes(s.access) ||
        is_undefined(value) || guard_of(before_, s.access).predicate != no_value) {
      fail(change_fault::different_value, pair_.old_home[s.store], s.store);
      return;
    }
    search_back(s.store, s.access, at);
  }

  /// Follows all paths to `v` backwards, up to `access`.
  void search_back(value_id v, value_id access, const address& at) {
    mark_.assign(node_count(before_.graph()), 0);
    pending_.clear();
    node_id n = pair_.old_home[v];
    std::size_t end = position_[v];
    while (true) {
      bool arrived = false;
      while (!arrived && end != begin_[n]) {
        const value_id x = values_[--end];
        arrived = x == access;
        if (!arrived && !before_.is_phi(x) && fate_[x] != changes_nothing && may_write(x, at)) {
          fail(change_fault::written_between, n, v);
          return;
        }
      }
      if (!arrived && n == static_cast<node_id>(before_.graph().entry())) {
        fail(change_fault::not_on_every_path, n, v);
        return;
      }
      if (!arrived) {
        for_each_id(before_.graph().in_edges(n), [&](edge_id e) {
          const auto from = static_cast<node_id>(before_.graph().edge_source(e));
          if (is_reached(from) && mark_[from] == 0) {
            mark_[from] = 1;
            pending_.push_back(from);
          }
        });
      }
      if (pending_.empty()) {
        return;
      }
      n = pending_.back();
      pending_.pop_back();
      end = begin_[n + std::size_t{1}];
    }
  }

  bool is_defined_in(node_id n, value_id v) const { return v != no_value && pair_.old_home[v] == n; }

  /// Follows all paths from the store `v` to the stores that overwrite it: first lists the nodes on them, then checks
  /// that they have no cycle, by removing, again and again, nodes to which no path is left.
  void search_forward(value_id v, const address& at) {
    const guard_of_value guard = guard_of(before_, v);
    mark_.assign(node_count(before_.graph()), 0);
    flat_array<node_id> nodes;
    flat_array<unsigned char> continues(mark_.size(), 0);
    nodes.push_back(pair_.old_home[v]);
    mark_[nodes[0]] = 1;
    for (std::size_t i = 0; i != nodes.size(); ++i) {
      const node_id n = nodes[i];
      if (i != 0 && (is_computed_in(n, at.read) || is_defined_in(n, guard.predicate))) {
        fail(change_fault::read_before, n, v);
        return;
      }
      bool is_over = false;
      for (std::size_t k = i == 0 ? position_[v] + 1 : begin_[n]; !is_over && k != begin_[n + std::size_t{1}]; ++k) {
        const value_id x = values_[k];
        if (before_.is_phi(x) || fate_[x] != stays) {
          continue;
        }
        if (may_read(x, at)) {
          fail(change_fault::read_before, n, v);
          return;
        }
        is_over = is_overwritten_by(x, at, guard);
      }
      if (is_over) {
        continue;
      }
      continues[n] = 1;
      std::size_t edges = 0;
      for_each_id(before_.graph().successors(n), [&](node_id s) {
        ++edges;
        if (mark_[s] == 0) {
          nodes.push_back(s);
        }
        ++mark_[s];
      });
      if (edges == 0) {
        fail(change_fault::read_before, n, v);
        return;
      }
    }
    std::size_t taken = 0;
    --mark_[nodes[0]];
    pending_.clear();
    pending_.push_back(nodes[0]);
    if (mark_[nodes[0]] != 0) {
      pending_.clear();
    }
    while (!pending_.empty()) {
      const node_id n = pending_.back();
      pending_.pop_back();
      ++taken;
      if (continues[n] != 0) {
        for_each_id(before_.graph().successors(n), [&](node_id s) {
          if (--mark_[s] == 0) {
            pending_.push_back(s);
          }
        });
      }
    }
    if (taken != nodes.size()) {
      fail(change_fault::read_before, nodes[0], v);
    }
  }

  bool is_computed_in(node_id n, const linear_form& sum) const {
    bool is = false;
    for (std::uint32_t i = 0; i != sum.num_terms; ++i) {
      is = is || is_defined_in(n, sum.terms[i].value);
    }
    return is;
  }

  bool is_overwritten_by(value_id x, const address& at, const guard_of_value& guard) const {
    const std::optional<memory_reference> m = before_.effect(x) == effect_kind::writes ? place_of(x) : std::nullopt;
    const std::optional<std::uint64_t> distance = m ? bytes_between(address_of(*m), at) : std::nullopt;
    const std::uint64_t skipped = distance.value_or(0); // bytes of the other store before the place
    const guard_of_value own = guard_of(before_, x);
    return distance.has_value() && skipped <= m->bytes && at.place.bytes <= m->bytes - skipped &&
           (own.predicate == no_value || (own.predicate == guard.predicate && own.negated == guard.negated));
  }

  /// Checks that the new program has no load or store that the witness removes: nothing is proven about their readers.
  void check_removed() {
    for (value_id v = 0; ok() && v != fate_.size(); ++v) {
      if (fate_[v] != stays && pair_.is_computed(v)) {
        fail(change_fault::extra_operation, pair_.new_home[v], v);
      }
    }
  }

  compared_programs<Before, After> pair_;
  const Before& before_;
  const After& after_;
  const memory_witness& w_;
  flat_array<unsigned char> fate_; ///< by old value
  flat_array<value_id> source_;    ///< by old value
  flat_array<value_id> values_;    ///< of the old program, node by node
  flat_array<std::size_t> begin_;
  flat_array<std::size_t> position_;
  flat_array<std::uint32_t> mark_;
  flat_array<std::uint32_t> pending_;
};

} // namespace detail

/// Checks that `after` is `before` without loads and stores that the witness shows to be redundant. It shares no
/// reasoning with the transformation: of `ir/memory_places.hpp` and `ir/memory_effects.hpp` it asks only what an IR
/// means, which classes are apart and which accesses are volatile. What remains to be trusted is this function,
/// `linear_form`, and `operation`, `memory` and `same_operation` of the IR. Requires IRs that `check_ir`
/// accepts; the witness may be anything.
///
/// **What is checked** of the reachable part of the program. All is as it was (`compared_programs`), but the loads and
/// stores of the witness are missing, and the values of these loads are read in their place.
/// 1. On every path back from a load, or from a store that changes nothing, comes the access of the witness. Nothing
///    after it may write there but stores that change nothing themselves. The access has the same bytes and the value
///    that replaces the load, or that is stored. Loads and stores of values with more bits than their bytes prove
///    nothing about a load, and loads of fewer nothing about a store.
/// 2. On every path on from a store that is overwritten comes one that stays and writes all its bytes, and nothing
///    before it may read one of them but loads that are gone. The paths have no cycle, and pass no node that computes
///    the address or predicate of the store.
///
/// **Why this is enough.** By induction over the run: as long as all claims held so far, stores that change nothing did
/// not, so memory at a load is what the access made it. The value has been computed before the access, and is computed
/// anew only together with it, because it dominates the access, and the access the load. Memory of the two runs differs
/// only in bytes that nothing reads before they are written alike.
///
/// O(n + m + values + operands), and for each entry the nodes between it and its access.
template <certifiable_ir_argument Before, certifiable_ir_argument After>
  requires memory_ir<Before>
memory_verdict verify_memory_redundancy(const Before& before, const After& after, const memory_witness& witness) {
  return detail::memory_checker<Before, After>(before, after, witness).run();
}

MIDEND_END_NAMESPACE
