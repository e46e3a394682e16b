#include "kit/program_generator.hpp"

#include <midend/elbrus/builder.hpp>
#include <midend/elbrus/opcode.hpp>
#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/run/memory.hpp>
#include <midend/elbrus/scalar.hpp>
#include <midend/elbrus/type.hpp>
#include <midend/ir/evaluate.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The parts, each using those above it:
//
//   random_numbers, random_scope   a source of numbers; the values that can be read at a place
//   writer                         the procedure at its current place: names, results, literals, operands
//   arithmetic                     operations that cannot trap
//   memory_accesses                loads and stores within their arrays
//   straight_line                  any operation that does not change the flow, calls included
//   paths                          nodes where paths meet, with their phis
//   odd_cycles, counted_loops      cycles with several entries or no exit; loops with a counter
//   procedure_writer               a whole procedure: branches, switches, loops, the result
//   program_maker                  the procedures of a program, and inputs to run it on

namespace midend_tests {

namespace elbrus = midend::elbrus;
using namespace midend;
using namespace midend::elbrus;

namespace {

/// SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). The distributions
/// are our own: those of <random> differ between libraries.
class random_numbers {
public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e37'79b9'7f4a'7c15;
    z = (z ^ z >> 30) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ z >> 27) * 0x94d0'49bb'1331'11eb;
    return z ^ z >> 31;
  }

  /// 0 … bound-1. Requires a bound of at least 1.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

  /// low … high.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low) + 1));
  }

  bool one_in(std::size_t n) { return below(n) == 0; }

  bool percent(std::size_t p) { return below(100) < p; }

  template <class T, std::size_t N> const T& any_of(const T (&choices)[N]) { return choices[below(N)]; }

  template <class List> const auto& any_of(const List& choices) { return choices[below(choices.size())]; }

private:
  std::uint64_t state_;
};

/// A value, or a variable that has been written, with known facts.
struct known_value {
  value_id value = no_value;
  elbrus::type type = elbrus::type::none;

  bool bounded = false; ///< an integer between the two
  std::int64_t low = 0;
  std::int64_t high = 0;

  std::int64_t before = 0; ///< a pointer: bytes that can be accessed before …
  std::int64_t room = 0;   ///< … and after it
  alias_id alias = no_alias;

  bool within(std::int64_t least, std::int64_t most) const { return bounded && least <= low && high <= most; }
};

/// An integer with known bounds.
inline known_value bounded_value(value_id v, type t, std::int64_t low, std::int64_t high) {
  known_value out;
  out.value = v;
  out.type = t;
  out.bounded = true;
  out.low = low;
  out.high = high;
  return out;
}

/// The facts that hold for both.
inline known_value either(known_value a, const known_value& b) {
  a.bounded = a.bounded && b.bounded;
  a.low = std::min(a.low, b.low);
  a.high = std::max(a.high, b.high);
  a.before = std::min(a.before, b.before);
  a.room = std::min(a.room, b.room);
  a.alias = a.alias == b.alias ? a.alias : no_alias;
  return a;
}

/// Bounds of the exact result of an operation.
struct bounds {
  std::int64_t low;
  std::int64_t high;
};

