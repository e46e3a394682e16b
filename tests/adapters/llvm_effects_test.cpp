// The effects rung of LLVM's instructions: each question, instruction by instruction, by LLVM's definition; and what
// moves out of loops because of the answers.
#include "kit/llvm_functions.hpp"

#include <midend/adapters/llvm_congruence.hpp>
#include <midend/adapters/llvm_editor.hpp>
#include <midend/adapters/llvm_effects.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/ssa/value_numbering_plan.hpp>
#include <midend/transform/hoist_invariants.hpp>
#include <midend/transform/verify_motion.hpp>

#include <doctest/doctest.h>

#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
using midend::no_value;
using midend::node_id;
using midend::value_id;

namespace {

node_id node_named(const midend::llvm_editor& e, std::string_view name) {
  for (node_id n = 0; n != e.graph().num_nodes(); ++n) {
    if (e.block(n)->getName() == llvm::StringRef(name.data(), name.size())) {
      return n;
    }
  }
  return midend::no_node;
}

/// The answers about an instruction: what its effect is (`-` none, `r` reads, `w` writes, `?` unknown), then a letter
/// for each question with the answer yes: R removable, S the same again, C convergent, T may trap, U may trap without
/// promises, D may be duplicated, N may not return, V volatile.
std::string answers(const midend::llvm_editor& e, value_id v) {
  constexpr char effects[] = {'-', 'r', 'w', '?'};
  std::string out(1, effects[static_cast<int>(e.effect(v))]);
  out += midend::is_removable(e, v) ? "R" : "";
  out += e.is_repeatable(v) ? "S" : "";
  out += e.is_convergent(v) ? "C" : "";
  out += e.may_trap(v) ? "T" : "";
  out += e.may_trap_without_promises(v) ? "U" : "";
  out += e.may_duplicate(v) ? "D" : "";
  out += e.may_not_return(v) ? "N" : "";
  out += e.is_volatile(v) ? "V" : "";
  return out;
}

struct row {
  const char* code; ///< the last instruction is asked about
  const char* expected;
  const char* attributes = ""; ///< of the function
};

const char* const declarations = R"(
declare void @unknown()
declare i32 @pure(i32) nounwind willreturn memory(none)
declare i32 @endless(i32) nounwind memory(none)
declare i32 @throws(i32) willreturn memory(none)
declare i32 @spec(i32) nounwind willreturn memory(none) speculatable
declare ptr @spec_ptr(i32) nounwind willreturn memory(none) speculatable
declare i32 @spec_noundef(i32 noundef) nounwind willreturn memory(none) speculatable
declare i32 @ballot(i32) convergent nounwind willreturn memory(none)
declare i32 @unique(i32) noduplicate nounwind willreturn memory(none)
declare i32 @reads(i32) nounwind willreturn memory(read)
declare i32 @hidden() nounwind willreturn memory(inaccessiblemem: read)
declare i32 @clock() nounwind willreturn memory(inaccessiblemem: readwrite)
declare i32 @twice() returns_twice nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.anchor()
declare void @llvm.assume(i1)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i1 @llvm.is.constant.i32(i32)
declare ptr @llvm.stacksave.p0()
declare ptr @llvm.threadlocal.address.p0(ptr)
declare i64 @llvm.read_register.i64(metadata)
declare float @llvm.experimental.constrained.fadd.f32(float, float, metadata, metadata)
declare void @llvm.experimental.noalias.scope.decl(metadata)
declare void @llvm.sideeffect()
declare ptr @llvm.coro.frame()
@tls = thread_local global i32 0
)";

