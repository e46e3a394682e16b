/// How often a loop runs as a rule, from the probabilities of its branches.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/detail/loop_blocks.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/cost.hpp"
#include "midend/support/flat_array.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Lets the probability of an iteration run through the blocks: what leaves says how often the loop comes round.
template <class IR> class loop_profile_reader {
public:
  constexpr loop_profile_reader(const IR& ir, const loop_block_arrays& blocks, const loop_body& body,
                                flat_array<double>& arriving)
      : ir_(ir), blocks_(blocks), body_(body), arriving_(arriving) {}

  /// Header executions each time that the loop is entered; 0 if a branch says nothing, or nothing leaves.
  constexpr double average() {
    arriving_.assign(body_.blocks.size(), 0);
    arriving_[0] = 1;
    double leaving = 0;
    for (std::uint32_t b = 0; b != body_.bottom(); ++b) {
      if (!pass_on(body_.blocks[b], arriving_[b], leaving)) {
        return 0;
      }
    }
    const double average = leaving > 0 ? (leaving + arriving_[body_.bottom()]) / leaving : 0;
    return average < largest ? rounded(average) : 0;
  }

private:
  static constexpr double largest = 1e15;

  /// To 1/1024: no profile knows more, and what was a whole number is one again.
  static constexpr double rounded(double x) {
    return static_cast<double>(static_cast<std::uint64_t>(x * 1024 + 0.5)) / 1024;
  }

  /// False if it is not known how what arrives is divided.
  constexpr bool pass_on(const body_block& block, double arrived, double& leaving) {
    double left = 1;
    std::uint32_t unknown = block.last_edge;
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      if (const double p = probability(block, e); p >= 0) {
        send(e, arrived * p, leaving);
        left -= p;
      } else if (unknown != block.last_edge) {
        return false;
      } else {
        unknown = e;
      }
    }
    if (unknown != block.last_edge && left > 0) {
      send(unknown, arrived * left, leaving);
    }
    return true;
  }

  constexpr double probability(const body_block& block, std::uint32_t e) const {
    return block.last_edge - block.first_edge == 1 ? 1 : static_cast<double>(ir_.probability(blocks_.edge_ids[e]));
  }

  constexpr void send(std::uint32_t e, double amount, double& leaving) {
    const std::uint32_t target = body_.edges[e].target;
    (target == body_edge::leaves ? leaving : arriving_[target]) += amount;
  }

  const IR& ir_;
  const loop_block_arrays& blocks_;
  const loop_body& body_;
  flat_array<double>& arriving_;
};

} // namespace detail

MIDEND_END_NAMESPACE
