#include "kit/body_writer.hpp"

#include <midend/ir/cost.hpp>
#include <midend/ir/evaluate.hpp>

namespace midend_tests {

namespace {

midend::operation_info unknown(unsigned width) {
  return {midend::operation::other, static_cast<std::uint8_t>(width), static_cast<std::uint8_t>(width), {}};
}

} // namespace

midend::body_id body_writer::phi(unsigned width) {
  body_.num_phis += 1;
  return append(midend::body_kind::phi, unknown(width), {midend::no_body_value, midend::no_body_value});
}

void body_writer::set_phi(midend::body_id phi, midend::body_id initial, midend::body_id next) {
  body_.operands[body_.values[phi].first_operand] = initial;
  body_.operands[body_.values[phi].first_operand + 1] = next;
}

midend::body_id body_writer::constant(unsigned width, std::uint64_t bits) {
  const midend::body_id v = append(midend::body_kind::constant, unknown(width), {});
  body_.values[v].bits = bits & midend::low_ones(width);
  return v;
}

midend::body_id body_writer::invariant(unsigned width) {
  return append(midend::body_kind::invariant, unknown(width), {});
}

std::uint32_t body_writer::block() {
  close_block();
  midend::body_block b{};
  b.first_value = static_cast<midend::body_id>(body_.num_values());
  b.first_edge = static_cast<std::uint32_t>(body_.edges.size());
  b.condition = midend::no_body_value;
  b.origin = midend::no_node;
  body_.blocks.push_back(b);
  return body_.bottom();
}

midend::body_id body_writer::op(midend::operation code, unsigned width, const operands& of,
                                midend::operation_flags flags) {
  const unsigned result = midend::is_comparison(code) ? 1 : width;
  const midend::operation_info info{code, static_cast<std::uint8_t>(result),
                                    static_cast<std::uint8_t>(width_of(of.front())), flags};
  const midend::body_id v = append(midend::body_kind::pure, info, of);
  body_.values[v].cost = midend::usual_class(info).value_or(midend::operation_class::alu);
  return v;
}

midend::body_id body_writer::comparison(midend::operation code, unsigned result, midend::body_id a, midend::body_id b) {
  const midend::body_id v = op(code, 1, {a, b});
  body_.values[v].info.width = static_cast<std::uint8_t>(result);
  return v;
}

midend::body_id body_writer::join(const operands& of) {
  return append(midend::body_kind::join, unknown(width_of(of.front())), of);
}

midend::body_id body_writer::load(unsigned width, const midend::body_access& from) {
  return append_access(midend::body_kind::load, width, from);
}

midend::body_id body_writer::load(unsigned width) {
  midend::body_access anywhere{};
  anywhere.base = anywhere.index = anywhere.stored = midend::no_body_value;
  anywhere.memory = midend::any_memory;
  return load(width, anywhere);
}

midend::body_id body_writer::store(const midend::body_access& to) {
  return append_access(midend::body_kind::store, width_of(to.stored), to);
}

midend::body_id body_writer::call(unsigned width, const operands& of) {
  const midend::body_id v = append(midend::body_kind::call, unknown(width), of);
  body_.values[v].cost = midend::operation_class::call;
  return v;
}

void body_writer::branch(midend::body_id condition, std::uint32_t when_true, std::uint32_t when_false) {
  set_condition(condition);
  edge(when_true, true, 1);
  edge(when_false, true, 0);
}

void body_writer::edge(std::uint32_t target, bool has_case, std::uint64_t case_value) {
  body_.edges.push_back({body_.bottom(), target, has_case, case_value, midend::no_node});
}

midend::loop_body body_writer::finish_single(midend::body_id condition, bool goes_on) {
  branch(condition, goes_on ? 1 : leaves, goes_on ? leaves : 1);
  block();
  return finish();
}

midend::loop_body body_writer::finish() {
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

midend::body_id body_writer::append(midend::body_kind kind, const midend::operation_info& info, const operands& of) {
  midend::body_value v{};
  v.kind = kind;
  v.cost = midend::operation_class::alu;
  v.info = info;
  v.guard = midend::no_body_value;
  v.origin = midend::no_value;
  v.block = kind == midend::body_kind::phi ? 0 : body_.blocks.empty() ? midend::no_body_value : body_.bottom();
  v.first_operand = static_cast<std::uint32_t>(body_.operands.size());
  v.num_operands = static_cast<std::uint32_t>(of.size());
  for (const midend::body_id o : of) {
    body_.operands.push_back(o);
  }
  body_.values.push_back(v);
  return static_cast<midend::body_id>(body_.num_values() - 1);
}

midend::body_id body_writer::append_access(midend::body_kind kind, unsigned width, const midend::body_access& access) {
  const midend::body_id v = append(kind, unknown(width), {});
  const bool loads = kind == midend::body_kind::load;
  body_.values[v].cost = loads ? midend::operation_class::load : midend::operation_class::store;
  body_.values[v].access = static_cast<std::uint32_t>(body_.accesses.size());
  body_.accesses.push_back(access);
  return v;
}

void body_writer::close_block() {
  if (!body_.blocks.empty()) {
    body_.blocks.back().last_value = static_cast<midend::body_id>(body_.num_values());
    body_.blocks.back().last_edge = static_cast<std::uint32_t>(body_.edges.size());
  }
}

} // namespace midend_tests
