/// The errors of `check_graph` and `check_ir` in words.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/check_graph.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ir_error.hpp"
#include "midend/viz/value_names.hpp"

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Appends words, names and numbers to one string.
class ir_error_writer {
public:
  explicit ir_error_writer(const function_words& names) : names_(names) {}

  struct node {
    std::uint64_t number;
  };

  struct value {
    std::uint64_t number;
  };

  template <class... Parts> std::string say(const Parts&... parts) {
    (append(parts), ...);
    return std::move(out_);
  }

private:
  void append(std::string_view words) { out_ += words; }

  void append(node n) {
    out_ += n.number == no_node ? std::string("no block") : names_.node(static_cast<node_id>(n.number));
  }

  void append(value v) {
    out_ += v.number == no_value ? std::string("no_value") : names_.value(static_cast<value_id>(v.number));
  }

  template <std::unsigned_integral T> void append(T number) { out_ += std::to_string(number); }

  const function_words& names_;
  std::string out_;
};

inline std::string sentence_of(const graph_error& e, const function_words& names) {
  ir_error_writer out(names);
  const ir_error_writer::node node{e.node};
  switch (e.why) {
    using enum graph_error::reason;
  case too_many_nodes:
    return out.say("the graph has ", e.value, " nodes; at most ", max_nodes, " are allowed");
  case too_many_edges:
    return out.say("the graph has ", e.value, " edges; at most ", max_edges, " are allowed");
  case entry_out_of_range:
    return out.say("the entry, ", e.value, ", is no node");
  case successor_out_of_range:
    return out.say(node, ": successor ", e.position, ", ", e.value, ", is no node");
  case successors_change:
    return out.say(node, ": read twice, successor ", e.position, " is not the same");
  case predecessor_out_of_range:
    return out.say(node, ": predecessor ", e.position, ", ", e.value, ", is no node");
  case missing_predecessor:
    return out.say(node, ": an edge from ", ir_error_writer::node{e.value}, " is missing in predecessors()");
  case extra_predecessor:
    return out.say(node, ": predecessors() lists ", ir_error_writer::node{e.value}, " more often than it has edges to ",
                   node);
  case edge_count:
    return out.say("the graph has ", e.value, " edges, more than num_edges()");
  case edge_not_listed:
    return out.say(node, ": edge ", e.value, " is not in out_edges()");
  case edge_out_of_range:
    return out.say(node, ": out-edge ", e.position, ", ", e.value, ", is no edge");
  case edge_listed_twice:
    return out.say(node, ": out-edge ", e.position, ", ", e.value, ", is listed for the second time");
  case edges_do_not_match:
    return out.say(node, ": out_edges() and successors() have different lengths");
  case edge_ends:
    return out.say(node, ": source or target of edge ", e.value, ", out-edge ", e.position,
                   ", is not the node and its successor ", e.position);
  case in_edges_do_not_match:
    return out.say(node, ": in-edge ", e.position, ", ", e.value,
                   ", is no edge into the node, is listed before, or is not the edge from predecessor ", e.position);
  }
  return {};
}

