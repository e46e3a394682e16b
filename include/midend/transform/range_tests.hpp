/// `range_tests`: a row of tests for consecutive numbers, which all leave a loop, runs only if one of them
/// holds.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// A test of a row: the branch at the end of `node`.
struct row_test {
  node_id node;
  edge_id leaves;  ///< taken if the difference of the row is `number`
  edge_id goes_on; ///< to the next test
  std::uint64_t number;

  friend constexpr bool operator==(const row_test&, const row_test&) = default;
};

/// Tests that together leave a loop if `minuend` - `subtrahend` - `least` is less than the number of tests. Each is
/// reached only from the one before.
struct test_row {
  value_id minuend;
  value_id subtrahend;
  std::uint8_t width;
  std::uint64_t least;
  std::uint32_t first; ///< into `range_test_plan::tests`
  std::uint32_t count;

  friend constexpr bool operator==(const test_row&, const test_row&) = default;
};

/// What `range_tests` will do. To veto a change, remove its row.
struct range_test_plan {
  std::uint64_t epoch = 0;
  flat_array<test_row> rows;
  flat_array<row_test> tests;

  bool empty() const { return rows.empty(); }
};

/// What `range_tests` requires of an editor.
template <class E>
concept range_test_editor =
    unfolding_editor<E> && effect_ir<E> && semantic_ir<E> && has_cases_of_edges<E> && can_set_operands<E> &&
    can_make_operations<E> && can_make_numbers<E> && can_set_branches<E> && can_erase_ends<E> && can_move_values<E>;

/// The program before a step is an unfolding of the program after it, by this witness: the step split nodes.
struct reverse_unfolding {
  unfolding_witness witness;
};

namespace detail {
template <class IR> class range_test_planner;
}

/// The memory of `plan_range_tests`, to be reused.
class range_test_workspace {
  template <class IR> friend class detail::range_test_planner;

  flat_array<unsigned char> is_in_row_; ///< by node
};

