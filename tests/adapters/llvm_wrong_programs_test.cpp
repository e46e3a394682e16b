// Seeded mistakes, written as LLVM IR: which of them LLVM's parser and verifier find. The table is in
// docs/certificates.md.
#include "transform/wrong_programs.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/opcode.hpp>
#include <midend/elbrus/type.hpp>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

using namespace midend_tests;
using midend::no_value;
using midend::value_id;
namespace elbrus = midend::elbrus;
using elbrus::opcode;
using elbrus::type;

namespace {

/// A procedure of integers, pointers, calls and branches as the text of a module. Operands that are not set have a name
/// that is nowhere defined.
class llvm_writer {
public:
  explicit llvm_writer(const elbrus::procedure& p) : p_(p) {}

  std::string module() {
    text_ = "declare i32 @h(...)\ndeclare void @note(...)\ndeclare void @host_note(...)\n\ndefine " +
            name(p_.result_type()) + " @f(";
    for (const value_id v : p_.parameters()) {
      text_ += (v == p_.parameters()[0] ? "" : ", ") + typed(v);
    }
    text_ += ") {\n";
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      if (!p_.node(n).erased) {
        node(n);
      }
    }
    return text_ + "}\n";
  }

private:
  static std::string name(type t) {
    return t == type::none ? "void" : t == type::ptr ? "ptr" : "i" + std::to_string(elbrus::width_of(t));
  }

  std::string value(value_id v) const {
    if (v == no_value) {
      return "%missing";
    }
    const elbrus::value_record& record = p_.value(v);
    return record.kind == elbrus::value_kind::undefined  ? "undef"
           : record.kind != elbrus::value_kind::constant ? "%v" + std::to_string(v)
           : record.type == type::i1                     ? (p_.literal_bits(v) != 0 ? "true" : "false")
                                                         : std::to_string(p_.literal_bits(v));
  }

  std::string typed(value_id v) const { return (v == no_value ? "i32" : name(p_.value(v).type)) + " " + value(v); }

  static std::string label(node_id n) { return "%b" + std::to_string(n); }

  /// The target, or a block on the edge if others lead from the source to it too: LLVM's phis have inputs by block.
  std::string label_of_edge(edge_id e) const {
    return is_parallel(e) ? "%e" + std::to_string(e) : label(p_.edge_target(e));
  }

  bool is_parallel(edge_id e) const {
    bool others = false;
    for (const edge_id f : p_.out_edges(p_.edge_source(e))) {
      others = others || (f != e && p_.edge_target(f) == p_.edge_target(e));
    }
    return others;
  }

  void node(node_id n) {
    text_ += label(n).substr(1) + ":\n";
    for (const value_id v : p_.values(n)) {
      operation(v);
    }
    for (const edge_id e : p_.out_edges(n)) {
      if (is_parallel(e)) {
        text_ += "e" + std::to_string(e) + ":\n  br label " + label(p_.edge_target(e)) + "\n";
      }
    }
  }

  void operation(value_id v) {
    const elbrus::value_record& record = p_.value(v);
    const auto operands = p_.operands(v);
    const std::string result = value(v) + " = ";
    const auto word = [&](std::string_view op) {
      std::string read = name(operands[0] == no_value ? type::i32 : p_.value(operands[0]).type) + " ";
      read = read == "ptr " ? "i64 " : read;
      for (std::size_t i = 0; i != operands.size(); ++i) {
        read += (i == 0 ? "" : ", ") + number(v, operands[i]);
      }
      text_ += "  " + result + std::string(op) + (record.flags.nsw ? " nsw " : " ") + read + "\n";
    };
    switch (record.code) {
    case opcode::mov:
      text_ += "  " + result + "select i1 true, " + typed(operands[0]) + ", " + typed(operands[0]) + "\n";
      return;
    case opcode::select:
      text_ +=
          "  " + result + "select " + typed(operands[0]) + ", " + typed(operands[1]) + ", " + typed(operands[2]) + "\n";
      return;
    case opcode::add:
    case opcode::sub:
    case opcode::mul:
    case opcode::bit_and:
    case opcode::bit_or:
    case opcode::bit_xor:
    case opcode::shl:
      return word(elbrus::opcode_table[static_cast<std::size_t>(record.code)].name);
    case opcode::div:
      return word("sdiv");
    case opcode::rem:
      return word("srem");
    case opcode::sar:
      return word("ashr");
    case opcode::shr:
      return word("lshr");
    case opcode::bit_not:
      text_ += "  " + result + "xor " + typed(operands[0]) + ", -1\n";
      return;
    case opcode::trunc:
    case opcode::sext:
    case opcode::zext:
      text_ += "  " + result + std::string(elbrus::opcode_table[static_cast<std::size_t>(record.code)].name) + " " +
               typed(operands[0]) + " to " + name(record.type) + "\n";
      return;
    case opcode::cmp_eq:
      return word("icmp eq");
    case opcode::cmp_gt:
      return word("icmp sgt");
    case opcode::cmp_ne:
      return word("icmp ne");
    case opcode::cmp_lt:
      return word("icmp slt");
    case opcode::cmp_le:
      return word("icmp sle");
    case opcode::cmp_ult:
      return word("icmp ult");
    case opcode::ld:
      address(v, operands);
      text_ += "  " + result + "load " + (record.flags.is_volatile ? "volatile " : "") + name(record.type) +
               ", ptr %p" + std::to_string(v) + "\n";
      return;
    case opcode::st:
      address(v, operands.subspan(1));
      text_ += std::string("  store ") + (record.flags.is_volatile ? "volatile " : "") + typed(operands[0]) +
               ", ptr %p" + std::to_string(v) + "\n";
      return;
    case opcode::call:
      text_ += "  " + (record.type == type::none ? std::string() : result) + "call " + name(record.type) + " (...) @" +
               std::string(p_.text(p_.call(v).callee)) + "(";
      for (std::size_t i = 0; i != operands.size(); ++i) {
        text_ += (i == 0 ? "" : ", ") + typed(operands[i]);
      }
      text_ += ")\n";
      return;
    case opcode::phi: {
      text_ += "  " + result + "phi " + name(record.type);
      bool is_first = true;
      for (const edge_id e : p_.in_edges(record.node)) {
        text_ += (is_first ? " [ " : ", [ ") + value(p_.phi_input(v, e)) + ", " +
                 (is_parallel(e) ? label_of_edge(e) : label(p_.edge_source(e))) + " ]";
        is_first = false;
      }
      text_ += "\n";
      return;
    }
    case opcode::jump:
      text_ += "  br label " + label_of_edge(p_.out_edges(record.node)[0]) + "\n";
      return;
    case opcode::branch:
    case opcode::switch_:
      branch(v, operands[0]);
      return;
    case opcode::ret:
      text_ += operands.empty() ? "  ret void\n" : "  ret " + typed(operands[0]) + "\n";
      return;
    default:
      FAIL("an operation that has no word here: ", elbrus::name_of(record.code));
    }
  }

