// Programs with a mistake, by the hundred kinds: none that a checker accepts behaves differently.
#include "transform/renumbered_view.hpp"
#include "transform/unfolding_checks.hpp"
#include "transform/wrong_edits.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/verify/verify_ssa_construction.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/transform/clean_control.hpp>
#include <midend/transform/fix_irreducible.hpp>
#include <midend/transform/propagate_copies.hpp>
#include <midend/transform/remove_dead_code.hpp>
#include <midend/transform/verify_removal.hpp>
#include <midend/transform/verify_replacement.hpp>
#include <midend/transform/verify_unfolding.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

using namespace midend_tests;
using namespace midend_tests::wrong_edits;

namespace {

static_assert(midend::certifiable_ir<renumbered_view> && midend::has_guard<renumbered_view> &&
              midend::has_is_undefined<renumbered_view>);

enum class checker : std::uint8_t { unfolding, removal, replacement, ssa_construction };

/// A right transformation of a procedure, to be damaged.
struct transformed {
  checker by = checker::unfolding;
  std::string_view how = "nothing";
  procedure before;
  procedure after;
  midend::unfolding_witness unfolding;
  midend::removal_witness removal;
  midend::replacement_witness replacement;
};

void start(transformed& t) {
  t.after = t.before;
  t.unfolding.start(t.before.num_nodes(), t.before.num_edges(), t.before.num_values());
}

void grow(transformed& t) {
  t.unfolding.start_values(t.before.num_values());
  t.unfolding.grow(t.after.num_nodes(), t.after.num_edges(), t.after.num_values());
}

transformed transform(const procedure& p, random_source& random) {
  transformed t;
  t.before = p;
  name_all(t.before);
  start(t);
  elbrus::editor e(t.after);
  switch (random.below(p.variables().empty() ? 7 : 8)) {
  case 0:
    break;
  case 1: {
    t.how = "random unfolding";
    midend::unfolding<elbrus::editor> u(e);
    unfold_at_random(t.after, u, random);
    t.unfolding = u.take_witness();
    break;
  }
  case 2: {
    t.how = "clean_control";
    bool is_first = true;
    procedure first = t.after;
    midend::clean_control(e, [&](const midend::unfolding_witness& w) {
      if (is_first) {
        first = t.after;
        t.unfolding = w;
      }
      is_first = false;
    });
    t.after = first;
    break;
  }
  case 3:
    t.how = "fix_irreducible";
    t.unfolding = midend::fix_irreducible(e).witness;
    break;
  case 4:
    t.by = checker::removal;
    t.how = "remove_dead_code";
    t.removal = midend::remove_dead_code(e);
    break;
  case 5:
    t.by = checker::replacement;
    t.how = "propagate_copies";
    t.replacement = midend::propagate_copies(e);
    break;
  case 6:
    t.by = random.one_in(2) ? checker::removal : checker::replacement;
    break;
  default:
    t.by = checker::ssa_construction;
    t.how = "construct_ssa";
    elbrus::construct_ssa(t.after, random.one_in(2) ? elbrus::ssa_algorithm::dominance_frontiers
                                                    : elbrus::ssa_algorithm::on_the_fly);
  }
  if (t.unfolding.node_origin.empty()) { // nothing was done
    start(t);
  }
  grow(t);
  name_all(t.after);
  return t;
}

/// Whether the checker accepts, and does not only assume. `View` shows what was edited, or what was read afresh.
template <class View>
bool is_accepted(const transformed& t, const View& before, const View& after, const midend::unfolding_witness& w) {
  if (t.by == checker::unfolding) {
    const auto verdict = midend::verify_unfolding(before, after, w);
    return verdict && verdict.assumed == 0;
  }
  if (t.by == checker::removal) {
    const auto verdict = midend::verify_removal(before, after, t.removal);
    return verdict && verdict.assumed == 0;
  }
  return static_cast<bool>(midend::verify_replacement(before, after, t.replacement));
}

bool is_edited_copy_accepted(const transformed& t, const procedure& after) {
  if (t.by == checker::ssa_construction) {
    return static_cast<bool>(elbrus::verify_ssa_construction(t.before, after));
  }
  midend::unfolding_witness w = t.unfolding;
  w.grow(after.num_nodes(), after.num_edges(), after.num_values());
  return is_accepted(t, elbrus::cost_view(t.before), elbrus::cost_view(after), w);
}

/// The witness with the numbers of programs that were read from text.
midend::unfolding_witness translated(const transformed& t, const procedure& before, const procedure& after) {
  const numbers_by_name old(t.before, before);
  const numbers_by_name now(after, t.after);
  const numbers_by_name back(t.after, after);
  const auto of = [](const auto& table, std::uint32_t i) { return i < table.size() ? table[i] : midend::no_node; };
  midend::unfolding_witness w;
  for (node_id n = 0; n != after.num_nodes(); ++n) {
    w.node_origin.push_back(of(old.node, of(t.unfolding.node_origin, now.node[n])));
  }
  for (edge_id e = 0; e != after.num_edges(); ++e) {
    w.edge_origin.push_back(of(old.edge, of(t.unfolding.edge_origin, now.edge[e])));
  }
  for (value_id v = 0; v != after.num_values(); ++v) {
    const value_id mine = now.value[v];
    w.value_origin.push_back(of(old.value, mine == no_value ? mine : t.unfolding.origin_of_value(mine)));
  }
  for (const midend::merged_node& m : t.unfolding.merged) {
    if (back.node[m.into] != midend::no_node && old.node[m.node] != midend::no_node) {
      w.merged.push_back({back.node[m.into], old.node[m.node]});
    }
  }
  for (midend::dropped_edge d : t.unfolding.dropped) {
    d.node = back.node[d.node];
    d.edge = old.edge[d.edge];
    d.like = d.why == midend::drop_reason::equal_edges          ? of(old.edge, d.like)
             : d.why == midend::drop_reason::constant_condition ? of(back.value, d.like)
                                                                : d.like;
    if (d.node != midend::no_node && d.edge != no_edge) {
      w.dropped.push_back(d);
    }
  }
  return w;
}

bool is_read_afresh_accepted(transformed t, const procedure& before, const procedure& after) {
  if (t.by == checker::unfolding) {
    const midend::unfolding_witness w = translated(t, before, after);
    return is_accepted(t, elbrus::cost_view(before), elbrus::cost_view(after), w);
  }
  const numbers_by_name old(t.before, before);
  midend::replacement_witness same;
  for (const midend::value_replacement& r : t.replacement.same) {
    if (old.value[r.value] != no_value && old.value[r.by] != no_value) {
      same.same.push_back({old.value[r.value], old.value[r.by]});
    }
  }
  t.replacement = same;
  t.removal.ending_loops.clear();
  return is_accepted(t, renumbered_view(before, before), renumbered_view(after, before), t.unfolding);
}

/// Damage to the witness, in addition: claims that fit what was done, and others.
void claim_something(transformed& t, const procedure& after, random_source& random) {
  const auto any = [&](std::size_t count) { return count == 0 ? 0 : random.below(count); };
  midend::unfolding_witness& w = t.unfolding;
  w.grow(after.num_nodes(), after.num_edges(), after.num_values());
  switch (random.below(6)) {
  case 0:
    w.node_origin[any(w.node_origin.size())] = random.one_in(4) ? midend::no_node : any(t.before.num_nodes());
    break;
  case 1:
    if (!w.edge_origin.empty()) {
      w.edge_origin[any(w.edge_origin.size())] = any(t.before.num_edges());
    }
    break;
  case 2:
    if (!w.value_origin.empty()) {
      w.value_origin[any(w.value_origin.size())] = any(t.before.num_values());
    }
    break;
  case 3:
    w.merged.push_back({any(after.num_nodes()), any(t.before.num_nodes())});
    break;
  case 4: { // the edges that are missing
    for (node_id n = 0; n != after.num_nodes(); ++n) {
      const node_id old = w.node_origin[n];
      for (std::size_t i = 0; old != midend::no_node && i != t.before.out_edges(old).size(); ++i) {
        const edge_id e = t.before.out_edges(old)[i];
        bool is_kept = false;
        for (const edge_id f : after.out_edges(n)) {
          is_kept = is_kept || w.edge_origin[f] == e;
        }
        if (!is_kept || random.one_in(50)) {
          const bool is_literal = random.one_in(2);
          w.dropped.push_back(
              {n, e,
               is_literal ? any(after.num_values()) : t.before.out_edges(old)[any(t.before.out_edges(old).size())],
               is_literal ? midend::drop_reason::constant_condition : midend::drop_reason::equal_edges});
        }
      }
    }
    break;
  }
  default:
    t.replacement.same.push_back({any(t.before.num_values()), any(t.before.num_values())});
  }
}

struct tally {
  std::size_t ill_formed = 0;
  std::size_t rejected = 0;
  std::size_t accepted = 0;
};

struct tester {
  std::map<std::string, tally, std::less<>> kinds;
  std::size_t wrong = 0; ///< edits of well-formed programs, each way of showing it to a checker
  std::size_t afresh = 0;
  comparison_counts runs;

