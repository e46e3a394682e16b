// elbrus_program: a program of the Elbrus-like IR is read, checked, run, brought into SSA form and run again.
#include <midend/dataflow/live_variables.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/profile.hpp>
#include <midend/elbrus/run/run_equivalence.hpp>
#include <midend/elbrus/run/trap_text.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/variable_view.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/viz/elbrus.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace elbrus = midend::elbrus;

namespace {

constexpr const char* wrong = "proc @f(%x: i32) -> i32 {\n"
                              "  node entry:\n"
                              "    %y = add.i64 %x, 1\n"
                              "    ret %z\n"
                              "}\n"
                              "proc @g(%x: i32) -> i64 {\n"
                              "  node entry:\n"
                              "    %y = shl.i32 %x, 1 spec\n"
                              "    ret %y\n"
                              "}\n";

constexpr const char* factorial = "proc @factorial(%n: i32) -> i32 {\n"
                                  "  var $i: i32\n"
                                  "  var $product: i32\n"
                                  "  node entry:\n"
                                  "    $i = mov.i32 %n\n"
                                  "    $product = mov.i32 1\n"
                                  "    br test\n"
                                  "  node test:\n"
                                  "    %more = cmp.gt.i32 $i, 1\n"
                                  "    br %more ? body : exit\n"
                                  "  node body:\n"
                                  "    $product = mul.i32 $product, $i nsw\n"
                                  "    $i = sub.i32 $i, 1\n"
                                  "    br test\n"
                                  "  node exit:\n"
                                  "    ret $product\n"
                                  "}\n";

// [errors]
/// All errors of a file: those of the parser, and of the procedures that it could read those of the verifier.
std::vector<elbrus::diagnostic> errors_of(const elbrus::parse_result& file) {
  std::vector<elbrus::diagnostic> all = file.diagnostics;
  for (const elbrus::diagnostic& error : elbrus::verify(file.program)) {
    all.push_back(error);
  }
  return all;
}

void print(const std::vector<elbrus::diagnostic>& errors) {
  for (const elbrus::diagnostic& error : errors) {
    std::printf("%u:%u: error: %s\n", error.location.line, error.location.column, error.message.c_str());
  }
}

// [errors]

// [run]
elbrus::run_result run(const elbrus::program& all, int argument) {
  elbrus::interpreter machine(all);
  const elbrus::scalar arguments[] = {elbrus::integer_scalar(elbrus::type::i32, argument)};
  return machine.run(machine.find("factorial").value(), arguments);
}

void print(const elbrus::program& all, const elbrus::run_result& result) {
  if (result.trap) {
    std::printf("trap: %s\n", to_text(all.procedures, *result.trap).c_str());
  } else {
    std::printf("%lld after %llu operations\n", static_cast<long long>(signed_value(*result.value)),
                static_cast<unsigned long long>(result.executed));
  }
}

// [run]

} // namespace

int main() {
  print(errors_of(elbrus::parse(wrong)));

  const elbrus::program original = elbrus::parse(factorial).program;
  print(errors_of(elbrus::parse(factorial))); // none
  print(original, run(original, 10));
  print(original, run(original, 13));

  // [analyses]
  const elbrus::procedure& p = original.procedures[0];
  const midend::loop_forest loops = midend::natural_loops(p, midend::dominators(p));
  std::printf("loop with header %s\n", std::string(p.node_name(loops.header(0))).c_str());

  const elbrus::variable_view variables(p); // $i and $product
  const auto live = midend::live_variables(variables);
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    std::printf("live at the end of %s:", std::string(p.node_name(n)).c_str());
    for (const midend::value_id v : p.variables()) {
      if (live.out(n).test(p.variable_number(v))) {
        std::printf(" $%s", std::string(p.value_name(v)).c_str());
      }
    }
    std::printf("\n");
  }
  // [analyses]

  // [transform]
  elbrus::program transformed = original;
  elbrus::construct_ssa(transformed);
  const bool sound = elbrus::verify(transformed).empty();
  const auto same = elbrus::compare_runs(run(original, 10), run(transformed, 10));
  std::printf("%s, %s\n", sound ? "sound" : "broken",
              same.verdict == elbrus::run_verdict::same ? "the same result" : "another result");
  // [transform]

  // [text]
  elbrus::write_profile(transformed, run(transformed, 10).profile);
  const std::string text = elbrus::to_text(transformed);
  std::fputs(text.c_str(), stdout);
  std::printf("%s\n", elbrus::equal(transformed, elbrus::parse(text).program) ? "read back the same" : "different");
  const std::string picture = elbrus::to_dot(transformed.procedures[0]); // for dot -Tsvg
  // [text]
  std::printf("a picture %s\n", picture.empty() ? "is missing" : "for Graphviz");
}
