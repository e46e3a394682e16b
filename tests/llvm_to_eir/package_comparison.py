#!/usr/bin/env python3
"""package_comparison.py BIN FILE.bc...: operations of translated functions before and after midend's low-level package,
beside those after LLVM's passes of the same kind on the same functions.

Both are counted in the Elbrus-like IR: what opt-19 makes is translated, too. Only functions that translate before and
after opt-19 count. Prints four tables: operations by module; after each pass of LLVM's list; by kind of operation; and
patterns that LLVM removes.
"""
import collections
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LLVM_PASSES = ["early-cse<memssa>", "sccp", "instcombine<no-verify-fixpoint>", "adce", "simplifycfg"]
PACKAGE = "low-level-package"
# The package with what LLVM's list has besides: constants along branches, control, dead cycles.
WITH_CONTROL = "low-level-package,sccp:product,clean-control,dce,low-level-package"


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr[:1000]}")
    return done


def lines_of(path):
    """For each procedure, its operations."""
    procedures, lines = {}, None
    for line in Path(path).read_text().splitlines():
        if line.startswith("proc "):
            lines = procedures[re.match(r"proc @([\w.]+)", line)[1]] = []
        elif line.startswith("    "):
            lines.append(line.strip())
    return procedures


def parts(line):
    """Result or None, name and the rest."""
    m = re.match(r"(?:(%[\w.]+) = )?(\S+) ?(.*)", line)
    return m[1], m[2], m[3]


def kinds(lines):
    """How often each kind of operation is there."""
    words = (parts(line)[1] for line in lines)
    return collections.Counter("cmp" if w.startswith(("cmp", "fcmp")) else w.split(".")[0] for w in words)


ARITHMETIC = ("add", "sub", "mul", "and", "or", "xor", "shl", "shr", "sar")


def patterns(lines):
    """How often there is what LLVM's passes are known to remove."""
    names, users = {}, collections.defaultdict(list)
    for result, name, rest in map(parts, lines):
        names[result] = name
        for operand in set(re.findall(r"%[\w.]+", rest)):
            users[operand].append(name)
    found = collections.Counter()
    for result, name, rest in map(parts, lines):
        readers = users[result] if result else []

        def only(*wanted):
            return readers and all(r.split(".")[0] in wanted for r in readers)

        first = names.get(rest.split(",")[0].split()[0]) if rest else None
        if name.startswith(("zext", "sext")):
            if only("cmp"):
                found["extensions that only comparisons read"] += 1
            elif only("trunc", "and"):
                found["extensions that only truncations and masks read"] += 1
            elif only(*ARITHMETIC):
                found["extensions that only other arithmetic reads"] += 1
            elif only("zext", "sext", "switch"):
                found["extensions that only extensions and switches read"] += 1
        elif name.startswith("trunc") and first and first.split(".")[0] in ARITHMETIC + ("zext", "sext", "phi", "select"):
            found["truncations of arithmetic, extensions, phis"] += 1
        elif name.startswith("cmp") and first and first.startswith("zext.i1"):
            found["comparisons of an extended predicate"] += 1
        elif name.startswith("call") and not readers and "clobbers=none" in rest:
            found["calls that write nothing and whose result nobody reads"] += 1
        elif name == "br" and "?" in rest:
            found["conditional branches"] += 1
    return found


def total(procedures, names, count):
    sums = collections.Counter()
    for name in names:
        sums.update(count(procedures[name]))
    return sums


def visits(stats, names):
    """Operations that the package visited, and those that it visited more than twice."""
    visited = often = 0
    for line in stats.splitlines():
        m = re.match(r"@([\w.]+): low-level-package: .*?(\d+) operations visited, (\d+) more than twice", line)
        if m and m[1] in names:
            visited, often = visited + int(m[2]), often + int(m[3])
    return visited, often


