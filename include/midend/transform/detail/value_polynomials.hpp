/// `value_polynomials`: values as polynomials, for the checkers of final values and of loops that end.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/support/swap.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A factor of a term: an integer that depends on a value or a loop.
struct polynomial_atom {
  enum class kind : std::uint8_t {
    unsigned_number, ///< value `id`, read without sign
    signed_number,   ///< value `id`, read with sign
    pairs,           ///< value `id` over 2, a binomial coefficient
    iteration,       ///< the iteration of loop `id` over `extra`, a binomial coefficient
    power,           ///< `extra` to the power of the iteration of loop `id`
    limit,           ///< the bound of loop `id`, or the start of its counter if that is beyond the bound
    count,           ///< the number of backedges of loop `id`
    count_pairs,     ///< that number over 2
  };

  kind what = kind::unsigned_number;
  std::uint32_t id = 0;
  std::uint64_t extra = 0;

  constexpr bool is_number_of_value() const { return what == kind::unsigned_number || what == kind::signed_number; }

  constexpr bool is_of_iteration(loop_id l) const {
    return (what == kind::iteration || what == kind::power) && id == l;
  }

  constexpr bool before(const polynomial_atom& other) const {
    return what != other.what ? what < other.what : id != other.id ? id < other.id : extra < other.extra;
  }

  friend constexpr bool operator==(const polynomial_atom&, const polynomial_atom&) = default;
};

/// A number times the product of some atoms, in order.
struct polynomial_term {
  static constexpr std::size_t max_atoms = 4;

  std::uint64_t coefficient = 0;
  std::uint32_t size = 0;
  polynomial_atom atoms[max_atoms] = {};

  constexpr bool has_atoms_of(const polynomial_term& other) const {
    bool same = size == other.size;
    for (std::uint32_t i = 0; same && i != size; ++i) {
      same = atoms[i] == other.atoms[i];
    }
    return same;
  }
};

/// A sum of terms modulo 2^64, or unknown.
struct polynomial {
  static constexpr std::size_t max_terms = 200;

  bool is_known = true;
  flat_array<polynomial_term> terms;

  static constexpr polynomial unknown() {
    polynomial out;
    out.is_known = false;
    return out;
  }

  static constexpr polynomial number(std::uint64_t n) {
    polynomial out;
    out.add(polynomial_term{n, 0, {}});
    return out;
  }

  static constexpr polynomial of(const polynomial_atom& a) {
    polynomial out;
    out.add(polynomial_term{1, 1, {a}});
    return out;
  }

  constexpr bool is_number() const { return is_known && (terms.empty() || (terms.size() == 1 && terms[0].size == 0)); }

  /// Requires a number.
  constexpr std::uint64_t constant() const { return terms.empty() ? 0 : terms[0].coefficient; }

  /// Whether it is a single atom, which then is `a`.
  constexpr bool is_atom(polynomial_atom& a) const {
    const bool is = is_known && terms.size() == 1 && terms[0].size == 1 && terms[0].coefficient == 1;
    a = is ? terms[0].atoms[0] : a;
    return is;
  }

  constexpr void add(const polynomial_term& t) {
    std::size_t i = 0;
    while (i != terms.size() && !terms[i].has_atoms_of(t)) {
      ++i;
    }
    if (t.coefficient == 0) {
      return;
    }
    if (i == max_terms) {
      is_known = false;
      return;
    }
    if (i == terms.size()) {
      terms.push_back(t);
      return;
    }
    terms[i].coefficient += t.coefficient;
    if (terms[i].coefficient == 0) {
      terms[i] = terms.back();
      terms.pop_back();
    }
  }

  constexpr void add(const polynomial& other, std::uint64_t by = 1) {
    is_known = is_known && other.is_known;
    for (polynomial_term t : other.terms) {
      t.coefficient *= by;
      add(t);
    }
  }

  /// Reduces modulo 2^width.
  constexpr void cut(unsigned width) {
    std::size_t kept = 0;
    for (polynomial_term t : terms) {
      t.coefficient &= low_ones(width);
      if (t.coefficient != 0) {
        terms[kept++] = t;
      }
    }
    terms.shrink(kept);
  }
};

