// Whole procedures run on the machine: each innermost loop by its pipeline and each other node by its schedule. Results
// and memory are those of the interpreter, of procedures as written and with unrolled loops.
#include "kit/affordable.hpp"
#include "kit/program_generator.hpp"
#include "kit/random_programs.hpp"
#include "kit/sample_bodies.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/package/clean_up.hpp>
#include <midend/schedule/attained_times.hpp>
#include <midend/schedule/modulo_schedule.hpp>
#include <midend/schedule/run_region.hpp>
#include <midend/schedule/schedule_block.hpp>
#include <midend/schedule/simulate.hpp>
#include <midend/schedule/verify_schedule.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/unrolling/apply_unrolling.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace midend_tests;
using midend::edge_id;
using midend::loop_id;
using midend::machine_model;
using midend::node_id;
using midend::program_region;
using midend::value_id;
using midend::elbrus::procedure;

namespace {

/// The memory of the interpreter as the simulator sees it: classes of memory do not change where a byte is.
struct array_memory {
  midend::elbrus::memory& arrays;

  static midend::elbrus::type type_of(std::uint32_t bytes) {
    return bytes == 1   ? midend::elbrus::type::i8
           : bytes == 2 ? midend::elbrus::type::i16
           : bytes == 4 ? midend::elbrus::type::i32
                        : midend::elbrus::type::i64;
  }

  midend::region_number load(std::uint64_t address, std::uint32_t bytes, std::uint32_t) const {
    const auto bits = arrays.load(type_of(bytes), address);
    return {bits.value_or(0), bits.has_value()};
  }

  void store(std::uint64_t address, std::uint32_t bytes, std::uint32_t, std::uint64_t bits) {
    REQUIRE(arrays.store(type_of(bytes), address, bits));
  }
};

/// What the runs of procedures had.
struct counts {
  int runs = 0;
  int loops = 0; ///< runs of pipelined loops
  int lines = 0;
  int not_simulated = 0; ///< procedures with something that no schedule has: a call, too many literals
  std::uint64_t cycles = 0;

  void add(const counts& c) {
    runs += c.runs;
    loops += c.loops;
    lines += c.lines;
    not_simulated += c.not_simulated;
    cycles += c.cycles;
  }
};

/// Runs one procedure on a machine.
class scheduled_run {
public:
  scheduled_run(const procedure& p, const machine_model& m, midend::elbrus::memory& arrays, counts& c)
      : p_(p), m_(m), memory_{arrays}, counts_(c), view_(p), found_(midend::dominators_and_loops(p)),
        order_(midend::depth_first_order(p)), reader_(view_, order_, found_.loops, {}, reading_),
        numbers_(p.num_values()) {}

  enum class end : std::uint8_t { returned, not_simulated, too_long };

  end run(const std::vector<midend::elbrus::scalar>& arguments, std::optional<std::uint64_t>& result) {
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      numbers_[p_.parameters()[i]] = {arguments[i].bits, true};
    }
    for (value_id v = 0; v != p_.num_values(); ++v) {
      if (const auto bits = view_.constant(v)) {
        numbers_[v] = {*bits, true};
      }
    }
    node_id at = view_.graph().entry();
    for (int steps = 0; steps != 20'000; ++steps) {
      const loop_id l = found_.loops.innermost_loop(at);
      const bool is_loop = l != midend::no_loop && found_.loops.header(l) == at &&
                           reader_.read_loop(l, region_) == midend::region_obstacle::none;
      if (!is_loop) {
        reader_.read_node(at, region_);
      }
      const auto left = run_region_scheduled();
      if (!left) {
        return end::not_simulated;
      }
      (is_loop ? counts_.loops : counts_.lines) += 1;
      const edge_id e = *left < region_.exits.size() ? region_.exits[*left].edge : last_edge(at);
      if (e == midend::no_edge) {
        for (const value_id v : view_.values(at)) {
          if (p_.core(v).code == midend::elbrus::opcode::ret && p_.operands(v).size() != 0) {
            const midend::region_number n = numbers_[p_.operands(v)[0]];
            REQUIRE(n.is_known);
            result = n.bits;
          }
        }
        return end::returned;
      }
      follow(e);
      at = view_.graph().edge_target(e);
    }
    return end::too_long;
  }

private:
  /// The edge of a node that is no exit of its region.
  edge_id last_edge(node_id n) const {
    edge_id last = midend::no_edge;
    for (const edge_id e : view_.graph().out_edges(n)) {
      bool is_exit = false;
      for (const midend::region_exit& x : region_.exits) {
        is_exit = is_exit || x.edge == e;
      }
      last = is_exit ? last : e;
    }
    return last;
  }

  void follow(edge_id e) {
    std::vector<std::pair<value_id, midend::region_number>> inputs;
    for (const value_id v : view_.values(view_.graph().edge_target(e))) {
      if (view_.is_phi(v)) {
        inputs.emplace_back(v, numbers_[view_.phi_input(v, e)]);
      }
    }
    for (const auto& [phi, number] : inputs) {
      numbers_[phi] = number;
    }
  }

