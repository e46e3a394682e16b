// Z3 as a second oracle of `exact_modulo_schedule`: on each random body that both decide, both find the same least
// interval.
//
//     midend_z3_oracle [N [FIRST_SEED]]: 50 · N bodies on each of three machines
#include "kit/random_bodies.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <midend/machine/e2k.hpp>
#include <midend/schedule/exact_modulo_schedule.hpp>
#include <utility>
#include <vector>
#include <z3.h>

namespace {

using midend::machine_model;
using midend::operation_class;
using midend::operation_id;

enum class answer : std::uint8_t { exists, none, unknown };

/// The constraints of a schedule with one interval: for each operation, row and channel, a truth value that says
/// whether it is issued there, and an integer for its stage.
class schedule_formula {
public:
  schedule_formula(const midend::dependence_graph& body, const machine_model& m, std::uint32_t interval)
      : body_(body), m_(m), interval_(interval) {
    const Z3_config config = Z3_mk_config();
    Z3_set_param_value(config, "timeout", "1500");
    z3_ = Z3_mk_context(config);
    Z3_del_config(config);
    solver_ = Z3_mk_simple_solver(z3_);
    Z3_solver_inc_ref(z3_, solver_);
  }

  schedule_formula(const schedule_formula&) = delete;
  schedule_formula& operator=(const schedule_formula&) = delete;

  ~schedule_formula() {
    Z3_solver_dec_ref(z3_, solver_);
    Z3_del_context(z3_);
  }

  answer solve() {
    for (operation_id o = 0; o != body_.num_operations(); ++o) {
      add_operation(o);
    }
    for (const midend::operation_dependence& d : body_.dependences()) {
      const Z3_ast start[] = {cycle_[d.consumer], number(std::int64_t{interval_} * d.distance)};
      const Z3_ast ready[] = {cycle_[d.producer], number(d.latency)};
      require(Z3_mk_ge(z3_, Z3_mk_add(z3_, 2, start), Z3_mk_add(z3_, 2, ready)));
    }
    for (std::uint32_t row = 0; row != interval_; ++row) {
      limit_channels(row);
      limit_resources(row);
      separate_excluded(row);
    }
    const Z3_lbool result = Z3_solver_check(z3_, solver_);
    return result == Z3_L_TRUE ? answer::exists : result == Z3_L_FALSE ? answer::none : answer::unknown;
  }

private:
  struct place {
    operation_id operation;
    std::uint32_t row;
    std::size_t channel; ///< that of no channel comes after all others
    Z3_ast is_there;
  };

  Z3_ast number(std::int64_t n) { return Z3_mk_int64(z3_, n, Z3_mk_int_sort(z3_)); }

  void require(Z3_ast a) { Z3_solver_assert(z3_, solver_, a); }

  Z3_ast new_constant(Z3_sort sort) { return Z3_mk_fresh_const(z3_, "x", sort); }

  operation_class kind(operation_id o) const { return body_.operation(o).kind; }

  void add_operation(operation_id o) {
    std::vector<std::size_t> channels;
    for (std::size_t c = 0; c != m_.num_channels(); ++c) {
      if ((m_.channels(kind(o)) >> c & 1) != 0) {
        channels.push_back(c);
      }
    }
    if (channels.empty()) {
      channels.push_back(m_.num_channels());
    }
    std::vector<Z3_ast> places;
    std::vector<Z3_ast> rows;
    for (std::uint32_t row = 0; row != interval_; ++row) {
      for (const std::size_t channel : channels) {
        const Z3_ast here = new_constant(Z3_mk_bool_sort(z3_));
        places_.push_back({o, row, channel, here});
        places.push_back(here);
        rows.push_back(Z3_mk_ite(z3_, here, number(row), number(0)));
      }
    }
    const auto count = static_cast<unsigned>(places.size());
    require(Z3_mk_atmost(z3_, count, places.data(), 1));
    require(Z3_mk_atleast(z3_, count, places.data(), 1));
    const Z3_ast stage = new_constant(Z3_mk_int_sort(z3_));
    require(Z3_mk_ge(z3_, stage, number(0)));
    const Z3_ast product[] = {number(interval_), stage};
    const Z3_ast sum[] = {Z3_mk_mul(z3_, 2, product), Z3_mk_add(z3_, count, rows.data())};
    cycle_.push_back(Z3_mk_add(z3_, 2, sum));
  }

  /// Whether an operation issued in `from` blocks its channel in `row`. One that blocks for longer than an interval
  /// blocks a row twice.
  bool blocks(operation_id o, std::uint32_t from, std::uint32_t row) const {
    return (row + interval_ - from) % interval_ < m_.occupancy(kind(o));
  }

