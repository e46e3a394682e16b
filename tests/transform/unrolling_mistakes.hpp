/// Exits and branches that are wrongly said to be decided, each of which the checker of its certificate must reject.
#pragma once

#include "transform/cleaning_mistakes.hpp"

#include <midend/elbrus/views/cost_view.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/package/control_canonicalization.hpp>
#include <midend/package/verify_implied_branches.hpp>
#include <midend/transform/unfolding.hpp>
#include <midend/transform/untaken_exits.hpp>
#include <midend/transform/verify_untaken_exits.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace midend_tests::wrong_unrolling {

using namespace wrong_cleaning;

// Edges that are said to be never taken. The plan is of another program: this one has one word that is another.

/// What is replaced in the text of a program, once.
struct other_word {
  std::string_view name;
  std::string_view from;
  std::string_view to;
};

inline std::string changed(std::string_view text, const other_word& word) {
  std::string out(text);
  const std::size_t at = out.find(word.from);
  REQUIRE_MESSAGE(at != std::string::npos, word.name);
  REQUIRE_MESSAGE(out.find(word.from, at + 1) == std::string::npos, word.name);
  return out.replace(at, word.from.size(), word.to);
}

/// Makes jumps of branches by the edges of a plan for `planned`, in the program `text`.
template <class Plan> struct decided_wrongly {
  elbrus::procedure before;
  elbrus::procedure after;
  midend::unfolding_witness w;

  decided_wrongly(std::string_view planned, std::string_view text, const Plan& plan)
      : before(program_of(text).procedures[0]), after(before) {
    const elbrus::procedure right = program_of(planned).procedures[0];
    REQUIRE(right.num_edges() == before.num_edges());
    elbrus::editor e(after);
    midend::unfolding<elbrus::editor> u(e);
    for (const edge_id kept : plan(right)) {
      u.keep_edge(kept, midend::drop_reason::assumed);
    }
    w = u.take_witness();
  }
};

// Exits.

/// Two loops that were unrolled by two, of 12 and of 20 iterations.
inline constexpr std::string_view with_untaken_exits = R"(
proc @f(%n: i32, %k: i32, %c: i1) -> i32 {
  node entry:
    br up
  node up:
    %i = phi.i32 [entry: 0], [up2: %i2]
    %s = phi.i32 [entry: %k], [up2: %s2]
    %s1 = add.i32 %s, %i
    %i1 = add.i32 %i, 1
    %more = cmp.lt.i32 %i1, 12
    br %more ? up2 : between
  node up2:
    %s2 = mul.i32 %s1, %i1
    %i2 = add.i32 %i1, 1
    %more2 = cmp.lt.i32 %i2, 12
    br %more2 ? up : between
  node between:
    %t = phi.i32 [up: %s1], [up2: %s2]
    br down
  node down:
    %j = phi.i32 [between: 20], [down2: %j2]
    %t1 = phi.i32 [between: %t], [down2: %t2]
    %j1 = sub.i32 %j, 1
    %left = cmp.ne.i32 %j1, 0
    br %left ? down2 : after
  node down2:
    %t2 = xor.i32 %t1, %j1
    %j2 = sub.i32 %j1, 1
    %left2 = cmp.ne.i32 %j2, 0
    br %left2 ? down : after
  node after:
    %r = phi.i32 [down: %j1], [down2: %t2]
    ret %r
}
)";

inline std::vector<edge_id> planned_exits(const elbrus::procedure& p) {
  std::vector<edge_id> kept;
  const auto plan = midend::plan_untaken_exits(elbrus::cost_view(p), midend::dominators_and_loops(p).loops);
  for (const midend::untaken_exit& x : plan.exits) {
    kept.push_back(x.kept);
  }
  return kept;
}

inline std::vector<other_word> mistakes_of_exits() {
  return {
      {"an odd bound", "%i1, 12", "%i1, 11"},
      {"a bound of the last test that is larger", "%i2, 12", "%i2, 14"},
      {"another start", "[entry: 0]", "[entry: 1]"},
      {"a start that is not known", "[entry: 0]", "[entry: %n]"},
      {"another step", "%i1 = add.i32 %i, 1", "%i1 = add.i32 %i, 4"},
      {"a copy that does not step", "%i2 = add.i32 %i1, 1", "%i2 = add.i32 %i1, 0"},
      {"a bound that is not known", "%i1, 12", "%i1, %n"},
      {"a test of another value", "%more = cmp.lt.i32 %i1", "%more = cmp.lt.i32 %n"},
      {"the opposite comparison", "%more = cmp.lt", "%more = cmp.gt"},
      {"a comparison for equality that is met", "%more = cmp.lt.i32 %i1, 12", "%more = cmp.ne.i32 %i1, 11"},
      {"the edges of a test are exchanged", "br %more ? up2 : between", "br %more ? between : up2"},
      {"a bound of the last test that is not known", "%i2, 12", "%i2, %n"},
      {"a last test that does not leave in time", "%more2 = cmp.lt.i32 %i2, 12", "%more2 = cmp.le.i32 %i2, 2147483647"},
      {"what goes around is no counter", "[up2: %i2]", "[up2: %s2]"},
      {"a bound that is met at once", "%i1, 12", "%i1, 0"},
      {"a value for equality that is met", "%j1, 0", "%j1, 3"},
      {"an odd start", "[between: 20]", "[between: 21]"},
      {"another start that is not known", "[between: 20]", "[between: %n]"},
      {"a step that meets the value", "%j1 = sub.i32 %j, 1", "%j1 = sub.i32 %j, 2"},
      {"equal for not equal", "%left = cmp.ne", "%left = cmp.eq"},
      {"another copy that does not step", "%j2 = sub.i32 %j1, 1", "%j2 = sub.i32 %j1, 0"},
      {"another test of another value", "%left = cmp.ne.i32 %j1", "%left = cmp.ne.i32 %k"},
      {"the edges of the other test are exchanged", "br %left ? down2 : after", "br %left ? after : down2"},
      {"what goes around is not known", "[down2: %j2]", "[down2: %n]"},
  };
}

