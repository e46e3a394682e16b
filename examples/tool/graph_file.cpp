#include "graph_file.hpp"

#include "messages.hpp"

namespace midend_tool {

std::optional<exit_status> read_graphs(const std::string& file, std::vector<midend_corpus::cfg_function>& out) {
  std::string text;
  if (const auto error = midend_corpus::read_text(file, text)) {
    return complain(exit_bad_input, error->to_string());
  }
  return parse_graphs(file, text, out);
}

std::optional<exit_status> parse_graphs(const std::string& file, std::string_view text,
                                        std::vector<midend_corpus::cfg_function>& out) {
  const std::string name = midend_corpus::name_in_messages(file);
  if (file.ends_with(".ll") || file.ends_with(".bc")) {
    return complain(exit_bad_input,
                    name +
                        ": error: this is LLVM IR; `llvm_to_eir` makes a program of it, for `midend opt` and others");
  }
  if (file.ends_with(".eir") || file.ends_with(".eir.gz")) {
    return complain(exit_bad_input, name + ": error: this is a program, for `midend opt` and others; expected "
                                           "control-flow graphs (.cfg)");
  }
  if (const auto error = midend_corpus::parse_cfg(text, name, out)) {
    return complain(exit_bad_input, with_source(*error, text));
  }
  return std::nullopt;
}

std::string with_source(const midend_corpus::file_error& error, std::string_view text) {
  return error.to_string() + source_excerpt(text, error.line, error.column);
}

} // namespace midend_tool
