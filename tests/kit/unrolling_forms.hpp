/// Forms of unrolled loops, in short.
#pragma once

#include <midend/transform/unrolling_form.hpp>

#include <cstdint>

namespace midend_tests {

constexpr midend::unrolling_form with_epilogue(std::uint32_t factor, bool unrolls_remainder = false) {
  return {midend::unrolling_kind::partial, factor, midend::remainder_placement::epilogue, unrolls_remainder};
}

constexpr midend::unrolling_form with_prologue(std::uint32_t factor, bool unrolls_remainder = false) {
  return {midend::unrolling_kind::partial, factor, midend::remainder_placement::prologue, unrolls_remainder};
}

/// The three forms whose copies run up to a limit, by turns.
constexpr midend::unrolling_form form_with_limit(std::uint64_t turn, std::uint32_t factor) {
  return turn % 3 == 0   ? with_epilogue(factor)
         : turn % 3 == 1 ? midend::unrolling_form{midend::unrolling_kind::peel_last}
                         : with_prologue(factor);
}

} // namespace midend_tests
