/// Where the checks of a procedure put what they find.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/wording.hpp"
#include "midend/elbrus/diagnostic.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/graph/concepts.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Errors of one procedure. What was read from a file is known by its place there; else the message ends with where it
/// is.
class error_list {
public:
  error_list(const procedure& p, std::vector<diagnostic>& out) : p_(p), out_(out), first_(out.size()) {}

  /// Whether there is none yet.
  bool empty() const { return out_.size() == first_; }

  void of_procedure(std::initializer_list<std::string_view> words) { add(p_.location(), joined(words), {}); }

  void of_node(node_id n, std::initializer_list<std::string_view> words) {
    add(p_.node(n).location, joined(words), ", node " + spelled_node(p_, n));
  }

  void of_value(value_id v, std::initializer_list<std::string_view> words) {
    const value_record& record = p_.value(v);
    const bool in_node = record.kind == value_kind::operation && record.node < p_.num_nodes();
    add(record.location, joined(words),
        in_node ? joined({", node ", spelled_node(p_, record.node), ", ", spelled_operation(p_, v)}) : std::string());
  }

private:
  void add(source_location location, std::string message, std::string_view place) {
    if (location == source_location()) {
      message += " (in @";
      message += p_.name();
      message += place;
      message += ')';
    }
    out_.push_back({location, std::move(message)});
  }

  const procedure& p_;
  std::vector<diagnostic>& out_;
  std::size_t first_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
