/// `editable_flat_program`: a flat program that all transformations can change, for trials.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/ir/operation_description.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// A flat program with the editing rungs: values, flow, operations, branches and profile. It is a value, like the
/// program that it extends: to try a transformation, copy it and change the copy.
///
///     midend::editable_flat_program trial;
///     midend::frozen(ir, trial);
///     midend::editable_flat_program unrolled = trial;
///     midend::unroll_loops(unrolled, loops, requests);
///
/// **Facts about operations.** A clone has those of its original: `origin`, meaning, effects, cost, promises,
/// description. An operation of `make_operation` has no origin and no effect; a division or shift may trap, unless its
/// second operand is a literal for which it does not. The IR never folds an operation that has lost promises or its
/// guard; one whose operand was set by `set_operand` it folds if all operands are known. `replace_uses` replaces values
/// by equal ones, so facts stay. `effect` and the like follow a guard that becomes a literal.
///
/// **Limits.** All other facts are those that the IR gave for the original: whether an operation may trap does not
/// change with its operands. Integer literals have the type of the operations of the vocabulary of their width; if
/// there are none, a type of their own.
///
/// Requires that the program is closed (`is_closed`): every value that an answer about an operation names (the base of
/// an address, the guard, the condition of a branch) is an operand of the operation, and the ends of nodes are values.
/// A frozen program is closed if its IR is.
///
/// Each change is O(1) amortised, plus the phis and edges that it touches. Copying into an object that held a program
/// as large allocates nothing.
class editable_flat_program : public flat_program {
public:
  /// Whether it can be edited.
  bool is_closed() const { return is_closed_; }

  // Values.

  value_id insert_phi(node_id n, value_id like) {
    const value_id v = make_value(like);
    value_record& record = values_[v];
    record.flags = phi | (values_[like].flags & without_phi);
    record.number_width = values_[like].number_width;
    record.storage_bytes = values_[like].storage_bytes;
    record.info.width = values_[like].info.width;
    record.info.operand_width = record.info.width;
    link(v, n, nodes_[n].first);
    add_inputs(v);
    return v;
  }

  void set_phi_input(value_id v, edge_id e, value_id input) {
    MIDEND_ASSERT(graph_.edge_target(e) == node_of(v), "an edge into the node of the phi", e, v);
    operands_.set(values_[v].operands, graph_.position(e), input);
  }

  void replace_uses(value_id v, value_id by) {
    operands_.replace_uses(v, by);
    while (replaced_by_.size() <= v) {
      replaced_by_.push_back(no_value);
    }
    replaced_by_[v] = by;
  }

  /// The value that the last `replace_uses` put in the place of `v`, in this program or in one that it is a copy of; or
  /// `no_value`.
  value_id replacement(value_id v) const { return v < replaced_by_.size() ? replaced_by_[v] : no_value; }

  /// The edges of a terminator must be erased before.
  void erase_value(value_id v) {
    MIDEND_ASSERT(!operands_.has_users(v), "an operation without users", v);
    operands_.clear(values_[v].operands);
    if (node_of(v) != no_node) { // else it is a local array
      unlink(v);
    }
    value_record erased;
    erased.origin = values_[v].origin;
    erased.type = values_[v].type;
    values_[v] = erased;
  }

  value_id clone_value(value_id v, node_id n) {
    check_closed();
    MIDEND_ASSERT(!is_terminator(v) || end_of(n) == no_value, "a node without an end", n);
    const value_id clone =
        is_phi(v) ? insert_clone(v, n, after_phis(n)) : insert_clone(v, n, is_terminator(v) ? no_value : end_of(n));
    if (is_terminator(v)) {
      clone_edges(node_of(v), n);
    }
    return clone;
  }

  value_id clone_value(value_id v, place p) {
    check_closed();
    MIDEND_ASSERT(!is_phi(v) && !is_terminator(v), "neither a phi nor a terminator", v);
    return insert_clone(v, node_at(p), value_at(p));
  }

