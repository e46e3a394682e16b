// Numeric kernels for example_llvm_evolutions. numeric.ll is made of it by
//     clang-19 -O1 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -fno-discard-value-names -S -emit-llvm numeric.c
#define N 100

void matrix_product(double (*restrict c)[N], double (*a)[N], double (*b)[N]) {
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      double sum = 0;
      for (int k = 0; k < N; ++k)
        sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
}

void matrix_product_of(int n, double *restrict c, const double *a, const double *b) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k)
        sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

void stencil(int n, double *restrict out, const double *in) {
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j)
      out[i * n + j] = in[i * n + j] + in[(i - 1) * n + j] + in[(i + 1) * n + j] + in[i * n + j - 1] + in[i * n + j + 1];
}

void lu(int n, double *a) {
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) {
      a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < n; ++j)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
}

void triangular_solve(int n, const double *restrict l, double *x) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j)
      x[i] -= l[i * n + j] * x[j];
    x[i] /= l[i * n + i];
  }
}

void packed_triangle(int n, double *restrict packed, const double *full) {
  int place = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      packed[place++] = full[i * n + j];
}

long prefix_sum(unsigned n, long *a) {
  long sum = 0;
  for (unsigned i = 0; i != n; ++i) {
    sum += a[i];
    a[i] = sum;
  }
  return sum;
}

void convolution(long n, long m, float *restrict out, const float *in, const float *kernel) {
  for (long i = 0; i + m <= n; ++i) {
    float sum = 0;
    for (long k = 0; k < m; ++k)
      sum += in[i + k] * kernel[k];
    out[i] = sum;
  }
}

void histogram(long n, const unsigned char *in, unsigned *bins) {
  for (long i = 0; i < 256; ++i)
    bins[i] = 0;
  for (const unsigned char *p = in; p != in + n; ++p)
    ++bins[*p];
}

void transposition(int n, double *a) {
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      double t = a[i * n + j];
      a[i * n + j] = a[j * n + i];
      a[j * n + i] = t;
    }
}

void blocked_transposition(double *restrict to, const double *from) {
  for (int ii = 0; ii < 96; ii += 8)
    for (int jj = 0; jj < 96; jj += 8)
      for (int i = ii; i < ii + 8; ++i)
        for (int j = jj; j < jj + 8; ++j)
          to[j * 96 + i] = from[i * 96 + j];
}

void butterflies(unsigned n, double *a) {
  for (unsigned size = 1; size < n; size *= 2)
    for (unsigned start = 0; start < n; start += 2 * size)
      for (unsigned i = start; i < start + size; ++i) {
        double t = a[i];
        a[i] += a[i + size];
        a[i + size] = t - a[i + size];
      }
}

long pairs(int n) {
  long count = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j)
      count += j;
  return count;
}

double horner(int n, const double *c, double x) {
  double y = 0;
  for (int i = n; i-- > 0;)
    y = y * x + c[i];
  return y;
}

void sieve(unsigned n, unsigned char *composite) {
  for (unsigned i = 2; i * i < n; ++i)
    if (!composite[i])
      for (unsigned j = i * i; j < n; j += i)
        composite[j] = 1;
}