inline std::string sentence_of(const ir_error& e, const function_words& names) {
  ir_error_writer out(names);
  const ir_error_writer::node node{e.node};
  const ir_error_writer::node other_node{e.number};
  const ir_error_writer::value v{e.value};
  const ir_error_writer::value other{e.number};
  const std::string_view memory = e.position == 0 ? "base" : e.position == 1 ? "index" : "stored value";
  const std::string_view guard = e.position == 0 ? "predicate" : "other value";
  switch (e.why) {
    using enum ir_error::reason;
  case wrong_graph:
    return sentence_of(e.graph, names);

  case too_many_values:
    return out.say("num_values() is ", e.number, "; at most 4294967295 are allowed");
  case operand_out_of_range:
    return e.number == no_value ? out.say(v, ": operand ", e.position, " is no_value: leave it out")
                                : out.say(v, ": operand ", e.position, ", ", e.number, ", is no value");
  case value_out_of_range:
    return out.say(node, ": value ", e.position, " in values(), ", e.number, ", does not exist");
  case value_in_two_nodes:
    return out.say(v, " is in ", other_node, " and in ", node, ": a value is computed in one place");
  case value_twice_in_node:
    return out.say(v, " is in ", node, " twice, at ", e.number, " and ", e.position);
  case phi_after_other_value:
    return out.say(v, " in ", node, " is a phi after other values: values() must list phis first");
  case phi_in_entry:
    return out.say(v, " in ", node,
                   " is a phi in the entry: when control enters, it has no input; put an empty node before it");
  case operation_in_no_node:
    return out.say(v, ": operand ", e.position, ", ", other, ", is computed, but values() of no node lists it");
  case parameter_out_of_range:
    return out.say("parameter ", e.position, ", ", e.number, ", is no value");
  case parameter_twice:
    return out.say("parameter ", e.position, ", ", v, ", is listed for the second time");
  case parameter_in_node:
    return out.say("parameter ", e.position, ", ", v, ", is also in ", node, ": leave it out of one of them");
  case user_out_of_range:
    return out.say(v, ": user ", e.position, ", ", e.number, ", is no value");
  case extra_user:
    return out.say(v, ": user ", e.position, ", ", other, ", does not read it, or not that often");
  case missing_user:
    return out.say(v, ": ", other, " reads it as operand ", e.position,
                   ", but users() does not list it, or not that often");
  case phi_input_not_set:
    return out.say(v, " in ", node, ": the input along edge ", e.edge, " is not set");
  case phi_input_out_of_range:
    return out.say(v, " in ", node, ": the input along edge ", e.edge, ", ", e.number, ", is no value");
  case phi_input_not_operand:
    return out.say(v, " in ", node, ": the input along edge ", e.edge, ", ", other, ", is not in operands()");
  case phi_operand_not_input:
    return out.say(v, " in ", node, ": operand ", e.position, ", ", other, ", is the input along no edge");
  case phi_operand_too_often:
    return out.say(v, " in ", node, ": operand ", e.position, ", ", other,
                   ", is listed more often than there are edges along which it arrives");
  case use_not_dominated:
    return out.say(v, " in ", node, ": operand ", e.position, ", ", other, ", is not computed on every path to it");
  case phi_input_not_available:
    return out.say(v, " in ", node, ": the input along edge ", e.edge, ", ", other,
                   ", is not computed on every path to the start of the edge");

  case condition_out_of_range:
    return out.say(node, ": condition() is ", e.number, ", which is no value");
  case condition_not_available:
    return out.say(node, ": condition ", v, " is not computed on every path to the end of the node");
  case no_edge_cases:
    return out.say(node, ": condition ", v, ", but edge_case() of none of the ", e.number,
                   " edges has a value: no edge can be excluded");
  case second_default_edge:
    return out.say(node, ": edge ", e.edge, " is the second one without an edge_case(): only one can be the default");
  case edge_case_twice:
    return out.say(node, ": edge ", e.edge, " has the case of an earlier edge, ", e.number);
  case edge_case_too_wide:
    return out.say(node, ": the case of edge ", e.edge, ", ", e.number, ", has more bits than condition ", v);
  case only_edge_has_case:
    return out.say(node, ": the only edge, ", e.edge, ", has an edge_case(), so all other values of condition ", v,
                   " lead nowhere: return no_value as condition");
  case cases_miss_values:
    return out.say(node, ": cases 1 and 0, but condition ", v, " has ", e.number,
                   " bits: if all but 0 is true, the true edge has no edge_case()");
  case cases_leave_values:
    return out.say(node, ": each edge has cases, but condition ", v, " may be ", e.number,
                   ", which is a case of none: one edge must be that of all other values");

  case unknown_operation:
    return out.say(v, ": the code of its operation is ", e.number, ", which is no enumerator");
  case width_out_of_range:
    return out.say(v, ": its width is ", e.number, "; widths are 1 to 64, also of what has no result");
  case operand_width_out_of_range:
    return out.say(v, ": its operand_width is ", e.number, "; widths are 1 to 64");
  case conversion_width:
    return out.say(v, ": its operand_width, ", e.number, ", is on the wrong side of its width");
  case too_few_operands:
    return out.say(v, ": its operation reads ", e.number, " operands, but has ", e.position);
  case operand_too_narrow:
    return out.say(v, ": operand ", e.position, " has ", e.number,
                   " bits, fewer than the signed operation reads: set width or operand_width");
  case compares_one_bit:
    return out.say(v, ": it compares 1 bit of operands that have ", e.number,
                   ": operand_width is the width of what is compared");
  case phi_input_width:
    return out.say(v, " in ", node, ": the input along edge ", e.edge, " has ", e.number,
                   " bits, another width than the phi");
  case operation_of_phi:
    return out.say(v, " is a phi, but its operation has code ", e.number, ": phis are operation::other");
  case opaque_operation:
    return out.say(v, " is opaque, but its operation has code ", e.number, ": what is opaque is operation::other");
  case constant_too_wide:
    return out.say(v, ": constant() is ", e.number, ", which has bits above the width of the value");
  case bounds_out_of_order:
    return out.say(v, ": no number is within bounds(), from ", e.number);
  case bounds_too_wide:
    return out.say(v, ": the bound ", e.number, " has bits above the width of the value");

  case unknown_class:
    return out.say(v, ": cost() is ", e.number, ", which is no enumerator");
  case unknown_effect:
    return out.say(v, ": effect() is ", e.number, ", which is no enumerator");
  case branch_not_last:
    return out.say(v, " in ", node, " is a terminator or has the class branch, but is not the last value");
  case return_disagrees:
    return out.say(v, ": never_returns() is true, but may_not_return() is not");
  case terminator_class:
    return out.say(v, ": it is a terminator or has the class branch, but not both");
  case volatile_disagrees:
    return out.say(v, ": memory() and is_volatile() do not say the same");
  case effect_of_load:
    return out.say(v, " has the class of a load, but effect() does not say that it reads");
  case effect_of_store:
    return out.say(v, " has the class of a store, but effect() does not say that it writes");
  case memory_out_of_range:
    return out.say(v, ": the ", memory, " of memory(), ", e.number, ", is no value");
  case memory_not_available:
    return out.say(v, " in ", node, ": the ", memory, " of memory(), ", other, ", is not computed on every path to it");
  case load_stores:
    return out.say(v, " reads, but memory() says that it stores ", other);
  case store_without_value:
    return out.say(v, " writes, but memory() does not say what: `stored` is not set");
  case guard_out_of_range:
    return out.say(v, ": the ", guard, " of guard(), ", e.number, ", is no value");
  case guard_not_operand:
    return out.say(v, ": the ", guard, " of guard(), ", other,
                   ", is not in its place: operands end with the predicate and the other value");
  case guarded_operation:
    return out.say(v, " is guarded, but its operation has code ", e.number,
                   ": operation() must be other; unguarded() says more");
  case probability_out_of_range:
    return out.say(node, ": the probability of edge ", e.edge, " is above 1 or not a number");

  case too_many_statements:
    return out.say("num_statements() is ", e.number, "; at most 4294967295 are allowed");
  case too_many_variables:
    return out.say("num_variables() is ", e.number, "; at most 4294967295 are allowed");
  case too_many_expressions:
    return out.say("num_expressions() is ", e.number, "; at most 4294967295 are allowed");
  case statement_out_of_range:
    return out.say(node, ": statement ", e.position, ", ", e.number, ", does not exist");
  case statement_in_two_nodes:
    return out.say("statement ", e.statement, " is in ", other_node, " and in ", node);
  case statement_twice_in_node:
    return out.say("statement ", e.statement, " is in ", node, " twice, at ", e.number, " and ", e.position);
  case definition_out_of_range:
    return out.say("statement ", e.statement, ": definition ", e.position, ", ", e.number, ", is no variable");
  case may_definition_out_of_range:
    return out.say("statement ", e.statement, ": may-definition ", e.position, ", ", e.number, ", is no variable");
  case use_out_of_range:
    return out.say("statement ", e.statement, ": use ", e.position, ", ", e.number, ", is no variable");
  case expression_out_of_range:
    return out.say("statement ", e.statement, ": expression ", e.number, " does not exist");
  case expression_operand_out_of_range:
    return out.say("expression ", e.expression, ": operand ", e.position, ", ", e.number, ", is no variable");
  }
  return {};
}

} // namespace detail

/// The error in one line, without a line break; positions count from 0.
///
///     block 3: successor 1, 17, is no node
template <class Names = numbered_values> std::string to_text(const graph_error& error, const Names& names = {}) {
  static_assert(value_names_argument<Names>);
  return detail::sentence_of(error, detail::function_words_of<Names>(names));
}

/// The error in one line, without a line break; positions count from 0.
///
///     v7 in block 3: operand 1, v9, is not computed on every path to it
template <class Names = numbered_values> std::string to_text(const ir_error& error, const Names& names = {}) {
  static_assert(value_names_argument<Names>);
  return detail::sentence_of(error, detail::function_words_of<Names>(names));
}

MIDEND_END_NAMESPACE
