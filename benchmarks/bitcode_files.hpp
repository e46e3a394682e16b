/// The bitcode that benchmarks of LLVM's passes run on.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

namespace midend_benchmarks {

/// The `.bc` files of the directory that the environment variable MIDEND_BITCODE_DIRECTORY names, by name. None if
/// there is no such variable or directory.
inline std::vector<std::filesystem::path> bitcode_files() {
  const char* const directory = std::getenv("MIDEND_BITCODE_DIRECTORY");
  std::vector<std::filesystem::path> files;
  std::error_code problem;
  for (const auto& file : std::filesystem::directory_iterator(directory == nullptr ? "" : directory, problem)) {
    if (file.path().extension() == ".bc") {
      files.push_back(file.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

} // namespace midend_benchmarks
