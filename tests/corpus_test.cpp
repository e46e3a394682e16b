// All functions of the corpus against LLVM's answers.
#include "support/expectations.hpp"
#include "support/print.hpp"
#include "support/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/graph/check_graph.hpp>
#include <midend/graph/reversed.hpp>
#include <midend/graph/strongly_connected_components.hpp>
#include <midend/graph/with_virtual_exit.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/loops/natural_loops.hpp>
#include <support/corpus.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>

namespace midend_tests {

namespace {

/// The words of a line from a position on, one after the other.
class words {
public:
  explicit words(std::string_view line) : rest_(line) {}

  bool at_end() const { return rest_.empty(); }

  std::string_view next() {
    const std::size_t space = std::min(rest_.find(' '), rest_.size());
    const std::string_view word = rest_.substr(0, space);
    rest_.remove_prefix(std::min(space + 1, rest_.size()));
    return word;
  }

  std::int64_t number() {
    const std::string word(next());
    char* end = nullptr;
    const std::int64_t value = std::strtoll(word.c_str(), &end, 10);
    REQUIRE_MESSAGE((!word.empty() && *end == '\0'), "not a number: '" << word << "'");
    return value;
  }

  /// The numbers up to a separator, which is passed, or the end of the line.
  std::vector<std::int64_t> list(std::string_view separator = {}) {
    std::vector<std::int64_t> out;
    while (!at_end()) {
      if (!separator.empty() && rest_.starts_with(separator)) {
        next();
        return out;
      }
      out.push_back(number());
    }
    REQUIRE_MESSAGE(separator.empty(), "expected '" << std::string(separator) << "'");
    return out;
  }

  void expect(std::string_view word) { REQUIRE_MESSAGE(next() == word, "expected '" << std::string(word) << "'"); }

private:
  std::string_view rest_;
};

expected_loop parse_loop(words line) {
  expected_loop loop;
  loop.header = line.number();
  loop.parent_header = line.number();
  loop.depth = line.number();
  line.expect(":");
  loop.blocks = line.list(";");
  line.expect("latches");
  loop.latches = line.list(";");
  line.expect("preheader");
  loop.preheader = line.number();
  line.expect(";");
  line.expect("exiting");
  loop.exiting = line.list(";");
  line.expect("exits");
  loop.exits = line.list();
  return loop;
}

} // namespace

std::vector<expected_function> read_expectations(const std::string& path) {
  std::string text;
  const auto error = midend_examples::read_text(path, text);
  REQUIRE_MESSAGE(!error.has_value(), (error ? error->to_string() : ""));
  std::vector<expected_function> out;
  bool open = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t newline = std::min(text.find('\n', at), text.size());
    words line(std::string_view(text).substr(at, newline - at));
    at = newline + 1;
    if (line.at_end()) {
      continue;
    }
    const std::string_view kind = line.next();
    if (kind.starts_with('#')) {
      continue;
    }
    REQUIRE(open == (kind != "function"));
    if (kind == "function") {
      out.push_back({std::string(line.next()), {}, {}, {}, {}, {}});
      open = true;
    } else if (kind == "idom") {
      out.back().immediate_dominators = line.list();
    } else if (kind == "proots") {
      out.back().post_dominator_roots = line.list();
    } else if (kind == "ipdom") {
      out.back().immediate_post_dominators = line.list();
    } else if (kind == "scc") {
      out.back().components = line.list();
    } else if (kind == "loop") {
      out.back().loops.push_back(parse_loop(line));
    } else if (kind == "end") {
      open = false;
    }
  }
  REQUIRE_FALSE(open);
  return out;
}

} // namespace midend_tests

using namespace midend_tests;
using midend_examples::cfg_function;

