/// `estimate`: the cost of a whole program on a machine, each time that it is entered.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/cost/run_frequencies.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/lowering/loop_time.hpp"
#include "midend/machine/lowering/lower_region.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/read_region.hpp"
#include "midend/machine/machine.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/nearest_number.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What the caller of `estimate` knows besides the program.
struct estimate_options {
  lowering_options lowering;

  /// By loop: the executions of its header for each entry, if that number is always the same; else 0. May be shorter
  /// than there are loops. `count_loop_trips` fills it in.
  span<const std::uint64_t> trips;

  region_facts facts;

  /// By loop: the header executions that the caller expects if the program says nothing; 0: none. May be shorter than
  /// there are loops.
  span<const std::uint64_t> expected_trips;

  /// Header executions of a loop about which nothing is known.
  std::uint64_t assumed_trip = 100;
};

/// A step of the recurrence that bounds a loop: an operation of the machine that waits for the one before it.
struct estimated_recurrence_step {
  value_id value; ///< that the operation computes, alone or with others; `no_value`: a branch
  operation_class operation;
  std::uint32_t latency;  ///< until the next step may begin
  std::uint32_t distance; ///< in iterations

  friend constexpr bool operator==(const estimated_recurrence_step&, const estimated_recurrence_step&) = default;
};

/// The cost of a loop.
struct loop_estimate {
  loop_frequency frequency;
  region_obstacle obstacle = region_obstacle::none; ///< with one, its nodes and inner loops are estimated, each for
                                                    ///< itself, and the fields that begin with `cost` are not valid
  double cycles = 0;                                ///< of its nodes and inner loops, for each entry of the program

  body_cost cost;                     ///< of one iteration: bounds, operations, bytes, registers
  std::uint64_t passes = 0;           ///< complete ones for each entry of the loop, to the nearest number
  bool is_pipelined = false;          ///< for so many iterations; else each takes `cost.alone`
  std::uint64_t cycles_per_pass = 0;  ///< in a long run: II or the bound of an iteration, and branch losses
  std::uint64_t cycles_per_entry = 0; ///< T(u, N): pipelined, set-up + (passes + stages - 1) · II
  std::uint32_t first_step = 0;
  std::uint32_t num_steps = 0; ///< in `program_estimate::recurrences`, from `first_step` on
};

/// The cost of a node.
struct node_estimate {
  double frequency = 0;      ///< executions each time that the program is entered
  bool is_in_region = false; ///< it is estimated with its loop, and nothing below is valid
  std::uint64_t operations = 0;
  std::uint64_t branches = 0;
  std::uint64_t bytes = 0;
  std::uint64_t chain = 0;     ///< the critical path
  std::uint64_t resources = 0; ///< ResMII
  std::uint64_t cycles = 0;    ///< the larger of the two
};

/// The result of `estimate`.
struct program_estimate {
  flat_array<loop_estimate> loops; ///< by loop
  flat_array<node_estimate> nodes; ///< by node
  flat_array<estimated_recurrence_step> recurrences;
  double cycles = 0;            ///< each time that the program is entered
  std::uint64_t operations = 0; ///< in the program, each counted once, without branches
  std::uint64_t branches = 0;   ///< likewise
  std::uint64_t bytes = 0;      ///< of code, without prologues and epilogues of pipelined loops
  bool is_impossible = false;   ///< the machine cannot issue some operation: no figure is valid

  constexpr span<const estimated_recurrence_step> recurrence(loop_id l) const {
    return span<const estimated_recurrence_step>(recurrences).subspan(loops[l].first_step, loops[l].num_steps);
  }

  constexpr void clear() {
    loops.clear();
    nodes.clear();
    recurrences.clear();
    cycles = 0;
    operations = 0;
    branches = 0;
    bytes = 0;
    is_impossible = false;
  }
};

namespace detail {

template <class IR, class M> class program_estimator;

} // namespace detail

/// The memory of `estimate`, to be reused from program to program.
class estimate_workspace {
  template <class IR, class M> friend class detail::program_estimator;

  depth_first_order_workspace search_;
  depth_first_numbering order_;
  run_frequencies_workspace counting_;
  run_frequencies frequencies_;
  region_reader_workspace reading_;
  lower_region_workspace lowering_;
  program_region region_;
  machine_body body_;
};

