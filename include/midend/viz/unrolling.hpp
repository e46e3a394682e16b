/// `unrolling_report`, `to_text`: the advice of `advise_unrolling` for one loop, as a report and as text.
#pragma once

#include "midend/config.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/viz/report.hpp"
#include "midend/viz/trip_formula.hpp"
#include "midend/viz/unrolling_reasons.hpp"
#include "midend/viz/value_names.hpp"

#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The report of an advice; `trip_formula` is the text of the trip count, or empty.
MIDEND_COLD MIDEND_FUNCTION report advice_report(const unrolling_advice& advice, const machine_words& machine,
                                                 const function_words& names, std::string_view trip_formula);

} // namespace detail

/// The advice for one loop: its trip count, the decision, the limits of the time before and after it, the savings by
/// copy, the assumptions, and a table of all candidates. `names` are those of the IR that the advice is for. Cycles are
/// lower bounds. Equal advice gives equal reports.
template <class M, class Names = numbered_values>
report unrolling_report(const unrolling_advice& advice, const M& machine, const Names& names = {}) {
  static_assert(issuing_machine_argument<M>);
  static_assert(value_names_argument<Names>);
  const bool has_counts = advice.obstacle == unrolling_obstacle::none;
  const std::string formula = has_counts ? trip_formula_text(advice.counts, names) : std::string();
  const detail::machine_words_of<M> m(machine);
  const detail::function_words_of<Names> n(names);
  return detail::advice_report(advice, m, n, formula);
}

/// The savings of the decision as a table, one by one: what is saved, the copy, the value and the result.
template <class Names = numbered_values>
report_table savings_table(const unrolling_advice& advice, const Names& names = {}) {
  static_assert(value_names_argument<Names>);
  report_table table{{{.key = "what", .title = "what"},
                      {.key = "copy", .title = "copy", .is_right = true},
                      {.key = "value", .title = "value"},
                      {.key = "result", .title = "result", .is_right = true}},
                     {}};
  for (const unrolling_saving& s : advice.savings) {
    const std::string value = s.value == no_value ? std::string() : std::string(names.value(s.value));
    table.rows.push_back({name_of(s.kind), s.copy, value, s.result});
  }
  return table;
}

/// The report in text.
///
///     loop: 1024 header executions, 1023 backedges taken
///       decision    unrolled by 4, no remainder
///       before      3.00 cycles per iteration: recurrence of 3 cycles: %s1 -> %s2 -> %s3
///       after       9/4 = 2.25 cycles per iteration: recurrence of 9 cycles: %s1[0] -> …
///       …
template <class M, class Names = numbered_values>
std::string to_text(const unrolling_advice& advice, const M& machine, const Names& names = {}) {
  return to_text(unrolling_report(advice, machine, names));
}

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/induction/trip_count.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/support/span.hpp"
#include "midend/unrolling/unrolling_savings.hpp"
#include "midend/viz/unrolling_words.hpp"
#include "midend/viz/words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The savings of unrolling, by copy. Savings of one value in several copies, and of several values in equal copies,
/// share a line.
class savings_text {
public:
  explicit savings_text(const function_words& names) : names_(names) {}

  /// The name of a value in the program, or else `otherwise`.
  MIDEND_SELDOM_CALLED std::string name_of_value(value_id v, const char* otherwise) const {
    std::string name = v == no_value ? std::string() : names_.value(v);
    return name.empty() ? otherwise : name;
  }

