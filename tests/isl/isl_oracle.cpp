// isl as a second, exact oracle of `dependence`, for nests that are too large to enumerate, with symbols.
//
//     midend_isl_oracle [NESTS [FIRST_SEED]] [--perturb=trips|place|order|distance|independent|proof]
//
// Each nest is written as text for isl from the documents: the iterations of both accesses, the symbols as parameters,
// and, where addresses are modulo 2^n, one more integer that counts how often the two addresses differ by 2^n. So
// nothing has to be promised about sums that wrap. isl has integers of any size. What the library excludes must be
// empty for isl, and what it has a witness for must not be. With --perturb, the library is given another nest, or its
// answer is changed: then this program must fail.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/local_space.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>
#include <midend/dependence/dependence.hpp>
#include <midend/dependence/nest_accesses.hpp>
#include <midend/dependence/verify_dependences.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace {

using midend::access_id;
using midend::counter_id;
using midend::dependence_answer;
using midend::dependence_case;
using midend::dependence_case_kind;
using midend::dependence_result;
using midend::iteration_order;
using midend::nest_access;
using midend::nest_accesses;
using midend::nest_form;
using midend::nest_term;
using midend::trip_bound;

enum class mistake : std::uint8_t { none, trips, place, order, distance, independent, proof };

/// A nest before the library has it, so that it can get another one by mistake.
struct plan {
  struct loop {
    counter_id parent = midend::no_counter;
    trip_bound bound = trip_bound::unknown;
    std::uint64_t trips = 0;
    bool has_limit = false;
    std::int64_t limit = 0;
    std::vector<nest_term> limit_terms;
  };

  struct access {
    counter_id loop = midend::no_counter;
    std::uint32_t bytes = 1;
    std::uint64_t skipped = 0;
    std::int64_t constant = 0;
    std::vector<nest_term> terms;
  };

  unsigned address_bits = 64;
  std::vector<loop> loops;
  std::vector<midend::nest_symbol> symbols;
  std::vector<access> accesses;
};

/// Random nests in which accesses nearly meet: rows of an array, distances near the lengths of rows and loops.
class plan_maker {
public:
  explicit plan_maker(std::uint64_t seed) : random_(seed) {}

  plan make() {
    plan out;
    const unsigned bits[] = {0, 0, 0, 0, 64, 64, 64, 32, 16, 8};
    out.address_bits = bits[below(10)];
    element_ = std::int64_t{1} << below(4);
    width_ = below(3) == 0 ? 2 + below(10) : below(2) == 0 ? 10 + below(500) : 500 + below(100'000);
    for (std::int64_t i = below(3); i > 0; --i) {
      out.symbols.push_back(make_symbol());
    }
    const std::int64_t depth = 1 + below(3);
    for (std::int64_t i = 0; i != depth; ++i) {
      out.loops.push_back(make_loop(out, i == 0 ? midend::no_counter : static_cast<counter_id>(i - 1)));
    }
    if (below(3) == 0) { // another loop beside an inner one
      const auto parent = static_cast<counter_id>(below(depth));
      if (depth_of(out, parent) < 3) {
        out.loops.push_back(make_loop(out, parent));
      }
    }
    for (int i = 0; i != 3; ++i) {
      out.accesses.push_back(make_access(out, static_cast<counter_id>(depth - 1)));
    }
    return out;
  }

private:
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }

  static std::uint32_t depth_of(const plan& p, counter_id c) {
    std::uint32_t out = 0;
    for (; c != midend::no_counter; c = p.loops[c].parent) {
      ++out;
    }
    return out;
  }

  std::int64_t sign() { return below(4) == 0 ? -1 : 1; }

  std::int64_t any_number() {
    const auto n = static_cast<std::int64_t>(random_() >> (1 + below(62)));
    return below(2) == 0 ? n : -n;
  }

