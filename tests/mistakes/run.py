#!/usr/bin/env python3
"""Natural mistakes: what midend answers to each.

run.py [--compilers=g++-12,clang++-19,…] [--jobs=N] [--only=NAME,…] [--share=N] INCLUDE_DIR
    compiles and runs the mistakes of this folder and of sentences/; each must get the answer that its comment expects,
    within the first ten lines; lines that say through which headers an #include has come do not count. Compile-time
    mistakes are given to the compilers of --rejecting, without what is run; with --share, every Nth of them.
run.py --table=FILE [--thorough] INCLUDE_DIR
    gives what does not compile to all compilers, runs the others with the first one, checked and with NDEBUG, and
    writes the table of docs/mistakes.md. With --thorough, all compilers run them.

A file without one of its mistakes must compile, so that nothing else is wrong with it. Exit status 77: no compiler.
"""
import argparse
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = ["graph", "dataflow", "lattices", "statements", "ssa", "semantics", "cost", "editing"]
LINES = 10
WARNINGS = ["-Wall", "-Wextra"]


class Mistake:
    def __init__(self, file, text, kind, expected, flags):
        self.file, self.text, self.kind, self.expected, self.flags = file, text, kind, expected, flags
        self.name = None
        self.path = os.path.join(HERE, file + ".cpp")
        self.is_sentence = False  # the first error must be a sentence of midend
        self.answers = {}  # by compiler and mode: (status, lines)


def read(file):
    """The mistakes of a file, in its order."""
    mistakes = []
    current = None
    for number, line in enumerate(open(os.path.join(HERE, file + ".cpp")), 1):
        if match := re.match(r"// mistake: (.+)$", line):
            current = Mistake(file, match[1], None, None, [])
        elif match := re.match(r"// (compile-time|run-time|silent): (.+)$", line):
            current.kind, current.expected = match[1], match[2]
        elif re.match(r"// works$", line):
            current.kind = "works"
        elif match := re.match(r"// flags: (.+)$", line):
            current.flags = match[1].split()
        elif match := re.match(r"(?:#ifdef MISTAKE_|RUN\()(\w+)", line):
            if current is None:
                continue  # the body of a compile-time mistake
            if current.kind is None:
                sys.exit(f"{file}.cpp:{number}: {match[1]} does not say what it expects")
            current.name = match[1]
            mistakes.append(current)
            current = None
    return mistakes


def sentences():
    """The mistakes in sentences/, listed at the head of their file as `// mistake name: REGEX`. The first error must be a
    sentence of midend that matches."""
    rungs = {"graph": "graph", "dataflow": "dataflow", "values": "semantics", "domains": "semantics", "costs": "cost",
             "unrolling": "editing"}
    mistakes = []
    for path in sorted(glob.glob(os.path.join(HERE, "sentences", "*.cpp"))):
        before = len(mistakes)
        for line in open(path):
            if match := re.match(r"// mistake (\w+): (.+)$", line):
                text = match[1].replace("_", " ")
                rung = rungs[os.path.splitext(os.path.basename(path))[0]]
                m = Mistake(rung, text[0].upper() + text[1:], "compile-time", match[2], [])
                m.name, m.path, m.is_sentence = match[1], path, True
                mistakes.append(m)
        if len(mistakes) == before:
            sys.exit(f"{path} has no line '// mistake name: REGEX'")
    return mistakes


def run(command, timeout=240):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, errors="replace")
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        return "endless", (late.stdout or b"").decode(errors="replace")


def flags_of(mode, include):
    """What is rejected is not linked, so it may leave functions to a library."""
    defined = {"Debug": [], "NDEBUG": ["-DNDEBUG"], "rejected": ["-DMIDEND_COMPILED=1"]}
    return ["-std=c++20", "-O0", "-g0", *WARNINGS, "-I" + include, *defined[mode]]


