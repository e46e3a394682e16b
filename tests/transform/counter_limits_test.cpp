#include "kit/affordable.hpp"
#include "kit/allocations.hpp"
#include "kit/run_text.hpp"
#include "kit/test_graph.hpp"
#include "kit/unrolling_forms.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/trip_formula.hpp>
#include <midend/ir/evaluate.hpp>
#include <midend/transform/unrolled_limit.hpp>
#include <midend/transform/verify_counted_exits.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;

namespace elbrus = midend::elbrus;

namespace {

using midend::edge_id;
using midend::node_id;
using midend::operation;
using midend::value_id;

/// A program whose numbers of 8 and of 16 bits have fewer.
class narrow_view : public elbrus::cost_view {
public:
  std::uint8_t narrow = 3; ///< in place of 8
  std::uint8_t wide = 5;   ///< in place of 16

  explicit narrow_view(const elbrus::procedure& p) : elbrus::cost_view(p) {}

  midend::operation_info operation(value_id v) const {
    midend::operation_info info = elbrus::cost_view::operation(v);
    info.width = of(info.width);
    info.operand_width = of(info.operand_width);
    return info;
  }

private:
  std::uint8_t of(std::uint8_t width) const { return width == 8 ? narrow : width == 16 ? wide : width; }
};

/// Runs a program, and remembers which edges are taken by any run.
class edge_runner {
public:
  explicit edge_runner(const narrow_view& view, const elbrus::procedure& p) : view_(view), p_(p) {
    taken.assign(static_cast<std::size_t>(p.num_edges()), false);
    values_.assign(static_cast<std::size_t>(view.num_values()), 0);
  }

  /// False if an operation has no result.
  bool run(std::uint64_t start, std::uint64_t bound, std::size_t max_nodes) {
    values_[p_.parameters()[0]] = start;
    values_[p_.parameters()[1]] = bound;
    node_id n = static_cast<node_id>(p_.entry());
    edge_id by = midend::no_edge;
    for (std::size_t i = 0; i != max_nodes; ++i) {
      std::vector<std::pair<value_id, std::uint64_t>> phis;
      for (const value_id v : view_.values(n)) {
        if (view_.is_phi(v)) {
          phis.push_back({v, value_of(static_cast<value_id>(view_.phi_input(v, by)))});
        }
      }
      for (const auto& [v, bits] : phis) {
        values_[v] = bits;
      }
      for (const value_id v : view_.values(n)) {
        if (!view_.is_phi(v) && view_.operation(v).code != operation::other) {
          std::vector<std::uint64_t> args;
          for (const value_id o : view_.operands(v)) {
            args.push_back(value_of(o));
          }
          const midend::evaluation result = midend::evaluate(view_.operation(v), args);
          if (!result) {
            return false;
          }
          values_[v] = result.bits;
        }
      }
      const auto condition = static_cast<value_id>(view_.condition(n));
      edge_id next = midend::no_edge;
      for (const edge_id e : p_.out_edges(n)) {
        const auto wanted = condition == midend::no_value ? std::nullopt : view_.edge_case(e);
        next = !wanted || *wanted == value_of(condition) ? e : next;
      }
      if (next == midend::no_edge) {
        return true;
      }
      taken[next] = true;
      by = next;
      n = static_cast<node_id>(p_.edge_target(next));
    }
    return true;
  }

  std::vector<bool> taken;

private:
  std::uint64_t value_of(value_id v) const {
    const auto bits = view_.constant(v);
    return bits ? *bits & midend::low_ones(view_.operation(v).width) : values_[v];
  }

  const narrow_view& view_;
  const elbrus::procedure& p_;
  std::vector<std::uint64_t> values_;
};

/// How a test compares the counter.
struct shape {
  std::uint8_t narrow;
  std::uint8_t wide;
  bool is_cut; ///< the counter is wide
  operation extension;
  operation comparison; ///< of counter and bound; the loop goes on if it holds
  std::uint64_t step;
  midend::unrolling_form form;
  bool is_tested_last;
};

constexpr std::array<std::string_view, 10> names = {"eq", "ne", "lt", "le", "gt", "ge", "ult", "ule", "ugt", "uge"};

std::string_view name_of(operation code) {
  switch (code) {
  case operation::add:
    return "add";
  case operation::sub:
    return "sub";
  case operation::mul:
    return "mul";
  case operation::udiv:
    return "udiv";
  case operation::urem:
    return "urem";
  case operation::bit_and:
    return "and";
  case operation::shr:
    return "shr";
  case operation::truncate:
    return "trunc";
  case operation::zero_extend:
    return "zext";
  case operation::sign_extend:
    return "sext";
  default:
    return names[static_cast<std::size_t>(code) - static_cast<std::size_t>(operation::equal)];
  }
}

/// Writes the operations that compute a limit.
class text_sink {
public:
  explicit text_sink(const shape& x) : shape_(x) {}

