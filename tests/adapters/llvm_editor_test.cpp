// llvm_editor: all transformations over functions of LLVM, with LLVM's verifier and its forms of loops as judges.
#include "kit/affordable.hpp"
#include "kit/llvm_functions.hpp"
#include "kit/random_llvm_function.hpp"
#include "kit/test_graph.hpp"

#include <midend/adapters/llvm.hpp>

#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/transform.hpp>
#include <midend/viz/ir_errors.hpp>

#include <doctest/doctest.h>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace midend_tests;
using midend::llvm_editor;
using midend::llvm_refusal;
using midend::llvm_value_numbers;
using midend::no_value;
using midend::place_at_end;
using midend::place_at_head;
using midend::place_before;
using midend::value_id;

namespace {

std::string text_of(const midend::unfolding_verdict& v) {
  return "fault " + std::to_string(static_cast<int>(v.fault)) + ", node " + std::to_string(v.node) + ", value " +
         std::to_string(v.value) + ", old " + std::to_string(v.old_value) + ", edge " + std::to_string(v.edge);
}

/// What is wrong with an editor or its function, or nothing.
std::string complaint(llvm_editor& editor) {
  const std::string message = verifier_message(editor.function());
  return message.empty() && !editor.is_consistent() ? "not consistent:\n" + to_text(editor.function()) : message;
}

enum class step { split, simplify, close, rotate, irreducible, split_cycles, unify, clean, dead, count };

const char* name_of(step s) {
  switch (s) {
  case step::split:
    return "split_critical_edges";
  case step::simplify:
    return "simplify_loops";
  case step::close:
    return "close_loops";
  case step::rotate:
    return "rotate_loops";
  case step::irreducible:
    return "fix_irreducible by dispatch";
  case step::split_cycles:
    return "fix_irreducible by splitting";
  case step::unify:
    return "unify_loop_exits";
  case step::clean:
    return "clean_control";
  default:
    return "remove_dead_code";
  }
}

/// The witness of a transformation other than the removal of dead code.
template <class E> midend::unfolding_witness unfold(step s, E& editor) {
  switch (s) {
  case step::split:
    return midend::split_critical_edges(editor);
  case step::simplify:
    return midend::simplify_loops(editor).witness;
  case step::close:
    return midend::close_loops(editor).witness;
  case step::rotate:
    return midend::rotate_loops(editor).witness;
  case step::irreducible:
    return midend::fix_irreducible(editor).witness;
  case step::split_cycles:
    return midend::fix_irreducible(editor, {.method = midend::irreducible_method::split_or_dispatch}).witness;
  case step::unify:
    return midend::unify_loop_exits(editor).witness;
  default:
    return midend::apply_clean_control(editor, midend::plan_clean_control(editor));
  }
}

template <class E> void apply(step s, E& editor) {
  s == step::dead ? void(midend::remove_dead_code(editor)) : void(unfold(s, editor));
}

/// Whether the checker that is responsible accepts a transformation, which is done.
std::string uncertified(step s, llvm_editor& editor, const llvm_editor& before) {
  if (s == step::dead) {
    const midend::removal_witness witness = midend::remove_dead_code(editor);
    return midend::verify_removal(before, editor, witness) ? "" : "removal is not accepted";
  }
  const midend::unfolding_witness witness = unfold(s, editor);
  const midend::unfolding_verdict verdict = midend::verify_unfolding(before, editor, witness);
  return verdict ? "" : text_of(verdict);
}

/// A debug record that names an instruction but is not in its function, or nothing. LLVM's verifier looks at the
/// records of instructions only; its passes find others by what they name, and crash.
std::string lost_record(llvm::Function& f) {
  std::set<const llvm::DbgVariableRecord*> present;
  for (llvm::Instruction& i : llvm::instructions(f)) {
    for (const llvm::DbgVariableRecord& r : llvm::filterDbgVars(i.getDbgRecordRange())) {
      present.insert(&r);
    }
  }
  for (llvm::Instruction& i : llvm::instructions(f)) {
    llvm::SmallVector<llvm::DbgVariableIntrinsic*, 1> none;
    llvm::SmallVector<llvm::DbgVariableRecord*, 4> naming;
    llvm::findDbgUsers(none, &i, &naming);
    for (const llvm::DbgVariableRecord* const r : naming) {
      if (!present.contains(r)) {
        return "a lost debug record names " + i.getName().str();
      }
    }
  }
  return {};
}

/// What is wrong after a transformation of a function, or nothing.
std::string complaint_after(step s, llvm::Function& f) {
  static midend::llvm_editor_workspace memory; // of many functions, one after the other
  llvm::Function& copy = copy_of(f);
  std::string text;
  {
    const llvm_editor before(copy);
    llvm_editor editor(f, {}, memory);
    text = uncertified(s, editor, before);
    text = text.empty() ? complaint(editor) : text + "\n" + to_text(editor.function());
  }
  copy.eraseFromParent();
  if (text.empty()) {
    text = verifier_message(f);
  }
  if (text.empty()) {
    text = lost_record(f);
  }
  return text.empty() ? text : std::string(name_of(s)) + ": " + text;
}

} // namespace