namespace {

std::int64_t signed_number(node_id n) {
  return n == no_node ? -1 : static_cast<std::int64_t>(n);
}

template <class Range> std::vector<std::int64_t> signed_list(Range&& range) {
  std::vector<std::int64_t> out;
  for (const node_id n : sorted(range)) {
    out.push_back(n);
  }
  return out;
}

/// The loops as the `loop` lines have them, ordered by depth and header.
std::vector<expected_loop> lines_of(const midend::loop_forest& forest) {
  std::vector<expected_loop> out;
  for (const midend::loop_id l : forest.loops()) {
    const midend::loop_id parent = forest.parent(l);
    std::vector<std::int64_t> blocks;
    for (const node_id n : forest.blocks(l)) {
      blocks.push_back(n);
    }
    std::sort(blocks.begin(), blocks.end());
    out.push_back({forest.header(l), parent == midend::no_loop ? -1 : std::int64_t{forest.header(parent)},
                   forest.depth(l), blocks, signed_list(forest.latches(l)), signed_number(forest.preheader(l)),
                   signed_list(forest.exiting_blocks(l)), signed_list(forest.exit_blocks(l))});
  }
  std::sort(out.begin(), out.end(), [](const expected_loop& a, const expected_loop& b) {
    return a.depth != b.depth ? a.depth < b.depth : a.header < b.header;
  });
  return out;
}

/// Component numbers count by equality only; LLVM names those of reachable blocks.
bool same_partition(const midend::component_partition& components, const std::vector<std::int64_t>& expected) {
  std::map<std::int64_t, midend::component_id> ours;
  std::map<midend::component_id, std::int64_t> theirs;
  for (node_id n = 0; n != expected.size(); ++n) {
    if (components.is_reachable(n) != (expected[n] != -1)) {
      return false;
    }
    if (expected[n] != -1 &&
        (ours.emplace(expected[n], components.component(n)).first->second != components.component(n) ||
         theirs.emplace(components.component(n), expected[n]).first->second != expected[n])) {
      return false;
    }
  }
  return true;
}

/// One function, with everything that is used for all functions.
class corpus_check {
public:
  std::string operator()(const cfg_function& function, const expected_function& expected) {
    if (function.name != expected.name || function.num_nodes() != expected.immediate_dominators.size()) {
      return "the files do not have the same functions";
    }
    g_.assign(function);
    if (midend::check_graph(g_)) {
      return "check_graph";
    }
    midend::strongly_connected_components(g_, component_memory_, components_);
    if (!same_partition(components_, expected.components)) {
      return "scc";
    }
    std::string wrong = with("semi_nca", midend::semi_nca, expected);
    if (wrong.empty()) {
      wrong = with("lengauer_tarjan", midend::lengauer_tarjan, expected);
    }
    if (wrong.empty()) {
      wrong = with("lengauer_tarjan_simple", midend::lengauer_tarjan_simple, expected);
    }
    if (wrong.empty()) {
      wrong = with("cooper_harvey_kennedy", midend::cooper_harvey_kennedy, expected);
    }
    if (wrong.empty() && function.num_nodes() <= 400) { // the definition is quadratic
      wrong = with("naive_dominators", midend::naive_dominators, expected);
    }
    if (wrong.empty()) {
      midend::dominators_and_loops(g_, both_memory_, both_);
      wrong = same_immediate_dominators(both_.dominators, expected) ? "" : "idom of dominators_and_loops";
      wrong += lines_of(both_.loops) == expected.loops ? "" : "loops of dominators_and_loops";
    }
    return wrong.empty() ? post_dominators(expected) : wrong;
  }

private:
  static bool same_immediate_dominators(const midend::dominator_tree& tree, const expected_function& expected) {
    for (node_id n = 0; n != tree.num_nodes(); ++n) {
      if (signed_number(tree.immediate_dominator(n)) != expected.immediate_dominators[n]) {
        return false;
      }
    }
    return true;
  }

  template <class Algorithm>
  std::string with(const char* name, Algorithm algorithm, const expected_function& expected) {
    midend::dominators(g_, algorithm, dominators_memory_, tree_);
    midend::natural_loops(g_, tree_, loops_memory_, loops_);
    if (!same_immediate_dominators(tree_, expected)) {
      return join("idom by ", name);
    }
    return lines_of(loops_) == expected.loops ? "" : join("loops with ", name);
  }

  /// The immediate dominators of the reversed graph, entered through a virtual exit behind the roots.
  std::string post_dominators(const expected_function& expected) {
    std::vector<node_id> roots;
    for (const std::int64_t root : expected.post_dominator_roots) {
      roots.push_back(static_cast<node_id>(root));
    }
    const auto with_exit = midend::with_virtual_exit(g_, std::span<const node_id>(roots));
    midend::dominators(midend::reversed(with_exit), midend::semi_nca, dominators_memory_, tree_);
    for (node_id n = 0; n != g_.num_nodes(); ++n) {
      const node_id dominator = tree_.immediate_dominator(n);
      if ((dominator == with_exit.exit() ? -1 : std::int64_t{dominator}) != expected.immediate_post_dominators[n]) {
        return join("ipdom of ", n);
      }
    }
    return {};
  }

  midend::csr_graph g_;
  midend::component_workspace component_memory_;
  midend::component_partition components_;
  midend::dominators_workspace dominators_memory_;
  midend::dominator_tree tree_;
  midend::loops_workspace loops_memory_;
  midend::loop_forest loops_;
  midend::dominators_and_loops_workspace both_memory_;
  midend::dominators_and_loops_result both_;
};

struct counts {
  std::size_t functions;
  std::size_t blocks;
  std::size_t edges;
  std::size_t loops;
};

/// The counts are those of the table in FORMAT.md.
void check_set(const std::string& name, counts expected_counts) {
  std::vector<cfg_function> functions;
  const auto error = midend_examples::read_cfg(std::string(MIDEND_TEST_DATA "/corpus/") + name + ".cfg.gz", functions);
  REQUIRE_MESSAGE(!error.has_value(), (error ? error->to_string() : ""));
  const std::vector<expected_function> expected =
      read_expectations(std::string(MIDEND_TEST_DATA "/corpus/") + name + ".expect.gz");
  REQUIRE(functions.size() == expected.size());
  CHECK(functions.size() == expected_counts.functions);
  corpus_check check;
  counts seen{};
  std::size_t failed = 0;
  for (std::size_t i = 0; i != functions.size(); ++i) {
    const std::string wrong = check(functions[i], expected[i]);
    if (!wrong.empty() && ++failed <= 3) {
      FAIL_CHECK(name << ", function " << functions[i].name << ": " << wrong);
    }
    seen.blocks += functions[i].num_nodes();
    seen.edges += functions[i].successor_list.size();
    seen.loops += expected[i].loops.size();
  }
  CHECK(failed == 0);
  CHECK(seen.blocks == expected_counts.blocks);
  CHECK(seen.edges == expected_counts.edges);
  CHECK(seen.loops == expected_counts.loops);
}

} // namespace

TEST_CASE("corpus: lua5.4-O0") {
  check_set("lua5.4-O0", {1093, 8519, 11026, 311});
}

TEST_CASE("corpus: sqlite3-O0") {
  check_set("sqlite3-O0", {3553, 50337, 68490, 2218});
}

TEST_CASE("corpus: sqlite3-O2") {
  check_set("sqlite3-O2", {2030, 62696, 100537, 4053});
}

TEST_CASE("corpus: irreducible") {
  check_set("irreducible", {300, 15080, 26642, 1544});
}
