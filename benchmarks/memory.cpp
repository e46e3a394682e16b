#include "memory.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#if defined(__linux__)
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MIDEND_BENCHMARKS_COUNT_MALLOC 1
#else
#define MIDEND_BENCHMARKS_COUNT_MALLOC 0
#endif

#if MIDEND_BENCHMARKS_COUNT_MALLOC

// glibc lets a program replace malloc and friends, and offers its own under these names. While nothing is counted the
// price is one test of a flag for each call, the same for every contestant.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {

bool counting = false;
std::ptrdiff_t live_bytes = 0;
std::ptrdiff_t peak_bytes = 0;

void add(void* p) {
  if (p != nullptr) {
    live_bytes += static_cast<std::ptrdiff_t>(malloc_usable_size(p));
    peak_bytes = live_bytes > peak_bytes ? live_bytes : peak_bytes;
  }
}

void subtract(void* p) {
  if (p != nullptr) {
    live_bytes -= static_cast<std::ptrdiff_t>(malloc_usable_size(p));
  }
}

} // namespace

extern "C" {

void* malloc(std::size_t size) noexcept {
  void* const p = __libc_malloc(size);
  if (counting) [[unlikely]] {
    add(p);
  }
  return p;
}

void free(void* p) noexcept {
  if (counting) [[unlikely]] {
    subtract(p);
  }
  __libc_free(p);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  void* const p = __libc_calloc(count, size);
  if (counting) [[unlikely]] {
    add(p);
  }
  return p;
}

void* realloc(void* old, std::size_t size) noexcept {
  if (!counting) [[likely]] {
    return __libc_realloc(old, size);
  }
  subtract(old); // a block that moves counts once: it can grow in place as well
  void* const p = __libc_realloc(old, size);
  add(p == nullptr && size != 0 ? old : p);
  return p;
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  void* const p = __libc_memalign(alignment, size);
  if (counting) [[unlikely]] {
    add(p);
  }
  return p;
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return memalign(alignment, size);
}

int posix_memalign(void** result, std::size_t alignment, std::size_t size) noexcept {
  void* const p = memalign(alignment, size);
  if (p == nullptr) {
    return ENOMEM;
  }
  *result = p;
  return 0;
}

} // extern "C"

#endif

namespace midend_benchmarks {

std::optional<std::size_t> peak_heap_growth([[maybe_unused]] const std::function<void()>& work) {
#if MIDEND_BENCHMARKS_COUNT_MALLOC
  live_bytes = 0;
  peak_bytes = 0;
  counting = true;
  work();
  counting = false;
  return static_cast<std::size_t>(peak_bytes);
#else
  return std::nullopt;
#endif
}

void join_free_memory() {
#if defined(__GLIBC__)
  malloc_trim(0); // consolidates before it gives pages back
#endif
}

#if defined(__linux__)

namespace {

/// A line of /proc/self/status, in bytes.
std::optional<std::size_t> status_bytes(const char* key) {
  std::FILE* const status = std::fopen("/proc/self/status", "r");
  if (status == nullptr) {
    return std::nullopt;
  }
  std::optional<std::size_t> bytes;
  char line[256];
  while (std::fgets(line, sizeof line, status) != nullptr) {
    if (std::strncmp(line, key, std::strlen(key)) == 0) {
      bytes = std::strtoull(line + std::strlen(key), nullptr, 10) * 1024;
    }
  }
  std::fclose(status);
  return bytes;
}

/// Makes the high-water mark of the resident set start anew.
bool reset_high_water_mark() {
  std::FILE* const control = std::fopen("/proc/self/clear_refs", "w");
  if (control == nullptr) {
    return false;
  }
  const bool written = std::fputs("5", control) >= 0;
  return std::fclose(control) == 0 && written;
}

/// Makes large allocations behave as in a new process, where each is a mapping of its own that goes when it is freed.
/// For a process that is about to end: free pieces of the heap that could hold them are taken and lost.
void forget_free_memory() {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  constexpr std::size_t large = 128 * 1024; // the threshold of a new process; it rises with what is freed
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(large));
  const std::size_t mappings = mallinfo2().hblks;
  while (std::malloc(large) != nullptr && mallinfo2().hblks == mappings) {
  }
#endif
}

std::optional<std::size_t> measure_here(const std::function<void()>& work) {
  join_free_memory(); // and gives it back, so that the work has to ask the system for it again
  forget_free_memory();
  if (!reset_high_water_mark()) {
    return std::nullopt;
  }
  const auto before = status_bytes("VmRSS:");
  work();
  const auto peak = status_bytes("VmHWM:");
  if (!before || !peak) {
    return std::nullopt;
  }
  return *peak > *before ? *peak - *before : 0;
}

} // namespace

std::optional<std::size_t> peak_resident_growth(const std::function<void()>& work) {
  int channel[2];
  if (pipe(channel) != 0) {
    return std::nullopt;
  }
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const auto growth = measure_here(work);
    const bool sent = growth && write(channel[1], &*growth, sizeof *growth) == sizeof *growth;
    _exit(sent ? 0 : 1);
  }
  close(channel[1]);
  std::optional<std::size_t> growth;
  if (child > 0) {
    std::size_t received = 0;
    if (read(channel[0], &received, sizeof received) == sizeof received) {
      growth = received;
    }
    int status = 0;
    waitpid(child, &status, 0);
  }
  close(channel[0]);
  return growth;
}

#else

std::optional<std::size_t> peak_resident_growth(const std::function<void()>&) {
  return std::nullopt;
}

#endif

} // namespace midend_benchmarks
