#include "kit/run_clean_up.hpp"

#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/package/clean_up.hpp>

namespace midend_tests {

clean_up_counts run_clean_up(midend::elbrus::procedure& p, clean_up_costs costs, std::uint32_t without,
                             std::uint32_t max_rounds) {
  midend::elbrus::cost_editor e(p);
  midend::clean_up_options options;
  options.without = without;
  options.max_rounds = max_rounds;
  if (costs == clean_up_costs::of_machine) {
    options.operations.costs = midend::operation_costs::of_machine(midend::e2k_reference_v6());
  } else if (costs == clean_up_costs::one_each) {
    options.operations.costs.by_class.fill(1);
  }
  const midend::clean_up_log log = midend::clean_up(e, options);
  clean_up_counts out{log.rounds, log.is_complete, log.has_changed()};
  for (std::size_t i = 0; i != midend::num_clean_up_members; ++i) {
    out.changes[i] = log.changes[i];
  }
  return out;
}

} // namespace midend_tests
