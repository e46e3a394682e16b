#!/usr/bin/env python3
"""module.py [--check | --names]: writes modules/midend.cppm, the C++20 module `midend`, which exports all public names of the headers
outside midend/adapters/. --check: exit status 1 if it is not what would be written. --names: prints the names.

Names are found by reading: in headers of midend, what is declared in a namespace begins at the first column, and what is not
public is in a namespace `detail`. tests/clients/module compares the names with those that Doxygen finds. Python 3, standard library
only.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
MODULE = ROOT / "modules/midend.cppm"

WORDS = re.compile(r"^(\[\[[^\]]*\]\]|MIDEND_[A-Z_]+|inline|constexpr|static|extern|explicit|friend|consteval|constinit)\s+")
TYPE = re.compile(r"^(?:class|struct|union|enum class|enum)\s+(?:\[\[[^\]]*\]\]\s*)?(\w+)(?!\w*\s*<)")
GUIDE = re.compile(r"^(\w+)\(.*\)\s*->")
FUNCTION = re.compile(r"(operator\s*(?:\(\)|\[\]|[^\s\w(]+)|[A-Za-z_]\w*)\(")
VARIABLE = re.compile(r"(\w+)\s*(?:=|\{|;|\[)")


def without_template(text):
    """The declaration after `template <…>`."""
    while text.startswith("template"):
        depth = 0
        for at, c in enumerate(text):
            depth += (c == "<") - (c == ">" and text[at - 1] != "-")
            if c == ">" and depth == 0:
                text = text[at + 1:].strip()
                break
        else:
            return ""
    return text


def without_arguments(text):
    """Without what is in <…>, but for that of operators, so that the first parenthesis is that of the parameters."""
    return re.sub(r"(?<!operator)<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>", "", text)


def name_of(head):
    """The name that a declaration declares; None if it is no name to export."""
    text = without_template(head)
    while WORDS.match(text):
        text = WORDS.sub("", text)
    if text.startswith("requires"):
        return None
    for pattern in (TYPE, re.compile(r"^concept\s+(\w+)"), re.compile(r"^using\s+(\w+)\s*=")):
        if found := pattern.match(text):
            return found.group(1)
    if text.startswith(("using", "namespace", "static_assert", "class", "struct", "}")) or GUIDE.match(text):
        return None
    plain = without_arguments(text)
    function, variable = FUNCTION.search(plain), VARIABLE.search(plain)
    if function and plain[:function.start()].endswith("::"):
        return None  # a member that is defined outside of its class
    if function and not (variable and variable.start() < function.start() and "operator" not in plain[:function.end()]):
        return function.group(1).replace(" ", "")
    return variable.group(1) if variable else None


def names_of(path):
    """The public names of a header: pairs of namespace and name."""
    spaces, inside, head = [], False, ""
    # A namespace of one declaration is closed without a comment.
    text = re.sub(r"(?m)^namespace detail \{\n(?:[^}\n].*\n)*\}\n", "", path.read_text(encoding="utf-8"))
    for line in text.splitlines():
        if line == "MIDEND_BEGIN_NAMESPACE":
            inside = True
        elif line == "MIDEND_END_NAMESPACE":
            inside = False
        elif not inside or not line or line.startswith(("#", "//")):
            continue
        elif space := re.match(r"(?:inline )?namespace ([\w:]+) \{$", line):
            spaces.append(space.group(1))
        elif line.startswith("} // namespace"):
            spaces.pop()
        elif head or (line[0] not in " }{)" and not re.match(r"(public|private|protected):", line)):
            head += (" " if head else "") + re.sub(r"\s*//.*", "", line.strip())
            text = without_template(head)
            if head.startswith("template") and (not text or text.startswith("requires")):
                # A clause `requires` ends where a line begins at the first column.
                if text.startswith("requires") and line[0] != " " and not line.startswith("template"):
                    head = "template <> " + line
                else:
                    continue
            if re.search(r"[({;=]", without_template(head)):
                if not any("detail" in space for space in spaces) and (name := name_of(head)):
                    yield "::".join(["midend", *spaces]), name
                head = ""


def headers():
    found = (path for path in INCLUDE.rglob("*.hpp") if not {"adapters", "detail"} & set(path.relative_to(INCLUDE).parts))
    return sorted(found, key=lambda path: str(path.relative_to(INCLUDE)))


def public_names():
    return sorted({pair for path in headers() for pair in names_of(path)})


def module_text():
    standard = set()
    for path in INCLUDE.rglob("*.hpp"):
        if "adapters" not in path.parts:
            standard |= set(re.findall(r"^#include (<[\w.]+>)", path.read_text(encoding="utf-8"), re.MULTILINE))
    lines = ["// The module `midend`: the public names of all headers outside midend/adapters/. Made by tools/module.py.",
             "// Macros are not exported: include <midend/version.hpp> for the version. Contracts are checked as they were when",
             "// the module was compiled. docs/installation.md says how to compile it.",
             "module;", "", *[f"#include {name}" for name in sorted(standard)], "",
             *[f"#include <{path.relative_to(INCLUDE)}>" for path in headers()], "", "export module midend;"]
    space = None
    for namespace, name in public_names():
        if namespace != space:
            lines += [*([f"}} // namespace {space}"] if space else []), "", f"export namespace {namespace} {{"]
            space = namespace
        lines.append(f"using {namespace}::{name};")
    return "\n".join([*lines, f"}} // namespace {space}"]) + "\n"


def main():
    if sys.argv[1:] == ["--names"]:
        print("\n".join("::".join(pair) for pair in public_names()))
    elif sys.argv[1:] == ["--check"]:
        if not MODULE.is_file() or MODULE.read_text(encoding="utf-8") != module_text():
            sys.exit("modules/midend.cppm is not current: run tools/module.py")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        MODULE.parent.mkdir(exist_ok=True)
        MODULE.write_text(module_text(), encoding="utf-8")


main()
