#!/usr/bin/env bash
# run.sh [--quick | --thorough] [--no-setup] [--jobs=N]: all tests of midend on Debian 12, from the installation of what they need to
# the last line, `N passed, N failed`. The exit status is 0 if nothing failed.
#
#   --quick      only g++ and no LLVM: all unit tests unshortened with contract checks, the tool against LLVM's answers by each
#                algorithm, format. Without a compiler cache about 640 s of processor time as the sum
#                of its steps, 420 of them to compile
#   --thorough   the unit tests also by clang 16, by g++ optimised as in a release, and under sanitizers without
#                shortening the long ones; each header alone and each natural mistake by each compiler; longer fuzzing; the
#                unit tests on s390x (by qemu-user), on i686, and with libc++, and the tool's answers there, byte for byte;
#                sqlite3, Lua and programs of csmith compiled with the LLVM plugin, and the loop forms that LLVM finds in
#                sqlite3 and Lua
#   --no-setup   install nothing
#   --jobs=N     so many compilers at a time (default: one per processor; MIDEND_JOBS does the same)
#
# Two builds have the unit tests: g++ without exceptions, RTTI and contract checks, and clang with all three and with
# sanitizers. Both run a tenth of long tests, and sanitizers a tenth of a million nodes. They are compiled in batches, and
# few of them are optimised, see tests/CMakeLists.txt. A third of the programs that must not compile are tried. The
# optimised programs (tool, examples, benchmarks) are tested by what they print.
#
# Each step prints a heading, then PASS or FAIL with what it counted: a doctest TEST_CASE, a ctest test or the step
# itself. The log of a failed step is printed. Later steps run whatever became of earlier ones.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

quick=0 thorough=0 setup=1 jobs=${MIDEND_JOBS:-$(nproc 2>/dev/null || echo 2)}
for argument in "$@"; do
  case $argument in
    --quick) quick=1 ;;
    --thorough) thorough=1 ;;
    --no-setup) setup=0 ;;
    --jobs=*) jobs=${argument#--jobs=} ;;
    *)
      sed -n '2,/^set -u/{/^#/s/^# \{0,1\}//p}' "$0"
      [ "$argument" = --help ] && exit 0
      exit 2
      ;;
  esac
done

export CTEST_PARALLEL_LEVEL=$jobs CMAKE_BUILD_PARALLEL_LEVEL=$jobs NINJA_STATUS='[%f/%t] '
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 # a clone elsewhere may use what this one has compiled
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1
logs=build/logs
mkdir -p "$logs"
total_passed=0 total_failed=0 total_skipped=0
failed_steps=()
started=$SECONDS

# number REGEX FILE: the sum of the numbers that the group of the regular expression finds.
number() { sed -nE "s/$1/\\1/p" "$2" | awk '{ s += $1 } END { print s + 0 }'; }

# step NAME COMMAND...: runs the command, counts the tests in its output, or else the step as one test. `took`: the seconds
# that it has already taken.
step() {
  local name=$1 status passed failed skipped ctest_all ctest_failed ctest_skipped plain log begin=$((SECONDS - ${took-0}))
  shift
  log=$logs/${name//[^a-zA-Z0-9+_-]/-}.log
  plain=$log.plain
  printf '== %s\n' "$name"
  "$@" >"$log" 2>&1 </dev/null
  status=$?
  # Without the colours of terminals: `[doctest] test cases: 9 | 8 passed | 1 failed`, and ctest's
  # `97% tests passed, 1 tests failed out of 40` with `***Skipped`.
  sed 's/\x1b\[[0-9;]*m//g' "$log" >"$plain"
  passed=$(number '.*\[doctest\] test cases:.*\| *([0-9]+) passed.*' "$plain")
  failed=$(number '.*\[doctest\] test cases:.*\| *([0-9]+) failed.*' "$plain")
  ctest_skipped=$(grep -c '\*\*\*Skipped' "$plain")
  skipped=$((ctest_skipped + $(number '.*\[doctest\] test cases:.*\| *([0-9]+) skipped.*' "$plain")))
  ctest_failed=$(number '.*tests passed, ([0-9]+) tests failed out of [0-9]+.*' "$plain")
  ctest_all=$(number '.*tests passed, [0-9]+ tests failed out of ([0-9]+).*' "$plain")
  [ "$status" -ne 77 ] || status=0 skipped=1
  passed=$((passed + ctest_all - ctest_failed - ctest_skipped)) failed=$((failed + ctest_failed))
  if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
    failed=1 # it did not come to its tests, or broke off among them
  elif [ "$status" -eq 0 ] && [ $((passed + failed + skipped)) -eq 0 ]; then
    case $name in
      set-up | *": build") ;; # no test; only its failure counts
      *": unit tests") failed=1 && echo "no test case was run" >>"$plain" ;;
      *) passed=1 ;;
    esac
  fi
  total_passed=$((total_passed + passed)) total_failed=$((total_failed + failed)) total_skipped=$((total_skipped + skipped))
  if [ "$failed" -eq 0 ] && [ "$passed" -eq 0 ] && [ "$skipped" -gt 0 ]; then
    printf 'SKIP %s: %s' "$name" "$(tail -n 1 "$plain")"
  elif [ "$failed" -eq 0 ]; then
    printf 'PASS %s' "$name"
    [ "$passed" -eq 0 ] || printf ': %d passed' "$passed"
  else
    failed_steps+=("$name")
    tail -n 200 "$plain" | sed 's/^/   | /'
    printf 'FAIL %s: %d passed, %d failed' "$name" "$passed" "$failed"
  fi
  [ "$skipped" -eq 0 ] || printf ', %d skipped' "$skipped"
  printf ' (%d s)\n' $((SECONDS - begin))
  rm -f "$plain"
  [ "$failed" -eq 0 ]
}

