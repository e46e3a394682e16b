/// `end_straight_code`, `leave_block`: turn the tests of the edges of a node into exits of a region and predicates of
/// paths in it.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/machine/lowering/detail/branch_tests.hpp"
#include "midend/machine/lowering/detail/program_questions.hpp"
#include "midend/machine/lowering/detail/region_builder.hpp"
#include "midend/machine/lowering/detail/region_paths.hpp"
#include "midend/machine/lowering/program_region.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

constexpr void append_exit(region_builder& builder, edge_id e, const region_bit& taken) {
  const region_operand predicate = builder.operand(taken);
  region_exit exit{};
  exit.edge = e;
  exit.predicate = predicate.node;
  exit.negated = predicate.addend != 0;
  exit.position = static_cast<std::uint32_t>(builder.region().values.size());
  builder.region().exits.push_back(exit);
}

/// Whether a node ends in a terminator that takes no operation.
template <class IR> constexpr bool has_free_end(const IR& ir, node_id n) {
  bool is_free = false;
  for (const value_id v : ir.values(n)) {
    is_free = !ir.is_phi(v) && is_free_end(ir, v);
  }
  return is_free;
}

/// Takes the node of a region of straight code, with its tests. Appends a branch for each edge but one, which control
/// takes if it takes no other.
template <class IR>
constexpr void end_straight_code(const IR& ir, node_id n, const branch_tests& tests, region_builder& builder) {
  if (tests.is_decided()) {
    return;
  }
  builder.region().ends_in_return = tests.size() == 0 && !has_free_end(ir, n);
  std::uint32_t rest = 0;
  for (std::uint32_t i = 0; i != tests.size(); ++i) {
    rest = !tests[i].has_case || tests[rest].has_case ? i : rest;
  }
  std::uint32_t i = 0;
  for_each_edge_from(ir, n, [&](edge_id e, node_id) {
    if (i != rest && tests[i].may_be_taken()) {
      append_exit(builder, e, tests.taken(builder, i));
    }
    ++i;
  });
}

/// The end of one block of a loop. See `leave_block`.
class block_end {
public:
  constexpr block_end(const region_flow& flow, std::uint32_t b, const branch_tests& tests, region_paths& paths,
                      region_builder& builder)
      : flow_(flow), block_(flow.blocks[b]), tests_(tests), paths_(paths), builder_(builder) {}

  constexpr void leave(path_predicate here) {
    const std::uint32_t taken = only_edge();
    if (taken != several) {
      take(taken, here);
      return;
    }
    for (std::uint32_t e = block_.first_edge; e != block_.last_edge; ++e) {
      if (leaves(e) && test(e).may_be_taken()) {
        const region_bit reached = paths_.bit_of(here);
        append_exit(builder_, flow_.edges[e].id,
                    builder_.conjunction(reached, tests_.taken(builder_, e - block_.first_edge)));
      }
    }
    divide_paths(here);
  }

private:
  static constexpr std::uint32_t several = static_cast<std::uint32_t>(-1);

  constexpr bool leaves(std::uint32_t e) const { return flow_.edges[e].target == region_edge::leaves; }

  constexpr const edge_test& test(std::uint32_t e) const { return tests_[e - block_.first_edge]; }

  /// The only edge that may be taken, or `several`. If none may be, the program has no meaning, and the last edge is
  /// returned.
  constexpr std::uint32_t only_edge() const {
    std::uint32_t only = several;
    for (std::uint32_t e = block_.first_edge; e != block_.last_edge; ++e) {
      if (test(e).may_be_taken()) {
        if (only != several) {
          return several;
        }
        only = e;
      }
    }
    return only == several ? block_.last_edge - 1 : only;
  }

  constexpr void take(std::uint32_t taken, path_predicate here) {
    for (std::uint32_t e = block_.first_edge; e != block_.last_edge; ++e) {
      paths_.set_edge(e, e == taken && !leaves(taken) ? here : no_path);
    }
    if (leaves(taken)) {
      append_exit(builder_, flow_.edges[taken].id, paths_.bit_of(here));
    }
  }

  /// Sets the predicates of the edges that stay in the loop. Each but the last edge is a decision; the last one, which
  /// is the edge for all other cases if there is one, gets the rest.
  constexpr void divide_paths(path_predicate here) {
    const auto stays = [&](std::uint32_t e) { return !leaves(e) && test(e).may_be_taken(); };
    std::uint32_t last = block_.last_edge;
    for (std::uint32_t e = block_.first_edge; e != block_.last_edge; ++e) {
      if (stays(e) && (last == block_.last_edge || test(last).has_case)) {
        last = e;
      }
    }
    path_predicate rest = here;
    for (std::uint32_t e = block_.first_edge; e != block_.last_edge; ++e) {
      if (!stays(e)) {
        paths_.set_edge(e, no_path);
      } else if (e != last) {
        const path_predicate taken = paths_.decide(rest, here, test(e).taken);
        paths_.set_edge(e, taken);
        rest = taken ^ 1;
        ++builder_.region().inner_branches;
      }
    }
    if (last != block_.last_edge) {
      paths_.set_edge(last, rest);
    }
  }

  const region_flow& flow_;
  const region_block& block_;
  const branch_tests& tests_;
  region_paths& paths_;
  region_builder& builder_;
};

/// Takes a block of a loop, its predicate and its tests. Appends an exit for each edge that leaves the loop, and sets
/// the predicates of all edges of the block, which later blocks need. So control becomes data before any join is read.
constexpr void leave_block(const region_flow& flow, std::uint32_t b, path_predicate here, const branch_tests& tests,
                           region_paths& paths, region_builder& builder) {
  block_end(flow, b, tests, paths, builder).leave(here);
}

/// Takes a block that control does not reach: none of its edges is taken.
constexpr void leave_unreached_block(const region_flow& flow, std::uint32_t b, region_paths& paths) {
  for (std::uint32_t e = flow.blocks[b].first_edge; e != flow.blocks[b].last_edge; ++e) {
    paths.set_edge(e, no_path);
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
