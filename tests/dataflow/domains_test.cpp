#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/congruence_domain.hpp>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/dataflow/lattice_elements.hpp>
#include <midend/ir/evaluate.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace midend_tests;
using midend::element_of;
using midend::flat_domain;
using midend::has_assume;
using midend::has_contains;
using midend::has_size;
using midend::has_value_transfer;
using midend::has_widen_of_width;
using midend::interval_domain;
using midend::known_bits_domain;
using midend::number_domain;
using midend::operation;
using midend::operation_flags;
using midend::operation_info;
using midend::value_domain;

// Here and not in the headers: checking concepts takes compilers longer than reading the headers.
static_assert(value_domain<flat_domain<>> && has_value_transfer<flat_domain<>> && has_assume<flat_domain<>>);
static_assert(value_domain<flat_domain<int>> && !has_value_transfer<flat_domain<int>>);
static_assert(value_domain<interval_domain> && has_value_transfer<interval_domain> && has_contains<interval_domain>);
static_assert(has_size<interval_domain> && has_widen_of_width<interval_domain> && has_assume<interval_domain>);
static_assert(value_domain<known_bits_domain> && has_value_transfer<known_bits_domain>);
static_assert(has_contains<known_bits_domain> && has_size<known_bits_domain> && has_assume<known_bits_domain>);
static_assert(value_domain<number_domain> && has_value_transfer<number_domain> && has_contains<number_domain>);
static_assert(has_size<number_domain> && has_widen_of_width<number_domain> && has_assume<number_domain>);

