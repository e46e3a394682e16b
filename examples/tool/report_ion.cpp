#include "report_ion.hpp"

#include "program_names.hpp"
#include "report_json.hpp"
#include "text.hpp"

#include <midend/dominance/dominators.hpp>
#include <midend/graph/depth_first_order.hpp>
#include <midend/graph/edge_kinds.hpp>
#include <midend/loops/natural_loops.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace midend_tool {
namespace {

using midend::edge_id;
using midend::node_id;
using midend::value_id;

/// A block of the viewer: a node, or what gathers the backedges of a loop.
struct ion_block {
  std::uint32_t id;
  std::uint32_t depth;
  bool is_header = false;
  bool is_latch = false;
  std::vector<std::uint32_t> predecessors;
  std::vector<std::uint32_t> successors;
  std::vector<node_id> not_drawn; ///< targets of edges that close irreducible cycles
};

/// The blocks by number: those of nodes, then one for each loop; those that are not `used` are left out.
struct ion_flow {
  std::vector<ion_block> blocks;
  std::vector<bool> used;

  template <class G> explicit ion_flow(const G& g) {
    const midend::dominator_tree tree = midend::dominators(g);
    const midend::loop_forest loops = midend::natural_loops(g, tree);
    const auto kinds = midend::edge_kinds(g, midend::depth_first_order(g));
    const auto count = static_cast<std::uint32_t>(g.num_nodes());
    for (std::uint32_t i = 0; i != count + loops.num_loops(); ++i) {
      blocks.push_back({i, i < count ? loops.loop_depth(i) : loops.depth(i - count), false, false, {}, {}, {}});
      used.push_back(i < count && tree.is_reachable(i));
    }
    for (const midend::loop_id l : loops.loops()) {
      blocks[loops.header(l)].is_header = true;
      const node_id latch = loops.single_latch(l);
      const bool is_plain = latch != midend::no_node && g.out_edges(latch).size() == 1;
      if (is_plain) {
        blocks[latch].is_latch = true;
      } else {
        used[count + l] = true;
        blocks[count + l].is_latch = true;
        connect(count + l, loops.header(l));
      }
    }
    for (node_id n = 0; n != count; ++n) {
      for (const edge_id e : g.out_edges(n)) {
        const node_id target = g.edge_target(e);
        if (!tree.is_reachable(n)) {
          break;
        }
        if (tree.dominates(target, n)) {
          const midend::loop_id l = loops.innermost_loop(target);
          connect(n, used[count + l] ? count + l : target);
        } else if (kinds[e] == midend::edge_kind::back) {
          blocks[n].not_drawn.push_back(target);
        } else {
          connect(n, target);
        }
      }
    }
  }

private:
  void connect(std::uint32_t from, std::uint32_t to) {
    blocks[from].successors.push_back(to);
    blocks[to].predecessors.push_back(from);
  }
};

void append_numbers(std::string& out, const char* key, const std::vector<std::uint32_t>& numbers) {
  append(out, ",\"", key, "\":[");
  for (const std::uint32_t& n : numbers) {
    append(out, &n == numbers.data() ? "" : ",", n);
  }
  out += ']';
}

/// An instruction without operands.
void append_remark(std::string& out, std::uint64_t id, const std::string& text) {
  append(out, "{\"ptr\":", id + 1, ",\"id\":", id, ",");
  append_json_member(out, "", "opcode", text);
  out += ",\"attributes\":[],\"inputs\":[],\"uses\":[],\"memInputs\":[],\"type\":\"None\"}";
}

/// `instructions(n)` appends those of node n; returns whether there are any. Remarks are numbered from `first_remark`.
template <class Instructions, class Name>
void append_flow(std::string& out, const ion_flow& flow, std::uint64_t first_remark, Instructions instructions,
                 Name name) {
  std::uint64_t remark = first_remark;
  out += "\"blocks\":[";
  std::string_view separator = "\n";
  for (const ion_block& b : flow.blocks) {
    if (!flow.used[b.id]) {
      continue;
    }
    append(out, separator, "{\"ptr\":", std::uint64_t{b.id} + 1, ",\"id\":", b.id, ",\"loopDepth\":", b.depth,
           ",\"attributes\":[", b.is_header ? "\"loopheader\"" : "", b.is_header && b.is_latch ? "," : "",
           b.is_latch ? "\"backedge\"" : "", "]");
    append_numbers(out, "predecessors", b.predecessors);
    append_numbers(out, "successors", b.successors);
    out += ",\"instructions\":[";
    bool has_any = instructions(b.id);
    for (const node_id target : b.not_drawn) {
      out += has_any ? "," : "";
      append_remark(out, remark++, "to " + name(target) + " by an edge of an irreducible cycle");
      has_any = true;
    }
    out += "]}";
    separator = ",\n";
  }
  out += ']';
}

/// The operation without its result; operands as `name#number`, which the viewer links.
std::string linked(const std::string& operation, const midend::elbrus::procedure& p, value_id v,
                   const program_names& names) {
  std::string text = operation;
  if (p.core(v).type != midend::elbrus::type::none && p.core(v).variable == midend::no_value) {
    text.erase(0, text.find(" = ") + 3);
  }
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  std::string out;
  for (std::size_t i = 0; i != text.size();) {
    if (text[i] != '%') {
      out += text[i++];
      continue;
    }
    std::size_t end = i + 1;
    while (end != text.size() && letters.find(text[end]) != std::string_view::npos) {
      ++end;
    }
    const std::string name = text.substr(i, end - i);
    out.append(name, 1);
    for (const value_id o : p.operands(v)) {
      if (o != midend::no_value && names.value(o) == name) {
        append(out, "#", o);
        break;
      }
    }
    i = end;
  }
  return out;
}

} // namespace

void append_ion_blocks(std::string& out, const midend::elbrus::procedure& p) {
  midend::elbrus::procedure_text text(p);
  const program_names names(p);
  const auto instructions = [&](std::uint32_t n) {
    bool has_any = false;
    if (n >= p.num_nodes()) {
      return has_any;
    }
    for (const value_id v : p.values(n)) {
      append(out, has_any ? "," : "", "{\"ptr\":", std::uint64_t{v} + 1, ",\"id\":", v, ",");
      append_json_member(out, "", "opcode", linked(text.operation(v), p, v, names));
      out += ",\"attributes\":[]";
      std::vector<std::uint32_t> inputs;
      for (const value_id o : p.operands(v)) {
        if (o != midend::no_value && p.is_operation(o)) {
          inputs.push_back(o);
        }
      }
      append_numbers(out, "inputs", inputs);
      append_numbers(out, "uses", std::vector<std::uint32_t>(p.users(v).begin(), p.users(v).end()));
      out += ",\"memInputs\":[]";
      const bool has_result = p.core(v).type != midend::elbrus::type::none;
      append_json_member(out, ",", "type", has_result ? name_of(p.core(v).type) : std::string_view("None"));
      out += '}';
      has_any = true;
    }
    return has_any;
  };
  append_flow(out, ion_flow(p), p.num_values(), instructions, [&](node_id n) { return names.node(n); });
}

void append_ion_blocks(std::string& out, const midend::csr_graph& g) {
  append_flow(out, ion_flow(g), 0, [](std::uint32_t) { return false; }, [](node_id n) { return std::to_string(n); });
}

} // namespace midend_tool
