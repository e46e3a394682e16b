# Sourced by the tests of the tool, which set `tool`, and `subcommand` if all they run is one: a directory to work in, runs
# and what they must print. Each check prints PASS or FAIL; `failed` counts.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

pass() { echo "PASS $1"; }
fail() {
  echo "FAIL $1: $2"
  failed=$((failed + 1))
}
# run NAME STATUS ARGUMENT...: what the command prints stays in $work/out and $work/err.
run() {
  local name=$1 status=$2 got
  shift 2
  "$tool" ${subcommand:+"$subcommand"} "$@" >"$work/out" 2>"$work/err" </dev/null
  got=$?
  if [ "$got" -ne "$status" ]; then
    fail "$name" "exit status $got, expected $status; $(head -n 1 "$work/err")"
    return 1
  fi
}
# messages: standard error without the lines of source under errors.
messages() { grep -vE '^ *[0-9]* \| ' "$work/err"; }
# says NAME STATUS MESSAGE ARGUMENT...: all messages of standard error; nothing on standard output.
says() {
  local name=$1 message=$3
  run "$1" "$2" "${@:4}" || return
  if [ -s "$work/out" ]; then
    fail "$name" "standard output is not empty"
  elif [ "$(messages)" != "$message" ]; then
    fail "$name" "it says '$(cat "$work/err")', expected '$message'"
  else
    pass "$name"
  fi
}
# prints NAME EXPECTED ARGUMENT...: all of standard output; nothing on standard error.
prints() {
  local name=$1 expected=$2
  run "$1" 0 "${@:3}" || return
  if [ -s "$work/err" ]; then
    fail "$name" "standard error is not empty: $(head -n 1 "$work/err")"
  elif [ "$(cat "$work/out")" != "$expected" ]; then
    fail "$name" "it prints '$(cat "$work/out")', expected '$expected'"
  else
    pass "$name"
  fi
}
