/// `low_level_package`: six optimizations of single operations, as members of a managed package.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/algebra_rules.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/simplify.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/package/constant_division.hpp"
#include "midend/package/managed_package.hpp"
#include "midend/package/package_context.hpp"
#include "midend/package/package_order.hpp"
#include "midend/package/width_changes.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/propagate_copies.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// Deletes operations and phis without readers and without effects.
struct dead_operations {
  static constexpr const char* name = "dead";

  template <class Context> package_order visit(Context& context, value_id v) const {
    const auto& ir = context.ir();
    if (context.has_users(v) || (!ir.is_phi(v) && (is_terminator(ir, v) || !is_removable(ir, v)))) {
      return {};
    }
    return package_order::erase("nothing reads it");
  }
};

/// Replaces operations on literals by literals, and a phi with one source by that source.
///
///     before               after
///     x = add 3, 4         readers of x read 7
///     y = phi [z, z, y]    readers of y read z
struct known_constants {
  static constexpr const char* name = "constants";

  template <class Context> package_order visit(Context& context, value_id v) {
    const auto& ir = context.ir();
    if (ir.is_phi(v)) {
      return visit_phi(context, v);
    }
    if (!context.is_pure(v)) {
      return {};
    }
    arguments_.clear();
    bool known = true;
    detail::for_each_id(ir.operands(v), [&](value_id x) {
      const auto c = x == no_value ? std::nullopt : ir.constant(x);
      known = known && c.has_value();
      arguments_.push_back(c.value_or(0));
    });
    const operation_info info = ir.operation(v);
    if (!known || arguments_.empty()) {
      return decided_by_facts(context, v, info);
    }
    if (info.code != operation::other) {
      const evaluation e = evaluate(info, span<const std::uint64_t>(arguments_.data(), arguments_.size()));
      return e ? package_order::to_constant(e.bits, folded) : package_order();
    }
    if constexpr (has_fold<std::remove_cvref_t<decltype(ir)>>) {
      const auto c = ir.fold(v, span<const std::uint64_t>(arguments_.data(), arguments_.size()));
      return c ? package_order::to_constant(*c, folded) : package_order();
    }
    return {};
  }

private:
  static constexpr const char* folded = "its operands are literals";

  /// Facts about operands that changed may say more than the stored facts about the result, so both are combined.
  template <class Context>
  static package_order decided_by_facts(Context& context, value_id v, const operation_info& info) {
    if (!context.has_facts() || info.code == operation::other) {
      return {};
    }
    if (context.reads_news(v)) {
      context.refine_facts(v, context.facts_by_operands(v));
    }
    const auto c = context.facts(v).constant();
    return c ? package_order::to_constant(*c, "facts about its operands decide it") : package_order();
  }

  template <class Context> static package_order visit_phi(Context& context, value_id phi) {
    const auto& ir = context.ir();
    value_id source = no_value;
    bool one = true;
    detail::for_each_id(ir.graph().in_edges(context.home(phi)), [&](edge_id e) {
      if (context.is_reachable(static_cast<node_id>(ir.graph().edge_source(e)))) {
        const auto x = static_cast<value_id>(ir.phi_input(phi, e));
        one = one && x != no_value && (x == phi || source == no_value || x == source);
        source = x == phi ? source : x;
      }
    });
    return one && source != no_value ? package_order::to_existing(source, "the phi has one source") : package_order();
  }

  flat_array<std::uint64_t> arguments_;
};

/// Replaces an operation by an equal one that is computed before it on every path.
///
///     before               after
///     u = add x, y         u = add x, y
///     ...                  ...
///     v = add y, x         readers of v read u
///
/// If the other value of a guarded operation is an equal guarded operation, one of both stays. It runs if either
/// predicate holds.
struct common_subexpressions {
  static constexpr const char* name = "common";