namespace {

/// A set of numbers of up to 5 bits.
using members = std::uint32_t;

template <class D> element_of<D> smallest(unsigned width, members set) {
  element_of<D> out = D().bottom();
  for (std::uint64_t x = 0; x != 32; ++x) {
    if ((set >> x & 1) != 0) {
      D().join(out, D().constant(width, x));
    }
  }
  return out;
}

template <class D> members allowed(unsigned width, const element_of<D>& a) {
  members out = 0;
  for (std::uint64_t x = 0; x <= midend::low_ones(width); ++x) {
    if (!midend::is_bottom(D(), a) && midend::may_be(D(), width, a, x)) {
      out |= members{1} << x;
    }
  }
  return out;
}

template <class D> std::string text_of(const element_of<D>& a) {
  midend::text_buffer buffer;
  D().print(buffer, a);
  return {buffer.data(), buffer.size()};
}

/// An element and what it allows.
template <class D> struct sample {
  element_of<D> element;
  members set;
};

/// All elements that are smallest around some set of numbers of a width of up to 4 bits, bottom first.
template <class D> std::vector<sample<D>> all_elements(unsigned width) {
  std::vector<sample<D>> out;
  const members count = width == 4 ? 65535 : static_cast<members>(midend::low_ones(1u << width));
  for (members set = 0; set <= count; ++set) {
    const element_of<D> a = smallest<D>(width, set);
    bool is_new = true;
    for (const sample<D>& other : out) {
      is_new = is_new && !(other.element == a);
    }
    if (is_new) {
      out.push_back({a, allowed<D>(width, a)});
    }
  }
  return out;
}

/// What an operation gives for all members of its arguments.
members image(const operation_info& info, std::span<const members> args) {
  members out = 0;
  std::array<std::uint64_t, 3> x{};
  const auto each = [&](auto&& self, std::size_t i) -> void {
    if (i == args.size() || i == x.size()) {
      if (const midend::evaluation result = midend::evaluate(info, {x.data(), i})) {
        out |= members{1} << result.bits;
      }
      return;
    }
    for (x[i] = 0; x[i] != 32; ++x[i]) {
      if ((args[i] >> x[i] & 1) != 0) {
        self(self, i + 1);
      }
    }
  };
  each(each, 0);
  return out;
}

/// All operations of the vocabulary with arguments of `width` bits, with and without promises.
std::vector<operation_info> operations(unsigned width) {
  std::vector<operation_info> out;
  for (unsigned i = 1; i <= static_cast<unsigned>(midend::last_operation); ++i) {
    operation_info info{
        static_cast<operation>(i), static_cast<std::uint8_t>(width), static_cast<std::uint8_t>(width), {}};
    switch (info.code) {
    case operation::truncate:
      --info.width;
      if (info.width == 0) {
        continue;
      }
      break;
    case operation::zero_extend:
    case operation::sign_extend:
      ++info.width;
      break;
    default:
      if (midend::is_comparison(info.code)) {
        info.width = 1;
      }
    }
    out.push_back(info);
    if (midend::is_modulo_shift(info.code)) {
      for (const unsigned modulus : {1u, width - 1, width + 1, 2 * width, 8u}) {
        if (modulus != 0 && modulus != width && modulus <= 64) {
          info.operand_width = static_cast<std::uint8_t>(modulus);
          out.push_back(info);
        }
      }
    }
    for (const operation code :
         {operation::add, operation::sub, operation::mul, operation::neg, operation::shl, operation::shladd}) {
      if (code == info.code) {
        for (const operation_flags flags :
             {operation_flags{true, false}, operation_flags{false, true}, operation_flags{true, true}}) {
          out.push_back({info.code, info.width, info.operand_width, flags});
        }
      }
    }
  }
  return out;
}

/// Calls `visit(elements, sets)` for each combination of arguments of an operation.
template <class D, class Visit>
void for_each_arguments(const operation_info& info, const std::vector<sample<D>>& samples, Visit visit) {
  std::array<element_of<D>, 3> elements{};
  std::array<members, 3> sets{};
  const unsigned count = midend::arity(info.code);
  const auto each = [&](auto&& self, std::size_t i) -> void {
    if (i == count) {
      visit(std::span<const element_of<D>>(elements.data(), i), std::span<const members>(sets.data(), i));
      return;
    }
    const bool is_condition = info.code == operation::select && i == 0;
    for (const sample<D>& s : is_condition ? all_elements<D>(1) : samples) {
      elements[i] = s.element;
      sets[i] = s.set;
      self(self, i + 1);
    }
  };
  each(each, 0);
}

/// How often a transfer function was the best possible one.
struct precision {
  std::size_t cases = 0;
  std::size_t best = 0;
  std::string example = {}; ///< of one where it was not
};

std::string name_of(const operation_info& info) {
  return join("operation ", static_cast<unsigned>(info.code),
              midend::is_modulo_shift(info.code) ? join(" modulo ", static_cast<unsigned>(info.operand_width)) : "",
              info.flags.no_signed_wrap ? " nsw" : "", info.flags.no_unsigned_wrap ? " nuw" : "");
}

/// All numbers have the same highest bit.
bool has_one_sign(unsigned width, members set) {
  const members positive = (members{1} << (std::size_t{1} << (width - 1))) - 1;
  return (set & positive) == 0 || (set & ~positive) == 0;
}

bool is_one_of(operation code, std::initializer_list<operation> all) {
  return std::find(all.begin(), all.end(), code) != all.end();
}

/// Which transfer functions are said to be the best possible ones, for which arguments.
template <class D> bool is_claimed(const operation_info& info, unsigned width, std::span<const members> sets) {
  if (info.flags != operation_flags{} || width == 1 || info.code == operation::select) {
    return false;
  }
  if (std::is_same_v<D, midend::flat_domain<>>) {
    return width > 2 && sets.size() <= 2 && image(info, sets) != 0;
  }
  if (std::is_same_v<D, midend::known_bits_domain>) {
    return midend::is_comparison(info.code) ||
           is_one_of(info.code, {operation::add, operation::sub, operation::neg, operation::bit_and, operation::bit_or,
                                 operation::bit_xor, operation::bit_not, operation::shl, operation::shr, operation::sar,
                                 operation::truncate, operation::zero_extend, operation::sign_extend, operation::copy});
  }
  if (std::is_same_v<D, midend::congruence_domain> || std::is_same_v<D, midend::strided_interval_domain>) {
    return is_one_of(info.code, {operation::bit_not, operation::zero_extend, operation::copy});
  }
  const bool of_one_sign = std::all_of(sets.begin(), sets.end(), [&](members s) { return has_one_sign(width, s); });
  return of_one_sign &&
         (midend::is_comparison(info.code) ||
          is_one_of(info.code, {operation::add, operation::sub, operation::neg, operation::bit_not, operation::sar,
                                operation::truncate, operation::zero_extend, operation::sign_extend, operation::copy}));
}

/// Nothing that can be is left out; how often nothing is in it that need not be, by operation.
template <class D> std::map<std::string, precision> check_transfers(unsigned width) {
  const std::vector<sample<D>> samples = all_elements<D>(width);
  std::map<std::string, precision> out;
  for (const operation_info& info : operations(width)) {
    if (midend::arity(info.code) == 3 && samples.size() > 50) {
      continue;
    }
    precision& counts = out[name_of(info)];
    bool sound = true;
    std::string worse_than_claimed;
    for_each_arguments<D>(info, samples, [&](std::span<const element_of<D>> args, std::span<const members> sets) {
      const members wanted = image(info, sets);
      const element_of<D> found = D().transfer(info, args);
      sound = sound && (wanted & ~allowed<D>(info.width, found)) == 0 &&
              (found == D().bottom()) == midend::is_bottom(D(), found);
      const element_of<D> best = smallest<D>(info.width, wanted);
      ++counts.cases;
      counts.best += found == best;
      if (found == best || (!counts.example.empty() && !is_claimed<D>(info, width, sets))) {
        return;
      }
      std::string example;
      for (const element_of<D>& a : args) {
        example += text_of<D>(a) + "  ";
      }
      example += "gives " + text_of<D>(found) + ", better is " + text_of<D>(best);
      (is_claimed<D>(info, width, sets) ? worse_than_claimed : counts.example) = example;
    });
    CHECK_MESSAGE(sound, name_of(info), " of width ", width);
    CHECK_MESSAGE(worse_than_claimed.empty(), name_of(info), " of width ", width, ": ", worse_than_claimed);
  }
  return out;
}

/// Greater arguments give greater results.
template <class D> void check_monotone(unsigned width) {
  std::vector<sample<D>> samples = all_elements<D>(width);
  const std::size_t step = samples.size() / 40 + 1; // some of them, and bottom and top
  for (std::size_t i = 0; i * step < samples.size(); ++i) {
    samples[i] = samples[i * step];
  }
  samples.resize((samples.size() + step - 1) / step, samples[0]);
  samples.push_back({D().top(width), allowed<D>(width, D().top(width))});
  for (const operation_info& info : operations(width)) {
    if (midend::arity(info.code) == 3 && samples.size() > 12) {
      continue;
    }
    std::size_t broken = 0;
    for_each_arguments<D>(info, samples, [&](std::span<const element_of<D>> args, std::span<const members>) {
      const element_of<D> below = D().transfer(info, args);
      std::array<element_of<D>, 3> greater{};
      for (std::size_t i = 0; i != args.size(); ++i) {
        std::copy(args.begin(), args.end(), greater.begin());
        for (const sample<D>& s : info.code == operation::select && i == 0 ? all_elements<D>(1) : samples) {
          if (D().leq(args[i], s.element)) {
            greater[i] = s.element;
            broken += !D().leq(below, D().transfer(info, {greater.data(), args.size()}));
          }
        }
      }
    });
    CHECK_MESSAGE(broken == 0, name_of(info), " of width ", width);
  }
}

/// What is assumed to hold is not lost, and nothing is won that was not there.
template <class D> void check_assumptions(unsigned width) {
  const std::vector<sample<D>> samples = all_elements<D>(width);
  for (const operation_info& info : operations(width)) {
    if (!midend::is_comparison(info.code)) {
      continue;
    }
    bool sound = true;
    bool smaller = true;
    for (const sample<D>& a : samples) {
      for (const sample<D>& b : samples) {
        element_of<D> x = a.element;
        element_of<D> y = b.element;
        D().assume(info.code, width, x, y);
        smaller = smaller && D().leq(x, a.element) && D().leq(y, b.element);
        for (std::uint64_t i = 0; i <= midend::low_ones(width); ++i) {
          for (std::uint64_t j = 0; j <= midend::low_ones(width); ++j) {
            if ((a.set >> i & b.set >> j & 1) != 0 && midend::detail::comparison_holds(info.code, i, j, width)) {
              sound = sound && (allowed<D>(width, x) >> i & 1) != 0 && (allowed<D>(width, y) >> j & 1) != 0;
            }
          }
        }
      }
    }
    CHECK_MESSAGE(sound, name_of(info), " of width ", width);
    CHECK_MESSAGE(smaller, name_of(info), " of width ", width);
  }
}

/// In percent, of all operations together.
std::size_t share_of_best(const std::map<std::string, precision>& all) {
  std::size_t cases = 0;
  std::size_t best = 0;
  for (const auto& [name, counts] : all) {
    cases += counts.cases;
    best += counts.best;
  }
  return 100 * best / cases;
}

} // namespace

