/// What tests of interchange and collapse have in common: nests in text, run before and after.
#pragma once

#include "kit/run_text.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/run_equivalence.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/induction/evolutions.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/transform/collapse.hpp>
#include <midend/transform/interchange.hpp>
#include <midend/transform/verify_collapse.hpp>
#include <midend/transform/verify_interchange.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace midend_tests {

/// What is wrong with a procedure in itself, or nothing.
inline std::string why_broken(const midend::elbrus::procedure& p) {
  for (const midend::elbrus::diagnostic& error : midend::elbrus::verify(p)) {
    return error.message;
  }
  return midend::check_ir(midend::elbrus::semantic_view(p)) ? "check_ir finds an error" : "";
}

/// Promises by one edge that a loop ends.
struct view_with_promise : midend::elbrus::cost_view {
  view_with_promise(const midend::elbrus::procedure& p, midend::edge_id e) : cost_view(p), promised(e) {}

  bool must_end(midend::edge_id e) const { return e == promised; }

  midend::edge_id promised;
};

/// Gives all loads and stores the same class, in the runs of one loop.
inline void put_into_local_class(midend::elbrus::procedure& p, midend::node_id scope) {
  const midend::elbrus::alias_id c = p.alias_class("local");
  for (midend::value_id v = 0; v != p.num_values(); ++v) {
    const auto code = p.is_operation(v) ? p.core(v).code : midend::elbrus::opcode::mov;
    if (code == midend::elbrus::opcode::ld || code == midend::elbrus::opcode::st) {
      p.set_local_class(v, c, scope);
    }
  }
}

/// Plans without facts.
inline midend::interchange_plan planned_interchange(const midend::elbrus::procedure& p,
                                                    const midend::interchange_options& options = {}) {
  const midend::elbrus::cost_view view(p);
  const auto flow = midend::dominators_and_loops(p);
  return midend::plan_interchange(view, flow, midend::evolutions(view, flow.loops), {}, options);
}

inline midend::collapse_plan planned_collapse(const midend::elbrus::procedure& p,
                                              const midend::collapse_options& options = {}) {
  const midend::elbrus::cost_view view(p);
  const auto flow = midend::dominators_and_loops(p);
  return midend::plan_collapse(view, flow.loops, midend::evolutions(view, flow.loops), options);
}

/// Runs the first procedure of a program whose parameters are one array of bytes and then numbers of 64 bits.
inline midend::elbrus::run_result run_nest_program(const midend::elbrus::program& all,
                                                   const std::vector<std::uint64_t>& numbers, std::size_t bytes,
                                                   std::size_t steps = 100'000) {
  namespace elbrus = midend::elbrus;
  elbrus::memory memory;
  std::vector<unsigned char> contents(bytes);
  for (std::size_t i = 0; i != bytes; ++i) {
    contents[i] = static_cast<unsigned char>(i * 37 + 11);
  }
  // In the middle, so that offsets may be negative.
  const std::uint64_t address = memory.add("a", contents) + bytes / 2;
  std::vector<elbrus::scalar> arguments{{elbrus::type::ptr, address}};
  for (const std::uint64_t n : numbers) {
    arguments.push_back({elbrus::type::i64, n});
  }
  elbrus::run_options options;
  options.step_limit = steps;
  return elbrus::interpreter(all).run(0, arguments, std::move(memory), options);
}

/// Calls `visit(p)` for copies of a procedure with one mistake each, all well-formed: another operand, or another input
/// of a phi, of the same type; another promise.
template <class Visit> void for_each_mistake(const midend::elbrus::procedure& right, Visit visit) {
  namespace elbrus = midend::elbrus;
  const auto values = static_cast<midend::value_id>(right.num_values());
  const auto try_one = [&](auto damage) {
    elbrus::procedure wrong = right;
    elbrus::editor e(wrong);
    damage(e);
    if (why_broken(wrong).empty()) {
      visit(wrong);
    }
  };
  for (midend::value_id v = 0; v != values; ++v) {
    if (!right.is_operation(v)) {
      continue;
    }
    if (right.is_phi(v)) {
      for (const midend::edge_id edge : right.in_edges(right.core(v).node)) {
        for (midend::value_id x = 0; x != values; ++x) {
          if (right.core(x).type == right.core(v).type && x != right.phi_input(v, edge)) {
            try_one([&](elbrus::editor& e) { e.set_phi_input(v, edge, x); });
          }
        }
      }
      continue;
    }
    for (std::size_t i = 0; i != right.operands(v).size(); ++i) {
      for (midend::value_id x = 0; x != values; ++x) {
        if (right.core(x).type == right.core(right.operands(v)[i]).type && x != right.operands(v)[i]) {
          try_one([&](elbrus::editor& e) { e.set_operand(v, i, x); });
        }
      }
    }
    if (right.core(v).code == elbrus::opcode::add && !right.core(v).flags.nsw) {
      try_one([&](elbrus::editor& e) { e.set_promises(v, ~std::uint64_t{0}); });
    }
  }
}