const row table[] = {
    // Arithmetic: poison is no trap.
    {"%x = add nsw nuw i32 %a, %b", "-RSD"},
    {"%x = shl i32 %a, %b", "-RSD"},
    {"%x = or disjoint i32 %a, %b", "-RSD"},
    {"%x = zext nneg i32 %a to i64", "-RSD"},
    {"%x = fadd nnan float %g, %g", "-RSD"},
    {"%x = udiv exact i32 %a, 4", "-RSD"},
    {"%x = sdiv i32 %a, 3", "-RSD"},
    {"%x = sdiv i32 %a, -1", "-RSTUD"},
    {"%x = sdiv i32 %a, %b", "-RSTUD"},
    {"%x = urem i32 %a, 0", "-RSTUD"},
    {"%x = getelementptr inbounds i32, ptr %p, i32 %a", "-RSD"},
    {"%x = select i1 %k, i32 %a, i32 %b", "-RSD"},
    {"%x = freeze i32 %a", "-RSD"}, // it may choose what it chose before
    // Slots are others each time; more of them take more of the stack.
    {"%x = alloca i32", "-RTUD"},
    {"%x = alloca i32, i32 %a", "-RTUD"},
    {"%x = alloca swifterror ptr", "-RTU"},
    // Loads: what they promise, and how long that lasts.
    {"%x = load i32, ptr %p", "rRSTUD"},
    {"%x = load i32, ptr %d", "rRSD"},
    {"%x = load i32, ptr %d, !range !0", "rRSD"},
    {"%x = load i32, ptr %d, !range !0, !noundef !1", "rRSTD"},
    {"%x = load ptr, ptr %d, !nonnull !1", "rRSD"},
    {"%x = load ptr, ptr %d, !align !2", "rRSD"},
    {"%x = load ptr, ptr %d, !dereferenceable !2", "rRSTD"},
    {"%x = load ptr, ptr %d, !dereferenceable_or_null !2", "rRSTD"},
    {"%x = load i32, ptr %d, !invariant.load !1", "rRSTD"},
    {"%x = load i32, ptr %d, !tbaa !3", "rRSTD"},
    {"%x = load i32, ptr %d, !noalias !6", "rRSTD"},
    {"%x = load i32, ptr %d, !nontemporal !8", "rRSD"},
    {"%x = load i32, ptr %d, !annotation !9", "rRSD"},
    {"%q = load ptr, ptr %d, !dereferenceable !2\n  %x = load i32, ptr %q, align 1", "rRSTUD"},
    {"%q = alloca i32\n  %x = load i32, ptr %q", "rRSD"},
    {"%x = load volatile i32, ptr %d", "wSTUDV"},
    {"%x = load atomic i32, ptr %d unordered, align 4", "rRSD"},
    {"%x = load atomic i32, ptr %d monotonic, align 4", "?STUD"},
    {"store i32 %a, ptr %d", "wSTUD"},
    {"store volatile i32 %a, ptr %d", "wSTUDV"},
    {"%x = atomicrmw add ptr %d, i32 %a seq_cst", "?STUD"},
    {"%x = cmpxchg ptr %d, i32 %a, i32 %b seq_cst seq_cst", "?STUD"},
    {"fence seq_cst", "?STUD"},
    {"%x = va_arg ptr %p, i32", "wSTUD"},
    // Calls.
    {"call void @unknown()", "?STUDN"},
    {"%x = call i32 @pure(i32 %a)", "-RSTUD"},
    {"%x = call i32 @endless(i32 %a)", "-STUDN"},
    {"%x = call i32 @throws(i32 %a)", "-STUDN"},
    {"%x = call i32 @reads(i32 %a)", "rRSTUD"},
    {"%x = call i32 @hidden()", "rRSTUD"},
    {"%x = call i32 @clock()", "?STUD"},
    {"%x = call i32 @spec(i32 %a)", "-RSD"},
    {"%x = call noundef i32 @spec(i32 %a)", "-RSTD"},
    {"%x = call i32 @spec(i32 noundef %a)", "-RSTD"},
    {"%x = call range(i32 0, 5) i32 @spec(i32 %a)", "-RSD"},
    {"%x = call nonnull align 8 ptr @spec_ptr(i32 %a)", "-RSD"},
    {"%x = call dereferenceable(4) ptr @spec_ptr(i32 %a)", "-RSTD"},
    {"%x = call dereferenceable_or_null(4) ptr @spec_ptr(i32 %a)", "-RSTD"},
    {"%x = call i32 @spec_noundef(i32 %a)", "-RSTUD"}, // the declaration keeps its promise
    {"%x = call i32 @pure(i32 %a) [ \"deopt\"(i32 %b) ]", "rRSTUD"},
    {"%x = call i32 asm \"nop\", \"=r,r\"(i32 %a) nounwind willreturn memory(none)", "-RSTUD"},
    {"%x = call i32 asm sideeffect \"nop\", \"=r,r\"(i32 %a)", "?STUDN"},
    {"%x = call i32 @twice()", "-RTU"},
    {"%x = call i32 @unique(i32 %a)", "-RSTU"},
    // Convergent: which threads run it together decides.
    {"%x = call i32 @ballot(i32 %a)", "-RSCTU"},
    {"%x = call i32 @pure(i32 %a) convergent", "-RSCTU"},
    {"%x = call token @llvm.experimental.convergence.anchor()", "-RCTU"},
    {"%t = call token @llvm.experimental.convergence.anchor()\n"
     "  %x = call i32 @ballot(i32 %a) [ \"convergencectrl\"(token %t) ]",
     "?SCTU"}, // LLVM takes the bundle to read and write
    {"%x = call i1 @llvm.is.constant.i32(i32 %a)", "-RSCTU"},
    // Intrinsics.
    {"%x = call i32 @llvm.ctlz.i32(i32 %a, i1 true)", "-RSD"},
    {"%x = call noundef i32 @llvm.ctlz.i32(i32 %a, i1 true)", "-RSTD"},
    {"call void @llvm.assume(i1 %k)", "?STUD"},
    {"call void @llvm.sideeffect()", "?STUD"},
    {"%x = call ptr @llvm.stacksave.p0()", "?STUD"},
    {"%x = call i64 @llvm.read_register.i64(metadata !10)", "rRTUD"},
    {"%x = call ptr @llvm.threadlocal.address.p0(ptr @tls)", "-RSD"},
    {"%x = call float @llvm.experimental.constrained.fadd.f32(float %g, float %g, metadata !\"round.dynamic\", "
     "metadata !\"fpexcept.strict\") strictfp",
     "?STUD", "strictfp"},
    {"call void @llvm.experimental.noalias.scope.decl(metadata !6)", "?STU"},
    // A coroutine may go on in another thread.
    {"%x = call ptr @llvm.threadlocal.address.p0(ptr @tls)", "-RD", "presplitcoroutine"},
    {"%x = call i32 @pure(i32 %a)", "-RTUD", "presplitcoroutine"},
    {"%x = call ptr @llvm.coro.frame()", "-TUDN", "presplitcoroutine"},
    {"%x = add i32 %a, %b", "-RSD", "presplitcoroutine"},
};

