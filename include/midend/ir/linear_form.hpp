/// `linear_form`: a number as a sum of multiples of values and a constant, modulo 2^width.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/simplify.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Σ cᵢ · xᵢ + c modulo 2^width, of at most `max_terms` values, each with one coefficient that is not 0. It says
/// nothing about wrapping: sums of sums are exact modulo 2^width, whatever they promise.
struct linear_form {
  static constexpr std::size_t max_terms = 6;

  struct term {
    value_id value = no_value;
    std::uint64_t coefficient = 0;

    friend constexpr bool operator==(const term&, const term&) = default;
  };

  unsigned width = 64;
  std::uint64_t constant = 0;
  std::uint32_t num_terms = 0;
  term terms[max_terms] = {};

  /// Adds `by` · `v`. False if there are too many terms; the form is then as before.
  constexpr bool add(value_id v, std::uint64_t by) {
    by &= low_ones(width);
    for (std::uint32_t i = 0; i != num_terms; ++i) {
      if (terms[i].value == v) {
        terms[i].coefficient = (terms[i].coefficient + by) & low_ones(width);
        if (terms[i].coefficient == 0) { // the others keep their order
          for (std::uint32_t k = i + 1; k != num_terms; ++k) {
            terms[k - 1] = terms[k];
          }
          --num_terms;
        }
        return true;
      }
    }
    if (by == 0) {
      return true;
    }
    if (num_terms == max_terms) {
      return false;
    }
    terms[num_terms++] = {v, by};
    return true;
  }

  constexpr void add(std::uint64_t number) { constant = (constant + number) & low_ones(width); }
};

/// How an operation of the vocabulary is a sum of multiples of its operands: operand `i` times `factors[i]`, plus
/// `constant`. Nothing if it is none, or its result has another width than it reads.
struct linear_step {
  bool is_linear = false;
  std::uint64_t factors[2] = {};
  std::size_t num_operands = 0; ///< that are multiplied; others are literals
};

/// The step of an operation, of which `literals[i]` are the operands that are literals, or nothing.
template <class Literal>
constexpr linear_step linear_step_of(const operation_info& info, const Literal (&literals)[3]) {
  const std::uint64_t minus_one = ~std::uint64_t{0};
  switch (info.code) {
  case operation::copy:
    return {true, {1, 0}, 1};
  case operation::neg:
    return {true, {minus_one, 0}, 1};
  case operation::add:
    return {true, {1, 1}, 2};
  case operation::sub:
    return {true, {1, minus_one}, 2};
  case operation::mul:
    return literals[1]   ? linear_step{true, {static_cast<std::uint64_t>(*literals[1]), 0}, 1}
           : literals[0] ? linear_step{true, {0, static_cast<std::uint64_t>(*literals[0])}, 2}
                         : linear_step();
  case operation::shl:
    return literals[1] && *literals[1] < info.width
               ? linear_step{true, {std::uint64_t{1} << static_cast<std::uint64_t>(*literals[1]), 0}, 1}
               : linear_step();
  default:
    return {};
  }
}

namespace detail {

/// An operation that waits to be read, times a factor.
struct waiting_term {
  value_id value;
  std::uint64_t factor;
};

} // namespace detail

/// Reads the form of an operation of these operands. `looks_through(v)` says of which other operations the operands are
/// read in its place; it is called once for each use of an operation, and `reads(v)` when it was. False if there are
/// more terms than a form has, or more than 16 operations.
template <definition_reader Reader, class LooksThrough, class Reads>
constexpr bool read_linear_form(const Reader& reader, const operation_info& root, span<const value_id> operands,
                                const LooksThrough& looks_through, const Reads& reads, linear_form& out) {
  out = linear_form();
  out.width = root.width;
  detail::waiting_term waiting[34] = {};
  std::size_t count = 0;
  std::size_t operations = 0;
  const auto push = [&](const operation_info& info, span<const value_id> of, std::uint64_t factor) {
    decltype(reader.constant(no_value)) literals[3] = {};
    for (std::size_t i = 0; i != of.size() && i != 3; ++i) {
      literals[i] = of[i] == no_value ? decltype(reader.constant(no_value))() : reader.constant(of[i]);
    }
    const linear_step step = linear_step_of(info, literals);
    if (!step.is_linear || of.size() < step.num_operands || of.size() != arity(info.code)) {
      return false;
    }
    for (std::size_t i = step.num_operands; i-- != 0;) { // the first one is read first
      if (of[i] == no_value || reader.is_undefined(of[i]) || reader.width(of[i]) != out.width) {
        return false;
      }
    }
    for (std::size_t i = step.num_operands; i-- != 0;) {
      if (step.factors[i] != 0) {
        waiting[count++] = {of[i], factor * step.factors[i]};
      }
    }
    return true;
  };
  if (!push(root, operands, 1)) {
    return false;
  }
  while (count != 0) {
    const detail::waiting_term at = waiting[--count];
    if (const auto c = reader.constant(at.value)) {
      out.add(static_cast<std::uint64_t>(*c) * at.factor);
      continue;
    }
    const operation_info info = reader.definition(at.value);
    if (info.code != operation::other && info.width == out.width && operations != 16 && looks_through(at.value)) {
      value_id read[3] = {no_value, no_value, no_value};
      std::size_t size = 0;
      detail::for_each_id(reader.operands(at.value), [&](value_id x) {
        if (size < 3) {
          read[size] = x;
        }
        ++size;
      });
      if (size <= 3 && push(info, span<const value_id>(read, size), at.factor)) {
        ++operations;
        reads(at.value);
        continue;
      }
    }
    if (!out.add(at.value, at.factor)) {
      return false;
    }
  }
  return true;
}

MIDEND_END_NAMESPACE
