#!/usr/bin/env bash
# examples.sh s390x|aarch64|i686|libc++: a few examples, built for another machine, or by clang with libc++, print what
# they print here. Exit status 77 if a compiler or emulator is missing.
set -u
kind=$1
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
source tests/platforms/tools.sh "$kind" || exit 77
examples=(dominance elbrus_interpreter unrolling_advice)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for example in "${examples[@]}"; do
  if ! "${compile[@]}" -std=c++20 -O0 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Werror -Iinclude -I. \
    "examples/$example.cpp" -o "$work/$example"; then
    echo "$kind: examples/$example.cpp does not compile"
    failed=$((failed + 1))
  elif ! $emulator "$work/$example" >"$work/out" || ! diff "examples/$example.out" "$work/out"; then
    echo "$kind: $example prints something else"
    failed=$((failed + 1))
  fi
done
echo "$kind: ${#examples[@]} examples, $failed failed"
[ "$failed" -eq 0 ]
