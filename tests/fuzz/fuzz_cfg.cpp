// Bytes to the readers of .cfg files and of the roots in .expect files: they must give functions or an error with a
// line, and do nothing else.
#include <midend/midend.hpp>

#include <corpus/corpus.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<midend_corpus::cfg_function> functions;
  const auto error = midend_corpus::parse_cfg(text, "input", functions);
  if (error && error->to_string().empty()) {
    std::abort();
  }
  for (const midend_corpus::cfg_function& f : functions) { // whatever was accepted is a graph
    if (f.num_nodes() != 0) {
      static_cast<void>(midend::natural_loops(f, midend::dominators(f)));
    }
  }
  std::vector<midend_corpus::function_roots> roots;
  const auto wrong_roots = midend_corpus::parse_roots(text, "input", roots);
  if (wrong_roots && wrong_roots->to_string().empty()) {
    std::abort();
  }
  return 0;
}
