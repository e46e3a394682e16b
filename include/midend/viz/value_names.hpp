/// The names of values and nodes in reports.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/support/detail/contract.hpp"

#include <concepts>
#include <cstdint>
#include <string>

MIDEND_BEGIN_NAMESPACE

/// The default names of values, nodes and edges: their numbers. To change some, derive from it, or pass a type with
/// these members.
struct numbered_values {
  std::string value(value_id v) const { return "v" + std::to_string(v); }

  std::string node(node_id n) const { return "block " + std::to_string(n); }

  std::string edge(edge_id e) const { return "edge " + std::to_string(e); }
};

/// `value(v)` and `node(n)` convert to `std::string`.
template <class Names>
concept value_names = requires(const Names& names, std::uint32_t number) {
  { names.value(number) } -> std::convertible_to<std::string>;
  { names.node(number) } -> std::convertible_to<std::string>;
};

/// `edge(e)` converts to `std::string` too.
template <class Names>
concept flow_names = value_names<Names> && requires(const Names& names, std::uint32_t number) {
  { names.edge(number) } -> std::convertible_to<std::string>;
};

namespace detail {

MIDEND_REQUIRED(value_names, "the names of a report need `value(v)` and `node(n)`, each const, which "
                             "return what converts to std::string; derive from midend::numbered_values to "
                             "change one of them");

} // namespace detail

/// For signatures: `value_names`; any other type is an error with a reason.
template <class Names>
concept value_names_argument = value_names<Names> || detail::value_names_row::explain<Names>();

namespace detail {

/// The names of the values and nodes of a function. Hides their type, so that reports are compiled once.
class function_words {
public:
  virtual std::string value(value_id v) const = 0;
  virtual std::string node(node_id n) const = 0;

protected:
  ~function_words() = default;
};

template <value_names Names> class function_words_of final : public function_words {
public:
  explicit function_words_of(const Names& names) : names_(names) {}

  std::string value(value_id v) const override { return names_.value(v); }

  std::string node(node_id n) const override { return names_.node(n); }

private:
  const Names& names_;
};

/// Also names edges.
class flow_words : public function_words {
public:
  virtual std::string edge(edge_id e) const = 0;

protected:
  ~flow_words() = default;
};

template <flow_names Names> class flow_words_of final : public flow_words {
public:
  explicit flow_words_of(const Names& names) : names_(names) {}

  std::string value(value_id v) const override { return names_.value(v); }

  std::string node(node_id n) const override { return names_.node(n); }

  std::string edge(edge_id e) const override { return names_.edge(e); }

private:
  const Names& names_;
};

} // namespace detail

MIDEND_END_NAMESPACE
