// Classes, facts and edges against a naive greatest fixpoint, against runs, and against SCCP; and how much work it is.
#include <midend/ssa/value_numbering.hpp>

#include "kit/affordable.hpp"
#include "kit/congruence_mutation.hpp"
#include "kit/numbered_program.hpp"
#include "kit/semantic_ir.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/graph/depth_first_order.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/verify_congruence.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace midend_tests;
using midend::flat_domain;
using midend::value_numbering;
using midend::value_numbering_with_branch_facts;

namespace {

/// The definition, word by word. Facts are computed anew, from bottom, with the partition of the last round; then the
/// partition is computed anew, from a class for each constant and one for all other values that are computed, by
/// comparing each value with each other one of its class until nothing is split. In turn, until neither changes.
///
/// No step splits values that a stable partition holds together: in a stable partition that is finer, such values pass
/// the same on or compute the same from operands that it also holds together, and then they do so in the coarser one.
/// And it ends stable, so it ends at the coarsest one.
class naive_numbering {
public:
  explicit naive_numbering(const numbered_program& p)
      : p_(p), count_(p.num_values()), class_(count_, none), resolved_(count_, false), refuted_(count_, false) {
    do {
      do {
        do {
          compute_facts();
        } while (refute_by_facts());
      } while (partition());
    } while (resolve());
  }

  /// Of values that are computed.
  bool are_equal(value_id a, value_id b) const { return class_[a] == class_[b]; }

  bool is_computed(value_id v) const {
    const node_id home = p_.node(v);
    return (home == no_node || nodes_[home]) && !midend::is_bottom(domain_, facts_[v]);
  }

  std::optional<std::uint64_t> constant(value_id v) const { return domain_.as_constant(facts_[v]); }

  bool is_executable_edge(edge_id e) const { return edges_[e]; }

  bool is_executable(node_id n) const { return nodes_[n]; }

  /// Whether a value arrives at a phi, but none along an edge from a node that is found earlier. On no run, since an
  /// operation before it has no result. Which of several inputs such a phi passes on depends on the order.
  bool has_late_phi() const {
    for (value_id v = 0; v != count_; ++v) {
      bool is_late = p_.is_phi(v) && is_computed(v);
      for (std::size_t i = 0; is_late && i != p_.operands(v).size(); ++i) {
        const edge_id e = p_.graph().in_edges(p_.node(v))[i];
        is_late =
            !edges_[e] || !is_computed(p_.operands(v)[i]) || order_[p_.graph().edge_source(e)] >= order_[p_.node(v)];
      }
      if (is_late) {
        return true;
      }
    }
    return false;
  }

private:
  using element = flat_domain<>::element;
  static constexpr std::uint32_t none = 0xffff'ffff;

  // ---- Facts.

  void compute_facts() {
    facts_.assign(count_, domain_.bottom());
    nodes_.assign(p_.graph().num_nodes(), false);
    edges_.assign(p_.graph().num_edges(), false);
    for (value_id v = 0; v != count_; ++v) {
      if (p_.node(v) == no_node) {
        const auto c = p_.constant(v);
        facts_[v] = c ? domain_.constant(0, *c) : domain_.top(0);
      }
    }
    nodes_[p_.graph().entry()] = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (node_id n = 0; n != nodes_.size(); ++n) {
        changed = (nodes_[n] && visit(n)) || changed;
      }
    }
  }

  bool visit(node_id n) {
    bool changed = false;
    for (const value_id v : p_.values(n)) {
      changed = domain_.join(facts_[v], p_.is_phi(v) ? merged(v) : computed(v)) || changed;
      if (p_.never_returns(v)) {
        return changed;
      }
    }
    const value_id condition = p_.condition(n);
    for (const edge_id e : p_.graph().out_edges(n)) {
      bool is_taken = condition == no_value;
      if (!is_taken && !midend::is_bottom(domain_, facts_[condition])) {
        const auto c = domain_.as_constant(facts_[condition]);
        const auto own = p_.edge_case(e);
        is_taken = !c || (own ? *own == *c : !is_case(n, *c));
        if (!c && !own) { // cases that cover all numbers leave nothing for the rest
          std::uint64_t cases = 0;
          for (const edge_id other : p_.graph().out_edges(n)) {
            cases += p_.edge_case(other) ? 1u : 0u;
          }
          is_taken = cases < midend::number_of_values(p_.operation(condition).width);
        }
      }
      if (is_taken && !edges_[e]) {
        edges_[e] = true;
        nodes_[p_.graph().edge_target(e)] = true;
        changed = true;
      }
    }
    return changed;
  }

