// config.hpp: the default contract handler beside headers that make macros of C functions, as GCC's system.h does:
// before the first header of midend and after it. That this file compiles is most of the test.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

[[noreturn]] [[maybe_unused]] void fancy_abort(const char*, int, const char*) {
  std::_Exit(3);
}

} // namespace

#undef abort
#define abort() fancy_abort(__FILE__, __LINE__, __FUNCTION__)
#undef fputc
#define fputc(C, Stream) fputc_unlocked(C, Stream)
#undef fprintf
#define fprintf fprintf_unlocked
#pragma GCC poison calloc strdup strndup

#include <midend/midend.hpp>

#undef fputc
#define fputc(C, Stream) putc_after(C, Stream)

namespace {

// The macros are as they were.
#define MIDEND_TEST_TEXT_OF(x) #x
#define MIDEND_TEST_TEXT(x) MIDEND_TEST_TEXT_OF(x)
constexpr const char* abort_text = MIDEND_TEST_TEXT(abort());
constexpr const char* fprintf_text = MIDEND_TEST_TEXT(fprintf);

} // namespace

#undef abort
#undef fputc
#undef fprintf
#include <doctest/doctest.h>

#include <string>

TEST_CASE("contracts: macros named like C functions before and after midend's headers") {
  CHECK(std::string(abort_text).rfind("fancy_abort(", 0) == 0);
  CHECK(std::string(fprintf_text) == "fprintf_unlocked");
  const midend::flat_array<int> array(3, 7);
  CHECK(array[2] == 7);
}
