#include "report_steps.hpp"

#include "program_names.hpp"

#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/dataflow/text.hpp>
#include <midend/elbrus/literal.hpp>
#include <midend/elbrus/opcode.hpp>
#include <midend/elbrus/views/views.hpp>
#include <midend/ir/evaluate.hpp>
#include <midend/ssa/sccp.hpp>

#include <cmath>
#include <cstdint>
#include <utility>

namespace midend_tool {
namespace {

using midend::edge_id;
using midend::node_id;
using midend::value_id;
using midend::elbrus::no_count;
using midend::elbrus::opcode;
using midend::elbrus::procedure;

/// `true 80%`.
std::string case_text(const procedure& p, edge_id e) {
  const midend::elbrus::edge_record edge = p.edge(e);
  const value_id end = p.terminator(edge.source);
  std::string text;
  if (end != midend::no_value && p.core(end).code == opcode::branch) {
    text = p.case_value(e) != 0 ? "true" : "false";
  } else if (end != midend::no_value && p.core(end).code == opcode::switch_) {
    text = edge.is_default
               ? std::string("default")
               : std::to_string(midend::as_signed(p.case_value(e), midend::elbrus::width_of(p.core(end).operand_type)));
  }
  if (p.probability(e) >= 0) {
    const auto tenths = static_cast<std::uint64_t>(p.probability(e) * 1000 + 0.5);
    append(text, text.empty() ? "" : " ", tenths / 10);
    if (tenths % 10 != 0) {
      append(text, ".", tenths % 10);
    }
    text += '%';
  }
  return text;
}

std::string note_of(const procedure& p, node_id n) {
  std::string note;
  if (p.node_count(n) != no_count) {
    append(note, "× ", p.node_count(n));
  }
  const midend::elbrus::trip_hint& hint = p.hint(n);
  for (const auto& [word, number] :
       {std::pair("avg", hint.average), std::pair("max", hint.maximum), std::pair("multiple", hint.multiple)}) {
    if (number != 0) {
      append(note, note.empty() ? "" : ", ", "trip ", word, " ", number);
    }
  }
  return note;
}

double highest_count(const procedure& p) {
  double highest = 0;
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    if (p.node_count(n) != no_count) {
      highest = std::fmax(highest, static_cast<double>(p.node_count(n)));
    }
  }
  return highest;
}

/// What is said of a number of which nothing is known.
std::string any_number(std::uint32_t width) {
  const std::uint64_t highest = width == 1 ? 1 : ~std::uint64_t{0} >> (65 - width);
  return width == 1 ? "[0, 1]" : "[-" + std::to_string(highest + 1) + ", " + std::to_string(highest) + "]";
}

/// What constant propagation with ranges and remainders knows.
void add_facts(const procedure& p, std::vector<report_block>& blocks) {
  const midend::elbrus::semantic_view view(p);
  const auto found = midend::sccp(view, midend::strided_interval_domain());
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    report_block& block = blocks[n];
    block.is_dead = !block.name.empty() && !found.is_executable(n);
    for (report_line& line : block.lines) {
      if (block.is_dead || p.core(line.id).type == midend::elbrus::type::none ||
          p.core(line.id).variable != midend::no_value) {
        continue;
      }
      const std::uint32_t width = midend::elbrus::width_of(p.core(line.id).type);
      if (const auto number = found.constant(line.id)) {
        line.fact = std::to_string(width == 1 ? static_cast<std::int64_t>(*number) : midend::as_signed(*number, width));
        continue;
      }
      midend::text_buffer text;
      found.domain().print(text, found.fact(line.id));
      if (const std::string_view said(text.data(), text.size()); said != any_number(width)) {
        line.fact = said;
      }
    }
  }
}

/// `@f(%a: ptr) -> i32`.
std::string head_of(const procedure& p, const program_names& names) {
  std::string text = "(";
  for (const value_id v : p.parameters()) {
    append(text, text.size() == 1 ? "" : ", ", names.value(v), ": ", name_of(p.core(v).type));
  }
  text += ')';
  if (p.result_type() != midend::elbrus::type::none) {
    append(text, " -> ", name_of(p.result_type()));
  }
  return text;
}

} // namespace

