/// Solutions of dataflow problems as a table in plain text, or in the DOT language.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/cursor.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/problem.hpp"
#include "midend/dataflow/solution.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/viz/detail/dot_text.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

/// The default names of nodes, statements, and parts of facts (members of a set, keys of a map): their numbers. To
/// change some, derive from it, or pass a type with these three members.
struct numbered_names {
  std::string node(node_id n) const { return with_number("block ", n); }

  std::string statement(statement_id s) const { return with_number("s", s); }

  std::string part(std::uint32_t p) const { return with_number("", p); }

private:
  static std::string with_number(std::string text, std::uint32_t number) {
    detail::append_number(text, number);
    return text;
  }
};

/// `node(n)`, `statement(s)` and `part(p)` convert to `std::string_view`.
template <class Names>
concept solution_names = requires(const Names& names, std::uint32_t number) {
  { names.node(number) } -> std::convertible_to<std::string_view>;
  { names.statement(number) } -> std::convertible_to<std::string_view>;
  { names.part(number) } -> std::convertible_to<std::string_view>;
};

namespace detail {

MIDEND_REQUIRED(solution_names,
                "the names of a table need `node(n)`, `statement(s)` and `part(p)`, each const, which return "
                "what converts to std::string_view; derive from midend::numbered_names to change one of them");

template <class Names>
concept solution_names_argument = solution_names<Names> || solution_names_row::explain<Names>();

struct printable_problem_contract : contract<problem_contract, facts_row<printable_lattice_contract>> {};

template <class P>
concept printable_problem_argument = printable_problem_contract::fits<P> || printable_problem_contract::explain<P>();

template <class P, class Names> class solution_writer {
public:
  using lattice_type = lattice_of<P>;
  using fact = fact_of<P>;

  solution_writer(const P& problem, const solution<fact>& facts, const Names& names)
      : problem_(problem), lattice_(problem.lattice()), facts_(facts), names_(names) {}

  /// The lines of a node: its fact at the start, what each statement changes, its fact at the end.
  std::vector<std::string> lines_of(node_id n) {
    if (!facts_.is_reached(n)) {
      return {"not reached"};
    }
    std::vector<std::string> lines;
    width_ = 3; // of "out"
    if constexpr (has_statement_transfer<P>) {
      append_statements(n, lines);
    }
    lines.insert(lines.begin(), columns("in", words_for(facts_.in(n))));
    lines.push_back(columns("out", words_for(facts_.out(n))));
    return lines;
  }

private:
  static constexpr bool is_forward = P::direction == flow_direction::forward;

  void append_statements(node_id n, std::vector<std::string>& lines) {
    fact_cursor<P> cursor(problem_, facts_);
    const std::size_t count = cursor.statements(n).size();
    for (const statement_id s : cursor.statements(n)) {
      const std::size_t width = std::string_view(names_.statement(s)).size();
      width_ = width > width_ ? width : width_;
    }
    lines.resize(count);
    for (std::size_t i = 0; i != count; ++i) {
      const std::size_t index = is_forward ? i : count - 1 - i; // as the cursor walks
      const fact incoming = is_forward ? cursor.before(n, index) : cursor.after(n, index);
      const fact& outgoing = is_forward ? cursor.after(n, index) : cursor.before(n, index);
      lines[index] = columns(names_.statement(cursor.statements(n)[index]), changes(incoming, outgoing));
    }
  }

  /// Each part that differs, as `part: before -> after`, or `part: before <- after` if facts flow backward.
  std::string changes(const fact& incoming, const fact& outgoing) const {
    std::string text;
    if constexpr (has_explain_difference<lattice_type>) {
      lattice_.explain_difference(incoming, outgoing, [&](std::uint32_t part, order_relation) {
        text += text.empty() ? "" : ", ";
        text += std::string_view(names_.part(part));
        if constexpr (has_print_part<lattice_type>) {
          text += ": " + arrow(part_of(incoming, part), part_of(outgoing, part));
        }
      });
    } else if (compare(lattice_, incoming, outgoing) != order_relation::equal) {
      text = arrow(words_for(incoming), words_for(outgoing));
    }
    return text;
  }

  static std::string arrow(const std::string& incoming, const std::string& outgoing) {
    return is_forward ? incoming + " -> " + outgoing : outgoing + " <- " + incoming;
  }

  std::string part_of(const fact& f, std::uint32_t part) const {
    text_buffer buffer;
    lattice_.print_part(buffer, f, part);
    return std::string(buffer.data(), buffer.size());
  }

  std::string words_for(const fact& f) const {
    text_buffer buffer;
    lattice_.print(buffer, f);
    return std::string(buffer.data(), buffer.size());
  }

  std::string columns(std::string_view left, std::string_view right) const {
    std::string line(left);
    if (!right.empty()) {
      line.append(width_ + 2 - line.size(), ' ');
      line += right;
    }
    return line;
  }

  const P& problem_;
  decltype(std::declval<const P&>().lattice()) lattice_;
  const solution<fact>& facts_;
  const Names& names_;
  std::size_t width_ = 0; ///< of the first column
};

/// Left-aligned lines as a quoted string of the DOT language.
inline void append_dot_lines(std::string& out, const std::vector<std::string>& lines) {
  out += '"';
  for (const std::string& line : lines) {
    std::string quoted;
    append_dot_string(quoted, line);
    out += std::string_view(quoted).substr(1, quoted.size() - 2);
    out += "\\l";
  }
  out += '"';
}

} // namespace detail

