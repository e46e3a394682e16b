// The plugin of GCC 12, midend.so: compares midend's dominators, post-dominators and loops with GCC's, and tells the
// programmer what midend finds in a function. See docs/gcc_plugin.md.
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/ir/evaluate.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/live_values.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/viz/ir_errors.hpp>
#include <midend/viz/unrolling.hpp>

#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "comparison.hpp"
#include "gcc_cost.hpp"
#include "gcc_graph.hpp"
#include "gcc_headers.hpp"
#include "gcc_ssa.hpp"

/// GCC wants to find this name in each plugin.
int plugin_is_GPL_compatible;

namespace {

using midend::edge_id;
using midend::node_id;
using midend::value_id;

/// What is asked for by `-fplugin-arg-midend-…`.
struct wishes {
  bool constants = false; ///< remarks about constants, decided branches and code that is never executed
  bool live = false;      ///< a remark about how many values are live
  bool advise = false;    ///< the advice on unrolling, as remarks
  bool e2k = false;       ///< for a wide machine; else for one that issues one operation a cycle
  bool late = false;      ///< remarks after GCC's optimizations, not before them
  bool perturb = false;   ///< compare a graph that lacks an edge
};

struct analysis_totals {
  std::size_t wrong_views = 0;
  std::size_t values = 0;
  std::size_t constants = 0;
  std::size_t decided = 0;
  std::size_t dead_blocks = 0;
  std::size_t most_live = 0;
  std::size_t advised = 0;  ///< loops with an advice
  std::size_t unrolled = 0; ///< of these, to be unrolled
};

wishes asked;
comparison_totals compared;
analysis_totals found;

/// SCCP, live values and the advice for one function.
class analysis {
public:
  explicit analysis(function* f, bool remarks) : ir_(f), names_{ir_}, remarks_(remarks) {}

  void run() {
    if (const auto error = midend::check_ir(ir_)) {
      ++found.wrong_views;
      std::fprintf(stderr, "midend: %s: %s\n", function_name(ir_.f), midend::to_text(*error, names_).c_str());
      return;
    }
    found.values += ir_.num_placed();
    find_constants();
    find_live_values();
    if (asked.advise) {
      asked.e2k ? advise(midend::e2k_reference_v6()) : advise(midend::scalar_core());
    }
  }

private:
  void find_constants() {
    const auto facts = midend::sccp_with_branch_facts(ir_, midend::number_domain());
    for (node_id n = 0; n != facts.num_nodes(); ++n) {
      if (!facts.is_executable(n)) {
        ++found.dead_blocks;
        remark(asked.constants, place_of(n), "this code is never executed: " + names_.node(n));
        continue;
      }
      for (const value_id v : ir_.values(n)) {
        const auto constant = facts.constant(v);
        if (constant && ir_.handle(v) != NULL_TREE) {
          ++found.constants;
          remark(asked.constants, place_of(n, v), names_.value(v) + " is " + number(v, *constant));
        }
      }
      find_decided_branch(n, facts);
    }
  }

  template <class Facts> void find_decided_branch(node_id n, const Facts& facts) {
    edge_id taken = midend::no_edge;
    std::size_t possible = 0;
    for (const edge_id e : ir_.graph().out_edges(n)) {
      if (facts.is_executable_edge(e)) {
        ++possible;
        taken = e;
      }
    }
    if (possible == 1 && ir_.condition(n) != midend::no_value && ir_.graph().out_edges(n).size() > 1) {
      ++found.decided;
      remark(asked.constants, place_of(n), "this branch always goes to " + names_.node(ir_.graph().edge_target(taken)));
    }
  }

  void find_live_values() {
    const midend::live_value_sets live = midend::live_values(ir_);
    std::size_t most = 0;
    node_id where = 0;
    for (node_id n = 0; n != live.num_nodes(); ++n) {
      if (live.live_in(n).size() > most) {
        most = live.live_in(n).size();
        where = n;
      }
    }
    found.most_live = std::max(found.most_live, most);
    remark(asked.live, DECL_SOURCE_LOCATION(ir_.f->decl),
           "at most " + std::to_string(most) + " values are live at the start of a block, in " + names_.node(where));
  }

  template <class M> void advise(const M& machine) {
    const midend::loop_forest loops = midend::dominators_and_loops(ir_.graph()).loops;
    for (const midend::loop_id l : loops.loops()) {
      if (loops.subloops(l).size() != 1) { // not innermost
        continue;
      }
      const midend::unrolling_advice advice = midend::advise_unrolling(ir_, loops, l, machine);
      ++found.advised;
      found.unrolled += advice.obstacle == midend::unrolling_obstacle::none && advice.chosen != 0 ? 1 : 0;
      std::string text = midend::to_text(advice, machine, names_);
      text.resize(std::min(text.size(), text.find("\n  operations"))); // the table is for compiler engineers
      remark(true, place_of(loops.header(l)), text.substr(0, text.find_last_not_of('\n') + 1));
    }
  }