  template <class Context> package_order visit(Context& context, value_id v) {
    if (const value_id u = context.equal_before(v); u != no_value) {
      package_order order = package_order::to_existing(u, "an equal operation is computed before");
      order.drops_promises_of = context.promises_more(u, v) ? u : no_value;
      return order;
    }
    if constexpr (has_guard<std::remove_cvref_t<decltype(context.ir())>>) {
      if (!context.ir().is_phi(v) && context.ir().guard(v).predicate != no_value) {
        const package_order merged = merge_guards(context, v);
        return merged.kind != order_kind::none ? merged : choose_other_value(context, v);
      }
    }
    return {};
  }

private:
  /// Merges an equal operation that is the other value of `v`. Here `p ? f(a) : w` runs f under p and is w otherwise:
  ///
  ///     before                  after
  ///     u = p ? f(a) : w
  ///     v = q ? f(a) : u        v = (p or q) ? f(a) : w
  ///
  /// With ~p and ~q, the result is ~(p and q) ? f(a) : w. With p and ~p, it is f(a) without a guard.
  template <class Context> package_order merge_guards(Context& context, value_id v) {
    const auto& ir = context.ir();
    if (!context.is_pure(v) || ir.guard(v).predicate == no_value || ir.guard(v).otherwise == no_value) {
      return {};
    }
    const guard_of_value later = ir.guard(v);
    const value_id u = later.otherwise;
    if (context.home(u) == no_node || !context.is_pure(u)) {
      return {};
    }
    const guard_of_value earlier = ir.guard(u);
    const operation_info info = ir.unguarded(v);
    const operation_info other = ir.unguarded(u);
    const bool same_code = info.code == other.code && info.width == other.width &&
                           info.operand_width == other.operand_width && identity_of(ir, u) == identity_of(ir, v);
    if (earlier.predicate == no_value || earlier.otherwise == no_value || !same_code || !same_type(ir, u, v) ||
        (info.code == operation::other && identity_of(ir, v) == 0)) {
      return {};
    }
    std::uint8_t count = 0;
    bool same = true;
    value_id arguments[3] = {no_value, no_value, no_value};
    flat_array<value_id>& of_u = operands_of_earlier_;
    of_u.clear();
    detail::for_each_id(ir.operands(u), [&](value_id x) { of_u.push_back(x); });
    detail::for_each_id(ir.operands(v), [&](value_id x) {
      const bool is_argument = std::size_t{count} + 2 < of_u.size();
      same = same && count < of_u.size() && x != no_value && (!is_argument || x == of_u[count]);
      if (count < 3) {
        arguments[count] = x;
      }
      ++count;
    });
    if (!same || count != of_u.size() || count < 2) {
      return {};
    }
    if (earlier.predicate == later.predicate && earlier.negated == later.negated) {
      package_order order = package_order::to_existing(u, "an equal operation runs under the same predicate");
      order.drops_promises_of = context.promises_more(u, v) ? u : no_value;
      return order;
    }
    if (!context.is_only_user(u, v)) {
      return {};
    }
    package_order order = package_order::to_tree("an equal operation runs under another predicate");
    order.dies = u;
    if (earlier.negated != later.negated) {
      if (earlier.predicate != later.predicate || info.code == operation::other || arity(info.code) + 2u != count) {
        return {};
      }
      operation_info always = info;
      always.flags = {};
      order.add(always, order_operand::value(arguments[0]), order_operand::value(arguments[1]),
                order_operand::value(arguments[2]));
      return order;
    }
    const order_operand both =
        order.add({later.negated ? operation::bit_and : operation::bit_or, 1, 1, {}},
                  order_operand::value(earlier.predicate), order_operand::value(later.predicate));
    ordered_operation& copy = order.operations[order.num_operations++];
    copy.like = u;
    copy.num_operands = 2;
    copy.positions[0] = static_cast<std::uint8_t>(count - 2);
    copy.positions[1] = static_cast<std::uint8_t>(count - 1);
    copy.operands[0] = both;
    copy.operands[1] = order_operand::value(earlier.otherwise);
    return order;
  }

  /// Chooses between results if a choice costs less than f.
  ///
  ///     before                  after
  ///     u = p ? f(a) : w        u = p ? f(a) : w
  ///     v = p ? f(a) : t        v = select p, u, t
  template <class Context> static package_order choose_other_value(Context& context, value_id v) {
    const auto& ir = context.ir();
    const value_id u = context.equal_if_run_before(v);
    const operation_info chosen{operation::select, ir.operation(v).width, ir.operation(v).width, {}};
    if (u == no_value || context.costs().of(usual_class(chosen)) >= context.cost_of(v)) {
      return {};
    }
    const guard_of_value guard = ir.guard(v);
    package_order order = package_order::to_tree("an equal operation runs under the same predicate");
    const order_operand result = order_operand::value(u);
    const order_operand otherwise = order_operand::value(guard.otherwise);
    order.add(chosen, order_operand::value(guard.predicate), guard.negated ? otherwise : result,
              guard.negated ? result : otherwise);
    order.drops_promises_of = context.promises_more(u, v) ? u : no_value;
    return order;
  }

  template <class IR> static std::uint32_t identity_of([[maybe_unused]] const IR& ir, [[maybe_unused]] value_id v) {
    if constexpr (has_identity<IR>) {
      return ir.identity(v);
    } else {
      return 0;
    }
  }

  flat_array<value_id> operands_of_earlier_;
};

/// Applies `algebra_rules`, then the rules of `width_changes.hpp`, then `divide_by_literal` where products cost less
/// than the division. Also reads through copies, and through selections by a literal or between equal values. The table
/// has before and after for each rule. For your own rules, `algebraic_identities(my_rules)`; the table must outlive the
/// package.
struct algebraic_identities {
  static constexpr const char* name = "algebra";

  explicit algebraic_identities(span<const algebra_rule> rules = algebra_rules()) : rules_(rules) {}

