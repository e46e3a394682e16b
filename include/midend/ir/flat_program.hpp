/// `flat_program`: a program in SSA form as flat data, whatever IR it comes from.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/ir/operation_description.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"
#include "midend/support/wide_number.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

class flat_program;

namespace detail {

template <class IR> class program_freezer;

// The records of a `flat_program`, which are outside of it so that they have default values inside.

struct flat_value {
  static constexpr std::uint32_t none = 0xffff'ffff;
  static constexpr unsigned char free = 0xff; ///< no operation class

  std::uint64_t constant = 0;
  operation_info info = {};
  effect_kind effect = effect_kind::none;
  unsigned char cost = free;
  std::uint8_t number_width = 64;
  std::uint32_t flags = 0;
  node_id home = no_node;
  value_id next = no_value;
  std::uint32_t type = 0;
  std::uint32_t identity = 0;
  std::uint32_t access = none; ///< in `accesses_`
  std::uint32_t rare = none;   ///< in `rare_`
  std::uint32_t inputs = none; ///< in `inputs_`
};

/// What few values have.
struct flat_rarities {
  optional<number_range> bounds;
  guard_of_value guard;
  operation_info unguarded;
  operation_info wide_operation;
  optional<sum_of_low_bits> low_sum;
  optional<wide_number> wide_constant;
  value_id assumed = no_value;
  std::uint64_t written = 0; ///< by class of memory
};

struct flat_node {
  value_id condition = no_value;
  std::uint32_t hints = flat_value::none;
  std::uint64_t count = 0;
  bool has_count = false;
  bool loop_ends = false;
  bool accepts_operations = true;
};

struct flat_edge {
  double probability = -1;
  std::uint32_t first_case = 0; ///< in `cases_`, up to that of the next edge
  bool must_end = false;
};

} // namespace detail

/// The graph of a `flat_program`. Nodes and edges keep the numbers that they have in the graph that was copied, and the
/// order in which they are listed there. An edge that is in no list there, because an editor has erased it, has the
/// ends `no_node`. Models `bidirectional_flow_graph` and `edge_indexed_flow_graph`.
class flat_program_graph {
public:
  std::size_t num_nodes() const { return num_nodes_; }

  std::size_t num_edges() const { return num_edges_; }

  node_id entry() const { return entry_; }

  /// That of the graph that was copied, so results for that graph apply to this one.
  std::uint64_t epoch() const { return epoch_; }

  span<const node_id> successors(node_id n) const { return list(out_begin(), targets_of_out_edges(), n); }

  span<const edge_id> out_edges(node_id n) const { return list(out_begin(), listed_out_edges(), n); }

  span<const node_id> predecessors(node_id n) const { return list(in_begin(), sources_of_in_edges(), n); }

  span<const edge_id> in_edges(node_id n) const { return list(in_begin(), listed_in_edges(), n); }

  node_id edge_source(edge_id e) const { return by_edge(0)[checked(e)]; }

  node_id edge_target(edge_id e) const { return by_edge(1)[checked(e)]; }

private:
  friend class flat_program;
  template <class IR> friend class detail::program_freezer;

  /// The place of `e` among the edges into its target.
  std::uint32_t position(edge_id e) const { return by_edge(2)[checked(e)]; }

  edge_id checked(edge_id e) const {
    MIDEND_ASSERT(e < num_edges_, "an edge of the graph", e, num_edges_);
    return e;
  }

  span<const std::uint32_t> list(const std::uint32_t* begin, const std::uint32_t* all, node_id n) const {
    MIDEND_ASSERT(n < num_nodes_, "a node of the graph", n, num_nodes_);
    return {all + begin[n], all + begin[n + std::size_t{1}]};
  }

  // One array: where the lists of each node begin; the lists; and by edge its source, its target and its place among
  // the edges into that.
  const std::uint32_t* out_begin() const { return ids_.data(); }

  const std::uint32_t* in_begin() const { return out_begin() + num_nodes_ + 1; }

  const std::uint32_t* listed_out_edges() const { return in_begin() + num_nodes_ + 1; }

  const std::uint32_t* targets_of_out_edges() const { return listed_out_edges() + num_listed_; }

  const std::uint32_t* listed_in_edges() const { return targets_of_out_edges() + num_listed_; }

  const std::uint32_t* sources_of_in_edges() const { return listed_in_edges() + num_listed_; }

