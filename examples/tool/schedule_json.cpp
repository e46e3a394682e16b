#include "schedule_json.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace midend_tool {
namespace {

using json = nlohmann::ordered_json;

} // namespace

struct schedule_json::object {
  json value;
};

bool schedule_json::is_available() {
  return true;
}

schedule_json::schedule_json(std::string_view file, std::string_view machine) : object_(std::make_unique<object>()) {
  object_->value["file"] = file;
  object_->value["machine"] = machine;
  object_->value["loops"] = json::array();
}

schedule_json::~schedule_json() = default;

void schedule_json::add(std::string_view procedure, std::string_view loop, const midend::machine_model& machine,
                        const midend::machine_body& body, const midend::modulo_schedule_result& result,
                        const midend::operation_labels& labels, std::string_view why_not_shorter) {
  const midend::schedule& s = result.found;
  json out;
  out["procedure"] = procedure;
  out["loop"] = loop;
  out["interval"] = s.interval;
  out["bound"] = result.bound;
  out["is_shortest"] = result.is_shortest();
  out["why_not_shorter"] = why_not_shorter.empty() ? json() : json(why_not_shorter);
  out["stages"] = s.stages;
  out["length"] = s.length;
  out["registers"] = result.lifetimes.general;
  out["predicates"] = result.lifetimes.predicates;
  out["kernel_copies"] = result.lifetimes.unroll_factor;
  json operations = json::array();
  for (midend::operation_id o = 0; o != s.slots.size(); ++o) {
    const std::uint32_t channel = s.slots[o].channel;
    json operation;
    operation["name"] = labels[o];
    operation["class"] = midend::name_of(body.graph.operation(o).kind);
    operation["cycle"] = s.slots[o].cycle;
    operation["stage"] = s.stage(o);
    operation["row"] = s.row(o);
    operation["channel"] =
        channel < machine.num_channels()
            ? json(std::string(machine.channel_names[channel].begin(), machine.channel_names[channel].end()))
            : json();
    operation["lifetime"] = result.lifetimes.values[o].cycles();
    operations.push_back(operation);
  }
  out["operations"] = operations;
  object_->value["loops"].push_back(out);
}

void schedule_json::refuse(std::string_view procedure, std::string_view loop, std::string_view why) {
  json out;
  out["procedure"] = procedure;
  out["loop"] = loop;
  out["interval"] = nullptr;
  out["obstacle"] = why;
  object_->value["loops"].push_back(out);
}

std::string schedule_json::text() const {
  return object_->value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace midend_tool
