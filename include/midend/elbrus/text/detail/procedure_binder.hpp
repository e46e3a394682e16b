/// From what is written to a procedure: names get their meaning, literals their bits.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/error_list.hpp"
#include "midend/elbrus/diagnostic.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/text/detail/operand_binder.hpp"
#include "midend/elbrus/text/detail/phi_matcher.hpp"
#include "midend/elbrus/text/detail/syntax.hpp"
#include "midend/elbrus/verify/detail/verify_dominance.hpp"
#include "midend/elbrus/verify/detail/verify_nodes.hpp"
#include "midend/elbrus/verify/detail/verify_operations.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ssa_values.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// A procedure as far as it could be read.
struct read_procedure {
  procedure made;
  bool is_right = false;
  bool head_is_known = false;
  std::vector<bool> is_incomplete; ///< by value, if it is not right: operations with an operand that is not known
};

/// Makes one procedure. What is wrong goes to the diagnostics, and the procedure is made all the same, to find the
/// other errors, those too that are the verifier's, which it cannot find in what is thrown away then.
class procedure_binder : operand_binder {
public:
  procedure_binder(const written_procedure& written, const signatures& callees, std::vector<diagnostic>& errors)
      : operand_binder(written, callees, errors) {}

  read_procedure bind() {
    const std::size_t errors_before = num_errors();
    declare_procedure();
    declare_values();
    declare_variables();
    declare_nodes();
    make_edges();
    make_operations();
    set_forward_references();
    const bool is_right = num_errors() == errors_before && !in_.is_broken;
    if (!is_right) {
      mark_incomplete();
      check_operations();
      check_flow();
    }
    return {std::move(out_), is_right, !in_.head_is_broken, std::move(is_incomplete_)};
  }

private:
  struct forward_reference {
    value_id user;
    std::uint32_t operand;
    std::uint32_t definition;
  };

  void declare_procedure() {
    out_.set_name(kept_name(in_.name));
    out_.set_location(in_.location);
    out_.set_result_type(in_.result);
    out_.set_count(in_.count);
  }

  void make_operations() {
    phi_matcher matcher(out_);
    for (std::uint32_t i = 0; i != in_.nodes.size(); ++i) {
      matcher.begin_node(node_of(i));
      const array_slice all = in_.nodes[i].operations;
      bool at_head = true;
      for (std::uint32_t number = all.first; number != all.first + all.count; ++number) {
        const written_operation& op = in_.operations[number];
        bind_operands(op);
        if (op.code == opcode::phi) {
          check_head(op, at_head);
          if (!order_inputs(op, node_of(i), matcher)) {
            unordered_.push_back(size_of_values());
          }
        }
        at_head &= op.code == opcode::phi;
        make_operation(op, number, node_of(i));
      }
    }
  }

  void check_head(const written_operation& op, bool at_head) {
    if (!at_head) {
      fail(op.location, "a phi behind other operations");
    }
  }

  void make_operation(const written_operation& op, std::uint32_t number, node_id node) {
    const value_id v = size_of_values();
    operands_.clear();
    for (const bound_operand& o : bound()) {
      operands_.push_back(o.value != no_value ? o.value : v); // itself, until it is known
    }
    operation_draft draft{.code = op.code, .type = op.type, .operand_type = operand_type_of(op)};
    draft.otherwise = take_last_if(op.has_otherwise);
    draft.guard = take_last_if(op.guarded);
    draft.operands = operands_;
    draft.guard_negated = op.guard_negated;
    draft.flags = op.flags;
    draft.location = op.location;
    if (op.result == result_kind::value) {
      draft.name = kept_name(op.name);
    } else if (op.result == result_kind::variable) {
      draft.variable = find_variable(op.name);
    }
    append(op, node, draft);
    value_of_[in_.parameters.size() + number] = v;
    note_forward_references(v);
  }

  value_id size_of_values() const { return static_cast<value_id>(out_.num_values()); }

  value_id take_last_if(bool there) {
    if (!there) {
      return no_value;
    }
    const value_id last = operands_.back();
    operands_.pop_back();
    return last;
  }

  void append(const written_operation& op, node_id node, operation_draft& draft) {
    if (op.code == opcode::call) {
      const written_call& call = in_.calls[op.extra];
      classes_.clear();
      for (const spelling& name : call.classes.of(in_.labels)) {
        classes_.push_back(find_class(name));
      }
      out_.append_call(node, draft, kept_name(call.callee), call.clobbers, classes_);
      return;
    }
    if (info_of(op.code).form == opcode_form::memory) {
      const written_access& a = in_.accesses[op.extra];
      draft.access = {a.indexed, a.scale, a.offset, a.alias.text.empty() ? no_alias : find_class(a.alias)};
    }
    out_.append(node, draft);
  }

  void note_forward_references(value_id v) {
    for (std::uint32_t i = 0; i != bound().size(); ++i) {
      if (bound()[i].value != no_value) {
        continue;
      }
      if (bound()[i].definition == lost) {
        with_lost_operands_.push_back(v);
      } else {
        forward_.push_back({v, i, bound()[i].definition});
      }
    }
  }

  void set_forward_references() {
    for (const forward_reference& f : forward_) {
      if (value_of_[f.definition] != no_value) {
        out_.set_operand(f.user, f.operand, value_of_[f.definition]);
      } else {
        with_lost_operands_.push_back(f.user);
      }
    }
  }

  /// Operations with operands that are not known, or whose type is not: that is an error already.
  void mark_incomplete() {
    is_incomplete_.assign(out_.num_values(), false);
    for (const value_id v : with_lost_operands_) {
      is_incomplete_[v] = true;
    }
    for (const std::span<const value_id> declared : {out_.parameters(), out_.variables()}) {
      for (const value_id v : declared) {
        if (out_.value(v).type == type::none) {
          mark_users(v, is_incomplete_);
        }
      }
    }
  }

  void mark_users(value_id v, std::vector<bool>& marks) const {
    for (const value_id user : out_.users(v)) {
      marks[user] = true;
    }
  }

  void check_operations() {
    error_list found(out_, errors());
    operation_check(out_, found).run([&](value_id v) {
      return !is_incomplete_[v] && (!in_.head_is_broken || out_.value(v).code != opcode::ret);
    });
  }

  /// What needs all edges: cases of switches, inputs of phis, dominance. Not of what is read and defined twice.
  void check_flow() {
    if (!flow_is_known() || in_.nodes.empty()) {
      return;
    }
    std::vector<bool> is_unclear = is_incomplete_;
    for (const value_id v : unordered_) {
      is_unclear[v] = true;
    }
    for (const std::uint32_t definition : defined_twice_) {
      if (value_of_[definition] != no_value) {
        mark_users(value_of_[definition], is_unclear);
      }
    }
    error_list found(out_, errors());
    node_check nodes(out_, found);
    for (value_id v = 0; v != size_of_values(); ++v) {
      if (out_.is_operation(v)) {
        nodes.run_on(v);
      }
    }
    dominance_check(out_, found).run([&](value_id v) { return !is_unclear[v]; });
  }

  std::vector<forward_reference> forward_;
  std::vector<value_id> operands_; ///< of the present operation
  std::vector<alias_id> classes_;  ///< that it clobbers
  std::vector<value_id> with_lost_operands_;
  std::vector<value_id> unordered_; ///< phis whose entries are not for the edges
  std::vector<bool> is_incomplete_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
