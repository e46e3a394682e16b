#include "kit/parsed_procedure.hpp"
#include "kit/random_programs.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/transform/recording_editor.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::edge_id;
using midend::no_value;
using midend::value_id;
namespace elbrus = midend::elbrus;

namespace {

using recorder = midend::recording_editor<elbrus::editor>;

static_assert(midend::ir_editor<recorder> && midend::operation_editor<recorder> && midend::branch_editor<recorder> &&
              midend::profile_editor<recorder>);

/// Edits at random, with no regard to the meaning of the program, but within the contract of each primitive.
class random_edits {
public:
  random_edits(const elbrus::procedure& p, recorder& e, std::uint64_t seed) : p_(p), e_(e), random_(seed) {}

  std::vector<std::size_t> done = std::vector<std::size_t>(20, 0);

  void step() {
    const auto kind = random_.below(done.size());
    if (edit(kind)) {
      ++done[kind];
    }
  }

private:
  node_id any_node() {
    for (int tries = 0; tries != 20; ++tries) {
      const auto n = static_cast<node_id>(random_.below(p_.num_nodes()));
      if (!p_.node(n).erased) {
        return n;
      }
    }
    return p_.entry();
  }

  std::optional<value_id> any_operation() {
    std::vector<value_id> all;
    for (const value_id v : p_.values(any_node())) {
      all.push_back(v);
    }
    return all.empty() ? std::nullopt : std::optional(all[random_.below(all.size())]);
  }

  std::optional<value_id> any_plain() {
    const auto v = any_operation();
    return v && !p_.is_phi(*v) && !p_.is_terminator(*v) ? v : std::nullopt;
  }

  std::optional<edge_id> any_edge() {
    const auto edges = p_.out_edges(any_node());
    return edges.empty() ? std::nullopt : std::optional(edges[random_.below(edges.size())]);
  }

  midend::place any_place() {
    const node_id n = any_node();
    const auto v = any_plain();
    return random_.one_in(3) ? midend::place_at_head(n) : v ? midend::place_before(*v) : midend::place_at_end(n);
  }

