/// `loop_versioning_plan`: which loops get a copy for accesses that do not meet, and the witness.
#pragma once

#include "midend/config.hpp"
#include "midend/dependence/read_nest.hpp"
#include "midend/dependence/runtime_checks.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/loop_versions.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Why a loop gets no copy with disjoint accesses.
enum class versioning_obstacle : std::uint8_t {
  none,
  nothing_to_separate, ///< no store may meet an access with another base
  no_check,            ///< no comparison would show that they are apart: see `check`
  unreadable,          ///< the nest was not read: see `nest`
  already_checked,     ///< it is such a copy already, or the original beside one
  too_many_checks,     ///< more comparisons than the limit
  too_large_numbers,   ///< the ends of intervals may not fit in 64 bits, even for small symbols
  not_available,       ///< a base or symbol is computed in the loop, may be undefined, or is no number of up to 64 bits
  not_copied,          ///< the loop cannot be copied: see `copying`
  too_large,           ///< more would be copied than the limit
  overlaps             ///< a loop around or inside it is copied
};

/// What was found for a loop.
struct versioning_candidate {
  loop_id loop = no_loop;
  versioning_obstacle obstacle = versioning_obstacle::none;
  nest_obstacle nest = nest_obstacle::none;
  check_obstacle check = check_obstacle::none;
  loop_copy_obstacle copying = loop_copy_obstacle::none;
  std::uint32_t pairs = 0;  ///< pairs of accesses that may meet, one of them a store
  std::uint32_t checks = 0; ///< comparisons of intervals
  std::size_t cloned = 0;   ///< operations and phis

  friend constexpr bool operator==(const versioning_candidate&, const versioning_candidate&) = default;
};

/// A value that the ends of intervals are computed from.
struct check_symbol {
  value_id value = no_value;
  number_reading reading = number_reading::as_signed;
  unsigned width = 64;
  unsigned limit = 0; ///< if not 0, a test that the number is below 2^limit and, with sign, at least -2^limit
};

/// The bytes that accesses with one base touch in a run of the loop, or some of these bytes: from base + `begin` up to
/// base + `end`, which is excluded. `nest_term::index` is a symbol of the plan.
struct checked_interval {
  value_id base = no_value;
  std::uint32_t group = 0; ///< intervals with one base are one group and have one class
  nest_form begin;
  nest_form end;
};

/// An access that gets a class.
struct separated_access {
  value_id operation = no_value;
  std::uint32_t interval = 0; ///< its number among the intervals of the loop
};

/// A loop that gets a copy.
struct loop_versioning {
  loop_id loop = no_loop;
  std::uint32_t first_symbol = 0;
  std::uint32_t num_symbols = 0;
  std::uint32_t first_interval = 0;
  std::uint32_t num_intervals = 0;
  std::uint32_t first_comparison = 0; ///< of intervals of the loop
  std::uint32_t num_comparisons = 0;
  std::uint32_t first_condition = 0; ///< forms that must not be negative; a loop runs as often as such a form says
  std::uint32_t num_conditions = 0;
  std::uint32_t first_access = 0;
  std::uint32_t num_accesses = 0;
  std::uint32_t first_node = 0; ///< the header
  std::uint32_t num_nodes = 0;
  std::size_t cloned = 0;
};

/// What `apply_loop_versioning` will do. To veto a loop, remove it from `loops`.
struct loop_versioning_plan {
  std::uint64_t epoch = 0;
  flat_array<versioning_candidate> candidates;
  flat_array<loop_versioning> loops;
  flat_array<check_symbol> symbols;
  flat_array<checked_interval> intervals;
  flat_array<nest_term> terms;
  flat_array<interval_comparison> comparisons;
  flat_array<nest_form> conditions;
  flat_array<separated_access> accesses;
  flat_array<node_id> nodes;
  std::size_t cloned = 0; ///< by all of them

  bool empty() const { return loops.empty(); }
};

/// An interval in the transformed program.
struct interval_witness {
  value_id begin = no_value; ///< addresses, as numbers
  value_id end = no_value;
  std::uint32_t memory = any_memory; ///< the local class of the accesses in it
};

/// A copy of a loop, in which accesses have local classes.
struct versioned_loop {
  node_id gate = no_node;           ///< its branch chooses the copy
  node_id scope = no_node;          ///< the header of the copy
  node_id other = no_node;          ///< the header of the original loop
  std::uint32_t first_interval = 0; ///< in `intervals`
  std::uint32_t num_intervals = 0;
  std::uint32_t first_access = 0; ///< in `accesses`
  std::uint32_t num_accesses = 0;
};

/// The input of `verify_loop_versioning`: for each access, the interval that contains its bytes. For each pair of
/// classes, the checker looks for a comparison on the path to the copy that separates their intervals.
struct loop_versioning_witness {
  flat_array<versioned_loop> loops;
  flat_array<interval_witness> intervals;
  flat_array<separated_access> accesses; ///< operations of the new program
};

/// Both witnesses of `apply_loop_versioning`: for `verify_unfolding` and for `verify_loop_versioning`.
struct versioned_loops_witness {
  unfolding_witness copies;
  loop_versioning_witness classes;
};

MIDEND_END_NAMESPACE
