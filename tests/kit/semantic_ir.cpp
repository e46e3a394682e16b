#include "kit/semantic_ir.hpp"

namespace midend_tests {

namespace {

using midend::operation_flags;

/// Makes the values of a program, node by node, dominators first.
class semantic_generator {
public:
  semantic_generator(random_source& random, const test_graph& g, const random_semantics& options)
      : random_(random), options_(options), program_(make_csr(g)), tree_(midend::dominators(program_.graph())) {}

  semantic_program run() {
    make_outside();
    for (const node_id n : tree_.preorder()) {
      fill(n);
    }
    for (const node_id n : tree_.preorder()) {
      fill_phis(n);
    }
    return std::move(program_);
  }

private:
  void make_outside() {
    for (std::size_t i = 0; i != options_.parameters; ++i) {
      outside_.push_back(program_.parameter(options_.width));
    }
    for (std::size_t i = 0; i != 4; ++i) {
      outside_.push_back(program_.literal(random_.next(), options_.width));
    }
    outside_.push_back(program_.literal(0, options_.width));
    outside_.push_back(program_.literal(1, options_.width));
    if (options_.undefined) {
      undefined_ = program_.undefined(options_.width);
    }
  }

  std::vector<value_id> visible_at_end(node_id n, bool of_any_width = false) const {
    std::vector<value_id> out = outside_;
    for (node_id at = n; at != no_node; at = tree_.immediate_dominator(at)) {
      for (const value_id v : program_.values(at)) {
        if (of_any_width || program_.operation(v).width == options_.width) {
          out.push_back(v);
        }
      }
    }
    return out;
  }

  value_id pick(const std::vector<value_id>& visible) {
    if (options_.undefined && random_.one_in(24)) {
      return undefined_;
    }
    // Half of the picks from what is nearest.
    const std::size_t near = visible.size() < 4 ? visible.size() : 4;
    return random_.one_in(2) ? visible[random_.below(visible.size())]
                             : visible[visible.size() - 1 - random_.below(near)];
  }

  void fill(node_id n) {
    const bool may_have_phis = n != program_.graph().entry() && !program_.graph().in_edges(n).empty();
    for (std::size_t phis = may_have_phis ? random_.below(3) : 0; phis != 0; --phis) {
      program_.phi(n, options_.width);
    }
    for (std::size_t left = random_.below(options_.most + 1); left != 0; --left) {
      add_operation(n);
    }
    add_condition(n);
  }

  void add_operation(node_id n) {
    const std::vector<value_id> visible = visible_at_end(n);
    if (options_.calls && random_.one_in(16)) {
      program_.call(n, {pick(visible)}, options_.width);
      return;
    }
    if (random_.one_in(12)) {
      const value_id a = pick(visible); // arguments of a call would be evaluated in any order
      const value_id b = pick(visible);
      program_.strange(n, a, b, options_.width);
      return;
    }
    const auto code = static_cast<operation>(1 + random_.below(35));
    const unsigned width = options_.width;
    if (options_.wide != 0 && random_.one_in(options_.wide)) {
      return add_of_other_widths(n, code);
    }
    if (midend::is_comparison(code)) {
      const value_id c = program_.op(n, code, {pick(visible), pick(visible)}, width);
      if (random_.one_in(2)) {
        program_.op(n, operation::zero_extend, {c}, width, 1);
      } else {
        program_.op(n, operation::select, {c, pick(visible), pick(visible)}, width);
      }
      return;
    }
    switch (code) {
    case operation::truncate: {
      const value_id low = program_.op(n, code, {pick(visible)}, width - 1, width);
      program_.op(n, random_.one_in(2) ? operation::zero_extend : operation::sign_extend, {low}, width, width - 1);
      return;
    }
    case operation::zero_extend:
    case operation::sign_extend: {
      const value_id wide = program_.op(n, code, {pick(visible)}, width + 2, width);
      const value_id sum = program_.op(n, operation::add, {wide, wide}, width + 2);
      program_.op(n, operation::truncate, {sum}, width, width + 2);
      return;
    }
    case operation::select: {
      const value_id c = program_.op(n, operation::truncate, {pick(visible)}, 1, width);
      program_.op(n, code, {c, pick(visible), pick(visible)}, width);
      return;
    }
    default:
      break;
    }
    std::vector<value_id> operands;
    for (unsigned i = 0; i != midend::arity(code); ++i) {
      operands.push_back(pick(visible));
    }
    const operation_flags flags{random_.one_in(8), random_.one_in(8)};
    program_.op(n, code, std::move(operands), width, 0, flags);
  }

  /// An operation that reads its operands with another width than they have.
  void add_of_other_widths(node_id n, operation code) {
    const std::vector<value_id> visible = visible_at_end(n, true);
    std::vector<value_id> operands;
    for (unsigned i = 0; i != midend::arity(code); ++i) {
      operands.push_back(pick(visible));
    }
    const auto from = static_cast<unsigned>(1 + random_.below(options_.width + 1));
    if (midend::is_comparison(code)) {
      const auto to = static_cast<unsigned>(1 + random_.below(options_.width));
      program_.compare(n, code, operands[0], operands[1], to, from);
    } else {
      program_.op(n, code, std::move(operands), options_.width, from, {random_.one_in(8), false});
    }
  }

