#!/usr/bin/env python3
"""type_page.py PAGE INCLUDE COMPILER [FOLDER]: types a page, as a new user does, and compares what is printed.

In an empty folder with a link `include`, in the order of the page: a block marked `cpp file=NAME` is appended to the file
NAME; in a block marked `console typed`, each line after `$ ` is run, `g++` being COMPILER, and what follows is what it must
print; a line `…` leaves out any number of lines. A command whose program is not installed is not run. With FOLDER, the files
that are typed are the sources there, all of them, word for word. Exit status 1 if anything is wrong.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```(cpp file=(\S+)|console typed)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def matches(printed, expected):
    if not expected:
        return not printed
    if expected[0].strip() == "…":
        return any(matches(printed[skip:], expected[1:]) for skip in range(len(printed) + 1))
    return bool(printed) and printed[0] == expected[0] and matches(printed[1:], expected[1:])


def differences(work, typed, folder):
    """What is not the same in the folder and on the page."""
    sources = {path.name for path in folder.iterdir() if path.suffix in (".cpp", ".hpp")}
    for name in sorted(typed | sources):
        if name not in typed or name not in sources:
            yield f"{name} is {'not in ' + folder.name if name in typed else 'not on the page'}"
        elif (work / name).read_bytes() != (folder / name).read_bytes():
            yield f"{name} is not the file in {folder.name}"


def main():
    page, include, compiler = Path(sys.argv[1]), Path(sys.argv[2]).resolve(), sys.argv[3]
    text = page.read_text(encoding="utf-8")
    files, commands, problems = set(), 0, []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "include").symlink_to(include)
        for block in BLOCK.finditer(text):
            line = text.count("\n", 0, block.start()) + 1
            if block.group(2):
                files.add(block.group(2))
                with open(work / block.group(2), "a", encoding="utf-8") as out:
                    out.write(block.group(3))
                continue
            for part in re.split(r"^\$ ", block.group(3), flags=re.MULTILINE)[1:]:
                command, _, expected = part.partition("\n")
                program = command.split()[0]
                if program != "g++" and shutil.which(program) is None:
                    print(f"{page.name}:{line}: '{program}' is not there, '{command}' is not run")
                    continue
                commands += 1
                typed = f"{compiler} -Wall -Wextra -Werror{command[3:]}" if program == "g++" else command
                done = subprocess.run(["sh", "-c", typed], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, env=dict(os.environ, LC_ALL="C"), check=False)
                printed = done.stdout.decode("utf-8", "replace")
                if done.returncode != 0 or not matches(printed.rstrip().splitlines(), expected.rstrip().splitlines()):
                    problems.append(f"{page.name}:{line}: '{command}' ends with {done.returncode} and prints:\n{printed[:3000]}")
        if len(sys.argv) > 4:
            problems += differences(work, files, Path(sys.argv[4]))
    print(f"{page.name}: {len(files)} files, {commands} commands, {len(problems)} problems")
    print("\n".join(problems))
    return 1 if problems or commands == 0 else 0


sys.exit(main())
