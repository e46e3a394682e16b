/// Text for explanations, which are lists of reasons and nodes.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominance_error.hpp"
#include "midend/dominance/explain_dominance.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/explain_irreducible.hpp"
#include "midend/loops/explain_loop_form.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/span.hpp"
#include "midend/viz/detail/dot_text.hpp"

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// Names of nodes from a function: `names(n)` converts to `std::string_view`, as a `std::string` does.
template <class Names>
concept names_by_function = requires(const Names& names, node_id n) {
  { names(n) } -> std::convertible_to<std::string_view>;
};

/// Names of nodes from an array: `names[n]` converts to `std::string_view`.
template <class Names>
concept names_by_array = requires(const Names& names, node_id n) {
  { names[n] } -> std::convertible_to<std::string_view>;
};

template <class Names>
concept node_names = names_by_function<Names> || names_by_array<Names>;

namespace detail {

MIDEND_REQUIRED(node_names, "the names of nodes are a function or an array: `names(n)` or `names[n]`, "
                            "const, converts to std::string_view");

} // namespace detail

/// For signatures: `node_names`; any other type is an error with a reason.
template <class Names>
concept node_names_argument = node_names<Names> || detail::node_names_row::explain<Names>();

/// Names each node by its number.
struct node_numbers {
  std::string operator()(node_id n) const {
    std::string text;
    detail::append_number(text, n);
    return text;
  }
};

namespace detail {

/// Appends to one string.
template <class Names> class explanation_writer {
public:
  explicit explanation_writer(const Names& names) : names_(names) {}

  template <class... Parts> explanation_writer& say(const Parts&... parts) {
    (append(parts), ...);
    return *this;
  }

  explanation_writer& list(span<const node_id> nodes, std::string_view separator) {
    std::string_view before = "";
    for (const node_id n : nodes) {
      say(before, n);
      before = separator;
    }
    return *this;
  }

  std::string take() { return std::move(out_); }

private:
  void append(std::string_view words) { out_ += words; }

  void append(node_id n) {
    if (n == no_node) {
      out_ += "no block";
    } else if constexpr (names_by_function<Names>) {
      out_ += std::string_view(names_(n));
    } else {
      out_ += std::string_view(names_[n]);
    }
  }

  const Names& names_;
  std::string out_;
};

} // namespace detail

/// The explanation of a loop's forms: a line with its forms, and an indented line for each obstacle.
///
///     loop of 2: in loop-simplify form, not rotated, LCSSA-ready
///       no exiting latch: 6 does not leave the loop
template <class Names = node_numbers>
std::string to_text(const loop_form_explanation& explanation, const Names& names = {}) {
  static_assert(node_names_argument<Names>);
  const auto is_not = [&](loop_form form) { return explanation.is_in(form) ? "" : "not "; };
  detail::explanation_writer<Names> out(names);
  out.say("loop of ", explanation.header(), ": ", is_not(loop_form::loop_simplify), "in loop-simplify form, ",
          is_not(loop_form::rotated), "rotated, ", is_not(loop_form::lcssa_ready), "LCSSA-ready\n");
  for (const loop_form_obstacle& o : explanation.obstacles()) {
    out.say("  ");
    switch (o.why) {
      using enum loop_form_obstacle::reason;
    case graph_entry_is_header:
      out.say("no preheader: the graph starts at the header, ", o.node);
      break;
    case one_of_several_entering_blocks:
      out.say("no preheader: ", o.node, " is one of several blocks that enter");
      break;
    case unreachable_entering_block:
      out.say("no preheader: ", o.node, " enters too, although the entry does not reach it");
      break;
    case entering_block_has_other_edge:
      out.say("no preheader: ", o.node, ", which alone enters, has another edge, to ", o.other);
      break;
    case one_of_several_latches:
      out.say("no single latch: ", o.node, " is one of several");
      break;
    case parallel_backedges:
      out.say("no single latch: ", o.node, " leads back by several edges");
      break;
    case graph_entry_is_exit:
      out.say("no dedicated exits: the graph starts at the exit block ", o.node);
      break;
    case exit_shared_with_outside:
      out.say("no dedicated exits: exit block ", o.node, " has a predecessor outside, ", o.other);
      break;
    case loop_has_no_exit:
      out.say("no exiting latch: nothing leaves the loop");
      break;
    case latch_does_not_exit:
      out.say("no exiting latch: ", o.node, " does not leave the loop");
      break;
    }
    out.say("\n");
  }
  return out.take();
}

