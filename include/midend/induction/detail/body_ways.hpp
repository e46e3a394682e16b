/// Which blocks of a loop body every iteration passes.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/flat_array.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The ways through a loop body, from its header to its bottom.
class body_ways {
public:
  /// No way to the bottom leads around the block.
  constexpr bool is_unavoidable(std::uint32_t block) const { return marks_[block] == unavoidable; }

  /// No block behind this one does more than add numbers to counters and compare.
  constexpr bool is_behind_work(std::uint32_t block) const { return block >= last_work_; }

  constexpr void assign(const loop_body& body) {
    find_last_work(body);
    marks_.assign(body.blocks.size(), none);
    mark_ways_to_bottom(body);
    mark_unavoidable(body);
  }

private:
  enum mark : std::uint8_t { none, leads_to_bottom, is_on_way, unavoidable };

  constexpr void find_last_work(const loop_body& body) {
    last_work_ = 0;
    for (const body_value& v : body.values) {
      if (v.block != no_body_value && v.block > last_work_ && is_work(body, v)) {
        last_work_ = v.block;
      }
    }
  }

  static constexpr bool is_work(const loop_body& body, const body_value& v) {
    if (v.kind != body_kind::pure) {
      return v.kind == body_kind::load || v.kind == body_kind::store || v.kind == body_kind::call;
    }
    return !v.is_free && !is_comparison(v.info.code) && !adds_a_number(body, v);
  }

  static constexpr bool adds_a_number(const loop_body& body, const body_value& v) {
    if (v.info.code != operation::add && v.info.code != operation::sub) {
      return false;
    }
    const body_kind a = body.values[body.operands[v.first_operand]].kind;
    const body_kind b = body.values[body.operands[v.first_operand + std::size_t{1}]].kind;
    return b == body_kind::constant || (a == body_kind::constant && v.info.code == operation::add);
  }

  constexpr void mark_ways_to_bottom(const loop_body& body) {
    marks_[body.bottom()] = leads_to_bottom;
    for (std::uint32_t b = body.bottom(); b != 0; --b) {
      if (marks_[b] == leads_to_bottom) {
        for (const std::uint32_t e : body.in_edges_of(b)) {
          marks_[body.edges[e].source] = leads_to_bottom;
        }
      }
    }
  }

  /// Blocks are in topological order: a block can be avoided if an edge on a way leads past it.
  constexpr void mark_unavoidable(const loop_body& body) {
    marks_[0] = marks_[0] == leads_to_bottom ? is_on_way : none;
    std::uint32_t furthest = 0;
    for (std::uint32_t b = 0; b != body.blocks.size(); ++b) {
      if (marks_[b] != is_on_way) {
        continue;
      }
      marks_[b] = furthest <= b ? unavoidable : is_on_way;
      for (std::uint32_t e = body.blocks[b].first_edge; e != body.blocks[b].last_edge; ++e) {
        const std::uint32_t target = body.edges[e].target;
        if (target != body_edge::leaves && marks_[target] != none) {
          marks_[target] = is_on_way;
          furthest = target > furthest ? target : furthest;
        }
      }
    }
  }

  flat_array<mark> marks_;
  std::uint32_t last_work_ = 0;
};

} // namespace detail

MIDEND_END_NAMESPACE
