// The language as a tree, and its parser.
#pragma once
#include <midend/ir/operation.hpp>

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

struct expression {
  enum { number, variable, element, binary } kind = number;

  std::uint32_t value = 0;                           // of a number
  std::string name = {};                             // of a variable or an array
  midend::operation code = midend::operation::other; // of two parts
  std::vector<expression> parts = {};                // of an element: the index
};

struct statement {
  std::string name = {}; // "if", "while", or the variable that is assigned
  expression value = {}; // of "if" and "while": the condition
  std::vector<statement> body = {};
};

struct procedure {
  std::string name = {};
  std::vector<std::string> arrays = {}, numbers = {}; // parameters
  std::vector<statement> body = {};
  expression result = {};
};

class parser {
public:
  explicit parser(const char* text) : at_(text) {}

  procedure read() {
    procedure p = {.name = word()};
    expect("(");
    while (!accept(")")) {
      const std::string name = word();
      (accept("[]") ? p.arrays : p.numbers).push_back(name);
      accept(",");
    }
    expect("{");
    p.body = statements();
    p.result = operations(1);
    expect(";");
    expect("}");
    return p;
  }

private:
  // Up to `return` or the end of the block.
  std::vector<statement> statements() {
    std::vector<statement> out;
    while (next() != '}') {
      statement s = {.name = word()};
      if (s.name == "return") {
        break;
      }
      if (s.name == "while" || s.name == "if") {
        s.value = operations(0);
        expect("{");
        s.body = statements();
        expect("}");
      } else {
        expect("=");
        s.value = operations(1);
        expect(";");
      }
      out.push_back(s);
    }
    return out;
  }

  // Comparisons bind weakest, and stand in conditions only.
  expression operations(int above) {
    struct binary_operator {
      int level;
      const char* text;
      midend::operation code;
    };
    using enum midend::operation;
    static constexpr binary_operator all[] = {{1, "<", less}, {1, "==", equal}, {1, "!=", not_equal},
                                              {2, "+", add},  {2, "-", sub},    {3, "*", mul}};
    expression left = operand();
    for (std::size_t i = 0; i != std::size(all);) {
      if (all[i].level > above && accept(all[i].text)) {
        left = {.kind = expression::binary, .code = all[i].code, .parts = {left, operations(all[i].level)}};
        i = 0;
      } else {
        ++i;
      }
    }
    return left;
  }

  expression operand() {
    expression out;
    if (accept("(")) {
      out = operations(1);
      expect(")");
    } else if (std::isdigit(next()) != 0) {
      out.value = static_cast<std::uint32_t>(std::strtoul(word().c_str(), nullptr, 10));
    } else {
      out = {.kind = expression::variable, .name = word()};
      if (accept("[")) {
        out.kind = expression::element;
        out.parts.push_back(operations(1));
        expect("]");
      }
    }
    return out;
  }

  unsigned char next() {
    while (std::isspace(static_cast<unsigned char>(*at_)) != 0) {
      ++at_;
    }
    return static_cast<unsigned char>(*at_);
  }

  std::string word() {
    next();
    const char* begin = at_;
    while (std::isalnum(static_cast<unsigned char>(*at_)) != 0) {
      ++at_;
    }
    return begin == at_ ? fail("a word") : std::string(begin, at_);
  }

  bool accept(std::string_view text) {
    next();
    const bool is_there = std::string_view(at_).starts_with(text);
    at_ += is_there ? text.size() : 0;
    return is_there;
  }

  void expect(const char* text) {
    if (!accept(text)) {
      fail(text);
    }
  }

  [[noreturn]] std::string fail(const char* wanted) {
    std::fprintf(stderr, "expected %s before: %.20s\n", wanted, at_);
    std::exit(1);
  }

  const char* at_;
};