  /// The exit, or nothing if the region has no schedule.
  std::optional<std::uint32_t> run_region_scheduled() {
    const midend::body_cost cost = lower_region(region_, m_, {}, lowering_, body_);
    const std::uint32_t words = m_.capacity(m_.literal_resource());
    for (const std::uint8_t l : body_.literals) {
      if (l > words) {
        return std::nullopt;
      }
    }
    if (region_.has_call || cost.resources.is_impossible) {
      return std::nullopt;
    }
    const midend::schedule s =
        region_.is_straight_line ? schedule_block(body_, m_).found : modulo_schedule(body_, m_).found;
    REQUIRE(verify_schedule(body_, m_, s).empty());
    std::vector<std::uint64_t> inputs(region_.values.size());
    for (std::size_t n = 0; n != inputs.size(); ++n) {
      const midend::region_value& v = region_.values[n];
      if (v.kind == midend::region_value_kind::phi || v.kind == midend::region_value_kind::invariant) {
        const midend::region_number number = v.origin < numbers_.size() ? numbers_[v.origin] : midend::region_number();
        inputs[n] = number.bits & midend::low_ones(v.info.width);
      }
    }
    midend::elbrus::memory copy = memory_.arrays;
    array_memory before{copy};
    const midend::region_run run = run_region(region_, inputs, before, 100'000);
    if (run.status != midend::region_run_status::left) {
      return std::nullopt;
    }
    const midend::simulation out = simulate(region_, body_, m_, s, inputs, memory_, {run.passes, run.exit});
    INFO("fault " << static_cast<int>(out.fault));
    REQUIRE(out.is_complete());
    for (std::size_t i = 0; i != out.results.size(); ++i) {
      value_id v = region_.live_out_values[i];
      numbers_[v] = out.results[i];
      while (!view_.is_phi(v) && view_.operation(v).code == midend::operation::copy) { // regions read what is copied
        v = p_.operands(v)[0];
        numbers_[v] = out.results[i];
      }
    }
    counts_.cycles += out.cycles;
    return out.exit;
  }

  const procedure& p_;
  const machine_model& m_;
  array_memory memory_;
  counts& counts_;
  midend::elbrus::cost_view view_;
  midend::dominators_and_loops_result found_;
  midend::depth_first_numbering order_;
  midend::region_reader_workspace reading_;
  midend::region_reader<midend::elbrus::cost_view> reader_;
  midend::lower_region_workspace lowering_;
  program_region region_;
  midend::machine_body body_;
  std::vector<midend::region_number> numbers_; ///< by value, of its last computation
};

void compare(const procedure& p, const machine_model& m, const generated_input& input,
             const midend::elbrus::run_result& expected, counts& c) {
  midend::elbrus::memory arrays = input.memory;
  std::optional<std::uint64_t> result;
  switch (scheduled_run(p, m, arrays, c).run(input.arguments, result)) {
  case scheduled_run::end::returned:
    REQUIRE(result.has_value() == expected.value.has_value());
    if (result) {
      REQUIRE(*result == expected.value->bits);
    }
    REQUIRE(arrays == expected.memory);
    ++c.runs;
    break;
  case scheduled_run::end::not_simulated:
    ++c.not_simulated;
    break;
  default:
    FAIL("a run without end");
  }
}

/// Unrolls each innermost loop that can be unrolled.
void unroll_all(procedure& p, std::uint32_t factor) {
  midend::elbrus::cost_editor editor(p);
  const auto found = midend::dominators_and_loops(editor.graph());
  std::vector<midend::unrolling_order> orders;
  for (const loop_id l : found.loops.loops()) {
    if (found.loops.subloops(l).size() == 1) {
      orders.push_back({l, {midend::unrolling_kind::partial, factor, midend::remainder_placement::epilogue}});
    }
  }
  const auto view_of = [&](const midend::elbrus::cost_editor&) { return midend::elbrus::cost_view(p); };
  apply_unrolling(editor, found.loops, midend::span<const midend::unrolling_order>(orders.data(), orders.size()),
                  view_of);
}

random_program_options simple_programs() {
  random_program_options o;
  o.form = program_form::variables;
  o.procedures = 1;
  o.calls = false;
  o.floats = false;
  o.speculation = false;
  o.nesting = 3;
  o.steps = 2'000;
  o.operations = 25;
  return o;
}

void run_seeds(std::uint64_t first, std::uint64_t count, counts& plain, counts& unrolled) {
  for (std::uint64_t seed = first; seed != first + count; ++seed) {
    INFO("seed " << seed);
    generated_program g = random_program(seed, simple_programs());
    midend::elbrus::construct_ssa(g.program);
    const machine_model m = seed % 2 == 0 ? midend::e2k_reference_v6() : midend::e2k_guide_v4();
    procedure more = g.main();
    unroll_all(more, 2 + seed % 4);
    midend::elbrus::interpreter reference(g.program);
    for (const generated_input& input : g.inputs) {
      const auto expected = reference.run(g.entry, input.arguments, input.memory);
      REQUIRE_FALSE(expected.trap);
      compare(g.main(), m, input, expected, plain);
      compare(more, m, input, expected, unrolled);
    }
  }
}

void report(const char* name, const counts& c) {
  MESSAGE(std::string(name), ": runs of procedures ", c.runs, ", of pipelined loops ", c.loops, ", of straight lines ",
          c.lines, ", not simulated ", c.not_simulated, ", cycles ", c.cycles);
}

} // namespace

