#include "messages.hpp"

#include <midend/support/display_text.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace midend_tool {
namespace {

constexpr std::string_view plain = "\x1b[0m";
constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view bold_red = "\x1b[1;31m";
constexpr std::string_view bold_magenta = "\x1b[1;35m";
constexpr std::string_view bold_green = "\x1b[1;32m";

/// See no-color.org: any text that is not empty.
bool is_in_colour() {
#if __has_include(<unistd.h>)
  const char* const none = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return (none == nullptr || *none == '\0') && terminal != nullptr && std::string_view(terminal) != "dumb" &&
         isatty(STDERR_FILENO) != 0;
#else
  return false;
#endif
}

/// The characters of a text as they are displayed, one by one.
std::vector<std::string> displayed_characters(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::vector<std::string> out;
  for (std::size_t i = 0; i != text.size();) {
    const std::size_t length = midend::displayed_length({text.data(), text.size()}, i);
    if (length != 0) {
      out.emplace_back(text.substr(i, length));
      i += length;
      continue;
    }
    const auto byte = static_cast<unsigned char>(text[i++]);
    for (const char c : {'\\', 'x', digits[byte / 16], digits[byte % 16]}) {
      out.emplace_back(1, c);
    }
  }
  return out;
}

/// The line with this number, without its end; nothing if the text is shorter.
std::string_view line_of(std::string_view text, std::size_t line) {
  for (; line > 1; --line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      return {};
    }
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  return text.ends_with('\r') ? text.substr(0, text.size() - 1) : text;
}

/// The first line is the message, what follows is an excerpt.
std::string in_colour(std::string_view message) {
  const std::string_view first = message.substr(0, message.find('\n'));
  std::string rest(message.substr(first.size()));
  for (const auto& [word, colour] :
       {std::pair{std::string_view("error: "), bold_red}, std::pair{std::string_view("warning: "), bold_magenta},
        std::pair{std::string_view("trap: "), bold_red}}) {
    const std::size_t at = first.find(word);
    if (at == std::string_view::npos || (at != 0 && first[at - 1] != ' ')) {
      continue;
    }
    if (const std::size_t mark = rest.rfind('^'); mark != std::string::npos) {
      rest.replace(mark, 1, std::string(bold_green) + "^" + std::string(plain));
    }
    return std::string(bold) + std::string(first.substr(0, at)) + std::string(colour) + std::string(word) +
           std::string(plain) + std::string(bold) + std::string(first.substr(at + word.size())) + std::string(plain) +
           rest;
  }
  return std::string(message);
}

} // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (;;) {
    const std::string_view line = text.substr(0, text.find('\n'));
    for (const std::string& c : displayed_characters(line)) {
      out += c;
    }
    if (line.size() == text.size()) {
      return out;
    }
    out += '\n';
    text.remove_prefix(line.size() + 1);
  }
}

void print_message(std::string_view message) {
  const std::string shown = printable(message);
  std::fprintf(stderr, "%s\n", is_in_colour() ? in_colour(shown).c_str() : shown.c_str());
}

exit_status complain(exit_status status, std::string_view message) {
  print_message(message);
  return status;
}

std::string source_excerpt(std::string_view text, std::size_t line, std::size_t column) {
  constexpr std::size_t widest = 100;
  std::string all(line == 0 || column == 0 ? std::string_view() : line_of(text, line));
  std::replace(all.begin(), all.end(), '\t', ' ');
  if (all.find_first_not_of(' ') == std::string::npos) {
    return {};
  }
  const std::vector<std::string> characters = displayed_characters(all);
  const std::size_t mark = displayed_characters(std::string_view(all).substr(0, column - 1)).size();
  // Long lines are cut so that the mark stays in sight.
  const std::size_t first =
      characters.size() > widest && mark > widest / 2 ? std::min(mark - widest / 2, characters.size() - widest) : 0;
  const std::size_t last = std::min(characters.size(), first + widest);
  const std::string number = std::to_string(line);
  std::string out = "\n" + std::string(number.size() < 5 ? 5 - number.size() : 0, ' ') + number + " | ";
  const std::size_t margin = out.size() - 1;
  out += first != 0 ? "…" : "";
  for (std::size_t i = first; i != last; ++i) {
    out += characters[i];
  }
  out += last != characters.size() ? "…" : "";
  out += "\n" + std::string(margin - 2, ' ') + "| " + std::string(mark - first + (first != 0 ? 1 : 0), ' ') + "^";
  return out;
}

} // namespace midend_tool
