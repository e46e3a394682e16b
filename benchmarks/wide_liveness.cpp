// Live variables of one function with more variables than front ends have so far been seen to make, to find out what
// pays:
//
//   midend_gen_kill   the engine, which chooses
//   midend_rows       sweeps over dense rows, `gen` and `kill` of each block composed once
//   midend_replay     the same, but composed anew at each visit
//   midend_walk       variable by variable, from each use back to the definitions
//
// liveness_local has half as many variables as blocks, each live in about ten of them; liveness_global a tenth as many,
// live in most; liveness_busy 512 variables and 64 effects in each block.

#include "csr_graphs.hpp"
#include "midend_job.hpp"
#include "suite.hpp"

#include <midend/dataflow/live_variables.hpp>
#include <midend/support/bit_row.hpp>

#include <algorithm>
#include <random>

namespace midend_benchmarks {
namespace {

/// Lists by block, from pairs in any order.
class block_lists {
public:
  void add(std::uint32_t block, std::uint32_t variable) { pairs_.emplace_back(block, variable); }

  void write(std::uint32_t num_blocks, std::vector<std::uint32_t>& offsets, std::vector<std::uint32_t>& variables) {
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    offsets.assign(num_blocks + std::size_t{1}, 0);
    variables.clear();
    for (const auto& [block, variable] : pairs_) {
      ++offsets[block + std::size_t{1}];
      variables.push_back(variable);
    }
    for (std::size_t b = 0; b != num_blocks; ++b) {
      offsets[b + 1] += offsets[b];
    }
  }

private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;
};

/// What the blocks of the one function of a generated set may do to variables.
class wide_variables {
public:
  explicit wide_variables(const dataset& d) : num_blocks_(static_cast<std::uint32_t>(d.num_blocks())) {
    make_local(d.shared<dominator_trees>().trees.front());
    make_global();
    make_busy();
  }

  flat_variables local, global, busy;

private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  /// Used in up to four of the next blocks that the definition dominates.
  void make_local(const midend::dominator_tree& tree) {
    block_lists definitions, uses;
    for (std::uint32_t v = 0; v != num_blocks_ / 2; ++v) {
      const std::uint32_t definition = below(num_blocks_ - 20);
      definitions.add(definition, v);
      for (int i = 0; i != 4; ++i) {
        const std::uint32_t use = definition + 1 + below(19);
        if (tree.dominates(definition, use)) {
          uses.add(use, v);
        }
      }
    }
    write(local, num_blocks_ / 2, definitions, uses);
  }

  /// Defined in the entry, used in ten blocks.
  void make_global() {
    block_lists definitions, uses;
    for (std::uint32_t v = 0; v != num_blocks_ / 10; ++v) {
      definitions.add(0, v);
      for (int i = 0; i != 10; ++i) {
        uses.add(below(num_blocks_), v);
      }
    }
    write(global, num_blocks_ / 10, definitions, uses);
  }

  void make_busy() {
    constexpr std::uint32_t count = 512;
    block_lists definitions, uses;
    for (std::uint32_t b = 0; b != num_blocks_; ++b) {
      for (int i = 0; i != 32; ++i) {
        definitions.add(b, below(count));
        uses.add(b, below(count));
      }
    }
    write(busy, count, definitions, uses);
  }

  void write(flat_variables& out, std::uint32_t count, block_lists& definitions, block_lists& uses) const {
    out.count = count;
    definitions.write(num_blocks_, out.definition_offsets, out.definitions);
    uses.write(num_blocks_, out.use_offsets, out.uses);
  }

  std::uint32_t num_blocks_;
  std::mt19937_64 random_{1};
};

using problem = midend::detail::liveness_by_node<flat_variables>;
using midend::csr_graph;

/// The engine, by any of its ways.
struct chosen {
  void run(const csr_graph& g, const flat_variables& variables) {
    midend::live_variables(g, variables, workspace, result);
  }