/// The bounds for add, sub, mul, neg, and shl by a literal, of bounded operands.
inline bounds bounds_of(opcode code, const known_value& a, const known_value& b) {
  const auto around = [](std::int64_t w, std::int64_t x, std::int64_t y, std::int64_t z) {
    return bounds{std::min({w, x, y, z}), std::max({w, x, y, z})};
  };
  switch (code) {
  case opcode::add:
    return {a.low + b.low, a.high + b.high};
  case opcode::sub:
    return {a.low - b.high, a.high - b.low};
  case opcode::mul:
    return around(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
  case opcode::neg:
    return {-a.high, -a.low};
  default: // shl
    return around(a.low * (std::int64_t{1} << b.low), a.high * (std::int64_t{1} << b.low), 0, 0);
  }
}

/// The end of a path into a node: its edge, and what can be read there but not at the dominator of the node.
struct arrival {
  edge_id edge = 0;
  std::vector<known_value> tail;
};

/// A node where paths meet, while the paths are written.
struct meeting_point {
  node_id node = no_node;
  std::size_t base = 0; ///< what can be read at its dominator: so many of the scope
  std::vector<arrival> arrivals;
  std::vector<edge_id> unreachable = {}; ///< from nodes that nothing leads to
};

/// The values that can be read, oldest first. A place sees a prefix of what a place that it dominates sees.
class random_scope {
public:
  std::size_t size() const { return values_.size(); }

  const known_value& operator[](std::size_t i) const { return values_[i]; }

  bool contains(value_id v) const { return v < visible_.size() && visible_[v] != 0; }

  void push(const known_value& v) {
    grow(visible_, v.value);
    visible_[v.value] = 1;
    values_.push_back(v);
  }

  void shrink(std::size_t size) {
    while (values_.size() > size) {
      visible_[values_.back().value] = 0;
      values_.pop_back();
    }
  }

  void arrive(meeting_point& at, edge_id e) const {
    at.arrivals.push_back({e, {values_.begin() + static_cast<std::ptrdiff_t>(at.base), values_.end()}});
  }

  /// What can be read where paths meet: what can be read at the end of each. That is right for values, whose
  /// definitions then dominate all ends, and for variables, which are then written on all paths.
  void meet(const meeting_point& at) {
    shrink(at.base);
    const std::uint32_t before = met_;
    for (const arrival& a : at.arrivals) {
      for (const known_value& v : a.tail) {
        grow(met_by_, v.value);
        if (met_ == before || met_by_[v.value] == met_) {
          met_by_[v.value] = met_ + 1;
        }
      }
      ++met_;
    }
    for (const known_value& v : at.arrivals.front().tail) {
      if (met_by_[v.value] == met_) {
        push(v);
      }
    }
  }

private:
  template <class Element> static void grow(std::vector<Element>& column, value_id v) {
    if (column.size() <= v) {
      column.resize(std::size_t{v} + 1, 0);
    }
  }

  std::vector<known_value> values_;
  std::vector<unsigned char> visible_; ///< by value
  std::vector<std::uint32_t> met_by_;  ///< by value: `met_` when it was in the tail of all arrivals so far
  std::uint32_t met_ = 0;
};

/// The procedure that is being written, and what can be read at the current place. Gives names, results, literals and
/// operands to all other parts of the generator.
class writer {
public:
  writer(procedure& p, const random_program_options& wanted, random_numbers& numbers)
      : options(wanted), random(numbers), b(p) {}

  // Names and results.

  /// A new name; valid until the next call.
  std::string_view fresh(char kind) {
    name_[0] = kind;
    const std::to_chars_result end = std::to_chars(name_.data() + 1, name_.data() + name_.size(), ++names_);
    return {name_.data(), static_cast<std::size_t>(end.ptr - name_.data())};
  }

  node_id new_node() {
    const node_id n = b.node(fresh('n'));
    if (options.profile && random.one_in(4)) {
      b.get().set_node_count(n, random.below(10'000));
    }
    return n;
  }

  bool to_variable() {
    return options.form == program_form::variables || (options.form == program_form::mixed && random.one_in(2));
  }

  /// The destination of a result without known facts: a value, or a variable, new or not. `read` names values.
  extras somewhere(type t) {
    if (!to_variable()) {
      return {};
    }
    std::vector<value_id>& variables = variables_[static_cast<std::size_t>(t)];
    if (variables.empty() || random.percent(30)) {
      variables.push_back(b.variable(t, fresh('x')));
    }
    return {.into = random.any_of(variables)};
  }

  /// A destination that nothing else overwrites, so that known facts stay true.
  extras somewhere_safe(type t) { return to_variable() ? extras{.into = b.variable(t, fresh('x'))} : extras{}; }

  /// The value or variable to read for the result of an operation. A value gets a name.
  value_id read(value_id operation) {
    const value_id variable = b.get().value(operation).variable;
    if (variable != no_value) {
      return variable;
    }
    b.get().set_value_name(operation, fresh('v'));
    return operation;
  }

  /// An operation on values. As a braced list it is evaluated from left to right by every compiler, so that random
  /// numbers are drawn in the same order.
  struct step {
    opcode code;
    elbrus::type type; ///< of a conversion: the result's
    std::array<value_id, 3> operands;
    extras more;
  };

  value_id write(const step& s) {
    if (info_of(s.code).form == opcode_form::conversion) {
      return b.convert(s.code, s.type, s.operands[0], s.more);
    }
    return b.operation(s.code, s.type, std::span(s.operands).first(info_of(s.code).operands), s.more);
  }

  known_value see(const known_value& v) {
    if (!scope.contains(v.value)) {
      scope.push(v);
    }
    return v;
  }

  /// The result can be read from now on.
  known_value see(value_id operation) {
    known_value out;
    out.value = read(operation);
    out.type = b.type_of(operation);
    return see(out);
  }

  known_value see_bounded(value_id operation, std::int64_t low, std::int64_t high) {
    return see(bounded_value(read(operation), b.type_of(operation), low, high));
  }

  // Types.

  type random_integer_type() {
    static constexpr type choices[] = {type::i8, type::i16, type::i32, type::i32, type::i32, type::i64, type::i64};
    return random.any_of(choices);
  }

  type random_type() {
    if (options.floats && random.one_in(5)) {
      return random.one_in(2) ? type::f32 : type::f64;
    }
    return random.one_in(10) ? type::i1 : random_integer_type();
  }

  // Literals.

  value_id literal(type t) {
    return is_float(t) ? float_literal(t) : b.get().constant(t, interesting_bits(width_of(t)));
  }

  value_id float_literal(type t) {
    static constexpr double choices[] = {0, 1, -1, 0.5, 2, 1.5, 100, -3.25, 1e-3, 65'536};
    return float_constant(t, random.any_of(choices));
  }

  value_id float_constant(type t, double value) { return b.get().constant(t, float_bits(t, value)); }

  /// Small numbers, the ends of the ranges, and anything.
  std::uint64_t interesting_bits(unsigned width) {
    switch (random.below(8)) {
    case 0:
      return low_ones(width) >> random.below(2);
    case 1:
      return std::uint64_t{1} << (width - 1);
    case 2:
      return random.next() & low_ones(width);
    case 3:
      return (0 - std::uint64_t{random.below(8)}) & low_ones(width);
    default:
      return random.below(10) & low_ones(width);
    }
  }

  // Operands.

  /// A readable value or variable of a type; with `no_variables`, a value. Prefers new ones and those without users, so
  /// that little is dead.
  std::optional<known_value> find(type t, bool no_variables = false) {
    return find_among(t, no_variables, scope.size(), [this](std::size_t i) -> const known_value& { return scope[i]; });
  }

  std::optional<known_value> find_in_tail(const arrival& a, type t) {
    return find_among(t, true, a.tail.size(), [&](std::size_t i) -> const known_value& { return a.tail[i]; });
  }

  /// The same, or a literal.
  known_value pick_known(type t, bool no_variables = false) {
    if (!random.percent(12)) {
      if (const std::optional<known_value> found = find(t, no_variables)) {
        return *found;
      }
    }
    return known_literal(t);
  }

  value_id pick(type t) { return pick_known(t).value; }

  /// Preferably another operand: `x - x` and `x < x` test little.
  value_id pick_other(type t, value_id than) {
    const value_id v = pick(t);
    return v == than ? pick(t) : v;
  }

  known_value known_literal(type t) {
    known_value out;
    out.value = literal(t);
    out.type = t;
    if (is_integer(t)) {
      const std::int64_t number = as_signed(b.get().literal_bits(out.value), width_of(t));
      return bounded_value(out.value, t, number, number);
    }
    return out;
  }

  /// An operand that is not a literal, converted if needed; `options.known` makes exceptions.
  value_id pick_computed(type t) {
    if (options.known != 0 && random.percent(options.known)) {
      return literal(t);
    }
    if (const std::optional<known_value> found = find(t)) {
      return found->value;
    }
    if (is_integer(t)) {
      for (const type from : {type::i64, type::i32, type::i16, type::i8}) {
        if (const std::optional<known_value> found = find(from)) {
          return convert_integer(t, found->value);
        }
      }
    }
    if (is_float(t)) {
      const value_id number = masked(type::i32, 255).value;
      return see(write({opcode::itof, t, {number}, somewhere(t)})).value;
    }
    return literal(t);
  }

  value_id convert_integer(type to, value_id v) {
    const unsigned from_width = width_of(b.type_of(v));
    const unsigned to_width = width_of(to);
    if (from_width == to_width) {
      return v;
    }
    const opcode code = from_width > to_width ? opcode::trunc : random.one_in(2) ? opcode::zext : opcode::sext;
    return see(write({code, to, {v}, somewhere(to)})).value;
  }

  value_id predicate() {
    if (const std::optional<known_value> found = find(type::i1); found && random.one_in(2)) {
      return found->value;
    }
    return compared(random_integer_type());
  }

  /// A predicate that may be anything: what a guard is that keeps nothing from trapping.
  value_id any_guard() {
    if (options.literal_guards != 0 && random.percent(options.literal_guards)) {
      return b.get().constant(type::i1, random.below(2));
    }
    return predicate();
  }

  value_id compared(type t) {
    const std::size_t first = static_cast<std::size_t>(is_float(t) ? opcode::fcmp_oeq : opcode::cmp_eq);
    const auto code = static_cast<opcode>(first + random.below(is_float(t) ? 7 : 10));
    const value_id a = pick_computed(t);
    return see(write({code, t, {a, pick_other(t, a)}, somewhere(type::i1)})).value;
  }

  /// A number 0 … most, computed from another value. `most` is 2^k - 1 and less than the largest number.
  known_value masked(type t, std::int64_t most) {
    const value_id v = pick_computed(t);
    return see_bounded(write({opcode::bit_and, t, {v, b.literal(t, most)}, somewhere_safe(t)}), 0, most);
  }

  /// A number within the bounds that is not a literal, if there is one; otherwise a masked one. Requires `low <= 0 <
  /// high`.
  known_value between(type t, std::int64_t low, std::int64_t high) {
    for (int attempts = 0; attempts != 3; ++attempts) {
      if (const std::optional<known_value> found = find(t); found && found->within(low, high)) {
        return *found;
      }
    }
    return masked(t, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(high) + 1) - 1));
  }

  const random_program_options& options;
  random_numbers& random;
  builder b;
  random_scope scope;

private:
  template <class At> std::optional<known_value> find_among(type t, bool no_variables, std::size_t size, At at) {
    const auto fits = [&](const known_value& v) {
      return v.type == t && !(no_variables && b.get().value(v.value).kind == value_kind::variable);
    };
    constexpr std::size_t window = 16;
    const known_value* best = nullptr;
    for (std::size_t attempts = size == 0 ? 0 : 6; attempts != 0; --attempts) {
      const std::size_t recent = size < window ? size : window;
      const known_value& v = at(attempts % 2 == 0 ? size - 1 - random.below(recent) : random.below(size));
      if (fits(v) && (best == nullptr || !b.get().has_users(v.value))) {
        best = &v;
      }
    }
    for (std::size_t i = size; best == nullptr && i != 0 && i + 4 * window > size; --i) {
      best = fits(at(i - 1)) ? &at(i - 1) : nullptr;
    }
    return best == nullptr ? std::nullopt : std::optional(*best);
  }

  std::array<std::vector<value_id>, type_names.size()> variables_; ///< that may be overwritten
  std::array<char, 24> name_ = {};
  std::uint64_t names_ = 0;
};

/// Writes operations that cannot trap: operands are masked or literals, or the operation is guarded, or it is
/// speculative and its result is used only under the right predicate.
class arithmetic {
public:
  explicit arithmetic(writer& w) : w_(w) {}

  /// An operation with a result of this type, with the operations that keep it from trapping.
  void compute(type t) {
    if (t == type::i1) {
      compute_predicate();
    } else if (is_float(t)) {
      compute_float(t);
    } else {
      compute_integer(t);
    }
  }

  /// The result of an unsafe operation, and the predicate under which it is not a diagnostic value.
  struct hoisted_value {
    value_id condition = no_value;
    bool negated = false;
    known_value result;
  };

  /// A speculative division or shift that nothing keeps from trapping.
  hoisted_value hoist(type t) {
    hoisted_value out;
    const value_id a = w_.pick_computed(t);
    const value_id b = w_.pick_computed(t);
    static constexpr opcode choices[] = {opcode::div,  opcode::udiv, opcode::rem,
                                         opcode::urem, opcode::shl,  opcode::sar};
    const opcode code = w_.random.any_of(choices);
    const auto width = static_cast<std::int64_t>(width_of(t));
    const bool is_shift = code == opcode::shl || code == opcode::sar;
    const bool is_signed = code == opcode::div || code == opcode::rem;
    const opcode test = is_shift ? opcode::cmp_ult : is_signed ? opcode::cmp_gt : opcode::cmp_ne;
    const auto ask = [&] {
      return w_.read(w_.write({test, t, {b, w_.b.literal(t, is_shift ? width : 0)}, w_.somewhere_safe(type::i1)}));
    };
    if (w_.options.undefined && w_.random.one_in(3)) {
      return pass_on_undefined(t, a);
    }
    const bool ask_first = w_.random.one_in(2);
    out.condition = ask_first ? ask() : no_value;
    extras more = w_.somewhere_safe(t);
    more.spec = true;
    out.result.value = w_.read(w_.write({code, t, {a, b}, more}));
    out.result.type = t;
    if (w_.random.one_in(2)) { // diagnostic if the first one is
      more = w_.somewhere_safe(t);
      more.spec = true;
      out.result.value = w_.read(w_.write({opcode::add, t, {out.result.value, w_.pick(t)}, more}));
    }
    out.condition = ask_first ? out.condition : ask();
    return out;
  }

private:
  /// `a` or `undef`, passed on once more or not.
  hoisted_value pass_on_undefined(type t, value_id a) {
    hoisted_value out;
    out.condition = w_.predicate();
    const value_id nothing = w_.b.get().undefined(t);
    extras more = w_.somewhere_safe(t);
    if (w_.options.guards && w_.random.one_in(2)) {
      more.guard = out.condition;
      more.otherwise = nothing;
      out.result.value = w_.read(w_.write({opcode::mov, t, {a}, more}));
    } else {
      out.result.value = w_.read(w_.write({opcode::select, t, {out.condition, a, nothing}, more}));
    }
    if (w_.random.one_in(2)) {
      out.result.value = w_.read(w_.write({opcode::mov, t, {out.result.value}, w_.somewhere_safe(t)}));
    }
    out.result.type = t;
    return out;
  }

  // Integers.

  void compute_integer(type t) {
    const std::size_t kind = w_.random.below(100);
    if (kind < 42) {
      plain(t);
    } else if (kind < 54) {
      promised(t);
    } else if (kind < 64) {
      shift(t);
    } else if (kind < 72) {
      divide(t);
    } else if (kind < 80) {
      convert(t);
    } else if (kind < 86) {
      choose(t);
    } else if (kind < 90 && w_.options.speculation) {
      speculate(t);
    } else if (kind < 93 && w_.options.floats) {
      from_float(t);
    } else {
      w_.masked(t, (std::int64_t{1} << w_.random.between(1, std::min(6u, width_of(t) - 2))) - 1);
    }
  }

  /// Flags and guard of an operation that cannot trap.
  extras more_of(opcode code, type t) {
    extras more = w_.somewhere(t);
    more.spec = w_.options.speculation && w_.random.one_in(12);
    const bool associative = code == opcode::add || code == opcode::mul || code == opcode::bit_xor ||
                             code == opcode::fadd || code == opcode::fmul;
    more.assoc = associative && w_.options.promises && w_.random.one_in(4);
    if (w_.options.guards && w_.random.one_in(7)) {
      guard(more, t);
    }
    return more;
  }

  void guard(extras& more, type t) {
    (w_.random.one_in(3) ? more.unless : more.guard) = w_.any_guard();
    more.otherwise = w_.pick(t);
  }

  void plain(type t) {
    static constexpr opcode choices[] = {opcode::add,  opcode::add,     opcode::sub,     opcode::sub,
                                         opcode::mul,  opcode::bit_or,  opcode::bit_and, opcode::bit_xor,
                                         opcode::neg,  opcode::bit_not, opcode::min,     opcode::max,
                                         opcode::umin, opcode::umax,    opcode::mov};
    const opcode code = w_.random.any_of(choices);
    const value_id a = w_.pick_computed(t);
    w_.see(w_.write({code, t, {a, w_.pick_other(t, a)}, more_of(code, t)}));
  }

  /// `nsw` where it holds.
  void promised(type t) {
    static constexpr opcode choices[] = {opcode::add, opcode::add, opcode::sub, opcode::mul, opcode::neg, opcode::shl};
    const opcode code = w_.random.any_of(choices);
    const std::int64_t most = std::int64_t{1} << (std::min(width_of(t), 40u) / 2 - 1);
    const known_value a = w_.between(t, -most, most - 1);
    const known_value b = code == opcode::shl ? known_small_literal(t) : w_.between(t, -most, most - 1);
    extras more = w_.somewhere_safe(t);
    more.nsw = w_.options.promises;
    const bounds exact = bounds_of(code, a, b);
    w_.see_bounded(w_.write({code, t, {a.value, b.value}, more}), exact.low, exact.high);
  }

  known_value known_small_literal(type t) {
    const std::int64_t amount = w_.random.between(0, width_of(t) / 4);
    return bounded_value(w_.b.literal(t, amount), t, amount, amount);
  }

  void shift(type t) {
    const std::int64_t last = static_cast<std::int64_t>(width_of(t)) - 1;
    const value_id a = w_.pick_computed(t);
    const value_id amount =
        w_.random.one_in(2) ? w_.b.literal(t, w_.random.between(0, last)) : w_.between(t, 0, last).value;
    if (w_.random.one_in(4)) {
      const opcode code = opcode::shladd;
      const value_id literal = w_.b.literal(t, w_.random.between(0, std::min(last, std::int64_t{4})));
      w_.see(w_.write({code, t, {a, literal, w_.pick(t)}, more_of(code, t)}));
      return;
    }
    static constexpr opcode choices[] = {opcode::shl, opcode::shr, opcode::sar};
    const opcode code = w_.random.any_of(choices);
    w_.see(w_.write({code, t, {a, amount}, more_of(code, t)}));
  }

  void divide(type t) {
    static constexpr opcode choices[] = {opcode::div, opcode::udiv, opcode::rem, opcode::urem};
    const opcode code = w_.random.any_of(choices);
    const bool is_signed = code == opcode::div || code == opcode::rem;
    const value_id a = w_.pick_computed(t);
    if (w_.options.guards && w_.random.one_in(3)) { // does not run for 0 and, if signed, for negative divisors
      const value_id b = w_.pick_computed(t);
      const value_id otherwise = w_.pick(t);
      const opcode test = is_signed ? opcode::cmp_gt : opcode::cmp_ne;
      extras more = w_.somewhere(t);
      more.guard = w_.see(w_.write({test, t, {b, w_.b.literal(t, 0)}, w_.somewhere_safe(type::i1)})).value;
      more.otherwise = otherwise;
      w_.see(w_.write({code, t, {a, b}, more}));
      return;
    }
    w_.see(w_.write({code, t, {a, divisor(t)}, more_of(code, t)}));
  }

  /// A number that is at least 1.
  value_id divisor(type t) {
    if (w_.random.one_in(3)) {
      return w_.b.literal(t, w_.random.between(1, 100));
    }
    const known_value small = w_.between(t, 0, 63);
    const writer::step made = {opcode::bit_or, t, {small.value, w_.b.literal(t, 1)}, w_.somewhere_safe(t)};
    return w_.see_bounded(w_.write(made), 1, small.high | 1).value;
  }

  void convert(type to) {
    static constexpr type choices[] = {type::i1, type::i8, type::i16, type::i32, type::i64};
    const type from = w_.random.any_of(choices);
    if (from == to) {
      plain(to);
      return;
    }
    const value_id v = w_.pick_computed(from);
    if (width_of(from) > width_of(to)) {
      w_.see(w_.write({opcode::trunc, to, {v}, more_of(opcode::trunc, to)}));
      return;
    }
    const bool is_signed = w_.random.one_in(2);
    const value_id wide = w_.write({is_signed ? opcode::sext : opcode::zext, to, {v}, w_.somewhere_safe(to)});
    const auto range = std::int64_t{1} << width_of(from); // from has at most 32 bits
    w_.see_bounded(wide, is_signed ? -(range / 2) : 0, is_signed ? range / 2 - 1 : range - 1);
  }

  void choose(type t) {
    const value_id condition = w_.predicate();
    const value_id a = w_.pick_computed(t);
    w_.see(w_.write({opcode::select, t, {condition, a, w_.pick_other(t, a)}, more_of(opcode::select, t)}));
  }

  /// An unsafe operation, then the choice between its result and another one.
  void speculate(type t) {
    const value_id other = w_.pick(t);
    const hoisted_value h = hoist(t);
    if (!w_.options.guards || w_.random.one_in(2)) {
      w_.see(w_.write({opcode::select, t, {h.condition, h.result.value, other}, w_.somewhere(t)}));
      return;
    }
    extras more = w_.somewhere(t);
    more.guard = h.condition;
    more.otherwise = other;
    w_.see(w_.write({opcode::mov, t, {h.result.value}, more}));
  }

  // Floating point.

  void compute_float(type t) {
    const std::size_t kind = w_.random.below(10);
    if (kind < 2) {
      const type from = w_.random_integer_type();
      const value_id number = w_.masked(from, (std::int64_t{1} << std::min(10u, width_of(from) - 2)) - 1).value;
      w_.see(w_.write({opcode::itof, t, {number}, more_of(opcode::itof, t)}));
    } else if (kind < 3) {
      choose(t);
    } else if (w_.options.numeric && w_.random.one_in(2)) {
      compute_number(t);
    } else {
      static constexpr opcode choices[] = {opcode::fadd, opcode::fadd, opcode::fsub,  opcode::fmul,
                                           opcode::fdiv, opcode::fma,  opcode::fsqrt, opcode::mov};
      const opcode code = w_.random.any_of(choices);
      const value_id a = w_.pick_computed(t);
      w_.see(w_.write({code, t, {a, w_.pick_other(t, a), w_.pick(t)}, more_of(code, t)}));
    }
  }

  /// What numeric code has besides.
  void compute_number(type t) {
    static constexpr opcode choices[] = {opcode::fneg,     opcode::fneg,   opcode::fabs,  opcode::fcopysign,
                                         opcode::fmin,     opcode::fmax,   opcode::fmin,  opcode::fminimum,
                                         opcode::fmaximum, opcode::ffloor, opcode::fceil, opcode::ftrunc,
                                         opcode::frint,    opcode::fround};
    const std::size_t kind = w_.random.below(w_.options.extended ? 12 : 9);
    if (kind == 0) {
      const value_id other = w_.pick_computed(t == type::f32 ? type::f64 : type::f32);
      w_.see(w_.write({opcode::ftof, t, {other}, more_of(opcode::ftof, t)}));
    } else if (kind == 1) {
      w_.see(w_.write({opcode::utof, t, {w_.pick_computed(w_.random_integer_type())}, more_of(opcode::utof, t)}));
    } else if (kind == 2) {
      const type same = t == type::f32 ? type::i32 : type::i64;
      w_.see(w_.write({opcode::bitcast, t, {w_.pick_computed(same)}, more_of(opcode::bitcast, t)}));
    } else if (kind == 3) {
      const type whole = t == type::f32 ? type::i32 : type::i64;
      w_.see(w_.write({opcode::bitcast, whole, {w_.pick_computed(t)}, more_of(opcode::bitcast, whole)}));
    } else if (kind < 9) {
      const opcode code = w_.random.any_of(choices);
      const value_id a = w_.pick_computed(t);
      w_.see(w_.write({code, t, {a, w_.pick_other(t, a)}, more_of(code, t)}));
    } else {
      compute_extended(t);
    }
  }

  /// An operation of `f80`, and its result as a number of type `t`.
  void compute_extended(type t) {
    static constexpr opcode choices[] = {opcode::fadd, opcode::fsub, opcode::fmul,  opcode::fdiv,  opcode::fsqrt,
                                         opcode::fneg, opcode::fmin, opcode::frint, opcode::select};
    const auto number = [&] {
      if (const std::optional<known_value> found = w_.find(type::f80); found && !w_.random.one_in(3)) {
        return found->value;
      }
      return w_.see(w_.write({opcode::ftof, type::f80, {w_.pick_computed(t)}, {}})).value;
    };
    const opcode code = w_.random.any_of(choices);
    const value_id a = number();
    const value_id b = number();
    const value_id computed = code == opcode::select
                                  ? w_.see(w_.write({code, type::f80, {w_.predicate(), a, b}, {}})).value
                                  : w_.see(w_.write({code, type::f80, {a, b}, {}})).value;
    w_.see(w_.write({opcode::ftof, t, {computed}, more_of(opcode::ftof, t)}));
  }

  /// A conversion of a number that fits, or that runs if it does.
  void from_float(type t) {
    const type from = w_.random.one_in(2) ? type::f32 : type::f64;
    const value_id v = w_.pick_computed(from);
    const value_id otherwise = w_.pick(t);
    const double limit = t == type::i8 ? 100 : 30'000;
    const value_id fits = is_between(from, v, -limit, limit);
    extras more = w_.somewhere(t);
    if (w_.options.guards) {
      more.guard = fits;
      more.otherwise = otherwise;
      w_.see(w_.write({opcode::ftoi, t, {v}, more}));
      return;
    }
    const value_id zero = w_.float_constant(from, 0);
    const value_id clamped = w_.see(w_.write({opcode::select, from, {fits, v, zero}, w_.somewhere(from)})).value;
    w_.see(w_.write({opcode::ftoi, t, {clamped}, more}));
  }

  value_id is_between(type t, value_id v, double low, double high) {
    const value_id most = w_.float_constant(t, high);
    const value_id below = w_.see(w_.write({opcode::fcmp_olt, t, {v, most}, w_.somewhere_safe(type::i1)})).value;
    const value_id least = w_.float_constant(t, low);
    const value_id above = w_.see(w_.write({opcode::fcmp_ogt, t, {v, least}, w_.somewhere_safe(type::i1)})).value;
    return w_.see(w_.write({opcode::bit_and, type::i1, {below, above}, w_.somewhere_safe(type::i1)})).value;
  }

  // Predicates.

  void compute_predicate() {
    const std::size_t kind = w_.random.below(10);
    if (kind < 5) {
      w_.compared(w_.options.floats && w_.random.one_in(6) ? type::f64 : w_.random_integer_type());
    } else if (kind < 6) {
      w_.see(w_.write({opcode::trunc, type::i1, {w_.pick_computed(w_.random_integer_type())}, w_.somewhere(type::i1)}));
    } else {
      static constexpr opcode choices[] = {opcode::bit_and, opcode::bit_or, opcode::bit_xor, opcode::bit_not,
                                           opcode::add,     opcode::umin,   opcode::max,     opcode::mov};
      const opcode code = w_.random.any_of(choices);
      const value_id a = w_.predicate();
      w_.see(w_.write({code, type::i1, {a, w_.pick_other(type::i1, a)}, more_of(code, type::i1)}));
    }
  }

  writer& w_;
};

/// An array of the program. All procedures get all arrays, each with an alias class of the array's name.
struct random_array {
  std::string name;
  elbrus::type element = type::i32;
  std::int64_t size = 0; ///< in bytes
};

/// Writes accesses that are within their arrays.
class memory_accesses {
public:
  memory_accesses(writer& w, std::span<const random_array> all) : arrays(all), writes(all.size(), false), w_(w) {}

  void add_pointer(std::string_view name, alias_id alias, std::int64_t room) {
    known_value p;
    p.value = w_.b.parameter(type::ptr, name);
    p.type = type::ptr;
    p.alias = alias;
    p.room = room;
    pointers.push_back(p);
    w_.scope.push(p);
  }

  std::int64_t smallest_array() const {
    return std::min_element(arrays.begin(), arrays.end(),
                            [](const random_array& a, const random_array& b) { return a.size < b.size; })
        ->size;
  }

  void load() {
    const type t = element_type();
    const place from = some_place(t);
    extras more = w_.somewhere(t);
    more.spec = w_.options.speculation && w_.random.one_in(6);
    more.is_volatile = !more.spec && w_.random.one_in(20);
    if (w_.options.guards && w_.random.one_in(6)) {
      more.guard = w_.any_guard();
      more.otherwise = w_.pick(t);
    }
    const value_id loaded = w_.see(w_.b.load(t, from.address, more)).value;
    if (w_.options.mixed_accesses && w_.random.one_in(6)) {
      store_to(from, t, loaded);
    }
  }

  void store() {
    const type t = element_type();
    const value_id value = w_.random.one_in(8) ? w_.pick(t) : w_.pick_computed(t);
    extras more;
    if (w_.options.guards && w_.random.one_in(4)) {
      (w_.random.one_in(3) ? more.unless : more.guard) = w_.any_guard();
    }
    more.is_volatile = w_.random.one_in(20);
    const place to = some_place(t);
    note_write(to.array);
    w_.b.store(t, value, to.address, more);
  }

  /// A speculative load near an array; the result is used if the address was inside.
  void speculative_load() {
    const std::size_t array = w_.random.below(arrays.size());
    const type t = arrays[array].element;
    const value_id other = w_.pick(t);
    const value_id index = w_.pick_computed(type::i64);
    const auto size = static_cast<std::int64_t>(bytes_of(t));
    extras more = w_.somewhere_safe(t);
    more.spec = true;
    const address from = {pointers[array].value, index, static_cast<std::uint32_t>(size), 0, pointers[array].alias};
    const value_id loaded = w_.read(w_.b.load(t, from, more));
    const value_id inside = w_.see(w_.write({opcode::cmp_ult,
                                             type::i64,
                                             {index, w_.b.i64(arrays[array].size / size)},
                                             w_.somewhere_safe(type::i1)}))
                                .value;
    w_.see(w_.write({opcode::select, t, {inside, loaded, other}, w_.somewhere(t)}));
  }

  /// A pointer into the same array, some bytes further.
  void step_pointer() {
    const known_value p = pointer(8);
    const std::int64_t most = p.room / 2;
    if (most < 1) {
      return;
    }
    const auto mask = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most) + 1) - 1);
    const known_value by = w_.between(type::i64, 0, mask);
    known_value moved = p;
    moved.value = w_.read(w_.write({opcode::add, type::ptr, {p.value, by.value}, w_.somewhere_safe(type::ptr)}));
    moved.before = p.before + by.low;
    moved.room = p.room - by.high;
    w_.see(moved);
  }

  /// A pointer to at least `bytes` bytes. Requires that each array has as many.
  known_value pointer(std::int64_t bytes) {
    if (w_.random.one_in(3)) {
      const std::optional<known_value> found = w_.find(type::ptr);
      if (found && found->room >= bytes) {
        return *found;
      }
    }
    return w_.random.any_of(pointers);
  }

  std::span<const random_array> arrays;
  std::vector<known_value> pointers; ///< the parameters, which can be read everywhere
  std::vector<bool> writes;          ///< by array
  bool writes_anything = false;      ///< through a pointer that may lead anywhere

