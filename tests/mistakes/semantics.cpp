// Natural mistakes in what values mean, and in domains of one's own.
#include "right_ssa.hpp"

#include "midend/viz/sccp.hpp"

/// The right program with `x == 10` as its condition, x the parameter.
static right_ssa with_test(operation code, unsigned width, unsigned operand_width) {
  right_ssa ir;
  ir.v[6].operands = {3, 2};
  ir.v[6].info = {code, static_cast<std::uint8_t>(width), static_cast<std::uint8_t>(operand_width), {}};
  return ir;
}

template <class Domain> bool both_run(const right_ssa& ir, const Domain& domain) {
  const auto found = midend::sccp(ir, domain);
  return found.is_executable(2) && found.is_executable(3);
}

// mistake: A comparison has 32 bits, as QBE's and WebAssembly's
// works
RUN(comparison_of_32_bits) {
  const right_ssa ir = with_test(operation::equal, 32, 32);
  EXPECT(both_run(ir, midend::flat_domain<std::uint64_t>()));
  EXPECT(both_run(ir, midend::interval_domain()));
  EXPECT(both_run(ir, midend::known_bits_domain()));
  EXPECT(both_run(ir, midend::number_domain()));
}

// mistake: A comparison reads fewer bits than its operands have
// works
RUN(comparison_of_low_bits) {
  right_ssa ir = with_test(operation::equal, 1, 32);
  ir.v[3].info = {operation::other, 64, 64, {}};
  ir.v[2].info = {operation::other, 64, 64, {}};
  EXPECT(both_run(ir, midend::number_domain()) && both_run(ir, midend::interval_domain()));
}

// mistake: `operand_width` of a comparison is not set
// run-time: v6: its operand_width is 0
RUN(operand_width_not_set) {
  says(midend::check_ir(with_test(operation::equal, 1, 0)));
}

// mistake: `operand_width` of a comparison is its own width
// run-time: v6: it compares 1 bit of operands that have 32
RUN(operand_width_is_width) {
  says(midend::check_ir(with_test(operation::less, 1, 1)));
}

// mistake: Widths in bytes
// run-time: v2: constant\(\) is 100, which has bits above
RUN(width_in_bytes) {
  right_ssa ir;
  for (right_ssa::value& value : ir.v) {
    value.info.width = value.info.width == 1 ? 1 : 4;
    value.info.operand_width = 4;
  }
  ir.v[2].number = 100;
  says(midend::check_ir(ir));
}

// mistake: A width of 128 bits
// run-time: v8: its width is 128
RUN(width_128) {
  right_ssa ir;
  ir.v[8].info.width = 128;
  says(midend::check_ir(ir));
}

// mistake: -5 as a constant of 32 bits is sign-extended to 64; `check_ir`
// run-time: v0: constant\(\) is 18446744073709551611, which has bits above the width
RUN(constant_sign_extended_checked) {
  right_ssa ir;
  ir.v[0].number = static_cast<std::uint64_t>(-5);
  says(midend::check_ir(ir));
}

// mistake: -5 as a constant of 32 bits is sign-extended to 64; `sccp`
// run-time: violation:
RUN(constant_sign_extended_sccp) {
  right_ssa ir;
  ir.v[0].number = static_cast<std::uint64_t>(-5);
  use(midend::sccp(ir, midend::number_domain()));
}

// mistake: The case of an edge is sign-extended
// run-time: the case of edge 1, 18446744073709551615, has more bits than condition v6
RUN(case_sign_extended) {
  right_ssa ir;
  ir.cases[1] = static_cast<std::uint64_t>(-1);
  says(midend::check_ir(ir));
}

// mistake: No edge of a branch has a case
// run-time: edge_case\(\) of none of the 2 edges
RUN(no_cases) {
  right_ssa ir;
  ir.cases[1] = ir.cases[2] = std::nullopt;
  says(midend::check_ir(ir));
}

// mistake: Both edges of a branch have the case 1
// run-time: edge 2 has the case of an earlier edge
RUN(case_twice) {
  right_ssa ir;
  ir.cases[2] = 1;
  says(midend::check_ir(ir));
}

// mistake: Cases 1 and 0 for a condition of 32 bits of which any number but 0 is true
// run-time: block 1: cases 1 and 0, but condition v3
RUN(cases_of_a_number) {
  right_ssa ir;
  ir.conditions[1] = 3;
  says(midend::check_ir(ir));
}

// mistake: A truncation with its widths exchanged
// run-time: v8: its operand_width, 8, is on the wrong side
RUN(conversion_turned) {
  right_ssa ir;
  ir.v[8].info = {operation::truncate, 32, 8, {}};
  says(midend::check_ir(ir));
}

// mistake: A binary operation with one operand; `check_ir`
// run-time: v8: its operation reads 2 operands, but has 1
RUN(too_few_operands_checked) {
  right_ssa ir;
  ir.v[8].operands = {5};
  says(midend::check_ir(ir));
}

// mistake: A binary operation with one operand; `sccp`
// run-time: violation: as many operands as the operation needs
RUN(too_few_operands_sccp) {
  right_ssa ir;
  ir.v[8].operands = {5};
  use(midend::sccp(ir, midend::number_domain()));
}

