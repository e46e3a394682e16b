// Replaces unroll_json.cpp if nlohmann/json is missing.
#include "unroll_json.hpp"

namespace midend_tool {

struct json_report::object {};

bool json_report::is_available() {
  return false;
}

json_report::json_report(std::string_view, std::string_view) {}

json_report::~json_report() = default;

void json_report::add(const midend::unrolling_advice&, const midend::machine_model&, std::string_view,
                      const program_names&, const midend::unrolling_deed*) {}

void json_report::append(const json_report&) {}

std::string json_report::text() const {
  return {};
}

} // namespace midend_tool
