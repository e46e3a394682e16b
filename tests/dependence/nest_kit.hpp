/// Equipment of the tests of dependences: nests in one line, and all pairs of iterations by running them.
#pragma once

#include <midend/dependence/dependence.hpp>
#include <midend/dependence/nest_accesses.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace midend_tests {

using midend::access_id;
using midend::counter_id;
using midend::nest_access;
using midend::nest_accesses;
using midend::nest_term;

/// Loops of exact trip counts, one inside of the other.
inline counter_id add_loops(nest_accesses& nest, const std::vector<std::uint64_t>& trips) {
  counter_id inside = midend::no_counter;
  for (const std::uint64_t t : trips) {
    inside = nest.add_counter(inside, midend::trip_bound::exact, t);
  }
  return inside;
}

/// An access in `loop` to base 1 + `constant` + Σ factors · counters around, from outside in.
inline access_id add_access(nest_accesses& nest, counter_id loop, const std::vector<std::int64_t>& factors,
                            std::int64_t constant, std::uint32_t bytes, bool writes = false) {
  std::vector<nest_term> terms;
  for (std::uint32_t d = 0; d != factors.size(); ++d) {
    if (factors[d] != 0) {
      terms.push_back({nest.loop_at(loop, d), false, factors[d]});
    }
  }
  nest_access a;
  a.loop = loop;
  a.bytes = bytes;
  a.base = 1;
  a.writes = writes;
  a.reads = !writes;
  return nest.add_access(a, constant, terms);
}

/// A run of an access: the counters of the loops around it, and the address.
struct access_run {
  std::vector<std::int64_t> counters;
  std::uint64_t address;
};

/// All runs of an access of a nest whose bounds are exact, with limits of counters and without symbols.
inline std::vector<access_run> runs_of(const nest_accesses& nest, access_id id) {
  const nest_access& a = nest.access(id);
  const std::uint32_t depth = nest.depth_below(a.loop);
  std::vector<access_run> out;
  std::vector<std::int64_t> k(depth, 0);
  const auto value = [&](const midend::nest_form& f) {
    std::int64_t sum = f.constant;
    for (const nest_term& t : nest.terms(f)) {
      sum += t.coefficient * k[nest.depth_below(t.index) - 1];
    }
    return sum;
  };
  const auto trips = [&](std::uint32_t d) {
    const midend::nest_counter& c = nest.counter(nest.loop_at(a.loop, d));
    auto n = static_cast<std::int64_t>(c.trips);
    n = c.has_limit && value(c.limit) < n ? value(c.limit) : n;
    return n - static_cast<std::int64_t>(a.skipped >> d & 1);
  };
  std::uint32_t d = 0;
  for (;;) { // enter loop d with k[d], or leave it
    if (d == depth) {
      const auto address = static_cast<std::uint64_t>(value(a.place));
      const unsigned bits = nest.address_bits();
      out.push_back({k, bits == 0 || bits == 64 ? address : address & ((std::uint64_t{1} << bits) - 1)});
    } else if (k[d] < trips(d)) {
      if (++d != depth) {
        k[d] = 0;
      }
      continue;
    }
    if (d == 0) {
      return out;
    }
    --d;
    ++k[d];
  }
}

/// Whether two places have a byte in common.
inline bool meet(const nest_accesses& nest, const nest_access& a, std::uint64_t x, const nest_access& b,
                 std::uint64_t y) {
  const unsigned bits = nest.address_bits();
  if (bits == 0) {
    const auto d = static_cast<std::int64_t>(x - y);
    return d < static_cast<std::int64_t>(b.bytes) && -d < static_cast<std::int64_t>(a.bytes);
  }
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  return ((x - y) & mask) < b.bytes || ((y - x) & mask) < a.bytes;
}

/// The vectors of orders in which two accesses meet, as digits 0, 1, 2 from outside in, and the distances of each
/// level.
struct meetings {
  std::set<std::vector<int>> vectors;
  std::vector<std::set<std::int64_t>> distances;
};

inline meetings all_meetings(const nest_accesses& nest, access_id a, access_id b) {
  const std::uint32_t levels = nest.common_levels(a, b);
  meetings out;
  out.distances.resize(levels);
  const std::vector<access_run> first = runs_of(nest, a);
  const std::vector<access_run> second = runs_of(nest, b);
  for (const access_run& x : first) {
    for (const access_run& y : second) {
      if ((a == b && x.counters == y.counters) || !meet(nest, nest.access(a), x.address, nest.access(b), y.address)) {
        continue;
      }
      std::vector<int> vector;
      for (std::uint32_t i = 0; i != levels; ++i) {
        vector.push_back(x.counters[i] < y.counters[i] ? 0 : x.counters[i] == y.counters[i] ? 1 : 2);
        out.distances[i].insert(y.counters[i] - x.counters[i]);
      }
      out.vectors.insert(vector);
    }
  }
  return out;
}

} // namespace midend_tests
