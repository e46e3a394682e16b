// What the clean-up leaves of copies of a loop body: sums, offsets, masks, loads and guards that several copies share.
#include "kit/parsed_procedure.hpp"
#include "kit/random_programs.hpp"
#include "kit/run_clean_up.hpp"
#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"
#include "transform/counting_loops.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/transform/unroll_loops.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

/// By numbers of operations, so that no product becomes shifts and no quotient a product.
std::string cleaned_text(const std::string& text, clean_up_costs costs = clean_up_costs::one_each) {
  parsed_procedure parsed(text);
  const clean_up_counts counts = run_clean_up(parsed.procedure(), costs);
  CHECK(counts.is_complete);
  CHECK(why_ill_formed(parsed.procedure()) == "");
  return elbrus::to_text(parsed.procedure());
}

/// A loop whose counter %i, of 32 bits, starts with 0 and grows by `step`. What `body` computes is passed to a call.
std::string loop_of(std::string_view step, std::string_view body, std::string_view passed) {
  return "proc @f(%a: ptr, %k: i64, %n: i32) -> i64 {\n  node entry:\n    br loop\n  node loop:\n"
         "    %i = phi.i32 [entry: 0], [loop: %next]\n" +
         std::string(body) + "    call @note(" + std::string(passed) + ")\n    %next = add.i32 %i, " +
         std::string(step) + "\n    %q = cmp.ne.i32 %next, %n\n    br %q ? loop : done\n  node done:\n    ret %k\n}\n";
}

/// Unrolls the loops of a procedure by `factor`.
void unroll(elbrus::procedure& p, std::uint32_t factor) {
  elbrus::editor e(p);
  const auto loops = midend::dominators_and_loops(p).loops;
  std::vector<midend::unrolling_request> requests;
  for (const midend::loop_id l : loops.loops()) {
    requests.push_back({l, {midend::unrolling_kind::partial, factor}});
  }
  midend::unroll_loops(e, loops, requests);
}

} // namespace

TEST_CASE("copies: extensions, products and sums of one counter are computed from the counter alone, once") {
  const std::string text = cleaned_text(loop_of("4",
                                                "    %x = sext.i32.i64 %i\n    %y = shl.i64 %x, 3\n"
                                                "    %r = sub.i64 %k, %y\n"
                                                "    %i1 = add.i32 %i, 1\n    %i3 = add.i32 %i1, 2\n"
                                                "    %x3 = sext.i32.i64 %i3\n    %y3 = shl.i64 %x3, 3\n"
                                                "    %r3 = sub.i64 %k, %y3\n",
                                                "%r, %r3"));
  CHECK_MESSAGE(count_of(text, "sext.") == 1, text);
  CHECK_MESSAGE(count_of(text, "shl.") == 1, text);
  CHECK_MESSAGE(text.find(", 24\n") != std::string::npos, text);
  CHECK_MESSAGE(count_of(text, " = ") == 7, text); // two phis or tests, and five
}

TEST_CASE("copies: what may wrap before it is extended stays") {
  struct sample {
    const char* step;
    const char* base;  ///< what the first copy extends
    const char* body;  ///< what the second one does
    const char* width; ///< sext or zext
    bool shares;
  };

  for (const sample& x : {
           sample{"4", "%i", "    %x = add.i32 %i, 3\n", "sext", true},
           sample{"4", "%i", "    %x = add.i32 %i, 4\n", "sext", false}, // 2^31 - 4 + 4
           sample{"3", "%i", "    %x = add.i32 %i, 2\n", "sext", false}, // no remainder survives a wrap
           sample{"3", "%i", "    %x = add.i32 %i, 2 nsw\n", "sext", true},
           sample{"3", "%i", "    %x = add.i32 %i, 2 nsw\n", "zext", false}, // -1 + 2
           sample{"3", "%o", "    %o = and.i32 %i, 255\n    %x = add.i32 %o, 2\n", "zext", true},
           sample{"3", "%o", "    %o = and.i32 %i, 255\n    %x = sub.i32 %o, 2\n", "zext", false},
           sample{"3", "%o", "    %o = or.i32 %i, 2\n    %x = sub.i32 %o, 2\n", "zext", true},
           sample{"8", "%i", "    %x = add.i32 %i, 7\n", "zext", true},
           sample{"8", "%i", "    %x = sub.i32 %i, 1\n", "zext", false}, // 0 - 1
       }) {
    const std::string extend = std::string(x.width) + ".i32.i64 ";
    const std::string text = cleaned_text(
        loop_of(x.step, x.body + ("    %u = " + extend) + x.base + "\n    %v = " + extend + "%x\n", "%u, %v"));
    const std::size_t extensions = count_of(text, "ext.i32.i64");
    CHECK_MESSAGE(extensions == (x.shares ? 1 : 2), x.step, "\n", x.body, text);
  }
}

