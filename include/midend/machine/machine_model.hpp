/// `machine_model`: a machine as a table in which each cell names its sources, and `machine_builder`, which fills it
/// in.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/machine.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

MIDEND_BEGIN_NAMESPACE

/// How far a number can be trusted.
enum class confidence : std::uint8_t {
  unknown, ///< nothing is known: the number is only a default
  assumed, ///< chosen without a source
  low,     ///< inferred
  medium,  ///< one good source
  high     ///< a primary source, or two independent ones that agree
};

/// A set of sources: bit s is the source at position s in the table of the machine.
using source_set = std::uint16_t;

/// One cell of a machine model: a number and where it comes from.
struct machine_value {
  std::uint32_t value = 0;
  source_set sources = 0;
  confidence trust = confidence::unknown;

  friend constexpr bool operator==(const machine_value&, const machine_value&) = default;
};

/// Whether the cell claims something and names no source for it: assumptions, and sources that were forgotten.
constexpr bool lacks_source(const machine_value& v) {
  return v.trust != confidence::unknown && v.sources == 0;
}

/// A number that describes a class of operations.
enum class class_field : std::uint8_t {
  channels,   ///< a `channel_set`: the channels that can issue it; 0: it takes no channel
  latency,    ///< cycles until the result can be used
  occupancy,  ///< cycles for which its channel cannot start another operation
  code_bytes, ///< bytes within a wide instruction
  speculated, ///< 1: may run before it is known to be needed
  predicated  ///< 1: may be guarded by a predicate
};

inline constexpr std::size_t num_class_fields = 6;

namespace detail {

inline constexpr std::array<const char*, num_class_fields> class_field_names = {
    "channels", "latency", "occupancy", "code_bytes", "speculated", "predicated",
};

/// Whether both are the same bytes.
constexpr bool same_text(span<const char> a, span<const char> b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (std::size_t i = 0; i != a.size(); ++i) {
    if (a[i] != b[i]) {
      return false;
    }
  }
  return true;
}

/// The characters of a string literal or another text that ends with 0.
constexpr span<const char> as_text(const char* text) {
  std::size_t size = 0;
  while (text[size] != '\0') {
    ++size;
  }
  return {text, size};
}

} // namespace detail

/// The enumerator's name, as machine files spell it.
constexpr const char* name_of(class_field f) {
  return detail::class_field_names[static_cast<std::size_t>(f)];
}

/// A name or a title inside a machine model: up to `Capacity` bytes, at most 255, stored in place.
template <std::size_t Capacity> class short_text {
  static_assert(Capacity <= 255);

public:
  constexpr short_text() = default;

  /// Requires a text that fits.
  constexpr short_text(const char* text) {
    for (; *text != '\0'; ++text) {
      push_back(*text);
    }
  }

  /// Empty if the text does not fit; see `fits`.
  constexpr explicit short_text(span<const char> text) {
    if (fits(text)) {
      for (const char c : text) {
        push_back(c);
      }
    }
  }

  static constexpr bool fits(span<const char> text) { return text.size() <= Capacity; }

  constexpr std::size_t size() const { return size_; }

  constexpr bool empty() const { return size_ == 0; }

  constexpr const char* begin() const { return bytes_.data(); }

  constexpr const char* end() const { return bytes_.data() + size_; }

  constexpr span<const char> text() const { return {bytes_.data(), size_}; }

  friend constexpr bool operator==(const short_text&, const short_text&) = default;

private:
  constexpr void push_back(char c) {
    MIDEND_ASSERT(size_ < Capacity, "a text that fits", Capacity);
    bytes_[size_++] = c;
  }

  std::array<char, Capacity> bytes_{};
  std::uint8_t size_ = 0;
};

/// A place where numbers come from.
struct machine_source {
  short_text<15> name; ///< how cells refer to it
  short_text<135> title;

  friend constexpr bool operator==(const machine_source&, const machine_source&) = default;
};

/// A resource with `capacity` units available in each cycle.
struct machine_resource {
  short_text<15> name;
  machine_value capacity;

