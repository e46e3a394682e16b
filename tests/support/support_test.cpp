// The headers of support/: containers, ranges, result, sorting.
#include "kit/print.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/graph/concepts.hpp>
#include <midend/support/chained_range.hpp>
#include <midend/support/detail/hash_map.hpp>
#include <midend/support/detail/object_array.hpp>
#include <midend/support/detail/small_array.hpp>
#include <midend/support/filtered_range.hpp>
#include <midend/support/flat_array.hpp>
#include <midend/support/range.hpp>
#include <midend/support/result.hpp>
#include <midend/support/sort.hpp>
#include <midend/support/work_stack.hpp>

#include <algorithm>
#include <forward_list>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

using namespace midend_tests;
using midend::flat_array;
using midend::id_range;

namespace {

using numbers = flat_array<std::uint32_t>;
using node_list = std::vector<node_id>;

numbers array_of(const node_list& values) {
  return numbers(std::span<const std::uint32_t>(values));
}

struct move_only {
  std::unique_ptr<int> value;
};

static_assert(std::forward_iterator<id_range<>::iterator>);
static_assert(std::forward_iterator<numbers::iterator> && std::forward_iterator<numbers::const_iterator>);

// What may be kept while its range is gone.
static_assert(midend::borrowed_range<std::vector<int>&> && midend::borrowed_range<const std::vector<int>&>);
static_assert(!midend::borrowed_range<std::vector<int>>);
static_assert(midend::borrowed_range<std::span<int>> && midend::borrowed_range<id_range<>>);
static_assert(midend::borrowed_range<midend::iterator_range<int*>>);
static_assert(
    midend::borrowed_range<decltype(midend::mapped(std::declval<std::list<int>&>(), [](int i) { return i; }))>);

// `mapped` takes no range that dies at once.
template <class Range>
concept can_be_mapped =
    requires(Range&& range) { midend::mapped(static_cast<Range&&>(range), [](int i) { return i; }); };
static_assert(can_be_mapped<std::vector<int>&> && can_be_mapped<std::span<int>> && !can_be_mapped<std::vector<int>>);

} // namespace

TEST_CASE("flat_array: holds what it is given") {
  numbers a;
  CHECK(a.empty());
  CHECK(a.begin() == a.end());
  for (std::uint32_t i = 0; i != 1000; ++i) {
    a.push_back(i * i);
  }
  CHECK(a.size() == 1000);
  CHECK(a.capacity() >= 1000);
  bool right = true;
  for (std::uint32_t i = 0; i != 1000; ++i) {
    right = right && a[i] == i * i;
  }
  CHECK(right);
  CHECK(a.back() == 999 * 999);
  a.pop_back();
  CHECK(a.back() == 998 * 998);
  a.shrink(3);
  CHECK(listed(a) == node_list{0, 1, 4});
  a.assign(4, 7);
  CHECK(listed(a) == node_list{7, 7, 7, 7});
  a.assign(std::span<const std::uint32_t>());
  CHECK(a.empty());
}

TEST_CASE("flat_array: capacity is never given up, and elements survive reserve") {
  numbers a = array_of({1, 2, 3});
  a.reserve(100);
  const std::size_t capacity = a.capacity();
  CHECK(capacity >= 100);
  CHECK(listed(a) == node_list{1, 2, 3});
  const std::uint32_t* const data = a.data();
  a.resize_for_overwrite(capacity);
  a.clear();
  a.assign(50, 1);
  a.shrink(0);
  CHECK(a.capacity() == capacity);
  CHECK(a.data() == data);
}

TEST_CASE("flat_array: copies are deep, moves and swaps exchange") {
  numbers a = array_of({1, 2, 3});
  numbers copy = a;
  copy[0] = 9;
  CHECK(listed(a) == node_list{1, 2, 3});
  CHECK_FALSE(a == copy);
  copy = a;
  CHECK(a == copy);
  const numbers& same = copy;
  copy = same; // to itself
  CHECK(listed(copy) == node_list{1, 2, 3});
  numbers moved = std::move(a);
  CHECK(listed(moved) == node_list{1, 2, 3});
  numbers other(2, 5);
  other.swap(moved);
  CHECK(listed(moved) == node_list{5, 5});
  moved = std::move(other);
  CHECK(listed(moved) == node_list{1, 2, 3});
  CHECK_FALSE(array_of({1, 2}) == array_of({1, 2, 3}));
  CHECK_FALSE(array_of({1, 2, 4}) == array_of({1, 2, 3}));
  CHECK(numbers() == numbers());
}