  /// A value that says the same as `flag`, which is 0 or 1, or the opposite, in several steps.
  value_id disguised(node_id n, value_id flag) {
    for (std::size_t steps = random_.below(4); steps != 0; --steps) {
      const unsigned width = program_.operation(flag).width;
      const value_id zero = program_.literal(0, width);
      switch (random_.below(7)) {
      case 0:
        flag = program_.compare(n, operation::not_equal, flag, zero, 1, width);
        break;
      case 1:
        flag = program_.compare(n, operation::equal, zero, flag, options_.width, width);
        break;
      case 2:
        flag = program_.op(n, operation::bit_xor, {flag, program_.literal(1, width)}, width);
        break;
      case 3:
        flag = program_.op(n, operation::zero_extend, {flag}, options_.width, width);
        break;
      case 4:
        flag = program_.op(n, operation::truncate, {flag}, 1, width);
        break;
      case 5:
        flag = program_.op(n, operation::copy, {flag}, width);
        break;
      default: {
        const value_id one = program_.literal(1, options_.width);
        const value_id none = program_.literal(0, options_.width);
        const bool keeps = random_.one_in(2);
        flag = program_.op(n, operation::select, {flag, keeps ? one : none, keeps ? none : one}, options_.width);
      }
      }
    }
    return flag;
  }

  void add_condition(node_id n) {
    const std::size_t edges = program_.graph().out_edges(n).size();
    if (edges < 2 || random_.one_in(8)) {
      return; // something else decides
    }
    const std::vector<value_id> visible = visible_at_end(n);
    if (edges == 2 && !random_.one_in(4)) {
      const auto code = static_cast<operation>(static_cast<std::size_t>(operation::equal) + random_.below(10));
      if (options_.wide != 0) {
        const std::vector<value_id> any = random_.one_in(options_.wide) ? visible_at_end(n, true) : visible;
        const value_id a = pick(any);
        const value_id b = pick(any);
        program_.branch(n, disguised(n, program_.compare(n, code, a, b, 1, options_.width)));
        if (random_.one_in(3)) {
          program_.switch_on(n, program_.condition(n), {std::nullopt, 0});
        }
        return;
      }
      program_.branch(n, program_.op(n, code, {pick(visible), pick(visible)}, options_.width));
      return;
    }
    std::vector<std::optional<std::uint64_t>> cases;
    const std::uint64_t first = random_.next();
    for (std::size_t i = 0; i + 1 != edges; ++i) {
      cases.emplace_back((first + i) & midend::low_ones(options_.width));
    }
    if (edges - 1 > midend::low_ones(options_.width)) {
      return; // no number is left for some edge
    }
    cases.emplace_back(std::nullopt);
    std::swap(cases.back(), cases[random_.below(edges)]);
    program_.switch_on(n, pick(visible), std::move(cases));
  }

  void fill_phis(node_id n) {
    for (const value_id v : program_.values(n)) {
      if (!program_.is_phi(v)) {
        return;
      }
      for (const edge_id e : program_.graph().in_edges(n)) {
        const node_id from = program_.graph().edge_source(e);
        program_.set_input(v, e, tree_.is_reachable(from) ? pick(visible_at_end(from)) : outside_[0]);
      }
    }
  }

  random_source& random_;
  const random_semantics& options_;
  semantic_program program_;
  midend::dominator_tree tree_;
  std::vector<value_id> outside_;
  value_id undefined_ = no_value;
};

} // namespace

semantic_program random_semantic_program(random_source& random, const test_graph& g, const random_semantics& options) {
  return semantic_generator(random, g, options).run();
}

std::string to_string(const semantic_program& program) {
  std::string out;
  const auto append_operands = [&](value_id v) {
    for (const value_id operand : program.operands(v)) {
      out += join(" v", operand);
    }
  };
  for (value_id v = 0; v != program.num_values(); ++v) {
    if (program.node(v) == no_node) {
      const auto c = program.constant(v);
      out += join("v", v, c ? join(" = ", *c) : program.is_undefined(v) ? " = undef" : " parameter", "; ");
    }
  }
  for (node_id n = 0; n != program.graph().num_nodes(); ++n) {
    out += join("\nnode ", n, ":\n");
    for (const value_id v : program.values(n)) {
      const operation_info info = program.operation(v);
      out += join("  v", v, ": i", info.width, " = ", program.is_phi(v) ? "phi" : "op ");
      out += program.is_phi(v) ? "" : join(static_cast<unsigned>(info.code), ".", info.operand_width);
      out += info.flags.no_signed_wrap ? " nsw" : "";
      out += info.flags.no_unsigned_wrap ? " nuw" : "";
      append_operands(v);
      out += "\n";
    }
    out += program.condition(n) == no_value ? "  go" : join("  on v", program.condition(n));
    for (const edge_id e : program.graph().out_edges(n)) {
      const auto c = program.edge_case(e);
      out += join(" e", e, c ? join("[", *c, "]") : "", "->", program.graph().edge_target(e));
    }
  }
  return out + "\n";
}

} // namespace midend_tests
