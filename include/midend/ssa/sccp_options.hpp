/// What is a matter of choice in sparse conditional constant propagation.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"

#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

/// What a value that is `undef` may be taken for.
enum class undef_policy : std::uint8_t {
  top,      ///< for any value that the reader cannot choose: phi(undef, 1) is no constant
  any_value ///< for whatever is convenient, at each use anew: phi(undef, 1) is 1
};

/// Where control goes by a branch on an undefined value, under `undef_policy::any_value`.
enum class undef_branch : std::uint8_t {
  none, ///< nowhere: such a branch is never executed
  any,  ///< by the first edge
  all   ///< by every edge
};

/// Options of `sccp`.
struct sccp_options {
  undef_policy undefined = undef_policy::top;
  undef_branch branch_on_undefined = undef_branch::all;

  /// Sharpen what is known of the operands of a comparison where a branch on it has said how it came out; needs a
  /// domain with `assume`.
  bool branch_facts = false;

  /// Stop at the first value whose transfer function made less of more: see `sccp_result::broken_value`.
  bool checked = false;

  /// How often a phi may grow by what comes around a loop before it is widened, in domains that widen.
  std::uint32_t widen_after = 3;

  /// How often it may then stop at a constant of the program before it goes to the end of the range.
  std::uint32_t threshold_steps = 64;

  /// How often all facts are then worked out anew, to win back what widening gave away, if anything was widened.
  std::uint32_t narrowing_steps = 2;

  /// All nodes that the entry reaches, each once, in the order in which they are visited; reverse postorder if empty.
  /// Another order costs more and, where nothing is widened, gives the same.
  std::span<const node_id> order = {};
};

MIDEND_END_NAMESPACE
