// parallel_corpus: the functions of a file on all cores, with a thread pool of your own. Results are values, so it
// does not matter which thread found them: the answers are those of one thread.
#include <corpus/corpus.hpp>

#include <midend/midend.hpp>

#include <midend/loops/cycles.hpp>
#include <midend/loops/loop_forms.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

using midend_corpus::cfg_function;

/// What is kept of a function.
struct answer {
  std::uint64_t digest = 0;
  std::size_t blocks = 0;
  std::size_t loops = 0;
  std::size_t irreducible = 0;

  friend bool operator==(const answer&, const answer&) = default;
};

/// FNV-1a over numbers.
static void mix(std::uint64_t& digest, std::uint64_t value) {
  digest = (digest ^ value) * 0x100'0000'01b3;
}

// [worker]
/// Analyses one function after the other; each thread has one.
class worker {
public:
  answer analyse(const cfg_function& function) {
    graph_.assign(function);
    midend::dominators_and_loops(graph_, both_memory_, both_);
    midend::cycles(graph_, cycles_memory_, cycles_);
    return summary();
  }

private:
  answer summary() const;

  midend::csr_graph graph_;
  midend::dominators_and_loops_workspace both_memory_;
  midend::dominators_and_loops_result both_;
  midend::cycles_workspace cycles_memory_;
  midend::cycle_forest cycles_;
};

// [end]

answer worker::summary() const {
  answer out{0xcbf2'9ce4'8422'2325, graph_.num_nodes(), both_.loops.num_loops(), 0};
  for (midend::node_id n = 0; n != graph_.num_nodes(); ++n) {
    mix(out.digest, both_.dominators.immediate_dominator(n));
    mix(out.digest, both_.loops.loop_depth(n));
    mix(out.digest, cycles_.cycle_depth(n));
  }
  for (const midend::loop_id l : both_.loops.loops()) {
    mix(out.digest, midend::is_loop_simplify_form(graph_, both_.loops, l) ? 1 : 0);
    mix(out.digest, midend::is_rotated(graph_, both_.loops, l) ? 1 : 0);
  }
  for (const midend::cycle_id c : cycles_.cycles()) {
    out.irreducible += cycles_.is_reducible(c) ? 0 : 1;
  }
  return out;
}

// [pool]
/// Calls `work(worker, i)` for each `i` below `count` on `threads` threads, each with its own worker.
/// A thread that is done takes the next number.
template <class Work> static void on_threads(unsigned threads, std::size_t count, Work work) {
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    worker mine;
    for (std::size_t i = next++; i < count; i = next++) {
      work(mine, i);
    }
  };
  std::vector<std::thread> pool;
  for (unsigned t = 1; t < threads; ++t) {
    pool.emplace_back(run);
  }
  run(); // the caller is one of them
  for (std::thread& thread : pool) {
    thread.join();
  }
}

static std::vector<answer> analyse(const std::vector<cfg_function>& functions, unsigned threads) {
  std::vector<answer> answers(functions.size()); // one place for each function, so that nothing need be locked
  on_threads(threads, functions.size(), [&](worker& mine, std::size_t i) { answers[i] = mine.analyse(functions[i]); });
  return answers;
}

// [end]

static answer sum_of(const std::vector<answer>& answers) {
  answer sum;
  for (const answer& a : answers) {
    mix(sum.digest, a.digest);
    sum.blocks += a.blocks;
    sum.loops += a.loops;
    sum.irreducible += a.irreducible;
  }
  return sum;
}

int main(int argc, char** argv) {
  const char* const file = argc > 1 ? argv[1] : "tests/data/corpus/sqlite3-O2.cfg.gz";
  std::vector<cfg_function> functions;
  if (const auto error = midend_corpus::read_cfg(file, functions)) {
    std::fprintf(stderr, "%s\n", error->to_string().c_str());
    return 1;
  }
  const unsigned cores = std::thread::hardware_concurrency();
  const std::vector<answer> alone = analyse(functions, 1);
  const std::vector<answer> together = analyse(functions, cores > 2 ? cores : 2);
  const answer sum = sum_of(alone);
  std::printf("%zu functions, %zu blocks, %zu loops, %zu irreducible cycles\n", functions.size(), sum.blocks, sum.loops,
              sum.irreducible);
  std::printf("digest %016llx\n", static_cast<unsigned long long>(sum.digest));
  std::printf("on all cores: %s\n", together == alone ? "the same" : "different");
  return together == alone ? 0 : 1;
}
