/// `value_table`: the values of a procedure of the Elbrus-like IR.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/list_pool.hpp"
#include "midend/elbrus/detail/operand_lists.hpp"
#include "midend/elbrus/flow.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// What stands in the nodes of a procedure, and the values that stand in none: parameters, variables and literals,
/// which are made here. Operations are made through the procedure.
///
/// Values of all kinds share one numbering, operations without a result included. Operands are values; from each value
/// the list of its users is kept. The operations of a node are a linked list, phis first, a terminator last. Literals
/// are made once for each type and bit pattern. An erased value leaves its number behind; its kind is `erased`.
class value_table : public flow {
public:
  std::size_t num_values() const { return values_.size(); }

  const value_record& value(value_id v) const { return values_[v]; }

  std::string_view value_name(value_id v) const { return names_[values_[v].name]; }

  void set_value_name(value_id v, std::string_view name) { values_[v].name = names_.add(name); }

  bool is_operation(value_id v) const { return values_[v].kind == value_kind::operation; }

  bool is_phi(value_id v) const { return is_operation(v) && values_[v].code == opcode::phi; }

  bool is_terminator(value_id v) const { return is_operation(v) && elbrus::is_terminator(values_[v].code); }

  /// Operands, guard and otherwise included.
  std::span<const value_id> operands(value_id v) const { return operands_.operands(values_[v].operands); }

  /// Operands without guard and otherwise.
  std::span<const value_id> arguments(value_id v) const {
    const std::span<const value_id> all = operands(v);
    return all.first(all.size() - values_[v].guarded - values_[v].has_otherwise);
  }

  /// The predicate of a guarded operation, else `no_value`.
  value_id guard(value_id v) const { return values_[v].guarded ? operands(v)[arguments(v).size()] : no_value; }

  /// The result if the operation does not run, else `no_value`.
  value_id otherwise(value_id v) const { return values_[v].has_otherwise ? operands(v).back() : no_value; }

  /// Who reads it, once for each operand, latest first.
  auto users(value_id v) const { return operands_.users(v); }

  bool has_users(value_id v) const { return operands_.has_users(v); }

  /// The address of a load or store.
  const memory_access& access(value_id v) const { return accesses_[values_[v].extra]; }

  /// Callee and clobbers of a call.
  const call_record& call(value_id v) const { return calls_[values_[v].extra]; }

  /// The classes that a call may write, of `clobber_kind::listed`.
  std::span<const alias_id> clobbered(value_id v) const { return class_lists_.elements(call(v).classes); }

  /// The values of a node, in order.
  auto values(node_id n) const { return iterator_range<value_iterator>({this, nodes_[n].first}, {this, no_value}); }

  /// The terminator of a node, or `no_value` if it has none yet.
  value_id terminator(node_id n) const {
    const value_id last = nodes_[n].last;
    return last != no_value && is_terminator(last) ? last : no_value;
  }

  std::span<const value_id> parameters() const { return {parameters_.data(), parameters_.size()}; }

  std::span<const value_id> variables() const { return {variables_.data(), variables_.size()}; }

  value_id add_parameter(std::string_view name, type t, source_location location = {}) {
    const value_id v = add_value(value_kind::parameter, t, name, location);
    parameters_.push_back(v);
    return v;
  }

  value_id add_variable(std::string_view name, type t, source_location location = {}) {
    const value_id v = add_value(value_kind::variable, t, name, location);
    variable_number_.resize(values_.size(), 0);
    variable_number_[v] = static_cast<std::uint32_t>(variables_.size());
    variables_.push_back(v);
    return v;
  }

  /// The place of a variable in `variables()`.
  std::uint32_t variable_number(value_id v) const { return variable_number_[v]; }

  /// Erases all variables. Requires that nothing reads or writes them.
  void clear_variables() {
    for (const value_id v : variables_) {
      MIDEND_ASSERT(!has_users(v), "a variable that nobody uses", v);
      values_[v].kind = value_kind::erased;
    }
    variables_.clear();
  }

  /// The literal of a type with these bits; those above its width are dropped.
  value_id constant(type t, std::uint64_t bits) {
    bits &= ~std::uint64_t{0} >> (64 - width_of(t));
    const auto fresh = static_cast<value_id>(values_.size());
    const value_id v = constants_[static_cast<std::size_t>(t)].find_or_insert(bits, fresh);
    if (v == fresh) {
      add_value(value_kind::constant, t, {}, {});
      values_[v].bits = bits;
    }
    return v;
  }

  /// The literal `undef` of a type.
  value_id undefined(type t) {
    value_id& v = undefined_[static_cast<std::size_t>(t)];
    if (v == 0) {
      v = add_value(value_kind::undefined, t, {}, {}) + 1;
    }
    return v - 1;
  }

  /// The input of a phi for an edge into its node.
  value_id phi_input(value_id v, edge_id e) const { return operands(v)[edge(e).position]; }

  /// The number of a class of accesses; a new one if there is none with this name.
  alias_id alias_class(std::string_view name) {
    for (alias_id c = 0; c != alias_names_.size(); ++c) {
      if (names_[alias_names_[c]] == name) {
        return c;
      }
    }
    return add_alias_class(name);
  }

  /// A new class of accesses. Requires that there is none with this name.
  alias_id add_alias_class(std::string_view name) {
    alias_names_.push_back(names_.add(name));
    return static_cast<alias_id>(alias_names_.size() - 1);
  }

  std::size_t num_alias_classes() const { return alias_names_.size(); }

  std::string_view alias_name(alias_id c) const { return names_[alias_names_[c]]; }

protected:
  value_table() = default;
  value_table(const value_table&) = default;
  value_table(value_table&&) = default;
  value_table& operator=(const value_table&) = default;
  value_table& operator=(value_table&&) = default;
  ~value_table() = default;

  value_id add_value(value_kind kind, type t, std::string_view name, source_location location) {
    value_record fresh;
    fresh.kind = kind;
    fresh.type = t;
    fresh.name = names_.add(name);
    fresh.location = location;
    values_.push_back(fresh);
    operands_.add_value();
    return static_cast<value_id>(values_.size() - 1);
  }

  std::vector<value_record> values_;
  detail::operand_lists operands_;
  std::vector<memory_access> accesses_;
  std::vector<call_record> calls_;
  detail::list_pool class_lists_;

private:
  /// Walks the values of a node.
  class value_iterator {
  public:
    using value_type = value_id;
    using difference_type = std::ptrdiff_t;
    using reference = value_id;
    using pointer = void;
    using iterator_category = std::input_iterator_tag; // the reference is a value
    using iterator_concept = std::forward_iterator_tag;

    value_iterator() = default;

    value_iterator(const value_table* table, value_id at) : table_(table), at_(at) {}

    value_id operator*() const { return at_; }

    value_iterator& operator++() {
      at_ = table_->values_[at_].next;
      return *this;
    }

    value_iterator operator++(int) {
      const value_iterator old = *this;
      ++*this;
      return old;
    }

    friend bool operator==(value_iterator a, value_iterator b) { return a.at_ == b.at_; }

  private:
    const value_table* table_ = nullptr;
    value_id at_ = no_value;
  };

  flat_array<value_id> parameters_;
  flat_array<value_id> variables_;
  std::vector<std::uint32_t> variable_number_; ///< by value, as far as there are variables
  flat_array<name_id> alias_names_;
  std::array<midend::detail::hash_map<std::uint64_t>, type_names.size()> constants_;
  std::array<value_id, type_names.size()> undefined_ = {}; ///< plus 1; 0 for not made yet
};

} // namespace elbrus

MIDEND_END_NAMESPACE
