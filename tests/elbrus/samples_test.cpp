// The sample programs: they are read without errors, and give what the comments above them say.
//
//     # run: @PROCEDURE ARGUMENTS… --memory=NAME:TYPE:v,v,… => RESULT
//
// is a command line of `midend run` without the file, and what it returns. Here it is read in a simpler way: no step
// limits, no host functions.
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/literal.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/trap_text.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace midend::elbrus;

namespace {

std::vector<std::filesystem::path> sample_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(MIDEND_TEST_DATA "/../../examples/programs")) {
    if (entry.path().extension() == ".eir") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string errors_of(const program& p) {
  std::string all;
  for (const diagnostic& error : verify(p)) {
    all += std::to_string(error.location.line) + ": " + error.message + '\n';
  }
  return all;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in{std::string(text)};
  for (std::string part; std::getline(in, part, separator);) {
    if (!part.empty()) {
      parts.push_back(part);
    }
  }
  return parts;
}

/// The elements of `NAME:TYPE:v,v,…` or `NAME:TYPE:v*COUNT`.
void add_memory(memory& arrays, std::string_view option) {
  const std::vector<std::string> parts = split(option, ':');
  REQUIRE(parts.size() == 3);
  const std::optional<type> element = type_named(parts[1]);
  REQUIRE(element);
  std::vector<std::uint64_t> values;
  for (const std::string& word : split(parts[2], ',')) {
    const std::size_t star = word.find('*');
    const literal value = parse_literal(std::string_view(word).substr(0, star), *element);
    REQUIRE(value.fault == literal_fault::none);
    values.insert(values.end(), star == std::string::npos ? 1 : std::stoul(word.substr(star + 1)), value.bits);
  }
  arrays.add(parts[0], *element, values);
}

/// Runs what stands after `# run:` and returns value or trap as text.
std::string run_line(const program& all, const std::vector<std::string>& words) {
  memory arrays;
  for (const std::string& word : words) {
    if (word.starts_with("--memory=")) {
      add_memory(arrays, std::string_view(word).substr(9));
    }
  }
  interpreter machine(all);
  const auto number = machine.find(words[0].substr(1));
  REQUIRE(number);
  const procedure& p = all.procedures[*number];
  std::vector<scalar> arguments;
  for (std::size_t i = 1; i != words.size(); ++i) {
    if (words[i].starts_with("--")) {
      continue;
    }
    REQUIRE(arguments.size() < p.parameters().size());
    const type wanted = p.value(p.parameters()[arguments.size()]).type;
    if (words[i][0] == '@') {
      const auto array = arrays.find(words[i].substr(1));
      REQUIRE(array);
      arguments.push_back({wanted, memory::address_of(*array)});
    } else {
      const literal value = parse_literal(words[i], wanted);
      REQUIRE(value.fault == literal_fault::none);
      arguments.push_back({wanted, value.bits});
    }
  }
  const run_result result = machine.run(*number, arguments, arrays);
  if (result.trap) {
    return "trap: " + to_text(all.procedures, *result.trap);
  }
  return result.value ? literal_text(result.value->type, result.value->bits) : "nothing";
}

} // namespace

TEST_CASE("samples: read and verified without errors") {
  CHECK(sample_files().size() >= 7);
  for (const auto& file : sample_files()) {
    CAPTURE(file.string());
    const parse_result read = parse(contents(file));
    CHECK(read.diagnostics.empty());
    CHECK(errors_of(read.program) == "");
  }
}

TEST_CASE("samples: printing and reading again gives the same program") {
  for (const auto& file : sample_files()) {
    CAPTURE(file.string());
    const program first = parse(contents(file)).program;
    const std::string text = to_text(first);
    const parse_result second = parse(text);
    CHECK(second.diagnostics.empty());
    CHECK(difference(first, second.program) == "");
    CHECK(to_text(second.program) == text);
  }
}

TEST_CASE("samples: results are those that their comments say") {
  int runs = 0;
  for (const auto& file : sample_files()) {
    const std::string text = contents(file);
    const parse_result read = parse(text);
    for (const std::string& line : split(text, '\n')) {
      if (!line.starts_with("# run: ")) {
        continue;
      }
      CAPTURE(file.string());
      CAPTURE(line);
      const std::size_t arrow = line.find(" => ");
      REQUIRE(arrow != std::string::npos);
      CHECK(run_line(read.program, split(std::string_view(line).substr(7, arrow - 7), ' ')) == line.substr(arrow + 4));
      ++runs;
    }
  }
  CHECK(runs >= 50);
}
