/// `random_program`: programs of the Elbrus-like IR to test with.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/random_accesses.hpp"
#include "midend/elbrus/detail/random_body.hpp"
#include "midend/elbrus/detail/random_calls.hpp"
#include "midend/elbrus/detail/random_numbers.hpp"
#include "midend/elbrus/generated_program.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/run/memory.hpp"
#include "midend/elbrus/scalar.hpp"
#include "midend/elbrus/type.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

namespace detail {

/// Makes the procedures of a program, callees first, and inputs for the last one.
class random_program_maker {
public:
  random_program_maker(std::uint64_t seed, const random_program_options& options) : random_(seed), options_(options) {}

  generated_program run() {
    make_arrays();
    const std::size_t procedures =
        options_.calls ? 1 + random_.below(std::max<std::size_t>(options_.procedures, 1)) : 1;
    for (std::size_t i = 0; i != procedures; ++i) {
      random_signature self = make_signature(i + 1 == procedures ? "main" : std::string("f").append(std::to_string(i)));
      procedure p;
      random_body(p, options_, random_, arrays_, signatures_).write_procedure(self);
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

} // namespace detail

/// A program made of whatever `options` allows, and inputs to run it on. The same seed and options give the same
/// program and inputs on every platform.
///
/// - It is well formed: `verify` finds nothing.
/// - Every run on its inputs ends, within `step_bound` operations, and does not trap, unless `endless` or `traps` ask
///   for it: counters bound all cycles, masks keep accesses in their arrays and shifts below the width, divisors are
///   made or guarded, `nsw` stands where ranges say that it holds, the result of a speculative operation that may be
///   diagnostic is looked at under the predicate that says it is not, variables are written on all paths to a read.
/// - Operands are rather what nobody has read yet, and the result gathers what is left, so that inputs matter.
///
/// The procedures' parameters are pointers to the arrays `A`, `B` …, in classes of these names, perhaps a pointer `any`
/// into one of them, and numbers. It calls the host functions `host_mix(i64, i64) -> i64`, `host_scale(f64) -> f64` and
/// `host_note(i32)`, which may do anything but write to memory, and traps if they trap.
///
/// Time and space are linear in the operations for a fixed `nesting`, by which it recurses.
inline generated_program random_program(std::uint64_t seed, const random_program_options& options = {}) {
  return detail::random_program_maker(seed, options).run();
}

} // namespace elbrus

MIDEND_END_NAMESPACE
