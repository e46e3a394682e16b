// loop_forms.hpp, loop_guard.hpp, explain_loop_form.hpp.
#include "kit/affordable.hpp"
#include "kit/definitions.hpp"
#include "kit/expectations.hpp"
#include "kit/print.hpp"
#include "kit/small_stack.hpp"
#include "kit/test_graph.hpp"

#include <corpus/corpus.hpp>
#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/loops/explain_loop_form.hpp>
#include <midend/loops/loop_forms.hpp>
#include <midend/loops/loop_guard.hpp>
#include <midend/loops/natural_loops.hpp>

#include <algorithm>
#include <array>
#include <optional>

using namespace midend_tests;
using midend::csr_graph;
using midend::loop_forest;
using midend::loop_form;
using midend::loop_form_explanation;
using midend::loop_form_obstacle;
using midend::loop_guard;
using midend::loop_id;
using midend::loop_requirement;
using reason = midend::loop_form_obstacle::reason;

namespace {

using obstacle_list = std::vector<loop_form_obstacle>;

bool has(const std::vector<node_id>& sorted_nodes, node_id n) {
  return std::binary_search(sorted_nodes.begin(), sorted_nodes.end(), n);
}

/// The different predecessors of a node, or its different successors, ascending.
std::vector<node_id> neighbours(const definitions& facts, node_id n, bool predecessors) {
  std::vector<node_id> out;
  for (const edge& e : facts.edges()) {
    if ((predecessors ? e.target : e.source) == n) {
      out.push_back(predecessors ? e.source : e.target);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<node_id> successors(const definitions& facts, node_id n) {
  return neighbours(facts, n, false);
}

std::vector<node_id> predecessors(const definitions& facts, node_id n) {
  return neighbours(facts, n, true);
}

bool leaves(const definitions& facts, const loop_facts& loop, node_id n) {
  const auto out = successors(facts, n);
  return std::any_of(out.begin(), out.end(), [&](node_id s) { return !has(loop.blocks, s); });
}

/// What the documents say is in the way of each requirement, from the lists of the definitions.
obstacle_list expected_obstacles(const definitions& facts, const loop_facts& loop) {
  obstacle_list out;
  const auto add = [&](loop_requirement missing, reason why, node_id node, node_id other) {
    out.push_back({missing, why, node, other});
  };
  const bool starts = loop.header == facts.entry();
  if (starts) {
    add(loop_requirement::preheader, reason::graph_entry_is_header, loop.header, no_node);
  }
  const bool several = starts || loop.entering_blocks.size() > 1;
  for (const node_id n : loop.entering_blocks) {
    if (several) {
      add(loop_requirement::preheader,
          facts.is_reachable(n) ? reason::one_of_several_entering_blocks : reason::unreachable_entering_block, n,
          loop.header);
    } else if (facts.out_edges(n).size() > 1) {
      node_id other = loop.header;
      for (const edge& e : facts.out_edges(n)) {
        other = other == loop.header ? e.target : other;
      }
      add(loop_requirement::preheader, reason::entering_block_has_other_edge, n, other);
    }
  }
  for (const node_id n : loop.latches) {
    if (loop.latches.size() > 1) {
      add(loop_requirement::single_latch, reason::one_of_several_latches, n, loop.header);
    } else if (loop.backedges.size() > 1) {
      add(loop_requirement::single_latch, reason::parallel_backedges, n, loop.header);
    }
  }
  for (const node_id exit : loop.exit_blocks) {
    if (exit == facts.entry()) {
      add(loop_requirement::dedicated_exits, reason::graph_entry_is_exit, exit, no_node);
    }
    for (const node_id p : predecessors(facts, exit)) {
      if (facts.is_reachable(p) && !has(loop.blocks, p)) {
        add(loop_requirement::dedicated_exits, reason::exit_shared_with_outside, exit, p);
      }
    }
  }
  if (loop.exit_blocks.empty()) {
    add(loop_requirement::exiting_latches, reason::loop_has_no_exit, loop.header, no_node);
  } else {
    for (const node_id n : loop.latches) {
      if (!leaves(facts, loop, n)) {
        add(loop_requirement::exiting_latches, reason::latch_does_not_exit, n, loop.header);
      }
    }
  }
  return out;
}

/// The guard of a loop that has the form for one. Between `exit` and `after` is what `exit` reaches without passing
/// `after`; where that is a path that nothing joins and nothing leaves, the ways meet.
std::optional<loop_guard> expected_guard(const definitions& facts, const loop_facts& loop) {
  const auto only_predecessor = [&](node_id n) {
    const auto from = predecessors(facts, n);
    return from.size() == 1 && n != facts.entry() ? from[0] : no_node;
  };
  const node_id block = only_predecessor(loop.preheader);
  if (loop.exit_blocks.size() != 1 || block == no_node || facts.out_edges(block).size() != 2) {
    return std::nullopt;
  }
  const node_id exit = loop.exit_blocks[0];
  std::vector<node_id> targets = successors(facts, block);
  std::erase(targets, loop.preheader);
  if (targets.size() != 1 || targets[0] == exit) {
    return std::nullopt;
  }
  std::vector<node_id> between;
  bool meets = false;
  for (std::vector<node_id> todo{exit}; !todo.empty();) {
    const node_id n = todo.back();
    todo.pop_back();
    if (n == targets[0]) {
      meets = true;
    } else if (std::find(between.begin(), between.end(), n) == between.end()) {
      between.push_back(n);
      for (const node_id s : successors(facts, n)) {
        todo.push_back(s);
      }
    }
  }
  for (const node_id n : between) {
    if (successors(facts, n).size() != 1 || (n != exit && only_predecessor(n) == no_node)) {
      return std::nullopt;
    }
  }
  return meets ? std::optional(loop_guard{block, loop.preheader, exit, targets[0]}) : std::nullopt;
}

bool meets(const obstacle_list& obstacles, loop_requirement requirement) {
  return std::none_of(obstacles.begin(), obstacles.end(),
                      [&](const loop_form_obstacle& o) { return o.requirement == requirement; });
}

/// Predicates, explanation and guard of each loop, through a workspace and a result that are used for all graphs.
class forms_check {
public:
  template <class G> std::string operator()(const G& g, const definitions& facts) {
    midend::dominators(g, midend::semi_nca, dominators_memory_, tree_);
    midend::natural_loops(g, tree_, loops_memory_, loops_);
    for (const loop_facts& loop : facts.loops()) {
      if (std::string wrong = check_loop(g, facts, loop, loops_.innermost_loop(loop.header)); !wrong.empty()) {
        return join(wrong, ", header ", loop.header);
      }
    }
    return {};
  }

  // How often what is tested was there.
  std::size_t loop_simplify = 0;
  std::size_t rotated = 0;
  std::size_t lcssa_ready = 0;
  std::size_t guarded = 0;
  std::array<std::size_t, 10> reasons{};

private:
  template <class G> std::string check_loop(const G& g, const definitions& facts, const loop_facts& loop, loop_id l) {
    const obstacle_list expected = expected_obstacles(facts, loop);
    midend::explain_loop_form(g, tree_, loops_, l, memory_, explanation_);
    const auto found = explanation_.obstacles();
    if (explanation_.loop() != l || !std::equal(found.begin(), found.end(), expected.begin(), expected.end())) {
      return "obstacles";
    }
    for (const loop_form_obstacle& obstacle : expected) {
      ++reasons[static_cast<std::size_t>(obstacle.why)];
    }
    const bool preheader = meets(expected, loop_requirement::preheader);
    const bool latch = meets(expected, loop_requirement::single_latch);
    const bool exits = meets(expected, loop_requirement::dedicated_exits);
    const bool exiting = meets(expected, loop_requirement::exiting_latches);
    if (midend::has_preheader(g, loops_, l) != preheader || midend::has_single_latch(g, loops_, l) != latch ||
        midend::has_dedicated_exits(g, loops_, l) != exits) {
      return "has_…";
    }
    if (midend::is_loop_simplify_form(g, loops_, l) != (preheader && latch && exits) ||
        midend::is_lcssa_ready(g, loops_, l) != exits || midend::is_rotated(g, loops_, l) != (latch && exiting)) {
      return "is_…";
    }
    if (midend::tests_in_header(g, loops_, l) != leaves(facts, loop, loop.header)) {
      return "tests_in_header";
    }
    for (const node_id n : loop.blocks) {
      if (midend::is_exiting(g, loops_, l, n) != has(loop.exiting_blocks, n)) {
        return "is_exiting";
      }
    }
    if (explanation_.is_in(loop_form::loop_simplify) != (preheader && latch && exits) ||
        explanation_.is_in(loop_form::lcssa_ready) != exits ||
        explanation_.is_in(loop_form::rotated) != (latch && exiting) ||
        explanation_.meets(loop_requirement::exiting_latches) != exiting) {
      return "loop_form_explanation";
    }
    const bool may_be_guarded = preheader && latch && exits && exiting;
    const auto guard = may_be_guarded ? expected_guard(facts, loop) : std::nullopt;
    if (midend::find_loop_guard(g, loops_, l) != guard) {
      return "find_loop_guard";
    }
    if (guard) {
      if (!facts.dominates(guard->block, guard->preheader)) {
        return "the guard does not dominate the loop";
      }
      // With one block between that is not empty there is no guard.
      const bool at_once = successors(facts, guard->exit) == std::vector{guard->after};
      if (midend::find_loop_guard(g, loops_, l, [](node_id) { return false; }).has_value() != at_once) {
        return "find_loop_guard where no block is empty";
      }
    }
    loop_simplify += preheader && latch && exits;
    rotated += latch && exiting;
    lcssa_ready += exits;
    guarded += guard.has_value();
    return {};
  }

  midend::dominators_workspace dominators_memory_;
  midend::dominator_tree tree_;
  midend::natural_loops_workspace loops_memory_;
  loop_forest loops_;
  midend::explain_loop_form_workspace memory_;
  loop_form_explanation explanation_;
};

/// A graph, its tree and its loops, and the comparison with the definitions on the way.
struct example {
  explicit example(const test_graph& graph)
      : g(make_csr(graph)), tree(midend::dominators(g)), loops(midend::natural_loops(g, tree)) {
    const std::string wrong = forms_check()(g, definitions(graph));
    CHECK_MESSAGE(wrong.empty(), wrong << " of " << to_string(graph));
  }

  loop_id of(node_id header) const {
    REQUIRE(loops.is_header(header));
    return loops.innermost_loop(header);
  }

  bool simplified(node_id header) const { return midend::is_loop_simplify_form(g, loops, of(header)); }

  bool rotated(node_id header) const { return midend::is_rotated(g, loops, of(header)); }

  bool tests_in_header(node_id header) const { return midend::tests_in_header(g, loops, of(header)); }

  bool lcssa_ready(node_id header) const { return midend::is_lcssa_ready(g, loops, of(header)); }

  std::optional<loop_guard> guard(node_id header) const { return midend::find_loop_guard(g, loops, of(header)); }

  obstacle_list obstacles(node_id header) const {
    const auto explanation = midend::explain_loop_form(g, tree, loops, of(header));
    return {explanation.obstacles().begin(), explanation.obstacles().end()};
  }

  csr_graph g;
  midend::dominator_tree tree;
  loop_forest loops;
};

constexpr auto preheader = loop_requirement::preheader;
constexpr auto single_latch = loop_requirement::single_latch;
constexpr auto dedicated_exits = loop_requirement::dedicated_exits;
constexpr auto exiting_latches = loop_requirement::exiting_latches;

} // namespace

TEST_CASE("loop forms: all digraphs of up to 3 nodes, and of 4 from every third bit pattern") {
  forms_check check;
  definitions facts;
  comparisons graphs;
  for (std::size_t size = 1; size != 4; ++size) {
    for_each_digraph(size, [&](const bit_graph& bits) {
      facts.assign(size, bits.entry(), to_test_graph(bits).edges);
      graphs.add(check(bits, facts), bits); // has no predecessors
      graphs.add(check(csr_graph(bits), facts), bits);
    });
  }
  csr_graph g;
  for (std::uint64_t bits = 0; bits < 65536; bits += 3) {
    for (node_id root = 0; root != 4; ++root) {
      const bit_graph graph(4, bits, root);
      facts.assign(4, root, to_test_graph(graph).edges);
      g.assign(graph);
      graphs.add(check(g, facts), graph);
    }
  }
  CHECK(graphs.failed() == 0);
  for (std::size_t why = 0; why != check.reasons.size(); ++why) {
    CHECK((check.reasons[why] > 100) == (why != static_cast<std::size_t>(reason::parallel_backedges)));
  }
}

TEST_CASE("loop forms: random and ugly graphs") {
  forms_check check;
  comparisons graphs;
  std::vector<test_graph> all = random_graphs();
  for (test_graph& ugly : ugly_graphs()) {
    all.push_back(std::move(ugly));
  }
  for (const test_graph& graph : all) {
    graphs.add(check(make_csr(graph), definitions(graph)), graph);
  }
  CHECK(graphs.failed() == 0);
  for (const std::size_t count : check.reasons) {
    CHECK(count > 0);
  }
  CHECK(check.loop_simplify > 0);
  CHECK(check.rotated > 0);
  CHECK(check.lcssa_ready > 0);
}

TEST_CASE("loop guard: a guarded loop with up to two more edges, one edge less, or another entry") {
  // 0: before, 1: guard, 2: preheader, 3 and 4: loop, 5: exit, 6: between, 7: after.
  const std::vector<edge> plain{{0, 1}, {1, 2}, {1, 7}, {2, 3}, {3, 4}, {4, 3}, {4, 5}, {5, 6}, {6, 7}};
  forms_check check;
  definitions facts;
  comparisons graphs;
  const auto compare = [&](node_id entry, const std::vector<edge>& edges) {
    const test_graph graph{"guarded", 8, entry, edges};
    facts.assign(8, entry, edges);
    graphs.add(check(make_csr(graph), facts), graph);
  };
  random_source random(11);
  for (node_id entry = 0; entry != 8; ++entry) {
    compare(entry, plain);
  }
  for (std::size_t i = 0; i != plain.size(); ++i) {
    std::vector<edge> edges = plain;
    edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(i));
    compare(0, edges);
  }
  for (node_id first = 0; first != 64; ++first) {
    std::vector<edge> edges = plain;
    edges.insert(edges.begin() + random.below(edges.size()), edge{first / 8, first % 8});
    compare(0, edges);
    for (node_id second = 0; second != 64; ++second) {
      std::vector<edge> more = edges;
      more.push_back({second / 8, second % 8});
      compare(random.one_in(4) ? random.below(8) : 0, more);
    }
  }
  CHECK(graphs.failed() == 0);
  CHECK(check.guarded > 50);
  CHECK(check.rotated > 2 * check.guarded);
}

TEST_CASE("loop forms: the corpus has LLVM's preheaders, latches and exits") {
  for (const std::string name : {"lua5.4-O0", "sqlite3-O2", "irreducible"}) {
    std::vector<midend_corpus::cfg_function> functions;
    const auto error = midend_corpus::read_cfg(MIDEND_TEST_DATA "/corpus/" + name + ".cfg.gz", functions);
    REQUIRE_MESSAGE(!error.has_value(), (error ? error->to_string() : ""));
    const auto expected = read_expectations(MIDEND_TEST_DATA "/corpus/" + name + ".expect.gz");
    REQUIRE(functions.size() == expected.size());
    midend::explain_loop_form_workspace memory;
    loop_form_explanation explanation;
    csr_graph g;
    std::size_t wrong = 0;
    std::size_t guarded = 0;
    std::array<std::size_t, 2> simplified{};
    std::array<std::size_t, 2> rotated{};
    for (std::size_t i = 0; i != functions.size(); ++i) {
      g.assign(functions[i]);
      const auto tree = midend::dominators(g);
      const auto loops = midend::natural_loops(g, tree);
      for (const expected_loop& loop : expected[i].loops) {
        const auto is_in = [&](node_id n) { return std::binary_search(loop.blocks.begin(), loop.blocks.end(), n); };
        bool dedicated = true;
        for (const std::int64_t exit : loop.exits) {
          for (const node_id p : g.predecessors(static_cast<node_id>(exit))) {
            dedicated = dedicated && (is_in(p) || expected[i].components[p] == -1);
          }
        }
        const bool exiting =
            std::includes(loop.exiting.begin(), loop.exiting.end(), loop.latches.begin(), loop.latches.end());
        const auto backedges = std::count_if(g.predecessors(static_cast<node_id>(loop.header)).begin(),
                                             g.predecessors(static_cast<node_id>(loop.header)).end(), is_in);
        const bool simple = loop.preheader != -1 && backedges == 1 && dedicated;
        const bool do_while = backedges == 1 && exiting;
        const loop_id l = loops.innermost_loop(static_cast<node_id>(loop.header));
        midend::explain_loop_form(g, tree, loops, l, memory, explanation);
        wrong += midend::has_preheader(g, loops, l) != (loop.preheader != -1);
        wrong += midend::is_loop_simplify_form(g, loops, l) != simple;
        wrong += midend::is_lcssa_ready(g, loops, l) != dedicated;
        wrong += midend::is_rotated(g, loops, l) != do_while;
        wrong += explanation.is_in(loop_form::loop_simplify) != simple;
        wrong += explanation.is_in(loop_form::lcssa_ready) != dedicated;
        wrong += explanation.is_in(loop_form::rotated) != do_while;
        ++simplified[simple];
        ++rotated[do_while];
        guarded += midend::find_loop_guard(g, loops, l).has_value();
      }
    }
    INFO(name);
    CHECK(wrong == 0);
    CHECK(simplified[0] > 0);
    CHECK(simplified[1] > 0);
    CHECK(rotated[0] > 0);
    CHECK(rotated[1] > 0);
    CHECK((guarded > 0) == (name != "lua5.4-O0")); // -O0 rotates nothing
  }
}

TEST_CASE("loop forms: worked example 1, do-while") {
  const example e({"", 7, 1, {{1, 2}, {2, 3}, {2, 4}, {3, 5}, {4, 5}, {5, 2}, {5, 6}}});
  CHECK(e.simplified(2));
  CHECK(e.rotated(2));
  CHECK(e.lcssa_ready(2));
  CHECK_FALSE(e.tests_in_header(2));
  CHECK(e.obstacles(2).empty());
  CHECK_FALSE(e.guard(2));
}

TEST_CASE("loop forms: worked example 2, while and for") {
  const example e({"", 8, 1, {{1, 2}, {2, 3}, {3, 4}, {3, 5}, {4, 6}, {5, 6}, {6, 2}, {2, 7}}});
  CHECK(e.simplified(2));
  CHECK_FALSE(e.rotated(2));
  CHECK(e.tests_in_header(2));
  CHECK(e.obstacles(2) == obstacle_list{{exiting_latches, reason::latch_does_not_exit, 6, 2}});
  const example f({"", 9, 1, {{1, 2}, {2, 3}, {3, 4}, {3, 5}, {4, 6}, {5, 6}, {6, 7}, {7, 2}, {2, 8}}});
  CHECK(f.simplified(2));
  CHECK(f.obstacles(2) == obstacle_list{{exiting_latches, reason::latch_does_not_exit, 7, 2}});
}

TEST_CASE("loop forms: worked example 2, rotated after a guard") {
  // while → if (guard 1) { preheader 2; do 3 … 4 while; exit 5 } 6.
  const std::vector<edge> edges{{0, 1}, {1, 2}, {1, 6}, {2, 3}, {3, 4}, {4, 3}, {4, 5}, {5, 6}};
  const example e({"", 7, 0, edges});
  CHECK(e.rotated(3));
  CHECK(e.guard(3) == loop_guard{1, 2, 5, 6});
  // The guard need not have a predecessor of its own, and may be the entry.
  const example f({"", 7, 1, edges});
  CHECK(f.guard(3) == loop_guard{1, 2, 5, 6});
}

TEST_CASE("loop forms: worked example 4, a self loop and a loop of two blocks beside an irreducible cycle") {
  const example e(three_kinds_of_cycles());
  // The irreducible cycle enters at both exits of the self loop.
  CHECK(e.obstacles(3) == obstacle_list{{dedicated_exits, reason::exit_shared_with_outside, 4, 7},
                                        {dedicated_exits, reason::exit_shared_with_outside, 5, 7}});
  CHECK(e.rotated(3));
  CHECK(e.tests_in_header(3));
  CHECK_FALSE(e.lcssa_ready(3));
  CHECK(e.obstacles(8) == obstacle_list{{preheader, reason::entering_block_has_other_edge, 7, 4}});
  CHECK(e.rotated(8));
  CHECK(e.lcssa_ready(8));
}

TEST_CASE("loop forms: worked example 5, nested loops that share an exit") {
  const example e({"", 8, 1, {{1, 2}, {2, 3}, {3, 4}, {3, 6}, {4, 3}, {4, 5}, {5, 7}, {7, 2}, {7, 6}}});
  CHECK(e.simplified(2));
  CHECK(e.rotated(2));
  CHECK_FALSE(e.simplified(3));
  CHECK(e.rotated(3));
  CHECK(e.obstacles(3) == obstacle_list{{dedicated_exits, reason::exit_shared_with_outside, 6, 7}});
}

TEST_CASE("loop forms: worked example 6, two source loops with one header") {
  const example e({"", 5, 0, {{0, 1}, {1, 2}, {2, 1}, {2, 3}, {3, 1}, {3, 4}}});
  CHECK(e.obstacles(1) == obstacle_list{{single_latch, reason::one_of_several_latches, 2, 1},
                                        {single_latch, reason::one_of_several_latches, 3, 1},
                                        {exiting_latches, reason::latch_does_not_exit, 2, 1}});
  CHECK_FALSE(e.rotated(1));
  CHECK(e.lcssa_ready(1));
}

TEST_CASE("loop forms: worked example 7, a block that branches to itself") {
  const example e({"", 3, 0, {{0, 1}, {1, 1}, {1, 2}}});
  CHECK(e.simplified(1));
  CHECK(e.rotated(1));
  CHECK(e.tests_in_header(1));
}

TEST_CASE("loop forms: worked example 8, break arm, abort arm, unreachable arm, inner endless loop") {
  // 1: header, 2: branches to the break arm 3, 4: to the abort arm 5, 6: to the endless loop 7, 8: latch; the arm 9 is
  // unreachable and leads to the latch and to the exit 10 of the header.
  const example e({"",
                   11,
                   0,
                   {{0, 1},
                    {1, 2},
                    {1, 10},
                    {2, 3},
                    {2, 4},
                    {3, 10},
                    {4, 5},
                    {4, 6},
                    {6, 7},
                    {7, 7},
                    {6, 8},
                    {8, 1},
                    {9, 8},
                    {9, 10}}});
  // The endless loop comes to its own header, and the break arm to where the header leaves to.
  CHECK(e.obstacles(1) == obstacle_list{{dedicated_exits, reason::exit_shared_with_outside, 7, 7},
                                        {dedicated_exits, reason::exit_shared_with_outside, 10, 3},
                                        {exiting_latches, reason::latch_does_not_exit, 8, 1}});
  CHECK(e.obstacles(7) == obstacle_list{{preheader, reason::entering_block_has_other_edge, 6, 8},
                                        {exiting_latches, reason::loop_has_no_exit, 7, no_node}});
  CHECK(e.lcssa_ready(7));
}

TEST_CASE("loop forms: what a preheader must not be") {
  const example two({"", 5, 0, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 3}, {3, 4}}});
  CHECK(two.obstacles(3) == obstacle_list{{preheader, reason::one_of_several_entering_blocks, 1, 3},
                                          {preheader, reason::one_of_several_entering_blocks, 2, 3}});
  const example dead({"", 4, 0, {{0, 1}, {1, 1}, {1, 2}, {3, 1}}});
  CHECK(dead.obstacles(1) == obstacle_list{{preheader, reason::one_of_several_entering_blocks, 0, 1},
                                           {preheader, reason::unreachable_entering_block, 3, 1}});
  const example arms({"", 3, 0, {{0, 1}, {0, 1}, {1, 1}, {1, 2}}}); // a switch
  CHECK(arms.obstacles(1) == obstacle_list{{preheader, reason::entering_block_has_other_edge, 0, 1}});
  // The graph starts in the loop: the dead block, which has no other edge, is where code must not be put.
  const example start({"", 3, 0, {{0, 0}, {0, 1}, {2, 0}}});
  CHECK(start.loops.preheader(0) == 2);
  CHECK(start.obstacles(0) == obstacle_list{{preheader, reason::graph_entry_is_header, 0, no_node},
                                            {preheader, reason::unreachable_entering_block, 2, 0}});
}

