/// Machines as text, to begin from.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/detail/machine_line.hpp"
#include "midend/machine/machine_fields.hpp"
#include "midend/machine/machine_model.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

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
  constexpr void append(std::span<const char> text) {
    for (const char c : text) {
      out_.push_back(c);
    }
  }

  constexpr void append(const char* text) { append(as_text(text)); }

  constexpr void append(std::uint32_t number) {
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

  /// The end of a line with a value.
  constexpr void finish(const machine_value& v) {
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

  /// What differs from a new model.
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

/// Refills `out` with the text of a machine file. `read_machine` makes the same machine of it, if the names in it are
/// words and the sources of each value come with a confidence.
constexpr void write_machine(const machine_model& m, flat_array<char>& out) {
  out.clear();
  detail::machine_writer(m, out).write();
}

MIDEND_END_NAMESPACE
