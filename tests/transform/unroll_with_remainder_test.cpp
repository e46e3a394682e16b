#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/transform.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

using midend::remainder_refusal_reason;
using midend::remainder_request;

struct outcome {
  std::string why; ///< a certificate that is rejected
  std::size_t unrolled = 0;
  std::size_t dropped = 0;
  std::vector<remainder_refusal_reason> refused;
};

/// What is wrong with a step; all dropped edges have to be proven.
std::string why_uncertified(const elbrus::procedure& before, const elbrus::procedure& after,
                            const midend::unfolding_witness& w) {
  const midend::unfolding_verdict verdict = certificate(before, after, w);
  const midend::untaken_exits_verdict untaken = midend::verify_untaken_exits(elbrus::cost_view(before), w);
  std::string why = verdict ? why_ill_formed(after) : "rejected: " + to_text(verdict);
  if (why.empty() && (!untaken || untaken.proven < verdict.assumed)) {
    why = join("not proven: edge ", untaken.edge);
  }
  return why.empty() ? why : why + "\n" + elbrus::to_text(before) + elbrus::to_text(after);
}

outcome unroll(elbrus::procedure& p, const std::vector<remainder_request>& requests) {
  outcome out;
  elbrus::procedure before = p;
  elbrus::editor e(p);
  const auto loops = midend::dominators_and_loops(p).loops;
  const auto plan = midend::plan_unroll_with_remainder(elbrus::cost_view(p), loops, requests);
  midend::flat_array<midend::remainder_refusal> refused;
  const midend::unfolding_witness copied = midend::apply_unroll_with_remainder(e, plan, refused);
  out.unrolled = plan.unrollings.size() - refused.size();
  for (const midend::remainder_refusal& r : plan.refused) {
    out.refused.push_back(r.reason);
  }
  for (const midend::remainder_refusal& r : refused) {
    out.refused.push_back(r.reason);
  }
  out.why = why_uncertified(before, p, copied);
  before = p;
  const auto exits = midend::plan_untaken_exits(elbrus::cost_view(p), midend::dominators_and_loops(p).loops);
  out.dropped = exits.exits.size();
  const midend::unfolding_witness w = midend::apply_untaken_exits(e, exits);
  out.why += out.why.empty() ? why_uncertified(before, p, w) : "";
  return out;
}

elbrus::scalar byte(std::uint64_t bits) {
  return {elbrus::type::i8, bits & 0xff};
}

struct loop_shape {
  const char* comparison;
  int step;
  bool is_tested_last;
};

/// s = 3 · s + i for each i. The host ends it after 300 iterations, so that no loop is endless.
std::string counting(const loop_shape& x) {
  const std::string step = std::to_string(x.step);
  const std::string work = "    %w = zext.i8.i64 %i\n    %m = mul.i64 %s, 3\n    %s1 = add.i64 %m, %w\n"
                           "    %k1 = add.i32 %k, 1\n    %i1 = add.i8 %i, " +
                           step + "\n    %far = call.i1 @host_far(%k)\n";
  const std::string phis = "    %i = phi.i8 [entry: %start], [last: %i1]\n    %s = phi.i64 [entry: 0], [last: %s1]\n"
                           "    %k = phi.i32 [entry: 0], [last: %k1]\n";
  const std::string head =
      "proc @f(%start: i8, %bound: i8) -> i64 {\n  node entry:\n    br loop\n  node loop:\n" + phis;
  if (x.is_tested_last) {
    return head + work + "    br %far ? exit : last\n  node last:\n    %q = cmp." + x.comparison +
           ".i8 %i1, %bound\n    br %q ? loop : exit\n  node exit:\n    %r = phi.i64 [loop: %s1], [last: %s1]\n"
           "    ret %r\n}\n";
  }
  return head + "    %q = cmp." + x.comparison + ".i8 %i, %bound\n    br %q ? body : exit\n  node body:\n" + work +
         "    br %far ? exit : last\n  node last:\n    br loop\n  node exit:\n"
         "    %r = phi.i64 [loop: %s], [body: %s1]\n    ret %r\n}\n";
}

elbrus::host_answer far_host(const elbrus::host_call& call) {
  return {elbrus::host_answer::outcome::result, call.arguments[0].bits >= 299 ? 1u : 0u};
}

constexpr std::array<const char*, 10> comparisons = {"eq", "ne", "lt", "le", "gt", "ge", "ult", "ule", "ugt", "uge"};
constexpr std::array steps = {1, -1, 2, -2, 3, -3};
constexpr std::array<std::uint32_t, 7> factors = {2, 3, 4, 5, 7, 8, 16};

struct sweep_counts {
  std::size_t runs = 0;
  std::size_t unrolled = 0;
};

/// Unrolls one loop by one factor and runs it on pairs of numbers.
template <class NextPair>
void sweep(const loop_shape& x, std::uint32_t factor, std::size_t pairs, NextPair next, sweep_counts& counts) {
  const elbrus::program before = program_of(counting(x));
  elbrus::program after = before;
  const outcome done = unroll(after.procedures[0], {{0, factor}});
  CHECK_MESSAGE(done.why.empty(), done.why);
  if (done.unrolled == 0) {
    REQUIRE(done.refused.size() == 1);
    CHECK(done.refused[0] == remainder_refusal_reason::no_counted_exit);
    return;
  }
  ++counts.unrolled;
  CHECK_MESSAGE(done.dropped == factor, elbrus::to_text(after));
  elbrus::interpreter old(before);
  elbrus::interpreter now(after);
  const elbrus::run_options options{.host = far_host, .record_events = false};
  for (std::size_t i = 0; i != pairs; ++i) {
    const auto [start, bound] = next(i);
    const std::array arguments{byte(start), byte(bound)};
    const auto a = old.run(0, arguments, {}, options);
    const auto b = now.run(0, arguments, {}, options);
    ++counts.runs;
    if (!a.value || a.value != b.value) {
      FAIL(x.comparison, " step ", x.step, " factor ", factor, " start ", start, " bound ", bound, "\n",
           elbrus::to_text(after));
    }
  }
}

} // namespace

TEST_CASE("pairs of eight-bit numbers, all comparisons, steps and factors, tested first and last") {
  random_source random(29);
  sweep_counts counts;
  for (const char* const comparison : comparisons) {
    for (const int step : steps) {
      for (const bool is_tested_last : {false, true}) {
        const loop_shape x{comparison, step, is_tested_last};
#if defined(MIDEND_UNSHORTENED_TESTS)
        for (const std::uint32_t factor : factors) {
          sweep(x, factor, 65'536, [](std::size_t i) { return std::pair(i & 255, i >> 8); }, counts);
        }
#else
        const std::uint32_t factor = factors[random.below(factors.size())];
        sweep(
            x, factor, affordable(20),
            [&](std::size_t i) {
              const std::uint64_t bound = random.below(256);
              // One in two is near its bound, or near an end of the type.
              const std::uint64_t near = bound + random.below(40) - 20;
              return std::pair<std::uint64_t, std::uint64_t>(i % 2 == 0 ? random.below(256) : near & 255, bound);
            },
            counts);
#endif
      }
    }
  }
  MESSAGE(counts.unrolled, " loops unrolled, ", counts.runs, " pairs");
  CHECK(counts.unrolled > 60);
}