  friend constexpr bool operator==(const machine_resource&, const machine_resource&) = default;
};

/// The row of one class of operations.
struct class_row {
  std::array<machine_value, num_class_fields> fields{};
  std::array<machine_value, max_resources> uses{}; ///< by resource

  constexpr machine_value& operator[](class_field f) { return fields[static_cast<std::size_t>(f)]; }

  constexpr const machine_value& operator[](class_field f) const { return fields[static_cast<std::size_t>(f)]; }

  friend constexpr bool operator==(const class_row&, const class_row&) = default;
};

/// The latency between two classes where it is not that of the producer.
struct latency_override {
  operation_class producer = operation_class::alu;
  operation_class consumer = operation_class::alu;
  bool any_consumer = false; ///< applies to every consumer; then `consumer` is `alu`
  dependence_kind kind = dependence_kind::value;
  machine_value latency;

  friend constexpr bool operator==(const latency_override&, const latency_override&) = default;
};

/// Two classes that cannot be issued in the same cycle; if both are the same class, at most one operation per cycle.
struct pair_exclusion {
  operation_class first = operation_class::alu;
  operation_class second = operation_class::alu;
  machine_value excluded; ///< 1; 0 cancels an earlier exclusion of the pair

  friend constexpr bool operator==(const pair_exclusion&, const pair_exclusion&) = default;
};

namespace detail {

/// At most `Capacity` elements, stored in place.
template <class T, std::size_t Capacity> struct short_list {
  std::array<T, Capacity> elements{};
  std::uint32_t count = 0;

  constexpr std::size_t size() const { return count; }

  constexpr bool full() const { return count == Capacity; }

  constexpr void push_back(const T& value) {
    MIDEND_ASSERT(!full(), "room in the machine model", Capacity);
    elements[count++] = value;
  }

  constexpr T& operator[](std::size_t i) { return elements[i]; }

  constexpr const T& operator[](std::size_t i) const { return elements[i]; }

  constexpr const T* begin() const { return elements.data(); }

  constexpr const T* end() const { return elements.data() + count; }

  constexpr T* begin() { return elements.data(); }

  constexpr T* end() { return elements.data() + count; }

  friend constexpr bool operator==(const short_list&, const short_list&) = default;
};

} // namespace detail

/// A model of `loop_machine` to fill in: in code by `machine_builder`, as `e2k_reference_v6()` is, or from a file
/// (`machine/machine_file.hpp`).
///
/// A new model has no channels and no resources, and knows nothing about any class: each row has latency 1 and
/// occupancy 1 with confidence `unknown`. About 7 KB, without heap memory; `constexpr`.
struct machine_model {
  short_text<31> name;
  detail::short_list<machine_source, 16> sources;
  detail::short_list<short_text<15>, max_channels> channel_names;
  machine_value channel_provenance; ///< of the list of channels; the value is the number of channels
  detail::short_list<machine_resource, max_resources> resources;
  std::array<machine_value, num_machine_fields> fields{};
  std::array<class_row, num_operation_classes> classes{};
  detail::short_list<latency_override, 32> overrides;
  detail::short_list<pair_exclusion, 64> exclusions;

  constexpr machine_model() {
    for (class_row& row : classes) {
      row[class_field::latency].value = 1;
      row[class_field::occupancy].value = 1;
    }
  }

  constexpr machine_value& operator[](machine_field f) { return fields[static_cast<std::size_t>(f)]; }

  constexpr const machine_value& operator[](machine_field f) const { return fields[static_cast<std::size_t>(f)]; }

  constexpr class_row& operator[](operation_class c) { return classes[static_cast<std::size_t>(c)]; }

  constexpr const class_row& operator[](operation_class c) const { return classes[static_cast<std::size_t>(c)]; }

  constexpr std::uint32_t value(machine_field f) const { return (*this)[f].value; }

  constexpr std::size_t num_channels() const { return channel_names.size(); }

  constexpr channel_set channels(operation_class c) const { return (*this)[c][class_field::channels].value; }

  constexpr std::uint32_t occupancy(operation_class c) const { return (*this)[c][class_field::occupancy].value; }

