// Edges of exceptions.
#include <stdexcept>
#include <string>
#include <vector>

struct guard {
  ~guard();
};

int may_throw(int);

int handlers(int n) {
  try {
    guard g;
    for (int i = 0; i < n; ++i) {
      if (i == 7) {
        throw std::runtime_error("seven");
      }
      try {
        n += may_throw(i);
      } catch (int k) {
        n -= k;
      }
    }
  } catch (const std::exception&) {
    return 1;
  }
  return n;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) {
    out += w + ", ";
  }
  return out;
}

bool retried(int n) {
  for (;;) {
    try {
      return may_throw(n) != 0;
    } catch (...) {
      if (n-- == 0) {
        throw;
      }
    }
  }
}
