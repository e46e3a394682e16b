#include "kit/small_stack.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <thread>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace midend_tests {

std::string on_a_small_stack(const std::function<std::string()>& check) {
  struct job {
    const std::function<std::string()>* check;
    std::string wrong;
  } work{&check, "the thread did not run"};

  const auto run = [](void* argument) -> void* {
    job& mine = *static_cast<job*>(argument);
    mine.wrong = (*mine.check)();
    return nullptr;
  };
#if defined(__unix__) || defined(__APPLE__)
  constexpr std::size_t stack_bytes = std::size_t{256} << 10;
  pthread_attr_t attributes;
  pthread_t thread;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, stack_bytes) == 0);
  REQUIRE(pthread_create(&thread, &attributes, run, &work) == 0);
  REQUIRE(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
#else
  std::thread([&] { run(&work); }).join();
#endif
  return work.wrong;
}

} // namespace midend_tests
