// LLVM's incremental updater, told of each edit as passes do it.

#include "edge_choice.hpp"
#include "llvm_functions.hpp"

#include <deque>

namespace midend_benchmarks {
namespace {

template <bool Numbered> class updates_job final : public job {
public:
  updates_job(const dataset& d, size_class sizes) : data_(d), made_(d), chosen_(choose_edges(d, sizes)) {
    trees_.resize(chosen_.size());
  }

  void pass() override {
    for (std::size_t i = 0; i != chosen_.size(); ++i) {
      for (const chosen_edge e : chosen_[i]) {
        update(i, e);
      }
    }
  }

  std::optional<std::string> check() override {
    for (std::size_t i = 0; i != chosen_.size(); ++i) {
      for (const chosen_edge e : chosen_[i]) {
        update(i, e);
        if (auto difference = compare_dominators(data_, i, immediate_dominators(i))) {
          return difference;
        }
      }
    }
    return std::nullopt;
  }

private:
  using block = llvm_block<Numbered>;
  using tree = llvm::DomTreeBase<block>;

  void update(std::size_t function, chosen_edge e) {
    auto& f = *made_.functions[function];
    tree& t = trees_[function];
    if (t.getRootNode() == nullptr) {
      t.recalculate(f);
    }
    block* const source = f.blocks[e.source];
    block* const target = f.blocks[e.target];
    take_out(source->successors, e.place_in_successors);
    take_out(target->predecessors, e.place_in_predecessors);
    // A caller must not name an edge that is still there; LLVM's own passes ask before.
    const bool was_last = !llvm::is_contained(source->successors, target);
    if (was_last) {
      t.deleteEdge(source, target);
    }
    put_in(source->successors, e.place_in_successors, target);
    put_in(target->predecessors, e.place_in_predecessors, source);
    if (was_last) {
      t.insertEdge(source, target);
    }
  }

  std::vector<std::uint32_t> immediate_dominators(std::size_t function) const {
    std::vector<std::uint32_t> found;
    for (const block* const b : made_.functions[function]->blocks) {
      const auto* const node = trees_[function].getNode(b);
      const auto* const parent = node != nullptr ? node->getIDom() : nullptr;
      found.push_back(parent != nullptr ? parent->getBlock()->number : none);
    }
    return found;
  }

  const dataset& data_;
  llvm_functions<Numbered> made_; ///< its own: they are edited
  std::vector<std::vector<chosen_edge>> chosen_;
  std::deque<tree> trees_;
};

template <bool Numbered> void add(contestants& all, const char* who) {
  for_each_size_class([&](const std::string& suffix, size_class sizes) {
    all.push_back(enter<updates_job<Numbered>>("dominator_updates" + suffix, who, sizes));
    all.back().left_out = suffix.empty() ? nullptr : not_divided;
  });
}

} // namespace

void add_llvm_updates(contestants& all) {
  add<false>(all, "llvm");
  add<true>(all, "llvm_numbered");
}

} // namespace midend_benchmarks