  /// Counts a verdict, and runs what was accepted.
  void count(const generated_program& g, std::size_t number, const transformed& t, const procedure& after,
             std::string_view kind, bool is_accepted, std::uint64_t seed) {
    ++wrong;
    tally& row = kinds.find(kind)->second;
    if (!is_accepted) {
      ++row.rejected;
      return;
    }
    ++row.accepted;
    elbrus::program other = g.program;
    other.procedures[number] = after;
    const std::string why = why_wrong(g, other, &runs);
    CHECK_MESSAGE(why.empty(), "seed ", seed, ", ", t.how, ", ", kind, ": ", why, "\n--- transformed\n",
                  elbrus::to_text(t.after));
  }

  /// A changed procedure, to each checker that can see it.
  void show(const generated_program& g, std::size_t number, const transformed& t, const procedure& after,
            std::string_view kind, std::uint64_t seed, random_source& random) {
    kinds.try_emplace(std::string(kind));
    if (!elbrus::verify(after).empty()) {
      ++kinds.find(kind)->second.ill_formed;
      return;
    }
    count(g, number, t, after, kind, is_edited_copy_accepted(t, after), seed);
    transformed other = t;
    claim_something(other, after, random);
    count(g, number, other, after, kind, is_edited_copy_accepted(other, after), seed);
    procedure named = after;
    name_all(named);
    show_text(g, number, t, elbrus::to_text(named), kind, seed);
  }

