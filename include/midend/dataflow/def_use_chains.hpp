/// `def_use_chains`: links between the definitions of a program and their uses.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/definition_table.hpp"
#include "midend/dataflow/flow_facts.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/statements.hpp"
#include "midend/support/bit_row.hpp"
#include "midend/support/bit_set.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A use: dense, `0 … num_uses() - 1`, in the order of nodes and statements.
using use_id = std::uint32_t;

/// A statement that reads a variable.
struct variable_use {
  statement_id statement;
  variable_id variable;

  friend constexpr bool operator==(const variable_use&, const variable_use&) = default;
};

/// For each use the definitions that its value may come from, and for each definition the uses that may read it.
class def_use_chains {
public:
  constexpr def_use_chains() = default;

  /// The chains of `ir`, from the result of `reaching_definitions` and its definition table.
  ///
  /// A statement that lists a variable twice uses it once. A use in an unreachable node is linked only to definitions
  /// in that node. Time and space are linear in the program and in the number of links, which may be quadratic in the
  /// size of the program.
  template <statement_ir_argument IR, fact_rows Rows>
  constexpr def_use_chains(const IR& ir, const definition_table& definitions, const flow_facts<Rows>& reaching) {
    assign(ir, definitions, reaching);
  }

  /// Refills this object; allocates nothing if earlier chains of it were at least as large.
  template <statement_ir_argument IR, fact_rows Rows>
  constexpr void assign(const IR& ir, const definition_table& definitions, const flow_facts<Rows>& reaching) {
    MIDEND_ASSERT(reaching.num_facts() == definitions.num_definitions() &&
                      reaching.num_nodes() == definitions.num_nodes() && reaching.epoch() == definitions.epoch(),
                  "the definitions that reach the nodes of this program", reaching.num_facts(),
                  definitions.num_definitions());
    uses_.clear();
    definition_offsets_.clear();
    definitions_.clear();
    read_by_.assign(static_cast<std::size_t>(ir.num_variables()), no_statement);
    facts_.resize(definitions.num_definitions());
    const node_id count = detail::node_count(ir.graph());
    for (node_id n = 0; n != count; ++n) {
      link_uses(ir, n, definitions, reaching);
    }
    definition_offsets_.push_back(definitions_.size());
    invert(definitions.num_definitions());
  }

  constexpr std::size_t num_uses() const { return uses_.size(); }

  constexpr std::size_t num_definitions() const { return use_offsets_.empty() ? 0 : use_offsets_.size() - 1; }

  constexpr const variable_use& use(use_id u) const { return uses_[u]; }

  /// The definitions that `u` may read, ascending.
  constexpr span<const definition_id> definitions(use_id u) const {
    MIDEND_ASSERT(u < num_uses(), "a use", u, num_uses());
    return span<const definition_id>(definitions_)
        .subspan(definition_offsets_[u], definition_offsets_[u + std::size_t{1}] - definition_offsets_[u]);
  }

  /// The uses that may read `d`, ascending.
  constexpr span<const use_id> uses(definition_id d) const {
    MIDEND_ASSERT(d < num_definitions(), "a definition", d, num_definitions());
    return span<const use_id>(users_).subspan(use_offsets_[d], use_offsets_[d + std::size_t{1}] - use_offsets_[d]);
  }

private:
  /// Follows the facts through the statements of a node.
  template <class IR, class Rows>
  constexpr void link_uses(const IR& ir, node_id n, const definition_table& definitions,
                           const flow_facts<Rows>& reaching) {
    facts_.reset();
    for (const definition_id d : set_bits(reaching.in(n))) {
      facts_.set(d);
    }
    const span<const definition_id> made = definitions.of_node(n);
    std::size_t next = 0;
    detail::for_each_id(ir.statements(n), [&](statement_id s) {
      detail::require_variables(ir, s);
      detail::for_each_id(ir.uses(s), [&](variable_id v) {
        if (read_by_[v] != s) {
          read_by_[v] = s;
          link_use({s, v}, definitions);
        }
      });
      for (; next != made.size() && definitions[made[next]].statement == s; ++next) {
        define(made[next], definitions);
      }
    });
  }

  constexpr void link_use(variable_use use, const definition_table& definitions) {
    uses_.push_back(use);
    definition_offsets_.push_back(definitions_.size());
    for (const definition_id d : definitions.of_variable(use.variable)) {
      if (facts_.test(d)) {
        definitions_.push_back(d);
      }
    }
  }

  constexpr void define(definition_id d, const definition_table& definitions) {
    if (definitions[d].is_certain) {
      for (const definition_id other : definitions.of_variable(definitions[d].variable)) {
        facts_.reset(other);
      }
    }
    facts_.set(d);
  }

  /// A stable counting sort of the links by definition.
  constexpr void invert(std::size_t num_definitions) {
    use_offsets_.assign(num_definitions + 1, 0);
    for (const definition_id d : definitions_) {
      ++use_offsets_[d];
    }
    std::size_t total = 0;
    for (std::size_t& end : use_offsets_) {
      total += end;
      end = total;
    }
    users_.resize_for_overwrite(definitions_.size());
    for (use_id u = static_cast<use_id>(num_uses()); u-- != 0;) {
      for (const definition_id d : definitions(u)) {
        users_[--use_offsets_[d]] = u;
      }
    }
  }

  flat_array<variable_use> uses_;
  flat_array<std::size_t> definition_offsets_; ///< by use, into `definitions_`
  flat_array<definition_id> definitions_;
  flat_array<std::size_t> use_offsets_; ///< by definition, into `users_`
  flat_array<use_id> users_;
  flat_array<statement_id> read_by_; ///< by variable: the last statement that uses it
  bit_row facts_;                    ///< the definitions that reach the current statement
};

MIDEND_END_NAMESPACE
