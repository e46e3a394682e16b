/// `extract_loop`: a loop with all loops inside it as a program of its own, on which transformations can be tried.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/detail/program_copier.hpp"
#include "midend/ir/editable_flat_program.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/frozen.hpp"
#include "midend/ir/function_graph.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// A loop as a program. Node 0 is its entry: it stands for all edges into the loop, has no operations, and leads to
/// node 1, the header. The other nodes of the loop follow, in the order of the forest, then the exits, one for each
/// node outside to which edges of the loop lead.
///
/// - Values that the loop reads from outside are parameters and literals.
/// - A phi of the header has one input from the entry. It is a parameter without an origin if edges into the loop bring
///   different values.
/// - An exit has the phis of its node outside, with the inputs from the loop. Its end reads them, and all values of the
///   loop that are read outside and computed on each path to the exit. The end may have any effect: it observes its
///   operands, and memory.
struct extracted_loop {
  editable_flat_program program;
  flat_array<node_id> nodes; ///< by node of the program: its node in the IR; `no_node` for the entry
  flat_array<edge_id> edges; ///< by edge of the program: its edge in the IR; `no_edge` for that of the entry
  node_id first_exit = no_node;
  bool has_expected_trips = false; ///< whether `expect_trips` has written how often the loops run
  bool has_exact_trips = false;    ///< whether it has found a loop that always runs equally often
  bool has_profile = false;        ///< whether it knows from a profile how often this loop runs

  static constexpr node_id entry = 0;
  static constexpr node_id header = 1;
};

class extract_loop_workspace;

namespace detail {

template <class IR> class loop_extractor;

} // namespace detail

/// Memory of `extract_loop`, to be reused: extracting a loop then takes time for the loop, not for the function.
class extract_loop_workspace {
  template <class IR> friend class detail::loop_extractor;

  flat_array<node_id> node_image_;    ///< by node of the IR: its node; `no_node` between calls
  flat_array<value_id> value_image_;  ///< by value of the IR: its value; `no_value` between calls
  flat_array<value_id> imaged_;       ///< values of the IR that have an image
  flat_array<value_id> read_outside_; ///< values of the loop with a read outside that is not by a phi of an exit
  flat_array<value_id> initial_;      ///< parameters without an origin
};

