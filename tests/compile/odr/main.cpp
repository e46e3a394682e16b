#include <cstdio>

unsigned checked();
unsigned unchecked();

int main() {
  // One loop, node 3 dominated by node 2, three components.
  std::printf("checked %u, unchecked %u, 123 expected\n", checked(), unchecked());
  return checked() == 123 && unchecked() == 123 ? 0 : 1;
}