/// Whether both are known and equal, in any order.
constexpr bool same_polynomial(const polynomial& a, const polynomial& b) {
  polynomial apart = a;
  apart.add(b, ~std::uint64_t{0});
  return apart.is_known && apart.terms.empty();
}

/// Adds the product of two terms. Products of iterations are sums of binomial coefficients.
constexpr void add_product(const polynomial_term& a, const polynomial_term& b, polynomial& out) {
  using kind = polynomial_atom::kind;
  polynomial_term product{a.coefficient * b.coefficient, 0, {}};
  polynomial_atom all[2 * polynomial_term::max_atoms];
  std::uint32_t count = 0;
  std::uint32_t i = 0;
  std::uint32_t j = 0;
  while (i != a.size || j != b.size) {
    const bool takes_first = j == b.size || (i != a.size && a.atoms[i].before(b.atoms[j]));
    all[count++] = takes_first ? a.atoms[i++] : b.atoms[j++];
  }
  for (std::uint32_t k = 0; k + 1 < count; ++k) {
    const polynomial_atom x = all[k];
    const polynomial_atom y = all[k + 1];
    if (x.what != y.what || x.id != y.id || (x.what != kind::iteration && x.what != kind::power)) {
      continue;
    }
    if (x.what == kind::power || x.extra != 1 || y.extra > 2 || count - 1 > polynomial_term::max_atoms) {
      out.is_known = false;
      return;
    }
    // k · (k over j) is j · (k over j) + (j + 1) · (k over j + 1).
    for (std::uint64_t degree = y.extra; degree != y.extra + 2; ++degree) {
      polynomial_term one{product.coefficient * degree, count - 1, {}};
      std::uint32_t n = 0;
      for (std::uint32_t m = 0; m != count; ++m) {
        if (m != k + 1) {
          one.atoms[n++] = m == k ? polynomial_atom{kind::iteration, x.id, degree} : all[m];
        }
      }
      out.add(one);
    }
    return;
  }
  if (count > polynomial_term::max_atoms) {
    out.is_known = false;
    return;
  }
  product.size = count;
  for (std::uint32_t k = 0; k != count; ++k) {
    product.atoms[k] = all[k];
  }
  out.add(product);
}

constexpr polynomial product_of(const polynomial& a, const polynomial& b) {
  polynomial out;
  out.is_known = a.is_known && b.is_known;
  for (const polynomial_term& x : a.terms) {
    for (const polynomial_term& y : b.terms) {
      if (out.is_known) {
        add_product(x, y, out);
      }
    }
  }
  return out;
}

// The records of `value_polynomials`, which are outside of it so that they have default values inside.

/// Terms in the pool of all.
struct polynomial_list {
  static constexpr std::uint8_t itself = 255; ///< the value is its own polynomial

  std::uint32_t first = 0;
  std::uint8_t count = itself;
};

struct value_as_polynomials {
  polynomial_list lists[3]; ///< by reading
  std::uint8_t width = 64;
};

struct edge_into_node {
  node_id source = no_node;
  edge_id id = no_edge;
};

/// Each value as a polynomial of phis, parameters and operations that have no polynomial. Each value has three: its
/// bits modulo 2^width, and, as far as operations promise not to wrap, its number with and without sign modulo 2^64.
///
/// Does not look at loops. Looks through phis whose inputs are all one polynomial.
class value_polynomials {
public:
  /// Reads all reachable values. O(values + operands).
  template <class IR> void run(const IR& ir) {
    const auto& g = ir.graph();
    records_.assign(static_cast<std::size_t>(ir.num_values()), {});
    terms_.clear();
    for (value_id v = 0; v != records_.size(); ++v) {
      records_[v].width = ir.operation(v).width;
    }
    depth_first_order_workspace searching;
    depth_first_numbering numbering;
    depth_first_order(g, searching, numbering);
    const span<const node_id> postorder = numbering.postorder();
    rank_.assign(node_count(g), none);
    for (std::uint32_t i = 0; i != postorder.size(); ++i) {
      rank_[postorder[i]] = static_cast<std::uint32_t>(postorder.size()) - 1 - i;
    }
    list_in_edges(g);
    for (std::size_t i = postorder.size(); i-- != 0;) {
      for_each_id(ir.values(postorder[i]), [&](value_id v) {
        if (ir.is_phi(v)) {
          define_phi(ir, postorder[i], v);
        } else {
          define(ir, v);
        }
      });
    }
  }