class Module:
    def __init__(self, bin_dir, module, work):
        def translated(source, target):
            with open(target, "w") as out:
                done = subprocess.run([bin_dir / "llvm_to_eir", source], stdout=out, stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                sys.exit(done.stderr)
            return lines_of(target)

        def optimised(source, passes, target):
            done = run(bin_dir / "midend", "opt", source, f"--passes={passes}", "--stats", "-o", target)
            return lines_of(target), done.stderr

        self.name = module.stem
        before = translated(module, work / "before.eir")
        steps = []  # after each pass of LLVM
        for i in range(len(LLVM_PASSES)):
            run("opt-19", "-passes=" + ",".join(LLVM_PASSES[: i + 1]), module, "-o", work / "llvm.bc")
            steps.append(translated(work / "llvm.bc", work / "llvm.eir"))
        llvm = steps[-1]
        package, stats = optimised(work / "before.eir", PACKAGE, work / "package.eir")
        control, _ = optimised(work / "before.eir", WITH_CONTROL, work / "control.eir")
        after, _ = optimised(work / "llvm.eir", WITH_CONTROL, work / "after.eir")
        names = set(before).intersection(*steps)
        self.functions = len(names)
        self.visited, self.often = visits(stats, names)
        programs = {"before": before, "package": package, "control": control, "llvm": llvm, "after": after}
        self.kinds = {k: total(v, names, kinds) for k, v in programs.items()}
        self.patterns = {k: total(v, names, patterns) for k, v in programs.items()}
        self.steps = [total(v, names, kinds).total() for v in steps]


COLUMNS = ("before", "package", "control", "llvm", "after")


def row(name, functions, counts, visited, often):
    def with_share(n):
        return f"{n:,} ({100 * (1 - n / counts['before']):.1f} %)"

    cells = [name, f"{functions:,}", f"{counts['before']:,}"] + [with_share(counts[c]) for c in COLUMNS[1:]]
    return "| " + " | ".join(cells + [f"{100 * (1 - often / max(visited, 1)):.2f} %"]) + " |"


def print_modules(modules):
    print("| module | functions | operations | low-level package | … with sccp, control, dce | LLVM's passes "
          "| … and ours after them | visited at most twice |")
    print("|---|---|---|---|---|---|---|---|")
    sums, functions, visited, often = collections.Counter(), 0, 0, 0
    for m in modules:
        counts = {c: m.kinds[c].total() for c in COLUMNS}
        print(row(m.name, m.functions, counts, m.visited, m.often))
        sums.update(counts)
        functions, visited, often = functions + m.functions, visited + m.visited, often + m.often
    print(row("sum", functions, sums, visited, often))


def print_steps(modules):
    print("\n| LLVM's passes, one after the other | " + " | ".join(m.name for m in modules) + " |")
    print("|---" * (len(modules) + 1) + "|")
    print("| before | " + " | ".join(f"{m.kinds['before'].total():,}" for m in modules) + " |")
    for i, name in enumerate(LLVM_PASSES):
        print(f"| `{name}` | " + " | ".join(f"{m.steps[i]:,}" for m in modules) + " |")


def print_counts(modules, title, member):
    sums = {c: collections.Counter() for c in COLUMNS}
    for m in modules:
        for c in COLUMNS:
            sums[c].update(getattr(m, member)[c])
    print(f"\n| {title} | before | low-level package | … with sccp, control, dce | LLVM's passes | we have more |")
    print("|---|---|---|---|---|---|")
    for name in sorted(sums["before"] | sums["llvm"], key=lambda k: (sums["llvm"][k] - sums["control"][k], k)):
        counts = [sums[c][name] for c in COLUMNS[:4]]
        print(f"| {name} | " + " | ".join(f"{n:,}" for n in counts) + f" | {counts[2] - counts[3]:+,} |")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as directory:
        modules = [Module(Path(sys.argv[1]), Path(m), Path(directory)) for m in sys.argv[2:]]
    print_modules(modules)
    print_steps(modules)
    print_counts(modules, "kind", "kinds")
    print_counts(modules, "pattern", "patterns")


main()