private:
  type element_type() {
    const type t = w_.random.any_of(arrays).element;
    if (w_.options.mixed_accesses && w_.random.one_in(2)) {
      static constexpr type choices[] = {type::i1, type::i1, type::i8, type::i8, type::i16, type::i32, type::i64};
      return w_.random.any_of(choices);
    }
    return w_.random.one_in(8) ? w_.random_integer_type() : t;
  }

  struct place {
    elbrus::address address;
    alias_id array = no_alias; ///< what it certainly is in
    std::int64_t before = 0;   ///< bytes of the array that can be accessed before it …
    std::int64_t room = 0;     ///< … and from it on, for each index
  };

  place some_place(type t) {
    const auto size = static_cast<std::int64_t>(bytes_of(t));
    if (w_.options.mixed_accesses && !recent_.empty() && w_.random.one_in(2)) {
      if (const std::optional<place> again = recent_place(size)) {
        return *again;
      }
    }
    const known_value p = pointer(size);
    address at;
    at.base = p.value;
    at.alias = w_.random.one_in(6) ? no_alias : p.alias;
    std::int64_t used = size;
    if (w_.random.percent(70)) {
      const std::int64_t scale = w_.random.one_in(5) ? std::int64_t{1} << w_.random.below(4) : size;
      const std::int64_t most = (p.room - size) / scale;
      if (most >= 1) {
        const known_value index =
            w_.between(w_.random.one_in(3) ? type::i32 : type::i64, 0, std::min<std::int64_t>(most, 63));
        at.index = index.value;
        at.scale = static_cast<std::uint32_t>(scale);
        used += index.high * scale;
      }
    }
    at.offset = w_.random.between(-p.before, p.room - used) / size * size;
    place out{at, p.alias, p.before + at.offset, p.room - at.offset - (used - size)};
    if (w_.options.overlapping_classes) {
      set_class(out, size);
    }
    if (w_.options.mixed_accesses) {
      recent_.push_back(out);
    }
    return out;
  }

  /// One of the last places, or some bytes further, if it can be computed here.
  std::optional<place> recent_place(std::int64_t size) {
    const std::size_t window = std::min<std::size_t>(recent_.size(), 4);
    place out = recent_[recent_.size() - 1 - w_.random.below(window)];
    const auto is_visible = [&](value_id v) {
      return v == no_value || w_.b.get().value(v).kind == value_kind::constant || w_.scope.contains(v);
    };
    if (!is_visible(out.address.base) || !is_visible(out.address.index) || out.room < size) {
      return std::nullopt;
    }
    if (w_.random.one_in(2)) {
      const std::int64_t by =
          w_.random.between(-std::min<std::int64_t>(out.before, 4), std::min<std::int64_t>(out.room - size, 4));
      out.address.offset += by;
      out.before += by;
      out.room -= by;
    }
    if (w_.options.overlapping_classes) {
      set_class(out, size);
    } else if (w_.random.one_in(6)) {
      out.address.alias = no_alias;
    }
    return out;
  }

  /// The class of the half that all bytes are in; none if that is not known, and now and then.
  void set_class(place& p, std::int64_t size) {
    p.address.alias = no_alias;
    if (p.array == no_alias || w_.random.one_in(4)) {
      return;
    }
    const std::int64_t all = arrays[p.array].size;
    if (all - p.room + size <= all / 2) {
      p.address.alias = p.array;
    } else if (p.before >= all / 2) {
      p.address.alias = static_cast<alias_id>(p.array + arrays.size());
    }
  }

  void store_to(const place& to, type t, value_id value) {
    note_write(to.array);
    w_.b.store(t, value, to.address, {});
  }

  /// For the clobbers of callers. Classes have the numbers of the arrays.
  void note_write(alias_id array) {
    if (array == no_alias) {
      writes_anything = true;
    } else {
      writes[array] = true;
    }
  }

  std::vector<place> recent_; ///< where accesses were, with `mixed_accesses`
  writer& w_;
};

