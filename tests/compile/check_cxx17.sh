#!/usr/bin/env bash
# check_cxx17.sh COMPILER INCLUDE_DIR HEADER...: without C++20, the first inclusion of a header is one error that says so,
# whatever the user's file does then.
set -u
compiler=$1 include_dir=$2
shift 2
status=0
for header in "$@"; do
  output=$(printf '#include "%s"\nint main() { return midend::csr_graph().num_nodes(); }\n' "$header" |
    "$compiler" -std=c++17 -fsyntax-only -I"$include_dir" -x c++ - 2>&1)
  errors=$(grep -cE '(^|: )(fatal )?error: ' <<<"$output")
  if [ "$errors" -ne 1 ] || ! grep -qE 'error: .*midend needs C\+\+20: compile with -std=c\+\+20' <<<"$output"; then
    printf '%s: %s errors\n%s\n' "$header" "$errors" "$output"
    status=1
  fi
done
echo "$# headers"
exit $status
