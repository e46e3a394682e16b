/// `to_eir`: a flat program as a procedure of the Elbrus-like IR, for people and tests.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/program.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"

#include <cstdint>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// Why a flat program cannot be written in the Elbrus-like IR. `viz/eir_refusals.hpp` has the words.
struct eir_refusal {
  enum class reason : std::uint8_t {
    none,
    no_node,         ///< the program has no entry
    no_type,         ///< no type has the `number` bits of `value`; 0: it is no number, and nothing shows its type
    width,           ///< `value` reads or converts numbers of `number` bits, for which there is no type
    mixed_types,     ///< `value` reads a floating-point number as an integer or vice versa, or is a phi of
                     ///< numbers with different widths
    operand_not_set, ///< an operand, or an input of a phi, of `value`
    unknown_branch,  ///< `node` has several successors, and no cases say which one follows
    too_many_cases,  ///< the edges of `node` have `number` cases, or more, where `most_eir_cases` are allowed
  };

  reason why = reason::none;
  value_id value = no_value;
  node_id node = no_node;
  std::uint64_t number = 0;

  friend constexpr bool operator==(const eir_refusal&, const eir_refusal&) = default;
};

/// A node has at most so many cases: ranges of numbers become one case for each number.
inline constexpr std::size_t most_eir_cases = 256;

/// The program, or why there is none.
struct to_eir_result {
  elbrus::program program; ///< one procedure, or none
  eir_refusal refusal;

  explicit operator bool() const { return refusal.why == eir_refusal::reason::none; }
};

/// Names for the operations that become externals: `of(context, v)` is the name of the operation with origin `v`, or no
/// identifier for the usual name. Names that begin with `exit_` are not used. Valid until the next call.
struct external_names {
  const void* context = nullptr;
  std::string_view (*of)(const void* context, value_id origin) = nullptr;
};

/// A flat program as a procedure with this name, for people to read and the interpreter to run. Nothing measures the
/// text.
///
/// **Names** are numbers: node `n5`, value `%v12`; a step that the IR needs to compute `%v12` is `%v12.1`. If a branch
/// leads to the entry, an empty node `entry` comes before it. Nodes that are not the entry and have neither values nor
/// edges are left out, because erased ones look like this; other unreachable nodes are there, and so are parallel
/// edges.
///
/// **Parameters** are the named ones, then all other values that are in no node, are read, and are neither literals nor
/// undefined, by number. A named parameter without type and without readers is left out.
///
/// **Types.** A number has the integer type of its width. Values of one type (`same_type`), and those that phis, copies
/// and selections join, have one Elbrus type: `f32` or `f64` if the machine computes or compares one of them as a
/// floating-point number (`cost`) and none of them is used as an integer; `ptr` if one of them is the base of an
/// address and none is multiplied, divided, shifted, converted or an index. Values that are no numbers have the width
/// with which memory is read or written.
///
/// **Operations** of the vocabulary become those with the same meaning. Operands of other widths are converted first;
/// so are amounts of shifts modulo a number. `nsw` and `assoc` are kept. Dropped are promises of no unsigned overflow,
/// bounds, assumptions, and promises that a loop ends. An operation that does not trap, although an Elbrus operation
/// might, is `spec`.
///
/// **Loads and stores** of a place that `memory` names, in a format that a type has, become `ld` and `st`. Class of
/// memory 3 is `alias=m3`.
///
/// **All other operations** become calls of externals: `@other_CLASS_N` with the class of `cost` and the `identity` N
/// for operations without effect; `@other_CLASS_vN` with the origin N for operations with an effect or without
/// identity. So copies of an operation call one external. `names` may supply better names. They clobber what the
/// operation may write: nothing, some classes (`elsewhere` if it writes none that a load or store of the program
/// accesses), or anything. The call has a result if something reads it or its type differs from that of a store or
/// terminator.
///
/// **Ends.** If several successors follow, a `br` or `switch` has the cases of the edges. A node without successors
/// ends with `unreachable` if something in it never returns. The k-th other one, in the order of their numbers and from
/// 0 on, calls `@exit_k` and returns; arguments are the operands of its terminator, or, if `values(n)` has no
/// terminator, its phis. A terminator that does more than branch is an external, too.
///
/// **Runs** give the results of the program, with its own meaning for the externals, except: the Elbrus-like IR traps
/// where an operation has no result, and where `undef` is used; an external never returns a diagnostic value.
///
/// Requires a program that `check_ir` accepts. Deterministic. O(n + m + values + operands + cases), times at most 64
/// for types and classes of memory; almost linear because of the sets of values with one type. No recursion.
MIDEND_FUNCTION to_eir_result to_eir(const flat_program& program, std::string_view name = "loop",
                                     const external_names& names = {});

} // namespace elbrus

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/elbrus/detail/eir_speculation.hpp"
#include "midend/elbrus/detail/eir_types.hpp"
#include "midend/elbrus/identifier.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <initializer_list>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

