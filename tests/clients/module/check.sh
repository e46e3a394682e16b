#!/usr/bin/env bash
# check.sh SOURCE WORK PYTHON CLANG [DOXYGEN]: the module `midend`. modules/midend.cppm is current; it exports the names that
# Doxygen finds, no less and no more; it compiles without a warning; examples that import it print what they print with
# headers.
set -eu
source=$1 work=$2 python=$3 clang=$4 doxygen=${5-}
rm -rf "$work"
mkdir -p "$work"
"$python" "$source/tools/module.py" --check
"$python" "$source/tools/module.py" --names >"$work/exported"
cd "$work"

if [ -n "$doxygen" ]; then
  {
    cat "$source/docs/Doxyfile"
    echo "OUTPUT_DIRECTORY = $work"
    echo "GENERATE_HTML = NO"
    echo "GENERATE_TAGFILE = $work/tags.xml"
    echo "EXCLUDE_PATTERNS = */detail/* */adapters/*"
  } | (cd "$source" && "$doxygen" -) >doxygen.log 2>&1
  "$python" - <<'END'
import sys
import xml.etree.ElementTree as tree

found = set()
for compound in tree.parse("tags.xml").getroot():
    name = compound.findtext("name") or ""
    if compound.get("kind") in ("class", "struct", "concept", "union"):
        found.add(name.split("<")[0])
    elif compound.get("kind") == "namespace":
        found |= {f"{name}::{member.findtext('name').split('<')[0]}" for member in compound.findall("member")
                  if member.get("kind") != "enumvalue"}
exported = set(open("exported", encoding="utf-8").read().split())
spaces = {name.rpartition("::")[0] for name in exported}
public = {name for name in found if name.rpartition("::")[0] in spaces and "detail" not in name.split("::")}
for name in sorted(public - exported):
    print(f"not exported: {name}")
for name in sorted(exported - public):
    print(f"exported, but not found by Doxygen: {name}")
print(f"{len(public)} public names")
sys.exit(public != exported or len(public) < 1000)
END
fi

flags="-std=c++20 -I$source/include -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wsign-conversion -Werror"
# shellcheck disable=SC2086
"$clang" $flags --precompile "$source/modules/midend.cppm" -o midend.pcm
"$clang" -c midend.pcm -o midend.o
num=0
for example in first_steps frontiers sign_analysis sccp transform try_unrolling elbrus_interpreter layout qbe_view; do
  # Headers of the language stay, before the import.
  grep -v '^#include <midend' "$source/examples/$example.cpp" |
    awk '!done && /^#include/ { seen = 1 } seen && !done && !/^#include/ && !/^$/ { print "import midend;\n"; done = 1 } { print }' >$example.cpp
  grep -q '^import midend;' $example.cpp
  # shellcheck disable=SC2086
  "$clang" $flags -fmodule-file=midend=midend.pcm $example.cpp midend.o -o $example
  ./$example >$example.out
  cmp $example.out "$source/examples/$example.out"
  num=$((num + 1))
done
echo "$num programs"