namespace detail {

template <class IR> class range_test_planner {
public:
  range_test_planner(const IR& ir, const loop_forest& loops, range_test_workspace& workspace, range_test_plan& out)
      : ir_(ir), loops_(loops), is_in_row_(workspace.is_in_row_), out_(out) {}

  void run() {
    out_.epoch = graph_epoch(ir_.graph());
    out_.rows.clear();
    out_.tests.clear();
    is_in_row_.assign(node_count(ir_.graph()), 0);
    for (const loop_id l : loops_.loops()) {
      for (const node_id n : loops_.own_blocks(l)) {
        for (node_id at = is_continued(l, n) ? no_node : n; at != no_node;) {
          at = follow_row(l, at);
        }
      }
    }
  }

private:
  static constexpr std::uint32_t fewest = 3;
  static constexpr std::uint32_t most = 256;

  /// `base` + `added`; without base, a literal.
  struct offset_value {
    value_id base;
    std::uint64_t added;
  };

  /// A branch that `a == b` decides.
  struct equality_test {
    bool is_one = false;
    value_id a = no_value;
    value_id b = no_value;
    std::uint8_t width = 0;
    edge_id leaves = no_edge;  ///< taken if they are equal
    edge_id goes_on = no_edge; ///< taken if not
  };

  node_id target(edge_id e) const { return static_cast<node_id>(ir_.graph().edge_target(e)); }

  /// Whether the only edge into a node goes on from a test that leaves the loop.
  bool is_continued(loop_id l, node_id n) const {
    edge_id into = no_edge;
    std::size_t edges = 0;
    for_each_id(ir_.graph().in_edges(n), [&](edge_id e) {
      into = e;
      ++edges;
    });
    const node_id source = edges == 1 ? static_cast<node_id>(ir_.graph().edge_source(into)) : no_node;
    return source != no_node && loops_.innermost_loop(source) == l && leaves(l, test_of(source)) &&
           test_of(source).goes_on == into;
  }

  bool leaves(loop_id l, const equality_test& t) const { return t.is_one && !loops_.contains(l, target(t.leaves)); }

  /// Follows the tests from `n` on, while they leave loop `l` for numbers that count up or down. Returns where another
  /// row may begin, or `no_node`.
  node_id follow_row(loop_id l, node_id n) {
    const equality_test head = test_of(n);
    if (!leaves(l, head)) {
      return no_node;
    }
    const auto first = static_cast<std::uint32_t>(out_.tests.size());
    const offset_value a = offset_of(head.a, head.width);
    const offset_value b = offset_of(head.b, head.width);
    equality_test last = head;
    std::uint64_t number = 0; // relative to the first test
    std::uint64_t step = 0;   // 1 or -1
    while (true) {
      out_.tests.push_back({n, last.leaves, last.goes_on, number});
      n = target(last.goes_on);
      const std::uint64_t before = number;
      if (out_.tests.size() - first == most || !continues(l, last.goes_on, first)) {
        break;
      }
      last = test_of(n);
      if (!leaves(l, last) || last.width != head.width ||
          !number_of(a, b, offset_of(last.a, last.width), offset_of(last.b, last.width), head.width, number)) {
        break;
      }
      const std::uint64_t apart = (number - before) & low_ones(head.width);
      if ((apart != 1 && apart != low_ones(head.width)) || (step != 0 && apart != step)) {
        break;
      }
      step = apart;
    }
    const auto count = static_cast<std::uint32_t>(out_.tests.size() - first);
    if (count < fewest || (head.width < 64 && count > low_ones(head.width))) {
      const bool goes_on = count > 1 || continues(l, head.goes_on, first);
      out_.tests.shrink(first);
      return goes_on ? target(head.goes_on) : no_node;
    }
    const std::uint64_t least = step == 1 ? 0 : out_.tests.back().number;
    for (std::uint32_t i = first; i != first + count; ++i) {
      is_in_row_[out_.tests[i].node] = 1;
      out_.tests[i].number = (out_.tests[i].number - least) & low_ones(head.width);
    }
    out_.rows.push_back({head.a, head.b, head.width, least, first, count});
    const node_id after = target(out_.tests.back().goes_on);
    return is_in_row_[after] == 0 && is_continued(l, after) ? after : no_node;
  }

  /// Whether an edge is the only one into a node of the loop, and the node may be copied and is in no row.
  bool continues(loop_id l, edge_id e, std::uint32_t first) const {
    const node_id n = target(e);
    std::size_t edges = 0;
    for_each_id(ir_.graph().in_edges(n), [&](edge_id) { ++edges; });
    bool may = edges == 1 && is_in_row_[n] == 0 && loops_.innermost_loop(n) == l;
    for (std::uint32_t i = first; i != out_.tests.size(); ++i) {
      may = may && out_.tests[i].node != n;
    }
    for_each_id(ir_.values(n), [&](value_id v) { may = may && !ir_.is_phi(v) && may_copy(ir_, v); });
    return may;
  }

  /// The number that the row's difference a - b has where c == d. False if one comparison says nothing about the other.
  static bool number_of(const offset_value& a, const offset_value& b, const offset_value& c, const offset_value& d,
                        unsigned width, std::uint64_t& number) {
    const std::uint64_t first = a.added - b.added;
    const std::uint64_t here = c.added - d.added;
    if (a.base == c.base && b.base == d.base) { // c - d is a - b + here - first
      number = (first - here) & low_ones(width);
      return true;
    }
    if (a.base == d.base && b.base == c.base) { // c - d is first - (a - b) + here
      number = (first + here) & low_ones(width);
      return true;
    }
    return false;
  }

  offset_value offset_of(value_id v, unsigned width) const {
    offset_value out{v, 0};
    for (unsigned steps = 0; steps != 8 && out.base != no_value; ++steps) {
      if (const auto c = ir_.constant(out.base)) {
        return {no_value, out.added + static_cast<std::uint64_t>(*c)};
      }
      if (ir_.is_phi(out.base)) {
        break;
      }
      const operation_info info = ir_.operation(out.base);
      value_id x[2] = {no_value, no_value};
      std::size_t count = 0;
      for_each_id(ir_.operands(out.base), [&](value_id o) {
        if (count < 2) {
          x[count] = o;
        }
        ++count;
      });
      if ((info.code != operation::add && info.code != operation::sub) || info.width != width || count != 2) {
        break;
      }
      if (x[0] == no_value || x[1] == no_value || !ir_.constant(x[1])) {
        break;
      }
      const auto number = static_cast<std::uint64_t>(*ir_.constant(x[1]));
      out = {x[0], info.code == operation::add ? out.added + number : out.added - number};
    }
    return out;
  }

  equality_test test_of(node_id n) const {
    equality_test t;
    const auto condition = static_cast<value_id>(ir_.condition(n));
    if (condition == no_value || ir_.is_phi(condition) || ir_.constant(condition) || is_terminator(ir_, condition)) {
      return t;
    }
    const operation_info info = ir_.operation(condition);
    const bool is_equal = info.code == operation::equal;
    if ((!is_equal && info.code != operation::not_equal) || info.width != 1 || info.operand_width == 0 ||
        info.operand_width > 64) {
      return t;
    }
    std::size_t edges = 0;
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
      ++edges;
      t.is_one = may_redirect(ir_, e) && (edges == 1 || t.is_one);
    });
    t.leaves = edge_of_case(ir_, n, static_cast<constant_of<IR>>(is_equal ? 1 : 0));
    t.goes_on = edge_of_case(ir_, n, static_cast<constant_of<IR>>(is_equal ? 0 : 1));
    std::size_t count = 0;
    for_each_id(ir_.operands(condition), [&](value_id o) { (count++ == 0 ? t.a : t.b) = o; });
    t.width = info.operand_width;
    t.is_one = t.is_one && edges == 2 && count == 2 && t.leaves != no_edge && t.goes_on != no_edge &&
               t.leaves != t.goes_on && is_read_by_end(n, condition) && is_number(t.a) && is_number(t.b);
    return t;
  }

  bool is_number([[maybe_unused]] value_id v) const {
    if constexpr (has_is_number<IR>) {
      return v != no_value && (ir_.constant(v) || ir_.is_number(v));
    } else {
      return v != no_value;
    }
  }

  /// Whether the terminator reads the condition and may read another one instead.
  bool is_read_by_end(node_id n, value_id condition) const {
    bool is_read = false;
    for_each_id(ir_.values(n), [&](value_id v) {
      if (!ir_.is_phi(v) && is_terminator(ir_, v)) {
        std::size_t i = 0;
        for_each_id(ir_.operands(v), [&](value_id o) {
          is_read = is_read || (o == condition && may_replace_operand(ir_, v, i));
          ++i;
        });
        is_read = is_read && may_copy(ir_, v);
      }
    });
    return is_read;
  }

  const IR& ir_;
  const loop_forest& loops_;
  flat_array<unsigned char>& is_in_row_;
  range_test_plan& out_;
};

