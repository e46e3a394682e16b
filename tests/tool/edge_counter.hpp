/// How many control-flow edges have been run, of what is compiled with `-fsanitize-coverage=trace-pc`.
#pragma once

#include <cstdint>

namespace midend_tests {

extern std::uint64_t edges_run;

} // namespace midend_tests