TEST_CASE("loop forms: an exit to where the graph starts is not dedicated") {
  const example e({"", 3, 0, {{0, 1}, {1, 2}, {2, 2}, {2, 0}}});
  CHECK(e.loops.has_dedicated_exits(e.of(2)));
  CHECK_FALSE(e.lcssa_ready(2));
  CHECK(e.obstacles(2) == obstacle_list{{dedicated_exits, reason::graph_entry_is_exit, 0, no_node}});
}

TEST_CASE("loop forms: a latch with parallel edges is not single") {
  const example e({"", 3, 0, {{0, 1}, {1, 1}, {1, 1}, {1, 2}}});
  CHECK(e.loops.single_latch(0) == 1);
  CHECK_FALSE(e.rotated(1));
  CHECK(e.obstacles(1) == obstacle_list{{single_latch, reason::parallel_backedges, 1, 1}});
}

TEST_CASE("loop forms: parallel edges are reported once, dead predecessors of exits not at all") {
  const example e({"", 5, 0, {{0, 1}, {0, 2}, {0, 2}, {1, 1}, {1, 2}, {1, 2}, {4, 2}}});
  CHECK(e.obstacles(1) == obstacle_list{{preheader, reason::entering_block_has_other_edge, 0, 2},
                                        {dedicated_exits, reason::exit_shared_with_outside, 2, 0}});
}