  midend::nest_symbol make_symbol() {
    midend::nest_symbol s;
    s.is_bounded = below(4) != 0;
    const std::int64_t lows[] = {0, 1, width_, width_ - 1, -10, -0x8000'0000LL};
    s.low = lows[below(6)];
    const std::int64_t more[] = {0, 3, width_, 1000, 0x7fff'ffff, std::int64_t{1} << 50};
    s.high = s.low + more[below(6)];
    return s;
  }

  std::uint64_t make_trips() {
    switch (below(12)) {
    case 0:
    case 1:
      return static_cast<std::uint64_t>(below(6));
    case 2:
    case 3:
      return static_cast<std::uint64_t>(6 + below(200));
    case 4:
    case 5:
    case 6:
      return static_cast<std::uint64_t>(width_);
    case 7:
      return static_cast<std::uint64_t>(width_ - 1 + below(3));
    case 8:
    case 9:
      return static_cast<std::uint64_t>(10'000 + below(1'000'000'000));
    case 10:
      return random_() >> below(60);
    default:
      return std::uint64_t{1} << below(64);
    }
  }

  std::int64_t make_offset() { return below(3) == 0 ? 0 : below(3) == 0 ? width_ - below(3) : below(9) - 4; }

  plan::loop make_loop(const plan& p, counter_id parent) {
    plan::loop out;
    out.parent = parent;
    const std::int64_t kind = below(10);
    out.bound = kind == 0 ? trip_bound::unknown : kind < 3 ? trip_bound::at_most : trip_bound::exact;
    out.trips = out.bound == trip_bound::unknown ? 0 : make_trips();
    if (below(3) == 0) {
      out.has_limit = true;
      out.limit = make_offset();
      if (below(2) == 0) {
        out.bound = trip_bound::unknown;
      }
      for (counter_id c = parent; c != midend::no_counter; c = p.loops[c].parent) {
        if (below(2) == 0) {
          out.limit_terms.push_back({c, false, sign() * (below(4) == 0 ? 2 + below(3) : 1)});
        }
      }
      for (std::uint32_t s = 0; s != p.symbols.size(); ++s) {
        if (below(2) == 0) {
          out.limit_terms.push_back({s, true, sign() * (below(5) == 0 ? 2 : 1)});
        }
      }
    }
    return out;
  }

  std::int64_t make_factor(std::uint32_t levels_inside) {
    switch (below(16)) {
    case 0:
    case 1:
      return 0;
    case 2:
    case 3:
      return below(41) - 20;
    case 4:
      return sign() * element_ * (1 + below(5));
    case 5:
      return sign() * element_ * (width_ + 1);
    case 6:
      return sign() * element_ * (width_ - 1);
    case 7:
      return below(4) == 0 ? any_number() : -element_;
    default:
      break;
    }
    std::int64_t out = element_;
    for (std::uint32_t i = 0; i != levels_inside; ++i) {
      out *= width_;
    }
    return sign() * out;
  }

  plan::access make_access(const plan& p, counter_id innermost) {
    plan::access out;
    out.loop = below(4) != 0 ? innermost : static_cast<counter_id>(below(static_cast<std::int64_t>(p.loops.size())));
    out.bytes = static_cast<std::uint32_t>(below(4) == 0 ? 1 + below(16) : element_);
    const std::uint32_t depth = depth_of(p, out.loop);
    for (std::uint32_t d = 0; d != depth; ++d) {
      out.skipped |= static_cast<std::uint64_t>(below(6) == 0 ? 1 : 0) << d;
    }
    out.constant = element_ * (make_offset() + width_ * (below(3) == 0 ? below(5) - 2 : 0));
    out.constant += below(5) == 0 ? below(7) - 3 : 0;
    out.constant = below(40) == 0 ? any_number() : out.constant;
    if (!p.accesses.empty() && p.accesses[0].loop == out.loop && below(5) < 3) { // the same subscripts, elsewhere
      out.terms = p.accesses[0].terms;
      if (!out.terms.empty() && below(4) == 0) {
        out.terms[static_cast<std::size_t>(below(static_cast<std::int64_t>(out.terms.size())))].coefficient += element_;
      }
      return out;
    }
    std::uint32_t level = 0;
    for (counter_id c = out.loop; c != midend::no_counter; c = p.loops[c].parent, ++level) {
      if (const std::int64_t factor = make_factor(level); factor != 0) {
        out.terms.push_back({c, false, factor});
      }
    }
    for (std::uint32_t s = 0; s != p.symbols.size(); ++s) {
      if (below(3) == 0) {
        out.terms.push_back({s, true, sign() * element_ * (below(3) == 0 ? width_ : 1)});
      }
    }
    return out;
  }

  std::mt19937_64 random_;
  std::int64_t element_ = 1;
  std::int64_t width_ = 2;
};

void build(const plan& p, mistake made, nest_accesses& nest) {
  nest.clear(p.address_bits);
  for (const midend::nest_symbol& s : p.symbols) {
    nest.add_symbol(s);
  }
  for (const plan::loop& l : p.loops) {
    const bool one_less = made == mistake::trips && l.trips != 0;
    const counter_id c = nest.add_counter(l.parent, l.bound, l.trips - (one_less ? 1 : 0));
    if (l.has_limit) {
      nest.set_limit(c, l.limit - (made == mistake::trips ? 1 : 0), {l.limit_terms.data(), l.limit_terms.size()});
    }
  }
  for (const plan::access& x : p.accesses) {
    nest_access a;
    a.loop = x.loop;
    a.bytes = x.bytes;
    a.base = 1;
    a.writes = true;
    a.skipped = x.skipped;
    const std::int64_t moved = made == mistake::place && nest.num_accesses() == 1 ? 1 : 0;
    nest.add_access(a, x.constant + moved, {x.terms.data(), x.terms.size()});
  }
}

// Text for isl.

std::vector<counter_id> loops_around(const plan& p, counter_id c) {
  std::vector<counter_id> out;
  for (; c != midend::no_counter; c = p.loops[c].parent) {
    out.insert(out.begin(), c);
  }
  return out;
}

std::string name_of(char letter, std::size_t n) {
  return letter + std::to_string(n);
}

/// Counters of the first access are x, those of the second one y, by loop.
std::string text_of(std::int64_t constant, const std::vector<nest_term>& terms, char letter) {
  std::string out = std::to_string(constant);
  for (const nest_term& t : terms) {
    out += " + " + std::to_string(t.coefficient) + "*" + name_of(t.is_symbol ? 's' : letter, t.index);
  }
  return out;
}

std::string power_of_two(unsigned bits) {
  return bits == 64 ? "18446744073709551616" : std::to_string(std::uint64_t{1} << bits);
}

std::string iterations_of(const plan& p, const plan::access& a, char letter) {
  std::string out;
  const std::vector<counter_id> around = loops_around(p, a.loop);
  for (std::size_t d = 0; d != around.size(); ++d) {
    const plan::loop& l = p.loops[around[d]];
    const std::string counter = name_of(letter, around[d]);
    const std::string after = counter + ((a.skipped >> d & 1) != 0 ? " + 2" : " + 1"); // must have begun as well
    out += " and " + counter + " >= 0";
    if (l.bound != trip_bound::unknown) {
      out += " and " + after + " <= " + std::to_string(l.trips);
    }
    if (l.has_limit) {
      out += " and " + after + " <= " + text_of(l.limit, l.limit_terms, letter);
    }
  }
  return out;
}

std::string text_of(const plan& p, access_id first, access_id second) {
  const plan::access& a = p.accesses[first];
  const plan::access& b = p.accesses[second];
  std::string out = "[";
  for (std::size_t s = 0; s != p.symbols.size(); ++s) {
    out += (s == 0 ? "" : ", ") + name_of('s', s);
  }
  out += "] -> { [";
  bool is_first = true;
  for (const char letter : {'x', 'y'}) {
    for (const counter_id c : loops_around(p, letter == 'x' ? a.loop : b.loop)) {
      out += (is_first ? "" : ", ") + name_of(letter, c);
      is_first = false;
    }
  }
  out += "] : exists (q : ";
  const std::string apart = text_of(a.constant, a.terms, 'x') + " - (" + text_of(b.constant, b.terms, 'y') + ")" +
                            (p.address_bits != 0 ? " + " + power_of_two(p.address_bits) + "*q" : "");
  // [u, u + a) and [v, v + b) have a byte in common if u < v + b and v < u + a.
  out += apart + " < " + std::to_string(b.bytes) + " and " + apart + " > -" + std::to_string(a.bytes);
  out += iterations_of(p, a, 'x') + iterations_of(p, b, 'y');
  for (std::size_t s = 0; s != p.symbols.size(); ++s) {
    if (p.symbols[s].is_bounded) {
      out += " and " + std::to_string(p.symbols[s].low) + " <= " + name_of('s', s) +
             " <= " + std::to_string(p.symbols[s].high);
    }
  }
  return out + ") }";
}

/// What isl says of a set.
enum class emptiness : std::uint8_t { empty, not_empty, gave_up };

/// A context of isl, which counts where it gave up.
class oracle {
public:
  oracle() : context_(isl_ctx_alloc()) { isl_options_set_on_error(context_, ISL_ON_ERROR_CONTINUE); }

