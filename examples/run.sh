#!/usr/bin/env bash
# run.sh [--no-setup] [FILE.cfg[.gz] [FUNCTION]]: on a bare Debian 12, installs what is missing, builds the midend tool,
# analyses every function of sqlite3 (or of FILE), draws one of them with its loops, and says how to unroll a loop.
#
# MIDEND_JOBS=N: so many compilers at a time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

file=tests/data/corpus/sqlite3-O0.cfg.gz function=
setup=1
while [ $# -gt 0 ]; do
  case $1 in
    --no-setup) setup=0 ;;
    -*)
      sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "$0"
      [ "$1" = --help ] && exit 0
      exit 2
      ;;
    *) if [ "${file_given-}" ]; then function=$1; else file=$1 file_given=1; fi ;;
  esac
  shift
done

if [ $setup -eq 1 ]; then
  bash .ci/setup.sh tool
fi

echo "building the tool (build/release/bin/midend)"
mkdir -p build
if ! {
  cmake --preset release -DMIDEND_BUILD_TESTS=OFF -DMIDEND_BUILD_BENCHMARKS=OFF &&
    cmake --build --preset release --target midend -j "${MIDEND_JOBS:-$(nproc)}"
} >build/example.log 2>&1; then
  cat build/example.log
  exit 1
fi
tool=build/release/bin/midend
pictures=build/pictures
mkdir -p "$pictures"

echo
echo "\$ midend cfg --only=idom,scc,loop --stats $file > build/answers.txt"
"$tool" cfg --only=idom,scc,loop --stats "$file" >build/answers.txt

# The picture: a function with nested loops that fits a page.
if [ -z "$function" ]; then
  function=$(awk '
    $1 == "function" { name = $2; depth = 0; loops = 0 }
    $1 == "idom" { blocks = NF - 1 }
    $1 == "loop" { loops++; if ($4 > depth) depth = $4 }
    $1 == "end" && blocks <= 36 && blocks >= 12 {
      score = 100 * depth + 10 * loops - blocks
      if (score > best) { best = score; chosen = name }
    }
    END { print chosen }' build/answers.txt)
fi
if [ -z "$function" ]; then
  echo "no function with 12 to 36 blocks, no picture"
  exit 0
fi

echo
echo "\$ midend cfg --only=loop --function=$function --dot=$pictures $file"
rm -f "$pictures"/*.dot
"$tool" cfg --only=loop --function="$function" --dot="$pictures" "$file"
echo
for dot in "$pictures"/*.dot; do
  if command -v dot >/dev/null; then
    dot -Tsvg "$dot" -o "${dot%.dot}.svg"
    dot -Tpng "$dot" -o "${dot%.dot}.png"
    echo "picture: ${dot%.dot}.svg and .png (from $dot)"
  else
    echo "picture: $dot (Graphviz is not installed: render it elsewhere)"
  fi
done
echo "answers: build/answers.txt"

# A program: as it is written, in SSA form, and run.
program=examples/programs/dataflow.eir
echo
echo "\$ midend opt $program --procedure=always_one --passes=construct-ssa --verify-each -o build/always_one.eir"
"$tool" opt "$program" --procedure=always_one --passes=construct-ssa --verify-each -o build/always_one.eir
sed -n '/^proc @always_one(/,/^}/p' build/always_one.eir
echo
echo "\$ midend run build/always_one.eir @always_one 10"
"$tool" run build/always_one.eir @always_one 10

# A transformation: each change, and the certificate is checked.
program=examples/programs/loops.eir
echo
echo "\$ midend opt $program --procedure=do_while --passes=construct-ssa,close-loops --verify-each --print-changes"
"$tool" opt "$program" --procedure=do_while --passes=construct-ssa,close-loops --verify-each --print-changes

# How to unroll a loop, and why.
program=examples/programs/unrolling.eir
chart=$pictures/quarters_and_sixteenths.svg
echo
echo "\$ midend unroll $program --procedure=quarters_and_sixteenths --chart=$chart"
"$tool" unroll "$program" --procedure=quarters_and_sixteenths --chart="$chart"
echo "picture: $chart"
