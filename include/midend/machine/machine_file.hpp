/// Machine files: `read_machine` and `write_machine`, a machine model as text. docs/machine-model.md has the grammar.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/machine.hpp"
#include "midend/machine/machine_model.hpp"
#include "midend/support/display_text.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/result.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The faults in machine files; `viz/machine.hpp` has the words.
enum class machine_file_fault : std::uint8_t {
  unknown_key,        ///< the line begins with neither a keyword nor a field of machines
  unknown_class,      ///< not a class of operations
  unknown_field,      ///< not a field of classes
  unknown_channel,    ///< a channel that `channels` does not name
  unknown_resource,   ///< a resource that is not defined above
  unknown_source,     ///< after `#`, neither a source defined above nor a confidence
  unknown_dependence, ///< not a kind of dependence
  missing_value,      ///< the line ends too early
  expected_symbol,    ///< another word where `=` or `->` is required
  bad_number,         ///< not a decimal number below 2^32
  text_after_value,   ///< a word after the value that is not a comment
  text_too_long,      ///< a name or a title that does not fit
  control_character,  ///< a name or a title holds a control character, a mark of direction, or bytes that are not UTF-8
  too_many,           ///< channels, sources, resources, latencies, or exclusions
  defined_twice,      ///< a source, channel or resource
  missing_confidence, ///< sources without a confidence
  reserved_name       ///< a source with the name of a confidence
};

/// Why a machine file cannot be read, and where. Lines and columns count from 1; a column is a byte.
struct machine_file_error {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  machine_file_fault fault = machine_file_fault::missing_value;

  friend constexpr bool operator==(const machine_file_error&, const machine_file_error&) = default;
};

namespace detail {

inline constexpr std::array<const char*, 5> confidence_names = {"unknown", "assumed", "low", "medium", "high"};

/// A line of a machine file, word by word. Words are separated by blanks and commas; `=` and `#` are words of their
/// own.
class machine_line {
public:
  constexpr machine_line() = default;

  constexpr explicit machine_line(span<const char> text) : text_(text) {}

  /// Moves to the next word. False at the end of the line, and if the first word begins a comment.
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

  /// Makes `next` return this word again.
  constexpr void back() { end_ = begin_; }

  constexpr span<const char> word() const { return text_.subspan(begin_, end_ - begin_); }

  /// The column of the word, counted from 1.
  constexpr std::size_t column() const { return begin_ + 1; }

  /// The text after the word, without blanks around it.
  constexpr span<const char> rest() const {
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
    const span<const char> following = rest();
    return !following.empty() && following[0] == '#';
  }

private:
  static constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == ','; }

  static constexpr bool is_symbol(char c) { return c == '=' || c == '#'; }

  span<const char> text_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool is_first_ = true;
};

/// Reads a machine file line by line, up to the first error. The functions that every line calls are kept out of line,
/// which halves the time to compile it.
class machine_reader {
public:
  constexpr result<machine_model, machine_file_error> read(span<const char> text) {
    std::uint32_t number = 0;
    for (std::size_t at = 0; at < text.size() && !fault_;) {
      std::size_t end = at;
      while (end != text.size() && text[end] != '\n') {
        ++end;
      }
      line_ = machine_line(text.subspan(at, end - at));
      ++number;
      read_line();
      at = end + 1;
    }
    if (fault_) {
      return machine_file_error{number, column_, *fault_};
    }
    return model_;
  }

private:
  using fault = machine_file_fault;

  MIDEND_SELDOM_CALLED constexpr void fail(fault f) {
    if (!fault_) {
      fault_ = f;
      column_ = static_cast<std::uint32_t>(line_.column());
    }
  }

  constexpr bool keyword(const char* text) const { return same_text(line_.word(), as_text(text)); }

  constexpr void read_line() {
    if (!line_.next()) {
      return;
    }
    if (keyword("machine")) {
      read_name();
    } else if (keyword("source")) {
      read_source();
    } else if (keyword("channels")) {
      read_channels();
    } else if (keyword("resource")) {
      read_resource();
    } else if (keyword("class")) {
      read_class_cell();
    } else if (keyword("latency")) {
      read_latency();
    } else if (keyword("exclude")) {
      read_exclusion();
    } else {
      read_field();
    }
  }

