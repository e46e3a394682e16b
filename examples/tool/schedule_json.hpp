/// The schedules of `midend schedule` as JSON.
#pragma once

#include <midend/machine/lowering/body_cost.hpp>
#include <midend/machine/machine_model.hpp>
#include <midend/schedule/modulo_schedule.hpp>
#include <midend/viz/schedule.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace midend_tool {

/// One object with all loops; docs/schedule.md describes its members. If the tool was built without nlohmann/json,
/// `is_available` is false and the other members do nothing.
class schedule_json {
public:
  static bool is_available();

  schedule_json(std::string_view file, std::string_view machine);
  ~schedule_json();

  void add(std::string_view procedure, std::string_view loop, const midend::machine_model& machine,
           const midend::machine_body& body, const midend::modulo_schedule_result& result,
           const midend::operation_labels& labels, std::string_view why_not_shorter);

  /// A loop that is not scheduled.
  void refuse(std::string_view procedure, std::string_view loop, std::string_view why);

  std::string text() const;

private:
  struct object;

  std::unique_ptr<object> object_;
};

} // namespace midend_tool
