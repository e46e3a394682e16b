/// `growing_facts`: the result of `sccp` while it is computed.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ssa/detail/ssa_order.hpp"
#include "midend/ssa/sccp_result.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Writes a `sccp_result`: facts only rise, nodes and edges only become executable, values only become undefined, until
/// the fixpoint is found. Refers to the domain and the result; a copy writes the same result.
template <class D> class growing_facts {
public:
  using element = element_of<D>;

  constexpr growing_facts(const D& domain, sccp_result<D>& out) : domain_(domain), out_(out) {}

  /// Nothing is executed and all facts are bottom. The result will show the first `shown` of `values` values.
  constexpr void start(std::size_t shown, std::size_t values, std::size_t nodes, std::size_t edges, bool counts_growths,
                       std::uint32_t widen_after, std::uint64_t epoch) const {
    out_.num_values_ = shown;
    out_.decided_uses_.clear();
    out_.domain_ = domain_;
    out_.facts_.assign(values, domain_.bottom());
    out_.clear(values, nodes, edges, counts_growths);
    out_.widen_after_ = widen_after;
    out_.counters_ = {};
    out_.broken_value_ = no_value;
    out_.epoch_ = epoch;
  }

  constexpr element& operator[](value_id v) const { return out_.facts_.data()[v]; }

  /// Whether `v` has no value so far.
  constexpr bool is_unknown(value_id v) const { return is_bottom(domain_, (*this)[v]); }

  /// Whether `v` is `undef` so far.
  constexpr bool is_undefined(value_id v) const { return is_marked(v) && is_unknown(v); }

  /// Whether `v` was `undef`. It may have got a value since.
  constexpr bool is_marked(value_id v) const { return out_.test(out_.undefined_, v); }

  constexpr void mark_undefined(value_id v) const { out_.set(out_.undefined_, v); }

  constexpr bool is_executable(node_id n) const { return out_.test(out_.executable_nodes_, n); }

  constexpr void execute(node_id n) const { out_.set(out_.executable_nodes_, n); }

  constexpr bool is_executable_edge(edge_id e) const { return out_.test(out_.executable_edges_, e); }

  constexpr void execute_edge(edge_id e) const { out_.set(out_.executable_edges_, e); }

  /// The number of visits of `v`.
  constexpr std::uint32_t& visits(value_id v) const { return out_.numbers_.data()[v]; }

  /// The number of times the phi `v` grew along back edges; if `start` was told to count them.
  constexpr std::uint32_t& growths(value_id v) const { return out_.numbers_.data()[out_.facts_.size() + v]; }

  constexpr sccp_counters& counters() const { return out_.counters_; }

  /// The fact of `v` did not rise although those of its operands did. The facts are of no use from now on.
  constexpr void fail(value_id v) const { out_.broken_value_ = v; }

  constexpr bool has_failed() const { return out_.broken_value_ != no_value; }

  /// The facts are final. Values that are `undef` become top.
  template <class IR> constexpr void finish_undefined(const IR& ir) const {
    for (value_id v = 0; v != out_.facts_.size(); ++v) {
      if (!is_marked(v)) {
        continue;
      }
      if (is_unknown(v)) {
        (*this)[v] = domain_.top(ir.operation(v).width);
      } else {
        out_.reset(out_.undefined_, v); // got a value after it was marked
      }
    }
  }

  /// The facts are final. Executed values that have none become top, and the result says that no run computes them.
  template <class IR> constexpr void finish_unknown(const IR& ir, const ssa_order& order) const {
    for (const node_id n : order.postorder()) {
      if (!is_executable(n)) {
        continue;
      }
      for (std::uint32_t position = order.first_position(n); position != order.last_position(n); ++position) {
        if (const value_id v = order.item(position); is_unknown(v)) {
          (*this)[v] = domain_.top(ir.operation(v).width);
          out_.set(out_.without_value_, v);
        }
      }
    }
  }

private:
  const D& domain_;
  sccp_result<D>& out_;
};

} // namespace detail

MIDEND_END_NAMESPACE