  /// A number as its type has it.
  std::string number(value_id v, std::uint64_t bits) const {
    const tree type = TREE_TYPE(ir_.handle(v));
    return TYPE_UNSIGNED(type) ? std::to_string(bits) : std::to_string(midend::as_signed(bits, TYPE_PRECISION(type)));
  }

  void remark(bool wanted, location_t where, const std::string& text) const {
    if (wanted && remarks_) {
      inform(where, "midend: %s", text.c_str());
    }
  }

  location_t place_of(node_id n, value_id v) const {
    const gimple* const s = ir_.statement(v);
    return s != nullptr && gimple_has_location(s) ? gimple_location(s) : place_of(n);
  }

  /// The last statement that has a place in the source, or the function.
  location_t place_of(node_id n) const {
    location_t out = DECL_SOURCE_LOCATION(ir_.f->decl);
    for (const value_id v : ir_.values(n)) {
      const gimple* const s = ir_.statement(v);
      out = s != nullptr && gimple_has_location(s) ? gimple_location(s) : out;
    }
    return out;
  }

  gcc_cost ir_;
  gcc_names names_;
  bool remarks_;
};

class midend_pass : public gimple_opt_pass {
public:
  midend_pass(const pass_data& data, bool is_late) : gimple_opt_pass(data, ::g), is_late_(is_late) {}

  opt_pass* clone() override { return new midend_pass(*this); }

  unsigned execute(function* f) override {
    const gcc_graph graph{f};
    if (asked.perturb) {
      wrong_graph wrong{graph, midend::no_node};
      for (node_id n = 0; n != graph.num_nodes() && wrong.without_last == midend::no_node; ++n) {
        const basic_block b = BASIC_BLOCK_FOR_FN(f, n);
        wrong.without_last = b != nullptr && edges_out_of(b).size() > 1 ? n : midend::no_node;
      }
      gcc_comparison(wrong, compared).run();
    } else {
      gcc_comparison(graph, compared).run();
    }
    analysis(f, is_late_ == asked.late).run();
    return 0;
  }

private:
  bool is_late_;
};

constexpr pass_data after_ssa{GIMPLE_PASS, "midend", OPTGROUP_NONE, TV_PLUGIN_RUN, PROP_cfg | PROP_ssa, 0, 0, 0, 0};
constexpr pass_data after_optimizations{
    GIMPLE_PASS, "midend_late", OPTGROUP_NONE, TV_PLUGIN_RUN, PROP_cfg | PROP_ssa, 0, 0, 0, 0};

void finish(void*, void*) {
  std::fprintf(stderr,
               "midend: %zu functions, %zu blocks, %zu loops (%zu abnormal ones unknown to GCC), %zu endless regions: "
               "%zu answers differ from GCC's\n",
               compared.functions, compared.blocks, compared.loops, compared.abnormal_loops, compared.endless_regions,
               compared.differences);
  std::fprintf(
      stderr,
      "midend: %zu statements and phis, %zu constants, %zu decided branches, %zu blocks never executed, at most "
      "%zu live values, %zu views wrong\n",
      found.values, found.constants, found.decided, found.dead_blocks, found.most_live, found.wrong_views);
  if (asked.advise) {
    std::fprintf(stderr, "midend: %zu of %zu innermost loops would be unrolled\n", found.unrolled, found.advised);
  }
  if (compared.differences != 0 || found.wrong_views != 0) {
    error("midend and GCC disagree");
  }
}

/// Reads one argument of the plugin. Returns false if its name is unknown.
bool take(const plugin_argument& a) {
  const std::string key = a.key;
  const std::string value = a.value == nullptr ? "" : a.value;
  if (key == "constants" || key == "live" || key == "advise") {
    (key == "constants" ? asked.constants : key == "live" ? asked.live : asked.advise) = true;
    return value.empty();
  }
  if (key == "machine") {
    asked.e2k = value == "e2k";
    return asked.e2k || value == "scalar";
  }
  if (key == "at") {
    asked.late = value == "end";
    return asked.late || value == "ssa";
  }
  asked.perturb = key == "perturb";
  return asked.perturb && value.empty();
}

} // namespace

int plugin_init(plugin_name_args* info, plugin_gcc_version* version) {
  if (!plugin_default_version_check(version, &gcc_version)) {
    error("midend: the plugin is for GCC %s", gcc_version.basever);
    return 1;
  }
  for (int i = 0; i != info->argc; ++i) {
    if (!take(info->argv[i])) {
      error("midend: unknown argument %qs; there are constants, live, advise, machine=scalar|e2k, at=ssa|end, perturb",
            info->argv[i].key);
      return 1;
    }
  }
  register_pass_info early{new midend_pass(after_ssa, false), "ssa", 1, PASS_POS_INSERT_AFTER};
  register_pass_info late{new midend_pass(after_optimizations, true), "optimized", 1, PASS_POS_INSERT_AFTER};
  register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &early);
  register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &late);
  register_callback(info->base_name, PLUGIN_FINISH, finish, nullptr);
  return 0;
}
