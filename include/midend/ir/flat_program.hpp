/// `flat_program`: a program in SSA form as flat data, whatever IR it comes from.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/flat_program_graph.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/ir/operation_description.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/support/detail/iterator_base.hpp"
#include "midend/support/detail/list_pool.hpp"
#include "midend/support/detail/operand_lists.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"
#include "midend/support/wide_number.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

// The records of a `flat_program`. They are outside of it so that they can have default values.

struct flat_value {
  static constexpr std::uint32_t none = 0xffff'ffff;
  static constexpr unsigned char free = 0xff; ///< no operation class

  std::uint64_t constant = 0;
  operation_info info = {};
  effect_kind effect = effect_kind::none;
  unsigned char cost = free;
  std::uint8_t number_width = 64;
  std::uint8_t storage_bytes = 0;
  std::uint32_t flags = 0;
  node_id home = no_node;
  value_id previous = no_value; ///< in the node
  value_id next = no_value;
  pooled_list operands = {};
  value_id origin = no_value;
  std::uint32_t type = 0;
  std::uint32_t identity = 0;
  std::uint32_t access = none; ///< in `accesses_`
  std::uint32_t rare = none;   ///< in `rare_`
};

/// The positions, among the operands of a value, of values that answers about it name; `none` for others.
struct flat_positions {
  std::uint32_t first = flat_value::none;
  std::uint32_t second = flat_value::none;
  std::uint32_t third = flat_value::none;
};

/// The reference of a load or store. The positions are those of base, index and stored value.
struct flat_access {
  memory_reference place;
  flat_positions at;
};

/// Facts that few values have. The positions are those of predicate and other value of the guard, and of `assumed` or
/// the base of `low_sum`.
struct flat_rarities {
  optional<number_range> bounds;
  optional<number_facts> facts;
  guard_of_value guard;
  operation_info unguarded;
  operation_info wide_operation;
  optional<sum_of_low_bits> low_sum;
  optional<wide_number> wide_constant;
  value_id assumed = no_value;
  flat_positions at;
  std::uint64_t written = 0;        ///< bit by class of memory: whether the call may write it
  std::uint64_t fixed_operands = 0; ///< bit i: operand i may not be replaced; the last bit counts for all after it
};

struct flat_node {
  static constexpr std::uint32_t itself = flat_value::none - 1;

  value_id first = no_value; ///< value: phis come first
  value_id last = no_value;
  value_id condition = no_value;                 ///< valid unless `condition_at` has its position
  std::uint32_t condition_at = flat_value::none; ///< position of the condition among the operands of the last value;
                                                 ///< `itself`: it is that value
  std::uint32_t hints = flat_value::none;
  std::uint64_t count = 0;
  bool has_count = false;
  bool loop_ends = false;
  bool accepts_operations = true;
  bool scope_ended = false; ///< whether local classes of the loop with this header have ended
};

struct flat_edge {
  double probability = -1;
  std::uint32_t first_case = 0; ///< in `cases_`
  std::uint32_t num_cases = 0;
  bool must_end = false;
  bool may_redirect = true;
  bool may_split = true;
};

/// Where the descriptions of a value are.
struct flat_description {
  std::uint32_t first_attribute = 0;
  std::uint32_t num_attributes = 0;
  std::uint32_t first_promise = 0;
  std::uint32_t num_promises = 0;
};

} // namespace detail

/// A program in SSA form as flat arrays. `frozen(ir)` (`ir/frozen.hpp`) copies any IR into one, which stays when the
/// function changes. It is one concrete type, so templates are instantiated for it once. Copying it copies blocks of
/// memory; a copy into an object that held a program as large allocates nothing.
///
/// Models the SSA, semantics, effects, cost and profile rungs with their optional members, `has_wide_numbers`,
/// `memory_ir`, `places_values` and `certifiable_ir`. Constants are 64-bit numbers.
///
/// **Numbers.** Nodes, edges and values keep their numbers: results for the IR apply to the copy, and the checkers of
/// certificates compare both number by number. `origin(v)` is the value of the IR.
///
/// **Missing members.** An IR need not have all members. Where one is missing, this type answers as the library assumes
/// without it: no literal, an operation that is `other`, unknown effects, a trap, a load from anywhere. Three questions
/// cannot be copied, because they have arguments:
/// - `fold(v, args)` gives nothing, until `fold_by(ir)` names an IR to ask;
/// - `constant_memory` gives nothing either, until then;
/// - `may_write(v, memory)` is exact for 64 classes of memory that loads and stores access, and true for others if the
///   call may write any memory at all.
class flat_program {
  /// Walks the values of a node.
  class value_iterator : public detail::iterator_base<value_iterator, value_id> {
  public:
    value_iterator() = default;

