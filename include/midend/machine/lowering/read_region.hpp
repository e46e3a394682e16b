/// `region_reader`: reads a loop without others in it, or one node, from an IR into a `program_region`.
///
///     program ── reads ─────────────────────┐
///     loop ───── sorted blocks, sums ───────┤
///                                           ▼
///     for each block:  phis ── operations ── tests of edges ── exits, predicates of paths
///                        ▲                                                │
///                        └──────────── of the blocks after it ────────────┘
///                                           ▼
///                      next values of phis ── results ── counted exits
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/lowering/detail/branch_tests.hpp"
#include "midend/machine/lowering/detail/chained_sums.hpp"
#include "midend/machine/lowering/detail/counted_exits.hpp"
#include "midend/machine/lowering/detail/operation_reader.hpp"
#include "midend/machine/lowering/detail/phi_reader.hpp"
#include "midend/machine/lowering/detail/region_builder.hpp"
#include "midend/machine/lowering/detail/region_ends.hpp"
#include "midend/machine/lowering/detail/region_paths.hpp"
#include "midend/machine/lowering/detail/region_reads.hpp"
#include "midend/machine/lowering/detail/region_values.hpp"
#include "midend/machine/lowering/detail/sorted_blocks.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/region_facts.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Why a loop is not one region.
enum class region_obstacle : std::uint8_t {
  none,
  contains_loop, ///< there is another loop in it
  irreducible    ///< there is a cycle in it that is no natural loop
};

template <cost_ir_argument IR> class region_reader;

/// The memory of `region_reader`, to be reused from program to program.
class region_reader_workspace {
  template <cost_ir_argument IR> friend class region_reader;

  detail::region_reads reads_; ///< of the program; all others are of the region that is being read
  detail::sorted_blocks blocks_;
  detail::chained_sums sums_;
  detail::region_values values_;
  detail::branch_tests tests_; ///< of one node
  detail::region_builder builder_;
  detail::region_paths paths_;
  flat_array<region_operand> args_; ///< of one operation
};

/// Reads pieces of one program, as they are written: each operation of the program that computes something is one of
/// the region. Folds and shares nothing, and moves nothing out of a loop.
///
/// Leaves to the instruction selector only what it does with one operation and its operands: an address takes up the
/// number of a sum of a value and a number; a reader negates a bit; a division of a number that is not negative is an
/// unsigned one. A guarded operation becomes the operation and a `select` between its result and the other value.
/// Branches inside a loop become predicates, and phis at joins `select`.
///
/// An exit of a loop is counted if each iteration makes its test, and the test compares a counter with a value that is
/// equal in all iterations. Then the number of iterations can be computed before the loop: it does not depend on data.
template <cost_ir_argument IR> class region_reader {
public:
  /// Requires the order of `ir.graph()` and a loop forest of it. All arguments must outlive this object. Linear in the
  /// program.
  constexpr region_reader(const IR& ir, const depth_first_numbering& order, const loop_forest& loops,
                          const region_facts& facts, region_reader_workspace& workspace)
      : ir_(ir), loops_(loops), facts_(facts), w_(workspace) {
    w_.reads_.find(ir, order, loops);
  }

  region_reader(const region_reader&) = delete;
  region_reader& operator=(const region_reader&) = delete;

  /// Reads the operations of one node, as straight code. Its phis are values from before, and take no operation. It
  /// ends in as many branches as it has successors but one, or in a branch that returns.
  constexpr void read_node(node_id n, program_region& out) {
    const detail::value_reader<IR> values = start(span<const node_id>(&n, 1), out);
    out.is_straight_line = true;
    detail::operation_reader<IR>(facts_in(no_loop), values, w_.args_).read(n, [] { return detail::true_bit; });
    w_.tests_.read(values, n);
    detail::end_straight_code(ir_, n, w_.tests_, w_.builder_);
    add_results(n, [&](value_id v) { return w_.reads_.is_read_in_other_node(v); });
  }

  /// Reads one iteration of a loop. If there is an obstacle, `out` is unspecified. `knows_trip`: the loop always runs
  /// equally often, so an exit that compares a counter is counted, whether or not the counter may wrap.
  constexpr region_obstacle read_loop(loop_id l, program_region& out, bool knows_trip = false) {
    if (loops_.subloops(l).size() != 1) {
      return region_obstacle::contains_loop;
    }
    if (!w_.blocks_.sort(ir_, loops_, l)) {
      return region_obstacle::irreducible;
    }
    const detail::value_reader<IR> values = start(w_.blocks_.nodes(), out);
    read_blocks(l, values);
    for (const node_id n : w_.blocks_.nodes()) {
      add_results(n, [&](value_id v) { return w_.reads_.is_read_in_other_loop(v); });
    }
    detail::mark_counted_exits(ir_, loops_, l, knows_trip, out);
    return region_obstacle::none;
  }

private:
  /// Starts on a region with these nodes.
  constexpr detail::value_reader<IR> start(span<const node_id> nodes, program_region& out) {
    w_.builder_.begin(out);
    w_.values_.start(w_.reads_.num_values());
    w_.sums_.find(ir_, nodes);
    return {ir_, w_.values_, w_.builder_};
  }

  constexpr detail::operation_facts facts_in(loop_id l) const { return {w_.reads_, w_.sums_, facts_, loops_, l}; }

  /// All blocks of a loop in topological order, then its backedges.
  constexpr void read_blocks(loop_id l, const detail::value_reader<IR>& values) {
    const detail::region_flow& flow = w_.blocks_.flow();
    w_.paths_.begin(flow, w_.builder_);
    detail::phi_reader<IR> phis(values, flow, w_.paths_);
    detail::operation_reader<IR> operations(facts_in(l), values, w_.args_);
    phis.add_header_phis();
    for (std::uint32_t b = 0; b != flow.bottom(); ++b) {
      const node_id n = flow.blocks[b].node;
      const detail::path_predicate here = w_.paths_.enter(b);
      if (here == detail::no_path) {
        detail::leave_unreached_block(flow, b, w_.paths_);
        continue;
      }
      if (b != 0) {
        phis.read_joins(b);
      }
      operations.read(n, [&] { return w_.paths_.bit_of(here); });
      w_.tests_.read(values, n);
      detail::leave_block(flow, b, here, w_.tests_, w_.paths_, w_.builder_);
    }
    phis.add_next_values();
  }

  /// Values of the region that others read.
  template <class IsRead> constexpr void add_results(node_id n, const IsRead& is_read_elsewhere) {
    program_region& out = w_.builder_.region();
    for (const value_id v : ir_.values(n)) {
      if (is_read_elsewhere(v) && w_.values_.is_known(v)) {
        out.live_out.push_back(w_.values_[v]);
        out.live_out_values.push_back(v);
      }
    }
  }

  const IR& ir_;
  const loop_forest& loops_;
  region_facts facts_;
  region_reader_workspace& w_;
};

MIDEND_END_NAMESPACE
