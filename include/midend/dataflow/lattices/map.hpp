/// `map`: a fact for each of many variables.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/dense_values.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/text.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// An element of `L` for each of the keys 0 … `num_keys() - 1`, compared and joined key by key: an array of values,
/// read and written by `a[key]`. Has the optional members of `L`. Its height is `num_keys()` times that of `L`; it is
/// distributive if `L` is. Each operation is O(num_keys) operations of `L`.
template <lattice_argument L> class map {
public:
  using element = detail::dense_values<element_of<L>>;

  constexpr map(L values, std::size_t num_keys) : values_(std::move(values)), num_keys_(num_keys) {}

  constexpr const L& values() const { return values_; }

  constexpr std::size_t num_keys() const { return num_keys_; }

  /// The bottom of `L` for each key.
  constexpr element bottom() const { return all(values_.bottom()); }

  constexpr element top() const
    requires has_top<L>
  {
    return all(values_.top());
  }

  constexpr bool join(element& a, const element& b) const {
    return update(a, b, [this](element_of<L>& x, const element_of<L>& y) { return values_.join(x, y); });
  }

  constexpr bool meet(element& a, const element& b) const
    requires has_meet<L>
  {
    return update(a, b, [this](element_of<L>& x, const element_of<L>& y) { return values_.meet(x, y); });
  }

  constexpr bool leq(const element& a, const element& b) const {
    require_keys(a);
    require_keys(b);
    for (std::size_t key = 0; key != num_keys_; ++key) {
      if (!less_or_equal(values_, a[key], b[key])) {
        return false;
      }
    }
    return true;
  }

  constexpr bool widen(element& a, const element& b) const
    requires has_widen<L>
  {
    return update(a, b, [this](element_of<L>& x, const element_of<L>& y) { return values_.widen(x, y); });
  }

  constexpr bool narrow(element& a, const element& b) const
    requires has_narrow<L>
  {
    return update(a, b, [this](element_of<L>& x, const element_of<L>& y) { return values_.narrow(x, y); });
  }

  /// `{0: x, 3: y}`; keys at bottom are left out.
  constexpr void print(text_buffer& out, const element& a) const
    requires has_print<L>
  {
    const element_of<L> nothing = values_.bottom();
    text_list list(out, '{');
    for (std::size_t key = 0; key != num_keys_; ++key) {
      if (!less_or_equal(values_, a[key], nothing)) {
        list.next();
        append_integer(out, key);
        append_text(out, ": ");
        values_.print(out, a[key]);
      }
    }
    list.close('}');
  }

  /// The parts are the keys.
  template <class Visit> constexpr void explain_difference(const element& a, const element& b, Visit visit) const {
    for (std::size_t key = 0; key != num_keys_; ++key) {
      const order_relation relation = compare(values_, a[key], b[key]);
      if (relation != order_relation::equal) {
        visit(static_cast<std::uint32_t>(key), relation);
      }
    }
  }

  constexpr void print_part(text_buffer& out, const element& a, std::uint32_t key) const
    requires has_print<L>
  {
    values_.print(out, a[key]);
  }

private:
  constexpr element all(const element_of<L>& value) const {
    element out;
    out.assign(num_keys_, value);
    return out;
  }

  template <class Change> constexpr bool update(element& a, const element& b, Change change) const {
    require_keys(a);
    require_keys(b);
    element_of<L>* const to = a.data();
    const element_of<L>* const from = b.data();
    bool changed = false;
    for (std::size_t key = 0; key != num_keys_; ++key) {
      changed |= change(to[key], from[key]);
    }
    return changed;
  }

  constexpr void require_keys([[maybe_unused]] const element& a) const {
    MIDEND_ASSERT(a.size() == num_keys_, "an element of this lattice", a.size(), num_keys_);
  }

  [[no_unique_address]] L values_;
  std::size_t num_keys_;
};

MIDEND_END_NAMESPACE