  oracle(const oracle&) = delete;
  oracle& operator=(const oracle&) = delete;

  ~oracle() { isl_ctx_free(context_); }

  /// Null is an error, which is the caller's: the text is ours.
  isl_set* read(const std::string& text) {
    restart();
    return isl_set_read_from_str(context_, text.c_str());
  }

  /// Takes `set`.
  emptiness is_empty(isl_set* set) {
    restart();
    const isl_bool found = isl_set_is_empty(set);
    isl_set_free(set);
    if (found == isl_bool_error) {
      failed_ = failed_ || isl_ctx_last_error(context_) != isl_error_quota;
      isl_ctx_reset_error(context_);
      return emptiness::gave_up;
    }
    return found == isl_bool_true ? emptiness::empty : emptiness::not_empty;
  }

  /// The iterations of `set` with y - x · `sign` + `constant` >= 0 at two places. Keeps `set`.
  isl_set* restricted(isl_set* set, int x, int y, int sign, int constant) {
    isl_constraint* c = isl_constraint_alloc_inequality(isl_local_space_from_space(isl_set_get_space(set)));
    c = isl_constraint_set_coefficient_si(c, isl_dim_set, y, sign);
    c = isl_constraint_set_coefficient_si(c, isl_dim_set, x, -sign);
    c = isl_constraint_set_constant_si(c, constant);
    return isl_set_add_constraint(isl_set_copy(set), c);
  }