  /// A copy of `v` that always runs, without its guard.
  value_id clone_unguarded(value_id v, place p) {
    const value_id clone = clone_value(v, p);
    if (!has(v, guarded)) {
      return clone;
    }
    detail::flat_rarities& rare = own_rare(clone);
    const std::uint32_t kept = static_cast<std::uint32_t>(operands(v).size()) - (rare.at.first != none ? 1u : 0u) -
                               (rare.at.second != none ? 1u : 0u);
    MIDEND_ASSERT((rare.at.first == none || rare.at.first >= kept) &&
                      (rare.at.second == none || rare.at.second >= kept),
                  "a guard after the other operands", v);
    while (operands(clone).size() > kept) {
      operands_.erase(values_[clone].operands, operands(clone).size() - 1);
    }
    values_[clone].info = rare.unguarded;
    rare.guard = {};
    rare.at.first = rare.at.second = none;
    set(clone, guarded, false);
    set(clone, decidable, false);
    set(clone, changed);
    return clone;
  }

  value_id make_constant(value_id like, constant_type c) {
    return make_literal(values_[like].type, values_[like].info.width, values_[like].number_width, c,
                        has(like, without_phi));
  }

  // Operations.

  void set_operand(value_id user, std::size_t i, value_id v) {
    const value_id old = operands(user)[i];
    operands_.set(values_[user].operands, i, v);
    if (old != v) {
      set(user, renamed);
    }
  }

  void move_value(value_id v, place p) {
    const node_id from = node_of(v);
    const node_id to = node_at(p);
    const value_id before = is_terminator(v) ? no_value : value_at(p);
    if (before == v) {
      return;
    }
    unlink(v);
    link(v, to, before);
    if (from == to) {
      return;
    }
    if (is_phi(v)) {
      operands_.clear(values_[v].operands);
      add_inputs(v);
    } else if (is_terminator(v)) {
      MIDEND_ASSERT(graph_.out_edges(to).empty(), "a node without an end", to);
      graph_.move_out_edges(from, to);
      move_condition(from, to);
    }
  }

  /// Drops promises about wrapping, the bounds of the result, and what the IR describes as promises.
  void drop_promises(value_id v) {
    value_record& record = values_[v];
    record.info.flags = {};
    set(v, traps, has(v, still_traps));
    if (record.rare != none) {
      detail::flat_rarities& rare = own_rare(v);
      rare.bounds = {};
      rare.facts = {};
      rare.unguarded.flags = {};
      rare.wide_operation.flags = {};
    }
    if (has_descriptions()) {
      described_[v].num_promises = 0;
    }
    set(v, changed);
  }

  value_id make_operation(const operation_info& info, span<const value_id> operands, place p) {
    MIDEND_ASSERT(info.code != midend::operation::other && operands.size() == arity(info.code),
                  "an operation of the vocabulary with its operands", operands.size());
    const std::uint32_t type = type_of_numbers(is_comparison(info.code) ? 1 : info.width);
    const value_id v = add_value_of_type(type);
    value_record& record = values_[v];
    record.info = info;
    record.number_width = info.width;
    record.storage_bytes = bytes_of_width(is_comparison(info.code) ? 1 : info.width);
    const optional<operation_class> c = detail::usual_operation_class(info);
    record.cost = c ? static_cast<unsigned char>(*c) : free;
    record.flags = removable | repeatable;
    if (is_partial(info.code)) {
      record.flags |= traps | still_traps | partial;
    }
    for (const value_id x : operands) {
      add_operand(v, x);
    }
    describe_made(v, std::uint64_t{static_cast<std::uint8_t>(info.code)} | std::uint64_t{info.width} << 8 |
                         std::uint64_t{info.operand_width} << 16);
    link(v, node_at(p), value_at(p));
    return v;
  }

  /// The value itself if it is a number of 64 bits; else `no_value`.
  value_id address_as_number(value_id address, [[maybe_unused]] place p) {
    return values_[address].number_width == 64 ? address : no_value;
  }

  /// Looks at each access once, however many classes are made.
  std::uint32_t make_memory_class() {
    for (; noted_accesses_ < accesses_.size(); ++noted_accesses_) {
      const memory_reference& m = accesses_[noted_accesses_].place;
      for (const std::uint32_t c : {m.memory, m.local}) {
        made_classes_ = c != any_memory && c >= made_classes_ ? c + 1 : made_classes_;
      }
    }
    return made_classes_ == any_memory ? any_memory : made_classes_++;
  }

