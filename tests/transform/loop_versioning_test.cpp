// Loop versioning: comparisons of addresses choose a copy of a loop in which accesses do not meet.
#include "kit/parsed_procedure.hpp"
#include "kit/run_text.hpp"
#include "transform/versioning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::versioning_fault;
using midend::versioning_obstacle;

namespace {

/// A loop that copies bytes or words from b to a and adds something, guarded against no iterations.
struct copy_loop {
  std::string type = "i8";  ///< of the elements
  std::string bytes = "1";  ///< of the scale
  int start = 0;            ///< counts from here up to n, or down from n - 1
  bool is_down = false;
  std::string a_offset = "";
  std::string b_offset = "";

  std::string text() const {
    const std::string first = is_down ? "%last" : std::to_string(start);
    const std::string step = is_down ? "-1" : "1";
    const std::string test = is_down ? "cmp.ge.i64 %i1, 0" : "cmp.lt.i64 %i1, %n";
    return "proc @f(%a: ptr, %b: ptr, %n: i64) {\n  node entry:\n    %g = cmp.gt.i64 %n, " + std::to_string(start) +
           "\n    br %g ? before : exit\n  node before:\n    %last = sub.i64 %n, 1\n    br loop\n  node loop:\n" +
           "    %i = phi.i64 [before: " + first + "], [loop: %i1]\n    %v = ld." + type + " [%b + %i*" + bytes +
           b_offset + "]\n    %w = add." + type + " %v, 3\n    st." + type + " %w, [%a + %i*" + bytes + a_offset +
           "]\n    %i1 = add.i64 %i, " + step + "\n    %q = " + test +
           "\n    br %q ? loop : exit\n  node exit:\n    ret\n}\n";
  }
};

elbrus::procedure first_of(const std::string& text) {
  return program_of(text).procedures[0];
}

} // namespace

TEST_CASE("loop versioning: a copy for arrays that do not meet, all overlaps") {
  for (const bool down : {false, true}) {
    for (const int start : {0, 2}) {
      copy_loop c;
      c.is_down = down;
      c.start = start;
      if (down && start != 0) {
        continue;
      }
      const elbrus::procedure p = first_of(c.text());
      const versioned_procedure x = with_versions(p);
      REQUIRE_MESSAGE(x.classes.loops.size() == 1, elbrus::to_text(p));
      CHECK(x.verdict().pairs == 1);
      const elbrus::program before = program_with(x.before);
      const elbrus::program after = program_with(x.after);
      elbrus::interpreter old(before);
      elbrus::interpreter now(after);
      std::size_t apart = 0;
      std::size_t held = 0;
      for (std::int64_t n = -1; n != 7; ++n) {
        for (std::int64_t a = 0; a != 16; ++a) {
          for (std::int64_t b = 0; b != 16; ++b) {
            const auto wanted = run_with_places(old, {a, b}, 24, {n});
            const auto found = run_with_places(now, {a, b}, 24, {n});
            REQUIRE(!wanted.trap);
            REQUIRE_MESSAGE(!found.trap, elbrus::to_text(after.procedures, *found.trap));
            CHECK(elbrus::compare_runs(wanted, found).verdict == elbrus::run_verdict::same);
            const std::int64_t first = start;
            const bool runs = n > start;
            const bool is_apart = runs && (a + n <= b + first || b + n <= a + first);
            apart += is_apart ? 1u : 0u;
            held += entered(x, found);
            CHECK((entered(x, found) == 1) == is_apart); // exact: neither more nor less
          }
        }
      }
      CHECK(apart == held);
      CHECK(held > 100);
    }
  }
}

TEST_CASE("loop versioning: the text of the copy, and it is read again") {
  const versioned_procedure x = with_versions(first_of(copy_loop().text()));
  const std::string text = elbrus::to_text(x.after);
  MESSAGE(text);
  const auto again = elbrus::parse(text);
  REQUIRE(again.diagnostics.empty());
  CHECK(elbrus::difference(x.after, again.program.procedures[0]).empty());
  CHECK(elbrus::to_text(again.program.procedures[0]) == text);
}
