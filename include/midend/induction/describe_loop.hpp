/// `describe_loop`: reads one iteration of an innermost loop from the user's IR into a `loop_body`.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/body_kind.hpp"
#include "midend/induction/detail/loop_operation.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/support/work_stack.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <class IR> class function_facts;
template <class IR> class loop_reader;

} // namespace detail

/// Memory of `describe_loop` and `loop_describer`, reused from loop to loop.
class describe_loop_workspace {
  template <class IR> friend class detail::function_facts;
  template <class IR> friend class detail::loop_reader;

  // Facts about the function. Flags are bytes.
  flat_array<std::uint8_t> is_reachable_; ///< by node
  flat_array<node_id> pending_;           ///< the stack of the search for reachable nodes
  flat_array<loop_id> scope_;             ///< by value: the innermost loop around it and all its users
  flat_array<std::uint8_t> is_read_;      ///< by value, if the IR has no `users`: whether anything reads it

  // The loop that is being described.
  flat_array<std::uint32_t> block_of_; ///< by node: its block; `outside` for all nodes between calls
  flat_array<std::uint32_t> missing_;  ///< by position among the loop's nodes: incoming edges not yet seen by the sort
  flat_array<node_id> order_;          ///< by block: its node
  flat_array<edge_id> edge_ids_;       ///< by edge of the body: the edge of the graph
  flat_array<body_id> body_of_;        ///< by value: its number in the body; `no_body_value` for all between calls
  flat_array<value_id> loop_values_;   ///< the values in the loop's nodes, in their order
  flat_array<double> arriving_;        ///< by block: the probability that an iteration gets there
};

