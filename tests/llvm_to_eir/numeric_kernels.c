// Small numeric kernels: all translate (translation_test.sh).
#include <stddef.h>

enum { n = 4 };

void matrix_product(const double* restrict a, const double* restrict b, double* restrict c) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += a[n * i + k] * b[n * k + j];
      c[n * i + j] = sum;
    }
}

void lu(double* a) {
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) {
      a[n * i + k] /= a[n * k + k];
      for (int j = k + 1; j < n; ++j) a[n * i + j] = a[n * i + j] - a[n * i + k] * a[n * k + j];
    }
}

void triangular_solve(const double* restrict l, double* restrict x) {
  for (int i = 0; i < n; ++i) {
    double rest = x[i];
    for (int j = 0; j < i; ++j) rest = rest - l[n * i + j] * x[j];
    x[i] = rest / l[n * i + i];
  }
}

void stencil(const double* restrict from, double* restrict to, int count) {
  for (int i = 1; i < count - 1; ++i) to[i] = 0.25 * from[i - 1] + 0.5 * from[i] + 0.25 * from[i + 1];
}

void convolution(const float* restrict x, const float* restrict weights, float* restrict y, int count) {
  for (int i = 0; i < count; ++i) {
    float sum = 0;
    for (int k = 0; k < 3; ++k) sum += x[i + k] * weights[k];
    y[i] = sum;
  }
}

void transposition(const double* restrict a, double* restrict b) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) b[n * j + i] = a[n * i + j];
}

double largest(const double* a, int count) {
  double most = 0;
  for (int i = 0; i < count; ++i) most = __builtin_fmax(most, __builtin_fabs(a[i]));
  return most;
}

double mean(const double* a, size_t stride, size_t count) { // as the GSL does it
  long double mean = 0;
  for (size_t i = 0; i < count; ++i) mean += (a[i * stride] - mean) / (i + 1);
  return mean;
}

void rounded(const double* restrict from, float* restrict to, int count) {
  for (int i = 0; i < count; ++i) to[i] = (float)__builtin_copysign(__builtin_floor(__builtin_fabs(from[i]) + 0.5), from[i]);
}

void histogram(const double* restrict x, unsigned* restrict bins, int count) {
  for (int i = 0; i < count; ++i) {
    const double at = 8 * x[i];
    if (at >= 0 && at < 8) ++bins[(size_t)at];
  }
}

void prefix_sum(const float* restrict x, double* restrict sums, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sums[i] = sum += x[i];
}