  bool is_case(node_id n, std::uint64_t c) const {
    for (const edge_id e : p_.graph().out_edges(n)) {
      if (p_.edge_case(e) == c) {
        return true;
      }
    }
    return false;
  }

  element merged(value_id phi) const {
    element out = domain_.bottom();
    for (const edge_id e : p_.graph().in_edges(p_.node(phi))) {
      if (edges_[e]) {
        domain_.join(out, facts_[p_.phi_input(phi, e)]);
      }
    }
    return out;
  }

  element computed(value_id v) const {
    const operation_info info = p_.operation(v);
    std::vector<element> args;
    bool waits = false;
    bool are_constant = true;
    std::vector<std::uint64_t> constants;
    for (const value_id operand : p_.operands(v)) {
      args.push_back(facts_[operand]);
      waits = waits || midend::is_bottom(domain_, facts_[operand]);
      const auto c = domain_.as_constant(facts_[operand]);
      are_constant = are_constant && c;
      constants.push_back(c.value_or(0));
    }
    if (info.code == operation::other) {
      if (waits) {
        return resolved_[v] ? domain_.top(0) : domain_.bottom();
      }
      const auto c = are_constant ? p_.fold(v, constants) : std::nullopt;
      return c ? domain_.constant(0, *c) : domain_.top(0);
    }
    const auto same = midend::detail::result_for_equal_operands(info.code);
    if (same && !waits && !refuted_[v] && !are_constant && !p_.is_undefined(p_.operands(v)[0]) &&
        !p_.is_undefined(p_.operands(v)[1]) &&
        (p_.operands(v)[0] == p_.operands(v)[1] || may_be_equal(p_.operands(v)[0], p_.operands(v)[1]))) {
      return domain_.as_constant(args[0]).has_value() == domain_.as_constant(args[1]).has_value()
                 ? domain_.constant(info.width, *same)
                 : facts_[v];
    }
    return domain_.transfer(info, std::span<const element>(args));
  }

  /// The first value in reverse postorder of whose operands one is constant and the other is not.
  bool refute_by_facts() {
    for (const node_id n : midend::reverse_post_order(p_.graph())) {
      for (const value_id v : p_.values(n)) {
        if (midend::detail::result_for_equal_operands(p_.operation(v).code) && !refuted_[v] && is_computed(v) &&
            constant(p_.operands(v)[0]).has_value() != constant(p_.operands(v)[1]).has_value()) {
          refuted_[v] = true;
          return true;
        }
      }
    }
    return false;
  }

  /// Values that were not computed in the last round may be equal to anything.
  bool may_be_equal(value_id a, value_id b) const {
    return class_[a] == none || class_[b] == none || class_[a] == class_[b];
  }

  // ---- The partition.

  bool partition() {
    const std::vector<std::uint32_t> last = class_;
    find_order();
    std::vector<std::uint64_t> constants;
    for (value_id v = 0; v != count_; ++v) {
      class_[v] = is_computed(v) ? 0 : none;
      if (const auto c = constant(v)) {
        const auto at = std::ranges::find(constants, *c);
        class_[v] = 1 + static_cast<std::uint32_t>(at - constants.begin());
        if (at == constants.end()) {
          constants.push_back(*c);
        }
      }
    }
    while (split()) {
    }
    return class_ != last;
  }

  /// By node: how many are found before it when executable edges are followed.
  void find_order() {
    order_.assign(nodes_.size(), none);
    std::vector<node_id> found{static_cast<node_id>(p_.graph().entry())};
    order_[found[0]] = 0;
    for (std::size_t i = 0; i != found.size(); ++i) {
      for (const edge_id e : p_.graph().out_edges(found[i])) {
        const node_id target = p_.graph().edge_target(e);
        if (edges_[e] && order_[target] == none) {
          order_[target] = static_cast<std::uint32_t>(found.size());
          found.push_back(target);
        }
      }
    }
  }

  /// In the order of runs, so that the operands of an operation have been placed before it.
  bool split() {
    std::vector<value_id> in_order;
    for (value_id v = 0; v != count_; ++v) {
      if (class_[v] != none) {
        in_order.push_back(v);
      }
    }
    std::ranges::sort(in_order, {}, [&](value_id v) {
      return std::pair(p_.node(v) == no_node ? std::uint64_t{0} : order_[p_.node(v)] + std::uint64_t{1}, v);
    });
    finer_.assign(count_, none);
    std::vector<value_id> source(count_);
    std::vector<value_id> firsts;
    for (const value_id v : in_order) {
      source[v] = v;
      for (value_id next = v; next != no_value; next = passed(source[v])) {
        source[v] = next;
      }
      for (std::uint32_t c = 0; finer_[v] == none; ++c) {
        if (c == firsts.size()) {
          firsts.push_back(v);
        }
        const value_id w = firsts[c];
        if (v == w || (class_[v] == class_[w] && compute_the_same(source[v], source[w]))) {
          finer_[v] = c;
        }
      }
    }
    const bool changed = finer_ != class_;
    class_ = finer_;
    return changed;
  }