  /// An operand of `user` in arithmetic, for which a pointer is a number.
  std::string number(value_id user, value_id v) {
    if (v == no_value || p_.value(v).type != type::ptr) {
      return value(v);
    }
    const std::string made = "%n" + std::to_string(user) + "." + std::to_string(v);
    text_ += "  " + made + " = ptrtoint " + typed(v) + " to i64\n";
    return made;
  }

  /// A branch on a bit is a switch too, so that its cases may be wrong.
  void branch(value_id v, value_id condition) {
    std::string otherwise = "%missing";
    std::string cases;
    const auto edges = p_.out_edges(p_.value(v).node);
    for (const edge_id e : edges) {
      const bool is_last = p_.value(v).code == opcode::branch && e == edges[edges.size() - 1];
      if (p_.edge(e).is_default || is_last) {
        otherwise = label_of_edge(e);
      } else {
        cases += " " + name(p_.value(condition).type) + " " + std::to_string(p_.case_value(e)) + ", label " +
                 label_of_edge(e);
      }
    }
    text_ += "  switch " + typed(condition) + ", label " + otherwise + " [" + cases + " ]\n";
  }

  template <class Operands> void address(value_id v, const Operands& operands) {
    const elbrus::memory_access& access = p_.access(v);
    const std::string number = std::to_string(v);
    std::string offset = std::to_string(access.offset);
    if (access.indexed) {
      const bool is_wide = operands[1] != no_value && p_.value(operands[1]).type == type::i64;
      text_ += is_wide ? "" : "  %x" + number + " = sext " + typed(operands[1]) + " to i64\n";
      const std::string index = is_wide ? value(operands[1]) : "%x" + number;
      text_ += "  %y" + number + " = mul i64 " + index + ", " + std::to_string(access.scale) + "\n  %z" + number +
               " = add i64 %y" + number + ", " + offset + "\n";
      offset = "%z" + number;
    }
    std::string base = typed(operands[0]);
    if (operands[0] != no_value && p_.value(operands[0]).type == type::i64) {
      text_ += "  %a" + number + " = inttoptr " + base + " to ptr\n";
      base = "ptr %a" + number;
    }
    text_ += "  %p" + number + " = getelementptr i8, " + base + ", i64 " + offset + "\n";
  }

  const elbrus::procedure& p_;
  std::string text_;
};

/// What LLVM has against a procedure, or nothing.
std::string objection_of_llvm(const elbrus::procedure& p) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(llvm_writer(p).module(), problem, context);
  if (!module) {
    return problem.getMessage().str();
  }
  return llvm::verifyModule(*module) ? "the verifier" : "";
}

} // namespace

TEST_CASE("seeded mistakes that LLVM's verifier finds") {
  std::map<std::string_view, std::size_t> table;
  std::string_view last;
  for_each_wrong_program([&](const wrong_program& p) {
    if (p.certificate != last) {
      last = p.certificate;
      const std::string objection = objection_of_llvm(p.before);
      CHECK_MESSAGE(objection.empty(), p.certificate, ": ", objection, "\n", llvm_writer(p.before).module());
    }
    table[p.certificate] += objection_of_llvm(p.after).empty() ? 0u : 1u;
  });
  for (const auto& [certificate, found] : table) {
    MESSAGE(certificate, ": ", found);
  }
  CHECK(table.size() == 10);        // certificates with wrong programs
  CHECK(table["replacement"] <= 2); // a wrong value where another one may be read, too
  CHECK(table["unfolding"] > 10);
}
