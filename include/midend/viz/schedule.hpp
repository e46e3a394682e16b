/// Schedules in words and pictures: the kernel as a table, as text and as SVG; mistakes and explanations as sentences.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine_model.hpp"
#include "midend/schedule/explain_interval.hpp"
#include "midend/schedule/schedule.hpp"
#include "midend/schedule/simulate.hpp"
#include "midend/schedule/verify_schedule.hpp"
#include "midend/support/span.hpp"
#include "midend/viz/report.hpp"
#include "midend/viz/words.hpp"

#include <string>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

/// A phrase without full stop.
template <>
inline constexpr auto words_of<schedule_status> = word_table<schedule_status>({
    {schedule_status::attained, "attained"},
    {schedule_status::impossible,
     "the machine cannot issue some operation, or dependences within one pass have a cycle"},
    {schedule_status::infeasible, "proven infeasible"},
    {schedule_status::budget_exhausted, "the search exhausted its budget"},
    {schedule_status::interval_too_long, "no interval up to the limit was attained"},
    {schedule_status::too_many_registers, "each schedule needs more registers than the limit"},
    {schedule_status::too_many_stages, "each schedule has more stages than the limit"},
});

/// The enumerator's name.
constexpr std::string_view name_of(schedule_status s) {
  constexpr std::string_view names[] = {"attained",          "impossible",         "infeasible",     "budget_exhausted",
                                        "interval_too_long", "too_many_registers", "too_many_stages"};
  return names[static_cast<std::size_t>(s)];
}

/// The names of operations, by operation.
using operation_labels = std::vector<std::string>;

/// One sentence without full stop: the mistake, its operations and its cycle.
MIDEND_FUNCTION std::string to_text(const schedule_mistake& mistake, const machine_model& m,
                                    const operation_labels& labels);

/// One phrase without full stop: the infeasible operations, and the channels and resources that they need.
MIDEND_FUNCTION std::string to_text(const interval_explanation& e, const schedulable_body& body, const machine_model& m,
                                    const operation_labels& labels);

/// One sentence without full stop.
MIDEND_FUNCTION std::string to_text(const simulation& s, const operation_labels& labels);

/// The kernel of a schedule, or a straight line, as a table: a line for each cycle, a column for each channel, the
/// stage of each operation in brackets. Operations without a channel stand in the last column.
MIDEND_FUNCTION std::string schedule_text(const schedulable_body& body, const machine_model& m, const schedule& s,
                                          const operation_labels& labels);

/// The table as an SVG picture: channels across, cycles down, a colour for each stage. The operations of `cycle`,
/// positions of dependences as in `recurrence_bound_result`, are joined by arrows. Equal schedules give equal text.
MIDEND_FUNCTION std::string schedule_svg(const schedulable_body& body, const machine_model& m, const schedule& s,
                                         const operation_labels& labels, span<const std::uint32_t> cycle,
                                         std::string_view title);

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <std::size_t Capacity> std::string string_of(const short_text<Capacity>& text) {
  return {text.begin(), text.end()};
}

inline std::string channel_name(const machine_model& m, std::uint32_t channel) {
  return channel < m.num_channels() ? string_of(m.channel_names[channel])
         : channel == no_channel    ? std::string("no channel")
                                    : "channel " + std::to_string(channel);
}

inline std::string label_of(const operation_labels& labels, operation_id o) {
  return o < labels.size() && !labels[o].empty() ? labels[o] : "operation " + std::to_string(o);
}

/// The operations in each place of a table: by row, then channel; the last column has those without a channel.
inline std::vector<std::vector<operation_id>> places_of(const schedule& s, std::size_t rows, std::size_t channels) {
  std::vector<std::vector<operation_id>> places(rows * (channels + 1));
  for (operation_id o = 0; o != s.slots.size(); ++o) {
    const std::size_t channel = std::min<std::size_t>(s.slots[o].channel, channels);
    places[s.row(o) * (channels + 1) + channel].push_back(o);
  }
  return places;
}

inline std::size_t rows_of(const schedule& s) {
  std::size_t rows = s.interval;
  for (operation_id o = 0; s.interval == 0 && o != s.slots.size(); ++o) {
    rows = std::max<std::size_t>(rows, s.slots[o].cycle + std::size_t{1});
  }
  return rows;
}

} // namespace detail

