#include "lower.hpp"
#include "sum.hpp"
#include "view.hpp"

#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/to_eir.hpp>
#include <midend/ir/editable_flat_program.hpp>
#include <midend/ir/frozen.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/package/clean_up.hpp>
#include <midend/transform/rotate_loops.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/unrolling/apply_unrolling.hpp>
#include <midend/viz/unrolling.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

namespace elbrus = midend::elbrus;

static void optimize(midend::editable_flat_program& program, const midend::machine_model& machine) {
  midend::rotate_loops(program);
  midend::clean_up(program, midend::clean_up_options_for(machine));
  const auto found = midend::dominators_and_loops(program.graph());
  std::vector<midend::unrolling_advice> advices(found.loops.num_loops());
  std::vector<midend::advised_unrolling> requests;
  for (midend::loop_id l = 0; l != advices.size(); ++l) {
    advices[l] = midend::advise_unrolling(program, found.loops, l, machine);
    std::printf("%s", midend::to_text(advices[l], machine).c_str());
    requests.push_back({&advices[l]});
  }
  const auto view_of = [](const midend::editable_flat_program& p) -> const midend::editable_flat_program& { return p; };
  midend::apply_unrolling(program, found.loops, {requests.data(), requests.size()}, view_of);
  midend::clean_up(program, midend::clean_up_options_for(machine));
}

static void run(const elbrus::program& p) {
  elbrus::memory arrays;
  std::vector<std::uint64_t> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0); // 0, 1, … 999
  const elbrus::scalar x = {elbrus::type::ptr, arrays.add("x", elbrus::type::i32, numbers)};
  elbrus::run_options options;
  options.host = [](const elbrus::host_call& call) { // `return` is a call of the host
    std::printf("the sum is %llu", static_cast<unsigned long long>(call.arguments[0].bits));
    return elbrus::host_answer::done();
  };
  const elbrus::run_result r = elbrus::interpreter(p).run(0, {&x, 1}, std::move(arrays), options);
  std::printf(", after %llu operations\n", static_cast<unsigned long long>(r.executed));
}

int main() {
  const code c = compiled(parser(sum).read());
  midend::editable_flat_program program;
  midend::frozen(view{c}, program);
  const elbrus::program before = elbrus::to_eir(program, "sum").program;
  optimize(program, midend::e2k_reference_v6());
  const elbrus::program after = elbrus::to_eir(program, "sum").program;
  std::printf("%s", to_text(after).c_str());
  run(before);
  run(after);
}
