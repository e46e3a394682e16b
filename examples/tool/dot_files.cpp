#include "dot_files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace midend_tool {

std::optional<std::string> dot_files::open(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error || !std::filesystem::is_directory(directory, error)) {
    return directory + ": error: cannot be made a directory" + (error ? ": " + error.message() : std::string());
  }
  directory_ = directory;
  return std::nullopt;
}

std::optional<std::string> dot_files::write(std::string_view function, std::string_view picture,
                                            std::string_view step) {
  const std::string path = (std::filesystem::path(directory_) / file_name(function, step)).string();
  errno = 0;
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  bool done = file != nullptr && std::fwrite(picture.data(), 1, picture.size(), file) == picture.size();
  done = (file == nullptr || std::fclose(file) == 0) && done;
  if (!done) {
    return path + ": error: cannot be written" +
           (errno != 0 ? std::string(": ") + std::strerror(errno) : std::string());
  }
  return std::nullopt;
}

std::string dot_files::file_name(std::string_view function, std::string_view step) {
  constexpr std::size_t longest = 100; // file systems allow 255 with the rest
  constexpr std::string_view kept = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  std::string base;
  for (const std::string_view part : {function.substr(0, longest), step.substr(0, longest)}) {
    for (const char c : part) {
      base += kept.find(c) != std::string_view::npos ? c : '_';
    }
  }
  if (base.front() == '.' || base.front() == '-') {
    base.front() = '_'; // neither hidden nor an option
  }
  std::string name = base;
  for (std::size_t copy = 2; !used_.insert(name).second; ++copy) {
    name = base + "-" + std::to_string(copy);
  }
  return name + ".dot";
}

} // namespace midend_tool
