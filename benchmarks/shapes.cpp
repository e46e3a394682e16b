#include "shapes.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace midend_benchmarks {
namespace {

using block = std::uint32_t;
using successor_lists = std::vector<std::vector<block>>;

class random_source {
public:
  explicit random_source(std::uint64_t seed) : engine_(seed) {}

  /// 0 … bound - 1.
  block below(block bound) { return static_cast<block>(((engine_() >> 32) * bound) >> 32); }

  /// In [0, 1).
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  bool chance(double probability) { return unit() < probability; }

  /// How often in a row something of the given probability happens.
  block streak(double probability) {
    block count = 0;
    while (chance(probability)) {
      ++count;
    }
    return count;
  }

private:
  std::mt19937_64 engine_;
};

/// Writes a random program from first to last block with an explicit stack of open constructs.
class structured_program {
public:
  structured_program(random_source& random, block num_blocks) : random_(random), num_blocks_(num_blocks) {
    successors_.reserve(num_blocks);
    current_ = new_block();
  }

  successor_lists write() {
    // Each open construct may need up to three more blocks to be closed.
    while (successors_.size() + 1 + 3 * open_.size() < num_blocks_) {
      write_something();
    }
    while (!open_.empty()) {
      close();
    }
    while (successors_.size() < num_blocks_) {
      continue_in(new_block());
    }
    return std::move(successors_);
  }

private:
  static constexpr std::size_t max_depth = 60;

  enum class kind { while_loop, do_loop, if_then, if_else, switch_arms };

  struct construct {
    kind what;
    block head;                   ///< loop header, or block that branches
    std::vector<block> ends = {}; ///< blocks that go to the end: breaks, or the ends of finished arms
    unsigned remaining = 0;       ///< arms of a switch that are still to come, or 1 for an if that gets an else
  };

  block new_block() {
    successors_.emplace_back();
    return static_cast<block>(successors_.size() - 1);
  }

  void edge(block from, block to) { successors_[from].push_back(to); }

  void continue_in(block next) {
    edge(current_, next);
    current_ = next;
  }

  void write_something() {
    const double choice = random_.unit();
    const std::size_t depth = open_.size();
    const bool may_nest = depth < max_depth;
    if (depth != 0 && choice < 0.30 + 0.02 * static_cast<double>(depth)) {
      close();
    } else if (choice < 0.45) {
      continue_in(new_block());
    } else if (choice < 0.60) {
      if (may_nest) {
        const block header = new_block();
        continue_in(header);
        open_.push_back({kind::while_loop, header});
        continue_in(new_block());
      }
    } else if (choice < 0.66) {
      if (may_nest) {
        continue_in(new_block());
        open_.push_back({kind::do_loop, current_});
      }
    } else if (choice < 0.88) {
      if (may_nest) {
        open_.push_back({kind::if_then, current_, {}, random_.chance(0.5) ? 1U : 0U});
        continue_in(new_block());
      }
    } else if (choice < 0.92) {
      if (may_nest) {
        open_.push_back({kind::switch_arms, current_, {}, 1 + random_.below(12)});
        continue_in(new_block());
      }
    } else if (choice < 0.97) {
      leave_iteration();
    } else if (choice < 0.98 && successors_[current_].empty()) { // if (…) return;
      edge(current_, new_block());
      continue_in(new_block());
    }
  }

  /// if (…) break; or if (…) continue;
  void leave_iteration() {
    const auto loop = std::find_if(open_.rbegin(), open_.rend(), [](const construct& c) {
      return c.what == kind::while_loop || c.what == kind::do_loop;
    });
    if (loop == open_.rend() || !successors_[current_].empty()) {
      return;
    }
    const block leaving = new_block();
    edge(current_, leaving);
    if (loop->what == kind::do_loop || random_.chance(0.5)) {
      loop->ends.push_back(leaving);
    } else {
      edge(leaving, loop->head);
    }
    continue_in(new_block());
  }

  void join(const std::vector<block>& ends, block end) {
    for (const block b : ends) {
      edge(b, end);
    }
  }