  MIDEND_SELDOM_CALLED constexpr bool want_word() {
    if (!line_.next()) {
      fail(fault::missing_value);
    }
    return !fault_;
  }

  MIDEND_SELDOM_CALLED constexpr bool want_symbol(const char* symbol) {
    if (want_word() && !keyword(symbol)) {
      fail(fault::expected_symbol);
    }
    return !fault_;
  }

  template <std::size_t N> constexpr void take_text(short_text<N>& out, span<const char> text) {
    if (!out.fits(text)) {
      fail(fault::text_too_long);
    } else if (!is_displayable(text)) {
      fail(fault::control_character);
    }
    out = short_text<N>(text);
  }

  MIDEND_SELDOM_CALLED constexpr std::uint32_t want_number() {
    std::uint64_t value = 0;
    if (want_word()) {
      for (const char c : line_.word()) {
        value = c >= '0' && c <= '9' && value <= 0xffff'ffff ? value * 10 + static_cast<std::uint64_t>(c - '0')
                                                             : std::uint64_t{1} << 40;
      }
      if (value > 0xffff'ffff) {
        fail(fault::bad_number);
      }
    }
    return static_cast<std::uint32_t>(value);
  }

  template <class T, std::size_t N> constexpr T want_name(const std::array<const char*, N>& names, fault unknown) {
    if (want_word()) {
      for (std::size_t i = 0; i != N; ++i) {
        if (keyword(names[i])) {
          return static_cast<T>(i);
        }
      }
      fail(unknown);
    }
    return T{};
  }

  constexpr operation_class want_class() {
    return want_name<operation_class>(operation_class_names, fault::unknown_class);
  }

  /// Reads the end of a line with a value: its provenance.
  MIDEND_SELDOM_CALLED constexpr machine_value finish(std::uint32_t value) {
    machine_value cell{value, 0, confidence::unknown};
    if (!line_.next()) {
      return cell;
    }
    if (!keyword("#")) {
      fail(fault::text_after_value);
    }
    while (!fault_ && line_.next() && !keyword("#")) {
      read_provenance(cell);
    }
    if (!fault_ && cell.sources != 0 && cell.trust == confidence::unknown) {
      fail(fault::missing_confidence);
    }
    return cell;
  }

  constexpr void read_provenance(machine_value& cell) {
    for (std::size_t i = 1; i != confidence_names.size(); ++i) {
      if (keyword(confidence_names[i])) {
        cell.trust = static_cast<confidence>(i);
        return;
      }
    }
    const std::size_t source = find_source(model_, line_.word());
    if (source == model_.sources.size()) {
      fail(fault::unknown_source);
    } else {
      cell.sources = static_cast<source_set>(cell.sources | 1U << source);
    }
  }

  constexpr void read_name() {
    if (want_word()) {
      take_text(model_.name, line_.word());
      static_cast<void>(finish(0));
    }
  }

  constexpr void read_source() {
    machine_source s;
    if (!want_word()) {
      return;
    }
    take_text(s.name, line_.word());
    if (find_source(model_, line_.word()) != model_.sources.size()) {
      fail(fault::defined_twice);
    }
    for (const char* const name : confidence_names) {
      if (keyword(name)) {
        fail(fault::reserved_name);
      }
    }
    if (want_symbol("=")) {
      take_text(s.title, line_.rest());
      add(model_.sources, s);
    }
  }

  template <class T, std::size_t N> constexpr void add(short_list<T, N>& list, const T& value) {
    if (list.full()) {
      fail(fault::too_many);
    } else if (!fault_) {
      list.push_back(value);
    }
  }

  constexpr void read_channels() {
    if (model_.num_channels() != 0) {
      return fail(fault::defined_twice);
    }
    if (!want_symbol("=")) {
      return;
    }
    while (!line_.at_provenance() && line_.next()) {
      short_text<15> name;
      take_text(name, line_.word());
      if (find_channel(line_.word()) != model_.num_channels()) {
        fail(fault::defined_twice);
      }
      add(model_.channel_names, name);
      if (fault_) {
        return;
      }
    }
    model_.channel_provenance = finish(static_cast<std::uint32_t>(model_.num_channels()));
  }

  constexpr std::size_t find_channel(span<const char> name) const {
    std::size_t i = 0;
    while (i != model_.num_channels() && !same_text(model_.channel_names[i].text(), name)) {
      ++i;
    }
    return i;
  }