template <class E> class range_test_builder {
public:
  range_test_builder(E& editor, const range_test_plan& plan) : editor_(editor), plan_(plan) {}

  /// Makes the tests of each row compare one difference, which is computed before the first test.
  void rewrite() {
    for (const test_row& row : plan_.rows) {
      const span<const row_test> tests = tests_of(row);
      const place end = place_at_end(tests[0].node);
      const operation_info sub{operation::sub, row.width, row.width, {}};
      value_id difference = make(sub, row.minuend, row.subtrahend, end);
      if (row.least != 0) {
        difference = make(sub, difference, number_like(editor_, row.minuend, row.width, row.least), end);
      }
      differences_.push_back(difference);
      for (const row_test& t : tests) {
        const auto old = static_cast<value_id>(view().condition(t.node));
        const value_id by = make({view().operation(old).code, 1, row.width, {}}, difference,
                                 number_like(editor_, row.minuend, row.width, t.number), place_at_end(t.node));
        const value_id branch = end_of(t.node);
        std::size_t i = 0;
        std::size_t at = 0;
        for_each_id(view().operands(branch), [&](value_id o) { at = o == old ? i++ : (i++, at); });
        editor_.set_operand(branch, at, by);
      }
    }
  }

  /// Gives the first test of each row a node of its own. By the witness, the program before is the one after with these
  /// nodes merged into their predecessors.
  reverse_unfolding split() {
    reverse_unfolding out;
    unfolding_witness& witness = out.witness;
    witness.start(count_of_nodes(), count_of_edges(), static_cast<std::size_t>(view().num_values()));
    for (const test_row& row : plan_.rows) {
      const node_id head = tests_of(row)[0].node;
      const auto test = static_cast<node_id>(editor_.create_node(head));
      const value_id end = end_of(head);
      editor_.move_value(static_cast<value_id>(view().condition(head)), place_at_end(test));
      const auto clone = static_cast<value_id>(editor_.clone_value(end, test));
      flat_array<edge_id> old;
      for_each_id(view().graph().out_edges(head), [&](edge_id e) { old.push_back(e); });
      std::size_t i = 0;
      for_each_id(view().graph().out_edges(test), [&](edge_id e) {
        for_each_phi(view(), static_cast<node_id>(view().graph().edge_target(e)), [&](value_id phi) {
          editor_.set_phi_input(phi, e, static_cast<value_id>(view().phi_input(phi, old[i])));
        });
        if constexpr (profile_editor<E>) {
          editor_.set_probability(e, static_cast<double>(view().probability(old[i])));
        }
        witness.edge_origin[old[i]] = e;
        ++i;
      });
      if constexpr (profile_editor<E>) {
        editor_.set_count(test, view().count(head));
      }
      witness.value_origin[end] = clone;
      witness.merged.push_back({head, test});
      editor_.erase_end(head);
      editor_.set_jump(head, test);
      heads_.push_back(head);
      first_tests_.push_back(test);
    }
    return out;
  }

  /// Inserts a branch before each row: to a copy of the row if one of its tests will hold, else to the row.
  unfolding_witness guard() {
    unfolding<E> u(editor_);
    flat_array<node_id> nodes;
    flat_array<node_id> copies;
    for (std::size_t r = 0; r != plan_.rows.size(); ++r) {
      const test_row& row = plan_.rows[r];
      nodes.clear();
      for (const row_test& t : tests_of(row)) {
        nodes.push_back(nodes.empty() ? first_tests_[r] : t.node);
      }
      edge_id into = no_edge;
      for_each_id(view().graph().out_edges(heads_[r]), [&](edge_id e) { into = e; });
      const node_id guard = u.route_edges(span<const edge_id>(&into, 1));
      row_profile profile;
      read_profile(nodes, tests_of(row), profile);
      u.duplicate_region(span<const node_id>(nodes.data(), nodes.size()), copies);
      for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
        edge_id on = no_edge;
        for_each_id(view().graph().out_edges(copies[i]), [&](edge_id e) {
          on = static_cast<node_id>(view().graph().edge_target(e)) == nodes[i + 1] ? e : on;
        });
        u.lead(on, copies[i + 1]);
      }
      const value_id in_range = make({operation::uless_equal, 1, row.width, {}}, differences_[r],
                                     number_like(editor_, row.minuend, row.width, row.count - 1), place_at_end(guard));
      u.editor().erase_end(guard);
      u.editor().set_branch(guard, in_range, copies[0], nodes[0]);
      u.grow_witness();
      divide_profile(guard, nodes, copies, profile);
    }
    u.finish();
    return u.take_witness();
  }

