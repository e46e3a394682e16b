// IRs of which some values take no phi, such as tuples and what only a branch may read: transformations that copy or
// dispatch refuse a loop only where a phi is needed, and never insert one for such a value.
#include "kit/random_programs.hpp"
#include "transform/unrolling_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/transform.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::node_id;
using midend::value_id;
namespace elbrus = midend::elbrus;

namespace {

enum class stuck_values : std::uint8_t {
  read_at_home, ///< all that no other node reads
  some          ///< one of three of those that no phi reads
};

/// Some values take no phi, and neither do their clones. Inserting one for them is an error.
class stuck_editor : public elbrus::editor {
public:
  stuck_editor(elbrus::procedure& p, stuck_values which, random_source random)
      : elbrus::editor(p), is_stuck_(p.num_values(), false) {
    std::vector<bool> is_needed(p.num_values(), false);
    for (node_id n = 0; n != p.num_nodes(); ++n) {
      for (const value_id v : p.values(n)) {
        for (const value_id operand : p.operands(v)) {
          is_needed[operand] =
              is_needed[operand] || p.is_phi(v) || (which == stuck_values::read_at_home && this->node_of(operand) != n);
        }
      }
    }
    for (node_id n = 0; n != p.num_nodes(); ++n) {
      for (const value_id v : p.values(n)) {
        is_stuck_[v] = !p.is_phi(v) && !is_needed[v] && (which == stuck_values::read_at_home || random.one_in(3));
        num_stuck += is_stuck_[v] ? 1 : 0;
      }
    }
  }

  bool may_insert_phi(value_id v) const { return v >= is_stuck_.size() || !is_stuck_[v]; }

  value_id insert_phi(node_id n, value_id like) {
    wrong += may_insert_phi(like) ? 0 : 1;
    return elbrus::editor::insert_phi(n, like);
  }

  value_id clone_value(value_id v, node_id n) {
    const value_id clone = elbrus::editor::clone_value(v, n);
    if (!may_insert_phi(v)) {
      is_stuck_.resize(clone + std::size_t{1}, false);
      is_stuck_[clone] = true;
    }
    return clone;
  }

  std::size_t num_stuck = 0;
  std::size_t wrong = 0;

private:
  std::vector<bool> is_stuck_;
};

enum class change : std::uint8_t { unroll, peel, rotate, split, dispatch, unify };

struct change_result {
  std::size_t done = 0;
  std::size_t refused = 0; ///< for a value that takes no phi, or for whatever else
};

template <class E> change_result carry_out(E& e, change what) {
  switch (what) {
  case change::unroll:
  case change::peel: {
    const auto loops = midend::dominators_and_loops(e.graph()).loops;
    std::vector<midend::unrolling_request> requests;
    for (const midend::loop_id l : loops.loops()) {
      requests.push_back(
          {l, {what == change::unroll ? midend::unrolling_kind::partial : midend::unrolling_kind::full, 2}});
    }
    const auto done = midend::unroll_loops(e, loops, requests);
    return {done.plan.unrollings.size(), done.plan.refused.size()};
  }
  case change::rotate: {
    const auto done = midend::rotate_loops(e);
    return {done.plan.rotations.size(), done.plan.refused.size()};
  }
  case change::split: {
    const auto done = midend::fix_irreducible(e, {.method = midend::irreducible_method::split_nodes});
    return {done.splits, done.plan.refused.size()};
  }
  case change::dispatch: {
    const auto done = midend::fix_irreducible(e);
    return {done.dispatches, done.plan.refused.size()};
  }
  default: {
    const auto done = midend::unify_loop_exits(e);
    return {done.plan.exits.size(), done.plan.refused.size()};
  }
  }
}

constexpr std::array changes = {change::unroll, change::peel,     change::rotate,
                                change::split,  change::dispatch, change::unify};

} // namespace

TEST_CASE("values that take no phi and that only their own node reads are in no one's way") {
  std::array<std::size_t, changes.size()> done{};
  std::size_t stuck = 0;
  for_each_random_program(500, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    CAPTURE(seed);
    for (std::size_t i = 0; i != changes.size(); ++i) {
      elbrus::program changed = g.program;
      for (elbrus::procedure& p : changed.procedures) {
        elbrus::construct_ssa(p);
        elbrus::procedure copy = p;
        elbrus::editor free(copy);
        const change_result without = carry_out(free, changes[i]);
        stuck_editor e(p, stuck_values::read_at_home, random_source(seed));
        const change_result with = carry_out(e, changes[i]);
        CHECK(with.done == without.done);
        CHECK(with.refused == without.refused);
        CHECK(e.wrong == 0);
        done[i] += with.done;
        stuck += e.num_stuck;
      }
      CHECK(why_wrong(g, changed) == "");
    }
  });
  CHECK(stuck > affordable(10'000));
  for (const std::size_t each : done) {
    CHECK(each > affordable(50));
  }
}

TEST_CASE("where a phi would be needed for a value that takes none, the loop stays as it is") {
  std::array<std::size_t, changes.size()> done{};
  std::array<std::size_t, changes.size()> less{};
  for_each_random_program(500, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    CAPTURE(seed);
    for (std::size_t i = 0; i != changes.size(); ++i) {
      elbrus::program changed = g.program;
      for (elbrus::procedure& p : changed.procedures) {
        elbrus::construct_ssa(p);
        elbrus::procedure copy = p;
        elbrus::editor free(copy);
        const change_result without = carry_out(free, changes[i]);
        stuck_editor e(p, stuck_values::some, random_source(seed));
        const change_result with = carry_out(e, changes[i]);
        CHECK(e.wrong == 0);
        done[i] += with.done;
        less[i] += with.done < without.done ? 1 : 0;
      }
      CHECK(why_wrong(g, changed) == "");
    }
  });
  for (std::size_t i = 0; i != changes.size(); ++i) {
    CAPTURE(i);
    MESSAGE(i, ": ", done[i], " done, ", less[i], " procedures with less");
    CHECK(done[i] > affordable(20));
  }
}
