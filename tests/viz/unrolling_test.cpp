#include <midend/viz/unrolling.hpp>
#include <midend/viz/unrolling_chart.hpp>

#include <midend/machine/e2k.hpp>
#include <midend/machine/machine_model.hpp>
#include <midend/machine/scalar_core.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace midend;

constexpr machine_model e2k = e2k_reference_v6();

/// Values are called %a, %b, …; %z computes nothing.
struct letters {
  std::string value(value_id v) const {
    return v == 25 ? std::string() : std::string("%") + static_cast<char>('a' + v);
  }

  std::string node(node_id n) const { return "node" + std::to_string(n); }
};

/// An advice with the values %a (32 bits), %b (1 bit), %z, and the rolled loop: a recurrence of `latencies`.
unrolling_advice advice_of(const std::vector<std::uint32_t>& latencies) {
  unrolling_advice advice;
  advice.header = 1;
  midend::machine_body& body = advice.rolled_machine;
  for (std::uint32_t i = 0; i != latencies.size(); ++i) {
    body.graph.add_operation(i % 3 == 2 ? operation_class::store : operation_class::alu, latencies[i]);
    body.origins.push_back({0, 0, i % 3 == 2 ? 25 : i % 3});
  }
  const auto count = static_cast<std::uint32_t>(latencies.size());
  for (std::uint32_t i = 0; i != count; ++i) {
    const dependence_kind kind = i == 2 ? dependence_kind::memory : dependence_kind::value;
    body.graph.add_dependence({i, (i + 1) % count, latencies[i], i + 1 == count ? 1U : 0U, kind});
  }
  body.recurrence = recurrence_bound(body.graph);
  advice.machine = body;
  unrolling_candidate rolled;
  rolled.is_evaluated = rolled.is_tried = true;
  rolled.why = rejection::not_faster;
  rolled.body.recurrence = body.recurrence.status;
  rolled.body.recurrence_exact = body.recurrence.exact;
  rolled.body.interval = body.recurrence.exact.ceiling();
  rolled.body.operations = count;
  rolled.body.branches = 1;
  rolled.cycles_per_iteration = fraction(rolled.body.interval);
  rolled.total_cycles = 100 * rolled.body.interval;
  rolled.total_bytes = 24;
  advice.candidates.push_back(rolled);
  advice.iterations = 100;
  advice.assumptions[0] = true;
  return advice;
}

/// A candidate of the same loop, with its operations bound by the channels.
unrolling_candidate bound_by_channels(std::uint32_t factor, std::uint32_t operations) {
  unrolling_candidate c;
  c.kind = unrolling_kind::partial;
  c.has_exact_count = true;
  c.factor = factor;
  c.is_evaluated = c.is_tried = true;
  c.body.operations = operations;
  c.body.mix[operation_class::alu] = operations;
  c.body.resources = resource_bound(e2k, c.body.mix);
  c.body.interval = c.body.resources.cycles;
  c.cycles_per_iteration = fraction(c.body.interval, factor);
  c.total_cycles = 100 * c.body.interval / factor;
  c.total_bytes = 24 * factor;
  c.why = rejection::not_faster;
  return c;
}

std::string limit_of(const unrolling_advice& advice, bool has_copies = false) {
  return limit_text(advice.rolled().body, advice.rolled_machine, e2k, letters{}, has_copies);
}

std::string limit_of_mix(const operation_mix& mix) {
  return resource_limit_text(e2k, resource_bound(e2k, mix), mix);
}

bool has_line(const std::string& text, std::string_view line) {
  return ("\n" + text).find("\n" + std::string(line) + "\n") != std::string::npos;
}

std::string with_saving(const std::vector<unrolling_saving>& savings) {
  unrolling_advice advice = advice_of({1});
  for (const unrolling_saving& s : savings) {
    advice.savings.push_back(s);
    unrolling_saving& added = advice.savings[advice.savings.size() - 1];
    added.width = added.value == 1 ? 1 : 32; // %b has one bit
    added.cost = added.value == 25 ? operation_class::store : operation_class::alu;
  }
  return to_text(advice, e2k, letters{});
}

} // namespace