/// The facts as a table: for each node its fact at the start, the statements with what each *changes*, and its fact at
/// the end, in program order.
///
///     block 1
///       in   {0: 5}
///       s3   1: bottom -> 7
///       out  {0: 5, 1: 7}
///
/// The change of a statement is shown part by part if the lattice has `explain_difference`, else as the whole facts
/// before and after. If facts flow backward, arrows point backward: `x: out <- in` for a statement that defines a live
/// variable. Requires a lattice with `print`.
template <detail::printable_problem_argument P, class Fact, detail::solution_names_argument Names = numbered_names>
std::string to_table(const P& problem, const solution<Fact>& facts, const Names& names = {}) {
  static_assert(detail::facts_of_argument<Fact, P>);
  detail::solution_writer<P, Names> writer(problem, facts, names);
  std::string out;
  for (node_id n = 0; n != facts.num_nodes(); ++n) {
    out += std::string_view(names.node(n));
    out += '\n';
    for (const std::string& line : writer.lines_of(n)) {
      out += "  " + line + '\n';
    }
  }
  return out;
}

/// The table as a graph in the DOT language, where a node shows its part of the table. Nodes that flow does not reach,
/// and their edges, are grey.
template <flow_graph_argument G, detail::printable_problem_argument P, class Fact,
          detail::solution_names_argument Names = numbered_names>
std::string to_dot(const G& g, const P& problem, const solution<Fact>& facts, const Names& names = {}) {
  static_assert(detail::facts_of_argument<Fact, P>);
  MIDEND_ASSERT(facts.num_nodes() == g.num_nodes(), "a solution over this graph", facts.num_nodes(), g.num_nodes());
  detail::solution_writer<P, Names> writer(problem, facts, names);
  std::string out = "digraph {\n  node [shape=\"box\", fontname=\"monospace\"];\n";
  const auto name_of = [](node_id n) {
    std::string name = "n";
    detail::append_number(name, n);
    return name;
  };
  for (node_id n = 0; n != facts.num_nodes(); ++n) {
    std::vector<std::string> lines = writer.lines_of(n);
    lines.insert(lines.begin(), std::string(std::string_view(names.node(n))));
    const std::string_view color = facts.is_reached(n) ? "" : ", color=\"gray\", fontcolor=\"gray\"";
    out += "  " + name_of(n) + " [label=";
    detail::append_dot_lines(out, lines);
    out += color;
    out += "];\n";
    auto&& successors = g.successors(n);
    const auto last = std::end(successors);
    for (auto it = std::begin(successors); it != last; ++it) {
      out += "  " + name_of(n) + " -> " + name_of(static_cast<node_id>(*it));
      out += facts.is_reached(n) ? ";\n" : " [color=\"gray\"];\n";
    }
  }
  return out + "}\n";
}

MIDEND_END_NAMESPACE