TEST_CASE("flat_array: growth is geometric") {
  numbers a;
  std::size_t moves = 0;
  const std::uint32_t* data = nullptr;
  for (std::uint32_t i = 0; i != 100'000; ++i) {
    a.push_back(i);
    moves += a.data() != data ? 1 : 0;
    data = a.data();
  }
  CHECK(moves < 40);
}

namespace {

using small_numbers = midend::detail::small_array<std::uint32_t, 4>;

small_numbers first_numbers(std::uint32_t count) {
  small_numbers out;
  for (std::uint32_t i = 0; i != count; ++i) {
    out.push_back(10 * count + i);
  }
  return out;
}

bool holds_first_numbers(const small_numbers& a, std::uint32_t count) {
  bool is_right = a.size() == count && a.capacity() >= count;
  for (std::uint32_t i = 0; is_right && i != count; ++i) {
    is_right = a.data()[i] == 10 * count + i;
  }
  return is_right;
}

} // namespace

TEST_CASE("small_array: copies, moves and swaps, of arrays in the object and on the heap") {
  for (const std::uint32_t a : {0U, 1U, 4U, 5U, 40U}) {
    CHECK(holds_first_numbers(first_numbers(a), a));
    CHECK((first_numbers(a).capacity() == 4) == (a <= 4));
    for (const std::uint32_t b : {0U, 3U, 4U, 6U, 50U}) {
      small_numbers one = first_numbers(a);
      small_numbers two = first_numbers(b);
      one.swap(two);
      CHECK(holds_first_numbers(one, b));
      CHECK(holds_first_numbers(two, a));
      one = two;
      CHECK(holds_first_numbers(one, a));
      one = first_numbers(b);
      CHECK(holds_first_numbers(one, b));
      small_numbers moved = std::move(one);
      CHECK(holds_first_numbers(moved, b));
      CHECK(one.size() == 0); // NOLINT: empty, and may be used again
      one.assign(a, 7);
      CHECK(one.size() == a);
      CHECK(std::count(one.data(), one.data() + a, 7U) == static_cast<std::ptrdiff_t>(a));
      const small_numbers copy = moved;
      moved.clear();
      moved.push_back(1);
      CHECK(holds_first_numbers(copy, b));
    }
  }
}

TEST_CASE("small_array: new memory, with the old elements for as long as they are needed") {
  for (const std::uint32_t count : {0U, 3U, 4U, 9U}) {
    small_numbers a = first_numbers(count);
    small_numbers old;
    const std::uint32_t* const before = a.replace(100, old);
    CHECK(a.size() == 100);
    for (std::uint32_t i = 0; i != count; ++i) {
      CHECK(before[i] == 10 * count + i);
    }
    a.data()[99] = 5;
    CHECK(a.data()[99] == 5);
  }
}

static_assert([] {
  midend::detail::small_array<int, 2> a;
  for (int i = 0; i != 5; ++i) {
    a.push_back(i);
  }
  midend::detail::small_array<int, 2> b = a;
  b.data()[4] = 40;
  a.swap(b);
  return a.data()[4] + b.data()[4] + static_cast<int>(a.size());
}() == 49);

TEST_CASE("counts_to_ends: the end of each group") {
  numbers counts = array_of({2, 0, 3, 0});
  midend::detail::counts_to_ends(counts);
  CHECK(listed(counts) == node_list{2, 2, 5, 5});
}

