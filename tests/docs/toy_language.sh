#!/usr/bin/env bash
# toy_language.sh SOURCE CXX: mistakes in a source of docs/tutorial.md are found, with their line, and none overflows the stack.
set -u
source=$1 cxx=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/main.cpp" <<'end'
#include "lower.hpp"
#include "view.hpp"

#include <midend/ssa/check_ir.hpp>

#include <iostream>
#include <iterator>

int main() {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  const code c = compiled(parser(text.c_str()).read());
  return midend::check_ir(view{c}) ? 2 : 0;
}
end
"$cxx" -std=c++20 "-I$source/include" "-I$source/examples/toy_compiler" "$work/main.cpp" -o "$work/toy" || exit 1
passed=0 failed=0
expect() { # STATUS START_OF_MESSAGE, and the source as input
  local status
  timeout 20 "$work/toy" 2>"$work/log" >"$work/output"
  status=$?
  if [ $status -eq "$1" ] && [[ $(cat "$work/log") = "$2"* ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: status $status, not $1: $(cat "$work/log"), not: $2"
  fi
}
many() { printf "%0.s$1" $(seq "$2"); }

expect 1 'line 1: expected a word' </dev/null
expect 1 'line 2: expected a word' <<<'f('
expect 1 'line 3: expected ; before: }' <<<$'f(a) {\n b = a;\n return b }'
expect 1 'line 1: expected the end' <<<'f() { return 1; } g'
expect 1 'line 1: expected a comparison' <<<'f(a) { if a { b = 1; } return b; }'
expect 1 'line 1: expected { before: < 2' <<<'f(a) { if a < 1 < 2 { b = 1; } return b; }'
expect 1 'line 1: expected the end of a number' <<<'f() { return 4294967296; }'
expect 1 'line 1: expected the end of a number' <<<'f() { return 12ab; }'
expect 1 'line 1: expected [ before: ;' <<<'f(x[]) { return x; }'
expect 1 'line 1: expected ; before: [0]' <<<'f(n) { return n[0]; }'
expect 1 'line 1: expected a variable' <<<'f(x[]) { x = 1; return 1; }'
expect 1 'line 1: expected another name' <<<'f(x[], x) { return 1; }'
expect 0 '' <<<'f() { while 1 < 2 { } return 4294967295; }'
expect 0 '' <<<"f(a) { return $(many '(' 990)a$(many ')' 990); }"
expect 0 '' <<<"f(a) { return $(many 'a+' 990)a; }"
expect 0 '' <<<"f(a) { $(many 'if a<1{' 990) a = a + 1; $(many '}' 990) return a; }"
expect 1 'line 1: expected fewer operators' <<<"f(a) { return $(many '(' 100000)a$(many ')' 100000); }"
expect 1 'line 1: expected fewer operators' <<<"f(a) { return $(many 'a+' 100000)a; }"
expect 1 'line 1: expected fewer blocks' <<<"f(a) { $(many 'if a<1{' 100000) $(many '}' 100000) return a; }"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