MIDEND_FUNCTION std::string to_text(const schedule_mistake& mistake, const machine_model& m,
                                    const operation_labels& labels) {
  const std::string first = detail::label_of(labels, mistake.first);
  const std::string second = detail::label_of(labels, mistake.second);
  const std::string channel = detail::channel_name(m, mistake.channel);
  const std::string at = " in cycle " + std::to_string(mistake.cycle);
  switch (mistake.fault) {
  case schedule_fault::missing_operation:
    return first + " is not scheduled";
  case schedule_fault::too_many_slots:
    return "there are more slots than operations";
  case schedule_fault::missing_class:
    return "the machine cannot issue " + first;
  case schedule_fault::too_early:
    return second + " is issued" + at + ", " + std::to_string(mistake.missing) +
           (mistake.missing == 1 ? " cycle" : " cycles") + " before the result of " + first + " is available";
  case schedule_fault::missing_channel:
    return first + " takes a channel and has none";
  case schedule_fault::wrong_channel:
    return first + " cannot be issued on " + channel;
  case schedule_fault::blocks_itself:
    return first + " blocks " + channel + " for longer than the interval";
  case schedule_fault::channel_taken_twice:
    return first + " and " + second + " both need " + channel + at;
  case schedule_fault::resource_exceeded:
    return "the operations" + at + " use more of " +
           (mistake.resource < m.num_resources() ? detail::string_of(m.resources[mistake.resource].name)
                                                 : std::string("a resource")) +
           " than the machine has";
  case schedule_fault::excluded_pair:
    return first + " and " + second + " cannot both be issued" + at;
  case schedule_fault::wrong_stages:
    return "the number of stages is wrong";
  default:
    return "the length of a pass is wrong";
  }
}

MIDEND_FUNCTION std::string to_text(const interval_explanation& e, const schedulable_body& body, const machine_model& m,
                                    const operation_labels& labels) {
  if (!e.is_infeasible()) {
    return std::string(to_text(e.status));
  }
  std::string out;
  for (const operation_id o : e.operations) {
    out += (out.empty() ? "" : ", ") + detail::label_of(labels, o);
  }
  std::uint64_t latency = 0;
  std::uint64_t distance = 0;
  for (const std::uint32_t d : e.dependences) {
    latency += body.graph.dependences()[d].latency;
    distance += body.graph.dependences()[d].distance;
  }
  std::string needs;
  if (e.channels) {
    channel_set all = 0;
    for (const operation_id o : e.operations) {
      all |= m.channels(body.kind(o));
    }
    for (std::size_t c = 0; c != m.num_channels(); ++c) {
      if ((all >> c & 1) != 0) {
        needs += (needs.empty() ? ((all & (all - 1)) == 0 ? "channel " : "channels ") : " ") +
                 detail::string_of(m.channel_names[c]);
      }
    }
  }
  for (std::size_t r = 0; r != m.num_resources(); ++r) {
    if ((e.resources >> r & 1) != 0) {
      needs += (needs.empty() ? "" : " and ") + detail::string_of(m.resources[r].name);
    }
  }
  if (e.exclusions) {
    needs += needs.empty() ? "cycles that they cannot share" : " and cycles that they cannot share";
  }
  const bool is_cycle = needs.empty() && !e.dependences.empty();
  if (is_cycle) {
    return out + (e.operations.size() == 1 ? " waits for itself" : " wait for each other") + ": " +
           std::to_string(latency) + " cycles in " + std::to_string(distance) + (distance == 1 ? " pass" : " passes");
  }
  out += " need " + needs;
  return e.dependences.empty() ? out : out + " at times that their dependences do not allow";
}

