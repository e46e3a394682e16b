#include <midend/ssa/sccp.hpp>

#include "kit/affordable.hpp"
#include "kit/powerset_domain.hpp"
#include "kit/semantic_ir.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/congruence_domain.hpp>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/graph/depth_first_order.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace midend_tests;
using midend::congruence_domain;
using midend::flat_domain;
using midend::interval_domain;
using midend::known_bits_domain;
using midend::number_domain;
using midend::sccp;
using midend::sccp_options;
using midend::sccp_result;
using midend::strided_interval_domain;
using midend::undef_branch;
using midend::undef_policy;

namespace {

std::vector<test_graph> small_graphs() {
  std::vector<test_graph> out = ugly_graphs();
  random_source random(4);
  for (std::size_t i = 0; i != 100; ++i) {
    out.push_back(random_reducible(random, 3 + i % 12));
    out.push_back(random_irreducible(random, 4 + i % 12));
    out.push_back(random_digraph(random, 2 + i % 9, 3 + i % 17));
  }
  std::erase_if(out, [](const test_graph& g) { return g.num_nodes == 0 || g.num_nodes > 40; });
  return out;
}

struct named_program {
  std::string name;
  semantic_program program;
};

std::vector<named_program> small_programs(const random_semantics& semantics) {
  std::vector<named_program> out;
  random_source random(17);
  for (const test_graph& g : small_graphs()) {
    out.push_back({g.name, random_semantic_program(random, g, semantics)});
  }
  return out;
}

/// What happens on runs.
struct observations {
  std::vector<std::uint64_t> values; ///< by value: bit i is set if it was i, which is less than 64
  std::vector<bool> edges;
  std::size_t count = 0;
};

/// On all inputs.
observations observe(const semantic_program& program, unsigned width) {
  observations out{std::vector<std::uint64_t>(program.num_values()), std::vector<bool>(program.graph().num_edges())};
  random_source outside(9);
  const std::size_t parameters = program.parameters().size();
  for (std::uint64_t input = 0; input >> (width * parameters) == 0; ++input) {
    std::vector<std::uint64_t> arguments;
    for (std::size_t i = 0; i != parameters; ++i) {
      arguments.push_back(input >> (i * width) & midend::low_ones(width));
    }
    interpret(
        program, arguments, 300, [&](unsigned w) { return outside.next() & midend::low_ones(w); },
        [&](value_id v, std::uint64_t bits) {
          out.values[v] |= std::uint64_t{1} << bits;
          ++out.count;
        },
        [&](edge_id e) { out.edges[e] = true; });
  }
  return out;
}

/// Whether a result allows what was observed.
template <class D>
bool allows(const semantic_program& program, const sccp_result<D>& found, const observations& observed) {
  bool all = found.is_executable(program.graph().entry());
  for (value_id v = 0; v != program.num_values(); ++v) {
    for (std::uint64_t bits = 0; bits != 64; ++bits) {
      if ((observed.values[v] >> bits & 1) != 0) {
        all = all && !midend::is_bottom(D(), found.fact(v)) &&
              midend::may_be(D(), program.operation(v).width, found.fact(v), bits);
      }
    }
  }
  for (edge_id e = 0; e != program.graph().num_edges(); ++e) {
    all = all && (!observed.edges[e] || found.is_executable_edge(e));
  }
  return all;
}

/// `sccp`, or the same with branch facts if the domain can use them.
template <class D> sccp_result<D> run(const semantic_program& program, bool branch_facts, const sccp_options& options) {
  if constexpr (midend::has_assume<D>) {
    if (branch_facts) {
      return sccp_with_branch_facts(program, D(), options);
    }
  }
  return sccp(program, D(), options);
}

template <class D> bool is_sound(const semantic_program& program, const observations& observed) {
  const auto is_sound_with = [&](bool branch_facts, const sccp_options& options) {
    const auto found = run<D>(program, branch_facts, options);
    return found.broken_value() == no_value && allows(program, found, observed);
  };
  return is_sound_with(false, {.checked = true}) && is_sound_with(true, {.checked = true}) &&
         is_sound_with(true, {.widen_after = 0, .narrowing_steps = 5}) &&
         is_sound_with(false, {.widen_after = 1, .threshold_steps = 0, .narrowing_steps = 0});
}

/// The same facts, executable nodes and edges.
template <class D> bool agree(const sccp_result<D>& a, const sccp_result<D>& b) {
  bool same = std::equal(a.facts().begin(), a.facts().end(), b.facts().begin(), b.facts().end());
  for (node_id n = 0; n != a.num_nodes(); ++n) {
    same = same && a.is_executable(n) == b.is_executable(n);
  }
  for (edge_id e = 0; e != a.num_edges(); ++e) {
    same = same && a.is_executable_edge(e) == b.is_executable_edge(e);
  }
  for (value_id v = 0; v != a.num_values(); ++v) {
    same = same && a.is_undefined(v) == b.is_undefined(v);
  }
  return same;
}

} // namespace

