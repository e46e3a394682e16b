// Local arrays, loads and stores that the editors of LLVM make, and the split by a condition, which needs them.
#include "kit/llvm_functions.hpp"

#include <midend/adapters/llvm_editor.hpp>
#include <midend/adapters/llvm_memory_editor.hpp>
#include <midend/adapters/llvm_nest_view.hpp>
#include <midend/induction/evolutions.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/facts_of_numbers.hpp>
#include <midend/transform/condition_split.hpp>
#include <midend/transform/recording_editor.hpp>
#include <midend/transform/verify_condition_split.hpp>

#include <doctest/doctest.h>

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <cstddef>
#include <cstdint>
#include <string>

using namespace midend_tests;
using midend::condition_split_fault;
using midend::llvm_editor;
using midend::llvm_memory_editor;
using midend::memory_reference;
using midend::no_value;
using midend::place_at_end;
using midend::place_at_head;
using midend::value_id;

namespace {

memory_reference place_of(value_id base, value_id index, std::int64_t scale, std::int64_t offset, std::uint32_t bytes) {
  memory_reference m;
  m.base = base;
  m.index = index;
  m.scale = scale;
  m.offset = offset;
  m.bytes = bytes;
  return m;
}

const char* const values_text = R"(
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-ni:7"
%pair = type { i8, i64 }
define i64 @f(i64 %d, i1 %q, i17 %odd, double %x, x86_fp80 %long, ptr %p, ptr addrspace(270) %short, ptr addrspace(7) %gc,
              <3 x float> %three, <vscale x 4 x i32> %scalable, %pair %two, i32 %n, ptr %plain) {
entry:
  %slot = alloca [12 x i32], align 4
  br label %next

next:
  %dynamic = alloca i8, i32 %n, align 1
  %late = alloca i64, align 8
  ret i64 %d
}
)";

} // namespace

TEST_CASE("llvm_editor: local arrays, loads and stores") {
  const parsed_llvm parsed(values_text);
  const std::string before = to_text(parsed.f());
  std::string after;
  midend::edit_log<std::uint64_t> log;
  {
    midend::recording_editor<llvm_memory_editor> e(parsed.f());
    const value_id d = named(e, "d");
    const value_id array = e.make_local_array(64);
    REQUIRE(array != no_value);
    CHECK(e.local_array_bytes(array) == 64);
    CHECK(e.node_of(array) == e.graph().entry());
    const midend::node_id next = e.node(&parsed.f().back());
    const value_id store = e.make_store(d, place_of(array, named(e, "n"), 8, 0, 8), place_at_head(next));
    const value_id load = e.make_load(d, place_of(array, named(e, "n"), 8, 0, 8), place_at_end(next));
    REQUIRE(store != no_value);
    REQUIRE(load != no_value);
    CHECK(e.effect(store) == midend::effect_kind::writes);
    CHECK(e.effect(load) == midend::effect_kind::reads);
    CHECK(e.same_type(load, d));
    const auto to = e.memory(store);
    const auto from = e.memory(load);
    REQUIRE((to && from));
    CHECK(to->base == array);
    CHECK(to->index == named(e, "n"));
    CHECK(to->scale == 8);
    CHECK(to->offset == 0);
    CHECK(to->bytes == 8);
    CHECK(to->stored == d);
    CHECK(from->memory == to->memory);
    CHECK(e.make_memory_class() != to->memory);
    // Of other types and places; another array is another object.
    const value_id other = e.make_local_array(100);
    const value_id long_one = e.make_store(named(e, "long"), place_of(other, no_value, 0, 3, 10), place_at_end(next));
    REQUIRE(long_one != no_value);
    CHECK(e.memory(long_one)->offset == 3);
    CHECK(e.memory(long_one)->memory != to->memory);
    const value_id both = e.make_load(named(e, "q"), place_of(named(e, "p"), d, 5, -7, 1), place_at_end(next));
    REQUIRE(both != no_value);
    CHECK(e.memory(both)->scale == 5);
    CHECK(e.memory(both)->offset == -7);
    CHECK(e.memory(both)->base == named(e, "p"));
    // The address of a slot is aligned as far as scale and offset keep it; of others, nothing is known.
    const auto align = [&](value_id v) {
      return llvm::getLoadStoreAlignment(llvm::cast<llvm::Instruction>(e.value(v))).value();
    };
    CHECK(align(store) == 8);
    CHECK(align(load) == 8);
    CHECK(align(long_one) == 1);
    CHECK(align(both) == 1);
    e.set_operand(e.operands(load).back(), 1, named(e, "n"));
    // What cannot be made leaves the function as it is.
    const std::size_t count = e.num_values();
    CHECK(e.make_load(d, place_of(array, no_value, 0, 0, 4), place_at_end(next)) == no_value); // other bytes
    CHECK(e.make_load(d, place_of(d, no_value, 0, 0, 8), place_at_end(next)) == no_value);     // no pointer
    CHECK(e.make_load(d, place_of(named(e, "short"), no_value, 0, 0, 8), place_at_end(next)) == no_value);
    CHECK(e.make_load(d, place_of(array, named(e, "x"), 8, 0, 8), place_at_end(next)) == no_value);
    CHECK(e.make_load(d, place_of(array, d, -8, 0, 8), place_at_end(next)) == no_value);
    CHECK(e.make_store(named(e, "two"), place_of(array, no_value, 0, 0, 16), place_at_end(next)) == no_value);
    CHECK(e.num_values() == count);
    CHECK(e.is_consistent());
    CHECK(!midend::check_ir(e));
    CHECK(verifier_message(e.function()) == std::string());
    after = to_text(e.function());
    log = e.log();
    e.undo();
    CHECK(e.is_consistent());
  }
  CHECK(to_text(parsed.f()) == before);
  {
    llvm_memory_editor e(parsed.f());
    midend::replay(log, e);
    CHECK(e.is_consistent());
  }
  CHECK(to_text(parsed.f()) == after);
}

