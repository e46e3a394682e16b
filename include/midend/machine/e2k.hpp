/// The reference machine: a wide-instruction processor similar to Elbrus (e2k), from public sources.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/machine.hpp"
#include "midend/machine/machine_model.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {

struct e2k_tables {
  using enum operation_class;
  using enum class_field;
  using enum confidence;

  static constexpr void name_sources(machine_builder& m) {
    m.source("S1", "nrdmn/elbrus-docs: notes on the instruction encoding")
        .source("S2", "OpenE2K/binutils-gdb: opcode tables of e2k")
        .source("S3", "OpenE2K/qemu-e2k: an emulator")
        .source("S4", "MCST: guide to efficient programming on the Elbrus platform (in Russian), 2020, CC BY 4.0")
        .source("S5", "smworklair/NEX-CLI-x-Elbrus: probes of what lcc 1.29.16 -O3 schedules for v6")
        .source("S6", "smworklair/NEX-CLI-x-Elbrus: listings of lcc 1.29.16 -O3 for v6")
        .source("S8", "AnandTech 15823: Elbrus 8CB");
  }

  /// Channels 0 to 2 are one cluster, channels 3 to 5 the other.
  static constexpr void add_resources(machine_builder& m) {
    m.channels({"0", "1", "2", "3", "4", "5"}, {"S1", high})
        .resource("ALC", 6, {"S1", high})
        .resource("MEM", 4, {"S5", high})
        .resource("LIT32", 4, {"S1", high})
        .resource("ARRAY", 4, {"S1", high})
        .resource("PLU", 3, {"S1", high})
        .resource("CT", 1, {"S6", high})
        .resource("DISP", 1, {"S6", high});
  }

  static constexpr void add_integer_rows(machine_builder& m) {
    m.set({alu, shift, merge, move}, channels, 0b111111, {"S5, S4", high})
        .set({alu, shift, merge, move}, latency, 1, {"S5, S4", high})
        .set({alu, shift, merge, move}, occupancy, 1, {"S5, S4", high})
        .set({combined_alu}, channels, 0b010010, {"S5", high})
        .set({combined_alu}, latency, 2, {"S4", medium})
        .set({combined_alu}, occupancy, 1, {"S5, S4", medium})
        .set({integer_multiply}, channels, 0b011011, {"S5, S4", high})
        .set({integer_multiply}, latency, 4, {"S5, S4", high})
        .set({integer_multiply}, occupancy, 1, {"S5, S4", high})
        .set({integer_divide}, channels, 0b100000, {"S5", medium})
        .set({integer_divide}, latency, 11, {"S5", medium})
        .set({integer_divide}, occupancy, 2, {"S5", medium});
  }

  /// The square root is assumed to be like the division, hence its confidence.
  static constexpr void add_fp_rows(machine_builder& m) {
    m.set({fp_divide_single, fp_divide_double}, channels, 0b100000, {"S5, S4", high})
        .set({fp_divide_single}, latency, 11, {"S5, S4", high})
        .set({fp_divide_double}, latency, 14, {"S5, S4", high})
        .set({fp_divide_single, fp_divide_double}, occupancy, 2, {"S5, S4", high})
        .set({fp_sqrt_single, fp_sqrt_double}, channels, 0b100000, {"S5, S4", low})
        .set({fp_sqrt_single}, latency, 11, {"S5, S4", low})
        .set({fp_sqrt_double}, latency, 14, {"S5, S4", low})
        .set({fp_sqrt_single, fp_sqrt_double}, occupancy, 2, {"S5, S4", low})
        .set({fp_add, fp_multiply, fused_multiply_add}, channels, 0b111111, {"S5, S4", high})
        .set({fp_add, fp_multiply}, latency, 4, {"S5, S4", high})
        .set({fused_multiply_add}, latency, 8, {"S5, S4", high})
        .set({fp_add, fp_multiply, fused_multiply_add}, occupancy, 1, {"S5, S4", high})
        .set({convert_to_integer, convert_to_fp}, channels, 0b011011, {"S5", medium})
        .set({convert_to_integer}, latency, 4 + 2, {"S5", medium})
        .set({convert_to_fp}, latency, 4 + 1, {"S5", medium})
        .set({convert_to_integer, convert_to_fp}, occupancy, 1, {"S5", medium});
  }

  /// The result of a comparison reaches predicate logic first, then guarded operations, then a branch.
  static constexpr void add_predicate_rows(machine_builder& m) {
    m.set({compare}, channels, 0b011011, {"S5", high})
        .set({compare}, latency, 1, {"S4", medium})
        .set({compare}, occupancy, 1, {"S5", high})
        .set({predicate_logic}, latency, 1, {"S6, S4", medium})
        .use({predicate_logic}, "PLU", 1, {"S6, S4", medium})
        .latency_to_any(compare, dependence_kind::guard, 2, {"S4", medium})
        .latency(compare, branch, dependence_kind::value, 3, {"S4", medium})
        .latency(compare, branch, dependence_kind::guard, 3, {"S4", medium});
  }

  /// In each cycle, loads + 2 · stores ≤ 4.
  static constexpr void add_memory_rows(machine_builder& m) {
    m.set({load}, channels, 0b101101, {"S5", high})
        .set({load}, latency, 5, {"S5", medium})
        .set({load}, occupancy, 1, {"S5", high})
        .use({load}, "MEM", 1, {"S5", high})
        .set({store}, channels, 0b100100, {"S5", high})
        .set({store}, latency, 2, {"S5", medium})
        .set({store}, occupancy, 1, {"S5", high})
        .use({store}, "MEM", 2, {"S5", high})
        .latency(store, load, dependence_kind::memory, 2, {"S5", medium})
        .set({array_read}, latency, 1, {"", assumed})
        .use({array_read}, "ARRAY", 1, {"S5, S4", medium});
  }

