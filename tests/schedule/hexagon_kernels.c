// Small loops of signal processing, for the comparison with LLVM's pipeliner for Hexagon. hexagon_pipeliner.py compiles
// them along with ../kernels/kernels.c. No doubles and no division: on Hexagon they are calls.
#include <stdint.h>

int dot_product_16(const int16_t* restrict a, const int16_t* restrict b, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

float dot_product_single(const float* restrict a, const float* restrict b, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

void scaled_sum(int* restrict y, const int* restrict x, int a, int n) {
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

// One output of a filter with n taps.
int fir_16(const int16_t* restrict in, const int16_t* restrict taps, int n) {
  int sum = 0;
  for (int k = 0; k < n; ++k)
    sum += taps[k] * in[-k];
  return sum;
}

// Recursive filters: the recurrence decides.
void iir_first_order(float* restrict y, const float* restrict x, float a, int n) {
  float last = 0;
  for (int i = 0; i < n; ++i) {
    last = a * last + x[i];
    y[i] = last;
  }
}

void iir_second_order(int* restrict y, const int* restrict x, int a, int b, int n) {
  int y1 = 0;
  int y2 = 0;
  for (int i = 0; i < n; ++i) {
    const int now = x[i] + ((a * y1 + b * y2) >> 14);
    y2 = y1;
    y1 = now;
    y[i] = now;
  }
}

// The recurrence leads through memory.
void sum_in_place(int* a, int n) {
  for (int i = 1; i < n; ++i)
    a[i] += a[i - 1];
}

void matrix_product(int* restrict c, const int* restrict a, const int* restrict b, int n) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      int sum = 0;
      for (int k = 0; k < n; ++k)
        sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
}

int maximum_of_differences(const int* restrict a, const int* restrict b, int n) {
  int most = 0;
  for (int i = 0; i < n; ++i) {
    const int d = a[i] - b[i];
    most = d > most ? d : most;
  }
  return most;
}

int sum_of_differences(const uint8_t* restrict a, const uint8_t* restrict b, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    const int d = a[i] - b[i];
    sum += d < 0 ? -d : d;
  }
  return sum;
}

uint32_t hash(const uint8_t* p, int n) {
  uint32_t h = 2166136261u;
  for (int i = 0; i < n; ++i)
    h = (h ^ p[i]) * 16777619u;
  return h;
}

void blend(uint8_t* restrict out, const uint8_t* restrict a, const uint8_t* restrict b, int weight, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = (uint8_t)((a[i] * weight + b[i] * (256 - weight)) >> 8);
}

void complex_multiply_16(int* restrict z, const int16_t* restrict x, const int16_t* restrict y, int n) {
  for (int i = 0; i < n; ++i) {
    z[2 * i] = x[2 * i] * y[2 * i] - x[2 * i + 1] * y[2 * i + 1];
    z[2 * i + 1] = x[2 * i] * y[2 * i + 1] + x[2 * i + 1] * y[2 * i];
  }
}

void gather(float* restrict out, const float* restrict table, const int* restrict at, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = table[at[i]];
}
