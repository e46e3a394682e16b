// The program of the tutorial.
#pragma once

inline constexpr const char* sum = R"(
sum(x[]) {
  scale = 1;
  total = 0;
  i = 0;
  while i < 1000 {
    if scale != 1 { scale = 2; }
    total = total + x[i] * scale;
    i = i + 1;
  }
  return total;
}
)";
