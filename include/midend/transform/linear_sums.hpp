/// `linear_sums`: values of a program as sums of other values, modulo 2^width.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A value plus a number, modulo 2^width. If the value has more bits, its low ones count.
struct value_and_number {
  value_id value = no_value; ///< `no_value`: it is the number alone
  std::uint64_t number = 0;
  unsigned width = 0; ///< 0: unknown, or no number of 1 … 64 bits

  friend constexpr bool operator==(const value_and_number&, const value_and_number&) = default;
};

/// Σ coefficient · value + number, modulo 2^width, of a few values.
class linear_sum {
public:
  static constexpr std::uint32_t max_terms = 6;

  constexpr explicit linear_sum(unsigned width) : width_(width) {}

  constexpr unsigned width() const { return width_; }

  /// False if there were too many terms: then the sum is unknown.
  constexpr bool fits() const { return fits_; }

  constexpr std::uint32_t num_terms() const { return num_terms_; }

  constexpr value_id value(std::uint32_t i) const { return values_[i]; }

  constexpr std::uint64_t coefficient(std::uint32_t i) const { return coefficients_[i]; }

  constexpr std::uint64_t number() const { return number_; }

  /// Whether the sum is a number for all values.
  constexpr bool is_number() const { return fits_ && num_terms_ == 0; }

  constexpr bool is_zero() const { return is_number() && number_ == 0; }

  /// Adds a multiple of `x`, which must have at least the width of the sum.
  constexpr void add(const value_and_number& x, std::uint64_t factor) {
    fits_ = fits_ && x.width >= width_ && x.width <= 64;
    number_ = (number_ + x.number * factor) & low_ones(width_);
    if (x.value == no_value) {
      return;
    }
    std::uint32_t i = 0;
    while (i != num_terms_ && values_[i] != x.value) {
      ++i;
    }
    if (i == max_terms) {
      fits_ = false;
      return;
    }
    if (i == num_terms_) {
      values_[i] = x.value;
      coefficients_[i] = 0;
      ++num_terms_;
    }
    coefficients_[i] = (coefficients_[i] + factor) & low_ones(width_);
    if (coefficients_[i] == 0) {
      remove(i);
    }
  }

  constexpr void remove(std::uint32_t i) {
    --num_terms_;
    for (; i != num_terms_; ++i) {
      values_[i] = values_[i + 1];
      coefficients_[i] = coefficients_[i + 1];
    }
  }

private:
  value_id values_[max_terms] = {};
  std::uint64_t coefficients_[max_terms] = {};
  std::uint64_t number_ = 0;
  unsigned width_;
  std::uint32_t num_terms_ = 0;
  bool fits_ = true;
};

template <semantic_ir IR> class linear_sums;

/// Memory of `linear_sums`, to be reused.
class linear_sums_memory {
  template <semantic_ir IR> friend class linear_sums;

  depth_first_order_workspace searching_;
  depth_first_numbering order_;
  flat_array<value_and_number> sums_;
  flat_array<node_id> home_;
};