  bool same(value_id a, value_id b) const {
    return is_computed(a) && is_computed(b) ? class_[a] == class_[b] : is_computed(a) == is_computed(b);
  }

  /// What `v` passes on; `no_value` if it passes nothing on. One of two equal operands only if they stay equal in this
  /// round: else x & y and y & x would be split because x and y are. Of the inputs of a phi, one along an edge from a
  /// node that is found earlier, if one arrives there: so no value passes itself on, and phis with equal inputs agree
  /// in the edge.
  value_id passed(value_id v) const {
    if (p_.node(v) == no_node || constant(v)) {
      return no_value;
    }
    if (!p_.is_phi(v)) {
      if (!midend::detail::depends_on_operands_alone(p_, v) || p_.operation(v).code == operation::other) {
        return no_value;
      }
      const value_id operand = midend::detail::operand_passed_on(
          p_, v, [&](value_id a, value_id b) { return is_computed(a) && is_computed(b) && finer_[a] == finer_[b]; },
          [&](value_id a) { return constant(a); });
      return operand == no_value || !is_computed(operand) ? no_value : operand;
    }
    value_id out = no_value;
    bool is_early = false;
    for (const edge_id e : p_.graph().in_edges(p_.node(v))) {
      const value_id i = p_.phi_input(v, e);
      if (!edges_[e] || !is_computed(i)) {
        continue;
      }
      if (p_.is_undefined(i) || p_.operation(i).width != p_.operation(v).width ||
          (out != no_value && class_[i] != class_[out])) {
        return no_value;
      }
      const bool now = order_[p_.graph().edge_source(e)] < order_[p_.node(v)];
      out = out == no_value || (now && !is_early) ? i : out;
      is_early = is_early || now;
    }
    return out;
  }

  /// Of values that pass nothing on.
  bool compute_the_same(value_id a, value_id b) const {
    const auto x = constant(a);
    const auto y = constant(b);
    if (a == b || x || y) {
      return (a == b || x == y) && p_.operation(a).width == p_.operation(b).width;
    }
    if (p_.node(a) == no_node || p_.node(b) == no_node || p_.is_phi(a) != p_.is_phi(b) ||
        p_.operation(a).width != p_.operation(b).width) {
      return false;
    }
    return p_.is_phi(a) ? have_equal_inputs(a, b) : have_equal_operands(a, b);
  }

  bool have_equal_inputs(value_id a, value_id b) const {
    if (p_.node(a) != p_.node(b)) {
      return false;
    }
    for (const edge_id e : p_.graph().in_edges(p_.node(a))) {
      const value_id i = p_.phi_input(a, e);
      const value_id k = p_.phi_input(b, e);
      if (edges_[e] && (p_.is_undefined(i) || p_.is_undefined(k) || !same(i, k))) {
        return false;
      }
    }
    return true;
  }

  bool have_equal_operands(value_id a, value_id b) const {
    if (!midend::detail::depends_on_operands_alone(p_, a) || !midend::detail::depends_on_operands_alone(p_, b)) {
      return false;
    }
    operation_info x = p_.operation(a);
    const operation_info y = p_.operation(b);
    std::vector<value_id> i(p_.operands(a).begin(), p_.operands(a).end());
    const std::vector<value_id> k(p_.operands(b).begin(), p_.operands(b).end());
    if (x.code != y.code && x.code == midend::mirrored(y.code)) {
      std::swap(i[0], i[1]);
      x.code = y.code;
    }
    if (x.code != y.code || midend::read_width(x) != midend::read_width(y) || i.size() != k.size() ||
        (x.code == operation::other && p_.identity(a) != p_.identity(b))) {
      return false;
    }
    if (midend::is_commutative(x.code) && are_read_equal(i[0], k[1]) && are_read_equal(i[1], k[0])) {
      return true;
    }
    for (std::size_t n = 0; n != i.size(); ++n) {
      if (!are_read_equal(i[n], k[n])) {
        return false;
      }
    }
    return true;
  }

  /// Of an operand without a value nothing is known but that it is itself.
  bool are_read_equal(value_id a, value_id b) const { return is_computed(a) || is_computed(b) ? same(a, b) : a == b; }

  // ---- Waiting.