TEST_CASE_TEMPLATE("transfers are sound", D, midend::flat_domain<>, midend::interval_domain, midend::known_bits_domain,
                   midend::number_domain, midend::congruence_domain, midend::strided_interval_domain) {
  for (const unsigned width : {1u, 2u, 3u}) {
    const auto counts = check_transfers<D>(width);
    std::string report;
    for (const auto& [name, precision] : counts) {
      if (precision.best != precision.cases) {
        report += join("\n", name, ": best in ", precision.best, " of ", precision.cases, ": ", precision.example);
      }
    }
    INFO("width ", width, report);
    CHECK(share_of_best(counts) >= 60);
  }
}

TEST_CASE_TEMPLATE("transfers are monotone", D, midend::flat_domain<>, midend::interval_domain,
                   midend::known_bits_domain, midend::number_domain, midend::congruence_domain,
                   midend::strided_interval_domain) {
  for (const unsigned width : {1u, 2u, 3u}) {
    check_monotone<D>(width);
  }
}

TEST_CASE_TEMPLATE("assumptions are sound", D, midend::flat_domain<>, midend::interval_domain,
                   midend::known_bits_domain, midend::number_domain, midend::congruence_domain,
                   midend::strided_interval_domain) {
  for (const unsigned width : {1u, 2u, 3u}) {
    check_assumptions<D>(width);
  }
}

