// Thirty small loops, for the table in docs/unrolling-llvm.md. kernels.py compiles them.
#include <stddef.h>
#include <stdint.h>

// Sums and the like: a value is carried around the loop.

int dot_product(const int* a, const int* b, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

double dot_product_double(const double* a, const double* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

uint64_t sum_of_squares(const uint32_t* a, size_t n) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; ++i) sum += (uint64_t)a[i] * a[i];
  return sum;
}

uint32_t xor_fold(const uint32_t* a) {
  uint32_t x = 0;
  for (int i = 0; i < 1027; ++i) x ^= a[i];
  return x;
}

int maximum(const int* a, int n) {
  int most = a[0];
  for (int i = 1; i < n; ++i) most = a[i] > most ? a[i] : most;
  return most;
}

int index_of_least(const int* a, int n) {
  int at = 0;
  int least = a[0];
  for (int i = 1; i < n; ++i) {
    if (a[i] < least) {
      least = a[i];
      at = i;
    }
  }
  return at;
}

int count_if(const int* a, int n, int limit) {
  int count = 0;
  for (int i = 0; i < n; ++i) count += a[i] < limit;
  return count;
}

uint32_t checksum(const uint8_t* p, size_t n) {
  uint32_t a = 1;
  uint32_t b = 0;
  for (size_t i = 0; i < n; ++i) {
    a += p[i];
    b += a;
  }
  return (b & 0xffff) << 16 | (a & 0xffff);
}

uint32_t crc_table(const uint8_t* p, size_t n, const uint32_t* table) {
  uint32_t crc = ~0u;
  for (size_t i = 0; i < n; ++i) crc = table[(crc ^ p[i]) & 0xff] ^ crc >> 8;
  return ~crc;
}

uint32_t crc_bits(uint32_t crc) {
  for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
  return crc;
}

double polynomial(const double* c, int n, double x) {
  double y = 0;
  for (int i = 0; i < n; ++i) y = y * x + c[i];
  return y;
}

// Arrays that are written.

void saxpy(float* restrict y, const float* restrict x, float a, int n) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}

void copy_bytes(char* restrict to, const char* restrict from, size_t n) {
  for (size_t i = 0; i < n; ++i) to[i] = from[i];
}

void prefix_sum(int* a, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += a[i];
    a[i] = sum;
  }
}

void stencil(float* restrict out, const float* restrict in, int n) {
  for (int i = 1; i < n - 1; ++i) out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}

void moving_average(int* restrict out, const int* restrict in, int n) {
  int sum = in[0] + in[1] + in[2] + in[3];
  for (int i = 0; i < n; ++i) {
    out[i] = sum / 4;
    sum += in[i + 4] - in[i];
  }
}

void complex_multiply(double* restrict z, const double* restrict x, const double* restrict y, int n) {
  for (int i = 0; i < n; ++i) {
    z[2 * i] = x[2 * i] * y[2 * i] - x[2 * i + 1] * y[2 * i + 1];
    z[2 * i + 1] = x[2 * i] * y[2 * i + 1] + x[2 * i + 1] * y[2 * i];
  }
}

void clamp(int* a, int n, int low, int high) {
  for (int i = 0; i < n; ++i) {
    const int x = a[i] < low ? low : a[i];
    a[i] = x > high ? high : x;
  }
}

void interleave(int* restrict z, const int* restrict x, const int* restrict y, int n) {
  for (int i = 0; i < n; ++i) {
    z[2 * i] = x[i];
    z[2 * i + 1] = y[i];
  }
}

void histogram(int* restrict count, const uint8_t* restrict p, size_t n) {
  for (size_t i = 0; i < n; ++i) ++count[p[i]];
}

void bubble_pass(int* a, int n) {
  for (int i = 0; i + 1 < n; ++i) {
    if (a[i] > a[i + 1]) {
      const int t = a[i];
      a[i] = a[i + 1];
      a[i + 1] = t;
    }
  }
}

// The data decide when they end.

size_t string_length(const char* s) {
  const char* p = s;
  while (*p != 0) ++p;
  return (size_t)(p - s);
}

int string_compare(const char* a, const char* b) {
  while (*a != 0 && *a == *b) {
    ++a;
    ++b;
  }
  return (unsigned char)*a - (unsigned char)*b;
}

int linear_search(const int* a, int n, int key) {
  for (int i = 0; i < n; ++i) {
    if (a[i] == key) return i;
  }
  return -1;
}

int binary_search(const int* a, int n, int key) {
  int low = 0;
  while (n > 0) {
    const int half = n >> 1;
    if (a[low + half] < key) {
      low += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return low;
}

int population_count(uint64_t x) {
  int count = 0;
  for (; x != 0; x &= x - 1) ++count;
  return count;
}

uint32_t greatest_common_divisor(uint32_t a, uint32_t b) {
  while (b != 0) {
    const uint32_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

struct list {
  struct list* next;
  int value;
};

int list_sum(const struct list* l) {
  int sum = 0;
  for (; l != NULL; l = l->next) sum += l->value;
  return sum;
}

// Known numbers of iterations, and loops around loops.

uint32_t bit_reverse(uint32_t x) {
  uint32_t y = 0;
  for (int i = 0; i < 32; ++i) {
    y = y << 1 | (x & 1);
    x >>= 1;
  }
  return y;
}

void matrix_4x4(float (*restrict c)[4], const float (*restrict a)[4], const float (*restrict b)[4]) {
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      float sum = 0;
      for (int k = 0; k < 4; ++k) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
  }
}

void fir(float* restrict out, const float* restrict in, const float* restrict taps, int n) {
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += taps[k] * in[i + k];
    out[i] = sum;
  }
}

void transpose(int* restrict b, const int* restrict a, int n) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) b[j * n + i] = a[i * n + j];
  }
}