  /// A line for each group, by kind of saving, then by value. A condition whose test is listed is not listed itself.
  MIDEND_SELDOM_CALLED std::vector<std::string> lines(span<const unrolling_saving> savings) const {
    const auto kind_and_value = [](const unrolling_saving& s) { return std::pair(s.kind, s.value); };
    std::vector<unrolling_saving> sorted(savings.begin(), savings.end());
    std::sort(sorted.begin(), sorted.end(), [](const unrolling_saving& a, const unrolling_saving& b) {
      return std::tie(a.kind, a.value, a.copy, a.result) < std::tie(b.kind, b.value, b.copy, b.result);
    });
    const auto has = [&](saving_kind kind, value_id value) {
      const auto found = std::partition_point(sorted.begin(), sorted.end(), [&](const unrolling_saving& s) {
        return kind_and_value(s) < std::pair(kind, value);
      });
      return found != sorted.end() && kind_and_value(*found) == std::pair(kind, value);
    };
    std::vector<group> groups;
    for (std::size_t first = 0, last = 0; first != sorted.size(); first = last) {
      while (last != sorted.size() && kind_and_value(sorted[last]) == kind_and_value(sorted[first])) {
        ++last;
      }
      const auto [kind, value] = kind_and_value(sorted[first]);
      const bool is_implied = (kind == saving_kind::folded || kind == saving_kind::dead_operation) &&
                              (has(saving_kind::folded_test, value) || has(saving_kind::removed_exit_test, value));
      if (!is_implied) {
        add_value(groups, span(sorted).subspan(first, last - first));
      }
    }
    std::vector<std::string> out;
    for (const group& g : groups) {
      out.push_back(g.kind == saving_kind::vanished_phi ? what(g) : joined({copies_text(g), ": ", what(g)}));
    }
    return out;
  }

private:
  struct group {
    saving_kind kind = saving_kind::folded;
    std::string how; ///< the constants, or the copy that computes the value
    std::vector<std::uint32_t> copies;
    std::string values;
  };

  /// Adds the savings of one kind at one value: a group for each result, ascending. If other copies compute the value,
  /// they are named by their numbers or by their distance, whichever gives fewer groups.
  MIDEND_SELDOM_CALLED void add_value(std::vector<group>& groups, span<const unrolling_saving> savings) const {
    std::vector<group> all = groups_of(savings, false);
    if (names_a_copy(savings[0].kind)) {
      std::vector<group> by_distance = groups_of(savings, true);
      if (by_distance.size() < all.size()) {
        all.swap(by_distance);
      }
    }
    for (group& g : all) {
      add_group(groups, std::move(g));
    }
  }

  /// A group for each result, or for each distance from the copy that computes the value.
  MIDEND_SELDOM_CALLED std::vector<group> groups_of(span<const unrolling_saving> savings, bool by_distance) const {
    const auto key = [&](const unrolling_saving& s) {
      const std::uint64_t from = s.result == unrolling_saving::before_loop ? s.result : s.copy - s.result;
      return by_distance ? from : s.kind == saving_kind::folded ? 0 : s.result;
    };
    std::vector<unrolling_saving> sorted(savings.begin(), savings.end());
    std::sort(sorted.begin(), sorted.end(), [&](const unrolling_saving& a, const unrolling_saving& b) {
      return std::tuple(key(a), a.copy, a.result) < std::tuple(key(b), b.copy, b.result);
    });
    std::vector<group> groups;
    for (std::size_t i = 0; i != sorted.size(); ++i) {
      const unrolling_saving& s = sorted[i];
      if (i == 0 || key(s) != key(sorted[i - 1])) {
        groups.push_back({s.kind,
                          by_distance ? distance_text(key(s)) : how(s, savings),
                          {},
                          name_of_value(s.value, name_of(s.cost))});
      }
      if (groups.back().copies.empty() || groups.back().copies.back() != s.copy) {
        groups.back().copies.push_back(s.copy);
      }
    }
    return groups;
  }

  static std::string distance_text(std::uint64_t distance) {
    if (distance == unrolling_saving::before_loop) {
      return "before the loop";
    }
    if (distance == 0) {
      return "in the same copy";
    }
    return joined({number_text(distance), distance == 1 ? " copy before" : " copies before"});
  }