    value_iterator(const detail::flat_value* values, value_id at) : values_(values), at_(at) {}

    value_id operator*() const { return at_; }

    void advance() { at_ = values_[at_].next; }

    friend bool operator==(value_iterator a, value_iterator b) { return a.at_ == b.at_; }

  private:
    const detail::flat_value* values_ = nullptr;
    value_id at_ = no_value;
  };

  /// The node in which the user of a slot reads it.
  struct reading_node_of_slot {
    const flat_program* of = nullptr;

    node_id operator()(std::uint32_t slot) const {
      const value_id user = of->operands_.user(slot);
      const detail::flat_value& record = of->values_[user];
      return of->is_phi(user) ? of->graph_.edge_source(of->graph_.in_edges(record.home)[slot - record.operands.first])
                              : record.home;
    }
  };

public:
  using constant_type = std::uint64_t;

  const flat_program_graph& graph() const { return graph_; }

  // Values.

  std::size_t num_values() const { return values_.size(); }

  auto values(node_id n) const {
    return iterator_range<value_iterator>({values_.data(), nodes_[n].first}, {values_.data(), no_value});
  }

  /// The operands of a phi are its inputs, in the order of the edges into its node.
  span<const value_id> operands(value_id v) const { return operands_.operands(values_[v].operands); }

  /// One user for each operand. In a frozen program, in the order of their numbers.
  auto users(value_id v) const { return operands_.users(v); }

  /// The nodes in which users read `v`: for a phi, the source of the edge.
  auto reading_nodes(value_id v) const { return mapped(operands_.slots(v), reading_node_of_slot{this}); }

  /// The parameters that the IR has named; empty if it names none.
  span<const value_id> parameters() const { return {parameters_.data(), parameters_.size()}; }

  bool is_phi(value_id v) const { return has(v, phi); }

  value_id phi_input(value_id v, edge_id e) const {
    MIDEND_ASSERT(is_phi(v) && graph_.edge_target(e) == node_of(v), "an edge to a phi", v, e);
    return operands(v)[graph_.position(e)];
  }

  value_id condition(node_id n) const {
    const node_record& node = nodes_[n];
    return node.condition_at == none                  ? node.condition
           : node.condition_at == node_record::itself ? node.last
                                                      : operands(node.last)[node.condition_at];
  }

  node_id node_of(value_id v) const { return values_[v].home; }

  value_id value_after(value_id v) const { return values_[v].next; }

  /// The value of the IR of which `v` is a copy; `no_value` for operations and literals that were made here. `frozen`
  /// keeps all numbers.
  value_id origin(value_id v) const { return values_[v].origin; }

  // Semantics.

  operation_info operation(value_id v) const { return values_[v].info; }

  std::optional<std::uint64_t> constant(value_id v) const {
    return has(v, literal) ? std::optional(values_[v].constant) : std::nullopt;
  }

  /// The answer of the IR of `fold_by` for the origin, or nothing. If operands were set to other values, the IR is
  /// asked only if all arguments are known, since it may know more about the original operands.
  std::optional<std::uint64_t> fold(value_id v, span<const std::optional<std::uint64_t>> args) const {
    if (fold_ == nullptr || origin(v) == no_value || has(v, changed)) {
      return std::nullopt;
    }
    for (std::size_t i = 0; has(v, renamed) && i != args.size(); ++i) {
      if (!args[i]) {
        return std::nullopt;
      }
    }
    return fold_(folder_, origin(v), args);
  }