namespace {

const char* const samples[] = {
    // A loop with a test in the header, and a value that is read after it.
    R"(
declare void @g(i32)
define i32 @f(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %s = phi i32 [ 1, %entry ], [ %sum, %body ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %exit
body:
  call void @g(i32 %i)
  %sum = add nsw i32 %s, %i
  %next = add nuw nsw i32 %i, 1
  br label %head, !llvm.loop !0
exit:
  ret i32 %s
}
!0 = distinct !{!0}
)",
    // A switch with parallel edges, two latches, and an irreducible part.
    R"(
declare void @g(i32)
declare i1 @c()
define i32 @f(i32 %n) {
entry:
  switch i32 %n, label %a [ i32 1, label %b
                            i32 2, label %b
                            i32 3, label %a
                            i32 4, label %x ]
a:
  %p = phi i32 [ 0, %entry ], [ 0, %entry ], [ %q, %b ], [ %q, %b2 ]
  %c1 = call i1 @c()
  br i1 %c1, label %b, label %x
b:
  %q = phi i32 [ 1, %entry ], [ 1, %entry ], [ %p, %a ]
  %c2 = call i1 @c()
  br i1 %c2, label %a, label %b2
b2:
  %c3 = call i1 @c()
  br i1 %c3, label %a, label %x
x:
  %r = phi i32 [ 7, %entry ], [ %p, %a ], [ %q, %b2 ], [ %r2, %y ], [ %r2, %y ]
  %u = add i32 %r, 1
  %c4 = call i1 @c()
  br i1 %c4, label %y, label %z
y:
  %r2 = mul i32 %u, 3
  switch i32 %r2, label %z [ i32 1, label %x
                             i32 2, label %x ]
z:
  %v = phi i32 [ %u, %x ], [ %r2, %y ]
  ret i32 %v
}
)",
    // Exceptions in loops.
    R"(
declare i32 @g(i32)
declare i32 @__gxx_personality_v0(...)
define i32 @f(i32 %n) personality ptr @__gxx_personality_v0 {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %r, %ok ], [ 5, %caught ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %exit
body:
  %r = invoke i32 @g(i32 %i) to label %ok unwind label %pad
ok:
  %t = invoke i32 @g(i32 %r) to label %head unwind label %pad
pad:
  %w = phi i32 [ %i, %body ], [ %r, %ok ]
  %l = landingpad { ptr, i32 } cleanup
  %s = icmp eq i32 %w, 3
  br i1 %s, label %caught, label %up
caught:
  br label %head
up:
  resume { ptr, i32 } %l
exit:
  ret i32 %i
}
)",
    // Indirect branches, and a loop that is entered by one.
    R"(
declare void @g(i32)
@table = constant [2 x ptr] [ptr blockaddress(@f, %one), ptr blockaddress(@f, %two)]
define i32 @f(i32 %n) {
entry:
  %address = getelementptr [2 x ptr], ptr @table, i32 0, i32 %n
  %target = load ptr, ptr %address
  indirectbr ptr %target, [label %one, label %two]
one:
  %i = phi i32 [ 0, %entry ], [ %j, %one ]
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %n
  br i1 %c, label %one, label %two
two:
  %k = phi i32 [ 1, %entry ], [ %j, %one ], [ %k2, %three ]
  call void @g(i32 %k)
  %d = icmp ult i32 %k, 10
  br i1 %d, label %three, label %done
three:
  %k2 = add i32 %k, 3
  br label %two
done:
  ret i32 %k
}
)",
    // callbr, convergent and noduplicate calls, tokens.
    R"(
declare void @sync() convergent
declare void @once() noduplicate
declare i1 @c()
define i32 @f(i32 %n) {
entry:
  callbr void asm sideeffect "", "!i"() to label %head [label %other]
other:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %body ], [ 9, %other ]
  call void @sync()
  %c = call i1 @c()
  br i1 %c, label %body, label %next
body:
  %j = add i32 %i, 1
  br label %head
next:
  call void @once()
  %d = call i1 @c()
  br i1 %d, label %next2, label %done
next2:
  br label %next
done:
  ret i32 %i
}
)",
    // Unreachable predecessors, endless loops, a branch with equal targets.
    R"(
declare void @g(i32)
define i32 @f(i32 %n, i1 %c) {
entry:
  br i1 %c, label %head, label %head
dead:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ 0, %entry ], [ 3, %dead ], [ %j, %head ], [ %j, %head ]
  %j = add i32 %i, 1
  %t = icmp eq i32 %j, %n
  switch i32 %j, label %mid [ i32 10, label %head
                              i32 20, label %head
                              i32 30, label %endless ]
mid:
  br i1 true, label %exit, label %endless
endless:
  call void @g(i32 %j)
  br label %endless
exit:
  ret i32 %j
}
)",
    // Ends with one successor that are no plain branches, and addresses of blocks that are never reached.
    R"(
declare void @take(ptr, i64)
@table = constant [2 x ptr] [ptr blockaddress(@f, %dead), ptr blockaddress(@f, %exit)]
define i32 @f(i32 %n, i1 %c) {
entry:
  %x = callbr i32 asm sideeffect "", "=r"() to label %next []
next:
  %s = add i32 %x, %n
  switch i32 %s, label %mid [ ]
mid:
  br i1 %c, label %call, label %jump
call:
  callbr void asm sideeffect "", ""() to label %jump []
jump:
  %p = phi i32 [ 3, %mid ], [ %n, %call ]
  call void @take(ptr blockaddress(@f, %dead), i64 ptrtoint (ptr blockaddress(@f, %dead) to i64))
  %q = getelementptr [2 x ptr], ptr @table, i32 0, i32 %p
  %r = load ptr, ptr %q
  indirectbr ptr %r, [label %exit]
exit:
  %e = phi i32 [ %s, %jump ], [ 5, %dead ]
  ret i32 %e
dead:
  br label %exit
}
)"};

/// What LLVM misses in the loops of a function.
std::string llvm_misses(llvm::Function& f, bool is_closed) {
  const llvm::DominatorTree tree(f);
  const llvm::LoopInfo loops(tree);
  for (const llvm::Loop* const l : loops.getLoopsInPreorder()) {
    if (!l->isLoopSimplifyForm()) {
      return "not in loop-simplify form: " + l->getHeader()->getName().str() + to_text(f);
    }
    if (is_closed && !l->isRecursivelyLCSSAForm(tree, loops)) {
      return "not in LCSSA form: " + l->getHeader()->getName().str() + to_text(f);
    }
  }
  return {};
}

/// What a function does that is seen from outside.
struct observed_run {
  std::vector<std::uint64_t> events;
  bool has_ended = false;

  /// A run that was cut off agrees with what begins like it.
  friend bool agree(const observed_run& a, const observed_run& b) {
    const observed_run& shorter = a.events.size() < b.events.size() ? a : b;
    const observed_run& longer = a.events.size() < b.events.size() ? b : a;
    return std::equal(shorter.events.begin(), shorter.events.end(), longer.events.begin()) &&
           (shorter.events.size() == longer.events.size() || !shorter.has_ended);
  }
};

