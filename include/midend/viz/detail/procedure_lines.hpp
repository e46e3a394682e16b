/// The text of a procedure, line by line.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/printer.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/graph/concepts.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// What `to_text` writes, so that a picture shows what the file says, names of what has none included: one line for the
/// head, for each variable, node and operation. Nodes that were erased have none.
class procedure_lines {
public:
  explicit procedure_lines(const elbrus::procedure& p) : text_(to_text(p)), nodes_(p.num_nodes()) {
    std::string_view rest = text_;
    head_ = next_line(rest);
    head_.remove_suffix(2); // the brace
    for (std::size_t i = 0; i != p.variables().size(); ++i) {
      next_line(rest);
    }
    for (node_id n = 0; n != p.num_nodes(); ++n) {
      if (!p.node(n).erased) {
        read_node(p, n, rest);
      }
    }
  }

  procedure_lines(const procedure_lines&) = delete; // it refers to its text
  procedure_lines& operator=(const procedure_lines&) = delete;

  /// The procedure without its body.
  std::string_view head() const { return head_; }

  std::string_view name(node_id n) const { return nodes_[n].name; }

  /// The number of operations of a node.
  std::size_t count(node_id n) const { return nodes_[n].count; }

  /// Operation `i` of a node.
  std::string_view line(node_id n, std::size_t i) const { return lines_[nodes_[n].first + i]; }

private:
  struct node_lines {
    std::string_view name;
    std::size_t first = 0;
    std::size_t count = 0;
  };

  static std::string_view next_line(std::string_view& rest) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    line.remove_prefix(line.find_first_not_of(' '));
    return line;
  }

  void read_node(const elbrus::procedure& p, node_id n, std::string_view& rest) {
    const std::string_view title = next_line(rest).substr(5); // behind `node `
    nodes_[n] = {title.substr(0, title.find_first_of(" :")), lines_.size(), 0};
    for (value_id v = p.node(n).first; v != no_value; v = p.value(v).next) {
      lines_.push_back(next_line(rest));
      ++nodes_[n].count;
    }
  }

  std::string text_;
  std::string_view head_;
  std::vector<node_lines> nodes_;
  std::vector<std::string_view> lines_;
};

} // namespace detail

MIDEND_END_NAMESPACE