  /// A value in no node, like a parameter.
  value_id make_local_array(std::uint32_t bytes) {
    check_closed();
    const value_id v = add_value_of_type(type_of_numbers(64));
    value_record& record = values_[v];
    record.info.width = record.info.operand_width = 64;
    record.number_width = 64;
    record.storage_bytes = 8;
    record.constant = bytes;
    record.flags = own_memory;
    describe_made(v, std::uint64_t{1} << 59 | bytes);
    return v;
  }

  value_id make_load(value_id like, const memory_reference& m, place p) {
    check_closed();
    if (m.base == no_value) {
      return no_value;
    }
    const value_id v = make_value(like);
    value_record& record = values_[v];
    record.info.width = record.info.operand_width = values_[like].info.width;
    record.number_width = values_[like].number_width;
    record.storage_bytes = values_[like].storage_bytes;
    record.effect = effect_kind::reads;
    record.flags = removable | repeatable | traps | still_traps | (values_[like].flags & without_phi);
    record.cost = static_cast<unsigned char>(operation_class::load);
    make_access(v, no_value, m, p);
    return v;
  }

  value_id make_store(value_id stored, const memory_reference& m, place p) {
    check_closed();
    if (m.base == no_value) {
      return no_value;
    }
    const value_id v = add_value_of_type(own_type);
    value_record& record = values_[v];
    record.effect = effect_kind::writes;
    record.flags = repeatable | traps | still_traps;
    record.cost = static_cast<unsigned char>(operation_class::store);
    make_access(v, stored, m, p);
    return v;
  }

  void set_memory_class(value_id v, std::uint32_t c, node_id scope) {
    MIDEND_ASSERT(values_[v].access != none, "a load or store with a reference", v);
    detail::flat_access fresh = accesses_[values_[v].access]; // copies of an operation share it
    if (scope == no_node) {
      fresh.place.memory = c;
    } else {
      fresh.place.local = c;
      fresh.place.scope = c == any_memory ? no_node : scope;
    }
    values_[v].access = static_cast<std::uint32_t>(accesses_.size());
    accesses_.push_back(fresh);
  }

  /// Of 1 to 64 bits.
  value_id make_number(unsigned width, std::uint64_t bits) {
    if (width == 0 || width > 64) {
      return no_value;
    }
    return make_literal(type_of_numbers(width), static_cast<std::uint8_t>(width), static_cast<std::uint8_t>(width),
                        bits & ~std::uint64_t{0} >> (64 - width), false);
  }

  value_id undefined_like(value_id v) {
    note_literals();
    const std::uint32_t type = values_[v].type;
    const auto fresh = static_cast<value_id>(values_.size());
    const value_id found = literals_.find_or_insert({0, type, true}, fresh);
    if (found == fresh) {
      make_value(v);
      value_record& record = values_[fresh];
      record.info.width = values_[v].info.width;
      record.info.operand_width = record.info.width;
      record.number_width = values_[v].number_width;
      record.flags = undefined | uncertain;
      describe_made(fresh, std::uint64_t{1} << 62 | type);
    }
    return found;
  }

  // Flow.

  /// The node has the count of `like`.
  node_id create_node(node_id like) {
    const node_id n = graph_.add_node();
    node_record fresh;
    fresh.has_count = nodes_[like].has_count;
    fresh.count = nodes_[like].count;
    nodes_.push_back(fresh);
    return n;
  }

  /// If an edge skips a node into which others lead, local classes of the target end: it may become the header of the
  /// loop of that node, too.
  void redirect_edge(edge_id e, node_id target) {
    const node_id old = graph_.edge_target(e);
    if (graph_.in_edges(old).size() > 1 && graph_.out_edges(old).size() == 1 &&
        graph_.edge_target(graph_.out_edges(old)[0]) == target) {
      nodes_[target].scope_ended = true;
    }
    leave(e);
    enter(e, target);
  }

  void set_jump(node_id n, node_id target) {
    check_closed();
    make_end(n);
    add_edge(n, target);
  }

