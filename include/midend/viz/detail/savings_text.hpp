/// What unrolling saved in which copy, in lines.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/viz/unrolling_reasons.hpp"
#include "midend/viz/value_names.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Tells together what happened to one value in several copies, and to several values in the same copies.
template <value_names Names> class savings_text {
public:
  savings_text(const loop_body& body, const Names& names) : body_(body), names_(names) {}

  /// A line for each group, by kind of saving, then by value. What becomes of a condition is told of its test alone.
  std::vector<std::string> lines(std::span<const unrolling_saving> savings) const {
    by_value_map by_value;
    for (const unrolling_saving& s : savings) {
      by_value[{s.kind, s.value}].push_back(s);
    }
    std::vector<group> groups;
    for (auto& [key, all] : by_value) {
      std::sort(all.begin(), all.end(),
                [](const auto& a, const auto& b) { return std::pair(a.copy, a.result) < std::pair(b.copy, b.result); });
      const bool is_of_condition = by_value.contains({saving_kind::folded_test, key.second}) ||
                                   by_value.contains({saving_kind::removed_exit_test, key.second});
      const bool is_told =
          is_of_condition && (key.first == saving_kind::folded || key.first == saving_kind::dead_operation);
      if (!is_told) {
        add_value(groups, all);
      }
    }
    std::vector<std::string> out;
    for (const group& g : groups) {
      out.push_back(g.kind == saving_kind::vanished_phi ? what(g) : copies_text(g) + ": " + what(g));
    }
    return out;
  }

private:
  using by_value_map = std::map<std::pair<saving_kind, body_id>, std::vector<unrolling_saving>>;

  struct group {
    saving_kind kind = saving_kind::folded;
    std::string how; ///< which constants, or from where
    std::vector<std::uint32_t> copies;
    std::string values;
  };

  /// The savings of one kind at one value: a group for each result, ascending. Where another copy has computed it,
  /// copies are named or counted from here, whichever gives fewer groups.
  void add_value(std::vector<group>& groups, const std::vector<unrolling_saving>& savings) const {
    std::map<std::uint64_t, group> by_result;
    std::map<std::uint64_t, group> by_distance;
    for (const unrolling_saving& s : savings) {
      const std::uint64_t distance = s.copy - s.result;
      add_copy(by_result[s.kind == saving_kind::folded ? 0 : s.result], s, how(s, savings));
      add_copy(by_distance[distance], s,
               std::to_string(distance) + (distance == 1 ? " copy before" : " copies before"));
    }
    const bool counts = names_a_copy(savings[0].kind) && by_distance.size() < by_result.size();
    for (auto& [result, g] : counts ? by_distance : by_result) {
      add_group(groups, std::move(g));
    }
  }

  void add_copy(group& g, const unrolling_saving& s, const std::string& how) const {
    g.kind = s.kind;
    g.how = how;
    g.values = name_of_value(s.value);
    if (g.copies.empty() || g.copies.back() != s.copy) {
      g.copies.push_back(s.copy);
    }
  }

  /// To a group that says the same of the same copies, if there is one.
  static void add_group(std::vector<group>& groups, group g) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const group& other) {
      return std::tie(other.kind, other.how, other.copies) == std::tie(g.kind, g.how, g.copies);
    });
    if (same == groups.end()) {
      groups.push_back(std::move(g));
    } else {
      same->values += ", " + g.values;
    }
  }

  static bool names_a_copy(saving_kind k) {
    return k == saving_kind::shared_expression || k == saving_kind::shared_load || k == saving_kind::forwarded_load;
  }

  std::string how(const unrolling_saving& s, std::span<const unrolling_saving> savings) const {
    if (names_a_copy(s.kind)) {
      return "by copy " + std::to_string(s.result);
    }
    return s.kind == saving_kind::folded        ? constants(savings)
           : s.kind == saving_kind::folded_test ? (s.result != 0 ? "true" : "false")
                                                : std::string();
  }

  static std::string copies_text(const group& g) {
    return (g.copies.size() == 1 ? "copy " : "copies ") + ranges_text(g.copies);
  }

  static std::string what(const group& g) {
    switch (g.kind) {
    case saving_kind::folded:
      return g.values + " = " + g.how;
    case saving_kind::folded_test:
      return "test of " + g.values + " always " + g.how;
    case saving_kind::removed_exit_test:
      return "no exit test " + g.values;
    case saving_kind::shared_expression:
      return g.values + " as computed " + g.how;
    case saving_kind::shared_load:
      return g.values + " as loaded " + g.how;
    case saving_kind::forwarded_load:
      return g.values + " as stored " + g.how;
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