const char* const metadata = R"(
!0 = !{i32 0, i32 2}
!1 = !{}
!2 = !{i64 8}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"tbaa"}
!6 = !{!7}
!7 = distinct !{!7, !11}
!8 = !{i32 1}
!9 = !{!"note"}
!10 = !{!"rsp\00"}
!11 = distinct !{!11}
)";

std::string module_with(const row& r) {
  return std::string(declarations) +
         "define void @f(i32 %a, i32 %b, i1 %k, ptr %p, ptr dereferenceable(8) align 8 %d, float %g) nofree nosync " +
         r.attributes + " {\nentry:\n  " + r.code + "\n  ret void\n}\n" + metadata;
}

/// A function and a copy of it from before.
struct edited {
  explicit edited(const std::string& text) : parsed(text) {
    llvm::ValueToValueMapTy map;
    old = llvm::CloneFunction(&parsed.f(), map);
    before = std::make_unique<midend::llvm_editor>(*old);
    after = std::make_unique<midend::llvm_editor>(parsed.f());
  }

  midend::change_fault fault() const { return midend::verify_motion(*before, *after).fault; }

  bool is_valid() {
    std::string text;
    llvm::raw_string_ostream out(text);
    const bool wrong = llvm::verifyFunction(after->function(), &out);
    CHECK_MESSAGE(!wrong, text);
    return !wrong;
  }

  std::string home(const char* name) const {
    return after->block(after->node_of(named(*after, name)))->getName().str();
  }

  void move(const char* v, const char* n) {
    after->move_value(named(*after, v), midend::place_at_end(node_named(*after, n)));
  }

  parsed_llvm parsed;
  llvm::Function* old;
  std::unique_ptr<midend::llvm_editor> before;
  std::unique_ptr<midend::llvm_editor> after;
};

