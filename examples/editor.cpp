// An editor over an IR of your own: structs and vectors, all editing rungs; then a loop is rotated, unrolled and
// cleaned up, and each step is proven right by its checker.
#include <midend/ir/cost.hpp>
#include <midend/ir/editing.hpp>
#include <midend/ir/effects.hpp>
#include <midend/package/clean_up.hpp>
#include <midend/package/verify_implied_branches.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/verify_congruence.hpp>
#include <midend/ssa/verify_sccp.hpp>
#include <midend/ssa/verify_sccp_plan.hpp>
#include <midend/transform.hpp>
#include <midend/transform/verify_motion.hpp>
#include <midend/transform/verify_range_tests.hpp>
#include <midend/viz/certificates.hpp>
#include <midend/viz/ir_errors.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

using midend::edge_id;
using midend::no_node;
using midend::no_value;
using midend::node_id;
using midend::value_id;

// [ir]
// The IR. Numbers have 64 bits; what a comparison computes has 1. Loads and stores access `a[i]`, 8 bytes.
enum class kind { parameter, number, undefined, phi, compute, load, store, branch, jump, ret, erased };

struct instruction {
  kind what;
  std::uint8_t width = 64;
  midend::operation code = midend::operation::other; // of `compute`
  bool no_wrap = false;
  std::uint64_t bits = 0; // of a number; the position of a parameter
  std::vector<value_id> operands = {};
  node_id in = no_node;
};

struct arrow {
  node_id from;
  node_id to;
  std::optional<std::uint64_t> value; // of the condition
};

struct block {
  std::vector<value_id> code = {}; // phis first; operands of a phi are in the order of `preds`
  std::vector<edge_id> succs = {};
  std::vector<edge_id> preds = {};
};

/// Everything is named by its position, and what is erased keeps its position.
struct function {
  std::vector<instruction> code;
  std::vector<block> blocks;
  std::vector<arrow> edges;
  std::uint64_t changes_of_flow = 0;
};
// [ir]

// [editor]
class editor;

struct graph_of_function {
  const function* f;

  std::size_t num_nodes() const { return f->blocks.size(); }

  node_id entry() const { return 0; }

  auto successors(node_id n) const {
    return midend::mapped(f->blocks[n].succs, [g = f](edge_id e) { return g->edges[e].to; });
  }

  std::size_t num_edges() const { return f->edges.size(); }

  std::span<const edge_id> out_edges(node_id n) const { return f->blocks[n].succs; }

  std::span<const edge_id> in_edges(node_id n) const { return f->blocks[n].preds; }

  node_id edge_source(edge_id e) const { return f->edges[e].from; }

  node_id edge_target(edge_id e) const { return f->edges[e].to; }

  std::uint64_t epoch() const { return f->changes_of_flow; }
};

class editor {
public:
  using constant_type = std::uint64_t;

  explicit editor(function& f) : f_(f), graph_{&f} {}

  // SSA.
  const graph_of_function& graph() const { return graph_; }

  std::size_t num_values() const { return f_.code.size(); }

  std::span<const value_id> values(node_id n) const { return f_.blocks[n].code; }

  std::span<const value_id> operands(value_id v) const { return f_.code[v].operands; }

  bool is_phi(value_id v) const { return f_.code[v].what == kind::phi; }

  value_id phi_input(value_id v, edge_id e) const { return f_.code[v].operands[position(e)]; }

  value_id condition(node_id n) const {
    const value_id end = end_of(n);
    return end != no_value && f_.code[end].what == kind::branch ? f_.code[end].operands[0] : no_value;
  }

  std::vector<value_id> users(value_id v) const {
    std::vector<value_id> out;
    for (value_id user = 0; user != f_.code.size(); ++user) {
      out.insert(out.end(), static_cast<std::size_t>(std::ranges::count(f_.code[user].operands, v)), user);
    }
    return out;
  }

