/// `machine_builder`: fills in a `machine_model` row by row, each with its sources.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/machine_model.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

MIDEND_BEGIN_NAMESPACE

/// Where a value comes from: names of sources, separated by blanks or commas, and how far to trust them.
struct provenance {
  const char* sources = "";
  confidence trust = confidence::assumed;
};

/// The names of a machine are short, its lists are not full, and a source is named before it is cited: otherwise a
/// contract is violated.
class machine_builder {
public:
  constexpr explicit machine_builder(const char* name) { model_.name = name; }

  /// Goes on from a machine: a profile of it.
  constexpr machine_builder(const machine_model& model, const char* name) : model_(model) { model_.name = name; }

  constexpr machine_builder& source(const char* name, const char* title) {
    model_.sources.push_back({name, title});
    return *this;
  }

  constexpr machine_builder& channels(std::initializer_list<const char*> names, provenance from) {
    for (const char* name : names) {
      model_.channel_names.push_back(name);
    }
    model_.channel_provenance = cell(static_cast<std::uint32_t>(names.size()), from);
    return *this;
  }

  constexpr machine_builder& resource(const char* name, std::uint32_t capacity, provenance from) {
    model_.resources.push_back({name, cell(capacity, from)});
    return *this;
  }

  constexpr machine_builder& set(machine_field f, std::uint32_t value, provenance from) {
    model_[f] = cell(value, from);
    return *this;
  }

  constexpr machine_builder& set(std::initializer_list<operation_class> classes, class_field f, std::uint32_t value,
                                 provenance from) {
    for (const operation_class c : classes) {
      model_[c][f] = cell(value, from);
    }
    return *this;
  }

  constexpr machine_builder& use(std::initializer_list<operation_class> classes, const char* resource,
                                 std::uint32_t amount, provenance from) {
    const std::size_t r = find_resource(model_, detail::as_text(resource));
    MIDEND_ASSERT(r != model_.num_resources(), "a resource of the machine");
    for (const operation_class c : classes) {
      model_[c].uses[r] = cell(amount, from);
    }
    return *this;
  }

  constexpr machine_builder& latency(operation_class producer, operation_class consumer, dependence_kind kind,
                                     std::uint32_t cycles, provenance from) {
    model_.overrides.push_back({producer, consumer, false, kind, cell(cycles, from)});
    return *this;
  }

  constexpr machine_builder& latency_to_any(operation_class producer, dependence_kind kind, std::uint32_t cycles,
                                            provenance from) {
    model_.overrides.push_back({producer, operation_class::alu, true, kind, cell(cycles, from)});
    return *this;
  }

  constexpr machine_builder& exclude(operation_class a, operation_class b, provenance from) {
    model_.exclusions.push_back({a, b, cell(1, from)});
    return *this;
  }

  constexpr const machine_model& model() const { return model_; }

private:
  constexpr machine_value cell(std::uint32_t value, provenance from) const {
    return {value, cited(from.sources), from.trust};
  }

  constexpr source_set cited(const char* names) const {
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
