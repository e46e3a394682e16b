/// Programs given as text, run by the interpreter.
#pragma once

#include <midend/elbrus/program.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/trap_text.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/verify/verifier.hpp>

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace midend_tests {

/// The program in a text that is without faults.
inline midend::elbrus::program program_of(std::string_view text) {
  midend::elbrus::parse_result parsed = midend::elbrus::parse(text);
  std::vector<midend::elbrus::diagnostic> errors = parsed.diagnostics;
  if (errors.empty()) {
    errors = midend::elbrus::verify(parsed.program);
  }
  for (const midend::elbrus::diagnostic& error : errors) {
    FAIL_CHECK(error.location.line, ":", error.location.column, ": ", error.message);
  }
  REQUIRE(errors.empty());
  REQUIRE(!parsed.program.procedures.empty());
  return std::move(parsed.program);
}

/// Runs the first procedure of a text.
inline midend::elbrus::run_result run_text(std::string_view text, std::vector<midend::elbrus::scalar> arguments = {},
                                           midend::elbrus::memory arrays = {},
                                           const midend::elbrus::run_options& options = {}) {
  const midend::elbrus::program all = program_of(text);
  return midend::elbrus::interpreter(all).run(0, arguments, std::move(arrays), options);
}

/// What the trap of a run of the first procedure says, or the empty text.
inline std::string trap_of_text(std::string_view text, std::vector<midend::elbrus::scalar> arguments = {},
                                midend::elbrus::memory arrays = {}, const midend::elbrus::run_options& options = {}) {
  const midend::elbrus::program all = program_of(text);
  const auto result = midend::elbrus::interpreter(all).run(0, arguments, std::move(arrays), options);
  CHECK(!(result.trap && result.value));
  return result.trap ? midend::elbrus::to_text(all.procedures, *result.trap) : std::string();
}

} // namespace midend_tests