  // Semantics.
  midend::operation_info operation(value_id v) const {
    const instruction& i = f_.code[v];
    return {i.code, i.width, 64, {.no_signed_wrap = i.no_wrap}};
  }

  std::optional<std::uint64_t> constant(value_id v) const {
    return f_.code[v].what == kind::number ? std::optional(f_.code[v].bits) : std::nullopt;
  }

  std::optional<std::uint64_t> fold(value_id, std::span<const std::uint64_t>) const { return std::nullopt; }

  std::optional<std::uint64_t> edge_case(edge_id e) const { return f_.edges[e].value; }

  bool is_undefined(value_id v) const { return f_.code[v].what == kind::undefined; }

  // Effects and cost.
  midend::effect_kind effect(value_id v) const {
    const kind k = f_.code[v].what;
    return k == kind::load    ? midend::effect_kind::reads
           : k == kind::store ? midend::effect_kind::writes
                              : midend::effect_kind::none;
  }

  bool may_trap(value_id v) const { return may_trap_without_promises(v) || f_.code[v].no_wrap; }

  bool may_trap_without_promises(value_id v) const {
    const instruction& i = f_.code[v];
    const auto second = midend::is_partial(i.code) ? constant(i.operands[1]) : std::nullopt;
    return i.what == kind::load || i.what == kind::store ||
           (midend::is_partial(i.code) && !(second && midend::is_total_with(operation(v), *second)));
  }

  bool may_not_return(value_id) const { return false; }

  bool may_duplicate(value_id) const { return true; }

  bool is_volatile(value_id) const { return false; }

  bool is_terminator(value_id v) const {
    return f_.code[v].what == kind::branch || f_.code[v].what == kind::jump || f_.code[v].what == kind::ret;
  }

  std::optional<midend::memory_reference> memory(value_id v) const {
    const instruction& i = f_.code[v];
    if (i.what != kind::load && i.what != kind::store) {
      return std::nullopt;
    }
    const value_id stored = i.what == kind::store ? i.operands[2] : no_value;
    return midend::memory_reference{
        .base = i.operands[0], .index = i.operands[1], .stored = stored, .bytes = 8, .scale = 8, .bits = 64};
  }

  std::optional<midend::operation_class> cost(value_id v) const {
    switch (f_.code[v].what) {
    case kind::load:
      return midend::operation_class::load;
    case kind::store:
      return midend::operation_class::store;
    default:
      return is_terminator(v) ? std::optional(midend::operation_class::branch) : midend::usual_class(operation(v));
    }
  }

  // Certificates.
  /// The same operation, which promises no more.
  bool same_operation(value_id v, const editor& other, value_id w) const {
    const instruction& a = f_.code[v];
    const instruction& b = other.f_.code[w];
    return a.what == b.what && a.width == b.width && a.code == b.code && a.bits == b.bits && (a.no_wrap || !b.no_wrap);
  }

  // Places.
  node_id node_of(value_id v) const { return f_.code[v].in; }

  value_id value_after(value_id v) const {
    const std::vector<value_id>& code = f_.blocks[node_of(v)].code;
    const auto next = std::ranges::find(code, v) + 1;
    return next == code.end() ? no_value : *next;
  }

  // Values.
  value_id insert_phi(node_id n, value_id like) {
    const value_id v = add({.what = kind::phi, .width = f_.code[like].width});
    f_.code[v].operands.assign(f_.blocks[n].preds.size(), no_value);
    insert(v, n, 0);
    return v;
  }

  void set_phi_input(value_id phi, edge_id e, value_id v) { f_.code[phi].operands[position(e)] = v; }

  void replace_uses(value_id v, value_id by) {
    for (instruction& i : f_.code) {
      std::ranges::replace(i.operands, v, by);
    }
  }

  void erase_value(value_id v) {
    take_out(v);
    f_.code[v] = {.what = kind::erased, .width = f_.code[v].width};
  }

