/// `agreeing_inputs`: finds phis with only one value to choose from.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/inserted_phis.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// `editor.can_replace_undefined(v, n, tree)`: see `ir/editing.hpp`.
template <class E>
concept replaces_undefined =
    has_is_undefined<E> && requires(const E& e, value_id v, node_id n, const dominator_tree& t) {
      { e.can_replace_undefined(v, n, t) } -> truth_value;
    };

/// Replaces phis whose inputs are the phi itself and one other value by that value, until there are no more. Phis are
/// named by their place in a list.
///
/// Each phi remembers how many of its inputs were compared and found equal; they stay equal. It is examined again when
/// two of its inputs may have become equal. O(i log i) for i inputs.
class agreeing_inputs {
public:
  constexpr void start() { inputs_.clear(); }

  /// `phis[phi]` has the input `v`.
  constexpr void add(std::uint32_t phi, value_id v) { inputs_.push_back({phi, v, none}); }

  /// Removes such phis from the program; `is_removed` then says which. Returns whether there are any.
  template <class E> constexpr bool remove(E& editor, const dominator_tree& tree, span<const variable_phi> phis) {
    todo_.clear();
    list_candidates(editor, tree, phis);
    if (todo_.empty()) {
      return false;
    }
    group_inputs(phis);
    while (!todo_.empty()) {
      const std::uint32_t phi = todo_.back();
      todo_.pop_back();
      if (!is_removed(phi) && agree(editor, tree, phis, phi)) {
        replace(phi,
                records_[phi].other != no_value ? records_[phi].other : editor.undefined_value(phis[phi].variable));
      }
    }
    for (std::uint32_t phi = 0; phi != phis.size(); ++phi) {
      if (is_removed(phi)) {
        editor.replace_uses(phis[phi].value, present(phis[phi].value));
      }
    }
    for (std::uint32_t phi = 0; phi != phis.size(); ++phi) {
      if (is_removed(phi)) {
        editor.erase_value(phis[phi].value);
      }
    }
    return true;
  }

  constexpr bool is_removed(std::uint32_t phi) const { return records_[phi].replaced_by != no_value; }

private:
  static constexpr std::uint32_t none = 0xffff'ffff;

  struct phi_record {
    value_id other; ///< an input that is not the phi itself, or `no_value`
    value_id replaced_by;
    std::uint32_t compared;  ///< the first of its inputs, in `by_phi_`, that was not found to agree
    std::uint32_t first_use; ///< the inputs that read it, a list in `by_phi_`
    std::uint32_t last_use;
    std::uint32_t num_uses;
    bool reads_undefined;
    bool differs;
  };

  struct phi_input {
    std::uint32_t phi;
    value_id value;
    std::uint32_t next_use; ///< another input that reads the same phi
  };

  template <class E> static constexpr bool is_undefined([[maybe_unused]] const E& editor, [[maybe_unused]] value_id v) {
    if constexpr (replaces_undefined<E>) {
      return static_cast<bool>(editor.is_undefined(v));
    } else {
      return false;
    }
  }

  /// Whether the undefined inputs agree with `other`, the value of all other inputs.
  template <class E>
  static constexpr bool includes_undefined([[maybe_unused]] const E& editor,
                                           [[maybe_unused]] const dominator_tree& tree,
                                           [[maybe_unused]] const phi_record& record, [[maybe_unused]] node_id n) {
    if constexpr (replaces_undefined<E>) {
      return !record.reads_undefined || record.other == no_value ||
             static_cast<bool>(editor.can_replace_undefined(record.other, n, tree));
    } else {
      return true;
    }
  }

  /// The phis that agree before any is replaced. Most often there are none.
  template <class E>
  constexpr void list_candidates(const E& editor, const dominator_tree& tree, span<const variable_phi> phis) {
    records_.assign(phis.size(), {no_value, no_value, 0, none, none, 0, false, false});
    for (const phi_input& input : inputs_) {
      phi_record& record = records_[input.phi];
      if (input.value == phis[input.phi].value) {
        continue;
      }
      if (is_undefined(editor, input.value)) {
        record.reads_undefined = true;
      } else {
        record.differs = record.differs || (record.other != no_value && record.other != input.value);
        record.other = input.value;
      }
    }
    for (std::uint32_t phi = 0; phi != phis.size(); ++phi) {
      if (!records_[phi].differs && includes_undefined(editor, tree, records_[phi], phis[phi].node)) {
        todo_.push_back(phi);
      }
    }
  }

