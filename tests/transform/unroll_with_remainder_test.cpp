#include "kit/run_text.hpp"
#include "kit/unrolling_forms.hpp"
#include "transform/cleaning_checks.hpp"
#include "transform/unrolling_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/transform.hpp>
#include <midend/unrolling/apply_unrolling.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

using midend::remainder_refusal_reason;
using midend::unrolling_request;

elbrus::scalar number(std::string_view type, std::uint64_t bits) {
  return type == "i8" ? elbrus::scalar{elbrus::type::i8, bits & 0xff}
                      : elbrus::scalar{elbrus::type::i16, bits & 0xffff};
}

struct loop_shape {
  const char* comparison;
  int step;
  bool is_tested_last;
  const char* conversion = ""; ///< of the counter before it is compared: the operation, or nothing
  const char* type = "i8";     ///< of the counter
  const char* bound = "i8";    ///< what it is compared as
  const char* middle = "";     ///< what it is truncated to, before the conversion; or nothing
};

/// s = 3 · s + i for each i. The host ends it after 300 iterations, so that no loop is endless.
std::string counting(const loop_shape& x) {
  const std::string t = x.type;
  const std::string step = std::to_string(x.step);
  const std::string work = "    %w = zext." + t + ".i64 %i\n    %m = mul.i64 %s, 3\n    %s1 = add.i64 %m, %w\n" +
                           "    %k1 = add.i32 %k, 1\n    %i1 = add." + t + " %i, " + step +
                           "\n    %far = call.i1 @host_far(%k)\n";
  const std::string phis = "    %i = phi." + t + " [entry: %start], [last: %i1]\n" +
                           "    %s = phi.i64 [entry: 0], [last: %s1]\n    %k = phi.i32 [entry: 0], [last: %k1]\n";
  const std::string head =
      "proc @f(%start: " + t + ", %bound: " + x.bound + ") -> i64 {\n  node entry:\n    br loop\n  node loop:\n" + phis;
  const auto test = [&](const std::string& counter) {
    const std::string conversion = x.conversion;
    const std::string middle = x.middle;
    const std::string from = middle.empty() ? t + "." + x.bound + " " + counter : middle + "." + x.bound + " %t";
    const std::string before = (middle.empty() ? "" : "    %t = trunc." + t + "." + middle + " " + counter + "\n") +
                               (conversion.empty() ? "" : "    %c = " + conversion + "." + from + "\n");
    return before + "    %q = cmp." + x.comparison + "." + x.bound + " " + (conversion.empty() ? counter : "%c") +
           ", %bound\n";
  };
  if (x.is_tested_last) {
    return head + work + "    br %far ? exit : last\n  node last:\n" + test("%i1") +
           "    br %q ? loop : exit\n  node exit:\n    %r = phi.i64 [loop: %s1], [last: %s1]\n    ret %r\n}\n";
  }
  return head + test("%i") + "    br %q ? body : exit\n  node body:\n" + work +
         "    br %far ? exit : last\n  node last:\n    br loop\n  node exit:\n"
         "    %r = phi.i64 [loop: %s], [body: %s1]\n    ret %r\n}\n";
}

elbrus::host_answer far_host(const elbrus::host_call& call) {
  return {elbrus::host_answer::outcome::result, call.arguments[0].bits >= 299 ? 1u : 0u};
}

constexpr std::array<const char*, 10> comparisons = {"eq", "ne", "lt", "le", "gt", "ge", "ult", "ule", "ugt", "uge"};
constexpr std::array steps = {1, -1, 2, -2, 3, -3};
constexpr std::array<std::uint32_t, 7> factors = {2, 3, 4, 5, 7, 8, 16};

struct sweep_counts {
  std::size_t runs = 0;
  std::size_t unrolled = 0;
  std::size_t proven = 0;  ///< exits
  std::size_t trusted = 0; ///< of these, those that the pass says again
};

using form_of_factor = midend::unrolling_form (*)(std::uint32_t);

/// What becomes of a loop in a sweep, by a factor.
constexpr std::array<form_of_factor, 5> forms = {
    [](std::uint32_t factor) { return with_epilogue(factor); },
    [](std::uint32_t factor) { return with_prologue(factor); },
    [](std::uint32_t factor) { return with_epilogue(factor, true); },
    [](std::uint32_t factor) { return with_prologue(factor, true); },
    [](std::uint32_t) { return midend::unrolling_form{midend::unrolling_kind::peel_last}; }};

/// A loop, and what it computes for pairs of numbers.
class swept_loop {
public:
  explicit swept_loop(const loop_shape& x) : shape_(x), before_(program_of(counting(x))) {}

  template <class NextPair> void run(std::size_t pairs, NextPair next) {
    elbrus::interpreter old(before_);
    arguments_.clear();
    values_.clear();
    for (std::size_t i = 0; i != pairs; ++i) {
      const auto [start, bound] = next(i);
      arguments_.push_back({number(shape_.type, start), number(shape_.bound, bound)});
      values_.push_back(old.run(0, arguments_.back(), {}, options_).value);
    }
  }