  constexpr std::size_t num_resources() const { return resources.size(); }

  constexpr std::uint32_t capacity(std::size_t resource) const { return resources[resource].capacity.value; }

  constexpr std::uint32_t use(operation_class c, std::size_t resource) const { return (*this)[c].uses[resource].value; }

  /// The value of the last exclusion that names the two classes, in either order.
  constexpr bool excludes(operation_class a, operation_class b) const {
    bool excluded = false;
    for (const pair_exclusion& e : exclusions) {
      if ((e.first == a && e.second == b) || (e.first == b && e.second == a)) {
        excluded = e.excluded.value != 0;
      }
    }
    return excluded;
  }

  constexpr std::uint32_t latency(operation_class c) const { return (*this)[c][class_field::latency].value; }

  /// The last override that names both classes, else the last one for any consumer, else a default: for a value or a
  /// guard the latency of the producer, for memory 1 after a store and 0 after a load, for an order 0.
  constexpr std::uint32_t latency(operation_class producer, operation_class consumer, dependence_kind kind) const {
    const latency_override* found = nullptr;
    for (const latency_override& o : overrides) {
      const bool fits = o.producer == producer && o.kind == kind && (o.any_consumer || o.consumer == consumer);
      if (fits && (found == nullptr || found->any_consumer || !o.any_consumer)) {
        found = &o;
      }
    }
    if (found != nullptr) {
      return found->latency.value;
    }
    switch (kind) {
    case dependence_kind::memory:
      return producer == operation_class::load ? 0 : 1;
    case dependence_kind::order:
      return 0;
    default:
      return latency(producer);
    }
  }

  constexpr bool is_predicated(operation_class c) const { return (*this)[c][class_field::predicated].value != 0; }

  constexpr bool is_speculated(operation_class c) const { return (*this)[c][class_field::speculated].value != 0; }

  /// The resource named LIT32; `num_resources()` if there is none.
  constexpr std::size_t literal_resource() const;

  constexpr std::uint32_t code_bytes(operation_class c) const { return (*this)[c][class_field::code_bytes].value; }

  constexpr std::uint32_t code_header() const { return value(machine_field::code_header); }

  constexpr std::uint32_t code_literal() const { return value(machine_field::code_literal); }

  constexpr std::uint32_t code_alignment() const { return value(machine_field::code_alignment); }

  constexpr std::uint32_t longest_instruction() const { return value(machine_field::longest_instruction); }

  friend constexpr bool operator==(const machine_model&, const machine_model&) = default;
};

/// The position of the resource of that name; `num_resources()` if there is none.
constexpr std::size_t find_resource(const machine_model& m, span<const char> name) {
  std::size_t i = 0;
  while (i != m.num_resources() && !detail::same_text(m.resources[i].name.text(), name)) {
    ++i;
  }
  return i;
}

constexpr std::size_t machine_model::literal_resource() const {
  return find_resource(*this, detail::as_text("LIT32"));
}

/// The position of the source of that name; `sources.size()` if there is none.
constexpr std::size_t find_source(const machine_model& m, span<const char> name) {
  std::size_t i = 0;
  while (i != m.sources.size() && !detail::same_text(m.sources[i].name.text(), name)) {
    ++i;
  }
  return i;
}

/// Calls `visit(cell)` with every cell of the model: the list of channels, the capacities, the fields, the rows with
/// their uses of the existing resources, the overrides, the exclusions.
template <class Model, class Visit> constexpr void for_each_value(Model& m, Visit visit) {
  visit(m.channel_provenance);
  for (auto& r : m.resources) {
    visit(r.capacity);
  }
  for (auto& f : m.fields) {
    visit(f);
  }
  for (auto& row : m.classes) {
    for (auto& f : row.fields) {
      visit(f);
    }
    for (std::size_t r = 0; r != m.num_resources(); ++r) {
      visit(row.uses[r]);
    }
  }
  for (auto& o : m.overrides) {
    visit(o.latency);
  }
  for (auto& e : m.exclusions) {
    visit(e.excluded);
  }
}

