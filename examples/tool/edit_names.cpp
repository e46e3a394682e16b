#include "edit_names.hpp"

#include <midend/elbrus/records.hpp>
#include <midend/elbrus/type.hpp>

namespace midend_tool {

using midend::edge_id;
using midend::no_node;
using midend::node_id;
using midend::value_id;

edit_names::version::version(const midend::elbrus::procedure& of)
    : procedure(of), text(of), shown(of.num_values(), false) {
  for (value_id v = 0; v != of.num_values(); ++v) {
    shown[v] = !of.is_operation(v);
  }
  for (node_id n = 0; n != of.num_nodes(); ++n) {
    for (const value_id v : of.values(n)) {
      shown[v] = true;
    }
  }
}

std::string edit_names::version::value(value_id v) const {
  const midend::elbrus::value_record& record = procedure.value(v);
  const bool has_result = !procedure.is_operation(v) || record.type != midend::elbrus::type::none;
  return has_result ? text.value(v) : "'" + text.operation(v) + "'";
}

edit_names::edit_names(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after)
    : before_(before), after_(after) {}

std::string edit_names::value(value_id v) const {
  return before_.has_value(v) ? before_.value(v) : after_.has_value(v) ? after_.value(v) : "value " + std::to_string(v);
}

std::string edit_names::node(node_id n) const {
  return before_.has_node(n)  ? before_.text.node(n)
         : after_.has_node(n) ? after_.text.node(n)
                              : "node " + std::to_string(n);
}

std::string edit_names::edge(edge_id e) const {
  node_id source = e < after_.procedure.num_edges() ? after_.procedure.edge_source(e) : no_node;
  if (source == no_node && e < before_.procedure.num_edges()) {
    source = before_.procedure.edge_source(e);
  }
  return source == no_node ? "edge " + std::to_string(e) : "the edge from " + node(source);
}

} // namespace midend_tool
