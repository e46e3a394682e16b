/// Reports: labelled rows and a table, printed as text, JSON or HTML.
#pragma once

#include "midend/config.hpp"
#include "midend/support/display_text.hpp"
#include "midend/support/fraction.hpp"
#include "midend/viz/words.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

/// An entry of a report: nothing, words, a whole number or a fraction. It knows its text and its JSON.
class report_value {
public:
  /// Nothing: `-` in text, null in JSON.
  report_value() : text_("-"), json_("null") {}

  report_value(std::string words);

  report_value(const char* words) : report_value(std::string(words)) {}

  report_value(std::string_view words) : report_value(std::string(words)) {}

  template <std::unsigned_integral N> report_value(N number) : text_(detail::number_text(number)), json_(text_) {}

  /// `9/4` in text, `{"exact": "9/4", "value": 2.25}` in JSON.
  report_value(const fraction& f);

  /// The same value with other text.
  report_value as(std::string text) const {
    report_value copy = *this;
    copy.text_ = std::move(text);
    return copy;
  }

  const std::string& text() const { return text_; }

  const std::string& json() const { return json_; }

private:
  std::string text_;
  std::string json_;
};

/// A column of a table.
struct report_column {
  std::string key{};           ///< its name in JSON; a column without one is only in text and HTML
  std::string title{};         ///< in text and HTML
  bool is_right = false;       ///< aligned on the right
  std::size_t least_width = 0; ///< in text
};

/// A table. Rows may be shorter than the columns: the rest is empty.
struct report_table {
  std::vector<report_column> columns;
  std::vector<std::vector<report_value>> rows;
};

/// A label with one line or several.
struct report_row {
  std::string key;   ///< its name in JSON
  std::string label; ///< in text and HTML
  std::vector<report_value> lines;
  bool is_list = false; ///< in JSON, a list of any length
};

/// A heading, rows, and a table.
struct report {
  std::string heading;
  std::vector<report_row> rows;
  std::string table_key; ///< the name of the table in JSON
  report_table table;    ///< empty if it has no columns

  /// Adds a row of one line.
  void add(std::string key, std::string label, report_value line);

  /// Adds a row of several lines. In text, a row without lines is left out.
  void add_list(std::string key, std::string label, std::vector<std::string> lines);
};

/// A table in text: the titles, unless all are empty, and the rows, each indented and without spaces at its end.
/// Columns are as wide as their longest entry, and two spaces apart. Requires that each character takes one byte.
MIDEND_COLD MIDEND_FUNCTION std::string to_text(const report_table& table, std::size_t indentation = 0);

/// A report in text: the heading, a line for each row, the table.
MIDEND_COLD MIDEND_FUNCTION std::string to_text(const report& r);

/// A list of objects, one for each row, with the keys of the columns. Columns without a key are left out.
MIDEND_COLD MIDEND_FUNCTION std::string to_json(const report_table& table);

/// One object: `heading`, then a member for each row, then the table.
MIDEND_COLD MIDEND_FUNCTION std::string to_json(const report& r);

/// A `<table>` of HTML. All text is escaped.
MIDEND_COLD MIDEND_FUNCTION std::string to_html(const report_table& table);

/// A heading `<h3>`, a `<dl>` of the rows, a `<table>`. All text is escaped.
MIDEND_COLD MIDEND_FUNCTION std::string to_html(const report& r);

namespace detail {

/// Text between tags or double quotes of XML, HTML and SVG. Control characters become spaces.
MIDEND_COLD MIDEND_FUNCTION std::string xml_text(std::string_view text);

/// `2 preheaders, 1 single latch; refused: 1 loop (it has no preheader)`: counts that are not 0.
class plan_counts {
public:
  /// `nothing`: the words if nothing is done.
  explicit plan_counts(std::string_view nothing) : nothing_(nothing) {}

  plan_counts& done(std::size_t count, std::string_view what) {
    if (count != 0) {
      add(done_, counted_text(count, what));
    }
    return *this;
  }