TEST_CASE("work_stack: last in, first out; memory is kept") {
  flat_array<std::uint32_t> memory;
  for (std::size_t round = 0; round != 3; ++round) {
    midend::detail::work_stack<std::uint32_t> stack(memory);
    CHECK(stack.empty());
    for (std::uint32_t i = 0; i != 1000; ++i) {
      stack.push(i);
      stack.push(i + 1);
      CHECK(stack.top() == i + 1);
      CHECK(stack.pop() == i + 1);
    }
    CHECK(stack.size() == 1000);
    stack.reverse_from(998);
    CHECK(stack.pop() == 998);
    CHECK(stack.pop() == 999);
    stack.reverse_from(0);
    CHECK(stack.pop() == 0);
    CHECK(stack.pop() == 1);
    stack.reverse_from(stack.size()); // nothing
    stack.reverse_from(stack.size() - 1);
    CHECK(stack.pop() == 2);
    CHECK(stack.size() == 995);
  }
  CHECK(memory.capacity() >= 1001);
}

TEST_CASE("id_range: dense ids") {
  const id_range<> range(3, 6);
  CHECK(range.front() == 3);
  CHECK(range.size() == 3);
  CHECK_FALSE(range.empty());
  CHECK(listed(range) == node_list{3, 4, 5});
  auto it = range.begin();
  CHECK(*it++ == 3);
  CHECK(*it == 4);
  CHECK(id_range<>().empty());
  CHECK(listed(id_range<>(7, 7)).empty());
}

TEST_CASE("mapped: shows f of each element, without storing it") {
  const std::forward_list<int> list{3, 1, 2};
  std::size_t calls = 0;
  const auto doubled = midend::mapped(list, [&calls](int i) {
    ++calls;
    return static_cast<node_id>(2 * i);
  });
  CHECK(calls == 0);
  CHECK(listed(doubled) == node_list{6, 2, 4});
  CHECK(listed(doubled) == node_list{6, 2, 4});
  CHECK(calls == 6);
  auto it = doubled.begin(); // with a closure that captures: assignable and default constructible all the same
  decltype(it) later;
  later = it;
  ++later;
  CHECK(*later == 2);
  later = doubled.begin();
  CHECK(later == it);
  CHECK(*later++ == 6);
  CHECK(later.base() == std::next(list.begin()));
  CHECK_FALSE(doubled.empty());
}

TEST_CASE("mapped: of a mapped range, and of an empty one") {
  const std::vector<int> values{1, 2, 3};
  const auto squares = midend::mapped(values, [](int i) { return i * i; });
  CHECK(listed(midend::mapped(squares, [](int i) { return i + 1; })) == node_list{2, 5, 10});
  const std::vector<int> none;
  CHECK(midend::mapped(none, [](int i) { return i; }).empty());
}

TEST_CASE("chained_range: a range, then an array, either of which may be empty") {
  const node_list first{1, 2};
  const node_list second{3};
  using range = midend::chained_range<node_list::const_iterator, node_list::const_iterator>;
  static_assert(std::forward_iterator<range::iterator>);
  static_assert(midend::range_of_nodes<range> && midend::borrowed_range<range>);
  const auto chain = [](const node_list& a, const node_list& b) {
    return range(a.begin(), a.end(), std::span<const std::uint32_t>(b));
  };
  const node_list none;
  CHECK(listed(chain(first, second)) == node_list{1, 2, 3});
  CHECK(listed(chain(first, none)) == node_list{1, 2});
  CHECK(listed(chain(none, second)) == node_list{3});
  CHECK(listed(chain(none, none)).empty());
  CHECK(listed(range(std::span<const std::uint32_t>(second))) == node_list{3});
  CHECK(listed(range()).empty());
  const range both = chain(first, second);
  auto a = both.begin();
  auto b = a++;
  CHECK(*b == 1);
  CHECK(*a == 2);
  CHECK_FALSE(a == b);
  CHECK(++b == a);
}

TEST_CASE("filtered_range: what the predicate keeps") {
  const node_list values{1, 2, 3, 4, 6, 7};
  const auto even = midend::make_filtered_range(values.begin(), values.end(), [](node_id n) { return n % 2 == 0; });
  static_assert(midend::multipass_range<decltype(even)>);
  CHECK(listed(even) == node_list{2, 4, 6});
  auto it = even.begin();
  CHECK(*it++ == 2);
  CHECK(*it == 4);
  const auto none = midend::make_filtered_range(values.begin(), values.end(), [](node_id n) { return n > 7; });
  CHECK(none.begin() == none.end());
}