  void show_text(const generated_program& g, std::size_t number, const transformed& t, const std::string& text,
                 std::string_view kind, std::uint64_t seed) {
    kinds.try_emplace(std::string(kind));
    const elbrus::parse_result after = elbrus::parse(text);
    if (!after.diagnostics.empty() || !elbrus::verify(after.program).empty()) {
      ++kinds.find(kind)->second.ill_formed;
      return;
    }
    if (t.by == checker::ssa_construction) {
      return; // its operations keep their numbers
    }
    const elbrus::parse_result before = elbrus::parse(elbrus::to_text(t.before));
    REQUIRE(before.diagnostics.empty());
    ++afresh;
    count(g, number, t, after.program.procedures[0], kind,
          is_read_afresh_accepted(t, before.program.procedures[0], after.program.procedures[0]), seed);
  }

  /// Makes so many changes to procedures of one program.
  void test(const generated_program& g, std::uint64_t seed, std::size_t changes) {
    random_source random(seed);
    elbrus::program start = g.program;
    if (seed % 5 > 1) {
      elbrus::construct_ssa(start);
    }
    for (std::size_t i = 0; i != changes; ++i) {
      const std::size_t number = random.below(start.procedures.size());
      const transformed t = transform(start.procedures[number], random);
      procedure after = t.after;
      const chooser c{after, random};
      const std::size_t kind = random.below(edits.size() + new_nodes.size() + text_edits.size());
      if (kind < edits.size() + new_nodes.size()) {
        const edit& one = kind < edits.size() ? edits[kind] : new_nodes[kind - edits.size()];
        if (one.make(c)) {
          show(g, number, t, after, one.name, seed, random);
        }
      } else {
        const text_edit& one = text_edits[kind - edits.size() - new_nodes.size()];
        std::string text = elbrus::to_text(after);
        if (one.make(text, random)) {
          show_text(g, number, t, text, one.name, seed);
        }
      }
    }
  }

