/// Names for recorded changes.
#pragma once

#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/graph/concepts.hpp>
#include <midend/ir/ids.hpp>

#include <string>
#include <vector>

namespace midend_tool {

/// What values, nodes and edges are called in the texts of a procedure before and after a change. What came and went in
/// between has a number.
class edit_names {
public:
  edit_names(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after);

  std::string value(midend::value_id v) const;

  std::string node(midend::node_id n) const;

  /// `the edge from entry`.
  std::string edge(midend::edge_id e) const;

private:
  /// One of the two texts.
  struct version {
    explicit version(const midend::elbrus::procedure& of);

    bool has_value(midend::value_id v) const { return v < shown.size() && shown[v]; }

    bool has_node(midend::node_id n) const { return n < procedure.num_nodes() && !procedure.node(n).erased; }

    /// A value that is in the text: as an operand, or, without a result, the whole operation.
    std::string value(midend::value_id v) const;

    const midend::elbrus::procedure& procedure;
    mutable midend::elbrus::procedure_text text;
    std::vector<bool> shown; ///< by value
  };

  version before_;
  version after_;
};

} // namespace midend_tool
