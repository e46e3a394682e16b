// Live variables by midend's gen/kill engine, composing gen and kill from the lists of each block included.

#include "liveness.hpp"

#include <midend/dataflow/live_variables.hpp>

namespace midend_benchmarks {
namespace {

struct liveness {
  explicit liveness(const dataset& d) : data(d) {}

  void analyse(const midend::csr_graph& g, std::size_t index) {
    midend::live_variables(g, data.functions()[index].variables, workspace, result);
  }

  std::optional<std::string> compare(const dataset& d, std::size_t index) const {
    return d.shared<liveness_reference>().compare(d, index, result);
  }

  const dataset& data;
  midend::gen_kill_workspace<> workspace;
  midend::flow_facts<> result;
};

} // namespace

liveness_reference::liveness_reference(const dataset& d) {
  for (const flat_function& f : d.functions()) {
    std::vector<midend::bit_row>& in = live_in_.emplace_back(f.num_nodes(), midend::bit_row(f.variables.count));
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t b = 0; b != f.num_nodes(); ++b) {
        midend::bit_row facts(f.variables.count);
        for (const std::uint32_t s : f.successors(b)) {
          facts |= in[s];
        }
        for (const std::uint32_t v : f.variables.defined_in(b)) {
          facts.reset(v);
        }
        for (const std::uint32_t v : f.variables.used_in(b)) {
          facts.set(v);
        }
        changed |= in[b].unite(facts);
      }
    }
  }
}

void add_liveness(contestants& all) {
  all.push_back(enter<midend_job<liveness>>("liveness", "midend_gen_kill"));
  all.back().left_out = has_no_variables;
}

} // namespace midend_benchmarks
