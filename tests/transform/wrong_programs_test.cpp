// What finds wrong transformations: the checkers of certificates, the verifier of the IR, or a run. The table is in
// docs/certificates.md.
#include "transform/wrong_programs.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/verify/verifier.hpp>

#include <cstddef>
#include <map>
#include <string_view>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

struct layers {
  std::size_t seeded = 0;
  std::size_t by_certificate = 0;
  std::size_t by_verifier = 0;
  std::size_t by_runs = 0;    ///< of those that the verifier accepts
  std::size_t by_neither = 0; ///< of these two
};

} // namespace

TEST_CASE("seeded mistakes by what finds them") {
  std::map<std::string_view, layers> table;
  for_each_wrong_program([&](const wrong_program& p) {
    CHECK_MESSAGE(p.is_rejected, p.certificate, ": ", p.name);
    layers& row = table[p.certificate];
    const bool is_ill_formed = !elbrus::verify(p.after).empty();
    const bool differs = !is_ill_formed && runs_differ(p.before, p.after);
    ++row.seeded;
    row.by_certificate += p.is_rejected ? 1u : 0u;
    row.by_verifier += is_ill_formed ? 1u : 0u;
    row.by_runs += differs ? 1u : 0u;
    row.by_neither += is_ill_formed || differs ? 0u : 1u;
  });
  for (const auto& [certificate, row] : table) {
    MESSAGE(certificate, ": ", row.seeded, " seeded, ", row.by_certificate, " rejected by the certificate, ",
            row.by_verifier, " by the verifier, ", row.by_runs, " more by runs, ", row.by_neither, " by neither");
    CHECK(row.seeded >= 20);
    CHECK(row.by_certificate == row.seeded);
    CHECK(row.by_verifier + row.by_runs < row.seeded); // so that certificates are good for something
  }
  CHECK(table.size() == 10);
  CHECK(!wrong_facts::solved().error());
  const wrong_memory::memory_world right; // inputs keep the promises of its alias classes
  CHECK(!runs_differ(right.before, right.after));
}