/// The origin of a value: names of sources, separated by blanks or commas, and how far to trust them.
struct provenance {
  const char* sources = "";
  confidence trust = confidence::assumed;
};

/// Fills in a `machine_model` row by row, each with its sources; `e2k.hpp` and `scalar_core.hpp` are examples.
///
/// A broken requirement violates a contract: names fit, lists have room, and resources and sources are added before
/// they are named. A cell that is set twice keeps the last value. The functions are kept out of line, because inlined a
/// table takes several times as long to compile.
class machine_builder {
public:
  constexpr explicit machine_builder(const char* name) { model_.name = name; }

  /// Starts from a copy of a model: a profile of that machine.
  constexpr machine_builder(const machine_model& model, const char* name) : model_(model) { model_.name = name; }

  MIDEND_SELDOM_CALLED constexpr machine_builder& source(const char* name, const char* title) {
    model_.sources.push_back({name, title});
    return *this;
  }

  MIDEND_SELDOM_CALLED constexpr machine_builder& channels(std::initializer_list<const char*> names, provenance from) {
    for (const char* name : names) {
      model_.channel_names.push_back(name);
    }
    model_.channel_provenance = cell(static_cast<std::uint32_t>(names.size()), from);
    return *this;
  }

  MIDEND_SELDOM_CALLED constexpr machine_builder& resource(const char* name, std::uint32_t capacity, provenance from) {
    model_.resources.push_back({name, cell(capacity, from)});
    return *this;
  }

  MIDEND_SELDOM_CALLED constexpr machine_builder& set(machine_field f, std::uint32_t value, provenance from) {
    model_[f] = cell(value, from);
    return *this;
  }

  MIDEND_SELDOM_CALLED constexpr machine_builder& set(std::initializer_list<operation_class> classes, class_field f,
                                                      std::uint32_t value, provenance from) {
    for (const operation_class c : classes) {
      model_[c][f] = cell(value, from);
    }
    return *this;
  }

  MIDEND_SELDOM_CALLED constexpr machine_builder& use(std::initializer_list<operation_class> classes,
                                                      const char* resource, std::uint32_t amount, provenance from) {
    const std::size_t r = find_resource(model_, detail::as_text(resource));
    MIDEND_ASSERT(r != model_.num_resources(), "a resource of the machine");
    for (const operation_class c : classes) {
      model_[c].uses[r] = cell(amount, from);
    }
    return *this;
  }

  MIDEND_SELDOM_CALLED constexpr machine_builder& latency(operation_class producer, operation_class consumer,
                                                          dependence_kind kind, std::uint32_t cycles, provenance from) {
    model_.overrides.push_back({producer, consumer, false, kind, cell(cycles, from)});
    return *this;
  }

  MIDEND_SELDOM_CALLED constexpr machine_builder& latency_to_any(operation_class producer, dependence_kind kind,
                                                                 std::uint32_t cycles, provenance from) {
    model_.overrides.push_back({producer, operation_class::alu, true, kind, cell(cycles, from)});
    return *this;
  }

  MIDEND_SELDOM_CALLED constexpr machine_builder& exclude(operation_class a, operation_class b, provenance from) {
    model_.exclusions.push_back({a, b, cell(1, from)});
    return *this;
  }

  constexpr const machine_model& model() const { return model_; }

private:
  MIDEND_SELDOM_CALLED constexpr machine_value cell(std::uint32_t value, provenance from) const {
    return {value, sources_named(from.sources), from.trust};
  }

  constexpr source_set sources_named(const char* names) const {
    source_set all = 0;
    while (*names != '\0') {
      std::size_t size = 0;
      while (names[size] != '\0' && names[size] != ' ' && names[size] != ',') {
        ++size;
      }
      if (size != 0) {
        const std::size_t s = find_source(model_, {names, size});
        MIDEND_ASSERT(s != model_.sources.size(), "a source of the machine");
        all = static_cast<source_set>(all | 1U << s);
      }
      names += size == 0 ? 1 : size;
    }
    return all;
  }

  machine_model model_;
};

MIDEND_END_NAMESPACE
