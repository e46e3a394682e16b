/// `procedure_text`: the parts of a procedure as the printer writes them.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/text/detail/operation_printer.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ssa_values.hpp"

#include <string>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// What operations, values and nodes of a procedure are called in its text, for messages and reports: the same as in
/// `to_text`. Made in O(n) for n values; good until the procedure changes.
class procedure_text {
public:
  explicit procedure_text(const procedure& p) : procedure_(&p), printer_(p, text_) {}

  procedure_text(const procedure_text&) = delete;
  procedure_text& operator=(const procedure_text&) = delete;

  /// The line of an operation, without indentation.
  std::string operation(value_id v) {
    text_.clear();
    printer_.operation(v);
    return text_;
  }

  /// A value as an operand: `%x`, `$x` or a literal.
  std::string value(value_id v) {
    text_.clear();
    printer_.operand(v, v == no_value ? type::none : procedure_->value(v).type);
    return text_;
  }

  /// The name of a node.
  std::string node(node_id n) {
    text_.clear();
    printer_.names().append_node(text_, n);
    return text_;
  }

private:
  const procedure* procedure_;
  std::string text_;
  detail::operation_printer printer_;
};

} // namespace elbrus

MIDEND_END_NAMESPACE