private:
  const E& view() const { return editor_; }

  /// How often a row is entered, and how often each of its tests leaves; relative to 1 entry if only probabilities are
  /// known.
  struct row_profile {
    bool is_known = false;
    bool has_counts = false;
    double entered = 0;
    flat_array<double> leaves;              ///< by test
    flat_array<std::uint32_t> leaving_slot; ///< by test: the position of the edge
  };

  void read_profile([[maybe_unused]] const flat_array<node_id>& nodes, [[maybe_unused]] span<const row_test> tests,
                    [[maybe_unused]] row_profile& out) const {
    if constexpr (profile_editor<E>) {
      const auto& g = view().graph();
      out.is_known = true;
      out.has_counts = true;
      for (const node_id n : nodes) {
        out.has_counts = out.has_counts && view().count(n);
      }
      out.entered = out.has_counts ? static_cast<double>(*view().count(nodes[0])) : 1;
      double left = out.entered;
      for (std::size_t i = 0; i != nodes.size(); ++i) {
        std::uint32_t slot = 0;
        std::uint32_t leaving = 0;
        for_each_id(g.out_edges(nodes[i]), [&](edge_id e) {
          const bool goes_on =
              i + 1 == nodes.size() ? e == tests[i].goes_on : static_cast<node_id>(g.edge_target(e)) == nodes[i + 1];
          if (!goes_on) {
            leaving = slot;
            const double p = static_cast<double>(view().probability(e));
            const auto count = out.has_counts ? edge_count(view(), g, e) : std::nullopt;
            out.is_known = out.is_known && (out.has_counts ? count.has_value() : p >= 0);
            out.leaves.push_back(out.has_counts ? static_cast<double>(count.value_or(0)) : left * p);
          }
          ++slot;
        });
        out.leaving_slot.push_back(leaving);
        left -= out.leaves[i];
      }
      out.is_known = out.is_known && left >= -1e-9;
    }
  }

  /// Divides the profile: only runs that leave the row reach the copy, and the row itself never leaves. If the profile
  /// does not tell how many runs leave, both have no counts.
  void divide_profile([[maybe_unused]] node_id guard, [[maybe_unused]] const flat_array<node_id>& nodes,
                      [[maybe_unused]] const flat_array<node_id>& copies, [[maybe_unused]] const row_profile& profile) {
    if constexpr (profile_editor<E>) {
      if (!profile.is_known) {
        for (std::size_t i = 0; i != nodes.size(); ++i) {
          editor_.set_count(nodes[i], std::nullopt);
          editor_.set_count(copies[i], std::nullopt);
        }
        return;
      }
      double all = 0;
      for (const double d : profile.leaves) {
        all += d;
      }
      const double rest = profile.entered - all > 0 ? profile.entered - all : 0;
      set_probabilities(guard, 0, profile.entered == 0 ? 0 : all / profile.entered);
      double left = all;
      for (std::size_t i = 0; i != nodes.size(); ++i) {
        if (profile.has_counts) {
          editor_.set_count(nodes[i], static_cast<std::uint64_t>(rest));
          editor_.set_count(copies[i], static_cast<std::uint64_t>(left));
        }
        set_probabilities(nodes[i], profile.leaving_slot[i], 0);
        const double next = left - profile.leaves[i] > 0 ? left - profile.leaves[i] : 0;
        // The last test of the copy always leaves, even if the profile has never seen that.
        set_probabilities(copies[i], profile.leaving_slot[i],
                          i + 1 == nodes.size() || !(left > 0) ? 1 : (left - next) / left);
        left = next;
      }
    }
  }

  /// Sets the probabilities of the edge at a position and of the other edge.
  void set_probabilities(node_id n, std::uint32_t slot, double p) {
    flat_array<edge_id> edges;
    for_each_id(view().graph().out_edges(n), [&](edge_id e) { edges.push_back(e); });
    for (std::uint32_t i = 0; i != edges.size(); ++i) {
      editor_.set_probability(edges[i], i == slot ? p : 1 - p);
    }
  }

  std::size_t count_of_nodes() const { return static_cast<std::size_t>(view().graph().num_nodes()); }

  std::size_t count_of_edges() const { return static_cast<std::size_t>(view().graph().num_edges()); }

  span<const row_test> tests_of(const test_row& row) const { return {plan_.tests.data() + row.first, row.count}; }

  value_id make(const operation_info& info, value_id a, value_id b, place where) {
    const value_id operands[2] = {a, b};
    return static_cast<value_id>(editor_.make_operation(info, span<const value_id>(operands, 2), where));
  }

  value_id end_of(node_id n) const {
    value_id end = no_value;
    for_each_id(view().values(n), [&](value_id v) { end = !view().is_phi(v) && is_terminator(view(), v) ? v : end; });
    return end;
  }

  E& editor_;
  const range_test_plan& plan_;
  flat_array<value_id> differences_; ///< by row
  flat_array<node_id> heads_;
  flat_array<node_id> first_tests_;
};

} // namespace detail

