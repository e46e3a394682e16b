/// `gcc_ssa`: a function of GCC in SSA form (GIMPLE) as the SSA and semantics rungs of midend's IR contract.
#pragma once

#include <midend/graph/numbered.hpp>
#include <midend/ir/numbered_ssa.hpp>
#include <midend/ir/operation.hpp>
#include <midend/ir/semantics.hpp>
#include <midend/support/range.hpp>
#include <midend/support/span.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gcc_graph.hpp"

/// The bits of an integer or a pointer of up to 64 bits; 0 of anything else.
inline std::uint8_t width_of(const_tree type) {
  const bool is_number = INTEGRAL_TYPE_P(type) || POINTER_TYPE_P(type);
  const unsigned bits = is_number ? TYPE_PRECISION(type) : 0U;
  return static_cast<std::uint8_t>(bits <= 64 ? bits : 0);
}

// [addresses]
/// A load or store: base + index · scale + offset. Without a base, anywhere.
struct gcc_address {
  tree base = NULL_TREE; ///< an SSA name, or a declaration for its address
  tree index = NULL_TREE;
  std::int64_t scale = 1;
  std::int64_t offset = 0;
};

/// Reads `*p`, `a[i]`, `s.f` and what is made of these, with at most one index that is no number.
inline gcc_address address_of(tree ref) {
  gcc_address out;
  const auto add_index = [&out](tree index, std::int64_t scale, std::int64_t lowest) {
    if (TREE_CODE(index) == INTEGER_CST && tree_fits_shwi_p(index)) {
      return !__builtin_mul_overflow(tree_to_shwi(index) - lowest, scale, &lowest) &&
             !__builtin_add_overflow(out.offset, lowest, &out.offset);
    }
    const tree type = TREE_TYPE(index);
    const bool is_extended_by_sign = width_of(type) == 64 || (width_of(type) != 0 && !TYPE_UNSIGNED(type));
    if (TREE_CODE(index) != SSA_NAME || out.index != NULL_TREE || !is_extended_by_sign) {
      return false;
    }
    out.index = index;
    out.scale = scale;
    out.offset -= lowest * scale;
    return true;
  };
  for (;; ref = TREE_OPERAND(ref, 0)) {
    if (TREE_CODE(ref) == ARRAY_REF) {
      const tree size = array_ref_element_size(ref);
      const tree low = array_ref_low_bound(ref);
      if (!tree_fits_shwi_p(size) || !tree_fits_shwi_p(low) || tree_to_shwi(size) > INT32_MAX ||
          !add_index(TREE_OPERAND(ref, 1), tree_to_shwi(size), tree_to_shwi(low))) {
        return {};
      }
    } else if (TREE_CODE(ref) == COMPONENT_REF) {
      const tree field = TREE_OPERAND(ref, 1);
      const tree offset = component_ref_field_offset(ref);
      if (DECL_BIT_FIELD(field) || !tree_fits_shwi_p(offset) || !tree_fits_shwi_p(DECL_FIELD_BIT_OFFSET(field))) {
        return {};
      }
      out.offset += tree_to_shwi(offset) + tree_to_shwi(DECL_FIELD_BIT_OFFSET(field)) / BITS_PER_UNIT;
    } else {
      break;
    }
  }
  if (TREE_CODE(ref) == MEM_REF || TREE_CODE(ref) == TARGET_MEM_REF) {
    const tree number = TREE_OPERAND(ref, 1); // of both
    out.offset += wi::to_wide(number).to_shwi();
    if (TREE_CODE(ref) == TARGET_MEM_REF &&
        (TMR_INDEX2(ref) != NULL_TREE ||
         (TMR_INDEX(ref) != NULL_TREE &&
          !add_index(TMR_INDEX(ref), TMR_STEP(ref) == NULL_TREE ? 1 : tree_to_shwi(TMR_STEP(ref)), 0)))) {
      return {};
    }
    ref = TREE_OPERAND(ref, 0);
    ref = TREE_CODE(ref) == ADDR_EXPR ? TREE_OPERAND(ref, 0) : ref;
  }
  if (TREE_CODE(ref) != SSA_NAME && !DECL_P(ref)) {
    return {};
  }
  out.base = ref;
  return out;
}

/// An SSA name, or a literal: a number, the address of a variable.
inline bool is_value(const_tree t) {
  return TREE_CODE(t) == SSA_NAME || is_gimple_min_invariant(t);
}

