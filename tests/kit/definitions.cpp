#include "kit/definitions.hpp"

#include <algorithm>
#include <utility>

namespace midend_tests {

void definitions::assign(std::size_t num_nodes, node_id entry, std::span<const edge> edges) {
  num_nodes_ = num_nodes;
  entry_ = entry;
  edges_ = edges_by_id(num_nodes, edges);
  offsets_.assign(num_nodes + 1, 0);
  for (const edge e : edges_) {
    ++offsets_[e.source + std::size_t{1}];
  }
  for (std::size_t n = 0; n != num_nodes; ++n) {
    offsets_[n + 1] += offsets_[n];
  }
  reaches_.assign(num_nodes * num_nodes, 0);
  dominates_.assign(num_nodes * num_nodes, 0);
  for (node_id n = 0; n != num_nodes; ++n) {
    mark_reached(n, no_node, reaches_.data() + n * num_nodes);
  }
  for (node_id a = 0; a != num_nodes; ++a) {
    reached_.assign(num_nodes, 0);
    if (a != entry) {
      mark_reached(entry, a, reached_.data());
    }
    for (node_id b = 0; b != num_nodes; ++b) {
      dominates_[a * num_nodes + b] = reaches(entry, b) && reached_[b] == 0;
    }
  }
}

void definitions::mark_reached(node_id from, node_id avoiding, char* reached) {
  todo_.assign(1, from);
  reached[from] = 1;
  while (!todo_.empty()) {
    const node_id n = todo_.back();
    todo_.pop_back();
    for (const edge e : out_edges(n)) {
      if (e.target != avoiding && reached[e.target] == 0) {
        reached[e.target] = 1;
        todo_.push_back(e.target);
      }
    }
  }
}

node_id definitions::immediate_dominator(node_id n) const {
  for (node_id candidate = 0; candidate != num_nodes_; ++candidate) {
    if (candidate == n || !dominates(candidate, n)) {
      continue;
    }
    bool closest = true;
    for (node_id other = 0; other != num_nodes_; ++other) {
      closest = closest && (other == n || !dominates(other, n) || dominates(other, candidate));
    }
    if (closest) {
      return candidate;
    }
  }
  return no_node;
}

std::size_t definitions::num_reachable() const {
  std::size_t count = 0;
  for (node_id n = 0; n != num_nodes_; ++n) {
    count += is_reachable(n) ? 1 : 0;
  }
  return count;
}

bool definitions::is_reducible() const {
  // Takes away, again and again, the nodes without edges into them.
  std::vector<std::size_t> edges_into(num_nodes_, 0);
  const auto counts = [this](edge e) { return is_reachable(e.source) && !dominates(e.target, e.source); };
  for (const edge e : edges_) {
    edges_into[e.target] += counts(e) ? 1 : 0;
  }
  std::vector<node_id> free;
  for (node_id n = 0; n != num_nodes_; ++n) {
    if (is_reachable(n) && edges_into[n] == 0) {
      free.push_back(n);
    }
  }
  std::size_t taken = 0;
  while (!free.empty()) {
    const node_id n = free.back();
    free.pop_back();
    ++taken;
    for (const edge e : out_edges(n)) {
      if (counts(e) && --edges_into[e.target] == 0) {
        free.push_back(e.target);
      }
    }
  }
  return taken == num_reachable();
}

/// The header and what reaches a latch without passing the header; all 0 if there is no latch.
std::vector<char> definitions::loop_body(node_id header) const {
  std::vector<char> inside(num_nodes_, 0);
  for (const edge e : edges_) {
    if (e.target == header && dominates(header, e.source)) {
      inside[e.source] = inside[header] = 1;
    }
  }
  for (bool grown = true; grown;) {
    grown = false;
    for (const edge e : edges_) {
      if (e.target != header && inside[e.target] != 0 && inside[e.source] == 0 && is_reachable(e.source)) {
        inside[e.source] = 1;
        grown = true;
      }
    }
  }
  return inside;
}

namespace {

void sort_unique(std::vector<node_id>& nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

} // namespace

std::vector<loop_facts> definitions::loops() const {
  std::vector<loop_facts> out;
  std::vector<std::vector<char>> bodies;
  for (node_id header = 0; header != num_nodes_; ++header) {
    std::vector<char> inside = loop_body(header);
    if (inside[header] == 0) {
      continue;
    }
    loop_facts loop;
    loop.header = header;
    for (node_id n = 0; n != num_nodes_; ++n) {
      if (inside[n] != 0) {
        loop.blocks.push_back(n);
      }
    }
    for (edge_id id = 0; id != edges_.size(); ++id) {
      const edge e = edges_[id];
      const midend::loop_edge as_loop_edge{id, e.source, e.target};
      if (inside[e.source] != 0 && e.target == header) {
        loop.backedges.push_back(as_loop_edge);
        loop.latches.push_back(e.source);
      } else if (inside[e.source] == 0 && e.target == header) {
        loop.entering_edges.push_back(as_loop_edge);
        loop.entering_blocks.push_back(e.source);
      } else if (inside[e.source] != 0 && inside[e.target] == 0) {
        loop.exiting_edges.push_back(as_loop_edge);
        loop.exiting_blocks.push_back(e.source);
        loop.exit_blocks.push_back(e.target);
      }
    }
    for (auto* list : {&loop.latches, &loop.entering_blocks, &loop.exiting_blocks, &loop.exit_blocks}) {
      sort_unique(*list);
    }
    if (loop.entering_blocks.size() == 1 && out_edges(loop.entering_blocks.front()).size() == 1) {
      loop.preheader = loop.entering_blocks.front();
    }
    loop.is_statically_infinite = loop.exiting_edges.empty();
    loop.has_dedicated_exits = true;
    for (const edge e : edges_) {
      if (is_reachable(e.source) && inside[e.source] == 0 &&
          std::binary_search(loop.exit_blocks.begin(), loop.exit_blocks.end(), e.target)) {
        loop.has_dedicated_exits = false;
      }
    }
    out.push_back(std::move(loop));
    bodies.push_back(std::move(inside));
  }
  for (loop_facts& loop : out) {
    std::size_t smallest = num_nodes_ + 1;
    loop.depth = 1;
    for (std::size_t i = 0; i != out.size(); ++i) {
      if (out[i].header != loop.header && bodies[i][loop.header] != 0) {
        ++loop.depth;
        if (out[i].blocks.size() < smallest) {
          smallest = out[i].blocks.size();
          loop.parent_header = out[i].header;
        }
      }
    }
  }
  return out;
}

namespace {

template <class Range> std::vector<node_id> to_vector(Range&& range) {
  std::vector<node_id> out;
  const auto last = range.end();
  for (auto it = range.begin(); it != last; ++it) {
    out.push_back(*it);
  }
  return out;
}

template <class Range> std::vector<midend::loop_edge> to_edges(Range&& range) {
  std::vector<midend::loop_edge> out;
  const auto last = range.end();
  for (auto it = range.begin(); it != last; ++it) {
    out.push_back(*it);
  }
  return out;
}

std::string compare_order(const midend::dominator_tree& tree, const definitions& facts) {
  const std::span<const node_id> preorder = tree.preorder();
  if (preorder.size() != facts.num_reachable() || tree.num_reachable() != preorder.size()) {
    return "the preorder does not have each reachable node once";
  }
  for (std::uint32_t i = 0; i != preorder.size(); ++i) {
    const node_id n = preorder[i];
    const node_id parent = facts.immediate_dominator(n);
    if (tree.preorder_number(n) != i) {
      return join("preorder_number(", n, ") is not its position ", i);
    }
    if (parent != no_node && tree.preorder_number(parent) >= i) {
      return join("node ", n, " is in the preorder before its immediate dominator");
    }
    // A subtree is an interval from its root on: exactly what the root dominates.
    const std::vector<node_id> subtree = to_vector(tree.subtree(n));
    if (subtree.empty() || subtree.front() != n) {
      return join("subtree(", n, ") does not start with its root");
    }
    for (std::size_t k = 0; k != subtree.size(); ++k) {
      if (i + k >= preorder.size() || preorder[i + k] != subtree[k]) {
        return join("subtree(", n, ") is no interval of the preorder");
      }
    }
    std::vector<node_id> dominated;
    std::vector<node_id> children;
    for (const node_id m : preorder) {
      if (facts.dominates(n, m)) {
        dominated.push_back(m);
      }
      if (facts.immediate_dominator(m) == n) {
        children.push_back(m);
      }
    }
    if (subtree != dominated) {
      return join("subtree(", n, ") is not what it dominates");
    }
    if (to_vector(tree.children(n)) != children || tree.children(n).empty() != children.empty()) {
      return join("children(", n, ") are not what it immediately dominates, in preorder");
    }
  }
  return {};
}

/// The common dominator that all common dominators dominate. All pairs of small graphs, some of large ones.
std::string compare_common_dominators(const midend::dominator_tree& tree, const definitions& facts) {
  const std::size_t count = facts.num_nodes();
  const std::size_t step = count <= 24 ? 1 : count / 12;
  for (std::size_t pair = 0; pair < count * count; pair += step) {
    const auto a = static_cast<node_id>(pair / count);
    const auto b = static_cast<node_id>(pair % count);
    const node_id common = tree.nearest_common_dominator(a, b);
    if (!facts.is_reachable(a) || !facts.is_reachable(b)) {
      if (common != no_node) {
        return join("unreachable nodes ", a, ", ", b, " have a common dominator");
      }
      continue;
    }
    bool right = common < count && facts.dominates(common, a) && facts.dominates(common, b);
    for (node_id c = 0; right && c != count; ++c) {
      right = !facts.dominates(c, a) || !facts.dominates(c, b) || facts.dominates(c, common);
    }
    if (!right) {
      return join("nearest_common_dominator(", a, ", ", b, ") is ", common);
    }
  }
  return {};
}

} // namespace

std::string difference(const midend::dominator_tree& tree, const definitions& facts) {
  const std::size_t count = facts.num_nodes();
  if (tree.num_nodes() != count) {
    return join("num_nodes() is ", tree.num_nodes());
  }
  if (tree.root() != (count == 0 ? no_node : facts.entry())) {
    return join("root() is ", tree.root());
  }
  const midend::dominator_tree::dominance_test dominates = tree.test();
  for (node_id b = 0; b != count; ++b) {
    std::uint32_t strict_dominators = 0;
    for (node_id a = 0; a != count; ++a) {
      const bool expected = facts.dominates(a, b);
      strict_dominators += expected && a != b ? 1 : 0;
      if (tree.dominates(a, b) != expected || dominates(a, b) != expected) {
        return join("dominates(", a, ", ", b, ") is not ", expected);
      }
      if (tree.strictly_dominates(a, b) != (expected && a != b)) {
        return join("strictly_dominates(", a, ", ", b, ") is not ", expected && a != b);
      }
    }
    if (tree.is_reachable(b) != facts.is_reachable(b)) {
      return join("is_reachable(", b, ") is not ", facts.is_reachable(b));
    }
    if (tree.immediate_dominator(b) != facts.immediate_dominator(b)) {
      return join("immediate_dominator(", b, ") is ", tree.immediate_dominator(b), ", not ",
                  facts.immediate_dominator(b));
    }
    if (tree.depth(b) != (facts.is_reachable(b) ? strict_dominators : no_node)) {
      return join("depth(", b, ") is ", tree.depth(b), " with ", strict_dominators, " strict dominators");
    }
    if (!facts.is_reachable(b) &&
        (!tree.subtree(b).empty() || !tree.children(b).empty() || tree.preorder_number(b) != no_node)) {
      return join("unreachable node ", b, " is in the tree");
    }
  }
  if (std::string wrong = compare_order(tree, facts); !wrong.empty()) {
    return wrong;
  }
  return compare_common_dominators(tree, facts);
}

namespace {

/// When the nodes are met by a search from the entry, then from the lowest node not met, that takes successors last to
/// first.
std::vector<std::size_t> met_last_to_first(const definitions& facts) {
  const std::size_t count = facts.num_nodes();
  std::vector<std::size_t> met(count, count);
  std::size_t next = 0;
  std::vector<node_id> todo;
  for (std::size_t i = 0; i <= count && count != 0; ++i) {
    todo.push_back(i == 0 ? facts.entry() : static_cast<node_id>(i - 1));
    while (!todo.empty()) {
      const node_id n = todo.back();
      todo.pop_back();
      if (met[n] == count) {
        met[n] = next++;
        for (const edge e : facts.out_edges(n)) {
          todo.push_back(e.target);
        }
      }
    }
  }
  return met;
}

} // namespace

std::string difference(const midend::component_partition& components, const definitions& facts) {
  const std::size_t count = facts.num_nodes();
  if (components.num_nodes() != count) {
    return join("num_nodes() is ", components.num_nodes());
  }
  for (const edge e : facts.edges()) {
    if (components.component(e.source) < components.component(e.target)) {
      return join("the edge ", e.source, " -> ", e.target, " leads to a higher component");
    }
  }
  const std::vector<std::size_t> met = met_last_to_first(facts);
  std::size_t total = 0;
  std::size_t reachable = 0;
  for (midend::component_id c = 0; c != components.num_components(); ++c) {
    const std::span<const node_id> members = components.members(c);
    total += members.size();
    if (members.empty()) {
      return join("component ", c, " is empty");
    }
    reachable += facts.is_reachable(members.front()) ? 1 : 0;
    if (facts.is_reachable(members.front()) != (c < components.num_reachable_components())) {
      return join("component ", c, " is on the wrong side of num_reachable_components()");
    }
    for (const node_id n : members) {
      if (components.component(n) != c) {
        return join("member ", n, " of component ", c, " says it is in ", components.component(n));
      }
      if (met[n] < met[members.front()]) {
        return join("component ", c, " does not start with the node that was met first");
      }
    }
  }
  if (total != count || reachable != components.num_reachable_components()) {
    return join(total, " members, ", reachable, " reachable components");
  }
  for (node_id a = 0; a != count; ++a) {
    if (components.is_reachable(a) != facts.is_reachable(a)) {
      return join("is_reachable(", a, ") is not ", facts.is_reachable(a));
    }
    for (node_id b = 0; b != count; ++b) {
      const bool expected = facts.reaches(a, b) && facts.reaches(b, a);
      if (components.same_component(a, b) != expected ||
          (components.component(a) == components.component(b)) != expected) {
        return join("same_component(", a, ", ", b, ") is not ", expected);
      }
    }
  }
  return {};
}

std::string difference(const midend::depth_first_numbering& order, const definitions& facts) {
  const std::size_t count = facts.num_nodes();
  if (order.num_nodes() != count) {
    return join("num_nodes() is ", order.num_nodes());
  }
  std::vector<node_id> preorder;
  std::vector<node_id> postorder;
  std::vector<std::pair<node_id, std::size_t>> path; // each with the number of edges that were followed
  std::vector<char> met(count, 0);
  std::vector<node_id> parent(count, no_node);
  if (count != 0) {
    path.emplace_back(facts.entry(), 0);
    met[facts.entry()] = 1;
    preorder.push_back(facts.entry());
  }
  while (!path.empty()) {
    auto& [n, followed] = path.back();
    if (followed == facts.out_edges(n).size()) {
      postorder.push_back(n);
      path.pop_back();
      continue;
    }
    const node_id target = facts.out_edges(n)[followed++].target;
    if (met[target] == 0) {
      met[target] = 1;
      parent[target] = n;
      preorder.push_back(target);
      path.emplace_back(target, 0);
    }
  }
  if (order.num_reachable() != preorder.size() || to_vector(order.preorder()) != preorder) {
    return "the preorder is not that of a search that takes successors in order";
  }
  if (to_vector(order.postorder()) != postorder) {
    return "the postorder is not that of a search that takes successors in order";
  }
  for (node_id n = 0; n != count; ++n) {
    if (order.is_reachable(n) != (met[n] != 0)) {
      return join("is_reachable(", n, ") is wrong");
    }
    const node_id pre = order.preorder_number(n);
    const node_id post = order.postorder_number(n);
    if (met[n] == 0 ? pre != no_node || post != no_node : preorder[pre] != n || postorder[post] != n) {
      return join("numbers of ", n, " are not its positions");
    }
    std::vector<char> is_ancestor(count, 0);
    for (node_id a = met[n] == 0 ? no_node : n; a != no_node; a = parent[a]) {
      is_ancestor[a] = 1;
    }
    for (node_id a = 0; a != count; ++a) {
      if (order.is_ancestor(a, n) != (is_ancestor[a] != 0)) {
        return join("is_ancestor(", a, ", ", n, ") is wrong");
      }
    }
  }
  return {};
}

namespace {

bool by_id(const midend::loop_edge& a, const midend::loop_edge& b) {
  return a.id < b.id;
}

/// `blocks` in the order that the forest promises: the header, the other blocks of `l` alone, then the inner loops one
/// after the other.
std::string compare_block_order(const midend::loop_forest& forest, const midend::dominator_tree& tree,
                                sibling_order siblings, midend::loop_id l) {
  const std::vector<node_id> blocks = to_vector(forest.blocks(l));
  const std::vector<node_id> own = to_vector(forest.own_blocks(l));
  std::vector<node_id> expected;
  for (node_id n = 0; n != forest.num_nodes(); ++n) {
    if (forest.innermost_loop(n) == l) {
      expected.push_back(n);
    }
  }
  if (own.empty() || own.front() != forest.header(l) ||
      !std::is_permutation(own.begin(), own.end(), expected.begin(), expected.end())) {
    return "own_blocks() are not those of innermost_loop() from the header on";
  }
  expected = own;
  node_id before = no_node;
  midend::loop_id next = l + 1;
  for (const midend::loop_id child : forest.children(l)) {
    const std::vector<node_id> inner = to_vector(forest.blocks(child));
    expected.insert(expected.end(), inner.begin(), inner.end());
    if (siblings == sibling_order::by_preorder && before != no_node &&
        tree.preorder_number(before) > tree.preorder_number(forest.header(child))) {
      return "children() are not in the preorder of their headers";
    }
    before = forest.header(child);
    if (child != next) {
      return "numbers are no preorder of the forest";
    }
    next += static_cast<midend::loop_id>(forest.subloops(child).size());
  }
  return blocks == expected ? std::string() : "blocks() are not its own and then those of the loops inside";
}

std::string compare_edges(const midend::loop_forest& forest, midend::loop_id l, const loop_facts& expected) {
  if (to_edges(forest.backedges(l)) != expected.backedges) {
    return "backedges";
  }
  if (to_vector(forest.latches(l)) != expected.latches) {
    return "latches";
  }
  if (forest.single_latch(l) != (expected.latches.size() == 1 ? expected.latches.front() : no_node)) {
    return "single_latch";
  }
  if (to_edges(forest.entering_edges(l)) != expected.entering_edges) {
    return "entering_edges";
  }
  if (to_vector(forest.entering_blocks(l)) != expected.entering_blocks) {
    return "entering_blocks";
  }
  if (forest.preheader(l) != expected.preheader) {
    return "preheader";
  }
  std::vector<midend::loop_edge> exiting = to_edges(forest.exiting_edges(l));
  std::vector<node_id> sources; // in the order of the edges, each once
  for (std::size_t i = 0; i != exiting.size(); ++i) {
    if (i == 0 || exiting[i].source != exiting[i - 1].source) {
      sources.push_back(exiting[i].source);
    }
    const midend::loop_id group = forest.innermost_loop(exiting[i].source);
    if (i != 0) {
      const midend::loop_id group_before = forest.innermost_loop(exiting[i - 1].source);
      if (group < group_before || (group == group_before && exiting[i].id <= exiting[i - 1].id)) {
        return "order of exiting_edges";
      }
    }
  }
  if (to_vector(forest.exiting_blocks(l)) != sources) {
    return "exiting_blocks, or their order";
  }
  sort_unique(sources);
  if (sources != expected.exiting_blocks) {
    return "exiting_blocks";
  }
  if (forest.exiting_edges(l).empty() != exiting.empty()) {
    return "emptiness of exiting_edges";
  }
  std::sort(exiting.begin(), exiting.end(), by_id);
  if (exiting != expected.exiting_edges) {
    return "exiting_edges";
  }
  if (to_vector(forest.exit_blocks(l)) != expected.exit_blocks) {
    return "exit_blocks";
  }
  if (forest.has_dedicated_exits(l) != expected.has_dedicated_exits) {
    return "has_dedicated_exits";
  }
  return forest.is_statically_infinite(l) == expected.is_statically_infinite ? std::string() : "is_statically_infinite";
}

std::string compare_nesting(const midend::loop_forest& forest, midend::loop_id l, const loop_facts& expected,
                            const std::vector<loop_facts>& all, std::size_t num_nodes) {
  const midend::loop_id parent = forest.parent(l);
  if (expected.parent_header == no_node
          ? parent != midend::no_loop
          : parent >= forest.num_loops() || forest.header(parent) != expected.parent_header || parent >= l) {
    return "parent";
  }
  if (forest.depth(l) != expected.depth) {
    return "depth";
  }
  std::vector<node_id> blocks = to_vector(forest.blocks(l));
  std::sort(blocks.begin(), blocks.end());
  if (blocks != expected.blocks) {
    return "blocks";
  }
  for (node_id n = 0; n != num_nodes; ++n) {
    if (forest.contains(l, n) != std::binary_search(blocks.begin(), blocks.end(), n)) {
      return join("contains(", n, ")");
    }
  }
  std::vector<node_id> inside;
  std::vector<node_id> children;
  for (const loop_facts& other : all) {
    const bool contained = std::binary_search(blocks.begin(), blocks.end(), other.header);
    if (contained) {
      inside.push_back(other.header);
    }
    if (other.parent_header == expected.header) {
      children.push_back(other.header);
    }
    if (forest.contains_loop(l, forest.innermost_loop(other.header)) != contained) {
      return join("contains_loop(that of ", other.header, ")");
    }
  }
  if (forest.contains_loop(l, midend::no_loop)) {
    return "contains_loop(no_loop)";
  }
  const auto headers = [&forest](auto&& loops) {
    std::vector<node_id> out;
    for (const midend::loop_id loop : loops) {
      out.push_back(forest.header(loop));
    }
    std::sort(out.begin(), out.end());
    return out;
  };
  if (headers(forest.subloops(l)) != inside) {
    return "subloops";
  }
  if (headers(forest.children(l)) != children || forest.children(l).empty() != children.empty()) {
    return "children";
  }
  return {};
}

} // namespace

std::string difference(const midend::loop_forest& forest, const midend::dominator_tree& tree, const definitions& facts,
                       sibling_order siblings) {
  const std::vector<loop_facts> loops = facts.loops();
  if (forest.num_nodes() != facts.num_nodes()) {
    return join("num_nodes() is ", forest.num_nodes());
  }
  if (forest.num_loops() != loops.size() || forest.loops().size() != loops.size()) {
    return join("num_loops() is ", forest.num_loops(), ", not ", loops.size());
  }
  std::size_t top_level = 0;
  for (const loop_facts& expected : loops) {
    const midend::loop_id l = forest.innermost_loop(expected.header);
    if (l >= loops.size() || forest.header(l) != expected.header || !forest.is_header(expected.header)) {
      return join("no loop with header ", expected.header);
    }
    top_level += expected.depth == 1 ? 1 : 0;
    std::string wrong = compare_nesting(forest, l, expected, loops, facts.num_nodes());
    if (wrong.empty() && forest.has_boundaries()) {
      wrong = compare_edges(forest, l, expected);
    }
    if (wrong.empty()) {
      wrong = compare_block_order(forest, tree, siblings, l);
    }
    if (!wrong.empty()) {
      return join(wrong, " of the loop with header ", expected.header);
    }
  }
  for (node_id n = 0; n != facts.num_nodes(); ++n) {
    std::uint32_t around = 0;
    const loop_facts* smallest = nullptr;
    for (const loop_facts& loop : loops) {
      if (std::binary_search(loop.blocks.begin(), loop.blocks.end(), n)) {
        ++around;
        smallest = smallest == nullptr || loop.blocks.size() < smallest->blocks.size() ? &loop : smallest;
      }
    }
    const midend::loop_id innermost = forest.innermost_loop(n);
    if (forest.loop_depth(n) != around ||
        (smallest == nullptr ? innermost != midend::no_loop
                             : innermost == midend::no_loop || forest.header(innermost) != smallest->header)) {
      return join("innermost_loop(", n, ") or loop_depth");
    }
    if (forest.is_header(n) != (smallest != nullptr && smallest->header == n)) {
      return join("is_header(", n, ")");
    }
  }
  node_id before = no_node;
  for (const midend::loop_id l : forest.top_level()) {
    if (forest.depth(l) != 1 || (siblings == sibling_order::by_preorder && before != no_node &&
                                 tree.preorder_number(before) > tree.preorder_number(forest.header(l)))) {
      return "top_level() is not in the preorder of the headers";
    }
    before = forest.header(l);
    --top_level;
  }
  return top_level == 0 ? std::string() : "top_level() does not have all loops of depth 1";
}

} // namespace midend_tests
