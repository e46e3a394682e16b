/// The advice of `midend unroll` as JSON.
#pragma once

#include "program_names.hpp"

#include <midend/machine/machine_model.hpp>
#include <midend/unrolling/measure_unrolling.hpp>
#include <midend/unrolling/unrolling_advice.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace midend_tool {

/// One object with all loops; docs/unrolling-reference.md describes its members. If the tool was built without
/// nlohmann/json, `is_available` is false and the other members do nothing.
class json_report {
public:
  static bool is_available();

  json_report(std::string_view file, std::string_view machine);
  ~json_report();

  void add(const midend::unrolling_advice& advice, const midend::machine_model& machine, std::string_view procedure,
           const program_names& names, const midend::unrolling_deed* deed = nullptr);

  /// Adds the loops of another report after those of this one.
  void append(const json_report& other);

  std::string text() const;

private:
  struct object;

  std::unique_ptr<object> object_;
};

} // namespace midend_tool
