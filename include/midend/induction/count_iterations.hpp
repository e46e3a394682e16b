/// `count_iterations`: how often a loop runs, from its body.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/detail/body_forms.hpp"
#include "midend/induction/detail/body_ways.hpp"
#include "midend/induction/detail/count_exit.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/induction/phi_permutation.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

/// What `count_iterations` works with; keeps its memory from call to call.
class count_iterations_workspace {
public:
  detail::body_forms forms;
  detail::body_ways ways;
  flat_array<std::uint32_t> next_phi;
  phi_permutation cycles;
};

namespace detail {

/// The steps of `count_iterations`.
struct iteration_counting {
  const loop_body& body;
  count_iterations_workspace& w;
  loop_counters& out;

  /// Phis whose next value is themselves plus a number.
  constexpr void find_inductions() {
    out.inductions.clear();
    out.induction_of.assign(body.num_phis, no_body_value);
    for (body_id phi = 0; phi != body.num_phis; ++phi) {
      const body_form& next = w.forms[body.next(phi)];
      if (next.kind != body_form_kind::counter || next.base != phi || next.number == 0 ||
          next.seen_as != operation::copy) {
        continue;
      }
      const body_form& start = w.forms[body.initial(phi)];
      const bool has_start = start.kind == body_form_kind::number;
      out.induction_of[phi] = static_cast<std::uint32_t>(out.inductions.size());
      out.inductions.push_back({phi, next.width, has_start, next.flags, has_start ? start.number : 0, next.number});
    }
  }

  constexpr void find_exits() {
    out.exits.clear();
    const exit_counting counting{body, w.forms, w.ways, out.inductions, out.induction_of};
    for (std::uint32_t e = 0; e != body.edges.size(); ++e) {
      if (body.edges[e].target == body_edge::leaves) {
        out.exits.push_back(counting.exit_at(e));
      }
    }
  }

  /// What the program says of the number is about all exits together: it adds nothing to a number that is known.
  constexpr void combine_counts() {
    using enum trip_count_kind;
    out.trip = {endless, 0, 1};
    for (const loop_exit& x : out.exits) {
      out.trip = combined(out.trip, x.count);
    }
    if (out.trip.kind == unknown || out.trip.kind == at_most) {
      const std::uint64_t most = body.hints.maximum - 1;
      if (body.hints.maximum != 0 && (out.trip.kind == unknown || most < out.trip.backedges)) {
        out.trip = {at_most, most, 1};
      }
      out.trip.multiple = body.hints.multiple == 0 ? 1 : body.hints.multiple;
    }
    out.trip_multiple = out.trip.multiple;
  }

  /// The one that is taken first, if that is known.
  constexpr void choose_exit() {
    out.counted_exit = no_body_value;
    trip_count least;
    for (std::uint32_t i = 0; i != out.exits.size(); ++i) {
      const loop_exit& x = out.exits[i];
      const bool is_exact = x.count.kind == trip_count_kind::exact;
      const bool is_sooner = is_exact && (least.kind != trip_count_kind::exact || x.count.backedges < least.backedges);
      if (is_sooner || (x.has_formula && out.counted_exit == no_body_value)) {
        out.counted_exit = i;
        least = x.count;
      }
    }
  }

  constexpr void find_period() {
    w.next_phi.assign(body.num_phis, no_phi);
    for (body_id phi = 0; phi != body.num_phis; ++phi) {
      const body_form& next = w.forms[body.next(phi)];
      if (next.kind == body_form_kind::counter && next.number == 0 && next.seen_as == operation::copy) {
        w.next_phi[phi] = next.base;
      }
    }
    w.cycles.assign(w.next_phi);
    out.phi_period = w.cycles.period() == 0 ? 1 : w.cycles.period();
  }
};

} // namespace detail

/// The induction variables and exits of a loop body, and how often the loop runs: exact, at most so often, or unknown.
/// Refills `out`.
///
/// An induction variable is a header phi that is itself plus a number in the next iteration, through additions and
/// subtractions of numbers, copies, and joins whose inputs agree. An exit is counted if it compares one, plus a number,
/// narrowed or widened, with a value that does not change, in either order, and negated or not; its count is that of
/// `trip_count_of`, wrap-around and promises included, or `trip_formula_of` if start or bound are not known.
///
/// Counts are of exits that are tested in each iteration which is not left before; one that is tested now and then
/// makes the whole count a bound, as does one that data decide. What is decided by numbers in the first two iterations
/// (a flag that says which is the first) has a count too. An iteration that does not end (a trap, a call that
/// does not come back) ends the loop sooner than any count says. Switches are not counted. Phis whose number of
/// iterations until they are back does not fit in 64 bits have the period 1. O(size of the body).
constexpr void count_iterations(const loop_body& body, count_iterations_workspace& workspace, loop_counters& out) {
  workspace.forms.assign(body);
  workspace.ways.assign(body);
  detail::iteration_counting counting{body, workspace, out};
  counting.find_inductions();
  counting.find_exits();
  counting.combine_counts();
  counting.choose_exit();
  counting.find_period();
}

/// The induction variables and exits of a loop body, and how often the loop runs.
constexpr loop_counters count_iterations(const loop_body& body) {
  count_iterations_workspace workspace;
  loop_counters out;
  count_iterations(body, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