/// Runs a function of `random_llvm_function`: the arguments of its calls, and its result. Every third call throws, if
/// it can. Long runs are cut off.
observed_run run_of(llvm::Function& f, std::uint32_t first, std::uint32_t second) {
  std::map<const llvm::Value*, std::uint32_t> values{{f.getArg(0), first}, {f.getArg(1), second}};
  observed_run run;
  std::vector<std::uint64_t>& events = run.events;
  const auto value = [&](const llvm::Value* v) {
    const auto* const c = llvm::dyn_cast<llvm::ConstantInt>(v);
    return c != nullptr ? static_cast<std::uint32_t>(c->getZExtValue()) : values[v];
  };
  const llvm::BasicBlock* from = nullptr;
  const llvm::BasicBlock* at = &f.getEntryBlock();
  std::size_t arrivals = 0;
  while (++arrivals != 300) {
    std::vector<std::pair<const llvm::Value*, std::uint32_t>> arrived;
    for (const llvm::PHINode& phi : at->phis()) {
      arrived.emplace_back(&phi, value(phi.getIncomingValueForBlock(from)));
    }
    for (const auto& [phi, is] : arrived) {
      values[phi] = is;
    }
    const llvm::BasicBlock* next = nullptr;
    for (const llvm::Instruction& i : *at) {
      const auto arg = [&](unsigned k) { return value(i.getOperand(k)); };
      switch (i.getOpcode()) {
      case llvm::Instruction::Add:
        values[&i] = arg(0) + arg(1);
        break;
      case llvm::Instruction::Mul:
        values[&i] = arg(0) * arg(1);
        break;
      case llvm::Instruction::Xor:
        values[&i] = arg(0) ^ arg(1);
        break;
      case llvm::Instruction::And:
        values[&i] = arg(0) & arg(1);
        break;
      case llvm::Instruction::ICmp:
        values[&i] = static_cast<std::int32_t>(arg(0)) < static_cast<std::int32_t>(arg(1)) ? 1 : 0;
        break;
      case llvm::Instruction::Call:
      case llvm::Instruction::Invoke:
        events.push_back(arg(0));
        values[&i] = arg(0) * 5 + static_cast<std::uint32_t>(events.size());
        if (const auto* const invoke = llvm::dyn_cast<llvm::InvokeInst>(&i)) {
          next = events.size() % 3 == 0 ? invoke->getUnwindDest() : invoke->getNormalDest();
        }
        break;
      case llvm::Instruction::Br:
        next = i.getNumSuccessors() == 1 || (arg(0) & 1) != 0 ? i.getSuccessor(0) : i.getSuccessor(1);
        break;
      case llvm::Instruction::Switch: {
        const auto& choice = llvm::cast<llvm::SwitchInst>(i);
        next = choice.getDefaultDest();
        for (const auto& each : choice.cases()) {
          next = each.getCaseValue()->getZExtValue() == arg(0) ? each.getCaseSuccessor() : next;
        }
        break;
      }
      case llvm::Instruction::Ret:
        events.push_back(std::uint64_t{1} << 32 | arg(0));
        run.has_ended = true;
        return run;
      default: // phis and landing pads
        break;
      }
    }
    from = at;
    at = next;
  }
  return run;
}

} // namespace

TEST_CASE("llvm_editor: each transformation of small functions") {
  for (const char* const text : samples) {
    for (int s = 0; s != static_cast<int>(step::count); ++s) {
      const parsed_llvm m(text);
      {
        const llvm_editor editor(m.f());
        CHECK(editor.is_consistent());
        const auto error = midend::check_ir(editor);
        CHECK((error ? midend::to_text(*error) : std::string()) == "");
      }
      CHECK(complaint_after(static_cast<step>(s), m.f()) == "");
    }
  }
}

TEST_CASE("llvm_editor: random sequences of transformations of random functions") {
  random_source random(1);
  std::size_t functions = 0;
  std::size_t rotated = 0;
  for (std::size_t round = 0; round != affordable(200); ++round) {
    llvm::LLVMContext context;
    llvm::Module module("random", context);
    random_llvm_function generator(module, random, round % 3 == 0);
    llvm::Function& f = generator.make();
    REQUIRE(verifier_message(f) == "");
    const std::string original = to_text(f);
    CAPTURE(original);
    std::vector<observed_run> runs;
    for (std::uint32_t i = 0; i != 6; ++i) {
      runs.push_back(run_of(f, i, 5 - i));
    }
    for (std::uint32_t steps = 1 + random.below(4); steps != 0; --steps) {
      const auto s = static_cast<step>(random.below(static_cast<std::uint32_t>(step::count)));
      REQUIRE(complaint_after(s, f) == "");
      rotated += s == step::rotate ? 1u : 0u;
    }
    for (std::uint32_t i = 0; i != 6; ++i) {
      CAPTURE(to_text(f));
      REQUIRE(agree(runs[i], run_of(f, i, 5 - i)));
    }
    ++functions;
  }
  CHECK(rotated > functions / 4);
}

TEST_CASE("llvm_editor: LLVM finds the forms of loops that ours have") {
  random_source random(2);
  std::size_t complete = 0;
  for (std::size_t round = 0; round != affordable(300); ++round) {
    llvm::LLVMContext context;
    llvm::Module module("random", context);
    random_llvm_function generator(module, random, round % 3 == 0);
    llvm::Function& f = generator.make();
    llvm::EliminateUnreachableBlocks(f); // LLVM counts dead predecessors of exits
    const std::string original = to_text(f);
    CAPTURE(original);
    llvm_editor editor(f);
    const auto simple = midend::simplify_loops(editor);
    if (!simple.plan.refused.empty()) {
      continue;
    }
    CHECK(llvm_misses(editor.function(), false) == "");
    const auto closed = midend::close_loops(editor);
    CHECK(closed.plan.refused.empty());
    CHECK(llvm_misses(editor.function(), true) == "");
    CHECK(midend::simplify_loops(editor).plan.empty());
    CHECK(midend::close_loops(editor).plan.empty());
    ++complete;
  }
  CHECK(complete > affordable(300) / 2);
}

