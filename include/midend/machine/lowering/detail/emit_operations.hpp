/// `emit_operations`: a region as operations of a machine, with their dependences.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/lowering/detail/instruction_selection.hpp"
#include "midend/machine/lowering/detail/lowering_choices.hpp"
#include "midend/machine/lowering/detail/memory_order.hpp"
#include "midend/machine/lowering/detail/needed_values.hpp"
#include "midend/machine/lowering/detail/regroup.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/region_value_kind.hpp"
#include "midend/machine/machine.hpp"
#include "midend/support/flat_array.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The state of a node while operations are emitted.
struct emitted_node {
  operation_id result = no_operation; ///< the operation that computes it; none for aliases, phis and outside values
  std::uint32_t last_reading = 0;     ///< visit mark: the last reading that looked through it
  bool is_next = false;               ///< some header phi has it as its next value
  bool has_register = false;          ///< it comes from outside, and its register is counted
};

/// The state of a needed sum.
struct emitted_sum {
  operation_id result = no_operation; ///< none if its node is outside
  bool is_next = false;
};

/// The next value of a header phi.
struct next_value {
  region_operand value;
  operation_id move = no_operation; ///< valid after all moves are added
  bool takes_move = false;          ///< else `value` is computed into the register of the phi
  std::uint32_t last_use = 0;       ///< visit mark: the last use that was followed back to the phi
};

/// An operation reads a value, or keeps it if its own predicate is false.
struct emitted_use {
  operation_id consumer;
  std::uint32_t phi; ///< the header phi that is read, of a use in `emission_state::phi_uses`
  std::uint32_t distance;
  dependence_kind kind;
  bool is_kept;
};

/// The memory of `emit_operations`, and its results beside the operations.
struct emission_state {
  // Results.
  flat_array<std::uint64_t> start; ///< by operation: its earliest cycle by values and predicates of its iteration
  std::uint64_t num_branches = 0;
  std::uint64_t invariant_operations = 0; ///< computed before the loop
  std::uint64_t general_outside = 0;      ///< registers of values from outside
  std::uint64_t predicates_outside = 0;

  // While operations are emitted.
  flat_array<emitted_node> nodes;     ///< by node of the body
  flat_array<emitted_sum> sums;       ///< by needed sum
  flat_array<next_value> next;        ///< by header phi
  flat_array<emitted_use> phi_uses;   ///< uses of header phis whose next value was not emitted yet
  flat_array<region_operand> aliases; ///< of the value that is being read
  std::uint32_t readings = 0;         ///< number of values read so far
  tree_recurrences recurrences;
  flat_array<region_id> tree;       ///< inner nodes of the current tree
  flat_array<regrouped_term> terms; ///< of that tree
  flat_array<regrouped_term> partial_results;
  flat_array<region_id> products;      ///< of a sum of products, the outermost first
  flat_array<region_id> late_products; ///< those that depend on the sum in the previous iteration
};

