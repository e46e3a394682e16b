#include "kit/random_loop_body.hpp"
#include "kit/body_writer.hpp"
#include "kit/test_graph.hpp"

#include <midend/ir/evaluate.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace midend_tests {

namespace {

/// Draws follow each other in statements or braces, never as arguments of one call, so that a seed means the same body
/// to all compilers.
class random_body_maker {
public:
  std::vector<std::uint64_t> invariants;

  explicit random_body_maker(std::uint64_t seed) : random_(seed) {
    width_ = pick<unsigned>({8, 8, 16, 32, 64});
    narrow_ = width_ > 8 ? 8 : 4;
    has_memory_ = chance(2);
    make_blocks();
    make_phis();
    make_outside();
    for (std::uint32_t b = 0; b != num_blocks_; ++b) {
      fill_block(b);
    }
    set_next();
    choose_live_out();
  }

  midend::loop_body finish() { return writer_.finish(); }

private:
  using op = midend::operation;

  template <class T> T pick(const std::vector<T>& from) { return from[random_.below(from.size())]; }

  bool chance(unsigned one_in) { return random_.one_in(one_in); }

  std::uint64_t number(unsigned width) {
    const std::uint64_t ones = midend::low_ones(width);
    switch (random_.below(6)) {
    case 0:
      return random_.next() & ones;
    case 1:
      return (0 - std::uint64_t{random_.below(5)}) & ones;
    case 2:
      return ((ones >> 1) + random_.below(5) - 2) & ones;
    default:
      return random_.below(17) & ones;
    }
  }

  // Control: each block leads further down; all are reached, and all reach the bottom.

  void make_blocks() {
    num_blocks_ = static_cast<std::uint32_t>(chance(2) ? 2 : 2 + random_.below(5));
    const std::uint32_t bottom = num_blocks_ - 1;
    std::vector<bool> is_reached(num_blocks_, false);
    is_reached[0] = true;
    targets_.resize(num_blocks_);
    for (std::uint32_t b = 0; b != bottom; ++b) {
      std::vector<std::uint32_t>& to = targets_[b];
      const bool must_go_on = std::count(is_reached.begin() + b + 1, is_reached.begin() + bottom, true) == 0;
      to.push_back(must_go_on && b + 1 != bottom ? b + 1 : b + 1 + random_.below(bottom - b));
      const std::size_t more = pick<std::size_t>({0, 1, 1, 1, 2});
      for (std::size_t i = 0; i != more; ++i) {
        to.push_back(chance(3) ? body_writer::leaves : b + 1 + random_.below(bottom - b));
      }
      for (std::size_t i = to.size(); i > 1; --i) {
        std::swap(to[i - 1], to[random_.below(i)]);
      }
      for (const std::uint32_t t : to) {
        if (t != body_writer::leaves) {
          is_reached[t] = true;
        }
      }
    }
    // Blocks that nobody leads to get an edge from the one before.
    for (std::uint32_t b = 1; b != num_blocks_; ++b) {
      if (!is_reached[b]) {
        targets_[b - 1].push_back(b);
      }
    }
    find_dominators();
  }

  void find_dominators() {
    dominates_.assign(num_blocks_, std::vector<bool>(num_blocks_, false));
    for (std::uint32_t d = 0; d != num_blocks_; ++d) {
      std::vector<bool> around(num_blocks_, false); // reached without d
      around[0] = d != 0;
      for (std::uint32_t b = 0; b != num_blocks_; ++b) {
        for (const std::uint32_t t : targets_[b]) {
          if (t != body_writer::leaves && around[b] && t != d) {
            around[t] = true;
          }
        }
      }
      for (std::uint32_t b = 0; b != num_blocks_; ++b) {
        dominates_[d][b] = !around[b];
      }
    }
  }

  // Values.

  void make_phis() {
    const std::size_t counters = 1 + random_.below(2);
    const std::size_t others = random_.below(4);
    for (std::size_t i = 0; i != counters + others; ++i) {
      const unsigned width = i < counters || chance(2) ? width_ : pick<unsigned>({1, narrow_, width_});
      const midend::body_id phi = writer_.phi(width);
      is_counter_.push_back(i < counters);
      note(phi, 0);
    }
  }

  midend::body_id invariant(unsigned width, std::uint64_t value) {
    invariants.push_back(value);
    return writer_.invariant(width);
  }