  /// The iterations with y - x >= d (`sign` 1) or y - x <= d (-1).
  isl_set* apart(isl_set* set, int x, int y, int sign, std::int64_t d) {
    isl_constraint* c = isl_constraint_alloc_inequality(isl_local_space_from_space(isl_set_get_space(set)));
    c = isl_constraint_set_coefficient_si(c, isl_dim_set, y, sign);
    c = isl_constraint_set_coefficient_si(c, isl_dim_set, x, -sign);
    isl_val* const number = isl_val_int_from_si(context_, d);
    c = isl_constraint_set_constant_val(c, sign == 1 ? isl_val_neg(number) : number);
    return isl_set_add_constraint(isl_set_copy(set), c);
  }

  isl_set* ordered(isl_set* set, int x, int y, iteration_order o) {
    switch (o) {
    case iteration_order::before:
      return restricted(set, x, y, 1, -1);
    case iteration_order::after:
      return restricted(set, x, y, -1, -1);
    case iteration_order::same:
      break;
    }
    isl_set* const not_less = restricted(set, x, y, 1, 0);
    isl_set* const out = restricted(not_less, x, y, -1, 0);
    isl_set_free(not_less);
    return out;
  }

  /// An error that is not the end of the budget.
  bool failed() const { return failed_; }

private:
  void restart() {
    isl_ctx_reset_operations(context_);
    isl_ctx_set_max_operations(context_, 3'000'000);
  }

  isl_ctx* context_;
  bool failed_ = false;
};

struct totals {
  std::size_t nests = 0;
  std::size_t pairs = 0;
  std::size_t large_pairs = 0; ///< more than a million iterations, or as many as a symbol says
  std::size_t wrapping_pairs = 0;
  std::size_t empty = 0;
  std::size_t found_independent = 0;
  std::size_t said_dependent = 0;
  std::size_t said_unknown = 0;
  std::size_t unknown_by_numbers = 0; ///< with more than 128 bits; the others are out of budget
  std::size_t gave_up = 0;            ///< queries that isl did not decide
  std::size_t cases_empty = 0;
  std::size_t cases_excluded = 0;
  std::size_t cases_not_empty = 0;
  std::size_t constant_distances = 0;
  std::size_t claimed_distances = 0;
  double library_seconds = 0;
  double isl_seconds = 0;
  double slowest = 0; ///< pair of the library
  std::uint64_t slowest_seed = 0;
};

/// One pair of accesses, asked of both.
class comparison {
public:
  comparison(const plan& p, oracle& isl, totals& sums, const dependence_result& r)
      : plan_(p), isl_(isl), sums_(sums), r_(r),
        depth_(static_cast<int>(loops_around(p, p.accesses[r.first].loop).size())) {}

