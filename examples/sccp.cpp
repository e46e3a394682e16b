// Sparse conditional constant propagation: what it finds, why, and what becomes of the program.
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/explain_sccp.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/sccp_plan.hpp>
#include <midend/viz/sccp.hpp>

#include <cstdio>
#include <span>
#include <string>

namespace {

constexpr const char* text = R"(
proc @classic(%n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %x = phi.i32 [entry: 1], [latch: %y]
    %i = phi.i32 [entry: 0], [latch: %j]
    %c = cmp.ne.i32 %x, 1
    br %c ? odd : latch
  node odd:
    br latch
  node latch:
    %y = phi.i32 [loop: %x], [odd: 2]
    %j = add.i32 %i, %x
    %d = cmp.lt.i32 %j, %n
    br %d ? loop : exit
  node exit:
    %r = add.i32 %y, %j
    ret %r
}
)";

struct names_of_procedure {
  const midend::elbrus::procedure& p;

  std::string value(midend::value_id v) const {
    return p.value(v).kind == midend::elbrus::value_kind::constant ? std::to_string(p.literal_bits(v))
           : p.value_name(v).empty()                               ? std::string()
                                                                   : "%" + std::string(p.value_name(v));
  }

  std::string node(midend::node_id n) const { return std::string(p.node_name(n)); }
};

} // namespace

int main() {
  midend::elbrus::parse_result parsed = midend::elbrus::parse(text);
  midend::elbrus::procedure& procedure = parsed.program.procedures[0];
  const names_of_procedure names{procedure};

  midend::elbrus::editor editor(procedure); // also a view
  const auto constants = midend::sccp(editor);
  for (midend::value_id v = 0; v != constants.num_values(); ++v) {
    if (procedure.is_operation(v) && constants.constant(v)) {
      std::printf("%s = %llu\n", names.value(v).c_str(), static_cast<unsigned long long>(*constants.constant(v)));
    }
  }

  midend::value_id y = 0;
  while (procedure.value_name(y) != "y") {
    ++y;
  }
  const auto steps = midend::explain_sccp(editor, constants, y);
  std::printf("\nwhy %%y?\n%s", midend::to_text(editor, constants, steps, names).c_str());

  // More is known by bounds and bits, and by what branches imply: %i is not negative, %j at least 1.
  const auto numbers = midend::sccp_with_branch_facts(editor, midend::number_domain());
  std::printf("\n%s", midend::to_text(editor, numbers, names).c_str());

  auto plan = midend::plan_sccp(editor, constants);
  std::printf("\n%s\n", midend::to_text(editor, plan, names).c_str());
  // To keep something, remove its change from the plan here.
  midend::apply_sccp(editor, plan);
  std::printf("%s", midend::elbrus::to_text(procedure).c_str());
  return 0;
}