TEST_CASE("llvm_editor: what has bytes, and what is a local array") {
  const parsed_llvm parsed(values_text);
  llvm_editor e(parsed.f());
  const auto bytes = [&](const char* name) { return e.storage_bytes(named(e, name)); };
  CHECK(bytes("d") == 8);
  CHECK(bytes("q") == 1);
  CHECK(bytes("odd") == 3);
  CHECK(bytes("x") == 8);
  CHECK(bytes("long") == 10);
  CHECK(bytes("p") == 8);
  CHECK(bytes("short") == 4);
  CHECK(bytes("gc") == 0); // no number
  CHECK(bytes("three") == 12);
  CHECK(bytes("scalable") == 0);
  CHECK(bytes("two") == 0);
  CHECK(e.storage_bytes(e.number(parsed.f().back().getTerminator())) == 0);
  CHECK(e.local_array_bytes(named(e, "slot")) == 48);
  CHECK(e.local_array_bytes(named(e, "dynamic")) == 0);
  CHECK(e.local_array_bytes(named(e, "late")) == 0); // one for each run of the block
  CHECK(e.local_array_bytes(named(e, "p")) == 0);
  // Erased, it is none.
  const value_id array = e.make_local_array(8);
  const value_id first = e.make_local_array(8);
  e.erase_value(first);
  e.erase_value(array);
  CHECK(e.local_array_bytes(array) == 0);
  CHECK(e.is_consistent());
  CHECK(verifier_message(e.function()) == std::string());
}

TEST_CASE("llvm_editor: a target whose pointers have 32 bits has no local arrays") {
  const parsed_llvm parsed("target datalayout = \"e-p:32:32\"\ndefine void @f() {\nentry:\n  ret void\n}\n");
  const std::string before = to_text(parsed.f());
  {
    llvm_editor e(parsed.f());
    CHECK(e.make_local_array(8) == no_value);
  }
  CHECK(to_text(parsed.f()) == before);
}

namespace {

/// Each arm reads what the first loop computes; numbers, a pointer and a double leave the loop.
const char* const split_text = R"(
target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"
define double @f(ptr noalias %a, ptr noalias %b, ptr noalias %c) {
entry:
  br label %header

header:
  %i = phi i64 [ 0, %entry ], [ %i1, %latch ]
  %sum = phi double [ 0.0, %entry ], [ %sum1, %latch ]
  %at = getelementptr inbounds double, ptr %a, i64 %i
  %x = load double, ptr %at, align 8
  %big = fcmp ogt double %x, 1.0
  br i1 %big, label %yes, label %no

yes:
  %y = fdiv double 1.0, %x
  %to = getelementptr inbounds double, ptr %b, i64 %i
  store double %y, ptr %to, align 8
  br label %latch

no:
  %z = fmul double %x, 3.0
  %w = fadd double %z, 1.0
  store double %w, ptr %at, align 8
  br label %latch

latch:
  %sum1 = fadd double %sum, %x
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, 1000
  br i1 %more, label %header, label %exit

exit:
  %last = phi ptr [ %at, %latch ]
  store i64 %i, ptr %c, align 8
  %bits = ptrtoint ptr %last to i64
  %same = icmp eq i64 %bits, 0
  %result = select i1 %same, double 0.0, double %sum1
  ret double %result
}
)";

midend::condition_split_plan planned(llvm_editor& editor, std::uint32_t chunk) {
  const midend::llvm_nest_view e(editor);
  midend::condition_split_options options;
  options.chunk = chunk;
  options.least_work = 1;
  const auto flow = midend::dominators_and_loops(e.graph());
  const auto facts = midend::facts_of_numbers(e);
  const midend::span<const midend::number_facts> known(facts.data(), facts.size());
  return midend::plan_condition_split(e, flow, midend::evolutions(e, flow.loops, known), known, options);
}