  /// Operations that only the IR can compute no longer wait for operands without a value.
  bool resolve() {
    bool any = false;
    for (value_id v = 0; v != count_; ++v) {
      if (!resolved_[v] && p_.node(v) != no_node && nodes_[p_.node(v)] && !p_.is_phi(v) &&
          p_.operation(v).code == operation::other && midend::is_bottom(domain_, facts_[v])) {
        resolved_[v] = true;
        any = true;
      }
    }
    return any;
  }

  const numbered_program& p_;
  flat_domain<> domain_;
  std::size_t count_;
  std::vector<std::uint32_t> class_; ///< by value; `none` if it is not computed
  std::vector<std::uint32_t> finer_; ///< what it becomes in a round
  std::vector<bool> resolved_;
  std::vector<bool> refuted_; ///< facts show that the operands are not equal
  std::vector<element> facts_;
  std::vector<bool> nodes_;
  std::vector<bool> edges_;
  std::vector<std::uint32_t> order_;
};

std::vector<test_graph> small_graphs(std::size_t count) {
  std::vector<test_graph> out = ugly_graphs();
  random_source random(23);
  for (std::size_t i = 0; i != count; ++i) {
    out.push_back(random_reducible(random, 3 + i % 9));
    out.push_back(random_irreducible(random, 4 + i % 8));
    out.push_back(random_digraph(random, 2 + i % 8, 3 + i % 13));
  }
  std::erase_if(out, [](const test_graph& g) { return g.num_nodes == 0 || g.num_nodes > 16; });
  return out;
}

/// Calls `visit(program, text)` for small programs with many values that are equal.
template <class Visit> void for_each_small_program(std::size_t count, Visit visit) {
  random_source random(29);
  for (const test_graph& g : small_graphs(count)) {
    for (const bool is_plain : {true, false}) {
      const random_semantics options{.width = is_plain ? 8u : 3u,
                                     .parameters = 1 + random.below(2),
                                     .most = 5,
                                     .undefined = random.one_in(3),
                                     .calls = random.one_in(2),
                                     .wide = is_plain ? std::size_t{0} : std::size_t{6}};
      numbered_program p(random_semantic_program(random, g, options));
      p.repeat(random);
      visit(p, g.name + "\n" + to_string(p));
    }
  }
}

/// Whether another value of the class of `v` that dominates it has another value now.
bool disagrees(const numbered_program& p, const midend::value_numbering_result<flat_domain<>>& found,
               const midend::dominator_tree& tree, const std::vector<std::optional<std::uint64_t>>& now, value_id v) {
  for (const value_id w : found.members(v)) {
    const bool dominates = p.node(w) == no_node || tree.strictly_dominates(p.node(w), p.node(v)) ||
                           (p.node(w) == p.node(v) && (w < v || p.is_phi(w)));
    if (dominates && now[w] != now[v]) {
      return true;
    }
  }
  return false;
}

} // namespace

TEST_CASE("value numbering finds the greatest fixpoint of its definition") {
  std::size_t together = 0;
  std::size_t passed = 0;
  std::size_t compared = 0;
  std::size_t late = 0;
  for_each_small_program(affordable(120), [&](const numbered_program& p, const std::string& text) {
    const auto found = value_numbering(p);
    const naive_numbering naive(p);
    if (naive.has_late_phi()) {
      CHECK_MESSAGE(!midend::verify_congruence(p, found), text);
      ++late;
      return;
    }
    ++compared;
    bool agree = true;
    for (value_id a = 0; a != p.num_values() && agree; ++a) {
      if (p.node(a) != no_node) {
        CHECK_MESSAGE(found.is_computed(a) == naive.is_computed(a), "v", a, "\n", text);
      }
      if (!naive.is_computed(a)) {
        continue;
      }
      agree = found.constant(a) == naive.constant(a);
      CHECK_MESSAGE(agree, "constant v", a, " is ", naive.constant(a).value_or(~std::uint64_t{0}), "\n", text);
      for (value_id b = 0; b != a && agree; ++b) {
        if (naive.is_computed(b)) {
          agree = found.are_congruent(a, b) == naive.are_equal(a, b);
          CHECK_MESSAGE(agree, "v", a, " and v", b, ": ", found.are_congruent(a, b), "\n", text);
          together += naive.are_equal(a, b) && !naive.constant(a);
          passed += naive.are_equal(a, b) && p.is_phi(a) != p.is_phi(b);
        }
      }
    }
    for (edge_id e = 0; e != p.graph().num_edges(); ++e) {
      CHECK_MESSAGE(found.is_executable_edge(e) == naive.is_executable_edge(e), "e", e, "\n", text);
    }
  });
  MESSAGE(compared, " programs, and ", late, " with late phis; ", together, " pairs, ", passed,
          " of a phi and an operation");
  CHECK(late < compared / 50);
  CHECK(together > affordable(300));
  CHECK(passed > affordable(30));
}

