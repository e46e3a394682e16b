/// The clean-up on a procedure, compiled once for all tests.
#pragma once

#include <midend/elbrus/procedure.hpp>
#include <midend/package/managed_package.hpp>
#include <midend/package/package_order.hpp>

#include <cstdint>

namespace midend_tests {

/// What a clean-up did, member by member.
struct clean_up_counts {
  std::uint32_t rounds = 0;
  bool is_complete = false;
  bool has_changed = false;
  std::uint32_t changes[7] = {};
};

/// By which operations are compared.
enum class clean_up_costs : std::uint8_t { usual, of_machine, one_each };

/// `without`: a bit for each member that is left out.
clean_up_counts run_clean_up(midend::elbrus::procedure& p, clean_up_costs costs = clean_up_costs::of_machine,
                             std::uint32_t without = 0, std::uint32_t max_rounds = 8);

} // namespace midend_tests