  template <class Context> package_order visit(Context& context, value_id v) {
    const auto& ir = context.ir();
    if (ir.is_phi(v) || is_terminator(ir, v)) {
      return {};
    }
    if (const value_id source = detail::copied_value(ir, v); source != no_value) {
      return package_order::to_existing(source, "it is a copy");
    }
    const operation_info info = ir.operation(v);
    if (info.code == operation::other || !context.is_pure(v)) {
      return visit_guarded(context, v);
    }
    if (info.code == operation::select) {
      return visit_select(context, v);
    }
    arguments_of(ir, v);
    const definitions<Context> reader{context};
    const std::size_t num_rules = rules_.count(info.code);
    std::size_t refused = num_rules; // the first rule that does not pay
    for (std::size_t i = 0; (i = simplify(reader, info, arguments(), rules_, i, found_)) != num_rules; ++i) {
      const package_order order = order_of(context, v, rules_.rule(info.code, i));
      if (context.pays(v, order)) {
        return order;
      }
      refused = refused == num_rules ? i : refused;
    }
    if (is_comparison(info.code) || info.code == operation::bit_and || info.code == operation::bit_not ||
        is_extension(info.code) || info.code == operation::truncate) {
      if (package_order order = visit_width(context, v, info); order.kind != order_kind::none) {
        return order;
      }
    }
    if (context.regroups_sums() && (info.code == operation::add || info.code == operation::sub)) {
      if (package_order order = visit_sum(context, v, info); order.kind != order_kind::none) {
        return order;
      }
    }
    if (info.code >= operation::div && info.code <= operation::urem) {
      if (package_order order = visit_division(context, v, info); order.kind != order_kind::none) {
        return order;
      }
    }
    if (refused != num_rules) { // offered all the same: the manager refuses and logs it
      arguments_of(ir, v);
      simplify(reader, info, arguments(), rules_, refused, found_);
      return order_of(context, v, rules_.rule(info.code, refused));
    }
    return {};
  }

private:
  /// Rules may look through pure operations that are still in the program.
  template <class Context> struct definitions {
    Context& context;

    unsigned width(value_id v) const { return context.ir().operation(v).width; }

    auto constant(value_id v) const { return context.ir().constant(v); }

    operation_info definition(value_id v) const {
      const auto& ir = context.ir();
      return ir.constant(v) || context.home(v) == no_node || !context.is_pure(v) ? operation_info() : ir.operation(v);
    }

    auto operands(value_id v) const { return context.ir().operands(v); }

    bool is_undefined(value_id v) const { return context.is_undefined(v); }

    number_facts facts(value_id v) const { return context.facts(v); }
  };

  template <class IR> void arguments_of(const IR& ir, value_id v) {
    num_arguments_ = 0;
    detail::for_each_id(ir.operands(v), [&](value_id x) {
      if (num_arguments_ < 3) {
        arguments_[num_arguments_++] = x;
      }
    });
  }

  span<const value_id> arguments() const { return {arguments_, num_arguments_}; }

  /// Drops a guard that always holds. Turns a guarded operation into a choice if it computes nothing new.
  ///
  ///     before                        after
  ///     v = 1 ? f(a) : w              v = f(a)
  ///     v = p ? (x + 0) : w           v = select p, x, w
  template <class Context> package_order visit_guarded([[maybe_unused]] Context& context, [[maybe_unused]] value_id v) {
    using editor = std::remove_cvref_t<decltype(context.ir())>;
    if constexpr (has_guard<editor>) {
      const auto& ir = context.ir();
      const guard_of_value guard = ir.guard(v);
      if (guard.predicate == no_value || !is_removable(ir, v)) {
        return {};
      }
      if (const auto holds = ir.constant(guard.predicate)) {
        if (!can_clone_unguarded<editor> || (*holds != 0) == guard.negated) {
          return {};
        }
        package_order order = package_order::to_tree("a literal lets it run always");
        order.operations[0].like = v;
        order.operations[0].drops_guard = true;
        order.num_operations = 1;
        return order;
      }
      if (guard.otherwise != no_value && context.is_pure(v)) {
        return choice_of(context, v, guard);
      }
    }
    return {};
  }

  /// Handles a guarded operation whose result, if it runs, is a literal or an existing value.
  template <class Context> package_order choice_of(Context& context, value_id v, const guard_of_value& guard) {
    const auto& ir = context.ir();
    order_operand result;
    if (!result_without_guard(context, v, result)) {
      return {};
    }
    const bool is_same = result.what == order_operand::kind::value
                             ? result.index == guard.otherwise
                             : ir.constant(guard.otherwise) && *ir.constant(guard.otherwise) == result.literal;
    if (is_same) {
      return package_order::to_existing(guard.otherwise, "it has one value, whether it runs or not");
    }
    package_order order = package_order::to_tree("if it runs, it computes nothing new");
    const auto width = static_cast<std::uint8_t>(ir.operation(v).width);
    const order_operand otherwise = order_operand::value(guard.otherwise);
    order.add({operation::select, width, width, {}}, order_operand::value(guard.predicate),
              guard.negated ? otherwise : result, guard.negated ? result : otherwise);
    return order;
  }

