// Values that have other numbers of bits than the bytes in which they are kept: all pairs of formats at all overlaps.
#include "kit/parsed_procedure.hpp"
#include "kit/run_low_level.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/package/memory_redundancy.hpp>
#include <midend/package/verify_memory_redundancy.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::value_id;
namespace elbrus = midend::elbrus;

namespace {

constexpr std::array<elbrus::type, 8> formats = {elbrus::type::i1,  elbrus::type::i8,  elbrus::type::i16,
                                                 elbrus::type::i32, elbrus::type::i64, elbrus::type::f32,
                                                 elbrus::type::f64, elbrus::type::ptr};

/// Three accesses of %a: the first and the last of one format at one place, the second of another format `distance`
/// bytes later. What is loaded ends in %r. Bit i of `stores`: access i stores; the last one stores what the first has
/// loaded or stored.
std::string three_accesses(elbrus::type first, elbrus::type second, int distance, unsigned stores) {
  const std::string t[3] = {std::string(elbrus::name_of(first)), std::string(elbrus::name_of(second)), t[0]};
  std::string text = "proc @f(%a: ptr, %r: ptr, %x: " + t[0] + ", %y: " + t[1] + ") {\n  node entry:\n";
  std::string kept;
  std::string held;
  for (unsigned i = 0; i != 3; ++i) {
    const std::string place = "[%a + " + std::to_string(i == 1 ? 16 + distance : 16) + "] alias=A\n";
    const std::string name = "%v" + std::to_string(i);
    if ((stores >> i & 1) != 0) {
      const std::string stored = i == 1 ? "%y" : i == 0 ? "%x" : held;
      held = i == 0 ? stored : held;
      text += "    st." + t[i] + " " + stored + ", " + place;
    } else {
      held = i == 0 ? name : held;
      text += "    " + name + " = ld." + t[i] + " " + place;
      kept += "    st." + t[i] + " " + name + ", [%r + " + std::to_string(8 * i) + "] alias=R\n";
    }
  }
  return text + kept + "    ret\n}\n";
}

/// Memory after a run whose memory and arguments are random: bytes of 0, 1, 7 and others.
elbrus::memory memory_after(const elbrus::program& all, std::uint64_t seed) {
  random_source random(seed);
  elbrus::memory arrays;
  std::vector<unsigned char> bytes(40);
  for (unsigned char& b : bytes) {
    constexpr std::array<unsigned char, 6> usual = {0, 1, 6, 7, 0x80, 0xff};
    b = usual[random.below(usual.size())];
  }
  std::vector<elbrus::scalar> arguments = {{elbrus::type::ptr, arrays.add("a", bytes)},
                                           {elbrus::type::ptr, arrays.add_zeros("r", 24)}};
  for (std::size_t i = 2; i != 4; ++i) {
    const elbrus::type t = all.procedures[0].value(all.procedures[0].parameters()[i]).type;
    arguments.push_back({t, random.next() & midend::low_ones(elbrus::width_of(t))});
  }
  const elbrus::run_result done = elbrus::interpreter(all).run(0, arguments, std::move(arrays), {});
  CHECK(!done.trap);
  return done.memory;
}

bool run_alike(const elbrus::program& a, const elbrus::program& b) {
  bool same = true;
  for (std::uint64_t seed = 0; seed != 4; ++seed) {
    same = same && memory_after(a, seed) == memory_after(b, seed);
  }
  return same;
}

midend::memory_verdict verdict_of(const elbrus::program& before, const elbrus::program& after,
                                  const midend::memory_witness& w) {
  return midend::verify_memory_redundancy(elbrus::cost_view(before.procedures[0]),
                                          elbrus::cost_view(after.procedures[0]), w);
}

/// The program without what a witness names.
elbrus::program without(const elbrus::program& written, const midend::memory_witness& w) {
  elbrus::program all = written;
  midend::memory_plan plan;
  plan.epoch = midend::graph_epoch(all.procedures[0]);
  plan.witness = w;
  elbrus::editor e(all.procedures[0]);
  static_cast<void>(midend::apply_memory_redundancy(e, plan));
  return all;
}

/// Every claim about one access, proved by an earlier one or by none.
std::vector<midend::memory_witness> claims_about(const elbrus::procedure& p) {
  std::vector<midend::memory_witness> out;
  const elbrus::cost_view ir(p);
  std::vector<value_id> accesses;
  for (const value_id v : p.values(0)) {
    if (p.value(v).code == elbrus::opcode::ld || p.value(v).code == elbrus::opcode::st) {
      for (const value_id u : accesses) {
        const value_id held = ir.memory(u)->stored != midend::no_value ? ir.memory(u)->stored : u;
        midend::memory_witness w;
        if (p.value(v).code == elbrus::opcode::st) {
          w.stores.push_back({v, u});
        } else if (ir.same_type(held, v)) {
          w.loads.push_back({v, held, u});
        } else {
          continue;
        }
        out.push_back(w);
      }
      if (p.value(v).code == elbrus::opcode::st) {
        midend::memory_witness w;
        w.stores.push_back({v, midend::no_value});
        out.push_back(w);
      }
      accesses.push_back(v);
    }
  }
  return out;
}

template <class Visit> void for_each_pair_of_formats(Visit visit) {
  for (const elbrus::type first : formats) {
    for (const elbrus::type second : formats) {
      for (int distance = -8; distance <= 8; ++distance) {
        for (unsigned stores = 0; stores != 8; ++stores) {
          visit(three_accesses(first, second, distance, stores));
        }
      }
    }
  }
}

} // namespace

