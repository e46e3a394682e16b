/// Medians of times.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace midend_benchmarks {

inline double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

/// Of each function the median of its times. On a machine that others use, the sum of a run is mostly what they took.
inline double sum_of_medians(std::vector<std::vector<double>> times) {
  double sum = 0;
  for (std::vector<double>& each : times) {
    sum += median(std::move(each));
  }
  return sum;
}

} // namespace midend_benchmarks
