// lattices: a lattice of your own, checked; and what the ready ones do.
#include <midend/dataflow/check_lattice.hpp>
#include <midend/dataflow/lattice_elements.hpp>
#include <midend/dataflow/lattices/interval.hpp>
#include <midend/dataflow/lattices/interval_known_bits.hpp>
#include <midend/dataflow/lattices/map.hpp>
#include <midend/viz/lattice_report.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

// [own]
/// Which remainders a number may leave when divided by 4: one bit each.
struct remainders {
  using element = unsigned;

  element bottom() const { return 0; }

  element top() const { return 15; }

  bool join(element& a, element b) const {
    const element old = a;
    a |= b;
    return a != old;
  }

  void print(midend::text_buffer& out, element a) const {
    for (unsigned i = 0; i != 4; ++i) {
      out.push_back((a >> i & 1) != 0 ? static_cast<char>('0' + i) : '-');
    }
  }
};

static_assert(midend::lattice<remainders>);

// [end]

// [wrong]
/// The same with a slip: it is `a` before that must be compared with `a` after.
struct with_a_slip : remainders {
  bool join(element& a, element b) const {
    a |= b;
    return a != b;
  }
};

// [end]

template <class L> static std::string text(const L& l, const midend::element_of<L>& a) {
  midend::text_buffer out;
  l.print(out, a);
  return {out.data(), out.size()};
}

static void check() {
  // [check]
  const auto all = midend::made_elements(16, [](std::size_t i) { return static_cast<unsigned>(i); });
  const remainders right;
  std::printf("%s", midend::to_text(right, midend::check_lattice(right, all)).c_str());
  const with_a_slip wrong;
  std::printf("\n%s", midend::to_text(wrong, midend::check_lattice(wrong, all)).c_str());
  // [end]
}

static void widening() {
  // [widening]
  // for (i = 0; i < 100; i++): what i may be where the loop tests it.
  static constexpr std::array<std::int64_t, 1> constants{100};
  const midend::signed_interval l(32, constants);
  auto i = l.constant(0);
  for (unsigned round = 1;; ++round) {
    auto in_the_loop = i;
    l.meet(in_the_loop, l.between(l.top().low, 99));
    auto next = l.constant(0);
    l.join(next, l.between(in_the_loop.low + 1, in_the_loop.high + 1));
    if (!l.widen(i, next)) {
      break;
    }
    std::printf("round %u: %s\n", round, text(l, i).c_str());
  }
  // [end]
}

static void reduced() {
  // [reduced]
  const auto l = midend::make_interval_and_known_bits(8);
  const midend::known_bits::element multiple_of_8{.zeros = 7, .ones = 0};
  const auto both = l.pair(l.first().between(5, 30), multiple_of_8);
  std::printf("%s\n", text(l, both).c_str());
  // [end]
}

static void difference() {
  // [difference]
  const midend::map<midend::signed_interval> l(midend::signed_interval(32), 1000);
  auto before = l.bottom();
  before[7] = l.values().constant(1);
  auto after = before;
  after[7] = l.values().between(1, 4);
  after[900] = l.values().constant(0);
  l.explain_difference(before, after, [&](std::uint32_t variable, midend::order_relation) {
    std::printf("variable %u: %s -> %s\n", variable, text(l.values(), before[variable]).c_str(),
                text(l.values(), after[variable]).c_str());
  });
  // [end]
}

int main() {
  check();
  std::printf("\n");
  widening();
  std::printf("\n");
  reduced();
  std::printf("\n");
  difference();
}
