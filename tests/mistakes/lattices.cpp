// Natural mistakes in lattices of one's own.
#include "mistakes.hpp"

using midend::node_id;

/// Sets of four colours, joined by union.
struct right {
  using element = unsigned;

  element bottom() const { return 0; }

  bool join(element& a, element b) const {
    const element old = a;
    a |= b;
    return a != old;
  }

  void print(midend::text_buffer& out, element a) const { out.push_back(static_cast<char>('0' + a % 10)); }
};

template <class L> void check(const L& l) {
  const auto all = midend::made_elements(16, [](std::size_t i) { return static_cast<unsigned>(i); });
  std::printf("%s", midend::to_text(l, midend::check_lattice(l, all)).c_str());
}

// mistake: `join` compares with the other element instead of the old one
// run-time: join: .*broken
RUN(join_compares_with_the_other) {
  struct lattice : right {
    bool join(element& a, element b) const {
      a |= b;
      return a != b;
    }
  };

  check(lattice{});
}

// mistake: `join` always says that something changed
// run-time: join: .*broken
RUN(join_always_changes) {
  struct lattice : right {
    bool join(element& a, element b) const {
      a |= b;
      return true;
    }
  };

  check(lattice{});
}

// mistake: `join` never says that something changed
// run-time: join: .*broken
RUN(join_never_changes) {
  struct lattice : right {
    bool join(element& a, element b) const {
      a |= b;
      return false;
    }
  };

  check(lattice{});
}

// mistake: `join` is an intersection, but `bottom` the empty set
// run-time: (join|order): .*broken
RUN(join_and_bottom_disagree) {
  struct lattice : right {
    bool join(element& a, element b) const {
      const element old = a;
      a &= b;
      return a != old;
    }
  };

  check(lattice{});
}

// mistake: `join` takes the first element if the two differ: not commutative
// run-time: join: .*broken
RUN(join_keeps_the_first) {
  struct lattice : right {
    bool join(element& a, element b) const {
      if (a == 0 && b != 0) {
        a = b;
        return true;
      }
      return false;
    }
  };

  check(lattice{});
}

// mistake: `leq` the wrong way round
// run-time: order: .*broken
RUN(leq_turned) {
  struct lattice : right {
    bool leq(element a, element b) const { return (b & ~a) == 0; }
  };

  check(lattice{});
}

// mistake: `top` is not above all elements
// run-time: (order|join|top|meet): .*broken
RUN(top_too_low) {
  struct lattice : right {
    element top() const { return 7; }

    bool meet(element& a, element b) const {
      const element old = a;
      a &= b;
      return a != old;
    }
  };

  check(lattice{});
}

// mistake: A key that a `map` does not have
// run-time: violation:
RUN(map_key_out_of_range) {
  const midend::map<midend::sign> l(midend::sign(), 3);
  auto a = l.bottom();
  a[3] = midend::signs::any;
}

// mistake: Maps with different numbers of keys are joined
// run-time: violation:
RUN(maps_of_different_sizes) {
  const midend::map<midend::sign> l(midend::sign(), 3);
  const midend::map<midend::sign> other(midend::sign(), 4);
  auto a = l.bottom();
  l.join(a, other.bottom());
}

// mistake: Sets of different sizes are joined
// run-time: violation:
RUN(sets_of_different_sizes) {
  const midend::powerset<> l(4);
  auto a = l.bottom();
  l.join(a, midend::bit_row(5));
}

// mistake: A number that does not fit into the width of an interval
// run-time: violation:
RUN(interval_too_wide) {
  use(midend::signed_interval(8).constant(200));
}

// mistake: An interval with its bounds exchanged: it is empty
// works
RUN(interval_turned) {
  EXPECT(midend::signed_interval(8).between(5, 3).is_bottom());
}

// mistake: A width of 0 bits
// run-time: violation:
RUN(width_of_0) {
  use(midend::signed_interval(0).top());
}

// mistake: The members of the lattice are static functions
// works
RUN(static_lattice) {
  struct lattice {
    using element = unsigned;

    static element bottom() { return 0; }

    static bool join(element& a, element b) {
      const element old = a;
      a |= b;
      return a != old;
    }
  };

  static_assert(midend::lattice<lattice>);
  unsigned a = 1;
  EXPECT(midend::less_or_equal(lattice{}, a, 3u));
}

// mistake: `check_lattice` and `to_text` of a lattice of one's own, after the umbrella
// works
RUN(report_after_the_umbrella) {
  const auto all = midend::made_elements(16, [](std::size_t i) { return static_cast<unsigned>(i); });
  EXPECT(!midend::to_text(right{}, midend::check_lattice(right{}, all)).empty());
}

// ---- What does not compile.