TEST_CASE("memory formats: all pairs at all overlaps, through the passes and the checker") {
  std::size_t loads = 0;
  std::size_t stores = 0;
  std::size_t ordered = 0;
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for_each_pair_of_formats([&](const std::string& text) {
    const elbrus::program written = program_of(text);
    const midend::memory_plan plan = midend::plan_memory_redundancy(elbrus::cost_view(written.procedures[0]));
    const elbrus::program cleaned = without(written, plan.witness);
    loads += plan.witness.loads.size();
    stores += plan.witness.stores.size();
    CHECK_MESSAGE(verdict_of(written, cleaned, plan.witness), text);
    CHECK_MESSAGE((plan.empty() || run_alike(written, cleaned)), text, elbrus::to_text(cleaned.procedures[0]));
    elbrus::program packed = written;
    const midend::package_log log = run_low_level(packed.procedures[0]);
    ordered += log.events.empty() ? 0 : 1;
    CHECK_MESSAGE((log.events.empty() || run_alike(written, packed)), text, elbrus::to_text(packed.procedures[0]));
    for (const midend::memory_witness& w : claims_about(written.procedures[0])) {
      const elbrus::program claimed = without(written, w);
      const bool ok = static_cast<bool>(verdict_of(written, claimed, w));
      ++(ok ? accepted : refused);
      CHECK_MESSAGE((!ok || run_alike(written, claimed)), text, elbrus::to_text(claimed.procedures[0]));
    }
  });
  MESSAGE(loads, " loads and ", stores, " stores removed, ", ordered,
          " programs changed by the package; of all claims ", accepted, " accepted, ", refused, " refused");
  CHECK(loads > 1000);
  CHECK(stores > 1000);
  CHECK(accepted > 4000);
}

TEST_CASE("memory formats: a bit that was loaded is stored back, the other bits of its byte go") {
  elbrus::program all = program_of("proc @f(%a: ptr) {\n  node entry:\n    %x = ld.i1 [%a]\n    st.i1 %x, [%a]\n"
                                   "    ret\n}\n");
  CHECK(midend::plan_memory_redundancy(elbrus::cost_view(all.procedures[0])).empty());
  midend::memory_witness w;
  const parsed_procedure same(elbrus::to_text(all.procedures[0]));
  w.stores.push_back({same.procedure().value(same.value("x")).next, same.value("x")});
  CHECK(verdict_of(all, without(all, w), w).fault == midend::change_fault::different_value);
  CHECK(run_low_level(all.procedures[0]).events.empty());
  // The store of the same bit before it proves it, past the load.
  elbrus::program twice = program_of("proc @f(%a: ptr, %x: i1) -> i1 {\n  node entry:\n    st.i1 %x, [%a]\n"
                                     "    %y = ld.i1 [%a] volatile\n    st.i1 %y, [%a]\n    %z = ld.i1 [%a]\n"
                                     "    st.i1 %y, [%a]\n    ret %z\n}\n");
  const midend::memory_plan plan = midend::plan_memory_redundancy(elbrus::cost_view(twice.procedures[0]));
  CHECK(plan.witness.loads.size() == 1);
  CHECK(plan.witness.stores.size() == 1);
  CHECK(verdict_of(twice, without(twice, plan.witness), plan.witness));
}

namespace {

/// An IR whose loads of 32 bits extend a byte, and whose stores of 32 bits write the low byte.
struct byte_view : elbrus::cost_view {
  using elbrus::cost_view::cost_view;

  std::optional<midend::memory_reference> memory(value_id v) const {
    std::optional<midend::memory_reference> m = elbrus::cost_view::memory(v);
    if (m) {
      m->bytes = 1;
      m->bits = says_bits ? 32 : 0;
    }
    return m;
  }

  bool says_bits = true;
};

} // namespace

TEST_CASE("memory formats: loads that extend and stores that write a part") {
  const parsed_procedure program("proc @f(%a: ptr, %x: i32) -> i32 {\n  node entry:\n    st.i32 %x, [%a]\n"
                                 "    %u = ld.i32 [%a]\n    %v = ld.i32 [%a]\n    st.i32 %v, [%a]\n    ret %u\n}\n");
  for (const bool says_bits : {true, false}) {
    byte_view ir(program.procedure());
    ir.says_bits = says_bits;
    const midend::memory_plan plan = midend::plan_memory_redundancy(ir);
    CHECK(plan.witness.loads.empty());        // %u and %v are not %x, and one may extend otherwise than the other
    REQUIRE(plan.witness.stores.size() == 1); // which writes the byte that was loaded
    for (const std::string_view load : {"u", "v"}) {
      midend::memory_witness w;
      const bool is_first = load == "u";
      w.loads.push_back({program.value(load), program.value(is_first ? "x" : "u"),
                         is_first ? *program.procedure().values(0).begin() : program.value("u")});
      const elbrus::program after = without(program.program, w);
      byte_view now(after.procedures[0]);
      now.says_bits = says_bits;
      CHECK(midend::verify_memory_redundancy(ir, now, w).fault == midend::change_fault::different_value);
    }
    const elbrus::program after = without(program.program, plan.witness);
    byte_view now(after.procedures[0]);
    now.says_bits = says_bits;
    CHECK(midend::verify_memory_redundancy(ir, now, plan.witness));
  }
}
