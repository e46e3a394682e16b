/// Whether calls agree with the procedures of the same program.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/error_list.hpp"
#include "midend/elbrus/detail/name_index.hpp"
#include "midend/elbrus/detail/wording.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/program.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Callees that are not in the program are the caller's business at run time.
class call_check {
public:
  explicit call_check(const program& all) : program_(all) {
    for (std::uint32_t i = 0; i != all.procedures.size(); ++i) {
      by_name_.find_or_insert(all.procedures[i].name(), i);
    }
  }

  /// Looks at one procedure, whose structure is sound.
  void run(std::uint32_t number, error_list& errors) const {
    const procedure& p = program_.procedures[number];
    if (by_name_.find(p.name()) != number) {
      errors.of_procedure({"there are two procedures @", p.name()});
    }
    for (node_id n = 0; n != p.num_nodes(); ++n) {
      for (const value_id v : p.values(n)) {
        if (p.value(v).code != opcode::call) {
          continue;
        }
        const std::uint32_t callee = by_name_.find(p.text(p.call(v).callee));
        if (callee != name_index::missing) {
          call(p, v, program_.procedures[callee], errors);
        }
      }
    }
  }

  /// A call may leave alone what the callee gives.
  static void call(const procedure& p, value_id v, const procedure& callee, error_list& errors) {
    const type result = p.value(v).type;
    if (result != type::none && !converts_freely(callee.result_type(), result)) {
      errors.of_value(v, {"@", callee.name(), callee.result_type() == type::none ? " gives nothing" : " gives ",
                          callee.result_type() == type::none ? "" : name_of(callee.result_type()), ", not ",
                          name_of(result)});
    }
    const std::span<const value_id> arguments = p.arguments(v);
    const std::span<const value_id> parameters = callee.parameters();
    if (arguments.size() != parameters.size()) {
      errors.of_value(v, {"@", callee.name(), " has ", std::to_string(parameters.size()),
                          parameters.size() == 1 ? " parameter" : " parameters", ", the call has ",
                          std::to_string(arguments.size()), arguments.size() == 1 ? " argument" : " arguments"});
      return;
    }
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      const type wanted = callee.value(parameters[i]).type;
      const type given = arguments[i] == no_value ? type::none : p.value(arguments[i]).type;
      if (given != type::none && !converts_freely(given, wanted)) {
        errors.of_value(v, {spelled(p, arguments[i]), " is ", name_of(given), ", parameter ",
                            spelled(callee, parameters[i]), " of @", callee.name(), " is ", name_of(wanted)});
      }
    }
  }

private:
  const program& program_;
  name_index by_name_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