namespace detail {

/// One extraction. Also gives `program_copier` the origins.
template <class IR> class loop_extractor {
public:
  static constexpr bool adds_operands = true;

  loop_extractor(const IR& ir, const dominator_tree& tree, const loop_forest& loops, loop_id loop,
                 span<const number_facts> facts, extract_loop_workspace& memory, extracted_loop& out)
      : ir_(ir), graph_(ir.graph()), tree_(tree), loops_(loops), loop_(loop), facts_(facts), memory_(memory), out_(out),
        program_(out.program) {}

  void run() {
    begin();
    list_nodes();
    list_edges();
    list_values();
    list_exit_phis();
    note_reads_outside();
    add_operands();
    end_exits();
    program_copier<IR, loop_extractor>(ir_, *this, program_).run();
    tell_facts();
    copy_entry_count();
    program_.fold_by(ir_);
    clear_images();
  }

  node_id node(node_id n) const { return n < out_.first_exit ? out_.nodes[n] : no_node; }

  edge_id edge(edge_id e) const { return out_.edges[e]; }

  /// A run of the loop is part of a run of each loop around it.
  node_id scope_image(node_id scope) const {
    for (loop_id l = loop_; l != no_loop; l = loops_.parent(l)) {
      if (loops_.header(l) == scope) {
        return extracted_loop::header;
      }
    }
    return loops_.innermost_loop(scope) != no_loop && loops_.contains(loop_, scope) ? memory_.node_image_[scope]
                                                                                    : no_node;
  }

  /// The copy of a value. A value from outside is copied at its first use.
  value_id image(value_id x) {
    value_id& known = memory_.value_image_[x];
    if (known == no_value) {
      known = add_outside(x);
      memory_.imaged_.push_back(x);
    }
    return known;
  }

private:
  using program = flat_program;

  bool is_inside(value_id v) const {
    const value_id image = memory_.value_image_[v];
    return image != no_value && program_.node_of(image) != no_node;
  }

  // ---- Nodes and edges.

  void begin() {
    grow(memory_.node_image_, node_count(graph_), no_node);
    grow(memory_.value_image_, static_cast<std::size_t>(ir_.num_values()), no_value);
    memory_.imaged_.clear();
    memory_.read_outside_.clear();
    memory_.initial_.clear();
    program_.clear();
    out_.nodes.clear();
    out_.edges.clear();
    out_.has_expected_trips = out_.has_exact_trips = out_.has_profile = false;
  }

  static void grow(flat_array<std::uint32_t>& a, std::size_t size, std::uint32_t fill) {
    a.reserve(size);
    while (a.size() < size) {
      a.push_back(fill);
    }
  }

  node_id add_node(node_id of) {
    out_.nodes.push_back(of);
    return program_.add_node();
  }

  void list_nodes() {
    add_node(no_node);
    const node_id first = loops_.header(loop_);
    memory_.node_image_[first] = add_node(first);
    for (const node_id n : loops_.blocks(loop_)) {
      if (n != first) {
        memory_.node_image_[n] = add_node(n);
      }
    }
    out_.first_exit = static_cast<node_id>(out_.nodes.size());
  }

  edge_id add_edge(node_id from, node_id to, edge_id of) {
    out_.edges.push_back(of);
    return program_.add_edge(from, to);
  }

  /// Lists the entry's edge, then the edges of each node in their order, with the exits to which they lead.
  void list_edges() {
    add_edge(extracted_loop::entry, extracted_loop::header, no_edge);
    for (node_id n = extracted_loop::header; n != out_.first_exit; ++n) {
      for_each_id(graph_.out_edges(out_.nodes[n]), [&](edge_id e) {
        const auto target = static_cast<node_id>(graph_.edge_target(e));
        if (memory_.node_image_[target] == no_node) {
          memory_.node_image_[target] = add_node(target);
        }
        add_edge(n, memory_.node_image_[target], e);
      });
    }
  }

  // ---- Values.

  void list_values() {
    for (node_id n = extracted_loop::header; n != out_.first_exit; ++n) {
      bool has_end = false;
      for_each_id(ir_.values(out_.nodes[n]), [&](value_id v) {
        const value_id copy = program_.append_copy(v, n, static_cast<bool>(ir_.is_phi(v)));
        memory_.value_image_[v] = copy;
        memory_.imaged_.push_back(v);
        has_end = !static_cast<bool>(ir_.is_phi(v)) && midend::is_terminator(ir_, v);
      });
      if (!has_end) {
        program_.append_end(n, false);
        has_ends_ = false;
      }
    }
    program_.append_end(extracted_loop::entry, false);
  }

  void list_exit_phis() {
    for (node_id n = out_.first_exit; n != out_.nodes.size(); ++n) {
      for_each_phi(out_.nodes[n], [&](value_id phi) { program_.append_copy(phi, n, true); });
    }
  }

  template <class Visit> void for_each_phi(node_id n, Visit visit) {
    for (auto&& id : ir_.values(n)) {
      const auto v = static_cast<value_id>(id);
      if (!static_cast<bool>(ir_.is_phi(v))) {
        return;
      }
      visit(v);
    }
  }

  /// Notes reads outside, except by phis of exits along edges of the loop.
  void note_reads_outside() {
    const std::size_t num_inside = memory_.imaged_.size();
    for (std::size_t i = 0; i != num_inside; ++i) {
      const value_id v = memory_.imaged_[i];
      bool is_read = false;
      for_each_id(ir_.users(v), [&](value_id user) { is_read = is_read || reads_outside(user, v); });
      if (is_read) {
        memory_.read_outside_.push_back(v);
      }
    }
    if (!has_ends_) {
      note_conditions_outside();
    }
  }

  /// Notes conditions of an IR whose ends are no values: these have no users. Looks at all nodes of the function.
  void note_conditions_outside() {
    for (node_id n = 0; n != node_count(graph_); ++n) {
      const auto c = static_cast<value_id>(ir_.condition(n));
      if (c != no_value && !loops_.contains(loop_, n) && is_inside(c)) {
        memory_.read_outside_.push_back(c);
      }
    }
  }

  bool reads_outside(value_id user, value_id v) {
    if (is_inside(user)) {
      return false;
    }
    if (!static_cast<bool>(ir_.is_phi(user))) {
      return true;
    }
    bool reads = false;
    const node_id home = home_of(user);
    if (home != no_node) {
      for_each_in_edge(home, [&](edge_id e) {
        const auto source = static_cast<node_id>(graph_.edge_source(e));
        reads = reads || (static_cast<value_id>(ir_.phi_input(user, e)) == v && !loops_.contains(loop_, source));
      });
    }
    return reads;
  }

  node_id home_of(value_id v) const {
    static_assert(has_node_of<IR>, "midend: `extract_loop` needs `midend::node_id node_of(midend::value_id v) const`");
    return static_cast<node_id>(ir_.node_of(v));
  }

  template <class Visit> void for_each_in_edge(node_id n, Visit visit) { for_each_id(graph_.in_edges(n), visit); }

  value_id add_outside(value_id x) {
    const value_id v = program_.add_copy(x);
    const bool is_literal = ir_.constant(x).has_value() || is_undefined_literal(x);
    if (!is_literal) {
      program_.add_parameter(v);
    }
    return v;
  }

  bool is_undefined_literal([[maybe_unused]] value_id x) const {
    if constexpr (has_is_undefined<IR>) {
      return static_cast<bool>(ir_.is_undefined(x));
    } else {
      return false;
    }
  }

  // ---- Operands.

  void add_operands() {
    for (node_id n = 0; n != out_.nodes.size(); ++n) {
      for (value_id v = program_.first_of(n); v != no_value; v = program_.value_after(v)) {
        const value_id origin = program_.origin(v);
        if (program_.is_phi(v)) {
          add_inputs(v, origin, n);
        } else if (origin != no_value) {
          for_each_id(ir_.operands(origin), [&](value_id x) { program_.add_operand(v, image_or_none(x)); });
        } else if (node(n) != no_node) { // the end of a node, in an IR whose ends are no values
          const auto condition = static_cast<value_id>(ir_.condition(out_.nodes[n]));
          if (condition != no_value) {
            program_.add_operand(v, image(condition));
          }
        }
      }
    }
  }

  value_id image_or_none(value_id x) { return x == no_value ? no_value : image(x); }

  void add_inputs(value_id v, value_id phi, node_id n) {
    for (const edge_id e : program_.graph().in_edges(n)) {
      const edge_id original = out_.edges[e];
      program_.add_operand(v, original != no_edge ? image_or_none(static_cast<value_id>(ir_.phi_input(phi, original)))
                                                  : initial_value(phi));
    }
  }

  /// The value of a phi of the header when the loop is entered.
  value_id initial_value(value_id phi) {
    value_id initial = no_value;
    bool is_one = true;
    for_each_in_edge(loops_.header(loop_), [&](edge_id e) {
      if (!loops_.contains(loop_, static_cast<node_id>(graph_.edge_source(e)))) {
        const auto input = static_cast<value_id>(ir_.phi_input(phi, e));
        is_one = is_one && (initial == no_value || initial == input);
        initial = input;
      }
    });
    if (is_one && initial != no_value) {
      return image(initial);
    }
    const value_id v = program_.add_copy(phi);
    program_.add_parameter(v);
    memory_.initial_.push_back(v);
    return v;
  }

  /// Makes the ends of exits, which read the values that are read outside.
  void end_exits() {
    for (node_id n = out_.first_exit; n != out_.nodes.size(); ++n) {
      const value_id end = program_.append_end(n, true);
      for (value_id v = program_.first_of(n); v != end; v = program_.value_after(v)) {
        program_.add_operand(end, v);
      }
      for (const value_id v : memory_.read_outside_) {
        if (is_computed_at(v, n)) {
          program_.add_operand(end, memory_.value_image_[v]);
        }
      }
    }
  }

  bool is_computed_at(value_id v, node_id exit) {
    bool is_computed = true;
    for (const edge_id e : program_.graph().in_edges(exit)) {
      is_computed = is_computed && tree_.dominates(home_of(v), static_cast<node_id>(graph_.edge_source(out_.edges[e])));
    }
    return is_computed;
  }

  /// Sets facts about parameters. A parameter that is one number becomes a literal.
  void tell_facts() {
    for (const value_id v : memory_.initial_) {
      program_.forget_origin(v); // facts about the phi are not facts about its initial value
    }
    for (const value_id v : program_.parameters()) {
      const value_id x = program_.origin(v);
      if (x < facts_.size()) {
        const number_facts& f = facts_[x];
        if (const auto c = f.constant()) {
          program_.set_literal(v, *c);
        } else if (f != number_facts() && f != number_facts::any(program_.operation(v).width)) {
          program_.set_facts(v, f);
        }
      }
    }
    program_.drop_literal_parameters();
  }

  /// Sets the count of the entry: the counts of the nodes that only enter the loop.
  void copy_entry_count() {
    if constexpr (has_node_counts<IR>) {
      std::optional<std::uint64_t> sum = 0;
      for_each_in_edge(loops_.header(loop_), [&](edge_id e) {
        const auto source = static_cast<node_id>(graph_.edge_source(e));
        if (!loops_.contains(loop_, source)) {
          std::size_t edges = 0;
          for_each_id(graph_.out_edges(source), [&](edge_id) { ++edges; });
          const std::optional<std::uint64_t> count = edges == 1 ? ir_.count(source) : std::nullopt;
          sum = sum && count ? std::optional(*sum + *count) : std::nullopt;
        }
      });
      program_.set_count(extracted_loop::entry, sum);
    }
  }

  void clear_images() {
    for (const value_id v : memory_.imaged_) {
      memory_.value_image_[v] = no_value;
    }
    for (const node_id n : out_.nodes) {
      if (n != no_node) {
        memory_.node_image_[n] = no_node;
      }
    }
  }

  using graph_type = std::remove_cvref_t<decltype(std::declval<const IR&>().graph())>;

  const IR& ir_;
  const graph_type& graph_;
  const dominator_tree& tree_;
  const loop_forest& loops_;
  loop_id loop_;
  span<const number_facts> facts_;
  extract_loop_workspace& memory_;
  extracted_loop& out_;
  editable_flat_program& program_;
  bool has_ends_ = true;
};

} // namespace detail