/// Finds the rows of tests in loops that one test of a range can decide. A row is a chain of branches on v == x + c (or
/// !=), each reached from the one before only: the difference v - x is compared with different numbers, modulo 2^width.
/// All leave the loop if it is equal, and each number is the next one, or each the one before. So no test of the row
/// holds unless the difference, less the least number, is less than the number of tests, compared without sign.
/// Unrolling makes such rows: `while (a[i / 7] != x) { ++x; ++i; }` by 7 loads once and compares with x … x + 6.
///
/// A longest row of up to 256 tests is taken; three are needed. The other operations in the nodes of a row must be ones
/// that may be copied. Compilers know such tests from `switch` and from conditions joined by `||` (GCC's range tests in
/// reassociation); here the numbers may be relative to a value.
///
/// `loops` is the forest of this graph. O(nodes of loops + tests · tests of rows).
///
///     if (v == x) leave;              if (v - x < 3) { the three tests; one of them leaves }
///     if (v == x + 1) leave;     →    …
///     if (v == x + 2) leave;
///     …
template <effect_ir_argument IR>
void plan_range_tests(const IR& ir, const loop_forest& loops, range_test_workspace& workspace, range_test_plan& out) {
  MIDEND_ASSERT(loops.epoch() == graph_epoch(ir.graph()), "a forest of this graph as it is now", loops.epoch());
  detail::range_test_planner<IR>(ir, loops, workspace, out).run();
}

