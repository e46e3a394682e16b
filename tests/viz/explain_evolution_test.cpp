// Evolutions in words.
#include <doctest/doctest.h>
#include <midend/viz/explain_evolution.hpp>

#include <string>

using midend::evolution;
using midend::evolution_obstacle;
using midend::linear_form;
using midend::number_reading;

namespace {

linear_form form_of(std::uint64_t constant, midend::value_id v, std::uint64_t by, unsigned width = 8,
                    number_reading reading = number_reading::low_bits) {
  linear_form f = linear_form::zero(width);
  CHECK(f.add(constant));
  CHECK(f.add(v, by, reading));
  return f;
}

std::string said(const evolution& e) {
  return midend::explain_evolution(e, midend::numbered_values());
}

} // namespace

TEST_CASE("explain_evolution: sums, chains and powers") {
  evolution e = evolution::constant(0, form_of(253, 1, 2));
  CHECK(said(e) == "2*v1 - 3");
  e.coefficients[1] = form_of(0, 2, 255, 8, number_reading::as_signed);
  e.coefficients[2] = form_of(128, 2, 0);
  e.degree = 2;
  CHECK(said(e) == "{2*v1 - 3, +, -sext(v2), +, -128}");
  e.ratio = 3;
  e.scale = form_of(1, 4, 1);
  CHECK(said(e) == "{2*v1 - 3, +, -sext(v2), +, -128} + (v4 + 1)*3^k");
  evolution power = evolution::constant(0, linear_form::zero(8));
  power.ratio = 255;
  power.scale = form_of(1, 0, 0);
  CHECK(said(power) == "(-1)^k");
  power.scale = form_of(0, 5, 7);
  CHECK(said(power) == "7*v5*(-1)^k");
  CHECK(said(evolution::constant(0, linear_form::zero(64))) == "0");
  CHECK(said(evolution::unknown(0, evolution_obstacle::may_wrap)) == "unknown: extended, and it may wrap");
}

TEST_CASE("explain_evolution: how often loops run") {
  const auto trips_of = [](midend::trip_count_kind kind, bool has_formula) {
    midend::loop_trips t;
    t.count = {kind, 12, 1};
    t.has_formula = has_formula;
    t.backedges = form_of(255, 3, 1);
    return midend::loop_trips_text(t, midend::numbered_values());
  };
  using enum midend::trip_count_kind;
  CHECK(trips_of(exact, false) == "12 backedges");
  CHECK(trips_of(at_most, false) == "at most 12 backedges");
  CHECK(trips_of(at_most, true) == "v3 - 1 backedges, modulo 2^8, at most 12 backedges");
  CHECK(trips_of(unknown, true) == "v3 - 1 backedges, modulo 2^8");
  CHECK(trips_of(endless, false) == "endless");
  CHECK(trips_of(unknown, false) == "unknown");
}
