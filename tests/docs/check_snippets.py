#!/usr/bin/env python3
"""check_snippets.py ROOT [--tool FILE]: whether the documents say what is so.

- Every block of code marked `cpp` stands word for word in one of the programs of examples/. Indentation may differ as a
  whole; a line `// …` leaves something out; a second block may come from another program.
- Every block of code marked `eir` stands in the same way in one of the programs of examples/programs/, where `# …`
  leaves something out. (That those are right is the business of tests/elbrus/samples_test.cpp.)
- Every block marked `output` stands in the same way in what one of the examples prints, examples/*.out.
- Every block marked `meson` or `starlark` stands in the same way in a file of tests/clients/, which uses midend so.
- Every relative link and picture leads to a file that is there, and every `#place` to a heading.
- Every block marked `console` is what the tool prints: after `$ ` stands a command that begins with `midend`, and what
  follows is its standard output and standard error. A line `…` leaves out any number of lines. Without --tool these
  are only counted.
- Blocks marked `cpp file=NAME` and `console typed` are the business of type_page.py.
- The largest number of nodes, `max_nodes`, is the one that the README and docs/graph.md name.

Documents are the *.md files of ROOT and of its docs/. Exit status 1 if anything is wrong.
"""
import argparse
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

FENCE = re.compile(r"^( *)(```+|~~~+)(\S*)([^\n]*)\n(.*?)^\1\2[ ]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|<img[^>]*?src=\"([^\"]+)\"|<a[^>]*?href=\"([^\"]+)\"")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:")


class Checker:
    def __init__(self, root, tool):
        self.root = root
        self.tool = tool
        self.problems = []
        self.counts = {"snippets": 0, "links": 0, "commands": 0, "commands not run": 0,
                       "typed blocks": 0}
        sources = {"cpp": [*root.glob("examples/*.cpp"), *root.glob("examples/*/*.cpp"),
                           *root.glob("examples/*/*.hpp")],
                   "eir": root.glob("examples/programs/*.eir"), "output": root.glob("examples/*.out"),
                   "meson": root.glob("tests/clients/meson/*"), "starlark": root.glob("tests/clients/bazel/*.bazel")}
        # What is compared: lines without the indentation they have in common, marks left out.
        self.lines = {language: [[line for line in path.read_text(encoding="utf-8").splitlines()
                                  if not re.match(r"^\s*// \[\w[\w ]*\]$", line)] for path in sorted(paths)]
                      for language, paths in sources.items()}

    def wrong(self, document, line, message):
        self.problems.append(f"{document.relative_to(self.root)}:{line}: {message}")

    def check(self, document):
        text = document.read_text(encoding="utf-8")
        for block in FENCE.finditer(text):
            line = text.count("\n", 0, block.start()) + 1
            body = textwrap.dedent(block.group(5))
            if re.search(r"\b(file=|typed\b)", block.group(4)):
                self.counts["typed blocks"] += 1
            elif block.group(3) in self.lines:
                self.counts["snippets"] += 1
                if not any(contains(lines, body) for lines in self.lines[block.group(3)]):
                    self.wrong(document, line, "this code is in no example")
            elif block.group(3) == "console":
                self.check_console(document, line, body)
        self.check_links(document, text)

    def check_limit(self):
        header = (self.root / "include/midend/graph/concepts.hpp").read_text(encoding="utf-8")
        limit = int(re.search(r"max_nodes = (0x[0-9a-f']+|\d+);", header).group(1).replace("'", ""), 0)
        exponent = str(limit.bit_length()).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
        for name in ("README.md", "docs/graph.md"):
            if f"2{exponent} - 1" not in (self.root / name).read_text(encoding="utf-8"):
                self.problems.append(f"{name}: does not say that a graph has at most 2{exponent} - 1 nodes")

    def check_links(self, document, text):
        prose = FENCE.sub(lambda block: "\n" * block.group(0).count("\n"), text)
        prose = re.sub(r"<!--.*?-->", lambda comment: "\n" * comment.group(0).count("\n"), prose, flags=re.DOTALL)
        prose = re.sub(r"`[^`\n]*`", "", prose)
        for link in LINK.finditer(prose):
            target = next(group for group in link.groups() if group)
            if ELSEWHERE.match(target):
                continue
            self.counts["links"] += 1
            line = prose.count("\n", 0, link.start()) + 1
            name, _, place = target.partition("#")
            path = (document.parent / name).resolve() if name else document
            if not path.exists():
                self.wrong(document, line, f"'{target}' leads nowhere")
            elif place and place not in headings(path):
                self.wrong(document, line, f"'{target}': there is no such heading")

    def check_console(self, document, line, body):
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            if not re.match(r"midend( |$)", command):
                self.wrong(document, line, f"'{command}' is no command of the tool")
            elif self.tool is None:
                self.counts["commands not run"] += 1
            else:
                self.counts["commands"] += 1
                environment = dict(os.environ, PATH=f"{self.tool.parent}:{os.environ['PATH']}", LC_ALL="C")
                run = subprocess.run(["sh", "-c", command], cwd=self.root, env=environment, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
                printed = run.stdout.decode("utf-8", "replace")
                if not matches(printed.rstrip().splitlines(), expected.rstrip().splitlines()):
                    self.wrong(document, line, f"'{command}' prints:\n{textwrap.indent(printed, '    ')}")


def contains(lines, snippet):
    """Whether the parts of a snippet follow each other in a program."""
    at = 0
    for part in re.split(r"^\s*(?://|#) …\s*$", snippet, flags=re.MULTILINE):
        wanted = [line for line in textwrap.dedent(part).splitlines() if line.strip()]
        at = find(lines, wanted, at)
        if at is None:
            return False
    return True


def find(lines, wanted, start):
    """Where `wanted` ends in `lines`, empty lines apart; None if it is not there."""
    for first in range(start, len(lines)):
        if not wanted:
            return start
        indent = len(lines[first]) - len(lines[first].lstrip())
        found, at = 0, first
        while at < len(lines) and found < len(wanted):
            if lines[at].strip():
                if lines[at][:indent].strip() or lines[at][indent:].rstrip() != wanted[found].rstrip():
                    break
                found += 1
            at += 1
        if found == len(wanted):
            return at
    return None


def matches(printed, expected):
    if not expected:
        return not printed
    if expected[0].strip() == "…":
        return any(matches(printed[skip:], expected[1:]) for skip in range(len(printed) + 1))
    return bool(printed) and printed[0].rstrip() == expected[0].rstrip() and matches(printed[1:], expected[1:])


def headings(path):
    """The anchors that a forge gives to headings."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    anchors = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    for heading in re.findall(r"^#+ +(.*?)\s*#*$", text, re.MULTILINE):
        anchor = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")
        anchors.add(anchor)
    return anchors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("--tool", type=Path)
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    checker = Checker(root, arguments.tool.resolve() if arguments.tool else None)
    documents = sorted([*root.glob("*.md"), *root.glob("docs/**/*.md")])
    for document in documents:
        checker.check(document)
    checker.check_limit()
    print(f"{len(documents)} documents: " + ", ".join(f"{n} {what}" for what, n in checker.counts.items() if n))
    for problem in checker.problems:
        print(problem)
    sys.exit(1 if checker.problems else 0)


main()