  template <semantic_ir_argument IR> void fold_by(const IR&& ir) = delete; ///< a temporary would be gone

  /// From now on, `fold` and `constant_memory` ask `ir`. Requires that `ir` lives as long as this program and its
  /// copies are used, and that the operations in question are unchanged there.
  template <semantic_ir_argument IR> void fold_by(const IR& ir) {
    folder_ = &ir;
    fold_ = [](const void* folder, value_id v, span<const std::optional<std::uint64_t>> args) {
      return folded(*static_cast<const IR*>(folder), v, args);
    };
    if constexpr (has_constant_memory<IR>) {
      read_ = [](const void* folder, value_id base, std::uint64_t offset, std::uint32_t bytes) {
        return static_cast<const IR*>(folder)->constant_memory(base, offset, bytes);
      };
    }
  }

  /// The values of the condition for which an edge is taken, none for the edge of all other values.
  span<const number_range> edge_cases(edge_id e) const {
    return {cases_.data() + edges_[e].first_case, edges_[e].num_cases};
  }

  bool is_undefined(value_id v) const { return has(v, undefined); }

  bool never_returns(value_id v) const { return has(v, stops); }

  bool is_opaque(value_id v) const { return has(v, opaque); }

  std::optional<number_range> bounds(value_id v) const { return rare_of(v).bounds; }

  /// Facts of the function about parameters that an extracted loop reads.
  std::optional<number_facts> facts(value_id v) const { return rare_of(v).facts; }

  bool same_type(value_id v, value_id w) const { return v == w || values_[v].type == values_[w].type; }

  /// The answer of the IR, or the width of `operation(v)`.
  std::uint8_t number_width(value_id v) const { return values_[v].number_width; }

  operation_info wide_operation(value_id v) const { return rare_of(v).wide_operation; }

  std::optional<wide_number> wide_constant(value_id v) const {
    return has(v, number) ? optional<wide_number>(values_[v].constant) : rare_of(v).wide_constant;
  }

  // Effects.

  effect_kind effect(value_id v) const { return never_runs(v) ? effect_kind::none : values_[v].effect; }

  bool may_trap(value_id v) const { return has(v, traps) && !is_total(v); }

  bool may_trap_without_promises(value_id v) const { return has(v, still_traps) && !is_total(v); }

  bool may_not_return(value_id v) const { return has(v, leaves) && !never_runs(v); }

  bool may_duplicate(value_id v) const { return !has(v, unique); }

  bool is_volatile(value_id v) const { return has(v, exact) && !never_runs(v); }

  bool is_terminator(value_id v) const { return has(v, terminator); }

  bool is_removable(value_id v) const { return has(v, removable) || never_runs(v); }

  bool is_repeatable(value_id v) const { return has(v, repeatable); }

  bool is_convergent(value_id v) const { return has(v, convergent); }

  bool accepts_operations(node_id n) const { return nodes_[n].accepts_operations; }

  bool loop_ends(node_id header) const { return nodes_[header].loop_ends; }

