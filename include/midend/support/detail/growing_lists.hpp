/// `growing_lists`: many small lists of numbers in one array.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Lists of numbers, each of which may grow. A list that outgrows its place moves to the end of the pool, which
/// invalidates the spans of all lists.
class growing_lists {
public:
  std::size_t size() const { return lists_.size(); }

  void clear() {
    lists_.clear();
    pool_.clear();
    room_ = 0;
    placed_ = 0;
  }

  /// Room for what is known before.
  void reserve(std::size_t lists, std::size_t elements) {
    lists_.reserve(lists);
    pool_.reserve(elements);
  }

  void add_list() { lists_.push_back({0, 0, 0}); }

  template <class Elements> void add_list(const Elements& elements) {
    const auto count = static_cast<std::uint32_t>(elements.size());
    lists_.push_back({static_cast<std::uint32_t>(pool_.size()), count, count});
    for (const std::uint32_t element : elements) {
      pool_.push_back(element);
    }
  }

  /// `count` empty lists, and room in which `place` puts them: for `elements` elements of all of them. To be called
  /// before anything else is here.
  void add_lists(std::size_t count, std::uint32_t elements) {
    lists_.assign(count, {0, 0, 0});
    pool_.resize_for_overwrite(elements);
    room_ = elements;
    placed_ = 0;
  }

  /// Lets an empty list grow to `capacity` elements without moving, as far as there is room.
  void place(std::size_t i, std::uint32_t capacity) {
    if (capacity <= room_ - placed_) {
      lists_[i] = {placed_, 0, capacity};
      placed_ += capacity;
    }
  }

  /// A list of `count` elements, to be set by `at`. To be called before anything else is in
  /// the pool, and `make_room` after the last of them.
  void add_list_of(std::uint32_t count) {
    lists_.push_back({room_, count, count});
    room_ += count;
  }

  void make_room() { pool_.resize_for_overwrite(room_); }

  span<const std::uint32_t> operator[](std::size_t i) const {
    return {pool_.data() + lists_[i].first, std::size_t{lists_[i].size}};
  }

  std::uint32_t& at(std::size_t i, std::size_t k) { return pool_[lists_[i].first + k]; }

  void push_back(std::size_t i, std::uint32_t element) {
    list& l = lists_[i];
    if (l.size == l.capacity) {
      const std::uint32_t first = l.first;
      l.first = static_cast<std::uint32_t>(pool_.size());
      l.capacity = l.size < 2 ? 4 : 2 * l.size;
      for (std::uint32_t k = 0; k != l.capacity; ++k) {
        pool_.push_back(k < l.size ? std::uint32_t{pool_[first + k]} : 0);
      }
    }
    pool_[l.first + l.size++] = element;
  }

  /// The last element takes the place of element `k`.
  void remove(std::size_t i, std::size_t k) {
    list& l = lists_[i];
    pool_[l.first + k] = pool_[l.first + l.size - 1];
    --l.size;
  }

  void shrink(std::size_t i, std::size_t count) { lists_[i].size = static_cast<std::uint32_t>(count); }

  /// The elements must not be in a list.
  void assign(std::size_t i, span<const std::uint32_t> elements) {
    shrink(i, 0);
    for (const std::uint32_t element : elements) {
      push_back(i, element);
    }
  }

private:
  struct list {
    std::uint32_t first;
    std::uint32_t size;
    std::uint32_t capacity;
  };

  flat_array<list> lists_;
  flat_array<std::uint32_t> pool_;
  std::uint32_t room_ = 0;   ///< elements of the pool for lists whose size was known before
  std::uint32_t placed_ = 0; ///< the first of them that `place` gave to no list
};

} // namespace detail

MIDEND_END_NAMESPACE