/// The requirements of extraction: a `freezable_ir` that places its values and lists users and edges into nodes.
template <class IR>
concept extractable_ir = freezable_ir<IR> && has_users<IR> && has_node_of<IR> && graph_has_in_edges<IR>;

/// Extracts a loop with all loops inside it. Pass the editor with which the loop will be transformed later: the program
/// repeats its restrictions (edges, phis, operands).
///
///     midend::extracted_loop x;
///     midend::extract_loop_workspace memory;
///     midend::extract_loop(editor, tree, loops, l, memory, x);
///     midend::editable_flat_program trial = x.program;
///
/// The program has a loop `extracted_loop::header` with the nodes and edges of the loop; a second entry of an
/// irreducible region inside stays inside. `origin(v)` is the value of the IR. `fold` asks `ir`, which must live as
/// long as the program and its copies are used, with its present operations.
///
/// `facts` are facts about the values of the function, by number, for instance from `sccp_with_branch_facts`; the list
/// may be shorter. The program has those of its parameters; a parameter that is one number is a literal. Parameters
/// come from outside the loop, so their facts hold in each iteration.
///
/// Unreachable nodes that lead into the loop count as entries: if they bring other values than the rest, the program
/// knows less about the phi. Parallel edges stay.
///
/// Requires a dominator tree and a loop forest with boundaries of this graph, and a loop that control reaches, as those
/// of a forest are. O(nodes, edges, values and operands of the loop, and the users of its values), after the first call
/// with a workspace; for an IR whose ends are no values, plus the nodes of the function.
template <freezable_ir_argument IR>
void extract_loop(const IR& ir, const dominator_tree& tree, const loop_forest& loops, loop_id loop,
                  span<const number_facts> facts, extract_loop_workspace& memory, extracted_loop& out) {
  static_assert(extractable_ir<IR>,
                "midend: extracting a loop needs an IR with `users(midend::value_id v) const`, `midend::node_id "
                "node_of(midend::value_id v) const`, and `in_edges(midend::node_id n) const` in its graph");
  MIDEND_ASSERT(loop < loops.num_loops(), "a loop of the forest", loop, loops.num_loops());
  MIDEND_ASSERT(loops.epoch() == graph_epoch(ir.graph()) && tree.epoch() == loops.epoch(),
                "a dominator tree and a loop forest of this graph", tree.epoch(), loops.epoch());
  detail::loop_extractor<IR>(ir, tree, loops, loop, facts, memory, out).run();
}

/// A temporary is an error, since `fold` would ask it later.
template <freezable_ir_argument IR, class... Others>
void extract_loop(const IR&& ir, const dominator_tree& tree, const loop_forest& loops, loop_id loop,
                  Others&&... others) = delete;

/// Takes no facts.
template <freezable_ir_argument IR>
void extract_loop(const IR& ir, const dominator_tree& tree, const loop_forest& loops, loop_id loop,
                  extract_loop_workspace& memory, extracted_loop& out) {
  extract_loop(ir, tree, loops, loop, span<const number_facts>(), memory, out);
}

MIDEND_END_NAMESPACE
