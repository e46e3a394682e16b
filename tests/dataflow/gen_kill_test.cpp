// The gen/kill engine against paths, fact by fact.
#include "dataflow/numberings.hpp"
#include "kit/affordable.hpp"
#include "kit/small_stack.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/gen_kill.hpp>
#include <midend/graph/numbered.hpp>
#include <midend/support/bit_row.hpp>

#if __has_include(<boost/dynamic_bitset.hpp>)
#include <boost/dynamic_bitset.hpp>
#endif

#include <algorithm>
#include <vector>

using namespace midend_tests;
using midend::fact_id;
using midend::flow_confluence;
using midend::flow_direction;

namespace {

struct effect {
  enum class kind : std::uint8_t { gen, kill, kill_range };
  kind what;
  fact_id first;
  fact_id last;
};

/// What a node does, in the order of execution, and what holds at the boundary.
struct problem_data {
  std::size_t num_facts = 0;
  std::vector<std::vector<effect>> effects;
  std::vector<fact_id> boundary;
};

template <flow_direction Direction, flow_confluence Confluence> struct plain_problem {
  static constexpr flow_direction direction = Direction;
  static constexpr flow_confluence confluence = Confluence;

  const problem_data& data;

  std::size_t num_facts() const { return data.num_facts; }

  template <class Effects> void effects(node_id n, Effects& e) const {
    for (const effect& each : data.effects[n]) {
      switch (each.what) {
      case effect::kind::gen:
        e.gen(each.first);
        break;
      case effect::kind::kill:
        e.kill(each.first);
        break;
      case effect::kind::kill_range:
        e.kill_range(each.first, each.last);
      }
    }
  }
};

template <flow_direction Direction, flow_confluence Confluence>
struct bounded_problem : plain_problem<Direction, Confluence> {
  template <class Effects> void boundary(node_id, Effects& e) const { e.gen_all(this->data.boundary); }
};

template <flow_confluence Confluence> struct rooted_problem : bounded_problem<flow_direction::backward, Confluence> {
  std::vector<node_id> given;

  midend::given_roots roots() const { return {given}; }
};

problem_data random_problem(random_source& random, std::size_t nodes, std::size_t facts) {
  problem_data data{facts, {}, {}};
  data.effects.resize(nodes);
  const auto fact = [&] { return random.below(facts); };
  for (auto& effects : data.effects) {
    for (std::size_t left = random.below(5); left != 0; --left) {
      const fact_id first = fact();
      const fact_id last = first + random.below(facts - first + 1);
      const auto what = random.below(6);
      effects.push_back({what < 3   ? effect::kind::gen
                         : what < 5 ? effect::kind::kill
                                    : effect::kind::kill_range,
                         first, last});
    }
  }
  for (std::size_t left = random.below(4); left != 0; --left) {
    data.boundary.push_back(fact());
  }
  return data;
}

/// One fact and paths: what values it can have at the ends of nodes, by search.
class fact_paths {
public:
  fact_paths(const midend::csr_graph& g, flow_direction direction)
      : g_(g), forward_(direction == flow_direction::forward) {}

  /// `starts` are nodes and values with which flow begins before them.
  template <class Value> void search(const std::vector<std::pair<node_id, bool>>& starts, Value value_after) {
    for (auto& side : seen_) {
      side.assign(2 * g_.num_nodes(), 0);
    }
    std::vector<std::pair<node_id, bool>> work;
    const auto reach = [&](node_id n, bool value) {
      if (seen_[0][2 * n + value] == 0) {
        seen_[0][2 * n + value] = 1;
        work.push_back({n, value});
      }
    };
    for (const auto& [n, value] : starts) {
      reach(n, value);
    }
    while (!work.empty()) {
      const auto [n, value] = work.back();
      work.pop_back();
      const bool after = value_after(n, value);
      seen_[1][2 * n + after] = 1;
      for (const node_id next : forward_ ? g_.successors(n) : g_.predecessors(n)) {
        reach(next, after);
      }
    }
  }

