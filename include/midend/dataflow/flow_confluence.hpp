/// `flow_confluence`: what happens to facts where ways meet.
#pragma once

#include "midend/config.hpp"

#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

/// A fact holds if it does on *some* path (union), or if it does on *every* path (intersection).
enum class flow_confluence : std::uint8_t { may, must };

/// `P::confluence` is a constant of type `flow_confluence`.
template <class P>
concept has_confluence = requires {
  { std::integral_constant<flow_confluence, P::confluence>() };
};

MIDEND_END_NAMESPACE
