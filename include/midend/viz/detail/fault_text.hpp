/// `fault_text`: the line that says what a checker found, and where.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/viz/value_names.hpp"
#include "midend/viz/words.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Adds what a fault names: `; v9, edge 3`.
class named_places {
public:
  explicit named_places(std::string& out) : out_(out) {}

  void add(std::string_view which, const std::string& name) {
    out_ += joined({separator_, which, name});
    separator_ = ", ";
  }

private:
  std::string& out_;
  std::string_view separator_ = "; ";
};

/// `block 4: an edge may be taken; v9, edge 3`. Ids that are none are left out.
template <class Names>
std::string fault_text(std::string_view fault, const Names& names, node_id n, std::initializer_list<value_id> values,
                       edge_id e = no_edge) {
  std::string out = n == no_node ? std::string() : std::string(names.node(n)) + ": ";
  out += fault;
  named_places places(out);
  for (const value_id v : values) {
    if (v != no_value) {
      places.add("", std::string(names.value(v)));
    }
  }
  if constexpr (flow_names<Names>) {
    if (e != no_edge) {
      places.add("", std::string(names.edge(e)));
    }
  }
  return out;
}

/// Of a verdict that names a node and a value.
template <class Verdict, class Names> std::string verdict_text(const Verdict& verdict, const Names& names) {
  return verdict ? std::string("certified") : fault_text(to_text(verdict.fault), names, verdict.node, {verdict.value});
}

/// `certified`, with the number of things that the certificate assumes.
inline std::string certified_text(std::uint64_t count, std::string_view what, std::string_view how) {
  return count == 0 ? std::string("certified") : joined({"certified; ", counted_text(count, what), " ", how});
}

} // namespace detail

MIDEND_END_NAMESPACE