  std::string number(std::uint64_t bits, unsigned) { return std::to_string(bits); }

  std::string operation(const midend::operation_info& info, const std::string& a) {
    return define(std::string(name_of(info.code)) + "." + type(info.operand_width) + "." + type(info.width), a);
  }

  std::string operation(const midend::operation_info& info, const std::string& a, const std::string& b) {
    const bool compares = info.code >= midend::operation::equal && info.code <= midend::operation::ugreater_equal;
    return define((compares ? "cmp." : "") + std::string(name_of(info.code)) + "." +
                      type(compares ? info.operand_width : info.width),
                  a + ", " + b);
  }

  std::string type(unsigned width) const {
    return width == 1 ? "i1" : width == 32 ? "i32" : width == shape_.narrow ? "i8" : "i16";
  }

  std::string text;

private:
  std::string define(const std::string& what, const std::string& operands) {
    const std::string name = "%g" + std::to_string(count_++);
    text += "    " + name + " = " + what + " " + operands + "\n";
    return name;
  }

  const shape& shape_;
  std::size_t count_ = 0;
};

/// The loop in passes, with its guard, as `unroll_with_remainder` makes it. Nothing if the test has no formula.
std::optional<std::string> passes(const shape& x) {
  midend::counted_exit e;
  e.width = x.narrow;
  e.step = x.step & midend::low_ones(x.narrow);
  e.comparison = x.extension != operation::zero_extend ? x.comparison : midend::unsigned_comparison(x.comparison);
  const auto formula = midend::trip_formula_of(e);
  const std::uint64_t guard = x.form.kind == midend::unrolling_kind::peel_last ? 2 : x.form.factor;
  if (!formula || guard > midend::low_ones(x.narrow)) {
    return std::nullopt;
  }
  const std::uint8_t counter = x.is_cut ? x.wide : x.narrow;
  const std::uint8_t bound = x.extension == operation::copy ? x.narrow : x.wide;
  const std::uint64_t addend = x.is_tested_last ? x.step : 0;
  midend::passed_test test{midend::limit_formula(*formula), x.step, addend, x.form, counter, bound, x.extension};
  text_sink sink(x);
  std::string limit;
  std::string enough;
  midend::emit_unrolled_limit(sink, test, std::string("%start"), std::string("%bound"), limit, enough);
  const std::string t = sink.type(counter);
  std::string out = "proc @f(%start: " + t + ", %bound: " + sink.type(bound) + ") -> i8 {\n  node entry:\n" +
                    sink.text + "    br " + enough + " ? c0 : end\n";
  const std::uint32_t copies = x.form.iterations_in_pass();
  const auto k = [](std::uint32_t i) { return std::to_string(i); };
  for (std::uint32_t i = 0; i != copies; ++i) {
    out += "  node c" + k(i) + ":\n";
    out += i == 0 ? "    %i0 = phi." + t + " [entry: %start], [latch: %i" + k(copies) + "]\n" : "";
    out += "    %i" + k(i + 1) + " = add." + t + " %i" + k(i) + ", " + std::to_string(x.step) + "\n";
    std::string tested = "%i" + k(x.is_tested_last ? i + 1 : i);
    if (x.is_cut) {
      out += "    %n" + k(i) + " = trunc.i16.i8 " + tested + "\n";
      tested = "%n" + k(i);
    }
    if (x.extension != operation::copy) {
      out += "    %e" + k(i) + " = " + std::string(name_of(x.extension)) + ".i8.i16 " + tested + "\n";
      tested = "%e" + k(i);
    }
    out += "    %q" + k(i) + " = cmp." + std::string(name_of(x.comparison)) + "." + sink.type(bound) + " " + tested +
           ", %bound\n    br %q" + k(i) + " ? " + (i + 1 == copies ? "latch" : "c" + k(i + 1)) + " : exit\n";
  }
  return out + "  node latch:\n    %d = cmp.eq." + t + " %i" + k(copies) + ", " + limit +
         "\n    br %d ? end : c0\n  node exit:\n    ret 1\n  node end:\n    ret 0\n}\n";
}

/// A program with another word, chosen at random; perhaps none that can be read.
std::string mutated(const std::string& text, random_source& random) {
  std::string out = text;
  const auto replace_one = [&](std::string_view from, std::string_view to) {
    std::vector<std::size_t> found;
    for (std::size_t at = out.find(from); at != std::string::npos; at = out.find(from, at + 1)) {
      found.push_back(at);
    }
    if (!found.empty()) {
      out.replace(found[random.below(found.size())], from.size(), to);
    }
  };
  switch (random.below(8)) {
  case 0:
    replace_one(", " + std::to_string(random.below(8)) + "\n", ", " + std::to_string(random.below(8)) + "\n");
    break;
  case 1: {
    const std::string_view from = names[random.below(10)];
    replace_one("cmp." + std::string(from) + ".", "cmp." + std::string(names[random.below(10)]) + ".");
    break;
  }
  case 2: {
    constexpr std::array<std::string_view, 6> codes = {" add.", " sub.", " and.", " mul.", " or.", " umin."};
    replace_one(codes[random.below(4)], codes[random.below(6)]);
    break;
  }
  case 3:
    replace_one(" %start,", " %bound,");
    break;
  case 4:
    replace_one(", %bound\n", ", %start\n");
    break;
  case 5:
    replace_one(" sext.", " zext.");
    break;
  case 6:
    replace_one(" zext.", " sext.");
    break;
  default: {
    const std::string from = "%g" + std::to_string(random.below(8));
    replace_one(from + ",", "%g" + std::to_string(random.below(8)) + ",");
    break;
  }
  }
  return out;
}

struct tally {
  std::size_t programs = 0;
  std::size_t accepted = 0; ///< edges that no run takes
  std::size_t missed = 0;   ///< exits of copies that no run takes, and that were not accepted
  std::size_t wrong = 0;    ///< accepted, but taken
};

/// Asks about all edges of a program and runs it on all numbers. Texts that cannot be read are left out.
void compare(const std::string& text, const shape& x, tally& out) {
  const elbrus::parse_result read = elbrus::parse(text);
  if (!read.diagnostics.empty() || !elbrus::verify(read.program).empty()) {
    return;
  }
  const elbrus::procedure& p = read.program.procedures[0];
  narrow_view view(p);
  view.narrow = x.narrow;
  view.wide = x.wide;
  edge_runner runner(view, p);
  const std::uint64_t starts = std::uint64_t{1} << (x.is_cut ? x.wide : x.narrow);
  const std::uint64_t bounds = std::uint64_t{1} << (x.extension == operation::copy ? x.narrow : x.wide);
  for (std::uint64_t i = 0; i != starts * bounds; ++i) {
    runner.run(i % starts, i / starts, (std::size_t{2} << x.wide) * (x.form.iterations_in_pass() + 1));
  }
  midend::verify_counted_exits_workspace workspace;
  midend::counted_exits_checker<narrow_view> checker(view, workspace);
  ++out.programs;
  for (edge_id e = 0; e != p.num_edges(); ++e) {
    const bool is_accepted = checker.fault_of(e) == midend::counted_exit_fault::none;
    const bool is_exit = p.node_name(p.edge_target(e)) == "exit";
    out.accepted += is_accepted ? 1u : 0u;
    out.missed += !is_accepted && is_exit && !runner.taken[e] ? 1u : 0u;
    if (is_accepted && runner.taken[e]) {
      ++out.wrong;
      MESSAGE("edge ", e, " of\n", text);
    }
  }
}

shape random_shape(random_source& random) {
  shape x{};
  x.narrow = static_cast<std::uint8_t>(2 + random.below(3));
  x.wide = static_cast<std::uint8_t>(x.narrow + 1 + random.below(2));
  x.is_cut = random.one_in(3);
  x.extension = random.one_in(2) ? operation::copy : random.one_in(2) ? operation::zero_extend : operation::sign_extend;
  x.comparison = static_cast<operation>(static_cast<std::uint32_t>(operation::equal) + random.below(10));
  const std::uint64_t most = midend::low_ones(x.is_cut ? x.wide : x.narrow);
  x.step = random.one_in(2) ? 1 + random.below(3) : most + 1 - random.below(static_cast<std::size_t>(most) + 1);
  x.step &= most;
  x.form = form_with_limit(random.below(3), 2 + random.below(4));
  x.is_tested_last = random.one_in(2);
  return x;
}

} // namespace