  constexpr void read_resource() {
    machine_resource r;
    if (!want_word()) {
      return;
    }
    take_text(r.name, line_.word());
    if (find_resource(model_, line_.word()) != model_.num_resources()) {
      fail(fault::defined_twice);
    }
    if (want_symbol("=")) {
      r.capacity = finish(want_number());
      add(model_.resources, r);
    }
  }

  /// `class C channels = …`, `class C uses R = n`, `class C field = n`.
  constexpr void read_class_cell() {
    const operation_class c = want_class();
    if (!want_word()) {
      return;
    }
    if (keyword("uses")) {
      return read_use(c);
    }
    line_.back();
    const auto f = want_name<class_field>(class_field_names, fault::unknown_field);
    if (!fault_ && want_symbol("=")) {
      model_[c][f] = finish(f == class_field::channels ? want_channel_set() : want_number());
    }
  }

  constexpr void read_use(operation_class c) {
    if (!want_word()) {
      return;
    }
    const std::size_t r = find_resource(model_, line_.word());
    if (r == model_.num_resources()) {
      return fail(fault::unknown_resource);
    }
    if (want_symbol("=")) {
      model_[c].uses[r] = finish(want_number());
    }
  }

  constexpr std::uint32_t want_channel_set() {
    channel_set set = 0;
    while (!fault_ && !line_.at_provenance() && line_.next()) {
      const std::size_t channel = find_channel(line_.word());
      if (channel == model_.num_channels()) {
        fail(fault::unknown_channel);
      }
      set |= channel_set{1} << channel;
    }
    return set;
  }

  /// `latency PRODUCER -> CONSUMER KIND = n`, with `*` for any consumer.
  constexpr void read_latency() {
    latency_override o;
    o.producer = want_class();
    if (fault_ || !want_symbol("->") || !want_word()) {
      return;
    }
    o.any_consumer = keyword("*");
    if (!o.any_consumer) {
      line_.back();
      o.consumer = want_class();
    }
    o.kind = want_name<dependence_kind>(dependence_kind_names, fault::unknown_dependence);
    if (!fault_ && want_symbol("=")) {
      o.latency = finish(want_number());
      add(model_.overrides, o);
    }
  }

  /// `exclude A B = 1`.
  constexpr void read_exclusion() {
    pair_exclusion e;
    e.first = want_class();
    e.second = want_class();
    if (!fault_ && want_symbol("=")) {
      e.excluded = finish(want_number());
      add(model_.exclusions, e);
    }
  }

  constexpr void read_field() {
    line_.back();
    const auto f = want_name<machine_field>(machine_field_names, fault::unknown_key);
    if (!fault_ && want_symbol("=")) {
      model_[f] = finish(want_number());
    }
  }

  machine_model model_;
  machine_line line_;
  optional<machine_file_fault> fault_;
  std::uint32_t column_ = 0;
};

/// Writes all that differs from a new model, in the order in which `machine_reader` needs it.
class machine_writer {
public:
  constexpr machine_writer(const machine_model& m, flat_array<char>& out) : m_(m), out_(out) {}

  constexpr void write() {
    if (!m_.name.empty()) {
      say("machine ", m_.name.text(), "\n");
    }
    for (const machine_source& s : m_.sources) {
      say("source ", s.name.text(), " = ", s.title.text(), "\n");
    }
    write_channels();
    for (const machine_resource& r : m_.resources) {
      say("resource ", r.name.text(), " = ", r.capacity.value);
      finish(r.capacity);
    }
    for (std::size_t f = 0; f != num_machine_fields; ++f) {
      if (m_.fields[f] != machine_value{}) {
        say(machine_field_names[f], " = ", m_.fields[f].value);
        finish(m_.fields[f]);
      }
    }
    for (const operation_class c : all_operation_classes()) {
      write_class(c);
    }
    write_pairs();
  }

private:
  MIDEND_SELDOM_CALLED constexpr void append(span<const char> text) {
    for (const char c : text) {
      out_.push_back(c);
    }
  }

  MIDEND_SELDOM_CALLED constexpr void append(const char* text) { append(as_text(text)); }

