/// The procedures of a file that is being read, by name.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/name_index.hpp"
#include "midend/elbrus/text/detail/syntax.hpp"
#include "midend/elbrus/text/lexer.hpp"

#include <cstdint>
#include <span>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Finds the parameters of a callee.
class signatures {
public:
  explicit signatures(std::span<const written_procedure> procedures) : procedures_(procedures) {}

  /// False if there is one with the same name.
  bool add(std::uint32_t number) {
    const std::string_view name = procedures_[number].name.text;
    return is_anonymous(name) || by_name_.find_or_insert(name, number) == number;
  }

  /// `name_index::missing` if there is none.
  std::uint32_t number_of(std::string_view name) const { return by_name_.find(name); }

  const written_procedure* find(std::string_view name) const {
    const std::uint32_t number = number_of(name);
    return number == name_index::missing ? nullptr : &procedures_[number];
  }

private:
  std::span<const written_procedure> procedures_;
  name_index by_name_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
