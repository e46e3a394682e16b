/// The parsed text of a file of the Elbrus-like IR, before names have a meaning: the parser makes it, the binder reads
/// it.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// A name without its sign, or a literal, and its place in the file.
struct spelling {
  std::string_view text = {};
  source_location location = {};
};

/// A list: some consecutive elements of an array.
struct array_slice {
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  template <class T> span<const T> of(const flat_array<T>& all) const {
    return span<const T>(all).subspan(first, count);
  }
};

enum class operand_kind : std::uint8_t { value, variable, literal, undefined };

struct written_operand {
  operand_kind kind = operand_kind::literal;
  elbrus::type type = elbrus::type::none; ///< in front of a literal
  spelling name = {};
};

/// A parameter or variable.
struct written_declaration {
  spelling name = {};
  elbrus::type type = elbrus::type::none;
};

/// A local array.
struct written_local {
  spelling name = {};
  std::uint32_t bytes = 0;
};

struct written_target {
  spelling label = {};
  spelling case_value = {}; ///< empty for the only edge of a jump and for the default
  double probability = -1;
};

enum class result_kind : std::uint8_t { none, value, variable };

/// An operation. Its operands are the arguments, then guard and otherwise; label i of a phi belongs to operand i.
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
  spelling local = {};
  spelling scope = {};
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
};

struct written_procedure {
  spelling name = {};
  source_location location = {};
  type result = type::none;
  bool must_progress = false;
  std::uint64_t count = no_count;
  flat_array<written_declaration> parameters;
  flat_array<written_declaration> variables;
  flat_array<written_local> locals;
  flat_array<written_node> nodes;
  flat_array<written_operation> operations;
  flat_array<written_operand> operands;
  flat_array<spelling> labels;
  flat_array<written_target> targets;
  flat_array<written_access> accesses;
  flat_array<written_call> calls;

  /// Values and variables whose definitions are in lines that break the grammar. They count as known.
  flat_array<written_operand> lost_names;
  bool is_broken = false;      ///< a line of it breaks the grammar
  bool head_is_broken = false; ///< parameters and result are not all known
};

using written_program = std::vector<written_procedure>;

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
