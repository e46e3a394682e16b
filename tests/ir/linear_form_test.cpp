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