namespace {

/// Everything that an editor shows.
std::string shown(const llvm_editor& editor, std::size_t nodes) {
  std::string text;
  const auto& g = editor.graph();
  for (node_id n = 0; n != nodes; ++n) {
    text += "n" + std::to_string(n) + ":";
    for (const value_id v : editor.values(n)) {
      text += " v" + std::to_string(v) + "(";
      if (editor.is_phi(v)) {
        std::map<edge_id, value_id> inputs;
        for (const edge_id e : g.in_edges(n)) {
          inputs[e] = editor.phi_input(v, e);
        }
        for (const auto& [e, input] : inputs) {
          text += " e" + std::to_string(e) + " v" + std::to_string(input);
        }
      } else {
        for (const value_id operand : editor.operands(v)) {
          text += " v" + std::to_string(operand);
        }
      }
      text += ")";
    }
    for (const edge_id e : g.out_edges(n)) {
      const auto c = editor.condition(n) == no_value ? std::nullopt : editor.edge_case(e);
      text += " e" + std::to_string(e) + "->n" + std::to_string(g.edge_target(e)) + (c ? "=" + std::to_string(*c) : "");
    }
    text += "\n";
  }
  return text;
}

} // namespace

TEST_CASE("llvm_editor: what a recording editor did is taken back and repeated") {
  random_source random(3);
  std::size_t edits = 0;
  for (std::size_t round = 0; round != affordable(150); ++round) {
    llvm::LLVMContext context;
    llvm::Module module("random", context);
    random_llvm_function generator(module, random, round % 3 == 0);
    llvm::Function& f = generator.make();
    const std::string original = to_text(f);
    CAPTURE(original);
    midend::recording_editor<llvm_editor> editor(f);
    const std::size_t nodes = editor.graph().num_nodes();
    const std::string before = shown(editor, nodes);
    for (std::uint32_t steps = 1 + random.below(3); steps != 0; --steps) {
      apply(static_cast<step>(random.below(static_cast<std::uint32_t>(step::count))), editor);
    }
    REQUIRE(verifier_message(editor.function()) == "");
    edits += editor.num_edits();
    const auto log = editor.log();
    const std::string after = shown(editor, nodes);
    editor.undo();
    REQUIRE(editor.is_consistent());
    REQUIRE(shown(editor, nodes) == before);
    REQUIRE(verifier_message(editor.function()) == "");
    midend::replay(log, static_cast<llvm_editor&>(editor));
    REQUIRE(editor.is_consistent());
    REQUIRE(verifier_message(editor.function()) == "");
  }
  CHECK(edits > 1000);
}

TEST_CASE("llvm_editor: a function is what LLVM accepts after each random edit") {
  random_source random(4);
  std::size_t separated = 0;
  for (std::size_t round = 0; round != affordable(100); ++round) {
    llvm::LLVMContext context;
    llvm::Module module("random", context);
    random_llvm_function generator(module, random, round % 4 == 0);
    llvm::Function& f = generator.make();
    llvm::EliminateUnreachableBlocks(f); // so that edges lead where what phis read is computed
    const std::string original = to_text(f);
    CAPTURE(original);
    llvm_editor editor(f, {}, round % 2 == 0 ? llvm_value_numbers::of_the_start : llvm_value_numbers::when_asked);
    const auto& g = editor.graph();
    for (std::size_t edits = 0; edits != 25 && g.num_nodes() > 1; ++edits) {
      edit_randomly(editor, random);
      const std::size_t blocks = f.size();
      editor.finish();
      separated += f.size() > blocks ? 1u : 0u;
      REQUIRE(editor.is_consistent());
      const auto message = verifier_message(f);
      // A use may no longer be dominated after an edge was led elsewhere; everything else must hold.
      if (message.find("does not dominate") != std::string::npos) {
        break;
      }
      REQUIRE(message == "");
    }
  }
  CHECK(separated > affordable(100) / 10);
}

TEST_CASE("llvm_editor: refusals have reasons") {
  std::map<llvm_refusal, std::size_t> edges;
  std::map<llvm_refusal, std::size_t> copies;
  for (const char* const text : samples) {
    const parsed_llvm m(text);
    const llvm_editor editor(m.f());
    for (edge_id e = 0; e != editor.graph().num_edges(); ++e) {
      const llvm_refusal refusal = editor.redirect_refusal(e);
      CHECK(editor.may_redirect(e) == (refusal == llvm_refusal::none));
      CHECK((editor.is_exceptional(e) && refusal != llvm_refusal::funclet_edge) ==
            (refusal == llvm_refusal::exception_edge));
      ++edges[refusal];
    }
    for (node_id n = 0; n != editor.graph().num_nodes(); ++n) {
      for (const value_id v : editor.values(n)) {
        ++copies[editor.copy_refusal(v)];
      }
    }
  }
  CHECK(edges[llvm_refusal::exception_edge] == 2);
  CHECK(edges[llvm_refusal::indirect_branch] == 3);
  CHECK(edges[llvm_refusal::assembly_goto] == 1);
  CHECK(edges[llvm_refusal::address_taken] == 4);
  CHECK(copies[llvm_refusal::convergent] == 1);
  CHECK(copies[llvm_refusal::no_duplicate] == 1);
  CHECK(copies[llvm_refusal::indirect_branch] == 2);
  CHECK(copies[llvm_refusal::assembly_goto] == 3);
  CHECK(std::string(to_words(llvm_refusal::token)) == "the result is a token");
}

TEST_CASE("llvm_editor: an end with one successor and an effect stays") {
  const char* const text = R"(
define void @f(i1 %c) {
entry:
  br i1 %c, label %one, label %two
one:
  callbr void asm sideeffect "stays", ""() to label %two []
two:
  ret void
}
)";
  const parsed_llvm m(text);
  {
    llvm_editor editor(m.f());
    midend::clean_control(editor);
    midend::remove_dead_code(editor);
  }
  CHECK(to_text(m.f()).find("stays") != std::string::npos);
  // Nor is a program accepted in which it is a jump.
  for (const bool passes : {false, true}) {
    const parsed_llvm wrong(text);
    llvm::Function& copy = copy_of(wrong.f());
    {
      const llvm_editor before(copy);
      llvm_editor editor(wrong.f());
      const node_id one = 1;
      midend::unfolding_witness witness;
      witness.start(editor.graph().num_nodes(), editor.graph().num_edges(), editor.num_values());
      if (passes) { // the edge into it leads on
        const edge_id into = editor.graph().out_edges(0)[0];
        editor.redirect_edge(into, 2);
        editor.erase_nodes(midend::span<const node_id>(&one, 1));
      } else {
        editor.keep_edge(editor.graph().out_edges(one)[0]);
      }
      witness.grow(editor.graph().num_nodes(), editor.graph().num_edges(), editor.num_values());
      CHECK(!midend::verify_unfolding(before, editor, witness));
    }
    copy.eraseFromParent();
  }
}