TEST_CASE("sccp holds on every run, on all inputs of 3 and 4 bits") {
  std::size_t observed_values = 0;
  std::size_t turn = 0;
  for (const unsigned width : {3u, 4u}) {
    for (const auto& [name, program] : small_programs({.width = width})) {
      if (tests_are_shortened && width == 4 && turn++ % 3 != 0) {
        continue;
      }
      const observations observed = observe(program, width);
      observed_values += observed.count;
      const bool sound = is_sound<flat_domain<>>(program, observed) && is_sound<interval_domain>(program, observed) &&
                         is_sound<known_bits_domain>(program, observed) && is_sound<number_domain>(program, observed) &&
                         (width == 4 || is_sound<powerset_domain>(program, observed));
      CHECK_MESSAGE(sound, name, "\n", to_string(program));
    }
  }
  CHECK(observed_values > affordable(1'000'000));
}

TEST_CASE("sccp holds on every run if operands have any width and conditions are computed in several steps") {
  std::size_t observed_values = 0;
  for (const unsigned width : {2u, 3u}) {
    for (const auto& [name, program] : small_programs({.width = width, .wide = 3})) {
      const observations observed = observe(program, width);
      observed_values += observed.count;
      const bool sound = is_sound<flat_domain<>>(program, observed) && is_sound<interval_domain>(program, observed) &&
                         is_sound<known_bits_domain>(program, observed) && is_sound<number_domain>(program, observed) &&
                         is_sound<congruence_domain>(program, observed) &&
                         is_sound<strided_interval_domain>(program, observed) &&
                         is_sound<powerset_domain>(program, observed);
      CHECK_MESSAGE(sound, name, "\n", to_string(program));
    }
  }
  CHECK(observed_values > 100'000);
}

namespace {

/// How much of what can be known by looking at one operation after the other a domain finds.
struct shares {
  std::size_t constants = 0;
  std::size_t exact_constants = 0;
  std::size_t dead_edges = 0;
  std::size_t exact_dead_edges = 0;
};

template <class D>
void compare(const named_program& p, const sccp_result<powerset_domain>& exact, const sccp_result<D>& found,
             shares& out) {
  const semantic_program& program = p.program;
  bool knows_more = false;
  for (node_id n = 0; n != program.graph().num_nodes(); ++n) {
    for (const value_id v : exact.is_executable(n) ? program.values(n) : std::span<const value_id>()) {
      const std::optional<std::uint64_t> c = found.constant(v);
      out.exact_constants += exact.constant(v) ? 1u : 0u;
      out.constants += c && exact.constant(v) ? 1u : 0u;
      knows_more = knows_more || (c && !midend::may_be(powerset_domain(), 3, exact.fact(v), *c)); // traps read as top
    }
  }
  for (edge_id e = 0; e != program.graph().num_edges(); ++e) {
    out.exact_dead_edges += exact.is_executable_edge(e) ? 0u : 1u;
    out.dead_edges += found.is_executable_edge(e) ? 0u : 1u;
    knows_more = knows_more || (exact.is_executable_edge(e) && !found.is_executable_edge(e));
  }
  CHECK_MESSAGE(!knows_more, p.name, "\n", to_string(program));
}

} // namespace

TEST_CASE("no domain knows more than the exact one, and they come close to it") {
  shares flat;
  shares bits;
  shares ranges;
  shares numbers;
  for (const named_program& p : small_programs({.width = 3})) {
    const auto exact = sccp(p.program, powerset_domain());
    compare(p, exact, sccp(p.program), flat);
    compare(p, exact, sccp(p.program, known_bits_domain()), bits);
    compare(p, exact, sccp(p.program, interval_domain()), ranges);
    compare(p, exact, sccp(p.program, number_domain()), numbers);
  }
  for (const shares& s : {flat, bits, ranges, numbers}) {
    MESSAGE(s.constants, " of ", s.exact_constants, " constants, ", s.dead_edges, " of ", s.exact_dead_edges, " edges");
  }
  CHECK(100 * flat.constants >= 90 * flat.exact_constants);
  CHECK(100 * bits.constants >= 97 * bits.exact_constants);
  CHECK(100 * ranges.constants >= 98 * ranges.exact_constants);
  CHECK(100 * numbers.constants >= 99 * numbers.exact_constants);
  CHECK(flat.constants < bits.constants);
  CHECK(numbers.constants >= bits.constants);
  CHECK(numbers.constants >= ranges.constants);
  CHECK(numbers.dead_edges >= ranges.dead_edges);
}

TEST_CASE_TEMPLATE("sccp-checklist 46: the same result for any order of visits", D, flat_domain<>, known_bits_domain,
                   powerset_domain) {
  random_source random(5);
  const auto same_for = [&](const named_program& p, bool branch_facts, const sccp_options& options) {
    std::vector<node_id> order;
    for (const node_id n : midend::reverse_post_order(p.program.graph())) {
      order.push_back(n);
    }
    const auto expected = run<D>(p.program, branch_facts, options);
    for (int i = 0; i != 4; ++i) {
      for (std::size_t k = order.size(); k > 1; --k) {
        std::swap(order[k - 1], order[random.below(k)]);
      }
      sccp_options shuffled = options;
      shuffled.order = order;
      const bool same = agree(expected, run<D>(p.program, branch_facts, shuffled));
      CHECK_MESSAGE(same, p.name, "\n", to_string(p.program));
    }
  };
  for (const named_program& p : small_programs({.width = 3})) {
    same_for(p, false, {});
    same_for(p, true, {});
    for (const undef_branch branch : {undef_branch::none, undef_branch::any, undef_branch::all}) {
      same_for(p, false, {.undefined = undef_policy::any_value, .branch_on_undefined = branch});
    }
  }
}

TEST_CASE("more is known if undef may be any value, and if branches imply facts") {
  std::size_t more_by_undef = 0;
  std::size_t more_by_facts = 0;
  for (const auto& [name, program] : small_programs({.width = 3})) {
    const auto least = sccp(program);
    const auto any = sccp(program, flat_domain<>(), {.undefined = undef_policy::any_value});
    const auto facts = sccp_with_branch_facts(program, flat_domain<>());
    for (value_id v = 0; v != program.num_values(); ++v) {
      const auto is_other = [&](const std::optional<std::uint64_t>& c) {
        return c && least.constant(v) && c != least.constant(v);
      };
      CHECK_MESSAGE(!(is_other(any.constant(v)) || is_other(facts.constant(v))), name, " v", v, "\n",
                    to_string(program));
      more_by_undef += any.constant(v) && !least.constant(v);
      more_by_facts += facts.constant(v) && !least.constant(v);
    }
  }
  CHECK(more_by_undef > 0);
  CHECK(more_by_facts > 0);
}

TEST_CASE("the classic example: x = 1; do { if (x != 1) x = 2; } while (…)") {
  semantic_program p(5, {{0, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 1}, {3, 4}});
  const value_id one = p.literal(1);
  const value_id x = p.phi(1);
  p.branch(1, p.op(1, operation::not_equal, {x, one}));
  const value_id merged = p.phi(3);
  p.set_input(x, p.edge_of(0), one);
  p.set_input(x, p.edge_of(3, 0), merged);
  p.set_input(merged, p.edge_of(1, 1), x);
  p.set_input(merged, p.edge_of(2), p.literal(2));
  p.branch(3, p.parameter(1));
  const auto found = sccp(p);
  CHECK(found.constant(x) == 1);
  CHECK(found.constant(merged) == 1);
  CHECK_FALSE(found.is_executable(2));
  CHECK(found.is_executable(4));
}

TEST_CASE("the loop of the dataflow example: x = 10 and y = 1") {
  semantic_program p(4, {{0, 1}, {1, 2}, {1, 3}, {2, 1}});
  const value_id j = p.phi(1);
  const value_id x = p.phi(1);
  const value_id y = p.phi(1);
  const value_id zero = p.literal(0);
  p.branch(1, p.op(1, operation::not_equal, {p.call(1), zero}));
  const value_id x2 = p.op(2, operation::mul, {x, y});
  const value_id y2 = p.op(2, operation::mul, {y, y});
  const value_id j2 = p.op(2, operation::add, {j, y2});
  for (const auto& [phi, first, next] :
       {std::tuple{j, p.literal(1), j2}, std::tuple{x, p.literal(10), x2}, std::tuple{y, p.literal(1), y2}}) {
    p.set_input(phi, p.edge_of(0), first);
    p.set_input(phi, p.edge_of(2), next);
  }
  const value_id sum = p.op(3, operation::add, {j, x});
  const value_id result = p.op(3, operation::add, {sum, y});
  const auto found = sccp(p);
  CHECK(found.constant(x) == 10);
  CHECK(found.constant(y) == 1);
  CHECK(found.fact(j).is_top());
  CHECK(found.fact(result).is_top());
}

TEST_CASE("an IR whose constants are no numbers is folded by itself alone") {
  struct text_ir { // words, joined by a hyphen
    using constant_type = std::string;
    midend::csr_graph g = make_csr({"", 1, 0, {}});
    std::vector<value_id> in_node{2, 3};
    std::vector<std::vector<value_id>> of{{}, {}, {0, 1}, {2, 0}};

    const midend::csr_graph& graph() const { return g; }

    std::size_t num_values() const { return 4; }

    const std::vector<value_id>& values(node_id) const { return in_node; }

    const std::vector<value_id>& operands(value_id v) const { return of[v]; }

    bool is_phi(value_id) const { return false; }

    value_id phi_input(value_id, edge_id) const { return no_value; }

    value_id condition(node_id) const { return no_value; }

    operation_info operation(value_id) const { return {}; }

    std::optional<std::string> constant(value_id v) const {
      return v == 0 ? std::optional<std::string>("a") : v == 1 ? std::optional<std::string>("b") : std::nullopt;
    }

    std::optional<std::string> fold(value_id, std::span<const std::string> args) const {
      return args[0] + "-" + args[1];
    }

    std::optional<std::string> edge_case(edge_id) const { return std::nullopt; }
  };

  const auto found = sccp(text_ir());
  CHECK(found.constant(2) == "a-b");
  CHECK(found.constant(3) == "a-b-a");
}

namespace {

/// x = 2 + 3; if (x == 5) …, in a constant expression.
struct tiny {
  using constant_type = std::uint64_t;
  midend::csr_graph g;
  std::array<value_id, 2> in_entry{3, 4};
  std::array<value_id, 2> of_add{0, 1};
  std::array<value_id, 2> of_equal{3, 2};

  constexpr tiny() {
    const midend::edge edges[] = {{0, 1}, {0, 2}};
    g = *midend::csr_graph::from_edges(3, 0, edges);
  }

  constexpr const midend::csr_graph& graph() const { return g; }

  constexpr std::size_t num_values() const { return 5; }

  constexpr std::span<const value_id> values(node_id n) const {
    return n == 0 ? std::span<const value_id>(in_entry) : std::span<const value_id>();
  }

  constexpr std::span<const value_id> operands(value_id v) const {
    return v == 3   ? std::span<const value_id>(of_add)
           : v == 4 ? std::span<const value_id>(of_equal)
                    : std::span<const value_id>();
  }

  constexpr bool is_phi(value_id) const { return false; }

  constexpr value_id phi_input(value_id, edge_id) const { return midend::no_value; }

  constexpr value_id condition(node_id n) const { return n == 0 ? 4 : midend::no_value; }

  constexpr operation_info operation(value_id v) const {
    using enum midend::operation;
    return v == 3   ? operation_info{add, 8, 8, {}}
           : v == 4 ? operation_info{equal, 1, 8, {}}
                    : operation_info{other, 8, 8, {}};
  }

  constexpr std::optional<std::uint64_t> constant(value_id v) const {
    return v == 0   ? std::optional<std::uint64_t>(2)
           : v == 1 ? std::optional<std::uint64_t>(3)
           : v == 2 ? std::optional<std::uint64_t>(5)
                    : std::nullopt;
  }

  constexpr std::optional<std::uint64_t> fold(value_id, std::span<const std::uint64_t>) const { return std::nullopt; }

  constexpr std::optional<std::uint64_t> edge_case(edge_id e) const { return e == 0 ? 1 : 0; }
};

static_assert([] {
  const tiny p;
  const auto f = sccp(p);
  return f.constant(3) == 5 && f.is_executable(1) && !f.is_executable(2);
}());
static_assert([] {
  const tiny p;
  const auto f = sccp(p, number_domain());
  return f.constant(3) == 5 && f.is_executable(1) && !f.is_executable(2);
}());

} // namespace

namespace {

/// At most: a number, or any. Its `widen` is that of a lattice, which knows no width.
struct upper_bound_domain {
  using element = std::optional<std::uint64_t>; // none: bottom
  using constant_type = std::uint64_t;

  element bottom() const { return {}; }

  bool join(element& a, const element& b) const {
    const bool grows = b && (!a || *a < *b);
    a = grows ? b : a;
    return grows;
  }

  bool widen(element& a, const element& b) const {
    const bool grows = b && (!a || *a < *b);
    a = grows ? element(~std::uint64_t{0}) : a;
    return grows;
  }

  element top(unsigned) const { return ~std::uint64_t{0}; }

  element constant(unsigned, std::uint64_t c) const { return c; }

  std::optional<std::uint64_t> as_constant(const element& a) const {
    return a && *a == 0 ? a : std::nullopt; // at most 0
  }

  element transfer(const operation_info& info, std::span<const element> args) const {
    if (info.code != midend::operation::add || !args[0] || !args[1]) {
      return args.empty() || args[0] ? top(info.width) : bottom();
    }
    return *args[0] + *args[1] < *args[0] ? top(info.width) : element(*args[0] + *args[1]);
  }
};

} // namespace

TEST_CASE("sccp: a domain whose widen is that of a lattice is widened, too") {
  // for (i = 0; call(); ++i): without widening, 2^64 steps
  semantic_program p(3, {{0, 1}, {1, 1}, {1, 2}});
  const value_id zero = p.literal(0);
  const value_id one = p.literal(1);
  const value_id i = p.phi(1);
  const value_id next = p.op(1, midend::operation::add, {i, one});
  p.set_input(i, p.edge_of(0), zero);
  p.set_input(i, p.edge_of(1, 0), next);
  p.branch(1, p.call(1, {}, 1));
  const auto facts = sccp(p, upper_bound_domain());
  CHECK(facts.counters().widenings > 0);
  CHECK(facts.counters().widenings < 10);
  CHECK(facts.fact(i) == ~std::uint64_t{0});
}