/// A loop with one operation, in the header or in a branch that may not run.
std::string loop_with(const std::string& code, bool guarded, const char* more = "") {
  const std::string body = guarded ? "  br i1 %k, label %then, label %next\nthen:\n  " + code + "\n  br label %next\n"
                                   : "  " + code + "\n  br label %next\n";
  return std::string(declarations) + "declare void @use(...)\ndeclare void @sync() convergent\n" +
         "define void @f(i32 %a, i32 %b, i1 %k, ptr %p, ptr dereferenceable(8) align 8 %d, i32 %n) nofree nosync " +
         more + " {\nentry:\n  br label %head\nhead:\n  %i = phi i32 [ 0, %entry ], [ %j, %next ]\n" + body +
         "next:\n  %j = add i32 %i, 1\n  %c = icmp ult i32 %j, %n\n  br i1 %c, label %head, label %done\n" +
         "done:\n  ret void\n}\n" + metadata;
}

} // namespace

TEST_CASE("each question of the effects rung has LLVM's answer, instruction by instruction") {
  for (const row& r : table) {
    const parsed_llvm p(module_with(r));
    midend::llvm_editor e(p.f());
    const node_id entry = e.graph().entry();
    value_id asked = no_value;
    for (const value_id v : e.values(entry)) {
      asked = e.is_terminator(v) ? asked : v;
    }
    REQUIRE(asked != no_value);
    const std::string found = answers(e, asked);
    CHECK_MESSAGE(found == r.expected, std::string(r.code) << " " << std::string(r.attributes) << ": " << found);
    if (e.may_trap(asked) && !e.may_trap_without_promises(asked)) {
      e.drop_promises(asked);
      CHECK_MESSAGE(!e.may_trap(asked), std::string(r.code));
    }
  }
}

TEST_CASE("blocks whose end does more than to branch accept no operations") {
  const parsed_llvm p(R"(
    declare void @g()
    declare i32 @__CxxFrameHandler3(...)
    define void @f(i1 %k, i32 %a) personality ptr @__CxxFrameHandler3 {
    branches:
      br i1 %k, label %switches, label %jumps
    jumps:
      br label %switches
    switches:
      switch i32 %a, label %invokes [ i32 1, label %returns ]
    invokes:
      invoke void @g() to label %asm unwind label %catchswitches
    asm:
      callbr void asm "", ""() to label %returns []
    catchswitches:
      %s = catchswitch within none [label %catchrets] unwind label %cleanuprets
    catchrets:
      %p = catchpad within %s [ptr null, i32 64, ptr null]
      catchret from %p to label %returns
    cleanuprets:
      %q = cleanuppad within none []
      cleanupret from %q unwind to caller
    returns:
      ret void
    }
  )");
  const midend::llvm_editor e(p.f());
  for (const char* name : {"branches", "jumps", "switches", "returns"}) {
    CHECK_MESSAGE(e.accepts_operations(node_named(e, name)), std::string(name));
  }
  for (const char* name : {"invokes", "asm", "catchswitches", "catchrets", "cleanuprets"}) {
    CHECK_MESSAGE(!e.accepts_operations(node_named(e, name)), std::string(name));
  }
}

TEST_CASE(
    "hoist_invariants moves each instruction of a loop only if it may give the same, and run early, and with others") {
  // The rows by what the loop does with the instruction: it leaves, and it loses its promises if it is guarded.
  for (const row& r : table) {
    const std::string_view code = r.code;
    if (code.substr(0, 5) != "%x = " || code.find("%g") != std::string_view::npos || *r.attributes == 's' ||
        code.find("swifterror") != std::string_view::npos) {
      continue;
    }
    for (const bool guarded : {false, true}) {
      edited e(loop_with(r.code, guarded, r.attributes));
      const value_id v = named(*e.after, "x");
      const midend::effect_kind effect = e.before->effect(v);
      const std::string_view yes = std::string_view(r.expected).substr(1);
      const auto has = [&](char c) { return yes.find(c) != std::string_view::npos; };
      const bool is_value = (effect == midend::effect_kind::none || effect == midend::effect_kind::reads) && has('R');
      const bool leaves = is_value && has('S') && !has('C') && !(guarded && has('U'));
      const midend::hoisting_plan plan = midend::hoist_invariants(*e.after);
      CHECK_MESSAGE((e.home("x") == "entry") == leaves, std::string(r.code), guarded);
      CHECK_MESSAGE(e.fault() == midend::change_fault::none, std::string(r.code), guarded);
      CHECK(e.is_valid());
      if (leaves) {
        CHECK_MESSAGE(!(guarded && e.after->may_trap(v)), std::string(r.code));
        continue;
      }
      // A motion by hand is rejected.
      e.move("x", "entry");
      CHECK_MESSAGE(e.fault() != midend::change_fault::none, std::string(r.code), guarded);
    }
  }
}

