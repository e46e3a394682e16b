#!/usr/bin/env bash
# same_answers.sh TOOL HERE [EMULATOR...]: the midend tool of another machine or standard library, run by EMULATOR, gives
# byte for byte the answers of HERE, the tool built for this machine: over the corpus, and over the example programs.
# With MIDEND_QUICK=1, over the smallest file of the corpus only.
set -u
tool=$1 here=$2
shift 2
emulator=("$@")
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
corpus=tests/data/corpus
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compared=0 differing=0

# same ARGUMENT...: standard output, the files written to $work/out, and the exit status. Messages go to standard error.
checksum() {
  local status
  rm -rf "$work/out" && mkdir "$work/out"
  "$@" >"$work/out/stdout" 2>"$work/out/stderr"
  status=$?
  (cd "$work/out" && find . -type f | sort | xargs sha256sum | sha256sum | cut -c 1-16)
  echo "exit status $status"
}
same() {
  local expected found
  expected=$(checksum "$here" "$@") found=$(checksum ${emulator[@]+"${emulator[@]}"} "$tool" "$@")
  compared=$((compared + 1))
  if [ "$expected" != "$found" ]; then
    differing=$((differing + 1))
    echo "differs: midend $*"
    diff <(echo "$expected") <(echo "$found")
  fi
}

sets=(lua5.4-O0 irreducible sqlite3-O2 sqlite3-O0)
[ "${MIDEND_QUICK-0}" = 0 ] || sets=(lua5.4-O0)
for set in "${sets[@]}"; do
  same cfg "$corpus/$set.cfg.gz" "--roots-from=$corpus/$set.expect.gz"
  same cfg "$corpus/$set.cfg.gz" --dominators=lengauer_tarjan --roots=exits_only
done
for program in examples/programs/*.eir; do
  same unroll "$program"
  same unroll "$program" --json
  same opt "$program" -o "$work/out/opt.eir" "--dot=$work/out"
  same opt "$program" --passes=sccp --print=sccp
done
for machine in examples/machines/*; do
  same unroll examples/programs/loops.eir "--machine=$machine"
done
same run examples/programs/arithmetic.eir @no_such_procedure
same cfg /nowhere/x.cfg
echo "$compared runs compared, $differing differ"
[ "$differing" -eq 0 ]