  void keep_edge(edge_id e) {
    const node_id source = graph_.edge_source(e);
    MIDEND_ASSERT(source != no_node, "an edge that was not erased", e);
    while (graph_.out_edges(source).size() > 1) {
      const span<const edge_id> edges = graph_.out_edges(source);
      erase_edge(edges.back() == e ? edges[edges.size() - 2] : edges.back());
    }
    edges_[e].num_cases = 0;
    edges_[e].probability = -1;
    erase_value(end_of(source));
    make_end(source);
  }

  void erase_nodes(span<const node_id> nodes) {
    for (const node_id n : nodes) {
      while (!graph_.out_edges(n).empty()) {
        erase_edge(graph_.out_edges(n).back());
      }
    }
    for (const node_id n : nodes) { // the nodes may use each other's values
      for (value_id v = nodes_[n].last; v != no_value; v = values_[v].previous) {
        operands_.clear(values_[v].operands);
      }
    }
    for (const node_id n : nodes) {
      MIDEND_ASSERT(n != graph_.entry() && graph_.in_edges(n).empty(), "a node into which no edge leads", n);
      while (nodes_[n].last != no_value) {
        erase_value(nodes_[n].last);
      }
      nodes_[n].condition = no_value;
      nodes_[n].condition_at = none;
      ++graph_.epoch_;
    }
  }

  void erase_end(node_id n) {
    while (!graph_.out_edges(n).empty()) {
      erase_edge(graph_.out_edges(n).back());
    }
    if (const value_id end = end_of(n); end != no_value) {
      erase_value(end);
    }
    nodes_[n].condition = no_value;
    nodes_[n].condition_at = none;
  }

  void set_branch(node_id n, value_id condition, node_id then, node_id otherwise) {
    const value_id end = make_end(n);
    decide_by(n, end, condition);
    add_case(add_edge(n, then), 1);
    add_case(add_edge(n, otherwise), 0);
  }

  void set_switch(node_id n, value_id v, span<const constant_type> cases, span<const node_id> targets,
                  node_id otherwise) {
    MIDEND_ASSERT(cases.size() == targets.size(), "a target for each case", cases.size(), targets.size());
    const value_id end = make_end(n);
    decide_by(n, end, v);
    for (std::size_t i = 0; i != cases.size(); ++i) {
      add_case(add_edge(n, targets[i]), cases[i]);
    }
    add_edge(n, otherwise);
  }

  // Building a program part by part: nodes, edges, values, then their operands. `detail::program_copier` then fills in
  // the facts about copies.

  /// No nodes, edges and values. Keeps the memory.
  void clear() {
    graph_.clear();
    values_.clear();
    nodes_.clear();
    edges_.clear();
    cases_.clear();
    operands_.reset(0, 0);
    parameters_.clear();
    hints_.clear();
    replaced_by_.clear();
    made_classes_ = 0;
    noted_accesses_ = 0;
    is_new_ = true;
  }

  node_id add_node() {
    nodes_.push_back(node_record());
    return graph_.add_node();
  }

  /// The new edge is the last one of its source.
  edge_id add_edge(node_id source, node_id target) {
    const edge_id e = graph_.begin_edge(source);
    edges_.push_back({});
    edges_[e].first_case = static_cast<std::uint32_t>(cases_.size());
    enter(e, target);
    return e;
  }

  /// A copy of a value of the IR, in no node and without operands.
  value_id add_copy(value_id origin) {
    const value_id v = add_value();
    values_[v].origin = origin;
    return v;
  }

  /// Appends the copy of a value to a node. The inputs of a phi are added as operands, one for each edge into the node.
  value_id append_copy(value_id origin, node_id n, bool is_phi) {
    const value_id v = add_copy(origin);
    if (is_phi) {
      set(v, phi);
    }
    link(v, n, no_value);
    return v;
  }

  /// An end without an origin. The end of an exit may have any effect, and operations cannot follow it.
  value_id append_end(node_id n, bool is_exit) {
    const value_id v = add_value();
    values_[v].type = own_type;
    values_[v].flags = terminator | (is_exit ? leaves | writes_some : repeatable);
    values_[v].effect = is_exit ? effect_kind::unknown : effect_kind::none;
    values_[v].cost = is_exit ? free : static_cast<unsigned char>(operation_class::branch);
    link(v, n, no_value);
    return v;
  }

