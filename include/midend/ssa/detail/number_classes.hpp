/// `number_classes`: writes a finished partition of values as the result of `value_numbering` keeps it.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ssa/detail/congruence_classes.hpp"
#include "midend/ssa/detail/found_nodes.hpp"
#include "midend/ssa/detail/ssa_order.hpp"
#include "midend/support/bit_row.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The arrays of the result.
struct numbered_classes {
  flat_array<std::uint32_t>& class_of; ///< by value
  flat_array<std::uint32_t>& starts;   ///< by class: its first member in `members`; and the end
  flat_array<value_id>& members;       ///< class by class
  bit_row& without_value;              ///< by value: it is in no class of the partition
};

/// Writes the values below `num_values` into `out`: values outside all nodes, then node by node as control found them,
/// then nodes that are not executed.
constexpr void order_values(std::size_t num_values, const found_nodes& found, const ssa_order& positions,
                            flat_array<value_id>& out) {
  out.resize_for_overwrite(num_values);
  value_id* end = out.data();
  const node_id* const homes = found.homes();
  for (value_id v = 0; v != num_values; ++v) {
    if (homes[v] == no_node) {
      *end++ = v;
    }
  }
  for (const node_id n : found.nodes()) {
    const std::uint32_t last = positions.last_position(n);
    for (std::uint32_t position = positions.first_position(n); position != last; ++position) {
      if (const value_id v = positions.item(position); v < num_values) {
        *end++ = v;
      }
    }
  }
  for (value_id v = 0; v != num_values && end != out.end(); ++v) {
    if (homes[v] != no_node && found.time_of(homes[v]) == found_nodes::not_entered) {
      *end++ = v;
    }
  }
}

/// Numbers the classes of these values, from `first` on, and calls `count(number)` for each value. A value without
/// class becomes one of its own. `numbers` has the number of each class of the partition, or `no_class`. Returns the
/// next free number.
template <class Values, class Count>
constexpr std::uint32_t
number_classes_of(const Values& values, std::uint32_t first, const congruence_classes& partition,
                  flat_array<std::uint32_t>& numbers_of_classes, const numbered_classes& out, const Count& count) {
  const value_id* const roots = partition.roots();
  const std::uint32_t* const classes = partition.classes_of_roots();
  std::uint32_t* const numbers = numbers_of_classes.data();
  std::uint32_t* const class_of = out.class_of.data();
  std::uint32_t fresh = first;
  for (const value_id v : values) {
    std::uint32_t number = fresh;
    if (const value_id root = roots[v]; root == no_value) {
      out.without_value.set(v);
    } else if (std::uint32_t& known = numbers[classes[root]]; known == congruence_classes::no_class) {
      known = fresh;
    } else {
      number = known;
    }
    fresh += number == fresh ? 1u : 0u;
    class_of[v] = number;
    count(number);
  }
  return fresh;
}

/// Numbers the classes in the order of their first values, classes of copies alone last. Copies are the values from
/// `num_values` on; they are no members. `ordered` and `numbers` are memory.
constexpr void number_classes(std::size_t num_values, const congruence_classes& partition, const found_nodes& found,
                              const ssa_order& positions, flat_array<value_id>& ordered,
                              flat_array<std::uint32_t>& numbers, const numbered_classes& out) {
  order_values(num_values, found, positions, ordered);
  const std::size_t count = partition.num_values();
  numbers.assign(partition.num_classes(), congruence_classes::no_class);
  out.class_of.resize_for_overwrite(count);
  out.starts.assign(num_values + 1, 0);
  out.without_value.resize(count);
  out.without_value.reset();
  std::uint32_t* const sizes = out.starts.data();
  const std::uint32_t num_classes =
      number_classes_of(ordered, 0, partition, numbers, out, [sizes](std::uint32_t c) { ++sizes[c]; });
  out.starts.shrink(num_classes + std::size_t{1});
  counts_to_ends(out.starts);
  out.members.resize_for_overwrite(num_values);
  value_id* const members = out.members.data();
  const std::uint32_t* const classes = out.class_of.data();
  for (std::size_t i = num_values; i-- != 0;) {
    const value_id v = ordered.data()[i];
    members[--sizes[classes[v]]] = v;
  }
  const id_range<value_id> copies(static_cast<value_id>(num_values), static_cast<value_id>(count));
  number_classes_of(copies, num_classes, partition, numbers, out, [](std::uint32_t) {});
}

} // namespace detail

MIDEND_END_NAMESPACE
