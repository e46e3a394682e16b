#!/usr/bin/env bash
# translation_test.sh BIN SOURCE_DIR: what llvm_to_eir writes for instructions.ll, and what it refuses; then the checks of
# translated_programs.sh on small modules.
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
bash "$here/translated_programs.sh" "$bin" 10 "$here/instructions.ll" "$2"/tests/data/llvm/*.ll || status=1
exit $status