TEST_CASE("exact_text and decimal_text: whole numbers, fractions, rounding") {
  CHECK(exact_text({9, 4}) == "9/4");
  CHECK(exact_text(3) == "3");
  CHECK(exact_text(0) == "0");
  CHECK(decimal_text(3) == "3.00");
  CHECK(decimal_text({9, 4}) == "2.25");
  CHECK(decimal_text({17, 8}) == "2.125");
  CHECK(decimal_text({7, 6}) == "1.167");
  CHECK(decimal_text({1, 50}) == "0.02");
  CHECK(decimal_text({1, 2000}) == "0.001");
  CHECK(decimal_text({19999, 10000}) == "2.00");
}

TEST_CASE("ranges_text: runs of three and more, pairs, single ones") {
  const auto text = [](const std::vector<std::uint32_t>& numbers) { return ranges_text(numbers); };
  CHECK(text({}) == "");
  CHECK(text({4}) == "4");
  CHECK(text({0, 1}) == "0, 1");
  CHECK(text({0, 1, 2, 4}) == "0-2, 4");
  CHECK(text({1, 3, 4, 5, 6, 9, 10}) == "1, 3-6, 9, 10");
}

TEST_CASE("trip_text: both conventions") {
  loop_counts counts;
  CHECK(trip_text(counts) == "number of header executions unknown");
  counts.trip = {trip_count_kind::exact, 4, 5};
  CHECK(trip_text(counts) == "5 header executions, 4 backedges taken");
  counts.trip = {trip_count_kind::at_most, 19, 1};
  CHECK(trip_text(counts) == "at most 20 header executions, 19 backedges taken");
  counts.trip = {trip_count_kind::exact, ~std::uint64_t{0}, 1};
  CHECK(trip_text(counts) == "2^64 header executions, 18446744073709551615 backedges taken");
  counts.trip = {trip_count_kind::endless, 0, 1};
  CHECK(trip_text(counts) == "endless: no exit is ever taken");
  counts.trip = {trip_count_kind::unknown, 0, 3};
  counts.hints.average = 20.5;
  CHECK(trip_text(counts) == "number of header executions unknown, a multiple of 3, 20.50 on average");
  counts.has_formula = true;
  counts.hints.average = 20;
  CHECK(trip_text(counts) ==
        "number of header executions unknown, a multiple of 3, computable before the loop, 20 on average");
}

TEST_CASE("resource_limit_text: each kind of limit") {
  operation_mix mix;
  CHECK(limit_of_mix(mix) == "no operations");
  mix[operation_class::alu] = 8;
  CHECK(limit_of_mix(mix) == "channels 0-5: 8 operations / 6");
  mix = {};
  mix[operation_class::load] = 5;
  CHECK(limit_of_mix(mix) == "channels 0, 2, 3, 5: 5 operations / 4");
  mix = {};
  mix[operation_class::branch] = 7;
  CHECK(limit_of_mix(mix) == "CT: 7 / 1");
  mix = {};
  mix[operation_class::integer_divide] = 1;
  CHECK(limit_of_mix(mix) == "channel 5: 2 busy cycles / 1");
  resource_bound_result bound;
  bound.limit = resource_limit::exclusion;
  bound.first = operation_class::load;
  bound.second = operation_class::store;
  CHECK(resource_limit_text(e2k, bound, mix) == "load and store in different cycles");
  bound.second = operation_class::load;
  CHECK(resource_limit_text(e2k, bound, mix) == "one load per cycle");
}

TEST_CASE("resource_limit_text: of a machine without names, numbers") {
  struct nameless {
    std::size_t num_channels() const { return e2k.num_channels(); }

    channel_set channels(operation_class c) const { return e2k.channels(c); }

    std::uint32_t occupancy(operation_class c) const { return e2k.occupancy(c); }

    std::uint32_t capacity(std::size_t resource) const { return e2k.capacity(resource); }
  };

  operation_mix mix;
  mix[operation_class::load] = 5;
  CHECK(resource_limit_text(nameless{}, resource_bound(e2k, mix), mix) == "channels 0, 2, 3, 5: 5 operations / 4");
  mix = {};
  mix[operation_class::branch] = 2;
  CHECK(resource_limit_text(nameless{}, resource_bound(e2k, mix), mix) == "resource 5: 2 / 1");
}

TEST_CASE("resource_limit_text: channels with names are not numbered") {
  machine_model m = midend::scalar_core();
  operation_mix mix;
  mix[operation_class::alu] = 5;
  CHECK(resource_limit_text(m, resource_bound(m, mix), mix) == "channel issue: 5 operations / 1");
}

