// try_unrolling: a loop is unrolled on trial, cleaned up and measured, factor by factor; then the program is changed.
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/induction/extract_loop.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/package/clean_up.hpp>
#include <midend/ssa/facts_of_numbers.hpp>
#include <midend/unrolling/try_unrolling.hpp>

#include <cstdint>
#include <cstdio>
#include <initializer_list>

// for i in 0..1024 { sum += a[i]; sum += i/4; if (i % 16 == 0) sum *= 2; }
constexpr const char* text = R"(
proc @sum(%a: ptr) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [latch: %next]
    %s = phi.i32 [entry: 0], [latch: %s3]
    %v = ld.i32 [%a + %i*4]
    %s1 = add.i32 %s, %v assoc
    %quarter = div.i32 %i, 4
    %s2 = add.i32 %s1, %quarter assoc
    %rest = rem.i32 %i, 16
    %p = cmp.eq.i32 %rest, 0
    br %p ? double : latch
  node double:
    %twice = mul.i32 %s2, 2
    br latch
  node latch:
    %s3 = phi.i32 [loop: %s2], [double: %twice]
    %next = add.i32 %i, 1 nsw
    %q = cmp.lt.i32 %next, 1024
    br %q ? loop : exit
  node exit:
    ret %s3
}
)";

int main() {
  midend::elbrus::program program = midend::elbrus::parse(text).program;
  midend::elbrus::procedure& p = program.procedures[0];
  const midend::machine_model machine = midend::e2k_reference_v6();

  // [trial]
  midend::elbrus::cost_editor editor(p); // the editor that will change the program
  const auto found = midend::dominators_and_loops(editor.graph());
  midend::extracted_loop loop;
  midend::extract_loop_workspace memory;
  midend::extract_loop(editor, found.dominators, found.loops, 0, midend::facts_of_numbers(editor), memory, loop);
  midend::expect_trips(loop); // how often it runs, as far as anybody knows

  std::uint32_t best = 1;
  double least = 0;
  for (const std::uint32_t factor : {1u, 2u, 4u, 8u}) {
    const auto kind = factor == 1 ? midend::unrolling_kind::none : midend::unrolling_kind::partial;
    const midend::unrolling_trial trial = midend::try_unrolling(loop, {kind, factor}, machine);
    std::printf("by %u: %2llu operations in the loop, %4.0f cycles, %3llu bytes\n", factor,
                static_cast<unsigned long long>(trial.unrolled()->cost.operations), trial.cost.cycles,
                static_cast<unsigned long long>(trial.cost.bytes));
    if (factor == 1 || trial.cost.cycles < least) {
      best = factor;
      least = trial.cost.cycles;
    }
  }
  // [trial]

  // [change]
  const auto view_of = [](const midend::elbrus::cost_editor& e) -> const midend::elbrus::cost_editor& { return e; };
  const midend::unrolling_order order{0, {midend::unrolling_kind::partial, best}};
  midend::apply_unrolling(editor, found.loops, {&order, 1}, view_of);
  midend::clean_up(editor, midend::clean_up_options_for(machine));
  // [change]
  std::printf("\nby %u, in the program:\n%s", best, midend::elbrus::to_text(p).c_str());
}
