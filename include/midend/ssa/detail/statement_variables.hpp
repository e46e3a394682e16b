/// The variables of a statement, as SSA construction treats them.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/statements.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The variables that a statement reads and writes in the sense of SSA form, each once. A may-definition both writes
/// and reads its variable, because the statement may keep the old value. The lists are copies, because renaming changes
/// those of the statement.
class statement_variables {
public:
  /// Prepares for a program.
  constexpr void start(std::size_t num_variables) {
    read_by_.assign(num_variables, no_statement);
    written_by_.assign(num_variables, no_statement);
  }

  /// Requires that each statement is given once.
  template <class IR> constexpr void assign(const IR& ir, statement_id s) {
    require_variables(ir, s);
    if constexpr (has_may_definitions<IR>) {
      read_.clear();
      written_.clear();
      for_each_id(ir.uses(s), [&](variable_id x) { add(read_, read_by_, x, s); });
      for_each_id(ir.definitions(s), [&](variable_id x) { add(written_, written_by_, x, s); });
      for_each_id(ir.may_definitions(s), [&](variable_id x) {
        if (written_by_[x] != s) {
          add(read_, read_by_, x, s);
          add(written_, written_by_, x, s);
        }
      });
    } else {
      list(ir.uses(s), read_, read_by_, s);
      list(ir.definitions(s), written_, written_by_, s);
    }
  }

  constexpr span<const variable_id> read() const { return read_; }

  constexpr span<const variable_id> written() const { return written_; }

private:
  /// Most lists have at most one variable, which needs no comparison.
  template <class List>
  static constexpr void list(const List& variables, flat_array<variable_id>& out, flat_array<statement_id>& listed_by,
                             statement_id s) {
    out.clear();
    for_each_id(variables, [&](variable_id x) { out.push_back(x); });
    if (out.size() > 1) {
      std::size_t kept = 0;
      for (const variable_id x : out) {
        if (listed_by[x] != s) {
          listed_by[x] = s;
          out[kept++] = x;
        }
      }
      out.shrink(kept);
    }
  }

  static constexpr void add(flat_array<variable_id>& list, flat_array<statement_id>& listed_by, variable_id x,
                            statement_id s) {
    if (listed_by[x] != s) {
      listed_by[x] = s;
      list.push_back(x);
    }
  }

  flat_array<variable_id> read_;
  flat_array<variable_id> written_;
  flat_array<statement_id> read_by_; ///< by variable: the last statement that listed it
  flat_array<statement_id> written_by_;
};

} // namespace detail

MIDEND_END_NAMESPACE
