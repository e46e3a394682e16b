// What one writes naturally in an IR whose loops are unrolled on trial, and in an editor to clean up: views of the
// Elbrus-like IR, with one member that hides the right one.
// mistake advice_without_costs: std::optional<midend::operation_class> cost
// mistake advice_with_describe_that_returns: void describe
// mistake advice_for_a_name: a machine needs
// mistake clean_up_without_costs: to clean up, an editor needs `std::optional<midend::operation_class> cost
// mistake clean_up_of_a_view: to clean up, an editor must be a `package_editor`
// mistake clean_up_of_operands_by_name: to clean up, an editor must be a `package_editor`
// mistake clean_up_without_ends: to clean up, an editor needs all members
#include "midend/elbrus/views/cost_editor.hpp"
#include "midend/elbrus/views/cost_view.hpp"
#include "midend/elbrus/views/editor.hpp"
#include "midend/machine/e2k.hpp"
#include "midend/package/clean_up.hpp"
#include "midend/unrolling/advise_unrolling.hpp"

#include <cstdint>
#include <optional>

using midend::node_id;
using midend::value_id;

struct machine_name {
  const char* name;
};

struct view : midend::elbrus::cost_view {
#if defined(MISTAKE_advice_without_costs)
  void cost(value_id) const {}
#elif defined(MISTAKE_advice_with_describe_that_returns)
  std::uint64_t describe(value_id) const { return 0; }
#endif
};

#if defined(MISTAKE_clean_up_without_costs)
using cleaned = midend::elbrus::editor;
#elif defined(MISTAKE_clean_up_of_a_view)
using cleaned = const midend::elbrus::cost_view;
#else
struct cleaned : midend::elbrus::cost_editor {
#if defined(MISTAKE_clean_up_without_ends)
  void erase_end() {}
#elif defined(MISTAKE_clean_up_of_operands_by_name)
  void set_operand(value_id, const char*, value_id) {}
#endif
};
#endif

void use(const view& ir, cleaned& editor, const midend::loop_forest& loops) {
#if defined(MISTAKE_advice_for_a_name)
  const machine_name machine = {"e2k"};
#else
  const auto machine = midend::e2k_reference_v6();
#endif
  static_cast<void>(midend::advise_unrolling(ir, loops, 0, machine));
  static_cast<void>(midend::clean_up(editor));
}
