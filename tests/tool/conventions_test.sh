#!/usr/bin/env bash
# conventions_test.sh TOOL PROGRAMS_DIR CORPUS_DIR: what people expect of any tool: closed pipes, standard input, packed
# files, files of another kind, misspelt words, numbers, colours, the line under an error, help, the manual page and
# completion. Prints PASS, FAIL or SKIP for each case.
set -u
tool=$1 programs=$2 corpus=$3 subcommand=
source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
loops=$programs/loops.eir

# holds NAME PATTERN FILE
holds() { grep -qE -- "$2" "$3" && pass "$1" || fail "$1" "no /$2/ in: $(head -n 5 "$3")"; }

# A closed pipe.
for command in "cfg $corpus/sqlite3-O0.cfg.gz" "unroll $programs/unrolling.eir --json" "opt --help"; do
  { env --default-signal=PIPE "$tool" $command 2>"$work/err"; } | head -n 1 >"$work/out"
  if [ -s "$work/err" ]; then fail "closed pipe: $command" "$(cat "$work/err")"; else pass "closed pipe: ${command%% *}"; fi
done

# Standard input and packed files.
gzip -c "$loops" >"$work/loops.eir.gz"
"$tool" opt "$loops" >"$work/plain"
for how in "cat $loops" "cat $work/loops.eir.gz"; do
  $how | "$tool" opt - >"$work/out" 2>"$work/err"
  cmp -s "$work/out" "$work/plain" && pass "opt - of ${how##*.}" || fail "opt - of ${how##*.}" "$(cat "$work/err")"
done
"$tool" opt "$work/loops.eir.gz" -o "$work/again.eir.gz" && gzip -dc "$work/again.eir.gz" | cmp -s - "$work/plain" &&
  pass "packed in and out" || fail "packed in and out" "$(gzip -dc "$work/again.eir.gz" | head -n 1)"
"$tool" cfg "$corpus/irreducible.cfg.gz" >"$work/plain"
for how in "cat" "gzip -dc"; do
  $how "$corpus/irreducible.cfg.gz" | "$tool" cfg - >"$work/out" 2>"$work/err"
  cmp -s "$work/out" "$work/plain" && pass "cfg - by $how" || fail "cfg - by $how" "$(head -n 2 "$work/err")"
done
gzip -dc "$corpus/irreducible.expect.gz" |
  "$tool" cfg "$corpus/irreducible.cfg.gz" --only=ipdom --roots-from=- >"$work/out" 2>"$work/err" &&
  pass "--roots-from=-" || fail "--roots-from=-" "$(head -n 2 "$work/err")"
gzip -dc "$corpus/irreducible.cfg.gz" | "$tool" report - -o "$work/out" 2>"$work/err" && [ -s "$work/out" ] &&
  pass "report of graphs from standard input" || fail "report of graphs from standard input" "$(head -n 2 "$work/err")"
"$tool" run - @gcd 12 18 <"$programs/arithmetic.eir" >"$work/out" 2>"$work/err"
[ "$(cat "$work/out")" = 6 ] && pass "run -" || fail "run -" "$(cat "$work/out" "$work/err")"
printf 'proc @f() {\n  node a:\n    br b\n}\n' | "$tool" opt - 2>"$work/err"
holds "standard input in a message" '^<stdin>:3:8: error: ' "$work/err"

# Files of another kind.
cp "$loops" "$work/x.ll"
cp "$corpus/irreducible.cfg.gz" "$work/x.cfg.gz"
says "LLVM IR" 1 "$work/x.ll: error: this is LLVM IR; \`llvm_to_eir $work/x.ll > x.eir\` makes a program of it" opt "$work/x.ll"
printf 'BC\xc0\xde' >"$work/x.bc"
run "bitcode" 1 unroll "$work/x.bc" && holds "bitcode" 'llvm_to_eir' "$work/err"
run "LLVM IR is no graph" 1 cfg "$work/x.ll" && holds "LLVM IR is no graph" 'llvm_to_eir' "$work/err"
run "graphs are no program" 1 opt "$work/x.cfg.gz" && holds "graphs are no program" 'midend cfg' "$work/err"
run "a program is no graph" 1 cfg "$loops" && holds "a program is no graph" 'midend opt' "$work/err"

