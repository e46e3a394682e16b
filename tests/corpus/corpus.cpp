#include "corpus/corpus.hpp"

#include <midend/support/display_text.hpp>

#include <zlib.h>

#if __has_include(<unistd.h>)
#include <unistd.h>
#else
#include <io.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <unordered_set>
#include <utility>

namespace midend_corpus {
namespace {

/// Longer texts are refused: each successor takes at least two bytes, so that the offsets of edges fit 32 bits, and a
/// small archive cannot fill the memory without limit.
constexpr std::size_t max_text = 0xffff'ffff;

/// What a compressed file may become: a few kilobytes of it can stand for gigabytes.
constexpr std::size_t max_unpacked = std::size_t{1} << 28;

/// Variables are numbers, not lines, so that few bytes can promise many. Analyses have arrays by variable, and a bit
/// for each block and variable.
constexpr std::uint32_t max_variables = std::uint32_t{1} << 24;
constexpr std::uint64_t max_variable_bits = std::uint64_t{1} << 33;

/// `midend::max_nodes`; a test compares the two.
constexpr std::uint32_t max_blocks = 0x3fff'ffff;

/// A word of the file for a message: bytes that are not printable are shown by number, long words are cut.
std::string quoted(std::string_view word) {
  constexpr std::size_t longest = 40;
  constexpr char digits[] = "0123456789abcdef";
  std::string out = "'";
  for (const char c : word.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      out += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    } else {
      out += c;
    }
  }
  return out + (word.size() > longest ? "…'" : "'");
}

/// The words of one line, which are separated by one space each.
class line_reader {
public:
  line_reader() = default;

  explicit line_reader(std::string_view line) : line_(line) {}

  bool at_end() const { return at_ == line_.size(); }

  /// Where the next word starts, counted from 1 (behind the separating space, if there is one).
  std::size_t column() const { return at_ + (at_ != 0 && at_ < line_.size() ? 2 : 1); }

  /// The next word; empty at the end of the line and where two spaces follow each other or one ends the line.
  std::string_view word() {
    if (at_ != 0 && at_ < line_.size()) {
      ++at_;
    }
    const std::size_t first = at_;
    at_ = std::min(line_.find(' ', first), line_.size());
    return line_.substr(first, at_ - first);
  }

private:
  std::string_view line_;
  std::size_t at_ = 0;
};

/// What the parsers of both kinds of files share: lines, words, numbers, names, and errors with their place. Each
/// member function that returns `bool` leaves the reason in `error_` if it is false.
class record_parser {
protected:
  record_parser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::optional<file_error> too_long() const {
    return text_.size() > max_text ? std::optional(file_error{file_, 0, 0, "the text is longer than 4 GiB"})
                                   : std::nullopt;
  }

  /// Moves to the next line that is no comment and not empty, and to its first word.
  bool next_line() {
    while (at_ < text_.size()) {
      const std::size_t newline = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, newline - at_);
      at_ = newline + 1;
      ++line_number_;
      if (!line.empty() && line.back() == '\r') {
        line.remove_suffix(1);
      }
      if (!line.empty() && line.front() != '#') {
        line_ = line_reader(line);
        column_ = 1;
        keyword_ = line_.word();
        return true;
      }
    }
    return false;
  }

  bool fail(std::size_t line, std::size_t column, std::string message) {
    error_ = file_error{file_, line, column, std::move(message)};
    return false;
  }

  /// At the word that was read last.
  bool fail(std::string message) { return fail(line_number_, column_, std::move(message)); }

  /// Moves to the next line within a function.
  bool line_of_function(const std::string& name, std::size_t line, const char* expected) {
    if (next_line()) {
      return true;
    }
    return fail(line_number_ + 1, 1,
                std::string("the file ends within function ") + quoted(name) + " of line " + std::to_string(line) +
                    ", expected " + expected);
  }

  std::string_view word() {
    column_ = line_.column();
    return line_.word();
  }

  bool end_of_line() {
    if (line_.at_end()) {
      return true;
    }
    const std::string_view rest = word();
    return fail(rest.empty() ? "unexpected space" : "unexpected " + quoted(rest) + ", expected the end of the line");
  }