TEST_CASE("copies: operations on bits are shared, if base and sum differ in known low bits only") {
  struct sample {
    const char* step;
    const char* sum;
    const char* first;  ///< of the base
    const char* second; ///< of the sum
    const char* code;
    std::size_t left;
  };

  for (const sample& x : {
           sample{"4", "add.i32 %i, 3", "and.i32 %i, 30", "and.i32 %x, 30", "and.", 1},
           sample{"4", "add.i32 %i, 3", "and.i32 %i, 30", "and.i32 30, %x", "and.", 1},
           sample{"4", "add.i32 %i, 3", "xor.i32 %i, 8", "xor.i32 %x, 8", "xor.", 1},
           sample{"4", "add.i32 %i, 3", "or.i32 %i, 8", "or.i32 %x, 8", "or.", 1},
           sample{"4", "add.i32 %i, 3", "shr.i32 %i, 1", "shr.i32 %x, 1", "shr.", 1},
           sample{"4", "add.i32 %i, 3", "sar.i32 %i, 5", "sar.i32 %x, 5", "sar.", 1},
           sample{"4", "add.i32 %i, 4", "shr.i32 %i, 1", "shr.i32 %x, 1", "shr.", 2}, // more than low bits
           sample{"4", "sub.i32 %i, 1", "and.i32 %i, 30", "and.i32 %x, 30", "and.", 2},
           sample{"3", "add.i32 %i, 1", "and.i32 %i, 30", "and.i32 %x, 30", "and.", 2}, // nothing is known
       }) {
    const std::string text = cleaned_text(
        loop_of(x.step, std::string("    %x = ") + x.sum + "\n    %u = " + x.first + "\n    %v = " + x.second + "\n",
                "%u, %v"));
    CHECK_MESSAGE(count_of(text, std::string(" = ") + x.code) == x.left, x.step, "\n", x.sum, "\n", text);
  }
}

TEST_CASE("copies: what is known about a product is known of what is left of it") {
  // %x3 wraps if %x does, but %x3 - 6 is a multiple of 8.
  const std::string text = cleaned_text(loop_of("4",
                                                "    %x = shl.i32 %i, 1\n    %r = sext.i32.i64 %x\n"
                                                "    %i3 = add.i32 %i, 3\n    %x3 = shl.i32 %i3, 1\n"
                                                "    %r3 = sext.i32.i64 %x3\n",
                                                "%r, %r3"));
  CHECK_MESSAGE(count_of(text, "sext.") == 1, text);
  CHECK_MESSAGE(count_of(text, "shl.") == 1, text);
}

TEST_CASE("copies: a product is computed from another one of the counter that is there on all paths") {
  const std::string_view text = "proc @f(%a: ptr, %n: i32, %m: i32) -> i32 {\n  node entry:\n    br head\n"
                                "  node head:\n    %i = phi.i32 [entry: 0], [last: %i2]\n"
                                "    %c = cmp.lt.i32 %n, %i\n    br FIRST\n"
                                "  node first:\n    %x = mul.i32 %i, 56\n    call @note(%x)\n    br second\n"
                                "  node second:\n    %i1 = add.i32 %i, 1\n    %d = cmp.lt.i32 %m, %i1\n"
                                "    br %d ? third : last\n"
                                "  node third:\n    %y = mul.i32 %i1, FACTOR\n    call @note(%y)\n    br last\n"
                                "  node last:\n    %i2 = add.i32 %i, 2\n    %q = cmp.ne.i32 %i2, 100\n"
                                "    br %q ? head : done\n  node done:\n    ret %n\n}\n";

  struct sample {
    const char* first;
    const char* factor;
    std::size_t products;
  };

  for (const sample& x : {sample{"first", "56", 1}, sample{"first", "57", 2}, sample{"%c ? first : second", "56", 2}}) {
    std::string one(text);
    one.replace(one.find("FIRST"), 5, x.first);
    one.replace(one.find("FACTOR"), 6, x.factor);
    const std::string cleaned = cleaned_text(one, clean_up_costs::of_machine);
    CHECK_MESSAGE(count_of(cleaned, "mul.i32") == x.products, cleaned);
  }
}