# Words and numbers.
help_of() { printf '\nRun `midend%s --help` for its options.' "${1:+ $1}"; }
says "a command" 2 "midend: unknown command 'unrol': did you mean unroll?$(help_of '')" unrol
says "an option" 2 "midend opt: unknown option '--pases': did you mean --passes?$(help_of opt)" opt --pases=sccp "$loops"
says "an option that nothing is like" 2 "midend run: unknown option '--zzzzzzzz'$(help_of run)" run --zzzzzzzz "$loops" @gcd
says "an option before the command" 2 "midend: unknown option '--versoin': did you mean --version?$(help_of '')" --versoin
says "no file" 2 "midend opt: FILE is missing$(help_of opt)" opt
says "no value" 2 "midend opt: --passes needs a value: PASSES$(help_of opt)" opt "$loops" --passes
says "given twice" 2 "midend opt: --passes is given more than once$(help_of opt)" opt "$loops" --passes=sccp --passes=dce
says "one argument too many" 2 "midend opt: unexpected argument 'b'$(help_of opt)" opt "$loops" b
for wrong in 0 1025 abc 4x -1 1.5 99999999999999999999; do
  says "--factor=$wrong" 2 "midend unroll: --factor: '$wrong' is not a whole number from 1 to 1024$(help_of unroll)" \
    unroll "$loops" "--factor=$wrong"
done
says "--least-gain" 2 "midend unroll: --least-gain: 'nan' is not a number from 0 to 1000$(help_of unroll)" \
  unroll "$loops" --least-gain=nan
"$tool" unroll "$programs/unrolling.eir" --factor=8 >"$work/plain"
prints "a number with leading zeros" "$(cat "$work/plain")" unroll "$programs/unrolling.eir" --factor=010

# The line under an error, and colours.
printf 'proc @f(%%x: i32) -> i32 {\n  node entry:\n\t%%y = add.i32 %%z, 1\n    ret %%y\n}\n' >"$work/bad.eir"
run "line under an error" 1 opt "$work/bad.eir"
[ "$(tail -n +2 "$work/err")" = $'    3 |  %y = add.i32 %z, 1\n      |               ^' ] && pass "line under an error" ||
  fail "line under an error" "$(cat "$work/err")"
printf 'function f\nblocks 2\nsucc 0 7\nsucc 1\nend\n' >"$work/bad.cfg"
run "line of a graph" 1 cfg "$work/bad.cfg"
[ "$(tail -n +2 "$work/err")" = $'    3 | succ 0 7\n      |        ^' ] && pass "line of a graph" ||
  fail "line of a graph" "$(cat "$work/err")"
{ printf 'proc @f() {\n  node entry:\n    ret' && printf ' %.0s' $(seq 500) && printf '%%\x1b[31mq'; printf ' %.0s' $(seq 500); } >"$work/long.eir"
run "a long line with control characters" 1 opt "$work/long.eir"
if [ "$(LC_ALL=C.UTF-8 awk '{ if (length($0) > m) m = length($0) } END { print m }' <(grep -E '^ +[0-9]* \|' "$work/err"))" -le 116 ] && # in bytes
  ! grep -q $'\x1b' "$work/err" && grep -q '^ *| *^$' "$work/err"; then pass "a long line"; else fail "a long line" "$(cat "$work/err")"; fi
if command -v script >/dev/null; then
  on_terminal() { env -u NO_COLOR TERM=xterm "$@" script -qec "'$tool' opt '$work/bad.eir'" /dev/null </dev/null; }
  on_terminal >"$work/out"
  holds "colours on a terminal" $'\x1b\\[1;31merror: ' "$work/out"
  on_terminal NO_COLOR=1 >"$work/out"
  grep -q $'\x1b' "$work/out" && fail "NO_COLOR" "$(head -n 1 "$work/out")" || holds "NO_COLOR" 'error: ' "$work/out"
  on_terminal TERM=dumb >"$work/out"
  grep -q $'\x1b' "$work/out" && fail "a dumb terminal" "$(head -n 1 "$work/out")" || pass "a dumb terminal"