namespace detail {

/// Facts about the whole function. Each is computed when it is first needed, for all nodes or values at once.
template <class IR> class function_facts {
public:
  constexpr function_facts(const IR& ir, const loop_forest& forest, describe_loop_workspace& workspace)
      : ir_(ir), forest_(forest), w_(workspace) {}

  constexpr bool is_reachable(node_id n) {
    if (!knows_reachable_) {
      compute_reachable();
      knows_reachable_ = true;
    }
    return w_.is_reachable_[n] != 0;
  }

  /// Whether a value outside loop `l` uses `v`, which is a value of that loop.
  constexpr bool is_used_outside(value_id v, loop_id l) {
    if (!knows_uses_) {
      compute_uses();
      knows_uses_ = true;
    }
    const loop_id scope = w_.scope_[v];
    return scope == no_loop || !forest_.contains_loop(l, scope);
  }

  /// Whether anything reads `v`.
  constexpr bool is_read(value_id v) {
    if constexpr (has_users<IR>) {
      for ([[maybe_unused]] const auto& user : ir_.users(v)) {
        return true;
      }
      return false;
    } else {
      if (!knows_uses_) {
        compute_uses();
        knows_uses_ = true;
      }
      return w_.is_read_[v] != 0;
    }
  }

private:
  constexpr void compute_reachable() {
    const auto& g = ir_.graph();
    w_.is_reachable_.assign(static_cast<std::size_t>(g.num_nodes()), 0);
    work_stack<node_id> pending(w_.pending_);
    const auto reach = [&](node_id n) {
      if (w_.is_reachable_[n] == 0) {
        w_.is_reachable_[n] = 1;
        pending.push(n);
      }
    };
    reach(node_in(g, g.entry()));
    while (!pending.empty()) {
      for (const auto& successor : g.successors(pending.pop())) {
        reach(node_in(g, successor));
      }
    }
  }

  constexpr void compute_uses() {
    w_.scope_.assign(static_cast<std::size_t>(ir_.num_values()), no_loop);
    for_each_value([&](value_id v, loop_id home) { w_.scope_[v] = home; });
    w_.is_read_.assign(static_cast<std::size_t>(ir_.num_values()), 0);
    for_each_value([&](value_id v, loop_id home) {
      for (const value_id operand : ir_.operands(v)) {
        if (operand != no_value) {
          w_.is_read_[operand] = 1;
          w_.scope_[operand] = innermost_around(w_.scope_[operand], home);
        }
      }
    });
  }

  /// The innermost loop that contains both; `no_loop` contains all.
  constexpr loop_id innermost_around(loop_id a, loop_id b) const {
    while (a != b) {
      if (b == no_loop || (a != no_loop && forest_.depth(a) > forest_.depth(b))) {
        a = forest_.parent(a);
      } else {
        b = forest_.parent(b);
      }
    }
    return a;
  }

  template <class Visit> constexpr void for_each_value(Visit visit) const {
    for (node_id n = 0; n != forest_.num_nodes(); ++n) {
      const loop_id home = forest_.innermost_loop(n);
      for (const value_id v : ir_.values(n)) {
        visit(v, home);
      }
    }
  }

  const IR& ir_;
  const loop_forest& forest_;
  describe_loop_workspace& w_;
  bool knows_reachable_ = false;
  bool knows_uses_ = false;
};

/// Reads one innermost loop: blocks and edges, then values, then hints.
template <class IR> class loop_reader {
public:
  constexpr loop_reader(const IR& ir, const loop_forest& forest, loop_id l, function_facts<IR>& facts,
                        describe_loop_workspace& workspace, loop_body& out)
      : ir_(ir), forest_(forest), loop_(l), header_(forest.header(l)), facts_(facts), w_(workspace), out_(out) {}

  constexpr loop_obstacle run() {
    mark_blocks();
    sort_blocks();
    const bool is_acyclic = w_.order_.size() == own_blocks().size();
    if (is_acyclic) {
      read_edges();
      group_edges_by_target(out_);
      read_values();
      read_hints();
    }
    unmark_blocks();
    return !is_acyclic                                 ? loop_obstacle::irreducible
           : lacks_condition_ || has_unusual_control() ? loop_obstacle::unusual_control
                                                       : loop_obstacle::none;
  }

private:
  static constexpr std::uint32_t outside = static_cast<std::uint32_t>(-1);

  /// The number of a value that is in the loop and has no number: not yet, or as a terminator that nothing reads.
  static constexpr body_id unnumbered = no_body_value - 1;

  constexpr span<const node_id> own_blocks() const { return forest_.own_blocks(loop_); }

  // Blocks and edges.

  constexpr bool has_unusual_control() const {
    for (const node_id n : own_blocks()) {
      if (is_unusual(n)) {
        return true;
      }
    }
    return false;
  }

  /// Whether a block has several successors and no value that decides between them, or an edge with several cases.
  constexpr bool is_unusual(node_id n) const {
    std::size_t count = 0;
    bool has_many_cases = false;
    for (const auto& edge : ir_.graph().out_edges(n)) {
      ++count;
      if constexpr (has_edge_cases<IR>) {
        has_many_cases = has_many_cases || serves_many_cases(static_cast<edge_id>(edge));
      }
    }
    return count > 1 && (has_many_cases || ir_.condition(n) == no_value);
  }

  constexpr bool serves_many_cases(edge_id e) const {
    std::size_t count = 0;
    for_each_case(ir_, e, [&](const auto& one) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(one)>, number_range>) {
        count += one.low != one.high ? 2 : 1; // a range is several
      } else {
        ++count;
      }
    });
    return count > 1;
  }

  /// Until the blocks are sorted, `block_of_` of a node in the loop is its position among the loop's nodes.
  constexpr void mark_blocks() {
    if (w_.block_of_.size() < static_cast<std::size_t>(ir_.graph().num_nodes())) {
      w_.block_of_.assign(static_cast<std::size_t>(ir_.graph().num_nodes()), outside);
    }
    std::uint32_t position = 0;
    for (const node_id n : own_blocks()) {
      w_.block_of_[n] = position++;
    }
  }

  constexpr void unmark_blocks() {
    for (const node_id n : own_blocks()) {
      w_.block_of_[n] = outside;
    }
  }

  /// Topologically. A node comes after all edges into it have been seen; the list is its own queue. If the nodes of a
  /// cycle that does not contain the header remain, `order_` lacks them.
  constexpr void sort_blocks() {
    w_.missing_.assign(own_blocks().size(), 0);
    for (const node_id n : own_blocks()) {
      for_each_inner_edge(n, [&](node_id, std::uint32_t position) { ++w_.missing_[position]; });
    }
    w_.order_.clear();
    w_.order_.push_back(header_);
    for (std::size_t i = 0; i != w_.order_.size(); ++i) {
      for_each_inner_edge(w_.order_[i], [&](node_id target, std::uint32_t position) {
        if (--w_.missing_[position] == 0) {
          w_.order_.push_back(target);
        }
      });
    }
  }

  template <class Visit> constexpr void for_each_edge(node_id n, Visit visit) const {
    for (const auto& edge : ir_.graph().out_edges(n)) {
      const auto e = static_cast<edge_id>(edge);
      visit(e, node_in(ir_.graph(), ir_.graph().edge_target(e)));
    }
  }

  /// The edges that stay in the loop and are not backedges.
  template <class Visit> constexpr void for_each_inner_edge(node_id n, Visit visit) const {
    for_each_edge(n, [&](edge_id, node_id target) {
      if (target != header_ && w_.block_of_[target] != outside) {
        visit(target, w_.block_of_[target]);
      }
    });
  }

  /// Blocks with their edges. Conditions and cases follow when values have numbers.
  constexpr void read_edges() {
    std::uint32_t bottom = 0;
    for (const node_id n : w_.order_) {
      w_.block_of_[n] = bottom++;
    }
    w_.edge_ids_.clear();
    for (const node_id n : w_.order_) {
      body_block block = new_block(n);
      for_each_edge(n, [&](edge_id e, node_id target) {
        const std::uint32_t number = target == header_ ? bottom : w_.block_of_[target];
        out_.edges.push_back({.source = w_.block_of_[n],
                              .target = number == outside ? body_edge::leaves : number,
                              .has_case = false,
                              .case_value = 0,
                              .origin = target});
        w_.edge_ids_.push_back(e);
      });
      block.last_edge = static_cast<std::uint32_t>(out_.edges.size());
      out_.blocks.push_back(block);
    }
    out_.blocks.push_back(new_block(no_node));
  }

  constexpr body_block new_block(node_id origin) const {
    const auto edges = static_cast<std::uint32_t>(out_.edges.size());
    return {.first_value = 0,
            .last_value = 0,
            .first_edge = edges,
            .last_edge = edges,
            .first_in_edge = 0,
            .last_in_edge = 0,
            .condition = no_body_value,
            .origin = origin};
  }

  // Numbers of values. The values of the loop are known beforehand; any other value is from outside, and is appended to
  // the body when it is first met.

  constexpr void read_values() {
    mark_values();
    add_phis();
    collect_outside();
    first_inside_ = static_cast<body_id>(out_.num_values());
    for (std::uint32_t b = 0; b != out_.bottom(); ++b) {
      add_block(b);
    }
    add_bottom();
    collect_live_out();
    unmark_values();
  }

  constexpr void mark_values() {
    const auto count = static_cast<std::size_t>(ir_.num_values());
    if (w_.body_of_.size() < count) {
      w_.body_of_.assign(count, no_body_value);
    }
    w_.loop_values_.clear();
    for (const node_id n : w_.order_) {
      for (const value_id v : ir_.values(n)) {
        w_.body_of_[v] = unnumbered;
        w_.loop_values_.push_back(v);
      }
    }
  }

  constexpr void unmark_values() {
    for (const value_id v : w_.loop_values_) {
      w_.body_of_[v] = no_body_value;
    }
    for (body_id v = out_.num_phis; v != first_inside_; ++v) {
      w_.body_of_[out_.values[v].origin] = no_body_value;
    }
  }

  /// The number of a value that an operation reads. What the loop computes has one by then.
  constexpr body_id number(value_id v) {
    const body_id known = w_.body_of_[v];
    MIDEND_ASSERT(known != unnumbered, "values that are computed before they are read", v, header_);
    return known == no_body_value ? number_outside(v) : known;
  }

  constexpr body_id number_if_any(value_id v) { return v == no_value ? no_body_value : number(v); }

  constexpr body_id number_outside(value_id v) {
    const value_id source = value_from_outside(v);
    body_id& known = w_.body_of_[source];
    if (known == no_body_value) {
      body_value value = new_value(body_kind::invariant, source, no_body_value);
      if (const auto bits = ir_.constant(source)) {
        value.kind = body_kind::constant;
        value.bits = *bits;
      }
      known = append(value);
    }
    return known;
  }

  static constexpr unsigned longest_chain = 16;

  constexpr value_id through_copies(value_id v) const {
    for (unsigned i = 0; i != longest_chain && ir_.operation(v).code == operation::copy; ++i) {
      v = static_cast<value_id>(*std::begin(ir_.operands(v)));
    }
    return v;
  }

  /// The value that stands for `v` in the body: a constant, if `v` is one through copies and phis with one input; else
  /// what `v` copies. Other values are not looked for behind phis, since branches may say something about these.
  constexpr value_id value_from_outside(value_id v) const {
    const value_id source = through_copies(v);
    value_id last = source;
    for (unsigned i = 0; i != longest_chain && ir_.is_phi(last); ++i) {
      const value_id input = only_input(last);
      if (input == no_value) {
        return source;
      }
      last = through_copies(input);
    }
    return last != source && ir_.constant(last) ? last : source;
  }

  /// The value that all inputs of a phi are, or `no_value`. Looks at the first few.
  constexpr value_id only_input(value_id phi) const {
    constexpr std::size_t most_inputs = 8;
    value_id only = no_value;
    std::size_t inputs = 0;
    for (const value_id input : ir_.operands(phi)) {
      if (input == no_value || input == phi || (only != no_value && input != only) || ++inputs > most_inputs) {
        return no_value;
      }
      only = input;
    }
    return only;
  }

  /// A value without operands that takes no issue slot.
  constexpr body_value new_value(body_kind kind, value_id origin, std::uint32_t block) const {
    const std::uint8_t width = ir_.operation(origin).width;
    return {.kind = kind,
            .cost = operation_class::move,
            .is_free = true,
            .is_volatile = false,
            .guard_negated = false,
            .info = {operation::other, width, width},
            .block = block,
            .first_operand = static_cast<std::uint32_t>(out_.operands.size()),
            .num_operands = 0,
            .access = 0,
            .guard = no_body_value,
            .bits = 0,
            .origin = origin};
  }

  /// Its operands are those that were appended since `new_value`.
  constexpr body_id append(const body_value& value) {
    out_.values.push_back(value);
    out_.values.back().num_operands = static_cast<std::uint32_t>(out_.operands.size()) - value.first_operand;
    return static_cast<body_id>(out_.num_values() - 1);
  }

  // Phis of the header, and inputs of phis.

  constexpr void add_phis() {
    for (const value_id v : ir_.values(header_)) {
      if (!ir_.is_phi(v)) {
        break;
      }
      const body_value phi = new_value(body_kind::phi, v, 0);
      out_.operands.push_back(no_body_value); // `initial`, set by `collect_outside`
      out_.operands.push_back(no_body_value); // `next`, set by `add_bottom`
      w_.body_of_[v] = append(phi);
      ++out_.num_phis;
    }
  }

  /// The value of a header phi on entry, or `no_value` if it depends on the entering edge.
  constexpr value_id initial_value(value_id phi) {
    if (header_ == ir_.graph().entry()) {
      return no_value;
    }
    const value_id input = common_input(phi, [](const loop_edge&) { return true; });
    return input != no_value ? input
                             : common_input(phi, [&](const loop_edge& e) { return facts_.is_reachable(e.source); });
  }

  /// The input of a header phi by all entering edges that count, or `no_value` if they differ.
  template <class Counts> constexpr value_id common_input(value_id phi, Counts counts) const {
    value_id common = no_value;
    for (const loop_edge& e : forest_.entering_edges(loop_)) {
      if (counts(e)) {
        const value_id input = ir_.phi_input(phi, e.id);
        if (common != no_value && common != input) {
          return no_value;
        }
        common = input;
      }
    }
    return common;
  }

  /// The inputs of a phi by the edges into `block`. For a header phi and the bottom, those of the backedges.
  template <class Visit> constexpr void for_each_input(value_id phi, std::uint32_t block, Visit visit) {
    for (const std::uint32_t e : out_.in_edges_of(block)) {
      visit(static_cast<value_id>(ir_.phi_input(phi, w_.edge_ids_[e])));
    }
  }

  // Values from outside.

  constexpr void collect_outside() {
    const auto meet = [&](value_id v) {
      if (w_.body_of_[v] == no_body_value) {
        number_outside(v);
      }
    };
    for (body_id phi = 0; phi != out_.num_phis; ++phi) {
      const value_id origin = out_.values[phi].origin;
      const value_id initial = initial_value(origin);
      out_.operands[out_.values[phi].first_operand] =
          initial != no_value ? number(initial) : initial_of_several_inputs(phi, origin);
    }
    for (std::uint32_t b = 0; b != out_.bottom(); ++b) {
      for (const value_id v : ir_.values(out_.blocks[b].origin)) {
        if (ir_.is_phi(v)) {
          for_each_input(v, b, meet);
        } else if (const loop_operation what = operation_of(v); !is_only_branch(v, what, b)) {
          for_each_read(ir_, v, what, meet);
        }
      }
      if (const value_id condition = condition_of(b); condition != no_value) {
        meet(condition);
      }
    }
    for (body_id phi = 0; phi != out_.num_phis; ++phi) {
      for_each_input(out_.values[phi].origin, out_.bottom(), meet);
    }
  }

  /// The initial value of a header phi that depends on the entering edge: that of an earlier phi, one of the last few,
  /// if both have the same inputs.
  constexpr body_id initial_of_several_inputs(body_id phi, value_id origin) {
    for (body_id other = phi < 16 ? 0 : phi - 16; other != phi; ++other) {
      const body_id initial = out_.initial(other);
      const value_id twin = out_.values[other].origin;
      if (out_.values[initial].origin == twin && begin_alike(origin, twin)) {
        return initial;
      }
    }
    return append(new_value(body_kind::invariant, origin, no_body_value));
  }

  constexpr bool begin_alike(value_id a, value_id b) const {
    if (ir_.operation(a).width != ir_.operation(b).width) {
      return false;
    }
    for (const loop_edge& e : forest_.entering_edges(loop_)) {
      if (ir_.phi_input(a, e.id) != ir_.phi_input(b, e.id)) {
        return false;
      }
    }
    return header_ != ir_.graph().entry();
  }

  /// The value that decides between the edges of a block.
  constexpr value_id condition_of(std::uint32_t b) const {
    const body_block& block = out_.blocks[b];
    const bool is_decided = block.last_edge - block.first_edge > 1 && !is_unusual(block.origin);
    return is_decided ? static_cast<value_id>(ir_.condition(block.origin)) : no_value;
  }

  /// What an operation of the loop is in the body. A store has no value there, so one that is read, as where memory is
  /// in SSA form, becomes a call.
  constexpr loop_operation operation_of(value_id v) {
    loop_operation what = loop_operation_of(ir_, v);
    if (what.kind == body_kind::store && facts_.is_read(v)) {
      what.kind = body_kind::call;
      what.place.reset();
    }
    return what;
  }

  /// A terminator that is itself the condition, because it compares and branches, is also a comparison; one that has an
  /// effect, or a result that something reads, is also an operation.
  constexpr bool is_only_branch(value_id v, const loop_operation& what, std::uint32_t b) const {
    return what.is_branch() && what.kind == body_kind::pure && v != condition_of(b) && !facts_.is_read(v);
  }

  // Values of the blocks.

  constexpr void add_block(std::uint32_t b) {
    out_.blocks[b].first_value = static_cast<body_id>(out_.num_values());
    for (const value_id v : ir_.values(out_.blocks[b].origin)) {
      if (!ir_.is_phi(v)) {
        add_operation(v, b);
      } else if (b != 0) {
        w_.body_of_[v] = add_join(v, b);
      }
    }
    out_.blocks[b].last_value = static_cast<body_id>(out_.num_values());
    if (const value_id condition = condition_of(b); condition != no_value) {
      if (w_.body_of_[condition] == unnumbered) { // what only branches elsewhere, and is an operand of nothing
        lacks_condition_ = true;
        return;
      }
      out_.blocks[b].condition = number(condition);
      add_cases(out_.blocks[b]);
    }
  }

  constexpr void add_cases(const body_block& block) {
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      for_each_case(ir_, w_.edge_ids_[e], [&](const auto& one) {
        out_.edges[e].has_case = true;
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(one)>, number_range>) {
          out_.edges[e].case_value = one.low; // and no other: `is_unusual`
        } else {
          out_.edges[e].case_value = one;
        }
      });
    }
  }

  constexpr body_id add_join(value_id phi, std::uint32_t block) {
    body_value join = new_value(body_kind::join, phi, block);
    join.cost = operation_class::merge;
    join.is_free = false;
    for_each_input(phi, block, [&](value_id v) { out_.operands.push_back(number(v)); });
    return append(join);
  }

  constexpr void add_operation(value_id v, std::uint32_t block) {
    const loop_operation what = operation_of(v);
    if (is_only_branch(v, what, block)) {
      return;
    }
    body_value value = new_value(what.kind, v, block);
    value.is_free = !what.cost.has_value();
    value.cost = what.kind == body_kind::call && what.is_branch()    ? operation_class::call
                 : what.kind == body_kind::load && what.is_branch()  ? operation_class::load
                 : what.kind == body_kind::store && what.is_branch() ? operation_class::store
                 : what.is_branch() ? usual_operation_class(what.info).value_or(operation_class::compare)
                                    : what.cost.value_or(operation_class::move);
    value.info = what.info;
    if (what.accesses_memory()) {
      add_access(what, value);
    } else {
      for_each_argument(ir_, v, what, [&](value_id argument) { out_.operands.push_back(number(argument)); });
    }
    if (what.is_guarded() && what.kind != body_kind::pure) {
      value.guard = number(what.guard.predicate);
      value.guard_negated = what.guard.negated;
    }
    const bool is_call = what.kind == body_kind::call && ir_.effect(v) != effect_kind::writes;
    if constexpr (has_may_write<IR>) {
      value.writes_nothing = is_call && !ir_.may_write(v, any_memory);
    }
    if constexpr (has_may_not_return<IR>) {
      value.returns = is_call && !ir_.may_not_return(v);
    }
    w_.body_of_[v] = append(value);
    if (what.is_guarded() && what.guard.otherwise != no_value) {
      w_.body_of_[v] = add_choice(v, what.guard, block);
    }
  }

  /// The value of a guarded operation: its result or the other value.
  constexpr body_id add_choice(value_id v, const guard_of_value& guard, std::uint32_t block) {
    const body_id result = number(v);
    const body_id otherwise = number(guard.otherwise);
    body_value choice = new_value(body_kind::pure, v, block);
    choice.cost = operation_class::merge;
    choice.is_free = false;
    choice.info.code = operation::select;
    out_.operands.push_back(number(guard.predicate));
    out_.operands.push_back(guard.negated ? otherwise : result);
    out_.operands.push_back(guard.negated ? result : otherwise);
    return append(choice);
  }

  constexpr void add_access(const loop_operation& what, body_value& value) {
    const memory_reference place = what.place.value_or(memory_reference());
    value.access = static_cast<std::uint32_t>(out_.accesses.size());
    value.is_volatile = place.is_volatile;
    out_.accesses.push_back({.base = number_if_any(place.base),
                             .index = number_if_any(place.index),
                             .stored = number_if_any(place.stored),
                             .bytes = place.bytes,
                             .memory = place.memory,
                             .scale = place.scale,
                             .offset = place.offset});
  }

  // The end of the iteration.

  constexpr void add_bottom() {
    body_block& bottom = out_.blocks[out_.bottom()];
    bottom.first_value = static_cast<body_id>(out_.num_values());
    for (body_id phi = 0; phi != out_.num_phis; ++phi) {
      out_.operands[out_.values[phi].first_operand + 1] = next_value(out_.values[phi].origin);
    }
    bottom.last_value = static_cast<body_id>(out_.num_values());
  }

  constexpr body_id next_value(value_id phi) {
    body_id only = no_body_value;
    bool differs = false;
    for_each_input(phi, out_.bottom(), [&](value_id v) {
      const body_id input = number(v);
      differs |= only != no_body_value && only != input;
      only = input;
    });
    return differs ? add_join(phi, out_.bottom()) : only;
  }

  constexpr void collect_live_out() {
    for (const value_id v : w_.loop_values_) {
      if (w_.body_of_[v] != unnumbered && is_used_outside(v)) {
        out_.live_out.push_back(w_.body_of_[v]);
      }
    }
  }

  constexpr bool is_used_outside(value_id v) {
    if constexpr (has_users<IR>) {
      for (const value_id user : ir_.users(v)) {
        if (!is_in_loop(user)) {
          return true;
        }
      }
      return false;
    } else {
      return facts_.is_used_outside(v, loop_);
    }
  }

  constexpr bool is_in_loop(value_id v) const {
    const body_id n = w_.body_of_[v];
    return n != no_body_value && (n < out_.num_phis || n >= first_inside_);
  }

  // Hints.

  constexpr void read_hints() {
    if constexpr (has_trip_hints<IR>) {
      out_.hints = ir_.trip_hints(header_);
    }
    if constexpr (has_must_end<IR>) {
      out_.hints.must_end = true;
      for (const std::uint32_t e : out_.in_edges_of(out_.bottom())) {
        out_.hints.must_end = out_.hints.must_end && ir_.must_end(w_.edge_ids_[e]);
      }
    }
    if constexpr (has_probability<IR>) {
      if (out_.hints.average == 0) {
        out_.hints.average = average_trip();
      }
    }
  }

  /// Header executions per entry of the loop, from the probability that an iteration leaves it; 0 if the probabilities
  /// do not say, or nothing leaves.
  constexpr double average_trip() {
    constexpr double largest = 1e15;
    w_.arriving_.assign(out_.blocks.size(), 0);
    w_.arriving_[0] = 1;
    double leaving = 0;
    for (std::uint32_t b = 0; b != out_.bottom(); ++b) {
      if (!distribute(out_.blocks[b], w_.arriving_[b], leaving)) {
        return 0;
      }
    }
    const double average = leaving > 0 ? (leaving + w_.arriving_[out_.bottom()]) / leaving : 0;
    return average < largest ? rounded(average) : 0;
  }

  /// Rounded to 1/1024: no profile is more precise, and integers become exact again.
  static constexpr double rounded(double x) {
    return static_cast<double>(static_cast<std::uint64_t>(x * 1024 + 0.5)) / 1024;
  }

  /// Divides what arrives at a block between its edges. One edge of unknown probability takes what the others leave;
  /// false if there are several.
  constexpr bool distribute(const body_block& block, double arrived, double& leaving) {
    const std::uint32_t none = block.last_edge;
    std::uint32_t unknown = none;
    double left = 1;
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      if (const double p = probability(block, e); p >= 0) {
        send(e, arrived * p, leaving);
        left -= p;
      } else if (unknown != none) {
        return false;
      } else {
        unknown = e;
      }
    }
    if (unknown != none && left > 0) {
      send(unknown, arrived * left, leaving);
    }
    return true;
  }

  constexpr double probability(const body_block& block, std::uint32_t e) const {
    return block.last_edge - block.first_edge == 1 ? 1 : static_cast<double>(ir_.probability(w_.edge_ids_[e]));
  }

  constexpr void send(std::uint32_t e, double amount, double& leaving) {
    const std::uint32_t target = out_.edges[e].target;
    (target == body_edge::leaves ? leaving : w_.arriving_[target]) += amount;
  }

  const IR& ir_;
  const loop_forest& forest_;
  loop_id loop_;
  node_id header_;
  function_facts<IR>& facts_;
  describe_loop_workspace& w_;
  loop_body& out_;
  body_id first_inside_ = 0; ///< the first value after those from outside
  bool lacks_condition_ = false;
};

} // namespace detail

