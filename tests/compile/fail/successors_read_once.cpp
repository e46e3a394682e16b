// expect: successors_can_be_read_twice
#include "midend/midend.hpp"

#include <cstddef>
#include <iterator>

struct stream {
  struct iterator {
    using value_type = midend::node_id;
    using difference_type = std::ptrdiff_t;
    using reference = midend::node_id;
    using pointer = void;
#ifdef MIDEND_FIXED
    using iterator_category = std::forward_iterator_tag;
#else
    using iterator_category = std::input_iterator_tag;
#endif

    midend::node_id operator*() const { return 0; }

    iterator& operator++() { return *this; }

    iterator operator++(int) { return *this; }

    friend bool operator==(const iterator&, const iterator&) = default;
  };

  iterator begin() const { return {}; }

  iterator end() const { return {}; }
};

template <> inline constexpr bool std::ranges::enable_borrowed_range<stream> = true;

struct view {
  std::size_t num_nodes() const { return 0; }

  midend::node_id entry() const { return 0; }

  stream successors(midend::node_id) const { return {}; }
};

void use() {
  static_cast<void>(midend::dominators(view{}));
}
