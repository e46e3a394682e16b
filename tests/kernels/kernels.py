#!/usr/bin/env python3
"""The loops of kernels.c: midend's choice beside clang's and gcc's, under midend's model.

kernels.py TOOL            checks that no choice of midend is worse than those of the others; exit status 1 if one is
kernels.py TOOL --table    prints the tables of docs/unrolling-llvm.md; the check compares them with the page
kernels.py --make LLVM_TO_EIR
                           compiles kernels.c: kernels.eir from clang -O1, factors.txt from the remarks of clang -O3 and
                           gcc -O3. Needs clang-19 and gcc.
kernels.py TOOL --llvm LLVM_UNROLL
                           compiles kernels.c and checks that the view of LLVM gets the decisions of kernels.eir

The check needs no compiler: factors.txt and kernels.eir are in the repository. All compilers run without vectorizers, and
keep loops that they would replace by a call of memcpy. A factor of another compiler is a candidate of `midend unroll
--factor`; complete unrolling is the factor that is the trip count.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
SOURCE = HERE / "kernels.c"
PROGRAM = HERE / "kernels.eir"
FACTORS = HERE / "factors.txt"
PAGE = HERE.parent.parent / "docs/unrolling-llvm.md"
MACHINES = {"e2k": "e2k_reference_v6", "scalar": "scalar_core"}
COMPILERS = ("clang", "gcc")
OPAQUE_ADDRESSES = {"matrix_4x4"} # LLVM's view does not take an address with two indices apart

CLANG = ["-fno-vectorize", "-fno-slp-vectorize", "-fno-builtin", "-ffp-contract=off"]
CLANG_O1 = ["clang-19", "-O1", *CLANG, "-fno-unroll-loops", "-fno-discard-value-names", "-emit-llvm", "-c"]
CLANG_O3 = ["clang-19", "-O3", *CLANG, "-Rpass=loop-unroll", "-S", "-o", "/dev/null"] # a later -O3 would vectorize
GCC_O3 = ["gcc", "-O3", "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fno-builtin", "-ffp-contract=off",
          "-fno-tree-loop-distribute-patterns", "-fopt-info-loop", "-S", "-o", "/dev/null"]


def run(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]}: status {done.returncode}\n{done.stderr}")
    return done


# What the others do.

def loop_lines():
    """For each function its innermost loop: the line of the last `for` or `while`."""
    lines, name = {}, None
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
        if begins := re.match(r"\w.*?(\w+)\(.*\) \{$", line):
            name = begins.group(1)
        elif re.match(r" +(for|while) ", line):
            lines[name] = number
    return lines


def remarks(command):
    """The factor by line, or `full`."""
    factors = {}
    for line, text in re.findall(r"kernels\.c:(\d+):\d+: (?:remark|optimized): *(.*)", run([*command, SOURCE]).stderr):
        factor = re.search(r"by a factor of (\d+)", text)
        if "completely unrolled" in text:
            factors[int(line)] = "full"
        elif factor:
            factors[int(line)] = factor.group(1)
        else:
            sys.exit(f"unknown remark: {text}")
    return factors


def make(llvm_to_eir):
    with tempfile.TemporaryDirectory() as work:
        module = pathlib.Path(work) / "kernels.bc"
        run([*CLANG_O1, SOURCE, "-o", module])
        PROGRAM.write_text("# kernels.c by clang -O1, translated by llvm_to_eir. Made by kernels.py --make.\n\n" +
                           run([llvm_to_eir, "--alias=objects", module]).stdout)
    clang, gcc = remarks(CLANG_O3), remarks(GCC_O3)
    rows = ["# The innermost loop of each kernel, by clang 19 -O3 and gcc 12 -O3. Made by kernels.py --make."]
    rows += [f"{name} {clang.get(line, 1)} {gcc.get(line, 1)}" for name, line in loop_lines().items()]
    FACTORS.write_text("\n".join(rows) + "\n")


# What midend says.

class Kernel:
    """One loop on one machine, with the choices of all compilers."""

    def __init__(self, tool, machine, name, factors):
        self.tool, self.machine, self.name = tool, machine, name
        self.loop = self.advise()
        self.others = {c: self.loop["trip_count"]["header_executions"] if f == "full" else int(f)
                       for c, f in zip(COMPILERS, factors)}
        self.words = dict(zip(COMPILERS, factors))

    def advise(self, *options):
        out = run([self.tool, "unroll", PROGRAM, "--json", f"--machine={MACHINES[self.machine]}",
                   f"--procedure={self.name}", *options]).stdout
        loops = [l for l in json.loads(out)["loops"] if l["obstacle"] == "none"]
        assert len(loops) == 1, self.name
        return loops[0]

    @staticmethod
    def cycles(loop):
        return loop["total_cycles"]["after"] + loop["setup_cycles"]["after"]

    def candidate(self, factor):
        """A factor of another compiler under the model."""
        loop = self.loop if factor == 1 else self.advise(f"--factor={factor}", "--max-operations=1000000",
                                                         "--max-bytes=1000000")
        found = [c for c in loop["candidates"] if c["factor"] == factor and c["kind"] != "peel" and c["is_evaluated"]]
        assert len(found) == 1, (self.name, factor)
        return found[0]

    def reason(self, factor):
        """Why midend does not take it; empty if it does."""
        found = [c["reason"] for c in self.loop["candidates"] if c["factor"] == factor and c["kind"] != "peel"]
        return "" if found == ["none"] else found[0]


def all_cycles(candidate):
    return candidate["total_cycles"] + candidate["setup_cycles"]


def complaints(kernel):
    """How midend's choice is worse than another one: never by cycles alone, and by default only where size decides."""
    fastest = Kernel.cycles(kernel.advise("--least-gain=0"))
    for compiler, factor in kernel.others.items():
        cycles = all_cycles(kernel.candidate(factor))
        what = f"{kernel.name} on {kernel.machine}: {compiler}'s factor {factor} takes {cycles} cycles, "
        if cycles < fastest:
            yield what + f"midend's with --least-gain=0 {fastest}"
        if cycles < Kernel.cycles(kernel.loop) and kernel.reason(factor) != "gain_too_small":
            yield what + f"midend's {Kernel.cycles(kernel.loop)}"