  void make_outside() {
    for (const unsigned width : {1U, narrow_, width_, 64U}) {
      for (int i = 0; i != (width == 1 ? 1 : 3); ++i) {
        note(invariant(width, number(width)), 0);
      }
    }
    is_apart_ = chance(2);
    base_[0] = invariant(64, 0x10000);
    base_[1] = invariant(64, is_apart_ ? 0x80000000 : 0x10000 + random_.below(8));
    for (const unsigned width : {1U, narrow_, width_}) {
      for (std::uint64_t i = 0; i != (width == 1 ? 1 : 6); ++i) {
        note(writer_.constant(width, i < 4 ? 1 + i : number(width)), 0);
      }
    }
    for (const std::uint64_t divisor : {0ULL, 2ULL, 3ULL, 4ULL, 6ULL, 7ULL, 8ULL, 15ULL, 16ULL}) {
      divisors_.push_back(writer_.constant(width_, divisor));
    }
    for (const std::uint64_t amount : {0ULL, 1ULL, 2ULL, 3ULL}) {
      amounts_.push_back(writer_.constant(width_, amount));
    }
    for (const std::uint64_t step : {1ULL, 1ULL, 2ULL, 3ULL, 4ULL, 7ULL, 16ULL, 0ULL - 1, 0ULL - 3, 0ULL - 4}) {
      steps_.push_back(writer_.constant(width_, step));
    }
    starts_ = {writer_.constant(width_, 0), writer_.constant(width_, number(width_)), writer_.constant(width_, 5),
               invariant(width_, number(width_))};
    bounds_ = {writer_.constant(width_, random_.below(40)), writer_.constant(width_, number(width_)),
               invariant(width_, number(width_))};
  }

  void note(midend::body_id v, std::uint32_t block) { known_.push_back({v, block}); }

  struct placed {
    midend::body_id value;
    std::uint32_t block;
  };

  struct placed_access {
    midend::body_access access;
    std::uint32_t block;
  };

  /// A value of the width that is there in the block; the latest and the counters are the likeliest.
  midend::body_id any(unsigned width, std::uint32_t block) {
    if (width == width_ && chance(3)) {
      return random_.one_in(is_counter_.size()) ? 0 : counter_value(block);
    }
    std::vector<midend::body_id> candidates;
    for (const placed& p : known_) {
      if (dominates_[p.block][block] && writer_.width_of(p.value) == width) {
        candidates.push_back(p.value);
      }
    }
    const std::size_t n = candidates.size();
    return chance(2) ? candidates[n - 1 - random_.below(std::min<std::size_t>(n, 4))] : candidates[random_.below(n)];
  }

  midend::body_id counter_value(std::uint32_t block) {
    std::vector<midend::body_id> candidates = {0};
    for (const placed& p : increments_) {
      if (dominates_[p.block][block]) {
        candidates.push_back(p.value);
      }
    }
    return pick(candidates);
  }

  midend::operation_flags flags() { return {chance(4), chance(6)}; }

  void fill_block(std::uint32_t b) {
    writer_.block();
    make_joins(b);
    const std::size_t count = b + 1 == num_blocks_ ? 0 : 1 + random_.below(8);
    for (std::size_t i = 0; i != count; ++i) {
      if (has_memory_ && chance(2)) {
        make_access(b);
      } else {
        note(make_operation(b), b);
      }
    }
    if (b == 0) {
      make_increments();
    }
    if (b + 1 != num_blocks_) {
      make_edges(b);
    }
  }

  void make_joins(std::uint32_t b) {
    std::vector<std::uint32_t> sources;
    for (std::uint32_t s = 0; s != b; ++s) {
      for (const std::uint32_t t : targets_[s]) {
        if (t == b) {
          sources.push_back(s);
        }
      }
    }
    const std::size_t count = sources.size() > 1 ? 1 + random_.below(2) : 0;
    for (std::size_t i = 0; i != count; ++i) {
      const unsigned width = pick<unsigned>({width_, width_, narrow_, 1});
      std::vector<midend::body_id> operands;
      for (const std::uint32_t s : sources) {
        operands.push_back(any(width, s));
      }
      note(writer_.join(operands), b);
    }
  }

  void make_increments() {
    for (midend::body_id phi = 0; phi != writer_.body().num_phis; ++phi) {
      if (is_counter_[phi]) {
        midend::operation_flags promises = {chance(2), chance(5)};
        const bool down = chance(4);
        const midend::body_id step = steps_[random_.below(steps_.size())];
        increments_.push_back({writer_.op(down ? op::sub : op::add, width_, {phi, step}, promises), 0});
        next_of_counter_.push_back(increments_.back().value);
        note(increments_.back().value, 0);
      }
    }
  }

