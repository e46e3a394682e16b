#include "eir_file.hpp"

#include "messages.hpp"
#include "program_names.hpp"
#include "text.hpp"

#include <corpus/corpus.hpp>

#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/initialization.hpp>
#include <midend/elbrus/views/statement_view.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/viz/ir_errors.hpp>

namespace midend_tool {
namespace {

std::vector<std::string> all_messages(const std::string& file, std::string_view text, const char* kind,
                                      const std::vector<midend::elbrus::diagnostic>& all) {
  std::vector<std::string> out;
  for (const midend::elbrus::diagnostic& one : all) {
    std::string said = midend_corpus::name_in_messages(file);
    append(said, ":", one.location.line, ":", one.location.column, ": ", kind, ": ", one.message,
           source_excerpt(text, one.location.line, one.location.column));
    out.push_back(std::move(said));
  }
  return out;
}

void print_all(const std::vector<std::string>& all) {
  for (const std::string& one : all) {
    print_message(one);
  }
}

/// What to do with a file that is not in the Elbrus-like IR.
std::optional<std::string> other_kind(const std::string& file, std::string_view text) {
  const std::string said = midend_corpus::name_in_messages(file) + ": error: ";
  if (file.ends_with(".ll") || file.ends_with(".bc") || text.starts_with("BC\xc0\xde")) {
    const std::string name = file == "-" ? "FILE.bc" : file;
    const std::string stem = name.substr(name.find_last_of('/') + 1, std::string::npos);
    return said + "this is LLVM IR; `llvm_to_eir " + name + " > " + stem.substr(0, stem.size() - 3) +
           ".eir` makes a program of it";
  }
  if (file.ends_with(".cfg") || file.ends_with(".cfg.gz")) {
    return said + "these are control-flow graphs, for `midend cfg` and `midend report`; expected a program (.eir)";
  }
  return std::nullopt;
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
  const auto error = midend_corpus::read_text(file, text);
  return error ? std::optional(error->to_string()) : std::nullopt;
}

std::optional<std::string> write_text(const std::string& file, std::string_view text) {
  const auto error = midend_corpus::write_text(file, text);
  return error ? std::optional(error->to_string()) : std::nullopt;
}

std::vector<std::string> messages_of(const std::string& file, const char* kind,
                                     const std::vector<midend::elbrus::diagnostic>& all) {
  return all_messages(file, {}, kind, all);
}

void complain_about(const std::string& file, const std::vector<midend::elbrus::diagnostic>& errors,
                    std::string_view text) {
  print_all(all_messages(file, text, "error", errors));
}

void warn_about(const std::string& file, const midend::elbrus::program& all) {
  for (const midend::elbrus::procedure& p : all.procedures) {
    print_all(all_messages(file, {}, "warning", midend::elbrus::initialization_warnings(p)));
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
  return parse_program(file, text);
}

std::optional<midend::elbrus::program> parse_program(const std::string& file, std::string_view text) {
  if (const auto problem = other_kind(file, text)) {
    complain(exit_bad_input, *problem);
    return std::nullopt;
  }
  midend::elbrus::parse_result parsed = midend::elbrus::parse(text);
  std::vector<midend::elbrus::diagnostic> errors = std::move(parsed.diagnostics);
  const std::vector<midend::elbrus::diagnostic> more = midend::elbrus::verify(parsed.program);
  errors.insert(errors.end(), more.begin(), more.end());
  if (!errors.empty()) {
    midend::elbrus::sort_by_place(errors);
    complain_about(file, errors, text);
    return std::nullopt;
  }
  for (const midend::elbrus::procedure& p : parsed.program.procedures) {
    if (const auto problem = check_views(p)) { // the verifier should have found it
      complain(exit_bad_input, midend_corpus::name_in_messages(file) + ": error: " + *problem);
      return std::nullopt;
    }
  }
  return std::move(parsed.program);
}

} // namespace midend_tool