/// Calls `visit(classes)` for each partition in which the values in `fixed` stay apart, and those in `free` are alone
/// or with values of their width, but not with the first `num_alone` of `fixed`.
template <class Visit>
void for_each_partition(const numbered_program& p, const std::vector<value_id>& fixed, std::uint32_t num_alone,
                        const std::vector<value_id>& free, Visit visit) {
  std::vector<std::uint32_t> classes(p.num_values(), 0);
  std::vector<value_id> firsts = fixed;
  for (std::uint32_t c = 0; c != fixed.size(); ++c) {
    classes[fixed[c]] = c;
  }
  const auto place = [&](const auto& again, std::size_t i) -> void {
    if (i == free.size()) {
      visit(classes);
      return;
    }
    for (std::uint32_t c = num_alone; c <= firsts.size(); ++c) {
      if (c == firsts.size()) {
        firsts.push_back(free[i]);
        classes[free[i]] = c;
        again(again, i + 1);
        firsts.pop_back();
        return;
      }
      if (p.operation(firsts[c]).width == p.operation(free[i]).width) {
        classes[free[i]] = c;
        again(again, i + 1);
      }
    }
  };
  place(place, 0);
}

TEST_CASE("of tiny programs, each partition that the checker accepts is finer than the result") {
  random_source random(37);
  std::size_t programs = 0;
  std::size_t accepted = 0;
  std::size_t rejected = 0;
  std::vector<test_graph> graphs;
  for (const std::vector<midend::edge>& edges : {std::vector<midend::edge>{{0, 1}, {1, 1}, {1, 2}},
                                                 {{0, 1}, {0, 1}, {1, 1}},
                                                 {{0, 1}, {0, 2}, {1, 2}},
                                                 {{0, 1}, {0, 2}, {1, 2}, {2, 1}},
                                                 {{0, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 1}}}) {
    graphs.push_back({"tiny", 0, 0, edges});
    for (const midend::edge& e : edges) {
      graphs.back().num_nodes = std::max<std::size_t>(graphs.back().num_nodes, std::max(e.source, e.target) + 1);
    }
  }
  while (programs != affordable(200)) {
    numbered_program p(random_semantic_program(random, graphs[random.below(graphs.size())],
                                               {.width = 2, .parameters = 1, .most = 2, .undefined = false}));
    p.repeat(random);
    const auto found = value_numbering(p);
    std::vector<bool> is_used(p.num_values(), false);
    for (value_id v = 0; v != p.num_values(); ++v) {
      for (const value_id operand : p.operands(v)) {
        is_used[operand] = true;
      }
    }
    std::vector<value_id> alone; // undef, and what is not in the program
    std::vector<value_id> fixed;
    std::vector<value_id> free;
    for (value_id v = 0; v != p.num_values(); ++v) {
      const bool is_fixed = p.node(v) == no_node || p.is_call(v);
      (!found.is_computed(v) || p.is_undefined(v) || (is_fixed && !is_used[v]) ? alone
       : is_fixed                                                              ? fixed
                                                                               : free)
          .push_back(v);
    }
    if (free.size() < 3 || free.size() > 5 || free.size() + fixed.size() > 8) {
      continue;
    }
    const auto num_alone = static_cast<std::uint32_t>(alone.size());
    fixed.insert(fixed.begin(), alone.begin(), alone.end());
    ++programs;
    auto other = found;
    for_each_partition(p, fixed, num_alone, free, [&](const std::vector<std::uint32_t>& classes) {
      midend::detail::congruence_mutation::set_classes(other, classes);
      const midend::congruence_fault fault = midend::verify_congruence(p, other).fault;
      if (fault == midend::congruence_fault::not_equal || fault == midend::congruence_fault::not_computed) {
        ++rejected;
        return;
      }
      ++accepted; // its facts may be other ones
      bool are_finer = true;
      for (const value_id v : free) {
        for (value_id w = 0; w != p.num_values(); ++w) {
          are_finer = are_finer && (classes[v] != classes[w] || found.are_congruent(v, w));
        }
      }
      CHECK_MESSAGE(are_finer, to_string(p));
    });
  }
  MESSAGE(accepted, " partitions accepted, ", rejected, " rejected");
  CHECK(accepted > programs);
}