TEST_CASE("counter_limits: the exits of passes are proven, and no run takes them") {
  random_source random(41);
  tally all;
  for (std::size_t i = 0; i != affordable(4000); ++i) {
    const shape x = random_shape(random);
    if (const auto text = passes(x)) {
      compare(*text, x, all);
    }
  }
  MESSAGE(all.programs, " programs, ", all.accepted, " edges accepted, ", all.missed, " exits not");
  CHECK(all.wrong == 0);
  CHECK(all.missed == 0);
  CHECK(all.accepted > all.programs);
}

TEST_CASE("counter_limits: programs with mistakes, run on all numbers of a few bits") {
  random_source random(43);
  tally all;
  for (std::size_t i = 0; i != affordable(12'000); ++i) {
    const shape x = random_shape(random);
    if (const auto text = passes(x)) {
      std::string wrong = mutated(*text, random);
      compare(random.one_in(2) ? wrong : mutated(wrong, random), x, all);
    }
  }
  MESSAGE(all.programs, " programs, ", all.accepted, " edges accepted, ", all.missed, " untaken exits not");
  CHECK(all.wrong == 0);
  CHECK(all.programs > affordable(1000));
  CHECK(all.accepted > affordable(1000));
}

namespace {

/// `for (i = start; i < bound; ++i)` in passes of four iterations.
constexpr std::string_view four = R"(
proc @f(%start: i8, %bound: i8) -> i8 {
  node entry:
    %d = sub.i8 %bound, %start
    %c = cmp.lt.i8 %start, %bound
    %m = sext.i1.i8 %c
    %t = and.i8 %d, %m
    %r = and.i8 %t, 3
    %p = sub.i8 %t, %r
    %l = add.i8 %start, %p
    %e = cmp.uge.i8 %t, 4
    br %e ? c0 : end
  node c0:
    %i0 = phi.i8 [entry: %start], [latch: %i4]
    %q0 = cmp.lt.i8 %i0, %bound
    br %q0 ? c1 : exit
  node c1:
    %i1 = add.i8 %i0, 1
    %q1 = cmp.lt.i8 %i1, %bound
    br %q1 ? c2 : exit
  node c2:
    %i2 = add.i8 %i1, 1
    %q2 = cmp.lt.i8 %i2, %bound
    br %q2 ? c3 : exit
  node c3:
    %i3 = add.i8 %i2, 1
    %q3 = cmp.lt.i8 %i3, %bound
    br %q3 ? latch : exit
  node latch:
    %i4 = add.i8 %i3, 1
    %done = cmp.eq.i8 %i4, %l
    br %done ? end : c0
  node exit:
    ret 1
  node end:
    ret 0
}
)";

/// What is wrong in it, and how many of the four exits are proven then.
struct mistake {
  std::string_view name;
  std::string_view from;
  std::string_view to;
  std::size_t proven;
};

constexpr mistake mistakes[] = {
    {"none", "%d = sub", "%d = sub", 4},
    {"an iteration too many", "%d = sub.i8 %bound, %start", "%d0 = sub.i8 %bound, %start\n    %d = add.i8 %d0, 1", 3},
    {"a pass too many", "%l = add.i8 %start, %p", "%l0 = add.i8 %start, %p\n    %l = add.i8 %l0, 4", 0},
    {"one iteration less", "%d = sub.i8 %bound, %start", "%d0 = sub.i8 %bound, %start\n    %d = sub.i8 %d0, 1", 4},
    {"passes without iterations", "cmp.uge.i8 %t, 4", "cmp.uge.i8 %t, 0", 0},
    {"passes with too few iterations", "cmp.uge.i8 %t, 4", "cmp.uge.i8 %t, 3", 0},
    {"a signed guard", "cmp.uge.i8 %t, 4", "cmp.ge.i8 %t, 4", 0},
    {"an unsigned order before signed tests", "%c = cmp.lt", "%c = cmp.ult", 0},
    {"the order of other numbers", "%c = cmp.lt.i8 %start, %bound", "%c = cmp.lt.i8 %bound, %start", 0},
    {"no order", "%t = and.i8 %d, %m", "%t = and.i8 %d, -1", 0},
    {"what is left does not divide", "%r = and.i8 %t, 3", "%r = and.i8 %t, 1", 0},
    {"another rest", "%r = and.i8 %t, 3", "%r = and.i8 %d, 3", 0},
    {"a rest by three", "%r = and.i8 %t, 3", "%r = urem.i8 %t, 3", 0},
    {"a step that does not divide", "%i2 = add.i8 %i1, 1", "%i2 = add.i8 %i1, 2", 0},
    {"a step down", "%i4 = add.i8 %i3, 1", "%i4 = sub.i8 %i3, 7", 0},
    {"the next iteration is tested", "cmp.lt.i8 %i3, %bound", "cmp.lt.i8 %i4, %bound", 3},
    {"a test that holds for fewer numbers", "%q2 = cmp.lt", "%q2 = cmp.ult", 3},
    {"a test that holds for more numbers", "%q2 = cmp.lt", "%q2 = cmp.le", 4},
    {"a test for inequality", "%q1 = cmp.lt", "%q1 = cmp.ne", 4},
    {"a test for equality", "%q1 = cmp.lt", "%q1 = cmp.eq", 3},
    {"the opposite test", "%q1 = cmp.lt", "%q1 = cmp.ge", 3},
    {"the edges of a test are exchanged", "br %q1 ? c2 : exit", "br %q1 ? exit : c2", 3},
    {"the edges of the guard are exchanged", "br %e ? c0 : end", "br %e ? end : c0", 0},
    {"the edges of the latch are exchanged", "br %done ? end : c0", "br %done ? c0 : end", 0},
    {"another limit", "%l = add.i8 %start, %p", "%l = add.i8 %bound, %p", 0},
    {"the limit is of another iteration", "%done = cmp.eq.i8 %i4", "%done = cmp.eq.i8 %i3", 0},
    {"a limit that is passed by", "%done = cmp.eq", "%done = cmp.ugt", 0},
};

} // namespace