  /// Unrolls it and runs it on these pairs.
  void sweep(const midend::unrolling_form& form, sweep_counts& counts) const {
    elbrus::program after = before_;
    elbrus::procedure& p = after.procedures[0];
    step_certifier c;
    midend::applied_unrollings done;
    {
      elbrus::editor e(p);
      const midend::unrolling_order order{0, form};
      const auto view_of = [](const elbrus::editor& now) { return elbrus::cost_view(now.graph()); };
      done = midend::apply_unrolling(e, midend::dominators_and_loops(p).loops,
                                     midend::span<const midend::unrolling_order>(&order, 1), view_of, {}, c);
    }
    CHECK_MESSAGE(c.why.empty(), c.why);
    if (done.num_unrolled() == 0) {
      REQUIRE(done.loops[0].no_remainder);
      CHECK(done.loops[0].no_remainder->why == remainder_refusal_reason::no_counted_exit);
      return;
    }
    ++counts.unrolled;
    counts.proven += c.proven;
    counts.trusted += c.trusted;
    CHECK_MESSAGE(done.dropped_exits == form.factor + (form.is_prologue() ? 1 : 0), elbrus::to_text(after));
    elbrus::interpreter now(after);
    for (std::size_t i = 0; i != values_.size(); ++i) {
      const auto b = now.run(0, arguments_[i], {}, options_);
      ++counts.runs;
      if (!values_[i] || values_[i] != b.value) {
        FAIL(shape_.comparison, " step ", shape_.step, " factor ", form.factor, " start ", arguments_[i][0].bits,
             " bound ", arguments_[i][1].bits, "\n", elbrus::to_text(after));
      }
    }
  }

private:
  elbrus::run_options options_{.host = far_host, .record_events = false};

  loop_shape shape_;
  elbrus::program before_;
  std::vector<std::array<elbrus::scalar, 2>> arguments_;
  std::vector<decltype(elbrus::run_result::value)> values_;
};

/// Each loop that ends at one of these comparisons, by each factor and kind, on all pairs.
void sweep_all(std::initializer_list<const char*> some) {
  sweep_counts counts;
  for (const char* const comparison : some) {
    for (const int step : steps) {
      for (const bool is_tested_last : {false, true}) {
        swept_loop loop({comparison, step, is_tested_last});
        loop.run(65'536, [](std::size_t i) { return std::pair<std::uint64_t, std::uint64_t>(i & 255, i >> 8); });
        for (const form_of_factor form : forms) {
          for (const std::uint32_t factor : factors) {
            if (form(factor).kind != midend::unrolling_kind::peel_last || factor == factors[0]) {
              loop.sweep(form(factor), counts);
            }
          }
        }
      }
    }
  }
  MESSAGE(counts.unrolled, " loops unrolled, ", counts.runs, " pairs");
  CHECK(counts.unrolled == some.size() * 6 * 29); // half of the steps do not approach the bound
}

} // namespace

TEST_CASE("pairs of eight-bit numbers, all comparisons, steps, factors and kinds, tested first and last") {
  random_source random(29);
  sweep_counts counts;
  const std::size_t pairs = affordable(20);
  const auto next = [&](std::size_t i) {
    const std::uint64_t bound = random.below(256);
    // One in two is near its bound, or near an end of the type.
    const std::uint64_t near = bound + random.below(40) - 20;
    return std::pair<std::uint64_t, std::uint64_t>(i % 2 == 0 ? random.below(256) : near & 255, bound);
  };
  for (const char* const comparison : comparisons) {
    for (const int step : steps) {
      for (const bool is_tested_last : {false, true}) {
        swept_loop loop({comparison, step, is_tested_last});
        loop.run(pairs, next);
        const std::uint32_t factor = factors[random.below(factors.size())];
        loop.sweep(forms[random.below(forms.size())](factor), counts);
      }
    }
  }
  MESSAGE(counts.unrolled, " loops unrolled, ", counts.runs, " pairs");
  CHECK(counts.unrolled == 60); // the others do not approach the bound
  CHECK(counts.proven > 60);
  CHECK(counts.trusted == 0);
}

namespace {

/// Counters of eight bits that are extended to sixteen, and of sixteen that lose eight, and may be extended again.
constexpr std::array<loop_shape, 5> converted_shapes = {{{"", 0, false, "zext", "i8", "i16"},
                                                         {"", 0, false, "sext", "i8", "i16"},
                                                         {"", 0, false, "trunc", "i16", "i8"},
                                                         {"", 0, false, "zext", "i16", "i16", "i8"},
                                                         {"", 0, false, "sext", "i16", "i16", "i8"}}};

/// A number of which one has eight bits, and the other one sixteen: near the numbers of eight bits, or anywhere.
std::uint64_t number_of_16_bits(random_source& random) {
  return (random.below(3) == 0 ? random.below(0x10000) : random.below(4) * 0x8000 + random.below(600) - 300) & 0xffff;
}

} // namespace