// mistake: The operation of a phi is `copy`
// run-time: v5 is a phi, but its operation
RUN(operation_of_a_phi) {
  right_ssa ir;
  ir.v[5].info.code = operation::copy;
  says(midend::check_ir(ir));
}

// mistake: An input of a phi has another width
// run-time: v5 in block 1: the input along edge 0 has 64 bits
RUN(phi_of_two_widths) {
  right_ssa ir;
  ir.v[0].info.width = 64;
  says(midend::check_ir(ir));
}

// mistake: `select` with a condition of 32 bits, of which any number but 0 is true
// works
RUN(select_of_a_number) {
  right_ssa ir;
  ir.v[2].number = 2;
  ir.v[8].operands = {2, 1, 0};
  ir.v[8].info.code = operation::select;
  EXPECT(!midend::check_ir(ir) && midend::sccp(ir, midend::number_domain()).constant(8) == 1u);
}

// mistake: A shift by 32 of 32 bits, which the source language masks: no result, so top
// works
RUN(shift_by_the_width) {
  right_ssa ir;
  ir.v[2].number = 32;
  ir.v[8].operands = {1, 2};
  ir.v[8].info.code = operation::shl;
  EXPECT(!midend::check_ir(ir) && !midend::sccp(ir).constant(8));
}

// mistake: `bounds` with low and high exchanged
// run-time: v3: no number is within bounds
RUN(bounds_turned) {
  struct view : right_ssa {
    std::optional<midend::number_range> bounds(value_id x) const {
      return x == 3 ? std::optional(midend::number_range{10, 1, false}) : std::nullopt;
    }
  };

  says(midend::check_ir(view{}));
}

// mistake: An opaque value has an operation
// run-time: v8 is opaque, but
RUN(opaque_operation) {
  struct view : right_ssa {
    bool is_opaque(value_id x) const { return x == 8; }
  };

  says(midend::check_ir(view{}));
}

// mistake: `is_undefined` returns `int`
// works
RUN(is_undefined_returns_int) {
  struct view : right_ssa {
    int is_undefined(value_id x) const { return x == 3 ? 2 : 0; }
  };

  midend::sccp_options options;
  options.undefined = midend::undef_policy::any_value;
  EXPECT(midend::sccp(view{}, midend::flat_domain<std::uint64_t>(), options).is_undefined(3));
}

// mistake: A domain whose transfer is not monotone; `checked`
// run-time: not monotone at v
RUN(domain_not_monotone) {
  struct domain {
    using element = unsigned; // 0 nothing, 1 small, 2 anything
    using constant_type = std::uint64_t;

    element bottom() const { return 0; }

    element top(unsigned) const { return 2; }

    element constant(unsigned, std::uint64_t) const { return 1; }

    bool join(element& a, element b) const {
      const element old = a;
      a = a > b ? a : b;
      return a != old;
    }

    std::optional<std::uint64_t> as_constant(element) const { return std::nullopt; }

    element transfer(const midend::operation_info&, std::span<const element> args) const {
      return args[0] == 1 ? 2 : 1;
    }
  };

  midend::sccp_options options;
  options.checked = true;
  const auto found = midend::sccp(right_ssa{}, domain{}, options);
  if (found.broken_value() != no_value) {
    std::printf("not monotone at v%u\n", found.broken_value());
  }
}

// mistake: How much was understood? `coverage`
// works
RUN(coverage_counts) {
  right_ssa ir;
  ir.v[8].info.code = operation::other;
  EXPECT(midend::coverage(ir).understood() + 1 == midend::coverage(right_ssa{}).understood());
}

// ---- What does not compile.

// mistake: `constant` returns signed numbers, `std::optional<std::int64_t>`
// compile-time: midend: .*constant\(
#ifdef MISTAKE_constant_is_signed
struct view : right_ssa {
  std::optional<std::int64_t> constant(value_id x) const {
    return x == 0 ? std::optional<std::int64_t>(-5) : std::nullopt;
  }
};

RUN(constant_is_signed) {
  use(midend::sccp(view{}));
}
#endif

// mistake: `constant` returns a pointer, null for none
// compile-time: midend: .*constant\(
#ifdef MISTAKE_constant_is_a_pointer
struct view : right_ssa {
  const std::uint64_t* constant(value_id) const { return nullptr; }
};

RUN(constant_is_a_pointer) {
  use(midend::sccp(view{}));
}
#endif

// mistake: `operation` returns the enumerator alone
// compile-time: midend: .*operation
#ifdef MISTAKE_operation_is_a_code
struct view : right_ssa {
  midend::operation operation(value_id) const { return midend::operation::other; }
};

RUN(operation_is_a_code) {
  use(midend::sccp(view{}));
}
#endif

// mistake: `fold` takes a vector
// compile-time: midend: .*fold
#ifdef MISTAKE_fold_of_a_vector
struct view : right_ssa {
  std::optional<std::uint64_t> fold(value_id, const std::vector<std::uint64_t>&) const { return {}; }
};

