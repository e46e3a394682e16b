/// The body of a random procedure: branches, switches and loops in each other.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/builder.hpp"
#include "midend/elbrus/detail/random_loops.hpp"
#include "midend/elbrus/detail/random_scope.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/type.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Writes a procedure. Recursion is as deep as `options.nesting` says.
class random_body : public random_loops {
public:
  random_body(procedure& p, const random_program_options& options, random_numbers& random,
              std::span<const random_array> arrays, std::span<const random_signature> callees)
      : random_loops(p, options, random, arrays, callees) {}

  /// Writes it, and completes what callers must know.
  void write_procedure(random_signature& self) {
    result_ = self.result;
    enter_procedure(self);
    region(std::max<std::size_t>(options_.operations, 1), 0, false);
    call_the_rest();
    finish();
    self.writes = writes_;
    self.writes_anything = writes_anything_;
    self.step_bound = step_bound();
  }

private:
  void enter_procedure(const random_signature& self) {
    b_.get().set_name(self.name);
    b_.get().set_result_type(self.result);
    if (options_.profile) {
      b_.get().set_count(random_.below(1'000));
    }
    enter(new_node());
    begin(self);
  }

  /// What stands in a row, so many operations. Ends in an open node unless it may leave.
  void region(std::size_t size, unsigned depth, bool may_leave) {
    while (size != 0) {
      if (size < 4 || depth >= std::min(options_.nesting, 32u) || !random_.percent(35)) {
        simple(runs_);
        --size;
        continue;
      }
      const std::size_t part = 3 + random_.below(std::max<std::size_t>(size / 2, 1));
      compound(part, depth);
      size -= std::min(size, part);
    }
    if (may_leave && random_.one_in(6)) {
      leave();
    }
  }

  void compound(std::size_t size, unsigned depth) {
    const std::size_t kind = random_.below(100);
    if (kind < 12 && options_.switches) {
      switch_statement(size, depth);
    } else if (kind < 45 && options_.loops && longest_loop(size) > 1) {
      loop(size, depth);
    } else if (kind < 60 && options_.irreducible && longest_loop(12) > 9) {
      irreducible();
    } else if (kind < 63 && options_.endless) {
      endless();
    } else {
      if_statement(size, depth);
    }
  }

  // Branches.

  void if_statement(std::size_t size, unsigned depth) {
    const bool hoists = options_.speculation && random_.one_in(8);
    const hoisted_value hoisted = hoists ? hoist(random_integer_type()) : hoisted_value{};
    const value_id condition = hoists ? hoisted.condition : predicate();
    meeting_point end = new_meeting();
    const std::size_t arms = random_.below(8); // bit 0: then, bit 1: else
    const bool has_then = hoists || (arms & 1) != 0 || (!options_.parallel_edges && (arms & 2) == 0);
    const bool has_else = (arms & 2) != 0;
    const node_id when_true = has_then ? new_node() : end.node;
    const node_id when_false = has_else ? new_node() : end.node;
    const branch_edges edges = branch(condition, when_true, when_false);
    if (!has_then) {
      scope_.arrive(end, edges.when_true);
    }
    if (!has_else) {
      scope_.arrive(end, edges.when_false);
    }
    if (has_then) {
      enter(when_true);
      if (hoists) { // here it is no diagnostic value
        see(hoisted.result);
      }
      arm(end, size / 2, depth, has_else || !end.arrivals.empty());
    }
    if (has_else) {
      enter(when_false);
      arm(end, size / 2, depth, !end.arrivals.empty());
    }
    meet(end);
  }

  /// One of the ways between a branch and the place where they meet again.
  void arm(meeting_point& end, std::size_t size, unsigned depth, bool may_leave) {
    region(std::max<std::size_t>(size, 1), depth + 1, may_leave);
    if (is_open()) {
      jump(end);
    }
    scope_.shrink(end.base);
  }

  void switch_statement(std::size_t size, unsigned depth) {
    const type t = random_integer_type();
    const value_id on = random_.one_in(4) ? pick_computed(t) : masked(t, 7).value;
    meeting_point end = new_meeting();
    std::vector<meeting_point> arms(1 + random_.below(3));
    for (meeting_point& a : arms) {
      a = new_meeting();
    }
    // Where each case goes: to an arm, or at once to the end. Each arm has a case; the last one is the default.
    std::vector<std::size_t> ways(arms.size() + random_.below(options_.parallel_edges ? 4 : 2));
    for (std::size_t i = 0; i != ways.size(); ++i) {
      ways[i] = i <= arms.size() ? i : random_.below(arms.size() + 1);
    }
    std::vector<elbrus::switch_case> cases;
    const auto target = [&](std::size_t way) { return way == arms.size() ? end.node : arms[way].node; };
    std::uint64_t value = random_.below(2);
    for (std::size_t i = 0; i + 1 < ways.size(); ++i) {
      cases.push_back({value, target(ways[i])});
      value += 1 + random_.below(2);
    }
    const std::span<const edge_id> out = b_.switch_on(on, cases, target(ways.back()));
    for (std::size_t i = 0; i != ways.size(); ++i) {
      scope_.arrive(ways[i] == arms.size() ? end : arms[ways[i]], out[i]);
    }
    for (std::size_t i = 0; i != arms.size(); ++i) {
      meet(arms[i]);
      arm(end, size / arms.size(), depth, i + 1 != arms.size() || !end.arrivals.empty());
    }
    meet(end);
  }

  /// Ends the path here, or does not. Few paths return early, lest most of a long procedure be left out.
  void leave() {
    if (!loops_.empty() && random_.percent(75)) {
      open_loop& l = *random_.any_of(loops_);
      if (&l == loops_.back() && random_.one_in(2)) {
        continue_loop(l);
      } else {
        jump(l.exit);
      }
    } else if (options_.traps && random_.one_in(4)) {
      b_.unreachable();
    } else if (early_returns_ != 2) {
      ++early_returns_;
      result_ == type::none ? b_.ret() : b_.ret(pick(result_));
    }
  }

  // Loops.

  /// How often a loop around so many operations may run for the steps to suffice.
  std::size_t longest_loop(std::size_t size) const {
    const std::uint64_t once = runs_ * 4 * (size + 4);
    return static_cast<std::size_t>(std::min<std::uint64_t>(options_.steps / once, 16));
  }

  void loop(std::size_t size, unsigned depth) {
    open_loop l = begin_loop(longest_loop(size));
    loops_.push_back(&l);
    region(std::max<std::size_t>(size, 2) - 1, depth + 1, false);
    loops_.pop_back();
    end_loop(l);
  }

  // The end.

  /// Returns something into which go values that nobody has read.
  void finish() {
    const type t = is_integer(result_) ? result_ : type::i64;
    std::vector<known_value> unread;
    for (std::size_t i = scope_.size(); i != 0 && unread.size() != 12; --i) {
      const known_value& v = scope_[i - 1];
      if (v.type != type::ptr && !b_.get().has_users(v.value)) {
        unread.push_back(v);
      }
    }
    value_id all = pick_computed(t);
    for (const known_value& v : unread) {
      const value_id next = as_integer(t, v);
      all = see(write({random_.one_in(2) ? opcode::add : opcode::bit_xor, t, {all, next}, somewhere_safe(t)})).value;
    }
    if (result_ == type::none) {
      b_.store(t, all, {.base = pointers_[0].value, .alias = pointers_[0].alias});
      writes_[0] = true;
      b_.ret();
    } else if (is_float(result_)) {
      b_.ret(see(write({opcode::itof, result_, {all}, somewhere_safe(result_)})).value);
    } else {
      b_.ret(all);
    }
  }

  value_id as_integer(type t, const known_value& v) {
    if (is_integer(v.type)) {
      return convert_integer(t, v.value);
    }
    const value_id positive =
        see(write({opcode::fcmp_ogt, v.type, {v.value, float_literal(v.type)}, somewhere_safe(type::i1)})).value;
    return convert_integer(t, positive);
  }

  /// What the nodes run, each as often as it can.
  std::uint64_t step_bound() const {
    std::uint64_t steps = callee_steps_;
    for (const run_bound& r : run_bounds_) {
      for ([[maybe_unused]] const value_id v : b_.get().values(r.node)) {
        steps += r.runs;
      }
    }
    return steps;
  }

  type result_ = type::none;
  int early_returns_ = 0;
  std::vector<open_loop*> loops_; ///< around the present place
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
