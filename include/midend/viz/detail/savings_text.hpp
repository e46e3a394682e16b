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

/// Tells together what happened to one value in several copies, and to several values in the same copies.
template <value_names Names> class savings_text {
public:
  savings_text(const loop_body& body, const Names& names) : body_(body), names_(names) {}

  /// A line for each group, by kind of saving, then by value.
  std::vector<std::string> lines(std::span<const unrolling_saving> savings) const {
    std::vector<std::string> out;
    for (const group& g : groups_of(savings)) {
      out.push_back(g.kind == saving_kind::vanished_phi ? what(g) : copies_text(g) + ": " + what(g));
    }
    return out;
  }

private:
  struct group {
    saving_kind kind;
    std::uint64_t result;
    std::vector<std::uint32_t> copies;
    std::string values;
    std::string constants;
  };

  std::vector<group> groups_of(std::span<const unrolling_saving> savings) const {
    std::vector<unrolling_saving> sorted(savings.begin(), savings.end());
    // The constants of a value differ from copy to copy, and stand in one line.
    const auto key = [](const unrolling_saving& s) {
      return std::tuple(s.kind, s.value, s.kind == saving_kind::folded ? 0 : s.result);
    };
    std::sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) {
      return std::tuple(key(a), a.copy, a.result) < std::tuple(key(b), b.copy, b.result);
    });
    std::vector<group> groups;
    for (std::size_t first = 0, last; first != sorted.size(); first = last) {
      last = first + 1;
      while (last != sorted.size() && key(sorted[last]) == key(sorted[first])) {
        ++last;
      }
      add(groups, group_of(std::span<const unrolling_saving>(sorted).subspan(first, last - first)));
    }
    return groups;
  }

  group group_of(std::span<const unrolling_saving> savings) const {
    const unrolling_saving& s = savings.front();
    group g{s.kind, s.result, {}, name_of_value(s.value), {}};
    for (const unrolling_saving& one : savings) {
      if (g.copies.empty() || g.copies.back() != one.copy) {
        g.copies.push_back(one.copy);
      }
    }
    if (s.kind == saving_kind::folded) {
      g.constants = constants(savings);
    }
    return g;
  }

  /// To a group of the same kind and copies, if there is one.
  static void add(std::vector<group>& groups, group g) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const group& other) {
      return std::tie(other.kind, other.copies, other.constants) == std::tie(g.kind, g.copies, g.constants) &&
             (g.kind == saving_kind::folded || other.result == g.result);
    });
    if (same == groups.end()) {
      groups.push_back(std::move(g));
    } else {
      same->values += ", " + g.values;
    }
  }

  static std::string copies_text(const group& g) {
    return (g.copies.size() == 1 ? "copy " : "copies ") + ranges_text(g.copies);
  }

  static std::string what(const group& g) {
    const std::string source = " copy " + std::to_string(g.result);
    switch (g.kind) {
    case saving_kind::folded:
      return g.values + " = " + g.constants;
    case saving_kind::folded_test:
      return "test of " + g.values + " always " + (g.result != 0 ? "true" : "false");
    case saving_kind::removed_exit_test:
      return "no exit test " + g.values;
    case saving_kind::shared_expression:
      return g.values + " of" + source;
    case saving_kind::shared_load:
      return g.values + " as loaded by" + source;
    case saving_kind::forwarded_load:
      return g.values + " as stored by" + source;
    case saving_kind::dead_operation:
      return "no " + g.values;
    default:
      return "no move of " + g.values + ", the same after each pass";
    }
  }

  /// One number if all are the same, else the first of them.
  std::string constants(std::span<const unrolling_saving> savings) const {
    constexpr std::size_t most = 8;
    std::string text = number(savings.front());
    const bool differ = std::any_of(savings.begin(), savings.end(),
                                    [&](const unrolling_saving& s) { return s.result != savings.front().result; });
    for (std::size_t i = 1; differ && i < savings.size(); ++i) {
      if (i == most) {
        return text + ", ...";
      }
      text += ", " + number(savings[i]);
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
