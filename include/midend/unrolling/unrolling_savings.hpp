/// `unrolling_saving`: an operation of a copy that the clean-up saved. `unrolling_copies`: the copies that were made.
/// `unrolled_header`: finds the unrolled loop.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/editable_flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// The reason why an operation of a copy vanished.
enum class saving_kind : std::uint8_t {
  folded,            ///< its result is a constant in this copy
  folded_test,       ///< the condition of a branch is a constant in this copy
  removed_exit_test, ///< the outcome of this exit test is known
  shared_expression, ///< another value is equal
  shared_load,       ///< another load has the same result
  forwarded_load,    ///< another value, such as one stored there before, equals the loaded one
  dead_operation,    ///< nothing in this copy uses the result, as often for increments of counters
  vanished_phi       ///< a header phi vanished, with its move; for example a rotated one
};

inline constexpr std::size_t num_saving_kinds = 8;

/// An operation of a copy that the clean-up removed.
struct unrolling_saving {
  saving_kind kind;
  std::uint32_t copy;
  value_id value;       ///< of the IR; for a test, its condition
  std::uint64_t result; ///< folded: the constant; folded_test: 1 if it holds; shared, forwarded: the copy that computes
                        ///< it, or `before_loop`
  std::uint8_t width = 0;                      ///< of the value; 0 if it has none, or more than 64 bits
  operation_class cost = operation_class::alu; ///< the class of its operation

  /// A `result`: the value is computed before the loop.
  static constexpr std::uint64_t before_loop = ~std::uint64_t{0};

  friend constexpr bool operator==(const unrolling_saving&, const unrolling_saving&) = default;
};

namespace detail {

/// The value of the IR that a value is a copy of.
struct value_of_copy {
  value_id origin = no_value;
  std::uint32_t copy = static_cast<std::uint32_t>(-1);
  bool is_load = false;
  bool is_phi = false;
  bool is_outside = false; ///< a parameter or literal
  std::uint8_t width = 0;
  operation_class cost = operation_class::alu;
};

struct test_of_copy {
  value_id end;
  value_id condition;
  edge_id if_true; ///< `no_edge` if there is no edge for 1
  bool is_exit;
};

} // namespace detail

/// Finds the unrolled loop in the program. An observer of `apply_unrolling`, for any editor. Unreachable nodes are no
/// copies. Each step that copies takes the time of `dominators_and_loops`.
class unrolled_header {
public:
  /// Call it before `loop` is unrolled.
  void begin(const loop_forest& loops, loop_id loop) {
    header_ = new_header_ = loops.header(loop);
    loop_ = no_loop;
    origin_.clear();
    is_of_loop_.assign(loops.num_nodes(), 0);
    for (node_id n = 0; n != loops.num_nodes(); ++n) {
      origin_.push_back(n);
    }
    for (const node_id n : loops.blocks(loop)) {
      is_of_loop_[n] = 1;
    }
  }

  template <class E> void before(const E&) {}

  template <class E, class Step> void after(const E& editor, Step step, const unfolding_witness& witness) {
    if (step != Step::untaken_exits) { // this step copies nothing
      note_copies(witness);
      dominators_and_loops(editor.graph(), searching_, found_);
      find(editor.graph(), found_.loops);
    }
  }

  /// Finds the unrolled loop in a graph. Returns the loops of the graph.
  template <class G> const loop_forest& find(const G& graph) {
    dominators_and_loops(graph, searching_, found_);
    find(graph, found_.loops);
    return found_.loops;
  }

  void note_copies(const unfolding_witness& witness) {
    const std::size_t known = origin_.size();
    for (std::size_t n = known; n < witness.node_origin.size(); ++n) {
      const node_id like = witness.node_origin[n];
      origin_.push_back(like < known ? origin_[like] : no_node);
    }
  }

  /// Takes the first loop among those with the most copies of the old header; if there is none, the first copy.
  template <class G> void find(const G& graph, const loop_forest& loops) {
    depth_first_order(graph, search_, order_);
    num_headers_.assign(loops.num_loops(), 0);
    node_id first = no_node;
    for_each_in_order([&](node_id n) {
      if (is_copy(n)) {
        first = first == no_node ? n : first;
        const loop_id l = loops.innermost_loop(n);
        if (l != no_loop) {
          ++num_headers_[l];
        }
      }
    });
    new_header_ = first == no_node ? header_ : first;
    loop_ = no_loop;
    std::uint32_t most = 0;
    for_each_in_order([&](node_id n) {
      const loop_id l = loops.innermost_loop(n);
      if (l != no_loop && loops.header(l) == n && is_copy(n) && num_headers_[l] > most) {
        most = num_headers_[l];
        new_header_ = n;
        loop_ = l;
      }
    });
  }