  bool may_write(value_id v, std::uint32_t memory) const {
    if (!has(v, writes_some) || never_runs(v)) {
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
    if (i == none || never_runs(v)) {
      return std::nullopt;
    }
    memory_reference m = accesses_[i].place;
    const detail::flat_positions& at = accesses_[i].at;
    m.base = operand_or(v, at.first, m.base);
    m.index = operand_or(v, at.second, m.index);
    m.stored = operand_or(v, at.third, m.stored);
    if (m.scope != no_node && nodes_[m.scope].scope_ended) {
      m.local = any_memory;
      m.scope = no_node;
    }
    return m;
  }

  /// The answer of the IR; 0 if it has none.
  std::uint32_t storage_bytes(value_id v) const { return values_[v].storage_bytes; }

  /// The size of an array that an editor made here, or that the IR knows; else 0.
  std::uint32_t local_array_bytes(value_id v) const {
    return has(v, own_memory) ? static_cast<std::uint32_t>(values_[v].constant) : 0;
  }

  bool may_reassociate(value_id v) const { return has(v, regroups); }

  guard_of_value guard(value_id v) const {
    guard_of_value guard = rare_of(v).guard;
    if (has(v, guarded)) {
      guard.predicate = operand_or(v, rare_of(v).at.first, guard.predicate);
      guard.otherwise = operand_or(v, rare_of(v).at.second, guard.otherwise);
    }
    return guard;
  }

  operation_info unguarded(value_id v) const { return has(v, guarded) ? rare_of(v).unguarded : values_[v].info; }

  std::uint32_t identity(value_id v) const { return values_[v].identity; }

  value_id assumed(value_id v) const {
    const value_id bit = rare_of(v).assumed;
    return bit == no_value ? no_value : operand_or(v, rare_of(v).at.third, bit);
  }

  std::optional<sum_of_low_bits> low_sum(value_id v) const {
    std::optional<sum_of_low_bits> sum = rare_of(v).low_sum;
    if (sum) {
      sum->base = operand_or(v, rare_of(v).at.third, sum->base);
    }
    return sum;
  }

  std::optional<number_range> constant_memory(value_id base, std::uint64_t offset, std::uint32_t bytes) const {
    return read_ == nullptr || origin(base) == no_value ? std::nullopt : read_(folder_, origin(base), offset, bytes);
  }

  loop_hints trip_hints(node_id header) const {
    const std::uint32_t i = nodes_[header].hints;
    return i == none ? loop_hints() : hints_[i];
  }

  bool must_end(edge_id backedge) const { return edges_[backedge].must_end; }

  // What an editor of the IR may not change.

  bool may_redirect(edge_id e) const { return edges_[e].may_redirect; }

  bool may_split(edge_id e) const { return edges_[e].may_split; }

  bool may_insert_phi(value_id like) const { return !has(like, without_phi); }

  bool may_replace_operand(value_id user, std::size_t i) const {
    return (rare_of(user).fixed_operands >> (i < 63 ? i : 63) & 1) == 0;
  }

  bool separates_parallel_edges() const { return separates_parallel_edges_; }

  bool may_be_undefined(value_id v) const { return has(v, uncertain); }

  // Profile.

  std::optional<std::uint64_t> count(node_id n) const {
    return nodes_[n].has_count ? std::optional(nodes_[n].count) : std::nullopt;
  }

  double probability(edge_id e) const { return edges_[e].probability; }

  // Comparison.

  /// Whether the IR has described its operations (`ir/operation_description.hpp`), so that they can be compared.
  bool has_descriptions() const { return !described_.empty(); }

  /// Repeats the IR's description of `v`.
  void describe(value_id v, operation_description& out) const {
    for (const std::uint64_t word : attributes_of(v)) {
      out.attribute(word);
    }
    for (const described_promise& p : promises_of(v)) {
      out.promise(p.kind, p.contents);
    }
  }

  /// Whether `w` of `other`, the present program, does what `v` did when it was copied, and promises no more: it has
  /// equal attributes, and its promises are among those of `v`. False without descriptions. Operands, inputs of phis,
  /// nodes and edges are not compared: the checkers do that.
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

protected:
  template <class IR> friend class detail::program_freezer;
  template <class IR, class Origins> friend class detail::program_copier;

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
    number = 1u << 17,      ///< an integer literal, also as a wide number
    changed = 1u << 18,     ///< differs from its origin: `fold` does not ask the IR
    partial = 1u << 19,     ///< a division or shift that traps only for some divisors or amounts
    without_phi = 1u << 20, ///< no phi can take it
    uncertain = 1u << 21,   ///< two reads may differ
    decidable = 1u << 22,   ///< a guard that becomes a literal can keep it from running
    renamed = 1u << 23,     ///< has other operands than its origin
    own_memory = 1u << 24   ///< a local array; `constant` is its number of bytes
  };

  using value_record = detail::flat_value;
  using rare_record = detail::flat_rarities;
  using node_record = detail::flat_node;
  using edge_record = detail::flat_edge;

  bool has(value_id v, flag f) const { return (values_[v].flags & f) != 0; }

  void set(value_id v, flag f, bool holds = true) {
    std::uint32_t& flags = values_[v].flags;
    flags = (flags & ~std::uint32_t{f}) | (holds ? std::uint32_t{f} : 0u);
  }

