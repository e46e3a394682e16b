// package_member: an optimization of one's own joins the low-level package: (x & a) >> b is 0 if a >> b is.
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/package/low_level_package.hpp>

#include <cstdio>

// [member]
struct shifted_out {
  static constexpr const char* name = "shifted out";

  template <class Context> midend::package_order visit(Context& context, midend::value_id v) const {
    const auto& ir = context.ir();
    if (ir.is_phi(v) || ir.operation(v).code != midend::operation::shr) {
      return {};
    }
    const midend::value_id masked = ir.operands(v)[0];
    const auto shift = ir.constant(ir.operands(v)[1]);
    const bool is_mask = !ir.is_phi(masked) && ir.operation(masked).code == midend::operation::bit_and;
    const auto mask = is_mask ? ir.constant(ir.operands(masked)[1]) : std::nullopt;
    return shift && mask && *shift < ir.operation(v).width && *mask >> *shift == 0
               ? midend::package_order::to_constant(0, "no bit is left")
               : midend::package_order();
  }
};

// [member]

int main() {
  auto parsed = midend::elbrus::parse("proc @f(%x: i32) -> i32 {\n  node entry:\n    %m = and.i32 %x, 7\n"
                                      "    %s = shr.i32 %m, 3\n    %r = add.i32 %x, %s\n    ret %r\n}\n");
  midend::elbrus::cost_editor editor(parsed.program.procedures[0]);
  using namespace midend;
  managed_package package{dead_operations(),      known_constants(), common_subexpressions(),
                          algebraic_identities(), redundant_loads(), redundant_stores(),
                          shifted_out()};
  const package_log log = package.run(editor);
  std::printf("%s%zu events\n", elbrus::to_text(editor.graph()).c_str(), log.events.size());
}