MIDEND_FUNCTION std::string to_text(const simulation& s, const operation_labels& labels) {
  const std::string reader = s.reader == no_machine_operation ? "" : detail::label_of(labels, s.reader);
  const std::string producer = s.producer == no_machine_operation ? "a value" : detail::label_of(labels, s.producer);
  const std::string place = " in cycle " + std::to_string(s.cycle) + ", pass " + std::to_string(s.pass);
  switch (s.fault) {
  case simulation_fault::none:
    return std::to_string(s.cycles) + " cycles";
  case simulation_fault::calls:
    return "the body calls something";
  case simulation_fault::reads_too_early:
    return reader + place + " reads the register of " + producer + " before it is written";
  case simulation_fault::reads_unwritten:
    return reader + place + " reads the register of " + producer + ", which is not issued yet";
  case simulation_fault::effect_before_exit:
    return reader + place + " stores before an earlier exit is decided";
  case simulation_fault::without_meaning:
    return reader + place + " depends on an arbitrary value";
  case simulation_fault::leaves_too_early:
    return "control leaves before the last pass," + place.substr(place.find(',') + 1);
  default:
    return "control does not leave in the last pass";
  }
}

MIDEND_FUNCTION std::string schedule_text(const schedulable_body& body, const machine_model& m, const schedule& s,
                                          const operation_labels& labels) {
  const std::size_t rows = detail::rows_of(s);
  const std::size_t channels = m.num_channels();
  const auto places = detail::places_of(s, rows, channels);
  std::vector<std::vector<std::string>> cells(rows, std::vector<std::string>(channels + 2));
  bool has_others = false;
  for (std::size_t row = 0; row != rows; ++row) {
    cells[row][0] = std::to_string(row);
    for (std::size_t c = 0; c != channels + 1; ++c) {
      for (const operation_id o : places[row * (channels + 1) + c]) {
        std::string& cell = cells[row][c + 1];
        cell += (cell.empty() ? "" : "; ") + detail::label_of(labels, o);
        cell += s.interval == 0 ? "" : " [" + std::to_string(s.stage(o)) + "]";
        has_others = has_others || c == channels;
      }
    }
    // The cycles for which an operation blocks its channel.
    for (operation_id o = 0; o != s.slots.size(); ++o) {
      const std::uint32_t occupancy = m.channels(body.kind(o)) == 0 ? 0 : m.occupancy(body.kind(o));
      const std::size_t after =
          s.interval == 0 ? row - std::min<std::size_t>(row, s.slots[o].cycle) : (row + rows - s.row(o)) % rows;
      if (s.slots[o].channel < channels && after != 0 && after < occupancy && row >= (s.interval == 0 ? s.row(o) : 0)) {
        std::string& cell = cells[row][s.slots[o].channel + std::size_t{1}];
        cell = cell.empty() ? "|" : cell;
      }
    }
  }
  report_table table;
  table.columns.push_back({.title = "cycle", .is_right = true});
  for (std::size_t c = 0; c != channels; ++c) {
    table.columns.push_back({.title = detail::string_of(m.channel_names[c])});
  }
  table.columns.push_back({.title = has_others ? "others" : ""});
  for (const std::vector<std::string>& row : cells) {
    table.rows.emplace_back(row.begin(), row.end());
  }
  return to_text(table);
}

