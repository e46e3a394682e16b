/// Names as in the program, for reports.
#pragma once

#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/graph/concepts.hpp>
#include <midend/ir/ssa_values.hpp>

#include <string>

namespace midend_tool {

/// What values and nodes of a procedure are called in its text; operations without a result have no name.
class program_names {
public:
  explicit program_names(const midend::elbrus::procedure& p) : procedure_(p), text_(p) {}

  std::string value(midend::value_id v) const {
    return procedure_.value(v).type == midend::elbrus::type::none ? std::string() : text_.value(v);
  }

  std::string node(midend::node_id n) const { return text_.node(n); }

private:
  const midend::elbrus::procedure& procedure_;
  mutable midend::elbrus::procedure_text text_;
};

} // namespace midend_tool
