#include "reference.hpp"

#include <midend/midend.hpp>

#include <algorithm>
#include <unordered_map>

namespace midend_benchmarks {
namespace {

/// The oracle takes quadratic time, so it only gets functions of up to this many blocks.
constexpr std::size_t most_blocks_for_oracle = 5'000;

std::string place(std::size_t function, std::size_t block) {
  return "function " + std::to_string(function) + ", block " + std::to_string(block) + ": ";
}

std::string show(std::uint32_t value) {
  return value == none ? "none" : std::to_string(value);
}

std::string found_instead(std::uint32_t found, std::uint32_t expected) {
  return show(found) + " instead of " + show(expected);
}

const answers& expected(const dataset& d, std::size_t function) {
  return d.shared<reference>().functions()[function];
}

answers analyse(const flat_function& f) {
  answers a;
  const midend::csr_graph g{f};
  const auto tree = g.num_nodes() <= most_blocks_for_oracle ? midend::dominators(g, midend::naive_dominators)
                                                            : midend::dominators(g, midend::semi_nca);
  const auto components = midend::strongly_connected_components(g);
  const auto loops = midend::natural_loops(g, tree);
  for (std::uint32_t b = 0; b != f.num_nodes(); ++b) {
    a.reached.push_back(tree.is_reachable(b));
    a.immediate_dominators.push_back(tree.immediate_dominator(b));
    a.components.push_back(components.component(b));
  }
  for (std::uint32_t l = 0; l != loops.num_loops(); ++l) {
    a.loops.push_back({loops.header(l), static_cast<std::uint32_t>(loops.blocks(l).size())});
  }
  std::sort(a.loops.begin(), a.loops.end());
  return a;
}

} // namespace

reference::reference(const dataset& d) {
  functions_.reserve(d.functions().size());
  for (const flat_function& f : d.functions()) {
    functions_.push_back(analyse(f));
  }
}

std::optional<std::string> compare_dominators(const dataset& d, std::size_t function,
                                              std::span<const std::uint32_t> immediate_dominators) {
  const auto& wanted = expected(d, function).immediate_dominators;
  if (wanted.size() != immediate_dominators.size()) {
    return place(function, 0) + "wrong number of blocks";
  }
  for (std::size_t b = 0; b != wanted.size(); ++b) {
    if (immediate_dominators[b] != wanted[b]) {
      return place(function, b) + "immediate dominator " + found_instead(immediate_dominators[b], wanted[b]);
    }
  }
  return std::nullopt;
}

std::optional<std::string> compare_components(const dataset& d, std::size_t function,
                                              std::span<const std::uint32_t> components) {
  const answers& wanted = expected(d, function);
  // A bijection between the two numberings, built as blocks are met.
  std::unordered_map<std::uint32_t, std::uint32_t> to_wanted;
  std::unordered_map<std::uint32_t, std::uint32_t> to_found;
  for (std::size_t b = 0; b != wanted.components.size(); ++b) {
    if (!wanted.reached[b]) {
      continue;
    }
    const std::uint32_t theirs = components[b];
    const std::uint32_t ours = wanted.components[b];
    if (to_wanted.emplace(theirs, ours).first->second != ours ||
        to_found.emplace(ours, theirs).first->second != theirs) {
      return place(function, b) + "in another strongly connected component";
    }
  }
  return std::nullopt;
}

std::optional<std::string> compare_loops(const dataset& d, std::size_t function, std::vector<loop_summary> loops) {
  std::sort(loops.begin(), loops.end());
  const auto& wanted = expected(d, function).loops;
  if (loops.size() != wanted.size()) {
    return place(function, 0) + std::to_string(loops.size()) + " loops instead of " + std::to_string(wanted.size());
  }
  for (std::size_t i = 0; i != loops.size(); ++i) {
    if (loops[i] != wanted[i]) {
      return place(function, wanted[i].header) + "loop of " + std::to_string(loops[i].num_blocks) +
             " blocks with header " + found_instead(loops[i].header, wanted[i].header) + " instead of " +
             std::to_string(wanted[i].num_blocks);
    }
  }
  return std::nullopt;
}

std::optional<std::string> compare_depth_first(const dataset& d, std::size_t function,
                                               std::span<const std::uint32_t> preorder,
                                               std::span<const std::uint32_t> postorder) {
  const flat_function& f = d.functions()[function];
  const std::size_t n = f.num_nodes();
  if (preorder.size() != n || postorder.size() != n) {
    return place(function, 0) + "wrong number of blocks";
  }
  const auto reached = static_cast<std::size_t>(
      std::count_if(preorder.begin(), preorder.end(), [](std::uint32_t number) { return number != none; }));
  std::vector<bool> discovered(reached);
  std::vector<bool> finished(reached);
  for (std::size_t b = 0; b != n; ++b) {
    if (preorder[b] == none && postorder[b] == none) {
      continue;
    }
    if (preorder[b] >= reached || discovered[preorder[b]]) {
      return place(function, b) + "preorder number " + show(preorder[b]);
    }
    if (postorder[b] >= reached || finished[postorder[b]]) {
      return place(function, b) + "postorder number " + show(postorder[b]);
    }
    discovered[preorder[b]] = true;
    finished[postorder[b]] = true;
  }
  if (n != 0 && preorder[0] != 0) {
    return place(function, 0) + "the entry has preorder number " + show(preorder[0]);
  }
  for (std::uint32_t b = 0; b != n; ++b) {
    for (const std::uint32_t s : f.successors(b)) {
      if (preorder[b] != none && (preorder[s] == none || (preorder[s] > preorder[b] && postorder[s] > postorder[b]))) {
        return place(function, b) + "edge to block " + std::to_string(s) + " does not fit a depth-first search";
      }
    }
  }
  return std::nullopt;
}

} // namespace midend_benchmarks
