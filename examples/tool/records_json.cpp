#include "records_json.hpp"

#include "record_order.hpp"
#include "report_json.hpp"

#include <algorithm>
#include <string>

namespace midend_tool {

using midend::node_id;

void json_record_writer::write(std::string_view name, const analyses& answers) {
  std::string head = "{\"function\":";
  append_json_string(head, name);
  out_.text(head);
  if (kinds_.contains(kind::idom)) {
    const auto& tree = answers.dominators();
    by_block("idom", tree.num_nodes(), [&](node_id n) { return tree.immediate_dominator(n); });
  }
  if (kinds_.contains(kind::df)) {
    lists("df", answers.frontiers().num_nodes(), [&](node_id n) { return answers.frontiers()[n]; });
  }
  if (kinds_.contains(kind::ipdom)) {
    const auto& tree = answers.post_dominators();
    key("proots");
    list(tree.roots());
    by_block("ipdom", tree.num_nodes(), [&](node_id n) { return tree.immediate_post_dominator(n); });
  }
  if (kinds_.contains(kind::scc)) {
    const auto& components = answers.components();
    by_block("scc", components.num_nodes(),
             [&](node_id n) { return components.is_reachable(n) ? components.component(n) : midend::no_node; });
  }
  if (kinds_.contains(kind::loop)) {
    write_loops(answers.loops());
  }
  if (kinds_.contains(kind::cycle)) {
    write_cycles(answers.cycles());
  }
  if (kinds_.contains(kind::phi)) {
    lists("phi", answers.phis().num_variables(), [&](std::uint32_t v) { return answers.phis()[v]; });
  }
  if (kinds_.contains(kind::livein)) {
    const auto& live = answers.live_variables();
    key("livein");
    out_.character('{');
    bool is_first = true;
    for (node_id n = 0; n != live.num_nodes() && !out_.failed(); ++n) {
      if (live.in(n).any()) {
        out_.text(is_first ? "\"" : ",\"");
        out_.number(n);
        out_.text("\":");
        list(live.in(n));
        is_first = false;
      }
    }
    out_.character('}');
  }
  out_.text("}\n");
}

void json_record_writer::key(std::string_view name) {
  out_.text(",\"");
  out_.text(name);
  out_.text("\":");
}

void json_record_writer::id(std::uint32_t n) {
  if (n == midend::no_node) {
    out_.text("null");
  } else {
    out_.number(n);
  }
}

/// An array with a number for each block.
template <class Of> void json_record_writer::by_block(std::string_view name, std::size_t count, Of of) {
  key(name);
  for (node_id n = 0; n != count; ++n) {
    out_.character(n == 0 ? '[' : ',');
    id(of(n));
  }
  out_.text(count == 0 ? "[]" : "]");
}

/// An object with a list for each number whose list is not empty.
template <class Lists> void json_record_writer::lists(std::string_view name, std::size_t count, Lists list_of) {
  key(name);
  out_.character('{');
  bool is_first = true;
  for (std::uint32_t i = 0; i != count && !out_.failed(); ++i) {
    const auto& nodes = list_of(i);
    if (!nodes.empty()) {
      out_.text(is_first ? "\"" : ",\"");
      out_.number(i);
      out_.text("\":");
      list(nodes);
      is_first = false;
    }
  }
  out_.character('}');
}

void json_record_writer::write_loops(const midend::loop_forest& loops) {
  key("loop");
  out_.character('[');
  in_order_of_records(loops, loops.loops(), order_);
  for (std::size_t i = 0; i != order_.size() && !out_.failed(); ++i) {
    const midend::loop_id l = order_[i];
    out_.text(i == 0 ? "{\"header\":" : ",{\"header\":");
    id(loops.header(l));
    key("parent");
    id(loops.parent(l) == midend::no_loop ? midend::no_node : loops.header(loops.parent(l)));
    key("depth");
    id(loops.depth(l));
    key("blocks");
    sorted(loops.blocks(l));
    key("latches");
    sorted(loops.latches(l));
    key("preheader");
    id(loops.preheader(l));
    key("exiting");
    sorted(loops.exiting_blocks(l));
    key("exits");
    sorted(loops.exit_blocks(l));
    out_.character('}');
  }
  out_.character(']');
}

void json_record_writer::write_cycles(const midend::cycle_forest& cycles) {
  key("cycle");
  out_.character('[');
  in_order_of_records(cycles, cycles.cycles(), order_);
  number_.resize(order_.size());
  for (std::uint32_t i = 0; i != order_.size(); ++i) {
    number_[order_[i]] = i;
  }
  for (std::size_t i = 0; i != order_.size() && !out_.failed(); ++i) {
    const midend::cycle_id c = order_[i];
    out_.text(i == 0 ? "{\"depth\":" : ",{\"depth\":");
    id(cycles.depth(c));
    key("parent");
    id(cycles.parent(c) == midend::no_cycle ? midend::no_node : number_[cycles.parent(c)]);
    key("entries");
    list(cycles.entries(c));
    key("blocks");
    sorted(cycles.blocks(c));
    out_.character('}');
  }
  out_.character(']');
}

template <class Nodes> void json_record_writer::list(const Nodes& nodes) {
  out_.character('[');
  bool is_first = true;
  for (const node_id n : nodes) {
    if (!is_first) {
      out_.character(',');
    }
    id(n);
    is_first = false;
  }
  out_.character(']');
}

template <class Nodes> void json_record_writer::sorted(const Nodes& nodes) {
  nodes_.clear();
  for (const node_id n : nodes) {
    nodes_.push_back(n);
  }
  std::sort(nodes_.begin(), nodes_.end());
  list(nodes_);
}

} // namespace midend_tool
