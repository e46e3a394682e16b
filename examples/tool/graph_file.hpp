/// Files of control-flow graphs, read by the commands.
#pragma once

#include "exit_status.hpp"

#include <corpus/corpus.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace midend_tool {

/// Reads all functions. On failure prints the error with its line and returns its exit status.
std::optional<exit_status> read_graphs(const std::string& file, std::vector<midend_corpus::cfg_function>& out);

/// The same of the text of a file.
std::optional<exit_status> parse_graphs(const std::string& file, std::string_view text,
                                        std::vector<midend_corpus::cfg_function>& out);

/// The message of an error, with its line of the text.
std::string with_source(const midend_corpus::file_error& error, std::string_view text);

} // namespace midend_tool