MIDEND_FUNCTION std::string schedule_svg(const schedulable_body& body, const machine_model& m, const schedule& s,
                                         const operation_labels& labels, span<const std::uint32_t> cycle,
                                         std::string_view title) {
  static constexpr std::array<const char*, 8> colors = {"#cfe2f3", "#fce5cd", "#d9ead3", "#ead1dc",
                                                        "#fff2cc", "#d0e0e3", "#d9d2e9", "#f4cccc"};
  constexpr std::size_t cell_width = 132;
  constexpr std::size_t cell_height = 28;
  constexpr std::size_t left = 52;
  constexpr std::size_t top = 62;
  const std::size_t rows = detail::rows_of(s);
  const std::size_t channels = m.num_channels();
  const auto places = detail::places_of(s, rows, channels);
  std::size_t most_others = 0; // in one row
  for (std::size_t row = 0; row != rows; ++row) {
    most_others = std::max(most_others, places[row * (channels + 1) + channels].size());
  }
  const std::size_t columns = channels + most_others;
  const std::size_t width = left + columns * cell_width + 20;
  const std::size_t height = top + rows * cell_height + 40;
  const auto number = [](std::size_t n) { return std::to_string(n); };
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width) + " " + number(height) +
                    "\" font-family=\"sans-serif\" font-size=\"11\" fill=\"#333\">\n<rect width=\"" + number(width) +
                    "\" height=\"" + number(height) + "\" fill=\"white\"/>\n";
  const auto text = [&](std::size_t x, std::size_t y, std::string_view anchor, std::string_view words,
                        std::string_view more = "") {
    out += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + std::string(anchor) + "\"" +
           std::string(more) + ">" + detail::xml_text(words) + "</text>\n";
  };
  text(left, 22, "start", title, " font-size=\"14\"");
  for (std::size_t c = 0; c != columns; ++c) {
    text(left + c * cell_width + cell_width / 2, top - 8, "middle",
         c < channels ? detail::string_of(m.channel_names[c]) : std::string("no channel"));
  }
  std::vector<std::size_t> x(s.slots.size(), 0);
  std::vector<std::size_t> y(s.slots.size(), 0);
  for (std::size_t row = 0; row != rows; ++row) {
    text(left - 8, top + row * cell_height + 18, "end", number(row));
    for (std::size_t c = 0; c != columns; ++c) {
      out += "<rect x=\"" + number(left + c * cell_width) + "\" y=\"" + number(top + row * cell_height) +
             "\" width=\"" + number(cell_width) + "\" height=\"" + number(cell_height) +
             "\" fill=\"none\" stroke=\"#ddd\"/>\n";
    }
  }
  for (std::size_t place = 0; place != places.size(); ++place) {
    const std::size_t row = place / (channels + 1);
    std::size_t column = place % (channels + 1);
    for (const operation_id o : places[place]) {
      x[o] = left + column * cell_width;
      y[o] = top + row * cell_height;
      const std::uint32_t occupancy = m.channels(body.kind(o)) == 0 ? 1 : std::max(m.occupancy(body.kind(o)), 1U);
      for (std::uint32_t k = 0; k != occupancy && (s.interval != 0 || row + k < rows); ++k) {
        out += "<rect x=\"" + number(x[o] + 1) + "\" y=\"" + number(top + (row + k) % rows * cell_height + 1) +
               "\" width=\"" + number(cell_width - 2) + "\" height=\"" + number(cell_height - 2) +
               "\" rx=\"3\" fill=\"" + colors[s.stage(o) % colors.size()] + "\"/>\n";
      }
      std::string label = detail::label_of(labels, o);
      label = label.size() > 18 ? label.substr(0, 17) + "~" : label;
      text(x[o] + 6, y[o] + 18, "start", label);
      if (s.interval != 0) {
        text(x[o] + cell_width - 6, y[o] + 18, "end", number(s.stage(o)), " fill=\"#777\"");
      }
      column += column >= channels ? 1 : 0;
    }
  }
  out += "<defs><marker id=\"head\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" orient=\"auto\">"
         "<path d=\"M0,0 L8,4 L0,8 z\" fill=\"#d1495b\"/></marker></defs>\n";
  for (const std::uint32_t d : cycle) {
    const operation_dependence& e = body.graph.dependences()[d];
    const std::size_t x1 = x[e.producer] + cell_width / 2;
    const std::size_t x2 = x[e.consumer] + cell_width / 2;
    const std::size_t y1 = y[e.producer] + cell_height - 5;
    const std::size_t y2 = y[e.consumer] + (e.producer == e.consumer ? cell_height - 5 : 5);
    out += "<path d=\"M" + number(x1) + "," + number(y1) + " C" + number(x1 + 40) + "," + number(y1 + 14) + " " +
           number(x2 + 40) + "," + number(y2 + (y2 > y1 ? 0 : 14)) + " " + number(x2) + "," + number(y2) +
           "\" fill=\"none\" stroke=\"#d1495b\" stroke-width=\"1.5\" marker-end=\"url(#head)\"/>\n";
  }
  const std::size_t stages = s.interval == 0 ? 0 : s.stages;
  for (std::size_t stage = 0; stage != std::min<std::size_t>(stages, 12); ++stage) {
    const std::size_t at = left + stage * 70;
    out += "<rect x=\"" + number(at) + "\" y=\"" + number(height - 26) +
           "\" width=\"14\" height=\"14\" rx=\"3\" fill=\"" + colors[stage % colors.size()] + "\"/>\n";
    text(at + 19, height - 15, "start", "stage " + number(stage));
  }
  return out + "</svg>\n";
}

MIDEND_END_NAMESPACE

#endif
