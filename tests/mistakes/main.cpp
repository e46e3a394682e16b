// Runs the mistake that the argument names; status 3 if there is none.
#include "mistakes.hpp"

int main(int argc, char** argv) {
  for (const mistake* m = mistake::first; m != nullptr; m = m->next) {
    if (argc == 2 && std::strcmp(m->name, argv[1]) == 0) {
      std::setvbuf(stdout, nullptr, _IONBF, 0);
      m->run();
      return 0;
    }
  }
  return 3;
}
