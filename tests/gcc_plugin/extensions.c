// What GCC adds to C, and types that the views do not know: they must pass, with the same answers.
__attribute__((naked)) void nak(void) {
  __asm__("ret");
}

int computed(int i, int n) {
  static void* t[] = {&&a, &&b, &&c};
  int s = 0;
  goto* t[i % 3];
a:
  s += 1;
  if (s < n)
    goto* t[s % 3];
b:
  s += 2;
  if (s < n)
    goto* t[s % 3];
c:
  return s;
}

int nested(int n) {
  __label__ out;
  int k = 0;
  int inner(int x) {
    if (x > 10)
      goto out;
    return k += x;
  }
  for (int i = 0; i < n; ++i)
    inner(i);
out:
  return k;
}

int no_result(void) {}

void forever(void) {
  for (;;)
    ;
}

__int128 wide(__int128 a, __int128 b) {
  __int128 s = 0;
  while (a < b) {
    s += a * b;
    ++a;
  }
  return s;
}

double fp(double* p, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += p[i] / 3;
  return s;
}

_Complex double cx(_Complex double a) {
  return a * a;
}

typedef int v4 __attribute__((vector_size(16)));

v4 vec(v4 a, v4 b) {
  return a * b + (v4){1, 2, 3, 4};
}

v4 vshift(v4 a, int s) {
  return a << s;
}

v4 vcmp(v4 a, v4 b) {
  return a < b;
}

_Bool bl(_Bool a) {
  return !a;
}

struct s {
  int x : 3;
  unsigned y : 29;
  int z[];
};

int bits(struct s* p, int n) {
  p->x++;
  p->y--;
  return p->z[n];
}

int vla(int n) {
  int a[n];
  for (int i = 0; i < n; i++)
    a[i] = i;
  return a[n / 2];
}

int mat(int n, int a[n][n]) {
  int s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += a[i][j];
  return s;
}

int sw(unsigned char c) {
  switch (c) {
  case 0 ... 9:
    return 1;
  case 255:
    return 2;
  default:
    return 3;
  }
}

int swe(long long c) {
  switch (c) {
  case -9223372036854775807LL - 1:
    return 1;
  case 5:
    return 2;
  }
  return 0;
}

int asmgoto(int x) {
  __asm__ goto("" : : "r"(x) : : l);
  return 1;
l:
  return 2;
}

volatile int vv;

int vol(void) {
  int s = 0;
  for (int i = 0; i < 8; i++)
    s += vv;
  return s;
}

void* bi(void* p) {
  return __builtin_return_address(0);
}

struct jump {
  void* at[5];
} saved;

int long_jump(int n) {
  volatile int i = 0;
  if (__builtin_setjmp(saved.at))
    i++;
  while (i < n) {
    i++;
    if (i == 3)
      no_result();
  }
  return i;
}

int tern(int a, int b) {
  return a ?: b;
}

unsigned rot(unsigned a) {
  return a << 3 | a >> 29;
}

static inline int sat(int a) {
  int r;
  return __builtin_add_overflow(a, 1, &r) ? 0 : r;
}

int usesat(int a) {
  return sat(a);
}

char* strs(int i) {
  return "abc" + i;
}

int neg(signed char* p) {
  int s = 0;
  for (signed char i = 100; i > -100; i -= 3)
    s += p[i];
  return s;
}