  value_id clone_value(value_id v, node_id n) {
    const instruction copy = f_.code[v];
    const node_id from = node_of(v);
    const value_id clone = add(copy);
    if (copy.what == kind::phi) {
      f_.code[clone].operands.assign(f_.blocks[n].preds.size(), no_value);
      insert(clone, n, num_phis(n));
    } else if (is_terminator(v)) {
      insert(clone, n, f_.blocks[n].code.size());
      for (const edge_id e : std::vector(f_.blocks[from].succs)) {
        connect(n, f_.edges[e].to, f_.edges[e].value);
      }
    } else {
      put(clone, midend::place_at_end(n));
    }
    return clone;
  }

  value_id make_constant(value_id like, std::uint64_t c) { return make_number(f_.code[like].width, c); }

  // Operations.
  void set_operand(value_id user, std::size_t i, value_id v) { f_.code[user].operands[i] = v; }

  value_id clone_value(value_id v, midend::place p) {
    const instruction copy = f_.code[v];
    return put(add(copy), p);
  }

  void move_value(value_id v, midend::place p) {
    const node_id from = node_of(v);
    if (p.where == midend::place::kind::before && p.value == v) {
      return;
    }
    take_out(v);
    put(v, p);
    const node_id to = node_of(v);
    if (from == to) {
      return;
    }
    if (is_phi(v)) {
      f_.code[v].operands.assign(f_.blocks[to].preds.size(), no_value);
    } else if (is_terminator(v)) {
      f_.blocks[to].succs = std::exchange(f_.blocks[from].succs, {});
      for (const edge_id e : f_.blocks[to].succs) {
        f_.edges[e].from = to;
      }
      ++f_.changes_of_flow;
    }
  }

  void drop_promises(value_id v) { f_.code[v].no_wrap = false; }

  value_id make_operation(const midend::operation_info& info, std::span<const value_id> operands, midend::place p) {
    const bool compares = midend::is_comparison(info.code);
    if (info.width != (compares ? 1 : 64) || (compares && info.operand_width != 64)) {
      return no_value; // the IR has no other
    }
    return put(add({.what = kind::compute,
                    .width = info.width,
                    .code = info.code,
                    .no_wrap = info.flags.no_signed_wrap,
                    .operands = {operands.begin(), operands.end()}}),
               p);
  }

  value_id make_number(unsigned width, std::uint64_t bits) {
    if (width != 1 && width != 64) {
      return no_value;
    }
    return find_or_add({.what = kind::number, .width = static_cast<std::uint8_t>(width), .bits = bits});
  }

  value_id undefined_like(value_id v) { return find_or_add({.what = kind::undefined, .width = f_.code[v].width}); }

  // Flow.
  node_id create_node(node_id) {
    f_.blocks.emplace_back();
    ++f_.changes_of_flow;
    return static_cast<node_id>(f_.blocks.size() - 1);
  }

  void redirect_edge(edge_id e, node_id target) {
    leave(e);
    enter(e, target);
  }

  void set_jump(node_id n, node_id target) {
    end_in(n, {.what = kind::jump});
    connect(n, target, std::nullopt);
  }

  void keep_edge(edge_id e) {
    const node_id n = f_.edges[e].from;
    for (const edge_id other : std::vector(f_.blocks[n].succs)) {
      if (other != e) {
        disconnect(other);
      }
    }
    f_.edges[e].value.reset();
    erase_value(end_of(n));
    end_in(n, {.what = kind::jump});
  }

  void erase_nodes(std::span<const node_id> nodes) {
    for (const node_id n : nodes) {
      for (const edge_id e : std::vector(f_.blocks[n].succs)) {
        disconnect(e);
      }
    }
    for (const node_id n : nodes) {
      while (!f_.blocks[n].code.empty()) {
        erase_value(f_.blocks[n].code.back());
      }
    }
    ++f_.changes_of_flow;
  }

