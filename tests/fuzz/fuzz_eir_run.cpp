// Bytes to a program that is run as it is and in SSA form, by both constructions: what they make verifies and means the
// same.
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/memory.hpp>
#include <midend/elbrus/run/run_equivalence.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using namespace midend::elbrus;

namespace {

void require(bool condition, const char* what, const program& p) {
  if (!condition) {
    std::fprintf(stderr, "fuzz_eir_run: %s\n%s\n", what, to_text(p).c_str());
    std::abort();
  }
}

/// Arguments that lead into the memory and around the bounds of integers.
std::vector<scalar> arguments_of(const procedure& p, std::uint64_t address) {
  std::vector<scalar> out;
  for (const midend::value_id v : p.parameters()) {
    const type t = p.value(v).type;
    out.push_back(t == type::ptr ? scalar{t, address} : is_float(t) ? float_scalar(t, 2.5) : integer_scalar(t, 3));
  }
  return out;
}

run_result run(const program& all, std::size_t number, const memory& arrays, std::uint64_t address) {
  interpreter machine(all);
  return machine.run(number, arguments_of(all.procedures[number], address), arrays,
                     {.step_limit = 3000, .call_depth = 50, .host = [](const host_call& c) {
                        return c.result == type::none ? host_answer::done() : host_answer::of(1);
                      }});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const parse_result read = parse({reinterpret_cast<const char*>(data), size});
  if (!read.diagnostics.empty() || !verify(read.program).empty()) {
    return 0;
  }
  memory arrays;
  const std::array<std::uint64_t, 8> numbers = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::uint64_t address = arrays.add("a", type::i64, numbers);
  for (const ssa_algorithm algorithm : {ssa_algorithm::dominance_frontiers, ssa_algorithm::on_the_fly}) {
    program ssa = read.program;
    for (procedure& p : ssa.procedures) {
      construct_ssa(p, algorithm);
    }
    require(verify(ssa).empty(), "SSA form does not verify", read.program);
    for (std::size_t i = 0; i != ssa.procedures.size(); ++i) {
      const run_comparison result = compare_runs(run(read.program, i, arrays, address), run(ssa, i, arrays, address));
      require(result.verdict != run_verdict::different, "SSA form means something else", read.program);
    }
  }
  return 0;
}