  /// Reads an operation of another program whose operands have been read. Its polynomial may have more terms. Only its
  /// promises say something about its number.
  template <class IR> void define_new(const IR& ir, value_id v) {
    is_new_ = true;
    define(ir, v);
    is_new_ = false;
  }

  unsigned width(value_id v) const { return records_[v].width; }

  /// What an operation of `to_width` bits reads of a value. A literal is asked of `ir`.
  template <class IR> polynomial read(const IR& ir, value_id v, unsigned to_width, number_reading r) const {
    if (v == no_value || v >= static_cast<std::size_t>(ir.num_values())) {
      return polynomial::unknown();
    }
    if constexpr (has_is_undefined<IR>) {
      if (ir.is_undefined(v)) {
        return polynomial::unknown();
      }
    }
    const unsigned wide = ir.operation(v).width;
    if (const auto c = ir.constant(v)) {
      const std::uint64_t bits = static_cast<std::uint64_t>(*c) & low_ones(wide) & low_ones(to_width);
      return polynomial::number(r == number_reading::as_signed ? static_cast<std::uint64_t>(as_signed(bits, to_width))
                                                               : bits);
    }
    if (v >= records_.size() || (wide > to_width && r != number_reading::low_bits)) {
      return polynomial::unknown();
    }
    polynomial out = number_of(v, wide < to_width ? number_reading::as_unsigned : r);
    if (r == number_reading::low_bits) {
      reduce(out, to_width);
    }
    return out;
  }

  /// The polynomial of a value that is no literal.
  polynomial number_of(value_id v, number_reading r) const {
    using kind = polynomial_atom::kind;
    const value_as_polynomials& of = records_[v];
    const polynomial_list& l = of.lists[static_cast<unsigned>(r)];
    if (l.count == polynomial_list::itself) {
      return polynomial::of({r == number_reading::as_signed ? kind::signed_number : kind::unsigned_number, v, 0});
    }
    polynomial out;
    for (std::uint32_t i = 0; i != l.count; ++i) {
      out.terms.push_back(terms_[l.first + i]);
    }
    return out;
  }

  /// Reduces modulo 2^width: a number of a value with that many bits is replaced by its bits. The values in the result
  /// have fewer bits, so the depth is bounded.
  void reduce(polynomial& p, unsigned to_width) const {
    polynomial out;
    out.is_known = p.is_known;
    for (const polynomial_term& t : p.terms) {
      polynomial product = polynomial::number(t.coefficient);
      for (std::uint32_t k = 0; k != t.size; ++k) {
        product = product_of(product, reduced(t.atoms[k], to_width));
      }
      out.add(product);
    }
    out.cut(to_width);
    p = out;
  }

private:
  static constexpr std::uint32_t none = 0xffff'ffff;
  static constexpr std::uint32_t most_terms = 6; ///< of a value; a value with more terms is its own polynomial
  static constexpr std::uint32_t most_atoms = 2; ///< of a term of a value
  static constexpr number_reading readings[] = {number_reading::low_bits, number_reading::as_signed,
                                                number_reading::as_unsigned};

  template <class IR> void define(const IR& ir, value_id v) {
    while (v >= records_.size()) {
      records_.push_back({});
    }
    const operation_info info = ir.operation(v);
    records_[v].width = info.width;
    value_id x[3] = {no_value, no_value, no_value};
    std::size_t count = 0;
    for_each_id(ir.operands(v), [&](value_id o) {
      if (count < 3) {
        x[count] = o;
      }
      ++count;
    });
    if (info.code == operation::other || count < arity(info.code)) { // only the first operands were kept
      return;
    }
    polynomial bits;
    for (const number_reading r : readings) { // the bits come first
      polynomial p = polynomial::unknown();
      compute(ir, info, x, r, p);
      if (!p.is_known && r != number_reading::low_bits && bits.is_number()) {
        p = polynomial::number(r == number_reading::as_signed
                                   ? static_cast<std::uint64_t>(as_signed(bits.constant(), info.width))
                                   : bits.constant());
      }
      store(v, r, p);
      bits = r == number_reading::low_bits ? p : bits;
    }
  }

