// llvm_slots and llvm_slot_values: the same slots as llvm_variables has, and the same phis and values as LLVM's
// mem2reg.
#include "kit/affordable.hpp"
#include "kit/random_llvm_function.hpp"
#include "kit/test_graph.hpp"

#include <midend/adapters/llvm_slot_values.hpp>
#include <midend/adapters/llvm_variables.hpp>
#include <midend/ssa/construct_ssa.hpp>

#include <doctest/doctest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

using midend::llvm_slot_values;
using midend::llvm_slots;
using midend::llvm_ssa;
using midend::llvm_variables;
using midend::node_id;
using midend::statement_id;
using midend::value_id;
using midend::variable_id;

namespace {

/// The accesses and variables of the other view.
void check_same_variables(const llvm::Function& f) {
  const llvm_ssa ir(f);
  const llvm_variables variables(ir);
  const llvm_slots slots(f);
  REQUIRE(slots.num_variables() == variables.num_variables());
  for (variable_id x = 0; x != slots.num_variables(); ++x) {
    CHECK(ir.number(slots.slot(x)) == variables.slot(x));
  }
  REQUIRE(slots.graph().num_nodes() == ir.graph().num_nodes());
  statement_id s = 0;
  for (node_id n = 0; n != ir.graph().num_nodes(); ++n) {
    CHECK(slots.block(n) == ir.block(n));
    CHECK(slots.node(ir.block(n)) == n);
    CHECK(std::ranges::equal(slots.graph().successors(n), ir.graph().successors(n)));
    CHECK(*slots.statements(n).begin() == s);
    for (const value_id v : ir.values(n)) {
      const auto defined = variables.definitions(v);
      const auto used = variables.uses(v);
      if (defined.empty() && used.empty()) {
        continue;
      }
      REQUIRE(s != slots.num_statements());
      CHECK(slots.instruction(s) == ir.value(v));
      CHECK(std::ranges::equal(slots.definitions(s), defined));
      CHECK(std::ranges::equal(slots.uses(s), used));
      const auto* const store = llvm::dyn_cast<llvm::StoreInst>(ir.value(v));
      CHECK(slots.stored(s) == (store == nullptr ? nullptr : store->getValueOperand()));
      const statement_id load = slots.stored_load(s);
      const value_id stored = store == nullptr ? midend::no_value : ir.number(store->getValueOperand());
      const bool stores_load = stored < variables.num_statements() && !variables.uses(stored).empty();
      CHECK((load == midend::no_statement ? nullptr : slots.instruction(load)) ==
            (stores_load ? store->getValueOperand() : nullptr));
      ++s;
    }
  }
  CHECK(s == slots.num_statements());
}

/// What every load reads, and the phis, beside LLVM's. Returns the number of phis.
std::size_t check_same_values(llvm::Function& f) {
  llvm_slot_values ours(f);
  const midend::inserted_phis result = midend::construct_ssa(ours, midend::agreeing_phis::remove);

  llvm::ValueToValueMapTy clone_of;
  llvm::Function& clone = *llvm::CloneFunction(&f, clone_of);
  std::vector<llvm::AllocaInst*> slots;
  for (variable_id x = 0; x != ours.num_variables(); ++x) {
    slots.push_back(llvm::cast<llvm::AllocaInst>(clone_of[ours.slots().slot(x)]));
    CHECK(llvm::isAllocaPromotable(slots.back()));
  }
  llvm::DominatorTree tree(clone);
  llvm::PromoteMemToReg(slots, tree); // `clone_of` follows the replacements

  std::map<const llvm::BasicBlock*, std::size_t> phis;
  for (const midend::variable_phi& phi : result.phis()) {
    ++phis[llvm::cast<llvm::BasicBlock>(clone_of[ours.slots().block(phi.node)])];
  }
  for (node_id n = 0; n != ours.graph().num_nodes(); ++n) {
    const llvm::BasicBlock* const before = ours.slots().block(n);
    const auto* const after = llvm::cast<llvm::BasicBlock>(clone_of[before]);
    const auto count = [](const llvm::BasicBlock* b) {
      return static_cast<std::size_t>(std::distance(b->phis().begin(), b->phis().end()));
    };
    CHECK(count(after) == count(before) + phis[after]);
  }
  std::map<value_id, const llvm::Value*> phi_of;
  const auto check_value = [&](value_id v, const llvm::Value* theirs) {
    if (ours.is_undefined(v)) {
      return; // LLVM may choose any value
    }
    if (!ours.is_phi(v)) {
      CHECK(clone_of.lookup(ours.value(v)) == theirs);
      return;
    }
    const auto [known, is_new] = phi_of.insert({v, theirs});
    CHECK(known->second == theirs);
    const auto* const phi = llvm::dyn_cast<llvm::PHINode>(theirs);
    REQUIRE(phi != nullptr);
    CHECK(phi->getParent() == clone_of.lookup(ours.slots().block(ours.node_of_phi(v))));
  };
  const llvm::DominatorTree reachable(f);
  for (statement_id s = 0; s != ours.num_statements(); ++s) {
    const llvm::Instruction* const load = ours.slots().instruction(s);
    if (!ours.slots().is_store(s) && reachable.isReachableFromEntry(load->getParent()) && !load->use_empty()) {
      for (const llvm::Use& use : load->uses()) {
        const auto* const user = llvm::dyn_cast_or_null<llvm::User>(clone_of.lookup(use.getUser()));
        if (user != nullptr && !llvm::isa<llvm::StoreInst>(use.getUser())) {
          check_value(ours.value_read(s), user->getOperand(use.getOperandNo()));
        }
      }
    }
  }
  for (std::size_t i = 0; i != result.num_phis(); ++i) {
    const value_id v = result.phis()[i].value;
    if (const auto known = phi_of.find(v); known != phi_of.end()) {
      const auto* const theirs = llvm::cast<llvm::PHINode>(known->second);
      for (const midend::edge_id e : ours.graph().in_edges(ours.node_of_phi(v))) {
        const auto* const from = ours.slots().block(ours.graph().edge_source(e));
        if (reachable.isReachableFromEntry(from)) {
          const auto* const from_clone = llvm::cast<llvm::BasicBlock>(clone_of.lookup(from));
          check_value(ours.phi_input(v, e), theirs->getIncomingValueForBlock(from_clone));
        }
      }
    }
  }
  clone.eraseFromParent();
  return result.num_phis();
}

/// What `reg2mem` does.
void put_into_memory(llvm::Function& f) {
  std::vector<llvm::Instruction*> values;
  std::vector<llvm::PHINode*> phis;
  for (llvm::Instruction& i : llvm::instructions(f)) {
    const auto is_elsewhere = [&](const llvm::User* u) {
      return llvm::cast<llvm::Instruction>(u)->getParent() != i.getParent() || llvm::isa<llvm::PHINode>(u);
    };
    if (auto* const phi = llvm::dyn_cast<llvm::PHINode>(&i)) {
      phis.push_back(phi);
    } else if (!i.isTerminator() && !i.getType()->isTokenTy() && llvm::any_of(i.users(), is_elsewhere)) {
      values.push_back(&i);
    }
  }
  for (llvm::Instruction* const i : values) {
    llvm::DemoteRegToStack(*i);
  }
  for (llvm::PHINode* const phi : phis) {
    llvm::DemotePHIToStack(phi);
  }
}

std::unique_ptr<llvm::Module> parsed(const char* text, llvm::LLVMContext& context) {
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(text, problem, context);
  REQUIRE_MESSAGE(module, problem.getMessage().str());
  return module;
}

constexpr const char* slots_of_all_kinds = R"(
    declare void @g(ptr)
    declare noundef i32 @h()
    declare void @llvm.lifetime.start.p0(i64, ptr)

