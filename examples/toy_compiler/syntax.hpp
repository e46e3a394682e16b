// The language as a tree, and its parser.
#pragma once
#include <midend/ir/operation.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
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
  explicit parser(const char* text) : begin_(text), at_(text) {}

  procedure read() {
    procedure p = {.name = word()};
    expect("(");
    while (!accept(")")) {
      const std::string name = word();
      if (has(p.arrays, name) || has(p.numbers, name)) {
        fail("another name");
      }
      (accept("[]") ? p.arrays : p.numbers).push_back(name);
      accept(",");
    }
    expect("{");
    arrays_ = p.arrays;
    p.body = statements();
    p.result = operations(1);
    expect(";");
    expect("}");
    if (next() != 0) {
      fail("the end");
    }
    return p;
  }

private:
  // Up to `return` or the end of the block. The parser is recursive, so there are limits: no source overflows the
  // stack.
  std::vector<statement> statements() {
    std::vector<statement> out;
    if (++blocks_ > 1000) {
      fail("fewer blocks in each other");
    }
    while (next() != '}') {
      parts_ = 0;
      statement s = {.name = word()};
      if (s.name == "return") {
        break;
      }
      if (s.name == "while" || s.name == "if") {
        s.value = condition();
        expect("{");
        s.body = statements();
        expect("}");
      } else {
        if (has(arrays_, s.name)) {
          fail("a variable");
        }
        expect("=");
        s.value = operations(1);
        expect(";");
      }
      out.push_back(std::move(s));
    }
    --blocks_;
    return out;
  }

  // One comparison: they stand in conditions only.
  expression condition() {
    expression out = operations(0);
    if (!midend::is_comparison(out.code)) {
      fail("a comparison");
    }
    return out;
  }

  expression operations(int above) {
    struct binary_operator {
      int level;
      const char* text;
      midend::operation code;
    };
    using enum midend::operation;
    static constexpr binary_operator all[] = {{1, "<", less}, {1, "==", equal}, {1, "!=", not_equal},
                                              {2, "+", add},  {2, "-", sub},    {3, "*", mul}};
    if (++parts_ > 1000) {
      fail("fewer operators and parentheses");
    }
    expression left = operand();
    for (std::size_t i = 0; i != std::size(all);) {
      if (all[i].level > above && accept(all[i].text)) {
        left = {.kind = expression::binary, .code = all[i].code, .parts = {left, operations(all[i].level)}};
        i = all[i].level == 1 ? std::size(all) : 0;
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
      out.value = number();
    } else {
      out = {.kind = expression::variable, .name = word()};
      if (has(arrays_, out.name)) {
        expect("[");
        out.kind = expression::element;
        out.parts.push_back(operations(1));
        expect("]");
      }
    }
    return out;
  }

  static bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  }

  std::uint32_t number() {
    std::uint64_t out = 0;
    for (const char digit : word()) {
      out = 10 * out + static_cast<std::uint64_t>(digit - '0');
      if (std::isdigit(static_cast<unsigned char>(digit)) == 0 || out > UINT32_MAX) {
        fail("the end of a number of 32 bits");
      }
    }
    return static_cast<std::uint32_t>(out);
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
    std::fprintf(stderr, "line %td: expected %s before: %.20s\n", 1 + std::count(begin_, at_, '\n'), wanted, at_);
    std::exit(1);
  }

  const char* begin_;
  const char* at_;
  std::vector<std::string> arrays_ = {};
  int blocks_ = 0; // that are open
  int parts_ = 0;  // of the statement
};