namespace detail {

/// The algorithm of `estimate`.
template <class IR, class M> class program_estimator {
public:
  constexpr program_estimator(const IR& ir, const loop_forest& loops, const M& machine, const estimate_options& options,
                              estimate_workspace& w, program_estimate& out)
      : ir_(ir), loops_(loops), machine_(machine), times_(machine), options_(options), w_(w), out_(out) {}

  constexpr void run() {
    out_.clear();
    out_.loops.assign(loops_.num_loops(), {});
    out_.nodes.assign(static_cast<std::size_t>(ir_.graph().num_nodes()), {});
    depth_first_order(ir_.graph(), w_.search_, w_.order_);
    compute_frequencies(ir_, w_.order_, loops_, {options_.trips, options_.expected_trips, options_.assumed_trip},
                        w_.counting_, w_.frequencies_);
    region_reader<IR> reader(ir_, w_.order_, loops_, options_.facts, w_.reading_);
    for (const loop_id l : loops_.loops()) {
      estimate_loop(reader, l);
    }
    for (const node_id n : w_.order_.preorder()) {
      estimate_node(reader, n);
    }
    for (std::size_t l = loops_.num_loops(); l-- != 0;) {
      const double cycles = out_.loops[l].cycles;
      const loop_id parent = loops_.parent(static_cast<loop_id>(l));
      (parent == no_loop ? out_.cycles : out_.loops[parent].cycles) += cycles;
    }
  }

private:
  constexpr body_cost lower() {
    const body_cost cost = lower_region(w_.region_, machine_, options_.lowering, w_.lowering_, w_.body_);
    out_.operations += cost.operations;
    out_.branches += cost.branches;
    out_.is_impossible = out_.is_impossible || cost.resources.is_impossible;
    return cost;
  }

  constexpr void estimate_loop(region_reader<IR>& reader, loop_id l) {
    loop_estimate& e = out_.loops[l];
    e.frequency = w_.frequencies_.of_loop(l);
    e.obstacle = reader.read_loop(l, w_.region_, e.frequency.source == frequency_source::exact);
    if (e.obstacle != region_obstacle::none) {
      return;
    }
    for (const node_id n : loops_.own_blocks(l)) {
      out_.nodes[n].is_in_region = true;
    }
    e.cost = lower();
    out_.bytes += e.cost.bytes;
    list_recurrence(e);
    e.passes = complete_passes(l, e.frequency.executions);
    const loop_time time = times_.loop(e.cost, e.passes);
    e.is_pipelined = time.is_pipelined;
    e.cycles_per_pass = (time.is_pipelined ? e.cost.interval : e.cost.alone) + times_.branch_penalty;
    e.cycles_per_entry = time.total();
    e.cycles = e.frequency.entries * static_cast<double>(e.cycles_per_entry);
  }

  /// The number of complete iterations. If control may leave before the end, the last iteration is incomplete, and they
  /// are one less than header executions. At least one, so that a loop whose body never runs takes some time.
  constexpr std::uint64_t complete_passes(loop_id l, double executions) const {
    constexpr std::uint64_t most = std::uint64_t{1} << 40;
    bool is_last_complete = true;
    for (const loop_edge& exit : loops_.own_exiting_edges(l)) {
      bool is_latch = false;
      for (const loop_edge& back : loops_.backedges(l)) {
        is_latch = is_latch || back.source == exit.source;
      }
      is_last_complete = is_last_complete && is_latch;
    }
    const std::uint64_t passes = nearest_number(is_last_complete ? executions : executions - 1);
    return min(max<std::uint64_t>(passes, 1), most);
  }

  constexpr void list_recurrence(loop_estimate& e) {
    e.first_step = static_cast<std::uint32_t>(out_.recurrences.size());
    for (const std::uint32_t i : w_.body_.recurrence.cycle) {
      const operation_dependence& d = w_.body_.graph.dependences()[i];
      out_.recurrences.push_back(
          {w_.body_.origins[d.producer].value, w_.body_.graph.operation(d.producer).kind, d.latency, d.distance});
    }
    e.num_steps = static_cast<std::uint32_t>(out_.recurrences.size()) - e.first_step;
  }

  constexpr void estimate_node(region_reader<IR>& reader, node_id n) {
    node_estimate& e = out_.nodes[n];
    e.frequency = w_.frequencies_.of_node(n);
    if (e.is_in_region) {
      return;
    }
    reader.read_node(n, w_.region_);
    if (w_.region_.values.empty() && !w_.region_.ends_in_return) {
      return; // like many nodes where paths meet
    }
    const body_cost cost = lower();
    e.operations = cost.operations;
    e.branches = cost.branches;
    e.chain = cost.critical_path;
    e.resources = cost.resources.cycles;
    if (cost.operations + cost.branches != 0) { // an empty node takes no time and no code
      e.cycles = cost.alone;
      e.bytes = cost.bytes;
    }
    out_.bytes += e.bytes;
    const loop_id l = loops_.innermost_loop(n);
    (l == no_loop ? out_.cycles : out_.loops[l].cycles) += e.frequency * static_cast<double>(e.cycles);
  }

  const IR& ir_;
  const loop_forest& loops_;
  const M& machine_;
  loop_machine_times times_;
  const estimate_options& options_;
  estimate_workspace& w_;
  program_estimate& out_;
};

} // namespace detail

/// The cost of a program on a machine, each time that it is entered; refills `out`. The program is taken as written:
/// all operations in it count.
///
/// - **A loop without others in it** is one body, in which branches are predicates: by `region_reader` and
///   `lower_region`. It takes T(u, N) = set-up + (passes + stages - 1) · II, with II = max(ResMII, RecMII), if it can
///   be pipelined and that is faster; else its `straight_line_bound` for each iteration.
/// - **Each other node**, also of a loop with inner loops, or with a cycle that is no natural loop, takes its
///   `straight_line_bound`, and nothing if it has no operation. Its phis take no operation.
/// - Each of these counts as often as `compute_frequencies` says, summed over the tree of loops.
///
/// With `lowering_options::timer`, the times of bodies and nodes are those of schedules.
///
/// The cycles are a lower bound for these frequencies, not a prediction: caches, and branches that are prepared late,
/// are left out.
///
/// Unreachable nodes cost nothing, and values that only they read are not needed. Endless loops run `assumed_trip`
/// times.
///
/// Requires verified IR in SSA form and a loop forest of its graph, with boundaries. Allocates nothing once workspace
/// and result have seen programs as large. Linear in the program but for the bounds themselves, see `lower_region`, and
/// for exits times latches of a loop.
template <cost_ir_argument IR, loop_machine_argument M>
constexpr void estimate(const IR& ir, const loop_forest& loops, const M& machine, const estimate_options& options,
                        estimate_workspace& workspace, program_estimate& out) {
  detail::program_estimator<IR, M>(ir, loops, machine, options, workspace, out).run();
}

/// Returns the cost, with a workspace of its own.
template <cost_ir_argument IR, loop_machine_argument M>
constexpr program_estimate estimate(const IR& ir, const loop_forest& loops, const M& machine,
                                    const estimate_options& options = {}) {
  estimate_workspace workspace;
  program_estimate out;
  estimate(ir, loops, machine, options, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