  const std::uint32_t* by_edge(std::size_t i) const { return sources_of_in_edges() + num_listed_ + i * num_edges_; }

  flat_array<std::uint32_t> ids_;
  std::size_t num_nodes_ = 0;
  std::size_t num_edges_ = 0;
  std::size_t num_listed_ = 0; ///< edges in lists
  node_id entry_ = 0;
  std::uint64_t epoch_ = 0;
};

/// A program in SSA form as flat arrays: what `frozen(ir)` (`ir/frozen.hpp`) makes of any IR, to have it after the
/// function was changed. One concrete type, independent of the IR: what is instantiated for it is instantiated once.
/// To copy one is to copy blocks of memory; a copy into an object that held a program as large allocates nothing.
///
/// Models the SSA, semantics, effects, cost and profile rungs with their optional members, `has_wide_numbers`,
/// `memory_ir`, `places_values` and `certifiable_ir`. Constants are 64-bit numbers.
///
/// **Numbers.** Nodes, edges and values keep their numbers: results for the IR apply to the copy, and the checkers of
/// certificates compare both number by number. `origin(v)` is the value of the IR.
///
/// **What is not known.** An IR need not have all members. Where one is missing, this type answers what the library
/// takes without it: no literal, an operation that is `other`, unknown effects, a trap, a load from anywhere. Three
/// questions cannot be copied, because they have arguments:
/// - `fold(v, args)` gives nothing, until `fold_by(ir)` says whom to ask;
/// - `constant_memory` is missing;
/// - `may_write(v, memory)` is exact for 64 classes of memory that loads and stores access, and true for others if
///   the call may write any memory at all.
class flat_program {
public:
  using constant_type = std::uint64_t;

  const flat_program_graph& graph() const { return graph_; }

  // Values.

  std::size_t num_values() const { return values_.size(); }

  span<const value_id> values(node_id n) const { return list(node_values_, node_begin_, n); }

  span<const value_id> operands(value_id v) const { return list(operands_, operand_begin_, v); }

  /// In the order of their numbers.
  span<const value_id> users(value_id v) const { return list(users_, user_begin_, v); }

  /// Those that the IR has named; none if it names none.
  span<const value_id> parameters() const { return {parameters_.data(), parameters_.size()}; }

  bool is_phi(value_id v) const { return has(v, phi); }

  value_id phi_input(value_id v, edge_id e) const {
    MIDEND_ASSERT(is_phi(v) && graph_.edge_target(e) == node_of(v), "an edge to a phi", v, e);
    return inputs_[values_[v].inputs + graph_.position(e)];
  }

  value_id condition(node_id n) const { return nodes_[n].condition; }

  node_id node_of(value_id v) const { return values_[v].home; }

  value_id value_after(value_id v) const { return values_[v].next; }

  /// The value of the IR that `v` is a copy of. `frozen` keeps all numbers.
  value_id origin(value_id v) const { return v; }

  // Semantics.

  operation_info operation(value_id v) const { return values_[v].info; }

  std::optional<std::uint64_t> constant(value_id v) const {
    return has(v, literal) ? std::optional(values_[v].constant) : std::nullopt;
  }

  /// Nothing, or what the IR of `fold_by` says.
  std::optional<std::uint64_t> fold(value_id v, span<const std::optional<std::uint64_t>> args) const {
    return fold_ == nullptr ? std::nullopt : fold_(folder_, origin(v), args);
  }

  /// From now on, `fold` asks `ir`. Requires that `ir` lives as long as this program and its copies are used, and that
  /// the operations that are asked for are there as they were.
  template <semantic_ir_argument IR> void fold_by(const IR& ir) {
    folder_ = &ir;
    fold_ = [](const void* folder, value_id v, span<const std::optional<std::uint64_t>> args) {
      return folded(*static_cast<const IR*>(folder), v, args);
    };
  }

  /// The values of the condition for which an edge is taken, none for the edge of all other values.
  span<const number_range> edge_cases(edge_id e) const {
    return {cases_.data() + edges_[e].first_case, cases_.data() + edges_[e + std::size_t{1}].first_case};
  }

  bool is_undefined(value_id v) const { return has(v, undefined); }

  bool never_returns(value_id v) const { return has(v, stops); }

  bool is_opaque(value_id v) const { return has(v, opaque); }

  std::optional<number_range> bounds(value_id v) const { return rare_of(v).bounds; }

