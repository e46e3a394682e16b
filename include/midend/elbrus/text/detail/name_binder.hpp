/// Names of a procedure that is being read: what defines them, and of which type it is.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/name_index.hpp"
#include "midend/elbrus/diagnostic.hpp"
#include "midend/elbrus/literal.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/text/detail/syntax.hpp"
#include "midend/elbrus/text/detail/token_reader.hpp"
#include "midend/elbrus/text/lexer.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/ir/ssa_values.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Declares what has a name and finds it again. Values are known by the number of their definition: parameters come
/// first, then operations.
class name_binder {
protected:
  name_binder(const written_procedure& written, std::vector<diagnostic>& errors) : in_(written), errors_(errors) {}

  /// The number of a name that stands in a line that could not be read.
  static constexpr std::uint32_t lost = 0xffff'fffe;

  template <class List> static std::uint32_t size_of(const List& list) {
    return static_cast<std::uint32_t>(list.size());
  }

  void fail(source_location place, std::string message) { errors_.push_back({place, std::move(message)}); }

  std::size_t num_errors() const { return errors_.size(); }

  std::vector<diagnostic>& errors() { return errors_; }

  static std::string quoted_name(std::string_view sign, const spelling& name) {
    return quoted(std::string(sign) + std::string(name.text));
  }

  /// What has no name is written as a number.
  static std::string_view kept_name(const spelling& name) { return is_anonymous(name.text) ? "" : name.text; }

  void declare_values() {
    for (const written_operand& name : in_.lost_names) {
      (name.kind == operand_kind::variable ? variables_ : values_).find_or_insert(name.name.text, lost);
    }
    value_of_.reserve(in_.parameters.size() + in_.operations.size());
    for (const written_declaration& p : in_.parameters) {
      declare(values_, "%", p.name, size_of(value_of_));
      value_of_.push_back(out_.add_parameter(kept_name(p.name), p.type, p.name.location));
    }
    for (const written_operation& op : in_.operations) {
      if (op.result == result_kind::value) {
        declare(values_, "%", op.name, size_of(value_of_));
      }
      value_of_.push_back(no_value);
    }
  }

  void declare_variables() {
    for (const written_declaration& v : in_.variables) {
      declare(variables_, "$", v.name, size_of(out_.variables()));
      out_.add_variable(kept_name(v.name), v.type, v.name.location);
    }
  }

  void fail_twice(std::string_view sign, const spelling& name, source_location first) {
    fail(name.location, quoted_name(sign, name) + " is defined twice, first in line " + std::to_string(first.line));
  }

  /// The number of the definition of a value; `lost` if it is not known, and then there was an error.
  std::uint32_t find_value(const spelling& name) {
    const std::uint32_t definition = values_.find(name.text);
    if (definition != name_index::missing) {
      return definition;
    }
    fail(name.location, "unknown value " + quoted_name("%", name));
    return lost;
  }

  /// A variable; `no_value` if it is not known, and then there was an error.
  value_id find_variable(const spelling& name) {
    const std::uint32_t number = variables_.find(name.text);
    if (number == name_index::missing) {
      fail(name.location, "unknown variable " + quoted_name("$", name));
    }
    return number < out_.variables().size() ? out_.variables()[number] : no_value;
  }

  alias_id find_class(const spelling& name) {
    const auto fresh = static_cast<alias_id>(out_.num_alias_classes());
    const alias_id c = class_numbers_.find_or_insert(name.text, fresh);
    return c == fresh ? out_.add_alias_class(name.text) : c;
  }

  std::uint64_t bits_of(const spelling& number, type t) {
    const literal value = parse_literal(number.text, t);
    if (value.fault != literal_fault::none) {
      fail(number.location, message_of(value.fault, number.text, t));
    }
    return value.bits;
  }

  type type_of_definition(std::uint32_t number) const {
    const std::size_t parameters = in_.parameters.size();
    return number < parameters ? in_.parameters[number].type : in_.operations[number - parameters].type;
  }

  const written_procedure& in_;
  procedure out_;
  std::vector<value_id> value_of_;           ///< by definition; `no_value` until it is made
  std::vector<std::uint32_t> defined_twice_; ///< definitions with a name that others have, too

private:
  void declare(name_index& index, std::string_view sign, const spelling& name, std::uint32_t number) {
    const std::uint32_t first = index.find_or_insert(name.text, number);
    if (first != number && first != lost) {
      fail_twice(sign, name, &index == &variables_ ? in_.variables[first].name.location : place_of(first));
      if (&index == &values_) {
        defined_twice_.push_back(first);
      }
    }
  }

  source_location place_of(std::uint32_t definition) const {
    const std::size_t parameters = in_.parameters.size();
    return definition < parameters ? in_.parameters[definition].name.location
                                   : in_.operations[definition - parameters].name.location;
  }

  std::vector<diagnostic>& errors_;
  name_index values_;
  name_index variables_;
  name_index class_numbers_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