TEST_CASE("limit_text: recurrences name their values, from the first operation on") {
  CHECK(limit_of(advice_of({3})) == "recurrence of 3 cycles: %a");
  CHECK(limit_of(advice_of({1, 2})) == "recurrence of 3 cycles: %a -> %b");
  CHECK(limit_of(advice_of({1, 2, 2}), true) == "recurrence of 5 cycles: %a[0] -> %b[0] -> store[0] -memory-> %a[0]");
  CHECK(
      limit_of(advice_of(std::vector<std::uint32_t>(12, 1))) ==
      "recurrence of 12 cycles: %a -> %b -> store -memory-> %a -> %b -> store -> %a -> (2 more) -> %a -> %b -> store");
}

TEST_CASE("limit_text: a recurrence over several passes, found from its middle") {
  unrolling_advice advice = advice_of({1, 2});
  midend::machine_body& body = advice.rolled_machine;
  body.graph.clear();
  body.graph.add_operation(operation_class::alu, 1);
  body.graph.add_operation(operation_class::alu, 2);
  body.graph.add_dependence({1, 0, 2, 2, dependence_kind::value});
  body.graph.add_dependence({0, 1, 1, 0, dependence_kind::value});
  body.recurrence.cycle.clear();
  body.recurrence.cycle.push_back(0);
  body.recurrence.cycle.push_back(1);
  CHECK(limit_of(advice) == "recurrence of 3 cycles over 2 passes: %a -> %b");
}

TEST_CASE("limit_text: a body that is not pipelined says why") {
  unrolling_advice advice = advice_of({1});
  body_cost& cost = advice.candidates[0].body;
  cost.alone = cost.critical_path = 16;
  cost.obstacle = pipelining_obstacle::straight_line;
  CHECK(limit_of(advice) == "straight line: a chain of 16 cycles");
  cost.obstacle = pipelining_obstacle::call;
  CHECK(limit_of(advice) == "not pipelined, it has a call: a chain of 16 cycles");
  cost.mix[operation_class::alu] = 96;
  cost.resources = resource_bound(e2k, cost.mix);
  CHECK(limit_of(advice) == "not pipelined, it has a call: channels 0-5: 96 operations / 6");
}

TEST_CASE("to_text: savings by value, with their copies") {
  using enum saving_kind;
  const std::string tests = with_saving({{folded_test, 0, 1, 0},
                                         {folded_test, 1, 1, 0},
                                         {removed_exit_test, 1, 1, 0},
                                         {folded_test, 2, 1, 0},
                                         {folded_test, 3, 1, 1},
                                         {folded_test, 4, 1, 0}});
  CHECK(has_line(tests, "  saved       copies 0-2, 4: test of %b always false"));
  CHECK(has_line(tests, "              copy 3: test of %b always true"));
  CHECK(has_line(tests, "              copy 1: no exit test of %b"));

  CHECK(
      has_line(with_saving({{folded, 0, 0, 7}, {folded, 1, 0, 0xffffffff}}), "  saved       copies 0, 1: %a = 7, -1"));
  CHECK(has_line(with_saving({{folded, 0, 0, 7}, {folded, 1, 0, 7}}), "  saved       copies 0, 1: %a = 7"));
  CHECK(has_line(with_saving({{folded, 2, 1, 1}}), "  saved       copy 2: %b = 1"));
  CHECK(has_line(with_saving({{shared_expression, 1, 0, 0}, {shared_expression, 2, 0, 0}}),
                 "  saved       copies 1, 2: %a as computed by copy 0"));
  CHECK(has_line(with_saving({{shared_load, 1, 0, 0}}), "  saved       copy 1: %a as loaded by copy 0"));
  CHECK(has_line(with_saving({{forwarded_load, 1, 0, 0}}), "  saved       copy 1: %a as stored by copy 0"));
  CHECK(has_line(with_saving({{dead_operation, 1, 25, 0}}), "  saved       copy 1: no store"));
  CHECK(has_line(with_saving({{vanished_phi, 0, 0, 0}, {vanished_phi, 0, 1, 0}}),
                 "  saved       no move of %a, %b, the same after each pass"));
}