def precompile(compiler, include, mode, directory):
    """Precompiles mistakes.hpp, which takes longer than any of the mistakes; flags that use it."""
    own = os.path.join(directory, os.path.basename(compiler) + "-" + mode)
    os.mkdir(own)
    header = shutil.copy(os.path.join(HERE, "mistakes.hpp"), own)
    is_clang = "clang" in os.path.basename(compiler)
    result = header + (".pch" if is_clang else ".gch")
    status, output = run([compiler, *flags_of(mode, include), "-x", "c++-header", header, "-o", result], 580)
    if status != 0:
        sys.exit(f"mistakes.hpp does not compile ({compiler}, {mode}):\n{output}")
    return ["-include-pch", result] if is_clang else ["-include", header]


def without_runs(path, directory):
    """A copy of a file with its mistakes, without what is run and the functions for that, which take most of the time to
    compile; lines keep their numbers."""
    text = re.sub(r"(?ms)^(#ifdef MISTAKE_\w+\n)?(RUN\(\w+\)|static [^;{}=]*\)) \{$.*?^\}$",
                  lambda part: part[0] if part[1] else "\n" * part[0].count("\n"), open(path).read())
    copy = os.path.join(directory, "rejected-" + os.path.basename(path))
    with open(copy, "w") as file:
        file.write(text)
    return copy


def compile_time(compiler, include, m, precompiled, path):
    if m.flags:
        precompiled = []
    flags = [*flags_of("rejected", include), "-I" + HERE, "-fsyntax-only", "-DMISTAKE_" + m.name, *m.flags]
    if "clang" not in os.path.basename(compiler):
        # The first error is the answer. g++ need not instantiate the rest of the file after it, which takes longer.
        flags.append("-fmax-errors=1")
    answer = run([compiler, *precompiled, *flags, path])
    # A mistake may be in what is run.
    return run([compiler, *precompiled, *flags, m.path]) if path != m.path and judge(m, *answer) else answer


def without_mistakes(compiler, include, path):
    """What is wrong with a file of sentences/ without its mistakes, or nothing; with its own #includes."""
    status, output = run([compiler, *flags_of("Debug", include), "-Werror", "-fsyntax-only", path])
    return None if status == 0 else f"{path} must compile without its mistakes ({compiler}):\n{output}"


def sentence(output):
    """The first error, without the place."""
    for line in output.splitlines():
        if match := re.search(r"(?:error|warning): (.+)$", line):
            text = re.sub(r"^static assertion failed(?: due to requirement '.*?')?:? ?", "", match[1])
            return re.sub(r" \[-W[\w=,#+-]+\]$", "", text).strip().strip('"')
    return output.splitlines()[0] if output else ""


def build(compiler, include, mode, directory, file, precompiled):
    """Builds the run-time mistakes of a file; the program and what the compiler says."""
    program = os.path.join(directory, f"{file}-{os.path.basename(compiler)}-{mode}")
    command = [compiler, *precompiled, *flags_of(mode, include)]
    status, output = run([*command, "-c", os.path.join(HERE, file + ".cpp"), "-o", program + ".o"], 580)
    if status == 0 and "warning:" not in output:
        status, output = run([*command, os.path.join(HERE, "main.cpp"), program + ".o", "-o", program], 580)
        if status == 0:
            return program, ""
    return None, f"{file}.cpp must compile without its mistakes ({compiler}, {mode}):\n{output}"


def lines_of(output):
    """The lines of an output, without those that say through which headers an #include has come."""
    return [line for line in output.splitlines() if not re.match(r"In file included from|\s+from .*[:,]$", line)]


