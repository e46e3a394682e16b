// compare_runs BEFORE.eir AFTER.eir RUNS: runs each procedure of two programs on random inputs, with host functions
// made up for all calls, and compares the runs. Programs from llvm_to_eir --alias=sites keep their promises on these
// inputs; accesses of different types (--alias=types) may overlap.
//
// compare_runs --native LIBRARY.so FILE.eir RUNS: runs each procedure in the interpreter and, where that does not trap,
// its machine code at the same addresses (native_module.cpp), and compares results and memory.
//
// The last line counts; the exit status is 1 if there is a difference.
#include "random_runs.hpp"

#include <midend/elbrus/run/run_equivalence.hpp>
#include <midend/elbrus/run/trap_text.hpp>
#include <midend/elbrus/text/parser.hpp>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace midend_tests;

elbrus::program read_program(const char* name) {
  std::ifstream file(name);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  elbrus::parse_result parsed = elbrus::parse(text);
  if (!file || !parsed.diagnostics.empty()) {
    std::fprintf(stderr, "compare_runs: %s: %s\n", name,
                 parsed.diagnostics.empty() ? "cannot be read" : parsed.diagnostics.front().message.c_str());
    std::exit(2);
  }
  return std::move(parsed.program);
}

struct run_counts {
  std::size_t procedures = 0;
  std::size_t returning = 0; ///< procedures that return on some input
  std::size_t same = 0;
  std::size_t trapped = 0; ///< runs in which the original traps
  std::size_t limited = 0;
  std::size_t different = 0; ///< procedures

  void print(const char* trapping) const {
    std::printf(
        "%zu procedures, %zu return; %zu runs are the same, %zu %s; %zu without a verdict; %zu procedures differ\n",
        procedures, returning, same, trapped, trapping, limited, different);
  }
};

elbrus::run_options options_with(const random_host& host, std::uint64_t limit) {
  elbrus::run_options options;
  options.step_limit = limit;
  options.host = std::cref(host);
  return options;
}

// Two programs.

constexpr std::uint64_t steps = 20'000;

/// False if a run differs.
bool compare_procedures(elbrus::interpreter& a, elbrus::interpreter& b, std::size_t in_a, std::size_t in_b,
                        const elbrus::procedure& p, const random_host& host, std::uint64_t runs, run_counts& counts) {
  bool returns = false;
  for (std::uint64_t seed = 0; seed != runs; ++seed) {
    const random_input in = random_input_of(p, seed);
    const auto original = a.run(in_a, in.arguments, in.memory, options_with(host, steps));
    const auto transformed = b.run(in_b, in.arguments, in.memory, options_with(host, 4 * steps));
    const elbrus::run_comparison result = elbrus::compare_runs(original, transformed);
    if (result.verdict == elbrus::run_verdict::different) {
      std::printf("@%s, input %llu: %s\n", std::string(p.name()).c_str(), static_cast<unsigned long long>(seed),
                  elbrus::to_text(result).c_str());
      return false;
    }
    counts.limited += result.verdict == elbrus::run_verdict::no_verdict ? 1u : 0u;
    counts.same += result.verdict == elbrus::run_verdict::same ? 1u : 0u;
    counts.trapped += result.verdict == elbrus::run_verdict::same && original.trap ? 1u : 0u;
    returns = returns || !original.trap;
  }
  counts.returning += returns ? 1u : 0u;
  return true;
}

run_counts compare_programs(const elbrus::program& before, const elbrus::program& after, std::uint64_t runs) {
  elbrus::interpreter a(before);
  elbrus::interpreter b(after);
  const random_host host(before);
  run_counts counts;
  for (std::size_t i = 0; i != before.procedures.size(); ++i) {
    const elbrus::procedure& p = before.procedures[i];
    ++counts.procedures;
    const auto other = b.find(p.name());
    if (!other || !compare_procedures(a, b, i, *other, p, host, runs, counts)) {
      ++counts.different;
    }
  }
  return counts;
}

// Machine code.

std::string running; ///< for the handler

/// The machine code faults or does not end where the procedure returned.
void on_signal(int) {
  const std::string text = "@" + running + ": the machine code faults or does not end\n";
  (void)!write(1, text.data(), text.size());
  _exit(1);
}

/// Memory of the machine at the addresses of the interpreter's.
class mapped_memory {
public:
  void fill(const elbrus::memory& m) {
    for (; mapped_ < m.num_arrays(); ++mapped_) {
      void* const at = place(mapped_);
      if (mmap(at, bytes_per_array, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) !=
          at) {
        std::perror("compare_runs: no memory at the addresses of the interpreter");
        std::exit(77);
      }
    }
    for (std::size_t k = 0; k != m.num_arrays(); ++k) {
      std::memcpy(place(k), m.bytes(k).data(), m.size(k));
    }
  }