  /// Joins a group with equal text and copies, if there is one.
  static void add_group(std::vector<group>& groups, group g) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const group& other) {
      return std::tie(other.kind, other.how, other.copies) == std::tie(g.kind, g.how, g.copies);
    });
    if (same == groups.end()) {
      groups.push_back(std::move(g));
    } else {
      same->values += joined({", ", g.values});
    }
  }

  static bool names_a_copy(saving_kind k) {
    return k == saving_kind::shared_expression || k == saving_kind::shared_load || k == saving_kind::forwarded_load;
  }

  std::string how(const unrolling_saving& s, span<const unrolling_saving> savings) const {
    if (names_a_copy(s.kind)) {
      return s.result == unrolling_saving::before_loop ? "before the loop"
             : s.result == s.copy                      ? "in the same copy"
                                                       : joined({"by copy ", number_text(s.result)});
    }
    if (s.kind == saving_kind::folded_test) {
      return s.result != 0 ? "true" : "false";
    }
    return s.kind == saving_kind::folded ? constants(savings) : std::string();
  }

  static std::string copies_text(const group& g) {
    return joined({g.copies.size() == 1 ? "copy " : "copies ", ranges_text(g.copies)});
  }

  MIDEND_SELDOM_CALLED static std::string what(const group& g) {
    switch (g.kind) {
    case saving_kind::folded:
      return joined({g.values, " = ", g.how});
    case saving_kind::folded_test:
      return joined({"test of ", g.values, " always ", g.how});
    case saving_kind::removed_exit_test:
      return joined({"no exit test of ", g.values});
    case saving_kind::shared_expression:
      return joined({g.values, " as computed ", g.how});
    case saving_kind::shared_load:
      return joined({g.values, " as loaded ", g.how});
    case saving_kind::forwarded_load:
      return joined({g.values, " as stored ", g.how});
    case saving_kind::dead_operation:
      return joined({"no ", g.values});
    default:
      return joined({"no move of ", g.values, ", the same after each pass"});
    }
  }

  /// One constant if all are equal, else the first few.
  MIDEND_SELDOM_CALLED std::string constants(span<const unrolling_saving> savings) const {
    constexpr std::size_t most = 8;
    std::string text = number(savings.front());
    const bool differ = std::any_of(savings.begin(), savings.end(),
                                    [&](const unrolling_saving& s) { return s.result != savings.front().result; });
    for (std::size_t i = 1; differ && i < savings.size(); ++i) {
      if (i == most) {
        return joined({text, ", ..."});
      }
      text += joined({", ", number(savings[i])});
    }
    return text;
  }

  /// A constant of the width of its value, signed.
  std::string number(const unrolling_saving& s) const {
    if (s.width <= 1 || s.width > 64) {
      return number_text(s.result);
    }
    const unsigned above = 64U - s.width;
    return std::to_string(static_cast<std::int64_t>(s.result << above) >> above);
  }

  const function_words& names_;
};

/// Writes the advice for one loop.
class unrolling_writer {
public:
  unrolling_writer(const unrolling_advice& advice, const machine_words& machine, const function_words& names)
      : advice_(advice), machine_(machine), names_(names) {}

  MIDEND_SELDOM_CALLED report write(std::string_view trip_formula) {
    out_.heading = names_.node(advice_.header);
    if (advice_.obstacle != unrolling_obstacle::none) {
      out_.heading += joined({": not unrolled: ", to_text(advice_.obstacle)});
      return std::move(out_);
    }
    out_.heading += joined({": ", trip_text(advice_.counts)});
    if (!trip_formula.empty()) {
      line("backedges", trip_formula);
    }
    line("decision", decision());
    line("legal", legality_text(advice_));
    cycles();
    sizes();
    const bool depends = chosen().kind == unrolling_kind::partial && !chosen().has_exact_count;
    if (depends) {
      line("pays", break_even());
    }
    lines("nest", nest());
    lines("saved", savings_text(names_).lines(advice_.savings));
    lines("assumed", assumptions());
    lines("missing", missing());
    out_.table_key = "candidates";
    out_.table = candidates();
    return std::move(out_);
  }

private:
  bool is_unrolled() const { return advice_.chosen != 0; }

