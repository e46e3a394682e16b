// expression_numbering.hpp.
#include "kit/print.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/ir/expression_numbering.hpp>

#include <map>

using namespace midend_tests;
using midend::expression_numbering;
using midend::variable_id;

TEST_CASE("expression_numbering: the same for the same operation of the same operands in the same order") {
  expression_numbering numbers;
  const std::vector<variable_id> ab{0, 1}, ba{1, 0}, a{0}, none;
  CHECK(numbers.number('+', ab) == 0);
  CHECK(numbers.number('-', ab) == 1);
  CHECK(numbers.number('+', ab) == 0);
  CHECK(numbers.number('+', ba) == 2);
  CHECK(numbers.number('+', a) == 3); // the beginning of another one
  CHECK(numbers.number('+', none) == 4);
  CHECK(numbers.number('+', a) == 3);
  CHECK(numbers.num_expressions() == 5);
  CHECK(numbers.operation(1) == '-');
  CHECK(listed(numbers.operands(2)) == std::vector<node_id>{1, 0});
  CHECK(numbers.operands(4).empty());
}

TEST_CASE("expression_numbering: as an ordered map numbers them") {
  random_source random(1);
  expression_numbering numbers;
  // Signed, because GCC 12's standard library compares vectors of unsigned numbers wrongly on big-endian machines.
  std::map<std::vector<std::int64_t>, midend::expression_id> expected;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i != 20'000; ++i) {
    const std::uint32_t operation = random.one_in(9) ? 0xffff'ffff : random.below(3);
    std::vector<variable_id> operands;
    for (std::uint32_t k = random.below(5); k != 0; --k) {
      operands.push_back(random.one_in(9) ? midend::no_variable : random.below(6));
    }
    const auto fresh = static_cast<midend::expression_id>(expected.size());
    std::vector<std::int64_t> key = {operation};
    key.insert(key.end(), operands.begin(), operands.end());
    const auto [entry, is_new] = expected.try_emplace(key, fresh);
    const midend::expression_id e = numbers.number(operation, operands);
    wrong += e != entry->second || numbers.operation(e) != operation || listed(numbers.operands(e)) != operands;
  }
  CHECK(wrong == 0);
  CHECK(numbers.num_expressions() == expected.size());
}
