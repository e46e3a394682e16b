#include "kit/run_text.hpp"
#include "transform/unrolling_mistakes.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/ir/evaluate.hpp>
#include <midend/transform/verify_counted_exits.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;

namespace elbrus = midend::elbrus;

namespace {

using midend::counted_exit_fault;
using midend::edge_id;
using midend::value_id;

constexpr std::array comparisons = {midend::operation::equal,    midend::operation::not_equal,
                                    midend::operation::less,     midend::operation::less_equal,
                                    midend::operation::greater,  midend::operation::greater_equal,
                                    midend::operation::uless,    midend::operation::uless_equal,
                                    midend::operation::ugreater, midend::operation::ugreater_equal};

bool is_true(midend::operation code, std::uint64_t a, std::uint64_t b, unsigned width) {
  const std::uint64_t args[] = {a, b};
  return midend::evaluate({code, 1, static_cast<std::uint8_t>(width), {}}, args).bits != 0;
}

bool is_in(const midend::detail::cyclic_interval& in, std::uint64_t x, unsigned width) {
  return in.has_all || ((x - in.low) & midend::low_ones(width)) < in.count;
}

/// The program of the test with other numbers and comparisons, and with counters of fewer bits.
class other_numbers : public elbrus::cost_view {
public:
  unsigned width = 8;
  std::array<std::uint64_t, 4> numbers = {};         ///< start, step, bound and the other bound, in place of 100 … 103
  midend::operation first = midend::operation::less; ///< for `lt`
  midend::operation second = midend::operation::greater; ///< for `gt`

  explicit other_numbers(const elbrus::procedure& p) : elbrus::cost_view(p) {}

  std::optional<std::uint64_t> constant(value_id v) const {
    const auto bits = elbrus::cost_view::constant(v);
    return bits && *bits >= 100 && *bits < 104 ? std::optional(numbers[static_cast<std::size_t>(*bits - 100)]) : bits;
  }

  midend::operation_info operation(value_id v) const {
    midend::operation_info info = elbrus::cost_view::operation(v);
    info.width = info.width == 8 ? static_cast<std::uint8_t>(width) : info.width;
    info.operand_width = info.operand_width == 8 ? static_cast<std::uint8_t>(width) : info.operand_width;
    info.code = info.code == midend::operation::less      ? first
                : info.code == midend::operation::greater ? second
                                                          : info.code;
    return info;
  }
};

constexpr std::string_view three_tests = R"(
proc @f(%x: i1) -> i8 {
  node entry:
    br loop
  node loop:
    %i = phi.i8 [entry: 100], [last: %i1]
    %a = cmp.lt.i8 %i, 102
    br %a ? middle : exit
  node middle:
    br %x ? rare : last
  node rare:
    %c = cmp.lt.i8 %i, 103
    br %c ? last : exit
  node last:
    %i1 = add.i8 %i, 101
    %b = cmp.gt.i8 103, %i1
    br %b ? loop : exit
  node exit:
    ret %i
}
)";

/// By node of a test, whether it may be true, and whether it may be false. As iterations run.
struct outcomes {
  std::set<std::string> taken;

  explicit outcomes(const other_numbers& p) {
    const std::uint64_t mask = midend::low_ones(p.width);
    std::uint64_t i = p.numbers[0];
    for (std::uint64_t n = 0; n <= mask; ++n) { // then all repeats
      const bool a = is_true(p.first, i, p.numbers[2], p.width);
      taken.insert(a ? "loop middle" : "loop exit");
      if (!a) {
        break;
      }
      taken.insert(is_true(p.first, i, p.numbers[3], p.width) ? "rare last" : "rare exit");
      i = (i + p.numbers[1]) & mask;
      const bool b = is_true(p.second, p.numbers[3], i, p.width);
      taken.insert(b ? "last loop" : "last exit");
      if (!b) {
        break;
      }
    }
  }
};

struct agreement {
  std::size_t accepted = 0;
  std::size_t wrong = 0;     ///< accepted, and taken
  std::size_t not_exits = 0; ///< edges within the loop for which the answer is another one
  std::size_t missing = 0;   ///< not accepted, and not taken

  void compare(const elbrus::procedure& p, const other_numbers& view) {
    midend::verify_counted_exits_workspace workspace;
    midend::counted_exits_checker<other_numbers> checker(view, workspace);
    const outcomes seen(view);
    for (edge_id e = 0; e != p.num_edges(); ++e) {
      const std::string from(p.node_name(p.edge_source(e)));
      if (from != "loop" && from != "rare" && from != "last") {
        continue;
      }
      if (p.node_name(p.edge_target(e)) != "exit") {
        not_exits += checker.fault_of(e) == counted_exit_fault::no_exit ? 0u : 1u;
        continue;
      }
      const bool taken = seen.taken.count(from + " " + std::string(p.node_name(p.edge_target(e)))) != 0;
      const bool accepts = checker.fault_of(e) == counted_exit_fault::none;
      accepted += accepts ? 1u : 0u;
      wrong += accepts && taken ? 1u : 0u;
      missing += !accepts && !taken ? 1u : 0u;
    }
  }
};

} // namespace