/// The signature of a procedure. Its parameters are the arrays, then a pointer into any of them if it has one, then
/// the others.
struct random_signature {
  std::string name;
  elbrus::type result = type::none;
  bool any_pointer = false;
  std::vector<type> others;
  std::vector<bool> writes;     ///< by array
  bool writes_anything = false; ///< through the pointer that may lead anywhere
  std::uint64_t step_bound = 0;
};

/// Writes all operations that do not change the flow, including calls of host functions and of complete procedures.
class straight_line {
public:
  straight_line(writer& w, arithmetic& a, memory_accesses& m, std::span<const random_signature> callees)
      : w_(w), arithmetic_(a), accesses_(m), callees_(callees), called_(callees.size(), false) {}

  /// Makes the parameters and alias classes.
  void begin(const random_signature& self) {
    for (const random_array& a : accesses_.arrays) {
      accesses_.add_pointer(a.name, w_.b.alias(a.name), a.size);
    }
    if (w_.options.overlapping_classes) {
      for (const random_array& a : accesses_.arrays) {
        w_.b.alias(a.name + "_high");
      }
    }
    if (self.any_pointer) {
      accesses_.add_pointer("any", no_alias, accesses_.smallest_array());
    }
    for (const type t : self.others) {
      known_value v;
      v.value = w_.b.parameter(t, w_.fresh('a'));
      v.type = t;
      w_.scope.push(v);
    }
    calls_left_ = w_.options.steps / 4;
  }

