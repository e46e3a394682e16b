// Numbers that are added to base and index are part of the offset of an address.
#include "kit/run_text.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/ir/memory_effects.hpp>
#include <midend/package/memory_redundancy.hpp>
#include <midend/package/verify_memory_redundancy.hpp>

#include <cstdint>
#include <string>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

TEST_CASE("memory redundancy: [q] with q = p + 1 is [p + 1]") {
  struct sample {
    const char* first;
    const char* between;
    const char* second;
    bool shares;
  };

  for (const sample x : {
           sample{"[%p + 1]", "", "[%q]", true}, sample{"[%q]", "", "[%p + 1]", true},
           sample{"[%p + 2]", "", "[%q]", false}, sample{"[%p + %i*4 + 4]", "", "[%p + %j*4]", true},
           sample{"[%p + %i*4 + 1]", "", "[%p + %j*4]", false},
           sample{"[%p + i8 -1*4 + 5]", "", "[%q]", true},  // a number as the index
           sample{"[%p + i8 -1*4 + 6]", "", "[%q]", false}, // it is sign-extended
           sample{"[%p + 0*2]", "    st.i8 %x, [%p + 1*2]\n", "[%p + 0*2]", true},
           sample{"[%p + 1*2]", "    st.i8 %x, [%p + 2]\n", "[%p + 1*2]", false},
           sample{"[%p + 1]", "    st.i8 %x, [%q + 1]\n", "[%q]", true}, // the byte after it
           sample{"[%p + 1]", "    st.i8 %x, [%q]\n", "[%q]", false},    // which says what is there itself
       }) {
    elbrus::program all = program_of(
        std::string("proc @f(%p: ptr, %i: i64, %x: i8) -> i8 {\n  node entry:\n"
                    "    %q = add.ptr %p, i64 1\n    %j = add.i64 %i, 1\n    %u = ld.i8 ") +
        x.first + "\n" + x.between + "    %v = ld.i8 " + x.second + "\n    %s = xor.i8 %u, %v\n    ret %s\n}\n");
    elbrus::procedure& p = all.procedures[0];
    const elbrus::procedure before = p;
    elbrus::editor e(p);
    const auto plan = midend::plan_memory_redundancy(elbrus::cost_view(p));
    bool is_first = false;
    for (const midend::known_load& l : plan.witness.loads) {
      is_first = is_first || p.value_name(l.value) == "u";
    }
    CHECK_MESSAGE(is_first == x.shares, x.first, " ", x.between, x.second);
    const auto witness = midend::apply_memory_redundancy(e, plan);
    CHECK(midend::verify_memory_redundancy(elbrus::cost_view(before), elbrus::cost_view(p), witness));
  }
}
