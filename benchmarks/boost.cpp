// Boost.Graph, in its two representations:
//
//   boost      adjacency_list<vecS, vecS, bidirectionalS>: for each vertex a vector of out-edges and one of in-edges
//   boost_csr  compressed_sparse_row_graph<bidirectionalS> with 32-bit indices: flat arrays in both directions
//
// The arrays that the algorithms let the caller provide are kept and used again; what they allocate themselves they
// allocate. Functions are given without their unreachable blocks, as lengauer_tarjan_dominator_tree is wrong where one
// of them is a predecessor of a reachable block (edges 0→1, 1→2, 3→2).

#include "linked_function.hpp"
#include "suite.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/property_map/property_map.hpp>
#include <boost/version.hpp>

#include <algorithm>

namespace midend_benchmarks {
namespace {

using adjacency_lists = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
using compressed_rows =
    boost::compressed_sparse_row_graph<boost::bidirectionalS, boost::no_property, boost::no_property,
                                       boost::no_property, std::uint32_t, std::uint32_t>;
using compressed_successors =
    boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property, boost::no_property,
                                       std::uint32_t, std::uint32_t>;

} // namespace
} // namespace midend_benchmarks

namespace boost {

/// The dominator algorithm demands a BidirectionalGraph, of which Boost 1.74's compressed graph lacks this one
/// function. Nothing calls it.
inline std::uint32_t degree(std::uint32_t v, const midend_benchmarks::compressed_rows& g) {
  return in_degree(v, g) + out_degree(v, g);
}

} // namespace boost

namespace midend_benchmarks {
namespace {

using edge_list = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

void list_edges(const flat_function& f, edge_list& edges) {
  edges.clear();
  for (std::uint32_t b = 0; b != f.num_nodes(); ++b) {
    for (const std::uint32_t s : f.successors(b)) {
      edges.emplace_back(b, s);
    }
  }
}

/// All functions of a set. Graphs are made in place: a copy would be laid out in the holes that its original leaves.
template <class Graph> struct boost_functions {
  explicit boost_functions(const dataset& d) {
    edge_list edges;
    edges.reserve(d.num_edges());
    graphs.reserve(d.functions().size());
    for (const flat_function& f : d.functions()) {
      list_edges(f, edges);
      const auto n = static_cast<std::uint32_t>(f.num_nodes());
      if constexpr (std::is_same_v<Graph, compressed_rows>) {
        graphs.emplace_back(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), n);
      } else {
        graphs.emplace_back(edges.begin(), edges.end(), n);
      }
    }
  }

