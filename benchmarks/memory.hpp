/// How much memory a piece of work takes at its peak, measured apart from its time.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

namespace midend_benchmarks {

/// Joins what was freed, so that what is allocated next lies together in the order of allocation. Pointer-linked
/// structures are several times slower when they are scattered over the holes that earlier work left.
void join_free_memory();

/// The highest amount of live heap memory during `work`, less the amount before. Counts every allocation of the process
/// (peers allocate with `malloc` as well as `operator new`); nothing where allocation cannot be intercepted.
std::optional<std::size_t> peak_heap_growth(const std::function<void()>& work);

/// The growth of the resident set at its peak during `work`, which runs in a child process and so leaves no trace in
/// this one. Includes the stack. Nothing where the system does not tell.
std::optional<std::size_t> peak_resident_growth(const std::function<void()>& work);

} // namespace midend_benchmarks