  bool same_type(value_id v, value_id w) const { return v == w || values_[v].type == values_[w].type; }

  /// As the IR says, or the width of `operation(v)`.
  std::uint8_t number_width(value_id v) const { return values_[v].number_width; }

  operation_info wide_operation(value_id v) const { return rare_of(v).wide_operation; }

  std::optional<wide_number> wide_constant(value_id v) const {
    return has(v, number) ? optional<wide_number>(values_[v].constant) : rare_of(v).wide_constant;
  }

  // Effects.

  effect_kind effect(value_id v) const { return values_[v].effect; }

  bool may_trap(value_id v) const { return has(v, traps); }

  bool may_trap_without_promises(value_id v) const { return has(v, still_traps); }

  bool may_not_return(value_id v) const { return has(v, leaves); }

  bool may_duplicate(value_id v) const { return !has(v, unique); }

  bool is_volatile(value_id v) const { return has(v, exact); }

  bool is_terminator(value_id v) const { return has(v, terminator); }

  bool is_removable(value_id v) const { return has(v, removable); }

  bool is_repeatable(value_id v) const { return has(v, repeatable); }

  bool is_convergent(value_id v) const { return has(v, convergent); }

  bool accepts_operations(node_id n) const { return nodes_[n].accepts_operations; }

  bool loop_ends(node_id header) const { return nodes_[header].loop_ends; }

  bool may_write(value_id v, std::uint32_t memory) const {
    if (!has(v, writes_some)) {
      return false;
    }
    for (std::size_t i = 0; i != memory_classes_.size(); ++i) {
      if (memory_classes_[i] == memory) {
        return (rare_of(v).written >> i & 1) != 0;
      }
    }
    return true;
  }

  bool is_little_endian() const { return is_little_endian_; }

  // Cost.

  std::optional<operation_class> cost(value_id v) const {
    const unsigned char c = values_[v].cost;
    return c == free ? std::nullopt : std::optional(static_cast<operation_class>(c));
  }

  std::optional<memory_reference> memory(value_id v) const {
    const std::uint32_t i = values_[v].access;
    return i == none ? std::nullopt : std::optional(accesses_[i]);
  }

  bool may_reassociate(value_id v) const { return has(v, regroups); }

  guard_of_value guard(value_id v) const { return rare_of(v).guard; }

  operation_info unguarded(value_id v) const { return has(v, guarded) ? rare_of(v).unguarded : values_[v].info; }

  std::uint32_t identity(value_id v) const { return values_[v].identity; }

  value_id assumed(value_id v) const { return rare_of(v).assumed; }

  std::optional<sum_of_low_bits> low_sum(value_id v) const { return rare_of(v).low_sum; }

  loop_hints trip_hints(node_id header) const {
    const std::uint32_t i = nodes_[header].hints;
    return i == none ? loop_hints() : hints_[i];
  }

  bool must_end(edge_id backedge) const { return edges_[backedge].must_end; }

  // Profile.

  std::optional<std::uint64_t> count(node_id n) const {
    return nodes_[n].has_count ? std::optional(nodes_[n].count) : std::nullopt;
  }

  double probability(edge_id e) const { return edges_[e].probability; }

  // Comparison.

  /// Whether the IR has described its operations (`ir/operation_description.hpp`), so that they can be compared.
  bool has_descriptions() const { return !described_.empty(); }

  /// Repeats what the IR has said of `v`.
  void describe(value_id v, operation_description& out) const {
    for (const std::uint64_t word : attributes_of(v)) {
      out.attribute(word);
    }
    for (const described_promise& p : promises_of(v)) {
      out.promise(p.kind, p.contents);
    }
  }

  /// Whether `w` of `other`, the program as it is now, does what `v` did when it was copied, and promises no more: it
  /// has the same attributes, and its promises are among those of `v`. False if nothing was described. Operands,
  /// inputs of phis, nodes and edges are not compared: the checkers do that.
  template <class Other> bool same_operation(value_id v, const Other& other, value_id w) const {
    static_assert(has_describe<Other>,
                  "midend: an IR that is compared with a frozen program needs `void describe(midend::value_id v, "
                  "midend::operation_description& out) const`, which says all that an operation computes and promises");
    if constexpr (has_describe<Other>) {
      operation_description compared(attributes_of(v), promises_of(v));
      other.describe(w, compared);
      return has_descriptions() && compared.is_same();
    } else {
      return false;
    }
  }

private:
  template <class IR> friend class detail::program_freezer;