TEST_CASE("counter_limits: seeded mistakes, of numbers of eight bits that wrap") {
  for (const mistake& m : mistakes) {
    std::string text(four);
    text.replace(text.find(m.from), m.from.size(), m.to);
    if (text.find("cmp.lt.i8 %i4") != std::string::npos) { // a value is defined before it is read
      const std::string_view line = "    %i4 = add.i8 %i3, 1\n";
      text.erase(text.find(line), line.size());
      text.insert(text.find("    %q3 ="), line);
    }
    const elbrus::program program = program_of(text);
    const elbrus::procedure& p = program.procedures[0];
    narrow_view view(p);
    view.narrow = 8;
    edge_runner runner(view, p);
    for (std::uint64_t i = 0; i < 65'536; i += tests_are_shortened ? 61 : 7) {
      runner.run(i & 255, i >> 8, 1400);
    }
    midend::verify_counted_exits_workspace workspace;
    midend::counted_exits_checker<narrow_view> checker(view, workspace);
    std::size_t proven = 0;
    for (edge_id e = 0; e != p.num_edges(); ++e) {
      const bool is_accepted = checker.fault_of(e) == midend::counted_exit_fault::none;
      proven += is_accepted ? 1u : 0u;
      CHECK_MESSAGE(!(is_accepted && runner.taken[e]), m.name, ": edge ", e);
    }
    CHECK_MESSAGE(proven == m.proven, m.name);
  }
}

TEST_CASE("counter_limits: a loop of many copies") {
  const auto copies = static_cast<std::uint32_t>(affordable(100'000));
  shape x{};
  x.narrow = 32;
  x.wide = 32;
  x.extension = operation::copy;
  x.comparison = operation::less;
  x.step = 1;
  x.form = with_epilogue(copies);
  const std::string text = passes(x).value();
  const elbrus::program program = program_of(text);
  const elbrus::procedure& p = program.procedures[0];
  const elbrus::cost_view view(p);
  midend::verify_counted_exits_workspace workspace;
  std::size_t proven = 0;
  const auto prove = [&] {
    midend::counted_exits_checker<elbrus::cost_view> checker(view, workspace);
    for (edge_id e = 0; e != p.num_edges(); ++e) {
      proven += checker.fault_of(e) == midend::counted_exit_fault::none ? 1u : 0u;
    }
  };
  prove();
  CHECK(proven == copies);
  CHECK(allocations_of(prove) == 0);
}
