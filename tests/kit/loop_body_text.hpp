/// Text of loop bodies, for tests: one line for each block and value.
#pragma once

#include "midend/elbrus/opcode.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/viz/value_names.hpp"

#include <string>

namespace midend_tests {

template <midend::value_names Names> class loop_body_writer {
public:
  loop_body_writer(const midend::loop_body& body, const Names& names) : body_(body), names_(names) {}

  std::string run() {
    for (midend::body_id v = 0; v != body_.num_phis; ++v) {
      line("  phi ", v);
    }
    for (midend::body_id v = body_.num_phis; v != body_.num_values() && is_outside(v); ++v) {
      line(body_.values[v].kind == midend::body_kind::constant ? "  constant " : "  invariant ", v);
    }
    for (std::uint32_t b = 0; b != body_.blocks.size(); ++b) {
      block(b);
    }
    list(" live out", body_.live_out);
    text_ += "\n";
    return text_;
  }

private:
  bool is_outside(midend::body_id v) const {
    return body_.values[v].kind == midend::body_kind::constant || body_.values[v].kind == midend::body_kind::invariant;
  }

  static std::string number(midend::body_id v) { return v == midend::no_body_value ? "-" : std::to_string(v); }

  template <class Ids> void list(const char* title, const Ids& ids) {
    text_ += title;
    for (const midend::body_id v : ids) {
      text_ += " " + number(v);
    }
  }

  void line(const std::string& what, midend::body_id v) {
    const midend::body_value& value = body_.values[v];
    text_ += std::to_string(v) + what;
    if (value.kind == midend::body_kind::constant) {
      text_ += std::to_string(value.bits);
    } else {
      text_ += names_.value(value.origin);
    }
    text_ += " i" + std::to_string(unsigned{value.info.width});
    if (value.num_operands != 0) {
      list(" :", body_.operands_of(v));
    }
    flags(value);
    text_ += "\n";
  }

  void flags(const midend::body_value& value) {
    if (value.kind == midend::body_kind::load || value.kind == midend::body_kind::store) {
      const midend::body_access& a = body_.accesses[value.access];
      text_ += " [" + number(a.base);
      text_ += a.index == midend::no_body_value ? "" : " + " + number(a.index) + "*" + std::to_string(a.scale);
      text_ += " + " + std::to_string(a.offset) + "] " + std::to_string(a.bytes) + " bytes";
      text_ += a.memory == midend::any_memory ? "" : " in " + std::to_string(a.memory);
      text_ += a.stored == midend::no_body_value ? "" : " = " + number(a.stored);
    }
    if (value.guard != midend::no_body_value) {
      text_ += std::string(" if ") + (value.guard_negated ? "~" : "") + number(value.guard);
    }
    text_ += value.is_volatile ? " volatile" : "";
    text_ += value.info.flags.no_signed_wrap ? " nsw" : "";
  }

  /// What a value computes, in the words of the Elbrus-like IR.
  std::string operation_of(const midend::body_value& value) const {
    switch (value.kind) {
    case midend::body_kind::join:
      return "join";
    case midend::body_kind::load:
      return "load";
    case midend::body_kind::store:
      return "store";
    case midend::body_kind::call:
      return "call";
    default:
      break;
    }
    if (value.info.code == midend::operation::other) {
      return "other";
    }
    for (const auto& row : midend::elbrus::opcode_table) {
      if (row.meaning == value.info.code) {
        return std::string(row.name);
      }
    }
    return "?";
  }

  void block(std::uint32_t b) {
    const midend::body_block& block = body_.blocks[b];
    text_ +=
        "block " + std::to_string(b) + " " + (block.origin == midend::no_node ? "bottom" : names_.node(block.origin));
    list(" from", body_.in_edges_of(b));
    text_ += "\n";
    for (midend::body_id v = block.first_value; v != block.last_value; ++v) {
      const midend::body_value& value = body_.values[v];
      line("  " + operation_of(value) + (value.is_free ? "" : std::string(" ") + name_of(value.cost)) + " ", v);
    }
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      const midend::body_edge& edge = body_.edges[e];
      text_ += "  edge " + std::to_string(e);
      if (block.condition != midend::no_body_value) {
        text_ +=
            " if " + number(block.condition) + (edge.has_case ? " is " + std::to_string(edge.case_value) : " else");
      }
      text_ += edge.target == midend::body_edge::leaves ? " leaves to " + names_.node(edge.origin)
                                                        : " to " + std::to_string(edge.target);
      text_ += "\n";
    }
  }

  const midend::loop_body& body_;
  const Names& names_;
  std::string text_;
};

/// One line for each block, value and edge.
template <midend::value_names Names> std::string to_text(const midend::loop_body& body, const Names& names) {
  return loop_body_writer<Names>(body, names).run();
}

} // namespace midend_tests
