#include <midend/support/optional.hpp>
#include <midend/support/result.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace {

using midend::optional;

struct place {
  int line = 0;
  int column = 0;

  friend constexpr bool operator==(const place&, const place&) = default;
};

constexpr optional<place> place_if(bool is_known) {
  return is_known ? optional(place{3, 4}) : std::nullopt;
}

static_assert(std::is_trivially_copyable_v<optional<place>>);

TEST_CASE("an optional holds a value or nothing") {
  optional<place> o;
  CHECK(!o.has_value());
  CHECK(!o);
  CHECK(o == std::nullopt);
  CHECK(o.value_or(place{7, 8}) == place{7, 8});
  o = place{1, 2};
  CHECK(o.has_value());
  CHECK(o != std::nullopt);
  CHECK(*o == place{1, 2});
  CHECK(o->column == 2);
  CHECK(o.value_or(place{7, 8}) == place{1, 2});
  o->line = 5;
  CHECK(o.value() == place{5, 2});
  CHECK(o == place{5, 2});
  CHECK(o != place{});
  o.reset();
  CHECK(!o);
  CHECK(o != place{}); // though that is what it has inside
  CHECK(o == optional<place>());
  o = place_if(true);
  o = std::nullopt;
  CHECK(!o);
}

TEST_CASE("an optional becomes a std::optional and comes from one") {
  std::optional<place> theirs = place_if(true);
  CHECK(theirs->column == 4);
  theirs = place_if(false);
  CHECK(!theirs);
  theirs = place_if(true);
  optional<place> ours = theirs;
  CHECK(ours->line == 3);
  ours = std::optional<place>();
  CHECK(!ours);
  const auto takes_theirs = [](const std::optional<place>& o) { return o.has_value(); };
  const auto takes_ours = [](const optional<place>& o) { return o.has_value(); };
  CHECK(takes_theirs(place_if(true)));
  CHECK(!takes_theirs(place_if(false)));
  CHECK(takes_ours(theirs));
  CHECK(!takes_ours(std::optional<place>()));
}

// A std::optional would compare its value with a whole optional if it were allowed to: two that are empty would differ.
TEST_CASE("an optional is equal to a std::optional if both hold nothing or the same") {
  const std::optional<place> theirs[] = {std::nullopt, place{}, place{1, 2}};
  const optional<place> ours[] = {std::nullopt, place{}, place{1, 2}};
  for (int i = 0; i != 3; ++i) {
    for (int k = 0; k != 3; ++k) {
      CAPTURE(i);
      CAPTURE(k);
      CHECK((theirs[i] == ours[k]) == (i == k));
      CHECK((ours[i] == theirs[k]) == (i == k));
      CHECK((ours[i] == ours[k]) == (i == k));
      CHECK((theirs[i] != ours[k]) == (i != k));
      CHECK((ours[i] != theirs[k]) == (i != k));
    }
  }
}

TEST_CASE("what an optional holds can be moved out of it") {
  optional<std::unique_ptr<int>> o = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = *std::move(o);
  CHECK(*taken == 5);
  optional<std::string> text = std::string(100, 'a');
  CHECK(std::move(text).value().size() == 100);
}

TEST_CASE("a result may hold types without a default value") {
  struct without_default {
    explicit without_default(int v) : value(v) {}

    int value;
  };

  const midend::result<without_default, std::string> good = without_default(4);
  CHECK(good->value == 4);
  const midend::result<without_default, std::string> bad = std::string("why");
  CHECK(!bad);
  CHECK(bad.error() == "why");
  const midend::result<int, without_default> other = without_default(6);
  CHECK(other.error().value == 6);
}

} // namespace
