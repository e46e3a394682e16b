// text.hpp, and tables of a user's lattice with everything included: no name of the library hides another.
#include <midend/midend.hpp>
#include <midend/viz/solution.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace {

template <class T> std::string number(T value) {
  midend::text_buffer out;
  midend::append_integer(out, value);
  return {out.data(), out.size()};
}

/// Small numbers, as bits, and how they are printed.
struct numbers {
  using element = unsigned;

  element bottom() const { return 0; }

  bool join(element& a, element b) const { return std::exchange(a, a | b) != a; }

  void print(midend::text_buffer& out, element a) const {
    midend::append_text(out, "of ");
    midend::text_list list(out, '[');
    for (int i = 0; i != 8; ++i) {
      if ((a >> i & 1) != 0) {
        list.next();
        midend::append_integer(out, i - 4);
      }
    }
    list.close(']');
  }
};

struct problem {
  static constexpr auto direction = midend::flow_direction::forward;

  numbers lattice() const { return {}; }

  unsigned boundary(midend::node_id) const { return 1; }

  unsigned transfer(midend::node_id n, unsigned f) const { return f | 2u << n; }
};

} // namespace

TEST_CASE("text: words, numbers and lists") {
  CHECK(number(0) == "0");
  CHECK(number(-17) == "-17");
  CHECK(number(std::int8_t{-128}) == "-128");
  CHECK(number(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(number(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(number(true) == "true");
}

TEST_CASE("text: the table of a user's lattice, after midend.hpp") {
  const midend::edge edges[] = {{0, 1}};
  const auto g = midend::csr_graph::from_edges(2, 0, edges);
  REQUIRE(g);
  const std::string table = midend::to_table(problem(), midend::solve(*g, problem()));
  CHECK_MESSAGE(table.find("of [-4, -3, -2]") != std::string::npos, table);
}