TEST_CASE("copies: chains of additions have one addition each, with the promises that all of them make") {
  const std::string text = cleaned_text("proc @f(%x: i8) -> i8 {\n  node entry:\n"
                                        "    %a = add.i8 %x, 100 nsw\n"
                                        "    %b = add.i8 %a, 27 nsw\n"  // 127 fits
                                        "    %c = add.i8 %b, 1 nsw\n"   // 128 does not
                                        "    %d = sub.i8 %a, 101 nsw\n" // -1
                                        "    %e = add.i8 %x, 5\n"       // promises nothing
                                        "    %f = add.i8 %e, 1 nsw\n"
                                        "    %p = cmp.lt.i8 %a, -120\n" // -220 does not fit
                                        "    %q = cmp.ne.i8 %e, 3\n"
                                        "    call @note(%a, %b, %c, %d, %e, %f, %p, %q)\n    ret %x\n}\n");
  for (const std::string_view part : {"add.i8 %x, 127", "%x, -128", "%x, 6\n", "cmp.ne.i8 %x, -2"}) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, part, "\n", text);
  }
  CHECK_MESSAGE((text.find("add.i8 %x, -1") != std::string::npos || text.find("sub.i8 %x, 1") != std::string::npos),
                text);
  CHECK_MESSAGE(text.find("%x, 6 nsw") == std::string::npos, text);
  CHECK_MESSAGE(text.find("-128 nsw") == std::string::npos, text);
}

TEST_CASE("copies: a comparison of a sum that promises nothing is moved if facts show that it does not wrap") {
  struct sample {
    const char* sum;
    const char* comparison;
    bool moves;
  };

  for (const sample& x : {
           sample{"add.i32 %i, 3", "cmp.lt.i32 %x, 1000", true},
           sample{"add.i32 %i, 3", "cmp.gt.i32 1000, %x", true},         // the number comes first
           sample{"add.i32 %i, 4", "cmp.gt.i32 1000, %x", false},        // 2^31 - 4 + 4
           sample{"add.i32 %i, 4", "cmp.lt.i32 %x, 1000", false},        // likewise
           sample{"add.i32 %i, 3", "cmp.lt.i32 %x, -2147483646", false}, // the number would wrap
           sample{"add.i32 %i, 3", "cmp.ult.i32 %x, 1000", true},
           sample{"add.i32 %i, 3", "cmp.ult.i32 %x, 2", false},
           sample{"sub.i32 %i, 1", "cmp.ult.i32 %x, 1000", false},
       }) {
    const std::string text = cleaned_text(std::string("proc @f(%p: i32) -> i32 {\n  node entry:\n    br loop\n"
                                                      "  node loop:\n    %i = phi.i32 [entry: 0], [loop: %next]\n"
                                                      "    %x = ") +
                                          x.sum + "\n    %c = " + x.comparison +
                                          "\n    call @note(%c)\n    %next = add.i32 %i, 4\n"
                                          "    %q = cmp.ne.i32 %next, %p\n    br %q ? loop : done\n"
                                          "  node done:\n    ret %i\n}\n");
    const bool moves = text.find("i32 %i, 997") != std::string::npos || text.find("996, %i") != std::string::npos ||
                       text.find("997, %i") != std::string::npos;
    CHECK_MESSAGE(moves == x.moves, x.sum, ", ", x.comparison, "\n", text);
  }
}

TEST_CASE("copies: masks of masks are one mask; under a guard, only where that holds") {
  const std::string text = cleaned_text("proc @f(%x: i8, %p: i1) -> i8 {\n  node entry:\n"
                                        "    %a = and.i8 %x, 60\n"
                                        "    %b = and.i8 15, %a\n"
                                        "    %c = and.i8 %b, -2\n"
                                        "    %d = and.i8 %a, 60\n"
                                        "    %e = and.i8 %x, 7 ? %p : %x\n"
                                        "    %f = and.i8 %e, 3\n"
                                        "    call @note(%c, %d, %f)\n    ret %x\n}\n");
  CHECK_MESSAGE(text.find("and.i8 %x, 12\n") != std::string::npos, text);
  CHECK_MESSAGE(text.find("and.i8 %x, 60\n") != std::string::npos, text);
  CHECK_MESSAGE(count_of(text, "and.i8") <= 4, text);
}