  void store(value_id v, number_reading r, polynomial& p) {
    if (r == number_reading::low_bits) {
      reduce(p, width(v));
    }
    bool is_small = p.is_known && (is_new_ || p.terms.size() <= most_terms);
    for (const polynomial_term& t : p.terms) {
      is_small = is_small && (is_new_ || t.size <= most_atoms);
    }
    if (!is_small) {
      return;
    }
    records_[v].lists[static_cast<unsigned>(r)] = {static_cast<std::uint32_t>(terms_.size()),
                                                   static_cast<std::uint8_t>(p.terms.size())};
    for (const polynomial_term& t : p.terms) {
      terms_.push_back(t);
    }
  }

  polynomial reduced(const polynomial_atom& a, unsigned to_width) const {
    polynomial_atom itself;
    if (!a.is_number_of_value() || width(a.id) < to_width) {
      return polynomial::of(a);
    }
    polynomial bits = number_of(a.id, number_reading::low_bits);
    if (!bits.is_atom(itself) || itself.id != a.id) {
      reduce(bits, to_width);
    }
    return bits;
  }

  template <class G> void list_in_edges(const G& g) {
    in_end_.assign(node_count(g) + std::size_t{1}, 0);
    const auto each = [&](auto visit) {
      for (node_id n = 0; n != node_count(g); ++n) {
        if (rank_[n] != none) {
          for_each_id(g.out_edges(n), [&](edge_id e) { visit(n, e, static_cast<node_id>(g.edge_target(e))); });
        }
      }
    };
    std::uint32_t total = 0;
    each([&](node_id, edge_id, node_id to) {
      ++in_end_[to];
      ++total;
    });
    for (std::size_t i = 1; i != in_end_.size(); ++i) {
      in_end_[i] += in_end_[i - 1];
    }
    in_edges_.assign(total, {});
    each([&](node_id from, edge_id e, node_id to) { in_edges_[--in_end_[to]] = {from, e}; });
    in_end_[node_count(g)] = total; // `in_end_` becomes where the edges of each node begin
  }

  template <class IR> void define_phi(const IR& ir, node_id n, value_id v) {
    for (const number_reading r : readings) {
      polynomial all = polynomial::unknown();
      bool same = true;
      for (std::uint32_t i = in_end_[n]; same && i != in_end_[n + std::size_t{1}]; ++i) {
        const polynomial one = rank_[in_edges_[i].source] < rank_[n]
                                   ? read(ir, static_cast<value_id>(ir.phi_input(v, in_edges_[i].id)), width(v), r)
                                   : polynomial::unknown();
        same = one.is_known && (!all.is_known || same_polynomial(one, all));
        all = one;
      }
      if (same) {
        store(v, r, all);
      }
    }
  }

