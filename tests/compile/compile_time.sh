#!/usr/bin/env bash
# compile_time.sh [COMPILER [RUNS]]: what including midend costs, next to the peers that are installed: the best of RUNS
# processor times of a translation unit that includes nothing else, and its lines of preprocessed text. A measurement,
# not a test: run it on an idle machine.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
compiler=${1-g++} runs=${2-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%U %S'

measure() { # NAME HEADERS [FLAG...]
  local name=$1 headers=$2 header best= seconds lines
  shift 2
  for header in $headers; do printf '#include "%s"\n' "$header"; done >"$work/unit.cpp"
  if ! "$compiler" -std=c++20 -E -P -Iinclude "$@" "$work/unit.cpp" >"$work/text" 2>/dev/null; then
    printf '%-44s not here\n' "$name"
    return
  fi
  lines=$(wc -l <"$work/text")
  for _ in $(seq "$runs"); do
    seconds=$({ time "$compiler" -std=c++20 -O2 -c -Iinclude "$@" "$work/unit.cpp" -o "$work/unit.o" >/dev/null 2>&1; } 2>&1 |
      awk '{ printf "%.3f", $1 + $2 }')
    if [ -z "$best" ] || awk "BEGIN { exit !($seconds < $best) }"; then best=$seconds; fi
  done
  printf '%-44s %6.3f s %8d lines\n' "$name" "$best" "$lines"
}

folder() { find "include/midend/$1" -maxdepth 1 -name '*.hpp' | sed 's|^include/||' | sort; }

"$compiler" --version | head -n 1
for name in graph dominance loops; do
  measure "midend/$name/*.hpp" "$(folder $name)"
done
measure "midend/midend.hpp" midend/midend.hpp
measure "boost/graph/dominator_tree.hpp" "boost/graph/adjacency_list.hpp boost/graph/dominator_tree.hpp"
measure "llvm/Support/GenericDomTreeConstruction.h" llvm/Support/GenericDomTreeConstruction.h \
  -isystem "$(llvm-config-19 --includedir 2>/dev/null || echo /nowhere)"
