#!/usr/bin/env python3
"""check_natvis.py ROOT: midend.natvis is XML, and each member that it reads is in the header of its type."""
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

HEADERS = {"flat_array": "support/flat_array", "span": "support/span", "optional": "support/optional",
           "bit_row": "support/bit_row", "forward_csr_graph": "graph/forward_csr_graph",
           "dominator_tree": "dominance/dominator_tree", "loop_forest": "loops/loop_forest", "fraction": "support/fraction"}


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    tree = xml.parse(root / "tools/natvis/midend.natvis").getroot()
    wrong, checked = [], 0
    for kind in tree:
        name = re.fullmatch(r"midend::v0::(\w+)(<\*>)?", kind.get("Name"))[1]
        include = root / "include/midend"
        text = (include / f"{HEADERS.pop(name)}.hpp").read_text()
        shared = "".join((include / f).read_text() for f in ("support/flat_array.hpp", "support/detail/small_array.hpp"))
        for element in kind.iter():
            said = (element.text or "") + " ".join(element.attrib.values())
            for member in re.findall(r"(\.?)\b([a-z_]+_)\b", said):
                checked += 1
                if not re.search(rf"\b{member[1]}\b", shared if member[0] else text):
                    wrong.append(f"{name}: there is no member {member[1]}")
    wrong += [f"midend.natvis lacks {name}" for name in HEADERS]
    print("\n".join(wrong) if wrong else f"{checked} members")
    return 1 if wrong or checked < 20 else 0


sys.exit(main())