  template <class IR>
  void compute(const IR& ir, const operation_info& info, const value_id (&x)[3], number_reading r,
               polynomial& out) const {
    const unsigned w = info.width;
    const bool keeps = r == number_reading::low_bits ||
                       (r == number_reading::as_signed ? info.flags.no_signed_wrap : info.flags.no_unsigned_wrap) ||
                       (!is_new_ && never_wraps(ir, info, x));
    const auto a = [&] { return read(ir, x[0], w, r); };
    const auto b = [&] { return read(ir, x[1], w, r); };
    const auto shifted = [&] {
      const auto amount = x[1] == no_value ? decltype(ir.constant(x[1]))() : ir.constant(x[1]);
      const unsigned most = w - (r == number_reading::as_signed ? 1U : 0U);
      polynomial p = polynomial::unknown();
      if (amount && static_cast<std::uint64_t>(*amount) < most) {
        p = polynomial();
        p.add(a(), std::uint64_t{1} << static_cast<std::uint64_t>(*amount));
      }
      return p;
    };
    switch (info.code) {
    case operation::copy:
      out = a();
      return;
    case operation::neg:
      if (keeps) {
        out = polynomial();
        out.add(a(), minus_one);
      }
      return;
    case operation::bit_not: // -1 - x, or the largest number minus x
      out = polynomial::number(r == number_reading::as_unsigned ? low_ones(w) : minus_one);
      out.add(a(), minus_one);
      return;
    case operation::add:
    case operation::sub:
      if (keeps) {
        out = a();
        out.add(b(), info.code == operation::add ? 1 : minus_one);
      }
      return;
    case operation::bit_and:
    case operation::bit_or:
      mask(info, a(), b(), r, out);
      return;
    case operation::mul:
      if (keeps) {
        const value_id halved = r == number_reading::low_bits ? pairs_of(ir, w, x) : no_value;
        out = halved != no_value ? polynomial::of({polynomial_atom::kind::pairs, halved, 0}) : product_of(a(), b());
      }
      return;
    case operation::shl:
      if (keeps) {
        out = shifted();
      }
      return;
    case operation::shladd:
      if (keeps) {
        out = shifted();
        out.add(read(ir, x[2], w, r));
      }
      return;
    case operation::truncate:
      if (r == number_reading::low_bits && info.operand_width >= w) {
        out = a();
      }
      return;
    case operation::zero_extend:
    case operation::sign_extend:
      extend(ir, info, x[0], r, out);
      return;
    default:
      return;
    }
  }

  /// Whether the operation never wraps: a sum with 0, a difference from all ones, a product with 1.
  template <class IR> static bool never_wraps(const IR& ir, const operation_info& info, const value_id (&x)[3]) {
    const auto is_number = [&](value_id v, std::uint64_t number) {
      const auto c = v == no_value ? decltype(ir.constant(v))() : ir.constant(v);
      return c && ((static_cast<std::uint64_t>(*c) ^ number) & low_ones(info.width)) == 0;
    };
    switch (info.code) {
    case operation::add:
      return is_number(x[0], 0) || is_number(x[1], 0);
    case operation::sub:
      return is_number(x[1], 0) || is_number(x[0], minus_one);
    case operation::mul:
      return is_number(x[0], 1) || is_number(x[1], 1);
    case operation::shl:
      return is_number(x[1], 0);
    default:
      return false;
    }
  }

  /// A mask of a number; valid where the mask keeps all bits.
  static void mask(const operation_info& info, polynomial a, polynomial b, number_reading r, polynomial& out) {
    if (b.is_number()) {
      swap_values(a, b);
    }
    if (!a.is_number()) {
      return;
    }
    const bool is_and = info.code == operation::bit_and;
    const std::uint64_t bits = a.constant() & low_ones(info.width);
    if (b.is_number() && r == number_reading::low_bits) {
      out = polynomial::number(is_and ? bits & b.constant() : bits | b.constant());
    } else if (bits == (is_and ? low_ones(info.width) : 0)) {
      out = b;
    }
  }

  template <class IR>
  void extend(const IR& ir, const operation_info& info, value_id x, number_reading r, polynomial& out) const {
    if (x == no_value || ir.operation(x).width != info.operand_width || info.operand_width >= info.width) {
      return;
    }
    if (info.code == operation::zero_extend) {
      out = read(ir, x, info.operand_width, number_reading::as_unsigned);
    } else if (r != number_reading::as_unsigned) {
      out = read(ir, x, info.operand_width, number_reading::as_signed);
    }
  }

  /// The value t if this is (t >> 1) · ((t - 1) | 1) = t · (t - 1) / 2. One of t and t - 1 is even, and `>> 1` halves
  /// it; `| 1` leaves the odd one unchanged.
  template <class IR> value_id pairs_of(const IR& ir, unsigned w, const value_id (&x)[3]) const {
    const auto reads_one = [&](value_id v, operation code) {
      value_id first = no_value;
      value_id second = no_value;
      if (v == no_value || ir.is_phi(v) || ir.operation(v).code != code || ir.operation(v).width != w) {
        return no_value;
      }
      std::size_t count = 0;
      for_each_id(ir.operands(v), [&](value_id o) { (count++ == 0 ? first : second) = o; });
      const auto one = count == 2 && second != no_value ? ir.constant(second) : decltype(ir.constant(second))();
      return one && static_cast<std::uint64_t>(*one) == 1 ? first : no_value;
    };
    const value_id half = reads_one(x[0], operation::shr);
    const value_id less = reads_one(x[1], operation::bit_or);
    return half != no_value && reads_one(less, operation::sub) == half && ir.operation(half).width == w ? half
                                                                                                        : no_value;
  }

