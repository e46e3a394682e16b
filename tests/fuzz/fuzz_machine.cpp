// Bytes to the reader of machine files: there must be an error with a place or a machine, and that is written and read
// again as the same one.
#include <midend/machine/machine_file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

namespace {

void require(bool condition, const char* what, std::span<const char> text) {
  if (!condition) {
    std::fprintf(stderr, "fuzz_machine: %s\n%.*s\n", what, static_cast<int>(text.size()), text.data());
    std::abort();
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const char> source(reinterpret_cast<const char*>(data), size);
  const auto first = midend::read_machine(source);
  if (!first) {
    const midend::machine_file_error& e = first.error();
    const auto lines = static_cast<std::uint32_t>(std::count(source.begin(), source.end(), '\n')) + 1;
    require(e.line >= 1 && e.line <= lines && e.column >= 1 && e.column <= size + 1, "an error without a place",
            source);
    return 0;
  }
  midend::flat_array<char> text;
  midend::write_machine(*first, text);
  const auto second = midend::read_machine(text);
  require(static_cast<bool>(second), "what was written cannot be read", text);
  require(*second == *first, "another machine was read again", text);
  midend::flat_array<char> again;
  midend::write_machine(*second, again);
  require(again == text, "what was read again is written in another way", text);
  return 0;
}