else
  echo "SKIP colours on a terminal: no script(1)"
fi
grep -q $'\x1b' "$work/err" && fail "colours in a file" "$(head -n 1 "$work/err")" || pass "no colours in a file"

# Help, manual page and completion hold the same options.
commands=$("$tool" --help | sed -n '/^commands$/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 7 ] && pass "commands" || fail "commands" "$commands"
"$tool" man >"$work/midend.1"
for shell in bash zsh fish; do "$tool" completion $shell >"$work/midend.$shell" || fail "completion $shell" "fails"; done
for command in $commands; do
  run "$command --help" 0 "$command" --help || continue
  for part in '^usage: midend '"$command" '^exit status$' '^  0  done$' '^  2  '; do
    grep -qE "$part" "$work/out" || fail "$command --help" "no /$part/"
  done
  [ "$(awk '{ if (length($0) > 116) n++ } END { print n + 0 }' "$work/out")" -eq 0 ] || fail "$command --help" "wide lines"
  options=$(sed -n '/^options$/,/^$/p' "$work/out" | grep -oE '^  (-[a-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+')
  [ -n "$options" ] || fail "$command --help" "no options"
  for option in $options; do
    grep -qF -- "${option//-/\\-}" "$work/midend.1" || fail "manual page" "no $option of $command"
    for shell in bash zsh; do
      grep -qE -- "[ '*]$option[ =['+]" "$work/midend.$shell" || fail "completion $shell" "no $option of $command"
    done
    grep -qE -- "subcommand_from $command'.* -l ${option#--} " "$work/midend.fish" || fail "completion fish" "no $option of $command"
  done
  pass "$command: options"
done
says "an unknown shell" 2 "midend completion: SHELL: unknown shell 'csh', expected one of: bash, zsh, fish" completion csh
if command -v groff >/dev/null; then
  groff -man -Tutf8 -ww -z "$work/midend.1" 2>"$work/err"
  [ -s "$work/err" ] && fail "manual page" "$(head -n 3 "$work/err")" || pass "groff reads the manual page"
else
  echo "SKIP groff reads the manual page: no groff"
fi

# complete WORDS…: what bash offers at the end of this line; the last word may be empty.
complete_line() {
  bash -c '
    source "$1"; shift
    COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
    COMP_WORDS=() COMP_CWORD=0
    while read -r w; do COMP_WORDS+=("$w"); done < <(for a; do sed "s/\([=:]\)/\n\1\n/g" <<<"$a"; done)
    [ -z "${COMP_WORDS[-1]}" ] && [ "${*: -1}" ] && unset "COMP_WORDS[-1]"
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _midend; printf "%s\n" "${COMPREPLY[@]}"' bash "$work/midend.bash" "$@" | sort
}
# completes EXPECTED WORD…
completes() {
  local expected=$1 got
  shift
  got=$(complete_line "$@")
  [ "$got" = "$expected" ] && pass "completion of '$*'" || fail "completion of '$*'" "'$got', expected '$expected'"
}
completes $'report\nrun' midend r
completes --passes= midend opt --pas
completes split-critical-edges midend opt --passes=split-c
completes sccp,split-critical-edges midend opt --passes=sccp,split-c
completes $'product' midend opt --passes=sccp:pr
completes e2k_guide_v4 midend unroll --machine=e2k_g
completes e2k_guide_v4 midend unroll --machine e2k_g
completes $'bash\nfish\nzsh' midend completion ''
(cd "$work" && completes "bad.cfg" midend cfg bad.c) # files
for shell in zsh fish; do
  if command -v $shell >/dev/null; then
    $shell -n "$work/midend.$shell" && pass "$shell reads its completion" || fail "$shell" "does not read its completion"
  else
    echo "SKIP $shell reads its completion: no $shell"
  fi
done
if command -v fish >/dev/null; then
  got=$(fish -c "source $work/midend.fish; complete -C 'midend opt --passes=sccp,split-c'" | sed 's/.*=//')
  [ "${got%%[[:space:]]*}" = sccp,split-critical-edges ] && pass "fish completes a list" || fail "fish completes a list" "$got"
fi

[ "$failed" -eq 0 ]
