#!/usr/bin/env bash
# compile_time.sh [--runs=N] [--include=DIR] [--rows=REGEX] [COMPILER...]: what midend costs in compile time, beside the
# peers that are installed. One table: a row for a unit that does nothing but include (each folder's headers, the
# umbrella, peers) or for a user's file; for each compiler (default: g++ and clang++-19) the best of N (3) processor
# times, user and system, at -O2, the same as a share of boost/graph/dominator_tree.hpp alone, and, where `perf` is
# there, billions of instructions in user mode, which do not depend on what else the machine does. A measurement, not a
# test.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
runs=3 include=include rows=. compilers=()
for argument in "$@"; do
  case $argument in
    --runs=*) runs=${argument#--runs=} ;;
    --include=*) include=${argument#--include=} ;;
    --rows=*) rows=${argument#--rows=} ;;
    -*) sed -n '2,7s/^# //p' "$0" && exit 2 ;;
    *) compilers+=("$argument") ;;
  esac
done
if [ ${#compilers[@]} -eq 0 ]; then
  for compiler in g++ clang++-19; do
    ! command -v "$compiler" >/dev/null || compilers+=("$compiler")
  done
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%U %S'
perf=
if perf stat -x, -e instructions:u true 2>&1 | grep -q "^[0-9]"; then perf=1; fi

compile() { # COMPILER FILE [FLAG...]
  local compiler=$1 file=$2
  shift 2
  "$compiler" -std=c++20 -O2 -c -I"$include" "$@" "$file" -o "$work/unit.o" >"$work/log" 2>&1
}

best_time() {
  local best=
  for _ in $(seq "$runs"); do
    best=$({ time compile "$@"; } 2>&1 | awk -v best="$best" '{ s = $1 + $2; print best == "" || s < best ? s : best }')
  done
  echo "$best"
}

instructions() {
  perf stat -x, -e instructions:u -o "$work/perf" -- "$1" -std=c++20 -O2 -c -I"$include" "${@:3}" "$2" -o "$work/unit.o" \
    >/dev/null 2>&1
  awk -F, '/instructions/ { printf "%.2f", $1 / 1e9 }' "$work/perf"
}

declare -A boost
row() { # NAME FILE [FLAG...]
  local name=$1 file=$2 compiler seconds
  shift 2
  grep -qE "$rows|^$reference\$" <<<"$name" || return 0
  printf '| %-42s |' "$name"
  for compiler in "${compilers[@]}"; do
    if ! compile "$compiler" "$file" "$@"; then
      printf '  not here |      | %s' "${perf:+       |}"
      continue
    fi
    seconds=$(best_time "$compiler" "$file" "$@")
    [ "$name" != "$reference" ] || boost[$compiler]=$seconds
    printf ' %7.2f s | %4s | ' "$seconds" "$(awk "BEGIN { b = ${boost[$compiler]-0}; if (b) printf \"%.2f\", $seconds / b }")"
    [ -z "$perf" ] || printf '%6s |' "$(instructions "$compiler" "$file" "$@")"
  done
  printf '\n'
}

headers() { # NAME HEADERS [FLAG...]
  local name=$1 header
  for header in $2; do printf '#include <%s>\n' "$header"; done >"$work/unit.cpp"
  row "$name" "$work/unit.cpp" "${@:3}"
}

folder() { find "$include/midend/$1" -name '*.hpp' -not -path '*/detail/*' | sed "s|^$include/||" | sort; }

"${compilers[0]}" --version | head -n 1
printf '| %-42s |' "unit"
for compiler in "${compilers[@]}"; do printf ' %9s |      | %s' "$compiler" "${perf:+     G |}"; done
printf '\n|---|'
for compiler in "${compilers[@]}"; do printf -- '---:|---:|%s' "${perf:+---:|}"; done
printf '\n'
llvm=(-isystem "$(llvm-config-19 --includedir 2>/dev/null || echo /nowhere)")
reference=boost/graph/dominator_tree.hpp
headers "$reference" "$reference"
headers "boost adjacency_list and dominator_tree" "boost/graph/adjacency_list.hpp boost/graph/dominator_tree.hpp"
headers "nlohmann/json.hpp" nlohmann/json.hpp
headers "llvm/Support/GenericDomTreeConstruction.h" llvm/Support/GenericDomTreeConstruction.h "${llvm[@]}"
headers "llvm/Analysis/LoopInfo.h" llvm/Analysis/LoopInfo.h "${llvm[@]}"
headers "vector, span, optional, algorithm" "vector span optional algorithm"
headers "midend/midend.hpp" midend/midend.hpp
headers "midend/dominance/dominators.hpp" midend/dominance/dominators.hpp
headers "midend/loops/natural_loops.hpp" midend/loops/natural_loops.hpp
headers "midend/dataflow/solve.hpp" midend/dataflow/solve.hpp
headers "midend/ssa/sccp.hpp" midend/ssa/sccp.hpp
headers "midend/unrolling/advise_unrolling.hpp" midend/unrolling/advise_unrolling.hpp
folders=$(find "$include/midend" -mindepth 1 -maxdepth 1 -type d -not -name adapters -printf '%f\n' | sort)
for name in $folders; do
  headers "midend/$name/" "$(folder $name)"
done
for file in graphs dominance liveness first_steps sccp unrolling_advice elbrus_program; do
  row "examples/$file.cpp" examples/$file.cpp
done
