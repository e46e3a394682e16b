/// All wrong transformations that the tests seed, with what the checkers of their certificates say.
#pragma once

#include "kit/random_programs.hpp"
#include "managed/memory_mistakes.hpp"
#include "ssa/congruence_mistakes.hpp"
#include "ssa/phis_of_operations_mistakes.hpp"
#include "ssa/sccp_mistakes.hpp"
#include "transform/cleaning_mistakes.hpp"
#include "transform/unfolding_mistakes.hpp"
#include "transform/unrolling_mistakes.hpp"

#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/run_equivalence.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace midend_tests {

/// A transformation with a mistake.
struct wrong_program {
  std::string_view certificate; ///< of which kind
  std::string_view kind;
  std::string_view name;
  midend::elbrus::procedure before;
  midend::elbrus::procedure after;
  bool is_rejected; ///< by the checker of its certificate
};

/// Calls `visit(wrong_program)` for each.
template <class Visit> void for_each_wrong_program(Visit visit) {
  const auto unfoldings = [&](const auto& all) {
    for (const auto& m : all) {
      typename std::remove_cvref_t<decltype(all)>::value_type::world t;
      m.make(t);
      visit(wrong_program{"unfolding", m.kind, m.name, t.before, t.after, !certificate(t.before, t.after, t.w)});
    }
  };
  unfoldings(wrong_unfoldings::mistakes());
  unfoldings(wrong_unfoldings::mistakes_of_dispatch());
  unfoldings(wrong_unfoldings::mistakes_of_cases());
  unfoldings(wrong_unfoldings::mistakes_of_chains());
  unfoldings(wrong_unfoldings::mistakes_of_branching());
  unfoldings(wrong_unfoldings::mistakes_of_header<wrong_unfoldings::with_new_header<midend::elbrus::editor>>());
  unfoldings(
      wrong_unfoldings::mistakes_of_header<wrong_unfoldings::with_new_header<wrong_unfoldings::without_switches>>());
  const auto cleanings = [&](std::string_view certificate, const auto& all) {
    for (const auto& m : all) {
      typename std::remove_cvref_t<decltype(all)>::value_type::world t;
      m.make(t);
      visit(wrong_program{certificate, certificate, m.name, t.before, t.after, !t.verdict()});
    }
  };
  cleanings("removal", wrong_cleaning::mistakes_of_removal());
  cleanings("replacement", wrong_cleaning::mistakes_of_replacement());
  cleanings("motion", wrong_cleaning::mistakes_of_motion());
  cleanings("memory", wrong_memory::mistakes());
  const auto edges = [&]<class World>(std::string_view certificate, std::string_view text, const auto& words, World*) {
    for (const wrong_unrolling::other_word& word : words) {
      const World t(wrong_unrolling::changed(text, word));
      visit(wrong_program{certificate, certificate, word.name, t.before, t.after, !t.verdict()});
    }
  };
  edges("exits", wrong_unrolling::with_untaken_exits, wrong_unrolling::mistakes_of_exits(),
        static_cast<wrong_unrolling::exits*>(nullptr));
  edges("branches", wrong_unrolling::with_implied_branches, wrong_unrolling::mistakes_of_branches(),
        static_cast<wrong_unrolling::branches*>(nullptr));
  edges("memory", wrong_memory::with_sums, wrong_memory::mistakes_of_sums(), static_cast<wrong_memory::sums*>(nullptr));
  for (const wrong_phis::mistake& m : wrong_phis::mistakes()) {
    wrong_phis::planned t;
    m.make(t);
    visit(wrong_program{"phis of operations", "phis of operations", m.name, t.before.procedure(),
                        m.is_program ? t.after() : t.before.procedure(), static_cast<bool>(t.error())});
  }
  for (const wrong_congruence::mistake& m : wrong_congruence::mistakes()) {
    wrong_congruence::numbered t;
    m.make(t);
    visit(wrong_program{"congruence", m.kind, m.name, t.before.procedure(), t.after(), static_cast<bool>(t.error())});
  }
  for (const wrong_facts::mistake& m : wrong_facts::mistakes()) {
    wrong_facts::solved t;
    m.make(t);
    visit(wrong_program{"facts", m.kind, m.name, t.before.procedure(), t.after(), static_cast<bool>(t.error())});
  }
}

/// Host functions `@h`, whose results are few and depend on the argument and on how often it was called, and `@note`.
inline midend::elbrus::host_functions few_results() {
  return [calls = std::uint64_t{0}](const midend::elbrus::host_call& call) mutable {
    using midend::elbrus::host_answer;
    if (call.result == midend::elbrus::type::none) {
      return host_answer::done();
    }
    std::uint64_t sum = 3 * ++calls;
    for (const midend::elbrus::scalar& a : call.arguments) {
      sum += 7 * a.bits;
    }
    return host_answer::of(sum % 5);
  };
}

/// Whether the runs of two procedures with equal parameters, all of them pointers, numbers and conditions, are
/// different on one of many inputs. Requires that the verifier finds no error in either.
inline bool runs_differ(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after) {
  namespace elbrus = midend::elbrus;
  elbrus::program one;
  elbrus::program other;
  one.procedures.push_back(before);
  other.procedures.push_back(after);
  constexpr std::array<std::uint64_t, 9> numbers = {0, 1, 2, 3, 5, 8, 130, 0x7fff'ffff, 0xffff'fffe};
  std::size_t inputs = 2;
  for (std::size_t i = 0; i != before.parameters().size(); ++i) {
    inputs *= before.value(before.parameters()[i]).type == elbrus::type::i32 ? numbers.size() : 1;
  }
  for (std::size_t input = 0; input != inputs; ++input) {
    elbrus::memory arrays;
    std::vector<std::uint64_t> elements(256);
    for (std::size_t i = 0; i != elements.size(); ++i) {
      elements[i] = 3 * i + 1;
    }
    const std::uint64_t address = arrays.add("a", elbrus::type::i32, elements);
    std::vector<elbrus::scalar> arguments;
    std::size_t rest = input / 2;
    std::uint64_t next = address; // pointers are apart, as alias classes promise
    for (const midend::value_id parameter : before.parameters()) {
      const elbrus::type t = before.value(parameter).type;
      std::uint64_t bits = t == elbrus::type::ptr ? next : input % 2;
      next += t == elbrus::type::ptr ? 256 : 0;
      if (t == elbrus::type::i32) {
        bits = numbers[rest % numbers.size()];
        rest /= numbers.size();
      }
      arguments.push_back({t, bits});
    }
    elbrus::run_options options;
    options.step_limit = 3000;
    options.host = few_results();
    const elbrus::run_result was = elbrus::interpreter(one).run(0, arguments, arrays, options);
    options.step_limit = 10'000; // a run that goes on much longer does something else
    options.host = few_results();
    const elbrus::run_result is = elbrus::interpreter(other).run(0, arguments, arrays, options);
    if (elbrus::compare_runs(was, is).verdict == elbrus::run_verdict::different) {
      return true;
    }
  }
  return false;
}

} // namespace midend_tests