  /// A decimal number of at most `largest`.
  bool number(const char* what, std::uint32_t largest, std::uint32_t& out) {
    const std::string_view digits = word();
    if (digits.empty()) {
      return fail(std::string("expected ") + what);
    }
    std::uint64_t value = 0;
    for (const char c : digits) {
      if (c < '0' || c > '9') {
        return fail(std::string("expected ") + what + ", found " + quoted(digits));
      }
      value = value * 10 + static_cast<std::uint64_t>(c - '0');
      if (value > largest) {
        return fail(quoted(digits) + " is too large for " + what + ", which is at most " + std::to_string(largest));
      }
    }
    out = static_cast<std::uint32_t>(value);
    return true;
  }

  /// The `function` line that the parser is at.
  bool parse_name(std::string& out, std::size_t& line) {
    if (keyword_ != "function") {
      return fail("expected 'function', found " + quoted(keyword_));
    }
    line = line_number_;
    const std::string_view name = word();
    if (name.empty()) {
      return fail("expected the name of the function");
    }
    if (!midend::is_displayable({name.data(), name.size()})) {
      return fail("the name " + quoted(name) + " holds a control character");
    }
    if (!names_.insert(name).second) {
      return fail("there is another function " + quoted(name) + " in this file");
    }
    out = name;
    return end_of_line();
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t line_number_ = 0;
  line_reader line_;
  std::size_t column_ = 1; ///< of the word that was read last
  std::string_view keyword_;
  std::unordered_set<std::string_view> names_;
  std::optional<file_error> error_;
};

/// `.cfg` files.
class cfg_parser : record_parser {
public:
  cfg_parser(std::string_view text, const std::string& file) : record_parser(text, file) {}

  std::optional<file_error> parse(std::vector<cfg_function>& out) {
    out.clear();
    if (auto error = too_long()) {
      return error;
    }
    while (next_line()) {
      cfg_function f;
      if (!parse_function(f)) {
        return std::move(error_);
      }
      out.push_back(std::move(f));
    }
    return std::nullopt;
  }

private:
  bool parse_function(cfg_function& f) { return parse_name(f.name, f.line) && parse_blocks(f) && parse_variables(f); }

  bool parse_blocks(cfg_function& f) {
    std::uint32_t blocks = 0;
    if (!line_of_function(f.name, f.line, "'blocks'")) {
      return false;
    }
    if (keyword_ != "blocks") {
      return fail("expected 'blocks', found " + quoted(keyword_));
    }
    if (!number("the number of blocks", max_blocks, blocks)) {
      return false;
    }
    if (blocks == 0) {
      return fail("a function has at least one block, the entry");
    }
    if (!end_of_line()) {
      return false;
    }
    // The number is only believed as far as the text can hold that many lines.
    constexpr std::size_t shortest_line = sizeof "succ 0\n" - 1;
    f.offsets.reserve(std::min<std::size_t>(blocks, (text_.size() - std::min(at_, text_.size())) / shortest_line) + 2);
    for (std::uint32_t b = 0; b != blocks; ++b) {
      if (!parse_successors(f, b, blocks)) {
        return false;
      }
    }
    return true;
  }

  bool parse_successors(cfg_function& f, std::uint32_t block, std::uint32_t blocks) {
    if (!line_of_function(f.name, f.line, "'succ'")) {
      return false;
    }
    if (keyword_ != "succ") {
      return fail("expected 'succ " + std::to_string(block) + "', found " + quoted(keyword_));
    }
    std::uint32_t named = 0;
    if (!number("a block", blocks - 1, named)) {
      return false;
    }
    if (named != block) {
      return fail("expected the successors of block " + std::to_string(block) + ", found block " +
                  std::to_string(named));
    }
    while (!line_.at_end()) {
      std::uint32_t successor = 0;
      if (!number("a block", blocks - 1, successor)) {
        return false;
      }
      f.successor_list.push_back(successor);
    }
    f.offsets.push_back(static_cast<std::uint32_t>(f.successor_list.size()));
    return true;
  }

  /// What is left of a function: variables or not, and its `end`.
  bool parse_variables(cfg_function& f) {
    if (!line_of_function(f.name, f.line, "'end'")) {
      return false;
    }
    if (keyword_ == "vars") {
      if (!number("the number of variables", max_variables, f.num_variables)) {
        return false;
      }
      if (std::uint64_t{f.num_variables} * f.num_nodes() > max_variable_bits) {
        return fail(std::to_string(f.num_variables) + " variables in " + std::to_string(f.num_nodes()) +
                    " blocks are too many: variables times blocks are at most " + std::to_string(max_variable_bits));
      }
      if (!end_of_line() || !line_of_function(f.name, f.line, "'end'") ||
          !parse_facts(f, "def", f.definition_offsets, f.definitions) ||
          !parse_facts(f, "use", f.use_offsets, f.uses)) {
        return false;
      }
    }
    if (keyword_ == "end") {
      return end_of_line();
    }
    if (keyword_ == "def" || keyword_ == "use") {
      return fail(f.definition_offsets.empty() ? quoted(keyword_) + " without variables ('vars' comes before it)"
                                               : "'def' lines come before 'use' lines");
    }
    return fail("expected 'end', found " + quoted(keyword_));
  }