template <class L> struct problem {
  static constexpr auto direction = midend::flow_direction::forward;

  L lattice() const { return {}; }

  typename L::element boundary(node_id) const { return {}; }

  void transfer(node_id, typename L::element&) const {}
};

[[maybe_unused]] static const midend::csr_graph g;

// mistake: `join` is a member of the element
// compile-time: midend: .*(bottom|join)
#ifdef MISTAKE_join_of_the_element
struct colours {
  unsigned bits = 0;

  bool join(const colours& b) {
    const unsigned old = bits;
    bits |= b.bits;
    return bits != old;
  }
};

struct lattice {
  using element = colours;

  element bottom() const { return {}; }
};

RUN(join_of_the_element) {
  use(midend::solve(g, problem<lattice>{}));
}
#endif

// mistake: A lattice with `meet` alone, as in books that go down
// compile-time: midend: .*join
#ifdef MISTAKE_meet_alone
struct lattice {
  using element = unsigned;

  element bottom() const { return 0; }

  element top() const { return 15; }

  bool meet(element& a, element b) const {
    const element old = a;
    a &= b;
    return a != old;
  }
};

RUN(meet_alone) {
  use(midend::solve(g, problem<lattice>{}));
}
#endif

// mistake: `leq` returns an ordering
// compile-time: midend: .*leq
#ifdef MISTAKE_leq_returns_an_ordering
struct lattice : right {
  std::partial_ordering leq(element a, element b) const { return a <=> b; }
};

RUN(leq_returns_an_ordering) {
  use(midend::solve(g, problem<lattice>{}));
}
#endif

// mistake: The report of a lattice without `print`
// compile-time: midend: reports need a lattice
#ifdef MISTAKE_report_without_print
struct lattice {
  using element = unsigned;

  element bottom() const { return 0; }

  bool join(element& a, element b) const { return right().join(a, b); }
};

RUN(report_without_print) {
  check(lattice{});
}
#endif

// mistake: `print` returns a string: a table of the solution
// compile-time: midend: reports need a lattice
#ifdef MISTAKE_print_returns_text
struct lattice {
  using element = unsigned;

  element bottom() const { return 0; }

  bool join(element& a, element b) const { return right().join(a, b); }

  std::string print(element) const { return "colours"; }
};

RUN(print_returns_text) {
  use(midend::to_table(problem<lattice>{}, midend::solve(g, problem<lattice>{})));
}
#endif

// mistake: `print` writes into a copy of the text
// compile-time: midend: reports need a lattice
#ifdef MISTAKE_print_into_a_copy
struct lattice : right {
  void print(midend::text_buffer, element) const {}
};

RUN(print_into_a_copy) {
  check(lattice{});
}
#endif

// mistake: `print` writes to a `FILE`
// compile-time: midend: reports need a lattice
#ifdef MISTAKE_print_into_a_stream
struct lattice : right {
  void print(std::FILE*, element) const {}
};

RUN(print_into_a_stream) {
  use(midend::to_table(problem<lattice>{}, midend::solve(g, problem<lattice>{})));
}
#endif

// mistake: `explain_difference` returns a text: it would never be called
// compile-time: midend: `explain_difference`
#ifdef MISTAKE_explain_difference_returns_text
struct lattice : right {
  std::string explain_difference(element, element) const { return {}; }
};

RUN(explain_difference_returns_text) {
  use(midend::to_table(problem<lattice>{}, midend::solve(g, problem<lattice>{})));
}
#endif

// mistake: `print_part` without the element: it would never be called
// compile-time: midend: `print_part`
#ifdef MISTAKE_print_part_without_element
struct lattice : right {
  void print_part(midend::text_buffer&, std::uint32_t) const {}
};

RUN(print_part_without_element) {
  use(midend::to_table(problem<lattice>{}, midend::solve(g, problem<lattice>{})));
}
#endif

// mistake: The elements of `check_lattice` are a `std::set`
// compile-time: midend: the elements of a lattice that are tested
#ifdef MISTAKE_elements_in_a_set
RUN(elements_in_a_set) {
  use(midend::check_lattice(right{}, std::set<unsigned>{0, 1}));
}
#endif

// mistake: The report of another lattice
// compile-time: midend: the report of a lattice with other elements
#ifdef MISTAKE_report_of_another_lattice
RUN(report_of_another_lattice) {
  use(midend::to_text(right{}, midend::lattice_report<long>()));
}
#endif

// mistake: `check_lattice` of a type without `element`
// compile-time: midend: a lattice needs `using element
#ifdef MISTAKE_check_without_element
struct lattice {};

RUN(check_without_element) {
  use(midend::check_lattice(lattice{}, std::vector<unsigned>{0}));
}
#endif
