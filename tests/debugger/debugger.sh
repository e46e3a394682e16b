#!/usr/bin/env bash
# debugger.sh SOURCE_DIR COMPILER: gdb with tools/gdb/midend_gdb.py shows what objects mean. Exit status 77 without gdb.
set -u
source=$1 compiler=$2
if ! command -v gdb >/dev/null || ! gdb -nx -batch -ex 'python print("py")' 2>/dev/null | grep -q '^py$'; then
  echo "SKIP: there is no gdb with Python"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$compiler" -std=c++20 -g -O0 -I"$source/include" "$source/tests/debugger/debugged.cpp" -o "$work/debugged" || exit 1
{
  echo "source $source/tools/gdb/midend_gdb.py"
  printf '%s\n' 'set print pretty off' 'set width 0' 'set confirm off' 'set startup-with-shell off' 'set disable-randomization off' \
    'break look_here' run up
  for object in graph tree loops nesting small large matrix array half some none procedure; do
    printf 'echo @ %s:\noutput %s\necho \\n\n' "$object" "$object"
  done
} >"$work/commands"
gdb -nx -batch -x "$work/commands" "$work/debugged" >"$work/out" 2>&1 </dev/null
grep '^@ ' "$work/out" | sed 's/"//g' >"$work/seen"
cat >"$work/expected" <<'TEXT'
@ graph:5 nodes, 5 edges, entry 0 = {[0] = -> 1, [1] = -> 2 3, [2] = -> 2 1, [3] = -> nothing, [4] = -> nothing}
@ tree:dominators of 5 nodes, 4 reachable = {[0] = the root, [1] =   below 0, [2] =     below 1, [3] =     below 1}
@ loops:2 natural loops of 5 nodes = {[0] = header 1, blocks 1 2, latches 2, [1] =   header 2, blocks 2, latches 2}
@ nesting:2 natural loops of 5 nodes = {[0] = header 1, blocks 1 2, [1] =   header 2, blocks 2}
@ small:{3, 9} of 10
@ large:{0, 64, 199} of 200
@ matrix:2 rows of 70 bits = {[0] = {} of 70, [1] = {69} of 70}
@ array:3 elements = {7, 7, 7}
@ half:1/2
@ some:5
@ none:nothing
@ procedure:@f, 2 nodes = {entry = %y = add.i32 %x, 41; jump -> last, last = ret %y}
TEXT
if [ ! -s "$work/seen" ] && grep -qi 'ptrace\|not permitted' "$work/out"; then
  echo "SKIP: gdb may not run programs here: $(grep -im1 'ptrace\|not permitted' "$work/out")"
  exit 77
fi
diff "$work/expected" "$work/seen" && echo "$(wc -l <"$work/seen") objects" || { head -n 20 "$work/out"; exit 1; }
