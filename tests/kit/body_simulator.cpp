#include "kit/body_simulator.hpp"

#include <algorithm>

namespace midend_tests {

maybe_number body_world::load(midend::body_id, std::uint64_t) {
  return 0;
}

void body_world::store(midend::body_id, std::uint64_t, std::uint64_t) {}

maybe_number body_world::call(midend::body_id, std::span<const std::uint64_t>) {
  return 0;
}

maybe_number body_world::other(midend::body_id, std::span<const std::uint64_t>) {
  return std::nullopt;
}

body_simulator::body_simulator(const midend::loop_body& body, body_world& world)
    : body_(body), world_(world), values_(body.num_values()), next_(body.num_phis), runs_(body.blocks.size()) {
  for (midend::body_id v = 0; v != body.num_values(); ++v) {
    if (body.values[v].kind == midend::body_kind::constant) {
      values_[v] = body.values[v].bits;
    }
  }
}

void body_simulator::enter(std::span<const std::uint64_t> invariants) {
  std::size_t used = 0;
  for (midend::body_id v = body_.num_phis; v != body_.num_values(); ++v) {
    if (body_.values[v].kind == midend::body_kind::invariant) {
      values_[v] = invariants[used++] & midend::low_ones(body_.values[v].info.width);
    }
  }
  for (midend::body_id phi = 0; phi != body_.num_phis; ++phi) {
    values_[phi] = values_[body_.initial(phi)];
  }
}

iteration_end body_simulator::run_iteration() {
  std::fill(values_.begin() + body_.blocks[0].first_value, values_.end(), std::nullopt);
  runs_.assign(body_.blocks.size(), false);
  has_meaning_ = true;
  for (std::uint32_t b = 0; b != midend::body_edge::leaves; b = body_.edges[came_by_].target) {
    runs_[b] = true;
    if (!run_block(body_.blocks[b])) {
      return iteration_end::without_meaning;
    }
    if (b == body_.bottom()) {
      return iteration_end::bottom;
    }
    const auto edge = taken(body_.blocks[b]);
    if (!edge) {
      return iteration_end::without_meaning;
    }
    came_by_ = *edge;
  }
  return iteration_end::left;
}

void body_simulator::begin_next() {
  for (midend::body_id phi = 0; phi != body_.num_phis; ++phi) {
    next_[phi] = values_[body_.next(phi)];
  }
  std::copy(next_.begin(), next_.end(), values_.begin());
}

bool body_simulator::run_block(const midend::body_block& block) {
  for (midend::body_id v = block.first_value; v != block.last_value && has_meaning_; ++v) {
    values_[v] = value(v);
  }
  return has_meaning_;
}

std::optional<std::uint32_t> body_simulator::taken(const midend::body_block& block) const {
  if (block.last_edge - block.first_edge == 1) {
    return block.first_edge;
  }
  if (block.condition == midend::no_body_value || !values_[block.condition]) {
    return std::nullopt;
  }
  std::optional<std::uint32_t> otherwise;
  for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
    if (!body_.edges[e].has_case) {
      otherwise = e;
    } else if (body_.edges[e].case_value == *values_[block.condition]) {
      return e;
    }
  }
  return otherwise;
}

maybe_number body_simulator::value(midend::body_id v) {
  const midend::body_value& value = body_.values[v];
  if (!is_executed(value)) {
    return std::nullopt;
  }
  switch (value.kind) {
  case midend::body_kind::join:
    return join(v);
  case midend::body_kind::load:
  case midend::body_kind::store:
    return access(v);
  default:
    break;
  }
  operand_values args;
  for (const midend::body_id o : body_.operands_of(v)) {
    args.push_back(values_[o]);
  }
  if (value.kind == midend::body_kind::call) {
    return args.are_known() ? world_.call(v, args.numbers()) : end_of_meaning();
  }
  return evaluate_maybe(value.info, args, [&](std::span<const std::uint64_t> a) { return world_.other(v, a); });
}

bool body_simulator::is_executed(const midend::body_value& value) {
  if (value.guard == midend::no_body_value) {
    return true;
  }
  const maybe_number guard = values_[value.guard];
  has_meaning_ = guard.has_value();
  return guard && (*guard != 0) != value.guard_negated;
}

maybe_number body_simulator::join(midend::body_id v) const {
  const auto edges = body_.in_edges_of(body_.values[v].block);
  for (std::size_t i = 0; i != edges.size(); ++i) {
    if (edges[i] == came_by_) {
      return values_[body_.operands_of(v)[i]];
    }
  }
  return std::nullopt;
}

maybe_number body_simulator::access(midend::body_id v) {
  const midend::body_access& a = body_.accesses[body_.values[v].access];
  const auto part = [&](midend::body_id o) { return o == midend::no_body_value ? maybe_number(0) : values_[o]; };
  const maybe_number base = part(a.base);
  const maybe_number index = part(a.index);
  const maybe_number stored = part(a.stored);
  if (!base || !index || !stored) {
    return end_of_meaning();
  }
  const unsigned width = a.index == midend::no_body_value ? 64 : body_.values[a.index].info.width;
  const std::uint64_t address =
      *base + static_cast<std::uint64_t>(midend::as_signed(*index, width)) * static_cast<std::uint64_t>(a.scale) +
      static_cast<std::uint64_t>(a.offset);
  if (body_.values[v].kind == midend::body_kind::load) {
    return world_.load(v, address);
  }
  world_.store(v, address, *stored);
  return std::nullopt;
}

maybe_number body_simulator::end_of_meaning() {
  has_meaning_ = false;
  return std::nullopt;
}

} // namespace midend_tests
