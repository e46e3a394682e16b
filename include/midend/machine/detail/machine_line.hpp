/// A line of a machine file, word by word.
#pragma once

#include "midend/config.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

/// What is wrong in a machine file; `viz/machine.hpp` has the words.
enum class machine_file_fault : std::uint8_t {
  unknown_key,        ///< a line begins with no keyword and no field of machines
  unknown_class,      ///< no class of operations
  unknown_field,      ///< no field of classes
  unknown_channel,    ///< a channel that `channels` does not name
  unknown_resource,   ///< a resource that is not defined above
  unknown_source,     ///< behind `#`, neither a source that is defined above nor a confidence
  unknown_dependence, ///< no kind of dependences
  missing_value,      ///< the line ends too early
  expected_symbol,    ///< something else where `=` or `->` belongs
  bad_number,         ///< no decimal number below 2^32
  text_behind_value,  ///< something behind the value that is no comment
  text_too_long,      ///< a name or a title
  too_many,           ///< channels, sources, resources, latencies, or exclusions
  defined_twice,      ///< a source, channel or resource
  missing_confidence, ///< sources, but not how far to trust them
  reserved_name       ///< a source with the name of a confidence
};

namespace detail {

inline constexpr std::array<const char*, 5> confidence_names = {"unknown", "assumed", "low", "medium", "high"};

/// Words are separated by blanks and commas; `=` and `#` are words of their own.
class machine_line {
public:
  constexpr machine_line() = default;

  constexpr explicit machine_line(std::span<const char> text) : text_(text) {}

  /// Goes on to the next word. False at the end of the line; at its beginning also if it is a comment.
  constexpr bool next() {
    begin_ = end_;
    while (begin_ != text_.size() && is_blank(text_[begin_])) {
      ++begin_;
    }
    end_ = begin_;
    if (begin_ == text_.size() || (is_first_ && text_[begin_] == '#')) {
      return false;
    }
    is_first_ = false;
    do {
      ++end_;
    } while (!is_symbol(text_[begin_]) && end_ != text_.size() && !is_blank(text_[end_]) && !is_symbol(text_[end_]));
    return true;
  }

  /// The next word is this one again.
  constexpr void back() { end_ = begin_; }

  constexpr std::span<const char> word() const { return text_.subspan(begin_, end_ - begin_); }

  /// Where the word begins, counted from 1.
  constexpr std::size_t column() const { return begin_ + 1; }

  /// What follows the word, without blanks around it.
  constexpr std::span<const char> rest() const {
    std::size_t first = end_;
    std::size_t last = text_.size();
    while (first != last && is_blank(text_[first])) {
      ++first;
    }
    while (last != first && is_blank(text_[last - 1])) {
      --last;
    }
    return text_.subspan(first, last - first);
  }

  /// Whether the next word is `#`.
  constexpr bool at_provenance() const {
    const std::span<const char> following = rest();
    return !following.empty() && following[0] == '#';
  }

private:
  static constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == ','; }

  static constexpr bool is_symbol(char c) { return c == '=' || c == '#'; }

  std::span<const char> text_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool is_first_ = true;
};

} // namespace detail

MIDEND_END_NAMESPACE