TEST_CASE("result: a value or an error") {
  midend::result<std::string, int> value = std::string("here");
  REQUIRE(value.has_value());
  CHECK(value);
  CHECK(*value == "here");
  CHECK(value->size() == 4);
  value.value() += "!";
  CHECK(std::as_const(value).value() == "here!");
  CHECK(*std::move(value) == "here!");
  const midend::result<std::string, int> error = 42;
  CHECK_FALSE(error.has_value());
  CHECK(error.error() == 42);
  midend::result<move_only, int> owner = move_only{std::make_unique<int>(3)};
  const move_only taken = std::move(owner).value();
  CHECK(*taken.value == 3);
}

TEST_CASE("sort: any order of any length, with and without duplicates") {
  random_source random(31);
  for (std::size_t size = 0; size != 60; ++size) {
    node_list values(size);
    for (node_id& v : values) {
      v = random.below(size < 30 ? 10 : 1u << 31);
    }
    numbers array = array_of(values);
    midend::detail::sort(array);
    std::sort(values.begin(), values.end());
    CHECK(listed(array) == values);
    midend::detail::sort_and_deduplicate(array);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    CHECK(listed(array) == values);
  }
  numbers small = array_of({3, 1, 2});
  std::size_t permutations = 0;
  node_list order{0, 1, 2, 3, 4, 5};
  do {
    small = array_of(order);
    midend::detail::sort(small);
    permutations += listed(small) == node_list{0, 1, 2, 3, 4, 5} ? 1 : 0;
  } while (std::next_permutation(order.begin(), order.end()));
  CHECK(permutations == 720);
}

