// The procedure of the Elbrus-like IR: what is made is there, and random editing keeps lists, phis and users in step.
#include "kit/test_graph.hpp"

#include <midend/elbrus/opcode.hpp>
#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/program.hpp>
#include <midend/elbrus/views/views.hpp>
#include <midend/graph/check_graph.hpp>

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace midend::elbrus;
using midend::edge_id;
using midend::no_node;
using midend::no_value;
using midend::node_id;
using midend::value_id;
using midend_tests::random_source;

static_assert(midend::edge_indexed_flow_graph<procedure> && midend::bidirectional_flow_graph<procedure>);

namespace {

std::vector<value_id> listed_values(const procedure& p, node_id n) {
  std::vector<value_id> out;
  for (const value_id v : p.values(n)) {
    out.push_back(v);
  }
  return out;
}

std::multiset<value_id> users_of(const procedure& p, value_id v) {
  std::multiset<value_id> out;
  for (const value_id user : p.users(v)) {
    out.insert(user);
  }
  return out;
}

std::multiset<node_id> nodes_that_read(const procedure& p, value_id v) {
  std::multiset<node_id> out;
  for (const node_id n : p.reading_nodes(v)) {
    out.insert(n);
  }
  return out;
}

/// A procedure and, beside it, what its phis and edges should be, kept in the simplest way there is.
class mirrored_procedure {
public:
  mirrored_procedure() {
    x_ = p.add_parameter("x", type::i32);
    nodes_.push_back(p.create_node("entry"));
  }

  void step(random_source& random) {
    switch (random.below(9)) {
    case 0:
      nodes_.push_back(p.create_node("n" + std::to_string(p.num_nodes())));
      break;
    case 1:
      add_phi(any_node(random));
      break;
    case 2:
    case 3:
      add_edge(any_node(random), any_node(random));
      break;
    case 4:
      if (const edge_id e = any_edge(random); e != midend::no_edge) {
        set_inputs(random, e);
      }
      break;
    case 5:
      if (const edge_id e = any_edge(random); e != midend::no_edge) {
        redirect(e, any_node(random));
      }
      break;
    case 6:
      if (const edge_id e = any_edge(random); e != midend::no_edge) {
        erase(e);
      }
      break;
    case 7:
      add_operation(random);
      break;
    default:
      replace(random);
    }
  }

  /// The first thing that is wrong; empty if nothing is.
  std::string compare() const {
    std::map<value_id, std::multiset<value_id>> users;
    std::map<value_id, std::multiset<node_id>> reading;
    for (node_id n = 0; n != p.num_nodes(); ++n) {
      bool phis_over = false;
      value_id previous = no_value;
      for (const value_id v : p.values(n)) {
        if (p.is_phi(v) && phis_over) {
          return "a phi after operations";
        }
        phis_over = !p.is_phi(v);
        if (p.value(v).node != n || p.value(v).previous != previous) {
          return "links of values";
        }
        previous = v;
        for (const value_id operand : p.operands(v)) {
          if (operand != no_value) {
            users[operand].insert(v);
            if (!p.is_phi(v)) {
              reading[operand].insert(n);
            }
          }
        }
        for (std::size_t i = 0; p.is_phi(v) && i != p.in_edges(n).size(); ++i) {
          const edge_id e = p.in_edges(n)[i];
          if (p.phi_input(v, e) != no_value) {
            reading[p.phi_input(v, e)].insert(p.edge_source(e));
          }
        }
        if (p.is_phi(v) && p.operands(v).size() != p.in_edges(n).size()) {
          return "inputs of a phi";
        }
      }
      if (p.node(n).last != previous) {
        return "the last value";
      }
      for (std::size_t i = 0; i != p.in_edges(n).size(); ++i) {
        const edge_id e = p.in_edges(n)[i];
        if (p.edge(e).position != i || p.edge_target(e) != n) {
          return "the place of an edge";
        }
      }
    }
    for (value_id v = 0; v != p.num_values(); ++v) {
      if (users_of(p, v) != users[v]) {
        return "users of " + std::to_string(v);
      }
      if (nodes_that_read(p, v) != reading[v]) {
        return "nodes that read " + std::to_string(v);
      }
    }
    for (const auto& [place, input] : inputs_) {
      if (p.phi_input(place.first, place.second) != input) {
        return "the input of a phi";
      }
    }
    std::size_t edges = 0;
    for (const auto& [e, ends] : edges_) {
      if (p.edge_source(e) != ends.first || p.edge_target(e) != ends.second) {
        return "the ends of an edge";
      }
    }
    for (edge_id e = 0; e != p.num_edges(); ++e) {
      edges += p.edge_source(e) != no_node;
    }
    if (edges != edges_.size()) {
      return "the number of edges";
    }
    return midend::check_graph(p) ? "check_graph" : "";
  }