TEST_CASE("copies: equal loads are one, unless something in between may write to their place") {
  struct sample {
    const char* between;
    bool shares;
  };

  for (const sample& x :
       {sample{"", true}, sample{"    st.i32 1, [%b] alias=B\n", true}, sample{"    st.i32 1, [%b] alias=A\n", false},
        sample{"    st.i32 1, [%b]\n", false}, sample{"    call @host_log(%b)\n", false}}) {
    const std::string text = cleaned_text(std::string("proc @f(%a: ptr, %b: ptr) -> i32 {\n  node entry:\n"
                                                      "    %u = ld.i32 [%a] alias=A\n") +
                                          x.between +
                                          "    br next\n  node next:\n    %v = ld.i32 [%a] alias=A\n"
                                          "    %s = mul.i32 %u, %v\n    ret %s\n}\n");
    CHECK_MESSAGE(count_of(text, "ld.i32") == (x.shares ? 1 : 2), x.between, text);
  }
}

TEST_CASE("copies: an operation whose guard never holds is its other value; one that always runs has no guard") {
  for (const bool runs : {false, true}) {
    const std::string text =
        cleaned_text(std::string("proc @f(%x: i32, %y: i32) -> i32 {\n  node entry:\n    %z = add.i32 %x, 1 ? ") +
                     (runs ? "1" : "0") + " : %y\n    ret %z\n}\n");
    CHECK((text.find("ret %y") != std::string::npos) == !runs);
    CHECK(text.find(" ? ") == std::string::npos);
  }
}

namespace {

/// %b is diagnostic if %x is 0, and then nothing reads it. FLAG makes the operations of its sums speculative, too.
std::string guarded_quotient(std::string_view flag) {
  std::string text = R"(
proc @f(%x: i32, %n: i32) -> i32 {
  node e:
    br h
  node h:
    %i = phi.i32 [e: 0], [t: %i1]
    %b = div.i32 %i, %x spec
    %z = cmp.ne.i32 %x, 0
    br %z ? g : t
  node g:
    %p = add.i32 %b, 1
    %q = trunc.i32.i8 %p FLAG
    %p2 = add.i32 %b, 2
    %q2 = trunc.i32.i8 %p2 FLAG
    call @print(%q, %q2)
    br t
  node t:
    %i1 = add.i32 %i, 1
    %m = cmp.lt.i32 %i1, %n
    br %m ? h : ex
  node ex:
    ret 0
}
)";
  for (std::size_t at = text.find("FLAG"); at != std::string::npos; at = text.find("FLAG")) {
    text.replace(at, 4, flag);
  }
  return text;
}

} // namespace

TEST_CASE("copies: no new operation reads what may be diagnostic where it would trap") {
  for (const std::string_view flag : {"", "spec"}) {
    elbrus::program all = program_of(guarded_quotient(flag));
    static_cast<void>(run_clean_up(all.procedures[0]));
    const std::vector<elbrus::scalar> arguments = {{elbrus::type::i32, 0}, {elbrus::type::i32, 3}};
    const auto done = elbrus::interpreter(all).run(0, arguments, {}, {});
    CHECK(done.value.has_value());
  }
}

TEST_CASE("copies of random loops that compute from counters which wrap: the results are the same, with less") {
  const std::size_t programs = affordable(400);
  std::size_t before = 0;
  std::size_t after = 0;
  for (std::uint64_t seed = 0; seed != programs; ++seed) {
    for (const bool is_speculative : {false, true}) {
      const elbrus::program written = program_of(random_counting_loop(seed, is_speculative));
      elbrus::program all = written;
      elbrus::procedure& p = all.procedures[0];
      if (!is_speculative || seed % 2 == 0) {
        unroll(p, 4);
      }
      const elbrus::procedure unrolled = p;
      const clean_up_counts counts = run_clean_up(p);
      CHECK(counts.is_complete);
      CHECK(why_ill_formed(p) == "");
      CHECK_MESSAGE(result_of_counting_loop(all) == result_of_counting_loop(written), "seed ", seed, "\n",
                    elbrus::to_text(unrolled), elbrus::to_text(p));
      before += count_of(elbrus::to_text(unrolled), "ext.i");
      after += count_of(elbrus::to_text(p), "ext.i");
    }
  }
  MESSAGE(before, " extensions, and ", after, " after the clean-up");
  CHECK(after < before);
}