  /// Whether the fact has this value on some path; `after` the node in the order of flow, or before it.
  bool is_possible(bool after, node_id n, bool value) const { return seen_[after][2 * n + value] != 0; }

private:
  const midend::csr_graph& g_;
  bool forward_;
  std::vector<char> seen_[2];
};

/// The value of a fact after all effects of a node.
bool value_after(const std::vector<effect>& effects, flow_direction direction, fact_id fact, bool value) {
  const auto apply = [&](const effect& e) {
    if (e.what == effect::kind::kill_range ? e.first <= fact && fact < e.last : e.first == fact) {
      value = e.what == effect::kind::gen;
    }
  };
  if (direction == flow_direction::forward) {
    std::for_each(effects.begin(), effects.end(), apply);
  } else {
    std::for_each(effects.rbegin(), effects.rend(), apply);
  }
  return value;
}

/// The first fact that is not what the paths say, or nothing. `roots` are where backward flow begins.
template <class P, class Rows>
std::string difference(const midend::csr_graph& g, const P& problem, std::vector<fact_id> boundary,
                       const std::vector<node_id>& roots, const midend::flow_facts<Rows>& facts) {
  constexpr bool forward = P::direction == flow_direction::forward;
  constexpr bool may = P::confluence == flow_confluence::may;
  const problem_data& data = problem.data;
  if (facts.num_nodes() != g.num_nodes() || facts.num_facts() != data.num_facts) {
    return "sizes";
  }
  fact_paths paths(g, P::direction);
  for (fact_id f = 0; f != data.num_facts; ++f) {
    const bool at_boundary = std::find(boundary.begin(), boundary.end(), f) != boundary.end();
    std::vector<std::pair<node_id, bool>> starts;
    if (forward && g.num_nodes() != 0) {
      starts.push_back({g.entry(), at_boundary});
    } else {
      for (node_id n = 0; n != g.num_nodes(); ++n) {
        starts.push_back({n, !may}); // flow that has been under way for ever
      }
      for (const node_id root : roots) {
        starts.push_back({root, at_boundary});
      }
    }
    paths.search(starts, [&](node_id n, bool value) { return value_after(data.effects[n], P::direction, f, value); });
    for (node_id n = 0; n != g.num_nodes(); ++n) {
      const auto expected = [&](bool after) {
        return may ? paths.is_possible(after, n, true) : !paths.is_possible(after, n, false);
      };
      if (facts.in(n).test(f) != expected(!forward) || facts.out(n).test(f) != expected(forward)) {
        return join("fact ", f, " of ", data.num_facts, " at node ", n);
      }
    }
  }
  return {};
}

/// Workspaces and results that everything below shares, so that what is left over from other problems shows.
template <class Rows> struct memory {
  midend::gen_kill_workspace<Rows> workspace;
  midend::flow_facts<Rows> facts;
};

template <class Rows, class G, class P> const midend::flow_facts<Rows>& solved(const G& g, const P& problem) {
  static memory<Rows> shared;
  midend::gen_kill(g, problem, shared.workspace, shared.facts);
  return shared.facts;
}

template <class P>
std::string difference_in_all_rows(const midend::csr_graph& g, const P& problem, const std::vector<fact_id>& boundary,
                                   const std::vector<node_id>& roots) {
  std::string wrong = difference(g, problem, boundary, roots, solved<midend::bit_matrix>(g, problem));
  if (wrong.empty()) {
    wrong = difference(g, problem, boundary, roots, solved<std::vector<midend::bit_row>>(g, problem));
  }
#if __has_include(<boost/dynamic_bitset.hpp>)
  if (wrong.empty()) {
    wrong = difference(g, problem, boundary, roots, solved<std::vector<boost::dynamic_bitset<>>>(g, problem));
  }
#endif
  return wrong;
}

std::vector<node_id> list_of(std::span<const node_id> nodes) {
  return {nodes.begin(), nodes.end()};
}

template <flow_direction Direction, flow_confluence Confluence>
std::string check(const midend::csr_graph& g, const problem_data& data) {
  const auto default_roots = [&] {
    return Confluence == flow_confluence::may
               ? list_of(midend::post_dominance_roots(g, midend::exits_only))
               : list_of(midend::post_dominance_roots(g, midend::virtual_edge_per_endless_region));
  }();
  std::string wrong = difference_in_all_rows(g, plain_problem<Direction, Confluence>{data}, {}, default_roots);
  if (wrong.empty()) {
    wrong = difference_in_all_rows(g, bounded_problem<Direction, Confluence>{{data}}, data.boundary, default_roots);
  }
  if constexpr (Direction == flow_direction::backward) {
    if (wrong.empty() && g.num_nodes() != 0) {
      const rooted_problem<Confluence> problem{{{data}}, {static_cast<node_id>(g.num_nodes() / 2)}};
      wrong = difference_in_all_rows(g, problem, data.boundary, problem.given);
    }
  }
  return wrong;
}

std::string check_all(const midend::csr_graph& g, const problem_data& data) {
  std::string wrong = check<flow_direction::forward, flow_confluence::may>(g, data);
  if (wrong.empty()) {
    wrong = check<flow_direction::forward, flow_confluence::must>(g, data);
  }
  if (wrong.empty()) {
    wrong = check<flow_direction::backward, flow_confluence::may>(g, data);
  }
  return wrong.empty() ? check<flow_direction::backward, flow_confluence::must>(g, data) : wrong;
}

} // namespace