  /// The header of the new loop; if no loop remains, the first copy of the old header.
  node_id header() const { return new_header_; }

  /// The new loop in the forest in which it was found; or `no_loop`.
  loop_id loop() const { return loop_; }

  /// Visits nodes in reverse postorder of the graph in which the loop was found.
  template <class Visit> void for_each_in_order(Visit visit) const {
    const span<const node_id> order = order_.postorder();
    for (std::size_t i = order.size(); i-- != 0;) {
      visit(order[i]);
    }
  }

  /// Whether a node belongs to the old loop or is a copy of such a node.
  bool is_of_loop(node_id n) const {
    return n < origin_.size() && origin_[n] != no_node && is_of_loop_[origin_[n]] != 0;
  }

private:
  bool is_copy(node_id n) const { return n < origin_.size() && origin_[n] == header_; }

  node_id header_ = no_node;
  node_id new_header_ = no_node;
  loop_id loop_ = no_loop;
  flat_array<node_id> origin_;            ///< by node: the node of the program before
  flat_array<std::uint8_t> is_of_loop_;   ///< by node of the program before
  flat_array<std::uint32_t> num_headers_; ///< by loop
  dominators_and_loops_workspace searching_;
  dominators_and_loops_result found_;
  depth_first_order_workspace search_;
  depth_first_numbering order_;
};

/// The copies of an unrolled loop: for each value of the program, its original in the IR and the copy that it belongs
/// to. An observer of `apply_unrolling` for a flat program.
///
/// Copies are counted from 0 in the order in which they follow each other: in the new loop; if no loop remains, from
/// the first iteration on. Remainders and unreachable nodes belong to no copy. Each step that copies takes the time of
/// `dominators_and_loops`, and O(values).
class unrolling_copies {
  using value_of_copy = detail::value_of_copy;
  using test_of_copy = detail::test_of_copy;

public:
  static constexpr std::uint32_t no_copy = static_cast<std::uint32_t>(-1);

  /// Call it before `loop` is unrolled.
  void begin(const loop_forest& loops, loop_id loop) {
    unrolled_.begin(loops, loop);
    copied_.clear();
    tests_.clear();
    has_copies_ = false;
  }

  void before(const editable_flat_program&) {}

  template <class Step> void after(const editable_flat_program& program, Step step, const unfolding_witness& witness) {
    if (step != Step::untaken_exits) {
      unrolled_.note_copies(witness);
      find_copies(program);
    }
  }

  /// Numbers the copies; an unchanged loop is one. Called by itself after each step that copies.
  void find_copies(const editable_flat_program& program) {
    number_copies(program, unrolled_.find(program.graph()));
    has_copies_ = true;
  }

  bool has_copies() const { return has_copies_; }

  /// The header of the new loop, or of copy 0.
  node_id new_header() const { return unrolled_.header(); }

  /// The copy that a value of the program belongs to, or `no_copy`. After `list_savings`, replacements made by the
  /// clean-up belong to the copy of the replaced value.
  std::uint32_t copy_of(value_id v) const { return v < copied_.size() ? copied_[v].copy : no_copy; }

  /// The original of a value in the IR, or `no_value`.
  value_id origin_of(value_id v) const { return v < copied_.size() ? copied_[v].origin : no_value; }

  /// Lists the vanished operations, by copy. Requires the observed program, after the clean-up. O(values).
  void list_savings(const editable_flat_program& program, flat_array<unrolling_saving>& out) {
    out.clear();
    adopt_replacements(program);
    for (const test_of_copy& t : tests_) {
      if (program.node_of(t.end) == no_node) {
        add_test(program, t, out);
      }
    }
    for (const value_id v : listed_) {
      if (program.node_of(v) == no_node) {
        add_value(program, v, out);
      }
    }
  }

private:
  void number_copies(const editable_flat_program& program, const loop_forest& loops) {
    copied_.assign(static_cast<std::size_t>(program.num_values()), {});
    for (value_id v = 0; v != copied_.size(); ++v) {
      copied_[v].is_outside = program.node_of(v) == no_node;
    }
    listed_.clear();
    tests_.clear();
    unrolled_.for_each_in_order([&](node_id n) {
      if (unrolled_.loop() == no_loop || loops.contains(unrolled_.loop(), n)) {
        number_values(program, n);
      }
    });
    for (const value_id v : listed_) {
      seen_[copied_[v].origin] = 0;
    }
  }

