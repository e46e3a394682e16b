/// Translates operations that read phis to the edges into the node of the phis.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/detail/congruence_rules.hpp"
#include "midend/ssa/value_numbering_plan.hpp"
#include "midend/ssa/value_numbering_result.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// If v = op(p, c) is in a node that n dominates, p is a phi of n and c is computed above n, then v equals op(a, c)
/// along an edge where p takes a: no path from n to v recomputes c.
template <class IR, class D> class translated_operations {
public:
  using constant_type = domain_constant<D>;
  using claim = phi_of_operations<constant_type>;

  /// A value or, if no value is known to have it, a constant.
  struct term {
    value_id value = no_value;
    std::optional<constant_type> constant;

    explicit operator bool() const { return value != no_value || constant; }
  };

  translated_operations(const IR& ir, const value_numbering_result<D>& found,
                        const value_numbering_plan<constant_type>& plan)
      : ir_(ir), found_(found), plan_(plan), tree_(dominators(ir.graph())) {
    const std::size_t count = found.num_values();
    home_.assign(count, no_node);
    now_.resize_for_overwrite(count);
    claim_.assign(count, no_claim);
    for (node_id n = 0; n != num_nodes(); ++n) {
      for_each_id(ir.values(n), [&](value_id v) { home_[v] = n; });
    }
    for (value_id v = 0; v != count; ++v) {
      now_[v] = v;
      if (const auto c = constant(v); c && !is_undefined_literal(ir_, v) && found_.is_computed(v)) {
        (void)number_of_constant(v, *c, found_.class_of(v));
      }
    }
    for (const auto& change : plan.replacements) {
      now_[change.value] = change.leader;
    }
    collect_in_edges();
  }

  node_id num_nodes() const { return static_cast<node_id>(ir_.graph().num_nodes()); }

  const dominator_tree& tree() const { return tree_; }

  node_id home(value_id v) const { return home_[v]; }

  value_id now(value_id v) const { return now_[v]; }

  /// Values that became phis.
  void add_claim(std::size_t i) { claim_[plan_.phis[i].value] = static_cast<std::uint32_t>(i); }

  span<const edge_id> in_edges(node_id n) const {
    return {in_edges_.data() + ends_[n], in_edges_.data() + ends_[n + std::size_t{1}]};
  }

  std::optional<constant_type> constant(value_id v) const {
    const std::optional<constant_type> literal = ir_.constant(v);
    return literal ? literal : found_.constant(v);
  }

  /// Whether `v` can be translated at all.
  bool may_translate(value_id v) const {
    return home_[v] != no_node && !ir_.is_phi(v) && found_.is_executable(home_[v]) && found_.is_computed(v) &&
           depends_on_operands_alone(ir_, v);
  }

  /// The node of the phi that an operand is, or that replaces it; or `no_node`.
  node_id node_of_phi(value_id operand) const {
    if (claim_[operand] != no_claim) {
      return plan_.phis[claim_[operand]].node;
    }
    const value_id v = now_[operand];
    return home_[v] != no_node && ir_.is_phi(v) ? home_[v] : no_node;
  }

  /// The value of `operand` on edge `i` into `n`; nothing if it is unknown.
  term translated(value_id operand, node_id n, std::size_t i) const {
    term out;
    if (node_of_phi(operand) != n) {
      const value_id v = now_[operand];
      if (claim_[operand] == no_claim && (home_[v] == no_node || tree_.strictly_dominates(home_[v], n))) {
        out.value = v;
      }
    } else if (claim_[operand] != no_claim) {
      const auto& input = plan_.phis[claim_[operand]].inputs[i];
      out = {input.value, input.constant};
    } else {
      out.value = static_cast<value_id>(ir_.phi_input(now_[operand], in_edges(n)[i]));
    }
    if (out.value != no_value) {
      if (is_undefined_literal(ir_, out.value) || !found_.is_computed(out.value)) {
        return {};
      }
      out.constant = constant(out.value);
    }
    return out;
  }

  /// The class number of a term with the type of `like`. Constants that no value has get numbers of their own.
  std::uint32_t number(const term& t, value_id like) {
    return t.value != no_value ? found_.class_of(t.value)
                               : number_of_constant(like, *t.constant,
                                                    static_cast<std::uint32_t>(found_.num_values() + others_.size()));
  }

  /// Translates the operands of `v` to edge `i` into `n`. Returns whether all are known.
  bool translate(value_id v, node_id n, std::size_t i) {
    operands_.clear();
    terms_.clear();
    bool are_known = true;
    for_each_id(ir_.operands(v), [&](value_id operand) {
      operands_.push_back(operand);
      terms_.push_back(translated(operand, n, i));
      are_known = are_known && terms_.back();
    });
    return are_known;
  }

  /// The constant that the translated `v` is, if any. Call it after `translate`.
  std::optional<constant_type> folded(value_id v) {
    const operation_info info = ir_.operation(v);
    const D& domain = found_.facts().domain();
    if constexpr (has_value_transfer<D>) {
      if (info.code != operation::other) {
        std::array<element_of<D>, 3> args{domain.bottom(), domain.bottom(), domain.bottom()};
        const std::size_t wanted = arity(info.code);
        for (std::size_t i = 0; i != wanted; ++i) {
          const unsigned width = ir_.operation(operands_[i]).width;
          args[i] = terms_[i].constant ? domain.constant(width, *terms_[i].constant) : found_.fact(terms_[i].value);
          if constexpr (!reads_any_width<D>) {
            if (!reads_whole(info.code, static_cast<unsigned>(i))) {
              args[i] = read_as(domain, read_width(info), args[i], width);
            }
          }
        }
        return domain.as_constant(domain.transfer(info, span<const element_of<D>>(args.data(), wanted)));
      }
    }
    constants_.clear();
    for (const term& t : terms_) {
      if (!t.constant) {
        return std::nullopt;
      }
      constants_.push_back(*t.constant);
    }
    if constexpr (has_partial_fold<IR>) {
      const std::vector<std::optional<constant_type>> some(constants_.begin(), constants_.end());
      return ir_.fold(v, span<const std::optional<constant_type>>(some));
    } else {
      return ir_.fold(v, span<const constant_type>(constants_));
    }
  }

  /// The operand that the translated `v` returns unchanged. Call it after `translate`.
  term passed_on(value_id v) const {
    const value_id operand = operand_passed_on(
        ir_, v,
        [this](value_id a, value_id b) { return a == b || (of(a).value != no_value && of(a).value == of(b).value); },
        [this](value_id a) { return of(a).constant; });
    return operand == no_value ? truth_asked_for(v) : of(operand);
  }

  /// Describes what the translated `v` computes. Call it after `translate`.
  void describe(value_id v, flat_array<std::uint32_t>& out) {
    describe_operation(ir_, v, [this](value_id operand) { return number(of(operand), operand); }, out);
  }

  /// Describes what an operation computes where it is.
  void describe_here(value_id v, flat_array<std::uint32_t>& out) const {
    describe_operation(ir_, v, [this](value_id operand) { return found_.class_of(operand); }, out);
  }

  /// Whether `v` is computed before `e` is taken.
  bool arrives(value_id v, edge_id e) const {
    return home_[v] == no_node || tree_.dominates(home_[v], static_cast<node_id>(ir_.graph().edge_source(e)));
  }

private:
  static constexpr std::uint32_t no_claim = 0xffff'ffff;

  struct other_constant {
    constant_type constant;
    value_id like;
    std::uint32_t number;
  };

  /// If the translated `v` tests (zero_extend b) != 0, the bit b. It is computed before its extension. Front ends
  /// extend conditions and compare them again, with a phi between the two. Call it after `translate`.
  term truth_asked_for(value_id v) const {
    if constexpr (std::same_as<constant_type, std::uint64_t>) {
      if (const operation_info info = ir_.operation(v); info.code == operation::not_equal && info.width == 1) {
        const auto [a, b, c] = operands_of_known(ir_, v, info.code);
        return of(b).constant == std::uint64_t{0}   ? bit_extended_by(v, of(a).value)
               : of(a).constant == std::uint64_t{0} ? bit_extended_by(v, of(b).value)
                                                    : term();
      }
    }
    return {};
  }

  /// The bit that `v` extends by zeros, if it has the type of `like`.
  term bit_extended_by(value_id like, value_id v) const {
    if (v == no_value || !may_translate(v) || claim_[v] != no_claim) {
      return {};
    }
    const operation_info info = ir_.operation(v);
    if (info.code != operation::zero_extend || info.operand_width != 1) {
      return {};
    }
    const value_id bit = operands_of_known(ir_, v, info.code)[0];
    if (ir_.operation(bit).width != 1 || !same_type(ir_, like, bit) || claim_[bit] != no_claim ||
        !found_.is_computed(bit)) {
      return {};
    }
    return {now_[bit], constant(now_[bit])};
  }

  const term& of(value_id operand) const {
    std::size_t i = 0;
    while (operands_[i] != operand) {
      ++i;
    }
    return terms_[i];
  }

  std::uint32_t number_of_constant(value_id like, const constant_type& c, std::uint32_t fresh) {
    const auto at = static_cast<std::uint32_t>(others_.size());
    const std::uint32_t i = known_.find_or_insert(hash_of_constant(c), at, [&](std::uint32_t k) {
      return others_[k].constant == c && same_type(ir_, like, others_[k].like);
    });
    if (i == at) {
      others_.push_back({c, like, fresh});
    }
    return others_[i].number;
  }

  void collect_in_edges() {
    ends_.assign(num_nodes() + std::size_t{1}, 0);
    const auto for_each_edge = [&](auto visit) {
      for (node_id n = num_nodes(); n-- != 0;) {
        for_each_id(ir_.graph().out_edges(n),
                    [&](edge_id e) { visit(e, static_cast<node_id>(ir_.graph().edge_target(e))); });
      }
    };
    for_each_edge([&](edge_id, node_id target) { ++ends_[target]; });
    counts_to_ends(ends_);
    in_edges_.resize_for_overwrite(ends_.back());
    for_each_edge([&](edge_id e, node_id target) { in_edges_[--ends_[target]] = e; });
  }

  const IR& ir_;
  const value_numbering_result<D>& found_;
  const value_numbering_plan<constant_type>& plan_;
  dominator_tree tree_;
  flat_array<node_id> home_;
  flat_array<value_id> now_;        ///< by value: what replaces it, or itself
  flat_array<std::uint32_t> claim_; ///< by value: its index in the plan's phis
  flat_array<std::uint32_t> ends_;
  flat_array<edge_id> in_edges_;
  std::vector<other_constant> others_; ///< each constant once
  hash_map<std::uint64_t> known_;
  flat_array<value_id> operands_;
  std::vector<term> terms_; ///< by operand
  std::vector<constant_type> constants_;
};

} // namespace detail

MIDEND_END_NAMESPACE
