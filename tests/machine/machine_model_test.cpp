// Machines as tables: sources of the values, profiles, latencies, sizes of code.
#include <doctest/doctest.h>
#include <midend/machine/code_size.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/scalar_core.hpp>

#include <string>

using enum midend::operation_class;
using midend::class_field;
using midend::confidence;
using midend::dependence_kind;
using midend::e2k_guide_v4;
using midend::e2k_reference_v6;
using midend::machine_field;
using midend::machine_model;
using midend::operation_class;
using midend::operation_mix;

namespace {

/// The names of the cells for which `wanted` holds.
template <class Wanted> std::string cells(const machine_model& m, Wanted wanted) {
  std::string out;
  const auto look = [&](const midend::machine_value& v, const std::string& name) {
    if (wanted(v)) {
      out += (out.empty() ? "" : " ") + name;
    }
  };
  look(m.channel_provenance, "channels");
  for (const auto& r : m.resources) {
    look(r.capacity, std::string(r.name.begin(), r.name.end()));
  }
  for (std::size_t f = 0; f != midend::num_machine_fields; ++f) {
    look(m.fields[f], name_of(static_cast<machine_field>(f)));
  }
  for (const operation_class c : midend::all_operation_classes()) {
    for (std::size_t f = 0; f != midend::num_class_fields; ++f) {
      look(m[c].fields[f], std::string(name_of(c)) + "." + name_of(static_cast<class_field>(f)));
    }
    for (std::size_t r = 0; r != m.num_resources(); ++r) {
      look(m[c].uses[r], std::string(name_of(c)) + ".uses");
    }
  }
  for (const auto& o : m.overrides) {
    look(o.latency, "override");
  }
  for (const auto& e : m.exclusions) {
    look(e.excluded, "exclusion");
  }
  return out;
}

bool is_claimed(const midend::machine_value& v) {
  return v.trust != confidence::unknown;
}

static_assert(e2k_reference_v6().latency(load) == 5 && e2k_guide_v4().latency(load) == 3);

} // namespace

TEST_CASE("machine_model: the cells of the reference machine without a source are those marked as assumed") {
  CHECK(cells(e2k_reference_v6(), midend::lacks_source) == "shortest_pipelined_trip array_read.latency");
  CHECK(cells(e2k_guide_v4(), midend::lacks_source) == "shortest_pipelined_trip array_read.latency");
  CHECK(cells(e2k_reference_v6(), [](const auto& v) { return v.trust == confidence::assumed; }) ==
        "shortest_pipelined_trip array_read.latency");
}

TEST_CASE("machine_model: a cell that differs from the default has a confidence") {
  const machine_model fresh;
  for (const machine_model& m : {e2k_reference_v6(), e2k_guide_v4(), midend::scalar_core()}) {
    std::string forgotten;
    for (std::size_t f = 0; f != midend::num_machine_fields; ++f) {
      if (m.fields[f].value != 0 && !is_claimed(m.fields[f])) {
        forgotten += name_of(static_cast<machine_field>(f));
      }
    }
    for (const operation_class c : midend::all_operation_classes()) {
      for (std::size_t f = 0; f != midend::num_class_fields; ++f) {
        if (m[c].fields[f].value != fresh[c].fields[f].value && !is_claimed(m[c].fields[f])) {
          forgotten += name_of(c);
        }
      }
    }
    CHECK(forgotten.empty());
  }
  CHECK(e2k_reference_v6()[machine_field::loop_buffer].trust == confidence::unknown);
}

TEST_CASE("machine_model: for_each_value visits every cell once") {
  const machine_model m = e2k_reference_v6();
  std::size_t seen = 0;
  std::size_t assumed = 0;
  midend::for_each_value(m, [&](const midend::machine_value& v) {
    ++seen;
    assumed += v.trust == confidence::assumed;
  });
  CHECK(seen == 1 + 7 + midend::num_machine_fields + midend::num_operation_classes * (midend::num_class_fields + 7) +
                    m.overrides.size() + m.exclusions.size());
  CHECK(assumed == 2);
}