  /// What is wrong, or null.
  const char* run() {
    text_ = text_of(plan_, r_.first, r_.second);
    isl_set* all = isl_.read(text_);
    if (all == nullptr) {
      is_fault_of_oracle_ = true;
      return "isl does not read the set";
    }
    ++sums_.pairs;
    sums_.wrapping_pairs += plan_.address_bits != 0 ? 1 : 0;
    sums_.large_pairs += is_large(r_.first) || is_large(r_.second) ? 1U : 0U;
    visit(all, true, false); // takes it
    if (isl_.failed()) {
      is_fault_of_oracle_ = true;
      return "isl has an error";
    }
    if (wrong_ != nullptr) {
      return wrong_;
    }
    if (!any_gave_up_) {
      sums_.empty += found_any_ ? 0 : 1;
      sums_.found_independent += !found_any_ && r_.is_independent() ? 1U : 0U;
      if (!found_any_ && r_.answer == dependence_answer::dependent) {
        return "dependent, and isl finds no iterations";
      }
    }
    sums_.said_dependent += r_.answer == dependence_answer::dependent ? 1 : 0;
    sums_.said_unknown += r_.answer == dependence_answer::unknown ? 1 : 0;
    sums_.unknown_by_numbers +=
        r_.answer == dependence_answer::unknown && r_.obstacle == midend::dependence_obstacle::too_large ? 1U : 0U;
    return nullptr;
  }

  const std::string& text() const { return text_; }

  /// What is wrong is not the library's answer.
  bool is_fault_of_oracle() const { return is_fault_of_oracle_; }

private:
  bool is_large(access_id a) const {
    double product = 1;
    for (const counter_id c : loops_around(plan_, plan_.accesses[a].loop)) {
      const plan::loop& l = plan_.loops[c];
      bool by_symbol = l.bound == trip_bound::unknown && !l.has_limit;
      for (const nest_term& t : l.limit_terms) {
        by_symbol = by_symbol || (t.is_symbol && l.bound == trip_bound::unknown);
      }
      product *= by_symbol ? 1e9 : l.bound == trip_bound::unknown ? 1 : static_cast<double>(l.trips);
    }
    return product > 1e6;
  }

  /// All iterations that begin with the orders in `prefix_`: is there one, and what do the orders and distances say of
  /// them? Nests have at most three levels, so this calls itself three times at most. Takes `set`.
  void visit(isl_set* set, bool all_same, bool known_empty) {
    const std::size_t length = prefix_.size();
    const bool is_whole = length == r_.levels;
    const bool is_itself = is_whole && all_same && r_.first == r_.second;
    const emptiness found = is_itself || known_empty ? emptiness::empty : isl_.is_empty(isl_set_copy(set));
    if (found == emptiness::gave_up) {
      ++sums_.gave_up;
      any_gave_up_ = true;
    }
    check_case_of_prefix(found, all_same && r_.first == r_.second);
    if (is_whole && found == emptiness::not_empty) {
      found_any_ = true;
      check_vector(set, all_same);
    }
    if (is_whole && !is_itself && found != emptiness::gave_up) {
      const bool excluded = !is_possible();
      sums_.cases_empty += found == emptiness::empty ? 1 : 0;
      sums_.cases_excluded += found == emptiness::empty && excluded ? 1 : 0;
      sums_.cases_not_empty += found == emptiness::not_empty ? 1 : 0;
    }
    if (!is_whole) {
      const bool is_empty = found == emptiness::empty; // and so are its parts
      for (const iteration_order o : {iteration_order::before, iteration_order::same, iteration_order::after}) {
        const int level = static_cast<int>(length);
        isl_set* const part = is_empty ? isl_set_copy(set) : isl_.ordered(set, level, depth_ + level, o);
        prefix_.push_back(o);
        visit(part, all_same && o == iteration_order::same, is_empty);
        prefix_.pop_back();
      }
    }
    isl_set_free(set);
  }

  bool begins(const dependence_case& c) const {
    const auto orders = r_.orders_of(c);
    if (orders.size() > prefix_.size()) {
      return false;
    }
    for (std::size_t i = 0; i != orders.size(); ++i) {
      if (orders[i] != prefix_[i]) {
        return false;
      }
    }
    return true;
  }

  bool is_possible() const {
    for (const dependence_case& c : r_.cases) {
      if (c.kind == dependence_case_kind::possible && begins(c)) {
        return true;
      }
    }
    return false;
  }