  // Branches.
  void erase_end(node_id n) {
    for (const edge_id e : std::vector(f_.blocks[n].succs)) {
      disconnect(e);
    }
    if (end_of(n) != no_value) {
      erase_value(end_of(n));
    }
  }

  void set_branch(node_id n, value_id condition, node_id then, node_id otherwise) {
    end_in(n, {.what = kind::branch, .operands = {condition}});
    connect(n, then, 1);
    connect(n, otherwise, 0);
  }

  void set_switch(node_id n, value_id v, std::span<const std::uint64_t> cases, std::span<const node_id> targets,
                  node_id otherwise) {
    end_in(n, {.what = kind::branch, .operands = {v}});
    for (std::size_t i = 0; i != cases.size(); ++i) {
      connect(n, targets[i], cases[i]);
    }
    connect(n, otherwise, std::nullopt);
  }

private:
  value_id add(instruction i) {
    i.in = no_node;
    f_.code.push_back(std::move(i));
    return static_cast<value_id>(f_.code.size() - 1);
  }

  /// Equal literals share one value.
  value_id find_or_add(const instruction& i) {
    for (value_id v = 0; v != f_.code.size(); ++v) {
      if (f_.code[v].what == i.what && f_.code[v].width == i.width && f_.code[v].bits == i.bits) {
        return v;
      }
    }
    return add(i);
  }

  void insert(value_id v, node_id n, std::size_t at) {
    std::vector<value_id>& code = f_.blocks[n].code;
    code.insert(code.begin() + static_cast<std::ptrdiff_t>(at), v);
    f_.code[v].in = n;
  }

  value_id put(value_id v, midend::place p) {
    const node_id n = p.where == midend::place::kind::before ? node_of(p.value) : p.node;
    const std::vector<value_id>& code = f_.blocks[n].code;
    const std::size_t end = code.size() - (end_of(n) == no_value || is_terminator(v) ? 0 : 1);
    insert(v, n,
           p.where == midend::place::kind::head ? num_phis(n)
           : p.where == midend::place::kind::end
               ? end
               : static_cast<std::size_t>(std::ranges::find(code, p.value) - code.begin()));
    return v;
  }

  void take_out(value_id v) { std::erase(f_.blocks[node_of(v)].code, v); }

  std::size_t num_phis(node_id n) const {
    const std::vector<value_id>& code = f_.blocks[n].code;
    return static_cast<std::size_t>(std::ranges::find_if(code, [this](value_id v) { return !is_phi(v); }) -
                                    code.begin());
  }

  value_id end_of(node_id n) const {
    const std::vector<value_id>& code = f_.blocks[n].code;
    return code.empty() || !is_terminator(code.back()) ? no_value : code.back();
  }

  void end_in(node_id n, instruction end) { insert(add(std::move(end)), n, f_.blocks[n].code.size()); }

  /// The position among the edges into its target: phis have its input there.
  std::size_t position(edge_id e) const {
    const std::vector<edge_id>& preds = f_.blocks[f_.edges[e].to].preds;
    return static_cast<std::size_t>(std::ranges::find(preds, e) - preds.begin());
  }

  void connect(node_id from, node_id to, std::optional<std::uint64_t> value) {
    const auto e = static_cast<edge_id>(f_.edges.size());
    f_.edges.push_back({from, to, value});
    f_.blocks[from].succs.push_back(e);
    enter(e, to);
  }

  void disconnect(edge_id e) {
    leave(e);
    std::erase(f_.blocks[f_.edges[e].from].succs, e);
    f_.edges[e] = {no_node, no_node, std::nullopt};
  }

  void enter(edge_id e, node_id to) {
    f_.edges[e].to = to;
    f_.blocks[to].preds.push_back(e);
    for (std::size_t i = 0; i != num_phis(to); ++i) {
      f_.code[f_.blocks[to].code[i]].operands.push_back(no_value);
    }
    ++f_.changes_of_flow;
  }

