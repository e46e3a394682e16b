/// `run_region`: runs a region, one iteration after the other in program order: the reference result for its schedules.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/region_value_kind.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A number, or an arbitrary value: the result of a broken promise, a division by 0 or a load without memory.
struct region_number {
  std::uint64_t bits = 0;
  bool is_known = false;

  friend constexpr bool operator==(const region_number&, const region_number&) = default;
};

/// Memory for regions: `load` returns the number at an address, or no number where there is none; `store` writes. Both
/// get the alias class of the access, for programs whose classes do not overlap even at equal addresses.
template <class Memory>
concept region_memory =
    requires(Memory& m, std::uint64_t address, std::uint32_t bytes, std::uint32_t memory, std::uint64_t bits) {
      { m.load(address, bytes, memory) } -> std::convertible_to<region_number>;
      m.store(address, bytes, memory, bits);
    };

/// How a run of a region ends.
enum class region_run_status : std::uint8_t {
  left, ///< by `exit`, or at the end of a straight line
  too_many_passes,
  without_meaning, ///< an exit, a guard, an address or a stored value is no number
  calls            ///< the region calls something
};

/// The result of `run_region`.
struct region_run {
  region_run_status status = region_run_status::without_meaning;
  std::uint32_t passes = 0;          ///< iterations that began
  std::uint32_t exit = 0;            ///< position in `exits`; their number at the end of a straight line
  flat_array<region_number> results; ///< of `left`: by value of `live_out`; no number if it comes after the exit

  friend constexpr bool operator==(const region_run&, const region_run&) = default;
};