TEST_CASE("loop guard: what is asked of the blocks between") {
  const std::vector<edge> edges{{0, 1}, {0, 5}, {1, 2}, {2, 2}, {2, 3}, {3, 4}, {4, 5}};
  const example e({"", 6, 0, edges});
  CHECK(e.guard(2) == loop_guard{0, 1, 3, 5});
  std::vector<node_id> asked;
  const auto empty = [&](node_id n) {
    asked.push_back(n);
    return true;
  };
  CHECK(midend::find_loop_guard(e.g, e.loops, e.of(2), empty) == e.guard(2));
  CHECK(asked == std::vector<node_id>{4}); // not of the exit, which may hold phis and more
  CHECK_FALSE(midend::find_loop_guard(e.g, e.loops, e.of(2), [](node_id n) { return n != 4; }));
}

TEST_CASE("loop guard: an outer loop may repeat the guard") {
  const example e({"", 5, 0, {{0, 1}, {1, 2}, {1, 1}, {2, 3}, {3, 3}, {3, 4}, {4, 1}}});
  CHECK(e.guard(3) == loop_guard{1, 2, 4, 1});
}

TEST_CASE("loop guard: a million blocks between, on a small stack") {
  const std::string wrong = on_a_small_stack([] {
    std::vector<edge> edges{{0, 1}, {0, million}, {1, 2}, {2, 2}};
    for (node_id n = 2; n != million; ++n) {
      edges.push_back({n, n + 1});
    }
    const auto g = csr_graph::from_edges(million + 1, 0, edges).value();
    const auto guard = midend::find_loop_guard(g, midend::natural_loops(g, midend::dominators(g)), 0);
    return guard == loop_guard{0, 1, 3, million} ? std::string() : std::string("guard");
  });
  CHECK(wrong == "");
}