  /// A case with a witness has iterations, and one that is refuted has none.
  void check_case_of_prefix(emptiness found, bool may_be_itself) {
    for (const dependence_case& c : r_.cases) {
      if (c.num_orders != prefix_.size() || !begins(c)) {
        continue;
      }
      if (c.kind == dependence_case_kind::refuted && found == emptiness::not_empty) {
        wrong("a case is refuted, and isl finds iterations");
      }
      if (c.has_witness && found == emptiness::empty) {
        wrong("a case has a witness, and isl finds none");
      }
      if (c.kind == dependence_case_kind::same_operation && !(may_be_itself && c.num_orders == r_.levels)) {
        wrong("a case is said to be one run of one operation");
      }
    }
  }

  void check_vector(isl_set* set, bool all_same) {
    if (r_.is_independent()) {
      wrong("independent, and isl finds iterations");
    }
    if (!is_possible()) {
      wrong("isl finds a vector of orders that is excluded");
    }
    bool first_before = false;
    bool first_after = false;
    for (std::uint32_t level = 0; level != r_.levels; ++level) {
      const iteration_order o = prefix_[level];
      if ((r_.orders[level] & midend::only(o)) == 0) {
        wrong("isl finds an order that is excluded");
      }
      if (!first_before && !first_after) {
        first_before = o == iteration_order::before;
        first_after = o == iteration_order::after;
      }
      check_distance(set, level);
    }
    if (all_same && !r_.loop_independent) {
      wrong("isl finds one iteration of all loops");
    }
    // Accesses have the order in which an iteration runs them.
    if ((first_before || (all_same && r_.first < r_.second)) && !r_.forward) {
      wrong("isl finds that the first access runs before");
    }
    if ((first_after || (all_same && r_.second < r_.first)) && !r_.backward) {
      wrong("isl finds that the first access runs after");
    }
  }

  /// For the vector of the prefix, which `set` has: is the claimed distance the only one, and is there one to claim?
  void check_distance(isl_set* set, std::uint32_t level) {
    if (prefix_[level] == iteration_order::same) {
      return;
    }
    const std::optional<std::int64_t> of_all = r_.distance(level);
    std::optional<std::int64_t> claimed = of_all;
    std::optional<std::int64_t> witnessed;
    for (std::uint32_t i = 0; i != r_.cases.size(); ++i) {
      const dependence_case& c = r_.cases[i];
      if (!begins(c) || c.num_orders != prefix_.size()) {
        continue;
      }
      for (const midend::distance_claim& d : r_.distances) {
        if (d.of_case == i && d.level == level) {
          if (of_all && *of_all != d.distance) {
            wrong("two distances");
          }
          claimed = d.distance;
        }
      }
      if (c.has_witness) {
        const auto w = r_.witness_of(c);
        const midend::checked_integer d = w[static_cast<std::size_t>(depth_) + level] - w[level];
        if (d.fits_in_64_bits()) {
          witnessed = d.low();
        }
      }
    }
    const std::optional<std::int64_t> d = claimed ? claimed : witnessed;
    if (!d || *d == INT64_MAX || *d == INT64_MIN) {
      return;
    }
    const int x = static_cast<int>(level);
    const emptiness below = isl_.is_empty(isl_.apart(set, x, depth_ + x, -1, *d - 1));
    const emptiness above = isl_.is_empty(isl_.apart(set, x, depth_ + x, 1, *d + 1));
    sums_.gave_up += (below == emptiness::gave_up ? 1U : 0U) + (above == emptiness::gave_up ? 1U : 0U);
    if (claimed && (below == emptiness::not_empty || above == emptiness::not_empty)) {
      wrong("isl finds another distance");
    }
    if (below == emptiness::empty && above == emptiness::empty) {
      ++sums_.constant_distances;
      sums_.claimed_distances += claimed ? 1U : 0U;
    }
  }

  void wrong(const char* what) { wrong_ = wrong_ == nullptr ? what : wrong_; }

