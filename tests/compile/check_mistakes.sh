#!/usr/bin/env bash
# check_mistakes.sh COMPILER INCLUDE_DIR FILE [table]: the file compiles; with -DMISTAKE_name, for each of its lines
# `// mistake name: REGEX`, it does not, and the first error is a sentence of midend that matches REGEX. With `table`,
# prints the sentences.
set -u
compiler=$1 include_dir=$2 file=$3 form=${4-}
flags=(-std=c++20 -fsyntax-only -Wall -Wextra -I"$include_dir")
status=0 count=0

if ! output=$("$compiler" "${flags[@]}" -Werror "$file" 2>&1); then
  printf 'without a mistake, it does not compile:\n%s\n' "$output"
  exit 1
fi
while IFS=$'\t' read -r name regex; do
  count=$((count + 1))
  if output=$("$compiler" "${flags[@]}" "-DMISTAKE_$name" "$file" 2>&1); then
    echo "$name: it compiles, which it must not"
    status=1
    continue
  fi
  first=$(grep -m 1 -E '(^|: )(fatal )?error: ' <<<"$output")
  if ! grep -qE "static assertion failed.*midend: .*($regex)" <<<"$first"; then
    printf '%s: the first error is not a sentence with /%s/:\n%s\n' "$name" "$regex" "$first"
    status=1
  fi
  [ "$form" != table ] || printf '%s\t%s\n' "$name" "${first##*midend: }"
done < <(sed -nE 's|^// mistake ([a-z_A-Z0-9]+): (.+)$|\1\t\2|p' "$file")
[ "$form" = table ] || echo "$count mistakes"
[ "$count" -gt 0 ] && exit "$status"