def judge(m, status, output):
    """What is wrong with an answer, or nothing."""
    first = "\n".join(lines_of(output)[:LINES])
    if m.kind in ("works", "silent"):
        return None if status == 0 and not output else "does not work" if m.kind == "works" else "is noticed"
    if m.kind == "compile-time" and status == 0:
        return "compiles silently"
    if m.kind == "run-time" and status == "endless":
        return "does not end"
    if not first:
        return "silent"
    if m.is_sentence:
        error = next((line for line in output.splitlines() if re.search(r"(^|: )(fatal )?error: ", line)), "")
        said = re.search(f"static assertion failed.*midend: .*({m.expected})", error)
        return None if said else f"the first error is not a sentence with /{m.expected}/"
    said = sentence(output) if m.kind == "compile-time" else first
    return None if re.search(m.expected, said if m.kind == "run-time" else first) else f"does not say /{m.expected}/ in time"


def words(m, status, output):
    """The answer as a cell of the table."""
    if m.kind == "compile-time":
        return sentence(output) if status != 0 else "compiles"
    if status == "endless":
        return "does not end"
    lines = output.splitlines()
    for line in lines[:LINES]:
        if match := re.search(r"violation: (.+)$", line):
            return "stops: " + match[1]
    if lines:
        return lines[0]
    if status == 0:
        return "right answer" if m.kind == "works" else "no word"
    return f"crashes" if status < 0 else f"status {status}"


def cell(text):
    text = text.replace("|", "\\|").replace("\n", " ")
    return text if len(text) <= 220 else text[:217] + "…"