/// The values of a program as sums. Each value of up to 64 bits is one value plus a number. The reader looks through
/// copies, additions of numbers, truncations, operations on numbers, and phis whose inputs are all one sum. So the
/// counter of a copy of a loop is the phi of the header plus a number. `expand` looks further, into sums of several
/// values.
///
/// Phis of headers and, in irreducible regions, of nodes that have a predecessor after them in reverse postorder, are
/// not looked through. Values of unreachable nodes are unknown; edges from such nodes are ignored. Promises are not
/// used.
template <semantic_ir IR> class linear_sums {
public:
  /// The operation that computes a value, with its first operands.
  struct definition {
    operation_info info;
    value_id operands[3] = {no_value, no_value, no_value};
    std::uint32_t num_operands = 0;
  };

  /// O(n + m + values + operands). The arguments must outlive this object.
  linear_sums(const IR& ir, const dominators_and_loops_result& found, linear_sums_memory& memory)
      : ir_(ir), found_(found), memory_(memory) {
    const auto count = static_cast<std::size_t>(ir.num_values());
    depth_first_order(ir.graph(), memory.searching_, memory.order_);
    memory.sums_.assign(count, {});
    memory.home_.assign(count, no_node);
    const span<const node_id> postorder = memory.order_.postorder();
    for (const node_id n : postorder) {
      detail::for_each_id(ir.values(n), [&](value_id v) { memory.home_[v] = n; });
    }
    // A definition dominates its uses, apart from inputs of phis, so it is read first.
    for (std::size_t i = postorder.size(); i-- != 0;) {
      detail::for_each_id(ir.values(postorder[i]), [&](value_id v) {
        memory.sums_[v] = ir.is_phi(v) ? sum_of_phi(v, postorder[i]) : sum_of_operation(v);
      });
    }
  }

  /// The node of a value; `no_node` for parameters, numbers and unreachable values.
  node_id home(value_id v) const { return v < memory_.home_.size() ? memory_.home_[v] : no_node; }

  /// A value as an operation of `width` bits reads it; unknown if the value has another width.
  value_and_number read(value_id v, unsigned width) const {
    if (v >= memory_.sums_.size() || width == 0 || width > 64) {
      return {};
    }
    if constexpr (has_is_undefined<IR>) {
      if (ir_.is_undefined(v)) {
        return {};
      }
    }
    if (const auto bits = ir_.constant(v)) {
      const unsigned own = ir_.operation(v).width;
      const bool has_width = own != 0 && own <= 64;
      return has_width ? value_and_number{no_value, *bits & low_ones(own) & low_ones(width), width}
                       : value_and_number{};
    }
    const value_and_number sum = memory_.sums_[v].width == 0 ? itself(v) : memory_.sums_[v];
    return sum.width == width ? sum : value_and_number{};
  }

  /// Reads a value in its own width.
  value_and_number read(value_id v) const {
    return v < memory_.sums_.size() ? read(v, ir_.operation(v).width) : value_and_number{};
  }

  /// `other` for a phi, a literal, or an operation with more than three operands.
  definition definition_of(value_id v) const {
    definition out;
    if (v >= memory_.sums_.size() || ir_.is_phi(v) || ir_.constant(v)) {
      return out;
    }
    out.info = ir_.operation(v);
    detail::for_each_id(ir_.operands(v), [&](value_id o) {
      if (out.num_operands < 3) {
        out.operands[out.num_operands] = o;
      }
      ++out.num_operands;
    });
    const bool is_known = out.info.code != operation::other && out.num_operands == arity(out.info.code) &&
                          out.info.width != 0 && out.info.width <= 64;
    out.info.code = is_known ? out.info.code : operation::other;
    return out;
  }

  /// Operand `i`, in the width that the operation reads.
  value_and_number operand(const definition& d, std::uint32_t i) const {
    const bool has_own = d.info.code >= operation::equal && d.info.code <= operation::sign_extend;
    const bool is_amount = i == 1 && (d.info.code == operation::shl || d.info.code == operation::shr ||
                                      d.info.code == operation::sar || d.info.code == operation::shladd);
    const bool is_any =
        is_amount || (d.info.code == operation::select && i == 0) || d.info.code >= operation::shl_modulo;
    return is_any ? read(d.operands[i]) : read(d.operands[i], has_own ? d.info.operand_width : d.info.width);
  }

  /// Replaces term `i` by its operands if it is a sum, a difference or a product with a number.
  bool expand(linear_sum& s, std::uint32_t i) const {
    const definition d = definition_of(s.value(i));
    const std::uint64_t factor = s.coefficient(i);
    value_and_number x[3];
    for (std::uint32_t k = 0; k < 3 && k < d.num_operands && d.info.code != operation::other; ++k) {
      x[k] = operand(d, k);
      if (x[k].width == 0) {
        return false;
      }
    }
    const auto replace_by = [&](const value_and_number& a, std::uint64_t by_a, const value_and_number& b = {},
                                std::uint64_t by_b = 0) {
      s.remove(i);
      s.add(a, factor * by_a);
      if (by_b != 0) {
        s.add(b, factor * by_b);
      }
      return true;
    };
    const auto is_shift = [&] { return x[1].value == no_value && x[1].number < d.info.width; };
    switch (d.info.code) {
    case operation::add:
      return replace_by(x[0], 1, x[1], 1);
    case operation::sub:
      return replace_by(x[0], 1, x[1], ~std::uint64_t{0});
    case operation::neg:
      return replace_by(x[0], ~std::uint64_t{0});
    case operation::mul:
      return x[1].value == no_value   ? replace_by(x[0], x[1].number)
             : x[0].value == no_value ? replace_by(x[1], x[0].number)
                                      : false;
    case operation::shl:
      return is_shift() && replace_by(x[0], std::uint64_t{1} << x[1].number);
    case operation::shladd:
      return is_shift() && replace_by(x[0], std::uint64_t{1} << x[1].number, x[2], 1);
    case operation::truncate:
    case operation::zero_extend:
    case operation::sign_extend:
      return x[0].width >= s.width() && replace_by(x[0], 1);
    default:
      return false;
    }
  }

  /// a - b, with sums expanded up to a limit. O(1).
  linear_sum difference(const value_and_number& a, const value_and_number& b) const {
    linear_sum s(a.width);
    s.add(a, 1);
    s.add(b, ~std::uint64_t{0});
    expand_all(s);
    return s;
  }

  void expand_all(linear_sum& s) const {
    std::uint32_t at = 0; // the terms before it cannot be expanded
    for (int steps = 0; steps != 16 && at < s.num_terms() && s.fits();) {
      if (expand(s, at)) { // other terms may have been cancelled, too
        at = 0;
        ++steps;
      } else {
        ++at;
      }
    }
  }

private:
  value_and_number itself(value_id v) const {
    const unsigned width = ir_.operation(v).width;
    return width != 0 && width <= 64 ? value_and_number{v, 0, width} : value_and_number{};
  }

  value_and_number sum_of_phi(value_id v, node_id n) const {
    const unsigned width = ir_.operation(v).width;
    const auto& order = memory_.order_;
    value_and_number same;
    bool is_same = !found_.loops.is_header(n);
    bool has_any = false;
    detail::for_each_id(ir_.graph().in_edges(n), [&](edge_id e) {
      const auto source = static_cast<node_id>(ir_.graph().edge_source(e));
      if (!is_same || !order.is_reachable(source)) {
        return;
      }
      const value_and_number input = read(static_cast<value_id>(ir_.phi_input(v, e)), width);
      is_same =
          order.postorder_number(source) > order.postorder_number(n) && input.width != 0 && (!has_any || input == same);
      same = input;
      has_any = true;
    });
    return is_same && has_any ? same : itself(v);
  }

  value_and_number sum_of_operation(value_id v) const {
    const definition d = definition_of(v);
    if (d.info.code == operation::other) {
      return ir_.constant(v) ? value_and_number{} : itself(v);
    }
    value_and_number x[3];
    bool are_numbers = true;
    for (std::uint32_t i = 0; i != d.num_operands; ++i) {
      x[i] = operand(d, i);
      if (x[i].width == 0) {
        return itself(v);
      }
      are_numbers = are_numbers && x[i].value == no_value;
    }
    const std::uint64_t mask = low_ones(d.info.width);
    if (are_numbers) {
      const std::uint64_t args[] = {x[0].number, x[1].number, x[2].number};
      const evaluation result = evaluate(d.info, span<const std::uint64_t>(args, d.num_operands));
      return result ? value_and_number{no_value, result.bits & mask, d.info.width} : itself(v);
    }
    switch (d.info.code) {
    case operation::copy:
      return x[0];
    case operation::bit_and:
    case operation::bit_or:
      return x[0] == x[1] ? x[0] : itself(v);
    case operation::add:
      return x[0].value == no_value || x[1].value == no_value
                 ? value_and_number{x[0].value == no_value ? x[1].value : x[0].value,
                                    (x[0].number + x[1].number) & mask, d.info.width}
                 : itself(v);
    case operation::sub:
      return x[1].value == no_value || x[1].value == x[0].value
                 ? value_and_number{x[1].value == no_value ? x[0].value : no_value, (x[0].number - x[1].number) & mask,
                                    d.info.width}
                 : itself(v);
    case operation::truncate: {
      const definition inner = definition_of(x[0].value);
      const bool is_extended = inner.info.code == operation::zero_extend || inner.info.code == operation::sign_extend;
      if (is_extended && inner.info.operand_width >= d.info.width) {
        const value_and_number y = operand(inner, 0);
        return y.width == 0 ? itself(v) : value_and_number{y.value, (x[0].number + y.number) & mask, d.info.width};
      }
      return {x[0].value, x[0].number & mask, d.info.width};
    }
    default:
      return itself(v);
    }
  }

  const IR& ir_;
  const dominators_and_loops_result& found_;
  linear_sums_memory& memory_;
};

MIDEND_END_NAMESPACE
