#!/usr/bin/env bash
# doxygen.sh SOURCE WORK: `doxygen docs/Doxyfile` makes the reference of the headers where nothing was built before, without a
# warning.
set -eu
rm -rf "$2"
mkdir -p "$2/clone"
cp -R "$1/docs" "$1/include" "$2/clone"
cd "$2/clone"
if ! doxygen docs/Doxyfile >"$2/log" 2>&1 || grep -i 'warning\|error' "$2/log"; then
  cat "$2/log"
  exit 1
fi
pages=$(find build/doxygen -name '*.html' | wc -l)
echo "$pages pages"
# An empty log is no proof: the pages are there, and say what headers say.
[ "$pages" -gt 1000 ]
grep -q 'The dominance relation' build/doxygen/classmidend_1_1dominator__tree.html
grep -q 'href="namespacemidend.html#[^>]*>midend::dominators' build/doxygen/index.html