TEST_CASE("verify_counted_exits: what a comparison is true for, for all numbers of 1, 4 and 8 bits") {
  for (const unsigned width : {1u, 4u, 8u}) {
    std::size_t wrong = 0;
    for (const midend::operation code : comparisons) {
      for (std::uint64_t bound = 0; bound <= midend::low_ones(width); ++bound) {
        const auto in = midend::detail::numbers_that_are(code, bound, width);
        const auto out = midend::detail::complement_of(in, width);
        for (std::uint64_t x = 0; x <= midend::low_ones(width); ++x) {
          const bool is = is_true(code, x, bound, width);
          wrong += is_in(in, x, width) != is || is_in(out, x, width) == is ? 1u : 0u;
        }
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("verify_counted_exits: the first time that a sequence meets an interval") {
  for (const unsigned width : {1u, 2u, 4u, 8u}) {
    const std::uint64_t most = midend::low_ones(width);
    const std::uint64_t stride = width == 8 ? 5 : 1; // coprime with the number of all
    std::size_t wrong = 0;
    for (std::uint64_t start = 0; start <= most; ++start) {
      for (std::uint64_t step = 0; step <= most; ++step) {
        // The least n for each size of [0, size), of which larger ones have no later n.
        std::vector<std::uint64_t> first(static_cast<std::size_t>(most) + 2, most + 1);
        std::uint64_t least = most + 1;
        for (std::uint64_t n = 0, x = start; n <= most; ++n, x = (x + step) & most) {
          for (; least > x; --least) {
            first[static_cast<std::size_t>(least)] = n;
          }
        }
        for (std::uint64_t size = 0; size <= most; size += stride) {
          const auto found = midend::detail::find_first_crossing(start, step, {0, size, false}, width);
          const std::uint64_t n = first[static_cast<std::size_t>(size)];
          wrong += found.exists != (size != 0 && n <= most) || (found.exists && found.n != n) ? 1u : 0u;
          // The same with the highest bits of 64, where sums wrap.
          const unsigned up = 64 - width;
          const auto high = midend::detail::find_first_crossing(start << up, step << up, {0, size << up, false}, 64);
          wrong += high.exists != found.exists || high.n != found.n ? 1u : 0u;
        }
      }
    }
    CHECK(wrong == 0);
  }
  // Steps of 64 bits: the inverse of an odd step, and steps back.
  const std::uint64_t odd = 0x9e37'79b9'7f4a'7c15;
  for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{0x1234'5678'9abc'def1}, ~std::uint64_t{0}}) {
    CHECK(midend::detail::find_first_crossing(0, odd, {odd * n, 1, false}, 64).n == n);
    CHECK(midend::detail::find_first_crossing(7, 0 - odd, {7 - odd * n, 1, false}, 64).n == n);
  }
}

TEST_CASE("verify_counted_exits agrees with enumeration for all numbers of 4 bits and all comparisons") {
  const auto program = program_of(three_tests);
  const elbrus::procedure& p = program.procedures[0];
  other_numbers view(p);
  agreement all;
  view.width = 4;
  for (std::size_t code = 0; code != comparisons.size(); ++code) {
    view.first = comparisons[code];
    for (std::uint64_t i = 0; i != 16 * 16 * 16; ++i) {
      view.second = comparisons[static_cast<std::size_t>((code + i * 7) % comparisons.size())];
      view.numbers = {i & 15, i >> 4 & 15, i >> 8, (i * 11 + code) >> 2 & 15};
      all.compare(p, view);
    }
  }
  CHECK(all.wrong == 0);
  CHECK(all.missing == 0);
  CHECK(all.not_exits == 0);
  CHECK(all.accepted == 76055);
}

TEST_CASE("verify_counted_exits agrees with enumeration for numbers of 8 bits and all comparisons") {
  const auto program = program_of(three_tests);
  const elbrus::procedure& p = program.procedures[0];
  other_numbers view(p);
  agreement all;
  for (std::uint64_t i = 0; i != 20'000; ++i) {
    view.first = comparisons[static_cast<std::size_t>(i % 10)];
    view.second = comparisons[static_cast<std::size_t>(i / 10 % 10)];
    const std::uint64_t bits = (i + 1) * 0x9e37'79b9'7f4a'7c15;
    view.numbers = {bits >> 56, bits >> 48 & 255, bits >> 40 & 255, bits >> 32 & 255};
    all.compare(p, view);
  }
  CHECK(all.wrong == 0);
  CHECK(all.missing == 0);
  CHECK(all.not_exits == 0);
  CHECK(all.accepted == 36912);
}

TEST_CASE("verify_counted_exits: seeded mistakes, and the reason for each") {
  constexpr std::string_view text = R"(
proc @f(%x: i8, %y: i8, %c: i1) -> i8 {
  node entry:
    br loop
  node loop:
    %i = phi.i8 [entry: 0], [last: %i1]
    %s = phi.i8 [entry: %x], [last: %s1]
    %a = cmp.lt.i8 %i, 12
    br %a ? second : exit
  node second:
    %j = add.i8 %i, 1
    %b = cmp.lt.i8 %j, 12
    br %b ? rest : exit
  node rest:
    %t = add.i8 %x, 24
    %s1 = add.i8 %s, 2
    %d = cmp.ne.i8 %s1, %t
    br %d ? inner : exit
  node inner:
    %k = phi.i8 [rest: 0], [inner: %k1]
    %k1 = add.i8 %k, 1
    %e = cmp.ne.i8 %k1, 3
    br %e ? inner : last
  node last:
    %i1 = add.i8 %j, 1
    br loop
  node exit:
    ret %i
}
)";

  struct mistake {
    std::string_view name;
    std::string_view from;
    std::string_view to;
    std::string_view source; ///< of the exit that is asked about
    counted_exit_fault fault;
  };

  using fault = counted_exit_fault;
  constexpr mistake all[] = {
      {"none", "%i, 12", "%i, 12", "second", fault::none},
      {"the exit that is taken", "%i, 12", "%i, 12", "loop", fault::may_be_taken},
      {"an exit that is taken in the iteration before the last", "%x, 24", "%x, 12", "rest", fault::may_be_taken},
      {"that exit, one iteration later, after the one that is taken", "%x, 24", "%x, 14", "rest", fault::none},
      {"a distance that is odd is never met", "%x, 24", "%x, 25", "rest", fault::none},
      {"the exit of another loop", "%i, 12", "%i, 12", "inner", fault::may_be_taken},
      {"a limit that is one more", "%i, 12", "%i, 13", "second", fault::may_be_taken},
      {"a limit that is one less", "%j, 12", "%j, 11", "second", fault::may_be_taken},
      {"the sign of the step", "add.i8 %j, 1", "sub.i8 %j, 3", "second", fault::none},
      {"another start", "[entry: 0], [last: %i1]", "[entry: 11], [last: %i1]", "second", fault::may_be_taken},
      {"a step that wraps around into the bound", "add.i8 %s, 2", "add.i8 %s, 56", "rest", fault::may_be_taken},
      {"a negative step that does not", "add.i8 %s, 2", "sub.i8 %s, 2", "rest", fault::none},
      {"a test that ends before the wrap, which is gone", "%a = cmp.lt.i8 %i, 12", "%a = cmp.ne.i8 %i, 13", "second",
       fault::may_be_taken},
      {"a guard that is not always true", "br %a ? second : exit", "br %c ? second : exit", "second",
       fault::may_be_taken},
      {"another width", "%b = cmp.lt.i8 %j, 12", "%z = zext.i8.i32 %j\n    %b = cmp.lt.i32 %z, 12", "second",
       fault::none},
      {"another width, and a bound that is met", "%b = cmp.lt.i8 %j, 12",
       "%z = sext.i8.i32 %j\n    %b = cmp.lt.i32 %z, 11", "second", fault::may_be_taken},
      {"a product", "%b = cmp.lt.i8 %j, 12", "%z = mul.i8 %j, 3\n    %b = cmp.lt.i8 %z, 100", "second",
       fault::no_induction},
      {"a test of a value that does not count", "cmp.lt.i8 %j", "cmp.lt.i8 %y", "second", fault::no_induction},
      {"a test of a counter of another loop", "%k1, 3", "%j, 3", "inner", fault::no_exit},
      {"a bound that is not known", "%j, 12", "%j, %y", "second", fault::unknown_bound},
      {"a start that is not known", "[entry: 0], [last: %i1]", "[entry: %y], [last: %i1]", "second",
       fault::unknown_bound},
      {"a step that is not known", "%i1 = add.i8 %j, 1", "%i1 = add.i8 %j, %y", "second", fault::no_step},
      {"an order of values of which the distance is known", "%d = cmp.ne", "%d = cmp.ule", "rest",
       fault::unknown_bound},
      {"a bound that changes in the loop", "%t = add.i8 %x", "%t = add.i8 %s", "rest", fault::unknown_bound},
      {"no comparison", "br %b ? rest", "br %c ? rest", "second", fault::no_comparison},
  };
  for (const mistake& m : all) {
    const auto program = program_of(wrong_unrolling::changed(text, {m.name, m.from, m.to}));
    const elbrus::procedure& p = program.procedures[0];
    const elbrus::cost_view view(p);
    midend::verify_counted_exits_workspace workspace;
    midend::counted_exits_checker<elbrus::cost_view> checker(view, workspace);
    bool found = false;
    for (edge_id e = 0; e != p.num_edges(); ++e) {
      const std::string_view to = p.node_name(p.edge_target(e));
      if (p.node_name(p.edge_source(e)) == m.source && to == (m.source == "inner" ? "last" : "exit")) {
        found = true;
        CHECK_MESSAGE(static_cast<int>(checker.fault_of(e)) == static_cast<int>(m.fault), m.name);
      }
    }
    CHECK(found);
  }
  const elbrus::program right = program_of(text);
  const elbrus::cost_view view(right.procedures[0]);
  midend::verify_counted_exits_workspace workspace;
  midend::counted_exits_checker<elbrus::cost_view> checker(view, workspace);
  CHECK(checker.fault_of(midend::no_edge) == fault::unknown_edge);
}
