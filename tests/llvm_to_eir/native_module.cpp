// native_module FILE.bc OUT.bc: the functions without calls and `undef` that llvm_to_eir translates, to be compiled and
// called by compare_runs. For each there is a function `native.NAME` of one address: the arguments are there, 8 bytes
// each, as the procedure takes them, places in memory among them; the result goes there.
#include "examples/llvm_to_eir/places.hpp"
#include "examples/llvm_to_eir/refusal.hpp"
#include "examples/llvm_to_eir/vocabulary.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace {

using llvm_to_eir::intrinsic_kind;

bool becomes_call(const llvm::Instruction& i) {
  if (const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) {
    const intrinsic_kind kind = llvm_to_eir::kind_of(intrinsic->getIntrinsicID());
    return kind == intrinsic_kind::copies_memory || kind == intrinsic_kind::traps;
  }
  return llvm::isa<llvm::CallBase>(i);
}

/// The machine may take anything for it.
bool reads_undefined(const llvm::Instruction& i) {
  return std::ranges::any_of(i.operand_values(), [](const llvm::Value* v) { return llvm::isa<llvm::UndefValue>(v); });
}

/// The machine makes some integer of a number that does not fit, and llvm_to_eir another one.
bool may_convert_to_poison(const llvm::Instruction& i) {
  return llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst>(i) && !llvm::programUndefinedIfPoison(&i);
}

bool is_wanted(const llvm::Function& f) {
  return !f.isDeclaration() && !llvm_to_eir::refusal_of(f) && !f.getReturnType()->isX86_FP80Ty() &&
         std::ranges::none_of(f.args(), [](const llvm::Argument& a) { return a.getType()->isX86_FP80Ty(); }) &&
         std::ranges::none_of(llvm::instructions(f), becomes_call) &&
         std::ranges::none_of(llvm::instructions(f), may_convert_to_poison) &&
         std::ranges::none_of(llvm::instructions(f), reads_undefined);
}

void erase_lifetimes(llvm::Function& f) {
  std::vector<llvm::Instruction*> gone;
  for (llvm::Instruction& i : llvm::instructions(f)) {
    if (auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
        call != nullptr && llvm_to_eir::kind_of(call->getIntrinsicID()) == intrinsic_kind::nothing) {
      gone.push_back(call);
    }
  }
  for (llvm::Instruction* const i : gone) {
    i->eraseFromParent();
  }
}

/// Reads a parameter in place of a local variable or a global.
void replace_place(llvm::Function& f, llvm::Value& place, llvm::Argument& by) {
  if (auto* const a = llvm::dyn_cast<llvm::AllocaInst>(&place)) {
    a->replaceAllUsesWith(&by);
    a->eraseFromParent();
    return;
  }
  auto* const global = llvm::cast<llvm::GlobalValue>(&place);
  llvm::convertUsersOfConstantsToInstructions({global}, &f, false);
  global->replaceUsesWithIf(&by, [&f](const llvm::Use& use) {
    const auto* const i = llvm::dyn_cast<llvm::Instruction>(use.getUser());
    return i != nullptr && i->getFunction() == &f;
  });
}

