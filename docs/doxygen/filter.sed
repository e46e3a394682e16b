# What Doxygen 1.9.4 reads of a header: without specialisations of std::ranges::enable_borrowed_range, which it takes for
# undeclared symbols. Lines stay where they are.
/^template <.*>$/{
  N
  s/^template <[^\n]*>\n(inline )?constexpr bool std::ranges::enable_borrowed_range.*$/\n/
}
s/^template <[^>]*> (inline )?constexpr bool std::ranges::enable_borrowed_range.*$//