    define i32 @agreeing(i32 noundef %n, i1 %c) {
      %x = alloca i32
      %y = alloca i32
      store i32 %n, ptr %y
      br i1 %c, label %a, label %b
    a:
      %1 = load i32, ptr %y
      store i32 %1, ptr %x
      br label %end
    b:
      %2 = load i32, ptr %y
      store i32 %2, ptr %x
      br label %end
    end:
      %3 = load i32, ptr %x
      ret i32 %3
    }

    define i32 @undefined(i32 noundef %n, i1 %c, i1 %d) {
      %number = alloca i32
      %called = alloca i32
      %late = alloca i32
      %r = call i32 @h()
      br i1 %c, label %a, label %end
    a:
      store i32 7, ptr %number
      store i32 %r, ptr %called
      %s = call i32 @h()
      store i32 %s, ptr %late
      br label %end
    end:
      %1 = load i32, ptr %number
      %2 = load i32, ptr %called
      %3 = load i32, ptr %late
      %4 = add i32 %1, %2
      %5 = add i32 %4, %3
      ret i32 %5
    }

    define i32 @late(i1 %c) {
      %x = alloca i32
      %y = alloca i32
      br label %def
    use:
      store i32 %second, ptr %y
      store i32 %first, ptr %y
      %third = load i32, ptr %y
      ret i32 %third
    def:
      store i32 1, ptr %x
      %first = load i32, ptr %x
      store i32 2, ptr %x
      %second = load i32, ptr %x
      br i1 %c, label %use, label %def
    }