namespace {

/// Whether each result for members of two arguments is in what `transfer` gives, for all pairs of samples and all
/// operations of at most two operands.
template <class D> void check_pairs(unsigned width, const std::vector<element_of<D>>& samples) {
  const auto count = static_cast<std::size_t>(midend::number_of_values(width));
  std::vector<std::vector<std::uint64_t>> values; // by sample
  for (const element_of<D>& a : samples) {
    values.emplace_back();
    for (std::uint64_t x = 0; x != count; ++x) {
      if (D().contains(width, a, x)) {
        values.back().push_back(x);
      }
    }
  }
  for (const operation_info& info : operations(width)) {
    const unsigned arity = midend::arity(info.code);
    if (arity == 3) {
      continue;
    }
    std::vector<std::optional<std::uint64_t>> results(count * count);
    for (std::uint64_t x = 0; x != count; ++x) {
      for (std::uint64_t y = 0; y != count; ++y) {
        const std::uint64_t args[] = {x, y};
        if (const midend::evaluation result = midend::evaluate(info, std::span(args).first(arity))) {
          results[x * count + y] = result.bits;
        }
      }
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i != samples.size(); ++i) {
      for (std::size_t k = 0; k != (arity == 1 ? 1 : samples.size()); ++k) {
        // A third one, not read: at -O3 g++ 12 takes the end of two for an access and warns.
        const element_of<D> args[] = {samples[i], samples[k], samples[k]};
        const element_of<D> found = D().transfer(info, std::span(args).first(arity));
        for (const std::uint64_t x : values[i]) {
          for (const std::uint64_t y : arity == 1 ? values[0] : values[k]) {
            const std::optional<std::uint64_t>& result = results[x * count + y];
            wrong += result && !D().contains(info.width, found, *result);
          }
        }
      }
    }
    CHECK_MESSAGE(wrong == 0, name_of(info), " of width ", width);
  }
}

} // namespace

TEST_CASE("transfers of congruences are sound, for all pairs at 4 and 5 bits") {
  for (const unsigned width : {4u, 5u}) {
    const auto all = midend::all_congruences(midend::unsigned_congruence(width));
    std::vector<midend::congruence_domain::element> samples;
    for (std::size_t i = 1; i != all.size(); ++i) { // bottom has no members
      samples.push_back(all[i]);
    }
    check_pairs<midend::congruence_domain>(width, samples);
  }
}

