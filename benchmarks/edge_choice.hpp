/// The updates that all contestants of `dominator_updates` are put through: edges drawn by lot, each of them deleted
/// and then inserted again where it was, so that the functions are as before when the pass is over.
#pragma once

#include "datasets.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace midend_benchmarks {

/// Functions of so many blocks.
struct size_class {
  std::size_t first = 0;
  std::size_t last = std::numeric_limits<std::size_t>::max();
};

/// An edge and its places in the lists of its ends.
struct chosen_edge {
  std::uint32_t source;
  std::uint32_t target;
  std::uint32_t place_in_successors;
  std::uint32_t place_in_predecessors;
};

/// Fewer where a computation from scratch after each edit takes long.
inline std::size_t edges_to_choose(const flat_function& f) {
  return std::min(f.targets.size(), std::clamp<std::size_t>(100'000 / (f.num_nodes() + 1), 4, 100));
}

/// By function; nothing for those of other sizes. Lists of predecessors are in the order of sources.
inline std::vector<std::vector<chosen_edge>> choose_edges(const dataset& d, size_class sizes) {
  std::mt19937 random(1);
  std::vector<std::vector<chosen_edge>> chosen(d.functions().size());
  for (std::size_t i = 0; i != chosen.size(); ++i) {
    const flat_function& f = d.functions()[i];
    if (f.num_nodes() < sizes.first || f.num_nodes() > sizes.last) {
      continue;
    }
    std::vector<chosen_edge> edges;
    std::vector<std::uint32_t> num_predecessors(f.num_nodes(), 0);
    for (std::uint32_t b = 0; b != f.num_nodes(); ++b) {
      std::uint32_t place = 0;
      for (const std::uint32_t s : f.successors(b)) {
        edges.push_back({b, s, place++, num_predecessors[s]++});
      }
    }
    for (std::size_t k = edges_to_choose(f); k != 0; --k) {
      chosen[i].push_back(edges[random() % edges.size()]);
    }
  }
  return chosen;
}

/// Takes the element at `place` out of a list, and puts it there.
template <class T> void take_out(std::vector<T>& list, std::uint32_t place) {
  list.erase(list.begin() + place);
}

template <class T> void put_in(std::vector<T>& list, std::uint32_t place, T value) {
  list.insert(list.begin() + place, value);
}

/// `enter(suffix, sizes)` for the set as a whole and for its functions by size, the latter to find out from which size
/// on updates pay.
template <class Enter> void for_each_size_class(Enter enter) {
  enter("", size_class());
  enter("_2", size_class{2, 9});
  enter("_10", size_class{10, 29});
  enter("_30", size_class{30, 99});
  enter("_100", size_class{100, 299});
  enter("_300", size_class{300, 999});
  enter("_1000", size_class{1000, 2999});
}

/// Whether a set is not divided by size: generated ones have one function, Lua no large ones.
inline bool not_divided(const dataset_name& d) {
  return d.name != "sqlite3-O0" && d.name != "sqlite3-O2";
}

} // namespace midend_benchmarks