  const unrolling_candidate& rolled() const { return advice_.rolled(); }

  const unrolling_candidate& chosen() const { return advice_.decision(); }

  MIDEND_SELDOM_CALLED void line(std::string_view label, std::string_view text) {
    out_.add(std::string(label), std::string(label), text);
  }

  MIDEND_SELDOM_CALLED void lines(std::string_view label, std::vector<std::string> all) {
    out_.add_list(std::string(label), std::string(label), std::move(all));
  }

  MIDEND_SELDOM_CALLED static std::string cycles_text(const unrolling_candidate& c) {
    const fraction& f = c.cycles_per_iteration;
    const std::string number = f.denominator() == 1 ? decimal_text(f) : joined({exact_text(f), " = ", decimal_text(f)});
    return joined({number, " cycles per iteration: "});
  }

  MIDEND_SELDOM_CALLED static std::string remainder_text(const unrolling_candidate& c) {
    if (c.remainder_iterations == 0) {
      return {};
    }
    const std::string_view where = c.remainder == remainder_placement::prologue   ? " before the loop"
                                   : c.remainder == remainder_placement::epilogue ? " after the loop"
                                                                                  : " in an incomplete last pass";
    return joined({", remainder of ", c.has_exact_count ? "" : "at most ",
                   counted_text(c.remainder_iterations, "iteration"), where});
  }

  MIDEND_SELDOM_CALLED static std::string limit_text(const unrolling_candidate& c) {
    if (c.has_exact_count) {
      return c.remainder == remainder_placement::none ? ", no remainder" : remainder_text(c);
    }
    return c.has_limit() ? joined({" at run time", remainder_text(c)}) : ", each copy keeps its exit tests";
  }

  MIDEND_SELDOM_CALLED std::string decision() const {
    const unrolling_candidate& c = chosen();
    const std::string factor = number_text(c.factor);
    switch (c.kind) {
    case unrolling_kind::none:
      return joined({"not unrolled", advice_.runs_no_iteration() ? ": it is left before its first iteration is complete"
                                                                 : main_reason()});
    case unrolling_kind::full:
      return joined({"unrolled completely, ", factor, " copies and no loop"});
    case unrolling_kind::partial:
      return joined({"unrolled by ", factor, limit_text(c)});
    default:
      return joined({counted_text(c.factor, "iteration"), " peeled off"});
    }
  }

  /// Why the fastest candidate is rejected.
  MIDEND_SELDOM_CALLED std::string main_reason() const {
    const unrolling_candidate* best = nullptr;
    for (const unrolling_candidate& c : advice_.candidates) {
      const bool is_rival = c.is_evaluated && c.kind != unrolling_kind::none;
      if (is_rival && (best == nullptr || c.cycles_per_iteration < best->cycles_per_iteration)) {
        best = &c;
      }
    }
    return best == nullptr
               ? std::string()
               : joined({"; by ", number_text(best->factor), " it would be ", cycles_text(*best), verdict(*best)});
  }

  MIDEND_SELDOM_CALLED void cycles() {
    line("before", joined({cycles_text(rolled()), limit_of(rolled().body, advice_.rolled_machine, false)}));
    const unrolling_candidate& c = chosen();
    if (is_unrolled()) {
      const std::string cycles = c.kind == unrolling_kind::full
                                     ? joined({counted_text(c.total_cycles, "cycle"), " in all: "})
                                     : cycles_text(c);
      line("after", joined({cycles, limit_of(c.body, advice_.machine, true)}));
    }
    const std::string before = number_text(rolled().total_cycles);
    const std::string total = is_unrolled() ? joined({number_text(c.total_cycles), " cycles instead of ", before})
                                            : joined({before, " cycles"});
    line("total", joined({total, " for ", counted_text(advice_.iterations, "iteration"), setup()}));
  }