TEST_CASE("explain_loop_form: half a million latches, each with a shared exit, on a small stack") {
  const std::string wrong = on_a_small_stack([] {
    constexpr node_id latches =
        midend_tests::million / 2; // 1: header, 2 … : latches, after them as many exits, then one to all exits
    constexpr node_id aside = 2 + 2 * latches;
    std::vector<edge> edges{{0, 1}, {0, aside}};
    for (node_id n = 2; n != 2 + latches; ++n) {
      edges.push_back({1, n});
      edges.push_back({n, 1});
      edges.push_back({n, n + latches});
      edges.push_back({aside, n + latches});
    }
    const auto g = csr_graph::from_edges(aside + 1, 0, edges).value();
    const auto tree = midend::dominators(g);
    const auto explanation = midend::explain_loop_form(g, tree, midend::natural_loops(g, tree), 0);
    const auto found = explanation.obstacles();
    return found.size() == 1 + 2 * std::size_t{latches} && found[latches].why == reason::one_of_several_latches &&
                   found.back() ==
                       loop_form_obstacle{dedicated_exits, reason::exit_shared_with_outside, aside - 1, aside}
               ? std::string()
               : std::string("obstacles");
  });
  CHECK(wrong == "");
}

TEST_CASE("explain_loop_form: a result is refilled whatever it held, and a value form starts empty") {
  const example many({"", 5, 0, {{0, 1}, {1, 2}, {2, 1}, {2, 3}, {3, 1}, {3, 4}}});
  const example none({"", 3, 0, {{0, 1}, {1, 1}, {1, 2}}});
  loop_form_explanation out;
  CHECK(out.loop() == midend::no_loop);
  midend::explain_loop_form_workspace memory;
  midend::explain_loop_form(many.g, many.tree, many.loops, 0, memory, out);
  CHECK(out.obstacles().size() == 3);
  CHECK_FALSE(out.meets(single_latch));
  CHECK(out.meets(preheader));
  midend::explain_loop_form(none.g, none.tree, none.loops, 0, memory, out);
  CHECK(out.obstacles().empty());
}

