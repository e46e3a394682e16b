/// What every production of the grammar needs: the next token, expectations, errors and going on behind them.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/diagnostic.hpp"
#include "midend/elbrus/literal.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/text/detail/mnemonic.hpp"
#include "midend/elbrus/text/detail/syntax.hpp"
#include "midend/elbrus/text/lexer.hpp"
#include "midend/elbrus/type.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// A piece of a file for a message: bytes that are not printable ASCII are shown by number, long pieces are cut.
inline std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "'";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      out += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    } else {
      out += c;
    }
  }
  return out + (text.size() > longest ? "...'" : "'");
}

/// What is wrong with a literal, as a message.
inline std::string message_of(literal_fault fault, std::string_view text, type t) {
  return quoted(text) + (fault == literal_fault::malformed ? " is no literal of type " : " is out of the range of ") +
         std::string(name_of(t));
}

/// Reads tokens one ahead. Member functions that return `bool` leave a diagnostic if they return false.
class token_reader {
protected:
  token_reader(std::string_view text, std::vector<diagnostic>& errors) : lexer_(text), errors_(errors) {
    current_ = lexer_.next();
  }

  const token& current() const { return current_; }

  bool at(token_kind kind) const { return current_.kind == kind; }

  bool at(char symbol) const { return current_.is_symbol(symbol); }

  bool at_word(std::string_view word) const { return current_.is_word(word); }

  token take() {
    end_of_previous_ = current_.location;
    end_of_previous_.column += static_cast<std::uint32_t>(current_.text.size());
    return std::exchange(current_, lexer_.next());
  }

  bool take_if(char symbol) {
    if (!at(symbol)) {
      return false;
    }
    take();
    return true;
  }

  bool take_if(std::string_view word) {
    if (!at_word(word)) {
      return false;
    }
    take();
    return true;
  }

  /// One error at a place is enough.
  bool fail(source_location place, std::string message) {
    if (!errors_.empty() && errors_.back().location == place) {
      return false;
    }
    errors_.push_back({place, std::move(message)});
    return false;
  }

  /// What is read from here on goes on until the next call.
  void begin_line() { start_ = current_.location; }

  /// At the token ahead; where a line ends too early, there.
  bool fail_expecting(std::string_view what) {
    const std::string expected = "expected " + std::string(what) + ", found ";
    if (at(token_kind::end)) {
      return fail(current_.location, expected + "the end of the file");
    }
    if (current_.first_in_line && current_.location != start_) {
      return fail(end_of_previous_, expected + "the end of the line");
    }
    return fail(current_.location, expected + quoted(current_.text));
  }

  bool expect(char symbol) {
    const char text[] = {'\'', symbol, '\'', '\0'};
    return take_if(symbol) || fail_expecting(text);
  }

  bool expect(token_kind kind, std::string_view what, spelling& out) {
    if (!at(kind)) {
      return fail_expecting(what);
    }
    const token t = take();
    const bool has_sign = kind != token_kind::word && kind != token_kind::number;
    out = {has_sign ? t.name() : t.text, t.location};
    return true;
  }

  bool expect_type(type& out) {
    const std::optional<type> t = at(token_kind::word) ? type_named(current_.text) : std::nullopt;
    if (!t) {
      return fail_expecting("a type");
    }
    take();
    out = *t;
    return true;
  }

  /// Whether the token ahead, a name, begins the next line.
  bool at_next_assignment() const {
    lexer ahead = lexer_;
    return current_.first_in_line && ahead.next().is_symbol('=');
  }

  /// A word, unless it begins a line that is a node or an operation.
  bool at_plain_word() const {
    const bool begins_line = current_.first_in_line && (at_word("node") || parse_mnemonic(current_.text).is_right());
    return at(token_kind::word) && !begins_line;
  }

  /// The name of a node: digits are that of one without a name.
  bool at_label() const { return at_plain_word() || (at(token_kind::number) && is_anonymous(current_.text)); }

  bool expect_label(spelling& out) {
    if (!at_label()) {
      return fail_expecting("the name of a node");
    }
    const token t = take();
    out = {t.text, t.location};
    return true;
  }

  /// A number without a sign that is at most `largest`.
  bool expect_natural(std::string_view what, std::uint64_t largest, std::uint64_t& out) {
    if (!at(token_kind::number)) {
      return fail_expecting(what);
    }
    const literal number = magnitude_of(current_.text);
    if (number.fault == literal_fault::malformed) {
      return fail_expecting(what);
    }
    if (number.fault != literal_fault::none || number.bits > largest) {
      return fail(current_.location, quoted(current_.text) + " is too large: at most " + std::to_string(largest));
    }
    take();
    out = number.bits;
    return true;
  }

  /// Behind an error: to the next line, at least one token further. The end of a procedure is not passed over.
  void skip_line() {
    if (current_.location == start_ && !at(token_kind::end)) {
      take();
    }
    while (!current_.first_in_line && !at('}') && !at(token_kind::end)) {
      take();
    }
  }

private:
  lexer lexer_;
  std::vector<diagnostic>& errors_;
  token current_;
  source_location start_; ///< of the line
  source_location end_of_previous_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
