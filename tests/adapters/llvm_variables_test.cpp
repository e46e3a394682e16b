// llvm_variables: which stack slots are variables, and the bit-vector analyses over them.
#include <midend/adapters/llvm_variables.hpp>

#include <midend/dataflow/live_variables.hpp>
#include <midend/dataflow/reaching_definitions.hpp>

#include <doctest/doctest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include <string>
#include <vector>

using midend::llvm_ssa;
using midend::llvm_variables;
using midend::node_id;
using midend::variable_id;

namespace {

using strings = std::vector<std::string>;

template <class Row> strings names(const llvm_ssa& ir, const llvm_variables& variables, const Row& row) {
  strings out;
  for (const variable_id x : row) {
    out.push_back(ir.value(variables.slot(x))->getName().str());
  }
  return out;
}

} // namespace

TEST_CASE("llvm_variables: sum of the numbers up to n, as clang -O0 has it") {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const auto module = llvm::parseAssemblyString(R"(
    define i32 @f(i32 %n) {
    entry:
      %n.addr = alloca i32
      %s = alloca i32
      %i = alloca i32
      store i32 %n, ptr %n.addr
      store i32 0, ptr %s
      store i32 1, ptr %i
      br label %head
    head:
      %0 = load i32, ptr %i
      %1 = load i32, ptr %n.addr
      %c = icmp sle i32 %0, %1
      br i1 %c, label %body, label %end
    body:
      %2 = load i32, ptr %i
      %3 = load i32, ptr %s
      %4 = add nsw i32 %3, %2
      store i32 %4, ptr %s
      %5 = add nsw i32 %2, 1
      store i32 %5, ptr %i
      br label %head
    end:
      %6 = load i32, ptr %s
      ret i32 %6
    }
  )",
                                                problem, context);
  REQUIRE(module);
  const llvm_ssa ir(*module->getFunction("f"));
  const llvm_variables variables(ir);
  REQUIRE(variables.num_variables() == 3);
  CHECK(variables.variable(variables.slot(1)) == 1);
  CHECK(variables.variable(3) == midend::no_variable);
  const auto live = midend::live_variables(variables);
  CHECK(names(ir, variables, live.in(0)) == strings{});
  CHECK(names(ir, variables, live.in(1)) == strings{"n.addr", "s", "i"});
  CHECK(names(ir, variables, live.out(2)) == strings{"n.addr", "s", "i"});
  CHECK(names(ir, variables, live.in(3)) == strings{"s"});
  const midend::definition_table table(variables);
  const auto reaching = midend::reaching_definitions(variables, table);
  CHECK(table.num_definitions() == 5);
  CHECK(reaching.in(1).count() == 5);
  CHECK(reaching.out(2).count() == 3); // n as it came, s and i as they were written last
}

TEST_CASE("llvm_variables: what is no variable") {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const auto module = llvm::parseAssemblyString(R"(
    declare void @g(ptr)
    declare void @llvm.lifetime.start.p0(i64, ptr)
    define void @f(i32 %n, i1 %c) {
      %good = alloca i64
      %escapes = alloca i32
      %stored = alloca ptr
      %volatile = alloca i32
      %part = alloca i64
      %array = alloca i32, i32 4
      %number = alloca i32, i32 %n
      %self = alloca ptr
      %element = alloca [2 x i32]
      %chosen = alloca i32
      %unused = alloca i32
      call void @llvm.lifetime.start.p0(i64 8, ptr %good)
      store i64 1, ptr %good
      call void @g(ptr %escapes)
      store ptr %escapes, ptr %stored
      store volatile i32 1, ptr %volatile
      store i32 1, ptr %part
      store i32 1, ptr %array
      store i32 1, ptr %number
      store ptr %self, ptr %self
      %address = getelementptr [2 x i32], ptr %element, i64 0, i64 1
      store i32 1, ptr %address
      %choice = select i1 %c, ptr %chosen, ptr null
      store i32 1, ptr %chosen
      ret void
    }
  )",
                                                problem, context);
  REQUIRE(module);
  const llvm_ssa ir(*module->getFunction("f"));
  const llvm_variables variables(ir);
  strings found;
  for (variable_id x = 0; x != variables.num_variables(); ++x) {
    found.push_back(ir.value(variables.slot(x))->getName().str());
  }
  CHECK(found == strings{"good", "stored", "unused"});
  std::size_t written = 0;
  for (midend::statement_id s = 0; s != variables.num_statements(); ++s) {
    written += variables.definitions(s).size();
    CHECK(variables.uses(s).empty());
  }
  CHECK(written == 2);
}
