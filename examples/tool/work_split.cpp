#include "work_split.hpp"

#include "option_list.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace midend_tool {
namespace {

bool read_whole(std::string_view text, std::size_t& out) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
  return fault == std::errc() && end == text.data() + text.size();
}

bool read_shard(std::string_view text, work_split& out) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && read_whole(text.substr(0, slash), out.shard) &&
         read_whole(text.substr(slash + 1), out.num_shards) && out.shard < out.num_shards;
}

} // namespace

void add_split_options(CLI::App& command, work_split& split) {
  command.add_option("--jobs", split.jobs, "threads; the output is the same with any number")
      ->type_name("N")
      ->check(whole_number_between(1, 1024))
      ->capture_default_str();
  command
      .add_option_function<std::string>(
          "--shard", [&split](const std::string& text) { read_shard(text, split); },
          "only every N-th function of the file, from number I on, which counts from 0")
      ->type_name("I/N")
      ->check(CLI::Validator(
          [](std::string& text) {
            work_split ignored;
            return read_shard(text, ignored) ? std::string()
                                             : "'" + text + "' is not I/N with whole numbers, I from 0 to N - 1";
          },
          ""));
}

} // namespace midend_tool