  MIDEND_SELDOM_CALLED constexpr void append(std::uint32_t number) {
    std::array<char, 10> digits{};
    std::size_t count = 0;
    do {
      digits[count++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    while (count != 0) {
      out_.push_back(digits[--count]);
    }
  }

  template <class... Parts> constexpr void say(const Parts&... parts) { (append(parts), ...); }

  /// Writes the end of a line with a value: its provenance.
  MIDEND_SELDOM_CALLED constexpr void finish(const machine_value& v) {
    const char* separator = " # ";
    for (std::size_t s = 0; s != m_.sources.size(); ++s) {
      if ((v.sources >> s & 1) != 0) {
        say(separator, m_.sources[s].name.text());
        separator = " ";
      }
    }
    if (v.trust != confidence::unknown) {
      say(v.sources == 0 ? " # " : ", ", confidence_names[static_cast<std::size_t>(v.trust)]);
    }
    say("\n");
  }

  constexpr void write_channels() {
    if (m_.num_channels() == 0 && m_.channel_provenance == machine_value{}) {
      return;
    }
    say("channels =");
    for (const auto& name : m_.channel_names) {
      say(" ", name.text());
    }
    finish(m_.channel_provenance);
  }

  constexpr void write_class(operation_class c) {
    const class_row& row = m_[c];
    for (std::size_t f = 0; f != num_class_fields; ++f) {
      const auto field = static_cast<class_field>(f);
      const std::uint32_t usual = field == class_field::latency || field == class_field::occupancy ? 1 : 0;
      if (row.fields[f] == machine_value{usual, 0, confidence::unknown}) {
        continue;
      }
      say("class ", name_of(c), " ", name_of(field), " =");
      if (field == class_field::channels) {
        write_channel_set(row.fields[f].value);
      } else {
        say(" ", row.fields[f].value);
      }
      finish(row.fields[f]);
    }
    for (std::size_t r = 0; r != m_.num_resources(); ++r) {
      if (row.uses[r] != machine_value{}) {
        say("class ", name_of(c), " uses ", m_.resources[r].name.text(), " = ", row.uses[r].value);
        finish(row.uses[r]);
      }
    }
  }

  constexpr void write_channel_set(channel_set set) {
    for (std::size_t channel = 0; channel != m_.num_channels(); ++channel) {
      if ((set >> channel & 1) != 0) {
        say(" ", m_.channel_names[channel].text());
      }
    }
  }

  constexpr void write_pairs() {
    for (const latency_override& o : m_.overrides) {
      say("latency ", name_of(o.producer), " -> ", o.any_consumer ? "*" : name_of(o.consumer), " ", name_of(o.kind),
          " = ", o.latency.value);
      finish(o.latency);
    }
    for (const pair_exclusion& e : m_.exclusions) {
      say("exclude ", name_of(e.first), " ", name_of(e.second), " = ", e.excluded.value);
      finish(e.excluded);
    }
  }

  const machine_model& m_;
  flat_array<char>& out_;
};

} // namespace detail

namespace detail::compiled {

result<machine_model, machine_file_error> read_machine(span<const char> text);

void write_machine(const machine_model& m, flat_array<char>& out);

} // namespace detail::compiled

/// The machine that a text describes, or its first error. Accepts any bytes. A cell that is set twice keeps the last
/// value, so that a profile is a file with some lines appended; lists cannot be set twice. Linear in the text, apart
/// from the lookup of names.
constexpr result<machine_model, machine_file_error> read_machine(span<const char> text) {
  MIDEND_RETURN_COMPILED(detail::compiled::read_machine(text));
  return detail::machine_reader().read(text);
}

/// Refills `out` with the text of a machine file. `read_machine` reads the same model from it, provided that the names
/// in the model are words and each cell with sources has a confidence.
constexpr void write_machine(const machine_model& m, flat_array<char>& out) {
  MIDEND_RETURN_COMPILED(detail::compiled::write_machine(m, out));
  out.clear();
  detail::machine_writer(m, out).write();
}

#if defined(MIDEND_COMPILED_SOURCE)

namespace detail::compiled {

result<machine_model, machine_file_error> read_machine(span<const char> text) {
  return machine_reader().read(text);
}

void write_machine(const machine_model& m, flat_array<char>& out) {
  out.clear();
  machine_writer(m, out).write();
}

} // namespace detail::compiled

#endif

MIDEND_END_NAMESPACE
