/// `to_text`: a prediction of `advise_unrolling` beside what became of it.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/support/fraction.hpp"
#include "midend/unrolling/measure_loop.hpp"
#include "midend/unrolling/measure_unrolling.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/viz/unrolling_words.hpp"
#include "midend/viz/value_names.hpp"

#include <cstddef>
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
    return "not compared: what is left cannot be described";
  }
}

constexpr std::string_view to_text(body_item item) {
  switch (item) {
  case body_item::operations:
    return "operations";
  case body_item::branches:
    return "branches";
  case body_item::interval:
    return "interval";
  case body_item::resources:
    return "resources";
  case body_item::recurrence:
    return "recurrence";
  case body_item::chain:
    return "chain";
  case body_item::bytes:
    return "bytes";
  case body_item::general_registers:
    return "registers";
  default:
    return "predicates";
  }
}

namespace detail {

/// The name of an item of a body; straight code has cycles in place of an interval.
constexpr std::string_view item_text(body_item item, const body_cost& cost) {
  const bool is_straight = cost.obstacle == pipelining_obstacle::straight_line;
  return item == body_item::interval && is_straight ? "cycles" : to_text(item);
}

template <class Names> void append_comparison(std::string& out, const unrolling_comparison& c, const Names& names) {
  const auto padded = [](std::string_view text, std::size_t width) {
    return std::string(text.size() < width ? width - text.size() : 0, ' ') + std::string(text);
  };
  out += "              predicted   there\n";
  for (std::size_t i = 0; i != num_body_items; ++i) {
    const auto item = static_cast<body_item>(i);
    const std::string_view name = item_text(item, c.predicted);
    out += (c.differs[i] ? "* " : "  ") + std::string(name) + std::string(12 - name.size(), ' ') +
           padded(exact_text(item_of(c.predicted, item)), 9) + padded(exact_text(item_of(c.there, item)), 8) + '\n';
  }
  if (!c.differs_in(body_item::operations)) {
    return;
  }
  for (const operation_count& o : c.operations) {
    out += "  " + (o.origin == no_value ? std::string("sums and new values") : std::string(names.value(o.origin))) +
           ": " + counted_text(o.predicted, "operation") + " predicted, " + number_text(o.there) + " there\n";
  }
}

} // namespace detail

/// A table of all items, predicted and there; after it, the values of the loop that take another number of operations.
/// After complete unrolling, the table is about the straight code, and another one about the loop around may follow.
///
///     as predicted, 12 operations cloned, 2 tests dropped
///                 predicted  there
///     operations          5      5
///     interval            3      3
///     …
///
/// Items that differ are marked with `*`. `names` are those of the program before.
template <class Names = numbered_values> std::string to_text(const unrolling_deed& deed, const Names& names = {}) {
  static_assert(value_names_argument<Names>);
  if (deed.obstacle != deed_obstacle::none) {
    return std::string(to_text(deed.obstacle)) + '\n';
  }
  const bool is_straight = deed.comparison.predicted.obstacle == pipelining_obstacle::straight_line;
  std::string out;
  out += deed.is_equal() ? "as predicted"
         : !deed.is_as_predicted()
             ? "not as predicted"
             : "operations and " + std::string(is_straight ? "cycles" : "interval") + " as predicted";
  out += ", " + detail::counted_text(deed.cloned, "operation") + " cloned, " +
         detail::counted_text(deed.dropped_exits, "test") + " dropped\n";
  detail::append_comparison(out, deed.comparison, names);
  if (deed.has_nest) {
    out += "  the loop around\n";
    detail::append_comparison(out, deed.nest, names);
  }
  return out;
}

MIDEND_END_NAMESPACE