TEST_CASE("hash_map: finds what was put in, and nothing else") {
  midend::detail::hash_map<std::uint64_t> map;
  CHECK(map.find(0) == map.missing);
  random_source random(41);
  std::vector<std::uint64_t> keys;
  for (std::uint32_t i = 0; i != 5000; ++i) {
    // Neighbours, multiples of large powers of two, anything: what multiplication must spread.
    keys.push_back(i % 3 == 0 ? i : i % 3 == 1 ? std::uint64_t{i} << 40 : random.next());
    CHECK(map.find_or_insert(keys.back(), i) == i);
  }
  bool found = true;
  for (std::uint32_t i = 0; i != 5000; ++i) {
    found = found && map.find(keys[i]) == i && map.find_or_insert(keys[i], 999'999) == i;
  }
  CHECK(found);
  CHECK(map.find(1) == map.missing);
  map.clear(100);
  CHECK(map.find(keys[0]) == map.missing);
  CHECK(map.find_or_insert(keys[1], 7) == 7);
  CHECK(map.find(keys[1]) == 7);
  CHECK(map.find(keys[2]) == map.missing);
}

TEST_CASE("hash_map: a large map that is cleared for few keys, many times") {
  midend::detail::hash_map<std::uint64_t> map;
  map.clear(10'000);
  for (std::uint32_t i = 0; i != 10'000; ++i) {
    map.find_or_insert(i, i);
  }
  bool right = true;
  for (std::uint32_t round = 1; round != 300; ++round) {
    map.clear(round % 7);
    right = right && map.find(round) == map.missing;
    for (std::uint32_t i = 0; i != round; ++i) { // more than was announced
      right = right && map.find_or_insert(std::uint64_t{i} * round, i) == i;
    }
    for (std::uint32_t i = 0; i != round; ++i) {
      right = right && map.find(std::uint64_t{i} * round) == i;
    }
    right = right && map.find(std::uint64_t{round} * round) == map.missing;
  }
  CHECK(right);
}

TEST_CASE("hash_map: finds things that it does not store, by their hash and a test") {
  const std::string_view words[] = {"one", "two", "three", "two", "one", "four"};
  midend::detail::hash_map<std::uint64_t> map;
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i != 6; ++i) {
    const std::uint64_t hash = words[i].size(); // different words share one
    found.push_back(map.find_or_insert(hash, i, [&](std::uint32_t n) { return words[n] == words[i]; }));
  }
  CHECK(found == std::vector<std::uint32_t>{0, 1, 2, 1, 0, 5});
  CHECK(map.find(3, [&](std::uint32_t n) { return words[n] == "six"; }) == map.missing);
}

namespace {

struct hash_of_name {
  constexpr std::uint64_t operator()(std::string_view name) const { return midend::detail::hash_of_bytes(name); }
};

constexpr bool finds_names() {
  midend::detail::hash_map<std::string_view, hash_of_name> map;
  for (std::uint32_t i = 0; i != 200; ++i) {
    map.find_or_insert(std::string_view("a name of some length").substr(i % 20), i);
  }
  return map.find("name of some length") == 2 && map.find("name") == map.missing;
}

} // namespace

static_assert(finds_names());

namespace {

/// An element without a default value, which counts what lives.
struct counted_word {
  counted_word(std::string word_, int& living_) : word(std::move(word_)), living(&living_) { ++*living; }

  counted_word(const counted_word& other) : word(other.word), living(other.living) { ++*living; }

  counted_word& operator=(const counted_word& other) = default;

  ~counted_word() { --*living; }

  friend bool operator==(const counted_word& a, const counted_word& b) { return a.word == b.word; }

  std::string word;
  int* living;
};

/// The values of an array that was changed in each way, as one text.
template <class T, class Make> std::string changed_in_each_way(Make make) {
  midend::detail::object_array<T> a;
  for (int i = 0; i != 20; ++i) {
    a.push_back(make("a long word that owns memory " + std::to_string(i)));
  }
  const midend::detail::object_array<T> copied(a);
  CHECK(copied == a);
  a.resize(2, make("no"));
  CHECK(copied != a);
  a.push_back(make("third"));
  a.resize(30, make("filler"));
  CHECK(a.size() == 30);
  CHECK(a.back() == make("filler"));
  midend::detail::object_array<T> assigned;
  assigned.assign(3, make("short"));
  assigned = a;
  CHECK(assigned == a);
  assigned = copied;
  CHECK(assigned == copied);
  midend::detail::object_array<T> moved(std::move(assigned));
  moved.push_back(make("last"));
  CHECK(moved.size() == 21);
  CHECK(moved[19] == copied[19]);
  CHECK(moved[20] == make("last"));
  a = std::move(moved);
  a.clear();
  CHECK(a.empty());
  a.push_back(make("the first again"));
  a.assign(2, make("two"));
  CHECK(a[0] == make("two"));
  CHECK(a.begin() + 2 == a.end());
  CHECK(a == midend::detail::object_array<T>(2, make("two")));
  a = {make("one"), make("two")};
  const std::vector<T> list = a;
  CHECK(list == std::vector<T>{make("one"), make("two")});
  CHECK(std::vector<T>(a.begin(), a.end()) == list);
  std::string text;
  for (const T& one : copied) {
    text += std::string(one == make("a long word that owns memory 7") ? "7" : ".");
  }
  return text;
}

constexpr bool holds_arrays_in_constant_expressions() {
  midend::detail::object_array<numbers> a;
  for (std::uint32_t i = 0; i != 30; ++i) {
    a.push_back(numbers(i, i));
  }
  a.resize(5, numbers());
  const midend::detail::object_array<numbers> b = a;
  a.clear();
  a.assign(9, numbers(2, 3));
  return b.size() == 5 && b[4].size() == 4 && b[4][3] == 4 && a.size() == 9 && a[8][1] == 3;
}

} // namespace

static_assert(holds_arrays_in_constant_expressions());

TEST_CASE("object_array: elements that own memory, with and without a default value") {
  CHECK(changed_in_each_way<std::string>([](std::string word) { return word; }) == ".......7............");
  int living = 0;
  CHECK(changed_in_each_way<counted_word>([&](std::string word) { return counted_word(std::move(word), living); }) ==
        ".......7............");
  CHECK(living == 0);
}