namespace detail {

/// The opcode with the meaning of an operation of the vocabulary; `mov` for those without one, shifts modulo a number.
constexpr opcode opcode_of(operation meaning) {
  for (std::size_t i = 0; i != opcode_table.size(); ++i) {
    if (meaning != operation::other && opcode_table[i].meaning == meaning) {
      return static_cast<opcode>(i);
    }
  }
  return opcode::mov;
}

/// A name of a few parts.
class eir_name {
public:
  template <class... Parts> explicit eir_name(const Parts&... parts) { (append(parts), ...); }

  operator std::string_view() const { return {text_, size_}; }

private:
  void append(std::string_view part) {
    for (const char c : part) {
      MIDEND_ASSERT(size_ != sizeof text_, "a short name", size_);
      text_[size_++] = c;
    }
  }

  void append(std::uint32_t number) {
    char digits[10];
    std::size_t count = 0;
    do {
      digits[count++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    while (count != 0) {
      append(std::string_view(&digits[--count], 1));
    }
  }

  char text_[80];
  std::size_t size_ = 0;
};

/// An operand of an operation of the procedure.
struct eir_operand {
  value_id made = no_value;  ///< in the procedure …
  value_id later = no_value; ///< … or, in the program, a value that need not exist yet
  elbrus::type type = elbrus::type::none;
  bool doubtful = false; ///< it may be diagnostic
};

/// Writes the procedure, node by node.
class eir_writer {
public:
  eir_writer(const flat_program& p, std::string_view name, const external_names& names, procedure& to,
             eir_refusal& refusal)
      : p_(p), names_(names), to_(to), refusal_(refusal), types_(p), speculation_(p) {
    to_.set_name(name);
    made_.assign(p.num_values(), no_value);
    first_edge_.assign(p.graph().num_edges(), 0);
    edge_count_.assign(p.graph().num_edges(), 0);
  }

  void run() {
    if (p_.graph().num_nodes() == 0) {
      return refuse({.why = reason::no_node});
    }
    make_nodes();
    make_parameters();
    list_classes();
    for (node_id n = 0; n != p_.graph().num_nodes() && !is_refused(); ++n) {
      if (nodes_[n] != no_node) {
        write_node(n);
      }
    }
    if (!is_refused()) {
      set_inputs();
      set_later_operands();
    }
  }

private:
  using reason = eir_refusal::reason;

  using operand = eir_operand;
  using operand_list = std::initializer_list<operand>;

  /// An operand that is set at the end.
  struct later_operand {
    value_id user;
    std::uint32_t position;
    value_id operand;
  };

  bool is_refused() const { return refusal_.why != reason::none; }

  void refuse(const eir_refusal& why) {
    if (!is_refused()) {
      refusal_ = why;
    }
  }

  // ---- Nodes and parameters.

  /// An erased node, or one that might be.
  bool is_left_out(node_id n) const {
    if (n == p_.graph().entry() || !p_.graph().in_edges(n).empty() || !p_.graph().out_edges(n).empty()) {
      return false;
    }
    for ([[maybe_unused]] const value_id v : p_.values(n)) {
      return false;
    }
    return true;
  }

  void make_nodes() {
    const auto& g = p_.graph();
    nodes_.assign(g.num_nodes(), no_node);
    if (!g.in_edges(g.entry()).empty()) {
      to_.create_node("entry");
      make_node(g.entry());
      to_.append(0, {.code = opcode::jump});
      to_.add_edge(0, nodes_[g.entry()]);
    } else {
      make_node(g.entry());
    }
    for (node_id n = 0; n != g.num_nodes(); ++n) {
      if (n != g.entry() && !is_left_out(n)) {
        make_node(n);
      }
    }
  }

  void make_node(node_id n) {
    nodes_[n] = to_.create_node(eir_name("n", n));
    if (const std::optional<std::uint64_t> count = p_.count(n)) {
      to_.set_node_count(nodes_[n], *count);
    }
    if (!p_.graph().in_edges(n).empty()) {
      const loop_hints hints = p_.trip_hints(n);
      constexpr double most = 1e15;
      const bool is_known = hints.average > 0 && hints.average < most;
      to_.set_hint(nodes_[n], {.average = is_known ? static_cast<std::uint64_t>(hints.average + 0.5) : 0,
                               .maximum = hints.maximum,
                               .multiple = hints.multiple});
    }
  }

  void make_parameters() {
    for (const value_id v : p_.parameters()) {
      make_parameter(v);
    }
    for (value_id v = 0; v != p_.num_values(); ++v) {
      if (types_.is_read(v) && p_.node_of(v) == no_node && !is_literal(p_, v)) {
        make_parameter(v);
      }
    }
  }

  void make_parameter(value_id v) {
    const type t = types_.of(v);
    if (const std::uint32_t bytes = p_.local_array_bytes(v); bytes != 0 && made_[v] == no_value) {
      made_[v] = to_.add_local(eir_name("v", v), bytes);
    } else if (made_[v] == no_value && t != type::none) {
      made_[v] = to_.add_parameter(eir_name("v", v), t);
    } else if (t == type::none && types_.is_read(v)) {
      refuse_type(v);
    }
  }

  void refuse_type(value_id v) { refuse({.why = reason::no_type, .value = v, .number = types_.width_of_value(v)}); }

  // ---- Classes of memory.

  void list_classes() {
    for (node_id n = 0; n != p_.graph().num_nodes(); ++n) {
      for (const value_id v : p_.values(n)) {
        const optional<memory_reference> m = p_.is_phi(v) ? std::nullopt : p_.memory(v);
        if (m && m->memory != any_memory) {
          number_of_class(m->memory);
        }
      }
    }
  }

  /// Its number in the procedure, which is also its place in `classes_`.
  alias_id number_of_class(std::uint32_t memory) {
    if (memory == any_memory) {
      return no_alias;
    }
    const auto fresh = static_cast<std::uint32_t>(classes_.size());
    const alias_id c = class_numbers_.find_or_insert(memory, fresh);
    if (c == fresh) {
      classes_.push_back(memory);
      to_.add_alias_class(eir_name("m", memory));
    }
    return c;
  }

  // ---- A node.

  void write_node(node_id n) {
    at_ = nodes_[n];
    value_id end = no_value;
    bool stops = false;
    for (const value_id v : p_.values(n)) {
      v_ = v;
      helpers_ = 0;
      if (is_refused()) {
        return;
      }
      if (p_.is_phi(v)) {
        write_phi();
      } else if (!is_literal(p_, v)) {
        const bool ends = ends_node(p_, v);
        end = ends ? v : end;
        if (!ends || does_more(n)) {
          write_operation();
        }
        stops = stops || p_.never_returns(v);
      }
    }
    if (!is_refused()) {
      write_end(n, end, stops);
    }
  }

  /// Whether the terminator `v_` does something besides branching.
  bool does_more(node_id n) const {
    return p_.condition(n) == v_ ||
           (!p_.graph().out_edges(n).empty() && (p_.effect(v_) != effect_kind::none || types_.is_read(v_)));
  }

  void write_phi() {
    const type t = types_.of(v_);
    if (t == type::none) {
      return refuse_type(v_);
    }
    made_[v_] = to_.append_phi(at_, t, eir_name("v", v_));
    phis_.push_back(v_);
  }

  void write_operation() {
    arguments_.clear();
    for_each_argument(p_, v_, [&](value_id x) { arguments_.push_back(x); });
    const operation_info info = p_.unguarded(v_);
    if (info.code != operation::other) {
      if (arguments_.size() < arity(info.code)) {
        return refuse({.why = reason::operand_not_set, .value = v_});
      }
      write_known(info);
    } else if (!write_load() && !write_store()) {
      write_external();
    }
  }

  // ---- Operands.

  /// A value in its own type.
  operand read(value_id x) {
    if (x == no_value) {
      refuse({.why = reason::operand_not_set, .value = v_});
      return {};
    }
    const type t = types_.of(x);
    if (t == type::none) {
      refuse_type(x);
      return {};
    }
    return literal_as(x, t, operand{made_[x], made_[x] == no_value ? x : no_value, t, speculation_.is_doubtful(x)});
  }

  /// The literal `x` in a type; `value` if it is none.
  operand literal_as(value_id x, type t, const operand& value) {
    if (p_.is_undefined(x)) {
      return {.made = to_.undefined(t), .type = t, .doubtful = true};
    }
    const std::optional<std::uint64_t> c = p_.constant(x);
    return c ? number(t, *c) : value;
  }

  operand number(type t, std::uint64_t bits) { return {.made = to_.constant(t, bits), .type = t}; }

  /// The low bits of a value, or the value with zeros above.
  operand read_as(value_id x, type t) {
    const operand own = read(x);
    return is_refused() ? own : is_literal(p_, x) ? literal_as(x, t, own) : resized(own, t);
  }

  operand resized(const operand& x, type t, bool is_signed = false) {
    if (converts_freely(x.type, t)) {
      return x;
    }
    if (is_float(x.type) || is_float(t)) {
      refuse({.why = reason::mixed_types, .value = v_});
      return {};
    }
    const opcode code = width_of(t) < width_of(x.type) ? opcode::trunc : is_signed ? opcode::sext : opcode::zext;
    return step(code, t, {x}, {}, x.type);
  }

  /// Whether a number is not 0.
  operand truth(value_id x) {
    const operand own = read(x);
    const std::optional<std::uint64_t> c = x == no_value ? std::nullopt : p_.constant(x);
    return is_refused() || own.type == type::i1 ? own
           : c                                  ? number(type::i1, *c != 0 ? 1 : 0)
           : p_.is_undefined(x)                 ? operand{to_.undefined(type::i1), no_value, type::i1, true}
                                : step(opcode::cmp_ne, type::i1, {own, number(own.type, 0)}, {}, own.type);
  }

  /// An amount that a shift of type `t` reads whole: as many bits, and too far if it was too far.
  operand amount(value_id x, type t) {
    const operand own = read(x);
    if (is_refused()) {
      return own;
    }
    const std::uint64_t most = low_ones(width_of(t));
    if (const std::optional<std::uint64_t> c = p_.constant(x)) {
      return number(t, *c < most ? *c : most);
    }
    return p_.is_undefined(x) ? literal_as(x, t, own)
                              : resized(width_of(own.type) > width_of(t) ? at_most(own, most) : own, t);
  }

  operand at_most(const operand& x, std::uint64_t most) {
    return step(opcode::umin, x.type, {x, number(x.type, most)});
  }

  /// One more operation before the one for `v_`. It does not trap if an operand is diagnostic.
  operand step(opcode code, type t, operand_list list, attributes flags = {}, type operand_type = type::none) {
    bool doubtful = flags.spec;
    for (const operand& x : list) {
      doubtful = doubtful || x.doubtful;
    }
    flags.spec = doubtful;
    const value_id made = append({.code = code,
                                  .type = t,
                                  .operand_type = operand_type,
                                  .flags = flags,
                                  .name = eir_name("v", v_, ".", ++helpers_)},
                                 {list.begin(), list.size()});
    return {.made = made, .type = t, .doubtful = doubtful};
  }

  /// An operation with these operands; `callee` is that of a call.
  value_id append(operation_draft draft, span<const operand> list, std::string_view callee = {},
                  clobber_kind clobbers = clobber_kind::anything, span<const alias_id> classes = {}) {
    if (is_refused()) {
      return no_value;
    }
    set_.clear();
    for (const operand& x : list) {
      set_.push_back(x.later == no_value ? x.made : to_.undefined(type::i1)); // until it is there
    }
    draft.operands = {set_.data(), set_.size()};
    const value_id made =
        callee.empty() ? to_.append(at_, draft) : to_.append_call(at_, draft, callee, clobbers, classes);
    for (std::uint32_t i = 0; i != list.size(); ++i) {
      note_later(made, i, list[i]);
    }
    return made;
  }

  void note_later(value_id user, std::size_t position, const operand& x) {
    if (x.later != no_value) {
      later_.push_back({user, static_cast<std::uint32_t>(position), x.later});
    }
  }

  /// The operation for `v_` itself, with its name and guard.
  void finish(opcode code, type t, span<const operand> list, attributes flags = {}, type operand_type = type::none,
              memory_access access = {}, std::string_view callee = {}, clobber_kind clobbers = clobber_kind::anything,
              span<const alias_id> classes = {}) {
    const guard_of_value guard = p_.guard(v_);
    const bool is_guarded = guard.predicate != no_value;
    const operand predicate = is_guarded ? truth(guard.predicate) : operand();
    const operand otherwise = !is_guarded || t == type::none ? operand()
                              : guard.otherwise == no_value  ? operand{to_.undefined(t), no_value, t, true}
                                                             : read_as(guard.otherwise, t);
    if (is_refused()) {
      return;
    }
    flags.spec = speculation_.is_speculative(v_) && code != opcode::call;
    const auto now = [&](const operand& x) { return x.later == no_value ? x.made : to_.undefined(type::i1); };
    const eir_name name("v", v_);
    made_[v_] = append({.code = code,
                        .type = t,
                        .operand_type = operand_type,
                        .flags = flags,
                        .guard = is_guarded ? now(predicate) : no_value,
                        .guard_negated = is_guarded && guard.negated,
                        .otherwise = is_guarded && t != type::none ? now(otherwise) : no_value,
                        .name = t == type::none ? std::string_view() : std::string_view(name),
                        .access = access},
                       list, callee, clobbers, classes);
    note_later(made_[v_], list.size(), predicate);
    note_later(made_[v_], list.size() + 1, otherwise);
  }

  void finish(opcode code, type t, operand_list list, attributes flags = {}, type operand_type = type::none) {
    finish(code, t, span<const operand>(list.begin(), list.size()), flags, operand_type);
  }

  // ---- Operations of the vocabulary.

  void write_known(const operation_info& info) {
    const type t = types_.of(v_);
    if (t == type::none) {
      return refuse_type(v_);
    }
    if (width_of(t) != info.width) {
      return refuse({.why = reason::width, .value = v_, .number = info.width});
    }
    if (is_comparison(info.code)) {
      return write_comparison(info, t);
    }
    if (is_modulo_shift(info.code)) {
      return write_modulo_shift(info, t);
    }
    switch (info.code) {
    case operation::truncate:
    case operation::zero_extend:
    case operation::sign_extend:
      return write_conversion(info, t);
    case operation::select: {
      const operand condition = truth(arguments_[0]);
      const operand first = read_as(arguments_[1], t);
      return finish(opcode::select, t, {condition, first, read_as(arguments_[2], t)});
    }
    case operation::shladd:
      return write_shladd(info, t);
    default:
      return write_plain(info, t);
    }
  }

  attributes flags_of(const operation_info& info) const {
    const bool regroups = is_associative(info.code) || info.code == operation::sub || info.code == operation::shladd;
    return {.nsw = promises_no_wrap(info), .assoc = regroups && p_.may_reassociate(v_)};
  }

  /// One or two operands of the type of the result.
  void write_plain(const operation_info& info, type t) {
    const operand first = read_as(arguments_[0], t);
    if (arity(info.code) == 1) {
      return finish(opcode_of(info.code), t, {first}, flags_of(info));
    }
    const operand second = reads_whole(info.code, 1) ? amount(arguments_[1], t) : read_as(arguments_[1], t);
    finish(opcode_of(info.code), t, {first, second}, flags_of(info));
  }

  void write_comparison(const operation_info& info, type t) {
    type compared = integer_type(info.operand_width);
    for (const value_id x : arguments_) {
      if (x != no_value && !is_literal(p_, x) && converts_freely(types_.of(x), compared)) {
        compared = types_.of(x); // perhaps an address
      }
    }
    if (compared == type::none) {
      return refuse({.why = reason::width, .value = v_, .number = info.operand_width});
    }
    const operand first = read_as(arguments_[0], compared);
    const operand second = read_as(arguments_[1], compared);
    const opcode code = opcode_of(info.code);
    if (t == type::i1) {
      return finish(code, t, {first, second}, {}, compared);
    }
    finish(opcode::zext, t, {step(code, type::i1, {first, second}, {}, compared)}, {}, type::i1);
  }

  void write_conversion(const operation_info& info, type t) {
    const type from = integer_type(info.operand_width);
    if (from == type::none) {
      return refuse({.why = reason::width, .value = v_, .number = info.operand_width});
    }
    const operand x = read_as(arguments_[0], from);
    const opcode code = info.width == info.operand_width ? opcode::mov : opcode_of(info.code);
    finish(code, t, {x}, {}, code == opcode::mov ? type::none : from);
  }

  /// The Elbrus operation shifts by a literal.
  void write_shladd(const operation_info& info, type t) {
    const operand shifted = read_as(arguments_[0], t);
    const operand by = amount(arguments_[1], t);
    const operand added = read_as(arguments_[2], t);
    if (is_refused() || p_.constant(arguments_[1])) {
      return finish(opcode::shladd, t, {shifted, by, added}, flags_of(info));
    }
    const attributes flags = {.nsw = info.flags.no_signed_wrap, .spec = true}; // the addition traps, or its guard holds
    finish(opcode::add, t, {step(opcode::shl, t, {shifted, by}, flags), added}, flags_of(info));
  }

  void write_modulo_shift(const operation_info& info, type t) {
    const operand shifted = read_as(arguments_[0], t);
    const operand whole = read(arguments_[1]);
    if (is_refused()) {
      return;
    }
    const opcode code = opcode_of(plain_shift(info.code));
    const std::uint64_t modulus = info.operand_width;
    if (const std::optional<std::uint64_t> c = p_.constant(arguments_[1])) {
      return write_shift_by(code, shifted, *c % modulus, info, t);
    }
    // Literals must fit the type of the amount. A number that does not fit is more than any amount, so it limits
    // nothing.
    const std::uint64_t most = low_ones(width_of(whole.type));
    const bool is_power = (modulus & (modulus - 1)) == 0;
    operand by = most < modulus ? whole
                 : is_power     ? step(opcode::bit_and, whole.type, {whole, number(whole.type, modulus - 1)})
                                : step(opcode::urem, whole.type, {whole, number(whole.type, modulus)});
    const bool may_be_too_far = modulus > info.width && most >= info.width;
    if (!may_be_too_far) {
      return finish(code, t, {shifted, resized(by, t)});
    }
    const operand limited = resized(at_most(by, info.width - std::uint64_t{1}), t);
    if (code == opcode::sar) {
      return finish(code, t, {shifted, limited});
    }
    const operand fits = step(opcode::cmp_ult, type::i1, {by, number(by.type, info.width)}, {}, by.type);
    finish(opcode::select, t, {fits, step(code, t, {shifted, limited}), number(t, 0)});
  }

  void write_shift_by(opcode code, const operand& shifted, std::uint64_t by, const operation_info& info, type t) {
    if (by < info.width) {
      finish(code, t, {shifted, number(t, by)});
    } else if (code == opcode::sar) {
      finish(code, t, {shifted, number(t, info.width - std::uint64_t{1})});
    } else {
      finish(opcode::mov, t, {number(t, 0)});
    }
  }

  // ---- Memory.

  /// Whether `v_` is a load that `ld` can do.
  bool write_load() {
    const optional<memory_reference> m = p_.memory(v_);
    const type t = types_.of(v_);
    if (p_.effect(v_) != effect_kind::reads || !m || !has_format(*m, t)) {
      return false;
    }
    memory_access access;
    const operand base = read_as(m->base, type::ptr);
    const operand index = index_of(*m, access);
    const operand list[] = {base, index};
    finish(opcode::ld, t, span<const operand>(list).first(access.indexed ? 2 : 1), {.is_volatile = p_.is_volatile(v_)},
           type::none, access);
    return true;
  }

  /// Whether `v_` is a store that `st` can do.
  bool write_store() {
    const optional<memory_reference> m = p_.memory(v_);
    if (p_.effect(v_) != effect_kind::writes || !m || m->stored == no_value || types_.is_read(v_)) {
      return false;
    }
    const type own = types_.of(m->stored);
    const type t = m->bits == 0 || width_of(own) == m->bits ? own : integer_type(m->bits);
    if (!has_format(*m, t) || width_of(own) < width_of(t)) {
      return false;
    }
    memory_access access;
    const operand stored = read_as(m->stored, t);
    const operand base = read_as(m->base, type::ptr);
    const operand index = index_of(*m, access);
    const operand list[] = {stored, base, index};
    finish(opcode::st, type::none, span<const operand>(list).first(access.indexed ? 3 : 2),
           {.is_volatile = p_.is_volatile(v_)}, t, access);
    return true;
  }

  /// Whether the access has all bits and bytes of a type.
  static bool has_format(const memory_reference& m, type t) {
    return t != type::none && m.base != no_value && m.bytes == bytes_of(t) && (m.bits == 0 || m.bits == width_of(t));
  }

  /// The index, and the rest of the address.
  operand index_of(const memory_reference& m, memory_access& access) {
    access = {.offset = m.offset, .alias = number_of_class(m.memory)};
    if (m.local != any_memory && m.scope != no_node && nodes_[m.scope] != no_node) {
      access.local = number_of_class(m.local);
      access.scope = nodes_[m.scope];
    }
    if (m.index == no_value || m.scale == 0) {
      return {};
    }
    access.indexed = true;
    const operand index = read(m.index);
    constexpr std::int64_t most = 0x7fff'ffff;
    if (is_refused() || (m.scale > 0 && m.scale <= most)) {
      access.scale = static_cast<std::uint32_t>(m.scale);
      return index;
    }
    const operand wide = resized(index, type::i64, true);
    return step(opcode::mul, type::i64, {wide, number(type::i64, static_cast<std::uint64_t>(m.scale))});
  }

  // ---- Everything else.

  void write_external() {
    operands_.clear();
    for (const value_id x : arguments_) {
      operands_.push_back(read(x));
    }
    const type t = types_.has_result(v_) || p_.guard(v_).otherwise != no_value ? types_.of(v_) : type::none;
    if (t == type::none && types_.has_result(v_)) {
      return refuse_type(v_);
    }
    const eir_name usual = usual_name();
    const std::string_view better = better_name();
    const clobber_kind clobbers = clobbers_of();
    finish(opcode::call, t, {operands_.data(), operands_.size()},
           {.noreturn = p_.never_returns(v_) && p_.guard(v_).predicate == no_value}, type::none, {},
           better.empty() ? std::string_view(usual) : better, clobbers, {clobbered_.data(), clobbered_.size()});
  }

  eir_name usual_name() const {
    const optional<operation_class> c = p_.cost(v_);
    const std::string_view class_name = c ? name_of(*c) : "";
    const bool has_identity = p_.effect(v_) == effect_kind::none && p_.identity(v_) != 0;
    const bool is_new = !has_identity && p_.origin(v_) == no_value;
    const std::uint32_t number = has_identity ? p_.identity(v_) : is_new ? v_ : p_.origin(v_);
    return eir_name("other_", class_name, c ? "_" : "", has_identity ? "" : is_new ? "new" : "v", number);
  }

  /// That of `names`, or empty.
  std::string_view better_name() const {
    const value_id origin = p_.origin(v_);
    const std::string_view name =
        names_.of == nullptr || origin == no_value ? std::string_view() : names_.of(names_.context, origin);
    constexpr std::string_view reserved = "exit_";
    return is_identifier(name) && name.substr(0, reserved.size()) != reserved ? name : std::string_view();
  }

  /// The memory that `v_` may write; the classes are in `clobbered_`.
  clobber_kind clobbers_of() {
    clobbered_.clear();
    switch (p_.effect(v_)) {
    case effect_kind::none:
    case effect_kind::reads:
      return clobber_kind::nothing;
    case effect_kind::writes:
      if (const optional<memory_reference> m = p_.memory(v_); m && m->memory != any_memory) {
        clobbered_.push_back(number_of_class(m->memory));
        return clobber_kind::listed;
      }
      return clobber_kind::anything;
    default:
      return clobbers_of_call();
    }
  }

  clobber_kind clobbers_of_call() {
    constexpr std::size_t most_classes = 64; // of more, a program does not know
    if (!p_.may_write(v_, any_memory)) {
      return clobber_kind::nothing;
    }
    if (classes_.empty() || classes_.size() > most_classes) {
      return clobber_kind::anything;
    }
    for (alias_id c = 0; c != classes_.size(); ++c) {
      if (p_.may_write(v_, classes_[c])) {
        clobbered_.push_back(c);
      }
    }
    if (clobbered_.size() == classes_.size()) {
      clobbered_.clear();
      return clobber_kind::anything;
    }
    if (clobbered_.empty()) {
      clobbered_.push_back(to_.alias_class("elsewhere"));
    }
    return clobber_kind::listed;
  }

  // ---- Ends of nodes.

  void write_end(node_id n, value_id end, bool stops) {
    std::size_t edges = 0;
    edge_id last = 0;
    for (const edge_id e : p_.graph().out_edges(n)) {
      ++edges;
      last = e;
    }
    if (edges == 0 && stops) {
      append({.code = opcode::unreachable}, {});
    } else if (edges == 0) {
      write_exit(n, end);
    } else if (edges == 1) {
      append({.code = opcode::jump}, {});
      add_edge(last);
    } else {
      write_branch(n);
    }
  }

  void write_exit(node_id n, value_id end) {
    operands_.clear();
    if (end == no_value) {
      for (const value_id v : p_.values(n)) {
        if (p_.is_phi(v)) {
          operands_.push_back(read(v));
        }
      }
    } else {
      v_ = end;
      for (const value_id x : p_.operands(end)) {
        operands_.push_back(read(x));
      }
    }
    append({.code = opcode::call}, {operands_.data(), operands_.size()}, eir_name("exit_", num_exits_++));
    append({.code = opcode::ret}, {});
  }

  /// One more edge of the procedure for an edge of the program.
  void add_edge(edge_id e, optional<std::uint64_t> c = std::nullopt, std::uint64_t parts = 1) {
    const node_id target = nodes_[p_.graph().edge_target(e)];
    const edge_id made = c ? to_.add_edge(at_, target, *c) : to_.add_edge(at_, target);
    if (edge_count_[e]++ == 0) {
      first_edge_[e] = made;
    }
    if (const double probability = p_.probability(e); probability >= 0 && probability <= 1) {
      to_.set_probability(made, probability / static_cast<double>(parts));
    }
  }

  void write_branch(node_id n) {
    const value_id condition = p_.condition(n);
    if (condition == no_value) {
      return refuse({.why = reason::unknown_branch, .node = n});
    }
    v_ = condition;
    const operand read_condition = read(condition);
    if (is_refused() || !count_cases(n, width_of(read_condition.type))) {
      return;
    }
    const operand list[] = {read_condition};
    if (read_condition.type == type::i1 && is_two_way()) {
      append({.code = opcode::branch, .operand_type = type::i1}, list);
      const edge_id first = out_[0].edge;
      const edge_id second = out_[1].edge;
      const bool first_is_1 = is_case(first, 1) || (out_[0].is_default && is_case(second, 0));
      add_edge(first_is_1 ? first : second, 1);
      add_edge(first_is_1 ? second : first, 0);
      return;
    }
    append({.code = opcode::switch_, .operand_type = read_condition.type}, list);
    write_cases(width_of(read_condition.type));
  }

  /// An edge of the node, and how many numbers are its cases.
  struct counted_edge {
    edge_id edge;
    bool is_default;
    std::uint64_t cases;
  };

  /// Fills `out_`; one of its edges becomes the default: that of all other values, or, if the cases are all numbers,
  /// the one with most. False if that cannot be written.
  bool count_cases(node_id n, unsigned width) {
    out_.clear();
    std::size_t defaults = 0;
    for (const edge_id e : p_.graph().out_edges(n)) {
      counted_edge counted{e, true, 0};
      for (const number_range& range : p_.edge_cases(e)) {
        counted.is_default = false;
        if (const auto arc = midend::detail::arc_of(width, range)) {
          // A range of all numbers, or several long ones, count as very many.
          const std::uint64_t sum = counted.cases + arc->beyond + 1;
          counted.cases = sum <= counted.cases ? ~std::uint64_t{0} : sum;
        }
      }
      defaults += counted.is_default ? 1 : 0;
      out_.push_back(counted);
    }
    chosen_ = 0;
    for (std::size_t i = 1; i != out_.size(); ++i) {
      const bool is_better = defaults != 0 ? out_[i].is_default : out_[i].cases >= out_[chosen_].cases;
      chosen_ = is_better ? i : chosen_;
    }
    if (defaults > 1 || (defaults == 0 && out_[chosen_].cases == 0)) {
      refuse({.why = reason::unknown_branch, .node = n});
      return false;
    }
    std::uint64_t cases = 0;
    for (std::size_t i = 0; i != out_.size(); ++i) {
      const std::uint64_t more = i == chosen_ ? 0 : out_[i].cases;
      cases = cases + more < cases ? ~std::uint64_t{0} : cases + more;
    }
    if (cases > most_eir_cases) {
      refuse({.why = reason::too_many_cases, .node = n, .number = cases});
      return false;
    }
    return true;
  }

  bool is_case(edge_id e, std::uint64_t number) const {
    bool found = false;
    bool others = false;
    for (const number_range& range : p_.edge_cases(e)) {
      const bool is_number = range.low == number && range.high == number;
      others = others || found || !is_number;
      found = found || is_number;
    }
    return found && !others;
  }

  /// Whether one edge is taken for 1, and the other for 0.
  bool is_two_way() const {
    if (out_.size() != 2) {
      return false;
    }
    const auto one_number = [&](const counted_edge& e) { return is_case(e.edge, 0) || is_case(e.edge, 1); };
    const bool both =
        one_number(out_[0]) && one_number(out_[1]) && is_case(out_[0].edge, 0) != is_case(out_[1].edge, 0);
    return both || (out_[0].is_default && one_number(out_[1])) || (out_[1].is_default && one_number(out_[0]));
  }

  void write_cases(unsigned width) {
    for (std::size_t i = 0; i != out_.size(); ++i) {
      if (i == chosen_) {
        continue;
      }
      for (const number_range& range : p_.edge_cases(out_[i].edge)) {
        if (const auto arc = midend::detail::arc_of(width, range)) {
          for (std::uint64_t k = 0; k <= arc->beyond; ++k) {
            add_edge(out_[i].edge, (arc->first + k) & low_ones(width), out_[i].cases);
          }
        }
      }
    }
    add_edge(out_[chosen_].edge);
  }

  // ---- Parts that are set at the end.

  void set_inputs() {
    for (const value_id v : phis_) {
      v_ = v;
      at_ = nodes_[p_.node_of(v)];
      for (const edge_id e : p_.graph().in_edges(p_.node_of(v))) {
        set_input(v, e);
      }
    }
  }

  void set_input(value_id v, edge_id e) {
    const type t = types_.of(v);
    const value_id x = p_.phi_input(v, e);
    const operand input = read(x);
    if (is_refused()) {
      return;
    }
    if (!converts_freely(input.type, t)) {
      return refuse({.why = reason::mixed_types, .value = v});
    }
    const value_id made = literal_as(x, t, input).made;
    if (made == no_value) {
      return refuse({.why = reason::operand_not_set, .value = v});
    }
    for (edge_id k = 0; k != edge_count_[e]; ++k) {
      to_.set_phi_input(made_[v], first_edge_[e] + k, made);
    }
  }

  void set_later_operands() {
    for (const later_operand& later : later_) {
      if (made_[later.operand] == no_value) {
        return refuse({.why = reason::operand_not_set, .value = later.operand});
      }
      to_.set_operand(later.user, later.position, made_[later.operand]);
    }
  }

  const flat_program& p_;
  external_names names_;
  procedure& to_;
  eir_refusal& refusal_;
  eir_types types_;
  eir_speculation speculation_;

  flat_array<node_id> nodes_;      ///< of the procedure, by node of the program
  flat_array<value_id> made_;      ///< of the procedure, by value of the program
  flat_array<edge_id> first_edge_; ///< of the procedure, by edge of the program, as is the next
  flat_array<std::uint32_t> edge_count_;
  flat_array<value_id> phis_;
  flat_array<later_operand> later_;
  std::uint32_t num_exits_ = 0;

  flat_array<std::uint32_t> classes_; ///< of memory, by number in the procedure
  midend::detail::hash_map<std::uint32_t> class_numbers_;

  // The operation or node at hand.
  value_id v_ = no_value;
  node_id at_ = no_node;
  std::uint32_t helpers_ = 0;
  flat_array<value_id> arguments_;
  flat_array<operand> operands_;
  flat_array<value_id> set_;
  flat_array<alias_id> clobbered_;
  flat_array<counted_edge> out_;
  std::size_t chosen_ = 0; ///< the default in `out_`
};

} // namespace detail

MIDEND_FUNCTION to_eir_result to_eir(const flat_program& program, std::string_view name, const external_names& names) {
  to_eir_result out;
  out.program.procedures.emplace_back();
  detail::eir_writer(program, name, names, out.program.procedures[0], out.refusal).run();
  if (!out) {
    out.program.procedures.clear();
  }
  return out;
}

} // namespace elbrus

MIDEND_END_NAMESPACE

#endif