  void number_values(const editable_flat_program& program, node_id n) {
    for (const value_id v : program.values(n)) {
      const value_id origin = program.origin(v);
      if (program.is_terminator(v) || program.cost(v) == operation_class::branch) {
        note_test(program, n, v);
        continue;
      }
      if (origin == no_value) {
        continue;
      }
      while (seen_.size() <= origin) {
        seen_.push_back(0);
      }
      value_of_copy& c = copied_[v];
      c = {origin,
           seen_[origin]++,
           program.cost(v) == operation_class::load,
           program.is_phi(v),
           false,
           program.operation(v).width,
           program.cost(v).value_or(operation_class::alu)};
      listed_.push_back(v);
    }
  }

  void note_test(const editable_flat_program& program, node_id n, value_id end) {
    const value_id condition = program.condition(n);
    if (condition == no_value || program.graph().out_edges(n).size() < 2) {
      return;
    }
    test_of_copy t{end, condition, no_edge, false};
    for (const edge_id e : program.graph().out_edges(n)) {
      t.is_exit = t.is_exit || !unrolled_.is_of_loop(program.graph().edge_target(e));
    }
    t.if_true = edge_of_case(program, n, std::uint64_t{1});
    tests_.push_back(t);
  }

  // The fate of values.

  /// The last value in a chain of replacements.
  static value_id final_value(const editable_flat_program& program, value_id v) {
    std::size_t steps = 0;
    for (value_id next = program.replacement(v); next != no_value && steps != program.num_values(); ++steps) {
      v = next;
      next = program.replacement(v);
    }
    return v;
  }

  /// A new value counts as the first value that it replaced.
  void adopt_replacements(const editable_flat_program& program) {
    const auto count = static_cast<std::size_t>(program.num_values());
    copied_.reserve(count);
    while (copied_.size() < count) {
      copied_.push_back({});
    }
    for (const value_id v : listed_) {
      if (program.node_of(v) == no_node) {
        const value_id by = final_value(program, v);
        if (program.node_of(by) != no_node && copied_[by].copy == no_copy) {
          copied_[by] = copied_[v];
        }
      }
    }
  }

  static unrolling_saving saving(saving_kind kind, const value_of_copy& c, std::uint64_t result) {
    return {kind, c.copy, c.origin, result, c.width, c.cost};
  }

  void add_test(const editable_flat_program& program, const test_of_copy& t, flat_array<unrolling_saving>& out) const {
    const value_of_copy& c = copied_[t.condition];
    if (c.copy == no_copy) {
      return; // nothing in the loop affects it
    }
    const std::optional<std::uint64_t> number = program.constant(final_value(program, t.condition));
    if (t.is_exit) {
      out.push_back(saving(saving_kind::removed_exit_test, c, 0));
    } else if (number) {
      out.push_back(saving(saving_kind::folded_test, c, *number));
    } else if (t.if_true != no_edge) {
      const bool holds = program.graph().edge_source(t.if_true) != no_node;
      out.push_back(saving(saving_kind::folded_test, c, holds ? 1u : 0u));
    }
  }

  void add_value(const editable_flat_program& program, value_id v, flat_array<unrolling_saving>& out) const {
    const value_of_copy& c = copied_[v];
    const value_id by = final_value(program, v);
    const std::optional<std::uint64_t> number = by == v ? std::nullopt : program.constant(by);
    const value_of_copy& other = copied_[by];
    if (c.is_phi) {
      if (c.copy == 0 && !number && unrolled_.loop() != no_loop) {
        out.push_back(saving(saving_kind::vanished_phi, c, 0));
      }
    } else if (number) {
      out.push_back(saving(saving_kind::folded, c, *number));
    } else if (by == v || (program.node_of(by) == no_node && !other.is_outside)) {
      out.push_back(saving(saving_kind::dead_operation, c, 0));
    } else if (other.copy != c.copy || other.origin != c.origin) {
      const std::uint64_t copy = other.copy == no_copy ? unrolling_saving::before_loop : other.copy;
      const saving_kind kind = !c.is_load      ? saving_kind::shared_expression
                               : other.is_load ? saving_kind::shared_load
                                               : saving_kind::forwarded_load;
      out.push_back(saving(kind, c, copy));
    }
  }

  unrolled_header unrolled_;
  bool has_copies_ = false;
  flat_array<value_of_copy> copied_; ///< by value of the program
  flat_array<value_id> listed_;      ///< values of copies, in their order
  flat_array<test_of_copy> tests_;
  flat_array<std::uint32_t> seen_; ///< by value of the IR: its copies so far; 0 between calls
};

namespace detail {

inline constexpr std::array<const char*, num_saving_kinds> saving_kind_names = {
    "folded",      "folded_test",    "removed_exit_test", "shared_expression",
    "shared_load", "forwarded_load", "dead_operation",    "vanished_phi"};

} // namespace detail

/// The enumerator's name.
constexpr const char* name_of(saving_kind k) {
  return detail::saving_kind_names[static_cast<std::size_t>(k)];
}

MIDEND_END_NAMESPACE
