/// `congruence_classes`: the lists of a partition of values, some of which pass on another value.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The reason why a value is in its class.
enum class congruence_role : std::uint8_t {
  absent,   ///< in no class: it has no value so far
  constant, ///< its fact is a constant
  passed,   ///< it always equals another value: a copy, or a phi with equal inputs
  own       ///< others of the class compute the same
};

struct congruence_class {
  value_id first = no_value;   ///< the first root
  std::uint32_t weight = 0;    ///< the number of its values, passed ones included
  bool is_pending = false;     ///< it was split off, and its users do not know yet
  bool is_undescribed = false; ///< the table has no entry for what its operations compute now
};

/// Values in classes. Roots are in lists by class, and a passed value hangs on its root:
///
///     class ── root ── root ── root
///                │               │
///              passed          passed
///                │
///              passed
///
/// So a root moves with all values that pass it on. Only keeps the lists; `congruence_solver` decides
/// which value belongs where. Each change takes O(1) time.
class congruence_classes {
public:
  static constexpr std::uint32_t no_class = 0xffff'ffff;

  /// Starts with `count` values, which are in no class.
  constexpr void start(std::size_t count) {
    roles_.assign(count, congruence_role::absent);
    root_.assign(count, no_value);
    class_.resize_for_overwrite(count);
    next_.resize_for_overwrite(count);
    previous_.resize_for_overwrite(count);
    passed_.assign(count, no_value);
    weight_.assign(count, 1);
    classes_.clear();
    classes_.reserve(count);
  }

  // ---- Questions.

  constexpr std::size_t num_values() const { return root_.size(); }

  constexpr std::uint32_t num_classes() const { return static_cast<std::uint32_t>(classes_.size()); }

  constexpr congruence_class& operator[](std::uint32_t c) { return classes_[c]; }

  constexpr const congruence_class& operator[](std::uint32_t c) const { return classes_[c]; }

  constexpr congruence_role role(value_id v) const { return roles_[v]; }

  /// Whether a value is in a class.
  constexpr bool is_placed(value_id v) const { return root_[v] != no_value; }

  /// The class of a placed value.
  constexpr std::uint32_t class_of(value_id v) const { return class_[root_[v]]; }

  /// Whether the class of this root has no other root, so that it cannot be split.
  constexpr bool is_only_root(value_id v) const { return next_[v] == no_value && previous_[v] == no_value; }

  /// The next root of the class, or the next value that passes on the same root; `no_value` after the last.
  constexpr value_id next(value_id v) const { return next_[v]; }

  /// The first value that passes on a root.
  constexpr value_id first_passed(value_id root) const { return passed_[root]; }

  /// 1 + the number of values that pass on a root.
  constexpr std::uint32_t weight_of(value_id root) const { return weight_[root]; }

  /// By value: its root, or `no_value`; and by root: its class. For loops over all values.
  constexpr const value_id* roots() const { return root_.data(); }

  constexpr const std::uint32_t* classes_of_roots() const { return class_.data(); }

  // ---- Changes.

  /// Returns an empty class.
  constexpr std::uint32_t new_class() {
    classes_.push_back({});
    return num_classes() - 1;
  }

  /// Puts `v` into a new class.
  constexpr void attach_alone(value_id v) {
    roles_[v] = congruence_role::own;
    root_[v] = v;
    weight_[v] = 1;
    next_[v] = no_value;
    previous_[v] = no_value;
    class_[v] = num_classes();
    classes_.push_back({v, 1, false, false});
  }

  /// Puts `v` into a class, as a root.
  constexpr void attach(value_id v, congruence_role role, std::uint32_t c) {
    roles_[v] = role;
    root_[v] = v;
    weight_[v] = 1;
    link(v, classes_[c].first);
    class_[v] = c;
    ++classes_[c].weight;
  }

  /// Puts `v` into the class of `operand`, which it passes on.
  constexpr void attach_passed(value_id v, value_id operand) {
    const value_id root = root_[operand];
    roles_[v] = congruence_role::passed;
    root_[v] = root;
    link(v, passed_[root]);
    ++weight_[root];
    ++classes_[class_[root]].weight;
  }

  /// Takes `v` out of its class, if it is in one. The role stays.
  constexpr void detach(value_id v) {
    const value_id root = root_[v];
    if (root == no_value) {
      return;
    }
    if (root == v) {
      unlink(v, classes_[class_[v]].first);
      classes_[class_[v]].weight -= weight_[v];
    } else {
      unlink(v, passed_[root]);
      --weight_[root];
      if (root_[root] == root) {
        --classes_[class_[root]].weight;
      }
    }
    root_[v] = no_value;
  }

  /// Moves a root to another class, with all values that pass it on.
  constexpr void move_root(value_id v, std::uint32_t to) {
    const std::uint32_t from = class_[v];
    unlink(v, classes_[from].first);
    classes_[from].weight -= weight_[v];
    link(v, classes_[to].first);
    classes_[to].weight += weight_[v];
    class_[v] = to;
  }

  /// From now on, `v` is compared with others instead of passing on a value. Its place is to follow.
  constexpr void stop_passing(value_id v) { roles_[v] = congruence_role::own; }

private:
  constexpr void link(value_id v, value_id& first) {
    next_[v] = first;
    previous_[v] = no_value;
    if (first != no_value) {
      previous_[first] = v;
    }
    first = v;
  }

  constexpr void unlink(value_id v, value_id& first) {
    const value_id next = next_[v];
    const value_id previous = previous_[v];
    (previous == no_value ? first : next_[previous]) = next;
    if (next != no_value) {
      previous_[next] = previous;
    }
  }

  flat_array<congruence_role> roles_; ///< by value
  flat_array<value_id> root_;         ///< by value: its root, which is itself for roots; `no_value` if in no class
  flat_array<std::uint32_t> class_;   ///< by root
  flat_array<value_id> next_;         ///< the next root of the class, or the next passed value of the root
  flat_array<value_id> previous_;
  flat_array<value_id> passed_;      ///< by root: the first value that passes it on
  flat_array<std::uint32_t> weight_; ///< by root: 1 + the number of values that pass it on
  flat_array<congruence_class> classes_;
};

} // namespace detail

MIDEND_END_NAMESPACE
