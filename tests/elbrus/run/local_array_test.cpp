// Local arrays: memory that each call of a procedure has for itself.
#include "kit/parsed_procedure.hpp"
#include "kit/run_text.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/run_equivalence.hpp>
#include <midend/elbrus/run/trap_text.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/transform/recording_editor.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using elbrus::trap_kind;
using elbrus::type;
using midend::memory_reference;
using midend::value_id;

namespace {

constexpr const char* reversing = R"(proc @reverse(%n: i64) -> i64 {
  var $x: i64
  local %buf: 64
  local %other: 8
  node entry:
    st.i64 7, [%other]
    br fill
  node fill:
    %i = phi.i64 [entry: 0], [fill: %i1]
    %i1 = add.i64 %i, 1
    st.i64 %i, [%buf + %i*8]
    %more = cmp.lt.i64 %i1, %n
    br %more ? fill : read
  node read:
    %v = ld.i64 [%buf + 24]
    %w = ld.i64 [%other]
    %r = shladd.i64 %v, 4, %w
    ret %r
}
)";

elbrus::run_result run(const elbrus::program& all, std::vector<std::uint64_t> numbers, bool checks = false,
                       elbrus::memory arrays = {}) {
  elbrus::interpreter in(all);
  std::vector<elbrus::scalar> arguments;
  for (const std::uint64_t n : numbers) {
    arguments.push_back({type::i64, n});
  }
  elbrus::run_options options;
  options.check_classes = checks;
  return in.run(0, arguments, std::move(arrays), options);
}

std::vector<std::string> errors_in(const std::string& text) {
  std::vector<std::string> out;
  for (const elbrus::diagnostic& d : elbrus::parse(text).diagnostics) {
    out.push_back(d.message);
  }
  return out;
}

} // namespace

TEST_CASE("local arrays: text, equality and the checks") {
  const elbrus::program all = program_of(reversing);
  const elbrus::procedure& p = all.procedures[0];
  REQUIRE(p.locals().size() == 2);
  CHECK(p.local_bytes(p.locals()[0]) == 64);
  CHECK(elbrus::to_text(p) == reversing);
  CHECK(elbrus::verify(all).empty());
  CHECK(!midend::check_ir(elbrus::effect_view(p)).has_value());
  std::string smaller = reversing;
  smaller.replace(smaller.find("%other: 8"), 9, "%other: 9");
  CHECK(elbrus::difference(p, p).empty());
  CHECK(elbrus::difference(p, program_of(smaller).procedures[0]).find("local arrays") != std::string::npos);
}

TEST_CASE("local arrays: errors in text") {
  CHECK(errors_in("proc @f() {\n  local %a\n  node n:\n    ret\n}\n").size() == 1);
  CHECK(errors_in("proc @f() {\n  local $a: 8\n  node n:\n    ret\n}\n").size() == 1);
  CHECK(errors_in("proc @f() {\n  local %a: -8\n  node n:\n    ret\n}\n").size() == 1);
  CHECK(errors_in("proc @f() {\n  local %a: 2147483648\n  node n:\n    ret\n}\n").size() == 1);
  CHECK(errors_in("proc @f() {\n  local %a: 2147483647\n  node n:\n    ret\n}\n").empty());
  CHECK(errors_in("proc @f() {\n  node n:\n  local %a: 8\n    ret\n}\n").size() == 1);
  CHECK(errors_in("proc @f(%a: i64) {\n  local %a: 8\n  node n:\n    ret\n}\n").size() == 1);
  CHECK(errors_in("proc @f() {\n  local %a: 8\n  node n:\n    %a = mov.i64 1\n    ret\n}\n").size() == 1);
}