  midend::body_id make_operation(std::uint32_t b) {
    const midend::body_id x = any(width_, b);
    const midend::body_id y = any(width_, b);
    switch (random_.below(16)) {
    case 0:
    case 1: {
      const op code = pick<op>({op::add, op::sub});
      return writer_.op(code, width_, {x, y}, flags());
    }
    case 2:
      return writer_.op(pick<op>({op::mul, op::bit_and, op::bit_or, op::bit_xor}), width_, {x, y});
    case 3:
    case 4:
    case 5: {
      const op code = pick<op>({op::div, op::udiv, op::rem, op::urem});
      return writer_.op(code, width_, {x, pick(divisors_)});
    }
    case 6: {
      const op code = pick<op>({op::shl, op::shr, op::sar});
      const midend::body_id amount = chance(8) ? y : pick(amounts_);
      return writer_.op(code, width_, {x, amount}, flags());
    }
    case 7:
      return writer_.op(op::shladd, width_, {x, pick(amounts_), y});
    case 8:
      return writer_.op(pick<op>({op::neg, op::bit_not, op::copy}), width_, {x});
    case 9:
      return writer_.op(pick<op>({op::min, op::max, op::umin, op::umax}), width_, {x, y});
    case 10:
      return writer_.op(op::truncate, narrow_, {x});
    case 11: {
      const op code = pick<op>({op::zero_extend, op::sign_extend});
      return chance(2)      ? writer_.op(code, width_, {any(narrow_, b)})
             : width_ == 64 ? comparison(width_, b)
                            : writer_.op(code, 64, {x});
    }
    case 12:
      return writer_.op(op::select, width_, {any(chance(3) ? width_ : 1, b), x, y});
    case 13: {
      const op code = pick<op>({op::bit_and, op::bit_or, op::bit_xor, op::equal, op::not_equal, op::less});
      return writer_.op(code, 1, {any(1, b), any(1, b)});
    }
    case 14:
      return chance(2) ? writer_.other(width_, random_.below(3), {x, y}) : comparison(narrow_, b);
    default:
      return comparison(width_, b);
    }
  }

  midend::body_id comparison(unsigned width, std::uint32_t b) {
    const auto code = static_cast<op>(static_cast<std::uint32_t>(op::equal) + random_.below(10));
    const midend::body_id a = any(width, b);
    const midend::body_id c = width == width_ && chance(2) ? pick(chance(2) ? bounds_ : divisors_) : any(width, b);
    const unsigned result = chance(3) ? pick<unsigned>({narrow_, width_}) : 1;
    return chance(2) ? writer_.comparison(code, result, a, c) : writer_.comparison(code, result, c, a);
  }

  midend::body_access any_place(std::uint32_t b, std::uint32_t bytes) {
    const std::uint32_t which = random_.below(2);
    midend::body_access a{};
    a.base = base_[which];
    a.index = chance(4) ? midend::no_body_value : any(chance(6) ? narrow_ : width_, b);
    a.stored = midend::no_body_value;
    a.bytes = bytes;
    a.memory = is_apart_ && chance(2) ? which : midend::any_memory;
    a.scale = pick<std::int64_t>({1, 4, bytes});
    a.offset = std::int64_t{random_.below(3)} * (chance(3) ? 1 : bytes);
    return a;
  }

  /// The place of another access, or one that has bytes in common with it, or nearly.
  midend::body_access place_beside_another(std::uint32_t b, std::uint32_t bytes) {
    std::vector<midend::body_access> candidates;
    for (const placed_access& p : places_) {
      if (dominates_[p.block][b]) {
        candidates.push_back(p.access);
      }
    }
    if (candidates.empty()) {
      return any_place(b, bytes);
    }
    midend::body_access a = pick(candidates);
    a.offset += chance(2) ? 0 : std::int64_t{random_.below(2 * a.bytes + 1)} - a.bytes;
    a.bytes = bytes;
    return a;
  }

  void make_access(std::uint32_t b) {
    if (chance(12)) {
      note(writer_.call(width_, {any(width_, b)}), b);
      return;
    }
    const unsigned width = pick<unsigned>({width_, width_, 8});
    midend::body_access a = chance(2) ? place_beside_another(b, width / 8) : any_place(b, width / 8);
    if (width_ == 64 && is_apart_) {
      a.index = midend::no_body_value; // else the two could meet
    }
    places_.push_back({a, b});
    const bool stores = chance(2);
    if (stores) {
      a.stored = any(width_, b); // of which perhaps only a part is stored
    }
    const midend::body_id guard = chance(3) ? any(1, b) : midend::no_body_value;
    const midend::body_id v = stores ? writer_.store(a) : writer_.load(width, a);
    const bool negated = chance(2);
    writer_.body().values[v].guard = guard;
    writer_.body().values[v].guard_negated = negated;
    writer_.body().values[v].is_volatile = chance(16);
    if (stores) {
      return;
    }
    if (guard == midend::no_body_value) {
      note_width(v, width, b);
    } else {
      const midend::body_id otherwise = width == width_ || width == narrow_ ? any(width, b) : v;
      note_width(writer_.op(op::select, width, {guard, negated ? otherwise : v, negated ? v : otherwise}), width, b);
    }
  }

