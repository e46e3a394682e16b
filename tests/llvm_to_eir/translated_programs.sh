#!/usr/bin/env bash
# translated_programs.sh BIN RUNS FILE.bc|FILE.ll...: translates the functions of modules with BIN/llvm_to_eir, and checks
#
#   - that each translates or is refused with a reason, and that the verifier accepts it;
#   - with each of midend's passes, and all in sequence: the verifier and the certificates (midend opt --verify-each), and
#     runs before and after on RUNS random inputs each;
#   - with clang-19: the functions without calls in the interpreter against their machine code.
#
# Local variables of modules at -O0 should be values (opt-19 -passes=mem2reg).
set -u
[ $# -ge 3 ] || {
  sed -n '2,/^set -u/{/^#/s/^# \{0,1\}//p}' "$0"
  exit 2
}
bin=$(realpath "$1") runs=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
pass() { echo "passed: $1"; passed=$((passed + 1)); }
fail() { echo "FAILED: $1"; failed=$((failed + 1)); }

sequence=low-level-package,sccp:product,clean-control,simplify-loops,rotate,hoist-invariants,unroll:2,value-numbering:strided
sequence=$sequence,memory-redundancy,low-level-package,clean-control,dce
lists=(low-level-package memory-redundancy sccp:product value-numbering:product fix-irreducible,simplify-loops,close-loops
  rotate,unify-exits unroll:3 unroll,clean-up peel,hoist-invariants dce,clean-control,propagate-copies,memory-redundancy "$sequence")

# check_passes NAME: $work/{types,sites}.eir.
check_passes() {
  local list done
  for list in "${lists[@]}"; do
    if ! "$bin/midend" opt "$work/types.eir" "--passes=$list" --verify-each -o "$work/after.eir" >"$work/log" 2>&1; then
      fail "$1, $list: $(head -n 1 "$work/log")"
    elif ! "$bin/midend" opt "$work/sites.eir" "--passes=$list" --verify-each -o "$work/after.eir" >"$work/log" 2>&1; then
      fail "$1, $list, classes by variable: $(head -n 1 "$work/log")"
    elif done=$("$bin/midend_compare_runs" "$work/sites.eir" "$work/after.eir" "$runs"); then
      pass "$1, $list: $(tail -n 1 <<<"$done")"
    else
      fail "$1, $list: $(head -n 3 <<<"$done")"
    fi
  done
}

# check_code NAME MODULE
check_code() {
  local done status
  command -v clang-19 >/dev/null || { echo "skipped: $1, no clang-19, no machine code"; return; }
  if ! "$bin/midend_native_module" "$2" "$work/native.bc" >"$work/log" 2>&1 ||
    ! clang-19 -w -O0 -shared -fPIC "$work/native.bc" -o "$work/native.so" >"$work/log" 2>&1 ||
    ! "$bin/llvm_to_eir" --alias=sites --leaf "$2" >"$work/leaf.eir" 2>"$work/log"; then
    fail "$1, machine code: $(head -n 3 "$work/log")"
    return
  fi
  done=$("$bin/midend_compare_runs" --native "$work/native.so" "$work/leaf.eir" $((10 * runs)))
  status=$?
  case $status in
  0) pass "$1, machine code: $(tail -n 1 <<<"$done")" ;;
  77) echo "skipped: $1, no memory at the addresses of the interpreter" ;;
  *) fail "$1, machine code: $(head -n 5 <<<"$done")" ;;
  esac
}

for module in "$@"; do
  name=$(basename "$module")
  if "$bin/llvm_to_eir" "$module" >"$work/types.eir" 2>"$work/log" &&
    "$bin/llvm_to_eir" --alias=sites "$module" >"$work/sites.eir" 2>/dev/null; then
    pass "$name: $(grep ' translate$' "$work/log")"
    check_passes "$name"
    check_code "$name" "$module"
  else
    fail "$name: $(head -n 3 "$work/log")"
  fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
