// llvm_to_eir [--alias=any|types|sites|objects|none] [--leaf] [--refused] [--histogram] FILE.bc|FILE.ll...: the
// functions of modules as procedures of the Elbrus-like IR, on standard output; on standard error how many translate,
// and how often which reason keeps others from it.
//
//   --alias      where alias classes come from: TBAA or the variables, whichever there is (any), or one of them, or
//                variables and arguments that are `noalias` (objects)
//   --leaf       only functions without calls
//   --refused    name each function that does not translate on standard error, with the reason and the instruction
//   --histogram  no procedures, only counts
#include "translate.hpp"

#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace {

namespace elbrus = midend::elbrus;

struct options {
  llvm_to_eir::translation_options translation;
  bool leaf = false;
  bool names_refused = false;
  bool only_counts = false;
  std::vector<std::string> files;
};

/// False for an option that there is not.
bool read_option(std::string_view text, options& out) {
  using llvm_to_eir::alias_source;
  constexpr std::pair<std::string_view, alias_source> sources[] = {{"any", alias_source::any},
                                                                   {"types", alias_source::types},
                                                                   {"sites", alias_source::sites},
                                                                   {"objects", alias_source::objects},
                                                                   {"none", alias_source::none}};
  if (text == "--leaf") {
    out.leaf = true;
  } else if (text == "--refused") {
    out.names_refused = true;
  } else if (text == "--histogram") {
    out.only_counts = true;
  } else if (text.starts_with("--alias=")) {
    text.remove_prefix(text.find('=') + 1);
    const auto* const found =
        std::find_if(std::begin(sources), std::end(sources), [&](const auto& source) { return source.first == text; });
    if (found == std::end(sources)) {
      return false;
    }
    out.translation.alias = found->second;
  } else if (text.starts_with("-")) {
    return false;
  } else {
    out.files.emplace_back(text);
  }
  return true;
}

bool has_calls(const elbrus::procedure& p) {
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    for (const midend::value_id v : p.values(n)) {
      if (p.value(v).code == elbrus::opcode::call) {
        return true;
      }
    }
  }
  return false;
}

/// What became of the functions of all modules.
struct counts {
  std::size_t translated = 0;
  std::size_t refused = 0;
  std::map<std::string, std::size_t> reasons;
};

/// The number of errors that the verifier finds, which are errors of the translation.
std::size_t report_errors(const elbrus::program& all) {
  const auto errors = elbrus::verify(all);
  for (const elbrus::diagnostic& error : errors) {
    llvm::errs() << "error: " << error.message << "\n";
  }
  return errors.size();
}

/// False if the result is wrong.
bool translate_module(const llvm::Module& m, const options& o, counts& out) {
  elbrus::program all;
  for (const llvm::Function& f : m) {
    if (f.isDeclaration()) {
      continue;
    }
    auto result = llvm_to_eir::translate(f, o.translation);
    if (auto* const p = std::get_if<elbrus::procedure>(&result)) {
      ++out.translated;
      if (!o.leaf || !has_calls(*p)) {
        all.procedures.push_back(std::move(*p));
      }
      continue;
    }
    const auto& refused = std::get<llvm_to_eir::refusal>(result);
    ++out.refused;
    ++out.reasons[refused.reason];
    if (o.names_refused) {
      llvm::errs() << f.getName() << ": " << refused.reason << ": " << refused.where << "\n";
    }
  }
  if (!o.only_counts) {
    llvm::outs() << elbrus::to_text(all);
  }
  return report_errors(all) == 0;
}

void print_histogram(const counts& c) {
  llvm::errs() << c.translated << " of " << c.translated + c.refused << " functions translate\n";
  std::vector<std::pair<std::string, std::size_t>> rows(c.reasons.begin(), c.reasons.end());
  std::ranges::sort(rows, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  for (const auto& [reason, count] : rows) {
    llvm::errs() << "  " << llvm::right_justify(std::to_string(count), 6) << "  " << reason << "\n";
  }
}

} // namespace

int main(int argc, char** argv) {
  options o;
  for (int i = 1; i != argc; ++i) {
    if (!read_option(argv[i], o)) {
      llvm::errs() << "llvm_to_eir: " << argv[i] << " is no option\n";
      return 2;
    }
  }
  counts c;
  bool is_right = true;
  for (const std::string& file : o.files) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic error;
    const std::unique_ptr<llvm::Module> m = llvm::parseIRFile(file, error, context);
    if (m == nullptr) {
      error.print("llvm_to_eir", llvm::errs());
      return 2;
    }
    is_right = translate_module(*m, o, c) && is_right;
  }
  print_histogram(c);
  return is_right ? 0 : 1;
}
