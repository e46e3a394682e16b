#include "eir_file.hpp"

#include "exit_status.hpp"
#include "program_names.hpp"

#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/initialization.hpp>
#include <midend/elbrus/views/statement_view.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/viz/ir_errors.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace midend_tool {
namespace {

std::string with_reason(const std::string& file, const char* what) {
  return file + ": error: " + what + (errno != 0 ? std::string(": ") + std::strerror(errno) : std::string());
}

void print_all(const std::string& file, const char* kind, const std::vector<midend::elbrus::diagnostic>& all) {
  for (const midend::elbrus::diagnostic& one : all) {
    std::fprintf(stderr, "%s:%u:%u: %s: %s\n", printable(file).c_str(), one.location.line, one.location.column, kind,
                 one.message.c_str());
  }
}

/// Every value has a name: operations without a result are called by their numbers.
struct names_of_all {
  program_names names;

  std::string value(midend::value_id v) const {
    const std::string name = names.value(v);
    return name.empty() ? "operation " + std::to_string(v) : name;
  }

  std::string node(midend::node_id n) const { return names.node(n); }
};

} // namespace

std::optional<std::string> read_text(const std::string& file, std::string& text) {
  const bool standard = file == "-";
  errno = 0;
  std::FILE* const in = standard ? stdin : std::fopen(file.c_str(), "rb");
  if (in == nullptr) {
    return with_reason(file, "cannot be opened");
  }
  std::vector<char> buffer(std::size_t{1} << 16);
  text.clear();
  errno = 0;
  for (std::size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), in)) != 0;) {
    text.append(buffer.data(), got);
  }
  const bool failed = std::ferror(in) != 0;
  std::optional<std::string> problem;
  if (failed) {
    problem = with_reason(file, "cannot be read");
  }
  if (!standard) {
    std::fclose(in);
  }
  return problem;
}

std::optional<std::string> write_text(const std::string& file, std::string_view text) {
  const bool standard = file == "-";
  errno = 0;
  std::FILE* const out = standard ? stdout : std::fopen(file.c_str(), "wb");
  bool done = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (out != nullptr) {
    done = (standard ? std::fflush(out) : std::fclose(out)) == 0 && done;
  }
  if (!done) {
    return with_reason(standard ? "midend: standard output" : file, "cannot be written");
  }
  return std::nullopt;
}

void complain_about(const std::string& file, const std::vector<midend::elbrus::diagnostic>& errors) {
  print_all(file, "error", errors);
}

void warn_about(const std::string& file, const midend::elbrus::program& all) {
  for (const midend::elbrus::procedure& p : all.procedures) {
    print_all(file, "warning", midend::elbrus::initialization_warnings(p));
  }
}

std::optional<std::string> check_views(const midend::elbrus::procedure& p) {
  std::optional<midend::ir_error> error = midend::check_ir(midend::elbrus::cost_view(p));
  if (!error) {
    error = midend::check_ir(midend::elbrus::statement_view(p));
  }
  return error ? std::optional("procedure '@" + std::string(p.name()) +
                               "': " + midend::to_text(*error, names_of_all{program_names(p)}))
               : std::nullopt;
}

void assume_loops_end(midend::elbrus::program& all) {
  for (midend::elbrus::procedure& p : all.procedures) {
    p.set_must_progress(true);
  }
}

std::optional<midend::elbrus::program> read_program(const std::string& file) {
  std::string text;
  if (const auto problem = read_text(file, text)) {
    complain(exit_bad_input, *problem);
    return std::nullopt;
  }
  midend::elbrus::parse_result parsed = midend::elbrus::parse(text);
  std::vector<midend::elbrus::diagnostic> errors = std::move(parsed.diagnostics);
  const std::vector<midend::elbrus::diagnostic> more = midend::elbrus::verify(parsed.program);
  errors.insert(errors.end(), more.begin(), more.end());
  if (!errors.empty()) {
    midend::elbrus::sort_by_place(errors);
    complain_about(file, errors);
    return std::nullopt;
  }
  for (const midend::elbrus::procedure& p : parsed.program.procedures) {
    if (const auto problem = check_views(p)) { // the verifier should have found it
      complain(exit_bad_input, file + ": error: " + *problem);
      return std::nullopt;
    }
  }
  return std::move(parsed.program);
}

} // namespace midend_tool
