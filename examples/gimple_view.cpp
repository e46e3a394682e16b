// A view over an IR like GCC's GIMPLE: SSA names and constants are trees with types, signedness is in the types,
// conditions are compared by the statement that branches, phi arguments are in the order of the edges into the block.
// `numbered_ssa` numbers blocks and trees.
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/ir/evaluate.hpp>
#include <midend/ir/numbered_ssa.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/viz/ir_errors.hpp>
#include <midend/viz/sccp.hpp>

#include <cstdint>
#include <cstdio>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

// The IR.
namespace {

struct type_node {
  unsigned precision;
  bool is_unsigned;
};

enum tree_code {
  ssa_name,
  integer_cst,
  plus_expr,
  minus_expr,
  mult_expr,
  trunc_div_expr,
  trunc_mod_expr,
  rshift_expr,
  lshift_expr,
  bit_and_expr,
  bit_ior_expr,
  bit_xor_expr,
  bit_not_expr,
  negate_expr,
  min_expr,
  max_expr,
  lt_expr,
  le_expr,
  gt_expr,
  ge_expr,
  eq_expr,
  ne_expr,
  nop_expr, // a conversion
  mem_ref
};

struct tree_node {
  tree_code code; // ssa_name or integer_cst
  const type_node* type;
  std::int64_t value = 0;
  const char* name = "";
};

using tree = const tree_node*;

enum class gimple_code { assign, cond, call, ret };

struct gimple {
  gimple_code kind;
  tree_code subcode; // what an assignment computes or a condition compares
  tree lhs;          // or null
  std::vector<tree> ops;
};

struct basic_block;

struct edge_def {
  const basic_block* src;
  bool if_true; // of a condition
};

struct gphi {
  tree result;
  std::vector<tree> args; // by edge, in the order of `preds`
};

struct basic_block {
  const char* name;
  std::vector<gphi> phis = {};
  std::vector<gimple> stmts = {};
  std::vector<const edge_def*> preds = {};
  std::vector<const edge_def*> succs = {};
  std::vector<const basic_block*> dests = {}; // of `succs`
};

// The view.
// [view]
/// The comparisons and arithmetic of trees, by the type of the operands.
midend::operation operation_of(tree_code code, const type_node& from, const type_node& to) {
  using enum midend::operation;
  const auto by_sign = [&](midend::operation if_signed, midend::operation if_unsigned) {
    return from.is_unsigned ? if_unsigned : if_signed;
  };
  switch (code) {
  case plus_expr:
    return add;
  case minus_expr:
    return sub;
  case mult_expr:
    return mul;
  case trunc_div_expr:
    return by_sign(div, udiv);
  case trunc_mod_expr:
    return by_sign(rem, urem);
  case rshift_expr:
    return by_sign(sar, shr);
  case lshift_expr:
    return shl;
  case bit_and_expr:
    return bit_and;
  case bit_ior_expr:
    return bit_or;
  case bit_xor_expr:
    return bit_xor;
  case bit_not_expr:
    return bit_not;
  case negate_expr:
    return neg;
  case min_expr:
    return by_sign(min, umin);
  case max_expr:
    return by_sign(max, umax);
  case lt_expr:
    return by_sign(less, uless);
  case le_expr:
    return by_sign(less_equal, uless_equal);
  case gt_expr:
    return by_sign(greater, ugreater);
  case ge_expr:
    return by_sign(greater_equal, ugreater_equal);
  case eq_expr:
    return equal;
  case ne_expr:
    return not_equal;
  case nop_expr:
    return to.precision == from.precision  ? copy
           : to.precision < from.precision ? truncate
                                           : by_sign(sign_extend, zero_extend);
  case ssa_name:
  case integer_cst:
    return copy;
  default:
    return other;
  }
}

struct view : midend::numbered_ssa_form<const basic_block*, tree> {
  using constant_type = std::uint64_t;

  std::vector<const gimple*> code; // by value in a node; null: a phi

  explicit view(const basic_block* entry) {
    const auto dests = [](const basic_block* b) -> const auto& { return b->dests; };
    assign(midend::numbered(entry, dests), nullptr, [this](const basic_block* b, auto& out) {
      for (const gphi& p : b->phis) {
        out.phi(p.result, midend::mapped(b->preds, [](const edge_def* e) { return e->src; }), p.args);
      }
      for (const gimple& g : b->stmts) {
        code.resize(g.kind == gimple_code::cond ? out.comparing_branch(g.ops) : out.operation(g.lhs, g.ops));
        code.push_back(&g);
      }
    });
    code.resize(num_placed());
  }

