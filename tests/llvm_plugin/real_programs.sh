#!/usr/bin/env bash
# real_programs.sh PLUGIN [PROGRAMS_OF_CSMITH [sqlite3|lua|csmith...]]: compiles sqlite3's shell, Lua 5.1 and 5.4, and programs of csmith (500)
# with clang-19 -O1 and -O2 -g and midend's passes at positions of the pipeline, and compares what they print with what
# they print when compiled without the plugin.
#
#   sqlite3      runs the statements of statements.sql
#   Lua 5.1      runs the test scripts of its source package
#   Lua 5.4      runs script.lua, and the official test suite if MIDEND_LUA_TESTS names its directory
#   csmith       checksums of generated programs
#
# Sources come from Debian's source packages, which are downloaded each time, or unpacked from MIDEND_SOURCES
# (*.dsc with what belongs to them). What is missing is skipped with a message; if everything is, the exit status is 77.
# MIDEND_VERIFY=1: the passes check their certificates, and LLVM's verifier runs after each.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ "${1-}" = --csmith-program ]; then # from below, in parallel
  seed=$2
  cd "$MIDEND_WORK" || exit 1
  timeout 20 csmith --seed "$seed" -o "c$seed.c" >/dev/null 2>&1 || exit 0
  run() { timeout 10 "./c$seed-$1" >"c$seed-$1.out" 2>&1 || echo "status $?" >>"c$seed-$1.out"; }
  # Some programs never end. LLVM may take loops to end and then make anything of them, so this one keeps them.
  env -u MIDEND_AT timeout 60 clang-19 -O1 -fno-finite-loops -w -I"$MIDEND_CSMITH" "c$seed.c" -o "c$seed-plain" || exit 0
  run plain
  if ! grep -q 'status 124' "c$seed-plain.out"; then # it ends
    for level in 1 2; do
      debug=$([ $level = 2 ] && echo -g)
      if ! timeout 120 clang-19 -O$level $debug -w -I"$MIDEND_CSMITH" -fpass-plugin="$MIDEND_PLUGIN" "c$seed.c" -o "c$seed-$level" >"c$seed-$level.log" 2>&1; then
        echo "csmith program $seed at -O$level: the compiler fails: $(grep -m 1 midend "c$seed-$level.log")" | tee -a csmith.failed
      else
        run $level
        cmp -s "c$seed-plain.out" "c$seed-$level.out" || echo "csmith program $seed at -O$level prints something else" | tee -a csmith.failed
      fi
    done
    echo "$seed" >>csmith.done
  fi
  rm -f "c$seed"[.-]*
  exit 0
fi