    define i32 @others(i32 %n, i1 %c) {
      %good = alloca i32
      %escapes = alloca i32
      %volatile = alloca i32
      %part = alloca i64
      %number = alloca i32, i32 %n
      %self = alloca ptr
      %stored = alloca ptr
      %unused = alloca i32
      call void @llvm.lifetime.start.p0(i64 4, ptr %good)
      call void @g(ptr %escapes)
      store i32 1, ptr %escapes
      %1 = load i32, ptr %escapes
      store i32 %1, ptr %good
      store volatile i32 1, ptr %volatile
      store i32 1, ptr %part
      store i32 1, ptr %number
      store ptr %self, ptr %self
      store ptr %escapes, ptr %stored
      switch i32 %n, label %loop [ i32 1, label %loop
                                   i32 2, label %end ]
    loop:
      %2 = load i32, ptr %good
      %3 = add i32 %2, 1
      store i32 %3, ptr %good
      br i1 %c, label %loop, label %end
    end:
      %4 = load i32, ptr %good
      ret i32 %4
    unreachable:
      %5 = load i32, ptr %good
      store i32 %5, ptr %good
      br label %end
    }
  )";

} // namespace

TEST_CASE("llvm_slots: the variables and accesses of llvm_variables") {
  llvm::LLVMContext context;
  const auto module = parsed(slots_of_all_kinds, context);
  for (const llvm::Function& f : *module) {
    if (!f.isDeclaration()) {
      INFO(f.getName().str());
      check_same_variables(f);
    }
  }
  CHECK(llvm_slots(*module->getFunction("others")).num_variables() == 3);
  const llvm_slots declaration(*module->getFunction("g"));
  CHECK(declaration.graph().num_nodes() == 0);
  CHECK(declaration.num_variables() == 0);
}

TEST_CASE("llvm_slot_values: phis and values as mem2reg makes them") {
  llvm::LLVMContext context;
  const auto module = parsed(slots_of_all_kinds, context);
  const auto phis = [&](const char* name) {
    INFO(name);
    return check_same_values(*module->getFunction(name));
  };
  CHECK(phis("agreeing") == 0);
  CHECK(phis("undefined") == 1); // of the call that is not made on the other way
  CHECK(phis("late") == 0);
  CHECK(phis("others") == 2);
  llvm_slot_values kept(*module->getFunction("agreeing"));
  CHECK(midend::construct_ssa(kept, midend::agreeing_phis::keep).num_phis() == 1);
}

TEST_CASE("llvm_slot_values: random functions, as mem2reg promotes them") {
  midend_tests::random_source random(1);
  std::size_t phis = 0;
  llvm_slots again;
  for (std::size_t i = 0; i != midend_tests::affordable(400); ++i) {
    llvm::LLVMContext context;
    llvm::Module module("m", context);
    llvm::Function& f = midend_tests::random_llvm_function(module, random, i % 3 == 0).make();
    put_into_memory(f);
    check_same_variables(f);
    phis += check_same_values(f);
    again.assign(f);
    CHECK(again.num_statements() == llvm_slots(f).num_statements());
  }
  CHECK(phis > midend_tests::affordable(400));
}
