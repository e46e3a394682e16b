#include "kit/shrink_program.hpp"

#include "kit/test_graph.hpp"

#include <midend/elbrus/literal.hpp>
#include <midend/elbrus/opcode.hpp>
#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/graph/depth_first_order.hpp>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>
#include <vector>

namespace midend_tests {

namespace elbrus = midend::elbrus;
using elbrus::opcode;
using elbrus::procedure;
using elbrus::type;
using elbrus::value_kind;
using midend::edge_id;
using midend::no_value;
using midend::value_id;

namespace {

/// The operations that are not ends of nodes, in order.
std::vector<value_id> removable(const procedure& p) {
  std::vector<value_id> out;
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    for (const value_id v : p.values(n)) {
      if (!p.is_terminator(v)) {
        out.push_back(v);
      }
    }
  }
  return out;
}

void erase_unreachable(procedure& p) {
  std::vector<bool> reached(p.num_nodes(), false);
  const auto order = midend::depth_first_order(p);
  for (const node_id n : order.preorder()) {
    reached[n] = true;
  }
  std::vector<node_id> unreachable;
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    if (!reached[n] && !p.node(n).erased) {
      unreachable.push_back(n);
    }
  }
  elbrus::editor(p).erase_nodes(unreachable);
}

/// What stands in place of a result: the first operand of its type, or a literal.
value_id substitute(procedure& p, value_id v) {
  const type t = p.value(v).type;
  for (const value_id operand : p.operands(v)) {
    if (operand != no_value && operand != v && p.value(operand).type == t &&
        (p.value(operand).kind != value_kind::variable)) {
      return operand;
    }
  }
  return p.constant(t, 1);
}

void erase_operation(procedure& p, value_id v, bool by_literal) {
  if (p.value(v).type != type::none && p.value(v).variable == no_value) {
    p.replace_uses(v, by_literal ? p.constant(p.value(v).type, 1) : substitute(p, v));
  }
  p.erase_value(v);
}

/// The node and the only node that goes there become one.
bool merge_into_predecessor(procedure& p, node_id n) {
  if (p.in_edges(n).size() != 1 || n == p.entry()) {
    return false;
  }
  const edge_id in = p.in_edges(n)[0];
  const node_id before = p.edge_source(in);
  if (p.out_edges(before).size() != 1 || before == n) {
    return false;
  }
  elbrus::editor e(p);
  p.erase_value(p.terminator(before));
  std::vector<std::pair<value_id, value_id>> moved;
  for (const value_id v : p.values(n)) {
    if (p.is_phi(v)) {
      const value_id input = p.phi_input(v, in);
      moved.emplace_back(v, input == v ? p.constant(p.value(v).type, 1) : input);
    }
  }
  for (const auto& [v, by] : moved) {
    p.replace_uses(v, by);
  }
  p.erase_edge(in);
  std::vector<value_id> originals;
  for (const value_id v : p.values(n)) {
    if (!p.is_phi(v)) {
      originals.push_back(v);
    }
  }
  std::vector<std::pair<edge_id, edge_id>> edges;
  for (const value_id v : originals) {
    const value_id clone = e.clone_value(v, before);
    p.replace_uses(v, clone);
    if (p.value(clone).type != type::none && p.value(clone).variable == no_value) {
      p.set_value_name(clone, std::string(p.value_name(v)));
    }
  }
  for (std::size_t i = 0; i != p.out_edges(n).size(); ++i) {
    const edge_id from = p.out_edges(n)[i];
    const edge_id to = p.out_edges(before)[i];
    for (const value_id v : p.values(p.edge_target(from))) {
      if (p.is_phi(v)) {
        p.set_phi_input(v, to, p.phi_input(v, from));
      }
    }
  }
  const node_id gone[] = {n};
  e.erase_nodes(gone);
  return true;
}

/// Leaves out the declarations of variables that nobody reads or writes any more.
std::string without_idle_declarations(const std::string& text) {
  std::string out;
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t next = text.find('\n', line) + 1;
    const std::size_t end_of_procedure = std::min(text.find("\n}", line), text.size());
    const std::size_t dollar = text.find('$', line);
    const std::size_t colon = text.find(':', line);
    bool idle = text.compare(line, 6, "  var ") == 0;
    if (idle) {
      const std::string name = text.substr(dollar, colon - dollar);
      for (std::size_t use = text.find(name, colon); idle && use < end_of_procedure; use = text.find(name, use + 1)) {
        idle = std::isalnum(static_cast<unsigned char>(text[use + name.size()])) != 0; // a longer name
      }
    }
    out += idle ? std::string() : text.substr(line, next - line);
    line = next;
  }
  return out;
}

class shrinker {
public:
  shrinker(generated_program g, const program_fails& fails) : best_(std::move(g)), fails_(fails) {}

  generated_program run() {
    std::size_t before = 0;
    do {
      before = size();
      leave_out_inputs();
      leave_out_procedures();
      for (std::size_t i = 0; i != best_.program.procedures.size(); ++i) {
        at_ = i;
        straighten();
        leave_out_operations();
        merge_nodes();
        simplify();
      }
    } while (size() < before);
    return std::move(best_);
  }

private:
  /// What gets smaller: inputs, procedures, nodes, operations, operands that are no literals, flags.
  std::size_t size() const {
    std::size_t sum = best_.inputs.size() + best_.program.procedures.size();
    for (const procedure& p : best_.program.procedures) {
      for (node_id n = 0; n != p.num_nodes(); ++n) {
        sum += !p.node(n).erased;
        for (const value_id v : p.values(n)) {
          sum += 2 + p.value(v).guarded + (p.value(v).flags != elbrus::attributes{});
          sum += static_cast<std::size_t>(std::count_if(p.operands(v).begin(), p.operands(v).end(), [&](value_id o) {
            return o != no_value && p.value(o).kind != value_kind::constant;
          }));
        }
      }
    }
    return sum;
  }