TEST_CASE("what was constant at first and reads undef is equal to nothing") {
  // As long as nothing tells the calls apart, the condition is 1 and both are 0.
  numbered_program p(1, {});
  const value_id zero = p.literal(0);
  const value_id undefined = p.undefined();
  const value_id condition = p.op(0, operation::equal, {p.call(0), p.call(0)});
  const value_id x = p.op(0, operation::select, {condition, zero, undefined});
  const value_id y = p.op(0, operation::select, {condition, zero, undefined});
  const auto found = value_numbering(p);
  CHECK(!found.constant(x));
  CHECK(!found.are_congruent(x, y));
  CHECK(!midend::verify_congruence(p, found));
}

TEST_CASE("shifts by an amount modulo different numbers are not equal") {
  for (const operation code : {operation::shl_modulo, operation::shr_modulo, operation::sar_modulo}) {
    numbered_program p(1, {});
    const value_id a = p.call(0);
    const value_id amount = p.call(0);
    const value_id by_64 = p.op(0, code, {a, amount}, 64, 64);
    const value_id again = p.op(0, code, {a, amount}, 64, 64);
    const value_id by_32 = p.op(0, code, {a, amount}, 64, 32);
    const value_id plain = p.op(0, midend::plain_shift(code), {a, amount}, 64, 64);
    const auto found = value_numbering(p);
    CHECK(found.are_congruent(by_64, again));
    CHECK(!found.are_congruent(by_64, by_32));
    CHECK(!found.are_congruent(by_64, plain));
    CHECK(!midend::verify_congruence(p, found));
  }
}

TEST_CASE("operations of different operands that never have a value are not equal") {
  // The shift is undefined, and so are the sums. Only the IR knows what the others make of that.
  numbered_program p(1, {});
  const value_id shifted = p.op(0, operation::shl, {p.literal(5), p.literal(1000)});
  const value_id one = p.op(0, operation::add, {shifted, p.call(0)});
  const value_id two = p.op(0, operation::sub, {shifted, p.call(0)});
  const value_id x = p.strange(0, one, p.literal(1));
  const value_id y = p.strange(0, two, p.literal(1));
  const value_id z = p.strange(0, one, p.literal(1));
  const auto found = value_numbering(p);
  CHECK(!found.is_computed(one));
  CHECK(found.is_computed(x));
  CHECK(!found.are_congruent(x, y));
  CHECK(found.are_congruent(x, z));
  CHECK(!midend::verify_congruence(p, found));
}

TEST_CASE("an operation waits until a comparison of a literal is decided") {
  // The quotient is undefined, so what only the IR understands waits. It goes on with an operand that is 7 by then.
  numbered_program p(1, {});
  const value_id undefined = p.op(0, operation::udiv, {p.literal(3), p.literal(0)});
  const value_id any = p.strange(0, undefined, p.literal(1));
  const value_id compared = p.op(0, operation::ugreater_equal, {p.literal(~std::uint64_t{0}), any});
  const value_id seven = p.op(0, operation::select, {compared, p.literal(7), any});
  const value_id last = p.strange(0, seven, p.literal(1));
  const auto facts = midend::sccp(p, flat_domain<>());
  const auto found = value_numbering(p);
  CHECK(facts.constant(seven) == 7);
  CHECK(found.constant(seven) == 7);
  REQUIRE(facts.constant(last));
  CHECK(found.constant(last) == facts.constant(last));
}

TEST_CASE("a comparison is not given up because its operand is constant for a doubtful reason") {
  // x / 1 is taken for 1 as long as x may be 1. Then it is x, and equal to x.
  numbered_program p(2, {{0, 1}, {1, 1}});
  const value_id x = p.phi(1);
  const value_id same = p.op(1, operation::udiv, {x, p.literal(1)});
  const value_id compared = p.op(1, operation::less_equal, {x, same});
  p.set_input(x, p.edge_of(0), p.literal(0));
  p.set_input(x, p.edge_of(1), p.call(1));
  const auto found = value_numbering(p);
  CHECK(found.are_congruent(x, same));
  CHECK(found.constant(compared) == 1);
  CHECK(!midend::verify_congruence(p, found));
}

TEST_CASE("what relied on equal operands is computed again, even if it is no constant") {
  // y - x is 2 at first, then 0 as long as the two may be equal, then anything from -4 to 2.
  numbered_program p(3, {{0, 1}, {1, 1}, {1, 2}});
  const value_id x = p.phi(1);
  const value_id y = p.phi(1);
  const value_id difference = p.op(1, operation::sub, {y, x});
  const value_id next = p.op(1, operation::sub, {x, p.literal(1)});
  p.branch(1, p.op(1, operation::greater, {p.op(1, operation::bit_and, {next, p.literal(3)}), p.literal(0)}));
  p.set_input(x, p.edge_of(0), p.literal(4));
  p.set_input(x, p.edge_of(1), next);
  p.set_input(y, p.edge_of(0), p.literal(6));
  p.set_input(y, p.edge_of(1), p.literal(0));
  const auto found = value_numbering(p, midend::interval_domain());
  CHECK(!found.are_congruent(x, y));
  CHECK(midend::may_be(midend::interval_domain(), 64, found.fact(difference), ~std::uint64_t{0}));
  CHECK(!midend::verify_congruence(p, found));
}

