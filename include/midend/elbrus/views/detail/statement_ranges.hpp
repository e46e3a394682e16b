/// The ranges that views of procedures as statements return.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// One variable, or none.
class one_or_none {
public:
  constexpr one_or_none() = default;

  constexpr explicit one_or_none(variable_id x) : variable_(x), count_(1) {}

  constexpr const variable_id* begin() const { return &variable_; }

  constexpr const variable_id* end() const { return &variable_ + count_; }

private:
  variable_id variable_ = no_variable;
  std::uint32_t count_ = 0;
};

/// The variables among operands: `Select()(p, v)` is the number of the variable that value v is, or `no_variable`.
template <class Select> class variable_iterator {
public:
  using value_type = variable_id;
  using difference_type = std::ptrdiff_t;
  using reference = variable_id;
  using pointer = void;
  using iterator_category = std::input_iterator_tag; // the reference is a value
  using iterator_concept = std::forward_iterator_tag;

  variable_iterator() = default;

  variable_iterator(const procedure& p, span<const value_id> operands)
      : procedure_(&p), at_(operands.data()), last_(operands.data() + operands.size()) {
    skip();
  }

  variable_id operator*() const { return variable_; }

  variable_iterator& operator++() {
    ++at_;
    skip();
    return *this;
  }

  variable_iterator operator++(int) {
    const variable_iterator old = *this;
    ++*this;
    return old;
  }

  friend bool operator==(const variable_iterator& a, const variable_iterator& b) { return a.at_ == b.at_; }

  friend bool operator==(const variable_iterator& it, std::default_sentinel_t) { return it.at_ == it.last_; }

private:
  void skip() {
    for (variable_ = no_variable; at_ != last_; ++at_) {
      variable_ = *at_ == no_value ? no_variable : Select()(*procedure_, *at_);
      if (variable_ != no_variable) {
        return;
      }
    }
  }

  const procedure* procedure_ = nullptr;
  const value_id* at_ = nullptr;
  const value_id* last_ = nullptr;
  variable_id variable_ = no_variable;
};

template <class Select> using variable_range = iterator_range<variable_iterator<Select>, std::default_sentinel_t>;

template <class Select> variable_range<Select> variables_among(const procedure& p, span<const value_id> operands) {
  return {variable_iterator<Select>(p, operands), std::default_sentinel};
}

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