TEST_CASE("llvm_editor: addresses of erased blocks") {
  const parsed_llvm m(R"(
declare void @take(ptr, i64)
define void @f() {
entry:
  call void @take(ptr blockaddress(@f, %dead), i64 ptrtoint (ptr blockaddress(@f, %dead) to i64))
  ret void
dead:
  ret void
}
)");
  const std::string original = to_text(m.f());
  midend::recording_editor<llvm_editor> editor(m.f());
  const node_id dead = 1;
  editor.erase_nodes(midend::span<const node_id>(&dead, 1));
  editor.undo();
  CHECK(to_text(editor.function()) == original); // also the addresses
  editor.erase_nodes(midend::span<const node_id>(&dead, 1));
  CHECK(complaint(editor) == "");
  const value_id call = *editor.values(0).begin();
  for (const value_id v : editor.operands(call)) {
    std::string text;
    llvm::raw_string_ostream(text) << *editor.value(v); // it is there
    CHECK(text.find("blockaddress") == std::string::npos);
    CHECK(editor.number(editor.value(v)) != midend::no_value);
  }
  CHECK(to_text(m.f()).find("call void @take(ptr inttoptr (i32 1 to ptr), i64 ") != std::string::npos);
}

TEST_CASE("llvm_editor: parallel edges with different inputs lead through blocks that are no nodes") {
  const parsed_llvm m(R"(
define i32 @f(i32 %n) {
entry:
  switch i32 %n, label %x [ i32 1, label %a
                            i32 2, label %b
                            i32 3, label %b ]
a:
  br label %x
b:
  br label %x
x:
  %r = phi i32 [ 0, %entry ], [ 1, %a ], [ 2, %b ]
  ret i32 %r
}
)");
  llvm::Function& copy = copy_of(m.f());
  {
    const llvm_editor before(copy);
    llvm_editor editor(m.f());
    const std::size_t nodes = editor.graph().num_nodes();
    CHECK(midend::plan_clean_control(editor).empty()); // the blocks keep the edges apart
    midend::control_plan plan;
    plan.epoch = editor.graph().epoch();
    plan.passed.push_back(1);
    plan.passed.push_back(2);
    const auto witness = midend::apply_clean_control(editor, plan);
    CHECK(midend::verify_unfolding(before, editor, witness));
    CHECK(complaint(editor) == "");
    CHECK(editor.graph().num_nodes() == nodes);
    CHECK(editor.graph().in_edges(3).size() == 4);
    CHECK(m.f().size() == 5); // for 1, for 2 and for 3
    const value_id r = *editor.values(3).begin();
    for (const edge_id e : editor.graph().in_edges(3)) {
      editor.set_phi_input(r, e, editor.make_number(32, 9));
    }
    CHECK(verifier_message(editor.function()) == "");
    CHECK(m.f().size() == 2);
  }
  CHECK(verifier_message(m.f()) == "");
}

TEST_CASE("llvm_editor: cleaning control comes to an end, also as a new editor sees it") {
  random_source random(6);
  std::size_t changed = 0;
  std::size_t kept = 0;
  for (std::size_t round = 0; round != affordable(200); ++round) {
    llvm::LLVMContext context;
    llvm::Module module("random", context);
    random_llvm_function generator(module, random, round % 3 == 0);
    llvm::Function& f = generator.make();
    const std::string original = to_text(f);
    CAPTURE(original);
    {
      llvm_editor editor(f);
      changed += midend::clean_control(editor) != 0 ? 1u : 0u;
      CHECK(midend::plan_clean_control(editor).empty());
    }
    REQUIRE(verifier_message(f) == "");
    llvm_editor editor(f);
    CHECK(midend::plan_clean_control(editor).empty());
    CHECK(midend::clean_control(editor) == 0);
    for (node_id n = 0; n != editor.graph().num_nodes(); ++n) { // nothing but what keeps edges apart
      kept += n != 0 && editor.block(n)->sizeWithoutDebug() == 1 && editor.graph().out_edges(n).size() == 1 ? 1u : 0u;
    }
  }
  CHECK(changed > affordable(200) / 2);
  CHECK(kept > affordable(200) / 50);
}

TEST_CASE("llvm_editor: a node that is entered no more goes at once if only phis after it read its values") {
  const char* const text = R"(
    define i32 @f(i1 %c, i32 %a) {
    entry:
      br i1 true, label %arm, label %other
    arm:
      br label %join
    other:
      %x = xor i1 %c, true
      br label %join
    join:
      %p = phi i1 [ true, %arm ], [ %x, %other ]
      br i1 %p, label %last, label %off
    off:
      %y = add i32 %a, 1
      br i1 %c, label %last, label %read
    read:
      %z = mul i32 %y, %y
      br label %last
    last:
      %r = phi i32 [ %a, %join ], [ %y, %off ], [ %z, %read ]
      ret i32 %r
    })";
  {
    const parsed_llvm m(text);
    const llvm_editor editor(m.f());
    CHECK_FALSE(editor.is_read_elsewhere(0));
    CHECK_FALSE(editor.is_read_elsewhere(2)); // by the phi, along the edge from there
    CHECK_FALSE(editor.is_read_elsewhere(3)); // what decides is read in the node
    CHECK(editor.is_read_elsewhere(4));
    CHECK_FALSE(editor.is_read_elsewhere(5));
  }
  for (const bool by_number : {false, true}) {
    CAPTURE(by_number);
    const parsed_llvm m(text);
    {
      llvm_editor editor(m.f());
      if (by_number) {
        midend::clean_control(editor, [](const midend::unfolding_witness&) {});
      } else {
        midend::clean_control(editor);
      }
      CHECK(complaint(editor) == "");
    }
    CHECK(verifier_message(m.f()) == "");
    CHECK(m.f().size() == 1);
    CHECK(m.f().getEntryBlock().size() == 1);
  }
}

