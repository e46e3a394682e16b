/// Arguments and memory of `midend run`, from the command line and back.
#pragma once

#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/run/memory.hpp>
#include <midend/elbrus/scalar.hpp>
#include <midend/elbrus/type.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace midend_tool {

/// Arguments and memory at the start of a run.
struct run_input {
  std::vector<midend::elbrus::scalar> arguments;
  midend::elbrus::memory arrays;
  std::vector<midend::elbrus::type> element_types; ///< by array
};

/// Reads `NAME:TYPE:v,v,…` for each array. A `v` is a literal of the type or, among addresses and numbers of 64 bits,
/// `@NAME` for the address of an array; `v*COUNT` repeats a value. Returns an error message, if any.
std::optional<std::string> parse_memories(const std::vector<std::string>& memories, run_input& input);

/// Reads an argument for each parameter, of its type, in the same way. Returns an error message, if any.
std::optional<std::string> parse_arguments(const midend::elbrus::procedure& p,
                                           const std::vector<std::string>& arguments, run_input& input);

/// An array in the form that `parse_memories` reads.
std::string memory_text(const midend::elbrus::memory& arrays, std::size_t array, midend::elbrus::type element);

} // namespace midend_tool
