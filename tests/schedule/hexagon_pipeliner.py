#!/usr/bin/env python3
"""Small loops pipelined by midend and by LLVM's machine pipeliner for Hexagon.

hexagon_pipeliner.py TOOL LLVM_TO_EIR          checks that midend has a schedule for every loop that LLVM pipelines, at
                                               an interval of at least the bound, and that docs/schedule.md has the
                                               table; exit status 77 if clang-19 cannot compile for Hexagon
hexagon_pipeliner.py TOOL LLVM_TO_EIR --table  prints the table

The loops are those of ../kernels/kernels.c and hexagon_kernels.c without doubles. clang-19 compiles them twice: for
Hexagon V66, with the remarks of the pipeliner and as assembly; and for this machine as LLVM IR, which llvm_to_eir
translates. It does not translate the IR for Hexagon, where pointers have 32 bits. Vectorizers, unrolling, and the
contraction of products and sums of floating-point numbers are off in both.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
SOURCES = (HERE.parent / "kernels/kernels.c", HERE / "hexagon_kernels.c")
MACHINE = ROOT / "examples/machines/hexagon.machine"
PAGE = ROOT / "docs/schedule.md"
SKIPPED = 77

CLANG = ["clang-19", "-O2", "-ffreestanding", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops",
         "-ffp-contract=off"]
HEXAGON = ["--target=hexagon", "-mcpu=hexagonv66"]
REMARKS = ["-Rpass=pipeliner", "-Rpass-analysis=pipeliner", "-Rpass-missed=pipeliner"]


def run(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(c) for c in command)}: status {done.returncode}\n{done.stderr}")
    return done


def compiles_for_hexagon():
    if shutil.which("clang-19") is None:
        return False
    empty = ["clang-19", *HEXAGON, "-x", "c", "-S", "-o", "/dev/null", "/dev/null"]
    return subprocess.run(empty, capture_output=True).returncode == 0


def innermost_loops(source):
    """For each function without doubles its innermost loop: the line of the last `for` or `while`."""
    lines, name = {}, None
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if begins := re.match(r"\w.*?(\w+)\(.*\) \{$", line):
            name = None if "double" in line else begins.group(1)
        elif name and re.match(r" +(for|while) ", line):
            lines[name] = number
    return lines


# LLVM

class LlvmLoop:
    """What the pipeliner says about a loop, and the loop in the assembly."""

    def __init__(self, remarks, text):
        self.interval, self.is_pipelined, self.why_not = None, False, ""
        for remark in remarks:
            if found := re.match(r"Schedule found with Initiation Interval: (\d+)", remark):
                self.interval = int(found.group(1))
            elif remark.startswith("Pipelined succ"):
                self.is_pipelined = True
            elif not remark.startswith("Failed"):
                self.why_not = remark
        packets = kernel_packets(text)
        self.packets = len(packets)
        self.instructions = sum(len(p) for p in packets)

    def cell(self):
        if self.is_pipelined:
            return str(self.interval)
        return f"{self.interval}, not taken" if self.interval else "refused"


def kernel_packets(text):
    """The packets of the hardware loop of one block in a function, each a list of instructions without `nop`; the
    smallest loop if there are several. A list without packets if there is none."""
    headers = re.findall(r"loop0\((\.LBB\w+),", text)
    loops, packets, packet = [], None, None
    for line in text.splitlines():
        if line.startswith("// %bb."): # a block that nothing jumps to
            packets = None
        line = line.split("//")[0].strip()
        if begins := re.match(r"(\.LBB\w+):", line):
            packets = [] if begins.group(1) in headers else None
        elif line == "{":
            packet = []
        elif line.startswith("}"):
            if packets is not None:
                packets.append(packet)
                if "endloop0" in line:
                    loops.append(packets)
                    packets = None
            packet = None
        elif packet is not None:
            packet += [i for i in (part.strip() for part in line.split(";")) if i and i != "nop"]
    return min(loops, key=len, default=[])


def llvm_loops(source, work):
    assembly = work / "hexagon.s"
    said = run([*CLANG, *HEXAGON, *REMARKS, "-S", source, "-o", assembly]).stderr
    remarks = re.findall(r"\.c:(\d+):\d+: remark: (.*?) \[-Rpass", said)
    functions = {m.group(1): m.group(2)
                 for m in re.finditer(r"^(\w+): +// @\w+\n(.*?)^\.Lfunc_end", assembly.read_text(), re.M | re.S)}
    return {name: LlvmLoop([text for at, text in remarks if int(at) == line], functions[name])
            for name, line in innermost_loops(source).items()}


# midend

def midend_loops(source, tool, llvm_to_eir, work):
    """By function its innermost loop, as docs/schedule.md describes the JSON."""
    module, program = work / "module.bc", work / "module.eir"
    run([*CLANG, "-emit-llvm", "-c", source, "-o", module])
    program.write_text(run([llvm_to_eir, "--alias=objects", module]).stdout)
    out = run([tool, "schedule", program, f"--machine={MACHINE}", "--hardware-counter", "--json"]).stdout
    return {l["procedure"]: l for l in json.loads(out)["loops"]
            if l["interval"] is not None or "contains a loop" not in l["obstacle"]}


def num_operations(loop):
    return sum(o["class"] != "branch" for o in loop["operations"])


def row(name, llvm, loop):
    packets = [str(llvm.packets), str(llvm.instructions)] if llvm.packets else ["", ""]
    ours = [str(loop["bound"]), str(loop["interval"]), str(num_operations(loop))] if loop["interval"] else ["", "", ""]
    return "| " + " | ".join([f"`{name}`", llvm.cell(), *packets, *ours]) + " |"


HEAD = """| loop | LLVM's interval | packets | instructions | midend's bound | midend's interval | operations |
|---|---|---|---|---|---|---|
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", help="the midend tool")
    parser.add_argument("llvm_to_eir", help="the translator of LLVM IR")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    if not compiles_for_hexagon():
        print("skipped: there is no clang-19 that compiles for Hexagon")
        return SKIPPED
    rows, wrong, pipelined, at_bound, shorter, same, longer = [], [], 0, 0, 0, 0, 0
    for source in SOURCES:
        with tempfile.TemporaryDirectory() as work:
            theirs = llvm_loops(source, pathlib.Path(work))
            ours = midend_loops(source, given.tool, given.llvm_to_eir, pathlib.Path(work))
        for name, llvm in theirs.items():
            loop = ours[name]
            rows.append(row(name, llvm, loop))
            pipelined += llvm.is_pipelined
            if loop["interval"] is None:
                if llvm.is_pipelined:
                    wrong.append(f"{name}: LLVM pipelines it, midend does not: {loop['obstacle']}")
                continue
            if loop["interval"] < loop["bound"]:
                wrong.append(f"{name}: interval {loop['interval']}, below the bound {loop['bound']}")
            at_bound += loop["interval"] == loop["bound"]
            if llvm.is_pipelined:
                shorter += loop["interval"] < llvm.interval
                same += loop["interval"] == llvm.interval
                longer += loop["interval"] > llvm.interval
    counts = f"{len(rows)} loops, midend's interval is its bound for {at_bound}; of {pipelined} that LLVM pipelines, " \
             f"it is shorter than LLVM's for {shorter}, the same for {same}, longer for {longer}"
    table = HEAD + "\n".join(rows) + "\n"
    if given.table:
        print(table)
    elif table not in PAGE.read_text():
        wrong.append(f"{PAGE.name} does not have the table: hexagon_pipeliner.py --table prints it")
    if pipelined < 10:
        wrong.append("LLVM pipelines fewer than ten loops: are its remarks still the same?")
    print("\n".join([*wrong, counts]))
    return 1 if wrong else 0


sys.exit(main())
