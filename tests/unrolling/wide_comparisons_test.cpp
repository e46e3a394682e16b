// Comparisons whose results are wider than a bit, as those of QBE and WebAssembly: trip counts and advice are the same.
#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/viz/unrolling.hpp>

#include <cstdint>
#include <string>
#include <string_view>

using namespace midend::elbrus;
using midend::operation;
using midend::operation_info;
using midend::unrolling_advice;
using midend::value_id;

namespace {

/// A procedure in which the results of comparisons have this many bits.
struct wide_view : cost_view {
  unsigned comparison_width;

  wide_view(const procedure& p, unsigned width) : cost_view(p), comparison_width(width) {}

  operation_info operation(value_id v) const {
    operation_info info = cost_view::operation(v);
    if (midend::is_comparison(info.code)) {
      info.width = static_cast<std::uint8_t>(comparison_width);
    }
    return info;
  }
};

struct advised {
  program source;
  unrolling_advice advice;
  std::string text;

  advised(std::string_view program_text, unsigned width,
          const midend::machine_model& machine = midend::e2k_reference_v6()) {
    parse_result parsed = parse(program_text);
    REQUIRE(parsed.diagnostics.empty());
    source = std::move(parsed.program);
    const procedure& p = source.procedures[0];
    const auto forest = midend::natural_loops(p, midend::dominators(p));
    REQUIRE(forest.num_loops() == 1);
    advice = midend::advise_unrolling(wide_view(p, width), forest, 0, machine);
    REQUIRE(advice.obstacle == midend::unrolling_obstacle::none);
    text = midend::to_text(advice, machine);
  }
};

// Counted by a number; a data-dependent exit; a select by a comparison; a branch within the loop.
constexpr std::string_view loops[] = {
    R"(proc @count(%p: ptr) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %next]
    %s = phi.i32 [entry: 0], [loop: %sum]
    %x = ld.i32 [%p + %i*4]
    %sum = add.i32 %s, %x
    %next = add.i32 %i, 1
    %more = cmp.lt.i32 %next, 100
    br %more ? loop : exit
  node exit:
    ret %sum
}
)",
    R"(proc @search(%p: ptr, %n: i32, %key: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [latch: %next]
    %x = ld.i32 [%p + %i*4]
    %found = cmp.eq.i32 %x, %key
    br %found ? exit : latch
  node latch:
    %next = add.i32 %i, 1
    %more = cmp.lt.i32 %next, %n
    br %more ? loop : exit
  node exit:
    ret %i
}
)",
    R"(proc @largest(%p: ptr, %n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %next]
    %m = phi.i32 [entry: 0], [loop: %new]
    %x = ld.i32 [%p + %i*4]
    %is_more = cmp.gt.i32 %x, %m
    %new = select.i32 %is_more, %x, %m
    %next = add.i32 %i, 1
    %done = cmp.ge.i32 %next, %n
    br %done ? exit : loop
  node exit:
    ret %new
}
)",
    R"(proc @halves() -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [latch: %next]
    %s = phi.i32 [entry: 0], [latch: %sum]
    %odd = and.i32 %i, 1
    %is_odd = cmp.ne.i32 %odd, 0
    br %is_odd ? plus : latch
  node plus:
    %t = add.i32 %s, %i
    br latch
  node latch:
    %sum = phi.i32 [loop: %s], [plus: %t]
    %next = add.i32 %i, 1
    %more = cmp.ult.i32 %next, 24
    br %more ? loop : exit
  node exit:
    ret %sum
}
)",
};

} // namespace

TEST_CASE("comparisons of 8, 32 and 64 bits: the advice is that of comparisons of a bit") {
  for (const std::string_view program_text : loops) {
    CAPTURE(program_text);
    for (const midend::machine_model& machine : {midend::e2k_reference_v6(), midend::scalar_core()}) {
      const advised narrow(program_text, 1, machine);
      CHECK(narrow.advice.candidates.size() > 1);
      for (const unsigned width : {8u, 32u, 64u}) {
        CAPTURE(width);
        const advised wide(program_text, width, machine);
        CHECK(wide.text == narrow.text);
        CHECK(wide.advice.counts.trip.kind == narrow.advice.counts.trip.kind);
        CHECK(wide.advice.counts.trip.header_executions() == narrow.advice.counts.trip.header_executions());
      }
    }
  }
}