  midend::bit_row_view in(std::uint32_t b) const { return result.in(b); }

  midend::gen_kill_workspace<> workspace;
  midend::flow_facts<> result;
};

template <class Table> struct rows {
  void run(const csr_graph& g, const flat_variables& variables) {
    const problem p(variables);
    Table table(p, g.num_nodes(), live_out, live_in, gens, kills);
    midend::detail::gen_kill_iteration<problem, csr_graph, Table>(g, table, memory).run();
  }

  midend::bit_row_view in(std::uint32_t b) const { return live_in[b]; }

  midend::bit_matrix live_in, live_out, gens, kills;
  midend::detail::gen_kill_iteration_memory memory;
};

using composed_rows = midend::detail::many_words_table<problem>;

struct replayed_rows : composed_rows {
  replayed_rows(const problem& p, std::size_t num_nodes, midend::bit_matrix& joined, midend::bit_matrix& moved,
                midend::bit_matrix& gens, midend::bit_matrix& kills)
      : composed_rows(p, num_nodes, joined, moved, gens, kills), moved_(moved), old_(moved.words_in_row()) {}

  bool move(midend::node_id n, row joined) {
    const std::span<const std::uint64_t> now(moved_.words(n), old_.size());
    std::copy(now.begin(), now.end(), old_.begin());
    composed_rows::summarise_and_move(n, joined);
    return !std::equal(now.begin(), now.end(), old_.begin());
  }

  midend::bit_matrix& moved_;
  std::vector<std::uint64_t> old_;
};

struct walked {
  void run(const csr_graph& g, const flat_variables& variables) {
    static_cast<void>(walk.prepare(g, problem(variables), ~std::size_t{0}));
    walk.run(g, live_out, live_in);
  }

  midend::bit_row_view in(std::uint32_t b) const { return live_in[b]; }

  midend::bit_matrix live_in, live_out;
  midend::detail::fact_walk walk;
};

template <class Way, flat_variables wide_variables::* Variables> struct wide_liveness {
  explicit wide_liveness(const dataset& d) : variables(d.shared<wide_variables>().*Variables) {}

  void analyse(const csr_graph& g, std::size_t) { way.run(g, variables); }

  /// With the engine over another kind of rows, which knows one way only.
  std::optional<std::string> compare(const dataset& d, std::size_t) const {
    const csr_graph& g = d.shared<csr_graphs>().graphs.front();
    const auto expected = midend::live_variables<std::vector<midend::bit_row>>(g, variables);
    for (std::uint32_t b = 0; b != g.num_nodes(); ++b) {
      const auto words = expected.in(b).words();
      if (!std::equal(words.begin(), words.end(), way.in(b).words().begin())) {
        return "variables at block " + std::to_string(b);
      }
    }
    return std::nullopt;
  }

  const flat_variables& variables;
  Way way;
};

template <flat_variables wide_variables::* Variables> void add_ways(contestants& all, const std::string& analysis) {
  const std::size_t first = all.size();
  all.push_back(enter<midend_job<wide_liveness<chosen, Variables>>>(analysis, "midend_gen_kill"));
  all.push_back(enter<midend_job<wide_liveness<rows<composed_rows>, Variables>>>(analysis, "midend_rows"));
  all.push_back(enter<midend_job<wide_liveness<rows<replayed_rows>, Variables>>>(analysis, "midend_replay"));
  all.push_back(enter<midend_job<wide_liveness<walked, Variables>>>(analysis, "midend_walk"));
  for (std::size_t i = first; i != all.size(); ++i) {
    all[i].left_out = [](const dataset_name& d) { return d.name != "structured-10000"; };
  }
}

} // namespace

void add_wide_liveness(contestants& all) {
  add_ways<&wide_variables::local>(all, "liveness_local");
  add_ways<&wide_variables::global>(all, "liveness_global");
  add_ways<&wide_variables::busy>(all, "liveness_busy");
}

} // namespace midend_benchmarks
