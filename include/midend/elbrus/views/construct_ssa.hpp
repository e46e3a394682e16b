/// `construct_ssa` of a procedure: values in place of variables, named after them.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/program.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/ssa/inserted_phis.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// The algorithm that constructs SSA form.
enum class ssa_algorithm : std::uint8_t {
  dominance_frontiers, ///< `midend::construct_ssa`
  on_the_fly           ///< `midend::construct_ssa_on_the_fly`, with the nodes in the order of the text
};

/// Turns all variables of a procedure into values and removes their declarations. A read of a variable that was not
/// written becomes `undef`: the original traps there, so the new procedure may do anything. Variable x becomes the
/// values `x`, `x.1`, `x.2` and so on in the order of the text, skipping names in use.
///
/// Requires a procedure without errors (`verify`). See the two algorithms for cost and details.
MIDEND_FUNCTION inserted_phis construct_ssa(procedure& p, ssa_algorithm algorithm = ssa_algorithm::dominance_frontiers);

/// Converts each procedure of a program.
inline void construct_ssa(program& all, ssa_algorithm algorithm = ssa_algorithm::dominance_frontiers) {
  for (procedure& p : all.procedures) {
    construct_ssa(p, algorithm);
  }
}

} // namespace elbrus

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/elbrus/detail/name_index.hpp"
#include "midend/elbrus/views/editor.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ssa/construct_ssa.hpp"
#include "midend/ssa/construct_ssa_on_the_fly.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

namespace detail {

/// Names values after the variables that they replace: for variable x `x`, then `x.1`, `x.2` and so on in the order of
/// the text, skipping names in use.
class names_after_variables {
public:
  /// Must be made while the procedure still has the variables.
  explicit names_after_variables(procedure& p) : procedure_(p), variable_of_(p.num_values(), no_value) {
    for (value_id v = 0; v != p.num_values(); ++v) {
      if (p.is_operation(v)) {
        variable_of_[v] = p.core(v).variable;
      }
    }
  }

  void assign(const inserted_phis& inserted) {
    variable_of_.resize(procedure_.num_values(), no_value);
    for (const variable_phi& phi : inserted.phis()) {
      variable_of_[phi.value] = procedure_.variables()[phi.variable];
    }
    note_names_in_use();
    next_.assign(procedure_.variables().size(), 0);
    given_.reserve(procedure_.num_values()); // names must not move
    for (node_id n = 0; n != procedure_.num_nodes(); ++n) {
      for (const value_id v : procedure_.values(n)) {
        if (variable_of_[v] != no_value) {
          give_name(v, variable_of_[v]);
        }
      }
    }
    for (const auto& [v, name] : given_) {
      procedure_.set_value_name(v, name);
    }
  }

private:
  void note_names_in_use() {
    for (value_id v = 0; v != procedure_.num_values(); ++v) {
      const value_kind kind = procedure_.core(v).kind;
      if ((kind == value_kind::parameter || kind == value_kind::local || kind == value_kind::operation) &&
          !procedure_.value_name(v).empty()) {
        in_use_.find_or_insert(procedure_.value_name(v), v);
      }
    }
  }

  void give_name(value_id v, value_id variable) {
    const std::string base(procedure_.value_name(variable));
    std::uint32_t& next = next_[procedure_.variable_number(variable)];
    std::string name;
    do {
      name = next == 0 ? base : base + '.' + std::to_string(next);
      ++next;
    } while (in_use_.find(name) != name_index::missing);
    given_.emplace_back(v, std::move(name));
    in_use_.find_or_insert(given_.back().second, v);
  }

  procedure& procedure_;
  std::vector<value_id> variable_of_; ///< by value: the variable that it replaces
  std::vector<std::uint32_t> next_;   ///< by number of the variable: the next suffix
  std::vector<std::pair<value_id, std::string>> given_;
  name_index in_use_;
};

} // namespace detail

MIDEND_FUNCTION inserted_phis construct_ssa(procedure& p, ssa_algorithm algorithm) {
  detail::names_after_variables names(p);
  editor e(p);
  inserted_phis out =
      algorithm == ssa_algorithm::on_the_fly ? midend::construct_ssa_on_the_fly(e) : midend::construct_ssa(e);
  names.assign(out);
  p.clear_variables();
  return out;
}

} // namespace elbrus

MIDEND_END_NAMESPACE

#endif
