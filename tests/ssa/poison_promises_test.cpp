// Promises that leaders must lose where a broken promise makes poison.
#include "kit/affordable.hpp"
#include "kit/numbered_program.hpp"
#include "kit/semantic_ir.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/ir/evaluate.hpp>
#include <midend/ssa/phis_of_operations.hpp>
#include <midend/ssa/poison_promises.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/ssa/value_numbering_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace midend_tests;

namespace {

bool promises_more(const numbered_program& p, value_id v, value_id w) {
  const midend::operation_flags a = p.operation(v).flags;
  const midend::operation_flags b = p.operation(w).flags;
  return (a.no_signed_wrap && !b.no_signed_wrap) || (a.no_unsigned_wrap && !b.no_unsigned_wrap);
}

/// With `all`, also what branches say, and operations that become phis.
auto plan_of(const numbered_program& p, bool all = false) {
  const auto found =
      all ? midend::value_numbering_with_branch_facts(p, midend::flat_domain<>()) : midend::value_numbering(p);
  auto plan = midend::plan_value_numbering(p, found);
  if (all) {
    midend::add_phis_of_operations(p, found, plan);
  }
  midend::drop_poison_promises(p, found, [&](value_id v, value_id w) { return promises_more(p, v, w); }, plan);
  return plan;
}

constexpr midend::operation_flags nsw{true, false};

using numbers = std::vector<value_id>;

numbers dropped(const numbered_program& p) {
  const auto plan = plan_of(p);
  return {plan.dropped_promises.begin(), plan.dropped_promises.end()};
}

/// 0 → 1, 2; 1 → 3; 2 → 3.
numbered_program diamond() {
  return numbered_program(semantic_program(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
}

} // namespace

TEST_CASE("a phi that replaces a sum: what it joins loses its promises") {
  numbered_program p = diamond();
  const value_id a = p.parameter(32);
  const value_id b = p.parameter(32);
  p.branch(0, p.parameter(1));
  const value_id x = p.op(1, operation::add, {a, b}, 32, 0, nsw);
  const value_id y = p.op(2, operation::add, {b, a}, 32, 0, nsw);
  const value_id z = p.merge(3, {x, y}, 32);
  const value_id v = p.op(3, operation::add, {a, b}, 32);
  const auto plan = plan_of(p);
  REQUIRE(plan.replacements.size() == 1);
  CHECK(plan.replacements[0].value == v);
  CHECK(plan.replacements[0].leader == z);
  CHECK(dropped(p) == numbers{x, y});
}

TEST_CASE("nothing is dropped where nothing is replaced, or where all promise the same") {
  numbered_program p = diamond();
  const value_id a = p.parameter(32);
  p.branch(0, p.parameter(1));
  p.op(1, operation::add, {a, a}, 32, 0, nsw);
  p.op(2, operation::add, {a, a}, 32);
  CHECK(plan_of(p).replacements.empty());
  CHECK(dropped(p).empty());

  numbered_program q = diamond();
  const value_id b = q.parameter(32);
  q.branch(0, q.parameter(1));
  const value_id x = q.op(1, operation::add, {b, b}, 32, 0, nsw);
  const value_id y = q.op(2, operation::add, {b, b}, 32, 0, nsw);
  q.merge(3, {x, y}, 32);
  q.op(3, operation::add, {b, b}, 32, 0, nsw);
  CHECK(plan_of(q).replacements.size() == 1);
  CHECK(dropped(q).empty());
}

TEST_CASE("operands of which neither dominates the other") {
  numbered_program p = diamond();
  const value_id a = p.parameter(32);
  const value_id b = p.parameter(32);
  p.branch(0, p.parameter(1));
  const value_id x = p.op(1, operation::mul, {a, b}, 32, 0, nsw);
  const value_id x2 = p.op(1, operation::add, {x, b}, 32);
  const value_id y = p.op(2, operation::mul, {a, b}, 32, 0, nsw);
  const value_id y2 = p.op(2, operation::add, {y, b}, 32);
  const value_id z = p.merge(3, {x2, y2}, 32);
  const value_id v = p.op(3, operation::mul, {a, b}, 32); // stays
  p.op(3, operation::add, {b, v}, 32);                    // is %z
  const auto plan = plan_of(p);
  REQUIRE(plan.replacements.size() == 1);
  CHECK(plan.replacements[0].leader == z);
  CHECK(dropped(p) == numbers{x, y});
}

TEST_CASE("a phi replaces nothing if what it joins is always poison on an edge") {
  numbered_program p = diamond();
  const value_id v = p.parameter(32);
  const value_id zero = p.literal(0, 32);
  const value_id one = p.literal(1, 32);
  p.branch(0, p.parameter(1));
  const value_id never = p.op(1, operation::sub, {zero, one}, 32, 0, {true, true});
  const value_id x = p.op(1, operation::bit_xor, {v, never}, 32);
  const value_id number = p.op(2, operation::sub, {zero, one}, 32);
  const value_id y = p.op(2, operation::bit_xor, {v, number}, 32);
  const value_id both = p.merge(3, {x, y}, 32);
  const value_id same = p.op(3, operation::sub, {zero, one}, 32);
  const value_id z = p.op(3, operation::bit_xor, {v, same}, 32);
  REQUIRE(midend::value_numbering(p).are_congruent(both, z)); // `both` is y, wherever it is a number
  for (const auto& change : plan_of(p).replacements) {
    CHECK(change.value != z);
  }
}

namespace {

/// Runs the old program and the new one, as far as their values go, side by side. A value is a number or poison.
class poison_run {
public:
  poison_run(const numbered_program& p, bool all)
      : p_(p), plan_(plan_of(p, all)), phis_(plan_.phis.size()), now_(p.num_values()), drops_(p.num_values(), false) {
    for (value_id v = 0; v != p.num_values(); ++v) {
      now_[v] = v;
    }
    const auto& plan = plan_;
    phis = plan.phis.size();
    for (const auto& change : plan.replacements) {
      now_[change.value] = change.leader;
      ++replaced;
    }
    for (const auto& change : plan.constants.replacements) {
      constants_.push_back({change.value, change.constant});
    }
    for (const value_id v : plan.dropped_promises) {
      drops_[v] = true;
    }
  }

  /// Whether the new program has poison, or another number, where the old one has a number.
  bool is_wrong(random_source& random) {
    old_.assign(p_.num_values(), std::nullopt);
    new_.assign(p_.num_values(), std::nullopt);
    for (value_id v = 0; v != p_.num_values(); ++v) {
      if (p_.node(v) == no_node) {
        old_[v] = new_[v] = p_.constant(v).value_or(random.next() & midend::low_ones(p_.operation(v).width));
      }
    }
    bool wrong = false;
    node_id n = p_.graph().entry();
    edge_id by = midend::no_edge;
    for (std::size_t steps = 0; steps != 60; ++steps) {
      std::vector<std::pair<std::optional<std::uint64_t>, std::optional<std::uint64_t>>> arrived;
      for (const value_id v : p_.values(n)) {
        if (p_.is_phi(v)) {
          const value_id input = p_.phi_input(v, by);
          arrived.push_back({old_[input], read(input)});
        }
      }
      std::vector<std::optional<std::uint64_t>> arrived_anew;
      for (const auto& one : plan_.phis) {
        for (const auto& input : one.inputs) {
          if (one.node == n && input.edge == by) {
            arrived_anew.push_back(input.value == no_value ? input.constant : read(input.value));
          }
        }
      }
      std::size_t anew = 0;
      for (std::size_t i = 0; i != plan_.phis.size(); ++i) {
        if (plan_.phis[i].node == n) {
          phis_[i] = arrived_anew[anew++];
        }
      }
      std::size_t phi = 0;
      for (const value_id v : p_.values(n)) {
        if (p_.is_phi(v)) {
          std::tie(old_[v], new_[v]) = arrived[phi++];
        } else if (!compute(v, random)) {
          return wrong; // undefined behaviour, or a trap
        }
      }
      for (const value_id v : p_.values(n)) {
        wrong = wrong || (old_[v] && read(v) != old_[v]);
        compared += now_[v] != v ? 1u : 0u;
      }
      const value_id condition = p_.condition(n);
      if (condition != no_value && !old_[condition]) {
        return wrong; // a branch on poison is undefined behaviour
      }
      by = midend::no_edge;
      for (const edge_id e : p_.graph().out_edges(n)) {
        const bool is_default = condition == no_value || !p_.edge_case(e);
        if (is_default ? by == midend::no_edge : *p_.edge_case(e) == *old_[condition]) {
          by = e;
        }
      }
      if (by == midend::no_edge) {
        return wrong;
      }
      n = p_.graph().edge_target(by);
    }
    return wrong;
  }

  std::size_t replaced = 0;
  std::size_t phis = 0;
  std::size_t compared = 0;

private:
  std::optional<std::uint64_t> read(value_id v) const {
    for (const auto& [value, constant] : constants_) {
      if (value == v) {
        return constant;
      }
    }
    for (std::size_t i = 0; i != plan_.phis.size(); ++i) {
      if (plan_.phis[i].value == now_[v]) {
        return plan_.phis[i].phi != no_value ? new_[plan_.phis[i].phi] : phis_[i];
      }
    }
    return new_[now_[v]];
  }

  bool compute(value_id v, random_source& random) {
    if (p_.is_call(v)) {
      old_[v] = new_[v] = random.next() & midend::low_ones(p_.operation(v).width);
      return true;
    }
    std::vector<std::optional<std::uint64_t>> before;
    std::vector<std::optional<std::uint64_t>> after;
    for (const value_id operand : p_.operands(v)) {
      before.push_back(old_[operand]);
      after.push_back(read(operand));
    }
    midend::operation_info info = p_.operation(v);
    bool traps = false;
    old_[v] = result(v, info, before, traps);
    bool ignored = false;
    if (drops_[v]) {
      info.flags = {};
    }
    new_[v] = result(v, info, after, ignored);
    return !traps;
  }

  std::optional<std::uint64_t> result(value_id v, midend::operation_info info,
                                      const std::vector<std::optional<std::uint64_t>>& args, bool& traps) const {
    if (info.code == operation::select) {
      return args[0] ? args[*args[0] != 0 ? 1 : 2] : std::nullopt;
    }
    std::vector<std::uint64_t> bits;
    for (const auto& arg : args) {
      if (!arg) {
        traps = traps || is_division(info.code);
        return std::nullopt;
      }
      bits.push_back(*arg);
    }
    if (info.code == operation::other) {
      return p_.fold(v, bits);
    }
    const midend::evaluation out = midend::evaluate(info, bits);
    traps = traps || (!out && is_division(info.code));
    return out ? std::optional(out.bits) : std::nullopt;
  }

  static bool is_division(operation code) {
    return code == operation::div || code == operation::udiv || code == operation::rem || code == operation::urem;
  }

  const numbered_program& p_;
  midend::value_numbering_plan<std::uint64_t> plan_;
  std::vector<std::optional<std::uint64_t>> phis_; ///< by operation that became one
  std::vector<value_id> now_;
  std::vector<bool> drops_;
  std::vector<std::pair<value_id, std::uint64_t>> constants_;
  std::vector<std::optional<std::uint64_t>> old_;
  std::vector<std::optional<std::uint64_t>> new_;
};

} // namespace

namespace {

/// The same expressions, with other promises, in both branches and after them, where some come by phis.
numbered_program random_diamond(random_source& random) {
  struct expression {
    operation code;
    std::size_t left;
    std::size_t right;
  };

  constexpr unsigned width = 3;
  constexpr operation codes[] = {operation::add, operation::sub, operation::mul, operation::bit_xor, operation::umin};
  numbered_program p = diamond();
  p.branch(0, p.parameter(1));
  const numbers start{p.parameter(width), p.parameter(width), p.literal(1, width)};
  std::vector<expression> expressions;
  for (std::size_t i = 0; i != 5; ++i) {
    const std::size_t known = start.size() + i;
    expressions.push_back({codes[random.below(5)], static_cast<std::size_t>(random.below(known)),
                           static_cast<std::size_t>(random.below(known))});
  }
  const auto compute = [&](node_id n, const numbers& phis) {
    numbers values = start;
    numbers read = start; // a phi in place of some
    for (std::size_t i = 0; i != expressions.size(); ++i) {
      const auto [code, left, right] = expressions[i];
      const bool may_wrap = code == operation::add || code == operation::sub || code == operation::mul;
      const midend::operation_flags flags{may_wrap && random.one_in(2), may_wrap && random.one_in(4)};
      values.push_back(p.op(n, code, {read[left], read[right]}, width, 0, flags));
      const bool by_phi = i < phis.size() && phis[i] != no_value && random.one_in(2);
      read.push_back(by_phi ? phis[i] : values.back());
    }
    return values;
  };
  const numbers one = compute(1, {});
  const numbers other = compute(2, {});
  numbers phis;
  for (std::size_t i = 0; i != expressions.size(); ++i) {
    const std::size_t at = start.size() + i;
    phis.push_back(random.one_in(3) ? no_value : p.merge(3, {one[at], other[at]}, width));
  }
  compute(3, phis);
  return p;
}

} // namespace

TEST_CASE("after a plan, no value is poison that was a number") {
  random_source random(53);
  std::size_t replaced = 0;
  std::size_t phis = 0;
  std::size_t compared = 0;
  const auto check = [&](const numbered_program& p) {
    poison_run run(p, random.one_in(2));
    bool wrong = false;
    for (std::size_t k = 0; k != 8; ++k) {
      wrong = run.is_wrong(random) || wrong;
    }
    CHECK_MESSAGE(!wrong, to_string(p));
    replaced += run.replaced;
    phis += run.phis;
    compared += run.compared;
  };
  for (std::size_t i = 0; i != affordable(300); ++i) {
    check(random_diamond(random));
  }
  for (std::size_t i = 0; i != affordable(60); ++i) {
    numbered_program p(random_semantic_program(
        random, i % 2 == 0 ? random_reducible(random, 3 + i % 10) : random_irreducible(random, 4 + i % 9),
        {.width = 3, .parameters = 2, .most = 5, .undefined = false, .calls = random.one_in(2)}));
    p.repeat(random);
    check(p);
  }
  MESSAGE(replaced, " values replaced, ", phis, " by phis of operations, ", compared, " compared");
  CHECK(replaced > affordable(300) / 2);
  CHECK(phis > affordable(300) / 20);
}
