// make_memory_class: numbers that no access has, of flat programs and of procedures.
#include "kit/parsed_procedure.hpp"
#include "kit/run_text.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/ir/cost.hpp>
#include <midend/ir/editable_flat_program.hpp>
#include <midend/ir/frozen.hpp>

#include <cstdint>
#include <string>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

constexpr std::uint32_t many = 30'000;

elbrus::program sample() {
  return program_of(
      "proc @f(%p: ptr, %x: i64) -> i64 {\n  node n:\n    st.i64 %x, [%p] alias=a\n    st.i64 %x, [%p + 8] alias=b\n"
      "    %v = ld.i64 [%p]\n    ret %v\n}\n");
}

} // namespace

TEST_CASE("make_memory_class: numbers of a flat program are above those of its accesses") {
  const elbrus::program all = sample();
  midend::editable_flat_program flat;
  midend::frozen(elbrus::cost_view(all.procedures[0]), flat);
  midend::value_id load = midend::no_value;
  for (const midend::value_id v : flat.values(0)) {
    load = !flat.is_phi(v) && flat.effect(v) == midend::effect_kind::reads ? v : load;
  }
  REQUIRE(load != midend::no_value);
  CHECK(flat.make_memory_class() == 2);
  CHECK(flat.make_memory_class() == 3);
  flat.set_memory_class(load, 10, midend::no_node);
  CHECK(flat.make_memory_class() == 11);
  flat.set_memory_class(load, 20, 0); // a local one
  CHECK(flat.make_memory_class() == 21);
  flat.set_memory_class(load, midend::any_memory, midend::no_node);
  CHECK(flat.make_memory_class() == 22); // not one that was made before
  for (std::uint32_t i = 0; i != many; ++i) {
    const std::uint32_t c = flat.make_memory_class();
    REQUIRE(c == 23 + i);
    flat.set_memory_class(load, c, midend::no_node);
  }
  flat.set_memory_class(load, 0xffff'fffe, midend::no_node);
  CHECK(flat.make_memory_class() == midend::any_memory); // there is no other number: no promise
  CHECK(flat.make_memory_class() == midend::any_memory);
}

TEST_CASE("make_memory_class: names of a procedure's classes are new") {
  elbrus::program all = sample();
  elbrus::procedure& p = all.procedures[0];
  elbrus::editor e(p);
  const auto made = [&] { return std::string(p.alias_name(e.make_memory_class())); };
  CHECK(made() == "apart0");
  CHECK(made() == "apart3");
  p.add_alias_class("apart6");
  p.add_alias_class("apart07"); // another name than apart7
  p.add_alias_class("apart");
  p.add_alias_class("apart8x");
  p.add_alias_class("apart9999999999999999999999");
  CHECK(made() == "apart9");
  p.add_alias_class("apart11");
  CHECK(made() == "apart12"); // eleven classes, but that name is there
  CHECK(made() == "apart13");
  for (std::uint32_t i = 0; i != many; ++i) {
    e.make_memory_class();
  }
  const std::uint32_t last = elbrus::editor(p).make_memory_class(); // another editor of the same procedure
  CHECK(last == p.num_alias_classes() - 1);
  CHECK(p.alias_name(last) == "apart" + std::to_string(p.num_alias_classes()));
}