  bool equals(const elbrus::memory& m) const {
    for (std::size_t k = 0; k != m.num_arrays(); ++k) {
      const auto* const code = static_cast<const unsigned char*>(place(k));
      for (std::size_t i = 0; i != m.size(k); ++i) {
        if (code[i] != m.bytes(k)[i] && !is_in_nan(m.bytes(k).data(), code, m.size(k), i)) {
          return false;
        }
      }
    }
    return true;
  }

private:
  /// Whether byte `i` is of a NaN as operations of the interpreter make it, and of any NaN in `code`: processors differ
  /// in the NaN that an operation makes.
  static bool is_in_nan(const unsigned char* bytes, const unsigned char* code, std::size_t size, std::size_t i) {
    const auto both = [&](std::size_t from, std::size_t length, std::uint64_t made, auto is_nan) {
      if (from + length > size || i < from || i >= from + length) {
        return false;
      }
      const auto read = [&](const unsigned char* at, std::size_t n) {
        std::uint64_t word = 0;
        std::memcpy(&word, at + from, n);
        return word;
      };
      if (length == 10) {
        const auto is_head = [&](const unsigned char* at) {
          return at[from + 8] == 0xff && (at[from + 9] & 0x7f) == 0x7f;
        };
        return read(bytes, 8) == made && is_head(bytes) && is_head(code) && is_nan(read(code, 8));
      }
      const std::uint64_t sign = std::uint64_t{1} << (8 * length - 1);
      return (read(bytes, length) & ~sign) == made && is_nan(read(code, length));
    };
    const auto of_type = [](elbrus::type t) {
      return [t](std::uint64_t x) { return std::isnan(elbrus::float_value(t, x)); };
    };
    const auto has_fraction = [](std::uint64_t x) { return x << 1 != 0; };
    bool found = both(i - i % 4, 4, 0x7fc0'0000, of_type(elbrus::type::f32)) ||
                 both(i - i % 8, 8, 0x7ff8'0000'0000'0000, of_type(elbrus::type::f64));
    for (std::size_t back = 0; !found && back != 10 && back <= i; ++back) {
      found = both(i - back, 10, 0xc000'0000'0000'0000, has_fraction);
    }
    return found;
  }

  static void* place(std::size_t array) { return reinterpret_cast<void*>(elbrus::memory::address_of(array)); }

  std::size_t mapped_ = 0;
};

/// Processors differ in the NaN that an operation makes.
bool same_value(const elbrus::scalar& expected, std::uint64_t bits) {
  bits &= midend::low_ones(elbrus::width_of(expected.type));
  const auto is_nan = [&](std::uint64_t x) { return std::isnan(elbrus::float_value(expected.type, x)); };
  return bits == expected.bits || (elbrus::is_float(expected.type) && is_nan(bits) && is_nan(expected.bits));
}

using machine_code = void (*)(std::uint64_t*); ///< arguments in, the result in the first place out

/// False if a run differs.
bool compare_with_code(elbrus::interpreter& machine, std::size_t number, const elbrus::procedure& p, machine_code code,
                       mapped_memory& memory, std::uint64_t runs, const random_host& host, run_counts& counts) {
  bool returns = false;
  for (std::uint64_t seed = 0; seed != runs; ++seed) {
    const random_input in = random_input_of(p, seed);
    const auto result = machine.run(number, in.arguments, in.memory, options_with(host, steps));
    if (result.trap) {
      ++(elbrus::is_limit(result.trap->kind) ? counts.limited : counts.trapped);
      continue;
    }
    memory.fill(in.memory);
    std::vector<std::uint64_t> words(in.arguments.size() + 1);
    std::transform(in.arguments.begin(), in.arguments.end(), words.begin(),
                   [](const elbrus::scalar& a) { return a.bits; });
    alarm(10);
    code(words.data());
    alarm(0);
    const bool same = (!result.value || same_value(*result.value, words[0])) && memory.equals(result.memory);
    if (!same) {
      std::printf("@%s, input %llu: the machine code has another result\n", running.c_str(),
                  static_cast<unsigned long long>(seed));
      return false;
    }
    ++counts.same;
    returns = true;
  }
  counts.returning += returns ? 1u : 0u;
  return true;
}

run_counts compare_library(const char* library, const elbrus::program& all, std::uint64_t runs) {
  void* const code = dlopen(library, RTLD_NOW);
  if (code == nullptr) {
    std::fprintf(stderr, "compare_runs: %s\n", dlerror());
    std::exit(2);
  }
  for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM}) {
    std::signal(s, on_signal);
  }
  elbrus::interpreter machine(all);
  const random_host host(all);
  mapped_memory memory;
  run_counts counts;
  for (std::size_t i = 0; i != all.procedures.size(); ++i) {
    const elbrus::procedure& p = all.procedures[i];
    running = p.name();
    void* const entry = dlsym(code, ("native." + running).c_str());
    if (entry == nullptr) {
      continue;
    }
    ++counts.procedures;
    counts.different +=
        compare_with_code(machine, i, p, reinterpret_cast<machine_code>(entry), memory, runs, host, counts) ? 0u : 1u;
  }
  return counts;
}

} // namespace

int main(int argc, char** argv) {
  const bool native = argc == 5 && std::strcmp(argv[1], "--native") == 0;
  if (!native && argc != 4) {
    std::fprintf(stderr, "compare_runs BEFORE.eir AFTER.eir RUNS | compare_runs --native LIBRARY.so FILE.eir RUNS\n");
    return 2;
  }
  const std::uint64_t runs = std::strtoull(argv[argc - 1], nullptr, 10);
  const elbrus::program before = read_program(argv[native ? 3 : 1]);
  const run_counts counts =
      native ? compare_library(argv[2], before, runs) : compare_programs(before, read_program(argv[2]), runs);
  counts.print(native ? "trap and are not compared" : "of them trap");
  return counts.different != 0 || counts.procedures == 0 || counts.returning == 0 ? 1 : 0;
}
