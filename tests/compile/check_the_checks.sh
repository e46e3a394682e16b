#!/usr/bin/env bash
# check_the_checks.sh COMPILER INCLUDE_DIR: the checks of headers and includes find what is planted in a copy.
set -u
compiler=$1 include_dir=$(cd "$2" && pwd) here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# finds WHAT REGEX COMMAND...: the command must fail and say so, and must have succeeded before the planting
finds() {
  local what=$1 regex=$2 output
  shift 2
  if output=$("$@" 2>&1); then
    echo "not found: $what"
    status=1
  elif ! grep -qE -- "$regex" <<<"$output"; then
    printf 'found, but not said of %s: /%s/\n%s\n' "$what" "$regex" "$output"
    status=1
  else
    echo "found: $what"
  fi
}

fresh() {
  rm -rf "$work/include" && cp -r "$include_dir" "$work/include"
  cd "$work/include/midend" || exit 1
}

includes() { bash "$here/check_includes.sh" "$1" "$work/include"; }
header() { bash "$here/check_header.sh" "$compiler" "$work/include" "$1"; }

fresh
header midend/support/result.hpp && header midend/graph/concepts.hpp || status=1
sed -i '/#include <optional>/d' support/optional.hpp
finds "a standard header that is not included" "optional" header midend/support/optional.hpp
fresh
sed -i '/#include "midend\/support\/range.hpp"/d' graph/concepts.hpp
finds "a header of midend that is not included" "range" header midend/graph/concepts.hpp
fresh
sed -i 's/^#pragma once$//' support/result.hpp
finds "a header that cannot be included twice" "redefinition" header midend/support/result.hpp

fresh
includes standard >/dev/null && includes layers >/dev/null || echo "(not all is well before the planting)"
echo '#include <functional>' >>graph/concepts.hpp
finds "<functional> in the core" "graph/concepts.hpp:[0-9]+: <functional>" includes standard
fresh
echo '#include "midend/loops/loop_forest.hpp"' >>graph/concepts.hpp
finds "a folder that includes from one above it" "graph/concepts.hpp:[0-9]+: graph/ must not include from loops/" includes layers
fresh
echo '#include "midend/machine/cost/estimate.hpp"' >>"$(find machine/lowering -name '*.hpp' | sort | head -n 1)"
finds "a room that includes from one above it" "machine/lowering/ must not include from machine/cost/" includes layers
fresh
echo '#include "midend/unrolling/try_unrolling.hpp"' >>package/clean_up.hpp
finds "the clean-up including the trials that run it" "package/ must not include from unrolling/" includes layers
fresh
echo '#include "midend/viz/dot.hpp"' >>graph/concepts.hpp
finds "the core including viz/" "graph/ must not include from viz/" includes layers
fresh
mkdir -p graph/detail
cat >graph/detail/planted.hpp <<'EOF'
#pragma once
MIDEND_BEGIN_NAMESPACE
namespace detail {
struct hidden {
  int braces[2] = {1, 2}; // { in a comment
};
} // namespace detail
class somewhere_else;
struct planted {
  const char* text = "{";
};
MIDEND_END_NAMESPACE
EOF
finds "a public name in detail/" "planted.hpp:9: outside namespace detail: struct planted" includes public
if includes public 2>&1 | grep -q 'hidden\|somewhere_else'; then
  echo "said of what may stand in detail/"
  status=1
fi
fresh
sed -i 's/^namespace detail {$/namespace detail {\n\ninline int reverse_post_order(int x) {\n  return x;\n}\n/' graph/edge_kinds.hpp
finds "a name that is public and in detail" "edge_kinds.hpp:[0-9]+: detail::reverse_post_order has the name of" includes public
mkdir -p "$work/examples" && echo 'int x = midend::detail::hidden().braces[0];' >"$work/examples/user.cpp"
finds "a user of detail::" "examples/user.cpp:1:.*hidden" includes public

standard_only() { bash "$here/check_standard.sh" "$work/include"; }
fresh
standard_only >/dev/null || echo "(not all is well before the planting)"
while IFS='|' read -r what line regex; do
  fresh
  printf '%s\n' "$line" >>graph/concepts.hpp
  finds "$what" "graph/concepts.hpp:[0-9]+: $regex" standard_only
done <<'EOF'
a 128-bit integer|__extension__ typedef unsigned __int128 wide;|the name __int128
a built-in function|inline bool f() { return __builtin_expect(1, 0) != 0; }|the name __builtin_expect
a compiler's attribute|[[gnu::always_inline]] inline void f() {}|an attribute of one compiler
a pragma|#pragma GCC diagnostic ignored "-Wconversion"|a pragma
a question about the compiler|#if defined(_MSC_VER)|the name _MSC_VER
a conditional without its second operand|inline int f(int i) { return i ?: 1; }|a conditional
a range of cases|inline int f(int i) { switch (i) { case 1 ... 3: return 1; } return 0; }|a range of cases
an integer of another size elsewhere|inline unsigned long f() { return 0; }|the size of long
a function that follows the locale|inline double f(const char* s) { return std::strtod(s, nullptr); }|follows the locale
EOF
fresh
cat >>graph/concepts.hpp <<'EOF'
/// As long as `__int128` and __builtin_expect are in comments /* or [[gnu::cold]] */ they may stand.
inline const char* text() { return "__int128 [[gnu::cold]] strtod(s)"; }
inline unsigned long long wide() { return 0; }
/* #pragma GCC diagnostic
   __attribute__ */
EOF
standard_only >/dev/null || { echo "said of what may stand in headers"; status=1; }
exit $status
