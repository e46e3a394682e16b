/// `removal_witness`: what `verify_removal` has to be told about a removal.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"

MIDEND_BEGIN_NAMESPACE

/// Nodes, edges and values keep their numbers when code is removed. So the programs before and after show everything
/// but one fact: which of the removed loops end.
struct removal_witness {
  flat_array<node_id> ending_loops; ///< headers of natural loops that do not run for ever
};

MIDEND_END_NAMESPACE
