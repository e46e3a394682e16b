/// What a loop with memory and calls does iteration by iteration, and what an unrolled body does, by its definition.
#pragma once

#include "kit/body_simulator.hpp"

#include <midend/induction/loop_body.hpp>
#include <midend/unrolling/copies/unrolled_body.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace midend_tests {

/// Bytes by address; those that were never written are as arbitrary as the address.
class byte_memory {
public:
  std::uint64_t read(std::uint64_t address, std::uint32_t bytes) const {
    std::uint64_t out = 0;
    for (std::uint32_t i = 0; i != bytes; ++i) {
      const auto found = bytes_.find(address + i);
      const std::uint64_t byte = found != bytes_.end() ? found->second : at_first(address + i);
      out |= byte << (8 * i);
    }
    return out;
  }

  void write(std::uint64_t address, std::uint32_t bytes, std::uint64_t value) {
    for (std::uint32_t i = 0; i != bytes; ++i) {
      const auto byte = static_cast<std::uint8_t>(value >> (8 * i));
      if (byte == at_first(address + i)) {
        bytes_.erase(address + i); // equal memory has equal bytes, written or not
      } else {
        bytes_[address + i] = byte;
      }
    }
  }

  friend bool operator==(const byte_memory&, const byte_memory&) = default;

private:
  static std::uint8_t at_first(std::uint64_t address) {
    return static_cast<std::uint8_t>(address * 0x9e3779b97f4a7c15 >> 56);
  }

  std::map<std::uint64_t, std::uint8_t> bytes_; ///< those that are not as at first
};

/// What operations without a word compute.
inline std::uint64_t strange(std::uint32_t identity, std::uint64_t a, std::uint64_t b, unsigned width) {
  return ((a ^ identity) * 0x2545f491 + b) & midend::low_ones(width);
}

/// All that a loop changes outside.
struct loop_effects {
  byte_memory memory;
  std::uint64_t calls = 0;

  /// A call reads memory and writes it, and no two are the same.
  std::uint64_t call(std::span<const std::uint64_t> arguments, unsigned width) {
    std::uint64_t sum = ++calls;
    for (const std::uint64_t a : arguments) {
      sum = sum * 31 + a;
    }
    memory.write(0x1000, 8, memory.read(0x1000, 8) + sum);
    return sum & midend::low_ones(width);
  }

  friend bool operator==(const loop_effects&, const loop_effects&) = default;
};

class loop_world final : public body_world {
public:
  loop_effects effects;

  explicit loop_world(const midend::loop_body& body) : body_(body) {}

  maybe_number load(midend::body_id load, std::uint64_t address) override {
    return effects.memory.read(address, bytes_of(load)) & midend::low_ones(body_.values[load].info.width);
  }

  void store(midend::body_id store, std::uint64_t address, std::uint64_t bits) override {
    effects.memory.write(address, bytes_of(store), bits);
  }

  maybe_number call(midend::body_id call, std::span<const std::uint64_t> arguments) override {
    return effects.call(arguments, body_.values[call].info.width);
  }

  maybe_number other(midend::body_id operation, std::span<const std::uint64_t> arguments) override {
    const midend::body_value& value = body_.values[operation];
    return strange(value.identity, arguments[0], arguments[1], value.info.width);
  }

private:
  std::uint32_t bytes_of(midend::body_id access) const { return body_.accesses[body_.values[access].access].bytes; }

  const midend::loop_body& body_;
};

/// One iteration, as it went.
struct iteration_record {
  std::vector<maybe_number> values; ///< by value of the body; nothing where it did not run
  std::vector<bool> runs;           ///< by block
  loop_effects before;
  std::optional<std::uint32_t> left_by; ///< an edge
};

/// The iterations of a loop from its entry until it leaves, but at most `limit`, and without one that has no meaning.
struct recorded_loop {
  std::vector<iteration_record> iterations;
  loop_effects effects; ///< of them all

  recorded_loop(const midend::loop_body& body, std::span<const std::uint64_t> invariants, std::size_t limit) {
    loop_world world(body);
    body_simulator simulator(body, world);
    simulator.enter(invariants);
    auto end = iteration_end::bottom;
    while (end == iteration_end::bottom && iterations.size() != limit) {
      end = simulator.run_iteration();
      if (end == iteration_end::without_meaning) {
        return;
      }
      iterations.push_back({simulator.values(), simulator.runs(), std::exchange(effects, world.effects), std::nullopt});
      if (end == iteration_end::left) {
        iterations.back().left_by = simulator.exit();
      } else {
        simulator.begin_next();
      }
    }
  }
};