  const plan& plan_;
  oracle& isl_;
  totals& sums_;
  const dependence_result& r_;
  int depth_;
  std::vector<iteration_order> prefix_;
  std::string text_;
  const char* wrong_ = nullptr;
  bool found_any_ = false;
  bool any_gave_up_ = false;
  bool is_fault_of_oracle_ = false;
};

/// Changes an answer as a fault in its computation would. False if there is nothing to change.
bool change(mistake made, dependence_result& r) {
  switch (made) {
  case mistake::order:
    if (r.levels != 0 && r.answer == dependence_answer::dependent) { // <= taken for <
      r.orders[0] = static_cast<midend::iteration_orders>(r.orders[0] & ~midend::only(iteration_order::same));
      return true;
    }
    return false;
  case mistake::distance:
    for (midend::distance_claim& d : r.distances) {
      ++d.distance;
    }
    return !r.distances.empty();
  case mistake::independent:
    r.answer = dependence_answer::independent;
    return true;
  default:
    return false;
  }
}

mistake mistake_of(const char* name) {
  const char* const names[] = {"none", "trips", "place", "order", "distance", "independent", "proof"};
  for (std::uint8_t i = 0; i != 7; ++i) {
    if (std::strcmp(name, names[i]) == 0) {
      return static_cast<mistake>(i);
    }
  }
  std::fprintf(stderr, "no such mistake: %s\n", name);
  std::exit(2);
}

void add_time(totals& t, std::uint64_t seed, double seconds) {
  t.library_seconds += seconds;
  if (seconds > t.slowest) {
    t.slowest = seconds;
    t.slowest_seed = seed;
  }
}

void report(const totals& t) {
  std::printf("%zu nests, %zu pairs: %zu of more than a million iterations or of symbolic bounds, %zu with addresses "
              "that wrap\n",
              t.nests, t.pairs, t.large_pairs, t.wrapping_pairs);
  std::printf("independent for isl: %zu, for the library, too: %zu; dependent: %zu, unknown: %zu, "
              "%zu of them for too large numbers\n",
              t.empty, t.found_independent, t.said_dependent, t.said_unknown, t.unknown_by_numbers);
  std::printf("vectors of orders: %zu occur; %zu do not, %zu of them excluded\n", t.cases_not_empty, t.cases_empty,
              t.cases_excluded);
  std::printf("constant distances in a vector: %zu, found %zu\n", t.constant_distances, t.claimed_distances);
  std::printf("isl gave up: %zu questions\n", t.gave_up);
  std::printf("%.1f s, isl %.1f s; slowest pair %.3f s, seed %llu\n", t.library_seconds, t.isl_seconds, t.slowest,
              static_cast<unsigned long long>(t.slowest_seed));
}

} // namespace

int main(int argc, char** argv) {
  using clock = std::chrono::steady_clock;
  std::uint64_t numbers[] = {1000, 1};
  std::size_t given = 0;
  mistake made = mistake::none;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--perturb=", 10) == 0) {
      made = mistake_of(argv[i] + 10);
    } else if (given != 2) {
      numbers[given++] = std::strtoull(argv[i], nullptr, 10);
    }
  }
  oracle isl;
  totals sums;
  nest_accesses nest;
  midend::dependence_workspace workspace;
  midend::verify_dependences_workspace checking;
  dependence_result r;
  for (std::uint64_t seed = numbers[1]; seed != numbers[1] + numbers[0]; ++seed) {
    const plan p = plan_maker(seed).make();
    build(p, made, nest);
    ++sums.nests;
    for (access_id a = 0; a != nest.num_accesses(); ++a) {
      for (access_id b = seed % 4 == 0 ? 0 : a; b != nest.num_accesses(); ++b) {
        const auto begin = clock::now();
        midend::dependence(nest, a, b, {}, workspace, r);
        const auto end = clock::now();
        add_time(sums, seed, std::chrono::duration<double>(end - begin).count());
        if (made == mistake::proof) {
          for (midend::proof_step& step : r.steps) { // the checker must see it
            step.index += step.kind == midend::proof_step_kind::contradiction ? 1 : 0;
          }
        }
        const char* wrong = nullptr;
        const bool is_changed = change(made, r);
        if (!is_changed && midend::verify_dependences(nest, {&r, 1}, checking)) {
          wrong = "its checker refuses the result";
        }
        comparison both(p, isl, sums, r);
        if (wrong == nullptr) {
          const auto asked = clock::now();
          wrong = both.run();
          sums.isl_seconds += std::chrono::duration<double>(clock::now() - asked).count();
        }
        if (wrong != nullptr && both.is_fault_of_oracle()) {
          std::printf("no answer of the oracle: %s\n%s\n", wrong, both.text().c_str());
          return 2;
        }
        if (wrong != nullptr) {
          std::printf("the library is wrong: %s\nseed %llu, accesses %u and %u\n%s\n", wrong,
                      static_cast<unsigned long long>(seed), a, b, both.text().c_str());
          return 1;
        }
      }
    }
  }
  report(sums);
  return 0;
}
