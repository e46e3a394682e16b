/// What a loop body does iteration by iteration, and what an unrolled body does, both by their definitions.
#pragma once

#include <midend/cost/loop_body.hpp>
#include <midend/cost/unrolled_body.hpp>
#include <midend/ir/evaluate.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace midend_tests {

/// A number, or what a broken promise or an impossible operation leaves: anything.
using maybe_number = std::optional<std::uint64_t>;

/// Bytes by address; those that were never written are as arbitrary as the address.
class byte_memory {
public:
  std::uint64_t read(std::uint64_t address, std::uint32_t bytes) const {
    std::uint64_t out = 0;
    for (std::uint32_t i = 0; i != bytes; ++i) {
      const auto found = bytes_.find(address + i);
      const std::uint64_t byte = found != bytes_.end() ? found->second : (address + i) * 0x9e3779b97f4a7c15 >> 56;
      out |= byte << (8 * i);
    }
    return out;
  }

  void write(std::uint64_t address, std::uint32_t bytes, std::uint64_t value) {
    for (std::uint32_t i = 0; i != bytes; ++i) {
      bytes_[address + i] = static_cast<std::uint8_t>(value >> (8 * i));
    }
  }

  friend bool operator==(const byte_memory&, const byte_memory&) = default;

private:
  std::map<std::uint64_t, std::uint8_t> bytes_;
};

/// What operations without a word compute.
inline std::uint64_t strange(std::uint32_t identity, std::uint64_t a, std::uint64_t b, unsigned width) {
  return ((a ^ identity) * 0x2545f491 + b) & midend::low_ones(width);
}

/// Of one value; none has more.
struct operand_values {
  std::array<maybe_number, 4> values;
  std::size_t count = 0;

  void push_back(const maybe_number& v) { values[count++] = v; }

  const maybe_number& operator[](std::size_t i) const { return values[i]; }

  const maybe_number* begin() const { return values.data(); }

  const maybe_number* end() const { return values.data() + count; }
};

inline maybe_number evaluate_maybe(const midend::operation_info& info, std::uint32_t identity,
                                   const operand_values& args) {
  if (info.code == midend::operation::select) {
    return !args[0] ? std::nullopt : *args[0] != 0 ? args[1] : args[2];
  }
  std::array<std::uint64_t, 4> numbers{};
  for (std::size_t i = 0; i != args.count; ++i) {
    if (!args[i]) {
      return std::nullopt;
    }
    numbers[i] = *args[i];
  }
  if (info.code == midend::operation::other) {
    return strange(identity, numbers[0], numbers[1], info.width);
  }
  const midend::evaluation e = midend::evaluate(info, std::span(numbers).first(args.count));
  return e ? maybe_number(e.bits) : std::nullopt;
}

/// One iteration, as it went.
struct iteration_record {
  std::vector<maybe_number> values; ///< by value of the body; nothing where it did not run
  std::vector<bool> runs;           ///< by block
  byte_memory before;
  std::uint64_t calls_before = 0;
  std::optional<std::uint32_t> left_by; ///< an edge
};

/// Runs a loop from its entry. Stops where it leaves, after `limit` iterations, or before one that has no meaning: what
/// decides a branch, an address, what is stored or an argument of a call is not known.
class loop_simulator {
public:
  std::vector<iteration_record> iterations;
  byte_memory memory; ///< at the end
  std::uint64_t calls = 0;
  bool is_without_meaning = false; ///< so ended

  loop_simulator(const midend::loop_body& body, const std::vector<std::uint64_t>& outside, std::size_t limit)
      : body_(body) {
    std::vector<maybe_number> phis(body.num_phis);
    values_.assign(body.num_values(), std::nullopt);
    set_outside(outside);
    for (midend::body_id phi = 0; phi != body.num_phis; ++phi) {
      phis[phi] = values_[body.initial(phi)];
    }
    while (iterations.size() != limit) {
      iteration_record record;
      record.before = memory;
      record.calls_before = calls;
      values_.assign(body.num_values(), std::nullopt);
      set_outside(outside);
      std::copy(phis.begin(), phis.end(), values_.begin());
      run_iteration(record);
      if (is_without_meaning) {
        memory = record.before;
        calls = record.calls_before;
        return;
      }
      record.values = values_;
      iterations.push_back(record);
      if (record.left_by) {
        return;
      }
      for (midend::body_id phi = 0; phi != body.num_phis; ++phi) {
        phis[phi] = values_[body.next(phi)];
      }
    }
  }

private:
  void set_outside(const std::vector<std::uint64_t>& outside) {
    for (midend::body_id v = 0; v != body_.num_values(); ++v) {
      if (body_.values[v].kind == midend::body_kind::constant) {
        values_[v] = body_.values[v].bits;
      } else if (body_.values[v].kind == midend::body_kind::invariant) {
        values_[v] = outside[v] & midend::low_ones(body_.values[v].info.width);
      }
    }
  }

  void run_iteration(iteration_record& record) {
    record.runs.assign(body_.blocks.size(), false);
    std::uint32_t at = 0;
    from_ = static_cast<std::uint32_t>(-1);
    for (;;) {
      record.runs[at] = true;
      const midend::body_block& block = body_.blocks[at];
      for (midend::body_id v = block.first_value; v != block.last_value; ++v) {
        values_[v] = value(v);
        if (is_without_meaning) {
          return;
        }
      }
      if (at == body_.bottom()) {
        return;
      }
      const auto edge = taken(block);
      if (!edge) {
        is_without_meaning = true;
        return;
      }
      from_ = *edge;
      at = body_.edges[*edge].target;
      if (at == midend::body_edge::leaves) {
        record.left_by = *edge;
        return;
      }
    }
  }

