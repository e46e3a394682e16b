/// `add.i32`, `zext.i8.i32`, `cmp.lt.i64`, `br`: the names of operations with their types.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/type.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

enum class mnemonic_fault : std::uint8_t { none, unknown_operation, unknown_type, wrong_number_of_types };

/// The meaning of a name. After `wrong_number_of_types`, `needed` is the right number.
struct mnemonic {
  opcode code = opcode::mov;
  elbrus::type type = elbrus::type::none;
  elbrus::type operand_type = elbrus::type::none;
  mnemonic_fault fault = mnemonic_fault::none;
  unsigned needed = 0;

  constexpr bool is_right() const { return fault == mnemonic_fault::none; }
};

/// The types at the end of a name, in their order.
struct type_suffixes {
  std::string_view stem;
  std::array<type, 2> types = {};
  unsigned count = 0;
};

constexpr type_suffixes split_types(std::string_view word) {
  type_suffixes out{word};
  while (out.count != 2) {
    const std::size_t dot = out.stem.rfind('.');
    const std::optional<type> t = dot == std::string_view::npos ? std::nullopt : type_named(out.stem.substr(dot + 1));
    if (!t) {
      break;
    }
    out.types[1] = out.types[0];
    out.types[0] = *t;
    ++out.count;
    out.stem = out.stem.substr(0, dot);
  }
  return out;
}

/// The number of types in the name; a call may have one.
constexpr unsigned types_in_name(opcode code) {
  switch (info_of(code).form) {
  case opcode_form::conversion:
    return 2;
  case opcode_form::terminator:
    return code == opcode::switch_ ? 1 : 0;
  case opcode_form::call:
    return 0;
  default:
    return 1;
  }
}

constexpr mnemonic unknown_mnemonic(std::string_view stem) {
  const std::size_t dot = stem.rfind('.');
  const bool known = dot != std::string_view::npos && opcode_named(stem.substr(0, dot));
  return {.fault = known ? mnemonic_fault::unknown_type : mnemonic_fault::unknown_operation};
}

constexpr mnemonic parse_mnemonic(std::string_view word) {
  const type_suffixes suffixes = split_types(word);
  const std::optional<opcode> code = opcode_named(suffixes.stem);
  if (!code) {
    return unknown_mnemonic(suffixes.stem);
  }
  const unsigned needed = types_in_name(*code);
  const type first = suffixes.types[0];
  if (suffixes.count != needed && !(*code == opcode::call && suffixes.count == 1)) {
    return {.code = *code, .fault = mnemonic_fault::wrong_number_of_types, .needed = needed};
  }
  switch (info_of(*code).form) {
  case opcode_form::comparison:
    return {*code, type::i1, first};
  case opcode_form::conversion:
    return {*code, suffixes.types[1], first};
  case opcode_form::terminator:
    return {*code, type::none, first};
  default:
    return *code == opcode::st ? mnemonic{*code, type::none, first} : mnemonic{*code, first, type::none};
  }
}

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