  static constexpr std::uint64_t minus_one = ~std::uint64_t{0};

  bool is_new_ = false;                      ///< whether the present operation is one of another program
  flat_array<value_as_polynomials> records_; ///< by value
  flat_array<polynomial_term> terms_;
  flat_array<std::uint32_t> rank_; ///< by node, in reverse postorder
  flat_array<std::uint32_t> in_end_;
  flat_array<edge_into_node> in_edges_;
};

/// The comparison that holds if, and only if, a branch leaves a loop.
struct leaving_test {
  operation code = operation::other; ///< `other` if no comparison is known
  unsigned width = 0;
  value_id a = no_value;
  value_id b = no_value;
};

/// The test of the branch at the end of `n`, in `l`. Looks through negations.
template <class IR> leaving_test leaving_test_of(const IR& ir, const loop_forest& loops, loop_id l, node_id n) {
  const auto leaves = [&](std::uint64_t bit) {
    const edge_id e = edge_of_case(ir, n, static_cast<constant_of<IR>>(bit));
    return e != no_edge && !loops.contains(l, static_cast<node_id>(ir.graph().edge_target(e)));
  };
  auto test = static_cast<value_id>(ir.condition(n));
  if (test == no_value || leaves(0) == leaves(1)) {
    return {};
  }
  bool holds = leaves(1);
  for (unsigned steps = 0; steps != 4; ++steps) {
    if (ir.is_phi(test) || ir.constant(test)) {
      return {};
    }
    const operation_info info = ir.operation(test);
    value_id x[2] = {no_value, no_value};
    std::size_t count = 0;
    for_each_id(ir.operands(test), [&](value_id o) {
      if (count < 2) {
        x[count] = o;
      }
      ++count;
    });
    if (info.width != 1 || count != arity(info.code)) {
      return {};
    }
    if (is_comparison(info.code)) {
      return {holds ? info.code : negated(info.code), info.operand_width, x[0], x[1]};
    }
    const bool is_xor = info.code == operation::bit_xor && x[1] != no_value && ir.constant(x[1]);
    if (info.code != operation::bit_not && !is_xor) {
      return {};
    }
    holds = holds != (!is_xor || (static_cast<std::uint64_t>(*ir.constant(x[1])) & 1) != 0);
    test = x[0];
    if (test == no_value) {
      return {};
    }
  }
  return {};
}

/// The node with the only exit of a loop if each iteration reaches it; else `no_node`.
template <class Tree> node_id only_exit_of(const Tree& tree, const loop_forest& loops, loop_id l) {
  node_id source = no_node;
  std::size_t count = 0;
  for (const loop_edge& e : loops.exiting_edges(l)) {
    source = e.source;
    ++count;
  }
  bool is_tested = count == 1 && loops.innermost_loop(source) == l;
  for (const loop_edge& e : loops.backedges(l)) {
    is_tested = is_tested && tree.dominates(source, e.source);
  }
  return is_tested ? source : no_node;
}

/// Splits a polynomial into `rest` plus `step` times the iteration of a loop. False if it has no such form, or `rest`
/// changes in the loop.
constexpr bool split_counter(const polynomial& p, loop_id l, polynomial& rest, std::uint64_t& step) {
  rest = polynomial();
  step = 0;
  for (const polynomial_term& t : p.terms) {
    bool changes = false;
    for (std::uint32_t k = 0; k != t.size; ++k) {
      changes = changes || t.atoms[k].is_of_iteration(l);
    }
    if (!changes) {
      rest.add(t);
    } else if (t.size == 1 && t.atoms[0].what == polynomial_atom::kind::iteration && t.atoms[0].extra == 1) {
      step = t.coefficient;
    } else {
      return false;
    }
  }
  return p.is_known;
}

} // namespace detail

MIDEND_END_NAMESPACE
