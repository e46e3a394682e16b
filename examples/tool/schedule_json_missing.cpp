// Replaces schedule_json.cpp if nlohmann/json is missing.
#include "schedule_json.hpp"

namespace midend_tool {

struct schedule_json::object {};

bool schedule_json::is_available() {
  return false;
}

schedule_json::schedule_json(std::string_view, std::string_view) {}

schedule_json::~schedule_json() = default;

void schedule_json::add(std::string_view, std::string_view, const midend::machine_model&, const midend::machine_body&,
                        const midend::modulo_schedule_result&, const midend::operation_labels&, std::string_view) {}

void schedule_json::refuse(std::string_view, std::string_view, std::string_view) {}

std::string schedule_json::text() const {
  return {};
}

} // namespace midend_tool
