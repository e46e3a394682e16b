/// The report of `check_lattice` as text.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/lattice_laws.hpp"

#include <array>
#include <cstddef>
#include <string>

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <has_print L> std::string element_text(const L& l, const element_of<L>& a) {
  text_buffer out;
  l.print(out, a);
  return {out.data(), out.size()};
}

template <has_print L> std::string violation_text(const L& l, const lattice_violation<element_of<L>>& broken) {
  static constexpr std::array<const char*, 3> names{"x = ", ", y = ", ", z = "};
  std::string text = std::string("broken: ") + name_of(broken.law) + " by ";
  for (std::size_t i = 0; i != arity_of(broken.law); ++i) {
    text += names[i] + element_text(l, broken.elements[i]);
  }
  return text + "; left is " + element_text(l, broken.left) + ", right is " + element_text(l, broken.right);
}

} // namespace detail

/// One line for each level of laws: it holds, it is broken (with the elements), or it was not tested because the
/// lattice lacks the members; then the height. `lattice_law` documents left and right of each law.
template <printable_lattice_argument L, class Element>
std::string to_text(const L& l, const lattice_report<Element>& report) {
  static_assert(std::same_as<Element, element_of<L>>, "midend: the report of a lattice with other elements");
  std::string text;
  for (std::size_t i = 0; i != num_lattice_levels; ++i) {
    const auto level = static_cast<lattice_level>(i);
    const auto* const broken = report.violation(level);
    text += name_of(level);
    text += ": ";
    text += broken != nullptr ? detail::violation_text(l, *broken) : report.tested[i] ? "holds" : "not tested";
    text += '\n';
  }
  return text + "height: " + std::to_string(report.height) + '\n';
}

MIDEND_END_NAMESPACE
