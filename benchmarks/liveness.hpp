/// What the contestants for live variables share.
#pragma once

#include "midend_job.hpp"
#include "suite.hpp"

#include <midend/support/bit_row.hpp>

namespace midend_benchmarks {

/// The rows of one function after the other are compared with the equations, solved in the plainest way.
class liveness_reference {
public:
  explicit liveness_reference(const dataset& d);

  /// Compares what is live at the start and at the end of each block; `facts` has `in(b)` and `out(b)`.
  template <class Facts>
  std::optional<std::string> compare(const dataset& d, std::size_t function, const Facts& facts) const {
    const flat_function& f = d.functions()[function];
    for (std::uint32_t b = 0; b != f.num_nodes(); ++b) {
      for (std::uint32_t v = 0; v != f.variables.count; ++v) {
        const bool in = live_in_[function][b].test(v);
        bool out = false;
        for (const std::uint32_t s : f.successors(b)) {
          out |= live_in_[function][s].test(v);
        }
        if (facts.in(b).test(v) != in || facts.out(b).test(v) != out) {
          return "variable " + std::to_string(v) + " at block " + std::to_string(b) + " of function " +
                 std::to_string(function);
        }
      }
    }
    return std::nullopt;
  }

private:
  std::vector<std::vector<midend::bit_row>> live_in_;
};

/// Sets that have no variables.
inline bool has_no_variables(const dataset_name& d) {
  return d.generated() || d.name == "sqlite3-O2";
}

} // namespace midend_benchmarks
