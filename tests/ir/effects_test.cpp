#include "kit/run_text.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/ir/cost.hpp>
#include <midend/ir/effects.hpp>
#include <midend/ir/operation.hpp>

#include <cstdint>
#include <optional>

using midend::effect_kind;
using midend::value_id;
namespace elbrus = midend::elbrus;

namespace {

/// What the rung requires, and nothing that is optional: 0 is an addition, 1 is anything, 2 and 3 read memory.
struct required {
  effect_kind effect(value_id v) const { return v < 2 ? effect_kind::none : effect_kind::reads; }

  bool may_trap(value_id) const { return false; }

  bool may_not_return(value_id) const { return false; }

  bool may_duplicate(value_id v) const { return v != 1; }

  bool is_volatile(value_id v) const { return v == 3; }
};

struct with_operations : required {
  midend::operation_info operation(value_id v) const {
    return {.code = v == 0 ? midend::operation::add : midend::operation::other, .width = 32};
  }
};

struct with_identities : with_operations {
  std::uint32_t identity(value_id v) const { return v == 1 ? 1 : 0; }
};

struct with_memory : with_operations {
  std::optional<midend::memory_reference> memory(value_id v) const {
    return v == 2 ? std::optional(midend::memory_reference{}) : std::nullopt;
  }
};

struct with_answers : with_operations {
  bool is_removable(value_id v) const { return v == 1; }

  bool is_repeatable(value_id v) const { return v == 3; }

  bool is_convergent(value_id v) const { return v == 2; }

  bool accepts_operations(midend::node_id n) const { return n == 0; }
};

template <class IR> unsigned repeatable(const IR& ir) {
  unsigned out = 0;
  for (value_id v = 0; v != 4; ++v) {
    out |= midend::is_repeatable(ir, v) ? 1u << v : 0u;
  }
  return out;
}

} // namespace

TEST_CASE("an IR that does not say so repeats only what is known to depend on operands and memory alone") {
  CHECK(repeatable(required()) == 0);
  CHECK(repeatable(with_operations()) == 0b0001);
  CHECK(repeatable(with_identities()) == 0b0011);
  CHECK(repeatable(with_memory()) == 0b0101);
  CHECK(repeatable(with_answers()) == 0b1000);
}

TEST_CASE(
    "without optional members nothing is convergent, all nodes accept operations, and what has no effect can go") {
  const required plain;
  CHECK(midend::is_removable(plain, 0));
  CHECK(midend::is_removable(plain, 2));
  CHECK(!midend::is_removable(plain, 3));
  CHECK(!midend::is_convergent(plain, 2));
  CHECK(midend::accepts_operations(plain, 1));
  CHECK(midend::may_copy(plain, 2));
  CHECK(!midend::may_copy(plain, 1));
  const with_answers told;
  CHECK(!midend::is_removable(told, 0));
  CHECK(midend::is_removable(told, 1));
  CHECK(midend::is_convergent(told, 2));
  CHECK(!midend::may_copy(told, 2));
  CHECK(!midend::accepts_operations(told, 1));
}

TEST_CASE("what reads or writes a variable is not repeatable, and what writes one is not removable") {
  const elbrus::program all = midend_tests::program_of(
      "proc @f(%n: i32) -> i32 {\n  var $x: i32\n  node entry:\n    $x = add.i32 %n, 1\n    %read = add.i32 $x, 1\n"
      "    %plain = add.i32 %read, %n\n    ret %plain\n}\n");
  const elbrus::procedure& p = all.procedures[0];
  const elbrus::cost_view ir(p);
  std::size_t at = 0;
  for (const value_id v : ir.values(p.entry())) {
    if (!ir.is_terminator(v)) {
      CHECK(midend::is_repeatable(ir, v) == (at == 2));
      CHECK(midend::is_removable(ir, v) == (at != 0));
      ++at;
    }
  }
  CHECK(at == 3);
}