  /// A call is a barrier in the pipeline; the time of the callee is added to its latency.
  static constexpr void add_control_rows(machine_builder& m) {
    m.set({branch}, latency, 0, {"S6", high})
        .use({branch}, "CT", 1, {"S6", high})
        .set({branch_prepare}, latency, 5, {"S6", high})
        .use({branch_prepare}, "DISP", 1, {"S6", high})
        .set({call}, latency, 5, {"S6", medium})
        .use({call}, "CT", 1, {"S6", medium});
  }

  static constexpr void add_channel_facts(machine_builder& m) {
    for (const operation_class c : all_operation_classes()) {
      if (m.model().channels(c) == 0) {
        continue;
      }
      const bool extended = c == combined_alu || c == integer_multiply || c == fused_multiply_add;
      m.use({c}, "ALC", 1, {"S1", high}).set({c}, code_bytes, extended ? 6 : 4, {"S1", high});
      m.set({c}, predicated, 1, {"S1", high}).set({c}, speculated, c == store ? 0 : 1, {"S1, S3", high});
    }
    m.set({branch, branch_prepare}, code_bytes, 4, {"S1", high});
  }

  static constexpr void add_fields(machine_builder& m) {
    using enum machine_field;
    m.set(general_registers, 192, {"S1, S3", high})
        .set(rotating_registers, 128, {"S1, S3", high})
        .set(rotation_step, 2, {"S1, S3", high})
        .set(predicate_registers, 32, {"S1, S3", high})
        .set(rotating_predicates, 32, {"S1, S3", high})
        .set(hardware_loop_counter, 1, {"S1, S3", high})
        .set(pipeline_stages, 31, {"S1, S3", high})
        .set(longest_pipelined_body, 300, {"S4", medium})
        .set(shortest_pipelined_trip, 4, {"", assumed})
        .set(loop_setup, 5, {"S6", high})
        .set(branch_preparation, 5, {"S6, S4", high})
        .set(branches_per_cycle, 1, {"S6, S4", high})
        .set(loop_branch_penalty, 0, {"S6, S4", high})
        .set(code_alignment, 8, {"S1", high})
        .set(code_header, 4, {"S1", high})
        .set(code_literal, 4, {"S1", high})
        .set(longest_instruction, 64, {"S1", high})
        .set(free_nops, 7, {"S1", high})
        .set(instruction_cache, 128 * 1024, {"S4, S5, S8", high})
        .set(data_cache, 64 * 1024, {"S4, S5, S8", high})
        .set(second_level_cache, 512 * 1024, {"S4, S5, S8", high})
        .set(load_latency_first_level, 5, {"S5", medium})
        .set(load_latency_second_level, 11, {"S4, S5, S8", medium})
        .set(load_latency_third_level, 40, {"S4, S5, S8", medium})
        .set(load_latency_memory, 100, {"S4, S5, S8", medium})
        .set(disambiguation_entries, 32, {"S1, S3", high});
  }

  static constexpr void fill_in(machine_builder& m) {
    name_sources(m);
    add_resources(m);
    add_integer_rows(m);
    add_fp_rows(m);
    add_predicate_rows(m);
    add_memory_rows(m);
    add_control_rows(m);
    add_channel_facts(m);
    add_fields(m);
  }
};

} // namespace detail

namespace detail::compiled {

void fill_in_e2k_reference_v6(machine_builder& m);

} // namespace detail::compiled

namespace detail {

/// A builder that is filled in, not a function that returns the model: g++ evaluates each call whose arguments are all
/// constants, used or not, and the model takes it longer than all other headers of `machine/`.
constexpr void fill_in_e2k_reference_v6(machine_builder& m) {
  MIDEND_RETURN_COMPILED(compiled::fill_in_e2k_reference_v6(m));
  e2k_tables::fill_in(m);
}

} // namespace detail

/// An Elbrus-like machine of the sixth version, as the vendor's compiler schedules for it. docs/machine-model.md shows
/// the table. Two entries combine columns of the sources: the latency of a conversion includes the crossing between
/// integer and floating-point registers; a call takes 5 cycles plus the time of the callee, which is not in the table.
constexpr machine_model e2k_reference_v6() {
  machine_builder m("e2k_reference_v6");
  detail::fill_in_e2k_reference_v6(m);
  return m.model();
}

/// The machine of `e2k_reference_v6` with the changes that the vendor's guide states for the fourth version: loads take
/// 3 cycles, and floating-point operations use four channels.
constexpr machine_model e2k_guide_v4() {
  using enum operation_class;
  machine_builder m("e2k_guide_v4");
  detail::fill_in_e2k_reference_v6(m);
  m.set({load}, class_field::latency, 3, {"S4", confidence::medium})
      .set(machine_field::load_latency_first_level, 3, {"S4", confidence::medium})
      .set({fp_add, fp_multiply, fused_multiply_add}, class_field::channels, 0b011011, {"S4", confidence::medium});
  return m.model();
}

#if defined(MIDEND_COMPILED_SOURCE)

namespace detail::compiled {

void fill_in_e2k_reference_v6(machine_builder& m) {
  e2k_tables::fill_in(m);
}

} // namespace detail::compiled

#endif

MIDEND_END_NAMESPACE
