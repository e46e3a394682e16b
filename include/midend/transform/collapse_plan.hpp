/// `collapse_plan`: which inner loops merge with the loop around them, and the witness.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/interchange_plan.hpp"
#include "midend/transform/loop_pair_obstacle.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A phi of one of the two headers. Its next value depends on whether the inner loop would have continued.
struct carried_phi {
  value_id phi = no_value;
  bool moves = false;         ///< from the inner header to the outer one
  value_id start = no_value;  ///< valid if `moves`: its value when the outer loop is entered
  value_id stays = no_value;  ///< its next value if the inner loop goes on
  value_id leaves = no_value; ///< and if it does not
};

/// Two loops that become one, which ends after the product of their trip counts.
struct loop_collapse {
  counted_level outer;
  counted_level inner;
  std::uint64_t outer_trips = 0;
  std::uint64_t inner_trips = 0;
  unsigned width = 64; ///< of the counter, which is `start` + k · `step` in iteration k
  std::uint64_t start = 0;
  std::uint64_t step = 1;
  std::uint64_t bound = 0;         ///< the counter after the last iteration
  std::uint32_t first_linear = 0;  ///< values equal to the counter: those in `linear` of the plan
  std::uint32_t last_linear = 0;   ///<
  std::uint32_t first_carried = 0; ///< phis: those in `carried`
  std::uint32_t last_carried = 0;
  std::uint32_t first_dead = 0; ///< operations to erase, operands last: those in `dead`
  std::uint32_t last_dead = 0;
  std::uint32_t first_loose = 0; ///< operations that lose their promises: those in `loose`
  std::uint32_t last_loose = 0;
};

/// What `apply_collapse` will do; afterwards, what it did. To veto a collapse, remove it from `nests`.
struct collapse_plan {
  std::uint64_t epoch = 0;
  flat_array<loop_collapse> nests;
  flat_array<value_id> linear;
  flat_array<carried_phi> carried;
  flat_array<value_id> dead;
  flat_array<value_id> loose;
  flat_array<loop_pair_refusal> refused;

  bool empty() const { return nests.empty(); }
};

struct collapse_options {
  loop_id only = no_loop; ///< if not `no_loop`, plan only the pair with this outer loop
};

/// Two loops that became one.
struct collapsed_nest {
  node_id outer_header = no_node;
  node_id inner_header = no_node;
  value_id counter = no_value;    ///< the phi that counts the iterations of both
  std::uint32_t first_linear = 0; ///< values that it replaced: those in `linear`
  std::uint32_t last_linear = 0;
};

/// The input of `verify_collapse`, which verifies every claim.
struct collapse_witness {
  flat_array<collapsed_nest> nests;
  flat_array<value_id> linear;
  flat_array<copied_operation> moved; ///< phis of the outer header that stand for phis of the inner one
};

MIDEND_END_NAMESPACE