  /// Any operation that does not change the flow, at a place that runs at most `runs` times.
  void simple(std::uint64_t runs) {
    const std::size_t kind = w_.random.below(100);
    if (kind < 12 && w_.options.memory) {
      accesses_.load();
    } else if (kind < 22 && w_.options.memory) {
      accesses_.store();
    } else if (kind < 24 && w_.options.memory) {
      accesses_.step_pointer();
    } else if (kind < 26 && w_.options.memory && w_.options.speculation) {
      accesses_.speculative_load();
    } else if (kind < 30 && w_.options.calls) {
      call(runs);
    } else if (kind < 34 && w_.options.traps) {
      trap_perhaps();
    } else {
      arithmetic_.compute(w_.random_type());
    }
  }

  /// A call at a place that runs at most `runs` times.
  void call(std::uint64_t runs) {
    if (callees_.empty() || w_.random.one_in(2)) {
      call_host();
      return;
    }
    const std::size_t callee = w_.random.below(callees_.size());
    if (runs * callees_[callee].step_bound > calls_left_) {
      call_host();
    } else {
      call_procedure(callee, runs);
    }
  }

  /// Calls of all procedures that were not called yet, at a place that runs once.
  void call_the_rest() {
    for (std::size_t i = 0; i != callees_.size(); ++i) {
      if (!called_[i] && callees_[i].step_bound <= calls_left_) {
        call_procedure(i, 1);
      }
    }
  }

  std::uint64_t callee_steps = 0; ///< that a run may spend in callees

private:
  /// An operation that traps for some operands.
  void trap_perhaps() {
    const type t = w_.random_integer_type();
    const value_id a = w_.pick_computed(t);
    const value_id b = w_.pick_computed(t);
    extras promise = w_.somewhere(t);
    switch (w_.random.below(6)) {
    case 0:
      w_.see(w_.write({opcode::div, t, {a, b}, promise}));
      return;
    case 1:
      w_.see(w_.write({opcode::shl, t, {a, b}, promise}));
      return;
    case 2:
      promise.nsw = true;
      w_.see(w_.write({opcode::add, t, {a, b}, promise}));
      return;
    case 3:
      w_.see(w_.b.load(t, {accesses_.pointers[0].value, a}, promise));
      return;
    case 4:
      w_.see(
          w_.write({opcode::mov, t, {arithmetic_.hoist(t).result.value}, promise})); // may pass a diagnostic value on
      return;
    default:
      w_.see(w_.write({opcode::mov, t, {w_.b.variable(t, w_.fresh('x'))}, promise})); // was not written
    }
  }

  extras around_call(type result) {
    const value_id guard = w_.options.guards && w_.random.one_in(5) ? w_.any_guard() : no_value;
    const value_id otherwise = guard != no_value && result != type::none ? w_.pick(result) : no_value;
    extras more = result == type::none ? extras{} : w_.somewhere(result);
    more.guard = guard;
    more.otherwise = otherwise;
    return more;
  }

  void call_host() {
    switch (w_.random.below(w_.options.floats ? 3 : 2)) {
    case 0: {
      const value_id arguments[] = {w_.pick_computed(type::i64), w_.pick(type::i64)};
      w_.see(w_.b.call(type::i64, "host_mix", arguments, around_call(type::i64), clobber_kind::nothing));
      return;
    }
    case 1: {
      const value_id arguments[] = {w_.pick_computed(type::i32)};
      const extras more = around_call(type::none);
      w_.b.call(type::none, "host_note", arguments, more, random_clobbers());
      return;
    }
    default: {
      const value_id arguments[] = {w_.pick_computed(type::f64)};
      w_.see(w_.b.call(type::f64, "host_scale", arguments, around_call(type::f64), clobber_kind::nothing));
    }
    }
  }

  clobber_kind random_clobbers() { return w_.random.one_in(3) ? clobber_kind::anything : clobber_kind::nothing; }

  void call_procedure(std::size_t number, std::uint64_t runs) {
    const random_signature& callee = callees_[number];
    called_[number] = true;
    calls_left_ -= runs * callee.step_bound;
    callee_steps += runs * callee.step_bound;
    std::vector<value_id> arguments;
    for (std::size_t i = 0; i != accesses_.arrays.size(); ++i) {
      arguments.push_back(accesses_.pointers[i].value);
    }
    if (callee.any_pointer) {
      const known_value p = accesses_.pointer(accesses_.smallest_array());
      arguments.push_back(p.room < accesses_.smallest_array() ? accesses_.pointers[0].value : p.value);
    }
    for (const type t : callee.others) {
      arguments.push_back(w_.pick_computed(t));
    }
    const extras more = around_call(callee.result);
    std::vector<alias_id> classes;
    for (alias_id c = 0; c != accesses_.arrays.size(); ++c) {
      accesses_.writes[c] = accesses_.writes[c] || callee.writes[c];
      if (callee.writes[c] || w_.random.one_in(6)) {
        classes.push_back(c);
        if (w_.options.overlapping_classes) {
          classes.push_back(static_cast<alias_id>(c + accesses_.arrays.size()));
        }
      }
    }
    accesses_.writes_anything = accesses_.writes_anything || callee.writes_anything;
    const bool listed = !callee.writes_anything && !w_.random.one_in(4);
    const clobber_kind clobbers = !listed           ? clobber_kind::anything
                                  : classes.empty() ? clobber_kind::nothing
                                                    : clobber_kind::listed;
    const value_id v =
        w_.b.call(callee.result, callee.name, arguments, more, clobbers,
                  clobbers == clobber_kind::listed ? std::span<const alias_id>(classes) : std::span<const alias_id>());
    if (callee.result != type::none) {
      w_.see(v);
    }
  }

  writer& w_;
  arithmetic& arithmetic_;
  memory_accesses& accesses_;
  std::span<const random_signature> callees_;
  std::vector<bool> called_;     ///< by callee
  std::uint64_t calls_left_ = 0; ///< steps that callees may still take
};

/// Writes the ends and meeting points of paths. The scope always has what dominates the current place.
class paths {
public:
  paths(writer& w, arithmetic& a, memory_accesses& m) : w_(w), arithmetic_(a), accesses_(m) {}

  /// How often a node runs, at most.
  struct run_bound {
    node_id node;
    std::uint64_t runs;
  };

  bool is_open() const { return w_.b.get().terminator(w_.b.current()) == no_value; }

  bool phis_allowed() const { return w_.options.form != program_form::variables; }

  /// The next operations go to this node.
  void enter(node_id n) {
    w_.b.at(n);
    run_bounds.push_back({n, runs});
  }

  meeting_point new_meeting() {
    meeting_point m;
    m.node = w_.new_node();
    m.base = w_.scope.size();
    return m;
  }

  void jump(meeting_point& to) { w_.scope.arrive(to, w_.b.jump(to.node)); }

  /// A branch; the caller handles the edges.
  branch_edges branch(value_id condition, node_id when_true, node_id when_false) {
    if (w_.options.profile && w_.random.one_in(3)) {
      return w_.b.branch(condition, when_true, when_false, static_cast<double>(w_.random.below(17)) / 16);
    }
    return w_.b.branch(condition, when_true, when_false);
  }

