/// `region_values`: which value of a region stands for a value of the program. `value_reader`: reads a value where an
/// operation of the region uses it.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/machine/lowering/detail/program_questions.hpp"
#include "midend/machine/lowering/detail/region_builder.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/region_value_kind.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A map from the values of the program to operands of one region. It grows while the region is read: each
/// phase that appends a value for one of the program enters it.
class region_values {
public:
  /// Starts on a region, with no value. Linear in the values of the last region, and once in those of the program.
  constexpr void start(std::size_t num_values) {
    for (const value_id v : known_) {
      of_[v] = {};
    }
    known_.clear();
    if (of_.size() < num_values) {
      of_.assign(num_values, region_operand{});
    }
  }

  constexpr bool is_known(value_id v) const { return of_[v].node != no_region_value; }

  /// None if the value is not known.
  constexpr const region_operand& operator[](value_id v) const { return of_[v]; }

  /// A later operand replaces an earlier one.
  constexpr void set(value_id v, const region_operand& o) {
    of_[v] = o;
    known_.push_back(v);
  }

private:
  flat_array<region_operand> of_; ///< by value of the program
  flat_array<value_id> known_;    ///< those that are not none
};

/// Takes a value of the program, and returns its operand in the region. Adds numbers and values from outside where they
/// are first used. Shared by all phases that read operands.
template <class IR> class value_reader {
public:
  constexpr value_reader(const IR& ir, region_values& values, region_builder& builder)
      : ir_(ir), values_(values), builder_(builder) {}

  constexpr const IR& ir() const { return ir_; }

  constexpr region_builder& builder() const { return builder_; }

  constexpr const region_values& known() const { return values_; }

  constexpr void set(value_id v, const region_operand& o) const { values_.set(v, o); }

  /// Lets the value that was appended last stand for `v`.
  constexpr void set_to_last(value_id v) const { values_.set(v, {builder_.last(), 0}); }

  /// The operand for a value. A value that the region has not computed is a number, if the IR says so about it or about
  /// the value that it copies; otherwise it comes from outside.
  constexpr region_operand operand_of(value_id v) const {
    if (!values_.is_known(v)) {
      const value_id source = through_copies(ir_, v);
      add_source(source);
      if (source != v) {
        values_.set(v, values_[source]);
      }
    }
    return values_[v];
  }

private:
  constexpr void add_source(value_id v) const {
    if (values_.is_known(v)) {
      return;
    }
    builder_.set_origin(v);
    const std::uint8_t width = ir_.operation(v).width;
    if (const auto bits = ir_.constant(v)) {
      values_.set(v, builder_.constant(*bits, width));
    } else {
      builder_.append(region_value_kind::invariant, width).is_invariant = true;
      set_to_last(v);
    }
  }

  const IR& ir_;
  region_values& values_;
  region_builder& builder_;
};

} // namespace detail

MIDEND_END_NAMESPACE
