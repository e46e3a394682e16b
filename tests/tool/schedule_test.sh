#!/usr/bin/env bash
# schedule_test.sh TOOL PROGRAMS_DIR MACHINES_DIR: what `midend schedule` prints, draws and refuses. Prints PASS or FAIL
# for each case.
set -u
tool=$1 programs=$2 machines=$3 subcommand=schedule
source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
examples=$programs/unrolling.eir

for file in "$programs"/*.eir; do
  for machine in e2k_reference_v6 e2k_guide_v4 scalar_core "$machines/c6x.machine" \
    "$machines/hexagon.machine"; do
    name="${file##*/} on ${machine##*/}"
    run "$name" 0 "$file" "--machine=$machine" || continue
    if grep -q 'mistake' "$work/out"; then fail "$name" "$(grep mistake "$work/out")"; else pass "$name"; fi
  done
done

prints "a recurrence decides" "@five_iterations_more, loop: interval 2, the bound
  9 operations in 4 stages, 8 cycles a pass; registers 6, predicates 5; without rotating registers 4 copies of the kernel
  1 cycle: alu %s2, shift %s3 wait for each other: 2 cycles in 1 pass
cycle  0               1               2              3  4              5            others
    0  compare %p [0]  alu %i [0]      alu %s2 [3]       shift %x2 [2]  load %v [0]  branch [2]
    1                  compare %q [0]  shift %s3 [3]                    alu %s1 [2]" \
  "$examples" --procedure=five_iterations_more

run "a longer interval" 0 "$examples" --procedure=rotation --interval=5 &&
  { grep -q 'interval 5; the bound is 1' "$work/out" && pass "a longer interval" || fail "a longer interval" "$(cat "$work/out")"; }

run "svg" 0 "$examples" --procedure=five_iterations_more "--svg=$work/kernel.svg" &&
  { grep -q '</svg>' "$work/kernel.svg" && grep -q 'url(#head)' "$work/kernel.svg" && pass "svg" ||
    fail "svg" "no picture with the recurrence"; }
loops=$("$tool" schedule "$examples" | grep -c '^@.*: interval')
# The pictures of docs/schedule.md are those that the tool draws.
for picture in "$(dirname "$0")"/../../docs/images/kernel_*.svg; do
  name=${picture##*/kernel_}
  name=${name%.svg}
  loop=()
  [ "$name" != matrix_4x4 ] || loop=(--loop=products)
  run "picture of $name" 0 "$examples" --procedure="$name" "${loop[@]}" "--svg=$work/picture.svg" &&
    { cmp -s "$work/picture.svg" "$picture" && pass "picture of $name" || fail "picture of $name" "$picture is not current"; }
done
says "svg of many" 2 "midend schedule: --svg: there are $loops kernels to draw, choose one by --procedure and --loop" \
  "$examples" "--svg=$work/many.svg"
says "no such loop" 1 "$examples: error: there is no loop 'nowhere'" "$examples" --loop=nowhere
says "no such procedure" 1 "$examples: error: there is no procedure '@nowhere'" "$examples" --procedure=nowhere

if "$tool" schedule "$examples" --json >"$work/json" 2>/dev/null && command -v python3 >/dev/null; then
  python3 - "$work/json" <<'PY' && pass "json" || fail "json" "not as docs/schedule.md says"
import json, sys
loops = json.load(open(sys.argv[1]))["loops"]
done = [l for l in loops if l["interval"] is not None]
assert len(done) > 8 and len(done) < len(loops)
for l in done:
    assert l["interval"] >= l["bound"] and (l["is_shortest"] or l["interval"] > l["bound"])
    for o in l["operations"]:
        assert o["cycle"] == o["stage"] * l["interval"] + o["row"] and o["stage"] < l["stages"]
assert all("obstacle" in l for l in loops if l["interval"] is None)
PY
fi
[ "$failed" -eq 0 ]