  /// Whether `v` computes a literal or one of its operands if it runs; stores that in `result`.
  template <class Context> bool result_without_guard(Context& context, value_id v, order_operand& result) {
    const auto& ir = context.ir();
    const operation_info info = ir.unguarded(v);
    const unsigned count = arity(info.code);
    read_operands(ir, v);
    if (info.code == operation::copy) {
      result = order_operand::value(operands_[0]);
      return true;
    }
    if (info.code == operation::select) {
      const guard_of_value guard = ir.guard(v); // where `v` runs, the guard holds
      const auto condition = operands_[0] == guard.predicate && ir.operation(guard.predicate).width == 1
                                 ? std::optional<std::uint64_t>(guard.negated ? 0 : 1)
                                 : ir.constant(operands_[0]);
      result = condition ? order_operand::value(operands_[*condition != 0 ? 1 : 2]) : result;
      return condition.has_value();
    }
    if (info.code == operation::other || count == 0) {
      return false;
    }
    std::uint64_t numbers[3] = {};
    bool known = true;
    for (unsigned i = 0; i != count; ++i) {
      const auto c = ir.constant(operands_[i]);
      known = known && c;
      numbers[i] = c.value_or(0);
    }
    if (known) {
      const evaluation e = evaluate(info, span<const std::uint64_t>(numbers, count));
      result = order_operand::number(info.width, e.bits);
      return static_cast<bool>(e);
    }
    arguments_of(ir, v);
    for (std::size_t i = 0; i != rules_.count(info.code); ++i) {
      const algebra_rule& rule = rules_.rule(info.code, i);
      const algebra_term& term = rule.result.root();
      if (rule.result.size == 1 && matches_rule(definitions<Context>{context}, info, arguments(), rule, found_)) {
        result = term.kind == term_kind::leaf
                     ? order_operand::value(found_.leaves[term.index])
                     : order_operand::number(info.width, detail::literal_of(rule, term, found_.match, info.width));
        return true;
      }
    }
    return false;
  }

  /// Regroups a sum of sums as a sum of multiples, if that costs less. Takes only sums in its node that nothing else
  /// reads. Adds phis last, because the next iteration waits for them.
  ///
  ///     before               after
  ///     t = add x, y
  ///     u = add t, 5
  ///     v = sub u, x         v = add y, 5
  template <class Context> package_order visit_sum(Context& context, value_id v, const operation_info& info) {
    const auto& ir = context.ir();
    if (is_part_of_sum(context, v)) {
      return {};
    }
    arguments_of(ir, v);
    linear_form form;
    std::uint32_t saved = 0;
    const bool is_read = read_linear_form(
        definitions<Context>{context}, info, arguments(),
        [&](value_id u) { return context.home(u) == context.home(v) && is_read_once(context, u); },
        [&](value_id u) { saved += context.cost_of(u); }, form);
    if (!is_read || saved == 0) {
      return {};
    }
    package_order order = order_of_form(context, form);
    order.saves = saved;
    order.regroups = true;
    return order.kind == order_kind::tree && context.cost_of_order(v, order) >= context.cost_of(v) + saved
               ? package_order()
               : order;
  }

  /// Whether `u` is read exactly once, and not by a phi.
  template <class Context> static bool is_read_once(Context& context, value_id u) {
    std::size_t uses = 0;
    for (const auto user : context.ir().users(u)) {
      const auto w = static_cast<value_id>(user);
      if (++uses > 1 || context.ir().is_phi(w)) {
        return false;
      }
      std::size_t reads = 0;
      detail::for_each_id(context.ir().operands(w), [&](value_id x) { reads += x == u ? 1U : 0U; });
      if (reads != 1) {
        return false;
      }
    }
    return uses == 1;
  }

  /// Whether the only reader of `v` is a sum in its node; then `v` is a part of that sum.
  template <class Context> static bool is_part_of_sum(Context& context, value_id v) {
    if (!is_read_once(context, v)) {
      return false;
    }
    bool is_part = false;
    for (const auto user : context.ir().users(v)) {
      const auto w = static_cast<value_id>(user);
      const operation code =
          context.home(w) == context.home(v) && context.is_pure(w) ? context.ir().operation(w).code : operation::other;
      is_part = code == operation::add || code == operation::sub;
    }
    return is_part;
  }

  /// Builds the operations of a linear form, or returns `none` if it needs too many.
  template <class Context> static package_order order_of_form(Context& context, const linear_form& form) {
    const auto w = static_cast<std::uint8_t>(form.width);
    const auto of = [&](operation code) { return operation_info{code, w, w, {}}; };
    if (form.num_terms == 0) {
      return package_order::to_constant(form.constant, "a sum of multiples");
    }
    if (form.num_terms == 1 && form.terms[0].coefficient == 1 && form.constant == 0) {
      return package_order::to_existing(form.terms[0].value, "a sum of multiples");
    }
    package_order order = package_order::to_tree("a sum of multiples");
    order_operand sum;
    bool has_sum = false;
    const auto add = [&](const linear_form::term& t) {
      const bool is_negative =
          as_signed(t.coefficient, form.width) < 0 && t.coefficient != low_ones(form.width) / 2 + 1;
      const std::uint64_t factor = is_negative ? (0 - t.coefficient) & low_ones(form.width) : t.coefficient;
      if (order.num_operations + 3U > package_order::max_operations) {
        return false;
      }
      order_operand x = order_operand::value(t.value);
      if (factor != 1) {
        const bool is_power = (factor & (factor - 1)) == 0;
        x = order.add(of(is_power ? operation::shl : operation::mul), x,
                      order_operand::number(form.width,
                                            is_power ? static_cast<std::uint64_t>(std::countr_zero(factor)) : factor));
      }
      if (has_sum) {
        x = order.add(of(is_negative ? operation::sub : operation::add), sum, x);
      } else if (is_negative) {
        x = order.add(of(operation::neg), x);
      }
      sum = x;
      has_sum = true;
      return true;
    };
    for (const bool phis : {false, true}) {
      for (const bool negative : {false, true}) { // positive terms first, so that a difference has its first operand
        for (std::uint32_t i = 0; i != form.num_terms; ++i) {
          const linear_form::term& t = form.terms[i];
          if (context.ir().is_phi(t.value) == phis && (as_signed(t.coefficient, form.width) < 0) == negative &&
              !add(t)) {
            return {};
          }
        }
      }
    }
    if (form.constant != 0) {
      order.add(of(operation::add), sum, order_operand::number(form.width, form.constant));
    }
    return order.num_operations == 0 ? package_order() : order;
  }

