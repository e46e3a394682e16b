/// `region_reader`: reads a loop without others in it, or one node, from an IR into a `program_region`.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/lowering/detail/region_builder.hpp"
#include "midend/machine/lowering/detail/region_operation.hpp"
#include "midend/machine/lowering/detail/region_paths.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/region_value_kind.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/support/swap.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

/// Why a loop is not one region.
enum class region_obstacle : std::uint8_t {
  none,
  contains_loop, ///< there is another loop in it
  irreducible    ///< there is a cycle in it that is no natural loop
};

/// Facts about the values of a program, beside what the program says.
struct region_facts {
  /// By value: whether it is a number that is not negative, read as a signed one. May be shorter than there are values:
  /// nothing is known about the others.
  span<const bool> not_negative;

  constexpr bool is_not_negative(value_id v) const { return v < not_negative.size() && not_negative[v]; }
};

template <cost_ir_argument IR> class region_reader;

namespace detail {

/// When an edge is taken.
struct edge_test {
  region_bit taken;      ///< valid if `has_case`
  bool has_case = false; ///< else the edge is taken if no other is
};

} // namespace detail

/// The memory of `region_reader`, to be reused from program to program.
class region_reader_workspace {
  template <cost_ir_argument IR> friend class region_reader;

  // Facts about the program. Flags are bytes.
  flat_array<node_id> home_;       ///< by value: its node; `no_node` if it is in none that is reachable
  flat_array<std::uint8_t> reads_; ///< by value: where it is read

  // The region that is being read.
  flat_array<region_operand> of_;        ///< by value of the program; none for all between calls
  flat_array<value_id> touched_;         ///< those that are not none
  flat_array<std::uint32_t> block_of_;   ///< by node: its block; `outside` for all nodes between calls
  flat_array<std::uint32_t> missing_;    ///< by position among the nodes: incoming edges not yet seen by the sort
  flat_array<node_id> order_;            ///< by block: its node
  flat_array<std::uint8_t> is_added_to_; ///< by position among the values of the region
  flat_array<region_operand> args_;
  flat_array<detail::edge_test> tests_;
  detail::region_flow flow_;
  detail::region_builder builder_;
  detail::region_paths paths_;
};

