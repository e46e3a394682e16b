// Linear forms: random expressions of 8 bits, evaluated as they are and as forms.
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/ir/linear_form.hpp>

#include <cstdint>
#include <optional>
#include <vector>

using namespace midend_tests;
using midend::linear_form;
using midend::number_facts;
using midend::operation;
using midend::operation_info;
using midend::value_id;

namespace {

/// Leaves, literals and operations by number: operands come first.
struct expressions {
  struct one {
    operation_info info;
    std::vector<value_id> operands;
    std::optional<std::uint64_t> literal;
  };

  std::vector<one> values;

  unsigned width(value_id v) const { return values[v].info.width; }

  std::optional<std::uint64_t> constant(value_id v) const { return values[v].literal; }

  operation_info definition(value_id v) const { return values[v].info; }

  const std::vector<value_id>& operands(value_id v) const { return values[v].operands; }

  bool is_undefined(value_id) const { return false; }

  number_facts facts(value_id v) const { return number_facts::any(width(v)); }

  std::uint64_t evaluate(value_id v, const std::vector<std::uint64_t>& leaves) const {
    const one& x = values[v];
    if (x.literal || x.operands.empty()) {
      return x.literal ? *x.literal : leaves[v];
    }
    std::vector<std::uint64_t> read;
    for (const value_id o : x.operands) {
      read.push_back(evaluate(o, leaves));
    }
    const auto e = midend::evaluate(x.info, midend::span<const std::uint64_t>(read.data(), read.size()));
    REQUIRE(e);
    return e.bits;
  }
};

expressions random_expressions(random_source& random) {
  constexpr operation codes[] = {operation::add, operation::sub,     operation::mul, operation::shl,
                                 operation::neg, operation::bit_xor, operation::copy};
  expressions out;
  for (int i = 0; i != 4; ++i) {
    out.values.push_back({{operation::other, 8, 8, {}}, {}, std::nullopt});
  }
  for (int i = 0; i != 3; ++i) {
    out.values.push_back({{operation::other, 8, 8, {}}, {}, random.below(i == 0 ? 8 : 256)});
  }
  for (int i = 0; i != 8; ++i) {
    const operation code = codes[random.below(7)];
    const auto count = static_cast<std::uint32_t>(out.values.size());
    std::vector<value_id> operands{random.below(count)};
    if (midend::arity(code) == 2) {
      operands.push_back(code == operation::shl ? 4 : random.below(count));
    }
    out.values.push_back({{code, 8, 8, {}}, operands, std::nullopt});
  }
  return out;
}

} // namespace

TEST_CASE("linear_form: random expressions equal their forms") {
  random_source random(1);
  std::size_t forms = 0;
  std::size_t shorter = 0;
  for (int i = 0; i != 3000; ++i) {
    const expressions e = random_expressions(random);
    for (value_id root = 7; root != e.values.size(); ++root) {
      linear_form form;
      std::size_t read = 0;
      if (!midend::read_linear_form(
              e, e.values[root].info,
              midend::span<const value_id>(e.values[root].operands.data(), e.values[root].operands.size()),
              [](value_id) { return true; }, [&](value_id) { ++read; }, form)) {
        continue;
      }
      ++forms;
      shorter += form.num_terms < read ? 1U : 0U;
      for (int k = 0; k != 4; ++k) {
        std::vector<std::uint64_t> leaves(e.values.size(), 0);
        for (std::uint64_t& x : leaves) {
          x = random.below(256);
        }
        std::uint64_t sum = form.constant;
        for (std::uint32_t t = 0; t != form.num_terms; ++t) {
          CHECK(form.terms[t].coefficient != 0);
          sum += form.terms[t].coefficient * e.evaluate(form.terms[t].value, leaves);
        }
        const std::uint64_t wanted = e.evaluate(root, leaves);
        if ((sum & 255) != wanted) {
          CHECK_MESSAGE((sum & 255) == wanted, "expression ", i, ", root ", root);
        }
      }
    }
  }
  CHECK(forms > 5000);
  CHECK(shorter > 500);
}

