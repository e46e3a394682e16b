#include "records.hpp"

#include "record_order.hpp"

#include <algorithm>

namespace midend_tool {

using midend::loop_id;
using midend::node_id;

void record_writer::write(std::string_view name, const analyses& answers) {
  out_.text("function ");
  out_.text(name);
  out_.character('\n');
  if (kinds_.contains(kind::idom)) {
    write_idom(answers.dominators());
  }
  if (kinds_.contains(kind::df)) {
    write_frontiers(answers.frontiers());
  }
  if (kinds_.contains(kind::ipdom)) {
    write_post_dominators(answers.post_dominators());
  }
  if (kinds_.contains(kind::scc)) {
    write_scc(answers.components());
  }
  if (kinds_.contains(kind::loop)) {
    write_loops(answers.loops());
  }
  if (kinds_.contains(kind::cycle)) {
    write_cycles(answers.cycles());
  }
  if (kinds_.contains(kind::phi)) {
    write_phis(answers.phis());
  }
  if (kinds_.contains(kind::livein)) {
    write_live_variables(answers.live_variables());
  }
  out_.text("end\n");
}

void record_writer::id(node_id n) {
  out_.character(' ');
  if (n == midend::no_node) {
    out_.text("-1");
  } else {
    out_.number(n);
  }
}

void record_writer::write_idom(const midend::dominator_tree& tree) {
  out_.text("idom");
  for (node_id n = 0; n != tree.num_nodes(); ++n) {
    id(tree.immediate_dominator(n));
  }
  out_.character('\n');
}

void record_writer::write_frontiers(const midend::frontier_sets& frontiers) {
  for (node_id n = 0; n != frontiers.num_nodes() && !out_.failed(); ++n) {
    if (!frontiers[n].empty()) {
      out_.text("df");
      id(n);
      list(frontiers[n]);
      out_.character('\n');
    }
  }
}

void record_writer::write_post_dominators(const midend::post_dominator_tree& tree) {
  out_.text("proots");
  list(tree.roots());
  out_.text("\nipdom");
  for (node_id n = 0; n != tree.num_nodes(); ++n) {
    id(tree.immediate_post_dominator(n));
  }
  out_.character('\n');
}

void record_writer::write_scc(const midend::component_partition& components) {
  out_.text("scc");
  for (node_id n = 0; n != components.num_nodes(); ++n) {
    id(components.is_reachable(n) ? components.component(n) : midend::no_node);
  }
  out_.character('\n');
}

void record_writer::write_loops(const midend::loop_forest& loops) {
  in_order_of_records(loops, loops.loops(), order_);
  for (std::size_t i = 0; i != order_.size() && !out_.failed(); ++i) { // the lines may be long, and many
    if (progress_ != nullptr) {
      progress_->at_loop(i, order_.size());
    }
    write_loop(loops, order_[i]);
  }
}

void record_writer::write_loop(const midend::loop_forest& loops, loop_id l) {
  out_.text("loop");
  id(loops.header(l));
  id(loops.parent(l) == midend::no_loop ? midend::no_node : loops.header(loops.parent(l)));
  id(loops.depth(l));
  out_.text(" :");
  sorted(loops.blocks(l));
  out_.text(" ; latches");
  sorted(loops.latches(l));
  out_.text(" ; preheader");
  id(loops.preheader(l));
  out_.text(" ; exiting");
  sorted(loops.exiting_blocks(l));
  out_.text(" ; exits");
  sorted(loops.exit_blocks(l));
  out_.character('\n');
}

void record_writer::write_cycles(const midend::cycle_forest& cycles) {
  in_order_of_records(cycles, cycles.cycles(), order_);
  number_.resize(order_.size());
  for (std::uint32_t i = 0; i != order_.size(); ++i) {
    number_[order_[i]] = i;
  }
  for (std::size_t i = 0; i != order_.size() && !out_.failed(); ++i) {
    if (progress_ != nullptr) {
      progress_->at_loop(i, order_.size());
    }
    const midend::cycle_id c = order_[i];
    out_.text("cycle");
    id(cycles.depth(c));
    id(cycles.parent(c) == midend::no_cycle ? midend::no_node : number_[cycles.parent(c)]);
    out_.text(" :");
    list(cycles.entries(c));
    out_.text(" :");
    sorted(cycles.blocks(c));
    out_.character('\n');
  }
}

void record_writer::write_phis(const midend::iterated_frontiers& phis) {
  for (midend::variable_id v = 0; v != phis.num_variables() && !out_.failed(); ++v) {
    if (!phis[v].empty()) {
      out_.text("phi");
      id(v);
      list(phis[v]);
      out_.character('\n');
    }
  }
}

void record_writer::write_live_variables(const midend::flow_facts<>& live) {
  for (node_id n = 0; n != live.num_nodes() && !out_.failed(); ++n) {
    if (live.in(n).any()) {
      out_.text("livein");
      id(n);
      list(live.in(n));
      out_.character('\n');
    }
  }
}

template <class Nodes> void record_writer::list(const Nodes& nodes) {
  for (const node_id n : nodes) {
    id(n);
  }
}

template <class Nodes> void record_writer::sorted(const Nodes& nodes) {
  nodes_.clear();
  for (const node_id n : nodes) {
    nodes_.push_back(n);
  }
  if (!std::is_sorted(nodes_.begin(), nodes_.end())) {
    std::sort(nodes_.begin(), nodes_.end());
  }
  list(nodes_);
}

} // namespace midend_tool