/// Returns the plan as a value.
template <effect_ir_argument IR> range_test_plan plan_range_tests(const IR& ir, const loop_forest& loops) {
  range_test_workspace workspace;
  range_test_plan plan;
  plan_range_tests(ir, loops, workspace, plan);
  return plan;
}

/// Applies a plan for the program as it is, in three steps. Each step calls `observer.applied(editor, …)`.
/// 1. The tests compare one difference with numbers: `applied(editor)`. `verify_range_tests` checks it.
/// 2. The first test gets a node of its own: `applied(editor, reverse_unfolding)`. `verify_unfolding` checks it, with
///    the programs exchanged.
/// 3. A branch before it leads to a copy of the row if the difference is in the range: `applied(editor,
///    unfolding_witness)`. `verify_unfolding` checks it.
///
/// `sccp_with_branch_facts` then decides all tests of the row, and the last one of the copy, so that the copy is no
/// part of the loop. O(size of the rows).
template <range_test_editor E, class Observer>
void apply_range_tests(E& editor, const range_test_plan& plan, Observer& observer) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(editor.graph()), "a plan for this graph as it is now", plan.epoch);
  detail::range_test_builder<E> builder(editor, plan);
  builder.rewrite();
  observer.applied(static_cast<const E&>(editor));
  const reverse_unfolding split = builder.split();
  observer.applied(static_cast<const E&>(editor), split);
  const unfolding_witness guarded = builder.guard();
  observer.applied(static_cast<const E&>(editor), guarded);
}

/// Needs no observer.
template <range_test_editor E> void apply_range_tests(E& editor, const range_test_plan& plan) {
  struct {
    void applied(const E&) {}

    void applied(const E&, const reverse_unfolding&) {}

    void applied(const E&, const unfolding_witness&) {}
  } nobody;

  apply_range_tests(editor, plan, nobody);
}

MIDEND_END_NAMESPACE