  /// The lines of one keyword, ascending by block; goes on to the line behind them.
  bool parse_facts(cfg_function& f, std::string_view keyword, std::vector<std::uint32_t>& offsets,
                   std::vector<std::uint32_t>& facts) {
    if (f.num_variables == 0) {
      return true;
    }
    const std::size_t blocks = f.num_nodes();
    offsets.reserve(blocks + 1);
    while (keyword_ == keyword) {
      std::uint32_t block = 0;
      if (!number("a block", static_cast<std::uint32_t>(blocks - 1), block)) {
        return false;
      }
      if (block < offsets.size()) {
        return fail("the blocks of '" + std::string(keyword) + "' lines ascend, and block " + std::to_string(block) +
                    " does not");
      }
      offsets.resize(block + std::size_t{1}, static_cast<std::uint32_t>(facts.size()));
      if (!parse_ascending(f.num_variables - 1, facts) || !line_of_function(f.name, f.line, "'end'")) {
        return false;
      }
    }
    offsets.resize(blocks + 1, static_cast<std::uint32_t>(facts.size()));
    return true;
  }

  bool parse_ascending(std::uint32_t largest, std::vector<std::uint32_t>& out) {
    const std::size_t first = out.size();
    while (!line_.at_end()) {
      std::uint32_t variable = 0;
      if (!number("a variable", largest, variable)) {
        return false;
      }
      if (out.size() != first && variable <= out.back()) {
        return fail("variables ascend, and " + std::to_string(variable) + " does not");
      }
      out.push_back(variable);
    }
    return true;
  }
};

/// The `proots` lines of `.expect` files.
class roots_parser : record_parser {
public:
  roots_parser(std::string_view text, const std::string& file) : record_parser(text, file) {}

  std::optional<file_error> parse(std::vector<function_roots>& out) {
    out.clear();
    if (auto error = too_long()) {
      return error;
    }
    while (next_line()) {
      function_roots f;
      if (!parse_function(f)) {
        return std::move(error_);
      }
      out.push_back(std::move(f));
    }
    return std::nullopt;
  }

private:
  bool parse_function(function_roots& f) {
    std::size_t line_of_name = 0;
    if (!parse_name(f.name, line_of_name)) {
      return false;
    }
    for (;;) {
      if (!line_of_function(f.name, line_of_name, "'end'")) {
        return false;
      }
      if (keyword_ == "proots") {
        if (!parse_list(f)) {
          return false;
        }
      } else if (keyword_ == "end") {
        return f.line != 0 ? end_of_line() : fail("function " + quoted(f.name) + " has no 'proots' line");
      } else if (keyword_ == "function") {
        return fail("expected 'end', found 'function'");
      }
    }
  }

  bool parse_list(function_roots& f) {
    if (f.line != 0) {
      return fail("function " + quoted(f.name) + " has another 'proots' line");
    }
    f.line = line_number_;
    while (!line_.at_end()) {
      std::uint32_t root = 0;
      if (!number("a block", max_blocks - 1, root)) {
        return false;
      }
      f.roots.push_back(root);
    }
    return true;
  }
};

struct gz_closer {
  void operator()(gzFile file) const { gzclose_r(file); }
};

/// Opens a file, or standard input without taking it from the program.
gzFile open_to_read(const std::string& path) {
  if (path != "-") {
    return gzopen(path.c_str(), "rb");
  }
  const int copy = dup(0);
  const gzFile file = copy < 0 ? nullptr : gzdopen(copy, "rb");
  if (file == nullptr && copy >= 0) {
    close(copy);
  }
  return file;
}

std::string zlib_message(gzFile file, const std::string& path) {
  int code = Z_OK;
  std::string_view message = gzerror(file, &code);
  if (code == Z_ERRNO) {
    return std::strerror(errno);
  }
  if (message.starts_with(path + ": ")) { // the error names the file once already
    message.remove_prefix(path.size() + 2);
  }
  return "broken gzip data: " + std::string(message);
}

} // namespace