  void leave(edge_id e) {
    const node_id to = f_.edges[e].to;
    const auto at = static_cast<std::ptrdiff_t>(position(e));
    for (std::size_t i = 0; i != num_phis(to); ++i) {
      std::vector<value_id>& inputs = f_.code[f_.blocks[to].code[i]].operands;
      inputs.erase(inputs.begin() + at);
    }
    f_.blocks[to].preds.erase(f_.blocks[to].preds.begin() + at);
    ++f_.changes_of_flow;
  }

  function& f_;
  graph_of_function graph_;
};

// [editor]

// [rungs]
static_assert(midend::ir_editor<editor> && midend::operation_editor<editor> && midend::branch_editor<editor>);
static_assert(midend::places_values<editor> && midend::cost_ir<editor> && midend::effect_ir<editor>);
static_assert(midend::certifiable_ir<editor> && midend::clean_up_editor<editor>);

// [rungs]

namespace {

// Text.
std::string name(const function& f, value_id v) {
  if (v == no_value) {
    return "-";
  }
  const instruction& i = f.code[v];
  return i.what == kind::number      ? std::to_string(static_cast<std::int64_t>(i.bits))
         : i.what == kind::undefined ? "undefined"
         : i.what == kind::parameter ? (i.bits == 0 ? "a" : "n")
                                     : "%" + std::to_string(v);
}

const char* word(const instruction& i) {
  switch (i.what) {
  case kind::phi:
    return "phi";
  case kind::load:
    return "load";
  case kind::store:
    return "store";
  case kind::branch:
    return "branch";
  case kind::jump:
    return "jump";
  case kind::ret:
    return "ret";
  default:
    break;
  }
  switch (i.code) {
  case midend::operation::add:
    return "add";
  case midend::operation::mul:
    return "mul";
  case midend::operation::less:
    return "less";
  default:
    return "compute";
  }
}

void print(const function& f) {
  for (node_id n = 0; n != f.blocks.size(); ++n) {
    if (n != 0 && f.blocks[n].code.empty()) {
      continue; // erased
    }
    std::printf("  block %u:\n", n);
    for (const value_id v : f.blocks[n].code) {
      const instruction& i = f.code[v];
      const bool has_result = i.what == kind::phi || i.what == kind::compute || i.what == kind::load;
      std::printf("    %s%s", has_result ? (name(f, v) + " = ").c_str() : "", word(i));
      for (std::size_t k = 0; k != i.operands.size(); ++k) {
        const std::string from =
            i.what == kind::phi ? " from " + std::to_string(f.edges[f.blocks[n].preds[k]].from) : "";
        std::printf("%s %s%s", k == 0 ? "" : ",", name(f, i.operands[k]).c_str(), from.c_str());
      }
      if (v == f.blocks[n].code.back()) {
        for (const edge_id e : f.blocks[n].succs) {
          std::printf(" -> %u", f.edges[e].to);
        }
      }
      std::printf("\n");
    }
  }
}

//   long f(long* a, long n) {
//     long s = n;
//     for (long i = 0; i < 3; i++)
//       s = s * 5 + a[i];
//     return s;
//   }
function horner() {
  using midend::operation;
  function f;
  f.code = {{.what = kind::parameter, .bits = 0},
            {.what = kind::parameter, .bits = 1},
            {.what = kind::number, .bits = 0},
            {.what = kind::number, .bits = 1},
            {.what = kind::number, .bits = 3},
            {.what = kind::number, .bits = 5},
            {.what = kind::jump},                                                                 // 6
            {.what = kind::phi, .operands = {2, 14}},                                             // 7: i
            {.what = kind::phi, .operands = {1, 13}},                                             // 8: s
            {.what = kind::compute, .width = 1, .code = operation::less, .operands = {7, 4}},     // 9
            {.what = kind::branch, .operands = {9}},                                              // 10
            {.what = kind::load, .operands = {0, 7}},                                             // 11
            {.what = kind::compute, .code = operation::mul, .operands = {8, 5}},                  // 12
            {.what = kind::compute, .code = operation::add, .operands = {12, 11}},                // 13
            {.what = kind::compute, .code = operation::add, .no_wrap = true, .operands = {7, 3}}, // 14
            {.what = kind::jump},                                                                 // 15
            {.what = kind::ret, .operands = {8}}};                                                // 16
  f.edges = {{0, 1, {}}, {1, 2, 1}, {1, 3, 0}, {2, 1, {}}};
  f.blocks = {{.code = {6}, .succs = {0}},
              {.code = {7, 8, 9, 10}, .succs = {1, 2}, .preds = {0, 3}},
              {.code = {11, 12, 13, 14, 15}, .succs = {3}, .preds = {1}},
              {.code = {16}, .preds = {2}}};
  for (node_id n = 0; n != f.blocks.size(); ++n) {
    for (const value_id v : f.blocks[n].code) {
      f.code[v].in = n;
    }
  }
  return f;
}

int failures = 0;

void require(bool holds, const char* what, const std::string& why) {
  failures += holds ? 0 : 1;
  if (!holds) {
    std::printf("%s: wrong: %s\n", what, why.c_str());
  }
}

// [checker]
/// Checks each step of the clean-up: `before_` is a copy of the function as it was, which gets what a plan replaces.
class clean_up_checker : public midend::clean_up_observer {
public:
  explicit clean_up_checker(function& f, editor& now) : function_(f), now_(now), copy_(f), before_(copy_) {}

