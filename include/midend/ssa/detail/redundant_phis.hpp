/// Sets of phis that are one value together.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/graph/strongly_connected_components.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/ssa/detail/on_the_fly_phis.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Finds strongly connected sets of phis whose inputs are these phis and one other value, and puts that in their place.
/// Sets are taken in the order of the flow of values. Of one with several values from outside, those phis that have
/// none of them as an input are looked at again, as a graph of their own.
template <class E> class redundant_phi_removal {
public:
  explicit redundant_phi_removal(on_the_fly_phis<E>& phis) : phis_(phis) {}

  void run() {
    number_.assign(phis_.size(), no_phi);
    flat_array<phi_number> all;
    for (phi_number phi = 0; phi != phis_.size(); ++phi) {
      all.push_back(phi);
    }
    push_components(all);
    while (!sets_.empty()) {
      const std::size_t first = sets_.back();
      sets_.pop_back();
      process(first);
    }
  }

private:
  /// Stacks the strongly connected sets of some phis, so that the one that reads no other is on top.
  void push_components(std::span<const phi_number> phis) {
    alive_.clear();
    for (const phi_number phi : phis) {
      if (phis_.is_alive(phi)) {
        number_[phi] = static_cast<std::uint32_t>(alive_.size());
        alive_.push_back(phi);
      }
    }
    edges_.clear();
    for (std::uint32_t i = 0; i != alive_.size(); ++i) {
      for (std::size_t k = 0; k != phis_.num_inputs(alive_[i]); ++k) {
        const phi_number read = phis_.phi_of(phis_.resolve(phis_.input(alive_[i], k)));
        if (read != no_phi && number_[read] != no_phi) {
          edges_.push_back({i, number_[read]});
        }
      }
    }
    for (const phi_number phi : alive_) {
      number_[phi] = no_phi;
    }
    if (!alive_.empty()) {
      push_components_of(csr_graph::from_edges(alive_.size(), 0, edges_).value());
    }
  }

  /// Components have numbers against the edges: what is read comes first.
  void push_components_of(const csr_graph& reads) {
    const component_partition components = strongly_connected_components(reads);
    for (auto c = static_cast<component_id>(components.num_components()); c-- != 0;) {
      if (components.members(c).size() > 1) {
        sets_.push_back(members_.size());
        for (const node_id member : components.members(c)) {
          members_.push_back(alive_[member]);
        }
      }
    }
  }

  /// The set at the top of the stack, from `first` on.
  void process(std::size_t first) {
    set_.assign(std::span<const phi_number>(members_).subspan(first));
    members_.shrink(first);
    for (const phi_number phi : set_) {
      number_[phi] = 0;
    }
    inner_.clear();
    value_id outside = no_value;
    bool is_one_value = true;
    for (const phi_number phi : set_) {
      if (phis_.is_alive(phi) && !reads_outside(phi, outside, is_one_value)) {
        inner_.push_back(phi);
      }
    }
    for (const phi_number phi : set_) {
      number_[phi] = no_phi;
    }
    if (!is_one_value) {
      push_components(inner_);
    } else if (outside != no_value) {
      replace_all(outside);
    }
  }

  /// Whether a phi has an input that is not of the set. `outside` is the first that was seen.
  bool reads_outside(phi_number phi, value_id& outside, bool& is_one_value) {
    bool does = false;
    for (std::size_t i = 0; i != phis_.num_inputs(phi); ++i) {
      const value_id v = phis_.resolve(phis_.input(phi, i));
      const phi_number read = phis_.phi_of(v);
      if (read != no_phi && number_[read] != no_phi) {
        continue;
      }
      does = true;
      is_one_value = is_one_value && (outside == no_value || outside == v);
      outside = v;
    }
    return does;
  }

  void replace_all(value_id by) {
    for (const phi_number phi : set_) {
      if (phis_.is_alive(phi)) {
        phis_.replace(phi, by);
      }
    }
    phis_.remove_trivial();
  }

  on_the_fly_phis<E>& phis_;
  flat_array<std::uint32_t> number_; ///< by phi: in the graph that is made, or 0 in the set that is looked at
  flat_array<phi_number> alive_;
  std::vector<edge> edges_;
  flat_array<phi_number> members_; ///< of the sets on the stack
  flat_array<std::size_t> sets_;   ///< their first members
  flat_array<phi_number> set_;     ///< the one that is looked at
  flat_array<phi_number> inner_;
};

} // namespace detail

MIDEND_END_NAMESPACE
