/// `machine_model`: a machine as a table, each cell with where it comes from.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/dependence_kind.hpp"
#include "midend/machine/machine.hpp"
#include "midend/machine/machine_fields.hpp"
#include "midend/machine/machine_value.hpp"
#include "midend/machine/short_text.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

/// Where numbers come from.
struct machine_source {
  short_text<15> name; ///< how cells refer to it
  short_text<135> title;

  friend constexpr bool operator==(const machine_source&, const machine_source&) = default;
};

/// Something of which `capacity` is there in each cycle.
struct machine_resource {
  short_text<15> name;
  machine_value capacity;

  friend constexpr bool operator==(const machine_resource&, const machine_resource&) = default;
};

/// What is known of a class of operations.
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
  bool any_consumer = false; ///< then `consumer` is `alu`
  dependence_kind kind = dependence_kind::value;
  machine_value latency;

  friend constexpr bool operator==(const latency_override&, const latency_override&) = default;
};

/// Two classes of which only one can be issued in a cycle, or one of which one operation can.
struct pair_exclusion {
  operation_class first = operation_class::alu;
  operation_class second = operation_class::alu;
  machine_value excluded; ///< 1

  friend constexpr bool operator==(const pair_exclusion&, const pair_exclusion&) = default;
};

namespace detail {

/// At most `Capacity` elements, in place.
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

/// A model of `machine` to fill in: in code, as `e2k_reference_v6()` is, or from a file (`machine/machine_file.hpp`).
///
/// A new one has no channels and no resources, and of no class anything is known; its rows say latency 1 and occupancy
/// 1. About 7 KB, without memory of its own; `constexpr`.
struct machine_model {
  short_text<31> name;
  detail::short_list<machine_source, 16> sources;
  detail::short_list<short_text<15>, max_channels> channel_names;
  machine_value channel_provenance; ///< of the list of channels; the value is their number
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

  /// What the last exclusion of the two says.
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

  /// The last override that names both classes, else the one for any consumer, else: of a value or a guard the latency
  /// of the producer, of memory 1 behind a store and 0 behind a load, of an order 0.
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

  /// The one with the name LIT32; `num_resources()` if there is none.
  constexpr std::size_t literal_resource() const {
    constexpr std::array<char, 5> wanted = {'L', 'I', 'T', '3', '2'};
    std::size_t i = 0;
    while (i != num_resources() && !detail::same_text(resources[i].name.text(), wanted)) {
      ++i;
    }
    return i;
  }

  constexpr std::uint32_t code_bytes(operation_class c) const { return (*this)[c][class_field::code_bytes].value; }

  constexpr std::uint32_t code_header() const { return value(machine_field::code_header); }

  constexpr std::uint32_t code_literal() const { return value(machine_field::code_literal); }

  constexpr std::uint32_t code_alignment() const { return value(machine_field::code_alignment); }

  constexpr std::uint32_t longest_instruction() const { return value(machine_field::longest_instruction); }

  friend constexpr bool operator==(const machine_model&, const machine_model&) = default;
};

static_assert(loop_machine<machine_model>);

/// The position of the resource of that name; `num_resources()` if there is none.
constexpr std::size_t find_resource(const machine_model& m, std::span<const char> name) {
  std::size_t i = 0;
  while (i != m.num_resources() && !detail::same_text(m.resources[i].name.text(), name)) {
    ++i;
  }
  return i;
}

/// The position of the source of that name; `sources.size()` if there is none.
constexpr std::size_t find_source(const machine_model& m, std::span<const char> name) {
  std::size_t i = 0;
  while (i != m.sources.size() && !detail::same_text(m.sources[i].name.text(), name)) {
    ++i;
  }
  return i;
}

/// Calls `visit(value)` with every cell of the model: the list of channels, the capacities, the fields, the rows with
/// their uses of the resources that there are, the overrides, the exclusions.
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

MIDEND_END_NAMESPACE
