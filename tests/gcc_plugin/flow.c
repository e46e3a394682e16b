// Control flow that is not simple. The comments say what the plugin remarks.
#include <setjmp.h>
#include <stdlib.h>

int sum(const int* p, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    s += p[i];
  }
  return s;
}

int constants(int n, int* p) {
  int s = 0;
  for (int i = 0; i < 10; ++i) {
    unsigned char b = (unsigned char)i;
    if (b > 20) { // this branch always goes to
      s += 7;     // this code is never executed
    }
    p[i] = n / 2;
  }
  int k = 3;    // is 3
  return s - k; // is -3
}

int nest(int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = i; j < n; ++j) {
      if (j == 7) {
        continue;
      }
      s += i * j;
    }
  }
  return s;
}

int irreducible(int a) {
  if (a & 1) {
    goto second;
  }
first:
  a += 3;
second:
  a += 2;
  if (a < 100) {
    goto first;
  }
  return a;
}

int cases(int x, unsigned char y) {
  int r = 0;
  switch (x) {
  case -5:
  case 1 ... 4:
    r = 1;
    break;
  case 7:
  case 9:
    r = 2;
    break;
  default:
    r = 3;
  case 20:
    r += 10;
  }
  switch (y & 3) {
  case 0 ... 3:
    return r;
  case 4: // never
    return 77;
  default:
    return 78;
  }
}

void endless(volatile int* p, int n) {
  if (n > 3) {
    for (;;) {
      *p = 1;
      if (*p == 5) {
        continue;
      }
      *p = 2;
    }
  }
  while (n < 0) {
    *p = 3;
  }
  abort();
}

int only_endless(volatile int* p) {
  for (;;) {
    *p = 1;
  }
}

jmp_buf place;

int jumps(int n) {
  int r = setjmp(place); // an abnormal edge leads here
  while (n-- > 0) {
    if (n == 5) {
      longjmp(place, 1);
    }
  }
  if (r == 3) {
    exit(1);
  }
  return r;
}

int computed(int x) {
  static const void* const to[] = {&&a, &&b, &&c};
  goto* to[x % 3];
a:
  x += 1;
  goto* to[x & 1];
b:
  x += 2;
  if (x < 50) {
    goto a;
  }
c:
  return x;
}

typedef struct {
  int tag;
  unsigned small : 3;
  short list[4];
} record;

int memory(record* r, record* other, long i, unsigned k) {
  *r = *other;
  for (int j = 0; j < 4; ++j) {
    r->list[j] = (short)(other->list[i] + r->small);
    r[i].tag += other[k].tag;
  }
  asm volatile("" : "+r"(i), "+r"(k));
  return (int)(i + (long)k);
}

__int128 wide(__int128 a, float x, double y) {
  while (a > 10 && x < 3) {
    a = a / 3 + (int)(x * y);
    x += 1;
  }
  return a;
}