RUN(fold_of_a_vector) {
  use(midend::sccp(view{}));
}
#endif

// mistake: `fold` takes signed numbers
// compile-time: midend: .*fold
#ifdef MISTAKE_fold_of_signed
struct view : right_ssa {
  std::optional<std::uint64_t> fold(value_id, std::span<const std::int64_t>) const { return {}; }
};

RUN(fold_of_signed) {
  use(midend::sccp(view{}));
}
#endif

// mistake: `never_returns` takes the block
// compile-time: midend: `never_returns`
#ifdef MISTAKE_never_returns_of_a_pointer
struct view : right_ssa {
  bool never_returns(const value*) const { return false; }
};

RUN(never_returns_of_a_pointer) {
  use(midend::sccp(view{}));
}
#endif

struct right_domain {
  using element = unsigned;
  using constant_type = std::uint64_t;

  element bottom() const { return 0; }

  element top(unsigned) const { return 3; }

  element constant(unsigned, std::uint64_t c) const { return 1u << (c & 1); }

  bool join(element& a, element b) const {
    const element old = a;
    a |= b;
    return a != old;
  }

  std::optional<std::uint64_t> as_constant(element) const { return std::nullopt; }
};

// mistake: `transfer` of a domain takes a vector
// compile-time: midend: `transfer` of a domain
#ifdef MISTAKE_domain_transfer_of_a_vector
struct domain : right_domain {
  element transfer(const midend::operation_info&, const std::vector<element>&) const { return 3; }
};

RUN(domain_transfer_of_a_vector) {
  use(midend::sccp(right_ssa{}, domain{}));
}
#endif

// mistake: `transfer` of a domain takes the enumerator
// compile-time: midend: `transfer` of a domain
#ifdef MISTAKE_domain_transfer_of_a_code
struct domain : right_domain {
  element transfer(operation, std::span<const element>) const { return 3; }
};

RUN(domain_transfer_of_a_code) {
  use(midend::sccp(right_ssa{}, domain{}));
}
#endif

// mistake: A lattice instead of a domain
// compile-time: midend: .*domain
#ifdef MISTAKE_lattice_instead_of_domain
RUN(lattice_instead_of_domain) {
  use(midend::sccp(right_ssa{}, midend::sign{}));
}
#endif

// mistake: `is_bottom` of elements is not `const`: it would never be called
// compile-time: midend: `is_bottom`
#ifdef MISTAKE_is_bottom_not_const
struct colours {
  unsigned bits = 0;

  bool is_bottom() { return bits == 0; }

  friend bool operator==(const colours&, const colours&) = default;
};

struct domain {
  using element = colours;
  using constant_type = std::uint64_t;

  element bottom() const { return {}; }

  element top(unsigned) const { return {3}; }

  element constant(unsigned, std::uint64_t c) const { return {1u << (c & 1)}; }

  bool join(element& a, const element& b) const {
    const element old = a;
    a.bits |= b.bits;
    return a != old;
  }

  std::optional<std::uint64_t> as_constant(const element&) const { return std::nullopt; }
};

RUN(is_bottom_not_const) {
  use(midend::sccp(right_ssa{}, domain{}));
}
#endif

// mistake: `is_bottom` of elements takes the width
// compile-time: midend: `is_bottom`
#ifdef MISTAKE_is_bottom_takes_the_width
struct colours {
  unsigned bits = 0;

  bool is_bottom(unsigned) const { return bits == 0; }

  friend bool operator==(const colours&, const colours&) = default;
};

struct domain {
  using element = colours;
  using constant_type = std::uint64_t;

  element bottom() const { return {}; }

  element top(unsigned) const { return {3}; }

  element constant(unsigned, std::uint64_t c) const { return {1u << (c & 1)}; }

  bool join(element& a, const element& b) const {
    const element old = a;
    a.bits |= b.bits;
    return a != old;
  }

  std::optional<std::uint64_t> as_constant(const element&) const { return std::nullopt; }
};

RUN(is_bottom_takes_the_width) {
  use(midend::sccp(right_ssa{}, domain{}));
}
#endif

// mistake: A workspace of SCCP for a lattice that is no domain
// compile-time: midend: a domain needs
#ifdef MISTAKE_workspace_of_a_lattice
RUN(workspace_of_a_lattice) {
  midend::sccp_workspace<midend::sign> workspace;
  use(workspace);
}
#endif

// mistake: `print` of a domain returns a string: reports would leave facts out
// compile-time: midend: `print` of a domain
#ifdef MISTAKE_domain_prints_a_string
struct domain : right_domain {
  std::string print(element) const { return "colours"; }
};

RUN(domain_prints_a_string) {
  use(midend::to_text(right_ssa{}, midend::sccp(right_ssa{}, domain{})));
}
#endif

// mistake: The names of a report are an array
// compile-time: midend: the names of a report need
#ifdef MISTAKE_facts_without_names
RUN(facts_without_names) {
  const char* const names[11] = {};
  use(midend::to_text(right_ssa{}, midend::sccp(right_ssa{}), names));
}
#endif