TEST_CASE("to_text: values with the same savings in the same copies share a line") {
  using enum saving_kind;
  const std::string same = with_saving({{dead_operation, 0, 0, 0},
                                        {dead_operation, 1, 0, 0},
                                        {dead_operation, 0, 1, 0},
                                        {dead_operation, 1, 1, 0},
                                        {dead_operation, 1, 25, 0}});
  CHECK(has_line(same, "  saved       copies 0, 1: no %a, %b"));
  CHECK(has_line(same, "              copy 1: no store"));
  const std::string sources = with_saving({{shared_load, 2, 0, 0}, {shared_load, 2, 1, 1}});
  CHECK(has_line(sources, "  saved       copy 2: %a as loaded by copy 0"));
  CHECK(has_line(sources, "              copy 2: %b as loaded by copy 1"));
  CHECK(has_line(with_saving({{folded, 1, 0, 3}, {folded, 1, 1, 1}}), "              copy 1: %b = 1"));
}

TEST_CASE("to_text: copies that compute a value are named by distance where that is shorter") {
  using enum saving_kind;
  const std::string text =
      with_saving({{shared_load, 1, 0, 0}, {shared_load, 2, 0, 0}, {shared_load, 3, 0, 1}, {shared_load, 4, 0, 2}});
  CHECK(has_line(text, "              copies 2-4: %a as loaded 2 copies before"));
  CHECK(has_line(text, "  saved       copy 1: %a as loaded 1 copy before"));
}

TEST_CASE("to_text: sources in the order of their numbers") {
  using enum saving_kind;
  const std::string text = with_saving({{shared_load, 11, 0, 10}, {shared_load, 12, 0, 2}, {shared_load, 12, 1, 2}});
  CHECK(has_line(text, "  saved       copy 12: %a, %b as loaded by copy 2"));
  CHECK(has_line(text, "              copy 11: %a as loaded by copy 10"));
}

TEST_CASE("to_text: a condition whose test is listed is not listed itself") {
  using enum saving_kind;
  const std::string text = with_saving({{folded, 1, 1, 0}, {folded_test, 1, 1, 0}});
  CHECK(has_line(text, "  saved       copy 1: test of %b always false"));
  CHECK(text.find("%b = ") == std::string::npos);
  const std::string exit = with_saving({{folded, 1, 1, 0}, {dead_operation, 1, 1, 0}, {removed_exit_test, 1, 1, 0}});
  CHECK(has_line(exit, "  saved       copy 1: no exit test of %b"));
  CHECK(exit.find("%b = ") == std::string::npos);
  CHECK(exit.find("no %b") == std::string::npos);
}

TEST_CASE("to_text: folded constants of many copies are not all listed") {
  std::vector<unrolling_saving> savings;
  for (std::uint32_t copy = 0; copy != 12; ++copy) {
    savings.push_back({saving_kind::folded, copy, 0, copy});
  }
  CHECK(has_line(with_saving(savings), "  saved       copies 0-11: %a = 0, 1, 2, 3, 4, 5, 6, 7, ..."));
}

TEST_CASE("to_text: a loop that is unrolled") {
  unrolling_advice advice = advice_of({1, 1, 1});
  advice.counts.trip = {trip_count_kind::exact, 99, 100};
  unrolling_candidate by_two = bound_by_channels(2, 14);
  unrolling_candidate by_four = bound_by_channels(4, 30);
  by_two.why = rejection::none;
  by_four.why = rejection::gain_too_small;
  by_four.gain = 0.07;
  by_four.remainder = remainder_placement::epilogue;
  by_four.remainder_iterations = 3;
  advice.candidates.push_back(by_two);
  advice.candidates.push_back(by_four);
  advice.candidates.push_back(unrolling_candidate{});
  advice.candidates[3].factor = 64;
  advice.candidates[3].kind = unrolling_kind::partial;
  advice.candidates[3].has_exact_count = true;
  advice.candidates[3].why = rejection::too_many_operations;
  advice.chosen = 1;
  CHECK(to_text(advice, e2k, letters{}) ==
        "node1: 100 header executions, 99 backedges taken\n"
        "  decision    unrolled by 2, no remainder\n"
        "  legal       the loop runs a multiple of 2 iterations\n"
        "  before      3.00 cycles per iteration: recurrence of 3 cycles: %a -> %b -> store -memory-> %a\n"
        "  after       3/2 = 1.50 cycles per iteration: channels 0-5: 14 operations / 6\n"
        "  total       150 cycles instead of 300 for 100 iterations\n"
        "  operations  14 instead of 3\n"
        "  branches    0 instead of 1\n"
        "  bytes       48 instead of 24\n"
        "  stages      1\n"
        "  assumed     cycles are lower bounds, which a schedule may not reach\n"
        "    factor  kind             cycles        bound by      operations  bytes  total    why not\n"
        "         1  rolled                3  3.00  recurrence             3     24    300    not faster\n"
        "         2  partial             3/2  1.50  channels 0-5          14     48    150  * chosen\n"
        "         4  partial, 3 left     5/4  1.25  channels 0-5          30     96    125    gains too little for its "
        "size (0.070)\n"
        "        64  partial               -     -  -                      -      -      -    too many operations\n");
}

