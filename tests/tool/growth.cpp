/// How the work of each pass of the tool grows with the program, by counting: the control-flow edges that are run, and
/// the most memory that is in use at a time.
///
///     midend_growth [--shapes=a,b,…] [--passes=a,b,…] [--size=N] [--all]
///
/// Each pass runs on programs of one shape in two sizes, the second four times the first, with its certificate and
/// without. If 16 times the work is done on four times the program, the exponent is 2. A row is printed for each
/// exponent above 1.2, or with `--all` for each; the exit status is 1 if one is larger than `known_growth` allows.
///
/// The passes are compiled with `-fsanitize-coverage=trace-pc`, which calls edge_counter.cpp on each edge.
#include "edge_counter.hpp"

#include "../examples/tool/passes.hpp"

#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>

#include <malloc.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::size_t bytes_in_use = 0;
std::size_t most_bytes_in_use = 0;

void* counted(void* place) {
  if (place == nullptr) {
    std::abort();
  }
  bytes_in_use += malloc_usable_size(place);
  most_bytes_in_use = bytes_in_use > most_bytes_in_use ? bytes_in_use : most_bytes_in_use;
  return place;
}

void release(void* place) {
  if (place != nullptr) {
    bytes_in_use -= malloc_usable_size(place);
    std::free(place);
  }
}

} // namespace

void* operator new(std::size_t size) {
  return counted(std::malloc(size == 0 ? 1 : size));
}

void operator delete(void* place) noexcept {
  release(place);
}

void operator delete(void* place, std::size_t) noexcept {
  release(place);
}