/// The function with the parameters of the procedure.
llvm::Function* with_places(llvm::Function& f) {
  const auto places = llvm_to_eir::places_of(f);
  std::vector<llvm::Type*> types(f.getFunctionType()->params());
  types.insert(types.end(), places.size(), llvm::PointerType::get(f.getContext(), 0));
  llvm::Function* const out =
      llvm::Function::Create(llvm::FunctionType::get(f.getReturnType(), types, false), llvm::Function::InternalLinkage,
                             "places." + f.getName(), f.getParent());
  llvm::ValueToValueMapTy map;
  for (llvm::Argument& a : f.args()) {
    map[&a] = out->getArg(a.getArgNo());
  }
  llvm::SmallVector<llvm::ReturnInst*, 8> returns;
  llvm::CloneFunctionInto(out, &f, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
  out->setVisibility(llvm::GlobalValue::DefaultVisibility);
  out->setDSOLocal(true);
  erase_lifetimes(*out);
  for (std::size_t k = 0; k != places.size(); ++k) {
    auto* const place = const_cast<llvm::Value*>(places[k]);
    llvm::Value* const here = llvm::isa<llvm::AllocaInst>(place) ? static_cast<llvm::Value*>(map[place]) : place;
    replace_place(*out, *here, *out->getArg(static_cast<unsigned>(f.arg_size() + k)));
  }
  return out;
}

llvm::Value* from_word(llvm::IRBuilder<>& b, llvm::Value* word, llvm::Type* t) {
  if (t->isPointerTy()) {
    return b.CreateIntToPtr(word, t);
  }
  llvm::Value* const bits = b.CreateTrunc(word, b.getIntNTy(t->getScalarSizeInBits()));
  return b.CreateBitCast(bits, t);
}

llvm::Value* to_word(llvm::IRBuilder<>& b, llvm::Value* v) {
  if (v->getType()->isPointerTy()) {
    return b.CreatePtrToInt(v, b.getInt64Ty());
  }
  return b.CreateZExt(b.CreateBitCast(v, b.getIntNTy(v->getType()->getScalarSizeInBits())), b.getInt64Ty());
}

/// `native.NAME`.
void add_entry(llvm::Function& f, llvm::StringRef name) {
  llvm::LLVMContext& context = f.getContext();
  auto* const type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {llvm::PointerType::get(context, 0)}, false);
  llvm::Function* const entry =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, "native." + name, f.getParent());
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "", entry));
  std::vector<llvm::Value*> arguments;
  for (llvm::Argument& a : f.args()) {
    llvm::Value* const word =
        b.CreateLoad(b.getInt64Ty(), b.CreateConstGEP1_64(b.getInt64Ty(), entry->getArg(0), a.getArgNo()));
    arguments.push_back(from_word(b, word, a.getType()));
  }
  llvm::CallInst* const call = b.CreateCall(&f, arguments);
  call->setAttributes(f.getAttributes());
  call->setCallingConv(f.getCallingConv());
  if (!call->getType()->isVoidTy()) {
    b.CreateStore(to_word(b, call), entry->getArg(0));
  }
  b.CreateRetVoid();
}

/// What is left of the module: no code and no data of its own.
void erase_others(llvm::Module& m, const std::vector<llvm::Function*>& originals) {
  for (llvm::Function* const f : originals) {
    f->deleteBody();
    f->setComdat(nullptr);
  }
  for (llvm::GlobalVariable& g : m.globals()) {
    g.setInitializer(nullptr);
    g.setLinkage(llvm::GlobalValue::ExternalLinkage);
    g.setComdat(nullptr);
  }
  std::vector<llvm::GlobalValue*> unused;
  for (llvm::GlobalValue& g : m.global_values()) {
    g.removeDeadConstantUsers();
    if ((g.isDeclaration() || llvm::isa<llvm::GlobalAlias>(g)) && g.use_empty()) {
      unused.push_back(&g);
    }
  }
  for (llvm::GlobalValue* const g : unused) {
    g->eraseFromParent();
  }
}

int write_module(const llvm::Module& m, const char* name) {
  if (llvm::verifyModule(m, &llvm::errs())) {
    return 1;
  }
  std::error_code error;
  llvm::raw_fd_ostream out(name, error, llvm::sys::fs::OF_None);
  if (error) {
    llvm::errs() << name << ": " << error.message() << "\n";
    return 2;
  }
  llvm::WriteBitcodeToFile(m, out);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    llvm::errs() << "native_module FILE.bc OUT.bc\n";
    return 2;
  }
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const std::unique_ptr<llvm::Module> m = llvm::parseIRFile(argv[1], error, context);
  if (m == nullptr) {
    error.print("native_module", llvm::errs());
    return 2;
  }
  std::vector<llvm::Function*> originals;
  for (llvm::Function& f : *m) {
    if (!f.isDeclaration()) {
      originals.push_back(&f);
    }
  }
  for (llvm::Function* const f : originals) {
    if (is_wanted(*f)) {
      add_entry(*with_places(*f), f->getName());
    }
  }
  erase_others(*m, originals);
  return write_module(*m, argv[2]);
}