/// The explanation of a cycle: its entries, and the paths to them.
///
///     cycle of 4: irreducible, entered at 4 and 5
///       to 4 without 5: 1 -> 3 -> 4
///       to 5 without 4: 1 -> 2 -> 5
template <class Names = node_numbers>
std::string to_text(const irreducible_explanation& explanation, const Names& names = {}) {
  static_assert(node_names_argument<Names>);
  const node_id first = explanation.first_entry();
  const node_id second = explanation.second_entry();
  detail::explanation_writer<Names> out(names);
  const auto show = [&](span<const node_id> path) { out.list(path, " -> ").say("\n"); };
  if (explanation.is_irreducible()) {
    out.say("cycle of ", first, ": irreducible, entered at ", first, " and ", second, "\n");
    out.say("  to ", first, " without ", second, ": ");
    show(explanation.path_to_first());
    out.say("  to ", second, " without ", first, ": ");
    show(explanation.path_to_second());
  } else {
    out.say("cycle of ", first, ": entered at ", first, " alone\n  to ", first, ": ");
    show(explanation.path_to_first());
  }
  return out.take();
}

/// Why `a` does or does not dominate `b`, from its explanation.
///
///     2 dominates 6
///       6 below 4 below 2
///
///     2 does not dominate 7
///       around it: 0 -> 1 -> 7
template <class Names = node_numbers>
std::string to_text(const dominance_explanation& explanation, node_id a, node_id b, const Names& names = {}) {
  static_assert(node_names_argument<Names>);
  detail::explanation_writer<Names> out(names);
  switch (explanation.why) {
    using enum dominance_explanation::reason;
  case unreachable:
    out.say("nothing dominates ", b, ": the entry does not reach it\n");
    break;
  case chain:
    if (a == b) {
      out.say(a, " dominates itself\n");
    } else {
      out.say(a, " dominates ", b, "\n  ").list(explanation.nodes, " below ").say("\n");
    }
    break;
  case path:
    out.say(a, " does not dominate ", b, "\n  around it: ").list(explanation.nodes, " -> ").say("\n");
    break;
  }
  return out.take();
}

/// The error in claims about dominators, in one line.
template <class Names = node_numbers> std::string to_text(const dominance_error& error, const Names& names = {}) {
  static_assert(node_names_argument<Names>);
  detail::explanation_writer<Names> out(names);
  switch (error.why) {
    using enum dominance_error::reason;
  case wrong_size:
    out.say("claims or order do not fit the number of blocks");
    break;
  case not_a_tree:
    out.say("by the claims, the way up from ", error.node, " does not end at the entry");
    break;
  case not_a_preorder:
    out.say("in the order, ", error.node, " is not where a preorder of the tree has it");
    break;
  case edge_leaves_tree:
    out.say("the edge ", error.source, " -> ", error.node, " leads to a block that is claimed to be unreachable");
    break;
  case edge_avoids_claim:
    out.say("the edge ", error.source, " -> ", error.node, " leads past the claimed dominator of ", error.node);
    break;
  case not_closest:
    out.say(error.node, " has a closer dominator than the one claimed, or is unreachable");
    break;
  case wrong_numbers:
    out.say("number, depth or subtree of ", error.node, " is not that of the tree");
    break;
  }
  return out.say("\n").take();
}

MIDEND_END_NAMESPACE
