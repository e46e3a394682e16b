/// `uninitialized_reads`: variables that are read before they are written.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/diagnostic.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"

#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// A read that may come before any write, and a path to it.
struct uninitialized_read {
  value_id variable;
  value_id reader;           ///< the operation
  bool is_certain;           ///< no path to it writes the variable
  std::vector<node_id> path; ///< a shortest one from the entry to the node of the operation

  friend bool operator==(const uninitialized_read&, const uninitialized_read&) = default;
};

/// The reads of variables that are not definitely initialised: some path from the entry reaches them without a write.
/// They are in the order of nodes and operations. A run that takes such a path traps at the read, so later reads of the
/// variable on the path are not reported again.
///
/// All paths count, whatever their conditions, and all operands, whatever the guard. Unreachable nodes are ignored.
/// Cost: two gen/kill problems over the variables (see `gen_kill`), the second only if there is something to report,
/// and O(n + m) for each reported variable.
MIDEND_FUNCTION std::vector<uninitialized_read> uninitialized_reads(const procedure& p);

/// These reads as warnings in words. They are no errors, because a run may never take the path.
MIDEND_FUNCTION std::vector<diagnostic> initialization_warnings(const procedure& p);

} // namespace elbrus

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/dataflow/flow_direction.hpp"
#include "midend/dataflow/flow_facts.hpp"
#include "midend/dataflow/gen_kill.hpp"
#include "midend/elbrus/text/printer.hpp"
#include "midend/elbrus/views/variable_view.hpp"
#include "midend/support/bit_set.hpp"
#include "midend/support/flat_array.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

namespace detail {

/// Variables that some path from the entry neither writes nor reads. A read kills the fact, since a run traps there.
struct untouched_variables {
  static constexpr flow_direction direction = flow_direction::forward;
  static constexpr flow_confluence confluence = flow_confluence::may;

  const variable_view& view;

  std::size_t num_facts() const { return view.num_variables(); }

  template <class Effects> void boundary(node_id, Effects& e) const {
    for (variable_id x = 0; x != num_facts(); ++x) {
      e.gen(x);
    }
  }

  template <class Effects> void effects(node_id n, Effects& e) const {
    for (const statement_id s : view.statements(n)) {
      for (const variable_id x : view.uses(s)) {
        e.kill(x);
      }
      for (const variable_id x : view.definitions(s)) {
        e.kill(x);
      }
    }
  }
};

/// Variables that some path from the entry writes.
struct perhaps_written_variables {
  static constexpr flow_direction direction = flow_direction::forward;
  static constexpr flow_confluence confluence = flow_confluence::may;

  const variable_view& view;

  std::size_t num_facts() const { return view.num_variables(); }

  template <class Effects> void effects(node_id n, Effects& e) const {
    for (const statement_id s : view.statements(n)) {
      for (const variable_id x : view.definitions(s)) {
        e.gen(x);
      }
    }
  }
};

class initialization_check {
public:
  explicit initialization_check(const procedure& p)
      : procedure_(p), view_(p), untouched_(gen_kill(p, untouched_variables{view_})) {}

  std::vector<uninitialized_read> run() {
    touched_in_.assign(view_.num_variables(), no_node);
    for (node_id n = 0; n != procedure_.num_nodes(); ++n) {
      for (const statement_id s : view_.statements(n)) {
        for (const variable_id x : view_.uses(s)) {
          if (touched_in_[x] != n && untouched_.in(n).test(x)) {
            reads_.push_back({procedure_.variables()[x], s, true, {}});
          }
          touched_in_[x] = n;
        }
        for (const variable_id x : view_.definitions(s)) {
          touched_in_[x] = n;
        }
      }
    }
    if (!reads_.empty()) {
      mark_uncertain();
      find_paths();
    }
    return std::move(reads_);
  }

private:
  void mark_uncertain() {
    const auto written = gen_kill(procedure_, perhaps_written_variables{view_});
    for (uninitialized_read& read : reads_) {
      const node_id n = procedure_.core(read.reader).node;
      read.is_certain = !written.in(n).test(procedure_.variable_number(read.variable));
    }
  }

  /// One search for each variable, whatever the number of its reads.
  void find_paths() {
    std::vector<uninitialized_read*> by_variable;
    for (uninitialized_read& read : reads_) {
      by_variable.push_back(&read);
    }
    std::sort(by_variable.begin(), by_variable.end(), [](const auto* a, const auto* b) {
      return a->variable != b->variable ? a->variable < b->variable : a->reader < b->reader;
    });
    value_id searched = no_value;
    for (uninitialized_read* read : by_variable) {
      if (read->variable != searched) {
        searched = read->variable;
        search(procedure_.variable_number(searched));
      }
      for (node_id n = procedure_.core(read->reader).node; n != no_node; n = came_from_[n]) {
        read->path.push_back(n);
      }
      std::reverse(read->path.begin(), read->path.end());
    }
  }

  /// Breadth first from the entry, through nodes that do not touch the variable.
  void search(variable_id x) {
    seen_.assign(procedure_.num_nodes(), 0);
    came_from_.assign(procedure_.num_nodes(), no_node);
    queue_.clear();
    seen_[procedure_.entry()] = 1;
    queue_.push_back(procedure_.entry());
    for (std::size_t i = 0; i != queue_.size(); ++i) {
      const node_id n = queue_[i];
      if (!untouched_.out(n).test(x)) {
        continue;
      }
      for (const node_id s : procedure_.successors(n)) {
        if (seen_[s] == 0) {
          seen_[s] = 1;
          came_from_[s] = n;
          queue_.push_back(s);
        }
      }
    }
  }

  const procedure& procedure_;
  variable_view view_;
  flow_facts<> untouched_;
  flat_array<node_id> touched_in_; ///< by variable: the last node that is known to read or write it
  std::vector<uninitialized_read> reads_;
  flat_array<unsigned char> seen_;
  flat_array<node_id> came_from_;
  flat_array<node_id> queue_;
};

/// The names of the nodes of a path; of a long path only the beginning and the end.
inline std::string path_text(procedure_text& names, const std::vector<node_id>& path) {
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t i = 0; i != path.size(); ++i) {
    if (path.size() > most && i == most / 2) {
      text += " -> ...";
      i = path.size() - most / 2;
    }
    text += (text.empty() ? "" : " -> ") + names.node(path[i]);
  }
  return text;
}

} // namespace detail

MIDEND_FUNCTION std::vector<uninitialized_read> uninitialized_reads(const procedure& p) {
  return detail::initialization_check(p).run();
}

MIDEND_FUNCTION std::vector<diagnostic> initialization_warnings(const procedure& p) {
  std::vector<diagnostic> out;
  const std::vector<uninitialized_read> reads = uninitialized_reads(p);
  if (reads.empty()) {
    return out;
  }
  procedure_text names(p);
  for (const uninitialized_read& read : reads) {
    out.push_back({p.value_location(read.reader), names.value(read.variable) +
                                                      (read.is_certain ? " is read and never written before: "
                                                                       : " may be read before it is written: ") +
                                                      detail::path_text(names, read.path)});
  }
  return out;
}

} // namespace elbrus

MIDEND_END_NAMESPACE

#endif
