#!/usr/bin/env bash
# plugin_test.sh PLUGIN GCC GXX: compiles small files with the plugin. All answers are those of GCC, the assembly is the
# same as without the plugin, remarks are there, and a comparison with a wrong graph fails.
set -u
plugin=$(realpath "$1") gcc=$2 gxx=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
passed=0 failed=0
check() { # NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$work/output" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $name"
    head -n 20 "$work/output" "$work/log"
  fi
}
compile() { # COMPILER FILE OPTION...
  timeout 120 "$1" -w "-fplugin=$plugin" -S "$here/$2" -o "$work/with.s" "${@:3}" 2>"$work/log"
}
says() { grep -qE -- "$1" "$work/log"; }
count() { grep -oE -- "$1" "$work/log" | head -n 1 | cut -d ' ' -f 1; }

same_assembly() { # COMPILER FILE OPTION...
  timeout 120 "$1" -w -S "$here/$2" -o "$work/without.s" "${@:3}" && cmp <(code "$work/with.s") <(code "$work/without.s")
}
code() { # all but the section in which -flto notes the options: GCC adds its own for a plugin
  awk '/^\t\.(section|text|data|bss)/ { skip = /gnu\.lto_\.opts/ } !skip' "$1"
}
for options in -O0 -O1 -O2 '-O3 -g -gno-record-gcc-switches' '-O2 -fno-strict-overflow' '-O1 -fnon-call-exceptions -ftrapv' \
  '-O2 -flto -ffat-lto-objects -frandom-seed=1'; do
  for file in flow.c extensions.c exceptions.cpp; do
    compiler=$gcc
    [ $file != exceptions.cpp ] || compiler=$gxx
    check "$file with $options" compile "$compiler" $file $options
    check "$file with $options: no difference" says '^midend: .*: 0 answers differ from GCC'\''s$'
    check "$file with $options: the view is right" says '^midend: .* 0 views wrong$'
    check "$file with $options: the same assembly" same_assembly "$compiler" $file $options
    [ $file = flow.c ] || continue
    check "$file with $options: each function twice" [ "$(count '[0-9]+ functions')" -eq 22 ]
    check "$file with $options: loops" [ "$(count '[0-9]+ loops')" -ge 14 ]
  done
done

: >"$work/empty.c"
check 'a file without functions' eval 'timeout 120 "$gcc" "-fplugin=$plugin" -S "$work/empty.c" -o "$work/with.s" 2>"$work/log"'
check 'a file without functions: nothing is counted' says '^midend: 0 functions, .*: 0 answers differ'

# Loops whose header is entered by abnormal edges are none to GCC.
check 'abnormal loops' compile "$gcc" flow.c -O0
check 'setjmp: GCC has no loop there' [ "$(count '[0-9]+ abnormal ones')" -ge 2 ]
check 'endless regions: GCC chose roots' [ "$(count '[0-9]+ endless regions')" -ge 4 ]

# Remarks at the lines that have a comment.
remarks() { # OPTION...
  compile "$gcc" flow.c -fplugin-arg-midend-constants "$@" || return
  local line text expected=0
  while IFS=: read -r line text; do
    text=${text##*// }
    case $text in
    'this branch'* | 'this code'* | 'is '*)
      expected=$((expected + 1))
      grep -qE "flow\.c:$line:[0-9]+: note: midend: .*$text" "$work/log" || { echo "line $line: no remark: $text"; return 1; }
      ;;
    esac
  done < <(grep -n '// ' "$here/flow.c")
  [ $expected -eq 4 ]
}
for level in 0 1; do
  check "remarks with -O$level" remarks -O$level
done
check 'no remarks that nobody asked for' eval 'compile "$gcc" flow.c -O1 && ! says "note: midend"'
check 'live values' eval 'compile "$gcc" flow.c -O1 -fplugin-arg-midend-live && says "at most [1-9][0-9]* values are live"'
check 'advice' compile "$gcc" flow.c -O1 -fplugin-arg-midend-advise
check 'advice: a loop of 10 iterations' says 'flow\.c:15:.*11 header executions, 10 backedges taken'
check 'advice: which is unrolled' says 'decision    unrolled completely, 10 copies and no loop'
check 'advice: a loop whose trips are computed' says 'flow\.c:7:.*computable before the loop'
check 'advice at the end, for e2k' compile "$gcc" flow.c -O2 -fplugin-arg-midend-advise -fplugin-arg-midend-at=end \
  -fplugin-arg-midend-machine=e2k
check 'advice at the end: loops' says 'of [1-9][0-9]* innermost loops would be unrolled'

# A comparison that cannot fail would show nothing.
fails() { ! compile "$@"; }
check 'a wrong graph fails' fails "$gcc" flow.c -O1 -fplugin-arg-midend-perturb
check 'a wrong graph: other dominators' says 'immediate dominator differs at <bb'
check 'a wrong graph: other post-dominators' says 'immediate post-dominator differs at <bb'
check 'a wrong graph: other loops' says 'number of loops differs|innermost loop differs'
check 'a wrong graph is an error' says 'error: midend and GCC disagree'
check 'unknown arguments are errors' fails "$gcc" flow.c -fplugin-arg-midend-unrol
check 'unknown arguments: what there is' says 'unknown argument .unrol.; there are constants, live, advise'

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