/// The algorithm of `emit_operations`.
template <loop_machine M> class operation_emitter {
public:
  constexpr operation_emitter(const program_region& body, const M& machine, const lowering_options& options,
                              const machine_classes& classes, const needed_values& needs,
                              const lowering_choices& choices, emission_state& w, machine_body& out)
      : body_(body), machine_(machine), options_(options), classes_(classes), needs_(needs), choices_(choices), w_(w),
        out_(out) {}

  constexpr void run(const memory_order& order) {
    clear();
    find_next_values();
    find_tree_recurrences(body_, needs_, choices_, w_.recurrences);
    for (region_id n = 0; n != body_.values.size(); ++n) {
      if (needs_.nodes[n].is_needed) {
        emit_node(n);
        emit_sums(n);
      }
    }
    emit_exits();
    emit_moves();
    if (order.has_effects) {
      add_memory_dependences(order);
      add_exit_dependences(order);
    }
    resolve_phi_uses();
    store_results();
  }

private:
  constexpr void clear() {
    w_.start.clear();
    w_.num_branches = 0;
    w_.invariant_operations = 0;
    w_.general_outside = 0;
    w_.predicates_outside = 0;
    w_.nodes.assign(body_.values.size(), {});
    w_.sums.assign(needs_.sums.size(), {});
    w_.next.assign(body_.phis.size(), {});
    w_.phi_uses.clear();
    w_.readings = 0;
    out_.graph.clear();
    out_.origins.clear();
    out_.literals.clear();
  }

  // Operations and dependences.

  constexpr operation_id add(operation_class c, machine_operation_origin origin) {
    const operation_id o = out_.graph.add_operation(machine_, c);
    out_.origins.push_back(origin);
    out_.literals.push_back(0);
    w_.start.push_back(0);
    num_literals_ = 0;
    return o;
  }

  constexpr operation_id add(operation_class c, region_id n) {
    return add(c, {n, body_.values[n].copy, body_.values[n].origin});
  }

  constexpr void add_dependence(const operation_dependence& d) {
    out_.graph.add_dependence(d);
    if (d.distance == 0 && w_.start[d.producer] + d.latency > w_.start[d.consumer]) {
      w_.start[d.consumer] = w_.start[d.producer] + d.latency;
    }
  }

  constexpr void wait(operation_id producer, operation_id consumer, dependence_kind kind, std::uint32_t distance = 0) {
    add_dependence({producer, consumer, latency_between(producer, consumer, kind), distance, kind});
  }

  /// If the consumer only keeps the value, it is enough that the value is written before the consumer writes.
  constexpr void wait(operation_id producer, const emitted_use& use, std::uint32_t distance) {
    const std::uint32_t latency = latency_between(producer, use.consumer, use.kind);
    const std::uint32_t own = out_.graph.operation(use.consumer).latency;
    const std::uint32_t kept = latency + 1 > own ? latency + 1 - own : 0;
    add_dependence({producer, use.consumer, use.is_kept ? kept : latency, distance, use.kind});
  }

  constexpr std::uint32_t latency_between(operation_id producer, operation_id consumer, dependence_kind kind) const {
    return machine_.latency(out_.graph.operation(producer).kind, out_.graph.operation(consumer).kind, kind);
  }

  /// Adds a literal to the operation that was added last. Equal literals of an operation are stored once.
  constexpr void add_literal(operation_id o, std::uint64_t bits, std::uint8_t width) {
    const std::uint32_t words = literal_words(bits, width, options_.largest_small_constant);
    for (std::size_t i = 0; i != num_literals_; ++i) {
      if (literals_[i] == bits) {
        return;
      }
    }
    if (words != 0 && num_literals_ != literals_.size()) {
      literals_[num_literals_++] = bits;
      out_.literals[o] = static_cast<std::uint8_t>(out_.literals[o] + words);
    }
  }

  // Reading values. A value of this iteration must have been emitted; a value of the previous iteration may come later.

  constexpr void read(operation_id consumer, region_operand o, dependence_kind kind, std::uint32_t distance = 0) {
    read({consumer, not_a_header_phi, distance, kind, false}, o);
  }

  constexpr void read(operation_id consumer, region_id n, dependence_kind kind, std::uint32_t distance = 0) {
    if (n != no_region_value) {
      read(consumer, region_operand{n, 0}, kind, distance);
    }
  }

  /// `consumer`, which is predicated, writes the register that holds the value.
  constexpr void keep(operation_id consumer, region_operand o) {
    read({consumer, not_a_header_phi, 0, dependence_kind::value, true}, o);
  }

  constexpr void read(const emitted_use& use, region_operand o) {
    for_each_source(
        o, [&](operation_id producer) { wait(producer, use, use.distance); },
        [&](std::uint32_t phi) { read_phi(phi, use); }, [&](region_id n) { read_outside(use.consumer, n); });
  }

  /// Calls one of the functions for each source of the value: an operation, a header phi, or a node from outside. Looks
  /// through aliases, each once.
  template <class OnOperation, class OnPhi, class OnOutside>
  constexpr void for_each_source(region_operand o, const OnOperation& on_operation, const OnPhi& on_phi,
                                 const OnOutside& on_outside) {
    w_.aliases.clear();
    ++w_.readings;
    for (std::size_t seen = 0;; o = w_.aliases[seen++]) {
      o = without_negation(body_, o);
      const operation_id result = w_.nodes[o.node].result;
      if (o.addend != 0) {
        const operation_id sum = w_.sums[needs_.find_sum(o)].result;
        sum == no_operation ? on_outside(o.node) : on_operation(sum);
      } else if (choices_.is(o.node, lowered_as::alias)) {
        look_into(o.node);
      } else if (choices_.is(o.node, lowered_as::header_phi)) {
        on_phi(needs_.nodes[o.node].phi);
      } else if (result != no_operation) {
        on_operation(result);
      } else {
        on_outside(o.node);
      }
      if (seen == w_.aliases.size()) {
        return;
      }
    }
  }

  /// A join that a branch does in effect waits for no predicate.
  constexpr void look_into(region_id n) {
    if (w_.nodes[n].last_reading == w_.readings) {
      return;
    }
    w_.nodes[n].last_reading = w_.readings;
    const auto operands = body_.operands_of(n);
    const bool is_branch = body_.values[n].is_join && body_.values[n].info.code == operation::select;
    for (std::size_t i = is_branch ? 1 : 0; i != operands.size(); ++i) {
      w_.aliases.push_back(operands[i]);
    }
  }

  /// Adds the dependence at once if the next value of the phi is emitted already, as that of a counter is.
  constexpr void read_phi(std::uint32_t phi, emitted_use use) {
    const next_value& next = w_.next[phi];
    const operation_id producer = next.takes_move          ? next.move
                                  : next.value.addend != 0 ? w_.sums[needs_.find_sum(next.value)].result
                                                           : w_.nodes[next.value.node].result;
    if (producer != no_operation) {
      wait(producer, use, use.distance + 1);
    } else {
      use.phi = phi;
      w_.phi_uses.push_back(use);
    }
  }

  /// A constant is a literal unless it is small. Any other value is in a register, counted once.
  constexpr void read_outside(operation_id consumer, region_id n) {
    const region_value& node = body_.values[n];
    if (node.kind == region_value_kind::constant) {
      add_literal(consumer, node.bits, node.info.width);
    } else if (!w_.nodes[n].has_register) {
      w_.nodes[n].has_register = true;
      ++(node.info.width == 1 ? w_.predicates_outside : w_.general_outside);
    }
  }

  /// A header phi without an operation may have others as its next value. Follows them back from each use, each phi
  /// once: the first path to a phi is the shortest, and its dependence implies those of longer paths.
  constexpr void resolve_phi_uses() {
    const std::size_t uses = w_.phi_uses.size();
    for (std::size_t i = 0; i != uses; ++i) {
      w_.phi_uses.push_back(w_.phi_uses[i]);
      for (std::size_t at = uses; at != w_.phi_uses.size(); ++at) {
        emitted_use use = w_.phi_uses[at];
        next_value& next = w_.next[use.phi];
        if (next.last_use == i + 1) {
          continue;
        }
        next.last_use = static_cast<std::uint32_t>(i + 1);
        ++use.distance;
        if (next.takes_move) {
          wait(next.move, use, use.distance);
        } else {
          read(use, next.value);
        }
      }
      w_.phi_uses.shrink(uses);
    }
  }

  constexpr void store_results() {
    out_.results.resize_for_overwrite(body_.values.size());
    for (region_id n = 0; n != body_.values.size(); ++n) {
      out_.results[n] = w_.nodes[n].result == no_operation ? no_machine_operation : w_.nodes[n].result;
    }
  }

  // Header phis.

  /// A header phi takes a move unless its next value is computed for it alone.
  constexpr void find_next_values() {
    for (std::uint32_t p = 0; p != body_.phis.size(); ++p) {
      const region_id phi = body_.phis[p];
      if (phi != no_region_value && choices_.is(phi, lowered_as::header_phi)) {
        const region_operand next = without_negation(body_, look_through(body_, body_.next[p]));
        w_.next[p].value = next;
        w_.next[p].takes_move = !claim(next);
      }
    }
  }

  /// Whether the operation that computes `next` can write the register of a header phi: the first caller gets it.
  constexpr bool claim(region_operand next) {
    const lowered_as as = choices_.nodes[next.node].as;
    bool& is_next = next.addend != 0 ? w_.sums[needs_.find_sum(next)].is_next : w_.nodes[next.node].is_next;
    const bool is_computed = next.addend != 0 || as == lowered_as::operations;
    const bool is_free = as == lowered_as::alias || (is_computed && !is_next);
    is_next = true;
    return is_free;
  }

  constexpr void emit_moves() {
    for (std::uint32_t p = 0; p != body_.phis.size(); ++p) {
      if (w_.next[p].takes_move) {
        const region_id phi = body_.phis[p];
        const bool is_predicate = body_.values[phi].info.width == 1;
        w_.next[p].move = add(is_predicate ? operation_class::predicate_logic : operation_class::move, phi);
        read(w_.next[p].move, w_.next[p].value, dependence_kind::value);
      }
    }
  }

  // Values, in the order of the body, so that an operation comes after those whose results it reads.

  constexpr void emit_node(region_id n) {
    const region_value& node = body_.values[n];
    const bool takes_operations =
        node.kind == region_value_kind::load || (node.kind == region_value_kind::pure && !node.is_free);
    if (choices_.is(n, lowered_as::outside) && takes_operations) {
      w_.invariant_operations += sequence_of(body_, n, options_, classes_).count;
    } else if (choices_.is(n, lowered_as::operations)) {
      const bool is_fused = choices_.nodes[n].fused_operand != 0;
      w_.nodes[n].result = is_fused ? emit_predicated(n) : emit_value(n);
    }
  }

  constexpr void emit_sums(region_id n) {
    for (std::uint32_t s = needs_.nodes[n].first_sum; s != no_sum; s = needs_.sums[s].next_sum) {
      if (choices_.sums_with_select[s] == 0) {
        emit_sum(s);
      }
    }
  }

  constexpr operation_id emit_sum(std::uint32_t s) {
    const region_operand sum = needs_.sums[s].value;
    const region_value& node = body_.values[sum.node];
    const operation_id o = add(operation_class::alu, {no_region_value, node.copy, node.origin});
    read(o, {sum.node, 0}, dependence_kind::value);
    add_literal(o, smaller_addend(sum.addend, node.info.width), node.info.width);
    w_.sums[s].result = o;
    return o;
  }

  constexpr operation_id emit_value(region_id n) {
    if (!is_root(n)) {
      return emit_sequence(n, sequence_of(body_, n, options_, classes_));
    }
    return body_.values[n].cost == operation_class::fused_multiply_add ? emit_products(n) : emit_tree(n);
  }

  constexpr operation_id emit_sequence(region_id n, const operation_sequence& s) {
    const std::size_t all = body_.operands_of(n).size();
    operation_id last = no_operation;
    for (std::size_t step = 0; step != s.count; ++step) {
      const operation_id o = add(s.steps[step], n);
      if (last != no_operation) {
        wait(last, o, dependence_kind::value);
      }
      if (s.reads(step)) {
        read_operands(o, n, s.is_split && step == 1 ? all - 1 : 0, s.is_split && step == 0 ? all - 1 : all);
      }
      last = o;
    }
    return last;
  }

  /// Reads operands `from` to `to` of a node, its address and its guard. The bound of a counted exit includes the
  /// addend of the counter.
  constexpr void read_operands(operation_id o, region_id n, std::size_t from, std::size_t to) {
    const region_value& node = body_.values[n];
    const auto operands = body_.operands_of(n);
    for (std::size_t i = from; i != to; ++i) {
      const bool is_predicate = i == 0 && node.info.code == operation::select && node.info.width != 1;
      const region_operand value =
          needs_.nodes[n].decides_counted_exit ? region_operand{operands[i].node, 0} : operands[i];
      read(o, value, is_predicate ? dependence_kind::guard : dependence_kind::value);
    }
    if (node.kind == region_value_kind::load || node.kind == region_value_kind::store) {
      read_address(o, body_.accesses[node.access]);
    }
    if (classes_.has_predication() && !classes_.is_speculated(out_.graph.operation(o).kind)) {
      read(o, node.guard, dependence_kind::guard);
    }
  }

  constexpr void read_address(operation_id o, const region_access& a) {
    read(o, a.base, dependence_kind::value);
    read(o, a.index, dependence_kind::value);
    if (a.stored.node != no_region_value) {
      read(o, a.stored, dependence_kind::value);
    }
    add_literal(o, static_cast<std::uint64_t>(a.offset), 64);
  }

  /// Computes an operand of the select under its predicate. If the predicate is false, the register keeps its value.
  constexpr operation_id emit_predicated(region_id select) {
    const auto operands = body_.operands_of(select);
    const std::uint8_t k = choices_.nodes[select].fused_operand;
    const region_operand fused = operands[k];
    operation_id o = no_operation;
    if (fused.addend != 0) {
      o = emit_sum(needs_.find_sum(fused));
    } else {
      o = emit_value(fused.node);
      w_.nodes[fused.node].result = o;
    }
    read(o, operands[0], dependence_kind::guard);
    keep(o, operands[3 - k]);
    return o;
  }

  // Trees, whose inner nodes are emitted with their root.

  constexpr bool is_in_tree(region_operand o) const {
    return o.addend == 0 && choices_.is(o.node, lowered_as::in_tree);
  }

  constexpr bool is_root(region_id n) const {
    for (const region_operand o : body_.operands_of(n)) {
      if (is_in_tree(o)) {
        return true;
      }
    }
    return false;
  }

  /// Uses one operation for each node of the tree, the last one for the root.
  constexpr operation_id emit_tree(region_id root) {
    collect_tree(root);
    return combine_terms(body_.values[root].cost, root).operation;
  }

  /// Regroups the terms by operations of class `c`, which stand for the nodes of `w_.tree` as long as there are some,
  /// then for `rest`.
  constexpr regrouped_term combine_terms(operation_class c, region_id rest) {
    const auto read_term = [&](operation_id o, const regrouped_term& term) {
      if (term.operation != no_operation) {
        wait(term.operation, o, dependence_kind::value);
      } else {
        read(o, term.value, dependence_kind::value);
      }
    };
    const auto combine = [&](const regrouped_term& a, const regrouped_term& b) {
      regrouped_term both;
      both.operation = add(c, w_.tree.empty() ? rest : w_.tree.back());
      if (!w_.tree.empty()) {
        w_.tree.pop_back();
      }
      read_term(both.operation, a);
      read_term(both.operation, b);
      both.ready = w_.start[both.operation] + machine_.latency(c);
      return both;
    };
    return regroup(w_.terms, w_.partial_results, combine);
  }

  constexpr void collect_tree(region_id root) {
    w_.tree.clear();
    w_.terms.clear();
    w_.tree.push_back(root);
    for (std::size_t next = 0; next != w_.tree.size(); ++next) {
      for (const region_operand o : body_.operands_of(w_.tree[next])) {
        if (is_in_tree(o)) {
          w_.tree.push_back(o.node);
        } else {
          add_term(o, root, body_.values[root].cost);
        }
      }
    }
  }

  // Sums of products a·b + (c·d + (e·f + s)), each addition of which is fused with a multiplication.

  /// If `s` is carried around the loop, the products that do not depend on it are summed in a chain of their own, and
  /// one addition adds the sum to `s`: one operation more, but `s` goes through that addition alone. A straight line
  /// takes the number of chains that makes it shortest. Without fused operations, the additions are regrouped.
  constexpr operation_id emit_products(region_id root) {
    const bool is_fused = !classes_.is_missing(operation_class::fused_multiply_add);
    w_.tree.clear();
    w_.terms.clear();
    w_.products.clear();
    w_.late_products.clear();
    region_operand last{root, 0};
    do {
      const auto operands = body_.operands_of(last.node);
      const bool is_late =
          w_.recurrences.connect(root, operands[0].node) || w_.recurrences.connect(root, operands[1].node);
      (is_late && is_fused ? w_.late_products : w_.products).push_back(last.node);
      last = operands[2];
    } while (is_in_tree(last));
    const bool is_carried = w_.recurrences.connect(root, last.node);
    if (is_fused && (w_.products.size() < 2 || (w_.recurrences.are_known && !is_carried))) {
      return emit_as_written(root);
    }
    std::size_t chains = w_.products.size();
    if (is_fused) {
      chains = is_carried ? 1 : shortest_chains(chains);
    }
    const bool begins_with_last = is_fused && !is_carried;
    for (std::size_t c = 0; c != chains; ++c) {
      add_chain(root, c, chains, begins_with_last && c == 0 ? last : region_operand{no_region_value, 0});
    }
    if (!begins_with_last) {
      add_term(last, root, operation_class::fp_add);
    }
    operation_id sum = combine_terms(operation_class::fp_add, root).operation;
    for (std::size_t i = w_.late_products.size(); i-- != 0;) {
      sum = multiply_and_add(w_.late_products[i], {no_region_value, 0}, sum);
    }
    return sum;
  }

  /// A chain of every `chains`-th product as a term, which begins with `first`, if there is one.
  constexpr void add_chain(region_id root, std::size_t c, std::size_t chains, region_operand first) {
    operation_id sum = no_operation;
    regrouped_term term;
    term.position = static_cast<std::uint32_t>(w_.terms.size());
    for (std::size_t i = c; i < w_.products.size(); i += chains) {
      const region_id product = w_.products[w_.products.size() - 1 - i];
      sum = multiply_and_add(product, first, sum);
      first = {no_region_value, 0};
      for (const region_operand factor : body_.operands_of(product).first(2)) {
        term.comes_last = term.comes_last || w_.recurrences.connect(root, factor.node);
      }
    }
    term.operation = sum;
    term.ready = w_.start[sum] + machine_.latency(out_.graph.operation(sum).kind);
    w_.terms.push_back(term);
  }

  /// The product of node `n`, and its sum with a value, with the result of an operation, or with neither.
  constexpr operation_id multiply_and_add(region_id n, region_operand addend, operation_id sum) {
    const bool adds = addend.node != no_region_value || sum != no_operation;
    const operation_id o = add(adds ? operation_class::fused_multiply_add : operation_class::fp_multiply, n);
    read_operands(o, n, 0, 2);
    if (addend.node != no_region_value) {
      read(o, addend, dependence_kind::value);
    } else if (sum != no_operation) {
      wait(sum, o, dependence_kind::value);
    }
    return o;
  }

  constexpr operation_id emit_as_written(region_id root) {
    w_.products.clear();
    region_operand last{root, 0};
    do {
      w_.products.push_back(last.node);
      last = body_.operands_of(last.node)[2];
    } while (is_in_tree(last));
    operation_id sum = no_operation;
    for (std::size_t i = w_.products.size(); i-- != 0;) {
      sum = multiply_and_add(w_.products[i], sum == no_operation ? last : region_operand{no_region_value, 0}, sum);
    }
    return sum;
  }

  /// The number of chains that sums so many products soonest; the fewest of equals.
  constexpr std::size_t shortest_chains(std::size_t products) const {
    const std::uint64_t fused = machine_.latency(operation_class::fused_multiply_add);
    const std::uint64_t sum = machine_.latency(operation_class::fp_add);
    std::uint64_t least = products * fused;
    std::size_t best = 1;
    for (std::size_t chains = 2; chains <= products; ++chains) {
      const std::uint64_t cycles =
          (products + chains - 1) / chains * fused + static_cast<std::uint64_t>(std::bit_width(chains - 1)) * sum;
      if (cycles < least) {
        least = cycles;
        best = chains;
      }
    }
    return best;
  }

  constexpr void add_term(region_operand o, region_id root, operation_class reader) {
    regrouped_term term;
    term.position = static_cast<std::uint32_t>(w_.terms.size());
    term.value = o;
    term.comes_last = w_.recurrences.connect(root, o.node);
    for_each_source(
        o,
        [&](operation_id producer) {
          const operation_class from = out_.graph.operation(producer).kind;
          const std::uint64_t ready = w_.start[producer] + machine_.latency(from, reader, dependence_kind::value);
          term.ready = ready > term.ready ? ready : term.ready;
        },
        [](std::uint32_t) {}, [](region_id) {});
    w_.terms.push_back(term);
  }

  // Control and memory.

  /// The branch back to the header is one of the exit branches; a loop without exits has a branch of its own. A branch
  /// inside the body takes an operation where the machine has no predicates.
  constexpr void emit_exits() {
    out_.first_exit = static_cast<operation_id>(out_.graph.num_operations());
    for (const region_exit& e : body_.exits) {
      const operation_id branch = add_branch();
      read(branch, is_tested(e, options_) ? e.predicate : no_region_value, dependence_kind::guard);
    }
    if (body_.is_straight_line ? body_.ends_in_return : body_.exits.empty()) {
      add_branch();
    }
    for (std::uint32_t inner = 0; !classes_.has_predication() && inner != body_.inner_branches; ++inner) {
      add_branch();
    }
  }

  constexpr operation_id add_branch() {
    ++w_.num_branches;
    return add(operation_class::branch, {no_region_value, 0, no_value});
  }

  /// An operation after a call waits until the call returns.
  constexpr void add_memory_dependences(const memory_order& order) {
    for (const ordered_accesses& pair : order.pairs) {
      const operation_id first = w_.nodes[pair.first].result;
      const operation_id second = w_.nodes[pair.second].result;
      const region_value_kind kind = body_.values[pair.first].kind;
      if (kind == region_value_kind::call) {
        const std::uint32_t latency = out_.graph.operation(first).latency;
        add_dependence({first, second, latency, pair.distance, dependence_kind::memory});
      } else {
        wait(first, second, kind == region_value_kind::load ? dependence_kind::order : dependence_kind::memory,
             pair.distance);
      }
    }
  }

  /// Effects wait for the exits before them that depend on data. Plain loads do not: they may run in advance.
  constexpr void add_exit_dependences(const memory_order& order) {
    for (const region_exit& e : body_.exits) {
      for (const region_id n : order.accesses) {
        const bool is_after = n >= e.position;
        if (!e.is_counted && may_have_effect(body_.values[n]) && (is_after || !body_.is_straight_line)) {
          read(w_.nodes[n].result, e.predicate, dependence_kind::guard, is_after ? 0 : 1);
        }
      }
    }
  }

  const program_region& body_;
  const M& machine_;
  const lowering_options& options_;
  const machine_classes& classes_;
  const needed_values& needs_;
  const lowering_choices& choices_;
  emission_state& w_;
  machine_body& out_;
  std::size_t num_literals_ = 0; ///< of the operation that was added last
  std::array<std::uint64_t, 4> literals_{};
};

/// Emits the operations of the chosen values, sums, exits and moves, with their dependences. Refills `w` and, in `out`,
/// the graph, the origins and the literals. Operations come in the order of the nodes; branches and moves come last.
/// Linear but for sorting the terms of trees, and for effects times exits.
template <loop_machine M>
constexpr void emit_operations(const program_region& body, const M& machine, const lowering_options& options,
                               const machine_classes& classes, const needed_values& needs,
                               const lowering_choices& choices, const memory_order& order, emission_state& w,
                               machine_body& out) {
  operation_emitter<M>(body, machine, options, classes, needs, choices, w, out).run(order);
}

} // namespace detail

MIDEND_END_NAMESPACE