  void limit_channels(std::uint32_t row) {
    for (std::size_t channel = 0; channel != m_.num_channels(); ++channel) {
      std::vector<Z3_ast> here;
      for (const place& p : places_) {
        if (p.channel == channel && blocks(p.operation, p.row, row)) {
          here.push_back(p.is_there);
          if (m_.occupancy(kind(p.operation)) > interval_) {
            require(Z3_mk_not(z3_, p.is_there));
          }
        }
      }
      if (here.size() > 1) {
        require(Z3_mk_atmost(z3_, static_cast<unsigned>(here.size()), here.data(), 1));
      }
    }
  }

  void limit_resources(std::uint32_t row) {
    for (std::size_t r = 0; r != m_.num_resources(); ++r) {
      std::vector<Z3_ast> here;
      std::vector<int> uses;
      for (const place& p : places_) {
        if (p.row == row && m_.use(kind(p.operation), r) != 0) {
          here.push_back(p.is_there);
          uses.push_back(static_cast<int>(m_.use(kind(p.operation), r)));
        }
      }
      if (!here.empty()) {
        require(Z3_mk_pble(z3_, static_cast<unsigned>(here.size()), here.data(), uses.data(),
                           static_cast<int>(m_.capacity(r))));
      }
    }
  }

  void separate_excluded(std::uint32_t row) {
    for (const place& a : places_) {
      for (const place& b : places_) {
        if (a.row == row && b.row == row && a.operation < b.operation &&
            m_.excludes(kind(a.operation), kind(b.operation))) {
          const Z3_ast either[] = {Z3_mk_not(z3_, a.is_there), Z3_mk_not(z3_, b.is_there)};
          require(Z3_mk_or(z3_, 2, either));
        }
      }
    }
  }

  const midend::dependence_graph& body_;
  const machine_model& m_;
  std::uint32_t interval_;
  Z3_context z3_;
  Z3_solver solver_;
  std::vector<place> places_;
  std::vector<Z3_ast> cycle_; ///< by operation
};

struct counts {
  int same = 0;
  int above_bound = 0; ///< of them
  int open = 0;        ///< one of both did not decide
  int too_large = 0;   ///< too many places for Z3 to be tried
  int different = 0;
};

/// Z3 has to find a schedule with the least interval of the exact search, and none with one cycle less.
void compare(const midend::dependence_graph& body, const machine_model& m, const midend::exact_schedule_result& exact,
             std::uint64_t seed, counts& c) {
  if (!exact.attained()) {
    ++c.open;
    return;
  }
  constexpr std::uint64_t most_rows = 160;
  if (exact.least_interval * body.num_operations() > most_rows) {
    ++c.too_large;
    return;
  }
  const auto least = static_cast<std::uint32_t>(exact.least_interval);
  const answer there = schedule_formula(body, m, least).solve();
  const answer below = least == 1 ? answer::none : schedule_formula(body, m, least - 1).solve();
  if (there == answer::none || below == answer::exists) {
    ++c.different;
    std::printf("seed %llu: %u is least for the exact search, Z3 finds %s\n", static_cast<unsigned long long>(seed),
                least, there == answer::none ? "no schedule with it" : "a shorter one");
  } else if (there == answer::unknown || below == answer::unknown) {
    ++c.open;
  } else {
    ++c.same;
    c.above_bound += exact.least_interval > exact.bound ? 1 : 0;
  }
}

/// Of many bodies, those whose least interval is above the bound go to Z3, and one of 50 of the others.
int compare_on(const char* name, const machine_model& m, bool wide, std::uint64_t seed, int bodies) {
  counts c;
  for (int i = 0; i != 50 * bodies; ++i) {
    midend_tests::random_source random(seed + static_cast<std::uint64_t>(i));
    const midend::dependence_graph body = random_body(random, m, wide, 4 + random.below(9), 9);
    const midend::exact_schedule_result exact = midend::exact_modulo_schedule(body, m);
    if (i % 50 == 0 || exact.least_interval > exact.bound) {
      compare(body, m, exact, seed + static_cast<std::uint64_t>(i), c);
    }
  }
  std::printf(
      "%s: of %d bodies the same least interval %d, above the bound %d of them, not decided %d, too large for Z3 "
      "%d, different %d\n",
      name, 50 * bodies, c.same, c.above_bound, c.open, c.too_large, c.different);
  return c.different + (c.same == 0 ? 1 : 0);
}

} // namespace

int main(int count, char** arguments) {
  const int bodies = count > 1 ? std::atoi(arguments[1]) : 100;
  const std::uint64_t seed = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  int failures = compare_on("e2k_reference_v6", midend::e2k_reference_v6(), true, seed, bodies);
  failures += compare_on("e2k_guide_v4", midend::e2k_guide_v4(), true, seed, bodies);
  failures += compare_on("two clusters that block", midend_tests::clustered_machine(), false, seed, bodies);
  return failures == 0 ? 0 : 1;
}