std::string file_error::to_string() const {
  std::string out = file;
  if (line != 0) {
    out += ":" + std::to_string(line);
    if (column != 0) {
      out += ":" + std::to_string(column);
    }
  }
  return out + ": error: " + message;
}

std::string name_in_messages(const std::string& path) {
  return path == "-" ? "<stdin>" : path;
}

std::optional<file_error> read_text(const std::string& path, std::string& text) {
  text.clear();
  const auto failed = [&](std::string message) {
    text.clear();
    return file_error{name_in_messages(path), 0, 0, std::move(message)};
  };
  errno = 0;
  // zlib hands on what does not look like gzip as it is, so this reads plain files too.
  const std::unique_ptr<gzFile_s, gz_closer> file(open_to_read(path));
  if (file == nullptr) {
    return failed(std::string("cannot be opened: ") + (errno != 0 ? std::strerror(errno) : "out of memory"));
  }
  constexpr std::size_t step = std::size_t{1} << 18;
  gzbuffer(file.get(), step);
  std::size_t used = 0;
  for (;;) {
    text.resize(std::max(used + step, used + used / 2)); // grows in proportion, so that no byte is copied often
    const auto room = static_cast<unsigned>(std::min<std::size_t>(text.size() - used, std::numeric_limits<int>::max()));
    const int got = gzread(file.get(), text.data() + used, room);
    if (got < 0) {
      return failed("cannot be read: " + zlib_message(file.get(), path));
    }
    used += static_cast<std::size_t>(got);
    if (used > max_unpacked && gzdirect(file.get()) == 0) {
      return failed("the unpacked text is longer than 256 MiB; unpack the file first if it is meant to be");
    }
    if (used > max_text) {
      return failed("the text is longer than 4 GiB");
    }
    if (static_cast<unsigned>(got) < room) {
      break;
    }
  }
  text.resize(used);
  int status = Z_OK;
  gzerror(file.get(), &status); // a stream that breaks off is no error of gzread
  if (status != Z_OK) {
    return failed("cannot be read: " + zlib_message(file.get(), path));
  }
  if (path.ends_with(".gz") && gzdirect(file.get()) != 0) {
    return failed("is no gzip file");
  }
  return std::nullopt;
}

std::optional<file_error> write_text(const std::string& path, std::string_view text) {
  const auto failed = [&] {
    const std::string reason = errno != 0 ? std::string(": ") + std::strerror(errno) : std::string();
    return file_error{path == "-" ? "midend: standard output" : path, 0, 0, "cannot be written" + reason};
  };
  errno = 0;
  if (path.ends_with(".gz")) {
    const gzFile file = gzopen(path.c_str(), "wb");
    bool is_written = file != nullptr;
    for (std::size_t at = 0; is_written && at < text.size();) {
      const std::size_t part = std::min(text.size() - at, std::size_t{1} << 20);
      is_written = gzwrite(file, text.data() + at, static_cast<unsigned>(part)) == static_cast<int>(part);
      at += part;
    }
    is_written = (file != nullptr && gzclose_w(file) == Z_OK) && is_written;
    return is_written ? std::nullopt : std::optional(failed());
  }
  std::FILE* const file = path == "-" ? stdout : std::fopen(path.c_str(), "wb");
  bool is_written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr) {
    is_written = (path == "-" ? std::fflush(file) : std::fclose(file)) == 0 && is_written;
  }
  return is_written ? std::nullopt : std::optional(failed());
}

std::optional<file_error> parse_cfg(std::string_view text, const std::string& file, std::vector<cfg_function>& out) {
  return cfg_parser(text, file).parse(out);
}

std::optional<file_error> parse_roots(std::string_view text, const std::string& file,
                                      std::vector<function_roots>& out) {
  return roots_parser(text, file).parse(out);
}

std::optional<file_error> read_roots(const std::string& path, std::vector<function_roots>& out) {
  std::string text;
  if (auto error = read_text(path, text)) {
    out.clear();
    return error;
  }
  return parse_roots(text, name_in_messages(path), out);
}

std::optional<file_error> read_cfg(const std::string& path, std::vector<cfg_function>& out) {
  std::string text;
  if (auto error = read_text(path, text)) {
    out.clear();
    return error;
  }
  return parse_cfg(text, name_in_messages(path), out);
}

} // namespace midend_corpus
