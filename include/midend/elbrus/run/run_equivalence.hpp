/// `compare_runs`: whether a transformed program behaved like the original.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/run/event_trace.hpp"
#include "midend/elbrus/run/memory.hpp"
#include "midend/elbrus/run/run_result.hpp"
#include "midend/elbrus/run/trap.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// Whether the second of two runs may stand for the first.
enum class run_verdict : std::uint8_t {
  same,
  different,
  no_verdict, ///< one of the runs reached a limit
};

/// Where two runs differ.
enum class run_difference : std::uint8_t {
  none,
  trap,         ///< the transformed program traps, the original does not
  event,        ///< `index`: the first that differs or that one run has more
  value,        ///< the returned value
  arrays,       ///< other names or sizes of arrays
  memory_bytes, ///< `index`: array, `offset`: byte
};

/// The result of comparing two runs, and the first difference.
struct run_comparison {
  run_verdict verdict = run_verdict::same;
  run_difference what = run_difference::none;
  std::size_t index = 0;
  std::size_t offset = 0;

  friend bool operator==(const run_comparison&, const run_comparison&) = default;
};

namespace detail {

/// The first event in which two runs differ. If `open`, the second may have more events than the first.
inline run_comparison compare_events(const event_trace& a, const event_trace& b, bool open) {
  const std::size_t both = std::min(a.size(), b.size());
  std::size_t i = 0;
  while (i != both && a[i] == b[i]) {
    ++i;
  }
  if (i == a.size() && (open || i == b.size())) {
    return {};
  }
  return {run_verdict::different, run_difference::event, i};
}

inline run_comparison compare_memories(const memory& a, const memory& b) {
  if (a.num_arrays() != b.num_arrays()) {
    return {run_verdict::different, run_difference::arrays};
  }
  for (std::size_t i = 0; i != a.num_arrays(); ++i) {
    if (a.name(i) != b.name(i) || a.size(i) != b.size(i)) {
      return {run_verdict::different, run_difference::arrays, i};
    }
    const auto [at, other] = std::mismatch(a.bytes(i).begin(), a.bytes(i).end(), b.bytes(i).begin());
    if (at != a.bytes(i).end()) {
      return {run_verdict::different, run_difference::memory_bytes, i,
              static_cast<std::size_t>(at - a.bytes(i).begin())};
    }
  }
  return {};
}

} // namespace detail

/// Whether a correct transformation of the first program may behave like the second run. If the first run does not
/// trap, value, memory and events (calls of host functions and volatile accesses, with arguments and results) must be
/// equal. If it traps, the events up to the trap must be equal, and then anything may follow. If either run reached the
/// step limit or the limit of call depth, there is no verdict.
///
/// Requires that both had equal arguments and memory, and host functions that give equal results.
inline run_comparison compare_runs(const run_result& original, const run_result& transformed) {
  const auto limited = [](const run_result& r) { return r.trap && is_limit(r.trap->kind); };
  if (limited(original) || limited(transformed)) {
    return {.verdict = run_verdict::no_verdict};
  }
  const run_comparison events = detail::compare_events(original.events, transformed.events, original.trap.has_value());
  if (original.trap || events.verdict == run_verdict::different) {
    return events;
  }
  if (transformed.trap) {
    return {run_verdict::different, run_difference::trap};
  }
  if (original.value != transformed.value) {
    return {run_verdict::different, run_difference::value};
  }
  return detail::compare_memories(original.memory, transformed.memory);
}

/// The comparison in words.
inline std::string to_text(const run_comparison& c) {
  constexpr std::array<std::string_view, 3> verdicts = {"same", "different", "no verdict"};
  constexpr std::array<std::string_view, 6> places = {"", ": trap", ": event ", ": value", ": arrays ", ": array "};
  std::string text(verdicts[static_cast<std::size_t>(c.verdict)]);
  text += places[static_cast<std::size_t>(c.what)];
  if (c.what == run_difference::event || c.what == run_difference::arrays || c.what == run_difference::memory_bytes) {
    text += std::to_string(c.index);
  }
  if (c.what == run_difference::memory_bytes) {
    text += ", byte " + std::to_string(c.offset);
  }
  return text;
}

} // namespace elbrus

MIDEND_END_NAMESPACE