/// The memory that a load or store accesses; null of anything else, also of what copies memory to memory.
inline tree memory_of(const gimple* s) {
  if (s == nullptr || !gimple_assign_single_p(s) || gimple_vuse(s) == NULL_TREE) {
    return NULL_TREE;
  }
  if (gimple_vdef(s) == NULL_TREE) {
    return gimple_assign_rhs1(s);
  }
  return is_value(gimple_assign_rhs1(s)) ? gimple_assign_lhs(s) : NULL_TREE;
}

// [addresses]

// [ssa]
/// The values in nodes are statements, phis and the results of `asm`. GCC's memory SSA and statements for the debugger
/// are left out.
struct gcc_ssa : midend::numbered_ssa_form<basic_block, tree> {
  using constant_type = std::uint64_t;

  function* f;
  std::vector<gimple*> code; // by value in a node; null: a phi or a further result

  explicit gcc_ssa(function* of) : f(of) {
    const auto dests = [](basic_block b) { return midend::mapped(edges_out_of(b), [](edge e) { return e->dest; }); };
    assign(midend::numbered(ENTRY_BLOCK_PTR_FOR_FN(f), dests), NULL_TREE,
           [this](basic_block b, auto& out) { read(b, out); });
    code.resize(num_placed());
    for (const midend::value_id v : outside()) {
      if (TREE_CODE(handle(v)) == SSA_NAME) {
        parameters_.push_back(v);
      }
    }
    list_cases();
  }

  /// What is defined on entry: parameters, and variables that are read before they are set.
  const std::vector<midend::value_id>& parameters() const { return parameters_; }

  const gimple* statement(midend::value_id v) const { return v < num_placed() ? code[v] : nullptr; }

  // [ssa]
  // [semantics]
  std::optional<std::uint64_t> constant(midend::value_id v) const {
    const tree t = handle(v);
    return t != NULL_TREE && TREE_CODE(t) == INTEGER_CST && width_of(TREE_TYPE(t)) != 0 ? std::optional(bits_of(t))
                                                                                        : std::nullopt;
  }

  midend::span<const midend::number_range> edge_cases(midend::edge_id e) const {
    return {cases_.data() + first_case_[e], first_case_[e + std::size_t{1}] - first_case_[e]};
  }

  std::optional<std::uint64_t> fold(midend::value_id, std::span<const std::uint64_t>) const { return std::nullopt; }

  bool is_opaque(midend::value_id v) const { return operation(v).code == midend::operation::other; }

  bool never_returns(midend::value_id v) const {
    return statement(v) != nullptr && is_gimple_call(statement(v)) && gimple_call_noreturn_p(statement(v));
  }

  midend::operation_info operation(midend::value_id v) const {
    const gimple* const s = statement(v);
    const tree t = handle(v);
    const std::uint8_t width = t == NULL_TREE || DECL_P(t) ? 0 : width_of(TREE_TYPE(t));
    if (s != nullptr && decides(s)) {
      const std::uint8_t compared = width_of(TREE_TYPE(gimple_cond_lhs(s)));
      const midend::operation code =
          compared == 0 ? midend::operation::other : vocabulary(gimple_cond_code(s), TREE_TYPE(gimple_cond_lhs(s)));
      return {code, 1, compared == 0 ? std::uint8_t{64} : compared};
    }
    if (width == 0 || s == nullptr || !computes(s)) {
      return {midend::operation::other, width == 0 ? std::uint8_t{64} : width};
    }
    const tree from = TREE_TYPE(gimple_op(s, gimple_assign_rhs_code(s) == COND_EXPR ? 2 : 1));
    const tree to = TREE_TYPE(t);
    const std::uint8_t read = width_of(from);
    if (read == 0) {
      return {midend::operation::other, width};
    }
    const bool promises =
        INTEGRAL_TYPE_P(to) && TYPE_OVERFLOW_UNDEFINED(to) && gimple_assign_rhs_code(s) != LSHIFT_EXPR;
    midend::operation code = vocabulary(gimple_assign_rhs_code(s), from);
    if (code == midend::operation::zero_extend) { // a conversion
      code = width == read         ? midend::operation::copy
             : width < read        ? midend::operation::truncate
             : TYPE_UNSIGNED(from) ? midend::operation::zero_extend
                                   : midend::operation::sign_extend;
    }
    return {code, width, read, {.no_signed_wrap = promises && midend::can_wrap(code)}};
  }