REASONS = {"tie": "equally fast, but larger", "outdone": "a later candidate is better", "not_faster": "not faster",
           "gain_too_small": "gains too little for its size"}
LIMITS = {"recurrence": "recurrence", "resources": "resources", "critical_path": "chain",
          "straight_line": "chain, resources"}


def verdict(kernel, factor):
    """What midend says of a factor that it does not take: why, and what bounds it."""
    reason = kernel.reason(factor)
    return f"{REASONS[reason]} ({LIMITS[kernel.candidate(factor)['limit']]})" if reason else ""


def choice_text(factor, is_full, cycles):
    return f"{'full ' if is_full else ''}{factor}: {cycles}"


def table(kernels):
    rows = ["| loop | iterations | rolled | midend | clang -O3 | gcc -O3 | midend of clang's factor |",
            "|---|---|---|---|---|---|---|"]
    for k in kernels:
        l = k.loop
        before = l["total_cycles"]["before"] + l["setup_cycles"]["before"]
        choices = [choice_text(f, k.words[c] == "full", all_cycles(k.candidate(f))) for c, f in k.others.items()]
        own = choice_text(l["factor"], l["decision"] == "full", k.cycles(l))
        cells = [f"`{k.name}`", l["iterations"], before, own, *choices, verdict(k, k.others["clang"])]
        rows.append("| " + " | ".join(str(c) for c in cells) + " |")
    return "\n".join(rows) + "\n"


def compare_with_llvm(llvm_unroll, tool):
    """The decisions that LLVM's view of the same functions gets."""
    with tempfile.TemporaryDirectory() as work:
        module = pathlib.Path(work) / "kernels.bc"
        run([*CLANG_O1, SOURCE, "-o", module])
        different = 0
        for machine in MACHINES:
            listed = run([llvm_unroll, "--list", f"--machine={machine}", module]).stdout
            theirs = {m[0]: m[1] for m in re.findall(r"^(\w+) %\S+: midend (\w+(?: \d+)?)", listed, re.M)}
            for name, *factors in read_factors():
                l = Kernel(tool, machine, name, factors).loop
                ours = "none" if l["decision"] == "none" else \
                    f"{l['decision'].replace('_with_remainder', '')} {l['factor']}"
                if name in OPAQUE_ADDRESSES:
                    continue
                if theirs[name].replace("_with_remainder", "") != ours:
                    print(f"{name} on {machine}: {ours} as .eir, {theirs[name]} as LLVM IR")
                    different += 1
    print(f"{different} decisions differ")
    return different


def read_factors():
    return [line.split() for line in FACTORS.read_text().splitlines() if line and not line.startswith("#")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", nargs="?", help="the midend tool")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--make", metavar="LLVM_TO_EIR")
    parser.add_argument("--llvm", metavar="LLVM_UNROLL")
    given = parser.parse_args()
    if given.make:
        make(given.make)
        return 0
    if given.llvm:
        return 1 if compare_with_llvm(given.llvm, given.tool) else 0
    wrong, page = [], PAGE.read_text()
    for machine in MACHINES:
        kernels = [Kernel(given.tool, machine, name, factors) for name, *factors in read_factors()]
        text = table(kernels)
        if given.table:
            print(f"{machine}:\n\n{text}")
            continue
        wrong += [c for k in kernels for c in complaints(k)]
        if text not in page:
            wrong.append(f"{PAGE.name} does not have the table of {machine}: kernels.py --table prints it")
    if not given.table:
        print("\n".join(wrong) if wrong else "no choice is worse")
    return 1 if wrong else 0


sys.exit(main())
