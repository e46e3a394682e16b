#include "ssa/congruence_mistakes.hpp"

#include <doctest/doctest.h>

// Wrong results of value numbering, each of which the checker must reject.

using namespace midend_tests::wrong_congruence;

TEST_CASE("verify_congruence rejects seeded mistakes") {
  CHECK(!numbered().error());
  CHECK(numbered().found.constant(numbered().before.value("d")) == 0u);
  for (const mistake& m : mistakes()) {
    numbered wrong;
    m.make(wrong);
    const midend::congruence_error error = wrong.error();
    CHECK_MESSAGE(error.fault == m.expected, m.name, ": fault ", static_cast<int>(error.fault), ", value ", error.value,
                  ", other ", error.other);
  }
}
