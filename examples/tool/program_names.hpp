/// Names as in the program, for reports.
#pragma once

#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/records.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/type.hpp>
#include <midend/graph/concepts.hpp>
#include <midend/ir/ids.hpp>
#include <midend/ir/ssa_values.hpp>

#include <string>

namespace midend_tool {

/// What values and nodes of a procedure are called in its text. An operation that writes a variable is called like
/// that; operations without a result have no name.
class program_names {
public:
  explicit program_names(const midend::elbrus::procedure& p) : procedure_(p), text_(p) {}

  std::string value(midend::value_id v) const {
    const midend::elbrus::value_record& record = procedure_.value(v);
    return record.type == midend::elbrus::type::none ? std::string()
           : record.variable != midend::no_value     ? text_.value(record.variable)
                                                     : text_.value(v);
  }

  std::string node(midend::node_id n) const { return text_.node(n); }

private:
  const midend::elbrus::procedure& procedure_;
  mutable midend::elbrus::procedure_text text_;
};

} // namespace midend_tool