TEST_CASE("the checker accepts results and rejects every merge of two classes") {
  std::size_t rejected = 0;
  for_each_small_program(affordable(4), [&](const numbered_program& p, const std::string& text) {
    const auto found = value_numbering(p);
    const midend::congruence_error error = midend::verify_congruence(p, found);
    CHECK_MESSAGE(!error, static_cast<int>(error.fault), " v", error.value, " v", error.other, "\n", text);
    CHECK_MESSAGE(!midend::verify_congruence(p, value_numbering(p, midend::interval_domain())), text);
    const auto after_branches = value_numbering_with_branch_facts(p, flat_domain<>());
    CHECK_MESSAGE(!verify_congruence_with_branch_facts(p, after_branches), text);
    CHECK_MESSAGE(
        !verify_congruence_with_branch_facts(p, value_numbering_with_branch_facts(p, midend::interval_domain())), text);
    const auto merge_all = [&](const auto& whole, bool with_constants, auto verify) {
      const auto counts = [&](std::uint32_t c) {
        return with_constants || !whole.constant(whole.members_of_class(c)[0]);
      };
      for (std::uint32_t b = 0; b != whole.num_classes(); ++b) {
        for (std::uint32_t a = 0; a != b && counts(b); ++a) {
          if (!counts(a)) {
            continue;
          }
          auto wrong = whole;
          midend::detail::congruence_mutation::merge(wrong, a, b);
          CHECK_MESSAGE(verify(wrong), "v", whole.members_of_class(a)[0], " and v", whole.members_of_class(b)[0], "\n",
                        text);
          ++rejected;
        }
      }
    };
    merge_all(found, true, [&](const auto& wrong) { return static_cast<bool>(midend::verify_congruence(p, wrong)); });
    // A phi of 5 is equal to v, too, if v arrives only where it is 5: so these merges may be right.
    merge_all(after_branches, false, [&](const auto& wrong) {
      return static_cast<bool>(midend::verify_congruence_with_branch_facts(p, wrong));
    });
  });
  CHECK(rejected > 1000);
}

TEST_CASE("on runs, values of a class are equal where both are defined") {
  std::size_t compared = 0;
  std::size_t after_branches = 0;
  random_source random(31);
  for_each_small_program(affordable(40), [&](const numbered_program& p, const std::string& text) {
    const bool has_facts = random.below(2) == 0;
    const auto found = has_facts ? value_numbering_with_branch_facts(p, flat_domain<>()) : value_numbering(p);
    after_branches += has_facts && found.num_classes() != value_numbering(p).num_classes() ? 1u : 0u;
    const midend::dominator_tree tree = midend::dominators(p.graph());
    for (std::size_t run = 0; run != 4; ++run) {
      std::vector<std::uint64_t> arguments;
      for (const value_id v : p.parameters()) {
        arguments.push_back(random.next() & midend::low_ones(p.operation(v).width));
      }
      std::vector<std::optional<std::uint64_t>> now(p.num_values());
      bool agree = true;
      interpret(
          p, arguments, 60, [&](unsigned width) { return random.next() & midend::low_ones(width); },
          [&](value_id v, std::uint64_t bits) {
            now[v] = bits;
            if (p.node(v) == no_node || p.is_phi(v)) { // phis are written at once
              return;
            }
            for (const value_id w : p.values(p.node(v))) {
              if (p.is_phi(w)) {
                agree = agree && !disagrees(p, found, tree, now, w);
              }
            }
            ++compared;
            agree = agree && !disagrees(p, found, tree, now, v) && found.is_computed(v) &&
                    found.constant(v).value_or(bits) == bits;
          },
          [&](edge_id e) { agree = agree && found.is_executable_edge(e); });
      CHECK_MESSAGE(agree, text);
    }
  });
  CHECK(compared > 1000);
  CHECK(after_branches > 0);
}

TEST_CASE("a chain of 10^5 operations, twice, is numbered in linear work") {
  numbered_program p(1, {});
  const value_id a = p.parameter();
  value_id x = a;
  value_id y = a;
  constexpr std::size_t length = 100000;
  for (std::size_t i = 0; i != length; ++i) {
    x = p.op(0, operation::add, {x, a});
    y = p.op(0, operation::add, {a, y});
  }
  const auto found = value_numbering(p);
  CHECK(found.are_congruent(x, y));
  CHECK(found.num_classes() == length + 1);
  CHECK(found.counters().placements == 2 * length);
  CHECK(found.counters().use_visits <= 8 * length);
  CHECK(!midend::verify_congruence(p, found));
}

