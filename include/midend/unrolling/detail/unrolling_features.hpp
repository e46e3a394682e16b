/// The features of a loop that make forms of it worth a try, and assumptions that an advice rests on.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/extract_loop.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A loop compares start + k · step with a number, in iteration k and modulo 2^width.
struct compared_counter {
  std::uint64_t start;
  std::uint64_t step;
  std::uint64_t number;
  unsigned width;

  /// Whether the counter equals the number in the last of the first `peeled` iterations, or in the next one.
  constexpr bool passes_after(std::uint32_t peeled) const {
    const std::uint64_t last = (start + (peeled - 1) * step) & low_ones(width);
    return last == number || ((last + step) & low_ones(width)) == number;
  }
};

struct unrolling_features {
  std::size_t operations = 0;       ///< of one iteration, before any clean-up
  std::size_t exits = 0;            ///< edges that leave the loop
  std::size_t values_outside = 0;   ///< values of the loop that are read after it
  bool has_unusual_control = false; ///< a node has several successors and no condition
  bool loads = false;
  bool stores = false;
  bool has_classes = false;         ///< accesses are in classes of memory
  bool has_several_bases = false;   ///< accesses have different bases
  bool has_promises = false;        ///< additions to phis of the header do not wrap, as the program promises
  bool has_settling_phi = false;    ///< a phi of the header does not change after the first iteration
  flat_array<std::uint64_t> moduli; ///< of divisions, remainders, shifts and masks; ascending, each once, at least 2
  flat_array<compared_counter> comparisons;
};

/// Reads an extracted loop; refills `out`. `found` are the `evolutions` of loop `l` in the function that it came from.
/// Linear.
MIDEND_FUNCTION void read_features(const extracted_loop& x, const value_evolutions& found, loop_id l,
                                   unrolling_features& out);

} // namespace detail

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/graph/concepts.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/support/order.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"

#include <bit>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

class feature_reader {
public:
  feature_reader(const extracted_loop& x, const value_evolutions& found, loop_id l, unrolling_features& out)
      : x_(x), program_(x.program), found_(found), loop_(l), out_(out) {}

  void run() {
    flat_array<std::uint64_t>& moduli = out_.moduli;
    flat_array<compared_counter>& comparisons = out_.comparisons;
    moduli.clear();
    comparisons.clear();
    out_.operations = out_.exits = out_.values_outside = 0;
    out_.has_unusual_control = out_.loads = out_.stores = out_.has_classes = out_.has_several_bases = false;
    out_.has_promises = out_.has_settling_phi = false;
    for (node_id n = extracted_loop::header; n != x_.first_exit; ++n) {
      read_edges(n);
      for (const value_id v : program_.values(n)) {
        out_.values_outside += is_read_outside(v) ? 1U : 0U;
        if (n == extracted_loop::header && program_.is_phi(v)) {
          read_phi(v);
        } else if (!program_.is_terminator(v)) {
          ++out_.operations;
          read_value(v);
        }
      }
    }
    sort_and_deduplicate(moduli);
  }

private:
  bool is_inside(value_id v) const {
    const node_id n = program_.node_of(v);
    return n != no_node && n != extracted_loop::entry && n < x_.first_exit;
  }

  void read_edges(node_id n) {
    std::size_t edges = 0;
    for (const edge_id e : program_.graph().out_edges(n)) {
      ++edges;
      out_.exits += program_.graph().edge_target(e) >= x_.first_exit ? 1U : 0U;
    }
    out_.has_unusual_control = out_.has_unusual_control || (edges > 1 && program_.condition(n) == no_value);
  }

  bool is_read_outside(value_id v) const {
    for (const value_id user : program_.users(v)) {
      const node_id n = program_.node_of(user);
      if (n != no_node && n >= x_.first_exit) {
        return true;
      }
    }
    return false;
  }

  void read_phi(value_id phi) {
    value_id next = no_value;
    bool is_one = true;
    for (const edge_id e : program_.graph().in_edges(extracted_loop::header)) {
      if (program_.graph().edge_source(e) != extracted_loop::entry) {
        const value_id input = program_.phi_input(phi, e);
        is_one = is_one && (next == no_value || next == input);
        next = input;
        const operation_info info = input == no_value ? operation_info() : program_.operation(input);
        out_.has_promises = out_.has_promises || ((info.code == operation::add || info.code == operation::sub) &&
                                                  (info.flags.no_signed_wrap || info.flags.no_unsigned_wrap));
      }
    }
    out_.has_settling_phi = out_.has_settling_phi || (is_one && next != no_value && !is_inside(next));
  }

  void read_value(value_id v) {
    if (const auto memory = program_.memory(v)) {
      const effect_kind effect = program_.effect(v);
      out_.loads = out_.loads || effect == effect_kind::reads;
      out_.stores = out_.stores || effect == effect_kind::writes;
      out_.has_classes = out_.has_classes || memory->memory != any_memory;
      out_.has_several_bases = out_.has_several_bases || (has_base_ && memory->base != base_);
      base_ = memory->base;
      has_base_ = true;
      return;
    }
    const span<const value_id> operands = program_.operands(v);
    if (operands.size() != 2 || operands[0] == no_value || operands[1] == no_value) {
      return;
    }
    const std::optional<std::uint64_t> number = program_.constant(operands[1]);
    const operation_info info = program_.operation(v);
    if (number && is_comparison(info.code)) {
      note_comparison(operands[0], *number);
    } else if (number) {
      const std::uint64_t m = modulus_of(info, *number);
      if (m >= 2) {
        out_.moduli.push_back(m);
      }
    }
  }

  void note_comparison(value_id counter, std::uint64_t number) {
    const value_id origin = program_.origin(counter);
    if (origin == no_value || !is_inside(counter)) {
      return;
    }
    const evolution e = found_.evolution_of(origin, loop_);
    if (e.is_known() && e.degree == 1 && !e.has_power() && e.start().is_number() && e.step().is_number()) {
      const unsigned width = e.start().width;
      out_.comparisons.push_back(
          {e.start().constant & low_ones(width), e.step().constant, number & low_ones(width), width});
    }
  }

  /// The modulus of a division, remainder, right shift or mask by a number: 2^k for x & (2^k - 1). 0 for others.
  static std::uint64_t modulus_of(const operation_info& info, std::uint64_t by) {
    switch (info.code) {
    case operation::div:
    case operation::rem: {
      const auto divisor = static_cast<std::uint64_t>(as_signed(by, info.width));
      return min(divisor, 0 - divisor);
    }
    case operation::udiv:
    case operation::urem:
      return by;
    case operation::shr:
    case operation::sar:
      return by < 63 ? std::uint64_t{1} << by : 0;
    case operation::bit_and:
      return std::has_single_bit(by + 1) ? by + 1 : 0;
    default:
      return 0;
    }
  }

  const extracted_loop& x_;
  const flat_program& program_;
  const value_evolutions& found_;
  const loop_id loop_;
  unrolling_features& out_;
  bool has_base_ = false;
  value_id base_ = no_value;
};

MIDEND_FUNCTION void read_features(const extracted_loop& x, const value_evolutions& found, loop_id l,
                                   unrolling_features& out) {
  feature_reader(x, found, l, out).run();
}

} // namespace detail

MIDEND_END_NAMESPACE

#endif