[ $# -ge 1 ] || {
  sed -n '2,/^set -u/{/^#/s/^# \{0,1\}//p}' "$0"
  exit 2
}
plugin=$(realpath "$1") programs=${2-500} jobs=${CTEST_PARALLEL_LEVEL:-$(nproc)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0
pass() { echo "passed: $1"; passed=$((passed + 1)); }
fail() { echo "FAILED: $1"; failed=$((failed + 1)); }
skip() { echo "skipped: $1"; skipped=$((skipped + 1)); }

all=midend-simplify-loops,midend-fix-irreducible,midend-sccp,midend-vn,midend-rotate,midend-hoist-invariants,midend-propagate-copies,midend-close-loops
all=$all,midend-low-level,midend-unify-exits,midend-clean-control,midend-dce,midend-split-critical-edges
loops=midend-interchange,midend-collapse,midend-hoist-invariants,midend-unswitch,midend-split-index,midend-split-by-condition,midend-peel
export MIDEND_AT="pipeline-early-simplification=midend-low-level,midend-sccp,midend-vn,midend-fix-irreducible,midend-simplify-loops;scalar-optimizer-late=$all;vectorizer-start=$loops,midend-unroll,midend-rotate,midend-close-loops;optimizer-last=$all,midend-unroll<factor=3>,midend-compare<quiet>"

# compile LEVEL OUTPUT FLAGS... FILES.c: with the plugin if LEVEL is 1 or 2, without it if LEVEL is plain.
compile() {
  local level=$1 output=$2 flags=(-O1 -w)
  shift 2
  [ "$level" = plain ] || flags=("-O$level" -w "-fpass-plugin=$plugin")
  [ "$level" != 2 ] || flags+=(-g)
  local objects=$work/objects-$level source status=0
  rm -rf "$objects"
  mkdir "$objects"
  local options=() sources=()
  for source in "$@"; do
    if [[ $source == *.c ]]; then sources+=("$source"); else options+=("$source"); fi
  done
  printf '%s\n' "${sources[@]}" | xargs -P "$jobs" -I{} bash -c \
    'timeout 300 clang-19 "${@:2}" -c "$0" -o "$1/$(basename "$0" .c).o"' {} "$objects" "${flags[@]}" "${options[@]}" \
    >"$work/compile.log" 2>&1 || status=1
  [ $status -eq 0 ] && clang-19 "$objects"/*.o -o "$output" -lm -ldl -lpthread >>"$work/compile.log" 2>&1 || status=1
  [ $status -eq 0 ] || tail -n 20 "$work/compile.log"
  return $status
}

# source_of PACKAGE DIRECTORY: the unpacked source package, as upstream has it.
source_of() {
  local package=$1 directory=$2
  mkdir -p "$work/dsc-$package"
  if [ -n "${MIDEND_SOURCES-}" ]; then
    cp "$MIDEND_SOURCES/$package"_* "$work/dsc-$package" 2>/dev/null
  else
    lists && (cd "$work/dsc-$package" && apt-get "${apt[@]}" -qq source --download-only "$package" >/dev/null 2>&1)
  fi
  dpkg-source --no-check --skip-patches --extract "$work/dsc-$package"/*.dsc "$directory" >/dev/null 2>&1
}

# Lists of source packages in a place of their own, from where the binary packages come.
apt=()
lists() {
  [ ${#apt[@]} -eq 0 ] || return 0
  mkdir -p "$work"/apt/{parts,lists/partial,cache/archives/partial}
  apt-get indextargets --format 'deb-src $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null | sort -u \
    >"$work/apt/parts/sources.list"
  apt=(-o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$work/apt/parts" -o "Dir::State::Lists=$work/apt/lists"
    -o "Dir::Cache=$work/apt/cache")
  apt-get "${apt[@]}" -qq update >/dev/null 2>&1
}

# compare NAME LEVEL PLAIN OTHER: files of output.
compare() {
  if cmp -s "$3" "$4"; then
    pass "$1 at -O$2: $(wc -l <"$3") lines are the same"
  else
    fail "$1 at -O$2 prints something else"
    diff "$3" "$4" | head -n 10
  fi
}

# forms NAME FLAGS... FILES.c: the loop forms that LLVM finds, at -O0 with values in place of stack slots, and at -O1.
forms() {
  local name=$1 level source objects=() options=()
  shift
  command -v opt-19 >/dev/null && command -v llvm-link-19 >/dev/null || { skip "$name: no opt-19, forms are not checked"; return; }
  for level in 0 1; do
    rm -rf "$work/forms"
    mkdir "$work/forms"
    options=() objects=()
    for source in "$@"; do
      if [[ $source == *.c ]]; then
        env -u MIDEND_AT clang-19 -O$level -Xclang -disable-O0-optnone -w "${options[@]}" -emit-llvm -c "$source" \
          -o "$work/forms/$(basename "$source" .c).bc" && objects+=("$work/forms/$(basename "$source" .c).bc")
      else
        options+=("$source")
      fi
    done
    llvm-link-19 "${objects[@]}" -o "$work/forms/linked.bc" &&
      opt-19 "-passes=$([ $level -eq 0 ] && echo mem2reg || echo verify)" "$work/forms/linked.bc" -o "$work/$name-O$level.bc" &&
      bash "$here/canonical_forms.sh" "$plugin" "$work/$name-O$level.bc"
    if [ $? -eq 0 ]; then pass "$name at -O$level: LLVM agrees on loop forms"; else fail "$name at -O$level: loop forms"; fi
  done
}

sqlite3_shell() {
  local source=$work/sqlite3 level
  command -v tclsh >/dev/null || { skip "sqlite3: no tclsh"; return; }
  source_of sqlite3 "$source" || { skip "sqlite3: no source package"; return; }
  (mkdir "$source/build" && cd "$source/build" && ../configure --disable-tcl --disable-readline && make sqlite3.c shell.c) \
    >"$work/sqlite3.log" 2>&1 || { skip "sqlite3: its sources cannot be made"; return; }
  forms sqlite3 -DSQLITE_THREADSAFE=0 "-I$source/build" "$source/build/sqlite3.c"
  echo "sqlite3: $(grep -c ';$' "$here/statements.sql") statements"
  for level in plain 1 2; do
    compile $level "$work/shell-$level" -DSQLITE_THREADSAFE=0 "-I$source/build" "$source/build"/{sqlite3,shell}.c ||
      { fail "sqlite3's shell does not compile, -O$level"; continue; }
    (cd "$work" && timeout 300 "./shell-$level" <"$here/statements.sql" >"sqlite3-$level.out" 2>&1; echo "status $?" >>"sqlite3-$level.out")
    [ $level = plain ] || compare "sqlite3's shell" $level "$work"/sqlite3-{plain,$level}.out
  done
}

# lua_program NAME PACKAGE RUN: RUN LEVEL writes to standard output what the interpreter $work/lua-LEVEL prints.
lua_program() {
  local name=$1 source=$work/$2 level
  source_of "$2" "$source" || { skip "$name: no source package"; return; }
  [ "$2" != lua5.4 ] || forms lua5.4 -DLUA_USE_POSIX "-I$source/src" $(ls "$source"/src/*.c | grep -v '/luac\.c$')
  for level in plain 1 2; do
    compile $level "$work/lua-$level" -DLUA_USE_POSIX "-I$source/src" $(ls "$source"/src/*.c | grep -v -e '/luac\.c$' -e '/print\.c$') ||
      { fail "$name does not compile, -O$level"; continue; }
    "$3" $level >"$work/lua-$level.out" 2>&1
    [ $level = plain ] || compare "$name" $level "$work"/lua-{plain,$level}.out
  done
}

# Without times and addresses.
run_lua51() {
  local script
  for script in "$work"/lua5.1/test/*.lua; do
    echo "== $(basename "$script")"
    (cd "$work/lua5.1/test" && timeout 60 "$work/lua-$1" -e 'os.clock = function() return 0 end' "$(basename "$script")" 7 words <bisect.lua 2>&1)
    echo "status $?"
  done | sed -E "s/0x[0-9a-f]+/ADDRESS/g; s#$work/lua-$1#lua#g; s/on [A-Z][a-z]{2} .* [0-9:]{8} [0-9]{4}$/on DATE/"
}

run_lua54() {
  (cd "$here" && timeout 120 "$work/lua-$1" script.lua)
  echo "status $?"
  if [ -n "${MIDEND_LUA_TESTS-}" ]; then
    (cd "$MIDEND_LUA_TESTS" && timeout 600 "$work/lua-$1" -e '_U = true' all.lua >"$work/suite.log" 2>&1)
    echo "status of the test suite $?"
  fi
}

csmith_programs() {
  local done_programs
  MIDEND_CSMITH=$(ls -d /usr/include/csmith* /usr/local/include/csmith* 2>/dev/null | head -n 1)
  command -v csmith >/dev/null && [ -n "$MIDEND_CSMITH" ] || { skip "csmith: not installed (Debian: csmith, libcsmith-dev)"; return; }
  export MIDEND_CSMITH MIDEND_PLUGIN=$plugin MIDEND_WORK=$work
  : >"$work/csmith.done"
  : >"$work/csmith.failed"
  seq 1 "$programs" | xargs -P "$jobs" -n 1 bash "$here/real_programs.sh" --csmith-program
  done_programs=$(wc -l <"$work/csmith.done")
  if [ -s "$work/csmith.failed" ]; then
    fail "csmith: $(wc -l <"$work/csmith.failed") of $((2 * done_programs)) programs differ"
  else
    pass "csmith: $done_programs of $programs programs end and print the same at -O1 and -O2"
  fi
}

command -v clang-19 >/dev/null || { echo "skipped: no clang-19"; exit 77; }
wanted=("${@:3}")
wants() { [ ${#wanted[@]} -eq 0 ] || [[ " ${wanted[*]} " == *" $1 "* ]]; }
! wants sqlite3 || sqlite3_shell
! wants lua || lua_program "Lua 5.1" lua5.1 run_lua51
! wants lua || lua_program "Lua 5.4" lua5.4 run_lua54
! wants csmith || csmith_programs
if [ $((passed + failed)) -eq 0 ]; then
  echo "skipped: no program could be tried"
  exit 77
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
