/// Loop bodies made by hand or at random.
#pragma once

#include <midend/cost/loop_body.hpp>
#include <midend/ir/evaluate.hpp>

#include <cstdint>
#include <vector>

namespace midend_tests {

/// Appends to a loop body, in its order: phis, what comes from outside, blocks. Then `finish`.
class loop_body_maker {
public:
  midend::loop_body body;

  midend::body_id phi(unsigned width) {
    ++body.num_phis;
    const midend::body_id v = append(midend::body_kind::phi, width, {midend::no_body_value, midend::no_body_value});
    return v;
  }

  void set_phi(midend::body_id phi, midend::body_id initial, midend::body_id next) {
    body.operands[body.values[phi].first_operand] = initial;
    body.operands[body.values[phi].first_operand + 1] = next;
  }

  midend::body_id constant(std::uint64_t bits, unsigned width) {
    const midend::body_id v = append(midend::body_kind::constant, width, {});
    body.values[v].bits = bits & midend::low_ones(width);
    return v;
  }

  midend::body_id invariant(unsigned width) { return append(midend::body_kind::invariant, width, {}); }

  /// What follows belongs to a new block.
  std::uint32_t block() {
    end_block();
    midend::body_block b{};
    b.first_value = static_cast<midend::body_id>(body.num_values());
    b.condition = midend::no_body_value;
    b.origin = midend::no_node;
    body.blocks.push_back(b);
    return static_cast<std::uint32_t>(body.blocks.size() - 1);
  }

  midend::body_id op(midend::operation code, unsigned width, const std::vector<midend::body_id>& operands,
                     midend::operation_flags flags = {}) {
    const midend::body_id v = append(midend::body_kind::pure, midend::is_comparison(code) ? 1 : width, operands);
    midend::body_value& value = body.values[v];
    value.info.code = code;
    value.info.flags = flags;
    value.info.operand_width = body.values[operands[0]].info.width;
    const auto usual = usual_class(code);
    value.cost = usual;
    return v;
  }

  /// An operation that only a folder knows.
  midend::body_id other(unsigned width, std::uint32_t identity, const std::vector<midend::body_id>& operands) {
    const midend::body_id v = append(midend::body_kind::pure, width, operands);
    body.values[v].identity = identity;
    body.values[v].cost = midend::operation_class::fp_add;
    return v;
  }

  midend::body_id join(unsigned width, const std::vector<midend::body_id>& operands) {
    return append(midend::body_kind::join, width, operands);
  }

  midend::body_id load(unsigned width, const midend::body_access& access) {
    const midend::body_id v = append(midend::body_kind::load, width, {});
    body.values[v].cost = midend::operation_class::load;
    body.values[v].access = static_cast<std::uint32_t>(body.accesses.size());
    body.accesses.push_back(access);
    return v;
  }

  midend::body_id store(const midend::body_access& access) {
    const midend::body_id v = append(midend::body_kind::store, body.values[access.stored].info.width, {});
    body.values[v].cost = midend::operation_class::store;
    body.values[v].access = static_cast<std::uint32_t>(body.accesses.size());
    body.accesses.push_back(access);
    return v;
  }

  midend::body_id call(unsigned width, const std::vector<midend::body_id>& operands) {
    const midend::body_id v = append(midend::body_kind::call, width, operands);
    body.values[v].cost = midend::operation_class::call;
    return v;
  }

  void condition(midend::body_id v) { body.blocks.back().condition = v; }

  struct edge {
    std::uint32_t source;
    std::uint32_t target;
    int number = -1; ///< the case; -1: all others
  };

  /// Of all blocks, in the order of their sources.
  void edges(const std::vector<edge>& list) {
    for (std::uint32_t b = 0; b != body.blocks.size(); ++b) {
      body.blocks[b].first_edge = static_cast<std::uint32_t>(body.edges.size());
      for (const edge& e : list) {
        if (e.source == b) {
          body.edges.push_back({e.source, e.target, e.number >= 0,
                                static_cast<std::uint64_t>(e.number < 0 ? 0 : e.number), midend::no_node});
        }
      }
      body.blocks[b].last_edge = static_cast<std::uint32_t>(body.edges.size());
    }
    for (std::uint32_t b = 0; b != body.blocks.size(); ++b) {
      body.blocks[b].first_in_edge = static_cast<std::uint32_t>(body.in_edges.size());
      for (std::uint32_t e = 0; e != body.edges.size(); ++e) {
        if (body.edges[e].target == b) {
          body.in_edges.push_back(e);
        }
      }
      body.blocks[b].last_in_edge = static_cast<std::uint32_t>(body.in_edges.size());
    }
  }

  void end_block() {
    if (!body.blocks.empty()) {
      body.blocks.back().last_value = static_cast<midend::body_id>(body.num_values());
    }
  }

private:
  midend::body_id append(midend::body_kind kind, unsigned width, const std::vector<midend::body_id>& operands) {
    midend::body_value v{};
    v.kind = kind;
    v.cost = midend::operation_class::alu;
    v.info.width = v.info.operand_width = static_cast<std::uint8_t>(width);
    v.block = kind == midend::body_kind::phi ? 0
              : body.blocks.empty()          ? midend::no_body_value
                                             : static_cast<std::uint32_t>(body.blocks.size() - 1);
    v.first_operand = static_cast<std::uint32_t>(body.operands.size());
    v.num_operands = static_cast<std::uint32_t>(operands.size());
    v.guard = midend::no_body_value;
    v.origin = midend::no_value;
    for (const midend::body_id o : operands) {
      body.operands.push_back(o);
    }
    body.values.push_back(v);
    return static_cast<midend::body_id>(body.num_values() - 1);
  }

  static midend::operation_class usual_class(midend::operation code) {
    using midend::operation;
    using midend::operation_class;
    if (midend::is_comparison(code)) {
      return operation_class::compare;
    }
    switch (code) {
    case operation::mul:
      return operation_class::integer_multiply;
    case operation::div:
    case operation::udiv:
    case operation::rem:
    case operation::urem:
      return operation_class::integer_divide;
    case operation::shl:
    case operation::shr:
    case operation::sar:
      return operation_class::shift;
    case operation::select:
      return operation_class::merge;
    default:
      return operation_class::alu;
    }
  }
};

} // namespace midend_tests
