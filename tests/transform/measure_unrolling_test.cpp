// Prediction against deed: advices are carried out, and what is left is what was predicted.
#include "kit/parsed_procedure.hpp"
#include "kit/random_programs.hpp"
#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/transform.hpp>
#include <midend/transform/measure_unrolling.hpp>
#include <midend/unrolling/advise_unrolling.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

elbrus::cost_view cost_of(const elbrus::editor& e) {
  return elbrus::cost_view(e.graph());
}

struct counts {
  std::size_t loops = 0;
  std::size_t operations = 0; ///< as predicted
  std::size_t intervals = 0;
  std::size_t items = 0; ///< all
  std::map<std::string, std::size_t> obstacles;
  std::map<std::string, std::size_t> differing; ///< by opcode of the first value with another number of operations
};

} // namespace

TEST_CASE("probe") {
  counts all;
  const auto machine = midend::e2k_reference_v6();
  for_each_random_program(1000, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    for (std::size_t i = 0; i != g.program.procedures.size(); ++i) {
      elbrus::procedure p = g.program.procedures[i];
      if (!p.variables().empty()) {
        elbrus::construct_ssa(p);
      }
      for (int round = 0; round != 2; ++round) {
        elbrus::editor cleaner(p);
        midend::realise_unrolling(cleaner, cost_of);
      }
      const auto loops = midend::dominators_and_loops(p).loops;
      for (const midend::loop_id l : loops.loops()) {
        midend::unrolling_options options;
        options.forced_factor = std::array{0u, 2u, 4u, 3u}[seed % 4];
        const auto advice = advise_unrolling(elbrus::cost_view(p), loops, l, machine, options);
        if (advice.obstacle != midend::unrolling_obstacle::none) {
          ++all.obstacles[std::string("advice ") + name_of(advice.obstacle)];
          continue;
        }
        elbrus::procedure copy = p;
        elbrus::editor e(copy);
        const auto deed = midend::measure_unrolling(e, cost_of, advice, machine, options.lowering);
        if (deed.obstacle != midend::deed_obstacle::none) {
          std::string k = std::string(name_of(deed.obstacle)) + " " + name_of(advice.decision().kind);
          if (deed.obstacle == midend::deed_obstacle::refused) {
            if (auto r = remainder_request_of(advice)) {
              auto plan = midend::plan_unroll_with_remainder(elbrus::cost_view(p), loops, std::array{*r});
              k += plan.refused.empty() ? " late" : " reason " + std::to_string((int)plan.refused[0].reason);
            }
          } else if (deed.obstacle == midend::deed_obstacle::no_loop_left &&
                     advice.decision().kind != midend::unrolling_kind::full && all.loops < 400)
            MESSAGE(seed, " @", std::string(p.name()), " ", std::string(p.node_name(advice.header)), " ", k);
          ++all.obstacles[k];
          continue;
        }
        elbrus::program after = g.program;
        after.procedures[i] = copy;
        const std::string wrong = why_wrong(g, after);
        CHECK_MESSAGE(wrong.empty(), seed, "\n", wrong);
        ++all.loops;
        const auto& c = deed.comparison;
        all.operations += c.differs_in(midend::body_item::operations) ? 0u : 1u;
        all.intervals += c.differs_in(midend::body_item::interval) ? 0u : 1u;
        all.items += c.is_equal() ? 1u : 0u;
        if (!c.is_as_predicted()) {
          for (const auto& o : c.operations) {
            const std::string what =
                o.origin == midend::no_value ? "sum" : std::string(elbrus::info_of(p.value(o.origin).code).name);
            ++all.differing[what + (o.predicted < o.there ? " more" : " fewer")];
          }
          if (const char* want = std::getenv("SEED"); want && std::to_string(seed) == want) {
            for (auto n : loops.blocks(l))
              MESSAGE(p.node_name(n));
            MESSAGE(elbrus::to_text(p), "\n----\n", elbrus::to_text(copy));
          }
          std::string list;
          for (const auto& o : c.operations) {
            list += " " +
                    (o.origin == midend::no_value ? std::string("sum")
                                                  : std::string(elbrus::info_of(p.value(o.origin).code).name)) +
                    ":" + std::to_string(o.predicted) + "/" + std::to_string(o.there);
          }
          if (all.loops < 400)
            MESSAGE(list, " || ", seed, " @", p.name(), " ", p.node_name(advice.header), " ",
                    std::string(name_of(advice.decision().kind)), " ", advice.decision().factor, " ",
                    c.predicted.operations, " ", c.there.operations);
        }
      }
    }
  });
  MESSAGE("loops ", all.loops, " operations ", all.operations, " II ", all.intervals, " all ", all.items);
  for (const auto& [k, v] : all.obstacles)
    MESSAGE(k, ": ", v);
  for (const auto& [k, v] : all.differing)
    MESSAGE(k, ": ", v);
}
