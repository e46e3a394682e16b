#include "loop_package_tool.hpp"

#include "clean_up_checker.hpp"
#include "edit_names.hpp"
#include "new_names.hpp"
#include "text.hpp"
#include "transformation_pass.hpp"

#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/loop_package/loop_package.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/viz/loop_package.hpp>

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

namespace midend_tool {
namespace {

using midend::elbrus::procedure;

/// Checks the certificate of each step, and names what is new.
class loop_package_checker : public clean_up_checker {
public:
  using clean_up_checker::clean_up_checker;

  template <class Plan> void planned_change(const Plan&) {}

  template <class E, class Witness> void changed(const E&, const Witness& witness) {
    done(certifies() ? why_rejected(before(), after(), witness) : std::nullopt);
  }

  template <class E> void changed(const E&, const midend::versioned_loops_witness& witness) {
    name_what_is_new(after(), witness.copies);
    done(certifies() ? why_rejected(before(), after(), witness) : std::nullopt);
  }

  template <class E> void changed(const E&, const midend::unfolding_witness& witness) {
    name_what_is_new(after(), witness);
    if (!certifies()) {
      done(std::nullopt);
    } else if (midend::has_assumptions(witness)) {
      done(why_rejected(before(), after(), untaken_exits_witness{witness}));
    } else {
      done(why_rejected(before(), after(), witness));
    }
  }
};

/// The number of the pass is the largest size, or, with this bit, a bit for each important member.
constexpr std::size_t names_members = std::size_t{1} << 31;

/// `important=peeling+split by condition`.
std::optional<std::size_t> important_members(std::string_view text) {
  std::size_t mask = names_members;
  while (true) {
    const std::string_view name = text.substr(0, text.find('+'));
    std::size_t i = 0;
    while (i != midend::loop_package::size && name != midend::loop_package::name(i)) {
      ++i;
    }
    if (i == midend::loop_package::size) {
      return std::nullopt;
    }
    mask |= std::size_t{1} << i;
    if (text.find('+') == std::string_view::npos) {
      return mask;
    }
    text.remove_prefix(text.find('+') + 1);
  }
}

std::string_view member_name(std::size_t i) {
  return midend::loop_package::name(i);
}

/// The package on a copy, and the names of both.
struct loop_package_on_copy {
  explicit loop_package_on_copy(const procedure& p) : after(p) {
    midend::elbrus::cost_editor editor(after);
    loop_package_checker names_new(after, false, report);
    log = midend::loop_package().run(editor, midend::e2k_reference_v6(), {}, names_new);
  }

  procedure after;
  pass_report report;
  midend::loop_package_log log;
};

void run_loop_package(procedure& p, const pass_request& request, pass_report& report) {
  const procedure before = request.record ? p : procedure();
  midend::elbrus::cost_editor editor(p);
  midend::loop_package_options options;
  const std::size_t number = request.number.value_or(0);
  if ((number & names_members) == 0) {
    options.max_size = number;
  } else {
    for (std::size_t i = 0; i != midend::loop_package::size; ++i) {
      options.importance.push_back((number >> i & 1) != 0 ? 2 : 1);
    }
  }
  loop_package_checker checker(p, request.certify, report);
  const midend::loop_package_log log = midend::loop_package().run(editor, midend::e2k_reference_v6(), options, checker);
  report.summary = midend::summary_text(log);
  if (request.record) {
    const edit_names names(before, p);
    report.changes += midend::to_text(log.manager, names);
    report.changes += midend::to_text(log, names, member_name);
  }
}

} // namespace

void append_loop_package(const procedure& p, std::string& out) {
  if (!p.variables().empty()) {
    out += "  has variables: construct-ssa first\n";
    return;
  }
  const loop_package_on_copy done(p);
  const edit_names names(p, done.after);
  for (const std::string& text :
       {midend::to_text(done.log.manager, names), midend::to_text(done.log, names, member_name),
        midend::summary_text(done.log) + "\n"}) {
    for (std::size_t at = 0; at != text.size();) {
      const std::size_t end = text.find('\n', at) + 1;
      append(out, "  ", text.substr(at, end - at));
      at = end;
    }
  }
}

pass_kind loop_package_pass() {
  pass_kind pass{"loop-package", "optimizations of loops, tried and decided one by one: docs/packages.md",
                 run_loop_package, nullptr, variable_policy::refuses};
  pass.read_option = [](std::string_view text) -> std::optional<std::size_t> {
    constexpr std::string_view start = "max-size=";
    constexpr std::string_view important = "important=";
    std::size_t number = 0;
    if (text.starts_with(important)) {
      return important_members(text.substr(important.size()));
    }
    if (!text.starts_with(start)) {
      return std::nullopt;
    }
    text.remove_prefix(start.size());
    const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_read =
        error == std::errc() && stopped == text.data() + text.size() && number != 0 && number < names_members;
    return is_read ? std::optional(number) : std::nullopt;
  };
  pass.option_help = "max-size=N|important=A+B";
  pass.option_form = "max-size=N, the most operations that the procedure may have, or important=A+B, names of members";
  return pass;
}

} // namespace midend_tool
