#include "kit/expectations.hpp"

#include <corpus/corpus.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace midend_tests {

namespace {

/// The words of a line from a position on, one after the other.
class words {
public:
  explicit words(std::string_view line) : rest_(line) {}

  bool at_end() const { return rest_.empty(); }

  std::string_view next() {
    const std::size_t space = std::min(rest_.find(' '), rest_.size());
    const std::string_view word = rest_.substr(0, space);
    rest_.remove_prefix(std::min(space + 1, rest_.size()));
    return word;
  }

  std::int64_t number() {
    const std::string word(next());
    char* end = nullptr;
    const std::int64_t value = std::strtoll(word.c_str(), &end, 10);
    REQUIRE_MESSAGE((!word.empty() && *end == '\0'), "not a number: '" << word << "'");
    return value;
  }

  /// The numbers up to a separator, which is passed, or the end of the line.
  std::vector<std::int64_t> list(std::string_view separator = {}) {
    std::vector<std::int64_t> out;
    while (!at_end()) {
      if (!separator.empty() && rest_.starts_with(separator)) {
        next();
        return out;
      }
      out.push_back(number());
    }
    REQUIRE_MESSAGE(separator.empty(), "expected '" << std::string(separator) << "'");
    return out;
  }

  void expect(std::string_view word) { REQUIRE_MESSAGE(next() == word, "expected '" << std::string(word) << "'"); }

private:
  std::string_view rest_;
};

expected_loop parse_loop(words line) {
  expected_loop loop;
  loop.header = line.number();
  loop.parent_header = line.number();
  loop.depth = line.number();
  line.expect(":");
  loop.blocks = line.list(";");
  line.expect("latches");
  loop.latches = line.list(";");
  line.expect("preheader");
  loop.preheader = line.number();
  line.expect(";");
  line.expect("exiting");
  loop.exiting = line.list(";");
  line.expect("exits");
  loop.exits = line.list();
  return loop;
}

expected_cycle parse_cycle(words line) {
  expected_cycle cycle;
  cycle.depth = line.number();
  cycle.parent = line.number();
  line.expect(":");
  cycle.entries = line.list(":");
  cycle.blocks = line.list();
  return cycle;
}

} // namespace

std::vector<expected_function> read_expectations(const std::string& path) {
  std::string text;
  const auto error = midend_corpus::read_text(path, text);
  REQUIRE_MESSAGE(!error.has_value(), (error ? error->to_string() : ""));
  std::vector<expected_function> out;
  bool open = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t newline = std::min(text.find('\n', at), text.size());
    words line(std::string_view(text).substr(at, newline - at));
    at = newline + 1;
    if (line.at_end()) {
      continue;
    }
    const std::string_view kind = line.next();
    if (kind.starts_with('#')) {
      continue;
    }
    REQUIRE(open == (kind != "function"));
    if (kind == "function") {
      out.emplace_back();
      out.back().name = line.next();
      open = true;
    } else if (kind == "idom") {
      out.back().immediate_dominators = line.list();
    } else if (kind == "proots") {
      out.back().post_dominator_roots = line.list();
    } else if (kind == "ipdom") {
      out.back().immediate_post_dominators = line.list();
    } else if (kind == "scc") {
      out.back().components = line.list();
    } else if (kind == "loop") {
      out.back().loops.push_back(parse_loop(line));
    } else if (kind == "cycle") {
      out.back().cycles.push_back(parse_cycle(line));
    } else if (kind == "df") {
      const std::int64_t block = line.number();
      out.back().frontiers[block] = line.list();
    } else if (kind == "phi") {
      const std::int64_t variable = line.number();
      out.back().phis[variable] = line.list();
    } else if (kind == "livein") {
      const std::int64_t block = line.number();
      out.back().live_in[block] = line.list();
    } else if (kind == "end") {
      open = false;
    }
  }
  REQUIRE_FALSE(open);
  return out;
}

} // namespace midend_tests