TEST_CASE("linear_form: terms cancel, and there is a limit") {
  linear_form form;
  form.width = 8;
  CHECK(form.add(3, 5));
  CHECK(form.add(4, 1));
  CHECK(form.add(3, 251)); // -5
  CHECK(form.num_terms == 1);
  CHECK(form.terms[0] == linear_form::term{4, 1});
  for (value_id v = 10; form.num_terms != linear_form::max_terms; ++v) {
    CHECK(form.add(v, 1));
  }
  CHECK(!form.add(99, 1));
  CHECK(form.num_terms == linear_form::max_terms);
  CHECK(form.add(10, 255));
  CHECK(form.add(99, 1));
}

TEST_CASE("linear forms: sums, multiples, differences and substitution") {
  random_source random(7);
  for (int round = 0; round != 2'000; ++round) {
    const unsigned width = 1 + random.below(64);
    const auto any = [&](value_id first) {
      linear_form f = linear_form::zero(width);
      CHECK(f.add(random.next()));
      for (std::uint32_t i = random.below(4); i != 0; --i) {
        CHECK(f.add(first + random.below(3), random.one_in(3) ? random.below(3) : random.next()));
      }
      return f;
    };
    std::uint64_t values[8];
    for (std::uint64_t& v : values) {
      v = random.next();
    }
    const auto at = [&](const linear_form& f) {
      return f.evaluate([&](const linear_form::term& t) { return values[t.value]; });
    };
    const std::uint64_t ones = midend::low_ones(width);
    const linear_form a = any(0);
    const linear_form b = any(2);
    const std::uint64_t by = random.next();
    linear_form sum = a;
    REQUIRE(sum.add(b, by));
    CHECK(at(sum) == ((at(a) + by * at(b)) & ones));
    linear_form apart;
    REQUIRE(midend::linear_difference(sum, a, apart));
    linear_form scaled = b;
    REQUIRE(scaled.multiply(by));
    CHECK(midend::same_sum(apart, scaled));
    linear_form opposite = b;
    REQUIRE(opposite.negate());
    CHECK(at(opposite) == ((0 - at(b)) & ones));
    linear_form replaced = a; // value 1 is b
    if (replaced.substitute(1, b)) {
      values[1] = at(b);
      CHECK(at(replaced) == at(a));
    }
    CHECK(midend::same_sum(sum, apart) == a.is_zero());
  }
}

TEST_CASE("linear forms: exact ones refuse what does not fit, and are reduced to fewer bits") {
  linear_form f = linear_form::exact_zero();
  CHECK(f.add(0x7fff'ffff'ffff'fff0));
  CHECK(!f.add(0x10));
  CHECK(f.constant == 0x7fff'ffff'ffff'fff0);
  CHECK(!f.multiply(2));
  CHECK(f.add(3, 0x4000'0000'0000'0000, midend::number_reading::as_signed));
  CHECK(!f.add(3, 0x4000'0000'0000'0000, midend::number_reading::as_signed));
  CHECK(f.add(3, 5, midend::number_reading::as_unsigned)); // a term of its own
  CHECK(f.num_terms == 2);
  // Value 3 has 16 bits: of a form of 16 bits, both terms are its low bits.
  linear_form narrow = f;
  REQUIRE(narrow.reduce(16, [](value_id) { return 16U; }));
  CHECK(!narrow.is_exact);
  CHECK(narrow.num_terms == 1);
  CHECK(narrow.coefficient_of(3) == 5);
  CHECK(narrow.constant == 0xfff0);
  linear_form wider = f; // of 32 bits, they are extended
  REQUIRE(wider.reduce(32, [](value_id) { return 16U; }));
  CHECK(wider.coefficient_of(3, midend::number_reading::as_unsigned) == 5);
  // Seven terms are too many; the form stays as it was.
  linear_form large = linear_form::zero(8);
  for (value_id v = 0; v != 6; ++v) {
    CHECK(large.add(v, 1));
  }
  const linear_form before = large;
  CHECK(!large.add(6, 1));
  linear_form other = linear_form::zero(8);
  CHECK(other.add(0, 255)); // it would make room for the next one
  CHECK(other.add(7, 1));
  CHECK(large.add(other));
  CHECK(large.num_terms == 6);
  CHECK(!midend::same_sum(large, before));
  linear_form refused = before;
  CHECK(other.add(1, 1));
  CHECK(other.add(8, 1));
  CHECK(!refused.add(other, 2));
  CHECK(midend::same_sum(refused, before));
}