  void add_parameter(value_id v) { parameters_.push_back(v); }

  /// Sets facts about a parameter.
  void set_facts(value_id v, const number_facts& facts) { own_rare(v).facts = facts; }

  /// Literals are no parameters.
  void drop_literal_parameters() {
    std::size_t kept = 0;
    for (const value_id v : parameters_) {
      if (!is_literal(v)) {
        parameters_[kept++] = v;
      }
    }
    parameters_.shrink(kept);
  }

  /// Makes a value in no node a literal.
  void set_literal(value_id v, std::uint64_t bits) {
    set(v, literal);
    set(v, number);
    values_[v].constant = bits;
  }

  void add_operand(value_id user, value_id operand) { flat_program::add_operand(user, operand); }

  void forget_origin(value_id v) { values_[v].origin = no_value; }

  /// The first value of a node, or `no_value`.
  value_id first_of(node_id n) const { return nodes_[n].first; }

  // Profile.

  void set_count(node_id n, std::optional<std::uint64_t> count) {
    nodes_[n].has_count = count.has_value();
    nodes_[n].count = count.value_or(0);
  }

  void set_probability(edge_id e, double probability) { edges_[e].probability = probability; }

  void set_trip_hints(node_id n, const loop_hints& hints) {
    if (nodes_[n].hints == none) {
      nodes_[n].hints = static_cast<std::uint32_t>(hints_.size());
      hints_.push_back(hints);
    } else {
      hints_[nodes_[n].hints] = hints;
    }
  }

private:
  struct literal_key {
    std::uint64_t bits;
    std::uint32_t type;
    bool is_undefined;

    friend bool operator==(const literal_key&, const literal_key&) = default;
  };

  struct hash_of_literal {
    std::uint64_t operator()(const literal_key& key) const {
      return detail::mix_hash(key.bits, std::uint64_t{key.type} << 1 | (key.is_undefined ? 1u : 0u));
    }
  };

  static std::uint8_t bytes_of_width(unsigned width) { return static_cast<std::uint8_t>((width + 7) / 8); }

  /// Makes `v` the load or store of a reference, at a place. Its operands are the stored value, base and index.
  void make_access(value_id v, value_id stored, const memory_reference& m, place p) {
    detail::flat_access fresh;
    fresh.place = m;
    fresh.place.stored = stored;
    fresh.place.local = any_memory;
    fresh.place.scope = no_node;
    std::uint32_t at = 0;
    const auto add = [&](value_id x, std::uint32_t& position) {
      if (x != no_value) {
        add_operand(v, x);
        position = at++;
      }
    };
    add(stored, fresh.at.third);
    add(m.base, fresh.at.first);
    add(m.index, fresh.at.second);
    values_[v].access = static_cast<std::uint32_t>(accesses_.size());
    accesses_.push_back(fresh);
    describe_made(v, std::uint64_t{1} << 58 | std::uint64_t{stored != no_value} << 57 | m.bytes);
    for (const std::uint64_t word : {static_cast<std::uint64_t>(m.scale), static_cast<std::uint64_t>(m.offset),
                                     std::uint64_t{m.memory} << 1 | (m.index != no_value ? 1u : 0u)}) {
      if (has_descriptions()) {
        attributes_.push_back(word);
        ++described_[v].num_attributes;
      }
    }
    link(v, node_at(p), value_at(p));
  }

  void check_closed() const { MIDEND_ASSERT(is_closed_, "a program whose answers name operands", is_closed_); }

  // ---- Making values.

  value_id add_value_of_type(std::uint32_t type) {
    const value_id v = add_value();
    values_[v].type = type;
    if (has_descriptions()) {
      described_.push_back({});
    }
    return v;
  }

  /// A value with the type of `like`.
  value_id make_value(value_id like) { return add_value_of_type(values_[like].type); }