TEST_CASE("machine_model: the rows of the reference machine") {
  const machine_model m = e2k_reference_v6();

  const struct {
    operation_class c;
    std::uint32_t channels, latency, occupancy;
  } rows[] = {
      {alu, 0b111111, 1, 1},
      {shift, 0b111111, 1, 1},
      {merge, 0b111111, 1, 1},
      {move, 0b111111, 1, 1},
      {combined_alu, 0b010010, 2, 1},
      {integer_multiply, 0b011011, 4, 1},
      {integer_divide, 0b100000, 11, 2},
      {fp_divide_single, 0b100000, 11, 2},
      {fp_divide_double, 0b100000, 14, 2},
      {fp_sqrt_double, 0b100000, 14, 2},
      {fp_add, 0b111111, 4, 1},
      {fp_multiply, 0b111111, 4, 1},
      {fused_multiply_add, 0b111111, 8, 1},
      {convert_to_integer, 0b011011, 6, 1},
      {convert_to_fp, 0b011011, 5, 1},
      {compare, 0b011011, 1, 1},
      {load, 0b101101, 5, 1},
      {store, 0b100100, 2, 1},
      {array_read, 0, 1, 1},
      {predicate_logic, 0, 1, 1},
      {branch, 0, 0, 1},
      {branch_prepare, 0, 5, 1},
  };

  for (const auto& row : rows) {
    CAPTURE(name_of(row.c));
    CHECK(m.channels(row.c) == row.channels);
    CHECK(m.latency(row.c) == row.latency);
    CHECK(m.occupancy(row.c) == row.occupancy);
  }
  CHECK(e2k_guide_v4().channels(fp_add) == 0b011011);
  CHECK(m[combined_alu][class_field::latency].trust == confidence::medium);
  CHECK(m[fp_sqrt_single][class_field::latency].trust == confidence::low);
}

TEST_CASE("machine_model: latencies between classes") {
  const machine_model m = e2k_reference_v6();
  CHECK(m.latency(compare, predicate_logic, dependence_kind::value) == 1);
  CHECK(m.latency(compare, merge, dependence_kind::guard) == 2);
  CHECK(m.latency(compare, branch, dependence_kind::guard) == 3);
  CHECK(m.latency(compare, branch, dependence_kind::value) == 3);
  CHECK(m.latency(store, load, dependence_kind::memory) == 2);
  CHECK(m.latency(store, store, dependence_kind::memory) == 1);
  CHECK(m.latency(load, store, dependence_kind::memory) == 0);
  CHECK(m.latency(fused_multiply_add, fp_add, dependence_kind::value) == 8);
  CHECK(m.latency(fp_add, fp_add, dependence_kind::order) == 0);
  // The override that names both wins over the one for any consumer, in either order.
  midend::machine_builder other("other");
  other.latency(load, alu, dependence_kind::value, 7, {}).latency_to_any(load, dependence_kind::value, 9, {});
  CHECK(other.model().latency(load, alu, dependence_kind::value) == 7);
  CHECK(other.model().latency(load, shift, dependence_kind::value) == 9);
}

TEST_CASE("machine_model: exclusions are symmetric") {
  midend::machine_builder m("m");
  m.exclude(load, store, {}).exclude(branch, branch, {});
  CHECK(m.model().excludes(load, store));
  CHECK(m.model().excludes(store, load));
  CHECK(m.model().excludes(branch, branch));
  CHECK_FALSE(m.model().excludes(load, load));
  CHECK_FALSE(e2k_reference_v6().excludes(load, store));
}

TEST_CASE("code_size: headers, operations, literals, rounding") {
  const machine_model m = e2k_reference_v6();
  operation_mix mix;
  CHECK(midend::wide_instruction_size(m, mix).bytes == 8);
  mix[alu] = 1;
  CHECK(midend::wide_instruction_size(m, mix).bytes == 8); // 4 + 4
  mix[combined_alu] = 1;
  CHECK(midend::wide_instruction_size(m, mix).bytes == 16); // 4 + 4 + 6
  mix[branch] = mix[branch_prepare] = 1;
  CHECK(midend::wide_instruction_size(m, mix).bytes == 24); // 4 + 4 + 6 + 4 + 4
  mix.literals = 4;
  CHECK(midend::wide_instruction_size(m, mix) == midend::instruction_size{40, true});
  mix[fused_multiply_add] = 4;
  CHECK(midend::wide_instruction_size(m, mix) == midend::instruction_size{64, true}); // 38 + 24
  mix[alu] = 2;
  CHECK(midend::wide_instruction_size(m, mix) == midend::instruction_size{72, false}); // 66
}

TEST_CASE("code_size: the least of several instructions") {
  const machine_model m = e2k_reference_v6();
  operation_mix mix;
  mix[alu] = 3;
  CHECK(midend::least_code_bytes(m, mix, 1) == 16);
  CHECK(midend::least_code_bytes(m, mix, 2) == 24); // 8 + 12
  CHECK(midend::least_code_bytes(m, mix, 9) == 72);
  mix[alu] = 31; // 124 bytes, and 60 go into an instruction
  CHECK(midend::least_code_bytes(m, mix, 1) == 136);
  mix[alu] = 32;
  CHECK(midend::least_code_bytes(m, mix, 1) == 144); // three
  mix[alu] = 31;
  const machine_model scalar = midend::scalar_core();
  CHECK(midend::least_code_bytes(scalar, mix, 31) == 124);
  CHECK(midend::least_code_bytes(scalar, mix, 1) == 124);
}
