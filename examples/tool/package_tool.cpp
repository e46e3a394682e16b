#include "package_tool.hpp"

#include "clean_up_checker.hpp"
#include "edit_names.hpp"
#include "sccp_tool.hpp"
#include "text.hpp"
#include "transformation_pass.hpp"
#include "value_numbering_tool.hpp"

#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/package/clean_up.hpp>
#include <midend/package/control_canonicalization.hpp>
#include <midend/package/low_level_package.hpp>
#include <midend/unrolling/try_unrolling.hpp>
#include <midend/viz/package.hpp>

#include <array>

namespace midend_tool {
namespace {

using midend::low_level_package;
using midend::value_id;
using midend::elbrus::procedure;

midend::package_log run_on(procedure& p, std::size_t without) {
  midend::elbrus::cost_editor editor(p);
  midend::package_options options;
  options.without = without;
  return low_level_package().run(editor, options);
}

void append_event(std::string& out, const midend::package_event& e, const edit_names& names) {
  out += midend::to_text(e, low_level_package::name(e.member), names);
  out += "\n";
}

void run(procedure& p, const pass_request& request, pass_report& report) {
  const procedure before = request.record ? p : procedure();
  const midend::package_log log = run_on(p, request.number.value_or(0));
  report.summary = midend::summary_text(low_level_package(), log);
  if (request.record) {
    const edit_names names(before, p);
    for (const midend::package_event& e : log.events) {
      append_event(report.changes, e, names);
    }
  }
}

/// What becomes of a value. The package runs on a copy.
void explain(const procedure& p, value_id v, std::string& out) {
  procedure after = p;
  const midend::package_log log = run_on(after, 0);
  const edit_names names(p, after);
  const auto chain = midend::explain_value(log, v);
  if (chain.empty()) {
    append(out, "  the low-level package has no order for ", names.value(v), "\n");
  }
  for (const std::uint32_t i : chain) {
    out += "  ";
    append_event(out, log.events[i], names);
  }
}

/// `without=dead+loads`: a bit for each of the names, of which there are `size`.
template <class Name>
std::optional<std::size_t> members_without(std::string_view text, std::size_t size, Name name_of) {
  constexpr std::string_view start = "without=";
  if (!text.starts_with(start)) {
    return std::nullopt;
  }
  std::size_t mask = 0;
  for (text.remove_prefix(start.size());; text.remove_prefix(text.find('+') + 1)) {
    const std::string_view name = text.substr(0, text.find('+'));
    std::size_t i = 0;
    while (i != size && name != name_of(i)) {
      ++i;
    }
    if (i == size) {
      return std::nullopt;
    }
    mask |= std::size_t{1} << i;
    if (text.find('+') == std::string_view::npos) {
      return mask;
    }
  }
}

} // namespace

pass_kind low_level_package_pass() {
  pass_kind pass{"low-level-package", "six optimizations of operations at once: docs/packages.md", run, explain,
                 variable_policy::refuses};
  pass.read_option = [](std::string_view text) {
    return members_without(text, low_level_package::size, [](std::size_t i) { return low_level_package::name(i); });
  };
  pass.option_help = "without=A+B";
  pass.option_form = "without=A+B, of dead, constants, common, algebra, loads and stores";
  return pass;
}

pass_kind control_canonicalization_pass() {
  return with_option(
      transformation(
          "control-canonicalization", "clean-control, and branches that a dominating branch decides: docs/packages.md",
          [](auto& run) {
            run.say(midend::control_canonicalization().run(
                run.editor(), {.without = run.number().value_or(0)},
                [&](const midend::unfolding_witness& witness) { run.done(implied_branches_witness{witness}); }));
          }),
      [](std::string_view text) {
        constexpr std::array<std::string_view, midend::num_control_changes> names = {"known",       "equal", "implied",
                                                                                     "unreachable", "merge", "pass"};
        return members_without(text, names.size(), [&](std::size_t i) { return names[i]; });
      },
      "without=A+B", "without=A+B, of known, equal, implied, unreachable, merge and pass");
}

namespace {

constexpr std::string_view clean_up_names[] = {"values", "tests", "constants", "operations",
                                               "motion", "dead",  "control"};

} // namespace

void clean_up(procedure& p, const pass_request& request, pass_report& report) {
  const procedure before = request.record ? p : procedure();
  midend::elbrus::cost_editor editor(p);
  midend::clean_up_options options = midend::clean_up_options_for(midend::e2k_reference_v6());
  options.without = static_cast<std::uint32_t>(request.number.value_or(0));
  clean_up_checker checker(p, request.certify, report);
  const midend::clean_up_log log = midend::clean_up(editor, options, checker);
  append(report.summary, report.summary.empty() ? "" : "; cleaned up in ", log.rounds,
         log.rounds == 1 ? " round" : " rounds", log.is_complete ? "" : ", stopped");
  const char* separator = "; changes by ";
  for (std::size_t i = 0; i != midend::num_clean_up_members; ++i) {
    if (log.changes[i] != 0) {
      append(report.summary, separator, clean_up_names[i], " in ", log.changes[i]);
      separator = ", ";
    }
  }
  if (request.record) {
    const edit_names names(before, p);
    for (const midend::package_log& one : log.operations) {
      for (const midend::package_event& e : one.events) {
        append_event(report.changes, e, names);
      }
    }
  }
}

pass_kind clean_up_pass() {
  pass_kind pass{"clean-up", "all that cleans up, in rounds until nothing changes: docs/packages.md", clean_up, nullptr,
                 variable_policy::refuses};
  pass.read_option = [](std::string_view text) {
    return members_without(text, midend::num_clean_up_members, [](std::size_t i) { return clean_up_names[i]; });
  };
  pass.option_help = "without=A+B";
  pass.option_form = "without=A+B, of values, tests, constants, operations, motion, dead and control";
  return pass;
}

void clean_up(procedure& p, const midend::machine_model& machine, const midend::lowering_options& lowering) {
  midend::elbrus::cost_editor editor(p);
  midend::clean_up(editor, midend::clean_up_options_for(machine, lowering));
}

} // namespace midend_tool