  /// An operand of `v`, or another value.
  value_id operand_or(value_id v, std::uint32_t position, value_id other) const {
    return position == none ? other : operands(v)[position];
  }

  /// Whether the guard of `v` has become a literal that keeps it from running.
  bool never_runs(value_id v) const {
    if (!has(v, decidable)) {
      return false;
    }
    const guard_of_value g = guard(v);
    return g.predicate != no_value && has(g.predicate, literal) && (values_[g.predicate].constant != 0) == g.negated;
  }

  /// Whether a partial operation has a result for each value of its first operand: the divisor or amount is a literal
  /// that allows it.
  bool is_total(value_id v) const {
    const value_id second = has(v, partial) ? operands(v)[1] : no_value;
    return second != no_value && has(second, literal) && is_total_with(values_[v].info, values_[second].constant);
  }

  const rare_record& rare_of(value_id v) const {
    static constexpr rare_record nothing = {};
    const std::uint32_t i = values_[v].rare;
    return i == none ? nothing : rare_[i];
  }

  span<const std::uint64_t> attributes_of(value_id v) const {
    return described_.empty() ? span<const std::uint64_t>()
                              : span<const std::uint64_t>(attributes_.data() + described_[v].first_attribute,
                                                          described_[v].num_attributes);
  }

  span<const described_promise> promises_of(value_id v) const {
    return described_.empty() ? span<const described_promise>()
                              : span<const described_promise>(promises_.data() + described_[v].first_promise,
                                                              described_[v].num_promises);
  }

  /// Adds a value, in no node. The caller must add its description.
  value_id add_value() {
    values_.push_back({});
    operands_.add_value();
    return static_cast<value_id>(values_.size() - 1);
  }

  /// Puts a value into node `n` before another one; for `no_value`, at the end.
  void link(value_id v, node_id n, value_id before) {
    node_record& home = nodes_[n];
    value_record& record = values_[v];
    record.home = n;
    record.next = before;
    record.previous = before == no_value ? home.last : values_[before].previous;
    (record.previous == no_value ? home.first : values_[record.previous].next) = v;
    (before == no_value ? home.last : values_[before].previous) = v;
  }

  void add_operand(value_id user, value_id operand) { operands_.push_back(values_[user].operands, user, operand); }

  template <class IR>
  static std::optional<std::uint64_t> folded(const IR& ir, value_id v, span<const std::optional<std::uint64_t>> args) {
    if constexpr (has_partial_fold<IR>) {
      return ir.fold(v, args);
    } else {
      // An IR with this `fold` knows the vocabulary by `evaluate`, and has no use for unknown operands.
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

  using read_function = std::optional<number_range> (*)(const void* folder, value_id base, std::uint64_t offset,
                                                        std::uint32_t bytes);
  using fold_function = std::optional<std::uint64_t> (*)(const void* folder, value_id v,
                                                         span<const std::optional<std::uint64_t>> args);

  flat_program_graph graph_;
  flat_array<value_record> values_;
  flat_array<node_record> nodes_;
  flat_array<edge_record> edges_;
  flat_array<number_range> cases_;
  detail::operand_lists operands_;
  flat_array<value_id> parameters_;
  flat_array<detail::flat_access> accesses_;
  flat_array<rare_record> rare_;
  flat_array<loop_hints> hints_;
  flat_array<std::uint32_t> memory_classes_; ///< of loads and stores, 64 at most; without `any_memory`
  flat_array<value_id> types_;               ///< a value of each type
  flat_array<detail::flat_description> described_;
  flat_array<std::uint64_t> attributes_;
  flat_array<described_promise> promises_;
  const void* folder_ = nullptr;
  fold_function fold_ = nullptr;
  read_function read_ = nullptr;
  bool is_little_endian_ = false;
  bool separates_parallel_edges_ = false;
  bool is_new_ = true;     ///< whether it was filled after an editor last looked at it
  bool is_closed_ = false; ///< whether all answers name operands, so that they follow when operands change
};

MIDEND_END_NAMESPACE