  // [semantics]

  // [ssa]
private:
  template <class Out> void read(basic_block b, Out& out) {
    for (gphi_iterator at = gsi_start_phis(b); !gsi_end_p(at); gsi_next(&at)) {
      if (!virtual_operand_p(gimple_phi_result(at.phi()))) {
        std::vector<basic_block> sources;
        std::vector<tree> inputs;
        for (unsigned i = 0; i != gimple_phi_num_args(at.phi()); ++i) {
          sources.push_back(gimple_phi_arg_edge(at.phi(), i)->src);
          inputs.push_back(gimple_phi_arg_def(at.phi(), i));
        }
        out.phi(gimple_phi_result(at.phi()), sources, inputs);
      }
    }
    for (gimple_stmt_iterator at = gsi_start_bb(b); !gsi_end_p(at); gsi_next(&at)) {
      gimple* const s = gsi_stmt(at);
      if (is_gimple_debug(s) || gimple_code(s) == GIMPLE_LABEL || gimple_code(s) == GIMPLE_NOP ||
          gimple_code(s) == GIMPLE_PREDICT) {
        continue;
      }
      std::vector<tree> results;
      tree name;
      ssa_op_iter each;
      FOR_EACH_SSA_TREE_OPERAND(name, s, each, SSA_OP_DEF) {
        results.push_back(name);
      }
      const tree result = results.empty() ? NULL_TREE : results[0];
      if (const auto* const choice = switch_of(s)) {
        code.resize(out.branch(gimple_switch_index(choice)));
      } else {
        code.resize(decides(s) ? out.comparing_branch(operands_of(s)) : out.operation(result, operands_of(s)));
      }
      code.push_back(s);
      for (std::size_t i = 1; i < results.size(); ++i) {
        out.operation(results[i], {});
      }
    }
  }

  /// A switch on a number that fits 64 bits; other ones go anywhere.
  static gswitch* switch_of(gimple* s) {
    gswitch* const out = safe_dyn_cast<gswitch*>(s);
    return out != nullptr && width_of(TREE_TYPE(gimple_switch_index(out))) != 0 ? out : nullptr;
  }

  /// A comparison that alone says where control goes.
  static bool decides(const gimple* s) { return gimple_code(s) == GIMPLE_COND; }

  /// Of what computes or compares: the operands in their order. Of others: all that they read, and the declaration of
  /// the memory.
  static std::vector<tree> operands_of(gimple* s) {
    std::vector<tree> out;
    if (computes(s) || decides(s)) {
      for (unsigned i = decides(s) ? 0 : 1; i != (decides(s) ? 2 : gimple_num_ops(s)); ++i) {
        out.push_back(gimple_op(s, i));
      }
      return out;
    }
    tree name;
    ssa_op_iter each;
    FOR_EACH_SSA_TREE_OPERAND(name, s, each, SSA_OP_USE) {
      out.push_back(name);
    }
    if (const tree memory = memory_of(s)) {
      const tree base = address_of(memory).base;
      if (base != NULL_TREE && DECL_P(base)) {
        out.push_back(base);
      }
      if (gimple_vdef(s) != NULL_TREE && is_gimple_min_invariant(gimple_assign_rhs1(s))) {
        out.push_back(gimple_assign_rhs1(s));
      }
    }
    return out;
  }

  /// An assignment to an SSA name whose operands are SSA names and literals.
  static bool computes(const gimple* s) {
    if (!is_gimple_assign(s) || TREE_CODE(gimple_assign_lhs(s)) != SSA_NAME) {
      return false;
    }
    for (unsigned i = 1; i != gimple_num_ops(s); ++i) {
      if (!is_value(gimple_op(s, i))) {
        return false;
      }
    }
    return true;
  }

  // [ssa]