  static constexpr std::uint32_t none = detail::flat_value::none;
  static constexpr unsigned char free = detail::flat_value::free;

  enum flag : std::uint32_t {
    phi = 1u << 0,
    literal = 1u << 1,
    undefined = 1u << 2,
    stops = 1u << 3,
    opaque = 1u << 4,
    traps = 1u << 5,
    still_traps = 1u << 6,
    leaves = 1u << 7,
    unique = 1u << 8,
    exact = 1u << 9,
    terminator = 1u << 10,
    regroups = 1u << 11,
    guarded = 1u << 12,
    writes_some = 1u << 13,
    removable = 1u << 14,
    repeatable = 1u << 15,
    convergent = 1u << 16,
    number = 1u << 17 ///< an integer literal, also for those who ask for wide numbers
  };

  using value_record = detail::flat_value;
  using rare_record = detail::flat_rarities;
  using node_record = detail::flat_node;
  using edge_record = detail::flat_edge;

  struct description_ends {
    std::uint32_t attributes;
    std::uint32_t promises;
  };

  using ids = flat_array<std::uint32_t>;

  bool has(value_id v, flag f) const { return (values_[v].flags & f) != 0; }

  static span<const std::uint32_t> list(const ids& all, const ids& begin, std::uint32_t i) {
    return {all.data() + begin[i], all.data() + begin[i + std::size_t{1}]};
  }

  const rare_record& rare_of(value_id v) const {
    static constexpr rare_record nothing = {};
    const std::uint32_t i = values_[v].rare;
    return i == none ? nothing : rare_[i];
  }

  span<const std::uint64_t> attributes_of(value_id v) const {
    return described_.empty()
               ? span<const std::uint64_t>()
               : span<const std::uint64_t>(attributes_.data() + described_[v].attributes,
                                           attributes_.data() + described_[v + std::size_t{1}].attributes);
  }

  span<const described_promise> promises_of(value_id v) const {
    return described_.empty()
               ? span<const described_promise>()
               : span<const described_promise>(promises_.data() + described_[v].promises,
                                               promises_.data() + described_[v + std::size_t{1}].promises);
  }

  template <class IR>
  static std::optional<std::uint64_t> folded(const IR& ir, value_id v, span<const std::optional<std::uint64_t>> args) {
    if constexpr (has_partial_fold<IR>) {
      return ir.fold(v, args);
    } else {
      // Such an IR knows the vocabulary by `evaluate`, and nothing of unknown operands.
      constexpr std::size_t most_on_stack = 16;
      std::uint64_t few[most_on_stack];
      flat_array<std::uint64_t> many;
      if (args.size() > most_on_stack) {
        many.resize_for_overwrite(args.size());
      }
      std::uint64_t* const numbers = args.size() > most_on_stack ? many.data() : few;
      for (std::size_t i = 0; i != args.size(); ++i) {
        if (!args[i]) {
          return std::nullopt;
        }
        numbers[i] = *args[i];
      }
      return ir.operation(v).code == operation::other
                 ? std::optional<std::uint64_t>(ir.fold(v, span<const std::uint64_t>(numbers, args.size())))
                 : std::nullopt;
    }
  }

  using fold_function = std::optional<std::uint64_t> (*)(const void* folder, value_id v,
                                                         span<const std::optional<std::uint64_t>> args);

  flat_program_graph graph_;
  flat_array<value_record> values_;
  flat_array<node_record> nodes_;
  flat_array<edge_record> edges_; ///< and one more
  flat_array<number_range> cases_;
  ids node_begin_; ///< into `node_values_`
  ids node_values_;
  ids operand_begin_;
  ids operands_;
  ids user_begin_;
  ids users_;
  ids inputs_; ///< of phis, in the order of the edges into their nodes
  ids parameters_;
  flat_array<memory_reference> accesses_;
  flat_array<rare_record> rare_;
  flat_array<loop_hints> hints_;
  ids memory_classes_; ///< of loads and stores, 64 at most; without `any_memory`
  ids types_;          ///< a value of each type
  flat_array<description_ends> described_;
  flat_array<std::uint64_t> attributes_;
  flat_array<described_promise> promises_;
  const void* folder_ = nullptr;
  fold_function fold_ = nullptr;
  bool is_little_endian_ = false;
};

MIDEND_END_NAMESPACE
