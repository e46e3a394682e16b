/// `boolean`: false below true.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/text.hpp"

MIDEND_BEGIN_NAMESPACE

/// The two truth values, false at the bottom: "on some path". Its `dual` has true at the bottom: "on every path".
struct boolean {
  using element = bool;

  constexpr element bottom() const { return false; }

  constexpr element top() const { return true; }

  constexpr bool join(element& a, element b) const {
    const bool changed = !a && b;
    a = a || b;
    return changed;
  }

  constexpr bool meet(element& a, element b) const {
    const bool changed = a && !b;
    a = a && b;
    return changed;
  }

  constexpr bool leq(element a, element b) const { return !a || b; }

  constexpr void print(text_buffer& out, element a) const { append_text(out, a ? "true" : "false"); }
};

MIDEND_END_NAMESPACE