  std::size_t num_checked = 0;

  using midend::clean_up_observer::planned;

  template <class E> void planned(const E&, const midend::common_value_plan&) { next_ = step::motion; }

  template <class E> void planned(const E&, const midend::hoisting_plan&) { next_ = step::motion; }

  template <class E> void planned(const E&, const midend::range_test_plan&) { next_ = step::tests; }

  template <class E, class Found>
  void planned(const E& e, const Found& found, const midend::sccp_plan<std::uint64_t>& plan) {
    check(!midend::verify_sccp_with_branch_facts(e, found), "constants");
    check(!midend::verify_sccp_plan_with_branch_facts(e, found, plan), "plan of constants");
    use_constants(plan);
  }

  template <class E, class Found>
  void planned(const E& e, const Found& found, const midend::value_numbering_plan<std::uint64_t>& plan) {
    check(!midend::verify_congruence(e, found), "equal values");
    check(!midend::verify_sccp_plan(e, found.facts(), plan.constants), "plan of equal values");
    use_constants(plan.constants);
    for (const value_id leader : plan.dropped_promises) {
      before_.drop_promises(leader);
    }
    for (const auto& change : plan.replacements) {
      check(found.are_congruent(change.value, change.leader), "equal values");
      before_.replace_uses(change.value, change.leader);
    }
  }

  template <class E> void applied(const E& e) {
    if (next_ == step::motion) {
      check(bool(midend::verify_motion(before_, e)), "motion");
    } else if (next_ == step::tests) {
      check(bool(midend::verify_range_tests(before_, e)), "range tests");
    } else {
      witness_.grow(e.graph().num_nodes(), e.graph().num_edges(), e.num_values());
      check(bool(midend::verify_unfolding(before_, e, witness_)), "replacements");
    }
    copy_ = function_;
  }

  template <class E> void applied(const E&, const midend::package_log&) { copy_ = function_; }

  template <class E> void applied(const E& e, const midend::removal_witness& witness) {
    const midend::removal_verdict verdict = midend::verify_removal(before_, e, witness);
    check(verdict && verdict.assumed == 0, "dead code");
    copy_ = function_;
  }

  template <class E> void applied(const E& e, const midend::reverse_unfolding& split) {
    check(bool(midend::verify_unfolding(e, before_, split.witness)), "blocks that were split");
    copy_ = function_;
  }

