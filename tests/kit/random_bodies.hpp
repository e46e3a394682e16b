// Random loop bodies for machines, and a machine that is described by text only.
#pragma once

#include "kit/test_graph.hpp"

#include <midend/machine/dependence_graph.hpp>
#include <midend/machine/machine_file.hpp>
#include <midend/machine/machine_model.hpp>

#include <algorithm>
#include <cstdint>

namespace midend_tests {

inline midend::operation_class random_class(random_source& random, bool wide) {
  using enum midend::operation_class;
  constexpr midend::operation_class everywhere[] = {
      alu,   alu,    alu,  shift, load,           load,        load,  compare,
      store, fp_add, move, store, integer_divide, fp_multiply, merge, integer_multiply};
  constexpr midend::operation_class only_wide[] = {combined_alu, fused_multiply_add, array_read, predicate_logic};
  return wide && random.one_in(6) ? only_wide[random.below(4)] : everywhere[random.below(16)];
}

/// Operations read earlier results, mostly near ones; some recurrences lead back.
inline midend::dependence_graph random_body(random_source& random, const midend::machine_model& m, bool wide,
                                            std::uint32_t count, std::uint32_t most_back = 4) {
  midend::dependence_graph g;
  for (std::uint32_t o = 0; o != count; ++o) {
    g.add_operation(m, random_class(random, wide));
    for (std::uint32_t uses = o == 0 ? 0 : random.below(3); uses != 0; --uses) {
      const std::uint32_t from = o - 1 - random.below(std::min<std::uint32_t>(o, 8));
      if (g.operation(from).kind != midend::operation_class::store) {
        g.add_dependence(m, from, o, midend::dependence_kind::value, 0);
      }
    }
  }
  for (std::uint32_t back = most_back == 0 ? 0 : random.below(most_back); back != 0; --back) {
    const midend::operation_id from = random.below(count);
    const midend::operation_id to = random.below(from + 1);
    const bool stores = g.operation(from).kind == midend::operation_class::store;
    g.add_dependence(m, from, to, stores ? midend::dependence_kind::memory : midend::dependence_kind::value,
                     1 + random.below(2));
  }
  return g;
}

/// Two clusters of two channels, one multiplier that blocks for two cycles, a divider that blocks for seven, one port
/// for memory, and a class that excludes another.
inline midend::machine_model clustered_machine() {
  constexpr char text[] = R"(machine clustered
channels = A0 A1 B0 B1 # assumed
resource PORT = 1 # assumed
resource LIT32 = 2 # assumed
class alu channels = A0 A1 B0 B1 # assumed
class shift channels = A0 B0 # assumed
class merge channels = A0 A1 B0 B1 # assumed
class move channels = A0 A1 B0 B1 # assumed
class compare channels = A1 B1 # assumed
class integer_multiply channels = A1 # assumed
class integer_multiply latency = 3 # assumed
class integer_multiply occupancy = 2 # assumed
class integer_divide channels = B1 # assumed
class integer_divide latency = 9 # assumed
class integer_divide occupancy = 7 # assumed
class fp_add channels = B0 B1 # assumed
class fp_add latency = 3 # assumed
class fp_multiply channels = A1 B1 # assumed
class fp_multiply latency = 4 # assumed
class load channels = A0 B0 # assumed
class load latency = 4 # assumed
class load uses PORT = 1 # assumed
class store channels = A0 B0 # assumed
class store uses PORT = 1 # assumed
class branch channels = B1 # assumed
latency fp_add -> store value = 4 # assumed
exclude shift integer_multiply = 1 # assumed
)";
  return midend::read_machine(midend::span<const char>(text, sizeof text - 1)).value();
}

} // namespace midend_tests
