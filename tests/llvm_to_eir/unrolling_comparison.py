#!/usr/bin/env python3
"""unrolling_comparison.py BIN FILE.bc...: over the innermost loops of translated functions, what `midend unroll --verify`
finds: the program after unrolling and clean-up beside the trial.

Each module is compared as advised, by the factors 2, 3, 4 and 8, and unrolled completely where that is possible. Prints
how many loops are compared, how many are equal, better and worse, and how many are not compared, by reason.
"""
import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path

WAYS = {
    "as advised": [],
    **{f"by {factor}": [f"--factor={factor}"] for factor in (2, 3, 4, 8)},
    "completely": ["--kinds=full", "--least-gain=0", "--max-factor=256", "--max-operations=100000", "--max-bytes=1000000"],
}


class Comparison:
    def __init__(self, bin_dir, program, options):
        command = [bin_dir / "midend", "unroll", program, "--verify", "--json", *options]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 3):
            sys.exit(done.stderr[:1000])
        self.not_compared = collections.Counter()
        self.compared = self.equal = self.better = 0
        self.worse = []
        for loop in json.loads(done.stdout)["loops"]:
            deed = loop["deed"]
            if loop["obstacle"] == "contains_loop":
                continue  # not innermost
            if deed["obstacle"] != "none":
                self.not_compared[deed["obstacle"]] += 1
                continue
            self.compared += 1
            self.equal += deed["is_equal"]
            self.better += deed["is_as_advised"] and not deed["is_equal"]
            if not deed["is_as_advised"]:
                operations = deed["operations"]
                self.worse.append(f"@{loop['procedure']} {loop['header']} {loop['decision']} {loop['factor']}: "
                                  f"{operations['trial']} -> {operations['there']} operations")


def share(n, of):
    return f"{n:,} ({100 * n / max(of, 1):.1f} %)"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    bin_dir = Path(sys.argv[1]).resolve()
    print("| module | unrolled | innermost loops | left as they are | refused | no loop, or one too many, is left "
          "| compared | equal | better | worse |\n|---|---|---|---|---|---|---|---|---|---|")
    worse = []
    for module in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as directory:
            program = Path(directory) / "module.eir"
            with open(program, "w") as out:
                subprocess.run([bin_dir / "llvm_to_eir", module], stdout=out, stderr=subprocess.DEVNULL, check=True)
            for how, options in WAYS.items():
                c = Comparison(bin_dir, program, options)
                rest = sum(c.not_compared.values())
                cells = [Path(module).stem, how, f"{c.compared + rest:,}"]
                cells += [f"{c.not_compared[o]:,}" for o in ("not_unrolled", "refused")]
                cells += [f"{c.not_compared['no_loop_left'] + c.not_compared['loop_left']:,}"]
                cells += [f"{c.compared:,}", share(c.equal, c.compared), share(c.better, c.compared)]
                cells += [share(len(c.worse), c.compared)]
                print("| " + " | ".join(cells) + " |")
                worse += [f"{Path(module).stem}, {how}, {w}" for w in c.worse]
    print("\nThe program is worse than the trial:")
    print("\n".join(worse) or "nowhere")


main()