  procedure p;

private:
  node_id any_node(random_source& random) const { return nodes_[random.below(nodes_.size())]; }

  edge_id any_edge(random_source& random) const {
    if (edges_.empty()) {
      return midend::no_edge;
    }
    auto it = edges_.begin();
    std::advance(it, static_cast<std::ptrdiff_t>(random.below(edges_.size())));
    return it->first;
  }

  value_id any_value(random_source& random) const {
    return values_.empty() || random.one_in(4) ? x_ : values_[random.below(values_.size())];
  }

  void add_phi(node_id n) {
    const value_id phi = p.insert_phi(n, type::i32);
    values_.push_back(phi);
    phis_[n].push_back(phi);
    for (const edge_id e : p.in_edges(n)) {
      inputs_[{phi, e}] = no_value;
    }
  }

  void add_edge(node_id from, node_id to) {
    const edge_id e = p.add_edge(from, to);
    edges_[e] = {from, to};
    arrive(e);
  }

  void arrive(edge_id e) {
    for (const value_id phi : phis_[edges_[e].second]) {
      inputs_[{phi, e}] = no_value;
    }
  }

  void depart(edge_id e) {
    for (const value_id phi : phis_[edges_[e].second]) {
      inputs_.erase({phi, e});
    }
  }

  void set_inputs(random_source& random, edge_id e) {
    for (const value_id phi : phis_[edges_[e].second]) {
      const value_id v = any_value(random);
      p.set_phi_input(phi, e, v);
      inputs_[{phi, e}] = v;
    }
  }

  void redirect(edge_id e, node_id to) {
    depart(e);
    p.redirect_edge(e, to);
    edges_[e].second = to;
    arrive(e);
  }

  void erase(edge_id e) {
    depart(e);
    p.erase_edge(e);
    edges_.erase(e);
  }

  void add_operation(random_source& random) {
    const value_id operands[] = {any_value(random), any_value(random)};
    operation_draft draft{.code = opcode::add, .type = type::i32, .operands = operands};
    if (random.one_in(3)) {
      draft.guard = any_value(random);
      draft.otherwise = any_value(random);
    }
    values_.push_back(p.append(any_node(random), draft));
  }

  void replace(random_source& random) {
    const value_id v = any_value(random);
    const value_id by = any_value(random);
    p.replace_uses(v, by);
    for (auto& [place, input] : inputs_) {
      input = input == v ? by : input;
    }
    if (v == x_ || p.has_users(v)) {
      return;
    }
    p.erase_value(v);
    std::erase(values_, v);
    for (auto& [n, phis] : phis_) {
      std::erase(phis, v);
    }
    std::erase_if(inputs_, [v](const auto& entry) { return entry.first.first == v; });
  }

  value_id x_ = no_value;
  std::vector<node_id> nodes_;
  std::vector<value_id> values_;
  std::map<edge_id, std::pair<node_id, node_id>> edges_;
  std::map<node_id, std::vector<value_id>> phis_;
  std::map<std::pair<value_id, edge_id>, value_id> inputs_;
};

} // namespace

TEST_CASE("opcodes: names lead back, and the table is in the order of the enumerators") {
  CHECK(opcode_table.size() == static_cast<std::size_t>(opcode::unreachable) + 1);
  for (std::size_t i = 0; i != opcode_table.size(); ++i) {
    const auto code = static_cast<opcode>(i);
    CAPTURE(name_of(code));
    CHECK(opcode_named(name_of(code)) == (code == opcode::branch ? opcode::jump : code));
    CHECK(is_terminator(code) == (code >= opcode::jump));
    const midend::operation meaning = info_of(code).meaning;
    CHECK((meaning == midend::operation::other || midend::arity(meaning) == info_of(code).operands));
  }
  CHECK(opcode_named("sqrt") == opcode::fsqrt);
  CHECK(opcode_named("ffma") == opcode::fma);
  CHECK_FALSE(opcode_named("nonsense"));
  CHECK_FALSE(opcode_named(""));
  CHECK(info_of(opcode::select).meaning == midend::operation::select);
  CHECK(info_of(opcode::cmp_ult).meaning == midend::operation::uless);
  CHECK(name_of(opcode::fcmp_uno) == "fcmp.uno");
}

