/// The numbers by which analyses speak of the parts of a user's IR. All dense, from 0 on, as nodes and edges are.
#pragma once

#include "midend/config.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A statement: what is executed as a whole, in the order of its block.
using statement_id = std::uint32_t;

/// A variable: what statements define and use.
using variable_id = std::uint32_t;

/// An expression: the same number for the same computation of the same operands.
using expression_id = std::uint32_t;

/// Numbers of none.
inline constexpr statement_id no_statement = 0xffff'ffff;
inline constexpr variable_id no_variable = 0xffff'ffff;
inline constexpr expression_id no_expression = 0xffff'ffff;

MIDEND_END_NAMESPACE
