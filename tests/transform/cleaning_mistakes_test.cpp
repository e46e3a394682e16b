#include "transform/cleaning_mistakes.hpp"
#include "transform/unrolling_mistakes.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/text/printer.hpp>

// Wrong transformations, each of which the checker of its certificate must reject.

using namespace midend_tests::wrong_cleaning;

namespace {

/// Applies each mistake to a right transformation anew.
template <class World> void reject_all(const std::vector<mistake<World>>& mistakes) {
  {
    const World right;
    const auto verdict = right.verdict();
    CHECK_MESSAGE(verdict, "fault ", static_cast<int>(verdict.fault), " at node ", verdict.node, ", value ",
                  verdict.value, "\n", elbrus::to_text(right.before), elbrus::to_text(right.after));
  }
  for (const mistake<World>& m : mistakes) {
    World wrong;
    m.make(wrong);
    const auto verdict = wrong.verdict();
    CHECK_MESSAGE(verdict.fault == m.expected, m.name, ": fault ", static_cast<int>(verdict.fault), "\n",
                  elbrus::to_text(wrong.after));
  }
}

/// The same of programs in which one word is another.
template <class World>
void reject_all(std::string_view text, const std::vector<midend_tests::wrong_unrolling::other_word>& words) {
  const World right(text);
  CHECK(right.verdict());
  CHECK(right.verdict().proven == right.w.dropped.size());
  for (const auto& word : words) {
    const World wrong(midend_tests::wrong_unrolling::changed(text, word));
    CHECK_MESSAGE(!wrong.verdict(), word.name, "\n", elbrus::to_text(wrong.before), elbrus::to_text(wrong.after));
  }
}

} // namespace

TEST_CASE("verify_removal rejects seeded mistakes") {
  const removal right;
  CHECK(right.after.out_edges(right.node("entry")).size() == 1);
  CHECK(right.after.edge_target(right.out("entry", 0)) == right.node("stay"));
  CHECK(right.after.node(right.node("loop")).erased);
  reject_all(mistakes_of_removal());
}

TEST_CASE("verify_removal counts the loops that only the witness says to end") {
  CHECK(removal().verdict().assumed == 1);
}

TEST_CASE("verify_replacement rejects seeded mistakes") {
  CHECK(replacement().witness.same.size() == 4); // y, p, q, m
  reject_all(mistakes_of_replacement());
}

TEST_CASE("verify_motion rejects seeded mistakes") {
  const motion right;
  CHECK(right.right == 6); // d, x, y, w to entry, v and o to pre
  CHECK(right.after.value(right.value("d")).node == right.node("entry"));
  CHECK(right.after.value(right.value("v")).node == right.node("pre"));
  CHECK(right.after.value(right.value("w")).node == right.node("entry"));
  CHECK(!right.after.value(right.value("w")).flags.nsw);
  CHECK(right.after.value(right.value("g")).node == right.node("calls"));
  reject_all(mistakes_of_motion());
}

TEST_CASE("verify_untaken_exits rejects seeded mistakes") {
  using namespace midend_tests::wrong_unrolling;
  CHECK(exits(with_untaken_exits).w.dropped.size() == 2);
  reject_all<exits>(with_untaken_exits, mistakes_of_exits());
}

TEST_CASE("verify_implied_branches rejects seeded mistakes") {
  using namespace midend_tests::wrong_unrolling;
  CHECK(branches(with_implied_branches).w.dropped.size() == 6);
  reject_all<branches>(with_implied_branches, mistakes_of_branches());
}