/// Reads pieces of one program, as they are written: each operation of the program that computes something is one of
/// the region. Folds and shares nothing, and moves nothing out of a loop.
///
/// Leaves to the instruction selector only what it does with one operation and its operands: an address takes up the
/// number of a sum of a value and a number; a reader negates a bit; a division of a number that is not negative is an
/// unsigned one. A guarded operation becomes the operation and a `select` between its result and the other value.
/// Branches inside a loop become predicates, and phis at joins `select`.
///
/// An exit of a loop is counted if each iteration makes its test, and the test compares a counter with a value that is
/// equal in all iterations. Then the number of iterations can be computed before the loop: it does not depend on data.
template <cost_ir_argument IR> class region_reader {
public:
  /// Requires the order of `ir.graph()` and a loop forest of it. All arguments must outlive this object. Linear in the
  /// program.
  constexpr region_reader(const IR& ir, const depth_first_numbering& order, const loop_forest& loops,
                          const region_facts& facts, region_reader_workspace& workspace)
      : ir_(ir), loops_(loops), facts_(facts), w_(workspace), builder_(workspace.builder_), paths_(workspace.paths_) {
    find_reads(order);
    if (w_.of_.size() < w_.home_.size()) {
      w_.of_.assign(w_.home_.size(), region_operand{});
    }
    if (w_.block_of_.size() < static_cast<std::size_t>(ir.graph().num_nodes())) {
      w_.block_of_.assign(static_cast<std::size_t>(ir.graph().num_nodes()), outside);
    }
  }

  region_reader(const region_reader&) = delete;
  region_reader& operator=(const region_reader&) = delete;

  /// Reads the operations of one node, as straight code. Its phis are values from before, and take no operation. It
  /// ends in as many branches as it has successors but one, or in a branch that returns.
  constexpr void read_node(node_id n, program_region& out) {
    is_loop_ = false;
    builder_.begin(out);
    out.is_straight_line = true;
    mark_added_to(span<const node_id>(&n, 1));
    read_values(n, detail::true_bit);
    read_ends(n);
    add_results(n);
    forget();
  }

  /// Reads one iteration of a loop. If there is an obstacle, `out` is unspecified. `knows_trip`: the loop always runs
  /// equally often, so an exit that compares a counter is counted, whether or not the counter may wrap.
  constexpr region_obstacle read_loop(loop_id l, program_region& out, bool knows_trip = false) {
    if (loops_.subloops(l).size() != 1) {
      return region_obstacle::contains_loop;
    }
    is_loop_ = true;
    knows_trip_ = knows_trip;
    header_ = loops_.header(l);
    const bool is_acyclic = sort_blocks(loops_.own_blocks(l));
    if (is_acyclic) {
      read_edges();
      builder_.begin(out);
      paths_.begin(w_.flow_, builder_);
      mark_added_to(w_.order_);
      add_header_phis();
      for (std::uint32_t b = 0; b != w_.flow_.bottom(); ++b) {
        read_block(b);
      }
      add_next_values();
      for (const node_id n : w_.order_) {
        add_results(n);
      }
      mark_counted_exits();
      forget();
    }
    for (const node_id n : loops_.own_blocks(l)) {
      w_.block_of_[n] = outside;
    }
    return is_acyclic ? region_obstacle::none : region_obstacle::irreducible;
  }

private:
  static constexpr std::uint32_t outside = static_cast<std::uint32_t>(-1);

  // Bits of `reads_`.
  static constexpr std::uint8_t anywhere = 1;
  static constexpr std::uint8_t in_other_node = 2; ///< or by a phi
  static constexpr std::uint8_t in_other_loop = 4; ///< outside the innermost loop around the value

  // Facts about the program.

  constexpr void find_reads(const depth_first_numbering& order) {
    const auto count = static_cast<std::size_t>(ir_.num_values());
    w_.home_.assign(count, no_node);
    w_.reads_.assign(count, 0);
    for (const node_id n : order.preorder()) {
      for (const value_id v : ir_.values(n)) {
        w_.home_[v] = n;
      }
    }
    for (const node_id n : order.preorder()) {
      for (const value_id v : ir_.values(n)) {
        for (const auto& operand : ir_.operands(v)) {
          note_read(static_cast<value_id>(operand), n, ir_.is_phi(v));
        }
      }
      note_read(condition_of(n), n, false);
    }
  }

  constexpr void note_read(value_id v, node_id reader, bool by_phi) {
    if (v == no_value) {
      return;
    }
    const node_id home = w_.home_[v];
    unsigned where = w_.reads_[v] | anywhere;
    if (home != no_node) {
      where |= by_phi || home != reader ? in_other_node : 0U;
      where |= loops_.innermost_loop(home) != loops_.innermost_loop(reader) ? in_other_loop : 0U;
    }
    w_.reads_[v] = static_cast<std::uint8_t>(where);
  }

  template <class Visit> constexpr void for_each_edge(node_id n, Visit visit) const {
    for (const auto& edge : ir_.graph().out_edges(n)) {
      const auto e = static_cast<edge_id>(edge);
      visit(e, detail::node_in(ir_.graph(), ir_.graph().edge_target(e)));
    }
  }

  constexpr std::size_t num_edges(node_id n) const {
    std::size_t count = 0;
    for_each_edge(n, [&](edge_id, node_id) { ++count; });
    return count;
  }

  /// The value that decides between several edges of a node.
  constexpr value_id condition_of(node_id n) const {
    return num_edges(n) > 1 ? static_cast<value_id>(ir_.condition(n)) : no_value;
  }

  // Blocks and edges of a loop.

  /// Topologically. A node comes after all edges into it have been seen; the list is its own queue. False if the nodes
  /// of a cycle that does not contain the header remain.
  constexpr bool sort_blocks(span<const node_id> blocks) {
    std::uint32_t position = 0;
    for (const node_id n : blocks) {
      w_.block_of_[n] = position++;
    }
    w_.missing_.assign(blocks.size(), 0);
    for (const node_id n : blocks) {
      for_each_inner_edge(n, [&](node_id, std::uint32_t target) { ++w_.missing_[target]; });
    }
    w_.order_.clear();
    w_.order_.push_back(header_);
    for (std::size_t i = 0; i != w_.order_.size(); ++i) {
      for_each_inner_edge(w_.order_[i], [&](node_id target, std::uint32_t at) {
        if (--w_.missing_[at] == 0) {
          w_.order_.push_back(target);
        }
      });
    }
    return w_.order_.size() == blocks.size();
  }

  /// The edges that stay in the loop and are not backedges.
  template <class Visit> constexpr void for_each_inner_edge(node_id n, Visit visit) const {
    for_each_edge(n, [&](edge_id, node_id target) {
      if (target != header_ && w_.block_of_[target] != outside) {
        visit(target, w_.block_of_[target]);
      }
    });
  }

  constexpr void read_edges() {
    detail::region_flow& flow = w_.flow_;
    flow.clear();
    std::uint32_t bottom = 0;
    for (const node_id n : w_.order_) {
      w_.block_of_[n] = bottom++;
    }
    for (const node_id n : w_.order_) {
      const auto first = static_cast<std::uint32_t>(flow.edges.size());
      for_each_edge(n, [&](edge_id e, node_id target) {
        const std::uint32_t block = w_.block_of_[target];
        flow.edges.push_back({w_.block_of_[n],
                              target == header_  ? bottom
                              : block == outside ? detail::region_edge::leaves
                                                 : block,
                              e});
      });
      flow.blocks.push_back({n, first, static_cast<std::uint32_t>(flow.edges.size())});
    }
    const auto end = static_cast<std::uint32_t>(flow.edges.size());
    flow.blocks.push_back({no_node, end, end});
    flow.group_by_target();
  }

  // Values.

  constexpr void set(value_id v, const region_operand& o) {
    w_.of_[v] = o;
    w_.touched_.push_back(v);
  }

  constexpr void forget() {
    for (const value_id v : w_.touched_) {
      w_.of_[v] = {};
    }
    w_.touched_.clear();
  }

  static constexpr unsigned longest_chain = 16;

  constexpr value_id through_copies(value_id v) const {
    for (unsigned i = 0; i != longest_chain && !ir_.is_phi(v) && ir_.operation(v).code == operation::copy; ++i) {
      v = static_cast<value_id>(*std::begin(ir_.operands(v)));
    }
    return v;
  }

  /// The operand for a value. A value that the region has not computed is a number, if the IR says so about it or about
  /// the value that it copies; otherwise it comes from outside.
  constexpr region_operand operand_of(value_id v) {
    if (w_.of_[v].node == no_region_value) {
      const value_id source = through_copies(v);
      if (source != v) {
        set(v, operand_of_source(source));
      } else {
        operand_of_source(v);
      }
    }
    return w_.of_[v];
  }

  constexpr region_operand operand_of_source(value_id v) {
    if (w_.of_[v].node == no_region_value) {
      builder_.set_origin(v);
      const std::uint8_t width = ir_.operation(v).width;
      if (const auto bits = ir_.constant(v)) {
        set(v, builder_.constant(*bits, width));
      } else {
        builder_.append(region_value_kind::invariant, width).is_invariant = true;
        set(v, {builder_.last(), 0});
      }
    }
    return w_.of_[v];
  }

  constexpr region_id node_of(value_id v) { return v == no_value ? no_region_value : operand_of(v).node; }

  constexpr bool is_number(const region_operand& o) const {
    return builder_.region().values[o.node].kind == region_value_kind::constant;
  }

  constexpr std::uint64_t number(const region_operand& o) const { return builder_.region().values[o.node].bits; }

  constexpr std::uint8_t width_of(const region_operand& o) const { return builder_.region().values[o.node].info.width; }

  /// Whether the operation adds a number to a value, or subtracts one.
  constexpr bool adds_number(value_id v) const {
    if (v == no_value || ir_.is_phi(v)) {
      return false;
    }
    const operation code = ir_.operation(v).code;
    if (code != operation::add && code != operation::sub) {
      return false;
    }
    auto&& operands = ir_.operands(v);
    auto at = std::begin(operands);
    const bool first = ir_.constant(through_copies(static_cast<value_id>(*at))).has_value();
    ++at;
    const bool second = ir_.constant(through_copies(static_cast<value_id>(*at))).has_value();
    return second ? !first : first && code == operation::add;
  }

  /// Marks sums of a value and a number to which another operation adds one more number. That operation reads the sum
  /// from a register.
  constexpr void mark_added_to(span<const node_id> nodes) {
    if (w_.is_added_to_.size() < w_.home_.size()) {
      w_.is_added_to_.assign(w_.home_.size(), 0);
    }
    for (const node_id n : nodes) {
      for (const value_id v : ir_.values(n)) {
        w_.is_added_to_[v] = 0;
      }
    }
    for (const node_id n : nodes) {
      for (const value_id v : ir_.values(n)) {
        if (adds_number(v)) {
          for (const auto& operand : ir_.operands(v)) {
            const auto o = static_cast<value_id>(operand);
            w_.is_added_to_[o] = adds_number(o) ? 1 : 0;
          }
        }
      }
    }
  }

  // Header phis.

  constexpr void add_header_phis() {
    for (const value_id v : ir_.values(header_)) {
      if (!ir_.is_phi(v)) {
        break;
      }
      builder_.set_origin(v);
      builder_.append(region_value_kind::phi, ir_.operation(v).width);
      builder_.region().phis.push_back(builder_.last());
      set(v, {builder_.last(), 0});
    }
  }

  constexpr void add_next_values() {
    const std::uint32_t bottom = w_.flow_.bottom();
    paths_.enter(bottom);
    for (const region_id phi : builder_.region().phis) {
      const value_id v = builder_.region().values[phi].origin;
      builder_.region().next.push_back(join(v, bottom));
    }
  }

  /// The value that a phi takes by the edges into a block.
  constexpr region_operand join(value_id phi, std::uint32_t block) {
    const auto edges = w_.flow_.in_edges_of(block);
    const auto input = [&](std::uint32_t e) { return static_cast<value_id>(ir_.phi_input(phi, w_.flow_.edges[e].id)); };
    bool differs = false;
    for (const std::uint32_t e : edges) {
      operand_of(input(e)); // values from outside precede the first join
      differs = differs || input(e) != input(edges[0]);
    }
    builder_.set_origin(phi);
    return differs ? paths_.join(block, ir_.operation(phi).width,
                                 [&](std::uint32_t e) {
                                   const region_operand o = operand_of(input(e));
                                   builder_.set_origin(phi);
                                   return o;
                                 })
                   : operand_of(input(edges[0]));
  }

  // Operations.

  constexpr void read_block(std::uint32_t b) {
    const detail::region_block& block = w_.flow_.blocks[b];
    const detail::path_predicate here = paths_.enter(b);
    if (here == detail::no_path) {
      for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
        paths_.set_edge(e, detail::no_path);
      }
      return;
    }
    if (b != 0) {
      for (const value_id v : ir_.values(block.node)) {
        if (!ir_.is_phi(v)) {
          break;
        }
        set(v, join(v, b));
      }
    }
    read_values(block.node, here);
    leave_block(b, here);
  }

  constexpr void read_values(node_id n, const detail::region_bit& reached) {
    for (const value_id v : ir_.values(n)) {
      if (!ir_.is_phi(v)) {
        read_operation(v, n, [&] { return reached; });
      }
    }
  }

  /// The bit of a predicate is computed where an effect first needs it.
  constexpr void read_values(node_id n, detail::path_predicate here) {
    for (const value_id v : ir_.values(n)) {
      if (!ir_.is_phi(v)) {
        read_operation(v, n, [&] { return paths_.bit_of(here); });
      }
    }
  }

  template <class Reached> constexpr void read_operation(value_id v, node_id n, const Reached& reached) {
    detail::region_operation what = detail::region_operation_of(ir_, v);
    if (what.kind == region_value_kind::store && w_.reads_[v] != 0) { // as where memory is in SSA form
      what.kind = region_value_kind::call;
      what.place.reset();
    }
    const bool is_branch = what.is_branch() && what.kind == region_value_kind::pure;
    if ((is_branch || is_free_end(v)) && v != condition_of(n) && w_.reads_[v] == 0) {
      read_terminator(v, n);
      return;
    }
    builder_.set_origin(v);
    switch (what.kind) {
    case region_value_kind::load:
    case region_value_kind::store:
      add_access(v, what, reached());
      break;
    case region_value_kind::call:
      add_call(v, what, reached());
      break;
    default:
      add_pure(v, what);
      break;
    }
    if (what.is_guarded() && what.guard.otherwise != no_value) {
      add_choice(v, what.guard);
    }
  }

  /// The operands of a terminator, beside the condition, are used after the region: the value that a function returns.
  constexpr void read_terminator(value_id v, node_id n) {
    for (const auto& operand : ir_.operands(v)) {
      const auto o = static_cast<value_id>(operand);
      if (o != no_value && o != condition_of(n)) {
        builder_.region().live_out.push_back(operand_of(o));
        builder_.region().live_out_values.push_back(o);
      }
    }
  }

  /// The class in which an operation is issued. A terminator that is also a value has the class of that computation.
  constexpr operation_class class_of(const detail::region_operation& what) const {
    if (!what.is_branch()) {
      return what.cost.value_or(operation_class::move);
    }
    switch (what.kind) {
    case region_value_kind::call:
      return operation_class::call;
    case region_value_kind::load:
      return operation_class::load;
    case region_value_kind::store:
      return operation_class::store;
    default:
      return detail::usual_operation_class(what.info).value_or(operation_class::compare);
    }
  }

  constexpr void describe(value_id v, const detail::region_operation& what, region_value& out) const {
    out.is_free = !what.cost.has_value();
    out.cost = class_of(what);
    out.reassociates = is_associative(what.info.code);
    if constexpr (has_may_reassociate<IR>) {
      out.reassociates = out.reassociates || ir_.may_reassociate(v);
    }
    if constexpr (has_identity<IR>) {
      out.identity = what.info.code == operation::other ? static_cast<std::uint32_t>(ir_.identity(v)) : 0;
    }
  }

  constexpr void read_arguments(value_id v, const detail::region_operation& what) {
    w_.args_.clear();
    for_each_argument(ir_, v, what, [&](value_id o) { w_.args_.push_back(operand_of(o)); });
    builder_.set_origin(v);
  }

  constexpr void add_call(value_id v, const detail::region_operation& what, const detail::region_bit& reached) {
    const detail::region_bit guard = guard_of(what, reached);
    if (guard == detail::false_bit) {
      add_nothing(v, what);
      return;
    }
    read_arguments(v, what);
    region_value& call = builder_.append_pure(what.info, w_.args_);
    call.kind = region_value_kind::call;
    describe(v, what, call);
    set_guard(call, guard);
    builder_.region().has_call = true;
    set(v, {builder_.last(), 0});
  }

  /// Whether the loop with this header is the current one, or around it, so that all iterations are in one run of it.
  constexpr bool is_around(node_id header) const {
    for (loop_id l = is_loop_ ? loops_.innermost_loop(header_) : no_loop; l != no_loop; l = loops_.parent(l)) {
      if (loops_.header(l) == header) {
        return true;
      }
    }
    return false;
  }

  /// Adds an operation that never runs, since its guard is false on all paths to it: its value is arbitrary.
  constexpr void add_nothing(value_id v, const detail::region_operation& what) {
    builder_.set_origin(v);
    set(v, builder_.constant(0, what.info.width));
  }

  constexpr void add_access(value_id v, const detail::region_operation& what, const detail::region_bit& reached) {
    const detail::region_bit guard = guard_of(what, reached);
    if (guard == detail::false_bit) {
      add_nothing(v, what);
      return;
    }
    const memory_reference place = what.place.value_or(memory_reference());
    region_access access{no_region_value, no_region_value, {}, place.bytes, place.memory, place.scale, place.offset};
    if (place.local != any_memory && is_around(place.scope)) {
      access.local = place.local;
      access.scope = place.scope;
    }
    auto offset = static_cast<std::uint64_t>(place.offset);
    if (place.base != no_value) {
      access.base = node_and_offset(place.base, 1, offset);
    }
    if (place.index != no_value) {
      const region_operand index = operand_of(place.index);
      if (is_number(index)) {
        offset += static_cast<std::uint64_t>(as_signed(number(index), width_of(index))) *
                  static_cast<std::uint64_t>(place.scale);
      } else {
        access.index = node_and_offset(place.index, place.scale, offset);
      }
    }
    access.offset = static_cast<std::int64_t>(offset);
    if (place.stored != no_value) {
      access.stored = operand_of(place.stored);
    }
    builder_.set_origin(v);
    region_value& out = builder_.append(what.kind, what.info.width);
    out.info = what.info;
    describe(v, what, out);
    out.is_volatile = place.is_volatile;
    out.access = static_cast<std::uint32_t>(builder_.region().accesses.size());
    set_guard(out, guard);
    builder_.region().accesses.push_back(access);
    set(v, {builder_.last(), 0});
  }

  /// The value of a part of an address. The addend times `scale` is added to `offset` if that is equal in 64 bits;
  /// otherwise the value is the sum.
  constexpr region_id node_and_offset(value_id v, std::int64_t scale, std::uint64_t& offset) {
    const region_operand o = operand_of(v);
    const std::uint8_t width = width_of(o);
    if (o.addend == 0) {
      return o.node;
    }
    if (width == 64 || does_not_wrap(v)) {
      offset += static_cast<std::uint64_t>(as_signed(o.addend, width)) * static_cast<std::uint64_t>(scale);
      return o.node;
    }
    const region_operand operands[] = {o};
    region_value& sum = builder_.append_pure({operation::copy, width, width, {}}, operands);
    sum.is_free = true; // the sum in a register, which each reader shares
    return builder_.last();
  }

  /// Whether a sum with a number is the exact sum.
  constexpr bool does_not_wrap(value_id v) const {
    const value_id source = through_copies(v);
    return adds_number(source) && ir_.operation(source).flags.no_signed_wrap;
  }

  /// The bit under which an operation with an effect runs: that of its block, and its own guard.
  constexpr detail::region_bit guard_of(const detail::region_operation& what, const detail::region_bit& reached) {
    if (!what.is_guarded()) {
      return reached;
    }
    const detail::region_bit own = builder_.bit_of(operand_of(what.guard.predicate));
    return builder_.conjunction(reached, what.guard.negated ? own.inverted() : own);
  }

  static constexpr void set_guard(region_value& v, const detail::region_bit& guard) {
    v.guard = guard.node;
    v.guard_negated = guard.flip && !guard.is_number();
  }

  /// The value of a guarded operation: its result or the other value.
  constexpr void add_choice(value_id v, const guard_of_value& guard) {
    const detail::region_bit own = builder_.bit_of(operand_of(guard.predicate));
    const region_operand otherwise = operand_of(guard.otherwise);
    builder_.set_origin(v);
    set(v, builder_.select(guard.negated ? own.inverted() : own, w_.of_[v], otherwise, ir_.operation(v).width, false));
  }

  constexpr void add_pure(value_id v, const detail::region_operation& what) {
    read_arguments(v, what);
    flat_array<region_operand>& args = w_.args_;
    operation_info info = what.info;
    const std::uint8_t width = info.width;
    const bool has_numbers = args.size() == 2 && (is_number(args[0]) || is_number(args[1]));
    if (has_numbers && is_commutative(info.code) && is_number(args[0])) {
      detail::swap_values(args[0], args[1]);
    }
    switch (info.code) {
    case operation::copy:
      set(v, args[0]);
      return;
    case operation::add:
    case operation::sub:
      if (has_numbers && is_number(args[1]) && !is_number(args[0]) && w_.is_added_to_[v] == 0) {
        const std::uint64_t by = info.code == operation::add ? number(args[1]) : 0 - number(args[1]);
        set(v, {args[0].node, (args[0].addend + by) & low_ones(width)});
        return;
      }
      break;
    case operation::bit_not:
    case operation::bit_xor:
      if (width == 1 && (info.code == operation::bit_not || (has_numbers && !is_number(args[0])))) {
        const bool flips = info.code == operation::bit_not || (number(args[1]) & 1) != 0;
        const detail::region_bit bit = builder_.bit_of(args[0]);
        set(v, builder_.operand(flips ? bit.inverted() : bit));
        return;
      }
      break;
    case operation::div:
    case operation::rem:
      if (is_number(args[1]) && as_signed(number(args[1]), width) > 0 && is_natural(v)) {
        info.code = info.code == operation::div ? operation::udiv : operation::urem;
      }
      break;
    case operation::select:
      set(v, builder_.select(is_not_zero(args[0]), args[1], args[2], width, false));
      return;
    default:
      break;
    }
    const bool widens = is_comparison(info.code) && width != 1;
    info.width = widens ? 1 : width;
    describe(v, what, builder_.append_pure(info, args));
    set(v, {builder_.last(), 0});
    if (widens) {
      const region_operand bit[] = {{builder_.last(), 0}};
      builder_.append_pure({operation::zero_extend, width, 1, {}}, bit).is_free = true;
      set(v, {builder_.last(), 0});
    }
  }

  /// Whether the first operand of a division is known to be not negative.
  constexpr bool is_natural(value_id v) const {
    return facts_.is_not_negative(static_cast<value_id>(*std::begin(ir_.operands(v))));
  }

  constexpr detail::region_bit is_not_zero(const region_operand& o) {
    return is_bit(o) ? bit_in(o) : builder_.is_equal(o, 0, width_of(o)).inverted();
  }

  /// Whether this is a bit, or the wide result of a comparison.
  constexpr bool is_bit(const region_operand& o) const {
    const region_value& v = builder_.region().values[o.node];
    return v.info.width == 1 || (v.kind == region_value_kind::pure && v.info.code == operation::zero_extend &&
                                 v.info.operand_width == 1 && o.addend == 0);
  }

  constexpr detail::region_bit bit_in(const region_operand& o) const {
    const program_region& region = builder_.region();
    const region_value& v = region.values[o.node];
    return builder_.bit_of(v.info.width == 1 ? o : region.operands[v.first_operand]);
  }

  // Branches.

  /// Stores in `tests_`, by edge, whether it is taken. Returns whether one of them surely is.
  constexpr bool read_tests(node_id n) {
    const value_id condition = condition_of(n);
    bool is_decided = false;
    w_.tests_.clear();
    for_each_edge(n, [&](edge_id e, node_id) {
      detail::edge_test test;
      if (condition != no_value) {
        test = test_of(e, operand_of(condition));
      }
      is_decided = is_decided || (test.has_case && test.taken.is(true));
      w_.tests_.push_back(test);
    });
    if (condition == no_value && w_.tests_.size() > 1) {
      decide_by_nothing_known();
    }
    drop_idle_tests(n);
    for (detail::edge_test& t : w_.tests_) {
      if (is_decided && !(t.has_case && t.taken.is(true))) {
        t = {detail::false_bit, true};
      }
    }
    return is_decided;
  }

  /// Drops the test of a case that does what all other cases do: it leads there, and phis have equal inputs.
  constexpr void drop_idle_tests(node_id n) {
    edge_id rest = no_edge;
    std::size_t i = 0;
    for_each_edge(n, [&](edge_id e, node_id) { rest = w_.tests_[i++].has_case ? rest : e; });
    i = 0;
    for_each_edge(n, [&](edge_id e, node_id target) {
      detail::edge_test& test = w_.tests_[i++];
      if (rest != no_edge && test.has_case && !test.taken.is_number() && has_same_inputs(e, rest, target)) {
        test.taken = detail::false_bit;
      }
    });
  }

  constexpr bool has_same_inputs(edge_id e, edge_id other, node_id target) const {
    if (detail::node_in(ir_.graph(), ir_.graph().edge_target(other)) != target) {
      return false;
    }
    for (const value_id v : ir_.values(target)) {
      if (!ir_.is_phi(v)) {
        return true;
      }
      if (ir_.phi_input(v, e) != ir_.phi_input(v, other)) {
        return false;
      }
    }
    return true;
  }

  /// A branch whose decision is unknown: a bit of its own takes each edge but the last.
  constexpr void decide_by_nothing_known() {
    for (std::size_t i = 0; i + 1 != w_.tests_.size(); ++i) {
      builder_.set_origin(no_value);
      builder_.append(region_value_kind::invariant, 1).is_invariant = true;
      w_.tests_[i] = {{builder_.last(), false}, true};
    }
  }

  constexpr detail::edge_test test_of(edge_id e, const region_operand& condition) {
    detail::edge_test test;
    detail::region_bit none = detail::true_bit;
    for_each_case(ir_, e, [&](const auto& one) {
      test.has_case = true;
      detail::region_bit is_this;
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(one)>, number_range>) {
        is_this = is_in_range(condition, one.low, one.high);
      } else {
        is_this = is_in_range(condition, one, one);
      }
      none = builder_.conjunction(none, is_this.inverted());
    });
    test.taken = none.inverted();
    return test;
  }

  constexpr detail::region_bit is_in_range(const region_operand& value, std::uint64_t low, std::uint64_t high) {
    const std::uint8_t width = width_of(value);
    const std::uint64_t beyond = (high - low) & low_ones(width);
    if (!is_number(value) && is_bit(value)) {
      const bool has_zero = ((0 - low) & low_ones(width)) <= beyond;
      const bool has_one = ((1 - low) & low_ones(width)) <= beyond;
      const detail::region_bit bit = bit_in(value);
      return has_zero && has_one ? detail::true_bit : has_one ? bit : has_zero ? bit.inverted() : detail::false_bit;
    }
    if (beyond == 0) {
      return builder_.is_equal(value, low & low_ones(width), width);
    }
    if (is_number(value)) {
      return {no_region_value, ((number(value) - low) & low_ones(width)) <= beyond};
    }
    const region_operand from_low{value.node, (value.addend - low) & low_ones(width)};
    const region_operand operands[] = {from_low, builder_.constant(beyond, width)};
    region_value& test = builder_.append_pure({operation::uless_equal, 1, width, {}}, operands);
    test.cost = operation_class::compare;
    test.is_free = false;
    return {builder_.last(), false};
  }

  /// Whether the condition is none of the cases.
  constexpr detail::region_bit none_of_the_cases() {
    detail::region_bit none = detail::true_bit;
    for (const detail::edge_test& t : w_.tests_) {
      if (t.has_case) {
        none = builder_.conjunction(none, t.taken.inverted());
      }
    }
    return none;
  }

  static constexpr bool may_be_taken(const detail::edge_test& t) { return !t.has_case || !t.taken.is(false); }

  /// The end of a node: a branch for each edge but one, which control takes if it takes no other.
  constexpr void read_ends(node_id n) {
    std::uint32_t rest = 0;
    if (read_tests(n)) {
      return;
    }
    builder_.region().ends_in_return = w_.tests_.empty() && !has_free_end(n);
    for (std::uint32_t i = 0; i != w_.tests_.size(); ++i) {
      rest = !w_.tests_[i].has_case || w_.tests_[rest].has_case ? i : rest;
    }
    std::uint32_t i = 0;
    for_each_edge(n, [&](edge_id e, node_id) {
      const detail::edge_test& t = w_.tests_[i];
      if (i++ != rest && may_be_taken(t)) {
        append_exit(e, t.has_case ? t.taken : none_of_the_cases());
      }
    });
  }

  /// Whether a node ends in a terminator that takes no operation, because the next code follows directly.
  constexpr bool has_free_end(node_id n) const {
    bool is_free = false;
    for (const value_id v : ir_.values(n)) {
      is_free = !ir_.is_phi(v) && is_free_end(v);
    }
    return is_free;
  }

  constexpr bool is_free_end(value_id v) const { return !ir_.cost(v) && midend::is_terminator(ir_, v); }

  constexpr void append_exit(edge_id e, const detail::region_bit& taken) {
    const region_operand predicate = builder_.operand(taken);
    region_exit exit{};
    exit.edge = e;
    exit.predicate = predicate.node;
    exit.negated = predicate.addend != 0;
    exit.position = static_cast<std::uint32_t>(builder_.region().values.size());
    builder_.region().exits.push_back(exit);
  }

  /// The only edge that may be taken, or `leaves` if there are several. If there is none, the program has no meaning,
  /// and the last edge is returned.
  constexpr std::uint32_t only_edge(const detail::region_block& block) const {
    std::uint32_t only = detail::region_edge::leaves;
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      if (may_be_taken(w_.tests_[e - block.first_edge])) {
        if (only != detail::region_edge::leaves) {
          return detail::region_edge::leaves;
        }
        only = e;
      }
    }
    return only == detail::region_edge::leaves ? block.last_edge - 1 : only;
  }

  /// The end of a block of a loop: sets the predicates of its edges and appends the exits.
  constexpr void leave_block(std::uint32_t b, detail::path_predicate here) {
    const detail::region_block& block = w_.flow_.blocks[b];
    read_tests(block.node);
    const auto leaves = [&](std::uint32_t e) { return w_.flow_.edges[e].target == detail::region_edge::leaves; };
    const std::uint32_t taken = only_edge(block);
    if (taken != detail::region_edge::leaves) {
      for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
        paths_.set_edge(e, e == taken && !leaves(taken) ? here : detail::no_path);
      }
      if (leaves(taken)) {
        append_exit(w_.flow_.edges[taken].id, paths_.bit_of(here));
      }
      return;
    }
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      const detail::edge_test t = w_.tests_[e - block.first_edge];
      if (leaves(e) && may_be_taken(t)) {
        const detail::region_bit reached = paths_.bit_of(here);
        append_exit(w_.flow_.edges[e].id, builder_.conjunction(reached, t.has_case ? t.taken : none_of_the_cases()));
      }
    }
    divide_paths(block, here);
  }

  /// Sets the predicates of the edges that stay in the loop. Each but the last edge is a decision; the last one, which
  /// is the edge for all other cases if there is one, gets the rest.
  constexpr void divide_paths(const detail::region_block& block, detail::path_predicate here) {
    const auto test = [&](std::uint32_t e) { return w_.tests_[e - block.first_edge]; };
    const auto stays = [&](std::uint32_t e) {
      return w_.flow_.edges[e].target != detail::region_edge::leaves && may_be_taken(test(e));
    };
    std::uint32_t last = block.last_edge;
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      if (stays(e) && (last == block.last_edge || test(last).has_case)) {
        last = e;
      }
    }
    detail::path_predicate rest = here;
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      if (!stays(e)) {
        paths_.set_edge(e, detail::no_path);
      } else if (e != last) {
        const detail::path_predicate taken = paths_.decide(rest, here, test(e).taken);
        paths_.set_edge(e, taken);
        rest = taken ^ 1;
        ++builder_.region().inner_branches;
      }
    }
    if (last != block.last_edge) {
      paths_.set_edge(last, rest);
    }
  }

  // Values of the region that others read.

  constexpr void add_results(node_id n) {
    const std::uint8_t elsewhere = is_loop_ ? in_other_loop : in_other_node;
    for (const value_id v : ir_.values(n)) {
      if ((w_.reads_[v] & elsewhere) != 0 && w_.of_[v].node != no_region_value) {
        builder_.region().live_out.push_back(w_.of_[v]);
        builder_.region().live_out_values.push_back(v);
      }
    }
  }

  // Exits that the number of iterations decides.

  constexpr void mark_counted_exits() {
    program_region& region = builder_.region();
    for (region_exit& e : region.exits) {
      const region_value& test = region.values[e.predicate];
      if (test.kind != region_value_kind::pure || !is_comparison(test.info.code)) {
        continue;
      }
      const auto operands = region.operands_of(e.predicate);
      const operation code = test.info.code;
      e.is_counted = (is_counter(operands[0], code) && is_from_outside(operands[1])) ||
                     (is_counter(operands[1], code) && is_from_outside(operands[0]));
      e.bounds_top = e.is_counted && (code == operation::equal || code == operation::not_equal);
    }
  }

  constexpr bool is_from_outside(const region_operand& o) const {
    const region_value_kind kind = builder_.region().values[o.node].kind;
    return kind == region_value_kind::constant || kind == region_value_kind::invariant;
  }

  /// Whether the value is a header phi, or its next value, that changes by the same amount in each iteration, so that
  /// the comparison can be decided before the loop.
  constexpr bool is_counter(region_operand o, operation comparison) const {
    const program_region& region = builder_.region();
    const auto is_converted = [&](region_id n) {
      const operation code = region.values[n].info.code;
      return region.values[n].kind == region_value_kind::pure &&
             (code == operation::copy || code == operation::truncate || code == operation::zero_extend ||
              code == operation::sign_extend);
    };
    while (is_converted(o.node)) {
      o = region.operands_of(o.node)[0];
    }
    for (std::size_t p = 0; p != region.phis.size(); ++p) {
      const region_id phi = region.phis[p];
      if ((o.node == phi || o.node == region.next[p].node) && steps(phi, region.next[p], comparison)) {
        return true;
      }
    }
    return false;
  }

  /// Whether a header phi moves by a number, or a value from outside, without stepping over the bound of a comparison
  /// and coming back: by 1, or with a promise that it does not wrap.
  constexpr bool steps(region_id phi, const region_operand& next, operation comparison) const {
    const program_region& region = builder_.region();
    const std::uint64_t all = low_ones(region.values[phi].info.width);
    if (next.node == phi && (next.addend == 1 || next.addend == all)) {
      return true;
    }
    const region_value& sum = region.values[next.node];
    const bool is_sum = sum.kind == region_value_kind::pure && sum.num_operands == 2 &&
                        (sum.info.code == operation::add || sum.info.code == operation::sub);
    bool is_step = next.node == phi && next.addend != 0;
    if (next.node != phi && next.addend == 0 && is_sum) {
      const auto operands = region.operands_of(next.node);
      is_step = (operands[0].node == phi && is_from_outside(operands[1])) ||
                (sum.info.code == operation::add && operands[1].node == phi && is_from_outside(operands[0]));
    }
    return is_step && (knows_trip_ || promises_not_to_wrap(region.values[phi].origin, comparison));
  }

  /// Whether all increments of a header phi promise that a comparison sees no wrap-around.
  constexpr bool promises_not_to_wrap(value_id phi, operation comparison) const {
    if (comparison == operation::equal || comparison == operation::not_equal) {
      return false;
    }
    const bool is_signed = comparison >= operation::less && comparison <= operation::greater_equal;
    bool all = true;
    for (const loop_edge& e : loops_.backedges(loops_.innermost_loop(header_))) {
      const value_id next = through_copies(static_cast<value_id>(ir_.phi_input(phi, e.id)));
      const operation_flags flags = ir_.is_phi(next) ? operation_flags() : ir_.operation(next).flags;
      all = all && (is_signed ? flags.no_signed_wrap : flags.no_unsigned_wrap);
    }
    return all;
  }

  const IR& ir_;
  const loop_forest& loops_;
  region_facts facts_;
  region_reader_workspace& w_;
  detail::region_builder& builder_;
  detail::region_paths& paths_;
  node_id header_ = no_node; ///< of the loop that is read
  bool is_loop_ = false;
  bool knows_trip_ = false;
};

MIDEND_END_NAMESPACE
