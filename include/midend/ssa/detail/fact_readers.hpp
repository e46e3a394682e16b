/// `fact_readers`: who has to be visited again when a fact rises.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ssa/detail/fact_traits.hpp"
#include "midend/ssa/detail/ssa_order.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Notes readers of facts that may still change. A copy writes the same lists.
class fact_readers {
public:
  constexpr fact_readers(noted_uses& lists, fact_traits traits) : lists_(lists), traits_(traits) {}

  /// Notes that `reader` has read the fact of `v`, unless this is settled. Call it once for each reader.
  constexpr void note(value_id v, ssa_use reader) const {
    if (!traits_.has(v, fact_trait::settled)) {
      lists_.add(v, reader);
    }
  }

  /// Visits the readers of `v` in the order in which they were noted. `visit` must not note any.
  template <class Visit> constexpr void for_each(value_id v, Visit visit) const { lists_.for_each(v, visit); }

private:
  noted_uses& lists_;
  fact_traits traits_;
};

} // namespace detail

MIDEND_END_NAMESPACE
