/// `to_text`: an advice of `advise_unrolling` beside the program that it led to.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/unrolling/measure_unrolling.hpp"
#include "midend/viz/unrolling_words.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

// Each enumerator as a phrase without full stop.

constexpr std::string_view to_text(deed_obstacle o) {
  switch (o) {
  case deed_obstacle::none:
    return "compared";
  case deed_obstacle::not_unrolled:
    return "not unrolled";
  case deed_obstacle::refused:
    return "not compared: the transformation refuses the loop";
  case deed_obstacle::no_loop_left:
    return "not compared: no loop is left";
  case deed_obstacle::loop_left:
    return "not compared: a loop is left";
  default:
    return "not compared: what is left is no single region";
  }
}

/// The figures of the trial, and those of the program after the same unrolling and clean-up.
///
///     as advised, 3 tests dropped
///                   trial   there
///       operations      5       5
///       cycles          3       3
///       …
///
/// A `*` marks items that are larger in the program. After complete unrolling only operations are compared.
inline std::string to_text(const unrolling_deed& deed) {
  if (deed.obstacle != deed_obstacle::none) {
    return std::string(to_text(deed.obstacle)) + '\n';
  }
  std::string out = !deed.is_as_advised() ? "worse than advised"
                    : deed.is_equal()     ? "as advised"
                                          : "better than advised";
  out += ", " + detail::counted_text(deed.dropped_exits, "test") + " dropped\n                 trial   there\n";
  const auto padded = [](std::uint64_t number) {
    const std::string text = detail::number_text(number);
    return std::string(text.size() < 8 ? 8 - text.size() : 0, ' ') + text;
  };
  const auto line = [&](std::string_view name, std::uint64_t advised, std::uint64_t there) {
    out += (there > advised ? "* " : "  ") + std::string(name) + std::string(12 - name.size(), ' ') + padded(advised) +
           padded(there) + '\n';
  };
  line("operations", deed.advised.operations, deed.there.operations);
  if (!deed.is_straight) {
    line("branches", deed.advised.branches, deed.there.branches);
    line("cycles", deed.advised.cycles(), deed.there.cycles());
    line("bytes", deed.advised.bytes, deed.there.bytes);
    line("registers", deed.advised.general_registers, deed.there.general_registers);
    line("predicates", deed.advised.predicate_registers, deed.there.predicate_registers);
  }
  return out;
}

MIDEND_END_NAMESPACE