  bool edit(std::size_t kind) {
    switch (kind) {
    case 0: {
      const auto like = any_plain();
      if (!like || p_.value(*like).type == elbrus::type::none) {
        return false;
      }
      const node_id n = any_node();
      const value_id phi = e_.insert_phi(n, *like);
      for (const edge_id edge : p_.in_edges(n)) {
        e_.set_phi_input(phi, edge, e_.undefined_like(*like));
      }
      return true;
    }
    case 1: {
      const auto v = any_plain();
      if (!v || p_.operands(*v).empty()) {
        return false;
      }
      const auto i = random_.below(p_.operands(*v).size());
      e_.set_operand(*v, i, e_.undefined_like(p_.operands(*v)[i]));
      return true;
    }
    case 2: {
      const auto v = any_operation();
      if (!v || p_.value(*v).type == elbrus::type::none) {
        return false;
      }
      e_.replace_uses(*v, e_.make_constant(*v, random_.next()));
      return true;
    }
    case 3: {
      const auto v = any_operation();
      if (!v || p_.has_users(*v) || p_.is_terminator(*v)) {
        return false;
      }
      e_.erase_value(*v);
      return true;
    }
    case 4: {
      const auto v = any_plain();
      if (v) {
        e_.clone_value(*v, any_place());
      }
      return v.has_value();
    }
    case 5: {
      const auto v = any_plain();
      const midend::place p = any_place();
      if (!v || p.value == *v) {
        return false;
      }
      e_.move_value(*v, p);
      return true;
    }
    case 6: {
      const auto v = any_plain();
      if (v) {
        e_.drop_promises(*v);
      }
      return v.has_value();
    }
    case 7: {
      const value_id a = e_.make_number(32, random_.next());
      const std::array<value_id, 2> operands = {a, e_.make_number(32, 3)};
      return e_.make_operation({.code = midend::operation::add, .width = 32}, operands, any_place()) != no_value;
    }
    case 8: { // a node on an edge
      const auto e = any_edge();
      if (!e) {
        return false;
      }
      const node_id target = p_.edge_target(*e);
      const node_id n = e_.create_node(target);
      e_.redirect_edge(*e, n);
      e_.set_jump(n, target);
      const edge_id fresh = p_.out_edges(n)[0];
      for (const value_id phi : p_.values(target)) {
        if (!p_.is_phi(phi)) {
          break;
        }
        e_.set_phi_input(phi, fresh, e_.undefined_like(phi));
      }
      return true;
    }
    case 9: {
      const auto e = any_edge();
      if (e) {
        e_.keep_edge(*e);
      }
      return e.has_value();
    }
    case 10: { // another end
      const node_id n = any_node();
      e_.erase_end(n);
      const value_id c = e_.make_number(1, 1);
      e_.set_branch(n, c, other_than_entry(), other_than_entry());
      return true;
    }
    case 11: {
      const node_id n = any_node();
      e_.erase_end(n);
      const std::array<std::uint64_t, 2> cases = {3, 7};
      const std::array<node_id, 2> targets = {other_than_entry(), other_than_entry()};
      e_.set_switch(n, e_.make_number(8, 1), cases, targets, other_than_entry());
      return true;
    }
    case 12: { // nodes that are not used
      const node_id n = any_node();
      if (n == p_.entry() || !p_.in_edges(n).empty()) {
        return false;
      }
      for (const value_id v : p_.values(n)) {
        for (const value_id user : p_.users(v)) {
          if (p_.value(user).node != n) {
            return false;
          }
        }
      }
      if (random_.one_in(2)) {
        e_.erase_end(n);
      }
      e_.erase_nodes(std::array<node_id, 1>{n});
      return true;
    }
    case 13: { // a copy of a node with its end
      const node_id n = any_node();
      const node_id copy = e_.create_node(n);
      std::vector<value_id> values;
      for (const value_id v : p_.values(n)) {
        values.push_back(v);
      }
      for (const value_id v : values) {
        e_.clone_value(v, copy);
      }
      return true;
    }
    case 14: {
      e_.set_count(any_node(), random_.one_in(3) ? std::nullopt : std::optional<std::uint64_t>(random_.below(1000)));
      return true;
    }
    case 15: {
      const auto e = any_edge();
      if (e) {
        e_.set_probability(*e, random_.below(100) / 100.0);
      }
      return e.has_value();
    }
    case 17: {
      const std::uint64_t large = random_.below(1000) * 0x1'0000'0001ull;
      e_.set_trip_hints(any_node(), {static_cast<double>(random_.below(9)), random_.below(9), large});
      return true;
    }
    case 18: { // a class of memory, for the procedure or in a loop
      const auto v = any_operation();
      if (!v || !e_.memory(*v)) {
        return false;
      }
      // Not a new class: it would have another name when it is made again.
      const std::size_t classes = p_.num_alias_classes();
      const std::uint32_t c = classes == 0 || random_.one_in(4) ? midend::any_memory : random_.below(classes);
      e_.set_memory_class(*v, c, random_.one_in(2) ? no_node : any_node());
      return true;
    }
    case 16: { // an end moves to a new node
      const node_id n = any_node();
      if (p_.terminator(n) == no_value) {
        return false;
      }
      const node_id fresh = e_.create_node(n);
      e_.move_value(p_.terminator(n), midend::place_at_end(fresh));
      e_.set_jump(n, fresh);
      return true;
    }
    default: { // a phi moves to another node
      const auto v = any_operation();
      if (!v || !p_.is_phi(*v)) {
        return false;
      }
      e_.move_value(*v, midend::place_at_head(any_node()));
      return true;
    }
    }
  }

  node_id other_than_entry() {
    const node_id n = any_node();
    if (n != p_.entry()) {
      return n;
    }
    const node_id fresh = e_.create_node(n);
    e_.set_jump(fresh, fresh);
    return fresh;
  }

  const elbrus::procedure& p_;
  recorder& e_;
  random_source random_;
};

} // namespace

