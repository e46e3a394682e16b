/// `read_loop_counts`: how often an extracted loop runs, by the evolutions of its function.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/extract_loop.hpp"
#include "midend/induction/loop_counts.hpp"
#include "midend/induction/phi_permutation.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Memory of `read_loop_counts`, to be reused.
class loop_counts_workspace {
  friend MIDEND_FUNCTION void read_loop_counts(const value_evolutions& found, loop_id l, const extracted_loop& x,
                                               loop_counts_workspace& workspace, loop_counts& out);

  flat_array<unsigned char> is_seen_; ///< by node
  flat_array<node_id> pending_;
  flat_array<std::uint64_t> places_; ///< phis of the header, by their origins
  flat_array<std::uint32_t> next_;
  phi_permutation cycles_;
};

/// Reads how often loop `l` runs from the evolutions of its function, refilling `out`. `x` is the loop, extracted from
/// there; its hints are added. O(size of the loop), and n · log n for n phis of the header.
MIDEND_FUNCTION void read_loop_counts(const value_evolutions& found, loop_id l, const extracted_loop& x,
                                      loop_counts_workspace& workspace, loop_counts& out);

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/induction/bounded_trip_count.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether an operation is neither an addition of a number, nor a comparison, nor free.
inline bool is_work(const flat_program& program, value_id v) {
  const auto cost = program.cost(v);
  if (program.is_phi(v) || program.constant(v) || !cost || *cost == operation_class::branch) {
    return false;
  }
  const operation code = program.operation(v).code;
  if (code == operation::add || code == operation::sub) {
    const span<const value_id> operands = program.operands(v);
    const auto is_number = [&](value_id x) { return x != no_value && program.constant(x).has_value(); };
    return !is_number(operands[1]) && !(code == operation::add && is_number(operands[0]));
  }
  return !is_comparison(code);
}

/// Whether an iteration does work after it has passed the end of node `from`.
inline bool works_after(const extracted_loop& x, node_id from, flat_array<unsigned char>& is_seen,
                        flat_array<node_id>& pending) {
  const flat_program& program = x.program;
  is_seen.assign(x.first_exit, 0);
  pending.clear();
  pending.push_back(from);
  for (std::size_t i = 0; i != pending.size(); ++i) {
    for (const edge_id e : program.graph().out_edges(pending[i])) {
      const node_id to = program.graph().edge_target(e);
      if (to >= x.first_exit || to == extracted_loop::header || is_seen[to] != 0) {
        continue;
      }
      is_seen[to] = 1;
      pending.push_back(to);
      for (const value_id v : program.values(to)) {
        if (is_work(program, v)) {
          return true;
        }
      }
    }
  }
  return false;
}

/// The source of an edge of the IR, in the extracted program.
inline node_id source_in(const extracted_loop& x, edge_id e) {
  for (edge_id i = 0; i != x.edges.size(); ++i) {
    if (x.edges[i] == e) {
      return x.program.graph().edge_source(i);
    }
  }
  return extracted_loop::header;
}

/// Finds phis of the header by their origins in the IR.
class header_phi_places {
public:
  header_phi_places(const extracted_loop& x, flat_array<std::uint64_t>& places) : places_(places) {
    places.clear();
    std::uint32_t place = 0;
    for (const value_id v : x.program.values(extracted_loop::header)) {
      if (!x.program.is_phi(v)) {
        break;
      }
      places.push_back(std::uint64_t{x.program.origin(v)} << 32 | place++);
    }
    sort_and_deduplicate(places);
  }

  /// The position of the copy of `v` among the phis, or `no_phi`.
  std::uint32_t find(value_id v) const {
    std::size_t first = 0;
    for (std::size_t size = places_.size(); size > 1;) {
      const std::size_t half = size / 2;
      first += places_[first + half] >> 32 <= v ? half : 0;
      size -= half;
    }
    const bool is_found = !places_.empty() && places_[first] >> 32 == v;
    return is_found ? static_cast<std::uint32_t>(places_[first]) : no_phi;
  }

private:
  const flat_array<std::uint64_t>& places_;
};

