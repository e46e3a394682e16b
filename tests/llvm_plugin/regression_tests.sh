#!/usr/bin/env bash
# regression_tests.sh DIR PLUGIN [LOG]: LLVM's own regression tests as inputs. Each .ll file below DIR goes through each
# pass of the plugin, with its certificate and LLVM's verifier after each, and through midend-compare, with a limit of
# time and memory for each run. Crashes, timeouts, rejected certificates, invalid functions and disagreements are listed
# and counted. Files that LLVM 19 itself cannot read or verify are skipped and counted. The exit status is 1 if a run
# failed. LOG gets all lines, those of skipped files too.
#
# DIR is llvm/test or a folder of it, from Debian's source package:
#
#     apt-get source --download-only llvm-toolchain-19
#     tar -xJf llvm-toolchain-19_*.orig.tar.xz --wildcards '*/llvm/test/Transforms/*' '*/llvm/test/Analysis/*'
#
# MIDEND_SECONDS and MIDEND_MEGABYTES change the limits (20, 4000), CTEST_PARALLEL_LEVEL the number of processes, and
# MIDEND_PIPELINES what is run (separated by semicolons). tests/run.sh --thorough runs this if MIDEND_LLVM_TESTS names DIR.
set -u
[ $# -ge 2 ] || {
  sed -n '2,/^set -u/{/^#/s/^# \{0,1\}//p}' "$0"
  exit 2
}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
directory=$1 plugin=$(realpath "$2") jobs=${CTEST_PARALLEL_LEVEL:-$(nproc)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=${3-$work/log}
unset MIDEND_AT
passes=(midend-simplify-loops midend-close-loops midend-rotate midend-fix-irreducible midend-clean-control midend-dce
  midend-sccp midend-vn midend-split-critical-edges midend-unify-exits midend-propagate-copies midend-hoist-invariants
  midend-low-level midend-clean-up midend-unroll 'midend-unroll<factor=3>' midend-assert-trips midend-peel midend-unswitch
  midend-split-index midend-split-by-condition midend-collapse midend-interchange)
all=$(IFS=,; echo "${passes[*]}")
pipelines="function(midend-compare<quiet>)"
for pass in "${passes[@]}"; do
  pipelines="$pipelines;function($pass,midend-compare<quiet>)"
done
pipelines=${MIDEND_PIPELINES-"$pipelines;function($all,midend-compare<quiet>)"}
llvm-config-19 --version >/dev/null || exit 2
"${CXX:-c++}" -std=c++20 -O1 -isystem "$(llvm-config-19 --includedir)" "$here/each_pass.cpp" -o "$work/each_pass" \
  "-L$(llvm-config-19 --libdir)" "-Wl,-rpath,$(llvm-config-19 --libdir)" "$(llvm-config-19 --libs --link-shared)" -rdynamic || exit 2
find "$directory" -name '*.ll' -print0 | sort -z |
  xargs -0 -n 50 -P "$jobs" "$work/each_pass" "$plugin" "${MIDEND_MEGABYTES-4000}" "${MIDEND_SECONDS-20}" "$pipelines" >"$log"
[ -s "$log" ] || {
  echo "no .ll file below $directory"
  exit 2
}
grep -v '^modules \|^skipped ' "$log" | sort
awk '/^modules / { m += $2; s += $4; r += $6; f += $8 } END { print m " modules, " s " skipped, " r " runs, " f " failed" }' "$log"
for kind in crash timeout rejected invalid disagrees; do
  echo "$kind: $(grep -c "^$kind " "$log")"
done
! grep -qE '^(crash|timeout|rejected|invalid|disagrees) ' "$log"