TEST_CASE("llvm_editor: control is cleaned without numbers of values as it is with them") {
  random_source random(8);
  midend::llvm_editor_workspace memory;
  midend::clean_control_workspace workspace;
  std::size_t changed = 0;
  const auto body = [](const llvm::Function& g) { // LLVM's lists of predecessors and entries of phis have no order
    std::istringstream text(to_text(g));
    std::string result;
    std::string line;
    std::getline(text, line);
    while (std::getline(text, line)) {
      line.erase(std::min(line.find("; preds"), line.size()));
      if (line.find(" = phi ") != std::string::npos) {
        std::ranges::sort(line);
      }
      result += line + '\n';
    }
    return result;
  };
  const auto compare = [&](llvm::Function& f) {
    const std::string original = to_text(f);
    CAPTURE(original);
    llvm::Function& with = copy_of(f);
    llvm::Function& certified = copy_of(f);
    std::string cleaned;
    {
      llvm_editor editor(with);
      static_cast<void>(editor.num_values());
      midend::clean_control(editor, workspace);
      CHECK(editor.is_consistent());
    }
    {
      llvm_editor editor(certified);
      midend::clean_control(editor, [](const midend::unfolding_witness&) {}, workspace);
    }
    {
      llvm_editor editor(f, {}, memory, llvm_value_numbers::when_asked);
      changed += midend::clean_control(editor, workspace) != 0 ? 1u : 0u;
      cleaned = body(editor.function());
      if (random.below(2) == 0) { // what gets its number now is the function as it is
        CHECK(editor.is_consistent());
        CHECK(midend::plan_clean_control(editor).empty());
        const auto error = midend::check_ir(editor);
        CHECK((error ? midend::to_text(*error) : std::string()) == "");
        midend::remove_dead_code(editor);
        CHECK(editor.is_consistent());
      }
    }
    REQUIRE(verifier_message(f) == "");
    CHECK(body(with) == cleaned);
    CHECK(body(certified) == cleaned);
    with.eraseFromParent();
    certified.eraseFromParent();
  };
  for (const char* const text : samples) {
    const parsed_llvm m(text);
    compare(m.f());
  }
  for (std::size_t round = 0; round != affordable(300); ++round) {
    llvm::LLVMContext context;
    llvm::Module module("random", context);
    random_llvm_function generator(module, random, round % 3 == 0);
    compare(generator.make());
  }
  CHECK(changed > affordable(300) / 4);
}

TEST_CASE("llvm_editor: clean_control leaves llvm.loop at the latches") {
  // One latch is passed over, the other one appended.
  constexpr const char* text = R"(
define void @f(i32 %n) {
entry:
  br label %first
first:
  %i = phi i32 [ 0, %entry ], [ %j, %empty ]
  %j = add i32 %i, 1
  %go = icmp slt i32 %j, %n
  br i1 %go, label %empty, label %second
empty:
  br label %first, !llvm.loop !0
second:
  %k = phi i32 [ 0, %first ], [ %l, %latch ]
  %more = icmp slt i32 %k, %n
  br i1 %more, label %body, label %out
body:
  %m = mul i32 %k, 3
  br label %latch
latch:
  %l = add i32 %m, 1
  br label %second, !llvm.loop !1
out:
  ret void
}
!0 = distinct !{!0}
!1 = distinct !{!1}
)";
  for (const llvm_value_numbers numbers : {llvm_value_numbers::of_the_start, llvm_value_numbers::when_asked}) {
    const parsed_llvm m(text);
    {
      llvm_editor editor(m.f(), {}, numbers);
      midend::clean_control(editor);
    }
    const std::string cleaned = to_text(m.f());
    CAPTURE(cleaned);
    CHECK(m.f().size() == 5);
    std::size_t marks = 0;
    for (const llvm::BasicBlock& b : m.f()) {
      const bool has_mark = b.getTerminator()->getMetadata("llvm.loop") != nullptr;
      CHECK(has_mark == (b.getName() == "first" || b.getName() == "body"));
      marks += has_mark ? 1u : 0u;
    }
    CHECK(marks == 2);
  }
}

TEST_CASE("llvm_editor: a number is not that of the function before, whose memory is used again") {
  const parsed_llvm m(R"(
define i32 @g(i32 %n) {
  %a = add i32 %n, 41
  %b = add i32 %a, 42
  ret i32 %b
}
define i32 @f(i32 %n) {
  %a = mul i32 %n, 42
  ret i32 %a
}
)");
  midend::llvm_editor_workspace memory;
  for (const char* const name : {"g", "f"}) {
    llvm::Function& f = *m.module->getFunction(name);
    llvm_editor editor(f, {}, memory);
    llvm::Value* const constant = f.front().front().getOperand(1);
    CHECK(editor.number(constant) == f.getInstructionCount() + 1); // after the argument
    CHECK(editor.number(f.getArg(0)) == f.getInstructionCount());
    CHECK(editor.constant(editor.make_number(32, 43)) == 43u);
  }
}

TEST_CASE("llvm_editor: numbers are those of llvm_ssa, in whatever order they are asked for") {
  random_source random(7);
  midend::llvm_editor_workspace memory;
  const auto compare = [&](llvm::Function& f) {
    const midend::llvm_ssa view(f);
    for (int way = 0; way != 4; ++way) {
      const llvm_editor fresh(f);
      const llvm_editor again(f, {}, memory);
      const llvm_editor& editor = way % 2 == 0 ? fresh : again;
      const auto& g = view.graph();
      REQUIRE(editor.graph().num_nodes() == g.num_nodes());
      REQUIRE(editor.graph().num_edges() == g.num_edges());
      for (edge_id e = 0; e != g.num_edges(); ++e) {
        CHECK(editor.graph().edge_source(e) == g.edge_source(e));
        CHECK(editor.graph().edge_target(e) == g.edge_target(e));
      }
      std::vector<value_id> all;
      for (value_id v = 0; v != view.num_values(); ++v) {
        all.push_back(v);
      }
      for (std::size_t i = all.size(); way != 0 && i > 1; --i) { // some order
        std::swap(all[i - 1], all[random.below(static_cast<std::uint32_t>(i))]);
      }
      for (const value_id v : all) {
        if (way == 2) {
          CHECK(editor.number(view.value(v)) == v);
        }
        CHECK(editor.value(v) == view.value(v));
        CHECK(editor.is_phi(v) == view.is_phi(v));
        CHECK(editor.operation(v) == view.operation(v));
        CHECK(editor.is_opaque(v) == view.is_opaque(v));
        CHECK(std::ranges::equal(editor.operands(v), view.operands(v)));
        CHECK(editor.number(view.value(v)) == v);
      }
      for (node_id n = 0; n != g.num_nodes(); ++n) {
        CHECK(std::ranges::equal(editor.values(n), view.values(n)));
        CHECK(editor.condition(n) == view.condition(n));
      }
      CHECK(editor.num_values() == view.num_values());
    }
  };
  for (const char* const text : samples) {
    const parsed_llvm m(text);
    compare(m.f());
  }
  for (std::size_t round = 0; round != affordable(30); ++round) {
    llvm::LLVMContext context;
    llvm::Module module("random", context);
    random_llvm_function generator(module, random, round % 3 == 0);
    compare(generator.make());
  }
}

