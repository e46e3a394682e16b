/// `cost_editor`: an editor of the Elbrus-like IR that also shows addresses, guards and costs, as packages require.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/views/cost_view.hpp"
#include "midend/elbrus/views/editor.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// `editor` with the members of `cost_view`. The profile is that of the text, as an editor must show it.
class cost_editor : public editor {
public:
  using editor::editor;

  std::optional<operation_class> cost(value_id v) const { return view().cost(v); }

  std::optional<memory_reference> memory(value_id v) const { return view().memory(v); }

  bool may_write(value_id v, std::uint32_t memory) const { return view().may_write(v, memory); }

  bool is_little_endian() const { return view().is_little_endian(); }

  bool may_reassociate(value_id v) const { return view().may_reassociate(v); }

  guard_of_value guard(value_id v) const { return view().guard(v); }

  operation_info unguarded(value_id v) const { return view().unguarded(v); }

  std::uint32_t identity(value_id v) const { return view().identity(v); }

  /// Addresses and numbers of 64 bits can replace each other as operands, so they are one type here.
  bool same_type(value_id v, value_id w) const {
    const auto of = [&](value_id x) {
      const type t = graph().core(x).type;
      return t == type::ptr ? type::i64 : t;
    };
    return of(v) == of(w);
  }

private:
  cost_view view() const { return cost_view(graph()); }
};

static_assert(operation_editor<cost_editor> && cost_ir<cost_editor> && memory_ir<cost_editor> &&
              has_guard<cost_editor> && has_identity<cost_editor>);

} // namespace elbrus

MIDEND_END_NAMESPACE