  /// Replaces a division by a literal if the product costs less.
  template <class Context> package_order visit_division(Context& context, value_id v, const operation_info& info) {
    const auto& ir = context.ir();
    read_operands(ir, v);
    const auto divisor = ir.constant(operands_[1]);
    if (!divisor || ir.operation(operands_[0]).width != info.width) {
      return {};
    }
    package_order order = divide_by_literal(info, order_operand::value(operands_[0]), *divisor);
    std::uint32_t cost = 0;
    for (std::size_t i = 0; i != order.num_operations; ++i) {
      cost += context.costs().of(usual_class(order.operations[i].info));
    }
    return cost < context.costs().of(usual_class(info)) ? order : package_order();
  }

  /// The operation that computes `u`, if rules may read it and its width is `width`; else `operation::other`.
  template <class Context> operation_info info_within(Context& context, value_id u, unsigned width) const {
    const auto& ir = context.ir();
    if (u == no_value || context.home(u) == no_node || !context.is_pure(u)) {
      return {};
    }
    const operation_info info = ir.operation(u);
    return info.width == width ? info : operation_info{};
  }

  /// The operand of a conversion, or `no_value` if its width is not the one that the conversion reads.
  template <class IR> static value_id converted(const IR& ir, value_id conversion) {
    value_id x = no_value;
    detail::for_each_id(ir.operands(conversion), [&](value_id of) { x = of; });
    return x != no_value && ir.operation(x).width == ir.operation(conversion).operand_width ? x : no_value;
  }

  /// The bits of `u` that may be 1, as far as the last `depth` operations show. `u` has `width` bits.
  template <class Context>
  std::uint64_t possible_bits_of(Context& context, value_id u, unsigned width, unsigned depth = 3) const {
    const auto& ir = context.ir();
    const auto c = u == no_value ? std::nullopt : ir.constant(u);
    const operation_info info = c || depth == 0 ? operation_info{} : info_within(context, u, width);
    if (c || info.code == operation::other) {
      return c ? *c & low_ones(width) : low_ones(width);
    }
    std::uint64_t bits[3] = {};
    unsigned i = 0;
    detail::for_each_id(ir.operands(u), [&](value_id x) {
      const bool is_amount = i < 3 && reads_whole(info.code, i);
      const auto amount = is_amount && x != no_value ? ir.constant(x) : std::nullopt;
      if (i < 3) {
        bits[i++] = is_amount ? amount.value_or(width) : possible_bits_of(context, x, read_width(info), depth - 1);
      }
    });
    return possible_bits(info, bits);
  }

  template <class Context> package_order visit_width(Context& context, value_id v, const operation_info& info) {
    const auto& ir = context.ir();
    if (is_comparison(info.code)) {
      return visit_comparison(context, v, info);
    }
    read_operands(ir, v);
    const value_id left = operands_[0];
    const value_id right = operands_[1];
    if (info.code == operation::bit_and) {
      for (const auto& [u, literal] : {std::pair(left, right), std::pair(right, left)}) {
        const auto c = literal == no_value ? std::nullopt : ir.constant(literal);
        const operation_info inner = c ? info_within(context, u, info.width) : operation_info{};
        if (is_extension(inner.code) && converted(ir, u) != no_value) {
          return mask_extended(inner, converted(ir, u), *c);
        }
        if (c && inner.code != operation::other && (possible_bits_of(context, u, info.width) & ~*c) == 0) {
          return package_order::to_existing(u, "a mask of all bits that are left");
        }
      }
      return {};
    }
    if (info.code == operation::bit_not && info.width == 1) {
      return negated_comparison(context, left);
    }
    if (!is_extension(info.code) && info.code != operation::truncate) { // `not` of more than one bit
      return {};
    }
    const operation_info inner = info_within(context, left, info.operand_width);
    if (is_extension(inner.code) || inner.code == operation::truncate) {
      const value_id x = converted(ir, left);
      const package_order order = x == no_value ? package_order() : convert_once(info, inner, x);
      return order.kind != order_kind::none || x == no_value ? order
                                                             : extend_truncated(info, inner, x, context.facts(x));
    }
    if (is_extension(info.code) && ir.operation(left).width == info.operand_width) {
      if (const package_order order = extend_sum(context, v, info, left); order.kind != order_kind::none) {
        return order;
      }
      return extend_natural(info, left, context.facts(left));
    }
    if (info.code != operation::truncate || arity(inner.code) != 2 || !context.is_only_user(left, v)) {
      return {};
    }
    read_operands(ir, left);
    order_operand narrow[2];
    bool all_literals = true;
    for (std::size_t i = 0; i != 2; ++i) {
      if (const auto c = ir.constant(operands_[i])) {
        narrow[i] = order_operand::number(info.width, *c & low_ones(info.width));
        continue;
      }
      const operation_info extension = info_within(context, operands_[i], inner.width);
      const value_id x = is_extension(extension.code) ? converted(ir, operands_[i]) : no_value;
      if (x == no_value || extension.operand_width != info.width) {
        return {};
      }
      all_literals = false;
      narrow[i] = order_operand::value(x);
    }
    package_order order = all_literals ? package_order() : compute_narrow(info.width, inner.code, narrow[0], narrow[1]);
    order.dies = left;
    return order;
  }