TEST_CASE("llvm_editor: metadata of loops stays at the ends of latches") {
  const char* const text = R"(
declare void @g(i32)
declare i1 @c()
define i32 @f(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %outer
body:
  call void @g(i32 %i)
  %next = add nuw nsw i32 %i, 1
  br label %head, !llvm.loop !0
outer:
  %d = call i1 @c()
  br i1 %d, label %left, label %right
left:
  br label %outer, !llvm.loop !1
right:
  %e = call i1 @c()
  br i1 %e, label %outer, label %exit, !llvm.loop !1
exit:
  ret i32 0
}
!0 = distinct !{!0}
!1 = distinct !{!1}
)";
  for (const step s : {step::simplify, step::rotate, step::clean}) {
    CAPTURE(name_of(s));
    const parsed_llvm m(text);
    std::vector<llvm::MDNode*> expected;
    for (const llvm::BasicBlock& b : m.f()) {
      llvm::MDNode* const loop = b.getTerminator()->getMetadata(llvm::LLVMContext::MD_loop);
      if (loop != nullptr && (expected.empty() || expected.back() != loop)) {
        expected.push_back(loop);
      }
    }
    REQUIRE(expected.size() == 2);
    {
      llvm_editor editor(m.f());
      apply(s, editor);
    }
    const llvm::DominatorTree tree(m.f());
    const llvm::LoopInfo loops(tree);
    std::vector<llvm::MDNode*> found;
    for (const llvm::Loop* const l : loops.getLoopsInPreorder()) {
      found.push_back(l->getLoopID());
    }
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    CHECK(found == expected);
    std::size_t marked = 0;
    for (const llvm::BasicBlock& b : m.f()) {
      marked += b.getTerminator()->getMetadata(llvm::LLVMContext::MD_loop) != nullptr ? 1u : 0u;
    }
    CHECK(marked == (s == step::clean ? 3 : 2));
  }
}

TEST_CASE("llvm_editor: debug records name what is there") {
  const char* const text = R"(
declare void @g(i32)
define i32 @f(i32 %n) !dbg !4 {
entry:
    #dbg_value(i32 %n, !7, !DIExpression(), !9)
  br label %head, !dbg !9
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
    #dbg_value(i32 %i, !7, !DIExpression(), !9)
  %dead = add i32 %i, 3, !dbg !9
    #dbg_value(i32 %dead, !7, !DIExpression(), !9)
  %c = icmp slt i32 %i, %n, !dbg !9
  br i1 %c, label %body, label %exit, !dbg !9
body:
    #dbg_value(i32 %i, !7, !DIExpression(), !9)
  call void @g(i32 %i), !dbg !9
  %next = add nuw nsw i32 %i, 1, !dbg !9
    #dbg_value(i32 %next, !7, !DIExpression(), !9)
  br label %head, !dbg !9
exit:
  ret i32 %i, !dbg !9
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition, retainedNodes: !8)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocalVariable(name: "v", scope: !4, file: !1, line: 1, type: !10)
!8 = !{!7}
!9 = !DILocation(line: 2, column: 1, scope: !4)
!10 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
)";
  const auto records = [](llvm::Function& f) {
    std::size_t count = 0;
    for (llvm::Instruction& i : llvm::instructions(f)) {
      for (const llvm::DbgVariableRecord& r : llvm::filterDbgVars(i.getDbgRecordRange())) {
        ++count;
        for (const llvm::Value* const v : r.location_ops()) {
          const auto* const named = llvm::dyn_cast<llvm::Instruction>(v);
          CHECK((named == nullptr || named->getParent() != nullptr));
        }
      }
    }
    return count;
  };
  for (const bool is_old : {false, true}) {
    for (int s = 0; s != static_cast<int>(step::count); ++s) {
      const parsed_llvm m(text);
      m.module->setIsNewDbgInfoFormat(!is_old);
      CAPTURE(name_of(static_cast<step>(s)));
      if (is_old) { // the module is then of another form than the function, and the verifier says so
        llvm_editor editor(m.f());
        apply(static_cast<step>(s), editor);
      } else {
        CHECK(complaint_after(static_cast<step>(s), m.f()) == "");
      }
      CHECK(m.f().IsNewDbgInfoFormat == !is_old);
      m.module->setIsNewDbgInfoFormat(true);
      const std::size_t count = records(m.f());
      CHECK(count == (static_cast<step>(s) == step::rotate ? 7 : 5));
      if (static_cast<step>(s) == step::rotate) { // the body reads a phi, and so does the record there
        CHECK(to_text(m.f()).find("#dbg_value(i32 %i5") != std::string::npos);
      }
      CHECK(!llvm::verifyModule(*m.module));
    }
  }
  const parsed_llvm m(text);
  {
    llvm_editor editor(m.f());
    midend::remove_dead_code(editor);
  }
  CHECK(to_text(m.f()).find("DW_OP_plus_uconst, 3") != std::string::npos); // what the sum was
}

