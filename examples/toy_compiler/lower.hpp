// From the tree to code in SSA form.
#pragma once
#include "code.hpp"
#include "syntax.hpp"

#include <midend/ir/operation_class.hpp>
#include <midend/ssa/on_the_fly_ssa.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

class lowering {
public:
  explicit lowering(code& c) : code_(c), ssa_(c) {}

  void run(const procedure& p) {
    here_ = code_.add_node();
    ssa_.seal(here_);
    for (const std::string& name : p.arrays) {
      ssa_.write_variable(variable(name), here_, code_.add({.kind = instruction::array, .width = 64}));
    }
    for (const std::string& name : p.numbers) {
      ssa_.write_variable(variable(name), here_, code_.add({.kind = instruction::argument}));
    }
    lower(p.body);
    const value_id result = lower(p.result);
    add({.kind = instruction::result, .operands = {result}});
  }

private:
  void lower(const std::vector<statement>& body) {
    for (const statement& s : body) {
      if (s.name == "if") {
        const auto [then, after] = branch(s.value);
        ssa_.seal(then);
        here_ = then;
        lower(s.body);
        jump(after);
        ssa_.seal(after);
        here_ = after;
      } else if (s.name == "while") {
        const node_id header = code_.add_node();
        jump(header);
        here_ = header; // not sealed: the edge from the end of the body is still to come
        const auto [first, after] = branch(s.value);
        ssa_.seal(first);
        here_ = first;
        lower(s.body);
        jump(header);
        ssa_.seal(header);
        ssa_.seal(after);
        here_ = after;
      } else {
        ssa_.write_variable(variable(s.name), here_, lower(s.value));
      }
    }
  }

  value_id lower(const expression& e) {
    switch (e.kind) {
    case expression::number:
      return code_.add({.kind = instruction::number, .value = e.value});
    case expression::variable:
      return ssa_.read_variable(variable(e.name), here_);
    case expression::element: {
      const value_id array = ssa_.read_variable(variable(e.name), here_);
      const value_id index = lower(e.parts[0]);
      return add({.kind = instruction::load, .operands = {array, index}});
    }
    default: {
      const value_id left = lower(e.parts[0]);
      const value_id right = lower(e.parts[1]);
      const std::uint8_t width = midend::is_comparison(e.code) ? 1 : 32;
      return add({.kind = instruction::compute, .operands = {left, right}, .code = e.code, .width = width});
    }
    }
  }

  value_id add(instruction i) {
    i.node = here_;
    return code_.add(i);
  }

  void jump(node_id to) {
    add({.kind = instruction::branch});
    code_.add_edge(here_, to);
  }

  struct targets {
    node_id then, otherwise;
  };

  targets branch(const expression& condition) {
    const value_id c = lower(condition);
    add({.kind = instruction::branch, .operands = {c}});
    const node_id then = code_.add_node();
    const node_id otherwise = code_.add_node();
    code_.add_edge(here_, then);
    code_.add_edge(here_, otherwise);
    return {then, otherwise};
  }

  variable_id variable(const std::string& name) {
    return variables_.try_emplace(name, static_cast<variable_id>(variables_.size())).first->second;
  }

  code& code_;
  midend::on_the_fly_ssa<code> ssa_;
  std::map<std::string, variable_id> variables_;
  node_id here_ = 0;
};

inline code compiled(const procedure& p) {
  code out;
  lowering(out).run(p);
  return out;
}
