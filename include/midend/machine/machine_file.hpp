/// Machines from text, so that one is described without code. docs/machine-model.md has the grammar.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/detail/machine_line.hpp"
#include "midend/machine/machine_fields.hpp"
#include "midend/machine/machine_model.hpp"
#include "midend/machine/short_text.hpp"
#include "midend/support/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

MIDEND_BEGIN_NAMESPACE

/// Why a machine file cannot be read, and where; line and column count from 1, columns bytes.
struct machine_file_error {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  machine_file_fault fault = machine_file_fault::missing_value;

  friend constexpr bool operator==(const machine_file_error&, const machine_file_error&) = default;
};

namespace detail {

class machine_reader {
public:
  constexpr result<machine_model, machine_file_error> read(std::span<const char> text) {
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

  constexpr void fail(fault f) {
    if (!fault_) {
      fault_ = f;
      column_ = static_cast<std::uint32_t>(line_.column());
    }
  }

  constexpr bool keyword(const char* word) const { return same_text(line_.word(), as_text(word)); }

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

  constexpr bool want_word() {
    if (!line_.next()) {
      fail(fault::missing_value);
    }
    return !fault_;
  }

  constexpr bool want_symbol(const char* symbol) {
    if (want_word() && !keyword(symbol)) {
      fail(fault::expected_symbol);
    }
    return !fault_;
  }

  template <std::size_t N> constexpr void take_text(short_text<N>& out, std::span<const char> text) {
    if (!out.fits(text)) {
      fail(fault::text_too_long);
    }
    out = short_text<N>(text);
  }

  constexpr std::uint32_t want_number() {
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

  /// The end of a line with a value: where it comes from.
  constexpr machine_value finish(std::uint32_t value) {
    machine_value cell{value, 0, confidence::unknown};
    if (!line_.next()) {
      return cell;
    }
    if (!keyword("#")) {
      fail(fault::text_behind_value);
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

  constexpr std::size_t find_channel(std::span<const char> name) const {
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
  std::optional<machine_file_fault> fault_;
  std::uint32_t column_ = 0;
};

} // namespace detail

/// The machine that a text describes, or the first error. Any bytes are a text. A cell that is set twice has what was
/// said last, so that a profile is a file and some lines; lists are not set twice. Linear but for the looking up of
/// names.
constexpr result<machine_model, machine_file_error> read_machine(std::span<const char> text) {
  return detail::machine_reader().read(text);
}

MIDEND_END_NAMESPACE