  plan_counts& refused(std::size_t count, std::string_view what, std::string_view why) {
    if (count != 0) {
      add(refused_, joined({counted_text(count, what), " (", why, ")"}));
    }
    return *this;
  }

  /// Counts by reason, in the order of the table of words. An entry has a `why`, or an `obstacle`, whose
  /// first enumerator means none.
  template <class Refusals> plan_counts& refused(const Refusals& all, std::string_view what) {
    return refused(all, what, [](const auto&) { return true; });
  }

  /// Counts those entries for which `counts(entry)`.
  template <class Refusals, class Counts>
    requires std::predicate<Counts, decltype(*std::declval<const Refusals&>().begin())>
  plan_counts& refused(const Refusals& all, std::string_view what, Counts counts) {
    constexpr bool has_why = requires { all.begin()->why; };
    const auto reason_of = [](const auto& r) {
      if constexpr (has_why) {
        return r.why;
      } else {
        return r.obstacle;
      }
    };
    using reason = decltype(reason_of(*all.begin()));
    for (const auto& [enumerator, words] : words_of<reason>) {
      if (!has_why && static_cast<std::size_t>(enumerator) == 0) {
        continue;
      }
      std::size_t count = 0;
      for (const auto& r : all) {
        count += reason_of(r) == enumerator && counts(r) ? 1u : 0u;
      }
      refused(count, what, words);
    }
    return *this;
  }

  std::string text() const {
    return joined({done_.empty() ? nothing_ : done_, refused_.empty() ? "" : "; refused: ", refused_});
  }

private:
  static void add(std::string& out, std::string_view more) {
    out += out.empty() ? "" : ", ";
    out += more;
  }

  std::string_view nothing_;
  std::string done_;
  std::string refused_;
};

} // namespace detail

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include <algorithm>
#include <array>
#include <charconv>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Quotes text for JSON. Bytes that are no UTF-8, and characters that change how their surroundings are displayed, are
/// written as `\xff`.
inline std::string json_text(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out = "\"";
  for (std::size_t i = 0; i != text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = displayed_length({text.data(), text.size()}, i);
    if (text[i] == '"' || text[i] == '\\') {
      out += '\\';
    }
    if (length != 0) {
      out += text.substr(i, length);
    } else {
      const std::string_view escape = byte < 0x20 ? "\\u00" : "\\\\x";
      out += joined({escape, std::string_view(&digits[byte / 16], 1), std::string_view(&digits[byte % 16], 1)});
    }
    i += length == 0 ? 1 : length;
  }
  return out + '"';
}

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : is_control ? " " : std::string_view(&c, 1);
  }
  return out;
}

/// `"key": value`, after a comma unless it is the first one.
inline void add_member(std::string& out, std::string_view key, std::string_view value) {
  out += joined({out.back() == '{' ? "" : ", ", json_text(key), ": ", value});
}

} // namespace detail

MIDEND_FUNCTION report_value::report_value(std::string words)
    : text_(std::move(words)), json_(detail::json_text(text_)) {}

MIDEND_FUNCTION report_value::report_value(const fraction& f) : text_(exact_text(f)) {
  std::array<char, 32> digits{};
  const double number = static_cast<double>(f.numerator()) / static_cast<double>(f.denominator());
  const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  const std::string_view value(digits.data(), end);
  const bool is_whole = value.find_first_of(".e") == std::string_view::npos;
  json_ = detail::joined({"{\"exact\": ", detail::json_text(text_), ", \"value\": ", value, is_whole ? ".0}" : "}"});
}

MIDEND_FUNCTION void report::add(std::string key, std::string label, report_value line) {
  rows.push_back({std::move(key), std::move(label), {std::move(line)}, false});
}

MIDEND_FUNCTION void report::add_list(std::string key, std::string label, std::vector<std::string> lines) {
  report_row row{std::move(key), std::move(label), {}, true};
  for (std::string& line : lines) {
    row.lines.emplace_back(std::move(line));
  }
  rows.push_back(std::move(row));
}

