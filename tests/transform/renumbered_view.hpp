/// A program that was read from its own text, with the numbers of another one.
#pragma once

#include "kit/test_graph.hpp"

#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/records.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/graph/concepts.hpp>
#include <midend/ir/ids.hpp>
#include <midend/support/span.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace midend_tests {

/// Gives a name to everything that has a place in the text and no name, so that it can be found in another text.
inline void name_all(midend::elbrus::procedure& p) {
  namespace elbrus = midend::elbrus;
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    if (!p.node(n).erased && p.node_name(n).empty()) {
      p.set_node_name(n, "new_node" + std::to_string(n));
    }
    for (const midend::value_id v : p.values(n)) {
      if (p.value(v).type != elbrus::type::none && p.value(v).variable == midend::no_value && p.value_name(v).empty()) {
        p.set_value_name(v, "new_value" + std::to_string(v));
      }
    }
  }
}

/// For each node, edge and value of one procedure that of another one with the same name. An operation without a name
/// is the one that stands as far from the end of its node, among those without name; literals are found by their bits.
struct numbers_by_name {
  std::vector<midend::node_id> node;
  std::vector<midend::edge_id> edge;
  std::vector<midend::value_id> value;

  numbers_by_name(const midend::elbrus::procedure& from, const midend::elbrus::procedure& to)
      : node(from.num_nodes(), midend::no_node), edge(from.num_edges(), midend::no_edge),
        value(from.num_values(), midend::no_value) {
    namespace elbrus = midend::elbrus;
    std::map<std::string, midend::node_id, std::less<>> nodes;
    std::map<std::string, midend::value_id, std::less<>> values;
    std::map<std::pair<std::uint64_t, elbrus::type>, midend::value_id> literals;
    for (midend::node_id n = 0; n != to.num_nodes(); ++n) {
      if (!to.node(n).erased) {
        nodes[std::string(to.node_name(n))] = n;
      }
    }
    for (midend::value_id v = 0; v != to.num_values(); ++v) {
      if (to.value(v).kind == elbrus::value_kind::constant) {
        literals[{to.literal_bits(v), to.value(v).type}] = v;
      } else if (to.value(v).kind == elbrus::value_kind::undefined) {
        undefined_[static_cast<std::size_t>(to.value(v).type)] = v;
      } else if (to.value(v).kind != elbrus::value_kind::erased && !to.value_name(v).empty()) {
        values[std::string(to.value_name(v))] = v;
      }
    }
    for (midend::value_id v = 0; v != from.num_values(); ++v) {
      if (from.value(v).kind == elbrus::value_kind::constant) {
        const auto it = literals.find({from.literal_bits(v), from.value(v).type});
        value[v] = it == literals.end() ? midend::no_value : it->second;
      } else if (from.value(v).kind == elbrus::value_kind::undefined) {
        const auto it = undefined_.find(static_cast<std::size_t>(from.value(v).type));
        value[v] = it == undefined_.end() ? midend::no_value : it->second;
      } else if (from.value(v).kind != elbrus::value_kind::erased && !from.value_name(v).empty()) {
        const auto it = values.find(from.value_name(v));
        value[v] = it == values.end() ? midend::no_value : it->second;
      }
    }
    for (midend::node_id n = 0; n != from.num_nodes(); ++n) {
      const auto it = from.node(n).erased ? nodes.end() : nodes.find(from.node_name(n));
      if (it == nodes.end()) {
        continue;
      }
      node[n] = it->second;
      for (std::size_t i = 0; i != from.out_edges(n).size() && i != to.out_edges(it->second).size(); ++i) {
        edge[from.out_edges(n)[i]] = to.out_edges(it->second)[i];
      }
      const std::vector<midend::value_id> mine = unnamed(from, n);
      const std::vector<midend::value_id> others = unnamed(to, it->second);
      for (std::size_t i = 0; i != mine.size() && i != others.size(); ++i) {
        value[mine[i]] = others[i];
      }
    }
  }

private:
  static std::vector<midend::value_id> unnamed(const midend::elbrus::procedure& p, midend::node_id n) {
    std::vector<midend::value_id> all;
    for (const midend::value_id v : p.values(n)) {
      if (p.value_name(v).empty()) {
        all.insert(all.begin(), v);
      }
    }
    return all;
  }

