/// Nodes and edges of a procedure that is being read.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/name_index.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/text/detail/name_binder.hpp"
#include "midend/elbrus/text/detail/syntax.hpp"
#include "midend/elbrus/text/detail/token_reader.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Makes nodes and edges. Where the first node has predecessors, an empty one is put before it.
class flow_binder : protected name_binder {
protected:
  using name_binder::name_binder;

  void declare_nodes() {
    if (in_.nodes.empty() && !in_.is_broken) {
      fail(in_.location, "procedure " + quoted_name("@", in_.name) + " has no node");
    }
    unsure_.assign(in_.nodes.size(), 0);
    for (std::uint32_t i = 0; i != in_.nodes.size(); ++i) {
      declare_node(i);
    }
    add_entry_if_needed();
    for (const written_node& n : in_.nodes) {
      const node_id made = out_.create_node(kept_name(n.name), n.location);
      out_.set_node_count(made, n.count);
      out_.set_hint(made, n.hint);
    }
  }

  /// In the order of the nodes and of their terminators.
  void make_edges() {
    if (added_entry_ != 0) {
      out_.add_edge(0, 1);
      out_.append(0, {.code = opcode::jump});
    }
    for (std::uint32_t i = 0; i != in_.nodes.size(); ++i) {
      if (const written_operation* const end = terminator_of(i)) {
        for (const written_target& t : end->targets.of(in_.targets)) {
          make_edge(i, t, end->code == opcode::branch ? type::i1 : end->operand_type);
        }
      }
    }
  }

  /// The node that is made for one that is written.
  node_id node_of(std::uint32_t written) const { return written + added_entry_; }

  /// What is written of a node; null of the added entry.
  const written_node* written(node_id n) const { return n < added_entry_ ? nullptr : &in_.nodes[n - added_entry_]; }

  /// Whether there are edges from a node, or into it, that are not known because of another error.
  bool is_unsure(node_id n) const { return n >= added_entry_ && unsure_[n - added_entry_] != 0; }

  /// Whether all edges are known, whatever is wrong with the operations.
  bool flow_is_known() const { return flow_is_known_; }

  /// `no_node` if it is not known, and then there was an error.
  node_id find_node(const spelling& label) {
    const std::uint32_t found = nodes_.find(label.text);
    if (found == name_index::missing) {
      fail(label.location, "unknown node " + quoted(label.text));
      return no_node;
    }
    return node_of(found);
  }

private:
  void declare_node(std::uint32_t i) {
    const written_node& n = in_.nodes[i];
    if (n.name.text.empty()) {
      unsure_[i] = 1;
      flow_is_known_ = false;
      return; // its head could not be read
    }
    const std::uint32_t first = nodes_.find_or_insert(n.name.text, i);
    if (first != i) {
      fail_twice("", n.name, in_.nodes[first].name.location);
      unsure_[i] = 1;
      unsure_[first] = 1;
      flow_is_known_ = false;
    }
  }

  void add_entry_if_needed() {
    bool first_has_predecessors = false;
    for (const written_target& t : in_.targets) {
      first_has_predecessors |= nodes_.find(t.label.text) == 0;
    }
    if (first_has_predecessors) {
      out_.set_node_count(out_.create_node(free_name("entry")), in_.count);
      added_entry_ = 1;
    }
  }

  std::string free_name(std::string_view stem) const {
    std::string name(stem);
    for (unsigned i = 1; nodes_.find(name) != name_index::missing; ++i) {
      name = std::string(stem) + '.' + std::to_string(i);
    }
    return name;
  }

  /// The first one, which is the last operation if all is right.
  const written_operation* terminator_of(std::uint32_t i) {
    const written_node& n = in_.nodes[i];
    const std::span<const written_operation> all = n.operations.of(in_.operations);
    std::size_t at = 0;
    while (at != all.size() && !is_terminator(all[at].code)) {
      ++at;
    }
    if (at == all.size()) {
      unsure_[i] = 1;
      flow_is_known_ = false;
      if (!n.is_broken) {
        fail(n.location, "node " + quoted(n.name.text) + " has no terminator");
      }
      return nullptr;
    }
    if (at + 1 != all.size()) {
      unsure_[i] = 1; // the head of a node may be missing
      flow_is_known_ = false;
      fail(all[at + 1].location, "an operation behind the terminator of node " + quoted(n.name.text));
    }
    return &all[at];
  }

  void make_edge(std::uint32_t source, const written_target& t, type case_type) {
    const node_id target = find_node(t.label);
    if (target == no_node) {
      unsure_[source] = 1;
      flow_is_known_ = false;
      return;
    }
    const std::size_t errors_before = num_errors();
    const edge_id e = t.case_value.text.empty()
                          ? out_.add_edge(node_of(source), target)
                          : out_.add_edge(node_of(source), target, bits_of(t.case_value, case_type));
    flow_is_known_ &= num_errors() == errors_before;
    out_.set_probability(e, t.probability);
  }

  name_index nodes_;
  std::vector<unsigned char> unsure_; ///< by written node
  std::uint32_t added_entry_ = 0;     ///< 1 if there is one
  bool flow_is_known_ = true;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