TEST_CASE("requires_of_loop: the table") {
  using midend::requires_of_loop;
  for (const auto requirement : {preheader, single_latch, dedicated_exits, exiting_latches}) {
    CHECK(requires_of_loop(loop_form::loop_simplify, requirement) == (requirement != exiting_latches));
    CHECK(requires_of_loop(loop_form::rotated, requirement) ==
          (requirement == single_latch || requirement == exiting_latches));
    CHECK(requires_of_loop(loop_form::lcssa_ready, requirement) == (requirement == dedicated_exits));
  }
}

// In constant expressions: the rotated loop after a guard, and what a while loop lacks.
namespace {

constexpr bool guard_holds() {
  constexpr std::array edges{edge{0, 1}, edge{1, 2}, edge{1, 6}, edge{2, 3},
                             edge{3, 4}, edge{4, 3}, edge{4, 5}, edge{5, 6}};
  const csr_graph g = csr_graph::from_edges(7, 0, edges).value();
  const loop_forest loops = midend::natural_loops(g, midend::dominators(g));
  return midend::is_loop_simplify_form(g, loops, 0) && midend::is_rotated(g, loops, 0) &&
         midend::find_loop_guard(g, loops, 0) == loop_guard{1, 2, 5, 6};
}

constexpr bool explanation_holds() {
  const bit_graph g(3, 0b000'010'110, 0); // 0 → 1, 0 → 2, 1 → 1
  const midend::dominator_tree tree = midend::dominators(g);
  const loop_forest loops = midend::natural_loops(g, tree);
  const auto explanation = midend::explain_loop_form(g, tree, loops, 0);
  return explanation.obstacles().size() == 2 &&
         explanation.obstacles()[0] == loop_form_obstacle{preheader, reason::entering_block_has_other_edge, 0, 2} &&
         explanation.obstacles()[1].why == reason::loop_has_no_exit && explanation.is_in(loop_form::lcssa_ready);
}

static_assert(guard_holds());
static_assert(explanation_holds());

} // namespace