  /// Describes a value that was made here, by a word that the IR would not write first.
  void describe_made(value_id v, std::uint64_t word) {
    if (has_descriptions()) {
      detail::flat_description& d = described_[v];
      d.first_attribute = static_cast<std::uint32_t>(attributes_.size());
      attributes_.push_back(std::uint64_t{1} << 63 | word);
      d.num_attributes = 1;
      if (is_literal(v)) {
        attributes_.push_back(values_[v].constant);
        ++d.num_attributes;
      }
    }
  }

  bool is_literal(value_id v) const { return has(v, literal); }

  value_id make_literal(std::uint32_t type, std::uint8_t width, std::uint8_t number_width, std::uint64_t bits,
                        bool is_without_phi) {
    note_literals();
    const auto fresh = static_cast<value_id>(values_.size());
    const value_id found = literals_.find_or_insert({bits, type, false}, fresh);
    if (found == fresh) {
      add_value_of_type(type);
      value_record& record = values_[fresh];
      record.constant = bits;
      record.info.width = width;
      record.info.operand_width = width;
      record.number_width = number_width;
      record.storage_bytes = bytes_of_width(width);
      record.flags = literal | number | (is_without_phi ? std::uint32_t{without_phi} : 0u);
      describe_made(fresh, std::uint64_t{1} << 61 | type);
    }
    return found;
  }

  /// Enters the literals that came from the IR, once.
  void note_literals() {
    check_closed();
    begin_tables();
    for (; noted_ != values_.size(); ++noted_) {
      const value_record& record = values_[noted_];
      if ((record.flags & (literal | undefined)) != 0 && record.home == no_node) {
        const bool is_undefined = (record.flags & undefined) != 0;
        literals_.find_or_insert({is_undefined ? 0 : record.constant, record.type, is_undefined},
                                 static_cast<std::uint32_t>(noted_));
      }
    }
  }

  /// Forgets tables about another program in this object.
  void begin_tables() {
    if (is_new_) {
      is_new_ = false;
      types_are_known_ = false;
      noted_ = 0;
      literals_.clear();
    }
  }

  /// The type of the vocabulary's operations with this width; if there are none, a type of its own.
  std::uint32_t type_of_numbers(unsigned width) {
    begin_tables();
    if (!types_are_known_) {
      types_are_known_ = true;
      for (unsigned w = 0; w != 65; ++w) {
        number_types_[w] = own_type | w;
      }
      for (value_id v = static_cast<value_id>(values_.size()); v-- != 0;) {
        const operation_info& info = values_[v].info;
        const bool makes_a_number = info.code != midend::operation::other && info.code != midend::operation::copy &&
                                    info.code != midend::operation::select && node_of(v) != no_node;
        if (makes_a_number) {
          number_types_[is_comparison(info.code) ? 1 : info.width] = values_[v].type;
        }
      }
    }
    return number_types_[width];
  }

  value_id insert_clone(value_id v, node_id n, value_id before) {
    const value_id clone = make_value(v);
    {
      value_record record = values_[v];
      record.operands = {};
      record.home = no_node;
      record.previous = record.next = no_value;
      values_[clone] = record;
    }
    if (has_descriptions()) {
      described_[clone] = described_[v];
    }
    link(clone, n, before);
    if (is_phi(v)) {
      add_inputs(clone);
      return clone;
    }
    operands_.reserve(values_[clone].operands, operands(v).size());
    for (std::size_t i = 0; i != operands(v).size(); ++i) {
      add_operand(clone, operands(v)[i]);
    }
    return clone;
  }

  void add_inputs(value_id v) {
    const std::size_t count = graph_.in_edges(node_of(v)).size();
    operands_.reserve(values_[v].operands, count);
    for (std::size_t i = 0; i != count; ++i) {
      add_operand(v, no_value);
    }
  }

  /// The rare facts of `v`, in a copy that no other value shares.
  detail::flat_rarities& own_rare(value_id v) {
    const detail::flat_rarities copy = rare_of(v);
    values_[v].rare = static_cast<std::uint32_t>(rare_.size());
    rare_.push_back(copy);
    return rare_.back();
  }

  void unlink(value_id v) {
    const value_record& record = values_[v];
    node_record& home = nodes_[record.home];
    (record.previous == no_value ? home.first : values_[record.previous].next) = record.next;
    (record.next == no_value ? home.last : values_[record.next].previous) = record.previous;
  }

