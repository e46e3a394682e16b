/// `flow_direction` and `flow_confluence`: the direction of facts, and how facts join where paths meet.
#pragma once

#include "midend/config.hpp"

#include <concepts>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

/// The direction in which facts flow: with control, or against it.
enum class flow_direction : std::uint8_t { forward, backward };

/// `P::direction` is a constant of type `flow_direction`.
template <class P>
concept has_direction = requires {
  {
    &P::direction
  } -> std::same_as<const flow_direction*>; // g++ 12 must not see a member of an object in the next line
} && requires { typename std::integral_constant<flow_direction, P::direction>; };

/// A fact holds if it does on *some* path (union), or if it does on *every* path (intersection).
enum class flow_confluence : std::uint8_t { may, must };

/// `P::confluence` is a constant of type `flow_confluence`.
template <class P>
concept has_confluence = requires {
  { &P::confluence } -> std::same_as<const flow_confluence*>;
} && requires { typename std::integral_constant<flow_confluence, P::confluence>; };

MIDEND_END_NAMESPACE