/// Describes the loops of one function, one after another. It computes two facts about the whole function when it first
/// needs them: which nodes are reachable (if a header phi has different inputs on several entering edges), and which
/// values are used outside their loop (if the IR has no `users`).
template <cost_ir_argument IR> class loop_describer {
public:
  /// Requires that `forest` is that of `ir.graph()`, with boundaries. The arguments must outlive this object. O(1) once
  /// the workspace has seen a function of this size.
  constexpr loop_describer(const IR& ir, const loop_forest& forest, describe_loop_workspace& workspace)
      : ir_(ir), forest_(forest), workspace_(workspace), facts_(ir, forest, workspace) {
    MIDEND_ASSERT(forest.epoch() == graph_epoch(ir.graph()), "a loop forest that is up to date", forest.epoch(),
                  graph_epoch(ir.graph()));
  }

  /// Refills `out` with loop `l`, or returns why it cannot be described. See `describe_loop`.
  constexpr loop_obstacle describe(loop_id l, loop_body& out) {
    out.clear();
    if (forest_.subloops(l).size() != 1) {
      return loop_obstacle::contains_loop;
    }
    return detail::loop_reader<IR>(ir_, forest_, l, facts_, workspace_, out).run();
  }

private:
  const IR& ir_;
  const loop_forest& forest_;
  describe_loop_workspace& workspace_;
  detail::function_facts<IR> facts_;
};