  midend::operation_info operation(midend::value_id v) const {
    const gimple* const g = v < num_placed() ? code[v] : nullptr;
    const bool compares = g != nullptr && g->kind == gimple_code::cond;
    const auto bits = static_cast<std::uint8_t>(compares || !handle(v) ? 1 : handle(v)->type->precision);
    if (g == nullptr || (g->kind != gimple_code::assign && !compares)) {
      return {midend::operation::other, bits, bits};
    }
    const type_node& from = *g->ops[0]->type;
    const type_node& to = handle(v) ? *handle(v)->type : from;
    const midend::operation code_of_g = operation_of(g->subcode, from, to);
    const bool wraps = to.is_unsigned || g->subcode == lshift_expr;
    return {code_of_g, bits, static_cast<std::uint8_t>(from.precision), {.no_signed_wrap = !wraps}};
  }

  std::optional<std::uint64_t> constant(midend::value_id v) const {
    const tree t = handle(v);
    return t == nullptr || t->code != integer_cst
               ? std::nullopt
               : std::optional(static_cast<std::uint64_t>(t->value) & midend::low_ones(t->type->precision));
  }

  std::optional<std::uint64_t> fold(midend::value_id, std::span<const std::uint64_t>) const { return std::nullopt; }

  std::optional<std::uint64_t> edge_case(midend::edge_id e) const {
    return block_of(graph().edge_source(e))->succs[successor_position(e)]->if_true ? 1 : 0;
  }
};

// [end]

struct names {
  const view& ir;

  std::string value(midend::value_id v) const {
    const tree t = ir.handle(v);
    return t != nullptr && t->code == ssa_name ? t->name : "";
  }

  std::string node(midend::node_id n) const { return ir.block_of(n)->name; }
};

/// Blocks, edges and trees of a function, with stable addresses.
struct function {
  std::list<tree_node> trees;
  std::list<basic_block> blocks;
  std::list<edge_def> edges;

  tree name(const char* text, const type_node& type) {
    return &trees.emplace_back(tree_node{ssa_name, &type, 0, text});
  }

  tree number(std::int64_t value, const type_node& type) {
    return &trees.emplace_back(tree_node{integer_cst, &type, value});
  }

  basic_block* block(const char* text) { return &blocks.emplace_back(basic_block{text}); }

  void connect(basic_block* from, basic_block* to, bool if_true = false) {
    const edge_def* const e = &edges.emplace_back(edge_def{from, if_true});
    from->succs.push_back(e);
    from->dests.push_back(to);
    to->preds.push_back(e);
  }
};

} // namespace

int main() {
  //   int f(int n, int* p) {
  //     for (int i = 0; i < 10; ++i) {
  //       unsigned char b = (unsigned char)i;     // at most 9
  //       if (b > 20) exit(1);                    // never
  //       *p = n / 2;
  //     }
  //   }
  static constexpr type_node int_type{32, false};
  static constexpr type_node char_type{8, true};
  static constexpr type_node pointer_type{64, true};
  function f;
  const tree n = f.name("n_1(D)", int_type);
  const tree p = f.name("p_2(D)", pointer_type);
  const tree i = f.name("i_3", int_type);
  const tree i_next = f.name("i_4", int_type);
  const tree b = f.name("b_5", char_type);
  const tree half = f.name("_6", int_type);
  basic_block* const entry = f.block("<bb 2>");
  basic_block* const body = f.block("<bb 3>");
  basic_block* const leave = f.block("<bb 4>");
  basic_block* const store = f.block("<bb 5>");
  basic_block* const head = f.block("<bb 6>");
  basic_block* const last = f.block("<bb 7>");
  f.connect(entry, head);
  f.connect(head, body, true);
  f.connect(head, last);
  f.connect(body, leave, true);
  f.connect(body, store);
  f.connect(store, head);
  head->phis = {{i, {f.number(0, int_type), i_next}}};
  head->stmts = {{gimple_code::cond, lt_expr, nullptr, {i, f.number(10, int_type)}}};
  body->stmts = {{gimple_code::assign, nop_expr, b, {i}},
                 {gimple_code::cond, gt_expr, nullptr, {b, f.number(20, char_type)}}};
  leave->stmts = {{gimple_code::call, mem_ref, nullptr, {f.number(1, int_type)}}};
  store->stmts = {{gimple_code::assign, trunc_div_expr, half, {n, f.number(2, int_type)}},
                  {gimple_code::assign, mem_ref, nullptr, {p, half}},
                  {gimple_code::assign, plus_expr, i_next, {i, f.number(1, int_type)}}};
  last->stmts = {{gimple_code::ret, mem_ref, nullptr, {}}};

  const view ir(entry);
  if (const auto error = midend::check_ir(ir)) {
    std::printf("the view is wrong: %s\n", midend::to_text(*error, names{ir}).c_str());
    return 1;
  }
  const auto facts = midend::sccp_with_branch_facts(ir, midend::number_domain());
  std::printf("%s", midend::to_text(ir, facts, names{ir}).c_str());
  return 0;
}