  // [semantics]
  void list_cases() {
    for (midend::edge_id e = 0; e != graph().num_edges(); ++e) {
      first_case_.push_back(cases_.size());
      const basic_block from = block_of(graph().edge_source(e));
      const edge to = edges_out_of(from)[successor_position(e)];
      if ((to->flags & (EDGE_TRUE_VALUE | EDGE_FALSE_VALUE)) != 0) {
        const std::uint64_t is_true = (to->flags & EDGE_TRUE_VALUE) != 0 ? 1 : 0;
        cases_.push_back({is_true, is_true, false});
        continue;
      }
      gswitch* const choice = switch_of(last_stmt(from));
      if (choice == nullptr || gimple_switch_default_bb(f, choice) == to->dest) {
        continue;
      }
      for (unsigned i = 1; i != gimple_switch_num_labels(choice); ++i) {
        const tree label = gimple_switch_label(choice, i);
        if (label_to_block(f, CASE_LABEL(label)) == to->dest) {
          const tree high = CASE_HIGH(label) == NULL_TREE ? CASE_LOW(label) : CASE_HIGH(label);
          cases_.push_back({bits_of(CASE_LOW(label)), bits_of(high), !TYPE_UNSIGNED(TREE_TYPE(high))});
        }
      }
    }
    first_case_.push_back(cases_.size());
  }

  static std::uint64_t bits_of(const_tree number) {
    return wi::zext(wi::to_wide(number), static_cast<int>(TYPE_PRECISION(TREE_TYPE(number)))).to_uhwi();
  }

  /// The operation on numbers of this type. `zero_extend` stands for all conversions.
  static midend::operation vocabulary(tree_code code, const_tree type) {
    using enum midend::operation;
    const bool is_unsigned = TYPE_UNSIGNED(type);
    switch (code) {
    case PLUS_EXPR:
    case POINTER_PLUS_EXPR:
      return add;
    case MINUS_EXPR:
    case POINTER_DIFF_EXPR:
      return sub;
    case MULT_EXPR:
      return mul;
    case TRUNC_DIV_EXPR:
    case EXACT_DIV_EXPR:
      return is_unsigned ? udiv : div;
    case TRUNC_MOD_EXPR:
      return is_unsigned ? urem : rem;
    case RSHIFT_EXPR:
      return is_unsigned ? shr : sar;
    case LSHIFT_EXPR:
      return shl;
    case BIT_AND_EXPR:
      return bit_and;
    case BIT_IOR_EXPR:
      return bit_or;
    case BIT_XOR_EXPR:
      return bit_xor;
    case BIT_NOT_EXPR:
      return bit_not;
    case NEGATE_EXPR:
      return neg;
    case MIN_EXPR:
      return is_unsigned ? umin : min;
    case MAX_EXPR:
      return is_unsigned ? umax : max;
    case LT_EXPR:
      return is_unsigned ? uless : less;
    case LE_EXPR:
      return is_unsigned ? uless_equal : less_equal;
    case GT_EXPR:
      return is_unsigned ? ugreater : greater;
    case GE_EXPR:
      return is_unsigned ? ugreater_equal : greater_equal;
    case EQ_EXPR:
      return equal;
    case NE_EXPR:
      return not_equal;
    case COND_EXPR:
      return select;
    CASE_CONVERT:
      return zero_extend;
    case SSA_NAME:
    case INTEGER_CST:
    case ADDR_EXPR:
      return copy;
    default:
      return other;
    }
  }

  // [semantics]

  std::vector<midend::value_id> parameters_;
  std::vector<midend::number_range> cases_;
  std::vector<std::size_t> first_case_; // by edge, and one more
};

/// Names as in GCC's dumps.
struct gcc_names {
  const gcc_ssa& ir;

  std::string value(midend::value_id v) const {
    const tree t = ir.handle(v);
    if (t == NULL_TREE) {
      return "";
    }
    if (TREE_CODE(t) == INTEGER_CST) {
      return tree_fits_shwi_p(t) ? std::to_string(tree_to_shwi(t)) : "number";
    }
    const tree decl = TREE_CODE(t) == ADDR_EXPR ? TREE_OPERAND(t, 0) : t;
    const tree id = DECL_P(decl) ? DECL_NAME(decl) : TREE_CODE(t) == SSA_NAME ? SSA_NAME_IDENTIFIER(t) : NULL_TREE;
    const std::string name = id == NULL_TREE ? std::string() : IDENTIFIER_POINTER(id);
    return TREE_CODE(t) == SSA_NAME ? name + "_" + std::to_string(SSA_NAME_VERSION(t)) : "&" + name;
  }

  std::string node(midend::node_id n) const { return "<bb " + std::to_string(ir.block_of(n)->index) + ">"; }
};

static_assert(midend::semantic_ir<gcc_ssa>);