  void close() {
    construct c = std::move(open_.back());
    open_.pop_back();
    switch (c.what) {
    case kind::while_loop: {
      edge(current_, c.head);
      const block end = new_block();
      edge(c.head, end);
      join(c.ends, end);
      current_ = end;
      break;
    }
    case kind::do_loop: {
      edge(current_, c.head);
      continue_in(new_block());
      join(c.ends, current_);
      break;
    }
    case kind::if_then: {
      const block next = new_block();
      edge(c.head, next);
      if (c.remaining != 0) { // `next` begins the else
        open_.push_back({kind::if_else, c.head, {current_}});
      } else {
        edge(current_, next);
      }
      current_ = next;
      break;
    }
    case kind::if_else: {
      const block end = new_block();
      join(c.ends, end);
      edge(current_, end);
      current_ = end;
      break;
    }
    case kind::switch_arms: {
      const block next = new_block();
      edge(c.head, next);
      if (c.remaining == 0) {
        join(c.ends, next);
        edge(current_, next);
      } else {
        if (random_.chance(0.1)) { // a second case label
          edge(c.head, next);
        }
        if (random_.chance(0.15)) { // falls through
          edge(current_, next);
        } else {
          c.ends.push_back(current_);
        }
        --c.remaining;
        open_.push_back(std::move(c));
      }
      current_ = next;
      break;
    }
    }
  }

  random_source& random_;
  block num_blocks_;
  block current_ = 0;
  successor_lists successors_;
  std::vector<construct> open_;
};

successor_lists irreducible(random_source& random, block n) {
  successor_lists successors(n);
  const double nearer = 0.74081822068171788; // exp(-0.3)
  for (block b = 1; b < n; ++b) {            // a tree that reaches every block, mostly from near before
    const block parent = random.chance(0.95) ? b - 1 - std::min(b - 1, random.streak(nearer)) : random.below(b);
    successors[parent].push_back(b);
  }
  for (block i = 0; i < n / 10 * 7; ++i) {
    const block source = random.below(n);
    const std::int64_t target = random.chance(0.5) ? static_cast<std::int64_t>(source) + random.below(61) - 30
                                                   : static_cast<std::int64_t>(1 + random.below(n - 1));
    if (target > 0 && target < static_cast<std::int64_t>(n)) {
      successors[source].push_back(static_cast<block>(target));
    }
  }
  return successors;
}

/// Headers 1 … k, each in the loop of the one before; latches k + 1 … 2k from the innermost outwards; the exit.
successor_lists nest(block n) {
  const block k = (n - 2) / 2;
  successor_lists successors(2 * k + 2);
  successors[0] = {1};
  for (block header = 1; header <= k; ++header) {
    const block latch = 2 * k + 1 - header;
    successors[header] = {header + 1};
    successors[latch] = {header, latch + 1};
  }
  return successors;
}

successor_lists ladder(block n) {
  successor_lists successors(n);
  for (block b = 0; b + 1 < n; ++b) {
    successors[b].push_back(b + 1);
    if (b + 2 < n) {
      successors[b].push_back(n - 1);
    }
  }
  return successors;
}

successor_lists wide_switch(block n) {
  successor_lists successors(n);
  for (block b = 1; b + 1 < n; ++b) {
    successors[0].push_back(b);
    if (b % 10 == 0) {
      successors[0].push_back(b);
    }
    successors[b].push_back(n - 1);
  }
  return successors;
}

flat_function flatten(const successor_lists& lists) {
  flat_function f;
  f.offsets.reserve(lists.size() + 1);
  std::size_t edges = 0;
  for (const auto& list : lists) {
    edges += list.size();
  }
  f.targets.reserve(edges);
  for (const auto& list : lists) {
    f.targets.insert(f.targets.end(), list.begin(), list.end());
    f.offsets.push_back(static_cast<std::uint32_t>(f.targets.size()));
  }
  return f;
}

} // namespace

flat_function generate(std::string_view shape, std::uint32_t num_blocks) {
  random_source random(num_blocks);
  if (shape == "structured") {
    return flatten(structured_program(random, num_blocks).write());
  }
  if (shape == "irreducible") {
    return flatten(irreducible(random, num_blocks));
  }
  if (shape == "nest") {
    return flatten(nest(num_blocks));
  }
  if (shape == "ladder") {
    return flatten(ladder(num_blocks));
  }
  if (shape == "switch") {
    return flatten(wide_switch(num_blocks));
  }
  return {};
}

} // namespace midend_benchmarks