  /// All paths are written: continues where they meet, with phis.
  void meet(meeting_point& m) {
    w_.scope.shrink(m.base);
    const std::size_t islands = w_.options.unreachable_nodes && w_.random.one_in(15) ? 1 : 0;
    for (std::size_t i = 0; i != islands; ++i) {
      m.unreachable.push_back(island(m.node));
    }
    std::vector<planned_phi> phis;
    for (std::size_t left = phis_allowed() ? w_.random.below(3) + (m.arrivals.size() > 1) : 0; left != 0; --left) {
      phis.push_back(plan_phi(m));
    }
    w_.scope.meet(m);
    enter(m.node);
    for (const planned_phi& planned : phis) {
      write_phi(m, planned);
    }
  }

  /// The input of a phi at the end of a path, from that path if it has one of this type.
  known_value input_from(const arrival& a, type t) {
    const std::optional<known_value> found = w_.random.percent(85) ? w_.find_in_tail(a, t) : std::nullopt;
    return found ? *found : w_.pick_known(t, true);
  }

  std::vector<run_bound> run_bounds;
  std::uint64_t runs = 1; ///< of the present place, at most

private:
  struct planned_phi {
    known_value result;
    std::vector<value_id> inputs; ///< by arrival
  };

  /// Inputs come from the ends of the paths, or are what the scope holds now: what dominates them all.
  planned_phi plan_phi(const meeting_point& m) {
    const arrival& model = w_.random.any_of(m.arrivals);
    const type t = model.tail.empty() ? w_.random_type() : w_.random.any_of(model.tail).type;
    planned_phi out;
    for (const arrival& a : m.arrivals) {
      const known_value input = t == type::ptr ? pointer_from(a) : input_from(a, t);
      out.result = out.inputs.empty() ? input : either(out.result, input);
      out.inputs.push_back(input.value);
    }
    return out;
  }

  known_value pointer_from(const arrival& a) {
    const std::optional<known_value> found = w_.find_in_tail(a, type::ptr);
    return found ? *found : w_.random.any_of(accesses_.pointers);
  }

  void write_phi(const meeting_point& m, const planned_phi& planned) {
    known_value phi = planned.result;
    phi.value = w_.read(w_.b.phi(phi.type));
    for (std::size_t i = 0; i != planned.inputs.size(); ++i) {
      w_.b.input(phi.value, m.arrivals[i].edge, planned.inputs[i]);
    }
    for (const edge_id e : m.unreachable) {
      w_.b.input(phi.value, e, planned.inputs[0]);
    }
    w_.scope.push(phi);
  }

  /// An unreachable node that jumps to `to`.
  edge_id island(node_id to) {
    const std::size_t size = w_.scope.size();
    enter(w_.new_node());
    arithmetic_.compute(w_.random_type());
    const edge_id e = w_.b.jump(to);
    w_.scope.shrink(size);
    return e;
  }

  writer& w_;
  arithmetic& arithmetic_;
  memory_accesses& accesses_;
};

/// Writes cycles that are no counted loops: with several entries, or without an exit.
class odd_cycles {
public:
  odd_cycles(writer& w, straight_line& s, paths& p) : w_(w), straight_(s), paths_(p) {}

  /// A cycle with several entries: nodes that jump to each other until a counter ends.
  void irreducible() {
    const std::uint64_t runs_outside = paths_.runs;
    cycle c;
    c.fuel = w_.random.between(3, 8);
    c.in_variable = w_.to_variable();
    c.exit = paths_.new_meeting();
    if (c.in_variable) {
      c.variable = w_.b.variable(type::i32, w_.fresh('x'));
      w_.b.assign(c.variable, w_.b.i32(c.fuel));
    }
    for (std::size_t slots = paths_.phis_allowed() ? 1 + w_.random.below(2) : 0; slots != 0; --slots) {
      c.slots.push_back(w_.random_type());
    }
    c.blocks.resize(2 + w_.random.below(2));
    for (cycle_block& block : c.blocks) {
      block.node = w_.new_node();
    }
    const branch_edges in = w_.b.branch(w_.predicate(), c.blocks[0].node, c.blocks[1].node);
    const std::size_t base = w_.scope.size(); // with the predicate
    arrive(c, 0, in.when_true, w_.b.i32(c.fuel));
    arrive(c, 1, in.when_false, w_.b.i32(c.fuel));
    paths_.runs *= static_cast<std::uint64_t>(c.fuel) + 2;
    for (std::size_t i = 0; i != c.blocks.size(); ++i) {
      w_.scope.shrink(base);
      write_block(c, i);
    }
    w_.scope.shrink(base);
    close_phis(c);
    paths_.runs = runs_outside;
    paths_.meet(c.exit);
  }

  /// A loop without exit, entered under a predicate.
  void endless() {
    const node_id loop = w_.new_node();
    meeting_point after;
    after.node = w_.new_node();
    const value_id in = w_.predicate();
    after.base = w_.scope.size();
    const branch_edges edges = w_.b.branch(in, loop, after.node);
    w_.scope.arrive(after, edges.when_false);
    paths_.enter(loop);
    straight_.simple(paths_.runs);
    w_.b.jump(loop);
    paths_.meet(after);
  }

private:
  /// A node of the cycle: its phis, and what they get for each edge.
  struct cycle_block {
    node_id node = no_node;
    std::vector<value_id> phis; ///< the counter, if it is one, then the slots
    std::vector<edge_id> edges;
    std::vector<std::vector<value_id>> inputs; ///< by edge and phi
  };

  struct cycle {
    std::int64_t fuel = 0;
    bool in_variable = false;
    value_id variable = no_value; ///< the counter, if it is one
    std::vector<type> slots;
    std::vector<cycle_block> blocks;
    meeting_point exit;
  };

  /// An edge to a block, with what there is now.
  void arrive(cycle& c, std::size_t block, edge_id e, value_id fuel) {
    std::vector<value_id> inputs;
    if (!c.in_variable) {
      inputs.push_back(fuel);
    }
    for (const type t : c.slots) {
      inputs.push_back(w_.pick_known(t, true).value);
    }
    c.blocks[block].edges.push_back(e);
    c.blocks[block].inputs.push_back(inputs);
  }

  void write_block(cycle& c, std::size_t i) {
    cycle_block& block = c.blocks[i];
    paths_.enter(block.node);
    value_id fuel = c.variable;
    if (!c.in_variable) {
      fuel = w_.read(w_.b.phi(type::i32));
      block.phis.push_back(fuel);
      w_.see_bounded(fuel, 0, c.fuel);
    }
    for (const type t : c.slots) {
      block.phis.push_back(w_.see(w_.b.phi(t)).value);
    }
    for (std::size_t left = 1 + w_.random.below(3); left != 0; --left) {
      straight_.simple(paths_.runs);
    }
    const extras more = c.in_variable ? extras{.into = c.variable} : extras{};
    const value_id rest = w_.read(w_.write({opcode::sub, type::i32, {fuel, w_.b.i32(1)}, more}));
    const value_id alive =
        w_.see(w_.write({opcode::cmp_gt, type::i32, {rest, w_.b.i32(0)}, w_.somewhere_safe(type::i1)})).value;
    const std::size_t next = (i + 1) % c.blocks.size();
    const std::size_t other = w_.random.below(c.blocks.size());
    if (other == next) {
      const branch_edges edges = paths_.branch(alive, c.blocks[next].node, c.exit.node);
      w_.scope.arrive(c.exit, edges.when_false);
      arrive(c, next, edges.when_true, rest);
      return;
    }
    const node_id chooser = w_.new_node();
    w_.scope.arrive(c.exit, paths_.branch(alive, chooser, c.exit.node).when_false);
    paths_.enter(chooser);
    const branch_edges edges = paths_.branch(w_.predicate(), c.blocks[next].node, c.blocks[other].node);
    arrive(c, next, edges.when_true, rest);
    arrive(c, other, edges.when_false, rest);
  }

  void close_phis(const cycle& c) {
    for (const cycle_block& block : c.blocks) {
      for (std::size_t e = 0; e != block.edges.size(); ++e) {
        for (std::size_t i = 0; i != block.phis.size(); ++i) {
          w_.b.input(block.phis[i], block.edges[e], block.inputs[e][i]);
        }
      }
    }
  }

  writer& w_;
  straight_line& straight_;
  paths& paths_;
};

/// A counted loop whose body is being written. It may have other exits, too.
struct open_loop {
  node_id header = no_node;
  std::size_t base = 0; ///< what can be read before the loop: so many of the scope
  meeting_point exit;
  meeting_point latch;          ///< where `continue` goes …
  bool several_latches = false; ///< … unless that is the header
  bool test_first = false;      ///< before the body, or after it
  bool up = true;               ///< 0, step, 2·step … below the bound; or the bound, bound-1 … above 0
  bool in_variable = false;     ///< where the counter is
  bool also_others = false;     ///< a predicate of the program ends it, too
  type counter_type = type::i32;
  value_id counter = no_value;
  value_id next = no_value; ///< the counter of the next time
  std::int64_t step = 1;
  known_value bound;
  std::vector<known_value> carried; ///< phis of the header beside the counter
  std::vector<arrival> back;        ///< edges to the header
  std::uint64_t runs_outside = 1;
};

/// Writes headers, tests and latches of loops.
class counted_loops {
public:
  counted_loops(writer& w, paths& p) : w_(w), paths_(p) {}

