/// `flow_direction`: which way facts flow.
#pragma once

#include "midend/config.hpp"

#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

/// Which way the facts of a dataflow problem flow: with control, or against it.
enum class flow_direction : std::uint8_t { forward, backward };

/// `P::direction` is a constant of type `flow_direction`.
template <class P>
concept has_direction = requires {
  { std::integral_constant<flow_direction, P::direction>() };
};

MIDEND_END_NAMESPACE
