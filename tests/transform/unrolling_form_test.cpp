#include <midend/transform/unrolling_form.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>

namespace {

using midend::remainder_placement;
using midend::unrolling_form;
using midend::unrolling_kind;

constexpr auto largest = ~std::uint32_t{0};

} // namespace

TEST_CASE("copies of a form, by what the transformations do with it") {
  const unrolling_form rolled;
  CHECK(rolled.num_copies() == 1);
  CHECK(rolled.iterations_in_pass() == 0);
  const unrolling_form full{unrolling_kind::full, 7};
  CHECK((full.num_copies() == 7 && full.num_peeled() == 6 && !full.has_limit()));
  const unrolling_form peel{unrolling_kind::peel, 7};
  CHECK((peel.num_copies() == 8 && peel.num_peeled() == 7 && !peel.has_limit())); // with the loop that is peeled
  CHECK(unrolling_form{unrolling_kind::peel, largest}.num_copies() == largest);
  for (const auto place : {remainder_placement::none, remainder_placement::mid_exit}) {
    const unrolling_form copies{unrolling_kind::partial, 4, place};
    CHECK((copies.num_copies() == 4 && copies.num_peeled() == 0 && !copies.has_limit()));
    CHECK(copies.iterations_in_pass() == 0);
  }
  const unrolling_form after{unrolling_kind::partial, 4, remainder_placement::epilogue};
  CHECK((after.has_limit() && !after.is_prologue() && after.iterations_in_pass() == 4));
  const unrolling_form before{unrolling_kind::partial, 4, remainder_placement::prologue};
  CHECK((before.has_limit() && before.is_prologue() && before.iterations_in_pass() == 1));
  const unrolling_form last{unrolling_kind::peel_last};
  CHECK((last.has_limit() && !last.is_prologue() && last.iterations_in_pass() == 1));
  CHECK(last.num_copies() == 1);
  for (const std::uint32_t factor : {0u, 1u}) { // there are no passes of one iteration
    CHECK(unrolling_form{unrolling_kind::partial, factor, remainder_placement::epilogue}.iterations_in_pass() == 0);
    CHECK(unrolling_form{unrolling_kind::partial, factor, remainder_placement::prologue}.iterations_in_pass() == 0);
  }
}

TEST_CASE("a remainder is a part of partial unrolling alone") {
  for (const auto kind : {unrolling_kind::none, unrolling_kind::full, unrolling_kind::peel}) {
    CHECK(!unrolling_form{kind, 4, remainder_placement::epilogue}.has_limit());
    CHECK(!unrolling_form{kind, 4, remainder_placement::prologue}.is_prologue());
  }
}

TEST_CASE("kinds and places have names of their own") {
  std::set<std::string> names;
  for (std::size_t k = 0; k != midend::num_unrolling_kinds; ++k) {
    names.insert(name_of(static_cast<unrolling_kind>(k)));
  }
  CHECK(names.size() == midend::num_unrolling_kinds);
  CHECK(std::string(name_of(remainder_placement::mid_exit)) == "mid_exit");
  CHECK(std::string(name_of(unrolling_kind::peel_last)) == "peel_last");
}