/// One iteration of loop `l` of `ir`, refilling `out`. If the loop cannot be described, the result says why
/// (`contains_loop`, `irreducible` or `unusual_control`), and `out` is unspecified. With `unusual_control`, it is
/// complete up to the conditions: blocks that no value decides, or whose edges serve several cases each, have none.
/// That suffices for `count_iterations`.
///
/// A value from outside is a constant if the IR says so, of the value or of what it copies (through up to 16 copies,
/// and phis whose inputs are all one value), else an invariant. The initial value of a header phi whose inputs by the
/// entering edges differ is an invariant with the phi as its `origin`. A guarded operation becomes the operation and,
/// if it has a result, a `select` after it; both have it as `origin`. Several backedges make joins in the bottom for
/// phis whose inputs differ. Terminators become edges. If no hint gives an average trip count and all branches have
/// probabilities, the average is one divided by the probability that an iteration leaves the loop.
///
/// Entering edges from unreachable nodes are ignored, and so are edges from such nodes into the middle of the loop. A
/// user in an unreachable node counts: its operand is live out. Parallel edges are separate edges.
///
/// Requires verified IR in SSA form and a loop forest of its graph, with boundaries. Linear in the values, operands and
/// edges of the loop, and the users of its values. If the IR has no `users`, or a header phi has different inputs by
/// several entering edges, linear in the function; to describe all loops of a function, use a `loop_describer`.
template <cost_ir_argument IR>
constexpr loop_obstacle describe_loop(const IR& ir, const loop_forest& forest, loop_id l,
                                      describe_loop_workspace& workspace, loop_body& out) {
  return loop_describer<IR>(ir, forest, workspace).describe(l, out);
}

MIDEND_END_NAMESPACE
