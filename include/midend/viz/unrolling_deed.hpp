/// `to_text`: an advice of `advise_unrolling` beside the program that it led to.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/unrolling/measure_unrolling.hpp"
#include "midend/viz/report.hpp"
#include "midend/viz/words.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

// Each enumerator as a phrase without full stop.

template <>
inline constexpr auto words_of<deed_obstacle> = word_table<deed_obstacle>({
    {deed_obstacle::none, "compared"},
    {deed_obstacle::not_unrolled, "not unrolled"},
    {deed_obstacle::refused, "not compared: the transformation refuses the loop"},
    {deed_obstacle::no_loop_left, "not compared: no loop is left"},
    {deed_obstacle::loop_left, "not compared: a loop is left"},
    {deed_obstacle::not_a_region, "not compared: what is left is no single region"},
});

/// The figures of the trial, and those of the program after the same unrolling and clean-up, as a table. A `*` marks
/// those that are larger in the program. After complete unrolling only operations are compared.
inline report_table comparison_table(const unrolling_deed& deed) {
  report_table table{{{.key = "figure", .title = "", .least_width = 14},
                      {.key = "trial", .title = "trial", .is_right = true, .least_width = 6},
                      {.key = "there", .title = "there", .is_right = true, .least_width = 6}},
                     {}};
  const auto add = [&](std::string_view name, std::uint64_t advised, std::uint64_t there) {
    table.rows.push_back(
        {report_value(name).as(detail::joined({there > advised ? "* " : "  ", name})), advised, there});
  };
  add("operations", deed.advised.operations, deed.there.operations);
  if (!deed.is_straight) {
    add("branches", deed.advised.branches, deed.there.branches);
    add("cycles", deed.advised.cycles(), deed.there.cycles());
    add("bytes", deed.advised.bytes, deed.there.bytes);
    add("registers", deed.advised.general_registers, deed.there.general_registers);
    add("predicates", deed.advised.predicate_registers, deed.there.predicate_registers);
  }
  return table;
}

/// The obstacle, or the answer and the table.
///
///     as advised, 3 tests dropped
///                   trial   there
///       operations      5       5
///       cycles          3       3
///       …
inline std::string to_text(const unrolling_deed& deed) {
  if (deed.obstacle != deed_obstacle::none) {
    return detail::joined({to_text(deed.obstacle), "\n"});
  }
  const std::string_view answer = !deed.is_as_advised() ? "worse than advised"
                                  : deed.is_equal()     ? "as advised"
                                                        : "better than advised";
  return detail::joined(
      {answer, ", ", detail::counted_text(deed.dropped_exits, "test"), " dropped\n", to_text(comparison_table(deed))});
}

MIDEND_END_NAMESPACE