TEST_CASE("transfers of strided intervals are sound, for all with up to three corners at 4 bits") {
  const midend::strided_interval_domain domain;
  std::vector<midend::strided_interval_domain::element> samples;
  for (std::uint64_t x = 0; x != 16; ++x) {
    for (std::uint64_t y = x; y != 16; ++y) {
      for (const std::uint64_t z : {y, (x + 3 * y + 5) % 16}) {
        auto a = domain.constant(4, x);
        domain.join(a, domain.constant(4, y));
        domain.join(a, domain.constant(4, z));
        samples.push_back(a);
      }
    }
  }
  check_pairs<midend::strided_interval_domain>(4, samples);
}

TEST_CASE("strided intervals: a counter by steps of 3 that does not wrap") {
  const midend::strided_interval_domain domain;
  auto i = domain.constant(32, 0);
  domain.join(i, domain.constant(32, 300)); // 0, 300
  domain.join(i, domain.constant(32, 3));   // 0, 3, …, 300
  CHECK(text_of<midend::strided_interval_domain>(i) == "[0, 300] 0 mod 3");
  const auto apply = [&](operation code, std::uint64_t number, unsigned width = 32) {
    const element_of<midend::strided_interval_domain> args[] = {i, domain.constant(32, number)};
    const operation_info info{code, static_cast<std::uint8_t>(width), 32, {}};
    return text_of<midend::strided_interval_domain>(domain.transfer(info, args));
  };
  CHECK(apply(operation::add, 1) == "[1, 301] 1 mod 3");
  CHECK(apply(operation::mul, 4) == "[0, 1200] 0 mod 12");
  CHECK(apply(operation::div, 3) == "[0, 100]");
  CHECK(apply(operation::rem, 3) == "[0, 0]");
  CHECK(apply(operation::rem, 6) == "[0, 3] 0 mod 3");
  CHECK(apply(operation::equal, 100, 1) == "[0, 0]");
}