TEST_CASE("gen_kill: all digraphs of up to 3 nodes, from each root") {
  random_source random(1);
  for (std::size_t nodes = 1; nodes != 4; ++nodes) {
    for_each_digraph(nodes, [&](const bit_graph& g) {
      const std::string wrong = check_all(midend::csr_graph(g), random_problem(random, nodes, 3));
      if (!wrong.empty()) {
        FAIL_CHECK(to_string(to_test_graph(g)) << ": " << wrong);
      }
    });
  }
}

TEST_CASE("gen_kill: ugly graphs, one word and several") {
  random_source random(2);
  for (const test_graph& g : ugly_graphs()) {
    for (const unsigned facts : {1U, 64U, 65U}) {
      const std::string wrong = check_all(make_csr(g), random_problem(random, g.num_nodes, facts));
      CHECK_MESSAGE(wrong == "", to_string(g));
    }
  }
}

TEST_CASE("gen_kill: random graphs, one word and several") {
  random_source random(3);
  const std::size_t sizes[] = {5, 63, 64, 65, 128, 200};
  std::size_t next = 0;
  std::size_t number = 0;
  for (const test_graph& g : random_graphs()) {
    if (g.num_nodes <= 60 && (!tests_are_shortened || ++number % 4 == 0)) { // the search is for each fact
      const std::size_t facts = sizes[next++ % std::size(sizes)];
      const std::string wrong = check_all(make_csr(g), random_problem(random, g.num_nodes, facts));
      CHECK_MESSAGE(wrong == "", to_string(g));
    }
  }
  CHECK(next > (tests_are_shortened ? 5 : 20));
}

TEST_CASE("gen_kill: no nodes, no facts") {
  const problem_data nothing{0, {{}, {}}, {}};
  const auto g = make_csr({"", 2, 0, {{0, 1}}});
  CHECK(check_all(g, nothing) == "");
  CHECK(check_all(midend::csr_graph(), problem_data{7, {}, {}}) == "");
  const auto facts = midend::gen_kill(g, plain_problem<flow_direction::forward, flow_confluence::must>{nothing});
  CHECK(facts.in(1).none());
  CHECK(facts.num_visits() == 0);
}

namespace {

/// Each node makes its own fact true, or one of 64, and two of a hundred nodes make a range false.
problem_data dense_problem(std::size_t nodes, std::size_t facts) {
  problem_data data{facts, {}, {}};
  data.effects.resize(nodes);
  for (std::size_t n = 0; n != nodes; ++n) {
    data.effects[n].push_back({effect::kind::gen, static_cast<fact_id>(n * 7 % facts), 0});
    if (n % 50 == 0) {
      data.effects[n].push_back({effect::kind::kill_range, 3, 9});
    }
  }
  return data;
}

std::vector<edge> chain(std::size_t count) {
  std::vector<edge> edges;
  for (node_id n = 0; n + 1 < count; ++n) {
    edges.push_back({n, n + 1});
  }
  return edges;
}

/// Loops within loops: headers, each with an exit to the latch of the next outer loop, a body, latches.
std::vector<edge> nest(std::size_t loops) {
  const auto count = static_cast<node_id>(2 * loops + 1);
  std::vector<edge> edges = chain(count);
  for (node_id l = 0; l != loops; ++l) {
    edges.push_back({count - 1 - l, l}); // latch to header
    edges.push_back({l, count - 1 - l}); // a round that does nothing
  }
  return edges;
}

template <flow_direction Direction> std::size_t visits(const midend::csr_graph& g) {
  const auto data = dense_problem(g.num_nodes(), 64);
  return midend::gen_kill(g, plain_problem<Direction, flow_confluence::may>{data}).num_visits();
}

} // namespace

TEST_CASE("gen_kill: long chains and deep nests take few visits, however they are numbered") {
  constexpr std::size_t long_chain = 100'000;
  constexpr std::size_t deep = 1'000;
  for (const numbering kind : numberings) {
    CAPTURE(static_cast<int>(kind));
    const auto line = renumbered(long_chain, chain(long_chain), kind);
    const std::size_t at_most = kind == numbering::with_the_flow ? long_chain : 3 * long_chain;
    CHECK(visits<flow_direction::forward>(line) <= at_most);
    CHECK(visits<flow_direction::backward>(line) <= at_most);
    const auto loops = renumbered(2 * deep + 1, nest(deep), kind);
    CHECK(visits<flow_direction::forward>(loops) <= 10 * loops.num_nodes());
    CHECK(visits<flow_direction::backward>(loops) <= 10 * loops.num_nodes());
  }
}