  /// Extends x instead of x plus a number, if the narrow sum does not wrap.
  ///
  ///     before                  after
  ///     s = add nsw x, 5        e = sext x
  ///     v = sext s              v = add e, 5
  template <class Context>
  package_order extend_sum(Context& context, value_id v, const operation_info& info, value_id sum) {
    constexpr algebra_tree pattern = algebra_terms::binary(operation::add, algebra_terms::x, algebra_terms::a);
    static constexpr algebra_rule rule{"the extension of a sum is a sum", pattern, algebra_terms::x};
    arguments_of(context.ir(), sum);
    operation_info narrow = info_within(context, sum, info.operand_width);
    if (narrow.code == operation::sub) { // x - c is x + (-c)
      const auto c = context.ir().constant(arguments_[1]);
      if (!c || context.ir().constant(arguments_[0])) {
        return {};
      }
      const std::uint64_t by = (0 - static_cast<std::uint64_t>(*c)) & low_ones(narrow.width);
      return extend_sum_of(context, v, info, sum, arguments_[0], by, {});
    }
    if (!matches_rule(definitions<Context>{context}, narrow, arguments(), rule, found_) ||
        context.ir().constant(found_.leaves[0])) {
      return {};
    }
    return extend_sum_of(context, v, info, sum, found_.leaves[0], found_.match.numbers[0], narrow.flags);
  }

  template <class Context>
  package_order extend_sum_of(Context& context, value_id v, const operation_info& info, value_id sum, value_id x,
                              std::uint64_t by, operation_flags promises) const {
    package_order order = extended_sum(info, x, by, promises, context.facts(x));
    if (context.home(sum) == context.home(v) && context.is_only_user(sum, v)) {
      order.dies = sum;
    }
    return context.pays(v, order) ? order : package_order();
  }

  template <class Context> package_order visit_comparison(Context& context, value_id v, operation_info info) {
    const auto& ir = context.ir();
    read_operands(ir, v);
    if (ir.constant(operands_[0])) {
      const value_id first = operands_[0];
      operands_[0] = operands_[1];
      operands_[1] = first;
      info.code = mirrored(info.code);
    }
    const value_id left = operands_[0];
    const value_id right = operands_[1];
    const auto c = ir.constant(right);
    if (c && info.operand_width == 1 && ir.operation(left).width == 1) {
      package_order order = compare_bit(info, left, *c);
      if (order.kind == order_kind::tree) {
        if (const package_order direct = negated_comparison(context, left); direct.kind != order_kind::none) {
          return direct;
        }
      }
      return order;
    }
    if (!c && ir.operation(left).width == info.operand_width && ir.operation(right).width == info.operand_width) {
      const shifted_value first = sum_of(context, left);
      const auto decided = compare_sums(info, first, sum_of(context, right));
      if (decided && !context.may_be_undefined(first.base)) {
        return package_order::to_constant(*decided ? 1 : 0, "a comparison of a value plus numbers with itself");
      }
    }
    const operation_info inner = info_within(context, left, info.operand_width);
    const value_id x = is_extension(inner.code) ? converted(ir, left) : no_value;
    if (x == no_value) {
      return {};
    }
    if (c) {
      return ir.operation(right).width == info.operand_width ? compare_narrow_with(info, inner, x, *c)
                                                             : package_order();
    }
    const operation_info other = info_within(context, right, info.operand_width);
    const value_id y = other == inner ? converted(ir, right) : no_value;
    return y == no_value ? package_order() : compare_narrow(info, inner, x, y);
  }

  /// `base + by`; `by` is 0 for a value that is no such sum.
  struct shifted_value {
    value_id base = no_value;
    std::uint64_t by = 0;
    bool exact_signed = true; ///< the signed sum does not wrap
    bool exact_unsigned = true;
  };

