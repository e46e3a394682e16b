#!/usr/bin/env bash
# translation_test.sh BIN SOURCE_DIR: what llvm_to_eir writes for instructions.ll, and what it refuses; with clang-19, that all
# of numeric_kernels.c translates and goes through the loop package; then the checks of translated_programs.sh on small modules.
set -u
bin=$1 here=$2/tests/llvm_to_eir status=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$bin/llvm_to_eir" --refused "$here/instructions.ll" >"$work/out" 2>"$work/err" || status=1
diff "$here/instructions.eir" "$work/out" || status=1
diff "$here/instructions.refused" "$work/err" || status=1
"$bin/llvm_to_eir" --no-such-option >/dev/null 2>&1
[ $? -eq 2 ] || { echo "FAILED: an option that there is not"; status=1; }
"$bin/llvm_to_eir" "$here/instructions.eir" >/dev/null 2>&1
[ $? -eq 2 ] || { echo "FAILED: a file that is not LLVM's"; status=1; }
kernels=()
if command -v clang-19 >/dev/null; then
  clang-19 -O1 -fno-vectorize -fno-slp-vectorize -emit-llvm -c "$here/numeric_kernels.c" -o "$work/numeric_kernels.bc" &&
    "$bin/llvm_to_eir" "$work/numeric_kernels.bc" >"$work/kernels.eir" 2>"$work/err" &&
    grep -qx '11 of 11 functions translate' "$work/err" || { echo "FAILED: numeric kernels: $(head -n 3 "$work/err")"; status=1; }
  "$bin/midend" opt "$work/kernels.eir" --passes=loop-package --verify-each -o "$work/after.eir" &&
    "$bin/midend_compare_runs" "$work/kernels.eir" "$work/after.eir" 20 || { echo "FAILED: numeric kernels, loop-package"; status=1; }
  kernels=("$work/numeric_kernels.bc")
fi
bash "$here/translated_programs.sh" "$bin" 10 "$here/instructions.ll" "$2"/tests/data/llvm/*.ll "${kernels[@]}" || status=1
exit $status