  /// Writes header and test of a loop that runs at most `most` times; the body is to follow. Requires `most >= 1`.
  open_loop begin_loop(std::size_t most) {
    open_loop l;
    l.counter_type = w_.random_integer_type();
    l.up = w_.random.percent(70);
    l.step = l.up ? w_.random.between(1, 3) : 1;
    l.test_first = w_.random.one_in(2);
    l.several_latches = l.test_first && w_.random.one_in(3);
    l.also_others = w_.random.one_in(3);
    l.in_variable = w_.to_variable();
    l.bound = loop_bound(l.counter_type, most);
    l.runs_outside = paths_.runs;
    enter_header(l);
    if (l.test_first) {
      const node_id body = w_.new_node();
      const value_id stays = test(l, l.counter);
      if (l.several_latches) {
        advance(l);
      }
      const branch_edges edges = paths_.branch(stays, body, l.exit.node);
      w_.scope.arrive(l.exit, edges.when_false);
      paths_.enter(body);
    }
    l.latch.base = w_.scope.size();
    return l;
  }

  /// Ends the current path with the next iteration.
  void continue_loop(open_loop& l) {
    if (l.several_latches) {
      go_back(l, w_.b.jump(l.header));
      return;
    }
    if (l.latch.node == no_node) {
      l.latch.node = w_.new_node();
    }
    paths_.jump(l.latch);
  }

  /// Ends the body, and continues after the loop.
  void end_loop(open_loop& l) {
    if (l.several_latches) {
      go_back(l, w_.b.jump(l.header));
    } else {
      if (l.latch.node != no_node || w_.random.one_in(4)) {
        continue_loop(l);
        paths_.meet(l.latch);
      }
      advance(l);
      if (l.test_first) {
        go_back(l, w_.b.jump(l.header));
      } else {
        const value_id stays = test(l, l.next);
        const branch_edges edges = paths_.branch(stays, l.header, l.exit.node);
        go_back(l, edges.when_true);
        w_.scope.arrive(l.exit, edges.when_false);
      }
    }
    close_phis(l);
    paths_.runs = l.runs_outside;
    paths_.meet(l.exit);
  }

private:
  known_value loop_bound(type t, std::size_t most) {
    if (most == 1 || w_.random.percent(40)) {
      const std::int64_t n = w_.random.between(1, static_cast<std::int64_t>(most));
      return bounded_value(w_.b.literal(t, n), t, n, n);
    }
    return w_.between(t, 0, static_cast<std::int64_t>(std::bit_floor(most + 1) - 1));
  }

  void enter_header(open_loop& l) {
    l.exit = paths_.new_meeting();
    l.base = w_.scope.size();
    l.header = w_.new_node();
    const value_id start = l.up ? w_.b.literal(l.counter_type, 0) : l.bound.value;
    const bool phi_counter = !l.in_variable && w_.b.get().value(start).kind != value_kind::variable;
    l.in_variable = !phi_counter;
    if (l.in_variable) {
      l.counter = w_.b.variable(l.counter_type, w_.fresh('x'));
      w_.b.assign(l.counter, start);
    }
    std::vector<value_id> inputs;
    for (std::size_t left = paths_.phis_allowed() ? 1 + w_.random.below(3) : 0; left != 0; --left) {
      const type t = w_.random_type();
      known_value carried;
      carried.type = t;
      l.carried.push_back(carried);
      inputs.push_back(w_.pick_known(t, true).value);
    }
    const edge_id in = w_.b.jump(l.header);
    paths_.runs *= static_cast<std::uint64_t>(l.bound.high) + 2;
    paths_.enter(l.header);
    if (!l.in_variable) {
      l.counter = w_.read(w_.b.phi(l.counter_type));
      w_.b.input(l.counter, in, start);
    }
    for (std::size_t i = 0; i != inputs.size(); ++i) {
      l.carried[i].value = w_.read(w_.b.phi(l.carried[i].type));
      w_.b.input(l.carried[i].value, in, inputs[i]);
      w_.scope.push(l.carried[i]);
    }
    see_counter(l, l.counter);
    if (w_.options.profile && w_.random.one_in(3)) {
      const auto maximum = static_cast<std::uint64_t>(l.bound.high) + 2;
      w_.b.get().set_hint(l.header, {.average = maximum / 2, .maximum = maximum, .multiple = 0});
    }
  }

  /// The bounds of the counter and of its next value, in every form of the loop.
  void see_counter(const open_loop& l, value_id v) {
    w_.see(bounded_value(v, l.counter_type, l.up ? 0 : -1, l.bound.high + 2 * l.step));
  }

  /// The predicate that the loop continues.
  value_id test(const open_loop& l, value_id counter) {
    const value_id limit = l.up ? l.bound.value : w_.b.literal(l.counter_type, 0);
    const bool may_pass = !l.test_first || l.step != 1; // the counter need not meet the limit exactly
    opcode code = l.up ? opcode::cmp_lt : opcode::cmp_gt;
    if (l.up && w_.random.one_in(3)) {
      code = opcode::cmp_ult;
    } else if (!may_pass && w_.random.one_in(3)) {
      code = opcode::cmp_ne;
    }
    const value_id counts =
        w_.see(w_.write({code, l.counter_type, {counter, limit}, w_.somewhere_safe(type::i1)})).value;
    if (!l.also_others) {
      return counts;
    }
    return w_.see(w_.write({opcode::bit_and, type::i1, {counts, w_.predicate()}, w_.somewhere_safe(type::i1)})).value;
  }

  void advance(open_loop& l) {
    const value_id by = w_.b.literal(l.counter_type, l.step);
    extras more;
    if (l.in_variable) {
      more.into = l.counter;
    }
    more.nsw = w_.options.promises && w_.random.percent(70);
    l.next = w_.read(w_.write({l.up ? opcode::add : opcode::sub, l.counter_type, {l.counter, by}, more}));
    see_counter(l, l.next);
  }

  void go_back(open_loop& l, edge_id e) {
    meeting_point header;
    header.base = l.base;
    w_.scope.arrive(header, e);
    l.back.push_back(header.arrivals.front());
  }

  void close_phis(const open_loop& l) {
    w_.scope.shrink(l.base);
    for (const arrival& a : l.back) {
      if (!l.in_variable) {
        w_.b.input(l.counter, a.edge, l.next);
      }
      for (const known_value& phi : l.carried) {
        const value_id v = paths_.input_from(a, phi.type).value;
        w_.b.input(phi.value, a.edge, v == phi.value ? paths_.input_from(a, phi.type).value : v);
      }
    }
  }

  writer& w_;
  paths& paths_;
};

/// Writes a procedure. The depth of recursion is `options.nesting`.
class procedure_writer {
public:
  procedure_writer(procedure& p, const random_program_options& options, random_numbers& random,
                   std::span<const random_array> arrays, std::span<const random_signature> callees)
      : w_(p, options, random), arithmetic_(w_), accesses_(w_, arrays), straight_(w_, arithmetic_, accesses_, callees),
        paths_(w_, arithmetic_, accesses_), cycles_(w_, straight_, paths_), loops_(w_, paths_) {}

