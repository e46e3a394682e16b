// Runs loop bodies: the definition that everything said of a loop body is compared with.
#pragma once

#include <midend/induction/loop_body.hpp>
#include <midend/ir/evaluate.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace midend_tests {

/// A number, or what a broken promise or an impossible operation leaves: anything.
using maybe_number = std::optional<std::uint64_t>;

/// Operands of an operation or call, of which no test has more than eight.
class operand_values {
public:
  void push_back(const maybe_number& v) {
    are_known_ = are_known_ && v;
    numbers_.at(values_count_) = v.value_or(0);
    values_[values_count_++] = v;
  }

  const maybe_number& operator[](std::size_t i) const { return values_[i]; }

  bool are_known() const { return are_known_; }

  /// Requires that all are known.
  std::span<const std::uint64_t> numbers() const { return std::span(numbers_).first(values_count_); }

private:
  std::array<maybe_number, 8> values_;
  std::array<std::uint64_t, 8> numbers_{};
  std::size_t values_count_ = 0;
  bool are_known_ = true;
};

/// The result of an operation; `other(numbers)` is that of one without a word.
template <class Other>
maybe_number evaluate_maybe(const midend::operation_info& info, const operand_values& args, Other other) {
  if (info.code == midend::operation::select) {
    return !args[0] ? std::nullopt : *args[0] != 0 ? args[1] : args[2];
  }
  if (!args.are_known()) {
    return std::nullopt;
  }
  if (info.code == midend::operation::other) {
    return other(args.numbers());
  }
  const midend::evaluation e = midend::evaluate(info, args.numbers());
  return e ? maybe_number(e.bits) : std::nullopt;
}

/// What a loop body meets outside of itself; here nothing that matters.
class body_world {
public:
  virtual ~body_world() = default;

  virtual maybe_number load(midend::body_id load, std::uint64_t address);

  virtual void store(midend::body_id store, std::uint64_t address, std::uint64_t bits);

  virtual maybe_number call(midend::body_id call, std::span<const std::uint64_t> arguments);

  /// The result of an operation for which the vocabulary has no word.
  virtual maybe_number other(midend::body_id operation, std::span<const std::uint64_t> arguments);
};

/// How an iteration ends.
enum class iteration_end {
  bottom, ///< there is another one
  left,
  without_meaning
};

/// Runs a body, one iteration after the other: `enter`, then `run_iteration`, and while that ends at the bottom
/// `begin_next` and `run_iteration` again.
///
/// A value whose operation breaks a promise, or has no result, has no meaning; nor has what is computed of it, and the
/// run ends where a branch, a guard, an address, a store or a call asks for it. So much is said of a program by any IR,
/// and the ones that trap at the operation itself say less.
class body_simulator {
public:
  body_simulator(const midend::loop_body& body, body_world& world);

  /// Phis are what they are on entry; `invariants` are the values of the body's invariants, in their order.
  void enter(std::span<const std::uint64_t> invariants);

  /// Of a phi or invariant.
  void set(midend::body_id v, const maybe_number& value) { values_[v] = value; }

  iteration_end run_iteration();

  void begin_next();

  /// By value; nothing also where the iteration did not come.
  const std::vector<maybe_number>& values() const { return values_; }

  /// By block, whether the iteration came there.
  const std::vector<bool>& runs() const { return runs_; }

  /// The edge by which the iteration left.
  std::uint32_t exit() const { return came_by_; }

private:
  bool run_block(const midend::body_block& block);
  std::optional<std::uint32_t> taken(const midend::body_block& block) const;
  maybe_number value(midend::body_id v);
  bool is_executed(const midend::body_value& value);
  maybe_number join(midend::body_id v) const;
  maybe_number access(midend::body_id v);
  maybe_number end_of_meaning();

  const midend::loop_body& body_;
  body_world& world_;
  std::vector<maybe_number> values_;
  std::vector<maybe_number> next_; ///< of phis
  std::vector<bool> runs_;
  std::uint32_t came_by_ = 0; ///< the edge to the block that runs
  bool has_meaning_ = true;
};

} // namespace midend_tests