  template <class Context> shifted_value sum_of(Context& context, value_id v) {
    const auto& ir = context.ir();
    const operation_info info = info_within(context, v, ir.operation(v).width);
    if (info.code != operation::add && info.code != operation::sub) {
      return {v};
    }
    value_id parts[2] = {no_value, no_value};
    std::size_t i = 0;
    detail::for_each_id(ir.operands(v), [&](value_id x) { parts[i++ & 1] = x; });
    const std::size_t number = info.code == operation::add && ir.constant(parts[0]) ? 0 : 1;
    const auto by = ir.constant(parts[number]);
    if (!by || ir.constant(parts[1 - number])) {
      return {v};
    }
    const detail::wrapping_result negative = detail::wrapping_sub(0, *by, info.width);
    const bool subtracts = info.code == operation::sub;
    return {parts[1 - number], (subtracts ? negative.bits : *by) & low_ones(info.width),
            info.flags.no_signed_wrap && !(subtracts && negative.signed_wrap),
            info.flags.no_unsigned_wrap && !subtracts};
  }

  /// Compares base + a with base + b. Returns nothing if the bases differ, or if a sum may wrap and the comparison is
  /// no equality.
  static std::optional<bool> compare_sums(const operation_info& comparison, const shifted_value& a,
                                          const shifted_value& b) {
    const bool is_equality = comparison.code == operation::equal || comparison.code == operation::not_equal;
    const bool is_signed = comparison.code < operation::uless;
    const bool may_decide =
        is_equality || (is_signed ? a.exact_signed && b.exact_signed : a.exact_unsigned && b.exact_unsigned);
    if (a.base != b.base || !may_decide) {
      return std::nullopt;
    }
    const std::uint64_t operands[2] = {a.by, b.by};
    return evaluate(comparison, span<const std::uint64_t>(operands, 2)).bits != 0;
  }

  /// Replaces the negation of a comparison by the opposite comparison. Others may still read the old one: the new one
  /// costs no more than the negation.
  template <class Context> package_order negated_comparison(Context& context, value_id p) {
    const operation_info info = info_within(context, p, 1);
    if (!is_comparison(info.code)) {
      return {};
    }
    read_operands(context.ir(), p);
    package_order order = package_order::to_tree("the negation of a comparison");
    order.dies = p;
    order.add({negated(info.code), 1, info.operand_width, {}}, order_operand::value(operands_[0]),
              order_operand::value(operands_[1]));
    return order;
  }

  template <class Context> package_order visit_select(Context& context, value_id v) {
    const auto& ir = context.ir();
    read_operands(ir, v);
    const auto condition = ir.constant(operands_[0]);
    if (condition) {
      return package_order::to_existing(operands_[*condition != 0 ? 1 : 2], "a literal selects");
    }
    if (operands_[1] == operands_[2]) {
      return package_order::to_existing(operands_[1], "both selected values are the same");
    }
    if (ir.operation(v).width == 1 && ir.operation(operands_[0]).width == 1) {
      const auto yes = ir.constant(operands_[1]);
      const auto no = ir.constant(operands_[2]);
      if (yes && no && *yes == 1 && *no == 0) {
        return package_order::to_existing(operands_[0], "a choice between the bits 1 and 0");
      }
    }
    return visit_nested_select(context, v);
  }

  /// Merges nested choices by one condition.
  ///
  ///     before                  after
  ///     t = select c, x, y
  ///     v = select c, t, z      v = select c, x, z
  template <class Context> package_order visit_nested_select(Context& context, value_id v) {
    const auto& ir = context.ir();
    const value_id condition = operands_[0];
    const value_id arms[2] = {operands_[1], operands_[2]};
    for (std::size_t side = 0; side != 2; ++side) {
      if (info_within(context, arms[side], ir.operation(v).width).code != operation::select) {
        continue;
      }
      read_operands(ir, arms[side]);
      if (operands_[0] != condition) {
        continue;
      }
      if (operands_[2 - side] == arms[1 - side]) {
        return package_order::to_existing(arms[side], "a choice of the same choice");
      }
      package_order order = package_order::to_tree("a choice of a choice by the same condition");
      order.add(ir.operation(v), order_operand::value(condition),
                order_operand::value(side == 0 ? operands_[1] : arms[0]),
                order_operand::value(side == 0 ? arms[1] : operands_[2]));
      return order;
    }
    return {};
  }

  template <class IR> void read_operands(const IR& ir, value_id v) {
    std::size_t i = 0;
    detail::for_each_id(ir.operands(v), [&](value_id x) {
      if (i < 3) {
        operands_[i++] = x;
      }
    });
  }

  /// Whether `pattern` begins with `tree`. The operation then exists already.
  static bool is_in_pattern(const algebra_tree& tree, const algebra_tree& pattern) {
    if (tree.size + 1U >= pattern.size || detail::first_term(pattern, tree.size - 1) != 0) {
      return false;
    }
    for (std::size_t i = 0; i != tree.size; ++i) {
      if (tree.terms[i] != pattern.terms[i]) {
        return false;
      }
    }
    return true;
  }

