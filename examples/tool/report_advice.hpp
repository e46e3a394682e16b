/// The advice on the loops of a program for `midend report`.
#pragma once

#include <midend/elbrus/program.hpp>
#include <midend/machine/machine_model.hpp>

#include <cstddef>
#include <string>

namespace midend_tool {

/// What `midend unroll --json` prints for each loop of the program; `null` if the tool was built without JSON.
std::string unrolling_advice_json(const midend::elbrus::program& all, const std::string& file,
                                  const midend::machine_model& machine, std::size_t jobs);

} // namespace midend_tool