# build PRESET [-DNAME=VALUE...] [TARGET...]
build() {
  local preset=$1 options=(-DMIDEND_WERROR=ON -DMIDEND_BATCHED_TESTS=ON)
  shift
  while [[ ${1-} == -D* ]]; do
    options+=("$1")
    shift
  done
  cmake --preset "$preset" "${options[@]}" && cmake --build --preset "$preset" ${1:+--target "$@"} -- -k 0
}

# unit PRESET [EMULATOR]: the unit tests of a build, counted by test case. An endless loop is a failure, too. Several
# processes run a part of the test cases each, so that no processor waits for the last of them for long. doctest counts all
# test cases in each part, so they are counted here; a part that broke off counts as one that failed.
unit() {
  local status=0 bin=build/$1/bin program cases part all=0 parts='' failed output
  export MIDEND_EMULATOR=${2-}
  for program in midend_llvm_tests midend_tests; do
    [ $program != midend_llvm_tests ] || [ -e "$bin/$program" ] || continue
    cases=$($MIDEND_EMULATOR "$bin/$program" --count --no-version | sed -nE 's/.*unskipped test cases[^0-9]*([0-9]+).*/\1/p')
    [ "${cases:=0}" -ne 0 ] || status=1
    all=$((all + cases)) part=$((cases / (24 * jobs) + 8)) # a program with LLVM takes a moment to start
    for ((first = 1; first <= cases; first += part)); do
      parts+="$bin/$program $first $((first + part - 1))"$'\n'
    done
  done
  output=$(mktemp)
  xargs -P "$jobs" -n 3 bash -c '
    output=$(timeout 1800 $MIDEND_EMULATOR "$0" --no-path-filenames --no-colors --first="$1" --last="$2" 2>&1)
    status=$?
    grep -v "^\[doctest\] test cases:" <<<"$output"
    failed=$(sed -nE "s/^\[doctest\] test cases:.*\| *([0-9]+) failed.*/\1/p" <<<"$output")
    [ $status -eq 0 ] || echo "${0##*/}, test cases $1 to $2: exit status $status, ${failed:=1} failed"
    [ $status -eq 0 ]
  ' <<<"${parts%$'\n'}" >"$output" || status=1
  cat "$output"
  failed=$(sed -nE 's/^.*, test cases .* exit status .*, ([0-9]+) failed$/\1/p' "$output" | awk '{ s += $1 } END { print s + 0 }')
  rm -f "$output"
  [ "$all" -eq 0 ] || echo "[doctest] test cases: $all | $((all - failed)) passed | $failed failed | 0 skipped"
  $MIDEND_EMULATOR "$bin"/midend_odr || status=1
  return $status
}

# build_and_test PRESET [-DNAME=VALUE...]: what the other compilers and flags are for.
build_and_test() {
  local targets=(midend_tests midend_odr)
  step "$1: build" build "$@" "${targets[@]}" && step "$1: unit tests" unit "$1"
}

formatted() {
  local files
  mapfile -t files < <(find include tests benchmarks examples \( -name '*.cpp' -o -name '*.hpp' \) -print | sort)
  printf '%s\0' "${files[@]}" | xargs -0 -P "$jobs" -n 50 clang-format-19 --dry-run -Werror && echo "${#files[@]} files are formatted"
}

