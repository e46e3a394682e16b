/// GCC's headers, in an order that works. Include everything else before: they poison names such as `malloc`.
#pragma once

// clang-format off
#include <gcc-plugin.h>
#include <plugin-version.h>

#include <tree.h>
#include <fold-const.h>
#include <calls.h>
#include <basic-block.h>
#include <function.h>
#include <cfganal.h>
#include <cfgloop.h>
#include <dominance.h>
#include <context.h>
#include <diagnostic.h>
#include <gimple.h>
#include <gimple-iterator.h>
#include <gimple-expr.h>
#include <ssa.h>
#include <tree-cfg.h>
#include <tree-dfa.h>
#include <tree-pass.h>
// clang-format on