namespace detail {

/// Evaluates the values of a region in several iterations. `Issued` says whether the operation that computes a value
/// has been issued in an iteration.
template <region_memory Memory, class Issued> class region_evaluator {
public:
  constexpr region_evaluator(const program_region& region, span<const std::uint64_t> inputs, Memory& memory,
                             const Issued& issued)
      : region_(region), inputs_(inputs), memory_(memory), issued_(issued) {
    phi_of_.assign(region.values.size(), no_region_value);
    for (std::uint32_t p = 0; p != region.phis.size(); ++p) {
      if (region.phis[p] != no_region_value) {
        phi_of_[region.phis[p]] = p;
      }
    }
  }

  /// Makes room for one more iteration.
  constexpr void begin_pass() {
    for (std::size_t i = 0; i != region_.values.size(); ++i) {
      cells_.push_back({0, state::unknown});
    }
  }

  /// Computes a value and everything that it depends on. False if an operation on which it depends was not issued: then
  /// `missing` is the value of that operation, in `missing_pass`.
  constexpr bool need(region_id node, std::uint32_t pass) {
    work_.clear();
    work_.push_back({node, pass});
    while (!work_.empty()) {
      const task t = work_.back();
      if (cell(t.node, t.pass).is != state::unknown) {
        work_.pop_back();
      } else if (!step(t)) {
        missing = t.node;
        missing_pass = t.pass;
        return false;
      }
    }
    return true;
  }

  /// Requires that `need` computed it.
  constexpr region_number number(region_operand o, std::uint32_t pass) {
    const region_value& v = region_.values[o.node];
    const value_cell& c = cell(o.node, pass);
    return {(c.bits + o.addend) & low_ones(v.info.width), c.is == state::known};
  }

  /// The address of an access. Requires that `need_address` succeeded.
  constexpr region_number address(const region_access& a, std::uint32_t pass) {
    std::uint64_t sum = static_cast<std::uint64_t>(a.offset);
    bool is_known = true;
    if (a.base != no_region_value) {
      const region_number base = number({a.base, 0}, pass);
      sum += base.bits;
      is_known = base.is_known;
    }
    if (a.index != no_region_value) {
      const region_number index = number({a.index, 0}, pass);
      const auto extended = static_cast<std::uint64_t>(as_signed(index.bits, region_.values[a.index].info.width));
      sum += extended * static_cast<std::uint64_t>(a.scale);
      is_known = is_known && index.is_known;
    }
    return {sum, is_known};
  }

  constexpr bool need_address(const region_access& a, std::uint32_t pass) {
    return (a.base == no_region_value || need(a.base, pass)) && (a.index == no_region_value || need(a.index, pass)) &&
           (a.stored.node == no_region_value || need(a.stored.node, pass));
  }

  /// Reads memory now. Requires `need_address`.
  constexpr void load(region_id node, std::uint32_t pass) {
    const region_access& a = region_.accesses[region_.values[node].access];
    const region_number where = address(a, pass);
    const region_number read = where.is_known ? memory_.load(where.bits, a.bytes, a.memory) : region_number{};
    set(node, pass, read);
  }

  /// Reads the loads that are equal in all iterations, before the first one.
  constexpr bool load_invariants() {
    for (region_id n = 0; n != region_.values.size(); ++n) {
      const region_value& v = region_.values[n];
      if (v.kind == region_value_kind::load && v.is_invariant && !region_.is_straight_line) {
        if (!need_address(region_.accesses[v.access], 0)) {
          return false;
        }
        load(n, 0);
      }
    }
    return true;
  }

  constexpr bool is_computed(region_id node, std::uint32_t pass) { return cell(node, pass).is != state::unknown; }

  region_id missing = no_region_value;
  std::uint32_t missing_pass = 0;

private:
  enum class state : std::uint8_t { unknown, known, meaningless };

  struct value_cell {
    std::uint64_t bits;
    state is;
  };

  struct task {
    region_id node;
    std::uint32_t pass;
  };

  constexpr value_cell& cell(region_id node, std::uint32_t pass) { return cells_[pass * region_.values.size() + node]; }

  constexpr void set(region_id node, std::uint32_t pass, const region_number& v) {
    cell(node, pass) = {v.bits & low_ones(region_.values[node].info.width),
                        v.is_known ? state::known : state::meaningless};
  }

  constexpr void copy(const task& t, region_operand from, std::uint32_t from_pass) {
    if (cell(from.node, from_pass).is == state::unknown) {
      work_.push_back({from.node, from_pass});
    } else {
      set(t.node, t.pass, number(from, from_pass));
    }
  }

  /// Computes the value, or pushes the operands that it still needs.
  constexpr bool step(const task& t) {
    const region_value& v = region_.values[t.node];
    switch (v.kind) {
    case region_value_kind::constant:
      set(t.node, t.pass, {v.bits, true});
      return true;
    case region_value_kind::invariant:
      set(t.node, t.pass, {inputs_[t.node], true});
      return true;
    case region_value_kind::phi:
      if (t.pass == 0 || region_.is_straight_line || phi_of_[t.node] == no_region_value) {
        set(t.node, t.pass, {inputs_[t.node], true});
      } else {
        copy(t, region_.next[phi_of_[t.node]], t.pass - 1);
      }
      return true;
    case region_value_kind::pure:
      if (v.access != no_region_value) { // a store that another one overwrites
        set(t.node, t.pass, {});
        return true;
      }
      if (v.is_invariant && t.pass != 0) {
        copy(t, {t.node, 0}, 0);
        return true;
      }
      return issued_(t.node, t.pass) && compute(t);
    case region_value_kind::load:
      if (v.is_invariant && !region_.is_straight_line) {
        copy(t, {t.node, 0}, 0);
        return true;
      }
      if (!issued_(t.node, t.pass)) {
        return false;
      }
      if (ask_for_address(region_.accesses[v.access], t.pass)) {
        load(t.node, t.pass);
      }
      return true;
    default:
      set(t.node, t.pass, {});
      return true;
    }
  }

  constexpr bool ask(region_id node, std::uint32_t pass) {
    if (node != no_region_value && cell(node, pass).is == state::unknown) {
      work_.push_back({node, pass});
      return false;
    }
    return true;
  }

  constexpr bool ask_for_address(const region_access& a, std::uint32_t pass) {
    const bool base = ask(a.base, pass);
    return ask(a.index, pass) && base;
  }

  constexpr bool compute(const task& t) {
    const region_value& v = region_.values[t.node];
    const span<const region_operand> operands = region_.operands_of(t.node);
    bool all = true;
    for (const region_operand& o : operands) {
      all = ask(o.node, t.pass) && all;
    }
    if (all) {
      set(t.node, t.pass, result(v, operands, t.pass));
    }
    return true;
  }

  /// An operation outside the vocabulary computes a fixed function of its operands and its identity.
  constexpr region_number result(const region_value& v, span<const region_operand> operands, std::uint32_t pass) {
    if (v.info.code == operation::select) {
      const region_number condition = number(operands[0], pass);
      const region_number chosen = number(operands[condition.bits != 0 ? 1 : 2], pass);
      return {chosen.bits, condition.is_known && chosen.is_known};
    }
    std::array<std::uint64_t, 4> arguments{};
    std::uint64_t mixed = std::uint64_t{v.identity} * 0x9e37'79b9'7f4a'7c15 + operands.size();
    for (std::size_t i = 0; i != operands.size(); ++i) {
      const region_number argument = number(operands[i], pass);
      if (!argument.is_known) {
        return {};
      }
      if (i < arguments.size()) {
        arguments[i] = argument.bits;
      }
      mixed = (mixed ^ argument.bits) * 0xbf58'476d'1ce4'e5b9 + (mixed >> 29);
    }
    if (v.info.code == operation::other || operands.size() != arity(v.info.code)) {
      return {mixed, true};
    }
    operation_info info = v.info;
    info.flags = {};
    const evaluation e = evaluate(info, span<const std::uint64_t>(arguments).first(operands.size()));
    return {e.bits, static_cast<bool>(e)};
  }

  const program_region& region_;
  span<const std::uint64_t> inputs_;
  Memory& memory_;
  const Issued& issued_;
  flat_array<std::uint32_t> phi_of_; ///< by node: its position among the header phis
  flat_array<value_cell> cells_;     ///< by iteration and node
  flat_array<task> work_;
};

/// The values that are used after the region, if control leaves by `exit` in an iteration: those that come before the
/// exit.
template <class Evaluator>
constexpr bool read_results(const program_region& region, Evaluator& values, std::uint32_t exit, std::uint32_t pass,
                            flat_array<region_number>& out) {
  out.clear();
  for (const region_operand& o : region.live_out) {
    const bool is_computed = exit == region.exits.size() || o.node < region.exits[exit].position;
    if (is_computed && !values.need(o.node, pass)) {
      return false;
    }
    out.push_back(is_computed ? values.number(o, pass) : region_number{});
  }
  return true;
}

} // namespace detail

