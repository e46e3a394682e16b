/// `memory_witness`: which loads and stores are redundant, and what shows it. `verify_memory_redundancy` checks it.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"

MIDEND_BEGIN_NAMESPACE

/// What `load` loads is `value`, because `access` loaded or stored it there.
struct known_load {
  value_id load = no_value;
  value_id value = no_value; ///< no load of another entry
  value_id access = no_value;
};

/// `store` is not needed: memory holds what it stores, because `access` loaded or stored it there; or, if that is
/// `no_value`, it is overwritten before anything reads it.
struct removed_store {
  value_id store = no_value;
  value_id access = no_value;
};

/// Values of the program before, which keep their numbers.
struct memory_witness {
  flat_array<known_load> loads;
  flat_array<removed_store> stores;
};

MIDEND_END_NAMESPACE
