/// `eir_types`: the Elbrus types of the values of a flat program.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// The integer type of a width, or none.
constexpr type integer_type(unsigned width) {
  switch (width) {
  case 1:
    return type::i1;
  case 8:
    return type::i8;
  case 16:
    return type::i16;
  case 32:
    return type::i32;
  case 64:
    return type::i64;
  default:
    return type::none;
  }
}

/// The operands of `v` without its guard.
template <class Visit> void for_each_argument(const flat_program& p, value_id v, Visit visit) {
  const guard_of_value guard = p.guard(v);
  std::size_t left = guard.predicate == no_value ? 0 : guard.otherwise == no_value ? 1 : 2;
  std::size_t count = 0;
  for ([[maybe_unused]] const value_id x : p.operands(v)) {
    ++count;
  }
  left = count - (left < count ? left : count);
  for (const value_id x : p.operands(v)) {
    if (left == 0) {
      return;
    }
    --left;
    visit(x);
  }
}

/// Whether `v`, an operation that is not a phi, ends its node.
inline bool ends_node(const flat_program& p, value_id v) {
  return p.is_terminator(v) || p.cost(v) == operation_class::branch;
}

/// Whether a value is a literal, written in place of a name.
inline bool is_literal(const flat_program& p, value_id v) {
  return p.constant(v).has_value() || p.is_undefined(v);
}

/// Facts about a value; the first member of a type's set holds those of all its values.
struct eir_type_facts {
  bool is_read = false;
  bool floating = false; ///< computed or compared as a floating-point number
  bool integer = false;  ///< used as an integer
  bool address = false;  ///< the base of an address
  bool number = false;   ///< an integer that is no address
  unsigned char width = 0;
};

/// The types of the values of a program, and which of them are read.
class eir_types {
public:
  explicit eir_types(const flat_program& p) : p_(p) {
    of_.assign(p.num_values(), eir_type_facts());
    parent_.resize_for_overwrite(p.num_values());
    for (value_id v = 0; v != p.num_values(); ++v) {
      parent_[v] = v;
    }
    unite_types();
    for_each_value([&](value_id v) { unite_joined(v); });
    for (value_id v = 0; v != p.num_values(); ++v) {
      parent_[v] = parent_[parent_[v]]; // the smallest number of the set, since no parent is larger
    }
    for_each_value([&](value_id v) { note_uses(v); });
    for (node_id n = 0; n != p.graph().num_nodes(); ++n) {
      if (p.condition(n) != no_value) {
        of_[p.condition(n)].is_read = true;
        note_integer(p.condition(n));
      }
    }
    for_each_value([&](value_id v) { note_result(v); });
  }

  bool is_read(value_id v) const { return of_[v].is_read; }

  /// The type, or `none`.
  type of(value_id v) const {
    const eir_type_facts& f = of_[parent_[v]];
    const unsigned width = width_of_value(v);
    if (f.floating && !f.integer && (width == 32 || width == 64)) {
      return width == 32 ? type::f32 : type::f64;
    }
    return f.address && !f.number && width == 64 ? type::ptr : integer_type(width);
  }

  /// The width in bits; 0 if it is no number and has no other width.
  unsigned width_of_value(value_id v) const {
    const unsigned width = p_.number_width(v);
    return width != 0 ? width : of_[parent_[v]].width;
  }

  /// Whether an operation of code `other` has a result.
  bool has_result(value_id v) const {
    return is_read(v) || (without_result_ != no_value && !p_.same_type(v, without_result_));
  }

private:
  template <class Visit> void for_each_value(Visit visit) {
    for (node_id n = 0; n != p_.graph().num_nodes(); ++n) {
      for (const value_id v : p_.values(n)) {
        visit(v);
      }
    }
  }

  value_id find(value_id v) {
    while (parent_[v] != v) {
      parent_[v] = parent_[parent_[v]];
      v = parent_[v];
    }
    return v;
  }

  /// Joins the sets of two values. The smaller number stands for both.
  void unite(value_id v, value_id w) {
    if (w == no_value || p_.number_width(v) != p_.number_width(w)) {
      return;
    }
    v = find(v);
    w = find(w);
    parent_[v < w ? w : v] = v < w ? v : w;
  }

  /// Joins values of equal types. Like `frozen`, forgets types that were met long ago.
  void unite_types() {
    constexpr std::size_t most_types = 64;
    flat_array<value_id> known;
    for (value_id v = 0; v != p_.num_values(); ++v) {
      std::size_t i = 0;
      while (i != known.size() && !p_.same_type(v, known[i])) {
        ++i;
      }
      if (i == known.size() && i != most_types) {
        known.push_back(v);
      } else if (i == known.size()) {
        known[--i] = v;
      } else {
        unite(known[i], v);
      }
      if (i != 0) { // frequent types come to the front
        const value_id type = known[i];
        known[i] = known[i - 1];
        known[i - 1] = type;
      }
    }
  }