  void report() const {
    std::size_t used = 0;
    for (const auto& [name, row] : kinds) {
      MESSAGE(name, ": ", row.rejected, " rejected, ", row.accepted, " accepted, ", row.ill_formed, " ill-formed");
      used += row.rejected != 0 ? 1u : 0u;
    }
    MESSAGE(wrong, " changes of ", used, " kinds, ", afresh, " of them read afresh; ", runs.same, " runs the same, ",
            runs.no_verdict, " without verdict");
  }
};

random_program_options for_edits(std::uint64_t seed) {
  random_program_options options = varied(all_flow(), seed);
  options.operations = 10 + seed % 30;
  options.known = seed % 4 == 0 ? 40 : options.known;
  options.traps = seed % 5 == 0;
  options.steps = 2000;
  return options;
}

/// Where a store is gone, which one it was cannot be read from the text.
bool same_numbers_of_unnamed(const procedure& before, const procedure& after) {
  const numbers_by_name numbers(before, after);
  for (node_id n = 0; n != before.num_nodes(); ++n) {
    std::ptrdiff_t difference = 0;
    for (const value_id v : before.values(n)) {
      difference += before.value_name(v).empty() ? 1 : 0;
    }
    const node_id m = numbers.node[n];
    if (m != midend::no_node) {
      for (const value_id v : after.values(m)) {
        difference -= after.value_name(v).empty() ? 1 : 0;
      }
      if (difference != 0) {
        return false;
      }
    }
  }
  return true;
}

} // namespace

TEST_CASE("right transformations are accepted before they are damaged, edited and read afresh") {
  std::map<std::string_view, std::size_t> accepted;
  for (std::uint64_t seed = 0; seed != affordable(300); ++seed) {
    const generated_program g = random_program(seed, for_edits(seed));
    random_source random(seed);
    elbrus::program start = g.program;
    if (seed % 5 > 1) {
      elbrus::construct_ssa(start);
    }
    const transformed t = transform(start.procedures[0], random);
    const bool is_edited = is_edited_copy_accepted(t, t.after);
    CHECK_MESSAGE(is_edited, "seed ", seed, ", ", t.how, "\n", elbrus::to_text(t.before), elbrus::to_text(t.after));
    const elbrus::parse_result before = elbrus::parse(elbrus::to_text(t.before));
    const elbrus::parse_result after = elbrus::parse(elbrus::to_text(t.after));
    REQUIRE(before.diagnostics.empty());
    REQUIRE(after.diagnostics.empty());
    const bool is_afresh = t.by == checker::ssa_construction ||
                           is_read_afresh_accepted(t, before.program.procedures[0], after.program.procedures[0]);
    if (same_numbers_of_unnamed(t.before, t.after)) {
      CHECK_MESSAGE(is_afresh, "seed ", seed, ", ", t.how, "\n", elbrus::to_text(t.before), elbrus::to_text(t.after));
    }
    accepted[t.how] += is_edited && is_afresh ? 1u : 0u;
  }
  CHECK(accepted.size() == 7);
}

TEST_CASE("what a checker accepts after a wrong edit runs as before") {
  tester all;
  for (std::uint64_t seed = 0; seed != affordable(150); ++seed) {
    all.test(random_program(seed, for_edits(seed)), seed, 12);
  }
  all.report();
  CHECK(all.wrong > affordable(1500));
  CHECK(all.kinds.size() >= 40);
}

TEST_CASE("what a checker accepts after one of 100,000 wrong edits runs as before, long" * doctest::skip()) {
  tester all;
  for (std::uint64_t seed = 1'000; all.wrong < 100'000; ++seed) {
    all.test(random_program(seed, for_edits(seed)), seed, 40);
  }
  all.report();
  CHECK(all.kinds.size() >= 40);
}
