/// `hash_program`: a hash of a flat program.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Mixes one more word into a hash. The multiplication and the shifts, those of a 64-bit finalizer, spread each bit
/// over the whole word.
constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t next) {
  std::uint64_t x = hash * 0x9e37'79b9'7f4a'7c15 + next;
  x = (x ^ (x >> 32)) * 0xd6e8'feb8'6659'fd93;
  return x ^ (x >> 29);
}

} // namespace detail

/// A hash of nodes, edges, cases, operations, operands, literals, facts, accesses, counts, probabilities and hints
/// about trips, in the order of the program. An operation outside the vocabulary equals only copies of the same value
/// of the IR. Unreachable nodes count. Unequal programs can have equal hashes: use the hash where a collision costs no
/// more than a missed optimization. O(n + m + operands).
inline std::uint64_t hash_program(const flat_program& p) {
  std::uint64_t h = p.num_values();
  const auto add = [&](std::uint64_t next) { h = detail::mixed(h, next); };
  const auto& g = p.graph();
  for (node_id n = 0; n != g.num_nodes(); ++n) {
    for (const edge_id e : g.out_edges(n)) {
      add(g.edge_target(e));
      add(std::bit_cast<std::uint64_t>(p.probability(e)));
      for (const number_range& r : p.edge_cases(e)) {
        add(r.low);
        add(r.high);
      }
    }
    const loop_hints hints = p.trip_hints(n);
    add(std::bit_cast<std::uint64_t>(hints.average));
    add(hints.maximum);
    add(hints.multiple);
    add(p.count(n).value_or(~std::uint64_t{0}));
    for (const value_id v : p.values(n)) {
      const operation_info info = p.operation(v);
      add(static_cast<std::uint64_t>(info.code) << 32 | std::uint64_t{info.width} << 16 | info.operand_width);
      if (const auto memory = p.memory(v)) {
        add(static_cast<std::uint64_t>(p.effect(v)) << 32 | memory->bytes);
        add(memory->memory);
        add(std::uint64_t{memory->local} << 32 | memory->scope);
        add(static_cast<std::uint64_t>(memory->scale));
        add(static_cast<std::uint64_t>(memory->offset));
        add(memory->is_volatile ? 1 : 0);
      } else if (!p.is_phi(v) && info.code == operation::other && !p.is_terminator(v)) {
        add(std::uint64_t{p.origin(v)} + 1);
      }
      for (const value_id x : p.operands(v)) {
        add(x);
        const auto c = x == no_value ? std::nullopt : p.constant(x);
        add(c ? *c : 0);
        const auto facts = x == no_value ? std::nullopt : p.facts(x);
        if (facts) {
          add(facts->least);
          add(facts->most);
          add(static_cast<std::uint64_t>(facts->low));
          add(static_cast<std::uint64_t>(facts->high));
          add(facts->modulus);
          add(facts->residue);
        }
      }
    }
  }
  return h;
}

MIDEND_END_NAMESPACE
