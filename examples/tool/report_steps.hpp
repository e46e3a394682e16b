/// A procedure before and after each pass, for `midend report`.
#pragma once

#include "pass_list.hpp"
#include "report_picture.hpp"

#include <midend/elbrus/procedure.hpp>
#include <midend/graph/concepts.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace midend_tool {

/// What is seen of a procedure at one moment.
struct report_snapshot {
  std::vector<report_block> blocks;    ///< by node
  std::vector<report_edge> edges;      ///< by edge
  std::vector<std::string> texts;      ///< of placed operations, by value
  std::vector<midend::node_id> places; ///< by value; `no_node` if it is not placed

  explicit report_snapshot(const midend::elbrus::procedure& p);
};

/// A pass that has run, or did not.
struct report_step {
  std::string pass;    ///< empty: the procedure as it is in the file
  std::string summary; ///< what the pass says
  std::string changes; ///< the recorded edits, a line for each
};

/// Runs the passes on a procedure. Calls `show` with the procedure before the first and after each.
void run_report_passes(midend::elbrus::procedure& p, const pass_list& list,
                       const std::function<void(const midend::elbrus::procedure&, const report_step&)>& show);

/// The steps of one procedure as JSON.
class report_steps {
public:
  explicit report_steps(report_painter& painter) : painter_(painter) {}

  /// Appends the JSON of a step. Must be called for each step of a procedure in turn.
  void append(std::string& out, const midend::elbrus::procedure& p, const report_step& step);

private:
  void mark_changes(report_snapshot& now, const midend::elbrus::procedure& p);

  report_painter& painter_;
  std::vector<report_snapshot> before_; ///< none or one
  std::vector<std::string> gone_;       ///< blocks that the last pass erased
  bool has_changes_ = false;
  bool had_changes_ = false;
};

} // namespace midend_tool
