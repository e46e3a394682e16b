#include "kit/nest_generator.hpp"

#include <midend/dominance/dominators.hpp>

#include <algorithm>
#include <utility>

namespace midend_tests {
namespace {

constexpr unsigned widths[] = {4, 8, 16, 32, 64};

/// A piece of the program: straight code, a branch whose arms meet again, or a loop.
struct piece {
  enum class kind { code, diamond, loop } what = kind::code;
  node_id first = 0; ///< code; the node that branches; the header
  node_id arms[2] = {0, 0};
  node_id last = 0; ///< where arms meet; the latch
  node_id after = 0;
  bool tests_at_end = false;
  bool leaves = false; ///< the first arm of a branch may leave the loop around
  std::vector<piece> body;
};

/// First the nodes and edges, then what they compute.
class nest_writer {
public:
  nest_writer(random_source& random, unsigned parameters) : random_(random), num_parameters_(parameters) {}

  semantic_program write(unsigned depth) {
    node_id at = new_node();
    const node_id entry = at;
    std::vector<piece> pieces = shape(at, depth, 2);
    out_ = semantic_program(nodes_, edges_, entry);
    for (unsigned i = 0; i != num_parameters_; ++i) {
      visible_.push_back(out_.parameter(widths[i % 5]));
    }
    fill(pieces);
    return std::move(out_);
  }

private:
  // ---- The graph.

  node_id new_node() { return static_cast<node_id>(nodes_++); }

  void connect(node_id from, node_id to) { edges_.push_back({from, to}); }

  std::vector<piece> shape(node_id& at, unsigned depth, unsigned most) {
    std::vector<piece> out;
    const unsigned count = 1 + random_.below(most);
    for (unsigned i = 0; i != count; ++i) {
      out.push_back(code(at));
      if (depth != 0 && (i == 0 || random_.one_in(2))) {
        out.push_back(loop(at, depth - 1));
      } else if (random_.one_in(2)) {
        out.push_back(diamond(at));
      }
    }
    out.push_back(code(at));
    return out;
  }

  static piece code(node_id n) {
    piece p;
    p.first = n;
    return p;
  }

  /// In a loop whose `after` is known, an arm may leave it.
  piece diamond(node_id& at) {
    piece p;
    p.what = piece::kind::diamond;
    p.first = at;
    p.arms[0] = new_node();
    p.arms[1] = new_node();
    p.last = new_node();
    connect(at, p.arms[0]);
    connect(at, p.arms[1]);
    connect(p.arms[0], p.last);
    connect(p.arms[1], p.last);
    p.leaves = !exits_.empty() && random_.one_in(3);
    if (p.leaves) {
      connect(p.arms[0], exits_.back());
    }
    at = p.last;
    return p;
  }

  piece loop(node_id& at, unsigned depth) {
    piece p;
    p.what = piece::kind::loop;
    p.tests_at_end = random_.one_in(2);
    p.first = new_node();
    p.after = new_node();
    connect(at, p.first);
    node_id inside = p.first;
    if (!p.tests_at_end) {
      inside = new_node();
      connect(p.first, inside);
      connect(p.first, p.after);
    }
    exits_.push_back(p.after);
    p.body = shape(inside, depth, 2);
    exits_.pop_back();
    p.last = inside;
    connect(inside, p.first);
    if (p.tests_at_end) {
      connect(inside, p.after);
    }
    at = p.after;
    return p;
  }

  // ---- What nodes compute.

  unsigned width(value_id v) const { return out_.operation(v).width; }

  value_id any_of(unsigned w) {
    std::vector<value_id> found;
    for (const value_id v : visible_) {
      if (width(v) == w) {
        found.push_back(v);
      }
    }
    if (found.empty() || random_.one_in(4)) {
      return out_.literal(random_.one_in(3) ? random_.next() : random_.below(7), w);
    }
    // Those from the loops inside of which this is are met more often.
    return found[random_.one_in(2) ? found.size() - 1 - random_.below(std::min<std::size_t>(found.size(), 4))
                                   : random_.below(found.size())];
  }

  midend::operation_flags any_promises() { return {random_.one_in(5), random_.one_in(7)}; }

  value_id define(value_id v) {
    visible_.push_back(v);
    return v;
  }