  std::string limit_of(const body_cost& cost, const machine_body& body, bool has_copies) const {
    return limit_words(cost, body, machine_, names_, has_copies);
  }

  MIDEND_SELDOM_CALLED std::string setup() const {
    const std::uint64_t before = rolled().setup_cycles;
    const std::uint64_t after = chosen().setup_cycles;
    if (before == 0 && after == 0) {
      return {};
    }
    return joined({", plus set-up of ", instead_of(after, before)});
  }

  static std::string instead_of(std::uint64_t after, std::uint64_t before) {
    return after == before ? number_text(after) : joined({number_text(after), " instead of ", number_text(before)});
  }

  MIDEND_SELDOM_CALLED void sizes() {
    const body_cost& before = rolled().body;
    const body_cost& after = chosen().body;
    size("operations", after.operations, before.operations);
    size("branches", after.branches, before.branches);
    size("bytes", chosen().total_bytes, rolled().total_bytes);
    size("registers", after.general_registers, before.general_registers);
    size("predicates", after.predicate_registers, before.predicate_registers);
    size("stages", after.stages, before.stages);
  }

  void size(std::string_view label, std::uint64_t after, std::uint64_t before) {
    if (after != 0 || before != 0) {
      line(label, instead_of(after, before));
    }
  }

  MIDEND_SELDOM_CALLED std::string break_even() const {
    const std::uint64_t from = chosen().break_even;
    return from == 0 ? "never, as far as the search went"
                     : joined({"never slower from ", counted_text(from, "iteration"), " on"});
  }

  /// The loop around, if the copies of this one are in it.
  MIDEND_SELDOM_CALLED std::vector<std::string> nest() const {
    const nest_advice& n = advice_.nest;
    if (!n.is_evaluated) {
      return {};
    }
    const unrolling_candidate& c = n.unfolded;
    const bool is_chosen = c.why == rejection::none;
    return {joined({"the loop around, ", names_.node(n.header), ", with ", number_text(c.factor),
                    c.factor == 1 ? " copy" : " copies", " in it: ", decimal_text(c.cycles_per_iteration),
                    " cycles per iteration", c.body.is_pipelined() ? ", pipelined" : ""}),
            joined({number_text(c.total_cycles + c.setup_cycles), " cycles instead of ", number_text(n.total_cycles),
                    " for its ", counted_text(n.iterations, "iteration"), ", set-up included", is_chosen ? "" : ": ",
                    is_chosen ? std::string() : verdict(c)})};
  }

  /// The facts that would make the loop faster, if a test before it showed them.
  MIDEND_SELDOM_CALLED std::vector<std::string> missing() const {
    const overlap_advice& apart = advice_.without_overlap;
    if (!apart.is_worthwhile) {
      return {};
    }
    std::vector<std::string> all;
    for (const base_pair& p : apart.pairs) {
      all.push_back(joined({savings_text(names_).name_of_value(p.first, "a value"), " and ",
                            savings_text(names_).name_of_value(p.second, "a value"), " may overlap"}));
    }
    const std::string how = apart.form.kind == unrolling_kind::none
                                ? std::string("not unrolled")
                                : joined({"factor ", number_text(apart.form.factor)});
    all.push_back(
        joined({"with a test of that before the loop: ", how, ", ", decimal_text(chosen().cycles_per_iteration), " -> ",
                decimal_text(apart.cycles_per_iteration), " cycles per iteration"}));
    all.push_back(joined({"the test takes ", counted_text(apart.test_cycles, "cycle"), ", and pays from ",
                          counted_text(apart.break_even, "iteration"), " on"}));
    return all;
  }

  /// An upper bound is more than nothing.
  std::string_view assumption_text(assumption a) const {
    return a == assumption::assumed_trip && advice_.counts.trip.kind == trip_count_kind::at_most
               ? "the trip count is assumed, within its upper bound"
               : to_text(a);
  }