/// Runs an unrolled body once.
class unrolled_simulator {
public:
  loop_effects effects;
  std::vector<maybe_number> nodes;
  std::optional<std::size_t> left_by; ///< place in `exits`
  bool is_without_meaning = false;    ///< an effect or exit depends on what may be anything

  /// `before` are the values of the body when the first copy begins: of phis and of what comes from outside.
  unrolled_simulator(const midend::unrolled_body& body, const std::vector<maybe_number>& before, loop_effects at)
      : effects(std::move(at)), body_(body) {
    std::size_t exit = 0;
    for (midend::unrolled_id n = 0;; ++n) {
      for (; exit != body.exits.size() && body.exits[exit].position == n; ++exit) {
        const maybe_number p = nodes[body.exits[exit].predicate];
        if (!p) {
          is_without_meaning = true;
          return;
        }
        if ((*p != 0) != body.exits[exit].negated) {
          left_by = exit;
          return;
        }
      }
      if (n == body.values.size()) {
        return;
      }
      const midend::unrolled_node& node = body.values[n];
      nodes.push_back(node.kind == midend::body_kind::phi || node.kind == midend::body_kind::invariant
                          ? before[node.origin]
                          : value(n, node));
      if (is_without_meaning) {
        return;
      }
    }
  }

  maybe_number value_of(const midend::unrolled_operand& o) const {
    const maybe_number base = nodes[o.node];
    return base ? maybe_number((*base + o.addend) & midend::low_ones(body_.values[o.node].info.width)) : base;
  }

private:
  maybe_number value(midend::unrolled_id n, const midend::unrolled_node& node) {
    if (node.guard != midend::no_unrolled) {
      const maybe_number guard = nodes[node.guard];
      if (!guard) {
        is_without_meaning = true;
        return std::nullopt;
      }
      if ((*guard != 0) == node.guard_negated) {
        return std::nullopt;
      }
    }
    if (node.kind == midend::body_kind::pure && node.access != midend::no_unrolled) {
      return std::nullopt; // a store that is overwritten
    }
    operand_values args;
    for (const midend::unrolled_operand& o : body_.operands_of(n)) {
      args.push_back(value_of(o));
    }
    switch (node.kind) {
    case midend::body_kind::constant:
      return node.bits;
    case midend::body_kind::load:
    case midend::body_kind::store:
      return access(node);
    case midend::body_kind::call:
      is_without_meaning = !args.are_known();
      return is_without_meaning ? std::nullopt : maybe_number(effects.call(args.numbers(), node.info.width));
    default:
      if (node.info.code == midend::operation::bit_and && node.info.width == 1 && (args[0] == 0 || args[1] == 0)) {
        return 0; // a bit that may be anything does not matter then
      }
      return evaluate_maybe(node.info, args, [&](std::span<const std::uint64_t> a) {
        return strange(node.identity, a[0], a[1], node.info.width);
      });
    }
  }

  maybe_number access(const midend::unrolled_node& node) {
    const midend::unrolled_access& a = body_.accesses[node.access];
    const maybe_number base = nodes[a.base];
    const maybe_number index = a.index == midend::no_unrolled ? maybe_number(0) : nodes[a.index];
    const bool stores = node.kind == midend::body_kind::store;
    const maybe_number stored = stores ? value_of(a.stored) : 0;
    if (!base || !index || !stored) {
      is_without_meaning = stores; // a load that runs early may be of any address
      return std::nullopt;
    }
    const unsigned width = a.index == midend::no_unrolled ? 64 : body_.values[a.index].info.width;
    const std::uint64_t address =
        *base + static_cast<std::uint64_t>(midend::as_signed(*index, width)) * static_cast<std::uint64_t>(a.scale) +
        static_cast<std::uint64_t>(a.offset);
    if (stores) {
      effects.memory.write(address, a.bytes, *stored);
      return std::nullopt;
    }
    return effects.memory.read(address, a.bytes) & midend::low_ones(node.info.width);
  }

  const midend::unrolled_body& body_;
};

} // namespace midend_tests