/// A loop that counts, in text.
struct counter_text {
  unsigned width = 64;
  int start = 0;
  int step = 1;
  std::string bound = "4";
  std::string comparison = "lt";
  bool inverted = false; ///< leaves if the comparison holds
  std::string flags = {};
  bool tests_phi = false; ///< of a loop that tests after its body: the number of this iteration, not of the next one
};

/// Two loops around a body, which is lines that read `%i` and `%j` in 64 bits, and returns `result`. `phis` are two
/// lines for the two headers.
inline std::string nest_text(const counter_text& outer, const counter_text& inner, bool rotated,
                             const std::string& between, const std::string& body, bool reduces = false,
                             const std::string& step = {}) {
  const auto type = [](const counter_text& c) { return ".i" + std::to_string(c.width); };
  const auto test = [&](const counter_text& c, const std::string& name, bool first) {
    const std::string read = first || c.tests_phi ? "%n" + name : "%n" + name + "1";
    return "    %c" + name + " = cmp." + c.comparison + type(c) + " " + read + ", " + c.bound + "\n";
  };
  const auto branch = [](const counter_text& c, const std::string& name, const std::string& in,
                         const std::string& out) {
    return "    br %c" + name + " ? " + (c.inverted ? out + " : " + in : in + " : " + out) + "\n";
  };
  const auto next = [&](const counter_text& c, const std::string& name) {
    return "    %n" + name + "1 = add" + type(c) + " %n" + name + ", " + std::to_string(c.step) + c.flags + "\n";
  };
  const auto wide = [&](const counter_text& c, const std::string& name) {
    return "    %" + name + " = " +
           (c.width == 64 ? "mov.i64 %n" + name : "sext.i" + std::to_string(c.width) + ".i64 %n" + name) + "\n";
  };
  std::string out =
      "proc @f(%a: ptr, %p: i64, %q: i64) -> i64 {\n  node entry:\n    br rows\n  node rows:\n    %ni = phi" +
      type(outer) + " [entry: " + std::to_string(outer.start) + "], [next_row: %ni1]\n";
  const std::string back = rotated ? "%u" : "%t";
  out += reduces ? "    %s = phi.i64 [entry: 7], [next_row: " + back + "]\n" : "";
  if (!rotated) {
    out += test(outer, "i", true) + branch(outer, "i", "row", "exit") + "  node row:\n";
  }
  out += wide(outer, "i") + between + "    br columns\n  node columns:\n    %nj = phi" + type(inner) + " [" +
         (rotated ? "rows" : "row") + ": " + std::to_string(inner.start) + "], [" + (rotated ? "columns" : "column") +
         ": %nj1]\n";
  out += reduces ? std::string("    %t = phi.i64 [") + (rotated ? "rows" : "row") + ": %s], [" +
                       (rotated ? "columns" : "column") + ": %u]\n"
                 : "";
  if (!rotated) {
    out += test(inner, "j", true) + branch(inner, "j", "column", "next_row") + "  node column:\n";
  }
  out += wide(inner, "j") + body + (reduces ? "    %u = " + step + "\n" : "") + next(inner, "j");
  out += rotated ? test(inner, "j", false) + branch(inner, "j", "columns", "next_row") : "    br columns\n";
  out += "  node next_row:\n" + next(outer, "i");
  out += rotated ? test(outer, "i", false) + branch(outer, "i", "rows", "exit") : "    br rows\n";
  return out + "  node exit:\n    ret " + (reduces ? (rotated ? "%u" : "%s") : "0") + "\n}\n";
}

} // namespace midend_tests
