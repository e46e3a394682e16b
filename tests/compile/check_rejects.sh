#!/usr/bin/env bash
# check_rejects.sh COMPILER INCLUDE_DIR FILE [without-fixed-form [PRECOMPILED]]: the file must not compile, and the
# compiler's output must match each regular expression of its `// expect: REGEX` lines (from the first line on). The
# first error is a sentence of midend, or matches the regular expression of the line `// first: REGEX`. With
# -DMIDEND_FIXED the file must compile, so that nothing but the named requirement is wrong with it. PRECOMPILED is the
# header that precompile.sh has written.
set -u
compiler=$1 include_dir=$2 file=$3 form=${4-with-fixed-form} precompiled=${5-}
flags=(-std=c++20 -fsyntax-only -Wall -Wextra -Werror -I"$include_dir")
is_clang=$("$compiler" --version | grep -c clang)
if [ -n "$precompiled" ] && [ "$is_clang" -gt 0 ]; then
  flags+=(-include-pch "$precompiled.pch")
elif [ -n "$precompiled" ]; then
  flags+=(-include "$precompiled")
fi

if [ "$form" = with-fixed-form ] && ! output=$("$compiler" "${flags[@]}" -DMIDEND_FIXED "$file" 2>&1); then
  printf 'the fixed form does not compile:\n%s\n' "$output"
  exit 1
fi
mapfile -t expected < <(sed -nE 's|^// expect: (.+)$|\1|p' "$file")
if [ "${#expected[@]}" -eq 0 ]; then
  echo "$file has no line '// expect: REGEX'"
  exit 1
fi
says_all() {
  local regex
  for regex in "${expected[@]}"; do grep -qE -- "$regex" <<<"$output" || return 1; done
}
# Most say all with the first error. g++ need not instantiate the rest of the unit after it, which takes longer.
output=
if [ "$is_clang" -gt 0 ] || output=$("$compiler" "${flags[@]}" -fmax-errors=1 "$file" 2>&1) || ! says_all; then
  if output=$("$compiler" "${flags[@]}" "$file" 2>&1); then
    echo "it compiles, which it must not"
    exit 1
  fi
fi
status=0
for regex in "${expected[@]}"; do
  if ! grep -qE -- "$regex" <<<"$output"; then
    echo "the compiler does not say /$regex/"
    status=1
  fi
done
first_regex=$(sed -nE 's|^// first: (.+)$|\1|p' "$file")
first=$(grep -m 1 -E '(^|: )(fatal )?error: ' <<<"$output")
if ! grep -qE -- "${first_regex:-static assertion failed.*midend: }" <<<"$first"; then
  printf 'the first error is not a sentence of midend:\n%s\n' "$first"
  status=1
fi
[ "$status" -eq 0 ] || printf 'it says:\n%s\n' "$output"
exit "$status"