report_snapshot::report_snapshot(const procedure& p)
    : blocks(p.num_nodes()), edges(p.num_edges()), texts(p.num_values()), places(p.num_values(), midend::no_node) {
  midend::elbrus::procedure_text text(p);
  const double highest = std::log2(1 + highest_count(p));
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    if (p.node_core(n).erased) {
      continue;
    }
    report_block& block = blocks[n];
    block.name = text.node(n);
    block.note = note_of(p, n);
    if (p.node_count(n) != no_count && highest > 0) {
      block.heat = std::log2(1 + static_cast<double>(p.node_count(n))) / highest;
    }
    for (const value_id v : p.values(n)) {
      texts[v] = text.operation(v);
      places[v] = n;
      block.lines.push_back({v, texts[v], ' ', {}});
    }
    for (const edge_id e : p.out_edges(n)) {
      edges[e].label = case_text(p, e);
    }
  }
  add_facts(p, blocks);
}

void run_report_passes(procedure& p, const pass_list& list,
                       const std::function<void(const procedure&, const report_step&)>& show) {
  show(p, {});
  for (std::size_t i = 0; i != list.passes.size(); ++i) {
    report_step step;
    step.pass = list.names[i];
    if (list.passes[i].kind->variables == variable_policy::refuses && !p.variables().empty()) {
      step.summary = "not run: variables are not in SSA form, construct-ssa first";
    } else {
      pass_report report;
      list.passes[i].kind->run(p, {list.passes[i].number, false, true}, report);
      step.summary = std::move(report.summary);
      step.changes = std::move(report.changes);
    }
    show(p, step);
  }
}

/// What is new, changed, moved or gone against the snapshot before. What is gone stays in its block for one step.
void report_steps::mark_changes(report_snapshot& now, const procedure& p) {
  const report_snapshot& old = before_.front();
  const auto place_in = [](const report_snapshot& s, value_id v) {
    return v < s.places.size() ? s.places[v] : midend::no_node;
  };
  gone_.clear();
  has_changes_ = false;
  for (node_id n = 0; n != now.blocks.size(); ++n) {
    report_block& block = now.blocks[n];
    const bool was_there = n < old.blocks.size() && !old.blocks[n].name.empty();
    if (block.name.empty()) {
      if (was_there) {
        gone_.push_back(old.blocks[n].name);
        has_changes_ = true;
      }
      continue;
    }
    block.mark = was_there ? ' ' : '+';
    for (report_line& line : block.lines) {
      const node_id place = place_in(old, line.id);
      line.mark = place == midend::no_node ? '+' : place != n ? '>' : old.texts[line.id] != line.text ? '~' : ' ';
      has_changes_ = has_changes_ || line.mark != ' ';
    }
    has_changes_ = has_changes_ || !was_there;
    if (!was_there) {
      continue;
    }
    // Lines that are gone, after the line that they followed.
    std::vector<report_line> merged;
    std::size_t next = 0;
    for (const report_line& line : old.blocks[n].lines) {
      if (place_in(now, line.id) == midend::no_node && line.mark != '-') {
        merged.push_back({line.id, line.text, '-', {}});
        has_changes_ = true;
      } else if (place_in(now, line.id) == n && line.mark != '-') {
        while (next != block.lines.size() && block.lines[next].id != line.id) {
          if (place_in(old, block.lines[next].id) == n) { // the order changed
            break;
          }
          merged.push_back(block.lines[next++]);
        }
        if (next != block.lines.size() && block.lines[next].id == line.id) {
          merged.push_back(block.lines[next++]);
        }
      }
    }
    merged.insert(merged.end(), block.lines.begin() + static_cast<std::ptrdiff_t>(next), block.lines.end());
    block.lines = std::move(merged);
  }
  static_cast<void>(p);
}

void report_steps::append(std::string& out, const procedure& p, const report_step& step) {
  report_snapshot now(p);
  if (!before_.empty()) {
    mark_changes(now, p);
  }
  append_json_member(out, "{", "pass", step.pass);
  append_json_member(out, ",", "summary", step.summary);
  out += ",\"changes\":";
  append_json_lines(out, step.changes);
  out += ",\"gone\":[";
  for (const std::string& name : gone_) {
    midend_tool::append(out, &name == gone_.data() ? "" : ",");
    append_json_string(out, name);
  }
  out += ']';
  const bool is_same = !before_.empty() && !has_changes_ && !had_changes_;
  if (is_same) { // the step before shows the same picture, without marks
    out += ",\"same\":1}";
  } else {
    append_json_member(out, ",", "head", head_of(p, program_names(p)));
    out += ',';
    painter_.append(out, p, now.blocks, now.edges);
    out += '}';
  }
  had_changes_ = has_changes_;
  before_.clear();
  before_.push_back(std::move(now));
}

} // namespace midend_tool