TEST_CASE("llvm_editor: records of an erased block go with it") {
  const parsed_llvm m(R"(
declare void @g(i32)
define i32 @f(i32 %n) !dbg !4 {
entry:
  %a = add i32 %n, 1, !dbg !9
  br i1 false, label %never, label %exit, !dbg !9
never:
  call void @g(i32 %a), !dbg !9
    #dbg_value(i32 %a, !7, !DIExpression(), !9)
  br label %exit, !dbg !9
exit:
    #dbg_value(i32 %a, !7, !DIExpression(), !9)
  ret i32 %a, !dbg !9
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocalVariable(name: "v", scope: !4, file: !1, line: 1, type: !10)
!9 = !DILocation(line: 2, column: 1, scope: !4)
!10 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
)");
  CHECK(complaint_after(step::clean, m.f()) == "");
  CHECK(m.f().size() == 1);
  CHECK(to_text(m.f()).find("#dbg_value(i32 %a") != std::string::npos);
}

TEST_CASE("llvm_editor: a made operation reads what LLVM's instruction reads") {
  // LLVM has no negation and no complement of integers: they are 0 - x and x ^ -1.
  const parsed_llvm m("define i32 @f(i32 %x) {\n  ret i32 %x\n}");
  llvm_editor editor(m.f());
  const value_id x[] = {editor.parameters().front()};
  for (const midend::operation code : {midend::operation::neg, midend::operation::bit_not}) {
    CAPTURE(static_cast<int>(code));
    const value_id v = editor.make_operation({code, 32, 32, {}}, x, place_at_end(0));
    const auto* const made = llvm::cast<llvm::Instruction>(editor.value(v));
    const auto operands = editor.operands(v);
    REQUIRE(operands.size() == made->getNumOperands());
    for (unsigned i = 0; i != made->getNumOperands(); ++i) {
      CHECK(editor.value(operands[i]) == made->getOperand(i));
    }
  }
  CHECK(verifier_message(m.f()).empty());
}

TEST_CASE("llvm_editor: tokens get no phis") {
  const parsed_llvm m(R"(
declare token @llvm.experimental.convergence.anchor() convergent
declare void @g(i32) convergent
declare i1 @c()
define i32 @f(i32 %n) convergent {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %head ]
  %t = call token @llvm.experimental.convergence.anchor()
  %j = add i32 %i, 1
  %c = call i1 @c()
  br i1 %c, label %head, label %exit
exit:
  call void @g(i32 %j) [ "convergencectrl"(token %t) ]
  ret i32 0
}
)");
  {
    llvm_editor editor(m.f());
    const auto closed = midend::close_loops(editor);
    CHECK(closed.plan.phis.size() == 1);
    REQUIRE(closed.plan.refused.size() == 1);
    CHECK(closed.plan.refused[0].why == midend::closing_refusal_reason::cannot_have_phi);
    CHECK(midend::rotate_loops(editor).plan.empty());
    CHECK(editor.is_consistent());
    for (const value_id v : editor.values(1)) {
      if (!editor.may_insert_phi(v)) {
        CHECK(editor.copy_refusal(v) == llvm_refusal::token);
      }
    }
  }
  CHECK(verifier_message(m.f()) == "");
}

TEST_CASE("llvm_editor: constants that sccp finds are applied") {
  random_source random(5);
  std::size_t replaced = 0;
  for (std::size_t round = 0; round != affordable(100); ++round) {
    llvm::LLVMContext context;
    llvm::Module module("random", context);
    random_llvm_function generator(module, random, round % 3 == 0);
    llvm::Function& f = generator.make();
    const std::string original = to_text(f);
    CAPTURE(original);
    std::vector<observed_run> runs;
    for (std::uint32_t i = 0; i != 4; ++i) {
      runs.push_back(run_of(f, i, 5 - i));
    }
    {
      llvm_editor editor(f);
      const auto plan = midend::plan_sccp(editor, midend::sccp(editor, midend::flat_domain<>()));
      midend::apply_sccp(editor, plan);
      replaced += plan.replacements.size() + plan.kept_edges.size();
      REQUIRE(complaint(editor) == "");
    }
    for (std::uint32_t i = 0; i != 4; ++i) {
      CAPTURE(to_text(f));
      REQUIRE(agree(runs[i], run_of(f, i, 5 - i)));
    }
  }
  CHECK(replaced > affordable(100) / 4);
}

TEST_CASE("llvm_editor: merged blocks keep their records, and markers are no dead code") {
  const parsed_llvm m(R"(
declare void @llvm.assume(i1)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
declare i32 @pure(i32) memory(none) nounwind willreturn
define i32 @f(i32 %n) !dbg !4 {
entry:
  %slot = alloca i32
  call void @llvm.lifetime.start.p0(i64 4, ptr %slot)
  br label %b
b:
    #dbg_value(i32 %n, !7, !DIExpression(), !9)
  %a = add i32 %n, 1
    #dbg_value(i32 %a, !7, !DIExpression(), !9)
  %known = icmp sgt i32 %n, 0
  call void @llvm.assume(i1 %known)
  %unused = call i32 @pure(i32 %n)
    #dbg_value(i32 3, !7, !DIExpression(), !9)
  br label %c
c:
    #dbg_value(i32 4, !7, !DIExpression(), !9)
  call void @llvm.lifetime.end.p0(i64 4, ptr %slot)
  ret i32 %a
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition, retainedNodes: !8)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocalVariable(name: "v", scope: !4, file: !1, line: 1, type: !10)
!8 = !{!7}
!9 = !DILocation(line: 2, column: 1, scope: !4)
!10 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
)");
  CHECK(complaint_after(step::clean, m.f()) == "");
  CHECK(complaint_after(step::dead, m.f()) == "");
  CHECK(m.f().size() == 1);
  const std::string text = to_text(m.f());
  std::size_t last = 0;
  for (const char* const part : {"lifetime.start", "#dbg_value(i32 %n", "%a = add", "#dbg_value(i32 %a", "llvm.assume",
                                 "#dbg_value(i32 3", "#dbg_value(i32 4", "lifetime.end", "ret i32"}) {
    CAPTURE(text);
    const std::size_t at = text.find(part, last);
    REQUIRE_MESSAGE(at != std::string::npos, part);
    last = at;
  }
  CHECK(text.find("@pure") == std::string::npos);
}
