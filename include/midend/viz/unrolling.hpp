/// The advice of `advise_unrolling` for people.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/viz/detail/savings_text.hpp"
#include "midend/viz/detail/text_table.hpp"
#include "midend/viz/trip_formula.hpp"
#include "midend/viz/unrolling_reasons.hpp"
#include "midend/viz/unrolling_words.hpp"
#include "midend/viz/value_names.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Writes the advice for one loop.
template <class M, value_names Names> class unrolling_writer {
public:
  unrolling_writer(const unrolling_advice& advice, const M& machine, const Names& names)
      : advice_(advice), machine_(machine), names_(names) {}

  std::string write() {
    out_ = names_.node(advice_.header);
    if (advice_.obstacle != unrolling_obstacle::none) {
      return out_ + ": not looked at: " + std::string(to_text(advice_.obstacle)) + '\n';
    }
    out_ += ": " + trip_text(advice_.counters, advice_.body.hints) + '\n';
    if (const std::string trips = trip_formula_text(advice_.body, advice_.counters, names_); !trips.empty()) {
      line("backedges", trips);
    }
    line("decision", decision());
    line("legal", legality_text(advice_));
    cycles();
    sizes();
    const bool depends = chosen().kind == unrolling_kind::runtime || chosen().kind == unrolling_kind::uncounted;
    if (depends) {
      line("pays", break_even());
    }
    lines("saved", savings_text<Names>(advice_.body, names_).lines(advice_.savings));
    lines("assumed", assumptions());
    candidates();
    return std::move(out_);
  }

private:
  bool is_unrolled() const { return advice_.chosen != 0; }

  const unrolling_candidate& rolled() const { return advice_.rolled(); }

  const unrolling_candidate& chosen() const { return advice_.decision(); }

  void line(std::string_view label, std::string_view text) {
    constexpr std::size_t width = 12;
    out_ += "  " + std::string(label) + std::string(width - label.size(), ' ') + std::string(text) + '\n';
  }

  void lines(std::string_view label, const std::vector<std::string>& all) {
    for (const std::string& text : all) {
      line(label, text);
      label = "";
    }
  }

  static std::string cycles_text(const unrolling_candidate& c) {
    const fraction& f = c.cycles_per_iteration;
    return f.denominator() == 1 ? decimal_text(f) : exact_text(f) + " = " + decimal_text(f);
  }

  static std::string rest_text(const unrolling_candidate& c) {
    if (c.remainder == remainder_placement::none) {
      return {};
    }
    const std::string how_many = (c.kind == unrolling_kind::partial_with_remainder ? "" : "at most ") +
                                 counted_text(c.remainder_iterations, "iteration");
    switch (c.remainder) {
    case remainder_placement::prologue:
      return ", " + how_many + " before it";
    case remainder_placement::epilogue:
      return ", " + how_many + " behind it";
    default:
      return ", " + how_many + " in a last pass that is left in the middle";
    }
  }

  std::string decision() const {
    const unrolling_candidate& c = chosen();
    const std::string factor = std::to_string(c.factor);
    switch (c.kind) {
    case unrolling_kind::none:
      return "not unrolled" + main_reason();
    case unrolling_kind::full:
      return "unrolled completely, " + factor + " copies and no loop";
    case unrolling_kind::partial:
      return "unrolled by " + factor + ", nothing is left over";
    case unrolling_kind::partial_with_remainder:
      return "unrolled by " + factor + rest_text(c);
    case unrolling_kind::runtime:
      return "unrolled by " + factor + " at run time" + rest_text(c);
    case unrolling_kind::uncounted:
      return "unrolled by " + factor + ", each copy keeps its exit tests";
    default:
      return counted_text(c.factor, "iteration") + " peeled off";
    }
  }

  /// What is wrong with the one that would be fastest.
  std::string main_reason() const {
    const unrolling_candidate* best = nullptr;
    for (const unrolling_candidate& c : advice_.candidates) {
      const bool is_rival = c.is_evaluated && c.kind != unrolling_kind::none;
      if (is_rival && (best == nullptr || c.cycles_per_iteration < best->cycles_per_iteration)) {
        best = &c;
      }
    }
    return best == nullptr ? std::string()
                           : "; by " + std::to_string(best->factor) + " it would be " + cycles_text(*best) +
                                 " cycles an iteration: " + verdict(*best);
  }

  void cycles() {
    line("before", cycles_text(rolled()) + " cycles an iteration: " +
                       limit_text(advice_, rolled().body, advice_.rolled_machine, machine_, names_, false));
    if (is_unrolled()) {
      line("after", (chosen().kind == unrolling_kind::full ? counted_text(chosen().total_cycles, "cycle") + " in all: "
                                                           : cycles_text(chosen()) + " cycles an iteration: ") +
                        limit_text(advice_, chosen().body, advice_.machine, machine_, names_, true));
    }
    std::string total;
    if (is_unrolled()) {
      total = std::to_string(chosen().total_cycles) + " cycles instead of ";
    }
    total += std::to_string(rolled().total_cycles);
    line("in all",
         total + (is_unrolled() ? "" : " cycles") + " for " + counted_text(advice_.iterations, "iteration") + setup());
  }

  std::string setup() const {
    const std::uint64_t before = rolled().setup_cycles;
    const std::uint64_t after = chosen().setup_cycles;
    if (before == 0 && after == 0) {
      return {};
    }
    return ", set-up of " + std::to_string(after) +
           (is_unrolled() && after != before ? " instead of " + std::to_string(before) : std::string()) + " apart";
  }

  void sizes() {
    size("operations", [](const auto& c) { return c.body.operations; });
    size("branches", [](const auto& c) { return c.body.branches; });
    size("bytes", [](const auto& c) { return c.total_bytes; });
    size("registers", [](const auto& c) { return c.body.general_registers; });
    size("predicates", [](const auto& c) { return c.body.predicate_registers; });
    size("stages", [](const auto& c) { return c.body.stages; });
  }

  template <class Number> void size(std::string_view label, Number number) {
    const std::uint64_t after = number(chosen());
    const std::uint64_t before = number(rolled());
    if (after != 0 || before != 0) {
      line(label, std::to_string(after) + (after != before ? " instead of " + std::to_string(before) : std::string()));
    }
  }

  std::string break_even() const {
    const std::uint64_t from = chosen().break_even;
    return from == 0 ? "never, as far as was looked" : "never slower from " + counted_text(from, "iteration") + " on";
  }

  /// Several in a line, as far as there is room.
  std::vector<std::string> assumptions() const {
    constexpr std::size_t room = 100;
    std::vector<std::string> all;
    for (std::size_t a = 0; a != num_assumptions; ++a) {
      if (advice_.assumptions[a]) {
        const std::string_view text = to_text(static_cast<assumption>(a));
        if (all.empty() || all.back().size() + text.size() > room) {
          all.emplace_back(text);
        } else {
          all.back() += "; " + std::string(text);
        }
      }
    }
    return all;
  }

  static std::string verdict(const unrolling_candidate& c) {
    std::string text(to_text(c.reason));
    if (c.reason == rejection::gain_too_small) {
      std::array<char, 32> digits{};
      std::snprintf(digits.data(), digits.size(), " (%.3f)", c.gain);
      text += digits.data();
    } else if (c.reason == rejection::below_break_even) {
      text += " (from " + std::to_string(c.break_even) + " on)";
    }
    return text;
  }

  std::string bound_by(const unrolling_candidate& c) const {
    switch (c.body.limit()) {
    case body_limit::nothing:
      return "nothing";
    case body_limit::recurrence:
      return "recurrence";
    case body_limit::critical_path:
      return "chain";
    default:
      break;
    }
    const resource_bound_result& bound = c.body.resources;
    return bound.limit == resource_limit::channels          ? channels_text(machine_, bound.channels)
           : bound.limit == resource_limit::scalar_resource ? resource_text(machine_, bound.resource)
                                                            : std::string(name_of(bound.first));
  }

  void candidates() {
    text_table<9> table;
    table.add({"factor", "kind", "cycles", "", "bound by", "operations", "bytes", "in all", "  why not"});
    for (const unrolling_candidate& c : advice_.candidates) {
      const auto known = [&](std::string text) { return c.is_evaluated ? text : "-"; };
      table.add({std::to_string(c.factor), kind_text(c), known(exact_text(c.cycles_per_iteration)),
                 known(decimal_text(c.cycles_per_iteration)), known(bound_by(c)),
                 known(std::to_string(c.body.operations)), known(std::to_string(c.total_bytes)),
                 known(std::to_string(c.total_cycles)), (&c == &chosen() ? "* " : "  ") + verdict(c)});
    }
    table.append_to(out_, "    ", {true, false, true, true, false, true, true, true, false});
  }

  static std::string kind_text(const unrolling_candidate& c) {
    switch (c.kind) {
    case unrolling_kind::none:
      return "as it is";
    case unrolling_kind::partial_with_remainder:
      return "partial, " + std::to_string(c.remainder_iterations) + " left";
    default:
      return name_of(c.kind);
    }
  }

  const unrolling_advice& advice_;
  const M& machine_;
  const Names& names_;
  std::string out_;
};

} // namespace detail

/// The advice for one loop: how often it runs, the decision with what bounds it before and after, what was saved in
/// which copy, what is assumed, and a table of all candidates. `names` are those of the IR that the advice is for.
///
///     loop: 1024 header executions, 1023 backedges taken
///       decision    unrolled by 4, nothing is left over
///       before      3.00 cycles an iteration: recurrence of 3 cycles: %s1 -> %s2 -> %s3
///       after       9/4 = 2.25 cycles an iteration: recurrence of 9 cycles: %s1[0] -> …
///       …
///
/// Cycles are lower bounds. Equal advices give equal text.
template <class M, value_names Names = numbered_values>
std::string to_text(const unrolling_advice& advice, const M& machine, const Names& names = {}) {
  return detail::unrolling_writer<M, Names>(advice, machine, names).write();
}

MIDEND_END_NAMESPACE