  /// Writes it, and completes its signature.
  void write_procedure(random_signature& self) {
    result_ = self.result;
    enter_procedure(self);
    region(std::max<std::size_t>(w_.options.operations, 1), 0, false);
    straight_.call_the_rest();
    finish();
    self.writes = accesses_.writes;
    self.writes_anything = accesses_.writes_anything;
    self.step_bound = step_bound();
  }

private:
  void enter_procedure(const random_signature& self) {
    w_.b.get().set_name(self.name);
    w_.b.get().set_result_type(self.result);
    if (w_.options.profile) {
      w_.b.get().set_count(w_.random.below(1'000));
    }
    paths_.enter(w_.new_node());
    straight_.begin(self);
  }

  /// A sequence of about `size` operations. Ends in an open node unless it may leave.
  void region(std::size_t size, unsigned depth, bool may_leave) {
    while (size != 0) {
      if (size < 4 || depth >= std::min(w_.options.nesting, 32u) || !w_.random.percent(35)) {
        straight_.simple(paths_.runs);
        --size;
        continue;
      }
      const std::size_t part = 3 + w_.random.below(std::max<std::size_t>(size / 2, 1));
      compound(part, depth);
      size -= std::min(size, part);
    }
    if (may_leave && w_.random.one_in(6)) {
      leave();
    }
  }

  void compound(std::size_t size, unsigned depth) {
    const std::size_t kind = w_.random.below(100);
    if (kind < 12 && w_.options.switches) {
      switch_statement(size, depth);
    } else if (kind < 45 && w_.options.loops && longest_loop(size) > 1) {
      loop(size, depth);
    } else if (kind < 60 && w_.options.irreducible && longest_loop(12) > 9) {
      cycles_.irreducible();
    } else if (kind < 63 && w_.options.endless) {
      cycles_.endless();
    } else {
      if_statement(size, depth);
    }
  }

  // Branches.

  void if_statement(std::size_t size, unsigned depth) {
    const bool hoists = w_.options.speculation && w_.random.one_in(8);
    const arithmetic::hoisted_value hoisted =
        hoists ? arithmetic_.hoist(w_.random_integer_type()) : arithmetic::hoisted_value{};
    const value_id condition = hoists ? hoisted.condition : w_.predicate();
    meeting_point end = paths_.new_meeting();
    const std::size_t arms = w_.random.below(8); // bit 0: then, bit 1: else
    const bool has_then = hoists || (arms & 1) != 0 || (!w_.options.parallel_edges && (arms & 2) == 0);
    const bool has_else = (arms & 2) != 0;
    const node_id when_true = has_then ? w_.new_node() : end.node;
    const node_id when_false = has_else ? w_.new_node() : end.node;
    const branch_edges edges = paths_.branch(condition, when_true, when_false);
    if (!has_then) {
      w_.scope.arrive(end, edges.when_true);
    }
    if (!has_else) {
      w_.scope.arrive(end, edges.when_false);
    }
    if (has_then) {
      paths_.enter(when_true);
      if (hoists) { // here it is no diagnostic value
        w_.see(hoisted.result);
      }
      arm(end, size / 2, depth, has_else || !end.arrivals.empty());
    }
    if (has_else) {
      paths_.enter(when_false);
      arm(end, size / 2, depth, !end.arrivals.empty());
    }
    paths_.meet(end);
  }

  /// One path between a branch and its meeting point.
  void arm(meeting_point& end, std::size_t size, unsigned depth, bool may_leave) {
    region(std::max<std::size_t>(size, 1), depth + 1, may_leave);
    if (paths_.is_open()) {
      paths_.jump(end);
    }
    w_.scope.shrink(end.base);
  }

  void switch_statement(std::size_t size, unsigned depth) {
    const type t = w_.random_integer_type();
    const value_id on = w_.random.one_in(4) ? w_.pick_computed(t) : w_.masked(t, 7).value;
    meeting_point end = paths_.new_meeting();
    std::vector<meeting_point> arms(1 + w_.random.below(3));
    for (meeting_point& a : arms) {
      a = paths_.new_meeting();
    }
    // The target of each case: an arm, or directly the end. Each arm has a case; the last one is the default.
    std::vector<std::size_t> ways(arms.size() + w_.random.below(w_.options.parallel_edges ? 4 : 2));
    for (std::size_t i = 0; i != ways.size(); ++i) {
      ways[i] = i <= arms.size() ? i : w_.random.below(arms.size() + 1);
    }
    std::vector<elbrus::switch_case> cases;
    const auto target = [&](std::size_t way) { return way == arms.size() ? end.node : arms[way].node; };
    std::uint64_t value = w_.random.below(2);
    for (std::size_t i = 0; i + 1 < ways.size(); ++i) {
      cases.push_back({value, target(ways[i])});
      value += 1 + w_.random.below(2);
    }
    const std::span<const edge_id> out = w_.b.switch_on(on, cases, target(ways.back()));
    for (std::size_t i = 0; i != ways.size(); ++i) {
      w_.scope.arrive(ways[i] == arms.size() ? end : arms[ways[i]], out[i]);
    }
    for (std::size_t i = 0; i != arms.size(); ++i) {
      paths_.meet(arms[i]);
      arm(end, size / arms.size(), depth, i + 1 != arms.size() || !end.arrivals.empty());
    }
    paths_.meet(end);
  }

  /// May end the path here. Few paths return early, so that most of a long procedure runs.
  void leave() {
    if (!open_loops_.empty() && w_.random.percent(75)) {
      open_loop& l = *w_.random.any_of(open_loops_);
      if (&l == open_loops_.back() && w_.random.one_in(2)) {
        loops_.continue_loop(l);
      } else {
        paths_.jump(l.exit);
      }
    } else if (w_.options.traps && w_.random.one_in(4)) {
      w_.b.unreachable();
    } else if (early_returns_ != 2) {
      ++early_returns_;
      result_ == type::none ? w_.b.ret() : w_.b.ret(w_.pick(result_));
    }
  }

  // Loops.

  /// How often a loop around `size` operations may run within the step limit.
  std::size_t longest_loop(std::size_t size) const {
    const std::uint64_t once = paths_.runs * 4 * (size + 4);
    return static_cast<std::size_t>(std::min<std::uint64_t>(w_.options.steps / once, 16));
  }

  void loop(std::size_t size, unsigned depth) {
    open_loop l = loops_.begin_loop(longest_loop(size));
    open_loops_.push_back(&l);
    region(std::max<std::size_t>(size, 2) - 1, depth + 1, false);
    open_loops_.pop_back();
    loops_.end_loop(l);
  }

  // The end.

  /// Returns a value that depends on values without users.
  void finish() {
    const type t = is_integer(result_) ? result_ : type::i64;
    std::vector<known_value> unread;
    for (std::size_t i = w_.scope.size(); i != 0 && unread.size() != 12; --i) {
      const known_value& v = w_.scope[i - 1];
      if (v.type != type::ptr && !w_.b.get().has_users(v.value)) {
        unread.push_back(v);
      }
    }
    value_id all = w_.pick_computed(t);
    for (const known_value& v : unread) {
      const value_id next = as_integer(t, v);
      all =
          w_.see(w_.write({w_.random.one_in(2) ? opcode::add : opcode::bit_xor, t, {all, next}, w_.somewhere_safe(t)}))
              .value;
    }
    if (result_ == type::none) {
      w_.b.store(t, all, {.base = accesses_.pointers[0].value, .alias = accesses_.pointers[0].alias});
      accesses_.writes[0] = true;
      w_.b.ret();
    } else if (is_float(result_)) {
      w_.b.ret(w_.see(w_.write({opcode::itof, result_, {all}, w_.somewhere_safe(result_)})).value);
    } else {
      w_.b.ret(all);
    }
  }

  value_id as_integer(type t, const known_value& v) {
    if (is_integer(v.type)) {
      return w_.convert_integer(t, v.value);
    }
    const value_id positive =
        w_.see(w_.write({opcode::fcmp_ogt, v.type, {v.value, w_.float_literal(v.type)}, w_.somewhere_safe(type::i1)}))
            .value;
    return w_.convert_integer(t, positive);
  }

  /// The operations of all nodes, each as often as its node can run.
  std::uint64_t step_bound() const {
    std::uint64_t steps = straight_.callee_steps;
    for (const paths::run_bound& r : paths_.run_bounds) {
      for ([[maybe_unused]] const value_id v : w_.b.get().values(r.node)) {
        steps += r.runs;
      }
    }
    return steps;
  }

  writer w_;
  arithmetic arithmetic_;
  memory_accesses accesses_;
  straight_line straight_;
  paths paths_;
  odd_cycles cycles_;
  counted_loops loops_;
  type result_ = type::none;
  int early_returns_ = 0;
  std::vector<open_loop*> open_loops_; ///< around the present place
};

/// Makes the procedures of a program, callees first, and inputs for the last one.
class program_maker {
public:
  program_maker(std::uint64_t seed, const random_program_options& options) : random_(seed), options_(options) {}

  generated_program run() {
    make_arrays();
    const std::size_t procedures =
        options_.calls ? 1 + random_.below(std::max<std::size_t>(options_.procedures, 1)) : 1;
    for (std::size_t i = 0; i != procedures; ++i) {
      random_signature self = make_signature(i + 1 == procedures ? "main" : std::string("f").append(std::to_string(i)));
      procedure p;
      procedure_writer(p, options_, random_, arrays_, signatures_).write_procedure(self);
      signatures_.push_back(std::move(self));
      out_.program.procedures.push_back(std::move(p));
    }
    out_.entry = procedures - 1;
    out_.step_bound = signatures_.back().step_bound;
    for (std::size_t i = 0; i != options_.inputs; ++i) {
      out_.inputs.push_back(make_input());
    }
    return std::move(out_);
  }

private:
  void make_arrays() {
    static constexpr type elements[] = {type::i32, type::i64, type::i8, type::i16, type::i32};
    const std::size_t count = 2 + random_.below(3);
    for (std::size_t i = 0; i != count; ++i) {
      random_array a;
      a.name = std::string(1, static_cast<char>('A' + i));
      a.element =
          options_.floats && random_.one_in(4) ? (random_.one_in(2) ? type::f32 : type::f64) : random_.any_of(elements);
      a.size = std::int64_t{8} << random_.below(5); // 8 … 128
      arrays_.push_back(std::move(a));
    }
  }

  random_signature make_signature(std::string name) {
    static constexpr type results[] = {type::i32, type::i32, type::i64, type::i64, type::i16,
                                       type::i8,  type::i1,  type::f64, type::none};
    static constexpr type parameters[] = {type::i32, type::i64, type::i8, type::i16, type::i1, type::f64, type::f32};
    random_signature out;
    out.name = std::move(name);
    out.result = random_.any_of(results);
    out.any_pointer = random_.one_in(3);
    out.others = {type::i64, type::i32};
    for (std::size_t more = random_.below(4); more != 0; --more) {
      const type t = random_.any_of(parameters);
      out.others.push_back(is_float(t) && !options_.floats ? type::i64 : t);
    }
    if (is_float(out.result) && !options_.floats) {
      out.result = type::i64;
    }
    return out;
  }

  generated_input make_input() {
    generated_input in;
    for (const random_array& a : arrays_) {
      std::vector<std::uint64_t> elements;
      for (std::int64_t left = a.size / bytes_of(a.element); left != 0; --left) {
        elements.push_back(number(a.element));
      }
      in.arguments.push_back({type::ptr, in.memory.add(a.name, a.element, elements)});
    }
    const random_signature& main = signatures_.back();
    if (main.any_pointer) {
      in.arguments.push_back({type::ptr, memory::address_of(random_.below(arrays_.size()))});
    }
    for (const type t : main.others) {
      in.arguments.push_back({t, number(t)});
    }
    return in;
  }

  /// Small numbers more often than others.
  std::uint64_t number(type t) {
    if (is_float(t)) {
      return float_bits(t, static_cast<double>(random_.between(-400, 400)) / 4);
    }
    const std::uint64_t bits = random_.one_in(3) ? random_.next() : static_cast<std::uint64_t>(random_.between(-9, 20));
    return bits & low_ones(width_of(t));
  }

  random_numbers random_;
  const random_program_options& options_;
  std::vector<random_array> arrays_;
  std::vector<random_signature> signatures_;
  generated_program out_;
};

} // namespace

generated_program random_program(std::uint64_t seed, const random_program_options& options) {
  return program_maker(seed, options).run();
}

} // namespace midend_tests
