/// `llvm_edge_profile`: counts and probabilities of a function that is being changed. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/ProfDataUtils.h>

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Probabilities are the branch weights of LLVM's terminators, and are written there when all edges of a node have one.
/// LLVM has a count for the entry only and derives the others, so those are known only if they were set.
class llvm_edge_profile {
public:
  explicit llvm_edge_profile(const llvm_numbered_blocks& blocks) : blocks_(blocks) {}

  /// Begins with another function; the memory stays.
  void start() {
    counts_.clear();
    probabilities_.clear();
  }

  std::optional<std::uint64_t> count(node_id n) const {
    if (n < counts_.size() && counts_[n].is_set) {
      return counts_[n].is_known ? std::optional(counts_[n].count) : std::nullopt;
    }
    const auto entry_count = n == blocks_.graph().entry() ? blocks_.function().getEntryCount() : std::nullopt;
    return entry_count ? std::optional(entry_count->getCount()) : std::nullopt;
  }

  void set_count(node_id n, std::optional<std::uint64_t> count) {
    while (counts_.size() <= n) {
      counts_.push_back({0, false, false});
    }
    counts_[n] = {count.value_or(0), true, count.has_value()};
    if (n == blocks_.graph().entry() && count) {
      blocks_.function().setEntryCount(*count);
    }
  }

  double probability(edge_id e) const {
    return e < probabilities_.size() && probabilities_[e] != unread ? probabilities_[e] : share_of_weight(e);
  }

  void set_probability(edge_id e, double p) {
    const node_id n = blocks_.edge(e).source;
    for (const edge_id each : blocks_.graph().out_edges(n)) {
      make_room(each);
      probabilities_[each] = probabilities_[each] == unread ? share_of_weight(each) : probabilities_[each];
    }
    probabilities_[e] = p;
    write_weights(n);
  }

  /// Gives a copy of an edge the probability that was set for the edge.
  void copy(edge_id e, edge_id copy) {
    if (e < probabilities_.size() && probabilities_[e] != unread) {
      make_room(copy);
      probabilities_[copy] = probabilities_[e];
    }
  }

private:
  static constexpr double unread = -2;

  struct known_count {
    std::uint64_t count;
    bool is_set;
    bool is_known;
  };

  void make_room(edge_id e) {
    while (probabilities_.size() <= e) {
      probabilities_.push_back(unread);
    }
  }

  double share_of_weight(edge_id e) const {
    const node_id n = blocks_.edge(e).source;
    const llvm::Instruction* const end = n == no_node ? nullptr : blocks_.end_of(n);
    if (end == nullptr || blocks_.graph().out_edges(n).size() < 2) {
      return -1;
    }
    llvm::SmallVector<std::uint32_t, 8> weights;
    const std::uint32_t slot = blocks_.edge(e).slot;
    if (llvm::hasBranchWeightOrigin(*end) || !llvm::extractBranchWeights(*end, weights) || slot >= weights.size()) {
      return -1;
    }
    double all = 0;
    for (const std::uint32_t weight : weights) {
      all += weight;
    }
    return all > 0 ? weights[slot] / all : -1;
  }

  void write_weights(node_id n) {
    llvm::Instruction* const end = blocks_.end_of(n);
    const span<const edge_id> edges = blocks_.graph().out_edges(n);
    if (end == nullptr || edges.size() < 2) {
      return;
    }
    llvm::SmallVector<std::uint32_t, 8> weights(edges.size(), 0);
    for (const edge_id e : edges) {
      if (probabilities_[e] < 0) {
        end->setMetadata(llvm::LLVMContext::MD_prof, nullptr);
        return;
      }
      weights[blocks_.slot_of(e)] = static_cast<std::uint32_t>(probabilities_[e] * (1u << 30) + 0.5);
    }
    llvm::setBranchWeights(*end, weights, false);
  }

  const llvm_numbered_blocks& blocks_;
  flat_array<known_count> counts_;
  flat_array<double> probabilities_; ///< by edge
};

} // namespace detail

MIDEND_END_NAMESPACE
