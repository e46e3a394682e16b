// Loop bodies written by hand, and run: the definition that everything said of a loop body is compared with.
#pragma once

#include <midend/cost/loop_body.hpp>
#include <midend/ir/evaluate.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

namespace midend_tests {

/// Writes a body: first its phis, then what comes from outside, then block by block; the last block is the bottom.
class body_writer {
public:
  static constexpr std::uint32_t leaves = midend::body_edge::leaves;

  /// A header phi; `set_phi` says of what.
  midend::body_id phi(unsigned width) {
    body_.num_phis += 1;
    return append(midend::body_kind::phi, {midend::operation::other, as_width(width)}, 2);
  }

  midend::body_id constant(unsigned width, std::uint64_t bits) {
    const midend::body_id v = append(midend::body_kind::constant, {midend::operation::other, as_width(width)}, 0);
    body_.values[v].bits = bits & midend::low_ones(width);
    return v;
  }

  midend::body_id invariant(unsigned width) {
    return append(midend::body_kind::invariant, {midend::operation::other, as_width(width)}, 0);
  }

  /// Begins the next block.
  std::uint32_t block() {
    close_block();
    midend::body_block b{};
    b.first_value = static_cast<midend::body_id>(body_.values.size());
    b.first_edge = static_cast<std::uint32_t>(body_.edges.size());
    b.condition = midend::no_body_value;
    b.origin = midend::no_node;
    body_.blocks.push_back(b);
    return body_.bottom();
  }

  midend::body_id pure(const midend::operation_info& info, std::initializer_list<midend::body_id> operands) {
    const midend::body_id v = append(midend::body_kind::pure, info, operands.size());
    set_operands(v, operands);
    return v;
  }

  midend::body_id binary(midend::operation code, midend::body_id a, midend::body_id b,
                         midend::operation_flags flags = {}) {
    const std::uint8_t width = body_.values[a].info.width;
    return pure({code, is_comparison(code) ? std::uint8_t{1} : width, width, flags}, {a, b});
  }

  midend::body_id unary(midend::operation code, midend::body_id a) { return convert(code, width_of(a), a); }

  midend::body_id convert(midend::operation code, unsigned width, midend::body_id a) {
    return pure({code, as_width(width), as_width(width_of(a))}, {a});
  }

  /// Of another block, with an operand for each edge to it in the order of the edges.
  midend::body_id join(std::initializer_list<midend::body_id> operands) {
    const auto width = static_cast<std::uint8_t>(width_of(*operands.begin()));
    const midend::body_id v = append(midend::body_kind::join, {midend::operation::other, width}, operands.size());
    set_operands(v, operands);
    return v;
  }

  /// A number of its own in each iteration.
  midend::body_id load(unsigned width) {
    return append(midend::body_kind::load, {midend::operation::other, as_width(width)}, 0);
  }

  midend::body_id call() { return append(midend::body_kind::call, {}, 0); }

  void jump(std::uint32_t target) { edge(target, false, 0); }

  void branch(midend::body_id condition, std::uint32_t when_true, std::uint32_t when_false) {
    body_.blocks.back().condition = condition;
    edge(when_true, true, 1);
    edge(when_false, true, 0);
  }

  /// Of a block whose condition is a switch, or decides nothing that is known.
  void edge(std::uint32_t target, bool has_case, std::uint64_t case_value) {
    body_.edges.push_back({body_.bottom(), target, has_case, case_value, midend::no_node});
  }

  void set_condition(midend::body_id condition) { body_.blocks.back().condition = condition; }

  void set_phi(midend::body_id phi, midend::body_id initial, midend::body_id next) {
    body_.operands[body_.values[phi].first_operand] = initial;
    body_.operands[body_.values[phi].first_operand + 1] = next;
  }

  /// A body of one block that goes on while `condition` is `goes_on`.
  midend::loop_body finish_single(midend::body_id condition, bool goes_on = true) {
    branch(condition, goes_on ? 1 : leaves, goes_on ? leaves : 1);
    block();
    return finish();
  }

  midend::loop_body finish() {
    close_block();
    for (std::uint32_t b = 0; b != body_.blocks.size(); ++b) {
      body_.blocks[b].first_in_edge = static_cast<std::uint32_t>(body_.in_edges.size());
      for (std::uint32_t e = 0; e != body_.edges.size(); ++e) {
        if (body_.edges[e].target == b) {
          body_.in_edges.push_back(e);
        }
      }
      body_.blocks[b].last_in_edge = static_cast<std::uint32_t>(body_.in_edges.size());
    }
    return body_;
  }

  unsigned width_of(midend::body_id v) const { return body_.values[v].info.width; }

  midend::loop_body& body() { return body_; }

private:
  static std::uint8_t as_width(unsigned width) { return static_cast<std::uint8_t>(width); }

  midend::body_id append(midend::body_kind kind, const midend::operation_info& info, std::size_t operands) {
    midend::body_value v{};
    v.kind = kind;
    v.info = info;
    v.guard = midend::no_body_value;
    v.block = kind == midend::body_kind::phi ? 0 : body_.blocks.empty() ? midend::no_body_value : body_.bottom();
    v.first_operand = static_cast<std::uint32_t>(body_.operands.size());
    v.num_operands = static_cast<std::uint32_t>(operands);
    body_.values.push_back(v);
    for (std::size_t i = 0; i != operands; ++i) {
      body_.operands.push_back(midend::no_body_value);
    }
    return static_cast<midend::body_id>(body_.values.size() - 1);
  }