# other_machine PRESET: unit tests, and the tool's answers in comparison with those of this machine. The headers have no
# warning there, but tests convert numbers as they like on 64 bits.
other_machine() {
  local emulator emulated=OFF
  source tests/platforms/tools.sh "$1" >"$logs/$1-tools.log" || return # the step "$1: examples" says what is missing
  [ -z "$emulator" ] || emulated=ON # compiling with -O1 is the smaller part there
  step "$1: build" build "$1" -DMIDEND_WERROR=OFF -DMIDEND_EMULATED=$emulated -DMIDEND_OPTIMISED_TESTS=$emulated \
    midend_tests midend_odr midend && {
    step "$1: unit tests" unit "$1" "$emulator"
    step "$1: answers" bash tests/platforms/same_answers.sh "build/$1/bin/midend" build/release/bin/midend "$emulator"
  }
}

fuzz() { # PROGRAM RUNS LONGEST_INPUT [ARGUMENT...]: bounded, and the same inputs each time
  local bin=build/fuzz/bin work
  work=$(mktemp -d)
  "$bin/$1" -seed=1 -runs="$2" -max_len="$3" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$logs/" "$work" "${@:4}" # what is found goes to the first folder
  local status=$?
  rm -rf "$work"
  return $status
}

# later NAME COMMAND...: a step of one process. Several run at a time; told_later waits for them and tells one by one what
# became of them.
later_names=()
later() {
  local name=$1 file=$logs/later-${#later_names[@]}
  shift
  later_names+=("$name")
  rm -f "$file".*
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
  (
    begin=$SECONDS
    "$@" >"$file.out" 2>&1 </dev/null
    echo "$? $((SECONDS - begin))" >"$file.status"
  ) &
}
later_result() { # FILE STATUS
  cat "$1.out"
  return "$2"
}
told_later() {
  local number file status seconds
  wait
  for number in "${!later_names[@]}"; do
    file=$logs/later-$number status=1 seconds=0 # if it did not come to its end
    [ ! -e "$file.status" ] || read -r status seconds <"$file.status"
    took=$seconds step "${later_names[number]}" later_result "$file" "$status"
  done
}

manifests() { # what can be said of them without Conan and vcpkg
  local version status=0
  version=$(sed -nE 's/^#define MIDEND_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' include/midend/version.hpp | paste -sd.)
  grep -q "\"version-semver\": \"$version\"" tests/packaging/vcpkg/midend/vcpkg.json ||
    { echo "tests/packaging/vcpkg/midend/vcpkg.json does not have version $version"; status=1; }
  grep -q "\"version-semver\": \"$version\"" vcpkg.json || { echo "vcpkg.json does not have version $version"; status=1; }
  grep -qE "^## \[($version|Unreleased)\]" CHANGELOG.md || { echo "CHANGELOG.md does not name $version"; status=1; }
  cmake -DCHECK=ON -P tests/packaging/vcpkg/content_hash.cmake || status=1
  if command -v python3 >/dev/null; then
    python3 - conanfile.py tests/package/conanfile.py <<'PYTHON' || status=1
import ast, json, sys
for file in sys.argv[1:]:
    ast.parse(open(file).read(), file)
for file in ("vcpkg.json", "tests/packaging/vcpkg/midend/vcpkg.json", "CMakePresets.json"):
    json.load(open(file))
PYTHON
  fi
  return $status
}

if [ $setup -eq 1 ]; then
  step "set-up" bash .ci/setup.sh tests
  cat "$logs/set-up.log"
fi

if [ $quick -eq 1 ]; then
  step "format" formatted
  step "debug: build" build debug -DMIDEND_PROGRAMS_FOR_TESTS=ON midend_tests midend_odr midend midend_random_passes && {
    step "debug: unit tests" unit debug
    step "debug: tool" ctest --preset debug --no-tests=error -L tool
  }
else
  # What takes seconds comes first.
  step "format" formatted
  step "manifests" manifests
  release_programs=(midend midend_random_passes midend_examples midend_benchmarks midend_odr)
  each_header=OFF
  # Tool and benchmarks are compiled with -O1, examples once, without exceptions. --thorough compiles all as users do, and
  # again without exceptions.
  programs_for_tests=ON unit_programs=(midend_tests midend_odr)
  [ $thorough -eq 1 ] || release_programs+=(midend_growth)
  [ -z "$(command -v llvm-config-19)" ] || unit_programs+=(midend_llvm_tests)
  if [ $thorough -eq 1 ]; then
    release_programs+=(midend_tests) each_header=ON
    programs_for_tests=OFF unit_programs=()
    [ -z "$(command -v llvm-config-19)" ] || release_programs+=(midend_llvm_tests)
  fi
  step "release: build" build release -DMIDEND_OPTIMISED_TESTS=ON -DMIDEND_EACH_HEADER_WITH_EACH_COMPILER=$each_header \
    -DMIDEND_PROGRAMS_FOR_TESTS=$programs_for_tests "${release_programs[@]}"
  [ $thorough -eq 0 ] || step "release: unit tests" unit release
  [ $thorough -eq 0 ] || step "release: long unit tests" build/release/bin/midend_tests --no-skip -tc='*\, long'
  step "release: headers, budgets, rejected programs, clients, tool, examples" \
    ctest --preset release --no-tests=error -LE unit
  if [ $thorough -eq 1 ] && [ -e build/release/bin/midend_llvm_plugin.so ]; then
    step "release: sqlite3, Lua and csmith with the LLVM plugin" \
      bash tests/llvm_plugin/real_programs.sh build/release/bin/midend_llvm_plugin.so
    [ -z "${MIDEND_LLVM_TESTS-}" ] || step "release: LLVM's regression tests through each pass of the plugin" \
      bash tests/llvm_plugin/regression_tests.sh "$MIDEND_LLVM_TESTS" build/release/bin/midend_llvm_plugin.so
  fi
  if [ $thorough -eq 1 ] && [ -e build/release/bin/midend_compare_runs ]; then
    step "release: sqlite3 and Lua as programs of the Elbrus-like IR" bash tests/llvm_to_eir/real_programs.sh build/release/bin
  fi
  if [ $thorough -eq 1 ]; then
    [ ! -e build/release/bin/midend_z3_oracle ] || step "release: schedules against Z3" build/release/bin/midend_z3_oracle 60 100000
    [ ! -e build/release/bin/midend_isl_oracle ] || step "release: dependences against isl" build/release/bin/midend_isl_oracle 20000
    later "release: random programs through all passes" nice build/release/bin/midend_random_passes 1000 100000 60 --no-shrink
  fi
  step "no-exceptions: build" build no-exceptions -DMIDEND_SHORTENED_TESTS=ON "${unit_programs[@]}"
  step "no-exceptions: unit tests" unit no-exceptions
  if [ $thorough -eq 1 ]; then
    build_and_test clang-16
    build_and_test sanitize -DMIDEND_UNSHORTENED_TESTS=ON
    for machine in s390x i686 libc++; do other_machine "$machine"; done
  else
    build_and_test sanitize -DMIDEND_UNSHORTENED_TESTS=OFF
  fi
  more=$((thorough ? 10 : 1))
  if step "fuzz: build" build fuzz; then
    # The longest first.
    later "fuzz: .eir files" fuzz fuzz_eir $((60000 * more)) 1500 -dict=tests/fuzz/eir.dict tests/fuzz/seeds/eir
    later "fuzz: graphs" fuzz fuzz_graph $((80000 * more)) 200
    later "fuzz: machine files" fuzz fuzz_machine $((300000 * more)) 2500 -dict=tests/fuzz/machine.dict tests/fuzz/seeds/machine examples/machines
    later "fuzz: runs of .eir files" fuzz fuzz_eir_run $((30000 * more)) 1500 -dict=tests/fuzz/eir.dict tests/fuzz/seeds/eir
    later "fuzz: advice on the loops of .eir files" fuzz fuzz_unroll $((15000 * more)) 1500 -dict=tests/fuzz/eir.dict tests/fuzz/seeds/eir
    later "fuzz: .cfg files" fuzz fuzz_cfg $((300000 * more)) 600 -dict=tests/fuzz/cfg.dict tests/fuzz/seeds/cfg
    [ -z "$(command -v llvm-config-19)" ] ||
      later "fuzz: edits of functions of LLVM" fuzz fuzz_llvm $((5000 * more)) 300 -len_control=0
  fi
  # Not for their times: each checks its answers before it measures.
  later "release: benchmarks" timeout 600 build/release/bin/midend_benchmarks --benchmark_filter='/lua5.4-O0$' --benchmark_min_time=0.001
  for machine in s390x i686 libc++; do
    later "$machine: examples" bash tests/platforms/examples.sh "$machine"
  done
  told_later
fi

printf '\n'
if [ ${#failed_steps[@]} -gt 0 ]; then
  printf 'failed: %s\n' "${failed_steps[@]}"
fi
printf '%d min %d s, logs in %s\n' $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60)) "$logs"
if [ $total_skipped -gt 0 ]; then
  printf '%d passed, %d failed, %d skipped\n' $total_passed $total_failed $total_skipped
else
  printf '%d passed, %d failed\n' $total_passed $total_failed
fi
[ $total_failed -eq 0 ]
