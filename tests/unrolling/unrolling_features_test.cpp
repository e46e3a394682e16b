// What a loop has that makes forms of it worth a try.
#include "kit/parsed_procedure.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/extract_loop.hpp>
#include <midend/induction/plain_trip_counter.hpp>
#include <midend/ir/evaluate.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/unrolling/detail/unrolling_features.hpp>

#include <cstdint>
#include <optional>

using namespace midend_tests;

namespace {

/// An IR whose literals have the bits of their sign above their width.
struct signed_literals : midend::elbrus::cost_view {
  using cost_view::cost_view;

  std::optional<std::uint64_t> constant(midend::value_id v) const {
    const std::optional<std::uint64_t> c = cost_view::constant(v);
    const unsigned width = operation(v).width;
    return c ? std::optional(static_cast<std::uint64_t>(midend::as_signed(*c, width))) : c;
  }
};

} // namespace

TEST_CASE("unrolling features: a counter passes a number, whatever is above the width of that") {
  const parsed_procedure parsed(
      "proc @f(%n: i8, %p: ptr) {\n  node entry:\n    br loop\n  node loop:\n    %i = phi.i8 [entry: 0], [latch: %j]\n"
      "    %c = cmp.eq.i8 %i, -2\n    br %c ? rare : latch\n  node rare:\n    st.i8 %i, [%p]\n    br latch\n"
      "  node latch:\n    %j = sub.i8 %i, 1\n    %q = cmp.ne.i8 %j, %n\n    br %q ? loop : exit\n  node exit:\n"
      "    ret\n}\n");
  const signed_literals ir(parsed.procedure());
  const auto found = midend::dominators_and_loops(parsed.procedure());
  midend::plain_trip_counter_workspace counting;
  const midend::plain_trip_counter counter(ir, found.loops, counting);
  midend::extract_loop_workspace extracting;
  midend::extracted_loop x;
  midend::extract_loop(ir, found.dominators, found.loops, 0, extracting, x);
  midend::detail::unrolling_features features;
  midend::detail::read_features(x, counter.evolutions(), 0, features);
  REQUIRE(features.comparisons.size() == 1);
  CHECK(features.comparisons[0].width == 8);
  CHECK(!features.comparisons[0].passes_after(1));
  CHECK(features.comparisons[0].passes_after(2));
  CHECK(features.comparisons[0].passes_after(3)); // it was -2
  CHECK(!features.comparisons[0].passes_after(4));
}