TEST_CASE("types: names, widths and bytes") {
  CHECK(type_named("i32") == type::i32);
  CHECK(type_named("ptr") == type::ptr);
  CHECK_FALSE(type_named("none"));
  CHECK_FALSE(type_named("i33"));
  CHECK(width_of(type::i1) == 1);
  CHECK(bytes_of(type::i1) == 1);
  CHECK(width_of(type::ptr) == 64);
  CHECK(bytes_of(type::f32) == 4);
  CHECK(converts_freely(type::ptr, type::i64));
  CHECK_FALSE(converts_freely(type::i32, type::i64));
}

TEST_CASE("procedure: literals are made once for each type and bit pattern") {
  procedure p;
  const value_id one = p.constant(type::i8, 1);
  CHECK(p.constant(type::i8, 0x101) == one);
  CHECK(p.constant(type::i16, 1) != one);
  CHECK(p.literal_bits(p.constant(type::i8, ~std::uint64_t{0})) == 0xff);
  CHECK(p.undefined(type::i8) == p.undefined(type::i8));
  CHECK(p.undefined(type::i8) != p.undefined(type::i16));
}

TEST_CASE("procedure: guards and what stands in for the result are operands of their own") {
  procedure p;
  const value_id x = p.add_parameter("x", type::i32);
  const value_id c = p.add_parameter("c", type::i1);
  const node_id entry = p.create_node("entry");
  const value_id operands[] = {x, p.constant(type::i32, 2)};
  const value_id plain = p.append(entry, {.code = opcode::add, .type = type::i32, .operands = operands});
  const value_id psi = p.append(entry, {.code = opcode::sub,
                                        .type = type::i32,
                                        .operands = operands,
                                        .guard = c,
                                        .guard_negated = true,
                                        .otherwise = x});
  CHECK(p.arguments(plain).size() == 2);
  CHECK(p.guard(plain) == no_value);
  CHECK(p.arguments(psi).size() == 2);
  CHECK(p.guard(psi) == c);
  CHECK(p.otherwise(psi) == x);
  CHECK(users_of(p, x) == std::multiset<value_id>{plain, psi, psi});
  const value_id store_operands[] = {x, x};
  const value_id store = p.append(
      entry, {.code = opcode::st, .operand_type = type::i32, .operands = store_operands, .guard = c, .access = {}});
  CHECK(p.guard(store) == c);
  CHECK(p.otherwise(store) == no_value);
  const value_id first = p.insert_before(plain, {.code = opcode::mov, .type = type::i32, .operands = {&x, 1}});
  CHECK(listed_values(p, entry) == std::vector<value_id>{first, plain, psi, store});
}

TEST_CASE("procedure: names may be views of names that are there") {
  procedure p;
  value_id last = p.add_parameter("a_name_that_is_not_short", type::i32);
  for (int i = 0; i != 100; ++i) {
    const value_id next = p.add_parameter(p.value_name(last), type::i32);
    last = next;
  }
  CHECK(p.value_name(last) == "a_name_that_is_not_short");
}

TEST_CASE("procedure: random editing keeps lists, phis and users in step, and copies apart") {
  random_source random(1);
  for (int round = 0; round != 300; ++round) {
    mirrored_procedure mirror;
    for (int i = 0; i != 100; ++i) {
      mirror.step(random);
      if (i % 10 == 0) {
        REQUIRE(mirror.compare() == "");
      }
    }
    REQUIRE(mirror.compare() == "");
    const mirrored_procedure copy = mirror;
    for (int i = 0; i != 20; ++i) {
      mirror.step(random);
    }
    REQUIRE(mirror.compare() == "");
    REQUIRE(copy.compare() == "");
  }
}

