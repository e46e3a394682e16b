// contract: rows in order, optional members that fit, contracts as rows.
#include <midend/support/detail/contract.hpp>

#include <doctest/doctest.h>

#include <concepts>

namespace midend::detail::of_the_test {

template <class T>
concept has_size = requires(const T& t) {
  { t.size() } -> std::same_as<int>;
};
template <class T>
concept has_twice = requires(const T& t) {
  { t.twice(1) } -> std::same_as<int>;
};
/// Must not be asked of what has no `size`.
template <class T>
concept has_positive_size = (T().size() > 0);

MIDEND_REQUIRED(has_size, "a thing needs `int size() const`");
MIDEND_REQUIRED(has_positive_size, "a thing has a size");
MIDEND_OPTIONAL_MEMBER(twice, has_twice, it.twice(1), "of a thing would never be called", "`int twice(int n) const`");

struct sized : contract<has_size_row, has_positive_size_row> {};

struct thing : contract<sized, twice_row> {};

struct nothing {};

struct plain {
  constexpr int size() const { return 1; }
};

struct empty {
  constexpr int size() const { return 0; }
};

struct complete : plain {
  int twice(int n) const;
};

struct returns_nothing : plain {
  void twice(int n) const;
};

struct overloaded : plain {
  void twice(int n) const;
  void twice(double n) const;
};

struct data_of_that_name : plain {
  int twice;
};

struct changes_itself : plain {
  int twice(int n);
};

class hidden : public plain {
  void twice(int n) const;
};

// What is required.
static_assert(!sized::fits<nothing> && !thing::fits<nothing>);
static_assert(sized::fits<plain> && !sized::fits<empty> && !thing::fits<empty>);
// What may be missing, and must fit if it is there.
static_assert(thing::fits<plain> && thing::fits<complete>);
static_assert(!thing::fits<returns_nothing> && !thing::fits<overloaded> && !thing::fits<data_of_that_name> &&
              !thing::fits<changes_itself>);
static_assert(thing::fits<hidden>); // nobody outside can call it
static_assert(contract<>::fits<nothing>);
// Nothing is wrong, so nothing is explained.
static_assert(!thing::explain<complete>());

} // namespace midend::detail::of_the_test

TEST_CASE("contract: rows in order, optional members that fit, contracts as rows") {
  CHECK(midend::detail::of_the_test::thing::fits<midend::detail::of_the_test::complete>);
}
