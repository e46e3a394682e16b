/// Random branches, switches and whatever stands in a row.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/builder.hpp"
#include "midend/elbrus/detail/random_calls.hpp"
#include "midend/elbrus/detail/random_scope.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/type.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Writes what paths and their meeting points are made of. The scope is kept so that it always holds what dominates the
/// present place.
class random_flow : public random_calls {
protected:
  using random_calls::random_calls;

  /// How often a node runs, at most.
  struct run_bound {
    node_id node;
    std::uint64_t runs;
  };

  bool is_open() const { return b_.get().terminator(b_.current()) == no_value; }

  bool phis_allowed() const { return options_.form != program_form::variables; }

  /// A node to be written from now on.
  void enter(node_id n) {
    b_.at(n);
    run_bounds_.push_back({n, runs_});
  }

  meeting_point new_meeting() {
    meeting_point m;
    m.node = new_node();
    m.base = scope_.size();
    return m;
  }

  void jump(meeting_point& to) { scope_.arrive(to, b_.jump(to.node)); }

  /// A branch to meeting points or nodes, whose edges the caller looks after.
  branch_edges branch(value_id condition, node_id when_true, node_id when_false) {
    if (options_.profile && random_.one_in(3)) {
      return b_.branch(condition, when_true, when_false, static_cast<double>(random_.below(17)) / 16);
    }
    return b_.branch(condition, when_true, when_false);
  }

  /// All paths are there: goes on where they meet, with phis.
  void meet(meeting_point& m) {
    scope_.shrink(m.base);
    const std::size_t islands = options_.unreachable_nodes && random_.one_in(15) ? 1 : 0;
    for (std::size_t i = 0; i != islands; ++i) {
      m.unreachable.push_back(island(m.node));
    }
    std::vector<planned_phi> phis;
    for (std::size_t left = phis_allowed() ? random_.below(3) + (m.arrivals.size() > 1) : 0; left != 0; --left) {
      phis.push_back(plan_phi(m));
    }
    scope_.meet(m);
    enter(m.node);
    for (const planned_phi& planned : phis) {
      write_phi(m, planned);
    }
  }

  /// The input of a phi at the end of a path, as far as there is something for it there.
  known_value input_from(const arrival& a, type t) {
    const std::optional<known_value> found = random_.percent(85) ? find_in_tail(a, t) : std::nullopt;
    return found ? *found : pick_known(t, true);
  }

  std::vector<run_bound> run_bounds_;
  std::uint64_t runs_ = 1; ///< of the present place, at most

private:
  struct planned_phi {
    known_value result;
    std::vector<value_id> inputs; ///< by arrival
  };

  /// Inputs come from the ends of the paths, or are what the scope holds now: what dominates them all.
  planned_phi plan_phi(const meeting_point& m) {
    const arrival& model = random_.any_of(m.arrivals);
    const type t = model.tail.empty() ? random_type() : random_.any_of(model.tail).type;
    planned_phi out;
    for (const arrival& a : m.arrivals) {
      const known_value input = t == type::ptr ? pointer_from(a) : input_from(a, t);
      out.result = out.inputs.empty() ? input : either(out.result, input);
      out.inputs.push_back(input.value);
    }
    return out;
  }

  known_value pointer_from(const arrival& a) {
    const std::optional<known_value> found = find_in_tail(a, type::ptr);
    return found ? *found : random_.any_of(pointers_);
  }

  void write_phi(const meeting_point& m, const planned_phi& planned) {
    known_value phi = planned.result;
    phi.value = read(b_.phi(phi.type));
    for (std::size_t i = 0; i != planned.inputs.size(); ++i) {
      b_.input(phi.value, m.arrivals[i].edge, planned.inputs[i]);
    }
    for (const edge_id e : m.unreachable) {
      b_.input(phi.value, e, planned.inputs[0]);
    }
    scope_.push(phi);
  }

  /// A node that nothing leads to and that jumps there.
  edge_id island(node_id to) {
    const std::size_t size = scope_.size();
    enter(new_node());
    compute(random_type());
    const edge_id e = b_.jump(to);
    scope_.shrink(size);
    return e;
  }
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
