/// What the generator of random programs knows of the values that can be read at a place.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/ir/ssa_values.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// A value, or a variable that has been written, with what is known of it.
struct known_value {
  value_id value = no_value;
  elbrus::type type = elbrus::type::none;

  bool bounded = false; ///< an integer between the two
  std::int64_t low = 0;
  std::int64_t high = 0;

  std::int64_t before = 0; ///< a pointer: bytes that can be accessed before …
  std::int64_t room = 0;   ///< … and behind it
  alias_id alias = no_alias;

  bool within(std::int64_t least, std::int64_t most) const { return bounded && least <= low && high <= most; }
};

/// An integer between two.
inline known_value bounded_value(value_id v, type t, std::int64_t low, std::int64_t high) {
  known_value out;
  out.value = v;
  out.type = t;
  out.bounded = true;
  out.low = low;
  out.high = high;
  return out;
}

/// What holds of either.
inline known_value either(known_value a, const known_value& b) {
  a.bounded = a.bounded && b.bounded;
  a.low = std::min(a.low, b.low);
  a.high = std::max(a.high, b.high);
  a.before = std::min(a.before, b.before);
  a.room = std::min(a.room, b.room);
  a.alias = a.alias == b.alias ? a.alias : no_alias;
  return a;
}

/// Where the exact result of an operation lies.
struct bounds {
  std::int64_t low;
  std::int64_t high;
};

/// The same of add, sub, mul, neg, and of shl by a literal, of operands that are bounded.
inline bounds bounds_of(opcode code, const known_value& a, const known_value& b) {
  const auto around = [](std::int64_t w, std::int64_t x, std::int64_t y, std::int64_t z) {
    return bounds{std::min({w, x, y, z}), std::max({w, x, y, z})};
  };
  switch (code) {
  case opcode::add:
    return {a.low + b.low, a.high + b.high};
  case opcode::sub:
    return {a.low - b.high, a.high - b.low};
  case opcode::mul:
    return around(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
  case opcode::neg:
    return {-a.high, -a.low};
  default: // shl
    return around(a.low * (std::int64_t{1} << b.low), a.high * (std::int64_t{1} << b.low), 0, 0);
  }
}

/// The end of a path into a node: its edge, and what can be read there beside what can be read at the node's dominator.
struct arrival {
  edge_id edge = 0;
  std::vector<known_value> tail;
};

/// A node where paths meet, while they are written.
struct meeting_point {
  node_id node = no_node;
  std::size_t base = 0; ///< what can be read at its dominator: so many of the scope
  std::vector<arrival> arrivals;
  std::vector<edge_id> unreachable = {}; ///< from nodes that nothing leads to
};

/// The values that can be read, oldest first. A place sees a prefix of what a place that it dominates sees.
class random_scope {
public:
  std::size_t size() const { return values_.size(); }

  const known_value& operator[](std::size_t i) const { return values_[i]; }

  bool contains(value_id v) const { return v < visible_.size() && visible_[v] != 0; }

  void push(const known_value& v) {
    grow(visible_, v.value);
    visible_[v.value] = 1;
    values_.push_back(v);
  }

  void shrink(std::size_t size) {
    while (values_.size() > size) {
      visible_[values_.back().value] = 0;
      values_.pop_back();
    }
  }

  void arrive(meeting_point& at, edge_id e) const {
    at.arrivals.push_back({e, {values_.begin() + static_cast<std::ptrdiff_t>(at.base), values_.end()}});
  }

  /// What can be read where paths meet: what can be read at the end of each. That is right for values, whose
  /// definitions then dominate all ends, and for variables, which are then written on all paths.
  void meet(const meeting_point& at) {
    shrink(at.base);
    const std::uint32_t before = met_;
    for (const arrival& a : at.arrivals) {
      for (const known_value& v : a.tail) {
        grow(met_by_, v.value);
        if (met_ == before || met_by_[v.value] == met_) {
          met_by_[v.value] = met_ + 1;
        }
      }
      ++met_;
    }
    for (const known_value& v : at.arrivals.front().tail) {
      if (met_by_[v.value] == met_) {
        push(v);
      }
    }
  }

private:
  template <class Element> static void grow(std::vector<Element>& column, value_id v) {
    if (column.size() <= v) {
      column.resize(std::size_t{v} + 1, 0);
    }
  }

  std::vector<known_value> values_;
  std::vector<unsigned char> visible_; ///< by value
  std::vector<std::uint32_t> met_by_;  ///< by value: `met_` when it was in the tail of all arrivals so far
  std::uint32_t met_ = 0;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
