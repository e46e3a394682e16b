#!/usr/bin/env python3
"""check_members.py ROOT: whether docs/ir-concepts.md names every member that a concept of an IR or an editor asks for.

Concepts are those of include/midend whose template parameter is `IR` or `E`. A member is what they call of a parameter of that
type, as `operands` in `requires(const IR& ir, value_id v) { ir.operands(v); }`, or name as `typename IR::constant_type`.
Concepts in `detail` that only look for a name (`names_...`) ask for nothing of their own. The page must have the member in
code: `operands(`. Also the other direction: what the tables under "Every member" list is somewhere in the headers.
Exit status 1 if anything is missing.
"""
import re
import sys
from pathlib import Path

CONCEPT = re.compile(r"template <class (IR|E)>\s*concept (\w+) =(.*?);\n(?=\n|namespace|template|///|//|\})", re.DOTALL)
PARAMETER = r"(?:const )?{}& (\w+)"
# What the library asks of views of its own.
FOREIGN = {"implied"}


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def members_of(parameter, body):
    names = set(re.findall(r"typename " + parameter + r"::(\w+)", body))
    for variable in set(re.findall(PARAMETER.format(parameter), body)):
        names |= set(re.findall(r"\b" + variable + r"\.(\w+)\(", body))
    return names


def main():
    root = Path(sys.argv[1])
    asked = {}  # member -> concept and header
    everything = ""
    for header in sorted((root / "include/midend").rglob("*.hpp")):
        text = without_comments(header.read_text(encoding="utf-8"))
        everything += text
        for parameter, name, body in CONCEPT.findall(text):
            if name.startswith(("names_", "meant_as_")):
                continue
            for member in members_of(parameter, body) - FOREIGN:
                asked.setdefault(member, f"{name} of {header.relative_to(root / 'include')}")
    page = (root / "docs/ir-concepts.md").read_text(encoding="utf-8")
    code = " ".join(re.findall(r"`([^`\n]+)`", page))
    problems = [f"docs/ir-concepts.md does not list `{member}`, which {where} asks for"
                for member, where in sorted(asked.items())
                if not re.search(r"\b" + member + (r"\b" if member.endswith("_type") else r"\("), code)]
    # The tables with the members in the form that is looked for: of editing, and of every member.
    start = page.index("## Editing")
    end = page.index("\n## ", page.index("## Every member") + 1)
    rows = "\n".join(line for line in page[start:end].splitlines() if line.startswith("|"))
    listed = set()
    for piece in re.findall(r"`([^`]+)`", rows):
        for declaration in piece.split(";"):
            listed |= set(re.findall(r"^[^(]*?(\w+)\(", declaration.strip()))
    for member in sorted(listed - set(asked)):
        if not re.search(r"\b" + member + r"\(", everything):
            problems.append(f"docs/ir-concepts.md lists `{member}`, which no header has")
    for member in sorted(set(asked) - {"constant_type"}):
        if member not in listed:
            problems.append(f"the tables of \"Editing\" and \"Every member\" do not have `{member}`, which {asked[member]} asks for")
    if len(asked) < 80 or len(listed) < 80:
        problems.append(f"only {len(asked)} members found in the headers and {len(listed)} on the page: this script is out of date")
    print(f"{len(asked)} members of concepts, {len(listed)} in the tables")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