TEST_CASE("a web of 10^4 phis that differ one after the other is split in n log n work") {
  constexpr std::uint32_t size = 10'000;
  for (const bool starts_equal : {true, false}) { // as values that are passed on, or as phis
    numbered_program p(starts_equal ? 2u : 3u, starts_equal
                                                   ? std::vector<midend::edge>{{0, 1}, {1, 1}}
                                                   : std::vector<midend::edge>{{0, 1}, {0, 2}, {1, 2}, {2, 2}});
    const node_id header = starts_equal ? 1 : 2;
    const value_id a = p.parameter();
    const value_id b = p.parameter();
    std::vector<value_id> phis;
    for (std::uint32_t i = 0; i != size; ++i) {
      phis.push_back(p.phi(header));
    }
    for (std::uint32_t i = 0; i != size; ++i) {
      const value_id next = i + 1 == size ? b : phis[i + 1];
      const auto edges = p.graph().in_edges(header);
      for (std::size_t k = 0; k != edges.size(); ++k) {
        const bool is_back = p.graph().edge_source(edges[k]) == header;
        p.set_input(phis[i], edges[k], is_back ? next : k == 0 ? a : b);
      }
    }
    const auto found = value_numbering(p);
    CHECK(found.num_classes() == size + 2);
    CHECK(found.counters().use_visits <= 20 * size);
    CHECK(!midend::verify_congruence(p, found));
  }
}

TEST_CASE("10^4 equal loads are never equal, in linear work") {
  numbered_program p(1, {});
  const value_id a = p.parameter();
  constexpr std::size_t count = 10'000;
  for (std::size_t i = 0; i != count; ++i) {
    p.op(0, operation::add, {p.call(0, {a}), a});
  }
  const auto found = value_numbering(p);
  CHECK(found.num_classes() == 2 * count + 1);
  CHECK(found.counters().use_visits + found.counters().placements <= 6 * count);
}

TEST_CASE("a chain of 10^4 branches of which each asks whether the last phis are equal") {
  // Each diamond adds 1 to x and to y, and something else to x if they differ.
  constexpr std::uint32_t length = 10'000;
  std::vector<midend::edge> edges;
  for (std::uint32_t i = 0; i != length; ++i) {
    edges.insert(edges.end(), {{3 * i, 3 * i + 1}, {3 * i, 3 * i + 2}, {3 * i + 1, 3 * i + 3}, {3 * i + 2, 3 * i + 3}});
  }
  for (const bool are_equal : {true, false}) {
    numbered_program p(3 * length + 1, edges);
    value_id x = p.parameter();
    value_id y = are_equal ? x : p.parameter();
    const value_id one = p.literal(1);
    for (std::uint32_t i = 0; i != length; ++i) {
      p.branch(3 * i, p.op(3 * i, operation::equal, {x, y}));
      const value_id then = p.op(3 * i + 1, operation::add, {x, one});
      const value_id otherwise = p.op(3 * i + 2, operation::mul, {x, x});
      const value_id next_y = p.op(3 * i + 2, operation::add, {y, one});
      const value_id then_y = p.op(3 * i + 1, operation::add, {one, y});
      x = p.merge(3 * i + 3, {then, otherwise});
      y = p.merge(3 * i + 3, {then_y, next_y});
    }
    const auto found = value_numbering(p);
    CHECK(found.are_congruent(x, y) == are_equal);
    CHECK(found.is_executable(3 * length - 1) != are_equal);
    const auto& work = found.counters();
    MESSAGE(work.use_visits, " uses, ", work.placements, " placements, ", work.refinements, " refinements");
    CHECK(work.use_visits + work.placements <= 60 * length);
    CHECK(!midend::verify_congruence(p, found));
  }
}

TEST_CASE("a workspace is used again") {
  midend::value_numbering_workspace<flat_domain<>> workspace;
  midend::value_numbering_result<flat_domain<>> out;
  for_each_small_program(1, [&](const numbered_program& p, const std::string& text) {
    value_numbering(p, flat_domain<>(), {}, workspace, out);
    const auto fresh = value_numbering(p);
    bool agree = out.num_classes() == fresh.num_classes() && out.counters() == fresh.counters();
    for (value_id v = 0; agree && v != p.num_values(); ++v) {
      agree = out.class_of(v) == fresh.class_of(v) && out.leader(v) == fresh.leader(v);
    }
    CHECK_MESSAGE(agree, text);
  });
}
