// elbrus_interpreter: runs a program of the Elbrus-like IR with memory and host functions, looks at a trap, and writes
// the profile into the program.
#include <midend/elbrus/literal.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/profile.hpp>
#include <midend/elbrus/run/trap_text.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

namespace elbrus = midend::elbrus;
using elbrus::type;

constexpr const char* text = R"(
proc @average(%a: ptr, %n: i32) -> i32 {
  node entry:
    br test
  node test:
    %i = phi.i32 [entry: 0], [loop: %next]
    %sum = phi.i32 [entry: 0], [loop: %more]
    %again = cmp.lt.i32 %i, %n
    br %again ? loop : done
  node loop:
    %x = ld.i32 [%a + %i*4]
    %more = add.i32 %sum, %x nsw
    %next = add.i32 %i, 1 nsw
    br test
  node done:
    %r = div.i32 %sum, %n
    call @report(%r)
    ret %r
})";

// [host]
/// The world outside: one function, which prints a number.
elbrus::host_answer host(const elbrus::host_call& call) {
  if (call.callee == "report" && call.arguments.size() == 1) {
    const elbrus::scalar number = call.arguments[0];
    std::printf("report: %s\n", elbrus::literal_text(number.type, number.bits).c_str());
    return elbrus::host_answer::done();
  }
  return elbrus::host_answer::unknown();
}

int main() {
  elbrus::program all = elbrus::parse(text).program;

  // [run]
  elbrus::memory arrays;
  const std::array<std::uint64_t, 4> numbers = {3, 1, 4, 8};
  const std::uint64_t address = arrays.add("a", type::i32, numbers);

  elbrus::interpreter in(all);
  const auto average_of = [&](int count) {
    const std::array arguments = {elbrus::scalar{type::ptr, address}, elbrus::integer_scalar(type::i32, count)};
    return in.run(in.find("average").value(), arguments, arrays, {.step_limit = 1'000'000, .host = host});
  };
  const elbrus::run_result four = average_of(4);
  std::printf("%lld after %llu operations\n", static_cast<long long>(elbrus::signed_value(four.value.value())),
              static_cast<unsigned long long>(four.executed));

  // [trap]
  for (const int count : {0, 5}) {
    if (const auto trap = average_of(count).trap) {
      std::printf("%s\n", elbrus::to_text(all.procedures, *trap).c_str());
    }
  }

  // [profile]
  elbrus::run_profile counts;
  elbrus::add_profile(counts, four.profile);
  elbrus::add_profile(counts, average_of(2).profile);
  elbrus::write_profile(all, counts);
  std::printf("%s", elbrus::to_text(all).c_str());
}