TEST_CASE("scheduled procedures: random programs, as written and unrolled, beside the interpreter") {
  counts plain;
  counts unrolled;
  run_seeds(1, affordable(60), plain, unrolled);
  report("as written", plain);
  report("unrolled", unrolled);
  CHECK(plain.loops > static_cast<int>(affordable(60)));
  CHECK(unrolled.loops > static_cast<int>(affordable(60)));
}

namespace {

/// Whether the simulator knows all operations: floating-point ones are only names for it.
bool has_floats(const procedure& p) {
  bool has = false;
  for (value_id v = 0; v != p.num_values(); ++v) {
    const midend::elbrus::type t = p.core(v).type;
    has = has || t == midend::elbrus::type::f32 || t == midend::elbrus::type::f64;
  }
  return has;
}

/// A pointer gets an array of its own, a number is small.
generated_input random_input(const procedure& p, random_source& random) {
  generated_input in;
  for (const value_id v : p.parameters()) {
    const midend::elbrus::type t = p.core(v).type;
    std::uint64_t bits = random.below(24) & midend::low_ones(midend::elbrus::width_of(t));
    if (t == midend::elbrus::type::ptr) {
      std::vector<unsigned char> bytes(std::size_t{1} << 13);
      for (unsigned char& b : bytes) {
        b = static_cast<unsigned char>(random.one_in(2) ? random.below(8) : 0);
      }
      bits = in.memory.add("array" + std::to_string(in.arguments.size()), bytes);
    }
    in.arguments.push_back({t, bits});
  }
  return in;
}

/// Unrolls the innermost loops as the advice by schedules says, and cleans up.
void unroll_as_advised(procedure& p, const machine_model& m) {
  midend::attained_times attained(m);
  midend::unrolling_options options;
  options.lowering.timer = &attained;
  midend::elbrus::cost_editor editor(p);
  const auto found = midend::dominators_and_loops(editor.graph());
  midend::advise_unrolling_workspace workspace;
  midend::unrolling_adviser unrolling(editor, found.loops, m, options, workspace);
  std::vector<midend::unrolling_advice> advices;
  for (const loop_id l : found.loops.loops()) {
    if (found.loops.subloops(l).size() == 1) {
      unrolling.advise(l, advices.emplace_back());
    }
  }
  std::vector<midend::advised_unrolling> requests;
  for (const midend::unrolling_advice& a : advices) {
    requests.push_back({&a});
  }
  const auto view_of = [&](const midend::elbrus::cost_editor&) { return midend::elbrus::cost_view(p); };
  apply_unrolling(editor, found.loops, midend::span<const midend::advised_unrolling>(requests.data(), requests.size()),
                  view_of);
  clean_up(editor, midend::clean_up_options_for(m));
}

} // namespace

TEST_CASE("scheduled procedures: the sample programs, as written and unrolled as advised, beside the interpreter") {
  const machine_model m = midend::e2k_reference_v6();
  random_source random(81);
  counts plain;
  counts unrolled;
  std::string faster;
  int procedures = 0;
  int slower = 0;
  for (const auto& [name, program] : sample_programs()) {
    midend::elbrus::interpreter reference(program);
    for (std::size_t n = 0; n != program.procedures.size(); ++n) {
      const procedure& p = program.procedures[n];
      INFO(name << " " << std::string(p.name()));
      if (has_floats(p) || !p.locals().empty()) { // the simulation has no memory of a call
        continue;
      }
      procedure more = p;
      unroll_as_advised(more, m);
      counts before;
      counts after;
      for (int i = 0; i != 8; ++i) {
        const generated_input input = random_input(p, random);
        midend::elbrus::run_options limits;
        limits.step_limit = 100'000;
        const auto expected = reference.run(n, input.arguments, input.memory, limits);
        if (!expected.trap) {
          compare(p, m, input, expected, before);
          compare(more, m, input, expected, after);
        }
      }
      plain.add(before);
      unrolled.add(after);
      if (before.not_simulated + after.not_simulated == 0 && before.runs == after.runs && before.loops != 0) {
        ++procedures;
        slower += after.cycles > before.cycles ? 1 : 0;
        faster +=
            "\n" + std::string(p.name()) + " " + std::to_string(before.cycles) + " " + std::to_string(after.cycles);
      }
    }
  }
  report("as written", plain);
  report("unrolled as advised", unrolled);
  MESSAGE("procedures with loops ", procedures, ", slower ", slower, "; cycles before and after: ", faster);
  CHECK(plain.loops > 100);
  CHECK(plain.runs > 100);
}

TEST_CASE("scheduled procedures: 10,000 runs of random programs, long" * doctest::skip()) {
  counts plain;
  counts unrolled;
  run_seeds(100'000, 2'000, plain, unrolled);
  report("as written", plain);
  report("unrolled", unrolled);
  CHECK(plain.runs + unrolled.runs > 9'000);
}
