#!/usr/bin/env python3
"""one_file.py -o FOLDER: makes midend as single headers, for Compiler Explorer and for people without a package manager.

    midend.hpp        all analyses: what midend/midend.hpp includes
    midend_flow.hpp   graphs, dominance and loops
    midend_ssa.hpp    these, dataflow and SSA

one_file.py -o FILE HEADER...: one with headers of your choice and all that they need, such as midend/unrolling.hpp.
one_file.py --list [HEADER...]: the headers that these would contain.

Each header of midend stands in the file once, in the order of inclusion, under a guard of its own. So two files made from the
same headers work together; from different ones they say so, and so does a file together with the folder midend/. The
license and the version are at the top. Python 3, standard library only.
"""
import argparse
import re
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"

# What is made without a choice: name, first sentence, headers or folders.
FILES = {
    "midend.hpp": ("All analyses of midend", ["midend/midend.hpp"]),
    "midend_flow.hpp": ("Graphs, dominance and loops of midend", ["midend/graph", "midend/dominance", "midend/loops"]),
    "midend_ssa.hpp": ("Graphs, dominance, loops, dataflow and SSA of midend",
                       ["midend/graph", "midend/dominance", "midend/loops", "midend/dataflow", "midend/ssa"]),
}

DIRECTIVE = re.compile(r"\s*#\s*(\w+)\s*(.*?)\s*$")
OURS = re.compile(r'[<"](midend/[^>"]+)[>"]')
STANDARD = re.compile(r"<[\w.]+>$")


def fail(message):
    sys.exit(f"one_file.py: {message}")


def headers_of(names):
    """Folders as their headers, without those of `detail`."""
    out = []
    for name in names:
        path = INCLUDE / name
        if path.is_dir():
            out += sorted(str(p.relative_to(INCLUDE)) for p in path.rglob("*.hpp") if "detail" not in p.parts)
        elif path.is_file():
            out.append(name)
        else:
            fail(f"there is no header {name} in {INCLUDE}")
    return out


class Writer:
    def __init__(self):
        self.standard = set()  # headers of the language and other libraries, for the top of the file
        self.written = {}      # our headers, in the order in which they begin

    def header(self, name):
        """The text of a header, with that of all that it includes and that is not there yet, in its place."""
        if name in self.written:
            return []
        self.written[name] = True
        before, body, conditions = [], [], []
        for number, line in enumerate((INCLUDE / name).read_text(encoding="utf-8").splitlines(), 1):
            directive = DIRECTIVE.match(line)
            word, rest = directive.groups() if directive else ("", "")
            if word in ("if", "ifdef", "ifndef"):
                conditions.append(rest)
            elif word in ("elif", "else"):
                conditions[-1] = "other"
            elif word == "endif":
                conditions.pop()
            # Functions are defined in one-file headers, always.
            always = all(condition == "MIDEND_DEFINES_FUNCTIONS" for condition in conditions)
            ours = OURS.match(rest) if word == "include" else None
            if word == "pragma" and rest == "once":
                continue
            if ours:
                if not always:
                    fail(f"{name}:{number}: a header of midend under a condition")
                text = self.header(ours.group(1))
                # What a header includes at its top comes before it, so that guards do not nest.
                (body if conditions or body_has_code(body) else before).extend(text)
            elif word == "include" and always and STANDARD.match(rest):
                self.standard.add(rest)
            else:
                body.append(line)
        guard = "MIDEND_ONE_FILE_" + re.sub(r"\W", "_", name.removeprefix("midend/")).upper()
        while body and not body[-1]:
            body.pop()
        return before + [f"#if !defined({guard}) // {name}", f"#define {guard}", *squeezed(body), "#endif", ""]


def body_has_code(lines):
    return any(line and not line.startswith("//") for line in lines)


def squeezed(lines):
    """Not more than one empty line in a row."""
    return [line for i, line in enumerate(lines) if line or (i and lines[i - 1])]


def state_of_headers():
    """A number that changes with the headers."""
    state = 0
    for path in sorted(INCLUDE.rglob("*.hpp")):
        state = zlib.crc32(path.read_bytes(), zlib.crc32(str(path.relative_to(INCLUDE)).encode(), state))
    return state


def version():
    text = (INCLUDE / "midend/version.hpp").read_text(encoding="utf-8")
    return ".".join(re.search(rf"MIDEND_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


def one_file(title, names):
    writer = Writer()
    text = writer.header("midend/config.hpp")
    text += writer.header("midend/version.hpp")
    text += ["#if !defined(MIDEND_ONE_FILE)", f"#define MIDEND_ONE_FILE {state_of_headers():#010x}", "#endif", ""]
    for name in headers_of(names):
        text += writer.header(name)
    license_text = (ROOT / "LICENSE").read_text(encoding="utf-8").rstrip().splitlines()
    top = [f"// {title} in one file, version {version()}. Made by tools/one_file.py; change the headers of midend instead.",
           "//", *[f"// {line}".rstrip() for line in license_text], "#pragma once", ""]
    for condition, sentence in (
            ("defined(MIDEND_BEGIN_NAMESPACE) && !defined(MIDEND_ONE_FILE)",
             "midend: a header of the folder midend/ was included before this one-file header; include one of the two"),
            (f"defined(MIDEND_ONE_FILE) && MIDEND_ONE_FILE != {state_of_headers():#010x}",
             "midend: two one-file headers that were made from different versions of midend"),
            ("defined(MIDEND_COMPILED)", "midend: one-file headers have all functions; do not define MIDEND_COMPILED")):
        # As in config.hpp: compilers stop at a file that they cannot include.
        top += [f"#if {condition}", f'#define MIDEND_STOP "{sentence}"', "#include MIDEND_STOP", "#endif"]
    top.append("")
    return "\n".join([*top, *[f"#include {name}" for name in sorted(writer.standard)], "", *text]).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, metavar="PATH")
    parser.add_argument("--list", action="store_true", help="print the names of the headers")
    parser.add_argument("headers", nargs="*", metavar="HEADER")
    arguments = parser.parse_args()
    if arguments.list:
        writer = Writer()
        for name in headers_of(arguments.headers or ["midend/midend.hpp"]):
            writer.header(name)
        print("\n".join(sorted(writer.written)))
    elif arguments.output is None:
        parser.error("-o PATH is missing")
    elif arguments.headers:
        if arguments.output.is_dir():
            fail(f"{arguments.output} is a folder; headers that you name go into one file: -o FILE HEADER...")
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(one_file("Headers of midend", arguments.headers), encoding="utf-8")
    else:
        if arguments.output.suffix == ".hpp" or arguments.output.is_file():
            fail(f"{arguments.output} is no folder; a file needs the names of headers: -o FILE HEADER...")
        arguments.output.mkdir(parents=True, exist_ok=True)
        for name, (title, names) in FILES.items():
            (arguments.output / name).write_text(one_file(title, names), encoding="utf-8")


main()