/// The position of the header phi whose value `phi` takes in the next iteration, or `no_phi`.
inline std::uint32_t next_place(const value_evolutions& found, const extracted_loop& x, value_id phi,
                                const header_phi_places& places) {
  std::uint32_t next = no_phi;
  bool is_first = true;
  for (const edge_id e : x.program.graph().in_edges(extracted_loop::header)) {
    if (x.program.graph().edge_source(e) == extracted_loop::entry) {
      continue;
    }
    const value_id input = x.program.origin(x.program.phi_input(phi, e));
    const linear_form form = input == no_value ? linear_form() : found.form_of(input);
    const bool is_phi = form.num_terms == 1 && form.constant == 0 && form.terms[0].coefficient == 1 &&
                        form.width == x.program.operation(phi).width;
    const std::uint32_t place = is_phi ? places.find(form.terms[0].value) : no_phi;
    next = is_first || place == next ? place : no_phi;
    is_first = false;
  }
  return next;
}

/// Adds hints, which describe all exits together. An exact count needs none.
inline void add_hints(const loop_hints& hints, trip_count& trip) {
  using enum trip_count_kind;
  if (trip.kind != unknown && trip.kind != at_most) {
    return;
  }
  const std::uint64_t most = hints.maximum - 1;
  if (hints.maximum != 0 && (trip.kind == unknown || most < trip.backedges)) {
    trip = {at_most, most, trip.multiple};
  }
  const std::uint64_t hint = hints.multiple == 0 ? 1 : hints.multiple;
  const std::uint64_t more = trip.multiple / greatest_common_divisor(trip.multiple, hint);
  trip.multiple = hint > ~std::uint64_t{0} / more ? hint : hint * more; // both numbers divide the trip count
}

/// Whether `exit` gives an earlier or better count than those so far. Numbers come before formulas, and formulas with
/// steps that are numbers before others. An exit that is never taken gives nothing.
inline bool is_better_exit(const exit_trips& exit, const loop_counts& known) {
  const trip_count& count = exit.trips.count;
  const bool knows_exact = known.is_counted && !known.has_formula;
  if (count.kind == trip_count_kind::exact) {
    return !knows_exact || count.backedges < known.exit.trips.count.backedges;
  }
  const bool is_open = count.kind == trip_count_kind::unknown || count.kind == trip_count_kind::at_most;
  return is_open && has_trip_formula(exit.trips.test) && !known.is_counted &&
         (exit.trips.test.step != 0 || !known.has_formula);
}

} // namespace detail

MIDEND_FUNCTION void read_loop_counts(const value_evolutions& found, loop_id l, const extracted_loop& x,
                                      loop_counts_workspace& workspace, loop_counts& out) {
  out = {};
  out.trip = found.trips(l).count;
  if (out.trip.kind == trip_count_kind::at_most && out.trip.backedges > detail::largest_upper_bound) {
    out.trip = {trip_count_kind::unknown, 0, out.trip.multiple};
  }
  out.hints = x.program.trip_hints(extracted_loop::header);
  out.num_exits = static_cast<std::uint32_t>(found.num_exits(l));
  out.is_computable = out.is_exact() || found.is_computable(l);
  for (std::size_t i = 0; i != found.num_exits(l); ++i) {
    const exit_trips exit = found.exit(l, i);
    if (!exit.is_always_tested) {
      continue;
    }
    out.compares_counter = out.compares_counter || (exit.trips.test.is_known() && exit.trips.test.step != 0);
    if (detail::is_better_exit(exit, out)) {
      const bool is_exact = exit.trips.count.kind == trip_count_kind::exact;
      out.exit = exit;
      out.is_counted = is_exact || exit.trips.test.step != 0;
      out.has_formula = !is_exact;
    }
  }
  if (out.is_counted || out.has_formula) {
    const node_id source = detail::source_in(x, out.exit.edge);
    out.is_at_bottom = !detail::works_after(x, source, workspace.is_seen_, workspace.pending_);
  }
  const detail::header_phi_places places(x, workspace.places_);
  workspace.next_.clear();
  for (const value_id v : x.program.values(extracted_loop::header)) {
    if (!x.program.is_phi(v)) {
      break;
    }
    workspace.next_.push_back(detail::next_place(found, x, v, places));
  }
  workspace.cycles_.assign({workspace.next_.data(), workspace.next_.size()});
  out.phi_period = workspace.cycles_.period() == 0 ? 1 : workspace.cycles_.period();
  detail::add_hints(out.hints, out.trip);
}

MIDEND_END_NAMESPACE

#endif
