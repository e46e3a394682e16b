// midend's cycles and weak topological order on `csr_graph`, and the reference answers for both.

#include "cycle_reference.hpp"
#include "midend_job.hpp"

#include <midend/graph/depth_first_order.hpp>
#include <midend/loops/cycles.hpp>
#include <midend/loops/weak_topological_order.hpp>

#include <algorithm>
#include <utility>

namespace midend_benchmarks {
namespace {

constexpr std::size_t most_blocks_for_definition = 5'000;

std::vector<cycle_summary> summarise(const midend::cycle_forest& forest) {
  std::vector<cycle_summary> out;
  for (const midend::cycle_id c : forest.cycles()) {
    out.push_back({forest.header(c), forest.depth(c), static_cast<std::uint32_t>(forest.blocks(c).size())});
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Successors last to first, as LLVM searches.
struct turned_function {
  const flat_function* f;

  std::size_t num_nodes() const { return f->num_nodes(); }

  std::uint32_t entry() const { return 0; }

  auto successors(std::uint32_t b) const {
    const auto list = f->successors(b);
    return std::vector<std::uint32_t>(list.rbegin(), list.rend());
  }
};

/// For each block with an edge back to it from below in the search tree, the blocks below that come back to it.
std::vector<cycle_summary> by_definition(const flat_function& f) {
  const midend::csr_graph turned{turned_function{&f}};
  const auto order = midend::depth_first_order(turned);
  std::vector<cycle_summary> out;
  std::vector<std::uint32_t> depth(f.num_nodes(), 0);
  std::vector<std::uint32_t> last_header(f.num_nodes(), none);
  for (std::uint32_t header = 0; header != f.num_nodes(); ++header) {
    std::vector<std::uint32_t> blocks;
    const auto take = [&](std::uint32_t b) {
      if (order.is_ancestor(header, b) && last_header[b] != header) {
        last_header[b] = header;
        blocks.push_back(b);
      }
    };
    const auto take_predecessors = [&](std::uint32_t b) {
      for (const std::uint32_t p : turned.predecessors(b)) {
        take(p);
      }
    };
    take_predecessors(header);
    if (blocks.empty()) {
      continue;
    }
    take(header);
    for (std::size_t i = 0; i != blocks.size(); ++i) {
      take_predecessors(blocks[i]);
    }
    for (const std::uint32_t b : blocks) {
      ++depth[b];
    }
    out.push_back({header, 0, static_cast<std::uint32_t>(blocks.size())});
  }
  for (cycle_summary& c : out) {
    c.depth = depth[c.header];
  }
  return out;
}

std::string show(const cycle_summary& c) {
  return "header " + std::to_string(c.header) + ", depth " + std::to_string(c.depth) + ", " +
         std::to_string(c.num_blocks) + " blocks";
}

struct cycles_job {
  explicit cycles_job(const dataset&) {}

  void analyse(const midend::csr_graph& g, std::size_t) { midend::cycles(g, workspace, forest); }

  std::optional<std::string> compare(const dataset& d, std::size_t index) const {
    return compare_cycles(d, index, summarise(forest));
  }

  midend::cycles_workspace workspace;
  midend::cycle_forest forest;
};

/// The order must be one: each edge leads forward, or back to the head of a component around its source.
std::optional<std::string> check_order(const flat_function& f, const midend::hierarchical_ordering& order) {
  for (std::uint32_t b = 0; b != f.num_nodes(); ++b) {
    for (const std::uint32_t s : f.successors(b)) {
      if (order.is_reachable(b) && order.position(s) <= order.position(b) &&
          !(order.is_head(s) && order.contains(order.innermost_component(s), b))) {
        return "edge from " + std::to_string(b) + " to " + std::to_string(s) + " leads back to no head";
      }
    }
  }
  return std::nullopt;
}

struct order_job {
  explicit order_job(const dataset&) {}

  void analyse(const midend::csr_graph& g, std::size_t) { midend::weak_topological_order(g, workspace, order); }

  std::optional<std::string> compare(const dataset& d, std::size_t index) const {
    std::vector<cycle_summary> components;
    for (const midend::wto_component_id c : order.components()) {
      components.push_back({order.head(c), order.depth(c), static_cast<std::uint32_t>(order.members(c).size())});
    }
    auto difference = compare_cycles(d, index, std::move(components));
    return difference ? difference : check_order(d.functions()[index], order);
  }

  midend::weak_topological_order_workspace workspace;
  midend::hierarchical_ordering order;
};

} // namespace

cycle_reference::cycle_reference(const dataset& d) {
  functions_.reserve(d.functions().size());
  for (const flat_function& f : d.functions()) {
    functions_.push_back(f.num_nodes() <= most_blocks_for_definition ? by_definition(f) : summarise(midend::cycles(f)));
  }
}

std::optional<std::string> compare_cycles(const dataset& d, std::size_t function, std::vector<cycle_summary> found) {
  const auto& wanted = d.shared<cycle_reference>().functions()[function];
  const std::string place = "function " + std::to_string(function) + ": ";
  std::sort(found.begin(), found.end());
  if (found.size() != wanted.size()) {
    return place + std::to_string(found.size()) + " cycles instead of " + std::to_string(wanted.size());
  }
  for (std::size_t i = 0; i != wanted.size(); ++i) {
    if (found[i] != wanted[i]) {
      return place + "cycle with " + show(found[i]) + " instead of " + show(wanted[i]);
    }
  }
  return std::nullopt;
}

void add_cycles(contestants& all) {
  all.push_back(enter<midend_job<cycles_job>>("cycles", "midend"));
  all.push_back(enter<midend_job<order_job>>("weak_topological_order", "midend"));
}

} // namespace midend_benchmarks