TEST_CASE("local arrays: runs, bounds and what was not written") {
  const elbrus::program all = program_of(reversing);
  CHECK(run(all, {8}).value->bits == (3U << 4) + 7);
  CHECK(run(all, {8}, true).value->bits == (3U << 4) + 7);
  CHECK(run(all, {2}).value->bits == 7); // zeros without the check
  const auto unwritten = run(all, {3}, true);
  REQUIRE(unwritten.trap.has_value());
  CHECK(unwritten.trap->kind == trap_kind::unwritten_memory);
  CHECK(elbrus::to_text(all.procedures, *unwritten.trap).find("read of a local array that was not written: 0x4") == 0);
  const auto outside = run(all, {9});
  REQUIRE(outside.trap.has_value());
  CHECK(outside.trap->kind == trap_kind::bad_access);
  // Bytes that are written in part.
  const elbrus::program partial =
      program_of("proc @f(%n: i64) -> i64 {\n  local %a: 16\n  node n:\n    st.i32 5, [%a]\n"
                 "    %v = ld.i64 [%a]\n    ret %v\n}\n");
  CHECK(run(partial, {0}).value->bits == 5);
  CHECK(run(partial, {0}, true).trap->kind == trap_kind::unwritten_memory);
}

TEST_CASE("local arrays: each call has its own, and they are not part of the memory at the end") {
  const elbrus::program all = program_of(R"(proc @f(%n: i64) -> i64 {
  local %a: 8
  node entry:
    st.i64 %n, [%a]
    %last = cmp.eq.i64 %n, 0
    br %last ? done : deeper
  node deeper:
    %m = sub.i64 %n, 1
    %r = call.i64 @f(%m)
    %own = ld.i64 [%a]
    %s = add.i64 %r, %own
    ret %s
  node done:
    %zero = ld.i64 [%a]
    ret %zero
}
)");
  elbrus::memory arrays;
  arrays.add_zeros("x", 8);
  for (const bool checks : {false, true}) {
    const auto result = run(all, {100}, checks, arrays);
    REQUIRE(result.value.has_value());
    CHECK(result.value->bits == 5050);
    CHECK(result.memory == arrays);
    CHECK(result.memory.num_locals() == 0);
  }
  // The array of a call that has ended is nowhere.
  const elbrus::program ended = program_of("proc @f(%n: i64) -> i64 {\n  node n:\n    %p = call.ptr @g()\n"
                                           "    %v = ld.i64 [%p]\n    ret %v\n}\nproc @g() -> ptr {\n  local %a: 8\n"
                                           "  node n:\n    st.i64 1, [%a]\n    ret %a\n}\n");
  const auto gone = run(ended, {0});
  CHECK(gone.trap->kind == trap_kind::bad_access);
  CHECK(gone.memory.num_locals() == 0);
  // A limit, not an overflow.
  const elbrus::program endless = program_of("proc @f(%n: i64) -> i64 {\n  local %a: 1000000\n  node n:\n"
                                             "    %r = call.i64 @f(%n)\n    ret %r\n}\n");
  CHECK(run(endless, {0}).trap->kind == trap_kind::call_depth);
}

TEST_CASE("local arrays: classes are checked") {
  const elbrus::program all = program_of("proc @f(%n: i64) -> i64 {\n  local %a: 16\n  node n:\n"
                                         "    st.i64 5, [%a] alias=A\n    st.i64 6, [%a + %n*8] alias=B\n"
                                         "    %v = ld.i64 [%a] alias=A\n    ret %v\n}\n");
  CHECK(run(all, {1}, true).value->bits == 5);
  CHECK(run(all, {0}, true).trap->kind == trap_kind::classes_meet);
}