  void note_width(midend::body_id v, unsigned width, std::uint32_t b) {
    if (width == width_ || width == narrow_) {
      note(v, b);
    }
  }

  void make_edges(std::uint32_t b) {
    const std::vector<std::uint32_t>& to = targets_[b];
    if (to.size() == 1) {
      writer_.jump(to[0]);
    } else if (to.size() == 2 && !chance(5)) {
      const bool is_exit = to[0] == body_writer::leaves || to[1] == body_writer::leaves;
      const midend::body_id condition = is_exit && !chance(3) ? test_of_counter(b)
                                        : chance(2)           ? comparison(width_, b)
                                                              : any(1, b);
      const bool swap = chance(2);
      writer_.set_condition(condition);
      writer_.edge(to[0], true, swap ? 1 : 0);
      writer_.edge(to[1], true, swap ? 0 : 1);
    } else {
      writer_.set_condition(any(chance(2) ? width_ : narrow_, b));
      const std::uint64_t first = random_.below(4);
      const std::size_t otherwise = random_.below(to.size());
      for (std::size_t i = 0; i != to.size(); ++i) {
        writer_.edge(to[i], i != otherwise, i == otherwise ? 0 : first + i);
      }
    }
  }

  midend::body_id test_of_counter(std::uint32_t b) {
    const auto code = static_cast<op>(static_cast<std::uint32_t>(op::equal) + random_.below(10));
    const midend::body_id counter = counter_value(b);
    const midend::body_id bound = pick(bounds_);
    const unsigned result = chance(3) ? pick<unsigned>({narrow_, width_}) : 1;
    return chance(4) ? writer_.comparison(code, result, bound, counter)
                     : writer_.comparison(code, result, counter, bound);
  }

  void set_next() {
    std::size_t counter = 0;
    for (midend::body_id phi = 0; phi != writer_.body().num_phis; ++phi) {
      const unsigned width = writer_.width_of(phi);
      if (is_counter_[phi]) {
        writer_.set_phi(phi, pick(starts_), next_of_counter_[counter++]);
        continue;
      }
      std::vector<midend::body_id> from_outside;
      for (const placed& p : known_) {
        const midend::body_kind kind = writer_.body().values[p.value].kind;
        if ((kind == midend::body_kind::invariant || kind == midend::body_kind::constant) &&
            writer_.width_of(p.value) == width) {
          from_outside.push_back(p.value);
        }
      }
      midend::body_id next = any(width, num_blocks_ - 1);
      if (chance(4)) { // phis that change places
        for (midend::body_id other = 0; other != writer_.body().num_phis; ++other) {
          next = writer_.width_of(other) == width && chance(2) ? other : next;
        }
      }
      writer_.set_phi(phi, pick(from_outside), next);
    }
  }

  void choose_live_out() {
    for (midend::body_id v = 0; v != writer_.body().num_values(); ++v) {
      const midend::body_kind kind = writer_.body().values[v].kind;
      const bool is_of_loop = kind != midend::body_kind::invariant && kind != midend::body_kind::constant &&
                              kind != midend::body_kind::store;
      if (is_of_loop && chance(3)) {
        writer_.body().live_out.push_back(v);
      }
    }
  }

  random_source random_;
  body_writer writer_;
  unsigned width_ = 8;
  unsigned narrow_ = 4;
  bool has_memory_ = false;
  bool is_apart_ = false;
  std::uint32_t num_blocks_ = 2;
  std::vector<std::vector<std::uint32_t>> targets_;
  std::vector<std::vector<bool>> dominates_;
  std::vector<bool> is_counter_;
  std::vector<placed> known_;
  std::vector<placed> increments_;
  std::vector<placed_access> places_; ///< what they store is left out
  std::vector<midend::body_id> next_of_counter_;
  std::vector<midend::body_id> divisors_;
  std::vector<midend::body_id> amounts_;
  std::vector<midend::body_id> steps_;
  std::vector<midend::body_id> starts_;
  std::vector<midend::body_id> bounds_;
  midend::body_id base_[2] = {};
};

} // namespace

random_loop_body::random_loop_body(std::uint64_t seed) {
  random_body_maker maker(seed);
  body = maker.finish();
  invariants = std::move(maker.invariants);
}

} // namespace midend_tests
