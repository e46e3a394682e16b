// Bytes to the reader of .eir files: there must be errors with a place or a program, and that is printed and read again
// as the same one. The verifier takes whatever was read.
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using namespace midend::elbrus;

namespace {

void require(bool condition, const char* what, const std::string& text) {
  if (!condition) {
    std::fprintf(stderr, "fuzz_eir: %s\n%s\n", what, text.c_str());
    std::abort();
  }
}

void check_places(const std::vector<diagnostic>& diagnostics, std::string_view text) {
  std::uint32_t lines = 1;
  for (const char c : text) {
    lines += c == '\n' ? 1 : 0;
  }
  for (const diagnostic& d : diagnostics) {
    const bool inside = d.location.line >= 1 && d.location.line <= lines && d.location.column >= 1 &&
                        d.location.column <= text.size() + 1;
    require(inside && !d.message.empty(), "an error without a place", d.message);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const parse_result first = parse(source);
  check_places(first.diagnostics, source);
  const std::string text = to_text(first.program);
  const parse_result second = parse(text);
  require(second.diagnostics.empty(), "what was printed cannot be read", text);
  require(to_text(second.program) == text, "what was read again is printed in another way", text);
  require(equal(first.program, second.program), "another program was read again", text);
  require(verify(first.program).size() == verify(second.program).size(), "other errors in what was read again", text);
  return 0;
}
