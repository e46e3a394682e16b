/// What unrolling saved in which copy, in lines.
#pragma once

#include "midend/config.hpp"
#include "midend/cost/loop_body.hpp"
#include "midend/cost/operation_class.hpp"
#include "midend/cost/unrolled_body.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/viz/unrolling_reasons.hpp"
#include "midend/viz/value_names.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Savings of one kind and value, told in one line.
template <value_names Names> class savings_text {
public:
  savings_text(const loop_body& body, const Names& names) : body_(body), names_(names) {}

  std::vector<std::string> lines(std::span<const unrolling_saving> savings) const {
    std::vector<unrolling_saving> sorted(savings.begin(), savings.end());
    const auto key = [](const unrolling_saving& s) {
      return std::tuple(s.kind, s.value, lists_results(s.kind) ? 0 : s.result);
    };
    std::sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) {
      return std::tuple(key(a), a.copy, a.result) < std::tuple(key(b), b.copy, b.result);
    });
    std::vector<std::string> out;
    for (std::size_t first = 0, last; first != sorted.size(); first = last) {
      last = first + 1;
      while (last != sorted.size() && key(sorted[last]) == key(sorted[first])) {
        ++last;
      }
      out.push_back(line(std::span<const unrolling_saving>(sorted).subspan(first, last - first)));
    }
    return out;
  }

private:
  /// Constants differ from copy to copy, and stand in one line.
  static bool lists_results(saving_kind k) { return k == saving_kind::folded; }

  std::string line(std::span<const unrolling_saving> group) const {
    std::vector<std::uint32_t> copies;
    for (const unrolling_saving& s : group) {
      if (copies.empty() || copies.back() != s.copy) {
        copies.push_back(s.copy);
      }
    }
    return (copies.size() == 1 ? "copy " : "copies ") + ranges_text(copies) + ": " + what(group);
  }

  std::string what(std::span<const unrolling_saving> group) const {
    const unrolling_saving& s = group.front();
    const std::string name = name_of_value(s.value);
    const std::string source = " copy " + std::to_string(s.result);
    switch (s.kind) {
    case saving_kind::folded:
      return name + " is " + results(group);
    case saving_kind::folded_test:
      return "test " + name + " is " + (s.result != 0 ? "true" : "false");
    case saving_kind::removed_exit_test:
      return "exit test " + name + " is dropped";
    case saving_kind::shared_expression:
      return name + " is that of" + source;
    case saving_kind::shared_load:
      return name + " was loaded by" + source;
    case saving_kind::forwarded_load:
      return name + " was stored by" + source;
    case saving_kind::dead_operation:
      return name + " is not needed";
    default:
      return name + " keeps its value, no move";
    }
  }

  /// The constants, the first of them if there are many.
  std::string results(std::span<const unrolling_saving> group) const {
    constexpr std::size_t most = 8;
    std::string text = number(group.front());
    const bool differ =
        std::any_of(group.begin(), group.end(), [&](const auto& s) { return s.result != group.front().result; });
    for (std::size_t i = 1; differ && i < group.size(); ++i) {
      if (i == most) {
        return text + ", ...";
      }
      text += ", " + number(group[i]);
    }
    return text;
  }

  /// A constant of a width, with its sign.
  std::string number(const unrolling_saving& s) const {
    const unsigned width = body_.values[s.value].info.width;
    if (width <= 1 || width > 64) {
      return std::to_string(s.result);
    }
    const unsigned above = 64 - width;
    return std::to_string(static_cast<std::int64_t>(s.result << above) >> above);
  }

  std::string name_of_value(body_id v) const {
    const body_value& value = body_.values[v];
    const std::string name = value.origin == no_value ? std::string() : std::string(names_.value(value.origin));
    return name.empty() ? name_of(value.cost) : name;
  }

  const loop_body& body_;
  const Names& names_;
};

} // namespace detail

MIDEND_END_NAMESPACE
