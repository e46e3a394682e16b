/// The laws of lattices, and the report of `check_lattice`.
#pragma once

#include "midend/config.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// Groups of laws. A level is tested if the lattice has the members for it.
enum class lattice_level : std::uint8_t {
  order,        ///< `leq`, or the order that `join` defines
  join,         ///< a join-semilattice with `bottom`: what every analysis needs
  meet,         ///< a lattice, with `top`
  distributive, ///< then solutions are as precise as the join over all paths; many good lattices are not distributive
  widening,
  narrowing,
};

inline constexpr std::size_t num_lattice_levels = 6;

/// The laws, by level, for all x, y and z. ≤ is `leq` in the laws of the order and is defined by `join` elsewhere, so a
/// wrong `leq` only breaks laws of the order. Each law compares two elements, `left` and `right`.
enum class lattice_law : std::uint8_t {
  leq_reflexive,        ///< x ≤ x
  leq_bottom_least,     ///< ⊥ ≤ x
  leq_antisymmetric,    ///< x ≤ y and y ≤ x: x == y
  leq_agrees_with_join, ///< `leq(x, y)` if and only if x ∨ y is y; left is x ∨ y, right is y
  leq_transitive,       ///< x ≤ y and y ≤ z: x ≤ z

  join_idempotent,     ///< x ∨ x is x
  join_bottom_neutral, ///< ⊥ ∨ x and x ∨ ⊥ are x
  join_says_changed,   ///< `join(x, y)` says whether it changed x; left is x before, right is x after
  join_upper_bound,    ///< x ≤ x ∨ y and y ≤ x ∨ y
  join_commutative,    ///< x ∨ y is y ∨ x
  join_least,          ///< x ≤ z and y ≤ z: x ∨ y ≤ z
  join_associative,    ///< (x ∨ y) ∨ z is x ∨ (y ∨ z)

  top_greatest,      ///< x ≤ ⊤
  meet_idempotent,   ///< x ∧ x is x
  meet_says_changed, ///< as for `join`
  meet_lower_bound,  ///< x ∧ y ≤ x and x ∧ y ≤ y
  meet_commutative,  ///< x ∧ y is y ∧ x
  meet_absorbs,      ///< x ∧ (x ∨ y) is x and x ∨ (x ∧ y) is x
  meet_greatest,     ///< z ≤ x and z ≤ y: z ≤ x ∧ y
  meet_associative,  ///< (x ∧ y) ∧ z is x ∧ (y ∧ z)

  meet_distributes, ///< x ∧ (y ∨ z) is (x ∧ y) ∨ (x ∧ z)

  widen_says_changed, ///< as for `join`
  widen_upper_bound,  ///< x ≤ x ∇ y and y ≤ x ∇ y
  widen_ends,         ///< ⊥ ∇ x ∇ … ∇ y changes at most as often as allowed; left → right is the first step too many

  narrow_says_changed, ///< y ≤ x: as for `join`
  narrow_between,      ///< y ≤ x: y ≤ x △ y ≤ x
  narrow_ends,         ///< as `widen_ends`, for x △ … △ y
};

inline constexpr std::size_t num_lattice_laws = 27;

namespace detail {

struct law_description {
  const char* name;
  lattice_level level;
  std::uint8_t arity; ///< the number of variables among x, y and z
  bool is_chain;      ///< y is the result of a search, not any element
};

inline constexpr std::array<law_description, num_lattice_laws> law_descriptions{{
    {"leq_reflexive", lattice_level::order, 1, false},
    {"leq_bottom_least", lattice_level::order, 1, false},
    {"leq_antisymmetric", lattice_level::order, 2, false},
    {"leq_agrees_with_join", lattice_level::order, 2, false},
    {"leq_transitive", lattice_level::order, 3, false},
    {"join_idempotent", lattice_level::join, 1, false},
    {"join_bottom_neutral", lattice_level::join, 1, false},
    {"join_says_changed", lattice_level::join, 2, false},
    {"join_upper_bound", lattice_level::join, 2, false},
    {"join_commutative", lattice_level::join, 2, false},
    {"join_least", lattice_level::join, 3, false},
    {"join_associative", lattice_level::join, 3, false},
    {"top_greatest", lattice_level::meet, 1, false},
    {"meet_idempotent", lattice_level::meet, 1, false},
    {"meet_says_changed", lattice_level::meet, 2, false},
    {"meet_lower_bound", lattice_level::meet, 2, false},
    {"meet_commutative", lattice_level::meet, 2, false},
    {"meet_absorbs", lattice_level::meet, 2, false},
    {"meet_greatest", lattice_level::meet, 3, false},
    {"meet_associative", lattice_level::meet, 3, false},
    {"meet_distributes", lattice_level::distributive, 3, false},
    {"widen_says_changed", lattice_level::widening, 2, false},
    {"widen_upper_bound", lattice_level::widening, 2, false},
    {"widen_ends", lattice_level::widening, 2, true},
    {"narrow_says_changed", lattice_level::narrowing, 2, false},
    {"narrow_between", lattice_level::narrowing, 2, false},
    {"narrow_ends", lattice_level::narrowing, 2, true},
}};

} // namespace detail

constexpr const char* name_of(lattice_law law) {
  return detail::law_descriptions[static_cast<std::size_t>(law)].name;
}

constexpr lattice_level level_of(lattice_law law) {
  return detail::law_descriptions[static_cast<std::size_t>(law)].level;
}

/// The number of variables among x, y and z in the law.
constexpr std::size_t arity_of(lattice_law law) {
  return detail::law_descriptions[static_cast<std::size_t>(law)].arity;
}

constexpr const char* name_of(lattice_level level) {
  constexpr const char* names[] = {"order", "join", "meet", "distributive", "widening", "narrowing"};
  return names[static_cast<std::size_t>(level)];
}

/// A broken law, with a counterexample.
template <class Element> struct lattice_violation {
  lattice_law law;
  std::array<std::size_t, 3> indices; ///< of x, y and z in the list; only the first `arity_of(law)` are valid
  std::array<Element, 3> elements;
  Element left; ///< should equal `right`, or be below it
  Element right;
};

/// The report of `check_lattice`. Equal inputs give equal reports.
template <class Element> struct lattice_report {
  std::array<bool, num_lattice_levels> tested{};
  std::array<std::optional<lattice_violation<Element>>, num_lattice_levels> violations; ///< the first of each level
  bool exhaustive = false; ///< all pairs and triples of the list were tested
  std::size_t height = 0; ///< steps of the longest ascending chain within the list; 0 if the list is too long to search
  std::size_t widenings = 0;  ///< changes in the longest chain of widenings found
  std::size_t narrowings = 0; ///< changes in the longest chain of narrowings found

  constexpr const lattice_violation<Element>* violation(lattice_level level) const {
    const auto& found = violations[static_cast<std::size_t>(level)];
    return found ? &*found : nullptr;
  }

  /// Whether the level was tested and no law of it is broken.
  constexpr bool holds(lattice_level level) const {
    return tested[static_cast<std::size_t>(level)] && violation(level) == nullptr;
  }

  /// Whether no law that an analysis relies on is broken; `distributive` is not one of them.
  constexpr bool ok() const {
    for (std::size_t i = 0; i != num_lattice_levels; ++i) {
      if (violations[i] && static_cast<lattice_level>(i) != lattice_level::distributive) {
        return false;
      }
    }
    return true;
  }
};

MIDEND_END_NAMESPACE