def table(mistakes, compilers, running, path):
    titles = {"graph": "Graphs", "dataflow": "Dataflow problems", "lattices": "Lattices", "statements": "Statements",
              "ssa": "SSA form", "semantics": "Semantics and domains", "cost": "Cost and machines", "editing": "Editing"}
    names = [c.replace("g++-12", "g++ 12").replace("clang++-", "clang ") for c in compilers]
    out = ["# Mistakes", "",
           "What midend answers to what people write by mistake. `tests/mistakes/run.py --table` writes this page: it compiles "
           "and runs each of the programs in [tests/mistakes](../tests/mistakes), and the tests check the answers. "
           "Compile-time answers are the first error of the compiler; where the compilers agree, it is given once. "
           "Run-time answers are those of a Debug build, and of one with `NDEBUG`, in which contracts are not checked "
           "(`check_graph`, `check_ir`, `check_lattice` and results with errors answer the same in both).", ""]
    for rung, title in titles.items():
        rows = [m for m in mistakes if m.file == rung]
        if not rows:
            continue
        out += [f"## {title}", ""]
        compiled = [m for m in rows if m.kind == "compile-time"]
        ran = [m for m in rows if m.kind == "run-time"]
        works = [m for m in rows if m.kind == "works"]
        silent = [m for m in rows if m.kind == "silent"]
        if compiled:
            out += ["| does not compile | first error |", "|---|---|"]
            for m in compiled:
                said = {}
                for c, n in zip(compilers, names):
                    said.setdefault(words(m, *m.answers[c, "Debug"]), []).append(n)
                text = "<br>".join(f"{t}" if len(said) == 1 else f"{', '.join(n)}: {t}" for t, n in said.items())
                out.append(f"| {cell(m.text)} | " + "<br>".join(cell(t) for t in text.split("<br>")) + " |")
            out.append("")
        if ran:
            out += ["| stops or is named by a check | Debug | NDEBUG |", "|---|---|---|"]
            for m in ran:
                debug = {}
                for c, n in zip(running, running):
                    debug.setdefault(words(m, *m.answers[c, "Debug"]), []).append(n)
                text = "<br>".join(t if len(debug) == 1 else f"{', '.join(n)}: {t}" for t, n in debug.items())
                free = words(m, *m.answers[running[0], "NDEBUG"])
                out.append(f"| {cell(m.text)} | {cell(text)} | {'the same' if free == text else cell(free)} |")
            out.append("")
        if works:
            out += ["| works | |", "|---|---|"]
            for m in works:
                answers = {words(m, *m.answers[c, mode]) for c in running for mode in ("Debug", "NDEBUG")}
                out.append(f"| {cell(m.text)} | {cell(', '.join(sorted(answers)))} |")
            out.append("")
        if silent:
            out += ["| is not noticed | why |", "|---|---|"]
            out += [f"| {cell(m.text)} | {cell(m.expected)} |" for m in silent] + [""]
    open(path, "w").write("\n".join(out).rstrip("\n") + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("include")
    parser.add_argument("--compilers", default="g++-12")
    parser.add_argument("--rejecting", default="clang++-19", help="the fastest of them, several times")
    parser.add_argument("--thorough", action="store_true", help="all compilers for everything")
    parser.add_argument("--table")
    parser.add_argument("--only", default="", help="names of mistakes or files")
    parser.add_argument("--share", type=int, default=1, help="every Nth mistake that must not compile")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    all_compilers = ["g++-12", "clang++-16", "clang++-19"]
    if options.thorough:
        running = rejecting = all_compilers
    elif options.table:
        running, rejecting = all_compilers[:1], all_compilers
    else:
        running, rejecting = options.compilers.split(","), options.rejecting.split(",")
    running = [c for c in running if shutil.which(c)]
    rejecting = [c for c in rejecting if shutil.which(c)] or running
    if not running:
        print("no compiler of " + options.compilers)
        return 77
    files = [f for f in FILES if os.path.exists(os.path.join(HERE, f + ".cpp"))]
    mistakes = [m for f in files for m in read(f)]
    mistakes += sentences()
    if options.only:
        only = options.only.split(",")
        mistakes = [m for m in mistakes if m.name in only or m.file in only]
    to_reject = [m for m in mistakes if m.kind == "compile-time"]
    mistakes = [m for m in mistakes if m.kind != "compile-time"] + to_reject[::options.share]
    include = os.path.abspath(options.include)
    problems = []
    with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        used = sorted({m.file for m in mistakes if m.kind != "compile-time"})
        modes = ["Debug", "NDEBUG"] if options.table else ["Debug"]
        wanted = {(c, mode) for c in running for mode in modes if used} | \
                 {(c, "rejected") for c in rejecting if any(m.kind == "compile-time" for m in mistakes)}
        precompiled = {key: pool.submit(precompile, key[0], include, key[1], directory) for key in sorted(wanted)}
        precompiled = {key: future.result() for key, future in precompiled.items()}
        programs = {(c, mode, file): pool.submit(build, c, include, mode, directory, file, precompiled[c, mode])
                    for c in running for mode in modes for file in used}
        right = [pool.submit(without_mistakes, c, include, path) for c in rejecting
                 for path in sorted({m.path for m in mistakes if m.is_sentence})]
        # A sentence does not depend on what else is included; --thorough asks with the file's own #includes alone.
        rejected = {path: path if "sentences" in path else without_runs(path, directory)
                    for path in sorted({m.path for m in mistakes if m.kind == "compile-time"})}
        compiled = {(m, c): pool.submit(compile_time, c, include, m,
                                        [] if m.is_sentence and options.thorough else precompiled[c, "rejected"],
                                        rejected[m.path])
                    for m in mistakes if m.kind == "compile-time" for c in rejecting}
        for (c, mode, file), future in programs.items():
            program, output = future.result()
            if program is None:
                problems.append(output)
                continue
            for m in mistakes:
                if m.file == file and m.kind != "compile-time":
                    m.answers[c, mode] = run([program, m.name], 10)
        problems += [wrong for future in right if (wrong := future.result())]
        for (m, c), future in compiled.items():
            m.answers[c, "Debug"] = future.result()
        for m in mistakes:
            for (c, mode), (status, output) in m.answers.items():
                if mode == "Debug" and (wrong := judge(m, status, output)):
                    head = "\n".join("    " + line[:300] for line in output.splitlines()[:LINES])
                    problems.append(f"{m.file}.cpp: {m.name} ({c}): {wrong} (status {status})\n{head}")
    print("\n".join(problems))
    print(f"{len(mistakes)} mistakes, {len(problems)} problems")
    if options.table:
        table(mistakes, rejecting, running, options.table)
    return 1 if problems else 0


sys.exit(main())
