/// The Elbrus-like IR with edges that serve several cases: a switch on `x shr k` is shown as one on x.
#pragma once

#include <midend/elbrus/opcode.hpp>
#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/elbrus/views/effect_view.hpp>
#include <midend/ir/edge_cases.hpp>
#include <midend/ir/evaluate.hpp>
#include <midend/ir/operation.hpp>
#include <midend/ir/semantics.hpp>
#include <midend/ir/ssa.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <vector>

namespace midend_tests {

/// How a view lists the cases of an edge.
enum class case_form { constants, ranges, signed_ranges };

/// A view or an editor, with `edge_cases` in place of `edge_case`. A switch on `x shr k`, with a literal k of at most
/// 3, is a branch on x whose edges serve 2^k numbers for each case. So runs of the procedure are runs of what is shown.
template <class Base, case_form Form> struct with_cases : Base {
  using Base::Base;
  using one_case = std::conditional_t<Form == case_form::constants, std::uint64_t, midend::number_range>;

  midend::value_id condition(midend::node_id n) const {
    const midend::value_id decides = Base::condition(n);
    return shift_of(n) == 0 ? decides : this->graph().operands(decides)[0];
  }

  std::optional<std::uint64_t> edge_case(midend::edge_id e) const = delete;

  std::vector<one_case> edge_cases(midend::edge_id e) const {
    std::vector<one_case> out;
    const std::optional<std::uint64_t> one = Base::edge_case(e);
    if (!one) {
      return out;
    }
    const unsigned shift = shift_of(this->graph().edge_source(e));
    const std::uint64_t last = (std::uint64_t{1} << shift) - 1;
    if constexpr (Form == case_form::constants) {
      for (std::uint64_t i = 0; i <= last; ++i) {
        out.push_back((*one << shift) + i);
      }
    } else {
      out.push_back({*one << shift, (*one << shift) + last, Form == case_form::signed_ranges});
    }
    return out;
  }

private:
  /// 0 if the condition of a node is shown as it is.
  unsigned shift_of(midend::node_id n) const {
    const auto& p = this->graph();
    const midend::value_id decides = Base::condition(n);
    if (decides == midend::no_value || p.node_core(n).last_code != midend::elbrus::opcode::switch_) {
      return 0;
    }
    const midend::operation_info info = this->operation(decides);
    if (info.code != midend::operation::shr || p.core(decides).flags.spec) {
      return 0;
    }
    const std::optional<std::uint64_t> shift = this->constant(p.operands(decides)[1]);
    if (!shift || *shift > 3 || *shift >= info.width) {
      return 0;
    }
    for (const midend::edge_id e : p.out_edges(n)) {
      const std::optional<std::uint64_t> one = Base::edge_case(e);
      if (one && *one > midend::low_ones(info.width) >> *shift) {
        return 0;
      }
    }
    return static_cast<unsigned>(*shift);
  }
};

/// Makes every switch on a value of a procedure one on the value, shifted by 1 or 2. Returns how many there are.
inline std::size_t shift_switches(midend::elbrus::procedure& p) {
  midend::elbrus::editor e(p);
  std::size_t count = 0;
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    const midend::value_id end = p.terminator(n);
    if (end == midend::no_value || p.core(end).code != midend::elbrus::opcode::switch_) {
      continue;
    }
    const midend::value_id v = p.operands(end)[0];
    const midend::operation_info info = e.operation(v);
    const auto width = static_cast<std::uint8_t>(info.width);
    const midend::value_id operands[] = {v, e.make_number(width, 1 + count % 2)};
    const midend::value_id shifted =
        e.make_operation({midend::operation::shr, width, width, {}}, operands, midend::place_before(end));
    e.set_operand(end, 0, shifted);
    ++count;
  }
  return count;
}

} // namespace midend_tests