TEST_CASE("to_text: decisions of each kind, with their remainders") {
  unrolling_advice advice = advice_of({1, 1});
  advice.candidates.push_back(bound_by_channels(4, 6));
  advice.chosen = 1;
  advice.candidates[1].why = rejection::none;
  unrolling_candidate& c = advice.candidates[1];
  const auto says = [&](std::string_view line) { return has_line(to_text(advice, e2k, letters{}), line); };
  c.kind = unrolling_kind::full;
  CHECK(says("  decision    unrolled completely, 4 copies and no loop"));
  advice.counts.trip = {midend::trip_count_kind::exact, 3, 1};
  CHECK(says("  legal       the loop runs exactly 4 iterations"));
  advice.counts.trip.kind = midend::trip_count_kind::at_most;
  CHECK(says("  legal       the loop runs at most 4 iterations; each copy keeps its exit tests"));
  c.kind = unrolling_kind::partial;
  c.has_exact_count = false;
  c.remainder = remainder_placement::mid_exit;
  CHECK(says("  decision    unrolled by 4, each copy keeps its exit tests"));
  CHECK(says("  pays        never, as far as the search went"));
  c.break_even = 12;
  CHECK(says("  pays        never slower from 12 iterations on"));
  c.kind = unrolling_kind::peel;
  CHECK(says("  decision    4 iterations peeled off"));
  c.kind = unrolling_kind::partial;
  c.remainder = remainder_placement::epilogue;
  c.remainder_iterations = 3;
  CHECK(says("  decision    unrolled by 4 at run time, remainder of at most 3 iterations after the loop"));
  c.has_exact_count = true;
  CHECK(says("  decision    unrolled by 4, remainder of 3 iterations after the loop"));
  CHECK(says("  legal       the loop runs exactly 100 iterations; 3 of them are the remainder"));
  c.remainder = remainder_placement::prologue;
  CHECK(says("  decision    unrolled by 4, remainder of 3 iterations before the loop"));
  c.remainder = remainder_placement::mid_exit;
  CHECK(says("  decision    unrolled by 4, remainder of 3 iterations in an incomplete last pass"));
  c.setup_cycles = 5;
  CHECK(says("  total       25 cycles instead of 200 for 100 iterations, plus set-up of 5 instead of 0"));
}

TEST_CASE("legality_text: exits that are not counted are kept") {
  unrolling_advice advice = advice_of({1, 1});
  advice.candidates.push_back(bound_by_channels(4, 6));
  advice.chosen = 1;
  unrolling_candidate& c = advice.candidates[1];
  advice.counts.num_exits = 1;
  CHECK(legality_text(advice) == "the loop runs a multiple of 4 iterations");
  advice.counts.num_exits = 2;
  CHECK(legality_text(advice) ==
        "the counted exit lets a multiple of 4 iterations through; each copy keeps its other exit tests");
  c.remainder = remainder_placement::epilogue;
  c.remainder_iterations = 3;
  CHECK(legality_text(advice) == "the counted exit lets exactly 100 iterations through; each copy keeps its other exit "
                                 "tests; 3 of them are the remainder");
  c.has_exact_count = false;
  CHECK(legality_text(advice) == "the number of iterations is computed before the loop; fewer than 4 of them run in "
                                 "the rolled loop; each copy keeps its other exit tests");
}

