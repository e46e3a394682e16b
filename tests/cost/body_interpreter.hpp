/// Runs one iteration of a loop body, by the definition.
#pragma once

#include "midend/cost/loop_body.hpp"
#include "midend/elbrus/fold.hpp"
#include "midend/elbrus/memory.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/ir/evaluate.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace midend_tests {

/// What an iteration came to. A value that was not computed, or has none, is nothing.
struct iteration {
  std::vector<std::optional<std::uint64_t>> values; ///< by value of the body
  std::vector<bool> runs;                           ///< by block
  std::vector<bool> taken;                          ///< by edge
};

/// The body is of a loop of `p`, without calls; phis and what comes from outside are given.
class body_interpreter {
public:
  body_interpreter(const midend::loop_body& body, const midend::elbrus::procedure& p, midend::elbrus::memory& memory)
      : body_(body), p_(p), memory_(memory) {}

  iteration run(std::vector<std::optional<std::uint64_t>> given) {
    it_ = {std::move(given), std::vector<bool>(body_.blocks.size()), std::vector<bool>(body_.edges.size())};
    it_.runs[0] = true;
    for (std::uint32_t b = 0; b != body_.blocks.size(); ++b) {
      for (const std::uint32_t e : body_.in_edges_of(b)) {
        it_.runs[b] = it_.runs[b] || it_.taken[e];
      }
      if (it_.runs[b]) {
        block(body_.blocks[b]);
      }
    }
    return it_;
  }

private:
  using result = std::optional<std::uint64_t>;

  void block(const midend::body_block& b) {
    for (midend::body_id v = b.first_value; v != b.last_value; ++v) {
      it_.values[v] = value(v);
    }
    if (b.first_edge != b.last_edge) {
      it_.taken[b.condition == midend::no_body_value ? b.first_edge : chosen(b)] = true;
    }
  }

  std::uint32_t chosen(const midend::body_block& b) const {
    const std::uint64_t condition = it_.values[b.condition].value_or(0);
    std::uint32_t otherwise = b.first_edge;
    for (std::uint32_t e = b.first_edge; e != b.last_edge; ++e) {
      if (body_.edges[e].has_case && body_.edges[e].case_value == condition) {
        return e;
      }
      otherwise = body_.edges[e].has_case ? otherwise : e;
    }
    return otherwise;
  }

  result value(midend::body_id v) {
    const midend::body_value& value = body_.values[v];
    if (value.guard != midend::no_body_value && (it_.values[value.guard] == 1) == value.guard_negated) {
      return std::nullopt;
    }
    switch (value.kind) {
    case midend::body_kind::join:
      return join(v);
    case midend::body_kind::load:
      return memory_.load(p_.value(value.origin).type, address(body_.accesses[value.access]));
    case midend::body_kind::store:
      memory_.store(p_.value(value.origin).operand_type, address(body_.accesses[value.access]),
                    it_.values[body_.accesses[value.access].stored].value_or(0));
      return std::nullopt;
    default:
      return pure(v);
    }
  }

  result join(midend::body_id v) const {
    const midend::body_value& value = body_.values[v];
    for (std::uint32_t i = 0; i != value.num_operands; ++i) {
      if (it_.taken[body_.in_edges_of(value.block)[i]]) {
        return it_.values[body_.operands_of(v)[i]];
      }
    }
    return std::nullopt;
  }

  result pure(midend::body_id v) const {
    const midend::body_value& value = body_.values[v];
    const auto operands = body_.operands_of(v);
    if (value.info.code == midend::operation::select) {
      return it_.values[operands[it_.values[operands[0]] == 1 ? 1 : 2]];
    }
    std::vector<std::uint64_t> args;
    for (const midend::body_id operand : operands) {
      if (!it_.values[operand].has_value()) {
        return std::nullopt;
      }
      args.push_back(*it_.values[operand]);
    }
    if (value.info.code != midend::operation::other) {
      const midend::evaluation found = midend::evaluate(value.info, args);
      return found ? result(found.bits) : std::nullopt;
    }
    const midend::elbrus::value_record& record = p_.value(value.origin);
    if (args.size() != p_.arguments(value.origin).size()) {
      return std::nullopt;
    }
    if (record.guarded) {
      args.push_back(record.guard_negated ? 0 : 1);
      args.resize(p_.operands(value.origin).size());
    }
    return midend::elbrus::fold(p_, value.origin, args);
  }

  std::uint64_t address(const midend::body_access& a) const {
    std::uint64_t sum = it_.values[a.base].value_or(0) + static_cast<std::uint64_t>(a.offset);
    if (a.index != midend::no_body_value) {
      const unsigned unused = 64u - body_.values[a.index].info.width;
      const auto index = static_cast<std::int64_t>(it_.values[a.index].value_or(0) << unused) >> unused;
      sum += static_cast<std::uint64_t>(index) * static_cast<std::uint64_t>(a.scale);
    }
    return sum;
  }

  const midend::loop_body& body_;
  const midend::elbrus::procedure& p_;
  midend::elbrus::memory& memory_;
  iteration it_;
};

} // namespace midend_tests