namespace {

// ---- Shapes: a program with about n nodes, or n values where the shape is about values.

using text = std::string;

const text procedure = "proc @f(%a: ptr, %x: i32) -> i32 {\n";

text num(std::size_t i) {
  return std::to_string(i);
}

text row(std::size_t n) {
  text out = procedure + "  node n0:\n    br n1\n";
  for (std::size_t i = 1; i != n; ++i) {
    out += "  node n" + num(i) + ":\n    %v" + num(i) + " = add.i32 " + (i == 1 ? "%x" : "%v" + num(i - 1)) + ", " +
           num(i) + "\n    br n" + num(i + 1) + "\n";
  }
  return out + "  node n" + num(n) + ":\n    ret %v" + num(n - 1) + "\n}\n";
}

/// Each decides on the result of the one before.
text diamonds(std::size_t n) {
  text out = procedure + "  node n0:\n    %v0 = add.i32 %x, 1\n    br d1\n";
  for (std::size_t i = 1; i != n; ++i) {
    const text k = num(i);
    const text last = num(i - 1);
    out += "  node d" + k + ":\n    %p" + k + " = cmp.lt.i32 %v" + last + ", " + k + "\n    br %p" + k + " ? a" + k +
           " : b" + k + "\n  node a" + k + ":\n    %l" + k + " = ld.i32 [%a + " + k + "*4]\n    br j" + k +
           "\n  node b" + k + ":\n    %m" + k + " = mul.i32 %v" + last + ", 3\n    br j" + k + "\n  node j" + k +
           ":\n    %v" + k + " = phi.i32 [a" + k + ": %l" + k + "], [b" + k + ": %m" + k + "]\n    br d" + num(i + 1) +
           "\n";
  }
  return out + "  node d" + num(n) + ":\n    ret %v" + num(n - 1) + "\n}\n";
}

/// One loop; `exits` of its nodes also leave it, each to a node of its own or all to the same.
text loop_with_exits(std::size_t n, bool same_target) {
  text out = procedure + "  node n0:\n    br h\n  node h:\n    %i = phi.i32 [n0: 0], [latch: "
                         "%i1]\n    br b1\n";
  for (std::size_t i = 1; i != n; ++i) {
    const text k = num(i);
    out += "  node b" + k + ":\n    %l" + k + " = ld.i32 [%a + %i*4 + " + num(4 * i) + "]\n    %p" + k +
           " = cmp.eq.i32 %l" + k + ", %x\n    br %p" + k + " ? " + (same_target ? "out" : "e" + k) + " : " +
           (i + 1 == n ? "latch" : "b" + num(i + 1)) + "\n";
  }
  out += "  node latch:\n    %i1 = add.i32 %i, 1 nsw\n    %q = cmp.lt.i32 %i1, 100\n    br %q ? h : out\n";
  for (std::size_t i = 1; i != n && !same_target; ++i) {
    const text k = num(i);
    out += "  node e" + k + ":\n    %r" + k + " = add.i32 %l" + k + ", %i\n    ret %r" + k + "\n";
  }
  return out + "  node out:\n    ret %i\n}\n";
}

text exits(std::size_t n) {
  return loop_with_exits(n, false);
}

text equal_exits(std::size_t n) {
  return loop_with_exits(n, true);
}

text latches(std::size_t n) {
  text phi = "    %i = phi.i32 [n0: 0]";
  text body;
  for (std::size_t i = 1; i != n; ++i) {
    const text k = num(i);
    phi += ", [b" + k + ": %i" + k + "]";
    body += "  node b" + k + ":\n    %i" + k + " = add.i32 %i, " + k + "\n    %p" + k + " = cmp.lt.i32 %i" + k +
            ", %x\n    br %p" + k + " ? h : " + (i + 1 == n ? text("out") : "b" + num(i + 1)) + "\n";
  }
  return procedure + "  node n0:\n    br h\n  node h:\n" + phi + "\n    br b1\n" + body +
         "  node out:\n    ret %i\n}\n";
}

text loops_in_a_row(std::size_t n) {
  text out = procedure + "  node h0:\n    %s0 = mov.i32 0\n    br h1\n";
  for (std::size_t i = 1; i != n; ++i) {
    const text k = num(i);
    const text last = num(i - 1);
    out += "  node h" + k + ":\n    %i" + k + " = phi.i32 [h" + last + ": 0], [h" + k + ": %n" + k + "]\n    %t" + k +
           " = phi.i32 [h" + last + ": %s" + last + "], [h" + k + ": %s" + k + "]\n    %l" + k + " = ld.i32 [%a + %i" +
           k + "*4]\n    %s" + k + " = add.i32 %t" + k + ", %l" + k + "\n    %n" + k + " = add.i32 %i" + k +
           ", 1 nsw\n    %q" + k + " = cmp.lt.i32 %n" + k + ", " + num(i % 20 + 2) + "\n    br %q" + k + " ? h" + k +
           " : h" + num(i + 1) + "\n";
  }
  return out + "  node h" + num(n) + ":\n    ret %s" + num(n - 1) + "\n}\n";
}

text nest(std::size_t n) {
  text out = procedure + "  node h0:\n    br h1\n";
  text end;
  for (std::size_t i = 1; i != n; ++i) {
    const text k = num(i);
    out += "  node h" + k + ":\n    %i" + k + " = phi.i32 [h" + num(i - 1) + ": 0], [t" + k + ": %n" + k +
           "]\n    br " + (i + 1 == n ? "t" + k : "h" + num(i + 1)) + "\n";
    end = "  node t" + k + ":\n    %n" + k + " = add.i32 %i" + k + ", 1 nsw\n    %q" + k + " = cmp.lt.i32 %n" + k +
          ", %x\n    br %q" + k + " ? h" + k + " : " + (i == 1 ? text("out") : "t" + num(i - 1)) + "\n" + end;
  }
  return out + end + "  node out:\n    ret 0\n}\n";
}

text cases(std::size_t n) {
  text out = procedure + "  node n0:\n    switch.i32 %x ";
  text nodes;
  text phi = "    %r = phi.i32 [n0: 0]";
  for (std::size_t i = 1; i != n; ++i) {
    const text k = num(i);
    out += "[" + k + ": c" + k + "], ";
    nodes += "  node c" + k + ":\n    %v" + k + " = add.i32 %x, " + k + "\n    br out\n";
    phi += ", [c" + k + ": %v" + k + "]";
  }
  return out + "default: out\n" + nodes + "  node out:\n" + phi + "\n    ret %r\n}\n";
}

/// Two nodes that branch to each other, both entered from outside, again and again.
text irreducible_cycles(std::size_t n) {
  text out = procedure + "  node n0:\n    br d1\n";
  for (std::size_t i = 1; i != n; ++i) {
    const text k = num(i);
    out += "  node d" + k + ":\n    %p" + k + " = cmp.lt.i32 %x, " + k + "\n    br %p" + k + " ? a" + k + " : b" + k +
           "\n  node a" + k + ":\n    %l" + k + " = ld.i32 [%a + " + k + "*4]\n    %q" + k + " = cmp.eq.i32 %l" + k +
           ", 0\n    br %q" + k + " ? b" + k + " : d" + num(i + 1) + "\n  node b" + k + ":\n    br a" + k + "\n";
  }
  return out + "  node d" + num(n) + ":\n    ret %x\n}\n";
}

/// One cycle with n entries.
text cycle_entries(std::size_t n) {
  text out = procedure + "  node n0:\n    switch.i32 %x ";
  text nodes;
  for (std::size_t i = 1; i != n; ++i) {
    const text k = num(i);
    out += "[" + k + ": c" + k + "], ";
    nodes += "  node c" + k + ":\n    %l" + k + " = ld.i32 [%a + " + k + "*4]\n    %q" + k + " = cmp.eq.i32 %l" + k +
             ", 0\n    br %q" + k + " ? out : " + (i + 1 == n ? "c1" : "c" + num(i + 1)) + "\n";
  }
  return out + "default: out\n" + nodes + "  node out:\n    ret %x\n}\n";
}

/// The nodes of a clique have n edges together.
text clique(std::size_t n) {
  const auto k = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
  text out = procedure + "  node n0:\n    br c0\n";
  for (std::size_t i = 0; i != k; ++i) {
    out += "  node c" + num(i) + ":\n    %v" + num(i) + " = ld.i32 [%a + " + num(i) + "*4]\n    switch.i32 %v" + num(i);
    for (std::size_t j = 0; j != k; ++j) {
      out += " [" + num(j) + ": c" + num(j) + "],";
    }
    out += " default: out\n";
  }
  return out + "  node out:\n    ret %x\n}\n";
}

/// A chain of loops that all go back to the first nodes: dominance frontiers are quadratic.
text ladder(std::size_t n) {
  text out = procedure + "  var $s: i32\n  node n0:\n    $s = mov.i32 %x\n    br h1\n";
  text end;
  for (std::size_t i = 1; i != n; ++i) {
    const text k = num(i);
    out += "  node h" + k + ":\n    $s = add.i32 $s, " + k + "\n    br h" + num(i + 1) + "\n";
    end = "  node t" + k + ":\n    %q" + k + " = cmp.lt.i32 $s, " + k + "\n    br %q" + k + " ? h" + k + " : " +
          (i == 1 ? text("out") : "t" + num(i - 1)) + "\n" + end;
  }
  return out + "  node h" + num(n) + ":\n    br t" + num(n - 1) + "\n" + end + "  node out:\n    ret $s\n}\n";
}

text variables(std::size_t n) {
  text out = procedure;
  for (std::size_t i = 0; i != n; ++i) {
    out += "  var $s" + num(i) + ": i32\n";
  }
  out += "  node n0:\n    br h\n  node h:\n";
  for (std::size_t i = 0; i != n; ++i) {
    out += "    $s" + num(i) + " = add.i32 $s" + num((i + 1) % n) + ", 1\n";
  }
  return out + "    %q = cmp.lt.i32 $s0, %x\n    br %q ? h : out\n  node out:\n    ret $s1\n}\n";
}

/// One loop with n values that each have a phi.
text phis(std::size_t n) {
  text out = procedure + "  node n0:\n    br h\n  node h:\n";
  text body;
  for (std::size_t i = 0; i != n; ++i) {
    const text k = num(i);
    out += "    %i" + k + " = phi.i32 [n0: " + k + "], [h: %n" + k + "]\n";
    body += "    %n" + k + " = add.i32 %i" + k + ", " + (i == 0 ? "1" : "%i" + num(i - 1)) + "\n";
  }
  return out + body + "    %q = cmp.lt.i32 %n0, 100\n    br %q ? h : out\n  node out:\n    ret %n" + num(n - 1) +
         "\n}\n";
}

/// Loads and stores in a loop, in turn, through one base.
text accesses(std::size_t n) {
  text out = procedure + "  node n0:\n    br h\n  node h:\n    %i = phi.i32 [n0: 0], [h: %n]\n";
  for (std::size_t i = 0; i != n; ++i) {
    const text k = num(i);
    out += "    %v" + k + " = ld.i32 [%a + %i*4 + " + num(8 * i) + "]\n    %w" + k + " = mul.i32 %v" + k +
           ", %x\n    st.i32 %w" + k + ", [%a + %i*4 + " + num(8 * i + 4) + "]\n";
  }
  return out +
         "    %n = add.i32 %i, 1 nsw\n    %q = cmp.lt.i32 %n, %x\n    br %q ? h : out\n  node out:\n    ret 0\n}\n";
}

/// A tree of additions of different values in straight code.
text additions(std::size_t n) {
  text out = procedure + "  node n0:\n    %v0 = mul.i32 %x, 3\n";
  for (std::size_t i = 1; i != n; ++i) {
    const text k = num(i);
    out += "    %l" + k + " = ld.i32 [%a + " + num(4 * i) + "]\n    %v" + k + " = add.i32 %v" + num(i - 1) + ", %l" +
           k + "\n";
  }
  return out + "    ret %v" + num(n - 1) + "\n}\n";
}

struct shape {
  std::string_view name;
  text (*make)(std::size_t n);
};

constexpr shape shapes[] = {{"row", row},
                            {"diamonds", diamonds},
                            {"exits", exits},
                            {"equal-exits", equal_exits},
                            {"latches", latches},
                            {"loops", loops_in_a_row},
                            {"nest", nest},
                            {"cases", cases},
                            {"irreducible", irreducible_cycles},
                            {"cycle-entries", cycle_entries},
                            {"clique", clique},
                            {"ladder", ladder},
                            {"variables", variables},
                            {"phis", phis},
                            {"accesses", accesses},
                            {"additions", additions}};

// ---- What is known to grow faster.

struct growth {
  std::string_view shape;
  std::string_view pass; ///< without an option: with any
  double work;           ///< the largest exponents
  double memory;
  std::string_view why;
};

constexpr double linear = 1.25;        // a logarithm
constexpr double linear_memory = 1.55; // a table that has just doubled its size

constexpr growth known_growth[] = {
    {"exits", "close-loops", 2, linear_memory, "each value is followed through the nodes in which it is live"},
    {"ladder", "close-loops", 2, linear_memory, "each value is followed through the nodes in which it is live"},
    {"nest", "value-numbering", 2, linear_memory, "a sweep for each level, over a bit for each node"},
    {"nest", "interchange", 2, linear_memory, "each pair walks the nodes of its outer loop"},
    {"nest", "collapse-loops", 2, linear_memory, "each pair walks the nodes of its outer loop"},
    {"nest", "hoist-common", 2, linear_memory, "value numbering"},
    {"equal-exits", "unroll", 2, linear_memory, "the estimate, up to 16 times `max_operations` values"},
    {"latches", "unroll", 2, linear_memory, "the estimate, up to 16 times `max_operations` values"},
    {"exits", "unify-exits", 2.1, 2,
     "the dispatch has a phi for each value, with an input for each exit; `max_inputs`"},
    {"exits", "value-numbering", 2, linear_memory, "a sweep for each level, over a bit for each node"},
    {"clique", "unroll", 2, linear_memory, "values after each exit, up to `max_exit_values`"},
    {"clique", "fix-irreducible", 2.1, 2, "cycle in cycle, each with a dispatch; `max_led`"},
    {"irreducible", "fix-irreducible", 1.5, linear_memory, "small programs only: dispatches that are split"},
    {"accesses", "memory-redundancy", 2, linear_memory, "pairs of accesses, up to a limit"},
    {"accesses", "version-loops", 2, linear_memory, "pairs of accesses, up to a limit"},
    {"accesses", "low-level-package", 2, linear_memory, "pairs of accesses, up to a limit"},
    {"accesses", "clean-up", 2, linear_memory, "pairs of accesses, up to a limit"},
    {"additions", "memory-redundancy", 2, linear_memory, "pairs of accesses, up to a limit"},
    {"additions", "low-level-package", 2, linear_memory, "pairs of accesses, up to a limit"},
    {"additions", "clean-up", 2, linear_memory, "pairs of accesses, up to a limit"},
    {"accesses", "loop-package", 2, linear_memory, "pairs of accesses, up to a limit"},
    {"additions", "loop-package", 2, linear_memory, "pairs of accesses, up to a limit"},
};

// ---- Measuring.

struct counts {
  double work = 0;
  double memory = 0;
};

midend::elbrus::program read(const text& t) {
  midend::elbrus::parse_result parsed = midend::elbrus::parse(t);
  if (!parsed.diagnostics.empty()) {
    std::fprintf(stderr, "midend_growth: %s\n%s", parsed.diagnostics[0].message.c_str(), t.c_str());
    std::exit(2);
  }
  return std::move(parsed.program);
}

counts count(const shape& s, const midend_tool::chosen_pass& pass, std::size_t size, bool certify) {
  midend::elbrus::program p = read(s.make(size));
  midend::elbrus::procedure& one = p.procedures[0];
  if (pass.kind->variables == midend_tool::variable_policy::refuses && !one.variables().empty()) {
    construct_ssa(p);
  }
  midend_tool::pass_report report;
  midend_tests::edges_run = 0;
  const std::size_t before = bytes_in_use;
  most_bytes_in_use = before;
  pass.kind->run(one, {.number = pass.number, .certify = certify}, report);
  if (report.fault) {
    std::fprintf(stderr, "midend_growth: %s\n", report.fault->c_str());
    std::exit(2);
  }
  return {static_cast<double>(midend_tests::edges_run), static_cast<double>(most_bytes_in_use - before)};
}

/// Of what is four times as large. Some kilobytes are needed for any program.
double exponent(double first, double second) {
  constexpr double rest = 8192;
  return std::log2((second + rest) / (first + rest)) / 2;
}

bool is_in(std::string_view list, std::string_view name) {
  if (list.empty()) {
    return true;
  }
  while (!list.empty()) {
    const std::size_t comma = list.find(',') == list.npos ? list.size() : list.find(',');
    if (list.substr(0, comma) == name) {
      return true;
    }
    list.remove_prefix(comma == list.size() ? comma : comma + 1);
  }
  return false;
}

growth allowed(std::string_view shape, std::string_view pass) {
  for (const growth& g : known_growth) {
    if (g.shape == shape && (g.pass == pass || g.pass == pass.substr(0, pass.find(':')))) {
      return g;
    }
  }
  return {shape, pass, linear, linear_memory, ""};
}

} // namespace

