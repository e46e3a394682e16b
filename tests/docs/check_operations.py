#!/usr/bin/env python3
"""check_operations.py ROOT: the table of docs/ir-concepts.md lists each operation of the vocabulary once, and no other."""
import pathlib
import re
import sys


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    header = (root / "include/midend/ir/operation.hpp").read_text()
    body = re.search(r"enum class operation[^{]*\{(.*?)\n\};", header, re.S).group(1)
    declared = re.findall(r"^\s*(\w+)\s*,?\s*///", body, re.M)
    page = (root / "docs/ir-concepts.md").read_text()
    section = page.split("\n## Operations\n", 1)[1].split("\n## ", 1)[0]
    listed = []
    for row in section.splitlines():
        if row.startswith("| `"):
            listed += re.findall(r"`(\w+)`", row.split("|")[1])
    wrong = [f"docs/ir-concepts.md: `{name}` is not in the table" for name in declared if name not in listed]
    wrong += [f"docs/ir-concepts.md: `{name}` is no operation" for name in listed if name not in declared]
    wrong += [f"docs/ir-concepts.md: `{name}` is listed twice" for name in set(listed) if listed.count(name) > 1]
    if len(declared) < 30:
        wrong.append("ir/operation.hpp: the enumerators were not found")
    print("\n".join(wrong) if wrong else f"{len(declared)} operations")
    return 1 if wrong else 0


sys.exit(main())