  template <class Context> package_order order_of(Context& context, value_id v, const algebra_rule& rule) {
    const operation_info root = context.ir().operation(v);
    const algebra_tree& result = rule.result;
    const algebra_match& match = found_.match;
    if (result.size == 1 && result.root().kind == term_kind::leaf) {
      return package_order::to_existing(found_.leaves[result.root().index], rule.name);
    }
    if (result.size == 1) {
      return package_order::to_constant(detail::literal_of(rule, result.root(), match, root.width), rule.name);
    }
    if (is_in_pattern(result, rule.pattern)) { // reuse it: a new one might trap
      return package_order::to_existing(found_.matched[result.size - 1], rule.name);
    }
    package_order order = package_order::to_tree(rule.name);
    order.dies = dying(context, v, rule.pattern);
    order_operand stack[algebra_tree::max_terms];
    std::size_t height = 0;
    for (std::size_t i = 0; i != result.size; ++i) {
      const algebra_term& t = result.terms[i];
      if (t.kind == term_kind::leaf) {
        stack[height++] = order_operand::value(found_.leaves[t.index]);
      } else if (t.kind != term_kind::operation) {
        stack[height++] = order_operand::number(match.width, detail::literal_of(rule, t, match, match.width));
      } else {
        height -= arity(t.code);
        stack[height] =
            order.add(detail::info_of_term(t, match.width), stack[height], stack[height + 1], stack[height + 2]);
        ++height;
      }
    }
    if (rule.keeps != nullptr) {
      order.operations[order.num_operations - 1].info.flags = rule.keeps(match);
    }
    return order;
  }

  /// An operation of the pattern that only the root reads and that is in its node, so it runs equally often. The root
  /// does not count. `no_value` if there is none.
  template <class Context> value_id dying(Context& context, value_id v, const algebra_tree& pattern) const {
    for (std::size_t i = 0; i + 1 < pattern.size; ++i) {
      const value_id u = found_.matched[i];
      if (pattern.terms[i].kind == term_kind::operation && context.home(u) == context.home(v) &&
          context.is_only_user(u, v)) {
        return u;
      }
    }
    return no_value;
  }

  rule_index rules_;
  rule_match found_;
  value_id arguments_[3] = {no_value, no_value, no_value}; ///< operands of the visited operation
  std::size_t num_arguments_ = 0;
  value_id operands_[3] = {no_value, no_value, no_value};
};

/// Replaces a load by the value that an earlier load or store left in memory, as `memory_redundancy` does. If the IR
/// states its byte order, also finds a part of a wider number.
///
///     before                   after
///     store a, x               store a, x
///     v = load a               readers of v read x
///     u = load8 a + 1          t = shr x, 8; u = trunc8 t      (little-endian)
struct redundant_loads {
  static constexpr const char* name = "loads";

  template <class Context> package_order visit(Context& context, value_id v) const {
    const auto& ir = context.ir();
    const std::optional<memory_reference> place = context.plain_access(v, effect_kind::reads);
    if (!place) {
      return {};
    }
    const detail::held_value held = context.held_before(v, *place, detail::guard_of_access(ir, v));
    if (held.access == no_value) {
      return {};
    }
    if (!held.is_exact || !detail::fits_in_bytes(detail::bits_of_access(ir, v, *place), place->bytes)) {
      return {};
    }
    if (held.distance == 0 && held.bytes == place->bytes) {
      package_order order = package_order::to_existing(held.value, "memory holds it");
      if (held.value == held.access && context.promises_more(held.value, v)) {
        order.drops_promises_of = held.value;
      }
      return order;
    }
    if constexpr (has_is_little_endian<std::remove_cvref_t<decltype(ir)>>) {
      const unsigned wide = ir.operation(held.value).width;
      const unsigned narrow = ir.operation(v).width;
      if (ir.is_little_endian() && held.bytes <= 8 && wide == 8 * held.bytes && narrow == 8 * place->bytes) {
        const auto w = static_cast<std::uint8_t>(wide);
        package_order order = package_order::to_tree("memory holds it as a part of a wider number");
        order_operand x = order_operand::value(held.value);
        if (held.distance != 0) {
          x = order.add({operation::shr, w, w, {}}, x, order_operand::number(wide, 8 * held.distance));
        }
        order.add({operation::truncate, static_cast<std::uint8_t>(narrow), w, {}}, x);
        if (held.value == held.access && context.promises_more(held.value, v)) {
          order.drops_promises_of = held.value; // it promises about all bits, the narrow load did not
        }
        return order;
      }
    }
    return {};
  }
};

/// Deletes stores that change nothing and stores that are overwritten before anything may read them.
///
///     before               after
///     v = load a           v = load a
///     store a, v
///     store a, x
///     store a, y           store a, y
struct redundant_stores {
  static constexpr const char* name = "stores";

  template <class Context> package_order visit(Context& context, value_id v) const {
    const std::optional<memory_reference> place = context.plain_access(v, effect_kind::writes);
    if (!place) {
      return {};
    }
    if (place->stored != no_value && !context.is_undefined(place->stored)) {
      const detail::held_value held = context.held_before(v, *place, {}, true);
      if (held.access != no_value && held.distance == 0 && held.bytes == place->bytes && held.value == place->stored) {
        return package_order::erase("memory holds what it stores");
      }
    }
    return context.is_overwritten(v, *place) ? package_order::erase("it is overwritten before it is read")
                                             : package_order();
  }
};

/// The low-level package, with its members in the order of the paper.
using low_level_package = managed_package<dead_operations, known_constants, common_subexpressions, algebraic_identities,
                                          redundant_loads, redundant_stores>;

MIDEND_END_NAMESPACE