  /// Several on a line, as many as fit.
  MIDEND_SELDOM_CALLED std::vector<std::string> assumptions() const {
    constexpr std::size_t room = 100;
    std::vector<std::string> all;
    for (std::size_t a = 0; a != num_assumptions; ++a) {
      if (advice_.assumptions[a]) {
        const std::string_view text = assumption_text(static_cast<assumption>(a));
        if (all.empty() || all.back().size() + text.size() > room) {
          all.emplace_back(text);
        } else {
          all.back() += joined({"; ", text});
        }
      }
    }
    return all;
  }

  MIDEND_SELDOM_CALLED static std::string verdict(const unrolling_candidate& c) {
    const std::string_view text = to_text(c.why);
    if (c.why == rejection::gain_too_small) {
      std::array<char, 32> digits{};
      const char* const end =
          std::to_chars(digits.data(), digits.data() + digits.size(), c.gain, std::chars_format::fixed, 3).ptr;
      return joined({text, " (", std::string_view(digits.data(), end), ")"});
    }
    return c.why == rejection::below_break_even ? joined({text, " (from ", number_text(c.break_even), " on)"})
                                                : std::string(text);
  }

  MIDEND_SELDOM_CALLED std::string bound_by(const unrolling_candidate& c) const {
    switch (c.body.limit()) {
    case body_limit::nothing:
      return "nothing";
    case body_limit::recurrence:
      return "recurrence";
    case body_limit::critical_path:
      return "chain";
    case body_limit::straight_line:
      return "chain, resources";
    case body_limit::schedule:
      return "schedule";
    default:
      break;
    }
    const resource_bound_result& bound = c.body.resources;
    return bound.limit == resource_limit::channels          ? channel_words(machine_, bound.channels)
           : bound.limit == resource_limit::scalar_resource ? machine_.resource(bound.resource)
                                                            : std::string(name_of(bound.first));
  }

  MIDEND_SELDOM_CALLED static std::string kind_text(const unrolling_candidate& c) {
    if (c.has_exact_count && c.remainder != remainder_placement::none) {
      return joined({"partial, ", number_text(c.remainder_iterations), " left"});
    }
    return c.kind == unrolling_kind::none ? "rolled" : name_of(c);
  }

  MIDEND_SELDOM_CALLED report_table candidates() const {
    report_table table{{{.key = "factor", .title = "factor", .is_right = true},
                        {.key = "kind", .title = "kind"},
                        {.key = "cycles_per_iteration", .title = "cycles", .is_right = true},
                        {.title = "", .is_right = true},
                        {.key = "bound_by", .title = "bound by"},
                        {.key = "operations", .title = "operations", .is_right = true},
                        {.key = "bytes", .title = "bytes", .is_right = true},
                        {.key = "total_cycles", .title = "total", .is_right = true},
                        {.key = "verdict", .title = "  why not"}},
                       {}};
    for (const unrolling_candidate& c : advice_.candidates) {
      std::vector<report_value> row(table.columns.size());
      row[0] = c.factor;
      row[1] = kind_text(c);
      if (c.is_evaluated) {
        const fraction& cycles = c.cycles_per_iteration;
        row[2] = report_value(cycles).as(joined({c.is_tried ? "" : "~", exact_text(cycles)}));
        row[3] = decimal_text(cycles);
        row[4] = bound_by(c);
        row[5] = c.body.operations;
        row[6] = c.total_bytes;
        row[7] = c.total_cycles;
      }
      const std::string why = verdict(c);
      row[8] = report_value(why).as(joined({&c == &chosen() ? "* " : "  ", why}));
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  const unrolling_advice& advice_;
  const machine_words& machine_;
  const function_words& names_;
  report out_;
};

report advice_report(const unrolling_advice& advice, const machine_words& machine, const function_words& names,
                     std::string_view trip_formula) {
  return unrolling_writer(advice, machine, names).write(trip_formula);
}

} // namespace detail

MIDEND_END_NAMESPACE

#endif
