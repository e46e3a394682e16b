#include "lower.hpp"
#include "sum.hpp"
#include "view.hpp"

#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/to_eir.hpp>
#include <midend/ir/frozen.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/viz/ir_errors.hpp>

#include <cstdio>

int main() {
  const code c = compiled(parser(sum).read());
  const view ir{c};
  if (const auto error = midend::check_ir(ir)) {
    std::printf("%s\n", midend::to_text(*error).c_str());
    return 1;
  }
  std::printf("%s", to_text(midend::elbrus::to_eir(midend::frozen(ir), "sum").program).c_str());

  const auto facts = midend::sccp(ir);
  for (node_id n = 0; n != c.cfg.num_nodes(); ++n) {
    if (!facts.is_executable(n)) {
      std::printf("n%u is never executed\n", n);
    }
    for (const value_id v : c.nodes[n]) {
      if (facts.constant(v)) {
        std::printf("v%u is always %llu\n", v, static_cast<unsigned long long>(*facts.constant(v)));
      }
    }
  }
}
