/// `loop_facts`: what is known about the values of a loop body beyond what the body says.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/value_bounds.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/form_range.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// What is known about a value in a form.
struct known_term {
  value_id value;
  std::uint8_t width;
  number_facts facts;
  linear_form low = linear_form::zero(0); ///< its low bits, as many as this has, as a sum of other values
};

/// What is known about the values of a loop body from the function around it. Facts are about values as they are
/// computed: if one is broken, the run has no meaning or does not compute the value.
///
/// Plain data, filled in by `read_loop_facts` or by hand. Default-constructed, it says nothing.
struct loop_facts {
  flat_array<value_bounds> bounds; ///< by value of the body; or empty: nothing is known
  flat_array<linear_form> forms;   ///< by value of the body, up to the last one from outside: of invariants, as modular
                                   ///< forms; of width 0 if it has none; or empty
  flat_array<known_term> terms;    ///< all values of these forms, ascending

  constexpr void clear() {
    bounds.clear();
    forms.clear();
    terms.clear();
  }

  /// `body` is the one that the facts are about.
  constexpr value_bounds bounds_of(const loop_body& body, body_id v) const {
    const body_value& value = body.values[v];
    if (value.kind == body_kind::constant) {
      return value_bounds::exactly(value.bits, value.info.width);
    }
    return bounds.empty() ? value_bounds::all(value.info.width) : bounds[v];
  }

  /// The number that a value is in all iterations, if that is known.
  constexpr std::optional<std::uint64_t> number(body_id v) const {
    return bounds.empty() ? std::nullopt : bounds[v].number();
  }

  /// The low `width` bits of a value from before the loop as a sum. False if it has no form.
  constexpr bool form_of(body_id v, unsigned width, linear_form& out) const {
    if (v >= forms.size() || forms[v].width < width) {
      return false;
    }
    out = forms[v];
    return out.width == width || out.reduce(width, [this](value_id x) { return unsigned{term_of(x).width}; });
  }

  /// Where such a sum lies. Its low bits may be known by others than the values that it has.
  constexpr form_range range(linear_form form) const {
    const auto facts_of = [this](value_id x) { return term_of(x).facts; };
    const unsigned width = form.width;
    form_range out = range_of(form, facts_of);
    for (unsigned steps = 0; steps != most_steps && !out.is_number() && replace_term(form); ++steps) {
      form_range low = range_of(form, facts_of);
      if (form.width < width) {
        const std::uint8_t known = low.zeros < form.width ? low.zeros : static_cast<std::uint8_t>(form.width);
        low = {low.first & ones_below(known), low_ones(width) & ~ones_below(known), known};
      }
      out = in_both_ranges(out, low, width);
    }
    return out;
  }

private:
  static constexpr unsigned most_steps = 16; ///< of the replacement of values by others

  /// Replaces one value by the sum that its low bits are, and cuts the form to as many bits. False if no value has one.
  constexpr bool replace_term(linear_form& form) const {
    const auto width_of = [this](value_id x) { return unsigned{term_of(x).width}; };
    for (std::uint32_t i = 0; i != form.num_terms; ++i) {
      const value_id x = form.terms[i].value;
      linear_form low = term_of(x).low;
      linear_form out = form;
      const unsigned width = low.width < form.width ? low.width : form.width;
      if (width != 0 && out.reduce(width, width_of) && low.reduce(width, width_of) && out.substitute(x, low)) {
        form = out;
        return true;
      }
    }
    return false;
  }

  constexpr const known_term& term_of(value_id x) const {
    std::size_t first = 0;
    for (std::size_t size = terms.size(); size > 1;) {
      const std::size_t half = size / 2;
      first += terms[first + half].value <= x ? half : 0;
      size -= half;
    }
    return terms[first];
  }
};

MIDEND_END_NAMESPACE
