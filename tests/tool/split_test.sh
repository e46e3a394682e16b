#!/usr/bin/env bash
# split_test.sh TOOL PROGRAMS_DIR CORPUS_DIR: `--jobs` changes nothing that is printed, `--shard` divides the functions of a
# file, and `--json` says what the plain output says. Prints PASS, FAIL or SKIP for each case.
set -u
tool=$1 programs=$2 corpus=$3 subcommand=
source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"

# same_with_jobs NAME ARGUMENT...: one thread and three.
same_with_jobs() {
  local name="$1 with threads"
  shift
  "$tool" "$@" >"$work/one" 2>"$work/one.err"
  local one=$?
  "$tool" "$@" --jobs=3 >"$work/three" 2>"$work/three.err"
  local three=$?
  [ -s "$work/one" ] && [ $one = $three ] && cmp -s "$work/one" "$work/three" && cmp -s "$work/one.err" "$work/three.err" &&
    pass "$name" || fail "$name" "$(diff "$work/one" "$work/three" | head -n 3; diff "$work/one.err" "$work/three.err" | head -n 3)"
}
lua=$corpus/lua5.4-O0.cfg.gz
same_with_jobs cfg cfg "$lua"
same_with_jobs "cfg --json" cfg "$lua" --json
same_with_jobs opt opt "$programs/loops.eir" --passes=construct-ssa,sccp,unroll,clean-up --verify-each
same_with_jobs "opt with warnings" opt "$programs/dataflow.eir" --passes=sccp --print=loops
same_with_jobs "opt --json" opt "$programs/unrolling.eir" --passes=sccp --print-changes --print=loops,cost --json
same_with_jobs unroll unroll "$programs/unrolling.eir" --stats
same_with_jobs "unroll --json" unroll "$programs/unrolling.eir" --json
same_with_jobs "unroll --verify" unroll "$programs/unrolling.eir" --verify
same_with_jobs report report "$programs/unrolling.eir" --passes=sccp -o -
same_with_jobs "report of graphs" report "$corpus/irreducible.cfg.gz" -o -
# The first bad function in the order of the file ends the run, whatever thread is faster.
printf 'function main\nproots 0\nend\n' >"$work/roots"
same_with_jobs "an error" cfg "$lua" --only=ipdom --roots-from="$corpus/lua5.4-O0.expect.gz"
"$tool" cfg "$lua" --only=ipdom --roots-from="$work/roots" --jobs=3 >"$work/out" 2>"$work/err"
[ $? -eq 1 ] && [ "$(wc -l <"$work/err")" -eq 1 ] && pass "one error" || fail "one error" "$(cat "$work/err")"
"$tool" cfg "$lua" --stats --jobs=3 2>&1 >/dev/null | grep -v ' ms' >"$work/three"
"$tool" cfg "$lua" --stats 2>&1 >/dev/null | grep -v ' ms' >"$work/one"
cmp -s "$work/one" "$work/three" && pass "--stats with threads" || fail "--stats with threads" "$(diff "$work/one" "$work/three")"

# A deal of the shards, function by function, is the whole.
records() { awk -v n="$1" 'BEGIN { RS = "end\n" } { print > (n "." NR - 1) }'; }
for shards in 1 3; do
  rm -f "$work"/whole.* "$work"/part*
  "$tool" cfg "$corpus/irreducible.cfg.gz" | records "$work/whole"
  for ((i = 0; i != shards; ++i)); do "$tool" cfg "$corpus/irreducible.cfg.gz" --shard=$i/$shards | records "$work/part$i"; done
  wrong=0 count=$(ls "$work"/whole.* | wc -l)
  for ((k = 0; k != count; ++k)); do
    cmp -s "$work/whole.$k" "$work/part$((k % shards)).$((k / shards))" || wrong=$((wrong + 1))
  done
  [ "$count" -gt 5 ] && [ $wrong -eq 0 ] && [ "$(ls "$work"/part* | wc -l)" -eq "$count" ] && pass "cfg --shard of $shards" ||
    fail "cfg --shard of $shards" "$wrong of $count differ"
done
whole=$("$tool" opt "$programs/loops.eir" --passes=construct-ssa | grep -c '^proc ')
parts=$(for i in 0 1; do "$tool" opt "$programs/loops.eir" --passes=construct-ssa --shard=$i/2; done | grep '^proc ' | sort -u | wc -l)
[ "$whole" -eq "$parts" ] && pass "opt --shard" || fail "opt --shard" "$parts of $whole procedures"
first=$(sed -n 's/^proc \(@[a-z_0-9]*\).*/\1/p' "$programs/unrolling.eir" | sed -n 2p)
got=$("$tool" unroll "$programs/unrolling.eir" --shard=1/1000 | grep -o '^@[a-z_0-9]*' | sort -u)
[ "$got" = "$first" ] && pass "unroll --shard" || fail "unroll --shard" "'$got', expected '$first'"
prints "an empty shard" "" cfg "$corpus/irreducible.cfg.gz" --shard=99999/100000
for wrong in 2/2 0/0 x/2 1 /2 1/ -1/2 1/2/3; do
  says "--shard=$wrong" 2 "midend cfg: --shard: '$wrong' is not I/N with whole numbers, I from 0 to N - 1"$'\n''Run `midend cfg --help` for its options.' \
    cfg "$lua" --shard=$wrong