TEST_CASE("counters that are extended or cut before they are compared: all comparisons, steps, factors and kinds") {
  random_source random(31);
  sweep_counts counts;
  const std::size_t pairs = affordable(40);
  for (loop_shape shape : converted_shapes) {
    const auto next = [&](std::size_t i) {
      const std::uint64_t wide = number_of_16_bits(random);
      const std::uint64_t near = wide + random.below(40) - 20;
      const std::uint64_t narrow = (i % 2 == 0 ? random.below(256) : near) & 255;
      const std::uint64_t other = number_of_16_bits(random);
      return shape.conversion == std::string_view("trunc") ? std::pair(wide, narrow)
             : *shape.middle != 0                          ? std::pair(i % 2 == 0 ? other : near & 0xffff, wide)
                                                           : std::pair(narrow, wide);
    };
    for (const char* const comparison : comparisons) {
      for (const int step : steps) {
        for (const bool is_tested_last : {false, true}) {
          shape.comparison = comparison;
          shape.step = step;
          shape.is_tested_last = is_tested_last;
          swept_loop loop(shape);
          loop.run(pairs, next);
          const std::uint32_t factor = factors[random.below(factors.size())];
          loop.sweep(forms[random.below(forms.size())](factor), counts);
        }
      }
    }
  }
  MESSAGE(counts.unrolled, " loops unrolled, ", counts.runs, " pairs");
  CHECK(counts.unrolled == 300); // the others do not approach the bound
  CHECK(counts.proven > 300);
  CHECK(counts.trusted == 0);
}

TEST_CASE("all pairs of eight-bit numbers, equality, long" * doctest::skip()) {
  sweep_all({"eq", "ne"});
}

TEST_CASE("all pairs of eight-bit numbers, signed and less, long" * doctest::skip()) {
  sweep_all({"lt", "le"});
}

TEST_CASE("all pairs of eight-bit numbers, signed and greater, long" * doctest::skip()) {
  sweep_all({"gt", "ge"});
}

TEST_CASE("all pairs of eight-bit numbers, unsigned and less, long" * doctest::skip()) {
  sweep_all({"ult", "ule"});
}

TEST_CASE("all pairs of eight-bit numbers, unsigned and greater, long" * doctest::skip()) {
  sweep_all({"ugt", "uge"});
}

namespace {

/// Computes what `emit_unrolled_limit` builds. Nothing in it may be undefined.
struct computing_sink {
  std::uint64_t number(std::uint64_t bits, unsigned) const { return bits; }

  std::uint64_t operation(const midend::operation_info& info, std::uint64_t a) { return compute(info, std::vector{a}); }

  std::uint64_t operation(const midend::operation_info& info, std::uint64_t a, std::uint64_t b) {
    return compute(info, std::vector{a, b});
  }

  std::uint64_t compute(const midend::operation_info& info, const std::vector<std::uint64_t>& operands) {
    const midend::evaluation e = midend::evaluate(info, operands);
    is_defined = is_defined && e;
    return e.bits;
  }

  bool is_defined = true;
};

/// What is wrong with the limit of a test, by its definition. `leaving` is the first test that leaves, or 2^width. The
/// limit should be used if there are `sure` tests before that without a wrap.
std::string why_wrong_limit(const midend::passed_test& t, std::uint64_t start, std::uint64_t bound,
                            std::uint64_t leaving, std::uint64_t sure) {
  const std::uint64_t most = midend::low_ones(t.counter_width);
  computing_sink sink;
  std::uint64_t limit = 0;
  std::uint64_t enough = 0;
  midend::emit_unrolled_limit(sink, t, start, bound, limit, enough);
  if (!sink.is_defined) {
    return "an operation is undefined";
  }
  const bool is_last = t.form.kind == midend::unrolling_kind::peel_last;
  const bool must_run = t.form.is_prologue() ? sure % t.form.factor != 0 : sure >= (is_last ? 2 : t.form.factor);
  if (enough == 0) {
    return must_run ? "there are enough iterations, without any wrap" : "";
  }
  const std::uint64_t in_pass = is_last || t.form.is_prologue() ? 1 : t.form.factor;
  std::uint64_t counter = start;
  for (std::uint64_t k = 0; k <= most; k += in_pass) {
    if (k != 0 && counter == limit) {
      const std::uint64_t wanted = t.form.is_prologue() ? sure % t.form.factor
                                   : is_last            ? sure - 1
                                                        : sure - sure % t.form.factor;
      return k > leaving               ? "a test leaves before the limit"
             : must_run && k != wanted ? "other iterations are passed"
                                       : "";
    }
    counter = (counter + in_pass * t.step.low()) & most;
  }
  return "the counter is never at the limit";
}

std::uint64_t first_leaving(const midend::counted_exit& e) {
  const std::uint64_t most = midend::low_ones(e.width);
  std::uint64_t at = e.start;
  for (std::uint64_t k = 0; k <= most; ++k) {
    if ((midend::evaluate({e.comparison, 1, e.width, {}}, std::array{at, e.bound}).bits != 0) == e.exits_when) {
      return k;
    }
    at = (at + e.step) & most;
  }
  return most + 1;
}

/// All comparisons of all pairs of numbers, with each of the steps, factors and addends.
template <class Numbers>
std::size_t check_limits(std::uint8_t width, const std::vector<std::uint64_t>& steps_to_try,
                         const std::vector<std::uint32_t>& factors_to_try, Numbers is_tried) {
  const std::uint64_t most = midend::low_ones(width);
  std::size_t checked = 0;
  for (int code = static_cast<int>(midend::operation::equal);
       code <= static_cast<int>(midend::operation::ugreater_equal); ++code) {
    for (const std::uint64_t step : steps_to_try) {
      midend::counted_exit e{width, 0, step, 0, static_cast<midend::operation>(code), true, {}};
      const auto formula = midend::trip_formula_of(e);
      for (std::uint64_t pair = 0; formula && pair != (most + 1) * (most + 1); ++pair) {
        if (!is_tried(pair)) {
          continue;
        }
        e.bound = pair & most;
        const std::uint64_t start = pair >> width;
        for (const std::uint64_t addend : {std::uint64_t{0}, step}) {
          e.start = (start + addend) & most;
          const std::uint64_t leaving = first_leaving(e);
          const bool is_unsigned = e.comparison >= midend::operation::uless;
          e.flags = {!is_unsigned, is_unsigned};
          const midend::trip_count count = midend::trip_count_of(e);
          const std::uint64_t sure = count.kind == midend::trip_count_kind::exact ? leaving : 0;
          for (const std::uint32_t factor : factors_to_try) {
            const std::string why = why_wrong_limit({*formula, step, addend, form_with_limit(checked, factor)}, start,
                                                    e.bound, leaving, sure);
            ++checked;
            if (!why.empty()) {
              FAIL(why, ": turn ", checked, ", comparison ", code, ", step ", step, ", factor ", factor, ", addend ",
                   addend, ", start ", start, ", bound ", e.bound, ", first leaving test ", leaving);
            }
          }
        }
      }
    }
  }
  return checked;
}

} // namespace

