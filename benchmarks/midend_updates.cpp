// Dominators of functions that are edited: midend's updates, and midend's computation from scratch after each edit.
// Both on blocks that point to each other, as compilers have them.

#include "edge_choice.hpp"
#include "suite.hpp"

#include <midend/dominance/dynamic_dominator_tree.hpp>
#include <midend/midend.hpp>

#include <deque>

namespace midend_benchmarks {
namespace {

struct edited_block {
  unsigned index = 0;
  std::vector<edited_block*> successors;
  std::vector<edited_block*> predecessors;
};

/// A function, and the view of it that midend asks its user for.
struct edited_function {
  std::vector<std::unique_ptr<edited_block>> blocks;

  explicit edited_function(const flat_function& flat) {
    for (unsigned i = 0; i != flat.num_nodes(); ++i) {
      blocks.push_back(std::make_unique<edited_block>());
      blocks.back()->index = i;
    }
    for (unsigned i = 0; i != flat.num_nodes(); ++i) {
      for (const std::uint32_t s : flat.successors(i)) {
        blocks[i]->successors.push_back(blocks[s].get());
        blocks[s]->predecessors.push_back(blocks[i].get());
      }
    }
  }

  std::size_t num_nodes() const { return blocks.size(); }

  midend::node_id entry() const { return 0; }

  static auto numbers(const std::vector<edited_block*>& list) {
    return midend::mapped(list, [](const edited_block* b) { return b->index; });
  }

  auto successors(midend::node_id n) const { return numbers(blocks[n]->successors); }

  auto predecessors(midend::node_id n) const { return numbers(blocks[n]->predecessors); }

  void erase(chosen_edge e) {
    take_out(blocks[e.source]->successors, e.place_in_successors);
    take_out(blocks[e.target]->predecessors, e.place_in_predecessors);
  }

  void insert(chosen_edge e) {
    put_in(blocks[e.source]->successors, e.place_in_successors, blocks[e.target].get());
    put_in(blocks[e.target]->predecessors, e.place_in_predecessors, blocks[e.source].get());
  }
};

/// `Tree` follows one function; see below.
template <class Tree> class updates_job final : public job {
public:
  updates_job(const dataset& d, size_class sizes) : data_(d), chosen_(choose_edges(d, sizes)) {
    for (std::size_t i = 0; i != chosen_.size(); ++i) {
      if (!chosen_[i].empty()) {
        functions_.push_back({i, edited_function(d.functions()[i]), Tree()});
      }
    }
  }

  void pass() override {
    for (followed_function& f : functions_) {
      f.tree.start(f.function);
      for (const chosen_edge e : chosen_[f.index]) {
        f.function.erase(e);
        f.tree.erased(f.function, e);
        f.function.insert(e);
        f.tree.inserted(f.function, e);
      }
    }
  }

  std::optional<std::string> check() override {
    for (followed_function& f : functions_) {
      f.tree.start(f.function);
      for (const chosen_edge e : chosen_[f.index]) {
        f.function.erase(e);
        f.tree.erased(f.function, e);
        if (!agrees(f.tree.idoms(), midend::immediate_dominators(f.function))) {
          return "function " + std::to_string(f.index) + ": an edge deleted";
        }
        f.function.insert(e);
        f.tree.inserted(f.function, e);
        if (auto difference = compare_dominators(data_, f.index, f.tree.idoms())) {
          return difference;
        }
      }
    }
    return std::nullopt;
  }

private:
  struct followed_function {
    std::size_t index;
    edited_function function;
    Tree tree;
  };

  static bool agrees(const std::vector<std::uint32_t>& found, const midend::flat_array<midend::node_id>& expected) {
    return std::equal(found.begin(), found.end(), expected.begin(), expected.end());
  }

  const dataset& data_;
  std::vector<std::vector<chosen_edge>> chosen_;
  std::deque<followed_function> functions_;
};

template <class Tree> std::vector<std::uint32_t> immediate_dominators_of(const Tree& tree) {
  std::vector<std::uint32_t> found;
  for (midend::node_id n = 0; n != tree.num_nodes(); ++n) {
    found.push_back(tree.immediate_dominator(n));
  }
  return found;
}

class updated_tree {
public:
  void start(const edited_function& f) {
    if (tree_.num_nodes() == 0) {
      tree_.assign(f);
    }
  }

  void erased(const edited_function& f, chosen_edge e) { tree_.delete_edge(f, e.source, e.target); }

  void inserted(const edited_function& f, chosen_edge e) { tree_.insert_edge(f, e.source, e.target); }

  std::vector<std::uint32_t> idoms() const { return immediate_dominators_of(tree_); }

private:
  midend::dynamic_dominator_tree tree_;
};

/// Complete trees, in memory that is used again.
class recomputed_tree {
public:
  void start(const edited_function&) {}

  void erased(const edited_function& f, chosen_edge) { midend::dominators(f, midend::semi_nca, workspace_, tree_); }

  void inserted(const edited_function& f, chosen_edge) { midend::dominators(f, midend::semi_nca, workspace_, tree_); }

  std::vector<std::uint32_t> idoms() const { return immediate_dominators_of(tree_); }

private:
  midend::dominators_workspace workspace_;
  midend::dominator_tree tree_;
};

} // namespace

void add_updates(contestants& all) {
  for_each_size_class([&](const std::string& suffix, size_class sizes) {
    all.push_back(enter<updates_job<updated_tree>>("dominator_updates" + suffix, "midend", sizes));
    all.back().left_out = suffix.empty() ? nullptr : not_divided;
    all.push_back(enter<updates_job<recomputed_tree>>("dominator_updates" + suffix, "recompute", sizes));
    all.back().left_out = suffix.empty() ? nullptr : not_divided;
  });
}

} // namespace midend_benchmarks
