/// Words for the loop package: a table of changes, and the steps of the manager.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loop_package/loop_change.hpp"
#include "midend/loop_package/loop_manager.hpp"
#include "midend/loop_package/loop_package_log.hpp"
#include "midend/support/nearest_number.hpp"
#include "midend/support/order.hpp"
#include "midend/transform/unrolling_form.hpp"
#include "midend/viz/detail/dot_text.hpp"
#include "midend/viz/report.hpp"
#include "midend/viz/words.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

template <>
inline constexpr auto words_of<loop_package_refusal_reason> = word_table<loop_package_refusal_reason>({
    {loop_package_refusal_reason::no_gain, "no change is profitable"},
    {loop_package_refusal_reason::no_room, "a change is profitable, but exceeds the limit on growth"},
    {loop_package_refusal_reason::too_large, "it is too large to try"},
    {loop_package_refusal_reason::known_already, "an equal loop was tried before"},
});

template <>
inline constexpr auto words_of<loop_state> = word_table<loop_state>({
    {loop_state::undefined, "undefined"},
    {loop_state::processed, "processed"},
    {loop_state::waiting, "waiting"},
    {loop_state::closed, "closed"},
});

namespace detail {

/// A number with one decimal, without a decimal 0.
inline std::string cycles_text(double cycles) {
  const std::uint64_t tenths = nearest_number(cycles * 10);
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 != 0) {
    text += '.';
    text += static_cast<char>('0' + tenths % 10);
  }
  return text;
}

inline std::string change_text(const loop_change& c, std::string_view member) {
  std::string text(member);
  if (c.form.kind != unrolling_kind::none) {
    text += ", ";
    text += name_of(c.form.kind);
    text += ' ';
    text += std::to_string(c.form.factor);
    if (c.form.remainder != remainder_placement::none) {
      text += ", ";
      text += name_of(c.form.remainder);
    }
  }
  return text;
}

inline const char* color_of(loop_state s) {
  switch (s) {
  case loop_state::undefined:
    return "white";
  case loop_state::processed:
    return "khaki1";
  case loop_state::waiting:
    return "orange";
  default:
    return "palegreen";
  }
}

} // namespace detail

/// One line: n, r, cycles, growth and number of trials.
inline std::string summary_text(const loop_package_log& log) {
  using detail::counted_text;
  using detail::cycles_text;
  using detail::joined;
  using detail::number_text;
  std::string text = counted_text(log.manager.changes, "change");
  if (log.manager.rebuilds != 0) {
    text += joined({" in ", counted_text(log.manager.rebuilds, "rebuild")});
  }
  text += joined({"; cycles ", cycles_text(log.cycles_before), " -> ", cycles_text(log.cycles_after), "; operations ",
                  number_text(log.size_before), " -> ", number_text(log.size_after), " (at most ",
                  number_text(log.max_size), ", ", number_text(log.largest_size), " in between); ",
                  counted_text(log.trials, "trial")});
  if (log.vetoes() != 0) {
    text += joined({", ", number_text(log.vetoes()), " without room"});
  }
  bool differ = false;
  for (const std::uint16_t i : log.importance) {
    differ = differ || i != log.importance[0];
  }
  if (differ) {
    text += "; importance of members";
    for (const std::uint16_t i : log.importance) {
      text += ' ' + std::to_string(i);
    }
  }
  return text + (log.manager.is_complete ? "" : "; stopped");
}