int main(int argc, char** argv) {
  std::string_view wanted_shapes;
  std::string_view wanted_passes;
  std::size_t size = 250;
  bool all = false;
  for (int i = 1; i != argc; ++i) {
    const std::string_view a = argv[i];
    if (a.starts_with("--shapes=")) {
      wanted_shapes = a.substr(9);
    } else if (a.starts_with("--passes=")) {
      wanted_passes = a.substr(9);
    } else if (a.starts_with("--size=") &&
               std::from_chars(a.data() + 7, a.data() + a.size(), size).ptr == a.data() + a.size() && size > 3) {
    } else if (a == "--all") {
      all = true;
    } else {
      std::fprintf(stderr, "usage: midend_growth [--shapes=a,b,…] [--passes=a,b,…] [--size=N] [--all]\n");
      return 2;
    }
  }
  std::vector<std::string> names;
  names.reserve(64);
  for (const midend_tool::pass_kind& pass : midend_tool::pass_kinds()) {
    names.emplace_back(pass.name);
  }
  names.insert(names.end(), {"unroll:4", "unroll:full", "unroll:4+as-written", "unroll:4+prologue+as-written",
                             "unroll:2+unrolled-remainder+as-written", "peel:3", "sccp:branch-facts"});
  std::size_t cells = 0;
  std::size_t wrong = 0;
  std::printf("%-14s %-28s %12s %7s %12s %7s\n", "shape", "pass", "edges run", "growth", "bytes", "growth");
  for (const shape& s : shapes) {
    for (const std::string& name : names) {
      if (!is_in(wanted_shapes, s.name) || !is_in(wanted_passes, name)) {
        continue;
      }
      const midend_tool::chosen_pass pass = midend_tool::find_pass(name);
      for (const bool certify : {false, true}) {
        const counts first = count(s, pass, size, certify);
        const counts second = count(s, pass, 4 * size, certify);
        const double work = exponent(first.work, second.work);
        const double memory = exponent(first.memory, second.memory);
        const growth limit = allowed(s.name, name);
        const bool is_wrong = work > limit.work || memory > limit.memory;
        ++cells;
        wrong += is_wrong;
        if (all || is_wrong || work > linear || memory > linear_memory) {
          std::printf("%-14s %-28s %12.0f %7.2f %12.0f %7.2f  %s\n", std::string(s.name).c_str(),
                      (name + (certify ? ", certified" : "")).c_str(), second.work, work, second.memory, memory,
                      is_wrong ? "too fast" : std::string(limit.why).c_str());
          std::fflush(stdout);
        }
      }
    }
  }
  std::printf("%zu shapes and passes, %zu grow too fast\n", cells, wrong);
  return wrong == 0 && cells != 0 ? 0 : 1;
}
