/// What is written in a file of the Elbrus-like IR, before names mean anything.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// A name without its sign, or a literal, and where it stands.
struct spelling {
  std::string_view text = {};
  source_location location = {};
};

/// The place of a list in an array.
struct array_slice {
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  template <class T> std::span<const T> of(const std::vector<T>& all) const {
    return std::span<const T>(all).subspan(first, count);
  }
};

enum class operand_kind : std::uint8_t { value, variable, literal, undefined };

struct written_operand {
  operand_kind kind = operand_kind::literal;
  elbrus::type type = elbrus::type::none; ///< in front of a literal
  spelling name = {};
};

struct written_declaration {
  spelling name = {};
  elbrus::type type = elbrus::type::none;
};

struct written_target {
  spelling label = {};
  spelling case_value = {}; ///< empty for the only edge of a jump and the default
  double probability = -1;
};

enum class result_kind : std::uint8_t { none, value, variable };

/// An operation. Its operands are the arguments, then guard and otherwise; of a phi, label i is that of operand i.
struct written_operation {
  opcode code = opcode::mov;
  elbrus::type type = elbrus::type::none;
  elbrus::type operand_type = elbrus::type::none;
  attributes flags = {};
  result_kind result = result_kind::none;
  bool guarded = false;
  bool guard_negated = false;
  bool has_otherwise = false;
  spelling name = {}; ///< of the result
  source_location location = {};
  array_slice operands = {};
  array_slice labels = {};  ///< of a phi
  array_slice targets = {}; ///< of a terminator
  std::uint32_t extra = 0;  ///< number of the access or call
};

struct written_access {
  bool indexed = false;
  std::uint32_t scale = 1;
  std::int64_t offset = 0;
  spelling alias = {};
};

struct written_call {
  spelling callee = {};
  clobber_kind clobbers = clobber_kind::anything;
  array_slice classes = {}; ///< labels
};

struct written_node {
  spelling name = {};
  source_location location = {};
  std::uint64_t count = no_count;
  trip_hint hint = {};
  array_slice operations = {};
  bool is_broken = false; ///< a line of it could not be read
};

struct written_procedure {
  spelling name = {};
  source_location location = {};
  type result = type::none;
  std::uint64_t count = no_count;
  std::vector<written_declaration> parameters;
  std::vector<written_declaration> variables;
  std::vector<written_node> nodes;
  std::vector<written_operation> operations;
  std::vector<written_operand> operands;
  std::vector<spelling> labels;
  std::vector<written_target> targets;
  std::vector<written_access> accesses;
  std::vector<written_call> calls;

  /// Names of values and variables whose definitions could not be read: they are known all the same.
  std::vector<written_operand> lost_names;
  bool is_broken = false;      ///< there is an error in it
  bool head_is_broken = false; ///< parameters and result are not all known
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