done
run "--jobs=0" 2 cfg "$lua" --jobs=0 && pass "--jobs=0"

# What people divide work with, if it is there.
if command -v parallel >/dev/null; then
  parallel -k "$tool" cfg "$lua" --shard={}/4 ::: 0 1 2 3 | sort >"$work/three"
  "$tool" cfg "$lua" | sort | cmp -s - "$work/three" && pass "GNU parallel" || fail "GNU parallel" "other lines"
else
  echo "SKIP GNU parallel: not installed"
fi

if command -v python3 >/dev/null; then
  "$tool" cfg "$lua" >"$work/plain"
  "$tool" cfg "$lua" --json >"$work/json"
  if python3 - "$work/plain" "$work/json" <<'PY'
import json, sys
def none(x): return None if x == -1 else x
def records(lines):
    for line in lines:
        word, *rest = line.split()
        if word == "function": f = {"function": rest[0], "df": {}, "loop": [], "cycle": [], "phi": {}, "livein": {}}
        elif word in ("idom", "ipdom", "scc"): f[word] = [none(int(x)) for x in rest]
        elif word == "proots": f[word] = [int(x) for x in rest]
        elif word in ("df", "phi", "livein"): f[word][rest[0]] = [int(x) for x in rest[1:]]
        elif word == "loop":
            p = [[t for t in part.split() if not t.isalpha()] for part in line[5:].replace(":", ";").split(";")]
            h, parent, depth = map(int, p[0])
            f["loop"].append({"header": h, "parent": none(parent), "depth": depth, "blocks": [*map(int, p[1])], "latches": [*map(int, p[2])],
                              "preheader": none(int(p[3][0])), "exiting": [*map(int, p[4])], "exits": [*map(int, p[5])]})
        elif word == "cycle":
            p = [part.split() for part in line[6:].split(":")]
            f["cycle"].append({"depth": int(p[0][0]), "parent": none(int(p[0][1])), "entries": [*map(int, p[1])], "blocks": [*map(int, p[2])]})
        elif word == "end": yield f
plain = list(records(open(sys.argv[1])))
parsed = [json.loads(line) for line in open(sys.argv[2])]
assert len(plain) > 100 and len(plain) == len(parsed), (len(plain), len(parsed))
for a, b in zip(plain, parsed):
    assert a == b, (a, b)
PY
  then pass "cfg --json"; else fail "cfg --json" "not what the records say"; fi
  "$tool" run "$programs/arithmetic.eir" @gcd 12 18 --json >"$work/out"
  python3 -c 'import json,sys; r = json.load(open(sys.argv[1])); assert (r["procedure"], r["type"], r["value"], r["memory"]) == ("@gcd", "i32", "6", []), r; assert r["operations"] > 5' \
    "$work/out" && pass "run --json" || fail "run --json" "$(cat "$work/out")"
  cat >"$work/host.eir" <<'EIR'
proc @f(%a: ptr, %z: i32) -> i32 {
  node entry:
    call @print(i8 7)
    st.i32 5, [%a]
    %q = div.i32 1, %z
    ret %q
}
EIR
  "$tool" run "$work/host.eir" @f @a 0 --memory=a:i32:1,2 --json >"$work/out" 2>"$work/err"
  status=$?
  python3 -c 'import json,sys; r = json.load(open(sys.argv[1])); assert r["printed"] == "7\n" and "division by zero" in r["trap"] and "value" not in r, r
assert r["memory"] == [{"name": "a", "type": "i32", "values": ["5", "2"]}], r' "$work/out" && [ $status -eq 1 ] && pass "run --json of a trap" ||
    fail "run --json of a trap" "status $status, $(cat "$work/out")"
  "$tool" opt "$programs/loops.eir" --passes=construct-ssa,sccp --print=loops --json >"$work/out"
  python3 - "$work/out" "$programs/loops.eir" <<'PY' && pass "opt --json" || fail "opt --json" "$(head -c 300 "$work/out")"
import json, re, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert [r["procedure"] for r in rows] == re.findall(r"^proc (@\w+)", open(sys.argv[2]).read(), re.M)
for r in rows:
    assert [p["pass"] for p in r["passes"]] == ["construct-ssa", "sccp"] and [x["report"] for x in r["reports"]] == ["loops"]
    assert all(len(p["nodes"]) == 2 and p["operations"][1] > 0 for p in r["passes"])
PY
else
  echo "SKIP JSON: no python3"
fi
[ "$failed" -eq 0 ]
