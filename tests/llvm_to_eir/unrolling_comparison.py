#!/usr/bin/env python3
"""unrolling_comparison.py BIN FILE.bc...: over the innermost loops of translated functions, what `midend unroll --verify`
predicts beside what is there after unrolling and clean-up.

Each module is compared as advised, by the factors 2, 3, 4 and 8, and unrolled completely where that is possible. Prints
how many loops are compared and as predicted, and how many are not compared, by reason; then the loops with another number
of operations than predicted, by the values that differ.
"""
import collections
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

WAYS = {
    "as advised": [],
    **{f"by {factor}": [f"--factor={factor}"] for factor in (2, 3, 4, 8)},
    "completely": ["--kinds=full", "--least-gain=0", "--max-factor=256", "--max-operations=100000", "--max-bytes=1000000"],
}


def operations_of(path):
    """For each procedure, the operation that computes a value."""
    procedures, names = {}, None
    for line in Path(path).read_text().splitlines():
        if line.startswith("proc "):
            names = procedures[re.match(r"proc @([\w.]+)", line)[1]] = {}
        elif m := re.match(r"\s+(%[\w.]+) = (\w+)", line):
            names[m[1]] = m[2]
    return procedures


def differs(deed, item):
    return deed["items"][item]["predicted"]["exact"] != deed["items"][item]["there"]["exact"]


def cause_of(deed, names):
    """Which values have another number of operations than predicted."""
    operations = deed["items"]["operations"]
    if float(operations["there"]["value"]) < float(operations["predicted"]["value"]):
        return "fewer operations than predicted"
    more = {v["value"] and names.get(v["value"], "?") for v in deed["values"] if v["there"] > v["predicted"]}
    if more <= {None}:
        return "sums with numbers, and nothing else, are more"
    if more <= {None, "ld"}:
        return "loads are more"
    if more <= {None, "cmp"}:
        return "comparisons are more"
    if more <= {None, "sext", "zext", "trunc"}:
        return "extensions and truncations are more"
    return "other operations are more"


class Comparison:
    def __init__(self, bin_dir, program, options, names):
        command = [bin_dir / "midend", "unroll", program, "--verify", "--json", *options]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 3):
            sys.exit(done.stderr[:1000])
        self.not_compared, self.causes = collections.Counter(), collections.Counter()
        self.compared = self.operations = self.intervals = 0
        for loop in json.loads(done.stdout)["loops"]:
            deed = loop["deed"]
            if loop["obstacle"] == "contains_loop":
                continue  # not innermost
            if deed["obstacle"] != "none":
                self.not_compared[deed["obstacle"]] += 1
                continue
            self.compared += 1
            self.intervals += not differs(deed, "interval")
            if differs(deed, "operations"):
                self.causes[cause_of(deed, names[loop["procedure"]])] += 1
            else:
                self.operations += 1


def share(n, of):
    return f"{n:,} ({100 * n / max(of, 1):.1f} %)"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    bin_dir = Path(sys.argv[1]).resolve()
    print("| module | unrolled | innermost loops | left as they are | refused | no loop, or one too many, is left "
          "| compared | operations | interval or cycles |\n|---|---|---|---|---|---|---|---|---|")
    causes = {how: collections.Counter() for how in WAYS}
    for module in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as directory:
            program = Path(directory) / "module.eir"
            with open(program, "w") as out:
                subprocess.run([bin_dir / "llvm_to_eir", module], stdout=out, stderr=subprocess.DEVNULL, check=True)
            names = operations_of(program)
            for how, options in WAYS.items():
                c = Comparison(bin_dir, program, options, names)
                causes[how].update(c.causes)
                rest = sum(c.not_compared.values())
                cells = [Path(module).stem, how, f"{c.compared + rest:,}"]
                cells += [f"{c.not_compared[o]:,}" for o in ("not_unrolled", "refused")]
                cells += [f"{c.not_compared['no_loop_left'] + c.not_compared['loop_left']:,}"]
                cells += [f"{c.compared:,}", share(c.operations, c.compared), share(c.intervals, c.compared)]
                print("| " + " | ".join(cells) + " |")
    print("\n| other operations than predicted | " + " | ".join(WAYS) + " |")
    print("|---" * (len(WAYS) + 1) + "|")
    for cause in sorted(set().union(*causes.values()), key=lambda k: (-causes["by 4"][k], k)):
        print(f"| {cause} | " + " | ".join(f"{causes[how][cause]:,}" for how in WAYS) + " |")


main()
