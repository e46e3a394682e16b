/// `definition_table`: the numbered definitions of a program.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/statements.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A definition: dense, `0 … num_definitions() - 1`.
using definition_id = std::uint32_t;

/// A statement that writes a variable.
struct definition {
  statement_id statement;
  variable_id variable;
  bool is_certain; ///< false if the statement only may write the variable, or writes a part of it

  friend constexpr bool operator==(const definition&, const definition&) = default;
};

/// All definitions and may-definitions of a program. The definitions of one variable have consecutive numbers, so that
/// "all other definitions of the variable" is a range; they are ordered by node and statement. A statement that lists a
/// variable twice defines it once. 28 bytes a definition, 4 a node and 8 a variable.
class definition_table {
public:
  constexpr definition_table() = default;

  template <statement_ir IR> constexpr explicit definition_table(const IR& ir) { assign(ir); }

  template <has_graph IR>
    requires(!statement_ir<IR>)
  explicit definition_table(const IR&) {
    detail::statement_contract::explain<IR>();
  }

  /// Refills this object; allocates nothing if an earlier program was at least as large. O(size of the program).
  template <statement_ir_argument IR> constexpr void assign(const IR& ir) {
    collect(ir);
    number();
  }

  constexpr std::size_t num_definitions() const { return definitions_.size(); }

  constexpr std::size_t num_nodes() const { return node_offsets_.empty() ? 0 : node_offsets_.size() - 1; }

  constexpr std::size_t num_variables() const { return variable_offsets_.empty() ? 0 : variable_offsets_.size() - 1; }

  constexpr const definition& operator[](definition_id d) const { return definitions_[d]; }

  /// The definitions of `v`.
  constexpr id_range<definition_id> of_variable(variable_id v) const {
    return {variable_offsets_[v], variable_offsets_[v + std::size_t{1}]};
  }

  /// The definitions in `n`, in the order of execution.
  constexpr span<const definition_id> of_node(node_id n) const {
    MIDEND_ASSERT(n < num_nodes(), "a node of the graph", n, num_nodes());
    return span<const definition_id>(in_order_).subspan(node_offsets_[n],
                                                        node_offsets_[n + std::size_t{1}] - node_offsets_[n]);
  }

  /// The `epoch()` of the graph of the program.
  constexpr std::uint64_t epoch() const { return epoch_; }

private:
  /// Lists the definitions in the order of execution.
  template <class IR> constexpr void collect(const IR& ir) {
    const node_id count = detail::node_count(ir.graph());
    epoch_ = graph_epoch(ir.graph());
    node_offsets_.resize_for_overwrite(count + std::size_t{1});
    written_by_.assign(static_cast<std::size_t>(ir.num_variables()), no_statement);
    found_.clear();
    for (node_id n = 0; n != count; ++n) {
      node_offsets_[n] = static_cast<std::uint32_t>(found_.size());
      detail::for_each_id(ir.statements(n), [&](statement_id s) {
        detail::require_variables(ir, s);
        detail::for_each_written(
            ir, s, [&](variable_id v) { add({s, v, true}); }, [&](variable_id v) { add({s, v, false}); });
      });
    }
    node_offsets_[count] = static_cast<std::uint32_t>(found_.size());
  }

  constexpr void add(definition d) {
    if (written_by_[d.variable] != d.statement) {
      written_by_[d.variable] = d.statement;
      found_.push_back(d);
    }
  }

  /// A stable counting sort by variable.
  constexpr void number() {
    variable_offsets_.assign(written_by_.size() + 1, 0);
    for (const definition& d : found_) {
      ++variable_offsets_[d.variable];
    }
    detail::counts_to_ends(variable_offsets_);
    definitions_.resize_for_overwrite(found_.size());
    in_order_.resize_for_overwrite(found_.size());
    for (std::size_t i = found_.size(); i-- != 0;) {
      const definition_id id = --variable_offsets_[found_[i].variable];
      definitions_[id] = found_[i];
      in_order_[i] = id;
    }
  }

  std::uint64_t epoch_ = 0;
  flat_array<definition> definitions_;
  flat_array<std::uint32_t> variable_offsets_; ///< into `definitions_`
  flat_array<definition_id> in_order_;
  flat_array<std::uint32_t> node_offsets_; ///< into `in_order_`
  flat_array<statement_id> written_by_;    ///< by variable, while collecting: the last statement that writes it
  flat_array<definition> found_;           ///< in the order of execution
};

MIDEND_END_NAMESPACE