  std::map<std::size_t, midend::value_id> undefined_;
};

/// Shows a procedure with other numbers: of what has one in another procedure, that; the rest gets the next ones.
class renumbered_view {
public:
  using constant_type = std::uint64_t;

  /// `p` with the numbers of `like`.
  renumbered_view(const midend::elbrus::procedure& p, const midend::elbrus::procedure& like)
      : base_(p), graph_(p, like), values_(numbers_by_name(p, like).value, p.num_values(), like.num_values()),
        values_of_(graph_.num_nodes()), operands_(values_.size()) {
    for (midend::node_id n = 0; n != graph_.num_nodes(); ++n) {
      if (graph_.nodes_.has(n)) {
        values_of_[n] = values_.all_shown(p.values(graph_.nodes_.own(n)));
      }
    }
    for (midend::value_id v = 0; v != values_.size(); ++v) {
      if (values_.has(v)) {
        operands_[v] = values_.all_shown(p.operands(own(v)));
      }
    }
  }

  /// The flow with other numbers.
  class flow {
  public:
    flow(const midend::elbrus::procedure& p, const midend::elbrus::procedure& like)
        : p_(&p), nodes_(numbers_by_name(p, like).node, p.num_nodes(), like.num_nodes()),
          edges_(numbers_by_name(p, like).edge, p.num_edges(), like.num_edges()), out_(nodes_.size()),
          in_(nodes_.size()), successors_(nodes_.size()), predecessors_(nodes_.size()) {
      for (midend::node_id n = 0; n != nodes_.size(); ++n) {
        if (nodes_.has(n)) {
          out_[n] = edges_.all_shown(p.out_edges(nodes_.own(n)));
          in_[n] = edges_.all_shown(p.in_edges(nodes_.own(n)));
          successors_[n] = nodes_.all_shown(p.successors(nodes_.own(n)));
          predecessors_[n] = nodes_.all_shown(p.predecessors(nodes_.own(n)));
        }
      }
    }

    std::size_t num_nodes() const { return nodes_.size(); }

    std::size_t num_edges() const { return edges_.size(); }

    midend::node_id entry() const { return nodes_.shown(p_->entry()); }

    const std::vector<midend::edge_id>& out_edges(midend::node_id n) const { return out_[n]; }

    const std::vector<midend::edge_id>& in_edges(midend::node_id n) const { return in_[n]; }

    const std::vector<midend::node_id>& successors(midend::node_id n) const { return successors_[n]; }

    const std::vector<midend::node_id>& predecessors(midend::node_id n) const { return predecessors_[n]; }

    midend::node_id edge_source(midend::edge_id e) const {
      const midend::node_id n = edges_.has(e) ? p_->edge_source(edges_.own(e)) : midend::no_node;
      return n == midend::no_node ? n : nodes_.shown(n);
    }

    midend::node_id edge_target(midend::edge_id e) const { return nodes_.shown(p_->edge_target(edges_.own(e))); }

  private:
    friend renumbered_view;

    /// Numbers in the procedure, and those that are shown.
    class table {
    public:
      table(std::vector<std::uint32_t> shown, std::size_t count, std::size_t others) : shown_(std::move(shown)) {
        own_.assign(others, midend::no_value);
        for (std::uint32_t i = 0; i != count; ++i) {
          if (shown_[i] == midend::no_value || own_[shown_[i]] != midend::no_value) {
            shown_[i] = static_cast<std::uint32_t>(own_.size());
            own_.push_back(i);
          } else {
            own_[shown_[i]] = i;
          }
        }
      }