/// What the checker says of exits that were planned for the program as it should be.
struct exits : decided_wrongly<std::vector<edge_id> (*)(const elbrus::procedure&)> {
  explicit exits(std::string_view text) : decided_wrongly(with_untaken_exits, text, planned_exits) {}

  midend::untaken_exits_verdict verdict() const { return midend::verify_untaken_exits(elbrus::cost_view(before), w); }
};

// Branches.

/// Branches on values that a branch before them has decided.
inline constexpr std::string_view with_implied_branches = R"(
proc @f(%a: ptr, %n: i32, %k: i32, %c: i1) -> i32 {
  node entry:
    %x = cmp.lt.i32 %n, 3
    %y = cmp.lt.i32 %k, 3
    br %x ? one : two
  node one:
    call @note(%n)
    br %x ? three : four
  node two:
    br %x ? four : five
  node three:
    switch.i32 %k [1: case1], [2: case2], default: rest
  node case1:
    switch.i32 %k [1: last1], [3: last2], default: last3
  node case2:
    br %y ? last1 : last2
  node rest:
    call @note(%k)
    br last2
  node four:
    br last3
  node five:
    br %c ? six : seven
  node six:
    br %c ? last2 : last3
  node seven:
    br %y ? eight : nine
  node eight:
    br %c ? last1 : last2
  node nine:
    st.i32 %k, [%a] alias=A
    br last3
  node last1:
    br last
  node last2:
    br last
  node last3:
    br last
  node last:
    %r = phi.i32 [last1: 1], [last2: 2], [last3: 3]
    ret %r
}
)";

inline std::vector<edge_id> planned_branches(const elbrus::procedure& p) {
  std::vector<edge_id> kept;
  const elbrus::cost_view view(p);
  midend::control_workspace workspace;
  midend::detail::implied_branches<elbrus::cost_view>(view, workspace).run([&](edge_id e) { kept.push_back(e); });
  return kept;
}

inline std::vector<other_word> mistakes_of_branches() {
  return {
      {"another condition", "br %x ? three : four", "br %y ? three : four"},
      {"another condition on the other side", "br %x ? four : five", "br %y ? four : five"},
      {"another condition after a switch", "br %c ? last2 : last3", "br %x ? last2 : last3"},
      {"another condition, two branches below", "br %c ? last1 : last2", "br %y ? last1 : last2"},
      {"the decision is about something else", "br %x ? one : two", "br %y ? one : two"},
      {"the decision is about something else, further down", "br %c ? six : seven", "br %y ? six : seven"},
      {"the edges of the decision are exchanged", "br %x ? one : two", "br %x ? two : one"},
      {"the edges of another decision are exchanged", "br %c ? six : seven", "br %c ? seven : six"},
      {"another case of the decision", "[1: case1]", "[3: case1]"},
      {"another case", "[1: last1]", "[4: last1]"},
      {"a switch on another value", "switch.i32 %k [1: last1]", "switch.i32 %n [1: last1]"},
      {"the decision by a switch on another value", "switch.i32 %k [1: case1]", "switch.i32 %n [1: case1]"},
      {"the decision is about a third value", "br %x ? one : two", "br %c ? one : two"},
      {"the cases of the decision are exchanged", "[1: case1], [2: case2]", "[2: case1], [1: case2]"},
      {"the cases are exchanged", "[1: last1], [3: last2]", "[3: last1], [1: last2]"},
      {"another way into a case", "node four:\n    br last3", "node four:\n    br case1"},
      {"another way into the first side", "node four:\n    br last3", "node four:\n    br one"},
      {"another way into the second side", "node four:\n    br last3", "node four:\n    br two"},
      {"another way into a side further down", "node four:\n    br last3", "node four:\n    br seven"},
      {"a way back", "alias=A\n    br last3", "alias=A\n    br six"},
      {"a way from the other side", "alias=A\n    br last3", "alias=A\n    br one"},
      {"both edges of the decision", "br %c ? six : seven", "br %c ? six : six"},
  };
}

struct branches : decided_wrongly<std::vector<edge_id> (*)(const elbrus::procedure&)> {
  explicit branches(std::string_view text) : decided_wrongly(with_implied_branches, text, planned_branches) {}

  midend::implied_branches_verdict verdict() const {
    return midend::verify_implied_branches(elbrus::cost_view(before), w);
  }
};

} // namespace midend_tests::wrong_unrolling
