#include "new_names.hpp"

#include <midend/elbrus/records.hpp>
#include <midend/elbrus/type.hpp>
#include <midend/graph/concepts.hpp>
#include <midend/ir/ids.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace midend_tool {
namespace {

using midend::no_node;
using midend::no_value;
using midend::node_id;
using midend::value_id;
using midend::elbrus::procedure;

/// Names in use, and the next suffix for each.
class name_source {
public:
  void take(std::string_view name) { used_.emplace(name); }

  /// A name that was not used before: `base` without its suffix, with the next one.
  std::string next(std::string_view base) {
    const std::size_t end = base.find_last_not_of("0123456789");
    const bool has_suffix = end != std::string_view::npos && end + 1 != base.size() && end != 0 && base[end] == '.';
    const std::string stem(has_suffix ? base.substr(0, end) : base);
    std::string name;
    do {
      name = stem + "." + std::to_string(++last_[stem]);
    } while (!used_.insert(name).second);
    return name;
  }

  /// The name itself, if it is free, else with a suffix.
  std::string first(const std::string& base) { return used_.insert(base).second ? base : next(base); }

private:
  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, unsigned> last_;
};

void name_nodes(procedure& p, const midend::unfolding_witness& witness) {
  name_source names;
  std::vector<node_id> unnamed;
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    if (!p.node_name(n).empty()) {
      names.take(p.node_name(n));
    } else if (!p.node(n).erased) {
      unnamed.push_back(n);
    }
  }
  for (const node_id n : unnamed) {
    const node_id origin = witness.node_origin[n];
    if (origin != no_node && !p.node_name(origin).empty()) {
      p.set_node_name(n, names.next(p.node_name(origin)));
    }
  }
  for (const node_id n : unnamed) { // their targets have names now, perhaps
    if (!p.node_name(n).empty() || p.out_edges(n).empty()) {
      continue;
    }
    const std::string target(p.node_name(p.edge_target(p.out_edges(n)[0])));
    if (p.out_edges(n).size() > 1) {
      p.set_node_name(n, names.first("dispatch"));
    } else if (!target.empty()) {
      p.set_node_name(n, names.first(target.starts_with("to.") ? target : "to." + target));
    }
  }
}

/// The name of an input of a phi, perhaps that of another phi which is named after it.
std::string_view name_of_input(const procedure& p, value_id phi) {
  for (const value_id input : p.operands(phi)) {
    if (input != no_value && !p.value_name(input).empty() &&
        p.value(input).kind != midend::elbrus::value_kind::variable) {
      return p.value_name(input);
    }
  }
  return {};
}

void name_values(procedure& p, const midend::unfolding_witness& witness) {
  name_source names;
  std::vector<value_id> unnamed;
  for (const value_id v : p.parameters()) {
    names.take(p.value_name(v));
  }
  for (const value_id v : p.locals()) {
    names.take(p.value_name(v));
  }
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    for (const value_id v : p.values(n)) {
      if (!p.value_name(v).empty()) {
        names.take(p.value_name(v));
      } else if (p.value(v).type != midend::elbrus::type::none && p.value(v).variable == no_value) {
        unnamed.push_back(v);
      }
    }
  }
  for (const value_id v : unnamed) {
    const value_id origin = witness.origin_of_value(v);
    if (origin != no_value && !p.value_name(origin).empty()) {
      p.set_value_name(v, names.next(p.value_name(origin)));
    }
  }
  bool changed = true;
  for (int round = 0; changed && round != 8; ++round) { // phis of phis of phis; others are numbered
    changed = false;
    for (const value_id v : unnamed) {
      if (p.value_name(v).empty() && p.is_phi(v) && !name_of_input(p, v).empty()) {
        p.set_value_name(v, names.next(name_of_input(p, v)));
        changed = true;
      }
    }
  }
  for (const value_id v : unnamed) {
    if (p.value_name(v).empty() && p.is_phi(v)) { // of literals: it says by which way control came
      p.set_value_name(v, names.first("way"));
    }
  }
}

} // namespace

void name_what_is_new(procedure& p, const midend::unfolding_witness& witness) {
  name_nodes(p, witness);
  name_values(p, witness);
}

} // namespace midend_tool