  std::vector<Graph> graphs;
};

/// An array by vertex as the property map that the algorithms want.
template <class T> auto by_vertex(std::vector<T>& values) {
  return boost::make_iterator_property_map(values.begin(), boost::typed_identity_property_map<std::size_t>());
}

/// What the jobs have in common: the graphs.
template <class Graph> class boost_job : public job {
public:
  explicit boost_job(const dataset& d) : data_(d), graphs_(d.shared<boost_functions<Graph>>().graphs) {}

  void pass() final {
    for (const Graph& g : graphs_) {
      analyse(g);
    }
  }

  std::optional<std::string> check() final {
    for (std::size_t i = 0; i != graphs_.size(); ++i) {
      analyse(graphs_[i]);
      if (auto difference = compare(i)) {
        return difference;
      }
    }
    return std::nullopt;
  }

protected:
  using vertex = typename boost::graph_traits<Graph>::vertex_descriptor;

  static constexpr vertex no_vertex() { return static_cast<vertex>(-1); }

  virtual void analyse(const Graph& g) = 0;
  virtual std::optional<std::string> compare(std::size_t function) = 0;

  const dataset& data_;
  const std::vector<Graph>& graphs_;
};

/// depth_first_visit from the entry with a visitor that numbers.
template <class Graph> class depth_first_job final : public boost_job<Graph> {
public:
  using boost_job<Graph>::boost_job;

private:
  using vertex = typename boost_job<Graph>::vertex;

  struct numbering : boost::default_dfs_visitor {
    explicit numbering(depth_first_job& job) : self(&job) {}

    void discover_vertex(vertex v, const Graph&) { self->preorder_[v] = self->discovered_++; }

    void finish_vertex(vertex v, const Graph&) { self->postorder_[v] = self->finished_++; }

    depth_first_job* self;
  };

  void analyse(const Graph& g) override {
    preorder_.resize(num_vertices(g));
    postorder_.resize(num_vertices(g));
    colors_.assign(num_vertices(g), boost::white_color);
    discovered_ = 0;
    finished_ = 0;
    depth_first_visit(g, vertex{0}, numbering(*this), by_vertex(colors_));
  }

  std::optional<std::string> compare(std::size_t function) override {
    return compare_depth_first(this->data_, function, preorder_, postorder_);
  }

  std::vector<boost::default_color_type> colors_;
  std::vector<std::uint32_t> preorder_;
  std::vector<std::uint32_t> postorder_;
  std::uint32_t discovered_ = 0;
  std::uint32_t finished_ = 0;
};

/// The form of lengauer_tarjan_dominator_tree that takes the arrays of the depth-first search from outside.
template <class Graph> class dominators_job final : public boost_job<Graph> {
public:
  using boost_job<Graph>::boost_job;

private:
  using vertex = typename boost_job<Graph>::vertex;
  using count = typename boost::graph_traits<Graph>::vertices_size_type;

  void analyse(const Graph& g) override {
    const auto n = num_vertices(g);
    numbers_.assign(n, count{0});
    parents_.assign(n, this->no_vertex());
    by_number_.assign(n, this->no_vertex());
    dominators_.assign(n, this->no_vertex());
    boost::lengauer_tarjan_dominator_tree(g, vertex{0}, get(boost::vertex_index, g), by_vertex_of(g, numbers_),
                                          by_vertex_of(g, parents_), by_number_, by_vertex_of(g, dominators_));
  }

  template <class T> static auto by_vertex_of(const Graph& g, std::vector<T>& values) {
    return boost::make_iterator_property_map(values.begin(), get(boost::vertex_index, g));
  }

  std::optional<std::string> compare(std::size_t function) override {
    std::vector<std::uint32_t> found(dominators_.size());
    std::transform(dominators_.begin(), dominators_.end(), found.begin(),
                   [](vertex v) { return static_cast<std::uint32_t>(v); }); // null_vertex becomes `none`
    return compare_dominators(this->data_, function, found);
  }

  std::vector<count> numbers_;
  std::vector<vertex> parents_;
  std::vector<vertex> by_number_;
  std::vector<vertex> dominators_;
};

/// strong_components with all its arrays from outside.
template <class Graph> class components_job final : public boost_job<Graph> {
public:
  using boost_job<Graph>::boost_job;

private:
  using vertex = typename boost_job<Graph>::vertex;

  void analyse(const Graph& g) override {
    const auto n = num_vertices(g);
    components_.resize(n);
    roots_.resize(n);
    times_.resize(n);
    colors_.resize(n); // depth_first_search paints all vertices white
    boost::strong_components(
        g, by_vertex(components_),
        boost::root_map(by_vertex(roots_)).discover_time_map(by_vertex(times_)).color_map(by_vertex(colors_)));
  }

  std::optional<std::string> compare(std::size_t function) override {
    return compare_components(this->data_, function, components_);
  }

  std::vector<std::uint32_t> components_;
  std::vector<vertex> roots_;
  std::vector<std::uint32_t> times_;
  std::vector<boost::default_color_type> colors_;
};

/// A compressed graph from a pointer-linked function, with predecessors or successors only. Boost builds from a list of
/// edges, whose buffer is kept; the graph itself can only be built anew.
template <class Graph> class build_job final : public job {
public:
  explicit build_job(const dataset& d) : data_(d), functions_(d.shared<linked_functions>().functions) {}

  void pass() override {
    for (const linked_function& f : functions_) {
      build(f);
    }
  }

  std::optional<std::string> check() override {
    for (std::size_t i = 0; i != functions_.size(); ++i) {
      build(functions_[i]);
      const flat_function& f = data_.functions()[i];
      if (num_vertices(graph_) != f.num_nodes() || num_edges(graph_) != f.targets.size()) {
        return "function " + std::to_string(i) + ": sizes differ";
      }
      for (std::uint32_t b = 0; b != f.num_nodes(); ++b) {
        const auto [first, last] = adjacent_vertices(b, graph_);
        const auto expected = f.successors(b);
        if (!std::equal(first, last, expected.begin(), expected.end())) {
          return "function " + std::to_string(i) + ": successors of block " + std::to_string(b) + " differ";
        }
      }
    }
    return std::nullopt;
  }

private:
  void build(const linked_function& f) {
    edges_.clear();
    for (const auto& b : f.blocks) {
      for (const linked_block* const s : b->successors) {
        edges_.emplace_back(b->index, s->index);
      }
    }
    const auto n = static_cast<std::uint32_t>(f.blocks.size());
    if constexpr (std::is_same_v<Graph, compressed_rows>) {
      graph_ = Graph(boost::edges_are_unsorted_multi_pass, edges_.begin(), edges_.end(), n);
    } else {
      graph_ =
          Graph(boost::edges_are_sorted, edges_.begin(), edges_.end(), n, static_cast<std::uint32_t>(edges_.size()));
    }
  }

  const dataset& data_;
  const std::vector<linked_function>& functions_;
  edge_list edges_;
  Graph graph_;
};

template <class Job> void add(contestants& all, const char* analysis, const char* who) {
  all.push_back(enter<Job>(analysis, who));
  all.back().reachable_only = true;
}

} // namespace

void add_boost(contestants& all) {
  add<depth_first_job<adjacency_lists>>(all, "dfs", "boost");
  add<depth_first_job<compressed_rows>>(all, "dfs", "boost_csr");
  add<dominators_job<adjacency_lists>>(all, "dominators", "boost");
  add<dominators_job<compressed_rows>>(all, "dominators", "boost_csr");
  add<components_job<adjacency_lists>>(all, "scc", "boost");
  add<components_job<compressed_rows>>(all, "scc", "boost_csr");
  add<build_job<compressed_rows>>(all, "csr_build", "boost_csr");
  add<build_job<compressed_successors>>(all, "csr_build", "boost_csr_successors");
}

std::string boost_version() {
  return std::to_string(BOOST_VERSION / 100'000) + "." + std::to_string(BOOST_VERSION / 100 % 1'000) + "." +
         std::to_string(BOOST_VERSION % 100);
}

} // namespace midend_benchmarks
