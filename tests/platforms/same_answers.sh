#!/usr/bin/env bash
# same_answers.sh TOOL HERE [EMULATOR]: the midend tool of another machine or standard library, run by EMULATOR, gives
# byte for byte the answers of HERE, the tool built for this machine: over the corpus, and over the example programs.
set -u
tool=$(realpath "$1") here=$(realpath "$2") emulator=${3-}
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
corpus=tests/data/corpus
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compared=0 differing=0

# What a run prints and writes to $work/out, and how it ends.
result() {
  rm -rf "$work/out" && mkdir "$work/out"
  "$@" >"$work/out/stdout" 2>"$work/out/stderr"
  echo "exit status $?"
  (cd "$work/out" && find . -type f | sort | xargs sha256sum)
}
# same STATUS ARGUMENT...
same() {
  local status=$1 expected found
  shift
  expected=$(result "$here" "$@") found=$(result $emulator "$tool" "$@")
  compared=$((compared + 1))
  if [ "$expected" != "$found" ] || [ "${expected%%$'\n'*}" != "exit status $status" ]; then
    differing=$((differing + 1))
    echo "differs, or is not exit status $status: midend $*"
    diff <(echo "$expected") <(echo "$found")
  fi
}

for set in lua5.4-O0 irreducible sqlite3-O2 sqlite3-O0; do
  same 0 cfg "$corpus/$set.cfg.gz" "--roots-from=$corpus/$set.expect.gz"
  same 0 cfg "$corpus/$set.cfg.gz" --dominators=lengauer_tarjan --roots=exits_only
done
for program in examples/programs/*.eir; do
  same 0 unroll "$program"
  same 0 unroll "$program" --json
  same 0 opt "$program" -o "$work/out/opt.eir" "--dot=$work/out/dot"
  same 0 opt "$program" --passes=sccp --print=loops,liveness -o "$work/out/opt.eir"
  while IFS= read -r line; do
    read -ra arguments <<<"${line%% => *}"
    [[ $line = *trap* ]] || same 0 run "$program" "${arguments[@]}"
  done < <(sed -n 's/^# run: //p' "$program")
done
for machine in examples/machines/*; do
  same 0 unroll examples/programs/loops.eir "--machine=$machine"
done
same 1 run examples/programs/arithmetic.eir @no_such_procedure
same 1 cfg /nowhere/x.cfg
echo "$compared runs compared, $differing differ"
[ "$differing" -eq 0 ]
