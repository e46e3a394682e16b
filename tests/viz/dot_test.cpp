#include <midend/viz/dot.hpp>

#include <midend/graph/csr_graph.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace {

using midend::edge;
using midend::node_id;

midend::csr_graph graph_of(std::size_t nodes, const std::vector<edge>& edges) {
  return midend::csr_graph::from_edges(nodes, 0, edges).value();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

/// The line that starts, after its indentation, with `words`.
std::string line_of(const std::string& text, std::string_view words) {
  const std::size_t at = text.find(' ' + std::string(words));
  return at == std::string::npos ? std::string() : text.substr(at + 1, text.find('\n', at) - at - 1);
}

/// Braces outside of strings.
bool brackets_match(const std::string& text) {
  long depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i != text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
      if (depth < 0) {
        return false;
      }
    }
  }
  return depth == 0 && !quoted;
}

} // namespace

TEST_CASE("to_dot: nodes, edges, nested loops and the dominator tree") {
  // Loop 2 = {2, 3} inside loop 1 = {1, 2, 3, 4}.
  const auto g = graph_of(6, {{0, 1}, {1, 2}, {2, 3}, {3, 2}, {2, 4}, {4, 1}, {1, 5}});
  const std::string text = midend::to_dot(g, {.title = "f"});
  CHECK(brackets_match(text));
  CHECK(text == midend::to_dot(g, {.title = "f"}));
  CHECK(has(line_of(text, "graph"), "label=\"f\""));
  CHECK(has(text, "label=\"loop 1, depth 1\""));
  CHECK(has(text, "label=\"loop 2, depth 2\""));
  CHECK(text.find("cluster_loop0") < text.find("cluster_loop1"));
  CHECK(text.find("cluster_loop1") < text.find(" n3 ["));
  CHECK(has(line_of(text, "n0 ["), "invhouse"));
  CHECK(has(line_of(text, "n5 ["), "peripheries=\"2\""));
  CHECK(line_of(text, "n0 -> n1") == "n0 -> n1;");
  CHECK(has(line_of(text, "n2 -> n3 [dir"), "dir=\"back\", style=\"bold\"")); // 3 → 2
  CHECK(has(line_of(text, "n1 -> n4"), "dir=\"back\", style=\"bold\""));      // 4 → 1
  for (const char* const tree_edge : {"d0 -> d1;", "d1 -> d2;", "d1 -> d5;", "d2 -> d3;", "d2 -> d4;"}) {
    CHECK(has(text, tree_edge));
  }
  CHECK(count(text, " -> d") == 5);

  const std::string plain = midend::to_dot(g, {.loop_clusters = false, .dominator_tree = false});
  CHECK(brackets_match(plain));
  CHECK(!has(plain, "cluster_loop"));
  CHECK(!has(plain, "d0"));
  CHECK(has(plain, " n3 ["));
}

TEST_CASE("to_dot: retreating edges of irreducible flow are not drawn like backedges") {
  const auto g = graph_of(3, {{0, 1}, {0, 2}, {1, 2}, {2, 1}});
  const std::string text = midend::to_dot(g);
  CHECK(!has(text, "cluster_loop"));
  CHECK(count(text, "style=\"bold,dashed\"") == 1);
  CHECK(count(text, "style=\"bold\"") == 0);
}

TEST_CASE("to_dot: parallel edges, self loops, endless loops, unreachable nodes") {
  const auto g = graph_of(4, {{0, 1}, {0, 1}, {0, 1}, {1, 1}, {1, 1}, {2, 1}, {2, 3}});
  const std::string text = midend::to_dot(g);
  CHECK(has(line_of(text, "n0 -> n1"), "label=\"×3\""));
  CHECK(has(line_of(text, "n1 -> n1"), "label=\"×2\""));
  CHECK(count(text, "n0 -> n1") == 1);
  CHECK(has(text, "label=\"loop 1, depth 1, no exit\""));
  CHECK(has(line_of(text, "n2 ["), "dashed"));
  CHECK(has(line_of(text, "n2 -> n1"), "dashed"));
  CHECK(!has(text, "d2"));

  const std::string reachable = midend::to_dot(g, {.unreachable = false});
  CHECK(!has(reachable, "n2"));
  CHECK(!has(reachable, "n3"));
  CHECK(has(reachable, "n0 -> n1"));
}

TEST_CASE("to_dot: labels are shown as they are") {
  const auto g = graph_of(2, {{0, 1}});
  const std::string text = midend::to_dot(g, {.title = "a\"b\\N&lt;\x01"}, [](node_id n) {
    return n == 0 ? std::string("x = \"\\n\";\nbr {") : std::string("é");
  });
  CHECK(brackets_match(text));
  CHECK(has(text, "label=\"a\\\"b\\\\N&amp;lt; \""));
  CHECK(has(text, "label=\"x = \\\"\\\\n\\\";\\nbr {\""));
  CHECK(has(text, "label=\"é\""));
}

TEST_CASE("to_dot: a graph without nodes, and one with one node") {
  CHECK(brackets_match(midend::to_dot(midend::csr_graph())));
  CHECK(has(midend::to_dot(graph_of(1, {})), "invhouse"));
}

TEST_CASE("to_dot: a nest of 20000 loops takes linear text and no recursion") {
  constexpr node_id depth = 20000;
  std::vector<edge> edges;
  for (node_id n = 0; n != depth; ++n) { // headers 1 … depth, latches after them
    edges.push_back({n, n + 1});
  }
  for (node_id n = 0; n != depth; ++n) {
    edges.push_back({depth + n, depth - n});
    edges.push_back({depth + n, depth + n + 1});
  }
  const std::string text = midend::to_dot(graph_of(2 * std::size_t{depth} + 1, edges));
  CHECK(count(text, "subgraph cluster_loop") == depth);
  CHECK(brackets_match(text));
  CHECK(text.size() < 1000 * std::size_t{depth});
}