std::string to_text(const report_table& table, std::size_t indentation) {
  const auto entry = [&](const std::vector<report_value>& row, std::size_t c) {
    return c < row.size() ? std::string_view(row[c].text()) : std::string_view();
  };
  std::vector<std::size_t> widths;
  bool has_titles = false;
  for (std::size_t c = 0; c != table.columns.size(); ++c) {
    const report_column& column = table.columns[c];
    has_titles = has_titles || !column.title.empty();
    widths.push_back(std::max(column.least_width, column.title.size()));
    for (const std::vector<report_value>& row : table.rows) {
      widths[c] = std::max(widths[c], entry(row, c).size());
    }
  }
  std::string out;
  const auto add_line = [&](auto text_of) {
    std::string line(indentation, ' ');
    for (std::size_t c = 0; c != widths.size(); ++c) {
      const std::string_view text = text_of(c);
      const std::string fill(widths[c] - text.size(), ' ');
      const bool is_right = table.columns[c].is_right;
      line += detail::joined({c == 0 ? "" : "  ", is_right ? fill : "", text, is_right ? "" : fill});
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += detail::joined({line, "\n"});
  };
  if (has_titles) {
    add_line([&](std::size_t c) { return std::string_view(table.columns[c].title); });
  }
  for (const std::vector<report_value>& row : table.rows) {
    add_line([&](std::size_t c) { return entry(row, c); });
  }
  return out;
}

std::string to_text(const report& r) {
  constexpr std::size_t width = 12;
  std::string out = detail::joined({r.heading, "\n"});
  for (const report_row& row : r.rows) {
    std::string label = row.label;
    for (const report_value& line : row.lines) {
      label.resize(std::max(width, label.size() + 1), ' ');
      out += detail::joined({"  ", label, line.text(), "\n"});
      label.clear();
    }
  }
  return out + to_text(r.table, 4);
}

std::string to_json(const report_table& table) {
  std::string out = "[";
  for (const std::vector<report_value>& row : table.rows) {
    std::string object = "{";
    for (std::size_t c = 0; c != table.columns.size(); ++c) {
      if (!table.columns[c].key.empty()) {
        detail::add_member(object, table.columns[c].key, c < row.size() ? row[c].json() : "null");
      }
    }
    out += detail::joined({out.size() == 1 ? "" : ", ", object, "}"});
  }
  return out + ']';
}

std::string to_json(const report& r) {
  std::string out = "{";
  detail::add_member(out, "heading", detail::json_text(r.heading));
  for (const report_row& row : r.rows) {
    std::string value;
    for (const report_value& line : row.lines) {
      value += detail::joined({value.empty() ? "" : ", ", line.json()});
    }
    detail::add_member(out, row.key, row.is_list ? detail::joined({"[", value, "]"}) : value);
  }
  if (!r.table.columns.empty()) {
    detail::add_member(out, r.table_key, to_json(r.table));
  }
  return out + '}';
}

std::string to_html(const report_table& table) {
  std::string out = "<table>\n<tr>";
  for (const report_column& column : table.columns) {
    out += detail::joined({"<th>", detail::xml_text(column.title), "</th>"});
  }
  out += "</tr>\n";
  for (const std::vector<report_value>& row : table.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c != table.columns.size(); ++c) {
      const std::string text = c < row.size() ? detail::xml_text(row[c].text()) : std::string();
      out += detail::joined({table.columns[c].is_right ? "<td align=\"right\">" : "<td>", text, "</td>"});
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

std::string to_html(const report& r) {
  std::string out = detail::joined({"<h3>", detail::xml_text(r.heading), "</h3>\n<dl>\n"});
  for (const report_row& row : r.rows) {
    out += row.lines.empty() ? std::string() : detail::joined({"<dt>", detail::xml_text(row.label), "</dt>"});
    for (const report_value& line : row.lines) {
      out += detail::joined({"<dd>", detail::xml_text(line.text()), "</dd>"});
    }
    out += row.lines.empty() ? "" : "\n";
  }
  out += "</dl>\n";
  return r.table.columns.empty() ? out : out + to_html(r.table);
}

MIDEND_END_NAMESPACE

#endif
