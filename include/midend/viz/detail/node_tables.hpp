/// The table that a node of a procedure is in a picture.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/text/printer.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/viz/detail/dot_text.hpp"
#include "midend/viz/detail/heat_scale.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// What the picture of a procedure shows.
struct picture_options {
  std::string_view title = {}; ///< the head of the procedure, if empty
  std::string_view font = "Helvetica";
  std::string_view code_font = "DejaVu Sans Mono";
  bool loops = true;                ///< a box around each loop
  bool operations = true;           ///< what stands in the nodes
  std::size_t most_operations = 40; ///< of a node; of more, the first and the last
  std::size_t longest_line = 88;    ///< characters of an operation
};

} // namespace elbrus

namespace detail {

inline constexpr std::string_view picture_line_color = "#4a5560";
inline constexpr std::string_view picture_pale_color = "#a0a8b0";

/// Writes labels in Graphviz' subset of HTML: a title, phis, other operations. Refers to what it is made of.
class node_tables {
public:
  node_tables(const elbrus::procedure& p, const elbrus::picture_options& options, const heat_scale& heat,
              elbrus::procedure_text& text)
      : p_(p), options_(options), heat_(heat), text_(text) {}

  void append(std::string& out, node_id n, bool reachable) const {
    out += n == p_.entry() ? "<table border=\"2\" color=\"#2f7d4f\"" : "<table border=\"1\" color=\"";
    if (n != p_.entry()) {
      out += reachable ? picture_line_color : picture_pale_color;
      out += reachable ? "\"" : "\" style=\"dashed\"";
    }
    out += " cellborder=\"0\" cellspacing=\"0\" cellpadding=\"4\">";
    title(out, n, reachable);
    if (options_.operations) {
      operations(out, n, reachable);
    }
    out += "</table>";
  }

private:
  void title(std::string& out, node_id n, bool reachable) const {
    const elbrus::node_record& record = p_.node(n);
    const bool counted = record.count != elbrus::no_count;
    out += "<tr><td align=\"left\" bgcolor=\"";
    out += reachable && counted ? heat_.color(static_cast<double>(record.count)) : "#eceff1";
    out += "\"><font color=\"";
    out += reachable ? "#000000" : picture_pale_color;
    out += "\"><b>";
    append_html(out, text_.node(n));
    out += "</b></font>";
    if (counted) {
      small(out, "× ");
      append_number(out, record.count);
      out += "</font>";
    }
    hint(out, record.hint);
    out += "</td></tr>";
  }

  static void small(std::string& out, std::string_view words) {
    out += "<font point-size=\"9\" color=\"#404850\">  ";
    out += words;
  }

  static void hint(std::string& out, const elbrus::trip_hint& hint) {
    const auto say = [&out](std::string_view what, std::uint64_t value) {
      if (value != 0) {
        small(out, what);
        append_number(out, value);
        out += "</font>";
      }
    };
    say("trip ≈ ", hint.average);
    say("trip ≤ ", hint.maximum);
    say("trip a multiple of ", hint.multiple);
  }

  void operations(std::string& out, node_id n, bool reachable) const {
    std::string phis;
    std::string others;
    const std::size_t count = number_of_operations(n);
    const std::size_t shown = options_.most_operations == 0 ? 1 : options_.most_operations; // the last one in any case
    const std::size_t left_out = count <= shown ? 0 : count - shown;
    std::size_t number = 0;
    for (const value_id v : p_.values(n)) {
      ++number;
      if (number != count && number + left_out >= count) {
        continue; // those before the last one
      }
      if (number == count && left_out != 0) {
        line(others, "… " + std::to_string(left_out) + " more");
      }
      line(p_.is_phi(v) && number != count ? phis : others, text_.operation(v));
    }
    cell(out, phis, reachable ? "#f1ecf8" : "#ffffff", reachable);
    cell(out, others, "#ffffff", reachable);
  }

  std::size_t number_of_operations(node_id n) const {
    std::size_t count = 0;
    for (value_id v = p_.node(n).first; v != no_value; v = p_.value(v).next) {
      ++count;
    }
    return count;
  }

  static void append_html(std::string& text, std::string_view words) {
    for (const char c : words) {
      switch (c) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '>':
        text += "&gt;";
        break;
      default:
        text += c;
      }
    }
  }

  void line(std::string& lines, std::string_view words) const {
    const bool too_long = words.size() > options_.longest_line;
    append_html(lines, words.substr(0, options_.longest_line));
    lines += too_long ? " …<br align=\"left\"/>" : "<br align=\"left\"/>";
  }

  void cell(std::string& out, std::string_view lines, std::string_view background, bool reachable) const {
    if (lines.empty()) {
      return;
    }
    out += "<tr><td align=\"left\" balign=\"left\" bgcolor=\"";
    out += background;
    out += "\"><font face=\"";
    out += options_.code_font;
    out += "\" point-size=\"9\" color=\"";
    out += reachable ? std::string_view("#101418") : picture_pale_color;
    out += "\">";
    out += lines;
    out += "</font></td></tr>";
  }

  const elbrus::procedure& p_;
  const elbrus::picture_options& options_;
  const heat_scale& heat_;
  elbrus::procedure_text& text_;
};

} // namespace detail

MIDEND_END_NAMESPACE
