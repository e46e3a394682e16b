/// The mistakes of a file, each with a name by which `run.py` runs it in a process of its own.
///
///     // mistake: what somebody writes, in a sentence
///     // run-time: REGEX of the answer           or      // works       or      // silent: why nobody notices
///     RUN(name) { … }
///
///     // mistake: …
///     // compile-time: REGEX of the first error
///     #ifdef MISTAKE_name
///     …
///     #endif
///
/// What works asserts its answer with `EXPECT`. Where a check returns an error, `says` prints its words.
///
/// This header includes what all files need, so that `run.py` can precompile it.
#ifndef MIDEND_TESTS_MISTAKES_HPP
#define MIDEND_TESTS_MISTAKES_HPP

#include "midend/machine/machine_file.hpp"
#include "midend/midend.hpp"
#include "midend/ssa/check_ir.hpp"
#include "midend/viz/dot.hpp"
#include "midend/viz/ir_errors.hpp"
#include "midend/viz/lattice_report.hpp"
#include "midend/viz/machine.hpp"
#include "midend/viz/solution.hpp"
#include "midend/viz/unrolling.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <memory>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

struct mistake {
  const char* name;
  void (*run)();
  mistake* next;

  static inline mistake* first = nullptr;

  mistake(const char* its_name, void (*function)()) : name(its_name), run(function), next(first) { first = this; }
};

#define RUN(name)                                                                                                      \
  static void name();                                                                                                  \
  static const mistake name##_(#name, name);                                                                           \
  static void name()

inline void expect(bool holds, const char* what) {
  if (!holds) {
    std::printf("wrong: not %s\n", what);
    std::exit(1);
  }
}

#define EXPECT(condition) expect(condition, #condition)

/// Prints the words of an error that a check returned; `says(check_ir(ir))`.
template <class Error> void says(const Error& error) {
  if (error) {
    std::printf("%s\n", to_text(*error).c_str());
  }
}

/// Keeps an answer that nobody reads.
template <class T> void use(const T&) {}

#endif