/// Runs a region from its inputs: by node, the bits of its header phis on entry and of its invariants. A value whose
/// guard is false is arbitrary, and so is every value computed from it; the run has no meaning if an effect or an exit
/// depends on one. Promises about wrapping are ignored. An operation outside the vocabulary computes a fixed function
/// of its operands, which is enough to compare two runs.
///
/// Ends after `most_passes` iterations. O(passes · values) in time and space.
template <region_memory Memory>
constexpr region_run run_region(const program_region& region, span<const std::uint64_t> inputs, Memory& memory,
                                std::uint32_t most_passes) {
  region_run out;
  if (region.has_call) {
    out.status = region_run_status::calls;
    return out;
  }
  const auto always = [](region_id, std::uint32_t) { return true; };
  detail::region_evaluator<Memory, decltype(always)> values(region, inputs, memory, always);
  for (std::uint32_t pass = 0;; ++pass) {
    if (pass == most_passes) {
      out.status = region_run_status::too_many_passes;
      return out;
    }
    out.passes = pass + 1;
    values.begin_pass();
    if (pass == 0) {
      values.load_invariants();
    }
    std::uint32_t exit = 0;
    for (region_id n = 0; n <= region.values.size(); ++n) {
      for (; exit != region.exits.size() && (n == region.values.size() || region.exits[exit].position <= n); ++exit) {
        const region_exit& e = region.exits[exit];
        values.need(e.predicate, pass);
        const region_number test = values.number({e.predicate, 0}, pass);
        if (!test.is_known) {
          return out;
        }
        if ((test.bits != 0) != e.negated) {
          out.status = region_run_status::left;
          out.exit = exit;
          detail::read_results(region, values, exit, pass, out.results);
          return out;
        }
      }
      if (n == region.values.size()) {
        break;
      }
      const region_value& v = region.values[n];
      if (v.kind == region_value_kind::load) {
        values.need(n, pass);
      } else if (v.kind == region_value_kind::store) {
        region_number guard{1, true};
        if (v.guard != no_region_value) {
          values.need(v.guard, pass);
          guard = values.number({v.guard, 0}, pass);
        }
        if (!guard.is_known) {
          return out;
        }
        if ((guard.bits != 0) != v.guard_negated) {
          const region_access& a = region.accesses[v.access];
          values.need_address(a, pass);
          const region_number where = values.address(a, pass);
          const region_number what = values.number(a.stored, pass);
          if (!where.is_known || !what.is_known) {
            return out;
          }
          memory.store(where.bits, a.bytes, a.memory, what.bits);
        }
      }
    }
    if (region.is_straight_line) {
      out.status = region_run_status::left;
      out.exit = static_cast<std::uint32_t>(region.exits.size());
      detail::read_results(region, values, out.exit, pass, out.results);
      return out;
    }
  }
}

MIDEND_END_NAMESPACE