TEST_CASE("procedure: erasing a node takes its values and edges, and the inputs of phis") {
  procedure p;
  const node_id entry = p.create_node("entry");
  const node_id dead = p.create_node("dead");
  const node_id join = p.create_node("join");
  p.append(entry, {.code = opcode::jump});
  const edge_id kept = p.add_edge(entry, join);
  const value_id a = p.append(dead, {.code = opcode::mov, .type = type::i32, .operands = {}});
  const value_id b = p.append(dead, {.code = opcode::mov, .type = type::i32, .operands = {&a, 1}});
  p.append(dead, {.code = opcode::jump});
  const edge_id gone = p.add_edge(dead, join);
  const value_id phi = p.insert_phi(join, type::i32);
  p.set_phi_input(phi, gone, b);
  p.set_phi_input(phi, kept, p.constant(type::i32, 7));
  const std::uint64_t before = p.epoch();
  p.erase_node(dead);
  CHECK(p.epoch() != before);
  CHECK(p.node(dead).erased);
  CHECK(p.out_edges(dead).empty());
  CHECK(listed_values(p, dead).empty());
  CHECK(p.edge_source(gone) == no_node);
  CHECK(p.operands(phi).size() == 1);
  CHECK(p.phi_input(phi, kept) == p.constant(type::i32, 7));
  CHECK(p.value(a).kind == value_kind::erased);
}

TEST_CASE("procedure: a node with 100,000 edges and phis is taken apart in linear time") {
  procedure p;
  const node_id entry = p.create_node("entry");
  const node_id join = p.create_node("join");
  const value_id phi = p.insert_phi(join, type::i32);
  std::vector<edge_id> edges;
  for (std::uint64_t i = 0; i != 100'000; ++i) {
    edges.push_back(p.add_edge(entry, join, i));
    p.set_phi_input(phi, edges.back(), p.constant(type::i32, i % 10));
  }
  for (std::size_t i = edges.size(); i-- != 0;) { // last first: a terminator is taken apart from its end
    p.erase_edge(edges[i]);
  }
  CHECK(p.operands(phi).empty());
  CHECK(p.in_edges(join).empty());
  CHECK_FALSE(p.has_users(p.constant(type::i32, 3)));
}

TEST_CASE("value_view: conditions decide, jumps do not") {
  procedure p;
  const value_id c = p.add_parameter("c", type::i1);
  const node_id entry = p.create_node("entry");
  const node_id next = p.create_node("next");
  const value_view view(p);
  CHECK(view.condition(entry) == no_value);
  p.append(entry, {.code = opcode::branch, .operand_type = type::i1, .operands = {&c, 1}});
  p.add_edge(entry, next, 1);
  p.add_edge(entry, entry, 0);
  CHECK(view.condition(entry) == c);
  p.append(next, {.code = opcode::ret, .operand_type = type::i1, .operands = {&c, 1}});
  CHECK(view.condition(next) == no_value);
}

TEST_CASE("procedure: a node knows its end when operations come, go and move") {
  procedure p;
  const node_id entry = p.create_node("entry");
  const node_id next = p.create_node("next");
  CHECK(p.terminator(entry) == no_value);
  const value_id a = p.append(entry, {.code = opcode::call, .type = type::none});
  CHECK(p.terminator(entry) == no_value);
  const value_id end = p.append(entry, {.code = opcode::ret});
  const value_id b = p.append(entry, {.code = opcode::call, .type = type::none});
  CHECK(p.terminator(entry) == end);
  p.move_value(b, next, no_value);
  p.move_value(end, next, no_value);
  CHECK(p.terminator(entry) == no_value);
  CHECK(p.terminator(next) == end);
  p.erase_value(a);
  CHECK(p.terminator(entry) == no_value);
  p.erase_value(end);
  CHECK(p.terminator(next) == no_value);
  p.restore_value(end, next, no_value, {});
  CHECK(p.terminator(next) == end);
}

TEST_CASE("procedure: records are half a cache line") {
  CHECK(sizeof(value_core) == 32);
  CHECK(sizeof(node_core) == 32);
}

TEST_CASE("program: procedures by name") {
  program all;
  all.procedures.resize(2);
  all.procedures[0].set_name("f");
  all.procedures[1].set_name("g");
  CHECK(all.find("g") == &all.procedures[1]);
  CHECK(all.find("h") == nullptr);
}