TEST_CASE("to_text: a loop that is not unrolled says why the fastest candidate is rejected") {
  unrolling_advice advice = advice_of({1, 1});
  CHECK(has_line(to_text(advice, e2k, letters{}), "  decision    not unrolled"));
  CHECK(has_line(to_text(advice, e2k, letters{}), "  total       200 cycles for 100 iterations"));
  advice.candidates.push_back(bound_by_channels(2, 24));
  advice.candidates.push_back(bound_by_channels(7, 6));
  advice.candidates[2].why = rejection::below_break_even;
  advice.candidates[2].break_even = 12;
  CHECK(has_line(to_text(advice, e2k, letters{}),
                 "  decision    not unrolled; by 7 it would be 1/7 = 0.143 cycles per iteration: too few "
                 "iterations to pay off (from 12 on)"));
}

TEST_CASE("to_text: a trip count that is assumed is one of which nothing is known, or an upper bound") {
  unrolling_advice advice = advice_of({1, 1});
  advice.assumptions = {};
  advice.assumptions[static_cast<std::size_t>(assumption::assumed_trip)] = true;
  CHECK(
      has_line(to_text(advice, e2k, letters{}), "  assumed     nothing is known about the trip count, it is assumed"));
  advice.counts.trip = {trip_count_kind::at_most, 15, 1};
  CHECK(has_line(to_text(advice, e2k, letters{}), "  assumed     the trip count is assumed, within its upper bound"));
}

TEST_CASE("to_text: obstacles, and numbers as names") {
  unrolling_advice advice;
  advice.header = 3;
  advice.obstacle = unrolling_obstacle::contains_loop;
  CHECK(to_text(advice, e2k) == "block 3: not unrolled: it contains a loop, and only innermost loops are unrolled\n");
}

TEST_CASE("every enumerator has words of its own") {
  const auto are_different = []<class E>(E, std::size_t count) {
    std::vector<std::string_view> words;
    for (std::size_t i = 0; i != count; ++i) {
      const std::string_view text = to_text(static_cast<E>(i));
      CHECK(!text.empty());
      for (const std::string_view other : words) {
        CHECK(text != other);
      }
      words.push_back(text);
    }
  };
  are_different(rejection{}, num_rejections);
  are_different(assumption{}, num_assumptions);
  are_different(unrolling_obstacle{}, 7);
  are_different(pipelining_obstacle{}, 7);
}

TEST_CASE("chart_points: evaluated candidates, one a factor, no peeling") {
  unrolling_advice advice = advice_of({1});
  advice.candidates.push_back(bound_by_channels(2, 6));
  advice.candidates.push_back(bound_by_channels(4, 12));
  advice.candidates[2].is_evaluated = false;
  advice.candidates.push_back(bound_by_channels(5, 12));
  advice.candidates.push_back(bound_by_channels(5, 6));
  advice.candidates[4].kind = unrolling_kind::full;
  advice.chosen = 4;
  advice.candidates.push_back(bound_by_channels(1, 1));
  advice.candidates[5].kind = unrolling_kind::peel;
  const std::vector<unrolling_point> points = chart_points(advice);
  REQUIRE(points.size() == 3);
  CHECK(points[1].factor == 2);
  CHECK(points[1].cycles == fraction(1, 2));
  CHECK_FALSE(points[1].is_chosen);
  CHECK(points[2].factor == 5);
  CHECK(points[2].cycles == fraction(1, 5));
  CHECK(points[2].is_chosen);
}

TEST_CASE("unrolling_chart_svg: a picture, whatever the points are") {
  const auto count = [](std::string_view text, std::string_view what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) {
      ++found;
    }
    return found;
  };
  const std::array<unrolling_point, 3> points = {
      {{1, 3, 40, false}, {2, {5, 2}, 64, true}, {64, {1, 100}, 4000, false}}};
  const std::string svg = unrolling_chart_svg(points, "@f, <loop> & more");
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(count(svg, "<circle ") == 3);
  CHECK(count(svg, "<title>2: 5/2</title>") == 1);
  CHECK(count(svg, "<title>64: 4000</title>") == 1);
  CHECK(count(svg, "@f, &lt;loop> &amp; more") == 1);
  CHECK(svg == unrolling_chart_svg(points, "@f, <loop> & more"));

  CHECK(unrolling_chart_svg({}, "no points").ends_with("</svg>\n"));
  const std::array<unrolling_point, 1> zero = {{{1, 0, 0, true}}};
  CHECK(unrolling_chart_svg(zero, "zero").find("nan") == std::string::npos);
}