  const procedure& current() const { return best_.program.procedures[at_]; }

  bool accept(generated_program& candidate) {
    if (!verify(candidate.program).empty() || !fails_(candidate)) {
      return false;
    }
    best_ = std::move(candidate);
    return true;
  }

  template <class Change> bool attempt(Change change) {
    generated_program candidate = best_;
    change(candidate.program.procedures[at_]);
    return accept(candidate);
  }

  void leave_out_inputs() {
    for (std::size_t i = best_.inputs.size(); i-- != 0 && best_.inputs.size() > 1;) {
      generated_program candidate = best_;
      candidate.inputs.erase(candidate.inputs.begin() + static_cast<std::ptrdiff_t>(i));
      accept(candidate);
    }
  }

  void leave_out_procedures() {
    for (std::size_t i = best_.program.procedures.size(); i-- != 0;) {
      if (i != best_.entry) {
        generated_program candidate = best_;
        candidate.program.procedures.erase(candidate.program.procedures.begin() + static_cast<std::ptrdiff_t>(i));
        candidate.entry -= i < candidate.entry;
        accept(candidate);
      }
    }
  }

  void straighten() {
    attempt(erase_unreachable);
    for (node_id n = 0; n < current().num_nodes(); ++n) {
      for (std::size_t i = 0; i < current().out_edges(n).size() && current().out_edges(n).size() > 1; ++i) {
        attempt([&](procedure& p) {
          elbrus::editor(p).keep_edge(p.out_edges(n)[i]);
          erase_unreachable(p);
        });
      }
    }
  }

  /// Halves, quarters … down to single ones, from the end, so that users go first.
  void leave_out_operations() {
    for (std::size_t chunk = removable(current()).size(); chunk != 0; chunk /= 2) {
      for (std::size_t end = removable(current()).size(); end != 0;) {
        const std::vector<value_id> all = removable(current());
        end = std::min(end, all.size());
        const std::size_t first = end > chunk ? end - chunk : 0;
        for (const bool by_literal : {true, false}) {
          const bool done = attempt([&](procedure& p) {
            for (std::size_t i = end; i-- != first;) {
              erase_operation(p, all[i], by_literal);
            }
          });
          if (done) {
            break;
          }
        }
        end = first;
      }
    }
  }

  void merge_nodes() {
    for (node_id n = 0; n < current().num_nodes(); ++n) {
      generated_program candidate = best_;
      if (merge_into_predecessor(candidate.program.procedures[at_], n)) {
        accept(candidate);
      }
    }
  }

  void simplify() {
    for (value_id v = 0; v < current().num_values(); ++v) {
      if (!current().is_operation(v)) {
        continue;
      }
      if (current().value(v).flags != elbrus::attributes{}) {
        attempt([&](procedure& p) { p.set_flags(v, {}); });
      }
      for (std::size_t i = 0; i < current().operands(v).size(); ++i) {
        const value_id operand = current().operands(v)[i];
        if (operand == no_value || current().value(operand).kind == value_kind::constant) {
          continue;
        }
        for (const std::uint64_t bits : {std::uint64_t{0}, std::uint64_t{1}}) {
          const bool done =
              attempt([&](procedure& p) { p.set_operand(v, i, p.constant(p.value(operand).type, bits)); });
          if (done) {
            break;
          }
        }
      }
    }
  }

  generated_program best_;
  const program_fails& fails_;
  std::size_t at_ = 0; ///< the procedure that is worked on
};

} // namespace

generated_program shrink(generated_program g, const program_fails& fails) {
  return shrinker(std::move(g), fails).run();
}

std::size_t num_operations(const elbrus::program& all) {
  std::size_t count = 0;
  for (const procedure& p : all.procedures) {
    for (node_id n = 0; n != p.num_nodes(); ++n) {
      count += static_cast<std::size_t>(std::distance(p.values(n).begin(), p.values(n).end()));
    }
  }
  return count;
}

std::string to_report(const generated_program& g) {
  std::string out = without_idle_declarations(to_text(g.program));
  for (const midend_tests::generated_input& in : g.inputs) {
    out += "# run: @" + std::string(g.main().name());
    for (const elbrus::scalar& a : in.arguments) {
      out += ' ';
      if (a.type == type::ptr) {
        out += '@' + std::string(in.memory.name((a.bits >> 32) - 1));
      } else {
        elbrus::append_literal(out, a.type, a.bits);
      }
    }
    for (std::size_t i = 0; i != in.memory.num_arrays(); ++i) {
      out += " --memory=" + std::string(in.memory.name(i)) + ":i8";
      char separator = ':';
      for (const unsigned char byte : in.memory.bytes(i)) {
        out += separator + std::to_string(byte);
        separator = ',';
      }
    }
    out += '\n';
  }
  return out;
}

} // namespace midend_tests
