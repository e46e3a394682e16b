#include "show_unrolled.hpp"

#include "option_list.hpp"
#include "text.hpp"

#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/to_eir.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/induction/extract_loop.hpp>
#include <midend/ssa/facts_of_numbers.hpp>
#include <midend/unrolling/try_unrolling.hpp>
#include <midend/viz/eir_refusals.hpp>
#include <midend/viz/transformation_plans.hpp>

#include <array>
#include <charconv>
#include <cmath>

namespace midend_tool {
namespace {

using midend::value_id;
using midend::elbrus::procedure;

struct shown_kind {
  std::string_view name;
  midend::unrolling_form form; ///< but for the factor
};

constexpr std::array<shown_kind, 7> shown_kinds = {
    {{"rolled", {}},
     {"full", {midend::unrolling_kind::full}},
     {"peel", {midend::unrolling_kind::peel}},
     {"partial", {midend::unrolling_kind::partial}},
     {"uncounted", {midend::unrolling_kind::partial, 1, midend::remainder_placement::mid_exit}},
     {"runtime", {midend::unrolling_kind::partial, 1, midend::remainder_placement::epilogue}},
     {"prologue", {midend::unrolling_kind::partial, 1, midend::remainder_placement::prologue}}}};

/// Names operations by their opcode, and calls by their callee.
std::string_view name_of_operation(const void* context, value_id origin) {
  const auto& p = *static_cast<const procedure*>(context);
  const midend::elbrus::value_core& record = p.core(origin);
  return record.code == midend::elbrus::opcode::call ? p.text(p.call(origin).callee)
                                                     : midend::elbrus::info_of(record.code).name;
}

void append_figures(std::string& text, const midend::unrolling_trial& t) {
  append(text, "# ", std::lround(t.cost.cycles), " cycles each time that the loop is entered, ", t.cost.operations,
         " operations, ", t.cost.branches, t.cost.branches == 1 ? " branch, " : " branches, ", t.cost.bytes,
         " bytes\n");
  for (const midend::loop_id l : t.loops.loops()) {
    const midend::loop_estimate& loop = t.cost.loops[l];
    if (loop.obstacle == midend::region_obstacle::none) {
      append(text, "# loop n", t.loops.header(l), ": ", loop.cost.operations, " operations, ", loop.cycles_per_pass,
             " cycles a pass, ", loop.passes, loop.passes == 1 ? " pass" : " passes", "\n");
    }
  }
  if (t.loops.num_loops() == 0) {
    append(text, "# no loop is left\n");
  }
  append(text, "# cleaned up in ", t.rounds, t.rounds == 1 ? " round" : " rounds",
         t.is_clean ? "\n" : ", which is the limit\n");
}

} // namespace

std::optional<midend::unrolling_form> read_shown_form(std::string_view text, std::string& problem) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const shown_kind& k : shown_kinds) {
    if (k.name != name) {
      continue;
    }
    const bool is_rolled = k.form.kind == midend::unrolling_kind::none;
    std::uint32_t factor = is_rolled ? 1 : 0;
    if (colon != std::string_view::npos) {
      const std::string_view digits = text.substr(colon + 1);
      const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), factor);
      factor = read.ec == std::errc() && read.ptr == digits.data() + digits.size() ? factor : 0;
    }
    if (factor == 0 || factor > 1024) {
      problem = "--show: '" + std::string(text) + "' needs a factor from 1 to 1024, as in " + std::string(name) + ":4";
      return std::nullopt;
    }
    midend::unrolling_form form = k.form;
    form.factor = factor;
    return form;
  }
  problem = "--show: unknown kind '" + std::string(name) + "', expected one of: " + names_of(shown_kinds);
  return std::nullopt;
}

std::string shown_unrolling(procedure& p, const midend::dominators_and_loops_result& found, midend::loop_id loop,
                            const midend::unrolling_form& form, const midend::machine_model& machine,
                            const midend::lowering_options& lowering, std::uint64_t assumed_trip) {
  const midend::elbrus::cost_editor editor(p);
  const auto facts = midend::facts_of_numbers(editor);
  midend::extract_loop_workspace memory;
  midend::extracted_loop x;
  midend::extract_loop(editor, found.dominators, found.loops, loop, facts, memory, x);
  midend::expect_trips(x, assumed_trip);
  midend::unrolling_trial_options options;
  options.lowering = lowering;
  options.assumed_trip = assumed_trip;
  const midend::unrolling_trial t = midend::try_unrolling(x, form, machine, options);
  std::string text;
  if (form.kind != midend::unrolling_kind::none && !t.applied.is_unrolled) {
    std::string_view why = "nothing is to do";
    if (t.applied.no_remainder) {
      const midend::remainder_refusal& r = *t.applied.no_remainder;
      why = r.why == midend::remainder_refusal_reason::not_copied ? midend::to_text(r.copying) : midend::to_text(r.why);
    } else if (t.applied.no_copies) {
      why = midend::to_text(t.applied.no_copies->why);
    }
    append(text, "# not unrolled: ", why, "\n");
    return text;
  }
  append_figures(text, t);
  const auto shown = midend::elbrus::to_eir(t.program, "loop", {&p, name_of_operation});
  if (!shown) {
    append(text, "# not shown: ", midend::elbrus::to_text(shown.refusal), "\n");
    return text;
  }
  append(text, midend::elbrus::to_text(shown.program));
  return text;
}

} // namespace midend_tool