TEST_CASE("verify_motion rejects what hoist_invariants once did: slots, convergent calls, kept promises, funclets") {
  struct wrong {
    const char* code;
    bool guarded;
    midend::change_fault fault;
  };

  for (const wrong& w :
       {wrong{"%x = alloca i32", false, midend::change_fault::not_repeatable},
        wrong{"%x = call i32 @ballot(i32 %a)", false, midend::change_fault::convergent},
        wrong{"%x = call token @llvm.experimental.convergence.anchor()", false, midend::change_fault::not_repeatable},
        wrong{"%x = load i32, ptr %d, !noundef !1", true, midend::change_fault::early_trap},
        wrong{"%x = call noundef i32 @llvm.ctlz.i32(i32 %a, i1 true)", true, midend::change_fault::early_trap},
        wrong{"%x = call i32 @llvm.ctlz.i32(i32 noundef %a, i1 true)", true, midend::change_fault::early_trap}}) {
    edited e(loop_with(w.code, w.guarded));
    e.move("x", "entry");
    CHECK_MESSAGE(e.fault() == w.fault, std::string(w.code), static_cast<int>(e.fault()));
  }
  edited e(R"(
    target triple = "x86_64-pc-windows-msvc"
    declare void @thr()
    declare i32 @__CxxFrameHandler3(...)
    define void @f(i32 %a, i32 %n) personality ptr @__CxxFrameHandler3 {
    entry:
      invoke void @thr() to label %out unwind label %cs
    cs:
      %s = catchswitch within none [label %cp] unwind to caller
    cp:
      %p = catchpad within %s [ptr null, i32 64, ptr null]
      catchret from %p to label %head
    head:
      %i = phi i32 [ 0, %cp ], [ %j, %head ]
      %x = mul i32 %a, 3
      %j = add i32 %i, %x
      %c = icmp ult i32 %j, %n
      br i1 %c, label %head, label %out
    out:
      ret void
    })");
  const midend::hoisting_plan plan = midend::hoist_invariants(*e.after);
  CHECK(plan.moves.empty());
  REQUIRE(plan.refused.size() == 1);
  CHECK(plan.refused[0].why == midend::hoisting_refusal_reason::closed_preheader);
  e.move("x", "cp");
  CHECK(e.fault() == midend::change_fault::closed_node);
}

TEST_CASE("a load whose address an early load promises does not rely on a promise that goes") {
  edited e(loop_with("%q = load ptr, ptr %d, align 8, !dereferenceable !2\n  %x = load i32, ptr %q, align 1", true));
  midend::hoist_invariants(*e.after);
  CHECK(e.home("q") == "entry");
  CHECK(e.home("x") == "then");
  CHECK(e.fault() == midend::change_fault::none);
}

TEST_CASE("value numbering merges no slots, no convergent calls, and no calls of a coroutine") {
  const auto merged = [](const std::string& first, const std::string& second, const char* attributes) {
    const parsed_llvm p(std::string(declarations) + "define void @f(i32 %a) " + attributes + " {\n  %x = " + first +
                        "\n  %y = " + second + "\n  ret void\n}\n");
    const midend::llvm_congruence ir(p.f());
    const auto found = midend::value_numbering(ir);
    return found.class_of(0) == found.class_of(1);
  };
  const auto twice = [&](const std::string& code, const char* attributes = "") {
    return merged(code, code, attributes);
  };
  CHECK(twice("add i32 %a, 1"));
  CHECK(twice("call i32 @pure(i32 %a)"));
  CHECK(twice("call ptr @llvm.threadlocal.address.p0(ptr @tls)"));
  CHECK(!twice("alloca i32"));
  CHECK(!twice("freeze i32 %a"));
  CHECK(!twice("call i32 @ballot(i32 %a)"));
  CHECK(!twice("call i1 @llvm.is.constant.i32(i32 %a)"));
  CHECK(!twice("call i32 @pure(i32 %a) nomerge"));
  CHECK(!twice("call ptr @llvm.threadlocal.address.p0(ptr @tls)", "presplitcoroutine"));
  CHECK(!twice("call i32 @pure(i32 %a)", "presplitcoroutine"));
}