  // ---- Places.

  /// The terminator of `n`, or `no_value`.
  value_id end_of(node_id n) const {
    const value_id last = nodes_[n].last;
    return last != no_value && is_terminator(last) ? last : no_value;
  }

  value_id after_phis(node_id n) const {
    value_id v = nodes_[n].first;
    while (v != no_value && is_phi(v)) {
      v = values_[v].next;
    }
    return v;
  }

  node_id node_at(place p) const { return p.where == place::kind::before ? node_of(p.value) : p.node; }

  value_id value_at(place p) const {
    return p.where == place::kind::before ? p.value : p.where == place::kind::end ? end_of(p.node) : after_phis(p.node);
  }

  // ---- Ends and edges.

  value_id make_end(node_id n) {
    check_closed();
    MIDEND_ASSERT(end_of(n) == no_value, "a node without an end", n);
    const value_id v = add_value_of_type(own_type);
    value_record& record = values_[v];
    record.flags = terminator | repeatable;
    record.cost = static_cast<unsigned char>(operation_class::branch);
    record.info.operand_width = record.info.width;
    describe_made(v, std::uint64_t{1} << 60);
    link(v, n, no_value);
    nodes_[n].condition = no_value;
    nodes_[n].condition_at = none;
    return v;
  }

  void decide_by(node_id n, value_id end, value_id condition) {
    add_operand(end, condition);
    nodes_[n].condition = condition;
    nodes_[n].condition_at = 0;
  }

  void move_condition(node_id from, node_id to) {
    nodes_[to].condition = nodes_[from].condition;
    nodes_[to].condition_at = nodes_[from].condition_at;
    nodes_[from].condition = no_value;
    nodes_[from].condition_at = none;
  }

  void add_case(edge_id e, std::uint64_t c) {
    if (edges_[e].num_cases == 0) {
      edges_[e].first_case = static_cast<std::uint32_t>(cases_.size());
    }
    cases_.push_back({c, c, false});
    ++edges_[e].num_cases;
  }

  void clone_edges(node_id from, node_id to) {
    nodes_[to].condition = nodes_[from].condition;
    nodes_[to].condition_at = nodes_[from].condition_at;
    for (std::size_t i = 0; i != graph_.out_edges(from).size(); ++i) {
      const edge_id original = graph_.out_edges(from)[i];
      const edge_id e = graph_.begin_edge(to);
      const detail::flat_edge copy = edges_[original]; // the cases are shared
      edges_.push_back(copy);
      enter(e, graph_.edge_target(original));
    }
  }

  void enter(edge_id e, node_id target) {
    graph_.enter(e, target);
    for_each_phi(target, [&](value_id v) { add_operand(v, no_value); });
  }

  /// Phis follow the list of edges: the last input moves into the place of the removed one.
  void leave(edge_id e) {
    const node_id target = graph_.edge_target(e);
    const std::uint32_t position = graph_.position(e);
    graph_.leave(e);
    for_each_phi(target, [&](value_id v) {
      operands_.set(values_[v].operands, position, operands(v).back());
      operands_.erase(values_[v].operands, operands(v).size() - 1);
    });
  }

  void erase_edge(edge_id e) {
    leave(e);
    graph_.end_edge(e);
  }

  template <class Visit> void for_each_phi(node_id n, Visit visit) {
    for (value_id v = nodes_[n].first; v != no_value && is_phi(v); v = values_[v].next) {
      visit(v);
    }
  }

  /// types from this number on are numbers of widths with which the IR does not compute
  static constexpr std::uint32_t own_type = 0xffff'ff00;

  detail::hash_map<literal_key, hash_of_literal> literals_;
  flat_array<value_id> replaced_by_; ///< by value, up to the last one that was replaced
  std::uint32_t made_classes_ = 0;   ///< no class that was made or noted has this number or a greater one
  std::size_t noted_accesses_ = 0;   ///< how many accesses were looked at for classes
  std::size_t noted_ = 0;            ///< how many values were looked at for literals
  std::uint32_t number_types_[65] = {};
  bool types_are_known_ = false;
};

MIDEND_END_NAMESPACE
