/// `lexer`: the tokens of a text in the Elbrus-like IR.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/identifier.hpp"
#include "midend/elbrus/records.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// The kind of a token.
enum class token_kind : std::uint8_t {
  end,
  word,      ///< letters, digits, `_` and `.`, not beginning with a digit or `.`
  number,    ///< begins with a digit, or with `-` and a digit or letter: `12`, `-0x1.8p+1`, `-inf`
  value,     ///< `%name`
  variable,  ///< `$name`
  procedure, ///< `@name`
  arrow,     ///< `->`
  symbol,    ///< one character of punctuation
  unknown    ///< characters that the language does not use
};

/// A piece of the text.
struct token {
  token_kind kind = token_kind::end;
  bool first_in_line = false;
  source_location location = {};
  std::string_view text = {};

  /// The name of a value, variable or procedure, without its sign.
  std::string_view name() const { return text.substr(1); }

  bool is_symbol(char c) const { return kind == token_kind::symbol && text[0] == c; }

  bool is_word(std::string_view word) const { return kind == token_kind::word && text == word; }
};

/// Splits a text into tokens. White space and comments, from `#` to the end of the line, separate them; lines end with
/// `\n`. Columns count bytes. Any bytes are accepted. Linear.
class lexer {
public:
  /// The text must outlive the tokens.
  explicit lexer(std::string_view text) : text_(text) {
    if (text.substr(0, 3) == "\xef\xbb\xbf") { // byte order mark
      at_ = 3;
    }
  }

  /// The next token; after the last one, always `token_kind::end`.
  token next() {
    skip_blanks();
    token t;
    t.first_in_line = line_begins_;
    t.location = {line_, static_cast<std::uint32_t>(at_ - line_start_ + 1)};
    const std::size_t first = at_;
    t.kind = scan();
    t.text = text_.substr(first, at_ - first);
    line_begins_ = false;
    return t;
  }

private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void skip_blanks() {
    for (; at_ != text_.size(); ++at_) {
      if (text_[at_] == '\n') {
        end_line();
      } else if (text_[at_] == '#') {
        const std::size_t newline = text_.find('\n', at_);
        at_ = (newline == std::string_view::npos ? text_.size() : newline) - 1;
      } else if (text_[at_] != ' ' && text_[at_] != '\t' && text_[at_] != '\r') {
        return;
      }
    }
  }

  void end_line() {
    ++line_;
    line_start_ = at_ + 1;
    line_begins_ = true;
  }

  /// Moves past the token.
  token_kind scan() {
    if (at_ == text_.size()) {
      return token_kind::end;
    }
    const char c = text_[at_++];
    if (detail::begins_word(c)) {
      skip_word();
      return token_kind::word;
    }
    if (detail::is_digit(c) || (c == '-' && detail::continues_word(peek()))) {
      skip_number();
      return token_kind::number;
    }
    switch (c) {
    case '%':
      return scan_name(token_kind::value);
    case '$':
      return scan_name(token_kind::variable);
    case '@':
      return scan_name(token_kind::procedure);
    case '-':
      return scan_dash();
    default:
      return std::string_view("()[]{}=:,+*?~").find(c) != std::string_view::npos ? token_kind::symbol : scan_unknown();
    }
  }

  void skip_word() {
    while (detail::continues_word(peek())) {
      ++at_;
    }
  }

  /// A sign after the exponent letter belongs to the number: after `p` in hexadecimal, else after `e`.
  void skip_number() {
    const std::size_t digits = text_[at_ - 1] == '-' ? at_ : at_ - 1;
    const bool hexadecimal = text_[digits] == '0' && digits + 1 < text_.size() && (text_[digits + 1] | 0x20) == 'x';
    const char exponent = hexadecimal ? 'p' : 'e';
    while (detail::continues_word(peek()) ||
           ((peek() == '+' || peek() == '-') && (text_[at_ - 1] | 0x20) == exponent && detail::is_digit(peek(1)))) {
      ++at_;
    }
  }

  token_kind scan_name(token_kind kind) {
    const std::size_t first = at_;
    skip_word();
    const std::string_view name = text_.substr(first, at_ - first);
    return !name.empty() && (is_identifier(name) || is_anonymous(name)) ? kind : token_kind::unknown;
  }

  token_kind scan_dash() {
    if (peek() == '>') {
      ++at_;
      return token_kind::arrow;
    }
    return token_kind::symbol;
  }

  /// Takes all bytes of a character.
  token_kind scan_unknown() {
    while ((static_cast<unsigned char>(text_[at_ - 1]) & 0x80) != 0 &&
           (static_cast<unsigned char>(peek()) & 0xc0) == 0x80) {
      ++at_;
    }
    return token_kind::unknown;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::size_t line_start_ = 0;
  bool line_begins_ = true;
};

} // namespace elbrus

MIDEND_END_NAMESPACE