  template <class E> void applied(const E& e, const midend::unfolding_witness& witness) {
    const midend::unfolding_verdict verdict = midend::verify_unfolding(before_, e, witness);
    check(verdict &&
              (verdict.assumed == 0 || midend::verify_implied_branches(before_, witness).proven >= verdict.assumed),
          "control");
    copy_ = function_;
  }

private:
  enum class step { motion, tests, replacement };

  void check(bool holds, const char* what) {
    ++num_checked;
    require(holds, "clean-up", what);
  }

  /// The copy reads the constants too; then the new function is an unfolding of it, in which branches are decided.
  void use_constants(const midend::sccp_plan<std::uint64_t>& plan) {
    next_ = step::replacement;
    std::vector<value_id> constants;
    for (const auto& change : plan.replacements) {
      constants.push_back(now_.make_constant(change.value, change.constant));
    }
    for (const auto& use : plan.uses) {
      now_.make_constant(midend::used_value(now_, use), use.constant);
    }
    copy_ = function_;
    for (const auto& use : plan.uses) {
      midend::apply_decided_use(before_, use);
    }
    for (std::size_t i = 0; i != constants.size(); ++i) {
      before_.replace_uses(plan.replacements[i].value, constants[i]);
    }
    witness_.start(copy_.blocks.size(), copy_.edges.size(), copy_.code.size());
    for (const edge_id kept : plan.kept_edges) {
      const node_id n = copy_.edges[kept].from;
      const value_id c = before_.condition(n);
      const bool is_literal = c != no_value && before_.constant(c).has_value();
      for (const edge_id e : copy_.blocks[n].succs) {
        if (e != kept) {
          witness_.dropped.push_back(
              {n, e, is_literal ? c : no_value,
               is_literal ? midend::drop_reason::constant_condition : midend::drop_reason::assumed});
        }
      }
    }
  }

  function& function_;
  editor& now_;
  function copy_;
  editor before_;
  step next_ = step::replacement;
  midend::unfolding_witness witness_;
};

// [checker]

void check_view(const editor& e, const char* what) {
  if (const auto error = midend::check_ir(e)) {
    require(false, what, midend::to_text(*error));
  }
}

} // namespace

int main() {
  function f = horner();
  editor edit(f);
  check_view(edit, "the view");
  std::printf("before\n");
  print(f);

  // [steps]
  function before = f;
  const auto rotated = midend::rotate_loops(edit);
  require(bool(midend::verify_unfolding(editor(before), edit, rotated.witness)), "rotated", "unfolding");
  // [steps]
  check_view(edit, "rotated");
  before.code[4].bits = 4; // the loop runs up to 4, not 3
  const bool is_fooled = bool(midend::verify_unfolding(editor(before), edit, rotated.witness));
  std::printf("of another function: %s\n", is_fooled ? "certified" : "refused");
  std::printf("rotated: %zu loop\n", rotated.plan.rotations.size());
  print(f);

  before = f;
  const auto found = midend::dominators_and_loops(edit.graph());
  const midend::unrolling_request request{0, {.kind = midend::unrolling_kind::full, .factor = 3}};
  const auto unrolled = midend::unroll_loops(edit, found.loops, std::span(&request, 1));
  require(bool(midend::verify_unfolding(editor(before), edit, unrolled.witness)), "unrolled", "unfolding");
  check_view(edit, "unrolled");
  std::printf("unrolled: %zu loop, %zu blocks\n", unrolled.plan.unrollings.size(), f.blocks.size());

  midend::clean_up_options options;
  options.without = 1u << unsigned(midend::clean_up_member::operations); // the only one without a certificate
  clean_up_checker checker(f, edit);
  const midend::clean_up_log log = midend::clean_up(edit, options, checker);
  check_view(edit, "cleaned up");
  std::printf("cleaned up: %u rounds, %zu checks\n", log.rounds, checker.num_checked);
  print(f);
  std::printf("%s\n", failures == 0 ? "every step is certified" : "a step is wrong");
  return failures == 0 ? 0 : 1;
}