TEST_CASE("gen_kill: a million nodes on a small stack") {
  const std::string wrong = on_a_small_stack([]() -> std::string {
    constexpr std::size_t count = midend_tests::million;
    const auto g = renumbered(count, chain(count), numbering::against_it);
    problem_data data{2, std::vector<std::vector<effect>>(count), {}};
    data.effects[0].push_back({effect::kind::gen, 1, 0}); // the end of the chain
    const auto live = midend::gen_kill(g, plain_problem<flow_direction::backward, flow_confluence::may>{data});
    for (node_id n = 0; n != count; ++n) {
      if (live.in(n).count() != 1 || live.in(n).find_first() != 1 || live.out(n).any() != (n != 0)) {
        return join("node ", n);
      }
    }
    return live.num_visits() <= 3 * count ? "" : join(live.num_visits(), " visits");
  });
  CHECK(wrong == "");
}

namespace {

using live_problem = plain_problem<flow_direction::backward, flow_confluence::may>;

/// With a boundary, so that it is never solved fact by fact.
using swept_problem = bounded_problem<flow_direction::backward, flow_confluence::may>;

/// Several effects a node, in any order. Facts that are `local` are ended by the nodes around where they begin.
problem_data many_facts(random_source& random, const midend::csr_graph& g, std::size_t facts, bool local) {
  problem_data data{facts, std::vector<std::vector<effect>>(g.num_nodes()), {}};
  for (fact_id f = 0; f != facts; ++f) {
    const node_id n = random.below(g.num_nodes());
    data.effects[n].push_back({effect::kind::gen, f, 0});
    if (local && !random.one_in(1000)) {
      data.effects[n].insert(data.effects[n].begin() + random.below(data.effects[n].size() + 1),
                             {effect::kind::kill, f, 0});
      for (const node_id p : g.predecessors(n)) {
        const fact_id last = std::min<fact_id>(f + 1 + random.below(5), static_cast<fact_id>(facts));
        data.effects[p].push_back({effect::kind::kill_range, f, last});
        for (const node_id q : g.predecessors(p)) {
          data.effects[q].push_back({effect::kind::kill, f, 0});
        }
      }
    }
  }
  return data;
}

} // namespace

TEST_CASE("gen_kill: many facts of many nodes are the same solved fact by fact and in sweeps") {
  random_source random(6);
  midend::gen_kill_workspace<> workspace;
  midend::flow_facts<> facts;
  for (int round = 0; round != 6; ++round) {
    const bool local = round < 4;
    const test_graph shape =
        round % 2 == 0 ? random_irreducible(random, 2100) : random_digraph(random, 2300, 2500); // mostly unreachable
    const auto g = make_csr(shape);
    const problem_data data = many_facts(random, g, 2300, local);
    midend::gen_kill(g, live_problem{data}, workspace, facts);
    const auto swept = midend::gen_kill(g, swept_problem{{data}});
    std::size_t different = 0;
    std::size_t members = 0;
    for (node_id n = 0; n != g.num_nodes(); ++n) {
      different += !(facts.in(n) == swept.in(n)) + !(facts.out(n) == swept.out(n));
      members += facts.in(n).count();
    }
    CHECK(different == 0);
    // A step for each member of the answer, or visits of nodes.
    CHECK((facts.num_visits() == members) == local);
    CHECK((facts.num_visits() == swept.num_visits()) == !local);
  }
}

TEST_CASE("gen_kill: a graph without predecessors, and the same answer and visits each time") {
  random_source random(5);
  for (int round = 0; round != 20; ++round) {
    const test_graph g = random_irreducible(random, 40);
    const problem_data data = random_problem(random, g.num_nodes, 70);
    const auto flat = make_csr(g);
    const midend::forward_csr_graph one_way(flat);
    using forward_must = plain_problem<flow_direction::forward, flow_confluence::must>;
    using backward_may = plain_problem<flow_direction::backward, flow_confluence::may>;
    const auto check_same = [&](const auto& problem) {
      const auto a = midend::gen_kill(flat, problem);
      const auto b = midend::gen_kill(one_way, problem);
      CHECK(a.num_visits() == b.num_visits());
      for (node_id n = 0; n != g.num_nodes; ++n) {
        CHECK((a.in(n) == b.in(n) && a.out(n) == b.out(n)));
      }
    };
    check_same(forward_must{data});
    check_same(backward_may{data});
  }
}