  value_id compute(node_id n) {
    const unsigned w = widths[random_.below(5)];
    const unsigned other = widths[random_.below(5)];
    const value_id a = any_of(w);
    switch (random_.below(16)) {
    case 0:
    case 1:
    case 2:
      return define(out_.op(n, operation::add, {a, any_of(w)}, w, 0, any_promises()));
    case 3:
      return define(out_.op(n, operation::sub, {a, any_of(w)}, w, 0, any_promises()));
    case 4:
      return define(out_.op(n, operation::mul, {a, out_.literal(random_.below(6), w)}, w, 0, any_promises()));
    case 5:
      return define(out_.op(n, operation::mul, {a, any_of(w)}, w, 0, any_promises()));
    case 6:
      return define(out_.op(n, operation::shl, {a, out_.literal(random_.below(3), w)}, w, 0, any_promises()));
    case 7:
      return define(out_.op(n, random_.one_in(2) ? operation::neg : operation::bit_not, {a}, w));
    case 8:
      return define(out_.op(n, operation::bit_and, {a, out_.literal(random_.one_in(2) ? 7 : random_.next(), w)}, w));
    case 9:
      return define(
          out_.op(n, operation::shladd, {a, out_.literal(random_.below(3), w), any_of(w)}, w, 0, any_promises()));
    case 10:
      return define(out_.call(n, {}, w));
    case 11:
      return define(out_.op(n, operation::bit_or, {a, any_of(w)}, w));
    default:
      if (other == w) {
        return define(out_.op(n, operation::copy, {a}, w));
      }
      return other > w ? define(out_.op(n, random_.one_in(2) ? operation::zero_extend : operation::sign_extend, {a},
                                        other, w))
                       : define(out_.op(n, operation::truncate, {a}, other, w));
    }
  }

  value_id any_test(node_id n, value_id a) {
    const auto code = static_cast<operation>(static_cast<unsigned>(operation::equal) + random_.below(10));
    return out_.op(n, code, {a, any_of(width(a))}, width(a));
  }

  void fill(const std::vector<piece>& pieces) {
    for (const piece& p : pieces) {
      switch (p.what) {
      case piece::kind::code:
        for (std::size_t i = random_.below(4); i != 0; --i) {
          compute(p.first);
        }
        break;
      case piece::kind::diamond:
        fill_diamond(p);
        break;
      case piece::kind::loop:
        fill_loop(p);
        break;
      }
    }
  }

  void fill_diamond(const piece& p) {
    const unsigned w = widths[random_.below(5)];
    const value_id base = any_of(w);
    out_.branch(p.first, any_test(p.first, any_of(w)));
    const std::size_t before = visible_.size();
    value_id results[2];
    const bool agree = random_.one_in(2);
    const value_id added = any_of(w);
    for (unsigned arm = 0; arm != 2; ++arm) {
      compute(p.arms[arm]);
      if (arm == 0 && p.leaves) {
        out_.branch(p.arms[0],
                    out_.op(p.arms[0], operation::not_equal, {out_.call(p.arms[0], {}, 4), out_.literal(3, 4)}, 4));
        leaving_.back() = std::min(leaving_.back(), before);
      }
      results[arm] = out_.op(p.arms[arm], operation::add, {base, agree ? added : any_of(w)}, w, 0, any_promises());
      visible_.resize(before);
    }
    if (random_.one_in(4)) {
      results[1] = base;
    }
    const value_id joined = out_.phi(p.last, w);
    out_.set_input(joined, out_.edge_of(p.arms[0]), results[0]);
    out_.set_input(joined, out_.edge_of(p.arms[1]), results[1]);
    define(joined);
  }

  void fill_loop(const piece& p) {
    std::vector<value_id> phis;
    std::vector<value_id> starts;
    const std::size_t count = 1 + random_.below(4);
    for (std::size_t i = 0; i != count; ++i) {
      const unsigned w = widths[random_.below(5)];
      starts.push_back(random_.one_in(2) ? out_.literal(random_.below(4), w) : any_of(w));
    }
    for (const value_id s : starts) {
      phis.push_back(define(out_.phi(p.first, width(s))));
    }
    const value_id counter = phis.front();
    const unsigned w = width(counter);
    const std::uint64_t size = random_.one_in(5) ? 3 : 1;
    const value_id step = out_.literal(random_.one_in(4) ? 0 - size : size, w);
    const value_id bound = random_.one_in(2) ? out_.literal(random_.below(9), w) : any_of(w);
    std::size_t seen = 0;
    if (!p.tests_at_end) {
      compute(p.first);
      seen = visible_.size();
      test(p.first, counter, bound);
    }
    leaving_.push_back(~std::size_t{0});
    fill(p.body);
    const value_id next = define(out_.op(p.last, operation::add, {counter, step}, w, 0, any_promises()));
    out_.set_input(counter, back_edge(p), next);
    for (std::size_t i = 1; i != phis.size(); ++i) {
      out_.set_input(phis[i], back_edge(p), next_of(phis[i], p.last));
    }
    if (p.tests_at_end) {
      seen = visible_.size();
      test(p.last, random_.one_in(2) ? next : counter, bound);
    }
    for (std::size_t i = 0; i != phis.size(); ++i) {
      set_entry(phis[i], p, starts[i]);
    }
    visible_.resize(std::min(seen, leaving_.back())); // the nodes of these values dominate all exits
    leaving_.pop_back();
  }

  edge_id back_edge(const piece& p) const { return out_.edge_of(p.last, 0); }

  void set_entry(value_id phi, const piece& p, value_id start) {
    for (const edge_id e : out_.graph().in_edges(p.first)) {
      if (e != back_edge(p)) {
        out_.set_input(phi, e, start);
      }
    }
  }