/// A split function, its copy before, and the verdict after more changes.
struct split_function {
  parsed_llvm parsed{split_text};
  llvm::Function& old = copy_of(parsed.f());
  llvm_editor old_editor{old};
  midend::llvm_nest_view before{old_editor};
  llvm_memory_editor after{parsed.f()};
  midend::condition_split_plan plan = planned(after, 16);
  midend::condition_split_witness witness = midend::apply_condition_split(after, plan);

  midend::condition_split_verdict verdict() const {
    const auto facts = midend::facts_of_numbers(before);
    return midend::verify_condition_split(before, after, witness, {facts.data(), facts.size()});
  }
};

/// What is wrong with a split, after a change of it.
template <class Change> condition_split_fault fault_after(Change change) {
  split_function s;
  REQUIRE(s.plan.loops.size() == 1);
  REQUIRE(s.verdict());
  change(s.after, s.witness);
  return s.verdict().fault;
}

} // namespace

TEST_CASE("condition split of LLVM's functions") {
  split_function s;
  REQUIRE(s.plan.loops.size() == 1);
  CHECK(s.witness.arms.size() == 2);
  CHECK(s.after.is_consistent());
  CHECK(!midend::check_ir(s.after));
  const auto verdict = s.verdict();
  CHECK_MESSAGE(verdict, "fault ", static_cast<int>(verdict.fault), ", node ", verdict.node, ", value ", verdict.value,
                "\n", to_text(s.after.function()));
  CHECK(verifier_message(s.after.function()) == std::string());
  std::size_t slots = 0;
  for (const llvm::Instruction& i : s.after.function().getEntryBlock()) {
    slots += llvm::isa<llvm::AllocaInst>(i) ? 1u : 0u;
  }
  CHECK(slots == s.witness.kept.size());
}

TEST_CASE("verify_condition_split: mistakes with addresses") {
  using editor = llvm_memory_editor;
  using witness = midend::condition_split_witness;
  const auto address_of = [](const editor& e, value_id access) { return e.operands(access).back(); };
  CHECK(fault_after([](editor&, const witness&) {}) == condition_split_fault::none);
  CHECK(fault_after([&](editor& e, const witness& w) { // the record after this one
          e.set_operand(address_of(e, w.kept[0].store), 1, w.arms[0].appended);
        }) != condition_split_fault::none);
  CHECK(fault_after([&](editor& e, const witness& w) {
          e.set_operand(address_of(e, w.kept[0].load), 1, w.arms[0].next);
        }) != condition_split_fault::none);
  CHECK(fault_after([&](editor& e, const witness& w) { // another array
          e.set_operand(address_of(e, w.kept[0].store), 0, w.kept.back().array);
        }) != condition_split_fault::none);
  CHECK(fault_after([&](editor& e, const witness& w) { // memory of others
          e.set_operand(address_of(e, w.kept[0].load), 0, e.parameters().front());
          e.set_operand(address_of(e, w.kept[0].store), 0, e.parameters().front());
        }) != condition_split_fault::none);
  CHECK(fault_after([&](editor& e, const witness& w) { // the address is stored, too
          const value_id address = address_of(e, w.kept[0].load);
          for (value_id v = 0; v != e.num_values(); ++v) {
            if (e.value(v)->getName() == "bits") {
              e.set_operand(v, 0, address);
            }
          }
        }) != condition_split_fault::none);
  CHECK(fault_after([&](editor& e, const witness& w) { // the array is read by another operation
          for (value_id v = 0; v != e.num_values(); ++v) {
            if (e.value(v)->getName() == "bits") {
              e.set_operand(v, 0, w.kept[0].array);
            }
          }
        }) != condition_split_fault::none);
  CHECK(fault_after([&](editor& e, const witness& w) { // another value is recorded
          e.set_operand(w.kept[0].store, 0,
                        w.kept.back().value == w.kept[0].value ? w.kept[0].load : w.kept.back().value);
        }) != condition_split_fault::none);
  CHECK(fault_after([&](editor& e, const witness& w) { // nothing is recorded
          const value_id address = address_of(e, w.kept[0].store);
          e.erase_value(w.kept[0].store);
          e.erase_value(address);
        }) != condition_split_fault::none);
  CHECK(fault_after([&](editor& e, const witness& w) { // one operation more
          memory_reference m = *e.memory(w.kept[0].store);
          m.stored = no_value;
          e.make_store(w.kept[0].value, m, place_at_end(w.arms[0].append));
        }) != condition_split_fault::none);
  CHECK(fault_after([&](editor& e, const witness&) { e.make_local_array(8); }) != condition_split_fault::none);
  CHECK(fault_after([&](editor& e, const witness& w) { // a volatile record
          auto* const load = llvm::cast<llvm::LoadInst>(e.value(w.kept[0].load));
          load->setVolatile(true);
        }) != condition_split_fault::none);
}
