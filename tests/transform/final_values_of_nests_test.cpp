// Final values of random nests of loops, in numbers of 4 to 64 bits: certified and run.
#include "kit/affordable.hpp"
#include "kit/nest_generator.hpp"
#include "kit/semantic_ir.hpp"

#include <doctest/doctest.h>
#include <midend/transform/replace_final_values.hpp>
#include <midend/transform/verify_final_values.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace midend_tests;

namespace {

/// A nest that can be edited, and says what operations do.
class editable_nest : public semantic_program {
public:
  explicit editable_nest(semantic_program p) : semantic_program(std::move(p)) {}

  value_id make_operation(const midend::operation_info& info, std::span<const value_id> operands, midend::place p) {
    return op(p.node, info.code, {operands.begin(), operands.end()}, info.width, info.operand_width, info.flags);
  }

  value_id make_number(unsigned width, std::uint64_t bits) { return literal(bits, width); }

  void set_operand(value_id user, std::size_t i, value_id v) {
    std::vector<value_id> all(operands(user).begin(), operands(user).end());
    all[i] = v;
    set_operands(user, all);
  }

  void erase_value(value_id) { FAIL("each operation is made"); }

  void set_phi_input(value_id phi, midend::edge_id e, value_id v) { set_input(phi, e, v); }

  midend::effect_kind effect(value_id v) const {
    return is_call(v) ? midend::effect_kind::unknown : midend::effect_kind::none;
  }

  bool may_trap(value_id v) const {
    const auto info = operation(v);
    const auto second = operands(v).size() < 2 ? std::nullopt : constant(operands(v)[1]);
    return info.code == midend::operation::other ||
           (midend::is_partial(info.code) && !(second && midend::is_total_with(info, *second)));
  }

  bool may_not_return(value_id v) const { return never_returns(v); }

  bool may_duplicate(value_id) const { return true; }

  bool is_volatile(value_id) const { return false; }

  bool is_terminator(value_id) const { return false; }

  bool same_operation(value_id v, const editable_nest& other, value_id w) const {
    if (constant(v) || other.constant(w)) {
      return constant(v) == other.constant(w) && operation(v).width == other.operation(w).width;
    }
    return (node(v) != midend::no_node || v == w) && operation(v) == other.operation(w) &&
           is_call(v) == other.is_call(w) && is_undefined(v) == other.is_undefined(w);
  }
};

using bits_of_values = std::vector<std::pair<value_id, std::uint64_t>>;

/// What the first `count` values are in a run, in its order.
bits_of_values run_nest(const semantic_program& p, const std::vector<std::uint64_t>& arguments, std::size_t count,
                        std::size_t steps) {
  bits_of_values out;
  std::uint64_t calls = 0;
  interpret(
      p, arguments, steps, [&](unsigned width) { return ++calls * 0x9e37'79b9'7f4a'7c15 & midend::low_ones(width); },
      [&](value_id v, std::uint64_t bits) {
        if (v < count) {
          out.push_back({v, bits});
        }
      },
      [](midend::edge_id) {});
  return out;
}

} // namespace

TEST_CASE("replace_final_values: random nests run the same, and all certificates are accepted") {
  std::size_t replaced = 0;
  std::size_t nests = 0;
  const char* const many = std::getenv("MIDEND_FINAL_VALUE_NESTS");
  const std::uint64_t count = many != nullptr ? std::strtoull(many, nullptr, 10) : affordable(3000);
  for (std::uint64_t seed = 0; seed != count; ++seed) {
    random_source random(seed);
    const editable_nest before(random_nest(random, 1 + static_cast<unsigned>(seed % 3), 5));
    editable_nest after = before;
    const auto done = midend::replace_final_values(after);
    nests += done.plan.empty() ? 0U : 1U;
    const auto verdict = midend::verify_final_values(before, after, done.witness);
    replaced += verdict.proven;
    CHECK_MESSAGE(verdict, "seed ", seed, ": fault ", static_cast<int>(verdict.fault), ", node ", verdict.node,
                  ", value ", verdict.value, "\n", to_string(before), to_string(after));
    if (!verdict) {
      return;
    }
    for (int run = 0; run != (done.plan.empty() ? 0 : 4); ++run) {
      std::vector<std::uint64_t> arguments;
      for (const value_id v : before.parameters()) {
        arguments.push_back((run % 2 == 0 ? random.below(9) : random.next()) &
                            midend::low_ones(before.operation(v).width));
      }
      const bits_of_values old = run_nest(before, arguments, before.num_values(), 3000);
      bits_of_values now = run_nest(after, arguments, before.num_values(), 100'000);
      now.resize(std::min(now.size(), old.size()));
      CHECK_MESSAGE(old == now, "seed ", seed, "\n", to_string(before), to_string(after));
    }
  }
  MESSAGE(replaced, " reads replaced in ", nests, " nests");
  CHECK(replaced > affordable(300));
}

TEST_CASE("replace_final_values: a promise of a sum says nothing about the counter that it reads") {
  std::size_t planned = 0;
  for (const bool promises : {false, true}) {
    semantic_program p(4, {{0, 1}, {1, 2}, {2, 1}, {2, 3}});
    const value_id bound = p.parameter(16);
    const value_id start = p.literal(65529, 16);
    const value_id zero = p.literal(0, 22);
    const value_id i = p.phi(1, 16);
    const value_id sum = p.phi(1, 22);
    const value_id next = p.op(1, operation::sub, {i, p.literal(7, 16)}, 16, 0, {true, promises});
    const value_id shifted = p.op(1, operation::add, {i, p.literal(2, 16)}, 16, 0, {true, true});
    const value_id wide = p.op(1, operation::zero_extend, {shifted}, 22, 16);
    const value_id more = p.op(1, operation::add, {sum, wide}, 22);
    const value_id leaves = p.op(2, operation::less_equal, {shifted, bound}, 16);
    p.switch_on(2, leaves, {0, 1});
    for (const midend::edge_id e : p.graph().in_edges(1)) {
      const bool is_first = p.graph().edge_source(e) == 0;
      p.set_input(i, e, is_first ? start : next);
      p.set_input(sum, e, is_first ? zero : more);
    }
    p.op(3, operation::add, {more, zero}, 22);
    const editable_nest before(p);
    editable_nest after = before;
    const auto done = midend::replace_final_values(after);
    planned += done.plan.empty() ? 0U : 1U;
    CHECK(midend::verify_final_values(before, after, done.witness));
    CHECK(done.plan.empty() == !promises);
  }
  CHECK(planned == 1);
}