  /// The loop goes on while the comparison holds.
  void test(node_id n, value_id counter, value_id bound) {
    constexpr operation codes[] = {operation::less,       operation::uless,     operation::not_equal,
                                   operation::less_equal, operation::not_equal, operation::ugreater};
    const operation code = codes[random_.below(6)];
    const bool swaps = random_.one_in(4);
    value_id c = counter;
    value_id b = bound;
    if (width(c) < 64 && random_.one_in(5)) { // compared in more bits
      const operation extends = random_.one_in(2) ? operation::zero_extend : operation::sign_extend;
      c = out_.op(n, extends, {c}, 64, width(counter));
      b = out_.op(n, extends, {b}, 64, width(counter));
    }
    const value_id a = swaps ? b : c;
    const value_id other = swaps ? c : b;
    out_.branch(n, out_.op(n, swaps ? midend::mirrored(code) : code, {a, other}, width(a)));
  }

  /// What a phi is in the next iteration.
  value_id next_of(value_id phi, node_id n) {
    const unsigned w = width(phi);
    switch (random_.below(9)) {
    case 0:
      return any_of(w);
    case 1:
      return out_.op(n, operation::mul, {phi, out_.literal(random_.below(5), w)}, w, 0, any_promises());
    case 2: {
      const value_id scaled = out_.op(n, operation::mul, {phi, out_.literal(random_.below(5), w)}, w);
      return out_.op(n, operation::add, {scaled, any_of(w)}, w);
    }
    case 3:
      return out_.op(n, operation::sub, {phi, any_of(w)}, w, 0, any_promises());
    default:
      return out_.op(n, operation::add, {random_.one_in(3) ? any_of(w) : phi, any_of(w)}, w, 0, any_promises());
    }
  }

  random_source& random_;
  unsigned num_parameters_;
  std::size_t nodes_ = 0;
  std::vector<midend::edge> edges_;
  semantic_program out_;
  std::vector<value_id> visible_;
  std::vector<node_id> exits_;       ///< of the loops around
  std::vector<std::size_t> leaving_; ///< how many values are visible where an arm leaves the loop
};

} // namespace

semantic_program random_nest(random_source& random, unsigned depth, unsigned parameters) {
  return nest_writer(random, parameters).write(depth);
}

semantic_program random_counters(random_source& random, const test_graph& g, unsigned width) {
  semantic_program p(make_csr(g));
  const midend::csr_graph& graph = p.graph();
  const midend::dominator_tree tree = midend::dominators(graph);
  std::vector<std::vector<value_id>> phis(graph.num_nodes());
  std::vector<std::vector<value_id>> visible(graph.num_nodes());
  const value_id parameters[] = {p.parameter(width), p.parameter(width)};
  for (const node_id n : tree.preorder()) {
    if (n != tree.root()) {
      visible[n] = visible[tree.immediate_dominator(n)];
    } else {
      visible[n].assign(parameters, parameters + 2);
    }
    for (std::size_t i = graph.in_edges(n).size() > 1 && n != graph.entry() ? random.below(3) : 0; i != 0; --i) {
      phis[n].push_back(p.phi(n, width));
      visible[n].push_back(phis[n].back());
    }
    const auto any = [&] {
      return random.one_in(3) ? p.literal(random.below(5), width) : visible[n][random.below(visible[n].size())];
    };
    for (std::size_t i = random.below(3); i != 0; --i) {
      constexpr operation codes[] = {operation::add, operation::sub, operation::add, operation::bit_or};
      const midend::operation_flags promises{random.one_in(4), random.one_in(6)};
      visible[n].push_back(p.op(n, codes[random.below(4)], {any(), any()}, width, 0, promises));
    }
  }
  for (const node_id n : tree.preorder()) {
    for (const value_id phi : phis[n]) {
      for (const edge_id e : graph.in_edges(n)) {
        const node_id from = graph.edge_source(e);
        value_id input = p.literal(random.below(3), width);
        if (tree.is_reachable(from) && tree.dominates(n, from) && !random.one_in(4)) {
          input = p.op(from, operation::add, {phi, p.literal(1 + random.below(3), width)}, width, 0,
                       {random.one_in(4), random.one_in(6)});
        } else if (tree.is_reachable(from) && random.one_in(2)) {
          input = visible[from][random.below(visible[from].size())];
        }
        p.set_input(phi, e, input);
      }
    }
  }
  for (const node_id n : tree.preorder()) {
    const std::size_t edges = graph.out_edges(n).size();
    if (edges > 1) {
      const value_id a = visible[n].back();
      const auto code = static_cast<operation>(static_cast<unsigned>(operation::equal) + random.below(10));
      const value_id bit =
          random.one_in(3) ? p.call(n, {}, 1) : p.op(n, code, {a, p.literal(random.below(20), width)}, width);
      const value_id test = edges == 2 ? bit : a;
      std::vector<std::optional<std::uint64_t>> cases(edges);
      cases[0] = 1;
      for (std::size_t i = 2; i != edges; ++i) {
        cases[i] = i;
      }
      p.switch_on(n, test, cases);
    }
  }
  return p;
}

} // namespace midend_tests