  std::optional<std::uint32_t> taken(const midend::body_block& b) const {
    if (b.last_edge - b.first_edge == 1) {
      return b.first_edge;
    }
    const maybe_number condition = values_[b.condition];
    if (!condition) {
      return std::nullopt;
    }
    std::optional<std::uint32_t> otherwise;
    for (std::uint32_t e = b.first_edge; e != b.last_edge; ++e) {
      if (!body_.edges[e].has_case) {
        otherwise = e;
      } else if (body_.edges[e].case_value == *condition) {
        return e;
      }
    }
    return otherwise;
  }

  maybe_number value(midend::body_id v) {
    const midend::body_value& value = body_.values[v];
    if (value.guard != midend::no_body_value) {
      const maybe_number guard = values_[value.guard];
      if (!guard) {
        is_without_meaning = true;
        return std::nullopt;
      }
      if ((*guard != 0) == value.guard_negated) {
        return std::nullopt;
      }
    }
    const bool is_join = value.kind == midend::body_kind::join;
    operand_values args;
    for (const midend::body_id o : body_.operands_of(v)) {
      if (!is_join) {
        args.push_back(values_[o]);
      }
    }
    switch (value.kind) {
    case midend::body_kind::join:
      return join(v);
    case midend::body_kind::load:
    case midend::body_kind::store:
      return access(value);
    case midend::body_kind::call:
      return call(value, args);
    default:
      return evaluate_maybe(value.info, value.identity, args);
    }
  }

  maybe_number join(midend::body_id v) const {
    const auto edges = body_.in_edges_of(body_.values[v].block);
    const auto at = std::find(edges.begin(), edges.end(), from_) - edges.begin();
    return values_[body_.operands_of(v)[static_cast<std::size_t>(at)]];
  }

  maybe_number access(const midend::body_value& value) {
    const midend::body_access& a = body_.accesses[value.access];
    const maybe_number base = values_[a.base];
    const maybe_number index = a.index == midend::no_body_value ? maybe_number(0) : values_[a.index];
    const bool stores = value.kind == midend::body_kind::store;
    if (!base || !index || (stores && !values_[a.stored])) {
      is_without_meaning = true;
      return std::nullopt;
    }
    const unsigned width = a.index == midend::no_body_value ? 64 : body_.values[a.index].info.width;
    const std::uint64_t address =
        *base + static_cast<std::uint64_t>(midend::as_signed(*index, width)) * static_cast<std::uint64_t>(a.scale) +
        static_cast<std::uint64_t>(a.offset);
    if (stores) {
      memory.write(address, a.bytes, *values_[a.stored]);
      return std::nullopt;
    }
    return memory.read(address, a.bytes) & midend::low_ones(value.info.width);
  }

  maybe_number call(const midend::body_value& value, const operand_values& args) {
    ++calls;
    std::uint64_t sum = calls;
    for (const maybe_number& a : args) {
      if (!a) {
        is_without_meaning = true;
        return std::nullopt;
      }
      sum = sum * 31 + *a;
    }
    memory.write(0x1000, 8, memory.read(0x1000, 8) + sum);
    return sum & midend::low_ones(value.info.width);
  }

  const midend::loop_body& body_;
  std::vector<maybe_number> values_;
  std::uint32_t from_ = 0;
};

/// Runs an unrolled body once.
class unrolled_simulator {
public:
  byte_memory memory;
  std::uint64_t calls = 0;
  std::vector<maybe_number> nodes;
  std::optional<std::size_t> left_by; ///< place in `exits`
  bool is_without_meaning = false;    ///< an effect or exit depends on what may be anything

  /// `before` are the values of the body when the first copy begins: of phis and of what comes from outside.
  unrolled_simulator(const midend::unrolled_body& body, const std::vector<maybe_number>& before, byte_memory at,
                     std::uint64_t calls_before)
      : memory(std::move(at)), calls(calls_before), body_(body) {
    std::size_t exit = 0;
    for (midend::unrolled_id n = 0;; ++n) {
      for (; exit != body.exits.size() && body.exits[exit].behind == n; ++exit) {
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
      if (n == body.nodes.size()) {
        return;
      }
      const midend::unrolled_node& node = body.nodes[n];
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
    return base ? maybe_number((*base + o.addend) & midend::low_ones(body_.nodes[o.node].info.width)) : base;
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
      return call(node, args);
    default:
      if (node.info.code == midend::operation::bit_and && node.info.width == 1 && (args[0] == 0 || args[1] == 0)) {
        return 0; // a bit that may be anything does not matter then
      }
      return evaluate_maybe(node.info, node.identity, args);
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
    const unsigned width = a.index == midend::no_unrolled ? 64 : body_.nodes[a.index].info.width;
    const std::uint64_t address =
        *base + static_cast<std::uint64_t>(midend::as_signed(*index, width)) * static_cast<std::uint64_t>(a.scale) +
        static_cast<std::uint64_t>(a.offset);
    if (stores) {
      memory.write(address, a.bytes, *stored);
      return std::nullopt;
    }
    return memory.read(address, a.bytes) & midend::low_ones(node.info.width);
  }

  maybe_number call(const midend::unrolled_node& node, const operand_values& args) {
    ++calls;
    std::uint64_t sum = calls;
    for (const maybe_number& a : args) {
      if (!a) {
        is_without_meaning = true;
        return std::nullopt;
      }
      sum = sum * 31 + *a;
    }
    memory.write(0x1000, 8, memory.read(0x1000, 8) + sum);
    return sum & midend::low_ones(node.info.width);
  }

  const midend::unrolled_body& body_;
};

} // namespace midend_tests