/// The changes as a table without titles: sweep, loop, member, cycles of the loop each time that it is entered, and its
/// operations with those of its copies, and by how many it may grow. Then profitable changes that grow by more.
/// `names.node(n)` gives the name of a node; `member_name(i)` that of a member.
template <class Names, class MemberName>
report_table changes_table(const loop_package_log& log, const Names& names, MemberName member_name) {
  using detail::joined;
  using detail::number_text;
  report_table table{{{.key = "sweep", .least_width = 8},
                      {.key = "loop", .least_width = 14},
                      {.key = "change", .least_width = 40},
                      {.key = "cycles", .least_width = 24},
                      {.key = "operations"}},
                     {}};
  const auto add = [&](const decided_loop_change& c, std::string_view end) {
    const std::string room = c.growth() == 0 ? std::string() : joined({", room for ", number_text(c.room)});
    table.rows.push_back(
        {report_value(c.sweep).as(joined({"sweep ", number_text(c.sweep)})), std::string(names.node(c.change.header)),
         detail::change_text(c.change, member_name(c.change.member)),
         joined({"cycles ", detail::cycles_text(c.cycles_before), " -> ", detail::cycles_text(c.cycles_after)}),
         joined({"operations ", number_text(c.size_before), " -> ", number_text(c.size_after), room, end})});
  };
  for (const decided_loop_change& c : log.changes) {
    add(c, c.is_applied ? "" : "  failed on the procedure");
  }
  for (const decided_loop_change& c : log.vetoed) {
    add(c, "  vetoed");
  }
  return table;
}

/// The table of changes as text.
template <class Names, class MemberName>
std::string to_text(const loop_package_log& log, const Names& names, MemberName member_name) {
  return to_text(changes_table(log, names, member_name));
}

/// A line for each step of the manager.
template <class Names> std::string to_text(const loop_manager_log& log, const Names& names) {
  std::string text;
  for (const loop_manager_event& e : log.events) {
    if (e.step == loop_step::rebuilt) {
      text += "sweep " + std::to_string(e.sweep) + ": rebuilt\n";
      continue;
    }
    text += "sweep " + std::to_string(e.sweep) + ": " + std::string(names.node(e.header));
    switch (e.step) {
    case loop_step::listed:
      text += " is processed\n";
      break;
    case loop_step::changed:
      text += " is changed and waits\n";
      break;
    default:
      text += " is closed\n";
    }
  }
  return text;
}

/// The tree of loops as a graph for Graphviz, after the first `steps` steps of the manager: the loops of the sweep to
/// which the last of them belongs, coloured by state, with outlines as thick as their part of the time in all loops.
/// After `rebuilt`, and after the last step, the loops of the rebuilt procedure. Quadratic in the loops of a sweep.
template <class Names>
std::string to_dot(const loop_package_log& log, const Names& names, std::size_t steps = ~std::size_t{0}) {
  const auto& events = log.manager.events;
  steps = detail::min(steps, events.size());
  std::uint32_t sweep = steps == events.size() ? log.manager.rebuilds : 0;
  for (std::size_t i = 0; i != steps; ++i) {
    sweep = detail::max(sweep, events[i].sweep + (events[i].step == loop_step::rebuilt ? 1u : 0u));
  }
  double all = 0;
  for (const loop_of_sweep& l : log.loops) {
    all += l.sweep == sweep ? l.cycles : 0;
  }
  std::string text = "digraph loops {\n  node [shape=box, style=filled, fontname=\"sans-serif\"];\n";
  for (const loop_of_sweep& l : log.loops) {
    if (l.sweep != sweep) {
      continue;
    }
    loop_state state = loop_state::undefined;
    for (std::size_t i = 0; i != steps; ++i) {
      const loop_manager_event& e = events[i];
      if (e.header == l.header && (e.sweep == sweep || e.step == loop_step::finished)) {
        state = e.step == loop_step::listed    ? loop_state::processed
                : e.step == loop_step::changed ? loop_state::waiting
                                               : loop_state::closed;
      }
    }
    const auto width = nearest_number(10 + (all > 0 ? 50 * l.cycles / all : 0));
    text += "  n" + std::to_string(l.header) + " [label=";
    detail::append_dot_string(text, std::string(names.node(l.header)) + "\n" + detail::cycles_text(l.cycles) +
                                        " cycles\n" + std::string(to_text(state)));
    text += std::string(", fillcolor=\"") + detail::color_of(state) + "\", penwidth=" + std::to_string(width / 10) +
            "." + std::to_string(width % 10) + "];\n";
    if (l.parent != no_node) {
      text += "  n" + std::to_string(l.parent) + " -> n" + std::to_string(l.header) + ";\n";
    }
  }
  return text + "}\n";
}

MIDEND_END_NAMESPACE
