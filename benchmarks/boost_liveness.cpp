// Live variables over boost::dynamic_bitset:
//
//   dynamic_bitset_round_robin   what one writes: a vector of sets for each of in, out, gen and kill, and sweeps over
//                                all blocks, last to first, until nothing changes
//   midend_dynamic_bitset        midend's engine with such vectors for rows
//
// The sets are kept from function to function, so that neither allocates once it is warm.

#include "liveness.hpp"

#include <midend/dataflow/live_variables.hpp>

#include <boost/dynamic_bitset.hpp>

namespace midend_benchmarks {
namespace {

using sets = std::vector<boost::dynamic_bitset<>>;

struct round_robin {
  explicit round_robin(const dataset& d) : data(d) {}

  void analyse(const midend::csr_graph& g, std::size_t index) {
    const flat_variables& variables = data.functions()[index].variables;
    const auto num_blocks = static_cast<std::uint32_t>(g.num_nodes());
    for (sets* const each : {&live_in, &live_out, &gen, &kill}) {
      clear(*each, num_blocks, variables.count);
    }
    for (std::uint32_t b = 0; b != num_blocks; ++b) {
      for (const std::uint32_t v : variables.used_in(b)) {
        gen[b].set(v);
      }
      for (const std::uint32_t v : variables.defined_in(b)) {
        kill[b].set(v);
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t b = num_blocks; b-- != 0;) {
        for (const std::uint32_t s : g.successors(b)) {
          live_out[b] |= live_in[s];
        }
        facts = live_out[b];
        facts -= kill[b];
        facts |= gen[b];
        if (facts != live_in[b]) {
          live_in[b] = facts;
          changed = true;
        }
      }
    }
  }

  static void clear(sets& rows, std::size_t num_blocks, std::size_t num_variables) {
    if (rows.size() < num_blocks) {
      rows.resize(num_blocks);
    }
    for (std::size_t b = 0; b != num_blocks; ++b) {
      rows[b].resize(num_variables);
      rows[b].reset();
    }
  }

  const boost::dynamic_bitset<>& in(std::uint32_t b) const { return live_in[b]; }

  const boost::dynamic_bitset<>& out(std::uint32_t b) const { return live_out[b]; }

  std::optional<std::string> compare(const dataset& d, std::size_t index) const {
    return d.shared<liveness_reference>().compare(d, index, *this);
  }

  const dataset& data;
  sets live_in, live_out, gen, kill;
  boost::dynamic_bitset<> facts;
};

struct midend_over_sets {
  explicit midend_over_sets(const dataset& d) : data(d) {}

  void analyse(const midend::csr_graph& g, std::size_t index) {
    midend::live_variables(g, data.functions()[index].variables, workspace, result);
  }

  std::optional<std::string> compare(const dataset& d, std::size_t index) const {
    return d.shared<liveness_reference>().compare(d, index, result);
  }

  const dataset& data;
  midend::gen_kill_workspace<sets> workspace;
  midend::flow_facts<sets> result;
};

} // namespace

void add_boost_liveness(contestants& all) {
  all.push_back(enter<midend_job<round_robin>>("liveness", "dynamic_bitset_round_robin"));
  all.back().left_out = has_no_variables;
  all.push_back(enter<midend_job<midend_over_sets>>("liveness", "midend_dynamic_bitset"));
  all.back().left_out = has_no_variables;
}

} // namespace midend_benchmarks