  void set_operands(midend::body_id v, std::initializer_list<midend::body_id> operands) {
    std::uint32_t at = body_.values[v].first_operand;
    for (const midend::body_id o : operands) {
      body_.operands[at++] = o;
    }
  }

  void close_block() {
    if (!body_.blocks.empty()) {
      body_.blocks.back().last_value = static_cast<midend::body_id>(body_.values.size());
      body_.blocks.back().last_edge = static_cast<std::uint32_t>(body_.edges.size());
    }
  }

  midend::loop_body body_;
};

/// Runs a body, iteration after iteration. A value whose operation breaks a promise, or has no result, has no meaning;
/// nor has what is computed of it, and the run ends where a branch asks for it. So much is said of a program by any IR,
/// and the ones that trap at the operation itself say less.
class body_run {
public:
  enum class end { left, without_meaning, endless };

  /// `invariants` are the values of the body's invariants in their order, `loaded(v, iteration)` what comes from
  /// memory. Endless is what has not ended after `limit` backedges.
  template <class Loaded>
  body_run(const midend::loop_body& body, std::span<const std::uint64_t> invariants, std::uint64_t limit, Loaded loaded)
      : body_(body), now_(body.num_values()), came_by_(body.blocks.size(), 0) {
    std::size_t used = 0;
    for (midend::body_id v = body.num_phis; v != body.num_values(); ++v) {
      if (body.values[v].kind == midend::body_kind::invariant) {
        now_[v] = invariants[used++];
      } else if (body.values[v].kind == midend::body_kind::constant) {
        now_[v] = body.values[v].bits;
      }
    }
    for (midend::body_id p = 0; p != body.num_phis; ++p) {
      now_[p] = now_[body.initial(p)];
    }
    for (; status == end::endless && backedges <= limit; ++backedges) {
      phis.insert(phis.end(), now_.begin(), now_.begin() + body.num_phis);
      run_iteration(loaded);
      if (status != end::endless) {
        return;
      }
      take_next();
    }
  }

  body_run(const midend::loop_body& body, std::span<const std::uint64_t> invariants, std::uint64_t limit = 300)
      : body_run(body, invariants, limit, [](midend::body_id, std::uint64_t) { return std::uint64_t{0}; }) {}

  end status = end::endless;
  std::uint64_t backedges = 0;
  std::uint32_t exit = 0;                         ///< the edge
  std::vector<std::optional<std::uint64_t>> phis; ///< at the top, iteration after iteration

private:
  template <class Loaded> void run_iteration(Loaded loaded) {
    std::uint32_t block = 0;
    while (block != body_.bottom()) {
      run_block(block, loaded);
      const std::optional<std::uint32_t> e = chosen_edge(block);
      if (!e) {
        status = end::without_meaning;
        return;
      }
      if (body_.edges[*e].target == midend::body_edge::leaves) {
        status = end::left;
        exit = *e;
        return;
      }
      block = body_.edges[*e].target;
      came_by_[block] = *e;
    }
    run_block(block, loaded);
  }

  template <class Loaded> void run_block(std::uint32_t block, Loaded loaded) {
    for (midend::body_id v = body_.blocks[block].first_value; v != body_.blocks[block].last_value; ++v) {
      const midend::body_value& value = body_.values[v];
      if (value.kind == midend::body_kind::join) {
        const auto in = body_.in_edges_of(block);
        for (std::size_t i = 0; i != in.size(); ++i) {
          if (in[i] == came_by_[block]) {
            now_[v] = now_[body_.operands_of(v)[i]];
          }
        }
      } else if (value.kind == midend::body_kind::load) {
        now_[v] = loaded(v, backedges) & midend::low_ones(value.info.width);
      } else if (value.kind == midend::body_kind::pure) {
        now_[v] = computed(v);
      }
    }
  }

  std::optional<std::uint64_t> computed(midend::body_id v) const {
    std::uint64_t args[3] = {};
    std::size_t count = 0;
    const midend::operation_info& info = body_.values[v].info;
    const auto operands = body_.operands_of(v);
    if (info.code == midend::operation::select) {
      return now_[operands[0]] ? now_[operands[*now_[operands[0]] != 0 ? 1 : 2]] : std::nullopt;
    }
    for (const midend::body_id o : operands) {
      if (!now_[o]) {
        return std::nullopt;
      }
      args[count++] = *now_[o];
    }
    const midend::evaluation result = midend::evaluate(info, std::span<const std::uint64_t>(args).first(count));
    return result ? std::optional(result.bits) : std::nullopt;
  }

  std::optional<std::uint32_t> chosen_edge(std::uint32_t block) const {
    const midend::body_block& b = body_.blocks[block];
    if (b.last_edge - b.first_edge == 1) {
      return b.first_edge;
    }
    const std::optional<std::uint64_t> selector = now_[b.condition];
    std::optional<std::uint32_t> otherwise;
    for (std::uint32_t e = b.first_edge; selector && e != b.last_edge; ++e) {
      if (!body_.edges[e].has_case) {
        otherwise = e;
      } else if (body_.edges[e].case_value == *selector) {
        return e;
      }
    }
    return otherwise;
  }

  void take_next() {
    std::vector<std::optional<std::uint64_t>> next;
    for (midend::body_id p = 0; p != body_.num_phis; ++p) {
      next.push_back(now_[body_.next(p)]);
    }
    for (midend::body_id p = 0; p != body_.num_phis; ++p) {
      now_[p] = next[p];
    }
  }

  const midend::loop_body& body_;
  std::vector<std::optional<std::uint64_t>> now_;
  std::vector<std::uint32_t> came_by_;
};

} // namespace midend_tests