TEST_CASE("local arrays: the editor makes arrays, loads and stores, and takes them back") {
  using recorder = midend::recording_editor<elbrus::editor>;
  const elbrus::program all = program_of(
      "proc @g(%x: i64, %y: i8, %z: f80, %q: i1) -> i64 {\n  node n:\n    %d = add.i64 %x, 1\n    ret %d\n}\n");
  elbrus::procedure p = all.procedures[0];
  recorder e(p);
  const auto named = [&](std::string_view name) { return value_named(p, name); };
  const value_id array = e.make_local_array(64);
  CHECK(e.make_local_array(0x8000'0000) == midend::no_value);
  CHECK(e.storage_bytes(named("x")) == 8);
  CHECK(e.storage_bytes(named("y")) == 1);
  CHECK(e.storage_bytes(named("z")) == 10);
  CHECK(e.storage_bytes(named("q")) == 1);
  const std::uint32_t c = e.make_memory_class();
  memory_reference m;
  m.base = array;
  m.index = named("d");
  m.scale = 8;
  m.offset = -16;
  m.bytes = 8;
  m.memory = c;
  const value_id store = e.make_store(named("d"), m, midend::place_at_end(0));
  const value_id load = e.make_load(named("d"), m, midend::place_at_end(0));
  REQUIRE(store != midend::no_value);
  REQUIRE(load != midend::no_value);
  const auto seen = e.memory(store);
  REQUIRE(seen.has_value());
  CHECK(seen->base == array);
  CHECK(seen->index == named("d"));
  CHECK(seen->stored == named("d"));
  CHECK(seen->scale == 8);
  CHECK(seen->offset == -16);
  CHECK(seen->memory == c);
  CHECK(e.memory(load)->stored == midend::no_value);
  e.set_operand(p.terminator(0), 0, load);
  m.bytes = 4;
  CHECK(e.make_load(named("d"), m, midend::place_at_end(0)) == midend::no_value);
  m.bytes = 8;
  m.scale = -1;
  CHECK(e.make_store(named("d"), m, midend::place_at_end(0)) == midend::no_value);
  const elbrus::procedure made = p;
  elbrus::program run_it;
  run_it.procedures.push_back(made);
  elbrus::interpreter in(run_it.procedures);
  const std::array arguments = {elbrus::scalar{type::i64, 3}, elbrus::scalar{type::i8, 1}, elbrus::scalar{type::f80, 0},
                                elbrus::scalar{type::i1, 1}};
  CHECK(in.run(0, arguments).value->bits == 4);
  const auto log = e.log();
  e.undo();
  CHECK(elbrus::difference(p, all.procedures[0]).empty());
  elbrus::procedure again = all.procedures[0];
  elbrus::editor plain(again);
  plain.make_memory_class(); // so that the numbers differ
  midend::replay(log, plain);
  CHECK(again.locals().size() == 1);
  CHECK(in.run(0, arguments).value->bits == 4);
}

TEST_CASE("local arrays: what may be diagnostic is not stored") {
  const elbrus::program all = program_of("proc @f(%a: ptr, %c: i1) -> i64 {\n  node n:\n    %d = ld.i64 [%a] spec\n"
                                         "    %s = select.i64 %c, %d, 1\n    %t = add.i64 %s, 1\n    ret %t\n}\n");
  const elbrus::procedure& p = all.procedures[0];
  const elbrus::effect_view view(p);
  CHECK(view.storage_bytes(value_named(p, "d")) == 0);
  CHECK(view.storage_bytes(value_named(p, "s")) == 0);
  CHECK(view.storage_bytes(value_named(p, "t")) == 8);
  CHECK(view.storage_bytes(value_named(p, "a")) == 8);
}

TEST_CASE("local arrays: an array that was erased is restored, in its place among the others") {
  const elbrus::program all = program_of(reversing);
  for (const std::size_t which : {0U, 1U, 2U}) {
    elbrus::procedure p = all.procedures[0];
    const std::vector<value_id> made = {p.add_local("x", 8), p.add_local("y", 9), p.add_local("z", 10)};
    const std::string text = elbrus::to_text(p);
    midend::recording_editor<elbrus::editor> e(p);
    e.erase_value(made[which]);
    e.erase_value(made[which == 0 ? 1 : 0]);
    CHECK(p.locals().size() == 3);
    const auto log = e.log();
    e.undo();
    CHECK(elbrus::to_text(p) == text);
    CHECK(elbrus::verify(p).empty());
    elbrus::editor plain(p);
    midend::replay(log, plain);
    CHECK(p.locals().size() == 3);
  }
}