TEST_CASE("transfers at 64 bits, where there is no room above") {
  const std::uint64_t corners[] = {0,
                                   1,
                                   2,
                                   3,
                                   0x7fff'ffff'ffff'fffe,
                                   0x7fff'ffff'ffff'ffff,
                                   0x8000'0000'0000'0000,
                                   0x8000'0000'0000'0001,
                                   0xffff'ffff'ffff'fffe,
                                   0xffff'ffff'ffff'ffff};
  const auto check = [&](auto domain) {
    using D = decltype(domain);
    std::vector<std::pair<element_of<D>, std::vector<std::uint64_t>>> samples;
    for (const std::uint64_t x : corners) {
      for (const std::uint64_t y : corners) {
        element_of<D> both = domain.constant(64, x);
        domain.join(both, domain.constant(64, y));
        samples.push_back({both, {x, y}});
      }
    }
    for (const operation_info& info : operations(64)) {
      if (midend::arity(info.code) != 2) {
        continue;
      }
      bool sound = true;
      std::vector<element_of<D>> args(3, domain.bottom()); // g++ 12 sees the third one read where two are given
      for (const auto& [a, as] : samples) {
        for (const auto& [b, bs] : samples) {
          args[0] = a;
          args[1] = b;
          const element_of<D> found = domain.transfer(info, std::span<const element_of<D>>(args).first(2));
          for (const std::uint64_t x : as) {
            for (const std::uint64_t y : bs) {
              const midend::evaluation result = midend::evaluate(info, std::vector<std::uint64_t>{x, y});
              sound = sound && (!result || midend::may_be(domain, info.width, found, result.bits));
            }
          }
        }
      }
      CHECK_MESSAGE(sound, name_of(info));
    }
  };
  check(midend::flat_domain<>());
  check(midend::interval_domain());
  check(midend::known_bits_domain());
  check(midend::number_domain());
  check(midend::congruence_domain());
  check(midend::strided_interval_domain());
}

TEST_CASE("xor with all ones is the complement, exact for bounds") {
  const midend::interval_domain domain;
  int wrong = 0;
  for (std::uint64_t low = 0; low != 16; ++low) {
    for (std::uint64_t high = 0; high != 16; ++high) {
      auto a = domain.constant(4, low);
      domain.join(a, domain.constant(4, high));
      auto exact = domain.bottom();
      for (std::uint64_t x = 0; x != 16; ++x) {
        if (domain.contains(4, a, x)) {
          domain.join(exact, domain.constant(4, ~x & 15));
        }
      }
      const element_of<midend::interval_domain> args[] = {a, domain.constant(4, 15), a};
      const operation_info by_xor{operation::bit_xor, 4, 4, {}};
      wrong += domain.transfer(by_xor, std::span(args).first(2)) == exact ? 0 : 1;
      wrong += domain.transfer(by_xor, std::span(args).last(2)) == exact ? 0 : 1;
      wrong += domain.transfer({operation::bit_not, 4, 4, {}}, std::span(args).first(1)) == exact ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("`and` that clears low bits and `or` that sets them round a number, exact for bounds") {
  const midend::interval_domain domain;
  int wrong = 0;
  for (std::uint64_t low = 0; low != 16; ++low) {
    for (std::uint64_t high = low; high != 16; ++high) {
      auto a = domain.constant(4, low);
      domain.join(a, domain.constant(4, high));
      for (const std::uint64_t ones : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{7}}) {
        const auto rounded = [&](operation code, std::uint64_t by) {
          const element_of<midend::interval_domain> args[] = {a, domain.constant(4, by), a};
          const auto first = domain.transfer({code, 4, 4, {}}, std::span(args).first(2));
          wrong += first == domain.transfer({code, 4, 4, {}}, std::span(args).last(2)) ? 0 : 1;
          return first.as_unsigned;
        };
        const auto down = rounded(operation::bit_and, ~ones & 15);
        const auto up = rounded(operation::bit_or, ones);
        wrong += down.low == (low & ~ones) && down.high == (high & ~ones) ? 0 : 1;
        wrong += up.low == (low | ones) && up.high == (high | ones) ? 0 : 1;
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("widening stops at thresholds, then at the ends") {
  const std::int64_t as_signed[] = {-10, 0, 100};
  const std::uint64_t as_unsigned[] = {0, 100, 246};
  const midend::thresholds t{as_signed, as_unsigned};
  const midend::interval_domain ranges;
  auto a = ranges.constant(8, 1);
  auto b = ranges.constant(8, 2);
  CHECK(ranges.widen(8, a, b, t));
  CHECK(a == midend::interval_domain::element{{1, 100}, {1, 100}});
  CHECK_FALSE(ranges.widen(8, a, b, t));
  b = ranges.constant(8, 101);
  CHECK(ranges.widen(8, a, b, t));
  CHECK(a == midend::interval_domain::element{{1, 126}, {1, 246}}); // the last but one
  b = ranges.constant(8, 0);
  CHECK(ranges.widen(8, a, b, {}));
  CHECK(a == midend::interval_domain::element{{-127, 126}, {0, 246}});
  b = ranges.top(8);
  CHECK(ranges.widen(8, a, b, {}));
  CHECK(a == ranges.top(8));
}

TEST_CASE("widening without thresholds loses the bits of a counter in few steps") {
  const midend::number_domain numbers;
  auto a = numbers.constant(64, 1);
  std::vector<std::uint64_t> zeros;
  for (std::uint64_t i = 2; i != 0; i *= 2) {
    if (numbers.widen(64, a, numbers.constant(64, i), {}) && (zeros.empty() || zeros.back() != a.bits.zeros)) {
      zeros.push_back(a.bits.zeros);
    }
    CHECK(numbers.contains(64, a, i));
  }
  CHECK(zeros ==
        std::vector<std::uint64_t>{~std::uint64_t{0xff}, ~std::uint64_t{0xffff}, ~std::uint64_t{0xffff'ffff}, 0});

  const std::int64_t as_signed[] = {5};
  const std::uint64_t as_unsigned[] = {5};
  auto b = numbers.constant(64, 1);
  CHECK(numbers.widen(64, b, numbers.constant(64, 2), {as_signed, as_unsigned}));
  CHECK(b.bits.zeros == ~std::uint64_t{3}); // thresholds bound the bits

  auto even = numbers.constant(64, 8);
  CHECK(numbers.widen(64, even, numbers.constant(64, 16), {}));
  CHECK(even.bits.zeros == ~std::uint64_t{0xf8}); // low bits stay
  even = numbers.bottom();
  CHECK(numbers.widen(64, even, numbers.constant(64, 16), {}));
  CHECK(numbers.as_constant(even) == 16);
}

static_assert(midend::number_domain().as_constant(midend::number_domain().constant(8, 7)) == 7);