  constexpr void group_inputs(span<const variable_phi> phis) {
    value_id last = 0;
    for (const variable_phi& phi : phis) {
      last = phi.value > last ? phi.value : last;
    }
    phi_of_.assign(last + std::size_t{1}, none);
    ends_.assign(phis.size() + 1, 0);
    for (std::uint32_t phi = 0; phi != phis.size(); ++phi) {
      phi_of_[phis[phi].value] = phi;
    }
    for (const phi_input& input : inputs_) {
      ++ends_[input.phi];
    }
    counts_to_ends(ends_);
    by_phi_.resize_for_overwrite(inputs_.size());
    for (const phi_input& input : inputs_) {
      by_phi_[--ends_[input.phi]] = input;
    }
    for (std::uint32_t phi = 0; phi != phis.size(); ++phi) {
      records_[phi].compared = ends_[phi];
      records_[phi].other = no_value;
    }
    for (std::uint32_t i = 0; i != by_phi_.size(); ++i) {
      const std::uint32_t read = phi_of(by_phi_[i].value);
      if (read != none) {
        by_phi_[i].next_use = records_[read].first_use;
        records_[read].first_use = i;
        ++records_[read].num_uses;
        records_[read].last_use = records_[read].last_use == none ? i : records_[read].last_use;
      }
    }
  }

  constexpr std::uint32_t phi_of(value_id v) const { return v < phi_of_.size() ? phi_of_[v] : none; }

  /// The value that replaced `v` if `v` is a removed phi; else `v`.
  constexpr value_id present(value_id v) {
    value_id last = v;
    for (std::uint32_t phi = phi_of(last); phi != none && is_removed(phi); phi = phi_of(last)) {
      last = records_[phi].replaced_by;
    }
    while (v != last) {
      value_id& next = records_[phi_of(v)].replaced_by;
      v = next;
      next = last;
    }
    return last;
  }

  template <class E>
  constexpr bool agree(const E& editor, const dominator_tree& tree, span<const variable_phi> phis, std::uint32_t phi) {
    phi_record& record = records_[phi];
    const value_id itself = phis[phi].value;
    const value_id before = record.other;
    record.other = no_value;
    if (before != no_value && !compare(editor, record, itself, present(before))) {
      return false;
    }
    const std::uint32_t end = ends_[phi + std::size_t{1}];
    while (record.compared != end && compare(editor, record, itself, present(by_phi_[record.compared].value))) {
      ++record.compared;
    }
    return record.compared == end && includes_undefined(editor, tree, record, phis[phi].node);
  }

  /// Whether `v` agrees with the inputs that were compared before.
  template <class E> static constexpr bool compare(const E& editor, phi_record& record, value_id itself, value_id v) {
    if (v == itself || v == record.other) {
      return true;
    }
    if (is_undefined(editor, v)) {
      record.reads_undefined = true;
      return true;
    }
    if (record.other != no_value) {
      return false;
    }
    record.other = v;
    return true;
  }

  /// Makes the readers of `phi` read `by`. A phi that read both may agree now. So only the readers of the value with
  /// fewer of them are examined, and `by` itself, which may have read `phi`.
  constexpr void replace(std::uint32_t phi, value_id by) {
    phi_record& record = records_[phi];
    record.replaced_by = by;
    const std::uint32_t number = phi_of(by);
    if (number == none) {
      look_again(record);
      return;
    }
    phi_record& reader = records_[number];
    todo_.push_back(number);
    look_again(record.num_uses < reader.num_uses ? record : reader);
    if (record.first_use != none) {
      by_phi_[record.last_use].next_use = reader.first_use;
      reader.last_use = reader.last_use == none ? record.last_use : reader.last_use;
      reader.first_use = record.first_use;
      reader.num_uses += record.num_uses;
    }
  }

  constexpr void look_again(const phi_record& read) {
    for (std::uint32_t i = read.first_use; i != none; i = by_phi_[i].next_use) {
      if (!is_removed(by_phi_[i].phi)) {
        todo_.push_back(by_phi_[i].phi);
      }
    }
  }

  flat_array<phi_input> inputs_; ///< as they were added
  flat_array<phi_record> records_;
  flat_array<std::uint32_t> todo_;
  flat_array<std::uint32_t> phi_of_; ///< by value; `none` if it is no phi
  flat_array<std::uint32_t> ends_;   ///< by phi, and one more: where its inputs begin in `by_phi_`
  flat_array<phi_input> by_phi_;
};

} // namespace detail

MIDEND_END_NAMESPACE