      std::size_t size() const { return own_.size(); }

      bool has(std::uint32_t i) const { return own_[i] != midend::no_value; }

      std::uint32_t own(std::uint32_t i) const { return own_[i]; }

      std::uint32_t shown(std::uint32_t i) const { return i == midend::no_value ? i : shown_[i]; }

      template <class Range> std::vector<std::uint32_t> all_shown(const Range& range) const {
        std::vector<std::uint32_t> all;
        for (const std::uint32_t i : range) {
          all.push_back(shown(i));
        }
        return all;
      }

    private:
      std::vector<std::uint32_t> shown_;
      std::vector<std::uint32_t> own_;
    };

    const midend::elbrus::procedure* p_;
    table nodes_;
    table edges_;
    std::vector<std::vector<std::uint32_t>> out_; ///< by node, like the others
    std::vector<std::vector<std::uint32_t>> in_;
    std::vector<std::vector<std::uint32_t>> successors_;
    std::vector<std::vector<std::uint32_t>> predecessors_;
  };

  const flow& graph() const { return graph_; }

  std::size_t num_values() const { return values_.size(); }

  const std::vector<midend::value_id>& values(midend::node_id n) const { return values_of_[n]; }

  const std::vector<midend::value_id>& operands(midend::value_id v) const { return operands_[v]; }

  bool is_phi(midend::value_id v) const { return values_.has(v) && base_.is_phi(own(v)); }

  midend::value_id phi_input(midend::value_id v, midend::edge_id e) const {
    return values_.shown(base_.phi_input(own(v), graph_.edges_.own(e)));
  }

  midend::value_id condition(midend::node_id n) const {
    return graph_.nodes_.has(n) ? values_.shown(base_.condition(graph_.nodes_.own(n))) : midend::no_value;
  }

  midend::operation_info operation(midend::value_id v) const {
    return values_.has(v) ? base_.operation(own(v)) : midend::operation_info{midend::operation::other, 64, 64};
  }

  std::optional<std::uint64_t> constant(midend::value_id v) const {
    return values_.has(v) ? base_.constant(own(v)) : std::nullopt;
  }

  bool is_undefined(midend::value_id v) const { return values_.has(v) && base_.is_undefined(own(v)); }

  std::optional<std::uint64_t> edge_case(midend::edge_id e) const { return base_.edge_case(graph_.edges_.own(e)); }

  midend::effect_kind effect(midend::value_id v) const { return base_.effect(own(v)); }

  bool may_trap(midend::value_id v) const { return base_.may_trap(own(v)); }

  bool may_not_return(midend::value_id v) const { return base_.may_not_return(own(v)); }

  bool may_duplicate(midend::value_id v) const { return base_.may_duplicate(own(v)); }

  bool is_volatile(midend::value_id v) const { return base_.is_volatile(own(v)); }

  bool is_terminator(midend::value_id v) const { return base_.is_terminator(own(v)); }

  midend::guard_of_value guard(midend::value_id v) const {
    midend::guard_of_value guard = base_.guard(own(v));
    guard.predicate = values_.shown(guard.predicate);
    guard.otherwise = values_.shown(guard.otherwise);
    return guard;
  }

  midend::operation_info unguarded(midend::value_id v) const { return base_.unguarded(own(v)); }

  bool same_operation(midend::value_id v, const renumbered_view& other, midend::value_id w) const {
    return values_.has(v) && other.values_.has(w) && base_.same_operation(own(v), other.base_, other.own(w));
  }

private:
  midend::value_id own(midend::value_id v) const { return values_.own(v); }

  midend::elbrus::cost_view base_;
  flow graph_;
  flow::table values_;
  std::vector<std::vector<midend::value_id>> values_of_; ///< by node
  std::vector<std::vector<midend::value_id>> operands_;
};

} // namespace midend_tests