TEST_CASE("recording_editor takes back any sequence of edits and repeats it") {
  std::vector<std::size_t> done(20, 0);
  std::size_t edits = 0;
  for_each_random_program(400, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::procedure original = g.main();
    elbrus::construct_ssa(original);
    elbrus::procedure p = original;
    recorder e(p);
    random_edits random(p, e, seed);
    for (std::size_t i = 0; i != 1 + seed % 40; ++i) {
      random.step();
    }
    const std::size_t half = e.num_edits();
    const elbrus::procedure middle = p;
    for (std::size_t i = 0; i != 1 + seed % 30; ++i) {
      random.step();
    }
    for (std::size_t i = 0; i != done.size(); ++i) {
      done[i] += random.done[i];
    }
    edits += e.num_edits();
    const elbrus::procedure after = p;
    const auto log = e.log();

    e.undo_to(half);
    CHECK_MESSAGE(elbrus::difference(p, middle).empty(), "seed ", seed, ": ", elbrus::difference(p, middle));
    e.undo();
    CHECK_MESSAGE(elbrus::difference(p, original).empty(), "seed ", seed, ": ", elbrus::difference(p, original));
    CHECK(elbrus::verify(p).empty());
    CHECK(e.num_edits() == 0);

    elbrus::procedure copy = original;
    elbrus::editor plain(copy);
    midend::replay(log, plain);
    CHECK_MESSAGE(elbrus::difference(copy, after).empty(), "seed ", seed, ": ", elbrus::difference(copy, after));

    midend::replay(log, e); // where undone things have left numbers
    CHECK_MESSAGE(elbrus::difference(p, after).empty(), "seed ", seed, ": ", elbrus::difference(p, after));
    e.undo();
    CHECK_MESSAGE(elbrus::difference(p, original).empty(), "seed ", seed, ": ", elbrus::difference(p, original));
  });
  for (std::size_t i = 0; i != done.size(); ++i) {
    CHECK_MESSAGE(done[i] > affordable(20) / 2, "kind ", i);
  }
  MESSAGE(edits, " edits");
}

TEST_CASE("recording_editor: classes of memory that were made are others when they are made again") {
  const midend::elbrus::program all =
      program_of("proc @f(%a: ptr, %b: ptr) {\n  node entry:\n    br loop\n  node loop:\n"
                 "    %v = ld.i8 [%a] alias=A\n    st.i8 %v, [%b] local=A:loop\n"
                 "    br loop\n}\n");
  elbrus::procedure p = all.procedures[0];
  recorder e(p);
  const node_id loop = node_named(p, "loop");
  const value_id load = value_named(p, "v");
  const value_id store = p.core(load).next;
  const std::uint32_t first = e.make_memory_class();
  const std::uint32_t second = e.make_memory_class();
  CHECK(first != second);
  e.set_memory_class(load, first, loop);
  e.set_memory_class(store, second, loop);
  e.set_memory_class(store, first, midend::no_node);
  e.set_memory_class(load, midend::any_memory, midend::no_node);
  CHECK(e.memory(store)->local == second);
  CHECK(e.memory(store)->memory == first);
  CHECK(e.memory(load)->scope == loop);
  const elbrus::procedure after = p;
  const auto log = e.log();
  e.undo();
  CHECK(elbrus::difference(p, all.procedures[0]).empty());
  elbrus::procedure copy = all.procedures[0];
  elbrus::editor plain(copy);
  plain.make_memory_class(); // so that the numbers differ
  midend::replay(log, plain);
  CHECK(plain.memory(store)->local != second);
  CHECK(plain.memory(store)->memory == plain.memory(load)->local);
  CHECK(plain.memory(store)->local != plain.memory(load)->local);
}

namespace {

/// Keeps all hints, as they are.
class hinted_editor : public elbrus::editor {
public:
  using elbrus::editor::editor;

  void set_trip_hints(node_id, const midend::loop_hints& hints) { hints_ = hints; }

  midend::loop_hints trip_hints(node_id) const { return hints_; }

private:
  midend::loop_hints hints_;
};

} // namespace

TEST_CASE("recording_editor: hints about trips keep what they promise, taken back and repeated") {
  const midend::elbrus::program all = program_of("proc @f() {\n  node loop:\n    br loop\n}\n");
  const midend::loop_hints before{.average = 3, .maximum = 9, .multiple = 3, .must_end = true};
  const midend::loop_hints after{.average = 2, .maximum = 8, .multiple = std::uint64_t{1} << 40, .must_end = false};
  elbrus::procedure p = all.procedures[0];
  midend::recording_editor<hinted_editor> e(p);
  e.set_trip_hints(0, before);
  const std::size_t first = e.num_edits();
  e.set_trip_hints(0, after);
  const std::size_t second = e.num_edits();
  e.set_trip_hints(0, before);
  const auto log = e.log();
  hinted_editor plain(p);
  midend::replay(log, plain);
  CHECK(plain.trip_hints(0) == before);
  e.undo_to(second);
  CHECK(e.trip_hints(0) == after);
  e.undo_to(first);
  CHECK(e.trip_hints(0) == before);
  e.undo();
  CHECK(e.trip_hints(0) == midend::loop_hints{});
}