  /// Gives values that the operation returns unchanged its type.
  void unite_joined(value_id v) {
    if (p_.is_phi(v)) {
      for (const value_id x : p_.operands(v)) {
        unite(v, x);
      }
      return;
    }
    unite(v, p_.guard(v).otherwise);
    const operation code = p_.unguarded(v).code;
    std::size_t i = code == operation::copy ? 1 : 0;
    if (code == operation::copy || code == operation::select) {
      for_each_argument(p_, v, [&](value_id x) {
        if (i++ != 0) {
          unite(v, x);
        }
      });
    }
  }

  void note_read(value_id v) {
    if (v != no_value) {
      of_[v].is_read = true;
    }
  }

  void note_integer(value_id v, unsigned width = 0, bool is_number = false) {
    if (v == no_value) {
      return;
    }
    eir_type_facts& f = of_[parent_[v]];
    f.integer = true;
    f.number = f.number || is_number;
    note_width(v, width);
  }

  void note_width(value_id v, unsigned width) {
    eir_type_facts& f = of_[parent_[v]];
    if (f.width == 0 && width <= 64) {
      f.width = static_cast<unsigned char>(width);
    }
  }

  void note_floating(value_id v, unsigned width) {
    if (v != no_value) {
      of_[parent_[v]].floating = true;
      note_width(v, width);
    }
  }

  void note_uses(value_id v) {
    for (const value_id x : p_.operands(v)) {
      note_read(x);
    }
    if (p_.is_phi(v)) {
      return;
    }
    if (const guard_of_value guard = p_.guard(v); guard.predicate != no_value) {
      note_integer(guard.predicate);
      note_read(guard.predicate);
      note_read(guard.otherwise);
    }
    const operation_info info = p_.unguarded(v);
    if (info.code == operation::copy || info.code == operation::select) {
      note_passed(v, info);
    } else if (info.code != operation::other) {
      note_arithmetic(v, info);
    } else if (const optional<memory_reference> m = p_.memory(v)) {
      note_access(v, *m);
    } else {
      note_class(v);
    }
  }

  /// A store or terminator whose result nobody reads has none.
  void note_result(value_id v) {
    const bool is_known = without_result_ != no_value || p_.is_phi(v) || is_literal(p_, v) || is_read(v);
    if (!is_known && (ends_node(p_, v) || p_.effect(v) == effect_kind::writes)) {
      without_result_ = v;
    }
  }

  /// A copy that changes the width reads a number.
  void note_passed(value_id v, const operation_info& info) {
    std::size_t i = info.code == operation::copy ? 1 : 0;
    for_each_argument(p_, v, [&](value_id x) {
      if (i++ == 0) {
        note_integer(x);
      } else if (x != no_value && p_.number_width(x) != p_.number_width(v)) {
        note_integer(x);
        note_integer(v, info.width);
      }
    });
  }

  void note_arithmetic(value_id v, const operation_info& info) {
    const bool may_be_addresses = info.code == operation::add || info.code == operation::sub ||
                                  info.code == operation::shladd || is_comparison(info.code) ||
                                  (info.code >= operation::min && info.code <= operation::umax);
    note_integer(v, info.width, !may_be_addresses);
    unsigned i = 0;
    for_each_argument(p_, v, [&](value_id x) {
      const bool is_number = !may_be_addresses || (info.code == operation::shladd && i != 2);
      note_integer(x, reads_whole(info.code, i) ? 0 : read_width(info), is_number);
      ++i;
    });
  }

  void note_access(value_id v, const memory_reference& m) {
    if (m.base != no_value) {
      note_read(m.base);
      note_integer(m.base, 64);
      of_[parent_[m.base]].address = true;
    }
    note_read(m.index);
    note_integer(m.index, 0, true);
    note_read(m.stored);
    note_width(m.stored == no_value ? v : m.stored, m.bits);
  }

  /// The classes of operations on floating-point numbers.
  void note_class(value_id v) {
    const optional<operation_class> c = p_.cost(v);
    const auto both = [&](unsigned width) {
      note_floating(v, width);
      for_each_argument(p_, v, [&](value_id x) { note_floating(x, width); });
    };
    switch (c ? *c : operation_class::call) {
    case operation_class::fp_divide_single:
    case operation_class::fp_sqrt_single:
      return both(32);
    case operation_class::fp_divide_double:
    case operation_class::fp_sqrt_double:
      return both(64);
    case operation_class::fp_add:
    case operation_class::fp_multiply:
    case operation_class::fused_multiply_add:
      return both(0);
    case operation_class::convert_to_integer:
      note_integer(v);
      return for_each_argument(p_, v, [&](value_id x) { note_floating(x, 0); });
    case operation_class::compare: // the vocabulary has those of integers
      return for_each_argument(p_, v, [&](value_id x) { note_floating(x, 0); });
    case operation_class::convert_to_fp:
      note_floating(v, 0);
      return for_each_argument(p_, v, [&](value_id x) { note_integer(x); });
    default:
      return;
    }
  }

  const flat_program& p_;
  flat_array<eir_type_facts> of_; ///< by value
  flat_array<value_id> parent_;   ///< of the sets of values with one type
  value_id without_result_ = no_value;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