TEST_CASE("limits: every start, bound, step and factor of three bits, and of eight bits by the definition") {
  const std::size_t small =
      check_limits(3, {1, 2, 3, 4, 5, 6, 7}, {2, 3, 4, 5, 6, 7}, [](std::uint64_t) { return true; });
#if defined(MIDEND_UNSHORTENED_TESTS)
  const std::uint64_t share = 1;
#else
  const std::uint64_t share = midend_tests::tests_are_shortened ? 4093 : 397;
#endif
  const std::size_t bytes = check_limits(8, {1, 255, 2, 254, 3, 253}, {2, 3, 4, 5, 7, 8, 16},
                                         [&](std::uint64_t pair) { return pair % share == 0; });
  MESSAGE(small, " limits of three bits, ", bytes, " of eight");
  CHECK(small > 10'000);
}

TEST_CASE("limits of numbers that are converted: every start, bound, step and factor of three bits and five") {
  using midend::operation;
  std::size_t checked = 0;
  std::size_t passes = 0;
  const std::uint64_t share = midend_tests::tests_are_shortened ? 11 : 1;

  struct conversions {
    bool is_cut;
    operation extension;
  };

  for (const auto [is_cut, extension] : {conversions{false, operation::zero_extend},
                                         {false, operation::sign_extend},
                                         {true, operation::copy},
                                         {true, operation::zero_extend},
                                         {true, operation::sign_extend}}) {
    const std::uint8_t counter_width = is_cut ? 5 : 3;
    const std::uint8_t bound_width = extension == operation::copy ? 3 : 5;
    const std::uint64_t num_pairs = std::uint64_t{1} << (counter_width + bound_width);
    const std::uint64_t most = midend::low_ones(counter_width);
    for (int code = static_cast<int>(operation::equal); code <= static_cast<int>(operation::ugreater_equal); ++code) {
      const auto compare = static_cast<operation>(code);
      for (std::uint64_t step = 1; step <= most; ++step) {
        midend::counted_test counted;
        counted.exits_when = true;
        counted.code = compare;
        counted.counter_width = counter_width;
        counted.width = 3;
        counted.bound_width = bound_width;
        counted.extension = extension;
        counted.step = step;
        for (std::uint64_t pair = 0; pair < num_pairs; pair += share) {
          const std::uint64_t start = pair & most;
          const std::uint64_t bound = pair >> counter_width;
          for (const std::uint64_t addend : {std::uint64_t{0}, step & 7}) {
            counted.addend = addend;
            auto test = midend::passed_test_of(counted, step);
            if (!test) {
              continue;
            }
            std::uint64_t leaving = 0;
            const auto leaves = [&](std::uint64_t k) {
              const std::uint64_t counter = (start + k * step) & most;
              const std::uint64_t sum = (counter + addend) & 7; // of three bits
              const std::uint64_t tested = extension == operation::sign_extend
                                               ? static_cast<std::uint64_t>(midend::as_signed(sum, 3)) & 31
                                               : sum;
              return midend::evaluate({compare, 1, bound_width, {}}, std::array{tested, bound}).bits != 0;
            };
            while (leaving != 32 && !leaves(leaving)) {
              ++leaving;
            }
            for (std::uint32_t factor = 2; factor != 8; ++factor) {
              test->form = form_with_limit(checked++, factor);
              const std::string why = why_wrong_limit(*test, start, bound, leaving, 0);
              computing_sink sink;
              std::uint64_t limit = 0;
              std::uint64_t enough = 0;
              midend::emit_unrolled_limit(sink, *test, start, bound, limit, enough);
              passes += enough;
              if (!why.empty()) {
                FAIL(why, ": cut ", is_cut, ", extension ", static_cast<int>(extension), ", comparison ", code,
                     ", step ", step, ", factor ", factor, ", addend ", addend, ", start ", start, ", bound ", bound,
                     ", first leaving test ", leaving);
              }
            }
          }
        }
      }
    }
  }
  MESSAGE(checked, " limits, ", passes, " with passes");
  CHECK(checked > 500'000 / share);
  CHECK(passes > checked / 10);
}

namespace {

using midend::wide_number;

/// Computes what `emit_unrolled_limit` builds, with numbers of any width.
struct wide_sink {
  wide_number number(std::uint64_t bits, unsigned) const { return bits; }

  wide_number operation(const midend::operation_info& info, const wide_number& a, const wide_number& b = {}) {
    using enum midend::operation;
    const wide_number most = midend::low_ones_of_width(info.width);
    const auto is_less = [&](const wide_number& x, const wide_number& y, bool is_signed) {
      const wide_number sign = is_signed ? wide_number(1) << (info.operand_width - 1u) : wide_number();
      const wide_number mask = midend::low_ones_of_width(info.operand_width);
      return ((x + sign) & mask) < ((y + sign) & mask);
    };
    switch (info.code) {
    case add:
      return (a + b) & most;
    case sub:
      return (a - b) & most;
    case mul:
      return (a * b) & most;
    case bit_and:
      return a & b;
    case bit_or:
      return a | b;
    case shl:
      is_defined = is_defined && b < wide_number(info.width);
      return (a << static_cast<unsigned>(b.low())) & most;
    case shr:
      is_defined = is_defined && b < wide_number(info.width);
      return a >> static_cast<unsigned>(b.low());
    case udiv:
      return divided(a, b).quotient;
    case urem:
      return divided(a, b).rest;
    case truncate:
      return a & most;
    case zero_extend:
      return a;
    case sign_extend:
      return a.bit(info.operand_width - 1u) ? (a | ~midend::low_ones_of_width(info.operand_width)) & most : a;
    case equal:
      return a == b ? 1 : 0;
    case not_equal:
      return a == b ? 0 : 1;
    case less_equal:
    case less:
      return is_less(a, b, true) || (info.code == less_equal && a == b) ? 1 : 0;
    case greater:
    case greater_equal:
      return is_less(b, a, true) || (info.code == greater_equal && a == b) ? 1 : 0;
    case uless:
    case uless_equal:
      return is_less(a, b, false) || (info.code == uless_equal && a == b) ? 1 : 0;
    case ugreater:
    case ugreater_equal:
      return is_less(b, a, false) || (info.code == ugreater_equal && a == b) ? 1 : 0;
    default:
      is_defined = false;
      return {};
    }
  }

  struct division {
    wide_number quotient;
    wide_number rest;
  };

  division divided(const wide_number& a, const wide_number& b) {
    is_defined = is_defined && !(b == wide_number());
    division out;
    for (unsigned i = wide_number::bits; is_defined && i-- != 0;) {
      out.rest = (out.rest << 1) | wide_number(a.bit(i) ? 1 : 0);
      if (!(out.rest < b)) {
        out.rest = out.rest - b;
        out.quotient = out.quotient | wide_number(1) << i;
      }
    }
    return out;
  }

  bool is_defined = true;
};

/// A number of a width near one of its ends, its middle, a power of two, or 2^64.
wide_number any_number(random_source& random, unsigned width) {
  wide_number n;
  switch (random.below(5)) {
  case 0:
    break;
  case 1:
    n = wide_number(1) << random.below(width);
    break;
  case 2:
    n = wide_number(1) << (width - 1);
    break;
  case 3:
    n = wide_number(1) << 64;
    break;
  default:
    for (std::size_t i = 0; i != wide_number::num_words; ++i) {
      n.set_word(i, random.next());
    }
  }
  const wide_number by = random.below(300);
  return (random.below(2) == 0 ? n + by : n - by) & midend::low_ones_of_width(width);
}

} // namespace

TEST_CASE("limits of wide numbers: any width, near the ends, the middle and 2^64, by the definition") {
  using midend::operation;
  random_source random(77);
  std::size_t passes = 0;
  std::size_t all_run = 0;
  std::size_t same = 0;
  constexpr unsigned far = 700;
  for (std::size_t turn = 0; turn != affordable(60'000); ++turn) {
    midend::counted_test t;
    const auto width_from = [&](unsigned least) {
      return static_cast<std::uint8_t>(least + random.below(256 - least));
    };
    t.width = width_from(2);
    t.counter_width = random.below(2) == 0 ? t.width : width_from(t.width);
    t.bound_width = random.below(2) == 0 || t.width == 255 ? t.width : width_from(t.width + 1u);
    t.extension = t.bound_width == t.width ? operation::copy
                  : random.below(2) == 0   ? operation::zero_extend
                                           : operation::sign_extend;
    t.code = static_cast<operation>(static_cast<unsigned>(operation::equal) + random.below(10));
    t.exits_when = random.below(2) == 0;
    const wide_number most = midend::low_ones_of_width(t.counter_width);
    const wide_number narrow = midend::low_ones_of_width(t.width);
    const std::array<wide_number, 6> kinds_of_step = {wide_number(1),
                                                      wide_number() - wide_number(1),
                                                      wide_number(1 + random.below(9)),
                                                      wide_number() - wide_number(1 + random.below(9)),
                                                      wide_number(random.next() | 1) << random.below(90),
                                                      any_number(random, t.counter_width)};
    t.step = kinds_of_step[random.below(6)] & most;
    t.addend = random.below(2) == 0 ? wide_number() : t.step;
    if (t.width <= 64) {
      const auto by_number = midend::trip_formula_of({t.width, 0, t.step.low(), 0, t.code, t.exits_when, {}});
      const auto by_wide = midend::limit_formula_of(t.width, t.step, t.code, t.exits_when);
      REQUIRE(by_wide.has_value() == by_number.has_value());
      REQUIRE((!by_wide || *by_wide == midend::limit_formula(*by_number)));
      ++same;
    }
    auto test = midend::passed_test_of(t, t.step);
    test = test && !test->formula.divisor.fits_in_64_bits() ? std::nullopt : test;
    if (!test) {
      continue;
    }
    const std::uint32_t factor = 2 + random.below(7);
    test->form = form_with_limit(random.below(3), factor);
    if (narrow < wide_number(factor)) {
      continue;
    }
    wide_sink sink;
    const auto seen_at = [&](const wide_number& counter) { // by the test
      const wide_number cut = (counter + t.addend) & narrow;
      return t.extension == operation::copy ? cut : sink.operation({t.extension, t.bound_width, t.width, {}}, cut);
    };
    const wide_number start = any_number(random, t.counter_width);
    // In one of two runs the bound is some steps away.
    wide_number bound = any_number(random, t.bound_width);
    if (random.below(2) == 0) {
      bound = seen_at((start + wide_number(random.below(60)) * t.step + wide_number(random.below(3)) - wide_number(1)) &
                      most);
    }
    const auto leaves = [&](const wide_number& counter) {
      return (sink.operation({t.code, 1, t.bound_width, {}}, seen_at(counter), bound) == wide_number(1)) ==
             t.exits_when;
    };
    unsigned leaving = 0; // or `far`
    for (wide_number at = start; leaving != far && !leaves(at); ++leaving) {
      at = (at + t.step) & most;
    }
    wide_number limit;
    wide_number enough;
    midend::emit_unrolled_limit(sink, *test, start, bound, limit, enough);
    REQUIRE(sink.is_defined);
    if (enough == wide_number()) {
      continue;
    }
    ++passes;
    // By the passes, the counter is at the limit before a test leaves.
    const bool is_one = test->form.is_prologue() || test->form.kind == midend::unrolling_kind::peel_last;
    const unsigned in_pass = is_one ? 1 : factor;
    unsigned k = 0;
    wide_number at = start;
    do {
      k += in_pass;
      at = (at + wide_number(in_pass) * t.step) & most;
    } while (at != limit && k < far);
    if (leaving != far) {
      all_run += leaving >= in_pass ? 1u : 0u;
      const bool is_right = at == limit && k <= leaving;
      CHECK_MESSAGE(is_right, "width ", int{t.width}, " of ", int{t.counter_width}, " and ", int{t.bound_width},
                    ", comparison ", static_cast<int>(t.code), ", in a pass ", in_pass, ", factor ", factor,
                    ", leaving ", leaving, ", at the limit ", k);
    }
  }
  MESSAGE(passes, " limits with passes, ", all_run, " of loops that leave soon, ", same, " formulas of up to 64 bits");
  CHECK(passes > affordable(60'000) / 20);
  CHECK(all_run > affordable(60'000) / 50);
  CHECK(same > affordable(60'000) / 20);
}

TEST_CASE("a loop of which only a start and a bound are known, before and after") {
  elbrus::program p = program_of(R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %s = phi.i32 [entry: 0], [loop: %s1]
    %s1 = add.i32 %s, %i
    %i1 = add.i32 %i, 1
    %q = cmp.lt.i32 %i1, %n
    br %q ? loop : exit
  node exit:
    ret %s1
}
)");
  const elbrus::program before = p;
  const remainder_outcome done = unroll(p.procedures[0], {{0, with_epilogue(4)}});
  CHECK_MESSAGE(done.why.empty(), done.why);
  CHECK(done.dropped == 4);
  elbrus::editor e(p.procedures[0]);
  midend::remove_dead_code(e);
  midend::propagate_copies(e);
  midend::clean_control(e);
  for (const std::uint64_t n : {0ull, 1ull, 3ull, 4ull, 5ull, 8ull, 9ull, 1000ull, 0xffffffffull, 0x80000000ull}) {
    const std::vector<elbrus::scalar> arguments{{elbrus::type::i32, n}};
    const auto old = elbrus::interpreter(before).run(0, arguments, {});
    const auto now = elbrus::interpreter(p).run(0, arguments, {});
    CHECK(old.value == now.value);
    CHECK((n != 1000 || now.executed * 3 < old.executed * 2)); // tests are gone
  }
}

TEST_CASE("a counter that is a pointer, up and down, to any end") {
  for (const char* const step : {"add.i64 %p, 8", "sub.i64 %p, 8"}) {
    for (const char* const comparison : {"ne", "ult", "ugt"}) {
      const elbrus::program before =
          program_of("proc @f(%start: ptr, %end: ptr) -> i64 {\n  node entry:\n    br loop\n  node loop:\n"
                     "    %p = phi.ptr [entry: %start], [body: %p1]\n    %s = phi.i64 [entry: 0], [body: %s1]\n"
                     "    %k = phi.i32 [entry: 0], [body: %k1]\n    %q = cmp." +
                     std::string(comparison) +
                     ".i64 %p, %end\n    br %q ? next : exit\n  node next:\n    %kk = mul.i32 %k, %k\n    %far = "
                     "cmp.lt.i32 %kk, 2500\n"
                     "    br %far ? body : exit\n  node body:\n    %m = mul.i64 %s, 3\n    %s1 = add.i64 %m, %p\n"
                     "    %k1 = add.i32 %k, 1\n    %p1 = " +
                     step + "\n    br loop\n  node exit:\n    ret %s\n}\n");
      elbrus::program after = before;
      const remainder_outcome done = unroll(after.procedures[0], {{0, with_epilogue(4)}});
      CHECK_MESSAGE(done.why.empty(), done.why);
      const bool approaches = comparison == std::string("ne") || (step[0] == 'a') == (comparison == std::string("ult"));
      CHECK(done.unrolled == (approaches ? 1 : 0));
      CHECK(done.dropped == (approaches ? 4 : 0));
      for (std::uint64_t n = 0; n != 200; ++n) {
        const std::uint64_t start = n % 2 == 0 ? 4096 : 8 * (n % 7) - 16; // or near the end of the addresses
        const std::vector<elbrus::scalar> arguments{{elbrus::type::ptr, start},
                                                    {elbrus::type::ptr, start + 4 * (n / 2) - 200}};
        CHECK(elbrus::interpreter(before).run(0, arguments, {}).value ==
              elbrus::interpreter(after).run(0, arguments, {}).value);
      }
    }
  }
}

TEST_CASE("several loops at once: one starts, and another one ends, at what a loop before it computes") {
  constexpr std::string_view text = R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br first
  node first:
    %i = phi.i32 [entry: 0], [first: %i1]
    %s = phi.i32 [entry: 0], [first: %s1]
    %s1 = add.i32 %s, %i
    %i1 = add.i32 %i, 1
    %p = cmp.lt.i32 %i1, %n
    br %p ? first : second
  node second:
    %j = phi.i32 [first: %i1], [second: %j1]
    %t = phi.i32 [first: %s1], [second: %t1]
    %t1 = add.i32 %t, %j
    %j1 = sub.i32 %j, 1
    %q = cmp.gt.i32 %j1, 3
    br %q ? second : third
  node third:
    %k = phi.i32 [second: 0], [third: %k1]
    %u = phi.i32 [second: 0], [third: %u1]
    %u1 = add.i32 %u, %t1
    %k1 = add.i32 %k, 3
    %r = cmp.ult.i32 %k1, %s1
    br %r ? third : exit
  node exit:
    ret %u1
}
)";
  for (const std::uint32_t factor : {2u, 3u, 4u}) {
    const elbrus::program before = program_of(text);
    elbrus::program after = before;
    const remainder_outcome done = unroll(
        after.procedures[0], {{0, with_epilogue(factor)}, {1, with_epilogue(factor)}, {2, with_epilogue(factor)}});
    CHECK_MESSAGE(done.why.empty(), done.why);
    CHECK(done.unrolled == 3); // the guards of two read phis of the first
    CHECK(done.refused.empty());
    CHECK_MESSAGE(done.dropped >= 3 * factor, elbrus::to_text(after));
    for (std::uint64_t n = 0; n != 30; ++n) {
      const std::vector<elbrus::scalar> arguments{{elbrus::type::i32, n}};
      CHECK(elbrus::interpreter(before).run(0, arguments, {}).value ==
            elbrus::interpreter(after).run(0, arguments, {}).value);
    }
  }
}

namespace {

/// Damages the guard of an unrolled loop.
void check_damaged_limits(const loop_shape& shape) {
  elbrus::procedure p = program_of(counting(shape)).procedures[0];
  elbrus::editor e(p);
  const midend::unrolling_request request{0, with_epilogue(5)};
  midend::flat_array<midend::remainder_refusal> refused;
  midend::apply_unroll_with_remainder(
      e, midend::plan_unroll_with_remainder(elbrus::cost_view(p), midend::dominators_and_loops(p).loops, {&request, 1}),
      refused);
  const auto untaken = [](const elbrus::procedure& q) {
    return midend::plan_untaken_exits(elbrus::cost_view(q), midend::dominators_and_loops(q).loops).exits.size();
  };
  CHECK(untaken(p) == 5);
  // Each operation of the guard reads each other number, one more than it does; or its operands change places.
  const node_id guard = p.edge_target(p.out_edges(p.entry())[0]);
  std::size_t damaged = 0;
  std::size_t believed = 0;
  for (const midend::value_id v : p.values(guard)) {
    for (std::size_t i = 0; i != p.operands(v).size() && !p.is_terminator(v); ++i) {
      elbrus::procedure q = p;
      const midend::value_id operand = p.operands(v)[i];
      const auto bits = elbrus::cost_view(p).constant(operand);
      const elbrus::type t = p.value(operand).type;
      q.set_operand(v, i, bits ? q.constant(t, *bits + 1) : q.constant(t, 1));
      ++damaged;
      believed += untaken(q) != 0 ? 1u : 0u;
    }
  }
  CHECK(damaged > 10);
  CHECK(believed == 0);
  // A branch the other way round, and a loop that is entered without asking.
  elbrus::procedure q = p;
  elbrus::editor f(q);
  const std::vector<edge_id> ways(q.out_edges(guard).begin(), q.out_edges(guard).end());
  f.keep_edge(ways[0]);
  CHECK(untaken(q) == 0);
}

} // namespace

TEST_CASE("limits that the program computes otherwise are not believed") {
  check_damaged_limits({"ne", 3, false});
  for (loop_shape shape : converted_shapes) {
    shape.comparison = "lt";
    shape.step = 3;
    check_damaged_limits(shape);
  }
}

TEST_CASE("loops that get no remainder, and why") {
  const auto refusal = [](const std::string& text, std::uint32_t factor) {
    elbrus::procedure p = program_of(text).procedures[0];
    const remainder_outcome done = unroll(p, {{0, with_epilogue(factor)}});
    CHECK_MESSAGE(done.why.empty(), done.why);
    CHECK(done.unrolled == 0);
    REQUIRE(done.refused.size() == 1);
    return done.refused[0];
  };
  const std::string good = counting({"lt", 1, false});
  const auto with = [&](std::string_view old, std::string_view now) {
    std::string text = good;
    text.replace(text.find(old), old.size(), now);
    return text;
  };
  CHECK(refusal(good, 1) == remainder_refusal_reason::not_copied);
  CHECK(refusal(good, 256) == remainder_refusal_reason::factor_too_large);
  CHECK(refusal(counting({"gt", 1, false}), 2) == remainder_refusal_reason::no_counted_exit);
  CHECK(refusal(with("add.i8 %i, 1", "add.i8 %i, %bound"), 2) == remainder_refusal_reason::step_is_value);
  CHECK(refusal(with("%q = cmp.lt.i8 %i, %bound", "%b = zext.i8.i64 %bound\n    %c = zext.i8.i64 %i\n"
                                                  "    %q = cmp.lt.i64 %c, %b"),
                2) == remainder_refusal_reason::no_counted_exit); // the bound is computed in the loop
  // The low bit of a counter, extended again.
  std::string twice = with("%q = cmp.lt.i8 %i, %bound", "%n = trunc.i8.i1 %i\n    %c = zext.i1.i64 %n\n"
                                                        "    %q = cmp.ne.i64 %c, 1");
  CHECK(refusal(twice, 2) == remainder_refusal_reason::factor_too_large);
  CHECK(refusal(with("br loop\n  node loop", "%b = zext.i8.i64 %bound\n    br loop\n  node loop").replace(0, 0, ""),
                300) == remainder_refusal_reason::factor_too_large);
  // A diagnostic value must not be read before the loop reads it.
  CHECK(refusal(with("br loop\n  node loop", "%t = add.i8 %start, 1 spec\n    br loop\n  node loop"), 300) ==
        remainder_refusal_reason::factor_too_large);
  std::string early = with("br loop\n  node loop", "%t = add.i8 %start, 1 spec\n    br loop\n  node loop");
  early.replace(early.find("[entry: %start]"), 15, "[entry: %t]");
  CHECK(refusal(early, 2) == remainder_refusal_reason::early_trap);
}

TEST_CASE("random programs, loops with remainders") {
  random_program_options options = all_flow();
  options.endless = true;
  options.traps = true;
  comparison_counts runs;
  std::size_t unrolled = 0;
  std::size_t dropped = 0;
  for_each_random_program(120, options, [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program after = in_ssa_form(g);
    random_source random(seed);
    for (elbrus::procedure& p : after.procedures) {
      const auto loops = midend::dominators_and_loops(p).loops;
      std::vector<midend::unrolling_request> requests;
      for (const midend::loop_id l : loops.loops()) {
        if (loops.subloops(l).size() == 1) {
          requests.push_back({l, with_epilogue(2 + random.below(3))});
        }
      }
      const remainder_outcome done = unroll(p, requests);
      CHECK_MESSAGE(done.why.empty(), "seed ", seed, ": ", done.why);
      unrolled += done.unrolled;
      dropped += done.dropped;
    }
    const std::string wrong = why_wrong(g, after, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(unrolled, " loops unrolled, ", dropped, " exits dropped; ", runs.same, " runs the same");
  CHECK(unrolled > affordable(120) / 10);
  CHECK(dropped > unrolled);
  CHECK(runs.same > affordable(120));
}
