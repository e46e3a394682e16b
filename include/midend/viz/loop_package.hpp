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

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

constexpr std::string_view to_text(loop_package_refusal_reason r) {
  switch (r) {
    using enum loop_package_refusal_reason;
  case no_gain:
    return "no change is profitable";
  case no_room:
    return "a change is profitable, but exceeds the limit on growth";
  case too_large:
    return "it is too large to try";
  default:
    return "an equal loop was tried before";
  }
}

constexpr std::string_view to_text(loop_state s) {
  switch (s) {
    using enum loop_state;
  case undefined:
    return "undefined";
  case processed:
    return "processed";
  case waiting:
    return "waiting";
  default:
    return "closed";
  }
}

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

inline void fill(std::string& line, std::size_t width) {
  while (line.size() < width) {
    line += ' ';
  }
  line += "  ";
}

} // namespace detail

/// One line: n, r, cycles, growth and number of trials.
inline std::string summary_text(const loop_package_log& log) {
  std::string text = std::to_string(log.manager.changes);
  text += log.manager.changes == 1 ? " change" : " changes";
  if (log.manager.rebuilds != 0) {
    text += " in " + std::to_string(log.manager.rebuilds);
    text += log.manager.rebuilds == 1 ? " rebuild" : " rebuilds";
  }
  text += "; cycles " + detail::cycles_text(log.cycles_before) + " -> " + detail::cycles_text(log.cycles_after);
  text += "; operations " + std::to_string(log.size_before) + " -> " + std::to_string(log.size_after) + " (at most " +
          std::to_string(log.max_size) + ", " + std::to_string(log.largest_size) + " in between)";
  text += "; " + std::to_string(log.trials) + (log.trials == 1 ? " trial" : " trials");
  if (log.vetoes() != 0) {
    text += ", " + std::to_string(log.vetoes()) + " without room";
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

namespace detail {

template <class Names>
std::string decided_change_text(const decided_loop_change& c, const Names& names, std::string_view member) {
  std::string line = "sweep " + std::to_string(c.sweep);
  fill(line, 8);
  line += std::string(names.node(c.change.header));
  fill(line, 24);
  line += change_text(c.change, member);
  fill(line, 66);
  line += "cycles " + cycles_text(c.cycles_before) + " -> " + cycles_text(c.cycles_after);
  fill(line, 92);
  line += "operations " + std::to_string(c.size_before) + " -> " + std::to_string(c.size_after);
  if (c.growth() != 0) {
    line += ", room for " + std::to_string(c.room);
  }
  return line;
}

} // namespace detail

/// A line for each change: sweep, loop, member, cycles of the loop each time that it is entered, and its operations
/// with those of its copies, and by how many it may grow. Then the same for profitable changes that grow by more.
/// `names.node(n)` gives the name of a node; `member_name(i)` that of a member.
template <class Names, class MemberName>
std::string to_text(const loop_package_log& log, const Names& names, MemberName member_name) {
  std::string text;
  for (const decided_loop_change& c : log.changes) {
    text += detail::decided_change_text(c, names, member_name(c.change.member));
    text += c.is_applied ? "\n" : "  failed on the procedure\n";
  }
  for (const decided_loop_change& c : log.vetoed) {
    text += detail::decided_change_text(c, names, member_name(c.change.member)) + "  vetoed\n";
  }
  return text;
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
