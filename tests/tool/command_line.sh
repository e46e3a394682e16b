#!/usr/bin/env bash
# command_line.sh TOOL CORPUS_DIR: exit statuses and messages of the tool.
set -u
tool=$1 corpus=$2
[ -x "$tool" ] || { echo "$tool is not built"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# expect STATUS OUT_REGEX ERR_REGEX ARGUMENT...   (an empty regular expression: that stream stays empty)
expect() {
  local status=$1 out=$2 err=$3 got problem=
  shift 3
  "$tool" "$@" >"$work/out" 2>"$work/err" </dev/null
  got=$?
  [ "$got" -eq "$status" ] || problem="exit status $got, expected $status"
  if [ -z "$out" ]; then [ ! -s "$work/out" ] || problem+="; standard output is not empty"
  else grep -qE -- "$out" "$work/out" || problem+="; standard output lacks /$out/"; fi
  if [ -z "$err" ]; then [ ! -s "$work/err" ] || problem+="; standard error is not empty"
  else grep -qE -- "$err" "$work/err" || problem+="; standard error lacks /$err/"; fi
  if [ -n "$problem" ]; then
    failed=$((failed + 1))
    echo "midend $*: ${problem#; }"
    sed 's/^/  out: /' "$work/out" | head -5
    sed 's/^/  err: /' "$work/err" | head -5
  fi
}

lua=$corpus/lua5.4-O0.cfg.gz
name=$(gzip -dc "$lua" | awk '/^function/ {print $2; exit}')
printf 'function f\nblocks 2\nsucc 0 1\nsucc 1 0\nend\n' >"$work/loop.cfg"
printf 'function f\nblocks 2\nsucc 0 7\nsucc 1\nend\n' >"$work/range.cfg"
printf 'function f\nblocks 2\nsucc 0 1\n' >"$work/short.cfg"
printf 'function f\nblocks 2\nsucc 0 x\nsucc 1\nend\n' >"$work/word.cfg"
gzip -dc "$lua" | head -c 20000 | gzip -c | head -c 2000 >"$work/cut.cfg.gz"

expect 0 '.' '' --help
expect 0 '.' '' cfg --help
expect 2 '' '.'
expect 2 '' '.' cfg
expect 2 '' '.' cfg --no-such-option "$work/loop.cfg"
expect 2 '' "unknown command 'no-such-command'" no-such-command
expect 2 '' "unknown option '--no-such-option'" --no-such-option
expect 2 '' '.' cfg --dominators=no_such_algorithm "$work/loop.cfg"
expect 2 '' '.' cfg --only=no_such_kind "$work/loop.cfg"
expect 0 '^idom -1 0$' '' cfg --only=idom "$work/loop.cfg"
expect 0 '^loop 0 -1 1 : 0 1 ; latches 1 ; preheader -1 ; exiting ; exits$' '' cfg --only=loop "$work/loop.cfg"
expect 0 '^scc ([0-9]+) \1$' '' cfg --only=scc "$work/loop.cfg"
expect 0 "^function $name\$" '' cfg --only=idom --function="$name" "$lua"
expect 1 '' '.' cfg --only=idom --function=no_such_function "$lua"
expect 0 "^function $name\$" "" cfg --function="$name" "$lua" --only=idom
expect 1 '' 'nowhere\.cfg' cfg --only=idom "$work/nowhere.cfg"
expect 1 '' 'range\.cfg:3:[0-9]+: ' cfg --only=idom "$work/range.cfg"
expect 1 '' 'short\.cfg:[0-9]+' cfg --only=idom "$work/short.cfg"
expect 1 '' 'word\.cfg:3:[0-9]+: ' cfg --only=idom "$work/word.cfg"
expect 1 '' 'cut\.cfg\.gz' cfg --only=idom "$work/cut.cfg.gz"

"$tool" cfg --only=loop --function="$name" --dot="$work/dot" "$lua" >"$work/out" 2>"$work/err" || failed=$((failed + 1))
if ! grep -qs digraph "$work"/dot/*; then
  echo "--dot=DIR wrote no picture"
  failed=$((failed + 1))
fi
[ "$failed" -eq 0 ]
